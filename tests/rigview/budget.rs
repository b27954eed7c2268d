//! Small files that describe large products. The program refuses them in one line before it allocates, or
//! shares equal data. It runs with limited memory, so an allocation that should not happen ends it.
//! `fuzz/amplify.py` writes many more such files and measures them.

use std::path::Path;
use std::process::Command;

use base64::Engine as _;
use rigview::anim::Channel;
use rigview::import::{ImportOptions, load_bytes};
use rigview::model::Vertex;
use serde_json::{Value, json};

use crate::support::{Glb, Run, checkout, command, run};

/// The address space limit of a command that uses no GPU, in bytes.
const SPACE: u64 = 3 << 30;

/// A file with accessors of the given counts. All are zero except the first one, which is a triangle.
fn file(folder: &Path, name: &str, mut document: Value) -> String {
    let bin: Vec<u8> = [0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .collect();
    document["asset"] = json!({ "version": "2.0" });
    document["buffers"] = json!([{ "byteLength": bin.len() }]);
    document["bufferViews"] = json!([{ "buffer": 0, "byteLength": bin.len() }]);
    let triangle = json!({
        "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3,
        "min": [0, 0, 0], "max": [1, 1, 0],
    });
    let list = document.as_object_mut().unwrap().entry("accessors").or_insert(json!([]));
    list.as_array_mut().unwrap().insert(0, triangle);
    let path = folder.join(name);
    let glb = Glb { json: document, bin };
    glb.write(&path);
    assert!(path.metadata().unwrap().len() < 5_000_000, "{name} is small");
    path.to_str().unwrap().to_owned()
}

/// Returns `count` nodes that draw mesh 0.
fn drawn(nodes: usize, node: &Value, primitive: &Value, primitives: usize) -> Value {
    let roots: Vec<usize> = (0..nodes).collect();
    json!({
        "scenes": [{ "nodes": roots }],
        "nodes": vec![node; nodes],
        "meshes": [{ "primitives": vec![primitive; primitives] }],
    })
}

/// A clip with two keys that moves these nodes.
fn clip(nodes: usize) -> Value {
    let target = |node| json!({ "sampler": 0, "target": { "node": node, "path": "translation" } });
    json!({
        "samplers": [{ "input": 1, "output": 2 }],
        "channels": (0..nodes).map(target).collect::<Vec<_>>(),
    })
}

/// Runs a command with limited memory.
fn bounded(args: &[&str]) -> Run {
    bounded_to(SPACE, args)
}

/// Runs a command with this many bytes of address space.
fn bounded_to(space: u64, args: &[&str]) -> Run {
    let mut command: Command = command();
    command.args(args);
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::process::CommandExt;
        let bound = move || {
            let limit = libc::rlimit { rlim_cur: space, rlim_max: space };
            // SAFETY: the call only reads the struct.
            match unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) } {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            }
        };
        // SAFETY: between fork and exec the closure makes one system call.
        unsafe { command.pre_exec(bound) };
    }
    run(&mut command)
}

/// Asserts that a command refuses its file because of its memory.
#[track_caller]
fn refused(args: &[&str], what: &str) {
    let run = bounded(args).failed(3);
    assert!(run.stderr.contains("limit of") && run.stderr.contains(what), "{}", run.stderr);
}

fn triangle() -> Value {
    json!({ "attributes": { "POSITION": 0 } })
}

#[test]
fn morph_weights_of_all_nodes_are_charged() {
    let folder = tempfile::tempdir().unwrap();
    let targets = vec![json!({ "POSITION": 0 }); 8000];
    let primitive = json!({ "attributes": { "POSITION": 0 }, "targets": targets });
    let nodes = json!({ "mesh": 0 });
    let file = file(folder.path(), "weights.glb", drawn(100_000, &nodes, &primitive, 1));
    for command in ["info", "pose"] {
        refused(&[command, &file], "/nodes");
    }
}

