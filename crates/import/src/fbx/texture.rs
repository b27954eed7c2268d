//! Textures: pictures inside the file, or beside it in the model's folder.

use std::collections::HashMap;
use std::slice::from_ref;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use ufbx::{Material, Scene, Texture, WrapMode};

use super::raster::{Raster, combined, grey};
use super::scene::finite;
use crate::draft::Draft;
use crate::fault::{ImportError, Warnings};
use crate::files::Folder;
use rigview_model::{WarningCode, quoted};

/// Largest picture file that is decoded here, in bytes.
const LARGEST_PICTURE: u64 = 1 << 28;

const REPEAT: u32 = 10497;
const CLAMP_TO_EDGE: u32 = 33071;

/// Folders of a path in which a picture is looked for, at most.
const FOLDERS: usize = 4;

/// Sets of texture coordinates that meshes are given.
pub(super) const UV_SETS: usize = 8;

/// Sets of texture coordinates that are drawn.
const DRAWN_UV_SETS: usize = 2;

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
    /// The texture of the document that was put together from two FBX textures.
    combined: HashMap<(Combination, [Option<u32>; 2]), Option<usize>>,
}

/// What is put together from the pictures of two textures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Combination {
    /// Roughness in green, from the first picture, and metalness in blue, from the second.
    RoughnessMetalness,
    /// The same with smoothness in the first picture.
    SmoothnessMetalness,
    /// Colour from the first picture, alpha from the second.
    ColorOpacity,
    /// Colour from the first picture; the second is black where it is opaque, unless it has an alpha channel.
    ColorTransparency,
}

impl<'a> Textures<'a> {
    pub fn new(scene: &'a Scene, folder: &'a Folder<'a>) -> Self {
        Self {
            scene,
            folder,
            known: HashMap::new(),
            images: HashMap::new(),
            combined: HashMap::new(),
        }
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
        Ok(Some(self.reference_to(index, file, material, draft)))
    }

    /// Returns the reference to a texture of the document with the coordinates of an FBX texture.
    fn reference_to(
        &self,
        index: usize,
        file: &Texture,
        material: &Material,
        draft: &mut Draft,
    ) -> Value {
        let mut reference = json!({ "index": index });
        let set = self.uv_set(file, material);
        if set > 0 {
            reference["texCoord"] = set.into();
        }
        if file.has_uv_transform {
            let name = draft.uses("KHR_texture_transform");
            reference["extensions"] = json!({ name: uv_transform(file) });
        }
        reference
    }

    /// Returns the reference to a texture that is put together from the pictures of two; `None` if there are no pictures
    /// or they can't be decoded. It has the coordinates of the first texture that there is.
    pub fn combination(
        &mut self,
        how: Combination,
        textures: [Option<&Texture>; 2],
        material: &Material,
        draft: &mut Draft,
        warnings: &mut Warnings,
    ) -> Result<Option<Value>, ImportError> {
        let files = textures.map(|texture| -> Option<&Texture> {
            let file = texture?.file_textures.into_iter().next()?;
            Some(file)
        });
        let Some(first) = files.into_iter().flatten().next() else { return Ok(None) };
        let key = (how, files.map(|file| file.map(|file| file.element.typed_id)));
        let index = match self.combined.get(&key) {
            Some(known) => *known,
            None => {
                let made = self.combined_texture(how, files, draft, warnings)?;
                self.combined.insert(key, made);
                made
            }
        };
        Ok(index.map(|index| self.reference_to(index, first, material, draft)))
    }

