//! Bytes to a [`Model`]: containers, URIs, buffers, accessors, one file to a glTF noun.
//!
//! Nothing in a file is trusted. What can't be shown honestly is an [`ImportError`] that names the
//! place; what can be repaired is, and becomes a [`Warning`]. Behind this room everything
//! is valid by construction.
//!
//! The JSON is read through places (`document`) that check as they are read and know their own
//! pointer. The `gltf` crate gives the words for component types and shapes; its typed JSON is
//! not used: it has no channel without a node and no attribute it doesn't know, wraps indices
//! at 32 bits, and knows no pointers for its errors.
//!
//! ```
//! use rigview::import::{ImportOptions, load_bytes};
//!
//! let broken = br#"{"asset": {"version": "2.0"}, "nodes": [{"children": [7]}]}"#;
//! let error = load_bytes(broken.to_vec(), &ImportOptions::default()).unwrap_err();
//! assert!(error.to_string().ends_with(" at /nodes/0/children/0"));
//! ```

mod accessor;
mod animation;
mod asset;
mod attribute;
mod basis;
mod buffer;
mod component;
mod container;
mod document;
mod draco;
mod element;
mod environment;
mod escape;
mod extension;
mod extent;
mod fault;
mod file;
mod foreign;
mod gltf1;
mod guard;
mod image;
mod index;
mod influences;
mod instances;
mod json;
mod layer;
mod light;
mod material;
mod mesh;
mod meshopt;
mod mikktspace;
mod morph;
mod node;
mod original;
mod panorama;
mod partition;
mod picture;
mod placement;
mod pointer;
mod products;
mod progress;
mod scene;
mod skeleton;
mod skin;
mod tangent;
mod texture;
mod track;
mod uri;
mod variant;
mod xmp;

use std::collections::HashSet;
use std::path::Path;
use std::sync::OnceLock;

pub use environment::load_environment;
pub use escape::escaped;
pub use fault::{ImportError, Warning};
pub use file::read_file;
pub use foreign::{Looks, looks_of};
pub use guard::{guarded, is_guarded};
pub use progress::{Part, Progress, ReadFile};

use accessor::Accessors;
use animation::Targets;
use buffer::{Buffers, Given};
use container::Pieces;
use document::Document;
use fault::Warnings;
use mesh::Surroundings;
use pointer::Slots;
use texture::Textures;
use uri::Folder;

use crate::model::{
    AlphaMode, BlockFormats, Budget, Material, Model, Properties, Source, TextureSlot,
};

/// What the import is asked to do beyond reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportOptions<'a> {
    /// What is done with pictures.
    pub images: ImageDecoding,
    /// What the adapter takes of KTX2 pictures besides RGBA, which all become without it. Whoever
    /// opens the adapter while the file is read fills it in later: only such a picture waits for
    /// it, for as long as that takes.
    pub block_formats: Option<&'a OnceLock<BlockFormats>>,
    /// Joints a part may use: at most [`crate::anim::MAX_PALETTE_JOINTS`], which is the default.
    /// A part with a triangle that alone needs more (48 at most) may use as many as that.
    pub joint_limit: usize,
    /// Bytes that everything derived from a file may take together, and a little more for a large
    /// file ([`Budget`]). Pictures that need more are left out, any other file is refused. 1 GiB
    /// by default.
    pub decoded_limit: u64,
    /// Whether the file itself is kept beside the model, to be written again
    /// ([`crate::model::Source::original`]).
    pub keep_original: bool,
}

impl ImportOptions<'_> {
    /// All is read as a viewer needs it.
    pub const DEFAULT: Self = Self {
        images: ImageDecoding::Keep,
        block_formats: None,
        joint_limit: crate::anim::MAX_PALETTE_JOINTS,
        decoded_limit: Budget::DEFAULT,
        keep_original: false,
    };
}

impl Default for ImportOptions<'_> {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// What is done with pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageDecoding {
    /// Decoded and kept, as far as pictures of the model need them.
    Keep,
    /// Decoded one at a time for their faults, and dropped.
    Check,
    /// Only their headers are read.
    Headers,
}

