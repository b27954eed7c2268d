//! Clips of fewer keys, within a bound that holds to the clip itself, and not only to the samples of it.

use rigview_anim::Clip;
use rigview_compare::{ComparisonError, distances};
use rigview_model::Model;
use rigview_report::{ClipForm, FormError, FormOptions, clip_in_form};

/// How often a clip is reduced less, if the result exceeds the bound between the instants that the reduction looks at.
const ATTEMPTS: usize = 4;

/// A clip of fewer keys.
#[derive(Clone, Debug)]
pub struct ReducedClip {
    /// The clip.
    pub clip: Clip,
    /// The largest distance at the skin from the clip before sampling and reduction, in millimetres.
    pub distance_mm: f64,
    /// How far the samples are from the clip, in millimetres at the skin, if that is too far for them to be reduced; the
    /// clip's own keys are reduced then.
    pub samples_off_mm: Option<f64>,
}

/// Why a clip can't be reduced.
#[derive(Debug, thiserror::Error)]
pub enum ReduceError {
    /// The clip can't be sampled.
    #[error("{0}")]
    Form(#[from] FormError),
    /// Measuring the skin would take too much memory or time.
    #[error("measuring the skin: {0}")]
    Unmeasured(#[from] ComparisonError),
}

/// Reduces clips of a model within a bound in millimetres at the skin: their samples, or, where these are too far off, their
/// own keys. `sampled` is empty, or has the samples of each clip.
///
/// # Errors
/// If a clip is too long to be sampled, or the distance can't be measured.
pub fn reduced_clips(
    model: &Model,
    clips: &[Clip],
    sampled: &[Clip],
    bound_mm: f64,
) -> Result<Vec<ReducedClip>, ReduceError> {
    let mut ruler = Ruler { before: model.clone(), after: model.clone(), bound_mm };
    let reduced = clips.iter().enumerate().map(|(i, clip)| ruler.reduce(clip, sampled.get(i)));
    reduced.collect()
}

/// Measures clips on two copies of a model.
struct Ruler {
    before: Model,
    after: Model,
    bound_mm: f64,
}

impl Ruler {
    fn reduce(&mut self, clip: &Clip, sampled: Option<&Clip>) -> Result<ReducedClip, ReduceError> {
        self.before.clips = vec![clip.clone()];
        let mut samples_off_mm = None;
        if let Some(samples) = sampled {
            let off = self.distance_mm(samples)?;
            if let Some(reduced) = self.within(samples, self.bound_mm - off)? {
                return Ok(reduced);
            }
            samples_off_mm = Some(off);
        }
        let whole = || ReducedClip { clip: clip.clone(), distance_mm: 0.0, samples_off_mm };
        let reduced = self.within(clip, self.bound_mm)?;
        Ok(reduced.map_or_else(whole, |reduced| ReducedClip { samples_off_mm, ..reduced }))
    }

    /// Reduces keys until the bound holds; `None` if it does not. `room` is what the keys themselves leave of the bound.
    fn within(&mut self, keys: &Clip, room: f64) -> Result<Option<ReducedClip>, ReduceError> {
        let mut bound_mm = self.bound_mm;
        for _ in 0..ATTEMPTS {
            if room <= 0.0 {
                break;
            }
            let options = FormOptions { bound_mm, ..FormOptions::default() };
            let clip = clip_in_form(&self.before, keys, ClipForm::Reduced, options)?;
            let distance_mm = self.distance_mm(&clip)?;
            if distance_mm <= self.bound_mm {
                return Ok(Some(ReducedClip { clip, distance_mm, samples_off_mm: None }));
            }
            bound_mm = (0.5 * bound_mm).min(room);
        }
        Ok(None)
    }

    /// Returns the largest distance of a clip from the one before at the skin, in millimetres.
    fn distance_mm(&mut self, clip: &Clip) -> Result<f64, ReduceError> {
        self.after.clips = vec![clip.clone()];
        let clips = distances(&self.before, &self.after)?.unwrap_or_default().clips;
        Ok(1e3 * clips.get(&0).copied().unwrap_or(0.0))
    }
}
