//! Files dropped on the window by the XDND protocol, version 5, as a file manager does it.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageData, ClientMessageEvent, ConnectionExt, CreateWindowAux, EventMask,
    PropMode, SELECTION_NOTIFY_EVENT, SelectionNotifyEvent, SelectionRequestEvent, Window,
    WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

use super::display::{hold, window_titled};
use super::session::{Session, number, small_model};
use super::shell::Shell;
use crate::support::{SmallModel, checkout};

/// Time limit for a drop.
const LIMIT: Duration = Duration::from_secs(60);

x11rb::atom_manager! {
    /// The atoms of the protocol.
    Atoms: AtomsCookie {
        XdndActionCopy,
        XdndDrop,
        XdndEnter,
        XdndFinished,
        XdndPosition,
        XdndSelection,
        XdndStatus,
        XdndTypeList,
        UriList: b"text/uri-list",
    }
}

/// A drag in progress.
struct Drag {
    client: RustConnection,
    atoms: Atoms,
    /// The window that offers the file, and the window that it is dropped on.
    source: Window,
    target: Window,
    uris: Vec<u8>,
}

/// Drops files on the middle of the window with this title. Returns whether they were accepted.
fn drop_files(client: RustConnection, title: &str, files: &[&Path]) -> bool {
    let target = window_titled(&client, title);
    let drag = Drag::begin(client, target, files);
    let (sender, taken) = mpsc::channel();
    std::thread::spawn(move || {
        // After the time limit there is no receiver.
        let _ = sender.send(drag.carry_out());
    });
    taken.recv_timeout(LIMIT).expect("the window answers the drag")
}

impl Drag {
    fn begin(client: RustConnection, target: Window, files: &[&Path]) -> Self {
        let atoms = Atoms::new(&client).unwrap().reply().unwrap();
        let root = client.setup().roots[0].root;
        let source = client.generate_id().unwrap();
        let (depth, visual) = (x11rb::COPY_DEPTH_FROM_PARENT, x11rb::COPY_FROM_PARENT);
        let class = WindowClass::INPUT_OUTPUT;
        let none = CreateWindowAux::new();
        client.create_window(depth, source, root, 0, 0, 1, 1, 0, class, visual, &none).unwrap();
        let now = x11rb::CURRENT_TIME;
        client.set_selection_owner(source, atoms.XdndSelection, now).unwrap();
        let types = [atoms.UriList];
        let (list, kind) = (atoms.XdndTypeList, AtomEnum::ATOM);
        client.change_property32(PropMode::REPLACE, source, list, kind, &types).unwrap();
        let uri = |file: &&Path| {
            let path = file.to_str().expect("a path that is its own URI");
            format!("file://{}\r\n", path.replace(' ', "%20"))
        };
        let uris = files.iter().map(uri).collect::<String>().into_bytes();
        Self { client, atoms, source, target, uris }
    }

    /// Enters, moves, drops, and transfers the file names on request.
    fn carry_out(&self) -> bool {
        let Self { client, atoms, source, .. } = self;
        let root = client.setup().roots[0].root;
        let size = client.get_geometry(self.target).unwrap().reply().unwrap();
        let (x, y) = (size.width as i16 / 2, size.height as i16 / 2);
        let at = client.translate_coordinates(self.target, root, x, y).unwrap().reply().unwrap();
        let place = (at.dst_x as u32) << 16 | at.dst_y as u32;
        self.send(atoms.XdndEnter, [*source, 5 << 24, atoms.UriList, 0, 0]);
        let now = x11rb::CURRENT_TIME;
        self.send(atoms.XdndPosition, [*source, 0, place, now, atoms.XdndActionCopy]);
        let mut let_go = false;
        loop {
            match client.wait_for_event().unwrap() {
                Event::ClientMessage(message) if message.type_ == atoms.XdndStatus => {
                    if message.data.as_data32()[1] & 1 == 0 {
                        return false;
                    }
                    if !let_go {
                        let_go = true;
                        self.send(atoms.XdndDrop, [*source, 0, now, 0, 0]);
                    }
                }
                Event::ClientMessage(message) if message.type_ == atoms.XdndFinished => {
                    return true;
                }
                Event::SelectionRequest(request) => self.hand_over(&request),
                _ => {}
            }
        }
    }

