//! The commands: a file each, and those that only it uses.

pub mod bake;
pub mod bake_clips;
pub mod bench;
pub mod check;
pub mod compare;
pub mod convert;
mod convert_answer;
pub mod curve;
pub mod diff;
pub mod diff_text;
pub mod file_difference;
pub mod fix;
pub mod gpus;
pub mod info;
pub mod layers;
pub mod man;
pub mod picture_words;
pub mod pictures;
pub mod pose;
pub mod pose_compare;
pub mod pose_csv;
pub mod record;
pub mod screenshot;
pub mod sheet;
pub mod test;
pub mod test_output;
pub mod test_worker;
pub mod thumbnail;
#[cfg(feature = "window")]
pub mod window;
