//! How long it takes to draw a crowd: a frame from sampling the clip to submitting the commands, and its time on
//! the GPU.

use std::time::{Duration, Instant};

use super::Crowd;
use rigview_render::{Gpu, GpuError};
use rigview_report::Spread;

/// Frames before the measured ones: the first ones build pipelines.
const WARM_UP: usize = 2;
/// The least and the largest number of measured frames, and the longest time for more than the least.
const LEAST_FRAMES: usize = 5;
const MOST_FRAMES: usize = 200;
const LONGEST: Duration = Duration::from_secs(10);

/// The least number of frames that [`Crowd::measure`] draws, for a budget of work.
pub const LEAST_DRAWN: usize = WARM_UP + LEAST_FRAMES;

/// How long frames of a crowd take.
#[derive(Clone, Debug)]
pub struct CrowdSpeed {
    /// Measured frames.
    pub frames: usize,
    /// Milliseconds per frame up to the submission.
    pub cpu_ms: Spread,
    /// The time on the GPU; `None` if the adapter has no timestamps.
    pub gpu: Option<GpuSpeed>,
}

/// Milliseconds per frame on the GPU.
#[derive(Clone, Debug)]
pub struct GpuSpeed {
    /// All passes together.
    pub whole: Spread,
    /// The median of each pass, by name.
    pub passes: Vec<(String, f64)>,
}

impl Crowd<'_> {
    /// Draws frames and measures them. `next` returns the time that follows a time, in seconds.
    ///
    /// # Errors
    /// As [`Crowd::draw`], and if the GPU fails meanwhile.
    pub fn measure(
        &mut self,
        gpu: &Gpu,
        next: &dyn Fn(f64) -> f64,
    ) -> Result<CrowdSpeed, GpuError> {
        for _ in 0..WARM_UP {
            self.draw(gpu)?;
            gpu.wait();
        }
        gpu.check()?;
        self.time_passes(gpu);
        let (mut times, begin) = (Vec::with_capacity(MOST_FRAMES), Instant::now());
        let mut passes: Vec<(String, Vec<f64>)> = Vec::new();
        let mut totals = Vec::with_capacity(MOST_FRAMES);
        while times.len() < LEAST_FRAMES || times.len() < MOST_FRAMES && begin.elapsed() < LONGEST {
            let start = Instant::now();
            self.times_secs.iter_mut().for_each(|time| *time = next(*time));
            self.draw(gpu)?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
            // Wait before the next frame, so that a software renderer does not compete with it for cores.
            gpu.wait();
            let stamped = self.pass_times(gpu);
            for (name, ms) in stamped {
                match passes.iter_mut().find(|(known, _)| known == name) {
                    Some((_, list)) => list.push(*ms),
                    None => passes.push((name.to_string(), vec![*ms])),
                }
            }
            if !stamped.is_empty() {
                totals.push(stamped.iter().map(|(_, ms)| ms).sum());
            }
        }
        gpu.check()?;
        let median = |(name, list): (String, Vec<f64>)| (name, Spread::new(list).median);
        let gpu = (!totals.is_empty()).then(|| GpuSpeed {
            whole: Spread::new(totals),
            passes: passes.into_iter().map(median).collect(),
        });
        Ok(CrowdSpeed { frames: times.len(), cpu_ms: Spread::new(times), gpu })
    }
}