    fn send(&self, kind: u32, data: [u32; 5]) {
        let data = ClientMessageData::from(data);
        let message = ClientMessageEvent::new(32, self.target, kind, data);
        self.client.send_event(false, self.target, EventMask::NO_EVENT, message).unwrap();
        self.client.flush().unwrap();
    }

    fn hand_over(&self, request: &SelectionRequestEvent) {
        let SelectionRequestEvent { requestor, property, selection, target, time, .. } = *request;
        let mode = PropMode::REPLACE;
        self.client.change_property8(mode, requestor, property, target, &self.uris).unwrap();
        let notify = SelectionNotifyEvent {
            response_type: SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time,
            requestor,
            selection,
            target,
            property,
        };
        self.client.send_event(false, requestor, EventMask::NO_EVENT, notify).unwrap();
        self.client.flush().unwrap();
    }
}

#[test]
fn a_good_file_replaces_the_model_and_a_bad_one_leaves_it() {
    let mut window = Session::open_quick(&["--clip", "Walk", "--time", "0.5"]);
    window.step(json!({"drag": [600, 300, 700, 340]}));
    let before = window.state();
    assert_eq!(before["clip_name"], "Walk");

    let bad = window.path("bad file.glb");
    std::fs::write(&bad, b"glTF, it says").unwrap();
    assert!(drop_files(window.display.client(), "creature - rigview", &[&bad]));
    window.step(json!({"loaded": true}));
    let state = window.state();
    assert!(state["error"].as_str().unwrap().starts_with("bad file.glb: "), "{state}");
    for kept in ["file", "clip", "time", "camera"] {
        assert_eq!(state[kept], before[kept], "{kept}");
    }

    let good = small_model(window.folder.path(), "square.gltf");
    assert!(drop_files(window.display.client(), "creature - rigview", &[Path::new(&good)]));
    window.step(json!({"loaded": true}));
    let state = window.state();
    assert_eq!((&state["file"], &state["error"]), (&json!(good), &json!(null)));
    assert_eq!((&state["clip"], &state["playing"]), (&json!(0), &json!(true)));
    assert_eq!(
        (&state["title"], &state["clip_name"]),
        (&json!("square.gltf - rigview"), &json!("Turn"))
    );
    assert!(number(&state, "time") < 0.5, "{state}");
    assert_eq!(number(&state["camera"], "azimuth").round(), 30.0);
    window_titled(&window.display.client(), "square.gltf - rigview");
    window.close();
}

/// The window library reports no drop of a file that does not exist.
#[test]
fn a_dropped_file_that_is_gone_is_said_and_how_to_open_it() {
    let mut window = Session::open_quick(&["--rest"]);
    let [gone, here] = ["gone.glb", "square.gltf"].map(|name| window.path(name));
    small_model(window.folder.path(), "square.gltf");
    let folder = window.folder.path().display().to_string();
    let why = format!(
        "gone.glb: not found (in {folder}); if it was moved or renamed, open it from where it is now"
    );
    assert!(drop_files(window.display.client(), "creature - rigview", &[&gone]));
    window.until("the message", |state| state["error"] == why);
    window.keys(&["Escape"]);
    assert_eq!(window.state()["error"], Value::Null, "the next step waits for the key's frame");
    drop_files(window.display.client(), "creature - rigview", &[&here, &gone]);
    let why = why + ". Of the files that are dropped with it, none is opened";
    window.until("the message about several", |state| state["error"] == why);
    assert_eq!(window.state()["title"], "creature - rigview");
    window.close();
}

/// Drops files, waits until they are read, and returns the session's state.
#[track_caller]
fn after_drop(window: &mut Session, files: &[&Path]) -> Value {
    let title = window.state()["title"].as_str().unwrap().to_owned();
    assert!(drop_files(window.display.client(), &title, files));
    window.step(json!({"loaded": true}));
    window.state()
}

/// Opens files as if they were dropped together, waits until they are read, and returns the session's state.
#[track_caller]
fn after_opening(window: &mut Shell, files: &[&Path]) -> Value {
    window.drop_files(files);
    window.step(json!({"loaded": true}));
    window.state()
}

