//! Takes: each becomes an animation whose time 0 is the take's begin.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use rayon::prelude::*;
use serde_json::{Value, json};
use ufbx::{Element, ElementType, Node, Scene, SceneRoot};

use super::curves::{
    Outside, Span, TRANSFORM, TooMany, animated_parts, are_merged, break_count, changing, gather,
    is_gradual, key_count, varies,
};
use super::reach::{chain_sums, largest_offset, parent_scale, reaches};
use super::rig::{Animated, Instant, Output, Rig};
use super::sampling::{Allowance, Break, Keys, Kind, Lane, sample, switched, within};
use super::scene::{NODE_VISIBILITY, finite};
use super::shapes;
use super::stack::Stack;
use super::turns;
use super::visibility::{self, VISIBILITY};
use crate::draft::{Draft, Use};
use crate::fault::{ImportError, Warnings};
use crate::progress::Progress;
use rigview_model::{Budget, OverBudget, WarningCode, quoted, three_digits};

/// The share of the allowed error of a vertex that all nodes together may have, as far from them as in the rest pose. The
/// weights of morph targets may have the rest.
const NODES: f64 = 0.7;

/// The largest allowed error of a rotation per metre of the allowed error of a vertex, in radians: a hundredth of a degree for
/// a hundredth of a millimetre.
const ANGLE: f64 = 17.0;

/// The largest allowed error of a rotation whatever the allowed error of a vertex is, in radians: a degree.
const LARGEST_ANGLE: f64 = 0.017;

/// The largest allowed error of a scale, as a share of it.
const LARGEST_SCALE: f64 = 1e-5;

/// What rounding to single precision turns, in radians: more keys do not bring rotations closer.
const ANGLE_ROUNDING: f64 = 1.2e-7;

/// Differences from the rest pose that are none: of values of curves, and of those that a take without keys has instead of
/// curves, which programs round.
const ROUNDING: f64 = 1e-12;
const ROUNDING_OF_POSES: f64 = 1e-5;

/// The path of tracks of visibility.
const VISIBLE: &str = "visible";

/// Properties or nodes that a warning names, at most.
const NAMED: usize = 6;

/// Evaluations of curves beyond those at the file's own keys: those that all nodes share, and the most of them that one node
/// gets; those that all keys share, and the fewest and the most of them that one key of the file gets. Repetitions of a curve
/// share those of its keys.
const FOR_NODES: usize = 2_000_000;
const OF_NODE: usize = 60_000;
const FOR_KEYS: usize = 4_000_000;
const OF_KEY: [usize; 2] = [12, 64];

/// Scales that are evaluated as fast as a whole transform.
const SCALES: usize = 4;

/// A node of the document that shows a mesh with blend shapes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Morphed {
    /// Index in the document.
    pub index: usize,
    /// Typed ID of the FBX mesh.
    pub mesh: usize,
}

/// A node of the document that is shown while FBX nodes are visible.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    /// Index in the document.
    pub index: usize,
    /// Typed IDs of the FBX nodes.
    pub by: Vec<usize>,
}

/// What takes animate.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    /// The nodes.
    pub rig: &'a Rig,
    /// Those with morph targets.
    pub morphed: &'a [Morphed],
    /// Those whose visibility may change.
    pub shown: &'a [Shown],
    /// The allowed error of a vertex, in metres.
    pub bound: f64,
}

/// What all takes share.
struct Shared<'a> {
    scene: &'a SceneRoot,
    /// For each FBX node, the largest distance of what it moves.
    reach: Vec<f64>,
    evaluations: Evaluations,
    /// The largest error that is left, as a multiple of the allowed one; the bits of a float.
    excess: AtomicU64,
    /// Keys that may still be looked at.
    left: AtomicUsize,
    /// The allowed error of a vertex, in metres.
    bound: f64,
    progress: &'a Progress,
}

/// A take with what its tracks share.
struct Take<'a> {
    shared: &'a Shared<'a>,
    stack: &'a Stack<'a>,
    span: Span,
    /// Keys of the weights of layers, which change everything.
    of_layers: Vec<Break>,
    /// For each FBX node, what of its transform is animated.
    animated: Vec<Animated>,
    /// For each FBX node, the allowed error of a vertex by one of its properties: errors along a chain of nodes add up.
    shares: Vec<f64>,
    /// Differences from the rest pose up to this are ignored, relative to values above 1.
    rounding: f64,
}

