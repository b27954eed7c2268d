//! Finds the outermost points of a set, for framing by a camera.

use std::sync::LazyLock;

use glam::{Affine3A, Mat3A, Vec3, Vec4};

use super::bounds::Aabb;

/// Number of directions, without their opposites, in which a coarse hull and a fine one keep the furthest points: the
/// corners of an icosahedron whose edges were halved once, and twice. No direction is more than 21 degrees, and 11
/// degrees, from one of them.
const COARSE: usize = 21;
const FINE: usize = 81;

/// Directions are tested in groups of four.
const LANES: usize = 4;
const COARSE_GROUPS: usize = COARSE.div_ceil(LANES);
const FINE_GROUPS: usize = FINE.div_ceil(LANES);

/// The X, Y and Z components of all directions; the coarse ones come first.
struct Axes([[Vec4; FINE_GROUPS]; 3]);

fn axes() -> &'static Axes {
    static AXES: LazyLock<Axes> = LazyLock::new(|| {
        let golden = 0.5 * (1.0 + 5.0f32.sqrt());
        let corners = [[0.0, 1.0, golden], [0.0, -1.0, golden]];
        let turned = |[x, y, z]: [f32; 3]| [[x, y, z], [z, x, y], [y, z, x]];
        let corners = corners.into_iter().flat_map(turned).map(|c| Vec3::from(c).normalize());
        // Edges of the icosahedron take 63.4 degrees, halved ones at most 36.
        let coarse = with_middles_of_edges(corners.collect(), 65.0);
        let fine = with_middles_of_edges(coarse, 40.0);
        let lane = |i: usize, axis: usize| fine.get(i).map_or(0.0, |direction| direction[axis]);
        let group = |group: usize, axis: usize| {
            Vec4::from_array(std::array::from_fn(|i| lane(LANES * group + i, axis)))
        };
        Axes(std::array::from_fn(|axis| std::array::from_fn(|i| group(i, axis))))
    });
    &AXES
}

/// Adds the directions halfway between neighbours, which are at most this angle apart.
fn with_middles_of_edges(mut axes: Vec<Vec3>, degrees: f32) -> Vec<Vec3> {
    let nearest = degrees.to_radians().cos();
    for i in 0..axes.len() {
        for j in 0..i {
            for other in [axes[j], -axes[j]] {
                if axes[i].dot(other) > nearest {
                    axes.push((axes[i] + other).normalize());
                }
            }
        }
    }
    axes
}

/// The furthest points of a set along the first directions of `GROUPS` groups and against them, each stored as the value
/// it was added with.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull<T, const GROUPS: usize = COARSE_GROUPS> {
    /// The largest extents, along the axes and against them.
    reach: [[Vec4; GROUPS]; 2],
    furthest: [[[Option<T>; LANES]; GROUPS]; 2],
}

/// A hull that holds nearly all of a set: of a ball, all but a fiftieth of its radius.
pub type FineHull<T> = Hull<T, FINE_GROUPS>;

impl<T: Copy, const GROUPS: usize> Default for Hull<T, GROUPS> {
    /// The hull of no points.
    fn default() -> Self {
        let directions = if GROUPS == COARSE_GROUPS { COARSE } else { FINE };
        // Nothing is beyond the lanes past the last direction.
        let lane = |i: usize| if i < directions { f32::NEG_INFINITY } else { f32::INFINITY };
        let group =
            |group: usize| Vec4::from_array(std::array::from_fn(|i| lane(LANES * group + i)));
        let reach = std::array::from_fn(group);
        Self { reach: [reach; 2], furthest: [[[None; LANES]; GROUPS]; 2] }
    }
}

impl<T: Copy, const GROUPS: usize> Hull<T, GROUPS> {
    /// Adds a point; ignores it if it is not finite.
    pub fn add(&mut self, point: Vec3, what: T) {
        if !point.is_finite() {
            return;
        }
        let Axes([x, y, z]) = axes();
        let [px, py, pz] = point.to_array().map(Vec4::splat);
        // Nearly all points are inside, so test all axes without branches first. This runs for every vertex that is
        // loaded: without full optimisation, an iterator would take most of its time.
        let (mut beyond, mut i) = (Vec4::ZERO.cmpgt(Vec4::ZERO), 0);
        while i < GROUPS {
            let along = px * x[i] + py * y[i] + pz * z[i];
            beyond |= along.cmpgt(self.reach[0][i]) | (-along).cmpgt(self.reach[1][i]);
            i += 1;
        }
        if !beyond.any() {
            return;
        }
        for (i, ((x, y), z)) in x.iter().zip(y).zip(z).enumerate().take(GROUPS) {
            let along = px * *x + py * *y + pz * *z;
            for (side, reaches) in [along, -along].into_iter().enumerate() {
                for (lane, reach) in reaches.to_array().into_iter().enumerate() {
                    if reach > self.reach[side][i][lane] {
                        self.reach[side][i][lane] = reach;
                        self.furthest[side][i][lane] = Some(what);
                    }
                }
            }
        }
    }

