//! Shared parts of the tests: runs of the program, the files beside the checkout, small generated models, and
//! lines for the end of the run.

mod accessors;
mod adapter;
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

pub use accessors::{accessor, data_uri, floats, push, view};
pub use adapter::{adapter_choice, gpu, set_adapter};
pub use browser::Browser;
pub use case::{case_arguments, numbers};
pub use closing::say_at_the_end;
pub use fbx::{Curve, Fbx};
pub use font::write_font;
pub use glb::Glb;
pub use joints::Joints;
pub use model::SmallModel;
#[cfg(all(target_os = "linux", feature = "window"))]
pub use parallel::Turn;
pub use parallel::for_each;
pub use program::{Run, command, is_control, rigview, rigview_reading, run, screenshots};
pub use scope::out_of_scope;
pub use shape::{Shape, put_weights};
pub use shared::{checkout, models_below, shared};
