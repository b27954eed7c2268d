//! The clipboard, read as another program does when it pastes.

use std::sync::mpsc;
use std::time::Duration;

use image::RgbaImage;
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{Atom, AtomEnum, ConnectionExt, CreateWindowAux, WindowClass};
use x11rb::rust_connection::RustConnection;

use super::session::Session;

/// Time limit for the transfer of the picture.
const LIMIT: Duration = Duration::from_secs(60);

/// Returns the PNG on the clipboard of a display, or `None` if there is none.
fn pasted(client: RustConnection) -> Option<Vec<u8>> {
    let (sender, pasted) = mpsc::channel();
    std::thread::spawn(move || {
        // After the time limit there is no receiver.
        let _ = sender.send(paste(&client));
    });
    pasted.recv_timeout(LIMIT).expect("the clipboard's owner answers")
}

fn paste(client: &RustConnection) -> Option<Vec<u8>> {
    let atom = |name: &str| -> Atom {
        client.intern_atom(false, name.as_bytes()).unwrap().reply().unwrap().atom
    };
    let window = client.generate_id().unwrap();
    let root = client.setup().roots[0].root;
    let (depth, visual) = (x11rb::COPY_DEPTH_FROM_PARENT, x11rb::COPY_FROM_PARENT);
    let class = WindowClass::INPUT_OUTPUT;
    let none = CreateWindowAux::new();
    client.create_window(depth, window, root, 0, 0, 1, 1, 0, class, visual, &none).unwrap();
    let (clipboard, png) = (atom("CLIPBOARD"), atom("image/png"));
    let now = x11rb::CURRENT_TIME;
    client.convert_selection(window, clipboard, png, atom("PASTED"), now).unwrap();
    client.flush().unwrap();
    let property = loop {
        if let Event::SelectionNotify(answer) = client.wait_for_event().unwrap() {
            break answer.property;
        }
    };
    if property == x11rb::NONE {
        return None;
    }
    let all = u32::MAX / 4;
    let given = client.get_property(true, window, property, AtomEnum::ANY, 0, all);
    let given = given.unwrap().reply().unwrap();
    assert_eq!(given.type_, png, "it is given at once, as what was asked for");
    Some(given.value)
}

#[test]
fn ctrl_c_gives_the_picture_that_f12_writes() {
    let mut window =
        Session::open_quick(&["--clip", "Hop", "--time", "0.5", "--skeleton", "--grid"]);
    window.keys(&["U"]);
    assert_eq!(pasted(window.display.client()), None, "nobody has copied anything");
    let mut copied = Vec::new();
    for time in ["0.500", "0.250"] {
        let secs: f64 = time.parse().unwrap();
        window.step(serde_json::json!({"time": secs}));
        window.keys(&["F12", "Ctrl+C"]);
        window.step(serde_json::json!({"frames": 1}));
        assert_eq!(window.state()["notice"], "The picture is on the clipboard");
        let bytes = pasted(window.display.client()).expect("a picture");
        let picture: RgbaImage = image::load_from_memory(&bytes).unwrap().into_rgba8();
        let name = format!("creature-Hop-{time}.png");
        let written = image::open(window.path(&name)).unwrap().into_rgba8();
        assert!(picture == written, "at {time} s another picture than {name}");
        copied.push(picture);
    }
    assert!(copied[0] != copied[1], "the same picture twice");
    window.close();
}
