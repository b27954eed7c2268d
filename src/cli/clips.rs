//! Which clips a command plays: resolves the arguments against the file.

use std::borrow::Cow;
use std::path::Path;

use super::args::clip::{BorrowArgs, ClipArgs, ClipsArgs};
use super::args::look::Switch;
use super::choice::load_file;
use super::failure::{Failure, Result, shown, usage_error};
use super::input::import_options;
use super::lookup::{index_of, no_such};
use super::output::Inputs;
use super::warnings::{warn_of, warn_of_no_effect};
use rigview_anim::{Clip, DrivenTarget, SharedTargets};
use rigview_import::{ImageDecoding, escaped, parse_map, read_file};
use rigview_model::{Model, quoted};
use rigview_report::{ClipForm, FormOptions, check_form, clip_bytes, clip_in_form, counted};
use rigview_rig::{
    BorrowedClips, MapChoice, RetargetError, add_springs, borrowed_clips, show_expressions,
};
use rigview_session::{ClipChoice, Retargeting, several_at_once};

#[derive(Clone, Debug, Default)]
pub struct ChosenClip<'a> {
    /// The clip's index; `None` for several clips at once and for the rest pose.
    pub index: Option<usize>,
    /// The clip; `None` for the rest pose.
    pub clip: Option<Cow<'a, Clip>>,
}

/// The clips of a model that are selected, as valid indices.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ClipSelection {
    Rest,
    One(usize),
    Several(Vec<usize>),
    /// All clips at once; there is at least one.
    All,
}

/// Converts the arguments to a choice that is not resolved yet.
pub fn clip_choice(args: &ClipsArgs) -> ClipChoice {
    let index = |i: &i64| usize::try_from(*i).unwrap_or(usize::MAX);
    match (&args.clip, &args.animation_indices[..]) {
        (Some(wanted), _) => ClipChoice::Named(wanted.clone()),
        (None, indices) if args.all_clips || indices.iter().any(|i| *i < 0) => ClipChoice::All,
        (None, []) => ClipChoice::First,
        (None, [one]) => ClipChoice::Index(index(one)),
        (None, some) => ClipChoice::Several(some.iter().map(index).collect()),
    }
}

const LARGEST_MAP: u64 = 1 << 20;

/// Returns how clips of another file are converted.
pub fn retargeting(args: &BorrowArgs) -> Result<Retargeting> {
    let mut retargeting = Retargeting::default();
    retargeting.options.align_rest = args.align_rest;
    retargeting.options.pin_feet = args.pin_feet;
    retargeting.options.map = match args.map.to_str() {
        Some("auto") => MapChoice::Auto,
        Some("exact") => MapChoice::Exact,
        _ => {
            let path = &args.map;
            let bytes = read_file(path, LARGEST_MAP).map_err(|e| Failure::load(path, e))?;
            let name = shown(path);
            let wrong = |what: &str| Failure::Usage(format!("{name}: {}", escaped(what)));
            let text = String::from_utf8(bytes).map_err(|_| wrong("the table is not UTF-8"))?;
            let table = parse_map(&text).map_err(|e| wrong(&e.to_string()))?;
            retargeting.file = Some(path.clone());
            MapChoice::Table(table)
        }
    };
    Ok(retargeting)
}

/// Shows the expressions of the arguments, replaces a model's clips by those of the `--clips-from` file if one is
/// given, and adds the motion of springs. Parts that do not match are logged as a warning.
pub fn replace_clips(args: &ClipsArgs, model: &mut Model, inputs: &Inputs) -> Result {
    if args.borrow.clips_from.is_none() {
        warn_of_bvh_scale(args.bvh_scale(), model);
    }
    replace_some_clips(args, model, inputs)
}

