//! Containers: JSON text, or a GLB with JSON and BIN chunks; and files of other formats that can be read. The
//! content decides, and the file name only where it says nothing.

use std::io::Read;
use std::ops::Range;
use std::path::Path;

use super::fault::{ImportError, Warnings};
use super::gltf1::{self, Content};
use super::progress::Progress;
use super::warning_code::WarningCode;
use super::{file, file_kind};
use rigview_model::Container;

const MAGIC: &[u8] = b"glTF";
const HEADER: usize = 12;
const JSON_CHUNK: u32 = u32::from_le_bytes(*b"JSON");
const BIN_CHUNK: u32 = u32::from_le_bytes(*b"BIN\0");
/// Bytes of a stream that are read: as many as a GLB can have.
const MOST_OF_A_STREAM: u64 = 4 << 30;
const BOM: &[u8] = b"\xef\xbb\xbf";

/// A file's bytes, and the ranges of the JSON and the BIN chunk in them.
#[derive(Debug)]
pub(super) struct Pieces {
    /// The file, up to the end of its container.
    pub bytes: Vec<u8>,
    /// The kind of container.
    pub container: Container,
    /// The JSON text.
    pub json: Range<usize>,
    /// The GLB's BIN chunk.
    pub bin: Option<Range<usize>>,
    /// The GLB's chunks that glTF does not define, with their types.
    pub others: Vec<([u8; 4], Range<usize>)>,
}

/// The contents of a file that can be read.
#[derive(Debug)]
pub(super) enum Contents {
    /// glTF.
    Gltf(Pieces),
    /// BVH.
    Bvh(Vec<u8>),
    /// FBX.
    #[cfg(feature = "fbx")]
    Fbx(Vec<u8>),
}

/// Reads a file: a GLB up to the length that its header states, any other file whole.
pub(super) fn read(
    path: &Path,
    progress: &Progress,
    warnings: &mut Warnings,
) -> Result<Contents, ImportError> {
    let wrong = |what: String| match progress.is_cancelled() {
        true => ImportError::Cancelled,
        false => ImportError::io(what),
    };
    let mut file = file::open(path, progress).map_err(wrong)?;
    let mut bytes = file.read(HEADER as u64).map_err(wrong)?;
    let end = match stated_length(&bytes) {
        Some(length) => u64::from(length),
        None => file.len,
    };
    if stated_length(&bytes).is_none() {
        // Rejects other kinds of files, which may have gigabytes, by their first bytes.
        file.read_onto(&mut bytes, file_kind::HEAD as u64).map_err(wrong)?;
        if !file_kind::may_be_gltf(&bytes) && file_kind::format_of(&bytes, Some(path)).is_none() {
            let what = file_kind::complaint(&bytes, file.len, Some(path));
            return Err(ImportError::not_gltf(what));
        }
    }
    file.read_onto(&mut bytes, end).map_err(wrong)?;
    if file.len > end && end > HEADER as u64 {
        let more = file.len - end;
        let message = format!("{more} trailing bytes after the GLB's stated length of {end}");
        warnings.add(WarningCode::TrailingBytes, "", message);
    }
    split(bytes, Some(path), warnings)
}

/// Reads a model file from a stream, such as standard input, to its end.
///
/// # Errors
/// If its first bytes are those of another kind of file, it is longer than a GLB can be, or reading fails.
pub fn read_stream(stream: &mut dyn Read) -> Result<Vec<u8>, ImportError> {
    let wrong = |e: std::io::Error| ImportError::io(file::in_words(&e));
    let mut bytes = Vec::new();
    Read::take(&mut *stream, file_kind::HEAD as u64).read_to_end(&mut bytes).map_err(wrong)?;
    if stated_length(&bytes).is_none()
        && !bytes.is_empty()
        && !file_kind::may_be_gltf(&bytes)
        && file_kind::format_of(&bytes, None).is_none()
    {
        let what = file_kind::complaint(&bytes, bytes.len() as u64, None);
        return Err(ImportError::not_gltf(what));
    }
    Read::take(&mut *stream, MOST_OF_A_STREAM).read_to_end(&mut bytes).map_err(wrong)?;
    match bytes.len() as u64 > MOST_OF_A_STREAM {
        true => Err(ImportError::io("it has more than 4 GiB")),
        false => Ok(bytes),
    }
}

/// Returns the length that a GLB header states; `None` for other files.
fn stated_length(bytes: &[u8]) -> Option<u32> {
    if bytes.starts_with(MAGIC) { word(bytes, 8) } else { None }
}

