//! A scene of a model, posed at an instant: what every picture and every number comes from.

use std::collections::HashSet;

use glam::{Affine3A, DVec3, Vec3};

use super::bones::{draws, joints_of_tree};
use super::{Aabb, DrawnPrimitive, Field, Hull, Model, Primitive, Properties};
use crate::anim::{BlendLayer, Clip, Cursor, LocalPose, Mixer, WorldPose, pose_layers};

/// A scene of a model and its pose. One is kept for as long as the scene is shown; posing it
/// again allocates nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// Which scene.
    pub scene: usize,
    /// Its nodes, parents before children.
    pub nodes: Vec<usize>,
    /// What the world pose is relative to: zero, unless the scene lies so far from its origin that
    /// single precision would show.
    pub origin: DVec3,
    /// Where the scene is put: zero, but for one of a crowd.
    pub place: DVec3,
    /// All nodes of the file against their parents.
    pub local: LocalPose,
    /// All nodes of the file in the scene's space, less `origin`.
    pub world: WorldPose,
    /// The model's cameras, lights and more as they are at the instant.
    pub properties: Properties,
    /// By node of the file: whether it is shown, as it and all above it say.
    pub visible: Vec<bool>,
    /// What stands for joints where there are neither meshes nor skins.
    tree: Vec<usize>,
    cursor: Cursor,
    mixer: Mixer,
    /// Whether some node may not be shown.
    hides: bool,
    /// Whether a matrix that no pose changes mirrors.
    mirrors: bool,
    /// Whether the scene's +Z was made the way up.
    stood_up: bool,
}

/// Makes of +Z the way up, about X.
const UP_FROM_Z: Affine3A =
    Affine3A::from_cols(glam::Vec3A::X, glam::Vec3A::NEG_Z, glam::Vec3A::Y, glam::Vec3A::ZERO);

/// How many times its own size a scene may lie from the origin before poses are kept relative to
/// its centre. At a thousand, single precision is good to a sixteen-thousandth of the size.
const FAR_FROM_ORIGIN: f64 = 1000.0;

impl Stage {
    /// A scene in its rest pose.
    ///
    /// # Panics
    /// When there is no such scene.
    pub fn new(model: &Model, scene: usize) -> Self {
        let nodes = model.scene_nodes(scene);
        let mut stage = Self {
            scene,
            tree: joints_of_tree(model, &nodes),
            nodes,
            origin: DVec3::ZERO,
            place: DVec3::ZERO,
            local: model.rest.clone(),
            world: WorldPose::default(),
            properties: Properties::of(
                &model.nodes,
                &model.cameras,
                &model.lights,
                &model.materials,
            )
            .moved_by(&model.slots),
            visible: vec![true; model.nodes.len()],
            cursor: Cursor::default(),
            mixer: Mixer::default(),
            hides: model.nodes.iter().any(|node| node.hidden)
                || model.slots.iter().any(|slot| slot.field == Field::NodeVisible),
            mirrors: model.has_mirroring_matrix(),
            stood_up: false,
        };
        stage.pose(model, None, 0.0);
        let bounds = stage.bounds(model);
        let center = bounds.center().as_dvec3();
        if center.length() > FAR_FROM_ORIGIN * f64::from(bounds.size().length()) {
            stage.origin = center;
            stage.pose(model, None, 0.0);
        }
        stage
    }

    /// The same stage put elsewhere; the next pose is there.
    pub fn placed(&self, place: DVec3) -> Self {
        Self { place, ..self.clone() }
    }

    /// Poses all nodes: from the rest pose, with a clip at a time over it.
    ///
    /// # Panics
    /// When the model is not the one that the stage was made of.
    pub fn pose(&mut self, model: &Model, clip: Option<&Clip>, time_secs: f64) {
        match clip {
            Some(clip) => clip.pose(time_secs, &model.rest, &mut self.cursor, &mut self.local),
            None => self.local.copy_from(&model.rest),
        }
        self.resolve(model);
    }

