//! Evaluates the same keys under all interpolations, and measures how far the results deviate: the cost
//! of a key format or of an exporter's choice.

use glam::Quat;
use serde::Serialize;

use super::polyline::{CurvePoint, Parts, Span, line, piece_times, values};
use rigview_anim::rotation::{angle_between, nlerp};
use rigview_anim::{Hermite, Interpolation, Keys, Track, Value};

/// Limits of the compared times, in total and between two keys.
const TIMES: usize = 60_000;
const TIMES_PER_SEGMENT: usize = 200;

/// One track's keys under all interpolations.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lab {
    /// The source of the tangents of CUBICSPLINE: `file`, or, if the file has none, `neighbours` (the
    /// slope between the keys on both sides).
    pub tangents: &'static str,
    /// `degrees` for rotations, otherwise `units` of the property.
    pub unit: &'static str,
    /// The curves: STEP, LINEAR, CUBICSPLINE; for rotations also NLERP (the normalised chord), and
    /// NEAREST if the file has tangents (a second key on the opposite hemisphere is negated together
    /// with its tangent).
    pub curves: Vec<LabCurve>,
    /// The largest deviation between each pair of curves.
    pub deviations: Vec<Deviation>,
}

/// The keys under one interpolation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LabCurve {
    /// The interpolation's name.
    pub interpolation: &'static str,
    /// Whether this is the file's interpolation.
    pub own: bool,
    /// The curve from the first key to the last.
    pub curve: Vec<CurvePoint>,
    /// Pairs of time and deviation from the file's interpolation, at even steps between keys.
    pub deviation: Vec<[f64; 2]>,
}

/// The deviation between two interpolations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Deviation {
    /// The names of the two interpolations.
    pub between: [&'static str; 2],
    /// The largest deviation.
    pub largest: f64,
    /// The time of the largest deviation, in seconds.
    pub time: f64,
}

/// How the distance of two values is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    /// The angle of the rotation between them.
    Degrees,
    /// The length of their difference.
    Distance,
}

impl Measure {
    fn between(self, a: &[f32], b: &[f32]) -> f64 {
        match (self, a, b) {
            (Measure::Degrees, [ax, ay, az, aw], [bx, by, bz, bw]) => {
                let (a, b) =
                    (Quat::from_xyzw(*ax, *ay, *az, *aw), Quat::from_xyzw(*bx, *by, *bz, *bw));
                angle_between(a, b).to_degrees()
            }
            _ => {
                let square = |(a, b): (&f32, &f32)| (f64::from(*a) - f64::from(*b)).powi(2);
                a.iter().zip(b).map(square).sum::<f64>().sqrt()
            }
        }
    }
}

/// An interpolation that can be sampled at a time.
struct Way<'a> {
    name: &'static str,
    own: bool,
    sample: Box<dyn Fn(f64) -> Vec<f32> + 'a>,
}

