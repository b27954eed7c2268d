//! Clips on humanoids whose bones are declared, named by other programs, or few.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use glam::{Quat, Vec3};
use serde_json::{Value, json};

use crate::support::{Glb, rigview};

/// The bones with their parents and offsets in metres, in a T-pose that faces +Z.
const BONES: [(&str, &str, [f32; 3]); 20] = [
    ("hips", "", [0.0, 1.0, 0.0]),
    ("spine", "hips", [0.0, 0.1, 0.0]),
    ("chest", "spine", [0.0, 0.1, 0.0]),
    ("upperChest", "chest", [0.0, 0.1, 0.0]),
    ("neck", "upperChest", [0.0, 0.2, 0.0]),
    ("head", "neck", [0.0, 0.1, 0.0]),
    ("leftUpperLeg", "hips", [0.1, -0.05, 0.0]),
    ("leftLowerLeg", "leftUpperLeg", [0.0, -0.4, 0.0]),
    ("leftFoot", "leftLowerLeg", [0.0, -0.4, 0.0]),
    ("rightUpperLeg", "hips", [-0.1, -0.05, 0.0]),
    ("rightLowerLeg", "rightUpperLeg", [0.0, -0.4, 0.0]),
    ("rightFoot", "rightLowerLeg", [0.0, -0.4, 0.0]),
    ("leftShoulder", "upperChest", [0.05, 0.15, 0.0]),
    ("leftUpperArm", "leftShoulder", [0.1, 0.0, 0.0]),
    ("leftLowerArm", "leftUpperArm", [0.25, 0.0, 0.0]),
    ("leftHand", "leftLowerArm", [0.25, 0.0, 0.0]),
    ("rightShoulder", "upperChest", [-0.05, 0.15, 0.0]),
    ("rightUpperArm", "rightShoulder", [-0.1, 0.0, 0.0]),
    ("rightLowerArm", "rightUpperArm", [-0.25, 0.0, 0.0]),
    ("rightHand", "rightLowerArm", [-0.25, 0.0, 0.0]),
];

/// A file with a humanoid, and a clip of one second.
struct Body {
    glb: Glb,
    nodes: BTreeMap<&'static str, usize>,
    places: BTreeMap<&'static str, Vec3>,
}

impl Body {
    /// Makes a humanoid of some bones, whose nodes have their names.
    fn of(has: impl Fn(&str) -> bool) -> Self {
        let (mut nodes, mut places) = (BTreeMap::new(), BTreeMap::new());
        let mut list: Vec<Value> = Vec::new();
        for (bone, parent, offset) in BONES {
            let above = places.get(parent).copied().unwrap_or(Vec3::ZERO);
            places.insert(bone, above + Vec3::from(offset));
            if !has(bone) {
                continue;
            }
            let mut line = std::iter::successors(Some(parent), |bone| {
                BONES.iter().find(|row| row.0 == *bone).map(|row| row.1)
            });
            let parent = line.find(|bone| nodes.contains_key(bone) || bone.is_empty()).unwrap();
            let at = places[bone] - places.get(parent).copied().unwrap_or(Vec3::ZERO);
            if let Some(parent) = nodes.get(parent) {
                let parent: &mut Value = &mut list[*parent];
                let mut children = parent["children"].as_array().cloned().unwrap_or_default();
                children.push(nodes.len().into());
                parent["children"] = children.into();
            }
            nodes.insert(bone, list.len());
            list.push(json!({"name": bone, "translation": at.to_array()}));
        }
        let json = json!({
            "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": list,
            "animations": [{"name": "clip", "channels": [], "samplers": []}],
            "accessors": [], "bufferViews": [], "buffers": [{"byteLength": 0}],
        });
        Self { glb: Glb { json, bin: Vec::new() }, nodes, places }
    }

    fn whole() -> Self {
        Self::of(|_| true)
    }

