//! Materials: Lambert, Phong and the physical materials of Maya and 3ds Max to metallic-roughness. ufbx maps
//! their properties to common names.

use serde_json::{Value, json};
use ufbx::{Material, MaterialMap, Scene, ShaderType, Texture};

use super::properties;
use super::scene::finite;
use super::texture::{Combination, Textures};
use crate::draft::Draft;
use crate::fault::{ImportError, Warnings};
use crate::files::Folder;
use rigview_model::{WarningCode, quoted};

/// Opacity from which on a material counts as opaque.
const OPAQUE: f32 = 0.999;

/// Appends all materials; the index in the document is the FBX material's typed ID.
pub(super) fn write(
    scene: &Scene,
    folder: &Folder,
    draft: &mut Draft,
    warnings: &mut Warnings,
) -> Result<(), ImportError> {
    let mut textures = Textures::new(scene, folder);
    for material in &scene.materials {
        let item = convert(material, &mut textures, draft, warnings)?;
        draft.push("materials", item);
    }
    Ok(())
}

/// Returns a material for surfaces without one: matt and light grey.
pub(super) fn plain() -> Value {
    let color = [0.8, 0.8, 0.8, 1.0];
    json!({
        "name": "plain",
        "pbrMetallicRoughness": { "baseColorFactor": color, "metallicFactor": 0.0 },
        "doubleSided": true,
    })
}

fn convert(
    material: &Material,
    textures: &mut Textures,
    draft: &mut Draft,
    warnings: &mut Warnings,
) -> Result<Value, ImportError> {
    let base = base_color(material, textures, draft, warnings)?;
    let surface = surface_texture(material, textures, draft, warnings)?;
    let is_blended = base.factor[3] < OPAQUE || base.is_cut_out;
    let mut out = json!({
        "name": &*material.element.name,
        "pbrMetallicRoughness": metallic_roughness(material, base, surface),
        // FBX draws both sides.
        "doubleSided": true,
    });
    if is_blended {
        out["alphaMode"] = "BLEND".into();
    }
    let pbr = &material.pbr;
    for (map, name) in
        [(&pbr.normal_map, "normalTexture"), (&pbr.ambient_occlusion, "occlusionTexture")]
    {
        if let Some(texture) = referenced(map, material, textures, draft, warnings)? {
            out[name] = texture;
        }
    }
    let emission = referenced(&pbr.emission_color, material, textures, draft, warnings)?;
    add_emission(&mut out, material, emission, draft);
    if material.features.unlit.enabled {
        let name = draft.uses("KHR_materials_unlit");
        out["extensions"][name] = json!({});
    }
    properties::put(&mut out, &material.element);
    warn(material, warnings);
    Ok(out)
}

/// Returns a reference to the texture of a property, if it has one.
fn referenced(
    map: &MaterialMap,
    material: &Material,
    textures: &mut Textures,
    draft: &mut Draft,
    warnings: &mut Warnings,
) -> Result<Option<Value>, ImportError> {
    let reference = |texture| textures.reference(texture, material, draft, warnings);
    enabled(map).map_or(Ok(None), reference)
}

/// The base colour with its opacity.
struct BaseColor {
    factor: [f32; 4],
    texture: Option<Value>,
    /// Whether the texture makes parts of the surface transparent.
    is_cut_out: bool,
}

fn base_color(
    material: &Material,
    textures: &mut Textures,
    draft: &mut Draft,
    warnings: &mut Warnings,
) -> Result<BaseColor, ImportError> {
    let pbr = &material.pbr;
    let mut texture = referenced(&pbr.base_color, material, textures, draft, warnings)?;
    // A texture takes the place of the colour.
    let color = match &texture {
        Some(_) => [1.0; 3],
        None => {
            let factor = number(&pbr.base_factor, 1.0);
            rgb(&pbr.base_color, 0.8).map(|x| (x * factor).clamp(0.0, 1.0))
        }
    };
    let (map, how) = opacity_map(material);
    let own_alpha = texture.is_some() && same_texture(map, &pbr.base_color);
    let mut is_cut_out = own_alpha && enabled(map).is_some_and(|file| textures.has_alpha(file));
    if let (Some(file), false) = (enabled(map), own_alpha) {
        let of_base = enabled(&pbr.base_color).filter(|_| texture.is_some());
        let both = [of_base, Some(file)];
        if let Some(made) = textures.combination(how, both, material, draft, warnings)? {
            texture = Some(made);
            is_cut_out = true;
        }
    }
    // A texture takes the place of the number.
    let alpha = if enabled(map).is_some() { 1.0 } else { opacity(material) };
    let [r, g, b] = color;
    Ok(BaseColor { factor: [r, g, b, alpha], texture, is_cut_out })
}