    /// Returns how far a box that a matrix transforms may reach beyond the points, at most; 0 or less if it does not, and
    /// infinite if there are no points.
    pub fn excess(&self, bounds: &Aabb, matrix: &Affine3A) -> f32 {
        if bounds.is_empty() {
            return 0.0;
        }
        let half = 0.5 * bounds.size();
        let edges = matrix.matrix3 * Mat3A::from_diagonal(half);
        let middle = Vec3::from(matrix.transform_point3a(bounds.center().into()));
        let Axes([x, y, z]) = axes();
        let mut most = Vec4::NEG_INFINITY;
        for (i, ((x, y), z)) in x.iter().zip(y).zip(z).enumerate().take(GROUPS) {
            let along = |v: Vec3| *x * v.x + *y * v.y + *z * v.z;
            let reach = [edges.x_axis, edges.y_axis, edges.z_axis].map(|e| along(e.into()).abs());
            let (place, reach) = (along(middle), reach[0] + reach[1] + reach[2]);
            most = most.max(place + reach - self.reach[0][i]).max(reach - place - self.reach[1][i]);
        }
        most.max_element()
    }

    /// Returns the values of the furthest points, once for each direction.
    pub fn furthest(&self) -> impl Iterator<Item = T> + '_ {
        self.furthest.iter().flatten().flatten().flatten().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A spiral of points over a sphere of radius 1.
    fn ball(count: usize) -> impl Iterator<Item = Vec3> {
        (0..count).map(move |i| {
            let z = 1.0 - (2 * i + 1) as f32 / count as f32;
            let (sin, cos) = (2.399_963 * i as f32).sin_cos();
            let r = (1.0 - z * z).sqrt();
            Vec3::new(r * cos, r * sin, z)
        })
    }

    #[test]
    fn no_direction_is_far_from_an_axis() {
        let Axes([x, y, z]) = axes();
        let [x, y, z] = [x, y, z].map(|axis| bytemuck::cast_slice::<Vec4, f32>(axis));
        let axis = |i: usize| Vec3::new(x[i], y[i], z[i]);
        for (count, degrees) in [(COARSE, 21.0f32), (FINE, 11.0)] {
            let near =
                |point: Vec3| (0..count).map(|i| point.dot(axis(i)).abs()).fold(0.0, f32::max);
            let worst = ball(2000).map(near).fold(1.0, f32::min);
            assert!(worst > degrees.to_radians().cos(), "{} degrees", worst.acos().to_degrees());
        }
    }

    #[test]
    fn the_furthest_points_hold_nearly_all_of_a_ball() {
        let (mut coarse, mut fine) = (Hull::<Vec3>::default(), FineHull::default());
        for point in ball(5000) {
            coarse.add(point, point);
            fine.add(point, point);
        }
        for side in ball(100) {
            let reach = |points: Vec<Vec3>| points.iter().map(|p| p.dot(side)).fold(0.0, f32::max);
            let reach = [reach(coarse.furthest().collect()), reach(fine.furthest().collect())];
            assert!(reach[0] > 0.93 && reach[1] > 0.975, "{reach:?}");
        }
    }

    #[test]
    fn a_box_exceeds_a_hull_by_what_is_outside() {
        let mut hull = FineHull::default();
        ball(5000).for_each(|at| hull.add(at, at));
        let bounds = Aabb { min: Vec3::splat(-0.1), max: Vec3::splat(0.1) };
        let excess = |x: f32| hull.excess(&bounds, &Affine3A::from_translation(Vec3::X * x));
        assert!(excess(0.0) < -0.5 && excess(0.7) < 0.0, "{} {}", excess(0.0), excess(0.7));
        assert!((excess(2.0) - 1.1).abs() < 0.05, "{}", excess(2.0));
        assert_eq!(FineHull::<u32>::default().excess(&bounds, &Affine3A::IDENTITY), f32::INFINITY);
        assert_eq!(hull.excess(&Aabb::EMPTY, &Affine3A::IDENTITY), 0.0);
    }
}