    fn combined_texture(
        &self,
        how: Combination,
        files: [Option<&Texture>; 2],
        draft: &mut Draft,
        warnings: &mut Warnings,
    ) -> Result<Option<usize>, ImportError> {
        let budget = draft.budget();
        let mut raster = |file: Option<&Texture>| {
            let file = file?;
            let bytes = self.bytes(file)?;
            let decoded = Raster::decode(&bytes, budget);
            decoded.inspect_err(|reason| warn_of_broken(file, reason, warnings)).ok()
        };
        let pictures = files.map(&mut raster);
        let [a, b] = &pictures;
        let is_needed = match how {
            Combination::RoughnessMetalness | Combination::SmoothnessMetalness => {
                a.is_some() || b.is_some()
            }
            Combination::ColorOpacity | Combination::ColorTransparency => b.is_some(),
        };
        if !is_needed {
            return Ok(None);
        }
        let is_smooth = a.is_some();
        let by_alpha = b.as_ref().is_some_and(Raster::has_alpha);
        let made = combined([a.as_ref(), b.as_ref()], |a, b| match how {
            Combination::RoughnessMetalness => [255, grey(a), grey(b), 255],
            Combination::SmoothnessMetalness if is_smooth => [255, 255 - grey(a), grey(b), 255],
            Combination::SmoothnessMetalness => [255, 255, grey(b), 255],
            Combination::ColorOpacity if !by_alpha => [a[0], a[1], a[2], grey(b)],
            Combination::ColorTransparency if !by_alpha => [a[0], a[1], a[2], 255 - grey(b)],
            _ => [a[0], a[1], a[2], b[3]],
        });
        let names: Vec<String> =
            files.into_iter().flatten().map(|file| place(file).short).collect();
        let name = names.join(" + ");
        let over = |over| ImportError::over_budget(&format!("image {}", quoted(&name)), over);
        let Ok(bytes) = made else { return Ok(None) };
        let view = draft.blob(&bytes).map_err(over)?;
        let image = json!({ "name": name, "bufferView": view, "mimeType": "image/png" });
        let image = draft.push("images", image);
        let Some(first) = files.into_iter().flatten().next() else { return Ok(None) };
        Ok(Some(push_texture(first, image, draft)))
    }

    /// Returns the bytes of a texture's picture; `None` if there is none in the file or the model's folder.
    fn bytes(&self, texture: &Texture) -> Option<Vec<u8>> {
        match content(texture) {
            [] => {
                let (uri, _) = self.find_beside(&place(texture))?;
                Some(self.folder.fetch(&uri, LARGEST_PICTURE).ok()?.bytes)
            }
            bytes => Some(bytes.to_vec()),
        }
    }

    /// Whether the picture of a texture has an alpha channel.
    pub fn has_alpha(&self, texture: &Texture) -> bool {
        let file = texture.file_textures.into_iter().next();
        let bytes = file.and_then(|file| self.bytes(file)).unwrap_or_default();
        // The colour type of a PNG; transparent entries of a palette are a chunk before the pixels.
        let is_png = mime_type(&bytes) == Some("image/png");
        let head = &bytes[..bytes.len().min(4096)];
        is_png && (matches!(bytes.get(25), Some(4 | 6)) || head.windows(4).any(|w| w == b"tRNS"))
    }

