//! Extras of a part: what applications have stored in the file about it.

use serde_json::Value;

use super::page::Page;
use rigview_session::Item;

/// Values that are shown at most.
const MOST: usize = 64;

/// Characters of a value that are shown.
const SHOWN: usize = 400;

/// Bytes of extras above which their values are not shown one by one.
const LONGEST: usize = 1 << 16;

/// Shows the extras of a part, or of the file; nothing if there are none.
pub(super) fn show(page: &mut Page<'_>, item: Option<Item>) {
    let pointers = match item {
        Some(item) => pointer(item).into_iter().collect(),
        None => vec![String::new(), "/asset".to_owned()],
    };
    let source = &page.model.source;
    let value = |json: &str| {
        if json.len() > LONGEST {
            Some(Value::String(beginning(json)))
        } else {
            serde_json::from_str(json).ok()
        }
    };
    let found: Vec<Value> =
        pointers.iter().filter_map(|pointer| value(source.extras_of(pointer)?)).collect();
    if found.is_empty() {
        return;
    }
    page.folded("Extras", |page| {
        for value in &found {
            match value {
                Value::Object(entries) => {
                    for (key, value) in entries.iter().take(MOST) {
                        page.text(key, &text(value));
                    }
                }
                value => page.text("Value", &text(value)),
            }
        }
    });
}

/// Returns the place of a part in the file; `None` for parts whose extras are not read.
fn pointer(item: Item) -> Option<String> {
    let (list, index) = match item {
        Item::Node(i) => ("nodes", i),
        Item::Mesh(i) => ("meshes", i),
        Item::Skin(i) => ("skins", i),
        Item::Material(i) => ("materials", i),
        Item::Texture(i) => ("textures", i),
        Item::Camera(i) => ("cameras", i),
        Item::Clip(i) => ("animations", i),
        Item::Light(_) => return None,
    };
    Some(format!("/{list}/{index}"))
}

/// Returns the beginning of a text without its quotation marks, or of any other value as JSON.
fn text(value: &Value) -> String {
    beginning(&value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}

/// Returns the beginning of a text that is too long to be shown.
fn beginning(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
