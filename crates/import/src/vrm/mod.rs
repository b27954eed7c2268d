//! VRM: the humanoid, expressions and springs of avatars, of version 0.x, of 1.0, and of VRM animation files.
//!
//! These are additions to a glTF file that is shown without them too, so what is wrong in them is left out with a
//! warning.

mod constraints;
mod parts;
mod v0;
mod v1;

use super::fault::{ImportError, Warnings};
use rigview_document::Document;
use rigview_model::{Vrm, WarningCode};

pub(super) use constraints::read as read_constraints;
pub(super) use parts::Rig;

/// Reads what a file says of its humanoid. `None` if it is no VRM file.
pub(super) fn read(
    document: &Document,
    rig: &Rig,
    warnings: &mut Warnings,
) -> Result<Option<Vrm>, ImportError> {
    let root = document.root();
    let mut found = if let Some(at) = root.extension("VRMC_vrm")? {
        let springs = root.extension("VRMC_springBone")?;
        v1::avatar(&at, springs.as_ref(), rig, warnings)
    } else if let Some(at) = root.extension("VRMC_vrm_animation")? {
        v1::animation(&at, warnings)
    } else if let Some(at) = root.extension("VRM")? {
        v0::avatar(document, &at, rig, warnings)?
    } else {
        return Ok(None);
    };
    for (index, material) in document.list("materials")?.iter().enumerate() {
        if material.extension("VRMC_materials_mtoon")?.is_some() {
            found.mtoon.push(index);
        }
    }
    found.mtoon.sort_unstable();
    found.mtoon.dedup();
    if !found.mtoon.is_empty() {
        let message =
            "toon shading (MToon) is approximated: there are no shades, rims and outlines";
        warnings.add_at(&root, WarningCode::ToonApproximated, message);
    }
    Ok(Some(found))
}
