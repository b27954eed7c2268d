//! Differences of extras: what applications store in the objects of a file.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use super::change::{Change, Kind};
use super::pairs::Models;
use super::pairs::{Pairs, entry_name};
use crate::anim::Clip;
use crate::model::{Model, short_name};

/// Objects that are listed one by one, at most; of more, the rest is counted.
const LISTED: usize = 8;

/// Letters of a value that are shown.
const SHOWN: usize = 60;

/// Lists the objects of both models whose extras differ, by the names of A. Objects that only one of them has are listed
/// with the structure; the names of morph targets, which some programs store as extras, with their mesh.
pub(super) fn extras_changes(models: Models, clips: &Pairs) -> Vec<Change> {
    let [in_a, in_b] = [models.a, models.b].map(extras);
    let partner = |pointer: &str| partner(models, clips, pointer);
    let mut list: Vec<(String, String)> = Vec::new();
    let mut met: HashSet<String> = HashSet::new();
    for (pointer, value) in &in_a {
        let Some(other) = partner(pointer) else { continue };
        let now = in_b.get(&other);
        if !now.is_some_and(|now| is_same(value, now)) {
            let now = now.map_or_else(|| "none".into(), shown);
            list.push((pointer.clone(), format!("{} -> {now}", shown(value))));
        }
        met.insert(other);
    }
    let back = back(models, clips);
    for (pointer, value) in in_b.iter().filter(|(pointer, _)| !met.contains(*pointer)) {
        if let Some(own) = back(pointer) {
            list.push((own, format!("none -> {}", shown(value))));
        }
    }
    let rest = list.split_off(list.len().min(LISTED));
    let change = |(pointer, what): (String, String)| {
        Change::changed(Kind::Extras, name(models.a, &pointer), what)
    };
    let mut changes: Vec<Change> = list.into_iter().map(change).collect();
    if let Some((pointer, _)) = rest.first() {
        let what = format!("and the extras of {} more objects", rest.len());
        changes.push(Change::changed(Kind::Extras, name(models.a, pointer), what));
    }
    changes
}

/// Returns the extras of a model's objects by their JSON pointers.
fn extras(model: &Model) -> BTreeMap<String, Value> {
    let value = |json: &str| {
        let mut value: Value = serde_json::from_str(json).ok()?;
        if let Some(map) = value.as_object_mut() {
            map.remove("targetNames");
            if map.is_empty() {
                return None;
            }
        }
        (!value.is_null()).then_some(value)
    };
    let all = model.source.extras.iter();
    all.filter_map(|extras| Some((extras.about.clone(), value(&extras.json)?))).collect()
}

/// Whether two values are the same. Numbers are compared by value: 2 and 2.0 are one number.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => x == y || x.as_f64() == y.as_f64(),
        (Value::Array(x), Value::Array(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| is_same(x, y))
        }
        (Value::Object(x), Value::Object(y)) => {
            let has = |(key, x): (&String, &Value)| y.get(key).is_some_and(|y| is_same(x, y));
            x.len() == y.len() && x.iter().all(has)
        }
        (a, b) => a == b,
    }
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text,
    }
}

/// Takes the pointer of an object apart: its list and its index. `None` for the file and its asset.
fn entry(pointer: &str) -> Option<(&str, usize)> {
    let (list, index) = pointer.strip_prefix('/')?.split_once('/')?;
    Some((list, index.parse().ok()?))
}

/// Returns the pointer in B of an object of A; `None` if B has none, or if objects of its kind are not paired.
fn partner(models: Models, clips: &Pairs, pointer: &str) -> Option<String> {
    let Some((list, index)) = entry(pointer) else { return Some(pointer.to_owned()) };
    let other = match list {
        "scenes" => (index < models.b.scenes.len()).then_some(index),
        "cameras" => (index < models.b.cameras.len()).then_some(index),
        _ => pairs(models, clips, list)?.b_of(index),
    };
    Some(format!("/{list}/{}", other?))
}

/// Returns the reverse of [`partner`].
fn back<'a>(models: Models<'a>, clips: &'a Pairs) -> impl Fn(&str) -> Option<String> + 'a {
    move |pointer| {
        let Some((list, index)) = entry(pointer) else { return Some(pointer.to_owned()) };
        let own = match list {
            "scenes" => (index < models.a.scenes.len()).then_some(index),
            "cameras" => (index < models.a.cameras.len()).then_some(index),
            _ => pairs(models, clips, list)?.a_of(index),
        };
        Some(format!("/{list}/{}", own?))
    }
}

fn pairs<'a>(models: Models<'a>, clips: &'a Pairs, list: &str) -> Option<&'a Pairs> {
    match list {
        "nodes" => Some(&models.pairs.nodes),
        "meshes" => Some(&models.pairs.meshes),
        "skins" => Some(&models.pairs.skins),
        "materials" => Some(&models.pairs.materials),
        "images" => Some(&models.pairs.images),
        "animations" => Some(clips),
        _ => None,
    }
}

/// Returns the kind and the name of an object of a model: `node "Hips"`.
fn name(model: &Model, pointer: &str) -> String {
    let Some((list, index)) = entry(pointer) else {
        return if pointer.is_empty() { "the file" } else { "asset" }.to_owned();
    };
    let none = None;
    let clip = model.clips.get(index).and_then(Clip::name).map(str::to_owned);
    let (noun, name) = match list {
        "nodes" => ("node", model.nodes.get(index).map(|node| &node.name)),
        "meshes" => ("mesh", model.meshes.get(index).map(|mesh| &mesh.name)),
        "skins" => ("skin", model.skins.get(index).map(|skin| &skin.name)),
        "materials" => ("material", model.materials.get(index).map(|material| &material.name)),
        "images" => ("image", model.images.get(index).map(|image| &image.name)),
        "animations" => ("clip", Some(&clip)),
        "scenes" => ("scene", None),
        _ => ("camera", None),
    };
    format!("{noun} {}", short_name(&entry_name(name.unwrap_or(&none), index)))
}
