//! A light of the file.

use super::page::Page;
use crate::report::LightFacts;
use crate::session::Item;

pub(super) fn show(page: &mut Page<'_>, facts: &LightFacts) {
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
