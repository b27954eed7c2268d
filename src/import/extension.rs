//! Extensions: which are read, and which a file must not require.

use super::document::{At, Document};
use super::escape::quoted;
use super::fault::{ImportError, Warnings};
use crate::model::{Extension, ExtensionStatus};

/// Extensions that are read. A file may require them.
const READ: &[(&str, ExtensionStatus)] = &[
    ("EXT_mesh_gpu_instancing", ExtensionStatus::Supported),
    ("EXT_meshopt_compression", ExtensionStatus::Supported),
    ("EXT_texture_webp", ExtensionStatus::Supported),
    ("KHR_animation_pointer", ExtensionStatus::Partly),
    ("KHR_draco_mesh_compression", ExtensionStatus::Supported),
    ("KHR_lights_punctual", ExtensionStatus::Supported),
    ("KHR_materials_emissive_strength", ExtensionStatus::Supported),
    ("KHR_materials_pbrSpecularGlossiness", ExtensionStatus::Partly),
    ("KHR_materials_unlit", ExtensionStatus::Supported),
    ("KHR_materials_variants", ExtensionStatus::Partly),
    ("KHR_mesh_quantization", ExtensionStatus::Supported),
    ("KHR_meshopt_compression", ExtensionStatus::Supported),
    ("KHR_texture_basisu", ExtensionStatus::Supported),
    ("KHR_texture_transform", ExtensionStatus::Supported),
];

/// Extensions without which the shape and motion are the same and only the surface is plainer:
/// a file that requires them is shown, with a warning.
const SHOWN_WITHOUT: &[&str] = &[
    "KHR_materials_anisotropy",
    "KHR_materials_clearcoat",
    "KHR_materials_diffuse_transmission",
    "KHR_materials_dispersion",
    "KHR_materials_ior",
    "KHR_materials_iridescence",
    "KHR_materials_sheen",
    "KHR_materials_specular",
    "KHR_materials_transmission",
    "KHR_materials_volume",
    "KHR_xmp",
    "KHR_xmp_json_ld",
];

/// Lists the extensions that a file uses.
///
/// # Errors
/// When it requires one that it can't be shown without.
pub(super) fn read(
    document: &Document,
    warnings: &mut Warnings,
) -> Result<Vec<Extension>, ImportError> {
    let mut extensions: Vec<Extension> = Vec::new();
    let mut list = |at: &At, required: bool| -> Result<(), ImportError> {
        let name = at.text()?;
        match extensions.iter_mut().find(|e| e.name == name) {
            Some(extension) => extension.required |= required,
            None => {
                extensions.push(Extension { name: name.into(), required, status: status(name) })
            }
        }
        Ok(())
    };
    for at in document.root().list("extensionsUsed")? {
        list(&at, false)?;
    }
    for at in document.root().list("extensionsRequired")? {
        list(&at, true)?;
        let name = at.text()?;
        if SHOWN_WITHOUT.contains(&name) {
            let message = format!("extension {} is required: shown without it", quoted(name));
            at.warn(warnings, "EXTENSION_IGNORED", message);
        } else if status(name) == ExtensionStatus::Ignored {
            let message = format!("extension {} is required and not supported", quoted(name));
            return Err(at.error(message));
        }
    }
    Ok(extensions)
}

fn status(name: &str) -> ExtensionStatus {
    let known = READ.iter().find(|(known, _)| *known == name);
    known.map_or(ExtensionStatus::Ignored, |(_, status)| *status)
}

/// The names of KHR_materials_variants.
pub(super) fn variants(document: &Document) -> Result<Vec<String>, ImportError> {
    let Some(extension) = document.root().extension("KHR_materials_variants")? else {
        return Ok(Vec::new());
    };
    let name = |at: &At| Ok(at.required("name")?.text()?.to_owned());
    extension.list("variants")?.iter().map(name).collect()
}

/// Checks a primitive's materials for variants: they are listed, not shown yet.
pub(super) fn check_mappings(primitive: &At) -> Result<(), ImportError> {
    let Some(extension) = primitive.extension("KHR_materials_variants")? else { return Ok(()) };
    let root = primitive.document.root().extension("KHR_materials_variants")?;
    let count = match &root {
        Some(root) => root.list("variants")?.len(),
        None => 0,
    };
    for mapping in extension.list("mappings")? {
        mapping.required("material")?.index_of("materials")?;
        for variant in mapping.list("variants")? {
            variant.index_below(count, "variants")?;
        }
    }
    Ok(())
}
