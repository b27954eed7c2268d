//! Lengths and directions that are in the space of the scene, which the scale and the turn of nodes do not reach.

use std::collections::BTreeSet;

use glam::{Quat, Vec3};
use serde_json::{Value, json};

use rigview_document::{extension, items};

/// Keys of lengths that clips can animate (KHR_animation_pointer).
const ANIMATED: [&str; 6] = ["znear", "zfar", "xmag", "ymag", "range", "attenuationDistance"];

/// Multiplies the lengths of a document that are in the space of the scene: planes and extents of cameras, ranges of lights,
/// attenuation distances, outlines, and what moves the springs of VRM. Thickness of volumes and shapes that springs
/// collide with are in the space of their mesh or node. Returns the JSON pointers of those that clips animate, whose keys
/// stay as they are.
pub fn scale_lengths(root: &mut Value, factor: f32) -> Vec<String> {
    let factor = f64::from(factor);
    for camera in items(root, "cameras") {
        for kind in ["perspective", "orthographic"] {
            multiply(camera.get_mut(kind), &["znear", "zfar", "xmag", "ymag"], factor);
        }
    }
    if let Some(lights) = extension(root, "KHR_lights_punctual") {
        items(lights, "lights").for_each(|light| multiply(Some(light), &["range"], factor));
    }
    for material in items(root, "materials") {
        let volume = extension(material, "KHR_materials_volume");
        multiply(volume, &["attenuationDistance"], factor);
        if let Some(toon) = extension(material, "VRMC_materials_mtoon")
            && toon["outlineWidthMode"] == "worldCoordinates"
        {
            multiply(Some(toon), &["outlineWidthFactor"], factor);
        }
    }
    if let Some(springs) = extension(root, "VRMC_springBone") {
        let joints = items(springs, "springs").flat_map(|spring| items(spring, "joints"));
        joints.for_each(|joint| scale_spring(joint, "stiffness", factor));
    }
    if let Some(vrm) = extension(root, "VRM") {
        for material in items(vrm, "materialProperties") {
            // 1 stands for the space of the scene.
            if let Some(numbers) = material.get_mut("floatProperties")
                && numbers["_OutlineWidthMode"].as_f64() == Some(1.0)
            {
                multiply(Some(numbers), &["_OutlineWidth"], factor);
            }
        }
    }
    if let Some(springs) = extension(root, "VRM").and_then(|vrm| vrm.get_mut("secondaryAnimation"))
    {
        // The name is spelled so in VRM 0.x.
        items(springs, "boneGroups").for_each(|group| scale_spring(group, "stiffiness", factor));
    }
    animated(root)
}

/// Multiplies what moves a joint towards its rest, what moves it down, and how far it stays from what it meets. In each step its
/// end moves by the first two, in the space of the scene.
fn scale_spring(joint: &mut Value, stiffness: &str, factor: f64) {
    if let Value::Object(joint) = joint {
        // Without one it is 1.
        joint.entry(stiffness).or_insert(json!(1.0));
    }
    multiply(Some(joint), &[stiffness, "gravityPower", "hitRadius"], factor);
}

/// Turns the directions in which the springs of VRM fall.
pub fn turn_gravity(root: &mut Value, rotation: Quat) {
    if rotation == Quat::IDENTITY {
        return;
    }
    if let Some(springs) = extension(root, "VRMC_springBone") {
        let joints = items(springs, "springs").flat_map(|spring| items(spring, "joints"));
        for joint in joints.filter_map(Value::as_object_mut) {
            let own = joint.entry("gravityDir").or_insert(json!(Vec3::NEG_Y.to_array()));
            if let Some([x, y, z]) = own.as_array().and_then(|own| numbers([0, 1, 2], own)) {
                *own = json!((rotation * Vec3::new(x, y, z)).to_array());
            }
        }
    }
    if let Some(springs) = extension(root, "VRM").and_then(|vrm| vrm.get_mut("secondaryAnimation"))
    {
        for group in items(springs, "boneGroups").filter_map(Value::as_object_mut) {
            let own = group.entry("gravityDir").or_insert(json!({"x": 0, "y": -1, "z": 0}));
            if own.is_object() {
                // Z of VRM 0.x is reversed, as in Unity.
                let [x, y, z] = ["x", "y", "z"].map(|key| own[key].as_f64().unwrap_or(0.0) as f32);
                let [x, y, z] = (rotation * Vec3::new(x, y, -z)).to_array();
                *own = json!({"x": x, "y": y, "z": -z});
            }
        }
    }
}

/// Returns the numbers of a list at these places; `None` if one is missing.
fn numbers<const N: usize>(places: [usize; N], list: &[Value]) -> Option<[f32; N]> {
    let all = places.map(|at| Some(list.get(at)?.as_f64()? as f32));
    all.iter().all(Option::is_some).then(|| all.map(Option::unwrap_or_default))
}

fn multiply(of: Option<&mut Value>, keys: &[&str], factor: f64) {
    let Some(of) = of.and_then(Value::as_object_mut) else { return };
    for key in keys {
        if let Some(number) = of.get_mut(*key)
            && let Some(length) = number.as_f64()
        {
            *number = json!(length * factor);
        }
    }
}

