//! The contents of a model, as an inventory.

use std::collections::{BTreeMap, HashMap};

use glam::Vec3;
use serde::Serialize;

use super::vrm_info::{self, AvatarInfo, BoneInfo};
use rigview_anim::Clip;
use rigview_model::{
    Camera, Container, Expression, ExtensionStatus, Image, Mesh, Model, Primitive, Projection,
    Stage,
};

/// A model's inventory.
#[derive(Clone, Debug, Serialize)]
pub struct ModelInfo {
    /// `glTF 2.0` or `glTF 1.0`.
    pub format: String,
    /// `glb` or `gltf`.
    pub container: &'static str,
    /// The program that wrote the file.
    pub generator: Option<String>,
    /// Who owns the rights, as the file says.
    pub copyright: Option<String>,
    /// The scenes.
    pub scenes: Vec<SceneInfo>,
    /// Number of nodes.
    pub nodes: usize,
    /// The meshes.
    pub meshes: Vec<MeshInfo>,
    /// The skins.
    pub skins: Vec<SkinInfo>,
    /// Names that several joints have.
    pub same_names: Vec<SameName>,
    /// The clips.
    pub animations: Vec<AnimationInfo>,
    /// The materials.
    pub materials: Vec<Named>,
    /// The textures.
    pub textures: Vec<Named>,
    /// The images.
    pub images: Vec<ImageInfo>,
    /// The cameras.
    pub cameras: Vec<CameraInfo>,
    /// The lights.
    pub lights: Vec<LightInfo>,
    /// The names of the material variants.
    pub variants: Vec<String>,
    /// The metadata of the file and its objects (KHR_xmp_json_ld).
    pub metadata: Vec<MetadataInfo>,
    /// What applications have stored in the file's objects.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extras: Vec<ExtrasInfo>,
    /// The extensions that the file uses.
    pub extensions: Vec<ExtensionInfo>,
    /// The humanoid, title and licence of a VRM file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub avatar: Option<AvatarInfo>,
    /// The bones of a VRM file's humanoid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub humanoid: Option<Vec<BoneInfo>>,
    /// The expressions of a VRM file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expressions: Option<Vec<Expression>>,
    /// The nodes whose rotation follows others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<ConstraintInfo>,
    /// The bounding box of the default scene at rest; `None` if it has no nodes.
    pub bounds: Option<BoundsInfo>,
}

/// An object with a name.
#[derive(Clone, Debug, Serialize)]
pub struct Named {
    /// Its index.
    pub index: usize,
    /// Its name.
    pub name: Option<String>,
}

/// A node whose rotation follows another one.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ConstraintInfo {
    /// The node.
    pub node: usize,
    /// `roll`, `aim` or `rotation`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The node that it follows.
    pub source: usize,
    /// From 0 to 1.
    pub weight: f32,
}

/// A scene.
#[derive(Clone, Debug, Serialize)]
pub struct SceneInfo {
    /// Its index.
    pub index: usize,
    /// Its name.
    pub name: Option<String>,
    /// Whether it is the default scene.
    pub default: bool,
    /// Its root nodes.
    pub roots: Vec<usize>,
}

/// A mesh.
#[derive(Clone, Debug, Serialize)]
pub struct MeshInfo {
    /// Its index.
    pub index: usize,
    /// Its name.
    pub name: Option<String>,
    /// Its primitives.
    pub primitives: Vec<PrimitiveInfo>,
}

/// A primitive of a mesh.
#[derive(Clone, Debug, Serialize)]
pub struct PrimitiveInfo {
    /// The primitive mode's name in glTF.
    pub mode: &'static str,
    /// Number of vertices in the file.
    pub vertices: u32,
    /// Number of drawn triangles.
    pub triangles: usize,
    /// The largest number of joints that move one vertex.
    pub influences: u32,
    /// Number of morph targets.
    pub morph_targets: usize,
    /// The attributes' names.
    pub attributes: Vec<String>,
}

/// A skin.
#[derive(Clone, Debug, Serialize)]
pub struct SkinInfo {
    /// Its index.
    pub index: usize,
    /// Its name.
    pub name: Option<String>,
    /// Number of joints.
    pub joints: usize,
    /// The largest number of palettes, of at most 100 joints each, that a primitive of this skin needs.
    pub palettes: usize,
}

/// A name that several joints have, of one skin or of several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SameName {
    /// The name.
    pub name: String,
    /// The nodes with this name that are joints.
    pub joints: Vec<usize>,
}

