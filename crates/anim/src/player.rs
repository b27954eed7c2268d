//! The player: converts steps of real time to a time in a clip.
//!
//! It has no clock; the caller passes every step. It plays the range between the in and out points,
//! which default to the whole clip. Seeking pauses; stepping and scrubbing are seeks. It holds no
//! clip; methods that need the clip's duration take it as a parameter.

use super::TimeBase;

crate::named_enum! {
    /// The behaviour at the end of the range.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Repeat {
        /// Continues from the start.
        #[default]
        Loop = "loop",
        /// Stops at the end.
        Once = "once",
        /// Plays back in the other direction.
        PingPong = "ping-pong",
    }
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
    /// Whether playback stopped by itself, at the end.
    ended: bool,
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
            ended: false,
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
    /// and end; they replace points between which nothing of the clip is left.
    pub fn range_secs(&self, duration_secs: f64) -> [f64; 2] {
        let range = if self.is_collapsed(duration_secs) { WHOLE } else { self.range };
        range.map(|secs| clamp(secs, duration_secs))
    }

    /// Whether nothing of a clip of this duration is left between the in and out points.
    pub fn is_collapsed(&self, duration_secs: f64) -> bool {
        let [start, end] = self.range.map(|secs| clamp(secs, duration_secs));
        self.has_range() && end <= start
    }

    /// Returns the out point; `None` if it is not set.
    pub fn out_secs(&self) -> Option<f64> {
        Some(self.range[1]).filter(|secs| secs.is_finite())
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

    /// Whether playback stopped by itself at the end ([`Repeat::Once`]), and was not moved since.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Moves to a time, clamped to the clip rather than to the range, and pauses.
    pub fn seek(&mut self, time_secs: f64, duration_secs: f64) {
        self.playing = false;
        self.returning = false;
        self.ended = false;
        self.time_secs = clamp(time_secs, duration_secs);
    }

    /// Moves by this many frames and pauses. From between two frames, the first step goes to the
    /// adjacent frame in that direction.
    pub fn step_frames(&mut self, frames: i64, base: TimeBase, duration_secs: f64) {
        self.seek(base.stepped(self.time_secs, frames), duration_secs);
    }

    /// Moves to where playing a clip of this duration begins, without starting or pausing playback: to its start or, if it
    /// plays backwards once, to its end.
    pub fn rewind(&mut self, duration_secs: f64) {
        self.returning = false;
        self.ended = false;
        let backwards = self.repeat == Repeat::Once && self.speed < 0.0;
        self.time_secs = if backwards { clamp(f64::INFINITY, duration_secs) } else { 0.0 };
    }

    /// Starts or pauses playback. With [`Repeat::Once`], starting at the end restarts.
    pub fn toggle(&mut self, duration_secs: f64) {
        self.playing = !self.playing;
        self.ended = false;
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
    /// to it. A clip of length 0 stays at its start.
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
                self.ended = !self.playing;
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

/// Returns the time of a clip that repeats from 0 on beside another one, at a time of the other in seconds. Every whole multiple
/// of its duration shows its end, not its start, so that clips of 1 s and 2 s end together. Durations and key times are single
/// precision, so a multiple is met to within their rounding. A clip of length 0 and a time that is not finite give 0.
pub fn repeated(time_secs: f64, duration_secs: f64) -> f64 {
    let rounds = (time_secs / duration_secs).round();
    let rounding = time_secs * f64::from(f32::EPSILON);
    if rounds >= 1.0 && (time_secs - rounds * duration_secs).abs() <= rounding {
        return duration_secs;
    }
    looped(time_secs, 0.0, duration_secs)
}

fn clamp(time_secs: f64, duration_secs: f64) -> f64 {
    if time_secs.is_nan() { 0.0 } else { time_secs.clamp(0.0, duration_secs.max(0.0)) }
}
