//! The frames per second of read-outs and steps.

/// Frames per second of read-outs and steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FrameRate {
    /// A positive number.
    pub fps: f64,
    /// Whether the rate follows the file or the keys of the shown clip.
    pub follows_clip: bool,
}

impl FrameRate {
    /// The rate of clips that do not tell one.
    pub const USUAL_FPS: f64 = 30.0;

    /// Returns a rate of so many frames per second, or the usual one if that is no rate.
    pub fn new(fps: f64, follows_clip: bool) -> Self {
        let is_rate = fps.is_finite() && fps > 0.0;
        Self { fps: if is_rate { fps } else { Self::USUAL_FPS }, follows_clip }
    }
}
