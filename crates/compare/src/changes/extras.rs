//! Differences of what applications store in a file: extras of its objects, extensions and chunks that only they read.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::differences::{Style, are_same, cut, differences};
use super::values::References;
use crate::change::{Change, ChangeKind, Kind};
use crate::pairing::lists::{Models, Tokens};
use crate::pairing::pairs::Pairs;
use rigview_model::{Chunk, Extras, Model, short_name};

/// Objects that are listed one by one, at most; of more, the rest is counted.
const LISTED: usize = 8;

/// The lists of objects in extensions that have partners.
const LIGHTS: &str = "extensions/KHR_lights_punctual/lights";
const VARIANTS: &str = "extensions/KHR_materials_variants/variants";

/// What is stored in a model, by the place of the object: values of objects that have no partners of their own, such as channels and
/// accessors, because programs write these anew, are those of their list.
type Stored = BTreeMap<String, Vec<Value>>;

/// Names the places of objects.
pub(crate) struct Places<'a> {
    pub models: Models<'a>,
    pub references: &'a References,
    pub clips: Tokens,
    /// Whether the clips are in one order.
    pub are_in_order: bool,
}

/// Lists the objects of both models whose extras differ, by the names of A, then those whose extensions differ that only
/// applications read, then the chunks of a GLB that only they read. Objects that only one model has are listed with the
/// structure; the names of morph targets, which some programs store as extras, with their mesh.
pub(crate) fn extras_changes(places: &Places) -> Vec<Change> {
    let models = [places.models.a, places.models.b];
    let stored = |of: fn(&Model) -> &[Extras]| {
        [0, 1].map(|side: usize| places.stored(side, of(models[side])))
    };
    let [in_a, in_b] = stored(|model| &model.source.extras);
    let mut list = places.differences(&in_a, &in_b, |x, y| are_same(x, y, Style::Json));
    let copyright =
        models.map(|model| model.source.copyright.as_deref().filter(|of| !of.is_empty()));
    if copyright[0] != copyright[1] {
        let [before, after] =
            copyright.map(|text| text.map_or("none".into(), |text| format!("{text:?}")));
        list.push(("asset".into(), format!("copyright {} -> {}", cut(&before), cut(&after))));
    }
    // Extensions refer to others by index: where lists have another order, other numbers may be the same ones.
    let may_differ = !places.are_lists_in_order();
    let [in_a, in_b] = stored(|model| &model.source.unread);
    list.extend(places.differences(&in_a, &in_b, |x, y| {
        are_same(x, y, Style::Json) || may_differ && has_same_keys(x, y)
    }));
    let more = list.len().saturating_sub(LISTED);
    let rest = list.get(LISTED).map(|(name, _)| name.clone());
    list.truncate(LISTED);
    let change = |(name, what)| Change::changed(Kind::Extras, name, what);
    let mut changes: Vec<Change> = list.into_iter().map(change).collect();
    changes
        .extend(rest.map(|name| change((name, format!("and the extras of {more} more objects")))));
    changes.extend(chunk_changes(models));
    changes
}

/// Whether two objects have the same keys.
fn has_same_keys(a: &Value, b: &Value) -> bool {
    let keys = |value: &Value| {
        value.as_object().map(|map| map.keys().cloned().collect::<BTreeSet<String>>())
    };
    keys(a) == keys(b)
}

