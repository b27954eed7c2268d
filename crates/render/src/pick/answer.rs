//! The place that a pick is asked about, and its answer: the numbers are read back when the GPU is done, and one of the
//! pixels around the place is chosen.

use std::sync::Arc;

use glam::DVec2;

use super::target::{SIDE, TEXEL};
use crate::Frame;
use crate::scene::plan::Plan;
use rigview_look::View;
use rigview_model::{DrawnPrimitive, Topology, Touched};

/// A point or line is found beside a surface unless it is this much farther away than the surface.
const BEHIND: f32 = 1.01;

/// A place of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PickPlace {
    /// The pixel: right and down from the picture's top left corner.
    pub pixel: [u32; 2],
    /// Width and height of the picture in pixels.
    pub size: [u32; 2],
    /// Distance in pixels within which points and lines are found, at most 7.
    pub reach: u32,
}

impl PickPlace {
    /// Returns the pixel at a position that is given in picture heights from the picture's centre, Y down; `None`
    /// if it is outside of the picture.
    pub fn pixel_at(at: DVec2, [width, height]: [u32; 2]) -> Option<[u32; 2]> {
        let place = at * f64::from(height) + 0.5 * DVec2::new(width.into(), height.into());
        let inside = |n: f64, edge: u32| (0.0..f64::from(edge)).contains(&n).then_some(n as u32);
        Some([inside(place.x, width)?, inside(place.y, height)?])
    }

    /// The top left pixel of those that are drawn around the place.
    pub(super) fn corner(self) -> [u32; 2] {
        self.pixel.map(|at| at.saturating_sub(SIDE / 2))
    }

    /// Returns the centre of a pixel in picture heights from the picture's centre, Y down.
    fn center_of([x, y]: [u32; 2], [width, height]: [u32; 2]) -> DVec2 {
        let place = DVec2::new(x.into(), y.into()) + 0.5;
        (place - 0.5 * DVec2::new(width.into(), height.into())) / f64::from(height)
    }
}

/// What the numbers of a pick mean.
pub(super) struct PickMeaning {
    plan: Arc<Plan>,
    /// The nodes that were visible.
    visible: Vec<bool>,
    /// The camera of the picture.
    view: View,
    place: PickPlace,
}

/// The numbers of a pixel.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PickedPixel {
    pixel: [u32; 2],
    /// Index of the draw.
    draw: usize,
    /// Number of the instance among those that were drawn.
    instance: usize,
    ahead: f32,
}

impl PickMeaning {
    /// Returns the meaning of the numbers that a frame's draws have at a place.
    pub fn new(frame: &Frame<'_>, plan: Arc<Plan>, place: PickPlace) -> Self {
        Self { plan, visible: frame.stage.visible.clone(), view: *frame.view, place }
    }

    /// Returns what the picture shows, if anything, by the numbers that were read back.
    pub fn touched(&self, texels: &[u8]) -> Option<Touched> {
        self.touched_by(chosen(&self.plan, self.place, self.numbers(texels))?)
    }

    /// Returns the numbers of all pixels that show something, row by row.
    fn numbers<'a>(&'a self, bytes: &'a [u8]) -> impl Iterator<Item = PickedPixel> + 'a {
        let (side, corner) = (SIDE as usize, self.place.corner());
        let texels = (0..side * side).map(move |i| {
            let (x, y) = (i % side, i / side);
            let at = (y * side + x) * TEXEL;
            let word = |k: usize| {
                let bytes = &bytes[at + 4 * k..at + 4 * k + 4];
                u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
            };
            let pixel = [corner[0] + x as u32, corner[1] + y as u32];
            (pixel, [word(0), word(1), word(2)])
        });
        let inside =
            |pixel: [u32; 2]| pixel[0] < self.place.size[0] && pixel[1] < self.place.size[1];
        texels.filter_map(move |(pixel, [draw, instance, ahead])| {
            let draw = draw.checked_sub(1)? as usize;
            let known = inside(pixel) && draw < self.plan.draws.len();
            let (instance, ahead) = (instance as usize, f32::from_bits(ahead));
            known.then_some(PickedPixel { pixel, draw, instance, ahead })
        })
    }

