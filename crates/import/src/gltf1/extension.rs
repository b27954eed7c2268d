//! Extensions of 1.0: the supported ones, and those that a file can't be shown without.

use crate::fault::{ImportError, Warnings};
use rigview_document::Document;
use rigview_model::{Extension, ExtensionStatus, WarningCode, quoted};

/// Supported extensions.
const READ: [(&str, ExtensionStatus); 2] = [
    ("KHR_binary_glTF", ExtensionStatus::Supported),
    ("KHR_materials_common", ExtensionStatus::Partly),
];

/// Extensions that change vertex data. They count as required: 1.0 files have no list of required
/// ones.
const NEEDED: [&str; 3] =
    ["Open3DGC-compression", "WEB3D_quantized_attributes", "mesh_compression_open3dgc"];

/// Lists the extensions that a file uses.
///
/// # Errors
/// When the file can't be shown without one that is not supported.
pub(super) fn read(
    document: &Document,
    warnings: &mut Warnings,
) -> Result<Vec<Extension>, ImportError> {
    let mut extensions: Vec<Extension> = Vec::new();
    for (key, required) in [("extensionsUsed", false), ("extensionsRequired", true)] {
        for at in document.root().list(key)? {
            let name = at.text()?;
            let known = READ.iter().find(|(known, _)| *known == name);
            let status = known.map_or(ExtensionStatus::Ignored, |(_, status)| *status);
            if NEEDED.contains(&name) || required && known.is_none() {
                let message = format!("extension {} is required and not supported", quoted(name));
                return Err(ImportError::unsupported_at(&at, message));
            }
            match extensions.iter_mut().find(|e| e.name == name) {
                Some(extension) => extension.required |= required,
                None => {
                    if name == "CESIUM_RTC" {
                        let message =
                            "CESIUM_RTC is not supported: the model is shown at the origin";
                        warnings.add_at(&at, WarningCode::ExtensionIgnored, message);
                    }
                    extensions.push(Extension { name: name.into(), required, status });
                }
            }
        }
    }
    Ok(extensions)
}
