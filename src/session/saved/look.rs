//! The look in a session file.

use std::path::Path;

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::node::SavedNode;
use crate::look::{
    Aids, Backdrop, BoneStyle, DirectionalLight, EnvironmentSource, KeyLight, Lighting, Look,
    OnionSkin, Pass, Spacing, ToneMap, Vectors,
};
use crate::model::Model;

/// What the picture shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::session) struct SavedLook {
    pass: String,
    background: [u8; 4],
    floor: bool,
    paint: [f32; 3],
    tone_map: String,
    exposure: f32,
    auto_exposure: bool,
    light: SavedLight,
    pub joint: Option<SavedNode>,
    pub variant: Option<usize>,
    skeleton: bool,
    bones: String,
    bone_size: f32,
    bone_sides: bool,
    bones_in_front: bool,
    joint_names: bool,
    trail: bool,
    grid: bool,
    axes: bool,
    bounds: bool,
    legend: bool,
    onion: Option<SavedOnion>,
    root_path: bool,
    weight_marks: bool,
    normals: bool,
    tangents: bool,
}

/// The onion skin: ghosts on each side, and the time between them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum SavedOnion {
    Secs(usize, f64),
    Frames(usize, f64),
}

/// The light.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct SavedLight {
    environment: SavedEnvironment,
    rotation: f32,
    intensity: f32,
    tint: [f32; 3],
    backdrop: String,
    /// Direction and lux of each.
    lights: Vec<([f32; 3], f32)>,
    file_lights: bool,
    key_light: bool,
    /// Towards the key light, and its lux.
    key: ([f32; 3], [f32; 3]),
    ambient_occlusion: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum SavedEnvironment {
    Studio,
    Uniform([f32; 3]),
    File(String),
}

impl Default for SavedLook {
    fn default() -> Self {
        Self::of(&Look::default(), |_| String::new(), &Model::default())
    }
}

impl Default for SavedLight {
    fn default() -> Self {
        Self::of(&Lighting::default(), |_| String::new())
    }
}

impl SavedLook {
    /// Returns what is kept of a look. `path` writes the path of an environment.
    pub fn of(look: &Look, path: impl Fn(&Path) -> String, model: &Model) -> Self {
        Self {
            pass: look.pass.name().to_owned(),
            background: look.background,
            floor: look.floor,
            paint: look.paint.to_array(),
            tone_map: look.tone_map.name().to_owned(),
            exposure: look.exposure,
            auto_exposure: look.auto_exposure,
            light: SavedLight::of(&look.lighting, path),
            joint: look.joint.map(|joint| SavedNode::of(model, joint)),
            variant: look.variant,
            skeleton: look.skeleton,
            bones: look.bones.name().to_owned(),
            bone_size: look.bones.size,
            bone_sides: look.bones.sides,
            bones_in_front: look.bones.in_front,
            joint_names: look.joint_names,
            trail: look.trail,
            grid: look.grid,
            axes: look.axes,
            bounds: look.bounds,
            legend: look.legend,
            onion: look.aids.onion.map(SavedOnion::of),
            root_path: look.aids.root_path,
            weight_marks: look.aids.weight_marks,
            normals: look.aids.vectors.normals,
            tangents: look.aids.vectors.tangents,
        }
    }

