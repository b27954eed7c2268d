//! Pixels: a model, a posed stage, a view and a look in, a picture on a target out.
//!
//! The target may be a swap chain's texture or one of our own; nothing here can tell. Nothing here
//! knows a window, a panel or a session.

mod gpu;
mod renderer;
mod target;

pub use gpu::{AdapterChoice, Gpu, GpuError};
pub use renderer::{Frame, GpuModel, Renderer};
pub use target::Target;
