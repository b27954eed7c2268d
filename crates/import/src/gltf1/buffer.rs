//! Buffers and buffer views. In 2.0 the views have the strides, in 1.0 the accessors.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::ids::{BODY, Ids, thing};
use crate::fault::ImportError;

/// Converts all buffers, except their URIs (see `origin`). `body` is the length of the container's
/// body.
pub(super) fn buffers(ids: &Ids, body: Option<usize>) -> Result<Vec<Value>, ImportError> {
    let mut list = Vec::new();
    for (id, at) in ids.entries("buffers") {
        let mut buffer = thing(id, at, &["byteLength"])?;
        match body.filter(|_| *id == BODY) {
            Some(body) if at.whole_at("byteLength")?.unwrap_or(0) == 0 => {
                buffer.insert("byteLength".into(), body.into());
            }
            Some(_) => {}
            None => {
                at.required("uri")?.text()?;
            }
        }
        list.push(Value::Object(buffer));
    }
    Ok(list)
}

/// Buffer views: those of the file, and those added for strides.
pub(super) struct Views {
    /// All views.
    pub list: Vec<Value>,
    /// The view added for a view of the file and a stride.
    made: HashMap<(usize, u64), usize>,
}

impl Views {
    /// Returns a view of the same bytes with a stride, and whether it was added now.
    pub fn with_stride(&mut self, view: usize, stride: u64) -> (usize, bool) {
        if let Some(made) = self.made.get(&(view, stride)) {
            return (*made, false);
        }
        let of = &self.list[view];
        let own = ["buffer", "byteOffset", "byteLength"].map(|key| &of[key]);
        let mut own = json!({ "buffer": own[0], "byteOffset": own[1], "byteLength": own[2] });
        own["byteStride"] = stride.into();
        self.list.push(own);
        let number = self.list.len() - 1;
        self.made.insert((view, stride), number);
        (number, true)
    }
}

/// Converts all buffer views, without strides.
pub(super) fn views(ids: &Ids) -> Result<Views, ImportError> {
    let mut list = Vec::new();
    for (id, at) in ids.entries("bufferViews") {
        let mut view = thing(id, at, &["byteOffset", "byteLength"])?;
        view.entry("byteOffset").or_insert(json!(0));
        let buffer = ids.index(&at.required("buffer")?, "buffers")?;
        view.insert("buffer".into(), buffer.into());
        // The length is optional: without one the view extends to the end of the buffer.
        if at.whole_at("byteLength")?.unwrap_or(0) == 0 {
            let whole = ids.entries("buffers")[buffer].1.whole_at("byteLength")?.unwrap_or(0);
            let rest = whole.saturating_sub(at.whole_at("byteOffset")?.unwrap_or(0));
            view.insert("byteLength".into(), json!(rest));
        }
        list.push(Value::Object(view));
    }
    Ok(Views { list, made: HashMap::new() })
}
