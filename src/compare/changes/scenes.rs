//! Differences of scenes and of material variants, by name.

use std::collections::HashSet;

use super::names::{Names, changes};
use crate::compare::change::{Change, Kind};
use crate::compare::pairing::pairs::Models;
use crate::compare::pairing::pairs::{Pairs, entry_name, given};
use crate::model::{Model, Primitive};

/// Lists the scenes that were added, removed or renamed, or that have other root nodes. What is in the default scene is listed
/// with its nodes.
pub(in crate::compare) fn scene_changes(models: Models) -> Vec<Change> {
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
        let roots = [&a.scenes[i].roots, &b.scenes[j].roots];
        let [of_a, of_b] = roots.map(|roots| roots.iter().copied().collect::<HashSet<usize>>());
        let gone =
            |node: &&usize| pairs.nodes.b_of(**node).is_some_and(|there| !of_b.contains(&there));
        let new =
            |node: &&usize| pairs.nodes.a_of(**node).is_some_and(|there| !of_a.contains(&there));
        let (gone, new) = match are_default {
            true => (None, None),
            false => (roots[0].iter().find(gone), roots[1].iter().find(new)),
        };
        let said = |word: &str, model: &Model, node: &usize| {
            format!("{word} node \"{}\"", entry_name(&model.nodes[*node].name, *node))
        };
        let gone = gone.map(|node| said("without", a, node));
        gone.into_iter().chain(new.map(|node| said("with", b, node))).collect()
    })
}

/// Pairs material variants by name.
pub(in crate::compare) fn variant_pairs(a: &Model, b: &Model) -> Pairs {
    let mut pairs = Pairs::new(a.variants.len(), b.variants.len());
    pairs.pair_in_order(|i| Some(&a.variants[i]), |j| Some(&b.variants[j]));
    pairs
}

/// Lists the material variants that only one model has.
pub(in crate::compare) fn variant_changes(models: Models) -> Vec<Change> {
    let [a, b] = [models.a, models.b].map(|model| {
        let names = model.variants.iter().map(|name| Some(name.clone()));
        names.collect::<Vec<Option<String>>>()
    });
    let names = Names { kind: Kind::Variant, a: a.iter().collect(), b: b.iter().collect() };
    changes(&names, &models.pairs.variants, |_, _| Vec::new())
}

/// Describes the variants of both models in which two primitives have other materials.
pub(in crate::compare) fn variant_materials(
    models: Models,
    [p, q]: [&Primitive; 2],
) -> Vec<String> {
    let Models { a, b, pairs } = models;
    let name = |model: &Model, material: Option<usize>| {
        // Materials of variants often have one name.
        let name = |m: usize| format!("{m} \"{}\"", entry_name(&model.materials[m].name, m));
        material.map_or("none".into(), name)
    };
    let of_b = q.variant_materials.iter().filter_map(|(variant, _)| pairs.variants.a_of(*variant));
    let mut mapped: Vec<usize> =
        p.variant_materials.iter().map(|(variant, _)| *variant).chain(of_b).collect();
    mapped.sort_unstable();
    mapped.dedup();
    let both = mapped.into_iter().filter_map(|i| {
        let j = pairs.variants.b_of(i)?;
        Some((&a.variants[i], p.material_in(Some(i)), q.material_in(Some(j))))
    });
    let differ = both.filter(|(_, x, y)| !pairs.materials.agree(*x, *y));
    let said = differ.map(|(variant, x, y)| {
        format!("variant \"{variant}\": material {} -> {}", name(a, x), name(b, y))
    });
    said.collect()
}
