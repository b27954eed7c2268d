//! Typesets words: bidirectional order, shaping, and fallback from the built-in fonts to system fonts.

use std::sync::Arc;

use ab_glyph::{Font, InvalidFont, OutlinedGlyph, PxScale};
use harfrust::{Direction, FontRef, ShapeOptions, ShaperData, UnicodeBuffer};
use unicode_bidi::BidiInfo;
use unicode_segmentation::UnicodeSegmentation;

use super::fonts::{SystemFont, system_font};

/// Scale that makes emoji as high as capital letters instead of the line.
const EMOJI_SCALE: f32 = 0.85;

/// Identifies a glyph of a typesetter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GlyphKey {
    /// Index of the font.
    pub face: usize,
    /// Index of the glyph in the font.
    pub glyph: u16,
}

/// A positioned glyph of a word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SetGlyph {
    pub key: GlyphKey,
    /// Offset in pixels to the right and up from the start of the word on the base line.
    pub at: [f32; 2],
}

/// A word's glyphs from left to right.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SetWord {
    pub glyphs: Vec<SetGlyph>,
    /// Its width in pixels.
    pub width: f32,
}

/// Fonts at a size, in order of preference.
pub struct Typesetter {
    faces: Vec<Face>,
    pixels_per_em: f32,
}

/// A loaded font.
struct Face {
    bytes: Bytes,
    shaper: ShaperData,
    /// Factor of the typesetter's size.
    scale: f32,
}

enum Bytes {
    BuiltIn(&'static [u8]),
    System(Arc<SystemFont>),
}

impl Bytes {
    fn face(&self) -> (&[u8], u32) {
        match self {
            Self::BuiltIn(bytes) => (bytes, 0),
            Self::System(font) => (&font.bytes, font.index),
        }
    }
}

impl Face {
    fn new(bytes: Bytes, scale: f32) -> Option<Self> {
        let (slice, index) = bytes.face();
        let shaper = ShaperData::new(&FontRef::from_index(slice, index).ok()?);
        let face = Self { bytes, shaper, scale };
        face.outlines().is_ok().then_some(face)
    }

    fn outlines(&self) -> Result<ab_glyph::FontRef<'_>, InvalidFont> {
        let (slice, index) = self.bytes.face();
        ab_glyph::FontRef::try_from_slice_and_index(slice, index)
    }

    fn has(&self, letter: char) -> bool {
        self.outlines().is_ok_and(|font| font.glyph_id(letter).0 != 0)
    }
}

impl Typesetter {
    /// Returns a typesetter whose lines are `height` pixels high.
    ///
    /// # Errors
    /// If the built-in font cannot be read.
    pub fn new(height: f32) -> Result<Self, InvalidFont> {
        use epaint_default_fonts::{NOTO_EMOJI_REGULAR, UBUNTU_LIGHT};
        let first = Face::new(Bytes::BuiltIn(UBUNTU_LIGHT), 1.0).ok_or(InvalidFont)?;
        let font = first.outlines()?;
        let em = font.units_per_em().ok_or(InvalidFont)?;
        let pixels_per_em = height * em / font.height_unscaled();
        let emoji = Face::new(Bytes::BuiltIn(NOTO_EMOJI_REGULAR), EMOJI_SCALE);
        Ok(Self { faces: [Some(first), emoji].into_iter().flatten().collect(), pixels_per_em })
    }

    /// Typesets a word.
    pub fn set(&mut self, text: &str) -> SetWord {
        let mut word = SetWord::default();
        let bidi = BidiInfo::new(text, None);
        for paragraph in &bidi.paragraphs {
            let (levels, runs) = bidi.visual_runs(paragraph, paragraph.range.clone());
            for run in runs {
                let from_right = levels[run.start].is_rtl();
                let mut pieces = self.pieces(&text[run]);
                if from_right {
                    pieces.reverse();
                }
                for (face, piece) in pieces {
                    self.set_piece(&mut word, face, piece, from_right);
                }
            }
        }
        word
    }

    /// Returns the outline of a glyph; `None` for a space.
    pub fn outline(&self, key: GlyphKey) -> Option<OutlinedGlyph> {
        let face = &self.faces[key.face];
        let font = face.outlines().ok()?;
        // `ab_glyph` scales by the height of the line, not of the em.
        let line = font.height_unscaled() / font.units_per_em()?;
        let scale = PxScale::from(self.pixels_per_em * face.scale * line);
        font.outline_glyph(ab_glyph::GlyphId(key.glyph).with_scale(scale))
    }

    /// Splits a run where the font changes. Returns each piece with the index of its font.
    fn pieces<'a>(&mut self, run: &'a str) -> Vec<(usize, &'a str)> {
        let mut pieces: Vec<(usize, std::ops::Range<usize>)> = Vec::new();
        for (start, cluster) in run.grapheme_indices(true) {
            let face = self.face_for(cluster);
            let end = start + cluster.len();
            match pieces.last_mut() {
                Some((last, range)) if *last == face => range.end = end,
                _ => pieces.push((face, start..end)),
            }
        }
        pieces.into_iter().map(|(face, range)| (face, &run[range])).collect()
    }

    /// Returns the index of the font that has the first character of a cluster, loading a system font if
    /// necessary. If none has it, the first font draws a box.
    fn face_for(&mut self, cluster: &str) -> usize {
        let Some(letter) = cluster.chars().next() else { return 0 };
        if let Some(face) = self.faces.iter().position(|face| face.has(letter)) {
            return face;
        }
        let font = system_font(letter).and_then(|font| Face::new(Bytes::System(font), 1.0));
        let Some(face) = font else { return 0 };
        self.faces.push(face);
        self.faces.len() - 1
    }

    fn set_piece(&self, word: &mut SetWord, index: usize, piece: &str, from_right: bool) {
        let face = &self.faces[index];
        let (slice, at) = face.bytes.face();
        let Ok(font) = FontRef::from_index(slice, at) else { return };
        let shaper = face.shaper.shaper(&font).build();
        let mut buffer = UnicodeBuffer::new();
        buffer.push_str(piece);
        buffer.set_direction(if from_right {
            Direction::RightToLeft
        } else {
            Direction::LeftToRight
        });
        buffer.guess_segment_properties();
        let shaped = shaper.shape(buffer, ShapeOptions::new());
        let scale = self.pixels_per_em * face.scale / shaper.units_per_em() as f32;
        for (info, place) in shaped.glyph_infos().iter().zip(shaped.glyph_positions()) {
            let [x, y, advance] =
                [place.x_offset, place.y_offset, place.x_advance].map(|n| n as f32 * scale);
            let key = GlyphKey { face: index, glyph: u16::try_from(info.glyph_id).unwrap_or(0) };
            word.glyphs.push(SetGlyph { key, at: [word.width + x, y] });
            word.width += advance;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str) -> SetWord {
        Typesetter::new(14.0).unwrap().set(text)
    }

    #[test]
    fn latin_letters_keep_the_order_of_the_text() {
        let word = set("hip");
        let xs: Vec<f32> = word.glyphs.iter().map(|g| g.at[0]).collect();
        assert!(xs.is_sorted() && xs.len() == 3 && word.width > 10.0, "{word:?}");
        assert_eq!(word.glyphs[1..], set("hip").glyphs[1..]);
    }

    #[test]
    fn emoji_use_the_built_in_font() {
        let setter = &mut Typesetter::new(14.0).unwrap();
        let word = setter.set("hand 👍");
        let key = word.glyphs.last().unwrap().key;
        assert!(key.face == 1 && setter.outline(key).is_some(), "{word:?}");
    }
}