    /// Poses all nodes by layers of these clips, as [`pose_layers`] does it.
    ///
    /// # Panics
    /// When the model is not the one that the stage was made of, or a layer names no clip of these.
    pub fn pose_layers(&mut self, model: &Model, clips: &[&Clip], layers: &[BlendLayer]) {
        pose_layers(clips, layers, &model.rest, &mut self.mixer, &mut self.local);
        self.resolve(model);
    }

    /// Whether anything may be drawn mirrored, which turns its winding round. What is not so in any node
    /// is not so where joints are blended either, but for a skin that its twist turns inside out.
    pub fn may_mirror(&self) -> bool {
        self.mirrors || self.local.has_negative_scale()
    }

    /// Whether the whole scene is turned so that its +Z is up.
    pub fn stood_up(&self) -> bool {
        self.stood_up
    }

    /// Turns the scene about its X axis so that its +Z is up, or back as the file has it. Everything
    /// of it turns, cameras and lights too.
    pub fn stand_up(&mut self, model: &Model, stand_up: bool) {
        if self.stood_up != stand_up {
            let DVec3 { x, y, z } = self.origin;
            self.origin = if stand_up { DVec3::new(x, z, -y) } else { DVec3::new(x, -z, y) };
            self.stood_up = stand_up;
            self.resolve(model);
        }
    }

    fn resolve(&mut self, model: &Model) {
        // Where it stands is taken off in double precision, with the origin.
        let DVec3 { x, y, z } = self.origin - self.place;
        if self.stood_up {
            model.hierarchy.resolve(&self.local, DVec3::new(x, -z, y), &mut self.world);
            self.world.turn(&UP_FROM_Z);
        } else {
            model.hierarchy.resolve(&self.local, DVec3::new(x, y, z), &mut self.world);
        }
        self.properties.put(&model.slots, &self.local);
        if self.hides {
            self.hide(model);
        }
    }

    /// Finds what is shown.
    fn hide(&mut self, model: &Model) {
        for node in model.hierarchy.parents_first() {
            let node = *node as usize;
            let above = model.hierarchy.parent(node).is_none_or(|parent| self.visible[parent]);
            self.visible[node] = above && self.properties.shown[node] != 0.0;
        }
    }

    /// The box around everything shown, relative to `origin`; around the joints where nothing
    /// is; around the nodes where there are none. Empty only without nodes.
    pub fn bounds(&self, model: &Model) -> Aabb {
        let mut all = Aabb::EMPTY;
        let mut seen = HashSet::new();
        for &node in self.nodes.iter().filter(|node| self.visible[**node]) {
            if !is_there_already(model, node, &mut seen) {
                all.union(&self.node_bounds(model, node));
            }
        }
        if all.is_empty() {
            for joint in self.joints(model) {
                all.add(self.position(joint));
            }
        }
        if all.is_empty() {
            self.nodes.iter().for_each(|node| all.add(self.position(*node)));
        }
        all
    }

    /// The box around what one node draws, relative to `origin`; empty where it draws nothing.
    pub fn node_bounds(&self, model: &Model, node: usize) -> Aabb {
        let mut out = Aabb::EMPTY;
        if let Some(mesh) = model.nodes[node].mesh {
            for primitive in 0..model.meshes[mesh].primitives.len() {
                let b = self.primitive_bounds(model, node, primitive);
                // An overflowed pose must not swallow the rest.
                if b.min.is_finite() && b.max.is_finite() {
                    out.union(&b);
                }
            }
        }
        out
    }

