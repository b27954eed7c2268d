//! The player: converts steps of real time to a time in a clip.
//!
//! It has no clock; the caller passes every step. It plays the range between the in and out points,
//! which default to the whole clip. Seeking pauses; stepping and scrubbing are seeks. It holds no
//! clip; methods that need the clip's duration take it as a parameter.

use super::TimeBase;

/// The behaviour at the end of the range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repeat {
    /// Continues from the start.
    #[default]
    Loop,
    /// Stops at the end.
    Once,
    /// Plays back in the other direction.
    PingPong,
}

/// What happened in a step of playback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayerEvent {
    /// Playback wrapped or reversed this many times.
    Looped(u64),
    /// Playback reached the end and stopped ([`Repeat::Once`]).
    Ended,
}

/// The state of playback.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Player {
    /// Whether time passes.
    pub playing: bool,
    /// Clip seconds per real second. Negative speeds play backwards.
    pub speed: f64,
    repeat: Repeat,
    time_secs: f64,
    /// In and out points in seconds; 0 and infinity if not set.
    range: [f64; 2],
    /// Whether ping-pong is playing back towards the start.
    returning: bool,
}

impl Default for Player {
    fn default() -> Self {
        Self {
            playing: true,
            speed: 1.0,
            repeat: Repeat::Loop,
            time_secs: 0.0,
            range: WHOLE,
            returning: false,
        }
    }
}

/// The range of a clip of any length.
const WHOLE: [f64; 2] = [0.0, f64::INFINITY];

impl Player {
    /// Returns the time in the clip in seconds: 0 to the duration, inclusive.
    pub fn time_secs(&self) -> f64 {
        self.time_secs
    }

    /// Returns the time in the clip in frames or ticks, with fractions.
    pub fn time_in(&self, base: TimeBase) -> f64 {
        base.ticks(self.time_secs)
    }

    /// Returns the behaviour at the end.
    pub fn repeat(&self) -> Repeat {
        self.repeat
    }

    /// Sets the behaviour at the end and keeps the time.
    pub fn set_repeat(&mut self, repeat: Repeat) {
        self.repeat = repeat;
        self.returning = false;
    }

    /// Returns the in and out points, clamped to a clip of this duration. The defaults are its start
    /// and end.
    pub fn range_secs(&self, duration_secs: f64) -> [f64; 2] {
        self.range.map(|secs| clamp(secs, duration_secs))
    }

    /// Whether an in or out point is set.
    pub fn has_range(&self) -> bool {
        self.range != WHOLE
    }

    /// Sets the in point and keeps the time. An out point before it is cleared.
    pub fn set_in(&mut self, secs: f64) {
        self.returning = false;
        self.range[0] = clamp(secs, f64::INFINITY);
        if self.range[1] < self.range[0] {
            self.range[1] = WHOLE[1];
        }
    }

    /// Sets the out point and keeps the time. An in point after it is cleared.
    pub fn set_out(&mut self, secs: f64) {
        self.returning = false;
        self.range[1] = clamp(secs, f64::INFINITY);
        if self.range[0] > self.range[1] {
            self.range[0] = WHOLE[0];
        }
    }

    /// Clears both points.
    pub fn clear_range(&mut self) {
        self.returning = false;
        self.range = WHOLE;
    }

    /// Moves to a time, clamped to the clip rather than to the range, and pauses.
    pub fn seek(&mut self, time_secs: f64, duration_secs: f64) {
        self.playing = false;
        self.returning = false;
        self.time_secs = clamp(time_secs, duration_secs);
    }

    /// Moves by this many frames and pauses. From between two frames, the first step goes to the
    /// adjacent frame in that direction.
    pub fn step_frames(&mut self, frames: i64, base: TimeBase, duration_secs: f64) {
        self.seek(base.stepped(self.time_secs, frames), duration_secs);
    }

    /// Moves to the start without starting or pausing playback.
    pub fn rewind(&mut self) {
        self.returning = false;
        self.time_secs = 0.0;
    }

