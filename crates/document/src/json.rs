//! Parses JSON text: at most 128 levels deep, and without duplicate keys.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

use super::at::DocumentError;

/// Bytes per value in the tree, including its share of a list or its key.
const VALUE_BYTES: usize = 96;

/// Bytes per object besides its values: a table with room for four entries.
const OBJECT_BYTES: usize = 400;

/// A parsed text.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The tree.
    pub root: Value,
    /// What was read lossily, in words; `None` if nothing was.
    pub lossy: Option<String>,
}

/// Parses a document. Text that is not UTF-8 is read lossily, if the result is valid JSON.
///
/// # Errors
/// If it is not JSON, has a key twice in one object, or is nested too deeply.
pub fn parse(text: &[u8]) -> Result<Parsed, DocumentError> {
    match std::str::from_utf8(text) {
        Ok(text) => match parse_text(text) {
            Ok(root) => Ok(Parsed { root, lossy: None }),
            Err(error) => {
                let root = parse_text(&with_whole_characters(text).ok_or(error)?)?;
                let lossy = "text has half of a surrogate pair: read lossily".to_owned();
                Ok(Parsed { root, lossy: Some(lossy) })
            }
        },
        Err(e) => {
            let at = e.valid_up_to();
            let root = parse_text(&String::from_utf8_lossy(text))
                .map_err(|_| DocumentError::json(format!("the JSON is not UTF-8 (byte {at})")))?;
            let lossy = format!("text is not UTF-8 at byte {at}: read lossily");
            Ok(Parsed { root, lossy: Some(lossy) })
        }
    }
}

/// Returns the memory that the tree of a text may need, as numbers of entries and their bytes. Commas and brackets within
/// strings count too; they are few.
pub fn tree_memory(text: &[u8]) -> [(usize, usize); 2] {
    let (mut values, mut objects) = (1, 0);
    for byte in text {
        values += usize::from(matches!(byte, b',' | b'['));
        objects += usize::from(*byte == b'{');
    }
    [(values, VALUE_BYTES), (objects, OBJECT_BYTES)]
}

fn parse_text(text: &str) -> Result<Value, DocumentError> {
    // serde_json stops at a depth of 128, so neither parsing nor dropping the tree can overflow the
    // stack.
    let mut parser = serde_json::Deserializer::from_str(text);
    let value = Tree.deserialize(&mut parser);
    value.and_then(|value| parser.end().map(|()| value)).map_err(|e| {
        DocumentError::json(match no_number(text, &e) {
            Some(word) => {
                let (line, column) = (e.line(), e.column());
                format!("not valid JSON: {word} is no number there, at line {line} column {column}")
            }
            None => format!("not valid JSON: {e}"),
        })
    })
}

/// Returns the word at which parsing ended, if a value was expected there and it is what other languages write for a number that
/// is not finite.
fn no_number(text: &str, error: &serde_json::Error) -> Option<&'static str> {
    let said = error.to_string();
    // A sign begins a number.
    let expected = ["expected value", "expected ident", "invalid number"];
    if !expected.iter().any(|what| said.starts_with(what)) {
        return None;
    }
    let line = text.lines().nth(error.line().checked_sub(1)?)?;
    // The column may be that of the word's sign, or of one of its letters.
    let before = line.get(..error.column().checked_sub(1)?)?;
    let start = before.rfind(|c: char| !c.is_ascii_alphabetic()).map_or(0, |last| last + 1);
    let word = line.get(start..)?.trim_start_matches('-');
    let end = word.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(word.len());
    ["NaN", "Infinity", "nan", "inf"].into_iter().find(|there| *there == &word[..end])
}

/// Returns text whose escapes that are one half of a surrogate pair stand for U+FFFD instead, as for other bytes that are no
/// character; `None` if it has none.
fn with_whole_characters(text: &str) -> Option<String> {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let (mut whole, mut done, mut at) = (String::new(), 0, 0);
    while let Some(next) = text[at..].find('\\') {
        at += next;
        let length = match (unit(at), unit(at + 6)) {
            (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => 12,
            (Some(0xd800..0xe000), _) => {
                whole.push_str(&text[done..at]);
                whole.push_str("\\ufffd");
                done = at + 6;
                6
            }
            // The escaped character may be a backslash.
            _ => 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8),
        };
        at += length;
    }
    (done > 0).then(|| whole + &text[done..])
}

/// Builds a [`Value`] and fails on duplicate keys: two readers could see two different files.
struct Tree;

