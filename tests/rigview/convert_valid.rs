//! What `convert` writes follows glTF where the source's parts are unusual: some weights of many, long quaternions,
//! many joints per vertex, primitives without a skin.

use std::path::{Path, PathBuf};

use rigview::import::{ImportOptions, load};
use serde_json::{Value, json};

use crate::support::{Glb, SmallModel, rigview};

/// Converts a file with these arguments, and returns the answer and the result.
fn converted(input: &Path, args: &[&str]) -> (Value, Glb) {
    let out = input.with_file_name("out.glb");
    let all = ["convert", "--json", input.to_str().unwrap(), "-o", out.to_str().unwrap()];
    let said = rigview(all.iter().chain(args)).done();
    (said.json(), Glb::read(&out))
}

/// Writes a file after a change, next to those of a test.
fn changed(folder: &tempfile::TempDir, bytes: &[u8], change: impl FnOnce(&mut Glb)) -> PathBuf {
    let path = folder.path().join("in.glb");
    std::fs::write(&path, bytes).unwrap();
    let mut glb = Glb::read(&path);
    change(&mut glb);
    glb.json["buffers"][0]["byteLength"] = glb.bin.len().into();
    glb.write(&path);
    path
}

/// Returns the numbers of an accessor of 16 bits in rows of four.
fn shorts(glb: &Glb, accessor: &Value) -> Vec<[u16; 4]> {
    let (pairs, _) = glb.bin[glb.place(accessor)].as_chunks::<2>();
    let numbers: Vec<u16> = pairs.iter().map(|pair| u16::from_le_bytes(*pair)).collect();
    numbers.as_chunks::<4>().0.to_vec()
}

fn creature() -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/creature.glb");
    std::fs::read(path).unwrap()
}

/// A clip may drive single weights by KHR_animation_pointer. Channels of weights, which are written, have all of them.
#[test]
fn single_weights_become_channels_of_all_weights() {
    let folder = tempfile::tempdir().unwrap();
    let pointer = |weight: usize| {
        let pointer = format!("/nodes/0/weights/{weight}");
        json!({"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": pointer}}})
    };
    let model = SmallModel::new().clip("Smile").edit(|json| {
        json["meshes"][0]["primitives"][0]["targets"] = json!(vec![json!({"POSITION": 0}); 3]);
        json["nodes"][0]["weights"] = json!([0.25, 0.0, 0.5]);
        json["extensionsUsed"] = json!(["KHR_animation_pointer"]);
        json["animations"][0] = json!({
            "name": "Smile",
            "channels": [{"sampler": 0, "target": pointer(1)}, {"sampler": 1, "target": pointer(2)}],
            "samplers": [{"input": 2, "output": 2}, {"input": 2, "output": 2}],
        });
    });
    let input = changed(&folder, &model.glb(), |_| {});
    let bake = folder.path().join("baked.glb");
    let (said, one) = converted(&input, &["--clip", "Smile"]);
    assert!(said["largest_mm"].as_f64().unwrap() < 0.01, "{said}");
    let keep = ["bake", input.to_str().unwrap(), "--rate", "keep", "-o", bake.to_str().unwrap()];
    rigview(keep).done();
    // A clip that is only chosen stays as it is.
    assert_eq!(one.json["animations"][0]["channels"][1]["target"], pointer(2));
    let written = Glb::read(&bake);
    let animation = &written.json["animations"][0];
    let channels = animation["channels"].as_array().unwrap();
    assert_eq!(channels.len(), 1, "{animation}");
    assert_eq!(channels[0]["target"], json!({"node": 0, "path": "weights"}));
    let count = |end: &str| {
        let accessor = animation["samplers"][0][end].as_u64().unwrap() as usize;
        written.json["accessors"][accessor]["count"].as_u64().unwrap()
    };
    assert_eq!(count("output"), 3 * count("input"), "{animation}");
}

