//! The vertices whose weights are not as they should be; a click selects one.

use super::page::Page;
use crate::report::WeightFault;
use crate::session::{PickedVertex, SelectionAction};

/// Maximum number of vertices that are listed.
const MOST: usize = 100;

/// Shows the list, if there are any.
pub(super) fn show(page: &mut Page<'_>, faults: &[WeightFault]) {
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
                let picked = PickedVertex { node, primitive, vertex };
                page.actions.push(SelectionAction::Pick(picked).into());
            }
        }
        if faults.len() > MOST {
            page.ui.weak(format!("and {} more", faults.len() - MOST));
        }
    });
}
