//! The curves of takes: their span, and the times of their keys.

use std::cell::Cell;
use std::ops::RangeInclusive;

use ufbx::{
    AnimCurve, AnimProp, Connection, Element, Extrapolation, ExtrapolationMode, InheritMode,
    Interpolation, Keyframe, Node, Scene,
};

use super::rig::{Animated, Instant};
use super::sampling::{ASIDE, Break, within};
use super::stack::Stack;

/// Keys of scales that are looked at to find out whether parents' scales are uniform.
const SCALE_KEYS: usize = 1 << 20;

/// Where scales between two keys are looked at. The fractions are uneven, so that whole waves do not hide between them.
const BETWEEN: [f64; 3] = [0.236, 0.5, 0.787];

/// Seconds beyond the span of a take that a key may be, because programs round spans and keys in other ways.
const SPAN_ROUNDING: f64 = 1e-3;

/// Seconds from which on a time is none: the infinite times of FBX are the largest number of ticks, some six years.
const UNSTATED: f64 = 1e8;

/// Repetitions of a curve on one side of its keys that are followed within a take's span.
const REPEATS: usize = 1000;

/// Keys in the repetitions of a curve on one side that are followed. No file reaches this number in earnest.
const REPEATED_KEYS: usize = 1 << 16;

/// Connections between properties that are followed from one.
const CONNECTIONS: usize = 16;

/// The properties of an FBX node that its transform depends on.
pub(super) const TRANSFORM: [&str; 10] = [
    "Lcl Translation",
    "Lcl Rotation",
    "Lcl Scaling",
    "RotationOffset",
    "RotationPivot",
    "ScalingOffset",
    "ScalingPivot",
    "PreRotation",
    "PostRotation",
    "RotationOrder",
];

/// The span of a take in the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    pub begin: f64,
    pub end: f64,
}

impl Span {
    /// Returns the span of a take: the one that it states, or else that of its keys, also where it states one of the ends.
    pub fn of(stack: &Stack) -> Self {
        let (begin, end) = (stack.whole().time_begin, stack.whole().time_end);
        let keys = || Self::of_keys(stack);
        let span = match [begin, end].map(is_stated) {
            [true, true] => Self { begin, end },
            [true, false] => Self { begin, ..keys() },
            [false, true] => Self { end, ..keys() },
            [false, false] => keys(),
        };
        if span.end > span.begin { span } else { keys() }
    }

    /// Whether it is one instant.
    pub fn is_instant(self) -> bool {
        self.end <= self.begin
    }

    /// Returns the time from the first to the last key of a take.
    fn of_keys(stack: &Stack) -> Self {
        let (mut first, mut last) = (f64::INFINITY, f64::NEG_INFINITY);
        for curve in curves(stack) {
            for key in curve.keyframes.first().iter().chain(&curve.keyframes.last()) {
                if is_stated(key.time) {
                    (first, last) = (first.min(key.time), last.max(key.time));
                }
            }
        }
        match first <= last {
            true => Self { begin: first, end: last },
            false => Self { begin: 0.0, end: 0.0 },
        }
    }
}

fn is_stated(time: f64) -> bool {
    time.abs() < UNSTATED
}

/// Whether keys of a curve in a span are at the same time in the clip, because glTF has times in single precision.
pub(super) fn are_merged(stack: &Stack, span: Span) -> bool {
    let time = |key: &Keyframe| (key.time - span.begin) as f32;
    let is_merged = |pair: &[Keyframe]| {
        let [a, b] = [&pair[0], &pair[1]];
        let is_apart = b.time - a.time > SPAN_ROUNDING && a.value != b.value;
        is_apart && time(a) == time(b) && a.time >= span.begin && b.time <= span.end
    };
    curves(stack).any(|curve| curve.keyframes.windows(2).any(is_merged))
}

/// Keys of a take that its span leaves out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Outside {
    pub count: usize,
    /// The times of the first and the last one, in the file.
    pub first: f64,
    pub last: f64,
}

impl Outside {
    /// Returns the keys of curves that change something outside of a take's span; `None` without any.
    pub fn of(stack: &Stack, span: Span) -> Option<Self> {
        let is_outside =
            |time: &f64| *time < span.begin - SPAN_ROUNDING || *time > span.end + SPAN_ROUNDING;
        let changing = curves(stack).filter(|curve| varies(curve));
        let times = changing.flat_map(|curve| curve.keyframes.iter().map(|key| key.time));
        let mut found: Option<Self> = None;
        for time in times.filter(|time| time.is_finite() && is_outside(time)) {
            let outside = found.get_or_insert(Self { count: 0, first: time, last: time });
            outside.count += 1;
            outside.first = outside.first.min(time);
            outside.last = outside.last.max(time);
        }
        found
    }
}

