//! Cameras and lights: a node of their own each, since FBX looks along X and shines along -Y, where glTF does
//! both along -Z.

use glam::DQuat;
use serde_json::{Value, json};
use ufbx::{Camera, Light, LightType, Node, ProjectionMode, Scene};

use super::rig::Rig;
use super::scene::finite;
use crate::import::draft::Draft;
use crate::import::fault::Warnings;
use crate::import::warning_code::WarningCode;

/// Nearest distance that a camera without one of its own shows, in metres.
const NEAR: f64 = 0.01;

/// Appends the cameras and lights of all nodes.
pub(super) fn write(scene: &Scene, rig: &Rig, draft: &mut Draft, warnings: &mut Warnings) {
    for node in &scene.nodes {
        let Some(index) = rig.index(node) else { continue };
        if let Some(camera) = &node.camera {
            let camera = draft.push("cameras", camera_of(camera, node));
            let turn = DQuat::from_rotation_y(-std::f64::consts::FRAC_PI_2);
            add(draft, index, node, "camera", turn, json!({ "camera": camera }));
        }
        if let Some(light) = &node.light {
            if matches!(light.type_, LightType::Area | LightType::Volume) {
                let name = &*node.element.name;
                let message =
                    format!("light \"{name}\": area and volume lights are shown as points");
                warnings.add(WarningCode::NotShown, "", message);
            }
            let light = draft.push_light(light_of(light, node));
            let turn = DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2);
            let extensions = json!({ "extensions": { "KHR_lights_punctual": { "light": light } } });
            add(draft, index, node, "light", turn, extensions);
        }
    }
}

/// Adds a node below another.
fn add(draft: &mut Draft, parent: usize, node: &Node, what: &str, turn: DQuat, mut item: Value) {
    item["name"] = format!("{} ({what})", &*node.element.name).into();
    item["rotation"] = json!(turn.to_array().map(|x| x as f32));
    let new = draft.push("nodes", item);
    draft.add_child(parent, new);
}

fn camera_of(camera: &Camera, node: &Node) -> Value {
    let positive = |x: f64, default: f64| if x.is_finite() && x > 0.0 { x } else { default };
    let near = positive(camera.near_plane, NEAR);
    let far = positive(camera.far_plane, near * 1e6);
    let far = if far > near { far } else { near * 1e6 };
    let name = &*node.element.name;
    if camera.projection_mode == ProjectionMode::Orthographic {
        let size = camera.orthographic_size;
        return json!({ "name": name, "type": "orthographic", "orthographic": {
            "xmag": positive(size.x / 2.0, 1.0) as f32, "ymag": positive(size.y / 2.0, 1.0) as f32,
            "znear": near as f32, "zfar": far as f32,
        }});
    }
    let angle = camera.field_of_view_deg.y.to_radians();
    let yfov = if angle > 0.0 && angle < std::f64::consts::PI { angle } else { 0.7 };
    let mut perspective = json!({ "yfov": yfov as f32, "znear": near as f32, "zfar": far as f32 });
    if camera.aspect_ratio.is_finite() && camera.aspect_ratio > 0.0 {
        perspective["aspectRatio"] = json!(camera.aspect_ratio as f32);
    }
    json!({ "name": name, "type": "perspective", "perspective": perspective })
}

fn light_of(light: &Light, node: &Node) -> Value {
    let kind = match light.type_ {
        LightType::Directional => "directional",
        LightType::Spot => "spot",
        LightType::Point | LightType::Area | LightType::Volume => "point",
    };
    let unit = |x: f64| finite(x, &mut 0).clamp(0.0, 1.0);
    let color = [light.color.x, light.color.y, light.color.z].map(unit);
    let intensity = finite(light.intensity, &mut 0).max(0.0);
    let name = &*node.element.name;
    let mut out = json!({ "name": name, "type": kind, "color": color, "intensity": intensity });
    if kind == "spot" {
        // FBX states whole angles, glTF those from the axis.
        let half = |degrees: f64| finite(degrees.to_radians() / 2.0, &mut 0);
        let outer = half(light.outer_angle).clamp(1e-3, std::f32::consts::FRAC_PI_2);
        let inner = half(light.inner_angle).clamp(0.0, outer * 0.999);
        out["spot"] = json!({ "innerConeAngle": inner, "outerConeAngle": outer });
    }
    out
}
