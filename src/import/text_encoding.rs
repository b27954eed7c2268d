//! Text files in UTF-8 or UTF-16, as their first bytes say.

use std::borrow::Cow;

/// Returns the text without a byte order mark. Bytes that are no characters become U+FFFD.
pub(super) fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest),
        [0xff, 0xfe, rest @ ..] => Cow::Owned(utf16(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => Cow::Owned(utf16(rest, u16::from_be_bytes)),
        // Without a mark, text begins with a letter or with white space.
        [1..=0x7f, 0, 1..=0x7f, 0, ..] => Cow::Owned(utf16(bytes, u16::from_le_bytes)),
        [0, 1..=0x7f, 0, 1..=0x7f, ..] => Cow::Owned(utf16(bytes, u16::from_be_bytes)),
        _ => String::from_utf8_lossy(bytes),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.as_chunks().0.iter().map(|pair| unit(*pair));
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}
