//! The contents of a file, as plain data that is valid by construction.
//!
//! `import` builds a [`Model`] and checks every index, length and number in it; no other code needs to
//! check again. Indices of nodes, meshes, skins, materials, textures, images, cameras and clips are those
//! of the file. This crate does not use files or the GPU.
//!
//! ```
//! use rigview_import::{ImportOptions, load};
//! use rigview_model::Stage;
//!
//! let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/creature.glb");
//! let model = load(file.as_ref(), &ImportOptions::default())?.model;
//! // A stage is one scene with its pose.
//! let mut stage = Stage::new(&model, model.default_scene);
//! stage.pose(&model, model.clips.first(), 0.5);
//! let head = model.nodes.iter().position(|node| node.name.as_deref() == Some("head")).unwrap();
//! assert!(stage.scene_from_node(head).translation.y > 0.4);
//! # Ok::<(), rigview_import::ImportError>(())
//! ```

mod alpha_coverage;
mod bind_pose;
mod bones;
mod budget;
mod camera;
mod deform;
mod digits;
pub mod disjoint_sets;
mod environment;
mod escape;
mod extents;
mod image;
mod joint_limit;
mod light;
mod material;
mod material_field;
mod mesh;
mod node;
mod properties;
mod root_motion;
mod skin_form;
mod skin_motion;
mod slot_name;
mod source;
mod srgb;
mod stage;
mod surface;
mod texture;
mod thinned_path;
mod touch;
mod trail;
mod vrm;
mod warning;
mod widest_joint;
mod work;

use std::borrow::Cow;

use rigview_anim::{Clip, CycleError, Hierarchy, LocalPose, Skin, Transform};

pub use alpha_coverage::AlphaCoverage;
pub use bind_pose::bind_pose;
pub use bones::Bone;
pub use budget::{Budget, OverBudget};
pub use camera::{Camera, Projection};
pub use digits::{four_digits, three_digits};
pub use environment::{Environment, face_direction, rgb9e5};
pub use escape::{escaped, short_name};
pub use escape::{escaped_to, quoted};
pub use extents::bounds::{Aabb, PrimitiveBounds, SeenPoint};
pub use extents::clip_hull::{clip_hull, joint_hull, pose_hull};
pub use extents::exact_box::DrawnVertices;
pub use extents::hull::{FineHull, Hull};
pub use extents::scene_box::SceneBox;
pub use image::mean_color;
pub use image::{BlockFormat, BlockFormats, Blocks, Image, Pixels};
pub use joint_limit::{JointsBeyond, PrimitiveSkin};
pub use light::{Light, LightKind};
pub use material::{
    AlphaMode, Anisotropy, Clearcoat, DiffuseTransmission, Iridescence, Material, Sheen,
    SpecularGlossiness, Volume,
};
pub use material_field::MaterialField;
pub use mesh::{
    DrawnPrimitive, FileVertex, Influence, Influences, Mesh, Mode, MorphTarget, PalettePart,
    Primitive, Topology, UndrawnAttribute, Vertex,
};
pub use node::{Node, Scene};
pub use properties::{Field, Properties, Slot, SlotOwner};
pub use root_motion::RootMotion;
pub use skin_form::SkinForm;
pub use skin_motion::{DrawnShape, PointPositions, SkinMotion, VertexPlace};
pub use source::{
    Chunk, Container, Extension, ExtensionStatus, Extras, Metadata, Original, Source,
};
pub use srgb::{linear_from_srgb, precise_linear_from_srgb, srgb_from_linear};
pub use stage::{HeldRoot, PoseSource, Stage};
pub use surface::Ray;
pub use texture::{
    Filter, MaterialTextures, Texture, TextureRef, TextureSampler, TextureSlot, UvTransform, Wrap,
};
pub use touch::{Touch, Touched};
pub use trail::{Trail, TrailDetail};
pub use vrm::constraint::{Constraint, ConstraintKind};
pub use vrm::human_bone::{BonePart, HumanBone};
pub use vrm::{
    Collider, ColliderSide, ColorBind, Expression, FirstPerson, LookAt, MorphBind, Override,
    RangeMap, Spring, SpringJoint, TextureTransformBind, Vrm, VrmMeta,
};
pub use warning::{Loaded, Severity, Warning, WarningCode};
pub use work::{
    DrawnBy, MeshCounts, MeshDraws, PictureCounts, PictureKind, TooMuchWork, Work, WorkLimit,
};

/// The contents of a whole file.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Format, generator and extensions of the file.
    pub source: Source,
    /// The scenes; at least one (a file without scenes gets one with all root nodes).
    pub scenes: Vec<Scene>,
    /// Index of the scene that is shown by default.
    pub default_scene: usize,
    /// The nodes, whether in a scene or not.
    pub nodes: Vec<Node>,
    /// The parents of the nodes.
    pub hierarchy: Hierarchy,
    /// The nodes' transforms and morph weights in the rest pose.
    pub rest: LocalPose,
    /// The meshes.
    pub meshes: Vec<Mesh>,
    /// The skins.
    pub skins: Vec<Skin>,
    /// The materials, without the default one.
    pub materials: Vec<Material>,
    /// The textures: pairs of an image and a sampler.
    pub textures: Vec<Texture>,
    /// The images.
    pub images: Vec<Image>,
    /// The cameras; nodes place them.
    pub cameras: Vec<Camera>,
    /// The lights of KHR_lights_punctual; nodes place them.
    pub lights: Vec<Light>,
    /// The names of KHR_materials_variants.
    pub variants: Vec<String>,
    /// The animations.
    pub clips: Vec<Clip>,
    /// The humanoid of a VRM file.
    pub vrm: Option<Vrm>,
    /// Nodes whose rotation follows others, each after those that it depends on.
    pub constraints: Vec<Constraint>,
    /// The animated properties; a pose has one property slot for each.
    pub slots: Vec<Slot>,
    /// The memory budget of data derived from the file.
    pub budget: Budget,
}

