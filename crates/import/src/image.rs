//! Images: located, recognised by their first bytes, measured, and decoded if asked for.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::OnceLock;

use rayon::prelude::*;

use super::buffer::{Buffers, View};
use super::digest::Digest;
use super::fault::{ImportError, Warnings};
use super::files::Folder;
use super::files::OpenFile;
use super::image_codec::{self, Decoded, Format, Header};
use super::options::ImageDecoding;
use super::texture::{TextureImage, Textures};
use rigview_document::{At, Document, DocumentError};
use rigview_model::{BlockFormats, Image, Pixels, WarningCode, mean_color, quoted};

/// Largest width and height in pixels.
const LARGEST_SIDE: u32 = 16_384;

/// Images with more pixels are decoded one at a time.
const LARGE_PIXELS: u64 = 1 << 25;

/// Bytes read at once of an image file if only its header and its hash are wanted. A multiple of eight, for the hash.
const PIECE: u64 = 1 << 20;

/// The sources of images, and how to decode them.
pub(super) struct Sources<'a> {
    /// The file's folder.
    pub folder: &'a Folder<'a>,
    /// The file's buffers.
    pub buffers: &'a Buffers<'a>,
    /// Their views.
    pub views: &'a [View],
    /// How images are decoded.
    pub decoding: ImageDecoding,
    /// By image: GPU copies that drawing needs. Images with 0 are not kept.
    pub copies: &'a [usize],
    /// By image: whether it is drawn with mip levels.
    pub want_mips: &'a [bool],
    /// Block formats that the adapter supports. The cell may be filled while images are decoded.
    pub block_formats: Option<&'a OnceLock<BlockFormats>>,
}

/// All images before decoding, and those that are to be decoded.
pub(super) struct Finds<'a> {
    images: Vec<Image>,
    found: Vec<Option<Found<'a>>>,
}

/// An image whose header was read.
struct Found<'a> {
    bytes: Cow<'a, [u8]>,
    format: Format,
    header: Header,
}

/// Locates all images and charges them to the budget. For an image that can't be read, adds a
/// warning; a placeholder is shown.
pub(super) fn find<'a>(
    document: &Document,
    textures: &Textures,
    sources: &Sources<'a>,
    warnings: &mut Warnings,
) -> Result<Finds<'a>, ImportError> {
    let places = document.list("images")?;
    let mut shown = vec![false; places.len()];
    for sources in textures.sources() {
        sources.iter().for_each(|source| shown[source.image] = true);
    }
    let mut images = Vec::with_capacity(places.len());
    let mut found = Vec::with_capacity(places.len());
    // Keeps a reserve for the rest of the file.
    let left = sources.buffers.budget().left();
    let mut costs = Costs::new(left - left / 16);
    let progress = sources.folder.progress;
    for ((at, shown), copies) in places.iter().zip(&shown).zip(sources.copies) {
        progress.check()?;
        let mut image = Image {
            name: at.name()?,
            mime: at.text_at("mimeType")?.unwrap_or_default().to_owned(),
            width: 0,
            height: 0,
            pixels: Pixels::Missing,
            mean: None,
            digest: None,
        };
        let view = match at.get("bufferView") {
            Some(view) => Some(&sources.views[view.index_of("bufferViews")?]),
            None => None,
        };
        let contents = contents(at, view, sources, &mut costs, warnings);
        let picture = contents.and_then(|mut contents| {
            let picture = find_one(at, &mut contents, *copies, sources, &mut costs);
            if sources.decoding == ImageDecoding::Hash {
                let uri = at.get("uri").filter(|_| view.is_none());
                let uri = uri.and_then(|uri| uri.value.as_str());
                let known = uri.and_then(|uri| *costs.uris.get(uri)?);
                let digest = || contents.digest().map_err(|e| at.error(e));
                let digest = known.map_or_else(digest, Ok)?;
                image.digest = Some(digest);
                uri.and_then(|uri| costs.uris.get_mut(uri)).map(|known| known.insert(digest));
            }
            if sources.decoding.leaves_pixels() {
                contents.bytes = Cow::Borrowed(&[]);
            }
            let (format, header) = picture?;
            Ok(Found { bytes: contents.bytes, format, header })
        });
        let picture = match picture {
            Ok(picture) => {
                let said = std::mem::replace(&mut image.mime, picture.format.mime().into());
                if !said.is_empty() && said != image.mime {
                    let message = format!("mimeType {} but it is {}", quoted(&said), image.mime);
                    warnings.add_at(at, WarningCode::ImageMime, message);
                }
                (image.width, image.height) = (picture.header.width, picture.header.height);
                Some(picture)
            }
            // An image that only an unknown extension names is not shown: no warning.
            Err(Unreadable::Kind(_)) if !*shown => None,
            Err(Unreadable::Kind(error) | Unreadable::Broken(error)) => {
                warnings.add_error(WarningCode::ImageMissing, &error);
                None
            }
        };
        images.push(image);
        found.push(picture);
    }
    if sources.decoding == ImageDecoding::Keep {
        // Can't fail: `Costs` has checked the same limit.
        let bytes = usize::try_from(costs.bytes()).unwrap_or(usize::MAX);
        let _ = sources.buffers.budget().take(bytes, 1);
    }
    Ok(Finds { images, found })
}

