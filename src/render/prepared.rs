//! What a scene of an uploaded model needs to be drawn again and again: its plan, the buffer of its
//! frames, and all bind groups.

use std::ops::Range;
use std::sync::Arc;

use super::bindings::{Eye, FrameTextures};
use super::edges::Edges;
use super::features::Features;
use super::frame::FrameBuffer;
use super::gpu_model::{GpuModel, GpuPrimitive};
use super::layout::{JOINT_BYTES, Layouts, MORPH_BYTES};
use super::material::Faces;
use super::plan::{Choice, Draw, Phase, Plan, Scene};
use super::{Gpu, texture};
use crate::model::{Model, Topology};

/// What a scene of an uploaded model needs, made once.
pub struct Prepared {
    model: Arc<()>,
    scene: usize,
    stages: usize,
    choice: Choice,
    pub plan: Plan,
    pub buffer: FrameBuffer,
    pub frame: wgpu::BindGroup,
    /// The same for the key light's view.
    pub light: wgpu::BindGroup,
    /// One a material, and the features of the layout that they are of.
    pub materials: Option<(Features, Vec<wgpu::BindGroup>)>,
    /// One a draw.
    pub draws: Vec<wgpu::BindGroup>,
    /// Made for the first wireframe.
    edges: Option<Edges>,
    /// Of the picture that is being drawn.
    pub drawn: Drawn,
}

/// How much a picture is of: calls that draw parts of the model, and the triangles of all of them. The
/// shadow map's, which are nearly the same again, don't count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// Calls.
    pub draws: u64,
    /// Triangles.
    pub triangles: u64,
}

