//! Meshes and their primitives: combines attributes, morph targets, influences and indices.

use rayon::prelude::*;

use super::accessor::Accessors;
use super::attribute::{self, Attribute, BLANK};
use super::draco::{self, Geometry};
use super::fault::{ImportError, Warnings};
use super::influences::{self, Bindings, SmallestSkin};
use super::options::{ImageDecoding, ImportOptions};
use super::partition::{self, Cut, Order, Rules};
use super::{index, morph, tangent, variant};
use rigview_document::{At, Document};
use rigview_model::{
    AlphaMode, Influence, Material, Mesh, Mode, PalettePart, Primitive, PrimitiveBounds, Source,
    TextureRef, TextureSlot, Vertex, WarningCode, quoted,
};

/// Bytes per vertex while bounds are computed.
const BOUND_BYTES: usize = 16;

/// Bytes per primitive, besides its lists.
const PRIMITIVE_BYTES: usize = 1024;

/// The inputs to reading meshes that come from the rest of the file and the options.
pub(super) struct Surroundings<'a> {
    /// The materials.
    pub materials: &'a [Material],
    /// By mesh: the smallest skin of the nodes that draw it, if any has one.
    pub skins: &'a [Option<SmallestSkin>],
    /// The number of variants.
    pub variants: usize,
    /// Joints per part.
    pub joint_limit: usize,
    /// Whether the model will be drawn and so needs tangents.
    pub drawn: bool,
    /// Whether to keep the attributes that nothing draws.
    pub keep_undrawn: bool,
    /// Whether the file's format asks for weights that sum to 1.
    pub exact_sums: bool,
}

impl<'a> Surroundings<'a> {
    /// Combines the inputs with the options.
    pub fn new(
        materials: &'a [Material],
        skins: &'a [Option<SmallestSkin>],
        variants: usize,
        format: &str,
        options: &ImportOptions,
    ) -> Self {
        let joint_limit = options.joint_limit.clamp(1, rigview_anim::MAX_PALETTE_JOINTS);
        let drawn = options.images == ImageDecoding::Keep;
        let keep_undrawn = options.keep_undrawn;
        let exact_sums = format == Source::GLTF;
        Self { materials, skins, variants, joint_limit, drawn, keep_undrawn, exact_sums }
    }

    /// Returns a primitive's materials: its own, then those of variants.
    fn materials_of(&self, primitive: &Primitive) -> impl Iterator<Item = &Material> {
        primitive.materials().filter_map(|m| self.materials.get(m))
    }

    /// Returns the texture that a primitive's tangents follow, if one of its materials needs
    /// tangents.
    fn tangent_map(&self, primitive: &Primitive) -> Option<TextureRef> {
        let mut needing = self.materials_of(primitive).filter(|m| self.drawn && m.needs_tangents());
        needing.find_map(Material::tangent_map)
    }
}

/// Reads all meshes in parallel.
pub(super) fn read(
    document: &Document,
    accessors: &Accessors,
    around: &Surroundings,
    warnings: &mut Warnings,
) -> Result<Vec<Mesh>, ImportError> {
    let read = |(i, at): (usize, &At)| {
        let mut warnings = Warnings::default();
        let skin = around.skins.get(i).and_then(Option::as_ref);
        (mesh(at, skin, accessors, around, &mut warnings), warnings)
    };
    let places = document.list("meshes")?;
    let all: Vec<_> = places.par_iter().enumerate().map(read).collect();
    let mut meshes = Vec::with_capacity(all.len());
    for (mesh, found) in all {
        warnings.append(found);
        meshes.push(mesh?);
    }
    Ok(meshes)
}

/// Returns the materials of all primitives, including those of variants, with duplicates.
pub(super) fn drawn_materials(document: &Document) -> Result<Vec<usize>, ImportError> {
    let mut materials = Vec::new();
    for mesh in document.list("meshes")? {
        for primitive in mesh.list("primitives")? {
            materials.extend(primitive.index("material", "materials")?);
            materials.extend(variant::all_materials(&primitive)?);
        }
    }
    Ok(materials)
}

