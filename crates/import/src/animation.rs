//! Animations: channels and samplers to the tracks of a clip. A channel that can't be played is
//! left out with a warning; the others play.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

use super::accessor::Accessors;
use super::attribute;
use super::fault::{ImportError, Warnings};
use super::node::Nodes;
use super::pointer::{self, SlotRef, Slots};
use super::track::{self, Note, Property, PropertyTarget, Sampler};
use rigview_anim::{Channel, Clip, ClipParts, LocalPose, PropertyChannel};
use rigview_document::{At, Document};
use rigview_model::{WarningCode, quoted};

/// Bytes per channel, besides its keys.
const CHANNEL_BYTES: usize = 256 + size_of::<Channel>();

/// The path of morph weights.
const WEIGHTS: &str = "weights";

/// The things that channels may drive.
pub(super) struct Targets<'a> {
    /// The nodes.
    pub nodes: &'a Nodes,
    /// Their rest pose, which has the number of morph weights of each.
    pub rest: &'a LocalPose,
    /// Properties that JSON pointers name.
    pub slots: &'a Slots,
}

/// Reads all animations in parallel.
pub(super) fn read(
    document: &Document,
    targets: &Targets,
    accessors: &Accessors,
    warnings: &mut Warnings,
) -> Result<Vec<Clip>, ImportError> {
    let read = |at: &At| -> Result<_, ImportError> {
        let mut warnings = Warnings::default();
        accessors.progress().check()?;
        Ok((clip(at, targets, accessors, &mut warnings)?, warnings))
    };
    let all: Vec<_> = document.list("animations")?.par_iter().map(read).collect();
    let mut clips = Vec::with_capacity(all.len());
    for read in all {
        let (clip, found) = read?;
        warnings.append(found);
        clips.push(clip);
    }
    Ok(clips)
}

fn clip(
    at: &At,
    targets: &Targets,
    accessors: &Accessors,
    warnings: &mut Warnings,
) -> Result<Clip, ImportError> {
    accessors.progress().check()?;
    let sources = Sources { targets, accessors };
    let mut samplers = Vec::new();
    for at in at.list("samplers")? {
        samplers.push(sampler(at, accessors, warnings)?);
    }
    let mut used = vec![false; samplers.len()];
    let name = at.name()?;
    let mut building = Building::default();
    let channels = at.list("channels")?;
    if channels.is_empty() {
        warnings.add_at(at, WarningCode::AnimationEmpty, "it has no channels");
    }
    for at in &channels {
        let sampler = at.required("sampler")?.index_below(samplers.len(), "samplers")?;
        used[sampler] = true;
        add_channel(at, sampler, &samplers[sampler], &sources, &mut building, warnings)?;
    }
    let Building { parts: mut clip, untimed, .. } = building;
    clip.name = name;
    untimed.warn(warnings);
    let played = samplers.iter().zip(used).filter(|(_, used)| *used);
    let times = || played.clone().filter_map(|(sampler, _)| sampler.times.as_ref().ok());
    let starts = times().filter_map(|times| times.first().copied());
    let ends = times().filter_map(|times| times.last().copied());
    clip.start_secs = starts.reduce(f32::min).unwrap_or(0.0);
    clip.duration_secs = ends.reduce(f32::max).unwrap_or(0.0);
    for (sampler, _) in played {
        if let Ok(times) = &sampler.times
            && let (Some(first), Some(last)) = (times.first(), times.last())
        {
            attribute::check_bounds(
                &accessors.place_of(&sampler.input)?,
                &[*first],
                &[*last],
                warnings,
            );
        }
    }
    accessors.progress().clip_done();
    Ok(Clip::new(clip))
}

/// What the channels of a clip are read from.
struct Sources<'a> {
    targets: &'a Targets<'a>,
    accessors: &'a Accessors<'a>,
}

/// A clip while its channels are read.
#[derive(Default)]
struct Building<'a> {
    parts: ClipParts,
    driven: Driven<'a>,
    untimed: Untimed<'a>,
    /// The channels that were made of samplers, which share their keys with others of the same one, with their warnings.
    made: HashMap<Made<'a>, (Channel, Vec<Note>)>,
}

/// How a sampler was read: its index, the path, the number of the node's weights, and whether a pointer named it.
type Made<'a> = (usize, &'a str, usize, bool);

