//! Extensions: the list of supported ones, and the check of those that a file requires.

use std::collections::HashMap;

use super::fault::{ImportError, Warnings};
use rigview_document::{At, Document};
use rigview_model::{Extension, ExtensionStatus, WarningCode, quoted};

/// Supported extensions. A file may require them.
const READ: &[(&str, ExtensionStatus)] = &[
    ("EXT_mesh_gpu_instancing", ExtensionStatus::Supported),
    ("EXT_meshopt_compression", ExtensionStatus::Supported),
    ("EXT_texture_webp", ExtensionStatus::Supported),
    ("KHR_animation_pointer", ExtensionStatus::Supported),
    ("KHR_draco_mesh_compression", ExtensionStatus::Supported),
    ("KHR_lights_punctual", ExtensionStatus::Supported),
    ("KHR_materials_anisotropy", ExtensionStatus::Supported),
    ("KHR_materials_clearcoat", ExtensionStatus::Supported),
    ("KHR_materials_diffuse_transmission", ExtensionStatus::Supported),
    ("KHR_materials_dispersion", ExtensionStatus::Supported),
    ("KHR_materials_emissive_strength", ExtensionStatus::Supported),
    ("KHR_materials_ior", ExtensionStatus::Supported),
    ("KHR_materials_iridescence", ExtensionStatus::Supported),
    ("KHR_materials_pbrSpecularGlossiness", ExtensionStatus::Supported),
    ("KHR_materials_sheen", ExtensionStatus::Supported),
    ("KHR_materials_specular", ExtensionStatus::Supported),
    ("KHR_materials_transmission", ExtensionStatus::Supported),
    ("KHR_materials_unlit", ExtensionStatus::Supported),
    ("KHR_materials_variants", ExtensionStatus::Supported),
    ("KHR_materials_volume", ExtensionStatus::Supported),
    ("KHR_mesh_quantization", ExtensionStatus::Supported),
    ("KHR_meshopt_compression", ExtensionStatus::Supported),
    ("KHR_node_visibility", ExtensionStatus::Supported),
    ("KHR_texture_basisu", ExtensionStatus::Supported),
    ("KHR_texture_transform", ExtensionStatus::Supported),
    ("KHR_xmp_json_ld", ExtensionStatus::Supported),
    ("VRM", ExtensionStatus::Partly),
    ("VRMC_materials_mtoon", ExtensionStatus::Partly),
    ("VRMC_node_constraint", ExtensionStatus::Supported),
    ("VRMC_springBone", ExtensionStatus::Supported),
    ("VRMC_springBone_extended_collider", ExtensionStatus::Supported),
    ("VRMC_vrm", ExtensionStatus::Partly),
    ("VRMC_vrm_animation", ExtensionStatus::Supported),
];

/// Extensions that do not affect the image. A file that requires them is shown, with a warning.
const SHOWN_WITHOUT: &[&str] = &["KHR_xmp", "VRMC_materials_hdr_emissiveMultiplier"];

/// Lists the extensions that a file uses.
///
/// # Errors
/// When the file requires one that is not supported.
pub(super) fn read(
    document: &Document,
    warnings: &mut Warnings,
) -> Result<Vec<Extension>, ImportError> {
    let mut extensions: Vec<Extension> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut list = |at: &At, required: bool| -> Result<(), ImportError> {
        let name = at.text()?;
        match places.get(name) {
            Some(place) => extensions[*place].required |= required,
            None => {
                places.insert(name.to_owned(), extensions.len());
                extensions.push(Extension { name: name.into(), required, status: status(name) });
            }
        }
        Ok(())
    };
    let used = document.root().list("extensionsUsed")?;
    for at in &used {
        list(at, false)?;
    }
    for at in document.root().list("extensionsRequired")? {
        list(&at, true)?;
        let name = at.text()?;
        if SHOWN_WITHOUT.contains(&name) {
            let message = format!("extension {} is required: shown without it", quoted(name));
            warnings.add_at(&at, WarningCode::ExtensionIgnored, message);
        } else if status(name) == ExtensionStatus::Ignored {
            let message = format!("extension {} is required and not supported", quoted(name));
            return Err(ImportError::unsupported_at(&at, message));
        }
    }
    for at in &used {
        let name = at.text()?;
        let is_required = places.get(name).is_some_and(|place| extensions[*place].required);
        if status(name) == ExtensionStatus::Ignored && !is_required {
            let message = format!("extension {} is ignored", quoted(name));
            warnings.add_at(at, WarningCode::ExtensionIgnored, message);
        }
    }
    Ok(extensions)
}

pub(super) fn status(name: &str) -> ExtensionStatus {
    let known = READ.iter().find(|(known, _)| *known == name);
    known.map_or(ExtensionStatus::Ignored, |(_, status)| *status)
}
