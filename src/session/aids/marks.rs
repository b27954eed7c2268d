//! Marks over vertices without weights and over those whose weights do not sum to 1.

use crate::look::Stroke;
use crate::report::{WeightFault, weight_faults};
use crate::session::{Exhibit, LoadId};

/// sRGB of vertices without weights, and of those with another sum than 1.
const UNBOUND: [u8; 4] = [0xff, 0x2f, 0xd0, 255];
const OFF: [u8; 4] = [0xff, 0xd0, 0x2f, 255];

/// Most vertices that are marked.
const MOST: usize = 2000;

/// The faults of the shown scene, while they are marked.
#[derive(Debug, Default)]
pub(super) struct WeightMarks {
    of: Option<(LoadId, usize)>,
    faults: Vec<WeightFault>,
}

impl WeightMarks {
    /// The faults; none while they are not marked.
    pub fn faults(&self) -> &[WeightFault] {
        &self.faults
    }

    /// Finds the faults if they are to be marked.
    pub fn show(&mut self, exhibit: &Exhibit, wanted: bool) {
        let shown = exhibit.document().zip(exhibit.stage()).filter(|_| wanted);
        let of = shown.map(|(document, stage)| (document.load, stage.scene));
        if of != self.of {
            self.of = of;
            let find = |(document, stage): (&crate::session::Document, &crate::model::Stage)| {
                weight_faults(&document.model, &stage.nodes)
            };
            self.faults = shown.map_or_else(Vec::new, find);
        }
    }

    /// Adds a point per fault of a visible node at the vertex's posed position.
    pub fn add(&self, exhibit: &Exhibit, strokes: &mut Vec<Stroke>) {
        let Some((document, stage)) = exhibit.document().zip(exhibit.stage()) else { return };
        let model = &document.model;
        let mut rest = &self.faults[..self.faults.len().min(MOST)];
        while let Some(first) = rest.first() {
            // Faults are ordered by primitive; each primitive is posed once.
            let drawn = first.drawn();
            let count = rest.iter().take_while(|fault| fault.drawn() == drawn).count();
            let (own, others) = rest.split_at(count);
            rest = others;
            if !stage.visible[drawn.node] {
                continue;
            }
            let Some(mesh) = model.nodes[drawn.node].mesh else { continue };
            let primitive = &model.meshes[mesh].primitives[drawn.primitive];
            let vertex = |fault: &WeightFault| {
                Some((primitive.vertex_of_file(fault.vertex)?, fault.is_unbound()))
            };
            let mut vertices: Vec<(u32, bool)> = own.iter().filter_map(vertex).collect();
            vertices.sort_unstable();
            let indices: Vec<u32> = vertices.iter().map(|(vertex, _)| *vertex).collect();
            let posed = stage.deformed_at(model, drawn, &indices).unwrap_or_default();
            for (at, (_, unbound)) in posed.into_iter().zip(vertices) {
                let color = if unbound { UNBOUND } else { OFF };
                strokes.push(Stroke::point(at.as_dvec3() + stage.origin, color, 0.8));
            }
        }
    }
}
