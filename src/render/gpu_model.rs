//! The uploaded twin of a model.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use wgpu::util::DeviceExt;

use super::layout::{DRAW_BACKS, DRAW_FRONTS, MaterialUniform, UNIFORM_ALIGNMENT, UNLIT};
use super::plan::Draw;
use super::{Gpu, texture};
use crate::model::{AlphaMode, Material, Model, Primitive, TextureRef, TextureSampler};

/// A model's geometry and textures on the GPU.
pub struct GpuModel {
    /// Tells one upload from another, so that what was prepared for one is not used for the next.
    pub(super) identity: Arc<()>,
    /// By mesh, then primitive; none for one without vertices.
    pub(super) meshes: Vec<Vec<Option<GpuPrimitive>>>,
    /// All materials' uniforms, three variants each; the default material's come last.
    pub(super) material_uniforms: wgpu::Buffer,
    /// By material: its texture and sampler; the default material's come last.
    pub(super) material_textures: Vec<(wgpu::TextureView, wgpu::Sampler)>,
}

/// A primitive's lists, in one buffer.
pub(super) struct GpuPrimitive {
    pub buffer: wgpu::Buffer,
    pub vertices: Range<u64>,
    pub influences: Range<u64>,
    pub indices: Range<u64>,
    pub deltas: Option<Deltas>,
}

/// A primitive's morph targets as a texture.
pub(super) struct Deltas {
    pub view: wgpu::TextureView,
    pub width: u32,
    /// 1: positions; 2: positions, then normals.
    pub blocks: u32,
}

/// Which faces a material's uniform lets through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Faces {
    /// What the material says.
    Own = 0,
    /// Of a double-sided one the backs.
    Backs = 1,
    /// Of a double-sided one the fronts.
    Fronts = 2,
}

impl GpuModel {
    /// Uploads a model's geometry and the textures that pictures need.
    pub fn new(gpu: &Gpu, model: &Model) -> Self {
        let meshes = model
            .meshes
            .iter()
            .map(|mesh| mesh.primitives.iter().map(|p| GpuPrimitive::new(gpu, p)).collect())
            .collect();
        let default = Material::default();
        let materials: Vec<&Material> = model.materials.iter().chain([&default]).collect();
        Self {
            identity: Arc::new(()),
            meshes,
            material_uniforms: upload_uniforms(gpu, &materials),
            material_textures: upload_textures(gpu, model, &materials),
        }
    }

    /// What a draw draws.
    pub(super) fn primitive(&self, draw: &Draw) -> Option<&GpuPrimitive> {
        self.meshes[draw.mesh][draw.primitive].as_ref()
    }

    /// Where a material's uniform begins. `None` is the default material.
    pub(super) fn material_offset(&self, material: Option<usize>, faces: Faces) -> u32 {
        (self.material_index(material) * 3 + faces as usize) as u32 * UNIFORM_ALIGNMENT as u32
    }

    /// The index of a material in the lists here. `None` is the default material.
    pub(super) fn material_index(&self, material: Option<usize>) -> usize {
        material.unwrap_or(self.material_textures.len() - 1)
    }
}

impl GpuPrimitive {
    fn new(gpu: &Gpu, primitive: &Primitive) -> Option<Self> {
        if primitive.vertices.is_empty() || primitive.indices.is_empty() {
            return None;
        }
        let vertices: &[u8] = bytemuck::cast_slice(&primitive.vertices);
        let influences: &[u8] =
            primitive.influences.as_ref().map_or(&[], |i| bytemuck::cast_slice(&i.list));
        let indices: &[u8] = bytemuck::cast_slice(&primitive.indices);
        // Vertices are 64 bytes, influences 20, indices 4: every list begins at a multiple of 4.
        let size = vertices.len() + influences.len() + indices.len();
        let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("primitive"),
            size: size as u64,
            usage: wgpu::BufferUsages::VERTEX
                | wgpu::BufferUsages::INDEX
                | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut end = 0;
        let mut put = |bytes: &[u8]| {
            let start = end;
            end += bytes.len() as u64;
            if !bytes.is_empty() {
                gpu.queue.write_buffer(&buffer, start, bytes);
            }
            start..end
        };
        let (vertices, influences, indices) = (put(vertices), put(influences), put(indices));
        Some(Self { buffer, vertices, influences, indices, deltas: upload_deltas(gpu, primitive) })
    }
}

