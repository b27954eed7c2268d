//! Changes of what a file has beside vertices and keys: entries that were added, removed, renamed or say something else.

use std::collections::HashSet;

use serde_json::Value;

use super::differences::{Style, differences};
use super::names::{Names, changes, changes_of_used, renaming};
use super::values::{Described, References, has_target_names, name, without_tex_coords};
use crate::change::{Change, ChangeKind, Kind};
use crate::pairing::lists::Models;
use crate::pairing::pairs::{Pairs, entry_name};
use rigview_model::{Image, Model, Pixels};

/// The values of two models.
pub(crate) struct Values<'a> {
    models: Models<'a>,
    described: [Described<'a>; 2],
}

impl<'a> Values<'a> {
    pub fn new(models: Models<'a>, references: &'a References) -> Self {
        let described = [(0, models.a), (1, models.b)].map(|(side, model)| Described {
            model,
            side,
            references,
        });
        Self { models, described }
    }

    /// Lists the changes of nodes, meshes, skins, images, scenes, variants and avatars. `is_drawn` says which meshes of each model the
    /// scene shows.
    pub fn structure(&self, is_drawn: [&[bool]; 2]) -> Vec<Change> {
        let Models { a, b, pairs } = self.models;
        let both = |of: fn(Described<'a>) -> Vec<Value>| self.described.map(of);
        let mut list = Vec::new();
        let nodes = [a, b].map(|model| model.nodes.iter().map(|of| of.name.clone()).collect());
        list.extend(of_list(Kind::Node, nodes, &pairs.nodes, both(Described::nodes)));
        list.extend(self.renamed_items());
        let meshes = [a, b].map(|model| model.meshes.iter().map(|of| of.name.clone()).collect());
        let values = [
            self.described[0].meshes(is_drawn[0], |i| has_target_names(b, pairs.meshes.b_of(i))),
            self.described[1].meshes(is_drawn[1], |j| has_target_names(a, pairs.meshes.a_of(j))),
        ];
        list.extend(of_list(Kind::Mesh, meshes, &pairs.meshes, values));
        list.extend(self.lost_target_names());
        let skins = [a, b].map(|model| model.skins.iter().map(|of| of.name.clone()).collect());
        list.extend(of_list(Kind::Skin, skins, &pairs.skins, both(Described::skins)));
        list.extend(image_changes(a, b, &pairs.images));
        let scenes = [a, b].map(|model| model.scenes.iter().map(|of| of.name.clone()).collect());
        let values = [
            self.described[0].scenes(|i| pairs.scenes.b_of(i) == Some(b.default_scene)),
            self.described[1].scenes(|j| pairs.scenes.a_of(j) == Some(a.default_scene)),
        ];
        list.extend(of_list(Kind::Scene, scenes, &pairs.scenes, values));
        let variants = [a, b].map(|model| model.variants.iter().cloned().map(Some).collect());
        let none = [a, b].map(|model| vec![Value::Null; model.variants.len()]);
        list.extend(of_list(Kind::Variant, variants, &pairs.variants, none));
        list.extend(self.avatar());
        list
    }

    /// Lists the cameras and lights that have another name, each once, with the node that carries it.
    fn renamed_items(&self) -> Vec<Change> {
        let Models { a, b, pairs } = self.models;
        let mut list = Vec::new();
        let mut told = HashSet::new();
        for (i, j) in pairs.nodes.iter() {
            let (x, y) = (&a.nodes[i], &b.nodes[j]);
            let cameras = x
                .camera
                .zip(y.camera)
                .map(|(x, y)| (("camera", x, y), [&a.cameras[x].name, &b.cameras[y].name]));
            let lights = x
                .light
                .zip(y.light)
                .map(|(x, y)| (("light", x, y), [&a.lights[x].name, &b.lights[y].name]));
            for (of, names) in cameras.into_iter().chain(lights) {
                let Some(renamed) = renaming(names).filter(|_| told.insert(of)) else { continue };
                let what = format!("{} {renamed}", of.0);
                let node = entry_name(&x.name, i);
                list.push(Change {
                    renamed: Some(what.clone()),
                    ..Change::changed(Kind::Node, node, what)
                });
            }
        }
        list
    }

    /// Lists the meshes whose morph targets lost their names.
    fn lost_target_names(&self) -> impl Iterator<Item = Change> {
        let Models { a, b, pairs } = self.models;
        pairs.meshes.iter().filter_map(move |(i, j)| {
            let is_lost = has_target_names(a, Some(i)) && !has_target_names(b, Some(j));
            let name = entry_name(&a.meshes[i].name, i);
            let what = "without the names of its morph targets".to_owned();
            (is_lost && b.meshes[j].target_count() > 0)
                .then(|| Change::changed(Kind::Mesh, name, what))
        })
    }

    /// Lists the parts of the avatar that were added, removed or changed.
    fn avatar(&self) -> Vec<Change> {
        let change = |name: &str, change, what: String| Change {
            change,
            ..Change::changed(Kind::Vrm, name.to_owned(), what)
        };
        let (before, after) = match self.described.map(Described::avatar).into() {
            (None, None) => return Vec::new(),
            (Some(_), None) => return vec![change("avatar", ChangeKind::Removed, String::new())],
            (None, Some(_)) => return vec![change("avatar", ChangeKind::Added, String::new())],
            (Some(before), Some(after)) => (before, after),
        };
        let mut list = Vec::new();
        for (name, value) in &before {
            match after.get(name) {
                None => list.push(change(name, ChangeKind::Removed, String::new())),
                Some(now) => {
                    let what = differences(value, now, Style::Words).join("; ");
                    list.extend(
                        (!what.is_empty()).then(|| change(name, ChangeKind::Changed, what)),
                    );
                }
            }
        }
        let new = after.keys().filter(|name| !before.contains_key(*name));
        list.extend(new.map(|name| change(name, ChangeKind::Added, String::new())));
        list
    }

    /// Lists the materials that were added, removed or renamed. Those that nothing has may be missing.
    pub fn material_names(&self) -> Vec<Change> {
        let Models { a, b, pairs } = self.models;
        let all = [a, b].map(|model| model.materials.iter().map(|of| of.name.clone()).collect());
        let names = Names { kind: Kind::Material, names: all };
        changes_of_used(&names, [a, b].map(used_materials), &pairs.materials, |_, _| Vec::new())
    }

    /// Lists the materials whose properties differ. How their textures read texture coordinates does not count where the places that
    /// these lead to `agree`: quantized ones have a transform of their own.
    pub fn materials(&self, agree: impl Fn([usize; 2]) -> bool) -> Vec<Change> {
        let [of_a, of_b] = self.described.map(Described::materials);
        let change = |(i, j): (usize, usize)| {
            let both = [of_a[i].clone(), of_b[j].clone()];
            let [x, y] = if agree([i, j]) { both.map(without_tex_coords) } else { both };
            let what = differences(&x, &y, Style::Words).join("; ");
            let name = entry_name(&self.models.a.materials[i].name, i);
            (!what.is_empty()).then(|| Change::changed(Kind::Material, name, what))
        };
        self.models.pairs.materials.iter().filter_map(change).collect()
    }
}

/// Lists the changes of a list by the names and the values of its entries.
fn of_list(
    kind: Kind,
    names: [Vec<Option<String>>; 2],
    pairs: &Pairs,
    [of_a, of_b]: [Vec<Value>; 2],
) -> Vec<Change> {
    let names = Names { kind, names };
    changes(&names, pairs, |i, j| differences(&of_a[i], &of_b[j], Style::Words))
}

/// Returns, for each material, whether a primitive has it; all are used in a file without meshes, which is a library.
fn used_materials(model: &Model) -> Vec<bool> {
    let mut used = vec![model.meshes.is_empty(); model.materials.len()];
    let primitives = model.meshes.iter().flat_map(|mesh| &mesh.primitives);
    for material in primitives.flat_map(|primitive| primitive.materials()) {
        used[material] = true;
    }
    used
}

/// Returns, for each image, whether a material that is used has it.
fn used_images(model: &Model) -> Vec<bool> {
    let mut images = vec![model.meshes.is_empty(); model.images.len()];
    let used = model.materials.iter().zip(used_materials(model)).filter(|(_, used)| *used);
    for (_, texture) in used.flat_map(|(material, _)| material.textures.iter()) {
        if let Some(image) = model.textures[texture.texture].image {
            images[image] = true;
        }
    }
    images
}

/// Lists the images that were added, removed, renamed or changed.
pub(crate) fn image_changes(a: &Model, b: &Model, pairs: &Pairs) -> Vec<Change> {
    let names = [a, b].map(|model| model.images.iter().map(|image| name(&image.name)).collect());
    let images = Names { kind: Kind::Image, names };
    changes_of_used(&images, [a, b].map(used_images), pairs, |i, j| {
        let (x, y) = (&a.images[i], &b.images[j]);
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
    })
}

/// Whether two images have the same pixels, if they were decoded, else the same bytes.
fn is_same_picture(x: &Image, y: &Image) -> bool {
    match (&x.pixels, &y.pixels) {
        (Pixels::Rgba8(x), Pixels::Rgba8(y)) => x == y,
        (of_x, of_y) => x.digest == y.digest && of_x == of_y,
    }
}

/// Lists the changes of the clips' names, with what else differs of a pair.
pub(crate) fn clip_changes(
    names: [Vec<Option<String>>; 2],
    pairs: &Pairs,
    what: impl Fn(usize, usize) -> Vec<String>,
) -> Vec<Change> {
    changes(&Names { kind: Kind::Clip, names }, pairs, what)
}

/// Returns the number of a mesh that it has in common with its partner: that in A, or after those of A.
pub(crate) fn mesh_number(models: Models, side: usize, mesh: usize) -> usize {
    let in_a = if side == 0 { Some(mesh) } else { models.pairs.meshes.a_of(mesh) };
    in_a.unwrap_or(models.a.meshes.len() + mesh)
}

/// Returns the name of the mesh with a number.
pub(crate) fn mesh_name(models: Models, number: usize) -> String {
    let of_b = number.checked_sub(models.a.meshes.len());
    let (model, mesh) = of_b.map_or((models.a, number), |mesh| (models.b, mesh));
    entry_name(&model.meshes[mesh].name, mesh)
}
