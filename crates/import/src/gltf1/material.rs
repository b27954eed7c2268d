//! Materials: converts the values of techniques, recognised by the names that exporters use, and
//! KHR_materials_common to non-metallic materials.
//!
//! 1.0 defines no colour space, and its shaders write colours to the screen unchanged. Colours are
//! therefore read as sRGB, like textures.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::attribute::Inputs;
use super::ids::{Ids, thing, things};
use crate::fault::{ImportError, Warnings};
use rigview_document::{At, Document};
use rigview_model::{WarningCode, linear_from_srgb, quoted};

/// OpenGL constants of states that a technique enables.
const BLEND: u64 = 3042;
const CULL_FACE: u64 = 2884;

/// Converts all materials, and returns the attributes that each is drawn with.
pub(super) fn read(
    document: &Document,
    ids: &Ids,
    warnings: &mut Warnings,
) -> Result<(Vec<Value>, Vec<Inputs>), ImportError> {
    let techniques = techniques(document)?;
    let (mut list, mut inputs) = (Vec::new(), Vec::new());
    for (id, at) in ids.entries("materials") {
        let (surface, takes) = match at.extension("KHR_materials_common")? {
            Some(extension) => (of_extension(&extension, ids, warnings)?, Inputs::All),
            None => of_technique(at, &techniques, ids, warnings)?,
        };
        let mut material = thing(id, at, &[])?;
        surface.put(&mut material);
        list.push(Value::Object(material));
        inputs.push(takes);
    }
    Ok((list, inputs))
}

/// The shading of a material.
struct Surface {
    base: Colour,
    emission: Colour,
    opacity: f32,
    blend: bool,
    double_sided: bool,
    unlit: bool,
    roughness: f32,
}

/// A colour value of a material.
#[derive(Clone, Copy)]
enum Colour {
    /// An sRGB colour with alpha.
    Plain([f32; 4]),
    /// A texture, by index.
    Texture(usize),
}

const BLACK: Colour = Colour::Plain([0.0, 0.0, 0.0, 1.0]);

impl Surface {
    fn put(&self, material: &mut Map<String, Value>) {
        let mut pbr = json!({ "metallicFactor": 0, "roughnessFactor": self.roughness });
        let opacity = if self.blend { self.opacity } else { 1.0 };
        match self.base {
            Colour::Plain([r, g, b, a]) => {
                let a = if self.blend { a * opacity } else { 1.0 };
                pbr["baseColorFactor"] =
                    json!([linear_from_srgb(r), linear_from_srgb(g), linear_from_srgb(b), a]);
            }
            Colour::Texture(texture) => {
                pbr["baseColorTexture"] = json!({ "index": texture });
                pbr["baseColorFactor"] = json!([1, 1, 1, opacity]);
            }
        }
        material.insert("pbrMetallicRoughness".into(), pbr);
        match self.emission {
            _ if self.unlit => {}
            Colour::Plain([r, g, b, _]) => {
                material.insert("emissiveFactor".into(), json!([r, g, b].map(linear_from_srgb)));
            }
            Colour::Texture(texture) => {
                material.insert("emissiveTexture".into(), json!({ "index": texture }));
                material.insert("emissiveFactor".into(), json!([1, 1, 1]));
            }
        }
        if self.blend {
            material.insert("alphaMode".into(), "BLEND".into());
        }
        material.insert("doubleSided".into(), self.double_sided.into());
        if self.unlit {
            material.insert("extensions".into(), json!({ "KHR_materials_unlit": {} }));
        }
    }

    /// Adapts the surface to the attributes of a technique: without normals it is unlit, and vertex
    /// colours replace a missing base colour.
    fn take(&mut self, values: &Values, inputs: &Inputs) {
        self.unlit = inputs.is_unlit();
        let has_base = matches!(self.base, Colour::Texture(_)) || values.get("diffuse").is_some();
        if !has_base {
            if inputs.has_colours() {
                self.base = Colour::Plain([1.0; 4]);
            } else if self.unlit {
                self.base = self.emission;
            }
        }
    }

