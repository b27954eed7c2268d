//! Materials on the GPU: their numbers in one buffer, their textures bound by slot.

use std::collections::HashMap;

use wgpu::util::DeviceExt;

use super::features::Features;
use super::images::Images;
use super::layout::{
    ANISOTROPY_MAP, DRAW_BACKS, DRAW_FRONTS, MaterialUniform, SPECULAR_GLOSSY, UNIFORM_ALIGNMENT,
    UNLIT, UvRows, sampler_binding, texture_binding,
};
use super::staging::Staging;
use super::texture::{self, Content};
use super::{Gpu, reflectance};
use crate::model::{
    AlphaMode, Material, MaterialTextures, Model, Primitive, TextureRef, TextureSampler,
    TextureSlot,
};

/// Textures that a stage reads beside the materials' own: reflectance, what is behind, and those of
/// the frame's light.
const OTHER_TEXTURES: u32 = 6;

/// What an adapter takes of a model's pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureLimits {
    /// Textures of one material; of more, the last slots are left out.
    pub count: usize,
    /// Pixels along a side; larger pictures are scaled down.
    pub side: u32,
}

impl TextureLimits {
    /// An adapter's.
    pub fn of(gpu: &Gpu) -> Self {
        let limits = gpu.device.limits();
        let textures = limits.max_sampled_textures_per_shader_stage;
        let bound = textures.min(limits.max_samplers_per_shader_stage);
        let count = bound.saturating_sub(OTHER_TEXTURES) as usize;
        Self { count, side: limits.max_texture_dimension_2d }
    }
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

/// All materials of a model, the default one last.
pub(super) struct GpuMaterials {
    /// What they ask of the shader together.
    pub features: Features,
    /// Three uniforms each, one for each of [`Faces`].
    uniforms: wgpu::Buffer,
    /// By material, then slot of the features.
    textures: Vec<Vec<(TextureSlot, wgpu::TextureView, wgpu::Sampler)>>,
    /// By material: those of its textures that are drawn.
    drawn: Vec<MaterialTextures>,
    reflectance: wgpu::TextureView,
    reflectance_sampler: wgpu::Sampler,
}

impl GpuMaterials {
    /// Uploads a model's materials and the pictures that they read.
    pub fn new(gpu: &Gpu, model: &Model, images: Images<'_>, limits: TextureLimits) -> Self {
        let default = Material::default();
        let materials: Vec<&Material> = model.materials.iter().chain([&default]).collect();
        // What no primitive is drawn with asks for nothing.
        let mut used = vec![false; materials.len()];
        let primitives = model.meshes.iter().flat_map(|mesh| &mesh.primitives);
        primitives.flat_map(Primitive::materials).for_each(|material| used[material] = true);
        let asked = materials.iter().zip(&used).filter(|(_, used)| **used);
        let asked = asked.map(|(m, _)| Features::of(m)).fold(Features::default(), Features::union);
        let features = asked.limited(limits.count);
        let left_out: Vec<_> =
            asked.slots().filter(|s| !features.reads(*s)).map(TextureSlot::name).collect();
        if !left_out.is_empty() {
            let (list, most) = (left_out.join(", "), limits.count);
            log::warn!("the adapter reads {most} textures of a material: drawn without {list}");
        }
        let read = |(material, used): (&&Material, &bool)| match used {
            true => readable(model, &images, material, features),
            false => MaterialTextures::default(),
        };
        let read: Vec<MaterialTextures> = materials.iter().zip(&used).map(read).collect();
        let mut uploads = Uploads::new(gpu, model, images, limits.side);
        for read in &read {
            features.slots().for_each(|slot| uploads.expect(read[slot]));
        }
        let textures = materials
            .iter()
            .zip(&read)
            .map(|(material, read)| {
                let texture = |slot| uploads.texture(slot, content(slot, material), read[slot]);
                features.slots().map(texture).collect::<Vec<_>>()
            })
            .collect();
        uploads.staging.hand_over(gpu);
        let (reflectance, reflectance_sampler) = reflectance::upload(gpu);
        let uniforms = upload_uniforms(gpu, materials.iter().copied().zip(&read));
        Self { features, uniforms, textures, drawn: read, reflectance, reflectance_sampler }
    }

