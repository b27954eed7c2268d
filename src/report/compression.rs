//! What smaller forms of a clip would cost: bytes, and the error that is seen at the skin's edge.

use std::collections::BTreeSet;

use glam::Affine3A;
use serde::Serialize;

use super::edge::{Edge, EdgeError};
use crate::anim::compress::{
    HALF_KEY_BYTES, MATRIX_BYTES, SampleError, SampledClip, TRANSFORM_BYTES,
};
use crate::anim::reduce::{Tolerance, reduced};
use crate::anim::{Channel, Clip, Interpolation, TimeBase};
use crate::model::{Model, OverBudget};

/// Instants at which a form is measured, at most.
const INSTANTS: usize = 400;
/// Points of the edge times instants, at most: a large model is looked at less often.
const LOOKS: usize = 2_000_000;
/// The same of all clips together, nodes counted too.
const ALL_LOOKS: usize = 64_000_000;
/// Instants at which a clip is measured, at least.
const FEWEST_INSTANTS: usize = 16;
/// Bytes that a sampled transform takes, with the clip that is made of it.
const SAMPLED_BYTES: usize = 200;
/// Instants at which it is seen how far joints reach.
const REACH_INSTANTS: usize = 9;
/// Less than the bound by this much, since between two instants the error may be a little larger.
const ROOM: f64 = 0.9;
/// Halvings in the search for the largest tolerance that keeps the bound.
const SEARCH_STEPS: usize = 7;

/// A form that a clip may be kept in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ClipForm {
    /// As the file has it.
    #[default]
    Source,
    /// Whole transforms at even times, single precision.
    Sampled,
    /// The same in half floats, 16 bytes a joint.
    Packed,
    /// The file's keys without those that the others say within the bound.
    Reduced,
}

impl ClipForm {
    /// All, in the order in which they are listed.
    pub const ALL: [ClipForm; 4] =
        [ClipForm::Source, ClipForm::Sampled, ClipForm::Packed, ClipForm::Reduced];

    /// Whether the form consists of samples at even times.
    pub fn is_sampled(self) -> bool {
        matches!(self, ClipForm::Sampled | ClipForm::Packed)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            ClipForm::Source => "source",
            ClipForm::Sampled => "sampled",
            ClipForm::Packed => "packed",
            ClipForm::Reduced => "reduced",
        }
    }
}

/// What forms are made to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FormOptions {
    /// Samples a second.
    pub fps: f64,
    /// How far reduced keys may carry a vertex at the skin's edge.
    pub bound_mm: f64,
}

impl Default for FormOptions {
    fn default() -> Self {
        Self { fps: 30.0, bound_mm: 0.5 }
    }
}

/// What every clip of a model would cost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CompressionReport {
    /// What the forms were made to.
    #[serde(flatten)]
    pub options: FormOptions,
    /// Points at the skin's edge that were looked at.
    pub points: usize,
    /// The clips.
    pub clips: Vec<ClipCost>,
}

/// What one clip would cost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClipCost {
    /// Its number.
    pub index: usize,
    /// Its name.
    pub name: Option<String>,
    /// Nodes whose transforms it drives.
    pub joints: usize,
    /// Frames when it is sampled.
    pub frames: usize,
    /// Instants at which it was measured.
    pub instants: usize,
    /// Its forms.
    pub forms: Vec<FormCost>,
}

/// What one form costs. Morph weights count in all forms with the keys that the clip has.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FormCost {
    /// `source`, `sampled`, `matrices`, `packed` or `reduced`.
    pub form: &'static str,
    /// Bytes a joint and frame, of the sampled forms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_a_key: Option<usize>,
    /// Keys: of channels, or joints times frames.
    pub keys: usize,
    /// All keys' bytes, times included.
    pub bytes: usize,
    /// How far it carries the skin's edge from where the source does; none of the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<EdgeError>,
}

/// Why forms of clips can't be made or measured.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FormError {
    /// A clip can't be sampled at the rate.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// The samples of a clip do not fit in the file's budget.
    #[error("a clip of {secs} s sampled: {over}")]
    OverBudget {
        /// The clip's length.
        secs: f32,
        /// What does not fit.
        over: OverBudget,
    },
    /// Measuring all clips would take too long.
    #[error("{clips} clips of {points} points and {nodes} nodes are too many to measure")]
    TooMany {
        /// Clips there are.
        clips: usize,
        /// Points at the skin's edge.
        points: usize,
        /// Nodes there are.
        nodes: usize,
    },
}

