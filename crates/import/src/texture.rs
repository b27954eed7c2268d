//! Textures and their samplers.

use super::fault::{ImportError, Warnings};
use glam::Vec2;
use rigview_document::{At, Document};
use rigview_model::{
    Filter, Image, Material, Pixels, Texture, TextureRef, TextureSampler, TextureSlot, UvTransform,
    WarningCode, Wrap,
};

/// Extensions with an image that takes precedence over the texture's own, and its media type.
const OTHER_SOURCES: &[(&str, &str)] =
    &[("KHR_texture_basisu", "image/ktx2"), ("EXT_texture_webp", "image/webp")];

/// Extensions whose images are not supported.
const UNREAD_SOURCES: &[&str] = &["EXT_texture_avif", "MSFT_texture_dds"];

/// An image that a texture may show.
pub(super) struct TextureImage {
    /// Index of the image.
    pub image: usize,
    /// The extension that names the image, and the media type it requires; `None` for the texture's
    /// own `source`.
    by: Option<(&'static str, &'static str)>,
}

/// Textures before it is known which images can be decoded.
pub(super) struct Textures {
    list: Vec<Texture>,
    /// By texture: its images, best first.
    sources: Vec<Vec<TextureImage>>,
}

impl Textures {
    /// Returns the images that each texture may show, best first.
    pub fn sources(&self) -> impl Iterator<Item = &[TextureImage]> {
        self.sources.iter().map(Vec::as_slice)
    }

    /// Whether a texture is sampled with mip levels.
    pub fn has_mips(&self, texture: usize) -> bool {
        self.list[texture].sampler.mip.is_some()
    }

    /// By image: whether a texture that may show it is sampled with mip levels.
    pub fn want_mips(&self, images: usize) -> Vec<bool> {
        let mut want = vec![false; images];
        for (texture, sources) in self.list.iter().zip(&self.sources) {
            if texture.sampler.mip.is_some() {
                sources.iter().for_each(|source| want[source.image] = true);
            }
        }
        want
    }

    /// Returns the textures, each with the best image that could be decoded.
    pub fn settled(
        self,
        document: &Document,
        images: &[Image],
        warnings: &mut Warnings,
    ) -> Result<Vec<Texture>, ImportError> {
        let mut list = self.list;
        for (i, (texture, sources)) in list.iter_mut().zip(&self.sources).enumerate() {
            let can_be_read =
                |s: &&TextureImage| !matches!(images[s.image].pixels, Pixels::Missing);
            let Some(source) = sources.iter().find(can_be_read).or(sources.first()) else {
                continue;
            };
            texture.image = Some(source.image);
            let mime = &images[source.image].mime;
            if !can_be_read(&source) {
                continue;
            }
            let of_extension = OTHER_SOURCES.iter().find(|(_, promised)| promised == mime);
            let message = match (source.by, of_extension) {
                (Some((name, promised)), _) if promised != mime => {
                    format!("{name} names image {}, which is {mime}", source.image)
                }
                (None, Some((name, _))) => {
                    format!("its source is {mime}, which requires {name}: read all the same")
                }
                _ => continue,
            };
            warnings.add_at(&document.item("textures", i)?, WarningCode::TextureSourceOdd, message);
        }
        Ok(list)
    }
}

/// Reads all textures.
pub(super) fn read(document: &Document, warnings: &mut Warnings) -> Result<Textures, ImportError> {
    let mut samplers = Vec::new();
    for at in document.list("samplers")? {
        samplers.push(sampler(&at, warnings)?);
    }
    let mut textures = Textures { list: Vec::new(), sources: Vec::new() };
    for at in document.list("textures")? {
        let mut sources = Vec::new();
        for (name, mime) in OTHER_SOURCES {
            let Some(extension) = at.extension(name)? else { continue };
            let image = extension.index("source", "images")?;
            sources.extend(image.map(|image| TextureImage { image, by: Some((name, mime)) }));
        }
        let own = at.index("source", "images")?;
        sources.extend(own.map(|image| TextureImage { image, by: None }));
        let mut unread = None;
        for name in UNREAD_SOURCES {
            let Some(extension) = at.extension(name)? else { continue };
            extension.index("source", "images")?;
            unread = Some(name);
        }
        if sources.is_empty() {
            let message = match unread {
                Some(name) => format!(
                    "its image needs {name}, which is not supported: a placeholder is shown"
                ),
                None => "it names no image: a placeholder is shown".to_owned(),
            };
            warnings.add_at(&at, WarningCode::TextureSourceUnread, message);
        }
        let sampler = match at.get("sampler") {
            Some(at) => samplers[at.index_below(samplers.len(), "samplers")?],
            None => TextureSampler::default(),
        };
        textures.list.push(Texture { name: at.name()?, image: None, sampler });
        textures.sources.push(sources);
    }
    Ok(textures)
}

fn sampler(at: &At, warnings: &mut Warnings) -> Result<TextureSampler, ImportError> {
    let mut sampler = TextureSampler::default();
    let mut unknown = |key: &str, value: u64| {
        let message = format!("{key} {value} is unknown: the default is used");
        warnings.add_at(at, WarningCode::SamplerOdd, message);
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

/// Sets the texture of a slot, if the material has one.
pub(super) fn texture(
    at: &At,
    slot: TextureSlot,
    material: &mut Material,
    warnings: &mut Warnings,
) -> Result<(), ImportError> {
    if let Some(at) = at.get(slot.name()) {
        material.textures[slot] = Some(texture_ref(&at, warnings)?);
    }
    Ok(())
}

/// Reads a reference to a texture, with KHR_texture_transform.
pub(super) fn texture_ref(at: &At, warnings: &mut Warnings) -> Result<TextureRef, ImportError> {
    let texture = at.required("index")?.index_of("textures")?;
    let mut uv_set = at.whole_at("texCoord")?.unwrap_or(0);
    let mut transform = UvTransform::default();
    if let Some(extension) = at.extension("KHR_texture_transform")? {
        transform.offset = Vec2::from(extension.numbers::<2>("offset")?.unwrap_or([0.0; 2]));
        transform.rotation = extension.number_at("rotation")?.unwrap_or(0.0);
        transform.scale = Vec2::from(extension.numbers::<2>("scale")?.unwrap_or([1.0; 2]));
        uv_set = extension.whole_at("texCoord")?.unwrap_or(uv_set);
    }
    if uv_set > 1 {
        let message =
            format!("TEXCOORD_{uv_set} is not supported, 0 and 1 are: read as TEXCOORD_0");
        warnings.add_at(at, WarningCode::TexcoordUnread, message);
        uv_set = 0;
    }
    Ok(TextureRef { texture, uv_set: uv_set as u32, transform })
}
