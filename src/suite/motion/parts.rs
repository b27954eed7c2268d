//! Parts of a rig that keep their identity when a file is stored in another way: joints, rigid parts, and nodes with a mesh.

use std::collections::{HashMap, HashSet};

use glam::{DVec3, Vec3};
use serde::{Deserialize, Serialize};

/// A part of a rig, by which it is found again in another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The node's name; empty if it has none.
    pub name: String,
    /// Where it is at rest: the origin of a joint, or the middle of the mesh, relative to the origin of the poses.
    pub at: [f32; 3],
    /// The diagonal of the mesh's box, which tells parts apart that lie within each other; 0 for a joint.
    pub size: f32,
    /// Whether it is a joint of a skin.
    pub is_joint: bool,
}

impl Part {
    /// Returns how far another part is from being this one, in metres. `offset` leads from the origin of this one to that of the
    /// other.
    fn unlike(&self, other: &Self, offset: Vec3) -> f32 {
        let apart = (Vec3::from(self.at) + offset).distance(Vec3::from(other.at));
        apart + (self.size - other.size).abs()
    }
}

/// Pairs beyond which unnamed parts are taken in their order instead of by their places.
const MOST_PAIRS: usize = 4_000_000;

/// Returns for each part the one of `others` that it is, if any: of the same name, or else the nearest one of those that are left.
/// `offset` leads from the origin of the parts to that of the others.
pub fn found_in(parts: &[Part], others: &[Part], offset: DVec3) -> Vec<Option<usize>> {
    let mut found = vec![None; parts.len()];
    let mut groups: HashMap<(&str, bool), [Vec<usize>; 2]> = HashMap::new();
    for (side, list) in [parts, others].into_iter().enumerate() {
        for (i, part) in list.iter().enumerate().filter(|(_, part)| !part.name.is_empty()) {
            groups.entry((&part.name, part.is_joint)).or_default()[side].push(i);
        }
    }
    let offset = offset.as_vec3();
    for [a, b] in groups.values() {
        for [i, j] in nearest([parts, others], [a, b], offset) {
            found[i] = Some(j);
        }
    }
    for is_joint in [true, false] {
        let used: HashSet<usize> = found.iter().flatten().copied().collect();
        let kind = |list: &[Part], i: &usize| list[*i].is_joint == is_joint;
        let of_parts: Vec<usize> =
            (0..parts.len()).filter(|i| found[*i].is_none() && kind(parts, i)).collect();
        let of_others: Vec<usize> =
            (0..others.len()).filter(|j| !used.contains(j) && kind(others, j)).collect();
        for [i, j] in nearest([parts, others], [&of_parts, &of_others], offset) {
            found[i] = Some(j);
        }
    }
    found
}

/// Pairs some parts with the nearest ones of others, the nearest pair first. Of equal distances, their order counts. Two different
/// names are no pair.
fn nearest([parts, others]: [&[Part]; 2], [a, b]: [&[usize]; 2], offset: Vec3) -> Vec<[usize; 2]> {
    let is_pair = |i: usize, j: usize| {
        let [own, other] = [&parts[i].name, &others[j].name];
        own == other || own.is_empty() || other.is_empty()
    };
    if let ([i], [j]) = (a, b) {
        return if is_pair(*i, *j) { vec![[*i, *j]] } else { Vec::new() };
    }
    if a.len().saturating_mul(b.len()) > MOST_PAIRS {
        let in_order = a.iter().zip(b).map(|(i, j)| [*i, *j]);
        return in_order.filter(|[i, j]| is_pair(*i, *j)).collect();
    }
    let mut all = Vec::new();
    for (x, i) in a.iter().enumerate() {
        for (y, j) in b.iter().enumerate().filter(|(_, j)| is_pair(*i, **j)) {
            all.push((parts[*i].unlike(&others[*j], offset), x, y));
        }
    }
    all.sort_by(|x, y| x.0.total_cmp(&y.0));
    let (mut taken_a, mut taken_b) = (vec![false; a.len()], vec![false; b.len()]);
    let mut pairs = Vec::new();
    for (_, x, y) in all {
        if !taken_a[x] && !taken_b[y] {
            (taken_a[x], taken_b[y]) = (true, true);
            pairs.push([a[x], b[y]]);
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str, x: f32) -> Part {
        Part { name: name.into(), at: [x, 0.0, 0.0], size: 1.0, is_joint: false }
    }

    #[test]
    fn parts_are_found_by_name_and_then_by_place() {
        let parts =
            [part("a", 0.0), part("twin", 1.0), part("twin", 2.0), part("", 3.0), part("b", 4.0)];
        let others =
            [part("", 4.1), part("twin", 2.1), part("", 2.9), part("a", 9.0), part("twin", 0.9)];
        let found = found_in(&parts, &others, DVec3::ZERO);
        assert_eq!(found, [Some(3), Some(4), Some(1), Some(2), Some(0)]);
        let found = found_in(&parts, &others[..4], DVec3::ZERO);
        assert_eq!(found, [Some(3), None, Some(1), Some(2), Some(0)]);
    }

    #[test]
    fn parts_within_each_other_are_told_apart_by_size() {
        let sized = |size: f32| Part { size, ..part("", 0.0) };
        let found = found_in(&[sized(1.0), sized(2.0)], &[sized(2.1), sized(0.9)], DVec3::ZERO);
        assert_eq!(found, [Some(1), Some(0)]);
    }

    #[test]
    fn a_joint_is_no_rigid_part() {
        let joint = Part { is_joint: true, ..part("a", 0.0) };
        assert_eq!(found_in(&[joint], &[part("a", 0.0)], DVec3::ZERO), [None]);
    }
}
