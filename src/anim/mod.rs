//! The animation core: from keys and a time to matrices ready for upload.
//!
//! It knows glam and nothing else: no file, clock or GPU. The order of work is the order of the
//! modules: a [`Clip`]'s [`Track`]s are sampled into a [`LocalPose`] (parent space), a
//! [`Hierarchy`] resolves that into a [`WorldPose`] (scene space), a [`Skin`] gathers from it the
//! matrices that a draw needs. A [`Player`] turns steps of real time into a clip's time.
//!
//! Units: seconds, the file's lengths (metres in glTF), unit quaternions `(x, y, z, w)`, column
//! vectors (a transform is `T * R * S`). Matrices are named `target_from_source`.

mod clip;
mod hierarchy;
mod player;
mod pose;
mod skin;
mod track;

pub use clip::{Channel, Clip};
pub use hierarchy::{CycleError, Hierarchy};
pub use player::{Player, Repeat};
pub use pose::{LocalPose, Transform, WorldPose};
pub use skin::{MAX_PALETTE_JOINTS, Skin};
pub use track::{Interpolation, Keys, Track, TrackError, Value};
