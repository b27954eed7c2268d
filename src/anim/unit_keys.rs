//! Cubic rotations whose ends are no unit quaternions, as parts of CUBICSPLINE intervals are, in keys of unit length.

/// A cubic piece of a rotation. Slopes are per second.
#[derive(Clone, Copy, Debug)]
pub struct CubicTurn {
    /// Value and slope at the start.
    pub start: [[f64; 4]; 2],
    /// Value and slope at the end.
    pub end: [[f64; 4]; 2],
    /// The duration in seconds.
    pub secs: f64,
}

/// A key of unit length.
#[derive(Clone, Copy, Debug)]
pub struct UnitKey {
    /// Seconds from the start of the piece.
    pub secs: f64,
    /// A unit quaternion.
    pub value: [f64; 4],
    /// The slope per second on either side.
    pub slope: [f64; 4],
}

/// The largest distance of unit quaternions that stand for the same rotation: half of the angle in radians.
const TOLERANCE: f64 = 1e-7;

/// Intervals that one piece becomes at most.
const MOST_INTERVALS: usize = 256;

/// Returns keys that turn as a piece does when its values are normalised, from its start to its end. The polynomial itself
/// can't be kept: only its direction counts, but a key's length is that of both intervals beside it. Where the piece
/// passes through zero there is no direction, and the result is empty.
pub fn unit_keys(piece: &CubicTurn) -> Vec<UnitKey> {
    let mut intervals = 1;
    loop {
        let at = |i: usize| piece.unit_key(i as f64 / intervals as f64);
        let keys: Option<Vec<UnitKey>> = (0..=intervals).map(at).collect();
        let Some(keys) = keys else { return Vec::new() };
        if intervals >= MOST_INTERVALS || keys.windows(2).all(|ends| piece.is_near(ends)) {
            return keys;
        }
        intervals *= 2;
    }
}

impl CubicTurn {
    /// Returns the value and the slope per second at a share of the piece.
    fn at(&self, u: f64) -> [[f64; 4]; 2] {
        let Self { start: [a, m], end: [b, n], secs } = self;
        let (uu, uuu) = (u * u, u * u * u);
        let value = |i: usize| {
            (2.0 * uuu - 3.0 * uu + 1.0) * a[i]
                + (uuu - 2.0 * uu + u) * secs * m[i]
                + (3.0 * uu - 2.0 * uuu) * b[i]
                + (uuu - uu) * secs * n[i]
        };
        let slope = |i: usize| {
            (6.0 * uu - 6.0 * u) * (a[i] - b[i]) / secs
                + (3.0 * uu - 4.0 * u + 1.0) * m[i]
                + (3.0 * uu - 2.0 * u) * n[i]
        };
        [[0, 1, 2, 3].map(value), [0, 1, 2, 3].map(slope)]
    }

    /// Returns the normalised value with its slope; `None` where the value is zero or no number.
    fn unit_key(&self, u: f64) -> Option<UnitKey> {
        let [value, slope] = self.at(u);
        let length = dot(value, value).sqrt();
        if !(length.is_finite() && length > 1e-9) {
            return None;
        }
        let unit = value.map(|x| x / length);
        let along = dot(unit, slope);
        let slope = [0, 1, 2, 3].map(|i| (slope[i] - along * unit[i]) / length);
        Some(UnitKey { secs: u * self.secs, value: unit, slope })
    }

    /// Whether an interval between two keys turns as the piece does there.
    fn is_near(&self, ends: &[UnitKey]) -> bool {
        let [a, b] = ends else { return true };
        let interval =
            Self { start: [a.value, a.slope], end: [b.value, b.slope], secs: b.secs - a.secs };
        [0.25, 0.5, 0.75].into_iter().all(|u| {
            let own = interval.unit_key(u);
            let wanted = self.unit_key((a.secs + u * interval.secs) / self.secs);
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
    fn keys_of_unit_length_turn_as_the_piece_did() {
        let piece = CubicTurn {
            start: [[0.5, 0.0, 0.0, 0.5], [1.0, 0.3, 0.0, -0.2]],
            end: [[0.0, 0.0, 1.0, 0.0], [0.0, 0.5, 2.0, 0.1]],
            secs: 0.7,
        };
        let keys = unit_keys(&piece);
        assert!((3..=MOST_INTERVALS + 1).contains(&keys.len()), "{}", keys.len());
        assert!((keys[keys.len() - 1].secs - 0.7).abs() < 1e-12);
        for ends in keys.windows(2) {
            let length = dot(ends[0].value, ends[0].value);
            assert!((length - 1.0).abs() < 1e-12 && dot(ends[0].value, ends[0].slope).abs() < 1e-9);
            assert!(piece.is_near(ends));
        }
        // What is of unit length and not curved needs no further key.
        let still = [[0.0, 0.0, 0.0, 1.0], [0.0; 4]];
        assert_eq!(unit_keys(&CubicTurn { start: still, end: still, secs: 1.0 }).len(), 2);
        let through_zero =
            CubicTurn { end: [[0.0, 0.0, 0.0, -1.0], [0.0; 4]], start: still, secs: 1.0 };
        assert!(unit_keys(&through_zero).is_empty());
    }
}
