//! Converts cubic rotations whose ends are not unit quaternions, such as parts of CUBICSPLINE intervals, to keys of unit
//! length.

use super::{hermite_basis, hermite_slope_basis};

/// A key at the end of a CUBICSPLINE interval of a rotation.
#[derive(Clone, Copy, Debug)]
pub struct TurnEnd {
    /// The key's time in seconds.
    pub time: f32,
    /// The key's quaternion.
    pub value: [f64; 4],
    /// The slope per second on the side of the interval.
    pub slope: [f64; 4],
    /// Whether a cut made the key. One that a file has belongs to the interval beside it too.
    pub is_cut: bool,
}

/// A key of unit length.
#[derive(Clone, Copy, Debug)]
pub struct UnitKey {
    /// The time in seconds.
    pub time: f32,
    /// A unit quaternion.
    pub value: [f64; 4],
    /// The slope per second on either side.
    pub slope: [f64; 4],
}

/// How far the length of a quaternion is from 1 at most, as the specification's validator has it.
const LENGTH_TOLERANCE: f64 = 0.00674;

/// The largest distance of unit quaternions that stand for the same rotation: half of the angle in radians.
const TOLERANCE: f64 = 1e-7;

/// Intervals that one piece becomes at most.
const MOST_INTERVALS: usize = 256;

/// Returns keys that turn as an interval does when its values are normalised, from its start to its end. The polynomial
/// itself can't be kept: only its direction counts, but a key's length is that of both intervals beside it. The times of the
/// keys increase.
///
/// The result is empty where the interval passes through zero, which has no direction, and where an end that is not cut is
/// not of unit length: a slope that fits a unit quaternion would turn the interval beside it in another way.
pub fn unit_keys([start, end]: [TurnEnd; 2]) -> Vec<UnitKey> {
    let is_unit = |value: [f64; 4]| (dot(value, value).sqrt() - 1.0).abs() < LENGTH_TOLERANCE;
    if [start, end].iter().any(|end| !end.is_cut && !is_unit(end.value)) {
        return Vec::new();
    }
    let first = f64::from(start.time);
    let turn = CubicTurn {
        start: [start.value, start.slope],
        end: [end.value, end.slope],
        secs: f64::from(end.time) - first,
    };
    let points = turn.unit_points();
    let Some(last) = points.len().checked_sub(1) else { return Vec::new() };
    let mut keys: Vec<UnitKey> = Vec::with_capacity(points.len());
    for (at, UnitPoint { secs, value, slope }) in points.into_iter().enumerate().rev() {
        let time = match at {
            0 => start.time,
            at if at == last => end.time,
            _ => (first + secs) as f32,
        };
        // Times that are closer than a float can tell are one key.
        let later = keys.last().map_or(f32::INFINITY, |key| key.time);
        if at == 0 || (start.time < time && time < later) {
            keys.push(UnitKey { time, value, slope });
        }
    }
    keys.reverse();
    keys
}

/// A cubic piece of a rotation. Slopes are per second.
#[derive(Clone, Copy, Debug)]
struct CubicTurn {
    /// Value and slope at the start.
    start: [[f64; 4]; 2],
    /// Value and slope at the end.
    end: [[f64; 4]; 2],
    /// The duration in seconds.
    secs: f64,
}

/// A unit quaternion of a piece with its slope per second.
#[derive(Clone, Copy, Debug)]
struct UnitPoint {
    /// Seconds from the start of the piece.
    secs: f64,
    value: [f64; 4],
    slope: [f64; 4],
}

impl CubicTurn {
    /// Returns points so close that keys there turn as the piece does; empty if it has no direction somewhere.
    fn unit_points(&self) -> Vec<UnitPoint> {
        let mut intervals = 1;
        loop {
            let at = |i: usize| self.unit_point(i as f64 / intervals as f64);
            let points: Option<Vec<UnitPoint>> = (0..=intervals).map(at).collect();
            let Some(points) = points else { return Vec::new() };
            if intervals >= MOST_INTERVALS || points.windows(2).all(|ends| self.is_near(ends)) {
                return points;
            }
            intervals *= 2;
        }
    }

    /// Returns the value and the slope per second at a share of the piece.
    fn at(&self, u: f64) -> [[f64; 4]; 2] {
        let Self { start: [a, m], end: [b, n], secs } = *self;
        [hermite_basis(u, secs), hermite_slope_basis(u, secs)]
            .map(|weights| [0, 1, 2, 3].map(|i| dot(weights, [a[i], m[i], b[i], n[i]])))
    }