    /// Gives the materials of these numbers what an animation makes of them.
    pub fn update(&self, gpu: &Gpu, materials: &[Material], moving: &[usize]) {
        let mut block = [0; BLOCK];
        for &i in moving {
            let mut textures = self.drawn[i].clone();
            for slot in TextureSlot::ALL {
                if let (Some(drawn), Some(now)) = (&mut textures[slot], materials[i].textures[slot])
                {
                    drawn.transform = now.transform;
                }
            }
            put_uniforms(&materials[i], &textures, &mut block);
            gpu.queue.write_buffer(&self.uniforms, (i * BLOCK) as u64, &block);
        }
    }

    /// Where a material's uniform begins. `None` is the default material.
    pub fn offset(&self, material: Option<usize>, faces: Faces) -> u32 {
        (self.index(material) * 3 + faces as usize) as u32 * STRIDE as u32
    }

    /// The index of a material in the lists here. `None` is the default material.
    pub fn index(&self, material: Option<usize>) -> usize {
        material.unwrap_or(self.textures.len() - 1)
    }

    /// A bind group a material, of a layout for these features.
    pub fn bind(&self, gpu: &Gpu, layout: &wgpu::BindGroupLayout) -> Vec<wgpu::BindGroup> {
        let bind = |textures: &Vec<(TextureSlot, wgpu::TextureView, wgpu::Sampler)>| {
            let uniform = wgpu::BufferBinding {
                buffer: &self.uniforms,
                offset: 0,
                size: wgpu::BufferSize::new(size_of::<MaterialUniform>() as u64),
            };
            let mut entries = vec![
                (0, wgpu::BindingResource::Buffer(uniform)),
                (1, wgpu::BindingResource::TextureView(&self.reflectance)),
                (2, wgpu::BindingResource::Sampler(&self.reflectance_sampler)),
            ];
            for (slot, view, sampler) in textures {
                entries.push((texture_binding(*slot), wgpu::BindingResource::TextureView(view)));
                entries.push((sampler_binding(*slot), wgpu::BindingResource::Sampler(sampler)));
            }
            let entry = |(binding, resource)| wgpu::BindGroupEntry { binding, resource };
            gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("material"),
                layout,
                entries: &entries.into_iter().map(entry).collect::<Vec<_>>(),
            })
        };
        self.textures.iter().map(bind).collect()
    }
}

/// The textures of a material that are drawn: those of the features whose picture can be read. A
/// base colour that can't has a stand-in; every other factor then counts alone.
fn readable(
    model: &Model,
    images: &Images<'_>,
    material: &Material,
    features: Features,
) -> MaterialTextures {
    let mut textures = MaterialTextures::default();
    for (slot, used) in material.textures.iter().filter(|(slot, _)| features.reads(*slot)) {
        let image = model.textures[used.texture].image.map(|i| images.get(i));
        let missing = image.is_none_or(|i| i.pixels.bytes() == 0);
        if !missing || slot == TextureSlot::BaseColor {
            textures[slot] = Some(used);
        }
    }
    textures
}

/// What was uploaded so far.
struct Uploads<'a> {
    gpu: &'a Gpu,
    model: &'a Model,
    images: Images<'a>,
    side: u32,
    staging: Staging,
    white: wgpu::TextureView,
    views: HashMap<(usize, Content, bool), wgpu::TextureView>,
    samplers: HashMap<TextureSampler, wgpu::Sampler>,
}

impl<'a> Uploads<'a> {
    fn new(gpu: &'a Gpu, model: &'a Model, images: Images<'a>, side: u32) -> Self {
        let mut staging = Staging::new(gpu);
        let white = texture::white(gpu, &mut staging);
        let (views, samplers) = Default::default();
        Self { gpu, model, images, side, staging, white, views, samplers }
    }

