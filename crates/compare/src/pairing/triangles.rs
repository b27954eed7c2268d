//! The nearest point on a set of triangles, by a tree of boxes.

use glam::Vec3;

use rigview_model::Aabb;

/// Triangles per leaf of the tree.
const LEAF: usize = 8;

/// Triangles in a tree of boxes. A line or a point is a triangle with equal corners.
pub(crate) struct Triangles {
    corners: Vec<[u32; 3]>,
    /// The indices of the triangles in the order of the tree.
    order: Vec<u32>,
    nodes: Vec<Node>,
}

/// The nearest place of a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hit {
    /// Index of the triangle.
    pub triangle: u32,
    /// The shares of its corners in the place.
    pub shares: [f32; 3],
    /// The square of the distance to the place.
    pub away: f32,
}

/// A box with the range of its triangles.
struct Node {
    bounds: Aabb,
    start: usize,
    end: usize,
    /// Index of the second child; the first one follows its parent. `None` for a leaf.
    second: Option<usize>,
}

impl Triangles {
    /// Sorts triangles into a tree. Those with a corner that is not finite are not found.
    pub fn new(places: &[Vec3], corners: Vec<[u32; 3]>) -> Self {
        let is_finite =
            |i: &u32| corners[*i as usize].iter().all(|point| places[*point as usize].is_finite());
        let mut order: Vec<u32> = (0..corners.len() as u32).filter(is_finite).collect();
        let mut nodes: Vec<Node> = Vec::new();
        // Ranges whose boxes are still to be made, with the node that they are the second child of.
        let mut open = vec![(0, order.len(), None)];
        while let Some((start, end, parent)) = open.pop() {
            let at = nodes.len();
            if let Some(parent) = parent {
                let parent: &mut Node = &mut nodes[parent];
                parent.second = Some(at);
            }
            let list = &mut order[start..end];
            let place = |i: u32| corners[i as usize].map(|point| places[point as usize]);
            let mut bounds = Aabb::EMPTY;
            list.iter().flat_map(|i| place(*i)).for_each(|at| bounds.add(at));
            nodes.push(Node { bounds, start, end, second: None });
            if list.len() <= LEAF {
                continue;
            }
            let axis = (bounds.max - bounds.min).max_position();
            let middle = |i: &u32| -> f32 { place(*i).iter().map(|at| at[axis]).sum() };
            let half = list.len() / 2;
            list.select_nth_unstable_by(half, |x, y| middle(x).total_cmp(&middle(y)));
            open.push((start + half, end, Some(at)));
            open.push((start, start + half, None));
        }
        Self { corners, order, nodes }
    }

    /// Returns the points at the corners of a triangle.
    #[cfg(test)]
    pub fn corners(&self, triangle: u32) -> [u32; 3] {
        self.corners[triangle as usize]
    }

    /// Returns the triangle that is nearest to a point, of those that `may_be` it. `None` if there is none, or if the point is not
    /// finite.
    pub fn nearest(&self, places: &[Vec3], at: Vec3, may_be: impl Fn(u32) -> bool) -> Option<Hit> {
        let mut best: Option<Hit> = None;
        self.visit(places, at, f32::INFINITY, |hit| {
            if best.is_none_or(|best| hit.away < best.away) && may_be(hit.triangle) {
                best = Some(hit);
            }
            // Equally near ones need not be looked at: there are many where a mesh is folded to a point.
            best.map_or(f32::INFINITY, |best| best.away.next_down())
        });
        best
    }

    /// Calls `each` with the triangles within a distance of a point until it returns `false`.
    pub fn within(
        &self,
        places: &[Vec3],
        at: Vec3,
        distance: f32,
        mut each: impl FnMut(Hit) -> bool,
    ) {
        let most = distance * distance;
        self.visit(places, at, most, |hit| {
            let goes_on = hit.away > most || each(hit);
            if goes_on { most } else { -1.0 }
        });
    }

