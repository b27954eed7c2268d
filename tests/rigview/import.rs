//! The importer as a library: every shared model loads or is refused for a known reason, and small files
//! written here are read with the numbers that were written.

use std::path::Path;

use rigview::anim::Keys;
use rigview::import::{
    ImageDecoding, ImportError, ImportOptions, Loaded, Progress, load, load_bytes,
    load_with_progress,
};
use rigview::model::{Influence, Model, Topology};
use serde_json::{Value, json};

use crate::support::{data_uri, for_each, models_below, say_at_the_end, shared};

const HEADERS: ImportOptions =
    ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::DEFAULT };

#[test]
fn every_shared_model_loads_or_says_why_not() {
    let Some(shared) = shared("every_shared_model_loads_or_says_why_not") else { return };
    let models = models_below(&shared.join("models"));
    let outcomes = for_each(&models, |path| outcome(path));
    let refused = outcomes.iter().filter(|o| matches!(o, Ok(false))).count();
    let wrong: Vec<_> = outcomes.iter().filter_map(|o| o.as_ref().err()).cloned().collect();
    assert!(wrong.is_empty(), "{} models:\n{}", wrong.len(), wrong.join("\n"));
    let loaded = models.len() - refused;
    assert!(loaded > refused, "{loaded} models load");
    say_at_the_end(format!("{loaded} of {} models load, the others say why not", models.len()));
}

/// Returns whether a model loads, or false if it may be refused. An error if it may not.
fn outcome(path: &Path) -> Result<bool, String> {
    let error = match load(path, &HEADERS) {
        Ok(loaded) => {
            check(&loaded.model);
            return Ok(true);
        }
        Err(error) => error,
    };
    let json = json_of(path);
    let allowed = match &json["asset"] {
        asset if asset["minVersion"].as_str().is_some_and(|v| v > "2.0") => "minVersion",
        _ if json["extensionsRequired"].is_array() => "extensionsRequired",
        _ => "nothing",
    };
    match error.to_string() {
        text if text.contains(allowed) => Ok(false),
        text => Err(format!("{}: {text} (it may say {allowed})", path.display())),
    }
}

/// Returns the JSON of a file, or null for a GLB of another version.
fn json_of(path: &Path) -> Value {
    let bytes = std::fs::read(path).unwrap();
    let text = match bytes.strip_prefix(b"glTF\x02\0\0\0") {
        Some(_) => &bytes[20..20 + u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize],
        None => &bytes[..],
    };
    serde_json::from_slice(text).unwrap_or_default()
}

/// Asserts what all users of a model rely on.
fn check(model: &Model) {
    let n = model.nodes.len();
    assert_eq!((model.hierarchy.len(), model.rest.len()), (n, n));
    assert!(model.default_scene < model.scenes.len());
    for node in &model.nodes {
        assert!(node.mesh.is_none_or(|i| i < model.meshes.len()));
        assert!(node.skin.is_none_or(|i| i < model.skins.len() && node.mesh.is_some()));
    }
    for primitive in model.meshes.iter().flat_map(|m| &m.primitives) {
        let (mut index, mut vertex) = (0, 0);
        for part in &primitive.parts {
            assert!(part.joints.len() <= 100);
            assert_eq!((part.indices.start, part.vertices.start), (index, vertex));
            (index, vertex) = (part.indices.end, part.vertices.end);
            let indices = &primitive.indices[part.indices.start as usize..index as usize];
            assert!(indices.iter().all(|i| part.vertices.contains(i)));
            let Some(influences) = &primitive.influences else { continue };
            for v in part.vertices.clone() {
                let sets = influences.of_vertex(v as usize);
                let sum: f32 = sets.iter().flat_map(|s| s.weights).sum();
                assert!((sum - 1.0).abs() < 1e-5);
                let in_palette = |j: u8| usize::from(j) < part.joints.len();
                assert!(sets.iter().all(|s| s.joints.into_iter().all(in_palette)));
            }
        }
        assert_eq!(index as usize, primitive.indices.len());
        assert_eq!(vertex as usize, primitive.vertices.len());
        assert!(primitive.indices.len().is_multiple_of(primitive.mode.topology().corners()));
    }
}

