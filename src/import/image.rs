//! Pictures: found, told by their first bytes, measured, and decoded if that is asked.

use std::borrow::Cow;
use std::sync::OnceLock;

use rayon::prelude::*;

use super::ImageDecoding;
use super::buffer::{Buffers, View};
use super::document::{At, Document};
use super::escape::quoted;
use super::fault::{ImportError, Warnings};
use super::picture::{self, Format, Header};
use super::texture::{Source, Textures};
use super::uri::Folder;
use crate::model::{BlockFormats, Image, Pixels};

/// Pixels along a side, at most.
const LARGEST_SIDE: u32 = 16_384;

/// Bytes in which a picture's size must be found where nothing more is asked.
const HEADER_BYTES: u64 = 1 << 20;

/// What pictures are read from and what is done with them.
pub(super) struct Sources<'a> {
    /// The file's folder.
    pub folder: &'a Folder<'a>,
    /// The file's buffers.
    pub buffers: &'a Buffers<'a>,
    /// Their views.
    pub views: &'a [View],
    /// What is asked.
    pub decoding: ImageDecoding,
    /// By image: whether a picture of the model needs its pixels. The others' are not kept.
    pub drawn: &'a [bool],
    /// By image: whether it is shown with mip levels.
    pub want_mips: &'a [bool],
    /// What the adapter takes besides plain pixels; known, perhaps, only later.
    pub block_formats: Option<&'a OnceLock<BlockFormats>>,
}

/// A picture that was found.
struct Found<'a> {
    bytes: Cow<'a, [u8]>,
    format: Format,
    header: Header,
}

/// Reads all images. One that can't be read is a warning and a stand-in.
pub(super) fn read(
    document: &Document,
    textures: &Textures,
    sources: &Sources,
    warnings: &mut Warnings,
) -> Result<Vec<Image>, ImportError> {
    let places = document.list("images")?;
    let mut shown = vec![false; places.len()];
    let mut first = shown.clone();
    for sources in textures.sources() {
        sources.iter().for_each(|source| shown[source.image] = true);
        sources.iter().take(1).for_each(|source| first[source.image] = true);
    }
    let mut images = Vec::with_capacity(places.len());
    let mut found = Vec::with_capacity(places.len());
    let limit = sources.buffers.decoded_limit();
    let mut budget = Budget { files: limit, pixels: limit };
    let progress = sources.folder.progress;
    for (at, shown) in places.iter().zip(&shown) {
        progress.check()?;
        let mut image = Image {
            name: at.name()?,
            mime: at.text_at("mimeType")?.unwrap_or_default().to_owned(),
            width: 0,
            height: 0,
            pixels: Pixels::Missing,
        };
        let view = match at.get("bufferView") {
            Some(view) => Some(&sources.views[view.index_of("bufferViews")?]),
            None => None,
        };
        let picture = match find(at, view, sources, &mut budget, warnings) {
            Ok(picture) => {
                let said = std::mem::replace(&mut image.mime, picture.format.mime().into());
                if !said.is_empty() && said != image.mime {
                    let message = format!("mimeType {} but it is {}", quoted(&said), image.mime);
                    at.warn(warnings, "IMAGE_MIME", message);
                }
                (image.width, image.height) = (picture.header.width, picture.header.height);
                Some(picture)
            }
            // A picture that only an unknown extension names has a stand-in beside it.
            Err(Unreadable::Kind(_)) if !*shown => None,
            Err(Unreadable::Kind(error) | Unreadable::Broken(error)) => {
                warnings.add_error("IMAGE_MISSING", &error);
                None
            }
        };
        images.push(image);
        found.push(picture);
    }
    // What is the second choice of textures is decoded only where their first can't be.
    let mut later = Vec::with_capacity(found.len());
    for (i, found) in found.iter_mut().enumerate() {
        let waits = sources.decoding == ImageDecoding::Keep && shown[i] && !first[i];
        later.push(if waits { found.take() } else { None });
    }
    decode(&places, &mut images, found, sources, warnings);
    progress.check()?;
    let mut needed = vec![false; images.len()];
    for sources in textures.sources() {
        let missing = |source: &Source| matches!(images[source.image].pixels, Pixels::Missing);
        if sources.first().is_some_and(missing) {
            sources.iter().for_each(|source| needed[source.image] = true);
        }
    }
    for ((later, image), needed) in later.iter_mut().zip(&mut images).zip(needed) {
        if later.is_some() && !needed {
            *later = None;
            image.pixels = Pixels::Header;
        }
    }
    decode(&places, &mut images, later, sources, warnings);
    progress.check()?;
    Ok(images)
}

