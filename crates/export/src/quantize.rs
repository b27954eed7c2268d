//! Smaller numbers: 8 and 16 bits where files have 32 (KHR_mesh_quantization).
//!
//! Positions are whole numbers in the box of all skinned meshes, which the inverse bind matrices undo; so the nodes stay as
//! they are. Positions of meshes without a skin stay floats.

use std::collections::{HashMap, HashSet};

use glam::{DMat4, DQuat, DVec3, Quat};
use serde_json::{Value, json};

use super::weights;
use rigview_document::{
    ARRAY_BUFFER, Component, ELEMENT_ARRAY_BUFFER, Loose, Shape, index, items, layout_of, number_at,
};

/// The cosine of half the angle between two rotations, from which on the way between them is clear.
const CLEAR: f32 = 0.06;

/// The use of an accessor that decides on its smaller form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Of a skinned mesh.
    Position,
    /// Morph target's offset of a skinned mesh.
    Offset,
    Normal,
    Tangent,
    TexCoord,
    Color,
    Joints,
    Indices,
    /// Rotations of linear and stepped keys.
    Rotation,
    /// Anything else.
    Other,
}

/// Makes the numbers of a document smaller.
pub fn quantize(loose: &mut Loose) {
    loose.split();
    let skinned = skinned_meshes(&mut loose.root);
    let roles = roles(loose, skinned.as_ref());
    let grid = Grid::of(loose, &roles);
    let mut has_new_kinds = false;
    for (accessor, role) in roles {
        match role {
            Role::Position => {
                has_new_kinds |= grid.as_ref().is_some_and(|grid| grid.positions(loose, accessor));
            }
            Role::Offset => {
                if let Some(grid) = &grid {
                    scale(loose, accessor, 1.0 / grid.size);
                }
            }
            Role::Normal => has_new_kinds |= normals(loose, accessor),
            Role::Tangent => has_new_kinds |= tangents(loose, accessor),
            Role::TexCoord => tex_coords(loose, accessor),
            Role::Color => colors(loose, accessor),
            Role::Joints => joints(loose, accessor),
            Role::Indices => indices(loose, accessor),
            Role::Rotation => rotations(loose, accessor),
            Role::Other => {}
        }
    }
    weights::quantize(loose);
    if let Some(grid) = grid {
        grid.undo_in_skins(loose);
    }
    if has_new_kinds {
        loose.require("KHR_mesh_quantization");
    }
}

/// Writes normals in bytes. Returns whether they are, which needs the extension.
fn normals(loose: &mut Loose, accessor: usize) -> bool {
    let Some(list) = loose.floats(accessor) else { return false };
    let rows = list.as_chunks::<3>().0.iter();
    let rows = rows.flat_map(|n| [signed(n[0]), signed(n[1]), signed(n[2]), 0]);
    put(loose, accessor, rows.map(i8::cast_unsigned).collect(), Component::I8, 4);
    true
}

/// Writes tangents in bytes. Returns whether they are, which needs the extension.
fn tangents(loose: &mut Loose, accessor: usize) -> bool {
    let Some(list) = loose.floats(accessor) else { return false };
    let rows = list.iter().map(|x| signed(*x).cast_unsigned()).collect();
    put(loose, accessor, rows, Component::I8, 4);
    true
}

/// Writes texture coordinates in 16 bits if none lies outside of the texture.
fn tex_coords(loose: &mut Loose, accessor: usize) {
    let Some(list) = loose.floats(accessor) else { return };
    if list.iter().all(|x| (0.0..=1.0).contains(x)) {
        let rows = shorts(list.iter().map(|x| unsigned(*x)));
        put(loose, accessor, rows, Component::U16, 4);
    }
}

/// Writes colours in 16 bits, with an alpha that keeps rows at multiples of four bytes.
fn colors(loose: &mut Loose, accessor: usize) {
    let Some(list) = loose.floats(accessor) else { return };
    let Some(layout) = layout_of(&loose.root["accessors"][accessor]) else { return };
    let row = |row: &[f32]| {
        let number = |i: usize| unsigned(row.get(i).copied().unwrap_or(1.0));
        [number(0), number(1), number(2), number(3)]
    };
    let rows = shorts(list.chunks_exact(layout.width()).flat_map(row));
    loose.root["accessors"][accessor]["type"] = "VEC4".into();
    put(loose, accessor, rows, Component::U16, 8);
}

