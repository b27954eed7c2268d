//! Valid documents with one part that the input fills: an accessor, a compressed buffer view, a Draco stream or
//! an image.
//!
//! An input is 32 bytes of parameters, followed by the GLB's buffer. `seeds.py` writes inputs of the same
//! layout from the shared models.

use serde_json::{Value, json};

/// Number of bytes of an input before the buffer.
pub const PARAMETERS: usize = 32;

const COMPONENTS: [u32; 6] = [5120, 5121, 5122, 5123, 5125, 5126];
const TYPES: [&str; 7] = ["SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4"];
const ATTRIBUTES: [&str; 8] = [
    "POSITION",
    "NORMAL",
    "TANGENT",
    "TEXCOORD_0",
    "TEXCOORD_1",
    "COLOR_0",
    "JOINTS_0",
    "WEIGHTS_0",
];
const PATHS: [&str; 4] = ["translation", "rotation", "scale", "weights"];
const INTERPOLATIONS: [&str; 3] = ["LINEAR", "STEP", "CUBICSPLINE"];
const INSTANCE_ATTRIBUTES: [&str; 3] = ["TRANSLATION", "ROTATION", "SCALE"];
const MODES: [&str; 3] = ["ATTRIBUTES", "TRIANGLES", "INDICES"];
const FILTERS: [&str; 5] = ["NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR"];
const MESHOPT: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];
const DRACO: &str = "KHR_draco_mesh_compression";
const PICTURES: [Option<&str>; 3] = [None, Some("KHR_texture_basisu"), Some("EXT_texture_webp")];

/// Index of the accessor that the input describes.
const OWN: usize = 0;

/// Index of the accessor with the times 0, 1, 2, 3, for channels whose values are the input.
const TIMES: &str = "data:;base64,AAAAAAAAgD8AAABAAABAQA==";

/// The parameters of an input.
struct Parameters<'a>(&'a [u8]);

impl Parameters<'_> {
    fn byte(&self, at: usize) -> usize {
        usize::from(self.0[at])
    }
    fn short(&self, at: usize) -> usize {
        self.byte(at) | self.byte(at + 1) << 8
    }
    fn flag(&self, at: usize, bit: u8) -> bool {
        self.0[at] >> bit & 1 == 1
    }
    fn of<T: Copy>(&self, at: usize, list: &[T]) -> T {
        list[self.byte(at) % list.len()]
    }
}

/// Returns the file that an input describes, or `None` if the input is too short.
pub fn glb(input: &[u8]) -> Option<Vec<u8>> {
    let (parameters, bytes) = input.split_at_checked(PARAMETERS)?;
    let p = Parameters(parameters);
    let json = match p.byte(0) % 4 {
        0 => accessor(&p, bytes.len()),
        1 => draco(&p, bytes.len()),
        2 => meshopt(&p, bytes.len()),
        _ => picture(&p, bytes.len()),
    };
    Some(packed(&json, bytes))
}

/// A document with an accessor of any kind in any role.
fn accessor(p: &Parameters, length: usize) -> Value {
    let count = p.short(4);
    let mut own = json!({
        "componentType": p.of(1, &COMPONENTS), "type": p.of(2, &TYPES), "count": count,
        "normalized": p.flag(3, 0), "byteOffset": p.short(6),
    });
    if p.flag(3, 1) {
        own["bufferView"] = json!(0);
    }
    if p.flag(3, 2) {
        own["sparse"] = json!({
            "count": p.short(10),
            "indices": {"bufferView": 1, "componentType": p.of(9, &COMPONENTS), "byteOffset": p.short(12)},
            "values": {"bufferView": 1, "byteOffset": p.short(14)},
        });
    }
    let mut view = json!({"buffer": 0, "byteLength": length});
    if p.flag(3, 3) {
        view["byteStride"] = json!(p.byte(8));
    }
    let views = vec![view, json!({"buffer": 0, "byteLength": length})];
    let mut document = document(p, own, views, count);
    document["buffers"][0]["byteLength"] = json!(length);
    document
}

/// A document with a compressed view of any mode and filter, read by any accessor.
fn meshopt(p: &Parameters, length: usize) -> Value {
    let (stride, count) = (p.byte(8), p.short(4));
    let name = p.of(9, &MESHOPT);
    let own = json!({
        "componentType": p.of(1, &COMPONENTS), "type": p.of(2, &TYPES), "count": count,
        "normalized": p.flag(3, 0), "bufferView": 0,
    });
    let mut view = json!({"buffer": 2, "byteLength": stride * count, "extensions": {name: {
        "buffer": 0, "byteLength": length, "byteStride": stride, "count": count,
        "mode": p.of(10, &MODES), "filter": p.of(11, &FILTERS),
    }}});
    if p.of(10, &MODES) == "ATTRIBUTES" {
        view["byteStride"] = json!(stride);
    }
    let mut document = document(p, own, vec![view], count);
    document["buffers"][0]["byteLength"] = json!(length);
    let place = json!({"byteLength": stride * count, "extensions": {name: {"fallback": true}}});
    if let Value::Array(buffers) = &mut document["buffers"] {
        buffers.push(place);
    }
    document["extensionsUsed"] = json!([name]);
    if p.flag(3, 1) {
        document["extensionsRequired"] = json!([name]);
    }
    document
}