    /// The box around one primitive of a node's mesh, relative to `origin`; empty where the node
    /// has no mesh or the primitive draws nothing.
    pub fn primitive_bounds(&self, model: &Model, node: usize, primitive: usize) -> Aabb {
        let Some(mesh) = model.nodes[node].mesh else { return Aabb::EMPTY };
        let primitive = &model.meshes[mesh].primitives[primitive];
        let weights = self.local.weights(node);
        match model.nodes[node].skin.map(|s| &model.skins[s]) {
            Some(skin) if primitive.influences.is_some() => {
                primitive.bounds.skinned(|j| skin.joint_matrix(j, &self.world), weights)
            }
            _ => {
                let world_from_node = *self.world.world_from_node(node);
                let instances = &model.nodes[node].instances;
                if instances.is_empty() {
                    return primitive.bounds.rigid(&world_from_node, weights);
                }
                let mut all = Aabb::EMPTY;
                for instance in instances {
                    all.union(&primitive.bounds.rigid(&(world_from_node * *instance), weights));
                }
                all
            }
        }
    }

    /// Whether no node of the scene has a mesh, or only empty ones.
    pub fn has_no_mesh(&self, model: &Model) -> bool {
        !self.nodes.iter().any(|node| draws(model, *node))
    }

    /// The joints of the skins that the scene uses, each once, in file order; all skins' where no
    /// node of the scene uses any. In a scene without a mesh in a file without a skin, the nodes that
    /// the file's clips move and those below them stand for joints.
    pub fn joints(&self, model: &Model) -> Vec<usize> {
        if model.skins.is_empty() {
            return self.tree.clone();
        }
        let mut used: Vec<usize> = self.nodes.iter().filter_map(|n| model.nodes[*n].skin).collect();
        if used.is_empty() {
            used = (0..model.skins.len()).collect();
        }
        used.sort_unstable();
        used.dedup();
        let mut joints: Vec<usize> =
            used.iter().flat_map(|s| model.skins[*s].joints.iter().map(|j| *j as usize)).collect();
        joints.sort_unstable();
        joints.dedup();
        joints
    }

    /// Returns the joint of [`Stage::joints`] whose weights have the greatest sum over all vertices; the
    /// first one if no vertex is weighted.
    pub fn heaviest_joint(&self, model: &Model) -> Option<usize> {
        let mut sums = vec![0.0; model.nodes.len()];
        for node in self.nodes.iter().map(|node| &model.nodes[*node]) {
            let (Some(mesh), Some(skin)) = (node.mesh, node.skin) else { continue };
            for primitive in &model.meshes[mesh].primitives {
                primitive.add_weights(&model.skins[skin].joints, &mut sums);
            }
        }
        let heavier = |a: usize, b: usize| if sums[b] > sums[a] { b } else { a };
        self.joints(model).into_iter().reduce(heavier)
    }

    /// Where a node is, relative to `origin`.
    pub fn position(&self, node: usize) -> Vec3 {
        self.world.world_from_node(node).translation.into()
    }

    /// A node's matrix to the scene itself, `origin` put back.
    pub fn scene_from_node(&self, node: usize) -> Affine3A {
        self.to_scene(*self.world.world_from_node(node))
    }

    /// A matrix or joint matrix to the scene itself, `origin` put back.
    pub fn to_scene(&self, mut world: Affine3A) -> Affine3A {
        world.translation = (Vec3::from(world.translation).as_dvec3() + self.origin).as_vec3a();
        world
    }
}

/// The points of a node's mesh that a hull of it is made of.
fn points(model: &Model, node: usize) -> usize {
    let mesh = model.nodes[node].mesh.map(|mesh| &model.meshes[mesh]);
    mesh.map_or(0, |mesh| mesh.primitives.iter().map(|p| p.bounds.outermost.len()).sum())
}

/// Whether a node draws what another one that was asked for draws at the very same place: the same
/// mesh by the same skin. Morph targets may differ.
fn is_there_already(model: &Model, node: usize, seen: &mut HashSet<(usize, usize)>) -> bool {
    let (Some(mesh), Some(skin)) = (model.nodes[node].mesh, model.nodes[node].skin) else {
        return false;
    };
    let is_skin = |p: &Primitive| p.influences.is_some() && p.targets.is_empty();
    model.meshes[mesh].primitives.iter().all(is_skin) && !seen.insert((mesh, skin))
}

