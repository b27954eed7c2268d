//! Joins the report folders of a suite that ran in parts.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Component, Path, PathBuf};

use super::case::Case;
use super::judge::shown;
use super::results::{CaseResult, Results, Status};
use rigview_import::escaped;

/// The file of a report folder that holds its results.
pub const RESULTS_FILE: &str = "results.json";

/// The joined results, and the folder that each case's pictures are in.
#[derive(Debug, Default)]
pub struct Merged {
    /// The cases in the order of the manifest, or by name without one.
    pub results: Results,
    /// The report folder of each case of `results`; `None` for a case without a result.
    pub folders: Vec<Option<PathBuf>>,
    /// Folders without results, each with the reason.
    pub unread: Vec<String>,
}

/// Joins the results of report folders. If two hold the same case, the later folder counts. With the cases of a
/// manifest, those without a result become errors, and results of other cases are left out.
///
/// # Errors
/// In words, if the folders hold parts of suites that were divided in different ways: some are of an earlier run.
pub fn merged(folders: &[PathBuf], cases: Option<&[Case]>) -> Result<Merged, String> {
    let mut found: BTreeMap<String, (CaseResult, &Path)> = BTreeMap::new();
    let mut out = Merged::default();
    let mut parts = BTreeSet::new();
    let mut count = None;
    for folder in folders {
        match read(&folder.join(RESULTS_FILE)) {
            Ok(results) => {
                let [part, of] = results.part.unwrap_or([1, 1]);
                parts.insert(part);
                let (first, other) = *count.get_or_insert((folder, of));
                if other != of {
                    let run = |folder: &Path, of: u64| match of {
                        1 => format!("{} is a whole run", shown(folder)),
                        _ => format!("{} is one of {of} parts", shown(folder)),
                    };
                    let [folder, first] = [run(folder, of), run(first, other)];
                    return Err(format!("{folder} and {first}: merge the parts of one run"));
                }
                let cases = results.cases.into_iter();
                found.extend(cases.map(|case| (case.name.clone(), (case, folder.as_path()))));
            }
            Err(what) => out.unread.push(format!("{}: {what}", shown(folder))),
        }
    }
    let missing = |part: &u64| !parts.contains(part);
    if let (Some((_, count)), []) = (count, &out.unread[..])
        && let Some(part) = (1..=count).find(missing)
    {
        out.unread.push(format!("part {part} of {count}: it is in none of the folders"));
    }
    let cases: Vec<(CaseResult, Option<PathBuf>)> = match cases {
        None => found.into_values().map(|(case, folder)| (case, Some(folder.into()))).collect(),
        Some(cases) => {
            let result = |case: &Case| match found.remove(&case.name) {
                Some((result, folder)) => (result, Some(folder.to_owned())),
                None => (without_result(case), None),
            };
            cases.iter().map(result).collect()
        }
    };
    (out.results.cases, out.folders) = cases.into_iter().unzip();
    out.results.count();
    Ok(out)
}

/// Copies the files that the results name from their report folders to another one, as many as can be copied.
///
/// # Errors
/// The first file that can't be copied, and why.
pub fn copy_files(merged: &Merged, report: &Path) -> io::Result<()> {
    let mut done = Ok(());
    for (case, folder) in merged.results.cases.iter().zip(&merged.folders) {
        let Some(folder) = folder else { continue };
        for name in case.files() {
            done = done.and(copy(&folder.join(name), &report.join(name)));
        }
    }
    done
}

/// Copies a file, and creates the folders that it needs.
fn copy(source: &Path, target: &Path) -> io::Result<()> {
    if let Some(folder) = target.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::copy(source, target)
        .map(drop)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", source.display())))
}

fn read(file: &Path) -> Result<Results, String> {
    let bytes = std::fs::read(file).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            format!("no {RESULTS_FILE}: it is no report, or its part of the suite did not finish")
        }
        _ => format!("{RESULTS_FILE} can't be read: {}", escaped(&error.to_string())),
    })?;
    let results: Results = serde_json::from_slice(&bytes)
        .map_err(|error| format!("{RESULTS_FILE} is not that of a report: {error}"))?;
    if results.format > Results::FORMAT {
        return Err(format!("{RESULTS_FILE} was written by a later version of rigview"));
    }
    let is_name = |part: Component| matches!(part, Component::Normal(_));
    let leaves = |name: &str| !Path::new(name).components().all(is_name);
    if let Some(name) = results.cases.iter().flat_map(CaseResult::files).find(|name| leaves(name)) {
        return Err(format!("{RESULTS_FILE} names a file outside the report: {}", escaped(name)));
    }
    Ok(results)
}

fn without_result(case: &Case) -> CaseResult {
    CaseResult {
        name: case.name.clone(),
        file: case.file.clone(),
        status: Status::Error,
        clip: None,
        message: Some("no result: the part of the suite that has this case did not finish".into()),
        checks: Vec::new(),
        motion: None,
        commands: None,
    }
}

impl Results {
    /// Counts the cases that passed and those that did not.
    pub fn count(&mut self) {
        let passed = |case: &&CaseResult| case.status == Status::Passed;
        self.passed = self.cases.iter().filter(passed).count();
        self.failed = self.cases.len() - self.passed;
    }
}

impl CaseResult {
    /// Returns the names of the case's files in the report folder.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let pictures = self.checks.iter().filter_map(|check| check.picture.as_ref());
        let pictures = pictures.flat_map(|p| [&p.reference, &p.result, &p.difference]);
        let motion = self.motion.iter();
        let motions = motion.flat_map(|m| m.reference.iter().chain([&m.result]));
        pictures.flatten().chain(motions).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::manifest::manifest;

    fn write(folder: &Path, name: &str, cases: &[(&str, Status)]) -> PathBuf {
        let folder = folder.join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let case = |(name, status): &(&str, Status)| CaseResult {
            name: (*name).to_owned(),
            file: "a.glb".into(),
            status: *status,
            clip: None,
            message: None,
            checks: vec![],
            motion: None,
            commands: None,
        };
        let mut results = Results { cases: cases.iter().map(case).collect(), ..Results::default() };
        results.count();
        std::fs::write(folder.join(RESULTS_FILE), serde_json::to_vec(&results).unwrap()).unwrap();
        folder
    }

    #[test]
    fn parts_are_joined_and_lost_ones_named() {
        let folder = tempfile::tempdir().unwrap();
        let one = write(folder.path(), "1", &[("b", Status::Passed), ("a", Status::Failed)]);
        let two = write(folder.path(), "2", &[("c", Status::Passed), ("a", Status::Passed)]);
        let folders = [one, two, folder.path().join("3")];
        let all = merged(&folders, None).unwrap();
        let names: Vec<&str> = all.results.cases.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c"]);
        assert_eq!((all.results.passed, all.results.failed), (3, 0));
        assert!(all.unread.len() == 1 && all.unread[0].contains("did not finish"), "{all:?}");
        let text = "[[case]]\nname='c'\nfile='c'\n[[case]]\nname='d'\nfile='d'\n";
        let cases = manifest(text, folder.path()).unwrap();
        let all = merged(&folders[..2], Some(&cases)).unwrap();
        assert_eq!((all.results.passed, all.results.failed), (1, 1));
        assert_eq!(all.results.cases[1].status, Status::Error);
        assert_eq!(all.folders[1], None);
    }
}
