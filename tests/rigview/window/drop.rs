//! Files dropped on the window as a file manager drops them: the XDND protocol, version 5.

use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use serde_json::json;
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageData, ClientMessageEvent, ConnectionExt, CreateWindowAux, EventMask,
    PropMode, SELECTION_NOTIFY_EVENT, SelectionNotifyEvent, SelectionRequestEvent, Window,
    WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

use super::display::window_titled;
use super::session::{Session, number, small_model};

/// Past this nobody takes the drop any more.
const LIMIT: Duration = Duration::from_secs(60);

x11rb::atom_manager! {
    /// The names that the protocol uses.
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

/// A drag under way.
struct Drag {
    client: RustConnection,
    atoms: Atoms,
    /// The window that offers the file, and the one that it is dropped on.
    source: Window,
    target: Window,
    uris: Vec<u8>,
}

/// Drops a file on the middle of the window of this title. Whether it was taken.
fn drop_file(client: RustConnection, title: &str, file: &Path) -> bool {
    let target = window_titled(&client, title);
    let drag = Drag::begin(client, target, file);
    let (sender, taken) = mpsc::channel();
    std::thread::spawn(move || {
        // Past the limit nobody listens.
        let _ = sender.send(drag.carry_out());
    });
    taken.recv_timeout(LIMIT).expect("the window answers the drag")
}

impl Drag {
    fn begin(client: RustConnection, target: Window, file: &Path) -> Self {
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
        let path = file.to_str().expect("a path that is its own URI");
        let uris = format!("file://{}\r\n", path.replace(' ', "%20")).into_bytes();
        Self { client, atoms, source, target, uris }
    }

    /// Enters, hovers, lets go, and hands the file over when it is asked for.
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
    let mut window = Session::open(&["--clip", "Walk", "--time", "0.5"]);
    window.step(json!({"drag": [600, 300, 700, 340]}));
    let before = window.state();
    assert_eq!(before["clip_name"], "Walk");

    let bad = window.path("bad file.glb");
    std::fs::write(&bad, b"glTF, it says").unwrap();
    assert!(drop_file(window.display.client(), "creature - rigview", &bad));
    window.step(json!({"loaded": true}));
    let state = window.state();
    assert!(state["error"].as_str().unwrap().starts_with("bad file.glb: "), "{state}");
    for kept in ["file", "clip", "time", "camera"] {
        assert_eq!(state[kept], before[kept], "{kept}");
    }

    let good = small_model(window.folder.path(), "square.gltf");
    assert!(drop_file(window.display.client(), "creature - rigview", Path::new(&good)));
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