fn mesh(
    at: &At,
    skin: Option<&SmallestSkin>,
    accessors: &Accessors,
    around: &Surroundings,
    warnings: &mut Warnings,
) -> Result<Mesh, ImportError> {
    let mut primitives = Vec::new();
    let places = at.list("primitives")?;
    accessors.charge(at, places.len(), PRIMITIVE_BYTES)?;
    for at in places {
        accessors.progress().check()?;
        primitives.push(primitive(&at, skin, accessors, around, warnings)?);
    }
    if primitives.is_empty() {
        warnings.add_at(at, WarningCode::MeshEmpty, "it has no primitives: nothing to draw");
    }
    let (weights, target_names) = targets(at, &primitives, warnings)?;
    accessors.progress().mesh_done();
    Ok(Mesh { name: at.name()?, primitives, weights, target_names })
}

/// Returns a mesh's default weights, one per morph target, and the targets' names.
fn targets(
    at: &At,
    primitives: &[Primitive],
    warnings: &mut Warnings,
) -> Result<(Vec<f32>, Vec<String>), ImportError> {
    let counts = || primitives.iter().map(|p| p.targets.len());
    let (least, most) = (counts().min().unwrap_or(0), counts().max().unwrap_or(0));
    if least != most {
        let message = format!("its primitives have {least} to {most} morph targets");
        warnings.add_at(at, WarningCode::TargetsDiffer, message);
    }
    let mut weights = at.number_list("weights")?.unwrap_or_else(|| vec![0.0; most]);
    if weights.len() != most {
        let message = format!("{} weights for {most} morph targets", weights.len());
        warnings.add_at(at, WarningCode::WeightsCount, message);
        weights.resize(most, 0.0);
    }
    // `targetNames` is a convention: anything but a list of strings is ignored.
    let names = at.value.get("extras").and_then(|e| e.get("targetNames"));
    let names = names.and_then(|n| n.as_array()).map_or(&[][..], Vec::as_slice);
    if names.len() > most && most > 0 {
        let message = format!(
            "{} names in extras.targetNames for {most} morph targets: the last {} are not used",
            names.len(),
            names.len() - most
        );
        warnings.add_at(at, WarningCode::TargetNamesMany, message);
    }
    let names = names.iter().take(most).map(|n| n.as_str().unwrap_or_default().to_owned());
    Ok((weights, names.collect()))
}

fn primitive(
    at: &At,
    skin: Option<&SmallestSkin>,
    accessors: &Accessors,
    around: &Surroundings,
    warnings: &mut Warnings,
) -> Result<Primitive, ImportError> {
    let mode = index::mode(at)?;
    let material = at.index("material", "materials")?;
    let mut geometry = Geometry {
        attributes: attribute::list(&at.required("attributes")?, accessors)?,
        indices: index::named(at, accessors)?,
    };
    let decoded = draco::replace(at, mode, &mut geometry, accessors, warnings)?;
    let Geometry { attributes, indices } = geometry;
    let listed = if decoded { Mode::Triangles } else { mode };
    let names: Vec<String> = attributes.iter().map(|a| a.name.to_owned()).collect();
    let count = match attribute::find(&attributes, "POSITION") {
        Some(position) => position.accessor.count,
        None => {
            warnings.add_at(at, WarningCode::NoPosition, "it has no POSITION: not drawn");
            0
        }
    };
    let positions = attribute::find(&attributes, "POSITION");
    let drawn = positions.is_some();
    let source_positions = positions.map(|at| at.accessor.index).filter(|_| !decoded);
    let attributes = if drawn { attributes } else { Vec::new() };
    check(&attributes, count, warnings)?;
    let variants = variant::materials(at, around.variants, warnings)?;
    check_texture_coordinates(at, &attributes, material, around, warnings);
    check_tangents(at, &attributes, material, around, warnings);

    accessors.charge(at, count, size_of::<Vertex>())?;
    let mut vertices = vec![BLANK; count];
    fill(&attributes, accessors, &mut vertices, warnings)?;
    let undrawn = match around.keep_undrawn {
        true => attribute::undrawn(&attributes, accessors)?,
        false => Vec::new(),
    };
    let elements = index::Elements { mode: listed, indices, vertices: count };
    let (targets, mut bindings, indices) = if drawn {
        (
            morph::read(at, count, &attributes, accessors, warnings)?,
            influences::read(&attributes, count, skin, around.exact_sums, accessors, warnings)?,
            index::read(at, elements, accessors, warnings)?,
        )
    } else {
        Default::default()
    };
    let corners = mode.topology().corners();
    let indices = leave_out_odd(at, indices, corners, &vertices, warnings);

    let mut primitive = Primitive {
        mode,
        attributes: names,
        integer_uvs: ["TEXCOORD_0", "TEXCOORD_1"]
            .map(|name| attribute::find(&attributes, name).is_some_and(|of| !of.is_float())),
        source_vertices: count as u32,
        source_positions,
        source_influences: bindings.as_ref().map_or(0, |b| b.most as u32),
        material,
        variant_materials: variants.iter().map(|of| (of.variant, of.material)).collect(),
        variant_mappings: variants.iter().map(|of| of.mapping).collect(),
        vertices,
        source_vertex: None,
        influences: None,
        cut_joints: bindings.as_mut().map(|b| std::mem::take(&mut b.cut)).unwrap_or_default(),
        weight_sums: bindings.as_mut().map(|b| std::mem::take(&mut b.sums)).unwrap_or_default(),
        targets,
        undrawn,
        parts: vec![PalettePart {
            joints: Vec::new(),
            indices: 0..indices.len() as u32,
            vertices: 0..count as u32,
        }],
        indices,
        bounds: PrimitiveBounds::default(),
    };
    complete(&mut primitive, at, bindings, around, accessors, warnings)?;
    Ok(primitive)
}

