//! Clips of another file on a rig.

use glam::DQuat;

use super::counted::{Counted, name};
use super::morph_targets::{InBetweens, weight_mappings};
use super::pin_feet::Feet;
use super::rig_fit::{BentLimb, RigFit};
use super::rig_map::{MapChoice, RigMap, UnknownJoint};
use crate::expressions::{morph_weights, with_raised_weights};
use crate::face_clips::{Gaze, channels_of_face};
use rigview_anim::{Channel, Clip, LocalPose, RigAtRest, RigPair, TooLarge, WeightMapping};
use rigview_model::Model;

/// Clips that were converted to another rig.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BorrowedClips {
    /// The clips, in file order; a clip that moves nothing of the rig has no channels.
    pub clips: Vec<Clip>,
    /// Number of moved nodes that were found in the rig.
    pub matched: usize,
    /// Names of moved nodes that were not found.
    pub unmatched: Vec<String>,
    /// What else of the clips is left out.
    pub lost: Lost,
    /// Which joint follows which.
    pub map: RigMap,
    /// Limbs that point elsewhere at rest, unless the rest poses were aligned.
    pub bent: Vec<BentLimb>,
    /// Number of feet that are held while they stand, over all clips; 0 unless feet are pinned.
    pub held_feet: usize,
    /// Names of these limbs.
    bent_names: Vec<String>,
}

/// What clips of another file animate, apart from its nodes, and the rig has nothing for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// Names of the morph targets.
    pub targets: Vec<String>,
    /// Names of the expressions.
    pub expressions: Vec<String>,
    /// Whether the gaze is left out.
    pub gaze: bool,
    /// Whether skeletons are left out that have the joints of the one that the rig follows, and move in another way.
    pub skeletons: bool,
    /// Whether animation of materials, lights, cameras and visibility is left out: it belongs to things of its own file.
    pub properties: bool,
}

impl Lost {
    /// Returns what is left out, one text each: `morph targets "a", "b"`.
    pub fn list(&self) -> Vec<String> {
        let named = |what: &str, names: &[String]| {
            (!names.is_empty()).then(|| format!("{what} {}", first_names(names)))
        };
        let gaze = self.gaze.then(|| "the gaze".to_owned());
        let skeletons = "the motion of further skeletons with the same joints";
        let skeletons = self.skeletons.then(|| skeletons.to_owned());
        let properties = "animation of materials, lights, cameras and visibility";
        let properties = self.properties.then(|| properties.to_owned());
        let named =
            [named("morph targets", &self.targets), named("expressions", &self.expressions)];
        named.into_iter().chain([gaze, skeletons, properties]).flatten().collect()
    }
}

/// How clips of another file are converted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RetargetOptions {
    /// How joints are matched.
    pub map: MapChoice,
    /// Whether the limbs of the clips' rest pose are turned first, so that they point as those of the rig do.
    pub align_rest: bool,
    /// Whether feet are held where those of the clips stand.
    pub pin_feet: bool,
}