#[test]
fn what_a_model_comes_with_is_not_opened_in_its_place() {
    let mut window = Shell::open_quick(&["--rest"]);
    let [model, buffer, skin] = ["square.gltf", "data.bin", "skin.png"].map(|n| window.path(n));
    SmallModel::new().clip("Turn").write_gltf_with(&model, &buffer);
    image::RgbImage::new(1, 1).save(&skin).unwrap();
    let state = after_opening(&mut window, &[&buffer, &skin, &model]);
    assert_eq!((&state["title"], &state["error"]), (&json!("square.gltf - rigview"), &json!(null)));
    assert_eq!(state["notice"], json!(null));
    window.close();
}

#[test]
fn several_models_are_walked_through_and_the_rest_is_said() {
    let mut window = Shell::open_quick(&["--rest"]);
    let a = PathBuf::from(small_model(window.folder.path(), "z.gltf"));
    let b = PathBuf::from(small_model(window.folder.path(), "a.gltf"));
    let state = after_opening(&mut window, &[&a, &b]);
    assert_eq!(state["title"], "z.gltf - rigview");
    assert_eq!(state["notice"], "1 of 2: PageDown opens the next");
    assert_eq!(state["notice_kind"], "done");
    window.keys(&["PageDown"]);
    window.step(json!({"loaded": true}));
    let state = window.state();
    assert_eq!(state["title"], "a.gltf - rigview");
    assert!(state["notice"].as_str().unwrap().starts_with("2 of 2"), "{state}");

    let old = window.path("old.ply");
    std::fs::write(&old, "ply\nformat ascii 1.0\n").unwrap();
    let state = after_opening(&mut window, &[&old, &a]);
    assert_eq!(state["title"], "z.gltf - rigview");
    let notice = state["notice"].as_str().unwrap();
    assert!(notice.starts_with("old.ply is left out: not a glTF file but a PLY model"), "{notice}");
    assert_eq!(state["notice_kind"], "warning");
    window.close();
}

#[test]
fn every_drop_is_answered() {
    let mut window = Shell::open_quick(&["--rest"]);
    let [empty, other, old, sky] = ["empty", "other", "old.ply", "sky.hdr"].map(|n| window.path(n));
    std::fs::create_dir(&empty).unwrap();
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("notes.txt"), "no model").unwrap();
    std::fs::write(&old, "ply\nformat ascii 1.0\n").unwrap();
    let light = image::Rgb32FImage::from_pixel(8, 4, image::Rgb([1.0, 2.0, 3.0]));
    light.save(&sky).unwrap();

    let state = after_opening(&mut window, &[&old]);
    let error = state["error"].as_str().unwrap();
    assert!(error.starts_with("old.ply: not a glTF file but a PLY model: convert it"), "{error}");
    assert!(error.ends_with("; rigview opens .gltf, .glb, .vrm, .fbx and .bvh"), "{error}");
    // The message about a drop replaces the message about the drop before.
    for (folder, says) in [(&empty, "empty is empty"), (&other, "no model")] {
        let state = after_opening(&mut window, &[folder]);
        assert_eq!(state["error"], json!(null));
        assert!(state["notice"].as_str().unwrap().contains(says), "{state}");
        assert_eq!(state["notice_kind"], "warning");
    }
    let state = after_opening(&mut window, &[&sky]);
    assert_eq!(
        (&state["environment"], &state["notice"]),
        (&json!("sky.hdr"), &json!("Lit by sky.hdr"))
    );
    assert_eq!(state["notice_kind"], "done");
    // The system does not pass on a path that no longer exists, but a script does.
    window.step(json!({"drop": window.path("gone.glb")}));
    window.step(json!({"loaded": true}));
    let folder = window.folder.path().display().to_string();
    let remedy = "if it was moved or renamed, open it from where it is now";
    assert_eq!(window.state()["error"], format!("gone.glb: not found (in {folder}); {remedy}"));
    let model = PathBuf::from(small_model(window.folder.path(), "here.gltf"));
    let gone = window.path("gone.glb");
    let state = after_opening(&mut window, &[&gone, &model]);
    assert_eq!(state["notice"], format!("{} is left out: not found", gone.display()));
    window.step(json!({"drop": window.path("gone.rigview.json")}));
    let error = window.state()["error"].clone();
    assert_eq!(error, format!("gone.rigview.json: not found (in {folder}); {remedy}"));
    window.close();
}

