//! Time bases: frames or ticks per second, for files and people that do not count in seconds.

/// Ticks per second of files that do not specify them. Assimp uses the same default.
pub const DEFAULT_TICKS_PER_SEC: f64 = 25.0;

/// Tolerance in ticks within which a time counts as on a tick: far below any step, far above the
/// rounding errors of double precision.
const ON_TICK: f64 = 1e-6;

/// Equal steps of time from 0: frames, or ticks of a file's clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeBase {
    ticks_per_sec: f64,
}

impl TimeBase {
    /// Makes a time base of this many ticks per second. Anything but a finite number above 0 means
    /// [`DEFAULT_TICKS_PER_SEC`].
    pub fn per_sec(ticks_per_sec: f64) -> Self {
        let given = ticks_per_sec.is_finite() && ticks_per_sec > 0.0;
        Self { ticks_per_sec: if given { ticks_per_sec } else { DEFAULT_TICKS_PER_SEC } }
    }

    /// Returns the ticks per second.
    pub fn ticks_per_sec(self) -> f64 {
        self.ticks_per_sec
    }

    /// Converts a time to ticks, with fractions.
    pub fn ticks(self, secs: f64) -> f64 {
        secs * self.ticks_per_sec
    }

    /// Converts ticks to a time in seconds.
    pub fn secs(self, ticks: f64) -> f64 {
        ticks / self.ticks_per_sec
    }

    /// Returns the time this many ticks later, or earlier if negative. From between two ticks, the
    /// first step goes to the adjacent tick in that direction.
    pub fn stepped(self, secs: f64, ticks: i64) -> f64 {
        let at = self.ticks(secs);
        let from = if ticks < 0 { (at - ON_TICK).ceil() } else { (at + ON_TICK).floor() };
        self.secs(from + ticks as f64)
    }
}

/// Returns the usual frame rate on whose frames all these times lie; `None` if there is none, or if there are too few
/// times to tell.
pub fn frame_rate(times_secs: &[f32]) -> Option<f64> {
    /// In the order of preference, for times that lie on the frames of several rates.
    const USUAL: [f64; 5] = [30.0, 24.0, 25.0, 60.0, 50.0];
    const FEWEST: usize = 4;
    /// How far from a frame a time may be, in frames: files have times in single precision.
    const OFF: f64 = 0.02;
    let is_frame = |at: f64| (at - at.round()).abs() < OFF;
    let lies_on = |rate: &f64| times_secs.iter().all(|time| is_frame(f64::from(*time) * rate));
    USUAL.into_iter().filter(|_| times_secs.len() >= FEWEST).find(lies_on)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frame_rate_of_keys_is_found() {
        let grid = |rate: f32| (0..40).map(|frame| frame as f32 / rate).collect::<Vec<f32>>();
        for rate in [24.0, 25.0, 30.0, 50.0, 60.0] {
            assert_eq!(frame_rate(&grid(rate)), Some(f64::from(rate)));
        }
        // Every other frame of 60.
        assert_eq!(frame_rate(&grid(15.0)), Some(30.0));
        assert_eq!(frame_rate(&grid(29.97)), None);
        assert_eq!(frame_rate(&[0.0, 0.1, 0.7123, 0.9]), None);
        assert_eq!(frame_rate(&[0.0, 0.041_666_668]), None);
    }

    #[test]
    fn no_ticks_a_second_are_twenty_five() {
        for odd in [0.0, -3.0, f64::NAN, f64::INFINITY] {
            assert_eq!(TimeBase::per_sec(odd).ticks(2.0), 50.0, "{odd}");
        }
        assert_eq!(TimeBase::per_sec(4800.0).ticks(0.5), 2400.0);
        assert_eq!(TimeBase::per_sec(4800.0).secs(1200.0), 0.25);
    }

    #[test]
    fn steps_land_on_ticks_at_any_rate() {
        for rate in [23.976, 24.0, 25.0, 29.97, 30.0, 60.0, 1000.0 / 3.0] {
            let base = TimeBase::per_sec(rate);
            let mut secs = 0.0;
            for tick in 1..=5000 {
                secs = base.stepped(secs, 1);
                assert_eq!(secs, base.secs(f64::from(tick)), "{rate}");
            }
            for tick in (0..5000).rev() {
                secs = base.stepped(secs, -1);
                assert_eq!(secs, base.secs(f64::from(tick)), "{rate}");
            }
            assert_eq!(base.ticks_per_sec(), rate);
            assert_eq!(base.stepped(base.secs(7.4), 1), base.secs(8.0));
            assert_eq!(base.stepped(base.secs(7.4), -1), base.secs(7.0));
            assert_eq!(base.stepped(base.secs(7.4), -10), base.secs(-2.0));
        }
    }
}
