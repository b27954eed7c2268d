//! The key light's shadow map: the scene as the light sees it, posed by the same vertex shaders as
//! the picture, so that whatever is skinned or morphed casts the shadow of its pose.

use std::collections::HashMap;

use glam::{Mat4, Vec3};

use super::bindings::FrameTextures;
use super::layout::Layouts;
use super::pipeline::{vertex_entry, with_vertex_buffers};
use super::plan::{Draw, Plan};
use super::prepared::Prepared;
use super::recording::Recording;
use super::{Gpu, GpuModel, shader};
use crate::look::Lighting;
use crate::model::{Aabb, Topology};

const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// Texels an edge of the map.
pub const MAP_SIZE: u32 = 512;

/// How wide the light is for its distance: the penumbra of what is a metre off is so many metres.
const SOFTNESS: f32 = 0.11;

/// The widest penumbra, as a part of the map.
const WIDEST: f32 = 0.028;

/// The pipelines that draw the map.
pub struct Shadow {
    layout: wgpu::PipelineLayout,
    bound_joints: usize,
    module: Option<wgpu::ShaderModule>,
    pipelines: HashMap<usize, wgpu::RenderPipeline>,
}

/// Where the light's view lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShadowView {
    /// To the unit cube of the map's target.
    pub projection_from_world: Mat4,
    /// To the map: x right and y down from 0 to 1, z from 0 at the light's side to 1.
    pub map_from_world: Mat4,
    /// `Frame::shadow` of the shader.
    pub numbers: [f32; 4],
    /// The part of the ground that shadow can fall on: its middle, and half an edge of its square.
    pub ground: (Vec3, f32),
}

impl ShadowView {
    /// The view of a light that holds a box, and where what is in it throws its shadow on a ground
    /// of the height `floor`. None for a box without inside.
    pub fn new(bounds: &Aabb, floor: f32) -> Option<Self> {
        let size = bounds.size().length();
        if !(bounds.min.is_finite() && bounds.max.is_finite() && size > 0.0) {
            return None;
        }
        let towards = Lighting::towards_key();
        let right = Vec3::Y.cross(towards).normalize();
        let up = towards.cross(right);
        let axes = Mat4::from_cols(
            Vec3::new(right.x, up.x, towards.x).extend(0.0),
            Vec3::new(right.y, up.y, towards.y).extend(0.0),
            Vec3::new(right.z, up.z, towards.z).extend(0.0),
            glam::Vec4::W,
        );
        let mut seen = Aabb::EMPTY;
        let mut thrown = Aabb::EMPTY;
        for corner in bounds.corners() {
            let below = corner - towards * ((corner.y - floor).max(0.0) / towards.y);
            seen.add(axes.transform_point3(corner));
            seen.add(axes.transform_point3(below));
            thrown.add(below);
        }
        // Room for the penumbra, and the same scale both ways.
        let edge = (1.0 + 3.0 * WIDEST) * seen.size().x.max(seen.size().y).max(1e-3 * size);
        let depth = 1.02 * seen.size().z.max(1e-3 * size);
        let middle = seen.center();
        let near = middle.z + 0.5 * depth;
        let from_axes = |scale: Vec3, offset: Vec3| {
            Mat4::from_translation(offset)
                * Mat4::from_scale(scale)
                * Mat4::from_translation(-middle.with_z(near))
                * axes
        };
        let reach = 0.5 * edge;
        Some(Self {
            projection_from_world: from_axes(
                Vec3::new(2.0 / edge, 2.0 / edge, -1.0 / depth),
                Vec3::ZERO,
            ),
            map_from_world: from_axes(
                Vec3::new(1.0 / edge, -1.0 / edge, -1.0 / depth),
                Vec3::new(0.5, 0.5, 0.0),
            ),
            numbers: [
                MAP_SIZE as f32,
                0.5 * SOFTNESS * depth / edge,
                edge / MAP_SIZE as f32 / depth,
                WIDEST,
            ],
            ground: (
                thrown.center().with_y(floor),
                0.5 * thrown.size().x.max(thrown.size().z) + WIDEST * reach * 4.0,
            ),
        })
    }
}