/// What the clips of a model would cost in each form.
///
/// # Errors
/// When a clip is too long to be sampled, or there are too many for so large a model.
pub fn compression_report(
    model: &Model,
    options: FormOptions,
) -> Result<CompressionReport, FormError> {
    let mut edge = Edge::new(model);
    let (clips, points, nodes) = (model.clips.len(), edge.len(), model.nodes.len());
    let most = ALL_LOOKS / clips.saturating_mul(points + nodes).max(1);
    if most < FEWEST_INSTANTS {
        return Err(FormError::TooMany { clips, points, nodes });
    }
    let most = most.min(instants_of(points));
    let mut measure = Measure { edge: &mut edge, most_instants: most, options };
    let clips = (0..clips).map(|index| clip_cost(model, index, &mut measure));
    let clips = clips.collect::<Result<_, _>>()?;
    Ok(CompressionReport { options, points: edge.len(), clips })
}

/// A clip of a model in another form; it plays like the clip.
///
/// # Errors
/// When it is too long to be sampled.
pub fn clip_in_form(
    model: &Model,
    clip: &Clip,
    form: ClipForm,
    options: FormOptions,
) -> Result<Clip, FormError> {
    let sampled = || sampled(model, clip, options.fps);
    Ok(match form {
        ClipForm::Source => clip.clone(),
        ClipForm::Sampled => sampled()?.to_clip(),
        ClipForm::Packed => sampled()?.to_packed_clip(),
        ClipForm::Reduced => {
            let mut edge = Edge::new(model);
            let times = instants(clip, instants_of(edge.len()), options.fps);
            reduced_within(&mut edge, clip, &times, options.bound_mm)
        }
    })
}

/// Checks that a clip can be converted by [`clip_in_form`], without the long search for the keys of
/// [`ClipForm::Reduced`], which can't fail.
///
/// # Errors
/// As [`clip_in_form`].
pub fn check_form(
    model: &Model,
    clip: &Clip,
    form: ClipForm,
    options: FormOptions,
) -> Result<(), FormError> {
    match form {
        ClipForm::Source | ClipForm::Reduced => Ok(()),
        ClipForm::Sampled | ClipForm::Packed => sampled(model, clip, options.fps).map(drop),
    }
}

/// How clips are measured.
struct Measure<'a, 'm> {
    edge: &'a mut Edge<'m>,
    /// Instants at which a clip is measured, at most.
    most_instants: usize,
    options: FormOptions,
}

fn clip_cost(model: &Model, index: usize, measure: &mut Measure) -> Result<ClipCost, FormError> {
    let Measure { edge, most_instants, options } = measure;
    let clip = &model.clips[index];
    let times = instants(clip, *most_instants, options.fps);
    let sampled = sampled(model, clip, options.fps)?;
    let (frames, keys) = (sampled.times.len(), sampled.keys());
    let weights = |clip: &Clip| -> usize {
        let own = clip.channels().iter().filter(|c| matches!(c, Channel::Weights { .. }));
        own.map(channel_bytes).sum()
    };
    let bytes = |clip: &Clip| clip.channels().iter().map(channel_bytes).sum();
    let key_count = |clip: &Clip| clip.channels().iter().map(|c| c.times().len()).sum();
    let at_rate = |form, bytes_a_key, error| FormCost {
        form,
        bytes_a_key: Some(bytes_a_key),
        keys,
        bytes: keys * bytes_a_key + weights(clip),
        error: Some(error),
    };
    let few = reduced_within(edge, clip, &times, options.bound_mm);
    let forms = vec![
        FormCost {
            form: "source",
            bytes_a_key: None,
            keys: key_count(clip),
            bytes: bytes(clip),
            error: None,
        },
        at_rate("sampled", TRANSFORM_BYTES, edge.between(clip, &sampled.to_clip(), &times)),
        at_rate("matrices", MATRIX_BYTES, matrix_error(edge, clip, &sampled, &times)),
        at_rate("packed", HALF_KEY_BYTES, edge.between(clip, &sampled.to_packed_clip(), &times)),
        FormCost {
            form: "reduced",
            bytes_a_key: None,
            keys: key_count(&few),
            bytes: bytes(&few),
            error: Some(edge.between(clip, &few, &times)),
        },
    ];
    let (name, joints) = (clip.name().map(str::to_owned), sampled.nodes.len());
    Ok(ClipCost { index, name, joints, frames, instants: times.len(), forms })
}

/// A clip sampled at a rate, if there is room for that.
fn sampled(model: &Model, clip: &Clip, fps: f64) -> Result<SampledClip, FormError> {
    let mut nodes: Vec<usize> = clip.channels().iter().map(Channel::node).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let frames = (f64::from(clip.duration_secs()) * fps) as usize + 2;
    let room = model.budget.holds(frames.saturating_mul(nodes.len().max(1)), SAMPLED_BYTES);
    room.map_err(|over| FormError::OverBudget { secs: clip.duration_secs(), over })?;
    Ok(SampledClip::new(clip, &model.rest, TimeBase::per_sec(fps))?)
}

/// Instants at which so many points are looked at, at most.
fn instants_of(points: usize) -> usize {
    (LOOKS / points.max(1)).clamp(FEWEST_INSTANTS, INSTANTS)
}

