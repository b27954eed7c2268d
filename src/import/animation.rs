//! Animations: channels and samplers to the tracks of a clip. A channel that can't be played is
//! left out and named, the rest plays.

use std::collections::HashSet;

use super::accessor::Accessors;
use super::document::{At, Document};
use super::escape::quoted;
use super::extent;
use super::fault::{ImportError, Warnings};
use super::node::Nodes;
use super::track::{self, Sampler, Target};
use crate::anim::{Channel, Clip, LocalPose};

/// Reads all animations.
pub(super) fn read(
    document: &Document,
    nodes: &Nodes,
    rest: &LocalPose,
    accessors: &Accessors,
    warnings: &mut Warnings,
) -> Result<Vec<Clip>, ImportError> {
    let mut clips = Vec::new();
    for at in document.list("animations")? {
        accessors.progress().check()?;
        clips.push(clip(&at, nodes, rest, accessors, warnings)?);
        accessors.progress().clip_done();
    }
    Ok(clips)
}

fn clip(
    at: &At,
    nodes: &Nodes,
    rest: &LocalPose,
    accessors: &Accessors,
    warnings: &mut Warnings,
) -> Result<Clip, ImportError> {
    let mut samplers = Vec::new();
    for at in at.list("samplers")? {
        samplers.push(sampler(at, accessors)?);
    }
    let mut used = vec![false; samplers.len()];
    let mut clip = Clip { name: at.name()?, ..Clip::default() };
    let mut driven = HashSet::new();
    let channels = at.list("channels")?;
    if channels.is_empty() {
        at.warn(warnings, "ANIMATION_EMPTY", "it has no channels");
    }
    for at in &channels {
        let sampler = at.required("sampler")?.index_below(samplers.len(), "samplers")?;
        used[sampler] = true;
        let sampler = &samplers[sampler];
        let (aims, path) = match target(at, nodes)? {
            Aim::Property(aims, path) => (aims, path),
            Aim::Unread(what) => {
                at.warn(warnings, "CHANNEL_LEFT_OUT", format!("left out: {what}"));
                continue;
            }
        };
        for node in aims {
            let target = Target { node, path, weights: rest.weights(node).len() };
            accessors.charge(at, sampler.times.as_ref().map_or(0, Vec::len), size_of::<f32>())?;
            accessors.charge(at, sampler.output.count, size_of::<[f32; 4]>())?;
            accessors.charge(at, 1, size_of::<Channel>())?;
            match track::channel(sampler, &target, accessors) {
                Ok((channel, notes)) => {
                    notes.iter().for_each(|note| at.warn(warnings, "CHANNEL_ODD", note));
                    clip.channels.push(channel);
                    if nodes.has_matrix[node] {
                        let message = format!("node {node} has a matrix: it is decomposed to move");
                        at.warn(warnings, "CHANNEL_ON_MATRIX", message);
                    }
                    if !driven.insert((node, path)) {
                        let message =
                            format!("the {path} of node {node} is driven twice: this one wins");
                        at.warn(warnings, "CHANNEL_TWICE", message);
                    }
                }
                Err(what) => at.warn(warnings, "CHANNEL_LEFT_OUT", format!("left out: {what}")),
            }
        }
    }
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
            extent::check(&accessors.place_of(&sampler.input)?, &[*first], &[*last], warnings);
        }
    }
    Ok(clip)
}

/// A sampler's accessors, and its times if they are any.
fn sampler<'a>(at: At<'a>, accessors: &Accessors) -> Result<Sampler<'a>, ImportError> {
    let input = accessors.named_by(&at.required("input")?)?.clone();
    let output = accessors.named_by(&at.required("output")?)?.clone();
    accessors.charge(&at, input.count, size_of::<f32>())?;
    let times = track::times(&input, accessors);
    Ok(Sampler { at, input, output, times })
}

/// What a channel drives.
enum Aim<'a> {
    /// This property of these nodes.
    Property(Vec<usize>, &'a str),
    /// Something that is not read, in words.
    Unread(String),
}

fn target<'a>(channel: &At<'a>, nodes: &Nodes) -> Result<Aim<'a>, ImportError> {
    let target = channel.required("target")?;
    let node = target.index("node", "nodes")?;
    let Some(path) = target.get("path").and_then(|at| at.value.as_str()) else {
        return Ok(Aim::Unread("path is missing".into()));
    };
    let extension = target.extension("KHR_animation_pointer")?;
    if path == "pointer" || extension.is_some() {
        let pointer = extension.and_then(|e| e.get("pointer")).and_then(|at| at.value.as_str());
        let Some(pointer) = pointer else {
            return Ok(Aim::Unread("KHR_animation_pointer without a pointer".into()));
        };
        return Ok(match pointed_at(pointer, nodes) {
            Some((aims, path)) => Aim::Property(aims, path),
            None => Aim::Unread(format!("pointer {} is not one that is read", quoted(pointer))),
        });
    }
    // A channel without a node drives nothing, and nobody misses it.
    Ok(Aim::Property(node.into_iter().collect(), path))
}

/// The nodes and path of a pointer such as `/nodes/3/rotation` or `/meshes/1/weights`, which
/// means all nodes of the mesh that have no weights of their own.
fn pointed_at<'a>(pointer: &'a str, nodes: &Nodes) -> Option<(Vec<usize>, &'a str)> {
    let (list, rest) = pointer.strip_prefix('/')?.split_once('/')?;
    let (index, path) = rest.split_once('/')?;
    let canonical = index == "0" || !index.starts_with(['0', '+']);
    let index: usize = index.parse().ok().filter(|_| canonical)?;
    match (list, path) {
        ("nodes", _) if index < nodes.list.len() && track::PATHS.contains(&path) => {
            Some((vec![index], path))
        }
        ("meshes", "weights") => Some((nodes.weighted_by_mesh.get(&index)?.clone(), path)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::Hierarchy;
    use crate::model::Node;

    #[test]
    fn pointers_are_read_as_written_only() {
        let nodes = Nodes {
            list: vec![Node::default(); 2],
            hierarchy: Hierarchy::default(),
            transforms: Vec::new(),
            has_matrix: vec![false; 2],
            weighted_by_mesh: [(0, vec![1])].into(),
        };
        let aims = |pointer| pointed_at(pointer, &nodes);
        assert_eq!(aims("/nodes/1/rotation"), Some((vec![1], "rotation")));
        assert_eq!(aims("/meshes/0/weights"), Some((vec![1], "weights")));
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
        ] {
            assert_eq!(aims(odd), None, "{odd}");
        }
    }
}
