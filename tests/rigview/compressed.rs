//! Compressed geometry after the import: valid and broken streams that are made here, with and without
//! uncompressed data beside them.

use meshoptimizer_rs::{Workspace, codec};
use rigview::import::{ImageDecoding, ImportError, ImportOptions, Loaded, load, load_bytes};
use rigview::model::Stage;
use serde_json::{Value, json};

use crate::support::{data_uri, shared};

const HEADERS: ImportOptions =
    ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::DEFAULT };

const POSITIONS: [[f32; 3]; 3] = [[0., 0., 0.], [1., 0., 0.], [0., 2., 0.]];

fn loaded(json: Value) -> Result<Loaded, ImportError> {
    load_bytes(json.to_string().into_bytes(), &HEADERS)
}

fn positions(loaded: &Loaded) -> Vec<[f32; 3]> {
    loaded.model.meshes[0].primitives[0].vertices.iter().map(|v| v.position).collect()
}

/// A triangle whose positions are a stream of `version` of the extension `name`. If `colors` is set, its colours
/// are a stream with the colour filter of the KHR extension. Buffer 1, which has no data, is where uncompressed
/// data would be.
fn triangle(name: &str, version: u8, colors: bool) -> Value {
    let mut workspace = Workspace::default();
    let encoding = codec::VertexEncoding::new(version, 2).unwrap();
    let mut encode = |bytes: &[u8], stride: usize| {
        codec::encode_vertex_buffer(bytes, 3, stride, encoding, &mut workspace).unwrap()
    };
    let mut bytes = encode(bytemuck::cast_slice(&POSITIONS), 12);
    let second = bytes.len();
    let half = [0.5f32, 0.25, 1.0, 1.0].repeat(3);
    let filtered = codec::encode_filter_color(3, 4, 8, &half, &mut Workspace::default()).unwrap();
    bytes.extend(encode(&filtered, 4));
    let stream = |offset: usize, end: usize, stride: u32, filter: &str| {
        json!({name: {"buffer": 0, "byteOffset": offset, "byteLength": end - offset,
            "byteStride": stride, "count": 3, "mode": "ATTRIBUTES", "filter": filter}})
    };
    let mut json = json!({
        "asset": {"version": "2.0"},
        "extensionsUsed": [name],
        "extensionsRequired": [name],
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
             "min": [0, 0, 0], "max": [1, 2, 0]}
        ],
        "bufferViews": [
            {"buffer": 1, "byteLength": 36, "byteStride": 12,
             "extensions": stream(0, second, 12, "NONE")},
        ],
        "buffers": [{"byteLength": bytes.len(), "uri": data_uri(&bytes)}, {"byteLength": 48}],
    });
    if colors {
        let view = json!({"buffer": 1, "byteOffset": 36, "byteLength": 12,
            "extensions": stream(second, bytes.len(), 4, "COLOR")});
        let accessor = json!({"bufferView": 1, "componentType": 5121, "count": 3,
            "type": "VEC4", "normalized": true});
        json["bufferViews"].as_array_mut().unwrap().push(view);
        json["accessors"].as_array_mut().unwrap().push(accessor);
        json["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"] = json!(1);
    }
    json
}

#[test]
fn meshopt_streams_of_both_forms_give_their_numbers() {
    for (name, version, colors) in [
        ("EXT_meshopt_compression", 0, false),
        ("KHR_meshopt_compression", 0, false),
        ("KHR_meshopt_compression", 1, true),
    ] {
        let loaded = loaded(triangle(name, version, colors)).unwrap();
        assert_eq!(loaded.warnings, [], "{name} {version}");
        assert_eq!(positions(&loaded), POSITIONS, "{name} {version}");
        let color = loaded.model.meshes[0].primitives[0].vertices[2].color;
        let want = if colors { [0.5, 0.25, 1.0, 1.0] } else { [1.0; 4] };
        let off = |(is, want): (u16, f32)| (f32::from(is) / 65535.0 - want).abs();
        assert!(color.into_iter().zip(want).map(off).all(|x| x < 0.01), "{color:?}");
    }
}

#[test]
fn the_older_meshopt_form_has_neither_version_1_nor_colours() {
    let refused = |json| loaded(json).unwrap_err();
    let newer = refused(triangle("EXT_meshopt_compression", 1, false));
    assert!(newer.to_string().contains("version 1"), "{newer}");
    assert_eq!(newer.pointer(), "/bufferViews/0/extensions/EXT_meshopt_compression");
    let colors = refused(triangle("EXT_meshopt_compression", 0, true));
    assert!(colors.to_string().contains("filter \"COLOR\" is unknown"), "{colors}");
}

