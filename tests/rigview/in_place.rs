//! Clips baked in place: what travels with a character, and what keeps its own motion.

use std::path::Path;

use rigview::model::{Model, Stage};
use serde_json::json;

use crate::bake_changes::{Folder, node, read};
use crate::support::{Glb, Joints};

/// A root without translation keys travels with the node above it, or stands while the hips below it go.
#[test]
fn a_way_is_taken_off_where_the_root_has_no_translation_keys() {
    let folder = Folder::new();
    let input = folder.path("in.glb");
    let ways = [[0.0, 1.0, 0.0], [4.0, 1.0, 0.0]];
    let turns = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.382_683_43, 0.0, 0.923_879_5]];
    let times = [0.0, 2.0];
    let chain = |travels: usize, turns_at: usize, scale: [f32; 3]| {
        let chain = Joints::chain(&["Armature", "root", "hips"].map(Some)).clip("Walk");
        let chain = chain.channel(turns_at, "rotation", &times, &turns);
        let chain = chain.channel(travels, "translation", &times, &ways).edit(|json| {
            json["skins"] = json!([{"joints": [1, 2]}]);
            json["nodes"][0]["scale"] = json!(scale);
        });
        chain.0.write(&input);
    };
    let in_place = ["--in-place", "--rate", "keep"];
    for (travels, turns_at) in [(0, 2), (2, 1), (0, 1), (2, 9)] {
        match turns_at {
            // Programs write keys for a root that stands.
            9 => {
                let chain = Joints::chain(&["Armature", "root", "hips"].map(Some)).clip("Walk");
                let chain = chain.channel(1, "rotation", &times, &turns);
                let chain = chain.channel(1, "translation", &times, &[[0.0; 3]; 2]);
                let chain = chain.channel(2, "translation", &times, &ways);
                chain.edit(|json| json["skins"] = json!([{"joints": [1, 2]}])).0.write(&input);
            }
            turns_at => chain(travels, turns_at, [2.0; 3]),
        }
        folder.run(&input, "out.glb", &in_place).done();
        let model = read(&folder.path("out.glb"));
        let mut stage = Stage::new(&model, 0);
        let places = [0.0, 1.0, 2.0].map(|time| {
            stage.pose(&model, model.clips.first(), time);
            stage.position(node(&model, "hips"))
        });
        let off = [1, 2].map(|i| places[i].distance(places[0]));
        assert!(off[1] < 1e-5, "{travels} {turns_at}: {places:?}");
        assert!(travels == 2 || off[0] < 1e-5, "{travels} {turns_at}: {places:?}");
    }
    chain(0, 2, [1.0, 0.0, 1.0]);
    let refused = folder.run(&input, "flat.glb", &in_place).failed(1);
    assert!(refused.stderr.contains("flattened; it would still travel"), "{}", refused.stderr);
    assert!(!folder.path("flat.glb").exists());
}

/// Where the node above the root turns between the root's keys, the way is taken off evenly there too.
#[test]
fn a_way_is_taken_off_evenly_while_the_node_above_turns() {
    let folder = Folder::new();
    let (input, times) = (folder.path("in.glb"), [0.0, 1.0]);
    let quarter = glam::Quat::from_rotation_y(std::f32::consts::FRAC_PI_2).to_array();
    let turns = [[0.0, 0.0, 0.0, 1.0], quarter];
    let chain = |interpolation: &str, values: &[[f32; 3]]| {
        let chain = Joints::chain(&["Armature", "Hips", "Head"].map(Some)).clip("Walk");
        let mut chain = chain.channel(0, "rotation", &times, &turns);
        let keys = chain.floats(values.as_flattened(), 3, false);
        chain.channel(1, "translation", &times, &values[..2]).edit(|json| {
            json["skins"] = json!([{"joints": [1, 2]}]);
            let sampler = &mut json["animations"][0]["samplers"][1];
            (sampler["interpolation"], sampler["output"]) = (interpolation.into(), keys.into());
        })
    };
    let (still, ends) = ([0.0; 3], [[1.0, 1.0, 0.0], [0.0, 1.0, 2.0]]);
    let cubic = [still, ends[0], still, still, ends[1], still];
    for (interpolation, values) in [("LINEAR", &ends[..]), ("CUBICSPLINE", &cubic[..])] {
        chain(interpolation, values).0.write(&input);
        folder.run(&input, "out.glb", &["--in-place", "--rate", "keep"]).done();
        let models = [read(&input), read(&folder.path("out.glb"))];
        let hips = node(&models[0], "Hips");
        let place = |model: &Model, time: f64| {
            let mut stage = Stage::new(model, 0);
            stage.pose(model, model.clips.first(), time);
            stage.position(hips)
        };
        let way = place(&models[0], 1.0) - place(&models[0], 0.0);
        for time in [0.0f32, 0.1, 0.25, 0.5, 0.8, 1.0] {
            let wanted = place(&models[0], time.into()) - way * time;
            let got = place(&models[1], time.into());
            assert!(got.distance(wanted) < 1e-3, "{interpolation} {time}: {got} {wanted}");
        }
        let keys = models[1].clips[0].channels().iter().map(|channel| channel.times().len());
        assert!(keys.clone().all(|keys| keys < 200), "{:?}", keys.collect::<Vec<_>>());
    }
}