/// Like [`replace_clips`], for a command that reads further files.
pub fn replace_some_clips(args: &ClipsArgs, model: &mut Model, inputs: &Inputs) -> Result {
    show_expressions(model, &args.expression)
        .map_err(|e| Failure::Usage(escaped(&e.to_string())))?;
    if let Some(path) = &args.borrow.clips_from {
        model.clips = borrowed(path, &args.borrow, model, inputs)?.clips;
    }
    if args.springs == Some(Switch::On) {
        let has_none = model.vrm.as_ref().is_none_or(|vrm| vrm.springs.is_empty());
        warn_of_no_effect(&[("--springs on", has_none)], "the file has no spring bones");
        for error in add_springs(model) {
            log::warn!("{error}");
        }
    }
    Ok(())
}

/// Returns the clips of another file on a model's rig. Parts that do not match are logged as a warning.
pub fn borrowed(
    path: &Path,
    args: &BorrowArgs,
    model: &Model,
    inputs: &Inputs,
) -> Result<BorrowedClips> {
    let file = shown(path);
    let retargeting = retargeting(args)?;
    let options = import_options(ImageDecoding::Headers, args.bvh_scale());
    let source = load_file(path, &options, inputs)?;
    if source.model.clips.is_empty() {
        return usage_error(format!("{file}: the file has no clips"));
    }
    let borrowed = borrowed_clips(model, &source.model, &retargeting.options);
    let borrowed = borrowed.map_err(|e| {
        let what = escaped(&e.to_string());
        match e {
            RetargetError::NothingShared(_) => Failure::No(format!("{file}: {what}")),
            RetargetError::UnknownJoint(_) => {
                Failure::Usage(format!("{}: {what}", shown(&args.map)))
            }
            RetargetError::TooLarge(_) => Failure::Usage(format!("{file}: {what}")),
        }
    })?;
    warn_of(&format!("{file}: "), &source.warnings);
    let level = if borrowed.is_complete() { log::Level::Info } else { log::Level::Warn };
    log::log!(level, "{file}: {}", escaped(&borrowed.summary()));
    if let Some(bent) = borrowed.bent_limbs() {
        log::warn!("{file}: {}; --align-rest turns its rest pose first", escaped(&bent));
    }
    if args.pin_feet && borrowed.held_feet == 0 {
        log::warn!(
            "{file}: --pin-feet holds nothing: no foot of the clips stands, or no leg of the rig follows one of theirs"
        );
    }
    Ok(borrowed)
}

/// Checks the arguments against a model whose clips are final ([`replace_clips`]), for a session
/// that builds the clip itself.
pub fn check_clips(args: &ClipArgs, model: &Model) -> Result {
    if args.shows_no_clip() {
        warn_without_clip(args);
        return Ok(());
    }
    let selection = selection(&args.clips, model)?;
    let form: ClipForm = args.form.into();
    let needs_clip = !args.times_secs().is_empty() || form.is_sampled();
    if !needs_clip && selection != ClipSelection::Rest {
        return Ok(());
    }
    let chosen = selected_clip(selection, model);
    warn_of_times(args, &chosen);
    if form.is_sampled()
        && let Some(clip) = chosen.clip
    {
        check_form(model, &clip, form, form_options(args)).map_err(|e| form_failure(form, &e))?;
    }
    Ok(())
}

/// Returns the selected clip in the requested form. The model's clips must be final
/// ([`replace_clips`]).
pub fn chosen_clip<'a>(args: &ClipArgs, model: &'a Model) -> Result<ChosenClip<'a>> {
    if args.shows_no_clip() {
        warn_without_clip(args);
        return Ok(ChosenClip::default());
    }
    let chosen = source_clip(&args.clips, model)?;
    warn_of_times(args, &chosen);
    let ChosenClip { index, clip } = chosen;
    let form: ClipForm = args.form.into();
    let clip = match clip {
        Some(clip) if form != ClipForm::Source => {
            let formed = clip_in_form(model, &clip, form, form_options(args));
            Some(Cow::Owned(formed.map_err(|e| form_failure(form, &e))?))
        }
        clip => clip,
    };
    Ok(ChosenClip { index, clip })
}