    /// Returns what a pixel shows. The matrices of hidden nodes were left out when instances were
    /// numbered.
    fn touched_by(&self, found: PickedPixel) -> Option<Touched> {
        let PickedPixel { pixel, draw, instance, ahead } = found;
        let draw = &self.plan.draws[draw];
        let (node, instance) = if draw.sets > 0 {
            (draw.node, None)
        } else {
            let placed = &self.plan.instances[draw.instances.clone()];
            let mut shown = placed.iter().filter(|placed| self.visible[placed.node]);
            let placed = shown.nth(instance)?;
            (placed.node, placed.instance)
        };
        let drawn = DrawnPrimitive { node, primitive: draw.primitive };
        let at = PickPlace::center_of(pixel, self.place.size);
        let (ray, distance) = (self.view.ray(at), self.view.distance_along(at, ahead.into()));
        Some(Touched { drawn, instance, ray, distance })
    }
}

/// Chooses a pixel: that of the place, or the nearest point or line within reach, unless that is behind the
/// surface at the place.
fn chosen(
    plan: &Plan,
    place: PickPlace,
    numbers: impl Iterator<Item = PickedPixel>,
) -> Option<PickedPixel> {
    let off = |n: &PickedPixel| {
        let [x, y] = [0, 1].map(|axis| n.pixel[axis].abs_diff(place.pixel[axis]));
        x * x + y * y
    };
    let is_thin = |n: &PickedPixel| plan.draws[n.draw].topology != Topology::Triangles;
    let near: Vec<PickedPixel> = numbers.filter(|n| off(n) <= place.reach * place.reach).collect();
    let here = near.iter().find(|n| off(n) == 0);
    let thin = near.iter().filter(|n| is_thin(n)).min_by_key(|n| off(n));
    let seen = thin.filter(|thin| here.is_none_or(|here| thin.ahead <= BEHIND * here.ahead));
    seen.or(here).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::plan::{Draw, Phase};

    fn draw(topology: Topology) -> Draw {
        Draw {
            mesh: 0,
            primitive: 0,
            material: None,
            topology,
            sets: 0,
            phase: Phase::Opaque,
            blended: false,
            double_sided: false,
            masked: false,
            parts: 0..0,
            morph: None,
            instances: 0..0,
            node: 0,
        }
    }

    #[test]
    fn a_line_beside_the_place_is_found_unless_it_is_behind_the_surface_there() {
        let draws = vec![draw(Topology::Triangles), draw(Topology::Lines)];
        let plan = Plan { draws, ..Plan::default() };
        let place = PickPlace { pixel: [50, 50], size: [100, 100], reach: 3 };
        let at = |x, draw, ahead| PickedPixel { pixel: [x, 50], draw, instance: 0, ahead };
        let found = |list: &[PickedPixel]| chosen(&plan, place, list.iter().copied());
        let (surface, line) = (at(50, 0, 2.0), at(52, 1, 2.0));
        assert_eq!(found(&[surface]), Some(surface));
        assert_eq!(found(&[surface, line]), Some(line));
        assert_eq!(found(&[surface, at(52, 1, 3.0)]), Some(surface));
        assert_eq!(found(&[at(54, 1, 2.0)]), None, "out of reach");
        assert_eq!(found(&[at(51, 0, 2.0)]), None, "a surface counts only at the place itself");
        assert_eq!(found(&[at(47, 1, 9.0), at(52, 1, 9.0)]), Some(at(52, 1, 9.0)));
    }

    #[test]
    fn the_centre_of_a_pixel_is_in_it_and_outside_there_is_none() {
        let size = [31, 20];
        for pixel in [[0, 0], [30, 19], [12, 3]] {
            assert_eq!(PickPlace::pixel_at(PickPlace::center_of(pixel, size), size), Some(pixel));
        }
        assert_eq!(PickPlace::pixel_at(DVec2::new(0.0, 0.5), size), None);
        assert_eq!(PickPlace::pixel_at(DVec2::new(f64::NAN, 0.0), size), None);
    }
}
