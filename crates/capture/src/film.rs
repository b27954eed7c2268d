//! What a recording consists of.

use super::Schedule;

/// What a recording consists of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Film {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// The times of the frames.
    pub schedule: Schedule,
    /// Whether the camera turns once about the model, from its place in the session.
    pub turntable: bool,
    /// The background of all frames: sRGB and alpha.
    pub background: [u8; 4],
}

impl Film {
    /// Whether no pixel of any frame is transparent.
    pub fn is_opaque(&self) -> bool {
        self.background[3] == 255
    }
}
