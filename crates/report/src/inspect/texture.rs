//! A texture: its image, its sampler, and the materials that use it.

use serde::Serialize;

use rigview_model::{Filter, Model, TextureSampler, Wrap};

/// A texture.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TextureFacts {
    /// Its index.
    pub index: usize,
    /// Its name.
    pub name: Option<String>,
    /// Index of its image; `None` if it has none that can be read.
    pub image: Option<usize>,
    /// The image's name.
    pub image_name: Option<String>,
    /// The image's media type.
    pub mime: String,
    /// Width in pixels; 0 if unknown.
    pub width: u32,
    /// Height in pixels; 0 if unknown.
    pub height: u32,
    /// Its sampler.
    pub sampler: SamplerFacts,
    /// The materials that use it, each with the slot's key in glTF.
    pub used_by: Vec<(usize, &'static str)>,
}

/// A sampler, in the words of glTF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SamplerFacts {
    /// Magnification.
    pub mag: &'static str,
    /// Minification.
    pub min: &'static str,
    /// Horizontal wrapping.
    pub wrap_s: &'static str,
    /// Vertical wrapping.
    pub wrap_t: &'static str,
}

/// Returns the facts of a texture in the file.
///
/// # Panics
/// If there is no such texture.
pub fn texture_facts(model: &Model, index: usize) -> TextureFacts {
    let texture = &model.textures[index];
    let image = texture.image.and_then(|image| model.images.get(image));
    let uses = |(material, m): (usize, &rigview_model::Material)| {
        let slots = m.textures.iter().filter(|(_, used)| used.texture == index);
        slots.map(|(slot, _)| (material, slot.name())).collect::<Vec<_>>()
    };
    TextureFacts {
        index,
        name: texture.name.clone(),
        image: texture.image,
        image_name: image.and_then(|image| image.name.clone()),
        mime: image.map(|image| image.mime.clone()).unwrap_or_default(),
        width: image.map_or(0, |image| image.width),
        height: image.map_or(0, |image| image.height),
        sampler: sampler_facts(&texture.sampler),
        used_by: model.materials.iter().enumerate().flat_map(uses).collect(),
    }
}

fn sampler_facts(sampler: &TextureSampler) -> SamplerFacts {
    let wrap = |wrap| match wrap {
        Wrap::Repeat => "REPEAT",
        Wrap::MirroredRepeat => "MIRRORED_REPEAT",
        Wrap::ClampToEdge => "CLAMP_TO_EDGE",
    };
    SamplerFacts {
        mag: match sampler.magnify {
            Filter::Nearest => "NEAREST",
            Filter::Linear => "LINEAR",
        },
        min: match (sampler.minify, sampler.mip) {
            (Filter::Nearest, None) => "NEAREST",
            (Filter::Linear, None) => "LINEAR",
            (Filter::Nearest, Some(Filter::Nearest)) => "NEAREST_MIPMAP_NEAREST",
            (Filter::Linear, Some(Filter::Nearest)) => "LINEAR_MIPMAP_NEAREST",
            (Filter::Nearest, Some(Filter::Linear)) => "NEAREST_MIPMAP_LINEAR",
            (Filter::Linear, Some(Filter::Linear)) => "LINEAR_MIPMAP_LINEAR",
        },
        wrap_s: wrap(sampler.wrap_u),
        wrap_t: wrap(sampler.wrap_v),
    }
}
