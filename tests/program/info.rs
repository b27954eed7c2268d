//! `info`: its counts and names for the built-in rig and for files with known contents.

use serde_json::{Value, json};

use crate::support::{SmallModel, checkout, rigview, shared};

fn info(file: &std::path::Path) -> Value {
    let run = rigview([std::path::Path::new("info"), file, std::path::Path::new("--json")]).done();
    run.json()
}

#[test]
fn clips_are_listed_with_channels_interpolations_and_targets() {
    let creature = info(&checkout().join("assets/creature.glb"));
    let clips = creature["animations"].as_array().unwrap();
    assert_eq!(clips.len(), 3);
    for (i, (clip, name)) in clips.iter().zip(["Idle", "Walk", "Hop"]).enumerate() {
        assert_eq!(
            (&clip["index"], &clip["name"], &clip["start"]),
            (&json!(i), &json!(name), &json!(0.0))
        );
        let sum = |of: &str| -> u64 {
            clip[of].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum()
        };
        let channels = clip["channels"].as_u64().unwrap();
        assert!(channels > 0);
        assert_eq!((sum("interpolations"), sum("targets")), (channels, channels), "{clip}");
        for name in clip["interpolations"].as_object().unwrap().keys() {
            assert!(["STEP", "LINEAR", "CUBICSPLINE"].contains(&name.as_str()), "{name}");
        }
    }
}

#[test]
fn a_clips_channels_have_key_counts_and_ranges() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("turn.gltf");
    let step =
        |json: &mut Value| json["animations"][1]["samplers"][0]["interpolation"] = json!("STEP");
    SmallModel::new().clip("Turn").clip("Jump").edit(step).write_gltf(&file);
    let file = file.to_str().unwrap();
    let run = rigview(["info", file, "--clip", "Jump", "--json"]).done();
    let clip = run.json()["clip"].clone();
    assert_eq!(
        (&clip["index"], &clip["name"], &clip["duration"]),
        (&json!(1), &json!("Jump"), &json!(2.0))
    );
    assert_eq!(
        clip["channels"],
        json!([{
            "node": 0, "node_name": "square", "path": "rotation", "interpolation": "STEP", "keys": 2,
            "start": 0.0, "end": 2.0, "min": [0.0, 0.0, 0.0, 0.0], "max": [0.0, 0.0, 1.0, 1.0],
        }])
    );
    let run = rigview(["info", file, "--clip", "0"]).done();
    let line = "  node 0 \"square\" rotation: 2 keys at 0 to 2 s, LINEAR";
    assert!(run.text().lines().any(|said| said == line), "{}", run.text());
    let run = rigview(["info", file, "--clip", "Fly"]).failed(2);
    assert!(run.stderr.contains("Jump"), "{}", run.stderr);
    // Without --clip, the key is not there.
    assert!(info(std::path::Path::new(file)).get("clip").is_none());
}

/// Channels may share a sampler, and joints a name.
#[test]
fn samplers_are_counted_and_joints_of_the_same_name_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("twins.gltf");
    let twins = |json: &mut Value| {
        json["animations"][0]["channels"] = json!([
            {"sampler": 0, "target": {"node": 1, "path": "rotation"}},
            {"sampler": 0, "target": {"node": 2, "path": "rotation"}},
        ]);
        json["nodes"] = json!([
            {"mesh": 0, "name": "Arm", "children": [1, 3]}, {"name": "Arm", "children": [2]},
            {"name": "Arm"}, {"name": "Leg"},
        ]);
        json["skins"] = json!([{"joints": [1, 3]}, {"joints": [2, 3]}]);
    };
    let empty = |json: &mut Value| json["animations"][2]["channels"] = json!([]);
    SmallModel::new()
        .clip("Turn")
        .clip("Own")
        .clip("Empty")
        .edit(twins)
        .edit(empty)
        .write_gltf(&file);
    let told = info(&file);
    let samplers = |clip: usize| &told["animations"][clip]["samplers"];
    assert_eq!([samplers(0), samplers(1)], [1, 1]);
    // Node 0 has the name too, but is no joint.
    assert_eq!(told["same_names"], json!([{"name": "Arm", "joints": [1, 2]}]));
    let run = rigview([std::path::Path::new("info"), &file]).done();
    for line in [
        "  2 joints with the same name \"Arm\": nodes 1, 2",
        "  clip 0 \"Turn\": 2 s, 2 channels of 1 sampler (2 LINEAR)",
        "  clip 1 \"Own\": 2 s, 1 channel (1 LINEAR)",
        "  clip 2 \"Empty\": 0 s, 0 channels of 1 sampler",
    ] {
        assert!(run.text().lines().any(|said| said == line), "{line:?} in {}", run.text());
    }
}

