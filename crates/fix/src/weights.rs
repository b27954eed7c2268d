//! Joint weights: sums, numbers that are none, and vertices without any.

use std::collections::HashMap;

use serde_json::Value;

use super::change::{Change, Changes, Context};
use super::document::Document;
use super::remedy::Remedy;
use super::tracks::UNREAD;
use rigview_document::{Component, ElementLayout};
use rigview_export::index;

/// Sums may differ from 1 by the rounding of floats, per weight that is not 0, as the check has it. Where it finds one that
/// is further off, all others are mended too.
const ROUNDING: f64 = 2e-7;

/// Returns the layout in which mended weights are stored: a step of bytes moves the skin by millimetres, one of 16 bits by less than
/// the usual bound.
fn exact(layout: ElementLayout) -> ElementLayout {
    let component =
        if layout.component == Component::U8 { Component::U16 } else { layout.component };
    ElementLayout { component, ..layout }
}

/// The weights of a primitive: a list per set, four numbers per vertex.
struct Weights {
    accessors: Vec<usize>,
    layouts: Vec<ElementLayout>,
    sets: Vec<Vec<f64>>,
}

/// Mends what one of the codes is about in the weights of all primitives; weights that another code is about stay.
pub fn mend(document: &mut Document, context: &Context, remedy: Remedy) -> Changes {
    let mut changes = Changes::default();
    // Primitives that share their weights go on sharing them.
    let mut mended: HashMap<Vec<usize>, (Vec<usize>, usize)> = HashMap::new();
    // The places of a glTF 1.0 file have names, which the document no longer has: all primitives are looked at then.
    let is_named = |pointer: &str| {
        pointer.split('/').nth(2).is_some_and(|mesh| mesh.parse::<usize>().is_err())
    };
    let by_name = context.findings.iter().any(|f| f.pointer.as_deref().is_some_and(is_named));
    for mesh in 0..document.list("meshes").len() {
        let primitives = document.list("meshes")[mesh].get("primitives").and_then(Value::as_array);
        for primitive in 0..primitives.map_or(0, Vec::len) {
            let pointer = format!("/meshes/{mesh}/primitives/{primitive}/attributes/WEIGHTS_0");
            if !by_name && !context.findings.iter().any(|f| f.pointer.as_deref() == Some(&pointer))
            {
                continue;
            }
            let name = document.list("meshes")[mesh].get("name").and_then(Value::as_str);
            let mut change =
                Change { pointer, object: name.map(str::to_owned), ..Change::default() };
            let Some(mut weights) = read(document, mesh, primitive) else {
                changes.leave(change, UNREAD);
                continue;
            };
            weights.layouts.iter_mut().for_each(|it| *it = exact(*it));
            let (new, count) = match mended.get(&weights.accessors) {
                Some(known) => known.clone(),
                None => {
                    let count = weights.mend(remedy);
                    let new = weights.write(document, count);
                    mended.insert(weights.accessors.clone(), (new.clone(), count));
                    (new, count)
                }
            };
            if count == 0 {
                continue;
            }
            let attributes = document.item_mut("meshes", mesh).and_then(|mesh| {
                mesh.get_mut("primitives")?.get_mut(primitive)?.get_mut("attributes")
            });
            if let Some(attributes) = attributes {
                for (set, accessor) in new.iter().enumerate() {
                    attributes[format!("WEIGHTS_{set}")] = (*accessor).into();
                }
            }
            change.count = count;
            changes.made.push(change);
        }
    }
    changes
}

/// Reads the weights of a primitive; `None` if they are compressed.
fn read(document: &Document, mesh: usize, primitive: usize) -> Option<Weights> {
    let primitive = document.list("meshes").get(mesh)?.get("primitives")?.get(primitive)?;
    let compressed = primitive
        .get("extensions")
        .is_some_and(|all| all.get("KHR_draco_mesh_compression").is_some());
    let attributes = primitive.get("attributes").filter(|_| !compressed)?;
    let named = |set: usize| attributes.get(format!("WEIGHTS_{set}")).and_then(index);
    let accessors: Vec<usize> = (0..).map_while(named).collect();
    let layouts = accessors.iter().map(|at| document.layout(*at)).collect::<Option<Vec<_>>>()?;
    let sets = accessors.iter().map(|at| document.numbers(*at)).collect::<Option<Vec<_>>>()?;
    let vertices = sets.first()?.len();
    let alike = layouts.iter().all(|layout| layout.width() == 4)
        && sets.iter().all(|set| set.len() == vertices);
    alike.then_some(Weights { accessors, layouts, sets })
}

