//! Poses that are saved and loaded, by dialogs, drops and scripts.

use std::path::{Path, PathBuf};

use glam::{Quat, Vec3};

use super::Shell;
use super::drive::node_named;
use super::picture::picture_name;
use super::script::PoseStep;
use crate::capture::write_whole;
use crate::import::read_file;
use crate::report::GivenPose;
use crate::session::SESSION_FILE;
use crate::session::{Action, HandValue, NoticeKind, PoseAction};

/// Whether a dropped file is a pose.
fn is_pose(path: &Path) -> bool {
    let is_session = path.to_string_lossy().to_lowercase().ends_with(SESSION_FILE);
    !is_session && path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"))
}

impl Shell {
    /// Returns paths for a pose in the working directory, the plain one first.
    fn pose_names<'a>(&'a self, name: &'a str) -> impl Iterator<Item = PathBuf> + 'a {
        let path = move |n: u32| match n {
            1 => self.start.folder.join(format!("{name}.pose.json")),
            n => self.start.folder.join(format!("{name}-{n}.pose.json")),
        };
        (1..10_000).map(path)
    }

    /// Returns a path for a pose in the working directory that no file has.
    pub(super) fn free_pose_name(&self) -> Option<PathBuf> {
        let name = picture_name(&self.session);
        self.pose_names(&name).find(|path| !path.exists())
    }

    /// Loads the poses among dropped files. Returns the other files.
    pub(super) fn take_poses(&mut self, dropped: Vec<PathBuf>) -> Vec<PathBuf> {
        let (poses, others): (Vec<PathBuf>, Vec<PathBuf>) =
            dropped.into_iter().partition(|path| is_pose(path));
        poses.iter().for_each(|pose| self.load_pose(pose));
        others
    }

    pub(super) fn report_saved(&mut self, path: &Path) {
        let (kind, text) = match self.save_pose(path) {
            Ok(()) => (NoticeKind::Done, format!("Saved {}", path.display())),
            Err(why) => (NoticeKind::Warning, format!("No pose was saved: {why}")),
        };
        self.act(Action::Notice(kind, text));
    }

    /// Writes the shown pose to a file.
    pub(super) fn save_pose(&mut self, path: &Path) -> Result<(), String> {
        self.session.pose();
        let pose = self.session.pose_file().ok_or("no file is open")?;
        let text = pose.to_json();
        write_whole(path, |out| out.write_all(text.as_bytes()))
            .map_err(|e| format!("{}: {e}", path.display()))
    }

    /// Writes the shown pose to the working directory, where pictures go, for a command that draws it. Returns the
    /// path. A file that has the pose already is used again.
    pub(super) fn save_pose_beside(&mut self, name: &str) -> Result<PathBuf, String> {
        self.session.pose();
        let text = self.session.pose_file().ok_or("no file is open")?.to_json();
        let has = |path: &PathBuf| std::fs::read(path).is_ok_and(|old| old == text.as_bytes());
        let path = self.pose_names(name).find(|path| !path.exists() || has(path));
        let path = path.ok_or_else(|| format!("{name}: too many files of that name"))?;
        write_whole(&path, |out| out.write_all(text.as_bytes()))
            .map_err(|e| format!("{}: {e}", path.display()))?;
        std::path::absolute(&path).map_err(|e| e.to_string())
    }

    /// Replaces what was set by hand by the pose of a file. A file that can't be read changes nothing.
    pub(super) fn load_pose(&mut self, path: &Path) {
        match read_pose(path) {
            Ok(pose) => self.act(PoseAction::Take(Box::new(pose))),
            Err(why) => {
                let text = format!("{}: {why}", path.display());
                self.act(Action::Notice(NoticeKind::Warning, text));
            }
        }
    }

    /// Sets values of a node by hand, as one step of undo.
    pub(super) fn pose_step(&mut self, step: &PoseStep) -> Result<(), String> {
        let Some(document) = self.session.exhibit().document() else {
            return Err(format!("no node \"{}\": no file is open", step.node));
        };
        let model = &document.model;
        let node = node_named(model, &step.node)?;
        let mesh = model.nodes[node].mesh.map(|mesh| &model.meshes[mesh]);
        let names = mesh.map_or(&[][..], |mesh| &mesh.target_names);
        let count = model.rest.weights(node).len();
        let target = |wanted: &String| {
            let named = names.iter().position(|name| name == wanted);
            let index = || wanted.parse().ok().filter(|target| *target < count);
            let none = || format!("no morph target \"{wanted}\" among {count}");
            named.or_else(index).ok_or_else(none)
        };
        let mut values = Vec::new();
        for (wanted, weight) in &step.weights {
            values.push(HandValue::Weight(target(wanted)?, *weight));
        }
        values.extend(step.translation.map(|t| HandValue::Translation(Vec3::from(t))));
        values.extend(step.rotation.map(|r| HandValue::Rotation(Quat::from_array(r))));
        values.extend(step.scale.map(|s| HandValue::Scale(Vec3::from(s))));
        self.act(PoseAction::Begin);
        values.into_iter().for_each(|value| self.act(PoseAction::Set(node, value)));
        self.act(PoseAction::End);
        Ok(())
    }
}

fn read_pose(path: &Path) -> Result<GivenPose, String> {
    let bytes = read_file(path, GivenPose::MOST_BYTES).map_err(|e| e.to_string())?;
    GivenPose::read(&bytes)
}