/// How often the curves of all takes together are evaluated at most.
#[derive(Clone, Copy)]
struct Evaluations {
    /// For each node, whatever the number of its keys.
    of_node: usize,
    /// For all keys.
    for_keys: usize,
    /// The number of all keys, with those of repetitions and the times between that divide turns.
    breaks: usize,
    /// The most times between keys at which turns of a node are divided.
    turns: usize,
}

impl Evaluations {
    /// Shares them among a number of animated nodes.
    fn new(stacks: &[Stack], nodes: usize) -> Self {
        let keys: usize = stacks.iter().map(key_count).sum();
        let turns: usize = stacks.iter().map(|stack| turns::count(stack, Span::of(stack))).sum();
        let is_wild = turns > FOR_NODES;
        let turns = turns.min(FOR_NODES);
        let breaks: usize = stacks.iter().map(|stack| break_count(stack, Span::of(stack))).sum();
        let breaks = breaks + turns;
        let takes = stacks.iter().filter(|stack| key_count(stack) > 0).count();
        let of_node = (FOR_NODES / (nodes * takes).max(1)).min(OF_NODE);
        Self {
            of_node,
            for_keys: FOR_KEYS.max(OF_KEY[0] * (keys + turns)).min(OF_KEY[1] * breaks),
            breaks,
            turns: if is_wild { of_node } else { OF_NODE },
        }
    }
}

/// Keys of a property of a node of the document.
struct Track {
    node: usize,
    path: &'static str,
    width: usize,
    keys: Keys,
}

/// The result of converting takes.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// The largest distance between the curves and the keys at the skin, in metres; `None` without clips, or if the keys do
    /// not follow the curves.
    pub curve_error: Option<f64>,
    /// For each take, whether it is no clip.
    pub left_out: Vec<bool>,
}

/// Converts all takes, except those without keys that hold the rest pose or have no span. Poses come after the others, since
/// the first clip is the one that is shown.
pub(super) fn write(
    scene: &SceneRoot,
    stacks: &[Stack],
    Parts { rig, morphed, shown, bound }: Parts,
    draft: &mut Draft,
    progress: &Progress,
    warnings: &mut Warnings,
) -> Result<Written, ImportError> {
    let outputs: Vec<Output> = rig.outputs().collect();
    if outputs.is_empty() {
        return Ok(Written { curve_error: None, left_out: vec![true; stacks.len()] });
    }
    let shared = Shared {
        scene,
        reach: reaches(scene),
        evaluations: Evaluations::new(stacks, outputs.len() + morphed.len()),
        excess: AtomicU64::new(0),
        left: AtomicUsize::new(usize::try_from(draft.budget().left() / 64).unwrap_or(usize::MAX)),
        bound,
        progress,
    };
    let parts = Parts { rig, morphed, shown, bound };
    let mut left_out = Vec::with_capacity(stacks.len());
    let mut poses = Vec::new();
    for stack in stacks {
        progress.check()?;
        let span = Span::of(stack);
        let has_keys = key_count(stack) > 0;
        // Old files have a take without keys and span beside those of the user.
        let tracks = if !has_keys && span.is_instant() {
            Vec::new()
        } else {
            warn_of_span(stack, span, warnings);
            let take = Take::new(&shared, stack, span);
            let tracks = take.and_then(|take| take.tracks(&outputs, parts));
            tracks.map_err(|TooMany| too_many(stack, draft.budget(), progress))?
        };
        let is_left_out = !has_keys && (span.is_instant() || tracks.is_empty());
        left_out.push(is_left_out);
        if is_left_out {
            continue;
        }
        let over = |over| over_take(stack, over);
        let animation = animation(stack.name(), tracks, span, draft).map_err(over)?;
        if has_keys && !span.is_instant() {
            draft.push("animations", animation);
        } else {
            poses.push(animation);
        }
    }
    for pose in poses {
        draft.push("animations", pose);
    }
    let mut curve_error = left_out.contains(&false).then_some(bound);
    let excess = f64::from_bits(shared.excess.into_inner());
    if excess > 1.0 {
        curve_error = Some(excess * bound).filter(|error| error.is_finite());
        warnings.add(WarningCode::NotShown, "", excess_text(excess, bound));
    }
    Ok(Written { curve_error, left_out })
}

