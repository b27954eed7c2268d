//! Repairs of where clips end: loops that do not close, and roots that drift.

use std::collections::{BTreeSet, HashMap, HashSet};

use glam::DVec3;

use super::change::{Changes, Context};
use super::channel_place::ChannelPlace;
use super::clips::{clips, each_clip};
use super::document::Document;
use super::tracks::StoredKeys;
use rigview_anim::{Channel, Clip, Interpolation, moved_root};
use rigview_check::seams_of;
use rigview_model::{Model, Stage};

/// Ends channels with their first values: a frame after their last keys in a clip that lacks its last frame, or else by those
/// keys. The root of a clip that travels keeps its way over the ground. Cameras, lights and other
/// nodes that move no mesh stay as they are: no distance at the skin would tell what became of them.
pub fn close_loops(document: &mut Document, context: &Context) -> Changes {
    let moves_mesh = nodes_that_move_meshes(context.model);
    let joints = joints(context.model);
    let seams = seams_of(context.model, &clips(context), &context.options.contract);
    each_clip(document, context, |document, clip| {
        let seam = seams.get(&clip);
        let travels = seam.is_some_and(|seam| seam.travels);
        let end = context.model.clips.get(clip).map_or(0.0, Clip::duration_secs);
        let root = root_of(context.model, clip, &joints, |_| true).filter(|_| travels);
        let mut count = 0;
        let channels = document.channels(clip).into_iter().filter(|place| {
            place.path != "pointer" && place.node().is_some_and(|node| moves_mesh[node])
        });
        let channels = channels.map(|place| document.keys(&place).map(|keys| (place, keys)));
        let channels: Vec<(ChannelPlace, StoredKeys)> = channels.collect::<Result<_, _>>()?;
        for (place, mut keys) in channels.into_iter().filter(|(_, keys)| keys.len() > 1) {
            if let Some(frame) = seam.and_then(|seam| seam.missing_frame) {
                if keys.times[keys.len() - 1] < end {
                    keys.hold_until(end);
                }
                let first = closed_end(&place, &keys);
                keys.go_to(&first, end + frame as f32);
                document.set_keys(&place, &keys);
                count += 1;
                continue;
            }
            let goes_on = root.is_some() && place.node() == root && place.path == "translation";
            let closed = match root.filter(|_| goes_on) {
                Some(root) => level_end(context, clip, root, &keys)?,
                None => closed_end(&place, &keys),
            };
            let last = keys.len() - 1;
            if keys.value(last) != closed {
                keys.value_mut(last).copy_from_slice(&closed);
                document.set_keys(&place, &keys);
                count += 1;
            }
        }
        Ok(count)
    })
}

/// Returns for each node whether it is a joint, carries a mesh, or is above such a node.
fn nodes_that_move_meshes(model: &Model) -> Vec<bool> {
    if model.meshes.is_empty() {
        return vec![true; model.nodes.len()];
    }
    let joints = model.skin_joints();
    let moves = model.nodes.iter().zip(joints).map(|(node, joint)| joint || node.mesh.is_some());
    model.hierarchy.with_ancestors(moves.collect())
}

/// Returns the first value, of a rotation on the side of the last one.
fn closed_end(place: &ChannelPlace, keys: &StoredKeys) -> Vec<f64> {
    let mut first = keys.value(0).to_vec();
    let last = keys.value(keys.len() - 1);
    let dot: f64 = first.iter().zip(last).map(|(a, b)| a * b).sum();
    if place.path == "rotation" && dot < 0.0 {
        first.iter_mut().for_each(|x| *x = -*x);
    }
    first
}

