//! The tracks of one node as curves: keys, tangents, Bezier handles and sampled lines, to be printed or
//! plotted. `lab` evaluates the same keys under every interpolation.

use serde::Serialize;

use super::euler::EulerOrder;
use super::lab::{Lab, Measure, lab};
use super::polyline::{CurvePoint, POINTS, Parts, Span, in_span, line, values};
use rigview_anim::{Channel, Clip, Keys, Track, Value, rotation};
use rigview_model::{Model, OverBudget};

/// The curves of a node in a clip.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NodeCurves {
    /// Index of the clip in the file; `None` for several clips at once.
    pub clip: Option<usize>,
    /// The clip's name.
    pub clip_name: Option<String>,
    /// The clip's duration in seconds; curves span 0 to here.
    pub duration: f32,
    /// Index of the node.
    pub node: usize,
    /// The node's name.
    pub node_name: Option<String>,
    /// One curve per property that the clip drives, in file order.
    pub tracks: Vec<TrackCurve>,
}

/// The curve of one property.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrackCurve {
    /// The property's name in glTF.
    pub path: &'static str,
    /// The interpolation's name in glTF.
    pub interpolation: &'static str,
    /// `metres` for translations, or `units` where a node above is scaled at rest, `degrees` for Euler angles; empty for
    /// values without a unit.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub unit: &'static str,
    /// The names of a value's components, in the order of all value lists.
    pub components: Vec<String>,
    /// The keys.
    pub keys: Vec<KeyPoint>,
    /// The sampled line from 0 to the clip's end; constant before the first key and after the last. A
    /// jump is two points at the same time.
    pub curve: Vec<CurvePoint>,
    /// The values at the requested times.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<CurvePoint>,
    /// The same keys under all interpolations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lab: Option<Lab>,
}

/// A key. Only CUBICSPLINE has tangents and handles.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct KeyPoint {
    /// The key's time in seconds.
    pub time: f32,
    /// The value as stored: a cubic rotation is not normalised.
    pub value: Vec<f32>,
    /// The incoming slope per second, as stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_tangent: Option<Vec<f32>>,
    /// The outgoing slope per second, as stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out_tangent: Option<Vec<f32>>,
    /// The Bezier control point at a third of the interval before the key; `None` for the first key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_handle: Option<CurvePoint>,
    /// The Bezier control point at a third of the interval after the key; `None` for the last key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out_handle: Option<CurvePoint>,
}

/// Returns the nodes that a clip drives, in increasing order.
pub fn driven_nodes(model: &Model, clip: usize) -> Vec<usize> {
    let mut nodes: Vec<usize> = model.clips[clip].channels().iter().map(Channel::node).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// Options of [`node_curves`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CurveOptions {
    /// Times in seconds for [`TrackCurve::at`]; clamped to the clip.
    pub times_secs: Vec<f64>,
    /// Whether to evaluate the keys under all interpolations.
    pub lab: bool,
    /// Converts rotations to angles of this order; `None` for quaternions.
    pub euler: Option<EulerOrder>,
    /// Only this part of the curves and the keys around it; `None` for all.
    pub part: Option<CurvePart>,
}

/// A part of curves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePart {
    /// From and to in seconds, increasing.
    pub secs: [f64; 2],
    /// About how many points the part gets. Each key in it has at least two.
    pub points: usize,
}

/// Checks that the curves of a node in a clip fit in the file's budget.
///
/// # Errors
/// If the keys are too many, or have too many components.
pub fn charge_curves(model: &Model, clip: &Clip, node: usize) -> Result<(), OverBudget> {
    let channels = clip.channels().iter().filter(|c| c.node() == node);
    let bytes = channels.map(|channel| {
        // Besides its value, a key has a point on the curve, two tangents and two handles.
        let points = channel.times().len().saturating_mul(5).saturating_add(2 * POINTS);
        points.saturating_mul(POINT_BYTES + size_of::<f32>() * channel.values().len())
    });
    model.budget.holds(bytes.fold(0, usize::saturating_add), 1)
}

/// Memory per point in addition to its values, in bytes.
const POINT_BYTES: usize = 64;

