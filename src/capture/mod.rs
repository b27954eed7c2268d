//! Renders pictures without a window: draws a session to a texture and reads it back.
//!
//! ```no_run
//! use rigview::capture::{picture, session, write_png};
//! use rigview::import::{ImportOptions, load};
//! use rigview::render::{AdapterChoice, Gpu};
//! use rigview::session::{FileSource, SessionOptions};
//!
//! let gpu = Gpu::headless(&AdapterChoice::default())?;
//! let loaded = load("fox.glb".as_ref(), &ImportOptions::default())?;
//! let options = SessionOptions { time_secs: Some(0.5), ..SessionOptions::default() };
//! let mut session = session(FileSource::Path("fox.glb".into()), loaded, options);
//! let picture = picture(&gpu, &mut session, [512, 512])?;
//! write_png(&picture, std::fs::File::create("fox.png")?)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod crowd;
#[cfg(feature = "plot")]
mod curve;
mod file;
mod heat;
mod picture;
#[cfg(feature = "plot")]
mod plot;
mod series;
mod stale;
mod still;
mod unfinished;

use glam::DVec2;

use crate::import::Loaded;
use crate::look::Pass;
use crate::model::{Image, Model, Pixels};
use crate::render::{Frame, Gpu, GpuError, GpuModel, Renderer};
use crate::session::{Effect, FileSource, LoadAction, Session, SessionOptions, SightAction};

pub use crowd::{Crowd, CrowdError};
#[cfg(feature = "plot")]
pub use curve::curve_plot;
pub use file::{CompleteFile, write_whole};
pub use heat::heat_picture;
pub use picture::{Picture, write_png, write_png_with};
#[cfg(feature = "plot")]
pub use plot::{Plot, PlotError};
pub use series::{PictureSeries, upload};
pub use still::still;
#[cfg(all(test, unix, feature = "cli"))]
pub(crate) use unfinished::Unfinished;
pub use unfinished::remove_unfinished;

/// Returns a session that shows a file which has been read. Nothing is uploaded yet: see [`picture`].
pub fn session(source: FileSource, loaded: Loaded, options: SessionOptions) -> Session {
    let mut session = Session::new(options);
    let mut loaded = Some(loaded);
    let mut effects = session.apply(LoadAction::Open(source));
    while let Some(effect) = effects.pop() {
        match effect {
            Effect::Load(request) => {
                let Some(loaded) = loaded.take() else { continue };
                let (id, result) = (request.id, Box::new(Ok(loaded)));
                effects.extend(session.apply(LoadAction::Loaded { id, result }));
            }
            Effect::Upload { id, loaded } => {
                effects.extend(session.apply(LoadAction::Uploaded { id, loaded }));
            }
            _ => {}
        }
    }
    session
}

/// Moves the images out of a model before a session takes it; only their headers stay.
pub fn take_pictures(model: &mut Model) -> Vec<Image> {
    let header = |image: &Image| Image {
        name: image.name.clone(),
        mime: image.mime.clone(),
        pixels: Pixels::Header,
        ..*image
    };
    model.images.iter_mut().map(|image| std::mem::replace(image, header(image))).collect()
}

/// Renders what a session shows, at `size` pixels.
///
/// # Errors
/// If the GPU fails, or the picture is larger than it can draw.
pub fn picture(gpu: &Gpu, session: &mut Session, size: [u32; 2]) -> Result<Picture, GpuError> {
    let gpu_model =
        session.exhibit().document().map(|document| GpuModel::new(gpu, &document.model));
    draw(gpu, session, gpu_model.as_ref(), size)
}

/// Like [`picture`], for a session whose model's images were taken out by [`take_pictures`]. Each image
/// is freed after its upload.
///
/// # Errors
/// As [`picture`].
pub fn picture_taking(
    gpu: &Gpu,
    session: &mut Session,
    pictures: Vec<Image>,
    size: [u32; 2],
) -> Result<Picture, GpuError> {
    let document = session.exhibit().document();
    let gpu_model = document.map(|document| GpuModel::taking(gpu, &document.model, pictures));
    draw(gpu, session, gpu_model.as_ref(), size)
}

fn draw(
    gpu: &Gpu,
    session: &mut Session,
    gpu_model: Option<&GpuModel>,
    size: [u32; 2],
) -> Result<Picture, GpuError> {
    let aspect = DVec2::new(f64::from(size[0]), f64::from(size[1]));
    session.apply(SightAction::SetAspect(aspect.x / aspect.y));
    session.pose();
    let view = session.view();
    let shown = session.exhibit().document().zip(session.exhibit().stage()).zip(gpu_model);
    let Some(((document, stage), gpu_model)) = shown else {
        return Err(GpuError::NothingToDraw("no model is open"));
    };
    let model: &Model = &document.model;
    let bounds = session.sight().bounds();
    let look = session.look();
    if !look.takes_overlays() && (look.skeleton || look.joint_names || look.axes || look.bounds) {
        log::warn!(
            "pass {} is drawn without overlays, because its pixels are data",
            look.pass.name()
        );
    }
    let frame = Frame { model, gpu_model, stage, others: &[], view: &view, look, bounds };
    let picture = still(gpu, &mut Renderer::new(gpu), &frame, size)?;
    gpu.keep_pipelines();
    Ok(picture)
}

/// Creates the texture that a pass is rendered to.
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
            format!("--size: {width}x{height} exceeds the adapter's limit of {limit}x{limit}");
        return Err(GpuError::TooMuch(text));
    }
    Ok(())
}
