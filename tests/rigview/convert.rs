//! `convert`: files of all kinds written as glTF, and what it prints.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use rigview::compare::models;
use rigview::import::{ImportOptions, Warning, load};
use rigview::model::Stage;
use serde_json::Value;

use crate::support::{Glb, Shape, SmallModel, rigview};

const BVH: &str = "HIERARCHY\nROOT Hips { OFFSET 0 0 0 CHANNELS 3 Xposition Yposition Zposition\n\
    JOINT Head { OFFSET 0 1 0 CHANNELS 3 Zrotation Xrotation Yrotation End Site { OFFSET 0 .5 0 } } }\n\
    MOTION Frames: 3 Frame Time: .25 0 0 0 0 0 0 1 0 0 0 90 0 2 0 1 0 90 45\n";

fn convert(args: &[&OsStr]) -> Vec<Value> {
    let all = ["convert", "--json"].map(OsStr::new);
    let run = rigview(all.into_iter().chain(args.iter().copied())).done();
    run.json_lines()
}

fn same(a: &Path, b: &Path) {
    let [a, b] = [a, b].map(|path| load(path, &ImportOptions::default()).unwrap().model);
    let difference = models(&a, &b).unwrap();
    assert!(difference.is_equal(1e-9), "{difference:?}");
    assert_eq!(a.clips.len(), b.clips.len());
}

#[test]
fn a_motion_is_written_as_both_kinds_of_gltf() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("walk.bvh");
    std::fs::write(&input, BVH).unwrap();
    for ending in ["glb", "gltf"] {
        let out = folder.path().join("walk").with_extension(ending);
        let said = convert(&[input.as_os_str(), "-o".as_ref(), out.as_os_str()]);
        assert_eq!(said[0]["format"], "BVH");
        assert_eq!(said[0]["clips"][0]["name"], "motion");
        assert_eq!(said[0]["largest_mm"], 0.0);
        assert_eq!(said[0]["not_carried_over"], serde_json::json!([]));
        same(&input, &out);
        let bytes = std::fs::read(&out).unwrap().len() as u64;
        assert!(said[0]["bytes"].as_u64().unwrap() >= bytes);
    }
    assert!(folder.path().join("walk.bin").exists());
}

#[test]
fn many_files_are_written_at_once_with_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("a.bvh"), BVH).unwrap();
    SmallModel::new().clip("Turn").write_gltf(&at("b.gltf"));
    let (a, b) = (at("a.bvh"), at("b.gltf"));
    let args = ["convert".as_ref(), a.as_os_str(), b.as_os_str(), "-o".as_ref()];
    let one = at("one.glb");
    let run = rigview(args.into_iter().chain([one.as_os_str()])).failed(2);
    assert!(!one.exists(), "{}", run.ended());
    let per_clip = at("{name}_{clip}.glb");
    let run = rigview(args.into_iter().chain([per_clip.as_os_str()])).failed(2);
    assert!(run.stderr.contains("bake --split"), "{}", run.stderr);
    let pattern = at("{name}.glb");
    rigview(args.into_iter().chain([pattern.as_os_str()])).done();
    same(&a, &at("a.glb"));
    same(&b, &at("b.glb"));
    // The program itself knows folders and globs.
    let (glob, again) = (at("*.bvh"), at("{name}_again.glb"));
    let args = ["convert".as_ref(), glob.as_os_str(), "-o".as_ref(), again.as_os_str()];
    rigview(args).done();
    same(&a, &at("a_again.glb"));
}

#[test]
fn a_file_that_fails_does_not_stop_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("a.bvh"), "HIERARCHY\nROOT").unwrap();
    SmallModel::new().write_gltf(&at("b.gltf"));
    SmallModel::new().clip("Turn").write_gltf(&at("c.gltf"));
    let (a, b, c, out) = (at("a.bvh"), at("b.gltf"), at("c.gltf"), at("{name}.glb"));
    let args = ["convert".as_ref(), a.as_os_str(), b.as_os_str(), c.as_os_str()];
    let args = args.into_iter().chain(["-o".as_ref(), out.as_os_str(), "--clip".as_ref()]);
    let run = rigview(args.chain(["Turn".as_ref()]));
    assert_eq!(run.code, Some(3), "{}", run.ended());
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(lines.len(), 3, "{}", run.stderr);
    assert!(lines[0].contains("a.bvh: BVH, line 2"), "{}", run.stderr);
    assert!(lines[1].contains("b.gltf: "), "{}", run.stderr);
    assert!(lines[2].contains("2 of 3 files failed"), "{}", run.stderr);
    same(&c, &at("c.glb"));
    assert!(!at("a.glb").exists() && !at("b.glb").exists());
}