impl<'de> DeserializeSeed<'de> for Tree {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<Value, D::Error> {
        parser.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Tree {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, v: bool) -> Result<Value, E> {
        Ok(Value::Bool(v))
    }

    fn visit_i64<E>(self, v: i64) -> Result<Value, E> {
        Ok(Value::Number(v.into()))
    }

    fn visit_u64<E>(self, v: u64) -> Result<Value, E> {
        Ok(Value::Number(v.into()))
    }

    fn visit_f64<E>(self, v: f64) -> Result<Value, E> {
        Ok(Number::from_f64(v).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, v: &str) -> Result<Value, E> {
        Ok(Value::String(v.into()))
    }

    fn visit_string<E>(self, v: String) -> Result<Value, E> {
        Ok(Value::String(v))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(Tree)? {
            list.push(item);
        }
        // Growing leaves up to half of a list unused, and a document may consist of lists.
        list.shrink_to_fit();
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            // `extras` belong to the application: duplicate keys are accepted.
            let value = match key.as_str() {
                "extras" => entries.next_value::<Value>()?,
                _ => entries.next_value_seed(Tree)?,
            };
            match map.entry(key) {
                Entry::Vacant(entry) => entry.insert(value),
                Entry::Occupied(entry) => {
                    let message = format!("duplicate key {:?} in an object", entry.key());
                    return Err(A::Error::custom(message));
                }
            };
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Result<Value, DocumentError> {
        parse(text).map(|parsed| parsed.root)
    }

    #[test]
    fn duplicate_keys_are_refused_except_in_extras() {
        assert!(read(br#"{"a": 1, "a": 2}"#).unwrap_err().to_string().contains("duplicate key"));
        assert!(read(br#"{"extras": {"a": 1, "a": 2}}"#).is_ok());
    }

    #[test]
    fn depth_has_a_limit() {
        let nested = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert!(read(nested(100).as_bytes()).is_ok());
        assert!(read(nested(200_000).as_bytes()).unwrap_err().to_string().contains("recursion"));
    }

    #[test]
    fn text_that_is_not_utf8_is_read_lossily_and_said() {
        let parsed = parse(b"{\"name\": \"\xe9\"}").unwrap();
        assert_eq!(parsed.root["name"], "\u{fffd}");
        assert!(parsed.lossy.unwrap().contains("at byte 10"));
    }

    #[test]
    fn invalid_json_is_refused() {
        for text in ["{", "{}x", "[NaN]", "{\"a\": 1e999}", "{\"a\": \"\\ud8\"}"] {
            assert!(read(text.as_bytes()).unwrap_err().to_string().contains("JSON"), "{text}");
        }
    }

    /// As programs write that cut a name within a character.
    #[test]
    fn half_of_a_surrogate_pair_is_read_lossily_and_said() {
        let cases = [
            (r"a\ud83d", "a\u{fffd}"),
            (r"\ude00b", "\u{fffd}b"),
            (r"\ud83d\ud83d\ude00", "\u{fffd}\u{1f600}"),
            (r"\\ud83d\ud83d", "\\ud83d\u{fffd}"),
        ];
        for (name, want) in cases {
            let text = format!("{{\"name\": \"{name}\"}}");
            let parsed = parse(text.as_bytes()).unwrap();
            assert_eq!(parsed.root["name"], want);
            assert!(parsed.lossy.is_some(), "{name}");
        }
        let whole = parse(br#"["\ud83d\ude00"]"#).unwrap();
        assert_eq!((&whole.root[0], whole.lossy), (&"\u{1f600}".into(), None));
    }

    #[test]
    fn numbers_that_are_not_finite_are_named() {
        for (text, word) in [
            ("[1,\n NaN]", "NaN"),
            ("[Infinity]", "Infinity"),
            ("[-Infinity]", "Infinity"),
            ("[nan]", "nan"),
            ("[-inf]", "inf"),
        ] {
            let message = read(text.as_bytes()).unwrap_err().to_string();
            assert!(message.contains(&format!("{word} is no number")), "{text}: {message}");
        }
        // Words that only begin like them, and errors of other kinds beside them.
        for text in ["[info]", "[NaN1]", "[\"\nNaN\"]", "{} NaN", "{NaN: 1}"] {
            let message = read(text.as_bytes()).unwrap_err().to_string();
            assert!(!message.contains("is no number"), "{text}: {message}");
        }
    }
}
