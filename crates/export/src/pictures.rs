//! Pictures of a document: made smaller, or put into files of their own.

use std::collections::HashMap;
use std::io::Cursor;

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::imageops::{self, FilterType as Resampling};
use image::{ExtendedColorType, ImageEncoder, ImageFormat, ImageReader, RgbaImage};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use rigview_document::{Loose, index, items};
use rigview_model::{Image, Pixels};

/// Characters of a file name that must be percent-encoded in a URI.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// A picture in a file of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureFile {
    /// The file's name.
    pub name: String,
    /// Its contents.
    pub bytes: Vec<u8>,
}

/// Makes PNG and JPEG pictures smaller whose longer side has more texels than this. They become PNG. Returns the names of
/// those that stay larger: those of other formats, and JPEG pictures that nothing draws and that so were not decoded. Images
/// that share a view go on sharing one.
pub fn shrink(loose: &mut Loose, decoded: &[Image], side: u32) -> Vec<String> {
    let mut left = Vec::new();
    let mut shrunk: HashMap<usize, usize> = HashMap::new();
    for (number, image) in decoded.iter().enumerate() {
        let longer = image.width.max(image.height);
        let is_plain = ["image/png", "image/jpeg"].contains(&&*image.mime);
        if longer <= side {
            continue;
        }
        let shorter = |length: u32| {
            let scaled = u64::from(length) * u64::from(side) / u64::from(longer);
            u32::try_from(scaled).unwrap_or(side).max(1)
        };
        let size = [shorter(image.width), shorter(image.height)];
        let source = loose.root["images"][number].get("bufferView").and_then(index);
        if let Some(view) = source.and_then(|source| shrunk.get(&source)) {
            name_png(&mut loose.root["images"][number], *view);
            continue;
        }
        let bytes = match &image.pixels {
            Pixels::Rgba8(pixels) if is_plain => smaller(pixels, [image.width, image.height], size),
            _ if image.mime == "image/png" => undrawn(loose, number)
                .and_then(|pixels| smaller(&pixels, [image.width, image.height], size)),
            _ => None,
        };
        let Some(bytes) = bytes else {
            left.push(image.name.clone().unwrap_or_else(|| format!("image {number}")));
            continue;
        };
        let view = loose.add_view(bytes, None, None);
        name_png(&mut loose.root["images"][number], view);
        shrunk.extend(source.map(|source| (source, view)));
    }
    left
}

/// Points an image at a PNG file in a view.
fn name_png(image: &mut Value, view: usize) {
    image["bufferView"] = view.into();
    image["mimeType"] = "image/png".into();
}

/// Decodes a PNG picture that nothing draws, such as one for readers without WebP.
fn undrawn(loose: &Loose, number: usize) -> Option<Vec<u8>> {
    let view = index(loose.root["images"].get(number)?.get("bufferView")?)?;
    let bytes = Cursor::new(loose.views.get(view)?);
    // The reader has limits of memory.
    let picture = ImageReader::with_format(bytes, ImageFormat::Png).decode().ok()?;
    Some(picture.into_rgba8().into_raw())
}

/// Returns a PNG of another size.
fn smaller(
    pixels: &[u8],
    [width, height]: [u32; 2],
    [to_width, to_height]: [u32; 2],
) -> Option<Vec<u8>> {
    let picture = RgbaImage::from_raw(width, height, pixels.to_vec())?;
    let picture = imageops::resize(&picture, to_width, to_height, Resampling::Triangle);
    let mut out = Vec::new();
    let encoder =
        PngEncoder::new_with_quality(&mut out, CompressionType::Default, FilterType::Adaptive);
    let is_opaque = picture.pixels().all(|texel| texel[3] == 255);
    let written = if is_opaque {
        let rgb: Vec<u8> =
            picture.pixels().flat_map(|texel| [texel[0], texel[1], texel[2]]).collect();
        encoder.write_image(&rgb, to_width, to_height, ExtendedColorType::Rgb8)
    } else {
        encoder.write_image(picture.as_raw(), to_width, to_height, ExtendedColorType::Rgba8)
    };
    written.is_ok().then_some(out)
}

/// Takes embedded pictures out of a document, which names them as files of the same folder that begin with `stem`. Images that
/// share a view share a file.
pub fn take_out(loose: &mut Loose, stem: &str) -> Vec<PictureFile> {
    let mut files = Vec::new();
    let mut names: HashMap<(usize, &str), String> = HashMap::new();
    for (number, image) in items(&mut loose.root, "images").enumerate() {
        let Some(view) = image.get("bufferView").and_then(index) else { continue };
        let Some(bytes) = loose.views.get(view) else { continue };
        let ending = match image.get("mimeType").and_then(Value::as_str) {
            Some("image/jpeg") => "jpg",
            Some("image/webp") => "webp",
            Some("image/ktx2") => "ktx2",
            Some("image/avif") => "avif",
            Some("image/vnd-ms.dds") => "dds",
            _ => "png",
        };
        let name = names.entry((view, ending)).or_insert_with(|| {
            let name = format!("{stem}_{number}.{ending}");
            files.push(PictureFile { name: name.clone(), bytes: bytes.clone() });
            name
        });
        if let Some(image) = image.as_object_mut() {
            image.remove("bufferView");
            let uri = utf8_percent_encode(name, ENCODED).to_string();
            image.insert("uri".into(), uri.into());
        }
    }
    files
}
