//! Removes keys that the others imply: exactly, or within a bound at the skin.

use std::collections::HashMap;

use super::change::{BOUND, Changes, Context};
use super::clips::clips;
use super::document::Document;
use super::rotations::change_of;
use rigview_anim::{Interpolation, PropertyChannel};
use rigview_check::{ChannelTarget, kept_keys, kept_property_keys};
use rigview_report::{ClipForm, FormOptions, clip_in_form};

/// Removes the spare keys of the clips that findings name. With a bound above the usual one, further keys of these clips are
/// removed until the skin would move by more.
pub fn reduce(document: &mut Document, context: &Context) -> Changes {
    let mut changes = Changes::default();
    let freely = context.options.bound > BOUND && context.open_bound > 0.0;
    for clip in clips(context) {
        let Some(played) = context.model.clips.get(clip) else { continue };
        let options = FormOptions { bound_mm: 1e3 * context.open_bound, ..FormOptions::default() };
        let reduced = freely
            .then(|| clip_in_form(context.model, played, ClipForm::Reduced, options).ok())
            .flatten();
        // A pointer may name one of the weights that another channel drives together.
        let mut kept: HashMap<(ChannelTarget, usize), Vec<usize>> = HashMap::new();
        for (at, channel) in played.channels().iter().enumerate() {
            let target = ChannelTarget::of(channel);
            // By index, since several channels may have one target.
            let least = reduced.as_ref().and_then(|clip| clip.channels().get(at));
            let keys = match least {
                Some(least) => places_of(channel.times(), least.times()),
                None => {
                    kept_until_stable(channel, channel.times().len(), kept_keys, |channel, kept| {
                        let is_cubic = channel.interpolation() == Interpolation::CubicSpline;
                        channel.with_keys(kept).filter(|_| !is_cubic)
                    })
                }
            };
            kept.insert((target, channel.values().len()), keys);
        }
        for PropertyChannel { slot, track } in played.properties() {
            let Some(slot) = context.model.slots.get(*slot) else { continue };
            let keys =
                kept_until_stable(track, track.times().len(), kept_property_keys, |track, kept| {
                    let is_cubic = track.keys().interpolation() == Interpolation::CubicSpline;
                    track.with_keys(kept).filter(|_| !is_cubic)
                });
            kept.insert((ChannelTarget::Property(*slot), 1), keys);
        }
        for place in document.channels(clip) {
            let Some(target) = place.target() else { continue };
            let Ok(mut keys) = document.keys(&place) else { continue };
            let weights = if place.path == "weights" { keys.width } else { 1 };
            let Some(kept) = kept.get(&(target, weights)) else { continue };
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

/// Returns the indices of times that are among others. Both ascend.
fn places_of(times: &[f32], kept: &[f32]) -> Vec<usize> {
    let is_kept = |time: f32| {
        let at = kept.partition_point(|other| *other < time);
        kept.get(at).is_some_and(|other| *other == time)
    };
    (0..times.len()).filter(|key| is_kept(times[*key])).collect()
}

/// Returns the keys of a channel that stay when spare ones are removed again and again. `times` is their number, and
/// `with_keys` returns the channel with some of them.
fn kept_until_stable<T>(
    channel: &T,
    times: usize,
    kept_keys: impl Fn(&T) -> Vec<usize>,
    with_keys: impl Fn(&T, &[usize]) -> Option<T>,
) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..times).collect();
    let mut less = None;
    loop {
        let next = kept_keys(less.as_ref().unwrap_or(channel));
        if next.len() == kept.len() {
            return kept;
        }
        kept = next.iter().map(|key| kept[*key]).collect();
        less = with_keys(channel, &kept);
        if less.is_none() {
            return kept;
        }
    }
}