/// Returns the last value of a root's translation at the height of the first pose.
fn level_end(
    context: &Context,
    clip: usize,
    root: usize,
    keys: &StoredKeys,
) -> Result<Vec<f64>, String> {
    let last = keys.value(keys.len() - 1).to_vec();
    let [first, end] = ends(context.model, clip);
    let rise = way([&first, &end], root).ok_or(NOT_FINITE)?.y;
    if rise == 0.0 {
        return Ok(last);
    }
    let rise = in_parent(context, &end, root, DVec3::Y * rise)?;
    Ok(last.iter().zip(rise.to_array()).map(|(number, rise)| number - rise).collect())
}

/// Takes the horizontal drift off what travels, evenly over the clip: the root, and joints beside it, such as targets of
/// the feet or the root of another character. A root that travels with the nodes above it gets keys for that; below a root
/// that stands, the drift is taken off the joint nearest to it that carries most others. Clips that end where
/// they start stay as they are.
pub fn stay_in_place(document: &mut Document, context: &Context) -> Changes {
    let joints = joints(context.model);
    let rest = Stage::new(context.model, context.model.default_scene);
    each_clip(document, context, |document, clip| {
        // A channel that is written takes a sampler of its own at most, so those of the others stay where they are.
        let channels = document.channels(clip);
        let translations = channels.into_iter().filter(|place| place.path == "translation");
        let translations: HashMap<usize, ChannelPlace> =
            translations.filter_map(|place| Some((place.node()?, place))).collect();
        let mut count = 0;
        for traveller in travellers(context, clip, &joints)? {
            let place = translations.get(&traveller.joint);
            count += take_off(document, context, (clip, place), &traveller, &rest)?;
        }
        Ok(count)
    })
}

/// Takes its way off a joint, evenly over a clip, in which `place` drives its translation. Returns the number of its keys.
fn take_off(
    document: &mut Document,
    context: &Context,
    (clip, place): (usize, Option<&ChannelPlace>),
    &Traveller { joint, drift }: &Traveller,
    rest: &Stage,
) -> Result<usize, String> {
    let mut keys = match place {
        Some(place) => document.keys(place)?,
        None => key_at_rest(context, joint)?,
    };
    if keys.times.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err("the times of its keys do not increase".to_owned());
    }
    let end = context.model.clips.get(clip).map_or(0.0, |clip| clip.duration_secs());
    if keys.times[0] > 0.0 {
        keys.begin_held_at_zero();
    }
    if keys.times[keys.len() - 1] < end {
        keys.hold_until(end);
    }
    let mut way = WayOff::new(context, clip, joint, drift / f64::from(end), rest);
    // A root that jumps from key to key has no way between them.
    if keys.interpolation != Interpolation::Step {
        keys.insert(&way.times(&keys.times));
    }
    let places = keys.times.iter().map(|time| way.at(f64::from(*time)));
    let places: Vec<DVec3> = places.collect::<Result<_, _>>()?;
    keys.take_off(&places);
    match place {
        Some(place) => document.set_keys(place, &keys),
        None => document.add_linear_channel(clip, joint, "translation", &keys),
    }
    Ok(keys.len())
}

/// A joint that travels in a clip, and what is taken off its way, in metres.
struct Traveller {
    joint: usize,
    drift: DVec3,
}

