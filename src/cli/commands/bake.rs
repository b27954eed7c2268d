//! `rigview bake`: writes a file with other clips, which are chosen, blended, changed and sampled, or with another rest
//! pose.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::cli::args::clip::ClipsArgs;
use crate::cli::args::values::{not_negative, number, positive};
use crate::cli::choice::{read, read_pose};
use crate::cli::clips::{borrowed, replace_some_clips, source_clip};
use crate::cli::failure::{Failure, Result, shown, usage_error};
use crate::cli::lookup::{first_of, index_of};
use crate::cli::model_output::{lost_clip_indices, warn_of_instances, write_model};
use crate::cli::output::{Inputs, print_beside, stem};
use crate::cli::warnings::warn_of_no_effect;
use rigview_anim::{
    BlendLayer, Clip, ClipParts, Cursor, Mask, Mixer, cut, pose_layers, repeated, reversed,
};
use rigview_capture::with_names;
use rigview_check::{Code, Finding, seams_of};
use rigview_export::{
    Animations, ExportError, charge_frames, clip_of_pose, frame_times, glb_with, sampled_clip,
    set_rest,
};
use rigview_fix::{FixOptions, ReduceError, ReducedClip, Remedy, UNCHANGED, fix, reduced_clips};
use rigview_import::{ImageDecoding, ImportError, ImportOptions, escaped, load_bytes};
use rigview_model::{Model, short_name, three_digits};
use rigview_report::local_pose_of;
use rigview_rig::{is_lopsided, mirrored_clips, unmirrored_nodes};
use rigview_session::FileSource;

#[derive(Debug, Args)]
pub struct BakeArgs {
    /// A model (.glb, .gltf, .vrm, .fbx, .bvh); - is standard input.
    pub file: PathBuf,
    /// Write to this file: with the extension .gltf a glTF file and a .bin file next to it, otherwise
    /// a GLB; - writes a GLB to standard output. {model} and {clip} are replaced by the file's and
    /// the clip's name.
    #[arg(short, long, value_name = "OUT.glb|OUT.gltf")]
    pub output: PathBuf,
    /// Write this many keys per second, and one at the end of the clip.
    #[arg(long, value_name = "F", default_value = "60", value_parser = positive)]
    pub fps: f64,
    /// Keep the keys of the clip (keep), or write this many keys per second, as --fps does.
    #[arg(long, value_name = "keep|F", value_parser = rate, conflicts_with = "fps")]
    pub rate: Option<Rate>,
    /// Write whole samples, or reduce their keys as far as --bound allows.
    #[arg(long, value_enum, value_name = "FORM", default_value = "sampled")]
    pub form: BakedForm,
    /// Set the largest distance at the skin, in millimetres, by which --form reduced and --loop may move it
    /// [default: 0.1].
    #[arg(long, value_name = "MM", value_parser = positive)]
    pub bound: Option<f64>,
    #[command(flatten)]
    pub choice: BakeChoice,
    #[command(flatten)]
    pub edit: BakeEdit,
    #[command(flatten)]
    pub pose: BakePose,
    #[command(flatten)]
    pub clips: ClipsArgs,
}

