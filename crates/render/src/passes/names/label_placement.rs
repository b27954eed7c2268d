//! Finds places for names in the picture, near their joints, without overlapping bones or each other.

use glam::{UVec2, Vec2};

/// Flags of a covered cell.
const BONE: u8 = 1;
const NAME: u8 = 2;
const LINE: u8 = 4;

/// Side of a cell in points.
const CELL: f32 = 2.0;

/// Distance from a joint to its name in points; names farther away have a line.
const GAP: f32 = 8.0;

/// Half the width of a bone with its outline, in points.
const BONE_REACH: f32 = 4.5;

/// Distance in points by which each further attempt is farther away.
const STEP: f32 = 13.0;

/// Number of distances that are tried.
const RINGS: u32 = 9;

/// Number of directions that are tried at each distance.
const DIRECTIONS: u32 = 16;

/// The covered cells of a picture.
#[derive(Debug, Default)]
pub struct LabelPlacement {
    cell: f32,
    size: UVec2,
    covered: Vec<u8>,
}

/// The place of a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelPlace {
    /// Its top left corner.
    pub corner: Vec2,
    /// The line to its joint, unless it is next to it.
    pub line: Option<[Vec2; 2]>,
}

impl LabelPlacement {
    /// Starts a picture of `size` pixels, with `scale` pixels per point.
    pub fn clear(&mut self, size: Vec2, scale: f32) {
        // Letters have a smallest size, so that finer cells would find no more room.
        self.cell = (CELL * scale).max(1.0);
        self.size = (size / self.cell).floor().max(Vec2::ZERO).as_uvec2();
        self.covered.clear();
        self.covered.resize(self.size.element_product() as usize, 0);
    }

    /// Covers a bone, or a joint if both ends are equal.
    pub fn cover_bone(&mut self, head: Vec2, tail: Vec2) {
        let reach = Vec2::splat(BONE_REACH / CELL * self.cell);
        for at in steps(head, tail, self.cell, self.size.as_vec2() * self.cell) {
            self.cover(at - reach, at + reach, BONE);
        }
    }

    /// Covers a part of the picture that something else is drawn over.
    pub fn cover_card(&mut self, min: Vec2, max: Vec2) {
        self.cover(min, max, NAME);
    }

    /// Finds and covers a place for a name of `size` pixels near a joint, preferring the direction
    /// `outward`. `None` if there is no room.
    pub fn take(&mut self, joint: Vec2, size: Vec2, outward: Vec2) -> Option<LabelPlace> {
        let mut directions: [Vec2; DIRECTIONS as usize] = std::array::from_fn(|i| {
            Vec2::from_angle(i as f32 / DIRECTIONS as f32 * std::f32::consts::TAU)
        });
        let score = |d: &Vec2| d.dot(outward) + 0.4 * d.x.abs() + 0.01 * d.x;
        directions.sort_by(|a, b| score(b).total_cmp(&score(a)));
        let point = self.cell / CELL;
        for ring in 0..RINGS {
            let away = (GAP + STEP * ring as f32) * point;
            for direction in directions {
                let near = joint + away * direction;
                let lean = (1.6 * direction).clamp(Vec2::NEG_ONE, Vec2::ONE);
                let corner = (near + 0.5 * size * (lean - 1.0)).round();
                if !self.is_free(corner, corner + size) {
                    continue;
                }
                let ends = [joint + BONE_REACH * point * direction, near - point * direction];
                let line = (ring > 0).then_some(ends);
                if line.is_some_and(|[from, to]| self.crosses(from, to)) {
                    continue;
                }
                self.cover(corner, corner + size, NAME);
                if let Some([from, to]) = line {
                    for at in steps(from, to, self.cell, self.size.as_vec2() * self.cell) {
                        self.cover(at, at, LINE);
                    }
                }
                return Some(LabelPlace { corner, line });
            }
        }
        None
    }

    /// Whether a rectangle is inside the picture and not covered.
    fn is_free(&self, min: Vec2, max: Vec2) -> bool {
        let edge = self.size.as_vec2() * self.cell;
        if min.cmplt(Vec2::ZERO).any() || max.cmpge(edge).any() {
            return false;
        }
        let [min, max] = [min, max].map(|at| (at / self.cell).as_uvec2());
        (min.y..=max.y).all(|y| {
            let row = (y * self.size.x) as usize;
            let cells = row + min.x as usize..=row + max.x as usize;
            self.covered[cells].iter().all(|covered| *covered == 0)
        })
    }

