//! Small FBX files whose numbers are worked out by hand: space, inheritance of scale, curves, blend shapes,
//! skins, materials, and what is said about them.

use glam::{Affine3A, DAffine3, DQuat, DVec3, EulerRot, Quat, Vec3};
use rigview::anim::Channel;
use rigview::import::{ImportOptions, Loaded, WarningCode, load, load_bytes};
use rigview::model::{DrawnPrimitive, Model, Stage};

use crate::support::{Curve, Fbx, rigview};

pub fn read(file: &Fbx) -> Loaded {
    let loaded = load_bytes(file.bytes(), &ImportOptions::default());
    loaded.unwrap_or_else(|e| panic!("{e}\n{}", file.text()))
}

pub fn node(model: &Model, name: &str) -> usize {
    let found = model.nodes.iter().position(|node| node.name.as_deref() == Some(name));
    found.unwrap_or_else(|| panic!("no node {name}"))
}

/// Returns the stage at a time of the first clip; at rest without one.
pub fn posed(model: &Model, time: Option<f64>) -> Stage {
    let mut stage = Stage::new(model, 0);
    stage.pose(model, time.and(model.clips.first()), time.unwrap_or(0.0));
    stage
}

pub fn world(model: &Model, name: &str, time: Option<f64>) -> Affine3A {
    posed(model, time).scene_from_node(node(model, name))
}

/// Returns the vertices of the first mesh that is drawn.
pub fn vertices(model: &Model, time: Option<f64>) -> Vec<Vec3> {
    let stage = posed(model, time);
    let node = model.nodes.iter().position(|node| node.mesh.is_some()).unwrap();
    let drawn = DrawnPrimitive { node, primitive: 0 };
    let count = model.meshes[model.nodes[node].mesh.unwrap()].primitives[0].vertices.len() as u32;
    stage.deformed_at(model, drawn, &(0..count).collect::<Vec<_>>()).unwrap()
}

#[track_caller]
pub fn assert_near(found: Vec3, wanted: [f32; 3]) {
    assert!(found.distance(wanted.into()) < 1e-5, "{found} instead of {wanted:?}");
}

pub const TRIANGLE: [[f64; 3]; 3] = [[0., 0., 0.], [100., 0., 0.], [0., 100., 0.]];

#[test]
fn units_and_axes_become_metres_and_y_up() {
    let mut file = Fbx::new()
        .setting("\"UpAxis\", \"int\", \"Integer\", \"\",2")
        .setting("\"UpAxisSign\", \"int\", \"Integer\", \"\",1")
        .setting("\"FrontAxis\", \"int\", \"Integer\", \"\",1")
        .setting("\"FrontAxisSign\", \"int\", \"Integer\", \"\",-1")
        .setting("\"CoordAxis\", \"int\", \"Integer\", \"\",0")
        .setting("\"CoordAxisSign\", \"int\", \"Integer\", \"\",1")
        .setting("\"UnitScaleFactor\", \"double\", \"Number\", \"\",2.54");
    let at = "\"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",10,20,100";
    let top = file.node("top", "Null", 0, &[at]);
    let at = "\"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",0,0,100";
    file.node("child", "Null", top, &[at]);
    let model = read(&file).model;
    assert_near(world(&model, "top", None).translation.into(), [0.254, 2.54, -0.508]);
    assert_near(world(&model, "child", None).translation.into(), [0.254, 5.08, -0.508]);
    let [_, container, entries] = facts(&model);
    assert_eq!(container, "Text");
    assert!(entries.contains("unit: 0.0254 m"), "{entries}");
    assert!(entries.contains("axes: right +X, up +Z, front -Y"), "{entries}");
}

#[test]
fn a_unit_that_is_no_length_is_said() {
    let with = |factor: &str| {
        let mut file = Fbx::new()
            .setting(&format!("\"UnitScaleFactor\", \"double\", \"Number\", \"\",{factor}"));
        file.node("top", "Null", 0, &[]);
        load_bytes(file.bytes(), &ImportOptions::default())
    };
    let warnings = |factor: &str| with(factor).unwrap().warnings;
    assert!(warnings("1").is_empty());
    for factor in ["0", "-1"] {
        let said = warnings(factor)[0].to_string();
        assert!(said.contains("is no length: lengths are read as metres"), "{said}");
    }
    let error = with("nan").unwrap_err().to_string();
    assert!(error.contains("unit of NaN m is no length"), "{error}");
}