/// A clip.
#[derive(Clone, Debug, Serialize)]
pub struct AnimationInfo {
    /// Its index.
    pub index: usize,
    /// Its name.
    pub name: Option<String>,
    /// The time of its first key, in seconds.
    pub start: f32,
    /// The time of its last key, in seconds.
    pub duration: f32,
    /// Number of its valid channels.
    pub channels: usize,
    /// Number of its samplers in the file. Channels may share one.
    pub samplers: usize,
    /// Number of channels per interpolation.
    pub interpolations: BTreeMap<&'static str, usize>,
    /// Number of channels per driven property.
    pub targets: BTreeMap<&'static str, usize>,
}

/// An image.
#[derive(Clone, Debug, Serialize)]
pub struct ImageInfo {
    /// Its index.
    pub index: usize,
    /// Its name.
    pub name: Option<String>,
    /// Its media type.
    pub mime: String,
    /// Width in pixels; 0 if it can't be read.
    pub width: u32,
    /// Height in pixels; 0 if it can't be read.
    pub height: u32,
}

/// A camera.
#[derive(Clone, Debug, Serialize)]
pub struct CameraInfo {
    /// Its index.
    pub index: usize,
    /// Its name.
    pub name: Option<String>,
    /// `perspective` or `orthographic`.
    pub kind: &'static str,
}

/// A light.
#[derive(Clone, Debug, Serialize)]
pub struct LightInfo {
    /// Its index.
    pub index: usize,
    /// Its name.
    pub name: Option<String>,
    /// `directional`, `point` or `spot`.
    pub kind: &'static str,
    /// Colour in linear RGB.
    pub color: [f32; 3],
    /// Intensity in lux (directional) or candela.
    pub intensity: f32,
    /// Range in metres; `None` is unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<f32>,
}

/// The metadata of one object.
#[derive(Clone, Debug, Serialize)]
pub struct MetadataInfo {
    /// JSON pointer to the object; `/asset` is the whole file.
    pub about: String,
    /// Properties and their values.
    pub properties: BTreeMap<String, String>,
}

/// The extras of one object.
#[derive(Clone, Debug, Serialize)]
pub struct ExtrasInfo {
    /// JSON pointer to the object; empty for the whole file.
    pub about: String,
    /// The value.
    pub extras: serde_json::Value,
}

/// An extension.
#[derive(Clone, Debug, Serialize)]
pub struct ExtensionInfo {
    /// Its name.
    pub name: String,
    /// Whether the file requires it.
    pub required: bool,
    /// `supported`, `partly` or `ignored`.
    pub status: &'static str,
}

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct BoundsInfo {
    /// The lowest corner.
    pub min: [f32; 3],
    /// The highest corner.
    pub max: [f32; 3],
}

/// Lists the contents of a model.
pub fn model_info(model: &Model) -> ModelInfo {
    ModelInfo {
        format: model.source.format.clone(),
        container: match model.source.container {
            Container::Glb => "glb",
            Container::Gltf => "gltf",
            Container::Text => "text",
            Container::Binary => "binary",
        },
        generator: model.source.generator.clone(),
        copyright: model.source.copyright.clone(),
        scenes: list(&model.scenes, |index, s| SceneInfo {
            index,
            name: s.name.clone(),
            default: index == model.default_scene,
            roots: s.roots.clone(),
        }),
        nodes: model.nodes.len(),
        meshes: list(&model.meshes, mesh_info),
        skins: list(&model.skins, |index, s| SkinInfo {
            index,
            name: s.name.clone(),
            joints: s.joints.len(),
            palettes: palettes(model, index),
        }),
        same_names: same_names(model),
        animations: list(&model.clips, |index, clip| {
            let samplers = model.source.samplers.get(index).copied();
            animation_info(index, clip, samplers.unwrap_or_default())
        }),
        materials: list(&model.materials, |index, m| Named { index, name: m.name.clone() }),
        textures: list(&model.textures, |index, t| Named { index, name: t.name.clone() }),
        images: list(&model.images, image_info),
        cameras: list(&model.cameras, camera_info),
        lights: list(&model.lights, |index, l| LightInfo {
            index,
            name: l.name.clone(),
            kind: l.kind.name(),
            color: l.color,
            intensity: l.intensity,
            range: l.range,
        }),
        variants: model.variants.clone(),
        metadata: list(&model.source.metadata, |_, m| MetadataInfo {
            about: m.about.clone(),
            properties: m.entries.iter().cloned().collect(),
        }),
        extras: list(&model.source.extras, |_, extras| ExtrasInfo {
            about: extras.about.clone(),
            extras: serde_json::from_str(&extras.json).unwrap_or_default(),
        }),
        extensions: list(&model.source.extensions, |_, e| ExtensionInfo {
            name: e.name.clone(),
            required: e.required,
            status: match e.status {
                ExtensionStatus::Supported => "supported",
                ExtensionStatus::Partly => "partly",
                ExtensionStatus::Ignored => "ignored",
            },
        }),
        avatar: vrm_info::avatar(model),
        humanoid: vrm_info::humanoid(model),
        expressions: model.vrm.as_ref().map(|vrm| vrm.expressions.clone()),
        constraints: list(&model.constraints, |_, c| ConstraintInfo {
            node: c.node,
            kind: c.kind.name(),
            source: c.source,
            weight: c.weight,
        }),
        bounds: bounds(model),
    }
}

