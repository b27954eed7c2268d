//! The differences of two JSON values, in words.

use serde_json::Value;

/// Differences of a value that are listed, at most.
const LISTED: usize = 8;

/// Letters of a value that are shown.
const SHOWN: usize = 60;

/// Differences of a number up to this are rounding: quantization, and decimal digits in JSON. For numbers above
/// 1 it is relative.
const ROUNDING: f32 = 1e-5;

/// Numbers whose unit is that of the model: small ones are not rounded more than large ones.
const LENGTHS: [&str; 9] = [
    "znear",
    "zfar",
    "xmag",
    "ymag",
    "aspectRatio",
    "range",
    "intensity",
    "thickness",
    "attenuationDistance",
];

/// How values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// As values of the model: numbers are single precision, and compared to within rounding.
    Words,
    /// As the JSON of the file, which is compared exactly.
    Json,
}

/// Returns the differences of two values, each with its path. Objects whose values are all `true` are sets.
pub(crate) fn differences(before: &Value, after: &Value, style: Style) -> Vec<String> {
    let mut list = Vec::new();
    find(&mut Vec::new(), [before, after], style, &mut list);
    if let more @ 1.. = list.len().saturating_sub(LISTED) {
        list.truncate(LISTED);
        list.push(format!("and {more} more"));
    }
    list
}

/// Whether two values are the same.
pub(crate) fn are_same(before: &Value, after: &Value, style: Style) -> bool {
    differences(before, after, style).is_empty()
}

fn find<'v>(path: &mut Vec<&'v str>, values: [&'v Value; 2], style: Style, list: &mut Vec<String>) {
    let none = &Value::Null;
    match values {
        [Value::Object(a), Value::Object(b)] => {
            let is_set =
                |of: &serde_json::Map<String, Value>| of.values().all(|v| v == &Value::Bool(true));
            if !(a.is_empty() && b.is_empty()) && is_set(a) && is_set(b) {
                let lacking =
                    |of: &'v serde_json::Map<String, Value>,
                     other: &serde_json::Map<String, Value>| {
                        of.keys()
                            .filter(|key| !other.contains_key(*key))
                            .cloned()
                            .collect::<Vec<_>>()
                    };
                let noun = path.last().copied().unwrap_or_default();
                list.extend(listed(&format!("without {noun}"), &lacking(a, b)));
                list.extend(listed(&format!("with {noun}"), &lacking(b, a)));
                return;
            }
            let new = b.keys().filter(|key| !a.contains_key(*key));
            for key in a.keys().chain(new) {
                path.push(key);
                find(path, [a.get(key).unwrap_or(none), b.get(key).unwrap_or(none)], style, list);
                path.pop();
            }
        }
        [Value::Array(a), Value::Array(b)]
            if a.len() == b.len() && a.iter().any(|of| of.is_object() || style == Style::Json) =>
        {
            for (i, both) in a.iter().zip(b).enumerate() {
                let number = INDICES.get(i).copied().unwrap_or("..");
                path.push(number);
                find(path, [both.0, both.1], style, list);
                path.pop();
            }
        }
        [a, b] if is_like(path.last().copied().unwrap_or_default(), a, b, style) => {}
        // The contents of an object that only one side has would hide the other differences.
        [Value::Null, Value::Object(_)] if style == Style::Words && !path.is_empty() => {
            list.push(format!("{} added", cut(&path.join(" "))));
        }
        [Value::Object(_), Value::Null] if style == Style::Words && !path.is_empty() => {
            list.push(format!("{} removed", cut(&path.join(" "))));
        }
        [a, b] => {
            let separator = if style == Style::Json { "/" } else { " " };
            let place = path.join(separator);
            let space = if place.is_empty() { "" } else { " " };
            let [a, b] = [a, b].map(|value| text(value, style));
            list.push(format!("{}{space}{a} -> {b}", cut(&place)));
        }
    }
}

