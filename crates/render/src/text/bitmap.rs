//! Lines of text for pictures that are put together without a GPU: their width, shortening, and the
//! coverage of their pixels.

use unicode_segmentation::UnicodeSegmentation;

use super::typeset::Typesetter;

/// Replaces the removed middle of a text.
const ELLIPSIS: &str = "\u{2026}";

/// The highest letters of a line, and the lowest, as fractions of the line's height from its top.
const BASE_LINE: f32 = 0.78;

/// Sets lines of text of one height, in any script that a font of the system has.
pub struct Lettering {
    setter: Typesetter,
    height: f32,
}

impl Lettering {
    /// Returns a lettering whose lines are `height` pixels high; `None` if the built-in font can't be read.
    pub fn new(height: f32) -> Option<Self> {
        Some(Self { setter: Typesetter::new(height).ok()?, height })
    }

    /// Height of a line in pixels.
    pub fn height(&self) -> f32 {
        self.height
    }

    /// Returns the width of a text in pixels.
    pub fn width(&mut self, text: &str) -> f32 {
        self.setter.set(text).width
    }

    /// Returns a text that is at most `most` pixels wide: the text itself, or its start and end with an
    /// ellipsis between them. Letters that are written as several characters are kept whole.
    pub fn shortened(&mut self, text: &str, most: f32) -> String {
        if self.width(text) <= most {
            return text.to_owned();
        }
        let letters: Vec<&str> = text.graphemes(true).collect();
        let with = |kept: usize| {
            let (head, tail) = (kept.div_ceil(2), kept / 2);
            let end = letters.len() - tail;
            [&letters[..head].concat(), ELLIPSIS, &letters[end..].concat()].concat()
        };
        let (mut fits, mut too_many) = (0, letters.len());
        while fits + 1 < too_many {
            let middle = usize::midpoint(fits, too_many);
            if self.width(&with(middle)) <= most { fits = middle } else { too_many = middle }
        }
        with(fits)
    }

    /// Splits a text into at most `lines` lines that are at most `most` pixels wide, at spaces where
    /// possible. The last line is shortened if the rest does not fit.
    pub fn wrapped(&mut self, text: &str, most: f32, lines: usize) -> Vec<String> {
        let mut wrapped: Vec<String> = Vec::new();
        let mut rest = text.trim();
        while !rest.is_empty() && wrapped.len() + 1 < lines {
            let end = self.line_end(rest, most);
            wrapped.push(rest[..end].trim_end().to_owned());
            rest = rest[end..].trim_start();
        }
        if !rest.is_empty() && lines > 0 {
            wrapped.push(self.shortened(rest, most));
        }
        wrapped
    }

    /// Returns the length of the first line of a text in bytes: the most words that fit, or the most letters
    /// of a word that does not fit.
    fn line_end(&mut self, text: &str, most: f32) -> usize {
        let mut end = 0;
        for word in text.split_inclusive(char::is_whitespace) {
            if self.width(text[..end + word.len()].trim_end()) > most {
                break;
            }
            end += word.len();
        }
        if end > 0 {
            return end;
        }
        let mut letters = text.grapheme_indices(true).map(|(at, letter)| at + letter.len());
        let first = letters.next().unwrap_or(text.len());
        letters.take_while(|end| self.width(&text[..*end]) <= most).last().unwrap_or(first)
    }

    /// Draws a text: calls `put` with the position of each covered pixel, from the left end of the line's
    /// top, and its coverage from 0 to 1. Pixels where letters touch may come twice.
    pub fn draw(&mut self, text: &str, mut put: impl FnMut([i32; 2], f32)) {
        let word = self.setter.set(text);
        let base = (self.height * BASE_LINE).round();
        for set in &word.glyphs {
            let Some(outlined) = self.setter.outline(set.key) else { continue };
            let corner = outlined.px_bounds().min;
            let left = (set.at[0] + corner.x).round() as i32;
            let top = (base - set.at[1] + corner.y).round() as i32;
            outlined.draw(|x, y, covered| put([left + x as i32, top + y as i32], covered.min(1.0)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_keeps_its_start_and_end() {
        let mut lettering = Lettering::new(14.0).unwrap();
        let name = "Animation_SkinType_with_a_very_long_name_07.gltf";
        let most = 0.5 * lettering.width(name);
        let short = lettering.shortened(name, most);
        assert!(lettering.width(&short) <= most, "{short}");
        let (head, tail) = short.split_once(ELLIPSIS).unwrap();
        assert!(name.starts_with(head) && name.ends_with(tail), "{short}");
        assert!(head.len().abs_diff(tail.len()) <= 1 && head.len() > 5, "{short}");
        assert_eq!(lettering.shortened("07.gltf", most), "07.gltf");
        assert_eq!(lettering.shortened(name, 0.0), ELLIPSIS);
        // A letter with its accents is one piece.
        let accents = "e\u{301}".repeat(30);
        let short = lettering.shortened(&accents, most);
        assert!(short.chars().filter(|c| *c == 'e').count() * 2 + 1 == short.chars().count());
    }

    #[test]
    fn lines_hold_whole_words_and_the_last_one_is_shortened() {
        let mut lettering = Lettering::new(14.0).unwrap();
        let most = lettering.width("joint 143 of 64 ");
        let lines = lettering.wrapped("joint 143 of 64 at /skins/0/joints/1 of the file", most, 3);
        assert_eq!(lines.len(), 3, "{lines:?}");
        assert_eq!(lines[0], "joint 143 of 64");
        assert!(lines[2].contains(ELLIPSIS), "{lines:?}");
        assert!(lines.iter().all(|line| lettering.width(line) <= most), "{lines:?}");
        let word = "x".repeat(100);
        let lines = lettering.wrapped(&word, most, 99);
        assert_eq!(lines.concat(), word);
    }

    #[test]
    fn ink_stays_in_the_line() {
        let mut lettering = Lettering::new(20.0).unwrap();
        let width = lettering.width("Ågjy") as i32;
        let mut ink = 0.0;
        lettering.draw("Ågjy", |[x, y], covered| {
            if covered > 0.1 {
                assert!((-1..=width + 1).contains(&x) && (-1..=20).contains(&y), "{x} {y}");
            }
            ink += covered;
        });
        assert!(ink > 40.0, "{ink}");
    }
}
