//! The ids of a document's dictionaries. Their order in the file gives the indices in 2.0.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::fault::ImportError;
use rigview_document::{At, Document};
use rigview_model::quoted;

/// The dictionaries that are lists in 2.0, and the names of their items in messages.
const NOUNS: [(&str, &str); 13] = [
    ("accessors", "accessor"),
    ("animations", "animation"),
    ("buffers", "buffer"),
    ("bufferViews", "buffer view"),
    ("cameras", "camera"),
    ("images", "image"),
    ("materials", "material"),
    ("meshes", "mesh"),
    ("nodes", "node"),
    ("samplers", "sampler"),
    ("scenes", "scene"),
    ("skins", "skin"),
    ("textures", "texture"),
];

/// The keys of those dictionaries.
pub(super) const LISTS: [&str; 13] = {
    let mut lists = [""; 13];
    let mut i = 0;
    while i < lists.len() {
        lists[i] = NOUNS[i].0;
        i += 1;
    }
    lists
};

/// The id of the buffer that is a container's body.
pub(super) const BODY: &str = "binary_glTF";

/// Longest id in bytes. Ids are part of JSON pointers, of which there may be one per list item.
const LONGEST_ID: usize = 256;

/// One dictionary.
#[derive(Debug, Default)]
struct Dictionary<'a> {
    entries: Vec<(&'a str, At<'a>)>,
    numbers: HashMap<&'a str, usize>,
}

/// All dictionaries of a document.
#[derive(Debug)]
pub(super) struct Ids<'a> {
    dictionaries: HashMap<&'static str, Dictionary<'a>>,
}

impl<'a> Ids<'a> {
    /// Collects the ids of a document. If its container has a body, the buffer of that comes first.
    pub fn new(document: &'a Document, has_body: bool) -> Result<Self, ImportError> {
        let mut dictionaries = HashMap::new();
        for list in LISTS {
            let Some(at) = document.root().get(list) else { continue };
            let mut entries = things(&at)?;
            if list == "buffers"
                && has_body
                && let Some(body) = entries.iter().position(|(id, _)| *id == BODY)
            {
                entries[..=body].rotate_right(1);
            }
            let numbers = entries.iter().enumerate().map(|(i, (id, _))| (*id, i)).collect();
            dictionaries.insert(list, Dictionary { entries, numbers });
        }
        Ok(Self { dictionaries })
    }

    /// Returns the objects of a dictionary with their ids, by index.
    pub fn entries(&self, list: &str) -> &[(&'a str, At<'a>)] {
        self.dictionaries.get(list).map_or(&[], |dictionary| &dictionary.entries)
    }

    /// Returns the index of an id, if the dictionary has it.
    pub fn number(&self, list: &str, id: &str) -> Option<usize> {
        self.dictionaries.get(list)?.numbers.get(id).copied()
    }

    /// Returns the index of the object that a value names.
    pub fn index(&self, at: &At, list: &str) -> Result<usize, ImportError> {
        let id = at.text()?;
        self.number(list, id).ok_or_else(|| {
            let noun = NOUNS.iter().find(|(key, _)| *key == list).map_or(list, |(_, noun)| noun);
            at.error(format!("there is no {noun} {}", quoted(id))).into()
        })
    }

    /// Returns the index of the object that a key names, if the key is present.
    pub fn index_at(&self, at: &At, key: &str, list: &str) -> Result<Option<usize>, ImportError> {
        at.get(key).map(|at| self.index(&at, list)).transpose()
    }

    /// Returns the indices of all objects that a list names; empty if the key is absent.
    pub fn indices(&self, at: &At, key: &str, list: &str) -> Result<Vec<usize>, ImportError> {
        let Some(at) = at.get(key) else { return Ok(Vec::new()) };
        let items = at.value.as_array().ok_or_else(|| at.error("not a list"))?;
        let number = |(i, item): (usize, &Value)| match item.as_str() {
            Some(id) if self.number(list, id).is_some() => Ok(self.number(list, id)),
            _ => at.items()?.get(i).map(|at| self.index(at, list)).transpose(),
        };
        items.iter().enumerate().filter_map(|item| number(item).transpose()).collect()
    }
}

/// Returns the objects of a dictionary with their ids, in file order.
pub(super) fn things<'a>(dictionary: &At<'a>) -> Result<Vec<(&'a str, At<'a>)>, ImportError> {
    let entries = dictionary.entries()?;
    for (id, at) in &entries {
        at.object()?;
        if id.len() > LONGEST_ID {
            let message = format!("its id has {} bytes, at most {LONGEST_ID} are read", id.len());
            return Err(at.error(message).into());
        }
    }
    Ok(entries)
}

/// Creates an object with the name, the extras and some keys of another. The id replaces a missing name.
pub(super) fn thing(id: &str, at: &At, keys: &[&str]) -> Result<Map<String, Value>, ImportError> {
    let name = at.text_at("name")?.filter(|name| !name.is_empty()).unwrap_or(id);
    let mut thing = Map::new();
    thing.insert("name".into(), name.into());
    copy(at, &["extras"], &mut thing);
    copy(at, keys, &mut thing);
    Ok(thing)
}

/// Copies some keys, if present.
pub(super) fn copy(at: &At, keys: &[&str], into: &mut Map<String, Value>) {
    for key in keys {
        if let Some(value) = at.value.get(key) {
            into.insert((*key).into(), value.clone());
        }
    }
}
