//! Two models that are laid out once: to be compared as a whole, and to be measured at single instants.

use glam::DVec3;

use super::cause::turn;
use super::error::ComparisonError;
use super::heat::{furthest_per_point, matt, paint};
use super::measured::Measured;
use super::model_difference::ModelDifference;
use super::models::Comparison;
use super::motion::PosedPair;
use super::motion::spans::ClipPair;
use super::progress::CompareProgress;
use super::side::{Posed, Side};
use rigview_model::{Model, VertexPlace, WorkLimit};

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

/// How far two models are apart at an instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Apart {
    /// The distance of each point of A, then of each point of B, from the same place of the other model, in metres. `None` for
    /// points without a counterpart.
    pub points: [Vec<Option<f32>>; 2],
    /// Where they are farthest apart; `None` if no points are measured.
    pub farthest: Option<FarthestPoints>,
    /// The node of A whose own transform moves the farthest point most, or else differs most; `None` if none differs.
    pub cause: Option<usize>,
    /// The difference of that node's rotation in degrees.
    pub angle: f64,
}

/// The points of two models that are farthest apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FarthestPoints {
    /// In metres; infinite if only one of both has a place.
    pub distance: f64,
    /// A vertex of A and of B at the points.
    pub vertices: [VertexPlace; 2],
    /// Their places in the scene.
    pub places: [DVec3; 2],
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

    /// Measures an instant. Clips that a model does not have count as the rest pose.
    pub fn apart(&mut self, moment: Moment) -> Apart {
        let clips = self.clips(moment);
        let Self { comparison, posed } = self;
        let (rigs, sides) = (comparison.rigs(), [&comparison.a, &comparison.b]);
        posed.pose(&rigs, clips, moment.time_secs);
        let points = sides.map(|side| vec![None; side.motion.len()]);
        let mut apart = Apart { points, ..Apart::default() };
        let mut vertex = None;
        if let Some(measured @ Measured::Points(points)) = &comparison.measured {
            let distances = posed.distances(measured);
            apart.points = [0, 1].map(|side| {
                // A point on a triangle of the other model says nothing about the triangle's corners.
                let own = |pair: usize| match pair.checked_sub(points.pairs.len()) {
                    None => Some(points.pairs[pair][side] as usize),
                    Some(foot) => {
                        let foot = &points.feet[foot];
                        (foot.side == side).then_some(foot.point as usize)
                    }
                };
                let all = distances.iter().enumerate();
                let own = all.filter_map(|(pair, distance)| Some((own(pair)?, *distance)));
                furthest_per_point(sides[side].motion.len(), own)
            });
            let by_distance = |x: &usize, y: &usize| distances[*x].total_cmp(&distances[*y]);
            if let Some(pair) = (0..distances.len()).rev().max_by(by_distance) {
                let [[a], [b]] = points.places(
                    pair,
                    |point| [posed.a.points()[point as usize]],
                    |point| [posed.b.points()[point as usize]],
                );
                let of = points.points(pair).map(|point| point as usize);
                let vertices = [0, 1].map(|side| sides[side].motion.place(of[side]));
                let origins = [&posed.a, &posed.b].map(|posed| posed.stage.origin);
                let places = [a.as_dvec3() + origins[0], b.as_dvec3() + origins[1]];
                let distance = f64::from(distances[pair]);
                apart.farthest = Some(FarthestPoints { distance, vertices, places });
                vertex = Some((of[0], a));
            }
        }
        // If no transform differs, none moves the point.
        let most = rigs.cause(&posed.a, &posed.b, None);
        apart.cause = most.and_then(|_| rigs.cause(&posed.a, &posed.b, vertex));
        if let Some(a) = apart.cause
            && let Some(b) = rigs.nodes.b_of(a)
        {
            let rotation = |posed: &Posed, node| posed.stage.local.transform(node).rotation;
            let angle = turn(rotation(&posed.a, a), rotation(&posed.b, b));
            apart.angle = f64::from(angle).to_degrees();
        }
        apart
    }

    /// Returns the number in [`Apart::points`] of each vertex of a primitive of B, `None` for vertices that no index uses.
    pub fn points_of_b(&self, node: usize, primitive: usize) -> Vec<Option<usize>> {
        self.comparison.b.motion.points_of(node, primitive).collect()
    }

    fn clips(&self, moment: Moment) -> ClipPair<'a> {
        let [a, b] = moment.clips;
        let Comparison { a: Side { model: of_a, .. }, b: Side { model: of_b, .. }, .. } =
            &self.comparison;
        ClipPair {
            a: a.and_then(|clip| of_a.clips.get(clip)),
            b: b.and_then(|clip| of_b.clips.get(clip)),
        }
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
        let clips = self.clips(moment);
        let Self { comparison, posed } = self;
        let Some(measured @ Measured::Points(points)) = &comparison.measured else { return 0.0 };
        posed.pose(&comparison.rigs(), clips, moment.time_secs);
        let of_a = (0..points.len()).map(|pair| points.points(pair)[0] as usize);
        let of_a = of_a.zip(posed.distances(measured));
        let distances = furthest_per_point(comparison.a.motion.len(), of_a);
        paint(&comparison.a, model, &distances, hottest as f32);
        f64::from(distances.into_iter().flatten().fold(0.0, f32::max))
    }
}
