//! The device: the choice of an adapter, what it can do, and reading back from it.
//!
//! What waits for the GPU or lists the adapters of a computer (`adapters`, `headless`) is not there in a browser.

pub mod adapter_choice;
#[cfg(not(target_family = "wasm"))]
pub mod adapters;
pub mod capabilities;
pub mod debug_label;
pub mod driver;
pub mod gpu;
#[cfg(not(target_family = "wasm"))]
mod headless;
pub mod pipeline;
pub mod pipeline_cache;
#[cfg_attr(target_family = "wasm", path = "no_pipeline_file.rs")]
mod pipeline_file;
pub mod readback;
pub mod resources;
pub mod timing;
