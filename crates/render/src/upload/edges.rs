//! The edges of triangles as lines, for the wireframe.

use std::ops::Range;

use wgpu::util::DeviceExt;

use crate::Gpu;
use crate::scene::plan::Plan;
use rigview_model::{Model, Topology};

/// The edges of all triangles of a plan.
pub struct Edges {
    /// Two indices per line.
    pub buffer: wgpu::Buffer,
    /// Index range by part of the plan; empty for points and lines.
    pub parts: Vec<Range<u32>>,
    /// Group 2 of the edges as rectangles, by draw; `None` where the adapter draws lines itself.
    pub groups: Vec<Option<wgpu::BindGroup>>,
}

impl Edges {
    /// Uploads the edges. An edge that triangles of a part share is drawn once. `groups` is left empty.
    pub fn new(gpu: &Gpu, model: &Model, plan: &Plan) -> Self {
        let mut indices: Vec<u32> = Vec::new();
        let mut parts = vec![0..0; plan.parts.len()];
        for draw in plan.draws.iter().filter(|d| d.topology == Topology::Triangles) {
            let all = &model.meshes[draw.mesh].primitives[draw.primitive].indices;
            for part in draw.parts.clone() {
                let range = plan.parts[part].indices.clone();
                let start = indices.len() as u32;
                put_edges(&all[range.start as usize..range.end as usize], &mut indices);
                parts[part] = start..indices.len() as u32;
            }
        }
        // A buffer must not be empty.
        indices.resize(indices.len().max(2), 0);
        let buffer = gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("wireframe edges"),
            contents: bytemuck::cast_slice(&indices),
            usage: wgpu::BufferUsages::INDEX | wgpu::BufferUsages::STORAGE,
        });
        Self { buffer, parts, groups: Vec::new() }
    }
}

fn put_edges(triangles: &[u32], out: &mut Vec<u32>) {
    let sides = |t: &[u32]| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])];
    let mut edges: Vec<(u32, u32)> = triangles
        .chunks_exact(3)
        .flat_map(sides)
        .map(|(a, b)| (a.min(b), a.max(b)))
        .filter(|(a, b)| a != b)
        .collect();
    edges.sort_unstable();
    edges.dedup();
    out.extend(edges.into_iter().flat_map(|(a, b)| [a, b]));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_triangles_of_a_square_have_five_edges() {
        let mut edges = Vec::new();
        put_edges(&[0, 1, 2, 0, 2, 3, 4, 4, 4], &mut edges);
        assert_eq!(edges, [0, 1, 0, 2, 0, 3, 1, 2, 2, 3]);
    }
}
