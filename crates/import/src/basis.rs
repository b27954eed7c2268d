//! KTX2 images with Basis Universal data: ETC1S and UASTC to eight-bit RGBA or to GPU blocks.
//!
//! The transcoder trusts the sizes in the header. Each one that it allocates memory by is checked
//! here first.

use basisu::{DecodeFlags, SourceFormat, TargetFormat, Transcoder};

use super::image_codec::Header;
use rigview_model::{BlockFormat, BlockFormats, Blocks};

/// Limits for levels, layers and faces.
const MOST_LEVELS: u32 = 15;
const MOST_LAYERS: u32 = 64;
const MOST_FACES: u32 = 6;

/// Limit for the uncompressed size of a level in bytes: the largest image at one byte per pixel.
const MOST_BYTES: u64 = 1 << 28;

/// Reads the size from the first bytes of an image.
pub(super) fn header(bytes: &[u8]) -> Result<Header, String> {
    let start = bytes.first_chunk::<{ ktx2::Header::LENGTH }>().ok_or("its header is cut short")?;
    let header = ktx2::Header::from_bytes(start).map_err(|e| e.to_string())?;
    Ok(Header { width: header.pixel_width, height: header.pixel_height })
}

/// Decodes the largest level to RGBA.
pub(super) fn decode(bytes: &[u8]) -> Result<Vec<u8>, String> {
    transcode(&open(bytes)?, 0, TargetFormat::Rgba32)
}

/// Transcodes the levels of an image to blocks of one of these formats. Returns `None` where RGBA
/// has to be used instead: no format fits, a side of the largest level is not a multiple of four,
/// or `wants_mips` is set and the file has no mip levels, which can't be computed from blocks.
pub(super) fn blocks(
    bytes: &[u8],
    formats: BlockFormats,
    wants_mips: bool,
) -> Result<Option<Blocks>, String> {
    let picture = open(bytes)?;
    let (width, height) = picture.base_dimensions();
    // 0 means that the reader is to compute the levels.
    let levels = picture.level_count().max(1);
    let Some(format) = best(picture.source_format(), formats) else { return Ok(None) };
    if !width.is_multiple_of(4) || !height.is_multiple_of(4) || wants_mips && levels == 1 {
        return Ok(None);
    }
    let target = match format {
        BlockFormat::Bc7 => TargetFormat::Bc7Rgba,
        BlockFormat::Astc => TargetFormat::Astc4x4Rgba,
        BlockFormat::Etc2 => TargetFormat::Etc2Rgba,
    };
    // A full mip chain has as many levels as the longer side has bits.
    let most = u32::BITS - width.max(height).leading_zeros();
    let level = |i: u32| {
        let blocks = transcode(&picture, i, target)?;
        let side = |size: u32| (size >> i).max(1).div_ceil(4) as usize;
        match blocks.len() == side(width) * side(height) * 16 {
            true => Ok(blocks),
            false => Err(format!("level {i} has {} bytes of blocks", blocks.len())),
        }
    };
    let levels = (0..levels.min(most)).map(level).collect::<Result<_, _>>()?;
    Ok(Some(Blocks { format, levels }))
}

/// Picks the format with the smallest loss: UASTC is ASTC with another bit order, ETC1S is a subset
/// of ETC.
fn best(source: SourceFormat, formats: BlockFormats) -> Option<BlockFormat> {
    let BlockFormats { bc7, astc, etc2 } = formats;
    let by_worth = match source {
        SourceFormat::Etc1s => {
            [(etc2, BlockFormat::Etc2), (bc7, BlockFormat::Bc7), (astc, BlockFormat::Astc)]
        }
        _ => [(astc, BlockFormat::Astc), (bc7, BlockFormat::Bc7), (etc2, BlockFormat::Etc2)],
    };
    by_worth.into_iter().find_map(|(taken, format)| taken.then_some(format))
}

/// Checks an image and opens it for transcoding.
fn open(bytes: &[u8]) -> Result<Transcoder<'_>, String> {
    check(bytes)?;
    let picture = Transcoder::new(bytes).map_err(|_| "no Basis Universal picture")?;
    let source = picture.source_format();
    if !matches!(source, SourceFormat::Etc1s | SourceFormat::UastcLdr) {
        return Err(format!("{source:?} is not read, ETC1S and UASTC are"));
    }
    Ok(picture)
}

