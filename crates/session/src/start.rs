//! Options of a session, which apply to the first file that is shown.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

use super::FileSource;
use super::camera::orbit::{OrbitCamera, projection_around};
use crate::playback::document::Retargeting;
use rigview_anim::{Clip, ClipParts};
use rigview_look::{Look, View};
use rigview_model::{Projection, SceneBox};
use rigview_report::{ClipForm, NodePose};

/// The clip to start with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ClipChoice {
    /// The first one; the rest pose if there is none.
    #[default]
    First,
    /// No clip.
    Rest,
    /// A name or an index.
    Named(String),
    /// An index, whatever the names are.
    Index(usize),
    /// Every clip at once.
    All,
    /// The clips of these indices at once.
    Several(Vec<usize>),
}

/// The clip that a pose is an instant of, as `pose --json` names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PosedClip {
    /// The clip's index; `None` for several clips at once.
    pub index: Option<usize>,
    /// The clip's name.
    pub name: Option<String>,
}

/// A camera given in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExplicitCamera {
    /// Its position.
    pub eye: DVec3,
    /// The point that it looks at.
    pub target: DVec3,
    /// The direction that is up in the picture.
    pub up: DVec3,
    /// The vertical angle of view in radians.
    pub fov_y: f64,
    /// The visible height in metres, for a parallel camera, whose angle of view has no effect.
    pub height: Option<f64>,
    /// Distance of the near plane; `None` places it before the scene.
    pub near: Option<f32>,
    /// Distance of the far plane; `None` places it behind the scene.
    pub far: Option<f32>,
}

impl ExplicitCamera {
    /// Returns the camera, turned by an angle in radians about the vertical axis through its target.
    pub fn turned(&self, turn: f64) -> Self {
        let turn = DQuat::from_rotation_y(turn);
        let eye = self.target + turn * (self.eye - self.target);
        Self { eye, up: turn * self.up, ..*self }
    }

    /// Returns the view of a scene that lies in a box.
    pub fn view(&self, bounds: SceneBox) -> View {
        let forward = (self.target - self.eye).try_normalize().unwrap_or(DVec3::NEG_Z);
        let projection = projection_around(self.eye, forward, bounds, |near, far| {
            let (near, far) = (self.near.unwrap_or(near), self.far.unwrap_or(far));
            let far = far.max(near * 1.001);
            if let Some(height) = self.height {
                let half = (0.5 * height) as f32;
                return Projection::Orthographic { half_width: half, half_height: half, near, far };
            }
            let far = Some(far);
            Projection::Perspective { fov_y: self.fov_y as f32, aspect: None, near, far }
        });
        View::look_at(self.eye, self.target, self.up, projection)
    }
}

/// The view after loading.
#[derive(Clone, Debug, PartialEq)]
pub enum StartView {
    /// From a direction, at the distance that shows the model over its whole clip or in one pose.
    Framed {
        /// Radians; see [`OrbitCamera::azimuth`]. Without it, the camera stands 30 degrees beside the model's front.
        azimuth: Option<f64>,
        /// Radians above the horizon.
        elevation: f64,
        /// Divides that distance; 1 shows the whole model.
        zoom: f64,
        /// Whether the projection is parallel.
        orthographic: bool,
        /// The visible height in metres, for a parallel view that was given one.
        height: Option<f64>,
        /// Whether only the first pose that is shown is framed.
        pose: bool,
    },
    /// A camera given in numbers.
    Explicit(ExplicitCamera),
    /// One of the file's cameras, by name or index.
    Camera(String),
}

impl Default for StartView {
    fn default() -> Self {
        let OrbitCamera { elevation, orthographic, .. } = OrbitCamera::default();
        StartView::Framed {
            azimuth: None,
            elevation,
            zoom: 1.0,
            orthographic,
            height: None,
            pose: false,
        }
    }
}

/// Options of a session. Clip, time, scene, variant and view apply to the first file only; a file that replaces it
/// starts with the defaults.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionOptions {
    /// The clip.
    pub clip: ClipChoice,
    /// The file whose clips replace the first file's own.
    pub clips_from: Option<FileSource>,
    /// How these clips are converted for the model.
    pub retargeting: Retargeting,
    /// Expressions of the first file, with their weights.
    pub expressions: Vec<(String, f32)>,
    /// Whether the springs of VRM files swing, for the whole session. A model whose clips have the motion of its springs
    /// already must not be given it again.
    pub springs: bool,
    /// Time in seconds to pause at; `None` plays from the start.
    pub time_secs: Option<f64>,
    /// Transforms that replace the rest pose. Nodes that are not listed keep their own.
    pub pose: Vec<NodePose>,
    /// The clip that the pose was taken from. The camera frames the whole motion of this clip, so that the picture
    /// equals that of the clip at this instant.
    pub posed_clip: PosedClip,
    /// The scene, by name or index; the file's default scene if `None`.
    pub scene: Option<String>,
    /// The material variant, by name or index; the materials themselves if `None`.
    pub variant: Option<String>,
    /// The joint whose weights are shown, by name or by the node's index; the joint with the largest area if
    /// `None`.
    pub joint: Option<String>,
    /// The node whose path over the clip is drawn, by name or index; the window selects it.
    pub trail: Option<String>,
    /// The view.
    pub view: StartView,
    /// The look. It applies to the whole session, not only to the first file.
    pub look: Look,
    /// Frames per second of read-outs and steps.
    pub fps: f64,
    /// Whether the frame rate is that of the grid on which the keys of the shown clip lie, if there is one.
    pub guesses_fps: bool,
    /// The form that clips play in.
    pub form: ClipForm,
    /// Whether clips play in place, for the whole session.
    pub in_place: bool,
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self {
            clip: ClipChoice::First,
            clips_from: None,
            retargeting: Retargeting::default(),
            expressions: Vec::new(),
            springs: false,
            time_secs: None,
            pose: Vec::new(),
            posed_clip: PosedClip::default(),
            scene: None,
            variant: None,
            joint: None,
            trail: None,
            view: StartView::default(),
            look: Look::default(),
            fps: 30.0,
            guesses_fps: false,
            form: ClipForm::Source,
            in_place: false,
        }
    }
}

/// Returns the index of the first entry with this name, or else `wanted` as an index. `None` if there is neither.
pub fn named_or_numbered<'a>(
    names: impl IntoIterator<Item = Option<&'a str>>,
    wanted: &str,
) -> Option<usize> {
    let names: Vec<_> = names.into_iter().collect();
    let by_name = names.iter().position(|n| *n == Some(wanted));
    by_name.or_else(|| wanted.parse().ok().filter(|i| *i < names.len()))
}

/// Returns a clip that plays the clips of these indices at once; `None` if one of them does not exist.
pub fn several_at_once(clips: &[Clip], indices: &[usize]) -> Option<Clip> {
    let wanted: Vec<Clip> =
        indices.iter().map(|i| clips.get(*i).cloned()).collect::<Option<_>>()?;
    let name =
        |(clip, i): (&Clip, &usize)| clip.name().map_or_else(|| format!("Clip {i}"), str::to_owned);
    let names: Vec<String> = wanted.iter().zip(indices).map(name).collect();
    let parts = Clip::all_at_once(&wanted).into_parts();
    Some(Clip::new(ClipParts { name: Some(names.join(" + ")), ..parts }))
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
