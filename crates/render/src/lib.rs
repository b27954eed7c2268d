//! The renderer: draws a model in a posed stage, seen from a view with a look, onto a target.
//!
//! The target may be a swap chain's texture or any other. The crate does not depend on windows, panels or
//! sessions.
//!
//! The folders, by what they hold:
//!
//! - `device`: the adapter, what it can do, and reading back from it;
//! - `upload`: a model's geometry, materials and textures on the GPU, and the tables of the renderer;
//! - `scene`: what all passes share: the draws of a scene, the numbers of a frame, the textures to draw on;
//! - `passes`: a file or a folder for each pass of a frame, and the list of them;
//! - `text`: fonts, shaping and the pixels of glyphs;
//! - `pick`: what the picture shows at a place.
//!
//! [`Renderer::draw`] has three steps:
//!
//! 1. Prepare. What all passes share comes first (`scene::shared_frame`): a scene's draws are planned once (`plan`,
//!    `scene_resources`); per frame, [`anim`](rigview_anim) palettes, morph weights and instance matrices are written
//!    into one buffer (`frame_data`). Then each pass (`passes::pass::FramePass`) decides what the frame shows of it.
//! 2. Build. Pipelines are built when a frame first needs them. The mesh shader is assembled from what the model's
//!    materials need (`scene::features`, `shader`, `passes::mesh_pipelines`).
//! 3. Record, in the order of `passes::Passes`: what light needs before the scene (`shadow`, `contact`, `occlusion`),
//!    then the scene in linear colour on the `canvas` (`sky`, `mesh`, `ground`, and over a copy of these, `transmission`,
//!    what is not opaque), then the `overlay` (`outline`, `bones`, `names`). The last pass (`finish`) tone-maps and
//!    combines everything onto the target.
//!
//! [`Renderer::pick`] draws the scene a second time, but numbers on a few pixels (`pick`), to find what the picture
//! shows at a place.
//!
//! ```no_run
//! use rigview_import::{ImportOptions, load};
//! use rigview_render::{AdapterChoice, Gpu, GpuModel};
//!
//! let gpu = Gpu::headless(&AdapterChoice::default())?;
//! println!("{} through {}", gpu.adapter_name(), gpu.backend_name());
//! let model = load("fox.glb".as_ref(), &ImportOptions::default())?.model;
//! let gpu_model = GpuModel::new(&gpu, &model);
//! // `examples/embed.rs` draws it with a `Renderer`.
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod average;
mod composite;
mod device;
mod enlarge;
mod fills;
mod frame;
mod passes;
mod pick;
mod probe;
mod renderer;
mod scene;
pub mod shader;
mod target;
mod text;
mod thumbnail;
mod upload;

pub use average::Average;
pub use composite::{Compositor, Join};
pub use device::adapter_choice::AdapterChoice;
#[cfg(not(target_family = "wasm"))]
pub use device::adapters::{AdapterLimits, AdapterList, AdapterReport, adapters};
pub use device::gpu::{Gpu, GpuError, joined_lines};
pub use device::readback::ReadBack;
#[cfg(not(target_family = "wasm"))]
pub use device::readback::read_texture;
pub use device::timing::PassTime;
pub use enlarge::Enlarge;
pub use fills::{Fill, Fills};
pub use frame::Frame;
pub use pick::PickPlace;
pub use probe::{PosedPrimitive, Probe};
pub use renderer::Renderer;
pub use scene::features::{Features, ShaderFeature};
pub use scene::scene_resources::DrawStats;
pub use scene::uniforms::FrameUniform;
pub use target::{Target, Tile};
pub use text::bitmap::Lettering;
pub use text::fonts::{SystemFont, missing_font_message, system_font};
pub use thumbnail::{Thumbnail, thumbnail};
pub use upload::gpu_model::GpuModel;
pub use upload::material::TextureLimits;