/// Adds what is computed of a primitive's vertices: tangents, parts by joints, bounds.
fn complete(
    primitive: &mut Primitive,
    at: &At,
    mut bindings: Option<Bindings>,
    around: &Surroundings,
    accessors: &Accessors,
    warnings: &mut Warnings,
) -> Result<(), ImportError> {
    if let Some(map) = around.tangent_map(primitive) {
        tangent::add(at, primitive, bindings.as_mut(), &map, accessors, warnings)?;
    }
    if let Some(bindings) = bindings {
        let blends = |m: &Material| m.alpha_mode == AlphaMode::Blend;
        let blends = around.materials_of(primitive).any(blends);
        let order = if blends { Order::Kept } else { Order::Free };
        let rules = Rules { joint_limit: around.joint_limit, order };
        bind(primitive, at, &bindings, rules, accessors)?;
    }
    // Computing the bounds lists every drawn vertex.
    let room = accessors.budget().holds(primitive.vertices.len(), BOUND_BYTES);
    room.map_err(|e| ImportError::over_budget_at(at, e))?;
    primitive.bounds = PrimitiveBounds::measure(primitive);
    Ok(())
}

/// Fails unless all attributes have one entry per vertex; warns of those that are not supported.
fn check(
    attributes: &[Attribute],
    vertices: usize,
    warnings: &mut Warnings,
) -> Result<(), ImportError> {
    for attribute in attributes {
        let count = attribute.accessor.count;
        let name = quoted(attribute.name);
        if count != vertices {
            let message = format!("attribute {name} has {count} entries for {vertices} vertices");
            return Err(attribute.at.error(message).into());
        }
        match attribute::semantic(attribute.name) {
            _ if attribute.name.starts_with('_') => {}
            ("POSITION" | "NORMAL" | "TANGENT", None) => {}
            ("JOINTS" | "WEIGHTS", Some(_)) | ("COLOR", Some(0)) | ("TEXCOORD", Some(0 | 1)) => {}
            ("TEXCOORD", Some(_)) => {
                let message =
                    format!("attribute {name} is left out: only sets 0 and 1 are supported");
                warnings.add_at(&attribute.at, WarningCode::TexcoordUnread, message);
            }
            ("COLOR", Some(_)) => {
                let message = format!("attribute {name} is left out: only set 0 is supported");
                warnings.add_at(&attribute.at, WarningCode::ColorUnread, message);
            }
            _ => {
                let message = format!("attribute {name} is unknown: left out");
                warnings.add_at(&attribute.at, WarningCode::AttributeUnknown, message);
            }
        }
    }
    Ok(())
}

/// Warns if a material's texture has no coordinates.
fn check_texture_coordinates(
    at: &At,
    attributes: &[Attribute],
    material: Option<usize>,
    around: &Surroundings,
    warnings: &mut Warnings,
) {
    let Some(material) = material.and_then(|m| around.materials.get(m)) else { return };
    for set in material.textures.iter().map(|(_, t)| t.uv_set) {
        let name = format!("TEXCOORD_{set}");
        if !attributes.is_empty() && attribute::find(attributes, &name).is_none() {
            let message = format!("its material's texture needs {name}: read as 0");
            warnings.add_at(at, WarningCode::TexcoordMissing, message);
            return;
        }
    }
}