    /// Changes each node's name and translation.
    fn each(mut self, change: impl Fn(&'static str, &mut Value)) -> Self {
        for (bone, node) in &self.nodes {
            change(bone, &mut self.glb.json["nodes"][*node]);
        }
        self
    }

    fn named(self, name: impl Fn(&str) -> String) -> Self {
        self.each(|bone, node| node["name"] = name(bone).into())
    }

    /// Makes it larger, and turns it about the Y axis.
    fn placed(self, size: f32, yaw_degrees: f32) -> Self {
        let turn = Quat::from_rotation_y(yaw_degrees.to_radians());
        self.each(|_, node| {
            let list = node["translation"].as_array().unwrap().iter();
            let numbers: Vec<f32> = list.map(|x| x.as_f64().unwrap() as f32).collect();
            node["translation"] = json!((turn * Vec3::from_slice(&numbers) * size).to_array());
        })
    }

    /// Makes all bones joints of a skin.
    fn skinned(mut self) -> Self {
        let joints: Vec<usize> = self.nodes.values().copied().collect();
        self.glb.json["skins"] = json!([{"joints": joints}]);
        self
    }

    /// Puts the hips below a node.
    fn below(mut self, above: Value) -> Self {
        let nodes = self.glb.json["nodes"].as_array_mut().unwrap();
        nodes.push(above);
        let top = nodes.len() - 1;
        nodes[top]["children"] = json!([0]);
        self.glb.json["scenes"][0]["nodes"] = json!([top]);
        self
    }

    /// Adds a copy of the skeleton, each below a node of its own.
    fn twice(mut self, tops: [&str; 2]) -> Self {
        let json = &mut self.glb.json;
        let nodes = json["nodes"].as_array_mut().unwrap();
        let count = nodes.len();
        for mut node in nodes.clone() {
            let children = node.get_mut("children").and_then(Value::as_array_mut);
            for child in children.into_iter().flatten() {
                *child = json!(child.as_u64().unwrap() + count as u64);
            }
            nodes.push(node);
        }
        for (copy, top) in tops.into_iter().enumerate() {
            nodes.push(json!({"name": top, "children": [copy * count]}));
        }
        json["scenes"][0]["nodes"] = json!([2 * count, 2 * count + 1]);
        let joints = |first: usize| (first..first + count).collect::<Vec<usize>>();
        json["skins"] = json!([{"joints": joints(0)}, {"joints": joints(count)}]);
        self
    }

    /// Declares the bones by an extension of VRM 1.0.
    fn declared(mut self, extension: &str) -> Self {
        let bones: BTreeMap<_, _> =
            self.nodes.iter().map(|(bone, node)| (*bone, json!({"node": node}))).collect();
        let meta = json!({"name": "body", "authors": ["x"],
            "licenseUrl": "https://vrm.dev/licenses/1.0/"});
        self.glb.json["extensionsUsed"] = json!([extension]);
        self.glb.json["extensions"][extension] =
            json!({"specVersion": "1.0", "meta": meta, "humanoid": {"humanBones": bones}});
        self
    }

    fn animate(mut self, bone: &str, path: &str, kind: &str, numbers: &[f32]) -> Self {
        let input = self.glb.put_floats("SCALAR", &[0.0, 1.0]);
        let output = self.glb.put_floats(kind, numbers);
        let node = self.nodes[bone];
        let clip = &mut self.glb.json["animations"][0];
        let samplers = clip["samplers"].as_array_mut().unwrap();
        samplers.push(json!({"input": input, "output": output}));
        let sampler = samplers.len() - 1;
        let target = json!({"node": node, "path": path});
        clip["channels"]
            .as_array_mut()
            .unwrap()
            .push(json!({"sampler": sampler, "target": target}));
        self
    }

    /// Turns a bone by 40 degrees about the Z axis until the end of the clip.
    fn turns(self, bone: &str) -> Self {
        let turn = Quat::from_rotation_z(40f32.to_radians());
        let keys = [Quat::IDENTITY.to_array(), turn.to_array()];
        self.animate(bone, "rotation", "VEC4", keys.as_flattened())
    }

    /// Moves the hips by a metre along Z.
    fn walks(self) -> Self {
        let start = self.glb.json["nodes"][0]["translation"].as_array().unwrap().iter();
        let start: Vec<f32> = start.map(|x| x.as_f64().unwrap() as f32).collect();
        let start = Vec3::from_slice(&start);
        let keys = [start.to_array(), (start + Vec3::Z).to_array()];
        self.animate("hips", "translation", "VEC3", keys.as_flattened())
    }

    fn write(&self, folder: &tempfile::TempDir, name: &str) -> PathBuf {
        let path = folder.path().join(name);
        let mut json = self.glb.json.clone();
        let lists = json.as_object_mut().unwrap();
        // Lists must have an item.
        if lists["accessors"].as_array().unwrap().is_empty() {
            let unused = ["animations", "accessors", "bufferViews", "buffers"];
            unused.iter().for_each(|list| drop(lists.remove(*list)));
        }
        Glb { json, bin: self.glb.bin.clone() }.write(&path);
        path
    }

    /// Returns the bones that another file's clip turns at its end, and the place of the hips.
    fn with(&self, folder: &tempfile::TempDir, clips: &Path, time: &str) -> (Vec<&str>, Vec3) {
        let own = self.write(folder, "own.vrm");
        let args = ["pose", own.to_str().unwrap(), "--json", "--time", time, "--clips-from"];
        let run = rigview(args.iter().chain(&[clips.to_str().unwrap()])).done();
        assert!(!run.stderr.contains("not in this rig"), "{}", run.stderr);
        let pose = run.json();
        let number = |value: &Value| value.as_f64().unwrap();
        let is_turned = |node: &usize| number(&pose["nodes"][*node]["rotation"][3]).abs() < 0.99;
        let turned = self.nodes.iter().filter(|(_, node)| is_turned(node)).map(|(bone, _)| *bone);
        let place = [12, 13, 14].map(|i| number(&pose["nodes"][0]["world"][i]) as f32);
        (turned.collect(), place.into())
    }
}

const AVATAR: &str = "VRMC_vrm";
const MOTION: &str = "VRMC_vrm_animation";

/// Names mean nothing where both files declare their bones.
#[test]
fn declared_bones_follow_each_other_whatever_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let arms = |left: &'static str, right: &'static str| {
        move |bone: &str| match bone {
            "leftUpperArm" => left.to_owned(),
            "rightUpperArm" => right.to_owned(),
            other => other.to_owned(),
        }
    };
    let avatar = Body::whole().named(arms("Bone.001", "Bone.002")).declared(AVATAR);
    let clips = Body::whole().named(arms("Bone.002", "Bone.001")).declared(MOTION);
    let clips = clips.turns("leftUpperArm").write(&folder, "clips.vrma");
    assert_eq!(avatar.with(&folder, &clips, "1").0, ["leftUpperArm"]);
}