    /// Announces that a slot's picture will be asked for.
    fn expect(&mut self, used: Option<TextureRef>) {
        if let Some(image) = used.and_then(|t| self.model.textures[t.texture].image) {
            self.images.expect(image);
        }
    }

    /// A slot's picture and how it is sampled; white without one.
    fn texture(
        &mut self,
        slot: TextureSlot,
        content: Content,
        used: Option<TextureRef>,
    ) -> (TextureSlot, wgpu::TextureView, wgpu::Sampler) {
        let Self { gpu, model, side, .. } = *self;
        let texture = used.map(|t| &model.textures[t.texture]);
        let how = texture.map(|t| t.sampler).unwrap_or_default();
        let view = match texture.and_then(|t| t.image) {
            Some(image) => {
                let key = (image, content, how.mip.is_some());
                let (from, staging) = (&self.images, &mut self.staging);
                let from = from.get(image);
                let upload = || texture::upload(gpu, staging, from, content, key.2, side);
                let view = self.views.entry(key).or_insert_with(upload).clone();
                self.images.done(image);
                view
            }
            None => self.white.clone(),
        };
        let sampler =
            self.samplers.entry(how).or_insert_with(|| texture::sampler(gpu, &how)).clone();
        (slot, view, sampler)
    }
}

/// What a slot's texels are in a material. Only a base colour's alpha tells how much of it is there,
/// and only where the material looks at it; of sheen, say, it is the roughness.
fn content(slot: TextureSlot, material: &Material) -> Content {
    match slot {
        TextureSlot::BaseColor if material.alpha_mode != AlphaMode::Opaque => Content::Cutout,
        _ if slot.is_color() => Content::Color,
        _ => Content::Data,
    }
}

/// Bytes from one uniform to the next.
const STRIDE: usize = size_of::<MaterialUniform>().next_multiple_of(UNIFORM_ALIGNMENT as usize);

/// Bytes of a material's three.
const BLOCK: usize = 3 * STRIDE;

fn upload_uniforms<'a>(
    gpu: &Gpu,
    materials: impl ExactSizeIterator<Item = (&'a Material, &'a MaterialTextures)>,
) -> wgpu::Buffer {
    let mut bytes = vec![0; materials.len() * BLOCK];
    for ((material, textures), block) in materials.zip(bytes.chunks_exact_mut(BLOCK)) {
        put_uniforms(material, textures, block);
    }
    gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("materials"),
        contents: &bytes,
        usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
    })
}

/// Writes the three uniforms of a material.
fn put_uniforms(material: &Material, textures: &MaterialTextures, block: &mut [u8]) {
    for faces in [Faces::Own, Faces::Backs, Faces::Fronts] {
        let uniform = uniform(material, textures, faces);
        block[faces as usize * STRIDE..][..size_of::<MaterialUniform>()]
            .copy_from_slice(bytemuck::bytes_of(&uniform));
    }
}

