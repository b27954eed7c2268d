//! The session: what is open, which clip, when, seen from where, and how it may change.
//!
//! A [`Viewer`] is read by everyone and changed by [`Viewer::apply`] only. What it wants done
//! outside (a dialog, a load) comes back as an [`Effect`]. It knows no clock, window or GPU: time
//! arrives as [`Action::Advance`].

mod action;
pub mod camera;
mod clips;
mod document;
mod environment;
mod folder;
mod framing;
mod joint;
mod loader;
mod loading;
#[cfg(test)]
mod loading_tests;
mod mix;
#[cfg(test)]
mod mix_tests;
mod notice;
mod places;
mod playback;
#[cfg(test)]
pub(crate) mod sample;
mod scene;
mod session;
#[cfg(test)]
mod session_tests;
mod start;

pub use action::{Action, Effect, LoadId, LoadRequest, Mark, Side, Watch};
pub use camera::OrbitCamera;
pub use document::{Document, FileSource, Summary, joint_node};
pub use folder::{Finds, Search};
pub use framing::{Sight, file_camera_view, scene_hull};
pub use loader::Loader;
pub use loading::LoadFailure;
pub use mix::{Blending, LONGEST_FADE, LayerSettings};
pub use notice::NoticeKind;
pub use playback::Instant;
pub use session::Viewer;
pub use start::{
    ClipChoice, ExplicitCamera, PosedClip, SessionOptions, StartView, named_or_numbered,
    several_at_once,
};
