//! Reads the files of `--pose` and `--script`. Only regular files of limited size are accepted.

use std::path::Path;

use super::args::clip::ClipArgs;
use super::failure::Failure;
use super::input::read_input;
use super::warnings::print_capped;
use rigview_import::{ImportError, escaped};
use rigview_model::Model;
use rigview_report::{GivenPose, local_pose_of};
use rigview_session::PosedClip;

/// Returns the clip that was posed.
pub fn posed_clip(pose: &GivenPose) -> PosedClip {
    PosedClip { index: pose.clip, name: pose.clip_name.clone() }
}

/// Reads the file of `--pose`; returns an empty pose without one. Entries that match no node of the
/// model are logged as warnings.
pub fn given_pose(args: &ClipArgs, model: Option<&Model>) -> Result<GivenPose, Failure> {
    match &args.pose {
        Some(path) => read_pose(path, model),
        None => Ok(GivenPose::default()),
    }
}

/// Reads a pose. Entries that match no node of the model are logged as warnings.
pub fn read_pose(path: &Path, model: Option<&Model>) -> Result<GivenPose, Failure> {
    let failed = |what: String| Failure::load(path, ImportError::other(escaped(&what)));
    let text = read_input(path, GivenPose::MOST_BYTES).map_err(|e| Failure::load(path, e))?;
    let pose = GivenPose::read(&text).map_err(failed)?;
    if GivenPose::has_others(&text) {
        log::warn!(
            "{}: it has several poses: the first one is taken",
            escaped(&path.to_string_lossy())
        );
    }
    if let Some(model) = model {
        let file = escaped(&path.to_string_lossy());
        let unmatched = local_pose_of(model, &pose.nodes).1;
        let line = |what: &String| format!("{file}: {}", escaped(what));
        print_capped(unmatched.iter().map(|what| (log::Level::Warn, line(what))));
    }
    Ok(pose)
}
