//! One glTF document, to read and to write: a JSON tree with the bytes of its buffers.
//!
//! - To read: [`parse`] makes a tree of text, [`Document`] and [`At`] are the tree with the place of each value, so that
//!   getters that check types and ranges fail with a [`DocumentError`] that names it.
//! - Data: [`Component`], [`Shape`] and [`ElementLayout`] are the types of accessors with their sizes, [`Elements`] are numbers
//!   that lie evenly spaced.
//! - To write: [`Editor`] appends to a document and leaves all else where it is, [`Loose`] takes one apart so that each view
//!   can be replaced, [`gather`] joins buffers, [`keep_animations`] drops what only removed animations used, and
//!   [`glb::pack`] makes a file.
//!
//! Nothing here uses files, and no number of a document is trusted.
//!
//! ```
//! use rigview_document::{Document, Editor, Parts, glb, parse};
//!
//! let parsed = parse(br#"{"asset": {"version": "2.0"}, "nodes": [{"name": "Hips", "mesh": 3}]}"#)?;
//! let document = Document::new(parsed.root)?;
//! let error = document.list("nodes")?[0].index("mesh", "meshes").unwrap_err();
//! assert_eq!(error.to_string(), "node \"Hips\": mesh 3 of 0 is out of range at /nodes/0/mesh");
//!
//! // Appends an accessor of two vectors, and writes the document with it.
//! let parts = Parts { root: document.into_root(), buffers: Vec::new(), images: Vec::new() };
//! let mut editor = Editor::new(parts);
//! let accessor = editor.append_floats(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 3, true);
//! assert_eq!(editor.numbers(accessor).unwrap()[5], 5.0);
//! let gathered = editor.parts().gathered();
//! let file = glb::pack(&gathered.root, gathered.bytes, []).unwrap();
//! assert_eq!(glb::chunks(&file).unwrap().len(), 2);
//! # Ok::<(), rigview_document::DocumentError>(())
//! ```

mod at;
mod component;
mod editor;
mod elements;
pub mod glb;
mod json;
mod loose;
mod parts;
mod prune;
mod references;

pub use at::{At, Document, DocumentError};
pub use component::{Component, ElementLayout, Shape};
pub use editor::{Editor, Snapshot, bounds_of, short};
pub use elements::Elements;
pub use json::{Parsed, parse, tree_memory};
pub use loose::{ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER, Loose};
pub use parts::{Gathered, Parts, Pieces, gather};
pub use prune::{drop_idle_views, keep_animations};
pub use references::{
    COMPRESSED, count, each_accessor, each_other_view, each_view_of, element_size, extension,
    extensions, index, is_known, is_known_extension, items, layout_of, number_at, push,
    relative_uris, stream,
};