#[test]
fn influences_palettes_and_odd_clips_are_counted() {
    let Some(shared) = shared("influences_palettes_and_odd_clips_are_counted") else { return };
    let synth = |name: &str| info(&shared.join(format!("models/Synth/{name}/{name}.glb")));
    let influences = |info: &Value| -> u64 {
        let meshes = info["meshes"].as_array().unwrap().iter();
        let primitives = meshes.flat_map(|mesh| mesh["primitives"].as_array().unwrap());
        primitives.map(|p| p["influences"].as_u64().unwrap()).max().unwrap()
    };
    assert_eq!(influences(&synth("SynthThreeSets")), 12);
    assert_eq!(influences(&synth("SynthTwoSets")), 8);
    let large = synth("SynthRig143");
    assert_eq!(large["skins"][0]["joints"], 143);
    assert!(large["skins"][0]["palettes"].as_u64().unwrap() >= 2, "{}", large["skins"]);
    // A clip that starts late keeps the file's times, and ends at its last key.
    let clips = synth("SynthOddClips")["animations"].clone();
    let late = |clip: &&Value| clip["start"].as_f64().unwrap() > 0.0;
    for clip in clips.as_array().unwrap().iter().filter(late) {
        assert!(clip["duration"].as_f64() >= clip["start"].as_f64(), "{clip}");
    }
    assert!(clips.as_array().unwrap().iter().any(|clip| late(&clip)));
}

#[test]
fn what_a_file_says_of_itself_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("told.gltf");
    let packets = json!([
        {"@context": {"dc": "http://purl.org/dc/elements/1.1/"}, "dc:title": "Fox",
         "dc:creator": {"@list": ["Ann", "Bo"]}},
        {"@context": {"xmp": "http://ns.adobe.com/xap/1.0/"}, "xmp:Rating": 4},
    ]);
    let about = |packet: usize| json!({"KHR_xmp_json_ld": {"packet": packet}});
    let model = json!({
        "asset": {"version": "2.0", "extensions": about(0)},
        "extensionsUsed": ["KHR_xmp_json_ld"],
        "extensions": {"KHR_xmp_json_ld": {"packets": packets}},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"extensions": about(1)}],
    });
    std::fs::write(&file, model.to_string()).unwrap();
    let told = info(&file);
    assert_eq!(
        told["metadata"],
        json!([
            {"about": "/asset", "properties": {"dc:title": "Fox", "dc:creator": "Ann, Bo"}},
            {"about": "/nodes/0", "properties": {"xmp:Rating": "4"}},
        ])
    );
    assert_eq!(told["extensions"][0]["status"], "supported");
    let run = rigview([std::path::Path::new("info"), &file]).done();
    for line in ["  metadata of /asset", "    dc:creator: Ann, Bo", "    xmp:Rating: 4"] {
        assert!(run.text().lines().any(|said| said == line), "{line:?} in {}", run.text());
    }
}

/// A file of another format is identified by its content, or else by its name; the message says how to
/// convert it.
#[test]
fn a_file_of_another_format_is_named_with_the_way_to_convert_it() {
    let folder = tempfile::tempdir().unwrap();
    for (name, content, says) in [
        ("cube.ply", &b"ply\nformat ascii 1.0\n"[..], "a PLY model: convert it"),
        ("renamed.glb", b"ply\nformat ascii 1.0\n", "a PLY model: convert it"),
        ("unknown.ply", b"\x01\x02\x03", "a PLY model: convert it"),
        ("cube.obj", b"# a cube\nv 0 0 0\nv 1 0 0\n", "a Wavefront OBJ model: convert it"),
        ("cube.dae", b"<?xml version=\"1.0\"?><COLLADA/>", "a COLLADA model: convert it"),
        ("cube.stl", b"solid cube\nfacet normal 0 0 1\n", "an STL model: convert it"),
        ("cube.usdz", b"PK\x03\x04", "a USD scene: convert it"),
        ("cube.blend", b"BLENDER-v402", "a Blender file: open it in Blender"),
        ("skin.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG picture"),
        ("data.bin", b"\0\0\x80\x3f", "open the .gltf file that it belongs to"),
        ("sky.hdr", b"#?RADIANCE\n", "--environment"),
        ("junk", b"\x01\x02\x03", "neither JSON nor a GLB header"),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        let run = rigview([std::path::Path::new("info"), &path]).failed(3);
        let line = run.ended();
        assert!(line.contains("not a glTF file") && line.contains(says), "{name}: {line}");
        assert!(!line.contains("\\u"), "{line}");
    }
    // A .vrm file is a GLB.
    let avatar = folder.path().join("creature.vrm");
    std::fs::copy(checkout().join("assets/creature.glb"), &avatar).unwrap();
    assert_eq!(info(&avatar)["container"], "glb");
}