#[test]
fn primitives_of_all_nodes_are_charged() {
    let folder = tempfile::tempdir().unwrap();
    let node = json!({ "mesh": 0 });
    let many = file(folder.path(), "many.glb", drawn(30_000, &node, &triangle(), 10_000));
    refused(&["info", &many], "/nodes");
    // Few enough to be visited, but too many to be drawn or sampled.
    let mut blended =
        drawn(2000, &node, &json!({ "attributes": { "POSITION": 0 }, "material": 0 }), 3000);
    blended["materials"] = json!([{ "alphaMode": "BLEND" }]);
    let blended = file(folder.path(), "blended.glb", blended);
    bounded(&["info", &blended]).done();
    refused(&["pose", &blended, "--vertices", "3"], "its pose");
    let picture = folder.path().join("picture.png");
    let run = run(command().args(["screenshot", &blended, "-o"]).arg(&picture)).failed(3);
    assert!(run.stderr.contains("drawing it"), "{}", run.stderr);
}

/// 3,000 nodes with 100,000 vertices each, over an hour: refused before they are laid out.
#[test]
fn comparing_many_vertices_is_refused_before_they_are_laid_out() {
    let folder = tempfile::tempdir().unwrap();
    let points = json!({ "attributes": { "POSITION": 1 }, "mode": 0 });
    let mut document = drawn(3000, &json!({ "mesh": 0 }), &points, 1);
    document["accessors"] = json!([
        { "bufferView": 1, "componentType": 5126, "type": "VEC3", "count": 100_000,
          "min": [0, 0, 0], "max": [99_999, 1, 0] },
        { "bufferView": 2, "componentType": 5126, "type": "SCALAR", "count": 2,
          "min": [0], "max": [3600] },
        { "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 2 },
    ]);
    let mut moves = clip(3000);
    moves["samplers"] = json!([{ "input": 2, "output": 3 }]);
    document["animations"] = json!([moves]);
    let path = file(folder.path(), "crowd.glb", document);
    let mut glb = Glb::read(Path::new(&path));
    let start = glb.bin.len();
    for i in 0..100_000 {
        glb.bin.extend([i as f32, (i % 2) as f32, 0.0].iter().flat_map(|x| x.to_le_bytes()));
    }
    let times = glb.bin.len();
    glb.bin.extend([0.0f32, 3600.0].iter().flat_map(|x| x.to_le_bytes()));
    glb.json["buffers"][0]["byteLength"] = json!(glb.bin.len());
    let views = glb.json["bufferViews"].as_array_mut().unwrap();
    views.push(json!({ "buffer": 0, "byteOffset": start, "byteLength": times - start }));
    views.push(json!({ "buffer": 0, "byteOffset": times, "byteLength": 8 }));
    glb.write(Path::new(&path));
    let run = bounded_to(1 << 30, &["diff", &path, &path]).failed(3);
    assert!(run.stderr.contains("the comparison: "), "{}", run.stderr);
    assert!(run.stderr.contains("over the limit of"), "{}", run.stderr);
}

/// A file of 200 kB with 3,000,000 draws.
#[test]
fn three_million_draws_are_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let draws = drawn(3000, &json!({ "mesh": 0 }), &triangle(), 1000);
    let path = file(folder.path(), "draws.glb", draws);
    let out = folder.path().join("out.png");
    for command in ["screenshot", "sheet"] {
        let run = run(crate::support::command().args([command, &path, "-o"]).arg(&out)).failed(3);
        assert!(run.stderr.contains("drawing it: 3000000 entries"), "{}", run.stderr);
    }
}

#[test]
fn indices_that_are_nowhere_are_charged() {
    let folder = tempfile::tempdir().unwrap();
    let mut document = drawn(
        1,
        &json!({ "mesh": 0 }),
        &json!({ "attributes": { "POSITION": 0 }, "indices": 1 }),
        1,
    );
    document["accessors"] =
        json!([{ "componentType": 5125, "type": "SCALAR", "count": 200_000_000 }]);
    let file = file(folder.path(), "indices.glb", document);
    bounded(&["info", &file]).done();
    let picture = folder.path().join("picture.png");
    let run = run(command().args(["screenshot", &file, "-o"]).arg(&picture)).failed(3);
    assert!(run.stderr.contains("drawing it"), "{}", run.stderr);
}

