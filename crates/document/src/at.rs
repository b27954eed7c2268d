//! A document to read. [`At`] is a value in it together with its JSON pointer, so that every message
//! can name the place; its getters check types, ranges and indices.

use serde_json::{Map, Value};

/// Why a value of a document can't be used. The texts may quote the file, with any characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// The document is not valid JSON, or not an object.
    #[error("{what}")]
    Json {
        /// What is wrong with it.
        what: String,
    },
    /// A required property is missing.
    #[error("{}{key} is missing at {pointer}", colon(owner))]
    Missing {
        /// The glTF object that lacks it, in words; may be empty.
        owner: String,
        /// The property.
        key: String,
        /// JSON pointer of the object.
        pointer: String,
    },
    /// An index names an object that does not exist.
    #[error("{}{noun} {index} of {count} is out of range at {pointer}", colon(owner))]
    OutOfRange {
        /// The glTF object that has the index, in words; may be empty.
        owner: String,
        /// What the index names: `mesh`, `accessor`.
        noun: String,
        /// The index.
        index: u64,
        /// Objects that exist.
        count: usize,
        /// JSON pointer of the index.
        pointer: String,
    },
    /// The document breaks another rule of glTF.
    #[error("{what} at {pointer}")]
    Invalid {
        /// Which, with the glTF object in words.
        what: String,
        /// JSON pointer of the place.
        pointer: String,
    },
}

impl DocumentError {
    pub(super) fn json(what: impl Into<String>) -> Self {
        Self::Json { what: what.into() }
    }
}

fn colon(owner: &str) -> String {
    if owner.is_empty() { String::new() } else { format!("{owner}: ") }
}

/// Longest name in a title, in characters.
const LONGEST_NAME: usize = 80;

fn quoted(name: &str) -> String {
    match name.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("\"{}...\"", &name[..end]),
        None => format!("\"{name}\""),
    }
}

/// A parsed document.
#[derive(Debug)]
pub struct Document {
    root: Value,
}

/// A value in the document and its place.
#[derive(Clone, Debug)]
pub struct At<'a> {
    /// The whole document.
    pub document: &'a Document,
    /// The value.
    pub value: &'a Value,
    /// The JSON pointer of the value.
    pub pointer: String,
}

/// Lists of the document, and the names of their items in messages.
const NOUNS: &[(&str, &str)] = &[
    ("accessors", "accessor"),
    ("animations", "animation"),
    ("buffers", "buffer"),
    ("bufferViews", "buffer view"),
    ("cameras", "camera"),
    ("channels", "channel"),
    ("images", "image"),
    ("lights", "light"),
    ("materials", "material"),
    ("meshes", "mesh"),
    ("nodes", "node"),
    ("primitives", "primitive"),
    ("samplers", "sampler"),
    ("scenes", "scene"),
    ("skins", "skin"),
    ("targets", "target"),
    ("textures", "texture"),
    ("variants", "variant"),
];

impl Document {
    /// Creates a document from a JSON tree, which must be an object.
    pub fn new(root: Value) -> Result<Self, DocumentError> {
        match root {
            Value::Object(_) => Ok(Self { root }),
            _ => Err(DocumentError::json("the JSON document is not an object")),
        }
    }

    /// Returns the JSON tree.
    pub fn into_root(self) -> Value {
        self.root
    }

