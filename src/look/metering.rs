//! Automatic exposure: measures the light that falls on a model, as a photographer's meter does.

use glam::Vec3;

use super::{EnvironmentSource, Lighting, Look};
use crate::model::{Aabb, Light, LightKind, Model, Stage};

/// Range of the automatic exposure in stops.
const RANGE: [f32; 2] = [-24.0, 3.0];

/// Nearest distance of a light that is measured, as a fraction of the diagonal of the model's box.
const NEAREST: f32 = 1.0;

/// The exposure of a picture in stops, and how much brighter the environment must be to keep its brightness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exposure {
    /// The light is multiplied by two to this power.
    pub stops: f32,
    /// Factor of the environment's radiance.
    pub environment: f32,
}

/// Returns the exposure of a picture of a posed stage whose box is `bounds`, in world space.
///
/// Automatic exposure makes the model as bright as the default look makes it. Where lights of the file replace
/// the default key light, the environment fills their shadows as it does those of the key light, so it follows
/// the exposure.
pub fn exposure(look: &Look, model: &Model, stage: &Stage, bounds: &Aabb) -> Exposure {
    let lighting = &look.lighting;
    let fixed = Exposure { stops: look.exposure, environment: 1.0 };
    let lights = illumination(lighting, model, stage, bounds);
    if !look.auto_exposure || !lights.is_finite() {
        return fixed;
    }
    if lighting.key_light {
        let key = mean_of(lighting.key.illuminance);
        // Without lights of the file, this is the default look itself.
        if lights <= 0.0 {
            return fixed;
        }
        let stops = (key / lights).log2().clamp(RANGE[0], RANGE[1]);
        return Exposure { stops: look.exposure + stops, environment: (-stops).exp2() };
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

/// Returns the illuminance of the surface in the middle of a box that the command line's and the file's lights
/// illuminate most, in lux. Lights from several sides do not add up: each surface faces away from some of them.
fn illumination(lighting: &Lighting, model: &Model, stage: &Stage, bounds: &Aabb) -> f32 {
    let own = lighting.lights.iter().map(|l| l.lux * -l.direction.normalize_or_zero());
    let shining = stage.nodes.iter().filter(|node| lighting.file_lights && stage.visible[**node]);
    let file = shining.filter_map(|&node| {
        let light = &stage.properties.lights[model.nodes[node].light?];
        let towards = match light.kind {
            LightKind::Directional => axis(stage, node),
            _ => (stage.position(node) - bounds.center()).normalize_or(Vec3::Y),
        };
        Some(light_at(light, stage, node, bounds) * towards)
    });
    let lights: Vec<Vec3> = own.chain(file).collect();
    let strongest = lights.iter().copied().max_by(|a, b| a.length().total_cmp(&b.length()));
    let mean = lights.iter().sum::<Vec3>();
    // Surfaces that face the strongest light, all lights together, or an axis.
    let normals = [strongest.unwrap_or_default(), mean].map(Vec3::normalize_or_zero).into_iter();
    let axes = [Vec3::X, Vec3::Y, Vec3::Z].into_iter().flat_map(|axis| [axis, -axis]);
    let facing = |normal: Vec3| lights.iter().map(|light| light.dot(normal).max(0.0)).sum::<f32>();
    normals.chain(axes).map(facing).fold(0.0, f32::max)
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
    match light.kind {
        LightKind::Directional => strength,
        LightKind::Spot { outer, .. }
            if -axis(stage, node).dot(away.normalize_or_zero()) < outer.cos() =>
        {
            0.0
        }
        LightKind::Point | LightKind::Spot { .. } => strength / (distance * distance),
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
