//! The clips that `bake` writes: chosen, blended, changed and sampled.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use super::layers::blended;
use crate::cli::args::bake::{BakeArgs, BakedForm};
use crate::cli::clips::{borrowed, source_clip};
use crate::cli::failure::Failure;
use crate::cli::lookup::index_of;
use crate::cli::model_output::warn_of_instances;
use crate::cli::output::Inputs;
use rigview_anim::{Clip, ClipParts, Cursor, cut, reversed};
use rigview_check::{Code, Finding, seams_of};
use rigview_export::{Animations, ExportError, charge_frames, frame_times, glb_with, sampled_clip};
use rigview_fix::{FixOptions, ReduceError, ReducedClip, Remedy, UNCHANGED, fix, reduced_clips};
use rigview_import::{ImageDecoding, ImportError, ImportOptions, escaped, load_bytes};
use rigview_model::{Model, short_name};
use rigview_rig::{is_lopsided, mirrored_clips, unmirrored_nodes};

/// A gap at the skin that is only rounding, in metres.
const CLOSED: f64 = 1e-6;

/// Chooses and changes clips of a model, to which those of `--merge` are added.
/// Also returns the distances of reduced ones from what they were, at the skin in millimetres.
pub fn baked_clips(
    args: &BakeArgs,
    model: &mut Model,
    inputs: &Inputs,
) -> Result<(Vec<Clip>, Vec<f64>), Failure> {
    for path in &args.choice.merge {
        let clips = borrowed(path, &args.clips.borrow, model, inputs)?.clips;
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        for clip in clips {
            let clip = renamed(clip, &model.clips, &stem.clone().unwrap_or_default());
            model.clips.push(clip);
        }
    }
    let model = &*model;
    if model.clips.is_empty() {
        let what = "nothing to bake: the file has no clips";
        return Err(Failure::Usage(args.about(what)));
    }
    let mut clips = match &args.choice.layers {
        Some(layers) => vec![blended(args, layers, model)?],
        None => chosen(args, model)?,
    };
    if clips.iter().any(|clip| !clip.properties().is_empty()) {
        log::warn!(
            "{}",
            args.about(
                "the clip's animation of materials, lights, cameras and visibility is not baked"
            )
        );
    }
    refuse_still(args, &mut clips)?;
    let edit = &args.edit;
    if edit.from.is_some() || edit.to.is_some() {
        clips = clips.iter().map(|clip| part(args, clip)).collect::<Result<_, _>>()?;
    }
    if edit.reverse {
        clips = clips.iter().map(reversed).collect();
    }
    if edit.mirror {
        warn_of_unmirrored(args, model, &clips);
        if is_lopsided(model) {
            let what = "--mirror: left and right are not alike in the rest pose nor in the bind pose, so \
                        mirrored poses are off; --pose with --as-rest gives the rig another rest pose";
            log::warn!("{}", args.about(what));
        }
        clips = mirrored_clips(model, &clips)
            .map_err(|e| Failure::Usage(format!("--mirror: {}", escaped(&e.to_string()))))?;
    }
    if edit.in_place {
        clips = mended(args, model, clips, Remedy::RootMoves)?;
    }
    if edit.closes_loop {
        clips = mended(args, model, clips, Remedy::LoopGap)?;
    }
    in_form(args, model, clips)
}

/// Gives a clip a name that no other one has, by the name of its file.
fn renamed(clip: Clip, others: &[Clip], stem: &str) -> Clip {
    let taken: HashSet<&str> = others.iter().filter_map(Clip::name).collect();
    let name = clip.name().unwrap_or_default().to_owned();
    if !name.is_empty() && !taken.contains(name.as_str()) {
        return clip;
    }
    let first = match name.is_empty() {
        true => stem.to_owned(),
        false => format!("{stem} {name}"),
    };
    let numbered = (2..).map(|number| format!("{first} {number}"));
    let mut names = std::iter::once(first.clone()).chain(numbered);
    let name = names.find(|name| !taken.contains(name.as_str()));
    Clip::new(ClipParts { name, ..clip.into_parts() })
}

/// Returns the clips that the arguments name.
fn chosen(args: &BakeArgs, model: &Model) -> Result<Vec<Clip>, Failure> {
    if args.takes_all() {
        return Ok(model.clips.clone());
    }
    let mut clips: Vec<Clip> = Vec::new();
    let mut taken = HashSet::new();
    let names_one = args.clips.clip.is_some()
        || args.clips.all_clips
        || !args.clips.animation_indices.is_empty();
    if names_one || args.choice.with_clip.is_empty() {
        let source = source_clip(&args.clips, model)?;
        taken.extend(source.index);
        clips.extend(source.clip.map(Cow::into_owned));
    }
    for wanted in &args.choice.with_clip {
        let index = index_of("clip", wanted, model.clips.iter().map(Clip::name))?;
        // A clip that is named twice is written once.
        if taken.insert(index) {
            clips.push(model.clips[index].clone());
        }
    }
    Ok(clips)
}

