//! A scene of a model, posed at one time: the source of all pictures and numbers.

use std::collections::HashSet;

use glam::{Affine3A, DAffine3, DVec3, Vec3, Vec3A};

use super::bones::{Bone, draws, joints_of_tree};
use super::{Aabb, DrawnPrimitive, Field, Model, Primitive, Properties};
use rigview_anim::{BlendLayer, Clip, Cursor, LocalPose, Mixer, WorldPose, pose_layers};

/// A scene of a model and its pose. It is reused while the scene is shown; posing it again allocates
/// nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// Index of the scene.
    pub scene: usize,
    /// Its nodes, parents before children.
    pub nodes: Vec<usize>,
    /// The point that the world pose is relative to: zero, unless the scene is so far from its origin
    /// that the rounding of single precision would be visible.
    pub origin: DVec3,
    /// Offset of the scene; only non-zero in a crowd.
    pub place: DVec3,
    /// Transforms of all nodes of the file, relative to their parents.
    pub local: LocalPose,
    /// Matrices of all nodes of the file to the scene's space, relative to `origin`.
    pub world: WorldPose,
    /// The model's cameras, lights, materials and visibility at this time.
    pub properties: Properties,
    /// For each node of the file, whether it and all its ancestors are visible, and it is not hidden.
    pub visible: Vec<bool>,
    /// For each node of the file, whether it and all its ancestors are visible by the file.
    pub(super) unhidden: Vec<bool>,
    /// For each node of the file, whether [`Stage::hide_nodes`] leaves it out; empty if it leaves out no node.
    hidden: Vec<bool>,
    /// The nodes that serve as joints if there are neither meshes nor skins.
    tree: Vec<usize>,
    cursor: Cursor,
    mixer: Mixer,
    /// Whether some node can be hidden.
    hides: bool,
    /// Whether a matrix that no pose changes mirrors.
    mirrors: bool,
    /// Whether the scene was turned so that its +Z points up.
    stood_up: bool,
}

/// What a stage is posed by.
#[derive(Clone, Copy, Debug)]
pub enum PoseSource<'a> {
    /// A clip at a time in seconds; the rest pose without a clip.
    Clip(Option<&'a Clip>, f64),
    /// Layers of these clips.
    Layers(&'a [&'a Clip], &'a [BlendLayer]),
    /// Transforms of all nodes, relative to their parents.
    Transforms(&'a LocalPose),
}

/// A node that is moved horizontally to the X and Z of a place, with all nodes below it. All other nodes stay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeldRoot {
    /// The node.
    pub node: usize,
    /// The place in scene space.
    pub place: DVec3,
}

/// Rotates about X so that +Z points up.
const UP_FROM_Z: Affine3A =
    Affine3A::from_cols(glam::Vec3A::X, glam::Vec3A::NEG_Z, glam::Vec3A::Y, glam::Vec3A::ZERO);

/// Distance from the origin, in multiples of a scene's size, beyond which poses are relative to its
/// centre. At a thousand, single precision resolves a sixteen-thousandth of the size.
const FAR_FROM_ORIGIN: f64 = 1000.0;

impl Stage {
    /// Creates a stage of a scene in its rest pose.
    ///
    /// # Panics
    /// If there is no such scene.
    pub fn new(model: &Model, scene: usize) -> Self {
        Self::of_nodes(model, scene, model.scene_nodes(scene))
    }

    /// Creates a stage of all scenes at once in their rest pose, to measure everything that a file draws. Its
    /// [`scene`](Self::scene) is the default one.
    pub fn of_all_scenes(model: &Model) -> Self {
        let scenes = 0..model.scenes.len();
        let of_scenes: HashSet<usize> = scenes.flat_map(|scene| model.scene_nodes(scene)).collect();
        let nodes = model.hierarchy.parents_first().filter(|node| of_scenes.contains(node));
        Self::of_nodes(model, model.default_scene, nodes.collect())
    }

