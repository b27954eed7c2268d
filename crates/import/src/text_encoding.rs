//! Text files in UTF-8 or UTF-16, as their first bytes say, and in encodings that programs of some countries write.

use std::borrow::Cow;

use encoding_rs::{SHIFT_JIS, WINDOWS_1252};

use super::fault::Warnings;
use rigview_model::WarningCode;

/// Text with what is known of its encoding.
pub(super) struct Text<'a> {
    /// Without a byte order mark. Bytes that are no characters became U+FFFD.
    pub text: Cow<'a, str>,
    /// The encoding that the bytes seem to have, if they do not have the one that they should.
    assumed: Option<&'static str>,
}

impl<'a> Text<'a> {
    /// Returns the text, and warns if its encoding is a guess.
    pub fn said(self, warnings: &mut Warnings) -> Cow<'a, str> {
        if let Some(assumed) = self.assumed {
            let message = format!(
                "the text is not valid UTF-8: it is read as {assumed}; if names are wrong, save the file as UTF-8"
            );
            warnings.add(WarningCode::FileDefect, "", message);
        }
        self.text
    }
}

/// Decodes a text file, or its beginning.
pub(super) fn text_of(bytes: &[u8]) -> Text<'_> {
    let known = |text| Text { text, assumed: None };
    match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => eight_bit(rest),
        [0xff, 0xfe, rest @ ..] => known(Cow::Owned(utf16(rest, u16::from_le_bytes))),
        [0xfe, 0xff, rest @ ..] => known(Cow::Owned(utf16(rest, u16::from_be_bytes))),
        // Without a mark, text begins with a letter or with white space.
        [1..=0x7f, 0, 1..=0x7f, 0, ..] => known(Cow::Owned(utf16(bytes, u16::from_le_bytes))),
        [0, 1..=0x7f, 0, 1..=0x7f, ..] => known(Cow::Owned(utf16(bytes, u16::from_be_bytes))),
        _ => eight_bit(bytes),
    }
}

/// Decodes UTF-8. Text that is not is in Shift-JIS if it can be and if it has bytes that are no letters in the encodings
/// of Western languages, where letters are the same in ISO 8859-1 and Windows-1252.
fn eight_bit(bytes: &[u8]) -> Text<'_> {
    let utf8 = String::from_utf8_lossy(bytes);
    if matches!(utf8, Cow::Borrowed(_)) {
        return Text { text: utf8, assumed: None };
    }
    // Single bytes of a file in UTF-8 may be lost, such as the last one of a name that was cut.
    let count = |wanted: fn(char) -> bool| utf8.chars().filter(|c| wanted(*c)).count();
    let broken = count(|c| c == char::REPLACEMENT_CHARACTER);
    let whole = count(|c| !c.is_ascii()) - broken;
    if whole > broken {
        return Text { text: utf8, assumed: Some("UTF-8 with damaged characters") };
    }
    // Œ, œ, Š, š, Ž, ž and Ÿ are letters of Windows-1252 in that range.
    const LETTERS: [u8; 7] = [0x8a, 0x8c, 0x8e, 0x9a, 0x9c, 0x9e, 0x9f];
    let is_no_letter = |byte: &u8| (0x81..=0x9f).contains(byte) && !LETTERS.contains(byte);
    let is_japanese = bytes.iter().any(is_no_letter);
    let japanese = SHIFT_JIS.decode_without_bom_handling_and_without_replacement(bytes);
    let (text, assumed) = match japanese.filter(|_| is_japanese) {
        Some(text) => (text, "Shift-JIS"),
        None => (WINDOWS_1252.decode_without_bom_handling(bytes).0, "Windows-1252"),
    };
    Text { text, assumed: Some(assumed) }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.as_chunks().0.iter().map(|pair| unit(*pair));
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_is_not_utf_8_is_japanese_or_western() {
        let cases: [(&[u8], &str, Option<&str>); 7] = [
            ("ROOT Hüfte".as_bytes(), "ROOT Hüfte", None),
            // The second byte of a character may be that of a brace.
            (b"ROOT \x83{\x81[\x83\x93\n{", "ROOT ボーン\n{", Some("Shift-JIS")),
            (b"ROOT \x8d\xb6r\n{", "ROOT 左r\n{", Some("Shift-JIS")),
            (b"ROOT H\xfcfte", "ROOT Hüfte", Some("Windows-1252")),
            (b"ROOT C\x9cur", "ROOT Cœur", Some("Windows-1252")),
            // Two letters that would be one character of Japanese.
            (b"ROOT t\xeate", "ROOT tête", Some("Windows-1252")),
            (
                b"\xe5\xb7\xa6\xe8\xb6\xb3\xe8",
                "左足\u{fffd}",
                Some("UTF-8 with damaged characters"),
            ),
        ];
        for (bytes, text, assumed) in cases {
            let found = text_of(bytes);
            assert_eq!((&*found.text, found.assumed), (text, assumed));
        }
    }
}
