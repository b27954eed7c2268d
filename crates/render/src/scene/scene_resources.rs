//! The GPU resources of one scene of an uploaded model, reused from frame to frame: the draw plan, the buffer of its
//! poses, and the bind groups of materials and draws.
//!
//! Lines are drawn as rectangles one pixel wide, because adapters rasterise lines differently and some drop
//! parts of them, and points are drawn as squares. The vertex shader reads both ends of a line, or a point, from the
//! primitive's lists, bound as storage buffers. Where the adapter cannot bind them, it draws the lines itself,
//! and points one pixel wide.

use std::ops::Range;
use std::sync::Arc;

use super::bind_layouts::{BindLayouts, draw_resources, material_layout};
use super::features::Features;
use super::frame_data::FrameData;
use super::frame_recorder::{DrawCall, SplitPass};
use super::plan::{Batch, Choice, Draw, Phase, Plan, Scene};
use crate::Gpu;
use crate::device::debug_label::debug_label;
use crate::upload::edges::Edges;
use crate::upload::file_weights::FileWeights;
use crate::upload::gpu_model::{GpuModel, GpuPrimitive};
use crate::upload::material::Faces;
use crate::upload::texture;
use rigview_look::Pass;
use rigview_model::{Model, Topology};

/// The resources of a scene, created once.
pub struct SceneResources {
    model: Arc<()>,
    scene: usize,
    /// Poses that are drawn in full.
    stages: usize,
    ghosts: usize,
    choice: Choice,
    /// Shared with picks, whose answers come later.
    pub plan: Arc<Plan>,
    pub data: FrameData,
    materials: MaterialGroups,
    /// Group 2 by draw.
    pub draws: Vec<wgpu::BindGroup>,
    /// Group 2 of lines and points drawn as rectangles, by draw; `None` for triangles and where the adapter draws
    /// lines itself.
    lines: Vec<Option<wgpu::BindGroup>>,
    /// Bound by draws without morph targets.
    no_deltas: wgpu::TextureView,
    /// Whether points are drawn as squares in the frame that is being drawn.
    pub wide_points: bool,
    /// Created for the first wireframe.
    edges: Option<Edges>,
    /// Created for the first picture of sums of weights.
    pub file_weights: Option<FileWeights>,
    /// Counts of the frame that is being drawn.
    pub stats: DrawStats,
}

/// Group 1 by material.
#[derive(Default)]
struct MaterialGroups {
    /// The features that the groups' layout was made for; `None` before the first pass.
    features: Option<Features>,
    groups: Vec<wgpu::BindGroup>,
}

/// Draw calls and triangles of a picture, without those of the shadow map, which needs about as many
/// again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DrawStats {
    /// Draw calls for parts of the model.
    pub draws: u64,
    /// Triangles.
    pub triangles: u64,
}

impl SceneResources {
    /// Plans a scene and allocates its resources. The materials are bound later, by
    /// [`SceneResources::bind_materials`], because their layout depends on the pass.
    pub fn new(gpu: &Gpu, layouts: &BindLayouts, scene: &Scene<'_>, choice: Choice) -> Self {
        let plan = Arc::new(Plan::new(scene, choice));
        let data = FrameData::new(gpu, &plan, scene.all_stages().count(), layouts.bound_joints);
        let no_deltas = texture::upload_floats(gpu, "placeholder deltas", &[[0.0; 4]], [1, 1]);
        let mut resources = Self {
            model: Arc::clone(&scene.gpu_model.identity),
            scene: scene.stage.scene,
            stages: scene.count(),
            ghosts: scene.ghosts.len(),
            choice,
            draws: Vec::new(),
            plan,
            data,
            materials: MaterialGroups::default(),
            lines: Vec::new(),
            no_deltas,
            wide_points: false,
            edges: None,
            file_weights: None,
            stats: DrawStats::default(),
        };
        resources.draws = resources.bind_draws(gpu, layouts, scene);
        let is_line = |draw: &Draw| draw.topology != Topology::Triangles;
        resources.lines = resources.bind_vertices(gpu, layouts, scene.gpu_model, None, is_line);
        resources
    }

