//! The device: the choice of an adapter, what it can do, and reading back from it.

pub mod adapter_choice;
pub mod adapters;
pub mod capabilities;
pub mod debug_label;
pub mod driver;
pub mod gpu;
pub mod pipeline;
pub mod pipeline_cache;
pub mod readback;
pub mod resources;
pub mod timing;
