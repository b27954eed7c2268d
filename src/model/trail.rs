//! The path of a node over a clip.

use glam::DVec3;

use super::{Model, Stage};
use crate::anim::Clip;

/// The path of a node over a whole clip, in scene space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trail {
    /// Places at even times, from the clip's start to its end. Infinite and NaN ones are left out.
    pub path: Vec<DVec3>,
    /// Places at the keys of the node's own channels, at most [`Trail::MOST_KEYS`] of them.
    pub keys: Vec<DVec3>,
}

impl Trail {
    /// Most places on the path.
    pub const MOST_PLACES: usize = 241;
    /// Most keys.
    pub const MOST_KEYS: usize = 128;

    /// Fewest places on the path.
    const LEAST_PLACES: usize = 25;
    /// Places per second.
    const PER_SECOND: f32 = 30.0;
    /// Limit of posed nodes over all places, for very large scenes.
    const MOST_NODES: usize = 10_000_000;
}

impl Stage {
    /// Returns the path of a node over a clip, where `pose` poses a stage for a time of the clip. The pose of this stage
    /// does not change.
    pub fn trail(
        &self,
        model: &Model,
        clip: &Clip,
        node: usize,
        pose: impl Fn(&mut Stage, f64),
    ) -> Trail {
        let mut stage = self.clone();
        let end = clip.duration_secs();
        let most = (Trail::MOST_NODES / model.nodes.len().max(1))
            .clamp(Trail::LEAST_PLACES, Trail::MOST_PLACES);
        let count = ((end * Trail::PER_SECOND) as usize + 1).clamp(Trail::LEAST_PLACES, most);
        let even = (0..count).map(|i| f64::from(end) * i as f64 / (count - 1) as f64);
        let own = clip.channels().iter().filter(|channel| channel.node() == node);
        let mut keys: Vec<f32> = own.flat_map(|channel| channel.times()).copied().collect();
        keys.sort_unstable_by(f32::total_cmp);
        keys.dedup();
        let step = keys.len().div_ceil(Trail::MOST_KEYS.min(most)).max(1);
        let keys = keys.into_iter().step_by(step).map(f64::from);
        let mut place = |time: f64| {
            pose(&mut stage, time);
            let at = stage.position(node).as_dvec3() + stage.origin;
            at.is_finite().then_some(at)
        };
        let path = even.filter_map(&mut place).collect();
        Trail { path, keys: keys.filter_map(&mut place).collect() }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::anim::{Channel, ClipParts, Keys, Track, Transform};
    use crate::model::sample::tree;

    #[test]
    fn a_trail_goes_from_the_first_to_the_last_instant_and_marks_the_nodes_own_keys() {
        let times = vec![0.0, 0.5, 2.0];
        let places = times.iter().map(|t| Vec3::new(*t, 0.0, 0.0)).collect();
        let track = Track::new(times, Keys::Linear(places), 1).unwrap();
        let channels = vec![Channel::Translation { node: 0, track }];
        let clip = Clip::new(ClipParts { channels, duration_secs: 2.0, ..ClipParts::default() });
        let up = Transform { translation: Vec3::Y, ..Transform::IDENTITY };
        let model = tree(&[None, Some(0)], [Transform::IDENTITY, up]);
        let stage = Stage::new(&model, 0);
        let pose = |stage: &mut Stage, time| stage.pose(&model, Some(&clip), time);
        let trail = stage.trail(&model, &clip, 0, pose);
        assert_eq!(trail.path.len(), 61);
        assert_eq!((trail.path[0].x, trail.path[60].x), (0.0, 2.0));
        assert_eq!(trail.keys.iter().map(|at| at.x).collect::<Vec<_>>(), [0.0, 0.5, 2.0]);
        let below = stage.trail(&model, &clip, 1, pose);
        assert_eq!(below.path[60], DVec3::new(2.0, 1.0, 0.0));
        assert_eq!(below.keys, [], "the node below has no keys of its own");
        assert_eq!(stage.position(0), Vec3::ZERO, "the stage keeps its pose");
    }
}
