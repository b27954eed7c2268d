//! Containers: JSON text, or a GLB with JSON and BIN chunks; and files of other formats that can be read. The
//! content decides, and the file name only where it says nothing.

use std::io::Read;
use std::ops::Range;
use std::path::Path;

use super::fault::{ImportError, Warnings};
use super::files::Files;
use super::gltf1::{self, Content};
use super::progress::Progress;
use super::{file_kind, files};
use rigview_document::glb;
use rigview_model::{Container, WarningCode};

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
    files: &Files,
    progress: &Progress,
    warnings: &mut Warnings,
) -> Result<Contents, ImportError> {
    let path = files.name();
    let wrong = |what: String| match progress.is_cancelled() {
        true => ImportError::Cancelled,
        false => ImportError::io(what),
    };
    let mut file = files.open(progress).map_err(wrong)?;
    let mut bytes = file.read(glb::HEADER as u64).map_err(wrong)?;
    let end = match glb::stated_length(&bytes) {
        Some(length) => u64::from(length),
        None => file.len,
    };
    if glb::stated_length(&bytes).is_none() {
        // Rejects other kinds of files, which may have gigabytes, by their first bytes.
        file.read_onto(&mut bytes, file_kind::HEAD as u64).map_err(wrong)?;
        if !file_kind::may_be_gltf(&bytes) && file_kind::format_of(&bytes, path).is_none() {
            let what = file_kind::complaint(&bytes, file.len, path);
            return Err(ImportError::not_gltf(what));
        }
    }
    file.read_onto(&mut bytes, end).map_err(wrong)?;
    if file.len > end && end > glb::HEADER as u64 {
        let more = file.len - end;
        let message = format!("{more} trailing bytes after the GLB's stated length of {end}");
        warnings.add(WarningCode::TrailingBytes, "", message);
    }
    split(bytes, path, warnings)
}

/// Reads a model file from a stream, such as standard input, to its end.
///
/// # Errors
/// If its first bytes are those of another kind of file, it is longer than a GLB can be, or reading fails.
pub fn read_stream(stream: &mut dyn Read) -> Result<Vec<u8>, ImportError> {
    let wrong = |e: std::io::Error| ImportError::io(files::in_words(&e));
    let mut bytes = Vec::new();
    Read::take(&mut *stream, file_kind::HEAD as u64).read_to_end(&mut bytes).map_err(wrong)?;
    if glb::stated_length(&bytes).is_none()
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

/// Finds the JSON and the BIN chunk in a file's bytes. The path is only used to tell what a file is
/// that is not glTF.
pub(super) fn split(
    bytes: Vec<u8>,
    path: Option<&Path>,
    warnings: &mut Warnings,
) -> Result<Contents, ImportError> {
    if bytes.starts_with(glb::MAGIC) {
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
    let (Some(version), Some(length)) = (glb::version(&bytes), glb::stated_length(&bytes)) else {
        let n = bytes.len();
        return Err(wrong(format!("GLB header cut short: {n} bytes of {}", glb::HEADER)));
    };
    if !matches!(version, 1 | 2) {
        let what = format!("GLB version {version} is not supported, 1 and 2 are");
        return Err(ImportError::unsupported("", what));
    }
    let end = length as usize;
    if end < glb::HEADER || end > bytes.len() {
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
    let wrong = |what: &str| ImportError::container(what);
    let (mut json, mut bin, mut others) = (None, None, Vec::new());
    for (number, chunk) in glb::chunks(bytes).map_err(ImportError::container)?.iter().enumerate() {
        let range = chunk.range.clone();
        if !range.len().is_multiple_of(4) && range.end < bytes.len() {
            let n = range.len();
            let message =
                format!("GLB chunk {number} of {n} bytes is not padded to a multiple of 4");
            warnings.add(WarningCode::ChunkUnaligned, "", message);
        }
        match chunk.kind {
            glb::JSON_CHUNK if number == 0 => json = Some(range),
            _ if number == 0 => return Err(wrong("the first GLB chunk is not JSON")),
            glb::BIN_CHUNK if bin.is_none() => {
                if number > 1 {
                    let message = format!("the BIN chunk is chunk {number}, it must be chunk 1");
                    warnings.add(WarningCode::BinNotSecond, "", message);
                }
                bin = Some(range);
            }
            glb::BIN_CHUNK => {
                let message = format!("chunk {number} is a second BIN chunk: ignored");
                warnings.add(WarningCode::BinTwice, "", message);
            }
            glb::JSON_CHUNK => {
                let message = format!("chunk {number} is a second JSON chunk: ignored");
                warnings.add(WarningCode::JsonTwice, "", message);
            }
            kind => others.push((kind, range)),
        }
    }
    let json = json.ok_or_else(|| wrong("the GLB has no JSON chunk"))?;
    Ok(Chunks { json, bin, others })
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
        out.extend((glb::HEADER as u32 + body.len() as u32).to_le_bytes());
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
