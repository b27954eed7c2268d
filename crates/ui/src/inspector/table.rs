//! All vertices of the selected node with their joints and weights, as a table that can be sorted. Only rows in sight
//! are made.

use egui::{Button, RichText, ScrollArea};

use super::page::Page;
use crate::choice::{Entry, labelled_choice_ui};
use crate::text::{counted, one_line};
use rigview_model::FileVertex;
use rigview_report::{VertexRow, vertex_rows, vertex_weights};
use rigview_session::{Document, LoadId, SelectionAction};

/// The height of a row and of the table in points.
const ROW: f32 = 20.0;
const HEIGHT: f32 = 12.0 * ROW;

/// Joints that a row names.
const NAMED: usize = 4;

/// What the rows are sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Order {
    #[default]
    Index,
    MostJoints,
    Sum,
    LargestWeight,
}

impl Order {
    const ALL: [(Self, &str); 4] = [
        (Self::Index, "Index in the file"),
        (Self::MostJoints, "Most joints first"),
        (Self::Sum, "Sum farthest from 1 first"),
        (Self::LargestWeight, "Smallest main weight first"),
    ];

    fn sort(self, rows: &mut [VertexRow]) {
        rows.sort_by_key(|row| (row.primitive, row.vertex));
        match self {
            Self::Index => {}
            Self::MostJoints => rows.sort_by_key(|row| std::cmp::Reverse(row.joints)),
            Self::Sum => {
                rows.sort_by(|a, b| (b.sum - 1.0).abs().total_cmp(&(a.sum - 1.0).abs()));
            }
            Self::LargestWeight => rows.sort_by(|a, b| a.largest.total_cmp(&b.largest)),
        }
    }
}

/// The table's state between frames.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// The load and the node that the rows are of.
    of: Option<(LoadId, usize)>,
    order: Order,
    rows: Vec<VertexRow>,
}

impl Table {
    /// Shows the table of a node, folded at first.
    pub fn show(&mut self, page: &mut Page<'_>, document: &Document, node: usize) {
        let model = &document.model;
        let skinned = model.nodes[node].skin.and(model.nodes[node].mesh);
        let Some(mesh) = skinned else { return };
        let vertices = |p: &rigview_model::Primitive| p.source_vertices as usize;
        let count = model.meshes[mesh].primitives.iter().map(vertices).sum();
        page.folded(&format!("Table of {}", counted(count, "vertex")), |page| {
            self.table_ui(page, document, node);
        });
    }

    fn table_ui(&mut self, page: &mut Page<'_>, document: &Document, node: usize) {
        let model = &*document.model;
        let of = Some((document.load, node));
        if self.of != of {
            (self.of, self.rows) = (of, vertex_rows(model, node));
            self.order.sort(&mut self.rows);
        }
        let entries = Order::ALL.map(|(order, text)| Entry::new(order, text)).into();
        if let Some(order) = labelled_choice_ui(page.ui, "Sorted by", "", &self.order, entries) {
            self.order = order;
            order.sort(&mut self.rows);
        }
        let several = model.nodes[node].mesh.is_some_and(|m| model.meshes[m].primitives.len() > 1);
        let area = ScrollArea::vertical().id_salt("vertices").max_height(HEIGHT);
        let rows = &self.rows;
        let mut picked = None;
        area.show_rows(page.ui, ROW, rows.len(), |ui, shown| {
            for row in &rows[shown] {
                let weights = vertex_weights(model, node, row);
                let joint = |(joint, weight): &(usize, f32)| {
                    format!("{} {weight:.3}", one_line(&document.short_name(*joint)))
                };
                let named: Vec<String> = weights.iter().take(NAMED).map(joint).collect();
                let more = weights.len().saturating_sub(NAMED);
                let more = if more > 0 { format!(" +{more}") } else { String::new() };
                let VertexRow { primitive, vertex, sum, .. } = *row;
                let place =
                    if several { format!("{primitive}/{vertex}") } else { vertex.to_string() };
                let text = if weights.is_empty() {
                    format!("{place}: no weights")
                } else {
                    format!("{place}: {}{more}", named.join(", "))
                };
                let size = egui::vec2(ui.available_width(), ROW - 2.0);
                let shown = RichText::new(&text).size(12.0);
                let button = ui.add(Button::selectable(false, shown).truncate().min_size(size));
                let button = button.accessible_name(format!("Vertex {text}"));
                if button.on_hover_text(format!("{text}\nSum {sum:.4}")).clicked() {
                    picked = Some(FileVertex::new(node, primitive, vertex));
                }
            }
        });
        page.actions.extend(picked.map(|vertex| SelectionAction::Pick(vertex).into()));
    }
}
