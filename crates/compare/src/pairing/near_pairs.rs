//! Pairs the nodes of two models by their places at rest: by the box around what they draw, and by their origins.

use glam::Vec3;

use super::grid::Grid;
use super::nearest::diagonal;
use super::pairs::Pairs;
use rigview_model::Model;

/// Nodes are at the same place up to these shares of the model's size, the finest one first.
const SAME_NODE: [f32; 2] = [1e-6, 1e-4];

/// The places of a model's nodes at rest, relative to the origin of A.
pub(crate) struct NodePlaces {
    /// The places of the nodes' origins.
    pub origins: Vec<Vec3>,
    /// By node, the corners of the box around what it draws; not finite if it draws nothing.
    pub boxes: Vec<[Vec3; 2]>,
}

/// The places of the nodes of two models, to find those that are near each other.
pub(crate) struct NearPairs<'a> {
    places: &'a [NodePlaces; 2],
    /// The centres of the boxes.
    centres: [Vec<Vec3>; 2],
    /// Tolerances of places, in metres.
    tolerances: [f32; 2],
}

impl<'a> NearPairs<'a> {
    pub fn new(places: &'a [NodePlaces; 2]) -> Self {
        let centres = [0, 1].map(|side: usize| {
            places[side].boxes.iter().map(|[min, max]| 0.5 * (*min + *max)).collect()
        });
        let drawn = places[0].boxes.as_flattened().iter().filter(|at| at.is_finite()).copied();
        let all: Vec<Vec3> = places[0].origins.iter().copied().chain(drawn).collect();
        let size = diagonal(&all);
        let tolerances = SAME_NODE.map(|share| (share * size).max(f32::MIN_POSITIVE));
        Self { places, centres, tolerances }
    }

    /// Pairs nodes that may be a pair, and of which each is the only such one: in one box, then at one place. Those that also look
    /// alike come first; several of those that draw in one box are paired in their order.
    pub fn pair(
        &self,
        a: &Model,
        pairs: &mut Pairs,
        looks_alike: impl Fn(usize, usize) -> bool,
        may_pair: impl Fn(&Pairs, usize, usize) -> bool,
    ) {
        let alike = |pairs: &Pairs, i: usize, j: usize| looks_alike(i, j) && may_pair(pairs, i, j);
        let centres = [0, 1].map(|side| self.centres[side].as_slice());
        let origins = [0, 1].map(|side| self.places[side].origins.as_slice());
        for tolerance in self.tolerances {
            let in_one_box = |pairs: &Pairs, i: usize, j: usize| {
                self.is_one_box(i, j, tolerance) && alike(pairs, i, j)
            };
            pair_by_place(a, centres, tolerance, pairs, (true, &in_one_box));
        }
        for tolerance in self.tolerances {
            let in_one_box = |pairs: &Pairs, i: usize, j: usize| {
                self.is_one_box(i, j, tolerance) && may_pair(pairs, i, j)
            };
            pair_by_place(a, centres, tolerance, pairs, (false, &in_one_box));
        }
        for tolerance in self.tolerances {
            pair_by_place(a, origins, tolerance, pairs, (false, &alike));
        }
        for tolerance in self.tolerances {
            pair_by_place(a, origins, tolerance, pairs, (false, &may_pair));
        }
    }

    fn is_one_box(&self, i: usize, j: usize, tolerance: f32) -> bool {
        let mut corners = self.places[0].boxes[i].iter().zip(&self.places[1].boxes[j]);
        corners.all(|(x, y)| x.distance(*y) <= 2.0 * tolerance)
    }
}

/// Whether two nodes may be a pair.
type MayPair<'a> = dyn Fn(&Pairs, usize, usize) -> bool + 'a;

/// Pairs nodes at one place that may be a pair, if each is the only such one; if `in_order`, also as many as there are on either side.
fn pair_by_place(
    a: &Model,
    places: [&[Vec3]; 2],
    tolerance: f32,
    pairs: &mut Pairs,
    (in_order, may_pair): (bool, &MayPair),
) {
    let is_placed = |side: usize| move |node: &usize| places[side][*node].is_finite();
    let left_a: Vec<usize> = pairs.left_in_a().into_iter().filter(is_placed(0)).collect();
    let left_b: Vec<usize> = pairs.left_in_b().into_iter().filter(is_placed(1)).collect();
    let left = [left_a, left_b];
    if left.iter().any(Vec::is_empty) {
        return;
    }
    let left_places =
        [0, 1].map(|side| left[side].iter().map(|n| places[side][*n]).collect::<Vec<Vec3>>());
    let grids = [0, 1].map(|side| Grid::new(&left_places[side], tolerance));
    let near = |side: usize, at: Vec3| {
        let mut near: Vec<usize> = grids[side]
            .near(&left_places[side], at)
            .into_iter()
            .map(|(i, _)| left[side][i as usize])
            .collect();
        near.sort_unstable();
        near
    };
    // Parents come first, so that a new pair can decide about the nodes below it.
    for i in a.hierarchy.parents_first() {
        if pairs.b_of(i).is_some() || !places[0][i].is_finite() {
            continue;
        }
        let is_free = |j: &usize| pairs.a_of(*j).is_none() && may_pair(pairs, i, *j);
        let there: Vec<usize> = near(1, places[0][i]).into_iter().filter(is_free).collect();
        let Some(first) = there.first().copied() else { continue };
        if there.len() > 1 && !in_order {
            continue;
        }
        let may_be_back = |i: &usize| pairs.b_of(*i).is_none() && may_pair(pairs, *i, first);
        let back: Vec<usize> = near(0, places[1][first]).into_iter().filter(may_be_back).collect();
        if back.len() == there.len() {
            back.into_iter().zip(there).for_each(|(i, j)| pairs.pair(i, j));
        }
    }
}
