//! The skin's edge: the vertices that show an error of a joint most, and their distance between two
//! clips.
//!
//! For a skin, these are the outermost of the vertices that each joint moves most
//! ([`rigview_model::PrimitiveBounds::outermost`]); for a rigid mesh, its outermost vertices; for a scene
//! without meshes, its nodes.

use glam::{Affine3A, Vec3};
use serde::Serialize;

use rigview_anim::{Channel, Clip, FixedNode, Hierarchy};
use rigview_model::{DrawnPrimitive, Model, Primitive, Stage};

/// The distance between two animations of the edge.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EdgeError {
    /// The largest distance over all points and times, in millimetres.
    pub worst_mm: f64,
    /// The mean distance, in millimetres.
    pub mean_mm: f64,
    /// The joint or rigid node that moves the point with the largest distance.
    pub node: usize,
    /// The node's name.
    pub node_name: Option<String>,
    /// The time of the largest distance, in seconds.
    pub time: f64,
}

/// The edge of all that a model draws.
pub(super) struct Edge<'a> {
    model: &'a Model,
    stage: Stage,
    /// For each point, the node that moves it most.
    nodes: Vec<usize>,
}

impl<'a> Edge<'a> {
    /// Finds the edge of all scenes.
    pub fn new(model: &'a Model) -> Self {
        let stage = Stage::of_all_scenes(model);
        let mut nodes = Vec::new();
        for &node in &stage.nodes {
            let Some(mesh) = model.nodes[node].mesh else { continue };
            let skin = model.nodes[node].skin.map(|s| &model.skins[s]);
            for primitive in &model.meshes[mesh].primitives {
                let joint = |v: &u32| primitive.leading_joint(*v).zip(skin);
                nodes.extend(primitive.bounds.outermost.iter().map(|v| match joint(v) {
                    Some((joint, skin)) => skin.joints[usize::from(joint)] as usize,
                    None => node,
                }));
            }
        }
        if nodes.is_empty() {
            nodes.clone_from(&stage.nodes);
        }
        Self { model, stage, nodes }
    }

    /// Returns the number of points.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Computes the points of a clip at a time.
    fn points(&mut self, clip: &Clip, time: f64, out: &mut Vec<Vec3>) {
        self.stage.pose(self.model, Some(clip), time);
        self.gather(out);
    }

    fn gather(&self, out: &mut Vec<Vec3>) {
        out.clear();
        for &node in &self.stage.nodes {
            let Some(mesh) = self.model.nodes[node].mesh else { continue };
            for primitive in 0..self.model.meshes[mesh].primitives.len() {
                let drawn = DrawnPrimitive { node, primitive };
                self.stage.outermost(self.model, drawn, &[], |at| out.push(at));
            }
        }
        if out.is_empty() {
            out.extend(self.stage.nodes.iter().map(|node| self.stage.position(*node)));
        }
    }

    /// Measures the distance of the edge between two clips at these times.
    pub fn between(&mut self, clip: &Clip, other: &Clip, times: &[f64]) -> EdgeError {
        self.compare(clip, times, |edge, time, out| edge.points(other, time, out))
    }

    /// Returns the number of all vertices of the scene.
    pub fn vertex_count(&self) -> usize {
        let meshes = self.stage.nodes.iter().filter_map(|node| self.model.nodes[*node].mesh);
        let primitives = meshes.flat_map(|mesh| &self.model.meshes[mesh].primitives);
        primitives.map(|primitive| primitive.vertices.len()).sum()
    }

    /// Returns the largest distance of any vertex between two clips at these times, in millimetres.
    pub fn furthest_mm(&mut self, clip: &Clip, other: &Clip, times: &[f64]) -> f64 {
        let (model, mut stage) = (self.model, self.stage.clone());
        let mut worst = 0.0f64;
        for time in times {
            self.stage.pose(model, Some(clip), *time);
            stage.pose(model, Some(other), *time);
            for &node in &self.stage.nodes {
                let Some(mesh) = model.nodes[node].mesh else { continue };
                for primitive in 0..model.meshes[mesh].primitives.len() {
                    let [a, b] = [&self.stage, &stage].map(|s| s.deformed(model, node, primitive));
                    let pairs = a.iter().flatten().zip(b.iter().flatten());
                    let off = pairs.map(|(a, b)| a.as_dvec3().distance(b.as_dvec3()));
                    worst = off.filter(|off| off.is_finite()).fold(worst, f64::max);
                }
            }
        }
        1000.0 * worst
    }

    /// Measures the distance between a clip and an animation by matrices: `frame` returns the matrices
    /// of `nodes` to their parents at a time.
    pub fn between_matrices(
        &mut self,
        clip: &Clip,
        nodes: &[usize],
        times: &[f64],
        frame: impl Fn(f64) -> Vec<Affine3A>,
    ) -> EdgeError {
        let model = self.model;
        let parents = (0..model.nodes.len()).map(|i| model.hierarchy.parent(i).map(|p| p as u32));
        let parents: Vec<Option<u32>> = parents.collect();
        self.compare(clip, times, |edge, time, out| {
            // Sheared nodes outside `nodes` lose their shear here; that is negligible for this report.
            let fixed = |(node, parent_from_node): (&usize, _)| FixedNode {
                node: *node as u32,
                parent_from_node,
            };
            let fixed = nodes.iter().zip(frame(time)).map(fixed).collect();
            edge.stage.pose(model, Some(clip), time);
            if let Ok(tree) = Hierarchy::new(parents.clone(), fixed) {
                tree.resolve(&edge.stage.local, edge.stage.origin, &mut edge.stage.world);
            }
            edge.gather(out);
        })
    }

