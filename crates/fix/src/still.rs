//! Channels that say nothing: overridden by another one, or at rest throughout.

use std::collections::{BTreeSet, HashMap, HashSet};

use glam::Vec3;

use super::change::{Change, Changes, Context, change_at, clip_of};
use super::channel_place::ChannelPlace;
use super::clips::clips;
use super::document::Document;
use super::rotations::change_of;
use rigview_anim::Channel;
use rigview_check::ChannelTarget;

/// The largest difference of a scale that equals the rest scale, relative to it: KEYS_STILL is about those.
const STILL: f32 = 1e-6;

/// The largest difference of scale keys from the rest scale that counts as noise, relative to it.
const NOISE: f32 = 1e-3;

/// Removes all but the last of the channels that drive one property.
pub fn drop_overridden(document: &mut Document, context: &Context) -> Changes {
    let mut changes = Changes::default();
    let found = context.findings.iter().filter_map(|finding| finding.pointer.as_deref());
    let found: HashSet<&str> = found.collect();
    let mut listed: HashSet<String> = HashSet::new();
    for clip in 0..document.list("animations").len() {
        let channels = document.channels(clip);
        let meant = channels.iter().filter(|place| found.contains(place.pointer().as_str()));
        let meant: HashSet<&str> = meant.map(|place| place.driven.as_str()).collect();
        let mut driven = HashSet::new();
        let overridden: Vec<&ChannelPlace> = channels
            .iter()
            .rev()
            .filter(|place| !driven.insert(&place.driven) && meant.contains(place.driven.as_str()))
            .collect();
        if overridden.is_empty() {
            continue;
        }
        let twice: HashSet<&str> = overridden.iter().map(|place| place.driven.as_str()).collect();
        let twice = channels.iter().filter(|place| twice.contains(place.driven.as_str()));
        listed.extend(twice.map(ChannelPlace::pointer));
        take_away(document, context, &channels, &overridden, &mut changes);
    }
    for finding in context.findings {
        if !finding.pointer.as_ref().is_some_and(|pointer| listed.contains(pointer)) {
            let reason = "it drives a part of what another channel drives";
            changes.leave(change_at(finding), reason);
        }
    }
    changes
}

/// Removes the channels that findings name, which never leave the rest value.
pub fn drop_still(document: &mut Document, context: &Context) -> Changes {
    let targets: HashSet<(Option<usize>, ChannelTarget)> =
        context.findings.iter().filter_map(|it| Some((clip_of(it), it.target?))).collect();
    drop_channels(document, context, clips(context), |place| {
        targets.iter().any(|(clip, target)| *clip == Some(place.clip) && place.drives(*target))
    })
}

/// Removes scale channels that stay within a thousandth of the rest scale.
pub fn drop_scale_noise(document: &mut Document, context: &Context) -> Changes {
    let mut noisy: HashSet<(usize, usize)> = HashSet::new();
    for (clip, played) in context.model.clips.iter().enumerate() {
        for channel in played.channels() {
            let Channel::Scale { node, track } = channel else { continue };
            let rest = context.model.rest.transform(*node).scale;
            // A thousandth of a scale of a hundredth is small too.
            let off = |scale: Vec3| {
                ((scale - rest) / rest.abs().max(Vec3::splat(f32::MIN_POSITIVE)))
                    .abs()
                    .max_element()
            };
            let between = track.times().windows(2).flat_map(|pair| {
                let [a, b] = [pair[0], pair[1]].map(f64::from);
                [0.0, 0.25, 0.5, 0.75].map(|u| a + u * (b - a))
            });
            let times = between.chain([f64::from(track.end_secs())]);
            let furthest = times.map(|time| off(track.sample(time))).fold(0.0, f32::max);
            if furthest > STILL && furthest <= NOISE {
                noisy.insert((clip, *node));
            }
        }
    }
    let clips = (0..document.list("animations").len()).collect();
    drop_channels(document, context, clips, |place| {
        place.path == "scale"
            && place.node().is_some_and(|node| noisy.contains(&(place.clip, node)))
    })
}

