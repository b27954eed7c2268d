//! The difference of two models in structure, at rest, and clip by clip.

use glam::Vec3;
use rayon::prelude::*;
use serde::Serialize;

use super::cause::Rigs;
use super::clip_pairs::{ClipMatch, PairedBy, clip_pairs, given_name};
use super::materials::{material_changes, material_pairs};
use super::motion::{ClipPair, Farthest, Measured, PosedPair, farthest, largest_turn};
use super::nearest::diagonal;
use super::node_pairs::node_pairs;
use super::pairs::Pairs;
use super::progress::Progress;
use super::properties::property_changes;
use super::side::Side;
use super::structure::{
    Change, ChangeKind, Kind, ModelPairs, Models, Names, changes, image_pairs, mesh_pairs,
    skin_pairs, structure,
};
use super::vertex_pairs::{Drawn, vertex_pairs};
use crate::model::{Model, OverBudget, VertexPlace};

/// Positions of vertices and nodes that all clips of a file may cost together. Beyond that, instants are left out.
const MOST_POSITIONS: usize = 4_000_000_000;

/// Instants at which a pair of clips is posed at least.
const LEAST_INSTANTS: usize = 2;

/// The difference of two models, A and B.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelDifference {
    /// What was added, removed, renamed or connected in another way. Rest transforms, keys, interpolations,
    /// the order of entries and the signs of quaternions are no structure.
    pub structure: Vec<Change>,
    /// The difference at rest.
    pub rest: RestDifference,
    /// The difference of each pair of clips, in the order of A.
    pub clips: Vec<ClipDifference>,
    /// The materials of both models whose properties differ.
    pub materials: Vec<Change>,
}

/// The difference of two models at rest.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RestDifference {
    /// The largest distance between the same vertex of both, in metres; `None` if no mesh can be paired.
    pub distance: Option<f64>,
    /// The first node of A whose local transform differs most; `None` if none differs.
    pub node: Option<String>,
}

/// The difference of two clips.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClipDifference {
    /// The name of the clip of A.
    pub a: Option<String>,
    /// The name of the clip of B.
    pub b: Option<String>,
    /// What both have in common.
    pub paired_by: PairedBy,
    /// The largest distance between the same vertex of both over all instants, in metres; `None` if no mesh
    /// can be paired.
    pub distance: Option<f64>,
    /// The node of A that draws that vertex.
    pub vertex_node: Option<String>,
    /// The first node of A whose local transform differs most at that instant; `None` if none differs.
    pub joint: Option<String>,
    /// The instant in seconds.
    pub time: Option<f64>,
    /// The largest difference of that node's rotation over all instants, in degrees.
    pub angle: Option<f64>,
    /// Indices of the clips.
    #[serde(skip)]
    pub index: [usize; 2],
    /// Index of the node that `joint` names.
    #[serde(skip)]
    pub joint_index: Option<usize>,
}

impl ModelDifference {
    /// Whether structure and materials are the same, and all distances at most `tolerance` metres.
    pub fn is_equal(&self, tolerance: f64) -> bool {
        let near = |distance: Option<f64>| distance.is_some_and(|distance| distance <= tolerance);
        self.structure.is_empty()
            && self.materials.is_empty()
            && near(self.rest.distance)
            && self.clips.iter().all(|clip| near(clip.distance))
    }

    /// Returns the clips that are farthest apart; `None` if no clips are farther apart than the rest poses, beyond
    /// rounding.
    pub fn worst_clip(&self) -> Option<&ClipDifference> {
        let by_distance = |x: &&ClipDifference, y: &&ClipDifference| {
            let [x, y] = [x, y].map(|clip| clip.distance.unwrap_or(-1.0));
            x.total_cmp(&y)
        };
        // Of equal clips, the first one.
        let worst = self.clips.iter().rev().max_by(by_distance)?;
        let rest = self.rest.distance.map(|distance| distance * 1.001);
        (worst.distance > rest).then_some(worst)
    }
}

/// Compares two models: their default scenes, all their clips and their materials.
///
/// The same vertex is that of the same index where both meshes number their vertices alike, else that at the
/// same place. Where neither model draws anything, the origins of nodes are compared. Clips are compared at all
/// key times of both and every 1/30 s; the clip that ends first holds its last pose.
///
/// # Errors
/// If the data that the comparison needs does not fit in a model's budget.
pub fn models(a: &Model, b: &Model) -> Result<ModelDifference, OverBudget> {
    Ok(Comparison::new(a, b)?.difference(&Progress::default()))
}

/// Two models, laid out to be measured.
pub(super) struct Comparison<'a> {
    pub a: Side<'a>,
    pub b: Side<'a>,
    pub pairs: ModelPairs,
    /// `None` if no mesh can be paired.
    pub measured: Option<Measured>,
    /// Meshes that both models have, but whose vertices can't be paired.
    unpaired: Vec<Change>,
    size: f32,
}

