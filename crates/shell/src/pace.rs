//! Decides how a frame is drawn: with fewer pixels and samples while something moves, if full ones take too long, and
//! averaged of several drawings when everything rests.

use std::ops::RangeInclusive;
use std::time::Duration;

use rigview_look::View;
use rigview_session::MotionQuality;

/// The longest time of a full frame while something moves.
const LONGEST: Duration = Duration::from_millis(40);

/// The time that a frame with fewer pixels should take.
const WANTED: Duration = Duration::from_millis(33);

/// Width and height of a drawing in parts of the picture's, in eighths. A picture of half the width is still sharp enough to
/// judge a motion.
const EIGHTHS: RangeInclusive<u32> = 4..=8;

/// Full frames in a row that must take longer, so that a single one that compiles shaders does not count.
const SLOW_FRAMES: u32 = 2;

/// A time of frames with fewer pixels at which full ones may be fast enough again.
const QUICK: Duration = Duration::from_millis(20);

/// Such frames in a row before a full one is tried. Each time, twice as many are awaited, [`MOST_TRIES`] times.
const QUICK_FRAMES: u32 = 30;
const MOST_TRIES: u32 = 5;

/// The time without movement after which a full frame follows one with few samples.
const REST: Duration = Duration::from_millis(120);

/// How a frame is drawn, from the worst to the best.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Quality {
    /// With few samples, at this many eighths of the width and of the height.
    Hurried(u32),
    /// Once.
    #[default]
    Full,
    /// Several times, and averaged.
    Averaged,
}

impl Quality {
    /// Returns the width and height of a drawing as a share of the picture's.
    pub fn share(self) -> f32 {
        match self {
            Quality::Hurried(eighths) => eighths as f32 / *EIGHTHS.end() as f32,
            Quality::Full | Quality::Averaged => 1.0,
        }
    }
}

/// What happens while a frame is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameState<'a> {
    /// The view of the frame.
    pub view: &'a View,
    /// Whether the scene changes by itself.
    pub plays: bool,
    /// Whether nothing but time asked for the frame.
    pub rests: bool,
    /// Whether the picture is to be an average of several drawings.
    pub averages: bool,
    /// Whether the picture has texts, which must stay legible.
    pub has_texts: bool,
    /// How the user wants it drawn while something moves.
    pub motion: MotionQuality,
}

/// How long frames take, and what the last one was.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Full frames in a row that took longer than [`LONGEST`].
    slow: u32,
    /// The time of the last full frame.
    took: Duration,
    /// Frames in a row with fewer pixels that took less than [`QUICK`].
    quick: u32,
    /// How often full frames were tried after such ones.
    tries: u32,
    /// The view of the last frame.
    view: Option<View>,
    /// How the last frame was drawn.
    drawn: Quality,
    /// Whether a better frame must follow the last one.
    waits: bool,
}

impl Pace {
    /// Returns how the next frame is drawn.
    pub fn quality(
        &mut self,
        FrameState { view, plays, rests, averages, has_texts, motion }: FrameState<'_>,
    ) -> Quality {
        let moves = plays || self.view.as_ref().is_some_and(|before| before != view);
        self.view = Some(*view);
        let hurries = match motion {
            MotionQuality::Auto => self.slow >= SLOW_FRAMES,
            MotionQuality::Full => false,
            MotionQuality::Quick => true,
        };
        self.drawn = match (moves, rests && self.waits && averages) {
            (true, _) if hurries => Quality::Hurried(match motion {
                _ if has_texts => *EIGHTHS.end(),
                MotionQuality::Quick => *EIGHTHS.start(),
                MotionQuality::Auto | MotionQuality::Full => eighths(self.took),
            }),
            (false, true) => Quality::Averaged,
            _ => Quality::Full,
        };
        self.waits = match self.drawn {
            Quality::Hurried(_) => true,
            Quality::Full => averages,
            Quality::Averaged => false,
        };
        self.drawn
    }

    /// Takes the time of the frame that was shown; `None` if the last picture served again. Returns the delay after which a
    /// better frame must follow; `None` if there is none.
    pub fn shown(&mut self, took: Option<Duration>) -> Option<Duration> {
        match (self.drawn, took) {
            (Quality::Full, Some(took)) => {
                self.slow = if took > LONGEST { self.slow.saturating_add(1) } else { 0 };
                self.took = took;
            }
            (Quality::Hurried(_), Some(took)) => {
                self.quick = if took < QUICK { self.quick + 1 } else { 0 };
                if self.quick >= QUICK_FRAMES << self.tries {
                    (self.slow, self.quick) = (0, 0);
                    self.tries = (self.tries + 1).min(MOST_TRIES);
                }
            }
            (Quality::Averaged, _) | (_, None) => {}
        }
        self.waits.then_some(REST)
    }

    /// Measures anew, because frames may take another time from now on.
    pub fn reset(&mut self) {
        *self = Self::default();
    }
}

