//! Differences of the cameras and the lights of two nodes, in the words of glTF.

use std::collections::HashSet;

use super::names::renaming;
use super::rounding::are_like;
use crate::change::{Change, Kind};
use crate::pairing::pairs::{Models, Pairs, entry_name, given};
use rigview_model::{Light, LightKind, Model, Node, Projection};

/// The numbers that are colours and angles: smaller ones than 1 are rounded alike. Others may be small because the model's unit is large.
const COLOURS_AND_ANGLES: [&str; 6] =
    ["red", "green", "blue", "innerConeAngle", "outerConeAngle", "yfov"];

/// The numbers of an object by their names in glTF; `None` is one that it does not have.
type Numbers = Vec<(&'static str, Option<f32>)>;

/// Describes how the projections of two nodes' cameras differ; `None` if they do not.
pub(crate) fn camera_change(
    before: Option<Projection>,
    after: Option<Projection>,
) -> Option<String> {
    let kind = |projection: Option<Projection>| projection.map_or("none", kind_of_projection);
    change(
        "camera",
        [kind(before), kind(after)],
        [before, after].map(|p| p.map(projection_numbers)),
    )
}

/// Lists the cameras and lights that have another name, each once, with the node that carries it. Several nodes may carry one:
/// if those have several in the other model, these are its copies.
pub(crate) fn renamed_items(models: Models) -> Vec<Change> {
    let Models { a, b, pairs } = models;
    let mut list = Vec::new();
    let mut add = |noun: &str,
                   item: fn(&Node) -> Option<usize>,
                   name: fn(&Model, usize) -> &Option<String>| {
        let carried = pairs
            .nodes
            .iter()
            .filter_map(|(i, j)| Some((i, item(&a.nodes[i])?, item(&b.nodes[j])?)));
        let carried: Vec<(usize, usize, usize)> = carried.collect();
        let is_same = |(_, x, y): &&(usize, usize, usize)| given(name(a, *x)) == given(name(b, *y));
        // By side, the items that have a partner; those with the same name come first.
        let mut met = [HashSet::new(), HashSet::new()];
        carried.iter().filter(is_same).for_each(|(_, x, y)| {
            met[0].insert(*x);
            met[1].insert(*y);
        });
        let mut said = HashSet::new();
        for (node, x, y) in carried.iter().filter(|each| !is_same(each)) {
            if !said.insert([x, y]) {
                continue;
            }
            let [before, after] = [name(a, *x), name(b, *y)];
            let are_new = [met[0].insert(*x), met[1].insert(*y)];
            let what = match (are_new, given(before), given(after)) {
                ([false, true], Some(before), Some(after)) => {
                    format!("{noun} \"{after}\" is a copy of \"{before}\"")
                }
                ([true, false], Some(before), Some(after)) => {
                    format!("{noun} \"{before}\" merged with \"{after}\"")
                }
                _ => match renaming([before, after]) {
                    Some(what) => format!("{noun} {what}"),
                    None => continue,
                },
            };
            let node = entry_name(&a.nodes[*node].name, *node);
            list.push(Change {
                renamed: Some(what.clone()),
                ..Change::changed(Kind::Node, node, what)
            });
        }
    };
    add("camera", |node| node.camera, |model, i| &model.cameras[i].name);
    add("light", |node| node.light, |model, i| &model.lights[i].name);
    list
}

/// Pairs the cameras of two models: by the nodes that carry them, then by name, then by index.
pub(crate) fn camera_pairs(models: Models) -> Pairs {
    let names = [models.a, models.b]
        .map(|model| model.cameras.iter().map(|camera| given(&camera.name)).collect());
    item_pairs(models, |node| node.camera, names)
}

/// Pairs the lights of two models: by the nodes that carry them, then by name, then by index.
pub(crate) fn light_pairs(models: Models) -> Pairs {
    let names = [models.a, models.b]
        .map(|model| model.lights.iter().map(|light| given(&light.name)).collect());
    item_pairs(models, |node| node.light, names)
}

fn item_pairs(
    models: Models,
    item: fn(&Node) -> Option<usize>,
    [of_a, of_b]: [Vec<Option<&str>>; 2],
) -> Pairs {
    let Models { a, b, pairs } = models;
    let mut items = Pairs::new(of_a.len(), of_b.len());
    let carried = pairs.nodes.iter();
    let carried: Vec<(usize, usize)> =
        carried.filter_map(|(i, j)| item(&a.nodes[i]).zip(item(&b.nodes[j]))).collect();
    // Of several, one with the same name is not a copy.
    let has_name = |(x, y): &&(usize, usize)| of_a[*x].is_some() && of_a[*x] == of_b[*y];
    carried.iter().filter(has_name).chain(&carried).for_each(|(x, y)| items.pair(*x, *y));
    items.pair_unique(|i| of_a[i], |j| of_b[j]);
    (0..of_a.len().min(of_b.len())).for_each(|i| items.pair(i, i));
    items
}

/// Describes how the lights of two nodes differ, apart from their names; `None` if they do not.
pub(crate) fn light_change(before: Option<&Light>, after: Option<&Light>) -> Option<String> {
    let kind = |light: Option<&Light>| light.map_or("none", |light| light.kind.name());
    change("light", [kind(before), kind(after)], [before, after].map(|l| l.map(light_numbers)))
}

/// Describes the difference of two objects: that of their kinds or, if these are equal, of their numbers.
fn change(noun: &str, [before, after]: [&str; 2], numbers: [Option<Numbers>; 2]) -> Option<String> {
    if before != after {
        return Some(format!("{noun} {before} -> {after}"));
    }
    let [Some(of_a), Some(of_b)] = numbers else { return None };
    let text = |number: Option<f32>| number.map_or("none".into(), |number| number.to_string());
    let both = of_a.into_iter().zip(of_b).filter(|((name, a), (_, b))| {
        let unit = if COLOURS_AND_ANGLES.contains(name) { 1.0 } else { 0.0 };
        match (a, b) {
            (Some(a), Some(b)) => !are_like(*a, *b, unit),
            (a, b) => a.is_some() != b.is_some(),
        }
    });
    let said = both.map(|((name, a), (_, b))| format!("{name} {} -> {}", text(a), text(b)));
    let said: Vec<String> = said.collect();
    (!said.is_empty()).then(|| format!("{noun}: {}", said.join(", ")))
}

fn kind_of_projection(projection: Projection) -> &'static str {
    match projection {
        Projection::Perspective { .. } => "perspective",
        Projection::Orthographic { .. } => "orthographic",
    }
}

