//! A model's geometry and textures on the GPU.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::images::Images;
use super::material::{GpuMaterials, TextureLimits};
use super::texture;
use crate::Gpu;
use crate::device::debug_label::debug_label;
use crate::scene::features::Features;
use crate::scene::uniforms::{
    MORPHS_COLORS, MORPHS_NORMALS, MORPHS_POSITIONS, MORPHS_TANGENTS, MORPHS_UVS,
};
use rigview_model::{Image, MeshCounts, Model, MorphTarget, Primitive, Vertex};

/// A model's geometry and textures on the GPU.
pub struct GpuModel {
    /// Identifies this upload, so that resources of another one are not reused.
    pub(crate) identity: Arc<()>,
    /// By mesh, then primitive; `None` for a primitive without vertices or indices.
    pub(crate) meshes: Vec<Vec<Option<GpuPrimitive>>>,
    /// The materials with their textures.
    pub(crate) materials: GpuMaterials,
    /// What its meshes contribute to the time that a picture takes, counted when it is first asked for.
    counts: OnceLock<MeshCounts>,
}

/// Bytes of a list that are uploaded at once.
const PIECE: usize = 16 << 20;

/// The vertices, influences and indices of a primitive in one buffer, and its morph deltas.
pub(crate) struct GpuPrimitive {
    pub buffer: wgpu::Buffer,
    pub vertices: Range<u64>,
    pub influences: Range<u64>,
    pub indices: Range<u64>,
    pub deltas: Option<Deltas>,
}

/// A primitive's morph targets as a texture.
pub(crate) struct Deltas {
    pub view: wgpu::TextureView,
    pub width: u32,
    /// Attributes that each target has a block of deltas for, as `MORPHS_` flags.
    pub kinds: u32,
}

impl GpuModel {
    /// Uploads a model's geometry and the textures that its materials read. Logs a warning for
    /// whatever exceeds the limits of the adapter.
    pub fn new(gpu: &Gpu, model: &Model) -> Self {
        Self::with_limits(gpu, model, TextureLimits::new(gpu))
    }

    /// Like [`GpuModel::new`], with `pictures` instead of the model's own images. Each is freed after its
    /// upload, so that the pixels are never held in memory twice.
    pub fn taking(gpu: &Gpu, model: &Model, pictures: Vec<Image>) -> Self {
        Self::upload(gpu, model, Images::taken(pictures), TextureLimits::new(gpu))
    }

    /// Like [`GpuModel::new`], with lower texture limits than the adapter's.
    pub fn with_limits(gpu: &Gpu, model: &Model, limits: TextureLimits) -> Self {
        Self::upload(gpu, model, Images::Kept(&model.images), limits)
    }

    fn upload(gpu: &Gpu, model: &Model, images: Images<'_>, limits: TextureLimits) -> Self {
        let meshes = model.meshes.iter().enumerate().map(|(i, mesh)| {
            let label = debug_label("mesh", i, mesh.name.as_deref());
            let upload = |(j, p)| GpuPrimitive::new(gpu, p, &format!("{label} primitive {j}"));
            mesh.primitives.iter().enumerate().map(upload).collect()
        });
        let meshes = meshes.collect();
        let materials = GpuMaterials::new(gpu, model, images, limits);
        Self { identity: Arc::new(()), meshes, materials, counts: OnceLock::new() }
    }

    /// Replaces the vertices of a primitive, given by the indices of the mesh and of the primitive. Nothing happens if
    /// it was not uploaded or has another number of vertices.
    pub fn replace_vertices(&self, gpu: &Gpu, [mesh, primitive]: [usize; 2], vertices: &[Vertex]) {
        let uploaded = self.meshes.get(mesh).and_then(|mesh| mesh.get(primitive)?.as_ref());
        let bytes: &[u8] = bytemuck::cast_slice(vertices);
        if let Some(uploaded) = uploaded
            && uploaded.vertices.end - uploaded.vertices.start == bytes.len() as u64
        {
            gpu.queue.write_buffer(&uploaded.buffer, uploaded.vertices.start, bytes);
        }
    }

    /// Returns what the meshes contribute to the time that a picture takes. `model` is the uploaded one.
    pub(crate) fn counts(&self, model: &Model) -> &MeshCounts {
        self.counts.get_or_init(|| MeshCounts::count(model))
    }

    /// Returns the shader features that the materials need, within the adapter's limits.
    pub fn features(&self) -> Features {
        self.materials.features
    }
}

impl GpuPrimitive {
    fn new(gpu: &Gpu, primitive: &Primitive, label: &str) -> Option<Self> {
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
            label: Some(&format!("{label} vertices, influences, indices")),
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
                // The queue holds a copy of the data until it is submitted.
                if bytes.len() == PIECE {
                    gpu.flush();
                }
            }
            start..end
        };
        let (vertices, influences, indices) = (put(vertices), put(influences), put(indices));
        let deltas = upload_deltas(gpu, primitive, label);
        Some(Self { buffer, vertices, influences, indices, deltas })
    }

    /// Returns the binding of one of the lists, which must not be empty.
    pub fn list(&self, range: &Range<u64>) -> wgpu::BufferBinding<'_> {
        let size = wgpu::BufferSize::new(range.end - range.start);
        wgpu::BufferBinding { buffer: &self.buffer, offset: range.start, size }
    }
}

/// Returns the start of the list after one that ends at `end`. Adapters require storage bindings to be
/// aligned to 256 bytes or less.
fn next_list(end: u64) -> u64 {
    end.next_multiple_of(256)
}

fn upload_deltas(gpu: &Gpu, primitive: &Primitive, label: &str) -> Option<Deltas> {
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
        log::warn!(
            "{label}: {texels} morph deltas exceed the adapter's largest texture; drawn without morphing"
        );
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
    let label = format!("{label} morph deltas");
    let view = texture::upload_floats(gpu, &label, &data, [width, height as u32]);
    Some(Deltas { view, width, kinds })
}

/// Returns the attributes that any of these targets changes.
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
