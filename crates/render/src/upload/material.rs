//! Materials on the GPU: their uniforms in one buffer, their textures by slot.

use std::collections::HashMap;

use wgpu::util::DeviceExt;

use super::images::Images;
use super::mips::TexelKind;
use super::reflectance;
use super::staging::Staging;
use super::texture::{self, UploadOptions};
use crate::Gpu;
use crate::device::debug_label::debug_label;
use crate::scene::bind_layouts::{sampler_binding, texture_binding};
use crate::scene::features::Features;
use crate::scene::uniforms::{
    ANISOTROPY_MAP, DRAW_BACKS, DRAW_FRONTS, MaterialUniform, SPECULAR_GLOSSY, UNIFORM_ALIGNMENT,
    UNLIT, UvRows,
};
use rigview_model::{
    AlphaMode, Material, MaterialTextures, Model, Primitive, TextureRef, TextureSampler,
    TextureSlot,
};

/// Textures per shader stage beside the material's: the reflectance table, the copy of the opaque picture,
/// and those of group 0.
const OTHER_TEXTURES: u32 = 6;

/// An adapter's limits on a model's textures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureLimits {
    /// Textures per material; if there are more, the last slots are ignored.
    pub count: usize,
    /// Largest width or height in pixels; larger images are scaled down.
    pub side: u32,
}

impl TextureLimits {
    /// Returns the limits of an adapter.
    pub fn new(gpu: &Gpu) -> Self {
        let limits = gpu.device.limits();
        let textures = limits.max_sampled_textures_per_shader_stage;
        let bound = textures.min(limits.max_samplers_per_shader_stage);
        let count = bound.saturating_sub(OTHER_TEXTURES) as usize;
        Self { count, side: limits.max_texture_dimension_2d }
    }
}

/// The faces that a material's uniform shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Faces {
    /// Those that the material specifies.
    Own = 0,
    /// The back faces of a double-sided material.
    Backs = 1,
    /// The front faces of a double-sided material.
    Fronts = 2,
}

/// A texture of a material.
pub(crate) struct BoundTexture {
    pub slot: TextureSlot,
    pub view: wgpu::TextureView,
    sampler: wgpu::Sampler,
}

/// All materials of a model, the default material last.
pub(crate) struct GpuMaterials {
    /// Union of the features of all materials in use.
    pub features: Features,
    /// Labels by material.
    labels: Vec<String>,
    /// Three uniforms per material, one per variant of [`Faces`].
    uniforms: wgpu::Buffer,
    /// By material; a texture per slot of the features.
    pub textures: Vec<Vec<BoundTexture>>,
    /// By material: those of its textures that are used.
    pub drawn: Vec<MaterialTextures>,
    reflectance: wgpu::TextureView,
    reflectance_sampler: wgpu::Sampler,
}

impl GpuMaterials {
    /// Uploads a model's materials and the images that they read.
    pub fn new(gpu: &Gpu, model: &Model, images: Images<'_>, limits: TextureLimits) -> Self {
        let default = Material::default();
        let materials: Vec<&Material> = model.materials.iter().chain([&default]).collect();
        // Materials that no primitive uses need no features.
        let mut used = vec![false; materials.len()];
        let primitives = model.meshes.iter().flat_map(|mesh| &mesh.primitives);
        primitives.flat_map(Primitive::materials).for_each(|material| used[material] = true);
        let asked = materials.iter().zip(&used).filter(|(_, used)| **used);
        let asked =
            asked.map(|(m, _)| Features::needed_by(m)).fold(Features::default(), Features::union);
        let features = asked.limited(limits.count);
        let left_out: Vec<_> =
            asked.slots().filter(|s| !features.reads(*s)).map(TextureSlot::name).collect();
        if !left_out.is_empty() {
            let (list, most) = (left_out.join(", "), limits.count);
            log::warn!("the adapter can bind {most} textures per material; ignoring {list}");
        }
        let read = |(material, used): (&&Material, &bool)| {
            if used {
                readable(model, &images, material, features)
            } else {
                MaterialTextures::default()
            }
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
                let texture = |slot| uploads.texture(slot, texel_kind(slot, material), read[slot]);
                features.slots().map(texture).collect::<Vec<_>>()
            })
            .collect();
        uploads.staging.submit(gpu);
        let (reflectance, reflectance_sampler) = reflectance::upload(gpu);
        let uniforms = upload_uniforms(gpu, materials.iter().copied().zip(&read));
        let label = |(i, m): (usize, &Material)| debug_label("material", i, m.name.as_deref());
        let mut labels: Vec<String> = model.materials.iter().enumerate().map(label).collect();
        labels.push("default material".into());
        Self { features, labels, uniforms, textures, drawn: read, reflectance, reflectance_sampler }
    }

    /// Uploads the animated values of the materials with the indices `moving`.
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

    /// Returns the dynamic offset of a material's uniform. `None` is the default material.
    pub fn offset(&self, material: Option<usize>, faces: Faces) -> u32 {
        (self.index(material) * 3 + faces as usize) as u32 * STRIDE as u32
    }

    /// Returns the index of a material in the lists of this type. `None` is the default material.
    pub fn index(&self, material: Option<usize>) -> usize {
        material.unwrap_or(self.textures.len() - 1)
    }

    /// Creates a bind group per material, with a layout for these features.
    pub fn bind(&self, gpu: &Gpu, layout: &wgpu::BindGroupLayout) -> Vec<wgpu::BindGroup> {
        let bind = |(label, textures): (&String, &Vec<BoundTexture>)| {
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
            for BoundTexture { slot, view, sampler } in textures {
                entries.push((texture_binding(*slot), wgpu::BindingResource::TextureView(view)));
                entries.push((sampler_binding(*slot), wgpu::BindingResource::Sampler(sampler)));
            }
            let entry = |(binding, resource)| wgpu::BindGroupEntry { binding, resource };
            gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some(label),
                layout,
                entries: &entries.into_iter().map(entry).collect::<Vec<_>>(),
            })
        };
        self.labels.iter().zip(&self.textures).map(bind).collect()
    }
}

