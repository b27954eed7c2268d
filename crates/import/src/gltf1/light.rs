//! Lights: converts those of KHR_materials_common to KHR_lights_punctual.

use std::collections::HashMap;
use std::f32::consts::{FRAC_PI_2, PI};

use serde_json::{Value, json};

use super::ids::{thing, things};
use crate::fault::ImportError;
use rigview_document::{At, Document};
use rigview_model::{linear_from_srgb, quoted};

/// All lights but ambient ones.
pub(super) struct Lights<'a> {
    /// The converted lights.
    pub list: Vec<Value>,
    /// The index of each id; `None` for ambient lights, which 2.0 does not have.
    numbers: HashMap<&'a str, Option<usize>>,
}

impl Lights<'_> {
    /// Returns the index of a node's light.
    pub fn of_node(&self, node: &At) -> Result<Option<usize>, ImportError> {
        let Some(extension) = node.extension("KHR_materials_common")? else { return Ok(None) };
        let Some(at) = extension.get("light") else { return Ok(None) };
        let id = at.text()?;
        let missing = || at.error(format!("there is no light {}", quoted(id))).into();
        self.numbers.get(id).copied().ok_or_else(missing)
    }
}

/// Converts all lights.
pub(super) fn read(document: &Document) -> Result<Lights<'_>, ImportError> {
    let mut lights = Lights { list: Vec::new(), numbers: HashMap::new() };
    let extension = document.root().extension("KHR_materials_common")?;
    let Some(all) = extension.and_then(|extension| extension.get("lights")) else {
        return Ok(lights);
    };
    for (id, at) in things(&all)? {
        let light = light(id, &at)?;
        lights.numbers.insert(id, light.is_some().then_some(lights.list.len()));
        lights.list.extend(light);
    }
    Ok(lights)
}

fn light(id: &str, at: &At) -> Result<Option<Value>, ImportError> {
    let kind = at.required("type")?;
    let name = kind.text()?;
    match name {
        "ambient" => return Ok(None),
        "directional" | "point" | "spot" => {}
        other => return Err(kind.error(format!("light type {} is unknown", quoted(other))).into()),
    }
    let mut light = thing(id, at, &["type"])?;
    let says = at.get(name);
    let color = says.as_ref().map(|at| at.number_list("color")).transpose()?.flatten();
    let channel = |i: usize| color.as_ref().and_then(|c| c.get(i)).copied().unwrap_or(0.0);
    let color = [channel(0), channel(1), channel(2)].map(|c| linear_from_srgb(c.clamp(0.0, 1.0)));
    light.insert("color".into(), json!(color));
    // With intensity pi, white light makes a white surface that faces it white.
    light.insert("intensity".into(), json!(PI));
    if name == "spot" {
        let angle = says.map(|at| at.number_at("falloffAngle")).transpose()?.flatten();
        let outer = (angle.unwrap_or(FRAC_PI_2) / 2.0).clamp(1e-3, FRAC_PI_2);
        light.insert("spot".into(), json!({ "outerConeAngle": outer }));
    }
    Ok(Some(Value::Object(light)))
}
