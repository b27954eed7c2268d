//! A crowd: many copies of one model, each at its own time in the clip, on a grid that is entirely in
//! view. It is drawn repeatedly to the same texture by the renderer of all pictures; the caller sets the
//! times and measures the frames.

use glam::{DVec3, dvec3};

use super::Picture;
use super::picture::picture_texture;
use rigview_anim::Clip;
use rigview_look::{Look, View};
use rigview_model::{Model, Projection, SceneBox, Stage, clip_hull};
use rigview_render::{
    DrawStats, Frame, Gpu, GpuError, GpuModel, PassTime, Renderer, Target, read_texture,
};

/// The camera's elevation in degrees.
const ELEVATION: f64 = 30.0;
/// Distance between neighbours, as a multiple of the model's size.
const APART: f64 = 1.15;
/// Fraction of the picture that the crowd fills.
const FILLED: f64 = 0.96;
/// The least height of a copy in pixels.
const LEAST_HEIGHT: f64 = 20.0;

/// Why a crowd can't be drawn.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CrowdError {
    /// The copies would be too small to see.
    #[error(
        "at {width}x{high}, {count} copies would be {height:.0} pixels high each, and 20 are the least; \
         ask for fewer or for a larger --size",
        width = size[0], high = size[1]
    )]
    TooMany {
        /// Requested number of copies.
        count: usize,
        /// Height of a copy in pixels.
        height: f64,
        /// Size of the picture in pixels.
        size: [u32; 2],
    },
    /// The GPU failed, or the picture is larger than it can draw.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

/// The places of the copies, and the view of them.
#[derive(Clone, Debug, PartialEq)]
struct Grid {
    places: Vec<DVec3>,
    view: View,
    /// The bounding box of all copies.
    bounds: SceneBox,
    /// Height of a copy in pixels.
    height: f64,
}

/// Many copies of a model, and the resources to draw them.
pub struct Crowd<'a> {
    model: &'a Model,
    clip: Option<&'a Clip>,
    gpu_model: GpuModel,
    stages: Vec<Stage>,
    /// The time of each copy in the clip, in seconds.
    pub times_secs: Vec<f64>,
    grid: Grid,
    look: Look,
    size: [u32; 2],
    texture: wgpu::Texture,
    renderer: Renderer,
}

impl<'a> Crowd<'a> {
    /// Creates `count` copies, all at the start of the clip, or at rest without one.
    ///
    /// # Errors
    /// If the copies would be too small to see, or the adapter can't draw so large a picture.
    pub fn new(
        gpu: &Gpu,
        model: &'a Model,
        clip: Option<&'a Clip>,
        count: usize,
        size: [u32; 2],
    ) -> Result<Self, CrowdError> {
        let look = Look::default();
        let texture = picture_texture(gpu, size, look.pass)?;
        let mut stage = Stage::new(model, model.default_scene);
        let hull = clip_hull(model, &mut stage, clip, None);
        let mut bounds = SceneBox { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };
        for point in hull {
            let point = point.as_dvec3() + stage.origin;
            bounds = bounds.union(SceneBox { min: point, max: point });
        }
        if bounds.min.cmpgt(bounds.max).any() {
            bounds = SceneBox { min: DVec3::ZERO, max: DVec3::ZERO };
        }
        let grid = Grid::new(bounds, count.max(1), size);
        if grid.height < LEAST_HEIGHT {
            return Err(CrowdError::TooMany { count, height: grid.height, size });
        }
        let stages: Vec<Stage> = grid.places.iter().map(|place| stage.placed(*place)).collect();
        Ok(Self {
            model,
            clip,
            gpu_model: GpuModel::new(gpu, model),
            times_secs: vec![0.0; stages.len()],
            stages,
            grid,
            look,
            size,
            texture,
            renderer: Renderer::new(gpu),
        })
    }

