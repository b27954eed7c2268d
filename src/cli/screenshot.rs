//! `rigview screenshot`: a picture without a window.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::OnceLock;

use super::args::ScreenshotArgs;
use super::choice::{adapter, read, session_options, source, take_clips};
use super::failure::Failure;
use super::output::{filled, write_whole};
use crate::capture::{picture_taking, session, take_pictures, write_png};
use crate::import::ImportOptions;
use crate::model::{BlockFormats, Image};
use crate::render::Gpu;
use crate::viewer::Viewer;

pub fn run(args: &ScreenshotArgs) -> Result<(), Failure> {
    // Opening the adapter takes as long as reading most files: both at once. It is waited for even
    // when the file is bad, since ending the program while a driver is being loaded crashes it.
    let choice = adapter(&args.gpu);
    let formats = OnceLock::new();
    let (gpu, opened) = std::thread::scope(|scope| {
        let opening = scope.spawn(|| {
            let gpu = catch_unwind(AssertUnwindSafe(|| Gpu::headless(&choice)));
            // Whatever came of it: pictures of the file may be waiting for this.
            let _ = formats.set(match &gpu {
                Ok(Ok(gpu)) => gpu.block_formats(),
                _ => BlockFormats::default(),
            });
            gpu
        });
        let opened = open_session(args, &formats);
        (opening.join().flatten(), opened)
    });
    let gpu =
        gpu.map_err(|_| Failure::Gpu("the graphics driver stopped while it was opened".into()));
    let (mut viewer, pictures) = opened?;
    // The device is not taken down: the program ends soon, and that takes it down in less time.
    let gpu = std::mem::ManuallyDrop::new(gpu??);
    let picture = picture_taking(&gpu, &mut viewer, pictures, args.look.size)?;
    let name = viewer.document().map(|d| d.name.clone()).unwrap_or_default();
    let stem = Path::new(&name).file_stem().map(|s| s.to_string_lossy().into_owned());
    let clip = viewer.document().and_then(|d| d.clip_name(viewer.clip_index()?)).unwrap_or("rest");
    let path = filled(&args.output, &stem.unwrap_or_default(), clip, viewer.instant().frame);
    write_whole(&path, |out| write_png(&picture, out).map_err(io::Error::other))
}

/// A session, and the pictures of its model.
fn open_session(
    args: &ScreenshotArgs,
    formats: &OnceLock<BlockFormats>,
) -> Result<(Viewer, Vec<Image>), Failure> {
    let source = source(args.file.as_deref());
    let options = ImportOptions { block_formats: Some(formats), ..ImportOptions::default() };
    let mut loaded = read(&source, &options)?;
    take_clips(&args.clip.clips, &mut loaded.model)?;
    let mut options = session_options(&args.clip, &args.camera, &args.look, Some(&loaded.model))?;
    options.time_secs.get_or_insert(0.0);
    let pictures = take_pictures(&mut loaded.model);
    Ok((session(source, loaded, options), pictures))
}