impl Places<'_> {
    fn stored(&self, side: usize, all: &[Extras]) -> Stored {
        let mut stored = Stored::new();
        for of in all {
            let Ok(mut value) = serde_json::from_str::<Value>(&of.json) else { continue };
            if let Some(map) = value.as_object_mut() {
                map.remove("targetNames");
            }
            let is_empty = value.is_null() || value.as_object().is_some_and(|map| map.is_empty());
            if let Some(place) = self.place(side, &of.about).filter(|_| !is_empty) {
                stored.entry(place).or_default().push(value);
            }
        }
        stored
    }

    /// Returns the place of an object, which it has in common with its partner: `node "Hips"`. `None` if it has no partner.
    fn place(&self, side: usize, pointer: &str) -> Option<String> {
        let path = pointer.trim_start_matches('/');
        let lists = [LIGHTS, VARIANTS].into_iter();
        let in_extension = lists.filter_map(|list| Some((list, path.strip_prefix(list)?))).next();
        let Some((list, rest)) = in_extension.or_else(|| path.split_once('/')) else {
            return Some(if path.is_empty() { "the file" } else { path }.to_owned());
        };
        let (index, rest) = first_index(rest.trim_start_matches('/')).unzip();
        let References {
            nodes,
            meshes,
            skins,
            materials,
            images,
            variants,
            scenes,
            cameras,
            lights,
        } = self.references;
        let (noun, tokens, pairs) = match list {
            "nodes" => ("node", nodes, Some(&self.models.pairs.nodes)),
            "meshes" => ("mesh", meshes, Some(&self.models.pairs.meshes)),
            "skins" => ("skin", skins, Some(&self.models.pairs.skins)),
            "materials" => ("material", materials, Some(&self.models.pairs.materials)),
            "images" => ("image", images, Some(&self.models.pairs.images)),
            "scenes" => ("scene", scenes, Some(&self.models.pairs.scenes)),
            "cameras" => ("camera", cameras, Some(&self.models.pairs.cameras)),
            "animations" => ("clip", &self.clips, None),
            LIGHTS => ("light", lights, Some(&self.models.pairs.lights)),
            VARIANTS => ("variant", variants, Some(&self.models.pairs.variants)),
            _ => return Some(without_indices(path)),
        };
        let index = index?;
        let has_partner = pairs.is_none_or(|pairs| pairs.partner(side, index).is_some());
        let token = tokens[side].get(index).filter(|_| has_partner)?;
        let inner = rest.filter(|rest| !rest.is_empty());
        let inner = inner.map(|rest| format!("{} of ", without_indices(rest))).unwrap_or_default();
        Some(format!("{}{noun} {}", short_name(&inner), token.trim_matches('"')))
    }

    /// Lists the places of both models with values that are not `same`, with both in words.
    fn differences(
        &self,
        in_a: &Stored,
        in_b: &Stored,
        same: impl Fn(&Value, &Value) -> bool,
    ) -> Vec<(String, String)> {
        let none = Vec::new();
        let new = in_b.keys().filter(|place| !in_a.contains_key(*place));
        let changed = in_a.keys().chain(new).flat_map(|place| {
            let [before, after] = [in_a, in_b].map(|stored| stored.get(place).unwrap_or(&none));
            let lacking = |of: &'_ [Value], other: &[Value]| -> Vec<Value> {
                of.iter()
                    .filter(|value| !other.iter().any(|there| same(value, there)))
                    .cloned()
                    .collect()
            };
            let (lost, new) = (lacking(before, after), lacking(after, before));
            let pairs = (0..lost.len().max(new.len())).map(|i| told([lost.get(i), new.get(i)]));
            pairs.map(|what| (place.clone(), what)).collect::<Vec<_>>()
        });
        changed.collect()
    }

    /// Whether the lists that extensions refer to are in the same order in both models.
    fn are_lists_in_order(&self) -> bool {
        let Models { a, b, pairs } = self.models;
        let lists = [&pairs.nodes, &pairs.meshes, &pairs.skins, &pairs.materials, &pairs.images];
        let textures = a.textures.iter().zip(&b.textures);
        self.are_in_order
            && lists.into_iter().all(|pairs| pairs.iter().all(|(a, b)| a == b))
            && textures.into_iter().all(|(x, y)| pairs.images.agree(x.image, y.image))
    }
}

/// Describes two values that differ: by both, or of long ones by the places where they differ.
fn told(values: [Option<&Value>; 2]) -> String {
    /// Letters of a value that are shown as a whole.
    const SHORT: usize = 60;
    let [before, after] = values.map(|value| value.cloned().unwrap_or(Value::Null));
    let is_long = [&before, &after].iter().any(|value| value.to_string().len() > SHORT);
    if is_long && !before.is_null() && !after.is_null() {
        return differences(&before, &after, Style::Json).join(", ");
    }
    let [before, after] = values.map(|of| of.map_or("none".into(), |of| cut(&of.to_string())));
    format!("{before} -> {after}")
}

/// Returns a path without the indices in it.
fn without_indices(path: &str) -> String {
    let keys = path.split('/').filter(|key| key.parse::<usize>().is_err());
    keys.collect::<Vec<&str>>().join("/")
}

/// Returns the index that a path begins with, and the rest of the path.
fn first_index(path: &str) -> Option<(usize, &str)> {
    let (index, rest) = path.split_once('/').unwrap_or((path, ""));
    Some((index.parse().ok()?, rest))
}

/// Lists the chunks that only one GLB has or whose bytes differ; those of one type are compared in their order.
fn chunk_changes(models: [&Model; 2]) -> Vec<Change> {
    let [a, b] = models.map(|model| &model.source.chunks);
    let mut pairs = Pairs::new(a.len(), b.len());
    pairs.pair_in_order(|i| Some(a[i].kind), |j| Some(b[j].kind));
    let change = |chunk: &Chunk, change: ChangeKind, what: String| {
        let name = format!("chunk {}", short_name(&String::from_utf8_lossy(&chunk.kind)));
        Change { change, ..Change::changed(Kind::Extras, name, what) }
    };
    let of_a = a.iter().enumerate().filter_map(|(i, chunk)| {
        let Some(j) = pairs.b_of(i) else {
            return Some(change(chunk, ChangeKind::Removed, String::new()));
        };
        let [before, after] = [chunk, &b[j]].map(|chunk| format!("{} bytes", chunk.bytes.len()));
        let what =
            if before == after { "other bytes".into() } else { format!("{before} -> {after}") };
        (chunk.bytes != b[j].bytes).then(|| change(chunk, ChangeKind::Changed, what))
    });
    let new = pairs.left_in_b();
    of_a.chain(new.iter().map(|j| change(&b[*j], ChangeKind::Added, String::new()))).collect()
}