/// Clips that are chosen, or from another file, are written with their own keys.
#[test]
fn chosen_clips_and_those_of_other_files_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    SmallModel::new().clip("Turn").clip("Rest").write_gltf(&at("rig.gltf"));
    let (rig, out) = (at("rig.gltf"), at("out.glb"));
    // A clip that is named twice is written once.
    let turn = ["--clip", "Turn", "--clip", "0", "-o"].map(OsStr::new);
    let said = convert(&[&[rig.as_os_str()], &turn[..], &[out.as_os_str()]].concat());
    assert_eq!(said[0]["largest_mm"], 0.0);
    let model = load(&out, &ImportOptions::default()).unwrap().model;
    let names: Vec<_> = model.clips.iter().map(|clip| clip.name().unwrap()).collect();
    assert_eq!(names, ["Turn"]);
    let original = load(&rig, &ImportOptions::default()).unwrap().model;
    assert_eq!(model.clips[0].channels(), original.clips[0].channels());
    let borrowed = at("borrowed.glb");
    let from = ["--clips-from".as_ref(), out.as_os_str(), "-o".as_ref(), borrowed.as_os_str()];
    convert(&[&[rig.as_os_str()], &from[..]].concat());
    assert_eq!(load(&borrowed, &ImportOptions::default()).unwrap().model.clips.len(), 1);
    let exact = ["--map", "exact"].map(OsStr::new);
    let before = std::fs::read(&borrowed).unwrap();
    convert(&[&[rig.as_os_str()], &from[..], &exact[..]].concat());
    assert_eq!(std::fs::read(&borrowed).unwrap(), before);
}

/// What was read from an FBX file is keys already, so how far these are from its curves is said beside the distance.
#[cfg(feature = "fbx")]
#[test]
fn how_far_keys_are_from_the_curves_of_the_source_is_said() {
    use crate::support::{Curve, Fbx};
    let folder = tempfile::tempdir().unwrap();
    let (input, out) = (folder.path().join("turn.fbx"), folder.path().join("turn.glb"));
    let mut file = Fbx::new();
    let bone = file.node("bone", "LimbNode", 0, &[]);
    let take = file.take("Turn", 0.0, 2.0);
    file.animate(take, bone, ["Lcl Rotation", "d|X"], Curve::Cubic, &[[0.0, 0.0], [2.0, 90.0]]);
    std::fs::write(&input, file.bytes()).unwrap();
    let said = convert(&[input.as_os_str(), "-o".as_ref(), out.as_os_str()]);
    assert_eq!(said[0]["curves_mm"], 0.01, "{}", said[0]);
    // The result has keys itself.
    let again = folder.path().join("again.glb");
    let said = convert(&[out.as_os_str(), "-o".as_ref(), again.as_os_str()]);
    assert_eq!(said[0]["curves_mm"], Value::Null, "{}", said[0]);
}

fn creature() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/creature.glb")
}

/// Converts the creature with these arguments.
fn creature_with(out: &Path, args: &[&str]) -> Value {
    let creature = creature();
    let mut all = vec![creature.as_os_str(), OsStr::new("-o"), out.as_os_str()];
    all.extend(args.iter().map(OsStr::new));
    convert(&all).remove(0)
}

