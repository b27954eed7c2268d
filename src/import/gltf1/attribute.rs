//! The semantics of attributes, by their names in 2.0, and which of them a technique takes.

use std::borrow::Cow;
use std::collections::HashSet;
use std::rc::Rc;

use serde_json::Value;

use crate::import::document::At;

/// The attributes of a primitive that a material is drawn with.
#[derive(Clone, Debug)]
pub(super) enum Inputs {
    /// All, as KHR_materials_common has it.
    All,
    /// All but colours: no technique says which.
    NoColours,
    /// Those that the technique names, by their names in 2.0.
    Named(Rc<HashSet<String>>),
}

impl Inputs {
    /// Whether an attribute is used, by its name in 2.0. Positions always are, and what a skin needs:
    /// a technique says how a surface is drawn, not where it is.
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

    /// Those of a technique. One that names no positions is incomplete.
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

    /// Whether the technique names colours of vertices.
    pub fn has_colours(&self) -> bool {
        matches!(self, Self::Named(names) if names.iter().any(|name| name.starts_with("COLOR_")))
    }

    /// Whether nothing can be lit, for want of normals.
    pub fn is_unlit(&self) -> bool {
        matches!(self, Self::Named(names) if !names.contains("NORMAL"))
    }
}

/// The name that 2.0 has for a semantic.
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
