//! Differences of what applications store in a file: extras of its objects, extensions and chunks that only they read.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use serde_json::Value;

use super::cameras_lights::{camera_pairs, light_pairs};
use super::scenes::scene_pairs;
use crate::change::{Change, ChangeKind, Kind};
use crate::pairing::pairs::{ModelPairs, Models, Pairs, entry_name};
use crate::pairing::primitive_pairs::primitive_pairs;
use rigview_anim::Clip;
use rigview_model::{Chunk, Extras, Model, Primitive, short_name};

/// Objects that are listed one by one, at most; of more, the rest is counted.
const LISTED: usize = 8;

/// Letters of a value that are shown.
const SHOWN: usize = 60;

/// Lists the objects of both models whose extras differ, by the names of A, then those whose extensions differ that only
/// applications read, then the chunks of a GLB that only they read. Objects that only one model has are listed with the
/// structure; the names of morph targets, which some programs store as extras, with their mesh.
pub(crate) fn extras_changes(models: Models, clips: &Pairs) -> Vec<Change> {
    let lists = &Lists {
        models,
        clips,
        cameras: camera_pairs(models),
        lights: light_pairs(models),
        scenes: scene_pairs(models),
        primitives: RefCell::default(),
    };
    let [in_a, in_b] = [models.a, models.b].map(|model| values(&model.source.extras));
    let mut list = differences(lists, [&in_a, &in_b], is_same);
    list.extend(differences_of_kinds(lists, [&in_a, &in_b]));
    list.extend(copyright_change(models));
    let [in_a, in_b] = [models.a, models.b].map(|model| values(&model.source.unread));
    // Extensions refer to others by index: where lists have another order, other numbers may be the same ones.
    let may_differ = !are_in_order(models, clips);
    list.extend(differences(lists, [&in_a, &in_b], |x, y| {
        is_same(x, y) || may_differ && has_same_keys(x, y)
    }));
    let rest = list.split_off(list.len().min(LISTED));
    let change = |(pointer, what): (String, String)| {
        Change::changed(Kind::Extras, name(models.a, &pointer), what)
    };
    let mut changes: Vec<Change> = list.into_iter().map(change).collect();
    if let Some((pointer, _)) = rest.first() {
        let what = format!("and the extras of {} more objects", rest.len());
        changes.push(Change::changed(Kind::Extras, name(models.a, pointer), what));
    }
    changes.extend(chunk_changes(models));
    changes
}

/// Lists the pointers in A of the objects whose values are not `same`, with both in words.
fn differences(
    lists: &Lists,
    [in_a, in_b]: [&BTreeMap<String, Value>; 2],
    same: impl Fn(&Value, &Value) -> bool,
) -> Vec<(String, String)> {
    let mut list: Vec<(String, String)> = Vec::new();
    let mut met: HashSet<String> = HashSet::new();
    for (pointer, value) in in_a.iter().filter(|(pointer, _)| kind(pointer).is_none()) {
        let Some(other) = lists.partner(0, pointer) else { continue };
        let now = in_b.get(&other);
        if !now.is_some_and(|now| same(value, now)) {
            list.push((pointer.clone(), told([Some(value), now])));
        }
        met.insert(other);
    }
    let new = |pointer: &String| !met.contains(pointer) && kind(pointer).is_none();
    for (pointer, value) in in_b.iter().filter(|(pointer, _)| new(pointer)) {
        let Some(own) = lists.partner(1, pointer) else { continue };
        // The object of A that a copy belongs to may have the same value.
        let before = in_a.get(&own);
        if !before.is_some_and(|before| same(before, value)) {
            list.push((own, told([before, Some(value)])));
        }
    }
    list
}

/// Lists what is stored in objects that have no partners, because programs merge them and write them anew: of all objects of a
/// kind together, each value that only one model has. The pointers are those of the kinds in A.
fn differences_of_kinds(
    lists: &Lists,
    stored: [&BTreeMap<String, Value>; 2],
) -> Vec<(String, String)> {
    let [in_a, in_b] = stored.map(values_of_kinds);
    let of_b = |(kind, values): (&String, &BTreeSet<String>)| {
        Some((lists.partner(1, kind)?, values.clone()))
    };
    let in_b: BTreeMap<String, BTreeSet<String>> = in_b.iter().filter_map(of_b).collect();
    let has_partner = |kind: &&String| lists.partner(0, kind).is_some();
    let kinds: BTreeSet<&String> = in_a.keys().filter(has_partner).chain(in_b.keys()).collect();
    let none = BTreeSet::new();
    let differences = kinds.into_iter().flat_map(|kind| {
        let [before, after] = [&in_a, &in_b].map(|values| values.get(kind).unwrap_or(&none));
        let (mut lost, mut new) = (before.difference(after), after.difference(before));
        std::iter::from_fn(move || match (lost.next(), new.next()) {
            (None, None) => None,
            both => Some(both),
        })
        .map(move |(before, after)| {
            let [before, after] =
                [before, after].map(|value| value.map_or_else(|| "none".into(), |text| cut(text)));
            (kind.clone(), format!("{before} -> {after}"))
        })
    });
    differences.collect()
}

