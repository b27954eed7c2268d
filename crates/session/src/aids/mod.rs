//! What is computed of the posed playback for the drawings that help to judge a rig: marks over vertices with faulty
//! weights, the numbers beside the heat of weights, the path of the root, and the points that are framed with the model.

pub(super) mod boxes;
mod onion;

use std::sync::Arc;

use glam::DVec3;

use crate::aids::boxes::{Boxes, ClipInputs};
use crate::aids::onion::Onion;
use crate::{ClipsId, HandPose, LayerSettings, LoadId, PickAnswer, Playback};
use rigview_look::{BindDistances, LegendRow, Look, Pass, Stroke};
use rigview_model::{
    DrawnPrimitive, Model, RootMotion, SceneBox, Stage, Trail, TrailDetail, joint_hull,
};
use rigview_report::{
    ClipForm, JointWeights, WeightFault, joint_weights, skin_offsets_from_bind, weight_at,
    weight_faults,
};

/// The drawings, as [`Look::aids`](rigview_look::Look::aids) asks for them.
#[derive(Debug, Default)]
pub(super) struct Drawings {
    pub(super) onion: Onion,
    pub(super) root: KeptRoot,
    /// Of the first model, and of the one beside it.
    pub(super) boxes: [Boxes; 2],
    pub(super) reach: OverlayReach,
    pub(super) marks: WeightMarks,
    pub(super) heat: Heat,
    pub(super) bind: BindHeat,
    pub(super) strokes: Arc<[Stroke]>,
    pub(super) legend_rows: Arc<[LegendRow]>,
}

/// sRGB of vertices without weights, and of those with another sum than 1.
const UNBOUND: [u8; 4] = [0xff, 0x2f, 0xd0, 255];
const OFF: [u8; 4] = [0xff, 0xd0, 0x2f, 255];

/// Most vertices that are marked.
const MOST: usize = 2000;

/// The faults of the shown scene, while they are marked.
#[derive(Debug, Default)]
pub(crate) struct WeightMarks {
    of: Option<(LoadId, usize)>,
    faults: Vec<WeightFault>,
}

impl WeightMarks {
    /// The faults; none while they are not marked.
    pub fn faults(&self) -> &[WeightFault] {
        &self.faults
    }

    /// Finds the faults if they are to be marked.
    pub fn show(&mut self, playback: &Playback, wanted: bool) {
        let shown = playback.document().zip(playback.stage()).filter(|_| wanted);
        let of = shown.map(|(document, stage)| (document.load, stage.scene));
        if of != self.of {
            self.of = of;
            let find = |(document, stage): (&crate::Document, &rigview_model::Stage)| {
                weight_faults(&document.model, &stage.nodes)
            };
            self.faults = shown.map_or_else(Vec::new, find);
        }
    }

    /// Adds a point per fault of a visible node at the vertex's posed position.
    pub fn add(&self, playback: &Playback, strokes: &mut Vec<Stroke>) {
        let Some(document) = playback.document() else { return };
        let model = &document.model;
        let point = |fault: &WeightFault| {
            let drawn = fault.drawn();
            let primitive =
                &model.meshes[model.nodes[drawn.node].mesh?].primitives[drawn.primitive];
            let color = if fault.is_unbound() { UNBOUND } else { OFF };
            Some((drawn, primitive.vertex_of_file(fault.vertex)?, color))
        };
        add_marks(playback, self.faults.iter().take(MOST).filter_map(point), strokes);
    }
}

