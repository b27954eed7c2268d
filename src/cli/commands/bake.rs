//! `rigview bake`: writes a file with other clips, or another rest pose.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::bake_clips::baked_clips;
use crate::anim::Clip;
use crate::capture::with_names;
use crate::cli::args::bake::{BakeArgs, BakedForm};
use crate::cli::choice::read;
use crate::cli::clips::{borrowed, replace_some_clips};
use crate::cli::failure::Failure;
use crate::cli::model_output::write_model;
use crate::cli::output::{Inputs, print_beside};
use crate::cli::side_files::read_pose;
use crate::export::{Animations, ExportError, clip_of_pose, set_rest};
use crate::import::{ImageDecoding, ImportOptions, escaped};
use crate::model::{Model, three_digits};
use crate::report::local_pose_of;
use crate::session::FileSource;

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
    if args.choice.retarget.is_some() {
        model.clips = borrowed(&args.file, &args.clips.borrow, &model, &inputs)?.clips;
    }
    replace_some_clips(&args.clips, &mut model, &inputs)?;
    if let Some(path) = &args.pose.pose {
        return write_pose(args, path, &mut model, &inputs);
    }
    let (clips, distances) = baked_clips(args, &mut model, &inputs)?;
    match args.choice.split {
        true => write_apart(args, &model, &inputs, &clips)?,
        false => {
            let count = clips.len();
            if count > 1 && args.output.to_string_lossy().contains(CLIP) {
                let text = format!(
                    "-o: {count} clips are written to one file; add --split, or leave {CLIP} out"
                );
                return Err(Failure::Usage(text));
            }
            let path = output(args, clips.first().map(name).unwrap_or_default());
            write(args, &path, &model, &inputs, &clips)?;
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

/// Writes each clip to a file of its own.
fn write_apart(
    args: &BakeArgs,
    model: &Model,
    inputs: &Inputs,
    clips: &[Clip],
) -> Result<(), Failure> {
    if !args.output.to_string_lossy().contains(CLIP) {
        let text = "--split: -o needs a name with {clip}, such as 'fox_{clip}.glb'";
        return Err(Failure::Usage(text.into()));
    }
    let paths: Vec<PathBuf> = clips.iter().map(|clip| output(args, name(clip))).collect();
    let mut seen = HashSet::new();
    if let Some(twice) = paths.iter().find(|path| !seen.insert(*path)) {
        let name = escaped(&twice.to_string_lossy());
        let text = format!(
            "--split: several clips would be written to {name}; write them one by one with --clip and their index"
        );
        return Err(Failure::Usage(text));
    }
    for (path, clip) in paths.iter().zip(clips) {
        write(args, path, model, inputs, std::slice::from_ref(clip))?;
    }
    Ok(())
}

fn output(args: &BakeArgs, clip: &str) -> PathBuf {
    let stem = args.file.file_stem().map(|s| s.to_string_lossy().into_owned());
    with_names(&args.output, &stem.unwrap_or_default(), clip)
}

fn write(
    args: &BakeArgs,
    path: &Path,
    model: &Model,
    inputs: &Inputs,
    clips: &[Clip],
) -> Result<(), Failure> {
    let animations = Animations::Clips(clips);
    write_model([rig(args), path], inputs, model, animations, |error| failed(args, &error))
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
