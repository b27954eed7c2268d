//! A report folder with hand-made results, real pictures and a real motion.

use std::path::Path;

use rigview::anim::{Channel, Clip, Keys, Track};
use rigview::check::{Finding, Level};
use rigview::glam::Quat;
use rigview::model::Model;
use rigview::suite::{
    CaseResult, CheckResult, Commands, Kind, MotionFiles, PictureResult, PoseResult, Results,
    Status, motion_scripts,
};

use super::creature;

/// Writes a picture of one colour with a square of another in a corner.
fn write_picture(file: &Path, square: [u8; 3]) {
    let mut pixels = image::RgbImage::from_pixel(64, 48, image::Rgb([40, 60, 90]));
    for (x, y) in (8..16).flat_map(|x| (8..16).map(move |y| (x, y))) {
        pixels.put_pixel(x, y, image::Rgb(square));
    }
    pixels.save(file).unwrap();
}

pub const HOSTILE: &str = "</script><script>document.title='broken in'</script><img src=x onerror=\"document.title='broken in'\">\u{1b}\u{202e}'";

fn check(kind: Kind, status: Status) -> CheckResult {
    CheckResult {
        kind,
        time: Some(0.5),
        status,
        message: None,
        picture: None,
        pose: None,
        findings: Vec::new(),
    }
}

fn case(name: &str, status: Status, checks: Vec<CheckResult>) -> CaseResult {
    let file = format!("{name}.glb");
    CaseResult {
        name: name.to_owned(),
        file,
        status,
        clip: Some("Idle".to_owned()),
        message: None,
        checks,
        motion: None,
        commands: None,
    }
}

/// The first clip of a model, with the middle key of one rotation turned by some degrees about X.
fn turned(model: &Model, node: &str, degrees: f32) -> Clip {
    let node = model.nodes.iter().position(|n| n.name.as_deref() == Some(node)).unwrap();
    let mut parts = model.clips[0].clone().into_parts();
    let track = parts.channels.iter_mut().find_map(|channel| match channel {
        Channel::Rotation { node: own, track } if *own == node => Some(track),
        _ => None,
    });
    let track = track.expect("the clip turns the node");
    let mut keys = track.keys().clone();
    let (Keys::Step(values) | Keys::Linear(values) | Keys::Cubic { values, .. }) = &mut keys;
    let middle = values.len() / 2;
    values[middle] *= Quat::from_rotation_x(degrees.to_radians());
    *track = Track::new(track.times().to_vec(), keys, 1).unwrap();
    Clip::new(parts)
}

/// Writes a report: a failed case with pictures, a motion and findings, one with hostile names, one with an error,
/// and cases that passed.
pub fn write_report(folder: &Path) -> Results {
    for name in ["pictures", "motions"] {
        std::fs::create_dir(folder.join(name)).unwrap();
    }
    write_picture(&folder.join("pictures/a@0.5.reference.png"), [200, 200, 200]);
    write_picture(&folder.join("pictures/a@0.5.png"), [250, 20, 20]);
    let model = creature();
    let other = Model { clips: vec![turned(&model, "head", 1.0)], ..model.clone() };
    let scripts = motion_scripts(&other, Some(&model));
    std::fs::write(folder.join("motions/a.js"), scripts.result).unwrap();
    std::fs::write(folder.join("motions/a@reference.js"), scripts.reference.unwrap()).unwrap();

    let mut picture = check(Kind::Picture, Status::Failed);
    picture.message = Some("2.1 % of the pixels differ".to_owned());
    picture.picture = Some(PictureResult {
        reference: Some("pictures/a@0.5.reference.png".to_owned()),
        result: Some("pictures/a@0.5.png".to_owned()),
        difference: None,
        max: 0.7,
        mean: 0.01,
        visible: 0.0208,
        flip: 0.02,
    });
    let mut pose = check(Kind::Pose, Status::Failed);
    pose.pose = Some(PoseResult { distance: 0.0124, node: Some("head".to_owned()), angle: 1.0 });
    let mut lint = check(Kind::Check, Status::Failed);
    lint.findings = vec![Finding {
        file: "a.glb".to_owned(),
        code: "POP".into(),
        level: Level::Error,
        pointer: Some("/animations/0".to_owned()),
        object: Some("head".to_owned()),
        clip: Some("Idle".to_owned()),
        time: Some(0.5),
        value: Some(51.0),
        limit: Some(45.0),
        unit: Some("degrees".into()),
        message: "the joint jumps".to_owned(),
        target: None,
    }];
    let mut moving = case("set/moving", Status::Failed, vec![picture, pose, lint]);
    moving.motion = Some(MotionFiles {
        reference: Some("motions/a@reference.js".to_owned()),
        result: "motions/a.js".to_owned(),
    });
    moving.commands = Some(Commands {
        bless: "rigview test suite.toml --bless set/moving".to_owned(),
        draw: "rigview screenshot a.glb -o a.png".to_owned(),
    });
    let mut hostile = case(HOSTILE, Status::Failed, vec![check(Kind::Picture, Status::Failed)]);
    hostile.checks[0].message = Some(HOSTILE.to_owned());
    hostile.motion =
        Some(MotionFiles { reference: None, result: "motions/../../evil.js".to_owned() });
    let mut unread = case("set/unread", Status::Error, Vec::new());
    unread.message = Some("set/unread.glb: no such file".to_owned());
    let passed = |i| {
        case(&format!("many/passed-{i}"), Status::Passed, vec![check(Kind::Pose, Status::Passed)])
    };
    let mut cases: Vec<CaseResult> = (0..10_000).map(passed).collect();
    cases.extend([unread, moving, hostile]);
    Results { passed: 10_000, failed: 3, cases, ..Results::default() }
}
