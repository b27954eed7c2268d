//! `check`: clips in other units than the rig, and clips that move nothing that is seen.

use serde_json::{Value, json};

use super::{
    HEAD, HIPS, JOINTS, LEFT_HAND, Rig, TAIL, Track, checked, first, frames, has, objects, turning,
    wave,
};

fn keyed(path: &'static str, node: usize, value: impl Fn(usize) -> [f32; 3]) -> Track<'static> {
    (node, path, "LINEAR", frames(), (0..31).flat_map(value).collect())
}

fn in_other_units(tracks: Vec<Track<'_>>) -> Vec<String> {
    objects(&Rig::new().clip("Move", tracks).check(&[]), "CLIP_UNITS")
}

/// Returns the place of a joint at rest, times a factor.
fn times_rest(joint: usize, factor: f32) -> [f32; 3] {
    JOINTS[joint].2.map(|x| factor * x)
}

#[test]
fn a_body_that_lies_has_its_hips_near_the_ground() {
    let lies = keyed("translation", HIPS, |_| times_rest(HIPS, 0.1));
    assert_eq!(in_other_units(vec![lies.clone()]), [""; 0]);
    let head = keyed("translation", HEAD, |_| times_rest(HEAD, 0.1));
    assert_eq!(in_other_units(vec![lies, head]), ["Hips"], "decimetres");
}

#[test]
fn a_prop_may_be_hidden_by_its_scale_and_a_figure_may_not() {
    for scale in [0.1, 0.01, 0.001] {
        assert_eq!(in_other_units(vec![keyed("scale", LEFT_HAND, |_| [scale; 3])]), [""; 0]);
        assert_eq!(in_other_units(vec![keyed("scale", HIPS, |_| [scale; 3])]), ["Hips"]);
    }
    let most = |count: usize| (1..=count).map(|joint| keyed("scale", joint, |_| [0.1; 3]));
    assert_eq!(in_other_units(most(4).collect()), ["Head"], "most joints agree");
}

#[test]
fn a_clip_that_travels_has_a_unit_too() {
    let run = |factor: f32| {
        let [_, y, _] = JOINTS[HIPS].2;
        let at = |i: usize| [0.0, y, 0.1 * i as f32].map(|x| factor * x);
        in_other_units(vec![keyed("translation", HIPS, at)])
    };
    for factor in [100.0, 39.37, 30.48, 0.01] {
        assert_eq!(run(factor), ["Hips"], "{factor}");
    }
    assert_eq!(run(1.0), [""; 0]);
}

/// A file of the joints and clips only.
fn without_mesh(tracks: Vec<Track<'_>>) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let file = Rig::new().clip("Move", tracks).write(folder.path(), "clips.gltf");
    let mut json: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    json.as_object_mut().unwrap().remove("meshes");
    let body = json["nodes"][JOINTS.len()].as_object_mut().unwrap();
    body.remove("mesh");
    body.remove("skin");
    std::fs::write(&file, json.to_string()).unwrap();
    checked(&file, &[])
}

#[test]
fn without_a_mesh_lengths_are_judged_by_the_box_of_the_joints() {
    let of = |way: fn(usize) -> f32, factor: f32| {
        let track = keyed("translation", HIPS, |i| [way(i), factor, 0.0]);
        let found = without_mesh(vec![track]);
        ["POP", "CLIP_UNITS", "BOUNDS_GROW"].map(|code| has(&found, code))
    };
    assert_eq!(of(|i| 0.01 * i as f32, 1.0), [false; 3]);
    assert_eq!(of(|i| if i == 12 { 1.0 } else { 0.0 }, 1.0), [true, false, false]);
    assert_eq!(of(|i| 0.01 * i as f32, 100.0), [false, true, false]);
}

#[test]
fn a_clip_that_drives_what_is_not_seen_is_still() {
    const COPY: usize = JOINTS.len() + 1;
    let of = |edit: fn(&mut Value), driven: &[usize]| {
        let nod = |node: &usize| turning(*node, |_, time| wave(time, 10.0));
        let rig = Rig::new().clip("Nod", driven.iter().map(nod).collect()).edit(|rig| {
            let nodes = rig.json["nodes"].as_array_mut().unwrap();
            nodes.push(json!({"name": "Hips.001", "children": [COPY + 1]}));
            nodes.push(json!({"name": "Head.001", "children": [COPY + 2]}));
            nodes.push(json!({"name": "Jaw.001"}));
            rig.json["scenes"][0]["nodes"].as_array_mut().unwrap().push(json!(COPY));
            edit(&mut rig.json);
        });
        let found = first(&rig.check(&[]), "CLIP_STILL");
        found.map(|found| (found["level"].clone(), found["message"].to_string()))
    };
    let copy = [COPY, COPY + 1, COPY + 2];
    let (level, text) = of(|_| (), &copy).unwrap();
    assert_eq!(level, "warning");
    assert!(text.contains("moves nothing that is seen") && text.contains("Hips.001"), "{text}");
    assert_eq!(of(|_| (), &[TAIL]), None);
    assert_eq!(of(|_| (), &copy[..1]), None, "one node is no skeleton");
    let camera = |json: &mut Value| {
        json["cameras"] = json!([{"type": "perspective", "perspective": {"yfov": 1, "znear": 1}}]);
        json["nodes"][COPY + 2]["camera"] = json!(0);
    };
    assert_eq!(of(camera, &copy), None, "it moves a camera");
}
