//! The times at which a clip is sampled.

/// Frames per second of the finest grid.
const RATE: f64 = 30.0;

/// The largest distance of frames, in frames of the finest grid: one second.
const COARSEST: u32 = 30;

/// Evenly spaced times from 0 to the end of a clip. The last step may be shorter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// The distance of two frames in units of 1/30 s, 1 to 30.
    pub every: u32,
    /// The time of the last frame in seconds, 0 or more.
    pub duration_secs: f64,
}

impl Grid {
    /// Returns a grid; `None` if a value is out of range or there would be more than 2^31 frames.
    pub fn new(every: u32, duration_secs: f64) -> Option<Self> {
        let in_range = (1..=COARSEST).contains(&every)
            && (0.0..f64::from(i32::MAX) / RATE).contains(&duration_secs);
        in_range.then_some(Self { every, duration_secs })
    }

    /// Returns the finest grid that fits, of those whose step is a multiple of `every`.
    pub fn finest(duration_secs: f64, every: u32, fits: impl Fn(&Self) -> bool) -> Option<Self> {
        let multiples = (1..=COARSEST).map(|n| n.saturating_mul(every));
        multiples.filter_map(|every| Self::new(every, duration_secs)).find(fits)
    }

    /// Number of frames, at least 1.
    pub fn frames(&self) -> usize {
        // An end that is a rounding error past a frame is that frame.
        let steps = self.duration_secs * self.rate() - 1e-3;
        1 + steps.max(0.0).ceil() as usize
    }

    /// Frames per second.
    pub fn rate(&self) -> f64 {
        RATE / f64::from(self.every)
    }

    /// Returns the time of a frame in seconds.
    pub fn time(&self, frame: usize) -> f64 {
        match frame + 1 < self.frames() {
            true => frame as f64 / self.rate(),
            false => self.duration_secs,
        }
    }

    /// Returns the frame at a time, or the nearest one.
    pub fn frame_at(&self, time_secs: f64) -> usize {
        let last = self.frames() - 1;
        match time_secs < self.time(last) {
            true => ((time_secs * self.rate()).round().max(0.0) as usize).min(last),
            false => last,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_a_frame() {
        let grid = Grid::new(1, 0.11).unwrap();
        let times: Vec<f64> = (0..grid.frames()).map(|frame| grid.time(frame)).collect();
        assert_eq!(times, [0.0, 1.0 / 30.0, 2.0 / 30.0, 0.1, 0.11]);
        assert_eq!(Grid::new(1, 0.1).unwrap().frames(), 4);
        assert_eq!(Grid::new(1, f64::from(0.1f32)).unwrap().frames(), 4);
        assert_eq!(Grid::new(1, 0.0).unwrap().frames(), 1);
        let coarse = Grid::new(3, 0.25).unwrap();
        assert_eq!((coarse.frames(), coarse.time(2), coarse.time(3)), (4, 0.2, 0.25));
    }

    #[test]
    fn times_find_their_frames() {
        for grid in [Grid::new(1, 0.11).unwrap(), Grid::new(7, 10.0).unwrap()] {
            for frame in 0..grid.frames() {
                assert_eq!(grid.frame_at(grid.time(frame)), frame);
            }
            assert_eq!(grid.frame_at(99.0), grid.frames() - 1);
        }
    }

    #[test]
    fn values_out_of_range_are_no_grid() {
        for (every, duration) in [(0, 1.0), (31, 1.0), (1, -1.0), (1, f64::NAN), (1, f64::INFINITY)]
        {
            assert_eq!(Grid::new(every, duration), None, "{every} {duration}");
        }
        assert_eq!(Grid::finest(1e30, 1, |_| true), None);
    }

    #[test]
    fn the_finest_that_fits_is_a_multiple() {
        let fits = |grid: &Grid| grid.frames() <= 11;
        assert_eq!(Grid::finest(1.0, 1, fits).unwrap().every, 3);
        assert_eq!(Grid::finest(1.0, 2, fits).unwrap().every, 4);
        assert_eq!(Grid::finest(100.0, 1, fits), None);
    }
}
