//! KHR_materials_variants: the names, and a primitive's material in each variant.

use super::document::{At, Document};
use super::fault::{ImportError, Warnings};
use super::warning_code::WarningCode;

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
    mappings.iter().map(|mapping| mapping.required("material")?.index_of("materials")).collect()
}

/// Returns pairs of a variant (below `count`) and the primitive's material in it, sorted by
/// variant. If a variant is named twice, the first material is used.
pub(super) fn materials(
    primitive: &At,
    count: usize,
    warnings: &mut Warnings,
) -> Result<Vec<(usize, usize)>, ImportError> {
    let Some(extension) = primitive.extension("KHR_materials_variants")? else {
        return Ok(Vec::new());
    };
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for mapping in extension.list("mappings")? {
        let material = mapping.required("material")?.index_of("materials")?;
        for place in mapping.list("variants")? {
            let variant = place.index_below(count, "variants")?;
            if pairs.iter().any(|(other, _)| *other == variant) {
                let message =
                    format!("variant {variant} is named twice: the first material is used");
                place.warn(warnings, WarningCode::VariantTwice, message);
            } else {
                pairs.push((variant, material));
            }
        }
    }
    pairs.sort_unstable();
    Ok(pairs)
}