#[test]
fn influences_are_charged_with_all_their_sets() {
    let mut attributes = json!({ "POSITION": 0 });
    for set in 0..4 {
        attributes[format!("JOINTS_{set}")] = json!(1);
        attributes[format!("WEIGHTS_{set}")] = json!(2);
    }
    let accessor = |component: u32, shape: &str| json!({ "componentType": component, "type": shape, "count": 1000 });
    let document = json!({
        "asset": { "version": "2.0" },
        "meshes": [{ "primitives": [{ "attributes": attributes }] }],
        "accessors": [accessor(5126, "VEC3"), accessor(5121, "VEC4"), accessor(5126, "VEC4")]
    });
    // Room for the vertices and for half of their influences.
    let decoded_limit = 1000 * (size_of::<Vertex>() as u64 + 48);
    let options = ImportOptions { decoded_limit, ..ImportOptions::DEFAULT };
    let error = load_bytes(document.to_string().into_bytes(), &options).unwrap_err().to_string();
    assert!(error.contains("1000 entries of 96 bytes"), "{error}");
}

/// 500 channels with one sampler of 1,000 keys, which are 16 KiB, and not 8 MiB.
#[test]
fn channels_share_the_keys_of_their_sampler() {
    let channel = |node: u32| json!({ "sampler": 0, "target": { "node": node, "path": "scale" } });
    let times: Vec<u8> = (0..1000u32).flat_map(|i| (i as f32).to_le_bytes()).collect();
    let data = base64::engine::general_purpose::STANDARD.encode([times, vec![0; 12_000]].concat());
    let document = json!({
        "asset": { "version": "2.0" },
        "nodes": vec![json!({}); 500],
        "animations": [{
            "samplers": [{ "input": 0, "output": 1 }],
            "channels": (0..500).map(channel).collect::<Vec<_>>()
        }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "type": "SCALAR", "count": 1000, "min": [0.0], "max": [999.0] },
            { "bufferView": 1, "componentType": 5126, "type": "VEC3", "count": 1000 }
        ],
        "bufferViews": [
            { "buffer": 0, "byteLength": 4000 },
            { "buffer": 0, "byteOffset": 4000, "byteLength": 12_000 }
        ],
        "buffers": [{ "byteLength": 16_000, "uri": format!("data:application/octet-stream;base64,{data}") }]
    });
    let options = ImportOptions { decoded_limit: 1 << 20, ..ImportOptions::DEFAULT };
    let model = load_bytes(document.to_string().into_bytes(), &options).unwrap().model;
    let channels = model.clips[0].channels();
    assert_eq!(channels.len(), 500);
    let places: Vec<*const f32> = channels.iter().map(|c| c.times().as_ptr()).collect();
    assert!(places.iter().all(|place| *place == places[0]));
    let nodes: Vec<usize> = channels.iter().map(Channel::node).collect();
    assert_eq!(nodes, (0..500).collect::<Vec<_>>());
}

#[test]
fn lists_of_next_to_nothing_are_charged() {
    let folder = tempfile::tempdir().unwrap();
    let file =
        file(folder.path(), "materials.glb", json!({ "materials": vec![json!({}); 1_500_000] }));
    refused(&["info", &file], "/materials");
}

#[test]
fn a_picture_of_a_gigabyte_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 16_384, 16_384);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::One);
    encoder.write_header().unwrap().write_image_data(&vec![0; 16_384 * 16_384 / 8]).unwrap();
    std::fs::write(folder.path().join("large.png"), bytes).unwrap();
    let primitive = json!({ "attributes": { "POSITION": 0, "TEXCOORD_0": 1 }, "material": 0 });
    let mut document = drawn(1, &json!({ "mesh": 0 }), &primitive, 1);
    document["accessors"] = json!([{ "componentType": 5126, "type": "VEC2", "count": 3 }]);
    document["materials"] =
        json!([{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }]);
    document["textures"] = json!([{ "source": 0 }]);
    document["images"] = json!([{ "uri": "large.png" }]);
    let file = file(folder.path(), "large.glb", document);
    for command in ["info", "pose"] {
        let run = bounded(&[command, &file]).done();
        let all = format!("{}{}", run.text(), run.stderr);
        assert!(all.contains("16384 x 16384 pixels bring the data"), "{all}");
    }
}

/// Asserts that a command refuses its file because of the time that it would take.
#[track_caller]
fn too_long(args: &[&str], what: &str) {
    let run = run(command().args(args)).failed(3);
    let says = "more than the limit of 100 s; raise --timeout";
    assert!(run.stderr.contains(says) && run.stderr.contains(what), "{}", run.stderr);
}

