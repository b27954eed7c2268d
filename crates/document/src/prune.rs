//! Removes animations from a document, with the accessors and views that only they used.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::references::{
    count, each_accessor, each_other_view, each_view_of, element_size, index, is_known, items,
    number_at, push, stream,
};

/// Keeps these animations in this order, and removes the others with the accessors and views that nothing else uses; the
/// remaining ones are renumbered. If the file uses an unknown extension, which may refer to them, only the animations
/// are removed.
///
/// # Panics
/// If there is no such animation.
pub fn keep_animations(root: &mut Value, wanted: &[usize]) {
    let is_known = is_known(root);
    let Some(old) = root.as_object_mut().and_then(|root| root.remove("animations")) else {
        return;
    };
    let mut old = old.as_array().cloned().unwrap_or_default();
    let mut kept: Vec<Value> = wanted.iter().map(|animation| old[*animation].clone()).collect();
    if is_known {
        drop_idle(root, &mut old, &mut kept);
    }
    if !kept.is_empty() {
        root["animations"] = kept.into();
    }
}

/// Visits the accessors of animations.
fn each_of_samplers(animations: &mut [Value], mut each: impl FnMut(&mut Value)) {
    for sampler in animations.iter_mut().flat_map(|animation| items(animation, "samplers")) {
        for end in ["input", "output"] {
            sampler.get_mut(end).into_iter().for_each(&mut each);
        }
    }
}

/// Removes the accessors that only `old` animations used, not those that are `kept`, and their views.
fn drop_idle(root: &mut Value, old: &mut [Value], kept: &mut [Value]) {
    let mut idle = HashSet::new();
    each_of_samplers(old, |number| idle.extend(index(number)));
    each_of_samplers(kept, |number| {
        index(number).map(|number| idle.remove(&number));
    });
    each_accessor(root, |number| {
        index(number).map(|number| idle.remove(&number));
    });
    part_views(root, &idle, kept);
    let mut idle_views = HashSet::new();
    let mut busy_views = HashSet::new();
    for (number, accessor) in items(root, "accessors").enumerate() {
        let list = if idle.contains(&number) { &mut idle_views } else { &mut busy_views };
        each_view_of(accessor, |view| list.extend(index(view)));
    }
    each_other_view(root, |view| busy_views.extend(index(view)));
    idle_views.retain(|view| !busy_views.contains(view));

    let numbers = close_up(root, "accessors", &idle);
    each_accessor(root, |number| renumber(number, &numbers));
    each_of_samplers(kept, |number| renumber(number, &numbers));
    let numbers = close_up(root, "bufferViews", &idle_views);
    for accessor in items(root, "accessors") {
        each_view_of(accessor, |view| renumber(view, &numbers));
    }
    each_other_view(root, |view| renumber(view, &numbers));
}

/// Gives the accessors of `kept` animations views of their own where they share one with `idle` accessors: exporters often
/// write the keys of all clips to one view, whose bytes would stay. Views that anything else uses stay whole.
fn part_views(root: &mut Value, idle: &HashSet<usize>, kept: &mut [Value]) {
    let mut of_keys = HashSet::new();
    each_of_samplers(kept, |number| of_keys.extend(index(number)));
    each_accessor(root, |number| {
        index(number).map(|number| of_keys.remove(&number));
    });
    // The accessors of keys in each view; whether it is shared, and by those only.
    let mut users: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut shared = HashSet::new();
    let mut whole = HashSet::new();
    each_other_view(root, |view| whole.extend(index(view)));
    for (number, accessor) in items(root, "accessors").enumerate() {
        let is_plain = accessor.get("sparse").is_none();
        each_view_of(accessor, |view| {
            let Some(view) = index(view) else { return };
            if idle.contains(&number) {
                shared.insert(view);
            } else if is_plain && of_keys.contains(&number) {
                users.entry(view).or_default().push(number);
            } else {
                whole.insert(view);
            }
        });
    }
    let is_packed = |(number, view): (usize, &mut Value)| {
        (view.get("byteStride").is_none() && stream(view).is_none()).then_some(number)
    };
    let packed: Vec<usize> = items(root, "bufferViews").enumerate().filter_map(is_packed).collect();
    let mut parted = Vec::new();
    let first = count(root, "bufferViews");
    for view in packed.into_iter().filter(|view| shared.contains(view) && !whole.contains(view)) {
        let old = root["bufferViews"][view].clone();
        for number in users.remove(&view).unwrap_or_default() {
            let accessor = &mut root["accessors"][number];
            let mut part = old.clone();
            part["byteOffset"] = number_at(&old, "byteOffset")
                .saturating_add(number_at(accessor, "byteOffset"))
                .into();
            part["byteLength"] =
                number_at(accessor, "count").saturating_mul(element_size(accessor)).into();
            accessor["bufferView"] = (first + parted.len()).into();
            if let Some(accessor) = accessor.as_object_mut() {
                accessor.remove("byteOffset");
            }
            parted.push(part);
        }
    }
    push(root, "bufferViews", parted);
}

