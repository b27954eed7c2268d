//! The pipelines that draw meshes in a pass of the look. Ghosts and the outline are drawn by those of the passes
//! `normal` and `alpha`.

use std::collections::HashMap;

#[cfg(not(target_family = "wasm"))]
use rayon::prelude::*;

use crate::device::pipeline::{Pipeline, Shader, flag};
use crate::scene::bind_layouts::{
    BindLayouts, INSTANCE_ATTRIBUTES, INSTANCE_BYTES, VERTEX_ATTRIBUTES, VERTEX_BYTES,
    bind_sampled, influence_attributes, material_layout,
};
use crate::scene::canvas::{Attachment, attachment, depth_test, scene_format};
use crate::scene::features::{Features, RecentFeatures, ShaderFeature};
use crate::scene::frame_recorder::SplitPass;
use crate::scene::shared_frame::SharedFrame;
use crate::{Gpu, shader};
use rigview_look::{Absent, Look, Pass};
use rigview_model::{Influence, Topology};

/// Identifies a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MeshKey {
    /// The pass, which determines the fragment shader.
    pub pass: Pass,
    /// Points, lines or triangles.
    pub topology: Topology,
    /// Sets of four joint IDs per vertex; 0 for rigid meshes.
    pub sets: usize,
    /// Shader features that the model's materials need.
    pub features: Features,
    /// Whether it is alpha-blended and does not write depth.
    pub blended: bool,
    /// Whether back faces are culled. Where a pose may mirror parts, the shader discards them instead.
    pub culls: bool,
    /// Whether the shader may discard fragments. If not, the adapter can test depth before shading.
    pub cuts: bool,
    /// Whether a light casts a shadow.
    pub shadowed: bool,
    /// Whether ambient light is occluded.
    pub occluded: bool,
    /// Whether the shadow on it was drawn with the ambient occlusion.
    pub shadow_is_drawn: bool,
    /// Whether these were drawn smaller than the picture.
    pub shrunk: bool,
    /// Whether highlights are antialiased, which exactly defined light must not be.
    pub steadies: bool,
    /// Whether it draws the edges of triangles.
    pub edges: bool,
    /// Whether the surface has the value that the pass shows; otherwise it is grey.
    pub has_value: bool,
    /// Samples per pixel.
    pub samples: u32,
}

impl MeshKey {
    /// Returns the key of a draw of the frame in a look's pass.
    pub fn new(shared: &SharedFrame<'_>, draw: usize, look: &Look, samples: u32) -> Self {
        let planned = &shared.scene.plan.draws[draw];
        let SharedFrame { features, mirrors, .. } = *shared;
        let primitive = &shared.frame.model.meshes[planned.mesh].primitives[planned.primitive];
        let blended = planned.blended && look.pass.blends();
        let one_sided = !planned.double_sided
            && planned.topology == Topology::Triangles
            && !matches!(look.pass, Pass::Mask | Pass::Faces);
        let key = Self {
            pass: look.pass,
            topology: planned.topology,
            sets: planned.sets,
            features,
            blended,
            culls: one_sided && !mirrors,
            cuts: planned.masked || (one_sided && mirrors) || (blended && planned.double_sided),
            shadowed: false,
            occluded: false,
            shadow_is_drawn: false,
            shrunk: false,
            steadies: false,
            edges: false,
            has_value: !matches!(look.pass, Pass::Uv | Pass::UvChecker)
                || Absent::TextureCoordinates.is_in(primitive),
            samples,
        };
        if shared.scene.has_rectangles(draw) { key.rectangles() } else { key }
    }

    /// Returns the key for the edges of the same draw.
    pub fn edges(self) -> Self {
        Self { topology: Topology::Lines, culls: false, cuts: true, edges: true, ..self }
    }

    /// Returns the key for the same lines or points drawn as rectangles.
    pub fn rectangles(self) -> Self {
        Self { features: self.features.with(ShaderFeature::Lines), ..self }
    }
}

/// The pipelines built so far, and the keys of those that the frame needs too.
#[derive(Default)]
pub struct MeshPipelines {
    recent: RecentFeatures,
    shaders: HashMap<Features, Shader>,
    built: HashMap<MeshKey, wgpu::RenderPipeline>,
    requested: Vec<MeshKey>,
    /// Bound as group 3 by pipelines of transmissive materials where there is no copy of the picture.
    no_copy: Option<wgpu::BindGroup>,
}

impl MeshPipelines {
    /// Requests the pipeline of a key.
    pub fn request(&mut self, key: MeshKey) {
        if !self.built.contains_key(&key) && !self.requested.contains(&key) {
            self.requested.push(key);
        }
    }

