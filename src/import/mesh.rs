//! Meshes and their primitives: attributes, targets, influences and indices brought together.

use super::ImportOptions;
use super::accessor::Accessors;
use super::attribute::{self, Attribute, BLANK};
use super::document::{At, Document};
use super::escape::quoted;
use super::fault::{ImportError, Warnings};
use super::influences::{self, Bindings, SmallestSkin};
use super::partition::{self, Cut, Order};
use super::{draco, extent, index, morph};
use crate::model::{
    AlphaMode, Influence, Material, Mesh, Mode, MorphTarget, Part, Primitive, PrimitiveBounds,
    Vertex,
};

/// What a mesh is drawn with: decided before meshes are read.
pub(super) struct Surroundings<'a> {
    /// The materials.
    pub materials: &'a [Material],
    /// For each mesh the smallest skin of the nodes that draw it, if any has one.
    pub skins: &'a [Option<SmallestSkin>],
    /// Joints a part may have.
    pub joint_limit: usize,
}

impl<'a> Surroundings<'a> {
    /// The surroundings under these options.
    pub fn new(
        materials: &'a [Material],
        skins: &'a [Option<SmallestSkin>],
        options: &ImportOptions,
    ) -> Self {
        let joint_limit = options.joint_limit.clamp(1, crate::anim::MAX_PALETTE_JOINTS);
        Self { materials, skins, joint_limit }
    }
}

/// Reads all meshes.
pub(super) fn read(
    document: &Document,
    accessors: &Accessors,
    around: &Surroundings,
    warnings: &mut Warnings,
) -> Result<Vec<Mesh>, ImportError> {
    let mut meshes = Vec::new();
    for (i, at) in document.list("meshes")?.iter().enumerate() {
        let skin = around.skins.get(i).and_then(Option::as_ref);
        let mut primitives = Vec::new();
        for at in at.list("primitives")? {
            accessors.progress().check()?;
            primitives.push(primitive(&at, skin, accessors, around, warnings)?);
        }
        if primitives.is_empty() {
            at.warn(warnings, "MESH_EMPTY", "it has no primitives, there is nothing to draw");
        }
        let (weights, target_names) = targets(at, &primitives, warnings)?;
        meshes.push(Mesh { name: at.name()?, primitives, weights, target_names });
        accessors.progress().mesh_done();
    }
    Ok(meshes)
}

/// A mesh's default weights, one a target, and its targets' names.
fn targets(
    at: &At,
    primitives: &[Primitive],
    warnings: &mut Warnings,
) -> Result<(Vec<f32>, Vec<String>), ImportError> {
    let counts = || primitives.iter().map(|p| p.targets.len());
    let (least, most) = (counts().min().unwrap_or(0), counts().max().unwrap_or(0));
    if least != most {
        let message = format!("its primitives have {least} to {most} morph targets");
        at.warn(warnings, "TARGETS_DIFFER", message);
    }
    let mut weights = at.number_list("weights")?.unwrap_or_else(|| vec![0.0; most]);
    if weights.len() != most {
        let message = format!("{} weights for {most} morph targets", weights.len());
        at.warn(warnings, "WEIGHTS_COUNT", message);
        weights.resize(most, 0.0);
    }
    // A convention, not the specification: what is no list of strings is no list of names.
    let names = at.value.get("extras").and_then(|e| e.get("targetNames"));
    let names = names.and_then(|n| n.as_array()).map_or(&[][..], Vec::as_slice);
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
    let mut attributes = attribute::list(&at.required("attributes")?, accessors)?;
    let mut named = index::named(at, accessors)?;
    let decoded = draco::replace(at, mode, &mut attributes, &mut named, accessors, warnings)?;
    let listed = if decoded { Mode::Triangles } else { mode };
    let names: Vec<String> = attributes.iter().map(|a| a.name.to_owned()).collect();
    let count = match attribute::find(&attributes, "POSITION") {
        Some(position) => position.accessor.count,
        None => {
            at.warn(warnings, "NO_POSITION", "no POSITION, so it is not drawn");
            0
        }
    };
    let drawn = attribute::find(&attributes, "POSITION").is_some();
    let attributes = if drawn { attributes } else { Vec::new() };
    check(&attributes, count, warnings)?;
    super::extension::check_mappings(at)?;
    check_texture_coordinates(at, &attributes, material, around, warnings);

    accessors.charge(at, count, size_of::<Vertex>())?;
    let mut vertices = vec![BLANK; count];
    fill(&attributes, accessors, &mut vertices, warnings)?;
    let has_normals = attribute::find(&attributes, "NORMAL").is_some();
    let (targets, bindings, indices) = if drawn {
        (
            morph::read(at, count, has_normals, accessors, warnings)?,
            influences::read(&attributes, count, skin, accessors, warnings)?,
            index::read(at, named, listed, count, accessors, warnings)?,
        )
    } else {
        Default::default()
    };
    let corners = mode.topology().corners();
    let indices = leave_out_odd(at, indices, corners, &vertices, warnings);

    let mut primitive = Primitive {
        mode,
        attributes: names,
        source_vertices: count as u32,
        source_influences: bindings.as_ref().map_or(0, |b| b.most as u32),
        material,
        vertices,
        source_vertex: None,
        influences: None,
        targets,
        parts: vec![Part {
            joints: Vec::new(),
            indices: 0..indices.len() as u32,
            vertices: 0..count as u32,
        }],
        indices,
        bounds: PrimitiveBounds::default(),
    };
    if let Some(bindings) = bindings {
        let order = match material.and_then(|m| around.materials.get(m)).map(|m| m.alpha_mode) {
            Some(AlphaMode::Blend) => Order::Kept,
            _ => Order::Free,
        };
        bind(&mut primitive, at, &bindings, order, around.joint_limit, accessors)?;
    }
    primitive.bounds = PrimitiveBounds::of(&primitive);
    Ok(primitive)
}

