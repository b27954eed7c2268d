//! `pose --gpu --compare`: the largest difference between the vertices that the CPU and the GPU pose.

use std::io::{self, Write};

use serde::Serialize;

use rigview_import::escaped;
use rigview_model::{DrawnPrimitive, Model, Stage};
use rigview_render::PosedPrimitive;

/// The difference at one time.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Difference {
    /// Number of compared vertices.
    pub vertices: usize,
    /// Number of vertices of which only one of both positions is finite.
    pub not_finite: usize,
    /// The largest distance between both positions of a vertex, in metres.
    pub distance: f32,
    /// The vertex with the largest distance; `None` if all are equal.
    pub at: Option<VertexOfModel>,
}

/// A vertex of the model. Files whose vertices the import has split have other numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct VertexOfModel {
    pub node: usize,
    pub primitive: usize,
    pub vertex: usize,
}

impl Difference {
    /// Whether a vertex is further away than some metres, or finite on one side only.
    pub fn is_beyond(&self, metres: f32) -> bool {
        self.not_finite > 0 || self.distance > metres
    }
}

/// Compares all vertices of a posed stage with those that the GPU computed for it.
pub fn difference(model: &Model, stage: &Stage, posed: &[PosedPrimitive]) -> Difference {
    let mut difference = Difference::default();
    for PosedPrimitive { node, primitive, positions } in posed {
        let (node, primitive) = (*node, *primitive);
        let all: Vec<u32> = (0..positions.len() as u32).collect();
        let drawn = DrawnPrimitive { node, primitive };
        let Some(own) = stage.deformed_at(model, drawn, &all) else { continue };
        for (vertex, (a, b)) in own.iter().zip(positions).enumerate() {
            difference.vertices += 1;
            let b = glam::Vec3::from(*b);
            let distance = a.distance(b);
            if !distance.is_finite() {
                difference.not_finite += usize::from(a.is_finite() != b.is_finite());
            } else if distance > difference.distance {
                difference.distance = distance;
                difference.at = Some(VertexOfModel { node, primitive, vertex });
            }
        }
    }
    difference
}

/// Writes the difference as text.
pub fn write_text(out: &mut dyn Write, model: &Model, difference: &Difference) -> io::Result<()> {
    let Difference { vertices, not_finite, distance, at } = difference;
    write!(out, "  largest difference of {vertices} vertices: {distance:e} m")?;
    if let Some(VertexOfModel { node, primitive, vertex }) = at {
        let name = escaped(model.nodes[*node].name.as_deref().unwrap_or_default());
        write!(out, " at node {node} \"{name}\", primitive {primitive}, vertex {vertex}")?;
    }
    writeln!(out)?;
    if *not_finite > 0 {
        writeln!(out, "  not finite on one side only: {not_finite} vertices")?;
    }
    Ok(())
}
