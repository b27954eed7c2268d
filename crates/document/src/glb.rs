//! The GLB container: header and chunks.

use std::ops::Range;

use serde_json::Value;

/// The first bytes of a GLB.
pub const MAGIC: &[u8] = b"glTF";

/// Bytes of a GLB's header.
pub const HEADER: usize = 12;

/// The type of the chunk that holds the document.
pub const JSON_CHUNK: [u8; 4] = *b"JSON";

/// The type of the chunk that holds the first buffer.
pub const BIN_CHUNK: [u8; 4] = *b"BIN\0";

/// Bytes of a chunk's header.
const CHUNK_HEADER: usize = 8;

/// A chunk of a GLB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlbChunk {
    /// Its type.
    pub kind: [u8; 4],
    /// The bytes of its contents in the file.
    pub range: Range<usize>,
}

/// Returns the version that a GLB header states; `None` for other files.
pub fn version(bytes: &[u8]) -> Option<u32> {
    if bytes.starts_with(MAGIC) { word(bytes, 4) } else { None }
}

/// Returns the length that a GLB header states; `None` for other files.
pub fn stated_length(bytes: &[u8]) -> Option<u32> {
    if bytes.starts_with(MAGIC) { word(bytes, 8) } else { None }
}

/// Reads the little-endian 32-bit word at an offset; `None` past the end.
pub fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(four.try_into().ok()?))
}

/// Finds the chunks of a GLB 2.0, which must not be longer than its header says.
///
/// # Errors
/// If a chunk is cut short; the reason in words.
pub fn chunks(bytes: &[u8]) -> Result<Vec<GlbChunk>, String> {
    let mut chunks: Vec<GlbChunk> = Vec::new();
    let mut at = HEADER;
    loop {
        let (number, left) = (chunks.len(), bytes.len().saturating_sub(at));
        // Up to three bytes may be padding that the last chunk's length does not include.
        if left < 4 && number > 0 {
            return Ok(chunks);
        }
        let (Some(length), Some(_)) = (word(bytes, at), word(bytes, at + 4)) else {
            return Err(format!(
                "the header of GLB chunk {number} is cut short: {left} bytes of {CHUNK_HEADER}"
            ));
        };
        let (start, room) = (at + CHUNK_HEADER, left - CHUNK_HEADER);
        if length as usize > room {
            return Err(format!("GLB chunk {number} has length {length}, {room} bytes are left"));
        }
        let kind = [bytes[at + 4], bytes[at + 5], bytes[at + 6], bytes[at + 7]];
        at = start + length as usize;
        chunks.push(GlbChunk { kind, range: start..at });
    }
}

/// Packs a GLB: header, JSON chunk, binary chunk, then chunks that glTF does not define. `None` if it would exceed 4 GiB.
pub fn pack<'a>(
    root: &Value,
    mut bytes: Vec<u8>,
    others: impl IntoIterator<Item = (&'a [u8; 4], &'a [u8])>,
) -> Option<Vec<u8>> {
    let mut text = root.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let mut chunks: Vec<(&[u8; 4], &[u8])> = vec![(&JSON_CHUNK, &text)];
    if !bytes.is_empty() {
        chunks.push((&BIN_CHUNK, &bytes));
    }
    for other in others {
        chunks.push(other);
    }
    let length = HEADER + chunks.iter().map(|(_, bytes)| CHUNK_HEADER + bytes.len()).sum::<usize>();
    let word = |n: usize| u32::try_from(n).map(u32::to_le_bytes).ok();
    let mut out = Vec::with_capacity(length);
    out.extend(MAGIC);
    out.extend(2u32.to_le_bytes());
    out.extend(word(length)?);
    for (kind, bytes) in chunks {
        out.extend(word(bytes.len())?);
        out.extend(kind);
        out.extend(bytes);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_packed_is_found_again() {
        let extra = *b"ACME";
        let glb = pack(&json!({"asset": {}}), vec![1, 2, 3], [(&extra, &b"abcd"[..])]).unwrap();
        assert_eq!((version(&glb), stated_length(&glb)), (Some(2), Some(glb.len() as u32)));
        let found = chunks(&glb).unwrap();
        let contents: Vec<_> = found.iter().map(|chunk| &glb[chunk.range.clone()]).collect();
        assert_eq!(contents, [&b"{\"asset\":{}}  "[..14 - 2].to_vec()[..], &[1, 2, 3, 0], b"abcd"]);
        assert_eq!(found[2].kind, extra);
        for cut in [13, 19, glb.len() - 5] {
            assert!(chunks(&glb[..cut]).is_err(), "{cut}");
        }
        assert_eq!(stated_length(b"{}"), None);
    }
}
