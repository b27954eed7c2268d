//! The error of a picture as an engine would show it: skins with fewer influences and coarser weights, clips in a
//! smaller form.

use serde::Serialize;

use rigview_anim::{Clip, instants};
use rigview_model::{
    Model, OverBudget, PointPositions, PrimitiveSkin, SkinForm, SkinMotion, Stage, VertexPlace,
};

/// The largest distance between a vertex as the file poses it and as it is shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SkinError {
    /// At the shown instant, in millimetres.
    pub now_mm: f64,
    /// That instant in seconds.
    pub now_secs: f64,
    /// Over the clip, in millimetres: at all its keys, and 30 times per second.
    pub clip_mm: f64,
    /// The time of that, in seconds.
    pub clip_secs: f64,
    /// The vertex with the largest error at the shown instant; `None` if no vertex has any.
    pub now_vertex: Option<WorstVertex>,
    /// The vertex with the largest error over the clip; `None` if no vertex has any.
    pub clip_vertex: Option<WorstVertex>,
}

/// The vertex with the largest error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct WorstVertex {
    /// The node that draws it.
    pub node: usize,
    /// The primitive of the node's mesh.
    pub primitive: usize,
    /// Its index in the file.
    pub vertex: u32,
    /// The node of the joint with the largest weight in the file; `None` if no joint moves it.
    pub joint: Option<usize>,
}

/// What is shown, to find its error.
#[derive(Debug)]
pub struct ShownSkin {
    /// The model with the joints and weights of the file.
    pub exact: Model,
    /// The form of the skins that are shown.
    pub form: SkinForm,
    /// The shown scene in its present pose: as the file's clip gives it, and as it is shown.
    pub stages: [Stage; 2],
    /// The clip as the file has it, and as it is shown; `None` at rest.
    pub clips: Option<[Clip; 2]>,
    /// The clip's time.
    pub time_secs: f64,
}

impl ShownSkin {
    /// Finds the largest error. It poses all vertices at many instants: not to be done within a frame.
    ///
    /// # Errors
    /// If the vertices do not fit in the model's budget.
    pub fn error(mut self) -> Result<SkinError, OverBudget> {
        let mut other = self.exact.clone();
        self.form.apply(&mut other);
        let motions =
            [&self.exact, &other].map(|model| SkinMotion::new(model, &self.stages[0].nodes));
        let [a, b] = motions;
        let pair = Pair { models: [&self.exact, &other], motions: [a?, b?] };
        let joined = pair.points();
        let now = &mut self.stages;
        let (now_mm, worst) = pair.largest(now, &joined);
        let mut error = SkinError {
            now_mm,
            now_secs: self.time_secs,
            now_vertex: worst.map(|point| pair.vertex(point)),
            clip_secs: self.time_secs,
            ..SkinError::default()
        };
        let mut worst = None;
        let Some([exact, shown]) = &self.clips else { return Ok(error) };
        for time in instants(&[exact]) {
            for (stage, clip) in now.iter_mut().zip([exact, shown]) {
                stage.pose(&self.exact, Some(clip), time);
            }
            let (mm, point) = pair.largest(now, &joined);
            if mm > error.clip_mm {
                (error.clip_mm, error.clip_secs, worst) = (mm, time, point);
            }
        }
        error.clip_vertex = worst.map(|point| pair.vertex(point));
        Ok(error)
    }
}

/// Two models that differ in their joints and weights alone.
struct Pair<'a> {
    models: [&'a Model; 2],
    motions: [SkinMotion; 2],
}

impl Pair<'_> {
    /// Returns the points of both models that a vertex is posed by, each pair once.
    fn points(&self) -> Vec<[usize; 2]> {
        let model = self.models[0];
        let mut pairs = Vec::new();
        for (index, node) in model.nodes.iter().enumerate() {
            let count = node.mesh.map_or(0, |mesh| model.meshes[mesh].primitives.len());
            for primitive in 0..count {
                let [a, b] = [0, 1].map(|i| self.motions[i].points_of(index, primitive));
                pairs.extend(a.zip(b).filter_map(|(a, b)| Some([a?, b?])));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// Returns the largest distance in millimetres, and the point of the first model that has it, if it is not 0.
    fn largest(&self, stages: &[Stage; 2], pairs: &[[usize; 2]]) -> (f64, Option<usize>) {
        let mut posed: [PointPositions; 2] = Default::default();
        for i in 0..2 {
            self.motions[i].pose(self.models[i], &stages[i], &mut posed[i]);
        }
        let [a, b] = &posed;
        let off = |[i, j]: &[usize; 2]| a.positions()[*i].distance(b.positions()[*j]);
        let worst = pairs.iter().map(|pair| (off(pair), pair[0]));
        let worst = worst.filter(|(off, _)| *off > 0.0 && off.is_finite());
        match worst.max_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((metres, point)) => (1000.0 * f64::from(metres), Some(point)),
            None => (0.0, None),
        }
    }

    /// Returns the first vertex of a point of the first model.
    fn vertex(&self, point: usize) -> WorstVertex {
        let (model, motion) = (self.models[0], &self.motions[0]);
        let VertexPlace { node, primitive, vertex } = motion.place(point);
        let mesh = model.nodes[node].mesh.map(|mesh| &model.meshes[mesh]);
        let vertex = mesh.map_or(vertex, |mesh| mesh.primitives[primitive].index_in_file(vertex));
        let mut most: Option<(f32, usize)> = None;
        motion.for_each_influence(point, |(skin, joint, weight)| {
            if most.is_none_or(|(largest, _)| weight > largest) {
                most = Some((weight, model.skins[skin].joints[usize::from(joint)] as usize));
            }
        });
        WorstVertex { node, primitive, vertex, joint: most.map(|(_, joint)| joint) }
    }
}

/// Returns a copy of a model with other joints and weights: those of each primitive that has any, in the file's order.
pub fn with_skins(model: &Model, skins: &[PrimitiveSkin]) -> Model {
    let mut model = model.clone();
    let primitives = model.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives);
    let skinned = primitives.filter(|primitive| primitive.influences.is_some());
    skinned.zip(skins).for_each(|(primitive, skin)| primitive.restore_skin(skin));
    model
}