/// Creates an error for a take that has more data than the file may.
fn over_take(stack: &Stack, over: OverBudget) -> ImportError {
    ImportError::over_budget(&format!("take \"{}\"", stack.name()), over)
}

/// Creates an error for a take with too many keys, unless the import was cancelled meanwhile.
fn too_many(stack: &Stack, budget: &Budget, progress: &Progress) -> ImportError {
    let (count, limit) = (key_count(stack) as u64, budget.limit());
    let over = || over_take(stack, OverBudget { count, size: 64, limit });
    progress.check().err().unwrap_or_else(over)
}

/// Warns of keys that a clip of this span does not have as the take has them.
fn warn_of_span(stack: &Stack, span: Span, warnings: &mut Warnings) {
    if let Some(outside) = Outside::of(stack, span) {
        warnings.add(WarningCode::NotShown, "", outside_text(stack.name(), span, outside));
    }
    if are_merged(stack, span) {
        warnings.add(WarningCode::NotShown, "", merged_text(stack.name(), span));
    }
}

/// Returns what is said about clips that keep a multiple of the allowed error, in metres, from their curves.
fn excess_text(excess: f64, bound: f64) -> String {
    match 1e3 * excess * bound {
        mm if mm.is_finite() => format!(
            "its takes have so many keys that clips follow their curves less closely: within {} mm at the skin instead of \
             {} mm",
            three_digits(mm, 6),
            three_digits(1e3 * bound, 6)
        ),
        _ => "its takes turn too often between their keys for clips to follow them".to_owned(),
    }
}

/// Returns what is said about keys that a take's span leaves out.
fn outside_text(name: &str, span: Span, outside: Outside) -> String {
    let keys = match outside.count {
        1 => format!("1 key at {:.3} s", outside.first),
        count => format!("{count} keys from {:.3} s to {:.3} s", outside.first, outside.last),
    };
    let (name, Span { begin, end }) = (quoted(name), span);
    format!(
        "take {name}: {keys} outside of its span of {begin:.3} s to {end:.3} s: the clip has the span only"
    )
}

/// Returns what is said about keys that are at the same time in a clip.
fn merged_text(name: &str, Span { begin, end }: Span) -> String {
    format!(
        "take {}: keys are merged, because glTF has times in single precision and its span of {begin:.0} s to {end:.0} s is \
         long; state a shorter one",
        quoted(name)
    )
}

/// Warns of animated properties of nodes, cameras, lights, materials and textures that keep their values at rest.
pub(super) fn warn_of_others(stacks: &[Stack], warnings: &mut Warnings) {
    const KINDS: [(ElementType, &str); 5] = [
        (ElementType::Node, "further properties of nodes"),
        (ElementType::Camera, "cameras"),
        (ElementType::Light, "lights"),
        (ElementType::Material, "materials"),
        (ElementType::Texture, "textures"),
    ];
    let layers = stacks.iter().flat_map(Stack::layers);
    let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for property in layers.flat_map(|layer| &layer.anim_props) {
        let (element, name) = (property.element.type_, &*property.prop_name);
        if element == ElementType::Node && (TRANSFORM.contains(&name) || name == VISIBILITY) {
            continue;
        }
        let kind = KINDS.iter().find(|(kind, _)| *kind == element);
        let mut curves = property.anim_value.curves.iter().flatten();
        if let Some((_, kind)) = kind.filter(|_| curves.any(|curve| varies(curve))) {
            found.entry(kind).or_default().insert(&property.prop_name);
        }
    }
    for (kind, properties) in found {
        let names = some_of(properties.into_iter());
        let message = format!("the animation of {kind} is not shown: {names}");
        warnings.add(WarningCode::NotShown, "", message);
    }
}

/// Warns of nodes that are partly visible at rest, or fade in takes.
pub(super) fn warn_of_fading(scene: &Scene, stacks: &[Stack], warnings: &mut Warnings) {
    let fades = |node: &Node| {
        let fades_in = |stack| is_gradual(stack, &node.element, VISIBILITY, 0.0, 1.0);
        visibility::is_partial(node) || stacks.iter().any(fades_in)
    };
    let fading = scene.nodes.iter().filter(|node| fades(node));
    let names: Vec<&str> = fading.map(|node| &*node.element.name).collect();
    if !names.is_empty() {
        let names = some_of(names.into_iter());
        let message =
            format!("nodes that fade are shown in full while their visibility is above 0: {names}");
        warnings.add(WarningCode::NotShown, "", message);
    }
}