/// 400,000 instances of 50,000 triangles, too many for a GPU too.
#[test]
fn drawing_many_instances_of_many_triangles_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut document =
        drawn(1, &json!({ "mesh": 0 }), &json!({ "attributes": { "POSITION": 1 } }), 1);
    document["accessors"] = json!([
        { "componentType": 5126, "type": "VEC3", "count": 150_000, "min": [0, 0, 0], "max": [0, 0, 0] },
        { "componentType": 5126, "type": "VEC3", "count": 400_000 },
    ]);
    let instances = json!({ "EXT_mesh_gpu_instancing": { "attributes": { "TRANSLATION": 2 } } });
    document["nodes"][0]["extensions"] = instances;
    document["extensionsUsed"] = json!(["EXT_mesh_gpu_instancing"]);
    let file = file(folder.path(), "instances.glb", document);
    let out = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    too_long(&["screenshot", &file, "-o", &out("a.png")], "drawing it");
    too_long(&["sheet", &file, "-o", &out("b.png")], "drawing it");
    too_long(&["record", &file, "-o", &out("c.gif"), "--turntable"], "drawing 120 pictures");
    // The limit is the user's.
    let creature = checkout().join("assets/creature.glb");
    let small = ["--size", "64x64", "--timeout", "1e-6", "-o", &out("d.png")];
    let run = run(command().arg("sheet").arg(creature).args(small)).failed(3);
    assert!(run.stderr.contains("more than the limit of 0.000001 s"), "{}", run.stderr);
}

/// A million triangles that each fill the picture.
#[test]
fn drawing_many_layers_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let layers = drawn(1000, &json!({ "mesh": 0 }), &triangle(), 1000);
    let file = file(folder.path(), "layers.glb", layers);
    bounded(&["info", &file]).done();
    let out = folder.path().join("out.png");
    too_long(&["screenshot", &file, "-o", out.to_str().unwrap()], "drawing it");
    too_long(&["bench", &file], "drawing 1 character");
}

#[test]
fn a_sheet_of_thousands_of_clips_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut document = drawn(1, &json!({ "mesh": 0 }), &triangle(), 1);
    document["animations"] = json!(vec![clip(1); 4000]);
    document["accessors"] = json!([
        { "bufferView": 0, "byteOffset": 8, "componentType": 5126, "type": "SCALAR", "count": 2,
          "min": [0], "max": [1] },
        { "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 2 },
    ]);
    let file = file(folder.path(), "clips.glb", document);
    let out = folder.path().join("out.png");
    too_long(&["sheet", &file, "-o", out.to_str().unwrap()], "drawing 4000 pictures");
}

#[test]
fn measuring_a_crowd_of_many_joints_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let joints = 65_535;
    let mut nodes = vec![json!({}); joints];
    nodes[0] = json!({ "children": (1..joints).collect::<Vec<_>>() });
    let document = json!({
        "scenes": [{ "nodes": [0] }], "nodes": nodes,
        "skins": [{ "joints": (0..joints).collect::<Vec<_>>() }],
    });
    let file = file(folder.path(), "joints.glb", document);
    too_long(&["bench", &file, "--no-render"], "posing 65535 nodes 44000 times");
}

