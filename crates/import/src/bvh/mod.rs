//! BVH: a skeleton of joints with offsets, and a motion of Euler angles frame by frame. It is converted to a
//! glTF document of nodes and one animation, which the rest of the importer reads.

mod load;
mod motion;
mod parse;
mod unit;
mod words;

pub(super) use load::load;
