//! Small BVH files: layouts, channels, the unit, and what is said about them.

use glam::{Quat, Vec3};
use rigview::import::{ImportOptions, Loaded, load, load_bytes};
use rigview::model::{Model, Stage};

use crate::support::rigview;

const FILE: &str = "HIERARCHY\nROOT Hips\n{\n  OFFSET 0 90 0\n  CHANNELS 6 Xposition Yposition Zposition \
    Zrotation Xrotation Yrotation\n  JOINT Spine\n  {\n    OFFSET 0 50 0\n    CHANNELS 2 Yrotation Xrotation\n    \
    End Site\n    {\n      OFFSET 0 30 0\n    }\n  }\n}\nMOTION\nFrames: 2\nFrame Time: 0.5\n\
    0 90 0 0 0 0 0 0\n100 80 0 90 0 0 30 60\n";

fn read(text: &str, bvh_scale: Option<f32>) -> Model {
    let options = ImportOptions { bvh_scale, ..ImportOptions::default() };
    load_bytes(text.as_bytes().to_vec(), &options).unwrap().model
}

fn place(model: &Model, node: usize, time: Option<f64>) -> Vec3 {
    let mut stage = Stage::new(model, 0);
    stage.pose(model, time.and(model.clips.first()), time.unwrap_or(0.0));
    stage.scene_from_node(node).translation.into()
}

#[test]
fn channels_multiply_in_their_order_and_positions_replace_the_offset() {
    let model = read(FILE, Some(0.01));
    let names: Vec<_> = model.nodes.iter().map(|node| node.name.as_deref().unwrap()).collect();
    assert_eq!(names, ["Hips", "Spine", "Spine (end)"]);
    assert_eq!(model.clips[0].duration_secs(), 0.5);
    assert!(place(&model, 2, None).distance(Vec3::new(0.0, 1.7, 0.0)) < 1e-6);
    let hips = Quat::from_rotation_z(90f32.to_radians());
    let spine = hips
        * Quat::from_rotation_y(30f32.to_radians())
        * Quat::from_rotation_x(60f32.to_radians());
    let wanted = Vec3::new(1.0, 0.8, 0.0) + hips * Vec3::Y * 0.5 + spine * Vec3::Y * 0.3;
    let found = place(&model, 2, Some(0.5));
    assert!(found.distance(wanted) < 1e-6, "{found} instead of {wanted}");
}

/// A file that is 80 units tall in its rest pose is in inches; the unit can be set.
#[test]
fn the_unit_is_guessed_and_told_and_can_be_set() {
    assert!((place(&read(FILE, None), 0, None).y - 90.0 * 0.0254).abs() < 1e-5);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("walk.bvh");
    std::fs::write(&path, FILE).unwrap();
    let info = rigview(["info".as_ref(), path.as_os_str()]).done();
    let text = info.text();
    assert!(text.contains("walk.bvh: BVH, text"), "{text}");
    assert!(text.contains("unit: inches, guessed from the size of the skeleton"), "{text}");
    assert!(text.contains("motion: 2 frames of 0.5 s (2.00 per second)"), "{text}");
    let pose = ["pose", "--json", "--rest", "--bvh-scale", "0.01"].map(std::ffi::OsStr::new);
    let pose = rigview(pose.into_iter().chain([path.as_os_str()])).done();
    let pose: serde_json::Value = serde_json::from_str(pose.text()).unwrap();
    assert!((pose["nodes"][0]["translation"][1].as_f64().unwrap() - 0.9).abs() < 1e-6);
}

#[test]
fn files_are_recognised_by_their_content_and_faults_name_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("walk.txt");
    std::fs::write(&path, FILE.replace('\n', "\r\n")).unwrap();
    assert_eq!(load(&path, &ImportOptions::default()).unwrap().model.nodes.len(), 3);
    std::fs::write(&path, FILE.replace("OFFSET 0 50 0", "OFFSET 0 fifty 0")).unwrap();
    let failed = rigview(["info".as_ref(), path.as_os_str()]).failed(3);
    let text = failed.text();
    assert!(text.is_empty() || !text.contains('{'), "{text}");
    let error = load(&path, &ImportOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "BVH, line 8: a number expected, not \"fifty\"");
}

/// The same file in other encodings and with numbers as other programs print them.
#[test]
fn encodings_and_numbers_of_other_programs_are_read() {
    let expected = read(FILE, Some(0.01));
    let utf16 = |mark: &[u8], unit: fn(u16) -> [u8; 2]| -> Vec<u8> {
        mark.iter().copied().chain(FILE.encode_utf16().flat_map(unit)).collect()
    };
    let fortran = |letter: char| {
        FILE.replace("100 80 0", &format!("1.0{letter}+02 8000{letter}-2 0.{letter}0"))
    };
    for (name, bytes) in [
        ("UTF-16, little-endian", utf16(b"\xff\xfe", u16::to_le_bytes)),
        ("UTF-16, big-endian", utf16(b"\xfe\xff", u16::to_be_bytes)),
        ("UTF-16 without a mark", utf16(b"", u16::to_le_bytes)),
        ("UTF-8 with a mark", [b"\xef\xbb\xbf", FILE.as_bytes()].concat()),
        ("Fortran's exponents", fortran('D').into_bytes()),
        ("small ones", fortran('d').into_bytes()),
        ("decimal commas", FILE.replace("0.5", "0,5").into_bytes()),
    ] {
        let options = ImportOptions { bvh_scale: Some(0.01), ..ImportOptions::default() };
        let loaded = load_bytes(bytes, &options).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(loaded.warnings.is_empty(), "{name}: {:?}", loaded.warnings);
        for node in 0..3 {
            let [found, wanted] =
                [&loaded.model, &expected].map(|model| place(model, node, Some(0.5)));
            assert!(found.distance(wanted) < 1e-6, "{name}: {found} instead of {wanted}");
        }
    }
}

