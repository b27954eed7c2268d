//! The look in a session file.

use std::path::Path;

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::node::SavedNode;
use crate::NodesByName;
use rigview_look::{
    Aids, BoneStyle, DirectionalLight, EnvironmentSource, KeyLight, Lighting, Look, OnionSkin,
    Spacing,
};
use rigview_model::Model;

/// What the picture shows: the look's own switches and numbers, and those that a file has in another form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SavedLook {
    #[serde(flatten)]
    look: Look,
    light: SavedLight,
    joint: Option<SavedNode>,
    /// The shape by its name.
    bones: String,
    onion: Option<SavedOnion>,
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
    #[serde(flatten)]
    lighting: Lighting,
    environment: SavedEnvironment,
    /// Direction and lux of each.
    lights: Vec<(Vec3, f32)>,
    /// Towards the key light, and its lux.
    key: (Vec3, Vec3),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum SavedEnvironment {
    Studio,
    Uniform(Vec3),
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
        let onion = |onion: OnionSkin| match onion.spacing {
            Spacing::Secs(secs) => SavedOnion::Secs(onion.count, secs),
            Spacing::Frames(frames) => SavedOnion::Frames(onion.count, frames),
        };
        Self {
            light: SavedLight::of(&look.lighting, path),
            joint: look.joint.map(|joint| SavedNode::of(model, joint)),
            bones: look.bones.name().to_owned(),
            onion: look.aids.onion.map(onion),
            look: look.clone(),
        }
    }

    /// Changes a look to this one. The environment of a file is still to be read. An onion skin beyond the limits has no
    /// ghosts.
    pub fn apply(&self, look: &mut Look, model: &Model) {
        let onion = |onion: SavedOnion| match onion {
            SavedOnion::Secs(count, secs) => OnionSkin { count, spacing: Spacing::Secs(secs) },
            SavedOnion::Frames(count, frames) => {
                OnionSkin { count, spacing: Spacing::Frames(frames) }
            }
        };
        let BoneStyle { shape, solid, .. } = BoneStyle::from_name(&self.bones).unwrap_or_default();
        let bones = self.look.bones;
        *look = Look {
            lighting: self.light.lighting(),
            joint: self.joint.as_ref().and_then(|joint| joint.find(&NodesByName::new(model))),
            variant: self.look.variant.filter(|variant| *variant < model.variants.len()),
            bones: BoneStyle { shape, solid, size: bones.size.clamp(0.25, 4.0), ..bones },
            aids: Aids { onion: self.onion.map(onion), ..self.look.aids },
            // What depends on the model and on the picture is no choice of a person.
            bind: look.bind.take(),
            samples: look.samples,
            highlight: std::mem::take(&mut look.highlight),
            overlays_on_data: look.overlays_on_data,
            overlay_scale: look.overlay_scale,
            in_motion: look.in_motion,
            ..self.look.clone()
        };
    }

    /// Names a file as the environment that could not be read, unless another one than the usual one was chosen since.
    pub fn keep_environment_file(&mut self, path: String) {
        if self.light.environment == SavedEnvironment::Studio {
            self.light.environment = SavedEnvironment::File(path);
        }
    }

    /// The path of the environment, as it was written, if it is a file.
    pub fn environment_file(&self) -> Option<&str> {
        match &self.light.environment {
            SavedEnvironment::File(path) => Some(path),
            _ => None,
        }
    }
}

impl SavedLight {
    fn of(light: &Lighting, path: impl Fn(&Path) -> String) -> Self {
        let environment = match &light.environment {
            EnvironmentSource::Uniform(radiance) => SavedEnvironment::Uniform(*radiance),
            EnvironmentSource::Picture(picture) => match &picture.path {
                Some(file) => SavedEnvironment::File(path(file)),
                None => SavedEnvironment::Studio,
            },
        };
        Self {
            environment,
            lights: light.lights.iter().map(|light| (light.direction, light.lux)).collect(),
            key: (light.key.towards, light.key.illuminance),
            lighting: light.clone(),
        }
    }

    fn lighting(&self) -> Lighting {
        let environment = match self.environment {
            SavedEnvironment::Uniform(radiance) => {
                EnvironmentSource::Uniform(radiance.max(Vec3::ZERO))
            }
            _ => EnvironmentSource::studio(),
        };
        let lights = self.lights.iter().filter(|(way, _)| way.try_normalize().is_some());
        let light = |(direction, lux): &(Vec3, f32)| DirectionalLight {
            direction: *direction,
            lux: lux.max(0.0),
        };
        let (towards, illuminance) = self.key;
        Lighting {
            environment,
            intensity: self.lighting.intensity.max(0.0),
            lights: lights.map(light).collect(),
            key: KeyLight { towards: unit(towards), illuminance },
            ..self.lighting.clone()
        }
    }
}