    /// Whether a line crosses a name or another line.
    fn crosses(&self, from: Vec2, to: Vec2) -> bool {
        steps(from, to, self.cell, self.size.as_vec2() * self.cell).any(|at| {
            let cell = (at / self.cell).as_uvec2().min(self.size - 1);
            self.covered[(cell.y * self.size.x + cell.x) as usize] & (NAME | LINE) != 0
        })
    }

    fn cover(&mut self, min: Vec2, max: Vec2, with: u8) {
        let edge = self.size.as_vec2() * self.cell;
        if max.cmplt(Vec2::ZERO).any() || min.cmpge(edge).any() || self.size.min_element() == 0 {
            return;
        }
        let last = self.size - 1;
        let [min, max] = [min, max].map(|at| (at / self.cell).max(Vec2::ZERO).as_uvec2().min(last));
        for y in min.y..=max.y {
            let row = (y * self.size.x) as usize;
            self.covered[row + min.x as usize..=row + max.x as usize]
                .iter_mut()
                .for_each(|covered| *covered |= with);
        }
    }
}

/// Returns points on the visible part of a line, at most a cell apart.
fn steps(from: Vec2, to: Vec2, cell: f32, size: Vec2) -> impl Iterator<Item = Vec2> {
    let (from, to) = clipped(from, to, size).unwrap_or((Vec2::NAN, Vec2::NAN));
    let count = if from.is_finite() { ((to - from).length() / cell).ceil() as u32 + 1 } else { 0 };
    (0..count).map(move |i| from.lerp(to, i as f32 / (count - 1).max(1) as f32))
}

/// Clips a line to the picture (Liang and Barsky).
fn clipped(from: Vec2, to: Vec2, size: Vec2) -> Option<(Vec2, Vec2)> {
    let along = to - from;
    let (mut first, mut last) = (0.0_f32, 1.0_f32);
    for (start, step, end) in [(from.x, along.x, size.x), (from.y, along.y, size.y)] {
        if step == 0.0 {
            if !(0.0..=end).contains(&start) {
                return None;
            }
            continue;
        }
        let (a, b) = (-start / step, (end - start) / step);
        (first, last) = (first.max(a.min(b)), last.min(a.max(b)));
    }
    (first <= last).then(|| (from + first * along, from + last * along))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_overlap_neither_bones_nor_each_other() {
        let mut places = LabelPlacement::default();
        places.clear(Vec2::new(400.0, 300.0), 1.0);
        let [hip, knee] = [Vec2::new(200.0, 100.0), Vec2::new(240.0, 100.0)];
        places.cover_bone(hip, knee);
        let size = Vec2::new(60.0, 14.0);
        let taken: Vec<LabelPlace> =
            (0..6).filter_map(|_| places.take(hip, size, Vec2::X)).collect();
        assert_eq!(taken.len(), 6);
        for (i, a) in taken.iter().enumerate() {
            let on_bone = a.corner.y < 104.0
                && a.corner.y + size.y > 96.0
                && a.corner.x < 244.0
                && a.corner.x + size.x > 196.0;
            assert!(!on_bone, "{a:?}");
            for b in &taken[..i] {
                assert!((a.corner - b.corner).abs().cmpge(size - 2.0).any(), "{a:?} {b:?}");
            }
        }
        assert!(taken[0].line.is_none() && taken[5].line.is_some(), "{taken:?}");
    }

    #[test]
    fn points_smaller_than_a_pixel_have_no_more_cells_than_the_picture_has_pixels() {
        let mut places = LabelPlacement::default();
        places.clear(Vec2::splat(2000.0), 0.001);
        assert!(places.covered.len() <= 2000 * 2000, "{}", places.covered.len());
        let (joint, size) = (Vec2::splat(1000.0), Vec2::new(40.0, 6.0));
        let taken: Vec<LabelPlace> =
            (0..2).filter_map(|_| places.take(joint, size, Vec2::X)).collect();
        let apart = (taken[0].corner - taken[1].corner).abs();
        assert!(apart.cmpge(size - 1.0).any(), "{taken:?}");
    }

    #[test]
    fn a_name_that_fits_nowhere_has_no_place() {
        let mut places = LabelPlacement::default();
        places.clear(Vec2::new(50.0, 300.0), 1.0);
        assert_eq!(places.take(Vec2::new(25.0, 150.0), Vec2::new(60.0, 14.0), Vec2::X), None);
        places.clear(Vec2::ZERO, 1.0);
        assert_eq!(places.take(Vec2::ZERO, Vec2::splat(5.0), Vec2::X), None);
        // Far outside the picture, and NaN.
        places.cover_bone(Vec2::splat(-1e9), Vec2::splat(1e9));
        places.cover_bone(Vec2::NAN, Vec2::ONE);
    }
}