impl Weights {
    /// Mends the vertices that a code is about, and returns how many.
    fn mend(&mut self, remedy: Remedy) -> usize {
        let vertices = self.sets[0].len() / 4;
        (0..vertices).filter(|vertex| self.mend_vertex(*vertex, remedy)).count()
    }

    fn mend_vertex(&mut self, vertex: usize, remedy: Remedy) -> bool {
        let at = 4 * vertex;
        let mut all: Vec<f64> = self.sets.iter().flat_map(|set| set[at..at + 4].to_vec()).collect();
        let is_odd = |weight: &f64| !(*weight >= 0.0 && weight.is_finite());
        let odd = all.iter().any(is_odd);
        let sum: f64 = all.iter().filter(|weight| !is_odd(weight)).sum();
        let influences = all.iter().filter(|weight| **weight > 0.0).count();
        let meant = match remedy {
            Remedy::WeightsOdd => odd,
            Remedy::WeightsZero => !odd && sum == 0.0,
            _ => !odd && sum > 0.0 && (sum - 1.0).abs() > ROUNDING * influences as f64,
        };
        if !meant {
            return false;
        }
        all.iter_mut().filter(|weight| is_odd(weight)).for_each(|weight| *weight = 0.0);
        match sum > 0.0 {
            true => all.iter_mut().for_each(|weight| *weight /= sum),
            false => all[0] = 1.0,
        }
        if let Some(steps) = steps(&self.layouts) {
            let mut whole: Vec<f64> = all.iter().map(|weight| (weight * steps).round()).collect();
            // The largest weight takes what rounding left.
            let rest = steps - whole.iter().sum::<f64>();
            if let Some(largest) = whole.iter_mut().max_by(|a, b| a.total_cmp(b)) {
                *largest += rest;
            }
            all = whole.into_iter().map(|weight| weight / steps).collect();
        }
        for (set, four) in self.sets.iter_mut().zip(all.chunks_exact(4)) {
            set[at..at + 4].copy_from_slice(four);
        }
        true
    }

    /// Appends the weights, and returns the accessors.
    fn write(&self, document: &mut Document, count: usize) -> Vec<usize> {
        if count == 0 {
            return self.accessors.clone();
        }
        let new = self.accessors.iter().zip(&self.layouts).zip(&self.sets);
        new.map(|((accessor, layout), set)| {
            document.append_like_in(*accessor, set, *layout).unwrap_or(*accessor)
        })
        .collect()
    }
}

/// Returns the integer that stands for 1, if all sets store the same integers.
fn steps(layouts: &[ElementLayout]) -> Option<f64> {
    let first = layouts.first().filter(|first| layouts.iter().all(|layout| layout == *first))?;
    matches!(first.component, Component::U8 | Component::U16).then(|| first.component.one())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_document::Shape;

    fn weights(component: Component, set: &[f64]) -> Weights {
        let layouts = vec![ElementLayout {
            component,
            normalized: component.is_integer(),
            shape: Shape::Vec4,
        }];
        Weights { accessors: vec![0], layouts, sets: vec![set.to_vec()] }
    }

    #[test]
    fn integers_sum_to_one_exactly() {
        let mut bytes =
            weights(Component::U8, &[0.2, 0.2, 0.2, 0.1].map(|w: f64| (w * 255.0).round() / 255.0));
        assert_eq!(bytes.mend(Remedy::WeightsSum), 1);
        let steps: f64 = bytes.sets[0].iter().map(|weight| (weight * 255.0).round()).sum();
        assert_eq!(steps, 255.0);
    }

    #[test]
    fn each_code_mends_its_own_vertices() {
        let set = [0.5, 0.2, 0.0, 0.0, 1.2, -0.2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        for (remedy, vertex, expected) in [
            (Remedy::WeightsSum, 0, [0.5 / 0.7, 0.2 / 0.7, 0.0, 0.0]),
            (Remedy::WeightsOdd, 1, [1.0, 0.0, 0.0, 0.0]),
            (Remedy::WeightsZero, 2, [1.0, 0.0, 0.0, 0.0]),
        ] {
            let mut weights = weights(Component::F32, &set);
            assert_eq!(weights.mend(remedy), 1, "{remedy:?}");
            let mut whole = set;
            whole[4 * vertex..][..4].copy_from_slice(&expected);
            assert_eq!(weights.sets[0], whole, "{remedy:?}");
        }
    }
}
