//! A texture atlas with the glyphs of a list of words.

use std::collections::BTreeMap;

use ab_glyph::InvalidFont;

use super::typeset::{GlyphKey, SetWord, Typesetter};

/// Width of an atlas in pixels.
const WIDTH: u32 = 512;

/// Width of the rim around a glyph in pixels.
const RIM: i32 = 1;

/// A glyph's cell in the atlas and its offset from the pen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Glyph {
    /// Left and top in the atlas.
    pub cell: [u32; 2],
    /// Width and height in pixels; zero for a space.
    pub size: [u32; 2],
    /// From the pen on the base line to the left and top.
    pub offset: [i32; 2],
}

/// Glyphs as an image of two bytes per pixel: the glyph's coverage, and its coverage with a rim.
pub struct Atlas {
    pub glyphs: BTreeMap<GlyphKey, Glyph>,
    /// In the order of the input.
    pub words: Vec<SetWord>,
    /// Width and height.
    pub size: [u32; 2],
    /// The pixels, rows from the top.
    pub bytes: Vec<u8>,
}

impl Atlas {
    /// Typesets words in lines of `height` pixels. Characters that no font has are drawn as boxes.
    ///
    /// # Errors
    /// If the built-in font cannot be read.
    pub fn new<'a>(words: impl Iterator<Item = &'a str>, height: f32) -> Result<Self, InvalidFont> {
        let mut setter = Typesetter::new(height)?;
        let words: Vec<SetWord> = words.map(|word| setter.set(word)).collect();
        let keys = words.iter().flat_map(|word| word.glyphs.iter().map(|g| g.key));
        let mut atlas = Self {
            glyphs: keys.map(|key| (key, Glyph::default())).collect(),
            words,
            size: [WIDTH, 0],
            bytes: Vec::new(),
        };
        let (mut left, mut top, mut row) = (0, 0, 0);
        let mut drawn = Vec::new();
        for (key, glyph) in &mut atlas.glyphs {
            let Some(outlined) = setter.outline(*key) else { continue };
            let bounds = outlined.px_bounds();
            let size = [bounds.width(), bounds.height()].map(|s| s as u32 + 2 * RIM as u32);
            // No sensible letter is wider than the atlas.
            if size[0] > WIDTH {
                continue;
            }
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
                atlas.draw_pixel(at, cell, size, (covered.clamp(0.0, 1.0) * 255.0) as u8);
            });
        }
        Ok(atlas)
    }

    /// Returns how far a word extends above and below the base line, in pixels.
    pub fn reach(&self, word: &SetWord) -> [f32; 2] {
        let mut reach = [0.0_f32; 2];
        for set in &word.glyphs {
            let glyph = self.glyphs[&set.key];
            let top = glyph.offset[1] as f32 - set.at[1];
            if glyph.size[1] > 0 {
                reach = [reach[0].max(-top), reach[1].max(top + glyph.size[1] as f32)];
            }
        }
        reach
    }

    /// Draws a pixel and its rim, clipped to the glyph's cell.
    fn draw_pixel(&mut self, at: [u32; 2], cell: [u32; 2], size: [u32; 2], covered: u8) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_has_ink_in_its_cell() {
        let atlas = Atlas::new(["hip", "pi x"].into_iter(), 14.0).unwrap();
        assert_eq!((atlas.glyphs.len(), atlas.words.len()), (5, 2));
        let spaces = atlas.glyphs.values().filter(|glyph| glyph.size[0] == 0);
        assert_eq!(spaces.count(), 1);
        for glyph in atlas.glyphs.values().filter(|glyph| glyph.size[0] > 0) {
            let [left, top] = glyph.cell;
            let rows = top..top + glyph.size[1];
            let ink = rows
                .flat_map(|y| (left..left + glyph.size[0]).map(move |x| 2 * (y * WIDTH + x)))
                .filter(|at| atlas.bytes[*at as usize] > 100)
                .count();
            assert!(ink > 3, "{glyph:?}: {ink}");
        }
        let [up, down] = atlas.reach(&atlas.words[0]);
        assert!(up > 8.0 && (2.0..6.0).contains(&down), "{up} {down}");
    }

    #[test]
    fn no_words_make_an_empty_atlas() {
        let atlas = Atlas::new([].into_iter(), 14.0).unwrap();
        assert_eq!((atlas.size, atlas.words.len()), ([WIDTH, 1], 0));
    }
}
