//! The motion of a rig's root over a clip.

use glam::DVec3;

use super::thinned_path::thinned;
use super::{Model, Stage};
use rigview_anim::{Clip, instants, moved_root, some_of};

/// The way of the root over a clip, in scene space.
#[derive(Clone, Debug, PartialEq)]
pub struct RootMotion {
    /// The root, as a node.
    pub node: usize,
    /// Places at the clip's [`instants`], from its start to its end; of very many, those that keep the course of the path.
    /// Infinite and NaN ones are left out.
    pub path: Vec<DVec3>,
    /// The time of each place in seconds.
    times: Vec<f64>,
    /// The length of the way over the ground in metres, along the places at all instants.
    pub distance: f64,
    /// Places at each whole second of the clip.
    pub seconds: Vec<DVec3>,
    /// The clip's duration in seconds.
    pub duration_secs: f32,
}

impl RootMotion {
    /// Most places on the path.
    const PLACES: usize = 1500;
    /// Most whole seconds.
    const MOST_SECONDS: usize = 600;
    /// Limit of posed nodes over all places, for very large scenes.
    const MOST_NODES: usize = 10_000_000;

    /// Returns the horizontal distance from the start to the end in metres, as `check` measures it.
    pub fn drift(&self) -> f64 {
        self.path.first().zip(self.path.last()).map_or(0.0, |(a, b)| over_ground(*a, *b))
    }

    /// Returns the horizontal unit vector at a right angle to the way at a whole second; `None` where the root stands.
    pub fn across(&self, second: usize) -> Option<DVec3> {
        let last = self.path.len().checked_sub(1)?;
        let at = self.times.partition_point(|time| *time < second as f64).min(last);
        let along = *self.path.get((at + 1).min(last))? - *self.path.get(at.saturating_sub(1))?;
        DVec3::new(-along.z, 0.0, along.x).try_normalize()
    }

    /// Returns the mean speed over the ground in metres per second; 0 for a clip without a duration.
    pub fn speed(&self) -> f64 {
        let secs = f64::from(self.duration_secs);
        if secs > 0.0 { self.distance / secs } else { 0.0 }
    }
}

/// Returns the horizontal distance between two points.
fn over_ground(a: DVec3, b: DVec3) -> f64 {
    (b - a).with_y(0.0).length()
}

impl Stage {
    /// Returns the root that a clip moves: the joint with the fewest ancestors that it moves, or else that it drives; see
    /// [`moved_root`]. In a scene without joints, all nodes count.
    pub fn root_of(&self, model: &Model, clip: &Clip) -> Option<usize> {
        let joints = self.joints(model);
        let counts = |node: &usize| joints.is_empty() || joints.binary_search(node).is_ok();
        let depth = |node: usize| model.hierarchy.ancestors(node).count();
        moved_root(clip.channels(), |node| Some(node).filter(counts).map(depth))
    }

