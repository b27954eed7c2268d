//! A time base: how many frames or ticks a second has, for files and people that don't count in
//! seconds.

/// Ticks a second that a file means which gives none (as Assimp's readers take it).
pub const DEFAULT_TICKS_PER_SEC: f64 = 25.0;

/// How near to a tick a time counts as on it, in ticks: far below any step, far above what a double
/// loses.
const ON_TICK: f64 = 1e-6;

/// Equal steps of time from 0: frames, or the ticks of a file's clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeBase {
    ticks_per_sec: f64,
}

impl TimeBase {
    /// So many ticks a second. What is no number above 0 means [`DEFAULT_TICKS_PER_SEC`].
    pub fn per_sec(ticks_per_sec: f64) -> Self {
        let given = ticks_per_sec.is_finite() && ticks_per_sec > 0.0;
        Self { ticks_per_sec: if given { ticks_per_sec } else { DEFAULT_TICKS_PER_SEC } }
    }

    /// Ticks a second.
    pub fn ticks_per_sec(self) -> f64 {
        self.ticks_per_sec
    }

    /// How many ticks a time is, with the part of one behind the point.
    pub fn ticks(self, secs: f64) -> f64 {
        secs * self.ticks_per_sec
    }

    /// The time of a tick.
    pub fn secs(self, ticks: f64) -> f64 {
        ticks / self.ticks_per_sec
    }

    /// The time so many whole ticks on or back. From between two, the first step goes to the one
    /// that is next on that side.
    pub fn stepped(self, secs: f64, ticks: i64) -> f64 {
        let at = self.ticks(secs);
        let from = if ticks < 0 { (at - ON_TICK).ceil() } else { (at + ON_TICK).floor() };
        self.secs(from + ticks as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(base.stepped(base.secs(7.4), 1), base.secs(8.0));
            assert_eq!(base.stepped(base.secs(7.4), -1), base.secs(7.0));
            assert_eq!(base.stepped(base.secs(7.4), -10), base.secs(-2.0));
        }
    }
}
