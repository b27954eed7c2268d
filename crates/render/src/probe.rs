//! Computes posed positions on the GPU: the functions of the picture's vertex shader write each vertex to a
//! texel, which is read back.

use std::collections::HashMap;

use crate::device::pipeline::{Pipeline, Shader};
use crate::passes::mesh_pipelines::{vertex_entry, with_vertex_buffers};
use crate::scene::bind_layouts::BindLayouts;
use crate::scene::frame_data::JointHeat;
use crate::scene::plan::{Choice, Instancing, Scene};
use crate::scene::scene_resources::SceneResources;
use crate::scene::viewpoint::{FrameBindings, LightMaps, Viewpoint, camera_uniform};
use crate::{Gpu, GpuError, GpuModel, read_texture, shader};
use rigview_look::{EnvironmentSource, View};
use rigview_model::{Model, Projection, Stage};

const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba32Float;

/// The posed vertices of one primitive at one node, relative to the stage's origin.
pub struct PosedPrimitive {
    /// Index of the node.
    pub node: usize,
    /// Index of the primitive in the node's mesh.
    pub primitive: usize,
    /// A position per vertex, in the model's order.
    pub positions: Vec<[f32; 3]>,
}

/// Poses vertices on a device. Its pipelines are kept, so further poses and models take less time.
pub struct Probe {
    gpu: Gpu,
    layouts: BindLayouts,
    bindings: FrameBindings,
    /// By the number of sets of influences.
    pipelines: HashMap<usize, wgpu::RenderPipeline>,
}

impl Probe {
    /// Returns a probe on a device.
    pub fn new(gpu: &Gpu) -> Self {
        Self {
            gpu: gpu.clone(),
            layouts: BindLayouts::new(gpu),
            bindings: FrameBindings::new(gpu, &EnvironmentSource::Uniform(glam::Vec3::ZERO)),
            pipelines: HashMap::new(),
        }
    }

    /// Returns all vertices of all primitives of a posed stage, ordered by node, then primitive. Instances are
    /// ignored: a node's meshes are posed once, at the node itself.
    ///
    /// # Errors
    /// If the adapter can't draw on the format of positions, as some that have only GL, or the device fails.
    pub fn positions(
        &mut self,
        model: &Model,
        gpu_model: &GpuModel,
        stage: &Stage,
    ) -> Result<Vec<PosedPrimitive>, GpuError> {
        let Self { gpu, layouts, bindings, pipelines } = self;
        if !gpu.draws_on(FORMAT) {
            return Err(GpuError::UnsupportedPose { backend: gpu.backend_name() });
        }
        // Hidden nodes have posed positions too.
        let mut stage = stage.clone();
        stage.visible.fill(true);
        let stage = &stage;
        let scene = Scene { model, gpu_model, stage, others: &[], ghosts: &[] };
        let mut viewpoint = Viewpoint::of_camera(bindings, "probe");
        let choice = Choice { instancing: Instancing::NodeItself, variant: None };
        let mut resources = SceneResources::new(gpu, layouts, &scene, choice);
        resources.data.write(gpu, &resources.plan, &JointHeat::None, &scene);
        let mut out = Vec::new();
        for i in 0..resources.plan.draws.len() {
            let draw = resources.plan.draws[i].clone();
            let Some(primitive) = draw.primitive_in(gpu_model) else { continue };
            let pipeline =
                pipelines.entry(draw.sets).or_insert_with(|| build(gpu, layouts, draw.sets));
            let n = model.meshes[draw.mesh].primitives[draw.primitive].vertices.len() as u32;
            let width = n.min(gpu.device.limits().max_texture_dimension_2d);
            let size = [width, n.div_ceil(width)];
            let texture = texel_target(gpu, size);
            let view = texture.create_view(&Default::default());
            viewpoint.write(gpu, &camera_uniform(&anywhere(), stage.origin, size, 1.0));
            let camera = viewpoint.bind(gpu, layouts, bindings, LightMaps::default());
            // Instances of a rigid primitive are drawn and read one by one, because they use the same texels.
            for instance in 0..draw.instances.len().max(1) as u32 {
                let label = Some("posed vertices");
                let mut encoder =
                    gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label });
                let mut pass = begin(&mut encoder, &view);
                pass.set_pipeline(pipeline);
                pass.set_bind_group(0, camera, &[]);
                for (slot, buffer) in (0..).zip(resources.vertex_buffers(primitive, &draw)) {
                    pass.set_vertex_buffer(slot, buffer);
                }
                let offsets = &resources.data.layout;
                if draw.sets == 0 {
                    let start = offsets.instance(draw.instances.start + instance as usize);
                    pass.set_vertex_buffer(1, resources.data.buffer.slice(start..));
                }
                for part in &resources.plan.parts[draw.parts.clone()] {
                    let at = [offsets.bound(part.palette, 0).window, offsets.morph(draw.morph, 0)];
                    pass.set_bind_group(2, &resources.draws[i], &at);
                    pass.draw(part.vertices.clone(), 0..1);
                }
                drop(pass);
                gpu.queue.submit([encoder.finish()]);
                let bytes = read_texture(gpu, &texture)?;
                let texels: &[[f32; 4]] = &bytemuck::allocation::pod_collect_to_vec(&bytes);
                let positions = texels[..n as usize].iter().map(|t| [t[0], t[1], t[2]]).collect();
                let node = match draw.sets {
                    0 => resources.plan.instances[draw.instances.start + instance as usize].node,
                    _ => draw.node,
                };
                out.push(PosedPrimitive { node, primitive: draw.primitive, positions });
            }
        }
        out.sort_by_key(|p| (p.node, p.primitive));
        Ok(out)
    }
}

/// Returns a placeholder view; the probe's shaders do not use the camera.
fn anywhere() -> View {
    let projection =
        Projection::Perspective { fov_y: 1.0, aspect: None, near: 1.0, far: Some(2.0) };
    View { world_from_camera: glam::DAffine3::IDENTITY, projection, shift: glam::DVec2::ZERO }
}

fn texel_target(gpu: &Gpu, size: [u32; 2]) -> wgpu::Texture {
    gpu.texture("posed vertices", size, FORMAT, wgpu::TextureUsages::COPY_SRC)
}

fn begin<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    view: &wgpu::TextureView,
) -> wgpu::RenderPass<'a> {
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("posed vertices"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                store: wgpu::StoreOp::Store,
            },
        })],
        ..Default::default()
    })
}

fn build(gpu: &Gpu, layouts: &BindLayouts, sets: usize) -> wgpu::RenderPipeline {
    let groups = [Some(&layouts.frame), None, Some(&layouts.draw)];
    let shader = Shader::new(gpu, "probe", shader::probe(layouts.bound_joints), &groups);
    let entry = vertex_entry(sets);
    with_vertex_buffers(sets, |buffers| {
        Pipeline {
            buffers,
            topology: wgpu::PrimitiveTopology::PointList,
            ..Pipeline::new(&shader, "probe", [entry, "fs_probe"], FORMAT)
        }
        .build(gpu)
    })
}
