//! Differences of scenes and of material variants, by name.

use std::collections::HashSet;

use super::names::{Names, changes};
use crate::change::{Change, Kind};
use crate::pairing::pairs::{Class, Models, Pairs, entry_name, given};
use crate::pairing::primitive_pairs::primitive_pairs;
use rigview_model::{Model, Primitive};

/// Lists the scenes that were added, removed or renamed, or that have other root nodes. What is in the default scene is listed
/// with its nodes.
pub(crate) fn scene_changes(models: Models) -> Vec<Change> {
    let Models { a, b, pairs } = models;
    let scenes = scene_pairs(models);
    let names = Names {
        kind: Kind::Scene,
        a: a.scenes.iter().map(|scene| &scene.name).collect(),
        b: b.scenes.iter().map(|scene| &scene.name).collect(),
    };
    changes(&names, &scenes, |i, j| {
        let is_default = [i == a.default_scene, j == b.default_scene];
        let are_default = is_default == [true; 2];
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
        let default = match is_default {
            [true, false] => Some("no longer the default scene".to_owned()),
            [false, true] => Some("now the default scene".to_owned()),
            _ => None,
        };
        let roots = gone.into_iter().chain(new.map(|node| said("with", b, node)));
        default.into_iter().chain(roots).collect()
    })
}

/// Pairs scenes by name, then by their root nodes; then the default ones, then the rest in order.
pub(crate) fn scene_pairs(models: Models) -> Pairs {
    let Models { a, b, pairs } = models;
    let mut scenes = Pairs::new(a.scenes.len(), b.scenes.len());
    scenes.pair_unique(|i| given(&a.scenes[i].name), |j| given(&b.scenes[j].name));
    let sorted = |roots: Option<Vec<usize>>| {
        let mut roots = roots.filter(|roots| !roots.is_empty())?;
        roots.sort_unstable();
        Some(roots)
    };
    let in_a = |j: usize| b.scenes[j].roots.iter().map(|node| pairs.nodes.a_of(*node)).collect();
    scenes.pair_unique(|i| sorted(Some(a.scenes[i].roots.clone())), |j| sorted(in_a(j)));
    scenes.pair(a.default_scene, b.default_scene);
    scenes.pair_in_order(Some, Some);
    scenes
}

/// Pairs material variants by name, then those that give the same primitives the same materials.
pub(crate) fn variant_pairs([a, b]: [&Model; 2], meshes: &Pairs, materials: &Pairs) -> Pairs {
    let mut pairs = Pairs::new(a.variants.len(), b.variants.len());
    pairs.pair_in_order(|i| Some(&a.variants[i]), |j| Some(&b.variants[j]));
    if pairs.left_in_a().is_empty() || pairs.left_in_b().is_empty() {
        return pairs;
    }
    // By variant, the primitives of A that it changes and the classes of their materials.
    let mut of_a: Vec<Vec<(usize, usize, Class)>> = vec![Vec::new(); a.variants.len()];
    let mut of_b: Vec<Vec<(usize, usize, Class)>> = vec![Vec::new(); b.variants.len()];
    for (x, y) in meshes.iter() {
        for (p, q) in primitive_pairs([&a.meshes[x], &b.meshes[y]], materials).iter() {
            for (variant, material) in &a.meshes[x].primitives[p].variant_materials {
                of_a[*variant].push((x, p, materials.class(0, *material)));
            }
            for (variant, material) in &b.meshes[y].primitives[q].variant_materials {
                of_b[*variant].push((x, p, materials.class(1, *material)));
            }
        }
    }
    of_a.iter_mut().chain(&mut of_b).for_each(|list| list.sort_unstable());
    pairs.pair_unique(|i| Some(&of_a[i]), |j| Some(&of_b[j]));
    pairs
}

/// Lists the material variants that were added, removed or renamed.
pub(crate) fn variant_changes(models: Models) -> Vec<Change> {
    let [a, b] = [models.a, models.b].map(|model| {
        let names = model.variants.iter().map(|name| Some(name.clone()));
        names.collect::<Vec<Option<String>>>()
    });
    let names = Names { kind: Kind::Variant, a: a.iter().collect(), b: b.iter().collect() };
    changes(&names, &models.pairs.variants, |_, _| Vec::new())
}

/// Describes the variants of both models in which two primitives have other materials.
pub(crate) fn variant_materials(models: Models, [p, q]: [&Primitive; 2]) -> Vec<String> {
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