    /// Whether the surface is translucent, apart from its texture.
    fn shines_through(&self) -> bool {
        let alpha = if let Colour::Plain([.., a]) = self.base { a } else { 1.0 };
        alpha * self.opacity < 1.0
    }
}

/// The values of a material, and the defaults of its technique.
struct Values<'a> {
    own: Option<At<'a>>,
    parameters: Option<At<'a>>,
}

impl<'a> Values<'a> {
    fn get(&self, name: &str) -> Option<At<'a>> {
        let own = self.own.as_ref().and_then(|own| own.get(name));
        own.or_else(|| self.parameters.as_ref()?.get(name)?.get("value"))
    }

    /// Builds a surface from the values, by their usual names.
    fn surface(&self, ids: &Ids, warnings: &mut Warnings) -> Result<Surface, ImportError> {
        let base = colour(self.get("diffuse"), ids, warnings)?;
        let emission = colour(self.get("emission"), ids, warnings)?.unwrap_or(BLACK);
        let specular = colour(self.get("specular"), ids, warnings)?.unwrap_or(BLACK);
        let shininess = number(self.get("shininess"), warnings)?.unwrap_or(0.0);
        let opacity = number(self.get("transparency"), warnings)?.unwrap_or(1.0).clamp(0.0, 1.0);
        let base = match base {
            Some(base) => base,
            None => self.any_texture(ids).map_or(BLACK, Colour::Texture),
        };
        Ok(Surface {
            base,
            emission,
            opacity,
            blend: false,
            double_sided: false,
            unlit: false,
            roughness: roughness(specular, shininess),
        })
    }

    /// Returns the first texture among the material's own values: most likely the base colour of an
    /// exporter that uses other names.
    fn any_texture(&self, ids: &Ids) -> Option<usize> {
        let values = self.own.as_ref()?.value.as_object()?;
        values.values().find_map(|value| ids.number("textures", value.as_str()?))
    }
}

fn of_extension(at: &At, ids: &Ids, warnings: &mut Warnings) -> Result<Surface, ImportError> {
    let values = Values { own: at.get("values"), parameters: None };
    let mut surface = values.surface(ids, warnings)?;
    let technique = at.required("technique")?;
    match technique.text()? {
        "BLINN" | "PHONG" => {}
        "LAMBERT" => surface.roughness = 1.0,
        "CONSTANT" => {
            surface.unlit = true;
            surface.base = surface.emission;
        }
        other => {
            let message = format!("technique {} is unknown: read as LAMBERT", quoted(other));
            warnings.add_at(&technique, WarningCode::TechniqueUnknown, message);
            surface.roughness = 1.0;
        }
    }
    surface.double_sided = at.flag("doubleSided")?;
    surface.blend = match at.get("transparent") {
        Some(_) => at.flag("transparent")?,
        None => surface.shines_through(),
    };
    Ok(surface)
}

/// The properties of a technique.
struct Technique<'a> {
    parameters: Option<At<'a>>,
    inputs: Inputs,
    /// Whether blending is enabled.
    blends: bool,
    /// Whether back faces are culled.
    culls: bool,
}

/// Reads all techniques, once each, by id.
fn techniques(document: &Document) -> Result<HashMap<&str, Technique<'_>>, ImportError> {
    let mut techniques = HashMap::new();
    let Some(all) = document.root().get("techniques") else { return Ok(techniques) };
    for (id, at) in things(&all)? {
        let states = at.get("states").map(|states| states.list("enable")).transpose()?;
        let enables = |state: u64| states.iter().flatten().any(|at| at.value == &json!(state));
        let (blends, culls) = (enables(BLEND), enables(CULL_FACE));
        let (parameters, inputs) = (at.get("parameters"), Inputs::of(&at));
        techniques.insert(id, Technique { parameters, inputs, blends, culls });
    }
    Ok(techniques)
}

