//! The importer: bytes to a [`Model`](rigview_model::Model). Each glTF noun has its own file.
//!
//! Nothing in a file is trusted. A defect that can be repaired is, and becomes a [`Warning`]; any
//! other is an [`ImportError`] that names the place. A [`Model`](rigview_model::Model) is therefore
//! valid by construction, and the other crates do not check it again.
//!
//! The JSON is read through [`rigview_document::At`], a value with its JSON pointer, whose getters check
//! types and ranges. The typed JSON of the `gltf` crate is not used: it rejects channels without a node and
//! unknown attributes, truncates indices to 32 bits, and its errors have no JSON pointer.
//!
//! ```
//! use rigview_import::{ImportOptions, load_bytes};
//!
//! let broken = br#"{"asset": {"version": "2.0"}, "nodes": [{"children": [7]}]}"#;
//! let error = load_bytes(broken.to_vec(), &ImportOptions::default()).unwrap_err();
//! assert!(error.to_string().ends_with(" at /nodes/0/children/0"));
//! ```

mod accessor;
mod animation;
mod assemble;
mod asset;
mod attribute;
mod basis;
mod budget;
mod buffer;
mod bvh;
mod container;
mod converted;
mod digest;
mod draco;
#[cfg_attr(not(feature = "fbx"), expect(dead_code, reason = "BVH files need only a part of it"))]
mod draft;
mod environment;
mod extension;
mod extension_use;
mod extras;
mod fault;
#[cfg(feature = "fbx")]
mod fbx;
mod file_kind;
mod files;
mod gltf1;
mod guard;
mod image;
mod image_codec;
mod index;
mod influences;
mod instances;
mod light;
mod load;
mod map_text;
mod material;
mod material_extensions;
mod mesh;
mod meshopt;
mod morph;
mod node;
mod options;
mod panorama;
mod partition;
mod pointer;
mod progress;
mod scene;
mod schema;
mod skeleton;
mod skin;
mod skinned_nodes;
mod tangent;
mod text_encoding;
mod texture;
mod track;
mod unread;
mod variant;
mod vrm;
mod xmp;

pub use container::read_stream;
pub use environment::load_environment;
pub use fault::ImportError;
pub use file_kind::LFS_POINTER;
pub use file_kind::MODEL_ENDINGS;
pub use file_kind::{FileKind, file_kind};
pub use file_kind::{has_ending, is_model_name};
pub use files::{Files, ReadFile, read_file};
pub use guard::{guarded, is_checked, is_guarded, panic_text};
pub use load::{load, load_bytes, load_bytes_with_progress, load_from, load_with_progress};
pub use map_text::{MapTableError, map_text, parse_map};
pub use options::{ImageDecoding, ImportOptions};
pub use pointer::{index as pointer_index, property_slot};
pub use progress::{Progress, Tally};
pub use rigview_model::{Loaded, Severity, Warning, WarningCode, escaped};
pub use tangent::add_tangents;
