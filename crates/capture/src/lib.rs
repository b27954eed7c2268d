//! Renders pictures without a window: draws a session to a texture and reads it back.
//!
//! What waits for the GPU is not there in a browser, where [`begin_still`] draws pictures.
//!
//! ```no_run
//! use rigview_capture::{picture, session, write_png};
//! use rigview_import::{ImportOptions, load};
//! use rigview_render::{AdapterChoice, Gpu};
//! use rigview_session::{FileSource, SessionOptions};
//!
//! let gpu = Gpu::headless(&AdapterChoice::default())?;
//! let loaded = load("fox.glb".as_ref(), &ImportOptions::default())?;
//! let options = SessionOptions { time_secs: Some(0.5), ..SessionOptions::default() };
//! let mut session = session(FileSource::Path("fox.glb".into()), loaded, options);
//! let picture = picture(&gpu, &mut session, [512, 512])?;
//! write_png(&picture, std::fs::File::create("fox.png")?)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod apng;
mod changed;
#[cfg(not(target_family = "wasm"))]
mod crowd;
#[cfg(not(target_family = "wasm"))]
mod crowd_speed;
#[cfg(feature = "plot")]
mod curve;
#[cfg(feature = "gif")]
mod dither;
mod file;
mod file_name;
mod film;
#[cfg(feature = "gif")]
mod film_format;
mod frame;
#[cfg(feature = "gif")]
mod gif;
#[cfg(not(target_family = "wasm"))]
mod heat;
mod legend;
#[cfg(feature = "gif")]
mod palette;
mod paper;
mod picture;
#[cfg(feature = "plot")]
mod plot;
mod ratio;
mod raw_video;
#[cfg(not(target_family = "wasm"))]
mod record;
mod schedule;
#[cfg(not(target_family = "wasm"))]
mod series;
mod sheet;
mod still;
#[cfg(feature = "plot")]
mod stroke;
mod thumbnail;

use rigview_import::Loaded;
use rigview_look::Absent;
use rigview_model::{Image, Model, Pixels};
#[cfg(not(target_family = "wasm"))]
use rigview_render::{Gpu, GpuError, GpuModel};
use rigview_session::{
    Destination, Effect, FileSource, LoadAction, LoadedFile, Session, SessionOptions,
};

#[cfg(feature = "gif")]
pub use self::gif::write_gif;
pub use apng::write_apng;
#[cfg(not(target_family = "wasm"))]
pub use crowd::{Crowd, CrowdError};
#[cfg(not(target_family = "wasm"))]
pub use crowd_speed::{CrowdSpeed, GpuSpeed, LEAST_DRAWN};
#[cfg(feature = "plot")]
pub use curve::curve_plot;
pub use file::{CompleteFile, FileId, is_same_file, is_same_folder, write_whole};
pub use file_name::{filled, shown_names, with_frame, with_model, with_names};
pub use film::Film;
#[cfg(feature = "gif")]
pub use film_format::{Contents, FilmFormat};
pub use frame::{session_frame, upload};
#[cfg(not(target_family = "wasm"))]
pub use heat::heat_picture;
pub use legend::LegendCard;
pub use picture::{Picture, write_png, write_small_png};
#[cfg(feature = "plot")]
pub use plot::{Plot, PlotError};
pub use raw_video::{write_rgba, write_y4m};
#[cfg(not(target_family = "wasm"))]
pub use record::{Frames, RecordError, record};
pub use schedule::Schedule;
#[cfg(not(target_family = "wasm"))]
pub use series::PictureSeries;
pub use sheet::{Cell, Sheet, SheetLayout, TooLarge};
#[cfg(not(target_family = "wasm"))]
pub use still::still;
pub use still::{average, begin_still, drawing_views, is_averaged, shifted_views};
pub use thumbnail::{shrink_pictures, write_thumbnail};

/// Returns a session that shows a file which has been read. Nothing is uploaded yet: see [`picture`].
pub fn session(source: FileSource, loaded: Loaded, options: SessionOptions) -> Session {
    let mut session = Session::new(options);
    let mut loaded = Some(loaded);
    let mut effects = session.apply(LoadAction::Open(source, Destination::Shown));
    while let Some(effect) = effects.pop() {
        if let Effect::Load(request) = effect
            && let Some(loaded) = loaded.take()
        {
            let model = Box::new(request.prepare(loaded));
            let result = Ok(LoadedFile::Model(model));
            effects.extend(session.apply(LoadAction::Loaded { id: request.id, result }));
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
#[cfg(not(target_family = "wasm"))]
pub fn picture(gpu: &Gpu, session: &mut Session, size: [u32; 2]) -> Result<Picture, GpuError> {
    let document = session.playback().document();
    let document = document.ok_or(GpuError::NothingToDraw("no model is open"))?;
    let gpu_model = GpuModel::new(gpu, &document.model);
    draw(gpu, session, &gpu_model, size)
}

/// Like [`picture`], for a session whose model's images were taken out by [`take_pictures`]. Each image
/// is freed after its upload.
///
/// # Errors
/// As [`picture`].
#[cfg(not(target_family = "wasm"))]
pub fn picture_taking(
    gpu: &Gpu,
    session: &mut Session,
    pictures: Vec<Image>,
    size: [u32; 2],
) -> Result<Picture, GpuError> {
    let gpu_model = upload(gpu, session, pictures)?;
    draw(gpu, session, &gpu_model, size)
}

#[cfg(not(target_family = "wasm"))]
fn draw(
    gpu: &Gpu,
    session: &mut Session,
    gpu_model: &GpuModel,
    size: [u32; 2],
) -> Result<Picture, GpuError> {
    warn_of_omissions(session);
    let picture = PictureSeries::new(gpu, size).draw(session, gpu_model)?;
    gpu.keep_pipelines();
    Ok(picture)
}

/// Logs warnings about what a session's look asks for and pictures do not show: overlays on a pass that is drawn without
/// them, and values that the model does not have.
pub fn warn_of_omissions(session: &Session) {
    let look = session.look();
    let pass = look.pass.name();
    let aids = &look.aids;
    let overlays = [look.skeleton, look.joint_names, look.axes, look.bounds, look.trail];
    let marks = [aids.root_path, aids.weight_marks];
    if !look.takes_overlays() && overlays.iter().chain(&marks).any(|is_on| *is_on) {
        log::warn!("pass {pass} is drawn without overlays, because its pixels are data");
    }
    let without = [
        (look.grid && !look.takes_grid(), "grid"),
        (aids.onion.is_some() && !look.takes_ghosts(), "ghosts"),
        (!aids.vectors.is_empty() && !look.takes_ghosts(), "lines of normals and tangents"),
    ];
    for (_, what) in without.iter().filter(|(is_left_out, _)| *is_left_out) {
        log::warn!("pass {pass} is drawn without {what}");
    }
    let playback = session.playback();
    let Some((document, stage)) = playback.document().zip(playback.stage()) else { return };
    let model = &document.model;
    // The bones of a rig without a mesh are drawn instead.
    let has_bones = !stage.joints(model).is_empty() && look.takes_overlays();
    if stage.has_no_mesh(model) && !has_bones {
        log::warn!("the scene has nothing to draw");
    }
    for absent in Absent::list(look, model, stage) {
        let what = absent.name();
        match absent {
            Absent::TextureCoordinates => {
                log::warn!("the model has no {what}: pass {pass} shows only its shape");
            }
            Absent::Normals | Absent::Tangents => {
                log::warn!("the model has no {what}: none are shown");
            }
        }
    }
}