fn metallic_roughness(material: &Material, base: BaseColor, surface: Option<Value>) -> Value {
    let metalness = &material.pbr.metalness;
    let factor = |map: &MaterialMap, number: f32| match &surface {
        Some(_) if enabled(map).is_some() => 1.0,
        _ => number,
    };
    let mut out = json!({
        "baseColorFactor": base.factor,
        "metallicFactor": factor(metalness, number(metalness, 0.0).clamp(0.0, 1.0)),
        "roughnessFactor": factor(roughness_map(material).0, roughness(material)),
    });
    if let Some(texture) = base.texture {
        out["baseColorTexture"] = texture;
    }
    if let Some(surface) = surface {
        out["metallicRoughnessTexture"] = surface;
    }
    out
}

/// Adds what a surface shines by itself. Factors of glTF end at 1; more is a strength.
fn add_emission(out: &mut Value, material: &Material, texture: Option<Value>, draft: &mut Draft) {
    let pbr = &material.pbr;
    let strength = number(&pbr.emission_factor, 1.0).max(0.0);
    let glow = match &texture {
        Some(_) => [strength; 3],
        None => rgb(&pbr.emission_color, 0.0).map(|x| x.max(0.0) * strength),
    };
    let most = glow.iter().copied().fold(0.0, f32::max);
    if most > 1.0 {
        let name = draft.uses("KHR_materials_emissive_strength");
        out["extensions"] = json!({ name: { "emissiveStrength": most } });
    }
    if most > 0.0 {
        out["emissiveFactor"] = json!(glow.map(|x| x / most.max(1.0)));
        if let Some(texture) = texture {
            out["emissiveTexture"] = texture;
        }
    }
}

/// Returns the texture of a property, if it has one that is not switched off.
fn enabled(map: &MaterialMap) -> Option<&Texture> {
    map.texture.as_deref().filter(|_| map.texture_enabled)
}

/// Returns the property that is the roughness or the smoothness of a material, and how its texture is put together with
/// that of metalness. The highlight's exponent of Phong materials is neither.
fn roughness_map(material: &Material) -> (&MaterialMap, Combination) {
    match material.features.roughness_as_glossiness.enabled {
        true => (&material.pbr.glossiness, Combination::SmoothnessMetalness),
        false => (&material.pbr.roughness, Combination::RoughnessMetalness),
    }
}

/// Returns the reference to a texture of roughness and metalness, if the material has a texture for one of them.
fn surface_texture(
    material: &Material,
    textures: &mut Textures,
    draft: &mut Draft,
    warnings: &mut Warnings,
) -> Result<Option<Value>, ImportError> {
    let (map, how) = roughness_map(material);
    let rough = enabled(map).filter(|_| !is_phong(material));
    let metal = enabled(&material.pbr.metalness);
    if let (Some(rough), true) = (rough, same_texture(map, &material.pbr.metalness)) {
        // One picture for both has them in different channels: those of glTF, as far as the file says.
        return textures.reference(rough, material, draft, warnings);
    }
    match (rough, metal) {
        (None, None) => Ok(None),
        both => textures.combination(how, both.into(), material, draft, warnings),
    }
}

/// Returns the property whose texture says where a material is opaque, and how it is put together with the colour.
fn opacity_map(material: &Material) -> (&MaterialMap, Combination) {
    match is_classic(material) {
        true => (&material.fbx.transparency_color, Combination::ColorTransparency),
        false => (&material.pbr.opacity, Combination::ColorOpacity),
    }
}

/// Whether a material is one of Phong, whose highlight has an exponent.
fn is_phong(material: &Material) -> bool {
    use ShaderType::{FbxPhong, Unknown, WavefrontMtl};
    matches!(material.shader_type, FbxPhong | Unknown | WavefrontMtl)
}

/// Whether a material has FBX's own properties only.
fn is_classic(material: &Material) -> bool {
    use ShaderType::{FbxLambert, FbxPhong, Unknown};
    matches!(material.shader_type, FbxLambert | FbxPhong | Unknown)
}

