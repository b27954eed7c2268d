//! The folder of approved results: names of its files, and which of them no case uses.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use super::case::{Case, CaseInstant};
use super::golden::is_golden_file;
use super::results::Kind;

/// Key of the adapter's name in the text chunks of a picture.
pub(super) const ADAPTER: &str = "Adapter";

/// Returns the name of the golden of a picture: the case's name, `@`, the instant. Separated by `/`.
pub fn picture_name(case: &Case, instant: &CaseInstant) -> String {
    format!("{}@{}.png", case.name, instant.label)
}

/// Returns the name of the golden of a case's pose, over its whole clip.
pub fn golden_name(case: &Case) -> String {
    format!("{}.glb", case.name)
}

/// Returns the names of the pose goldens that a case had before there was one GLB per case.
pub fn older_goldens(case: &Case) -> Vec<String> {
    let poses = case.instants.iter().map(|at| format!("{}@{}.json", case.name, at.label));
    poses.chain([format!("{}.motion", case.name)]).collect()
}

/// Returns the names of all goldens of a case.
pub fn golden_names(case: &Case) -> Vec<String> {
    let mut names = Vec::new();
    for kind in &case.expect {
        match kind {
            Kind::Picture => names.extend(case.instants.iter().map(|at| picture_name(case, at))),
            Kind::Pose => names.push(golden_name(case)),
            Kind::Check => {}
        }
    }
    names
}

/// Returns the names of the files of a folder of goldens that no case uses, sorted. Files that are not named
/// like goldens do not count.
///
/// # Errors
/// If a folder can't be read. A missing folder has no files.
pub fn stale_goldens<'a>(
    folder: &Path,
    cases: impl IntoIterator<Item = &'a Case>,
) -> io::Result<Vec<String>> {
    let used: BTreeSet<String> = cases.into_iter().flat_map(golden_names).collect();
    let mut stale = Vec::new();
    let mut folders = vec![(folder.to_owned(), String::new())];
    while let Some((folder, prefix)) = folders.pop() {
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        for entry in entries {
            let entry = entry?;
            let Some(name) = entry.file_name().to_str().map(|n| format!("{prefix}{n}")) else {
                continue;
            };
            // Symbolic links are not followed, so that there are no circles.
            if entry.file_type()?.is_dir() {
                folders.push((entry.path(), format!("{name}/")));
            } else if is_golden(&name) && !used.contains(&name) && was_approved(&entry.path()) {
                stale.push(name);
            }
        }
    }
    stale.sort_unstable();
    Ok(stale)
}

/// Returns a text that is stored in a PNG.
pub(super) fn text_of(png: &[u8], key: &str) -> Option<String> {
    let reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().ok()?;
    let texts = &reader.info().utf8_text;
    texts.iter().find(|text| text.keyword == key)?.get_text().ok()
}

/// Whether a file has the contents of a golden. Others may have names like theirs, such as `logo@2x.png`.
fn was_approved(path: &Path) -> bool {
    let Ok(bytes) = std::fs::read(path) else { return false };
    if bytes.is_empty() {
        // A golden whose writing was cut off.
        return true;
    }
    match path.extension().and_then(|e| e.to_str()) {
        Some("png") => text_of(&bytes, ADAPTER).is_some(),
        Some("glb") => is_golden_file(&bytes),
        // Those of before.
        Some("json") => serde_json::from_slice::<serde_json::Value>(&bytes)
            .is_ok_and(|golden| golden.get("format").is_some()),
        _ => bytes.starts_with(b"rigview motion "),
    }
}

/// Whether a file has a golden's name.
fn is_golden(name: &str) -> bool {
    let path = PathBuf::from(name);
    match path.extension().and_then(|e| e.to_str()) {
        Some("png" | "json") => name.contains('@'),
        extension => matches!(extension, Some("glb" | "motion")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::manifest::manifest;

    #[test]
    fn goldens_that_no_case_uses_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let text = r#"
[[case]]
name = "a/run"
file = "a.glb"
times = [0, 0.50]
expect = ["picture", "pose"]
[[case]]
name = "b"
file = "b.glb"
"#;
        let cases = manifest(text, folder.path()).unwrap();
        let used = ["a/run@0.png", "a/run@0.50.png", "a/run.glb", "b@0.0.png"];
        let older = ["a/run.motion", "a/run@0.50.json"];
        let stale = ["a/old.glb", older[0], "a/run@0.5.png", older[1], "c/d/e@1.png"];
        let others = ["README.md", "notes.png", "a/c.json"];
        for name in used.iter().chain(&stale).chain(&others) {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        assert_eq!(stale_goldens(folder.path(), &cases).unwrap(), stale);
        assert!(stale_goldens(&folder.path().join("none"), &cases).unwrap().is_empty());
    }
}