/// Spine, chest and upper chest are bones of their own, also where a file has fewer of them.
#[test]
fn declared_bones_of_the_trunk_follow_those_of_their_kind() {
    let folder = tempfile::tempdir().unwrap();
    let avatar = Body::whole().declared(AVATAR);
    for missing in [&["upperChest"][..], &["chest", "upperChest"]] {
        let clips = Body::of(|bone| !missing.contains(&bone)).declared(MOTION);
        let turned = if missing.len() == 1 { "chest" } else { "spine" };
        let clips = clips.turns(turned).write(&folder, "clips.vrma");
        assert_eq!(avatar.with(&folder, &clips, "1").0, [turned]);
    }
}

/// A file that animates few bones has no others. The way is that of the hips' heights.
#[test]
fn hips_without_legs_go_as_far_as_their_height_says() {
    let folder = tempfile::tempdir().unwrap();
    let avatar = Body::whole().placed(0.5, 0.0).declared(AVATAR);
    let clips = Body::of(|bone| ["hips", "leftUpperArm"].contains(&bone)).declared(MOTION);
    let clips = clips.walks().write(&folder, "clips.vrma");
    let hips = avatar.with(&folder, &clips, "1").1;
    assert!(hips.distance(Vec3::new(0.0, 0.5, 0.5)) < 1e-5, "{hips}");
}

/// Other axes are quarters of a turn. A body that is turned by another angle was posed so.
#[test]
fn only_turns_of_about_a_quarter_turn_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let avatar = Body::whole().declared(AVATAR);
    for (yaw, way) in [(0.0, Vec3::Z), (50.0, Vec3::Z), (80.0, -Vec3::X), (180.0, -Vec3::Z)] {
        let clips = Body::whole().placed(1.0, yaw).declared(MOTION);
        let clips = clips.walks().write(&folder, "clips.vrma");
        let hips = avatar.with(&folder, &clips, "1").1;
        assert!(hips.distance(Vec3::Y + way) < 1e-4, "{yaw}: {hips}");
    }
}

