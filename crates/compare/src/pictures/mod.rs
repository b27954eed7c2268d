//! Differences of two pictures: bitmaps, FLIP, and the difference in numbers and as a picture.

pub mod bitmap;
pub mod difference;
pub mod flip;
pub mod flip_colour;
pub mod flip_filter;
pub mod side_by_side;
