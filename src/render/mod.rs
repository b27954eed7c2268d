//! Pixels: a model, a posed stage, a view and a look in, a picture on a target out.
//!
//! The target may be a swap chain's texture or one of our own; nothing here can tell. Nothing here
//! knows a window, a panel or a session.
//!
//! A frame ([`Renderer::draw`]) is planned once for a scene (`plan`: what to draw in which order),
//! filled in ([`anim`](crate::anim) palettes, morph weights and matrices into one buffer, `frame`),
//! drawn to linear colour by pipelines that are built when first needed (`pipeline`), and finished
//! onto the target (`finish`), with the skeleton over it (`skeleton`).

mod finish;
mod frame;
mod gpu;
mod gpu_model;
mod layout;
mod mips;
mod pipeline;
mod plan;
mod probe;
mod readback;
mod renderer;
pub mod shader;
mod skeleton;
mod target;
mod texture;

pub use gpu::{AdapterChoice, Gpu, GpuError};
pub use gpu_model::GpuModel;
pub use layout::{FrameUniform, MorphUniform};
pub use probe::{PosedPrimitive, posed_positions};
pub use readback::read_texture;
pub use renderer::{Frame, Renderer};
pub use target::Target;
