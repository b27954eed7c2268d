//! Finds the outermost points of a set, for framing by a camera.

use glam::Vec3;

/// Directions in which the furthest point is kept, without their opposites: the corners of an icosahedron
/// with subdivided edges. No direction is more than 21 degrees from one of them.
const AXES: [[f32; 3]; 21] = axes();

const fn axes() -> [[f32; 3]; 21] {
    // The golden ratio, half of its square, and half of it. The axes are not normalised.
    const G: f32 = 1.618_034;
    const A: f32 = 0.5 * G * G;
    const B: f32 = 0.5 * G;
    [
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [0.0, 1.0, G],
        [0.0, -1.0, G],
        [1.0, G, 0.0],
        [-1.0, G, 0.0],
        [G, 0.0, 1.0],
        [-G, 0.0, 1.0],
        [0.5, A, B],
        [-0.5, A, B],
        [0.5, -A, B],
        [0.5, A, -B],
        [A, B, 0.5],
        [-A, B, 0.5],
        [A, -B, 0.5],
        [A, B, -0.5],
        [B, 0.5, A],
        [-B, 0.5, A],
        [B, -0.5, A],
        [B, 0.5, -A],
    ]
}

/// The furthest points of a set in 42 directions, each stored as the value it was added with.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull<T> {
    /// The largest extents, along the axes and against them.
    reach: [Reach; 2],
    furthest: [[Option<T>; AXES.len()]; 2],
}

/// One number per axis.
type Reach = [f32; AXES.len()];

impl<T: Copy> Default for Hull<T> {
    /// The hull of no points.
    fn default() -> Self {
        Self { reach: [[f32::NEG_INFINITY; AXES.len()]; 2], furthest: [[None; AXES.len()]; 2] }
    }
}

impl<T: Copy> Hull<T> {
    /// Adds a point; ignores it if it is not finite.
    pub fn add(&mut self, point: Vec3, what: T) {
        if !point.is_finite() {
            return;
        }
        let along: Reach = std::array::from_fn(|i| {
            point.x * AXES[i][0] + point.y * AXES[i][1] + point.z * AXES[i][2]
        });
        // Nearly all points are inside, so test all axes without branches first.
        let mut beyond = false;
        for (i, reach) in along.iter().enumerate() {
            beyond |= (*reach > self.reach[0][i]) | (-*reach > self.reach[1][i]);
        }
        if !beyond {
            return;
        }
        for (i, reach) in along.into_iter().enumerate() {
            for (side, reach) in [reach, -reach].into_iter().enumerate() {
                if reach > self.reach[side][i] {
                    self.reach[side][i] = reach;
                    self.furthest[side][i] = Some(what);
                }
            }
        }
    }

    /// Returns the values of the furthest points, once for each direction.
    pub fn furthest(&self) -> impl Iterator<Item = T> + '_ {
        self.furthest.iter().flatten().flatten().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_direction_is_far_from_an_axis() {
        let mut worst = 1.0f32;
        for i in 0..2000 {
            // A spiral over the sphere.
            let z = 1.0 - (2 * i + 1) as f32 / 2000.0;
            let (sin, cos) = (2.399_963 * i as f32).sin_cos();
            let r = (1.0 - z * z).sqrt();
            let point = Vec3::new(r * cos, r * sin, z);
            let near = AXES
                .iter()
                .map(|a| point.dot(Vec3::from_array(*a).normalize()).abs())
                .fold(0.0, f32::max);
            worst = worst.min(near);
        }
        assert!(worst > 21f32.to_radians().cos(), "{} degrees", worst.acos().to_degrees());
    }

    #[test]
    fn the_furthest_points_hold_nearly_all_of_a_ball() {
        let mut hull = Hull::default();
        for i in 0..5000 {
            let z = 1.0 - (2 * i + 1) as f32 / 5000.0;
            let (sin, cos) = (2.399_963 * i as f32).sin_cos();
            let r = (1.0 - z * z).sqrt();
            let point = Vec3::new(r * cos, r * sin, z);
            hull.add(point, point);
        }
        let side = Vec3::new(0.3, 0.5, -0.8).normalize();
        let reach = hull.furthest().map(|p| p.dot(side)).fold(0.0, f32::max);
        assert!(reach > 0.93, "{reach}");
    }
}
