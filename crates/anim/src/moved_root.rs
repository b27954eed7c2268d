//! Which joint of a clip moves the whole rig.

use glam::Vec3;

use super::Channel;
use super::rotation::angle_between;

/// Returns the joint nearest to the root that channels of a clip move, or else the nearest one that they drive: programs
/// write keys for joints that stand still, such as one on the ground below the hips. `depth` returns the depth of a joint,
/// and `None` for other nodes.
pub fn moved_root<'a>(
    channels: impl IntoIterator<Item = &'a Channel>,
    depth: impl Fn(usize) -> Option<usize>,
) -> Option<usize> {
    let transforms = |channel: &&Channel| !matches!(channel, Channel::Weights { .. });
    /// Programs that sample all joints write noise.
    const NOISE: f32 = 1e-5;
    let far = |a: Vec3, b: Vec3| a.distance(b) > NOISE * a.length().max(1.0);
    let moves = |channel: &Channel| match channel {
        Channel::Translation { track, .. } | Channel::Scale { track, .. } => track.changes(far),
        Channel::Rotation { track, .. } => {
            track.changes(|a, b| angle_between(a, b) > f64::from(NOISE))
        }
        Channel::Weights { .. } => false,
    };
    let driven = channels.into_iter().filter(transforms);
    let joints = driven.filter_map(|channel| Some((channel, depth(channel.node())?)));
    // Those that move come first.
    let nearest = joints.min_by_key(|(channel, depth)| (!moves(channel), *depth, channel.node()));
    nearest.map(|(channel, _)| channel.node())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Keys, Track};

    /// Programs write keys for a joint on the ground, which stands still.
    #[test]
    fn the_root_is_a_joint_that_moves() {
        let moved = |node: usize, to: f32| {
            let keys = Keys::Linear(vec![Vec3::ZERO, Vec3::new(to, 0.0, 0.0)]);
            Channel::Translation { node, track: Track::new(vec![0.0, 1.0], keys, 1).unwrap() }
        };
        // Node 9 is no joint.
        let root =
            |channels: Vec<Channel>| moved_root(&channels, |node| (node < 9).then_some(node));
        assert_eq!(root(vec![moved(0, 0.0), moved(9, 1.0), moved(2, 1.0), moved(1, 2.0)]), Some(1));
        assert_eq!(root(vec![moved(1, 0.0), moved(0, 1e-7)]), Some(0), "none moves");
        assert_eq!(root(vec![moved(9, 1.0)]), None);
    }
}
