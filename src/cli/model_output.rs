//! Writes a model as GLB, or as a .gltf file with a .bin file beside it.

use std::path::Path;

use super::failure::Failure;
use super::output::{Inputs, write_both, write_whole};
use crate::export::{Animations, ExportError, glb_with, gltf_with};
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