/// A file that could be read, and what had to be repaired.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What the file says.
    pub model: Model,
    /// In the order in which they were found. All texts are one line without control characters.
    pub warnings: Vec<Warning>,
}

/// Loads a file; buffers and images it names are looked for in its folder.
///
/// # Errors
/// When it can't be read, or can't be shown honestly; see [`ImportError`].
pub fn load(path: &Path, options: &ImportOptions) -> Result<Loaded, ImportError> {
    load_telling(path, options, &Progress::default())
}

/// Loads a file as [`load`] does, tells how far it has come, and stops soon when that is cancelled:
/// between two pieces of a file, images, views, meshes or clips.
///
/// # Errors
/// As [`load`], and when it was cancelled.
pub fn load_telling(
    path: &Path,
    options: &ImportOptions,
    progress: &Progress,
) -> Result<Loaded, ImportError> {
    let mut warnings = Warnings::default();
    let pieces = container::read(path, progress, &mut warnings)?;
    build(pieces, &Folder::of(path, progress), options, warnings)
}

/// Loads a file that is in memory and must contain all it needs.
///
/// # Errors
/// As [`load`].
pub fn load_bytes(bytes: Vec<u8>, options: &ImportOptions) -> Result<Loaded, ImportError> {
    let mut warnings = Warnings::default();
    let pieces = container::split(bytes, None, &mut warnings)?;
    build(pieces, &Folder::none(&Progress::default()), options, warnings)
}

fn build(
    pieces: Pieces,
    folder: &Folder,
    options: &ImportOptions,
    mut warnings: Warnings,
) -> Result<Loaded, ImportError> {
    let budget = Budget::new(options.decoded_limit);
    budget.grow(pieces.bytes.len());
    let root = json::parse(&pieces.bytes[pieces.json.clone()], &budget, &mut warnings)?;
    let bin = pieces.bin.map(|range| &pieces.bytes[range]);
    if gltf1::is(&root) {
        let about = (pieces.container, &budget);
        return gltf1::load(root, about, bin, folder, options, warnings);
    }
    let document = Document::new(root)?;
    let source = asset::read(&document, pieces.container, &mut warnings)?;
    placement::check(&document, &mut warnings);
    count_parts(&document, folder.progress);
    let given = Given { bin, folder, budget: &budget };
    let buffers = Buffers::read(&document, given, &mut warnings)?;
    let model = model(&document, source, buffers, folder, options, &mut warnings)?;
    Ok(Loaded { model, warnings: warnings.finish() })
}

/// Notes how much the import has to do.
fn count_parts(document: &Document, progress: &Progress) {
    let count = |list| document.count(list);
    progress.count(count("images"), count("meshes"), count("animations"));
}

/// The model of a document whose buffers are there. Pictures are read beside all the rest.
fn model(
    document: &Document,
    mut source: Source,
    mut buffers: Buffers,
    folder: &Folder,
    options: &ImportOptions,
    warn: &mut Warnings,
) -> Result<Model, ImportError> {
    count_parts(document, folder.progress);
    if options.keep_original {
        source.original = Some(original::keep(document, &buffers, folder)?);
    }
    products::charge_lists(document, buffers.budget())?;
    let views = buffer::views(document, &mut buffers, warn)?;
    let accessors = Accessors::new(document, &buffers, &views, warn)?;
    let textures = texture::read(document, warn)?;
    let materials = material::read(document, warn)?;

    let copies = image_copies(document, &materials, &textures)?;
    let sources = image::Sources {
        folder,
        buffers: &buffers,
        views: &views,
        decoding: options.images,
        copies: &copies,
        want_mips: &textures.want_mips(document.count("images")),
        block_formats: options.block_formats,
    };
    let (mut of_pictures, mut of_shapes) = <(Warnings, Warnings)>::default();
    // Pictures are charged before the shapes, so that what is refused does not depend on the time.
    let found = image::find(document, &textures, &sources, warn)?;
    let (pictures, shapes) = rayon::join(
        || {
            let images = image::read(document, &textures, &sources, found, &mut of_pictures)?;
            let textures = textures.settled(document, &images, &mut of_pictures)?;
            Ok((images, textures))
        },
        || shapes(document, &accessors, &materials, options, &mut of_shapes),
    );
    warn.append(of_pictures);
    warn.append(of_shapes);
    let (images, textures) = pictures?;
    let budget = accessors.budget().clone();
    Ok(Model { source, materials, textures, images, budget, ..shapes? })
}

