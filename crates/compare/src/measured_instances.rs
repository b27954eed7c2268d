//! Instances that are measured (EXT_mesh_gpu_instancing): nodes are posed as a pair of their instances, and the outermost points of
//! further ones are measured beside those of the node.

use std::collections::HashSet;
use std::ops::Range;

use super::measured::PointPair;
use super::pairing::instance_pairs::{InstancePairs, instance_pairs, instances};
use super::pairing::pairs::Pairs;
use super::pairing::vertex_pairs::Drawn;
use super::side::{Side, origin_offset};
use rigview_model::{Hull, OverBudget};

/// Pairs of points that are measured at further instances because they are the farthest apart at the first one.
const MOST_MEASURED: usize = 16;

/// Pairs the instances of all nodes that have some, and poses each node as one of them. `drawn` are the nodes that draw the same
/// mesh; others that are paired are only looked at.
pub(super) fn show_instances(
    [a, b]: [&mut Side; 2],
    nodes: &Pairs,
    drawn: &[Drawn],
    size: f32,
) -> Vec<InstancePairs> {
    let drawn: Vec<[usize; 2]> = drawn.iter().map(|of| [of.a, of.b]).collect();
    let known: HashSet<[usize; 2]> = drawn.iter().copied().collect();
    let others = nodes.iter().map(|(i, j)| [i, j]).filter(|pair| !known.contains(pair));
    let has_instances = |[i, j]: &[usize; 2]| {
        let are_some = [&a.model.nodes[*i], &b.model.nodes[*j]].map(|node| &node.instances);
        are_some.iter().any(|instances| !instances.is_empty())
    };
    let all = drawn.iter().copied().chain(others).filter(has_instances);
    let found: Vec<InstancePairs> = all.map(|nodes| instance_pairs([a, b], nodes, size)).collect();
    for of in found.iter().filter(|of| known.contains(&of.nodes)) {
        let Some(first) = of.measured.first().map(|first| of.pairs[*first]) else { continue };
        for (side, own) in [&mut *a, &mut *b].into_iter().enumerate() {
            let instance = instances(own, of.nodes[side])[first.of[side]];
            own.motion.show_instance(of.nodes[side], instance);
        }
    }
    if !found.is_empty() {
        a.find_rest();
        b.find_rest();
    }
    found
}

/// Lays out the points of further instances of two nodes that are measured, given the pairs of points of the one as which they are
/// posed. Returns their pairs.
///
/// # Errors
/// If they do not fit in a model's budget.
pub(super) fn add_instances(
    [a, b]: [&mut Side; 2],
    of: &InstancePairs,
    pairs: &[PointPair],
) -> Result<Vec<PointPair>, OverBudget> {
    let further = || of.measured.iter().skip(1).map(|i| of.pairs[*i]);
    let is_rigid = |[i, j]: &PointPair| {
        a.motion.instance_of(*i as usize).is_some() && b.motion.instance_of(*j as usize).is_some()
    };
    let outermost = outermost([a, b], pairs).into_iter().filter(is_rigid);
    let outermost: Vec<PointPair> = outermost.collect();
    let mut numbers = Vec::new();
    for (side, own) in [a, b].into_iter().enumerate() {
        let mut points: Vec<usize> = outermost.iter().map(|pair| pair[side] as usize).collect();
        points.sort_unstable();
        points.dedup();
        let node = of.nodes[side];
        let matrices: Vec<_> = further().map(|pair| instances(own, node)[pair.of[side]]).collect();
        let first = own.motion.add_instances(own.model, node, &points, &matrices)?;
        // By instance, then by pair.
        let number = |first: usize, pair: &PointPair| {
            let place = points.binary_search(&(pair[side] as usize)).unwrap_or_default();
            (first + place) as u32
        };
        let of_first = |first: usize| outermost.iter().map(move |pair| (first, pair));
        let all = first.into_iter().flat_map(of_first).map(|(first, pair)| number(first, pair));
        numbers.push(all.collect::<Vec<u32>>());
    }
    let [of_a, of_b] = [0, 1].map(|side| numbers[side].iter().copied());
    Ok(of_a.zip(of_b).map(|(i, j)| [i, j]).collect())
}

/// Returns those of some pairs of points whose distances bound those of all in any instance: the outermost ones of the mesh, and
/// those that are the farthest apart.
fn outermost(sides: [&Side; 2], pairs: &[PointPair]) -> Vec<PointPair> {
    let mut hull: Hull<usize> = Hull::default();
    for (i, pair) in pairs.iter().enumerate() {
        hull.add(sides[0].mesh_position(pair[0] as usize), i);
    }
    let apart: Vec<f32> = pairs.iter().map(|pair| rest_distance(sides, *pair)).collect();
    let mut farthest: Vec<usize> = (0..pairs.len()).collect();
    farthest.sort_by(|x, y| apart[*y].total_cmp(&apart[*x]).then(x.cmp(y)));
    farthest.truncate(MOST_MEASURED);
    let mut all: Vec<usize> = hull.furthest().chain(farthest).collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter().map(|i| pairs[i]).collect()
}

/// Returns the distance of two points at rest in metres; 0 if neither has a place, infinite if only one of both has one.
fn rest_distance([a, b]: [&Side; 2], [i, j]: PointPair) -> f32 {
    let (of_a, of_b) = (a.rest[i as usize], b.rest[j as usize]);
    match (of_a.is_finite(), of_b.is_finite()) {
        (true, true) => of_a.distance(of_b + origin_offset(a, b)),
        (false, false) => 0.0,
        _ => f32::INFINITY,
    }
}

/// Returns the largest distance of the instances of two nodes at rest, in metres: at their measured points, given as ranges of
/// `pairs`, or at the corners of their boxes if they have none.
pub(super) fn instances_apart(
    sides: [&Side; 2],
    of: &InstancePairs,
    pairs: &[PointPair],
    measured: [Range<usize>; 2],
) -> f32 {
    let points = measured.into_iter().flatten().map(|i| rest_distance(sides, pairs[i]));
    let corners = || of.pairs.iter().filter(|pair| pair.is_moved).map(|pair| pair.apart);
    points.reduce(f32::max).unwrap_or_else(|| corners().fold(0.0, f32::max))
}
