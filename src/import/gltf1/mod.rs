//! glTF 1.0: its dictionaries, techniques and split skins become the lists of a 2.0 document that
//! the rest of the importer reads, one file to a noun.
//!
//! Ids are resolved here, so that an error names the place in the file as it is; what is found
//! later in the 2.0 document is led back there (`origin`).

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
