//! Files beside the model that an option names: a pose, a script. Only regular files of a bounded
//! size are read.

use std::path::Path;

use super::args::ClipArgs;
use super::failure::Failure;
use super::warnings::print_capped;
use crate::import::{ImportError, escaped, read_file};
use crate::model::Model;
use crate::report::{NodePose, local_pose_of};
use crate::session::PosedClip;

/// Bytes of a pose that are read at most: some hundred thousand nodes.
const MOST_OF_A_POSE: u64 = 256 << 20;

/// Bytes of a script that are read at most.
const MOST_OF_A_SCRIPT: u64 = 16 << 20;

/// A pose as `pose --json` prints it, as far as it counts.
#[derive(Debug, Default, serde::Deserialize)]
pub struct GivenPose {
    pub nodes: Vec<NodePose>,
    /// The index and name of the clip that it is an instant of.
    #[serde(default)]
    clip: Option<usize>,
    #[serde(default)]
    clip_name: Option<String>,
}

impl GivenPose {
    /// The clip that it is an instant of.
    pub fn posed_clip(&self) -> PosedClip {
        PosedClip { index: self.clip, name: self.clip_name.clone() }
    }
}

/// The pose file that is named; an empty pose without one. What matches no node of the model is a
/// warning.
pub fn given_pose(args: &ClipArgs, model: Option<&Model>) -> Result<GivenPose, Failure> {
    let Some(path) = &args.pose else { return Ok(GivenPose::default()) };
    let failed = |what: String| {
        let error = ImportError { what: escaped(&what), pointer: String::new() };
        Failure::load(path, error)
    };
    let text = read_file(path, MOST_OF_A_POSE).map_err(|e| Failure::load(path, e))?;
    // Of several lines, one per instant, the first counts.
    let mut lines = serde_json::Deserializer::from_slice(&text).into_iter::<GivenPose>();
    let pose = match lines.next() {
        Some(pose) => pose.map_err(|e| failed(format!("not a pose of `pose --json`: {e}")))?,
        None => return Err(failed("it is empty".into())),
    };
    if let Some(model) = model {
        let file = escaped(&path.to_string_lossy());
        let unmatched = local_pose_of(model, &pose.nodes).1;
        let line = |what: &String| format!("{file}: {} is not in the model", escaped(what));
        print_capped(unmatched.iter().map(|what| (log::Level::Warn, line(what))));
    }
    Ok(pose)
}

/// The text of a script.
pub fn script(path: &Path) -> Result<String, Failure> {
    let bytes = read_file(path, MOST_OF_A_SCRIPT).map_err(|mut e| {
        if e.what.starts_with("not a regular file") {
            e.what += "; use --script - to read standard input";
        }
        Failure::load(path, e)
    })?;
    String::from_utf8(bytes).map_err(|_| {
        let what = "a script is text in UTF-8".to_owned();
        Failure::load(path, ImportError { what, pointer: String::new() })
    })
}