/// Decodes all images that were found, as the options say.
pub(super) fn read(
    document: &Document,
    textures: &Textures,
    sources: &Sources,
    finds: Finds,
    warnings: &mut Warnings,
) -> Result<Vec<Image>, ImportError> {
    let Finds { mut images, mut found } = finds;
    let places = document.list("images")?;
    let progress = sources.folder.progress;
    let mut shown = vec![false; places.len()];
    let mut first = shown.clone();
    for sources in textures.sources() {
        sources.iter().for_each(|source| shown[source.image] = true);
        sources.iter().take(1).for_each(|source| first[source.image] = true);
    }
    // A texture's second choice is decoded only if its first choice can't be.
    let mut later = Vec::with_capacity(found.len());
    for (i, found) in found.iter_mut().enumerate() {
        let waits = sources.decoding == ImageDecoding::Keep && shown[i] && !first[i];
        later.push(if waits { found.take() } else { None });
    }
    decode(&places, &mut images, found, sources, warnings);
    progress.check()?;
    let mut needed = vec![false; images.len()];
    for sources in textures.sources() {
        let missing =
            |source: &TextureImage| matches!(images[source.image].pixels, Pixels::Missing);
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

/// Memory that the images of a file take.
struct Costs {
    /// Bytes available for images.
    left: u64,
    /// Bytes of all drawn copies with their mip levels, and of image files.
    kept: u64,
    /// Bytes of the largest image, which exists once more while it is decoded or uploaded.
    largest: u64,
    /// URIs that were read, with the hashes of their files that were asked for.
    uris: HashMap<String, Option<u64>>,
}

impl Costs {
    fn new(left: u64) -> Self {
        Self { left, kept: 0, largest: 0, uris: HashMap::new() }
    }

    /// Total bytes.
    fn bytes(&self) -> u64 {
        self.kept + self.largest
    }

    /// Adds an image; returns false if there is no room for it.
    fn add(&mut self, pixels: u64, copies: usize) -> bool {
        // Four bytes per pixel, and a third more for the mip levels.
        let size = pixels * 16 / 3;
        let kept = self.kept + size * copies as u64;
        let largest = self.largest.max(size);
        let fits = kept + largest <= self.left;
        if fits {
            (self.kept, self.largest) = (kept, largest);
        }
        fits
    }
}

/// Why an image can't be read.
enum Unreadable {
    /// Its format is not supported.
    Kind(ImportError),
    /// Any other reason.
    Broken(ImportError),
}

impl From<DocumentError> for Unreadable {
    fn from(error: DocumentError) -> Self {
        Self::Broken(error.into())
    }
}

/// The file of an image.
struct Contents<'a> {
    /// Its bytes, or the first ones of `file`.
    bytes: Cow<'a, [u8]>,
    /// The file that the URI names.
    file: Option<OpenFile<'a>>,
    /// Bytes to be read of it, at most.
    most: u64,
}

impl Contents<'_> {
    /// Whether there are more bytes to be read.
    fn has_more(&self) -> bool {
        let end = self.file.as_ref().map_or(0, |file| file.len.min(self.most));
        (self.bytes.len() as u64) < end
    }

    /// Reads further bytes: as many as metadata can be expected to have.
    fn read_metadata(&mut self) -> Result<(), String> {
        const LONGEST: u64 = 64 << 20;
        match &mut self.file {
            Some(file) => file.read_onto(self.bytes.to_mut(), self.most.min(LONGEST)),
            None => Ok(()),
        }
    }

    /// Returns the hash of the whole file. Of a file with more bytes than may be read, those and its length are hashed.
    fn digest(&mut self) -> Result<u64, String> {
        let mut digest = Digest::default();
        digest.add(&self.bytes);
        let Some(file) = &mut self.file else { return Ok(digest.finish()) };
        let mut left = file.len.min(self.most).saturating_sub(self.bytes.len() as u64);
        while left > 0 {
            let piece = file.read(left.min(PIECE))?;
            digest.add(&piece);
            // A file that became shorter has an end before.
            left = if piece.is_empty() { 0 } else { left - piece.len() as u64 };
        }
        if file.len > self.most {
            digest.add_word(file.len);
        }
        Ok(digest.finish())
    }
}

