//! Bytes to a [`Model`]: containers, URIs, buffers, accessors, one file to a glTF noun.
//!
//! Nothing in a file is trusted. What can't be shown honestly is an [`ImportError`] that names the
//! place; what can be repaired is, and becomes a [`Warning`]. Behind this room everything
//! is valid by construction.
//!
//! The JSON is read through places (`document`) that check as they are read and know their own
//! pointer. The `gltf` crate gives the words for component types and shapes; its typed JSON is
//! not used: it has no channel without a node and no attribute it doesn't know, wraps indices
//! at 32 bits, and knows no pointers for its errors.

mod accessor;
mod animation;
mod assemble;
mod asset;
mod attribute;
mod basis;
mod buffer;
mod component;
mod compression;
mod container;
mod document;
mod draco;
mod element;
mod environment;
mod escape;
mod extension;
mod extent;
mod factor;
mod fault;
mod file;
mod foreign;
mod gltf1;
mod guard;
mod image;
mod image_codec;
mod image_format;
mod index;
mod influences;
mod instances;
mod json;
mod light;
mod load;
mod material;
mod material_extensions;
mod mesh;
mod meshopt;
mod mikktspace;
mod morph;
mod node;
mod options;
mod original;
mod panorama;
mod partition;
mod placement;
mod pointer;
mod products;
mod progress;
mod scene;
mod skeleton;
mod skin;
mod tangent;
mod texture;
mod texture_ref;
mod track;
mod uri;
mod variant;
mod view;
mod warning_code;
mod xmp;

pub use assemble::Loaded;
pub use environment::load_environment;
pub use escape::escaped;
pub use fault::{ImportError, Warning};
pub use file::read_file;
pub use foreign::{Looks, looks_of};
pub use guard::{guarded, is_guarded};
pub use load::{load, load_bytes, load_telling};
pub use options::{ImageDecoding, ImportOptions};
pub use progress::{Part, Progress, ReadFile};
pub use warning_code::WarningCode;
