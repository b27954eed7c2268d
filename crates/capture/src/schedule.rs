//! The times of a recording's frames.

/// Part of a frame by which a duration may miss a whole number of frames and still count as one: far above
/// the rounding error of a clip's duration in single precision.
const WHOLE: f64 = 1e-3;

/// When each frame of a recording is taken, and for how long it is shown.
///
/// A recording of D seconds at F frames per second has round(D F) frames, at least one. They divide D evenly,
/// so that a loop closes: the frame after the last one would be the first one again. If D is a whole number
/// of frames, they are exactly 1 / F apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// Time of the first frame in seconds.
    from_secs: f64,
    /// Length of the recorded range in seconds; 0 for a single instant.
    range_secs: f64,
    /// Duration of the recording in seconds.
    total_secs: f64,
    frames: u32,
    fps: f64,
}

impl Schedule {
    /// Returns the schedule that plays the range `from..to` of a clip, in seconds, `repeat` times.
    pub fn playing([from, to]: [f64; 2], repeat: u32, fps: f64) -> Self {
        let range_secs = (to - from).max(0.0);
        Self::new(from, range_secs, range_secs * f64::from(repeat), fps)
    }

    /// Returns the schedule that shows one instant for a duration in seconds.
    pub fn holding(at_secs: f64, total_secs: f64, fps: f64) -> Self {
        Self::new(at_secs, 0.0, total_secs, fps)
    }

    /// Returns how long a still pose is shown in seconds, unless another duration is asked for: 0, which is one frame, or as
    /// long as a turn of the camera takes.
    pub const fn still_secs(turntable: bool) -> f64 {
        if turntable { 4.0 } else { 0.0 }
    }

    fn new(from_secs: f64, range_secs: f64, total_secs: f64, fps: f64) -> Self {
        let frames = (total_secs * fps).round().clamp(1.0, f64::from(u32::MAX)) as u32;
        Self { from_secs, range_secs, total_secs, frames, fps }
    }

    /// Returns the schedule with as many frames as a limit of frames per second allows.
    pub fn at_most(self, fps: f64) -> Self {
        let most = (self.total_secs * fps + WHOLE).floor().max(1.0);
        Self { frames: self.frames.min(most as u32), ..self }
    }

    /// Number of frames; at least 1.
    pub fn frames(&self) -> u32 {
        self.frames
    }

    /// Frames per second as asked for.
    pub fn fps(&self) -> f64 {
        self.fps
    }

    /// Duration of the recording in seconds; 0 for a single instant.
    pub fn total_secs(&self) -> f64 {
        self.total_secs
    }

    /// Returns how many seconds of the recording precede a frame. The number of frames is a valid argument,
    /// and gives the recording's end.
    pub fn start_secs(&self, frame: u32) -> f64 {
        let whole = (self.total_secs * self.fps - f64::from(self.frames)).abs() <= WHOLE;
        if whole {
            f64::from(frame) / self.fps
        } else {
            self.total_secs * f64::from(frame) / f64::from(self.frames)
        }
    }

    /// Returns the time of the clip that a frame shows, in seconds.
    pub fn time_secs(&self, frame: u32) -> f64 {
        if self.range_secs == 0.0 {
            return self.from_secs;
        }
        let within = self.start_secs(frame) % self.range_secs;
        // The start of a repetition, less a rounding error.
        let ends = self.range_secs - within <= 2.0 * WHOLE / self.fps;
        self.from_secs + if ends { 0.0 } else { within }
    }

    /// Returns the part of the recording that precedes a frame, from 0 to less than 1.
    pub fn part(&self, frame: u32) -> f64 {
        f64::from(frame) / f64::from(self.frames)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_number_of_frames_has_exactly_their_times() {
        for fps in [24.0, 25.0, 29.97, 30.0, 60.0] {
            // As a file stores it, in single precision.
            let duration = f64::from((37.0 / fps) as f32);
            let schedule = Schedule::playing([0.0, duration], 1, fps);
            assert_eq!(schedule.frames(), 37);
            for frame in 0..37 {
                assert_eq!(schedule.time_secs(frame), f64::from(frame) / fps);
            }
        }
    }

    #[test]
    fn other_durations_are_divided_evenly() {
        let schedule = Schedule::playing([0.5, 1.2], 1, 12.0);
        assert_eq!(schedule.frames(), 8);
        for frame in 0..8 {
            let expected = 0.5 + 0.7 * f64::from(frame) / 8.0;
            assert!((schedule.time_secs(frame) - expected).abs() < 1e-12);
        }
        assert!((schedule.start_secs(8) - 0.7).abs() < 1e-12);
    }

    #[test]
    fn repetitions_start_at_the_first_frame_again() {
        let duration = f64::from(0.7_f32);
        let schedule = Schedule::playing([0.25, 0.25 + duration], 3, 30.0);
        assert_eq!(schedule.frames(), 63);
        for frame in 0..21 {
            for later in [21, 42] {
                let off = schedule.time_secs(frame + later) - schedule.time_secs(frame);
                assert!(off.abs() < 1e-6, "{frame}: {off}");
            }
        }
    }

    #[test]
    fn one_instant_is_one_frame_unless_it_lasts() {
        assert_eq!(Schedule::playing([0.3, 0.3], 5, 30.0).frames(), 1);
        let held = Schedule::holding(0.3, 2.0, 30.0);
        assert_eq!((held.frames(), held.time_secs(59), held.part(15)), (60, 0.3, 0.25));
    }

    #[test]
    fn a_limit_of_the_rate_lengthens_the_frames() {
        let schedule = Schedule::playing([0.0, 0.99], 1, 50.0);
        assert_eq!((schedule.frames(), schedule.at_most(50.0).frames()), (50, 49));
        let schedule = Schedule::playing([0.0, 1.0], 1, 50.0);
        assert_eq!((schedule.at_most(50.0).frames(), schedule.at_most(20.0).frames()), (50, 20));
        assert_eq!(Schedule::playing([0.0, 0.001], 1, 50.0).at_most(50.0).frames(), 1);
    }
}
