//! Differences of images.

use super::materials::used_materials;
use super::names::{Names, changes_of_used};
use crate::change::{Change, Kind};
use crate::pairing::pairs::{Pairs, given, may_be_one};
use rigview_model::{Image, Model, Pixels, TextureSlot};

/// Lists the images that were added, removed, renamed or changed.
pub(crate) fn image_changes(a: &Model, b: &Model, pairs: &Pairs) -> Vec<Change> {
    let images = Names {
        kind: Kind::Image,
        a: a.images.iter().map(|image| &image.name).collect(),
        b: b.images.iter().map(|image| &image.name).collect(),
    };
    let used = [a, b].map(used_images);
    changes_of_used(&images, used, pairs, |i, j| what(&a.images[i], &b.images[j]))
}

fn what(x: &Image, y: &Image) -> Vec<String> {
    let mut said = Vec::new();
    if (x.width, x.height) != (y.width, y.height) {
        said.push(format!("size {}x{} -> {}x{}", x.width, x.height, y.width, y.height));
    }
    if x.mime != y.mime {
        said.push(format!("{} -> {}", x.mime, y.mime));
    }
    if said.is_empty() && !is_same_picture(x, y) {
        said.push("content".into());
    }
    said
}

/// Whether two images have the same pixels, if they were decoded, else the same bytes.
fn is_same_picture(x: &Image, y: &Image) -> bool {
    match (&x.pixels, &y.pixels) {
        (Pixels::Rgba8(x), Pixels::Rgba8(y)) => x == y,
        (of_x, of_y) => x.digest == y.digest && of_x == of_y,
    }
}

/// Returns, for each image, whether a material that is used has it.
fn used_images(model: &Model) -> Vec<bool> {
    let used = used_materials(model);
    let mut images = vec![model.meshes.is_empty(); model.images.len()];
    for (material, _) in model.materials.iter().zip(used).filter(|(_, used)| *used) {
        for (_, texture) in material.textures.iter() {
            if let Some(image) = model.textures[texture.texture].image {
                images[image] = true;
            }
        }
    }
    images
}

fn name_of(model: &Model, i: usize) -> Option<&str> {
    given(&model.images[i].name)
}

/// Pairs images: by name, then by content. [`pair_other_images`] pairs the rest.
pub(crate) fn image_pairs(a: &Model, b: &Model) -> Pairs {
    let mut pairs = Pairs::new(a.images.len(), b.images.len());
    pairs.pair_unique(|i| name_of(a, i), |j| name_of(b, j));
    pairs.pair_in_order(|i| a.images[i].digest, |j| b.images[j].digest);
    pairs
}

/// Pairs images of one name, or of which one has none, by the materials that have them; then those of one name in their order, then by
/// index if one of both has no name. An image that one model has several times is its copies' partner too.
pub(crate) fn pair_other_images([a, b]: [&Model; 2], materials: &Pairs, images: &mut Pairs) {
    let mut uses = Vec::new();
    for (x, y) in materials.iter() {
        for slot in TextureSlot::ALL {
            let image = |model: &Model, material: usize| {
                model.textures[model.materials[material].textures[slot]?.texture].image
            };
            uses.extend(image(a, x).zip(image(b, y)).map(|(i, j)| [i, j]));
        }
    }
    images.pair_by_use(uses, |i, j| may_be_one([name_of(a, i), name_of(b, j)]));
    images.pair_in_order(|i| name_of(a, i), |j| name_of(b, j));
    images.pair_unique(|i| name_of(a, i).is_none().then_some(i), Some);
    images.pair_unique(Some, |j| name_of(b, j).is_none().then_some(j));
    images.pair_copies(|i| a.images[i].digest, |j| b.images[j].digest);
}