#[test]
fn a_broken_meshopt_stream_gives_way_to_plain_data_where_the_file_says_that_it_is_plain() {
    let name = "EXT_meshopt_compression";
    let plain = [[0f32, 0., 0.], [3., 0., 0.], [0., 3., 0.]];
    let mut json = triangle(name, 0, false);
    json["buffers"][0]["uri"] = json!(data_uri(&[0xa0; 100]));
    json["buffers"][0]["byteLength"] = json!(100);
    json["buffers"][1] = json!({"byteLength": 36, "uri": data_uri(bytemuck::cast_slice(&plain)),
        "extensions": {name: {"fallback": true}}});
    let error = loaded(json.clone()).unwrap_err();
    assert!(error.pointer().starts_with("/bufferViews/0"), "{error}");
    json.as_object_mut().unwrap().remove("extensionsRequired");
    let read = loaded(json.clone()).unwrap();
    assert_eq!(positions(&read), plain);
    assert_eq!(read.warnings[0].code.as_str(), "MESHOPT_FALLBACK");
    json["buffers"][1] = json!({"byteLength": 36});
    assert!(loaded(json).is_err(), "there is nothing to show");
}

#[test]
fn a_buffer_that_only_holds_a_place_can_be_read_by_no_plain_view() {
    let mut json = triangle("KHR_meshopt_compression", 0, false);
    let plain = json!({"buffer": 1, "byteLength": 4});
    json["bufferViews"].as_array_mut().unwrap().push(plain);
    let error = loaded(json).unwrap_err();
    assert_eq!(error.pointer(), "/bufferViews/1");
}

#[test]
fn a_draco_stream_that_does_not_decode_gives_way_to_plain_data_if_there_is_any() {
    let stream = b"DRACO\x02\x02\x01\x01\x00\x00 and no more";
    let mut json = json!({
        "asset": {"version": "2.0"},
        "extensionsUsed": ["KHR_draco_mesh_compression"],
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "extensions":
            {"KHR_draco_mesh_compression": {"bufferView": 1, "attributes": {"POSITION": 0}}}}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
             "min": [0, 0, 0], "max": [1, 2, 0]}
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 36},
            {"buffer": 1, "byteLength": stream.len()},
        ],
        "buffers": [
            {"byteLength": 36, "uri": data_uri(bytemuck::cast_slice(&POSITIONS))},
            {"byteLength": stream.len(), "uri": data_uri(stream)},
        ],
    });
    let read = loaded(json.clone()).unwrap();
    assert_eq!(positions(&read), POSITIONS);
    assert_eq!(read.warnings[0].code.as_str(), "DRACO_FALLBACK");
    json["accessors"][0].as_object_mut().unwrap().remove("bufferView");
    let error = loaded(json).unwrap_err();
    let pointer = "/meshes/0/primitives/0/extensions/KHR_draco_mesh_compression";
    assert_eq!(error.pointer(), pointer, "{error}");
}

#[test]
fn draco_meshes_are_the_plain_ones_within_their_precision() {
    let Some(shared) = shared("draco_meshes_are_the_plain_ones_within_their_precision") else {
        return;
    };
    for (name, size) in [("Box", 1.0), ("CesiumMan", 1.0), ("Duck", 200.0)] {
        let folder = shared.join("models").join(name);
        let file = |kind: &str| folder.join(kind).join(format!("{name}.gltf"));
        let [plain, packed] = ["glTF", "glTF-Draco"].map(|kind| load(&file(kind), &HEADERS));
        let (plain, packed) = (plain.unwrap(), packed.unwrap());
        assert_eq!(packed.warnings, [], "{name}");
        let bounds = |loaded: &Loaded| Stage::new(&loaded.model, 0).bounds(&loaded.model);
        let (want, is) = (bounds(&plain), bounds(&packed));
        let off = (want.min - is.min).abs().max((want.max - is.max).abs()).max_element();
        assert!(off < 1e-3 * size, "{name}: {off}");
        let triangles = |loaded: &Loaded| loaded.model.meshes[0].primitives[0].indices.len();
        assert_eq!(triangles(&plain), triangles(&packed), "{name}");
    }
}
