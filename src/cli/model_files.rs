//! Files, folders and globs of the command line to a list of model files.

use std::collections::HashSet;
use std::fs::FileType;
use std::path::{Component, Path, PathBuf};

use globset::GlobBuilder;

use super::failure::{Failure, Result, shown, usage_error};
use super::output::resolved;
use rigview_check::Pattern;
use rigview_import::{escaped, is_model_name};
use rigview_report::counted;

const MOST_ENTRIES: usize = 1_000_000;

/// Returns the files that arguments name, each once by its first spelling: a file as it is, the models below a folder, or the files that a
/// glob matches, in the order of their names. In a glob, `*` and `?` stay within a folder, and `**` is any number of
/// them. Hidden entries are left out, and links to folders with a warning. A link to a file that is not there is named: it may
/// stand for one that was not fetched.
pub fn model_files(arguments: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let (mut files, mut seen) = (Vec::new(), HashSet::new());
    for argument in arguments {
        let text = argument.to_string_lossy();
        let named = if argument.is_dir() {
            let (mut named, linked) = below(argument)?;
            warn_of(&linked);
            named.retain(|file| is_model_name(file));
            found(named, || {
                format!(
                    "the folder {} has no model (.glb, .gltf, .vrm, .fbx, .bvh)",
                    escaped(&text)
                )
            })?
        } else if !argument.exists() && text.contains(['*', '?', '[', '{']) {
            found(matching(&text)?, || format!("no file matches {}", escaped(&text)))?
        } else {
            vec![argument.clone()]
        };
        // A link to a file is one of its own: trees by content link equal files to one.
        files.extend(named.into_iter().filter(|file| seen.insert(resolved(file))));
    }
    Ok(files)
}

fn found(files: Vec<PathBuf>, none: impl FnOnce() -> String) -> Result<Vec<PathBuf>> {
    if files.is_empty() { usage_error(none()) } else { Ok(files) }
}

fn matching(text: &str) -> Result<Vec<PathBuf>> {
    // The limits of all globs.
    Pattern::new(text).map_err(Failure::Usage)?;
    let glob = GlobBuilder::new(text).literal_separator(true).build();
    let glob = glob.map_err(|e| Failure::Usage(format!("{}: {}", escaped(text), e.kind())))?;
    let glob = glob.compile_matcher();
    let is_plain =
        |part: &Component| !part.as_os_str().to_string_lossy().contains(['*', '?', '[', '{']);
    let start: PathBuf = Path::new(text).components().take_while(is_plain).collect();
    let folder = if start.as_os_str().is_empty() { PathBuf::from(".") } else { start.clone() };
    let (mut files, linked) = if folder.is_dir() { below(&folder)? } else { Default::default() };
    if text.contains("**") {
        warn_of(&linked);
    }
    if start.as_os_str().is_empty() {
        for file in &mut files {
            *file = file.strip_prefix(".").map_or_else(|_| file.clone(), Path::to_owned);
        }
    }
    files.retain(|file| glob.is_match(file));
    Ok(files)
}

/// Warns of links to folders, which may hold files that were meant.
fn warn_of(linked: &[PathBuf]) {
    if let Some(first) = linked.iter().min() {
        let (first, count) = (shown(first), counted(linked.len(), "link"));
        log::warn!(
            "{count} to folders not followed, such as {first}; name the folder to search it"
        );
    }
}

/// Returns the files below a folder, folder by folder, in the order of their names, and the links to other folders.
fn below(folder: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let (mut files, mut entries) = (Vec::new(), 0);
    let mut linked: Vec<PathBuf> = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let list = folder.read_dir().map_err(|e| {
            let name = shown(&folder);
            Failure::Usage(format!("the folder {name} can't be read: {e}"))
        })?;
        let (mut own, mut deeper) = (Vec::new(), Vec::new());
        for entry in list.flatten() {
            entries += 1;
            if entries > MOST_ENTRIES {
                let name = shown(&folder);
                return usage_error(format!("{name}: more than {MOST_ENTRIES} files; name fewer"));
            }
            let kind = entry.file_type();
            let is = |of: fn(&FileType) -> bool| kind.as_ref().is_ok_and(of);
            match entry.path() {
                _ if entry.file_name().as_encoded_bytes().starts_with(b".") => {}
                path if is(FileType::is_dir) => deeper.push(path),
                path if path.is_file() => own.push(path),
                path if is(FileType::is_symlink) && path.is_dir() => linked.push(path),
                path if is(FileType::is_symlink) && !path.exists() => own.push(path),
                _ => {}
            }
        }
        own.sort();
        files.extend(own);
        // The list is a stack: its last folder is searched next.
        deeper.sort_by(|a, b| b.cmp(a));
        folders.extend(deeper);
    }
    Ok((files, linked))
}
