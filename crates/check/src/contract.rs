//! Contracts: what a team declares of its rigs and clips, in TOML.
//!
//! ```toml
//! allow = ["KEYS_SPARE"]
//! deny = ["POP"]
//! [limits]
//! joints = 80
//! [model]
//! height = [1.6, 2.0]
//! up = "+Y"
//! [thresholds]
//! POP = 30
//! [skeleton]
//! reference = "skeleton.glb"
//! weights = true
//! required = ["Hips", "Head"]
//! profile = "vrm-humanoid"
//! [clips."Walk*"]
//! loop = true
//! duration = [0.8, 1.2]
//! fps = 30
//! ```

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::code::Thresholds;
use super::{Axis, Code, Finding, Level, Pattern, Profile, Skeleton};
use rigview_model::WarningCode;
use rigview_model::quoted;

/// What is declared of files. The default declares nothing.
#[derive(Clone, Debug, Default)]
pub struct Contract {
    /// The largest allowed numbers.
    pub limits: Limits,
    /// What is declared of the model as a whole.
    pub model: ModelRules,
    /// What is declared of skeletons.
    pub skeleton: SkeletonRules,
    /// The skeleton to compare with. the program loads it from [`SkeletonRules::reference`];
    /// [`Contract::parse`] opens no file and leaves it empty.
    pub reference: Option<Skeleton>,
    pub(super) thresholds: Thresholds,
    clips: Vec<(Pattern, ClipRules)>,
    overrides: Vec<(Pattern, Verdict)>,
    deny_warnings: bool,
}

/// The largest allowed numbers of a file; `None` is any.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Joints of all skins, each once.
    pub joints: Option<u64>,
    /// Weights of one vertex that are not 0.
    pub influences: Option<u64>,
    /// Triangles of all meshes.
    pub triangles: Option<u64>,
    /// Vertices of all meshes.
    pub vertices: Option<u64>,
    /// Animations.
    pub clips: Option<u64>,
    /// The larger side of the largest image, in pixels.
    pub texture_size: Option<u64>,
    /// Materials.
    pub materials: Option<u64>,
    /// Bytes of the file and of those that it names.
    pub file_bytes: Option<u64>,
}

/// What is declared of the model at rest; `None` is nothing.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelRules {
    /// The smallest and the largest allowed height in metres: that of the skin at rest, along `up`.
    #[serde(deserialize_with = "range")]
    pub height: Option<[f64; 2]>,
    /// The axis from the hips to the head, or from the feet of an animal to its trunk; for the height, +Y if it is not declared.
    pub up: Option<Axis>,
    /// The axis in which the model looks.
    pub facing: Option<Axis>,
}

/// What is declared of skeletons.
#[derive(Clone, Debug, Default)]
pub struct SkeletonRules {
    /// Whether weights and inverse bind matrices must be those of the reference too.
    pub weights: bool,
    /// Path of the file with the reference skeleton, relative to the contract.
    pub reference: Option<String>,
    /// Names of joints that must exist.
    pub required: Vec<String>,
    /// A naming convention whose joints or morph targets must exist.
    pub profile: Option<Profile>,
}

/// What is declared of a clip; `None` is nothing.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClipRules {
    /// Whether the clip loops.
    #[serde(rename = "loop")]
    pub loops: Option<bool>,
    /// Whether the root ends where it started.
    pub in_place: Option<bool>,
    /// The shortest and the longest allowed duration in seconds.
    #[serde(deserialize_with = "range")]
    pub duration: Option<[f64; 2]>,
    /// Names of joints that must not slide while they stand.
    pub feet: Vec<String>,
    /// Frames per second of the grid that all keys must lie on.
    pub fps: Option<f64>,
    /// The lowest and the highest allowed speed over the ground, in metres per second.
    #[serde(deserialize_with = "range")]
    pub speed: Option<[f64; 2]>,
    /// Names of joints, or globs over them, that must move in relation to their parents.
    pub moves: Vec<Pattern>,
    /// Whether no joint but the root may change its length or its scale.
    pub rigid: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Allow,
    Deny,
}

/// Why a text is not a contract, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} at line {line}, column {column}")]
pub struct ContractError {
    /// What is wrong, and what would be right.
    pub message: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Text {
    allow: Vec<Spanned<String>>,
    deny: Vec<Spanned<String>>,
    limits: Limits,
    model: ModelRules,
    thresholds: Entries<f64>,
    skeleton: SkeletonText,
    clips: Entries<ClipRules>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct SkeletonText {
    reference: Option<String>,
    weights: bool,
    required: Vec<String>,
    profile: Option<Spanned<String>>,
}

/// Reads two numbers of which the first is not larger.
fn range<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<[f64; 2]>, D::Error> {
    let [from, to] = <[f64; 2]>::deserialize(deserializer)?;
    match from <= to {
        true => Ok(Some([from, to])),
        false => Err(D::Error::custom("the first number must not be larger than the second")),
    }
}

/// The entries of a table whose keys are free, in the order of the file.
struct Entries<T>(Vec<(Spanned<String>, T)>);

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Entries<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for InOrder<T> {
            type Value = Entries<T>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a table")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Entries<T>, M::Error> {
                let mut out = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    out.push(entry);
                }
                Ok(Entries(out))
            }
        }
        deserializer.deserialize_map(InOrder(PhantomData))
    }
}