/// When a clip is looked at: at all keys and frames and between them, or evenly at fewer where
/// those are too many.
fn instants(clip: &Clip, most: usize, fps: f64) -> Vec<f64> {
    let mut at: BTreeSet<u64> = BTreeSet::new();
    let duration = f64::from(clip.duration_secs());
    // Times from 0 on have the order of their bits.
    let keys = clip.channels().iter().flat_map(|c| c.times()).map(|t| f64::from(*t).to_bits());
    for key in keys {
        at.insert(key);
        if at.len() > most {
            break;
        }
    }
    let frames = duration * fps;
    if at.len() <= most && frames < most as f64 {
        at.extend((0..=frames as u64).map(|frame| (frame as f64 / fps).min(duration).to_bits()));
        at.insert(duration.to_bits());
    }
    let mut times: Vec<f64> = at.iter().map(|bits| f64::from_bits(*bits)).collect();
    if times.len() <= most / 2 {
        let middles: Vec<f64> = times.windows(2).map(|t| 0.5 * (t[0] + t[1])).collect();
        times.extend(middles);
    }
    if times.len() > most || times.is_empty() {
        times = (0..most).map(|i| duration * i as f64 / (most - 1) as f64).collect();
    }
    times.sort_by(f64::total_cmp);
    times
}

/// The clip with as few keys as keep the edge within a bound at these times.
///
/// Every channel may do its share of the error: the bound over the channels of its chain, over the lever
/// from the node to the furthest vertex. Errors seldom add up, so larger shares are tried, and the
/// largest is taken that is measured to keep the bound.
fn reduced_within(edge: &mut Edge, clip: &Clip, times: &[f64], bound_mm: f64) -> Clip {
    let levers = edge.levers(clip, REACH_INSTANTS);
    let with = |share: f64| {
        reduced(clip, |node| {
            let lever = &levers[node];
            let most = share * bound_mm / 1000.0 / lever.chain as f64;
            let over = |length: f64| if length > 0.0 { most / length } else { 0.0 };
            Tolerance {
                translation: over(lever.scale),
                rotation: over(lever.reach).min(0.5),
                scale: over(lever.reach).min(0.5),
                weights: over(lever.morph),
            }
        })
    };
    let mut keeps = |few: &Clip| edge.between(clip, few, times).worst_mm <= ROOM * bound_mm;
    let (mut low, mut high) = (0.0, 64.0);
    let mut best = with(0.0);
    for step in 0..SEARCH_STEPS {
        // First the plain share, which nearly always keeps it.
        let share = if step == 0 { 1.0 } else { f64::midpoint(low, high) };
        let few = with(share);
        if keeps(&few) {
            (low, best) = (share, few);
        } else {
            high = share;
        }
    }
    // The edge stands for all vertices: where one of those strays further, less is left out.
    let step = (times.len() * edge.vertex_count() / LOOKS).max(1);
    let times: Vec<f64> = times.iter().copied().step_by(step).collect();
    for _ in 0..SEARCH_STEPS {
        let worst_mm = edge.furthest_mm(clip, &best, &times);
        if worst_mm <= ROOM * bound_mm {
            break;
        }
        low *= 0.9 * ROOM * bound_mm / worst_mm;
        best = with(low);
    }
    best
}

/// What it costs to interpolate matrices entry by entry.
fn matrix_error(edge: &mut Edge, clip: &Clip, sampled: &SampledClip, times: &[f64]) -> EdgeError {
    let (count, frames) = (sampled.nodes.len(), &sampled.times);
    let matrix = |frame: usize, i: usize| sampled.transforms[frame * count + i].parent_from_node();
    edge.between_matrices(clip, &sampled.nodes, times, |time| {
        let at = frames.partition_point(|t| f64::from(*t) <= time).saturating_sub(1);
        let next = (at + 1).min(frames.len() - 1);
        let (from, to) = (f64::from(frames[at]), f64::from(frames[next]));
        let u = if to > from { ((time - from) / (to - from)).clamp(0.0, 1.0) as f32 } else { 0.0 };
        let between = |i: usize| {
            let (a, b) = (matrix(at, i), matrix(next, i));
            Affine3A {
                matrix3: a.matrix3 * (1.0 - u) + b.matrix3 * u,
                translation: a.translation * (1.0 - u) + b.translation * u,
            }
        };
        (0..count).map(between).collect()
    })
}

/// The bytes of a channel's times and values in single precision.
fn channel_bytes(channel: &Channel) -> usize {
    let value = match channel {
        Channel::Translation { .. } | Channel::Scale { .. } => 12,
        Channel::Rotation { .. } => 16,
        Channel::Weights { track, .. } => 4 * track.width(),
    };
    let lists = if channel.interpolation() == Interpolation::CubicSpline { 3 } else { 1 };
    channel.times().len() * (4 + lists * value)
}
