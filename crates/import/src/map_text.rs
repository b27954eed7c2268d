//! Tables of joints as text, in TOML.
//!
//! ```toml
//! base = "auto"            # what joints without a line get: "auto", "exact" or "none" (default)
//! [joints]                 # joint of the model = joint of the clip file
//! "Hips" = "pelvis"
//! "LeftToeBase" = false    # stays at rest
//! ```

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use toml::{Spanned, Value};

use rigview_rig::{MapBase, MapLine, MapTable};

/// Why a text is not a table of joints, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} at line {line}")]
pub struct MapTableError {
    /// What is wrong.
    pub message: String,
    /// The line, from 1.
    pub line: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    base: Option<Spanned<String>>,
    #[serde(default)]
    joints: BTreeMap<Spanned<String>, Value>,
}

/// Reads a table of joints.
///
/// # Errors
/// If the text is not TOML, or has an unknown key or a value of the wrong type.
pub fn parse_map(text: &str) -> Result<MapTable, MapTableError> {
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    let line = |at: usize| 1 + ends.partition_point(|end| *end < at);
    let wrong = |message: String, at: Range<usize>| MapTableError { message, line: line(at.start) };
    let parsed: Text = toml::from_str(text).map_err(|e| {
        let message = e.message().lines().collect::<Vec<_>>().join(", ");
        wrong(message.replace("unknown field", "unknown key"), e.span().unwrap_or_default())
    })?;
    let base = parsed.base.map(|base| {
        let message = format!("base \"{}\" is none of: auto, exact, none", base.get_ref());
        MapBase::from_name(base.get_ref()).ok_or_else(|| wrong(message, base.span()))
    });
    let joints = parsed.joints.into_iter().map(|(joint, follows)| {
        let follows = match follows {
            Value::String(name) => Some(name),
            Value::Boolean(false) => None,
            _ => {
                let what = "is neither a name of a joint of the clip file nor false";
                return Err(wrong(format!("\"{}\" {what}", joint.get_ref()), joint.span()));
            }
        };
        Ok(MapLine { line: line(joint.span().start), joint: joint.into_inner(), follows })
    });
    let mut joints = joints.collect::<Result<Vec<_>, _>>()?;
    joints.sort_by_key(|joint| joint.line);
    Ok(MapTable { base: base.transpose()?.unwrap_or_default(), joints })
}

/// Writes a table of joints.
pub fn map_text(table: &MapTable) -> String {
    let base = table.base.name();
    let mut text =
        format!("base = \"{base}\"\n[joints] # joint of the model = joint of the clip file\n");
    for MapLine { joint, follows, .. } in &table.joints {
        let follows = follows.as_deref().map_or("false".to_owned(), toml_string);
        text += &format!("{} = {follows}\n", toml_string(joint));
    }
    text
}

/// Returns a name as a basic string of TOML, which keys can be too.
fn toml_string(name: &str) -> String {
    let mut text = String::from("\"");
    for letter in name.chars() {
        match letter {
            '"' | '\\' => text.extend(['\\', letter]),
            _ if letter.is_control() => text += &format!("\\u{:04X}", u32::from(letter)),
            _ => text.push(letter),
        }
    }
    text + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_written_as_it_is_read() {
        let text = "base = \"auto\"\n[joints]\n\"Hips\" = \"pelvis\"\n\"LeftToeBase\" = false\n\"a \\\"b\\\\\" = \"c\\nd\"\n";
        let table = parse_map(text).unwrap();
        assert_eq!(table.base, MapBase::Auto);
        let lines: Vec<_> =
            table.joints.iter().map(|j| (j.joint.as_str(), j.follows.as_deref(), j.line)).collect();
        assert_eq!(
            lines,
            [("Hips", Some("pelvis"), 3), ("LeftToeBase", None, 4), ("a \"b\\", Some("c\nd"), 5)]
        );
        let again = parse_map(&map_text(&table)).unwrap();
        let plain = |table: &MapTable| -> Vec<_> {
            table.joints.iter().map(|j| (j.joint.clone(), j.follows.clone())).collect()
        };
        assert_eq!((again.base, plain(&again)), (table.base, plain(&table)));
        assert_eq!(parse_map("").unwrap(), MapTable::default());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, line, says) in [
            ("[joints\n\"a\" = \n", 1, ""),
            ("base = \"none\"\n[joints]\n\"a\" = 3\n", 3, "\"a\" is neither"),
            ("[joints]\n\"a\" = true\n", 2, "\"a\" is neither"),
            ("\nbase = \"most\"\n", 2, "base \"most\" is none of"),
            ("joint = 1\n", 1, "unknown key"),
        ] {
            let error = parse_map(text).unwrap_err();
            assert_eq!(error.line, line, "{error}");
            assert!(error.message.contains(says) && !error.message.contains('\n'), "{error}");
        }
    }
}