fn upload_deltas(gpu: &Gpu, primitive: &Primitive) -> Option<Deltas> {
    if primitive.targets.is_empty() {
        return None;
    }
    let blocks = 1 + u32::from(primitive.targets.iter().any(|t| !t.normals.is_empty()));
    let limit = gpu.device.limits().max_texture_dimension_2d;
    let n = primitive.vertices.len() as u64;
    let texels = n * u64::from(blocks) * primitive.targets.len() as u64;
    let width = texels.min(u64::from(limit)) as u32;
    let height = texels.div_ceil(u64::from(width));
    if height > u64::from(limit) {
        log::warn!("{texels} morph deltas are more than the adapter takes: drawn without");
        return None;
    }
    let mut data = Vec::with_capacity((u64::from(width) * height) as usize);
    let mut put = |deltas: &[[f32; 3]]| {
        data.extend(deltas.iter().map(|d| [d[0], d[1], d[2], 0.0]));
        data.resize(data.len() + n as usize - deltas.len(), [0.0; 4]);
    };
    for target in &primitive.targets {
        put(&target.positions);
        if blocks == 2 {
            put(&target.normals);
        }
    }
    data.resize((u64::from(width) * height) as usize, [0.0; 4]);
    let view = texture::upload_floats(gpu, &data, width, height as u32);
    Some(Deltas { view, width, blocks })
}

fn upload_uniforms(gpu: &Gpu, materials: &[&Material]) -> wgpu::Buffer {
    let stride = UNIFORM_ALIGNMENT as usize;
    let mut bytes = vec![0; materials.len() * 3 * stride];
    for (i, material) in materials.iter().enumerate() {
        for faces in [Faces::Own, Faces::Backs, Faces::Fronts] {
            let at = (i * 3 + faces as usize) * stride;
            let uniform = material_uniform(material, faces);
            bytes[at..at + size_of::<MaterialUniform>()]
                .copy_from_slice(bytemuck::bytes_of(&uniform));
        }
    }
    gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("materials"),
        contents: &bytes,
        usage: wgpu::BufferUsages::UNIFORM,
    })
}

fn material_uniform(material: &Material, faces: Faces) -> MaterialUniform {
    let transform = material.base_color_texture.map(|t| t.transform).unwrap_or_default().matrix();
    let set = material.base_color_texture.map_or(0, |t| t.uv_set) as f32;
    let (x, y, t) = (transform.matrix2.x_axis, transform.matrix2.y_axis, transform.translation);
    let both = if material.double_sided { DRAW_FRONTS | DRAW_BACKS } else { DRAW_FRONTS };
    let shown = match faces {
        Faces::Own => both,
        Faces::Backs => both & DRAW_BACKS,
        Faces::Fronts => DRAW_FRONTS,
    };
    MaterialUniform {
        base_color: material.base_color,
        uv_u: [x.x, y.x, t.x, set],
        uv_v: [x.y, y.y, t.y, 0.0],
        alpha_cutoff: match material.alpha_mode {
            AlphaMode::Mask { cutoff } => cutoff,
            _ => -1.0,
        },
        opaque: f32::from(material.alpha_mode != AlphaMode::Blend),
        roughness: material.roughness,
        flags: shown | if material.unlit { UNLIT } else { 0 },
    }
}

fn upload_textures(
    gpu: &Gpu,
    model: &Model,
    materials: &[&Material],
) -> Vec<(wgpu::TextureView, wgpu::Sampler)> {
    let white = texture::white(gpu);
    let mut views: HashMap<(usize, bool), wgpu::TextureView> = HashMap::new();
    let mut samplers: HashMap<TextureSampler, wgpu::Sampler> = HashMap::new();
    let mut bound = |used: Option<TextureRef>| {
        let texture = used.map(|t| &model.textures[t.texture]);
        let how = texture.map(|t| t.sampler).unwrap_or_default();
        let view = match texture.and_then(|t| t.image) {
            Some(image) => views
                .entry((image, how.mip.is_some()))
                .or_insert_with(|| {
                    texture::upload_color(gpu, &model.images[image], how.mip.is_some())
                })
                .clone(),
            None => white.clone(),
        };
        let sampler = samplers.entry(how).or_insert_with(|| texture::sampler(gpu, &how)).clone();
        (view, sampler)
    };
    materials.iter().map(|m| bound(m.base_color_texture)).collect()
}
