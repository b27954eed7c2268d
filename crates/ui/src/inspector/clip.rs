//! A clip of the file and its channels.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::page::Page;
use rigview_model::RootMotion;
use rigview_report::{ChannelInfo, ClipChannels};
use rigview_session::{Item, PlaybackAction};

/// Maximum number of channels that are listed.
const MOST: usize = 300;

/// Shows the clip. It can be played from here if the file's own clips are those that play.
pub(super) fn show(page: &mut Page<'_>, facts: &ClipChannels, plays: bool) {
    page.section("Clip", |page| {
        page.count("Index", facts.index);
        page.numbers("Start", &[facts.start], "s");
        page.numbers("Duration", &[facts.duration], "s");
        page.count("Number of channels", facts.channels.len());
        for (interpolation, count) in counts(facts, |channel| channel.interpolation) {
            page.count(interpolation, count);
        }
        for (path, count) in counts(facts, |channel| channel.path) {
            page.count(path, count);
        }
        if plays && page.ui.small_button("Play it").clicked() {
            page.actions.push(PlaybackAction::SelectClip(Some(facts.index)).into());
        }
    });
    page.folded("Channels", |page| {
        for channel in facts.channels.iter().take(MOST) {
            if let Some(node) = channel.node {
                page.link(channel.path, Item::Node(node));
            } else {
                page.text(channel.path, channel.property.as_deref().unwrap_or_default());
            }
        }
        if facts.channels.len() > MOST {
            page.ui.weak(format!("and {} more", facts.channels.len() - MOST));
        }
    });
}

/// Shows the motion of the root over the clip.
pub(super) fn root(page: &mut Page<'_>, motion: &RootMotion) {
    page.section("Root motion", |page| {
        page.link("Root", Item::Node(motion.node));
        page.numbers("Way over the ground", &[motion.distance as f32], "m");
        page.numbers("End from start", &[motion.drift() as f32], "m");
        page.numbers("Mean speed", &[motion.speed() as f32], "m/s");
    });
}

/// Returns the same as JSON.
pub(super) fn root_json(motion: &RootMotion) -> Value {
    json!({
        "root": motion.node,
        "distance": motion.distance,
        "drift": motion.drift(),
        "speed": motion.speed(),
    })
}

fn counts(
    facts: &ClipChannels,
    key: impl Fn(&ChannelInfo) -> &'static str,
) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    facts.channels.iter().for_each(|channel| *counts.entry(key(channel)).or_insert(0) += 1);
    counts
}