    /// Builds the requested pipelines, in parallel where there are threads.
    pub fn build(&mut self, gpu: &Gpu, layouts: &BindLayouts) {
        let keys = std::mem::take(&mut self.requested);
        for key in &keys {
            let shader = self.shaders.entry(key.features);
            shader.or_insert_with(|| mesh_shader(gpu, layouts, key.features));
            if key.features.has(ShaderFeature::Transmission) {
                self.no_copy.get_or_insert_with(|| no_copy(gpu, layouts));
            }
        }
        let shaders = &self.shaders;
        let one = |key: MeshKey| Some((key, build(gpu, shaders.get(&key.features)?, key)));
        #[cfg(not(target_family = "wasm"))]
        let built: Vec<_> = keys.into_par_iter().filter_map(one).collect();
        #[cfg(target_family = "wasm")]
        let built: Vec<_> = keys.into_iter().filter_map(one).collect();
        self.built.extend(built);
    }

    /// Drops the pipelines of features that no recent model had, which would otherwise accumulate.
    pub fn use_features(&mut self, features: Features) {
        if self.recent.iter().next() == Some(&features) {
            return;
        }
        self.recent.put_first(features);
        let variants = |features: &Features| {
            let faces = [*features, features.with(ShaderFeature::Tangents)];
            [faces, faces.map(|features| features.with(ShaderFeature::Lines))].concat()
        };
        let kept: Vec<Features> = self.recent.iter().flat_map(variants).collect();
        self.shaders.retain(|features, _| kept.contains(features));
        self.built.retain(|key, _| kept.contains(&key.features));
    }

    /// Returns a pipeline if it has been built.
    pub fn get(&self, key: MeshKey) -> Option<&wgpu::RenderPipeline> {
        self.built.get(&key)
    }

    /// Binds the placeholder of the copy of the picture, if the frame's materials read one.
    pub fn bind_no_copy<'a>(&'a self, pass: &mut SplitPass<'a, '_, '_>, shared: &SharedFrame<'_>) {
        let transmits = shared.features.has(ShaderFeature::Transmission);
        if let Some(group) = self.no_copy.as_ref().filter(|_| transmits) {
            pass.set_bind_group(3, group, &[]);
        }
    }
}

fn mesh_shader(gpu: &Gpu, layouts: &BindLayouts, features: Features) -> Shader {
    let material = material_layout(gpu, features);
    let lines = layouts.lines.as_ref().filter(|_| features.has(ShaderFeature::Lines));
    let drawn = lines.unwrap_or(&layouts.draw);
    let copy = features.has(ShaderFeature::Transmission).then_some(&layouts.transmission);
    let groups = [Some(&layouts.frame), Some(&material), Some(drawn), copy];
    let count = if copy.is_some() { 4 } else { 3 };
    Shader::new(gpu, "mesh", shader::mesh(features, layouts.bound_joints), &groups[..count])
}

fn no_copy(gpu: &Gpu, layouts: &BindLayouts) -> wgpu::BindGroup {
    let view = attachment(
        gpu,
        &Attachment {
            label: "placeholder copy of the opaque picture",
            size: [1, 1],
            format: wgpu::TextureFormat::Rgba16Float,
            samples: 1,
            usage: wgpu::TextureUsages::TEXTURE_BINDING,
        },
    );
    let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor::default());
    bind_sampled(gpu, &layouts.transmission, &view, &sampler)
}

/// Returns the vertex entry point for this many influence sets, of any shader with `entries.wgsl`.
pub fn vertex_entry(sets: usize) -> &'static str {
    match sets {
        0 => "vs_rigid",
        1 => "vs_skinned_1",
        2 => "vs_skinned_2",
        3 => "vs_skinned_3",
        _ => "vs_skinned_4",
    }
}

fn fragment_entry(pass: Pass, topology: Topology) -> &'static str {
    match pass {
        Pass::Shaded => "fs_shaded",
        Pass::Mask => "fs_mask",
        Pass::Normal => "fs_normal",
        Pass::GeometricNormal => "fs_geometric_normal",
        Pass::Depth => "fs_depth",
        Pass::Albedo => "fs_albedo",
        Pass::Metallic => "fs_metallic",
        Pass::Roughness => "fs_roughness",
        Pass::Occlusion => "fs_occlusion",
        Pass::Emissive => "fs_emissive",
        Pass::Alpha => "fs_alpha",
        Pass::Tangent => "fs_tangent",
        Pass::Uv => "fs_uv",
        Pass::UvChecker => "fs_uv_checker",
        Pass::Influences => "fs_influences",
        Pass::Faces => "fs_faces",
        Pass::Clay => "fs_clay",
        Pass::Wireframe if topology == Topology::Triangles => "fs_wireframe_faces",
        Pass::Wireframe => "fs_wireframe",
        Pass::Overdraw => "fs_overdraw",
        Pass::Weights => "fs_weights",
        Pass::WeightSum => "fs_weight_sum",
        Pass::RestToBind => "fs_rest_to_bind",
        Pass::AmbientOcclusion => "fs_ambient_occlusion",
    }
}