/// Returns the file of an image: all its bytes, or the first ones if only its header is wanted.
fn contents<'a>(
    at: &At,
    view: Option<&View>,
    sources: &Sources<'a>,
    costs: &mut Costs,
    warnings: &mut Warnings,
) -> Result<Contents<'a>, Unreadable> {
    match (view, at.get("uri")) {
        (Some(view), uri) => {
            if uri.is_some() {
                let message = "it has both uri and bufferView: the bufferView is used";
                warnings.add_at(at, WarningCode::ImageTwice, message);
            }
            if view.stride.is_some() {
                let message = "byteStride of its buffer view is for vertices only: read packed";
                warnings.add_at(at, WarningCode::StrideMisplaced, message);
            }
            Ok(Contents { bytes: Cow::Borrowed(view.bytes(sources.buffers)), file: None, most: 0 })
        }
        (None, Some(uri)) => {
            let most = costs.left - costs.bytes();
            let first = if sources.decoding.leaves_pixels() { PIECE.min(most) } else { most };
            let fetched = sources.folder.fetch(uri.text()?, first).map_err(|e| at.error(e))?;
            // The pixels nearly always take more than the file, so a file is charged only if it is
            // read again.
            match costs.uris.entry(uri.text()?.to_owned()) {
                Entry::Vacant(first) => _ = first.insert(None),
                Entry::Occupied(_) => costs.kept += fetched.bytes.len() as u64,
            }
            Ok(Contents { bytes: Cow::Owned(fetched.bytes), file: fetched.file, most })
        }
        (None, None) => Err(at.error("it has neither uri nor bufferView").into()),
    }
}

/// Reads the header of an image, and charges its pixels to the budget.
fn find_one(
    at: &At,
    contents: &mut Contents,
    copies: usize,
    sources: &Sources,
    costs: &mut Costs,
) -> Result<(Format, Header), Unreadable> {
    let format =
        image_codec::format(&contents.bytes).map_err(|e| Unreadable::Kind(at.error(e).into()))?;
    let mut header = image_codec::header(&contents.bytes, format);
    // Metadata may be longer than the first bytes.
    if header.is_err() && contents.has_more() {
        contents.read_metadata().map_err(|e| at.error(e))?;
        header = image_codec::header(&contents.bytes, format);
    }
    let header = header.map_err(|e| at.error(e))?;
    let Header { width, height } = header;
    if width == 0 || height == 0 || width > LARGEST_SIDE || height > LARGEST_SIDE {
        let message =
            format!("{width} x {height} pixels; sides of 1 to {LARGEST_SIDE} are supported");
        return Err(at.error(message).into());
    }
    if !costs.add(header.pixels(), copies) {
        let limit = sources.buffers.budget().limit() >> 20;
        let message = format!(
            "{width} x {height} pixels bring the data of the file over the limit of {limit} MiB"
        );
        return Err(at.error(message).into());
    }
    Ok((format, header))
}

