//! Lines and points that are drawn over the picture.

use glam::DVec3;

use rigview_model::SceneBox;

/// A line over the picture, or a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Ends in scene space. Equal ends are a point.
    pub ends: [DVec3; 2],
    /// sRGB and alpha; the alpha of points is not used.
    pub color: [u8; 4],
    /// Factor of the usual width.
    pub width: f32,
}

impl Stroke {
    /// Most strokes that a picture shows; further ones are left out.
    pub const MOST: usize = 4096;

    /// Returns a line.
    pub fn line(ends: [DVec3; 2], color: [u8; 4], width: f32) -> Self {
        Self { ends, color, width }
    }

    /// Returns a point.
    pub fn point(at: DVec3, color: [u8; 4], width: f32) -> Self {
        Self { ends: [at; 2], color, width }
    }

    /// Adds the edges of a box, each as this many dashes; 1 draws whole edges.
    pub fn add_box(out: &mut Vec<Self>, bounds: SceneBox, color: [u8; 4], dashes: usize) {
        let corners = bounds.corners();
        for (i, bit) in (0..8).flat_map(|i| [1, 2, 4].map(|bit| (i, bit))) {
            if i & bit != 0 {
                continue;
            }
            let (from, to) = (corners[i], corners[i | bit]);
            // A flat box has no edges along one axis; as strokes, they would be points.
            if from == to {
                continue;
            }
            // Dashes and gaps have the same length; an edge begins and ends with a dash.
            let parts = (2 * dashes - 1) as f64;
            out.extend((0..dashes).map(|dash| {
                let at = |part: usize| from.lerp(to, part as f64 / parts);
                Self::line([at(2 * dash), at(2 * dash + 1)], color, 1.0)
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(max: DVec3) -> SceneBox {
        SceneBox { min: DVec3::ZERO, max }
    }

    #[test]
    fn the_edges_of_a_box_reach_its_corners() {
        let mut strokes = Vec::new();
        Stroke::add_box(&mut strokes, of(DVec3::new(1.0, 2.0, 3.0)), [1; 4], 1);
        assert_eq!(strokes.len(), 12);
        let long = strokes.iter().filter(|stroke| stroke.ends[0].distance(stroke.ends[1]) == 3.0);
        assert_eq!(long.count(), 4);
        strokes.clear();
        Stroke::add_box(&mut strokes, of(DVec3::new(1.0, 2.0, 0.0)), [1; 4], 1);
        assert_eq!(strokes.len(), 8, "a flat box has no points");
        strokes.clear();
        Stroke::add_box(&mut strokes, of(DVec3::splat(5.0)), [1; 4], 3);
        assert_eq!(strokes.len(), 36);
        assert_eq!(strokes[0].ends, [DVec3::ZERO, DVec3::X]);
        assert_eq!(strokes[2].ends[1], DVec3::new(5.0, 0.0, 0.0));
    }
}