/// Returns the textures of a material that are used: those in the features whose image is readable. A base
/// colour texture is always used, with a checkerboard for an unreadable image; without any other texture,
/// only its factor applies.
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

/// The images and samplers uploaded so far.
struct Uploads<'a> {
    gpu: &'a Gpu,
    model: &'a Model,
    images: Images<'a>,
    side: u32,
    least_alphas: Vec<Option<u8>>,
    staging: Staging,
    white: wgpu::TextureView,
    /// By image, kind, and whether it has mip levels.
    views: HashMap<(usize, TexelKind, bool), wgpu::TextureView>,
    samplers: HashMap<TextureSampler, wgpu::Sampler>,
}

impl<'a> Uploads<'a> {
    fn new(gpu: &'a Gpu, model: &'a Model, images: Images<'a>, side: u32) -> Self {
        let mut staging = Staging::new(gpu);
        let white = texture::white(gpu, &mut staging);
        let (views, samplers) = Default::default();
        let least_alphas = model.least_alphas();
        Self { gpu, model, images, side, least_alphas, staging, white, views, samplers }
    }

    /// Announces a later call of [`Uploads::texture`], so that the image is kept until then.
    fn expect(&mut self, used: Option<TextureRef>) {
        if let Some(image) = used.and_then(|t| self.model.textures[t.texture].image) {
            self.images.expect(image);
        }
    }

    /// Returns the texture and sampler of a slot; a white pixel without a texture.
    fn texture(
        &mut self,
        slot: TextureSlot,
        kind: TexelKind,
        used: Option<TextureRef>,
    ) -> BoundTexture {
        let Self { gpu, model, side, .. } = *self;
        let texture = used.map(|t| &model.textures[t.texture]);
        let how = texture.map(|t| t.sampler).unwrap_or_default();
        let view = match texture.and_then(|t| t.image) {
            Some(index) => {
                let mips = how.mip.is_some();
                // One copy for all masks of an image, whatever their cutoffs: a file may have hundreds.
                let kind = match (kind, self.least_alphas[index]) {
                    (TexelKind::Masked(_), Some(least)) => TexelKind::Masked(least),
                    (kind, _) => kind,
                };
                let options = UploadOptions { index, kind, mips, limit: side };
                let (image, staging) = (self.images.get(index), &mut self.staging);
                let upload = || texture::upload(gpu, staging, image, &options);
                let view = self.views.entry((index, kind, mips)).or_insert_with(upload).clone();
                self.images.done(index);
                view
            }
            None => self.white.clone(),
        };
        let sampler =
            self.samplers.entry(how).or_insert_with(|| texture::sampler(gpu, &how)).clone();
        BoundTexture { slot, view, sampler }
    }
}

/// Returns the meaning of a slot's texels. Alpha is opacity only in the base colour of a material that is
/// masked or blended; in the sheen colour, for example, it is roughness.
fn texel_kind(slot: TextureSlot, material: &Material) -> TexelKind {
    match slot {
        TextureSlot::BaseColor if material.alpha_mode != AlphaMode::Opaque => {
            material.least_alpha().map_or(TexelKind::Cutout, TexelKind::Masked)
        }
        _ if slot.is_color() => TexelKind::Color,
        _ => TexelKind::Data,
    }
}

