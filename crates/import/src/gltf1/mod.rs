//! glTF 1.0: converts dictionaries, techniques and split skins to a 2.0 document, which the rest of
//! the importer reads. Each glTF noun has its own file.
//!
//! Ids are resolved here, so that errors name the place in the original file. Defects found later,
//! in the 2.0 document, are mapped back to it (`origin`).

mod accessor;
mod animation;
mod attribute;
mod buffer;
mod container;
mod convert;
mod data;
mod extension;
mod ids;
mod joints;
mod light;
mod load;
mod material;
mod mesh;
mod node;
mod origin;
mod scene;
mod skin;
mod texture;

pub(super) use container::{Content, split};
pub(super) use convert::is;
pub(super) use load::load;
