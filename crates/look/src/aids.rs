//! Drawings that help to judge a rig: ghosts of past and next poses, vectors of the surface, marks, the root's path.

use serde::{Deserialize, Serialize};

use rigview_model::Stage;

/// The drawings that are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Aids {
    /// The ghosts of past and next poses, if they are shown.
    #[serde(skip)]
    pub onion: Option<OnionSkin>,
    /// Whether the path of the root over the clip is drawn on the ground.
    pub root_path: bool,
    /// Whether vertices without weights, and those whose weights do not sum to 1, are marked.
    pub weight_marks: bool,
    /// The vectors of the surface that are drawn as lines.
    #[serde(flatten)]
    pub vectors: Vectors,
}

/// Past and next poses of the shown clip as ghosts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnionSkin {
    /// Ghosts on each side of the present: 1 to [`OnionSkin::MOST`].
    pub count: usize,
    /// Time from one ghost to the next.
    pub spacing: Spacing,
}

/// A time between ghosts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spacing {
    /// Seconds of the clip.
    Secs(f64),
    /// Frames at the rate of read-outs.
    Frames(f64),
}

impl OnionSkin {
    /// Most ghosts on each side.
    pub const MOST: usize = 8;

    /// Longest time between ghosts in seconds.
    pub const LONGEST: f64 = 10.0;

    /// Returns the time between ghosts in seconds, at this many frames per second.
    pub fn spacing_secs(&self, fps: f64) -> f64 {
        match self.spacing {
            Spacing::Secs(secs) => secs,
            Spacing::Frames(frames) => frames / fps,
        }
    }

    /// Whether the count and the time are within their limits.
    pub fn is_valid(&self, fps: f64) -> bool {
        let secs = self.spacing_secs(fps);
        (1..=Self::MOST).contains(&self.count) && secs > 0.0 && secs <= Self::LONGEST
    }
}

impl Default for OnionSkin {
    fn default() -> Self {
        Self { count: 3, spacing: Spacing::Secs(0.1) }
    }
}

/// Another pose of the scene, drawn translucent where no opaque surface of the present pose is.
#[derive(Clone, Debug, PartialEq)]
pub struct Ghost {
    /// The pose.
    pub stage: Stage,
    /// sRGB from 0 to 1.
    pub color: [f32; 3],
    /// Opacity from 0 to 1; at 0 the ghost is not drawn, but keeps its resources.
    pub opacity: f32,
}

/// The vectors of the surface that are drawn as lines from its vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Vectors {
    /// The posed normals of the file.
    pub normals: bool,
    /// The posed tangents of the file.
    pub tangents: bool,
}

impl Vectors {
    /// Whether none is drawn.
    pub fn is_empty(&self) -> bool {
        !(self.normals || self.tangents)
    }
}
