//! The page of a report: its motions as numbers, and the page itself in headless Chromium.

use std::collections::BTreeMap;
use std::path::Path;

use base64::Engine as _;
use rigview::anim::{Channel, Clip, Keys, Track};
use rigview::check::{Finding, Level};
use rigview::glam::{Quat, Vec3};
use rigview::import::{ImportOptions, load};
use rigview::model::{Model, Stage};
use rigview::suite::{
    CaseResult, CheckResult, Kind, MotionFiles, PictureResult, PoseResult, Poses, Results, Status,
    motion_scripts, page,
};

use crate::support::{Browser, checkout, say_at_the_end, shared};

/// Models of every kind of motion: joints and their influences, rigid nodes, morph targets, compressed and quantized
/// meshes, instances.
const MODELS: [&str; 13] = [
    "CesiumMan/glTF-Binary/CesiumMan.glb",
    "CesiumMan/glTF-Draco/CesiumMan.gltf",
    "Fox/glTF/Fox.gltf",
    "Meshopt/Fox-cc.glb",
    "RiggedSimple/glTF-Binary/RiggedSimple.glb",
    "BoxAnimated/glTF-Binary/BoxAnimated.glb",
    "AnimatedMorphCube/glTF-Quantized/AnimatedMorphCube.gltf",
    "MorphStressTest/glTF-Binary/MorphStressTest.glb",
    "RecursiveSkeletons/glTF-Binary/RecursiveSkeletons.glb",
    "SimpleInstancing/glTF-Binary/SimpleInstancing.glb",
    "Synth/SynthRig143",
    "Synth/SynthThreeSets",
    "Synth/SynthManyRigid",
];

fn browser(test: &'static str) -> Option<Browser> {
    let browser = Browser::start();
    if browser.is_none() {
        say_at_the_end(format!("{test}: no Chromium, so the page was not opened"));
    }
    browser
}

fn model(file: &Path) -> Model {
    load(file, &ImportOptions::default())
        .unwrap_or_else(|e| panic!("{}: {e}", file.display()))
        .model
}