/// Returns the joints that a clip moves over the ground: the root or, if it stands, the joint nearest to it that is moved and
/// carries most others, unlike a prop; and the driven joints beside that one that go along.
fn travellers(
    context: &Context,
    clip: usize,
    joints: &HashSet<usize>,
) -> Result<Vec<Traveller>, String> {
    /// Ways up to this long are rounding.
    const LEAST: f64 = 1e-6;
    let model = context.model;
    let Some(channels) = model.clips.get(clip).map(Clip::channels) else { return Ok(Vec::new()) };
    let [start, end] = ends(model, clip);
    let drift = |joint: usize| {
        let way = way([&start, &end], joint).ok_or_else(|| NOT_FINITE.to_owned())?.with_y(0.0);
        Ok::<_, String>((way.length() > LEAST).then_some(way))
    };
    let translates = |channel: &Channel| matches!(channel, Channel::Translation { .. });
    let root = root_of(model, clip, joints, |_| true);
    let below = root_of(model, clip, joints, translates);
    let below = below.filter(|joint| carries_most(model, joints, *joint));
    let mut out: Vec<Traveller> = Vec::new();
    for joint in root.into_iter().chain(below).filter(|_| root.is_some()) {
        if out.is_empty() {
            out.extend(drift(joint)?.map(|drift| Traveller { joint, drift }));
        }
    }
    let Some(&Traveller { joint: first, drift: way }) = out.first() else { return Ok(out) };
    let transforms = |c: &&Channel| !matches!(c, Channel::Weights { .. });
    let nodes = channels.iter().filter(transforms).map(Channel::node);
    let mut moved: BTreeSet<usize> = nodes.filter(|node| joints.contains(node)).collect();
    moved.insert(first);
    let is_below =
        |node: usize| model.hierarchy.ancestors(node).any(|above| moved.contains(&above));
    for &joint in moved.iter().filter(|node| **node != first && !is_below(**node)) {
        // What stays behind takes no part.
        if drift(joint)?.is_some_and(|own| own.dot(way) > 0.5 * way.length_squared()) {
            out.push(Traveller { joint, drift: way });
        }
    }
    Ok(out)
}

/// Returns a key that holds a node's translation at rest.
fn key_at_rest(context: &Context, node: usize) -> Result<StoredKeys, String> {
    let model = context.model;
    if model.hierarchy.fixed_matrix(node).is_some() {
        return Err("the root's matrix can't be animated".to_owned());
    }
    let values = model.rest.transform(node).translation.as_dvec3().to_array().to_vec();
    let interpolation = Interpolation::Linear;
    Ok(StoredKeys { times: vec![0.0], width: 3, is_rotation: false, interpolation, values })
}

/// What is taken off a joint's translation: a way that is even in the scene, relative to the joint's parent.
struct WayOff<'a> {
    context: &'a Context<'a>,
    clip: Option<&'a Clip>,
    joint: usize,
    per_second: DVec3,
    /// The times of keys that turn or scale the nodes above the joint, in seconds.
    above: Vec<f32>,
    /// The scene, posed at the time that was asked for last, or at rest if nothing above the joint turns.
    stage: Stage,
}

impl<'a> WayOff<'a> {
    /// Keys per second between which the way counts as straight while nodes above the joint turn: of a joint five metres away that
    /// turns twice a second it is off by less than a millimetre.
    const RATE: f64 = 120.0;
    /// Maximum number of keys that are inserted.
    const MOST_KEYS: f64 = 20_000.0;

    fn new(
        context: &'a Context<'a>,
        clip: usize,
        joint: usize,
        per_second: DVec3,
        rest: &Stage,
    ) -> Self {
        let model = context.model;
        let clip = model.clips.get(clip);
        let nodes: HashSet<usize> = model.hierarchy.ancestors(joint).collect();
        let channels = clip.map_or(&[][..], Clip::channels).iter();
        let turning = channels.filter(|channel| {
            matches!(channel, Channel::Rotation { .. } | Channel::Scale { .. })
                && nodes.contains(&channel.node())
        });
        let mut above: Vec<f32> = turning.flat_map(|channel| channel.times()).copied().collect();
        above.sort_unstable_by(f32::total_cmp);
        above.dedup();
        Self { context, clip, joint, per_second, above, stage: rest.clone() }
    }

    /// Returns the way up to a time.
    fn at(&mut self, time: f64) -> Result<DVec3, String> {
        if !self.above.is_empty() {
            self.stage.pose(self.context.model, self.clip, time);
        }
        in_parent(self.context, &self.stage, self.joint, self.per_second * time)
    }

