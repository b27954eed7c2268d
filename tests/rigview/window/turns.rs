//! Many models in one window, one after the other: memory is freed, and after a broken file the model before
//! stays.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::session::Session;
use super::shell::Shell;
use crate::support::{for_each, models_below, say_at_the_end, shared};

/// Number of models that are opened.
const TURNS: usize = 50;

/// Maximum ratio of the peak to that of the largest model alone.
const MOST: f64 = 1.2;

fn open(window: &mut Session, model: &PathBuf) {
    window.step(json!({"drop": model}));
    window.step(json!({"loaded": true}));
}

#[test]
fn fifty_models_in_turn_take_little_more_than_the_largest() {
    let Some(shared) = shared("fifty_models_in_turn_take_little_more_than_the_largest") else {
        return;
    };
    // Large models with many pixels and with many vertices; smaller ones of all kinds are opened in between.
    let largest = shared.join("models/DamagedHelmet/glTF-Binary/DamagedHelmet.glb");
    let mut small = models_below(&shared.join("models"));
    // The files of that folder are invalid.
    small.retain(|model| !model.components().any(|part| part.as_os_str() == "Compatibility"));
    small.retain(|model| std::fs::metadata(model).is_ok_and(|m| m.len() < 400_000));
    let every = small.len() / TURNS;
    let mut turns: Vec<PathBuf> = small.into_iter().step_by(every).take(TURNS).collect();
    assert_eq!(turns.len(), TURNS);
    for i in [10, 20, 30, 40] {
        turns[i] = largest.clone();
    }
    // A small window, because the test measures the memory of models.
    let mut window = Session::open_quick(&["--size", "160x120", "--rest"]);
    open(&mut window, &largest);
    assert!(window.state()["title"].as_str().unwrap().starts_with("DamagedHelmet"));
    let alone = window.peak_bytes();
    for model in &turns {
        open(&mut window, model);
        let state = window.state();
        assert_eq!((&state["file"], &state["error"]), (&json!(model), &json!(null)));
    }
    let all = window.peak_bytes();
    let share = all as f64 / alone as f64;
    assert!(share <= MOST, "{all} bytes, {alone} for the largest alone: {share:.2}");
    window.close();
}

/// The model is large enough that the former one is freed from the GPU first. The load is cancelled,
/// superseded or loses its device at a point that depends on the machine's speed, and so is the load that
/// reads lost images again. In all cases the model that is open afterwards is shown completely.
#[test]
fn a_large_model_that_does_not_come_leaves_the_one_before_it() {
    let Some(shared) = shared("a_large_model_that_does_not_come_leaves_the_one_before_it") else {
        return;
    };
    let models = shared.join("models");
    let small = models.join("BoxTextured/glTF-Binary/BoxTextured.glb");
    let large = models.join("DamagedHelmet/glTF-Binary/DamagedHelmet.glb");
    let mut window = Session::open_quick(&["--size", "320x240", "--rest", "-q"]);
    let broken = window.path("broken.glb");
    std::fs::write(&broken, b"glTF").unwrap();
    // From then on there is a menu of recent files.
    open(&mut window, &small);
    let pictures = [&large, &small].map(|model| {
        open(&mut window, model);
        (json!(model), window.picture())
    });
    let escape = json!({"key": "Escape"});
    let lost = json!({"lose_device": true});
    let fails = json!({"drop": broken});
    let wait = |secs: f64| json!({"wait": secs});
    // The steps after the drop, and whether a message is left.
    let cases = [
        (vec![escape.clone()], false),
        (vec![wait(0.2), escape.clone()], false),
        (vec![fails.clone()], true),
        (vec![wait(0.4), fails.clone(), lost.clone()], true),
        (vec![escape.clone(), lost.clone(), escape.clone()], false),
        (vec![lost.clone(), fails], true),
        (vec![lost.clone()], false),
        (vec![wait(0.3), lost, escape.clone()], false),
    ];
    for (case, fails) in &cases {
        open(&mut window, &small);
        window.step(json!({"drop": large}));
        case.iter().for_each(|step| window.step(step.clone()));
        window.step(json!({"loaded": true}));
        let state = window.state();
        assert_eq!(state["error"].is_string(), *fails, "{case:?}: {state}");
        window.step(escape.clone());
        let shown = pictures.iter().find(|(file, _)| *file == state["file"]);
        let want = &shown.unwrap_or_else(|| panic!("{state}")).1;
        assert!(window.picture() == *want, "{case:?} leaves another picture of {}", state["file"]);
    }
    // The last load was not cancelled.
    open(&mut window, &large);
    assert!(window.picture() == pictures[0].1);
    window.close();
}

