//! The commands: a file each, and those that only it uses.

pub mod bake;
pub mod bench;
pub mod check;
pub mod compare;
pub mod convert;
pub mod curve;
pub mod diff;
pub mod diff_text;
pub mod file_difference;
pub mod fix;
pub mod gpus;
pub mod info;
pub mod man;
pub mod pose;
pub mod record;
pub mod screenshot;
pub mod sheet;
pub mod test;
pub mod test_output;
pub mod test_worker;
pub mod thumbnail;
#[cfg(feature = "window")]
pub mod window;
