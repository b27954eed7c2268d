//! What a command line asks of the first file that is shown.

use glam::{DQuat, DVec3};

use super::FileSource;
use super::camera::{FOV_Y, OrbitCamera, projection_around};
use crate::anim::{Clip, ClipParts};
use crate::look::{Look, View};
use crate::model::Projection;
use crate::report::{ClipForm, NodePose};

/// Which clip to begin with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ClipChoice {
    /// The first one; the rest pose where there is none.
    #[default]
    First,
    /// No clip.
    Rest,
    /// A name or an index.
    Named(String),
    /// Every clip at once.
    All,
    /// The clips of these indices at once.
    Several(Vec<usize>),
}

/// The clip that a pose is an instant of, as `pose --json` names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PosedClip {
    /// The clip's index; none for several clips at once.
    pub index: Option<usize>,
    /// The clip's name.
    pub name: Option<String>,
}

/// A perspective camera in numbers. Planes that are not given are put around the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExplicitCamera {
    /// Where it stands.
    pub eye: DVec3,
    /// What it looks at.
    pub target: DVec3,
    /// Which way is up.
    pub up: DVec3,
    /// The vertical angle of view, radians.
    pub fov_y: f64,
    /// Distance of the near plane.
    pub near: Option<f32>,
    /// Distance of the far plane.
    pub far: Option<f32>,
}

impl ExplicitCamera {
    /// Returns the camera, turned by an angle in radians about the vertical axis through its target.
    pub fn turned(&self, turn: f64) -> Self {
        let turn = DQuat::from_rotation_y(turn);
        let eye = self.target + turn * (self.eye - self.target);
        Self { eye, up: turn * self.up, ..*self }
    }

    /// What it sees of a scene in this box.
    pub fn view(&self, (min, max): (DVec3, DVec3)) -> View {
        let forward = (self.target - self.eye).try_normalize().unwrap_or(DVec3::NEG_Z);
        let projection = projection_around(self.eye, forward, min, max, |near, far| {
            let (near, far) = (self.near.unwrap_or(near), self.far.unwrap_or(far));
            let far = Some(far.max(near * 1.001));
            Projection::Perspective { fov_y: self.fov_y as f32, aspect: None, near, far }
        });
        View::look_at(self.eye, self.target, self.up, projection)
    }
}

/// Where to look from at first.
#[derive(Clone, Debug, PartialEq)]
pub enum StartView {
    /// From a direction, as near as shows the model over its whole clip.
    Framed {
        /// Radians; see [`OrbitCamera::azimuth`].
        azimuth: f64,
        /// Radians.
        elevation: f64,
        /// How much nearer than that; 1 shows all.
        zoom: f64,
        /// Parallel instead of perspective.
        orthographic: bool,
        /// The height of what is seen, where a parallel view was given one.
        height: Option<f64>,
    },
    /// In numbers.
    Explicit(ExplicitCamera),
    /// One of the file's cameras, by name or index.
    Camera(String),
}

impl Default for StartView {
    fn default() -> Self {
        let OrbitCamera { azimuth, elevation, orthographic, .. } = OrbitCamera::default();
        StartView::Framed { azimuth, elevation, zoom: 1.0, orthographic, height: None }
    }
}

/// What a session starts with. Clip, time, scene, variant and view count for the first file only; a file
/// that replaces it starts afresh.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionOptions {
    /// Which clip.
    pub clip: ClipChoice,
    /// The file whose clips are taken in place of its own.
    pub clips_from: Option<FileSource>,
    /// Stand at this time, paused, instead of playing from 0.
    pub time_secs: Option<f64>,
    /// What nodes are at in place of their rest pose; those that it doesn't name keep theirs.
    pub pose: Vec<NodePose>,
    /// The clip that the pose is an instant of: the camera frames all of its motion, so that the
    /// picture is that of the clip at this instant.
    pub posed_clip: PosedClip,
    /// Which scene, by name or index; the file's default one if not given.
    pub scene: Option<String>,
    /// Which material variant, by name or index; the materials themselves if not given.
    pub variant: Option<String>,
    /// The joint whose weights are shown, by name or the node's index; the one with the most
    /// weight if not given.
    pub joint: Option<String>,
    /// Where to look from.
    pub view: StartView,
    /// What the picture is like; stays for the whole session.
    pub look: Look,
    /// Frames a second in read-outs and steps.
    pub fps: f64,
    /// The form that clips are played in.
    pub form: ClipForm,
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self {
            clip: ClipChoice::First,
            clips_from: None,
            time_secs: None,
            pose: Vec::new(),
            posed_clip: PosedClip::default(),
            scene: None,
            variant: None,
            joint: None,
            view: StartView::default(),
            look: Look::default(),
            fps: 30.0,
            form: ClipForm::Source,
        }
    }
}

/// The entry of a list that a word means: the first of that name, else the one of that number.
pub fn named_or_numbered<'a>(
    names: impl IntoIterator<Item = Option<&'a str>>,
    wanted: &str,
) -> Option<usize> {
    let names: Vec<_> = names.into_iter().collect();
    let by_name = names.iter().position(|n| *n == Some(wanted));
    by_name.or_else(|| wanted.parse().ok().filter(|i| *i < names.len()))
}

/// A clip that plays those of these indices at once; none if one of them does not exist.
pub fn several_at_once(clips: &[Clip], indices: &[usize]) -> Option<Clip> {
    let wanted: Vec<Clip> =
        indices.iter().map(|i| clips.get(*i).cloned()).collect::<Option<_>>()?;
    let name =
        |(clip, i): (&Clip, &usize)| clip.name().map_or_else(|| format!("Clip {i}"), str::to_owned);
    let names: Vec<String> = wanted.iter().zip(indices).map(name).collect();
    let parts = Clip::all_at_once(&wanted).into_parts();
    Some(Clip::new(ClipParts { name: Some(names.join(" + ")), ..parts }))
}

/// A lens of the default angle, for cameras that have none of their own.
pub(super) fn default_fov(projection: &Projection) -> f64 {
    match projection {
        Projection::Perspective { fov_y, .. } => f64::from(*fov_y),
        Projection::Orthographic { .. } => FOV_Y,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_wins_over_a_number() {
        let names = [Some("1"), None, Some("Run")];
        assert_eq!(named_or_numbered(names, "1"), Some(0));
        assert_eq!(named_or_numbered(names, "2"), Some(2));
        assert_eq!(named_or_numbered(names, "Run"), Some(2));
        assert_eq!(named_or_numbered(names, "3"), None);
        assert_eq!(named_or_numbered(names, "run"), None);
    }
}
