//! A mesh: its primitives, how many joints move its vertices, and its morph targets.

use egui::{Rect, Sense, Vec2};

use super::page::Page;
use crate::text::counted;
use crate::theme;
use rigview_model::Stage;
use rigview_report::{MeshFacts, PrimitiveFacts};
use rigview_session::Item;

pub(super) fn show(page: &mut Page<'_>, facts: &MeshFacts, stage: &Stage) {
    page.section("Mesh", |page| {
        page.count("Index", facts.index);
        page.links("Nodes", facts.nodes.iter().map(|node| Item::Node(*node)));
    });
    for (i, primitive) in facts.primitives.iter().enumerate() {
        page.section(&format!("Primitive {i}"), |page| show_primitive(page, primitive));
    }
    if facts.morph_targets.is_empty() {
        return;
    }
    page.section("Morph targets", |page| {
        // The weights are those of the first node that draws the mesh.
        let node = facts.nodes.first();
        let weights = node.map_or(&[][..], |node| stage.local.weights(*node));
        for (i, target) in facts.morph_targets.iter().enumerate() {
            let name =
                if target.name.is_empty() { format!("target {i}") } else { target.name.clone() };
            page.numbers(&name, &[weights.get(i).copied().unwrap_or(target.default_weight)], "");
        }
    });
}

fn show_primitive(page: &mut Page<'_>, facts: &PrimitiveFacts) {
    page.text("Mode", facts.mode);
    page.count("Vertices", facts.vertices as usize);
    page.count("Triangles", facts.triangles);
    match facts.material {
        Some(material) => page.link("Material", Item::Material(material)),
        None => page.text("Material", "default"),
    }
    page.text("Attributes", &facts.attributes.join(", "));
    if facts.influences.is_empty() {
        return;
    }
    page.count("Draws", facts.draws);
    let most = facts.influences.iter().copied().max().unwrap_or(1).max(1);
    for (joints, count) in facts.influences.iter().enumerate().filter(|(_, count)| **count > 0) {
        page.row(&counted(joints, "joint"), |page, name| {
            let share = *count as f32 / most as f32;
            let (rect, _) = page.ui.allocate_exact_size(Vec2::new(52.0, 8.0), Sense::hover());
            let bar = Rect::from_min_size(rect.min, Vec2::new((52.0 * share).max(1.0), 8.0));
            page.ui.painter().rect_filled(bar, 2.0, theme::colors(page.ui).range);
            page.copied(name, &counted(*count, "vertex"), &count.to_string());
        });
    }
}
