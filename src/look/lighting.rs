//! What lights the scene.

use std::sync::{Arc, OnceLock};

use glam::Vec3;

use super::studio;
use crate::model::Environment;

/// A directional light that a command line adds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DirectionalLight {
    /// The way it shines; any length but zero.
    pub direction: Vec3,
    /// Illuminance; at pi a white Lambert surface that faces it has radiance 1.
    pub lux: f32,
}

/// Where the light from all around comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum EnvironmentSource {
    /// The same linear radiance from everywhere.
    Uniform(Vec3),
    /// A picture of all around: the built-in one or a file's.
    Picture(Arc<Environment>),
}

impl EnvironmentSource {
    /// The names of the built-in ones.
    pub const NAMES: [&'static str; 3] = ["none", "studio", "uniform"];

    /// A built-in one. The uniform one is a white furnace.
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

    /// Its name; a file's name may be that of a built-in one.
    pub fn name(&self) -> &str {
        match self {
            Self::Uniform(radiance) if *radiance == Vec3::ZERO => "none",
            Self::Uniform(_) => "uniform",
            Self::Picture(environment) => &environment.name,
        }
    }

    /// The built-in studio.
    pub fn studio() -> Self {
        Self::named("studio").unwrap_or(Self::Uniform(Vec3::ONE))
    }
}

/// Whether the environment is seen behind the scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backdrop {
    /// The plain background is.
    #[default]
    None,
    /// As a mirror shows it.
    Sharp,
    /// Out of focus.
    Blurred,
}

/// What lights the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Lighting {
    /// Light from all around.
    pub environment: EnvironmentSource,
    /// How far it is turned about +Y, radians: from +Z towards +X.
    pub rotation: f32,
    /// What its radiance is multiplied by.
    pub intensity: f32,
    /// Whether it is seen.
    pub backdrop: Backdrop,
    /// Lights beside the file's.
    pub lights: Vec<DirectionalLight>,
    /// Whether the file's own lights shine.
    pub file_lights: bool,
    /// Whether there is a key light that casts a soft shadow, and a ground that receives it; not
    /// where a light of the file shines.
    pub key_light: bool,
}

impl Default for Lighting {
    fn default() -> Self {
        Self {
            environment: EnvironmentSource::studio(),
            rotation: 0.0,
            intensity: 1.0,
            backdrop: Backdrop::None,
            lights: Vec::new(),
            file_lights: true,
            key_light: true,
        }
    }
}

impl Lighting {
    /// Changes the environment. The key light belongs to the studio, and is the light that is left
    /// where there is none; a picture or an even light is to be seen alone.
    pub fn light_by(&mut self, environment: EnvironmentSource) {
        self.key_light = matches!(environment.name(), "none" | "studio");
        self.environment = environment;
    }

    /// Towards the key light, unit length: in front and above, a little from the right, so that the
    /// sides of a box differ.
    pub fn towards_key() -> Vec3 {
        Vec3::new(0.36, 0.78, 0.62).normalize()
    }

    /// What the key light gives to a surface that faces it.
    pub fn key_illuminance() -> Vec3 {
        1.55 * Vec3::new(1.0, 0.97, 0.92)
    }
}