/// Evaluates a track's keys under all interpolations. `nearer` returns its second value, negated if
/// that is nearer to the first one.
pub(super) fn lab<T: Value + 'static>(
    track: &Track<T>,
    parts: Parts<T>,
    measure: Measure,
    nearer: fn(T, T) -> T,
) -> Lab {
    let times = track.times();
    let own = track.keys().interpolation();
    let mut ways: Vec<Way> = Vec::new();
    let kinds = [Interpolation::Step, Interpolation::Linear, Interpolation::CubicSpline];
    for kind in kinds {
        // This can't fail, because the keys are those of a valid track.
        let Ok(other) = Track::new(times.to_vec(), keys_as(track, kind, nearer), track.width())
        else {
            continue;
        };
        let first = values(track)[..track.width()].to_vec();
        let sample = move |time| {
            let mut out = first.clone();
            other.sample_into(time, &mut out);
            parts.list(&out)
        };
        ways.push(Way { name: kind.name(), own: kind == own, sample: Box::new(sample) });
    }
    if measure == Measure::Degrees {
        ways.extend(rotation_ways(track, parts));
    }

    let count = (TIMES / times.len()).clamp(4, TIMES_PER_SEGMENT);
    let mut instants: Vec<f64> =
        times.windows(2).flat_map(|pair| piece_times(pair, count)).collect();
    instants.extend(times.last().map(|t| f64::from(*t)));
    let rows: Vec<Vec<Vec<f32>>> =
        ways.iter().map(|way| instants.iter().map(|t| (way.sample)(*t)).collect()).collect();

    let mut deviations = Vec::new();
    for a in 0..ways.len() {
        for b in a + 1..ways.len() {
            let between = [ways[a].name, ways[b].name];
            let mut worst = Deviation { between, largest: 0.0, time: f64::from(times[0]) };
            for (i, time) in instants.iter().enumerate() {
                let off = measure.between(&rows[a][i], &rows[b][i]);
                if off > worst.largest {
                    worst = Deviation { largest: off, time: *time, ..worst };
                }
            }
            deviations.push(worst);
        }
    }
    let of_own = ways.iter().position(|way| way.own).unwrap_or(0);
    // Limit the points to about the columns of a picture.
    let every = instants.len().div_ceil(4000);
    let deviation = |way: usize| {
        let at = |i: usize| [instants[i], measure.between(&rows[way][i], &rows[of_own][i])];
        (0..instants.len()).step_by(every).map(at).collect()
    };
    let last = times[times.len() - 1];
    let curves = ways.iter().enumerate().map(|(i, way)| {
        let mut curve = line(times, Span::whole(times, last), |time| (way.sample)(time));
        curve.retain(|point| point.time >= f64::from(times[0]));
        LabCurve { interpolation: way.name, own: way.own, curve, deviation: deviation(i) }
    });
    Lab {
        tangents: if own == Interpolation::CubicSpline { "file" } else { "neighbours" },
        unit: if measure == Measure::Degrees { "degrees" } else { "units" },
        curves: curves.collect(),
        deviations,
    }
}

/// Converts a track's keys to another interpolation.
fn keys_as<T: Value>(track: &Track<T>, kind: Interpolation, nearer: fn(T, T) -> T) -> Keys<T> {
    let list = values(track).to_vec();
    match (kind, track.keys()) {
        (Interpolation::Step, _) => Keys::Step(list),
        (Interpolation::Linear, _) => Keys::Linear(list),
        (Interpolation::CubicSpline, keys @ Keys::Cubic { .. }) => keys.clone(),
        (Interpolation::CubicSpline, _) => {
            let width = track.width();
            let mut list = list;
            // q and -q are the same rotation, but not for a polynomial.
            for i in width..list.len() {
                list[i] = nearer(list[i - width], list[i]);
            }
            let tangents = slopes(track.times(), &list, width);
            Keys::Cubic { in_tangents: tangents.clone(), values: list, out_tangents: tangents }
        }
    }
}

/// Returns the slope between the neighbours of each key; at the ends, that of the adjacent segment.
fn slopes<T: Value>(times: &[f32], list: &[T], width: usize) -> Vec<T> {
    let last = times.len() - 1;
    let slope = |i: usize| {
        let (key, value) = (i / width, i % width);
        let (a, b) = (key.saturating_sub(1), (key + 1).min(last));
        let span = f64::from(times[b]) - f64::from(times[a]);
        let share = if span > 0.0 { 1.0 / span } else { 0.0 };
        let [from, to] = [a, b].map(|key| list[key * width + value]);
        T::weighted([share, -share, 0.0, 0.0], [to, from, to, from])
    };
    (0..list.len()).map(slope).collect()
}