    /// Calls `each` with triangles in boxes that are not farther than the square of a distance: first `most`, then what it returns.
    fn visit(&self, places: &[Vec3], at: Vec3, mut most: f32, mut each: impl FnMut(Hit) -> f32) {
        let mut open = vec![0];
        while let Some(index) = open.pop() {
            let node: &Node = &self.nodes[index];
            if node.start == node.end || !at.is_finite() {
                continue;
            }
            let far = |node: usize| {
                let Aabb { min, max } = self.nodes[node].bounds;
                at.clamp(min, max).distance_squared(at)
            };
            if far(index) > most {
                continue;
            }
            if let Some(second) = node.second {
                let first = index + 1;
                // The nearer child is looked at first.
                let is_first = far(first) <= far(second);
                open.extend(if is_first { [second, first] } else { [first, second] });
                continue;
            }
            for triangle in &self.order[node.start..node.end] {
                let corners = self.corners[*triangle as usize].map(|i| places[i as usize]);
                let shares = nearest_of_triangle(corners, at);
                let foot: Vec3 = (0..3).map(|i| shares[i] * corners[i]).sum();
                let away = foot.distance_squared(at);
                most = each(Hit { triangle: *triangle, shares, away });
                if most < 0.0 {
                    break;
                }
            }
        }
    }
}

/// Returns the shares of a triangle's corners in its point that is nearest to a place.
pub(crate) fn nearest_of_triangle([a, b, c]: [Vec3; 3], at: Vec3) -> [f32; 3] {
    let (ab, ac, to) = (b - a, c - a, at - a);
    let normal = ab.cross(ac);
    let area = normal.length_squared();
    if area > 0.0 {
        let v = to.cross(ac).dot(normal) / area;
        let w = ab.cross(to).dot(normal) / area;
        if v >= 0.0 && w >= 0.0 && v + w <= 1.0 {
            return [1.0 - v - w, v, w];
        }
    }
    let edges = [[0, 1], [1, 2], [2, 0]].map(|[i, j]| {
        let (start, along) = ([a, b, c][i], [a, b, c][j] - [a, b, c][i]);
        let length = along.length_squared();
        let share =
            if length > 0.0 { ((at - start).dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
        let mut shares = [0.0; 3];
        (shares[i], shares[j]) = (1.0 - share, share);
        ((start + share * along).distance_squared(at), shares)
    });
    let nearest = edges.into_iter().min_by(|x, y| x.0.total_cmp(&y.0));
    nearest.map_or([1.0, 0.0, 0.0], |(_, shares)| shares)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn foot(triangle: [Vec3; 3], at: Vec3) -> Vec3 {
        let shares = nearest_of_triangle(triangle, at);
        (0..3).map(|i| shares[i] * triangle[i]).sum()
    }

    #[test]
    fn the_nearest_place_is_inside_on_an_edge_or_a_corner() {
        let triangle = [Vec3::ZERO, 4.0 * Vec3::X, 4.0 * Vec3::Y];
        let is_at = |at: Vec3, want: Vec3| foot(triangle, at).distance(want) < 1e-6;
        assert!(is_at(Vec3::new(1.0, 1.0, 5.0), Vec3::new(1.0, 1.0, 0.0)));
        assert!(is_at(Vec3::new(2.0, -3.0, 1.0), 2.0 * Vec3::X));
        assert!(is_at(Vec3::new(3.0, 3.0, 0.0), Vec3::new(2.0, 2.0, 0.0)));
        assert!(is_at(Vec3::new(-1.0, 9.0, 0.0), 4.0 * Vec3::Y));
        let flat = [Vec3::X; 3];
        assert_eq!(foot(flat, Vec3::Y), Vec3::X);
    }

    #[test]
    fn the_tree_finds_what_a_search_of_all_finds() {
        let place = |i: u32| {
            let [x, y, z] = [i * 7919 % 101, i * 104_729 % 97, i * 1299 % 89].map(|n| n as f32);
            Vec3::new(x, y, z)
        };
        let places: Vec<Vec3> = (0..300).map(place).collect();
        let corners: Vec<[u32; 3]> = (0..298).map(|i| [i, i + 1, i + 2]).collect();
        let tree = Triangles::new(&places, corners.clone());
        for i in 300..360 {
            let at = place(i) * 1.3 - Vec3::splat(10.0);
            let away = |of: &[u32; 3]| {
                let triangle = of.map(|i| places[i as usize]);
                foot(triangle, at).distance(at)
            };
            let least = corners.iter().map(away).fold(f32::MAX, f32::min);
            let found = tree.nearest(&places, at, |_| true).unwrap();
            assert!((away(&tree.corners(found.triangle)) - least).abs() < 1e-4, "{i}");
            let mut near = 0;
            tree.within(&places, at, 1.5 * least, |_| {
                near += 1;
                true
            });
            assert_eq!(near, corners.iter().filter(|of| away(of) <= 1.5 * least).count(), "{i}");
        }
        assert!(Triangles::new(&[], vec![]).nearest(&[], Vec3::ZERO, |_| true).is_none());
        assert!(tree.nearest(&places, Vec3::NAN, |_| true).is_none());
    }
}