/// Only the chosen clips are kept, with all that is stored in them, and the data of the others is left out.
#[test]
fn chosen_clips_keep_all_that_is_stored_in_them() {
    let folder = tempfile::tempdir().unwrap();
    let input = changed(&folder, &creature(), |glb| {
        for (index, animation) in
            glb.json["animations"].as_array_mut().unwrap().iter_mut().enumerate()
        {
            animation["extras"] = json!({ "index": index });
            animation["samplers"][0]["extras"] = json!({ "sampler": index });
        }
    });
    let (said, written) = converted(&input, &["--clip", "Hop", "--clip", "Idle"]);
    assert_eq!(said["largest_mm"], 0.0, "{said}");
    let animations = written.json["animations"].as_array().unwrap();
    let stored: Vec<_> =
        animations.iter().map(|clip| (&clip["name"], &clip["extras"]["index"])).collect();
    assert_eq!(stored, [(&json!("Hop"), &json!(2)), (&json!("Idle"), &json!(0))]);
    assert_eq!(animations[0]["samplers"][0]["extras"], json!({ "sampler": 2 }));
    let accessors = |glb: &Glb| glb.json["accessors"].as_array().unwrap().len();
    assert!(accessors(&written) < accessors(&Glb::read(&input)));
    assert!(written.bin.len() < Glb::read(&input).bin.len());
}

/// A node places the primitives of a skinned mesh that have no joints, so the grid of the skin must not move them.
#[test]
fn primitives_without_joints_are_where_they_were_after_quantisation() {
    let folder = tempfile::tempdir().unwrap();
    let input = changed(&folder, &creature(), |glb| {
        let primitives = glb.json["meshes"][0]["primitives"].as_array_mut().unwrap();
        let attributes = primitives[1]["attributes"].as_object_mut().unwrap();
        attributes.remove("JOINTS_0");
        attributes.remove("WEIGHTS_0");
    });
    let (said, _) = converted(&input, &["--quantize"]);
    let mm = said["largest_mm"].as_f64().unwrap();
    assert!(mm > 0.0 && mm < 0.3, "{said}");
    // Positions that both kinds use stay floats, and so do all others of the skin.
    let input = changed(&folder, &creature(), |glb| {
        let primitives = glb.json["meshes"][0]["primitives"].as_array_mut().unwrap();
        let mut free = primitives[1].clone();
        let attributes = free["attributes"].as_object_mut().unwrap();
        attributes.remove("JOINTS_0");
        attributes.remove("WEIGHTS_0");
        primitives.push(free);
    });
    let (said, _) = converted(&input, &["--quantize"]);
    assert!(said["largest_mm"].as_f64().unwrap() < 0.3, "{said}");
}

/// Readers normalise quaternions, so one of length 2 is a rotation, and no numbers to be clamped.
#[test]
fn long_quaternions_are_the_same_rotations_in_16_bits() {
    let folder = tempfile::tempdir().unwrap();
    let input = changed(&folder, &SmallModel::new().clip("Turn").glb(), |glb| {
        let keys: [f32; 8] = [0., 0., 0., 2., 0., 0., 1.2, 1.6];
        glb.bin[68..100].copy_from_slice(bytemuck::cast_slice(&keys));
    });
    let (said, written) = converted(&input, &["--quantize"]);
    assert!(said["largest_mm"].as_f64().unwrap() < 0.2, "{said}");
    let sampler = &written.json["animations"][0]["samplers"][0];
    assert_eq!(shorts(&written, &sampler["output"]), [[0, 0, 0, 32767], [0, 0, 19660, 26214]]);
}

