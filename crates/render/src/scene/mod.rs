//! What all passes of a frame share: the draws of a scene, the poses and numbers of a frame, and the textures that the
//! scene is drawn on.

pub mod bind_layouts;
mod buffer_layout;
pub mod canvas;
pub mod features;
pub mod frame_data;
pub mod frame_recorder;
pub mod lights;
pub mod plan;
pub mod scene_resources;
pub mod shared_frame;
mod standing;
pub mod uniforms;
pub mod viewpoint;
