//! Textures and their samplers.

use super::document::{At, Document};
use super::fault::{ImportError, Warnings};
use crate::model::{Filter, Texture, TextureSampler, Wrap};

/// Extensions that give a texture another source than PNG or JPEG.
const OTHER_SOURCES: &[&str] =
    &["KHR_texture_basisu", "EXT_texture_webp", "EXT_texture_avif", "MSFT_texture_dds"];

/// Reads all textures.
pub(super) fn read(
    document: &Document,
    warnings: &mut Warnings,
) -> Result<Vec<Texture>, ImportError> {
    let mut samplers = Vec::new();
    for at in document.list("samplers")? {
        samplers.push(sampler(&at, warnings)?);
    }
    let mut textures = Vec::new();
    for at in document.list("textures")? {
        let image = at.index("source", "images")?;
        for name in OTHER_SOURCES {
            let Some(extension) = at.extension(name)? else { continue };
            extension.index("source", "images")?;
            if image.is_none() {
                let message = format!("its picture needs {name}, which is not read: a stand-in");
                at.warn(warnings, "TEXTURE_SOURCE_UNREAD", message);
            }
        }
        let sampler = match at.get("sampler") {
            Some(at) => samplers[at.index_below(samplers.len(), "samplers")?],
            None => TextureSampler::default(),
        };
        textures.push(Texture { name: at.name()?, image, sampler });
    }
    Ok(textures)
}

fn sampler(at: &At, warnings: &mut Warnings) -> Result<TextureSampler, ImportError> {
    let mut sampler = TextureSampler::default();
    let mut unknown = |key: &str, value: u64| {
        let message = format!("{key} {value} is unknown: the default is used");
        at.warn(warnings, "SAMPLER_ODD", message);
    };
    for (key, wrap) in [("wrapS", &mut sampler.wrap_u), ("wrapT", &mut sampler.wrap_v)] {
        match at.whole_at(key)? {
            None | Some(10497) => {}
            Some(33071) => *wrap = Wrap::ClampToEdge,
            Some(33648) => *wrap = Wrap::MirroredRepeat,
            Some(other) => unknown(key, other),
        }
    }
    match at.whole_at("magFilter")? {
        None | Some(9729) => {}
        Some(9728) => sampler.magnify = Filter::Nearest,
        Some(other) => unknown("magFilter", other),
    }
    let (nearest, linear) = (Filter::Nearest, Filter::Linear);
    (sampler.minify, sampler.mip) = match at.whole_at("minFilter")? {
        None | Some(9987) => (linear, Some(linear)),
        Some(9728) => (nearest, None),
        Some(9729) => (linear, None),
        Some(9984) => (nearest, Some(nearest)),
        Some(9985) => (linear, Some(nearest)),
        Some(9986) => (nearest, Some(linear)),
        Some(other) => {
            unknown("minFilter", other);
            (linear, Some(linear))
        }
    };
    Ok(sampler)
}