/// Adds points over vertices of visible nodes, given by index into the primitive's list, in their posed positions.
/// Vertices are to be ordered by primitive.
pub(crate) fn add_marks(
    playback: &Playback,
    vertices: impl Iterator<Item = (DrawnPrimitive, u32, [u8; 4])>,
    strokes: &mut Vec<Stroke>,
) {
    let Some((document, stage)) = playback.document().zip(playback.stage()) else { return };
    let mut vertices: Vec<_> = vertices.filter(|(drawn, ..)| stage.visible[drawn.node]).collect();
    // Each primitive is posed once.
    for own in vertices.chunk_by_mut(|(a, ..), (b, ..)| a == b) {
        own.sort_unstable_by_key(|(_, vertex, _)| *vertex);
        let indices: Vec<u32> = own.iter().map(|(_, vertex, _)| *vertex).collect();
        let posed = stage.deformed_at(&document.model, own[0].0, &indices).unwrap_or_default();
        for (at, (.., color)) in posed.into_iter().zip(own) {
            strokes.push(Stroke::point(at.as_dvec3() + stage.origin, *color, 0.8));
        }
    }
}

/// Most vertices of a primitive of which the one under the pointer is looked for.
const MOST_VERTICES: usize = 300_000;

/// The weights of the shown joint, and the vertex under the pointer.
#[derive(Debug, Default)]
pub(crate) struct Heat {
    of: Option<(LoadId, usize)>,
    weights: Option<JointWeights>,
    hovered: Option<(LoadId, DrawnPrimitive, u32)>,
}

impl Heat {
    /// The weights of the joint, while the pass shows them.
    pub fn weights(&self) -> Option<JointWeights> {
        self.weights
    }

    /// Finds the numbers of the joint if it is another one.
    pub fn show(&mut self, playback: &Playback, look: &Look) {
        let joint = look.joint.filter(|_| look.pass == Pass::Weights);
        let of = playback.document().map(|document| document.load).zip(joint);
        if of != self.of {
            let model = playback.document().map(|document| &document.model);
            self.of = of;
            self.weights = of.zip(model).map(|((_, joint), model)| joint_weights(model, joint));
        }
    }

    /// Notes the vertex under the pointer.
    pub fn hover(&mut self, playback: &Playback, answer: &PickAnswer) {
        self.hovered = self.of.and_then(|_| {
            let (document, stage) = playback.document().zip(playback.stage())?;
            let (model, touched) = (&document.model, answer.touched?);
            let drawn = touched.drawn;
            let mesh = model.nodes[drawn.node].mesh?;
            let primitive = &model.meshes[mesh].primitives[drawn.primitive];
            if primitive.vertices.len() > MOST_VERTICES {
                return None;
            }
            let touch = stage.touch(model, &touched)?;
            Some((document.load, drawn, touch.nearest))
        });
    }

    /// The weight of the joint at the vertex under the pointer, as it is used.
    pub fn hovered(&self, playback: &Playback) -> Option<f32> {
        let (document, (_, joint)) = playback.document().zip(self.of)?;
        let (load, drawn, vertex) = self.hovered?;
        (load == document.load).then(|| weight_at(&document.model, drawn, vertex, joint))
    }
}

/// The distances of two models that share one scale of colours, and what they were found for.
#[derive(Debug, Default)]
pub(crate) struct BindHeat {
    of: [Option<(LoadId, usize)>; 2],
    distances: [Option<Arc<BindDistances>>; 2],
}

impl BindHeat {
    /// Finds the distances of both playbacks if the pass shows them and other models are shown.
    pub fn show(&mut self, playbacks: [&Playback; 2], pass: Pass) {
        let shown = playbacks.map(|playback| {
            playback.document().zip(playback.stage()).filter(|_| pass == Pass::RestToBind)
        });
        let of = shown.map(|shown| Some((shown?.0.load, shown?.1.scene)));
        if of == self.of {
            return;
        }
        self.of = of;
        let mut both = shown.map(|shown| Some(distances(&shown?.0.model, shown?.1.scene)));
        let largest = both.iter().flatten().map(BindDistances::largest_mm);
        let hottest = largest.fold(BindDistances::LEAST_HOTTEST_MM, f32::max);
        both.iter_mut().flatten().for_each(|distances| distances.hottest_mm = hottest);
        self.distances = both.map(|distances| distances.map(Arc::new));
    }