/// Checks that all attributes have an entry a vertex, and warns of those that nobody knows.
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
            return Err(attribute.at.error(message));
        }
        let (stem, set) = match attribute.name.rsplit_once('_') {
            Some((stem, digits)) if !stem.is_empty() => (stem, digits.parse::<u64>().ok()),
            _ => (attribute.name, None),
        };
        match (stem, set) {
            _ if attribute.name.starts_with('_') => {}
            ("POSITION" | "NORMAL" | "TANGENT", None) if stem == attribute.name => {}
            ("JOINTS" | "WEIGHTS" | "COLOR", Some(_)) => {}
            ("TEXCOORD", Some(0 | 1)) => {}
            ("TEXCOORD", Some(_)) => {
                let message = format!("attribute {name} is left out: sets 0 and 1 are read");
                attribute.at.warn(warnings, "TEXCOORD_UNREAD", message);
            }
            _ => {
                let message = format!("attribute {name} is unknown: left out");
                attribute.at.warn(warnings, "ATTRIBUTE_UNKNOWN", message);
            }
        }
    }
    Ok(())
}

/// Warns where a material's texture has no coordinates.
fn check_texture_coordinates(
    at: &At,
    attributes: &[Attribute],
    material: Option<usize>,
    around: &Surroundings,
    warnings: &mut Warnings,
) {
    let Some(material) = material.and_then(|m| around.materials.get(m)) else { return };
    for set in super::material::textures(material).map(|t| t.uv_set) {
        let name = format!("TEXCOORD_{set}");
        if !attributes.is_empty() && attribute::find(attributes, &name).is_none() {
            let message = format!("its material's texture needs {name}, read as 0");
            at.warn(warnings, "TEXCOORD_MISSING", message);
            return;
        }
    }
}

/// Copies all attributes that a vertex has room for.
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
                extent::check_positions(attribute, accessors, vertices, warnings)?;
            }
            "NORMAL" => attribute::copy_normals(attribute, accessors, vertices, warnings)?,
            "TANGENT" => attribute::copy_tangents(attribute, accessors, vertices, warnings)?,
            "TEXCOORD_0" => attribute::copy_uvs(attribute, 0, accessors, vertices, warnings)?,
            "TEXCOORD_1" => attribute::copy_uvs(attribute, 1, accessors, vertices, warnings)?,
            "COLOR_0" => attribute::copy_colors(attribute, accessors, vertices, warnings)?,
            _ => {}
        }
    }
    Ok(())
}

/// Leaves out elements with a corner that is nowhere.
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
    at.warn(
        warnings,
        "POSITION_NOT_FINITE",
        format!(
            "{odd} of {} positions are NaN or infinite: {left_out} of {all} elements left out",
            vertices.len()
        ),
    );
    indices
}

/// Gives a primitive its influences, in parts where they need more than one palette.
fn bind(
    primitive: &mut Primitive,
    at: &At,
    bindings: &Bindings,
    order: Order,
    limit: usize,
    accessors: &Accessors,
) -> Result<(), ImportError> {
    let topology = primitive.mode.topology();
    accessors.charge(at, bindings.list.len(), size_of::<Influence>())?;
    let indices = std::mem::take(&mut primitive.indices);
    let Cut { parts, source_vertex, indices, influences } =
        partition::cut(bindings, indices, topology, limit, order);
    if let Some(sources) = &source_vertex {
        let targets: usize = primitive.targets.iter().map(entries_per_vertex).sum();
        let size = size_of::<Vertex>() + targets * size_of::<[f32; 3]>();
        accessors.charge(at, sources.len(), size)?;
        primitive.vertices = gather(&primitive.vertices, sources);
        for target in &mut primitive.targets {
            target.positions = gather(&target.positions, sources);
            target.normals = gather(&target.normals, sources);
        }
    }
    primitive.parts = parts;
    primitive.source_vertex = source_vertex;
    primitive.indices = indices;
    primitive.influences = Some(influences);
    Ok(())
}

fn entries_per_vertex(target: &MorphTarget) -> usize {
    usize::from(!target.positions.is_empty()) + usize::from(!target.normals.is_empty())
}

/// The entries of these numbers; an empty list stays empty.
fn gather<T: Copy>(list: &[T], numbers: &[u32]) -> Vec<T> {
    numbers.iter().filter_map(|i| list.get(*i as usize)).copied().collect()
}

/// Whether a mesh has a primitive that joints can move.
pub(super) fn is_skinned(mesh: &Mesh) -> bool {
    mesh.primitives.iter().any(|p| p.influences.is_some())
}
