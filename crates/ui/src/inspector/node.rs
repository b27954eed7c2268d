//! A node: its place in the hierarchy, its transform, and the channels that drive it.

use super::page::Page;
use rigview_report::{DrivingChannel, NodeFacts, PosedNode};
use rigview_session::{Item, PlaybackAction};

pub(super) fn show(page: &mut Page<'_>, facts: &NodeFacts, posed: &PosedNode, can_pose: bool) {
    page.section("Node", |page| {
        page.count("Index", facts.index);
        let links = [
            ("Parent", facts.parent.map(Item::Node)),
            ("Mesh", facts.mesh.map(Item::Mesh)),
            ("Skin", facts.skin.map(Item::Skin)),
            ("Camera", facts.camera.map(Item::Camera)),
            ("Light", facts.light.map(Item::Light)),
        ];
        for (label, item) in links {
            item.into_iter().for_each(|item| page.link(label, item));
        }
        if facts.instances > 0 {
            page.count("Instances", facts.instances);
        }
        page.links("Children", facts.children.iter().map(|node| Item::Node(*node)));
    });
    let pose = &posed.pose;
    // The numbers of a node that can be posed are in its fields.
    if !can_pose {
        page.section("Local", |page| {
            page.numbers("Translation", &pose.translation.unwrap_or_default(), "");
            page.numbers("Rotation", &pose.rotation.unwrap_or_default(), "");
            page.numbers(&format!("Euler {}", posed.euler.order), &posed.euler.degrees, "°");
            page.numbers("Scale", &pose.scale.unwrap_or_default(), "");
        });
    }
    page.section("World", |page| page.matrix("Matrix", &pose.world));
}

/// Shows the channels that drive the node. The keys before and after the present time go there.
pub(super) fn channels(page: &mut Page<'_>, channels: &[DrivingChannel]) {
    if channels.is_empty() {
        page.ui.weak("No channel of this clip drives it.");
    }
    for channel in channels {
        let path = channel.path;
        page.text(path, &format!("{}, {} keys", channel.interpolation, channel.keys));
        page.row("keys", |page, _| {
            for (verb, at) in [("previous", channel.previous), ("next", channel.next)] {
                let Some(secs) = at else { continue };
                let text = match verb {
                    "next" => format!("{secs:.3} s ›"),
                    _ => format!("‹ {secs:.3} s"),
                };
                let button = page.ui.small_button(text);
                let button = button.accessible_name(format!("Key {verb} of {path}"));
                if button.on_hover_text(format!("Go to the {verb} key")).clicked() {
                    page.actions.push(PlaybackAction::Seek(f64::from(secs)).into());
                }
            }
        });
    }
}