    /// Creates group 2 of each draw. Draws without morph targets share one.
    fn bind_draws(
        &self,
        gpu: &Gpu,
        layouts: &BindLayouts,
        scene: &Scene<'_>,
    ) -> Vec<wgpu::BindGroup> {
        let bind = |label: &str, deltas: &wgpu::TextureView| {
            gpu.bind(label, &layouts.draw, &draw_resources(layouts, &self.data.buffer, deltas))
        };
        let without = bind("draws without morph targets", &self.no_deltas);
        let group = |draw: &Draw| {
            let primitive = draw.primitive_in(scene.gpu_model);
            let Some(deltas) = primitive.and_then(|p| p.deltas.as_ref()) else {
                return without.clone();
            };
            let name = scene.model.nodes[draw.node].name.as_deref();
            bind(&format!("{} draw", debug_label("node", draw.node, name)), &deltas.view)
        };
        self.plan.draws.iter().map(group).collect()
    }

    /// Whether the resources belong to this scene with the same numbers of stages and ghosts, and to this choice.
    pub fn fits(&self, scene: &Scene<'_>, choice: Choice) -> bool {
        Arc::ptr_eq(&self.model, &scene.gpu_model.identity)
            && self.scene == scene.stage.scene
            && (self.stages, self.ghosts) == (scene.count(), scene.ghosts.len())
            && self.choice == choice
    }

    /// Whether these are the resources that a plan was made for.
    pub fn has_plan(&self, plan: &Arc<Plan>) -> bool {
        Arc::ptr_eq(&self.plan, plan)
    }

    /// Number of stages that are drawn in full. Those of ghosts follow them.
    pub fn stages(&self) -> usize {
        self.stages
    }

    /// Binds the materials with the layout of these features, unless they are.
    pub fn bind_materials(&mut self, gpu: &Gpu, gpu_model: &GpuModel, features: Features) {
        if self.materials.features != Some(features) {
            let layout = material_layout(gpu, features);
            let groups = gpu_model.materials.bind(gpu, &layout);
            self.materials = MaterialGroups { features: Some(features), groups };
        }
    }

    /// Binds the vertex lists of the draws that are `wanted`, for shaders that draw rectangles at vertices or between
    /// them, with their own indices or those of `edges`. `None` by draw for the others, and where the adapter cannot.
    pub fn bind_vertices(
        &self,
        gpu: &Gpu,
        layouts: &BindLayouts,
        gpu_model: &GpuModel,
        edges: Option<&wgpu::Buffer>,
        wanted: impl Fn(&Draw) -> bool,
    ) -> Vec<Option<wgpu::BindGroup>> {
        let bind = |draw: &Draw| {
            let layout = layouts.lines.as_ref().filter(|_| wanted(draw))?;
            let primitive = draw.primitive_in(gpu_model)?;
            let deltas = primitive.deltas.as_ref().map_or(&self.no_deltas, |d| &d.view);
            let drawn = draw_resources(layouts, &self.data.buffer, deltas);
            let own = || primitive.list(&primitive.indices);
            let indices = edges.map_or_else(own, wgpu::Buffer::as_entire_buffer_binding);
            bind_lists(gpu, layout, &drawn, primitive, indices)
        };
        self.plan.draws.iter().map(bind).collect()
    }

    /// Whether a draw's lines or points are drawn as rectangles.
    pub fn has_rectangles(&self, draw: usize) -> bool {
        self.rectangles(draw).is_some()
    }

    /// Returns group 2 of a draw whose lines or points are drawn as rectangles.
    fn rectangles(&self, draw: usize) -> Option<&wgpu::BindGroup> {
        let narrow = !self.wide_points && self.plan.draws[draw].topology == Topology::Points;
        self.lines[draw].as_ref().filter(|_| !narrow)
    }

    /// Whether a draw's edges are drawn as rectangles. False before [`SceneResources::prepare_edges`].
    pub fn has_edge_rectangles(&self, draw: usize) -> bool {
        self.edges.as_ref().is_some_and(|edges| edges.groups[draw].is_some())
    }

    /// Creates the edges of all triangles for the wireframe, if they are not there yet.
    pub fn prepare_edges(
        &mut self,
        gpu: &Gpu,
        layouts: &BindLayouts,
        model: &Model,
        gpu_model: &GpuModel,
    ) {
        if self.edges.is_none() {
            let mut edges = Edges::new(gpu, model, &self.plan);
            let has_faces = |draw: &Draw| draw.topology == Topology::Triangles;
            let buffer = Some(&edges.buffer);
            edges.groups = self.bind_vertices(gpu, layouts, gpu_model, buffer, has_faces);
            self.edges = Some(edges);
        }
    }

