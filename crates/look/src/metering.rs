//! Automatic exposure: measures the light that falls on a model and how much of it the model reflects, as a
//! photographer's meter does.

use std::borrow::Cow;

use glam::Vec3;

use super::{EnvironmentSource, Lighting, Look, MAX_LIGHTS};
use rigview_model::{Aabb, AlphaMode, Light, LightKind, Material, Model, Stage, TextureSlot};

/// Range of the automatic exposure in stops.
const RANGE: [f32; 2] = [-24.0, 3.0];

/// Nearest distance of a light that is measured, as a fraction of the diagonal of the model's box.
const NEAREST: f32 = 1.0;

/// Reflectance of a model that is not exposed longer.
const USUAL_REFLECTANCE: f32 = 0.3;

/// Most stops by which a dark model is exposed longer. Black shall stay darker than grey.
const LONGEST: f32 = 1.5;

/// The exposure of a picture in stops, and how much brighter the environment must be to keep its brightness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exposure {
    /// The light is multiplied by two to this power.
    pub stops: f32,
    /// Factor of the environment's radiance.
    pub environment: f32,
}

/// The light that the lamps of a file throw on its model at some instants.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metered {
    /// For each instant, the lamps by their nodes with the illuminance in the middle of the model's box in lux, as a vector
    /// towards the lamp.
    instants: Vec<Vec<(usize, Vec3)>>,
}

impl Metered {
    /// Returns the light on a posed stage whose box is `bounds`, in world space.
    fn measure(model: &Model, stage: &Stage, bounds: &Aabb) -> Self {
        let mut metered = Self::default();
        metered.add(model, stage, bounds);
        metered
    }

    /// Adds the light of another pose.
    pub fn add(&mut self, model: &Model, stage: &Stage, bounds: &Aabb) {
        let shining = stage.nodes.iter().filter(|node| stage.visible[**node]);
        let lamps = shining.filter_map(|&node| {
            let light = &stage.properties.lights[model.nodes[node].light?];
            let towards = match light.kind {
                LightKind::Directional => axis(stage, node),
                _ => (stage.position(node) - bounds.center()).normalize_or(Vec3::Y),
            };
            Some((node, light_at(light, stage, node, bounds) * towards))
        });
        // Further ones are not drawn.
        self.instants.push(lamps.take(MAX_LIGHTS).collect());
    }

    /// Whether a lamp shines at one of the instants.
    pub fn has_lamps(&self) -> bool {
        self.instants.iter().any(|lamps| !lamps.is_empty())
    }
}

/// Returns the exposure of a picture of a posed stage, for the brightest of the metered instants: those of a clip, so that
/// the exposure does not follow its light. Without any, it is for the stage itself, whose box is `bounds`, in world space.
///
/// Automatic exposure makes the model as bright as the default look makes it, and dark models somewhat brighter. Beside
/// the default key light, the environment fills their shadows as it does those of the key light, so it follows
/// the exposure.
pub fn exposure(
    look: &Look,
    model: &Model,
    stage: &Stage,
    bounds: &Aabb,
    metered: Option<&Metered>,
) -> Exposure {
    let own = || Metered::measure(model, stage, bounds);
    let metered = metered.map_or_else(|| Cow::Owned(own()), Cow::Borrowed);
    let lighting = &look.lighting;
    let fixed = Exposure { stops: look.exposure, environment: 1.0 };
    let illumination = |lamps: &Vec<(usize, Vec3)>| {
        let shining =
            lamps.iter().filter(|(node, _)| lighting.file_lights && !stage.is_hidden(*node));
        illumination(lighting, shining.map(|(_, light)| *light))
    };
    let lights = metered.instants.iter().map(illumination).fold(0.0, f32::max);
    if !look.auto_exposure || !lights.is_finite() {
        return fixed;
    }
    if lighting.key_light {
        let key = mean_of(lighting.key.illuminance);
        // Without lights of the file, this is the default look itself.
        if lights <= 0.0 {
            // A key light from behind leaves a dark model black, so that it gets all that it lacks.
            let is_behind = lighting.key.towards.z < 0.0;
            let longer = if is_behind { 2.0 * longer(model, stage, look.variant) } else { 0.0 };
            return Exposure { stops: look.exposure + longer, ..fixed };
        }
        let fit = (key / lights).log2().clamp(RANGE[0], RANGE[1]);
        let stops = look.exposure + fit + longer(model, stage, look.variant);
        return Exposure { stops, environment: (-fit).exp2() };
    }
    let usual = Lighting::default();
    let default = mean_of(usual.key.illuminance) + ambient(&usual);
    let all = lights + ambient(lighting);
    if all <= 0.0 {
        return fixed;
    }
    let stops = (default / all).log2().clamp(RANGE[0], RANGE[1]);
    Exposure { stops: look.exposure + stops, environment: 1.0 }
}

