//! Clips on rigs of other names, rest poses and axes: maps by convention and by table, alignment, and failures.

use std::path::{Path, PathBuf};

use glam::{Mat4, Quat, Vec3};
use serde_json::{Value, json};

use crate::support::{Glb, Joints, Run, rigview, shared};

/// The joints of CesiumMan, and what Mixamo and Unreal call them.
const JOINTS: [(&str, &str, &str); 19] = [
    ("Skeleton_torso_joint_1", "mixamorig:Hips", "pelvis"),
    ("Skeleton_torso_joint_2", "mixamorig:Spine", "spine_01"),
    ("torso_joint_3", "mixamorig:Spine1", "spine_02"),
    ("Skeleton_neck_joint_1", "mixamorig:Neck", "neck_01"),
    ("Skeleton_neck_joint_2", "mixamorig:Head", "head"),
    ("Skeleton_arm_joint_L__4_", "mixamorig:LeftArm", "upperarm_l"),
    ("Skeleton_arm_joint_L__3_", "mixamorig:LeftForeArm", "lowerarm_l"),
    ("Skeleton_arm_joint_L__2_", "mixamorig:LeftHand", "hand_l"),
    ("leg_joint_L_1", "mixamorig:LeftUpLeg", "thigh_l"),
    ("leg_joint_L_2", "mixamorig:LeftLeg", "calf_l"),
    ("leg_joint_L_3", "mixamorig:LeftFoot", "foot_l"),
    ("leg_joint_L_5", "mixamorig:LeftToeBase", "ball_l"),
    ("Skeleton_arm_joint_R", "mixamorig:RightArm", "upperarm_r"),
    ("Skeleton_arm_joint_R__2_", "mixamorig:RightForeArm", "lowerarm_r"),
    ("Skeleton_arm_joint_R__3_", "mixamorig:RightHand", "hand_r"),
    ("leg_joint_R_1", "mixamorig:RightUpLeg", "thigh_r"),
    ("leg_joint_R_2", "mixamorig:RightLeg", "calf_r"),
    ("leg_joint_R_3", "mixamorig:RightFoot", "foot_r"),
    ("leg_joint_R_5", "mixamorig:RightToeBase", "ball_r"),
];

/// CesiumMan with joints of other names, and a folder for files derived from it.
struct Men {
    man: PathBuf,
    folder: tempfile::TempDir,
}

impl Men {
    fn new(test: &'static str) -> Option<Self> {
        let man = shared(test)?.join("models/CesiumMan/glTF-Binary/CesiumMan.glb");
        Some(Self { man, folder: tempfile::tempdir().unwrap() })
    }

    /// Writes CesiumMan with names of a convention and a change.
    fn named(
        &self,
        file: &str,
        name: impl Fn(&(&str, &'static str, &'static str)) -> String,
        change: impl FnOnce(&mut Glb),
    ) -> PathBuf {
        let mut glb = Glb::read(&self.man);
        for row in &JOINTS {
            glb.node(row.0)["name"] = json!(name(row));
        }
        change(&mut glb);
        let path = self.folder.path().join(file);
        glb.write(&path);
        path
    }

    fn mixamo(&self, change: impl FnOnce(&mut Glb)) -> PathBuf {
        self.named("mixamo.glb", |row| row.1.to_owned(), change)
    }

    fn unreal(&self, change: impl FnOnce(&mut Glb)) -> PathBuf {
        self.named("unreal.glb", |row| row.2.to_owned(), change)
    }
}

fn pose(rig: &Path, clips: &Path, more: &[&str]) -> Run {
    let mut args = vec!["pose".into(), rig.to_owned(), "--json".into()];
    args.extend(["--time", "0.4", "--time", "1.03"].map(PathBuf::from));
    args.extend(["--clips-from".into(), clips.to_owned()]);
    args.extend(more.iter().map(PathBuf::from));
    rigview(args)
}

