//! Entry points of the importer: a path or bytes in memory to a [`Model`](rigview_model::Model).

use std::path::Path;

use super::assemble::{assemble, count_parts};
use super::buffer::{Buffers, Given};
use super::container::{self, Contents};
use super::fault::{ImportError, Warnings};
#[cfg(feature = "fbx")]
use super::fbx;
use super::files::{Files, Folder};
use super::options::ImportOptions;
use super::progress::Progress;
use super::{asset, bvh, extension_use, gltf1, schema};
use rigview_document::{Document, Parsed, parse, tree_memory};
use rigview_model::{Budget, Chunk, Loaded, WarningCode};

/// Loads a file. Buffers and images that it names are read from its folder.
///
/// # Errors
/// When the file can't be read, or has a defect that can't be repaired; see [`ImportError`].
pub fn load(path: &Path, options: &ImportOptions) -> Result<Loaded, ImportError> {
    load_with_progress(path, options, &Progress::default())
}

/// Loads a file as [`load`] does and reports to `progress`: see [`load_from`].
///
/// # Errors
/// As [`load_from`].
pub fn load_with_progress(
    path: &Path,
    options: &ImportOptions,
    progress: &Progress,
) -> Result<Loaded, ImportError> {
    load_from(Files::Disk(path.to_owned()), options, progress)
}

/// Loads a file from memory. It must be self-contained.
///
/// # Errors
/// As [`load`].
pub fn load_bytes(bytes: Vec<u8>, options: &ImportOptions) -> Result<Loaded, ImportError> {
    load_bytes_with_progress(bytes, options, &Progress::default())
}

/// Loads a file from memory as [`load_bytes`] does and reports to `progress`: see [`load_from`].
///
/// # Errors
/// As [`load_from`].
pub fn load_bytes_with_progress(
    bytes: Vec<u8>,
    options: &ImportOptions,
    progress: &Progress,
) -> Result<Loaded, ImportError> {
    load_from(Files::bytes(bytes), options, progress)
}

/// Loads a file, and the files that it names, from disk or from memory, and reports to `progress`. When that is
/// cancelled, stops before the next piece of a file, image, view, mesh or clip.
///
/// # Errors
/// As [`load`], and when the load was cancelled.
pub fn load_from(
    mut files: Files,
    options: &ImportOptions,
    progress: &Progress,
) -> Result<Loaded, ImportError> {
    let mut warnings = Warnings::default();
    let contents = match &mut files {
        Files::Disk(_) => container::read(&files, progress, &mut warnings)?,
        Files::Memory { name, bytes, .. } => {
            // Takes the bytes instead of copying them.
            let bytes = std::mem::take(bytes);
            progress.will_read(bytes.len() as u64);
            progress.has_read(bytes.len() as u64);
            container::split(bytes, name.as_deref(), &mut warnings)?
        }
    };
    build(contents, &files.beside(progress), options, warnings)
}

fn build(
    contents: Contents,
    folder: &Folder,
    options: &ImportOptions,
    mut warnings: Warnings,
) -> Result<Loaded, ImportError> {
    let pieces = match contents {
        Contents::Gltf(pieces) => pieces,
        Contents::Bvh(bytes) => return bvh::load(&bytes, folder, options, warnings),
        #[cfg(feature = "fbx")]
        Contents::Fbx(bytes) => return fbx::load(bytes, folder, options, warnings),
    };
    let budget = Budget::new(options.decoded_limit);
    budget.grow(pieces.bytes.len());
    let text = &pieces.bytes[pieces.json.clone()];
    for (count, size) in tree_memory(text) {
        budget.take(count, size).map_err(|over| ImportError::over_budget("", over))?;
    }
    let Parsed { root, lossy } = parse(text)?;
    if let Some(lossy) = lossy {
        warnings.add(WarningCode::NotUtf8, "", lossy);
    }
    let bin = pieces.bin.map(|range| &pieces.bytes[range]);
    if gltf1::is(&root) {
        let given = Given { bin, folder, budget: &budget };
        return gltf1::load(root, pieces.container, given, options, warnings);
    }
    let document = Document::new(root)?;
    let mut source = asset::read(&document, pieces.container, &mut warnings)?;
    if options.keep_original || options.keep_undrawn {
        for (kind, range) in pieces.others {
            source.chunks.push(Chunk { kind, bytes: pieces.bytes[range].to_vec() });
        }
    }
    extension_use::check(&document, &mut warnings);
    schema::check(&document, &mut warnings);
    count_parts(&document, folder.progress);
    let given = Given { bin, folder, budget: &budget };
    let buffers = Buffers::read(&document, given, &mut warnings)?;
    let model = assemble(&document, source, buffers, options, &mut warnings)?;
    Ok(Loaded { model, warnings: warnings.finish(options.all_warnings) })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use rigview_model::Pixels;
    use serde_json::json;

    /// A triangle with its buffer and its texture in files of their own.
    fn files() -> Files {
        let numbers = [0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        let document = json!({
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "material": 0}]}],
            "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
            "textures": [{"source": 0}], "images": [{"uri": "textures/re%20d.png"}],
            "buffers": [{"uri": "data.bin", "byteLength": 60}],
            "bufferViews": [
                {"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 24},
            ],
            "accessors": [
                {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
                 "min": [0, 0, 0], "max": [1, 1, 0]},
                {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC2"},
            ],
        });
        let mut data: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        data.resize(60, 0);
        let mut picture = Vec::new();
        let mut encoder = png::Encoder::new(&mut picture, 1, 1);
        encoder.set_color(png::ColorType::Rgb);
        encoder.write_header().unwrap().write_image_data(&[255, 0, 0]).unwrap();
        let beside =
            [("data.bin", data), ("textures/re d.png", picture)].map(|(k, v)| (k.to_owned(), v));
        Files::Memory {
            name: Some("triangle.gltf".into()),
            bytes: document.to_string().into_bytes(),
            beside: BTreeMap::from(beside),
        }
    }

    #[test]
    fn a_file_in_memory_reads_its_buffers_and_textures_from_memory() {
        let options = ImportOptions { keep_original: true, ..ImportOptions::DEFAULT };
        let progress = Progress::default();
        let Loaded { model, warnings } = load_from(files(), &options, &progress).unwrap();
        assert_eq!(warnings, []);
        let vertices = &model.meshes[0].primitives[0].vertices;
        assert_eq!(vertices[2].position, [0.0, 1.0, 0.0]);
        assert!(matches!(&model.images[0].pixels, Pixels::Rgba8(p) if p[..] == [255, 0, 0, 255]));
        assert!(model.source.original.unwrap().images[0].is_some());
        assert!(progress.files().is_empty());
    }

    #[test]
    fn a_file_that_is_not_in_memory_is_missing() {
        let mut files = files();
        let Files::Memory { beside, .. } = &mut files else { unreachable!() };
        beside.remove("data.bin");
        let error = load_from(files, &ImportOptions::DEFAULT, &Progress::default()).unwrap_err();
        assert!(error.to_string().contains("file \"data.bin\": not found"), "{error}");
    }
}
