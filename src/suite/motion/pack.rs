//! Packs lists of 32-bit words so that deflate compresses them well, and unpacks them.
//!
//! Each word is replaced by its difference from the word one stride before it, because neighbouring frames and
//! vertices are alike. Then the bytes are sorted by significance: the lowest byte of all words first.

use std::io::Write;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Decompress, FlushDecompress, Status};

/// Appends packed words to `out`.
pub fn pack(words: &[u32], stride: usize, out: &mut Vec<u8>) {
    let difference = |at: usize| match at.checked_sub(stride) {
        Some(before) => words[at].wrapping_sub(words[before]),
        None => words[at],
    };
    for byte in 0..4 {
        out.extend((0..words.len()).map(|at| difference(at).to_le_bytes()[byte]));
    }
}

/// Returns the words of packed bytes, whose number must be a multiple of four.
pub fn unpack(bytes: &[u8], stride: usize) -> Vec<u32> {
    let count = bytes.len() / 4;
    let mut words: Vec<u32> = Vec::with_capacity(count);
    for at in 0..count {
        let difference = u32::from_le_bytes(std::array::from_fn(|byte| bytes[byte * count + at]));
        let before = at.checked_sub(stride).map_or(0, |before| words[before]);
        words.push(before.wrapping_add(difference));
    }
    words
}

/// Compresses bytes as a zlib stream.
pub fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    // Writing to memory can't fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// Decompresses a zlib stream that must hold exactly `length` bytes; `None` if the stream is broken, too long or
/// too short, or if bytes follow it.
pub fn inflated(bytes: &[u8], length: usize) -> Option<Vec<u8>> {
    // Deflate shrinks at most by a factor of 1032, so no stream asks for more memory than it can fill.
    if length > bytes.len().saturating_mul(1032) {
        return None;
    }
    let mut out = Vec::with_capacity(length + 1);
    let mut decoder = Decompress::new(true);
    let status = decoder.decompress_vec(bytes, &mut out, FlushDecompress::Finish).ok()?;
    let is_whole = status == Status::StreamEnd && decoder.total_in() == bytes.len() as u64;
    (is_whole && out.len() == length).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back() {
        let words = [1, u32::MAX, 0x0102_0304, 7, 7, 0];
        for stride in [1, 2, 6, 9] {
            let mut bytes = Vec::new();
            pack(&words, stride, &mut bytes);
            assert_eq!(bytes.len(), 24);
            assert_eq!(unpack(&bytes, stride), words, "stride {stride}");
        }
    }

    #[test]
    fn only_the_whole_stream_and_nothing_else_is_accepted() {
        let packed = deflated(b"twelve bytes");
        assert_eq!(inflated(&packed, 12).unwrap(), b"twelve bytes");
        assert_eq!(inflated(&packed, 11), None);
        assert_eq!(inflated(&packed, 13), None);
        for end in 0..packed.len() {
            assert_eq!(inflated(&packed[..end], 12), None, "{end} bytes");
        }
        assert_eq!(inflated(&[packed, vec![0]].concat(), 12), None);
        assert_eq!(inflated(b"", 0), None);
        assert_eq!(inflated(&deflated(b""), 0), Some(Vec::new()));
    }
}
