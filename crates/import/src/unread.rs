//! What extensions have stored in a file's objects and the rest of the import does not read, as text.

use std::cell::Cell;

use serde_json::{Map, Value};

use super::extension::status;
use super::extras::{gather, kept};
use super::fault::ImportError;
use rigview_document::Document;
use rigview_model::{ExtensionStatus, Extras};

/// The extension whose objects refer to packets of metadata at the file's root.
const METADATA: &str = "KHR_xmp_json_ld";

/// Limit for the objects whose metadata is kept.
const MOST_OBJECTS: usize = 64;

/// Limit for the text of a packet, in bytes.
const LONGEST_PACKET: usize = 1 << 16;

/// The keys of extensions that are read in part: by extension, the paths of what is read. `*` is any key or item; at the end
/// of a path, any whose value is a text or a boolean.
const READ: [(&str, &[&str]); 4] = [
    ("VRMC_materials_mtoon", &["specVersion"]),
    (
        "VRMC_vrm",
        &[
            "specVersion",
            "meta/authors",
            "meta/*",
            "humanoid/humanBones",
            "expressions",
            "firstPerson/meshAnnotations",
            "lookAt/type",
            "lookAt/rangeMapHorizontalInner",
            "lookAt/rangeMapHorizontalOuter",
            "lookAt/rangeMapVerticalDown",
            "lookAt/rangeMapVerticalUp",
        ],
    ),
    ("VRMC_vrm_animation", &["specVersion", "humanoid/humanBones", "expressions", "lookAt/node"]),
    (
        "VRM",
        &[
            "specVersion",
            // The program that wrote the file.
            "exporterVersion",
            "meta/*",
            "humanoid/humanBones",
            "blendShapeMaster",
            "firstPerson/meshAnnotations",
            "firstPerson/lookAtTypeName",
            "firstPerson/*/xRange",
            "firstPerson/*/yRange",
            "secondaryAnimation",
            "materialProperties/*/name",
        ],
    ),
];

/// Reads what extensions have stored in these objects that is not read elsewhere: all of those that are not supported, the rest of
/// those that are read in part, and the packet of metadata that an object refers to.
pub(super) fn read(document: &Document) -> Result<Vec<Extras>, ImportError> {
    let packets = document.root().extension(METADATA)?;
    let objects = Cell::new(0);
    let packet = |of: &Value| {
        let index = usize::try_from(of.get("packet")?.as_u64()?).ok()?;
        let packet = packets.as_ref()?.value.get("packets")?.get(index)?;
        objects.set(objects.get() + 1);
        // Many objects may share a large packet.
        (objects.get() <= MOST_OBJECTS).then(|| kept(packet, LONGEST_PACKET))
    };
    let rest = |(name, value): (&String, &Value)| {
        if name == METADATA {
            return packet(value);
        }
        if let Some((_, paths)) = READ.iter().find(|(read, _)| read == name) {
            let mut rest = value.clone();
            paths.iter().for_each(|path| remove(&mut rest, path));
            return Some(rest).filter(|rest| !is_empty(rest));
        }
        (status(name) == ExtensionStatus::Ignored).then(|| value.clone())
    };
    gather(document, |object| {
        let all = object.get("extensions")?.as_object()?.iter();
        let unread: Map<String, Value> =
            all.filter_map(|(name, value)| Some((name.clone(), rest((name, value))?))).collect();
        (!unread.is_empty()).then(|| Value::Object(unread).to_string())
    })
}

/// Removes the values at a path of [`READ`].
fn remove(value: &mut Value, path: &str) {
    match (path.split_once('/'), value) {
        (Some(("*", rest)), Value::Object(map)) => {
            map.values_mut().for_each(|value| remove(value, rest));
        }
        (Some(("*", rest)), Value::Array(list)) => {
            list.iter_mut().for_each(|value| remove(value, rest));
        }
        (Some((key, rest)), Value::Object(map)) => {
            map.get_mut(key).into_iter().for_each(|value| remove(value, rest));
        }
        (None, Value::Object(map)) if path == "*" => {
            map.retain(|_, value| !value.is_string() && !value.is_boolean());
        }
        (None, Value::Object(map)) => {
            map.remove(path);
        }
        _ => {}
    }
}

/// Whether a value has no content at any depth.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Array(list) => list.iter().all(is_empty),
        Value::Object(map) => map.values().all(is_empty),
        Value::Null => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn unread(document: Value) -> Vec<(String, Value)> {
        let document = Document::new(document).unwrap();
        let found = read(&document).unwrap().into_iter();
        found.map(|of| (of.about, serde_json::from_str(&of.json).unwrap())).collect()
    }

    #[test]
    fn what_is_read_of_an_extension_is_left_out() {
        let avatar = json!({
            "specVersion": "1.0",
            "meta": {"name": "A", "authors": ["B"], "modification": "no", "references": ["C"]},
            "humanoid": {"humanBones": {"hips": {"node": 0}}},
            "lookAt": {"type": "bone", "offsetFromHeadBone": [0, 0.1, 0]},
        });
        let toon = json!({"specVersion": "1.0", "shadeColorFactor": [1, 0, 0]});
        let found = unread(json!({
            "asset": {},
            "materials": [
                {"extensions": {"VRMC_materials_mtoon": toon, "KHR_materials_unlit": {}}},
                {"extensions": {"VRMC_materials_mtoon": {"specVersion": "1.0"}}},
            ],
            "extensions": {"VRMC_vrm": avatar, "MY_own": {"level": 3}},
        }));
        let rest = json!({
            "meta": {"references": ["C"]},
            "humanoid": {},
            "lookAt": {"offsetFromHeadBone": [0, 0.1, 0]},
        });
        let toon = json!({"VRMC_materials_mtoon": {"shadeColorFactor": [1, 0, 0]}});
        let want = [
            (String::new(), json!({"VRMC_vrm": rest, "MY_own": {"level": 3}})),
            ("/materials/0".to_owned(), toon),
        ];
        assert_eq!(found, want);
    }

    #[test]
    fn metadata_is_that_of_the_packet() {
        let found = unread(json!({
            "asset": {"extensions": {"KHR_xmp_json_ld": {"packet": 1}}},
            "nodes": [{"extensions": {"KHR_xmp_json_ld": {"packet": 7}}}],
            "extensions": {"KHR_xmp_json_ld": {"packets": [{}, {"dc:title": "Fox"}]}},
        }));
        let want = json!({"KHR_xmp_json_ld": {"dc:title": "Fox"}});
        assert_eq!(found, [("/asset".to_owned(), want)]);
    }
}