/// Tolerance of the ends of clips, in seconds: durations are single precision, and are typed with few digits.
pub const ROUNDED_SECS: f64 = 1e-3;

/// Warns of an instant and a form where `--rest` or `--pose` shows no clip.
fn warn_without_clip(args: &ClipArgs) {
    let of_clips = [
        ("--time", !args.time.is_empty()),
        ("--frame", !args.frame.is_empty()),
        ("--form", ClipForm::from(args.form) != ClipForm::Source),
    ];
    warn_of_given(args, &of_clips);
}

/// Warns of options about a clip, as far as they were given, where `--rest` or `--pose` shows none.
pub fn warn_of_given(args: &ClipArgs, of_clips: &[(&str, bool)]) {
    let Some(shown) = args.instead_of_clip() else { return };
    warn_of_no_effect(of_clips, &format!("{shown} shows no clip"));
}

/// Warns of a frame rate that neither an instant nor the form of the clip uses.
pub fn warn_of_clip_fps(args: &ClipArgs) {
    if args.frame.is_empty() && ClipForm::from(args.form) == ClipForm::Source {
        let is_given = args.fps.is_some();
        warn_of_no_effect(&[("--fps", is_given)], "it counts frames, as of --frame");
    }
}

/// Warns of a scale of BVH files if the only file that is read is none.
pub fn warn_of_bvh_scale(scale: Option<f32>, model: &Model) {
    if !model.source.is_bvh() {
        warn_of_no_effect(&[("--bvh-scale", scale.is_some())], "the file is no BVH file");
    }
}

/// Warns of instants that the clip does not have, and of a form without a clip.
fn warn_of_times(args: &ClipArgs, chosen: &ChosenClip<'_>) {
    let option = if args.time.is_empty() { "--frame" } else { "--time" };
    let Some(clip) = chosen.clip.as_deref() else {
        if args.times_secs().iter().any(|time| *time != 0.0) {
            log::warn!("{option} has no effect: the file has no clips");
        }
        if ClipForm::from(args.form) != ClipForm::Source {
            log::warn!("--form has no effect: the file has no clips");
        }
        return;
    };
    let end = clip.duration_secs();
    let lasts = (1e3 * f64::from(end)).round() / 1e3;
    for time in args.times_secs() {
        let what = match time {
            _ if time < 0.0 => "before the start of",
            _ if time > f64::from(end) + ROUNDED_SECS => "after the end of",
            _ => continue,
        };
        let name = clip.name().map(|name| format!(" \"{}\"", escaped(name))).unwrap_or_default();
        log::warn!(
            "{option}: {time} s is {what} the clip{name}, which lasts {lasts} s; its nearest pose is shown"
        );
    }
}

/// Returns the selected clip as the file has it.
pub fn source_clip<'a>(args: &ClipsArgs, model: &'a Model) -> Result<ChosenClip<'a>> {
    Ok(selected_clip(selection(args, model)?, model))
}

/// Resolves the arguments and warns if the selected clips move nothing.
fn selection(args: &ClipsArgs, model: &Model) -> Result<ClipSelection> {
    let names = model.clips.iter().map(Clip::name);
    let missing = |index: &usize| no_such("clip", &index.to_string(), names.clone().enumerate());
    let selection = match clip_choice(args) {
        ClipChoice::First | ClipChoice::All | ClipChoice::Rest if model.clips.is_empty() => {
            ClipSelection::Rest
        }
        ClipChoice::First | ClipChoice::Rest => ClipSelection::One(0),
        ClipChoice::All => ClipSelection::All,
        ClipChoice::Named(wanted) => ClipSelection::One(index_of("clip", &wanted, names.clone())?),
        ClipChoice::Index(index) if index < model.clips.len() => ClipSelection::One(index),
        ClipChoice::Index(index) => return Err(missing(&index)),
        ClipChoice::Several(indices) => {
            indices
                .iter()
                .find(|i| **i >= model.clips.len())
                .map_or(Ok(()), |i| Err(missing(i)))?;
            ClipSelection::Several(indices)
        }
    };
    if matches!(selection, ClipSelection::All | ClipSelection::Several(_)) {
        charge_joined(model)?;
        warn_of_shared(&selection, model);
    }
    let is_still = match &selection {
        ClipSelection::Rest => false,
        ClipSelection::One(index) => model.clips[*index].is_empty(),
        ClipSelection::Several(indices) => indices.iter().all(|i| model.clips[*i].is_empty()),
        ClipSelection::All => model.clips.iter().all(Clip::is_empty),
    };
    if is_still {
        refuse_still(args, &selected_clip(selection.clone(), model))?;
    }
    Ok(selection)
}

