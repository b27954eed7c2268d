//! `rigview screenshot`: renders a picture without a window, and compares it with a reference.

use std::path::{Path, PathBuf};

use super::args::ScreenshotArgs;
use super::compare::{Pair, ReferenceArgs, read_bitmap};
use super::failure::Failure;
use super::opening::open;
use super::output::{Inputs, expect_png, print, write_whole};
use crate::capture::{Picture, filled, picture_taking, write_png};
use crate::compare::Bitmap;
use crate::import::{ImportError, escaped};

pub fn run(args: &ScreenshotArgs) -> Result<(), Failure> {
    args.output.as_deref().map_or(Ok(()), expect_png)?;
    let mut inputs = args.scene.inputs();
    let mut opened = open(args.file.as_deref(), &args.scene, &inputs)?;
    opened.charge_pictures(args.file.as_deref(), (1, args.scene.look.size), args.work)?;
    let images = std::mem::take(&mut opened.images);
    let picture = picture_taking(&opened.gpu, &mut opened.session, images, args.scene.look.size)?;
    let [model, clip] = opened.names();
    let frame = opened.session.exhibit().instant().frame;
    let named = |path: &PathBuf| filled(path, &model, &clip, frame);
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
        pixels: [read_bitmap(reference)?, Bitmap::from(picture)],
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