/// Reads the little-endian 32-bit word at an offset; `None` past the end.
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(four.try_into().ok()?))
}

/// Finds the JSON and the BIN chunk in a file's bytes. The path is only used to tell what a file is
/// that is not glTF.
pub(super) fn split(
    bytes: Vec<u8>,
    path: Option<&Path>,
    warnings: &mut Warnings,
) -> Result<Contents, ImportError> {
    if bytes.starts_with(MAGIC) {
        return split_glb(bytes, warnings).map(Contents::Gltf);
    }
    if bytes.is_empty() {
        return Err(ImportError::not_gltf("the file is empty (0 bytes)"));
    }
    match file_kind::format_of(&bytes[..bytes.len().min(file_kind::HEAD)], path) {
        Some(file_kind::Format::Bvh) => return Ok(Contents::Bvh(bytes)),
        #[cfg(feature = "fbx")]
        Some(file_kind::Format::Fbx) => return Ok(Contents::Fbx(bytes)),
        None => {}
    }
    if !file_kind::begins_as_json(&bytes) {
        let what = file_kind::complaint(&bytes, bytes.len() as u64, path);
        return Err(ImportError::not_gltf(what));
    }
    let start = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
    let json = start..bytes.len();
    Ok(Contents::Gltf(Pieces {
        bytes,
        container: Container::Gltf,
        json,
        bin: None,
        others: vec![],
    }))
}

fn split_glb(bytes: Vec<u8>, warnings: &mut Warnings) -> Result<Pieces, ImportError> {
    let wrong = |what: String| ImportError::container(what);
    let (Some(version), Some(length)) = (word(&bytes, 4), word(&bytes, 8)) else {
        let n = bytes.len();
        return Err(wrong(format!("GLB header cut short: {n} bytes of {HEADER}")));
    };
    if !matches!(version, 1 | 2) {
        let what = format!("GLB version {version} is not supported, 1 and 2 are");
        return Err(ImportError::unsupported("", what));
    }
    let end = length as usize;
    if end < HEADER || end > bytes.len() {
        let n = bytes.len();
        return Err(wrong(format!(
            "the GLB header states {length} bytes, the file has {n} (truncated?)"
        )));
    }
    if end < bytes.len() {
        let more = bytes.len() - end;
        let message = format!("{more} trailing bytes after the GLB's stated length of {end}");
        warnings.add(WarningCode::TrailingBytes, "", message);
    }
    let Chunks { mut json, bin, others } = if version == 1 {
        let Content { json, body } = gltf1::split(&bytes[..end])?;
        Chunks { json, bin: Some(body), others: Vec::new() }
    } else {
        chunks(&bytes[..end], warnings)?
    };
    let padding = bytes[json.clone()].iter().rev().take_while(|b| **b == 0).count();
    if padding > 0 {
        warnings.add(
            WarningCode::JsonPaddedWithNul,
            "",
            format!("JSON chunk padded with {padding} NUL"),
        );
        json.end -= padding;
    }
    if json.is_empty() {
        return Err(wrong("the GLB's JSON chunk is empty".into()));
    }
    if bytes[json.clone()].starts_with(BOM) {
        json.start += BOM.len();
    }
    Ok(Pieces { bytes, container: Container::Glb, json, bin, others })
}

/// The byte ranges of a GLB's chunks.
struct Chunks {
    json: Range<usize>,
    bin: Option<Range<usize>>,
    others: Vec<([u8; 4], Range<usize>)>,
}

/// Finds the JSON and BIN chunks.
fn chunks(bytes: &[u8], warnings: &mut Warnings) -> Result<Chunks, ImportError> {
    let wrong = |what: String| ImportError::container(what);
    let mut json = None;
    let mut bin = None;
    let mut others = Vec::new();
    let mut at = HEADER;
    for number in 0.. {
        let Some(chunk) = chunk(bytes, at, number)? else { break };
        if !chunk.range.len().is_multiple_of(4) && chunk.range.end < bytes.len() {
            let n = chunk.range.len();
            let message =
                format!("GLB chunk {number} of {n} bytes is not padded to a multiple of 4");
            warnings.add(WarningCode::ChunkUnaligned, "", message);
        }
        at = chunk.range.end;
        match chunk.kind {
            JSON_CHUNK if number == 0 => json = Some(chunk.range),
            _ if number == 0 => {
                return Err(wrong("the first GLB chunk is not JSON".into()));
            }
            BIN_CHUNK if bin.is_none() => {
                if number > 1 {
                    let message = format!("the BIN chunk is chunk {number}, it must be chunk 1");
                    warnings.add(WarningCode::BinNotSecond, "", message);
                }
                bin = Some(chunk.range);
            }
            BIN_CHUNK => {
                let message = format!("chunk {number} is a second BIN chunk: ignored");
                warnings.add(WarningCode::BinTwice, "", message);
            }
            JSON_CHUNK => {
                let message = format!("chunk {number} is a second JSON chunk: ignored");
                warnings.add(WarningCode::JsonTwice, "", message);
            }
            kind => others.push((kind.to_le_bytes(), chunk.range)),
        }
    }
    let json = json.ok_or_else(|| wrong("the GLB has no JSON chunk".into()))?;
    Ok(Chunks { json, bin, others })
}