impl Contract {
    /// Reads a contract from its text.
    ///
    /// # Errors
    /// If the text is not TOML, has an unknown key, code, profile or glob, or a value of the wrong type.
    pub fn parse(text: &str) -> Result<Self, ContractError> {
        let wrong = |message: String, at: Range<usize>| ContractError::at(text, message, at.start);
        let parsed: Text = toml::from_str(text).map_err(|e| {
            let message = e.message().replace("unknown field", "unknown key");
            let message = message.replace("expected u64", "expected a whole number from 0");
            wrong(message, e.span().unwrap_or_default())
        })?;
        let mut contract = Self { limits: parsed.limits, model: parsed.model, ..Self::default() };
        for (code, threshold) in parsed.thresholds.0 {
            contract
                .set_threshold(code.get_ref(), threshold)
                .map_err(|message| wrong(message, code.span()))?;
        }
        for (codes, verdict) in [(parsed.allow, Verdict::Allow), (parsed.deny, Verdict::Deny)] {
            for code in codes {
                contract
                    .set(code.get_ref(), verdict)
                    .map_err(|message| wrong(message, code.span()))?;
            }
        }
        let SkeletonText { reference, weights, required, profile } = parsed.skeleton;
        let profile = profile.map(|name| {
            Profile::from_name(name.get_ref()).ok_or_else(|| wrong(no_profile(&name), name.span()))
        });
        let profile = profile.transpose()?;
        contract.skeleton = SkeletonRules { weights, reference, required, profile };
        for (name, rules) in parsed.clips.0 {
            let pattern = Pattern::new(name.get_ref()).map_err(|e| wrong(e, name.span()))?;
            if rules.fps.is_some_and(|fps| !(fps > 0.0 && fps.is_finite())) {
                return Err(wrong("fps must be a number above 0".into(), name.span()));
            }
            contract.clips.push((pattern, rules));
        }
        Ok(contract)
    }

    /// Silences a code of the check or of the import, or all codes that a glob matches. What is set later wins.
    ///
    /// # Errors
    /// If no such code exists; the message names the most similar ones.
    pub fn allow(&mut self, code: &str) -> Result<(), String> {
        self.set(code, Verdict::Allow)
    }

    /// Makes findings of a code errors, like [`Contract::allow`].
    ///
    /// # Errors
    /// If no such code exists.
    pub fn deny(&mut self, code: &str) -> Result<(), String> {
        self.set(code, Verdict::Deny)
    }

    fn set(&mut self, code: &str, verdict: Verdict) -> Result<(), String> {
        let pattern = Pattern::new(code)?;
        let own = Code::ALL.iter().map(|code| code.as_str());
        let known: Vec<&str> =
            own.chain(WarningCode::ALL.iter().map(|code| code.as_str())).collect();
        if !known.iter().any(|name| pattern.matches(name)) {
            let near =
                nearest(code, &known).map_or_else(String::new, |n| format!("; did you mean {n}?"));
            return Err(format!("no code {}{near}", quoted(code)));
        }
        self.overrides.push((pattern, verdict));
        Ok(())
    }

    /// Makes every warning an error, unless `allow` silences it.
    pub fn deny_warnings(&mut self) {
        self.deny_warnings = true;
    }

    fn set_threshold(&mut self, name: &str, threshold: f64) -> Result<(), String> {
        let Some(code) = Code::named(name) else {
            let all: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
            let near =
                nearest(name, &all).map_or_else(String::new, |n| format!("; did you mean {n}?"));
            return Err(format!("no code {}{near}", quoted(name)));
        };
        self.thresholds.set(code, threshold)
    }

    /// Returns the level of a finding after `allow` and `deny`; `None` if it is silenced.
    pub(super) fn level_of(&self, finding: &Finding) -> Option<Level> {
        let last = self.overrides.iter().rev().find(|(pattern, _)| pattern.matches(&finding.code));
        match last {
            Some((_, Verdict::Allow)) => None,
            Some((_, Verdict::Deny)) => Some(Level::Error),
            None if self.deny_warnings && finding.level == Level::Warning => Some(Level::Error),
            None => Some(finding.level),
        }
    }

