//! A document with other units, axes and encodings.

use super::glb::document;
use super::lengths::{scale_lengths, turn_gravity};
use super::meshopt::compress;
use super::pictures::{PictureFile, shrink, take_out};
use super::quantize::quantize;
use super::unit_axes::{UnitAxes, put_unit_axes};
use super::{Animations, ExportError};
use rigview_document::{Gathered, Loose};
use rigview_model::Model;

/// What is changed in a document besides its clips.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// Unit and axes.
    pub unit_axes: UnitAxes,
    /// Whether numbers get fewer bits (KHR_mesh_quantization).
    pub quantize: bool,
    /// Whether data is compressed (EXT_meshopt_compression).
    pub meshopt: bool,
    /// The longest side of pictures, in texels. The model's images have to be decoded.
    pub largest_picture: Option<u32>,
    /// The beginning of the names of files for pictures; `None` embeds them.
    pub picture_files: Option<String>,
}

/// A document that was changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changed {
    /// The document with its data.
    pub file: Gathered,
    /// Pictures in files of their own.
    pub pictures: Vec<PictureFile>,
    /// The nodes that scale and turn the scenes.
    pub frames: Vec<usize>,
    /// The JSON pointers of lengths whose animation is not scaled.
    pub unscaled: Vec<String>,
    /// The names of pictures that stay larger than they should be.
    pub large_pictures: Vec<String>,
}

/// Returns the document of [`super::glb_with`] with changes.
///
/// # Errors
/// If the import did not keep the original file, or its data is compressed already.
pub fn changed(
    model: &Model,
    animations: Animations,
    changes: &Changes,
) -> Result<Changed, ExportError> {
    let mut file = document(model, animations)?;
    let (mut frames, mut unscaled) = (Vec::new(), Vec::new());
    if changes.unit_axes != UnitAxes::IDENTITY {
        frames = put_unit_axes(&mut file.root, changes.unit_axes);
        turn_gravity(&mut file.root, changes.unit_axes.rotation);
    }
    if changes.unit_axes.scale != 1.0 {
        unscaled = scale_lengths(&mut file.root, changes.unit_axes.scale);
    }
    let Changes { quantize: smaller, meshopt, largest_picture, picture_files, .. } = changes;
    let stays = !smaller && !meshopt && largest_picture.is_none() && picture_files.is_none();
    let (mut pictures, mut large_pictures) = (Vec::new(), Vec::new());
    if stays {
        return Ok(Changed { file, pictures, frames, unscaled, large_pictures });
    }
    let mut loose = Loose::new(&file.root, &file.bytes).ok_or(ExportError::Compressed)?;
    drop(std::mem::take(&mut file.bytes));
    if let Some(side) = largest_picture {
        large_pictures = shrink(&mut loose, &model.images, *side);
    }
    if let Some(stem) = picture_files {
        pictures = take_out(&mut loose, stem);
    }
    if *smaller {
        quantize(&mut loose);
    }
    (file.root, file.bytes) = if *meshopt { compress(loose) } else { loose.join() };
    Ok(Changed { file, pictures, frames, unscaled, large_pictures })
}