    /// Returns the motion of the root over a clip that plays alone; `None` if the clip moves no joint. The pose of the
    /// stage does not change.
    pub fn root_motion(&self, model: &Model, clip: &Clip) -> Option<RootMotion> {
        let node = self.root_of(model, clip)?;
        let mut stage = self.clone();
        let duration_secs = clip.duration_secs();
        let room = (RootMotion::MOST_NODES / model.nodes.len().max(1)).max(2);
        let mut place = |time: f64| {
            stage.pose(model, Some(clip), time);
            let at = stage.position(node).as_dvec3() + stage.origin;
            at.is_finite().then_some(at)
        };
        let times = some_of(instants(&[clip]), room).into_iter();
        let places: Vec<_> = times.filter_map(|time| Some((time, place(time)?))).collect();
        let distance = places.windows(2).map(|ends| over_ground(ends[0].1, ends[1].1)).sum();
        let (times, path): (Vec<f64>, Vec<DVec3>) = places.into_iter().unzip();
        let kept = thinned(&path, RootMotion::PLACES);
        let times = kept.iter().map(|at| times[*at]).collect();
        let path = kept.iter().map(|at| path[*at]).collect();
        let whole = (duration_secs as usize).min(RootMotion::MOST_SECONDS).min(room);
        let seconds = (0..=whole).filter_map(|second| place(second as f64)).collect();
        Some(RootMotion { node, path, times, distance, seconds, duration_secs })
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::{HeldRoot, PoseSource};
    use rigview_anim::{Channel, ClipParts, Keys, Track, Transform};

    /// Hips that go four metres along the X axis of their parent and two up, in two seconds. The parent is turned by a
    /// quarter about Y and half as large.
    fn walk() -> (Model, Clip) {
        let places = vec![Vec3::ZERO, Vec3::new(4.0, 2.0, 0.0)];
        let track = Track::new(vec![0.0, 2.0], Keys::Linear(places), 1).unwrap();
        let channels = vec![Channel::Translation { node: 1, track }];
        let clip = Clip::new(ClipParts { channels, duration_secs: 2.0, ..ClipParts::default() });
        let turn = glam::Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
        let root = Transform { rotation: turn, scale: Vec3::splat(0.5), ..Transform::IDENTITY };
        let rest = [root, Transform::IDENTITY, Transform::IDENTITY];
        (Model::from_nodes(&[None, Some(0), Some(1)], rest).unwrap(), clip)
    }

    #[test]
    fn the_root_goes_over_the_ground() {
        let (model, clip) = walk();
        let motion = Stage::new(&model, 0).root_motion(&model, &clip).unwrap();
        assert_eq!((motion.node, motion.path.len(), motion.seconds.len()), (1, 61, 3));
        let near = |a: f64, b: f64| (a - b).abs() < 1e-5;
        assert!(near(motion.distance, 2.0) && near(motion.drift(), 2.0), "{motion:?}");
        assert!(near(motion.speed(), 1.0) && near(motion.seconds[1].z, -1.0), "{motion:?}");
    }

    /// Programs write keys for a joint on the ground, which stands still.
    #[test]
    fn a_joint_with_keys_that_stand_is_not_the_root() {
        let (model, clip) = walk();
        let still = Track::new(vec![0.0, 2.0], Keys::Linear(vec![Vec3::ZERO; 2]), 1).unwrap();
        let mut parts = clip.into_parts();
        parts.channels.insert(0, Channel::Translation { node: 0, track: still });
        assert_eq!(Stage::new(&model, 0).root_of(&model, &Clip::new(parts)), Some(1));
    }

    /// Turns between the frames of the grid count in full.
    #[test]
    fn the_way_is_measured_at_all_keys() {
        let (model, clip) = walk();
        let times: Vec<f32> = (0..=7).map(|key| key as f32 / 7.0).collect();
        let places = (0..=7).map(|key| Vec3::X * (key % 2) as f32).collect();
        let track = Track::new(times, Keys::Linear(places), 1).unwrap();
        let channels = vec![Channel::Translation { node: 1, track }];
        let clip = Clip::new(ClipParts { channels, duration_secs: 1.0, ..clip.into_parts() });
        let motion = Stage::new(&model, 0).root_motion(&model, &clip).unwrap();
        assert!((motion.distance - 3.5).abs() < 1e-5, "{}", motion.distance);
    }

    #[test]
    fn a_held_root_keeps_its_place_over_the_ground_and_its_height() {
        let (model, clip) = walk();
        let mut stage = Stage::new(&model, 0);
        for stood_up in [false, true] {
            stage.stand_up(&model, stood_up);
            stage.pose(&model, Some(&clip), 0.0);
            let start = stage.position(1).as_dvec3();
            stage.pose(&model, Some(&clip), 1.5);
            let free = stage.position(1);
            let root = HeldRoot { node: 1, place: start };
            stage.pose_with(&model, PoseSource::Clip(Some(&clip), 1.5), Some(root), |_| {});
            let held = stage.position(1);
            assert!((held.as_dvec3() - start).with_y(0.0).length() < 1e-6, "{held}");
            assert!((held.y - free.y).abs() < 1e-6, "{held} {free}");
            assert_eq!(stage.position(2), held, "what is below moves with it");
            assert_eq!(stage.position(0), Vec3::ZERO);
        }
    }
}