fn creature() -> Model {
    model(&checkout().join("assets/creature.glb"))
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

fn golden(model: &Model) -> Poses {
    let mut stage = Stage::new(model, model.default_scene);
    Poses::new(model, &mut stage, model.clips.first()).unwrap()
}

/// The player's vertices are where [`Stage::deformed`] puts them: those of its arithmetic, and those that its vertex
/// shader writes, of the result and of the reference.
#[test]
fn the_player_poses_every_vertex_where_the_program_does() {
    const TEST: &str = "the_player_poses_every_vertex_where_the_program_does";
    let Some(mut browser) = browser(TEST) else { return };
    let mut files = vec![checkout().join("assets/creature.glb")];
    if let Some(shared) = shared(TEST) {
        let path = |name: &str| shared.join("models").join(name);
        files.extend(MODELS.iter().map(|name| path(name)));
    }
    let folder = tempfile::tempdir().unwrap();
    let index = folder.path().join("index.html");
    std::fs::write(&index, page(&Results::default(), &BTreeMap::new())).unwrap();
    browser.open(&index, "");
    browser.run(include_str!("report/positions.js"));
    let mut compared = 0;
    for file in files {
        let file = match file.is_dir() {
            true => crate::support::models_below(&file).remove(0),
            false => file,
        };
        compared += compare(&mut browser, &file);
    }
    assert!(compared > 10_000, "{compared} vertices");
    assert_eq!(browser.errors, Vec::<String>::new());
}

fn compare(browser: &mut Browser, file: &Path) -> usize {
    let model = model(file);
    let clip = model.clips.first();
    let mut stage = Stage::new(&model, model.default_scene);
    let stored = Poses::from_bytes(&golden(&model).to_bytes()).unwrap();
    assert_eq!(stored, golden(&model), "{}", file.display());
    let scripts = motion_scripts(&model, &mut stage, clip, Some(&stored));
    let data = |script: &str| script.split('"').nth(1).unwrap().to_owned();
    let [result, reference] =
        [&scripts.result, scripts.reference.as_ref().unwrap()].map(|s| data(s));
    browser.run(&format!("loadMotionForTest('{result}', '{reference}')"));
    let number = |value: serde_json::Value| value.as_f64().unwrap();
    let frames = number(browser.run("view.motion.frames")) as usize;
    let size = stage.bounds(&model).size().length();
    let mut compared = 0;
    for frame in [frames / 3, frames - 1] {
        let time = number(browser.run(&format!("player.timeOf(view.motion, {frame})")));
        stage.pose(&model, clip, time);
        let expected = expected(&model, &stage);
        for side in ["result", "reference"] {
            for how in ["posedOnCpu", "posedOnGpu"] {
                let got = browser.run(&format!("{how}('{side}', {frame})"));
                let got = base64::engine::general_purpose::STANDARD
                    .decode(got.as_str().unwrap())
                    .unwrap();
                let got: &[[f32; 3]] = &bytemuck::pod_collect_to_vec::<u8, [f32; 3]>(&got);
                assert_eq!(got.len(), expected.len(), "{} {how}", file.display());
                for (i, (got, expected)) in got.iter().zip(&expected).enumerate() {
                    let off = Vec3::from(*got).distance(*expected);
                    let place = format!("{} {how} {side} frame {frame} vertex {i}", file.display());
                    assert!(off <= 1e-5 * size, "{place}: {got:?} and {expected}");
                }
                compared += expected.len();
            }
        }
    }
    compared
}

/// The posed vertices of all primitives of a scene, in the order of the player.
fn expected(model: &Model, stage: &Stage) -> Vec<Vec3> {
    let mut all = Vec::new();
    for &node in &stage.nodes {
        let Some(mesh) = model.nodes[node].mesh else { continue };
        for primitive in 0..model.meshes[mesh].primitives.len() {
            let at_node = stage.deformed(model, node, primitive).unwrap();
            let world = *stage.world.world_from_node(node);
            match model.nodes[node].instances.as_slice() {
                [] => all.extend(at_node),
                instances => all.extend(instances.iter().flat_map(|instance| {
                    let moved = world * *instance * world.inverse();
                    at_node.iter().map(move |at| moved.transform_point3(*at))
                })),
            }
        }
    }
    all
}

/// A golden that is cut, changed or made of other numbers is an error in words.
#[test]
fn a_broken_golden_motion_is_an_error_in_words() {
    let bytes = golden(&creature()).to_bytes();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let header = text.lines().nth(1).unwrap();
    let replaced = |from: &str, to: &str| {
        assert!(header.contains(from), "{header}");
        let line = bytes.windows(header.len()).position(|w| w == header.as_bytes()).unwrap();
        let mut out = bytes[..line].to_vec();
        out.extend(header.replace(from, to).bytes());
        out.extend(&bytes[line + header.len()..]);
        out
    };
    let broken = [
        (Vec::new(), "no motion of rigview"),
        (b"rigview motion 2\n{}".to_vec(), "another version"),
        (bytes[..40].to_vec(), "no header"),
        (bytes[..bytes.len() - 9].to_vec(), "broken"),
        ([bytes.clone(), vec![0]].concat(), "cut or changed"),
        (replaced("\"every\":1", "\"every\":0"), "times are out of range"),
        (replaced("\"frames\":", "\"frames\":9"), "times are out of range"),
        (replaced("\"weights\":", "\"weights\":99999999999"), "too large"),
        (replaced("\"weights\":", "\"weights\":-1"), "its header"),
        (replaced("\"draws\":", "\"draws\":1"), "cut or changed"),
        (replaced("\"every\"", "\"often\""), "unknown field"),
    ];
    for (bytes, words) in broken {
        let message = Poses::from_bytes(&bytes).unwrap_err().to_string();
        assert!(message.contains(words) && message.contains("--bless"), "{words}: {message}");
    }
    // Any other damage gives an error or other numbers, and no panic.
    for at in (0..bytes.len()).step_by(97) {
        let mut bytes = bytes.clone();
        bytes[at] ^= 0x55;
        let _ = Poses::from_bytes(&bytes);
    }
}

/// The golden of another rig is left out, and the page gets a sentence that says why.
#[test]
fn a_reference_of_another_rig_is_left_out() {
    let (model, mut other) = (creature(), golden(&creature()));
    let stride = other.stride();
    other.bones.truncate(other.bones.len() - 1);
    other.values = other.values.chunks(stride).flat_map(|frame| frame[12..].to_vec()).collect();
    let mut stage = Stage::new(&model, model.default_scene);
    let scripts = motion_scripts(&model, &mut stage, model.clips.first(), Some(&other));
    assert_eq!(scripts.reference, None);
    let with = motion_scripts(&model, &mut stage, model.clips.first(), Some(&golden(&model)));
    assert!(with.reference.is_some());
    assert_eq!(
        with,
        motion_scripts(&model, &mut stage, model.clips.first(), Some(&golden(&model)))
    );
}

/// Writes a picture of one colour with a square of another in a corner.
fn write_picture(file: &Path, square: [u8; 3]) {
    let mut pixels = image::RgbImage::from_pixel(64, 48, image::Rgb([40, 60, 90]));
    for (x, y) in (8..16).flat_map(|x| (8..16).map(move |y| (x, y))) {
        pixels.put_pixel(x, y, image::Rgb(square));
    }
    pixels.save(file).unwrap();
}

const HOSTILE: &str = "</script><script>document.title='broken in'</script><img src=x onerror=\"document.title='broken in'\">\u{1b}\u{202e}'";

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
    }
}

