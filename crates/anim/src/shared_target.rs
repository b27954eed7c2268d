//! The targets that several clips drive, which clips that play at once can't share.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::{Channel, Clip};

/// A target that two clips drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrivenTarget {
    /// A property of a node, by glTF's name for it.
    Node(usize, &'static str),
    /// A property slot.
    Slot(usize),
}

/// The targets that several clips drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedTargets {
    /// The first one, in the order of the clips and their channels.
    pub first: DrivenTarget,
    /// Positions of the first two clips that drive it.
    pub clips: [usize; 2],
    /// The number of such targets.
    pub count: usize,
}

impl SharedTargets {
    /// Finds the targets that several of these clips drive; `None` if each is driven by one clip.
    pub fn find<'a>(clips: impl IntoIterator<Item = &'a Clip>) -> Option<Self> {
        let (mut nodes, mut slots) = (HashMap::new(), HashMap::new());
        let mut found: Option<Self> = None;
        let mut add = |driven: Drive, first: DrivenTarget, clip: usize| {
            if let Drive::Again { before } = driven {
                let found = found.get_or_insert(Self { first, clips: [before, clip], count: 0 });
                found.count += 1;
            }
        };
        for (i, clip) in clips.into_iter().enumerate() {
            for channel in clip.channels() {
                let target = DrivenTarget::Node(channel.node(), Channel::path(channel));
                add(Drive::note(nodes.entry(channel.target()), i), target, i);
            }
            for property in clip.properties() {
                let target = DrivenTarget::Slot(property.slot);
                add(Drive::note(slots.entry(property.slot), i), target, i);
            }
        }
        found
    }
}

/// The clips that drive a target so far.
#[derive(Clone, Copy, Debug)]
struct Drivers {
    first: usize,
    is_shared: bool,
}

/// Whether a target is driven by a second clip.
enum Drive {
    /// By no other clip, or by more than two.
    Known,
    /// By this one, and by one before.
    Again { before: usize },
}

impl Drive {
    fn note<K>(entry: Entry<'_, K, Drivers>, clip: usize) -> Self {
        let drivers = entry.or_insert(Drivers { first: clip, is_shared: false });
        if drivers.is_shared || drivers.first == clip {
            return Self::Known;
        }
        drivers.is_shared = true;
        Self::Again { before: drivers.first }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::{ClipParts, Keys, PropertyChannel, Track};

    fn clip(nodes: &[usize], slots: &[usize]) -> Clip {
        let still = Track::new(vec![0.0], Keys::Step(vec![Vec3::ONE]), 1).unwrap();
        let dark = Track::new(vec![0.0], Keys::Step(vec![0.0]), 1).unwrap();
        let scale = |node: &usize| Channel::Scale { node: *node, track: still.clone() };
        let property = |slot: &usize| PropertyChannel { slot: *slot, track: dark.clone() };
        Clip::new(ClipParts {
            channels: nodes.iter().map(scale).collect(),
            properties: slots.iter().map(property).collect(),
            ..ClipParts::default()
        })
    }

    #[test]
    fn each_target_that_two_clips_drive_is_counted_once() {
        assert_eq!(SharedTargets::find(&[clip(&[0, 0], &[]), clip(&[1], &[0])]), None);
        let clips = [clip(&[0], &[]), clip(&[1, 2], &[5]), clip(&[2, 1], &[5]), clip(&[1], &[])];
        let first = DrivenTarget::Node(2, "scale");
        let wanted = SharedTargets { first, clips: [1, 2], count: 3 };
        assert_eq!(SharedTargets::find(&clips), Some(wanted));
        let clips = [clip(&[], &[3]), clip(&[], &[3])];
        let wanted = SharedTargets { first: DrivenTarget::Slot(3), clips: [0, 1], count: 1 };
        assert_eq!(SharedTargets::find(&clips), Some(wanted));
    }
}
