//! A file's document and bytes while they are repaired: data is read as it is stored, and new data is appended,
//! so that everything else stays where it is.

use std::ops::{Deref, DerefMut};

use rigview_document::{Editor, Gathered};
use rigview_export::{ExportError, file_parts, glb};
use rigview_model::{Chunk, Model};

pub use rigview_document::{ElementLayout, bounds_of, short};

/// A glTF document with its data, which grows at the end of one buffer only.
#[derive(Clone, Debug)]
pub struct Document {
    editor: Editor,
    /// The other chunks of the GLB.
    chunks: Vec<Chunk>,
}

impl Document {
    /// Takes the file that the import kept, with its buffers as they are.
    ///
    /// # Errors
    /// If the import did not keep the file.
    pub fn of(model: &Model) -> Result<Self, ExportError> {
        let editor = Editor::new(file_parts(model)?);
        // The buffer of what was a glTF 1.0 file is new as a whole.
        let editor = if model.source.is_gltf1() { editor.with_new_buffer() } else { editor };
        Ok(Self { editor, chunks: model.source.chunks.clone() })
    }

    /// Returns the file as a GLB of one buffer, with the images that it names.
    ///
    /// # Errors
    /// If it would exceed 4 GiB.
    pub fn glb(&self) -> Result<Vec<u8>, ExportError> {
        let Gathered { root, bytes, .. } = self.parts().gathered();
        glb(&root, bytes, &self.chunks)
    }
}

impl Deref for Document {
    type Target = Editor;

    fn deref(&self) -> &Editor {
        &self.editor
    }
}

impl DerefMut for Document {
    fn deref_mut(&mut self) -> &mut Editor {
        &mut self.editor
    }
}
