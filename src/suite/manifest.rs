//! Manifests of test suites, in TOML.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use super::case::{Case, CaseInstant};
use super::goldens::golden_names;
use super::results::Kind;

/// Size of a picture in pixels if neither case nor defaults say one, as for `screenshot`.
const SIZE: [u32; 2] = [1024, 768];

/// Seconds after which a case is stopped.
const TIME_LIMIT_SECS: f64 = 60.0;

/// Resident memory beyond which a case is stopped, in MiB.
const MEMORY_LIMIT_MIB: u64 = 4096;

/// Distance in metres by which a pose may differ from its golden.
const POSE_TOLERANCE: f64 = 1e-4;

/// Why a manifest can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} at line {line}, column {column}")]
pub struct ManifestError {
    /// What is wrong, and what would be right.
    pub what: String,
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(default)]
    defaults: Keys,
    #[serde(default)]
    case: Vec<Spanned<Keys>>,
}

/// The keys of `[defaults]` and `[[case]]`.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    name: Option<Spanned<String>>,
    file: Option<Spanned<String>>,
    clip: Option<NameOrIndex>,
    rest: Option<Spanned<bool>>,
    times: Option<Spanned<Vec<Spanned<f64>>>>,
    frames: Option<Spanned<Vec<Spanned<f64>>>>,
    fps: Option<Spanned<f64>>,
    size: Option<Spanned<String>>,
    args: Option<Vec<String>>,
    expect: Option<Spanned<Vec<Kind>>>,
    tolerance: Option<Spanned<f64>>,
    flip: Option<Spanned<f64>>,
    pose_tolerance: Option<Spanned<f64>>,
    contract: Option<PathBuf>,
    time_limit: Option<Spanned<f64>>,
    memory_limit: Option<Spanned<u64>>,
}

#[derive(Clone, Deserialize)]
#[serde(untagged, expecting = "`clip` is a name in quotes or an index from 0")]
enum NameOrIndex {
    Name(String),
    Index(u64),
}

/// Reads a manifest. `folder` is the one that its paths are relative to.
///
/// # Errors
/// If it is not TOML, has an unknown key, or a value is out of range; the first fault is named.
pub fn manifest(text: &str, folder: &Path) -> Result<Vec<Case>, ManifestError> {
    let line_ends = text.match_indices('\n').map(|(at, _)| at).collect();
    let reader = Reader { text, line_ends, folder };
    let document: Document = toml::from_str(text).map_err(|error| {
        reader.fault(error.span().unwrap_or_default(), error.message().to_owned())
    })?;
    if let Some(name) = &document.defaults.name {
        return Err(reader.fault(name.span(), "`name` belongs to a case, not to defaults".into()));
    }
    let mut seen = HashMap::new();
    let mut places = Places::default();
    let mut cases = Vec::with_capacity(document.case.len());
    for keys in document.case {
        let start = keys.span();
        let keys = keys.into_inner();
        let named = keys.name.as_ref().map(Spanned::span).unwrap_or(start.clone());
        let case = reader.case(keys.or(&document.defaults), start)?;
        if let Some(line) = seen.insert(case.name.clone(), case.line) {
            let what =
                format!("the case of line {line} is named \"{}\" too; names are unique", case.name);
            return Err(reader.fault(named, what));
        }
        if let Some(what) = places.add(&case) {
            return Err(reader.fault(named, what));
        }
        cases.push(case);
    }
    if cases.is_empty() {
        return Err(reader.fault(0..0, "there is no [[case]]".into()));
    }
    Ok(cases)
}

/// The goldens of cases and the folders that they are in, each with the line of its case.
#[derive(Default)]
struct Places {
    files: HashMap<String, usize>,
    folders: HashMap<String, usize>,
}

