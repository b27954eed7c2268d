//! The way back: where in the file that was is what a pointer into its 2.0 document means.

use std::collections::HashMap;
use std::rc::Rc;

use serde_json::Value;

use super::ids::{BODY, Ids, LISTS};
use crate::import::document::Document;
use crate::import::fault::{ImportError, Warning};
use crate::import::warning_code::WarningCode;

/// Which place each thing of a 2.0 document has in the file.
pub(super) struct Origin {
    places: HashMap<&'static str, Vec<Rc<str>>>,
    /// The document of the file, without what was taken from it.
    file: Value,
}

impl Origin {
    /// That of the things a file has; those added behind them follow.
    pub fn new(ids: &Ids) -> Self {
        let places =
            |list| ids.entries(list).iter().map(|(_, at)| at.pointer.as_str().into()).collect();
        let places = LISTS.into_iter().map(|list| (list, places(list))).collect();
        Self { places, file: Value::Null }
    }

    /// A thing behind the others of its list, made for another one.
    pub fn add(&mut self, list: &'static str, of: &str, number: usize) {
        let place = self.places.get(of).and_then(|places| places.get(number)).cloned();
        self.places.entry(list).or_default().extend(place);
    }

    /// One thing in a list, made of all that were in it.
    pub fn join(&mut self, list: &'static str) {
        self.places.insert(list, vec![format!("/{list}").into()]);
    }

    /// Keeps the file's document. Its uris, which may be all of its data, move to the new one,
    /// but for those of what is in the container's body.
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

    /// The place in the file that a pointer means: as far down as both are alike.
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

    /// An error of the 2.0 document as one of the file.
    pub fn of_error(&self, mut error: ImportError) -> ImportError {
        let place = self.place(error.pointer());
        error.move_to(&place);
        error
    }

    /// Warnings of the 2.0 document as those of the file; the first `own` are that already.
    pub fn of_warnings(&self, mut warnings: Vec<Warning>, own: usize) -> Vec<Warning> {
        // 1.0 does not ask for bounds.
        warnings.retain(|warning| warning.code != WarningCode::BoundsMissing);
        for warning in warnings.iter_mut().skip(own) {
            let place = self.place(&warning.pointer);
            warning.move_to(&place);
        }
        warnings
    }
}
