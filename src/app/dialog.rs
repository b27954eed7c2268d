//! The system's file dialog, which runs beside the window.

use std::time::{Duration, Instant};

use winit::event_loop::EventLoopProxy;
use winit::window::Window;

use super::taken::Taken;
use super::wake::Wake;
use crate::session::FileQuestion;

/// A dialog that ends sooner than this was never shown, because a person takes longer to close one.
pub(super) const TOO_QUICK: Duration = Duration::from_millis(200);

/// The file types that the dialog offers.
const FILTERS: [(&str, &[&str]); 4] = [
    ("glTF", &["glb", "gltf", "vrm"]),
    ("environments", &["hdr", "exr"]),
    ("sessions", &["json"]),
    ("all files", &["*"]),
];

/// The file that a dialog asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Model,
    /// A model whose clips play on the shown one.
    Clips,
    /// A model to compare with the shown one.
    Beside,
    Environment,
}

/// Opens the system's dialog. The answer arrives as a [`Wake`].
pub(super) fn ask_for_file(window: &Window, wanted: Wanted, proxy: EventLoopProxy<Wake>) {
    let asked = Instant::now();
    let (title, filters, taken) = match wanted {
        Wanted::Environment => ("Open an environment", &FILTERS[1..], Taken::Opened),
        Wanted::Model => ("Open a glTF file", &FILTERS[..], Taken::Opened),
        Wanted::Clips => ("Take the clips of a glTF file", &FILTERS[..1], Taken::ForClips),
        Wanted::Beside => ("Open a glTF file to compare with", &FILTERS[..1], Taken::Beside),
    };
    let dialog = rfd::AsyncFileDialog::new().set_parent(window).set_title(title);
    // Some systems require dialogs on the main thread, so only the waiting happens on another one.
    let answer =
        filters.iter().fold(dialog, |d, (name, ends)| d.add_filter(*name, ends)).pick_file();
    let also = proxy.clone();
    let wait = move || {
        let chosen = pollster::block_on(answer).map(|file| file.path().to_owned());
        let nobody = chosen.is_none() && asked.elapsed() < TOO_QUICK;
        // The event loop is gone if the window has been closed.
        let _ = proxy.send_event(if nobody { Wake::NoDialog } else { Wake::Chosen(chosen, taken) });
    };
    if std::thread::Builder::new().name("dialog".into()).spawn(wait).is_err() {
        let _ = also.send_event(Wake::NoDialog);
    }
}

/// Opens the system's dialog for a file to write, with a name to begin with. The answer arrives as a [`Wake`]. Where no
/// dialog can be shown, the answer is the name itself, in the working directory.
pub(super) fn ask_where(
    window: &Window,
    question: FileQuestion,
    name: &str,
    proxy: EventLoopProxy<Wake>,
) {
    let asked = Instant::now();
    let title = match question {
        FileQuestion::SaveSession => "Save the session",
        FileQuestion::Record => "Record the clip",
    };
    let dialog = rfd::AsyncFileDialog::new().set_parent(window).set_title(title);
    let answer = dialog.set_file_name(name).save_file();
    let (also, name) = (proxy.clone(), std::path::PathBuf::from(name));
    let usual = name.clone();
    let wait = move || {
        let chosen = pollster::block_on(answer).map(|file| file.path().to_owned());
        let nobody = chosen.is_none() && asked.elapsed() < TOO_QUICK;
        // The event loop is gone if the window has been closed.
        let _ =
            proxy.send_event(Wake::Answered(question, if nobody { Some(name) } else { chosen }));
    };
    if std::thread::Builder::new().name("dialog".into()).spawn(wait).is_err() {
        let _ = also.send_event(Wake::Answered(question, Some(usual)));
    }
}
