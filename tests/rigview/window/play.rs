//! Time in the window: playing, scrubbing, pausing, reversing and stepping.

use serde_json::json;

use super::display::{press, window_titled};
use super::session::{Session, number};
use super::shell::Shell;
use crate::support::{Glb, SmallModel, checkout};

/// Returns the left and right end of the time bar's rail, and its Y coordinate, in pixels.
#[track_caller]
fn rail(window: &mut Shell) -> [f64; 3] {
    // Half of the playhead reaches beyond the rail on either side.
    const INSET: f64 = 5.0;
    let [x, y, width, height] = window.rect("Time");
    [x + INSET, x + width - INSET, y + 0.5 * height]
}

/// Returns a place on the flag of this name that the playhead does not reach.
#[track_caller]
fn flag(window: &mut Shell, name: &str) -> [f64; 2] {
    let [x, y, width, height] = window.rect(name);
    [x + 0.5 * width, y + height - 1.0]
}

#[test]
fn it_opens_and_plays_the_first_clip_in_a_loop() {
    let mut window = Shell::open(&["--pass", "mask"]);
    let first = window.state();
    assert_eq!(first["title"], "creature - rigview");
    assert_eq!((&first["clip"], &first["playing"]), (&json!(0), &json!(true)));
    assert_eq!((&first["repeat"], &first["size"]), (&json!("loop"), &json!([1024, 768])));
    window.step(json!({"frames": 5}));
    let later = window.state();
    assert!(number(&later, "time") > number(&first, "time"), "{first} {later}");
    window.close();
}

#[test]
fn scrubbing_seeks_and_pauses_while_it_plays() {
    let mut window = Shell::open_quick(&[]);
    let [left, right, y] = rail(&mut window);
    let at = |part: f64| left + part * (right - left);
    window.step(json!({"drag": [at(0.1), y, at(0.75), y]}));
    let state = window.state();
    let part = number(&state, "time") / number(&state, "duration");
    assert!((part - 0.75).abs() < 0.01, "{state}");
    assert_eq!(state["playing"], false);
    // A drag far beyond the bar's end gives the clip's end.
    window.step(json!({"drag": [at(0.5), y, 5000.0, y]}));
    let state = window.state();
    assert_eq!(state["time"], state["duration"]);
    window.close();
}

#[test]
fn once_stops_at_the_end() {
    let mut window = Shell::open_quick(&["--clip", "Walk", "--size", "1024x480"]);
    window.click("Once");
    assert_eq!(window.state()["repeat"], "once");
    // The clip lasts one second.
    window.step(json!({"wait": 2.0}));
    let state = window.state();
    assert_eq!((&state["time"], &state["playing"]), (&state["duration"], &json!(false)));
    window.keys(&["Space"]);
    let state = window.state();
    assert_eq!(state["playing"], true);
    assert!(number(&state, "time") < number(&state, "duration"), "{state}");
    window.close();
}

#[test]
fn ping_pong_turns_round_at_both_ends() {
    let mut window = Shell::open_quick(&["--clip", "Walk", "--size", "1024x480"]);
    window.click("Ping-pong");
    assert_eq!(window.state()["repeat"], "ping-pong");
    let mut times = Vec::new();
    for _ in 0..40 {
        window.step(json!({"wait": 0.06}));
        times.push(number(&window.state(), "time"));
    }
    let forth = times.windows(2).filter(|w| w[1] > w[0]).count();
    let back = times.windows(2).filter(|w| w[1] < w[0]).count();
    assert!(forth > 5 && back > 5, "{times:?}");
    // Unlike a loop, it never jumps.
    let leap = times.windows(2).map(|w| (w[1] - w[0]).abs()).fold(0.0, f64::max);
    assert!(leap < 0.9, "{leap}: {times:?}");
    window.close();
}