/// Returns a direction of length 1. One that has it already keeps its bits.
fn unit(direction: Vec3) -> Vec3 {
    if direction.is_normalized() { direction } else { direction.try_normalize().unwrap_or(Vec3::Y) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_look::{Backdrop, BoneShape, Pass, ToneMap};

    #[test]
    fn a_look_that_was_written_by_a_former_version_is_read() {
        let text = r#"{"pass": "uv-checker", "background": [43, 47, 54, 255], "floor": true, "paint": [0.115, 0.12, 0.13],
            "tone_map": "agx", "exposure": 0.5, "auto_exposure": false, "light": {"environment": {"uniform": [1.0, 1.0, 1.0]},
            "rotation": 0.1, "intensity": 2.0, "tint": [1.0, 0.5, 1.0], "backdrop": "blurred", "lights": [[[0.0, -1.0, 0.0], 2.5]],
            "file_lights": false, "key_light": false, "key": [[0.0, 2.0, 0.0], [0.98, 0.9506, 0.9016]],
            "ambient_occlusion": false}, "joint": null, "variant": 3, "skeleton": true, "bones": "octahedra", "bone_size": 9.0,
            "bone_sides": true, "bones_in_front": false, "joint_names": true, "trail": true, "grid": true, "axes": true,
            "bounds": true, "legend": false, "onion": {"frames": [2, 3.0]}, "root_path": true, "weight_marks": true,
            "normals": true, "tangents": true}"#;
        let saved: SavedLook = serde_json::from_str(text).unwrap();
        let mut look = Look { samples: 16, ..Look::default() };
        saved.apply(&mut look, &Model::default());
        assert_eq!((look.pass, look.tone_map, look.samples), (Pass::UvChecker, ToneMap::AgX, 16));
        assert_eq!((look.exposure, look.auto_exposure, look.variant), (0.5, false, None));
        assert!(look.skeleton && look.joint_names && look.trail && !look.legend);
        assert!(look.grid && look.axes && look.bounds);
        let shape = BoneShape::Bones;
        let bones = BoneStyle { shape, size: 4.0, sides: true, solid: true, in_front: false };
        assert_eq!(look.bones, bones);
        let Aids { onion, root_path, weight_marks, vectors } = look.aids;
        assert_eq!(onion, Some(OnionSkin { count: 2, spacing: Spacing::Frames(3.0) }));
        assert!(root_path && weight_marks && vectors.normals && vectors.tangents);
        let light = look.lighting;
        assert_eq!(light.environment, EnvironmentSource::Uniform(Vec3::ONE));
        assert_eq!((light.rotation, light.intensity), (0.1, 2.0));
        assert_eq!((light.tint, light.backdrop), (Vec3::new(1.0, 0.5, 1.0), Backdrop::Blurred));
        assert_eq!(light.lights, [DirectionalLight { direction: -Vec3::Y, lux: 2.5 }]);
        assert!(!light.file_lights && !light.key_light && !light.ambient_occlusion);
        assert_eq!(light.key.towards, Vec3::Y);
    }

    #[test]
    fn values_have_the_names_of_the_command_line_and_unknown_ones_are_the_default() {
        let text = |look: Look| serde_json::to_value(SavedLook { look, ..Default::default() });
        for pass in Pass::ALL {
            assert_eq!(text(Look { pass, ..Look::default() }).unwrap()["pass"], pass.name());
        }
        for tone_map in ToneMap::ALL {
            let value = text(Look { tone_map, ..Look::default() }).unwrap();
            assert_eq!(value["tone_map"], tone_map.name());
        }
        for backdrop in Backdrop::ALL {
            let light =
                SavedLight::of(&Lighting { backdrop, ..Lighting::default() }, |_| "".into());
            assert_eq!(serde_json::to_value(light).unwrap()["backdrop"], backdrop.name());
        }
        let unknown =
            r#"{"pass": "x-ray", "tone_map": 3, "bones": "ribs", "light": {"backdrop": "sea"}}"#;
        let mut look = Look::default();
        serde_json::from_str::<SavedLook>(unknown).unwrap().apply(&mut look, &Model::default());
        assert_eq!(look, Look::default());
    }
}
