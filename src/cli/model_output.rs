//! Writes a model as GLB, or as a .gltf file with other files beside it.

use std::cell::OnceCell;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::failure::{Failure, Result, shown, usage_error};
use super::output::{Inputs, not_written, refuse_endings, write_whole};
use rigview_capture::{CompleteFile, is_same_file, is_same_folder};
use rigview_export::{
    Animations, Changed, Changes, ExportError, Gathered, changed, file_uri, glb, gltf,
    is_known_extension,
};
use rigview_import::escaped;
use rigview_model::{Chunk, ExtensionStatus, Model, Node, quoted};
use rigview_report::counted;

/// Largest document, in bytes, that is searched for the files that it names.
const MOST_JSON: u64 = 1 << 30;

/// Endings of the names of documents that may name files beside them.
const DOCUMENTS: [&str; 4] = ["gltf", "glb", "vrm", "vrma"];

/// Warns that distances at the skin are those at the node of a mesh's instances.
pub(super) fn warn_of_instances(about: &str, model: &Model) {
    let has_instances = |node: &&Node| node.mesh.is_some() && !node.instances.is_empty();
    if let Some(node) = model.nodes.iter().position(|node| has_instances(&node)) {
        let node = model.node_name(node);
        log::warn!(
            "{about}: distances are measured at node {} itself, not at each of its instances",
            quoted(&node)
        );
    }
}

/// Writes the file of a model, which was read from `from`, with these animations. Warns of what is not carried over.
pub fn write_model(
    [from, path]: [&Path; 2],
    inputs: &Inputs,
    model: &Model,
    animations: Animations,
    failed: impl Fn(ExportError) -> Failure,
) -> Result {
    expect_gltf(path)?;
    let changed = changed(model, animations, &Changes::default()).map_err(&failed)?;
    warn_of_losses(model, [from, path], &changed.file);
    write_changed(path, inputs, changed, &model.source.chunks, failed).map(drop)
}

/// Warns of what is not carried over to a file at another path.
pub fn warn_of_losses(model: &Model, [from, path]: [&Path; 2], file: &Gathered) {
    let name = shown(path);
    for what in losses(model, [from, path], file) {
        log::warn!("{name}: not carried over: {}", escaped(&what));
    }
}

/// Returns what is not carried over to a file at another path, in words. Files that relative URIs name are carried over if
/// both paths have the same folder.
pub fn losses(model: &Model, [from, path]: [&Path; 2], file: &Gathered) -> Vec<String> {
    let mut lost = file.lost.clone();
    if model.source.is_gltf1() {
        let extensions = model.source.extensions.iter();
        let unknown = extensions.filter(|of| of.status == ExtensionStatus::Ignored);
        lost.extend(unknown.map(|of| format!("the extension {} of glTF 1.0", quoted(&of.name))));
    }
    if !are_in_one_folder(from, path) {
        let outside = file.outside.iter();
        lost.extend(outside.map(|uri| format!("the file {}; copy it to the result", quoted(uri))));
    }
    lost
}

/// Returns the names of extensions that may refer to anything by its index, and have lengths. They are copied as they are.
pub fn unknown_extensions(model: &Model) -> impl Iterator<Item = &str> {
    let names = model.source.extensions.iter().map(|extension| extension.name.as_str());
    // Those of glTF 1.0 are not copied.
    names.filter(|name| model.source.is_gltf2() && !is_known_extension(name))
}

/// Returns what is not carried over of unknown extensions where clips have other indices than in the file, in words.
pub fn lost_clip_indices(model: &Model) -> impl Iterator<Item = String> {
    let about = |name: &str| format!("indices of clips that {} may have", quoted(name));
    unknown_extensions(model).map(about)
}

/// Whether two files are in the same folder. Standard input and output are in none.
pub fn are_in_one_folder(a: &Path, b: &Path) -> bool {
    let folder = |file: &Path| match file.parent() {
        Some(parent) if parent.as_os_str().is_empty() => PathBuf::from("."),
        Some(parent) => parent.to_owned(),
        None => PathBuf::new(),
    };
    let is_stream = |file: &Path| file == Path::new("-");
    !is_stream(a) && !is_stream(b) && is_same_folder(&folder(a), &folder(b))
}