/// The distance that is printed is in millimetres of the result, and measured in the axes of the source.
#[test]
fn lengths_are_scaled_and_axes_turned() {
    let folder = tempfile::tempdir().unwrap();
    let (input, out) = (folder.path().join("walk.bvh"), folder.path().join("walk.glb"));
    std::fs::write(&input, BVH).unwrap();
    let turned = |args: &[&str]| {
        let mut all = vec![input.as_os_str(), OsStr::new("-o"), out.as_os_str()];
        all.extend(args.iter().map(OsStr::new));
        let said = convert(&all);
        assert_eq!(said[0]["largest_mm"], 0.0, "{}", said[0]);
        let model = load(&out, &ImportOptions::default()).unwrap().model;
        let head = model.nodes.iter().position(|node| node.name.as_deref() == Some("Head"));
        Stage::new(&model, 0).scene_from_node(head.unwrap()).translation
    };
    let plain = turned(&[]);
    assert!(plain.y > 0.0 && plain.x == 0.0 && plain.z == 0.0, "{plain}");
    assert!((turned(&["--scale", "100"]) - 100.0 * plain).length() < 1e-4);
    assert!((turned(&["--up", "x", "--scale", "2"]).x + 2.0 * plain.y).abs() < 1e-5);
    assert!((turned(&["--up", "z"]).z + plain.y).abs() < 1e-5);
    assert!((turned(&["--up", "z", "--front", "y"]).z - plain.y).abs() < 1e-5);
    let same = ["--up", "z", "--front", "-z"].map(OsStr::new);
    let all = [OsStr::new("convert"), input.as_os_str(), OsStr::new("-o"), out.as_os_str()];
    let run = rigview(all.into_iter().chain(same)).failed(2);
    assert!(run.stderr.contains("the same axis"), "{}", run.stderr);
}

#[test]
fn fewer_bits_move_the_skin_by_as_much_as_is_said_and_compression_by_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let sizes = [&[][..], &["--meshopt"], &["--quantize"], &["--quantize", "--meshopt"]];
    let original = load(&creature(), &ImportOptions::default()).unwrap();
    let is_known = |warning: &Warning| original.warnings.iter().any(|w| w.code == warning.code);
    let original = &original.model;
    let mut bytes = Vec::new();
    for (number, args) in sizes.iter().enumerate() {
        let out = at(&format!("{number}.glb"));
        let said = creature_with(&out, args);
        let said_mm = said["largest_mm"].as_f64().unwrap();
        let loaded = load(&out, &ImportOptions::default()).unwrap();
        assert!(loaded.warnings.iter().all(is_known), "{args:?}: {:?}", loaded.warnings);
        let difference = models(original, &loaded.model).unwrap();
        let clips = difference.clips.iter().map(|clip| clip.distance);
        let found = clips.chain([difference.rest.distance]).flatten().fold(0.0, f64::max);
        assert!((found * 1000.0 - said_mm).abs() < 1e-9, "{args:?}: {found} {said_mm}");
        assert!(said_mm <= if number < 2 { 0.0 } else { 0.3 }, "{args:?}: {said_mm}");
        assert_eq!(number >= 2, said_mm > 0.0, "{args:?}: {said_mm}");
        bytes.push(said["bytes"].as_u64().unwrap());
        assert_eq!(std::fs::metadata(&out).unwrap().len(), bytes[number]);
    }
    let (least, most) = (bytes[1].min(bytes[2]), bytes[1].max(bytes[2]));
    assert!(bytes[3] < least && most < bytes[0], "{bytes:?}");
    // A compressed file is written as it is, but not compressed again.
    let again = at("again.glb");
    let compressed = at("1.glb");
    let args = [OsStr::new("convert"), compressed.as_os_str(), "-o".as_ref(), again.as_os_str()];
    rigview(args).done();
    let run = rigview(args.into_iter().chain([OsStr::new("--quantize")])).failed(2);
    assert!(run.stderr.contains("compressed already"), "{}", run.stderr);
}

