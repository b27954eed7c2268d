//! The renderer: draws a model in a posed stage, seen from a view with a look, onto a target.
//!
//! The target may be a swap chain's texture or any other. The room does not depend on windows, panels or
//! sessions.
//!
//! [`Renderer::draw`] has three steps:
//!
//! 1. Prepare (`frame_resources`). A scene's draws are planned once (`plan`, `scene_resources`). Per
//!    frame, uniforms, [`anim`](crate::anim) palettes, morph weights and instance matrices are written
//!    into one buffer (`frame_data`).
//! 2. Build (`frame_pipelines`). Pipelines are built when a frame first needs them. The mesh shader is
//!    assembled from what the model's materials need (`features`, `shader`, `pipeline`).
//! 3. Encode (`encode`). The key light's view is drawn on the shadow map (`shadow`), then the depth and
//!    normals that ambient occlusion is computed from (`occlusion`; `shapes` has the pipelines of both), then the scene in
//!    linear colour on the `canvas`: `ground` and opaque meshes, and over a copy of these (`behind`) the
//!    transmissive and blended ones. Bones and joint names go on the `overlay`. The last pass (`finish`)
//!    tone-maps and combines everything onto the target.
//!
//! [`Renderer::pick`] draws the scene a second time, but numbers on a few pixels (`pick`), to find what the picture
//! shows at a place.
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

mod adapter_choice;
mod adapters;
mod behind;
mod bindings;
mod bloom;
mod bones;
mod canvas;
mod composite;
mod contact;
mod debug_label;
mod drawable;
mod driver;
mod edges;
mod encode;
mod environment;
mod features;
mod file_weights;
mod fills;
mod finish;
mod fonts;
mod formats;
mod frame;
mod frame_data;
mod frame_pipelines;
mod frame_resources;
mod full_screen;
mod ghost_layer;
mod ghosts;
mod glyphs;
mod gpu;
mod gpu_model;
mod ground;
mod images;
mod joint_names;
mod layout;
mod lettering;
mod light_passes;
mod lights;
mod lines;
mod material;
mod mips;
mod occlusion;
mod offsets;
mod outline;
mod outline_mask;
mod overlay;
mod pick;
mod pieces;
mod pipeline;
mod pipeline_cache;
mod places;
mod plan;
mod prepared_frame;
mod probe;
mod readback;
mod recording;
mod reflectance;
mod renderer;
mod scene_resources;
mod scenery;
pub mod shader;
mod shadow_map;
mod shapes;
mod skeleton;
mod solid_bones;
mod solid_layer;
mod solids;
mod staging;
mod target;
mod texture;
mod thumbnail;
mod timing;
mod typeset;
mod uniforms;
mod vectors;

pub use adapter_choice::AdapterChoice;
pub use adapters::{AdapterLimits, AdapterReport, adapters};
pub use composite::{Compositor, Join};
pub use features::{Features, ShaderFeature};
pub use fills::{Fill, Fills};
pub use fonts::{SystemFont, missing_font_message, system_font};
pub use frame::Frame;
pub use gpu::{Gpu, GpuError};
pub use gpu_model::GpuModel;
pub use lettering::Lettering;
pub use material::TextureLimits;
pub use pick::{Hit, Pick, PickPlace};
pub use probe::{PosedPrimitive, posed_positions};
pub use readback::{ReadBack, read_texture};
pub use renderer::Renderer;
pub use scene_resources::DrawStats;
pub use target::{Part, Target};
pub use thumbnail::{Thumbnail, thumbnail};
pub use timing::PassTime;
pub use uniforms::{FrameUniform, MAX_LIGHTS};