/// Returns the curves of a node in a clip; no tracks if the clip does not drive it. If two channels
/// drive the same property, the later one is used, as in playback. Morph weights that are driven
/// separately have a track each.
///
/// # Panics
/// If there is no such clip or node.
pub fn node_curves(model: &Model, clip: usize, node: usize, options: &CurveOptions) -> NodeCurves {
    let source = &model.clips[clip];
    let duration = source.duration_secs();
    let channels = node_channels(source, node);
    let curve = |channel: &&Channel| channel_curve(model, channel, duration, options);
    NodeCurves {
        clip: Some(clip),
        clip_name: source.name().map(str::to_owned),
        duration,
        node,
        node_name: model.nodes[node].name.clone(),
        tracks: channels.iter().map(curve).collect(),
    }
}

/// Returns the channels of a node that count, in file order: of several that drive the same values, the last one.
pub fn node_channels(clip: &Clip, node: usize) -> Vec<&Channel> {
    let mut channels: Vec<&Channel> = Vec::new();
    for channel in clip.channels().iter().filter(|c| c.node() == node) {
        let covered = |c: &Channel| {
            let (old, new) = (c.values(), channel.values());
            c.path() == channel.path() && new.start <= old.start && old.end <= new.end
        };
        channels.retain(|c| !covered(c));
        channels.push(channel);
    }
    channels
}

/// Whether the translation of a node is in metres of the scene: nothing above it is scaled at rest.
fn is_in_metres(model: &Model, node: usize) -> bool {
    model.hierarchy.ancestors(node).all(|above| {
        let scale = match model.hierarchy.fixed_matrix(above) {
            Some(fixed) => fixed.to_scale_rotation_translation().0,
            None => model.rest.transform(above).scale,
        };
        scale.abs().abs_diff_eq(glam::Vec3::ONE, 1e-3)
    })
}

/// Returns the curve of a channel of a clip that lasts `duration` seconds.
///
/// # Panics
/// If the channel drives a node that the model lacks.
pub fn channel_curve(
    model: &Model,
    channel: &Channel,
    duration: f32,
    options: &CurveOptions,
) -> TrackCurve {
    let mesh = model.nodes[channel.node()].mesh;
    let targets = mesh.map(|mesh| &model.meshes[mesh].target_names[..]);
    let named = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
    match channel {
        Channel::Translation { track, .. } | Channel::Scale { track, .. } => {
            let parts = Parts { of: |v: glam::Vec3| v.extend(0.0).to_array(), count: 3 };
            TrackCurve {
                path: channel.path(),
                unit: match channel {
                    Channel::Translation { node, .. } if is_in_metres(model, *node) => "metres",
                    Channel::Translation { .. } => "units",
                    _ => "",
                },
                components: named(&["x", "y", "z"]),
                lab: options.lab.then(|| lab(track, parts, Measure::Distance, |_, v| v)),
                ..track_curve(track, parts, duration, options)
            }
        }
        Channel::Rotation { track, .. } => {
            let parts = Parts { of: |q: glam::Quat| q.to_array(), count: 4 };
            let mut curve = TrackCurve {
                path: channel.path(),
                components: named(&["x", "y", "z", "w"]),
                lab: options.lab.then(|| lab(track, parts, Measure::Degrees, rotation::nearer)),
                ..track_curve(track, parts, duration, options)
            };
            if let Some(order) = options.euler {
                let before = options
                    .part
                    .map_or([0.0; 3], |part| angles_before(track, duration, part.secs[0], order));
                in_degrees(&mut curve, order, before);
            }
            curve
        }
        Channel::Weights { track, .. } => {
            let parts = Parts { of: |w: f32| [w, 0.0, 0.0, 0.0], count: 1 };
            let name = |i: usize| match targets.and_then(|names| names.get(i)) {
                Some(name) => name.clone(),
                None => format!("target {i}"),
            };
            TrackCurve {
                path: channel.path(),
                components: channel.values().map(name).collect(),
                lab: options.lab.then(|| lab(track, parts, Measure::Distance, |_, w| w)),
                ..track_curve(track, parts, duration, options)
            }
        }
    }
}