/// Returns how many eighths of the width and height take the wanted time, if a full frame takes this one.
fn eighths(full: Duration) -> u32 {
    let share = (WANTED.as_secs_f64() / full.as_secs_f64().max(1e-3)).sqrt();
    ((8.0 * share) as u32).clamp(*EIGHTHS.start(), *EIGHTHS.end())
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use rigview_model::Projection;

    fn view(x: f64) -> View {
        let lens = Projection::Perspective { fov_y: 0.7, aspect: None, near: 0.1, far: None };
        View::look_at(DVec3::new(x, 1.0, 4.0), DVec3::Y, DVec3::Y, lens)
    }

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// Returns how such a frame is drawn.
    fn quality(pace: &mut Pace, x: f64, plays: bool) -> Quality {
        pace.quality(state(&view(x), plays))
    }

    /// A frame without averages and texts.
    fn state(view: &View, plays: bool) -> FrameState<'_> {
        let (rests, averages, has_texts) = (false, false, false);
        FrameState { view, plays, rests, averages, has_texts, motion: MotionQuality::Auto }
    }

    #[test]
    fn slow_frames_hurry_while_something_moves_and_are_drawn_in_full_when_it_rests() {
        let mut pace = Pace::default();
        for time in [ms(70), ms(80)] {
            assert_eq!(quality(&mut pace, 0.0, true), Quality::Full, "nothing was measured");
            assert_eq!(pace.shown(Some(time)), None);
        }
        assert_eq!(quality(&mut pace, 0.0, true), Quality::Hurried(5));
        assert_eq!(pace.shown(Some(ms(30))), Some(REST));
        assert_eq!(quality(&mut pace, 1.0, false), Quality::Hurried(5), "the camera moves");
        assert_eq!(pace.shown(Some(ms(30))), Some(REST));
        assert_eq!(quality(&mut pace, 1.0, false), Quality::Full, "nothing moves");
        assert_eq!(pace.shown(Some(ms(30))), None, "and nothing more is drawn");
    }

    /// Half the width and height at least, and never fewer pixels than needed.
    #[test]
    fn the_slower_full_frames_are_the_fewer_pixels_has_a_hurried_one() {
        let of = |full| eighths(ms(full));
        assert_eq!([41, 60, 90, 140, 2000].map(of), [7, 5, 4, 4, 4]);
        for full in 41..140 {
            let rest = full as f64 * (f64::from(of(full)) / 8.0).powi(2);
            assert!(rest <= 33.0 || of(full) == 4, "{full} ms become {rest}");
        }
    }

    /// What made frames slow may end while the clip plays.
    #[test]
    fn full_frames_are_tried_again_after_many_quick_ones() {
        let mut pace = Pace::default();
        let mut awaited = Vec::new();
        for _ in 0..3 {
            for _ in 0..SLOW_FRAMES {
                assert_eq!(quality(&mut pace, 0.0, true), Quality::Full);
                pace.shown(Some(ms(60)));
            }
            let mut hurried = 0;
            while let Quality::Hurried(_) = quality(&mut pace, 0.0, true) {
                pace.shown(Some(ms(16)));
                hurried += 1;
            }
            awaited.push(hurried);
        }
        assert_eq!(awaited, [30, 60, 120]);
        for _ in 0..SLOW_FRAMES {
            pace.shown(Some(ms(60)));
        }
        for _ in 0..2000 {
            assert!(matches!(quality(&mut pace, 0.0, true), Quality::Hurried(_)));
            pace.shown(Some(ms(25)));
        }
    }

    #[test]
    fn texts_are_drawn_with_all_pixels() {
        let mut pace = Pace::default();
        for _ in 0..SLOW_FRAMES {
            quality(&mut pace, 0.0, true);
            pace.shown(Some(ms(90)));
        }
        let view = view(0.0);
        let with_texts = FrameState { has_texts: true, ..state(&view, true) };
        assert_eq!(pace.quality(with_texts), Quality::Hurried(8));
    }

    #[test]
    fn what_moves_is_drawn_as_the_user_wants() {
        let (mut pace, view) = (Pace::default(), view(0.0));
        let with = |motion, plays| FrameState { motion, ..state(&view, plays) };
        for _ in 0..3 * SLOW_FRAMES {
            assert_eq!(pace.quality(with(MotionQuality::Full, true)), Quality::Full);
            pace.shown(Some(ms(90)));
        }
        assert_eq!(pace.quality(with(MotionQuality::Auto, true)), Quality::Hurried(4));
        pace.reset();
        for _ in 0..100 {
            assert_eq!(pace.quality(with(MotionQuality::Quick, true)), Quality::Hurried(4));
            pace.shown(Some(ms(2)));
        }
        assert_eq!(pace.quality(with(MotionQuality::Quick, false)), Quality::Full, "at rest");
    }

    #[test]
    fn fast_frames_and_single_slow_ones_are_drawn_in_full() {
        let mut pace = Pace::default();
        for time in [ms(300), ms(16), ms(60), ms(39), ms(41), ms(8)] {
            assert_eq!(quality(&mut pace, 0.0, true), Quality::Full);
            assert_eq!(pace.shown(Some(time)), None);
        }
        for _ in 0..3 {
            quality(&mut pace, 0.0, true);
            pace.shown(Some(ms(90)));
        }
        pace.reset();
        assert_eq!(quality(&mut pace, 0.0, true), Quality::Full, "a smaller window may be fast");
    }

    #[test]
    fn a_picture_is_averaged_once_when_everything_rests() {
        let mut pace = Pace::default();
        let mut next = |x: f64, plays: bool, rests: bool| {
            let view = view(x);
            let averages = true;
            let quality = pace.quality(FrameState { rests, averages, ..state(&view, plays) });
            (quality, pace.shown(Some(ms(9))))
        };
        assert_eq!(next(0.0, false, false), (Quality::Full, Some(REST)));
        assert_eq!(next(0.0, false, true), (Quality::Averaged, None), "and nothing more is drawn");
        assert_eq!(next(0.0, false, false), (Quality::Full, Some(REST)), "the panels changed");
        assert_eq!(next(1.0, false, true), (Quality::Full, Some(REST)), "the camera moves");
        assert_eq!(next(1.0, true, true), (Quality::Full, Some(REST)), "the clip plays");
        assert_eq!(next(1.0, false, true), (Quality::Averaged, None));
    }
}
