//! The animation core: from keys and a time to matrices ready for upload.
//!
//! This module depends on glam and on no file, clock or GPU. A frame takes three steps: a [`Clip`] is
//! sampled into a [`LocalPose`] (relative to the parents, [`Clip::pose`]), a [`Hierarchy`] resolves it
//! into a [`WorldPose`] (in the scene), and a [`Skin`] collects the matrices of a draw call from that.
//! A [`Player`] converts real time to the clip's time. [`pose_layers`] blends several clips;
//! [`Clip::all_at_once`] joins them into one.
//!
//! ```
//! use rigview_anim::*;
//! use glam::{DVec3, Mat4, Quat, Vec3};
//!
//! // Two nodes: a hand one metre above its arm. The clip rotates the hand by 90 degrees about Z in
//! // two seconds.
//! let turns = Keys::Linear(vec![Quat::IDENTITY, Quat::from_rotation_z(1.5707964)]);
//! let track = Track::new(vec![0.0, 2.0], turns, 1)?;
//! let clip = Clip::new(ClipParts {
//!     channels: vec![Channel::Rotation { node: 1, track }],
//!     duration_secs: 2.0,
//!     ..ClipParts::default()
//! });
//! let up = Transform { translation: Vec3::Y, ..Transform::IDENTITY };
//! let rest = LocalPose::new(vec![Transform::IDENTITY, up], &[vec![], vec![]]);
//! let tree = Hierarchy::new(vec![None, Some(0)], vec![])?;
//!
//! // Every frame: advance the time, pose the rig, resolve the pose.
//! let (mut player, mut cursor) = (Player::default(), Cursor::default());
//! let (mut local, mut world) = (rest.clone(), WorldPose::default());
//! player.advance(1.0, clip.duration_secs().into());
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
//! Times are in seconds, angles in radians, lengths in the file's unit (metres in glTF). Rotations are
//! unit quaternions `(x, y, z, w)`, vectors are columns. A [`Transform`] composes as `T * R * S`
//! ([`Transform::parent_from_node`]). *Local* means relative to the parent, *world* means in the scene.
//! Matrices are named `target_from_source`: `world_from_joint * joint_from_mesh` transforms a vertex
//! of the mesh to the scene.
//!
//! # Time
//!
//! A clip starts at 0 and ends at its last key; all its channels share that clock. Before its first key
//! a track gives the first value, at and after its last key the last value, so one key is enough. At
//! a key's time the result is the key, bit for bit (rotations: normalised). NaN counts as 0. Tracks
//! never loop; a [`Player`] wraps the whole clip, past the end and not at it ([`looped`]).
//! [`TimeBase`] converts times to frames or ticks.
//!
//! # Interpolation
//!
//! | | numbers and vectors | rotations |
//! |---|---|---|
//! | STEP | hold | hold |
//! | LINEAR | linear | [`rotation::slerp`]: the shorter way, along the chord above a dot product of 0.9995 |
//! | CUBICSPLINE | [`Hermite`], tangents in values per second | the polynomial of the keys' own signs, then normalised |
//!
//! These follow glTF 2.0, Appendix C. Other sources need other forms: [`rotation::nlerp`] interpolates
//! along the chord, [`Hermite::at_nearest`] is a cubic that takes the shorter way. [`Hermite`] and
//! [`Bezier`] convert to each other.
//!
//! # Robustness
//!
//! A [`Track`] is valid by construction. Finite keys give finite values at any time: sums are computed
//! in double precision and clamped to the range of single precision, and a quaternion without a
//! direction becomes the identity. Only [`Hierarchy::resolve`] can overflow. A [`Clip`] never changes,
//! and it poses rigs of any size that have its nodes. Nothing recurses. A frame allocates nothing
//! after the first use of a clip, of a cursor and of a rig size; [`Clip::prepare`] does the clip's
//! part in advance.
//!
//! # Several clips at once
//!
//! [`pose_layers`] blends any number of [`BlendLayer`]s over the rest pose. Each property is the
//! weighted mean of the layers whose [`Mask`] includes it. If the weights sum to less than 1, the rest
//! pose takes the remainder; if they sum to more, they are divided by their sum. So one layer of
//! weight 1 is its clip, bit for bit, weights that sum to 0 are the rest pose, and a crossfade is two
//! layers with changing weights. Before a rotation is summed, its sign (`q` or `-q`) is chosen nearer
//! to the mean so far; the sum is normalised. Layers with a reference pose come after the others and
//! add their difference from it:
//!
//! | property | with weight `w` |
//! |---|---|
//! | translation, morph weights, properties | `x + w (clip - reference)` |
//! | rotation | `q nlerp(1, reference^-1 clip, w)`, about the joint's own axes |
//! | scale | `s (1 + w (clip / reference - 1))`; a reference of 0 adds nothing |
//!
//! # Clips of another rig
//!
//! [`Clip::retargeted`] has the joints of another rig make the same turns from rest in axes of the scene, and
//! take steps in proportion to its size. Where joint and parent match this is linear in each key, so keys and
//! tangents are converted one by one; elsewhere the motion is sampled with a bounded error.
//!
//! # Smaller clips
//!
//! [`compress`] samples a clip at a fixed rate and packs joints into 16 bytes of half floats;
//! [`reduce`] removes keys within a tolerance. Both give clips that play like any other.

mod agreed;
#[cfg(target_arch = "x86_64")]
mod avx2;
mod blend;
mod blend_layer;
#[cfg(test)]
mod blend_tests;
mod channel;
mod clip;
pub mod compress;
mod cursor;
mod curve;
mod edit;
mod exact;
mod frames;
mod hierarchy;
mod instants;
mod kernel;
mod lanes;
mod moved_root;
mod named_enum;
mod player;
#[cfg(test)]
mod player_tests;
mod pose;
mod prepare;
#[cfg(test)]
mod prepare_tests;
pub mod reduce;
mod resample;
mod retarget;
#[cfg(test)]
mod retarget_tests;
mod rig_at_rest;
pub mod rotation;
mod sampling;
#[cfg(test)]
mod sampling_tests;
mod shared_target;
mod skin;
mod slerp;
mod time_base;
mod track;
mod unit_keys;
mod value;
mod whole_weights;

pub use agreed::most_agreed;
pub use blend::{Mixer, pose_layers};
pub use blend_layer::{BlendLayer, Mask};
pub use channel::{Channel, PropertyChannel};
pub use clip::{ALL_CLIPS, Clip, ClipParts};
pub use cursor::Cursor;
pub use curve::{Bezier, Hermite, bernstein_basis, hermite_basis, hermite_slope_basis};
pub use edit::{cut, hold_to_end, reversed};
pub use frames::ClipFrames;
pub use hierarchy::{CycleError, FixedNode, Hierarchy};
pub use instants::{instants, some_of};
pub use moved_root::moved_root;
pub use player::{Player, PlayerEvent, Repeat, looped, repeated};
pub use pose::{LocalPose, Transform, WorldPose};
pub use retarget::{RigPair, TooLarge, WeightMapping};
pub use rig_at_rest::RigAtRest;
pub use shared_target::{DrivenTarget, SharedTargets};
pub use skin::{MAX_PALETTE_JOINTS, Skin};
pub use time_base::{DEFAULT_TICKS_PER_SEC, TimeBase, frame_rate};
pub use track::{Interpolation, Keys, Track, TrackError};
pub use unit_keys::{TurnEnd, UnitKey, unit_keys};
pub use value::Value;
