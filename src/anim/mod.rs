//! The animation core: from keys and a time to matrices ready for upload.
//!
//! It knows glam and nothing else: no file, clock or GPU. The order of work is the order of the
//! modules: a [`Clip`]'s [`Track`]s are sampled into a [`LocalPose`] (parent space, [`Clip::pose`]), a
//! [`Hierarchy`] resolves that into a [`WorldPose`] (scene space), a [`Skin`] gathers from it the
//! matrices that a draw needs. A [`Player`] turns steps of real time into a clip's time. Several clips
//! at once are [`Layer`]s of a pose ([`pose_layers`]), or one clip that holds all of them ([`Clip::all_at_once`]).
//!
//! ```
//! use glam::{DVec3, Mat4, Quat, Vec3};
//! use rigview::anim::*;
//!
//! // A hand turns a quarter about Z in two seconds, and hangs on an arm one metre up.
//! let turns = Keys::Linear(vec![Quat::IDENTITY, Quat::from_rotation_z(1.5707964)]);
//! let track = Track::new(vec![0.0, 2.0], turns, 1)?;
//! let clip = Clip {
//!     channels: vec![Channel::Rotation { node: 1, track }],
//!     duration_secs: 2.0,
//!     ..Clip::default()
//! };
//! let up = Transform { translation: Vec3::Y, ..Transform::IDENTITY };
//! let rest = LocalPose::new(vec![Transform::IDENTITY, up], &[vec![], vec![]]);
//! let tree = Hierarchy::new(vec![None, Some(0)], vec![])?;
//!
//! // Each frame: time passes, the clip poses the rig, the tree places it.
//! let (mut player, mut cursor) = (Player::default(), Cursor::default());
//! let (mut local, mut world) = (rest.clone(), WorldPose::default());
//! player.advance(1.0, clip.duration_secs.into());
//! clip.pose(player.time_secs(), &rest, &mut cursor, &mut local);
//! tree.resolve(&local, DVec3::ZERO, &mut world);
//!
//! let tip = world.world_from_node(1).transform_point3(Vec3::X);
//! assert!((tip - Vec3::new(0.5f32.sqrt(), 1.0 + 0.5f32.sqrt(), 0.0)).length() < 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Units and spaces
//!
//! Seconds, radians, the file's lengths (metres in glTF), unit quaternions `(x, y, z, w)`, column
//! vectors. A [`Transform`] composes as `T * R * S` ([`Transform::parent_from_node`]). *Local* is
//! against the parent, *world* is in the scene, and matrices are named `target_from_source`:
//! `world_from_joint * joint_from_mesh` carries a bound vertex into the scene.
//!
//! # Time
//!
//! A clip starts at 0 and lasts until its last key; all its channels share that clock. Before its
//! first key a track gives the first value, at and after its last the last, so one key is a track. At a
//! key's time the key itself comes out, bit for bit (a rotation: normalised). A time that is NaN counts
//! as 0. Only a [`Player`] wraps: a whole clip and never a track, and past the end, not at it
//! ([`looped`]). [`TimeBase`] tells the same time in frames or ticks.
//!
//! # Interpolation
//!
//! | | numbers and vectors | rotations |
//! |---|---|---|
//! | STEP | holds | holds |
//! | LINEAR | straight | [`rotation::slerp`]: the shorter way, the chord above a dot product of 0.9995 |
//! | CUBICSPLINE | [`Hermite`], tangents in values per second | the plain polynomial of the keys' own signs, then normalised |
//!
//! These are glTF 2.0's (Appendix C). [`rotation`] has those that other sources mean: the chord alone
//! ([`rotation::nlerp`]), and a cubic that chooses its hemisphere ([`rotation::hermite_nearest`]).
//! [`Hermite`] and [`Bezier`] become each other.
//!
//! # What can't go wrong
//!
//! A [`Track`] is valid by construction. Finite keys give finite values at any time: sums are made in
//! double precision and cut off at single precision's largest number, a quaternion without a
//! direction is no rotation. One exception: a [`Hierarchy`] multiplies what it is given. Nothing here allocates in a frame but at the first use of a clip
//! and cursor; nothing recurses.
//!
//! # Several clips at once
//!
//! [`pose_layers`] puts any number of [`Layer`]s over the rest pose. Property by property those whose
//! [`Mask`] has it share it by their weights; what the weights lack of 1 is the rest pose's share, and
//! where they sum to more they are divided by their sum. So one layer of weight 1 is its clip to the
//! bit, weights that sum to 0 are the rest pose, and a crossfade is two layers whose weights change.
//! Rotations are summed on the side (`q` or `-q`) of those before them and normalised. A layer with a
//! reference pose comes after the others and adds its difference from that:
//!
//! | property | with weight `w` |
//! |---|---|
//! | translation, morph weights, properties | `x + w (clip - reference)` |
//! | rotation | `q nlerp(1, reference^-1 clip, w)`, about the joint's own axes |
//! | scale | `s (1 + w (clip / reference - 1))`; a reference of 0 adds nothing |
//!
//! # Clips of another rig
//!
//! [`Clip::retargeted`] carries over how far each key lies from its own rig's rest pose: rotations
//! `rest' rest^-1 q`, translations `rest' + k (t - rest)` with `k` the ratio of the rigs' sizes, scales
//! `rest' s / rest`. All are linear in the key, so tangents go the same way.
//!
//! # Smaller clips
//!
//! [`compress`] samples a clip at a rate and packs joints into 16 bytes of [`half`] floats; [`reduce`]
//! leaves out keys within a tolerance. Both give clips that play like any other.

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
pub use clip::{Channel, Clip, PropertyChannel};
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