#[test]
fn in_and_out_points_keep_playing_between_them() {
    let mut window = Shell::open_quick(&["--time", "0.5"]);
    window.keys(&["i"]);
    for _ in 0..15 {
        window.keys(&["Right"]);
    }
    window.keys(&["o"]);
    assert_eq!(window.state()["range"], json!([0.5, 1.0]));
    window.keys(&["Space"]);
    let mut times = Vec::new();
    for _ in 0..20 {
        window.step(json!({"wait": 0.06}));
        times.push(number(&window.state(), "time"));
    }
    assert!(times.iter().all(|t| (0.5..=1.0).contains(t)), "{times:?}");
    assert!(times.windows(2).any(|w| w[1] < w[0]), "it goes round: {times:?}");
    // The flag of the out point is dragged to the bar's middle; the clip lasts four seconds.
    let [left, right, _] = rail(&mut window);
    let to = left + (right - left) * 2.0 / 4.0;
    let [x, y] = flag(&mut window, "Out point");
    window.step(json!({"drag": [x, y, to, y]}));
    let end = window.state()["range"][1].as_f64().unwrap();
    assert!((end - 2.0).abs() < 0.05, "{end}");
    window.keys(&["Shift+i", "Shift+o"]);
    assert_eq!(window.state()["range"], json!([0.0, 4.0]));
    window.close();
}

#[test]
fn keys_step_frames_and_clips() {
    let mut window = Shell::open_quick(&["--time", "0.5"]);
    for (keys, frame) in [
        (&["Right"][..], 16.0),
        (&["Right", "Right"], 18.0),
        (&["Left"], 17.0),
        (&["Up"], 27.0),
        (&["Down", "Down"], 7.0),
        (&["Home"], 0.0),
        (&["End"], 120.0),
        (&["Right"], 120.0),
    ] {
        window.keys(keys);
        let state = window.state();
        assert_eq!(number(&state, "frame"), frame, "{keys:?}: {state}");
        assert_eq!(state["playing"], false);
    }
    window.keys(&["Home", "Shift+Right"]);
    let key = number(&window.state(), "time");
    assert!(key > 0.0);
    window.keys(&["Shift+Left"]);
    assert_eq!(number(&window.state(), "time"), 0.0);
    window.keys(&["]"]);
    assert_eq!(window.state()["clip"], 1);
    window.keys(&["[", "["]);
    assert_eq!(window.state()["clip"], 2);
    window.keys(&["]"]);
    assert_eq!(window.state()["clip"], 0);
    window.close();
}

#[test]
fn a_file_dropped_with_shift_gives_its_clips_and_the_next_file_takes_them_away() {
    let mut window = Shell::open_quick(&["--clip", "Hop"]);
    let creature = window.state()["file"].clone();
    // The same rig in another file, so all nodes match.
    let mut dance = Glb::read(&checkout().join("assets/creature.glb"));
    dance.json["animations"].as_array_mut().unwrap().truncate(1);
    dance.json["animations"][0]["name"] = json!("Dance");
    let file = window.path("dance.glb");
    dance.write(&file);
    window.step(json!({"drop": file, "shift": true}));
    window.step(json!({"loaded": true}));
    let state = window.state();
    assert_eq!((&state["file"], &state["clips"]), (&creature, &json!(1)));
    assert_eq!((&state["clips_from"], &state["clip_name"]), (&json!(file), &json!("Dance")));
    // A rig with a single square has nothing in common: the clips stay, and a message says why.
    let square = window.path("square.gltf");
    SmallModel::new().clip("Turn").write_gltf(&square);
    window.step(json!({"drop": square, "shift": true}));
    window.step(json!({"loaded": true}));
    let state = window.state();
    assert_eq!((&state["clips_from"], &state["clip_name"]), (&json!(file), &json!("Dance")));
    assert!(state["error"].as_str().unwrap().contains("shares no joint"), "{state}");
    window.step(json!({"drop": square}));
    window.step(json!({"loaded": true}));
    let state = window.state();
    assert_eq!((&state["clips_from"], &state["clip_name"]), (&json!(null), &json!("Turn")));
    window.close();
}

