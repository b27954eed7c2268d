//! The session: an opened model and how it plays, the view of it, and the files being read.
//!
//! A [`Session`] is composed of subjects, each in a file or a folder: the [`Playback`] (a model and how it plays), the
//! [`Selection`] (the part that is described), the [`ViewCamera`] (the camera), the [look](rigview_look::Look) (what the
//! picture shows), the [`Loads`] (files being read), and so on. A subject has its state and its actions, and knows no
//! session. `state.rs` puts the subjects together; `steps` has the changes that each action makes to them.
//! [`Session::apply`] is the only way to change any of it. Dialogs, loads and uploads happen outside: they are returned as
//! [`Effect`]s. Nothing here has a clock, a window or a GPU; time passes by [`Action::Advance`].
//!
//! ```
//! use rigview_session::{Action, Effect, LoadAction, PlaybackAction, Session, SessionOptions};
//!
//! let mut session = Session::new(SessionOptions::default());
//! let effects = session.apply(LoadAction::open("fox.glb"));
//! assert!(matches!(&effects[..], [Effect::Load(request)] if !request.again));
//! // Nothing is shown yet, so nothing plays.
//! session.apply(PlaybackAction::TogglePlay);
//! assert!(!session.playback().is_moving());
//! ```

mod action;
mod aids;
mod camera;
mod chosen;
mod command_line;
mod compared;
mod copies;
mod desktop;
mod effect;
mod engine;
mod hidden;
mod loads;
mod look;
mod measure;
mod mending;
mod notice;
mod playback;
mod posing;
mod same_part;
#[cfg(any(test, feature = "sample"))]
#[doc(hidden)]
pub mod sample;
mod saved;
mod selection;
mod start;
mod state;
mod steps;
#[cfg(test)]
mod tests;
mod timeline;
#[cfg(test)]
mod view_tests;
mod window_part;

pub use crate::camera::{CameraAction, Side};
pub use crate::desktop::{RecordProgress, Recording};
pub use crate::loads::LoadAction;
pub use crate::loads::search::{Finds, Search};
pub use crate::loads::{
    Destination, FileChanges, LoadId, LoadRequest, LoadedFile, Preparation, PreparedModel, Watch,
};
pub use crate::mending::MendRequest;
pub use crate::playback::document::FileSource;
pub use crate::playback::document::{Borrowed, Retargeting};
pub use crate::posing::BasePose;
pub use crate::posing::{HandField, HandPose, HandValue};
pub use crate::selection::{PickAction, PickAnswer, PickRequest, Purpose};
pub use crate::timeline::{CheckRequest, ClipFinding};
pub use action::Action;
pub use aids::boxes::BoxOf;
pub use camera::ViewCamera;
pub use camera::file_camera::FileCamera;
pub use camera::orbit::{self, OrbitCamera};
pub use command_line::ShellWords;
pub use command_line::{CommandLine, PictureSize, command_line, command_needs_pose};
pub use compared::{Apart, CompareMode, Compared, ComparedAction, ComparisonRequest, Measurement};
pub use copies::{Copies, CopyAction, CopyContents, CopyOf, CopyRequest};
pub use desktop::{
    Desktop, DesktopAction, DesktopEffect, FileQuestion, MotionQuality, ThemeChoice,
};
pub use effect::Effect;
pub use engine::{Engine, EngineAction};
pub use hidden::{Hidden, HiddenAction};
pub use loads::{LoadFailure, Loads, is_environment};
pub use look::LookAction;
pub use measure::{Anchor, Measure, MeasureAction, Measured};
pub use mending::{MendAction, MendedFile, Mending};
pub use notice::NoticeKind;
pub use playback::document::{ClipsId, Document, Summary, joint_node};
pub use playback::mix::{Blending, LONGEST_FADE, LayerSettings};
pub use playback::transport::{MAX_SPEED, TimeReadout, key_from};
pub use playback::{Mark, Playback, PlaybackAction};
pub use posing::history::History;
pub use posing::{Axes, PoseAction, Posing, Tool};
pub use same_part::NodesByName;
pub use saved::SESSION_FILE;
pub use selection::{Item, Selection, SelectionAction};
pub use start::{
    ClipChoice, ExplicitCamera, PosedClip, SessionOptions, StartView, named_or_numbered,
    several_at_once,
};
pub use state::Session;
pub use timeline::{TimeUnit, Timeline, TimelineAction};
pub use window_part::{OpenWindowParts, WindowPart};