    /// Changes a look to this one. Names that are not known leave it as it is. The environment of a file is still to be
    /// read.
    pub fn apply(&self, look: &mut Look, model: &Model) {
        look.pass = Pass::from_name(&self.pass).unwrap_or(look.pass);
        look.background = self.background;
        (look.floor, look.paint) = (self.floor, Vec3::from_array(self.paint));
        look.tone_map = ToneMap::from_name(&self.tone_map).unwrap_or(look.tone_map);
        (look.exposure, look.auto_exposure) = (self.exposure, self.auto_exposure);
        look.lighting = self.light.lighting();
        look.joint = self.joint.as_ref().and_then(|joint| joint.find(model));
        look.variant = self.variant.filter(|variant| *variant < model.variants.len());
        look.bones = BoneStyle {
            size: self.bone_size.clamp(0.25, 4.0),
            sides: self.bone_sides,
            in_front: self.bones_in_front,
            ..BoneStyle::from_name(&self.bones).unwrap_or_default()
        };
        (look.skeleton, look.joint_names, look.trail) =
            (self.skeleton, self.joint_names, self.trail);
        (look.grid, look.axes, look.bounds) = (self.grid, self.axes, self.bounds);
        look.legend = self.legend;
        look.aids = Aids {
            onion: self.onion.map(SavedOnion::onion),
            root_path: self.root_path,
            weight_marks: self.weight_marks,
            vectors: Vectors { normals: self.normals, tangents: self.tangents },
        };
    }

    /// The path of the environment, as it was written, if it is a file.
    pub fn environment_file(&self) -> Option<&str> {
        match &self.light.environment {
            SavedEnvironment::File(path) => Some(path),
            _ => None,
        }
    }
}

impl SavedOnion {
    fn of(onion: OnionSkin) -> Self {
        match onion.spacing {
            Spacing::Secs(secs) => SavedOnion::Secs(onion.count, secs),
            Spacing::Frames(frames) => SavedOnion::Frames(onion.count, frames),
        }
    }

    /// Returns the onion skin. One beyond the limits has no ghosts.
    fn onion(self) -> OnionSkin {
        match self {
            SavedOnion::Secs(count, secs) => OnionSkin { count, spacing: Spacing::Secs(secs) },
            SavedOnion::Frames(count, frames) => {
                OnionSkin { count, spacing: Spacing::Frames(frames) }
            }
        }
    }
}

impl SavedLight {
    fn of(light: &Lighting, path: impl Fn(&Path) -> String) -> Self {
        let environment = match &light.environment {
            EnvironmentSource::Uniform(radiance) => SavedEnvironment::Uniform(radiance.to_array()),
            EnvironmentSource::Picture(picture) => match &picture.path {
                Some(file) => SavedEnvironment::File(path(file)),
                None => SavedEnvironment::Studio,
            },
        };
        let given = |light: &DirectionalLight| (light.direction.to_array(), light.lux);
        Self {
            environment,
            rotation: light.rotation,
            intensity: light.intensity,
            tint: light.tint.to_array(),
            backdrop: light.backdrop.name().to_owned(),
            lights: light.lights.iter().map(given).collect(),
            file_lights: light.file_lights,
            key_light: light.key_light,
            key: (light.key.towards.to_array(), light.key.illuminance.to_array()),
            ambient_occlusion: light.ambient_occlusion,
        }
    }

    fn lighting(&self) -> Lighting {
        let environment = match &self.environment {
            SavedEnvironment::Uniform(radiance) => {
                EnvironmentSource::Uniform(Vec3::from_array(*radiance).max(Vec3::ZERO))
            }
            _ => EnvironmentSource::studio(),
        };
        let lights = self.lights.iter().map(|(direction, lux)| DirectionalLight {
            direction: Vec3::from_array(*direction),
            lux: lux.max(0.0),
        });
        let (towards, illuminance) = self.key;
        Lighting {
            environment,
            rotation: self.rotation,
            intensity: self.intensity.max(0.0),
            tint: Vec3::from_array(self.tint),
            backdrop: Backdrop::from_name(&self.backdrop).unwrap_or_default(),
            lights: lights.filter(|light| light.direction.try_normalize().is_some()).collect(),
            file_lights: self.file_lights,
            key_light: self.key_light,
            key: KeyLight {
                towards: unit(Vec3::from_array(towards)),
                illuminance: Vec3::from_array(illuminance),
            },
            ambient_occlusion: self.ambient_occlusion,
        }
    }
}

/// Returns a direction of length 1. One that has it already keeps its bits.
fn unit(direction: Vec3) -> Vec3 {
    match direction.is_normalized() {
        true => direction,
        false => direction.try_normalize().unwrap_or(Vec3::Y),
    }
}