    /// Starts or pauses playback. With [`Repeat::Once`], starting at the end restarts.
    pub fn toggle(&mut self, duration_secs: f64) {
        self.playing = !self.playing;
        if self.playing && self.repeat == Repeat::Once {
            let [start, end] = self.range_secs(duration_secs);
            let backwards = self.speed < 0.0;
            if backwards && self.time_secs <= start {
                self.time_secs = end;
            } else if !backwards && self.time_secs >= end {
                self.time_secs = start;
            }
        }
    }

    /// Advances by `step_secs` of real time, unless paused. A time outside the range is first clamped
    /// to it. A range of length 0 stays at its start.
    ///
    /// A loop wraps past its end and not at it, so the last key shows if the time meets it exactly.
    pub fn advance(&mut self, step_secs: f64, duration_secs: f64) -> Option<PlayerEvent> {
        let step = step_secs * self.speed;
        if !self.playing || !step.is_finite() {
            return None;
        }
        let [start, end] = self.range_secs(duration_secs);
        let (from, length) = (self.time_secs.clamp(start, end), end - start);
        if length <= 0.0 {
            self.time_secs = start;
            return None;
        }
        let time = from + step;
        match self.repeat {
            Repeat::Loop => {
                self.time_secs = looped(time, start, end);
                let times = ((time - self.time_secs) / length).round().abs() as u64;
                (times > 0).then_some(PlayerEvent::Looped(times))
            }
            Repeat::Once => {
                self.time_secs = time.clamp(start, end);
                self.playing = time == self.time_secs;
                (!self.playing).then_some(PlayerEvent::Ended)
            }
            Repeat::PingPong => {
                // One lap, there and back, has twice the length of the range.
                let lap = 2.0 * length;
                let from = if self.returning { lap - (from - start) } else { from - start };
                let at = (from + step).rem_euclid(lap);
                self.returning = at > length;
                self.time_secs = start + if self.returning { lap - at } else { at };
                let (from, to) = (from / length, (from + step) / length);
                let turns =
                    if step < 0.0 { from.ceil() - to.ceil() } else { to.floor() - from.floor() };
                let turns = turns as u64;
                (turns > 0).then_some(PlayerEvent::Looped(turns))
            }
        }
    }
}

/// Wraps a time into the loop from `start_secs` to `end_secs`, any number of times in either
/// direction. Times at the two ends are not wrapped. A loop of length 0 or less and a time that is
/// not finite give the start.
pub fn looped(time_secs: f64, start_secs: f64, end_secs: f64) -> f64 {
    let length = end_secs - start_secs;
    if (start_secs..=end_secs).contains(&time_secs) {
        time_secs
    } else if time_secs.is_finite() && length > 0.0 {
        (start_secs + (time_secs - start_secs).rem_euclid(length)).min(end_secs)
    } else {
        start_secs
    }
}

