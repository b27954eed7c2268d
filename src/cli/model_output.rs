//! Writes a model as GLB, or as a .gltf file with a .bin file beside it.

use std::path::Path;

use super::failure::Failure;
use super::output::{Inputs, not_written, write_whole};
use crate::capture::CompleteFile;
use crate::export::{Animations, ExportError, GltfFiles, glb_with, gltf_with};
use crate::import::escaped;
use crate::model::Model;

/// Writes a model's file with these animations; the extension of `path` decides on the container.
pub fn write_model(
    path: &Path,
    inputs: &Inputs,
    model: &Model,
    animations: Animations,
    failed: impl Fn(ExportError) -> Failure,
) -> Result<(), Failure> {
    let ending = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    if ending.as_deref() != Some("gltf") {
        let glb = glb_with(model, animations).map_err(failed)?;
        return write_whole(path, inputs, |out| out.write_all(&glb));
    }
    let bin = path.with_extension("bin");
    let bin_name = bin.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let files = gltf_with(model, animations, &bin_name).map_err(failed)?;
    write_both(path, &bin, inputs, &files)
}

/// Writes a document and its buffer. Both are complete before either is moved into place.
fn write_both(path: &Path, bin: &Path, inputs: &Inputs, files: &GltfFiles) -> Result<(), Failure> {
    inputs.refuse(path)?;
    if files.bin.is_empty() {
        return write_whole(path, inputs, |out| out.write_all(&files.json));
    }
    inputs.refuse(bin)?;
    if bin.exists() && !path.exists() {
        let name = escaped(&bin.to_string_lossy());
        let text = format!("{name}: the buffer would overwrite this file; choose another -o");
        return Err(Failure::Usage(text));
    }
    let buffer = CompleteFile::write(bin, |out| out.write_all(&files.bin))
        .map_err(|e| not_written(bin, &e))?;
    let document = CompleteFile::write(path, |out| out.write_all(&files.json))
        .map_err(|e| not_written(path, &e))?;
    buffer.put().map_err(|e| not_written(bin, &e))?;
    document.put().map_err(|e| not_written(path, &e))
}
