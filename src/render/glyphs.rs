//! Glyphs as pixels: the letters of some words on one picture, and how wide each word is.

use std::collections::BTreeMap;

use ab_glyph::{Font, FontRef, InvalidFont, PxScale, ScaleFont};

/// Pixels across an atlas.
const WIDTH: u32 = 512;

/// Room for the rim of a glyph.
const RIM: i32 = 1;

/// Where a glyph is on the atlas, and where it goes from a word's start on the base line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Glyph {
    /// Left and top on the atlas.
    pub cell: [u32; 2],
    /// Width and height in pixels; zero for a space.
    pub size: [u32; 2],
    /// From the base line's pen to the left and top.
    pub offset: [i32; 2],
    /// To the next glyph.
    pub advance: f32,
}

/// Letters as a picture: two bytes a pixel, what the glyph covers and the same with a rim.
pub struct Atlas {
    /// By character.
    pub glyphs: BTreeMap<char, Glyph>,
    /// Width and height.
    pub size: [u32; 2],
    /// Rows from the top.
    pub bytes: Vec<u8>,
    /// From the base line up to the highest letter, in pixels.
    pub ascent: f32,
}

impl Atlas {
    /// The letters that these words need, so many pixels high. What the font lacks is an empty box.
    ///
    /// # Errors
    /// When the built-in font can't be read.
    pub fn new<'a>(words: impl Iterator<Item = &'a str>, height: f32) -> Result<Self, InvalidFont> {
        let font = FontRef::try_from_slice(epaint_default_fonts::UBUNTU_LIGHT)?;
        let scale = PxScale::from(height);
        let mut atlas = Self {
            glyphs: words.flat_map(str::chars).map(|c| (c, EMPTY)).collect(),
            size: [WIDTH, 0],
            bytes: Vec::new(),
            ascent: font.as_scaled(scale).ascent(),
        };
        let (mut left, mut top, mut row) = (0, 0, 0);
        let mut drawn = Vec::new();
        for (letter, glyph) in &mut atlas.glyphs {
            let id = font.glyph_id(*letter);
            glyph.advance = font.as_scaled(scale).h_advance(id);
            let outlined = font.outline_glyph(id.with_scale(scale));
            let Some(outlined) = outlined else { continue };
            let bounds = outlined.px_bounds();
            let size = [bounds.width(), bounds.height()].map(|s| s as u32 + 2 * RIM as u32);
            if left + size[0] > WIDTH {
                (left, top, row) = (0, top + row, 0);
            }
            glyph.cell = [left, top];
            glyph.size = size;
            glyph.offset = [bounds.min.x as i32 - RIM, bounds.min.y as i32 - RIM];
            left += size[0];
            row = row.max(size[1]);
            drawn.push((outlined, glyph.cell, size));
        }
        atlas.size[1] = (top + row).max(1);
        atlas.bytes = vec![0; (2 * WIDTH * atlas.size[1]) as usize];
        for (outlined, cell, size) in drawn {
            outlined.draw(|x, y, covered| {
                let at = [cell[0] + x + RIM as u32, cell[1] + y + RIM as u32];
                atlas.put(at, cell, size, (covered.clamp(0.0, 1.0) * 255.0) as u8);
            });
        }
        Ok(atlas)
    }

    /// How wide a word is, in pixels.
    pub fn width(&self, word: &str) -> f32 {
        word.chars().filter_map(|c| self.glyphs.get(&c)).map(|g| g.advance).sum()
    }

    /// Puts a pixel and its rim, inside its glyph's cell.
    fn put(&mut self, at: [u32; 2], cell: [u32; 2], size: [u32; 2], covered: u8) {
        for y in at[1].saturating_sub(1)..=at[1] + 1 {
            for x in at[0].saturating_sub(1)..=at[0] + 1 {
                let inside = (cell[0]..cell[0] + size[0]).contains(&x)
                    && (cell[1]..cell[1] + size[1]).contains(&y);
                if inside {
                    let pixel = 2 * (y * WIDTH + x) as usize;
                    self.bytes[pixel + 1] = self.bytes[pixel + 1].max(covered);
                    if [x, y] == at {
                        self.bytes[pixel] = covered;
                    }
                }
            }
        }
    }
}

const EMPTY: Glyph = Glyph { cell: [0; 2], size: [0; 2], offset: [0; 2], advance: 0.0 };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_as_wide_as_their_letters_and_every_letter_has_ink() {
        let atlas = Atlas::new(["hip", "pi x"].into_iter(), 14.0).unwrap();
        assert_eq!(atlas.glyphs.len(), 5);
        let sum = |word: &str| word.chars().map(|c| atlas.glyphs[&c].advance).sum::<f32>();
        assert!((atlas.width("hip") - sum("hip")).abs() < 1e-4 && atlas.width("hip") > 10.0);
        for (letter, glyph) in &atlas.glyphs {
            let [left, top] = glyph.cell;
            let rows = top..top + glyph.size[1];
            let ink = rows
                .flat_map(|y| (left..left + glyph.size[0]).map(move |x| 2 * (y * WIDTH + x)))
                .filter(|at| atlas.bytes[*at as usize] > 100)
                .count();
            assert_eq!(ink > 3, *letter != ' ', "{letter:?}: {ink}");
        }
    }

    #[test]
    fn no_words_make_an_empty_picture() {
        let atlas = Atlas::new([].into_iter(), 14.0).unwrap();
        assert_eq!((atlas.size, atlas.width("anything")), ([WIDTH, 1], 0.0));
    }
}