impl<'a> Comparison<'a> {
    pub fn new(a: &'a Model, b: &'a Model) -> Result<Self, OverBudget> {
        let (side_a, side_b) = rayon::join(|| Side::new(a), || Side::new(b));
        let (side_a, side_b) = (side_a?, side_b?);
        let nodes = node_pairs(a, b);
        let images = image_pairs(a, b);
        let pairs = ModelPairs {
            meshes: mesh_pairs(a, b, &nodes),
            skins: skin_pairs(a, b, &nodes),
            materials: material_pairs(a, b, &images),
            nodes,
            images,
        };
        let mut comparison = Self {
            size: size(&side_a).max(size(&side_b)),
            a: side_a,
            b: side_b,
            pairs,
            measured: None,
            unpaired: Vec::new(),
        };
        comparison.measure();
        Ok(comparison)
    }

    /// Decides what is measured.
    fn measure(&mut self) {
        let (a, b) = (&self.a, &self.b);
        if a.drawing_nodes().is_empty() && b.drawing_nodes().is_empty() {
            let inside = |node: &usize| b.stage.nodes.contains(node);
            let partner = |node: &usize| self.pairs.nodes.b_of(*node).filter(inside);
            let nodes = a.stage.nodes.iter().filter_map(|node| Some([*node, partner(node)?]));
            self.measured = Some(Measured::Nodes(nodes.collect()));
            return;
        }
        let drawn = drawn_pairs(a, b, &self.pairs);
        let found: Vec<_> =
            drawn.par_iter().map(|drawn| vertex_pairs(a, b, &self.pairs.nodes, *drawn)).collect();
        let mut points = Vec::new();
        for (drawn, found) in drawn.iter().zip(found) {
            match found {
                Some(found) => points.extend(found),
                None => self.unpaired.push(unpaired(a.model, *drawn)),
            }
        }
        self.unpaired.dedup();
        let empty = points.is_empty() && (drawn.is_empty() || !self.unpaired.is_empty());
        self.measured = (!empty).then_some(Measured::Points(points));
    }

