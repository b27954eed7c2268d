//! Images of a file.

/// The pixels of an image.
#[derive(Clone, PartialEq)]
pub enum Pixels {
    /// Eight-bit RGBA, rows from the top, straight alpha.
    Rgba8(Vec<u8>),
    /// GPU block compression; width and height are multiples of four.
    Blocks(Blocks),
    /// No pixels are kept: only the size was read, or they were checked and dropped, or no texture uses
    /// them.
    Header,
    /// The image can't be read; a placeholder is shown.
    Missing,
}

impl std::fmt::Debug for Pixels {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Pixels::Rgba8(bytes) => write!(f, "Rgba8({} bytes)", bytes.len()),
            Pixels::Blocks(blocks) => {
                write!(f, "{:?}({} levels)", blocks.format, blocks.levels.len())
            }
            Pixels::Header => f.write_str("Header"),
            Pixels::Missing => f.write_str("Missing"),
        }
    }
}

impl Pixels {
    /// Returns the number of bytes of the pixels; 0 if there are none.
    pub fn bytes(&self) -> usize {
        match self {
            Pixels::Rgba8(rgba) => rgba.len(),
            Pixels::Blocks(blocks) => blocks.levels.iter().map(Vec::len).sum(),
            Pixels::Header | Pixels::Missing => 0,
        }
    }
}

/// A GPU block compression format: 4 x 4 texels with alpha in 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockFormat {
    /// BC7, for desktop GPUs.
    Bc7,
    /// ASTC of 4 x 4 texels.
    Astc,
    /// ETC2 with EAC alpha.
    Etc2,
}

/// The block formats that an adapter supports; none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockFormats {
    /// [`BlockFormat::Bc7`].
    pub bc7: bool,
    /// [`BlockFormat::Astc`].
    pub astc: bool,
    /// [`BlockFormat::Etc2`].
    pub etc2: bool,
}

/// A block-compressed image with all its mip levels, because levels can't be computed from blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct Blocks {
    /// The block format.
    pub format: BlockFormat,
    /// The blocks of each level, row by row, the largest level first. Each level has half the size of the
    /// one before, rounded down, at least 1; its last blocks may extend beyond its edges.
    pub levels: Vec<Vec<u8>>,
}

/// An image.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// The image's name.
    pub name: Option<String>,
    /// `image/png`, `image/jpeg`, `image/webp` or `image/ktx2`, detected from its content.
    pub mime: String,
    /// Width in pixels; 0 if unknown.
    pub width: u32,
    /// Height in pixels; 0 if unknown.
    pub height: u32,
    /// The pixels.
    pub pixels: Pixels,
    /// Hash of the image's file, to tell whether two images are the same. `None` if it was not read without
    /// its pixels. Of files beside the model, the hash covers the first MiB.
    pub digest: Option<u64>,
}
