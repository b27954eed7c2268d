//! What a scene of an uploaded model needs to be drawn again and again: its plan, the buffer of its
//! frames, and all bind groups.

use std::sync::Arc;

use super::bindings::{Eye, FrameTextures};
use super::features::Features;
use super::frame::FrameBuffer;
use super::gpu_model::{GpuModel, GpuPrimitive};
use super::layout::{Layouts, MorphUniform, PALETTE_BYTES};
use super::material::Faces;
use super::plan::{Choice, Draw, Plan};
use super::{Gpu, texture};
use crate::model::{Model, Stage};

/// What a scene of an uploaded model needs, made once.
pub struct Prepared {
    model: Arc<()>,
    scene: usize,
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
}

impl Prepared {
    /// The plan of a stage's scene, with room for its frames. The materials are bound later, when it
    /// is known which pass is drawn.
    pub fn new(
        gpu: &Gpu,
        layouts: &Layouts,
        textures: &FrameTextures,
        (model, gpu_model, stage): (&Model, &GpuModel, &Stage),
        choice: Choice,
    ) -> Self {
        let plan = Plan::new(model, gpu_model, stage, choice);
        let buffer = FrameBuffer::new(gpu, &plan);
        let frame = textures.bind(gpu, layouts, &buffer, Eye::Camera);
        let light = textures.bind(gpu, layouts, &buffer, Eye::Light);
        let bind = |deltas: &wgpu::TextureView| {
            gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("draw"),
                layout: &layouts.draw,
                entries: &[
                    uniform_entry(0, &buffer.buffer, PALETTE_BYTES),
                    uniform_entry(1, &buffer.buffer, size_of::<MorphUniform>() as u64),
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
        let (model, scene) = (Arc::clone(&gpu_model.identity), stage.scene);
        Self { model, scene, choice, plan, buffer, frame, light, materials: None, draws }
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

    /// Draws all parts of a draw whose vertices are bound.
    pub fn draw_parts(&self, pass: &mut wgpu::RenderPass<'_>, primitive: &GpuPrimitive, i: usize) {
        let draw = &self.plan.draws[i];
        let indices = primitive.buffer.slice(primitive.indices.clone());
        pass.set_index_buffer(indices, wgpu::IndexFormat::Uint32);
        let offsets = &self.buffer.offsets;
        let shown = self.buffer.shown[i];
        for part in &self.plan.parts[draw.parts.clone()] {
            let at = [offsets.palette(part.palette), offsets.morph(draw.morph)];
            pass.set_bind_group(2, &self.draws[i], &at);
            pass.draw_indexed(part.indices.clone(), 0, 0..shown);
        }
    }

    /// Whether it is of this model, scene and choice.
    pub fn fits(&self, gpu_model: &GpuModel, stage: &Stage, choice: Choice) -> bool {
        Arc::ptr_eq(&self.model, &gpu_model.identity)
            && self.scene == stage.scene
            && self.choice == choice
    }

    /// Draws a draw as its material says. Of a double-sided blended one the backs of all parts come
    /// first.
    pub fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        gpu_model: &GpuModel,
        i: usize,
        shaded: bool,
    ) {
        let draw = &self.plan.draws[i];
        let Some(primitive) = gpu_model.primitive(draw) else { return };
        let Some((_, materials)) = &self.materials else { return };
        self.bind_vertices(pass, primitive, draw);
        let both = [Faces::Backs, Faces::Fronts];
        let two_rounds = draw.blended && draw.double_sided && shaded;
        let rounds = if two_rounds { &both[..] } else { &[Faces::Own] };
        let material = &materials[gpu_model.materials.index(draw.material)];
        for faces in rounds {
            let offset = gpu_model.materials.offset(draw.material, *faces);
            pass.set_bind_group(1, material, &[offset]);
            self.draw_parts(pass, primitive, i);
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
