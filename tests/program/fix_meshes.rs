//! `fix`: meshes, skins and names.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{Glb, SmallModel, rigview};

fn square(model: SmallModel) -> Glb {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), model.glb()).unwrap();
    Glb::read(file.path())
}

/// A folder with a file and the mended one.
struct Folder(tempfile::TempDir);

impl Folder {
    fn with(input: &[u8]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        std::fs::write(folder.path("in.glb"), input).unwrap();
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn fix(&self, more: &[&str]) -> Value {
        let [input, output] = ["in.glb", "out.glb"].map(|name| self.path(name).into_os_string());
        let args = ["fix".into(), input, "-o".into(), output, "--json".into()];
        let run = rigview(args.into_iter().chain(more.iter().map(Into::into)));
        run.done().json()
    }

    /// Returns the codes that the check finds in the mended file.
    fn codes(&self) -> Vec<String> {
        let output = self.path("out.glb").into_os_string();
        let run = rigview(["check".into(), output, "--json".into()]);
        let found = run.json();
        let found = found["files"][0]["findings"].as_array().unwrap().iter();
        found.map(|finding| finding["code"].as_str().unwrap().to_owned()).collect()
    }
}

/// A square whose corners follow two of three joints; the slots without a weight name the third.
fn square_with_a_spare_joint() -> Glb {
    let mut glb = square(SmallModel::new());
    let joints = json!({"componentType": 5121, "count": 4, "type": "VEC4"});
    let joints = glb.put(joints, &[0, 2, 2, 2, 0, 2, 2, 2, 1, 2, 2, 2, 1, 2, 2, 2]);
    let weights = json!({"componentType": 5121, "normalized": true, "count": 4, "type": "VEC4"});
    let weights = glb.put(weights, &[255, 0, 0, 0].repeat(4));
    let attributes = &mut glb.json["meshes"][0]["primitives"][0]["attributes"];
    (attributes["JOINTS_0"], attributes["WEIGHTS_0"]) = (joints.into(), weights.into());
    let joint = |name: &str| json!({"name": name});
    glb.json["nodes"][0]["skin"] = 0.into();
    glb.json["nodes"].as_array_mut().unwrap().extend(["a", "b", "spare"].map(joint));
    glb.json["nodes"][1]["children"] = json!([2, 3]);
    glb.json["scenes"][0]["nodes"] = json!([0, 1]);
    glb.json["skins"] = json!([{"joints": [1, 2, 3]}]);
    glb
}

#[test]
fn influences_without_weight_do_not_name_a_joint_that_is_gone() {
    let folder = Folder::with(&square_with_a_spare_joint().to_bytes());
    let answer = folder.fix(&["--only", "JOINT_UNUSED"]);
    assert_eq!(answer["fixed"][0]["object"], "spare", "{answer}");
    assert_eq!(folder.codes(), Vec::<String>::new());
    let glb = Glb::read(&folder.path("out.glb"));
    assert_eq!(glb.json["skins"][0]["joints"], json!([1, 2]));
    let attributes = &glb.json["meshes"][0]["primitives"][0]["attributes"];
    let joints = &glb.bin[glb.place(&attributes["JOINTS_0"])];
    assert_eq!(joints, [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
}

#[test]
fn bounds_of_data_that_is_not_finite_are_left() {
    let too_large = |json: &mut Value| json["accessors"][0]["max"] = json!([9, 9, 9]);
    let mut glb = square(SmallModel::new().edit(too_large));
    glb.bin[..4].copy_from_slice(&f32::INFINITY.to_le_bytes());
    let folder = Folder::with(&glb.to_bytes());
    let answer = folder.fix(&[]);
    assert_eq!(answer["fixed"], json!([]), "{answer}");
    assert_eq!(answer["left"][0]["code"], "BOUNDS_WRONG", "{answer}");
    assert!(answer["left"][0]["reason"].as_str().unwrap().contains("infinite"), "{answer}");
}

#[test]
fn flat_triangles_of_a_strip_are_listed_as_left() {
    let strip = |json: &mut Value| json["meshes"][0]["primitives"][0]["mode"] = 5.into();
    let mut glb = square(SmallModel::new().edit(strip));
    // The second corner lies between the first and the third one.
    glb.bin[12..24].fill(0);
    let folder = Folder::with(&glb.to_bytes());
    let answer = folder.fix(&["--only", "TRIANGLES_FLAT"]);
    assert_eq!(answer["left"][0]["pointer"], "/meshes/0", "{answer}");
    assert!(answer["left"][0]["reason"].as_str().unwrap().contains("strips"), "{answer}");
}

/// Two characters of one rig have joints of the same names, which are unique in each skin.
#[test]
fn names_are_numbered_where_there_is_a_finding() {
    let mut glb = square_with_a_spare_joint();
    let more = ["a", "a", "b"].map(|name| json!({"name": name}));
    let nodes = glb.json["nodes"].as_array_mut().unwrap();
    nodes.extend(more);
    nodes[4]["children"] = json!([5, 6]);
    nodes.push(json!({"mesh": 0, "skin": 1}));
    glb.json["skins"].as_array_mut().unwrap().push(json!({"joints": [4, 5, 6]}));
    glb.json["scenes"][0]["nodes"] = json!([0, 1, 4, 7]);
    let folder = Folder::with(&glb.to_bytes());
    let answer = folder.fix(&["--only", "NAME_TWICE"]);
    assert_eq!(answer["fixed"].as_array().unwrap().len(), 1, "{answer}");
    let glb = Glb::read(&folder.path("out.glb"));
    let names: Vec<&str> =
        (1..7).map(|node| glb.json["nodes"][node]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["a", "b", "spare", "a", "a_2", "b"]);
    assert!(!folder.codes().contains(&"NAME_TWICE".to_owned()));
}

/// The square's corners 0 and 2 lie in one place, so both of its triangles are flat in the rest pose.
#[test]
fn triangles_that_joints_or_morph_targets_open_are_not_flat() {
    let collapse = |mut glb: Glb| {
        let [from, to] = [0..12, 24..36];
        let corner = glb.bin[from].to_vec();
        glb.bin[to].copy_from_slice(&corner);
        glb
    };
    let finds = |glb: Glb| {
        let folder = Folder::with(&glb.to_bytes());
        let answer = folder.fix(&["--only", "TRIANGLES_FLAT"]);
        let lists = ["fixed", "left"].map(|list| answer[list].as_array().unwrap().len());
        lists.iter().sum::<usize>() > 0
    };
    let morphed = |deltas: &[f32; 12]| {
        let mut glb = square(SmallModel::new());
        let target = glb.put_floats("VEC3", deltas);
        glb.json["meshes"][0]["primitives"][0]["targets"] = json!([{"POSITION": target}]);
        collapse(glb)
    };
    assert!(finds(collapse(square(SmallModel::new()))));
    assert!(finds(morphed(&[1.0; 12])), "moved as a whole");
    assert!(!finds(morphed(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0])));
    // Corners 0 and 2 follow two joints.
    assert!(!finds(collapse(square_with_a_spare_joint())));
}
