//! Writes a model as GLB, or as a .gltf file with a .bin file beside it.

use std::path::Path;

use super::failure::Failure;
use super::output::{Inputs, write_both, write_whole};
use crate::export::{Animations, Changed, ExportError, glb, glb_with, gltf, gltf_with};
use crate::model::Model;

/// Writes a model's file with these animations; the extension of `path` decides on the container.
pub fn write_model(
    path: &Path,
    inputs: &Inputs,
    model: &Model,
    animations: Animations,
    failed: impl Fn(ExportError) -> Failure,
) -> Result<(), Failure> {
    if !is_document(path) {
        let glb = glb_with(model, animations).map_err(failed)?;
        return write_whole(path, inputs, |out| out.write_all(&glb));
    }
    let bin = path.with_extension("bin");
    let bin_name = bin.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let files = gltf_with(model, animations, &bin_name).map_err(failed)?;
    write_both(path, &bin, inputs, &files)
}

/// Writes a changed document; the extension of `path` decides on the container. Returns the number of bytes.
pub fn write_changed(
    path: &Path,
    inputs: &Inputs,
    changed: Changed,
    failed: impl Fn(ExportError) -> Failure,
) -> Result<u64, Failure> {
    let pictures: usize = changed.pictures.iter().map(|picture| picture.bytes.len()).sum();
    for picture in &changed.pictures {
        let beside = path.with_file_name(&picture.name);
        write_whole(&beside, inputs, |out| out.write_all(&picture.bytes))?;
    }
    let Changed { root, bytes, .. } = changed;
    let written = if is_document(path) {
        let bin = path.with_extension("bin");
        let name = bin.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let files = gltf(root, bytes, &name);
        write_both(path, &bin, inputs, &files)?;
        files.json.len() + files.bin.len()
    } else {
        let glb = glb(&root, bytes).map_err(failed)?;
        write_whole(path, inputs, |out| out.write_all(&glb))?;
        glb.len()
    };
    Ok((written + pictures) as u64)
}

/// Whether a file is named as a document with its buffer beside it.
pub fn is_document(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gltf"))
}
