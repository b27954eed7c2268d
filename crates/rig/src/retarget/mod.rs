//! Clips of another rig on a model: which joint follows which, and how.

mod borrowed;
mod counted;
mod mirrored;
mod morph_targets;
mod pin_feet;
mod rig_fit;
mod rig_map;

pub use self::borrowed::{
    BorrowedClips, Lost, NothingShared, RetargetError, RetargetOptions, borrowed_clips,
};
pub use self::mirrored::{NoSides, is_lopsided, mirrored_clips, unmirrored_nodes};
pub use self::rig_fit::BentLimb;
pub use self::rig_map::{
    JointPair, MapBase, MapChoice, MapLine, MapTable, PairReason, RigMap, UnknownJoint,
};