fn own(rig: &Path) -> Vec<Value> {
    let times = ["--json", "--time", "0.4", "--time", "1.03"].map(Path::new);
    rigview([Path::new("pose"), rig].into_iter().chain(times)).done().json_lines()
}

fn world(pose: &Value, name: &str) -> Mat4 {
    let node = pose["nodes"].as_array().unwrap().iter().find(|n| n["name"] == name).unwrap();
    let numbers: Vec<f32> = node["world"].as_array().unwrap().iter().map(number).collect();
    Mat4::from_cols_array(&numbers.try_into().unwrap())
}

fn number(value: &Value) -> f32 {
    value.as_f64().unwrap() as f32
}

fn quat(value: &Value) -> Quat {
    value.as_array().map_or(Quat::IDENTITY, |list| {
        Quat::from_slice(&list.iter().map(number).collect::<Vec<_>>())
    })
}

/// Compares the places of all joints with those of CesiumMan, after a change of the latter.
fn assert_places(run: &Run, own: &[Value], column: usize, by: Mat4, most: f32) {
    for (got, want) in run.json_lines().iter().zip(own) {
        for row in &JOINTS {
            let name = [row.0, row.1, row.2][column];
            let (got, want) = (world(got, name).w_axis, by * world(want, row.0).w_axis);
            assert!((got - want).length() < most, "{name}: {got}, not {want}");
        }
    }
}

#[test]
fn joints_of_two_conventions_move_as_one() {
    let Some(men) = Men::new("joints_of_two_conventions_move_as_one") else { return };
    let (mixamo, unreal) = (men.mixamo(|_| {}), men.unreal(|_| {}));
    let man = own(&men.man);
    for (rig, clips, column) in [(&mixamo, &unreal, 1), (&unreal, &mixamo, 2)] {
        let run = pose(rig, clips, &[]).done();
        assert_eq!(run.stderr, "");
        assert_places(&run, &man, column, Mat4::IDENTITY, 1e-5);
        let exact = pose(rig, clips, &["--map", "exact"]).failed(1);
        assert!(exact.stderr.contains("shares no joint"), "{}", exact.stderr);
    }
}

#[test]
fn the_roll_of_a_bone_makes_no_difference() {
    let Some(men) = Men::new("the_roll_of_a_bone_makes_no_difference") else { return };
    let roll = Quat::from_euler(glam::EulerRot::XYZ, 1.0, -0.4, 2.2);
    let (arm, below) = ("upperarm_l", "lowerarm_l");
    let rolled = men.unreal(|glb| {
        let turned = (quat(&glb.node(arm)["rotation"]) * roll).normalize();
        glb.node(arm)["rotation"] = json!(turned.to_array());
        let at: Vec<f32> =
            glb.node(below)["translation"].as_array().unwrap().iter().map(number).collect();
        let at = roll.inverse() * Vec3::from_slice(&at);
        let turned = (roll.inverse() * quat(&glb.node(below)["rotation"])).normalize();
        glb.node(below)["translation"] = json!(at.to_array());
        glb.node(below)["rotation"] = json!(turned.to_array());
        glb.json.as_object_mut().unwrap().remove("animations");
    });
    let run = pose(&rolled, &men.mixamo(|_| {}), &[]).done();
    assert_places(&run, &own(&men.man), 2, Mat4::IDENTITY, 1e-5);
}

#[test]
fn a_rig_that_faces_the_other_way_walks_the_other_way() {
    let Some(men) = Men::new("a_rig_that_faces_the_other_way_walks_the_other_way") else { return };
    let around = Quat::from_rotation_y(std::f32::consts::PI);
    let turned = men.unreal(|glb| {
        let root = json!({"name": "Turned", "rotation": around.to_array(), "children": [0]});
        let nodes = glb.json["nodes"].as_array_mut().unwrap();
        nodes.push(root);
        let last = nodes.len() - 1;
        let scene = &mut glb.json["scenes"][0]["nodes"];
        assert_eq!(*scene, json!([0]));
        *scene = json!([last]);
    });
    let run = pose(&turned, &men.mixamo(|_| {}), &[]).done();
    assert_places(&run, &own(&men.man), 2, Mat4::from_quat(around), 1e-5);
}

