//! Opens the adapter and a session for commands that draw one file, both at the same time.

use std::mem::ManuallyDrop;
use std::path::Path;
use std::sync::OnceLock;

use super::args::scene::SceneArgs;
use super::args::work::WorkArgs;
use super::choice::{adapter, read, session_options, source, warn_of_useless};
use super::clips::replace_clips;
use super::failure::Failure;
use super::output::Inputs;
use rigview_capture::{session, take_pictures};
use rigview_import::{ImportOptions, guarded};
use rigview_model::{BlockFormats, DrawnBy, Image, PictureCounts, PictureKind, Work};
use rigview_render::Gpu;
use rigview_session::Session;

/// An adapter and a session.
pub struct Opened {
    /// Dropping the device takes longer than ending the process, which frees it too.
    pub gpu: ManuallyDrop<Gpu>,
    /// Stands at the requested time, paused.
    pub session: Session,
    /// The images of the session's model, which only has their headers.
    pub images: Vec<Image>,
}

/// Pictures of a file that a command draws.
#[derive(Clone, Copy, Debug)]
pub struct PictureBatch<'a> {
    /// The file; `None` for the built-in rig.
    pub file: Option<&'a Path>,
    /// The number of pictures.
    pub count: usize,
    /// The size of each in pixels.
    pub size: [u32; 2],
}

impl PictureBatch<'_> {
    /// Checks that drawing the pictures does not take too long.
    pub fn charge(self, gpu: &Gpu, session: &Session, limit: WorkArgs) -> Result<(), Failure> {
        let work = picture_work(gpu, session, self.size) * self.count;
        limit.charge(self.file.unwrap_or(Path::new("")), &drawing(self.count), work)
    }
}

/// Returns the work of drawing one picture of a session, with its ghosts.
pub fn picture_work(gpu: &Gpu, session: &Session, size: [u32; 2]) -> Work {
    let playback = session.playback();
    let Some((document, stage)) = playback.document().zip(playback.stage()) else {
        return Work::default();
    };
    let look = session.look();
    let ghosts = look.aids.onion.map_or(0, |onion| 2 * onion.count);
    let kind = PictureKind { by: drawn_by(gpu), size, samples: look.samples };
    PictureCounts::count(&document.model, stage).work(kind) * (1 + ghosts)
}

/// Returns what draws the pictures of an adapter.
pub fn drawn_by(gpu: &Gpu) -> DrawnBy {
    if gpu.is_software() { DrawnBy::Software } else { DrawnBy::Gpu }
}

/// Returns the work of drawing pictures in words.
pub fn drawing(pictures: usize) -> String {
    if pictures == 1 { "drawing it".into() } else { format!("drawing {pictures} pictures") }
}

/// Opens the adapter and a session of a file, or of the built-in rig without one. Opening an adapter takes as long as loading most files, so both run in
/// parallel.
pub fn open(file: Option<&Path>, scene: &SceneArgs, inputs: &Inputs) -> Result<Opened, Failure> {
    open_within(file, scene, inputs, ImportOptions::DEFAULT.decoded_limit)
}

/// Like [`open`], with a limit in bytes for the data of the file.
pub fn open_within(
    file: Option<&Path>,
    scene: &SceneArgs,
    inputs: &Inputs,
    decoded_limit: u64,
) -> Result<Opened, Failure> {
    let choice = adapter(&scene.gpu);
    let formats = OnceLock::new();
    // The thread is joined even if loading fails: exiting while a driver loads can crash.
    let (gpu, opened) = std::thread::scope(|scope| {
        let opening = std::thread::Builder::new().spawn_scoped(scope, || {
            let gpu = guarded(|| Gpu::headless(&choice));
            // Set the formats even on failure, because the import may be waiting for them.
            let _ = formats.set(match &gpu {
                Ok(Ok(gpu)) => gpu.block_formats(),
                _ => BlockFormats::default(),
            });
            gpu
        });
        if opening.is_err() {
            let _ = formats.set(BlockFormats::default());
        }
        let options = ImportOptions {
            block_formats: Some(&formats),
            decoded_limit,
            ..ImportOptions::default()
        };
        let opened = open_session(file, scene, &options, inputs);
        let failed =
            |what: &str| Failure::Gpu(format!("the graphics driver can't be opened: {what}"));
        let gpu = match opening {
            Ok(opening) => opening.join().flatten().map_err(|_| failed("it crashed")),
            Err(error) => Err(failed(&format!("no thread can be started ({error})"))),
        };
        (gpu, opened)
    });
    let (session, images) = opened?;
    Ok(Opened { gpu: ManuallyDrop::new(gpu??), session, images })
}

/// Opens a session of a file, or of the built-in rig without one, read with these options and the scale of `scene`.
/// Returns it with the images of its model.
pub fn open_session(
    file: Option<&Path>,
    scene: &SceneArgs,
    options: &ImportOptions<'_>,
    inputs: &Inputs,
) -> Result<(Session, Vec<Image>), Failure> {
    warn_of_useless(scene);
    let options = ImportOptions { bvh_scale: scene.clip.clips.bvh_scale(), ..*options };
    let source = source(file);
    let mut loaded = read(&source, &options, inputs)?;
    replace_clips(&scene.clip.clips, &mut loaded.model, inputs)?;
    let mut options =
        session_options(&scene.clip, &scene.camera, &scene.look, Some(&loaded.model))?;
    options.time_secs.get_or_insert(0.0);
    let images = take_pictures(&mut loaded.model);
    Ok((session(source, loaded, options), images))
}
