//! Generated fonts in which each letter is a bar of a given width, so that tests need no font of the system.

use std::path::Path;

/// Units per em, and the height of the bars.
const EM: u16 = 1000;
const HIGH: i16 = 700;

/// Writes a font with these letters and the widths of their bars, in thousandths of an em.
pub fn write_font(file: &Path, letters: &[(char, i16)]) {
    let mut letters = letters.to_vec();
    letters.sort_unstable();
    let glyphs: Vec<Vec<u8>> = letters.iter().map(|(_, wide)| bar(*wide)).collect();
    // The glyph for missing letters has no outline.
    let mut places = vec![0_u32, 0];
    places.extend(glyphs.iter().scan(0, |end, glyph| {
        *end += glyph.len() as u32;
        Some(*end)
    }));
    let count = letters.len() as u16 + 1;
    let advances = letters.iter().map(|(_, wide)| *wide as u16 + 100);
    let metrics = std::iter::once(500).chain(advances).flat_map(|n: u16| words(&[n, 0]));
    let tables: [(&[u8; 4], Vec<u8>); 8] = [
        (b"cmap", cmap(&letters)),
        (b"glyf", glyphs.concat()),
        (b"head", head()),
        (
            b"hhea",
            words(&[1, 0, 800, -200_i16 as u16, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, count]),
        ),
        (b"hmtx", metrics.collect()),
        (b"loca", places.iter().flat_map(|at| at.to_be_bytes()).collect()),
        (b"maxp", words(&[1, 0, count, 4, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])),
        (b"name", name()),
    ];
    std::fs::write(file, container(&tables)).unwrap();
}

fn words(list: &[u16]) -> Vec<u8> {
    list.iter().flat_map(|word| word.to_be_bytes()).collect()
}

fn container(tables: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let mut file = words(&[1, 0, tables.len() as u16, 128, 3, 0]);
    let mut bodies = Vec::new();
    for (tag, body) in tables {
        let at = (12 + 16 * tables.len() + bodies.len()) as u32;
        file.extend(*tag);
        for number in [0, at, body.len() as u32] {
            file.extend(number.to_be_bytes());
        }
        bodies.extend(body);
        bodies.resize(bodies.len().next_multiple_of(4), 0);
    }
    file.extend(bodies);
    file
}

fn head() -> Vec<u8> {
    let mut head = words(&[1, 0, 1, 0, 0, 0, 0x5f0f, 0x3cf5, 0, EM, 0, 0, 0, 0, 0, 0, 0, 0]);
    head.extend(words(&[0, 0, EM, HIGH as u16, 0, 8, 2, 1, 0]));
    head
}

/// One group per letter, for all of Unicode.
fn cmap(letters: &[(char, i16)]) -> Vec<u8> {
    let mut cmap = words(&[0, 1, 3, 10, 0, 12, 12, 0]);
    let numbers = [16 + 12 * letters.len() as u32, 0, letters.len() as u32];
    cmap.extend(numbers.iter().flat_map(|n| n.to_be_bytes()));
    for (i, (letter, _)) in (1_u32..).zip(letters) {
        let code = u32::from(*letter);
        cmap.extend([code, code, i].iter().flat_map(|n| n.to_be_bytes()));
    }
    cmap
}

/// A rectangle that starts at the base line.
fn bar(wide: i16) -> Vec<u8> {
    let mut glyph = words(&[1, 50, 0, 50 + wide as u16, HIGH as u16, 3, 0]);
    glyph.extend([1; 4]);
    for steps in [[50, 0, wide, 0], [0, HIGH, 0, -HIGH]] {
        glyph.extend(steps.iter().flat_map(|step| step.to_be_bytes()));
    }
    glyph
}

/// The family and the PostScript name, for Windows in American English.
fn name() -> Vec<u8> {
    let text: Vec<u8> = "Bars".encode_utf16().flat_map(u16::to_be_bytes).collect();
    let record = |id: u16| words(&[3, 1, 0x409, id, text.len() as u16, 0]);
    [words(&[0, 2, 6 + 24]), record(1), record(6), text].concat()
}