#[test]
fn a_table_maps_joints_and_keeps_some_at_rest() {
    let Some(men) = Men::new("a_table_maps_joints_and_keeps_some_at_rest") else { return };
    let (rig, clips) = (men.mixamo(|_| {}), men.unreal(|_| {}));
    let table = men.folder.path().join("map.toml");
    let map = |text: &str| {
        std::fs::write(&table, text).unwrap();
        pose(&rig, &clips, &["--map", table.to_str().unwrap()])
    };
    let auto = pose(&rig, &clips, &[]).done().json_lines();
    let still =
        map("base = \"auto\"\n[joints]\n\"mixamorig:LeftArm\" = false\n").done().json_lines();
    let swapped = map(
        "base = \"auto\"\n[joints]\n\"mixamorig:LeftArm\" = \"upperarm_r\"\n\"mixamorig:RightArm\" = \"upperarm_l\"\n",
    );
    let swapped = swapped.done().json_lines();
    let rest = rigview(["pose".as_ref(), rig.as_os_str(), "--json".as_ref(), "--rest".as_ref()]);
    let rest = &rest.done().json_lines()[0];
    let turn = |pose: &Value, name: &str| {
        let (_, turn, _) = world(pose, name).to_scale_rotation_translation();
        let (_, from, _) = world(rest, name).to_scale_rotation_translation();
        turn * from.inverse()
    };
    let local = |pose: &Value, name: &str| {
        let node = pose["nodes"].as_array().unwrap().iter().find(|n| n["name"] == name).unwrap();
        quat(&node["rotation"])
    };
    for ((auto, still), swapped) in auto.iter().zip(&still).zip(&swapped) {
        let (left, right) = ("mixamorig:LeftArm", "mixamorig:RightArm");
        assert!(local(still, left).dot(local(rest, left)).abs() > 1.0 - 1e-6);
        assert!(local(still, right).dot(local(auto, right)).abs() > 1.0 - 1e-6);
        assert!(turn(swapped, left).angle_between(turn(auto, right)) < 1e-3);
        assert!(turn(swapped, right).angle_between(turn(auto, left)) < 1e-3);
    }
    // Without a base only the lines count, and what they leave out is named.
    let one = map("[joints]\n\"mixamorig:Hips\" = \"pelvis\"\n").done();
    assert!(one.stderr.contains("1 of 19 moved nodes matched"), "{}", one.stderr);
    for (text, code, says) in [
        ("[joints]\n\"Wing\" = \"pelvis\"\n", 2, "the model has no joint \"Wing\" at line 2"),
        ("[joints]\n\n\"mixamorig:Hips\" = \"Wing\"\n", 2, "no joint \"Wing\" at line 3"),
        ("[joints\n", 2, "map.toml: "),
        ("base = \"most\"\n", 2, "none of: auto, exact, none at line 1"),
    ] {
        let run = map(text).failed(code);
        assert!(run.stderr.contains(says) && run.text().is_empty(), "{}", run.stderr);
    }
    pose(&rig, &clips, &["--map", "nowhere.toml"]).failed(3);
    rigview(["pose".as_ref(), rig.as_os_str(), "--map".as_ref(), "exact".as_ref()]).failed(2);
}