impl Prepared {
    /// The plan of a scene, with room for its frames. The materials are bound later, when it is known
    /// which pass is drawn.
    pub fn new(
        gpu: &Gpu,
        layouts: &Layouts,
        textures: &FrameTextures,
        scene: &Scene<'_>,
        choice: Choice,
    ) -> Self {
        let gpu_model = scene.gpu_model;
        let plan = Plan::new(scene, choice);
        let buffer = FrameBuffer::new(gpu, &plan, scene.count(), layouts.bound_joints);
        let frame = textures.bind(gpu, layouts, &buffer, Eye::Camera);
        let light = textures.bind(gpu, layouts, &buffer, Eye::Light);
        let bind = |deltas: &wgpu::TextureView| {
            gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("draw"),
                layout: &layouts.draw,
                entries: &[
                    uniform_entry(0, &buffer.buffer, layouts.bound_joints as u64 * JOINT_BYTES),
                    uniform_entry(1, &buffer.buffer, MORPH_BYTES),
                    wgpu::BindGroupEntry {
                        binding: 2,
                        resource: wgpu::BindingResource::TextureView(deltas),
                    },
                ],
            })
        };
        let without = bind(&texture::upload_floats(gpu, &[[0.0; 4]], 1, 1));
        let draws = plan
            .draws
            .iter()
            .map(|draw| match gpu_model.primitive(draw).and_then(|p| p.deltas.as_ref()) {
                Some(deltas) => bind(&deltas.view),
                None => without.clone(),
            })
            .collect();
        Self {
            model: Arc::clone(&gpu_model.identity),
            scene: scene.stage.scene,
            stages: scene.count(),
            choice,
            plan,
            buffer,
            frame,
            light,
            materials: None,
            draws,
            edges: None,
            drawn: Drawn::default(),
        }
    }

    /// Binds a draw's vertices and what carries them.
    pub fn bind_vertices(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        primitive: &GpuPrimitive,
        draw: &Draw,
    ) {
        pass.set_vertex_buffer(0, primitive.buffer.slice(primitive.vertices.clone()));
        if draw.sets > 0 {
            pass.set_vertex_buffer(1, primitive.buffer.slice(primitive.influences.clone()));
        } else {
            let start = self.buffer.offsets.instance(draw.instances.start);
            pass.set_vertex_buffer(1, self.buffer.buffer.slice(start..));
        }
    }

    /// Draws all parts of a draw of these stages; its vertices are bound.
    pub fn draw_parts(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        primitive: &GpuPrimitive,
        (i, stages): (usize, Range<usize>),
    ) {
        let indices = primitive.buffer.slice(primitive.indices.clone());
        pass.set_index_buffer(indices, wgpu::IndexFormat::Uint32);
        self.draw_indices(pass, (i, stages), |part| self.plan.parts[part].indices.clone());
    }

    /// Counts what the frame in the buffer draws of these.
    pub fn count(&mut self, is_drawn: impl Fn(&Draw) -> bool) {
        let mut drawn = Drawn::default();
        for (i, draw) in self.plan.draws.iter().enumerate().filter(|(_, draw)| is_drawn(draw)) {
            let triangles = draw.topology == Topology::Triangles;
            // What is seen through is drawn one by one, from back to front.
            let together = if draw.phase == Phase::Opaque { self.stages } else { 1 };
            for first in (0..self.stages).step_by(together) {
                for part in &self.plan.parts[draw.parts.clone()] {
                    let each = if triangles { part.indices.len() as u64 / 3 } else { 0 };
                    let stages = first..first + together;
                    self.buffer.calls((i, draw), part.palette, stages, |_, instances| {
                        drawn.draws += 1;
                        drawn.triangles += instances.len() as u64 * each;
                    });
                }
            }
        }
        self.drawn = drawn;
    }

    /// How many poses it draws.
    pub fn stages(&self) -> usize {
        self.stages
    }

    /// Has the edges of all triangles.
    pub fn prepare_edges(&mut self, gpu: &Gpu, model: &Model) {
        self.edges.get_or_insert_with(|| Edges::new(gpu, model, &self.plan));
    }

    /// Draws the edges, once prepared, of a draw whose vertices and material are bound.
    pub fn draw_edges(&self, pass: &mut wgpu::RenderPass<'_>, (i, stages): (usize, Range<usize>)) {
        if let Some(edges) = &self.edges {
            pass.set_index_buffer(edges.buffer.slice(..), wgpu::IndexFormat::Uint32);
            self.draw_indices(pass, (i, stages), |part| edges.parts[part].clone());
        }
    }

    fn draw_indices(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        (i, stages): (usize, Range<usize>),
        indices: impl Fn(usize) -> Range<u32>,
    ) {
        let draw = &self.plan.draws[i];
        for part in draw.parts.clone() {
            let palette = self.plan.parts[part].palette;
            self.buffer.calls((i, draw), palette, stages.clone(), |offsets, instances| {
                pass.set_bind_group(2, &self.draws[i], &offsets);
                pass.draw_indexed(indices(part), 0, instances);
            });
        }
    }

    /// Whether it is of this scene in as many poses, and of this choice.
    pub fn fits(&self, scene: &Scene<'_>, choice: Choice) -> bool {
        Arc::ptr_eq(&self.model, &scene.gpu_model.identity)
            && self.scene == scene.stage.scene
            && self.stages == scene.count()
            && self.choice == choice
    }

    /// Draws a draw of these stages as its material says. Of a double-sided blended one the backs of
    /// all parts come first.
    pub fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        gpu_model: &GpuModel,
        (i, stages): (usize, Range<usize>),
        blends: bool,
    ) {
        let draw = &self.plan.draws[i];
        let Some(primitive) = gpu_model.primitive(draw) else { return };
        let Some((_, materials)) = &self.materials else { return };
        self.bind_vertices(pass, primitive, draw);
        let both = [Faces::Backs, Faces::Fronts];
        let two_rounds = draw.blended && draw.double_sided && blends;
        let rounds = if two_rounds { &both[..] } else { &[Faces::Own] };
        let material = &materials[gpu_model.materials.index(draw.material)];
        for faces in rounds {
            let offset = gpu_model.materials.offset(draw.material, *faces);
            pass.set_bind_group(1, material, &[offset]);
            self.draw_parts(pass, primitive, (i, stages.clone()));
        }
    }
}

fn uniform_entry(binding: u32, buffer: &wgpu::Buffer, size: u64) -> wgpu::BindGroupEntry<'_> {
    wgpu::BindGroupEntry {
        binding,
        resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer,
            offset: 0,
            size: wgpu::BufferSize::new(size),
        }),
    }
}
