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
use super::{Gpu, lines, texture};
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
    /// What lines bind instead as rectangles, one a draw; none where they are the adapter's own.
    lines: Vec<Option<wgpu::BindGroup>>,
    /// The deltas of draws without morph targets.
    no_deltas: wgpu::TextureView,
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
                entries: &draw_entries(layouts, &buffer.buffer, deltas),
            })
        };
        let no_deltas = texture::upload_floats(gpu, &[[0.0; 4]], 1, 1);
        let without = bind(&no_deltas);
        let draws = plan
            .draws
            .iter()
            .map(|draw| match gpu_model.primitive(draw).and_then(|p| p.deltas.as_ref()) {
                Some(deltas) => bind(&deltas.view),
                None => without.clone(),
            })
            .collect();
        let mut prepared = Self {
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
            lines: Vec::new(),
            no_deltas,
            edges: None,
            drawn: Drawn::default(),
        };
        prepared.lines = prepared.bind_lines(gpu, layouts, gpu_model, Topology::Lines, None);
        prepared
    }

    /// Binds the lines of draws of one topology: those of indices of their own, or of others.
    fn bind_lines(
        &self,
        gpu: &Gpu,
        layouts: &Layouts,
        gpu_model: &GpuModel,
        topology: Topology,
        indices: Option<&wgpu::Buffer>,
    ) -> Vec<Option<wgpu::BindGroup>> {
        let bind = |draw: &Draw| {
            let layout = layouts.lines.as_ref().filter(|_| draw.topology == topology)?;
            let primitive = gpu_model.primitive(draw)?;
            let deltas = primitive.deltas.as_ref().map_or(&self.no_deltas, |d| &d.view);
            let drawn = draw_entries(layouts, &self.buffer.buffer, deltas);
            let own = || primitive.list(&primitive.indices);
            let indices = indices.map_or_else(own, wgpu::Buffer::as_entire_buffer_binding);
            lines::bind(gpu, layout, &drawn, primitive, indices)
        };
        self.plan.draws.iter().map(bind).collect()
    }

    /// Whether a draw's lines are drawn as rectangles.
    pub fn has_rectangles(&self, i: usize) -> bool {
        self.lines[i].is_some()
    }

    /// Whether its edges are, once prepared.
    pub fn has_edge_rectangles(&self, i: usize) -> bool {
        self.edges.as_ref().is_some_and(|edges| edges.groups[i].is_some())
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
        let of_part = |part: usize| self.plan.parts[part].indices.clone();
        self.draw_indices(pass, (i, stages), self.lines[i].as_ref(), of_part);
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
    pub fn prepare_edges(
        &mut self,
        gpu: &Gpu,
        layouts: &Layouts,
        model: &Model,
        gpu_model: &GpuModel,
    ) {
        if self.edges.is_none() {
            let mut edges = Edges::new(gpu, model, &self.plan);
            let indices = Some(&edges.buffer);
            edges.groups = self.bind_lines(gpu, layouts, gpu_model, Topology::Triangles, indices);
            self.edges = Some(edges);
        }
    }

    /// Draws the edges, once prepared, of a draw whose vertices and material are bound.
    pub fn draw_edges(&self, pass: &mut wgpu::RenderPass<'_>, (i, stages): (usize, Range<usize>)) {
        if let Some(edges) = &self.edges {
            pass.set_index_buffer(edges.buffer.slice(..), wgpu::IndexFormat::Uint32);
            let of_part = |part: usize| edges.parts[part].clone();
            self.draw_indices(pass, (i, stages), edges.groups[i].as_ref(), of_part);
        }
    }

    /// Draws what the bound indices say; pairs of them as rectangles, of six corners each, where there
    /// is a group for that.
    fn draw_indices(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        (i, stages): (usize, Range<usize>),
        rectangles: Option<&wgpu::BindGroup>,
        indices: impl Fn(usize) -> Range<u32>,
    ) {
        let draw = &self.plan.draws[i];
        for part in draw.parts.clone() {
            let palette = self.plan.parts[part].palette;
            self.buffer.calls((i, draw), palette, stages.clone(), |offsets, instances| {
                let indices = indices(part);
                pass.set_bind_group(2, rectangles.unwrap_or(&self.draws[i]), &offsets);
                match rectangles {
                    Some(_) => pass.draw(3 * indices.start..3 * indices.end, instances),
                    None => pass.draw_indexed(indices, 0, instances),
                }
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

/// What every draw binds.
fn draw_entries<'a>(
    layouts: &Layouts,
    frame: &'a wgpu::Buffer,
    deltas: &'a wgpu::TextureView,
) -> [wgpu::BindGroupEntry<'a>; 3] {
    let deltas = wgpu::BindingResource::TextureView(deltas);
    [
        uniform_entry(0, frame, layouts.bound_joints as u64 * JOINT_BYTES),
        uniform_entry(1, frame, MORPH_BYTES),
        wgpu::BindGroupEntry { binding: 2, resource: deltas },
    ]
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