/// Which clips are written, and to how many files.
#[derive(Debug, Args)]
#[command(next_help_heading = "Clips")]
pub struct BakeChoice {
    /// Write this clip too; may be given several times.
    #[arg(long, value_name = "NAME|INDEX")]
    pub with_clip: Vec<String>,
    /// Write every clip of the file, each by itself.
    #[arg(long, conflicts_with_all = ["clip", "all_clips", "animation_indices", "with_clip"])]
    pub every_clip: bool,
    /// Add the clips of these files, which are fitted to the rig as --clips-from does; all clips are written unless some
    /// are chosen.
    #[arg(long, value_name = "FILE", num_args = 1.., group = "other_clips")]
    pub merge: Vec<PathBuf>,
    /// Write the clips on the rig of this file, as `bake RIG --clips-from FILE` does.
    #[arg(long, value_name = "RIG", group = "other_clips", conflicts_with_all = ["clips_from", "merge"])]
    pub retarget: Option<PathBuf>,
    /// Blend clips into one, which lasts as long as the first of them; the others repeat. 'Walk=0.7; Run=0.3' is a mean
    /// by weights, whatever their sum is; what a clip does not move is at rest in it. Wave@Arm counts only at the joint Arm
    /// and below it, +Breath=0.5 is added to the others.
    #[arg(long, value_name = "CLIP[@JOINT][=WEIGHT];...")]
    #[arg(conflicts_with_all = ["clip", "all_clips", "animation_indices", "with_clip", "every_clip"])]
    pub layers: Option<String>,
    /// Write each clip to a file of its own, whose name has {clip}.
    #[arg(long)]
    pub split: bool,
}

/// How clips are changed, in this order.
#[derive(Debug, Args)]
#[command(next_help_heading = "Changes")]
pub struct BakeEdit {
    /// Begin at this time in seconds, which becomes 0.
    #[arg(long, value_name = "SECS", value_parser = not_negative)]
    pub from: Option<f64>,
    /// End at this time in seconds.
    #[arg(long, value_name = "SECS", value_parser = not_negative)]
    pub to: Option<f64>,
    /// Play backwards.
    #[arg(long)]
    pub reverse: bool,
    /// Exchange left and right, by the names of the joints.
    #[arg(long)]
    pub mirror: bool,
    /// Take the horizontal way off the root, evenly over the clip.
    #[arg(long)]
    pub in_place: bool,
    /// End with the first pose; the root keeps its way. Fails if the skin would move by more than --bound.
    #[arg(long = "loop")]
    pub closes_loop: bool,
}

