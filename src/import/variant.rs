//! KHR_materials_variants: the names, and which material a primitive has in which variant.

use super::document::{At, Document};
use super::fault::{ImportError, Warnings};
use super::warning_code::WarningCode;

/// The names of the variants.
pub(super) fn names(document: &Document) -> Result<Vec<String>, ImportError> {
    let Some(extension) = document.root().extension("KHR_materials_variants")? else {
        return Ok(Vec::new());
    };
    let name = |at: &At| Ok(at.required("name")?.text()?.to_owned());
    extension.list("variants")?.iter().map(name).collect()
}

/// The materials that a primitive has in any variant.
pub(super) fn all_materials(primitive: &At) -> Result<Vec<usize>, ImportError> {
    let Some(extension) = primitive.extension("KHR_materials_variants")? else {
        return Ok(Vec::new());
    };
    let mappings = extension.list("mappings")?;
    mappings.iter().map(|mapping| mapping.required("material")?.index_of("materials")).collect()
}

/// Pairs of one of the `count` variants and the material that a primitive has in it, by variant. Of
/// several for one variant the first counts.
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
                let message = format!("variant {variant} is named twice: the first counts");
                place.warn(warnings, WarningCode::VariantTwice, message);
            } else {
                pairs.push((variant, material));
            }
        }
    }
    pairs.sort_unstable();
    Ok(pairs)
}
