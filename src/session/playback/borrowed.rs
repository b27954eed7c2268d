//! Clips of another file that replace those of a document.

use std::path::PathBuf;
use std::sync::Arc;

use crate::model::{
    BorrowedClips, Model, RetargetError, RetargetOptions, borrowed_clips, with_springs,
};
use crate::session::{FileSource, LoadRequest};

/// How clips of another file are converted, and where that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Retargeting {
    /// How they are converted.
    pub options: RetargetOptions,
    /// The file of the table of joints; `None` if there is no table, or it was edited.
    pub file: Option<PathBuf>,
}

/// Clips of another file, converted for a document.
#[derive(Clone, Debug)]
pub struct Borrowed {
    /// The other file.
    pub source: FileSource,
    /// The files that it was read from.
    pub files: Vec<PathBuf>,
    /// Its rig and its clips, without surfaces and images.
    pub model: Arc<Model>,
    /// How they were converted.
    pub retargeting: Retargeting,
    /// The converted clips.
    pub clips: BorrowedClips,
}

impl Borrowed {
    /// Converts the clips of a file for a model.
    ///
    /// # Errors
    /// As [`borrowed_clips`].
    pub(in crate::session) fn new(
        rig: &Model,
        request: &LoadRequest,
        mut model: Model,
        retargeting: Retargeting,
        springs: bool,
    ) -> Result<Self, RetargetError> {
        model.images.clear();
        model.textures.clear();
        model.materials.clear();
        // Names of morph targets are still needed.
        model.meshes.iter_mut().for_each(|mesh| mesh.primitives.clear());
        let clips = converted(rig, &model, &retargeting, springs)?;
        let files = request.progress.files().into_iter().map(|file| file.path).collect();
        Ok(Self {
            source: request.source.clone(),
            files,
            model: Arc::new(model),
            retargeting,
            clips,
        })
    }

    /// Converts the clips again, in another way.
    ///
    /// # Errors
    /// As [`borrowed_clips`].
    pub(in crate::session) fn converted(
        &self,
        rig: &Model,
        retargeting: Retargeting,
        springs: bool,
    ) -> Result<Self, RetargetError> {
        let clips = converted(rig, &self.model, &retargeting, springs)?;
        Ok(Self { retargeting, clips, ..self.clone() })
    }
}

fn converted(
    rig: &Model,
    source: &Model,
    retargeting: &Retargeting,
    springs: bool,
) -> Result<BorrowedClips, RetargetError> {
    let mut borrowed = borrowed_clips(rig, source, &retargeting.options)?;
    if springs {
        for clip in &mut borrowed.clips {
            match with_springs(rig, clip) {
                Ok(swinging) => *clip = swinging,
                Err(error) => log::warn!("{error}"),
            }
        }
    }
    Ok(borrowed)
}
