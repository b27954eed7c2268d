//! What a VRM file says of its humanoid, as data that can be serialised.

use serde::Serialize;

use crate::model::{Expression, Model, Vrm};

/// A bone of the humanoid.
#[derive(Clone, Debug, Serialize)]
pub struct BoneInfo {
    /// Its name in VRM 1.0.
    pub bone: String,
    /// Its node.
    pub node: usize,
}

/// An expression.
#[derive(Clone, Debug, Serialize)]
pub struct ExpressionInfo {
    /// Its name; that of VRM 1.0 if it is a preset.
    pub name: String,
    /// Whether it is a preset.
    pub preset: bool,
    /// Whether it is on or off.
    pub is_binary: bool,
    /// `none`, `block` or `blend`.
    pub override_blink: &'static str,
    /// `none`, `block` or `blend`.
    pub override_look_at: &'static str,
    /// `none`, `block` or `blend`.
    pub override_mouth: &'static str,
    /// The morph weights that it adds.
    pub morphs: Vec<MorphInfo>,
    /// The colours that it fades to.
    pub colors: Vec<ColorInfo>,
    /// The texture transforms that it fades to.
    pub texture_transforms: Vec<TextureTransformInfo>,
}

/// A morph weight of an expression.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MorphInfo {
    /// The node with the mesh.
    pub node: usize,
    /// Index of the morph target.
    pub target: usize,
    /// Its weight where that of the expression is 1.
    pub weight: f32,
}

/// A colour of an expression.
#[derive(Clone, Debug, Serialize)]
pub struct ColorInfo {
    /// The material.
    pub material: usize,
    /// The kind of colour, in the words of VRM 1.0.
    #[serde(rename = "type")]
    pub kind: String,
    /// Red, green, blue and alpha.
    pub value: [f32; 4],
}

/// A texture transform of an expression.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TextureTransformInfo {
    /// The material.
    pub material: usize,
    /// The scale.
    pub scale: [f32; 2],
    /// The offset.
    pub offset: [f32; 2],
}

/// An avatar.
#[derive(Clone, Debug, Serialize)]
pub struct AvatarInfo {
    /// The version of VRM.
    pub version: String,
    /// Its title.
    pub name: Option<String>,
    /// Its authors.
    pub authors: Vec<String>,
    /// Its licence, by name or address.
    pub licence: Option<String>,
    /// Its other terms.
    pub terms: Vec<TermInfo>,
    /// How meshes are seen from the avatar's own eyes.
    pub first_person: Vec<FirstPersonInfo>,
    /// `bone` or `expression`.
    pub look_at: Option<String>,
    /// The chains of joints that swing.
    pub springs: Vec<SpringInfo>,
    /// The materials that are made for toon shading.
    pub mtoon: Vec<usize>,
}

/// A term of use.
#[derive(Clone, Debug, Serialize)]
pub struct TermInfo {
    /// Its name in the file.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// How a node is seen from the avatar's own eyes.
#[derive(Clone, Debug, Serialize)]
pub struct FirstPersonInfo {
    /// The node.
    pub node: usize,
    /// `auto`, `both`, `thirdPersonOnly` or `firstPersonOnly`.
    #[serde(rename = "type")]
    pub kind: String,
}

/// A chain of joints that swing.
#[derive(Clone, Debug, Serialize)]
pub struct SpringInfo {
    /// Its name.
    pub name: Option<String>,
    /// The nodes of its joints.
    pub joints: Vec<usize>,
    /// Number of spheres and capsules that it collides with.
    pub colliders: usize,
}

/// Lists a humanoid's bones; `None` if the file is no VRM file.
pub(super) fn humanoid(model: &Model) -> Option<Vec<BoneInfo>> {
    let bones = model.vrm.as_ref()?.bones.iter();
    Some(bones.map(|(bone, node)| BoneInfo { bone: bone.to_string(), node: *node }).collect())
}

/// Lists an avatar's expressions; `None` if the file is no VRM file.
pub(super) fn expressions(model: &Model) -> Option<Vec<ExpressionInfo>> {
    Some(model.vrm.as_ref()?.expressions.iter().map(expression).collect())
}

fn expression(e: &Expression) -> ExpressionInfo {
    let morphs = e.morphs.iter();
    let colors = e.colors.iter();
    let transforms = e.texture_transforms.iter();
    ExpressionInfo {
        name: e.name.clone(),
        preset: e.is_preset,
        is_binary: e.is_binary,
        override_blink: e.override_blink.as_str(),
        override_look_at: e.override_look_at.as_str(),
        override_mouth: e.override_mouth.as_str(),
        morphs: morphs
            .map(|m| MorphInfo { node: m.node, target: m.target, weight: m.weight })
            .collect(),
        colors: colors
            .map(|c| ColorInfo { material: c.material, kind: c.kind.clone(), value: c.value })
            .collect(),
        texture_transforms: transforms
            .map(|t| TextureTransformInfo {
                material: t.material,
                scale: t.scale,
                offset: t.offset,
            })
            .collect(),
    }
}

/// Describes an avatar; `None` if the file is no VRM file.
pub(super) fn avatar(model: &Model) -> Option<AvatarInfo> {
    let Vrm { version, meta, first_person, look_at, springs, mtoon, .. } = model.vrm.as_ref()?;
    let terms = meta.terms.iter();
    let seen = first_person.iter();
    let springs = springs.iter().map(|spring| SpringInfo {
        name: spring.name.clone(),
        joints: spring.joints.iter().map(|joint| joint.node).collect(),
        colliders: spring.colliders.len(),
    });
    Some(AvatarInfo {
        version: version.clone(),
        name: meta.name.clone(),
        authors: meta.authors.clone(),
        licence: meta.licence.clone(),
        terms: terms
            .map(|(name, value)| TermInfo { name: name.clone(), value: value.clone() })
            .collect(),
        first_person: seen
            .map(|seen| FirstPersonInfo { node: seen.node, kind: seen.kind.clone() })
            .collect(),
        look_at: look_at.clone(),
        springs: springs.collect(),
        mtoon: mtoon.clone(),
    })
}