impl Places {
    /// Adds the goldens of a case. Returns what is wrong if one would be both a file and a folder.
    fn add(&mut self, case: &Case) -> Option<String> {
        for golden in golden_names(case) {
            let folders = || golden.match_indices('/').map(|(end, _)| &golden[..end]);
            let in_file = folders().find_map(|folder| self.files.get_key_value(folder));
            if let Some((name, line)) = in_file.or_else(|| self.folders.get_key_value(&golden)) {
                return Some(format!(
                    "the golden \"{name}\" would be a file and a folder, for this case and that of line {line}; rename \
                     one of both"
                ));
            }
            self.folders.extend(folders().map(|folder| (folder.to_owned(), case.line)));
            self.files.insert(golden, case.line);
        }
        None
    }
}

impl Keys {
    /// Returns these keys; those that are absent are taken from the defaults.
    fn or(self, defaults: &Self) -> Self {
        let defaults = defaults.clone();
        let rests = self.rest.as_ref().is_some_and(|rest| *rest.as_ref());
        // A case that names its frames has no use for times by default, and vice versa; the rest pose has neither.
        let has_instants = rests || self.times.is_some() || self.frames.is_some();
        let rest = self.rest.or(defaults.rest.filter(|_| self.clip.is_none()));
        Self {
            name: self.name,
            file: self.file.or(defaults.file),
            clip: self.clip.or(defaults.clip.filter(|_| !rests)),
            rest,
            times: self.times.or(defaults.times.filter(|_| !has_instants)),
            frames: self.frames.or(defaults.frames.filter(|_| !has_instants)),
            fps: self.fps.or(defaults.fps),
            size: self.size.or(defaults.size),
            args: self.args.or(defaults.args),
            expect: self.expect.or(defaults.expect),
            tolerance: self.tolerance.or(defaults.tolerance),
            flip: self.flip.or(defaults.flip),
            pose_tolerance: self.pose_tolerance.or(defaults.pose_tolerance),
            contract: self.contract.or(defaults.contract),
            time_limit: self.time_limit.or(defaults.time_limit),
            memory_limit: self.memory_limit.or(defaults.memory_limit),
        }
    }
}

/// A manifest's text, to name places in it.
struct Reader<'a> {
    text: &'a str,
    /// The places of its line breaks.
    line_ends: Vec<usize>,
    folder: &'a Path,
}

