//! Textures: pictures inside the file, or beside it in the model's folder.

use std::collections::HashMap;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use ufbx::{Material, Scene, Texture, WrapMode};

use super::scene::finite;
use crate::import::draft::Draft;
use crate::import::fault::{ImportError, Warnings};
use crate::import::uri::Folder;
use crate::import::warning_code::WarningCode;
use crate::model::quoted;

const REPEAT: u32 = 10497;
const CLAMP_TO_EDGE: u32 = 33071;

/// Sets of texture coordinates that meshes are given.
const UV_SETS: usize = 2;

/// Characters of paths that need no escape in URIs.
const PATH: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-').remove(b'_').remove(b'~');

/// The textures that were converted so far.
pub(super) struct Textures<'a> {
    scene: &'a Scene,
    folder: &'a Folder<'a>,
    /// The texture of the document per FBX texture; `None` if its picture is missing.
    known: HashMap<u32, Option<usize>>,
    /// The image of the document per file name or embedded picture.
    images: HashMap<String, Option<usize>>,
}

impl<'a> Textures<'a> {
    pub fn new(scene: &'a Scene, folder: &'a Folder<'a>) -> Self {
        Self { scene, folder, known: HashMap::new(), images: HashMap::new() }
    }

    /// Returns the reference of a material to a texture; `None` if there is no picture.
    pub fn reference(
        &mut self,
        texture: &Texture,
        material: &Material,
        draft: &mut Draft,
        warnings: &mut Warnings,
    ) -> Result<Option<Value>, ImportError> {
        let Some(file) = texture.file_textures.into_iter().next() else { return Ok(None) };
        let Some(index) = self.texture(file, draft, warnings)? else { return Ok(None) };
        let mut reference = json!({ "index": index });
        let set = self.uv_set(file, material);
        if set > 0 {
            reference["texCoord"] = set.into();
        }
        if file.has_uv_transform {
            let name = draft.uses("KHR_texture_transform");
            reference["extensions"] = json!({ name: uv_transform(file) });
        }
        Ok(Some(reference))
    }

    /// Returns the index of the set of coordinates that a texture names; 0 if no mesh has it.
    fn uv_set(&self, texture: &Texture, material: &Material) -> usize {
        let uses = |mesh: &ufbx::Mesh| {
            mesh.materials.iter().any(|m| m.element.element_id == material.element.element_id)
        };
        let sets = self.scene.meshes.iter().filter(|mesh| uses(mesh));
        let place = |mesh: &ufbx::Mesh| {
            mesh.uv_sets.iter().take(UV_SETS).position(|set| *set.name == *texture.uv_set)
        };
        sets.map(|mesh| &**mesh).find_map(place).unwrap_or(0)
    }

    fn texture(
        &mut self,
        texture: &Texture,
        draft: &mut Draft,
        warnings: &mut Warnings,
    ) -> Result<Option<usize>, ImportError> {
        if let Some(known) = self.known.get(&texture.element.typed_id) {
            return Ok(*known);
        }
        let image = self.image(texture, draft, warnings)?;
        let index = image.map(|image| {
            let wrap = |mode| if mode == WrapMode::Clamp { CLAMP_TO_EDGE } else { REPEAT };
            let (wrap_s, wrap_t) = (wrap(texture.wrap_u), wrap(texture.wrap_v));
            let sampler = draft.push("samplers", json!({ "wrapS": wrap_s, "wrapT": wrap_t }));
            let name = &*texture.element.name;
            draft.push("textures", json!({ "name": name, "source": image, "sampler": sampler }))
        });
        self.known.insert(texture.element.typed_id, index);
        Ok(index)
    }

    fn image(
        &mut self,
        texture: &Texture,
        draft: &mut Draft,
        warnings: &mut Warnings,
    ) -> Result<Option<usize>, ImportError> {
        let content = match (&*texture.content, &texture.video) {
            ([], Some(video)) => &*video.content,
            (content, _) => content,
        };
        let paths = [&*texture.relative_filename, &*texture.filename, &*texture.absolute_filename];
        let name = paths.iter().find(|path| !path.is_empty()).copied().unwrap_or_default();
        let is_absolute = name.starts_with(['/', '\\']);
        let parts: Vec<&str> = name.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
        let name = if is_absolute { String::new() } else { parts.join("/") };
        let short = parts.last().copied().unwrap_or_default().to_owned();
        let key = match content {
            [] => format!("{name} {short}"),
            bytes => format!("{:p} {}", bytes.as_ptr(), bytes.len()),
        };
        if let Some(known) = self.images.get(&key) {
            return Ok(*known);
        }
        let index = match content {
            [] => self.beside(&name, &short, draft, warnings),
            bytes => match mime_type(bytes) {
                Some(kind) => {
                    let over =
                        |over| ImportError::over_budget(&format!("image {}", quoted(&short)), over);
                    let view = draft.blob(bytes).map_err(over)?;
                    let image = json!({ "name": short, "bufferView": view, "mimeType": kind });
                    Some(draft.push("images", image))
                }
                None => {
                    warn_of_format(&short, warnings);
                    None
                }
            },
        };
        self.images.insert(key, index);
        Ok(index)
    }

    /// Finds a picture in the model's folder: where the file says, or by its name alone, since the paths in
    /// files are often those of another machine.
    fn beside(
        &self,
        name: &str,
        short: &str,
        draft: &mut Draft,
        warnings: &mut Warnings,
    ) -> Option<usize> {
        if short.is_empty() {
            return None;
        }
        let parents: Vec<&str> = name.rsplit('/').skip(1).take(1).collect();
        let places = [
            name.to_owned(),
            short.to_owned(),
            parents.iter().map(|parent| format!("{parent}/{short}")).collect(),
            format!("textures/{short}"),
            format!("Textures/{short}"),
        ];
        let head = |place: &String| {
            let uri = utf8_percent_encode(place, PATH).to_string();
            let head = self.folder.fetch(&uri, 16).ok()?.bytes;
            Some((uri, head))
        };
        let Some((uri, head)) = places.iter().filter(|place| !place.is_empty()).find_map(head)
        else {
            let message = format!(
                "picture {} is not in the model's folder: its material is drawn without it",
                quoted(short)
            );
            warnings.add(WarningCode::ImageMissing, "", message);
            return None;
        };
        if mime_type(&head).is_none() {
            warn_of_format(short, warnings);
            return None;
        }
        Some(draft.push("images", json!({ "name": short, "uri": uri })))
    }
}

/// Warns of a picture that glTF can't contain.
fn warn_of_format(name: &str, warnings: &mut Warnings) {
    let message = format!(
        "picture {} is neither PNG nor JPEG: its material is drawn without it; convert it to PNG",
        quoted(name)
    );
    warnings.add(WarningCode::NotShown, "", message);
}

/// Returns the media type of a picture that glTF allows.
fn mime_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        _ => None,
    }
}

/// Converts a transform of coordinates whose V points up to one whose V points down.
fn uv_transform(texture: &Texture) -> Value {
    let m = &texture.uv_to_texture;
    let (a, b, c, d) = (m.m00, m.m01, m.m10, m.m11);
    let rotation = c.atan2(a);
    let scale = [a.hypot(c), d * rotation.cos() - b * rotation.sin()];
    let offset = [b + m.m03, 1.0 - d - m.m13];
    let narrow = |x: f64| finite(x, &mut 0);
    json!({
        "offset": offset.map(narrow), "rotation": narrow(rotation), "scale": scale.map(narrow),
    })
}
