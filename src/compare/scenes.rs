//! Differences of scenes and of material variants, by name.

use super::change::{Change, Kind};
use super::model_pairs::Models;
use super::names::{Names, changes};
use super::pairs::{Pairs, entry_name, given};
use crate::model::{Model, Primitive};

/// Lists the scenes that were added, removed or renamed, or that have other nodes. What is in the default scene is listed
/// with its nodes.
pub(super) fn scene_changes(models: Models) -> Vec<Change> {
    let Models { a, b, pairs } = models;
    let mut scenes = Pairs::new(a.scenes.len(), b.scenes.len());
    let name = |model: &Model, i: usize| given(&model.scenes[i].name).map(str::to_owned);
    scenes.pair_unique(|i| name(a, i), |j| name(b, j));
    scenes.pair(a.default_scene, b.default_scene);
    scenes.pair_in_order(Some, Some);
    let names = Names {
        kind: Kind::Scene,
        a: a.scenes.iter().map(|scene| &scene.name).collect(),
        b: b.scenes.iter().map(|scene| &scene.name).collect(),
    };
    changes(&names, &scenes, |i, j| {
        let are_default = [i, j] == [a.default_scene, b.default_scene];
        let nodes = [a.scene_nodes(i), b.scene_nodes(j)];
        let gone = |node: &&usize| {
            pairs.nodes.b_of(**node).is_some_and(|there| !nodes[1].contains(&there))
        };
        let new = |node: &&usize| {
            pairs.nodes.a_of(**node).is_some_and(|there| !nodes[0].contains(&there))
        };
        let (gone, new) = match are_default {
            true => (None, None),
            false => (nodes[0].iter().find(gone), nodes[1].iter().find(new)),
        };
        let said = |word: &str, model: &Model, node: &usize| {
            format!("{word} node \"{}\"", entry_name(&model.nodes[*node].name, *node))
        };
        let gone = gone.map(|node| said("without", a, node));
        gone.into_iter().chain(new.map(|node| said("with", b, node))).collect()
    })
}

/// Lists the material variants that only one model has.
pub(super) fn variant_changes(models: Models) -> Vec<Change> {
    let [a, b] = [models.a, models.b].map(|model| {
        let names = model.variants.iter().map(|name| Some(name.clone()));
        names.collect::<Vec<Option<String>>>()
    });
    let mut pairs = Pairs::new(a.len(), b.len());
    pairs.pair_in_order(|i| a[i].clone(), |j| b[j].clone());
    let names = Names { kind: Kind::Variant, a: a.iter().collect(), b: b.iter().collect() };
    changes(&names, &pairs, |_, _| Vec::new())
}

/// Describes the variants of both models in which two primitives have other materials.
pub(super) fn variant_materials(models: Models, [p, q]: [&Primitive; 2]) -> Vec<String> {
    let Models { a, b, pairs } = models;
    let name = |model: &Model, material: Option<usize>| {
        // Materials of variants often have one name.
        let name = |m: usize| format!("{m} \"{}\"", entry_name(&model.materials[m].name, m));
        material.map_or("none".into(), name)
    };
    let variants = a.variants.iter().enumerate();
    let both = variants.filter_map(|(i, variant)| {
        let j = b.variants.iter().position(|other| other == variant)?;
        Some((variant, p.material_in(Some(i)), q.material_in(Some(j))))
    });
    let differ = both.filter(|(_, x, y)| !pairs.materials.agree(*x, *y));
    let said = differ.map(|(variant, x, y)| {
        format!("variant \"{variant}\": material {} -> {}", name(a, x), name(b, y))
    });
    said.collect()
}
