//! A document with other units, axes and encodings.

use serde_json::Value;

use super::glb::document;
use super::loose::Loose;
use super::meshopt::compress;
use super::pictures::{PictureFile, shrink, take_out};
use super::quantize::quantize;
use super::unit_axes::{UnitAxes, put_unit_axes};
use super::{Animations, ExportError};
use crate::model::Model;

/// What is changed in a document besides its clips.
#[derive(Clone, Debug, PartialEq)]
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

/// A document with its data.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    /// The document.
    pub root: Value,
    /// The first buffer.
    pub bytes: Vec<u8>,
    /// Pictures in files of their own.
    pub pictures: Vec<PictureFile>,
    /// The nodes that scale and turn the scenes.
    pub frames: Vec<usize>,
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
    let (mut root, bytes) = document(model, animations)?;
    let frames = match changes.unit_axes == UnitAxes::IDENTITY {
        true => Vec::new(),
        false => put_unit_axes(&mut root, changes.unit_axes),
    };
    let Changes { quantize: smaller, meshopt, largest_picture, picture_files, .. } = changes;
    let stays = !smaller && !meshopt && largest_picture.is_none() && picture_files.is_none();
    let (mut pictures, mut large_pictures) = (Vec::new(), Vec::new());
    if stays {
        return Ok(Changed { root, bytes, pictures, frames, large_pictures });
    }
    let mut loose = Loose::new(&root, &bytes).ok_or(ExportError::Compressed)?;
    drop(bytes);
    if let Some(side) = largest_picture {
        large_pictures = shrink(&mut loose, &model.images, *side);
    }
    if let Some(stem) = picture_files {
        pictures = take_out(&mut loose, stem);
    }
    if *smaller {
        quantize(&mut loose);
    }
    let (root, bytes) = if *meshopt { compress(loose) } else { loose.join() };
    Ok(Changed { root, bytes, pictures, frames, large_pictures })
}
