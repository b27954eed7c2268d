//! Pictures without a window: a session like the window's, drawn on a texture and read back.

mod crowd;
mod curve;
mod file;
mod picture;
mod plot;
mod stale;
mod still;
mod unfinished;

use glam::DVec2;

use crate::import::Loaded;
use crate::look::Pass;
use crate::model::{Image, Model, Pixels};
use crate::render::{Frame, Gpu, GpuError, GpuModel, Renderer};
use crate::viewer::{Action, Effect, FileSource, SessionOptions, Viewer};

pub use crowd::{Crowd, CrowdError};
pub use curve::curve_plot;
pub use file::{CompleteFile, write_whole};
pub use picture::{Picture, write_png};
pub use plot::{Plot, PlotError};
pub use still::still;
pub use unfinished::remove_unfinished;

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

/// Takes a model's pictures, before a session has it; their headers stay.
pub fn take_pictures(model: &mut Model) -> Vec<Image> {
    let header = |image: &Image| Image {
        name: image.name.clone(),
        mime: image.mime.clone(),
        pixels: Pixels::Header,
        ..*image
    };
    model.images.iter_mut().map(|image| std::mem::replace(image, header(image))).collect()
}

/// What a session shows, `size` pixels large.
///
/// # Errors
/// When the GPU fails, or the picture is larger than it can draw.
pub fn picture(gpu: &Gpu, viewer: &mut Viewer, size: [u32; 2]) -> Result<Picture, GpuError> {
    let gpu_model = viewer.document().map(|document| GpuModel::new(gpu, &document.model));
    draw(gpu, viewer, gpu_model.as_ref(), size)
}

/// The same of a session whose model's pictures are apart: each is let go of when it is uploaded.
///
/// # Errors
/// As [`picture`].
pub fn picture_taking(
    gpu: &Gpu,
    viewer: &mut Viewer,
    pictures: Vec<Image>,
    size: [u32; 2],
) -> Result<Picture, GpuError> {
    let document = viewer.document();
    let gpu_model = document.map(|document| GpuModel::taking(gpu, &document.model, pictures));
    draw(gpu, viewer, gpu_model.as_ref(), size)
}

fn draw(
    gpu: &Gpu,
    viewer: &mut Viewer,
    gpu_model: Option<&GpuModel>,
    size: [u32; 2],
) -> Result<Picture, GpuError> {
    let aspect = DVec2::new(f64::from(size[0]), f64::from(size[1]));
    viewer.apply(Action::SetAspect(aspect.x / aspect.y));
    viewer.pose();
    let view = viewer.view();
    let shown = viewer.document().zip(viewer.stage()).zip(gpu_model);
    let Some(((document, stage), gpu_model)) = shown else {
        return Err(GpuError::NothingToDraw("no model is open"));
    };
    let model: &Model = &document.model;
    let bounds = viewer.sight().bounds();
    let look = viewer.look();
    if !look.takes_overlays() && (look.skeleton || look.joint_names || look.axes || look.bounds) {
        log::warn!("a picture of {} is data: drawn without overlays", look.pass.name());
    }
    let frame = Frame { model, gpu_model, stage, others: &[], view: &view, look, bounds };
    let picture = still(gpu, &mut Renderer::new(gpu), &frame, size)?;
    gpu.keep_pipelines();
    Ok(picture)
}

/// A texture that a pass is drawn on to be read back.
fn texture(gpu: &Gpu, [width, height]: [u32; 2], pass: Pass) -> Result<wgpu::Texture, GpuError> {
    gpu.require(pass)?;
    check_size(gpu, [width, height])?;
    Ok(gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("picture"),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: Picture::target_format(pass),
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    }))
}

fn check_size(gpu: &Gpu, [width, height]: [u32; 2]) -> Result<(), GpuError> {
    let limit = gpu.device.limits().max_texture_dimension_2d;
    if width.max(height) > limit {
        let text =
            format!("--size: the adapter draws at most {limit}x{limit}, not {width}x{height}");
        return Err(GpuError::TooMuch(text));
    }
    Ok(())
}
