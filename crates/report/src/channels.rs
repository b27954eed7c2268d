//! The channels of a clip: what each drives, and the number, times and range of its keys.

use glam::{Quat, Vec3};
use serde::Serialize;

use rigview_anim::{Channel, Keys, PropertyChannel, Track};
use rigview_model::{Field, Model};

/// The channels of a clip.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClipChannels {
    /// Index of the clip.
    pub index: usize,
    /// The clip's name.
    pub name: Option<String>,
    /// The time of its first key, in seconds.
    pub start: f32,
    /// The time of its last key, in seconds.
    pub duration: f32,
    /// Its valid channels: those of nodes in file order, then those of other properties.
    pub channels: Vec<ChannelInfo>,
}

/// A channel of a clip.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChannelInfo {
    /// Index of the driven node; `None` for properties of other objects.
    pub node: Option<usize>,
    /// The node's name.
    pub node_name: Option<String>,
    /// The driven property's name in glTF; `pointer` for properties that a JSON pointer names.
    pub path: &'static str,
    /// The property that the pointer names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// The interpolation's name in glTF.
    pub interpolation: &'static str,
    /// Number of keys.
    pub keys: usize,
    /// The time of the first key, in seconds.
    pub start: f32,
    /// The time of the last key, in seconds.
    pub end: f32,
    /// The least value of each component over all keys; tangents do not count.
    pub min: Vec<f32>,
    /// The largest value of each component over all keys.
    pub max: Vec<f32>,
}

/// Lists the channels of a clip.
///
/// # Panics
/// If there is no such clip.
pub fn clip_channels(model: &Model, clip: usize) -> ClipChannels {
    let own = &model.clips[clip];
    let of_nodes = own.channels().iter().map(|channel| node_channel(model, channel));
    let others = own.properties().iter().map(|channel| property_channel(model, channel));
    ClipChannels {
        index: clip,
        name: own.name().map(str::to_owned),
        start: own.start_secs(),
        duration: own.duration_secs(),
        channels: of_nodes.chain(others).collect(),
    }
}

fn node_channel(model: &Model, channel: &Channel) -> ChannelInfo {
    let [min, max] = match channel {
        Channel::Translation { track, .. } | Channel::Scale { track, .. } => {
            range(track.keys(), |v: &Vec3| v.to_array().to_vec(), 1)
        }
        Channel::Rotation { track, .. } => range(track.keys(), |q: &Quat| q.to_array().to_vec(), 1),
        Channel::Weights { track, .. } => range(track.keys(), |x: &f32| vec![*x], track.width()),
    };
    let times = channel.times();
    ChannelInfo {
        node: Some(channel.node()),
        node_name: model.nodes[channel.node()].name.clone(),
        path: channel.path(),
        property: None,
        interpolation: channel.interpolation().name(),
        keys: times.len(),
        start: times.first().copied().unwrap_or_default(),
        end: times.last().copied().unwrap_or_default(),
        min,
        max,
    }
}

fn property_channel(model: &Model, channel: &PropertyChannel) -> ChannelInfo {
    let track: &Track<f32> = &channel.track;
    let [min, max] = range(track.keys(), |x: &f32| vec![*x], track.width());
    let slot = model.slots.get(channel.slot);
    let property = slot.map(|slot| model.slot_name(*slot));
    let node = slot.filter(|slot| slot.field == Field::NodeVisible).map(|slot| slot.item);
    ChannelInfo {
        node,
        node_name: node.and_then(|node| model.nodes[node].name.clone()),
        path: "pointer",
        property,
        interpolation: track.keys().interpolation().name(),
        keys: track.times().len(),
        start: track.start_secs(),
        end: track.end_secs(),
        min,
        max,
    }
}

/// Returns the least and largest value of each component. A key has `width` values.
fn range<T>(keys: &Keys<T>, components: impl Fn(&T) -> Vec<f32>, width: usize) -> [Vec<f32>; 2] {
    let values = keys.values();
    let mut keys = values.chunks_exact(width.max(1));
    let flat = |key: &[T]| key.iter().flat_map(&components).collect::<Vec<f32>>();
    let Some(first) = keys.next().map(flat) else { return [Vec::new(), Vec::new()] };
    let (mut min, mut max) = (first.clone(), first);
    for key in keys.map(flat) {
        for (i, value) in key.into_iter().enumerate() {
            (min[i], max[i]) = (min[i].min(value), max[i].max(value));
        }
    }
    [min, max]
}