/// Returns the keys and the line of a track; its path, components and lab are left empty.
fn track_curve<T: Value>(
    track: &Track<T>,
    parts: Parts<T>,
    duration: f32,
    options: &CurveOptions,
) -> TrackCurve {
    let (shown, span) = match options.part {
        None => (0..track.times().len(), Span::whole(track.times(), duration)),
        Some(CurvePart { secs, points }) => {
            (in_span(track.times(), secs), Span::part(track.times(), secs, points))
        }
    };
    let first = shown.start;
    let mut keys: Vec<KeyPoint> = shown
        .map(|key| {
            let row = key * track.width()..(key + 1) * track.width();
            let mut point = KeyPoint {
                time: track.times()[key],
                value: parts.list(&values(track)[row.clone()]),
                ..KeyPoint::default()
            };
            if let Keys::Cubic { in_tangents, out_tangents, .. } = track.keys() {
                point.in_tangent = Some(parts.list(&in_tangents[row.clone()]));
                point.out_tangent = Some(parts.list(&out_tangents[row]));
            }
            point
        })
        .collect();
    for key in 1..keys.len() {
        let (from, to) = (f64::from(keys[key - 1].time), f64::from(keys[key].time));
        let span = to - from;
        let pieces = (0..track.width()).map(|value| track.segment(first + key - 1, value));
        let Some(pieces) = pieces.collect::<Option<Vec<_>>>() else { break };
        let handles: Vec<_> = pieces.iter().map(|piece| piece.to_bezier(span)).collect();
        let value = |of: fn(&rigview_anim::Bezier<T>) -> T| {
            parts.list(&handles.iter().map(of).collect::<Vec<_>>())
        };
        let out_handle = CurvePoint { time: from + span / 3.0, value: value(|b| b.out_handle) };
        let in_handle = CurvePoint { time: to - span / 3.0, value: value(|b| b.in_handle) };
        keys[key - 1].out_handle = Some(out_handle);
        keys[key].in_handle = Some(in_handle);
    }
    let mut out = values(track)[..track.width()].to_vec();
    let mut sample = |time| {
        track.sample_into(time, &mut out);
        parts.list(&out)
    };
    let curve = line(track.times(), span, &mut sample);
    let point = |time: &f64| {
        let time = time.clamp(0.0, f64::from(duration));
        CurvePoint { time, value: sample(time) }
    };
    let at = options.times_secs.iter().map(point).collect();
    let interpolation = track.keys().interpolation().name();
    let components = Vec::new();
    TrackCurve { path: "", interpolation, unit: "", components, keys, curve, at, lab: None }
}

/// Returns the angles of a rotation at a time in radians, followed from the clip's start as its whole curve follows
/// them, so that a part of the curve has the same whole turns.
fn angles_before(
    track: &Track<glam::Quat>,
    duration: f32,
    secs: f64,
    order: EulerOrder,
) -> [f64; 3] {
    let span = Span { secs: [0.0, secs], ..Span::whole(track.times(), duration) };
    let mut angles = [0.0; 3];
    line(track.times(), span, |time| {
        angles = order.angles(&track.sample(time).to_array(), angles);
        Vec::new()
    });
    angles
}

/// Returns the values of a channel at a time as numbers, rotations as degrees if an order of angles is given: of the
/// angles that mean the same, those nearest to the channel's `curve`.
pub fn value_at(
    channel: &Channel,
    curve: &TrackCurve,
    time_secs: f64,
    euler: Option<EulerOrder>,
) -> Vec<f32> {
    match channel {
        Channel::Translation { track, .. } | Channel::Scale { track, .. } => {
            track.sample(time_secs).to_array().to_vec()
        }
        Channel::Rotation { track, .. } => {
            let value = track.sample(time_secs).to_array().to_vec();
            match euler {
                Some(order) => degrees(order.angles(&value, angles_at(&curve.curve, time_secs))),
                None => value,
            }
        }
        Channel::Weights { track, .. } => {
            let mut out = vec![0.0; track.width()];
            track.sample_into(time_secs, &mut out);
            out
        }
    }
}

