//! Asking for a file, without ever stopping the window.

use std::time::{Duration, Instant};

use winit::event_loop::EventLoopProxy;
use winit::window::Window;

use super::wake::Wake;

/// No person closes a dialog this quickly: there was none.
const TOO_QUICK: Duration = Duration::from_millis(200);

/// Files that the dialog offers: models and what else can be opened.
const FILTERS: [(&str, &[&str]); 3] =
    [("glTF", &["glb", "gltf", "vrm"]), ("environments", &["hdr", "exr"]), ("all files", &["*"])];

/// Opens the system's dialog, for a model or for an environment; the answer comes through the event
/// loop.
pub(super) fn ask_for_file(window: &Window, environment: bool, proxy: EventLoopProxy<Wake>) {
    let asked = Instant::now();
    let (title, filters) = match environment {
        true => ("Open an environment", &FILTERS[1..]),
        false => ("Open a glTF file", &FILTERS[..]),
    };
    let dialog = rfd::AsyncFileDialog::new().set_parent(window).set_title(title);
    // Made here, since some systems want dialogs on the main thread; awaited elsewhere.
    let answer =
        filters.iter().fold(dialog, |d, (name, ends)| d.add_filter(*name, ends)).pick_file();
    let also = proxy.clone();
    let wait = move || {
        let chosen = pollster::block_on(answer).map(|file| file.path().to_owned());
        let nobody = chosen.is_none() && asked.elapsed() < TOO_QUICK;
        // Nobody listens any more when the window has been closed.
        let _ = proxy.send_event(if nobody { Wake::NoDialog } else { Wake::Chosen(chosen) });
    };
    if std::thread::Builder::new().name("dialog".into()).spawn(wait).is_err() {
        let _ = also.send_event(Wake::NoDialog);
    }
}