impl Shadow {
    /// Builds no pipeline yet.
    pub fn new(gpu: &Gpu, layouts: &Layouts) -> Self {
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("shadow"),
            bind_group_layouts: &[Some(&layouts.frame), None, Some(&layouts.draw)],
            immediate_size: 0,
        });
        Self { layout, bound_joints: layouts.bound_joints, module: None, pipelines: HashMap::new() }
    }

    /// The kinds of vertex of what casts a shadow whose pipelines are not there yet.
    pub fn missing(&self, plan: &Plan) -> Vec<usize> {
        let mut missing = Vec::new();
        for (_, draw) in casters(plan) {
            if !self.pipelines.contains_key(&draw.sets) && !missing.contains(&draw.sets) {
                missing.push(draw.sets);
            }
        }
        missing
    }

    /// Builds the pipelines of these kinds of vertex.
    pub fn build(&mut self, gpu: &Gpu, kinds: Vec<usize>) {
        for sets in kinds {
            let module = self.module.get_or_insert_with(|| {
                gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                    label: Some("shadow"),
                    source: wgpu::ShaderSource::Wgsl(shader::probe(self.bound_joints).into()),
                })
            });
            self.pipelines.insert(sets, build(gpu, &self.layout, module, sets));
        }
    }

    /// Draws the map by pipelines that have been built.
    pub fn draw(
        &self,
        record: &mut Recording<'_>,
        gpu_model: &GpuModel,
        (prepared, textures): (&Prepared, &FrameTextures),
    ) {
        let mut pass = begin(record, &textures.shadow_map);
        pass.set_bind_group(0, &prepared.light, &[]);
        for (i, draw) in casters(&prepared.plan) {
            if let (Some(pipeline), Some(primitive)) =
                (self.pipelines.get(&draw.sets), gpu_model.primitive(draw))
            {
                pass.set_pipeline(pipeline);
                prepared.bind_vertices(&mut pass, primitive, draw);
                prepared.draw_parts(&mut pass, primitive, (i, 0..prepared.stages()));
            }
        }
    }
}

/// What casts a shadow: opaque triangles.
fn casters(plan: &Plan) -> impl Iterator<Item = (usize, &Draw)> {
    let draws = plan.draws[..plan.first_blended].iter().enumerate();
    draws.filter(|(_, draw)| draw.topology == Topology::Triangles)
}

fn begin<'a>(record: &'a mut Recording<'_>, map: &wgpu::TextureView) -> wgpu::RenderPass<'a> {
    record.pass(
        "shadow",
        wgpu::RenderPassDescriptor {
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: map,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(1.0),
                    store: wgpu::StoreOp::Store,
                }),
                stencil_ops: None,
            }),
            ..Default::default()
        },
    )
}

/// A map, so many texels wide.
pub fn texture(gpu: &Gpu, size: u32) -> wgpu::TextureView {
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("shadow"),
        size: wgpu::Extent3d { width: size, height: size, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: FORMAT,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    });
    texture.create_view(&Default::default())
}

fn build(
    gpu: &Gpu,
    layout: &wgpu::PipelineLayout,
    module: &wgpu::ShaderModule,
    sets: usize,
) -> wgpu::RenderPipeline {
    with_vertex_buffers(sets, |buffers| {
        gpu.render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("shadow"),
            layout: Some(layout),
            vertex: wgpu::VertexState {
                module,
                entry_point: Some(vertex_entry(sets)),
                compilation_options: Default::default(),
                buffers,
            },
            primitive: Default::default(),
            depth_stencil: Some(wgpu::DepthStencilState {
                format: FORMAT,
                depth_write_enabled: Some(true),
                depth_compare: Some(wgpu::CompareFunction::Less),
                stencil: Default::default(),
                // Steep faces would shade themselves.
                bias: wgpu::DepthBiasState { constant: 0, slope_scale: 2.0, clamp: 0.0 },
            }),
            multisample: Default::default(),
            fragment: None,
            multiview_mask: None,
            cache: None,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_box_and_its_shadow_on_the_ground_lie_in_the_map() {
        let bounds = Aabb { min: Vec3::new(-1.0, 0.5, -0.2), max: Vec3::new(0.5, 3.0, 0.2) };
        let view = ShadowView::new(&bounds, 0.0).unwrap();
        let towards = Lighting::towards_key();
        for corner in bounds.corners() {
            let below = corner - towards * (corner.y / towards.y);
            let (a, b) =
                (view.map_from_world * corner.extend(1.0), view.map_from_world * below.extend(1.0));
            assert!((a - b).truncate().truncate().length() < 1e-5, "on one ray of light");
            for p in [a, b] {
                assert!(p.min_element() >= -1e-5 && p.max_element() <= 1.0 + 1e-5, "{p}");
            }
            assert!(a.z < b.z, "the ground is behind");
            let (middle, reach) = view.ground;
            let off = (below - middle).abs();
            assert!(off.x <= reach && off.z <= reach);
        }
    }

    #[test]
    fn a_box_without_inside_has_no_view() {
        assert_eq!(ShadowView::new(&Aabb::EMPTY, 0.0), None);
        let point = Aabb { min: Vec3::ONE, max: Vec3::ONE };
        assert_eq!(ShadowView::new(&point, 0.0), None);
    }
}
