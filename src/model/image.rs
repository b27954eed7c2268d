//! Pictures of a file.

/// What there is of a picture's pixels.
#[derive(Clone, PartialEq)]
pub enum Pixels {
    /// Eight-bit RGBA, rows from the top, straight alpha.
    Rgba8(Vec<u8>),
    /// Only the size was read, or the pixels were checked and dropped, or no texture shows them.
    Header,
    /// The picture can't be read: a stand-in is shown.
    Missing,
}

impl std::fmt::Debug for Pixels {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Pixels::Rgba8(bytes) => write!(f, "Rgba8({} bytes)", bytes.len()),
            Pixels::Header => f.write_str("Header"),
            Pixels::Missing => f.write_str("Missing"),
        }
    }
}

/// A picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// The file's name for it.
    pub name: Option<String>,
    /// `image/png`, `image/jpeg`, `image/webp` or `image/ktx2`, by its content.
    pub mime: String,
    /// Pixels a row; 0 where unknown.
    pub width: u32,
    /// Rows; 0 where unknown.
    pub height: u32,
    /// The pixels.
    pub pixels: Pixels,
}
