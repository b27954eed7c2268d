//! Decides when a frame may be drawn with few samples: while something moves, if full ones take too long.

use std::time::Duration;

use crate::look::View;

/// The longest time of a full frame while something moves.
const LONGEST: Duration = Duration::from_millis(40);

/// Full frames in a row that must take longer, so that a single one that compiles shaders does not count.
const SLOW_FRAMES: u32 = 2;

/// The time without movement after which a full frame follows one with few samples.
const REST: Duration = Duration::from_millis(120);

/// How long frames take, and what the last one was.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Full frames in a row that took longer than [`LONGEST`].
    slow: u32,
    /// The view of the last frame.
    view: Option<View>,
    /// Whether the last frame was drawn with few samples.
    hurried: bool,
}

impl Pace {
    /// Whether the next frame, in this view, is drawn with few samples. `plays`: whether the scene changes by itself.
    pub fn hurries(&mut self, view: &View, plays: bool) -> bool {
        let moves = plays || self.view.as_ref().is_some_and(|before| before != view);
        self.view = Some(*view);
        self.hurried = moves && self.slow >= SLOW_FRAMES;
        self.hurried
    }

    /// Takes the time of the frame that was shown. Returns the delay after which a full frame must follow; `None` if
    /// this was one.
    pub fn shown(&mut self, took: Duration) -> Option<Duration> {
        if !self.hurried {
            self.slow = if took > LONGEST { self.slow.saturating_add(1) } else { 0 };
        }
        self.hurried.then_some(REST)
    }

    /// Measures anew, because frames may take another time from now on.
    pub fn reset(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::model::Projection;

    fn view(x: f64) -> View {
        let lens = Projection::Perspective { fov_y: 0.7, aspect: None, near: 0.1, far: None };
        View::look_at(DVec3::new(x, 1.0, 4.0), DVec3::Y, DVec3::Y, lens)
    }

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn slow_frames_hurry_while_something_moves_and_are_drawn_in_full_when_it_rests() {
        let mut pace = Pace::default();
        for time in [ms(90), ms(90)] {
            assert!(!pace.hurries(&view(0.0), true), "nothing was measured");
            assert_eq!(pace.shown(time), None);
        }
        assert!(pace.hurries(&view(0.0), true));
        assert_eq!(pace.shown(ms(30)), Some(REST));
        assert!(pace.hurries(&view(1.0), false), "the camera moves");
        assert_eq!(pace.shown(ms(30)), Some(REST));
        assert!(!pace.hurries(&view(1.0), false), "nothing moves");
        assert_eq!(pace.shown(ms(30)), None, "and nothing more is drawn");
    }

    #[test]
    fn fast_frames_and_single_slow_ones_are_drawn_in_full() {
        let mut pace = Pace::default();
        for time in [ms(300), ms(16), ms(60), ms(39), ms(41), ms(8)] {
            assert!(!pace.hurries(&view(0.0), true));
            assert_eq!(pace.shown(time), None);
        }
        for _ in 0..3 {
            pace.hurries(&view(0.0), true);
            pace.shown(ms(90));
        }
        pace.reset();
        assert!(!pace.hurries(&view(0.0), true), "a smaller window may be fast");
    }
}