/// What was read of an image.
struct Read {
    pixels: Pixels,
    /// Why a part of it shows something else than was encoded.
    damage: Option<String>,
}

/// Decodes images: in parallel to be kept, or one by one to be checked.
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
            return Ok(Read { pixels: Pixels::Header, damage: None });
        }
        let formats = sources.block_formats.filter(|_| f.format == Format::Ktx2);
        let blocks = formats.and_then(|formats| {
            image_codec::blocks(&f.bytes, f.format, *formats.wait(), wants_mips)
        });
        match blocks {
            Some(blocks) => Ok(Read { pixels: Pixels::Blocks(blocks), damage: None }),
            None => {
                let Decoded { rgba, damage } = image_codec::decode(&f.bytes, f.format, f.header)?;
                Ok(Read { pixels: Pixels::Rgba8(rgba), damage })
            }
        }
    };
    let check = |f: Found| {
        let damage = image_codec::check(&f.bytes, f.format, f.header)?;
        Ok(Read { pixels: Pixels::Header, damage })
    };
    // The caller checks for cancellation afterwards.
    let unless_cancelled = |found: Option<Found>, read: &dyn Fn(Found) -> Result<Read, String>| {
        let read = found.filter(|_| !progress.is_cancelled()).map(read);
        progress.image_done();
        read
    };
    let read: Vec<Option<Result<Read, String>>> = match sources.decoding {
        ImageDecoding::Keep => {
            // Codecs need memory beside the pixels, so large images are decoded one at a time.
            let one = |(i, f): (usize, Option<Found>)| {
                let (drawn, mips) = (sources.copies[i] > 0, sources.want_mips[i]);
                (i, unless_cancelled(f, &|f| keep(f, drawn, mips)))
            };
            let all = found.into_iter().enumerate();
            let (large, mut small): (Vec<_>, Vec<_>) = all
                .partition(|(_, f)| f.as_ref().is_some_and(|f| f.header.pixels() > LARGE_PIXELS));
            // Each thread takes the longest file that is left, so that none ends long after the others.
            small.sort_by_key(|(_, f)| Reverse(f.as_ref().map(|f| f.bytes.len())));
            let mut done: Vec<_> = small.into_iter().par_bridge().map(one).collect();
            done.extend(large.into_iter().map(one));
            done.sort_by_key(|(i, _)| *i);
            done.into_iter().map(|(_, read)| read).collect()
        }
        ImageDecoding::Check => found.into_iter().map(|f| unless_cancelled(f, &check)).collect(),
        ImageDecoding::Headers | ImageDecoding::Hash => {
            let header = |_| Ok(Read { pixels: Pixels::Header, damage: None });
            found.into_iter().map(|f| f.map(header)).collect()
        }
    };
    for ((at, image), read) in places.iter().zip(images).zip(read) {
        match read {
            Some(Ok(Read { pixels, damage })) => {
                if let (Pixels::Rgba8(rgba), false) = (&pixels, image.mime == Format::Ktx2.mime()) {
                    image.mean = mean_color(rgba, [image.width, image.height]);
                }
                image.pixels = pixels;
                if let Some(damage) = damage {
                    let message = format!(
                        "the image is damaged or cut short, and the rest of it is lost: {damage}"
                    );
                    warnings.add_at(at, WarningCode::ImageBroken, message);
                }
            }
            Some(Err(message)) => warnings.add_at(at, WarningCode::ImageBroken, message),
            None => {}
        }
    }
}
