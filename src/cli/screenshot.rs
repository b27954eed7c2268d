//! `rigview screenshot`: renders a picture without a window.

use std::path::Path;
use std::sync::OnceLock;

use super::args::ScreenshotArgs;
use super::choice::{adapter, read, session_options, source};
use super::clips::replace_clips;
use super::failure::Failure;
use super::output::{Inputs, filled, write_whole};
use crate::capture::{picture_taking, session, take_pictures, write_png};
use crate::import::{ImportOptions, guarded};
use crate::model::{BlockFormats, Image};
use crate::render::Gpu;
use crate::session::Session;

pub fn run(args: &ScreenshotArgs) -> Result<(), Failure> {
    // Opening the adapter takes as long as loading most files, so both run in parallel. The thread is
    // joined even if loading fails: exiting while a driver loads can crash.
    let choice = adapter(&args.gpu);
    let formats = OnceLock::new();
    let inputs = Inputs::with([args.clip.pose.clone(), args.look.environment_file()]);
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
        let opened = open_session(args, &formats, &inputs);
        let failed =
            |what: &str| Failure::Gpu(format!("the graphics driver can't be opened: {what}"));
        let gpu = match opening {
            Ok(opening) => opening.join().flatten().map_err(|_| failed("it crashed")),
            Err(error) => Err(failed(&format!("no thread can be started ({error})"))),
        };
        (gpu, opened)
    });
    let (mut session, pictures) = opened?;
    // Dropping the device takes longer than ending the process, which frees it too.
    let gpu = std::mem::ManuallyDrop::new(gpu??);
    let picture = picture_taking(&gpu, &mut session, pictures, args.look.size)?;
    let name = session.exhibit().document().map(|d| d.name.clone()).unwrap_or_default();
    let stem = Path::new(&name).file_stem().map(|s| s.to_string_lossy().into_owned());
    let clip = session
        .exhibit()
        .document()
        .and_then(|d| d.clip_name(session.exhibit().clip_index()?))
        .unwrap_or("rest");
    let path =
        filled(&args.output, &stem.unwrap_or_default(), clip, session.exhibit().instant().frame);
    write_whole(&path, &inputs, |out| write_png(&picture, out))
}

/// Opens a session, and returns it with the images of its model.
fn open_session(
    args: &ScreenshotArgs,
    formats: &OnceLock<BlockFormats>,
    inputs: &Inputs,
) -> Result<(Session, Vec<Image>), Failure> {
    let source = source(args.file.as_deref());
    let options = ImportOptions { block_formats: Some(formats), ..ImportOptions::default() };
    let mut loaded = read(&source, &options, inputs)?;
    replace_clips(&args.clip.clips, &mut loaded.model, inputs)?;
    let mut options = session_options(&args.clip, &args.camera, &args.look, Some(&loaded.model))?;
    options.time_secs.get_or_insert(0.0);
    let pictures = take_pictures(&mut loaded.model);
    Ok((session(source, loaded, options), pictures))
}