#[test]
fn a_drop_with_control_is_compared() {
    const CONTROL: u32 = 0xffe3;
    let mut window = Session::open_quick(&["--rest"]);
    let other = PathBuf::from(small_model(window.folder.path(), "square.gltf"));
    let client = window.display.client();
    let target = window_titled(&client, "creature - rigview");
    hold(&client, target, CONTROL, true);
    let state = after_drop(&mut window, &[&other]);
    hold(&client, target, CONTROL, false);
    assert_eq!((&state["title"], &state["error"]), (&json!("creature - rigview"), &json!(null)));
    assert_eq!(state["compared"]["file"], json!(other));
    window.close();
}

#[test]
fn clips_are_taken_of_a_model_in_a_folder_too() {
    let mut window = Shell::open_quick(&["--clip", "Hop"]);
    let folder = window.path("clips");
    std::fs::create_dir(&folder).unwrap();
    std::fs::copy(checkout().join("assets/creature.glb"), folder.join("dance.glb")).unwrap();
    window.step(json!({"drop": folder, "shift": true}));
    window.step(json!({"loaded": true}));
    let state = window.state();
    assert!(state["clips_from"].as_str().unwrap().ends_with("dance.glb"), "{state}");
    assert_eq!(state["notice_kind"], "done", "{state}");
    let empty = window.path("empty");
    std::fs::create_dir(&empty).unwrap();
    window.step(json!({"drop": empty, "shift": true}));
    window.step(json!({"loaded": true}));
    assert!(window.state()["notice"].as_str().unwrap().contains("is empty"));
    window.close();
}

#[test]
fn a_motion_that_is_dropped_with_one_model_plays_on_it() {
    let [model, other] = ["walker", "tall"].map(|name| {
        let model = checkout().join(format!("docs/rigs/{name}.gltf"));
        assert!(model.exists());
        model
    });
    let mut window = Shell::open_quick(&["--rest"]);
    let [walk, run] = ["walk.bvh", "run.bvh"].map(|name| window.path(name));
    let motion = "HIERARCHY\nROOT Hips\n{\nOFFSET 0 90 0\nCHANNELS 3 Xposition Yposition Zposition\n\
                  JOINT Spine\n{\nOFFSET 0 10 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n\
                  End Site\n{\nOFFSET 0 30 0\n}\n}\n}\n\
                  MOTION\nFrames: 2\nFrame Time: 1\n0 90 0 0 0 0\n0 90 0 45 0 0\n";
    for path in [&walk, &run] {
        std::fs::write(path, motion).unwrap();
    }
    // In any order, and whatever is shown.
    let state = after_opening(&mut window, &[&walk, &model]);
    assert_eq!((&state["title"], &state["error"]), (&json!("walker.gltf - rigview"), &json!(null)));
    assert_eq!(state["clips_from"], json!(walk), "{state}");
    let state = after_opening(&mut window, &[&model, &walk, &run]);
    assert_eq!(state["clips_from"], json!(walk), "{state}");
    let notice = state["notice"].as_str().unwrap();
    assert!(notice.contains("1 of 2 motions: only walk.bvh plays"), "{notice}");
    // Frames are those of the motion's file, of which there is one per second.
    window.step(json!({"time": 1}));
    assert_eq!(window.state()["frame"], 1);
    // It is not known which of several models it is for.
    let state = after_opening(&mut window, &[&model, &other, &walk]);
    assert_eq!(
        (&state["clips_from"], &state["title"]),
        (&json!(null), &json!("walker.gltf - rigview"))
    );
    assert_eq!(state["notice"], "1 of 3: PageDown opens the next");
    window.close();
}

#[test]
fn a_notice_about_limbs_at_rest_names_the_box_that_turns_them() {
    let rigs = checkout().join("docs/rigs");
    let mut window = Shell::open_quick(&[rigs.join("tall.gltf").to_str().unwrap()]);
    window.step(json!({"drop": rigs.join("walker.gltf"), "shift": true}));
    window.step(json!({"loaded": true}));
    let state = window.state();
    let notice = state["notice"].as_str().unwrap();
    assert!(notice.contains("\"Align rest poses\"") && !notice.contains("--"), "{notice}");
}