/// Removes views that nothing uses, with their bytes, unless an unknown extension may use them.
pub fn drop_idle_views(root: &mut Value, bytes: &mut Vec<Vec<u8>>) {
    if !is_known(root) {
        return;
    }
    let mut idle: HashSet<usize> = (0..bytes.len()).collect();
    for accessor in items(root, "accessors") {
        each_view_of(accessor, |view| {
            index(view).map(|view| idle.remove(&view));
        });
    }
    each_other_view(root, |view| {
        index(view).map(|view| idle.remove(&view));
    });
    let numbers = close_up(root, "bufferViews", &idle);
    let mut at = 0;
    bytes.retain(|_| {
        at += 1;
        !idle.contains(&(at - 1))
    });
    for accessor in items(root, "accessors") {
        each_view_of(accessor, |view| renumber(view, &numbers));
    }
    each_other_view(root, |view| renumber(view, &numbers));
}

/// Removes items from a list, and returns the new index of each old item.
fn close_up(root: &mut Value, list: &str, gone: &HashSet<usize>) -> Vec<usize> {
    let Some(items) = root.get_mut(list).and_then(Value::as_array_mut) else { return Vec::new() };
    let mut left = 0;
    let numbers = (0..items.len()).map(|i| {
        let number = left;
        left += usize::from(!gone.contains(&i));
        number
    });
    let numbers = numbers.collect();
    let mut at = 0;
    items.retain(|_| {
        at += 1;
        !gone.contains(&(at - 1))
    });
    numbers
}

fn renumber(number: &mut Value, numbers: &[usize]) {
    if let Some(new) = index(number).and_then(|number| numbers.get(number)) {
        *number = (*new).into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_keys_of_several_clips_in_one_view_are_parted() {
        let (float, vec3) = (json!(5126), json!("VEC3"));
        let keys = |offset: usize, kind: &str| json!({"bufferView": 0, "byteOffset": offset, "count": 2, "componentType": float, "type": kind});
        let mut root = json!({
            "animations": [
                {"samplers": [{"input": 0, "output": 1}]}, {"samplers": [{"input": 2, "output": 3}]},
                {"samplers": [{"input": 2, "output": 4}]},
            ],
            "accessors": [
                keys(0, "SCALAR"), keys(8, "VEC3"), keys(32, "SCALAR"), keys(40, "VEC3"),
                {"bufferView": 1, "count": 2, "componentType": float, "type": vec3},
            ],
            "bufferViews": [
                {"buffer": 0, "byteOffset": 100, "byteLength": 64, "name": "keys"},
                {"buffer": 0, "byteOffset": 164, "byteLength": 24},
            ],
        });
        keep_animations(&mut root, &[1]);
        assert_eq!(
            root["bufferViews"],
            json!([
                {"buffer": 0, "byteOffset": 132, "byteLength": 8, "name": "keys"},
                {"buffer": 0, "byteOffset": 140, "byteLength": 24, "name": "keys"},
            ])
        );
        assert_eq!(root["animations"], json!([{"samplers": [{"input": 0, "output": 1}]}]));
        let accessors = root["accessors"].as_array().unwrap();
        let places: Vec<_> =
            accessors.iter().map(|a| (&a["bufferView"], a.get("byteOffset"))).collect();
        assert_eq!(places, [(&json!(0), None), (&json!(1), None)]);
    }

    #[test]
    fn data_shared_with_animations_is_kept() {
        let mut root = json!({
            "animations": [{"samplers": [{"input": 0, "output": 1}, {"input": 0, "output": 3}]}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 2}, "indices": 3,
                                        "targets": [{"POSITION": 4}]}]}],
            "accessors": [
                {"bufferView": 0}, {"bufferView": 1, "sparse": {"indices": {"bufferView": 2}}},
                {"bufferView": 1}, {"bufferView": 3}, {"bufferView": 4},
            ],
            "bufferViews": [{"n": 0}, {"n": 1}, {"n": 2}, {"n": 3}, {"n": 4}, {"n": 5}],
            "images": [{"bufferView": 5}],
        });
        let before = root.clone();
        keep_animations(&mut root, &[]);
        assert_eq!(root.get("animations"), None);
        let primitive = &root["meshes"][0]["primitives"][0];
        assert_eq!(primitive["attributes"]["POSITION"], 0);
        assert_eq!(
            (&primitive["indices"], &primitive["targets"][0]["POSITION"]),
            (&json!(1), &json!(2))
        );
        let views: Vec<_> =
            root["bufferViews"].as_array().unwrap().iter().map(|v| &v["n"]).collect();
        assert_eq!(views, [1, 3, 4, 5]);
        let accessors = root["accessors"].as_array().unwrap();
        let named: Vec<_> = accessors.iter().map(|a| &a["bufferView"]).collect();
        assert_eq!(named, [0, 1, 2]);
        assert_eq!(root["images"][0]["bufferView"], 3);

        let mut listed = before.clone();
        listed["extensionsUsed"] = json!(["ACME_accessors_everywhere"]);
        let mut unlisted = before;
        unlisted["meshes"][0]["extensions"] = json!({"ACME_accessors_everywhere": {"accessor": 4}});
        for mut unknown in [listed, unlisted] {
            keep_animations(&mut unknown, &[]);
            assert_eq!(unknown["accessors"].as_array().unwrap().len(), 5, "{unknown}");
        }
    }
}