    /// Draws a rectangle at each vertex of a batch. `group` is of [`SceneResources::bind_vertices`].
    pub fn draw_at_vertices<'a>(
        &'a self,
        pass: &mut SplitPass<'a, '_, '_>,
        gpu_model: &'a GpuModel,
        batch: &Batch,
        group: &'a wgpu::BindGroup,
    ) {
        let draw = &self.plan.draws[batch.draw];
        let Some(primitive) = draw.primitive_in(gpu_model) else { return };
        pass.set_vertex_buffers(self.vertex_buffers(primitive, draw));
        for part in &self.plan.parts[draw.parts.clone()] {
            self.data.calls(&self.plan, batch, part.palette, |call| {
                pass.set_bind_group(2, group, &call.offsets);
                let vertices = 6 * part.vertices.start..6 * part.vertices.end;
                let instances = call.instances;
                pass.draw(DrawCall { vertices, corners: 6, instances, indexed: false });
            });
        }
    }

    /// Counts the draw calls and triangles of the frame in the buffer.
    pub fn count(&mut self, is_drawn: impl Fn(&Draw) -> bool) {
        let mut stats = DrawStats::default();
        for (i, draw) in self.plan.draws.iter().enumerate().filter(|(_, draw)| is_drawn(draw)) {
            let triangles = draw.topology == Topology::Triangles;
            // Draws that are not opaque are sorted back to front, so each stage is drawn by itself.
            let together = if draw.phase == Phase::Opaque { self.stages } else { 1 };
            for first in (0..self.stages).step_by(together) {
                let batch = Batch::whole(i, first..first + together);
                for part in &self.plan.parts[draw.parts.clone()] {
                    let each = if triangles { part.indices.len() as u64 / 3 } else { 0 };
                    self.data.calls(&self.plan, &batch, part.palette, |call| {
                        let apart = draw.is_sorted_by_instance();
                        stats.draws += if apart { call.instances.len() as u64 } else { 1 };
                        stats.triangles += call.instances.len() as u64 * each;
                    });
                }
            }
        }
        self.stats = stats;
    }

    /// Draws a batch with its material, or nothing if the primitive is not uploaded; `shown` is the pass, `None` for the
    /// shape alone. Of a double-sided material that the pass blends, the back faces of all parts come first.
    pub fn draw<'a>(
        &'a self,
        pass: &mut SplitPass<'a, '_, '_>,
        gpu_model: &'a GpuModel,
        batch: &Batch,
        shown: Option<Pass>,
    ) {
        let draw = &self.plan.draws[batch.draw];
        let Some(primitive) = draw.primitive_in(gpu_model) else { return };
        let mut buffers = self.vertex_buffers(primitive, draw);
        let weights = self.file_weights.as_ref().filter(|_| shown == Some(Pass::WeightSum));
        if let Some(influences) = weights.and_then(|weights| weights.of_draw(batch.draw)) {
            buffers[1] = influences;
        }
        pass.set_vertex_buffers(buffers);
        let both = [Faces::Backs, Faces::Fronts];
        let two_rounds = draw.blended && draw.double_sided && shown.is_some_and(Pass::blends);
        let rounds = if two_rounds { &both[..] } else { &[Faces::Own] };
        let material = &self.materials.groups[gpu_model.materials.index(draw.material)];
        for faces in rounds {
            let offset = gpu_model.materials.offset(draw.material, *faces);
            pass.set_bind_group(1, material, &[offset]);
            self.draw_parts(pass, primitive, batch, self.rectangles(batch.draw));
        }
    }

    /// Draws a batch once with its material, and its lines as the adapter rasterises them.
    pub fn draw_plainly<'a>(
        &'a self,
        pass: &mut SplitPass<'a, '_, '_>,
        gpu_model: &'a GpuModel,
        batch: &Batch,
    ) {
        let draw = &self.plan.draws[batch.draw];
        let Some(primitive) = draw.primitive_in(gpu_model) else { return };
        pass.set_vertex_buffers(self.vertex_buffers(primitive, draw));
        let material = &self.materials.groups[gpu_model.materials.index(draw.material)];
        let offset = gpu_model.materials.offset(draw.material, Faces::Own);
        pass.set_bind_group(1, material, &[offset]);
        self.draw_parts(pass, primitive, batch, None);
    }

    /// Returns the vertex buffers of a draw: its vertices, and its influences or instances.
    pub fn vertex_buffers<'a>(
        &'a self,
        primitive: &'a GpuPrimitive,
        draw: &Draw,
    ) -> [wgpu::BufferSlice<'a>; 2] {
        let vertices = primitive.buffer.slice(primitive.vertices.clone());
        if draw.sets > 0 {
            return [vertices, primitive.buffer.slice(primitive.influences.clone())];
        }
        let start = self.data.layout.instance(draw.instances.start);
        [vertices, self.data.buffer.slice(start..)]
    }

    /// Draws all parts of a batch whose vertices are bound. `rectangles` is group 2 of lines that are drawn as
    /// rectangles.
    fn draw_parts<'a>(
        &'a self,
        pass: &mut SplitPass<'a, '_, '_>,
        primitive: &'a GpuPrimitive,
        batch: &Batch,
        rectangles: Option<&'a wgpu::BindGroup>,
    ) {
        pass.set_index_buffer(primitive.buffer.slice(primitive.indices.clone()));
        let topology = self.plan.draws[batch.draw].topology;
        let elements = Elements { topology, rectangles };
        let of_part = |part: usize| self.plan.parts[part].indices.clone();
        self.draw_indices(pass, batch, elements, of_part);
    }

    /// Draws the edges of a batch whose vertices and material are bound. Needs
    /// [`SceneResources::prepare_edges`].
    pub fn draw_edges<'a>(&'a self, pass: &mut SplitPass<'a, '_, '_>, batch: &Batch) {
        if let Some(edges) = &self.edges {
            pass.set_index_buffer(edges.buffer.slice(..));
            let rectangles = edges.groups[batch.draw].as_ref();
            let elements = Elements { topology: Topology::Lines, rectangles };
            let of_part = |part: usize| edges.parts[part].clone();
            self.draw_indices(pass, batch, elements, of_part);
        }
    }

    /// Draws the given indices of each part.
    fn draw_indices<'a>(
        &'a self,
        pass: &mut SplitPass<'a, '_, '_>,
        batch: &Batch,
        elements: Elements<'a>,
        indices: impl Fn(usize) -> Range<u32>,
    ) {
        for part in self.plan.draws[batch.draw].parts.clone() {
            let palette = self.plan.parts[part].palette;
            self.data.calls(&self.plan, batch, palette, |call| {
                let Elements { topology, rectangles } = elements;
                let group = rectangles.unwrap_or(&self.draws[batch.draw]);
                pass.set_bind_group(2, group, &call.offsets);
                let (indices, instances) = (indices(part), call.instances);
                // The rectangle of a line with two indices, or of a point with one, has six corners.
                let each = 6 / topology.corners() as u32;
                let (vertices, corners, indexed) = match rectangles {
                    Some(_) => (each * indices.start..each * indices.end, 6, false),
                    None => (indices, topology.corners() as u32, true),
                };
                pass.draw(DrawCall { vertices, corners, instances, indexed });
            });
        }
    }
}