/// What a model has beside pictures and what is made of them.
fn shapes(
    document: &Document,
    accessors: &Accessors,
    materials: &[Material],
    options: &ImportOptions,
    warn: &mut Warnings,
) -> Result<Model, ImportError> {
    let lights = light::read(document, warn)?;
    let cameras = scene::cameras(document, warn)?;
    let mut nodes = node::read(document, lights.len(), warn)?;
    let skins = skin::read(document, accessors, warn)?;
    let smallest = node::smallest_skins(&nodes.list, &skins, document.count("meshes"));
    let variants = variant::names(document)?;
    let around = Surroundings::new(materials, &smallest, variants.len(), options);
    let meshes = mesh::read(document, accessors, &around, warn)?;
    node::drop_idle_skins(document, &mut nodes.list, &meshes, warn)?;
    node::warn_of_ignored_transforms(document, &nodes, &meshes, warn)?;
    instances::read(document, &mut nodes.list, &meshes, accessors, warn)?;
    products::charge_nodes(&nodes, &meshes, accessors.budget())?;
    let rest = node::rest(document, &nodes, &meshes, warn)?;
    let things = Properties::of(&nodes.list, &cameras, &lights, materials);
    let slots = Slots::driven(document, things);
    let targets = Targets { nodes: &nodes, rest: &rest, slots: &slots };
    let clips = animation::read(document, &targets, accessors, warn)?;
    let (slots, values) = slots.finish();
    let rest = rest.with_properties(&values);
    let (scenes, default_scene) = scene::read(document, &nodes.hierarchy, warn)?;
    skeleton::check(document, &skins, (&nodes.list, &nodes.hierarchy), &scenes, warn)?;
    node::check_finite(&nodes.hierarchy, &rest, warn);
    let model = Model {
        scenes,
        default_scene,
        nodes: nodes.list,
        hierarchy: nodes.hierarchy,
        rest,
        meshes,
        skins,
        cameras,
        lights,
        variants,
        clips,
        slots,
        ..Model::default()
    };
    if options.images == ImageDecoding::Keep {
        products::charge_drawing(&model, materials, accessors.budget())?;
    }
    Ok(model)
}

/// By image: how many copies of it drawing takes, one for each way in which its texels are read. 0
/// for one that no material of a primitive draws, nor may where a better picture of its texture
/// can't be read.
fn image_copies(
    document: &Document,
    materials: &[Material],
    textures: &Textures,
) -> Result<Vec<usize>, ImportError> {
    let mut drawn = mesh::drawn_materials(document)?;
    drawn.sort_unstable();
    drawn.dedup();
    let mut ways = HashSet::new();
    for material in drawn.into_iter().map(|m| &materials[m]) {
        let opaque = material.alpha_mode == AlphaMode::Opaque;
        for (slot, texture) in material.textures.iter() {
            let cut_out = slot == TextureSlot::BaseColor && !opaque;
            let (texture, mips) = (texture.texture, textures.has_mips(texture.texture));
            ways.insert((texture, cut_out, slot.is_color(), mips));
        }
    }
    let of_texture: Vec<_> = textures.sources().collect();
    let of_images = ways.iter().flat_map(|(texture, cut_out, color, mips)| {
        of_texture[*texture].iter().map(|source| (source.image, *cut_out, *color, *mips))
    });
    let mut copies = vec![0; document.count("images")];
    for (image, ..) in of_images.collect::<HashSet<_>>() {
        copies[image] += 1;
    }
    Ok(copies)
}
