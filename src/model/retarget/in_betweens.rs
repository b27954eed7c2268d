//! In-betweens: targets named `NAME N %`, as FBX has them between the base and the target `NAME`. On a rig that has only `NAME`, its
//! weight is the sum of theirs, each as a share of N %.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::anim::{Channel, Clip, NodeMapping, Track};
use crate::model::Model;

/// An in-between of the clips' rig that the other rig has no target for.
#[derive(Clone, Copy, Debug, PartialEq)]
struct InBetween {
    /// The node of the clips' rig.
    node: usize,
    /// Index of its target.
    own: usize,
    /// Index of the target that it leads to.
    target: usize,
    /// The weight of that target where the in-between shows in full.
    share: f32,
}

/// The in-betweens of the clips' rig that the other rig has no targets for.
pub(super) struct InBetweens(Vec<InBetween>);

impl InBetweens {
    pub fn new(source: &Model, mappings: &[Option<NodeMapping>]) -> Self {
        let mut driving: HashMap<usize, HashSet<usize>> = HashMap::new();
        for mapping in mappings.iter().flatten() {
            let columns = mapping.weights.iter().flatten().flatten();
            columns.for_each(|column| _ = driving.entry(mapping.node).or_default().insert(*column));
        }
        let mut found = Vec::new();
        for (node, driving) in driving {
            let Some(mesh) = source.nodes[node].mesh else { continue };
            let names = &source.meshes[mesh].target_names;
            for own in (0..names.len()).filter(|own| !driving.contains(own)) {
                if let Some((target, share)) = in_between(names, own)
                    && driving.contains(&target)
                {
                    found.push(InBetween { node, own, target, share });
                }
            }
        }
        Self(found)
    }

    /// Returns a clip whose targets have the weights of their in-betweens too.
    pub fn added<'a>(&self, clip: &'a Clip) -> Cow<'a, Clip> {
        if self.0.is_empty() {
            return Cow::Borrowed(clip);
        }
        let mut parts = clip.clone().into_parts();
        for channel in &mut parts.channels {
            let Channel::Weights { node, first: 0, track } = channel else { continue };
            let width = track.width();
            let is_driven = |it: &&InBetween| it.node == *node && it.own.max(it.target) < width;
            let all: Vec<&InBetween> = self.0.iter().filter(is_driven).collect();
            let add = |list: &[f32]| {
                let mut list = list.to_vec();
                for row in list.chunks_exact_mut(width) {
                    all.iter().for_each(|it| row[it.target] += it.share * row[it.own]);
                }
                list
            };
            let keys = track.keys().map(add, add);
            // Never an error: times and value counts are those of a valid track.
            if let Ok(sums) = Track::new(track.times().to_vec(), keys, width) {
                *track = sums;
            }
        }
        Cow::Owned(Clip::new(parts))
    }
}

/// Returns the target that an in-between leads to, and the weight of that target there; `None` for other targets.
pub(super) fn in_between(names: &[String], own: usize) -> Option<(usize, f32)> {
    let (of, percent) = names[own].strip_suffix(" %")?.rsplit_once(' ')?;
    let percent: f32 = percent.parse().ok()?;
    let target = names.iter().position(|name| name == of)?;
    percent.is_finite().then_some((target, percent / 100.0))
}