/// Returns the values of objects without partners by the pointers of their lists.
fn values_of_kinds(stored: &BTreeMap<String, Value>) -> BTreeMap<String, BTreeSet<String>> {
    let mut kinds: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (pointer, value) in stored {
        if let Some(kind) = kind(pointer) {
            kinds.entry(kind).or_default().insert(by_value(value).to_string());
        }
    }
    kinds
}

/// Returns the pointer of an object without its index, if objects of its kind have no partners.
fn kind(pointer: &str) -> Option<String> {
    let path: Vec<&str> = pointer.split('/').collect();
    let (list, rest) = match path[..] {
        ["", "animations", clip, list, _, ref rest @ ..] if list != "extensions" => {
            (format!("/animations/{clip}/{list}"), rest)
        }
        ["", list @ ("textures" | "samplers" | "accessors"), _, ref rest @ ..] => {
            (format!("/{list}"), rest)
        }
        _ => return None,
    };
    Some(rest.iter().fold(list, |list, key| format!("{list}/{key}")))
}

/// Returns a value whose numbers are all written in one way.
fn by_value(value: &Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(whole) if whole.fract() == 0.0 && whole.abs() < 1e15 => Value::from(whole as i64),
            Some(number) => Value::from(number),
            None => value.clone(),
        },
        Value::Array(list) => list.iter().map(by_value).collect(),
        Value::Object(map) => {
            map.iter().map(|(key, value)| (key.clone(), by_value(value))).collect()
        }
        value => value.clone(),
    }
}

/// Returns the change of the file's copyright. The program that wrote the file is none.
fn copyright_change(models: Models) -> Option<(String, String)> {
    let [before, after] = [models.a, models.b].map(|model| model.source.copyright.as_ref());
    let text = |text: Option<&String>| {
        text.map_or_else(|| "none".into(), |text| shown(&Value::from(text.as_str())))
    };
    let what = || format!("copyright {} -> {}", text(before), text(after));
    (before != after).then(|| ("/asset".into(), what()))
}

/// Whether the lists that extensions refer to are in the same order in both models.
fn are_in_order(models: Models, clips: &Pairs) -> bool {
    let ModelPairs { nodes, meshes, skins, materials, images, .. } = models.pairs;
    let lists = [nodes, meshes, skins, materials, images, clips];
    let textures = models.a.textures.iter().zip(&models.b.textures);
    lists.into_iter().all(|pairs| pairs.iter().all(|(a, b)| a == b))
        && textures.into_iter().all(|(x, y)| images.agree(x.image, y.image))
}

/// Whether two objects have the same keys.
fn has_same_keys(a: &Value, b: &Value) -> bool {
    let keys = |value: &Value| {
        value.as_object().map(|map| map.keys().cloned().collect::<BTreeSet<String>>())
    };
    keys(a) == keys(b)
}

/// Lists the chunks that only one GLB has or whose bytes differ; those of one type are compared in their order.
fn chunk_changes(models: Models) -> Vec<Change> {
    let [a, b] = [models.a, models.b].map(|model| &model.source.chunks);
    let mut pairs = Pairs::new(a.len(), b.len());
    pairs.pair_in_order(|i| Some(a[i].kind), |j| Some(b[j].kind));
    let change = |chunk: &Chunk, change: ChangeKind, what: String| {
        let name = format!("chunk {}", short_name(&String::from_utf8_lossy(&chunk.kind)));
        Change { change, ..Change::changed(Kind::Extras, name, what) }
    };
    let of_a = a.iter().enumerate().filter_map(|(i, chunk)| match pairs.b_of(i) {
        None => Some(change(chunk, ChangeKind::Removed, String::new())),
        Some(j) if chunk.bytes == b[j].bytes => None,
        Some(j) => {
            let [before, after] =
                [chunk, &b[j]].map(|chunk| format!("{} bytes", chunk.bytes.len()));
            let what = match before == after {
                true => "other bytes".into(),
                false => format!("{before} -> {after}"),
            };
            Some(change(chunk, ChangeKind::Changed, what))
        }
    });
    let new = pairs.left_in_b();
    of_a.chain(new.iter().map(|j| change(&b[*j], ChangeKind::Added, String::new()))).collect()
}