/// The elements that indices form.
#[derive(Clone, Copy)]
struct Elements<'a> {
    topology: Topology,
    /// Group 2 of lines or points that are drawn as rectangles of six corners.
    rectangles: Option<&'a wgpu::BindGroup>,
}

/// Binds the vertices and influences of a primitive and the indices of its lines or points, after what every draw
/// binds. `None` if a list is larger than the adapter can bind.
fn bind_lists(
    gpu: &Gpu,
    layout: &wgpu::BindGroupLayout,
    drawn: &[wgpu::BindingResource<'_>],
    primitive: &GpuPrimitive,
    indices: wgpu::BufferBinding<'_>,
) -> Option<wgpu::BindGroup> {
    // Rigid lines read no influences, but the binding must not be empty.
    let skinned = !primitive.influences.is_empty();
    let influences = if skinned { &primitive.influences } else { &primitive.vertices };
    let lists = [primitive.list(&primitive.vertices), primitive.list(influences), indices];
    let most = gpu.device.limits().max_storage_buffer_binding_size;
    let length = |list: &wgpu::BufferBinding<'_>| {
        list.size.map_or(list.buffer.size() - list.offset, wgpu::BufferSize::get)
    };
    if lists.iter().any(|list| length(list) > most) {
        return None;
    }
    let lists = lists.map(wgpu::BindingResource::Buffer);
    Some(gpu.bind("line lists", layout, &[drawn, &lists].concat()))
}
