//! A picked vertex: its positions, its weights, and what each joint adds to where it is.

use super::page::Page;
use rigview_model::FileVertex;
use rigview_report::{VertexFacts, WeightFault};
use rigview_session::{Item, SelectionAction};

pub(super) fn show(page: &mut Page<'_>, facts: &VertexFacts) {
    page.count("Index", facts.index as usize);
    page.count("Primitive", facts.primitive);
    page.numbers("In the mesh", &facts.mesh_position, "");
    page.numbers("At rest", &facts.rest, "");
    page.numbers("Posed", &facts.posed, "");
    for morph in &facts.morph_deltas {
        let name = if morph.name.is_empty() {
            format!("target {}", morph.target)
        } else {
            morph.name.clone()
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

/// Maximum number of vertices with faulty weights that are listed.
const MOST: usize = 100;

/// Shows the vertices whose weights are not as they should be, if there are any; a click selects one.
pub(super) fn show_faults(page: &mut Page<'_>, faults: &[WeightFault]) {
    if faults.is_empty() {
        return;
    }
    let unbound = faults.iter().filter(|fault| fault.is_unbound()).count();
    page.folded(&format!("Faulty weights ({})", faults.len()), |page| {
        page.count("Without weights", unbound);
        page.count("Sum is not 1", faults.len() - unbound);
        for fault in faults.iter().take(MOST) {
            let WeightFault { node, primitive, vertex, sum } = *fault;
            let name = page.model.node_name(node).into_owned();
            let text = format!("{name}, vertex {vertex}: sum {sum:.4}");
            let button = page.ui.add(egui::Button::new(text.as_str()).frame(false).truncate());
            if button.on_hover_text("Select the vertex").clicked() {
                let vertex = FileVertex::new(node, primitive, vertex);
                page.actions.push(SelectionAction::Pick(vertex).into());
            }
        }
        if faults.len() > MOST {
            page.ui.weak(format!("and {} more", faults.len() - MOST));
        }
    });
}
