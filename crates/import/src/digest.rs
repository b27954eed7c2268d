//! A hash that tells whether two pieces of data are the same (Fowler, Noll and Vo, FNV-1a, by words of eight bytes).

/// The hash of what was added so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    /// Adds a word.
    pub fn add_word(&mut self, word: u64) {
        let hash = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        self.0 = hash ^ (hash >> 29);
    }

    /// Adds bytes. The hash of data that is added in pieces is that of the whole, if the length of each piece but the last is
    /// a multiple of eight.
    pub fn add(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.add_word(u64::from_le_bytes(*word)));
        rest.iter().for_each(|byte| self.add_word(u64::from(*byte)));
    }

    /// Returns the hash.
    pub fn finish(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_have_the_hash_of_the_whole() {
        let bytes: Vec<u8> = (0..61).collect();
        let of = |pieces: &[&[u8]]| {
            let mut digest = Digest::default();
            pieces.iter().for_each(|piece| digest.add(piece));
            digest.finish()
        };
        assert_eq!(of(&[&bytes]), of(&[&bytes[..16], &bytes[16..56], &bytes[56..]]));
        assert_ne!(of(&[&bytes]), of(&[&bytes[..60]]));
    }
}