/// The root of most BVH files is at 0 at rest, and at the height of the hips in the motion.
#[test]
fn motions_of_bvh_files_stand_on_the_ground() {
    let folder = tempfile::tempdir().unwrap();
    let avatar = Body::whole();
    let feet = 0.15;
    assert!((avatar.places["leftFoot"].y - feet).abs() < 1e-6);
    let mut joints = String::new();
    let mut open: Vec<&str> = Vec::new();
    for (bone, parent, offset) in BONES {
        while open.last().is_some_and(|last| *last != parent) {
            open.pop();
            joints += "}\n";
        }
        let [x, y, z] = if bone == "hips" { [0.0; 3] } else { offset };
        let (kind, channels) = match bone {
            "hips" => ("ROOT", "6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"),
            _ => ("JOINT", "3 Zrotation Xrotation Yrotation"),
        };
        joints += &format!("{kind} {bone}\n{{ OFFSET {x} {y} {z}\nCHANNELS {channels}\n");
        open.push(bone);
    }
    joints += &"}\n".repeat(open.len());
    let frame = |height: f32| format!("0 {height} 0 {}\n", "0 ".repeat(60));
    // The feet are the lowest joints, so the hips stand 0.85 above the ground.
    for (start, end, wanted) in [(0.85, 0.95, 1.1), (0.0, 0.1, 1.1)] {
        let motion = format!("MOTION\nFrames: 2\nFrame Time: 1\n{}{}", frame(start), frame(end));
        let clips = folder.path().join("walk.bvh");
        std::fs::write(&clips, format!("HIERARCHY\n{joints}{motion}")).unwrap();
        let hips = avatar.with(&folder, &clips, "1").1;
        assert!((hips.y - wanted).abs() < 1e-4, "from {start}: {hips}");
        // On a rig that came from such a file, the motion stays as it is.
        let same = folder.path().join("same.glb");
        let paths = [&clips, &same].map(|path| path.to_str().unwrap());
        rigview(["convert", paths[0], "-o", paths[1]]).done();
        let args = ["pose", paths[1], "--json", "--time", "1", "--clips-from", paths[0]];
        let pose = rigview(args).done().json();
        let height = pose["nodes"][0]["world"][13].as_f64().unwrap();
        assert!((height - f64::from(end)).abs() < 1e-5, "{height}");
    }
}