/// What is left of the limits.
struct Budget {
    files: u64,
    pixels: u64,
}

/// Why there is no picture.
enum Unreadable {
    /// It is of a kind that is not read.
    Kind(ImportError),
    /// Anything else.
    Broken(ImportError),
}

impl From<ImportError> for Unreadable {
    fn from(error: ImportError) -> Self {
        Self::Broken(error)
    }
}

fn find<'a>(
    at: &At,
    view: Option<&View>,
    sources: &Sources<'a>,
    budget: &mut Budget,
    warnings: &mut Warnings,
) -> Result<Found<'a>, Unreadable> {
    let bytes = match (view, at.get("uri")) {
        (Some(view), uri) => {
            if uri.is_some() {
                let message = "it has both uri and bufferView: the view is used";
                at.warn(warnings, "IMAGE_TWICE", message);
            }
            if view.stride.is_some() {
                let message = "byteStride of its buffer view is for vertices only: read packed";
                at.warn(warnings, "STRIDE_MISPLACED", message);
            }
            Cow::Borrowed(view.bytes(sources.buffers))
        }
        (None, Some(uri)) => {
            let most = match sources.decoding {
                ImageDecoding::Headers => HEADER_BYTES.min(budget.files),
                _ => budget.files,
            };
            let fetched = sources.folder.fetch(uri.text()?, most).map_err(|e| at.error(e))?;
            budget.files = budget.files.saturating_sub(fetched.bytes.len() as u64);
            Cow::Owned(fetched.bytes)
        }
        (None, None) => return Err(at.error("it has neither uri nor bufferView").into()),
    };
    let format = picture::format(&bytes).map_err(|e| Unreadable::Kind(at.error(e)))?;
    let header = picture::header(&bytes, format).map_err(|e| at.error(e))?;
    let Header { width, height } = header;
    if width == 0 || height == 0 || width > LARGEST_SIDE || height > LARGEST_SIDE {
        let message = format!("{width} x {height} pixels, 1 to {LARGEST_SIDE} a side are read");
        return Err(at.error(message).into());
    }
    let decoded = u64::from(width) * u64::from(height) * 4;
    budget.pixels = budget.pixels.checked_sub(decoded).ok_or_else(|| {
        let limit = sources.buffers.decoded_limit() >> 20;
        at.error(format!("{width} x {height} pixels bring all pictures over {limit} MiB"))
    })?;
    Ok(Found { bytes, format, header })
}

/// Decodes what was found: all in parallel to be kept, or one by one to be checked.
fn decode(
    places: &[At],
    images: &mut [Image],
    found: Vec<Option<Found>>,
    sources: &Sources,
    warnings: &mut Warnings,
) {
    let progress = sources.folder.progress;
    let keep = |f: Found, drawn: bool, wants_mips: bool| {
        if !drawn {
            return Ok(Pixels::Header);
        }
        let formats = sources.block_formats.filter(|_| f.format == Format::Ktx2);
        let blocks = formats
            .and_then(|formats| picture::blocks(&f.bytes, f.format, *formats.wait(), wants_mips));
        match blocks {
            Some(blocks) => Ok(Pixels::Blocks(blocks)),
            None => picture::decode(&f.bytes, f.format, f.header).map(Pixels::Rgba8),
        }
    };
    let check = |f: Found| picture::check(&f.bytes, f.format, f.header).map(|()| Pixels::Header);
    // Whoever calls looks whether it was cancelled meanwhile.
    let unless_cancelled =
        |found: Option<Found>, read: &dyn Fn(Found) -> Result<Pixels, String>| {
            let pixels = found.filter(|_| !progress.is_cancelled()).map(read);
            progress.image_done();
            pixels
        };
    let pixels: Vec<Option<Result<Pixels, String>>> = match sources.decoding {
        ImageDecoding::Keep => found
            .into_par_iter()
            .zip(sources.drawn)
            .zip(sources.want_mips)
            .map(|((f, drawn), mips)| unless_cancelled(f, &|f| keep(f, *drawn, *mips)))
            .collect(),
        ImageDecoding::Check => found.into_iter().map(|f| unless_cancelled(f, &check)).collect(),
        ImageDecoding::Headers => {
            found.into_iter().map(|f| f.map(|_| Ok(Pixels::Header))).collect()
        }
    };
    for ((at, image), pixels) in places.iter().zip(images).zip(pixels) {
        match pixels {
            Some(Ok(pixels)) => image.pixels = pixels,
            Some(Err(message)) => at.warn(warnings, "IMAGE_BROKEN", message),
            None => {}
        }
    }
}
