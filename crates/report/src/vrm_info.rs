//! The humanoid of a VRM file, as data that can be serialised.

use serde::Serialize;

use rigview_model::{FirstPerson, Model, Vrm};

/// A bone of the humanoid.
#[derive(Clone, Debug, Serialize)]
pub struct BoneInfo {
    /// Its name in VRM 1.0.
    pub bone: String,
    /// Its node.
    pub node: usize,
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
    pub first_person: Vec<FirstPerson>,
    /// `bone` or `expression`.
    pub look_at: Option<String>,
    /// The node whose rotation is the gaze, in a file of VRM animation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gaze: Option<usize>,
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

/// Describes an avatar; `None` if the file is no VRM file.
pub(super) fn avatar(model: &Model) -> Option<AvatarInfo> {
    let Vrm { version, meta, first_person, look_at, gaze, springs, mtoon, .. } =
        model.vrm.as_ref()?;
    let terms = meta.terms.iter();
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
        first_person: first_person.clone(),
        look_at: look_at.as_ref().map(|eyes| eyes.kind.clone()),
        gaze: *gaze,
        springs: springs.collect(),
        mtoon: mtoon.clone(),
    })
}