/// A document with the input's accessor in the requested role. All attributes have `count` entries. The
/// second buffer has the times; the caller sets the length of the first one and adds others.
fn document(p: &Parameters, own: Value, mut views: Vec<Value>, count: usize) -> Value {
    let zeros = |kind: &str, component: u32| json!({"componentType": component, "type": kind, "count": count});
    let times = json!({
        "bufferView": views.len(), "componentType": 5126, "type": "SCALAR", "count": p.byte(20) % 5,
    });
    views.push(json!({"buffer": 1, "byteLength": 16}));
    let accessors = [own, zeros("VEC3", 5126), zeros("VEC4", 5121), zeros("VEC4", 5126), times];
    let (position, joints, weights, times) = (1, 2, 3, 4);
    let mut primitive = json!({"attributes": {"POSITION": position}, "mode": p.byte(17) % 8});
    let mut node = json!({"mesh": 0});
    let mut skin = json!({"joints": [0, 1, 1]});
    let mut sampler =
        json!({"input": times, "output": position, "interpolation": p.of(18, &INTERPOLATIONS)});
    match p.byte(16) % 7 {
        0 => primitive["attributes"][p.of(19, &ATTRIBUTES)] = json!(OWN),
        1 => primitive["indices"] = json!(OWN),
        2 => primitive["targets"] = json!([{ p.of(19, &ATTRIBUTES): OWN }, {}]),
        3 => skin["inverseBindMatrices"] = json!(OWN),
        4 => sampler["input"] = json!(OWN),
        5 => sampler["output"] = json!(OWN),
        _ => {
            let attributes = json!({ p.of(19, &INSTANCE_ATTRIBUTES): OWN });
            node["extensions"] = json!({"EXT_mesh_gpu_instancing": {"attributes": attributes}});
        }
    }
    if p.flag(3, 4) {
        let attributes = &mut primitive["attributes"];
        for (name, accessor) in [("JOINTS_0", joints), ("WEIGHTS_0", weights)] {
            if attributes.get(name).is_none() {
                attributes[name] = json!(accessor);
            }
        }
        node["skin"] = json!(0);
    }
    let channel = json!({"sampler": 0, "target": {"node": 0, "path": p.of(21, &PATHS)}});
    json!({
        "asset": {"version": "2.0"},
        "buffers": [{}, {"byteLength": 16, "uri": TIMES}],
        "bufferViews": views,
        "accessors": accessors,
        "meshes": [{"primitives": [primitive]}],
        "skins": [skin],
        "nodes": [node, {}],
        "animations": [{"channels": [channel], "samplers": [sampler]}],
    })
}

/// A document with a Draco primitive whose stream is the buffer.
fn draco(p: &Parameters, length: usize) -> Value {
    let (count, corners) = (p.short(4), p.short(6));
    let (mut attributes, mut ids, mut accessors) = (json!({}), json!({}), Vec::new());
    for (i, name) in ATTRIBUTES.iter().enumerate().filter(|(i, _)| p.flag(1, *i as u8)) {
        attributes[*name] = json!(accessors.len());
        ids[*name] = json!(p.byte(8 + i));
        let (kind, component) = (p.of(16 + i, &TYPES), p.of(24 + i, &COMPONENTS));
        accessors.push(json!({"componentType": component, "type": kind, "count": count}));
    }
    let mut primitive = json!({"mode": 4 + p.byte(3) % 2, "extensions": {
        DRACO: {"bufferView": 0, "attributes": ids},
    }});
    primitive["attributes"] = attributes;
    if p.flag(3, 4) {
        primitive["indices"] = json!(accessors.len());
        accessors.push(json!({"componentType": 5125, "type": "SCALAR", "count": corners}));
    }
    json!({
        "asset": {"version": "2.0"},
        "buffers": [{"byteLength": length}],
        "bufferViews": [{"buffer": 0, "byteLength": length}],
        "accessors": accessors,
        "meshes": [{"primitives": [primitive]}],
        "skins": [{"joints": [0, 1, 1]}],
        "nodes": [{"mesh": 0, "skin": 0}, {}],
        "extensionsUsed": [DRACO],
        "extensionsRequired": [DRACO],
    })
}

/// A document with a texture whose image is the buffer.
fn picture(p: &Parameters, length: usize) -> Value {
    let texture = match p.of(1, &PICTURES) {
        None => json!({"source": 0}),
        Some(name) => json!({"extensions": {name: {"source": 0}}}),
    };
    json!({
        "asset": {"version": "2.0"},
        "buffers": [{"byteLength": length}],
        "bufferViews": [{"buffer": 0, "byteLength": length}],
        "images": [{"bufferView": 0, "mimeType": "image/png"}],
        "textures": [texture],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
    })
}

/// Returns the GLB of a document and its buffer.
fn packed(json: &Value, buffer: &[u8]) -> Vec<u8> {
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let room = buffer.len().next_multiple_of(4);
    let mut glb = b"glTF\x02\0\0\0".to_vec();
    glb.extend(((12 + 8 + text.len() + 8 + room) as u32).to_le_bytes());
    for (kind, bytes, room) in [(b"JSON", &text[..], text.len()), (b"BIN\0", buffer, room)] {
        glb.extend((room as u32).to_le_bytes());
        glb.extend(kind);
        glb.extend(bytes);
        glb.resize(glb.len() + room - bytes.len(), 0);
    }
    glb
}
