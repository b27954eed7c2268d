//! Cameras, lights and skins of the file.

use super::page::Page;
use rigview_report::{CameraFacts, LightFacts, SkinFacts};
use rigview_session::{CameraAction, FileCamera, Item};

pub(super) fn show_camera(page: &mut Page<'_>, facts: &CameraFacts) {
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
            page.actions
                .push(CameraAction::SelectCamera(Some(FileCamera::First(facts.index))).into());
        }
    });
}

pub(super) fn show_light(page: &mut Page<'_>, facts: &LightFacts) {
    page.section("Light of the file", |page| {
        page.count("Index", facts.index);
        page.text("Type", facts.kind);
        page.color("Color", &facts.color);
        page.numbers("Intensity", &[facts.intensity], facts.unit);
        match facts.range {
            Some(range) => page.numbers("Range", &[range], "m"),
            None => page.text("Range", "unlimited"),
        }
        facts.cone_degrees.iter().for_each(|cone| page.numbers("Cone", cone, "°"));
        page.links("Nodes", facts.nodes.iter().map(|node| Item::Node(*node)));
    });
}

pub(super) fn show_skin(page: &mut Page<'_>, facts: &SkinFacts) {
    page.section("Skin", |page| {
        page.count("Index", facts.index);
        page.count("Number of joints", facts.joints.len());
        page.text("Bind matrices", if facts.bound { "in the file" } else { "none" });
        page.links("Nodes", facts.nodes.iter().map(|node| Item::Node(*node)));
    });
    page.section("Joints", |page| {
        page.links("Joint", facts.joints.iter().map(|joint| Item::Node(*joint)));
    });
}