#[test]
fn paused_it_draws_no_frame_in_ten_seconds() {
    let mut window = Shell::open_quick(&[]);
    window.keys(&["Space"]);
    // The pointer rests on a button. Neither the button nor its tooltip may request frames forever.
    window.click("Reset");
    window.step(json!({"wait": 2.0}));
    let before = window.state();
    assert_eq!(before["playing"], false);
    window.step(json!({"wait": 10.0}));
    assert_eq!(window.state()["frames"], before["frames"]);
    window.close();
}

#[test]
fn a_key_of_the_keyboard_reaches_the_session() {
    const K: u32 = 'k' as u32;
    let mut window = Session::open_quick(&["--rest"]);
    let client = window.display.client();
    let own = window_titled(&client, "creature - rigview");
    press(&client, own, K);
    // The event is queued.
    window.until("the skeleton", |state| state["skeleton"] == true);
    window.close();
}

/// I puts a flag under the playhead. A drag from there must move the playhead.
#[test]
fn the_playhead_wins_over_a_flag_under_it() {
    let mut window = Shell::open_quick(&["--clip", "Walk"]);
    let [left, right, y] = rail(&mut window);
    let at = |part: f64| left + part * (right - left);
    window.step(json!({"time": 0.25}));
    window.keys(&["I"]);
    window.step(json!({"drag": [at(0.25), y, at(0.75), y]}));
    window.keys(&["O"]);
    let parts = |state: &serde_json::Value| {
        let secs = |i: usize| state["range"][i].as_f64().unwrap();
        [0, 1].map(|i| secs(i) / number(state, "duration"))
    };
    let state = window.state();
    let [from, to] = parts(&state);
    assert!((from - 0.25).abs() < 0.01 && (to - 0.75).abs() < 0.01, "{state}");
    // A flag is dragged by its triangle, if the playhead is elsewhere.
    let [x, low] = flag(&mut window, "In point");
    window.step(json!({"drag": [x, low, x + at(0.5) - at(0.25), low]}));
    let state = window.state();
    let [from, to] = parts(&state);
    assert!((from - 0.5).abs() < 0.01 && (to - 0.75).abs() < 0.01, "{state}");
    // The rail is above it.
    window.step(json!({"drag": [at(0.5) + 2.0, y, at(0.6), y]}));
    let state = window.state();
    assert_eq!(parts(&state), [from, to], "{state}");
    assert!((number(&state, "time") / number(&state, "duration") - 0.6).abs() < 0.01, "{state}");
    window.close();
}

/// A clip with more keys than the bar has pixels for ticks.
#[test]
fn dense_keys_are_shown_as_a_band() {
    const KEYS: u32 = 281;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dense.glb");
    let mut model = Glb::read(&checkout().join("assets/creature.glb"));
    let times: Vec<f32> = (0..KEYS).map(|i| i as f32 / 100.0).collect();
    let input = model.put_floats("SCALAR", &times);
    let output = model.put_floats("VEC4", &[0.0, 0.0, 0.0, 1.0].repeat(times.len()));
    let json = &mut model.json;
    json["animations"] = json!([{"name": "Dense",
        "channels": [{"sampler": 0, "target": {"node": 0, "path": "rotation"}}],
        "samplers": [{"input": input, "output": output}]}]);
    model.write(&file);
    let mut window = Shell::open_quick(&[file.to_str().unwrap(), "--time", "0"]);
    let picture = window.picture();
    let [left, right, y] = rail(&mut window).map(|n| n as u32);
    let ground = picture.get_pixel(4, y + 7).0[0];
    let shown = (left + 10..right - 10).filter(|x| picture.get_pixel(*x, y + 7).0[0] > ground + 20);
    let (shown, all) = (shown.count(), (right - left - 20) as usize);
    assert!(10 * shown > 9 * all, "{shown} of {all}");
    window.close();
}
