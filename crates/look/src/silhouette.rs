//! The outline of the posed model in a picture.

use glam::{DVec3, Vec2};

use super::View;
use rigview_model::{Model, Stage, pose_hull};

/// Places in a rectangle at which it is tested, along each side.
const PLACES: i32 = 12;

/// The share of a card behind which the model may be before the card moves to another corner.
const HIDDEN: f32 = 0.15;

/// The convex outline of the model in a picture, whose Y axis points down: counter-clockwise in coordinates whose Y axis
/// points up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Silhouette(Vec<Vec2>);

/// The place of a card in a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CardPlace {
    /// Size of the picture.
    pub picture: Vec2,
    /// Size of the card.
    pub card: Vec2,
    /// Distance of the card from the picture's edges.
    pub margin: f32,
}

/// A corner of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Corner {
    /// Below, on the left.
    #[default]
    LowerLeft,
    /// Below, on the right.
    LowerRight,
    /// Above, on the left.
    UpperLeft,
    /// Above, on the right.
    UpperRight,
}

impl Corner {
    /// All corners, the most usual one first.
    pub const ALL: [Self; 4] =
        [Self::LowerLeft, Self::LowerRight, Self::UpperLeft, Self::UpperRight];

    /// Whether it is on the right, and below.
    pub fn is_right_and_below(self) -> [bool; 2] {
        let right = matches!(self, Self::LowerRight | Self::UpperRight);
        [right, matches!(self, Self::LowerLeft | Self::LowerRight)]
    }
}

impl CardPlace {
    /// Returns the left and upper edge of the card in a corner.
    pub fn at(&self, corner: Corner) -> Vec2 {
        let far = self.picture - self.card - self.margin;
        let [right, below] = corner.is_right_and_below();
        let side = |is_far: bool, far: f32| if is_far { far } else { self.margin };
        Vec2::new(side(right, far.x), side(below, far.y))
    }
}

impl Silhouette {
    /// Returns the outline of posed scenes in a picture of a size. Empty if a part of a model is behind the camera, or
    /// there is none.
    pub fn new<'a>(
        model: &Model,
        stages: impl IntoIterator<Item = &'a Stage>,
        view: &View,
        size: Vec2,
    ) -> Self {
        let aspect = f64::from(size.x) / f64::from(size.y);
        let mut points = Vec::new();
        for stage in stages {
            let projection = view.projection_matrix(aspect) * view.camera_from_world(DVec3::ZERO);
            for at in pose_hull(model, stage) {
                let seen = projection * (at.as_dvec3() + stage.origin).extend(1.0);
                if !(seen.is_finite() && seen.w > 0.0) {
                    return Self::default();
                }
                let ndc = (seen.truncate().truncate() / seen.w).as_vec2();
                points.push(Vec2::new(0.5 + 0.5 * ndc.x, 0.5 - 0.5 * ndc.y) * size);
            }
        }
        Self::around(points)
    }

    /// Returns the corner in which a card hides least of the model: of equal ones, the first of these. A card that is in
    /// one of them already stays there, unless it hides much of the model and would hide less than half as much in
    /// another.
    pub fn freest(&self, place: &CardPlace, corners: &[Corner], present: Option<Corner>) -> Corner {
        let hidden = |corner: &Corner| self.covers(place.at(*corner), place.card);
        let best = corners.iter().copied().min_by_key(hidden).unwrap_or_default();
        let stays = |present: &Corner| {
            let count = hidden(present);
            let is_little = count as f32 <= HIDDEN * (PLACES * PLACES) as f32;
            corners.contains(present) && (is_little || 2 * hidden(&best) >= count)
        };
        present.filter(stays).unwrap_or(best)
    }

    /// Returns the convex outline of points; empty for fewer than three that are not on a line.
    fn around(mut points: Vec<Vec2>) -> Self {
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
        if outline.len() > 2 { Self(outline) } else { Self::default() }
    }

    /// Returns how many of the tested places of a rectangle are inside.
    fn covers(&self, corner: Vec2, size: Vec2) -> usize {
        let place =
            |i: i32, j: i32| corner + size * (Vec2::new(i as f32, j as f32) + 0.5) / PLACES as f32;
        let all = (0..PLACES * PLACES).map(|i| place(i % PLACES, i / PLACES));
        all.filter(|at| self.contains(*at)).count()
    }

    fn contains(&self, at: Vec2) -> bool {
        let next = self.0.iter().cycle().skip(1);
        !self.0.is_empty()
            && self.0.iter().zip(next).all(|(a, b)| (*b - *a).perp_dot(at - *a) >= 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rectangle_is_covered_where_it_is_inside_of_the_outline() {
        let corners =
            [[0.0, 0.0], [24.0, 0.0], [24.0, 24.0], [0.0, 24.0], [12.0, 12.0], [24.0, 12.0]];
        let square = Silhouette::around(corners.map(Vec2::from).to_vec());
        assert_eq!(square.0.len(), 4);
        let places = (PLACES * PLACES) as usize;
        let covers = |[left, top, width, height]: [f32; 4]| {
            square.covers(Vec2::new(left, top), Vec2::new(width, height))
        };
        assert_eq!(covers([2.0, 2.0, 12.0, 12.0]), places);
        assert_eq!(covers([12.0, 0.0, 24.0, 24.0]), places / 2);
        assert_eq!(covers([30.0, 30.0, 5.0, 5.0]), 0);
        let line = [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]];
        let line = Silhouette::around(line.map(Vec2::from).to_vec());
        assert_eq!((line.covers(Vec2::ZERO, Vec2::ONE), line), (0, Silhouette::default()));
    }

    #[test]
    fn a_card_changes_its_corner_only_if_that_is_clearly_better() {
        let square = |left: f32, top: f32, size: f32| {
            let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(Vec2::from);
            Silhouette::around(corners.map(|at| Vec2::new(left, top) + size * at).to_vec())
        };
        let place = CardPlace { picture: Vec2::splat(100.0), card: Vec2::splat(40.0), margin: 5.0 };
        let freest = |model: &Silhouette, present| model.freest(&place, &Corner::ALL, present);
        assert_eq!(freest(&Silhouette::default(), None), Corner::LowerLeft);
        assert_eq!(freest(&Silhouette::default(), Some(Corner::UpperRight)), Corner::UpperRight);
        // Below on the left, a card is from 5 to 45 across and from 55 to 95 down.
        let touched = square(35.0, 70.0, 12.0);
        assert_eq!(freest(&touched, None), Corner::LowerRight);
        assert_eq!(freest(&touched, Some(Corner::LowerLeft)), Corner::LowerLeft);
        let behind = square(10.0, 60.0, 30.0);
        assert_eq!(freest(&behind, Some(Corner::LowerLeft)), Corner::LowerRight);
        // Everywhere the same.
        assert_eq!(freest(&square(0.0, 0.0, 100.0), Some(Corner::LowerLeft)), Corner::LowerLeft);
        let below = [Corner::LowerLeft];
        assert_eq!(behind.freest(&place, &below, Some(Corner::UpperLeft)), Corner::LowerLeft);
    }
}