/// Calls `use_them` with the vertex buffer layouts for this many influence sets: vertices, then influences
/// or instances.
pub fn with_vertex_buffers<R>(
    sets: usize,
    use_them: impl FnOnce(&[Option<wgpu::VertexBufferLayout>]) -> R,
) -> R {
    let influences = influence_attributes(sets);
    let second = if sets > 0 {
        wgpu::VertexBufferLayout {
            array_stride: (sets * size_of::<Influence>()) as u64,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &influences,
        }
    } else {
        wgpu::VertexBufferLayout {
            array_stride: INSTANCE_BYTES,
            step_mode: wgpu::VertexStepMode::Instance,
            attributes: &INSTANCE_ATTRIBUTES,
        }
    };
    let first = wgpu::VertexBufferLayout {
        array_stride: VERTEX_BYTES,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: &VERTEX_ATTRIBUTES,
    };
    use_them(&[Some(first), Some(second)])
}

/// Adds colours and alpha.
const ADDED: wgpu::BlendState = {
    let both = wgpu::BlendComponent {
        src_factor: wgpu::BlendFactor::One,
        dst_factor: wgpu::BlendFactor::One,
        operation: wgpu::BlendOperation::Add,
    };
    wgpu::BlendState { color: both, alpha: both }
};

fn build(gpu: &Gpu, shader: &Shader, key: MeshKey) -> wgpu::RenderPipeline {
    let rectangles = key.features.has(ShaderFeature::Lines);
    let fragment =
        if key.has_value { fragment_entry(key.pass, key.topology) } else { "fs_without_value" };
    let every_layer = key.pass == Pass::Overdraw;
    let blended =
        (key.blended || key.edges).then_some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING);
    let blend = if every_layer { Some(ADDED) } else { blended };
    let lines_only = key.pass == Pass::Wireframe && key.topology != Topology::Triangles;
    let uses_faces = key.pass != Pass::Mask && !lines_only;
    let through = key.features.has(ShaderFeature::DiffuseTransmission);
    let constants = [
        ("has_faces", flag(key.topology == Topology::Triangles)),
        ("cuts", flag(key.cuts)),
        ("shrunk", flag(key.shrunk)),
        ("occluded", flag(key.occluded)),
        ("shadowed", flag(key.shadowed)),
        ("shines_through", flag(through)),
        ("shadow_is_drawn", flag(key.shadow_is_drawn)),
        ("steadies", flag(key.steadies)),
    ];
    // Only the shader of rectangles knows how long a line is.
    let fades = key.edges && rectangles;
    let fading = [("edges_fade", 1.0), ("sets", key.sets as f64)];
    let constants = match key.pass {
        _ if fades => &fading[..1],
        _ if !uses_faces => &[][..],
        Pass::Shaded => &constants[..],
        Pass::Clay => &constants[..7],
        Pass::AmbientOcclusion => &constants[..3],
        _ => &constants[..2],
    };
    let sums = [("has_file_sums", 1.0)];
    let sums = if key.pass == Pass::WeightSum { &sums[..] } else { &[] };
    let rectangle = match key.topology {
        Topology::Points => ["vs_point_rigid", "vs_point_skinned"],
        _ => ["vs_line_rigid", "vs_line_skinned"],
    };
    with_vertex_buffers(key.sets, |buffers| {
        let (entry, sets, buffers) = match (rectangles, key.sets) {
            (false, _) => (vertex_entry(key.sets), sums, buffers),
            // Vertices and influences are read from storage buffers.
            (true, 0) => {
                (rectangle[0], &fading[..usize::from(fades)], &[None, buffers[1].clone()][..])
            }
            (true, _) => (rectangle[1], &fading[usize::from(!fades)..], &[][..]),
        };
        let label = format!("{:?}: {entry}, {fragment}", key.topology);
        Pipeline {
            constants: [sets, constants],
            buffers,
            topology: if rectangles {
                wgpu::PrimitiveTopology::TriangleList
            } else {
                primitive_topology(key.topology)
            },
            culls: key.culls,
            depth: Some(depth_state(key)),
            samples: key.samples,
            blend,
            ..Pipeline::new(shader, &label, [entry, fragment], scene_format(key.pass))
        }
        .build(gpu)
    })
}

/// Returns the topology of a pipeline.
pub fn primitive_topology(topology: Topology) -> wgpu::PrimitiveTopology {
    match topology {
        Topology::Points => wgpu::PrimitiveTopology::PointList,
        Topology::Lines => wgpu::PrimitiveTopology::LineList,
        Topology::Triangles => wgpu::PrimitiveTopology::TriangleList,
    }
}

/// Depth test and writes. Overdraw counts every fragment, so it ignores depth.
fn depth_state(key: MeshKey) -> wgpu::DepthStencilState {
    let every_layer = key.pass == Pass::Overdraw;
    let compare =
        if every_layer { wgpu::CompareFunction::Always } else { wgpu::CompareFunction::Greater };
    let below_edges = key.pass == Pass::Wireframe && key.topology == Topology::Triangles;
    wgpu::DepthStencilState {
        // Moves faces behind their own edges.
        bias: wgpu::DepthBiasState {
            constant: if below_edges { -16 } else { 0 },
            slope_scale: if below_edges { -1.5 } else { 0.0 },
            clamp: 0.0,
        },
        ..depth_test(compare, !key.blended && !key.edges && !every_layer)
    }
}
