//! Differences of what clips change besides transforms and morph weights: materials, lights, cameras and
//! visibility.

use crate::motion::spans::ClipPair;
use crate::pairing::lists::ModelPairs;
use crate::pairing::slot_pairs::animated_slots;
use crate::side::Side;

/// Differences up to this value, or up to this share of a larger value, are rounding.
const ROUNDING: f32 = 1e-4;

/// The difference of a property that only one model has, because the other one lacks the extension.
const ABSENT: f32 = f32::INFINITY;

/// The largest difference of a property over all instants.
struct Worst {
    off: f32,
    time_secs: f64,
}

/// Lists the properties that either clip animates and that differ at some instant, in words. A property that only
/// one clip animates is compared with the value at rest of the other model.
pub(crate) fn property_changes(
    a: &Side,
    b: &Side,
    pairs: &ModelPairs,
    clips: ClipPair,
) -> Vec<String> {
    let animated = animated_slots([a.model, b.model], pairs, [clips.a, clips.b]);
    if animated.is_empty() {
        return Vec::new();
    }
    let mut worst: Vec<Option<Worst>> = animated.iter().map(|_| None).collect();
    let (mut stage_a, mut stage_b) = (a.stage.clone(), b.stage.clone());
    // The ends of spans are the instants at which values jump, and those just before.
    for time_secs in clips.spans().into_iter().flat_map(|span| [span.start, span.end]) {
        stage_a.pose(a.model, clips.a, time_secs);
        stage_b.pose(b.model, clips.b, time_secs);
        for ([slot_a, slot_b], worst) in animated.iter().zip(&mut worst) {
            let (of_a, of_b) =
                (stage_a.properties.values(*slot_a), stage_b.properties.values(*slot_b));
            let off = match (of_a, of_b) {
                (Some(of_a), Some(of_b)) => {
                    let each = of_a.iter().zip(of_b).map(|(x, y)| difference(*x, *y));
                    each.fold(0.0, f32::max)
                }
                (None, None) => 0.0,
                _ => ABSENT,
            };
            if off > worst.as_ref().map_or(0.0, |worst| worst.off) {
                *worst = Some(Worst { off, time_secs });
            }
        }
    }
    let found = animated.iter().zip(worst).filter_map(|([slot, _], worst)| {
        let Worst { off, time_secs } = worst?;
        let name = a.model.slot_name(*slot);
        Some(match off {
            ABSENT => format!("{name} is animated, and only one file has it"),
            _ => format!("{name} is off by {off:.4} at {time_secs:.3} s"),
        })
    });
    found.collect()
}

/// Returns the difference of two values, 0 if it is rounding.
fn difference(x: f32, y: f32) -> f32 {
    let off = (x - y).abs();
    if off <= ROUNDING * x.abs().max(y.abs()).max(1.0) { 0.0 } else { off }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_no_difference() {
        assert_eq!((difference(1.0, 1.00005), difference(1000.0, 1000.05)), (0.0, 0.0));
        assert!(difference(0.0, 0.001) > 0.0 && difference(1000.0, 1001.0) == 1.0);
    }
}