impl<'a> Building<'a> {
    /// Adds the channel of a node's property, and returns warnings about it.
    ///
    /// # Errors
    /// The reason in words why it can't be played.
    fn add(
        &mut self,
        sampler: &Sampler,
        target: &PropertyTarget,
        made: Made<'a>,
        accessors: &Accessors,
    ) -> Result<Vec<Note>, String> {
        if let Some((channel, notes)) = self.made.get(&made) {
            let own = channel.clone().on_node(target.node).starting_at(target.weights.start);
            self.parts.channels.push(own);
            return Ok(notes.clone());
        }
        let (channel, notes) = track::channel(sampler, target, accessors)?;
        self.parts.channels.push(channel.clone());
        self.made.insert(made, (channel, notes.clone()));
        Ok(notes)
    }
}

/// Adds the tracks of one channel to a clip, or a warning why it can't be played.
fn add_channel<'a>(
    at: &'a At<'a>,
    index: usize,
    sampler: &'a Sampler<'a>,
    sources: &Sources,
    building: &mut Building<'a>,
    warnings: &mut Warnings,
) -> Result<(), ImportError> {
    let Sources { targets, accessors } = *sources;
    let Aims { list: aims, by_pointer } = match aims(at, targets, warnings)? {
        Ok(aims) => aims,
        Err((code, why)) => {
            warnings.add_at(at, code, format!("left out: {why}"));
            return Ok(());
        }
    };
    if aims.is_empty() {
        let message = "it names no node and drives nothing";
        warnings.add_at(at, WarningCode::ChannelWithoutNode, message);
    } else if let Err(why) = &sampler.times {
        building.untimed.add(at, why);
        return Ok(());
    }
    for aim in aims {
        accessors.charge(at, 1, CHANNEL_BYTES)?;
        let target = node_target(aim, by_pointer, targets);
        let made = target.as_ref().map(|of| (index, of.path, of.weights.len(), by_pointer));
        if made.is_none_or(|made| !building.made.contains_key(&made)) {
            accessors.charge(at, sampler.times.as_ref().map_or(0, Vec::len), size_of::<f32>())?;
            accessors.charge(at, sampler.output.count, size_of::<[f32; 4]>())?;
        }
        let played = match (aim, target.zip(made)) {
            (Aim::Slot { slot, width }, _) => {
                let property = Property { width, is_flag: targets.slots.field(slot).is_flag() };
                let read = track::property(sampler, property, accessors);
                read.map(|(track, notes)| {
                    building.parts.properties.push(PropertyChannel { slot, track });
                    notes
                })
            }
            (_, Some((target, made))) => building.add(sampler, &target, made, accessors),
            (_, None) => Ok(Vec::new()),
        };
        let notes = match played {
            Ok(notes) => notes,
            Err(why) => {
                warnings.add_at(at, WarningCode::ChannelLeftOut, format!("left out: {why}"));
                continue;
            }
        };
        notes.iter().for_each(|(code, note)| warnings.add_at(at, *code, note));
        if let Some(message) = on_matrix(aim, targets) {
            warnings.add_at(at, WarningCode::ChannelOnMatrix, message);
        }
        if building.driven.twice(aim) {
            warnings.add_at(at, WarningCode::ChannelTwice, driven_twice(aim));
        }
    }
    Ok(())
}

/// Returns what is said about a channel that drives a node with a matrix.
fn on_matrix(aim: Aim, targets: &Targets) -> Option<String> {
    // Weights are no part of a matrix.
    let node = match aim {
        Aim::Node(node, path) if path != WEIGHTS && targets.nodes.has_matrix[node] => node,
        _ => return None,
    };
    Some(match targets.nodes.hierarchy.fixed_matrix(node) {
        Some(_) => format!(
            "node {node} has a matrix that no translation, rotation and scale express: it stays, and is not animated"
        ),
        None => format!("node {node} has a matrix: it is decomposed to be animated"),
    })
}

/// Returns what is said about a channel that drives what another one drives too.
fn driven_twice(aim: Aim) -> String {
    let what = match aim {
        Aim::Node(node, path) => format!("the {path} of node {node}"),
        Aim::Weight(node, weight) => format!("weight {weight} of node {node}"),
        Aim::Slot { .. } => "its property".into(),
    };
    format!("{what} is driven twice: this channel is used")
}

