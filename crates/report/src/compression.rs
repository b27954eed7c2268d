//! Size and error of the smaller forms of a clip. The error is measured at the skin's edge.

use std::collections::BTreeSet;

use glam::Affine3A;
use serde::Serialize;

use super::clip_form::ClipForm;
use super::edge::{Edge, EdgeError};
use rigview_anim::compress::{
    HALF_KEY_BYTES, MATRIX_BYTES, SampleError, SampledClip, TRANSFORM_BYTES,
};
use rigview_anim::reduce::{Tolerance, reduced};
use rigview_anim::{Channel, Clip, Interpolation, TimeBase};
use rigview_model::{Model, OverBudget};

/// Upper limit of the times at which a form is measured.
const MOST_TIMES: usize = 400;
/// Limit of points times sampled times per clip: a large model is measured at fewer times.
const PROBES: usize = 2_000_000;
/// The same limit for all clips together, where a node counts as much as four points.
const ALL_PROBES: usize = 64_000_000;
/// Limit of clips times vertices. All vertices of every clip are posed a few times, whatever the limits above.
const ALL_VERTICES: usize = 256_000_000;
/// Times at which a clip is measured, at least.
const FEWEST_TIMES: usize = 16;
/// Memory per sampled transform in bytes, including the clip that is built from it.
const SAMPLED_BYTES: usize = 200;
/// Times at which the reach of joints is measured.
const REACH_TIMES: usize = 9;
/// Fraction of the bound that measured errors may use, since errors between two measured times can be
/// slightly larger.
const HEADROOM: f64 = 0.9;
/// Steps of the binary search for the largest tolerance within the bound.
const SEARCH_STEPS: usize = 7;

/// Parameters of the conversion to other forms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FormOptions {
    /// Samples per second.
    pub fps: f64,
    /// The largest error of a vertex at the skin's edge after reduction, in millimetres.
    pub bound_mm: f64,
}

impl Default for FormOptions {
    fn default() -> Self {
        Self { fps: 30.0, bound_mm: 0.5 }
    }
}

/// Size and error of all clips of a model in each form.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CompressionReport {
    /// The parameters of the conversion.
    #[serde(flatten)]
    pub options: FormOptions,
    /// Number of measured points at the skin's edge.
    pub points: usize,
    /// The clips.
    pub clips: Vec<ClipCost>,
}

/// Size and error of one clip in each form.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClipCost {
    /// Index of the clip.
    pub index: usize,
    /// The clip's name.
    pub name: Option<String>,
    /// Number of nodes whose transforms the clip drives.
    pub joints: usize,
    /// Number of frames after sampling.
    pub frames: usize,
    /// Number of times at which the error was measured.
    pub instants: usize,
    /// The forms.
    pub forms: Vec<FormCost>,
}

/// Size and error of one form. In all forms, morph weights count with their original keys.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FormCost {
    /// `source`, `sampled`, `matrices`, `packed` or `reduced`.
    pub form: &'static str,
    /// Bytes per joint and frame; only for sampled forms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_a_key: Option<usize>,
    /// Number of keys; for sampled forms, joints times frames.
    pub keys: usize,
    /// Bytes of all keys, including their times.
    pub bytes: usize,
    /// Error at the skin's edge against the source; `None` for the source itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<EdgeError>,
}

/// Why a clip can't be converted or measured.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FormError {
    /// A clip has too many frames at the sample rate.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// The samples of a clip exceed the file's budget.
    #[error("sampling a clip of {secs} s: {over}")]
    OverBudget {
        /// The clip's duration in seconds.
        secs: f32,
        /// The exceeded budget.
        over: OverBudget,
    },
    /// The names of nodes in the report exceed the file's budget.
    #[error("naming a node in each of {rows} rows: {over}")]
    Names {
        /// Number of rows that name a node.
        rows: usize,
        /// The exceeded budget.
        over: OverBudget,
    },
    /// Measuring all clips would take too long.
    #[error("{clips} clips on {points} points and {nodes} nodes are too many to measure")]
    TooMany {
        /// Number of clips.
        clips: usize,
        /// Number of measured points: those at the skin's edge, or all vertices.
        points: usize,
        /// Number of nodes.
        nodes: usize,
    },
}