/// Returns the first names of a list, and the number of others.
pub(super) fn some_of<'a>(mut names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let first: Vec<String> = names.by_ref().take(NAMED).map(quoted).collect();
    let more = match names.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    first.join(", ") + &more
}

impl<'a> Take<'a> {
    /// Prepares a take.
    fn new(shared: &'a Shared, stack: &'a Stack, span: Span) -> Result<Self, TooMany> {
        let animated = animated_parts(shared.scene, stack);
        let is_any_scaled = animated.iter().any(|animated| animated.scale);
        let sums = chain_sums(shared.scene, |node| changing(stack, node, is_any_scaled));
        let share = |sum: usize| NODES * shared.bound / sum.max(1) as f64;
        let mut take = Self {
            shared,
            stack,
            span,
            of_layers: Vec::new(),
            animated,
            shares: sums.into_iter().map(share).collect(),
            rounding: if key_count(stack) > 0 { ROUNDING } else { ROUNDING_OF_POSES },
        };
        take.of_layers = take.layer_breaks()?;
        Ok(take)
    }

    /// Samples all that the take moves, deforms and hides.
    fn tracks(&self, outputs: &[Output], parts: Parts) -> Result<Vec<Track>, TooMany> {
        let moved = outputs.par_iter().map(|output| self.transform(parts.rig, *output));
        let shaped = parts.morphed.par_iter().map(|morphed| self.weights(*morphed));
        let hidden = parts.shown.par_iter().map(|shown| self.visibility(shown));
        let tracks: Result<Vec<Vec<Track>>, TooMany> = moved.chain(shaped).chain(hidden).collect();
        Ok(tracks?.into_iter().flatten().collect())
    }

    /// Takes from the number of keys that all takes together may have.
    fn spend(&self, count: usize) -> Result<(), TooMany> {
        let take = |left: usize| left.checked_sub(count);
        let taken = self.shared.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        taken.map(|_| ()).map_err(|_| TooMany)
    }

    /// Looks at keys, as many as all takes together may have.
    fn gather(
        &self,
        element: &Element,
        wanted: &dyn Fn(&str) -> bool,
        breaks: &mut Vec<Break>,
    ) -> Result<bool, TooMany> {
        if self.shared.progress.is_cancelled() {
            return Err(TooMany);
        }
        let before = breaks.len();
        let most = self.shared.left.load(Ordering::Relaxed).saturating_add(before);
        let found = gather(self.stack, element, wanted, self.span, most, breaks)?;
        self.spend(breaks.len() - before)?;
        Ok(found)
    }

    /// Adds times between the keys of a node that turns far from one key to the next one.
    fn divide_turns(&self, node: &Element, breaks: &mut Vec<Break>) -> Result<(), TooMany> {
        let before = breaks.len();
        if !turns::add(self.stack, node, self.span, self.shared.evaluations.turns, breaks) {
            self.shared.excess.fetch_max(f64::INFINITY.to_bits(), Ordering::Relaxed);
        }
        self.spend(breaks.len() - before)
    }

    fn layer_breaks(&self) -> Result<Vec<Break>, TooMany> {
        let mut breaks = Vec::new();
        for layer in self.stack.layers().filter(|layer| layer.weight_is_animated) {
            self.gather(&layer.element, &|_| true, &mut breaks)?;
        }
        Ok(breaks)
    }

    /// Whether keys say nothing else than the rest pose.
    fn is_rest(&self, keys: &Keys, rest: &[f64]) -> bool {
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= self.rounding * b.abs().max(1.0);
        keys.times.len() <= 1 && keys.values.iter().zip(rest).all(near)
    }

    fn breaks(&self, mut own: Vec<Break>) -> Vec<Break> {
        own.extend_from_slice(&self.of_layers);
        within(own, self.span.begin, self.span.end)
    }

