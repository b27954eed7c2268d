//! Influences whose weights have the sums of the file, for the pass that shows these.

use wgpu::util::DeviceExt;

use crate::Gpu;
use crate::scene::plan::Plan;
use rigview_model::{Influence, Model, Primitive};

/// The least sum. A vertex is found by dividing by its sum, and all sums up to 0.9 have the same colour.
const LEAST: f32 = 0.5;

/// The influences of all draws of a plan whose sums are not 1 in the file.
pub struct FileWeights(Vec<Option<wgpu::Buffer>>);

impl FileWeights {
    /// Uploads the influences.
    pub fn new(gpu: &Gpu, model: &Model, plan: &Plan) -> Self {
        let upload = |influences: Vec<Influence>| {
            gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: Some("influences with the sums of the file"),
                contents: bytemuck::cast_slice(&influences),
                usage: wgpu::BufferUsages::VERTEX,
            })
        };
        let of_draw = plan.draws.iter().map(|draw| {
            with_sums_of_file(&model.meshes[draw.mesh].primitives[draw.primitive]).map(upload)
        });
        Self(of_draw.collect())
    }

    /// Returns the influences of a draw; `None` if their sums are 1.
    pub fn of_draw(&self, draw: usize) -> Option<wgpu::BufferSlice<'_>> {
        self.0[draw].as_ref().map(|buffer| buffer.slice(..))
    }
}

fn with_sums_of_file(primitive: &Primitive) -> Option<Vec<Influence>> {
    let influences = primitive.influences.as_ref().filter(|_| !primitive.weight_sums.is_empty())?;
    let vertices = (0u32..).zip(influences.list.chunks_exact(influences.sets));
    let scaled = vertices.flat_map(|(vertex, list)| {
        let sum = primitive.weight_sums.get(primitive.index_in_file(vertex) as usize);
        let sum = sum.map_or(1.0, |sum| sum.max(LEAST));
        list.iter().map(move |i| Influence { weights: i.weights.map(|weight| sum * weight), ..*i })
    });
    Some(scaled.collect())
}