    /// Poses everyone, records a frame and submits it. Does not wait for the GPU.
    ///
    /// # Errors
    /// As [`Renderer::draw`].
    pub fn draw(&mut self, gpu: &Gpu) -> Result<(), GpuError> {
        for (stage, time) in self.stages.iter_mut().zip(&self.times_secs) {
            stage.pose(self.model, self.clip, *time);
        }
        let Some((stage, others)) = self.stages.split_first() else { return Ok(()) };
        let target_view = self.texture.create_view(&Default::default());
        let [width, height] = self.size;
        let frame = Frame {
            model: self.model,
            gpu_model: &self.gpu_model,
            stage,
            others,
            ghosts: &[],
            view: &self.grid.view,
            look: &self.look,
            bounds: self.grid.bounds,
            metered: None,
        };
        let format = self.texture.format();
        let target = Target { view: &target_view, format, rect: [0, 0, width, height], part: None };
        let label = Some("crowd");
        let mut encoder =
            gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label });
        self.renderer.draw(gpu, &mut encoder, &frame, &target)?;
        gpu.queue.submit([encoder.finish()]);
        Ok(())
    }

    /// Enables per-pass GPU timing from the next frame on, if the adapter supports it.
    pub fn time_passes(&mut self, gpu: &Gpu) {
        self.renderer.time_passes(gpu, true);
    }

    /// Returns the GPU time per pass of the latest finished frame; empty if it is not measured.
    pub fn pass_times(&mut self, gpu: &Gpu) -> &[PassTime] {
        self.renderer.pass_times(gpu)
    }

    /// Returns the draw calls and triangles of the last frame.
    pub fn drawn(&self) -> DrawStats {
        self.renderer.stats()
    }

    /// Reads back the last frame's picture.
    ///
    /// # Errors
    /// If the GPU fails.
    pub fn picture(&self, gpu: &Gpu) -> Result<Picture, GpuError> {
        Ok(Picture::new(self.size, self.look.pass, read_texture(gpu, &self.texture)?))
    }
}

impl Grid {
    /// Arranges `count` boxes in rows, seen from the front and above in an orthographic view, so that all
    /// have the same size. The number of columns is chosen to make them as large as possible.
    fn new(one_box: SceneBox, count: usize, [width, height]: [u32; 2]) -> Self {
        // A model without size gets a small one.
        let size = one_box.size();
        let extent = size.max(DVec3::splat(1e-3 * size.max_element()));
        let extent = if extent.max_element() > 0.0 { extent } else { DVec3::ONE };
        let (sin, cos) = ELEVATION.to_radians().sin_cos();
        let step = APART * extent;
        let one = extent.y * cos + extent.z * sin;
        // Size of the whole grid in the picture's plane.
        let whole = |columns: usize| {
            let rows = count.div_ceil(columns);
            let across = (columns - 1) as f64 * step.x + extent.x;
            (across, (rows - 1) as f64 * step.z * sin + one)
        };
        let scale = |columns: usize| {
            let (across, up) = whole(columns);
            FILLED * (f64::from(width) / across).min(f64::from(height) / up)
        };
        let columns = (1..=count).max_by(|a, b| scale(*a).total_cmp(&scale(*b))).unwrap_or(1);
        let rows = count.div_ceil(columns);
        let middle = 0.5 * dvec3((columns - 1) as f64 * step.x, 0.0, (rows - 1) as f64 * step.z);
        let place = |i: usize| {
            let at = dvec3((i % columns) as f64 * step.x, 0.0, (i / columns) as f64 * step.z);
            at - middle
        };
        let bounds = one_box.grown(middle);
        let center = one_box.center();
        let reach = bounds.size().length().max(extent.length());
        let half_height = 0.5 * f64::from(height) / scale(columns);
        let lens = Projection::Orthographic {
            half_width: (half_height * f64::from(width) / f64::from(height)) as f32,
            half_height: half_height as f32,
            near: (0.1 * reach) as f32,
            far: (2.1 * reach) as f32,
        };
        let eye = center + 1.1 * reach * dvec3(0.0, sin, cos);
        let view = View::look_at(eye, center, DVec3::Y, lens);
        let places = (0..count).map(place).collect();
        Self { places, view, bounds, height: one * scale(columns) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: SceneBox = SceneBox { min: dvec3(-0.4, 0.0, -0.6), max: dvec3(0.5, 1.5, 0.6) };

    #[test]
    fn every_box_of_the_grid_is_wholly_in_view() {
        for (count, size) in [(1, [64, 64]), (7, [640, 20]), (1000, [1024, 768]), (997, [300, 900])]
        {
            let grid = Grid::new(BOX, count, size);
            assert_eq!(grid.places.len(), count);
            let aspect = f64::from(size[0]) / f64::from(size[1]);
            let to_picture =
                grid.view.projection_matrix(aspect) * grid.view.camera_from_world(DVec3::ZERO);
            for place in &grid.places {
                for corner in BOX.corners() {
                    let at = to_picture.project_point3(corner + *place);
                    assert!(
                        at.x.abs() < 1.0 && at.y.abs() < 1.0 && at.z > 0.0 && at.z < 1.0,
                        "{at}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_thousand_are_more_than_twenty_pixels_high_and_a_million_are_not() {
        assert!(Grid::new(BOX, 1000, [1024, 768]).height > LEAST_HEIGHT);
        assert!(Grid::new(BOX, 1_000_000, [1024, 768]).height < LEAST_HEIGHT);
    }

    #[test]
    fn what_has_no_size_has_a_grid_too() {
        let grid = Grid::new(SceneBox { min: DVec3::ONE, max: DVec3::ONE }, 9, [64, 64]);
        assert!(grid.places.iter().all(|place| place.is_finite()));
        assert!(grid.height.is_finite());
    }
}
