//! `rigview [FILE]`: opens the window.

use std::path::{Path, PathBuf};

use super::args::WindowArgs;
use super::choice::{adapter, session_options, source};
use super::failure::Failure;
use super::side_files::script;
use crate::app::{AppError, ScriptSource, Start, run as open_window};
use crate::session::{Action, LoadAction};

pub fn run(args: &WindowArgs) -> Result<(), Failure> {
    let script = match args.script.as_deref() {
        None => None,
        Some(path) if path == Path::new("-") => Some(ScriptSource::StandardInput),
        Some(path) => Some(ScriptSource::Text(script(path)?)),
    };
    let start = Start {
        open: open(&args.file),
        // The file is loaded while the window opens; wrong names are reported there.
        session: session_options(&args.clip, &args.camera, &args.look, None)?,
        adapter: adapter(&args.gpu),
        size: args.look.size,
        script,
    };
    open_window(start, Box::new(std::io::stdout())).map_err(|error| match error {
        AppError::Script(what) => Failure::No(what),
        AppError::Gpu(error) => error.into(),
        other => Failure::Gpu(other.to_string()),
    })
}

/// Returns the first action: opens the built-in rig, a file, or a list of files and folders.
fn open(files: &[PathBuf]) -> Action {
    match files {
        [] => Action::Load(LoadAction::Open(source(None))),
        [file] if !file.is_dir() => LoadAction::open(file).into(),
        all => Action::Load(LoadAction::OpenAll(all.to_vec())),
    }
}