    /// The root object.
    pub fn root(&self) -> At<'_> {
        At { document: self, value: &self.root, pointer: String::new() }
    }

    /// Returns a list of objects of the root; empty if it is absent.
    pub fn list(&self, key: &str) -> Result<Vec<At<'_>>, DocumentError> {
        let list = self.root().list(key)?;
        match list.iter().find(|at| !at.value.is_object()) {
            Some(odd) => Err(odd.error("not an object")),
            None => Ok(list),
        }
    }

    /// Returns an item of a list of the root.
    pub fn item(&self, key: &str, index: usize) -> Result<At<'_>, DocumentError> {
        let pointer = format!("/{key}/{index}");
        match self.root.get(key).and_then(|list| list.get(index)) {
            Some(value) => Ok(At { document: self, value, pointer }),
            None => {
                let what = format!("{index} of {}", self.count(key));
                Err(DocumentError::Invalid { what, pointer })
            }
        }
    }

    /// Returns the length of a list of the root.
    pub fn count(&self, key: &str) -> usize {
        self.root.get(key).and_then(Value::as_array).map_or(0, Vec::len)
    }

    /// Whether the file requires an extension.
    pub fn requires(&self, extension: &str) -> bool {
        let list = self.root.get("extensionsRequired").and_then(Value::as_array);
        list.is_some_and(|list| list.iter().any(|name| name == extension))
    }

    /// Describes the object that a pointer leads to: `mesh "Body", primitive 2`. Empty for the
    /// root.
    fn title(&self, pointer: &str) -> String {
        let mut value = Some(&self.root);
        let mut title = String::new();
        let mut steps = pointer.split('/').skip(1);
        while let (Some(list), Some(item)) = (steps.next(), steps.next()) {
            let Some((_, noun)) = NOUNS.iter().find(|(key, _)| *key == list) else { break };
            let all = value.and_then(|v| v.get(list));
            let id = item.replace("~1", "/").replace("~0", "~");
            // Objects of glTF 1.0 have ids, which replace missing names.
            let instead = match all {
                Some(Value::Object(_)) => quoted(&id),
                _ => item.to_owned(),
            };
            value = match item.parse::<usize>() {
                _ if all.is_some_and(Value::is_object) => all.and_then(|v| v.get(&id)),
                Ok(index) => all.and_then(|v| v.get(index)),
                Err(_) => break,
            };
            let name = value.and_then(|v| v.get("name")).and_then(Value::as_str);
            if !title.is_empty() {
                title.push_str(", ");
            }
            title.push_str(noun);
            title.push(' ');
            match name {
                Some(name) if !name.is_empty() => title.push_str(&quoted(name)),
                _ => title.push_str(&instead),
            }
        }
        title
    }
}

