//! The channels of a clip that drive a node, around an instant.

use serde::Serialize;

use rigview_anim::{Channel, Clip};
use rigview_model::{Field, Model};

/// A channel that drives a node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DrivingChannel {
    /// The driven property's name in glTF.
    pub path: &'static str,
    /// The interpolation's name in glTF.
    pub interpolation: &'static str,
    /// Number of keys.
    pub keys: usize,
    /// The time of the last key before the instant, in seconds.
    pub previous: Option<f32>,
    /// The time of the first key after the instant, in seconds.
    pub next: Option<f32>,
}

/// Returns the channels of a clip that drive a node, with the keys around a time. A key less than a
/// microsecond away counts as neither before nor after.
pub fn driving_channels(
    model: &Model,
    clip: &Clip,
    node: usize,
    time_secs: f64,
) -> Vec<DrivingChannel> {
    let channel = |path: &'static str, interpolation: &'static str, times: &[f32]| {
        let before = times.partition_point(|t| f64::from(*t) < time_secs - SAME);
        let after = times.partition_point(|t| f64::from(*t) <= time_secs + SAME);
        DrivingChannel {
            path,
            interpolation,
            keys: times.len(),
            previous: before.checked_sub(1).map(|key| times[key]),
            next: times.get(after).copied(),
        }
    };
    let of_node = |c: &&Channel| c.node() == node;
    let of_node = clip.channels().iter().filter(of_node);
    let visibility = clip.properties().iter().filter(|property| {
        let slot = model.slots.get(property.slot);
        slot.is_some_and(|slot| slot.field == Field::NodeVisible && slot.item == node)
    });
    let visibility = visibility
        .map(|p| channel("visibility", p.track.keys().interpolation().name(), p.track.times()));
    of_node
        .map(|c| channel(c.path(), c.interpolation().name(), c.times()))
        .chain(visibility)
        .collect()
}

/// Times this close in seconds are the same.
const SAME: f64 = 1e-6;

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use rigview_anim::{ClipParts, Keys, Track};

    #[test]
    fn keys_before_and_after_an_instant_are_found() {
        let keys = Keys::Step(vec![Vec3::ZERO; 3]);
        let track = Track::new(vec![0.0, 0.5, 2.0], keys, 1).unwrap();
        let clip = Clip::new(ClipParts {
            channels: vec![Channel::Scale { node: 4, track }],
            duration_secs: 2.0,
            ..ClipParts::default()
        });
        let model = Model::default();
        let around = |time| {
            let [ref channel] = driving_channels(&model, &clip, 4, time)[..] else { panic!() };
            assert_eq!((channel.path, channel.interpolation, channel.keys), ("scale", "STEP", 3));
            (channel.previous, channel.next)
        };
        assert_eq!(around(0.0), (None, Some(0.5)));
        assert_eq!(around(0.25), (Some(0.0), Some(0.5)));
        assert_eq!(around(0.5), (Some(0.0), Some(2.0)));
        assert_eq!(around(9.0), (Some(2.0), None));
        assert!(driving_channels(&model, &clip, 3, 0.0).is_empty());
    }
}
