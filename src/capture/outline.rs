//! The outline of the posed model in a picture.

use glam::Vec2;

use crate::model::pose_hull;
use crate::render::Frame;

/// Places in a rectangle at which it is tested, along each side.
const PLACES: i32 = 12;

/// The convex outline of the model in pixels, counter-clockwise in coordinates whose Y axis points up.
pub(super) struct Outline(Vec<Vec2>);

impl Outline {
    /// Returns the outline in a picture of `size` pixels. `None` if a part of the model is behind the camera, or there
    /// is none.
    pub fn of(frame: &Frame, size: [u32; 2]) -> Option<Self> {
        let [width, height] = size.map(|edge| edge as f32);
        let origin = frame.stage.origin;
        let view = frame.view;
        let projection = view.projection_matrix(f64::from(width) / f64::from(height))
            * view.camera_from_world(origin);
        let projection = projection.as_mat4();
        let stages = std::iter::once(frame.stage).chain(frame.others);
        let mut points = Vec::new();
        for at in stages.flat_map(|stage| pose_hull(frame.model, stage)) {
            let seen = projection * at.extend(1.0);
            if !(seen.is_finite() && seen.w > 0.0) {
                return None;
            }
            let ndc = Vec2::new(seen.x, seen.y) / seen.w;
            points.push(Vec2::new(0.5 + 0.5 * ndc.x, 0.5 - 0.5 * ndc.y) * Vec2::new(width, height));
        }
        Self::around(points)
    }

    /// Returns the convex outline of points; `None` for fewer than three that are not on a line.
    fn around(mut points: Vec<Vec2>) -> Option<Self> {
        points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
        points.dedup();
        let half = |points: &mut dyn Iterator<Item = Vec2>| {
            let mut chain: Vec<Vec2> = Vec::new();
            for point in points {
                while let [.., a, b] = chain[..]
                    && (b - a).perp_dot(point - a) <= 0.0
                {
                    chain.pop();
                }
                chain.push(point);
            }
            chain.pop();
            chain
        };
        let mut outline = half(&mut points.iter().copied());
        outline.append(&mut half(&mut points.iter().rev().copied()));
        (outline.len() > 2).then_some(Self(outline))
    }

    /// Returns how many of the tested places of a rectangle, given by left, top, width and height, are inside.
    pub fn covers(&self, [left, top, width, height]: [i32; 4]) -> usize {
        let place = |i: i32, start: i32, length: i32| {
            start as f32 + length as f32 * (i as f32 + 0.5) / PLACES as f32
        };
        let all = (0..PLACES * PLACES)
            .map(|i| Vec2::new(place(i % PLACES, left, width), place(i / PLACES, top, height)));
        all.filter(|at| self.contains(*at)).count()
    }

    fn contains(&self, at: Vec2) -> bool {
        let next = self.0.iter().cycle().skip(1);
        self.0.iter().zip(next).all(|(a, b)| (*b - *a).perp_dot(at - *a) >= 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rectangle_is_covered_where_it_is_inside_of_the_outline() {
        let corners =
            [[0.0, 0.0], [24.0, 0.0], [24.0, 24.0], [0.0, 24.0], [12.0, 12.0], [24.0, 12.0]];
        let square = Outline::around(corners.map(Vec2::from).to_vec()).unwrap();
        assert_eq!(square.0.len(), 4);
        let places = (PLACES * PLACES) as usize;
        assert_eq!(square.covers([2, 2, 12, 12]), places);
        assert_eq!(square.covers([12, 0, 24, 24]), places / 2);
        assert_eq!(square.covers([30, 30, 5, 5]), 0);
        let line = [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]];
        assert!(Outline::around(line.map(Vec2::from).to_vec()).is_none());
    }
}