pub fn facts(model: &Model) -> [String; 3] {
    let entries = model.source.metadata.iter().flat_map(|data| &data.entries);
    let entries: Vec<_> = entries.map(|(name, value)| format!("{name}: {value}")).collect();
    let container = format!("{:?}", model.source.container);
    [model.source.format.clone(), container, entries.join("; ")]
}

/// Translations are in the parent's space, whatever the mode; `Rrs` leaves out the parent's scale.
#[test]
fn a_node_that_ignores_its_parents_scale_does_so_while_it_is_animated() {
    let mut file = Fbx::new();
    let scale = "\"Lcl Scaling\", \"Lcl Scaling\", \"\", \"A\",1,2,4";
    let parent = file.node("parent", "LimbNode", 0, &[scale]);
    let properties = [
        "\"InheritType\", \"enum\", \"\", \"\",2",
        "\"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",0,100,0",
        "\"Lcl Rotation\", \"Lcl Rotation\", \"\", \"A\",0,0,90",
    ];
    file.node("child", "LimbNode", parent, &properties);
    let take = file.take("squash", 0.0, 1.0);
    file.animate(take, parent, ["Lcl Scaling", "d|Y"], Curve::Linear, &[[0.0, 2.0], [1.0, 0.5]]);
    let model = read(&file).model;
    for (time, height) in [(None, 2.0), (Some(0.5), 1.25), (Some(1.0), 0.5)] {
        assert_near(world(&model, "parent", time).y_axis.into(), [0.0, height, 0.0]);
        let child = world(&model, "child", time);
        assert_near(child.translation.into(), [0.0, height, 0.0]);
        assert_near(child.x_axis.into(), [0.0, 1.0, 0.0]);
        assert_near(child.y_axis.into(), [-1.0, 0.0, 0.0]);
        assert_near(child.z_axis.into(), [0.0, 0.0, 1.0]);
    }
    assert!(model.nodes.iter().any(|n| n.name.as_deref().is_some_and(|n| n.contains("scale of"))));
}

/// The axes of a parent's scale may agree at all keys, and nowhere else.
#[test]
fn a_parents_scale_that_is_uneven_between_keys_is_taken_out() {
    for odd in [Curve::Cubic, Curve::Constant] {
        let mut file = Fbx::new();
        let parent = file.node("parent", "LimbNode", 0, &[]);
        let up = "\"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",0,100,0";
        let ignores = "\"InheritType\", \"enum\", \"\", \"\",2";
        let turned = "\"Lcl Rotation\", \"Lcl Rotation\", \"\", \"A\",40,0,0";
        file.node("child", "LimbNode", parent, &[ignores, up, turned]);
        let take = file.take("squash", 0.0, 1.0);
        let axes = [("d|X", Curve::Linear), ("d|Y", Curve::Linear), ("d|Z", odd)];
        file.animate_all(take, parent, "Lcl Scaling", &axes, &[[0.0, 1.0], [1.0, 3.0]]);
        let model = read(&file).model;
        let (sin, cos) = 40f32.to_radians().sin_cos();
        for time in [0.0, 0.25, 0.6, 1.0] {
            let child = world(&model, "child", Some(time));
            let axes = [Vec3::X, Vec3::new(0.0, cos, sin), Vec3::new(0.0, -sin, cos)];
            for (found, wanted) in [child.x_axis, child.y_axis, child.z_axis].into_iter().zip(axes)
            {
                assert!((Vec3::from(found) - wanted).length() < 1e-3, "at {time}: {child}");
            }
        }
    }
}