    fn of_nodes(model: &Model, scene: usize, nodes: Vec<usize>) -> Self {
        let mut stage = Self {
            scene,
            tree: joints_of_tree(model, &nodes),
            nodes,
            origin: DVec3::ZERO,
            place: DVec3::ZERO,
            local: model.rest.clone(),
            world: WorldPose::default(),
            properties: Properties::at_rest(
                &model.nodes,
                &model.cameras,
                &model.lights,
                &model.materials,
            )
            .moved_by(&model.slots),
            visible: vec![true; model.nodes.len()],
            unhidden: vec![true; model.nodes.len()],
            hidden: Vec::new(),
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

    /// Returns a copy at another place, which takes effect with the next pose.
    pub fn placed(&self, place: DVec3) -> Self {
        Self { place, ..self.clone() }
    }

    /// Poses all nodes by a clip at a time, or at rest without one.
    ///
    /// # Panics
    /// If the model is not that of the stage.
    pub fn pose(&mut self, model: &Model, clip: Option<&Clip>, time_secs: f64) {
        self.pose_with(model, PoseSource::Clip(clip, time_secs), None, |_| {});
    }

    /// Poses all nodes by layers of these clips; see [`pose_layers`].
    ///
    /// # Panics
    /// If the model is not that of the stage, or a layer's clip does not exist.
    pub fn pose_layers(&mut self, model: &Model, clips: &[&Clip], layers: &[BlendLayer]) {
        self.pose_with(model, PoseSource::Layers(clips, layers), None, |_| {});
    }

    /// Poses all nodes by a source, with a root that is held if there is one, and with transforms and morph weights that
    /// `change` changes. The node tree is resolved once, and before that once more for a root that is held.
    ///
    /// # Panics
    /// If the model is not that of the stage, or a layer's clip does not exist.
    pub fn pose_with(
        &mut self,
        model: &Model,
        source: PoseSource<'_>,
        held: Option<HeldRoot>,
        change: impl FnOnce(&mut LocalPose),
    ) {
        match source {
            PoseSource::Clip(Some(clip), time_secs) => {
                clip.pose(time_secs, &model.rest, &mut self.cursor, &mut self.local);
            }
            PoseSource::Clip(None, _) => self.local.copy_from(&model.rest),
            PoseSource::Layers(clips, layers) => {
                pose_layers(clips, layers, &model.rest, &mut self.mixer, &mut self.local);
            }
            PoseSource::Transforms(pose) => self.local.copy_from(pose),
        }
        if let Some(root) = held {
            self.resolve(model);
            self.hold(model, root);
        }
        change(&mut self.local);
        self.resolve(model);
    }

    /// Changes the translation of a root so that it is held. The world pose must be resolved; it does not change.
    fn hold(&mut self, model: &Model, root: HeldRoot) {
        let HeldRoot { node, place } = root;
        let now = self.position(node).as_dvec3() + self.origin;
        let by = (place - now).with_y(0.0).as_vec3();
        let world_from_parent = match model.hierarchy.parent(node) {
            Some(parent) => self.world.world_from_node(parent).matrix3,
            None => self.world_from_scene().matrix3,
        };
        let by = Vec3::from(world_from_parent.inverse() * Vec3A::from(by));
        if by.is_finite() && by != Vec3::ZERO {
            let translation = self.local.transform(node).translation + by;
            self.local.set_translation(node, translation);
        }
    }

    /// Returns the matrix from the space that a node's transform is relative to (that of its parent) to the scene.
    pub fn scene_from_parent(&self, model: &Model, node: usize) -> DAffine3 {
        match model.hierarchy.parent(node) {
            Some(parent) => {
                let world = self.world.world_from_node(parent);
                let mut scene = DAffine3::from_mat3_translation(
                    world.matrix3.as_dmat3(),
                    Vec3::from(world.translation).as_dvec3(),
                );
                scene.translation += self.origin;
                scene
            }
            None if self.stood_up => {
                let turn = UP_FROM_Z.matrix3.as_dmat3();
                DAffine3::from_mat3_translation(turn, self.place)
            }
            None => DAffine3::from_translation(self.place),
        }
    }

    /// Whether anything may be drawn mirrored, which reverses its winding order. If no node mirrors, no
    /// blend of joints does either, except for a skin that is twisted inside out.
    pub fn may_mirror(&self) -> bool {
        self.mirrors || self.local.has_negative_scale()
    }

    /// Whether the whole scene is turned so that its +Z points up.
    pub fn stood_up(&self) -> bool {
        self.stood_up
    }

    /// Turns the scene, including cameras and lights, about its X axis so that its +Z points up, or back
    /// to the file's orientation.
    pub fn stand_up(&mut self, model: &Model, stand_up: bool) {
        if self.stood_up != stand_up {
            let DVec3 { x, y, z } = self.origin;
            self.origin = if stand_up { DVec3::new(x, z, -y) } else { DVec3::new(x, -z, y) };
            self.stood_up = stand_up;
            self.resolve(model);
        }
    }

    /// Returns the matrix from the file's scene to the world, without the place.
    fn world_from_scene(&self) -> Affine3A {
        if self.stood_up { UP_FROM_Z } else { Affine3A::IDENTITY }
    }

    fn resolve(&mut self, model: &Model) {
        model.constrain(&mut self.local);
        // Subtract place and origin in double precision.
        let DVec3 { x, y, z } = self.origin - self.place;
        if self.stood_up {
            model.hierarchy.resolve(&self.local, DVec3::new(x, -z, y), &mut self.world);
            self.world.turn(&UP_FROM_Z);
        } else {
            model.hierarchy.resolve(&self.local, DVec3::new(x, y, z), &mut self.world);
        }
        self.properties.apply(&model.slots, &self.local);
        if self.hides {
            self.hide(model);
            self.combine_visibility();
        }
    }

    /// Leaves these nodes out of pictures and of the bounds, and shows all others as the file says. Descendants
    /// are not left out with them. Hulls over clips count hidden nodes, so that they have room when they return.
    ///
    /// # Panics
    /// If the list is neither empty nor as long as the file's list of nodes.
    pub fn hide_nodes(&mut self, hidden: Vec<bool>) {
        assert!(hidden.is_empty() || hidden.len() == self.visible.len());
        self.hidden = hidden;
        self.combine_visibility();
    }

    /// Leaves out the nodes that another stage of the scene leaves out.
    pub fn hide_like(&mut self, other: &Self) {
        self.hidden.clone_from(&other.hidden);
        self.combine_visibility();
    }

    /// Whether [`Stage::hide_nodes`] leaves a node out, whatever the file says.
    #[inline]
    pub fn is_hidden(&self, node: usize) -> bool {
        self.hidden.get(node).copied().unwrap_or(false)
    }

    /// Whether a node and all its ancestors are visible by the file, whatever [`Stage::hide_nodes`] leaves out.
    pub fn is_shown_by_file(&self, node: usize) -> bool {
        self.unhidden[node]
    }

    /// Updates the visibility by the file.
    fn hide(&mut self, model: &Model) {
        for node in model.hierarchy.parents_first() {
            let above = model.hierarchy.parent(node).is_none_or(|parent| self.unhidden[parent]);
            self.unhidden[node] = above && self.properties.shown[node] != 0.0;
        }
    }

    fn combine_visibility(&mut self) {
        self.visible.copy_from_slice(&self.unhidden);
        for (visible, hidden) in self.visible.iter_mut().zip(&self.hidden) {
            *visible &= !hidden;
        }
    }

    /// Returns the bounding box of everything visible, relative to `origin`. If nothing is drawn, that of
    /// the joints, or else of all nodes. Empty only without nodes.
    pub fn bounds(&self, model: &Model) -> Aabb {
        let mut all = self.drawn_bounds(model, &Affine3A::IDENTITY);
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

    /// Returns the bounding box of everything drawn, whose points are moved by `then` from their places relative to
    /// `origin`; empty if nothing is drawn.
    pub fn drawn_bounds(&self, model: &Model, then: &Affine3A) -> Aabb {
        let mut all = Aabb::EMPTY;
        for node in self.visible_once(model) {
            all.union(&self.moved_bounds(model, node, then));
        }
        all
    }

    /// Returns the visible nodes, without those that draw exactly the same as one before them.
    pub fn visible_once<'a>(&'a self, model: &'a Model) -> impl Iterator<Item = usize> + 'a {
        let mut seen = HashSet::new();
        let visible = self.nodes.iter().copied().filter(|node| self.visible[*node]);
        visible.filter(move |node| !is_duplicate(model, *node, &mut seen))
    }

    /// Returns the bounding box of a node's mesh, relative to `origin`; empty if it draws nothing.
    pub fn node_bounds(&self, model: &Model, node: usize) -> Aabb {
        self.moved_bounds(model, node, &Affine3A::IDENTITY)
    }

    /// Returns the bounding box of a node's mesh, moved by `then`.
    fn moved_bounds(&self, model: &Model, node: usize, then: &Affine3A) -> Aabb {
        let mut out = Aabb::EMPTY;
        if let Some(mesh) = model.nodes[node].mesh {
            for primitive in 0..model.meshes[mesh].primitives.len() {
                let b = self.moved_primitive_bounds(model, node, primitive, then);
                // Ignore boxes that overflow, so that they do not hide the others.
                if b.min.is_finite() && b.max.is_finite() {
                    out.union(&b);
                }
            }
        }
        out
    }

    /// Returns the bounding box of one primitive of a node's mesh, relative to `origin`; empty if the node
    /// has no mesh or the primitive draws nothing.
    pub fn primitive_bounds(&self, model: &Model, node: usize, primitive: usize) -> Aabb {
        self.moved_primitive_bounds(model, node, primitive, &Affine3A::IDENTITY)
    }

    /// Returns the bounding box of one primitive of a node's mesh, moved by `then`.
    fn moved_primitive_bounds(
        &self,
        model: &Model,
        node: usize,
        primitive: usize,
        then: &Affine3A,
    ) -> Aabb {
        let mut all = Aabb::EMPTY;
        let instances = &model.nodes[node].instances;
        let drawn = DrawnPrimitive { node, primitive };
        self.for_each_box(model, drawn, instances, |bounds, matrix| {
            all.union(&bounds.transformed(&(*then * *matrix)));
        });
        all
    }

    /// Calls `each` with boxes and the matrices to the scene's space, relative to `origin`, that hold a primitive of a node in
    /// this pose: those of the joints that move it; of a rigid one, that of each of these instances, or of the node itself
    /// if there are none.
    pub(super) fn for_each_box(
        &self,
        model: &Model,
        DrawnPrimitive { node, primitive }: DrawnPrimitive,
        instances: &[Affine3A],
        mut each: impl FnMut(&Aabb, &Affine3A),
    ) {
        let Some(mesh) = model.nodes[node].mesh else { return };
        let primitive = &model.meshes[mesh].primitives[primitive];
        let reach = primitive.bounds.morph_reach(self.local.weights(node));
        match model.nodes[node].skin.filter(|_| primitive.influences.is_some()) {
            Some(skin) => {
                for (joint, own) in &primitive.bounds.joints {
                    let matrix = model.skins[skin].joint_matrix(usize::from(*joint), &self.world);
                    each(&own.moved_by(&reach), &matrix);
                }
            }
            None => {
                let Some(rest) = primitive.bounds.rest else { return };
                let bounds = rest.moved_by(&reach);
                let world_from_node = *self.world.world_from_node(node);
                if instances.is_empty() {
                    each(&bounds, &world_from_node);
                }
                instances.iter().for_each(|instance| each(&bounds, &(world_from_node * *instance)));
            }
        }
    }

    /// Whether the scene has no mesh, or only empty ones.
    pub fn has_no_mesh(&self, model: &Model) -> bool {
        !self.nodes.iter().any(|node| draws(model, *node))
    }

    /// Returns the joints of the skins that the scene uses, each once, in file order; those of all skins
    /// if the scene uses none. If the file has no skin and the scene no mesh, the nodes that the file's
    /// clips move and their descendants serve as joints.
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

    /// Returns [`Stage::joints`], each with its nearest ancestor that is a joint.
    pub fn bones(&self, model: &Model) -> Vec<Bone> {
        let joints = self.joints(model);
        let mut is_joint = vec![false; model.nodes.len()];
        joints.iter().for_each(|joint| is_joint[*joint] = true);
        let above = model.hierarchy.nearest_above(|node| is_joint[node]);
        joints.into_iter().map(|joint| Bone { joint, parent: above[joint] }).collect()
    }

    /// Returns a node's position, relative to `origin`.
    #[inline]
    pub fn position(&self, node: usize) -> Vec3 {
        self.world.world_from_node(node).translation.into()
    }

    /// Returns a node's matrix to the scene's space, with `origin` added.
    #[inline]
    pub fn scene_from_node(&self, node: usize) -> Affine3A {
        self.to_scene(*self.world.world_from_node(node))
    }

    /// Returns the same of all nodes of the model in double precision. Unlike matrices relative to `origin`, they are exact for
    /// nodes that are far from the origin too.
    pub fn exact_scene_from_nodes(&self, model: &Model) -> Vec<DAffine3> {
        let mut scene_from_root = self.world_from_scene().as_daffine3();
        scene_from_root.translation += self.place;
        let mut all = vec![scene_from_root; model.nodes.len()];
        for node in model.hierarchy.parents_first() {
            let above = model.hierarchy.parent(node).map_or(scene_from_root, |parent| all[parent]);
            all[node] = above * model.hierarchy.parent_from_node(&self.local, node);
        }
        all
    }

    /// Converts a world or joint matrix to the scene's space by adding `origin`.
    #[inline]
    pub fn to_scene(&self, mut world: Affine3A) -> Affine3A {
        world.translation = (Vec3::from(world.translation).as_dvec3() + self.origin).as_vec3a();
        world
    }
}

/// Whether a node draws exactly the same as one that was checked before: the same mesh with the same
/// skin. Meshes with morph targets never match, because their weights can differ.
pub(super) fn is_duplicate(model: &Model, node: usize, seen: &mut HashSet<(usize, usize)>) -> bool {
    let (Some(mesh), Some(skin)) = (model.nodes[node].mesh, model.nodes[node].skin) else {
        return false;
    };
    let is_skin = |p: &Primitive| p.influences.is_some() && p.targets.is_empty();
    model.meshes[mesh].primitives.iter().all(is_skin) && !seen.insert((mesh, skin))
}
