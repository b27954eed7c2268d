//! The animation core: from keys and a time to matrices ready for upload.
//!
//! It knows glam and nothing else: no file, clock or GPU. The order of work is the order of the
//! modules: a [`Clip`]'s [`Track`]s are sampled into a [`LocalPose`] (parent space, [`Clip::pose`]), a
//! [`Hierarchy`] resolves that into a [`WorldPose`] (scene space), a [`Skin`] gathers from it the
//! matrices that a draw needs. A [`Player`] turns steps of real time into a clip's time. Several clips
//! at once are [`Layer`]s of a pose ([`pose_layers`]), or one clip that holds all of them ([`Clip::all_at_once`]).
//!
//! Units: seconds, the file's lengths (metres in glTF), unit quaternions `(x, y, z, w)`, column
//! vectors (a transform is `T * R * S`). Matrices are named `target_from_source`.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod blend;
#[cfg(test)]
mod blend_tests;
mod clip;
pub mod compress;
mod cursor;
mod curve;
pub mod half;
mod hierarchy;
mod lanes;
mod layer;
mod merge;
mod player;
mod pose;
mod prepared;
#[cfg(test)]
mod prepared_tests;
pub mod reduce;
mod retarget;
pub mod rotation;
mod skin;
mod slerp;
mod time_base;
mod track;
mod value;

pub use blend::{Mixer, pose_layers};
pub use clip::{Channel, Clip};
pub use cursor::Cursor;
pub use curve::{Bezier, Hermite, bernstein_basis, hermite_basis};
pub use hierarchy::{CycleError, Hierarchy};
pub use layer::{Layer, Mask};
pub use player::{Player, PlayerEvent, Repeat, looped};
pub use pose::{LocalPose, Transform, WorldPose};
pub use prepared::{Prepared, PreparedClip};
pub use retarget::{Place, Rigs};
pub use skin::{MAX_PALETTE_JOINTS, Skin};
pub use time_base::{DEFAULT_TICKS_PER_SEC, TimeBase};
pub use track::{Interpolation, Keys, Track, TrackError};
pub use value::Value;
