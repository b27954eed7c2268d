//! Shared parts of the tests: runs of the program, the files beside the checkout, small generated models, and
//! lines for the end of the run. It names nothing of the library, so tests that only run the program are not compiled
//! again when the library changes.

#![expect(
    clippy::new_without_default,
    reason = "a test writes `new`, and no code is generic over defaults"
)]

mod accessors;
mod browser;
mod case;
mod closing;
mod fbx;
mod font;
mod glb;
mod joints;
mod model;
mod parallel;
mod program;
mod scope;
mod shape;
mod shared;
mod walker;

pub use accessors::{accessor, data_uri, floats, push, view};
pub use browser::Browser;
pub use case::{case_arguments, numbers};
pub use closing::say_at_the_end;
pub use fbx::{Curve, Fbx};
pub use font::write_font;
pub use glb::Glb;
pub use joints::Joints;
pub use model::SmallModel;
pub use parallel::{Turn, for_each};
pub use program::{
    Run, adapter, command, is_control, program, rigview, rigview_reading, run, screenshots,
    set_adapter,
};
pub use scope::out_of_scope;
pub use shape::{Shape, put_weights};
pub use shared::{checkout, models_below, shared};
pub use walker::walker;
