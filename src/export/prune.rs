//! Removes animations from a document, with the accessors and views that only they used.

use std::collections::HashSet;

use serde_json::Value;

use super::parts::{each_accessor, each_other_view, each_view_of, index, is_known, items};

/// Removes the animations, and the accessors and views that nothing else uses; the remaining ones are
/// renumbered. If the file uses an unknown extension, which may refer to them, only the animations are
/// removed.
pub fn take_animations(root: &mut Value) {
    let Some(mut old) = root.as_object_mut().and_then(|root| root.remove("animations")) else {
        return;
    };
    if !is_known(root) {
        return;
    }
    let mut idle = HashSet::new();
    for animation in old.as_array_mut().into_iter().flatten() {
        for sampler in items(animation, "samplers") {
            let ends = [sampler.get("input"), sampler.get("output")];
            idle.extend(ends.into_iter().flatten().filter_map(index));
        }
    }
    each_accessor(root, |number| {
        index(number).map(|number| idle.remove(&number));
    });
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
    let numbers = close_up(root, "bufferViews", &idle_views);
    for accessor in items(root, "accessors") {
        each_view_of(accessor, |view| renumber(view, &numbers));
    }
    each_other_view(root, |view| renumber(view, &numbers));
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
        take_animations(&mut root);
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

        let mut unknown = before;
        unknown["extensionsUsed"] = json!(["ACME_accessors_everywhere"]);
        take_animations(&mut unknown);
        assert_eq!(unknown["accessors"].as_array().unwrap().len(), 5);
    }
}