    pub fn models(&self) -> Models<'_> {
        Models { a: self.a.model, b: self.b.model, pairs: &self.pairs }
    }

    pub fn rigs(&self) -> Rigs<'_> {
        Rigs { a: &self.a, b: &self.b, nodes: &self.pairs.nodes, size: self.size }
    }

    /// Compares everything. If it is cancelled, clips are left out.
    pub fn difference(&self, progress: &Progress) -> ModelDifference {
        let clips = clip_pairs(self.a.model, self.b.model, &self.pairs.nodes);
        progress.begin(clips.len());
        let measured = clips.par_iter().filter_map(|clip| {
            let measured = (!progress.is_cancelled()).then(|| self.clip(clip));
            progress.step();
            measured
        });
        ModelDifference {
            clips: measured.collect(),
            structure: self.structure(&clips),
            rest: self.rest(),
            materials: self.material_changes(),
        }
    }

    /// Lists all changes of structure.
    fn structure(&self, clips: &[ClipMatch]) -> Vec<Change> {
        let (a, b) = (self.a.model, self.b.model);
        let mut structure = structure(self.models());
        structure.extend(self.unpaired.iter().cloned());
        structure.extend(self.clip_changes(clips));
        let names = Names {
            kind: Kind::Material,
            a: a.materials.iter().map(|material| &material.name).collect(),
            b: b.materials.iter().map(|material| &material.name).collect(),
        };
        structure.extend(changes(&names, &self.pairs.materials, |_, _| Vec::new()));
        structure
    }

    fn material_changes(&self) -> Vec<Change> {
        let pairs = &self.pairs;
        material_changes(self.a.model, self.b.model, &pairs.materials, &pairs.images)
    }

    /// Measures the rest pose.
    fn rest(&self) -> RestDifference {
        let (_, node, distance) = self.farthest(ClipPair { a: None, b: None, most: 1 });
        RestDifference { distance, node: node.map(|node| self.a.node_name(node)) }
    }

    /// Measures two clips.
    fn clip(&self, clip: &ClipMatch) -> ClipDifference {
        let (x, y) = (&self.a.model.clips[clip.a], &self.b.model.clips[clip.b]);
        let both = ClipPair { a: Some(x), b: Some(y), most: self.most_instants() };
        let (farthest, joint, distance) = self.farthest(both);
        let vertex_node = farthest.and_then(|at| self.measured_node(at.pair));
        let angle =
            joint.map(|node| f64::from(largest_turn(&self.rigs(), node, both)).to_degrees());
        ClipDifference {
            a: given_name(x).map(str::to_owned),
            b: given_name(y).map(str::to_owned),
            paired_by: clip.by,
            distance,
            vertex_node: vertex_node.map(|node| self.a.node_name(node)),
            joint: joint.map(|node| self.a.node_name(node)),
            time: farthest.map(|at| at.time_secs),
            angle,
            index: [clip.a, clip.b],
            joint_index: joint,
        }
    }

    /// Lists the clips that were added, removed or renamed, or whose animated properties differ.
    fn clip_changes(&self, clips: &[ClipMatch]) -> Vec<Change> {
        let (a, b) = (&self.a.model.clips, &self.b.model.clips);
        let mut pairs = Pairs::new(a.len(), b.len());
        clips.iter().for_each(|clip| pairs.pair(clip.a, clip.b));
        let [in_a, in_b] = [a, b].map(|clips| -> Vec<Option<String>> {
            clips.iter().map(|clip| given_name(clip).map(str::to_owned)).collect()
        });
        let names = Names { kind: Kind::Clip, a: in_a.iter().collect(), b: in_b.iter().collect() };
        changes(&names, &pairs, |i, j| {
            let both = ClipPair { a: Some(&a[i]), b: Some(&b[j]), most: self.most_instants() };
            property_changes(&self.a, &self.b, &self.pairs, both)
        })
    }

    /// Returns the number of instants at which a pair of clips is posed at most.
    fn most_instants(&self) -> usize {
        let sides = [&self.a, &self.b];
        let positions: usize =
            sides.iter().map(|side| side.motion.len() + side.model.nodes.len() + 1).sum();
        let clips = self.a.model.clips.len().max(1);
        (MOST_POSITIONS / positions.saturating_mul(clips)).max(LEAST_INSTANTS)
    }

    /// Returns where both are farthest apart, the node that causes it, and the distance.
    fn farthest(&self, clips: ClipPair) -> (Option<Farthest>, Option<usize>, Option<f64>) {
        let Some(measured) = &self.measured else { return (None, None, None) };
        let rigs = self.rigs();
        let farthest = farthest(&rigs, measured, clips);
        let mut posed = PosedPair::new(&self.a, &self.b);
        posed.pose(&rigs, clips, farthest.map_or(0.0, |at| at.time_secs));
        let cause = rigs.cause(&posed.a, &posed.b, farthest.and_then(|at| self.place(at.pair)));
        (farthest, cause, Some(farthest.map_or(0.0, |at| f64::from(at.distance))))
    }

    /// Returns the vertex of A of a measured pair.
    fn place(&self, pair: usize) -> Option<VertexPlace> {
        match self.measured.as_ref()? {
            Measured::Points(pairs) => Some(self.a.motion.place(pairs[pair][0] as usize)),
            Measured::Nodes(_) => None,
        }
    }

    /// Returns the node of A that draws a measured vertex, or that is measured itself.
    fn measured_node(&self, pair: usize) -> Option<usize> {
        match self.measured.as_ref()? {
            Measured::Points(pairs) => Some(self.a.motion.place(pairs[pair][0] as usize).node),
            Measured::Nodes(pairs) => Some(pairs[pair][0]),
        }
    }
}

/// Returns the length of the diagonal of a model at rest, in metres.
fn size(side: &Side) -> f32 {
    let node = |node: &usize| Vec3::from(side.stage.world.world_from_node(*node).translation);
    let size = match side.rest.is_empty() {
        true => diagonal(&side.stage.nodes.iter().map(node).collect::<Vec<_>>()),
        false => diagonal(&side.rest),
    };
    if size.is_finite() && size > 0.0 { size } else { 1.0 }
}

/// Pairs the nodes that draw: nodes of a pair, then nodes that alone draw the same mesh.
fn drawn_pairs(a: &Side, b: &Side, pairs: &ModelPairs) -> Vec<Drawn> {
    let (in_a, in_b) = (a.drawing_nodes(), b.drawing_nodes());
    let position = |nodes: &[usize], node: usize| nodes.iter().position(|other| *other == node);
    let mut drawn = Pairs::new(in_a.len(), in_b.len());
    for (i, node) in in_a.iter().enumerate() {
        if let Some(j) = pairs.nodes.b_of(*node).and_then(|there| position(&in_b, there)) {
            drawn.pair(i, j);
        }
    }
    let mesh_a = |i: usize| a.model.nodes[in_a[i]].mesh;
    let mesh_b = |j: usize| b.model.nodes[in_b[j]].mesh.and_then(|mesh| pairs.meshes.a_of(mesh));
    drawn.pair_unique(mesh_a, mesh_b);
    drawn.iter().map(|(i, j)| Drawn { a: in_a[i], b: in_b[j] }).collect()
}

fn unpaired(a: &Model, drawn: Drawn) -> Change {
    let mesh = a.nodes[drawn.a].mesh.unwrap_or_default();
    Change {
        kind: Kind::Mesh,
        name: super::pairs::entry_name(&a.meshes[mesh].name, mesh),
        change: ChangeKind::Changed,
        what: "too few vertices have a counterpart to be measured".into(),
    }
}