/// A pose that is written instead of clips.
#[derive(Debug, Args)]
#[command(next_help_heading = "Pose")]
pub struct BakePose {
    /// Add a pose that `pose --json` printed to a file, or that the window saved, as a clip; the file's own clips stay.
    #[arg(long, value_name = "FILE.json")]
    #[arg(conflicts_with_all = ["clip", "all_clips", "animation_indices", "with_clip", "every_clip", "merge", "retarget",
        "layers", "split", "clips_from", "fps", "form", "bound", "from", "to", "reverse", "mirror", "in_place", "closes_loop", "rate"])]
    pub pose: Option<PathBuf>,
    /// Make the pose the rest pose instead of a clip.
    #[arg(long, requires = "pose")]
    pub as_rest: bool,
    /// Name the clip of the pose.
    #[arg(long, value_name = "NAME", default_value = "Pose", requires = "pose")]
    pub pose_name: String,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rate {
    Keep,
    PerSecond(f64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BakedForm {
    /// All of them.
    Sampled,
    /// Those that others do not imply within the bound.
    Reduced,
}

impl BakeArgs {
    /// Returns the keys per second; `None` for the keys of the clip.
    pub fn keys_per_second(&self) -> Option<f64> {
        match self.rate {
            Some(Rate::Keep) => None,
            Some(Rate::PerSecond(rate)) => Some(rate),
            None => Some(self.fps),
        }
    }

    /// Returns the largest distance at the skin in millimetres by which keys may be reduced and ends closed.
    pub fn bound_mm(&self) -> f64 {
        self.bound.unwrap_or(0.1)
    }

    pub fn about(&self, what: &str) -> String {
        format!("{}: {what}", shown(&self.file))
    }

    /// Whether all clips are written that no option names.
    pub fn takes_all(&self) -> bool {
        let names_one = self.clips.names_clip() || !self.choice.with_clip.is_empty();
        self.choice.every_clip || !names_one && !self.choice.merge.is_empty()
    }
}

fn rate(text: &str) -> Result<Rate, String> {
    if text == "keep" {
        return Ok(Rate::Keep);
    }
    positive(text).map(Rate::PerSecond).map_err(|_| "expected keep, or a number above 0".to_owned())
}

const CLIP: &str = "{clip}";

pub fn run(args: &BakeArgs) -> Result {
    if !args.clips.expression.is_empty() {
        return usage_error(
            "--expression: clips have no expressions; `pose`, `screenshot` and `record` show them",
        );
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
    if args.choice.split {
        baked.write_apart(&clips)?;
    } else {
        let count = clips.len();
        if count > 1 && args.output.to_string_lossy().contains(CLIP) {
            return usage_error(format!(
                "-o: {count} clips are written to one file; add --split, or leave {CLIP} out"
            ));
        }
        baked.write(&output(args, clips.first().map(name).unwrap_or_default()), &clips)?;
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

struct Baked<'a> {
    args: &'a BakeArgs,
    model: &'a Model,
    inputs: &'a Inputs,
    /// The names of the clips that the file has itself.
    names: Vec<Option<String>>,
}

impl Baked<'_> {
    fn write_apart(&self, clips: &[Clip]) -> Result {
        if !self.args.output.to_string_lossy().contains(CLIP) {
            return usage_error("--split: -o needs a name with {clip}, such as 'fox_{clip}.glb'");
        }
        let paths: Vec<PathBuf> = clips.iter().map(|clip| output(self.args, name(clip))).collect();
        let mut seen = HashSet::new();
        if let Some(twice) = paths.iter().find(|path| !seen.insert(*path)) {
            let name = shown(twice);
            return usage_error(format!(
                "--split: several clips would be written to {name}; write them one by one with --clip and their index"
            ));
        }
        for (path, clip) in paths.iter().zip(clips) {
            self.write(path, std::slice::from_ref(clip))?;
        }
        Ok(())
    }

    /// Writes a copy of the file with these clips. Warns of extensions that may refer to other ones by their index.
    fn write(&self, path: &Path, clips: &[Clip]) -> Result {
        let Self { args, model, inputs, .. } = self;
        if !self.keep_indices(clips) {
            let name = shown(path);
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
    with_names(&args.output, &stem(&args.file), clip)
}

fn rig(args: &BakeArgs) -> &Path {
    args.choice.retarget.as_ref().unwrap_or(&args.file)
}

fn failed(args: &BakeArgs, error: &ExportError) -> Failure {
    Failure::Output(args.about(&escaped(&error.to_string())))
}

fn write_pose(args: &BakeArgs, path: &Path, model: &mut Model, inputs: &Inputs) -> Result {
    let given = read_pose(path, Some(model))?;
    let (pose, unmatched) = local_pose_of(model, &given.nodes);
    if !given.nodes.is_empty() && unmatched.len() == given.nodes.len() {
        let pose = shown(path);
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

/// A gap at the skin that is only rounding, in metres.
const CLOSED: f64 = 1e-6;

/// Chooses and changes clips of a model, to which those of `--merge` are added.
/// Also returns the distances of reduced ones from what they were, at the skin in millimetres.
pub fn baked_clips(
    args: &BakeArgs,
    model: &mut Model,
    inputs: &Inputs,
) -> Result<(Vec<Clip>, Vec<f64>)> {
    for path in &args.choice.merge {
        let clips = borrowed(path, &args.clips.borrow, model, inputs)?.clips;
        for clip in clips {
            let clip = renamed(clip, &model.clips, &stem(path));
            model.clips.push(clip);
        }
    }
    let model = &*model;
    if model.clips.is_empty() {
        let what = "nothing to bake: the file has no clips";
        return usage_error(args.about(what));
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
    let first = if name.is_empty() { stem.to_owned() } else { format!("{stem} {name}") };
    let numbered = (2..).map(|number| format!("{first} {number}"));
    let mut names = std::iter::once(first.clone()).chain(numbered);
    let name = names.find(|name| !taken.contains(name.as_str()));
    Clip::new(ClipParts { name, ..clip.into_parts() })
}

fn chosen(args: &BakeArgs, model: &Model) -> Result<Vec<Clip>> {
    if args.takes_all() {
        return Ok(model.clips.clone());
    }
    let mut clips: Vec<Clip> = Vec::new();
    let mut taken = HashSet::new();
    if args.clips.names_clip() || args.choice.with_clip.is_empty() {
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
fn refuse_still(args: &BakeArgs, clips: &mut Vec<Clip>) -> Result {
    let line = |clip: &Clip| {
        let name = escaped(clip.name().unwrap_or_default());
        args.about(&format!("clip \"{name}\" moves nothing to bake"))
    };
    let (moving, still): (Vec<Clip>, Vec<Clip>) =
        std::mem::take(clips).into_iter().partition(|clip| !clip.channels().is_empty());
    *clips = moving;
    match still.first() {
        Some(first) if clips.is_empty() => usage_error(line(first)),
        _ => {
            still.iter().for_each(|clip| log::warn!("{}", line(clip)));
            Ok(())
        }
    }
}

/// Warns of joints that the clips move and that have no partner to exchange their motion with.
fn warn_of_unmirrored(args: &BakeArgs, model: &Model, clips: &[Clip]) {
    const NAMED: usize = 4;
    let moved: HashSet<usize> =
        clips.iter().flat_map(Clip::channels).map(|channel| channel.node()).collect();
    let alone: Vec<usize> =
        unmirrored_nodes(model).into_iter().filter(|node| moved.contains(node)).collect();
    if alone.is_empty() {
        return;
    }
    let names = first_of(&alone, NAMED, |node| {
        let name = model.nodes[*node].name.as_deref().unwrap_or_default();
        format!("\"{}\"", short_name(name))
    });
    let what = format!("--mirror: no joint on the other side belongs to {names}: not exchanged");
    log::warn!("{}", args.about(&what));
}

/// Returns the part of a clip that the arguments name. Warns of an end after that of the clip.
fn part(args: &BakeArgs, clip: &Clip) -> Result<Clip> {
    let end = f64::from(clip.duration_secs());
    let (from, to) = (args.edit.from.unwrap_or(0.0), args.edit.to.unwrap_or(end).min(end));
    if from >= to && end > 0.0 {
        let name = escaped(clip.name().unwrap_or_default());
        let what = if from >= end {
            format!("--from {from} is not before the end of clip \"{name}\" at {end} s")
        } else {
            format!("--from {from} is not before --to {to}")
        };
        return usage_error(args.about(&what));
    }
    if let Some(wanted) = args.edit.to.filter(|wanted| *wanted > end + FRAME_SECS) {
        let name = escaped(clip.name().unwrap_or_default());
        let what = format!("--to {wanted} is after the end of clip \"{name}\": cut at {end} s");
        log::warn!("{}", args.about(&what));
    }
    Ok(cut(clip, from, to))
}

/// Applies a repair to every clip. The clips are written to memory, mended there, and read again.
fn mended(args: &BakeArgs, model: &Model, clips: Vec<Clip>, remedy: Remedy) -> Result<Vec<Clip>> {
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
    let gaps = |model: &Model| {
        if closes {
            seams_of(model, &(0..model.clips.len()).collect(), &options.contract)
        } else {
            BTreeMap::new()
        }
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
    let each = clips
        .into_iter()
        .map(|clip| if is_written(&clip) { mended.next().unwrap_or(clip) } else { clip });
    Ok(each.collect())
}

/// Samples and reduces clips. Also returns the distances of reduced ones.
fn in_form(args: &BakeArgs, model: &Model, clips: Vec<Clip>) -> Result<(Vec<Clip>, Vec<f64>)> {
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
            warn_of_instances(&shown(&args.file), model);
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

fn warn_of_samples(args: &BakeArgs, reduced: &ReducedClip) {
    let Some(off) = reduced.samples_off_mm else { return };
    let (name, bound) = (escaped(reduced.clip.name().unwrap_or_default()), args.bound_mm());
    let what = format!(
        "--form reduced: the samples of clip \"{name}\" are {off:.4} mm off at the skin, beyond the bound of {bound} mm: \
         its own keys are reduced; more keys per second (--fps) keep the samples"
    );
    log::warn!("{}", args.about(&what));
}

fn sample(args: &BakeArgs, model: &Model, clip: &Clip, fps: f64) -> Result<Clip> {
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

/// Largest weight of a layer relative to the least one. It keeps sums of weights finite; smaller shares than its inverse are lost
/// in single precision anyway.
const MOST_SHARES: f32 = 1e30;

/// A layer as it is written: `+CLIP@JOINT=WEIGHT`.
#[derive(Debug, PartialEq)]
struct Written<'a> {
    clip: &'a str,
    joint: Option<&'a str>,
    weight: f64,
    is_added: bool,
}

/// Reads a layer. Names may contain the characters that separate its parts: `is_clip` tells whether a clip has a name, and
/// what follows `=` is a weight only if it is a number.
fn read_layer(text: &str, is_clip: impl Fn(&str) -> bool) -> Result<Written<'_>, String> {
    let text = text.trim();
    let (is_added, text) = match text.strip_prefix('+') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text),
    };
    let weighted = text.rsplit_once('=').and_then(|(of, weight)| Some((of, number(weight).ok()?)));
    let (of, weight) = weighted.unwrap_or((text, 1.0));
    let at = || of.match_indices('@').map(|(at, _)| at);
    let named = at().find(|at| is_clip(of[..*at].trim()));
    let (clip, joint) = match named.or_else(|| at().next()).filter(|_| !is_clip(of.trim())) {
        Some(at) => (&of[..at], Some(of[at + 1..].trim())),
        None => (of, None),
    };
    match (clip.trim(), weight) {
        ("", _) => Err("a layer has no clip".into()),
        (_, weight) if weight < 0.0 => Err(format!("the weight {weight} is less than 0")),
        (clip, weight) => Ok(Written { clip, joint, weight, is_added }),
    }
}

/// Makes layers a mean of whole poses. At each joint, those that include it have shares in proportion to their weights; one
/// whose clip does not drive a property has its share in the rest pose. Layers that are added stay as they are.
fn share_weights(model: &Model, layers: &mut [BlendLayer], joints: &[Option<usize>]) {
    let mut means: Vec<(&mut BlendLayer, Option<usize>)> = layers
        .iter_mut()
        .zip(joints.iter().copied())
        .filter(|(layer, _)| layer.reference.is_none() && layer.weight > 0.0)
        .collect();
    // What no clip drives is left out of the mean: rounding would make it differ from the rest pose.
    let mut driven = Mask::of_clip(&Clip::default(), &model.rest);
    means.iter().for_each(|(layer, _)| driven.include(&layer.mask));
    // Where weights sum to less than 1, the rest pose has the remainder, so the least weight becomes 1.
    let least = means.iter().map(|(layer, _)| layer.weight).fold(f32::INFINITY, f32::min);
    for (layer, joint) in &mut means {
        layer.weight = (layer.weight / least).min(MOST_SHARES);
        layer.mask = driven.clone();
        if let Some(joint) = joint {
            layer.mask.keep_subtree(&model.hierarchy, *joint);
        }
    }
}

/// Returns one clip that blends others. It lasts as long as the first one; the others repeat.
pub fn blended(args: &BakeArgs, text: &str, model: &Model) -> Result<Clip> {
    let wrong = |what: String| Failure::Usage(format!("--layers: {}", escaped(&what)));
    let clips: Vec<&Clip> = model.clips.iter().collect();
    let (mut layers, mut joints) = (Vec::new(), Vec::new());
    for part in text.split(';').filter(|part| !part.trim().is_empty()) {
        let names = || model.clips.iter().map(Clip::name);
        let is_clip = |name: &str| names().any(|known| known == Some(name));
        let written = read_layer(part, is_clip).map_err(wrong)?;
        let clip = index_of("clip", written.clip, names()).map_err(|unknown| {
            // A name may contain `=`, so only a clip that exists makes what follows a weight.
            let parts = written.clip.rsplit_once('=');
            let weight = parts.filter(|(of, _)| index_of("clip", of.trim(), names()).is_ok());
            weight.map_or(unknown, |(_, weight)| {
                wrong(format!("the weight of a layer is a number, not \"{weight}\""))
            })
        })?;
        let mut layer = BlendLayer::new(&clips, clip, &model.rest);
        layer.weight = written.weight as f32;
        let joint =
            written.joint.map(|joint| index_of("node", joint, model.node_names())).transpose()?;
        if let Some(joint) = joint {
            layer.mask.keep_subtree(&model.hierarchy, joint);
        }
        if written.is_added {
            let mut reference = model.rest.clone();
            clips[clip].pose(0.0, &model.rest, &mut Cursor::default(), &mut reference);
            layer.reference = Some(reference);
        }
        layers.push(layer);
        joints.push(joint);
    }
    let are_silent = !layers.is_empty() && layers.iter().all(|layer| layer.weight == 0.0);
    let why = "the weight of every layer is 0, so the clip holds the rest pose";
    warn_of_no_effect(&[("--layers", are_silent)], why);
    share_weights(model, &mut layers, &joints);
    let Some(first) = layers.first().map(|layer| clips[layer.clip]) else {
        return Err(wrong("there is no layer".into()));
    };
    let fps = args.keys_per_second().unwrap_or(args.fps);
    let failed = |e: ExportError| match e {
        ExportError::OverBudget(over) => {
            let what = format!("the clip lasts {} s", first.duration_secs());
            Failure::load(&args.file, ImportError::over_budget(&what, over))
        }
        e => Failure::Usage(args.about(&escaped(&e.to_string()))),
    };
    charge_frames(model, first, fps).map_err(failed)?;
    let times = frame_times(first.duration_secs(), fps).map_err(failed)?;
    let names: Vec<&str> =
        layers.iter().map(|layer| clips[layer.clip].name().unwrap_or("clip")).collect();
    let mut mixer = Mixer::default();
    let name = Some(names.join(" + "));
    let blended = sampled_clip(name, &times, &model.rest, |time, out| {
        for layer in &mut layers {
            layer.time_secs = repeated(time, f64::from(clips[layer.clip].duration_secs()));
        }
        pose_layers(&clips, &layers, &model.rest, &mut mixer, out);
    });
    blended.map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_read_with_weight_joint_and_kind() {
        let layer = |clip, joint, weight, is_added| Ok(Written { clip, joint, weight, is_added });
        let parsed = |text| read_layer(text, |name| name == "walk@1");
        assert_eq!(parsed(" Walk = 0.7 "), layer("Walk", None, 0.7, false));
        assert_eq!(parsed("Wave@Arm.L"), layer("Wave", Some("Arm.L"), 1.0, false));
        assert_eq!(
            parsed("+Breath@mixamorig:Spine=.5"),
            layer("Breath", Some("mixamorig:Spine"), 0.5, true)
        );
        assert_eq!(parsed("walk@1=.5"), layer("walk@1", None, 0.5, false));
        assert_eq!(parsed("walk@1@Spine"), layer("walk@1", Some("Spine"), 1.0, false));
        assert_eq!(parsed("a=b"), layer("a=b", None, 1.0, false));
        assert!(parsed("=1").is_err() && parsed("Walk=-1").is_err());
    }
}
