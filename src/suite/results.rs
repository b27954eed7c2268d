//! The results of `rigview test`: what `--json` prints and `results.json` of a report folder holds.
//!
//! Nothing here depends on the time or the speed of a run, so two runs of the same cases give the same bytes.

use serde::{Deserialize, Deserializer, Serialize};

use rigview_check::Finding;

/// The results of all cases, in the order of the manifest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// The version of this form, [`Results::FORMAT`].
    #[serde(default = "first_format")]
    pub format: u32,
    /// The part of the suite that ran, from 1, and the number of parts; `None` if it was not divided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<[u64; 2]>,
    /// Number of cases that passed.
    pub passed: usize,
    /// Number of the other cases, failed or with an error.
    pub failed: usize,
    /// The cases.
    pub cases: Vec<CaseResult>,
}

impl Results {
    /// The present version.
    pub const FORMAT: u32 = 1;
}

impl Default for Results {
    fn default() -> Self {
        Self { format: Self::FORMAT, part: None, passed: 0, failed: 0, cases: Vec::new() }
    }
}

/// Files without a version were written before there was one.
fn first_format() -> u32 {
    1
}

/// The result of one case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseResult {
    /// The unique name; folders are separated by `/`.
    pub name: String,
    /// The model's file as the manifest names it.
    pub file: String,
    /// The worst status of its checks, or [`Status::Error`] if the case could not be run to its end.
    pub status: Status,
    /// The name of the clip that plays; `None` for the rest pose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<String>,
    /// Why the case could not be run to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The checks in the order in which they ran.
    pub checks: Vec<CheckResult>,
    /// The data of the interactive view; `None` outside a report, and for cases that have no such view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<MotionFiles>,
    /// What to run next; `None` outside a report, and for cases that passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commands: Option<Commands>,
}

/// The command lines of a case that did not pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commands {
    /// Writes its goldens.
    pub bless: String,
    /// Draws its picture at the first instant that did not pass.
    pub draw: String,
}

/// The outcome of a case or of one of its checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// As expected.
    Passed,
    /// Something differs, a golden is missing, or a lint found an error.
    Failed,
    /// It could not be checked: the file can't be read, a limit was exceeded, or the process ended.
    Error,
}

/// One expectation of a case at one instant, or over the whole clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckResult {
    /// The kind of expectation.
    pub kind: Kind,
    /// The instant in seconds; `None` for a check of the whole file.
    pub time: Option<f64>,
    /// The outcome.
    pub status: Status,
    /// Why it did not pass.
    pub message: Option<String>,
    /// The comparison of pictures, if both could be compared or one of them is stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<PictureResult>,
    /// The comparison of poses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pose: Option<PoseResult>,
    /// The findings of the lint.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

rigview_anim::named_enum! {
    /// The kind of a check.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Kind {
        /// A rendered picture against an approved one.
        Picture = "picture",
        /// Posed vertices against approved ones.
        Pose = "pose",
        /// The lint of the file.
        Check = "check",
    }
}

/// The comparison of a rendered picture with its golden. Paths are relative to the report folder, with `/`
/// as the separator; they are `None` outside a report. A number that could not be computed, because the
/// sizes differ or a picture is missing, is NaN, which JSON writes as `null`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PictureResult {
    /// The golden.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The rendered picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The picture of the difference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<String>,
    /// The largest difference of a channel, 0 to 1.
    #[serde(deserialize_with = "number")]
    pub max: f64,
    /// The mean difference of the channels, 0 to 1.
    #[serde(deserialize_with = "number")]
    pub mean: f64,
    /// The share of the pixels that differ visibly, 0 to 1.
    #[serde(deserialize_with = "number")]
    pub visible: f64,
    /// The mean LDR FLIP, 0 to 1.
    #[serde(deserialize_with = "number")]
    pub flip: f64,
}

/// The comparison of a pose with its golden.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PoseResult {
    /// The largest distance of a vertex from where it should be, in metres in the scene; not finite, and
    /// `null` in JSON, if a pose is.
    #[serde(deserialize_with = "number")]
    pub distance: f64,
    /// The name of the node whose own transform differs most; `None` if no transform differs.
    pub node: Option<String>,
    /// The difference of that node's rotation in degrees.
    #[serde(deserialize_with = "number")]
    pub angle: f64,
}

/// The scripts with the data of the interactive view, relative to the report folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MotionFiles {
    /// The golden's motion on the result's mesh; `None` without a golden, or if it does not fit the mesh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The mesh and the motion that the case gave.
    pub result: String,
}

/// Reads a number, or NaN for `null`.
fn number<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::NAN))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case() -> CaseResult {
        let picture = PictureResult {
            reference: None,
            result: None,
            difference: None,
            max: 0.5,
            mean: 0.01,
            visible: f64::NAN,
            flip: 0.0,
        };
        CaseResult {
            name: "a/b".to_owned(),
            file: "a.glb".to_owned(),
            status: Status::Failed,
            clip: None,
            message: None,
            checks: vec![CheckResult {
                kind: Kind::Picture,
                time: Some(0.5),
                status: Status::Failed,
                message: None,
                picture: Some(picture),
                pose: None,
                findings: Vec::new(),
            }],
            motion: None,
            commands: None,
        }
    }

    #[test]
    fn the_contracts_keys_are_written_and_empty_ones_are_not() {
        let results = Results { failed: 1, cases: vec![case()], ..Results::default() };
        let text = serde_json::to_string(&results).unwrap();
        let expected = concat!(
            r#"{"format":1,"passed":0,"failed":1,"cases":[{"name":"a/b","file":"a.glb","status":"failed","checks":["#,
            r#"{"kind":"picture","time":0.5,"status":"failed","message":null,"#,
            r#""picture":{"max":0.5,"mean":0.01,"visible":null,"flip":0.0}}]}]}"#
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn what_was_written_is_read_back() {
        let results = Results { failed: 1, cases: vec![case()], ..Results::default() };
        let text = serde_json::to_string(&results).unwrap();
        let read: Results = serde_json::from_str(&text).unwrap();
        assert!(read.cases[0].checks[0].picture.as_ref().unwrap().visible.is_nan());
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
    }
}
