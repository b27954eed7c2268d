//! Pixels: a model, a posed stage, a view and a look in, a picture on a target out.
//!
//! The target may be a swap chain's texture or one of our own; nothing here can tell. Nothing here
//! knows a window, a panel or a session.
//!
//! A frame ([`Renderer::draw`]) is planned once for a scene (`plan`: what to draw in which order),
//! filled in ([`anim`](crate::anim) palettes, morph weights and matrices into one buffer, `frame`),
//! drawn to linear colour by pipelines that are built when first needed (`pipeline`), and finished
//! onto the target (`finish`), with the skeleton over it (`skeleton`). Before that the key light's view
//! of the same draws makes the shadow map (`shadow`), which the materials and the `ground` look up.

mod bindings;
mod environment;
mod finish;
mod frame;
mod gpu;
mod gpu_model;
mod ground;
mod layout;
mod lights;
mod mips;
mod pipeline;
mod plan;
mod probe;
mod readback;
mod renderer;
mod scenery;
pub mod shader;
mod shadow;
mod skeleton;
mod target;
mod texture;

pub use gpu::{AdapterChoice, Gpu, GpuError};
pub use gpu_model::GpuModel;
pub use layout::{FrameUniform, MAX_LIGHTS, MorphUniform};
pub use probe::{PosedPrimitive, posed_positions};
pub use readback::read_texture;
pub use renderer::{Frame, Renderer};
pub use target::Target;
