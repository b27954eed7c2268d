//! Files with one defect each that other viewers may show differently. Each gives a warning with its code and
//! place; the valid file that they are derived from gives none.

use rigview::import::{ImportError, ImportOptions, Loaded, load_bytes};
use serde_json::{Value, json};

use crate::support::data_uri;

const ONE: f32 = 1.0;
const IDENTITY: [f32; 16] = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.];

/// Indices of the accessors of [`sound`].
const NORMAL: usize = 1;
const TANGENT: usize = 2;
const TEXCOORD: usize = 3;
const COLOR: usize = 4;
const JOINTS: usize = 5;
const INDICES: usize = 7;

/// The JSON pointer to its attributes.
const ATTRIBUTES: &str = "/meshes/0/primitives/0/attributes";

/// A skinned, textured, morphed and rotating triangle: the bytes of its accessors, and its JSON.
fn sound() -> (Vec<Vec<u8>>, Value) {
    fn bytes<T: bytemuck::Pod>(list: &[T]) -> Vec<u8> {
        bytemuck::cast_slice(list).to_vec()
    }
    let views = vec![
        bytes(&[0., 0., 0., ONE, 0., 0., 0., ONE, 0.]),
        bytes(&[[0., 0., ONE]; 3]),
        bytes(&[[ONE, 0., 0., ONE]; 3]),
        bytes(&[[0.5f32; 2]; 3]),
        bytes(&[[0.5f32; 4]; 3]),
        bytes(&[[0u8, 1, 0, 0]; 3]),
        bytes(&[[0.5f32, 0.5, 0., 0.]; 3]),
        bytes(&[0u16, 1, 2, 0]),
        bytes(&[IDENTITY; 2]),
        bytes(&[0., ONE]),
        bytes(&[[0., 0., 0., ONE]; 2]),
        picture(),
    ];
    let accessor = |i: usize, kind: &str, component: u32, count: u32| json!({"bufferView": i, "type": kind, "componentType": component, "count": count});
    let mut json = json!({
        "asset": {"version": "2.0"},
        "accessors": [
            accessor(0, "VEC3", 5126, 3), accessor(1, "VEC3", 5126, 3),
            accessor(2, "VEC4", 5126, 3), accessor(3, "VEC2", 5126, 3),
            accessor(4, "VEC4", 5126, 3), accessor(5, "VEC4", 5121, 3),
            accessor(6, "VEC4", 5126, 3), accessor(7, "SCALAR", 5123, 3),
            accessor(8, "MAT4", 5126, 2), accessor(9, "SCALAR", 5126, 2),
            accessor(10, "VEC4", 5126, 2)],
        "images": [{"bufferView": 11, "mimeType": "image/png"}],
        "textures": [{"source": 0}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "meshes": [{"primitives": [{"material": 0, "indices": 7, "targets": [{"POSITION": 1}],
            "attributes": {"POSITION": 0, "NORMAL": 1, "TANGENT": 2, "TEXCOORD_0": 3,
                "COLOR_0": 4, "JOINTS_0": 5, "WEIGHTS_0": 6}}]}],
        "nodes": [{"mesh": 0, "skin": 0}, {"children": [2, 3]}, {}, {}],
        "skins": [{"joints": [1, 2], "inverseBindMatrices": 8, "skeleton": 1}],
        "scenes": [{"nodes": [0, 1]}],
        "cameras": [{"type": "orthographic",
            "orthographic": {"xmag": 1, "ymag": 1, "znear": 0, "zfar": 9}}],
        "animations": [{"samplers": [{"input": 9, "output": 10}],
            "channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}]}]
    });
    json["accessors"][0]["min"] = json!([0, 0, 0]);
    json["accessors"][0]["max"] = json!([1, 1, 0]);
    json["accessors"][9]["min"] = json!([0]);
    json["accessors"][9]["max"] = json!([1]);
    (views, json)
}

/// One white pixel.
fn picture() -> Vec<u8> {
    let mut png = std::io::Cursor::new(Vec::new());
    let pixel = image::RgbImage::from_pixel(1, 1, image::Rgb([255; 3]));
    pixel.write_to(&mut png, image::ImageFormat::Png).unwrap();
    png.into_inner()
}

fn load(views: &[Vec<u8>], mut json: Value) -> Result<Loaded, ImportError> {
    let mut bytes = Vec::new();
    let mut list = Vec::new();
    for view in views {
        list.push(json!({"buffer": 0, "byteOffset": bytes.len(), "byteLength": view.len()}));
        bytes.extend(view);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    }
    let strides = json.as_object_mut().unwrap().remove("strides");
    for (view, stride) in strides.iter().flat_map(|s| s.as_object().unwrap()) {
        list[view.parse::<usize>().unwrap()]["byteStride"] = stride.clone();
    }
    json["bufferViews"] = json!(list);
    json["buffers"] = json!([{"byteLength": bytes.len(), "uri": data_uri(&bytes)}]);
    load_bytes(json.to_string().into_bytes(), &ImportOptions::DEFAULT)
}

/// Returns the warnings of the valid file after `change`.
fn warnings(change: impl FnOnce(&mut [Vec<u8>], &mut Value)) -> Vec<(&'static str, String)> {
    let (mut views, mut json) = sound();
    change(&mut views, &mut json);
    let loaded = load(&views, json).unwrap();
    loaded.warnings.into_iter().map(|w| (w.code.as_str(), w.pointer)).collect()
}

#[test]
fn the_sound_file_has_no_warning() {
    assert_eq!(warnings(|_, _| ()), []);
}

/// Checks that each of these JSON values gives the expected warning.
fn check(cases: &[(&str, Value, &str, &str)]) {
    for (pointer, value, code, place) in cases {
        let told = warnings(|_, json| put(json, pointer, value));
        assert!(told.contains(&(code, (*place).to_owned())), "{pointer} is {value}: {told:?}");
    }
}

/// Sets the value at a pointer, whose last key may be new, or removes it for null.
fn put(json: &mut Value, pointer: &str, value: &Value) {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    match json.pointer_mut(parent).unwrap() {
        Value::Object(entries) if value.is_null() => drop(entries.remove(key)),
        Value::Array(items) => items[key.parse::<usize>().unwrap()] = value.clone(),
        parent => parent[key] = value.clone(),
    }
}

#[test]
fn what_the_json_has_wrong_is_told_at_its_place() {
    let attribute = |name: &str| format!("{ATTRIBUTES}/{name}");
    let (joints, uv) = (attribute("JOINTS_0"), attribute("TEXCOORD_0"));
    let (joints_1, weights_1) = (attribute("JOINTS_1"), attribute("WEIGHTS_1"));
    let (color_1, color_00) = (attribute("COLOR_1"), attribute("COLOR_00"));
    let target = "/meshes/0/primitives/0/targets/0/COLOR_00";
    let orthographic = "/cameras/0/orthographic";
    let xmag = format!("{orthographic}/xmag");
    check(&[
        ("/asset/version", json!("2.1"), "VERSION_ODD", "/asset/version"),
        (&format!("/accessors/{JOINTS}/normalized"), json!(true), "NORMALIZED_INDICES", &joints),
        (
            &format!("/accessors/{INDICES}/normalized"),
            json!(true),
            "NORMALIZED_INDICES",
            "/meshes/0/primitives/0/indices",
        ),
        (&format!("/accessors/{TEXCOORD}/componentType"), json!(5123), "QUANTIZED_UNDECLARED", &uv),
        ("/strides", json!({"8": 64}), "STRIDE_MISPLACED", "/skins/0/inverseBindMatrices"),
        ("/strides", json!({"10": 16}), "STRIDE_MISPLACED", "/animations/0/samplers/0"),
        ("/strides", json!({"11": 4}), "STRIDE_MISPLACED", "/images/0"),
        (&color_1, json!(COLOR), "COLOR_UNREAD", &color_1),
        (&joints_1, json!(JOINTS), "INFLUENCES_UNPAIRED", &joints_1),
        (&weights_1, json!(JOINTS + 1), "INFLUENCES_UNPAIRED", &weights_1),
        (&color_00, json!(COLOR), "ATTRIBUTE_UNKNOWN", &color_00),
        (target, json!(COLOR), "ATTRIBUTE_UNKNOWN", target),
        ("/nodes/0/skin", Value::Null, "SKIN_MISSING", "/nodes/0"),
        ("/skins/0/skeleton", json!(3), "SKELETON_ODD", "/skins/0/skeleton"),
        ("/skins/0/skeleton", json!(0), "SKELETON_ODD", "/skins/0/skeleton"),
        ("/skins/0/joints", json!([1, 0]), "JOINTS_WITHOUT_ROOT", "/skins/0"),
        ("/scenes/0/nodes", json!([0]), "JOINTS_OUTSIDE", "/nodes/0"),
        ("/textures/0/source", Value::Null, "TEXTURE_SOURCE_UNREAD", "/textures/0"),
        (&xmag, json!(-1), "CAMERA_ODD", &xmag),
        (&format!("{orthographic}/znear"), json!(-1), "CAMERA_ODD", orthographic),
        ("/nodes/3/rotation", json!([0, 0, 0, 1.007]), "ROTATION_NOT_UNIT", "/nodes/3/rotation"),
    ]);
}

#[test]
fn what_breaks_the_schema_is_told_although_nothing_depends_on_it() {
    let used = |name: &str| json!([name]);
    let root = "/extensions";
    check(&[
        ("/nodes/2/children", json!([]), "ARRAY_EMPTY", "/nodes/2/children"),
        ("/scenes/0/nodes", json!([]), "ARRAY_EMPTY", "/scenes/0/nodes"),
        ("/samplers", json!([]), "ARRAY_EMPTY", "/samplers"),
        ("/meshes/0/weights", json!([]), "ARRAY_EMPTY", "/meshes/0/weights"),
        ("/extensionsUsed", json!([]), "ARRAY_EMPTY", "/extensionsUsed"),
        ("/extensionsUsed", json!(["X", "X"]), "EXTENSION_TWICE", "/extensionsUsed/1"),
        ("/extensionsUsed", used("KHR_mesh_quantization"), "EXTENSION_ODD", ""),
        (root, json!({"KHR_other": 42}), "EXTENSION_ODD", "/extensions/KHR_other"),
        (
            root,
            json!({"KHR_lights_punctual": {}}),
            "EXTENSION_ODD",
            "/extensions/KHR_lights_punctual",
        ),
        ("/images/0/mimeType", json!("image/webp"), "EXTENSION_UNDECLARED", "/images/0"),
    ]);
    let told = warnings(|_, json| {
        json["animations"][0]["samplers"][0]["interpolation"] = json!("CUBICSPLINE");
        json["accessors"][9]["count"] = json!(1);
    });
    assert!(told.contains(&("KEYS_TOO_FEW", "/animations/0/samplers/0".to_owned())), "{told:?}");
    let told = warnings(|_, json| json["extras"] = json!({"list": [], "attributes": {}}));
    assert_eq!(told, [], "extras are free");
}

/// What the container of data may not be.
#[test]
fn odd_data_uris_and_strides_are_told() {
    let told = |uri: &str, stride: u64| -> Vec<(&'static str, String)> {
        let json = json!({"asset": {"version": "2.0"}, "scenes": [{}],
            "buffers": [{"byteLength": 4, "uri": uri}],
            "bufferViews": [{"buffer": 0, "byteLength": 4, "byteStride": stride}]});
        let loaded = load_bytes(json.to_string().into_bytes(), &ImportOptions::DEFAULT).unwrap();
        loaded.warnings.into_iter().map(|w| (w.code.as_str(), w.pointer)).collect()
    };
    let odd = [("DATA_URI_ODD", "/buffers/0/uri".to_owned())];
    for sound in [
        "data:application/octet-stream;base64,AAAAAA==",
        "data:application/gltf-buffer;base64,AAAAAA==",
    ] {
        assert_eq!(told(sound, 4), [], "{sound}");
    }
    for wrong in
        ["data:application/octet-stream;;base64,AAAAAA==", "data:image/png;base64,AAAAAA=="]
    {
        assert_eq!(told(wrong, 4), odd, "{wrong}");
    }
    let too_big = told("data:application/octet-stream;base64,AAAAAA==", 8);
    assert_eq!(too_big, [("STRIDE_TOO_BIG", "/bufferViews/0".to_owned())]);
}

#[test]
fn what_numbers_have_wrong_is_told_at_the_attribute() {
    let cases: [(usize, &str, &[f32], &str); 7] = [
        (NORMAL, "NORMAL", &[0., 0., 2.], "DIRECTION_NOT_UNIT"),
        (NORMAL, "NORMAL", &[0., 0., 0.], "DIRECTION_ZERO"),
        (NORMAL, "NORMAL", &[f32::NAN, 0., 0.], "NOT_FINITE"),
        (TANGENT, "TANGENT", &[3., 0., 0., 1.], "DIRECTION_NOT_UNIT"),
        (TANGENT, "TANGENT", &[1., 0., 0., 0.5], "TANGENT_SIGN"),
        (COLOR, "COLOR_0", &[1.5, 0., 0., 1.], "COLOR_RANGE"),
        (COLOR, "COLOR_0", &[-0.5, 0., 0., 1.], "COLOR_RANGE"),
    ];
    for (view, name, first, code) in cases {
        let told = warnings(|views, json| {
            let first: &[u8] = bytemuck::cast_slice(first);
            views[view][..first.len()].copy_from_slice(first);
            // The morph target uses other data, because its deltas need not be unit vectors.
            put(json, "/meshes/0/primitives/0/targets/0/POSITION", &json!(0));
        });
        assert_eq!(told, [(code, format!("{ATTRIBUTES}/{name}"))], "{first:?}");
    }
}

#[test]
fn what_extensions_have_wrong_is_told() {
    let told = warnings(|_, json| {
        json["extensionsUsed"] = json!(["KHR_animation_pointer"]);
        let pointer = json!({"KHR_animation_pointer": {"pointer": "/nodes/2/rotation"}});
        json["animations"][0]["channels"][0]["target"]["extensions"] = pointer;
    });
    assert_eq!(told, [("CHANNEL_ODD", "/animations/0/channels/0".into())]);
    let told = warnings(|_, json| {
        json["extensionsUsed"] = json!(["KHR_animation_pointer"]);
        let pointer = json!({"KHR_animation_pointer": {"pointer": "/nodes/2/rotation"}});
        let target = json!({"node": 1, "path": "pointer", "extensions": pointer});
        json["animations"][0]["channels"][0]["target"] = target;
    });
    assert_eq!(told, [("CHANNEL_ODD", "/animations/0/channels/0".into())], "a node beside it");

    let transform = json!({"KHR_texture_transform": {"scale": [2, 2]}});
    let told = warnings(|_, json| {
        json["extensionsUsed"] = json!(["KHR_texture_transform"]);
        let base = &mut json["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"];
        base["extensions"] = transform.clone();
    });
    assert_eq!(told, []);
    let told = warnings(|_, json| {
        json["extensionsUsed"] = json!(["KHR_texture_transform"]);
        json["textures"][0]["extensions"] = transform.clone();
    });
    let place = "/textures/0/extensions/KHR_texture_transform";
    assert_eq!(told, [("EXTENSION_MISPLACED", place.into())]);

    for (light, times) in [
        (json!({"type": "point", "color": [2, 1, 1]}), 1),
        (json!({"type": "spot", "spot": {"outerConeAngle": 3}}), 1),
        (json!({"type": "spot", "spot": {"outerConeAngle": 1.5}}), 0),
    ] {
        let told = warnings(|_, json| {
            json["extensionsUsed"] = json!(["KHR_lights_punctual"]);
            json["extensions"] = json!({"KHR_lights_punctual": {"lights": [light]}});
        });
        assert_eq!(told.iter().filter(|(code, _)| *code == "LIGHT_ODD").count(), times, "{light}");
    }

    let told = warnings(|_, json| {
        json["extensionsUsed"] = json!(["KHR_materials_anisotropy"]);
        let anisotropy = json!({"KHR_materials_anisotropy": {"anisotropyStrength": 0.5}});
        json["materials"][0]["extensions"] = anisotropy;
        put(json, &format!("{ATTRIBUTES}/TANGENT"), &Value::Null);
    });
    assert_eq!(told, [("TANGENT_MISSING", "/meshes/0/primitives/0".into())]);
}

#[test]
fn a_picture_of_an_extension_without_it_is_told() {
    let told = warnings(|views, _| {
        let mut webp = Vec::new();
        let encoder = image::codecs::webp::WebPEncoder::new_lossless(&mut webp);
        encoder.encode(&[255; 3], 1, 1, image::ColorType::Rgb8.into()).unwrap();
        views[11] = webp;
    });
    let codes: Vec<_> = told.iter().map(|(code, _)| *code).collect();
    assert_eq!(codes, ["IMAGE_MIME", "TEXTURE_SOURCE_ODD"]);
}
