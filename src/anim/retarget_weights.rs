//! Morph weights of a clip that is converted for another rig.

use std::ops::Range;

use super::rig_pair::{NodeMapping, RigPair};
use super::{Channel, Track, TrackError};

/// Converts a channel of morph weights. Empty if none of them drives a weight of the node.
pub(super) fn weight_channels(
    channel: &Channel,
    rigs: &RigPair,
    node: usize,
    mapping: &NodeMapping,
) -> Vec<Channel> {
    let (Channel::Weights { track, .. }, Some(columns)) = (channel, &mapping.weights) else {
        return Vec::new();
    };
    let driven = channel.values();
    let converted = if driven.len() < rigs.from.rest.weights(channel.node()).len() {
        separate_weights(track, &driven, node, columns)
    } else {
        let track = rearranged(track, columns, rigs.to.rest.weights(node));
        track.map(|track| vec![Channel::Weights { node, first: 0, track }])
    };
    // Never an error: times and value counts are those of a valid track.
    converted.unwrap_or_default()
}

/// Converts a channel of some of a node's morph weights to one channel per weight that it drives on
/// the other rig.
fn separate_weights(
    track: &Track<f32>,
    driven: &Range<usize>,
    node: usize,
    columns: &[Option<usize>],
) -> Result<Vec<Channel>, TrackError> {
    let driving = columns.iter().enumerate().filter_map(|(first, column)| {
        let column = column.filter(|column| driven.contains(column))?;
        Some((first, column - driven.start))
    });
    let channel = |(first, column)| {
        let track = rearranged(track, &[Some(column)], &[])?;
        Ok(Channel::Weights { node, first, track })
    };
    driving.map(channel).collect()
}

/// Returns a track of weights with these columns; those without a source hold the rest value.
fn rearranged(
    track: &Track<f32>,
    columns: &[Option<usize>],
    rest: &[f32],
) -> Result<Track<f32>, TrackError> {
    let pick = |list: &[f32], without: fn(f32) -> f32| -> Vec<f32> {
        let rows = list.chunks_exact(track.width());
        let cells = rows.flat_map(|row| {
            let cell = move |(i, column): (usize, &Option<usize>)| {
                column.map_or_else(|| without(rest[i]), |c| row[c])
            };
            columns.iter().enumerate().map(cell)
        });
        cells.collect()
    };
    let keys = track.keys().map(|values| pick(values, |rest| rest), |slopes| pick(slopes, |_| 0.0));
    Track::new(track.times().to_vec(), keys, columns.len())
}