#[test]
fn limbs_that_point_elsewhere_at_rest_are_named_and_aligned_on_request() {
    let Some(men) = Men::new("limbs_that_point_elsewhere_at_rest_are_named_and_aligned_on_request")
    else {
        return;
    };
    let clips = men.unreal(|_| {});
    // The arm points forwards by 40 degrees at rest.
    let rest = rigview([Path::new("pose"), &men.man, Path::new("--json"), Path::new("--rest")]);
    let rest = rest.done().json_lines().remove(0);
    let arm = JOINTS.iter().find(|row| row.2 == "upperarm_l").unwrap().0;
    let (_, turn, _) = world(&rest, arm).to_scale_rotation_translation();
    let bent = men.mixamo(|glb| {
        let own = quat(&glb.node("mixamorig:LeftArm")["rotation"]);
        let by = Quat::from_rotation_z(40f32.to_radians());
        let turned = (own * (turn.inverse() * by * turn)).normalize();
        glb.node("mixamorig:LeftArm")["rotation"] = json!(turned.to_array());
        glb.json.as_object_mut().unwrap().remove("animations");
    });
    let plain = pose(&bent, &clips, &[]).done();
    assert!(plain.stderr.contains("\"mixamorig:LeftArm\""), "{}", plain.stderr);
    assert!(plain.stderr.contains("--align-rest"), "{}", plain.stderr);
    let aligned = pose(&bent, &clips, &["--align-rest"]).done();
    assert_eq!(aligned.stderr, "");
    let hand = JOINTS.iter().find(|row| row.2 == "hand_l").unwrap();
    let places = |run: &Run| -> Vec<Vec3> {
        run.json_lines().iter().map(|pose| world(pose, hand.1).w_axis.truncate()).collect()
    };
    let (plain, aligned) = (places(&plain), places(&aligned));
    for ((own, plain), aligned) in own(&men.man).iter().zip(plain).zip(aligned) {
        let want = world(own, hand.0).w_axis.truncate();
        assert!(aligned.distance(want) < 1e-3, "{aligned}, not {want}");
        assert!(plain.distance(want) > 0.05, "{plain}");
    }
}

#[test]
fn pinned_feet_stand_where_those_of_the_clip_do() {
    // A figure whose hips sway while its feet stand, on a rig with longer legs and narrower hips.
    let folder = tempfile::tempdir().unwrap();
    let leg = |side: &str, x: f64, scale: f64, first: usize| {
        json!([
            {"name": format!("{side}UpLeg"), "translation": [x, 0, 0], "children": [first + 1]},
            {"name": format!("{side}Leg"), "translation": [0, -0.4 * scale, 0.02], "children": [first + 2]},
            {"name": format!("{side}Foot"), "translation": [0, -0.4 * scale, -0.02]}
        ])
    };
    let figure = |file: &str, scale: f64, x: f64, moves: bool, stands_up: Quat| -> PathBuf {
        let hips =
            json!({"name": "Hips", "translation": [0, 0.9 * scale, 0], "children": [1, 4, 7]});
        let mut nodes = vec![hips];
        for (side, x, first) in [("Left", x, 1), ("Right", -x, 4)] {
            nodes.extend(leg(side, x, scale, first).as_array().unwrap().clone());
        }
        nodes.push(json!({"name": "Head", "translation": [0, 0.5 * scale, 0]}));
        nodes.push(json!({"rotation": stands_up.to_array(), "children": [0]}));
        let json = json!({"asset": {"version": "2.0"}, "scenes": [{"nodes": [8]}], "nodes": nodes});
        let mut glb = Glb { json, bin: Vec::new() };
        if moves {
            // The hips go to the side over feet that stand. On a rig with wider hips they go farther.
            let (mut turns, mut moves) = (Vec::new(), Vec::new());
            let times: Vec<f32> = (0..=30).map(|frame| frame as f32 / 30.0).collect();
            for time in &times {
                let angle = 0.12 * (time * std::f32::consts::TAU).sin();
                turns.extend(Quat::from_rotation_z(angle).to_array());
                moves.extend([-0.8 * angle.sin(), 0.1 + 0.8 * angle.cos(), 0.0]);
            }
            let input = glb.put_floats("SCALAR", &times);
            let outputs = [glb.put_floats("VEC4", &turns), glb.put_floats("VEC3", &moves)];
            let channel = |sampler: usize, node: usize, path: &str| json!({"sampler": sampler, "target": {"node": node, "path": path}});
            glb.json["animations"] = json!([{
                "samplers": outputs.map(|output| json!({"input": input, "output": output})),
                "channels": [channel(0, 1, "rotation"), channel(0, 4, "rotation"), channel(1, 0, "translation")],
            }]);
        }
        let path = folder.path().join(file);
        glb.write(&path);
        path
    };
    // The rig with Y up, and with Z up.
    let z_up = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
    let sways = figure("sways.glb", 1.0, 0.1, true, Quat::IDENTITY);
    let rigs = [Quat::IDENTITY, z_up]
        .map(|up| (figure(&format!("{}.glb", up.x), 1.0, 0.25, false, up), up));
    let slides = |(other, up): &(PathBuf, Quat), more: &[&str]| -> f32 {
        let times: Vec<String> = (0..=10).map(|i| (f64::from(i) / 10.0).to_string()).collect();
        let mut args = vec![
            "pose".into(),
            other.clone(),
            "--json".into(),
            "--clips-from".into(),
            sways.clone(),
        ];
        args.extend(times.iter().flat_map(|time| ["--time".into(), PathBuf::from(time)]));
        args.extend(more.iter().map(PathBuf::from));
        let poses = rigview(args).done().json_lines();
        let foot = |pose| up.inverse() * world(pose, "LeftFoot").w_axis.truncate();
        let feet: Vec<Vec3> = poses.iter().map(foot).collect();
        feet.iter().map(|foot| (*foot - feet[0]).with_y(0.0).length()).fold(0.0, f32::max)
    };
    for rig in &rigs {
        let (free, pinned) = (slides(rig, &[]), slides(rig, &["--pin-feet"]));
        assert!(
            free > 0.01 && pinned < 1e-3,
            "{rig:?}: the foot slides by {pinned} m; without --pin-feet by {free} m"
        );
    }
}

