//! What encloses a model: boxes, hulls, and outermost points, at rest and in motion.

pub mod bounds;
pub mod clip_hull;
pub mod exact_box;
pub mod hull;
pub mod instances;
pub mod joint_hulls;
pub mod over_clip;
pub mod point_blocks;
pub mod primitive_bounds;
pub mod scene_box;
pub mod seen_points;