/// A square with a clip that has one defect (an unknown interpolation) and one hint (a channel without a node).
fn odd_square(folder: &std::path::Path) -> std::path::PathBuf {
    let file = folder.join("odd.gltf");
    let model = SmallModel::new().clip("Turn").edit(|json| {
        json["animations"][0]["samplers"][0]["interpolation"] = json!(0);
        let channels = json["animations"][0]["channels"].as_array_mut().unwrap();
        channels.push(json!({"sampler": 0, "target": {"path": "scale"}}));
    });
    model.write_gltf(&file);
    file
}

/// The text rounds for people, and JSON has the numbers of the file.
#[test]
fn the_text_has_four_digits_and_units_and_json_all() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("long.gltf");
    let place = json!([-4.842_877_4e-8, 1.234_567, 0.0]);
    SmallModel::new().edit(|json| json["nodes"][0]["translation"] = place).write_gltf(&file);
    let run = rigview([std::path::Path::new("info"), &file]).done();
    let bounds = run.text().lines().find(|line| line.starts_with("  bounds ")).unwrap().to_owned();
    assert!(bounds.ends_with(" m") && !bounds.contains("e-"), "{bounds}");
    let bounds = info(&file)["bounds"].clone();
    let numbers = bounds["min"].as_array().unwrap().iter().chain(bounds["max"].as_array().unwrap());
    let texts: Vec<String> = numbers.map(ToString::to_string).collect();
    assert!(texts.iter().any(|text| text.len() > 6), "{texts:?}");
}

#[test]
fn counts_agree_with_their_nouns() {
    let folder = tempfile::tempdir().unwrap();
    let run = rigview([std::path::Path::new("info"), &odd_square(folder.path())]).done();
    for line in ["  1 scene, 1 node", "    TRIANGLES: 4 vertices, 2 triangles"] {
        assert!(run.text().lines().any(|said| said == line), "{line:?} in {}", run.text());
    }
    assert!(run.text().contains(" s, 1 channel (1 LINEAR)"), "{}", run.text());
}

/// The window lists and counts warnings without hints, and `info` separates them in the same way.
#[test]
fn hints_are_not_counted_as_warnings() {
    let folder = tempfile::tempdir().unwrap();
    let file = odd_square(folder.path());
    let run = rigview([std::path::Path::new("info"), &file]).done();
    let of = |kind: &str| run.text().lines().filter(|line| line.starts_with(kind)).count();
    assert_eq!((of("  warning: "), of("  hint: ")), (1, 1), "{}", run.text());
    let warnings = info(&file)["warnings"].clone();
    let hints: Vec<_> = warnings.as_array().unwrap().iter().map(|w| &w["hint"]).collect();
    assert_eq!(hints, [&Value::Null, &json!(true)], "{warnings}");
}

/// What applications store in a file, and who has the rights, is listed with its place.
#[test]
fn extras_and_copyright_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("extras.gltf");
    let model = SmallModel::new().clip("Turn").edit(|json| {
        json["asset"]["copyright"] = json!("2026 Somebody, CC0");
        json["asset"]["generator"] = json!("a rigging tool");
        json["nodes"][0]["extras"] = json!({ "role": "root", "layers": [1, 2] });
        json["meshes"][0]["extras"] = json!({ "targetNames": [] });
        json["animations"][0]["extras"] = json!("walk");
        json["extras"] = json!(7);
    });
    model.write_gltf(&file);
    let info = info(&file);
    assert_eq!(info["copyright"], "2026 Somebody, CC0");
    assert_eq!(info["generator"], "a rigging tool");
    assert_eq!(
        info["extras"],
        json!([
            { "about": "", "extras": 7 },
            { "about": "/nodes/0", "extras": { "role": "root", "layers": [1, 2] } },
            { "about": "/meshes/0", "extras": { "targetNames": [] } },
            { "about": "/animations/0", "extras": "walk" },
        ])
    );
    let text = rigview([std::path::Path::new("info"), &file]).done();
    for line in ["  copyright: 2026 Somebody, CC0", "  extras of /animations/0: \"walk\""] {
        assert!(text.text().lines().any(|said| said == line), "{line:?} in {}", text.text());
    }
}