/// Makes a file of this JSON and a buffer view per list of bytes.
pub fn loaded(views: &[&[u8]], mut json: Value) -> Result<Loaded, ImportError> {
    let mut bytes = Vec::new();
    let mut list = Vec::new();
    for view in views {
        list.push(json!({"buffer": 0, "byteOffset": bytes.len(), "byteLength": view.len()}));
        bytes.extend_from_slice(view);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    }
    json["asset"] = json!({"version": "2.0"});
    json["bufferViews"] = json!(list);
    json["buffers"] = json!([{"byteLength": bytes.len(), "uri": data_uri(&bytes)}]);
    load_bytes(json.to_string().into_bytes(), &HEADERS)
}

pub fn codes(loaded: &Loaded) -> Vec<&'static str> {
    loaded.warnings.iter().map(|w| w.code.as_str()).collect()
}

#[test]
fn all_parts_of_a_loaded_file_are_reported_as_done() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/creature.glb");
    let progress = Progress::default();
    let loaded = load_with_progress(Path::new(file), &ImportOptions::DEFAULT, &progress).unwrap();
    assert!(!loaded.model.meshes.is_empty() && !loaded.model.clips.is_empty());
    assert_eq!(progress.share(), 1.0);
}

#[test]
fn a_primitive_comes_out_as_it_was_written() {
    let positions = [[0f32, 0., 0.], [1., 0., 0.], [0., 1., 0.], [1., 1., 0.]];
    let colors = [[0u8, 51, 102, 255]; 4];
    let uvs = [[0u16, 65535]; 4];
    let loaded = loaded(
        &[bytemuck::cast_slice(&positions), colors.as_flattened(), bytemuck::cast_slice(&uvs)],
        json!({
            "nodes": [{"mesh": 0}],
            "meshes": [{"primitives": [{"mode": 5,
                "attributes": {"POSITION": 0, "COLOR_0": 1, "TEXCOORD_1": 2}}]}],
            "accessors": [
                {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
                 "min": [0, 0, 0], "max": [1, 1, 0]},
                {"bufferView": 1, "componentType": 5121, "count": 4, "type": "VEC4",
                 "normalized": true},
                {"bufferView": 2, "componentType": 5123, "count": 4, "type": "VEC2",
                 "normalized": true}
            ]
        }),
    )
    .unwrap();
    check(&loaded.model);
    assert_eq!(codes(&loaded), ["NO_SCENES"]);
    assert_eq!(loaded.model.scenes[0].roots, [0]);
    let primitive = &loaded.model.meshes[0].primitives[0];
    assert_eq!(primitive.attributes, ["POSITION", "COLOR_0", "TEXCOORD_1"]);
    assert_eq!(primitive.indices, [0, 1, 2, 1, 3, 2]);
    assert_eq!(primitive.mode.topology(), Topology::Triangles);
    let vertex = primitive.vertices[3];
    assert_eq!((vertex.position, vertex.normal), ([1., 1., 0.], [0.; 3]));
    assert_eq!(vertex.color, [0, 51 * 257, 102 * 257, 65535]);
    assert_eq!(vertex.uv, [[0.; 2], [0., 1.]]);
}

#[test]
fn a_sparse_accessor_without_a_view_is_zeros_but_for_what_it_lists() {
    let loaded = loaded(
        &[&[2], bytemuck::cast_slice(&[5f32, 6., 7.])],
        json!({
            "scenes": [{}],
            "meshes": [{"primitives": [{"mode": 0, "attributes": {"POSITION": 0}}]}],
            "accessors": [{"componentType": 5126, "count": 3, "type": "VEC3",
                "min": [0, 0, 0], "max": [5, 6, 7],
                "sparse": {"count": 1, "indices": {"bufferView": 0, "componentType": 5121},
                    "values": {"bufferView": 1}}}]
        }),
    )
    .unwrap();
    assert!(loaded.warnings.is_empty());
    let vertices = &loaded.model.meshes[0].primitives[0].vertices;
    assert_eq!(
        vertices.iter().map(|v| v.position).collect::<Vec<_>>(),
        [[0.; 3], [0.; 3], [5., 6., 7.]]
    );
}