/// A rig that is no humanoid, and the same with Z up, move alike.
#[test]
fn axes_of_any_rig_are_turned_by_quarters() {
    let folder = tempfile::tempdir().unwrap();
    let [y_up, z_up] = ["y.glb", "z.glb"].map(|name| folder.path().join(name));
    let walks = Joints::chain(&["trunk", "leaf", "twig", "tip"].map(Some)).edit(|json| {
        let places = [[0.0, 1.0, 0.0], [0.0, 0.5, 1.0], [0.4, 0.3, 0.0], [0.2, 0.0, 0.7]];
        for (node, place) in places.iter().enumerate() {
            json["nodes"][node]["translation"] = json!(place);
        }
    });
    let turns = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.382_683_43, 0.923_879_5]];
    let ways = [[0.0, 1.0, 0.0], [1.0, 1.5, 2.0]];
    let walks = walks.clip("Sway").channel(1, "rotation", &[0.0, 1.0], &turns);
    walks.channel(0, "translation", &[0.0, 1.0], &ways).0.write(&y_up);
    let up: [&Path; 5] = ["--up".as_ref(), "z".as_ref(), "-o".as_ref(), &z_up, &y_up];
    rigview(["convert".as_ref()].into_iter().chain(up)).done();
    let pose = |more: &[&Path]| {
        let args =
            ["pose".as_ref(), z_up.as_path(), "--json".as_ref(), "--time".as_ref(), "1".as_ref()];
        rigview(args.into_iter().chain(more.iter().copied())).done().json()
    };
    let (own, taken) = (pose(&[]), pose(&["--clips-from".as_ref(), &y_up]));
    for (a, b) in own["nodes"].as_array().unwrap().iter().zip(taken["nodes"].as_array().unwrap()) {
        for (a, b) in a["world"].as_array().unwrap().iter().zip(b["world"].as_array().unwrap()) {
            let off = (a.as_f64().unwrap() - b.as_f64().unwrap()).abs();
            assert!(off < 1e-5, "{own} {taken}");
        }
    }
}