fn of_technique(
    at: &At,
    techniques: &HashMap<&str, Technique>,
    ids: &Ids,
    warnings: &mut Warnings,
) -> Result<(Surface, Inputs), ImportError> {
    let technique = match at.get("technique") {
        Some(named) => {
            let id = named.text()?;
            let missing = || named.error(format!("there is no technique {}", quoted(id)));
            Some(techniques.get(id).ok_or_else(missing)?)
        }
        None => None,
    };
    let parameters = technique.and_then(|technique| technique.parameters.clone());
    let values = Values { own: at.get("values"), parameters };
    let mut surface = values.surface(ids, warnings)?;
    match technique {
        Some(technique) => {
            surface.take(&values, &technique.inputs);
            surface.double_sided = !technique.culls;
            // Exporters enable blending only for textures that may be translucent.
            let textured = matches!(surface.base, Colour::Texture(_));
            surface.blend = technique.blends && (textured || surface.shines_through());
        }
        // The default material of 1.0 is grey.
        None if values.own.is_none() => surface.base = Colour::Plain([0.5, 0.5, 0.5, 1.0]),
        None => {}
    }
    Ok((surface, technique.map_or(Inputs::NoColours, |technique| technique.inputs.clone())))
}

/// Reads a value as a colour or texture; `None` with a warning if it is neither.
fn colour(
    value: Option<At>,
    ids: &Ids,
    warnings: &mut Warnings,
) -> Result<Option<Colour>, ImportError> {
    let Some(at) = value else { return Ok(None) };
    // A value of one component may be in a list.
    let one = at.value.as_array().filter(|list| list.len() == 1 && list[0].is_string());
    let single = match one {
        Some(_) => at.items()?.into_iter().next(),
        None => at.value.is_string().then(|| at.clone()),
    };
    if let Some(texture) = single {
        return Ok(Some(Colour::Texture(ids.index(&texture, "textures")?)));
    }
    let components: Option<Vec<f32>> = at
        .value
        .as_array()
        .and_then(|list| list.iter().map(|x| x.as_f64().map(|x| x as f32)).collect());
    match components.as_deref() {
        Some(&[r, g, b]) => Ok(Some(Colour::Plain([r, g, b, 1.0].map(|c| c.clamp(0.0, 1.0))))),
        Some(&[r, g, b, a]) => Ok(Some(Colour::Plain([r, g, b, a].map(|c| c.clamp(0.0, 1.0))))),
        _ => {
            warnings.add_at(&at, WarningCode::ValueOdd, "neither a colour nor a texture: left out");
            Ok(None)
        }
    }
}

/// Reads a value as a number, alone or in a list.
fn number(value: Option<At>, warnings: &mut Warnings) -> Result<Option<f32>, ImportError> {
    let Some(at) = value else { return Ok(None) };
    let single = match at.value.as_array() {
        Some(list) if list.len() == 1 => list[0].as_f64(),
        _ => at.value.as_f64(),
    };
    let number = single.map(|x| x as f32).filter(|x| x.is_finite());
    if number.is_none() {
        warnings.add_at(&at, WarningCode::ValueOdd, "not a number: left out");
    }
    Ok(number)
}

/// Returns the roughness whose highlight is as wide as that of a shininess, and no brighter than
/// the specular colour. In the Blinn model narrower highlights are not brighter, as physical ones
/// are.
fn roughness(specular: Colour, shininess: f32) -> f32 {
    let peak = match specular {
        Colour::Plain([r, g, b, _]) => r.max(g).max(b),
        Colour::Texture(_) => 0.5,
    };
    // Blinn's exponent n corresponds to a width of 2 / (n + 2). With 4 % reflected light, a
    // highlight of width w has a peak of 0.01 / w.
    let width = (2.0 / (shininess.max(0.0) + 2.0)).max(0.01 / peak.max(0.01));
    width.min(1.0).sqrt().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_faint_highlight_is_a_rough_surface_and_a_strong_narrow_one_a_smooth_one() {
        let of = |peak: f32, shininess| roughness(Colour::Plain([peak; 4]), shininess);
        assert_eq!(of(0.0, 256.0), 1.0);
        assert_eq!(of(1.0, 0.0), 1.0);
        assert!((of(0.04, 256.0) - 0.707).abs() < 1e-3);
        assert!(of(1.0, 256.0) < 0.32);
    }
}
