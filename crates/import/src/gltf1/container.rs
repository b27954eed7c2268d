//! KHR_binary_glTF: a GLB of version 1. It has a header of 20 bytes, the JSON, and a body: the
//! buffer `binary_glTF`.

use std::ops::Range;

use crate::fault::ImportError;

const HEADER: usize = 20;

/// The byte ranges of a container's parts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Content {
    /// The JSON text.
    pub json: Range<usize>,
    /// The buffer `binary_glTF`.
    pub body: Range<usize>,
}

/// Finds the JSON and the body in the bytes of a container.
pub(crate) fn split(bytes: &[u8]) -> Result<Content, ImportError> {
    let wrong = |what: String| ImportError::container(what);
    let Some(header) = bytes.get(..HEADER) else {
        let n = bytes.len();
        return Err(wrong(format!("GLB header cut short: {n} bytes of {HEADER} in version 1")));
    };
    let word = |at: usize| {
        header[at..at + 4].iter().rev().fold(0u32, |word, byte| word << 8 | u32::from(*byte))
    };
    let (length, format) = (word(12), word(16));
    if format != 0 {
        let message = format!("content format {format} of a GLB of version 1, it must be 0 (JSON)");
        return Err(wrong(message));
    }
    let room = bytes.len() - HEADER;
    let Some(end) = usize::try_from(length).ok().filter(|length| *length <= room) else {
        let message = format!("the GLB's content has length {length}, {room} bytes are left");
        return Err(wrong(message));
    };
    Ok(Content { json: HEADER..HEADER + end, body: HEADER + end..bytes.len() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glb(length: u32, format: u32, rest: &[u8]) -> Vec<u8> {
        let words = [1, (HEADER + rest.len()) as u32, length, format];
        let words = words.iter().flat_map(|word: &u32| word.to_le_bytes());
        b"glTF".iter().copied().chain(words).chain(rest.iter().copied()).collect()
    }

    #[test]
    fn a_container_is_cut_into_json_and_body() {
        let content = |json, body| Ok(Content { json, body });
        assert_eq!(split(&glb(4, 0, b"{}  body")), content(20..24, 24..28));
        assert_eq!(split(&glb(4, 0, b"{}  ")), content(20..24, 24..24));
    }

    #[test]
    fn a_container_with_wrong_lengths_is_refused() {
        let whole = glb(4, 0, b"{}  ");
        for end in 0..whole.len() {
            assert!(split(&whole[..end]).is_err(), "cut at {end}");
        }
        assert!(split(&glb(u32::MAX, 0, b"{}  ")).unwrap_err().message().contains("4294967295"));
        assert!(split(&glb(4, 1, b"{}  ")).unwrap_err().message().contains("content format 1"));
    }
}