/// Returns what is stored in a model's objects by their JSON pointers.
fn values(stored: &[Extras]) -> BTreeMap<String, Value> {
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
    stored.iter().filter_map(|of| Some((of.about.clone(), value(&of.json)?))).collect()
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

/// Describes two values that differ: by both, or of long ones by the first place where they differ.
fn told(values: [Option<&Value>; 2]) -> String {
    let [Some(before), Some(now)] = values else { return changed(values) };
    let is_long = [before, now].iter().any(|value| value.to_string().chars().count() > SHOWN);
    let (mut first, mut count) = (None, 0usize);
    if is_long {
        let mut see = |path: &str, values: [Option<&Value>; 2]| {
            count += 1;
            first.get_or_insert_with(|| (path.to_owned(), changed(values)));
        };
        different(&mut String::new(), values, &mut see);
    }
    let more = match count.saturating_sub(1) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    match first.filter(|(path, _)| !path.is_empty()) {
        Some((path, change)) => format!("{} {change}{more}", cut(&path[1..])),
        None => changed(values),
    }
}

/// Describes a change of a value.
fn changed(values: [Option<&Value>; 2]) -> String {
    let [before, after] = values.map(|value| value.map_or_else(|| "none".to_owned(), shown));
    format!("{before} -> {after}")
}

/// Passes on the places where two values differ, as pointers from `path` on, with the values there.
fn different(
    path: &mut String,
    values: [Option<&Value>; 2],
    see: &mut dyn FnMut(&str, [Option<&Value>; 2]),
) {
    let end = path.len();
    let mut go = |key: &str, inner: [Option<&Value>; 2]| {
        path.extend(["/", key]);
        different(path, inner, see);
        path.truncate(end);
    };
    match values {
        [Some(a), Some(b)] if is_same(a, b) => {}
        [Some(Value::Object(a)), Some(Value::Object(b))] => {
            let new = b.keys().filter(|key| !a.contains_key(*key));
            a.keys().chain(new).for_each(|key| go(key, [a.get(key), b.get(key)]));
        }
        [Some(Value::Array(a)), Some(Value::Array(b))] if a.len() == b.len() => {
            a.iter().zip(b).enumerate().for_each(|(i, (x, y))| {
                go(&i.to_string(), [Some(x), Some(y)]);
            });
        }
        values => see(path, values),
    }
}

fn shown(value: &Value) -> String {
    cut(&value.to_string())
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_owned(),
    }
}

/// The lists of objects in extensions that have partners.
const LIGHTS: &str = "extensions/KHR_lights_punctual/lights";
const VARIANTS: &str = "extensions/KHR_materials_variants/variants";

/// The list in a primitive of what variants change.
const MAPPINGS: &str = "extensions/KHR_materials_variants/mappings";

/// The place of an object in a file.
#[derive(Clone, Copy)]
struct Entry<'a> {
    list: &'a str,
    index: usize,
    /// Of a mesh's primitive, its index.
    primitive: Option<usize>,
    /// Of a mapping of variants of the primitive, its index.
    mapping: Option<usize>,
    /// The path of an object within the entry, its primitive or its mapping.
    part: Option<&'a str>,
}

impl<'a> Entry<'a> {
    /// Takes a pointer apart. `None` for the file, its asset and whole lists of it.
    fn of(pointer: &'a str) -> Option<Self> {
        let path = pointer.strip_prefix('/')?;
        let lists = [LIGHTS, VARIANTS].into_iter();
        let in_extension = lists.filter_map(|list| Some((list, below(path, list)?))).next();
        let (list, place) = in_extension.or_else(|| path.split_once('/'))?;
        let (index, mut part) = first_index(place)?;
        let (mut primitive, mut mapping) = (None, None);
        if let Some(rest) = below(part, "primitives") {
            let (index, rest) = first_index(rest)?;
            (primitive, part) = (Some(index), rest);
            if let Some(rest) = below(part, MAPPINGS) {
                let (index, rest) = first_index(rest)?;
                (mapping, part) = (Some(index), rest);
            }
        }
        let part = (!part.is_empty()).then_some(part);
        Some(Self { list, index, primitive, mapping, part })
    }

    fn pointer(self) -> String {
        let Self { list, index, primitive, mapping, part } = self;
        let primitive = primitive.map(|primitive| format!("/primitives/{primitive}"));
        let mapping = mapping.map(|mapping| format!("/{MAPPINGS}/{mapping}"));
        let part = part.map(|part| format!("/{part}"));
        let inner = [primitive, mapping, part].into_iter().flatten().collect::<String>();
        format!("/{list}/{index}{inner}")
    }
}

/// Returns the path of an entry within a list; `None` if a path does not begin with the list.
fn below<'a>(path: &'a str, list: &str) -> Option<&'a str> {
    path.strip_prefix(list)?.strip_prefix('/')
}

/// Returns the index that a path begins with, and the rest of the path.
fn first_index(path: &str) -> Option<(usize, &str)> {
    let (index, rest) = path.split_once('/').unwrap_or((path, ""));
    Some((index.parse().ok()?, rest))
}

