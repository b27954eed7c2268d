//! The player: turns steps of time into a clip's time.
//!
//! It is told every step and owns no clock. Seeking pauses; stepping and scrubbing are seeks.

/// What happens at a clip's end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repeat {
    /// Starts again.
    #[default]
    Loop,
    /// Stops there.
    Once,
    /// Turns round.
    PingPong,
}

/// Where playback stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Player {
    /// Whether time passes.
    pub playing: bool,
    /// Clip seconds a second; negative plays backwards.
    pub speed: f64,
    repeat: Repeat,
    time_secs: f64,
    /// Whether ping-pong is on its way back.
    returning: bool,
}

impl Default for Player {
    fn default() -> Self {
        Self { playing: true, speed: 1.0, repeat: Repeat::Loop, time_secs: 0.0, returning: false }
    }
}

impl Player {
    /// The clip's time, from 0 to the duration, both included.
    pub fn time_secs(&self) -> f64 {
        self.time_secs
    }

    /// What happens at the end.
    pub fn repeat(&self) -> Repeat {
        self.repeat
    }

    /// Chooses what happens at the end; the time stays.
    pub fn set_repeat(&mut self, repeat: Repeat) {
        self.repeat = repeat;
        self.returning = false;
    }

    /// Goes to a time, clamped to the clip, and pauses.
    pub fn seek(&mut self, time_secs: f64, duration_secs: f64) {
        self.playing = false;
        self.returning = false;
        self.time_secs = clamp(time_secs, duration_secs);
    }

    /// Goes to the start and keeps playing or pausing.
    pub fn rewind(&mut self) {
        self.returning = false;
        self.time_secs = 0.0;
    }

    /// Plays or pauses. A clip that played once and stands at its end starts again.
    pub fn toggle(&mut self, duration_secs: f64) {
        self.playing = !self.playing;
        if self.playing && self.repeat == Repeat::Once {
            let (first, last) =
                if self.speed < 0.0 { (duration_secs, 0.0) } else { (0.0, duration_secs) };
            if self.time_secs == last {
                self.time_secs = first;
            }
        }
    }

    /// Lets `step_secs` of real time pass. Paused, nothing happens. A duration of 0 stays at 0.
    ///
    /// A loop wraps only past its end, so the last key is shown when time meets it exactly.
    pub fn advance(&mut self, step_secs: f64, duration_secs: f64) {
        let step = step_secs * self.speed;
        if !self.playing || !step.is_finite() {
            return;
        }
        if duration_secs <= 0.0 {
            self.time_secs = 0.0;
            return;
        }
        match self.repeat {
            Repeat::Loop => {
                let time = self.time_secs + step;
                let inside = (0.0..=duration_secs).contains(&time);
                self.time_secs = if inside { time } else { time.rem_euclid(duration_secs) };
            }
            Repeat::Once => {
                let time = self.time_secs + step;
                self.time_secs = clamp(time, duration_secs);
                self.playing = time == self.time_secs;
            }
            Repeat::PingPong => {
                // The way there and back, unrolled onto one lap of twice the duration.
                let lap = 2.0 * duration_secs;
                let at = if self.returning { lap - self.time_secs } else { self.time_secs };
                let at = (at + step).rem_euclid(lap);
                self.returning = at > duration_secs;
                self.time_secs = if self.returning { lap - at } else { at };
            }
        }
    }
}

fn clamp(time_secs: f64, duration_secs: f64) -> f64 {
    if time_secs.is_nan() { 0.0 } else { time_secs.clamp(0.0, duration_secs.max(0.0)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(repeat: Repeat, steps: &[f64]) -> (f64, bool) {
        let mut player = Player::default();
        player.set_repeat(repeat);
        steps.iter().for_each(|s| player.advance(*s, 2.0));
        (player.time_secs(), player.playing)
    }

    #[test]
    fn a_loop_wraps_past_its_end_and_not_at_it() {
        assert_eq!(at(Repeat::Loop, &[2.0]), (2.0, true));
        assert_eq!(at(Repeat::Loop, &[2.5]), (0.5, true));
        assert_eq!(at(Repeat::Loop, &[-0.5]), (1.5, true));
        assert_eq!(at(Repeat::Loop, &[1e9 * 2.0 + 0.5]), (0.5, true));
    }

    #[test]
    fn once_stops_at_the_end_and_starts_again_when_played() {
        assert_eq!(at(Repeat::Once, &[1.5, 1.5]), (2.0, false));
        let mut player = Player::default();
        player.set_repeat(Repeat::Once);
        player.advance(5.0, 2.0);
        player.toggle(2.0);
        assert_eq!((player.time_secs(), player.playing), (0.0, true));
    }

    #[test]
    fn ping_pong_turns_round_at_both_ends() {
        assert_eq!(at(Repeat::PingPong, &[1.5, 1.0]), (1.5, true));
        assert_eq!(at(Repeat::PingPong, &[1.5, 1.0, 1.0, 1.0]), (0.5, true));
        assert_eq!(at(Repeat::PingPong, &[4.5]), (0.5, true));
    }

    #[test]
    fn seeking_clamps_and_pauses() {
        let mut player = Player::default();
        player.seek(9.0, 2.0);
        assert_eq!((player.time_secs(), player.playing), (2.0, false));
        player.seek(f64::NAN, 2.0);
        assert_eq!(player.time_secs(), 0.0);
    }

    #[test]
    fn no_duration_divides_by_nothing() {
        for repeat in [Repeat::Loop, Repeat::Once, Repeat::PingPong] {
            let mut player = Player::default();
            player.set_repeat(repeat);
            player.advance(0.5, 0.0);
            assert_eq!(player.time_secs(), 0.0);
        }
    }

    #[test]
    fn ten_hours_at_60_hertz_drift_less_than_a_millisecond() {
        let (mut player, duration) = (Player::default(), 1.25);
        for _ in 0..10 * 3600 * 60 {
            player.advance(1.0 / 60.0, duration);
        }
        let want = (36_000.0f64).rem_euclid(duration);
        let off = (player.time_secs() - want).rem_euclid(duration);
        assert!(off.min(duration - off) < 1e-3, "{off}");
    }
}
