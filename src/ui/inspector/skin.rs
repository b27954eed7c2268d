//! A skin and its joints.

use super::page::Page;
use crate::report::SkinFacts;
use crate::session::Item;

pub(super) fn show(page: &mut Page<'_>, facts: &SkinFacts) {
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