/// The pairs of all lists whose entries may have extras.
struct Lists<'a> {
    models: Models<'a>,
    clips: &'a Pairs,
    cameras: Pairs,
    lights: Pairs,
    scenes: Pairs,
    /// By meshes of both models, the pairs of their primitives.
    primitives: RefCell<HashMap<[usize; 2], Rc<Pairs>>>,
}

impl Lists<'_> {
    /// Returns the pointer in the other model of an object of the model `side`; `None` if that has none, or if objects of its kind
    /// are not paired.
    fn partner(&self, side: usize, pointer: &str) -> Option<String> {
        let Some(entry) = Entry::of(pointer) else { return Some(pointer.to_owned()) };
        let mut there = entry;
        there.index = self.pairs(entry.list)?.partner(side, entry.index)?;
        if let Some(primitive) = entry.primitive {
            let Models { a, b, pairs } = self.models;
            let indices = if side == 0 { [entry, there] } else { [there, entry] };
            let [x, y] = [&a.meshes[indices[0].index], &b.meshes[indices[1].index]];
            let meshes = indices.map(|of| of.index);
            let paired = || Rc::new(primitive_pairs([x, y], &pairs.materials));
            let paired = self.primitives.borrow_mut().entry(meshes).or_insert_with(paired).clone();
            let other = paired.partner(side, primitive)?;
            there.primitive = Some(other);
            if let Some(mapping) = entry.mapping {
                let (own, other) = match side {
                    0 => (&x.primitives[primitive], &y.primitives[other]),
                    _ => (&y.primitives[primitive], &x.primitives[other]),
                };
                there.mapping = Some(self.mapping(side, mapping, own, other)?);
            }
        }
        Some(there.pointer())
    }

    /// Returns the mapping of the other model's primitive that gives a variant of a mapping its material. A variant is in one
    /// mapping of a primitive only.
    fn mapping(
        &self,
        side: usize,
        mapping: usize,
        own: &Primitive,
        other: &Primitive,
    ) -> Option<usize> {
        let own = own.variant_materials.iter().zip(&own.variant_mappings);
        let own = own.filter(|(_, of)| **of == mapping);
        let mut there = own.filter_map(|((i, _), _)| self.models.pairs.variants.partner(side, *i));
        there.find_map(|there| {
            let at = other.variant_materials.iter().position(|(variant, _)| *variant == there)?;
            Some(other.variant_mappings[at])
        })
    }

    fn pairs(&self, list: &str) -> Option<&Pairs> {
        let ModelPairs { nodes, meshes, skins, materials, images, variants, .. } =
            self.models.pairs;
        match list {
            "nodes" => Some(nodes),
            "meshes" => Some(meshes),
            "skins" => Some(skins),
            "materials" => Some(materials),
            "images" => Some(images),
            "animations" => Some(self.clips),
            "cameras" => Some(&self.cameras),
            "scenes" => Some(&self.scenes),
            LIGHTS => Some(&self.lights),
            VARIANTS => Some(variants),
            _ => None,
        }
    }
}

/// Returns the kind and the name of an object of a model: `node "Hips"`.
fn name(model: &Model, pointer: &str) -> String {
    let Some(Entry { list, index, primitive, mapping, part }) = Entry::of(pointer) else {
        let list = pointer.trim_start_matches('/');
        return if list.is_empty() { "the file" } else { list }.to_owned();
    };
    let none = None;
    let clip = model.clips.get(index).and_then(Clip::name).map(str::to_owned);
    let variant = model.variants.get(index).cloned();
    let (noun, name) = match list {
        "nodes" => ("node", model.nodes.get(index).map(|node| &node.name)),
        "meshes" => ("mesh", model.meshes.get(index).map(|mesh| &mesh.name)),
        "skins" => ("skin", model.skins.get(index).map(|skin| &skin.name)),
        "materials" => ("material", model.materials.get(index).map(|material| &material.name)),
        "images" => ("image", model.images.get(index).map(|image| &image.name)),
        "animations" => ("clip", Some(&clip)),
        "scenes" => ("scene", None),
        LIGHTS => ("light", model.lights.get(index).map(|light| &light.name)),
        VARIANTS => ("variant", Some(&variant)),
        _ => ("camera", None),
    };
    let part = part.map(|part| format!("{} of ", short_name(part)));
    let mapping = mapping.map(|mapping| format!("mapping {mapping} of "));
    let primitive = primitive.map(|primitive| format!("primitive {primitive} of "));
    let inner = [part, mapping, primitive].into_iter().flatten().collect::<String>();
    format!("{inner}{noun} {}", short_name(&entry_name(name.unwrap_or(&none), index)))
}
