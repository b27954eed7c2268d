//! Writes a model as GLB, or as a .gltf file with other files beside it.

use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::failure::Failure;
use super::output::{Inputs, is_same_file, not_written, refuse_endings, write_whole};
use crate::capture::CompleteFile;
use crate::export::{Animations, Changed, ExportError, GltfFiles, glb, glb_with, gltf, gltf_with};
use crate::import::{escaped, read_file};
use crate::model::{Chunk, Model};
use crate::report::counted;

/// Largest document, in bytes, that is searched for the files that it names.
const MOST_JSON: u64 = 1 << 30;

/// Writes a model's file with these animations; the extension of `path` decides on the container.
pub fn write_model(
    path: &Path,
    inputs: &Inputs,
    model: &Model,
    animations: Animations,
    failed: impl Fn(ExportError) -> Failure,
) -> Result<(), Failure> {
    expect_gltf(path)?;
    if !is_document(path) {
        let glb = glb_with(model, animations).map_err(failed)?;
        return write_whole(path, inputs, |out| out.write_all(&glb));
    }
    warn_of_chunks(path, &model.source.chunks);
    let bin = Buffer::of(path);
    let files = gltf_with(model, animations, &bin.name).map_err(failed)?;
    write_document(path, inputs, &files.json, &bin.files(&files))
}

/// Writes a changed document; the extension of `path` decides on the container. `chunks` are those of its GLB that glTF does
/// not define. Returns the number of bytes.
pub fn write_changed(
    path: &Path,
    inputs: &Inputs,
    changed: Changed,
    chunks: &[Chunk],
    failed: impl Fn(ExportError) -> Failure,
) -> Result<u64, Failure> {
    expect_gltf(path)?;
    let Changed { root, bytes, pictures, .. } = changed;
    if !is_document(path) {
        let glb = glb(&root, bytes, chunks).map_err(failed)?;
        write_whole(path, inputs, |out| out.write_all(&glb))?;
        return Ok(glb.len() as u64);
    }
    warn_of_chunks(path, chunks);
    let bin = Buffer::of(path);
    let files = gltf(root, bytes, &bin.name);
    let mut beside = bin.files(&files);
    beside.extend(
        pictures.iter().map(|picture| Beside {
            path: path.with_file_name(&picture.name),
            bytes: &picture.bytes,
        }),
    );
    write_document(path, inputs, &files.json, &beside)?;
    Ok((files.json.len() + beside.iter().map(|file| file.bytes.len()).sum::<usize>()) as u64)
}

/// Endings of the names of models in formats that can't be written.
const OTHER_MODELS: [&str; 12] =
    ["fbx", "bvh", "obj", "dae", "stl", "ply", "usd", "usda", "usdc", "usdz", "blend", "abc"];

/// Rejects a name for a model that promises another format than glTF.
///
/// # Errors
/// [`Failure::Usage`] with the name that fits.
fn expect_gltf(path: &Path) -> Result<(), Failure> {
    refuse_endings(path, &OTHER_MODELS, ".glb and .gltf", "glb")
}

/// Warns that a .gltf file is written without these chunks of the GLB that it comes from.
pub fn warn_of_chunks(path: &Path, chunks: &[Chunk]) {
    if chunks.is_empty() {
        return;
    }
    let kinds: Vec<_> = chunks.iter().map(|chunk| String::from_utf8_lossy(&chunk.kind)).collect();
    log::warn!(
        "{}: a .gltf file can't hold the GLB's {} ({}); write a .glb file to keep {}",
        escaped(&path.to_string_lossy()),
        counted(chunks.len(), "further chunk"),
        escaped(&kinds.join(", ")),
        if chunks.len() == 1 { "it" } else { "them" },
    );
}

/// Whether a file is named as a document with its buffer beside it.
pub fn is_document(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gltf"))
}

/// The file of a document's buffer.
#[derive(Debug)]
pub struct Buffer {
    /// The path.
    pub path: PathBuf,
    /// Its name in the document's folder.
    pub name: String,
}

impl Buffer {
    /// Returns the file for the buffer of the document at a path: the same name with the extension .bin.
    pub fn of(document: &Path) -> Self {
        let path = document.with_extension("bin");
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self { path, name }
    }

    /// Returns what is written beside the document: this file, unless the document has no buffer.
    pub fn files<'a>(&self, files: &'a GltfFiles) -> Vec<Beside<'a>> {
        let beside = Beside { path: self.path.clone(), bytes: &files.bin };
        if files.bin.is_empty() { Vec::new() } else { vec![beside] }
    }
}

/// A file that a document names, and that is written with it.
#[derive(Debug)]
pub struct Beside<'a> {
    pub path: PathBuf,
    pub bytes: &'a [u8],
}

/// Writes a document and the files that it names. All are complete before any is moved into place.
///
/// # Errors
/// If one of them is an input of the command, can't be written, or would replace a file that the document before
/// does not name: that belongs to something else.
pub fn write_document(
    path: &Path,
    inputs: &Inputs,
    json: &[u8],
    beside: &[Beside],
) -> Result<(), Failure> {
    inputs.refuse(path)?;
    beside.iter().try_for_each(|file| inputs.refuse(&file.path))?;
    refuse_strangers(path, beside)?;
    let complete = |path: &Path, bytes: &[u8]| {
        CompleteFile::write(path, |out| out.write_all(bytes)).map_err(|e| not_written(path, &e))
    };
    let written: Vec<CompleteFile> =
        beside.iter().map(|file| complete(&file.path, file.bytes)).collect::<Result<_, _>>()?;
    let document = complete(path, json)?;
    for (file, written) in beside.iter().zip(written) {
        written.put().map_err(|e| not_written(&file.path, &e))?;
    }
    document.put().map_err(|e| not_written(path, &e))
}

/// Refuses to replace files that the present document at a path does not name.
pub fn refuse_strangers(path: &Path, beside: &[Beside]) -> Result<(), Failure> {
    if path.exists() && !path.is_file() {
        // A FIFO or a device does not tell which files its document has.
        return Ok(());
    }
    let own = files_of(path);
    let is_own = |file: &Beside| own.iter().any(|own| is_same_file(own, &file.path));
    match beside.iter().find(|file| file.path.exists() && !is_own(file)) {
        None => Ok(()),
        Some(stranger) => {
            let [name, document] = [&stranger.path, path].map(|p| escaped(&p.to_string_lossy()));
            Err(Failure::Usage(format!(
                "{name}: {document} needs a file of this name, but this one belongs to another; move it, or choose \
                 another -o"
            )))
        }
    }
}

/// Returns the paths of the buffers and images that a document on disk names; none if there is no document.
fn files_of(document: &Path) -> Vec<PathBuf> {
    if !document.is_file() {
        return Vec::new();
    }
    let json = read_file(document, MOST_JSON).ok();
    let root: Value = json.and_then(|json| serde_json::from_slice(&json).ok()).unwrap_or_default();
    let named = |item: &Value| {
        let uri =
            item.get("uri").and_then(Value::as_str).filter(|uri| !uri.starts_with("data:"))?;
        let name = percent_decode_str(uri).decode_utf8().ok()?;
        Some(document.with_file_name(&*name))
    };
    // Lists of glTF 1.0 are objects.
    let lists = ["buffers", "images"].into_iter().filter_map(|key| root.get(key));
    let items = lists.flat_map(|list| match list {
        Value::Array(items) => items.iter().collect(),
        Value::Object(items) => items.values().collect(),
        _ => Vec::new(),
    });
    items.filter_map(named).collect()
}
