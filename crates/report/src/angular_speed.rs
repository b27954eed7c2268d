//! The speed of a rotation over time.

use super::TrackCurve;
use super::curve::CurvePart;
use super::polyline::{CurvePoint, Span, in_span};
use rigview_anim::{Channel, Interpolation, rotation};

/// Returns the angular speed of a rotation over a part of its clip, in degrees per second; `None` for other channels.
///
/// Between keys of LINEAR it is constant, of STEP it is 0: a jump has no speed. For CUBICSPLINE it is the mean speed
/// between samples. Before the first key and after the last it is 0.
pub fn angular_speed(channel: &Channel, part: CurvePart) -> Option<TrackCurve> {
    let Channel::Rotation { track, .. } = channel else { return None };
    let (times, [from, to]) = (track.times(), part.secs);
    let interpolation = channel.interpolation();
    let span = Span::part(times, part.secs, part.points);
    let mut curve = Vec::new();
    let mut push = |time: f64, speed: f64| {
        curve.push(CurvePoint { time, value: vec![speed as f32] });
    };
    let [first, last] =
        [times.first(), times.last()].map(|time| time.map_or(0.0, |t| f64::from(*t)));
    if from < first {
        push(from, 0.0);
        push(first.min(to), 0.0);
    }
    for pair in times[in_span(times, part.secs)].windows(2) {
        let [start, end] = [f64::from(pair[0]), f64::from(pair[1])];
        let [from, to] = [start.max(from), end.min(to)];
        if from >= to {
            continue;
        }
        match interpolation {
            Interpolation::Step => [from, to].into_iter().for_each(|time| push(time, 0.0)),
            Interpolation::Linear => {
                let angle = rotation::angle_between(track.sample(start), track.sample(end));
                let speed = angle.to_degrees() / (end - start);
                [from, to].into_iter().for_each(|time| push(time, speed));
            }
            Interpolation::CubicSpline => {
                let step = (to - from) / span.pieces as f64;
                for piece in 0..span.pieces {
                    let [a, b] = [piece, piece + 1].map(|i| from + i as f64 * step);
                    let angle = rotation::angle_between(track.sample(a), track.sample(b));
                    push(0.5 * (a + b), angle.to_degrees() / step);
                }
            }
        }
    }
    if to > last {
        push(last.max(from), 0.0);
        push(to, 0.0);
    }
    Some(TrackCurve {
        path: "angular speed",
        interpolation: interpolation.name(),
        unit: "degrees per second",
        components: vec!["speed".to_owned()],
        keys: Vec::new(),
        curve,
        at: Vec::new(),
        lab: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Quat;
    use rigview_anim::{Keys, Track};

    fn channel(keys: Keys<Quat>) -> Channel {
        Channel::Rotation { node: 0, track: Track::new(vec![1.0, 2.0, 4.0], keys, 1).unwrap() }
    }

    fn speeds(channel: &Channel, secs: [f64; 2]) -> Vec<(f64, f32)> {
        let curve = angular_speed(channel, CurvePart { secs, points: 100 }).unwrap().curve;
        curve.iter().map(|p| (p.time, (p.value[0] * 10.0).round() / 10.0)).collect()
    }

    #[test]
    fn a_turn_at_constant_speed_has_this_speed_and_holds_have_none() {
        let turns = [0.0f32, 90.0, 60.0].map(|angle| Quat::from_rotation_x(angle.to_radians()));
        let linear = channel(Keys::Linear(turns.to_vec()));
        assert_eq!(
            speeds(&linear, [0.0, 5.0]),
            [
                (0.0, 0.0),
                (1.0, 0.0),
                (1.0, 90.0),
                (2.0, 90.0),
                (2.0, 15.0),
                (4.0, 15.0),
                (4.0, 0.0),
                (5.0, 0.0)
            ]
        );
        assert_eq!(
            speeds(&linear, [1.5, 3.0]),
            [(1.5, 90.0), (2.0, 90.0), (2.0, 15.0), (3.0, 15.0)]
        );
        let step = channel(Keys::Step(turns.to_vec()));
        assert!(speeds(&step, [0.0, 5.0]).iter().all(|(_, speed)| *speed == 0.0));
        let still = vec![Quat::from_xyzw(0.0, 0.0, 0.0, 0.0); 3];
        let cubic = channel(Keys::Cubic {
            in_tangents: still.clone(),
            values: turns.to_vec(),
            out_tangents: still,
        });
        let speeds = speeds(&cubic, [1.0, 2.0]);
        // It starts and ends slowly, and turns by 90 degrees in one second.
        assert!(speeds[0].1 < 20.0 && speeds[speeds.len() / 2].1 > 100.0, "{speeds:?}");
        let mean: f32 = speeds.iter().map(|(_, speed)| speed).sum::<f32>() / speeds.len() as f32;
        assert!((mean - 90.0).abs() < 1.0, "{mean}");
        let moved = Track::new(vec![0.0], Keys::Step(vec![glam::Vec3::X]), 1).unwrap();
        let moved = Channel::Translation { node: 0, track: moved };
        assert!(angular_speed(&moved, CurvePart { secs: [0.0, 1.0], points: 9 }).is_none());
    }
}
