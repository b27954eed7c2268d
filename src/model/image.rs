//! Pictures of a file.

/// What there is of a picture's pixels.
#[derive(Clone, PartialEq)]
pub enum Pixels {
    /// Eight-bit RGBA, rows from the top, straight alpha.
    Rgba8(Vec<u8>),
    /// As the GPU reads them; of a picture whose sides are multiples of four.
    Blocks(Blocks),
    /// Only the size was read, or the pixels were checked and dropped, or no texture shows them.
    Header,
    /// The picture can't be read: a stand-in is shown.
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
    /// Bytes that are there to be shown; 0 where none are.
    pub fn bytes(&self) -> usize {
        match self {
            Pixels::Rgba8(rgba) => rgba.len(),
            Pixels::Blocks(blocks) => blocks.levels.iter().map(Vec::len).sum(),
            Pixels::Header | Pixels::Missing => 0,
        }
    }
}

/// A form in which GPUs read texels: 4 x 4 of them, with alpha, in a block of 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockFormat {
    /// BC7, of desktops.
    Bc7,
    /// ASTC of 4 x 4 texels.
    Astc,
    /// ETC2 with EAC alpha.
    Etc2,
}

/// Which block formats an adapter takes. By default none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockFormats {
    /// [`BlockFormat::Bc7`].
    pub bc7: bool,
    /// [`BlockFormat::Astc`].
    pub astc: bool,
    /// [`BlockFormat::Etc2`].
    pub etc2: bool,
}

/// A picture in blocks, with its mip levels: blocks can't be filtered, so all that are ever shown
/// are here.
#[derive(Clone, Debug, PartialEq)]
pub struct Blocks {
    /// What a block is.
    pub format: BlockFormat,
    /// The blocks of each level, row by row, the whole picture first. A level has half the size of
    /// the one before, rounded down, at least 1; its last blocks may reach over its edges.
    pub levels: Vec<Vec<u8>>,
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