/// A file of sockets has no buffer, and a library of materials has pictures alone.
#[test]
fn files_without_data_are_converted_too() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let bare = serde_json::json!({"asset": {"version": "2.0"}, "nodes": [{"name": "socket"}],
        "scenes": [{"nodes": [0]}]});
    std::fs::write(at("bare.gltf"), bare.to_string()).unwrap();
    let material = serde_json::json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}});
    let shape = Shape::square().material(material).texture([10, 20, 30, 255]).gltf();
    let mut library: Value = serde_json::from_slice(&shape).unwrap();
    for list in ["meshes", "nodes", "accessors"] {
        library.as_object_mut().unwrap().remove(list);
    }
    library["scenes"] = serde_json::json!([{}]);
    std::fs::write(at("library.gltf"), library.to_string()).unwrap();
    for (name, args) in [
        ("bare", &["--meshopt"][..]),
        ("bare", &["--quantize"]),
        ("library", &["--images", "files"]),
    ] {
        let (input, out) = (at(&format!("{name}.gltf")), at("out.gltf"));
        let arguments = [input.as_os_str(), OsStr::new("-o"), out.as_os_str()];
        let options: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
        convert(&[&arguments[..], &options].concat());
        let written: Value = serde_json::from_slice(&std::fs::read(&out).unwrap()).unwrap();
        for list in ["buffers", "bufferViews", "accessors"] {
            assert_eq!(written.get(list), None, "{name} {args:?}: {written}");
        }
    }
    assert!(at("out_0.png").exists());
}

#[test]
fn pictures_are_made_smaller_and_put_into_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let input = at("in.gltf");
    let material = serde_json::json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}});
    let shape = Shape::square().material(material).wide_texture(64, 32, [10, 20, 30, 255]);
    std::fs::write(&input, shape.gltf()).unwrap();
    let out = at("out.gltf");
    let arguments = [input.as_os_str(), OsStr::new("-o"), out.as_os_str()];
    let said = convert(
        &[&arguments[..], &["--max-image", "16", "--images", "files"].map(OsStr::new)].concat(),
    );
    assert_eq!(said[0]["largest_mm"], 0.0);
    let png = std::fs::read(at("out_0.png")).unwrap();
    let reader = png::Decoder::new(std::io::Cursor::new(&png)).read_info().unwrap();
    assert_eq!((reader.info().width, reader.info().height), (16, 8));
    let model = load(&out, &ImportOptions::default()).unwrap().model;
    assert_eq!((model.images[0].width, model.images[0].height), (16, 8));
    // A PNG picture for readers without WebP becomes smaller too, though it is not drawn.
    let mut document: Value = serde_json::from_slice(&std::fs::read(&input).unwrap()).unwrap();
    let drawn = base64::engine::general_purpose::STANDARD.encode(&png);
    let drawn = serde_json::json!({"uri": format!("data:image/png;base64,{drawn}")});
    document["images"].as_array_mut().unwrap().push(drawn);
    document["extensionsUsed"] = serde_json::json!(["EXT_texture_webp"]);
    document["textures"][0]["extensions"] = serde_json::json!({"EXT_texture_webp": {"source": 1}});
    std::fs::write(&input, document.to_string()).unwrap();
    let said = convert(&[&arguments[..], &["--max-image", "16"].map(OsStr::new)].concat());
    assert_eq!(said[0]["not_carried_over"], serde_json::json!([]));
    let model = load(&out, &ImportOptions::default()).unwrap().model;
    assert_eq!((model.images[0].width, model.images[0].height), (16, 8));
    let glb = at("out.glb");
    let all = [OsStr::new("convert"), input.as_os_str(), "-o".as_ref(), glb.as_os_str()];
    let run = rigview(all.into_iter().chain(["--images", "files"].map(OsStr::new))).failed(2);
    assert!(run.stderr.contains(".gltf"), "{}", run.stderr);
}

#[test]
fn images_of_one_picture_share_what_becomes_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let material = serde_json::json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}});
    let shape = Shape::square().material(material).wide_texture(64, 32, [10, 20, 30, 255]);
    std::fs::write(at("in.gltf"), shape.gltf()).unwrap();
    let run = |from: &str, to: &str, more: &[&str]| {
        let (from, to) = (at(from), at(to));
        let args = [from.as_os_str(), OsStr::new("-o"), to.as_os_str()];
        convert(&[&args[..], &more.iter().map(OsStr::new).collect::<Vec<_>>()].concat());
    };
    run("in.gltf", "shared.glb", &[]);
    let mut glb = Glb::read(&at("shared.glb"));
    let image = glb.json["images"][0].clone();
    assert!(image["bufferView"].is_u64(), "{image}");
    let others = [image.clone(), image];
    glb.json["images"].as_array_mut().unwrap().extend(others);
    glb.write(&at("shared.glb"));
    run("shared.glb", "out.gltf", &["--images", "files"]);
    let document: Value = serde_json::from_slice(&std::fs::read(at("out.gltf")).unwrap()).unwrap();
    for image in document["images"].as_array().unwrap() {
        assert_eq!(image["uri"], "out_0.png", "{document}");
    }
    assert!(!at("out_1.png").exists());
    run("shared.glb", "small.glb", &["--max-image", "16"]);
    let small = Glb::read(&at("small.glb")).json;
    let views = small["images"].as_array().unwrap().iter().map(|image| &image["bufferView"]);
    let views: Vec<&Value> = views.collect();
    assert!(views.len() == 3 && views.iter().all(|view| *view == views[0]), "{views:?}");
}

