//! The path of a node over a clip.

use glam::DVec3;

use super::thinned_path::thinned;
use super::{Model, Stage};
use rigview_anim::{Clip, instants, some_of};

/// The path of a node over a whole clip, in scene space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trail {
    /// Places at the clip's [`instants`] and at 25 even times at least, from its start to its end; of more than
    /// [`Trail::MOST_PLACES`], those that keep the course of the path. Infinite and NaN ones are left out.
    pub path: Vec<DVec3>,
    /// Places at the keys of the node's own channels; of more than [`Trail::MOST_KEYS`], some evenly, because marks that
    /// touch each other would hide the path.
    pub keys: Vec<DVec3>,
}

impl Trail {
    /// Most places on the path.
    pub const MOST_PLACES: usize = 4000;
    /// Most keys.
    pub const MOST_KEYS: usize = 256;

    /// Fewest places on the path.
    const LEAST_PLACES: usize = 25;
}

/// How exact a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrailDetail {
    /// All places.
    Full,
    /// As many as are found within a frame, for a pose that is changing.
    Draft,
}

impl TrailDetail {
    /// Limit of posed nodes over all places: for very large scenes, or for a path that is found anew in every frame.
    fn most_nodes(self) -> usize {
        match self {
            Self::Full => 10_000_000,
            Self::Draft => 50_000,
        }
    }
}

impl Stage {
    /// Returns the path of a node over a clip in some detail, where `pose` poses a stage for a time of the clip. The pose of this stage
    /// does not change.
    pub fn trail(
        &self,
        model: &Model,
        clip: &Clip,
        node: usize,
        detail: TrailDetail,
        pose: impl Fn(&mut Stage, f64),
    ) -> Trail {
        let mut stage = self.clone();
        let most = (detail.most_nodes() / model.nodes.len().max(1)).max(Trail::LEAST_PLACES);
        let mut times = some_of(instants(&[clip]), most);
        let even = Trail::LEAST_PLACES - 1;
        if times.len() <= even {
            let end = f64::from(clip.duration_secs());
            times.extend((0..=even).map(|i| end * i as f64 / even as f64));
            times.sort_unstable_by(f64::total_cmp);
            times.dedup();
        }
        let own = clip.channels().iter().filter(|channel| channel.node() == node);
        let mut keys: Vec<f32> = own.flat_map(|channel| channel.times()).copied().collect();
        keys.sort_unstable_by(f32::total_cmp);
        keys.dedup();
        let keys = some_of(keys, Trail::MOST_KEYS.min(most)).into_iter().map(f64::from);
        let mut place = |time: f64| {
            pose(&mut stage, time);
            let at = stage.position(node).as_dvec3() + stage.origin;
            at.is_finite().then_some(at)
        };
        let places: Vec<DVec3> = times.into_iter().filter_map(&mut place).collect();
        let kept = thinned(&places, Trail::MOST_PLACES);
        let path = kept.into_iter().map(|at| places[at]).collect();
        Trail { path, keys: keys.filter_map(&mut place).collect() }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use rigview_anim::{Channel, ClipParts, Keys, Track, Transform};

    #[test]
    fn a_trail_goes_from_the_first_to_the_last_instant_and_marks_the_nodes_own_keys() {
        let times = vec![0.0, 0.5, 2.0];
        let places = times.iter().map(|t| Vec3::new(*t, 0.0, 0.0)).collect();
        let track = Track::new(times, Keys::Linear(places), 1).unwrap();
        let channels = vec![Channel::Translation { node: 0, track }];
        let clip = Clip::new(ClipParts { channels, duration_secs: 2.0, ..ClipParts::default() });
        let up = Transform { translation: Vec3::Y, ..Transform::IDENTITY };
        let model = Model::from_nodes(&[None, Some(0)], [Transform::IDENTITY, up]).unwrap();
        let stage = Stage::new(&model, 0);
        let pose = |stage: &mut Stage, time| stage.pose(&model, Some(&clip), time);
        let trail = stage.trail(&model, &clip, 0, TrailDetail::Full, pose);
        assert_eq!(trail.path.len(), 61);
        assert_eq!((trail.path[0].x, trail.path[60].x), (0.0, 2.0));
        assert_eq!(trail.keys.iter().map(|at| at.x).collect::<Vec<_>>(), [0.0, 0.5, 2.0]);
        let below = stage.trail(&model, &clip, 1, TrailDetail::Full, pose);
        assert_eq!(below.path[60], DVec3::new(2.0, 1.0, 0.0));
        assert_eq!(below.keys, [], "the node below has no keys of its own");
        assert_eq!(stage.position(0), Vec3::ZERO, "the stage keeps its pose");
    }

    #[test]
    fn a_trail_of_a_minute_goes_through_all_keys() {
        let times: Vec<f32> = (0..=1800).map(|frame| frame as f32 / 30.0).collect();
        let places = (0..=1800).map(|frame| Vec3::new((frame % 2) as f32, 0.0, 0.0)).collect();
        let track = Track::new(times, Keys::Linear(places), 1).unwrap();
        let channels = vec![Channel::Translation { node: 0, track }];
        let clip = Clip::new(ClipParts { channels, duration_secs: 60.0, ..ClipParts::default() });
        let model = Model::from_nodes(&[None], [Transform::IDENTITY]).unwrap();
        let pose = |stage: &mut Stage, time| stage.pose(&model, Some(&clip), time);
        let trail = Stage::new(&model, 0).trail(&model, &clip, 0, TrailDetail::Full, pose);
        assert_eq!((trail.path.len(), trail.keys.len()), (1801, Trail::MOST_KEYS));
        let way: f64 = trail.path.windows(2).map(|ends| ends[0].distance(ends[1])).sum();
        assert!((way - 1800.0).abs() < 0.1, "{way}");
        // A scene of a thousand nodes is posed at few instants of it while it is changed.
        let model = Model::from_nodes(&[None; 1000], [Transform::IDENTITY; 1000]).unwrap();
        let posed = std::cell::Cell::new(0);
        let draft = Stage::new(&model, 0).trail(
            &model,
            &clip,
            0,
            TrailDetail::Draft,
            |stage: &mut Stage, time| {
                posed.set(posed.get() + 1);
                stage.pose(&model, Some(&clip), time);
            },
        );
        assert!(posed.get() <= 100 && draft.path.len() >= 25, "{} of {draft:?}", posed.get());
    }
}