#[test]
fn a_skinned_triangle_gets_a_palette_and_bytes_that_sum_to_one() {
    let positions = [[0f32, 0., 0.], [1., 0., 0.], [0., 1., 0.]];
    let joints = [[3u8, 1, 0, 0], [1, 1, 0, 0], [3, 9, 0, 0]];
    // The bytes of the first vertex sum to 254 of 255.
    let weights = [[127u8, 127, 0, 0], [255, 0, 0, 0], [255, 0, 0, 0]];
    let loaded = loaded(
        &[bytemuck::cast_slice(&positions), joints.as_flattened(), weights.as_flattened()],
        json!({
            "scenes": [{"nodes": [0, 4]}],
            "nodes": [{"children": [1, 2, 3]}, {}, {}, {}, {"mesh": 0, "skin": 0}],
            "skins": [{"name": "Arm", "joints": [0, 1, 2, 3]}],
            "meshes": [{"primitives": [{
                "attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}}]}],
            "accessors": [
                {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
                 "min": [0, 0, 0], "max": [1, 1, 0]},
                {"bufferView": 1, "componentType": 5121, "count": 3, "type": "VEC4"},
                {"bufferView": 2, "componentType": 5121, "count": 3, "type": "VEC4",
                 "normalized": true}
            ]
        }),
    )
    .unwrap();
    check(&loaded.model);
    assert_eq!(codes(&loaded), ["WEIGHTS_SUM", "JOINT_UNUSED_OUT_OF_RANGE"]);
    let primitive = &loaded.model.meshes[0].primitives[0];
    assert_eq!(primitive.parts[0].joints, [1, 3]);
    assert_eq!(primitive.source_influences, 2);
    let first = primitive.influences.as_ref().unwrap().of_vertex(0);
    let want = Influence { joints: [1, 0, 0, 0], weights: [0.5, 0.5, 0., 0.] };
    assert_eq!((first[0].joints[..2].to_vec(), first[0].weights), (vec![1, 0], want.weights));
}

#[test]
fn a_channel_that_cannot_play_is_left_out_and_still_counts_for_the_end() {
    let times = [0f32, 1.];
    let late = [0f32, 3.];
    let values = [[0f32; 3], [1., 2., 3.]];
    let loaded = loaded(
        &[bytemuck::cast_slice(&times), bytemuck::cast_slice(&late), bytemuck::cast_slice(&values)],
        json!({
            "scenes": [{"nodes": [0]}],
            "nodes": [{"name": "Hips"}],
            "accessors": [
                {"bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR",
                 "min": [0], "max": [1]},
                {"bufferView": 1, "componentType": 5126, "count": 2, "type": "SCALAR",
                 "min": [0], "max": [3]},
                {"bufferView": 2, "componentType": 5126, "count": 2, "type": "VEC3"}
            ],
            "animations": [{"name": "Run", "samplers": [{"input": 0, "output": 2},
                    {"input": 1, "output": 2}],
                "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}},
                    {"sampler": 1, "target": {"node": 0, "path": "rotation"}},
                    {"sampler": 0, "target": {"path": "scale"}}]}]
        }),
    )
    .unwrap();
    let clip = &loaded.model.clips[0];
    assert_eq!((clip.channels().len(), clip.duration_secs()), (1, 3.0));
    let rigview::anim::Channel::Translation { track, .. } = &clip.channels()[0] else { panic!() };
    assert!(matches!(track.keys(), Keys::Linear(values) if values[1].to_array() == [1., 2., 3.]));
    let warning = &loaded.warnings[0];
    assert_eq!(
        (warning.code.as_str(), &*warning.pointer),
        ("CHANNEL_LEFT_OUT", "/animations/0/channels/1")
    );
    assert!(warning.message.starts_with("animation \"Run\", channel 1: left out: its rotation"));
    assert_eq!(codes(&loaded), ["CHANNEL_LEFT_OUT", "CHANNEL_WITHOUT_NODE"]);
}
