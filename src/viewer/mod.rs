//! The session: what is open, which clip, when, seen from where.

pub mod camera;

pub use camera::OrbitCamera;
