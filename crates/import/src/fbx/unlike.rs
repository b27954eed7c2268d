//! Nodes that other programs pose otherwise: what limits of nodes and interpolation of quaternions would change.

use glam::DQuat;
use ufbx::{Node, Prop, Scene};

use super::curves::{Span, gather};
use super::sampling::within;
use super::stack::Stack;
use super::takes::some_of;
use crate::fault::Warnings;
use rigview_model::WarningCode;

/// How far a value may be beyond a limit, in its unit: rounding.
const ROUNDING: f64 = 1e-3;

/// The difference of rotations that is worth a warning, in degrees.
const VISIBLE: f64 = 1.0;

/// Keys of a node that are looked at.
const KEYS: usize = 1 << 20;

/// Warns of nodes that are beyond the limits that they state, and of those whose rotations are not interpolated as they ask
/// for.
pub(super) fn warn(scene: &Scene, stacks: &[Stack], warnings: &mut Warnings) {
    let beyond = scene.nodes.iter().filter(|node| is_beyond_limits(node, stacks));
    let names: Vec<&str> = beyond.map(|node| &*node.element.name).collect();
    if !names.is_empty() {
        let names = some_of(names.into_iter());
        let message = format!("nodes are shown beyond the limits that they have: {names}");
        warnings.add(WarningCode::NotShown, "", message);
    }
    let mut most = 0.0_f64;
    let mut names = Vec::new();
    for node in &scene.nodes {
        let off = off_quaternions(node, stacks);
        if off > VISIBLE {
            most = most.max(off);
            names.push(&*node.element.name);
        }
    }
    if !names.is_empty() {
        let names = some_of(names.into_iter());
        let message = format!(
            "nodes whose rotations the file interpolates as quaternions follow their angles, up to {most:.1} degrees away \
             between keys: {names}"
        );
        warnings.add(WarningCode::NotShown, "", message);
    }
}

fn property<'a>(node: &'a Node, name: &str) -> Option<&'a Prop> {
    node.element.props.find_prop(name)
}

fn is_set(node: &Node, name: &str) -> bool {
    property(node, name).is_some_and(|property| property.value_int != 0)
}

/// Returns a vector of a node; 0 if it has none.
fn vector(node: &Node, name: &str) -> [f64; 3] {
    property(node, name).map_or([0.0; 3], |property| {
        let v = property.value_vec4;
        [v.x, v.y, v.z]
    })
}

/// Whether a node's own values, or the keys of a take's base, are beyond its limits.
fn is_beyond_limits(node: &Node, stacks: &[Stack]) -> bool {
    let kinds = [
        ("Lcl Translation", "Translation"),
        ("Lcl Rotation", "Rotation"),
        ("Lcl Scaling", "Scaling"),
    ];
    kinds.iter().filter(|(_, kind)| is_set(node, &format!("{kind}Active"))).any(|(value, kind)| {
        let limit = |end: &str, axis: usize| {
            let is_limited = is_set(node, &format!("{kind}{end}{}", ["X", "Y", "Z"][axis]));
            is_limited.then(|| vector(node, &format!("{kind}{end}"))[axis])
        };
        let rest = property(node, value).map(|_| vector(node, value));
        (0..3).any(|axis| {
            let (least, most) = (limit("Min", axis), limit("Max", axis));
            let is_beyond = |low: f64, high: f64| {
                least.is_some_and(|least| low < least - ROUNDING)
                    || most.is_some_and(|most| high > most + ROUNDING)
            };
            let of_take = |stack: &Stack| {
                let base = stack.layers().next();
                let animated =
                    base.and_then(|layer| ufbx::find_anim_prop(layer, &node.element, value));
                let curve =
                    animated.and_then(|animated| animated.anim_value.curves[axis].as_deref());
                curve.is_some_and(|curve| is_beyond(curve.min_value, curve.max_value))
            };
            (least.is_some() || most.is_some())
                && (rest.is_some_and(|rest| is_beyond(rest[axis], rest[axis]))
                    || stacks.iter().any(of_take))
        })
    })
}

/// Returns how far a node is at most, halfway between two keys, from the rotation that is interpolated as a quaternion, in
/// degrees; 0 if the file does not ask for it.
fn off_quaternions(node: &Node, stacks: &[Stack]) -> f64 {
    if property(node, "QuaternionInterpolate").is_none_or(|mode| mode.value_int <= 0) {
        return 0.0;
    }
    let of_take = |stack: &Stack| {
        let (span, mut keys) = (Span::of(stack), Vec::new());
        let is_rotation = |name: &str| name == "Lcl Rotation";
        let found = gather(stack, &node.element, &is_rotation, span, KEYS, &mut keys);
        if !matches!(found, Ok(true)) {
            return 0.0;
        }
        let rotation = |time: f64| {
            let q = ufbx::evaluate_transform(&stack.anim, node, time).rotation;
            DQuat::from_xyzw(q.x, q.y, q.z, q.w)
        };
        let off = |from: f64, to: f64| {
            let halfway = rotation(from).slerp(rotation(to), 0.5);
            halfway.angle_between(rotation(0.5 * (from + to))).to_degrees()
        };
        let keys = within(keys, span.begin, span.end);
        let pairs = keys.windows(2).filter(|pair| !pair[0].jumps && !pair[1].jumps);
        pairs.map(|pair| off(pair[0].time, pair[1].time)).fold(0.0, f64::max)
    };
    stacks.iter().map(of_take).fold(0.0, f64::max)
}