    /// Samples properties of a node, whose keys `own` are. An evaluation takes `cost` times as long as that of a node's own
    /// transform.
    fn sample(
        &self,
        own: Vec<Break>,
        cost: usize,
        lanes: &[Lane],
        evaluate: impl FnMut(f64) -> Vec<f64>,
    ) -> Result<Vec<Keys>, TooMany> {
        // The keys of all nodes whose scales are handed down are among them.
        let all = self.shared.evaluations;
        let for_keys = (own.len() / cost).saturating_mul(all.for_keys) / all.breaks.max(1);
        let evaluations = (all.of_node + for_keys) / cost;
        let breaks = self.breaks(own);
        self.spend(breaks.len().saturating_mul(cost - 1))?;
        let mut allowance = Allowance::new((evaluations / breaks.len().max(1)) as u64);
        let keys = sample(&breaks, lanes, &mut allowance, evaluate);
        // Floats that are not negative have the order of their bits.
        self.shared.excess.fetch_max(allowance.excess.to_bits(), Ordering::Relaxed);
        Ok(keys)
    }

    /// Samples the transform of a node.
    fn transform(&self, rig: &Rig, output: Output) -> Result<Vec<Track>, TooMany> {
        let node = &self.shared.scene.nodes[output.node];
        let (mut breaks, mut is_moved, mut scales) = (Vec::new(), false, 0);
        let mut result = Ok(());
        rig.sources(output, node, &mut |source| {
            scales += usize::from(self.animated[source.element.typed_id as usize].scale);
            if result.is_ok() {
                let wanted = |name: &str| TRANSFORM.contains(&name);
                let gathered = self.gather(&source.element, &wanted, &mut breaks);
                is_moved |= matches!(gathered, Ok(true));
                result = gathered.and_then(|_| self.divide_turns(&source.element, &mut breaks));
            }
        });
        result?;
        if !is_moved {
            return Ok(Vec::new());
        }
        let numbers = |at: Instant| {
            let local = rig.local(output, node, at);
            let [translation, scale] = [local.translation, local.scale].map(|it| it.to_array());
            [&translation[..], &local.rotation.to_array(), &scale].concat()
        };
        let rest = numbers(Instant::REST);
        let size = parent_scale(node);
        let share = self.shares[output.node];
        let most = (ANGLE * self.shared.bound).clamp(ANGLE_ROUNDING, LARGEST_ANGLE);
        let turn = (share / self.shared.reach[output.node].max(1e-9)).clamp(ANGLE_ROUNDING, most);
        let largest = rest[7..].iter().fold(1e-6, |most: f64, x| most.max(x.abs()));
        let lane = |first, width, kind, tolerance| Lane { first, width, kind, tolerance };
        let lanes = [
            lane(0, 3, Kind::Linear, share / size),
            lane(3, 4, Kind::Rotation, turn),
            lane(7, 3, Kind::Linear, turn.min(LARGEST_SCALE) * largest),
        ];
        let anim = &self.stack.anim;
        let evaluate =
            |time| numbers(Instant { take: Some((anim, time)), animated: &self.animated });
        let keys = self.sample(breaks, 1 + scales / SCALES, &lanes, evaluate)?;
        let mut tracks = Vec::new();
        for ((keys, lane), path) in
            keys.into_iter().zip(lanes).zip(["translation", "rotation", "scale"])
        {
            let Lane { first, width, .. } = lane;
            // A helper does not turn, and the node below it does not shift.
            if !self.is_rest(&keys, &rest[first..first + width]) {
                tracks.push(Track { node: output.index, path, width, keys });
            }
        }
        Ok(tracks)
    }

    /// Samples the weights of a node's morph targets.
    fn weights(&self, morphed: Morphed) -> Result<Vec<Track>, TooMany> {
        let mesh = &self.shared.scene.meshes[morphed.mesh];
        let (mut breaks, mut is_moved) = (Vec::new(), false);
        for channel in shapes::channels(mesh) {
            is_moved |=
                self.gather(&channel.element, &|name| name == "DeformPercent", &mut breaks)?;
        }
        if !is_moved {
            return Ok(Vec::new());
        }
        let mixed = |weight: &dyn Fn(&ufbx::BlendChannel) -> f64| {
            let mut out = Vec::new();
            shapes::channels(mesh)
                .for_each(|channel| shapes::mix(channel, weight(channel), &mut out));
            out
        };
        let rest = mixed(&|channel| channel.weight);
        let width = rest.len();
        let allowed = (1.0 - NODES) * self.shared.bound;
        let tolerance =
            (allowed / largest_offset(mesh).max(1e-9)).clamp(1e-6, 100.0 * self.shared.bound);
        let lanes = [Lane { first: 0, width, kind: Kind::Linear, tolerance }];
        let anim = &self.stack.anim;
        let evaluate = |time| mixed(&|channel| ufbx::evaluate_blend_weight(anim, channel, time));
        let mut keys = self.sample(breaks, 1, &lanes, evaluate)?;
        let keys = keys.swap_remove(0);
        if self.is_rest(&keys, &rest) {
            return Ok(Vec::new());
        }
        Ok(vec![Track { node: morphed.index, path: "weights", width, keys }])
    }