    /// Returns the index of the set of coordinates that a texture names; 0 if no mesh has it.
    fn uv_set(&self, texture: &Texture, material: &Material) -> usize {
        let uses = |mesh: &ufbx::Mesh| {
            mesh.materials.iter().any(|m| m.element.element_id == material.element.element_id)
        };
        let sets = self.scene.meshes.iter().filter(|mesh| uses(mesh));
        let place = |mesh: &ufbx::Mesh| {
            uv_order(mesh).iter().position(|set| *mesh.uv_sets[*set].name == *texture.uv_set)
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
        let index = image.map(|image| push_texture(texture, image, draft));
        self.known.insert(texture.element.typed_id, index);
        Ok(index)
    }

    fn image(
        &mut self,
        texture: &Texture,
        draft: &mut Draft,
        warnings: &mut Warnings,
    ) -> Result<Option<usize>, ImportError> {
        let content = content(texture);
        let at = place(texture);
        let Place { name, short, .. } = &at;
        let key = match content {
            [] => format!("{name} {short}"),
            bytes => format!("{:p} {}", bytes.as_ptr(), bytes.len()),
        };
        if let Some(known) = self.images.get(&key) {
            return Ok(*known);
        }
        let index = match content {
            [] => self.beside(&at, draft, warnings),
            bytes => match mime_type(bytes) {
                Some(kind) => {
                    let over =
                        |over| ImportError::over_budget(&format!("image {}", quoted(short)), over);
                    let view = draft.blob(bytes).map_err(over)?;
                    let image = json!({ "name": short, "bufferView": view, "mimeType": kind });
                    Some(draft.push("images", image))
                }
                None => {
                    warn_of_format(short, warnings);
                    None
                }
            },
        };
        self.images.insert(key, index);
        Ok(index)
    }

    /// Finds a picture in the model's folder: where the file says, in folders of the same names, or by its name alone,
    /// since the paths in files are often those of another machine. Names may differ in capitals.
    fn find_beside(&self, at: &Place) -> Option<(String, Vec<u8>)> {
        let Place { short, .. } = at;
        if short.is_empty() {
            return None;
        }
        let mut places = at.ends();
        places.extend(["textures", "Textures"].map(|folder| format!("{folder}/{short}")));
        let head = |place: &String| {
            let uri = utf8_percent_encode(place, PATH).to_string();
            let head = self.folder.fetch(&uri, 16).ok()?.bytes;
            Some((uri, head))
        };
        let other_case = |place: &String| head(&self.folder.in_other_case(place)?);
        places.iter().find_map(head).or_else(|| places.iter().find_map(other_case))
    }

    /// Adds a picture in the model's folder.
    fn beside(&self, at: &Place, draft: &mut Draft, warnings: &mut Warnings) -> Option<usize> {
        let short = &*at.short;
        if short.is_empty() {
            return None;
        }
        let Some((uri, head)) = self.find_beside(at) else {
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

/// The path of a picture in the file.
struct Place {
    /// With slashes; empty if it is absolute.
    name: String,
    /// Its last part.
    short: String,
    /// Its last folders, from outside.
    folders: Vec<String>,
}

impl Place {
    /// Returns the path, and what is left of it when folders are taken off its beginning.
    fn ends(&self) -> Vec<String> {
        let Self { name, short, folders } = self;
        let below = |first: usize| [&folders[first..], from_ref(short)].concat().join("/");
        let whole = Some(name.clone()).filter(|name| !name.is_empty());
        whole.into_iter().chain((0..=folders.len()).map(below)).collect()
    }
}

fn place(texture: &Texture) -> Place {
    let paths = [&*texture.relative_filename, &*texture.filename, &*texture.absolute_filename];
    let name = paths.iter().find(|path| !path.is_empty()).copied().unwrap_or_default();
    let is_absolute = name.starts_with(['/', '\\']);
    let parts: Vec<&str> = name.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
    let name = if is_absolute { String::new() } else { parts.join("/") };
    let short = parts.last().copied().unwrap_or_default().to_owned();
    let is_named = |part: &&&str| ![".", ".."].contains(*part) && !part.contains(':');
    let folders = parts.iter().rev().skip(1).take_while(is_named).take(FOLDERS);
    let mut folders: Vec<String> = folders.map(|part| (*part).to_owned()).collect();
    folders.reverse();
    Place { name, short, folders }
}

/// Returns the picture that the file contains; empty without one.
fn content(texture: &Texture) -> &[u8] {
    match (&*texture.content, &texture.video) {
        ([], Some(video)) => &video.content,
        (content, _) => content,
    }
}

/// Adds a texture of the document that shows an image as an FBX texture does.
fn push_texture(texture: &Texture, image: usize, draft: &mut Draft) -> usize {
    let wrap = |mode| if mode == WrapMode::Clamp { CLAMP_TO_EDGE } else { REPEAT };
    let (wrap_s, wrap_t) = (wrap(texture.wrap_u), wrap(texture.wrap_v));
    let sampler = draft.push("samplers", json!({ "wrapS": wrap_s, "wrapT": wrap_t }));
    let name = &*texture.element.name;
    draft.push("textures", json!({ "name": name, "source": image, "sampler": sampler }))
}

/// Returns the sets of texture coordinates of a mesh in their order in the document: as in the file, unless a texture
/// needs one that would not be drawn. Then those of textures come first.
pub(super) fn uv_order(mesh: &ufbx::Mesh) -> Vec<usize> {
    let mut order: Vec<usize> = (0..mesh.uv_sets.len()).collect();
    if order.len() > DRAWN_UV_SETS {
        let textures = mesh.materials.iter().flat_map(|material| &material.textures);
        let files = textures.flat_map(|texture| &texture.texture.file_textures);
        let names: Vec<&str> = files.map(|file| &*file.uv_set).collect();
        let is_used = |set: &usize| names.contains(&&*mesh.uv_sets[*set].name);
        if order.iter().skip(DRAWN_UV_SETS).any(is_used) {
            order.sort_by_key(|set| !is_used(set));
        }
    }
    order.truncate(UV_SETS);
    order
}

/// Warns of a picture that can't be put together with another one.
fn warn_of_broken(texture: &Texture, reason: &str, warnings: &mut Warnings) {
    let name = place(texture).short;
    let message = format!("picture {} can't be read: {reason}", quoted(&name));
    warnings.add(WarningCode::ImageMissing, "", message);
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
