//! The textbook way to draw a crowd: one buffer, one bind group and one draw call per character. It
//! uses the same sampler as rigview.

use glam::{DVec3, Mat4};
use rigview::anim::{Cursor, LocalPose, WorldPose};
use rigview::model::{Influence, Model, Vertex};
use rigview::render::Gpu;
use wgpu::util::DeviceExt;

const PALETTE_BYTES: u64 = 6400;
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;
const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

const SHADER: &str = "
struct Vertex {
    @location(0) position: vec3<f32>,
    @location(1) joints: vec4<u32>,
    @location(2) weights: vec4<f32>,
}
@group(0) @binding(0) var<uniform> palette: array<mat4x4<f32>, 100>;
@vertex fn vs(v: Vertex) -> @builtin(position) vec4<f32> {
    let m = v.weights.x * palette[v.joints.x] + v.weights.y * palette[v.joints.y]
        + v.weights.z * palette[v.joints.z] + v.weights.w * palette[v.joints.w];
    return vec4(0.01 * (m * vec4(v.position, 1.0)).xyz, 1.0);
}
@fragment fn fs() -> @location(0) vec4<f32> {
    return vec4(0.5);
}
";

/// Characters and the resources to draw them.
pub struct PlainCrowd<'a> {
    model: &'a Model,
    local: LocalPose,
    world: WorldPose,
    cursors: Vec<Cursor>,
    joints: Vec<u16>,
    palette: Vec<Mat4>,
    /// One buffer and one bind group per character.
    characters: Vec<(wgpu::Buffer, wgpu::BindGroup)>,
    vertices: wgpu::Buffer,
    influences: wgpu::Buffer,
    indices: wgpu::Buffer,
    count: u32,
    pipelines: [wgpu::RenderPipeline; 2],
    shadow: wgpu::TextureView,
    color: wgpu::TextureView,
    resolved: wgpu::TextureView,
    depth: wgpu::TextureView,
}

impl<'a> PlainCrowd<'a> {
    /// Makes `count` characters with the first primitive of a model.
    pub fn new(gpu: &Gpu, model: &'a Model, count: usize, size: [u32; 2]) -> Self {
        let device = &gpu.device;
        let primitive = &model.meshes[0].primitives[0];
        let part = &primitive.parts[0];
        let buffer = |contents: &[u8], usage| {
            let descriptor = wgpu::util::BufferInitDescriptor { label: None, contents, usage };
            device.create_buffer_init(&descriptor)
        };
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &[wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::VERTEX,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Uniform,
                    has_dynamic_offset: false,
                    min_binding_size: wgpu::BufferSize::new(PALETTE_BYTES),
                },
                count: None,
            }],
        });
        let character = |_| {
            let buffer = device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: PALETTE_BYTES,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            let entries =
                &[wgpu::BindGroupEntry { binding: 0, resource: buffer.as_entire_binding() }];
            let descriptor = wgpu::BindGroupDescriptor { label: None, layout: &layout, entries };
            let group = device.create_bind_group(&descriptor);
            (buffer, group)
        };
        let texture = |[width, height]: [u32; 2], format, sample_count| {
            let texture = device.create_texture(&wgpu::TextureDescriptor {
                label: None,
                size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
                view_formats: &[],
            });
            texture.create_view(&Default::default())
        };
        let influences = primitive.influences.as_ref().map_or(&[][..], |i| &i.list);
        let vertex = wgpu::BufferUsages::VERTEX;
        Self {
            model,
            local: model.rest.clone(),
            world: WorldPose::default(),
            cursors: vec![Cursor::default(); count],
            joints: part.joints.clone(),
            palette: vec![Mat4::IDENTITY; part.joints.len()],
            characters: (0..count).map(character).collect(),
            vertices: buffer(bytemuck::cast_slice(&primitive.vertices), vertex),
            influences: buffer(bytemuck::cast_slice(influences), vertex),
            indices: buffer(bytemuck::cast_slice(&primitive.indices), wgpu::BufferUsages::INDEX),
            count: part.indices.len() as u32,
            pipelines: [1, 4].map(|samples| pipeline(device, &layout, samples)),
            shadow: texture([512, 512], DEPTH, 1),
            color: texture(size, FORMAT, 4),
            resolved: texture(size, FORMAT, 1),
            depth: texture(size, DEPTH, 4),
        }
    }

    /// Poses the characters and draws a shadow map and the scene.
    pub fn draw(&mut self, gpu: &Gpu, times_secs: &[f64]) {
        let Self { model, local, world, joints, palette, .. } = self;
        let characters = self.characters.iter().zip(&mut self.cursors).zip(times_secs);
        for (((buffer, _), cursor), time) in characters {
            model.clips[0].pose(*time, &model.rest, cursor, local);
            model.hierarchy.resolve(local, DVec3::ZERO, world);
            model.skins[0].write_palette(joints, world, palette);
            gpu.queue.write_buffer(buffer, 0, bytemuck::cast_slice(palette));
        }
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let ops = |view| {
            let ops =
                wgpu::Operations { load: wgpu::LoadOp::Clear(0.0), store: wgpu::StoreOp::Store };
            let depth_ops = Some(ops);
            Some(wgpu::RenderPassDepthStencilAttachment { view, depth_ops, stencil_ops: None })
        };
        let color = wgpu::RenderPassColorAttachment {
            view: &self.color,
            depth_slice: None,
            resolve_target: Some(&self.resolved),
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                store: wgpu::StoreOp::Discard,
            },
        };
        for (i, (depth, color)) in
            [(&self.shadow, None), (&self.depth, Some(color))].into_iter().enumerate()
        {
            let colors = [color];
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                color_attachments: if i == 0 { &[] } else { &colors },
                depth_stencil_attachment: ops(depth),
                ..Default::default()
            });
            pass.set_pipeline(&self.pipelines[i]);
            pass.set_vertex_buffer(0, self.vertices.slice(..));
            pass.set_vertex_buffer(1, self.influences.slice(..));
            pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
            for (_, group) in &self.characters {
                pass.set_bind_group(0, group, &[]);
                pass.draw_indexed(0..self.count, 0, 0..1);
            }
        }
        gpu.queue.submit([encoder.finish()]);
    }
}

/// Returns a pipeline with a colour target, or without one if there is one sample per pixel.
fn pipeline(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    samples: u32,
) -> wgpu::RenderPipeline {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(SHADER.into()),
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(layout)],
        immediate_size: 0,
    });
    let positions = wgpu::vertex_attr_array![0 => Float32x3];
    let influences = wgpu::vertex_attr_array![1 => Uint8x4, 2 => Float32x4];
    let vertices = |array_stride: usize, attributes| wgpu::VertexBufferLayout {
        array_stride: array_stride as u64,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes,
    };
    let targets = [Some(FORMAT.into())];
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: None,
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("vs"),
            compilation_options: Default::default(),
            buffers: &[
                Some(vertices(size_of::<Vertex>(), &positions)),
                Some(vertices(size_of::<Influence>(), &influences)),
            ],
        },
        primitive: Default::default(),
        depth_stencil: Some(wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Greater),
            stencil: Default::default(),
            bias: Default::default(),
        }),
        multisample: wgpu::MultisampleState { count: samples, ..Default::default() },
        fragment: (samples > 1).then(|| wgpu::FragmentState {
            module: &module,
            entry_point: Some("fs"),
            compilation_options: Default::default(),
            targets: &targets,
        }),
        multiview_mask: None,
        cache: None,
    })
}
