//! Attribute semantics: their names in 2.0, and those that a technique declares.

use std::borrow::Cow;
use std::collections::HashSet;
use std::rc::Rc;

use rigview_document::At;
use serde_json::Value;

/// The attributes that a material is drawn with.
#[derive(Clone, Debug)]
pub(super) enum Inputs {
    /// All, for KHR_materials_common.
    All,
    /// All but colours, if no technique declares any.
    NoColours,
    /// Those that the technique declares, by their names in 2.0.
    Named(Rc<HashSet<String>>),
}

impl Inputs {
    /// Whether an attribute is used, by its name in 2.0. Positions, joints and weights always are:
    /// a technique defines how a surface is shaded, not where it is.
    pub fn take(&self, attribute: &str) -> bool {
        let places =
            ["POSITION", "JOINTS_", "WEIGHTS_"].iter().any(|stem| attribute.starts_with(stem));
        places
            || match self {
                Self::All => true,
                Self::NoColours => !attribute.starts_with("COLOR_"),
                Self::Named(names) => names.contains(attribute),
            }
    }

    /// Returns the attributes of a technique. One without positions is incomplete and ignored.
    pub fn of(technique: &At) -> Self {
        let under = |key| technique.value.get(key).and_then(Value::as_object);
        let attributes = under("attributes").into_iter().flatten();
        let semantics = attributes.filter_map(|(_, parameter)| {
            under("parameters")?.get(parameter.as_str()?)?.get("semantic")?.as_str()
        });
        let names: HashSet<String> =
            semantics.map(|semantic| name(semantic).into_owned()).collect();
        let complete = names.contains("POSITION");
        if complete { Self::Named(Rc::new(names)) } else { Self::NoColours }
    }

    /// Whether the technique declares vertex colours.
    pub fn has_colours(&self) -> bool {
        matches!(self, Self::Named(names) if names.iter().any(|name| name.starts_with("COLOR_")))
    }

    /// Whether the technique declares no normals, so that its surfaces are unlit.
    pub fn is_unlit(&self) -> bool {
        matches!(self, Self::Named(names) if !names.contains("NORMAL"))
    }
}

/// Returns the name of a semantic in 2.0.
pub(super) fn name(semantic: &str) -> Cow<'_, str> {
    let (stem, set) = match semantic.split_once('_') {
        Some((stem, set)) if set.parse::<u32>().is_ok() => (stem, set),
        Some(_) => return semantic.into(),
        None => (semantic, "0"),
    };
    match stem {
        "JOINT" => format!("JOINTS_{set}").into(),
        "WEIGHT" => format!("WEIGHTS_{set}").into(),
        "COLOR" | "TEXCOORD" => format!("{stem}_{set}").into(),
        "BATCHID" => "_BATCHID".into(),
        _ => semantic.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn semantics_get_sets() {
        for (semantic, want) in [
            ("POSITION", "POSITION"),
            ("JOINT", "JOINTS_0"),
            ("WEIGHT_1", "WEIGHTS_1"),
            ("TEXCOORD_0", "TEXCOORD_0"),
            ("COLOR", "COLOR_0"),
            ("JOINT_MATRIX", "JOINT_MATRIX"),
            ("BATCHID", "_BATCHID"),
            ("", ""),
        ] {
            assert_eq!(name(semantic), want);
        }
    }
}
