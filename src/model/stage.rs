//! A scene of a model, posed at an instant: what every picture and every number comes from.

use glam::{Affine3A, DVec3, Vec3};

use super::{Aabb, Field, Hull, Model, Properties};
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
        let mut stage = Self {
            scene,
            nodes: model.scene_nodes(scene),
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
        for &node in self.nodes.iter().filter(|node| self.visible[**node]) {
            all.union(&self.node_bounds(model, node));
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

    /// The joints of the skins that the scene uses, each once, in file order; all skins' where no
    /// node of the scene uses any.
    pub fn joints(&self, model: &Model) -> Vec<usize> {
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

/// The points that reach furthest over a whole clip, or at rest without one, relative to the
/// stage's origin: of what is drawn, of the joints where nothing is, of the nodes where there are
/// none. The clip is looked at where it starts and ends, at even times and at keys between: at 33
/// times at least and 161 at most. The stage is left in another pose.
pub fn clip_hull(model: &Model, stage: &mut Stage, clip: Option<&Clip>) -> Vec<Vec3> {
    const EVEN: usize = 32;
    const KEYS: usize = 128;
    let mut times: Vec<f64> = vec![0.0];
    if let Some(clip) = clip {
        let end = f64::from(clip.duration_secs());
        times = (0..=EVEN).map(|i| end * i as f64 / EVEN as f64).collect();
        let mut keys: Vec<f32> = clip.key_times().collect();
        keys.sort_unstable_by(f32::total_cmp);
        keys.dedup();
        let step = keys.len().div_ceil(KEYS).max(1);
        times.extend(keys.into_iter().step_by(step).map(f64::from));
    }
    let mut hull = Hull::default();
    let instances: Vec<_> = stage.nodes.iter().map(|n| model.furthest_instances(*n)).collect();
    for time in times {
        stage.pose(model, clip, time);
        for (&node, instances) in stage.nodes.iter().zip(&instances) {
            let Some(mesh) = model.nodes[node].mesh.filter(|_| stage.visible[node]) else {
                continue;
            };
            for primitive in 0..model.meshes[mesh].primitives.len() {
                stage.outermost(model, node, primitive, instances, |at| hull.add(at, at));
            }
        }
        if hull.furthest().next().is_none() {
            let joints = stage.joints(model);
            let shown = if joints.is_empty() { &stage.nodes } else { &joints };
            shown.iter().map(|node| stage.position(*node)).for_each(|at| hull.add(at, at));
        }
    }
    hull.furthest().collect()
}