/// The first indices of lists, for paths.
const INDICES: [&str; 16] =
    ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15"];

/// Returns a word followed by the first names of a list. `None` if the list is empty.
fn listed(word: &str, names: &[String]) -> Option<String> {
    let mut text = names.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
    if let more @ 1.. = names.len().saturating_sub(LISTED) {
        text += &format!(" and {more} more");
    }
    (!names.is_empty()).then(|| format!("{word} {text}"))
}

fn is_like(key: &str, a: &Value, b: &Value, style: Style) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => {
            let (Some(x), Some(y)) = (x.as_f64(), y.as_f64()) else { return x == y };
            let unit = if LENGTHS.contains(&key) { 0.0 } else { 1.0 };
            x == y || style == Style::Words && are_like(x as f32, y as f32, unit)
        }
        (Value::Array(x), Value::Array(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| is_like(key, x, y, style))
        }
        (a, b) => a == b,
    }
}

/// Whether two numbers differ by no more than rounding, which is a share of those above `unit`.
fn are_like(a: f32, b: f32, unit: f32) -> bool {
    let most = a.abs().max(b.abs());
    a == b || most.is_finite() && (a - b).abs() <= ROUNDING * most.max(unit)
}

fn text(value: &Value, style: Style) -> String {
    let words = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (None, Some(number)) => (number as f32).to_string(),
            _ => number.to_string(),
        },
        value => value.to_string(),
    };
    match value {
        Value::Null => "none".to_owned(),
        value if style == Style::Json => cut(&value.to_string()),
        Value::Array(list) if list.is_empty() => "none".to_owned(),
        Value::Array(list) => cut(&list.iter().map(words).collect::<Vec<_>>().join(", ")),
        value => cut(&words(value)),
    }
}

/// Returns the beginning of a long text.
pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_that_differ_are_named_with_both_values() {
        let camera = |yfov: f32, zfar: Option<f32>| json!({"camera": {"perspective": {"yfov": yfov, "zfar": zfar}}});
        let told = |a: &Value, b: &Value| differences(a, b, Style::Words).join("; ");
        let text = told(&camera(0.7, None), &camera(0.9, Some(10.0)));
        assert_eq!(text, "camera perspective yfov 0.7 -> 0.9; camera perspective zfar none -> 10");
        assert_eq!(told(&camera(0.7, None), &camera(0.700_001, None)), "");
        let textured = json!({"normalTexture": {"image": "bark", "sampler": 1}});
        assert_eq!(told(&json!({}), &textured), "normalTexture added");
        assert_eq!(told(&textured, &json!({})), "normalTexture removed");
        // The unit of lengths is unknown.
        assert_ne!(told(&camera(0.7, Some(1e-6)), &camera(0.7, Some(2e-6))), "");
    }

    #[test]
    fn sets_name_what_is_gone_and_new() {
        let joints = |names: &[&str]| {
            let set = names.iter().map(|name| ((*name).to_owned(), json!(true)));
            json!({"joints": set.collect::<serde_json::Map<_, _>>()})
        };
        let told = differences(&joints(&["a", "b"]), &joints(&["b", "c"]), Style::Words);
        assert_eq!(told, ["without joints a", "with joints c"]);
        assert!(are_same(&joints(&["a", "b"]), &joints(&["b", "a"]), Style::Words));
    }

    #[test]
    fn json_is_compared_by_value() {
        let told = |a: Value, b: Value| differences(&a, &b, Style::Json);
        assert_eq!(
            told(json!({"a": 2, "b": [1, {"c": 3}]}), json!({"b": [1, {"c": 3.0}], "a": 2.0})),
            [""; 0]
        );
        assert_eq!(
            told(json!({"b": [1, {"c": 3}]}), json!({"b": [1, {"c": "x"}]})),
            ["b/1/c 3 -> \"x\""]
        );
        assert_eq!(told(json!(1), Value::Null), ["1 -> none"]);
    }
}