/// Returns the illuminance of the surface in the middle of the model that the command line's lights and the lamps of the
/// file illuminate most, in lux. Lights from several sides do not add up: each surface faces away from some of them.
fn illumination(lighting: &Lighting, lamps: impl Iterator<Item = Vec3>) -> f32 {
    let own = lighting.lights.iter().map(|l| l.lux * -l.direction.normalize_or_zero());
    let lights: Vec<Vec3> = own.chain(lamps).collect();
    let strongest = lights.iter().copied().max_by(|a, b| a.length().total_cmp(&b.length()));
    let mean = lights.iter().sum::<Vec3>();
    // Surfaces that face the strongest light, all lights together, or an axis.
    let normals = [strongest.unwrap_or_default(), mean].map(Vec3::normalize_or_zero).into_iter();
    let axes = [Vec3::X, Vec3::Y, Vec3::Z].into_iter().flat_map(|axis| [axis, -axis]);
    let facing = |normal: Vec3| lights.iter().map(|light| light.dot(normal).max(0.0)).sum::<f32>();
    normals.chain(axes).map(facing).fold(0.0, f32::max)
}

/// Returns the stops by which dark surfaces are exposed longer: half of what would make them look usual, since dark
/// surfaces shall still look dark.
fn longer(model: &Model, stage: &Stage, variant: Option<usize>) -> f32 {
    let reflectance = reflectance(model, stage, variant).unwrap_or(USUAL_REFLECTANCE);
    (0.5 * (USUAL_REFLECTANCE / reflectance.max(1e-6)).log2()).clamp(0.0, LONGEST)
}

/// Returns the mean reflectance of the shown triangles, each with the same weight; `None` if there is none. Surfaces of
/// unknown colour and those that are not lit do not count.
fn reflectance(model: &Model, stage: &Stage, variant: Option<usize>) -> Option<f32> {
    let shown = stage.nodes.iter().filter(|node| stage.visible[**node]);
    let meshes = shown.filter_map(|node| model.meshes.get(model.nodes[*node].mesh?));
    let (mut sum, mut weight) = (0.0_f32, 0.0_f32);
    for primitive in meshes.flat_map(|mesh| &mesh.primitives) {
        let material = primitive.material_in(variant);
        let material = material.and_then(|material| stage.properties.materials.get(material));
        let reflected = material.map_or(Some(1.0), |material| reflected_by(model, material));
        if let Some(reflected) = reflected {
            sum += primitive.indices.len() as f32 * reflected;
            weight += primitive.indices.len() as f32;
        }
    }
    (weight > 0.0).then(|| sum / weight)
}

/// Returns the mean reflectance of a material; `None` if it is unknown or the material is not lit.
fn reflected_by(model: &Model, material: &Material) -> Option<f32> {
    let [r, g, b, a] = match material.textures[TextureSlot::BaseColor] {
        None => [1.0; 4],
        Some(used) => model.images.get(model.textures.get(used.texture)?.image?)?.mean?,
    };
    let [red, green, blue, alpha] = material.base_color;
    let cover = if material.alpha_mode == AlphaMode::Opaque {
        // The colour without the alpha that weights it.
        1.0 / a.max(1e-6)
    } else {
        alpha
    };
    let color = Vec3::new(r * red, g * green, b * blue) * cover;
    (!material.unlit).then(|| mean_of(color).clamp(0.0, 1.0))
}

/// Returns the unit +Z axis of a node, opposite to the direction in which its light shines.
fn axis(stage: &Stage, node: usize) -> Vec3 {
    Vec3::from(stage.world.world_from_node(node).matrix3.z_axis).normalize_or(Vec3::Z)
}

/// Returns the illuminance of a light of the file at the middle of a box, in lux.
pub fn light_at(light: &Light, stage: &Stage, node: usize, bounds: &Aabb) -> f32 {
    let strength = light.intensity * mean_of(Vec3::from(light.color));
    let away = bounds.center() - stage.position(node);
    let distance = away.length().max(NEAREST * bounds.size().length());
    // KHR_lights_punctual, "Range Property"; at the point of the box that is nearest to the light, since one that reaches a part of
    // the model counts.
    let place = stage.position(node);
    let nearest = place.max(bounds.min).min(bounds.max).distance(place);
    let fades = light.range.map_or(1.0, |range| (1.0 - (nearest / range).powi(4)).clamp(0.0, 1.0));
    match light.kind {
        LightKind::Directional => strength,
        LightKind::Spot { outer, .. }
            if -axis(stage, node).dot(away.normalize_or_zero()) < outer.cos() =>
        {
            0.0
        }
        LightKind::Point | LightKind::Spot { .. } => fades * strength / (distance * distance),
    }
}

/// Returns the illuminance that gives white paper the mean radiance of the environment.
fn ambient(lighting: &Lighting) -> f32 {
    let radiance = match &lighting.environment {
        EnvironmentSource::Uniform(radiance) => *radiance,
        EnvironmentSource::Picture(environment) => Vec3::from(environment.irradiance[0]),
    };
    std::f32::consts::PI * lighting.intensity * mean_of(radiance * lighting.tint)
}

fn mean_of(color: Vec3) -> f32 {
    color.element_sum() / 3.0
}