/// How a program names bones.
struct Names {
    start: &'static str,
    /// What stands for left and for right: after the start, or at the end if it begins with a dot.
    sides: [&'static str; 2],
    /// In the order of [`PARTS`], with spaces between them.
    parts: &'static str,
}

/// The bones, without their sides.
const PARTS: &str =
    "hips spine chest upperChest neck head Shoulder UpperArm LowerArm Hand UpperLeg LowerLeg Foot";

const CHARACTER_CREATOR: Names = Names {
    start: "CC_Base_",
    sides: ["L_", "R_"],
    parts: "Hip Waist Spine01 Spine02 NeckTwist01 Head Clavicle Upperarm Forearm Hand Thigh Calf Foot",
};
const PERCEPTION_NEURON: Names = Names {
    start: "",
    sides: ["Left", "Right"],
    parts: "Hips Chest Chest2 Chest3 Neck Head Collar Shoulder Elbow Wrist Hip Knee Ankle",
};
const MIKU_MIKU_DANCE: Names = Names {
    start: "",
    sides: ["左", "右"],
    parts: "センター 上半身 上半身2 上半身3 首 頭 肩 腕 ひじ 手首 足 ひざ 足首",
};
const MAKE_HUMAN: Names = Names {
    start: "",
    sides: [".L", ".R"],
    parts: "root spine05 spine03 spine01 neck01 head clavicle upperarm01 lowerarm01 wrist upperleg01 lowerleg01 foot",
};
const SMPL: Names = Names {
    start: "m_avg_",
    sides: ["L_", "R_"],
    parts: "Pelvis Spine1 Spine2 Spine3 Neck Head Collar Shoulder Elbow Wrist Hip Knee Ankle",
};

impl Names {
    fn of(&self, bone: &str) -> String {
        let (side, part) = match (bone.strip_prefix("left"), bone.strip_prefix("right")) {
            (Some(part), _) => (self.sides[0], part),
            (_, Some(part)) => (self.sides[1], part),
            _ => ("", bone),
        };
        let place = PARTS.split(' ').position(|known| known == part).unwrap();
        let part = self.parts.split(' ').nth(place).unwrap();
        match side.starts_with('.') {
            true => format!("{}{part}{side}", self.start),
            false => format!("{}{side}{part}", self.start),
        }
    }
}

/// Avatars of VRChat: the leg is the thigh, and the arm is below the shoulder.
const CATS: Names = Names {
    start: "",
    sides: ["Left ", "Right "],
    parts: "Hips Spine Chest UpperChest Neck Head shoulder arm elbow wrist leg knee ankle",
};
/// The shoulder is the upper arm here, since a clavicle is above it.
const SYNTY: Names = Names {
    start: "",
    sides: [".L", ".R"],
    parts: "Hips Spine_01 Spine_02 Spine_03 Neck Head Clavicle Shoulder Elbow Hand UpperLeg LowerLeg Ankle",
};
/// Limbs of Mixamo with trunks of Unity and of Unreal.
const UNITY_TRUNK: Names = Names {
    start: "",
    sides: ["l_", "r_"],
    parts: "hips_jnt spine_jnt chest_jnt upper_chest_jnt neck_jnt head_jnt shoulder arm forearm hand upleg leg foot",
};
const UNREAL_TRUNK: Names = Names {
    start: "",
    sides: ["l_", "r_"],
    parts: "hips spine_01 spine_02 spine_03 neck head shoulder arm forearm hand upleg leg foot",
};

/// Each bone of a rig follows that of a rig with names of another program.
#[test]
fn all_bones_are_found_by_the_names_of_their_program() {
    let folder = tempfile::tempdir().unwrap();
    let avatar = Body::whole().declared(AVATAR);
    let programs = [
        CHARACTER_CREATOR,
        PERCEPTION_NEURON,
        MIKU_MIKU_DANCE,
        MAKE_HUMAN,
        SMPL,
        CATS,
        SYNTY,
        UNITY_TRUNK,
        UNREAL_TRUNK,
    ];
    for program in programs {
        let named = Body::whole().named(|bone| program.of(bone));
        let clips = BONES.iter().fold(named, |body, (bone, ..)| body.turns(bone));
        let clips = clips.write(&folder, "clips.glb");
        let turned = avatar.with(&folder, &clips, "1").0;
        assert_eq!(turned.len(), BONES.len(), "{}: {turned:?}", program.of("leftHand"));
    }
}

/// Returns the names of a renamed file's bones, and what `fix` left.
fn renamed(folder: &tempfile::TempDir, body: &Body) -> (BTreeMap<&'static str, String>, Value) {
    let (input, output) = (body.write(folder, "in.glb"), folder.path().join("out.glb"));
    let args = ["fix", input.to_str().unwrap(), "-o", output.to_str().unwrap()];
    let run = rigview(args.iter().chain(&["--json", "--rename", "mixamo"]));
    let answer = run.json();
    let json = Glb::read(&output).json;
    let name = |node: &usize| json["nodes"][*node]["name"].as_str().unwrap().to_owned();
    let names = body.nodes.iter().map(|(bone, node)| (*bone, name(node))).collect();
    (names, answer["left"].clone())
}

/// The names of Mixamo, in the order of [`PARTS`].
const MIXAMO: Names = Names {
    start: "mixamorig:",
    sides: ["Left", "Right"],
    parts: "Hips Spine Spine1 Spine2 Neck Head Shoulder Arm ForeArm Hand UpLeg Leg Foot",
};

#[test]
fn joints_are_renamed_by_their_order_where_one_name_means_several_bones() {
    let folder = tempfile::tempdir().unwrap();
    for program in [CATS, SYNTY, UNITY_TRUNK, SMPL, MIXAMO] {
        let body = Body::whole().named(|bone| program.of(bone)).skinned();
        let (names, left) = renamed(&folder, &body);
        for (bone, ..) in BONES {
            assert_eq!(names[bone], MIXAMO.of(bone), "{}", program.of(bone));
        }
        assert_eq!(left, json!([]));
    }
}

/// Joints of a skin between hips and neck are those of the trunk, whatever they are called. Helpers are none.
#[test]
fn trunks_with_names_of_no_convention_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let own = |bone: &str| match bone {
        "spine" => "Bauch".to_owned(),
        "chest" => "Brust twist".to_owned(),
        "upperChest" => "Brust".to_owned(),
        _ => UNITY_TRUNK.of(bone),
    };
    let (names, left) = renamed(&folder, &Body::whole().named(own).skinned());
    let trunk = ["spine", "chest", "upperChest", "neck"].map(|bone| &names[bone][..]);
    assert_eq!(trunk, ["mixamorig:Spine", "Brust twist", "mixamorig:Spine1", "mixamorig:Neck"]);
    assert_eq!(left, json!([]));
}

