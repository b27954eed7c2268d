//! The uploaded twin of a model.

use std::ops::Range;
use std::sync::Arc;

use super::features::Features;
use super::images::Images;
use super::layout::{MORPHS_COLORS, MORPHS_NORMALS, MORPHS_POSITIONS, MORPHS_TANGENTS, MORPHS_UVS};
use super::material::{GpuMaterials, TextureLimits};
use super::plan::Draw;
use super::{Gpu, texture};
use crate::model::{Image, Model, MorphTarget, Primitive};

/// A model's geometry and textures on the GPU.
pub struct GpuModel {
    /// Tells one upload from another, so that what was prepared for one is not used for the next.
    pub(super) identity: Arc<()>,
    /// By mesh, then primitive; none for one without vertices.
    pub(super) meshes: Vec<Vec<Option<GpuPrimitive>>>,
    /// The materials with their textures.
    pub(super) materials: GpuMaterials,
}

/// Bytes of a list that are written at once.
const PIECE: usize = 16 << 20;

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
    /// Which kinds of deltas each target has a block of, by the flags of the layout.
    pub kinds: u32,
}

impl GpuModel {
    /// Uploads a model's geometry and the textures that pictures need, as far as the adapter takes
    /// them; what it doesn't is a warning in the log.
    pub fn new(gpu: &Gpu, model: &Model) -> Self {
        Self::with_limits(gpu, model, TextureLimits::of(gpu))
    }

    /// The same with pictures in place of the model's own, each of which is let go of when it is
    /// uploaded: they are never there twice at once.
    pub fn taking(gpu: &Gpu, model: &Model, pictures: Vec<Image>) -> Self {
        Self::of(gpu, model, Images::taken(pictures), TextureLimits::of(gpu))
    }

    /// The same as [`GpuModel::new`] for an adapter that takes less.
    pub fn with_limits(gpu: &Gpu, model: &Model, limits: TextureLimits) -> Self {
        Self::of(gpu, model, Images::Kept(&model.images), limits)
    }

    fn of(gpu: &Gpu, model: &Model, images: Images<'_>, limits: TextureLimits) -> Self {
        let meshes = model
            .meshes
            .iter()
            .map(|mesh| mesh.primitives.iter().map(|p| GpuPrimitive::new(gpu, p)).collect())
            .collect();
        let materials = GpuMaterials::new(gpu, model, images, limits);
        Self { identity: Arc::new(()), meshes, materials }
    }

    /// What the materials ask of the shader, as far as the adapter has room.
    pub fn features(&self) -> Features {
        self.materials.features
    }

    /// What a draw draws.
    pub(super) fn primitive(&self, draw: &Draw) -> Option<&GpuPrimitive> {
        self.meshes[draw.mesh][draw.primitive].as_ref()
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
        let lists = [vertices, influences, indices].map(|list| list.len() as u64);
        let size = lists.into_iter().fold(0, |end, list| next_list(end) + list);
        let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("primitive"),
            size,
            usage: wgpu::BufferUsages::VERTEX
                | wgpu::BufferUsages::INDEX
                | wgpu::BufferUsages::STORAGE
                | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut end = 0;
        let mut put = |bytes: &[u8]| {
            let start = next_list(end);
            end = start + bytes.len() as u64;
            for (piece, bytes) in (start..).step_by(PIECE).zip(bytes.chunks(PIECE)) {
                gpu.queue.write_buffer(&buffer, piece, bytes);
                // What is written waits in memory of its own until it is handed over.
                if bytes.len() == PIECE {
                    gpu.queue.submit([]);
                    gpu.wait();
                }
            }
            start..end
        };
        let (vertices, influences, indices) = (put(vertices), put(influences), put(indices));
        Some(Self { buffer, vertices, influences, indices, deltas: upload_deltas(gpu, primitive) })
    }

    /// One of the lists, which is not empty.
    pub fn list(&self, range: &Range<u64>) -> wgpu::BufferBinding<'_> {
        let size = wgpu::BufferSize::new(range.end - range.start);
        wgpu::BufferBinding { buffer: &self.buffer, offset: range.start, size }
    }
}

/// Where a list may begin behind another: adapters bind storage at multiples of 256 bytes, or of less.
fn next_list(end: u64) -> u64 {
    end.next_multiple_of(256)
}

fn upload_deltas(gpu: &Gpu, primitive: &Primitive) -> Option<Deltas> {
    let targets = &primitive.targets;
    let kinds = kinds(targets);
    let blocks = u64::from(kinds.count_ones()) * targets.len() as u64;
    if blocks == 0 {
        return None;
    }
    let limit = gpu.device.limits().max_texture_dimension_2d;
    let n = primitive.vertices.len();
    let texels = n as u64 * blocks;
    let width = texels.min(u64::from(limit)) as u32;
    let height = texels.div_ceil(u64::from(width));
    if height > u64::from(limit) {
        log::warn!("{texels} morph deltas are more than the adapter takes: drawn without");
        return None;
    }
    let mut data: Vec<[f32; 4]> = Vec::with_capacity((u64::from(width) * height) as usize);
    let mut put = |kind: u32, list: &mut dyn Iterator<Item = [f32; 4]>| {
        if kinds & kind != 0 {
            let end = data.len() + n;
            data.extend(list);
            data.resize(end, [0.0; 4]);
        }
    };
    let direction = |d: &[f32; 3]| [d[0], d[1], d[2], 0.0];
    for target in targets {
        put(MORPHS_POSITIONS, &mut target.positions.iter().map(direction));
        put(MORPHS_NORMALS, &mut target.normals.iter().map(direction));
        put(MORPHS_TANGENTS, &mut target.tangents.iter().map(direction));
        put(MORPHS_UVS, &mut target.uvs.iter().map(|[a, b]| [a[0], a[1], b[0], b[1]]));
        put(MORPHS_COLORS, &mut target.colors.iter().copied());
    }
    data.resize((u64::from(width) * height) as usize, [0.0; 4]);
    let view = texture::upload_floats(gpu, &data, width, height as u32);
    Some(Deltas { view, width, kinds })
}

/// What any of these targets changes.
fn kinds(targets: &[MorphTarget]) -> u32 {
    let flag = |there: bool, kind: u32| if there { kind } else { 0 };
    let of_target = |t: &MorphTarget| {
        flag(!t.positions.is_empty(), MORPHS_POSITIONS)
            | flag(!t.normals.is_empty(), MORPHS_NORMALS)
            | flag(!t.tangents.is_empty(), MORPHS_TANGENTS)
            | flag(!t.uvs.is_empty(), MORPHS_UVS)
            | flag(!t.colors.is_empty(), MORPHS_COLORS)
    };
    targets.iter().map(of_target).fold(0, |all, kinds| all | kinds)
}