impl Reader<'_> {
    fn case(&self, keys: Keys, start: Range<usize>) -> Result<Case, ManifestError> {
        let line = self.line_index(start.start) + 1;
        let Some(name) = &keys.name else {
            return Err(self.fault(start, "a case without a `name`".into()));
        };
        if let Some(what) = unusable_name(name.as_ref()) {
            return Err(self.fault(name.span(), what));
        }
        let Some(file) = &keys.file else {
            return Err(self.fault(start, format!("case \"{}\" has no `file`", name.as_ref())));
        };
        if file.as_ref().is_empty() {
            return Err(self.fault(file.span(), "`file` is empty".into()));
        }
        let rest = self.rest(&keys)?;
        let positive = |x: f64| x > 0.0;
        let share = |x: f64| (0.0..=1.0).contains(&x);
        let limit = |x: f64| x >= 0.0;
        let fps = self.number("fps", &keys.fps, "more than 0", positive)?.unwrap_or(30.0);
        Ok(Case {
            instants: self.instants(&keys, fps)?,
            fps,
            size: keys.size.as_ref().map_or(Ok(SIZE), |size| self.size(size))?,
            expect: self.expectations(keys.expect)?,
            tolerance: self
                .number("tolerance", &keys.tolerance, "from 0 to 1", share)?
                .unwrap_or(0.0),
            flip: self.number("flip", &keys.flip, "from 0 to 1", share)?,
            pose_tolerance: self
                .number("pose_tolerance", &keys.pose_tolerance, "0 or more", limit)?
                .unwrap_or(POSE_TOLERANCE),
            time_limit: self
                .number("time_limit", &keys.time_limit, "more than 0", positive)?
                .unwrap_or(TIME_LIMIT_SECS),
            memory_limit: match keys.memory_limit {
                Some(mib) if *mib.as_ref() == 0 => {
                    return Err(self.fault(mib.span(), "`memory_limit` is more than 0".into()));
                }
                mib => mib.map_or(MEMORY_LIMIT_MIB, Spanned::into_inner),
            },
            name: name.as_ref().clone(),
            folder: self.folder.to_owned(),
            file: file.as_ref().clone(),
            clip: keys.clip.map(|clip| match clip {
                NameOrIndex::Name(name) => name,
                NameOrIndex::Index(index) => index.to_string(),
            }),
            rest,
            args: keys.args.unwrap_or_default(),
            contract: keys.contract.map(|path| self.folder.join(path)),
            line,
        })
    }

    /// Returns whether a case shows the rest pose, which has no clip and no instants.
    fn rest(&self, keys: &Keys) -> Result<bool, ManifestError> {
        let Some(rest) = keys.rest.as_ref().filter(|rest| *rest.as_ref()) else { return Ok(false) };
        let without = |key: &str| {
            let what =
                format!("the rest pose has no clip and no instants; leave `{key}` or `rest` out");
            Err(self.fault(rest.span(), what))
        };
        match keys {
            Keys { clip: Some(_), .. } => without("clip"),
            Keys { times: Some(_), .. } => without("times"),
            Keys { frames: Some(_), .. } => without("frames"),
            _ => Ok(true),
        }
    }

    fn instants(&self, keys: &Keys, fps: f64) -> Result<Vec<CaseInstant>, ManifestError> {
        let instant = |label: String, secs| CaseInstant { label, secs };
        let instants: Vec<(CaseInstant, Range<usize>)> = match (&keys.times, &keys.frames) {
            (Some(_), Some(frames)) => {
                return Err(self.fault(frames.span(), "give `times` or `frames`, not both".into()));
            }
            (None, None) => return Ok(vec![instant("0.0".into(), 0.0)]),
            (Some(times), None) => {
                let label = |time: &Spanned<f64>| self.text[time.span()].to_owned();
                let times = times.as_ref().iter();
                times.map(|t| (instant(label(t), *t.as_ref()), t.span())).collect()
            }
            (None, Some(frames)) => {
                let frames = frames.as_ref().iter();
                let at = |f: &f64| instant(format!("f{f}"), f / fps);
                frames.map(|f| (at(f.as_ref()), f.span())).collect()
            }
        };
        for (i, (at, span)) in instants.iter().enumerate() {
            if !at.secs.is_finite() || at.secs < 0.0 {
                return Err(self.fault(span.clone(), "an instant is 0 or more seconds".into()));
            }
            if instants[..i].iter().any(|(earlier, _)| earlier.label == at.label) {
                return Err(self.fault(span.clone(), "this instant is given twice".into()));
            }
        }
        if instants.is_empty() {
            let span = keys.times.as_ref().or(keys.frames.as_ref()).map(Spanned::span);
            return Err(self.fault(span.unwrap_or_default(), "give at least one instant".into()));
        }
        Ok(instants.into_iter().map(|(instant, _)| instant).collect())
    }

    fn expectations(&self, expect: Option<Spanned<Vec<Kind>>>) -> Result<Vec<Kind>, ManifestError> {
        let Some(expect) = expect else { return Ok(vec![Kind::Picture]) };
        let mut kinds: Vec<Kind> = Vec::new();
        for kind in expect.as_ref() {
            if !kinds.contains(kind) {
                kinds.push(*kind);
            }
        }
        if kinds.is_empty() {
            let what = "expect at least one of \"picture\", \"pose\" and \"check\"";
            return Err(self.fault(expect.span(), what.into()));
        }
        Ok(kinds)
    }

    fn size(&self, size: &Spanned<String>) -> Result<[u32; 2], ManifestError> {
        let edge = |text: &str| text.parse().ok().filter(|edge| *edge > 0);
        let edges = size.as_ref().split_once('x').and_then(|(w, h)| Some([edge(w)?, edge(h)?]));
        edges.ok_or_else(|| {
            let what =
                format!("size \"{}\" is not WIDTHxHEIGHT, such as \"256x256\"", size.as_ref());
            self.fault(size.span(), what)
        })
    }

    /// Returns a number that `fits`; `range` says which numbers do.
    fn number(
        &self,
        key: &str,
        value: &Option<Spanned<f64>>,
        range: &str,
        fits: impl Fn(f64) -> bool,
    ) -> Result<Option<f64>, ManifestError> {
        match value {
            Some(value) if !(value.as_ref().is_finite() && fits(*value.as_ref())) => {
                Err(self.fault(value.span(), format!("`{key}` is {range}")))
            }
            value => Ok(value.as_ref().map(|value| *value.as_ref())),
        }
    }

    fn fault(&self, span: Range<usize>, what: String) -> ManifestError {
        let at = self.text.floor_char_boundary(span.start);
        let line = self.line_index(at);
        let line_start = line.checked_sub(1).map_or(0, |before| self.line_ends[before] + 1);
        let column = self.text[line_start..at].chars().count() + 1;
        ManifestError { what, line: line + 1, column }
    }

    /// Returns the line of a place in the text, counted from 0.
    fn line_index(&self, at: usize) -> usize {
        self.line_ends.partition_point(|end| *end < at)
    }
}

