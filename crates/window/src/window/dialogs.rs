//! The system's file dialogs, which run beside the window.

use std::time::{Duration, Instant};

use winit::event_loop::EventLoopProxy;
use winit::window::Window;

use super::wake::Wake;
use rigview_import::MODEL_ENDINGS;
use rigview_session::{Destination, FileQuestion};
use rigview_shell::{DialogAnswer, FileDialog};

/// A dialog that ends sooner than this was never shown, because a person takes longer to close one.
const TOO_QUICK: Duration = Duration::from_millis(200);

/// A name of file types, and the ends of their names.
type Filter = (&'static str, &'static [&'static str]);

const MODELS: Filter = ("models", &MODEL_ENDINGS);
const ENVIRONMENTS: Filter = ("environments", &["hdr", "exr"]);
const SESSIONS: Filter = ("sessions", &["json"]);
const POSES: Filter = ("poses", &["json"]);
const ALL: Filter = ("all files", &["*"]);

/// Opens the system's dialog for a file. The answer arrives as a [`Wake`].
pub(super) fn ask(window: &Window, asked_for: FileDialog, proxy: EventLoopProxy<Wake>) {
    let FileDialog { question, name, folder } = asked_for;
    let asked = Instant::now();
    let (title, filters): (&str, &[Filter]) = match question {
        FileQuestion::Open(Destination::Shown) => {
            ("Open a model", &[MODELS, ENVIRONMENTS, SESSIONS, ALL])
        }
        FileQuestion::Open(Destination::Light) => {
            ("Open an environment", &[ENVIRONMENTS, SESSIONS, ALL])
        }
        FileQuestion::Open(Destination::Clips) => ("Take the clips of a file", &[MODELS, ALL]),
        FileQuestion::Open(Destination::Beside) => ("Open a model to compare with", &[MODELS, ALL]),
        FileQuestion::LoadPose => ("Load a pose", &[POSES, ALL]),
        FileQuestion::SavePose => ("Save the pose", &[POSES, ALL]),
        FileQuestion::SaveMap => ("Save the map", &[("maps", &["toml"]), ALL]),
        FileQuestion::SaveCopy(_) => ("Save a copy", &[("GLB files", &["glb", "vrm"])]),
        FileQuestion::SaveSession => ("Save the session", &[]),
        FileQuestion::Record => ("Record the clip", &[]),
    };
    let dialog = rfd::AsyncFileDialog::new().set_parent(window).set_title(title);
    let dialog = filters
        .iter()
        .fold(dialog, |dialog, (name, ends)| dialog.add_filter(*name, &in_both_cases(ends)));
    let dialog = match folder {
        Some(folder) => dialog.set_directory(folder),
        None => dialog,
    };
    // Some systems require dialogs on the main thread, so only the waiting happens on another one.
    let file: Box<dyn Future<Output = Option<rfd::FileHandle>> + Send> = match &name[..] {
        "" => Box::new(dialog.pick_file()),
        name => Box::new(dialog.set_file_name(name).save_file()),
    };
    let also = proxy.clone();
    let wait = move || {
        let chosen = match pollster::block_on(Box::into_pin(file)) {
            Some(file) => DialogAnswer::File(file.path().to_owned()),
            None if asked.elapsed() < TOO_QUICK => DialogAnswer::NoDialog,
            None => DialogAnswer::Nothing,
        };
        // The event loop is gone if the window has been closed.
        let _ = proxy.send_event(Wake::DialogAnswer(question, chosen));
    };
    if std::thread::Builder::new().name("dialog".into()).spawn(wait).is_err() {
        let _ = also.send_event(Wake::DialogAnswer(question, DialogAnswer::NoDialog));
    }
}

/// Returns the ends of names in small and in capital letters: where case matters, a dialog hides `WALK.FBX` otherwise.
fn in_both_cases(ends: &[&str]) -> Vec<String> {
    let capital = ends.iter().map(|end| end.to_uppercase()).filter(|end| end != "*");
    ends.iter().map(|end| end.to_string()).chain(capital).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_listed_whatever_the_case_of_their_names() {
        assert_eq!(in_both_cases(&["glb", "fbx"]), ["glb", "fbx", "GLB", "FBX"]);
        assert_eq!(in_both_cases(ALL.1), ["*"]);
    }
}
