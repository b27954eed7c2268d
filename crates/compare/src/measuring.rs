//! Two models that are laid out once: to be compared as a whole, and to be measured at single instants.

use super::error::ComparisonError;
use super::heat::{furthest_per_point, matt, paint};
use super::measured::Measured;
use super::model_difference::ModelDifference;
use super::models::Comparison;
use super::motion::PosedPair;
use super::motion::spans::ClipPair;
use super::progress::CompareProgress;
use rigview_model::{Model, WorkLimit};

/// Two models, A and B, laid out to be measured.
///
/// ```
/// use rigview_compare::{Measuring, Moment};
/// use rigview_import::{ImportOptions, load};
///
/// let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/creature.glb");
/// let a = load(file.as_ref(), &ImportOptions::default())?.model;
/// let mut measuring = Measuring::new(&a, &a)?;
/// let mut model = measuring.heat_model().expect("it has a mesh");
/// let moment = Moment { clips: [Some(0), Some(0)], time_secs: 0.1 };
/// assert_eq!(measuring.heat(&mut model, moment, 1.0), 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Measuring<'a> {
    comparison: Comparison<'a>,
    posed: PosedPair,
}

/// An instant of a pair of clips.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moment {
    /// Indices of the clips of A and of B; `None` for the rest pose.
    pub clips: [Option<usize>; 2],
    /// In seconds; the clip that ends first holds its last pose.
    pub time_secs: f64,
}

impl<'a> Measuring<'a> {
    /// Lays out two models: their default scenes.
    ///
    /// # Errors
    /// If the data that this needs does not fit in a model's budget.
    pub fn new(a: &'a Model, b: &'a Model) -> Result<Self, ComparisonError> {
        let comparison = Comparison::new(a, b)?;
        let posed = PosedPair::new(&comparison.a, &comparison.b);
        Ok(Self { comparison, posed })
    }

    /// Compares everything, as [`models`](super::models()) does. If it is cancelled, clips are left out.
    ///
    /// # Errors
    /// If the clips are too long to be compared.
    pub fn difference(
        &self,
        progress: &CompareProgress,
    ) -> Result<ModelDifference, ComparisonError> {
        self.comparison.difference(WorkLimit::default(), progress)
    }

    /// Returns A for [`Measuring::heat`] to colour: its materials are all matt, nodes have meshes of their own. `None`
    /// if no mesh of both models can be paired.
    pub fn heat_model(&self) -> Option<Model> {
        matches!(self.comparison.measured, Some(Measured::Points(_)))
            .then(|| matt(&self.comparison.a))
    }

    /// Colours the vertices of [`Measuring::heat_model`] by their distance from B at an instant
    /// ([`heat_color`](super::heat_color)); `hottest` is the distance in metres of the hottest colour. Vertices
    /// without a counterpart in B are grey. Returns the largest distance in metres. Clips that a model does not have
    /// count as the rest pose.
    pub fn heat(&mut self, model: &mut Model, moment: Moment, hottest: f64) -> f64 {
        let Self { comparison, posed } = self;
        let Some(measured @ Measured::Points(points)) = &comparison.measured else { return 0.0 };
        let [a, b] = moment.clips;
        let clips = ClipPair {
            a: a.and_then(|clip| comparison.a.model.clips.get(clip)),
            b: b.and_then(|clip| comparison.b.model.clips.get(clip)),
        };
        posed.pose(&comparison.rigs(), clips, moment.time_secs);
        let of_a = (0..points.len()).map(|pair| points.points(pair)[0] as usize);
        let of_a = of_a.zip(posed.distances(measured));
        let distances = furthest_per_point(comparison.a.motion.len(), of_a);
        paint(&comparison.a, model, &distances, hottest as f32);
        f64::from(distances.into_iter().flatten().fold(0.0, f32::max))
    }
}
