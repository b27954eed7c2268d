//! Pixels: a model, a posed stage, a view and a look in, a picture on a target out.
//!
//! The target may be a swap chain's texture or one of our own; nothing here can tell. Nothing here
//! knows a window, a panel or a session.
//!
//! A frame ([`Renderer::draw`]) is planned once for a scene (`plan`: what to draw in which order),
//! filled in ([`anim`](crate::anim) palettes, morph weights and matrices into one buffer, `frame`),
//! drawn to linear colour on a `canvas` by pipelines that are built when first needed (`pipeline`,
//! from a text that holds what the `material`s ask for: `features`, `shader`), what light goes
//! through over a copy of what is `behind` it, and finished onto the target (`finish`), with the
//! skeleton over it (`skeleton`). Before that the key light's view of the same draws makes the shadow
//! map (`shadow`), which the materials and the `ground` look up.
//!
//! ```no_run
//! use rigview::import::{ImportOptions, load};
//! use rigview::render::{AdapterChoice, Gpu, GpuModel};
//!
//! let gpu = Gpu::headless(&AdapterChoice::default())?;
//! println!("{} through {}", gpu.adapter_name(), gpu.backend_name());
//! let model = load("fox.glb".as_ref(), &ImportOptions::default())?.model;
//! let gpu_model = GpuModel::new(&gpu, &model);
//! // `examples/embed.rs` draws it with a `Renderer`.
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod adapters;
mod behind;
mod bindings;
mod canvas;
mod edges;
mod environment;
mod features;
mod finish;
mod fonts;
mod frame;
mod glyphs;
mod gpu;
mod gpu_model;
mod ground;
mod images;
mod labels;
mod layout;
mod lights;
mod lines;
mod material;
mod mips;
mod offsets;
mod overlay;
mod pipeline;
mod pipeline_cache;
mod places;
mod plan;
mod prepared;
mod probe;
mod readback;
mod recording;
mod reflectance;
mod renderer;
mod scenery;
pub mod shader;
mod shadow;
mod skeleton;
mod staging;
mod target;
mod texture;
mod timing;
mod typeset;

pub use adapters::{AdapterLimits, AdapterReport, adapters};
pub use features::{Features, Layer};
pub use fonts::{SystemFont, missing_font_message, system_font};
pub use gpu::{AdapterChoice, Gpu, GpuError};
pub use gpu_model::GpuModel;
pub use layout::{FrameUniform, MAX_LIGHTS};
pub use material::TextureLimits;
pub use prepared::Drawn;
pub use probe::{PosedPrimitive, posed_positions};
pub use readback::read_texture;
pub use renderer::{Frame, Renderer};
pub use target::{Part, Target};
pub use timing::PassTime;