/// An end that is up to this later than the clip's is the same one: times are rounded.
const FRAME_SECS: f64 = 1.0 / 60.0;

/// Leaves out clips that move nothing.
///
/// # Errors
/// If none is left.
fn refuse_still(args: &BakeArgs, clips: &mut Vec<Clip>) -> Result<(), Failure> {
    let line = |clip: &Clip| {
        let name = escaped(clip.name().unwrap_or_default());
        args.about(&format!("clip \"{name}\" moves nothing to bake"))
    };
    let (moving, still): (Vec<Clip>, Vec<Clip>) =
        std::mem::take(clips).into_iter().partition(|clip| !clip.channels().is_empty());
    *clips = moving;
    match still.first() {
        Some(first) if clips.is_empty() => Err(Failure::Usage(line(first))),
        _ => {
            still.iter().for_each(|clip| log::warn!("{}", line(clip)));
            Ok(())
        }
    }
}

/// Warns of joints that the clips move and that have no partner to exchange their motion with.
fn warn_of_unmirrored(args: &BakeArgs, model: &Model, clips: &[Clip]) {
    /// Joints that are named, at most.
    const NAMED: usize = 4;
    let moved: HashSet<usize> =
        clips.iter().flat_map(Clip::channels).map(|channel| channel.node()).collect();
    let alone: Vec<usize> =
        unmirrored_nodes(model).into_iter().filter(|node| moved.contains(node)).collect();
    if alone.is_empty() {
        return;
    }
    let name = |node: &usize| {
        let name = model.nodes[*node].name.as_deref().unwrap_or_default();
        format!("\"{}\"", short_name(name))
    };
    let mut names = alone.iter().take(NAMED).map(name).collect::<Vec<_>>().join(", ");
    if let more @ 1.. = alone.len().saturating_sub(NAMED) {
        names += &format!(" and {more} more");
    }
    let what = format!("--mirror: no joint on the other side belongs to {names}: not exchanged");
    log::warn!("{}", args.about(&what));
}

/// Returns the part of a clip that the arguments name. Warns of an end after that of the clip.
fn part(args: &BakeArgs, clip: &Clip) -> Result<Clip, Failure> {
    let end = f64::from(clip.duration_secs());
    let (from, to) = (args.edit.from.unwrap_or(0.0), args.edit.to.unwrap_or(end).min(end));
    if from >= to && end > 0.0 {
        let name = escaped(clip.name().unwrap_or_default());
        let what = match from >= end {
            true => format!("--from {from} is not before the end of clip \"{name}\" at {end} s"),
            false => format!("--from {from} is not before --to {to}"),
        };
        return Err(Failure::Usage(args.about(&what)));
    }
    if let Some(wanted) = args.edit.to.filter(|wanted| *wanted > end + FRAME_SECS) {
        let name = escaped(clip.name().unwrap_or_default());
        let what = format!("--to {wanted} is after the end of clip \"{name}\": cut at {end} s");
        log::warn!("{}", args.about(&what));
    }
    Ok(cut(clip, from, to))
}