#[test]
fn a_clip_of_years_is_not_sampled() {
    let folder = tempfile::tempdir().unwrap();
    let mut document =
        json!({ "scenes": [{ "nodes": [0] }], "nodes": [{}], "animations": [clip(1)] });
    // Times from 0 to a million seconds; the values do not matter.
    document["accessors"] = json!([
        { "componentType": 5126, "type": "SCALAR", "count": 2, "min": [0], "max": [1e6], "sparse": {
            "count": 1, "indices": { "bufferView": 1, "componentType": 5121 },
            "values": { "bufferView": 2 } } },
        { "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 2 },
    ]);
    let path = file(folder.path(), "years.glb", document);
    let mut glb = Glb::read(Path::new(&path));
    glb.bin.extend([1, 0, 0, 0]);
    glb.bin.extend(1e6f32.to_le_bytes());
    glb.json["buffers"][0]["byteLength"] = json!(glb.bin.len());
    let views = glb.json["bufferViews"].as_array_mut().unwrap();
    views.push(json!({ "buffer": 0, "byteOffset": 36, "byteLength": 1 }));
    views.push(json!({ "buffer": 0, "byteOffset": 40, "byteLength": 4 }));
    glb.write(Path::new(&path));
    bounded(&["info", &path]).done();
    let out = folder.path().join("out.glb");
    let out = out.to_str().unwrap();
    refused(&["bake", &path, "-o", out], "1000000 s");
    refused(&["info", &path, "--compression"], "--compression");
    bounded(&["bake", &path, "-o", out, "--fps", "0.01"]).done();
}

#[test]
fn measuring_clips_of_many_nodes_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let nodes = 20_000;
    let document = json!({
        "scenes": [{ "nodes": [0] }], "nodes": vec![json!({}); nodes],
        "animations": vec![clip(1); 5000],
        "accessors": [
            { "bufferView": 0, "byteOffset": 8, "componentType": 5126, "type": "SCALAR", "count": 2,
              "min": [0], "max": [1] },
            { "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 2 },
        ],
    });
    let file = file(folder.path(), "clips.glb", document);
    let run = bounded(&["info", &file, "--compression"]).failed(3);
    assert!(run.stderr.contains("5000 clips"), "{}", run.stderr);
}

#[test]
fn measuring_clips_of_many_vertices_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let points = json!({ "attributes": { "POSITION": 3 }, "mode": 0 });
    let mut document = drawn(1, &json!({ "mesh": 0 }), &points, 1);
    document["animations"] = json!(vec![clip(1); 2000]);
    document["accessors"] = json!([
        { "bufferView": 0, "byteOffset": 8, "componentType": 5126, "type": "SCALAR", "count": 2,
          "min": [0], "max": [1] },
        { "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 2 },
        { "componentType": 5126, "type": "VEC3", "count": 1_000_000 },
    ]);
    let file = file(folder.path(), "points.glb", document);
    let run = bounded(&["info", &file, "--compression"]).failed(3);
    assert!(run.stderr.contains("2000 clips on 1000000 points"), "{}", run.stderr);
}

#[test]
fn a_long_name_in_the_rows_of_many_clips_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let document = json!({
        "scenes": [{ "nodes": [0] }], "nodes": [{ "name": "x".repeat(1_000_000) }],
        "animations": vec![clip(1); 2000],
        "accessors": [
            { "bufferView": 0, "byteOffset": 8, "componentType": 5126, "type": "SCALAR", "count": 2,
              "min": [0], "max": [1] },
            { "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 2 },
        ],
    });
    let file = file(folder.path(), "names.glb", document);
    let run = bounded(&["info", &file, "--compression"]).failed(3);
    assert!(run.stderr.contains("naming a node in each of 8000 rows"), "{}", run.stderr);
}

#[test]
fn samples_that_nobody_can_hold_are_a_usage_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = file(folder.path(), "one.glb", drawn(1, &json!({ "mesh": 0 }), &triangle(), 1));
    for n in ["4294967295", "100000000"] {
        let run = bounded(&["pose", &file, "--vertices", n]).failed(2);
        assert!(run.stderr.contains("ask for fewer"), "{}", run.stderr);
    }
    bounded(&["pose", &file, "--vertices", "100000"]).done();
}

#[test]
fn matrices_that_are_not_finite_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let large = json!({ "scale": [1e30, 1e30, 1e30], "children": [1] });
    let document = json!({
        "scenes": [{ "nodes": [0] }],
        "nodes": [large, { "name": "Far", "scale": [1e30, 1e30, 1e30], "mesh": 0 }],
        "meshes": [{ "primitives": [triangle()] }],
    });
    let file = file(folder.path(), "far.glb", document);
    let info = bounded(&["info", &file]).done();
    assert!(info.text().contains("1 node has a NaN or infinite world matrix"), "{}", info.text());
    let run = bounded(&["pose", &file, "--json"]).done();
    assert!(run.stderr.contains("\"Far\""), "{}", run.stderr);
    let pose: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(pose["nodes"][0].get("not_finite"), None);
    assert_eq!(pose["nodes"][1]["not_finite"], json!(true));
    let text = bounded(&["pose", &file]).done();
    assert!(text.text().contains("not finite"), "{}", text.text());
    // The printed pose can be read again.
    let saved = folder.path().join("pose.json");
    std::fs::write(&saved, &run.stdout).unwrap();
    bounded(&["pose", &file, "--pose", saved.to_str().unwrap()]).done();
}
