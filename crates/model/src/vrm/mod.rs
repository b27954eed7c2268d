//! The humanoid of a VRM file, in the words of VRM 1.0.

pub mod constraint;
pub mod human_bone;

use std::collections::BTreeMap;

use glam::Vec3;
use serde::Serialize;

use self::human_bone::HumanBone;

/// An avatar: what the extensions of VRM 0.x and 1.0 add to a model, or VRM animation 1.0 to its clips.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vrm {
    /// The version of the specification that the file names, such as `1.0`.
    pub version: String,
    /// Title, authors and licence.
    pub meta: VrmMeta,
    /// The nodes of the humanoid's bones.
    pub bones: BTreeMap<HumanBone, usize>,
    /// The expressions, those of presets first.
    pub expressions: Vec<Expression>,
    /// How nodes with meshes are seen from the avatar's own eyes.
    pub first_person: Vec<FirstPerson>,
    /// How the eyes follow a gaze.
    pub look_at: Option<LookAt>,
    /// The node whose rotation is the gaze, in a file of VRM animation.
    pub gaze: Option<usize>,
    /// Chains of joints that swing.
    pub springs: Vec<Spring>,
    /// What these collide with.
    pub colliders: Vec<Collider>,
    /// The materials that are made for toon shading.
    pub mtoon: Vec<usize>,
    /// The weights by expression that the rest pose and the clips already show; empty for none.
    pub shown_at_rest: Vec<f32>,
}

impl Vrm {
    /// Returns the azimuth in radians from which the avatar's front is seen: avatars of VRM 0.x look along -Z, all others
    /// along +Z as glTF demands.
    pub fn front(&self) -> f64 {
        if self.version.starts_with('0') { std::f64::consts::PI } else { 0.0 }
    }
}

/// Title, authors and licence of an avatar.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VrmMeta {
    /// The title.
    pub name: Option<String>,
    /// The authors.
    pub authors: Vec<String>,
    /// The licence, by name or address.
    pub licence: Option<String>,
    /// The other terms, as the file words them: `allowRedistribution`, `commercialUsage` and so on.
    pub terms: Vec<(String, String)>,
}

/// How a node is seen from the avatar's own eyes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FirstPerson {
    /// The node with the mesh.
    pub node: usize,
    /// `auto`, `both`, `thirdPersonOnly` or `firstPersonOnly`.
    #[serde(rename = "type")]
    pub kind: String,
}

/// How the eyes of an avatar follow a gaze.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LookAt {
    /// What shows the gaze: `bone`, which are those of the eyes, or `expression`.
    pub kind: String,
    /// How far an eye turns towards the nose.
    pub inner: RangeMap,
    /// How far an eye turns away from the nose; how much an expression shows of a gaze to one side.
    pub outer: RangeMap,
    /// The same for a gaze down.
    pub down: RangeMap,
    /// The same for a gaze up.
    pub up: RangeMap,
}

/// What an angle of the gaze becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RangeMap {
    /// The angle in degrees from which on the output stays the same.
    pub most_degrees: f32,
    /// The output there: degrees of an eye's bone, or the weight of an expression.
    pub output: f32,
}

impl RangeMap {
    /// Returns the output for an angle in degrees that is not negative; it grows linearly.
    pub fn output_for(self, degrees: f64) -> f64 {
        if self.most_degrees > 0.0 {
            (degrees / f64::from(self.most_degrees)).min(1.0) * f64::from(self.output)
        } else {
            0.0
        }
    }
}

rigview_anim::named_enum! {
    /// What an expression does to others of a kind while it shows, with its name in VRM 1.0.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Override {
        /// Nothing.
        #[default]
        None = "none",
        /// Hides them.
        Block = "block",
        /// Fades them out by its own weight.
        Blend = "blend",
    }
}

/// An expression: morph targets and materials that change together.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Expression {
    /// Its name; that of VRM 1.0 if it is a preset.
    pub name: String,
    /// Whether it is one of the specification.
    #[serde(rename = "preset")]
    pub is_preset: bool,
    /// Whether it is either on, above a weight of 0.5, or off.
    pub is_binary: bool,
    /// What it does to blinking.
    pub override_blink: Override,
    /// What it does to the expressions of looking somewhere.
    pub override_look_at: Override,
    /// What it does to the expressions of the mouth.
    pub override_mouth: Override,
    /// The morph weights that it adds.
    pub morphs: Vec<MorphBind>,
    /// The colours that it fades to.
    pub colors: Vec<ColorBind>,
    /// The texture transforms that it fades to.
    pub texture_transforms: Vec<TextureTransformBind>,
    /// The node whose translation along X is its weight, in a file of VRM animation.
    #[serde(skip)]
    pub node: Option<usize>,
}

/// A morph weight of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MorphBind {
    /// The node with the mesh.
    pub node: usize,
    /// Index of the morph target.
    pub target: usize,
    /// The weight of the target where that of the expression is 1.
    pub weight: f32,
}

/// A colour of an expression.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ColorBind {
    /// The material.
    pub material: usize,
    /// The kind of colour: `color`, `emissionColor`, `shadeColor` and further ones of toon shading.
    #[serde(rename = "type")]
    pub kind: String,
    /// Red, green, blue and alpha.
    pub value: [f32; 4],
}

/// A texture transform of an expression, for all textures of a material.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TextureTransformBind {
    /// The material.
    pub material: usize,
    /// The scale by axis; `None` for an axis that stays as the material has it.
    pub scale: [Option<f32>; 2],
    /// The offset by axis, as the scale.
    pub offset: [Option<f32>; 2],
}

/// A chain of joints that swing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spring {
    /// Its name.
    pub name: Option<String>,
    /// The joints from the root outwards. The last one does not swing, it is only where the one before it ends.
    pub joints: Vec<SpringJoint>,
    /// Indices of colliders.
    pub colliders: Vec<usize>,
    /// The node in whose axes the chain swings; `None` for the scene.
    pub center: Option<usize>,
}

/// A joint of a chain that swings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SpringJoint {
    /// The node.
    pub node: usize,
    /// Where the bone ends in the node's axes, if the chain ends with it.
    pub tail: Option<Vec3>,
    /// The radius that collides, in metres.
    pub hit_radius: f32,
    /// How strongly it returns to where the clip holds it.
    pub stiffness: f32,
    /// How strongly it falls.
    pub gravity_power: f32,
    /// Where it falls.
    pub gravity_dir: Vec3,
    /// The share of its speed that it loses per step.
    pub drag_force: f32,
}

/// On which side of a collider chains stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ColliderSide {
    /// Outside of a sphere or capsule.
    #[default]
    Outside,
    /// Inside of a sphere or capsule.
    Inside,
    /// Above the plane through the centre, to which this normal in the node's axes points.
    Above(Vec3),
}

/// A sphere, capsule or plane that chains collide with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Collider {
    /// The node that it moves with.
    pub node: usize,
    /// Its centre, or that of a capsule's first end, in the node's axes.
    pub offset: Vec3,
    /// The centre of a capsule's other end; `None` for a sphere.
    pub tail: Option<Vec3>,
    /// Its radius; of no use for a plane.
    pub radius: f32,
    /// Where chains stay.
    pub side: ColliderSide,
}

impl Vrm {
    /// Returns the bone of a node.
    pub fn bone_of(&self, node: usize) -> Option<HumanBone> {
        self.bones.iter().find(|(_, at)| **at == node).map(|(bone, _)| *bone)
    }
}
