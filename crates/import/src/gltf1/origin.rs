//! Maps JSON pointers into the 2.0 document back to the original file.

use std::collections::HashMap;
use std::rc::Rc;

use serde_json::Value;

use super::ids::{BODY, Ids, LISTS};
use crate::fault::{ImportError, LONGEST_TEXT};
use rigview_document::Document;
use rigview_model::{Warning, WarningCode, escaped_to};

/// The place in the file of each object of the 2.0 document.
pub(super) struct Origin {
    places: HashMap<&'static str, Vec<Rc<str>>>,
    /// The document of the file, without its URIs, which are moved to the 2.0 document.
    file: Value,
}

impl Origin {
    /// Records the places of all objects of a file.
    pub fn new(ids: &Ids) -> Self {
        let places =
            |list| ids.entries(list).iter().map(|(_, at)| at.pointer.as_str().into()).collect();
        let places = LISTS.into_iter().map(|list| (list, places(list))).collect();
        Self { places, file: Value::Null }
    }

    /// Records an object added to the end of `list`, made for object `number` of the list `of`.
    pub fn add(&mut self, list: &'static str, of: &str, number: usize) {
        let place = self.places.get(of).and_then(|places| places.get(number)).cloned();
        self.places.entry(list).or_default().extend(place);
    }

    /// Records that all objects of a list were merged into one.
    pub fn join(&mut self, list: &'static str) {
        self.places.insert(list, vec![format!("/{list}").into()]);
    }

    /// Keeps the file's document. Moves its URIs, which may hold most of the data, to the new
    /// document, except for objects in the container's body.
    pub fn keep(&mut self, document: Document, root: &mut Value, has_body: bool) {
        self.file = document.into_root();
        for list in ["buffers", "images"] {
            let Some(places) = self.places.get(list) else { continue };
            let Some(things) = root.get_mut(list).and_then(Value::as_array_mut) else { continue };
            for (place, thing) in places.iter().zip(things) {
                let is_body = has_body && **place == *format!("/buffers/{BODY}");
                if is_body || thing.get("bufferView").is_some() {
                    continue;
                }
                let uri = self.file.pointer_mut(place).and_then(|at| at.get_mut("uri"));
                if let Some(uri) = uri {
                    thing["uri"] = uri.take();
                }
            }
        }
    }

    /// Maps a pointer to the file, as far down as both documents have the same structure.
    fn place(&self, pointer: &str) -> String {
        let mut steps = pointer.split('/').skip(1);
        let (Some(list), Some(number)) = (steps.next(), steps.next()) else {
            return pointer.into();
        };
        let Some(places) = self.places.get(list) else { return pointer.into() };
        let number: Option<usize> = number.parse().ok();
        let Some(place) = number.and_then(|number| places.get(number)) else {
            return format!("/{list}");
        };
        let mut place = place.to_string();
        for step in steps {
            let below = format!("{place}/{step}");
            if self.file.pointer(&below).is_none() {
                break;
            }
            place = below;
        }
        place
    }

    /// Maps an error to the file.
    pub fn of_error(&self, mut error: ImportError) -> ImportError {
        let place = self.place(error.pointer());
        error.move_to(&place);
        error
    }

    /// Maps warnings to the file, except the first `own`, which already are of the file.
    pub fn of_warnings(&self, mut warnings: Vec<Warning>, own: usize) -> Vec<Warning> {
        // 1.0 does not require bounds.
        warnings.retain(|warning| warning.code != WarningCode::BoundsMissing);
        for warning in warnings.iter_mut().skip(own) {
            let place = self.place(&warning.pointer);
            warning.pointer = escaped_to(&place, LONGEST_TEXT);
        }
        warnings
    }
}
