//! Turns between the keys of curves. A curve of angles may turn a node many times from one key to the next one, which the
//! node's orientations at a few instants do not tell.

use ufbx::{AnimCurve, AnimProp, Element, ExtrapolationMode, Interpolation, Keyframe};

use super::curves::{Span, TooMany, each_property};
use super::sampling::{ASIDE, Break, representable};
use super::stack::Stack;

/// The angle between two neighbouring times, in degrees. Cubic curves may turn some times as far, but less than half a turn.
const PART: f64 = 60.0;

/// The properties that turn a node by angles.
const ANGLES: [&str; 3] = ["Lcl Rotation", "PreRotation", "PostRotation"];

/// A part of a curve that goes from one value to another.
#[derive(Clone, Copy)]
struct Piece {
    start: f64,
    end: f64,
    /// Degrees from the lowest to the highest value and back, at most.
    sweep: f64,
}

impl Piece {
    fn between(a: &Keyframe, b: &Keyframe) -> Self {
        let sweep = match a.interpolation {
            Interpolation::ConstantPrev | Interpolation::ConstantNext => 0.0,
            Interpolation::Linear => (b.value - a.value).abs(),
            Interpolation::Cubic => {
                let (out, into) = (f64::from(a.right.dy), f64::from(b.left.dy));
                out.abs() + (b.value - into - (a.value + out)).abs() + into.abs()
            }
        };
        Self { start: a.time, end: b.time, sweep }
    }

    /// Returns the times within a span that divide the piece into parts of equal length.
    fn times(self, span: Span) -> impl ExactSizeIterator<Item = f64> {
        let Self { start, end, sweep } = self;
        // Two keys at nearly the same time are a jump.
        let is_jump = end - start < 4.0 * ASIDE;
        // A cast saturates, and turns NaN into 0.
        let parts = if is_jump { 0.0 } else { (sweep / PART).ceil() } as u32;
        let step = (end - start) / f64::from(parts.max(1));
        let index = |time: f64| (time - start) / step;
        let first = (index(span.begin).floor() as u32).saturating_add(1);
        let stop = (index(span.end).ceil() as u32).min(parts).max(first);
        // `u32` ranges have an exact length.
        (first..stop)
            .map(move |i| span.begin + representable(start + f64::from(i) * step - span.begin))
    }
}

/// Returns the pieces of a curve between its keys, and those beyond them that go on as steeply as the curve ends. Parts that
/// are repeated are left to the comparison with the curve.
fn pieces(curve: &AnimCurve, span: Span) -> impl Iterator<Item = Piece> {
    let keys = &curve.keyframes;
    let sloped = |key: Option<&Keyframe>, mode: ExtrapolationMode, far: f64| {
        let key = key.filter(|_| mode == ExtrapolationMode::Slope)?;
        let sweep = (ufbx::evaluate_curve(curve, far, key.value) - key.value).abs();
        Some(Piece { start: key.time.min(far), end: key.time.max(far), sweep })
    };
    let [before, after] = [curve.pre_extrapolation.mode, curve.post_extrapolation.mode];
    let outside = [sloped(keys.first(), before, span.begin), sloped(keys.last(), after, span.end)];
    let inside = keys.windows(2).map(|pair| Piece::between(&pair[0], &pair[1]));
    inside.chain(outside.into_iter().flatten())
}

fn count_of(property: &AnimProp, span: Span) -> usize {
    let curves = property.anim_value.curves.iter().flatten();
    curves.flat_map(|curve| pieces(curve, span)).map(|piece| piece.times(span).len()).sum()
}

/// Returns the number of times that [`add`] finds for all nodes of a take.
pub(super) fn count(stack: &Stack, span: Span) -> usize {
    let properties = stack.layers().flat_map(|layer| &layer.anim_props);
    let angles = properties.filter(|property| ANGLES.contains(&&*property.prop_name));
    angles.map(|property| count_of(property, span)).sum()
}

/// Appends times between the keys of a node's curves, so that it turns by less than half a turn from one to the next. Returns
/// false, and appends none, if they are more than `most`.
pub(super) fn add(
    stack: &Stack,
    node: &Element,
    span: Span,
    most: usize,
    breaks: &mut Vec<Break>,
) -> bool {
    let before = breaks.len();
    let mut add = |property: &AnimProp| {
        if breaks.len() - before + count_of(property, span) > most {
            return Err(TooMany);
        }
        let curves = property.anim_value.curves.iter().flatten();
        let times =
            curves.flat_map(|curve| pieces(curve, span)).flat_map(|piece| piece.times(span));
        breaks.extend(times.map(|time| Break { time, jumps: false }));
        Ok(())
    };
    let is_followed = each_property(stack, node, &|name| ANGLES.contains(&name), &mut add).is_ok();
    if !is_followed {
        breaks.truncate(before);
    }
    is_followed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_that_is_no_number_has_no_parts() {
        let span = Span { begin: 0.0, end: 1.0 };
        let parts = |sweep: f64| Piece { start: 0.0, end: 1.0, sweep }.times(span).len();
        assert_eq!([f64::NAN, 0.0, 150.0].map(parts), [0, 0, 2]);
        assert_eq!(parts(f64::INFINITY), u32::MAX as usize - 1);
    }
}
