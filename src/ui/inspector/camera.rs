//! A camera of the file.

use super::page::Page;
use crate::report::CameraFacts;
use crate::session::{CameraAction, Item};

pub(super) fn show(page: &mut Page<'_>, facts: &CameraFacts) {
    page.section("Camera", |page| {
        page.count("Index", facts.index);
        page.text("Projection", facts.kind);
        facts.fov_y_degrees.iter().for_each(|fov| page.numbers("Field of view", &[*fov], "°"));
        facts.aspect.iter().for_each(|aspect| page.numbers("Aspect", &[*aspect], ""));
        facts.half_size.iter().for_each(|half| page.numbers("Half size", half, ""));
        page.numbers("Near", &[facts.near], "m");
        match facts.far {
            Some(far) => page.numbers("Far", &[far], "m"),
            None => page.text("Far", "infinite"),
        }
        page.links("Nodes", facts.nodes.iter().map(|node| Item::Node(*node)));
        if page.ui.small_button("Look through it").clicked() {
            page.actions.push(CameraAction::SelectCamera(Some(facts.index)).into());
        }
    });
}