/// Returns the property of a node that a channel drives; `None` if it drives a slot.
fn node_target<'a>(
    aim: Aim<'a>,
    by_pointer: bool,
    targets: &Targets,
) -> Option<PropertyTarget<'a>> {
    match aim {
        Aim::Node(node, path) => {
            let weights = 0..targets.rest.weights(node).len();
            Some(PropertyTarget { node, path, weights, by_pointer })
        }
        Aim::Weight(node, weight) => {
            Some(PropertyTarget { node, path: WEIGHTS, weights: weight..weight + 1, by_pointer })
        }
        Aim::Slot { .. } => None,
    }
}

/// Reads a sampler's accessors and times.
fn sampler<'a>(
    at: At<'a>,
    accessors: &Accessors,
    warnings: &mut Warnings,
) -> Result<Sampler<'a>, ImportError> {
    let input = accessors.named_by(&at.required("input")?)?.clone();
    let output = accessors.named_by(&at.required("output")?)?.clone();
    accessors.warn_if_strided(&at, &input, warnings);
    accessors.warn_if_strided(&at, &output, warnings);
    accessors.charge(&at, input.count, size_of::<f32>())?;
    let times = track::times(&input, accessors);
    Ok(Sampler { at, input, output, times })
}

/// The channels of a clip that are left out because their times are invalid. Exporters that write
/// such times do so for most channels, so there is one warning per clip.
#[derive(Default)]
struct Untimed<'a> {
    first: Option<(&'a At<'a>, &'a str)>,
    more: usize,
}

impl<'a> Untimed<'a> {
    fn add(&mut self, channel: &'a At<'a>, why: &'a str) {
        match self.first {
            None => self.first = Some((channel, why)),
            Some(_) => self.more += 1,
        }
    }

    fn warn(&self, warnings: &mut Warnings) {
        let Some((channel, why)) = self.first else { return };
        let others = match self.more {
            0 => String::new(),
            1 => "; so is 1 more channel, because of its times".into(),
            more => format!("; so are {more} more channels, because of their times"),
        };
        let message = format!("left out: {why}{others}; what it drives stands still");
        warnings.add_at(channel, WarningCode::ChannelLeftOut, message);
    }
}

/// One thing that a channel drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Aim<'a> {
    /// A property of a node: the node's index and the path.
    Node(usize, &'a str),
    /// One morph weight: the node's index and the weight's.
    Weight(usize, usize),
    /// A property slot of `width` values.
    Slot { slot: usize, width: usize },
}

/// All things that one channel drives.
struct Aims<'a> {
    list: Vec<Aim<'a>>,
    by_pointer: bool,
}

/// The things that earlier channels of a clip drive.
#[derive(Default)]
struct Driven<'a> {
    aims: HashSet<Aim<'a>>,
    /// Nodes with single morph weights that are driven.
    weighted: HashSet<usize>,
}

impl<'a> Driven<'a> {
    /// Adds one more. Returns whether it, or part of it, was driven before.
    fn twice(&mut self, aim: Aim<'a>) -> bool {
        let part = match aim {
            Aim::Weight(node, _) => {
                self.weighted.insert(node);
                self.aims.contains(&Aim::Node(node, WEIGHTS))
            }
            Aim::Node(node, WEIGHTS) => self.weighted.contains(&node),
            _ => false,
        };
        !self.aims.insert(aim) || part
    }
}

