//! Text: fonts, shaping and the pixels of glyphs.

pub mod bitmap;
pub mod fonts;
pub mod glyph_atlas;
#[cfg(not(target_family = "wasm"))]
mod system_fonts;
pub mod typeset;