    /// Returns the normalised value with its slope; `None` where the value is zero or no number.
    fn unit_point(&self, u: f64) -> Option<UnitPoint> {
        let [value, slope] = self.at(u);
        let length = dot(value, value).sqrt();
        if !(length.is_finite() && length > 1e-9) {
            return None;
        }
        let unit = value.map(|x| x / length);
        let along = dot(unit, slope);
        let slope = [0, 1, 2, 3].map(|i| (slope[i] - along * unit[i]) / length);
        Some(UnitPoint { secs: u * self.secs, value: unit, slope })
    }

    /// Whether an interval between two keys turns as the piece does there.
    fn is_near(&self, ends: &[UnitPoint]) -> bool {
        let [a, b] = ends else { return true };
        let interval =
            Self { start: [a.value, a.slope], end: [b.value, b.slope], secs: b.secs - a.secs };
        [0.25, 0.5, 0.75].into_iter().all(|u| {
            let own = interval.unit_point(u);
            let wanted = self.unit_point((a.secs + u * interval.secs) / self.secs);
            own.zip(wanted).is_some_and(|(own, wanted)| {
                let off = [0, 1, 2, 3].map(|i| own.value[i] - wanted.value[i]);
                dot(off, off).sqrt() <= TOLERANCE
            })
        })
    }
}

fn dot(a: [f64; 4], b: [f64; 4]) -> f64 {
    (0..4).map(|i| a[i] * b[i]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_unit_length_turn_as_the_piece_did() {
        let piece = CubicTurn {
            start: [[0.5, 0.0, 0.0, 0.5], [1.0, 0.3, 0.0, -0.2]],
            end: [[0.0, 0.0, 1.0, 0.0], [0.0, 0.5, 2.0, 0.1]],
            secs: 0.7,
        };
        let points = piece.unit_points();
        assert!((3..=MOST_INTERVALS + 1).contains(&points.len()), "{}", points.len());
        assert!((points[points.len() - 1].secs - 0.7).abs() < 1e-12);
        for ends in points.windows(2) {
            let length = dot(ends[0].value, ends[0].value);
            assert!((length - 1.0).abs() < 1e-12 && dot(ends[0].value, ends[0].slope).abs() < 1e-9);
            assert!(piece.is_near(ends));
        }
        // What is of unit length and not curved needs no further key.
        let still = [[0.0, 0.0, 0.0, 1.0], [0.0; 4]];
        assert_eq!(CubicTurn { start: still, end: still, secs: 1.0 }.unit_points().len(), 2);
        let through_zero =
            CubicTurn { end: [[0.0, 0.0, 0.0, -1.0], [0.0; 4]], start: still, secs: 1.0 };
        assert!(through_zero.unit_points().is_empty());
    }

    #[test]
    fn an_end_that_a_file_has_must_be_of_unit_length() {
        let end = |time: f32, length: f64, is_cut: bool| TurnEnd {
            time,
            value: [0.0, 0.0, 0.0, length],
            slope: [1.0, 0.0, 0.0, 0.0],
            is_cut,
        };
        let count = |a: TurnEnd, b: TurnEnd| unit_keys([a, b]).len();
        assert!(count(end(1.0, 0.7, true), end(2.0, 0.8, true)) > 1);
        assert!(count(end(1.0, 0.7, true), end(2.0, 1.006, false)) > 1);
        assert_eq!(count(end(1.0, 0.7, true), end(2.0, 1.01, false)), 0);
        assert_eq!(count(end(1.0, 0.99, false), end(2.0, 0.7, true)), 0);
    }

    /// Between 1000 s and the second next float there is one time.
    #[test]
    fn the_times_of_keys_increase() {
        let next = |time: f32, count: u32| f32::from_bits(time.to_bits() + count);
        let end = |time: f32, value: [f64; 4]| TurnEnd {
            time,
            value,
            slope: [9e4, 0.0, -2e4, 5e4],
            is_cut: true,
        };
        for count in 1..9 {
            let ends =
                [end(1000.0, [1.0, 0.0, 0.0, 0.2]), end(next(1000.0, count), [0.0, 0.0, 1.0, 0.0])];
            let times: Vec<f32> = unit_keys(ends).iter().map(|key| key.time).collect();
            assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{times:?}");
            assert_eq!((times[0], times[times.len() - 1]), (ends[0].time, ends[1].time));
        }
    }
}