#[test]
fn a_joint_that_is_where_a_bone_is_missing_is_left_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let own = |bone: &str| match bone {
        "leftUpperLeg" => "Bein".to_owned(),
        _ => CATS.of(bone),
    };
    let (names, left) = renamed(&folder, &Body::whole().named(own).skinned());
    assert_eq!(names["leftUpperLeg"], "Bein");
    assert_eq!(names["leftLowerLeg"], "mixamorig:LeftLeg");
    let left = left.as_array().unwrap();
    assert_eq!(left.len(), 1, "{left:?}");
    let reason = left[0].to_string();
    assert!(reason.contains("Bein") && reason.contains("leftUpperLeg is missing"), "{reason}");
}

/// Returns the bones that a clip turns at its end, of both copies of a skeleton, and what is said.
fn turned_copies(rig: &Path, clips: &Path, map: &str) -> ([Vec<String>; 2], String) {
    let paths = [rig, clips].map(|path| path.to_str().unwrap());
    let args = ["pose", paths[0], "--json", "--time", "1", "--map", map, "--clips-from", paths[1]];
    let run = rigview(args).done();
    let pose = run.json();
    let copies = [0, BONES.len()].map(|first| {
        let nodes = pose["nodes"].as_array().unwrap()[first..].iter().take(BONES.len());
        let turned = nodes.filter(|node| node["rotation"][3].as_f64().unwrap().abs() < 0.99);
        turned.map(|node| node["name"].as_str().unwrap().to_owned()).collect()
    });
    (copies, run.stderr)
}

/// A body and its outfit, whose joints have the same names.
#[test]
fn all_copies_of_a_skeleton_follow() {
    let folder = tempfile::tempdir().unwrap();
    let all: Vec<&str> = BONES.iter().map(|row| row.0).collect();
    let turning = |body: Body| BONES.iter().fold(body, |body, (bone, ..)| body.turns(bone));
    let rig = Body::whole().twice(["Body", "Outfit"]).write(&folder, "rig.glb");
    let same = turning(Body::whole()).write(&folder, "same.glb");
    let other = turning(Body::whole().named(|bone| SMPL.of(bone))).write(&folder, "other.glb");
    for (clips, map) in [(&same, "auto"), (&same, "exact"), (&other, "auto")] {
        let (turned, said) = turned_copies(&rig, clips, map);
        assert_eq!(turned, [all.clone(), all.clone()], "{map}");
        assert_eq!(said, "", "{map}");
    }
    // A table has one line per name.
    let table = folder.path().join("map.toml");
    std::fs::write(&table, "[joints]\nleftHand = \"leftHand\"\n").unwrap();
    let (turned, _) = turned_copies(&rig, &same, table.to_str().unwrap());
    assert_eq!(turned, [["leftHand"], ["leftHand"]]);
}

