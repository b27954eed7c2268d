//! Which clip a command is about: as typed, then as found in the file.

use std::borrow::Cow;

use super::args::{ClipArgs, ClipsArgs};
use super::choice::{find, unknown};
use super::failure::Failure;
use super::output::Inputs;
use super::warnings::warn_of;
use crate::anim::Clip;
use crate::import::{ImageDecoding, ImportOptions, escaped, load_telling};
use crate::model::{Model, borrowed_clips};
use crate::report::{ClipForm, FormOptions, clip_in_form};
use crate::session::{ClipChoice, several_at_once};

/// The clip that moves a rig, and its index; several clips at once have no index, and the rest pose
/// has no clip.
#[derive(Clone, Debug, Default)]
pub struct Chosen<'a> {
    pub index: Option<usize>,
    pub clip: Option<Cow<'a, Clip>>,
}

/// What was typed about clips, as meant.
pub fn clip_choice(args: &ClipsArgs) -> ClipChoice {
    match (&args.clip, &args.animation_indices[..]) {
        (Some(wanted), _) => ClipChoice::Named(wanted.clone()),
        (None, indices) if args.all_clips || indices.iter().any(|i| *i < 0) => ClipChoice::All,
        (None, []) => ClipChoice::First,
        (None, [index]) => ClipChoice::Named(index.to_string()),
        (None, indices) => {
            let index = |i: &i64| usize::try_from(*i).unwrap_or(usize::MAX);
            ClipChoice::Several(indices.iter().map(index).collect())
        }
    }
}

/// The clip that is asked for, in the form that is asked for. The model has its final clips
/// already ([`take_clips`]).
pub fn chosen_clip<'a>(args: &ClipArgs, model: &'a Model) -> Result<Chosen<'a>, Failure> {
    if args.rest || args.pose.is_some() {
        return Ok(Chosen::default());
    }
    let Chosen { index, clip } = clip_of(&args.clips, model)?;
    let clip = clip.map(|clip| formed(args, model, clip)).transpose()?;
    Ok(Chosen { index, clip })
}

/// The clip that is asked for, as the file has it.
pub fn clip_of<'a>(args: &ClipsArgs, model: &'a Model) -> Result<Chosen<'a>, Failure> {
    let chosen = match clip_choice(args) {
        ClipChoice::First | ClipChoice::All | ClipChoice::Rest if model.clips.is_empty() => {
            return Ok(Chosen::default());
        }
        ClipChoice::First | ClipChoice::Rest => numbered(model, 0),
        ClipChoice::All => several(Clip::all_at_once(&model.clips)),
        ClipChoice::Named(wanted) => numbered(model, find("clip", &wanted, names(model))?),
        ClipChoice::Several(indices) => match several_at_once(&model.clips, &indices) {
            Some(clip) => several(clip),
            None => {
                let missing = indices.iter().find(|i| **i >= model.clips.len());
                let wanted = missing.map(usize::to_string).unwrap_or_default();
                return Err(unknown("clip", &wanted, names(model).enumerate()));
            }
        },
    };
    warn_if_still(args, chosen)
}

fn names(model: &Model) -> impl Iterator<Item = Option<&str>> + Clone {
    model.clips.iter().map(|clip| clip.name())
}

fn numbered(model: &Model, index: usize) -> Chosen<'_> {
    Chosen { index: Some(index), clip: Some(Cow::Borrowed(&model.clips[index])) }
}

fn several<'a>(clip: Clip) -> Chosen<'a> {
    Chosen { index: None, clip: Some(Cow::Owned(clip)) }
}

/// Warns of a clip that moves nothing. One of another file has nothing in common with the rig.
fn warn_if_still<'a>(args: &ClipsArgs, chosen: Chosen<'a>) -> Result<Chosen<'a>, Failure> {
    let Some(clip) = chosen.clip.as_deref().filter(|clip| clip.is_empty()) else {
        return Ok(chosen);
    };
    let name = escaped(clip.name().unwrap_or_default());
    if let Some(file) = &args.clips_from {
        let what = format!("the rig shares no joint with clip \"{name}\"");
        return Err(Failure::No(format!("{}: {what}", escaped(&file.to_string_lossy()))));
    }
    log::warn!("clip \"{name}\" moves nothing: the pose is the rest pose");
    Ok(chosen)
}

/// Replaces a model's clips by those of the file that is named. What does not match is a warning.
pub fn take_clips(args: &ClipsArgs, model: &mut Model, inputs: &Inputs) -> Result<(), Failure> {
    let Some(path) = &args.clips_from else { return Ok(()) };
    let file = escaped(&path.to_string_lossy());
    let options = ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::default() };
    let source =
        load_telling(path, &options, &inputs.progress).map_err(|e| Failure::load(path, e))?;
    if source.model.clips.is_empty() {
        return Err(Failure::Usage(format!("{file}: there is no clip in it")));
    }
    let borrowed = borrowed_clips(model, &source.model)
        .map_err(|e| Failure::No(format!("{file}: {}", escaped(&e.to_string()))))?;
    warn_of(&format!("{file}: "), &source.warnings);
    if borrowed.is_complete() {
        log::info!("{file}: {}", escaped(&borrowed.summary()));
    } else {
        log::warn!("{file}: {}", escaped(&borrowed.summary()));
    }
    model.clips = borrowed.clips;
    Ok(())
}

fn formed<'a>(
    args: &ClipArgs,
    model: &Model,
    clip: Cow<'a, Clip>,
) -> Result<Cow<'a, Clip>, Failure> {
    let options = FormOptions { fps: args.fps, ..FormOptions::default() };
    match args.form.into() {
        ClipForm::Source => Ok(clip),
        form => clip_in_form(model, &clip, form, options)
            .map(Cow::Owned)
            .map_err(|e| Failure::Usage(format!("--form {}: {e}", form.name()))),
    }
}
