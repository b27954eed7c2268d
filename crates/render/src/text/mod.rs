//! Text: fonts, shaping and the pixels of glyphs.

pub mod bitmap;
pub mod fonts;
pub mod glyph_atlas;
pub mod typeset;