/// Converts a square that was changed to a GLB in another folder. Returns what is said and what is written.
fn moved(args: &[&str], edit: impl FnOnce(&mut Value, &Path)) -> (Vec<String>, Value) {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (input, out) = (folder.path().join("in.gltf"), other.path().join("out.glb"));
    let model = SmallModel::new().clip("A").clip("B").edit(|json| edit(json, folder.path()));
    model.write_gltf(&input);
    let mut all = vec![input.as_os_str(), OsStr::new("-o"), out.as_os_str()];
    all.extend(args.iter().map(OsStr::new));
    let said = convert(&all).remove(0);
    let lost = said["not_carried_over"].as_array().unwrap().iter();
    let lost = lost.map(|what| what.as_str().unwrap().to_owned()).collect();
    (lost, Glb::read(&out).json)
}

#[test]
fn files_that_are_named_are_embedded_or_listed() {
    let dds = [b"DDS ".as_slice(), &[0; 200]].concat();
    let avif = [b"\0\0\0\x20ftypavif".as_slice(), &[0; 100]].concat();
    let (lost, json) = moved(&[], |json, folder| {
        for (name, bytes) in [("x.dds", dds), ("x.avif", avif), ("x.odd", vec![0; 20])] {
            std::fs::write(folder.join(name), bytes).unwrap();
        }
        json["images"] = serde_json::json!([{"uri": "x.dds"}, {"uri": "x.avif"}, {"uri": "x.odd"}]);
        json["extensions"] =
            serde_json::json!({"EXT_lights_ies": {"lights": [{"uri": "lamp.ies"}]}});
    });
    assert_eq!(
        lost,
        ["lamp.ies", "x.odd"].map(|uri| format!("the file \"{uri}\"; copy it to the result"))
    );
    let types: Vec<_> = (0..3).map(|i| json["images"][i]["mimeType"].as_str()).collect();
    assert_eq!(types, [Some("image/vnd-ms.dds"), Some("image/avif"), None]);
    assert_eq!(json["images"][2]["uri"], "x.odd");
}

