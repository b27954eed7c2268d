//! What a VRM file says of its humanoid, in the words of VRM 1.0.

pub mod constraint;
pub mod express;
pub mod expression_clips;
pub mod gaze;
pub mod springs;

use std::collections::BTreeMap;

use glam::Vec3;
use serde::Serialize;

use super::HumanBone;
use rigview_anim::LocalPose;

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
    /// The weights by expression with which `Model::express` shows them at rest; empty before.
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
        match self.most_degrees > 0.0 {
            true => (degrees / f64::from(self.most_degrees)).min(1.0) * f64::from(self.output),
            false => 0.0,
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

/// What an expression is about, which decides what overrides it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum About {
    Blinking,
    Looking,
    Mouth,
    Else,
}

impl Vrm {
    /// Returns the bone that a node is.
    pub fn bone_of(&self, node: usize) -> Option<HumanBone> {
        self.bones.iter().find(|(_, at)| **at == node).map(|(bone, _)| *bone)
    }

    /// Adds the morph weights of expressions to a pose; there is one weight per expression.
    pub fn express(&self, weights: &[f32], pose: &mut LocalPose) {
        for ([node, target], weight) in self.morph_weights(weights) {
            pose.weights_mut(node)[target] += weight;
        }
    }

    /// Returns what expressions add to morph weights, by node and target; there is one weight per expression.
    pub fn morph_weights(&self, weights: &[f32]) -> BTreeMap<[usize; 2], f32> {
        let mut added = BTreeMap::new();
        for (expression, weight) in
            self.expressions.iter().zip(shown_weights(&self.expressions, weights))
        {
            for bind in expression.morphs.iter().filter(|_| weight != 0.0) {
                *added.entry([bind.node, bind.target]).or_default() += weight * bind.weight;
            }
        }
        added
    }
}

impl Expression {
    fn about(&self) -> About {
        match self.name.as_str() {
            _ if !self.is_preset => About::Else,
            "blink" | "blinkLeft" | "blinkRight" => About::Blinking,
            "lookUp" | "lookDown" | "lookLeft" | "lookRight" => About::Looking,
            "aa" | "ih" | "ou" | "ee" | "oh" => About::Mouth,
            _ => About::Else,
        }
    }

    /// Returns what the expression does to others that are about something.
    fn overrides(&self, about: About) -> Override {
        match about {
            About::Blinking => self.override_blink,
            About::Looking => self.override_look_at,
            About::Mouth => self.override_mouth,
            About::Else => Override::None,
        }
    }

    /// Returns the weight that shows: a binary expression is on or off.
    fn shown(&self, weight: f32) -> f32 {
        match self.is_binary {
            true => f32::from(u8::from(weight > 0.5)),
            false => weight.clamp(0.0, 1.0),
        }
    }
}

/// Returns the share that other expressions leave of those about something, given one weight per expression.
fn left(about: About, expressions: &[Expression], weights: &[f32]) -> f32 {
    // The specification declares it invalid that an expression overrides its own kind.
    let others = expressions.iter().zip(weights).filter(|(e, _)| e.about() != about);
    let taken = others.map(|(e, weight)| {
        let weight = e.shown(*weight);
        match e.overrides(about) {
            Override::None => 0.0,
            Override::Block => f32::from(u8::from(weight > 0.0)),
            Override::Blend => weight,
        }
    });
    (1.0 - taken.sum::<f32>()).max(0.0)
}

/// Returns the weights that expressions show with, after binary ones were rounded and those that others override
/// were reduced. There is one weight per expression.
pub fn shown_weights(expressions: &[Expression], weights: &[f32]) -> Vec<f32> {
    let [blinking, looking, mouth] = [About::Blinking, About::Looking, About::Mouth]
        .map(|about| left(about, expressions, weights));
    let reduced = expressions.iter().zip(weights).map(|(e, weight)| {
        let weight = e.shown(*weight)
            * match e.about() {
                About::Blinking => blinking,
                About::Looking => looking,
                About::Mouth => mouth,
                About::Else => 1.0,
            };
        if e.is_binary && weight < 1.0 { 0.0 } else { weight }
    });
    reduced.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preset(name: &str) -> Expression {
        Expression { name: name.into(), is_preset: true, ..Expression::default() }
    }

    #[test]
    fn a_binary_expression_is_on_or_off_and_overridden_as_a_whole() {
        let blend = Expression { override_blink: Override::Blend, ..preset("happy") };
        let block = Expression { override_mouth: Override::Block, ..preset("angry") };
        let blink = Expression { is_binary: true, ..preset("blink") };
        let all = [blend, block, blink, preset("blinkLeft"), preset("aa"), preset("sad")];
        let shown = |weights: [f32; 6]| shown_weights(&all, &weights);
        assert_eq!(shown([0.0, 0.0, 0.6, 0.5, 0.4, 2.0]), [0.0, 0.0, 1.0, 0.5, 0.4, 1.0]);
        assert_eq!(shown([0.25, 0.0, 0.6, 0.5, 0.4, 0.0]), [0.25, 0.0, 0.0, 0.375, 0.4, 0.0]);
        assert_eq!(shown([0.0, 0.1, 0.5, 0.5, 0.4, 0.0]), [0.0, 0.1, 0.0, 0.5, 0.0, 0.0]);
    }

    /// VRMC_vrm 1.0, expressions.md: such a setting is invalid, and is as if it were `none`.
    #[test]
    fn an_expression_does_not_override_its_own_kind() {
        for kind in [Override::Block, Override::Blend] {
            let all = [
                Expression { override_blink: kind, ..preset("blink") },
                Expression { override_mouth: kind, ..preset("aa") },
                Expression { override_look_at: kind, ..preset("lookLeft") },
                preset("blinkLeft"),
            ];
            let weights = [0.5, 0.5, 0.5, 0.5];
            assert_eq!(shown_weights(&all, &weights), weights, "{kind:?}");
        }
        let blocks = Expression { override_mouth: Override::Block, ..preset("blink") };
        assert_eq!(shown_weights(&[blocks, preset("aa")], &[0.5, 0.5]), [0.5, 0.0]);
    }
}
