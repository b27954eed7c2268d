//! What is worked out from a model: the bones of a humanoid, clips of other rigs, mirrored clips, spring bones and
//! expressions.
//!
//! [`Humanoid`] finds the bones by the conventions of joint names and by the node tree. [`borrowed_clips`] converts clips
//! of another file to a rig ([`RigMap`] pairs the joints and gives the reason for each pair), [`mirrored_clips`] exchanges
//! left and right. [`with_springs`] simulates the spring bones of VRM over a whole clip, [`show_expressions`] shows the
//! expressions of an avatar. All of them return ordinary clips and models, so that sampling needs no state.
//!
//! ```
//! use rigview_anim::{Channel, Clip, ClipParts, Keys, Track, Transform};
//! use rigview_model::{Model, Stage};
//! use rigview_rig::{RetargetOptions, borrowed_clips};
//! use glam::{Quat, Vec3};
//!
//! // Two arms whose names differ by a prefix; the second one is twice as long.
//! let arm = |names: [&str; 2], length: f32| {
//!     let hand = Transform { translation: Vec3::X * length, ..Transform::IDENTITY };
//!     let mut model = Model::from_nodes(&[None, Some(0)], vec![Transform::IDENTITY, hand]).unwrap();
//!     for (node, name) in model.nodes.iter_mut().zip(names) {
//!         node.name = Some(name.to_owned());
//!     }
//!     model
//! };
//! let mut source = arm(["LeftArm", "LeftHand"], 1.0);
//! let turns = Keys::Linear(vec![Quat::IDENTITY, Quat::from_rotation_z(1.5707964)]);
//! let track = Track::new(vec![0.0, 1.0], turns, 1)?;
//! source.clips.push(Clip::new(ClipParts {
//!     channels: vec![Channel::Rotation { node: 0, track }],
//!     duration_secs: 1.0,
//!     ..ClipParts::default()
//! }));
//!
//! let rig = arm(["mixamorig:LeftArm", "mixamorig:LeftHand"], 2.0);
//! let borrowed = borrowed_clips(&rig, &source, &RetargetOptions::default())?;
//! let mut stage = Stage::new(&rig, 0);
//! stage.pose(&rig, borrowed.clips.first(), 1.0);
//! assert!(stage.position(1).distance(Vec3::Y * 2.0) < 1e-5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod body_side;
mod bone_names;
mod expressions;
mod face_clips;
mod humanoid;
mod limb_chain;
mod name_prefix;
mod naming;
mod retarget;
mod skeleton_copies;
mod springs;

pub use body_side::{BodySide, mirrored_name, namesakes};
pub use bone_names::BoneNames;
pub use expressions::{UnknownExpression, add_expressions, show_expressions};
pub use humanoid::Humanoid;
pub use name_prefix::{common_prefix, name_prefix};
pub use retarget::{
    BentLimb, BorrowedClips, JointPair, Lost, MapBase, MapChoice, MapLine, MapTable, NoSides,
    NothingShared, PairReason, RetargetError, RetargetOptions, RigMap, UnknownJoint,
    borrowed_clips, is_lopsided, mirrored_clips, unmirrored_nodes,
};
pub use skeleton_copies::SkeletonCopies;
pub use springs::{TooLongToSwing, add_springs, with_springs};