/// Writes joints in bytes if they fit.
fn joints(loose: &mut Loose, accessor: usize) {
    let Some(list) = loose.whole(accessor) else { return };
    let rows: Result<Vec<u8>, _> = list.iter().map(|joint| u8::try_from(*joint)).collect();
    if let Ok(rows) = rows {
        let view = loose.add_view(rows, Some(4), Some(ARRAY_BUFFER));
        loose.replace(accessor, view, Component::U8, false);
    }
}

/// Writes indices of 32 bits in 16 if they fit; the largest number of 16 bits is not allowed.
fn indices(loose: &mut Loose, accessor: usize) {
    let Some(list) = loose.whole(accessor) else { return };
    let is_wide =
        loose.root["accessors"][accessor]["componentType"] == json!(Component::U32.code());
    if is_wide && list.iter().all(|i| *i < u32::from(u16::MAX)) {
        let rows = shorts(list.iter().map(|i| *i as u16));
        let view = loose.add_view(rows, None, Some(ELEMENT_ARRAY_BUFFER));
        loose.replace(accessor, view, Component::U16, false);
    }
}

/// Writes rotations in 16 bits if the way of every turn stays clear. Keys of another type, which play nothing, stay as they are.
fn rotations(loose: &mut Loose, accessor: usize) {
    if loose.root["accessors"][accessor]["type"] != "VEC4" {
        return;
    }
    let Some(list) = loose.floats(accessor) else { return };
    let turns: Vec<Quat> = list.as_chunks::<4>().0.iter().map(turn).collect();
    if has_half_turns(&turns) {
        return;
    }
    let short = |x: f32| ((x.clamp(-1.0, 1.0) * 32767.0).round() as i16).cast_unsigned();
    let numbers = turns.iter().flat_map(|turn| turn.to_array().map(short));
    let view = loose.add_view(shorts(numbers), None, None);
    loose.replace(accessor, view, Component::I16, true);
}

/// Gives an accessor of vertices other bytes, in rows of this stride, as normalised numbers.
fn put(loose: &mut Loose, accessor: usize, rows: Vec<u8>, kind: Component, stride: usize) {
    let view = loose.add_view(rows, Some(stride), Some(ARRAY_BUFFER));
    loose.replace(accessor, view, kind, true);
}

/// Returns the rotation of a key, as readers take it: of length 1, and none if it has no direction.
fn turn(key: &[f32; 4]) -> Quat {
    let key = DQuat::from_array(key.map(f64::from));
    let length = key.length();
    if length > 0.0 && length.is_finite() { (key / length).as_quat() } else { Quat::IDENTITY }
}

/// Whether neighbouring keys are about half a turn apart, so that rounding decides which way the turn goes.
fn has_half_turns(turns: &[Quat]) -> bool {
    turns.windows(2).any(|pair| pair[0].dot(pair[1]).abs() < CLEAR)
}

fn shorts(numbers: impl Iterator<Item = u16>) -> Vec<u8> {
    numbers.flat_map(u16::to_le_bytes).collect()
}

fn signed(x: f32) -> i8 {
    (x.clamp(-1.0, 1.0) * 127.0).round() as i8
}

fn unsigned(x: f32) -> u16 {
    (x.clamp(0.0, 1.0) * 65535.0).round() as u16
}

/// Returns the meshes that are only drawn with a skin; `None` if some are drawn with and without one.
fn skinned_meshes(root: &mut Value) -> Option<HashSet<usize>> {
    let (mut with, mut without) = (HashSet::new(), HashSet::new());
    for node in items(root, "nodes") {
        if let Some(mesh) = node.get("mesh").and_then(index) {
            let list = if node.get("skin").is_some() { &mut with } else { &mut without };
            list.insert(mesh);
        }
    }
    with.is_disjoint(&without).then_some(with)
}