/// Valid files as large as the limits allow. Together they take as long as all others.
const LARGEST: [&str; 5] = [
    "images/png-bomb-16384.gltf",
    "images/png-20-times-256-mib.gltf",
    "animations/keys-shared-by-2000-samplers.glb",
    "accessors/shared-by-2000-primitives.glb",
    "morphs/targets-2000-of-half-a-million.glb",
];

#[test]
fn broken_files_dropped_one_after_the_other_leave_the_last_good_model() {
    let name = "broken_files_dropped_one_after_the_other_leave_the_last_good_model";
    let Some(shared) = shared(name) else { return };
    let table = std::fs::read(shared.join("hostile/expected.json")).unwrap();
    let table: Vec<Value> = serde_json::from_slice(&table).unwrap();
    let made = tempfile::tempdir().unwrap();
    let is_made = made_on_the_spot(&shared.join("hostile/make.py"), made.path());
    let files = table.iter().filter_map(|case| {
        let (file, special) = (case["file"].as_str().unwrap(), case["special"] == true);
        let folder = if special { made.path() } else { &shared.join("hostile/files") };
        let is_there = !special || (is_made && !LARGEST.contains(&file));
        is_there.then(|| (folder.join(file), case))
    });
    let files: Vec<(PathBuf, &Value)> = files.collect();
    // Two shells have half of the files each.
    let halves: Vec<_> = files.chunks(files.len().div_ceil(2)).collect();
    for_each(&halves, |files| drop_in_turn(files, &shared));
}

/// Opens files one after the other in a window. Whatever is wrong with one, the last good model is shown.
fn drop_in_turn(files: &[(PathBuf, &Value)], shared: &Path) {
    let mut window = Shell::open_quick(&["--size", "160x120", "--rest"]);
    let open = |window: &mut Shell, file: &Path| {
        window.step(json!({"drop": file}));
        window.step(json!({"loaded": true}));
    };
    let mut good = window.state()["file"].clone();
    for (file, case) in files {
        assert!(file.symlink_metadata().is_ok(), "{case}");
        open(&mut window, file);
        let state = window.state();
        let also = case["also"].as_array().into_iter().flatten();
        let mut wants = std::iter::once(&case["want"]).chain(also);
        if file.is_dir() {
            // A dropped folder is searched for models.
            let notice = state["notice"].as_str().unwrap_or_default();
            assert!(notice.starts_with("the folder") && notice.ends_with("is empty"), "{state}");
            assert_eq!(state["file"], good, "{case}");
        } else if state["error"].is_null() {
            assert_eq!(state["file"], json!(file));
            assert!(wants.any(|want| want != "refuse"), "{case}");
            good = state["file"].clone();
        } else {
            assert_eq!(state["file"], good, "{case}");
            assert!(wants.any(|want| want == "refuse"), "{case}: {}", state["error"]);
        }
    }
    // The window still shows a valid model, and keeps it when the next file is broken.
    open(&mut window, &shared.join("models/BoxTextured/glTF-Binary/BoxTextured.glb"));
    let shown = window.picture();
    open(&mut window, &shared.join("hostile/files/containers/empty.gltf"));
    assert!(window.state()["error"].is_string());
    window.keys(&["Escape"]);
    assert!(window.picture() == shown, "another picture");
    window.close();
}

/// Writes the large and special cases (links, a FIFO, sparse files of gigabytes) into a folder. Without Python
/// there are none, and a line at the end says so.
fn made_on_the_spot(script: &Path, folder: &Path) -> bool {
    let made = Command::new("python3").arg(script).arg(folder).arg("--special").output();
    match made {
        Ok(made) => {
            assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
            true
        }
        Err(e) if e.kind() == ErrorKind::NotFound => {
            say_at_the_end("no python3: the big and special hostile files were not dropped".into());
            false
        }
        Err(e) => panic!("python3: {e}"),
    }
}
