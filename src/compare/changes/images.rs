//! Differences of images.

use super::materials::used_materials;
use super::names::{Names, changes_of_used};
use crate::compare::change::{Change, Kind};
use crate::compare::pairing::pairs::{Pairs, given};
use crate::model::{Image, Model, Pixels};

/// Lists the images that were added, removed, renamed or changed.
pub(in crate::compare) fn image_changes(a: &Model, b: &Model, pairs: &Pairs) -> Vec<Change> {
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

/// Pairs images: by name, then by content, then those of one name in their order, then by index if one of both has no name. An
/// image that one model has several times is its copies' partner too.
pub(in crate::compare) fn image_pairs(a: &Model, b: &Model) -> Pairs {
    let mut pairs = Pairs::new(a.images.len(), b.images.len());
    let name = |model: &Model, i: usize| given(&model.images[i].name).map(str::to_owned);
    pairs.pair_unique(|i| name(a, i), |i| name(b, i));
    pairs.pair_in_order(|i| a.images[i].digest, |i| b.images[i].digest);
    pairs.pair_in_order(|i| name(a, i), |i| name(b, i));
    pairs.pair_unique(|i| name(a, i).is_none().then_some(i), Some);
    pairs.pair_unique(Some, |i| name(b, i).is_none().then_some(i));
    pairs.pair_copies(|i| a.images[i].digest, |i| b.images[i].digest);
    pairs
}
