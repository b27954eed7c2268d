//! The golden of a case's pose: a GLB of its file with the case's clip alone, or none at rest, and without pictures.
//!
//! It is loaded like any other file, so that whatever moves or shows a point of the file does so in its golden.

use serde_json::{Value, json};

use rigview_anim::{Clip, ClipParts};
use rigview_compare::distances;
use rigview_export::{Animations, Changes, ExportError, changed, glb};
use rigview_import::{ImageDecoding, ImportOptions, load_bytes};
use rigview_model::{Model, Original, Source, Stage};

/// Key of `asset.extras` that marks a golden, with the version of its kind.
const MARK: &str = "rigview_golden";
const VERSION: u32 = 1;

/// The share of the tolerance that a golden may take for fewer bits per number: a file that is within seven eighths of the
/// tolerance of what was approved passes.
const SHARE: f64 = 1.0 / 8.0;

/// A white PNG of one pixel, which takes the place of all pictures: whatever names a picture stays valid.
const WHITE: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mP4DwABAQEAHLCMmQAAAABJRU5ErkJggg==";

/// Returns the golden of a model, which keeps its original file, in a scene and a clip. `tolerance` is the distance in metres by
/// which poses may differ from it.
///
/// # Errors
/// If it can't be written.
pub fn golden_bytes(
    model: &Model,
    scene: usize,
    clip: Option<usize>,
    tolerance: f64,
) -> Result<Vec<u8>, ExportError> {
    let bare = without_pictures(model, scene)?;
    let chosen: Vec<usize> = clip.into_iter().collect();
    let written = |quantize: bool, meshopt: bool| {
        let changes = Changes { quantize, meshopt, ..Changes::default() };
        let file = changed(&bare, Animations::Chosen(&chosen), &changes)?.file;
        glb(&file.root, file.bytes, &[])
    };
    let is_near = |bytes: &[u8]| {
        let Ok(golden) = read_golden(bytes) else { return false };
        let own = playing(&bare, scene, clip.map(|clip| &bare.clips[clip]));
        let distances = distances(&golden, &own).ok().flatten();
        distances.is_some_and(|distances| distances.largest() <= SHARE * tolerance)
    };
    match written(true, true) {
        Ok(bytes) if is_near(&bytes) => Ok(bytes),
        // Compressed data is copied.
        Err(ExportError::Compressed) => written(false, false),
        _ => written(false, true),
    }
}

/// Returns a model whose file shows a scene by default and has no pictures, and which is marked as a golden.
fn without_pictures(model: &Model, scene: usize) -> Result<Model, ExportError> {
    let original = model.source.original.as_ref().ok_or(ExportError::NotKept)?;
    let mut root: Value =
        serde_json::from_str(&original.json).map_err(|e| ExportError::Document(e.to_string()))?;
    if root.get("scenes").is_some() {
        root["scene"] = scene.into();
    }
    root["asset"]["extras"] = json!({ MARK: VERSION });
    let mut views = Vec::new();
    for image in root.get_mut("images").and_then(Value::as_array_mut).into_iter().flatten() {
        views.extend(image.get("bufferView").and_then(Value::as_u64));
        *image = json!({ "uri": WHITE });
    }
    // A view can't be empty, and others are numbered after it.
    let views = views.into_iter().filter(|view| !is_of_accessor(&root, *view));
    for view in views.collect::<Vec<u64>>() {
        if let Some(view) = root["bufferViews"].get_mut(view as usize) {
            view["byteLength"] = 1.into();
        }
    }
    let images = vec![None; original.images.len()];
    let original = Original { json: root.to_string(), buffers: original.buffers.clone(), images };
    let source = Source { original: Some(original), ..model.source.clone() };
    Ok(Model { source, ..model.clone() })
}

fn is_of_accessor(root: &Value, view: u64) -> bool {
    let mut accessors = root["accessors"].as_array().into_iter().flatten();
    accessors.any(|accessor| accessor["bufferView"] == view)
}

/// Reads a golden.
///
/// # Errors
/// In words, if it is not a file that can be loaded.
pub fn read_golden(bytes: &[u8]) -> Result<Model, String> {
    let options = ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::default() };
    let loaded = load_bytes(bytes.to_vec(), &options);
    loaded.map(|loaded| loaded.model).map_err(|error| error.to_string())
}

/// Whether a GLB is a golden. Others may lie beside goldens.
pub fn is_golden_file(bytes: &[u8]) -> bool {
    let length = bytes.get(12..16).and_then(|length| Some(u32::from_le_bytes(*length.as_array()?)));
    let json = length.and_then(|length| bytes.get(20..)?.get(..length as usize));
    let root = json.and_then(|json| serde_json::from_slice::<Value>(json).ok());
    root.is_some_and(|root| root["asset"]["extras"].get(MARK).is_some())
}

/// Returns a copy of a model that shows a scene by default and has one clip alone, or none.
pub fn playing(model: &Model, scene: usize, clip: Option<&Clip>) -> Model {
    // The clip of a case is the same one whatever its name is.
    let name = Some("clip".to_owned());
    let clip = clip.map(|clip| Clip::new(ClipParts { name, ..clip.clone().into_parts() }));
    Model { default_scene: scene, clips: clip.into_iter().collect(), ..model.clone() }
}

/// Removes the meshes of some nodes from a model.
pub fn draw_only(model: &mut Model, is_shown: &[bool]) {
    let nodes = model.nodes.iter_mut().zip(is_shown);
    nodes.filter(|(_, is_shown)| !**is_shown).for_each(|(node, _)| node.mesh = None);
}

/// Returns, by node, whether a stage shows a mesh there.
pub fn shown_meshes(model: &Model, stage: &Stage) -> Vec<bool> {
    let mut shown = vec![false; model.nodes.len()];
    let drawing = stage.nodes.iter().filter(|node| model.nodes[**node].mesh.is_some());
    drawing.for_each(|node| shown[*node] = stage.visible[*node]);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    const CREATURE: &[u8] = include_bytes!("../../assets/creature.glb");

    #[test]
    fn a_golden_is_as_near_as_the_tolerance_demands() {
        let options = ImportOptions { keep_original: true, ..ImportOptions::default() };
        let model = load_bytes(CREATURE.to_vec(), &options).unwrap().model;
        let mut sizes = Vec::new();
        for tolerance in [0.0, 1e-4, 1e-2] {
            let bytes = golden_bytes(&model, 0, Some(1), tolerance).unwrap();
            assert!(is_golden_file(&bytes));
            let golden = read_golden(&bytes).unwrap();
            assert_eq!(golden.clips.len(), 1);
            assert_eq!(golden.clips[0].name(), model.clips[1].name());
            let own = playing(&model, 0, Some(&model.clips[1]));
            let apart = distances(&golden, &own).unwrap().unwrap().largest();
            assert!(apart <= SHARE * tolerance, "{apart} of {tolerance}");
            sizes.push(bytes.len());
        }
        assert!(sizes[2] < sizes[0] && sizes[0] < CREATURE.len(), "{sizes:?}");
        let rest = read_golden(&golden_bytes(&model, 0, None, 1e-4).unwrap()).unwrap();
        assert!(rest.clips.is_empty());
    }

    #[test]
    fn other_files_are_no_goldens() {
        for bytes in [CREATURE, &CREATURE[..30], b"glTF", b"", b"not a model"] {
            assert!(!is_golden_file(bytes));
        }
    }
}