/// Returns the number of keys of a take.
pub(super) fn key_count(stack: &Stack) -> usize {
    curves(stack).map(|curve| curve.keyframes.len()).sum()
}

/// Returns the number of keys of a take, with those of repetitions of its curves within a span.
pub(super) fn break_count(stack: &Stack, span: Span) -> usize {
    let times = |curve: &AnimCurve| {
        let repeats = SIDES.map(|side| repeats(curve, side, span).count());
        1 + repeats.iter().sum::<usize>()
    };
    curves(stack).map(|curve| curve.keyframes.len() * times(curve)).sum()
}

fn curves<'a>(stack: &'a Stack<'a>) -> impl Iterator<Item = &'a AnimCurve> {
    let values = stack.layers().flat_map(|layer| &layer.anim_values);
    values.flat_map(|value| value.curves.iter().flatten().map(|curve| &**curve))
}

/// The instants of takes at which a node's scale may be at an extreme, up to a number of keys of all nodes together.
pub(super) struct ScaleInstants<'a> {
    stacks: &'a [Stack<'a>],
    /// The span of each take.
    spans: Vec<Span>,
    left: Cell<usize>,
}

impl<'a> ScaleInstants<'a> {
    pub fn new(stacks: &'a [Stack<'a>]) -> Self {
        Self { stacks, spans: stacks.iter().map(Span::of).collect(), left: Cell::new(SCALE_KEYS) }
    }

    /// Calls `look` with the instants of all takes: those of keys, and others between them and beside jumps, unless the
    /// curves of all axes are the same. Returns false if there are too many keys to look at them.
    pub fn look(&self, node: &Node, look: &mut dyn FnMut(Instant)) -> bool {
        let is_scale = |name: &str| name == "Lcl Scaling";
        for (stack, &span) in self.stacks.iter().zip(&self.spans) {
            let mut breaks = Vec::new();
            let most = self.left.get();
            let Ok(found) = gather(stack, &node.element, &is_scale, span, most, &mut breaks) else {
                return false;
            };
            if !found {
                continue;
            }
            self.left.set(self.left.get() - breaks.len());
            let breaks = within(breaks, span.begin, span.end);
            let mut look = |time| look(Instant { take: Some((&stack.anim, time)), animated: &[] });
            breaks.iter().for_each(|at| look(at.time));
            if has_equal_axes(stack, &node.element, &is_scale) {
                continue;
            }
            for pair in breaks.windows(2) {
                let [from, to] = [pair[0].time, pair[1].time];
                BETWEEN.iter().for_each(|share| look(from + share * (to - from)));
                if pair[0].jumps || pair[1].jumps {
                    look(from + ASIDE);
                    look(to - ASIDE);
                }
            }
        }
        true
    }
}