struct Chunk {
    kind: u32,
    range: Range<usize>,
}

/// Reads the chunk whose header is at an offset; `None` at the end.
fn chunk(bytes: &[u8], at: usize, number: usize) -> Result<Option<Chunk>, ImportError> {
    let left = bytes.len() - at;
    // Up to three bytes may be padding that the last chunk's length does not include.
    if left < 4 && number > 0 {
        return Ok(None);
    }
    let (Some(length), Some(kind)) = (word(bytes, at), word(bytes, at + 4)) else {
        let message = format!("the header of GLB chunk {number} is cut short: {left} bytes of 8");
        return Err(ImportError::container(message));
    };
    let room = left - 8;
    if length as usize > room {
        let message = format!("GLB chunk {number} has length {length}, {room} bytes are left");
        return Err(ImportError::container(message));
    }
    Ok(Some(Chunk { kind, range: at + 8..at + 8 + length as usize }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glb(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        let mut body = Vec::new();
        for (kind, data) in chunks {
            body.extend((data.len() as u32).to_le_bytes());
            body.extend(*kind);
            body.extend(*data);
        }
        let mut out = b"glTF\x02\0\0\0".to_vec();
        out.extend((HEADER as u32 + body.len() as u32).to_le_bytes());
        out.extend(body);
        out
    }

    fn gltf(contents: Contents) -> Pieces {
        let Contents::Gltf(pieces) = contents else { panic!("{contents:?}") };
        pieces
    }

    #[test]
    fn a_glb_is_cut_into_its_chunks() {
        let bytes = glb(&[(b"JSON", b"{}  "), (b"BIN\0", b"abcd"), (b"WHAT", b"1234")]);
        let mut warnings = Warnings::default();
        let pieces = gltf(split(bytes, None, &mut warnings).unwrap());
        assert_eq!(&pieces.bytes[pieces.json], b"{}  ");
        assert_eq!(&pieces.bytes[pieces.bin.unwrap()], b"abcd");
        let [(kind, range)] = &pieces.others[..] else { panic!("{:?}", pieces.others) };
        assert_eq!((kind, &pieces.bytes[range.clone()]), (b"WHAT", &b"1234"[..]));
        assert!(warnings.finish(false).is_empty());
    }

    #[test]
    fn a_glb_cut_anywhere_is_refused() {
        let whole = glb(&[(b"JSON", b"{}  "), (b"BIN\0", b"abcd")]);
        for end in 0..whole.len() {
            let cut = split(whole[..end].to_vec(), None, &mut Warnings::default());
            assert!(cut.is_err(), "cut at {end}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_skipped_and_other_content_named() {
        let bytes = b"\xef\xbb\xbf {}".to_vec();
        let pieces = gltf(split(bytes, None, &mut Warnings::default()).unwrap());
        assert_eq!(pieces.json, 3..6);
        let error =
            split(b"\x89PNG\r\n\x1a\n".to_vec(), None, &mut Warnings::default()).unwrap_err();
        assert!(error.message().contains("PNG"), "{error}");
    }

    #[test]
    fn surplus_is_said() {
        let mut bytes = glb(&[(b"JSON", b"{}\0\0"), (b"BIN\0", b"abcd"), (b"BIN\0", b"abcd")]);
        bytes.extend(b"more");
        let mut warnings = Warnings::default();
        split(bytes, None, &mut warnings).unwrap();
        let codes: Vec<_> = warnings.finish(false).iter().map(|w| w.code.as_str()).collect();
        assert_eq!(codes, ["TRAILING_BYTES", "BIN_TWICE", "JSON_PADDED_WITH_NUL"]);
    }
}