    fn compare(
        &mut self,
        clip: &Clip,
        times: &[f64],
        mut other: impl FnMut(&mut Self, f64, &mut Vec<Vec3>),
    ) -> EdgeError {
        let (mut a, mut b) = (Vec::new(), Vec::new());
        let (mut worst, mut sum, mut count) = ((0.0f64, 0, 0.0), 0.0, 0usize);
        for &time in times {
            self.points(clip, time, &mut a);
            other(self, time, &mut b);
            for (i, (a, b)) in a.iter().zip(&b).enumerate() {
                let off = a.as_dvec3().distance(b.as_dvec3());
                // Skip points that overflow in either animation.
                if !off.is_finite() {
                    continue;
                }
                sum += off;
                count += 1;
                if off > worst.0 {
                    worst = (off, i, time);
                }
            }
        }
        let node = self.nodes.get(worst.1).copied().unwrap_or(0);
        EdgeError {
            worst_mm: 1000.0 * worst.0,
            mean_mm: 1000.0 * sum / count.max(1) as f64,
            node,
            node_name: self.model.nodes.get(node).and_then(|n| n.name.clone()),
            time: worst.2,
        }
    }

    /// Returns the lever of each node: the largest over a clip at this number of evenly spaced times.
    pub fn levers(&mut self, clip: &Clip, instants: usize) -> Vec<Lever> {
        let model = self.model;
        let mut levers = vec![Lever::default(); model.nodes.len()];
        let mut points = Vec::new();
        let last = instants.saturating_sub(1).max(1);
        for i in 0..instants {
            let time = f64::from(clip.duration_secs()) * i as f64 / last as f64;
            self.points(clip, time, &mut points);
            let mut reach = vec![0.0f64; model.nodes.len()];
            for (at, &node) in points.iter().zip(&self.nodes) {
                let off = f64::from(at.distance(self.stage.position(node)));
                reach[node] = reach[node].max(off);
            }
            // A parent's reach includes that of its children, plus the distance to them.
            for node in model.hierarchy.parents_first().rev() {
                let Some(parent) = model.hierarchy.parent(node) else { continue };
                let way = self.stage.position(node).distance(self.stage.position(parent));
                reach[parent] = reach[parent].max(reach[node] + f64::from(way));
            }
            for (node, lever) in levers.iter_mut().enumerate() {
                lever.reach = lever.reach.max(reach[node]);
                let scale = model.hierarchy.parent(node).map_or(1.0, |p| self.scale(p));
                lever.scale = lever.scale.max(scale);
            }
        }
        self.nodes.iter().for_each(|node| levers[*node].is_measured = true);
        for node in model.hierarchy.parents_first().rev() {
            let Some(parent) = model.hierarchy.parent(node) else { continue };
            levers[parent].is_measured |= levers[node].is_measured;
        }
        share_chains(model, clip, &mut levers);
        self.morph_reaches(&mut levers);
        levers
    }

    /// Returns the largest scale factor of a node's world matrix.
    fn scale(&self, node: usize) -> f64 {
        let axes = self.stage.world.world_from_node(node).matrix3;
        let longest = axes.x_axis.length().max(axes.y_axis.length()).max(axes.z_axis.length());
        f64::from(longest)
    }

    fn morph_reaches(&self, levers: &mut [Lever]) {
        for &node in &self.stage.nodes {
            let Some(mesh) = self.model.nodes[node].mesh else { continue };
            let of_target = |deltas: &[[f32; 3]]| {
                let far = deltas.iter().map(|d| Vec3::from(*d).length());
                f64::from(far.fold(0.0, f32::max))
            };
            let primitives = &self.model.meshes[mesh].primitives;
            let sum =
                |p: &Primitive| -> f64 { p.targets.iter().map(|t| of_target(&t.positions)).sum() };
            let most = primitives.iter().map(sum).fold(0.0, f64::max);
            levers[node].morph = levers[node].morph.max(most * self.scale(node).max(1e-12));
        }
    }
}

/// How errors of a node's properties affect the edge.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lever {
    /// Distance from the node to the furthest point that it moves.
    pub reach: f64,
    /// Scale factor of the node's parent.
    pub scale: f64,
    /// Whether the node moves a point, so that its error is part of measured distances.
    pub is_measured: bool,
    /// Largest displacement of a vertex of the node's mesh when all morph weights are 1.
    pub morph: f64,
    /// Number of channels on the longest chain from a root through this node to a leaf; their errors
    /// can add up.
    pub chain: usize,
}

fn share_chains(model: &Model, clip: &Clip, levers: &mut [Lever]) {
    let mut own = vec![0usize; levers.len()];
    clip.channels().iter().map(Channel::node).for_each(|node| own[node] += 1);
    let mut above = own.clone();
    for node in model.hierarchy.parents_first() {
        if let Some(parent) = model.hierarchy.parent(node) {
            above[node] += above[parent];
        }
    }
    let mut below = vec![0usize; levers.len()];
    for node in model.hierarchy.parents_first().rev() {
        if let Some(parent) = model.hierarchy.parent(node) {
            below[parent] = below[parent].max(below[node] + own[node]);
        }
    }
    for (lever, (above, below)) in levers.iter_mut().zip(above.into_iter().zip(below)) {
        lever.chain = (above + below).max(1);
    }
}