/// Lists the textures that are not shown, or not as a whole.
fn warn(material: &Material, warnings: &mut Warnings) {
    let pbr = &material.pbr;
    let shown = [
        (&pbr.specular_color, "specular colour"),
        (&pbr.displacement_map, "displacement"),
        (&material.fbx.bump, "bump"),
        (&material.fbx.ambient_color, "ambient colour"),
        (&material.fbx.reflection_color, "reflection"),
    ];
    let mut left_out: Vec<&str> = shown
        .iter()
        .filter(|(map, _)| map.texture.is_some() && map.texture_enabled)
        .map(|(_, name)| *name)
        .collect();
    if is_phong(material) && enabled(&pbr.roughness).is_some() {
        left_out.push("shininess");
    }
    let drawn = [
        &pbr.base_color,
        opacity_map(material).0,
        roughness_map(material).0,
        &pbr.metalness,
        &pbr.normal_map,
        &pbr.ambient_occlusion,
        &pbr.emission_color,
    ];
    for used in &material.textures {
        let texture = &*used.texture;
        let has_it = |map: &MaterialMap| {
            let own = map.texture.as_ref().map(|own| own.element.element_id);
            own == Some(texture.element.element_id)
        };
        let is_drawn = drawn.iter().any(|map| has_it(map));
        if !is_drawn && !shown.iter().any(|(map, _)| has_it(map)) {
            left_out.push(&used.material_prop);
        }
        let count = texture.file_textures.len();
        if is_drawn && count > 1 {
            let [name, texture] = [&material.element, &texture.element].map(|it| quoted(&it.name));
            let message = format!(
                "material {name}: only the first of the {count} pictures of texture {texture} is shown"
            );
            warnings.add(WarningCode::NotShown, "", message);
        }
    }
    // ufbx lists a normal map that is connected as a bump map in both places.
    if same_texture(&material.fbx.bump, &pbr.normal_map) {
        left_out.retain(|name| *name != "bump");
    }
    if !left_out.is_empty() {
        let name = &*material.element.name;
        let message =
            format!("material \"{name}\": textures for {} are not shown", left_out.join(", "));
        warnings.add(WarningCode::NotShown, "", message);
    }
}

/// Returns the perceptual roughness. Phong's exponent is that of a lobe of about the same width.
fn roughness(material: &Material) -> f32 {
    let pbr = &material.pbr;
    let exponent = &material.fbx.specular_exponent;
    let roughness = match () {
        () if material.shader_type == ShaderType::FbxLambert => 1.0,
        () if is_phong(material) && exponent.has_value => {
            (2.0 / (number(exponent, 0.0).max(0.0) + 2.0)).powf(0.25)
        }
        () if material.features.roughness_as_glossiness.enabled => {
            1.0 - number(&pbr.glossiness, 0.5)
        }
        () => number(&pbr.roughness, 1.0),
    };
    roughness.clamp(0.0, 1.0)
}

/// Returns the opacity, from 0 to 1.
fn opacity(material: &Material) -> f32 {
    let mean = |map: &MaterialMap, default: f32| {
        let [r, g, b] = rgb(map, default);
        if map.value_components >= 3 { (r + g + b) / 3.0 } else { r }
    };
    let opacity = match is_classic(material) {
        true => {
            let fbx = &material.fbx;
            let color = mean(&fbx.transparency_color, 0.0);
            1.0 - color * number(&fbx.transparency_factor, 1.0)
        }
        false => mean(&material.pbr.opacity, 1.0),
    };
    if opacity > 1.0 - OPAQUE {
        return opacity.clamp(0.0, 1.0);
    }
    // Some programs write a transparency of 1 for opaque materials, and say the opacity in another place.
    let said = material.element.props.find_prop("Opacity").map(|p| finite(p.value_vec4.x, &mut 0));
    if is_classic(material) { said.unwrap_or(1.0).clamp(0.0, 1.0) } else { 0.0 }
}

fn same_texture(a: &MaterialMap, b: &MaterialMap) -> bool {
    let file = |map: &MaterialMap| {
        let texture = map.texture.as_ref()?;
        Some(texture.file_textures.into_iter().next()?.file_index)
    };
    file(a).is_some() && file(a) == file(b)
}

fn number(map: &MaterialMap, default: f32) -> f32 {
    if map.has_value { finite(map.value_vec4.x, &mut 0) } else { default }
}

fn rgb(map: &MaterialMap, default: f32) -> [f32; 3] {
    let value = map.value_vec4;
    match map.has_value {
        true => [value.x, value.y, value.z].map(|x| finite(x, &mut 0)),
        false => [default; 3],
    }
}