/// Returns the accessors of vertices, indices and rotations with their use, in their order in the file. If one of a skin's
/// positions has another use too, no positions have theirs, because the bind matrices are those of all.
fn roles(loose: &mut Loose, skinned: Option<&HashSet<usize>>) -> Vec<(usize, Role)> {
    let mut roles: HashMap<usize, Role> = HashMap::new();
    let is_placed = |role: Role| matches!(role, Role::Position | Role::Offset);
    let mut is_shared = false;
    let mut note = |accessor: Option<&Value>, role: Role| {
        if let Some(accessor) = accessor.and_then(index) {
            let known = roles.entry(accessor).or_insert(role);
            if *known != role {
                is_shared |= is_placed(*known) || is_placed(role);
                *known = Role::Other;
            }
        }
    };
    for (number, mesh) in items(&mut loose.root, "meshes").enumerate() {
        let is_skinned = skinned.is_some_and(|skinned| skinned.contains(&number));
        for primitive in items(mesh, "primitives") {
            let has = |name: &str| primitive["attributes"].get(name).is_some();
            // The node places primitives without joints, also those of a skinned mesh.
            let is_skinned = is_skinned && has("JOINTS_0") && has("WEIGHTS_0");
            let or_other = |role| if is_skinned { role } else { Role::Other };
            note(primitive.get("indices"), Role::Indices);
            for (name, accessor) in primitive["attributes"].as_object().into_iter().flatten() {
                let role = match name.split('_').next().unwrap_or_default() {
                    "POSITION" => or_other(Role::Position),
                    "NORMAL" => Role::Normal,
                    "TANGENT" => Role::Tangent,
                    "TEXCOORD" => Role::TexCoord,
                    "COLOR" => Role::Color,
                    "JOINTS" => Role::Joints,
                    _ => Role::Other,
                };
                note(Some(accessor), role);
            }
            for target in primitive["targets"].as_array().into_iter().flatten() {
                for (name, accessor) in target.as_object().into_iter().flatten() {
                    let is_place = name == "POSITION";
                    note(
                        Some(accessor),
                        if is_place { or_other(Role::Offset) } else { Role::Other },
                    );
                }
            }
        }
    }
    for skin in items(&mut loose.root, "skins") {
        note(skin.get("inverseBindMatrices"), Role::Other);
    }
    for animation in items(&mut loose.root, "animations") {
        let samplers = animation["samplers"].as_array().cloned().unwrap_or_default();
        // By sampler: whether all of its channels rotate; `None` without channels, whose keys may be anything.
        let mut is_rotation = vec![None; samplers.len()];
        for channel in items(animation, "channels") {
            let turns = channel["target"]["path"] == "rotation";
            if let Some(sampler) = channel.get("sampler").and_then(index)
                && let Some(is_rotation) = is_rotation.get_mut(sampler)
            {
                *is_rotation.get_or_insert(true) &= turns;
            }
        }
        for (sampler, is_rotation) in samplers.iter().zip(is_rotation) {
            note(sampler.get("input"), Role::Other);
            let is_plain = sampler["interpolation"] != "CUBICSPLINE" && is_rotation == Some(true);
            note(sampler.get("output"), if is_plain { Role::Rotation } else { Role::Other });
        }
    }
    let whole = |(accessor, role): (usize, Role)| {
        (accessor, if is_shared && is_placed(role) { Role::Other } else { role })
    };
    let mut roles: Vec<_> = roles.into_iter().map(whole).collect();
    roles.sort_unstable_by_key(|(accessor, _)| *accessor);
    roles
}

/// The box of all skinned meshes: whole numbers from 0 to 65535 along its longest side.
struct Grid {
    least: DVec3,
    size: f64,
}

impl Grid {
    /// Returns the box; `None` without skinned meshes, or if some of their positions or bind matrices can't be read or are
    /// not finite.
    fn of(loose: &Loose, roles: &[(usize, Role)]) -> Option<Self> {
        let (mut least, mut most) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let all = roles.iter().filter(|(_, role)| *role == Role::Position);
        for (accessor, _) in all {
            for row in loose.floats(*accessor)?.as_chunks::<3>().0 {
                let at = glam::Vec3::from_array(*row).as_dvec3();
                if !at.is_finite() {
                    return None;
                }
                (least, most) = (least.min(at), most.max(at));
            }
        }
        let is_readable = |(accessor, role): &(usize, Role)| {
            *role != Role::Offset || is_scalable(loose, *accessor)
        };
        // Their bind matrices undo the grid.
        let mut skins = loose.root["skins"].as_array().into_iter().flatten();
        let can_undo = skins.all(|skin| {
            let given = skin.get("inverseBindMatrices").and_then(index);
            given.is_none_or(|given| loose.floats(given).is_some())
        });
        let size = (most - least).max_element();
        let is_whole =
            can_undo && size > 0.0 && (size as f32).is_finite() && roles.iter().all(is_readable);
        is_whole.then_some(Self { least, size })
    }

