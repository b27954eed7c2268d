//! `rigview screenshot`: renders a picture without a window, and compares it with a reference.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::args::ScreenshotArgs;
use super::choice::{adapter, read, session_options, source};
use super::clips::replace_clips;
use super::compare::{Pair, ReferenceArgs, read_pixels};
use super::failure::Failure;
use super::output::{Inputs, filled, print, write_whole};
use crate::capture::{Picture, picture_taking, session, take_pictures, write_png};
use crate::compare::Pixels;
use crate::import::{ImportError, ImportOptions, escaped, guarded};
use crate::model::{BlockFormats, Image};
use crate::render::Gpu;
use crate::session::Session;

pub fn run(args: &ScreenshotArgs) -> Result<(), Failure> {
    // Opening the adapter takes as long as loading most files, so both run in parallel. The thread is
    // joined even if loading fails: exiting while a driver loads can crash.
    let choice = adapter(&args.gpu);
    let formats = OnceLock::new();
    let mut inputs = Inputs::with([args.clip.pose.clone(), args.look.environment_file()]);
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
    let (stem, frame) = (stem.unwrap_or_default(), session.exhibit().instant().frame);
    let named = |path: &PathBuf| filled(path, &stem, clip, frame);
    let files = Files {
        output: args.output.as_ref().map(named),
        reference: args.compare.reference.as_ref().map(named),
        diff: args.compare.difference.diff.as_ref().map(named),
    };
    inputs.files.extend(files.reference.clone());
    files.check(&args.compare)?;
    if let Some(path) = &files.output {
        write_whole(path, &inputs, |out| write_png(&picture, out))?;
    }
    match &files.reference {
        Some(reference) => compare(&picture, reference, &files, &args.compare, &inputs),
        None => Ok(()),
    }
}

/// The files of a picture, with placeholders replaced.
struct Files {
    output: Option<PathBuf>,
    reference: Option<PathBuf>,
    diff: Option<PathBuf>,
}

impl Files {
    /// Rejects two results that are the same file.
    fn check(&self, args: &ReferenceArgs) -> Result<(), Failure> {
        if args.json && self.prints_picture() {
            let text = "--json: standard output has the picture; choose another --output";
            return Err(Failure::Usage(text.into()));
        }
        if self.diff.is_some() && self.diff == self.output {
            let text = "--diff: the same file as --output; choose another name";
            return Err(Failure::Usage(text.into()));
        }
        Ok(())
    }

    /// Whether standard output has the picture.
    fn prints_picture(&self) -> bool {
        self.output.as_deref() == Some(Path::new("-"))
    }
}

/// Compares a picture with its reference, and fails if it is not accepted.
fn compare(
    picture: &Picture,
    reference: &Path,
    files: &Files,
    args: &ReferenceArgs,
    inputs: &Inputs,
) -> Result<(), Failure> {
    let name = |path: &Path| escaped(&path.to_string_lossy());
    if !reference.exists() {
        let name = name(reference);
        let advice = format!(
            "there is no such reference; create it with the same command, but -o {name} instead of \
             --reference"
        );
        return Err(Failure::load(reference, ImportError::other(advice)));
    }
    let output = files.output.as_deref().filter(|_| !files.prints_picture());
    let pair = Pair {
        names: [name(reference), output.map_or_else(|| "the picture".into(), name)],
        pixels: [read_pixels(reference)?, Pixels::from(picture)],
    };
    let comparison = pair.compare(args.difference.limits());
    if let Some(path) = &files.diff {
        comparison.draw(&pair, path, inputs)?;
    }
    if args.json {
        print(|out| comparison.write_json(out))?;
    }
    let verdict = comparison.verdict(&pair);
    match comparison.accepted {
        false => Err(Failure::No(verdict)),
        true if args.json || files.prints_picture() => Ok(()),
        true => print(|out| writeln!(out, "{verdict}")),
    }
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
