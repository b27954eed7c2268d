//! A picked vertex: its positions, its weights, and what each joint adds to where it is.

use super::page::Page;
use crate::report::VertexFacts;
use crate::session::Item;

pub(super) fn show(page: &mut Page<'_>, facts: &VertexFacts) {
    page.count("Index", facts.index as usize);
    page.count("Primitive", facts.primitive);
    page.numbers("In the mesh", &facts.mesh_position, "");
    page.numbers("At rest", &facts.rest, "");
    page.numbers("Posed", &facts.posed, "");
    for morph in &facts.morph_deltas {
        let name = match morph.name.is_empty() {
            true => format!("target {}", morph.target),
            false => morph.name.clone(),
        };
        page.numbers(&format!("Morph {name}"), &morph.delta, "");
        page.numbers(&format!("Weight of {name}"), &[morph.weight], "");
    }
    if facts.joints.is_empty() {
        return;
    }
    page.numbers("Weight sum", &[facts.weight_sum], "");
    for (i, joint) in facts.joints.iter().enumerate() {
        page.link(&format!("Joint {i}"), Item::Node(joint.node));
        page.numbers(&format!("Weight {i}"), &[joint.weight], "");
        page.numbers(&format!("Adds {i}"), &joint.contribution.map(|x| x as f32), "");
    }
}