/// Returns the additional interpolations of rotations.
fn rotation_ways<'a, T: Value + 'static>(track: &'a Track<T>, parts: Parts<T>) -> Vec<Way<'a>> {
    let quat = move |value: T| Quat::from_array((parts.of)(value));
    let between = move |time: f64| {
        let key = track.key_index(time);
        let next = (key + 1).min(track.times().len() - 1);
        let [from, to] = [key, next].map(|key| f64::from(track.times()[key]));
        let u = if to > from { ((time - from) / (to - from)).clamp(0.0, 1.0) } else { 0.0 };
        (key, next, u, to - from)
    };
    let chord = move |time: f64| {
        let (key, next, u, _) = between(time);
        let [a, b] = [key, next].map(|key| quat(values(track)[key].prepare()));
        nlerp(a, b, u).to_array().to_vec()
    };
    let mut ways = vec![Way { name: "NLERP", own: false, sample: Box::new(chord) }];
    if matches!(track.keys(), Keys::Cubic { .. }) {
        let nearest = move |time: f64| {
            let (key, _, u, span) = between(time);
            let turned = match track.segment(key, 0) {
                Some(Hermite { start, out_tangent, end, in_tangent }) => {
                    let [start, out_tangent, end, in_tangent] =
                        [start, out_tangent, end, in_tangent].map(quat);
                    Hermite { start, out_tangent, end, in_tangent }.at_nearest(u, span)
                }
                None => quat(values(track)[key].prepare()),
            };
            turned.to_array().to_vec()
        };
        ways.push(Way { name: "NEAREST", own: false, sample: Box::new(nearest) });
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(keys: Keys<Quat>, times: Vec<f32>) -> Lab {
        let track = Track::new(times, keys, 1).unwrap();
        let parts = Parts { of: |q: Quat| q.to_array(), count: 4 };
        lab(&track, parts, Measure::Degrees, rigview_anim::rotation::nearer)
    }

    fn largest(lab: &Lab, a: &str, b: &str) -> f64 {
        let found =
            lab.deviations.iter().find(|d| d.between.contains(&a) && d.between.contains(&b));
        found.unwrap_or_else(|| panic!("{a} and {b}: {:?}", lab.deviations)).largest
    }

    #[test]
    fn nlerp_is_off_by_the_known_degrees() {
        for (degrees, known) in [(30.0, 0.033), (90.0, 0.92), (150.0, 4.5), (179.0, 8.0)] {
            let b = Quat::from_rotation_z(f32::to_radians(degrees));
            let lab = turns(Keys::Linear(vec![Quat::IDENTITY, -b]), vec![0.5, 2.0]);
            let got = largest(&lab, "LINEAR", "NLERP");
            assert!((got - known).abs() < 0.06 * known, "{degrees}: {got}, not {known}");
            let step = largest(&lab, "STEP", "LINEAR");
            assert!((step - degrees as f64).abs() < 1e-3, "{step}");
            // With two keys, the tangents are the line between them, so the cubic follows the chord.
            assert!((largest(&lab, "CUBICSPLINE", "NLERP")) < 1e-3);
        }
    }

    #[test]
    fn a_flipped_neighbour_shows_where_the_file_has_tangents() {
        let (a, b) = (Quat::from_rotation_x(0.2), -Quat::from_rotation_x(1.0));
        let zero = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
        let keys = Keys::Cubic {
            in_tangents: vec![zero; 2],
            values: vec![a, b],
            out_tangents: vec![zero; 2],
        };
        let lab = turns(keys, vec![0.0, 1.0]);
        assert_eq!((lab.tangents, lab.unit), ("file", "degrees"));
        assert!(largest(&lab, "CUBICSPLINE", "NEAREST") > 90.0);
        let own: Vec<_> = lab.curves.iter().filter(|c| c.own).map(|c| c.interpolation).collect();
        assert_eq!(own, ["CUBICSPLINE"]);
    }

    #[test]
    fn numbers_deviate_in_units_and_one_key_does_not_deviate() {
        let parts = Parts { of: |w: f32| [w, 0.0, 0.0, 0.0], count: 1 };
        let track = Track::new(vec![0.0, 1.0, 2.0], Keys::Linear(vec![0.0, 1.0, 0.0]), 1).unwrap();
        let lab = super::lab(&track, parts, Measure::Distance, |_, w| w);
        assert_eq!((lab.tangents, lab.unit), ("neighbours", "units"));
        assert!((largest(&lab, "STEP", "LINEAR") - 1.0).abs() < 1e-6);
        // Slopes 1, 0, -1: compare with the polynomial of the first segment; the second mirrors it.
        let p = |u: f64| (u.powi(3) - 2.0 * u * u + u) + (3.0 * u * u - 2.0 * u.powi(3)) - u;
        let want = (0..=1000).map(|i| p(f64::from(i) / 1000.0).abs()).fold(0.0, f64::max);
        assert!((largest(&lab, "LINEAR", "CUBICSPLINE") - want).abs() < 1e-4);
        let one = Track::new(vec![3.0], Keys::Step(vec![2.0]), 1).unwrap();
        let lab = super::lab(&one, parts, Measure::Distance, |_, w| w);
        assert!(lab.deviations.iter().all(|d| d.largest == 0.0));
    }
}
