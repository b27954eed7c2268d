//! The lights of a frame: the file's at their posed nodes, those of the command line, and the key light.

use glam::{DVec3, Vec3};

use super::uniforms::{LightUniform, LightsUniform};
use crate::Frame;
use rigview_look::{Lighting, MAX_LIGHTS, Metered, light_at};
use rigview_model::{Aabb, Light, LightKind, Model, Stage};

/// A light that casts a shadow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShadowLight {
    /// Unit direction towards the light, the same for the whole model.
    pub towards: Vec3,
    /// The node of a light of the file; `None` for the key light.
    node: Option<usize>,
}

/// The lights of a frame.
#[derive(Clone, Copy)]
pub struct SceneLights<'a> {
    lighting: &'a Lighting,
    model: &'a Model,
    stage: &'a Stage,
    /// Whether the look's key light is on, with its shadow.
    has_key: bool,
}

impl<'a> SceneLights<'a> {
    /// Returns the lights of a frame. The key light is off if a light of the scene shines now, or at any instant of the
    /// clip, so that it does not replace one that blinks. Lights that the file hides throughout do not count.
    pub fn new(frame: &Frame<'a>) -> Self {
        let Frame { model, stage, look, metered, .. } = *frame;
        let lighting = &look.lighting;
        let is_light = |node: &&usize| model.nodes[**node].light.is_some();
        let shines_now =
            || stage.nodes.iter().filter(is_light).any(|node| stage.is_shown_by_file(*node));
        let own = lighting.file_lights && (metered.is_some_and(Metered::has_lamps) || shines_now());
        Self { lighting, model, stage, has_key: lighting.key_light && !own }
    }

    /// Returns the light that casts the shadow in the default look: the key light, or the strongest directional or
    /// spot light of the file. Spot lights near the model have none, since their rays are not parallel there.
    pub fn shadow_light(&self, bounds: &Aabb) -> Option<ShadowLight> {
        let Self { lighting, model, stage, has_key } = *self;
        if has_key {
            return Some(ShadowLight { towards: lighting.key.towards, node: None });
        }
        if !lighting.key_light || !lighting.file_lights {
            return None;
        }
        let strengths = self.shining().filter_map(|node| {
            let light = &stage.properties.lights[model.nodes[node].light?];
            let away = stage.position(node) - bounds.center();
            let towards = match light.kind {
                LightKind::Directional => axis(stage, node),
                LightKind::Spot { .. } if away.length() > bounds.size().length() => {
                    away.normalize()
                }
                LightKind::Spot { .. } | LightKind::Point => return None,
            };
            let lux = light_at(light, stage, node, bounds);
            (lux > 0.0).then_some((lux, ShadowLight { towards, node: Some(node) }))
        });
        strengths.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, light)| light)
    }

    /// Returns the number of lights that shine, including those past [`MAX_LIGHTS`].
    pub fn count(&self) -> usize {
        let file = if self.lighting.file_lights { self.shining().count() } else { 0 };
        self.lighting.lights.len() + file + usize::from(self.has_key)
    }

    /// Returns the visible nodes that have lights.
    fn shining(&self) -> impl Iterator<Item = usize> + use<'a> {
        let Self { model, stage, .. } = *self;
        let nodes = stage.nodes.iter().copied();
        nodes.filter(|node| stage.visible[*node] && model.nodes[*node].light.is_some())
    }

    /// Returns the lights relative to `eye`, which is in scene space: the key light, the command line's, then
    /// the file's in node order, up to [`MAX_LIGHTS`]. The shadow map belongs to `shadow`. All light is multiplied by
    /// `factor`, so that the scene's half-float texels hold sunlight as well as a candle's.
    pub fn uniform(&self, eye: DVec3, shadow: Option<ShadowLight>, factor: f32) -> LightsUniform {
        let Self { lighting, model, stage, has_key } = *self;
        let mut uniform = LightsUniform {
            count: 0,
            emission_factor: factor,
            padding: [0; 2],
            list: [LightUniform::default(); MAX_LIGHTS],
        };
        let mut add = |mut light: LightUniform| {
            light.intensity.iter_mut().for_each(|intensity| *intensity *= factor);
            if let Some(slot) = uniform.list.get_mut(uniform.count as usize) {
                *slot = light;
                uniform.count += 1;
            }
        };
        if has_key {
            let mut key = directional(lighting.key.towards, lighting.key.illuminance);
            key.towards[3] = 1.0;
            add(key);
        }
        for light in &lighting.lights {
            let towards = -light.direction.normalize_or_zero();
            add(directional(towards, Vec3::splat(light.lux)));
        }
        let from_eye = (stage.origin - eye).as_vec3();
        for node in self.shining().filter(|_| lighting.file_lights) {
            if let Some(light) = model.nodes[node].light {
                let mut uniform = placed(&stage.properties.lights[light], stage, node, from_eye);
                let casts = shadow.is_some_and(|shadow| shadow.node == Some(node));
                uniform.towards[3] = f32::from(u8::from(casts));
                add(uniform);
            }
        }
        uniform
    }
}

/// Returns the unit +Z axis of a node, opposite to the direction in which its light shines.
fn axis(stage: &Stage, node: usize) -> Vec3 {
    Vec3::from(stage.world.world_from_node(node).matrix3.z_axis).normalize_or(Vec3::Z)
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
    let towards = axis(stage, node);
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
