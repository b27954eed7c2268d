//! Drags on X11 that the window library passes over: if a dragged file does not exist, or is not on this computer, it reports
//! neither the drag nor the drop. A thread reads what is dragged from the property that the library reads it from.

use std::error::Error;
use std::path::PathBuf;

use percent_encoding::percent_decode_str;
use winit::raw_window_handle::{HasWindowHandle as _, RawWindowHandle};
use winit::window::Window;
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, EventMask, Property,
};

use rigview_import::ImportError;
use rigview_session::FileSource;

/// Maximum size of a list of files that is read, in units of four bytes.
const MOST_WORDS: u32 = 1 << 18;

/// A dragged file that can't be opened.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LostDrop {
    /// The file, or its URI if it is not on this computer.
    pub path: PathBuf,
    /// The reason, with the way out.
    pub why: String,
}

/// Reports files that are dragged over a window and can't be opened, on a thread of its own. Does nothing except on X11.
pub(super) fn watch(window: &Window, report: impl Fn(LostDrop) + Send + 'static) {
    let handle = window.window_handle().map(|handle| handle.as_raw());
    let Ok(RawWindowHandle::Xlib(handle)) = handle else { return };
    let watch = move || {
        if let Err(error) = read_drags(handle.window as u32, report) {
            log::debug!("drags are not watched: {error}");
        }
    };
    if let Err(error) = std::thread::Builder::new().name("drags".into()).spawn(watch) {
        log::debug!("drags are not watched: {error}");
    }
}

fn read_drags(window: u32, report: impl Fn(LostDrop)) -> Result<(), Box<dyn Error>> {
    let (client, _) = x11rb::connect(None)?;
    let selection = client.intern_atom(false, b"XdndSelection")?.reply()?.atom;
    let changes = ChangeWindowAttributesAux::new().event_mask(EventMask::PROPERTY_CHANGE);
    client.change_window_attributes(window, &changes)?.check()?;
    loop {
        let Event::PropertyNotify(event) = client.wait_for_event()? else { continue };
        if event.atom != selection || event.state != Property::NEW_VALUE {
            continue;
        }
        let list = client.get_property(false, window, selection, AtomEnum::ANY, 0, MOST_WORDS)?;
        let list = list.reply()?.value;
        lost(&String::from_utf8_lossy(&list)).into_iter().for_each(&report);
    }
}

/// Returns the first file of a list of URIs that can't be opened: because of it, the library drops all of them.
fn lost(list: &str) -> Option<LostDrop> {
    let uris: Vec<&str> = list.split("\r\n").filter(|uri| !uri.is_empty()).collect();
    let mut lost = uris.iter().find_map(|uri| lost_file(uri))?;
    if uris.len() > 1 {
        lost.why += ". Of the files that are dropped with it, none is opened";
    }
    Some(lost)
}

fn lost_file(uri: &str) -> Option<LostDrop> {
    let Some(path) = uri.strip_prefix("file://").filter(|path| path.starts_with('/')) else {
        let why = "not a file of this computer; save it here, and drop that".to_owned();
        return Some(LostDrop { path: uri.into(), why });
    };
    let path = PathBuf::from(percent_decode_str(path).decode_utf8_lossy().into_owned());
    let what = match path.canonicalize().err()? {
        error if error.kind() == std::io::ErrorKind::NotFound => "not found".to_owned(),
        error => error.to_string(),
    };
    let why = FileSource::Path(path.clone()).message(&ImportError::Io { what });
    Some(LostDrop { path, why })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_can_not_be_opened_are_found_among_what_is_dragged() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path().join("a b.glb");
        std::fs::write(&here, "").unwrap();
        let folder = folder.path().display();
        let here = format!("file://{folder}/a%20b.glb\r\n");
        assert_eq!(lost(&here), None);
        assert_eq!(lost(""), None);
        let gone = lost(&format!("file://{folder}/c%20d.glb\r\n")).unwrap();
        assert!(gone.path.ends_with("c d.glb"), "{gone:?}");
        assert!(gone.why.starts_with(&format!("not found (in {folder}); if it was")), "{gone:?}");
        let both = lost(&format!("{here}file://{folder}/c.glb\r\n")).unwrap();
        assert!(both.path.ends_with("c.glb") && both.why.ends_with("none is opened"), "{both:?}");
        for uri in ["https://models.example/fox.glb", "file://server/fox.glb"] {
            let lost = lost(&format!("{uri}\r\n")).unwrap();
            assert_eq!(lost.path.to_str(), Some(uri));
            assert!(lost.why.contains("not a file of this computer"), "{lost:?}");
        }
    }
}