    /// The distances of the first model, and of the one beside it.
    pub fn get(&self) -> &[Option<Arc<BindDistances>>; 2] {
        &self.distances
    }
}

/// Measures all skins in a scene's rest pose.
fn distances(model: &Model, scene: usize) -> BindDistances {
    let rest = Stage::new(model, scene);
    let millimetres = |skin| {
        let metres = skin_offsets_from_bind(model, &rest, skin).unwrap_or_default();
        metres.into_iter().map(|metres| (1000.0 * metres) as f32).collect()
    };
    BindDistances { skins_mm: (0..model.skins.len()).map(millimetres).collect(), hottest_mm: 1.0 }
}

/// The outermost joints over the shown clip, while they or their names are drawn.
#[derive(Debug, Default)]
pub(crate) struct OverlayReach {
    of: Option<ClipInputs>,
    joints: Vec<DVec3>,
}

impl OverlayReach {
    /// Finds the joints of a playback if they are drawn, and returns them with the corners of the boxes that are
    /// framed.
    pub fn show(&mut self, playback: &Playback, joints: bool, boxes: &Boxes) -> Vec<DVec3> {
        let of = ClipInputs::shown(playback).filter(|_| joints);
        if self.of != of {
            self.of = of;
            self.joints = if of.is_some() { joints_over_clip(playback) } else { Vec::new() };
        }
        self.joints.iter().copied().chain(box_corners(boxes)).collect()
    }
}

/// Returns the corners of the drawn boxes that are framed.
pub(crate) fn box_corners(boxes: &Boxes) -> impl Iterator<Item = DVec3> + use<> {
    boxes.framed().flat_map(SceneBox::corners)
}

fn joints_over_clip(playback: &Playback) -> Vec<DVec3> {
    let Some((document, stage)) = playback.document().zip(playback.stage()) else {
        return Vec::new();
    };
    let clip = playback.framed_clip().and_then(|clip| document.clip(clip));
    let mut posed = stage.clone();
    let joints = joint_hull(&document.model, &mut posed, clip, playback.held_in_frame());
    joints.into_iter().map(|at| at.as_dvec3() + posed.origin).collect()
}

/// sRGB of the path and of its ticks.
const PATH: [u8; 4] = [0x4f, 0xd6, 0xc4, 235];
const TICK: [u8; 4] = [0xff, 0xff, 0xff, 235];

/// The motion, and what it was found for.
#[derive(Debug, Default)]
pub(crate) struct KeptRoot {
    of: Option<TrailInputs>,
    motion: Option<Arc<RootMotion>>,
}

impl KeptRoot {
    /// The motion; `None` without a clip that moves a joint.
    pub fn motion(&self) -> Option<&Arc<RootMotion>> {
        self.motion.as_ref()
    }

    /// Finds the motion if something else is shown.
    pub fn show(&mut self, playback: &Playback, wanted: bool) {
        let of = if wanted { TrailInputs::shown(playback, 0) } else { None };
        if of == self.of {
            return;
        }
        self.of = of;
        self.motion = of.and_then(|_| {
            let (document, stage) = playback.document().zip(playback.stage())?;
            let motion = stage.root_motion(&document.model, playback.shown_clip()?)?;
            Some(Arc::new(motion))
        });
    }

    /// Returns the places of the path on the ground at a height.
    pub fn on_ground(&self, ground: f64) -> impl Iterator<Item = DVec3> + '_ {
        self.motion
            .iter()
            .flat_map(move |motion| motion.path.iter().map(move |at| at.with_y(ground)))
    }

    /// Adds the path on the ground at a height, with a tick per second as long as a share of the model's size.
    pub fn add(&self, strokes: &mut Vec<Stroke>, ground: f64, size: f64) {
        let Some(motion) = &self.motion else { return };
        let below = |at: &DVec3| at.with_y(ground);
        for ends in motion.path.windows(2) {
            strokes.push(Stroke::line([below(&ends[0]), below(&ends[1])], PATH, 1.6));
        }
        for (second, at) in motion.seconds.iter().enumerate() {
            let across = motion.across(second).unwrap_or(DVec3::X);
            let (at, reach) = (below(at), 0.02 * size * across);
            strokes.push(Stroke::line([at - reach, at + reach], TICK, 1.4));
        }
        if let Some(start) = motion.path.first() {
            strokes.push(Stroke::point(below(start), PATH, 1.0));
        }
    }
}

