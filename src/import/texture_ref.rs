//! References from materials to textures.

use glam::Vec2;

use super::document::At;
use super::fault::{ImportError, Warnings};
use super::warning_code::WarningCode;
use crate::model::{Material, TextureRef, TextureSlot, UvTransform};

/// Sets the texture of a slot, if the material has one.
pub(super) fn texture(
    at: &At,
    slot: TextureSlot,
    material: &mut Material,
    warnings: &mut Warnings,
) -> Result<(), ImportError> {
    if let Some(at) = at.get(slot.name()) {
        material.textures[slot] = Some(texture_ref(&at, warnings)?);
    }
    Ok(())
}

/// Reads a reference to a texture, with KHR_texture_transform.
pub(super) fn texture_ref(at: &At, warnings: &mut Warnings) -> Result<TextureRef, ImportError> {
    let texture = at.required("index")?.index_of("textures")?;
    let mut uv_set = at.whole_at("texCoord")?.unwrap_or(0);
    let mut transform = UvTransform::default();
    if let Some(extension) = at.extension("KHR_texture_transform")? {
        transform.offset = Vec2::from(extension.numbers::<2>("offset")?.unwrap_or([0.0; 2]));
        transform.rotation = extension.number_at("rotation")?.unwrap_or(0.0);
        transform.scale = Vec2::from(extension.numbers::<2>("scale")?.unwrap_or([1.0; 2]));
        uv_set = extension.whole_at("texCoord")?.unwrap_or(uv_set);
    }
    if uv_set > 1 {
        let message =
            format!("TEXCOORD_{uv_set} is not supported, 0 and 1 are: read as TEXCOORD_0");
        at.warn(warnings, WarningCode::TexcoordUnread, message);
        uv_set = 0;
    }
    Ok(TextureRef { texture, uv_set: uv_set as u32, transform })
}