    /// Returns these increasing times and, where nodes above the joint turn, those of their keys and of frames within them, so that
    /// the way between two is straight.
    fn times(&self, own: &[f32]) -> Vec<f32> {
        let [Some(first), Some(last)] = [own.first(), own.last()] else { return Vec::new() };
        let frames = (f64::from(*last) * Self::RATE).min(Self::MOST_KEYS) as usize;
        let frames = if self.above.is_empty() { 0 } else { frames };
        let frames = (0..=frames).map(|frame| (frame as f64 / Self::RATE) as f32);
        let all = self.above.iter().copied().chain(frames);
        let within = all.filter(|time| (*first..=*last).contains(time));
        let mut times: Vec<f32> = own.iter().copied().chain(within).collect();
        times.sort_unstable_by(f32::total_cmp);
        times.dedup();
        times
    }
}

const NOT_FINITE: &str = "the root's place is not finite";

/// Returns a way in the scene as one of a node's translation in a pose.
fn in_parent(context: &Context, stage: &Stage, node: usize, way: DVec3) -> Result<DVec3, String> {
    let way = stage.scene_from_parent(context.model, node).matrix3.inverse() * way;
    way.is_finite().then_some(way).ok_or_else(|| "the root's parent is flattened".to_owned())
}

/// Returns the scene at the start and at the end of a clip.
fn ends(model: &Model, clip: usize) -> [Stage; 2] {
    let clip = model.clips.get(clip);
    [0.0, clip.map_or(0.0, |clip| f64::from(clip.duration_secs()))].map(|time| {
        let mut stage = Stage::new(model, model.default_scene);
        stage.pose(model, clip, time);
        stage
    })
}

/// Returns the way of a node from the start to the end of a clip in the scene, in metres.
fn way([start, end]: [&Stage; 2], node: usize) -> Option<DVec3> {
    let way = end.position(node).as_dvec3() - start.position(node).as_dvec3();
    way.is_finite().then_some(way)
}

/// Returns the joints of all skins; without skins, the nodes that serve as joints, as the check has it.
fn joints(model: &Model) -> HashSet<usize> {
    if model.skins.is_empty() {
        return Stage::new(model, model.default_scene).joints(model).into_iter().collect();
    }
    let joints = model.skins.iter().flat_map(|skin| &skin.joints);
    joints.map(|joint| *joint as usize).collect()
}

/// Whether at least half of the joints are a joint or below it.
fn carries_most(model: &Model, joints: &HashSet<usize>, joint: usize) -> bool {
    let is_carried =
        |other: &&usize| model.hierarchy.path_to_root(**other).any(|node| node == joint);
    2 * joints.iter().filter(is_carried).count() >= joints.len()
}

/// Returns the joint nearest to the root that channels of a clip move: those that `counts` holds for.
fn root_of(
    model: &Model,
    clip: usize,
    joints: &HashSet<usize>,
    counts: impl Fn(&Channel) -> bool,
) -> Option<usize> {
    let depth = |node: usize| model.hierarchy.ancestors(node).count();
    let channels = model.clips.get(clip)?.channels().iter().filter(|channel| counts(channel));
    moved_root(channels, |node| joints.contains(&node).then(|| depth(node)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_anim::{Skin, Transform};
    use rigview_model::Mesh;

    #[test]
    fn cameras_and_sockets_move_no_mesh() {
        // 0 is above the mesh of 1, 2 is a joint with the socket 3, and 4 a camera.
        let parents = [None, Some(0), None, Some(2), None];
        let mut model = Model::from_nodes(&parents, [Transform::IDENTITY; 5]).unwrap();
        model.nodes[1].mesh = Some(0);
        model.meshes = vec![Mesh::default()];
        model.skins = vec![Skin { name: None, joints: vec![2], joint_from_mesh: vec![] }];
        assert_eq!(nodes_that_move_meshes(&model), [true, true, true, false, false]);
        model.meshes.clear();
        assert_eq!(nodes_that_move_meshes(&model), [true; 5], "a file of motion alone");
    }
}
