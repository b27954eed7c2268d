//! Collects the bytes of a new file: the used parts of the old buffers, one after the other.

use std::ops::Range;

/// Alignment of pieces; it satisfies every glTF component type.
const ALIGNMENT: usize = 4;

/// A growing chunk of bytes.
#[derive(Debug, Default)]
pub struct Pieces {
    bytes: Vec<u8>,
}

impl Pieces {
    /// Appends bytes, and returns their offset.
    pub fn add(&mut self, bytes: &[u8]) -> usize {
        self.add_like(bytes, 0)
    }

    /// Appends bytes such that they are aligned like `offset`.
    fn add_like(&mut self, bytes: &[u8], offset: usize) -> usize {
        let start = self.bytes.len().next_multiple_of(ALIGNMENT) + offset % ALIGNMENT;
        self.bytes.resize(start, 0);
        self.bytes.extend_from_slice(bytes);
        start
    }

    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Maps offsets of one old buffer to the new chunk. Overlapping ranges are moved together.
#[derive(Debug, Default)]
pub struct Moved {
    ranges: Vec<(Range<usize>, usize)>,
}

impl Moved {
    /// Copies these ranges of a buffer, overlapping ones once. Ranges are cut at the buffer's end.
    pub fn copy(buffer: &[u8], mut wanted: Vec<Range<usize>>, pieces: &mut Pieces) -> Self {
        wanted.sort_by_key(|range| (range.start, range.end));
        let mut joined: Vec<Range<usize>> = Vec::new();
        for range in wanted {
            match joined.last_mut() {
                Some(last) if range.start < last.end => last.end = last.end.max(range.end),
                _ => joined.push(range),
            }
        }
        let ranges = joined.into_iter().map(|range| {
            let bytes = &buffer[range.start.min(buffer.len())..range.end.min(buffer.len())];
            let at = pieces.add_like(bytes, range.start);
            (range, at)
        });
        Self { ranges: ranges.collect() }
    }

    /// Returns the new offset of a byte; `None` if it was not copied.
    pub fn place(&self, offset: usize) -> Option<usize> {
        let after = self.ranges.partition_point(|(range, _)| range.start <= offset);
        let (range, at) = self.ranges.get(after.checked_sub(1)?)?;
        (offset <= range.end).then(|| at + offset - range.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_ranges_move_together_and_keep_their_alignment() {
        let buffer: Vec<u8> = (0..100).collect();
        let mut pieces = Pieces::default();
        pieces.add(&[255]);
        let moved = Moved::copy(&buffer, vec![50..60, 10..20, 14..30, 90..95], &mut pieces);
        let bytes = pieces.into_bytes();
        for old in [10usize, 14, 29, 50, 59, 90] {
            let new = moved.place(old).unwrap();
            assert_eq!((bytes[new], new % 4), (buffer[old], old % 4), "{old}");
        }
        assert_eq!((moved.place(5), moved.place(40)), (None, None));
        assert!(bytes.len() < 60, "{}", bytes.len());
    }
}