    /// Returns what is declared of a clip by all patterns that match it. For each key, its own name wins
    /// over globs, and then the later pattern over the earlier.
    pub fn rules_of(&self, clip: &str) -> ClipRules {
        let mut rules = ClipRules::default();
        let is_name = |pattern: &Pattern| pattern.text() == clip;
        let matching = || self.clips.iter().filter(|(pattern, _)| pattern.matches(clip));
        let globs = matching().filter(|(pattern, _)| !is_name(pattern));
        for (_, own) in globs.chain(matching().filter(|(pattern, _)| is_name(pattern))) {
            rules.loops = own.loops.or(rules.loops);
            rules.in_place = own.in_place.or(rules.in_place);
            rules.duration = own.duration.or(rules.duration);
            if !own.feet.is_empty() {
                rules.feet.clone_from(&own.feet);
            }
            rules.fps = own.fps.or(rules.fps);
            rules.speed = own.speed.or(rules.speed);
            if !own.moves.is_empty() {
                rules.moves.clone_from(&own.moves);
            }
            rules.rigid = own.rigid.or(rules.rigid);
        }
        rules
    }

    /// Returns the declared names and globs that match none of these clips.
    pub(super) fn missing_clips(&self, names: &[&str]) -> Vec<&str> {
        let is_missing = |pattern: &Pattern| !names.iter().any(|name| pattern.matches(name));
        let missing = self.clips.iter().filter(|(pattern, _)| is_missing(pattern));
        missing.map(|(pattern, _)| pattern.text()).collect()
    }
}

impl ContractError {
    fn at(text: &str, message: String, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            message: message.split_whitespace().collect::<Vec<_>>().join(" "),
            line: before.matches('\n').count() + 1,
            column: before[start..].chars().count() + 1,
        }
    }
}

fn no_profile(name: &Spanned<String>) -> String {
    let names = Profile::ALL.map(Profile::name);
    format!("no profile {}; there are {}", quoted(name.get_ref()), names.join(", "))
}

/// Returns the name most similar to a word, if any is similar.
pub fn nearest<'a>(word: &str, names: &[&'a str]) -> Option<&'a str> {
    /// The least Jaro-Winkler similarity of a suggested name, 0 to 1.
    const ALIKE: f64 = 0.7;
    let word = word.to_uppercase();
    let alike = names.iter().map(|name| (strsim::jaro_winkler(&word, name), *name));
    let best = alike.max_by(|a, b| a.0.total_cmp(&b.0));
    best.filter(|(how, _)| *how >= ALIKE).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> (String, usize, usize) {
        let error = Contract::parse(text).unwrap_err();
        (error.message, error.line, error.column)
    }

    #[test]
    fn wrong_keys_and_values_are_named_with_line_and_column() {
        let (message, line, column) = error("[limits]\njoints = 3\n  jionts = 4\n");
        assert!(message.starts_with("unknown key `jionts`"), "{message}");
        assert_eq!((line, column), (3, 3));
        for (text, line, column, says) in [
            ("allow = [\"POPS\"]", 1, 10, "did you mean POP?"),
            ("\ndeny = [\"WEIGHT_SUM\"]", 2, 9, "did you mean WEIGHTS_SUM?"),
            ("[skeleton]\nprofile = \"vrm\"", 2, 11, "vrm-humanoid"),
            ("[clips.\"Walk[\"]\nloop = true", 1, 8, "is no glob"),
            ("[clips.Walk]\nloop = 3", 2, 8, "boolean"),
            ("[clips.Walk]\nlooop = true", 2, 1, "unknown key `looop`"),
            ("[clip.Walk]", 1, 2, "unknown key `clip`"),
            ("[limits]\njoints = -1", 2, 10, "a whole number from 0"),
            ("[clips.Walk]\nduration = [2, 1]", 2, 12, "must not be larger"),
            ("a = [", 1, 6, ""),
        ] {
            let found = error(text);
            assert_eq!((found.1, found.2), (line, column), "{text}: {found:?}");
            assert!(found.0.contains(says), "{text}: {found:?}");
        }
    }

    #[test]
    fn a_name_wins_over_globs_and_a_later_glob_over_an_earlier() {
        let text = "[clips.\"Run\"]\nloop = false\n[clips.\"*\"]\nloop = true\nin_place = true\n\
                    [clips.\"R*\"]\nin_place = false\nduration = [1, 2]\n";
        let contract = Contract::parse(text).unwrap();
        let rules = contract.rules_of("Run");
        assert_eq!((rules.loops, rules.in_place), (Some(false), Some(false)));
        assert_eq!(rules.duration, Some([1.0, 2.0]));
        assert_eq!(contract.rules_of("Walk").loops, Some(true));
        assert_eq!(contract.missing_clips(&["Walk"]), ["Run", "R*"]);
    }
}
