//! KHR_materials_variants: the names, and a primitive's material in each variant.

use super::fault::{ImportError, Warnings};
use rigview_document::{At, Document};
use rigview_model::WarningCode;

/// Reads the names of the variants.
pub(super) fn names(document: &Document) -> Result<Vec<String>, ImportError> {
    let Some(extension) = document.root().extension("KHR_materials_variants")? else {
        return Ok(Vec::new());
    };
    let name = |at: &At| Ok(at.required("name")?.text()?.to_owned());
    extension.list("variants")?.iter().map(name).collect()
}

/// Returns all materials of a primitive's variants, with duplicates.
pub(super) fn all_materials(primitive: &At) -> Result<Vec<usize>, ImportError> {
    let Some(extension) = primitive.extension("KHR_materials_variants")? else {
        return Ok(Vec::new());
    };
    let mappings = extension.list("mappings")?;
    let material = |mapping: &At| Ok(mapping.required("material")?.index_of("materials")?);
    mappings.iter().map(material).collect()
}

/// The material of a primitive in one variant.
#[derive(Clone, Copy)]
pub(super) struct VariantMaterial {
    pub variant: usize,
    pub material: usize,
    /// The index of the mapping that says so.
    pub mapping: usize,
}

/// Returns the materials of a primitive in variants (below `count`), sorted by variant. If a variant is named twice, the first
/// material is used.
pub(super) fn materials(
    primitive: &At,
    count: usize,
    warnings: &mut Warnings,
) -> Result<Vec<VariantMaterial>, ImportError> {
    let Some(extension) = primitive.extension("KHR_materials_variants")? else {
        return Ok(Vec::new());
    };
    let mut found: Vec<VariantMaterial> = Vec::new();
    for (mapping, at) in extension.list("mappings")?.iter().enumerate() {
        let material = at.required("material")?.index_of("materials")?;
        for place in at.list("variants")? {
            let variant = place.index_below(count, "variants")?;
            if found.iter().any(|other| other.variant == variant) {
                let message =
                    format!("variant {variant} is named twice: the first material is used");
                warnings.add_at(&place, WarningCode::VariantTwice, message);
            } else {
                found.push(VariantMaterial { variant, material, mapping });
            }
        }
    }
    found.sort_unstable_by_key(|of| of.variant);
    Ok(found)
}