fn clamp(time_secs: f64, duration_secs: f64) -> f64 {
    if time_secs.is_nan() { 0.0 } else { time_secs.clamp(0.0, duration_secs.max(0.0)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(repeat: Repeat, steps: &[f64]) -> (f64, bool) {
        let mut player = Player::default();
        player.set_repeat(repeat);
        for step in steps {
            player.advance(*step, 2.0);
        }
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
    fn only_once_starts_again_and_only_from_its_end() {
        let toggled = |repeat, speed, time| {
            let mut player = Player { speed, ..Player::default() };
            player.set_repeat(repeat);
            player.seek(time, 2.0);
            player.toggle(2.0);
            (player.time_secs(), player.playing)
        };
        assert_eq!(toggled(Repeat::Once, 1.0, 1.5), (1.5, true));
        assert_eq!(toggled(Repeat::Once, 1.0, 2.0), (0.0, true));
        assert_eq!(toggled(Repeat::Once, 0.0, 2.0), (0.0, true));
        assert_eq!(toggled(Repeat::Once, -1.0, 1.5), (1.5, true));
        assert_eq!(toggled(Repeat::Once, -1.0, 2.0), (2.0, true));
        assert_eq!(toggled(Repeat::Once, -1.0, 0.0), (2.0, true));
        assert_eq!(toggled(Repeat::Loop, 1.0, 2.0), (2.0, true));
        let mut player = Player::default();
        player.set_repeat(Repeat::Once);
        player.advance(2.0, 2.0);
        player.toggle(2.0);
        assert_eq!((player.time_secs(), player.playing), (2.0, false), "paused at the end");
    }

    #[test]
    fn rewinding_goes_to_the_start_and_plays_on_from_there() {
        let mut player = Player::default();
        player.set_repeat(Repeat::PingPong);
        player.advance(3.5, 2.0);
        player.rewind();
        assert_eq!((player.time_secs(), player.playing), (0.0, true));
        assert_eq!(player.repeat(), Repeat::PingPong);
        player.advance(0.5, 2.0);
        assert_eq!(player.time_secs(), 0.5, "forwards again");
    }

    #[test]
    fn ping_pong_turns_round_at_both_points_of_a_range() {
        let mut player = Player::default();
        player.set_repeat(Repeat::PingPong);
        player.set_in(0.5);
        player.set_out(1.5);
        let mut times = Vec::new();
        for _ in 0..6 {
            player.advance(0.75, 4.0);
            times.push(player.time_secs());
        }
        assert_eq!(times, [1.25, 1.0, 0.75, 1.5, 0.75, 1.0]);
        player.speed = -1.0;
        assert_eq!(player.advance(4.25, 4.0), Some(PlayerEvent::Looped(4)));
        assert_eq!(player.time_secs(), 0.75);
    }

    #[test]
    fn a_range_may_be_an_instant() {
        let mut player = Player::default();
        player.set_out(1.0);
        player.set_in(1.0);
        assert_eq!(player.range_secs(2.0), [1.0, 1.0]);
        player.set_out(1.0);
        assert_eq!(player.range_secs(2.0), [1.0, 1.0]);
    }

    #[test]
    fn a_loop_starts_again_from_a_time_that_is_no_number() {
        for time in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(looped(time, 1.0, 3.0), 1.0, "{time}");
        }
        assert_eq!(looped(5.0, 1.0, 1.0), 1.0);
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

    #[test]
    fn playing_keeps_to_the_range_and_seeking_to_the_clip() {
        let mut player = Player::default();
        player.set_in(0.5);
        player.set_out(1.5);
        assert_eq!((player.range_secs(2.0), player.has_range()), ([0.5, 1.5], true));
        player.advance(0.25, 2.0);
        assert_eq!(player.time_secs(), 0.75);
        assert_eq!(player.advance(1.0, 2.0), Some(PlayerEvent::Looped(1)));
        assert_eq!(player.time_secs(), 0.75);
        player.seek(1.9, 2.0);
        assert_eq!(player.time_secs(), 1.9);
        player.toggle(2.0);
        player.advance(0.125, 2.0);
        assert_eq!(player.time_secs(), 0.625);
        // A shorter clip clamps the range, and a point past the other one clears that.
        assert_eq!(player.range_secs(1.0), [0.5, 1.0]);
        player.set_out(0.25);
        assert_eq!(player.range_secs(2.0), [0.0, 0.25]);
        player.set_in(1.0);
        assert_eq!(player.range_secs(2.0), [1.0, 2.0]);
        player.clear_range();
        assert_eq!((player.range_secs(2.0), player.has_range()), ([0.0, 2.0], false));
    }

    #[test]
    fn backwards_everything_is_the_other_way_round() {
        let mut player = Player { speed: -1.0, ..Player::default() };
        assert_eq!(player.advance(0.5, 2.0), Some(PlayerEvent::Looped(1)));
        assert_eq!(player.time_secs(), 1.5);
        player.set_repeat(Repeat::Once);
        assert_eq!(player.advance(5.0, 2.0), Some(PlayerEvent::Ended));
        assert_eq!((player.time_secs(), player.playing), (0.0, false));
        player.toggle(2.0);
        assert_eq!(player.time_secs(), 2.0);
        player.set_repeat(Repeat::PingPong);
        assert_eq!(player.advance(2.5, 2.0), Some(PlayerEvent::Looped(1)));
        assert_eq!(player.time_secs(), 0.5);
        player.advance(0.5, 2.0);
        assert_eq!(player.time_secs(), 1.0);
    }

    #[test]
    fn events_say_how_often_it_went_round() {
        let events = |repeat, steps: &[f64]| {
            let mut player = Player::default();
            player.set_repeat(repeat);
            steps.iter().map(|s| player.advance(*s, 2.0)).collect::<Vec<_>>()
        };
        let looped = |n| Some(PlayerEvent::Looped(n));
        assert_eq!(events(Repeat::Loop, &[2.0, 0.5, 7.0]), [None, looped(1), looped(3)]);
        assert_eq!(events(Repeat::PingPong, &[1.5, 1.0, 1.0, 1.0, 8.0]), {
            [None, looped(1), None, looped(1), looped(4)]
        });
        assert_eq!(events(Repeat::Once, &[1.0, 1.0, 1.0, 1.0]), {
            [None, None, Some(PlayerEvent::Ended), None]
        });
    }

    #[test]
    fn frames_and_ticks_tell_the_same_time() {
        let mut player = Player::default();
        player.seek(1.5, 2.0);
        assert_eq!(player.time_in(TimeBase::per_sec(24.0)), 36.0);
        assert_eq!(player.time_in(TimeBase::per_sec(0.0)), 37.5);
        player.step_frames(-1, TimeBase::per_sec(0.0), 2.0);
        assert_eq!(player.time_secs(), 37.0 / 25.0);
        player.step_frames(1000, TimeBase::per_sec(24.0), 2.0);
        assert_eq!((player.time_secs(), player.playing), (2.0, false));
    }

    #[test]
    fn ten_hours_of_a_range_at_odd_speeds_drift_less_than_a_millisecond() {
        for speed in [-1.0, 0.3, 1.7] {
            let mut player = Player { speed, ..Player::default() };
            player.set_in(0.2);
            player.set_out(1.0);
            player.seek(0.2, 1.25);
            player.playing = true;
            for _ in 0..10 * 3600 * 60 {
                player.advance(1.0 / 60.0, 1.25);
            }
            let want = (36_000.0 * speed).rem_euclid(0.8);
            let off = (player.time_secs() - 0.2 - want).rem_euclid(0.8);
            assert!(off.min(0.8 - off) < 1e-3, "{speed}: {off}");
        }
    }

    proptest! {
        #[test]
        fn a_loop_holds_any_time_in_either_direction(
            time in prop_oneof![-1e6f64..1e6, -1e-12f64..1e-12, prop::num::f64::ANY],
            (start, length) in (0.0f64..10.0, 0.0f64..10.0),
        ) {
            let at = looped(time, start, start + length);
            prop_assert!(at >= start && at <= start + length, "{}", at);
            if time.abs() < 1e6 && length > 1e-3 {
                // The difference is a whole number of lengths.
                let laps = (time - at) / length;
                prop_assert!((laps - laps.round()).abs() * length < 1e-6, "{}", laps);
            }
        }

        #[test]
        fn no_sequence_of_orders_leaves_the_clip(
            orders in prop::collection::vec((0usize..8, -5.0f64..5.0), 1..60),
            duration in prop_oneof![Just(0.0), 0.01f64..4.0],
        ) {
            let mut player = Player::default();
            for (order, x) in orders {
                match order {
                    0 => player.seek(x, duration),
                    1 => player.set_in(x),
                    2 => player.set_out(x),
                    3 => player.speed = x,
                    4 => player.set_repeat([Repeat::Loop, Repeat::Once, Repeat::PingPong][x.abs() as usize % 3]),
                    5 => player.toggle(duration),
                    _ => {
                        player.advance(x, duration);
                    }
                }
                let time = player.time_secs();
                prop_assert!((0.0..=duration).contains(&time), "{} of {}", time, duration);
            }
        }
    }
}