fn projection_numbers(projection: Projection) -> Numbers {
    match projection {
        Projection::Perspective { fov_y, aspect, near, far } => vec![
            ("yfov", Some(fov_y)),
            ("aspectRatio", aspect),
            ("znear", Some(near)),
            ("zfar", far),
        ],
        Projection::Orthographic { half_width, half_height, near, far } => vec![
            ("xmag", Some(half_width)),
            ("ymag", Some(half_height)),
            ("znear", Some(near)),
            ("zfar", Some(far)),
        ],
    }
}

fn light_numbers(light: &Light) -> Numbers {
    let [red, green, blue] = light.color.map(Some);
    let (inner, outer) = match light.kind {
        LightKind::Spot { inner, outer } => (Some(inner), Some(outer)),
        LightKind::Directional | LightKind::Point => (None, None),
    };
    vec![
        ("red", red),
        ("green", green),
        ("blue", blue),
        ("intensity", Some(light.intensity)),
        ("range", light.range),
        ("innerConeAngle", inner),
        ("outerConeAngle", outer),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_differ_are_named_with_both_values() {
        let perspective =
            |fov_y, far| Some(Projection::Perspective { fov_y, aspect: None, near: 0.1, far });
        let what = camera_change(perspective(0.7, None), perspective(0.9, Some(10.0)));
        assert_eq!(what.as_deref(), Some("camera: yfov 0.7 -> 0.9, zfar none -> 10"));
        assert_eq!(camera_change(perspective(0.7, None), perspective(0.700_001, None)), None);
        let what = camera_change(perspective(0.7, None), None);
        assert_eq!(what.as_deref(), Some("camera perspective -> none"));

        let light =
            |kind, intensity| Light { name: None, kind, color: [1.0; 3], intensity, range: None };
        let spot = |outer| LightKind::Spot { inner: 0.0, outer };
        let what = light_change(Some(&light(spot(0.5), 10.0)), Some(&light(spot(0.6), 20.0)));
        let text = "light: intensity 10 -> 20, outerConeAngle 0.5 -> 0.6";
        assert_eq!(what.as_deref(), Some(text));
        let what =
            light_change(Some(&light(spot(0.5), 10.0)), Some(&light(LightKind::Point, 10.0)));
        assert_eq!(what.as_deref(), Some("light spot -> point"));
    }
}