/// Converts a rotation's curve from quaternions to degrees about x, y and z, without jumps by whole turns, from the angles
/// before its first point on. Tangents and handles have no such angles and are left out.
fn in_degrees(track: &mut TrackCurve, order: EulerOrder, mut before: [f64; 3]) {
    for point in &mut track.curve {
        before = order.angles(&point.value, before);
        point.value = degrees(before);
    }
    let curve = &track.curve;
    for key in &mut track.keys {
        let near = angles_at(curve, f64::from(key.time));
        key.value = degrees(order.angles(&key.value, near));
        (key.in_tangent, key.out_tangent) = (None, None);
        (key.in_handle, key.out_handle) = (None, None);
    }
    for point in &mut track.at {
        point.value = degrees(order.angles(&point.value, angles_at(curve, point.time)));
    }
    track.components = ["x", "y", "z"].map(str::to_owned).to_vec();
    track.unit = "degrees";
}

/// Returns the angles of a curve's last point at or before a time, in radians.
fn angles_at(curve: &[CurvePoint], time: f64) -> [f64; 3] {
    let after = curve.partition_point(|point| point.time <= time);
    let point = curve.get(after.saturating_sub(1));
    let angle = |axis: usize| point.map_or(0.0, |p| f64::from(p.value[axis]).to_radians());
    [angle(0), angle(1), angle(2)]
}