    /// Writes positions as whole numbers. Returns whether they are, which needs the extension.
    fn positions(&self, loose: &mut Loose, accessor: usize) -> bool {
        let list = loose.floats(accessor).unwrap_or_default();
        let (mut least, mut most) = ([u16::MAX; 3], [0; 3]);
        let mut rows = Vec::with_capacity(list.len() / 3 * 8);
        for row in list.as_chunks::<3>().0 {
            let at = (glam::Vec3::from_array(*row).as_dvec3() - self.least) / self.size;
            let at = at.to_array().map(|x| unsigned(x as f32));
            for i in 0..3 {
                (least[i], most[i]) = (least[i].min(at[i]), most[i].max(at[i]));
            }
            rows.extend(at.into_iter().chain([0]).flat_map(u16::to_le_bytes));
        }
        put(loose, accessor, rows, Component::U16, 8);
        let item = &mut loose.root["accessors"][accessor];
        (item["min"], item["max"]) = (json!(least), json!(most));
        true
    }

    /// Has the inverse bind matrices undo the grid.
    fn undo_in_skins(&self, loose: &mut Loose) {
        let matrix =
            DMat4::from_translation(self.least) * DMat4::from_scale(DVec3::splat(self.size));
        let skins = loose.root["skins"].as_array().cloned().unwrap_or_default();
        let mut written: HashSet<usize> = HashSet::new();
        for (number, skin) in skins.iter().enumerate() {
            let given = skin.get("inverseBindMatrices").and_then(index);
            if given.is_some_and(|given| written.contains(&given)) {
                continue;
            }
            let joints = skin["joints"].as_array().map_or(0, Vec::len);
            let identity = || glam::Mat4::IDENTITY.to_cols_array().repeat(joints);
            let list = given.and_then(|given| loose.floats(given)).unwrap_or_else(identity);
            let own = list.as_chunks::<16>().0.iter().map(|columns| {
                (glam::Mat4::from_cols_array(columns).as_dmat4() * matrix).as_mat4().to_cols_array()
            });
            let rows: Vec<[f32; 16]> = own.collect();
            let bytes = rows.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect();
            let view = loose.add_view(bytes, None, None);
            if let Some(given) = given.filter(|given| loose.floats(*given).is_some()) {
                loose.replace(given, view, Component::F32, false);
                written.insert(given);
                continue;
            }
            let accessor = json!({
                "bufferView": view, "componentType": Component::F32.code(), "count": rows.len(),
                "type": Shape::Mat4.name(),
            });
            rigview_document::push(&mut loose.root, "accessors", vec![accessor]);
            let new = rigview_document::count(&loose.root, "accessors") - 1;
            loose.root["skins"][number]["inverseBindMatrices"] = new.into();
        }
    }
}

/// Whether [`scale`] can multiply an accessor.
fn is_scalable(loose: &Loose, accessor: usize) -> bool {
    let item = &loose.root["accessors"][accessor];
    let is_sparse_alone = item.get("sparse").is_some() && item.get("bufferView").is_none();
    item["componentType"] == json!(Component::F32.code())
        && (is_sparse_alone || loose.floats(accessor).is_some())
}

/// Multiplies the floats of an accessor, or those that a sparse one without other data lists.
fn scale(loose: &mut Loose, accessor: usize, factor: f64) {
    let times = |bytes: &[u8; 4]| (f64::from(f32::from_le_bytes(*bytes)) * factor) as f32;
    let item = loose.root["accessors"][accessor].clone();
    if item.get("sparse").is_some() {
        let values = &item["sparse"]["values"];
        let (Some(view), Some(count)) =
            (index(&values["bufferView"]), index(&item["sparse"]["count"]))
        else {
            return;
        };
        let from = number_at(values, "byteOffset");
        let all = loose.views.get(view).and_then(|v| v.get(from..from + 12 * count));
        let new = all.unwrap_or_default().as_chunks::<4>().0.iter().map(times);
        let bytes = new.flat_map(f32::to_le_bytes).collect();
        let view = loose.add_view(bytes, None, None);
        loose.root["accessors"][accessor]["sparse"]["values"] = json!({ "bufferView": view });
    } else {
        let list = loose.floats(accessor).unwrap_or_default();
        let new = list.iter().map(|x| (f64::from(*x) * factor) as f32);
        let view =
            loose.add_view(new.flat_map(f32::to_le_bytes).collect(), None, Some(ARRAY_BUFFER));
        loose.replace(accessor, view, Component::F32, false);
    }
    for key in ["min", "max"] {
        if let Some(Value::Array(bounds)) = item.get(key) {
            let scaled = bounds.iter().filter_map(Value::as_f64).map(|x| (x as f32, x));
            let scaled: Vec<f32> = scaled.map(|(x, _)| (f64::from(x) * factor) as f32).collect();
            loose.root["accessors"][accessor][key] = json!(scaled);
        }
    }
}
