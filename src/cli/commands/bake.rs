//! `rigview bake`: writes a file with other clips, or another rest pose.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::bake_clips::baked_clips;
use crate::cli::args::bake::{BakeArgs, BakedForm};
use crate::cli::choice::read;
use crate::cli::clips::{borrowed, replace_some_clips};
use crate::cli::failure::Failure;
use crate::cli::model_output::{lost_clip_indices, write_model};
use crate::cli::output::{Inputs, print_beside};
use crate::cli::side_files::read_pose;
use rigview_anim::Clip;
use rigview_capture::with_names;
use rigview_export::{Animations, ExportError, clip_of_pose, set_rest};
use rigview_import::{ImageDecoding, ImportOptions, escaped};
use rigview_model::{Model, three_digits};
use rigview_report::local_pose_of;
use rigview_session::FileSource;

/// The place of the clip's name in that of the output.
const CLIP: &str = "{clip}";

pub fn run(args: &BakeArgs) -> Result<(), Failure> {
    if !args.clips.expression.is_empty() {
        let text =
            "--expression: clips have no expressions; `pose`, `screenshot` and `record` show them";
        return Err(Failure::Usage(text.into()));
    }
    if args.bound.is_some() && args.form == BakedForm::Sampled && !args.edit.closes_loop {
        log::warn!("--bound has no effect without --form reduced or --loop");
    }
    let options = ImportOptions {
        images: ImageDecoding::Headers,
        keep_original: true,
        bvh_scale: args.clips.bvh_scale(),
        ..ImportOptions::default()
    };
    let inputs = Inputs::with([args.pose.pose.clone(), args.clips.borrow.map_file()]);
    let mut model = read(&FileSource::Path(rig(args).to_owned()), &options, &inputs)?.model;
    let names = model.clips.iter().map(|clip| clip.name().map(str::to_owned)).collect();
    if args.choice.retarget.is_some() {
        model.clips = borrowed(&args.file, &args.clips.borrow, &model, &inputs)?.clips;
    }
    replace_some_clips(&args.clips, &mut model, &inputs)?;
    if let Some(path) = &args.pose.pose {
        return write_pose(args, path, &mut model, &inputs);
    }
    let (clips, distances) = baked_clips(args, &mut model, &inputs)?;
    let baked = Baked { args, model: &model, inputs: &inputs, names };
    match args.choice.split {
        true => baked.write_apart(&clips)?,
        false => {
            let count = clips.len();
            if count > 1 && args.output.to_string_lossy().contains(CLIP) {
                let text = format!(
                    "-o: {count} clips are written to one file; add --split, or leave {CLIP} out"
                );
                return Err(Failure::Usage(text));
            }
            let path = output(args, clips.first().map(name).unwrap_or_default());
            baked.write(&path, &clips)?;
        }
    }
    print_beside(Some(&args.output), |out| {
        clips.iter().zip(distances).try_for_each(|(clip, mm)| {
            let name = escaped(name(clip));
            writeln!(out, "clip \"{name}\": {} mm at the skin", three_digits(mm, 4))
        })
    })
}

fn name(clip: &Clip) -> &str {
    clip.name().unwrap_or_default()
}

/// What clips are written with.
struct Baked<'a> {
    args: &'a BakeArgs,
    model: &'a Model,
    inputs: &'a Inputs,
    /// The names of the clips that the file has itself.
    names: Vec<Option<String>>,
}

impl Baked<'_> {
    /// Writes each clip to a file of its own.
    fn write_apart(&self, clips: &[Clip]) -> Result<(), Failure> {
        if !self.args.output.to_string_lossy().contains(CLIP) {
            let text = "--split: -o needs a name with {clip}, such as 'fox_{clip}.glb'";
            return Err(Failure::Usage(text.into()));
        }
        let paths: Vec<PathBuf> = clips.iter().map(|clip| output(self.args, name(clip))).collect();
        let mut seen = HashSet::new();
        if let Some(twice) = paths.iter().find(|path| !seen.insert(*path)) {
            let name = escaped(&twice.to_string_lossy());
            let text = format!(
                "--split: several clips would be written to {name}; write them one by one with --clip and their index"
            );
            return Err(Failure::Usage(text));
        }
        for (path, clip) in paths.iter().zip(clips) {
            self.write(path, std::slice::from_ref(clip))?;
        }
        Ok(())
    }

    /// Writes a copy of the file with these clips. Warns of extensions that may refer to other ones by their index.
    fn write(&self, path: &Path, clips: &[Clip]) -> Result<(), Failure> {
        let Self { args, model, inputs, .. } = self;
        if !self.keep_indices(clips) {
            let name = escaped(&path.to_string_lossy());
            for what in lost_clip_indices(model) {
                log::warn!("{name}: not carried over: {}", escaped(&what));
            }
        }
        let animations = Animations::Clips(clips);
        write_model([rig(args), path], inputs, model, animations, |error| failed(args, &error))
    }

    /// Whether each clip of the file is at its index among these.
    fn keep_indices(&self, clips: &[Clip]) -> bool {
        let borrow = &self.args.clips.borrow;
        let borrows = borrow.clips_from.is_some() || self.args.choice.retarget.is_some();
        let mut written = clips.iter().map(Clip::name);
        self.names.is_empty()
            || !borrows && self.names.iter().all(|name| written.next() == Some(name.as_deref()))
    }
}

fn output(args: &BakeArgs, clip: &str) -> PathBuf {
    let stem = args.file.file_stem().map(|s| s.to_string_lossy().into_owned());
    with_names(&args.output, &stem.unwrap_or_default(), clip)
}

/// Returns the file that is written with other clips.
fn rig(args: &BakeArgs) -> &Path {
    args.choice.retarget.as_ref().unwrap_or(&args.file)
}

fn failed(args: &BakeArgs, error: &ExportError) -> Failure {
    Failure::Output(args.about(&escaped(&error.to_string())))
}

/// Writes a copy of the file with a pose as a clip or as the rest pose.
fn write_pose(
    args: &BakeArgs,
    path: &Path,
    model: &mut Model,
    inputs: &Inputs,
) -> Result<(), Failure> {
    let given = read_pose(path, Some(model))?;
    let (pose, unmatched) = local_pose_of(model, &given.nodes);
    if !given.nodes.is_empty() && unmatched.len() == given.nodes.len() {
        let pose = escaped(&path.to_string_lossy());
        return Err(Failure::No(args.about(&format!("it has none of the nodes of {pose}"))));
    }
    let name = args.pose.pose_name.clone();
    let target = output(args, &name);
    let failed = |error| failed(args, &error);
    if args.pose.as_rest {
        set_rest(model, &pose).map_err(failed)?;
        return write_model([rig(args), &target], inputs, model, Animations::File, failed);
    }
    let clip = [clip_of_pose(name, &model.rest, &pose).map_err(failed)?];
    write_model([rig(args), &target], inputs, model, Animations::Added(&clip), failed)
}