    /// Finds the instants at which a node appears and disappears.
    fn visibility(&self, shown: &Shown) -> Result<Vec<Track>, TooMany> {
        let nodes = || shown.by.iter().map(|node| &self.shared.scene.nodes[*node]);
        let (mut breaks, mut is_animated) = (Vec::new(), false);
        for node in nodes() {
            is_animated |= self.gather(&node.element, &|name| name == VISIBILITY, &mut breaks)?;
        }
        if !is_animated {
            return Ok(Vec::new());
        }
        let anim = &self.stack.anim;
        let is_shown = |time| nodes().all(|node| visibility::is_shown(node, Some((anim, time))));
        let keys = switched(&self.breaks(breaks), is_shown);
        let rest = nodes().all(|node| visibility::is_shown(node, None));
        let rest = f64::from(u8::from(rest));
        if self.is_rest(&keys, &[rest]) {
            return Ok(Vec::new());
        }
        Ok(vec![Track { node: shown.index, path: VISIBLE, width: 1, keys }])
    }
}

/// Makes the animation of a take.
fn animation(
    name: &str,
    mut tracks: Vec<Track>,
    span: Span,
    draft: &mut Draft,
) -> Result<Value, OverBudget> {
    let end = (span.end - span.begin) as f32;
    if tracks.is_empty() {
        // A take that holds the rest pose still lasts.
        let rest = draft.item("nodes", 0).get("translation").and_then(Value::as_array);
        let mut values: Vec<f64> = rest.into_iter().flatten().filter_map(Value::as_f64).collect();
        values.resize(3, 0.0);
        let keys = Keys { times: vec![0.0], values, is_step: true };
        tracks.push(Track { node: 0, path: "translation", width: 3, keys });
    }
    // The last key of any track ends the clip.
    if tracks.iter().all(|track| track.keys.times.len() < 2) && end > 0.0 {
        let Keys { times, values, .. } = &mut tracks[0].keys;
        times.push(end);
        values.extend_from_within(..);
    }
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    let mut odd = 0;
    for Track { node, path, width, keys } in tracks {
        let numbers: Vec<f32> = keys.values.iter().map(|x| finite(*x, &mut odd)).collect();
        let output = match width {
            1 if path == VISIBLE => {
                let switches: Vec<u8> = numbers.iter().map(|x| u8::from(*x != 0.0)).collect();
                draft.switches(&switches)?
            }
            3 if path != "weights" => draft.vectors(numbers.as_chunks::<3>().0, Use::Data)?,
            4 if path != "weights" => draft.vectors(numbers.as_chunks::<4>().0, Use::Data)?,
            _ => draft.vectors(numbers.as_chunks::<1>().0, Use::Data)?,
        };
        let input = draft.times(&keys.times)?;
        let interpolation = if keys.is_step { "STEP" } else { "LINEAR" };
        let target = match path {
            VISIBLE => {
                let pointer = draft.uses("KHR_animation_pointer");
                let visibility = draft.uses(NODE_VISIBILITY);
                let item = &mut draft.item("nodes", node)["extensions"][visibility]["visible"];
                // A pointer needs a value to point at.
                if item.is_null() {
                    *item = true.into();
                }
                let to = format!("/nodes/{node}/extensions/{visibility}/visible");
                json!({ "path": "pointer", "extensions": { pointer: { "pointer": to } } })
            }
            path => json!({ "node": node, "path": path }),
        };
        channels.push(json!({ "sampler": samplers.len(), "target": target }));
        samplers.push(json!({ "input": input, "output": output, "interpolation": interpolation }));
    }
    Ok(json!({ "name": name, "samplers": samplers, "channels": channels }))
}