/// Warns if clips that play at once drive the same targets.
fn warn_of_shared(selection: &ClipSelection, model: &Model) {
    let played: Vec<usize> = match selection {
        ClipSelection::Several(indices) => indices.clone(),
        _ => (0..model.clips.len()).collect(),
    };
    let clips = played.iter().map(|index| &model.clips[*index]);
    let Some(SharedTargets { first, clips, count }) = SharedTargets::find(clips) else { return };
    let what = match first {
        DrivenTarget::Node(node, path) => {
            format!("the {path} of node {node} {}", quoted(&model.node_name(node)))
        }
        DrivenTarget::Slot(slot) => model.slot_name(model.slots[slot]),
    };
    let name = |index: usize| quoted(model.clips[index].name().unwrap_or_default());
    let [one, other] = clips.map(|at| format!("{} {}", played[at], name(played[at])));
    let more = match count - 1 {
        0 => String::new(),
        more => format!(", and {}", counted(more, "further target")),
    };
    log::warn!("clips {one} and {other} both drive {what}{more}: the last clip wins");
}

/// Checks that the file's budget has room for a copy of all clips.
fn charge_joined(model: &Model) -> Result {
    let bytes = model.clips.iter().map(clip_bytes).fold(0, usize::saturating_add);
    model.budget.holds(bytes, 1).map_err(|over| {
        let limit = over.limit >> 20;
        let what = format!("playing several clips at once: their keys take over {limit} MiB twice");
        Failure::Usage(format!("{what}; choose one with --clip"))
    })
}

/// Warns of a clip that moves nothing. One of another file is an error: that file has nothing in common with the rig.
fn refuse_still(args: &ClipsArgs, chosen: &ChosenClip) -> Result {
    let name = escaped(chosen.clip.as_ref().and_then(|clip| clip.name()).unwrap_or_default());
    if let Some(file) = &args.borrow.clips_from {
        let file = shown(file);
        return Err(Failure::No(format!("{file}: the rig shares no joint with clip \"{name}\"")));
    }
    log::warn!("clip \"{name}\" moves nothing: the pose is the rest pose");
    Ok(())
}

fn selected_clip(selection: ClipSelection, model: &Model) -> ChosenClip<'_> {
    let several = |clip| ChosenClip { index: None, clip: Some(Cow::Owned(clip)) };
    match selection {
        ClipSelection::Rest => ChosenClip::default(),
        ClipSelection::One(index) => {
            ChosenClip { index: Some(index), clip: Some(Cow::Borrowed(&model.clips[index])) }
        }
        ClipSelection::Several(indices) => {
            several_at_once(&model.clips, &indices).map(several).unwrap_or_default()
        }
        ClipSelection::All => several(Clip::all_at_once(&model.clips)),
    }
}

fn form_options(args: &ClipArgs) -> FormOptions {
    FormOptions { fps: args.fps(), ..FormOptions::default() }
}

fn form_failure(form: ClipForm, error: &rigview_report::FormError) -> Failure {
    Failure::Usage(format!("--form {}: {error}", form.name()))
}