/// Returns what a channel drives, or the reason why it can't be played and its code.
fn aims<'a>(
    channel: &At<'a>,
    targets: &Targets,
    warnings: &mut Warnings,
) -> Result<Result<Aims<'a>, (WarningCode, String)>, ImportError> {
    let left_out = |why: &str| Ok(Err((WarningCode::ChannelLeftOut, why.to_owned())));
    let target = channel.required("target")?;
    let node = target.index("node", "nodes")?;
    let Some(path) = target.get("path").and_then(|at| at.value.as_str()) else {
        return left_out("path is missing");
    };
    let extension = target.extension("KHR_animation_pointer")?;
    if path == "pointer" || extension.is_some() {
        let pointer = extension.and_then(|e| e.get("pointer")).and_then(|at| at.value.as_str());
        let Some(pointer) = pointer else {
            return left_out("KHR_animation_pointer without a pointer");
        };
        if path != "pointer" || node.is_some() {
            let message =
                "a path other than \"pointer\" or a node beside a pointer: the pointer is used";
            warnings.add_at(channel, WarningCode::ChannelOdd, message);
        }
        let (aims, code, why) = if let Some(aims) = nodes_of(pointer, targets.nodes, targets.rest) {
            (Some(aims), WarningCode::ChannelLeftOut, "")
        } else if pointer::is_defined(channel.document, pointer) {
            let slot = |SlotRef { slot, width }| vec![Aim::Slot { slot, width }];
            let aims = targets.slots.named_by(pointer).map(slot);
            (aims, WarningCode::PointerUnread, "is not supported")
        } else {
            (None, WarningCode::ChannelLeftOut, "names nothing in the file")
        };
        let aims = aims.map(|list| Aims { list, by_pointer: true });
        return Ok(aims.ok_or_else(|| (code, format!("pointer {} {why}", quoted(pointer)))));
    }
    // A channel without a node drives nothing.
    let list = node.into_iter().map(|node| Aim::Node(node, path)).collect();
    Ok(Ok(Aims { list, by_pointer: false }))
}

/// Resolves a pointer such as `/nodes/3/rotation`, `/nodes/3/weights/2` or `/meshes/1/weights`. The
/// weights of a mesh stand for those of all its nodes that have none of their own.
fn nodes_of<'a>(pointer: &'a str, nodes: &Nodes, rest: &LocalPose) -> Option<Vec<Aim<'a>>> {
    let (list, behind) = pointer.strip_prefix('/')?.split_once('/')?;
    let (index, path) = behind.split_once('/')?;
    let index = pointer::index(index)?;
    let moved = match list {
        "nodes" if index < nodes.list.len() => vec![index],
        "meshes" if path.starts_with(WEIGHTS) => nodes.weighted_by_mesh.get(&index)?.clone(),
        _ => return None,
    };
    let weight = path.strip_prefix(WEIGHTS).and_then(|behind| behind.strip_prefix('/'));
    if let Some(weight) = weight {
        let weight = pointer::index(weight)?;
        let there = moved.iter().all(|node| weight < rest.weights(*node).len());
        return there.then(|| moved.into_iter().map(|node| Aim::Weight(node, weight)).collect());
    }
    let is_path = track::PATHS.contains(&path);
    is_path.then(|| moved.into_iter().map(|node| Aim::Node(node, path)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_anim::{Hierarchy, Transform};
    use rigview_model::Node;

    #[test]
    fn pointers_are_read_as_written_only() {
        let nodes = Nodes {
            list: vec![Node::default(); 2],
            hierarchy: Hierarchy::default(),
            transforms: Vec::new(),
            has_matrix: vec![false; 2],
            weighted_by_mesh: [(0, vec![1])].into(),
        };
        let rest = LocalPose::new(vec![Transform::IDENTITY; 2], &[vec![], vec![0.0; 3]]);
        let aims = |pointer| nodes_of(pointer, &nodes, &rest);
        assert_eq!(aims("/nodes/1/rotation"), Some(vec![Aim::Node(1, "rotation")]));
        assert_eq!(aims("/meshes/0/weights"), Some(vec![Aim::Node(1, "weights")]));
        for one in ["/nodes/1/weights/2", "/meshes/0/weights/2"] {
            assert_eq!(aims(one), Some(vec![Aim::Weight(1, 2)]), "{one}");
        }
        for odd in [
            "",
            "nodes/1/rotation",
            "/nodes/2/rotation",
            "/nodes/01/rotation",
            "/nodes/+1/scale",
            "/nodes/-1/scale",
            "/nodes/4294967296/scale",
            "/nodes/1/mesh",
            "/nodes/1/~2",
            "/meshes/0/primitives",
            "/meshes/0/rotation",
            "/meshes/1/weights",
            "/meshes/0/weights/3",
            "/nodes/0/weights/0",
            "/nodes/1/weights/",
            "/nodes/1/weights/02",
            "/nodes/1/weights/0/0",
            "/nodes/1/weights2",
        ] {
            assert_eq!(aims(odd), None, "{odd}");
        }
    }
}
