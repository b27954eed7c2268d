//! Uploads: a model and the tables of the renderer on the GPU.

pub mod edges;
pub mod environment;
pub mod file_weights;
pub mod gpu_model;
pub mod images;
pub mod material;
pub mod mips;
pub mod reflectance;
pub mod staging;
pub mod texture;