/// Measures size and error of a model's clips in each form.
///
/// # Errors
/// If a clip is too long to be sampled, there are too many clips for the model's size, or the names in the report would
/// exceed the file's budget.
pub fn compression_report(
    model: &Model,
    options: FormOptions,
) -> Result<CompressionReport, FormError> {
    let mut edge = Edge::new(model);
    let (clips, points, nodes) = (model.clips.len(), edge.len(), model.nodes.len());
    let vertices = edge.vertex_count();
    if clips.saturating_mul(vertices) > ALL_VERTICES {
        return Err(FormError::TooMany { clips, points: vertices, nodes });
    }
    let most = ALL_PROBES / clips.saturating_mul(points + 4 * nodes).max(1);
    if most < FEWEST_TIMES {
        return Err(FormError::TooMany { clips, points, nodes });
    }
    // Each form of a clip has a row, but the source is exact.
    let rows = FORMS_WITH_AN_ERROR * clips;
    let longest = model.nodes.iter().filter_map(|n| n.name.as_ref()).map(String::len).max();
    let names = model.budget.holds(rows, longest.unwrap_or(0));
    names.map_err(|over| FormError::Names { rows, over })?;
    let most = most.min(most_times(points));
    let mut measure = Measure { edge: &mut edge, most_times: most, options };
    let clips = (0..clips).map(|index| clip_cost(model, index, &mut measure));
    let clips = clips.collect::<Result<_, _>>()?;
    Ok(CompressionReport { options, points: edge.len(), clips })
}

/// Converts a clip of a model to another form, as a clip that plays like it.
///
/// # Errors
/// If the clip is too long to be sampled.
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
            let times = instants(clip, most_times(edge.len()), options.fps);
            reduced_within(&mut edge, clip, &times, options.bound_mm)
        }
    })
}

/// Checks that a clip can be converted by [`clip_in_form`], without converting it.
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
        ClipForm::Sampled | ClipForm::Packed => {
            charge_samples(model, clip, options.fps)?;
            Ok(SampledClip::check(clip, TimeBase::per_sec(options.fps))?)
        }
    }
}

/// Forms of a clip that name the node of their largest error.
const FORMS_WITH_AN_ERROR: usize = 4;

/// How clips are measured.
struct Measure<'a, 'm> {
    edge: &'a mut Edge<'m>,
    /// Limit of measured times per clip.
    most_times: usize,
    options: FormOptions,
}

fn clip_cost(model: &Model, index: usize, measure: &mut Measure) -> Result<ClipCost, FormError> {
    let Measure { edge, most_times, options } = measure;
    let clip = &model.clips[index];
    let times = instants(clip, *most_times, options.fps);
    let sampled = sampled(model, clip, options.fps)?;
    let (frames, keys) = (sampled.times.len(), sampled.keys());
    let weights = |clip: &Clip| -> usize {
        let own = clip.channels().iter().filter(|c| matches!(c, Channel::Weights { .. }));
        own.map(channel_bytes).sum()
    };
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
            bytes: clip_bytes(clip),
            error: None,
        },
        at_rate("sampled", TRANSFORM_BYTES, edge.between(clip, &sampled.to_clip(), &times)),
        at_rate("matrices", MATRIX_BYTES, matrix_error(edge, clip, &sampled, &times)),
        at_rate("packed", HALF_KEY_BYTES, edge.between(clip, &sampled.to_packed_clip(), &times)),
        FormCost {
            form: "reduced",
            bytes_a_key: None,
            keys: key_count(&few),
            bytes: clip_bytes(&few),
            error: Some(edge.between(clip, &few, &times)),
        },
    ];
    let (name, joints) = (clip.name().map(str::to_owned), sampled.nodes.len());
    Ok(ClipCost { index, name, joints, frames, instants: times.len(), forms })
}