impl<'a> At<'a> {
    /// Returns the value of a key, if present.
    pub fn get(&self, key: &str) -> Option<At<'a>> {
        let value = self.value.get(key)?;
        Some(At { document: self.document, value, pointer: self.pointer_to(key) })
    }

    /// Returns the pointer of a key, present or not.
    pub fn pointer_to(&self, key: &str) -> String {
        if key.contains(['~', '/']) {
            return format!("{}/{}", self.pointer, key.replace('~', "~0").replace('/', "~1"));
        }
        [&self.pointer, "/", key].concat()
    }

    /// Creates an error at this place.
    pub fn error(&self, what: impl AsRef<str>) -> DocumentError {
        DocumentError::Invalid { what: self.entitled(what), pointer: self.pointer.clone() }
    }

    /// Describes the object that this place belongs to: `mesh "Body", primitive 2`. Empty for the root.
    pub fn title(&self) -> String {
        self.document.title(&self.pointer)
    }

    /// Prefixes a message with the object that this place belongs to.
    pub fn entitled(&self, what: impl AsRef<str>) -> String {
        let title = self.title();
        if title.is_empty() { what.as_ref().into() } else { format!("{title}: {}", what.as_ref()) }
    }

    /// Returns the value as an object.
    pub fn object(&self) -> Result<&'a Map<String, Value>, DocumentError> {
        self.value.as_object().ok_or_else(|| self.error("not an object"))
    }

    /// Returns the entries of this object, in file order.
    pub fn entries(&self) -> Result<Vec<(&'a str, At<'a>)>, DocumentError> {
        let place = |key: &String, value: &'a Value| {
            let pointer = self.pointer_to(key);
            At { document: self.document, value, pointer }
        };
        Ok(self.object()?.iter().map(|(k, v)| (k.as_str(), place(k, v))).collect())
    }

    /// Returns the items of this list.
    pub fn items(&self) -> Result<Vec<At<'a>>, DocumentError> {
        let list = self.value.as_array().ok_or_else(|| self.error("not a list"))?;
        let place = |(i, value): (usize, &'a Value)| At {
            document: self.document,
            value,
            pointer: format!("{}/{i}", self.pointer),
        };
        Ok(list.iter().enumerate().map(place).collect())
    }

    /// Returns the items of the list at a key; empty if the key is absent.
    pub fn list(&self, key: &str) -> Result<Vec<At<'a>>, DocumentError> {
        self.get(key).map_or_else(|| Ok(Vec::new()), |list| list.items())
    }

    /// Returns the value of a key, which must be present.
    pub fn required(&self, key: &str) -> Result<At<'a>, DocumentError> {
        if !self.value.is_object() {
            return Err(self.error("not an object"));
        }
        self.get(key).ok_or_else(|| DocumentError::Missing {
            owner: self.title(),
            key: key.into(),
            pointer: self.pointer.clone(),
        })
    }

    /// Returns the value as a non-negative integer. `3.0` is accepted.
    pub fn whole(&self) -> Result<u64, DocumentError> {
        let integral = |x: &f64| (0.0..=9e15).contains(x) && x.fract() == 0.0;
        let number =
            self.value.as_u64().or_else(|| self.value.as_f64().filter(integral).map(|x| x as u64));
        number.ok_or_else(|| match self.value {
            Value::Number(n) => self.error(format!("{n} is not a non-negative integer")),
            _ => self.error("not an integer"),
        })
    }

    /// Returns the value as an index into a list of the root (`meshes`).
    pub fn index_of(&self, list: &str) -> Result<usize, DocumentError> {
        self.index_below(self.document.count(list), list)
    }

    /// Returns the value as an index into a list of `count` items.
    pub fn index_below(&self, count: usize, list: &str) -> Result<usize, DocumentError> {
        let index = self.whole()?;
        match usize::try_from(index) {
            Ok(i) if i < count => Ok(i),
            _ => {
                let noun = NOUNS.iter().find(|(key, _)| *key == list).map_or(list, |(_, n)| n);
                Err(DocumentError::OutOfRange {
                    owner: self.title(),
                    noun: (*noun).into(),
                    index,
                    count,
                    pointer: self.pointer.clone(),
                })
            }
        }
    }

    /// Returns the value of a key as an index into a list of the root, if the key is present.
    pub fn index(&self, key: &str, list: &str) -> Result<Option<usize>, DocumentError> {
        self.get(key).map(|at| at.index_of(list)).transpose()
    }

    /// Returns the value of a key as a non-negative integer, if the key is present.
    pub fn whole_at(&self, key: &str) -> Result<Option<u64>, DocumentError> {
        // Builds the pointer only if a message needs it.
        match self.value.get(key).and_then(Value::as_u64) {
            Some(number) => Ok(Some(number)),
            None => self.get(key).map(|at| at.whole()).transpose(),
        }
    }

    /// Returns the value as a number that is finite in 32 bits.
    pub fn number(&self) -> Result<f32, DocumentError> {
        let number = self.value.as_f64().ok_or_else(|| self.error("not a number"))?;
        let narrow = number as f32;
        if narrow.is_finite() {
            Ok(narrow)
        } else {
            Err(self.error(format!("{number:e} is not a finite number in 32 bits")))
        }
    }

    /// Returns the value of a key as a number, if the key is present.
    pub fn number_at(&self, key: &str) -> Result<Option<f32>, DocumentError> {
        self.get(key).map(|at| at.number()).transpose()
    }

    /// Returns the value of a key as `N` numbers, if the key is present.
    pub fn numbers<const N: usize>(&self, key: &str) -> Result<Option<[f32; N]>, DocumentError> {
        let Some(at) = self.get(key) else { return Ok(None) };
        let items = at.items()?;
        if items.len() != N {
            return Err(at.error(format!("{key} has {} numbers, not {N}", items.len())));
        }
        let mut out = [0.0; N];
        for (out, item) in out.iter_mut().zip(&items) {
            *out = item.number()?;
        }
        Ok(Some(out))
    }

    /// Returns the value of a key as numbers, however many, if the key is present.
    pub fn number_list(&self, key: &str) -> Result<Option<Vec<f32>>, DocumentError> {
        let Some(at) = self.get(key) else { return Ok(None) };
        at.items()?.iter().map(At::number).collect::<Result<_, _>>().map(Some)
    }

    /// Returns the value as a string.
    pub fn text(&self) -> Result<&'a str, DocumentError> {
        self.value.as_str().ok_or_else(|| self.error("not a string"))
    }

    /// Returns the value of a key as a string, if the key is present.
    pub fn text_at(&self, key: &str) -> Result<Option<&'a str>, DocumentError> {
        self.get(key).map(|at| at.text()).transpose()
    }

    /// Returns the object's `name`, if it has one.
    pub fn name(&self) -> Result<Option<String>, DocumentError> {
        Ok(self.text_at("name")?.map(String::from))
    }

    /// Returns the value of a key as a boolean; false if the key is absent.
    pub fn flag(&self, key: &str) -> Result<bool, DocumentError> {
        self.get(key).map_or(Ok(false), |at| at.truth())
    }

    /// Returns the value as a boolean.
    pub fn truth(&self) -> Result<bool, DocumentError> {
        self.value.as_bool().ok_or_else(|| self.error("neither true nor false"))
    }

    /// Returns an extension of this object, if present.
    pub fn extension(&self, name: &str) -> Result<Option<At<'a>>, DocumentError> {
        let Some(all) = self.get("extensions") else { return Ok(None) };
        all.object()?;
        let Some(extension) = all.get(name) else { return Ok(None) };
        extension.object()?;
        Ok(Some(extension))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn document() -> Document {
        Document::new(json!({
            "nodes": [{"name": "Hips", "mesh": 0.0, "skin": 4294967296u64, "scale": [1, 2, 1e39]}],
            "meshes": [{"primitives": [{"mode": -1, "a/b~": 1.5}]}],
            "skins": [{}],
        }))
        .unwrap()
    }

    #[test]
    fn indices_are_checked_and_do_not_wrap() {
        let document = document();
        let node = &document.list("nodes").unwrap()[0];
        assert_eq!(node.index("mesh", "meshes"), Ok(Some(0)));
        assert_eq!(node.index("camera", "cameras"), Ok(None));
        let error = node.index("skin", "skins").unwrap_err();
        assert_eq!(
            error.to_string(),
            "node \"Hips\": skin 4294967296 of 1 is out of range at /nodes/0/skin"
        );
    }

    #[test]
    fn messages_name_the_thing_and_the_place() {
        let document = document();
        let mesh = &document.list("meshes").unwrap()[0];
        let primitive = &mesh.list("primitives").unwrap()[0];
        let error = primitive.whole_at("mode").unwrap_err();
        assert_eq!(
            error.to_string(),
            "mesh 0, primitive 0: -1 is not a non-negative integer at /meshes/0/primitives/0/mode"
        );
        let odd = primitive.get("a/b~").unwrap();
        assert_eq!(odd.pointer, "/meshes/0/primitives/0/a~1b~0");
        assert!(odd.whole().is_err());
    }

    #[test]
    fn numbers_are_finite_and_of_the_expected_count() {
        let document = document();
        let node = &document.list("nodes").unwrap()[0];
        assert!(node.numbers::<3>("scale").unwrap_err().to_string().contains("finite"));
        assert!(node.numbers::<4>("scale").unwrap_err().to_string().contains("3 numbers, not 4"));
    }
}
