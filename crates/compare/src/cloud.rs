//! Points with two places each, at rest and in a pose, of which those at a place are found.

use std::cell::OnceCell;

use glam::Vec3;

use super::pairing::grid::Grid;
use super::pairing::nearest::{TOLERANCES, diagonal, spread};

/// Points that lie within this share of the size of each other may be the same one.
const ALIKE: f32 = 1e-4;

/// Number of points that are looked at to find out how crowded a cloud is.
const SAMPLES: usize = 256;

/// The size of points that are all at one place, in metres: enough for a place that was rounded.
const LEAST_SIZE: f32 = 0.01;

/// Points at rest and in a pose, relative to one origin, in metres.
pub struct Cloud {
    rest: Grids,
    posed: Vec<Vec3>,
    /// Made when a crowd at one place is met first.
    posed_grids: OnceCell<Grids>,
}

impl Cloud {
    /// Returns the cloud of points at rest, which is its pose, too.
    pub fn new(rest: Vec<Vec3>) -> Self {
        Self { posed: rest.clone(), rest: Grids::new(rest), posed_grids: OnceCell::new() }
    }

    /// Returns the cloud in another pose, given the place of each point.
    pub fn pose(&mut self, posed: &[Vec3]) {
        self.posed.clear();
        self.posed.extend(posed);
        self.posed_grids.take();
    }

    /// The places at rest.
    pub fn rest(&self) -> &[Vec3] {
        &self.rest.places
    }

    /// The size of the cloud at rest in metres, without what strays far from it.
    pub fn size(&self) -> f32 {
        self.rest.size
    }

    /// Returns the points that lie at a place at rest; none if no point is near. Where many do, those are among them that are
    /// nearest to the other place in the pose.
    pub fn find(&self, at_rest: Vec3, posed: Vec3) -> Vec<u32> {
        let (mut near, are_all) = self.rest.near(at_rest);
        if !are_all {
            let grids = self.posed_grids.get_or_init(|| Grids::new(self.posed.clone()));
            let with_distance = |(point, _)| (point, at_rest.distance(self.rest()[point as usize]));
            near.extend(grids.near(posed).0.into_iter().map(with_distance));
        }
        let least = near.iter().map(|(_, distance)| *distance).fold(f32::INFINITY, f32::min);
        let within = (2.0 * least).max(ALIKE * self.size());
        near.into_iter().filter(|(_, distance)| *distance <= within).map(|(p, _)| p).collect()
    }
}

/// Grids of the same places, from coarse to fine.
struct Grids {
    places: Vec<Vec3>,
    size: f32,
    /// Made when a place is looked for in them first.
    grids: [OnceCell<Grid>; TOLERANCES.len()],
    /// The coarsest grid in which most points are not in a crowd.
    coarsest: usize,
}

impl Grids {
    fn new(places: Vec<Vec3>) -> Self {
        // Most points may be at one place, such as those of a mesh that is scaled to nothing at rest.
        let sizes = [spread(&places), diagonal(&places), LEAST_SIZE];
        let is_size = |size: &f32| size.is_normal();
        let size = sizes.into_iter().find(is_size).unwrap_or(LEAST_SIZE);
        let mut out = Self { places, size, grids: Default::default(), coarsest: 0 };
        let finest = out.grids.len() - 1;
        // Points at one place are a crowd in every grid.
        if out.is_crowded(0) && !out.is_crowded(finest) {
            out.coarsest = (1..finest).find(|grid| !out.is_crowded(*grid)).unwrap_or(finest);
        }
        out
    }

    /// Whether most points have more others within the tolerance of a grid than it finds.
    fn is_crowded(&self, grid: usize) -> bool {
        let mut near = Vec::new();
        let some = self.places.iter().step_by(self.places.len().div_ceil(SAMPLES).max(1));
        let crowded =
            some.clone().filter(|at| !self.grid(grid).find(&self.places, **at, &mut near));
        2 * crowded.count() > some.len()
    }

    fn grid(&self, number: usize) -> &Grid {
        let share = TOLERANCES[TOLERANCES.len() - 1 - number];
        self.grids[number]
            .get_or_init(|| Grid::new(&self.places, (share * self.size).max(f32::MIN_POSITIVE)))
    }

    /// Returns the points at a place, with their distances, and whether these are all; of a crowd only the nearest ones are found.
    fn near(&self, at: Vec3) -> (Vec<(u32, f32)>, bool) {
        let (mut near, mut finer) = (Vec::new(), Vec::new());
        for grid in self.coarsest..self.grids.len() {
            let are_all = self.grid(grid).find(&self.places, at, &mut finer);
            if finer.is_empty() {
                return (near, grid == self.coarsest);
            }
            std::mem::swap(&mut near, &mut finer);
            if are_all {
                return (near, true);
            }
        }
        (near, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thousand points at one place at rest, in a row in the pose, alone and beside a body of fewer or more.
    #[test]
    fn points_of_a_crowd_at_one_place_are_found_by_their_pose() {
        let spread = |i: usize| Vec3::new((i % 97) as f32, (i % 89) as f32, (i % 83) as f32) / 50.0;
        for body in [0, 100, 2000] {
            let rest: Vec<Vec3> =
                (0..body).map(spread).chain(std::iter::repeat_n(Vec3::Y, 1000)).collect();
            let mut cloud = Cloud::new(rest);
            let row = |i: usize| Vec3::X * i as f32 / 100.0;
            let posed: Vec<Vec3> = (0..body).map(spread).chain((0..1000).map(row)).collect();
            cloud.pose(&posed);
            for i in 0..1000 {
                let found = cloud.find(Vec3::Y + 1e-6, row(i));
                let nearest = found.iter().map(|p| posed[*p as usize].distance(row(i)));
                assert_eq!(nearest.fold(f32::INFINITY, f32::min), 0.0, "{i} beside {body}");
            }
        }
    }
}
