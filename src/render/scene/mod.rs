//! What all passes of a frame share: the draws of a scene, the numbers of a frame, and the textures that are drawn on.

pub mod bind_layouts;
pub mod bindings;
pub mod buffer_layout;
pub mod canvas;
pub mod features;
pub mod formats;
pub mod frame_data;
pub mod frame_inputs;
pub mod frame_resources;
pub mod lights;
pub mod line_lists;
pub mod plan;
pub mod prepared_frame;
pub mod recording;
pub mod scene_resources;
pub mod split_pass;
pub mod uniforms;
