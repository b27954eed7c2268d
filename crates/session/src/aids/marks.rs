//! Marks over vertices without weights and over those whose weights do not sum to 1.

use crate::{LoadId, Playback};
use rigview_look::Stroke;
use rigview_model::DrawnPrimitive;
use rigview_report::{WeightFault, weight_faults};

/// sRGB of vertices without weights, and of those with another sum than 1.
const UNBOUND: [u8; 4] = [0xff, 0x2f, 0xd0, 255];
const OFF: [u8; 4] = [0xff, 0xd0, 0x2f, 255];

/// Most vertices that are marked.
const MOST: usize = 2000;

/// The faults of the shown scene, while they are marked.
#[derive(Debug, Default)]
pub(crate) struct WeightMarks {
    of: Option<(LoadId, usize)>,
    faults: Vec<WeightFault>,
}

impl WeightMarks {
    /// The faults; none while they are not marked.
    pub fn faults(&self) -> &[WeightFault] {
        &self.faults
    }

    /// Finds the faults if they are to be marked.
    pub fn show(&mut self, playback: &Playback, wanted: bool) {
        let shown = playback.document().zip(playback.stage()).filter(|_| wanted);
        let of = shown.map(|(document, stage)| (document.load, stage.scene));
        if of != self.of {
            self.of = of;
            let find = |(document, stage): (&crate::Document, &rigview_model::Stage)| {
                weight_faults(&document.model, &stage.nodes)
            };
            self.faults = shown.map_or_else(Vec::new, find);
        }
    }

    /// Adds a point per fault of a visible node at the vertex's posed position.
    pub fn add(&self, playback: &Playback, strokes: &mut Vec<Stroke>) {
        let Some(document) = playback.document() else { return };
        let model = &document.model;
        let point = |fault: &WeightFault| {
            let drawn = fault.drawn();
            let primitive =
                &model.meshes[model.nodes[drawn.node].mesh?].primitives[drawn.primitive];
            let color = if fault.is_unbound() { UNBOUND } else { OFF };
            Some((drawn, primitive.vertex_of_file(fault.vertex)?, color))
        };
        add_marks(playback, self.faults.iter().take(MOST).filter_map(point), strokes);
    }
}

/// Adds points over vertices of visible nodes, given by index into the primitive's list, in their posed positions.
/// Vertices are to be ordered by primitive.
pub(crate) fn add_marks(
    playback: &Playback,
    vertices: impl Iterator<Item = (DrawnPrimitive, u32, [u8; 4])>,
    strokes: &mut Vec<Stroke>,
) {
    let Some((document, stage)) = playback.document().zip(playback.stage()) else { return };
    let mut vertices: Vec<_> = vertices.filter(|(drawn, ..)| stage.visible[drawn.node]).collect();
    // Each primitive is posed once.
    for own in vertices.chunk_by_mut(|(a, ..), (b, ..)| a == b) {
        own.sort_unstable_by_key(|(_, vertex, _)| *vertex);
        let indices: Vec<u32> = own.iter().map(|(_, vertex, _)| *vertex).collect();
        let posed = stage.deformed_at(&document.model, own[0].0, &indices).unwrap_or_default();
        for (at, (.., color)) in posed.into_iter().zip(own) {
            strokes.push(Stroke::point(at.as_dvec3() + stage.origin, *color, 0.8));
        }
    }
}