#[test]
fn a_uniform_scale_is_taken_out_without_a_helper_and_a_scale_of_0_hides_only_its_own() {
    for scale in ["2,2,2", "0,0,0"] {
        let mut file = Fbx::new();
        let property = format!("\"Lcl Scaling\", \"Lcl Scaling\", \"\", \"A\",{scale}");
        let parent = file.node("parent", "LimbNode", 0, &[&property]);
        file.node("child", "LimbNode", parent, &["\"InheritType\", \"enum\", \"\", \"\",2"]);
        let model = read(&file).model;
        assert_eq!(model.nodes.len(), 2, "{scale}");
        let child = world(&model, "child", None);
        assert_near(child.x_axis.into(), [1.0, 0.0, 0.0]);
    }
}

/// Pre-rotation, rotation in another order, and post-rotation.
#[test]
fn pivots_and_orders_are_part_of_a_nodes_transform() {
    let mut file = Fbx::new();
    let properties = [
        "\"RotationActive\", \"bool\", \"\", \"\",1",
        "\"RotationOrder\", \"enum\", \"\", \"\",5",
        "\"PreRotation\", \"Vector3D\", \"Vector\", \"\",0,90,0",
        "\"RotationPivot\", \"Vector3D\", \"Vector\", \"\",100,0,0",
        "\"Lcl Rotation\", \"Lcl Rotation\", \"\", \"A\",10,20,30",
    ];
    file.node("a", "Null", 0, &properties);
    let model = read(&file).model;
    let [x, y, z] = [10f32, 20.0, 30.0].map(f32::to_radians);
    // Order 5 is ZYX: Z first.
    let own = Quat::from_rotation_x(x) * Quat::from_rotation_y(y) * Quat::from_rotation_z(z);
    let turn = Quat::from_euler(EulerRot::XYZ, 0.0, 90f32.to_radians(), 0.0) * own;
    let found = world(&model, "a", None);
    for (axis, wanted) in [(found.x_axis, Vec3::X), (found.y_axis, Vec3::Y)] {
        assert_near(axis.into(), (turn * wanted).to_array());
    }
    assert_near(found.translation.into(), (Vec3::X - turn * Vec3::X).to_array());
}