/// Returns the pointers of the lengths that clips animate, each once.
fn animated(root: &mut Value) -> Vec<String> {
    let mut found = BTreeSet::new();
    for channel in items(root, "animations").flat_map(|clip| items(clip, "channels")) {
        let target = channel.get_mut("target").and_then(|target| {
            extension(target, "KHR_animation_pointer")?.get("pointer")?.as_str().map(str::to_owned)
        });
        let is_length =
            |pointer: &String| ANIMATED.iter().any(|key| pointer.ends_with(&format!("/{key}")));
        if let Some(pointer) = target.filter(is_length) {
            found.insert(pointer);
        }
    }
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A quarter turn about X takes Z, which is up, to Y, and Y to -Z. In VRM 0.x, Z is reversed.
    #[test]
    fn springs_fall_in_the_turned_direction_also_if_the_file_states_none() {
        let turn = Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2);
        let mut root = json!({"extensions": {
            "VRMC_springBone": {"springs": [{"joints": [
                {"gravityDir": [0, 0, -1]}, {}, {"gravityDir": [1, 2]},
            ]}]},
            "VRM": {"secondaryAnimation": {"boneGroups": [
                {"gravityDir": {"x": 0, "y": 0, "z": 1}}, {}, {"gravityDir": {"y": 1}},
            ]}},
        }});
        turn_gravity(&mut root, turn);
        let joints = &root["extensions"]["VRMC_springBone"]["springs"][0]["joints"];
        let groups = &root["extensions"]["VRM"]["secondaryAnimation"]["boneGroups"];
        let near = |found: [&Value; 3], wanted: [f64; 3]| {
            let found = found.map(|number| number.as_f64().unwrap());
            let off = found.iter().zip(wanted).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            assert!(off < 1e-6, "{found:?}, {wanted:?}");
        };
        for (at, wanted) in [(0, [0.0, -1.0, 0.0]), (1, [0.0, 0.0, 1.0])] {
            near([0, 1, 2].map(|axis| &joints[at]["gravityDir"][axis]), wanted);
        }
        assert_eq!(joints[2]["gravityDir"], json!([1, 2]));
        for (at, wanted) in [[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [0.0, 0.0, 1.0]].iter().enumerate()
        {
            near(["x", "y", "z"].map(|axis| &groups[at]["gravityDir"][axis]), *wanted);
        }
    }

    #[test]
    fn lengths_of_the_scene_are_multiplied_and_animated_ones_are_listed() {
        let volume =
            |distance: f64| json!({"thicknessFactor": 3.0, "attenuationDistance": distance});
        let document = |of: f64, stiffness: Value| {
            json!({
                "cameras": [
                    {"perspective": {"yfov": 1.0, "znear": 0.5 * of, "zfar": 8.0 * of}},
                    {"orthographic": {"xmag": of, "ymag": 2.0 * of, "znear": 0.0, "zfar": 4.0 * of}},
                ],
                "materials": [{"extensions": {"KHR_materials_volume": volume(0.25 * of),
                    "VRMC_materials_mtoon": {"outlineWidthMode": "worldCoordinates", "outlineWidthFactor": 0.5 * of}}},
                    {"extensions": {"VRMC_materials_mtoon": {"outlineWidthMode": "screenCoordinates", "outlineWidthFactor": 0.5}}}],
                "extensions": {
                    "KHR_lights_punctual": {"lights": [{"range": 5.0 * of, "intensity": 7.0}, {}]},
                    "VRMC_springBone": {
                        "colliders": [{"node": 0, "shape": {"sphere": {"radius": 9.0}}}],
                        "springs": [{"joints": [
                            {"hitRadius": 0.5 * of, "gravityPower": of, "dragForce": 0.4, "stiffness": stiffness},
                        ]}],
                    },
                    "VRM": {"materialProperties": [{"floatProperties": {"_OutlineWidthMode": 1, "_OutlineWidth": 0.5 * of}}],
                        "secondaryAnimation": {"boneGroups": [
                        {"stiffiness": 3.0 * of, "gravityPower": of, "hitRadius": 0.5 * of},
                    ]}},
                },
            })
        };
        let mut root = document(1.0, json!(1.0));
        root["extensions"]["VRMC_springBone"]["springs"][0]["joints"][0]
            .as_object_mut()
            .unwrap()
            .remove("stiffness");
        let channel = |pointer: &str| json!({"target": {"extensions": {"KHR_animation_pointer": {"pointer": pointer}}}});
        let channels = ["/cameras/0/perspective/yfov", "/cameras/0/perspective/znear"].map(channel);
        root["animations"] = json!([{"channels": channels}, {"channels": channels}]);
        assert_eq!(scale_lengths(&mut root, 4.0), ["/cameras/0/perspective/znear"]);
        root.as_object_mut().unwrap().remove("animations");
        assert_eq!(root, document(4.0, json!(4.0)));
    }
}