impl Model {
    /// Creates a model of one scene with nodes and nothing else, by the parent and the transform at rest of each.
    ///
    /// # Errors
    /// If a node is its own ancestor.
    ///
    /// # Panics
    /// If a parent's index is out of range, or there are not as many transforms as parents.
    pub fn from_nodes(
        parents: &[Option<u32>],
        rest: impl IntoIterator<Item = Transform>,
    ) -> Result<Self, CycleError> {
        let rest: Vec<Transform> = rest.into_iter().collect();
        let roots = (0..parents.len()).filter(|node| parents[*node].is_none()).collect();
        Ok(Self {
            scenes: vec![Scene { name: None, roots }],
            nodes: vec![Node::default(); parents.len()],
            hierarchy: Hierarchy::new(parents.to_vec(), vec![])?,
            rest: LocalPose::new(rest, &vec![vec![]; parents.len()]),
            ..Self::default()
        })
    }

    /// Names the nodes in their order; nodes past the last name keep theirs.
    pub fn with_names<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        for (node, name) in self.nodes.iter_mut().zip(names) {
            node.name = Some(name.into());
        }
        self
    }

    /// Returns a node's name, or `node 7` if it has none.
    pub fn node_name(&self, node: usize) -> Cow<'_, str> {
        match self.nodes.get(node).and_then(|n| n.name.as_deref()) {
            Some(name) if !name.trim().is_empty() => Cow::Borrowed(name),
            _ => Cow::Owned(format!("node {node}")),
        }
    }

    /// The names of the nodes.
    pub fn node_names(&self) -> impl Iterator<Item = Option<&str>> + Clone {
        self.nodes.iter().map(|node| node.name.as_deref())
    }

    /// The names of the scenes.
    pub fn scene_names(&self) -> impl Iterator<Item = Option<&str>> + Clone {
        self.scenes.iter().map(|scene| scene.name.as_deref())
    }

    /// The names of the cameras.
    pub fn camera_names(&self) -> impl Iterator<Item = Option<&str>> + Clone {
        self.cameras.iter().map(|camera| camera.name.as_deref())
    }

    /// The names of the material variants.
    pub fn variant_names(&self) -> impl Iterator<Item = Option<&str>> + Clone {
        self.variants.iter().map(|variant| Some(variant.as_str()))
    }

    /// Returns for each node whether it is a joint of a skin.
    pub fn skin_joints(&self) -> Vec<bool> {
        let mut is_joint = vec![false; self.nodes.len()];
        for joint in self.skins.iter().flat_map(|skin| &skin.joints) {
            is_joint[*joint as usize] = true;
        }
        is_joint
    }

    /// Whether a matrix that no pose changes mirrors: that of a sheared node, an instance matrix, or an
    /// inverse bind matrix.
    pub fn has_mirroring_matrix(&self) -> bool {
        let fixed = self.hierarchy.fixed().iter().map(|fixed| &fixed.parent_from_node);
        let instances = self.nodes.iter().flat_map(|node| &node.instances);
        let bound = self.skins.iter().flat_map(|skin| &skin.joint_from_mesh);
        let mut all = fixed.chain(instances).chain(bound);
        all.any(|matrix| matrix.matrix3.determinant() < 0.0)
    }

    /// Returns the position of each node in the depth-first order of a scene's tree, with children in file order. Nodes of other scenes come last. Without such a scene, all do.
    pub fn tree_places(&self, scene: usize) -> Vec<usize> {
        let count = self.nodes.len();
        let mut children = vec![Vec::new(); count];
        for node in 0..count {
            if let Some(parent) = self.hierarchy.parent(node) {
                children[parent].push(node);
            }
        }
        let mut places = vec![usize::MAX; count];
        let roots = self.scenes.get(scene).map_or(&[][..], |scene| &scene.roots);
        let mut next: Vec<usize> = roots.iter().rev().copied().collect();
        let mut place = 0;
        while let Some(node) = next.pop() {
            // A file may list a node that hangs below another root.
            if places[node] != usize::MAX {
                continue;
            }
            places[node] = place;
            place += 1;
            next.extend(children[node].iter().rev());
        }
        places
    }

    /// Returns all nodes of a scene, parents before children.
    ///
    /// # Panics
    /// If there is no such scene.
    pub fn scene_nodes(&self, scene: usize) -> Vec<usize> {
        let mut inside = vec![false; self.nodes.len()];
        for root in &self.scenes[scene].roots {
            inside[*root] = true;
        }
        let inside = self.hierarchy.with_descendants(inside);
        self.hierarchy.parents_first().filter(|node| inside[*node]).collect()
    }
}
