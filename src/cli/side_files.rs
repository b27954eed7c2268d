//! Reads the files of `--pose` and `--script`. Only regular files of limited size are accepted.

use super::clip_args::ClipArgs;
use super::failure::Failure;
use super::warnings::print_capped;
use crate::import::{ImportError, escaped, read_file};
use crate::model::Model;
use crate::report::{NodePose, local_pose_of};
use crate::session::PosedClip;

/// Size limit of a pose file in bytes; enough for several hundred thousand nodes.
const MAX_POSE_BYTES: u64 = 256 << 20;

/// The parts of `pose --json`'s output that are read back.
#[derive(Debug, Default, serde::Deserialize)]
pub struct GivenPose {
    pub nodes: Vec<NodePose>,
    /// Index and name of the clip that was posed.
    #[serde(default)]
    clip: Option<usize>,
    #[serde(default)]
    clip_name: Option<String>,
}

impl GivenPose {
    /// Returns the clip that was posed.
    pub fn posed_clip(&self) -> PosedClip {
        PosedClip { index: self.clip, name: self.clip_name.clone() }
    }
}

/// Reads the file of `--pose`; returns an empty pose without one. Entries that match no node of the
/// model are logged as warnings.
pub fn given_pose(args: &ClipArgs, model: Option<&Model>) -> Result<GivenPose, Failure> {
    let Some(path) = &args.pose else { return Ok(GivenPose::default()) };
    let failed = |what: String| Failure::load(path, ImportError::other(escaped(&what)));
    let text = read_file(path, MAX_POSE_BYTES).map_err(|e| Failure::load(path, e))?;
    // The file has one line per time; only the first is used.
    let mut lines = serde_json::Deserializer::from_slice(&text).into_iter::<GivenPose>();
    let pose = match lines.next() {
        Some(pose) => pose.map_err(|e| failed(format!("not the output of `pose --json`: {e}")))?,
        None => return Err(failed("the file is empty".into())),
    };
    if let Some(model) = model {
        let file = escaped(&path.to_string_lossy());
        let unmatched = local_pose_of(model, &pose.nodes).1;
        let line = |what: &String| format!("{file}: {} is not in the model", escaped(what));
        print_capped(unmatched.iter().map(|what| (log::Level::Warn, line(what))));
    }
    Ok(pose)
}
