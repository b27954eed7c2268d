//! Lighting of the scene.

use std::sync::{Arc, OnceLock};

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::known::known;
use super::studio;
use rigview_model::Environment;

/// Most lights that a picture has: of the file and of the command line, with the key light.
pub const MAX_LIGHTS: usize = 64;

/// A directional light beside those of the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DirectionalLight {
    /// Direction in which the light travels; of any length but zero.
    pub direction: Vec3,
    /// Illuminance. At pi lux, a white Lambertian surface facing the light has radiance 1.
    pub lux: f32,
}

/// The light of the default look that casts the shadow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeyLight {
    /// Unit direction towards it.
    pub towards: Vec3,
    /// Its illuminance in lux, per channel.
    pub illuminance: Vec3,
}

/// Source of the environment light.
#[derive(Clone, Debug)]
pub enum EnvironmentSource {
    /// The same linear radiance from all directions.
    Uniform(Vec3),
    /// An environment map, built in or from a file.
    Picture(Arc<Environment>),
}

impl PartialEq for EnvironmentSource {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Uniform(a), Self::Uniform(b)) => a == b,
            // A map is large, and looks are compared in every frame.
            (Self::Picture(a), Self::Picture(b)) => Arc::ptr_eq(a, b) || a == b,
            (Self::Uniform(_), Self::Picture(_)) | (Self::Picture(_), Self::Uniform(_)) => false,
        }
    }
}

impl EnvironmentSource {
    /// Names of the built-in environments.
    pub const NAMES: [&'static str; 3] = ["none", "studio", "uniform"];

    /// Returns a built-in environment. `uniform` has radiance 1 (a white furnace).
    pub fn named(name: &str) -> Option<Self> {
        static STUDIO: OnceLock<Arc<Environment>> = OnceLock::new();
        match name {
            "none" => Some(Self::Uniform(Vec3::ZERO)),
            "studio" => {
                let made = STUDIO.get_or_init(|| Arc::new(studio::environment()));
                Some(Self::Picture(Arc::clone(made)))
            }
            "uniform" => Some(Self::Uniform(Vec3::ONE)),
            _ => None,
        }
    }

    /// Returns the name. The name of a file's environment may equal a built-in one's.
    pub fn name(&self) -> &str {
        match self {
            Self::Uniform(radiance) if *radiance == Vec3::ZERO => "none",
            Self::Uniform(_) => "uniform",
            Self::Picture(environment) => &environment.name,
        }
    }

    /// Returns the built-in studio.
    pub fn studio() -> Self {
        Self::named("studio").unwrap_or(Self::Uniform(Vec3::ONE))
    }
}

rigview_anim::named_enum! {
    /// Appearance of the environment behind the scene.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Backdrop {
        /// Not at all: the background colour is shown.
        #[default]
        None = "none",
        /// Sharp.
        Sharp = "sharp",
        /// Out of focus.
        Blurred = "blurred",
    }
}

/// Lighting of the scene. Serialised, it has the settings that are single values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Lighting {
    /// The environment light.
    #[serde(skip)]
    pub environment: EnvironmentSource,
    /// Rotation of the environment about +Y in radians, from +Z towards +X.
    pub rotation: f32,
    /// Factor of the environment's radiance.
    pub intensity: f32,
    /// Colour of the environment: a further factor of its radiance.
    pub tint: Vec3,
    /// Appearance of the environment behind the scene.
    #[serde(deserialize_with = "known")]
    pub backdrop: Backdrop,
    /// Lights beside the file's.
    #[serde(skip)]
    pub lights: Vec<DirectionalLight>,
    /// Whether the file's own lights are on.
    pub file_lights: bool,
    /// Whether there is a key light that casts a soft shadow on a ground. Lights of the file replace it.
    pub key_light: bool,
    /// That light: in [`Lighting::default`] in front, above and to the left, so that the visible sides of a box
    /// differ in brightness.
    #[serde(skip)]
    pub key: KeyLight,
    /// Whether surfaces near each other occlude each other's ambient light.
    pub ambient_occlusion: bool,
}

impl Lighting {
    /// Returns the light of an environment with a white key light from above.
    pub(super) fn with(environment: EnvironmentSource) -> Self {
        Self {
            environment,
            rotation: 0.0,
            intensity: 1.0,
            tint: Vec3::ONE,
            backdrop: Backdrop::None,
            lights: Vec::new(),
            file_lights: true,
            key_light: true,
            key: KeyLight { towards: Vec3::Y, illuminance: Vec3::ONE },
            ambient_occlusion: true,
        }
    }

    /// Replaces the environment, and enables the key light for `studio` and `none` only: it completes the
    /// studio and is the only light without an environment, while others are to be judged by themselves,
    /// without ambient occlusion.
    pub fn light_by(&mut self, environment: EnvironmentSource) {
        self.key_light = matches!(environment.name(), "none" | "studio");
        self.ambient_occlusion = self.key_light;
        self.environment = environment;
    }
}