/// A JPEG picture whose size follows 1.3 MB of metadata.
#[test]
fn a_picture_with_long_metadata_is_none_that_is_broken() {
    let (lost, json) = moved(&[], |json, folder| {
        let jpeg = include_bytes!("../program/jpeg/color-420.jpg");
        let segment = [&[0xff, 0xe1, 0xff, 0xff][..], &[0; 65533]].concat();
        let bytes = [&jpeg[..2], &segment.repeat(20), &jpeg[2..]].concat();
        std::fs::write(folder.join("a.jpg"), bytes).unwrap();
        json["images"] = serde_json::json!([{"uri": "a.jpg"}]);
        json["textures"] = serde_json::json!([{"source": 0}]);
        json["materials"] =
            serde_json::json!([{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]);
    });
    assert_eq!((lost, &json["images"][0]["mimeType"]), (vec![], &serde_json::json!("image/jpeg")));
}

#[test]
fn what_keeps_its_numbers_is_listed() {
    let unknown = |json: &mut Value| {
        json["extensionsUsed"] = serde_json::json!(["ACME_root"]);
        json["extensions"]["ACME_root"] = serde_json::json!({"animation": 1});
    };
    let light = serde_json::json!({"type": "point", "range": 5});
    let (lost, json) = moved(&["--scale", "100"], |json, _| {
        json["extensions"] = serde_json::json!({"KHR_lights_punctual": {"lights": [light]}});
        unknown(json);
    });
    let kept = ["intensities of point and spot lights", "lengths in \"ACME_root\""];
    let kept =
        kept.map(|what| format!("{what} keep their numbers, which --scale does not multiply"));
    assert_eq!(lost, kept);
    assert_eq!(json["extensions"]["KHR_lights_punctual"]["lights"][0]["range"], 500.0);
    let (lost, _) = moved(&["--clip", "B"], |json, _| unknown(json));
    assert_eq!(lost, ["indices of clips that \"ACME_root\" may have"]);
    let (lost, _) = moved(&["--clip", "A", "--clip", "B"], |json, _| unknown(json));
    assert!(lost.is_empty(), "{lost:?}");
}

#[test]
fn what_is_said_of_the_first_buffer_is_kept_and_of_others_listed() {
    let (lost, json) = moved(&[], |json, _| {
        let first = serde_json::json!({"name": "b0", "extras": 7, "extensions": {"ACME_b": {}}});
        let other = serde_json::json!({"name": "b1", "extras": 8, "byteLength": 4, "uri": "data:;base64,AAAAAA=="});
        json["buffers"][0].as_object_mut().unwrap().extend(first.as_object().unwrap().clone());
        json["buffers"].as_array_mut().unwrap().push(other);
    });
    assert_eq!(lost, ["name, extras of buffer \"b1\", which is joined with the first one"]);
    let buffer = &json["buffers"][0];
    assert_eq!((&buffer["name"], &buffer["extras"]), (&"b0".into(), &7.into()));
    assert_eq!(buffer["extensions"], serde_json::json!({"ACME_b": {}}));
}

/// Files of one name would overwrite each other's result.
#[test]
fn two_files_of_one_name_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("sub")).unwrap();
    let (a, b, out) = (at("walk.bvh"), at("sub/walk.bvh"), at("{name}.glb"));
    std::fs::write(&a, BVH).unwrap();
    std::fs::write(&b, BVH).unwrap();
    let args =
        [OsStr::new("convert"), a.as_os_str(), b.as_os_str(), "-o".as_ref(), out.as_os_str()];
    let run = rigview(args).failed(2);
    assert!(run.stderr.contains("walk.glb"), "{}", run.stderr);
    assert!(!at("walk.glb").exists());
}

#[test]
fn a_name_of_another_format_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let input = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/creature.glb");
    let out = folder.path().join("creature.fbx");
    for command in ["convert", "bake"] {
        let run = rigview([OsStr::new(command), input.as_os_str(), "-o".as_ref(), out.as_os_str()]);
        let stderr = run.failed(2).stderr;
        assert!(
            stderr.contains("this command writes .glb and .gltf; name it"),
            "{command}: {stderr}"
        );
        assert!(!out.exists());
    }
}

#[cfg(feature = "fbx")]
#[test]
fn curves_get_as_many_keys_as_the_bound_needs() {
    use crate::support::{Curve, Fbx};
    let folder = tempfile::tempdir().unwrap();
    let (input, out) = (folder.path().join("turn.fbx"), folder.path().join("turn.glb"));
    let mut file = Fbx::new();
    let bone = file.node("bone", "LimbNode", 0, &[]);
    let mesh = file.node("mesh", "Mesh", bone, &[]);
    file.polygon(mesh, &[[0., 0., 0.], [100., 0., 0.], [0., 100., 0.]]);
    let take = file.take("Turn", 0.0, 2.0);
    file.animate(take, bone, ["Lcl Rotation", "d|X"], Curve::Cubic, &[[0.0, 0.0], [2.0, 90.0]]);
    std::fs::write(&input, file.bytes()).unwrap();
    let keys = |bound: &str| {
        let args = [input.as_os_str(), "-o".as_ref(), out.as_os_str(), "--bound".as_ref()];
        let said = convert(&[&args[..], &[bound.as_ref()]].concat());
        let off = said[0]["curves_mm"].as_f64().unwrap() / bound.parse::<f64>().unwrap() - 1.0;
        assert!(off.abs() < 1e-9, "{}", said[0]);
        load(&out, &ImportOptions::default()).unwrap().model.clips[0].channels()[0].times().len()
    };
    let [fine, usual, coarse] = ["0.001", "0.01", "1.0"].map(keys);
    assert!(fine > 2 * usual && usual > 3 * coarse, "{fine} {usual} {coarse}");
}