/// Why clips can't be converted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RetargetError {
    /// The clips move nothing of the rig.
    #[error(transparent)]
    NothingShared(#[from] NothingShared),
    /// The table names a joint that a file lacks.
    #[error(transparent)]
    UnknownJoint(#[from] UnknownJoint),
    /// The result would take too much memory.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
}

/// The clips move nothing of the rig.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the rig shares no joint with the clips; it lacks {}", first_names(.unmatched))]
pub struct NothingShared {
    /// Names of the nodes that the clips move.
    pub unmatched: Vec<String>,
}

/// Lists the first few names in quotation marks.
fn first_names(names: &[String]) -> String {
    const SHOWN: usize = 6;
    let mut list: Vec<String> = names.iter().take(SHOWN).map(|n| format!("\"{n}\"")).collect();
    if names.len() > SHOWN {
        list.push(format!("{} more", names.len() - SHOWN));
    }
    list.join(", ")
}

impl BorrowedClips {
    /// Describes the result in one line: `19 of 22 moved nodes matched; not in this rig: "Tail", "Ear"`.
    pub fn summary(&self) -> String {
        let all = self.matched + self.unmatched.len();
        let mut line = format!("{} of {all} moved nodes matched", self.matched);
        if !self.unmatched.is_empty() {
            line += &format!("; not in this rig: {}", first_names(&self.unmatched));
        }
        let lost = self.lost.list();
        if !lost.is_empty() {
            line += &format!("; left out: {}", lost.join(", "));
        }
        line
    }

    /// Names the limbs that point elsewhere at rest. `None` if there are none.
    pub fn bent_limbs(&self) -> Option<String> {
        let most = self.bent.iter().map(|limb| limb.degrees).fold(0.0, f64::max);
        let names = first_names(&self.bent_names);
        let what = || format!("at rest {names} point up to {most:.0} degrees from the clips' rig");
        (!self.bent.is_empty()).then(what)
    }

    /// Whether everything that the clips move was found.
    pub fn is_complete(&self) -> bool {
        self.unmatched.is_empty() && self.lost == Lost::default()
    }
}

/// Converts the clips of `source` to `rig`: its joints make the same turns from rest as those that they follow
/// (see [`Clip::retargeted`]).
///
/// # Errors
/// If the rig follows no joint that the clips move or, if they move no joints, no node;
/// if a table names a joint that does not exist; or if the result exceeds the rig's memory budget.
pub fn borrowed_clips(
    rig: &Model,
    source: &Model,
    options: &RetargetOptions,
) -> Result<BorrowedClips, RetargetError> {
    let map = RigMap::new(rig, source, &options.map)?;
    let follows: Vec<_> = map.pairs.iter().map(|pair| pair.map(|pair| pair.source)).collect();
    let weights = weight_mappings(rig, source, &follows, &options.map);
    let mut out = counted(rig, source, &map, &weights)?;
    out.lost.properties = source.clips.iter().any(|clip| !clip.properties().is_empty());
    (out.lost.expressions, out.lost.gaze) = lost_face(rig, source);
    let to = RigAtRest::new(&rig.hierarchy, &rig.rest);
    let from = RigAtRest::new(&source.hierarchy, &source.rest);
    let fit = RigFit::new(&to, &from, &map);
    let facing = fit.facing();
    let standing = standing(source, &fit, facing);
    let from = standing.as_ref().map_or(from, |rest| RigAtRest::new(&source.hierarchy, rest));
    let fit = RigFit::new(&to, &from, &map);
    let aligned = if options.align_rest { fit.aligned(facing) } else { Vec::<DQuat>::new() };
    if !options.align_rest {
        out.bent = fit.bent(facing);
        out.bent_names = out.bent.iter().map(|limb| name(rig, limb.node)).collect();
    }
    let size = fit.size();
    let up = fit.up();
    let feet = Feet { rig, source, source_rest: from.rest, map: &map, size, facing, up };
    let left = usize::try_from(rig.budget.left()).unwrap_or(usize::MAX);
    // Expressions that are shown at rest show in what the clips drive too.
    let vrm = rig.vrm.as_ref();
    let shown = vrm.map(|vrm| morph_weights(vrm, &vrm.shown_at_rest)).unwrap_or_default();
    let is_driven = |node: usize, target: usize| {
        let mut of_node = weights.iter().filter(|mapping| mapping.node == node);
        of_node.any(|mapping| mapping.columns[target].is_some())
    };
    let raised = |node, target| match shown.get(&[node, target]) {
        Some(weight) if is_driven(node, target) => *weight,
        _ => 0.0,
    };
    let in_betweens = InBetweens::new(source, &weights);
    let mut bytes = 0;
    for clip in &source.clips {
        let most_bytes = left.saturating_sub(bytes);
        let (from, to, follows) = (&from, &to, &follows[..]);
        let (weights, aligned) = (&weights[..], &aligned[..]);
        let rigs = RigPair { from, to, follows, weights, size, facing, aligned, most_bytes };
        let taken = in_betweens.added(clip).retargeted(&rigs)?;
        let mut parts = with_raised_weights(taken, raised).into_parts();
        add_new(&mut parts.channels, channels_of_face(rig, source, clip, most_bytes));
        let mut taken = Clip::new(parts);
        if options.pin_feet {
            let (pinned, held) = feet.pinned(&taken, clip, most_bytes);
            taken = pinned;
            out.held_feet += held;
        }
        let clip = taken;
        bytes = bytes.saturating_add(clip_bytes(&clip));
        out.clips.push(clip);
    }
    out.map = map;
    Ok(out)
}

/// Returns the rest pose of a BVH file with its lowest joint on the ground, if its motion starts nearer to there and the rig
/// is not below the ground too. The root's place at rest means nothing in these files, since its channels replace it, and
/// most have it at 0.
fn standing(source: &Model, fit: &RigFit, facing: DQuat) -> Option<LocalPose> {
    if !source.source.is_bvh() {
        return None;
    }
    let (nodes, up, rest) = (0..source.nodes.len(), facing.inverse() * fit.up(), fit.from);
    let lowest =
        nodes.clone().map(|node| rest.position(node).dot(up)).fold(f64::INFINITY, f64::min);
    let own = fit.map.pairs.iter().enumerate().filter(|(_, pair)| pair.is_some());
    let own =
        own.map(|(node, _)| fit.to.position(node).dot(fit.up())).fold(f64::INFINITY, f64::min);
    if lowest >= 0.0 || !lowest.is_finite() || (own - fit.size() * lowest).abs() < own.abs() {
        return None;
    }
    let starts_higher = |root: &usize| {
        let start =
            source.clips.iter().flat_map(Clip::channels).find_map(|channel| match channel {
                Channel::Translation { node, track } if node == root => Some(track.sample(0.0)),
                _ => None,
            });
        let above = start.map(|start| start.as_dvec3().dot(up) - rest.position(*root).dot(up));
        above.is_some_and(|above| (above + lowest).abs() < above.abs())
    };
    let roots = nodes.filter(|node| source.hierarchy.parent(*node).is_none());
    let mut pose = source.rest.clone();
    for root in roots.filter(starts_higher) {
        let place = pose.transform(root).translation;
        pose.set_translation(root, place - (lowest * up).as_vec3());
    }
    Some(pose)
}

/// Counts what the clips move and the rig follows.
fn counted(
    rig: &Model,
    source: &Model,
    map: &RigMap,
    weights: &[WeightMapping],
) -> Result<BorrowedClips, NothingShared> {
    let counted = Counted::new(rig, source, map, weights);
    let Counted { matched, unmatched, lost_targets: targets, .. } = counted;
    if counted.is_nothing {
        return Err(NothingShared { unmatched });
    }
    let lost = Lost { targets, skeletons: counted.lost_skeletons, ..Lost::default() };
    Ok(BorrowedClips { matched, unmatched, lost, ..BorrowedClips::default() })
}

/// Adds channels to those of a clip. Rotations of the clip itself are kept.
fn add_new(channels: &mut Vec<Channel>, more: Vec<Channel>) {
    let is_rotation = |channel: &Channel| matches!(channel, Channel::Rotation { .. });
    let own = channels.len();
    for new in more {
        let is_same = |own: &Channel| is_rotation(own) && own.node() == new.node();
        if !is_rotation(&new) || !channels[..own].iter().any(is_same) {
            channels.push(new);
        }
    }
}

fn clip_bytes(clip: &Clip) -> usize {
    clip.channels().iter().map(Channel::bytes).sum()
}

/// Returns the names of the expressions that clips show and the rig lacks, and whether it lacks what follows their gaze.
fn lost_face(rig: &Model, source: &Model) -> (Vec<String>, bool) {
    let Some(face) = &source.vrm else { return Default::default() };
    let has = |name: &str| {
        rig.vrm.iter().flat_map(|vrm| &vrm.expressions).any(|expression| expression.name == name)
    };
    let channels = || source.clips.iter().flat_map(Clip::channels);
    let is_shown = |node: usize| {
        channels().any(|channel| match channel {
            Channel::Translation { node: moved, track } if *moved == node => {
                track.keys().values().iter().any(|weight| weight.x != 0.0)
            }
            _ => false,
        })
    };
    let lost = face.expressions.iter().filter(|expression| !has(&expression.name));
    let lost = lost.filter(|expression| expression.node.is_some_and(is_shown));
    let turns = |node: usize| {
        channels().any(
            |channel| matches!(channel, Channel::Rotation { node: turned, .. } if *turned == node),
        )
    };
    let is_followed = source.clips.iter().any(|clip| Gaze::new(rig, source, clip).is_some());
    let gaze = face.gaze.is_some_and(turns) && !is_followed;
    (lost.map(|expression| expression.name.clone()).collect(), gaze)
}