fn degrees(angles: [f64; 3]) -> Vec<f32> {
    angles.map(|angle| angle.to_degrees() as f32).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;
    use rigview_anim::{Clip, ClipParts, Transform};

    fn model(channels: Vec<Channel>) -> Model {
        let clip = Clip::new(ClipParts { channels, duration_secs: 4.0, ..ClipParts::default() });
        Model {
            clips: vec![clip],
            ..Model::from_nodes(&[None, None], [Transform::IDENTITY; 2]).unwrap()
        }
    }

    #[test]
    fn handles_are_a_third_along_the_tangents() {
        let keys = Keys::Cubic {
            in_tangents: vec![Vec3::ZERO, Vec3::X],
            values: vec![Vec3::ZERO, Vec3::Y],
            out_tangents: vec![Vec3::splat(2.0), Vec3::ZERO],
        };
        let track = Track::new(vec![1.0, 2.5], keys, 1).unwrap();
        let curves = node_curves(
            &model(vec![Channel::Scale { node: 1, track }]),
            0,
            1,
            &CurveOptions::default(),
        );
        let [track] = &curves.tracks[..] else { panic!("{curves:?}") };
        assert_eq!((track.path, track.interpolation), ("scale", "CUBICSPLINE"));
        let handle = |time, value: Vec<f32>| Some(CurvePoint { time, value });
        assert_eq!(track.keys[0].out_handle, handle(1.5, vec![1.0; 3]));
        assert_eq!(track.keys[1].in_handle, handle(2.0, vec![-0.5, 1.0, 0.0]));
        assert_eq!((&track.keys[0].in_handle, &track.keys[1].out_handle), (&None, &None));
        // Constant before and after the keys; the first slope is that of the handle.
        let first: Vec<f64> = track.curve.iter().take(2).map(|p| p.time).collect();
        assert_eq!((first, track.curve.last().unwrap().time), (vec![0.0, 1.0], 4.0));
        let [a, b] = &track.curve[1..3] else { panic!() };
        let slope = f64::from(b.value[0] - a.value[0]) / (b.time - a.time);
        assert!((slope - 2.0).abs() < 0.1, "{slope}");
    }

    #[test]
    fn a_part_of_a_curve_lies_on_the_whole_one_with_the_same_turns() {
        let turn = |i: usize| glam::Quat::from_rotation_z(i as f32);
        let times: Vec<f32> = (0..=12).map(|i| i as f32 / 3.0).collect();
        let keys = Keys::Linear((0..=12).map(turn).collect());
        let model =
            model(vec![Channel::Rotation { node: 0, track: Track::new(times, keys, 1).unwrap() }]);
        let clip = &model.clips[0];
        let [channel] = node_channels(clip, 0)[..] else { panic!() };
        let euler = EulerOrder::from_name("xyz");
        let part = Some(CurvePart { secs: [2.1, 3.5], points: 100 });
        let whole = CurveOptions { euler, ..CurveOptions::default() };
        let curve = channel_curve(&model, channel, 4.0, &CurveOptions { part, ..whole.clone() });
        // Three radians per second, followed through more than one whole turn.
        let degrees = |secs: f64| (3.0 * secs).to_degrees() as f32;
        assert!(
            curve.curve.iter().all(|p| (p.value[2] - degrees(p.time)).abs() < 0.1),
            "{curve:?}"
        );
        let ends = [&curve.curve[0], curve.curve.last().unwrap()].map(|point| point.time);
        assert_eq!(ends, [2.1, 3.5]);
        let keys: Vec<f32> = curve.keys.iter().map(|key| (3.0 * key.time).round()).collect();
        assert_eq!(keys, [6.0, 7.0, 8.0, 9.0, 10.0, 11.0], "those around the part count");
        assert!((value_at(channel, &curve, 3.0, euler)[2] - degrees(3.0)).abs() < 0.01);
        assert_eq!(value_at(channel, &curve, 3.0, None)[3], turn(9).w);
        let whole = channel_curve(&model, channel, 4.0, &whole);
        assert_eq!((whole.keys.len(), whole.curve[0].time), (13, 0.0));
    }

    /// Lines are dashed outside of the keys.
    #[test]
    fn the_first_and_the_last_key_are_points_of_the_line() {
        let step = Track::new(vec![0.5, 1.0, 2.0], Keys::Step(vec![3.0, 1.0, 1.0]), 1).unwrap();
        let one = Track::new(vec![0.5], Keys::Linear(vec![Vec3::X]), 1).unwrap();
        let model = model(vec![
            Channel::Weights { node: 0, first: 0, track: step },
            Channel::Translation { node: 0, track: one },
        ]);
        let curves = node_curves(&model, 0, 0, &CurveOptions::default());
        let round = |time: f64| (time * 1e6).round() / 1e6;
        let times = |i: usize| -> Vec<f64> {
            curves.tracks[i].curve.iter().map(|point| round(point.time)).collect()
        };
        assert_eq!(times(0), [0.0, 0.5, 1.0, 1.0, 2.0, 4.0]);
        assert_eq!(times(1), [0.0, 0.5, 4.0]);
    }

    #[test]
    fn steps_jump_and_straight_lines_are_two_points() {
        let step = Track::new(vec![0.0, 1.0, 2.0], Keys::Step(vec![0.0, 3.0, 1.0]), 1).unwrap();
        let straight =
            Track::new(vec![0.0, 4.0], Keys::Linear(vec![Vec3::ZERO, Vec3::X]), 1).unwrap();
        let model = model(vec![
            Channel::Weights { node: 0, first: 0, track: step },
            Channel::Translation { node: 0, track: straight },
        ]);
        let curves = node_curves(
            &model,
            0,
            0,
            &CurveOptions { times_secs: vec![0.5, 9.0], ..CurveOptions::default() },
        );
        let points = |i: usize| -> Vec<(f64, f32)> {
            let round = |t: f64| (t * 1e6).round() / 1e6;
            curves.tracks[i].curve.iter().map(|p| (round(p.time), p.value[0])).collect()
        };
        assert_eq!(
            points(0),
            [(0.0, 0.0), (1.0, 0.0), (1.0, 3.0), (2.0, 3.0), (2.0, 1.0), (4.0, 1.0)]
        );
        assert_eq!(points(1), [(0.0, 0.0), (4.0, 1.0)]);
        let at: Vec<f32> = curves.tracks[1].at.iter().map(|p| p.value[0]).collect();
        assert_eq!((at, curves.tracks[1].at[1].time), (vec![0.125, 1.0], 4.0));
        assert_eq!(driven_nodes(&model, 0), [0]);
        assert!(
            node_curves(&model, 0, 1, &CurveOptions { lab: true, ..CurveOptions::default() })
                .tracks
                .is_empty()
        );
    }
}
