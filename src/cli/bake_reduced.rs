//! Reduced keys for `bake`, within a bound that holds to the clip itself, and not only to the samples of it.

use super::bake_args::BakeArgs;
use super::failure::Failure;
use crate::anim::Clip;
use crate::compare::distances;
use crate::import::escaped;
use crate::model::Model;
use crate::report::{ClipForm, FormOptions, clip_in_form};

/// How often a clip is reduced less, if the result exceeds the bound between the instants that the reduction looks at.
const ATTEMPTS: usize = 4;

/// A clip of fewer keys.
pub struct ReducedClip {
    pub clip: Clip,
    /// The largest distance at the skin from the clip before sampling and reduction, in millimetres.
    pub distance_mm: f64,
}

/// Reduces clips within the bound of the arguments: their samples, or, where these are too far off, their own keys.
/// `sampled` is empty, or has the samples of each clip.
///
/// # Errors
/// If the distance can't be measured.
pub fn reduced(
    args: &BakeArgs,
    model: &Model,
    clips: &[Clip],
    sampled: &[Clip],
) -> Result<Vec<ReducedClip>, Failure> {
    let mut ruler = Ruler { args, before: model.clone(), after: model.clone() };
    let reduced = clips.iter().enumerate().map(|(i, clip)| ruler.reduce(clip, sampled.get(i)));
    reduced.collect()
}

/// Measures clips on two copies of a model.
struct Ruler<'a> {
    args: &'a BakeArgs,
    before: Model,
    after: Model,
}

impl Ruler<'_> {
    fn reduce(&mut self, clip: &Clip, sampled: Option<&Clip>) -> Result<ReducedClip, Failure> {
        self.before.clips = vec![clip.clone()];
        let bound = self.args.bound;
        if let Some(samples) = sampled {
            let off = self.distance_mm(samples)?;
            if let Some(reduced) = self.within(samples, bound - off)? {
                return Ok(reduced);
            }
            let name = escaped(clip.name().unwrap_or_default());
            let what = format!(
                "--form reduced: the samples of clip \"{name}\" are {off:.4} mm off at the skin, beyond the bound of {bound} mm: \
                 its own keys are reduced; more keys per second (--fps) keep the samples"
            );
            log::warn!("{}", self.args.about(&what));
        }
        let reduced = self.within(clip, bound)?;
        Ok(reduced.unwrap_or_else(|| ReducedClip { clip: clip.clone(), distance_mm: 0.0 }))
    }

    /// Reduces keys until the bound holds; `None` if it does not. `room` is what the keys themselves leave of the bound.
    fn within(&mut self, keys: &Clip, room: f64) -> Result<Option<ReducedClip>, Failure> {
        let mut bound_mm = self.args.bound;
        for _ in 0..ATTEMPTS {
            if room <= 0.0 {
                break;
            }
            let options = FormOptions { bound_mm, ..FormOptions::default() };
            let clip = clip_in_form(&self.before, keys, ClipForm::Reduced, options)
                .map_err(|e| Failure::Usage(format!("--form reduced: {e}")))?;
            let distance_mm = self.distance_mm(&clip)?;
            if distance_mm <= self.args.bound {
                return Ok(Some(ReducedClip { clip, distance_mm }));
            }
            bound_mm = (0.5 * bound_mm).min(room);
        }
        Ok(None)
    }

    /// Returns the largest distance of a clip from the one before at the skin, in millimetres.
    fn distance_mm(&mut self, clip: &Clip) -> Result<f64, Failure> {
        self.after.clips = vec![clip.clone()];
        let distances = distances(&self.before, &self.after)
            .map_err(|e| Failure::Output(self.args.about(&escaped(&e.to_string()))))?;
        let clips = distances.unwrap_or_default().clips;
        Ok(1e3 * clips.get(&0).copied().unwrap_or(0.0))
    }
}
