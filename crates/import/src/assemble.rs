//! Builds the model: calls the readers of the single glTF objects in the order in which they depend
//! on each other.

use std::collections::HashSet;

use super::accessor::Accessors;
use super::animation::{self, Targets};
use super::buffer::{self, Buffers};
use super::fault::{ImportError, Warnings};
use super::mesh::{self, Surroundings};
use super::options::{ImageDecoding, ImportOptions};
use super::pointer::Slots;
use super::progress::Progress;
use super::texture::{self, Textures};
use super::{
    budget, image, instances, light, material, node, scene, skeleton, skin, skinned_nodes, variant,
    vrm,
};
use rigview_document::Document;
use rigview_model::{AlphaMode, Material, Model, Properties, Source, TextureSlot};

/// Counts the images, meshes and clips for the progress.
pub(super) fn count_parts(document: &Document, progress: &Progress) {
    let count = |list| document.count(list);
    progress.count(count("images"), count("meshes"), count("animations"));
}

/// Builds the model of a document whose buffers are loaded. Images are decoded in parallel with
/// everything else.
pub(super) fn assemble(
    document: &Document,
    mut source: Source,
    mut buffers: Buffers,
    options: &ImportOptions,
    warn: &mut Warnings,
) -> Result<Model, ImportError> {
    let folder = buffers.folder();
    count_parts(document, folder.progress);
    if options.keep_original {
        source.original = Some(buffer::keep(document, &buffers, folder)?);
    }
    budget::charge_lists(document, buffers.budget())?;
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
    // Images are charged to the budget before the parallel part, so that the result does not depend
    // on timing.
    let found = image::find(document, &textures, &sources, warn)?;
    let (pictures, shapes) = rayon::join(
        || -> Result<_, ImportError> {
            let images = image::read(document, &textures, &sources, found, &mut of_pictures)?;
            let textures = textures.settled(document, &images, &mut of_pictures)?;
            Ok((images, textures))
        },
        || shapes(document, &accessors, &materials, &source.format, options, &mut of_shapes),
    );
    warn.append(of_pictures);
    warn.append(of_shapes);
    let (images, textures) = pictures?;
    let budget = accessors.budget().clone();
    let mut model = Model { source, materials, textures, images, budget, ..shapes? };
    if options.images == ImageDecoding::Keep {
        model.find_seen_points();
    }
    Ok(model)
}

/// Builds everything but images, textures and materials.
fn shapes(
    document: &Document,
    accessors: &Accessors,
    materials: &[Material],
    format: &str,
    options: &ImportOptions,
    warn: &mut Warnings,
) -> Result<Model, ImportError> {
    let lights = light::read(document, warn)?;
    let cameras = scene::cameras(document, warn)?;
    let mut nodes = node::read(document, lights.len(), warn)?;
    let skins = skin::read(document, accessors, warn)?;
    let smallest = skinned_nodes::smallest_skins(&nodes.list, &skins, document.count("meshes"));
    let variants = variant::names(document)?;
    let around = Surroundings::new(materials, &smallest, variants.len(), format, options);
    let meshes = mesh::read(document, accessors, &around, warn)?;
    skinned_nodes::drop_idle_skins(document, &mut nodes.list, &meshes, warn)?;
    skinned_nodes::warn_of_ignored_transforms(document, &nodes, &meshes, warn)?;
    instances::read(document, &mut nodes.list, &meshes, accessors, warn)?;
    budget::charge_nodes(&nodes, &meshes, accessors.budget())?;
    let rest = node::rest(document, &nodes, &meshes, warn)?;
    let things = Properties::at_rest(&nodes.list, &cameras, &lights, materials);
    let slots = Slots::driven(document, things);
    let targets = Targets { nodes: &nodes, rest: &rest, slots: &slots };
    let clips = animation::read(document, &targets, accessors, warn)?;
    let (slots, values) = slots.finish();
    let rest = rest.with_properties(&values);
    let (scenes, default_scene) = scene::read(document, &nodes.hierarchy, warn)?;
    skeleton::check(document, &skins, &nodes, &scenes, warn)?;
    node::check_finite(&nodes.hierarchy, &rest, warn);
    let parents = |node| nodes.hierarchy.parent(node);
    let (list, budget) = (&nodes.list[..], accessors.budget());
    let rig = vrm::Rig { nodes: list, parents: &parents, rest: &rest, budget };
    let vrm = vrm::read(document, &rig, warn)?;
    let constraints = vrm::read_constraints(document, &rig, warn)?;
    let model = Model {
        scenes,
        default_scene,
        vrm,
        constraints,
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
        budget::charge_drawing(&model, materials, accessors.budget())?;
    }
    Ok(model)
}

/// The number of GPU copies that drawing needs of each image: one for each way in which its texels
/// are read. 0 for an image that no drawn material uses, not even as the second choice of a
/// texture.
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
