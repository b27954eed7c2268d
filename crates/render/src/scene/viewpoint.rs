//! Group 0 of the shaders: the numbers of a viewpoint, and what all viewpoints of a frame share.

use glam::{DVec3, Vec2};

use super::bind_layouts::BindLayouts;
use super::canvas::{Attachment, DEPTH_FORMAT, attachment};
use super::uniforms::{FrameUniform, LightsUniform};
use crate::Gpu;
use crate::upload::environment::EnvironmentTexture;
use rigview_look::{EnvironmentSource, View};
use rigview_model::Projection;

/// Format of the ambient occlusion: openness, the distance of the surface that it belongs to, and the share of the key
/// light that reaches it.
pub const OPENNESS_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;

/// What all viewpoints bind: lights, environment with its sampler, and placeholders.
pub struct FrameBindings {
    /// The numbers of the camera's viewpoint.
    pub camera: wgpu::Buffer,
    lights: wgpu::Buffer,
    environment: EnvironmentTexture,
    no_shadow: wgpu::TextureView,
    no_openness: wgpu::TextureView,
    smooth: wgpu::Sampler,
}

impl FrameBindings {
    /// Uploads an environment.
    pub fn new(gpu: &Gpu, source: &EnvironmentSource) -> Self {
        let smooth = gpu.smooth_sampler("environment", wgpu::MipmapFilterMode::Linear);
        let read = wgpu::TextureUsages::TEXTURE_BINDING;
        let placeholder = |label, format, usage| {
            attachment(gpu, &Attachment { label, size: [1, 1], format, samples: 1, usage })
        };
        let drawn = read | wgpu::TextureUsages::RENDER_ATTACHMENT;
        Self {
            camera: gpu.uniform_buffer("camera", size_of::<FrameUniform>() as u64),
            lights: gpu.uniform_buffer("lights", size_of::<LightsUniform>() as u64),
            environment: EnvironmentTexture::new(gpu, source),
            no_shadow: placeholder("placeholder shadow map", DEPTH_FORMAT, drawn),
            no_openness: placeholder("placeholder ambient occlusion", OPENNESS_FORMAT, read),
            smooth,
        }
    }

    /// Replaces the environment if `source` is another one.
    pub fn show(&mut self, gpu: &Gpu, source: &EnvironmentSource) {
        if !self.environment.shows(source) {
            self.environment = EnvironmentTexture::new(gpu, source);
        }
    }

    /// Uploads the lights.
    pub fn write_lights(&self, gpu: &Gpu, lights: &LightsUniform) {
        gpu.queue.write_buffer(&self.lights, 0, bytemuck::bytes_of(lights));
    }
}

/// The textures of other passes that a viewpoint reads; `None` binds a placeholder.
#[derive(Clone, Copy, Default)]
pub struct LightMaps<'a> {
    pub shadow: Option<&'a wgpu::TextureView>,
    /// The ambient occlusion.
    pub openness: Option<&'a wgpu::TextureView>,
}

/// The group 0 of a viewpoint.
pub struct Viewpoint {
    label: &'static str,
    numbers: wgpu::Buffer,
    bound: Option<Bound>,
}

/// A bind group and the textures that it binds.
struct Bound {
    views: [wgpu::TextureView; 3],
    group: wgpu::BindGroup,
}

impl Viewpoint {
    /// Returns a viewpoint with numbers of its own.
    pub fn new(gpu: &Gpu, label: &'static str) -> Self {
        let numbers = gpu.uniform_buffer(label, size_of::<FrameUniform>() as u64);
        Self { label, numbers, bound: None }
    }

    /// Returns a viewpoint with the camera's numbers.
    pub fn of_camera(bindings: &FrameBindings, label: &'static str) -> Self {
        Self { label, numbers: bindings.camera.clone(), bound: None }
    }

    /// Uploads the numbers.
    pub fn write(&self, gpu: &Gpu, numbers: &FrameUniform) {
        gpu.queue.write_buffer(&self.numbers, 0, bytemuck::bytes_of(numbers));
    }

    /// Returns the bind group, which is replaced if a texture is another one.
    pub fn bind(
        &mut self,
        gpu: &Gpu,
        layouts: &BindLayouts,
        bindings: &FrameBindings,
        maps: LightMaps<'_>,
    ) -> &wgpu::BindGroup {
        let shadow = maps.shadow.unwrap_or(&bindings.no_shadow);
        let openness = maps.openness.unwrap_or(&bindings.no_openness);
        let views = [&bindings.environment.view, shadow, openness];
        self.bound.take_if(|bound| bound.views.each_ref() != views);
        let Self { label, numbers, bound } = self;
        let make = || Bound {
            views: views.map(Clone::clone),
            group: gpu.bind(
                label,
                &layouts.frame,
                &[
                    numbers.as_entire_binding(),
                    bindings.lights.as_entire_binding(),
                    wgpu::BindingResource::TextureView(views[0]),
                    wgpu::BindingResource::Sampler(&bindings.smooth),
                    wgpu::BindingResource::TextureView(views[1]),
                    wgpu::BindingResource::TextureView(views[2]),
                ],
            ),
        };
        &bound.get_or_insert_with(make).group
    }

    /// Returns the bind group; `None` before [`Viewpoint::bind`].
    pub fn group(&self) -> Option<&wgpu::BindGroup> {
        self.bound.as_ref().map(|bound| &bound.group)
    }
}

/// Returns a frame uniform with the camera's fields filled in and all others zero. `size` is the
/// picture's in pixels; `points` is the number of pixels per point of the overlays.
pub fn camera_uniform(view: &View, origin: DVec3, size: [u32; 2], points: f32) -> FrameUniform {
    let aspect = f64::from(size[0]) / f64::from(size[1]);
    let projection = view.projection_matrix(aspect) * view.camera_from_world(origin);
    let eye = (view.world_from_camera.translation - origin).as_vec3();
    let axes = view.world_from_camera.matrix3.as_mat3();
    let (near, far) = view.depth_range();
    // An orthographic camera would show a single direction of the environment, so the backdrop is
    // drawn in perspective.
    let (perspective, half_height, seen) = match view.projection {
        Projection::Perspective { fov_y, .. } => {
            let slope = (0.5 * fov_y).tan();
            (true, slope, slope)
        }
        Projection::Orthographic { half_height, .. } => {
            (false, 20f32.to_radians().tan(), half_height)
        }
    };
    FrameUniform {
        projection_from_world: projection.as_mat4().to_cols_array_2d(),
        eye,
        perspective: f32::from(u8::from(perspective)),
        backward: axes.z_axis,
        pixels_per_point: points,
        right: half_height * aspect as f32 * axes.x_axis,
        near,
        up: half_height * axes.y_axis,
        far,
        picture_size: Vec2::new(size[0] as f32, size[1] as f32),
        half_view: Vec2::new(seen * aspect as f32, seen),
        view_shift: view.shift.as_vec2(),
        ..bytemuck::Zeroable::zeroed()
    }
}
