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
}