/// Applies a repair to every clip. The clips are written to memory, mended there, and read again.
fn mended(
    args: &BakeArgs,
    model: &Model,
    clips: Vec<Clip>,
    remedy: Remedy,
) -> Result<Vec<Clip>, Failure> {
    let bound = 1e-3 * args.bound_mm();
    let failed = |what: String| Failure::Output(args.about(&escaped(&what)));
    let read = |glb: Vec<u8>| {
        let options = ImportOptions {
            images: ImageDecoding::Headers,
            keep_original: true,
            ..ImportOptions::default()
        };
        load_bytes(glb, &options).map(|loaded| loaded.model).map_err(|e| failed(e.to_string()))
    };
    let glb = glb_with(model, Animations::Clips(&clips)).map_err(|e| failed(e.to_string()))?;
    let written = read(glb)?;
    let options = FixOptions { remedies: [remedy].into(), bound, ..FixOptions::default() };
    let closes = remedy == Remedy::LoopGap;
    let gaps = |model: &Model| match closes {
        true => seams_of(model, &(0..model.clips.len()).collect(), &options.contract),
        false => BTreeMap::new(),
    };
    // What moves nothing that is drawn can't be measured, and is closed as well as it goes.
    let before = gaps(&written);
    let is_open = |clip: &usize| before.get(clip).is_none_or(|seam| seam.gap > CLOSED);
    let finding = |clip: usize| Finding {
        clip: Some(written.clips[clip].name().unwrap_or_default().to_owned()),
        ..Finding::on_request(remedy.code(), format!("/animations/{clip}"))
    };
    let findings: Vec<Finding> = (0..written.clips.len()).filter(is_open).map(finding).collect();
    let fixed = fix(&written, &findings, &options).map_err(|e| failed(e.to_string()))?;
    let open = |clip: &str, why: &str| {
        // The option is one of this command too.
        let why = why.replace("`rigview fix --bound ", "`--bound ");
        let open = if closes { "its loop is not closed" } else { "it would still travel" };
        let what = format!("clip \"{}\": {}; {open}", escaped(clip), escaped(&why));
        Failure::No(args.about(&what))
    };
    for left in &fixed.left {
        let clip = left.clip.as_deref().unwrap_or_default();
        if left.reason != UNCHANGED {
            return Err(open(clip, &left.reason));
        }
        // A clip that goes nowhere is in place.
        if closes {
            log::warn!("{}", args.about(&format!("clip \"{}\": {UNCHANGED}", escaped(clip))));
        }
    }
    let Some(document) = fixed.document else { return Ok(clips) };
    let mended = read(document.glb().map_err(|e| failed(e.to_string()))?)?;
    let limit = Code::LoopGap.threshold().map_or(0.0, |(limit, _)| limit);
    if let Some((clip, seam)) = gaps(&mended).iter().find(|(_, seam)| seam.gap > limit) {
        let why = format!("its ends still differ by {:.1} mm", 1e3 * seam.gap);
        return Err(open(mended.clips[*clip].name().unwrap_or_default(), &why));
    }
    // Nodes whose matrix can't be animated are left out, and with them clips that move nothing else: these stay.
    let is_written =
        |clip: &Clip| clip.channels().iter().any(|channel| model.hierarchy.is_driven(channel));
    if clips.iter().filter(|clip| is_written(clip)).count() != mended.clips.len() {
        return Err(failed("the clips changed in number when they were written".to_owned()));
    }
    let mut mended = mended.clips.into_iter();
    let each = clips.into_iter().map(|clip| match is_written(&clip) {
        true => mended.next().unwrap_or(clip),
        false => clip,
    });
    Ok(each.collect())
}

/// Samples and reduces clips. Also returns the distances of reduced ones.
fn in_form(
    args: &BakeArgs,
    model: &Model,
    clips: Vec<Clip>,
) -> Result<(Vec<Clip>, Vec<f64>), Failure> {
    let mut sampled = Vec::new();
    if let Some(fps) = args.keys_per_second() {
        for clip in &clips {
            sampled.push(sample(args, model, clip, fps)?);
        }
    }
    match (args.form, sampled.is_empty()) {
        (BakedForm::Sampled, true) => Ok((clips, Vec::new())),
        (BakedForm::Sampled, false) => Ok((sampled, Vec::new())),
        (BakedForm::Reduced, _) => {
            warn_of_instances(&escaped(&args.file.to_string_lossy()), model);
            let reduced = reduced_clips(model, &clips, &sampled, args.bound_mm());
            let reduced = reduced.map_err(|error| match error {
                ReduceError::Form(why) => Failure::Usage(format!("--form reduced: {why}")),
                ReduceError::Unmeasured(why) => {
                    Failure::Output(args.about(&escaped(&why.to_string())))
                }
            })?;
            reduced.iter().for_each(|one| warn_of_samples(args, one));
            Ok(reduced.into_iter().map(|one| (one.clip, one.distance_mm)).unzip())
        }
    }
}

/// Warns if the samples of a clip were too far off to be reduced.
fn warn_of_samples(args: &BakeArgs, reduced: &ReducedClip) {
    let Some(off) = reduced.samples_off_mm else { return };
    let (name, bound) = (escaped(reduced.clip.name().unwrap_or_default()), args.bound_mm());
    let what = format!(
        "--form reduced: the samples of clip \"{name}\" are {off:.4} mm off at the skin, beyond the bound of {bound} mm: \
         its own keys are reduced; more keys per second (--fps) keep the samples"
    );
    log::warn!("{}", args.about(&what));
}

fn sample(args: &BakeArgs, model: &Model, clip: &Clip, fps: f64) -> Result<Clip, Failure> {
    let failed = |e: ExportError| match e {
        ExportError::TooLong { .. } | ExportError::NothingToMove => {
            Failure::Usage(args.about(&e.to_string()))
        }
        ExportError::OverBudget(over) => {
            let what = format!("the clip lasts {} s", clip.duration_secs());
            Failure::load(&args.file, ImportError::over_budget(&what, over))
        }
        _ => Failure::Output(args.about(&escaped(&e.to_string()))),
    };
    charge_frames(model, clip, fps).map_err(failed)?;
    let times = frame_times(clip.duration_secs(), fps).map_err(failed)?;
    let mut cursor = Cursor::default();
    let sampled = sampled_clip(clip.name().map(str::to_owned), &times, &model.rest, |time, out| {
        clip.pose(time, &model.rest, &mut cursor, out);
    });
    sampled.map_err(failed)
}