/// The weights of a vertex sum to 1 over all sets.
#[test]
fn weights_of_many_joints_sum_to_one_in_16_bits() {
    let folder = tempfile::tempdir().unwrap();
    let input = changed(&folder, &SmallModel::new().glb(), |glb| {
        let joints: Vec<Value> = (1..9).map(|i| json!({"translation": [0, 0, i]})).collect();
        let nodes = glb.json["nodes"].as_array_mut().unwrap();
        nodes.extend(joints);
        nodes.push(json!({"children": [1, 2, 3, 4, 5, 6, 7, 8]}));
        nodes[0]["skin"] = 0.into();
        glb.json["scenes"][0]["nodes"] = json!([0, 9]);
        glb.json["skins"] = json!([{"joints": [1, 2, 3, 4, 5, 6, 7, 8]}]);
        for set in 0..2u8 {
            let row = [0, 1, 2, 3].map(|i| 4 * set + i);
            let kind = json!({"componentType": 5121, "count": 4, "type": "VEC4"});
            let joints = glb.put(kind, &row.repeat(4));
            let weights = glb.put_floats("VEC4", &[0.125; 16]);
            let attributes = &mut glb.json["meshes"][0]["primitives"][0]["attributes"];
            attributes[format!("JOINTS_{set}")] = joints.into();
            attributes[format!("WEIGHTS_{set}")] = weights.into();
        }
    });
    let (said, written) = converted(&input, &["--quantize"]);
    assert!(said["largest_mm"].as_f64().unwrap() < 0.1, "{said}");
    let attributes = &written.json["meshes"][0]["primitives"][0]["attributes"];
    let sets = ["WEIGHTS_0", "WEIGHTS_1"].map(|set| shorts(&written, &attributes[set]));
    for (a, b) in sets[0].iter().zip(&sets[1]) {
        let sum: u32 = a.iter().chain(b).map(|weight| u32::from(*weight)).sum();
        assert_eq!(sum, 65535, "{a:?} {b:?}");
    }
    assert!(load(&input.with_file_name("out.glb"), &ImportOptions::default()).is_ok());
}

/// Samplers that no channel plays may have keys of any type, and a channel of rotations with other keys plays nothing.
#[test]
fn keys_that_are_no_rotations_are_not_stored_as_such() {
    let folder = tempfile::tempdir().unwrap();
    for is_played in [false, true] {
        let mut moves = 0;
        let input = changed(&folder, &SmallModel::new().clip("Turn").glb(), |glb| {
            moves = glb.put_floats("VEC3", &[0.5; 6]);
            let animation = &mut glb.json["animations"][0];
            let samplers = animation["samplers"].as_array_mut().unwrap();
            samplers.push(json!({"input": 2, "output": moves}));
            if is_played {
                animation["channels"][0]["sampler"] = json!(1);
            }
        });
        let (_, written) = converted(&input, &["--quantize"]);
        let output = &written.json["animations"][0]["samplers"][1]["output"];
        assert_eq!(written.floats(output), [0.5; 6]);
    }
}

/// A vertex that is nowhere has no place in a grid.
#[test]
fn positions_of_a_skin_stay_floats_if_one_is_not_finite() {
    let folder = tempfile::tempdir().unwrap();
    for vertex in [0, 1, 3] {
        let input = changed(&folder, &SmallModel::new().glb(), |glb| {
            glb.bin[12 * vertex..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
            let joints = json!({"componentType": 5121, "count": 4, "type": "VEC4"});
            let joints = glb.put(joints, &[0; 16]);
            let weights = glb.put_floats("VEC4", &[1., 0., 0., 0.].repeat(4));
            let attributes = &mut glb.json["meshes"][0]["primitives"][0]["attributes"];
            attributes["JOINTS_0"] = joints.into();
            attributes["WEIGHTS_0"] = weights.into();
            glb.json["nodes"] = json!([{"mesh": 0, "skin": 0}, {}]);
            glb.json["scenes"][0]["nodes"] = json!([0, 1]);
            glb.json["skins"] = json!([{"joints": [1]}]);
        });
        let (_, written) = converted(&input, &["--quantize"]);
        let positions = written.floats(&json!(0));
        assert!(positions[3 * vertex].is_nan() && positions[11] == 0.0, "{positions:?}");
    }
}

/// Lengths that overflow make a camera that can't be read. The file of before stays.
#[test]
fn a_result_that_can_not_be_read_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let input = changed(&folder, &SmallModel::new().glb(), |glb| {
        let lens = json!({"xmag": 1000, "ymag": 1000, "znear": 0.1, "zfar": 10_000});
        glb.json["cameras"] = json!([{"type": "orthographic", "orthographic": lens}]);
        glb.json["nodes"][0]["camera"] = json!(0);
    });
    let out = folder.path().join("out.glb");
    std::fs::write(&out, "before").unwrap();
    let names = [&input, &out].map(|path| path.to_str().unwrap());
    let said = rigview(["convert", names[0], "--scale", "1e37", "-o", names[1]]).failed(5);
    assert!(said.stderr.contains("could not be read again: camera 0"), "{}", said.stderr);
    assert_eq!(std::fs::read(&out).unwrap(), b"before");
}
