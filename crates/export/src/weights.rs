//! Weights of vertices, whose sum over all sets of a primitive has to be one.

use std::collections::{BTreeMap, BTreeSet};

use rigview_document::{ARRAY_BUFFER, Component, Loose, index, items};

/// Stores weights in 16 bits. Those of a vertex sum to one exactly.
pub fn quantize(loose: &mut Loose) {
    for set in sets(loose) {
        let Some(lists) = read(loose, &set) else { continue };
        let vertices = lists.first().map_or(0, Vec::len);
        let mut rows: Vec<Vec<[u16; 4]>> = lists.iter().map(|_| Vec::new()).collect();
        for vertex in 0..vertices {
            let weights: Vec<f32> = lists.iter().flat_map(|list| list[vertex]).collect();
            let whole = whole_weights(&weights);
            for (rows, own) in rows.iter_mut().zip(whole.as_chunks::<4>().0) {
                rows.push(*own);
            }
        }
        for (accessor, rows) in set.into_iter().zip(rows) {
            let bytes = rows.as_flattened().iter().flat_map(|w| w.to_le_bytes()).collect();
            let view = loose.add_view(bytes, Some(8), Some(ARRAY_BUFFER));
            loose.replace(accessor, view, Component::U16, true);
        }
    }
}

/// Divides weights by the sum of their vertex, where it is not one and differs by at most `most` from it.
pub fn normalize(loose: &mut Loose, most: f32) {
    for set in sets(loose) {
        let Some(mut lists) = read(loose, &set) else { continue };
        let mut is_changed = false;
        for vertex in 0..lists.first().map_or(0, Vec::len) {
            let sum: f32 = lists.iter().flat_map(|list| list[vertex]).sum();
            let off = (sum - 1.0).abs();
            if sum > 0.0 && sum.is_finite() && off > f32::EPSILON && off <= most {
                is_changed = true;
                for list in &mut lists {
                    list[vertex] = list[vertex].map(|weight| weight / sum);
                }
            }
        }
        for (accessor, rows) in set.into_iter().zip(lists).filter(|_| is_changed) {
            let bytes = rows.as_flattened().iter().flat_map(|w| w.to_le_bytes()).collect();
            let view = loose.add_view(bytes, Some(16), Some(ARRAY_BUFFER));
            loose.replace(accessor, view, Component::F32, false);
        }
    }
}

/// Returns the accessors of weights of each primitive, without those that primitives with other sets use too.
fn sets(loose: &mut Loose) -> Vec<Vec<usize>> {
    let mut sets = BTreeSet::new();
    for mesh in items(&mut loose.root, "meshes") {
        for primitive in items(mesh, "primitives") {
            let attributes = primitive["attributes"].as_object();
            let of_weights = attributes.into_iter().flatten().filter_map(|(name, accessor)| {
                let number: usize = name.strip_prefix("WEIGHTS_")?.parse().ok()?;
                Some((number, index(accessor)?))
            });
            let set: BTreeMap<usize, usize> = of_weights.collect();
            sets.insert(set.into_values().collect::<Vec<usize>>());
        }
    }
    let mut users: BTreeMap<usize, usize> = BTreeMap::new();
    for accessor in sets.iter().flatten() {
        *users.entry(*accessor).or_default() += 1;
    }
    sets.retain(|set| !set.is_empty() && set.iter().all(|accessor| users[accessor] == 1));
    sets.into_iter().collect()
}

/// Returns the weights of each accessor of a set; `None` if some are no floats.
fn read(loose: &Loose, set: &[usize]) -> Option<Vec<Vec<[f32; 4]>>> {
    let list = |accessor: &usize| Some(loose.floats(*accessor)?.as_chunks::<4>().0.to_vec());
    let lists: Vec<Vec<[f32; 4]>> = set.iter().map(list).collect::<Option<_>>()?;
    lists.windows(2).all(|pair| pair[0].len() == pair[1].len()).then_some(lists)
}

/// Returns the weights of a vertex in parts of 65535 that sum to it; zeros if there are no weights.
fn whole_weights(weights: &[f32]) -> Vec<u16> {
    let weights = || weights.iter().map(|weight| f64::from(weight.max(0.0)));
    let sum: f64 = weights().sum();
    if sum <= 0.0 || !sum.is_finite() {
        return vec![0; weights().len()];
    }
    // No weight becomes zero, since glTF wants no joint without a weight.
    let part = |weight: f64| match weight > 0.0 {
        true => (weight / sum * 65535.0).round().max(1.0) as u16,
        false => 0,
    };
    let mut whole: Vec<u16> = weights().map(part).collect();
    let off = 65535 - whole.iter().map(|w| i32::from(*w)).sum::<i32>();
    if let Some(largest) = whole.iter_mut().max() {
        *largest = (i32::from(*largest) + off).clamp(0, 65535) as u16;
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_all_sets_sum_to_one() {
        let tiny = [1.0, 1e-9, 0.0, 0.0];
        for weights in [&[0.125f32; 8][..], &[1.0 / 12.0; 12], &[3.0, 1.0], &tiny] {
            let whole = whole_weights(weights);
            assert_eq!(whole.iter().map(|w| u32::from(*w)).sum::<u32>(), 65535, "{whole:?}");
            let sum: f32 = weights.iter().sum();
            for (whole, weight) in whole.iter().zip(weights) {
                assert!((f32::from(*whole) - 65535.0 * weight / sum).abs() <= 6.0, "{whole}");
                assert_eq!(*whole > 0, *weight > 0.0);
            }
        }
        assert_eq!(whole_weights(&[0.0; 4]), [0; 4]);
    }
}