/// Bytes from one uniform to the next.
const STRIDE: usize = size_of::<MaterialUniform>().next_multiple_of(UNIFORM_ALIGNMENT as usize);

/// Bytes of a material's three uniforms.
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
        label: Some("material uniforms"),
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

/// Returns the uniform of a material; `textures` are those that are used.
fn uniform(material: &Material, textures: &MaterialTextures, faces: Faces) -> MaterialUniform {
    let m = material;
    // Without a normal map the texel is white, which is not a valid normal, so its slope is ignored.
    let slope = |slot, scale| if textures[slot].is_some() { scale } else { 0.0 };
    // A missing emissive texture must not make the whole surface glow.
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
    // Absorption per metre (Beer's law) from the colour that remains after the attenuation distance.
    let absorption = volume.map_or([0.0; 3], |v| {
        v.attenuation_color.map(|c| -c.max(1e-6).ln() / v.attenuation_distance.max(1e-6))
    });
    let through = m.diffuse_transmission;
    let has_occlusion = textures[TextureSlot::Occlusion].is_some();
    MaterialUniform {
        base_color: m.base_color,
        emissive,
        alpha_cutoff: alpha_cutoff(m),
        metallic: m.metallic,
        roughness,
        normal_scale: slope(TextureSlot::Normal, m.normal_scale),
        occlusion_strength: if has_occlusion { m.occlusion_strength } else { 0.0 },
        specular_f0: f0,
        specular_f90: m.specular,
        clearcoat: coat.map_or(0.0, |c| c.factor),
        clearcoat_roughness: coat.map_or(0.0, |c| c.roughness),
        clearcoat_normal_scale: slope(
            TextureSlot::ClearcoatNormal,
            coat.map_or(0.0, |c| c.normal_scale),
        ),
        dispersion: m.dispersion.unwrap_or(0.0),
        sheen_color: m.sheen.map_or([0.0; 3], |s| s.color),
        sheen_roughness: m.sheen.map_or(0.0, |s| s.roughness),
        iridescence: film.map_or(0.0, |f| f.factor),
        iridescence_ior: film.map_or(1.0, |f| f.ior),
        // Without a map the texel is white, which selects the maximum.
        iridescence_thinnest: film.map_or(0.0, |f| f.thickness_min),
        iridescence_thickest: film.map_or(0.0, |f| f.thickness_max),
        anisotropy: m.anisotropy.map_or(0.0, |a| a.strength),
        transmission: m.transmission.unwrap_or(0.0),
        anisotropy_direction: [cos, sin],
        absorption,
        thickness: volume.map_or(0.0, |v| v.thickness),
        diffuse_transmission_color: through.map_or([1.0; 3], |t| t.color),
        diffuse_transmission: through.map_or(0.0, |t| t.factor),
        ior: if m.ior == 0.0 { 1.5 } else { m.ior },
        opaque: f32::from(m.alpha_mode != AlphaMode::Blend),
        flags: flags(material, textures, faces),
        padding: 0,
        uv: TextureSlot::ALL.map(|slot| uv_rows(textures[slot])),
    }
}

/// Returns the material's flags for the shader.
fn flags(material: &Material, textures: &MaterialTextures, faces: Faces) -> u32 {
    let both = if material.double_sided { DRAW_FRONTS | DRAW_BACKS } else { DRAW_FRONTS };
    let mut flags = match faces {
        Faces::Own => both,
        Faces::Backs => both & DRAW_BACKS,
        Faces::Fronts => DRAW_FRONTS,
    };
    if material.unlit {
        flags |= UNLIT;
    }
    if textures[TextureSlot::Anisotropy].is_some() {
        flags |= ANISOTROPY_MAP;
    }
    if material.specular_glossiness.is_some() {
        flags |= SPECULAR_GLOSSY;
    }
    flags
}

/// What interpolation may take from an alpha that is the same at all corners. Steps of textures are far larger.
const ALPHA_ERROR: f32 = 1e-5;

/// Returns the alpha below which fragments are discarded; negative without a mask. A surface whose alpha is the cutoff is
/// drawn whole.
fn alpha_cutoff(material: &Material) -> f32 {
    match material.alpha_mode {
        AlphaMode::Mask { cutoff } => cutoff - ALPHA_ERROR,
        _ => -1.0,
    }
}

fn uv_rows(used: Option<TextureRef>) -> UvRows {
    let transform = used.map(|t| t.transform).unwrap_or_default().matrix();
    let (x, y, t) = (transform.matrix2.x_axis, transform.matrix2.y_axis, transform.translation);
    let set = used.map_or(0, |t| t.uv_set) as f32;
    UvRows { u: [x.x, y.x, t.x, set], v: [x.y, y.y, t.y, 0.0] }
}
