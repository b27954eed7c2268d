//! The place that a pick is asked about, and its answer: the numbers are read back when the GPU is done, and one of the
//! pixels around the place is chosen.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use glam::DVec2;

use super::target::{SIDE, TEXEL};
use crate::scene::plan::Plan;
use crate::{Frame, Gpu, GpuError};
use rigview_look::View;
use rigview_model::{DrawnPrimitive, Topology, Touched};

/// Bytes from one row of the buffer to the next.
const ROW: usize = wgpu::COPY_BYTES_PER_ROW_ALIGNMENT as usize;

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

/// A pick that the GPU may still be working on.
pub struct Pick {
    buffer: wgpu::Buffer,
    mapped: Receiver<Result<(), wgpu::BufferAsyncError>>,
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

impl Pick {
    /// Copies the numbers of a pick that was drawn for a frame, submits its commands, and begins to map the copy.
    pub(super) fn submit(
        gpu: &Gpu,
        mut encoder: wgpu::CommandEncoder,
        texture: &wgpu::Texture,
        frame: &Frame<'_>,
        plan: Arc<Plan>,
        place: PickPlace,
    ) -> Self {
        let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
        let buffer = gpu.buffer("pick", u64::from(SIDE) * ROW as u64, usage);
        encoder.copy_texture_to_buffer(
            texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &buffer,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(ROW as u32),
                    rows_per_image: None,
                },
            },
            texture.size(),
        );
        gpu.queue.submit([encoder.finish()]);
        let (send, mapped) = channel();
        buffer.map_async(wgpu::MapMode::Read, .., move |result| {
            // The pick may have been dropped, and nobody waits for the answer then.
            let _ = send.send(result);
        });
        Self {
            buffer,
            mapped,
            plan,
            visible: frame.stage.visible.clone(),
            view: *frame.view,
            place,
        }
    }

    /// Returns the answer once it is there: what the picture shows, if anything. `None` means that the GPU is
    /// still working. Never waits. After the answer, the pick is to be dropped.
    ///
    /// # Errors
    /// If the device failed.
    pub fn poll(&self, gpu: &Gpu) -> Option<Result<Option<Touched>, GpuError>> {
        if let Err(error) = gpu.device.poll(wgpu::PollType::Poll) {
            return Some(Err(GpuError::Device(error.to_string())));
        }
        self.answer()
    }

    /// Waits for the answer.
    ///
    /// # Errors
    /// If the device fails.
    pub fn wait(self, gpu: &Gpu) -> Result<Option<Touched>, GpuError> {
        gpu.wait();
        gpu.check()?;
        self.answer().unwrap_or_else(|| Err(GpuError::Device("a pick has no answer".into())))
    }

    fn answer(&self) -> Option<Result<Option<Touched>, GpuError>> {
        let failed = |e: &dyn std::fmt::Display| Some(Err(GpuError::Device(e.to_string())));
        match self.mapped.try_recv() {
            Err(TryRecvError::Empty) => return None,
            Err(error) => return failed(&error),
            Ok(Err(error)) => return failed(&error),
            Ok(Ok(())) => {}
        }
        match self.buffer.get_mapped_range(..) {
            Ok(bytes) => {
                let numbers = self.numbers(&bytes);
                Some(Ok(chosen(&self.plan, self.place, numbers).and_then(|n| self.touched(n))))
            }
            Err(error) => failed(&error),
        }
    }

    /// Returns the numbers of all pixels that show something, row by row.
    fn numbers<'a>(&'a self, bytes: &'a [u8]) -> impl Iterator<Item = PickedPixel> + 'a {
        let (side, corner) = (SIDE as usize, self.place.corner());
        let texels = (0..side * side).map(move |i| {
            let (x, y) = (i % side, i / side);
            let at = y * ROW + x * TEXEL;
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
    fn touched(&self, found: PickedPixel) -> Option<Touched> {
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