/// A path and what it was found for.
#[derive(Debug)]
pub(crate) struct KeptTrail {
    of: Option<TrailInputs>,
    detail: TrailDetail,
    /// The values that were set by hand.
    hand: HandPose,
    /// The clips beside the shown one.
    layers: Vec<LayerSettings>,
    trail: Option<Arc<Trail>>,
}

/// Everything that a path depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TrailInputs {
    clips: ClipsId,
    clip: usize,
    form: ClipForm,
    /// The frames per second of a form that is sampled.
    fps: Option<f64>,
    scene: (usize, bool),
    node: usize,
    /// Whether the root stays at its first place over the ground.
    in_place: bool,
}

impl Default for KeptTrail {
    fn default() -> Self {
        let (hand, layers) = (HandPose::default(), Vec::new());
        Self { of: None, detail: TrailDetail::Full, hand, layers, trail: None }
    }
}

impl KeptTrail {
    /// The path; `None` without a selected node or a clip.
    pub fn trail(&self) -> Option<&Arc<Trail>> {
        self.trail.as_ref()
    }

    /// Finds the path of a node if it is another one. `None` forgets it. While a gesture changes the pose, a draft of it does,
    /// since the pose of every frame has another path.
    pub fn show(&mut self, playback: &Playback, node: Option<usize>, in_gesture: bool) {
        let of = node.and_then(|node| TrailInputs::shown(playback, node));
        let is_same = self.hand == playback.hand && self.layers == playback.layers();
        let is_enough = in_gesture || self.detail == TrailDetail::Full;
        if of == self.of && (of.is_none() || is_same && is_enough) {
            return;
        }
        self.detail = if in_gesture { TrailDetail::Draft } else { TrailDetail::Full };
        self.of = of;
        self.hand.clone_from(&playback.hand);
        self.layers = playback.layers().to_vec();
        self.trail = of.and_then(|of| playback.trail(of.node, self.detail)).map(Arc::new);
    }
}

impl TrailInputs {
    pub fn shown(playback: &Playback, node: usize) -> Option<Self> {
        let (document, stage) = playback.document().zip(playback.stage())?;
        Some(Self {
            clips: document.clips_id(),
            clip: playback.clip_index()?,
            form: playback.form(),
            fps: playback.form().is_sampled().then(|| playback.fps()),
            scene: (stage.scene, stage.stood_up()),
            node,
            in_place: playback.plays_in_place(),
        })
    }
}

#[cfg(test)]
mod trail_tests {
    use glam::Vec3;

    use crate::aids::*;
    use crate::sample::session;
    use crate::{HandValue, Item, LookAction, PoseAction, SelectionAction};

    #[test]
    fn a_gesture_draws_a_draft_of_the_path_and_its_end_the_whole_path() {
        let mut session = session();
        session.apply(SelectionAction::Select(Some(Item::Node(1))));
        session.apply(LookAction::ToggleTrail);
        session.pose();
        let mut end = |action: PoseAction| {
            session.apply(action);
            session.pose();
            let path = &session.trail().unwrap().path;
            (path[path.len() - 1].y, session.trail.detail)
        };
        assert_eq!(end(PoseAction::Begin), (0.0, TrailDetail::Full), "the pose is the same still");
        let raised = PoseAction::Set(0, HandValue::Translation(Vec3::Y));
        assert_eq!(end(raised), (1.0, TrailDetail::Draft));
        assert_eq!(end(PoseAction::End), (1.0, TrailDetail::Full));
    }
}