/// Writes a report: a failed case with pictures, a motion and findings, one with hostile names, one with an error,
/// and cases that passed.
fn write_report(folder: &Path) -> Results {
    for name in ["pictures", "motions"] {
        std::fs::create_dir(folder.join(name)).unwrap();
    }
    write_picture(&folder.join("pictures/a@0.5.reference.png"), [200, 200, 200]);
    write_picture(&folder.join("pictures/a@0.5.png"), [250, 20, 20]);
    let model = creature();
    let mut stage = Stage::new(&model, model.default_scene);
    let clip = turned(&model, "head", 1.0);
    let scripts = motion_scripts(&model, &mut stage, Some(&clip), Some(&golden(&model)));
    std::fs::write(folder.join("motions/a.js"), scripts.result).unwrap();
    std::fs::write(folder.join("motions/a.reference.js"), scripts.reference.unwrap()).unwrap();

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
    }];
    let mut moving = case("set/moving", Status::Failed, vec![picture, pose, lint]);
    moving.motion = Some(MotionFiles {
        reference: Some("motions/a.reference.js".to_owned()),
        result: "motions/a.js".to_owned(),
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
    Results { passed: 10_000, failed: 3, cases }
}

/// The page in the browser: its list of ten thousand cases by keys alone, pictures, motion, findings, hostile names,
/// both themes and the width of a phone.
#[test]
fn the_page_shows_what_differs() {
    let Some(mut browser) = browser("the_page_shows_what_differs") else { return };
    let folder = tempfile::tempdir().unwrap();
    let results = write_report(folder.path());
    let text = ("A joint jumps.".to_owned(), "Look at its keys.".to_owned());
    let explanations = BTreeMap::from([("POP".to_owned(), text)]);
    let html = page(&results, &explanations);
    assert_eq!(html, page(&results, &explanations));
    let index = folder.path().join("index.html");
    std::fs::write(&index, html).unwrap();
    browser.resize(1280, 900);
    browser.open(&index, "");
    shows_the_first_case(&mut browser);
    compares_pictures(&mut browser);
    plays_the_motion(&mut browser);
    leads_to_the_codes(&mut browser);
    filters_by_keys(&mut browser);
    resists_names(&mut browser);
    fits_a_phone(&mut browser);
    assert_eq!(browser.errors, Vec::<String>::new());
    let foreign = browser
        .requests
        .iter()
        .filter(|url| !["file:", "data:", "about:", "blob:"].iter().any(|s| url.starts_with(s)));
    assert_eq!(foreign.count(), 0, "{:?}", browser.requests);
}

fn shows_the_first_case(browser: &mut Browser) {
    assert_eq!(browser.run("$('totals').textContent"), "2 failed1 with an error10000 passed");
    assert_eq!(browser.run("document.querySelector('#detail h2').textContent"), "set/moving");
    // Ten thousand cases, but only the rows in view and the chosen case's pictures.
    let rows = browser.run("document.querySelectorAll('.row').length").as_u64().unwrap();
    assert!((3..60).contains(&rows), "{rows} rows");
    assert_eq!(browser.run("document.querySelectorAll('img').length"), 2);
    let order =
        "[...document.querySelectorAll('.row')].slice(0, 4).map((row) => row.classList[1]).join()";
    assert_eq!(browser.run(order), "failed,failed,error,passed");
    let checks = browser.run("$('checks').textContent");
    for words in ["2.08 %", "12.4 mm", "head", "2.1 % of the pixels differ"] {
        assert!(checks.as_str().unwrap().contains(words), "{words}: {checks}");
    }
}

fn compares_pictures(browser: &mut Browser) {
    browser.wait("[...document.images].every((img) => img.complete && img.naturalWidth === 64)");
    assert_eq!(browser.run("document.querySelectorAll('.panes.side .pane').length"), 2);
    browser.press("w");
    let clipped = "getComputedStyle(document.querySelector('.layer.reference')).clipPath";
    let half = browser.run(clipped);
    browser.run("const wipe = document.querySelector('.under input'); wipe.value = 20; wipe.dispatchEvent(new Event('input'))");
    assert_ne!(browser.run(clipped), half);
    // Zoomed pictures move together and stay sharp.
    browser.press("s");
    browser.wait("[...document.images].every((img) => img.complete && img.naturalWidth === 64)");
    browser.press("+");
    let transforms = browser.run(
        "[...new Set([...document.images].map((img) => getComputedStyle(img).transform))].length",
    );
    assert_eq!(transforms, 1);
    assert_eq!(browser.run("getComputedStyle(document.images[0]).imageRendering"), "pixelated");
    browser.press("f");
    browser.wait("document.querySelector('.flicker .swapped')");
    browser.press("d");
    assert_eq!(
        browser.run("getComputedStyle(document.querySelector('.layer + .layer')).mixBlendMode"),
        "difference"
    );
    browser.press("s");
}

fn plays_the_motion(browser: &mut Browser) {
    browser.press("m");
    browser.wait("motion && motion.motion.worst");
    // The view starts at the worst frame and names the joint that turned by itself.
    let words = browser.run("document.querySelector('.readout').textContent");
    assert!(words.as_str().unwrap().contains("differs by itself: head, turned by"), "{words}");
    let worst = browser
        .run("Math.max(...motion.motion.worst.map((worst) => worst.distance))")
        .as_f64()
        .unwrap();
    assert!((0.001..0.1).contains(&worst), "{worst} m");
    assert_eq!(browser.run("motion.motion.worst[motion.state.frame].distance"), worst);
    let frame = browser.run("motion.state.frame").as_i64().unwrap();
    browser.run("document.querySelector('.stage canvas').focus()");
    browser.press(".");
    assert_eq!(browser.run("motion.state.frame"), frame + 1);
    browser.press(" ");
    browser.wait(&format!("motion.state.frame > {frame} + 2 || motion.state.frame < {frame}"));
    browser.press("x");
    assert_eq!(browser.run("motion.state.frame"), frame);
    let yaw = browser.run("motion.state.orbit.yaw").as_f64().unwrap();
    browser.press("ArrowRight");
    assert!(browser.run("motion.state.orbit.yaw").as_f64().unwrap() > yaw);
    browser.press("r");
    // Both sides are drawn, and the heat has another colour than the surface alone.
    let [left, right, hot] = ["false, 0, 0.5", "false, 0.5, 1", "true, 0.5, 1"]
        .map(|args| browser.run(&format!("({})({args})", include_str!("report/pixels.js"))));
    assert!(left[0].as_u64().unwrap() > 500 && right[0].as_u64().unwrap() > 500, "{left} {right}");
    assert!(hot[1].as_f64().unwrap() > right[1].as_f64().unwrap() + 40.0, "{hot} {right}");
}

fn leads_to_the_codes(browser: &mut Browser) {
    browser.run("document.querySelector('#findings a').click()");
    browser.wait("!$('codes').hidden && document.activeElement.id === 'code-POP'");
    assert_eq!(
        browser.run("document.activeElement.textContent"),
        "POPA joint jumps.Remedy: Look at its keys."
    );
    browser.press("Escape");
    browser.wait("$('codes').hidden && !$('detail').hidden");
}

fn filters_by_keys(browser: &mut Browser) {
    browser.press("/");
    for key in ["9", "9", "7"] {
        browser.press(key);
    }
    // 997, and 0997 to 9997 with every digit before or after it.
    let expected = (0..10_000).filter(|i: &u32| i.to_string().contains("997")).count();
    browser.wait(&format!("$('count').textContent === '{expected} of 10003 cases'"));
    browser.press("Enter");
    browser.press("j");
    assert_eq!(browser.run("document.querySelector('#detail h2').textContent"), "many/passed-1997");
    browser.press("k");
    assert_eq!(browser.run("document.querySelector('#detail h2').textContent"), "many/passed-997");
    assert_eq!(browser.run("document.querySelector('.row[aria-selected=true]').id === $('list').getAttribute('aria-activedescendant')"), true);
    browser.run("$('filter').value = ''; $('filter').dispatchEvent(new Event('input'))");
    browser.run("$('kind').value = 'check'; $('kind').dispatchEvent(new Event('change'))");
    assert_eq!(browser.run("$('count').textContent"), "1 of 10003 cases");
    browser.run("$('kind').value = ''; $('tag').value = 'set'; $('kind').dispatchEvent(new Event('change')); $('tag').dispatchEvent(new Event('change'))");
    assert_eq!(browser.run("$('count').textContent"), "2 of 10003 cases");
    browser.run("$('tag').value = ''; $('tag').dispatchEvent(new Event('change'))");
    browser.press("End");
    assert_eq!(browser.run("document.querySelector('#detail h2').textContent"), "many/passed-9999");
    browser.press("Home");
}

fn resists_names(browser: &mut Browser) {
    browser.press("j");
    browser.wait(
        "document.querySelector('#motion .notice')?.textContent.includes('is not in motions/')",
    );
    let title = browser.run("document.querySelector('#detail h2').textContent");
    assert_eq!(title, HOSTILE.replace('\u{1b}', "\\u001b").replace('\u{202e}', "\\u202e"));
    assert!(!browser.run("document.title").as_str().unwrap().starts_with("broken in"));
    assert_eq!(browser.run("document.querySelectorAll('img').length"), 0);
}

fn fits_a_phone(browser: &mut Browser) {
    let colour = "getComputedStyle(document.body).backgroundColor";
    let light = browser.run(colour);
    browser.prefer("dark");
    let dark = browser.run(colour);
    assert_ne!(dark, light);
    browser.press("t");
    assert_eq!(browser.run(colour), light, "the switch wins over the system");
    browser.resize(360, 740);
    browser.press("Home");
    let wide = "[document.documentElement, $('detail'), $('side')].filter((e) => e.scrollWidth > Math.max(e.clientWidth, 1) && e.clientWidth).map((e) => e.id + e.scrollWidth).join()";
    browser.press("Escape");
    browser.wait("getComputedStyle($('detail')).display === 'none'");
    assert_eq!(browser.run(wide), "");
    browser.press("Enter");
    browser.wait("getComputedStyle($('side')).display === 'none'");
    browser.wait(
        "[...document.images].length === 2 && [...document.images].every((img) => img.complete)",
    );
    browser.press("m");
    browser.wait("motion");
    assert_eq!(browser.run(wide), "");
}