/// The second byte of a character of Shift-JIS may be that of a brace.
#[test]
fn names_in_shift_jis_are_read_with_a_warning() {
    let (before, after) = FILE.split_once("Hips").unwrap();
    let bytes = [before.as_bytes(), b"\x83{\x81[\x83\x93", after.as_bytes()].concat();
    let loaded = load_bytes(bytes, &ImportOptions::default()).unwrap();
    assert_eq!(loaded.model.nodes[0].name.as_deref(), Some("ボーン"));
    assert_eq!(loaded.warnings.len(), 1, "{:?}", loaded.warnings);
    assert!(loaded.warnings[0].message.contains("read as Shift-JIS"));
}

/// Some programs write their name first.
#[test]
fn lines_before_the_hierarchy_are_ignored_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("walk.bvh");
    std::fs::write(&path, format!("# Exported by a program\n\n{FILE}")).unwrap();
    let loaded = load(&path, &ImportOptions::default()).unwrap();
    assert_eq!(loaded.model.nodes.len(), 3);
    assert_eq!(loaded.warnings.len(), 1, "{:?}", loaded.warnings);
    assert!(loaded.warnings[0].message.contains("before HIERARCHY"));
}

/// Reads a file, and returns what is said about it too.
fn read_and_said(text: &str) -> (Model, Vec<String>) {
    let options = ImportOptions { bvh_scale: Some(0.01), ..ImportOptions::default() };
    let Loaded { model, warnings, .. } = load_bytes(text.as_bytes().to_vec(), &options).unwrap();
    (model, warnings.into_iter().map(|warning| warning.message).collect())
}

/// As many lines as frames, all of one length, are one frame each, however many channels there are.
#[test]
fn lines_with_a_number_too_many_are_read_and_those_with_too_few_refused() {
    let long = FILE.replace("0 0 0 0 0 0\n", "0 0 0 0 0 0 7\n").replace("30 60\n", "30 60 7\n");
    let (model, said) = read_and_said(&long);
    assert_eq!(said, ["each line has 9 numbers, the channels are 8: the first 8 are read"]);
    assert_eq!(model.clips[0].duration_secs(), 0.5);
    let wanted = place(&read(FILE, Some(0.01)), 2, Some(0.5));
    assert_eq!(place(&model, 2, Some(0.5)), wanted);
    let short = FILE.replace("0 0 0 0 0 0\n", "0 0 0 0 0\n").replace("30 60\n", "30\n");
    let error = load_bytes(short.into_bytes(), &ImportOptions::default()).unwrap_err();
    let wanted = "BVH, line 19: each line has 7 numbers, the channels are 8; export the file again";
    assert_eq!(error.to_string(), wanted);
}

#[test]
fn end_sites_in_one_word_comments_and_channels_of_scale_are_read() {
    let file = FILE
        .replace("End Site", "EndSite")
        .replace("JOINT Spine", "// above the hips {\n  JOINT Spine // the back")
        .replace("OFFSET 0 50 0", "OFFSET 0 50 0 // up")
        .replace("CHANNELS 2 Yrotation Xrotation", "CHANNELS 3 Yrotation Xscale Xrotation")
        .replace("Frame Time: 0.5", "Frame Time: 0.5 // slow")
        .replace("0 0 0 0 0 0\n", "0 0 0 0 0 1 0 // at rest\n")
        .replace("30 60\n", "30 2 60 // is turned\n");
    let (model, said) = read_and_said(&file);
    assert_eq!(said, ["channels of scale are not read: joints keep their size"]);
    let names: Vec<_> = model.nodes.iter().map(|node| node.name.as_deref().unwrap()).collect();
    assert_eq!(names, ["Hips", "Spine", "Spine (end)"]);
    let wanted = place(&read(FILE, Some(0.01)), 2, Some(0.5));
    assert_eq!(place(&model, 2, Some(0.5)), wanted);
    let named = read(&FILE.replace("Spine", "a//b"), None);
    assert_eq!(named.nodes[1].name.as_deref(), Some("a//b"));
}

#[test]
fn a_frame_time_like_a_frame_rate_is_said() {
    let of = |secs: &str| read_and_said(&FILE.replace("Time: 0.5", &format!("Time: {secs}"))).1;
    let wanted =
        "a frame takes 30 s: if 30 frames per second are meant, the frame time is 0.033333";
    assert_eq!(of("30"), [wanted]);
    assert!(of("2").is_empty());
}
