//! The target of a frame.

/// A colour texture to draw a picture on: a swap chain's or any other.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The view of the texture.
    pub view: &'a wgpu::TextureView,
    /// Format of the view.
    pub format: wgpu::TextureFormat,
    /// Rectangle of the picture on the target: left, top, width and height in pixels. The rest is cleared
    /// to black.
    pub rect: [u32; 4],
    /// The part of a larger picture that the rectangle shows; `None` if it shows the whole picture.
    pub part: Option<Part>,
}

/// A tile of a picture that is drawn by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Left and top of the tile, in pixels of the whole picture.
    pub corner: [u32; 2],
    /// Width and height of the whole picture.
    pub whole: [u32; 2],
}

impl Target<'_> {
    /// Width and height of the rectangle.
    pub fn size(&self) -> [u32; 2] {
        let [_, _, width, height] = self.rect;
        [width, height]
    }

    /// Width and height of the whole picture.
    pub fn whole(&self) -> [u32; 2] {
        self.part.map_or(self.size(), |part| part.whole)
    }
}