/// Samples a clip, within the file's budget.
fn sampled(model: &Model, clip: &Clip, fps: f64) -> Result<SampledClip, FormError> {
    charge_samples(model, clip, fps)?;
    Ok(SampledClip::new(clip, &model.rest, TimeBase::per_sec(fps))?)
}

/// Checks that the samples of a clip fit in the file's budget.
fn charge_samples(model: &Model, clip: &Clip, fps: f64) -> Result<(), FormError> {
    let mut nodes: Vec<usize> = clip.channels().iter().map(Channel::node).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let frames = (f64::from(clip.duration_secs()) * fps) as usize + 2;
    let room = model.budget.holds(frames.saturating_mul(nodes.len().max(1)), SAMPLED_BYTES);
    room.map_err(|over| FormError::OverBudget { secs: clip.duration_secs(), over })
}

/// Returns the limit of measured times for this number of points.
fn most_times(points: usize) -> usize {
    (PROBES / points.max(1)).clamp(FEWEST_TIMES, MOST_TIMES)
}

/// Returns the times at which a clip is measured: all keys and frames and the middles between them, or
/// evenly spaced ones if these are too many.
fn instants(clip: &Clip, most: usize, fps: f64) -> Vec<f64> {
    let mut at: BTreeSet<u64> = BTreeSet::new();
    let duration = f64::from(clip.duration_secs());
    // The bits of non-negative floats sort like the floats.
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

/// Removes as many keys from a clip as the error bound at these times allows.
///
/// The tolerance of a channel is the bound, divided by the number of channels in its chain and by the
/// lever from the node to the furthest vertex. Errors rarely add up, so larger multiples of this
/// tolerance are tried too; the largest one whose measured error is within the bound is used.
fn reduced_within(edge: &mut Edge, clip: &Clip, times: &[f64], bound_mm: f64) -> Clip {
    let levers = edge.levers(clip, REACH_TIMES);
    let with = |share: f64| {
        reduced(clip, |node| {
            let lever = &levers[node];
            // Nothing limits the error of a node that moves no point, such as a camera's, but its own tolerance.
            let is_measured = lever.is_measured || lever.morph > 0.0;
            let share = if is_measured { share } else { share.min(1.0) };
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
    let mut is_within = |few: &Clip| edge.between(clip, few, times).worst_mm <= HEADROOM * bound_mm;
    let (mut low, mut high) = (0.0, 64.0);
    let mut best = with(0.0);
    for step in 0..SEARCH_STEPS {
        // Try a factor of 1 first, which is nearly always within the bound.
        let share = if step == 0 { 1.0 } else { f64::midpoint(low, high) };
        let few = with(share);
        if is_within(&few) {
            (low, best) = (share, few);
        } else {
            high = share;
        }
    }
    // The edge is only a sample: if another vertex has a larger error, reduce the tolerance.
    let step = (times.len() * edge.vertex_count() / PROBES).max(1);
    let times: Vec<f64> = times.iter().copied().step_by(step).collect();
    for _ in 0..SEARCH_STEPS {
        let worst_mm = edge.furthest_mm(clip, &best, &times);
        if worst_mm <= HEADROOM * bound_mm {
            break;
        }
        low *= 0.9 * HEADROOM * bound_mm / worst_mm;
        best = with(low);
    }
    best
}

/// Measures the error of interpolating matrices entry by entry.
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

/// Returns the bytes of a clip's times and values in single precision.
pub fn clip_bytes(clip: &Clip) -> usize {
    clip.channels().iter().map(channel_bytes).sum()
}

/// Returns the bytes of a channel's times and values in single precision.
fn channel_bytes(channel: &Channel) -> usize {
    let value = match channel {
        Channel::Translation { .. } | Channel::Scale { .. } => 12,
        Channel::Rotation { .. } => 16,
        Channel::Weights { track, .. } => 4 * track.width(),
    };
    let lists = if channel.interpolation() == Interpolation::CubicSpline { 3 } else { 1 };
    channel.times().len() * (4 + lists * value)
}
