//! The passes of a frame, in files of their own.

pub mod bloom;
pub mod bones;
pub mod contact;
pub mod depth_pipelines;
pub mod encode;
pub mod finish;
pub mod frame_pipelines;
pub mod full_screen;
pub mod ghosts;
pub mod ground;
pub mod light_passes;
pub mod mesh;
pub mod names;
pub mod occlusion;
pub mod outline;
pub mod overlay;
pub mod shadow;
pub mod transmission;
pub mod vectors;