/// Writes a changed document; the extension of `path` decides on the container. `chunks` are those of its GLB that glTF does
/// not define. Returns the number of bytes.
pub fn write_changed(
    path: &Path,
    inputs: &Inputs,
    changed: Changed,
    chunks: &[Chunk],
    failed: impl Fn(ExportError) -> Failure,
) -> Result<u64> {
    expect_gltf(path)?;
    let Changed { file: Gathered { root, bytes, .. }, pictures, .. } = changed;
    if !is_document(path) {
        let glb = glb(&root, bytes, chunks).map_err(failed)?;
        write_whole(path, inputs, |out| out.write_all(&glb))?;
        return Ok(glb.len() as u64);
    }
    warn_of_chunks(path, chunks);
    let bin = path.with_extension("bin");
    let files = gltf(root, bytes, &file_name(&bin));
    let mut beside = Vec::new();
    if !files.bin.is_empty() {
        beside.push(Beside { path: bin, bytes: &files.bin });
    }
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
pub fn expect_gltf(path: &Path) -> Result {
    refuse_endings("-o", path, &OTHER_MODELS, [".glb and .gltf", "glb"])
}

/// Warns that a .gltf file is written without these chunks of the GLB that it comes from.
pub fn warn_of_chunks(path: &Path, chunks: &[Chunk]) {
    if chunks.is_empty() {
        return;
    }
    let kinds: Vec<_> = chunks.iter().map(|chunk| String::from_utf8_lossy(&chunk.kind)).collect();
    log::warn!(
        "{}: a .gltf file can't hold the GLB's {} ({}); write a .glb file to keep {}",
        shown(path),
        counted(chunks.len(), "further chunk"),
        escaped(&kinds.join(", ")),
        if chunks.len() == 1 { "it" } else { "them" },
    );
}

/// Whether a file is named as a document with its buffer beside it.
pub fn is_document(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gltf"))
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A file that a document names, and that is written with it.
#[derive(Debug)]
pub struct Beside<'a> {
    pub path: PathBuf,
    pub bytes: &'a [u8],
}

/// Writes a document and the files that it names. All are complete before any is moved into place.
pub fn write_document(path: &Path, inputs: &Inputs, document: &[u8], beside: &[Beside]) -> Result {
    inputs.refuse(path)?;
    beside.iter().try_for_each(|file| inputs.refuse(&file.path))?;
    refuse_strangers(path, beside)?;
    let complete = |path: &Path, bytes: &[u8]| {
        CompleteFile::write(path, |out| out.write_all(bytes)).map_err(|e| not_written(path, &e))
    };
    let written: Vec<CompleteFile> =
        beside.iter().map(|file| complete(&file.path, file.bytes)).collect::<Result<_, _>>()?;
    let document = complete(path, document)?;
    for (file, written) in beside.iter().zip(written) {
        written.commit().map_err(|e| not_written(&file.path, &e))?;
    }
    document.commit().map_err(|e| not_written(path, &e))
}

/// Refuses to replace files that the present document at a path does not name, or that others in its folder name too.
fn refuse_strangers(path: &Path, beside: &[Beside]) -> Result {
    if path.exists() && !path.is_file() {
        // A FIFO or a device does not tell which files its document has.
        return Ok(());
    }
    let owned = Owned::by(path);
    let mut strangers = beside.iter().filter(|file| file.path.exists() && !owned.alone(&file.path));
    let Some(stranger) = strangers.next() else { return Ok(()) };
    let [name, document] = [&stranger.path, path].map(shown);
    usage_error(format!(
        "{name}: {document} needs a file of this name, but this one belongs to another; move it, or choose another -o"
    ))
}

/// The files that a document on disk names, and those that others in its folder name.
struct Owned {
    own: Vec<PathBuf>,
    others: OnceCell<Vec<PathBuf>>,
    document: PathBuf,
}

impl Owned {
    fn by(document: &Path) -> Self {
        Self { own: files_of(document), others: OnceCell::new(), document: document.to_owned() }
    }

    /// Whether a file is named once in this document, and in no other. Two buffers may be parts of one file.
    fn by_one_item(&self, file: &Path) -> bool {
        let named = self.own.iter().filter(|named| is_same_file(named, file)).count();
        named == 1 && self.alone(file)
    }

    /// Whether a file is named by this document and by no other.
    fn alone(&self, file: &Path) -> bool {
        let names = |files: &[PathBuf]| files.iter().any(|named| is_same_file(named, file));
        names(&self.own) && !names(self.others.get_or_init(|| files_of_others(&self.document)))
    }
}

/// Returns the paths that the other documents in the folder of one name.
fn files_of_others(document: &Path) -> Vec<PathBuf> {
    let folder = document.parent().filter(|folder| !folder.as_os_str().is_empty());
    let Ok(entries) = std::fs::read_dir(folder.unwrap_or(Path::new("."))) else {
        return Vec::new();
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let others = paths.filter(|path| {
        let kind = path.extension().unwrap_or_default().to_ascii_lowercase();
        DOCUMENTS.iter().any(|ending| kind == *ending) && !is_same_file(path, document)
    });
    others.flat_map(|path| files_of(&path)).collect()
}

/// Returns the paths of the buffers and images that a document on disk names; none if there is no document.
fn files_of(document: &Path) -> Vec<PathBuf> {
    let root = if document.is_file() { json_of(document).unwrap_or_default() } else { Value::Null };
    let named = |item: &Value| file_of(document, item.get("uri")?.as_str()?);
    // Lists of glTF 1.0 are objects.
    let lists = ["buffers", "images"].into_iter().filter_map(|key| root.get(key));
    let items = lists.flat_map(|list| match list {
        Value::Array(items) => items.iter().collect(),
        Value::Object(items) => items.values().collect(),
        _ => Vec::new(),
    });
    items.filter_map(named).collect()
}

/// Returns the path of the file that a URI in a document names; `None` if it is the data itself.
fn file_of(document: &Path, uri: &str) -> Option<PathBuf> {
    let name = percent_decode_str(uri).decode_utf8().ok().filter(|_| !is_data_uri(uri))?;
    Some(document.with_file_name(&*name))
}

pub fn is_data_uri(uri: &str) -> bool {
    uri.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
}

/// Returns the file for the changed buffer of a document that is replaced, and the URI that names it: the present ones if
/// the file is that buffer's alone, else those of a new file, with a warning.
pub fn buffer_to_replace(document: &Path, uri: Option<&str>) -> (PathBuf, String) {
    let present = uri.and_then(|uri| Some((file_of(document, uri)?, uri)));
    match present {
        Some((path, uri)) if !path.exists() || Owned::by(document).by_one_item(&path) => {
            (path, uri.to_owned())
        }
        present => {
            let plain = document.with_extension("bin");
            let numbered = (1usize..).map(|number| {
                let mut name = plain.file_stem().unwrap_or_default().to_owned();
                name.push(format!("_{number}.bin"));
                plain.with_file_name(name)
            });
            let mut paths = std::iter::once(plain.clone()).chain(numbered);
            let new = paths.find(|path| !path.exists()).unwrap_or(plain);
            if let Some((path, _)) = present {
                let [taken, name] = [&path, &new].map(|path| shown(path));
                log::warn!("{taken} is named elsewhere too; the changed data is in {name}");
            }
            let uri = file_uri(&file_name(&new));
            (new, uri)
        }
    }
}

/// Reads the JSON of a document, or of a GLB, whose first chunk it is.
fn json_of(document: &Path) -> Option<Value> {
    const HEADER: usize = 20;
    let mut file = File::open(document).ok()?;
    let mut json = Vec::new();
    file.by_ref().take(HEADER as u64).read_to_end(&mut json).ok()?;
    let length = match json.strip_prefix(b"glTF") {
        Some([_, _, _, _, _, _, _, _, a, b, c, d, ..]) => {
            let length = u32::from_le_bytes([*a, *b, *c, *d]);
            json.clear();
            u64::from(length)
        }
        _ => MOST_JSON,
    };
    file.take(length.min(MOST_JSON)).read_to_end(&mut json).ok()?;
    serde_json::from_slice(&json).ok()
}