/// Whether the curves of all axes of an element's properties are the same in all layers of a take.
fn has_equal_axes(stack: &Stack, element: &Element, wanted: &dyn Fn(&str) -> bool) -> bool {
    let mut compare = |property: &AnimProp| {
        let [x, y, z] = &property.anim_value.curves;
        let [x, y, z] = [x, y, z].map(|curve| curve.as_deref());
        let is_equal = |a: Option<&AnimCurve>, b: Option<&AnimCurve>| match (a, b) {
            (Some(a), Some(b)) => is_alike(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        if is_equal(x, y) && is_equal(y, z) { Ok(()) } else { Err(TooMany) }
    };
    each_property(stack, element, wanted, &mut compare).is_ok()
}

/// Whether two curves have the same values at all times.
fn is_alike(a: &AnimCurve, b: &AnimCurve) -> bool {
    let outside = |curve: &AnimCurve| {
        [&curve.pre_extrapolation, &curve.post_extrapolation].map(|e| (e.mode, e.repeat_count))
    };
    let is_same = |(a, b): (&Keyframe, &Keyframe)| {
        let sides = |key: &Keyframe| [key.left, key.right].map(|side| (side.dx, side.dy));
        (a.time, a.value, a.interpolation) == (b.time, b.value, b.interpolation)
            && sides(a) == sides(b)
    };
    let (a_keys, b_keys) = (&a.keyframes, &b.keyframes);
    outside(a) == outside(b)
        && a_keys.len() == b_keys.len()
        && a_keys.iter().zip(b_keys.iter()).all(is_same)
}

/// Whether any take moves a node.
pub(super) fn is_moved(stacks: &[Stack], node: &Node) -> bool {
    let is_transform = |name: &str| TRANSFORM.contains(&name);
    stacks.iter().any(|stack| is_animated(stack, &node.element, &is_transform))
}

/// Returns, for each node, what of its transform a take animates.
pub(super) fn animated_parts(scene: &Scene, stack: &Stack) -> Vec<Animated> {
    let of_node = |node: &Node| {
        let has = |wanted: &dyn Fn(&str) -> bool| is_animated(stack, &node.element, wanted);
        let rotation = has(&|name| TURNS.contains(&name));
        let scale = has(&|name| name == "Lcl Scaling");
        let translation = has_pivot(node) && (rotation || scale)
            || has(&|name| name == "Lcl Translation" || PIVOTS.contains(&name));
        Animated { translation, rotation, scale }
    };
    scene.nodes.iter().map(|node| of_node(node)).collect()
}

/// The properties that turn a node.
const TURNS: [&str; 4] = ["Lcl Rotation", "PreRotation", "PostRotation", "RotationOrder"];

/// The properties that rotation and scale shift a node by.
const PIVOTS: [&str; 4] = ["RotationOffset", "RotationPivot", "ScalingOffset", "ScalingPivot"];

fn has_pivot(node: &Node) -> bool {
    PIVOTS.iter().any(|name| {
        let pivot = node.element.props.find_prop(name).map(|property| property.value_vec4);
        pivot.is_some_and(|v| v.x != 0.0 || v.y != 0.0 || v.z != 0.0)
    })
}

/// Returns how many of a node's translation, rotation and scale change during a take, at most.
pub(super) fn changing(stack: &Stack, node: &Node, is_any_scaled: bool) -> usize {
    // Weights of layers change also what is constant.
    let is_mixed = stack.layers().any(|layer| layer.weight_is_animated);
    let changes = |wanted: &dyn Fn(&str) -> bool| {
        let mut look = |property: &AnimProp| {
            let mut curves = property.anim_value.curves.iter().flatten();
            match is_mixed || curves.any(|curve| varies(curve)) {
                true => Err(TooMany),
                false => Ok(()),
            }
        };
        each_property(stack, &node.element, wanted, &mut look).is_err()
    };
    let turns = changes(&|name| TURNS.contains(&name));
    let is_scaled = changes(&|name| name == "Lcl Scaling");
    let shifts = has_pivot(node) && (turns || is_scaled)
        || changes(&|name| name == "Lcl Translation" || PIVOTS.contains(&name));
    // Its scale depends on those of others, and a helper may have a scale too.
    let others = is_any_scaled && node.inherit_mode != InheritMode::Normal;
    let scales = if others { 2 } else { usize::from(is_scaled) };
    usize::from(turns) + usize::from(shifts) + scales
}

/// Whether a curve has different values, or slopes.
pub(super) fn varies(curve: &AnimCurve) -> bool {
    let Some(first) = curve.keyframes.first() else { return false };
    curve.keyframes.iter().any(|key| {
        let is_flat = key.left.dy == 0.0 && key.right.dy == 0.0;
        key.value != first.value || key.interpolation == Interpolation::Cubic && !is_flat
    })
}

fn is_animated(stack: &Stack, element: &Element, wanted: &dyn Fn(&str) -> bool) -> bool {
    each_property(stack, element, wanted, &mut |_| Err(TooMany)).is_err()
}

/// Whether a take has keys of a property of an element that are strictly between two values, or goes from one value to another
/// without a step.
pub(super) fn is_gradual(
    stack: &Stack,
    element: &Element,
    name: &str,
    low: f64,
    high: f64,
) -> bool {
    use Interpolation::{ConstantNext, ConstantPrev};
    let is_between = |key: &Keyframe| key.value > low && key.value < high;
    let is_slope = |pair: &[Keyframe]| {
        pair[0].value != pair[1].value
            && !matches!(pair[0].interpolation, ConstantNext | ConstantPrev)
    };
    let mut look = |property: &AnimProp| {
        let mut curves = property.anim_value.curves.iter().flatten().map(|curve| &curve.keyframes);
        match curves.any(|keys| keys.iter().any(is_between) || keys.windows(2).any(is_slope)) {
            true => Err(TooMany),
            false => Ok(()),
        }
    };
    each_property(stack, element, &|found| found == name, &mut look).is_err()
}

/// More keys than the budget allows, or than a cancelled conversion looks at.
#[derive(Debug)]
pub(super) struct TooMany;

/// Gathers the keys within a span of an element's properties in all layers of a take. Returns whether there are any such
/// properties.
pub(super) fn gather(
    stack: &Stack,
    element: &Element,
    wanted: &dyn Fn(&str) -> bool,
    span: Span,
    most: usize,
    breaks: &mut Vec<Break>,
) -> Result<bool, TooMany> {
    let mut found = false;
    each_property(stack, element, wanted, &mut |property| {
        found = true;
        for curve in property.anim_value.curves.iter().flatten() {
            add_breaks(curve, span, breaks);
            if breaks.len() > most {
                return Err(TooMany);
            }
        }
        Ok(())
    })?;
    Ok(found)
}

/// Calls `each` with the animated properties of an element, in all layers of a take, until it fails; also with those
/// of other elements that its properties are connected to, as blend shapes of old files are.
pub(super) fn each_property(
    stack: &Stack,
    element: &Element,
    wanted: &dyn Fn(&str) -> bool,
    each: &mut dyn FnMut(&AnimProp) -> Result<(), TooMany>,
) -> Result<(), TooMany> {
    let mut visit = |element: &Element, wanted: &dyn Fn(&str) -> bool| {
        for layer in stack.layers() {
            let all = ufbx::find_anim_props(layer, element);
            all.iter().filter(|property| wanted(&property.prop_name)).try_for_each(&mut *each)?;
        }
        Ok(())
    };
    visit(element, wanted)?;
    let mut connected = Vec::new();
    add_connections(element, wanted, &mut connected);
    // Connections may form a circle.
    for _ in 0..CONNECTIONS {
        let Some(connection) = connected.pop() else { break };
        let is_source = |name: &str| *name == *connection.src_prop;
        visit(&connection.src, &is_source)?;
        add_connections(&connection.src, &is_source, &mut connected);
    }
    Ok(())
}

/// Appends the connections of an element's properties to those that they take their values from.
fn add_connections<'a>(
    element: &'a Element,
    wanted: &dyn Fn(&str) -> bool,
    out: &mut Vec<&'a Connection>,
) {
    let all = element.connections_dst.iter();
    out.extend(
        all.filter(|c| !c.src_prop.is_empty() && !c.dst_prop.is_empty() && wanted(&c.dst_prop)),
    );
}

/// The sides of a curve's keys on which it may be repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

const SIDES: [Side; 2] = [Side::Before, Side::After];

impl Side {
    fn extrapolation(self, curve: &AnimCurve) -> &Extrapolation {
        match self {
            Self::Before => &curve.pre_extrapolation,
            Self::After => &curve.post_extrapolation,
        }
    }
}

/// Returns the times of a curve's first and last keys if they differ.
fn ends(curve: &AnimCurve) -> Option<[f64; 2]> {
    let (start, end) = (curve.keyframes.first()?.time, curve.keyframes.last()?.time);
    (end > start && (end - start).is_finite()).then_some([start, end])
}

/// Returns the repetitions of a curve that reach into a span, counted from 1 at the curve's keys.
fn repeats(curve: &AnimCurve, side: Side, span: Span) -> RangeInclusive<usize> {
    use ExtrapolationMode::{Mirror, Repeat, RepeatRelative};
    #[expect(clippy::reversed_empty_ranges, reason = "no repetition")]
    const NONE: RangeInclusive<usize> = 1..=0;
    let outside = side.extrapolation(curve);
    let Some([start, end]) =
        ends(curve).filter(|_| matches!(outside.mode, Repeat | RepeatRelative | Mirror))
    else {
        return NONE;
    };
    let (near, far) = match side {
        Side::Before => (start - span.end, start - span.begin),
        Side::After => (span.begin - end, span.end - end),
    };
    let length = end - start;
    // Casts saturate: what lies on the other side of the keys is 0.
    let first = ((near / length).ceil() as usize).max(1);
    let last = ((far / length).floor() + 1.0) as usize;
    let stated = usize::try_from(outside.repeat_count).unwrap_or(usize::MAX);
    let most = REPEATS.min(REPEATED_KEYS / curve.keyframes.len());
    first..=last.min(stated).min((first - 1).saturating_add(most))
}

/// Appends the keys of a curve within a span, with those of its repetitions.
fn add_breaks(curve: &AnimCurve, span: Span, breaks: &mut Vec<Break>) {
    use Interpolation::{ConstantNext, ConstantPrev};
    let mut add = |at: Break| {
        if (span.begin..=span.end).contains(&at.time) {
            breaks.push(at);
        }
    };
    let mut before = None;
    for key in &curve.keyframes {
        let jumps = before == Some(ConstantPrev) || key.interpolation == ConstantNext;
        add(Break { time: key.time, jumps });
        before = Some(key.interpolation);
    }
    let Some([start, end]) = ends(curve) else { return };
    for side in SIDES {
        let is_mirror = side.extrapolation(curve).mode == ExtrapolationMode::Mirror;
        let length = if side == Side::Before { start - end } else { end - start };
        for repeat in repeats(curve, side, span) {
            for key in &curve.keyframes {
                let is_turned = is_mirror && repeat % 2 == 1;
                let within = if is_turned { start + end - key.time } else { key.time };
                // A repeated curve may jump where it starts again.
                add(Break { time: within + length * repeat as f64, jumps: true });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fbx::scene;
    use crate::progress::Progress;
    use rigview_model::Budget;

    /// A curve of keys at 1 s and 1.5 s, repeated before and after, in a take of some span.
    fn file(repetitions: i32, begin: f64, end: f64) -> String {
        let ticks = |secs: f64| (secs * 46_186_158_000.0) as i64;
        let outside = ["Pre", "Post"].map(|side| {
            format!("{side}-Extrapolation: {{\nType: R\nRepetition: {repetitions}\n}}\n")
        });
        format!(
            "; FBX 7.4.0 project file\nFBXHeaderExtension:  {{\nFBXVersion: 7400\n}}\nObjects:  {{\n\
             Model: 1, \"Model::a\", \"Null\" {{\nVersion: 232\n}}\n\
             AnimationStack: 2, \"AnimStack::t\", \"\" {{\nProperties70:  {{\n\
             P: \"LocalStart\", \"KTime\", \"Time\", \"\",{}\nP: \"LocalStop\", \"KTime\", \"Time\", \"\",{}\n}}\n}}\n\
             AnimationLayer: 3, \"AnimLayer::l\", \"\" {{\n}}\n\
             AnimationCurveNode: 4, \"AnimCurveNode::\", \"\" {{\n}}\n\
             AnimationCurve: 5, \"AnimCurve::\", \"\" {{\nKeyVer: 4008\nKeyTime: *2 {{\na: {},{}\n}}\n\
             KeyValueFloat: *2 {{\na: 0,1\n}}\nKeyAttrFlags: *1 {{\na: 4\n}}\nKeyAttrDataFloat: *4 {{\na: 0,0,0,0\n}}\n\
             KeyAttrRefCount: *1 {{\na: 2\n}}\n{}}}\n}}\n\
             Connections:  {{\nC: \"OO\",1,0\nC: \"OO\",3,2\nC: \"OO\",4,3\n\
             C: \"OP\",4,1, \"Lcl Translation\"\nC: \"OP\",5,4, \"d|X\"\n}}\n",
            ticks(begin),
            ticks(end),
            ticks(1.0),
            ticks(1.5),
            outside.concat(),
        )
    }

    /// Returns the times of all keys in a take, and the number that their evaluations are shared by.
    fn gathered(repetitions: i32, begin: f64, end: f64) -> (Vec<f64>, usize) {
        let text = file(repetitions, begin, end).into_bytes();
        let scene = scene::read(&text, &Budget::default(), &Progress::default()).unwrap();
        let stacks = Stack::all(&scene).unwrap();
        let span = Span::of(&stacks[0]);
        let mut breaks = Vec::new();
        let node = &scene.nodes[1].element;
        gather(&stacks[0], node, &|_| true, span, usize::MAX, &mut breaks).unwrap();
        let mut times: Vec<f64> = breaks.iter().map(|at| at.time).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        (times, break_count(&stacks[0], span))
    }

    #[test]
    fn repetitions_of_a_curve_are_followed_within_the_span_only() {
        let (times, count) = gathered(-1, 0.0, 2.5);
        assert_eq!(times, [0.0, 0.5, 1.0, 1.5, 2.0, 2.5]);
        assert!((8..=14).contains(&count), "{count}");
        assert_eq!(gathered(1, 0.0, 2.5).0, [0.5, 1.0, 1.5, 2.0]);
        assert_eq!(gathered(0, 0.0, 2.5), (vec![1.0, 1.5], 2));
    }

    #[test]
    fn repetitions_are_followed_far_from_the_keys() {
        assert_eq!(gathered(-1, 2001.2, 2002.2).0, [2001.5, 2002.0]);
        assert_eq!(gathered(-1, -2002.2, -2001.2).0, [-2002.0, -2001.5]);
        assert!(gathered(1000, 2001.2, 2002.2).0.is_empty());
    }
}