/// Joints that are all children of the scene, in skins of these joints, and a clip that moves some along a line.
fn side_by_side(path: &Path, names: &[&str], skins: &[&[usize]], ways: &[(usize, [f32; 3])]) {
    let names: Vec<Option<&str>> = names.iter().map(|name| Some(*name)).collect();
    let mut joints = Joints::chain(&names).clip("Go").edit(|json| {
        for node in json["nodes"].as_array_mut().unwrap() {
            *node = json!({ "name": node["name"] });
        }
        json["scenes"][0]["nodes"] = (0..names.len()).collect();
        json["skins"] = skins.iter().map(|joints| json!({ "joints": joints })).collect();
    });
    for (node, end) in ways {
        // Up and down on the way.
        let middle = [0.5 * end[0], 0.3, 0.5 * end[2]];
        joints = joints.channel(*node, "translation", &[0.0, 1.0, 2.0], &[[0.0; 3], middle, *end]);
    }
    joints.0.write(path);
}

fn way(model: &Model, name: &str) -> glam::Vec3 {
    let mut stage = Stage::new(model, 0);
    let mut at = |time: f64| {
        stage.pose(model, model.clips.first(), time);
        stage.position(node(model, name))
    };
    -at(0.0) + at(2.0)
}

/// Targets of the feet travel beside the hips, and what stays or is drawn in a clip that
/// stands keeps its motion.
#[test]
fn everything_that_travels_with_a_character_stays_in_place() {
    let folder = Folder::new();
    let input = folder.path("in.glb");
    let placed = || {
        folder.run(&input, "out.glb", &["--in-place", "--rate", "keep"]).done();
        read(&folder.path("out.glb"))
    };
    let forth = [2.0, 0.0, 3.0];
    let names = ["hips", "foot", "pole"];
    // The pole stays behind, but for a millimetre.
    let ways = [(0, forth), (1, [1.9, 0.0, 3.0]), (2, [0.0, 0.0, 0.001])];
    side_by_side(&input, &names, &[&[0, 1, 2]], &ways);
    let model = placed();
    assert!(way(&model, "hips").length() < 1e-5, "{}", way(&model, "hips"));
    let pole = way(&model, "pole");
    assert!(pole.distance(glam::Vec3::new(0.0, 0.0, 0.001)) < 1e-5, "{pole}");
    let foot = way(&model, "foot");
    assert!(foot.distance(glam::Vec3::new(-0.1, 0.0, 0.0)) < 1e-5, "the way of the hips: {foot}");

    let drawn = [0.5, 0.0, 0.25];
    side_by_side(&input, &["hips", "sword"], &[&[0, 1]], &[(0, [0.0; 3]), (1, drawn)]);
    let model = placed();
    assert!(way(&model, "sword").distance(drawn.into()) < 1e-5, "{}", way(&model, "sword"));
    let held = Joints::chain(&["hips", "hand", "sword"].map(Some)).clip("Draw").edit(|json| {
        json["skins"] = json!([{"joints": [0, 1, 2]}]);
    });
    let turns = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.382_683_43, 0.0, 0.923_879_5]];
    let held = held.channel(1, "rotation", &[0.0, 2.0], &turns);
    held.channel(2, "translation", &[0.0, 2.0], &[[0.0; 3], drawn]).0.write(&input);
    let before = way(&read(&input), "sword");
    assert!(way(&placed(), "sword").distance(before) < 1e-5, "{before}");
}

/// A clip that moves only what can't be animated is written by itself, and the others are still mended.
#[test]
fn a_clip_without_effect_does_not_keep_others_from_being_mended() {
    let folder = Folder::new();
    let input = folder.path("in.glb");
    side_by_side(&input, &["hips", "sheared"], &[&[0]], &[(0, [2.0, 0.0, 3.0])]);
    let mut joints = Joints(Glb::read(&input)).clip("Idle");
    joints = joints.channel(1, "translation", &[0.0, 2.0], &[[0.0; 3], [1.0, 0.0, 0.0]]);
    joints.0.json["nodes"][1]["matrix"] = json!([1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    joints.0.write(&input);
    folder.run(&input, "out.glb", &["--every-clip", "--in-place", "--rate", "keep"]).done();
    let model = read(&folder.path("out.glb"));
    assert!(way(&model, "hips").length() < 1e-5, "{}", way(&model, "hips"));
}
