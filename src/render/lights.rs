//! The lights of a frame: the file's at their posed nodes, those of the command line, and the key light.

use glam::{DVec3, Vec3};

use super::uniforms::{LightUniform, LightsUniform, MAX_LIGHTS};
use crate::look::Lighting;
use crate::model::{Light, LightKind, Model, Stage};

/// Whether the look's key light is on, with its shadow and the ground. It is off if the scene has lights of
/// its own.
pub fn has_key_light(lighting: &Lighting, model: &Model, stage: &Stage) -> bool {
    let own = lighting.file_lights && stage.nodes.iter().any(|n| model.nodes[*n].light.is_some());
    lighting.key_light && !own
}

/// Returns the number of lights, including those past [`MAX_LIGHTS`].
pub fn count(lighting: &Lighting, model: &Model, stage: &Stage) -> usize {
    let file = stage.nodes.iter().filter(|n| model.nodes[**n].light.is_some()).count();
    lighting.lights.len()
        + if lighting.file_lights { file } else { 0 }
        + usize::from(has_key_light(lighting, model, stage))
}

/// Returns the lights relative to `eye`, which is in scene space: the key light, the command line's, then
/// the file's in node order, up to [`MAX_LIGHTS`].
pub fn lights_uniform(
    lighting: &Lighting,
    model: &Model,
    stage: &Stage,
    eye: DVec3,
) -> LightsUniform {
    let mut uniform = LightsUniform { count: [0; 4], list: [LightUniform::default(); MAX_LIGHTS] };
    let mut add = |light: LightUniform| {
        if let Some(slot) = uniform.list.get_mut(uniform.count[0] as usize) {
            *slot = light;
            uniform.count[0] += 1;
        }
    };
    if has_key_light(lighting, model, stage) {
        let mut key = directional(Lighting::towards_key(), Lighting::key_illuminance());
        key.towards[3] = 1.0;
        add(key);
    }
    for light in &lighting.lights {
        let towards = -light.direction.normalize_or_zero();
        add(directional(towards, Vec3::splat(light.lux)));
    }
    if lighting.file_lights {
        let from_eye = (stage.origin - eye).as_vec3();
        for &node in stage.nodes.iter().filter(|node| stage.visible[**node]) {
            if let Some(light) = model.nodes[node].light {
                add(placed(&stage.properties.lights[light], stage, node, from_eye));
            }
        }
    }
    uniform
}

fn directional(towards: Vec3, illuminance: Vec3) -> LightUniform {
    LightUniform {
        towards: towards.extend(0.0).to_array(),
        intensity: illuminance.extend(0.0).to_array(),
        ..LightUniform::default()
    }
}

/// Returns a light of the file, positioned at its node and pointing along the node's -Z axis.
fn placed(light: &Light, stage: &Stage, node: usize, from_eye: Vec3) -> LightUniform {
    let world_from_node = *stage.world.world_from_node(node);
    let towards = Vec3::from(world_from_node.matrix3.z_axis).normalize_or(Vec3::Z);
    let intensity = light.intensity * Vec3::from(light.color);
    if light.kind == LightKind::Directional {
        return directional(towards, intensity);
    }
    let (factor, term) = match light.kind {
        // KHR_lights_punctual, "Inner and Outer Cone Angles".
        LightKind::Spot { inner, outer } => {
            let factor = 1.0 / (inner.cos() - outer.cos()).max(0.001);
            (factor, -outer.cos() * factor)
        }
        LightKind::Point | LightKind::Directional => (0.0, 1.0),
    };
    let window = light.range.map_or(0.0, |range| (range * range).recip());
    LightUniform {
        position: (stage.position(node) + from_eye).extend(1.0).to_array(),
        towards: towards.extend(0.0).to_array(),
        intensity: intensity.extend(0.0).to_array(),
        falloff: [window, factor, term, 0.0],
    }
}