/// The rig has one skeleton and the clip file several: the first one drives it, and a warning names the second one if it moves in another way.
#[test]
fn clips_of_several_equal_skeletons_move_one_whole() {
    let folder = tempfile::tempdir().unwrap();
    let rig = Body::whole().skinned();
    let count = BONES.len();
    let clips = |tops: [&str; 2], second: &'static [&'static str]| {
        let body =
            ["chest", "leftHand"].iter().fold(Body::whole().twice(tops), |b, it| b.turns(it));
        let mut body = second.iter().fold(body, |body, bone| body.turns(bone));
        let channels = body.glb.json["animations"][0]["channels"].as_array_mut().unwrap();
        for channel in channels.iter_mut().skip(2) {
            let node = channel["target"]["node"].as_u64().unwrap();
            channel["target"]["node"] = json!(node + count as u64);
        }
        body.write(&folder, "clips.glb")
    };
    let said = |clips: &Path| {
        let own = rig.write(&folder, "own.glb");
        let paths = [own.as_path(), clips].map(|path| path.to_str().unwrap());
        let args = ["pose", paths[0], "--json", "--time", "1", "--clips-from", paths[1]];
        rigview(args).done().stderr
    };
    let same = clips(["A", "B"], &["chest", "leftHand"]);
    assert_eq!(rig.with(&folder, &same, "1").0, ["chest", "leftHand"]);
    assert_eq!(said(&same), "");
    let differs = clips(["A", "B"], &["head"]);
    assert_eq!(rig.with(&folder, &differs, "1").0, ["chest", "leftHand"]);
    let lost = "left out: the motion of further skeletons with the same joints";
    assert!(said(&differs).contains(lost), "{}", said(&differs));

    // Two follow two, also below nodes of other names, and in another order if these have the same names.
    for (tops, order) in [(["C", "D"], [0, 1]), (["B", "A"], [1, 0])] {
        let two = Body::whole().twice(tops).write(&folder, "two.glb");
        let (turned, said) = turned_copies(&two, &differs, "auto");
        assert_eq!(turned[order[0]], ["chest", "leftHand"], "{tops:?}");
        assert_eq!(turned[order[1]], ["head"], "{tops:?}");
        assert_eq!(said, "", "{tops:?}");
    }
}

/// The plane of `--mirror` is that of the body, which a node above turns and puts elsewhere.
#[test]
fn a_turned_body_is_mirrored_in_its_own_plane() {
    let folder = tempfile::tempdir().unwrap();
    for degrees in [0.0, 3.0, 30.0, 45.0, 100.0, 180.0] {
        let turn = Quat::from_rotation_y(f32::to_radians(degrees));
        let at = Vec3::new(0.3, 0.0, -0.2);
        let above =
            json!({"name": "Armature", "rotation": turn.to_array(), "translation": at.to_array()});
        let body =
            Body::whole().turns("leftUpperArm").turns("spine").turns("rightLowerLeg").walks();
        let body = body.below(above).skinned();
        let (input, output) = (body.write(&folder, "in.glb"), folder.path().join("out.glb"));
        let args = ["bake", input.to_str().unwrap(), "-o", output.to_str().unwrap()];
        let run = rigview(args.iter().chain(&["--mirror", "--rate", "keep"])).done();
        assert_eq!(run.stderr, "", "{degrees}");
        for time in ["0", "0.5", "1"] {
            let places = |file: &Path| -> BTreeMap<&str, Vec3> {
                let args = ["pose", file.to_str().unwrap(), "--json", "--time", time];
                let pose = rigview(args).done().json();
                let number =
                    |node: usize, i: usize| pose["nodes"][node]["world"][i].as_f64().unwrap();
                let place = |node: &usize| [12, 13, 14].map(|i| number(*node, i) as f32).into();
                body.nodes.iter().map(|(bone, node)| (*bone, place(node))).collect()
            };
            let (before, after) = (places(&input), places(&output));
            for (bone, place) in before {
                let other = match (bone.strip_prefix("left"), bone.strip_prefix("right")) {
                    (Some(part), _) => format!("right{part}"),
                    (_, Some(part)) => format!("left{part}"),
                    _ => bone.to_owned(),
                };
                let normal = turn * Vec3::X;
                let wanted = place - 2.0 * (place - at).dot(normal) * normal;
                let off = after[other.as_str()].distance(wanted);
                assert!(off < 1e-4, "{degrees}, {time} s: {bone} is {off} m off");
            }
        }
    }
}
