//! Removes keys that the others imply: exactly, or within a bound at the skin.

use std::collections::HashMap;

use super::change::{BOUND, Changes, Context};
use super::clips::clips;
use super::document::Document;
use super::rotations::change_of;
use crate::anim::{Channel, Keys, Track, Value};
use crate::check::kept_keys;
use crate::report::{ClipForm, FormOptions, clip_in_form};

/// Removes the spare keys of the clips that findings name. With a bound above the usual one, keys are removed
/// until the skin would move by more.
pub fn reduce(document: &mut Document, context: &Context) -> Changes {
    let mut changes = Changes::default();
    for clip in clips(context) {
        let Some(played) = context.model.clips.get(clip) else { continue };
        let freely = context.options.bound > BOUND;
        let options =
            FormOptions { bound_mm: 1e3 * context.options.bound, ..FormOptions::default() };
        let reduced = freely
            .then(|| clip_in_form(context.model, played, ClipForm::Reduced, options).ok())
            .flatten();
        let mut kept: HashMap<(usize, &str), Vec<usize>> = HashMap::new();
        for channel in played.channels() {
            let least = reduced
                .iter()
                .flat_map(|clip| clip.channels())
                .find(|other| (other.node(), other.path()) == (channel.node(), channel.path()));
            let keys = match least {
                Some(least) => places_of(channel.times(), least.times()),
                None => kept_until_stable(channel),
            };
            kept.insert((channel.node(), channel.path()), keys);
        }
        for place in document.channels(clip) {
            let Some(node) = place.node else { continue };
            let (Some(kept), Ok(mut keys)) =
                (kept.get(&(node, place.path.as_str())), document.keys(&place))
            else {
                continue;
            };
            let count = keys.len().saturating_sub(kept.len());
            if count > 0 && kept.last().is_some_and(|last| *last < keys.len()) {
                keys.keep(kept);
                document.set_keys(&place, &keys);
                changes.made.push(change_of(document, context, &place, count));
            }
        }
    }
    changes
}

/// Returns the indices of times that are among others.
fn places_of(times: &[f32], kept: &[f32]) -> Vec<usize> {
    (0..times.len()).filter(|key| kept.contains(&times[*key])).collect()
}

/// Returns the keys that stay when spare ones are removed again and again.
fn kept_until_stable(channel: &Channel) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..channel.times().len()).collect();
    let mut now = channel.clone();
    loop {
        let next = kept_keys(&now);
        if next.len() == kept.len() {
            return kept;
        }
        kept = next.iter().map(|key| kept[*key]).collect();
        let Some(less) = with_keys(channel, &kept) else { return kept };
        now = less;
    }
}

/// Returns a channel with only these keys.
fn with_keys(channel: &Channel, kept: &[usize]) -> Option<Channel> {
    fn of<T: Value>(track: &Track<T>, kept: &[usize]) -> Option<Track<T>> {
        let width = track.width();
        let pick = |values: &[T]| -> Vec<T> {
            kept.iter().flat_map(|key| &values[key * width..][..width]).copied().collect()
        };
        let keys = match track.keys() {
            Keys::Step(values) => Keys::Step(pick(values)),
            Keys::Linear(values) => Keys::Linear(pick(values)),
            Keys::Cubic { .. } => return None,
        };
        Track::new(kept.iter().map(|key| track.times()[*key]).collect(), keys, width).ok()
    }
    Some(match channel {
        Channel::Translation { node, track } => {
            Channel::Translation { node: *node, track: of(track, kept)? }
        }
        Channel::Rotation { node, track } => {
            Channel::Rotation { node: *node, track: of(track, kept)? }
        }
        Channel::Scale { node, track } => Channel::Scale { node: *node, track: of(track, kept)? },
        Channel::Weights { node, first, track } => {
            Channel::Weights { node: *node, first: *first, track: of(track, kept)? }
        }
    })
}