fn transcode(picture: &Transcoder, level: u32, target: TargetFormat) -> Result<Vec<u8>, String> {
    let failed = |e: basisu::Error| format!("it does not transcode: {e:?}");
    picture.transcode(level, target, DecodeFlags::NONE).map_err(failed)
}

/// Fails if the header claims data that does not exist, or more than an image can need.
fn check(bytes: &[u8]) -> Result<(), String> {
    check_description(bytes)?;
    let reader = ktx2::Reader::new(bytes).map_err(|e| e.to_string())?;
    let header = reader.header();
    let most = [
        ("levels", header.level_count, MOST_LEVELS),
        ("layers", header.layer_count, MOST_LAYERS),
        ("faces", header.face_count, MOST_FACES),
        ("slices", header.pixel_depth, 1),
    ];
    if let Some((what, count, most)) = most.into_iter().find(|(_, count, most)| count > most) {
        return Err(format!("{count} {what}, at most {most} are read"));
    }
    let side = |n: u32| u64::from(n) + 4;
    let area = side(header.pixel_width) * side(header.pixel_height);
    // A block of 4 x 4 pixels has 16 bytes.
    let pictures = u64::from(header.layer_count.max(1)) * u64::from(header.face_count.max(1));
    let room = (area * pictures).min(MOST_BYTES);
    for (i, level) in reader.levels().enumerate() {
        let claimed = level.uncompressed_byte_length;
        if claimed > room {
            return Err(format!("level {i} claims {claimed} bytes, at most {room} make sense"));
        }
    }
    Ok(())
}

/// Fails unless the data format descriptor is one basic block whose texel blocks have less than 256
/// texels per side: the reader panics on anything else.
fn check_description(bytes: &[u8]) -> Result<(), String> {
    let start = bytes.first_chunk::<{ ktx2::Header::LENGTH }>().ok_or("its header is cut short")?;
    let index = ktx2::Header::from_bytes(start).map_err(|e| e.to_string())?.index;
    // After the total length: kind, version and size, colour model, then the four block sides.
    let block = (index.dfd_byte_offset as usize).saturating_add(4);
    let block = bytes
        .get(block..block.saturating_add(16))
        .ok_or("its data format descriptor is cut short")?;
    let size = u32::from(u16::from_le_bytes([block[6], block[7]]));
    if block[..4] != [0; 4] || index.dfd_byte_length != size + 4 || block[12..].contains(&255) {
        return Err("its data format descriptor is invalid".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_that_the_reader_would_fail_on_are_refused() {
        let mut bytes = b"\xabKTX 20\xbb\r\n\x1a\n".to_vec();
        // One-byte units, 4 x 4 pixels, one face, one level, and where the description is.
        for word in [0u32, 1, 4, 4, 0, 0, 1, 1, 0, 104, 28] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.resize(104, 0);
        bytes.extend([28, 0, 0, 0, 0, 0, 0, 0, 2, 0, 24, 0, 166, 1, 1, 0, 3, 3, 0, 0]);
        bytes.resize(140, 0);
        assert_eq!(check_description(&bytes), Ok(()));
        bytes[122] = 255;
        assert!(check_description(&bytes).is_err(), "256 pixels");
        bytes[122] = 0;
        bytes[118] = 40;
        assert!(check_description(&bytes[..110]).is_err(), "cut");
        bytes[114] = 48;
        assert!(check_description(&bytes).is_err(), "a second block");
    }

    #[test]
    fn a_picture_that_is_cut_or_is_none_is_an_error() {
        let mut bytes = b"\xabKTX 20\xbb\r\n\x1a\n".to_vec();
        assert!(header(&bytes).is_err() && decode(&bytes).is_err());
        bytes.resize(400, 0);
        bytes[20] = 4;
        bytes[24] = 4;
        bytes[36] = 1;
        assert!(decode(&bytes).is_err());
        assert!(decode(b"sB").is_err(), "no other container than KTX2 is read");
    }
}