/// Warns if a material needs tangents, and there are neither any nor a normal map to derive them from.
fn check_tangents(
    at: &At,
    attributes: &[Attribute],
    material: Option<usize>,
    around: &Surroundings,
    warnings: &mut Warnings,
) {
    let Some(material) = material.and_then(|m| around.materials.get(m)) else { return };
    let has = |name: &str| attribute::find(attributes, name).is_some();
    if material.needs_tangents()
        && material.textures[TextureSlot::Normal].is_none()
        && !attributes.is_empty()
        && !(has("NORMAL") && has("TANGENT"))
    {
        let called = match material.anisotropy {
            Some(_) => "an anisotropic material",
            None => "a normal map of the clearcoat",
        };
        let set = material.tangent_map().map_or(0, |map| map.uv_set);
        let uv = format!("TEXCOORD_{set}");
        let message = match has(&uv) {
            true => format!("{called} needs TANGENT: the direction follows {uv}"),
            false => format!("{called} needs TANGENT or {uv}: the direction is arbitrary"),
        };
        warnings.add_at(at, WarningCode::TangentMissing, message);
    }
}

/// Copies all attributes that [`Vertex`] holds.
fn fill(
    attributes: &[Attribute],
    accessors: &Accessors,
    vertices: &mut [Vertex],
    warnings: &mut Warnings,
) -> Result<(), ImportError> {
    for attribute in attributes {
        match attribute.name {
            "POSITION" => {
                attribute::copy_positions(attribute, accessors, vertices, warnings)?;
                attribute::check_positions(attribute, accessors, vertices, warnings)?;
            }
            "NORMAL" => attribute::copy_normals(attribute, accessors, vertices, warnings)?,
            // "When normals are not specified, [...] the provided tangents MUST be ignored."
            "TANGENT" if attribute::find(attributes, "NORMAL").is_none() => {}
            "TANGENT" => attribute::copy_tangents(attribute, accessors, vertices, warnings)?,
            "TEXCOORD_0" => attribute::copy_uvs(attribute, 0, accessors, vertices, warnings)?,
            "TEXCOORD_1" => attribute::copy_uvs(attribute, 1, accessors, vertices, warnings)?,
            "COLOR_0" => attribute::copy_colors(attribute, accessors, vertices, warnings)?,
            _ => {}
        }
    }
    Ok(())
}

/// Leaves out elements with a corner whose position is NaN or infinite.
fn leave_out_odd(
    at: &At,
    mut indices: Vec<u32>,
    corners: usize,
    vertices: &[Vertex],
    warnings: &mut Warnings,
) -> Vec<u32> {
    let is_odd = |v: &Vertex| !v.position.iter().all(|x| x.is_finite());
    if !vertices.iter().any(is_odd) {
        return indices;
    }
    let all = indices.len() / corners;
    indices = indices
        .chunks_exact(corners)
        .filter(|element| !element.iter().any(|i| is_odd(&vertices[*i as usize])))
        .flatten()
        .copied()
        .collect();
    let odd = vertices.iter().filter(|v| is_odd(v)).count();
    let left_out = all - indices.len() / corners;
    warnings.add_at(
        at,
        WarningCode::PositionNotFinite,
        format!(
            "{odd} of {} positions are NaN or infinite: {left_out} of {all} elements left out",
            vertices.len()
        ),
    );
    indices
}

/// Assigns influences to a primitive and cuts it into parts if they need more than one palette.
fn bind(
    primitive: &mut Primitive,
    at: &At,
    bindings: &Bindings,
    rules: Rules,
    accessors: &Accessors,
) -> Result<(), ImportError> {
    let topology = primitive.mode.topology();
    accessors.charge(at, bindings.list.len(), size_of::<Influence>())?;
    let indices = std::mem::take(&mut primitive.indices);
    let Cut { parts, source_vertex, indices, influences } =
        partition::cut(bindings, indices, topology, rules);
    if let Some(sources) = &source_vertex {
        let deltas = morph::bytes_a_vertex(&primitive.targets);
        accessors.charge(at, sources.len(), size_of::<Vertex>() + deltas)?;
        primitive.vertices = index::gather(&primitive.vertices, sources);
        morph::renumber(&mut primitive.targets, sources);
    }
    primitive.parts = parts;
    primitive.source_vertex = match (source_vertex, primitive.source_vertex.take()) {
        (Some(cut), Some(before)) => Some(index::gather(&before, &cut)),
        (cut, before) => cut.or(before),
    };
    primitive.indices = indices;
    primitive.influences = Some(influences);
    Ok(())
}
