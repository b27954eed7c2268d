//! Image formats, recognised by their first bytes.

/// An image format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Png,
    Jpeg,
    WebP,
    Ktx2,
}

impl Format {
    /// Returns the media type.
    pub fn mime(self) -> &'static str {
        match self {
            Format::Png => "image/png",
            Format::Jpeg => "image/jpeg",
            Format::WebP => "image/webp",
            Format::Ktx2 => "image/ktx2",
        }
    }
}

/// The size that an image's header states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// Pixels per row.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl Header {
    /// Returns the number of pixels.
    pub fn pixels(self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }
}

/// Recognises the format of an image by its first bytes.
pub(super) fn format(bytes: &[u8]) -> Result<Format, String> {
    let is_webp = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP");
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Ok(Format::Png),
        [0xff, 0xd8, 0xff, ..] => Ok(Format::Jpeg),
        [] => Err("the image is empty".into()),
        [0xab, b'K', b'T', b'X', ..] => Ok(Format::Ktx2),
        _ if is_webp => Ok(Format::WebP),
        _ => Err("not a PNG, JPEG, WebP or KTX2 image".into()),
    }
}