/// A material's numbers; `textures` are those that are drawn.
fn uniform(material: &Material, textures: &MaterialTextures, faces: Faces) -> MaterialUniform {
    let m = material;
    let both = if m.double_sided { DRAW_FRONTS | DRAW_BACKS } else { DRAW_FRONTS };
    let mut flags = match faces {
        Faces::Own => both,
        Faces::Backs => both & DRAW_BACKS,
        Faces::Fronts => DRAW_FRONTS,
    };
    if m.unlit {
        flags |= UNLIT;
    }
    if textures[TextureSlot::Anisotropy].is_some() {
        flags |= ANISOTROPY_MAP;
    }
    if m.specular_glossiness.is_some() {
        flags |= SPECULAR_GLOSSY;
    }
    // A white texel is no normal: without a map its slope counts for nothing.
    let slope = |slot, scale| if textures[slot].is_some() { scale } else { 0.0 };
    // What shines by a texture that is missing stays dark.
    let lost = |slot| m.textures[slot].is_some() && textures[slot].is_none();
    let shining = m.emissive.map(|e| (e * m.emissive_strength).min(f32::MAX));
    let emissive = if lost(TextureSlot::Emissive) { [0.0; 3] } else { shining };
    let dielectric = if m.ior == 0.0 { 1.0 } else { ((m.ior - 1.0) / (m.ior + 1.0)).powi(2) };
    let (f0, roughness) = match m.specular_glossiness {
        Some(shine) => (shine.specular, shine.glossiness),
        None => (m.specular_color.map(|c| c * dielectric), m.roughness),
    };
    let coat = m.clearcoat;
    let film = m.iridescence;
    let (sin, cos) = m.anisotropy.map_or(0.0, |a| a.rotation).sin_cos();
    let volume = m.volume;
    // Absorption a metre: Beer's law from the colour that is left after the distance.
    let absorption = volume.map_or([0.0; 3], |v| {
        v.attenuation_color.map(|c| -c.max(1e-6).ln() / v.attenuation_distance.max(1e-6))
    });
    let through = m.diffuse_transmission;
    let [f0_r, f0_g, f0_b] = f0;
    let [e_r, e_g, e_b] = emissive;
    let [s_r, s_g, s_b] = m.sheen.map_or([0.0; 3], |s| s.color);
    let [a_r, a_g, a_b] = absorption;
    let [t_r, t_g, t_b] = through.map_or([1.0; 3], |t| t.color);
    MaterialUniform {
        base_color: m.base_color,
        emissive: [e_r, e_g, e_b, alpha_cutoff(m)],
        surface: [m.metallic, roughness, slope(TextureSlot::Normal, m.normal_scale), {
            let strength = m.occlusion_strength;
            if textures[TextureSlot::Occlusion].is_some() { strength } else { 0.0 }
        }],
        specular: [f0_r, f0_g, f0_b, m.specular],
        clearcoat: [
            coat.map_or(0.0, |c| c.factor),
            coat.map_or(0.0, |c| c.roughness),
            slope(TextureSlot::ClearcoatNormal, coat.map_or(0.0, |c| c.normal_scale)),
            m.dispersion.unwrap_or(0.0),
        ],
        sheen: [s_r, s_g, s_b, m.sheen.map_or(0.0, |s| s.roughness)],
        iridescence: [
            film.map_or(0.0, |f| f.factor),
            film.map_or(1.0, |f| f.ior),
            // Without a map the texel is white, which is the maximum.
            film.map_or(0.0, |f| f.thickness_min),
            film.map_or(0.0, |f| f.thickness_max),
        ],
        anisotropy: [
            m.anisotropy.map_or(0.0, |a| a.strength),
            cos,
            sin,
            m.transmission.unwrap_or(0.0),
        ],
        absorption: [a_r, a_g, a_b, volume.map_or(0.0, |v| v.thickness)],
        diffuse_transmission: [t_r, t_g, t_b, through.map_or(0.0, |t| t.factor)],
        ior: if m.ior == 0.0 { 1.5 } else { m.ior },
        opaque: f32::from(m.alpha_mode != AlphaMode::Blend),
        flags,
        padding: 0,
        uv: TextureSlot::ALL.map(|slot| uv_rows(textures[slot])),
    }
}

/// Below this alpha nothing is drawn.
fn alpha_cutoff(material: &Material) -> f32 {
    match material.alpha_mode {
        AlphaMode::Mask { cutoff } => cutoff,
        _ => -1.0,
    }
}

fn uv_rows(used: Option<TextureRef>) -> UvRows {
    let transform = used.map(|t| t.transform).unwrap_or_default().matrix();
    let (x, y, t) = (transform.matrix2.x_axis, transform.matrix2.y_axis, transform.translation);
    let set = used.map_or(0, |t| t.uv_set) as f32;
    UvRows { u: [x.x, y.x, t.x, set], v: [x.y, y.y, t.y, 0.0] }
}