fn list<T, U>(items: &[T], each: impl Fn(usize, &T) -> U) -> Vec<U> {
    items.iter().enumerate().map(|(i, item)| each(i, item)).collect()
}

fn mesh_info(index: usize, mesh: &Mesh) -> MeshInfo {
    let primitive = |_, p: &Primitive| PrimitiveInfo {
        mode: p.mode.name(),
        vertices: p.source_vertices,
        triangles: p.triangles(),
        influences: p.source_influences,
        morph_targets: p.targets.len(),
        attributes: p.attributes.clone(),
    };
    MeshInfo { index, name: mesh.name.clone(), primitives: list(&mesh.primitives, primitive) }
}

fn palettes(model: &Model, skin: usize) -> usize {
    let moved = model.nodes.iter().filter(|n| n.skin == Some(skin)).filter_map(|n| n.mesh);
    moved
        .flat_map(|mesh| &model.meshes[mesh].primitives)
        .filter(|p| p.influences.is_some())
        .map(|p| p.parts.len())
        .max()
        .unwrap_or(0)
}

/// Lists the names that several joints have, in the order of their first joints.
fn same_names(model: &Model) -> Vec<SameName> {
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    for (node, _) in model.skin_joints().iter().enumerate().filter(|(_, is_joint)| **is_joint) {
        if let Some(name) = model.nodes[node].name.as_deref().filter(|name| !name.is_empty()) {
            by_name.entry(name).or_default().push(node);
        }
    }
    by_name.retain(|_, joints| joints.len() > 1);
    let mut same: Vec<SameName> = by_name
        .into_iter()
        .map(|(name, joints)| SameName { name: name.to_owned(), joints })
        .collect();
    same.sort_unstable_by_key(|same| same.joints[0]);
    same
}

fn animation_info(index: usize, clip: &Clip, samplers: usize) -> AnimationInfo {
    let mut interpolations = BTreeMap::new();
    let mut targets = BTreeMap::new();
    for channel in clip.channels() {
        *interpolations.entry(channel.interpolation().name()).or_insert(0) += 1;
        *targets.entry(channel.path()).or_insert(0) += 1;
    }
    for property in clip.properties() {
        *interpolations.entry(property.track.keys().interpolation().name()).or_insert(0) += 1;
        *targets.entry("pointer").or_insert(0) += 1;
    }
    AnimationInfo {
        index,
        name: clip.name().map(str::to_owned),
        start: clip.start_secs(),
        duration: clip.duration_secs(),
        channels: clip.channels().len() + clip.properties().len(),
        samplers,
        interpolations,
        targets,
    }
}

fn image_info(index: usize, image: &Image) -> ImageInfo {
    let (name, mime) = (image.name.clone(), image.mime.clone());
    ImageInfo { index, name, mime, width: image.width, height: image.height }
}

fn camera_info(index: usize, camera: &Camera) -> CameraInfo {
    let kind = match camera.projection {
        Projection::Perspective { .. } => "perspective",
        Projection::Orthographic { .. } => "orthographic",
    };
    CameraInfo { index, name: camera.name.clone(), kind }
}

fn bounds(model: &Model) -> Option<BoundsInfo> {
    let stage = Stage::new(model, model.default_scene);
    let b = stage.bounds(model);
    let corner = |c: Vec3| (c.as_dvec3() + stage.origin).as_vec3().to_array();
    (!b.is_empty()).then(|| BoundsInfo { min: corner(b.min), max: corner(b.max) })
}