fn drop_channels(
    document: &mut Document,
    context: &Context,
    clips: BTreeSet<usize>,
    is_dropped: impl Fn(&ChannelPlace) -> bool,
) -> Changes {
    let mut changes = Changes::default();
    for clip in clips {
        let channels = document.channels(clip);
        let twice = driven_twice(&channels);
        let still =
            channels.iter().filter(|place| is_dropped(place) && document.keys(place).is_ok());
        // Without the channel that plays, an overridden one would.
        let (shared, mut dropped): (Vec<&ChannelPlace>, Vec<&ChannelPlace>) =
            still.partition(|place| twice.contains(&place.channel));
        for place in shared {
            let reason = "another channel drives the same property; mend CHANNEL_TWICE first";
            changes.leave(change_of(document, context, place, 0), reason);
        }
        if dropped.len() == channels.len()
            && let Some(longest) = dropped.iter().copied().max_by(|a, b| {
                let end = |place: &ChannelPlace| document.end_of(place).unwrap_or(0.0);
                end(a).total_cmp(&end(b))
            })
        {
            // A clip must have a channel.
            let kept = change_of(document, context, longest, 0);
            changes.leave(kept, "the clip needs at least one channel");
            dropped.retain(|place| place.channel != longest.channel);
        }
        if dropped.is_empty() {
            continue;
        }
        take_away(document, context, &channels, &dropped, &mut changes);
    }
    changes
}

/// Returns the indices of channels that drive what another channel drives too, or a part of it.
fn driven_twice(channels: &[ChannelPlace]) -> HashSet<usize> {
    let mut by_property: HashMap<(Option<usize>, &str), Vec<&ChannelPlace>> = HashMap::new();
    for place in channels {
        for node in &place.nodes {
            by_property.entry((Some(*node), &place.path)).or_default().push(place);
        }
        if place.nodes.is_empty() {
            by_property.entry((None, &place.driven)).or_default().push(place);
        }
    }
    // A pointer to one weight ends with its index.
    let is_whole =
        |place: &ChannelPlace| place.path != "weights" || place.driven.ends_with("/weights");
    let mut twice = HashSet::new();
    for group in by_property.values().filter(|group| group.len() > 1) {
        let has_whole = group.iter().any(|place| is_whole(place));
        let mut firsts: HashMap<usize, usize> = HashMap::new();
        group.iter().for_each(|place| *firsts.entry(place.first).or_default() += 1);
        let shared = group.iter().filter(|place| has_whole || firsts[&place.first] > 1);
        twice.extend(shared.map(|place| place.channel));
    }
    twice
}

/// Removes some of a clip's channels, or leaves them with the reason.
fn take_away(
    document: &mut Document,
    context: &Context,
    channels: &[ChannelPlace],
    gone: &[&ChannelPlace],
    changes: &mut Changes,
) {
    let made: Vec<Change> =
        gone.iter().map(|place| change_of(document, context, place, 1)).collect();
    match remove(document, channels, gone) {
        Ok(()) => changes.made.extend(made),
        Err(reason) => made.into_iter().for_each(|change| changes.leave(change, reason)),
    }
}

/// Removes channels of a clip. If those that stay end earlier, the last of them holds its value until the clip's end.
fn remove(
    document: &mut Document,
    channels: &[ChannelPlace],
    gone: &[&ChannelPlace],
) -> Result<(), &'static str> {
    let Some(clip) = gone.first().map(|place| place.clip) else { return Ok(()) };
    let gone: Vec<usize> = gone.iter().map(|place| place.channel).collect();
    let (removed, kept): (Vec<&ChannelPlace>, Vec<&ChannelPlace>) =
        channels.iter().partition(|place| gone.contains(&place.channel));
    let end = |place: &&ChannelPlace| document.end_of(place).unwrap_or(0.0);
    let last = removed.iter().map(end).fold(0.0, f32::max);
    if kept.iter().map(end).fold(0.0, f32::max) < last {
        let readable = kept.into_iter().filter(|place| document.keys(place).is_ok());
        let holding = readable.max_by(|a, b| end(a).total_cmp(&end(b)));
        let holding =
            holding.ok_or("the clip would end earlier, and no channel that stays can be read")?;
        let mut keys = document.keys(holding)?;
        keys.hold_until(last);
        document.set_keys(holding, &keys);
    }
    document.remove_channels(clip, &gone);
    Ok(())
}
