//! Points in the cells of a grid, to find those within a distance of a place.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use glam::Vec3;

/// Candidates that are returned per place, and looked at, so that a cloud in one place does not take forever.
const MOST_CANDIDATES: usize = 256;
const MOST_LOOKED_AT: usize = 4096;

/// The width of a cell in tolerances: with wider cells fewer of them are looked up, but more points are looked at.
const WIDTH: f32 = 4.0;

/// The end of a cell's list.
const NONE: u32 = u32::MAX;

/// Points by cells, for places within a tolerance.
pub(crate) struct Grid {
    tolerance: f32,
    /// The first point of each cell.
    first: HashMap<[i64; 3], u32, BuildHasherDefault<CellHasher>>,
    /// By point, the next one of its cell.
    next: Vec<u32>,
}

impl Grid {
    pub fn new(places: &[Vec3], tolerance: f32) -> Self {
        let mut first = HashMap::with_capacity_and_hasher(places.len(), Default::default());
        let mut next = vec![NONE; places.len()];
        // Backwards, so that each cell's list is in ascending order.
        for (i, at) in places.iter().enumerate().rev().filter(|(_, at)| at.is_finite()) {
            let cell = cell(*at, WIDTH * tolerance);
            next[i] = first.insert(cell, i as u32).unwrap_or(NONE);
        }
        Self { tolerance, first, next }
    }

    /// Returns the points within the tolerance, with their distances. `places` are those of [`Grid::new`].
    pub fn near(&self, places: &[Vec3], at: Vec3) -> Vec<(u32, f32)> {
        let mut near = Vec::new();
        self.find(places, at, &mut near);
        near
    }

    /// Writes what [`Grid::near`] returns. Returns whether these are all, and not only some of a crowd.
    pub fn find(&self, places: &[Vec3], at: Vec3, near: &mut Vec<(u32, f32)>) -> bool {
        near.clear();
        if !at.is_finite() {
            return true;
        }
        let width = WIDTH * self.tolerance;
        // A little more, because places are rounded.
        let reach = Vec3::splat(1.01 * self.tolerance);
        let [own, low, high] = [at, at - reach, at + reach].map(|at| cell(at, width));
        let mut looked_at = 0;
        // The cell itself comes first, because it has the nearest points.
        let cells = (low[0]..=high[0]).flat_map(|x| {
            let row = (low[1]..=high[1]).flat_map(move |y| (low[2]..=high[2]).map(move |z| [y, z]));
            row.map(move |[y, z]| [x, y, z])
        });
        for cell in std::iter::once(own).chain(cells.filter(|cell| *cell != own)) {
            let mut point = self.first.get(&cell).copied().unwrap_or(NONE);
            while point != NONE {
                let distance = at.distance(places[point as usize]);
                if distance <= self.tolerance {
                    near.push((point, distance));
                }
                looked_at += 1;
                if near.len() == MOST_CANDIDATES || looked_at == MOST_LOOKED_AT {
                    return false;
                }
                point = self.next[point as usize];
            }
        }
        true
    }
}

fn cell(at: Vec3, width: f32) -> [i64; 3] {
    (at.as_dvec3() / f64::from(width)).to_array().map(|x| x.floor() as i64)
}

/// Hashes the numbers of a cell; a file can't choose many cells with one hash, because places are single precision.
#[derive(Default)]
struct CellHasher(u64);

impl Hasher for CellHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, number: u64) {
        let mixed = (self.0.rotate_left(23) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 29);
    }

    fn write_i64(&mut self, number: i64) {
        self.write_u64(number as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_finds_what_a_search_of_all_finds() {
        let place = |i: u32| {
            let [x, y, z] = [i * 7919 % 101, i * 104_729 % 97, i * 1299 % 89].map(|n| n as f32);
            0.1 * Vec3::new(x - 50.0, y, z)
        };
        let places: Vec<Vec3> = (0..500).map(place).collect();
        for tolerance in [1e-3, 0.3, 1.0] {
            let grid = Grid::new(&places, tolerance);
            for at in (0..500).map(|i| place(i) + Vec3::splat(0.05)) {
                let mut found: Vec<u32> =
                    grid.near(&places, at).iter().map(|near| near.0).collect();
                found.sort_unstable();
                let is_near = |i: &u32| at.distance(places[*i as usize]) <= tolerance;
                assert!(found.into_iter().eq((0..500).filter(is_near)), "{at} {tolerance}");
            }
        }
        assert!(Grid::new(&places, 1.0).near(&places, Vec3::NAN).is_empty());
    }
}
