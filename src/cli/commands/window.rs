//! `rigview [FILE]`: opens the window.

use std::path::{Path, PathBuf};

use crate::cli::args::WindowArgs;
use crate::cli::choice::{adapter, session_options, source};
use crate::cli::failure::{Failure, Result, usage_error};
use rigview_import::{ImportError, read_file};
use rigview_session::{Action, Destination, FileSource, LoadAction};
use rigview_window::{AppError, ScriptSource, Start, hand_over, run as open_window, settings_path};

const MAX_SCRIPT_BYTES: u64 = 16 << 20;

pub fn run(args: &WindowArgs) -> Result {
    if args.reuse && hand_over(&args.file) {
        return Ok(());
    }
    open_window(start(args)?, Box::new(std::io::stdout())).map_err(|error| match error {
        AppError::Script(what) => Failure::No(what),
        AppError::Gpu(error) => error.into(),
        other => Failure::Gpu(other.to_string()),
    })
}

pub fn start(args: &WindowArgs) -> Result<Start> {
    let script = match args.script.as_deref() {
        None => None,
        Some(path) if path == Path::new("-") => Some(ScriptSource::StandardInput),
        Some(path) => Some(ScriptSource::Text(script(path)?)),
    };
    Ok(Start {
        open: open(&args.file, &args.compare)?,
        // The file is loaded while the window opens; wrong names are reported there.
        session: session_options(&args.scene.clip, &args.scene.camera, &args.scene.look, None)?,
        adapter: adapter(&args.scene.gpu),
        size: args.scene.look.size,
        quality: args.quality,
        folder: std::env::current_dir().unwrap_or_default(),
        settings: settings_path(script.is_some()),
        script,
        reuse: args.reuse,
        bvh_scale: args.scene.clip.clips.bvh_scale(),
    })
}

/// Returns the first action: opens the built-in rig, a file, a list of files and folders, or two files to compare.
fn open(files: &[PathBuf], compared: &[PathBuf]) -> Result<Action> {
    let both = |a: &PathBuf, b: &PathBuf| {
        LoadAction::OpenBoth([a, b].map(|path| FileSource::Path(path.clone()))).into()
    };
    Ok(match (files, compared) {
        ([], []) => Action::Load(LoadAction::Open(source(None), Destination::Shown)),
        ([file], []) if !file.is_dir() => LoadAction::open(file).into(),
        (all, []) => Action::Load(LoadAction::OpenAll(all.to_vec(), Destination::Shown)),
        ([a], [b]) | ([], [a, b]) => both(a, b),
        _ => {
            return usage_error(
                "--compare: two files are compared: `A --compare B` or `--compare A B`",
            );
        }
    })
}

fn script(path: &Path) -> Result<String> {
    let bytes = read_file(path, MAX_SCRIPT_BYTES).map_err(|e| match e {
        ImportError::Io { what } if what.starts_with("not a regular file") => {
            let what = what + "; use --script - to read standard input";
            Failure::load(path, ImportError::Io { what })
        }
        e => Failure::load(path, e),
    })?;
    String::from_utf8(bytes).map_err(|_| {
        let what = "the script is not UTF-8".to_owned();
        Failure::load(path, ImportError::other(what))
    })
}