#[test]
fn a_take_is_a_clip_that_begins_at_0_with_keys_of_a_bounded_error() {
    let mut file = Fbx::new();
    let a = file.node("a", "Null", 0, &[]);
    let b = file.node(
        "b",
        "Null",
        a,
        &["\"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",100,0,0"],
    );
    let take = file.take("Turn", 1.0, 3.0);
    // Far keys do not lengthen the take.
    let keys = [[-166_666.0, 0.0], [1.0, 0.0], [3.0, 300.0], [166_666.0, 300.0]];
    file.animate(take, a, ["Lcl Rotation", "d|Z"], Curve::Cubic, &keys);
    file.animate(
        take,
        b,
        ["Lcl Translation", "d|X"],
        Curve::Linear,
        &[[1.0, 100.0], [2.0, 0.0], [3.0, 50.0]],
    );
    file.animate(
        take,
        b,
        ["Lcl Scaling", "d|X"],
        Curve::Constant,
        &[[1.0, 1.0], [2.5, 2.0], [3.0, 3.0]],
    );
    let model = read(&file).model;
    let clip = &model.clips[0];
    assert_eq!((clip.name(), clip.duration_secs()), (Some("Turn"), 2.0));
    let mut worst = 0f32;
    for step in 0..=400 {
        let t = f64::from(step) / 200.0;
        // A cubic with flat tangents.
        let u = t / 2.0;
        let angle = (300.0 * u * u * (3.0 - 2.0 * u)).to_radians() as f32;
        let turned = world(&model, "a", Some(t));
        worst = worst
            .max((Vec3::from(turned.x_axis) - Quat::from_rotation_z(angle) * Vec3::X).length());
        let x = if t < 1.0 { 1.0 - t } else { (t - 1.0) / 2.0 };
        let place = posed(&model, Some(t)).local.transform(node(&model, "b"));
        assert!((place.translation.x - x as f32).abs() < 1e-6, "{t}: {}", place.translation);
        let scale = if t < 1.5 {
            1.0
        } else if t < 2.0 {
            2.0
        } else {
            3.0
        };
        assert_eq!(place.scale.x, scale, "{t}");
    }
    assert!(worst < 1e-5, "{worst}");
    let keys = |path: &str| {
        let of = |c: &&Channel| c.path() == path;
        clip.channels().iter().find(of).unwrap_or_else(|| panic!("{path}")).times().to_vec()
    };
    // The properties of a node share the times of its curves.
    assert_eq!(keys("translation"), [0.0, 1.0, 1.5, 2.0]);
    assert_eq!(keys("scale"), [0.0, 1.5, 2.0]);
    assert!(keys("rotation").len() < 2000, "{}", keys("rotation").len());
    assert_eq!(clip.channels().len(), 3, "what does not move has no channel");
}

/// The same text with other line ends, marks and encodings.
#[test]
fn texts_of_other_editors_are_read() {
    let mut file = Fbx::new();
    file.node(
        "hips",
        "Null",
        0,
        &["\"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",100,50,25"],
    );
    let text = file.text();
    let expected = world(&read(&file).model, "hips", None);
    let utf16 = |mark: &[u8], unit: fn(u16) -> [u8; 2]| -> Vec<u8> {
        mark.iter().copied().chain(text.encode_utf16().flat_map(unit)).collect()
    };
    for (name, bytes) in [
        ("a mark of UTF-8", [b"\xef\xbb\xbf", text.as_bytes()].concat()),
        ("UTF-16, little-endian", utf16(b"\xff\xfe", u16::to_le_bytes)),
        ("UTF-16, big-endian", utf16(b"\xfe\xff", u16::to_be_bytes)),
        ("lines that end with a carriage return", text.replace('\n', "\r").into_bytes()),
        ("DOS", (text.replace('\n', "\r\n") + "\u{1a}").into_bytes()),
    ] {
        let loaded = load_bytes(bytes, &ImportOptions::default());
        let model = loaded.unwrap_or_else(|error| panic!("{name}: {error}")).model;
        assert_eq!(world(&model, "hips", None), expected, "{name}");
    }
}

/// Names in texts that are not in UTF-8, as old programs write them.
#[test]
fn names_in_other_encodings_are_read_with_a_warning() {
    let mut file = Fbx::new();
    file.node("@", "Null", 0, &[]);
    let text = file.text();
    let (before, after) = text.split_once('@').unwrap();
    for (bytes, name, encoding) in
        [(&b"\x8d\xb6\x91\xab"[..], "左足", "Shift-JIS"), (b"H\xfcfte", "Hüfte", "Windows-1252")]
    {
        let bytes = [before.as_bytes(), bytes, after.as_bytes()].concat();
        let Loaded { model, warnings, .. } = load_bytes(bytes, &ImportOptions::default()).unwrap();
        assert_eq!(model.nodes[0].name.as_deref(), Some(name));
        assert_eq!((warnings.len(), warnings[0].code), (1, WarningCode::FileDefect));
        assert!(warnings[0].message.contains(encoding), "{:?}", warnings[0].message);
    }
}

/// A node turns hundreds of times between two keys, and the file beside it moves as files do.
#[test]
fn curves_that_turn_wildly_cost_a_bounded_number_of_keys() {
    let mut file = Fbx::new();
    let [wild, calm] = ["wild", "calm"].map(|name| file.node(name, "Null", 0, &[]));
    let take = file.take("Turn", 0.0, 20.0);
    let keys: Vec<[f64; 2]> =
        (0..600).map(|key| [f64::from(key) / 30.0, f64::from(key * 7919 % 20011) * 10.0]).collect();
    file.animate(take, wild, ["Lcl Rotation", "d|X"], Curve::Linear, &keys);
    let keys = [[0.0, 0.0], [10.0, 90.0], [20.0, 0.0]];
    file.animate(take, calm, ["Lcl Rotation", "d|X"], Curve::Cubic, &keys);
    let [first, second] = [(), ()].map(|()| read(&file));
    let keys = |name: &str| {
        let index = node(&first.model, name);
        let mut channels = first.model.clips[0].channels().iter();
        channels.find(|channel| channel.node() == index).unwrap().times().len()
    };
    assert!(keys("wild") < 100_000, "{}", keys("wild"));
    assert!((10..2000).contains(&keys("calm")), "{}", keys("calm"));
    assert!(first.warnings.iter().any(|it| it.code == WarningCode::NotShown));
    assert_eq!(first.model.clips, second.model.clips, "the keys do not depend on the threads");
    let turned = world(&first.model, "calm", Some(5.0));
    assert!(
        (Vec3::from(turned.y_axis) - Quat::from_rotation_x(45f32.to_radians()) * Vec3::Y).length()
            < 1e-5
    );
}

/// A chain of joints with a key at each frame, as most exporters write: the errors of all joints add up.
#[test]
fn a_chain_with_keys_at_all_frames_stays_within_the_bound() {
    const JOINTS: usize = 20;
    const FPS: f64 = 30.0;
    let mut file = Fbx::new();
    let mut joints = vec![0];
    for joint in 0..JOINTS {
        let place = "\"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",10,0,0";
        joints.push(file.node(&format!("joint {joint}"), "LimbNode", joints[joint], &[place]));
    }
    let take = file.take("Swing", 0.0, 4.0);
    let degrees = |key: f64| 20.0 * (key / 6.0).sin();
    let keys: Vec<[f64; 2]> =
        (0..=120).map(|key| [f64::from(key) / FPS, degrees(key.into())]).collect();
    for joint in &joints[1..] {
        let components = ["d|X", "d|Y", "d|Z"].map(|component| (component, Curve::Smooth));
        file.animate_all(take, *joint, "Lcl Rotation", &components, &keys);
    }
    let loaded = read(&file);
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    for time in [0.513, 2.017, 2.9841] {
        let (key, u) = ((time * FPS).floor(), (time * FPS).fract());
        let [before, a, b, after] = [-1.0, 0.0, 1.0, 2.0].map(|step| degrees(key + step));
        let (from, to) = (0.5 * (b - before), 0.5 * (after - a));
        let w = 1.0 - u;
        let angle = (w * w * (1.0 + 2.0 * u) * a + w * w * u * from + u * u * (3.0 - 2.0 * u) * b
            - u * u * w * to)
            .to_radians();
        let turn = DQuat::from_rotation_z(angle)
            * DQuat::from_rotation_y(angle)
            * DQuat::from_rotation_x(angle);
        let local = DAffine3::from_rotation_translation(turn, DVec3::new(0.1, 0.0, 0.0));
        let expected = (0..JOINTS).fold(DAffine3::IDENTITY, |above, _| above * local).translation;
        let found = world(&loaded.model, &format!("joint {}", JOINTS - 1), Some(time));
        let off = found.translation.as_dvec3().distance(expected);
        assert!(off < 1e-5, "{time} s: {off}");
    }
}

/// The first node only turns in the first take, in which the node after it only moves.
#[test]
fn a_node_keeps_what_only_another_take_moves() {
    let mut file = Fbx::new();
    let at = "\"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",0,10,0";
    let turned = "\"Lcl Rotation\", \"Lcl Rotation\", \"\", \"A\",0,0,0";
    let still = file.node("turns", "Null", 0, &[at, turned]);
    let moves = file.node("moves", "Null", 0, &[at]);
    let take = file.take("First", 0.0, 1.0);
    let keys = [[0.0, 50.0], [1.0, 90.0]];
    file.animate(take, still, ["Lcl Rotation", "d|Z"], Curve::Linear, &keys);
    file.animate(take, moves, ["Lcl Translation", "d|X"], Curve::Linear, &keys);
    let take = file.take("Second", 0.0, 1.0);
    file.animate(take, still, ["Lcl Translation", "d|X"], Curve::Linear, &keys);
    let model = read(&file).model;
    let turns = world(&model, "turns", Some(1.0));
    assert_near(turns.translation.into(), [0.0, 0.1, 0.0]);
    assert_near(turns.matrix3.x_axis.into(), [0.0, 1.0, 0.0]);
    assert_near(world(&model, "moves", Some(1.0)).translation.into(), [0.9, 0.0, 0.0]);
}

#[test]
fn the_shapes_next_to_the_weight_of_a_channel_are_mixed() {
    let mut file = Fbx::new();
    let mesh = file.node("mesh", "Mesh", 0, &[]);
    let geometry = file.polygon(mesh, &TRIANGLE);
    let shapes = [(50.0, 1, [0.0, 0.0, 40.0]), (100.0, 1, [0.0, 0.0, 10.0])];
    let channel = file.channel(geometry, "smile", &shapes);
    let take = file.take("Smile", 0.0, 2.0);
    let percent = [[0.0, 0.0], [2.0, 200.0]];
    file.animate(take, channel, ["DeformPercent", "d|DeformPercent"], Curve::Linear, &percent);
    let model = read(&file).model;
    assert_eq!(model.meshes[0].target_names, ["smile 50 %", "smile"]);
    // Half of the first; the first; between both; the last; beyond it, as from the first to the last.
    for (time, z) in [(0.25, 0.2), (0.5, 0.4), (0.75, 0.25), (1.0, 0.1), (1.5, -0.2)] {
        let found = vertices(&model, Some(time));
        assert!(
            found.iter().any(|v| v.distance(Vec3::new(1.0, 0.0, z)) < 1e-5),
            "{time}: {found:?}"
        );
    }
}

#[test]
fn bones_move_a_skin_and_vertices_without_bones_follow_the_node() {
    let mut file = Fbx::new();
    let bone = file.node(
        "bone",
        "LimbNode",
        0,
        &["\"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",0,50,0"],
    );
    let up = "\"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",0,0,700";
    let mesh = file.node("mesh", "Mesh", 0, &[up]);
    let geometry = file.polygon(mesh, &TRIANGLE);
    // The bone was at the origin when it was bound. The weight is not 1.
    file.skin(geometry, &[(bone, [0.0, 0.0, 0.0], &[(1, 0.25)])]);
    let loaded = read(&file);
    let found = vertices(&loaded.model, None);
    for wanted in [[1.0, 0.5, 0.0], [0.0, 0.0, 7.0], [0.0, 1.0, 7.0]] {
        assert!(found.iter().any(|v| v.distance(wanted.into()) < 1e-5), "{wanted:?}: {found:?}");
    }
    assert_near(world(&loaded.model, "mesh", None).translation.into(), [0.0, 0.0, 7.0]);
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
}

/// A node's own scale of 2 about a turn of 90 degrees around Z, and a mirrored X.
const GEOMETRIC: [&str; 3] = [
    "\"GeometricTranslation\", \"Vector3D\", \"Vector\", \"\",0,0,300",
    "\"GeometricRotation\", \"Vector3D\", \"Vector\", \"\",0,0,90",
    "\"GeometricScaling\", \"Vector3D\", \"Vector\", \"\",-2,2,2",
];

/// A geometric transform turns and scales the offsets of blend shapes too, and a mirrored mesh keeps its outside.
#[test]
fn a_geometric_transform_moves_a_mesh_with_its_blend_shapes() {
    let mut file = Fbx::new();
    let mesh = file.node("mesh", "Mesh", 0, &GEOMETRIC);
    let geometry = file.polygon(mesh, &TRIANGLE);
    let channel = file.channel(geometry, "smile", &[(100.0, 1, [10.0, 20.0, 30.0])]);
    let take = file.take("Smile", 0.0, 1.0);
    let percent = [[0.0, 0.0], [1.0, 100.0]];
    file.animate(take, channel, ["DeformPercent", "d|DeformPercent"], Curve::Linear, &percent);
    let model = read(&file).model;
    let found = vertices(&model, Some(1.0));
    // Mirrored and doubled, then X is Y and Y is -X.
    for wanted in [[0.0, 0.0, 3.0], [-0.4, -2.2, 3.6], [-2.0, 0.0, 3.0]] {
        assert!(found.iter().any(|v| v.distance(wanted.into()) < 1e-5), "{wanted:?}: {found:?}");
    }
    let primitive = &model.meshes[0].primitives[0];
    let corners: Vec<Vec3> =
        primitive.indices.iter().map(|i| primitive.vertices[*i as usize].position.into()).collect();
    let outside = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    let normal = Vec3::from(primitive.vertices[0].normal);
    assert!(outside.z > 0.0 && normal.z > 0.99, "{outside} {normal}");
}

#[test]
fn a_mesh_that_several_nodes_show_has_a_geometric_transform_at_each() {
    let mut file = Fbx::new();
    let first = file.node("first", "Mesh", 0, &GEOMETRIC);
    let up = "\"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",0,0,700";
    let second = file.node("second", "Mesh", first, &[up]);
    let geometry = file.polygon(first, &TRIANGLE);
    file.connect(geometry, second);
    let model = read(&file).model;
    let stage = posed(&model, None);
    let of = |name: &str| {
        let drawn = DrawnPrimitive { node: node(&model, name), primitive: 0 };
        stage.deformed_at(&model, drawn, &[0, 1, 2]).unwrap()
    };
    for (name, wanted) in [("first (geometry)", [0.0, -2.0, 3.0]), ("second", [1.0, 0.0, 7.0])] {
        let found = of(name);
        assert!(found.iter().any(|v| v.distance(wanted.into()) < 1e-5), "{name}: {found:?}");
    }
}

/// The weights of all skins are added and divided by their sum.
#[test]
fn all_skins_of_a_mesh_move_it() {
    let mut file = Fbx::new();
    let bone = |file: &mut Fbx, name: &str, z: f64| {
        let at = format!("\"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",0,0,{z}");
        file.node(name, "LimbNode", 0, &[&at])
    };
    let (low, high) = (bone(&mut file, "low", 100.0), bone(&mut file, "high", 300.0));
    let mesh = file.node("mesh", "Mesh", 0, &[]);
    let geometry = file.polygon(mesh, &TRIANGLE);
    file.skin(geometry, &[(low, [0.0, 0.0, 0.0], &[(0, 1.0), (1, 0.75)])]);
    file.skin(geometry, &[(high, [0.0, 0.0, 0.0], &[(1, 0.25), (2, 1.0)])]);
    let loaded = read(&file);
    let found = vertices(&loaded.model, None);
    for wanted in [[0.0, 0.0, 1.0], [1.0, 0.0, 1.5], [0.0, 1.0, 3.0]] {
        assert!(found.iter().any(|v| v.distance(wanted.into()) < 1e-5), "{wanted:?}: {found:?}");
    }
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
}

#[test]
fn pictures_come_from_the_models_folder_only() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("model");
    std::fs::create_dir_all(inside.join("textures")).unwrap();
    let png = include_bytes!("../../assets/icon/rigview-16.png");
    std::fs::write(inside.join("textures/skin.png"), png).unwrap();
    std::fs::write(folder.path().join("secret.png"), png).unwrap();
    let with = |picture: &str| {
        let mut file = Fbx::new();
        let node = file.node("mesh", "Mesh", 0, &[]);
        file.polygon(node, &TRIANGLE);
        let content = "Version: 102\nShadingModel: \"phong\"\nProperties70:  {\n\
            P: \"DiffuseColor\", \"Color\", \"\", \"A\",0.5,0.25,0\n}";
        let material = file.object("Material", "Material::skin", "", content);
        file.connect(material, node);
        let content = format!("FileName: \"{picture}\"\nRelativeFilename: \"{picture}\"");
        let texture = file.object("Texture", "Texture::t", "", &content);
        file.connect_property(texture, material, "DiffuseColor");
        let path = inside.join("model.fbx");
        std::fs::write(&path, file.bytes()).unwrap();
        load(&path, &ImportOptions::default()).unwrap()
    };
    let found = with("C:\\\\work\\\\skin.png");
    let is_missing = |loaded: &Loaded| {
        loaded.warnings.iter().any(|warning| warning.code == WarningCode::ImageMissing)
    };
    assert_eq!(found.model.images.len(), 1, "{:?}", found.warnings);
    assert!(!is_missing(&found), "{:?}", found.warnings);
    assert_eq!(found.model.materials[0].base_color[..3], [1.0; 3]);
    // Below folders of the same names, and in other capitals.
    std::fs::create_dir_all(inside.join("sourceimages/deep")).unwrap();
    std::fs::write(inside.join("sourceimages/deep/base.png"), png).unwrap();
    for path in [
        "..\\\\sourceimages\\\\deep\\\\base.png",
        "D:\\\\work\\\\sourceimages\\\\deep\\\\base.png",
        "Textures\\\\SKIN.PNG",
        "skin.PNG",
    ] {
        let found = with(path);
        assert!(!is_missing(&found), "{path}: {:?}", found.warnings);
    }
    let missing = with("..\\\\secret.png");
    assert_eq!(missing.model.images.len(), 0);
    assert!(is_missing(&missing), "{:?}", missing.warnings);
    assert_eq!(missing.model.materials[0].base_color[..3], [0.5, 0.25, 0.0]);
}

#[test]
fn info_says_what_the_file_is_and_bake_writes_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = Fbx::new();
    let a = file.node("a", "Null", 0, &[]);
    file.take("Empty", 0.0, 1.0);
    let take = file.take("Move", 0.5, 1.5);
    file.animate(take, a, ["Lcl Translation", "d|X"], Curve::Linear, &[[0.5, 0.0], [1.5, 100.0]]);
    let path = folder.path().join("a.fbx");
    std::fs::write(&path, file.bytes()).unwrap();
    let info = rigview(["info".as_ref(), path.as_os_str()]).done();
    let text = info.text();
    assert!(text.contains("a.fbx: FBX 7.4, text"), "{text}");
    assert!(text.contains("\"Empty\": 0.0000 s to 1.0000 s, no keys, left out"), "{text}");
    assert!(text.contains("\"Move\": 0.5000 s to 1.5000 s, 2 keys"), "{text}");
    let out = folder.path().join("a.glb");
    rigview(["bake".as_ref(), path.as_os_str(), "-o".as_ref(), out.as_os_str()]).done();
    let baked = load(&out, &ImportOptions::default()).unwrap().model;
    assert_near(world(&baked, "a", Some(0.5)).translation.into(), [0.5, 0.0, 0.0]);
}

/// Of more than two sets of coordinates, those that textures need are drawn; a written file has all of them.
#[test]
fn sets_of_texture_coordinates_that_textures_name_are_drawn() {
    let mut file = Fbx::new();
    let mesh = file.node("mesh", "Mesh", 0, &[]);
    let uv = |index: usize| {
        format!(
            "LayerElementUV: {index} {{\nVersion: 101\nName: \"set{index}\"\n\
             MappingInformationType: \"AllSame\"\nReferenceInformationType: \"Direct\"\n\
             UV: *2 {{\na: 0.{index},0.25\n}}\n}}\n"
        )
    };
    let layers: String = (0..3)
        .map(|i| {
            format!(
                "Layer: {i} {{\nVersion: 100\nLayerElement:  {{\nType: \"LayerElementUV\"\nTypedIndex: {i}\n}}\n}}\n"
            )
        })
        .collect();
    let uvs: String = (0..3).map(uv).collect();
    let content = format!(
        "Vertices: *9 {{\na: 0,0,0,100,0,0,0,100,0\n}}\nPolygonVertexIndex: *3 {{\na: 0,1,-3\n}}\n\
         GeometryVersion: 124\n{uvs}{layers}"
    );
    let geometry = file.object("Geometry", "Geometry::", "Mesh", &content);
    file.connect(geometry, mesh);
    let material =
        file.object("Material", "Material::m", "", "Version: 102\nShadingModel: \"phong\"");
    file.connect(material, mesh);
    let folder = tempfile::tempdir().unwrap();
    let png = include_bytes!("../../assets/icon/rigview-16.png");
    std::fs::write(folder.path().join("t.png"), png).unwrap();
    let content = "RelativeFilename: \"t.png\"\nProperties70:  {\n\
        P: \"UVSet\", \"KString\", \"\", \"\", \"set2\"\n}";
    let texture = file.object("Texture", "Texture::t", "", content);
    file.connect_property(texture, material, "DiffuseColor");
    let path = folder.path().join("model.fbx");
    std::fs::write(&path, file.bytes()).unwrap();
    let options = ImportOptions { keep_original: true, ..ImportOptions::default() };
    let model = load(&path, &options).unwrap().model;
    let reference = model.materials[0].textures[rigview::model::TextureSlot::BaseColor].unwrap();
    let uv = model.meshes[0].primitives[0].vertices[0].uv[reference.uv_set as usize];
    assert!((uv[0] - 0.2).abs() < 1e-6, "{uv:?}");
    assert!(model.source.original.unwrap().json.contains("TEXCOORD_2"));
}
