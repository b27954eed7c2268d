//! Cameras and lights: a node of their own each, since FBX looks along X and shines along -Y, where glTF does
//! both along -Z.

use std::collections::HashSet;
use std::f64::consts::FRAC_PI_2;

use glam::{DMat3, DQuat, DVec3};
use serde_json::{Value, json};
use ufbx::{Camera, Element, ElementType, Light, LightType, Node, ProjectionMode, Scene};

use super::curves::is_moved;
use super::properties;
use super::rig::{Rig, line};
use super::scene::finite;
use super::stack::Stack;
use crate::draft::Draft;
use crate::fault::Warnings;
use rigview_model::{WarningCode, quoted};

/// Nearest distance that a camera without one of its own shows, in metres.
const NEAR: f64 = 0.01;

/// Appends the cameras and lights of all nodes.
pub(super) fn write(
    scene: &Scene,
    stacks: &[Stack],
    rig: &Rig,
    draft: &mut Draft,
    warnings: &mut Warnings,
) {
    // Several nodes may share one of them, with any number of properties.
    let mut seen = HashSet::new();
    let mut is_first = |element: &Element| seen.insert(element.element_id);
    for node in &scene.nodes {
        let Some(index) = rig.index(node) else { continue };
        if let Some(camera) = &node.camera {
            let mut item = camera_of(camera, node);
            if is_first(&camera.element) {
                properties::put(&mut item, &camera.element);
            }
            let camera = draft.push("cameras", item);
            let turn = DQuat::from_rotation_y(-FRAC_PI_2);
            let turn = aimed("camera", node, stacks, warnings).unwrap_or(turn);
            add(draft, index, node, "camera", turn, json!({ "camera": camera }));
        }
        if let Some(light) = &node.light {
            let name = quoted(&node.element.name);
            if !light.cast_light {
                let message = format!("light {name} is switched off in the file: it is left out");
                warnings.add(WarningCode::NotShown, "", message);
                continue;
            }
            if matches!(light.type_, LightType::Area | LightType::Volume) {
                let message = format!("light {name}: area and volume lights are shown as points");
                warnings.add(WarningCode::NotShown, "", message);
            }
            let mut item = light_of(light, node);
            if is_first(&light.element) {
                properties::put(&mut item, &light.element);
            }
            let light = draft.push_light(item);
            let turn = DQuat::from_rotation_x(-FRAC_PI_2);
            let turn = aimed("light", node, stacks, warnings).unwrap_or(turn);
            let extensions = json!({ "extensions": { "KHR_lights_punctual": { "light": light } } });
            add(draft, index, node, "light", turn, extensions);
        }
    }
}

/// Returns the turn below a node that points -Z at the node's target in the rest pose; `None` without a target. Warns if a
/// take moves one of them and not the other.
fn aimed(what: &str, node: &Node, stacks: &[Stack], warnings: &mut Warnings) -> Option<DQuat> {
    let other = |property| ufbx::find_prop_element(&node.element, property, ElementType::Node);
    let target = other("LookAtProperty").and_then(ufbx::as_node)?;
    let place = |node: &Node| {
        let m = &node.node_to_world;
        DVec3::new(m.m03, m.m13, m.m23)
    };
    let back = (place(node) - place(target)).try_normalize()?;
    let up = other("UpVectorProperty").and_then(ufbx::as_node);
    let up = up.map_or(DVec3::Y, |up| place(up) - place(node));
    // The parents may be mirrored and unevenly scaled.
    let m = &node.node_to_world;
    let axes = [[m.m00, m.m10, m.m20], [m.m01, m.m11, m.m21], [m.m02, m.m12, m.m22]];
    let [x, y, z] = axes.map(DVec3::from);
    let inverse = DMat3::from_cols(x, y, z).inverse();
    let back = (inverse * back).try_normalize()?;
    let right = (inverse * up).cross(back).try_normalize();
    let right = right.unwrap_or_else(|| back.any_orthonormal_vector());
    let turn = DQuat::from_mat3(&DMat3::from_cols(right, back.cross(right), back));
    let moves = |a: &Node, b: &Node| {
        let common: HashSet<u32> = line(b).map(|node| node.element.element_id).collect();
        let mut own = line(a).take_while(|node| !common.contains(&node.element.element_id));
        own.any(|node| is_moved(stacks, node))
    };
    if moves(node, target) || moves(target, node) {
        let [name, target] = [node, target].map(|node| quoted(&node.element.name));
        let message = format!(
            "{what} {name} is aimed at its target {target} in the rest pose only: takes do not aim it"
        );
        warnings.add(WarningCode::NotShown, "", message);
    }
    Some(turn)
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