/// The points that reach furthest over a whole clip, or at rest without one, relative to the
/// stage's origin: of what is drawn; where nothing is, of the joints, with a margin around them; of
/// the nodes where there are none. Leaves the stage in another pose.
pub fn clip_hull(model: &Model, stage: &mut Stage, clip: Option<&Clip>) -> Vec<Vec3> {
    let mut hull = Hull::default();
    let mut seen = HashSet::new();
    let shown = stage.nodes.iter().filter(|n| !is_there_already(model, **n, &mut seen));
    let shown: Vec<_> = shown.map(|n| (*n, model.furthest_instances(*n))).collect();
    let points: usize = shown.iter().map(|(n, i)| points(model, *n) * i.len().max(1)).sum();
    let times = times_to_frame(clip, points + model.nodes.len());
    for &time in &times {
        stage.pose(model, clip, time);
        for (&node, instances) in shown.iter().map(|(node, instances)| (node, instances)) {
            let Some(mesh) = model.nodes[node].mesh.filter(|_| stage.visible[node]) else {
                continue;
            };
            for primitive in 0..model.meshes[mesh].primitives.len() {
                let drawn = DrawnPrimitive { node, primitive };
                stage.outermost(model, drawn, instances, |at| hull.add(at, at));
            }
        }
    }
    let points: Vec<Vec3> = hull.furthest().collect();
    if points.is_empty() { bone_hull(model, stage, clip, &times) } else { points }
}

/// Returns the instants at which a clip is sampled to frame it: start, end, even times and keys between; 33 to
/// 161 of them, and fewer where `points` is very large.
fn times_to_frame(clip: Option<&Clip>, points: usize) -> Vec<f64> {
    const EVEN: usize = 32;
    const KEYS: usize = 128;
    // The most points that are computed over all instants.
    const MOST_POINTS: usize = 50_000_000;
    let Some(clip) = clip else { return vec![0.0] };
    let end = f64::from(clip.duration_secs());
    let mut times: Vec<f64> = (0..=EVEN).map(|i| end * i as f64 / EVEN as f64).collect();
    let mut keys: Vec<f32> = clip.key_times().collect();
    keys.sort_unstable_by(f32::total_cmp);
    keys.dedup();
    let step = keys.len().div_ceil(KEYS).max(1);
    times.extend(keys.into_iter().step_by(step).map(f64::from));
    let most = (MOST_POINTS / points.max(1)).max(2);
    if times.len() > most {
        let ends = [times[0], times[EVEN]];
        let step = times.len().div_ceil(most);
        times = ends.into_iter().chain(times.into_iter().skip(1).step_by(step)).collect();
    }
    times
}

/// The hull of a clip's joints where no mesh is around them, or of all nodes where there are no joints.
fn bone_hull(model: &Model, stage: &mut Stage, clip: Option<&Clip>, times: &[f64]) -> Vec<Vec3> {
    /// How far a body reaches beyond its joints, as a share of the largest side of their box.
    const FLESH: f32 = 0.08;
    let joints = stage.joints(model);
    let shown = if joints.is_empty() { stage.nodes.clone() } else { joints };
    let (mut hull, mut path, mut largest) = (Hull::default(), Aabb::EMPTY, 0.0f32);
    for &time in times {
        stage.pose(model, clip, time);
        let mut posed = Aabb::EMPTY;
        for at in shown.iter().map(|node| stage.position(*node)).filter(|at| at.is_finite()) {
            hull.add(at, at);
            posed.add(at);
        }
        if !posed.is_empty() {
            largest = largest.max(posed.size().max_element());
            path.union(&posed);
        }
    }
    // A single joint has no size but that of its path.
    if largest == 0.0 && !path.is_empty() {
        largest = path.size().max_element();
    }
    // Not below the lowest joint: there the ground is.
    let reach = FLESH * largest;
    let sides = [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z, Vec3::Y].map(|side| reach * side);
    let around = |at: Vec3| sides.map(|side| at + side).into_iter().chain([at]);
    hull.furthest().flat_map(around).collect()
}
