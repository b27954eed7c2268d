//! Normals and tangents as lines from the posed vertices: of the selected mesh, or of all meshes. The vertex
//! shader reads the vertices from the primitives' lists; adapters whose vertex shaders cannot, draw none.

use std::collections::HashMap;
use std::sync::Arc;

use super::outline::OutlinedDraw;
use super::pass::{Drawing, FramePass, Setup};
use crate::device::pipeline::{Pipeline, Shader, flag};
use crate::scene::bind_layouts::{BindLayouts, INSTANCE_ATTRIBUTES, INSTANCE_BYTES};
use crate::scene::canvas::{depth_test, scene_format};
use crate::scene::frame_recorder::SplitPass;
use crate::scene::plan::{Batch, Plan};
use crate::{Gpu, shader};

/// Length of a vector, as a fraction of the diagonal of the posed box: the framed one grows with the way of a clip.
const LENGTH: f32 = 0.02;

/// Identifies a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct VectorKey {
    format: wgpu::TextureFormat,
    samples: u32,
    /// Sets of four joint IDs per vertex.
    sets: usize,
    /// Whether it draws tangents instead of normals.
    tangents: bool,
}

/// The vectors of a frame.
#[derive(Default)]
pub struct Vectors {
    shown: Vec<ShownVectors>,
    /// `None` if none are shown.
    vertices: Option<VertexGroups>,
    shader: Option<Shader>,
    built: HashMap<VectorKey, wgpu::RenderPipeline>,
}

/// The normals or the tangents of a draw.
struct ShownVectors {
    draw: OutlinedDraw,
    key: VectorKey,
}

/// Group 2 by draw of a plan; `None` where the adapter cannot bind the vertices.
struct VertexGroups {
    plan: Arc<Plan>,
    groups: Vec<Option<wgpu::BindGroup>>,
}

impl FramePass for Vectors {
    /// The draws of the selected node; empty if all meshes have vectors.
    type Needs<'a> = &'a [OutlinedDraw];

    fn prepare(&mut self, setup: &mut Setup<'_, '_>, selected: &[OutlinedDraw]) {
        let Setup { shared, camera, .. } = setup;
        let (frame, scene) = (&shared.frame, shared.scene);
        let (look, layouts) = (frame.look, shared.layouts);
        self.shown.clear();
        let vectors = look.aids.vectors;
        if vectors.is_empty() || !look.takes_ghosts() || layouts.lines.is_none() {
            self.vertices = None;
            return;
        }
        camera.vector_length = LENGTH * shared.bounds.size().length();
        self.vertices.take_if(|vertices| !scene.has_plan(&vertices.plan));
        self.vertices.get_or_insert_with(|| VertexGroups {
            plan: Arc::clone(&scene.plan),
            groups: scene.bind_vertices(shared.gpu, layouts, frame.gpu_model, None, |_| true),
        });
        let all = (0..scene.plan.draws.len()).map(|draw| OutlinedDraw { draw, instances: None });
        let draws = if selected.is_empty() { all.collect() } else { selected.to_vec() };
        let (format, samples) = (scene_format(look.pass), shared.canvas.samples);
        for draw in draws {
            let sets = scene.plan.draws[draw.draw].sets;
            for (tangents, shown) in [(false, vectors.normals), (true, vectors.tangents)] {
                if shown {
                    let key = VectorKey { format, samples, sets, tangents };
                    self.shown.push(ShownVectors { draw: draw.clone(), key });
                }
            }
        }
    }

    fn free(&mut self) {
        self.vertices = None;
    }

    fn build(&mut self, gpu: &Gpu, layouts: &BindLayouts) {
        let Self { shown, shader, built, .. } = self;
        let Some(lines) = layouts.lines.as_ref().filter(|_| !shown.is_empty()) else { return };
        let shader = shader.get_or_insert_with(|| {
            let groups = [Some(&layouts.frame), None, Some(lines)];
            Shader::new(gpu, "vectors", shader::vectors(layouts.bound_joints), &groups)
        });
        for ShownVectors { key, .. } in shown {
            built.entry(*key).or_insert_with(|| build(gpu, shader, *key));
        }
    }

    fn draw_in_scene<'a>(&'a self, pass: &mut SplitPass<'a, '_, '_>, drawing: &Drawing<'a>) {
        let Some(VertexGroups { groups, .. }) = &self.vertices else { return };
        let (scene, gpu_model) = (drawing.shared.scene, drawing.shared.frame.gpu_model);
        for ShownVectors { draw: OutlinedDraw { draw, instances }, key } in &self.shown {
            if let Some((pipeline, group)) = self.built.get(key).zip(groups[*draw].as_ref()) {
                pass.set_pipeline(pipeline);
                let batch = Batch { draw: *draw, stages: 0..1, instances: instances.clone() };
                scene.draw_at_vertices(pass, gpu_model, &batch, group);
            }
        }
    }
}

fn build(gpu: &Gpu, shader: &Shader, key: VectorKey) -> wgpu::RenderPipeline {
    let instances = wgpu::VertexBufferLayout {
        array_stride: INSTANCE_BYTES,
        step_mode: wgpu::VertexStepMode::Instance,
        attributes: &INSTANCE_ATTRIBUTES,
    };
    let constants = [("shows_tangents", flag(key.tangents)), ("sets", key.sets as f64)];
    let (entry, buffers, constants) = match key.sets {
        0 => ("vs_vector_rigid", &[None, Some(instances)][..], &constants[..1]),
        _ => ("vs_vector_skinned", &[][..], &constants[..]),
    };
    Pipeline {
        constants: [constants, &[]],
        buffers,
        depth: Some(depth_test(wgpu::CompareFunction::Greater, true)),
        samples: key.samples,
        ..Pipeline::new(shader, entry, [entry, "fs_vector"], key.format)
    }
    .build(gpu)
}
