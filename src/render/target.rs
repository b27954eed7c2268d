//! What is drawn on.

/// A colour view to draw on, whoever owns its texture.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// What is drawn on.
    pub view: &'a wgpu::TextureView,
    /// Its format.
    pub format: wgpu::TextureFormat,
    /// Where on it the picture goes: left, top, width and height in pixels. The rest is cleared to
    /// black.
    pub rect: [u32; 4],
    /// Which part of a larger picture the rectangle shows; none where it shows all of it.
    pub part: Option<Part>,
}

/// A part of a picture that is drawn by itself: a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Left and top of the part, in pixels of the whole picture.
    pub corner: [u32; 2],
    /// Width and height of the whole picture.
    pub whole: [u32; 2],
}

impl Target<'_> {
    /// Width and height of the whole picture.
    pub fn whole(&self) -> [u32; 2] {
        let [_, _, width, height] = self.rect;
        self.part.map_or([width, height], |part| part.whole)
    }
}
