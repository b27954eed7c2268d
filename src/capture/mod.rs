//! Pictures without a window: a session like the window's, drawn on a texture and read back.

mod curve;
mod file;
mod picture;
mod plot;

use glam::DVec2;

use crate::import::Loaded;
use crate::model::Model;
use crate::render::{Frame, Gpu, GpuError, GpuModel, Renderer, Target, read_texture};
use crate::viewer::{Action, Effect, FileSource, SessionOptions, Viewer};

pub use curve::curve_plot;
pub use file::write_whole;
pub use picture::{Picture, write_png};
pub use plot::{Plot, PlotError};

/// A session that shows a file which is already read.
pub fn session(source: FileSource, loaded: Loaded, options: SessionOptions) -> Viewer {
    let mut viewer = Viewer::new(options);
    for effect in viewer.apply(Action::Open(source)) {
        if let Effect::Load(request) = effect {
            viewer.apply(Action::Loaded { id: request.id, result: Box::new(Ok(loaded)) });
            break;
        }
    }
    viewer
}

/// What a session shows, `size` pixels large.
///
/// # Errors
/// When the GPU fails, or the picture is larger than it can draw.
pub fn picture(gpu: &Gpu, viewer: &mut Viewer, size: [u32; 2]) -> Result<Picture, GpuError> {
    let limit = gpu.device.limits().max_texture_dimension_2d;
    let [width, height] = size;
    if width.max(height) > limit {
        let text = format!("{width}x{height} is larger than the adapter draws: at most {limit}");
        return Err(GpuError::Device(text));
    }
    let aspect = DVec2::new(f64::from(width), f64::from(height));
    viewer.apply(Action::SetAspect(aspect.x / aspect.y));
    viewer.pose();
    let view = viewer.view();
    let format = Picture::target_format(viewer.look().pass);
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("picture"),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    });
    let (Some(document), Some(stage)) = (viewer.document(), viewer.stage()) else {
        return Err(GpuError::Device("there is nothing to draw".into()));
    };
    let model: &Model = &document.model;
    let gpu_model = GpuModel::new(gpu, model);
    let bounds = viewer.sight().bounds();
    let look = viewer.look();
    let frame = Frame { model, gpu_model: &gpu_model, stage, view: &view, look, bounds };
    let target_view = texture.create_view(&Default::default());
    let target = Target { view: &target_view, format, rect: [0, 0, width, height] };
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    Renderer::new(gpu).draw(gpu, &mut encoder, &frame, &target);
    gpu.queue.submit([encoder.finish()]);
    Ok(Picture::new(size, viewer.look().pass, read_texture(gpu, &texture)?))
}