/// Returns why a name can't be that of a case and its files.
fn unusable_name(name: &str) -> Option<String> {
    let odd = name.chars().find(|c| !c.is_alphanumeric() && !"-_./".contains(*c));
    if let Some(odd) = odd {
        return Some(format!(
            "{odd:?} in the name \"{}\"; use letters, digits, -, _, . and /",
            name.escape_debug()
        ));
    }
    let unusable = |part: &str| part.is_empty() || part.chars().all(|c| c == '.');
    name.split('/')
        .any(unusable)
        .then(|| format!("the name \"{name}\" is no path below the goldens, such as \"fox/run\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Case>, ManifestError> {
        manifest(text, Path::new("suite"))
    }

    #[test]
    fn cases_take_from_the_defaults_what_they_lack() {
        let text = r#"
[defaults]
size = "256x128"
tolerance = 0.01
times = [0.0, 0.50]
[[case]]
name = "fox/run"
file = "fox.glb"
clip = "Run"
[[case]]
name = "man"
file = "man.glb"
clip = 1
frames = [0, 12]
fps = 24
size = "64x64"
expect = ["pose", "check", "pose"]
contract = "rig.toml"
"#;
        let [fox, man] = &read(text).unwrap()[..] else { panic!("not two") };
        assert_eq!((fox.size, fox.tolerance, fox.line), ([256, 128], 0.01, 6));
        let labels = |case: &Case| -> Vec<(String, f64)> {
            case.instants.iter().map(|i| (i.label.clone(), i.secs)).collect()
        };
        assert_eq!(labels(fox), [("0.0".to_owned(), 0.0), ("0.50".to_owned(), 0.5)]);
        assert_eq!((&fox.expect[..], fox.flip), (&[Kind::Picture][..], None));
        assert_eq!(fox.path(), Path::new("suite/fox.glb"));
        assert_eq!(labels(man), [("f0".to_owned(), 0.0), ("f12".to_owned(), 0.5)]);
        assert_eq!((man.size, man.clip.as_deref()), ([64, 64], Some("1")));
        assert_eq!(man.expect, [Kind::Pose, Kind::Check]);
        assert_eq!(man.contract.as_deref(), Some(Path::new("suite/rig.toml")));
        assert_eq!(man.pose_tolerance, POSE_TOLERANCE);
    }

    #[test]
    fn a_case_of_the_rest_pose_takes_no_clip_and_no_times_from_the_defaults() {
        let text = r#"
[defaults]
file = "fox.glb"
clip = "Run"
times = [0.5]
[[case]]
name = "run"
[[case]]
name = "rest"
rest = true
[[case]]
name = "walk"
clip = "Walk"
rest = false
"#;
        let [run, rest, walk] = &read(text).unwrap()[..] else { panic!("not three") };
        let shown = |case: &Case| (case.clip_option(), case.instants[0].secs);
        assert_eq!(shown(run), (Some("--clip=Run".to_owned()), 0.5));
        assert_eq!(shown(rest), (Some("--rest".to_owned()), 0.0));
        assert_eq!(shown(walk), (Some("--clip=Walk".to_owned()), 0.5));

        let text = "[defaults]\nfile = \"fox.glb\"\nrest = true\n[[case]]\nname = \"a\"\n";
        assert_eq!(shown(&read(text).unwrap()[0]), (Some("--rest".to_owned()), 0.0));
        let clip = read(&format!("{text}clip = 0\n")).unwrap();
        assert_eq!(clip[0].clip_option().as_deref(), Some("--clip=0"));
    }

    #[test]
    fn no_golden_is_the_folder_of_another() {
        let case = |name: &str, kind: &str| {
            format!("[[case]]\nname = \"{name}\"\nfile = \"a.glb\"\nexpect = [\"{kind}\"]\n")
        };
        for [first, second] in [["g", "g.glb/x"], ["g.glb/x/y", "g"]] {
            let error = read(&(case(first, "pose") + &case(second, "pose"))).unwrap_err();
            let says = "\"g.glb\" would be a file and a folder, for this case and that of line 1";
            assert!(error.what.contains(says), "{error}");
            assert_eq!((error.line, error.column), (6, 8), "{error}");
        }
        // Pictures have no motion.
        read(&(case("g", "picture") + &case("g.glb/x", "pose"))).unwrap();
        read(&(case("g", "pose") + &case("g/x", "pose"))).unwrap();
    }

    #[test]
    fn faults_name_line_and_column() {
        let case = "[[case]]\nname = \"a\"\nfile = \"a.glb\"\n";
        for (text, what, line, column) in [
            ("tolerence = 0.1", "unknown field `tolerence`", 4, 1),
            ("tolerance = 1.5", "`tolerance` is from 0 to 1", 4, 13),
            ("times = [0, -1]", "an instant is 0 or more", 4, 13),
            ("times = [1, 2, 1]", "given twice", 4, 16),
            ("times = []", "at least one instant", 4, 9),
            ("times = [0]\nframes = [1]", "not both", 5, 10),
            ("times = [0]\nrest = true", "leave `times` or `rest` out", 5, 8),
            ("clip = 1\nrest = true", "leave `clip` or `rest` out", 5, 8),
            ("size = \"10 by 10\"", "is not WIDTHxHEIGHT", 4, 8),
            ("expect = []", "at least one of", 4, 10),
            ("expect = [\"video\"]", "unknown variant `video`", 4, 11),
            ("[[case]]\nname = \"a\"\nfile = \"b.glb\"", "the case of line 1", 5, 8),
            ("[[case]]\nfile = \"b.glb\"", "without a `name`", 4, 1),
            ("[[case]]\nname = \"../a\"\nfile = \"b.glb\"", "no path below", 5, 8),
            ("[[case]]\nname = \"a b\"\nfile = \"b.glb\"", "' ' in the name", 5, 8),
            ("[[case]]\nname = \"b\"\nfile = \"\"", "`file` is empty", 6, 8),
            ("[[case]]\nname = \"b\"", "case \"b\" has no `file`", 4, 1),
            ("memory_limit = 0", "more than 0", 4, 16),
            ("clip = -1", "`clip` is a name in quotes or an index from 0", 4, 8),
            ("clip = 1.5", "`clip` is a name in quotes or an index from 0", 4, 8),
            ("fps = 0", "more than 0", 4, 7),
            ("tolerance = \"a\"", "expected", 4, 13),
            ("a = = 1", "", 4, 5),
        ] {
            let error = read(&format!("{case}{text}\n")).unwrap_err();
            assert!(error.what.contains(what), "{text}: {error}");
            assert_eq!((error.line, error.column), (line, column), "{text}: {error}");
        }
        assert!(read("").unwrap_err().what.contains("no [[case]]"));
        assert!(read("[defaults]\nname = \"a\"").unwrap_err().what.contains("belongs to a case"));
    }
}
