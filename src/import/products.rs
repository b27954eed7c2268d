//! What a file's things multiply to, charged before it is made: lists of next to nothing, nodes that
//! share a mesh, and what drawing takes beside the model.

use std::collections::HashSet;

use super::document::Document;
use super::fault::ImportError;
use super::node::Nodes;
use crate::anim::Skin;
use crate::model::{AlphaMode, Budget, Material, Mesh, Model, MorphTarget, OverBudget, Primitive};

/// Bytes that an item of each list takes whatever it says, with what is made of it for a pose.
const ITEMS: [(&str, usize); 11] = [
    ("accessors", 512),
    ("animations", 1024),
    ("bufferViews", 128),
    ("cameras", 256),
    ("images", 384),
    ("materials", 3 * size_of::<Material>()),
    ("meshes", 1024),
    ("nodes", 512),
    ("scenes", 128),
    ("skins", 512),
    ("textures", 256),
];

/// Poses of one model that there are at the same time: at rest, shown, and two that are mixed.
const POSES: usize = 4;

/// Bytes that visiting a primitive at a node, a joint of it or a morph target counts as. Nothing is
/// allocated for a visit, but every pose pays it.
const VISIT: usize = 64;

/// Bytes that a draw takes in a frame: commands for every pass, bindings, and what a software adapter
/// keeps of them until it is drawn.
const DRAW: usize = 24 << 10;

/// Bytes that a place of a rigid primitive takes in a frame.
const PLACE: usize = 512;

/// Bytes that a material takes on the GPU: three uniforms, and its bindings.
const GPU_MATERIAL: usize = 4096;

/// Charges the lists of a document.
pub(super) fn charge_lists(document: &Document, budget: &Budget) -> Result<(), ImportError> {
    for (list, size) in ITEMS {
        let taken = budget.take(document.count(list), size);
        taken.map_err(|e| ImportError::new(&format!("/{list}"), e.to_string()))?;
    }
    Ok(())
}

/// Charges the morph weights of all nodes, and what visiting all primitives of all nodes takes.
pub(super) fn charge_nodes(
    nodes: &Nodes,
    (meshes, skins): (&[Mesh], &[Skin]),
    budget: &Budget,
) -> Result<(), ImportError> {
    let mut seen = HashSet::new();
    let (mut weights, mut visits) = (0usize, 0usize);
    for node in &nodes.list {
        let Some(mesh) = node.mesh else { continue };
        let primitives = &meshes[mesh].primitives;
        weights = weights.saturating_add(meshes[mesh].weights.len());
        visits = visits.saturating_add(primitives.len());
        let targets = primitives.iter().map(|p| p.targets.len()).sum::<usize>();
        visits = visits.saturating_add(targets / VISIT);
        // Nodes of one mesh and one skin are at the same place.
        if let Some(skin) = node.skin.filter(|skin| seen.insert((mesh, *skin))) {
            let most = skins[skin].joints.len();
            let joints = primitives.iter().map(|p| p.bounds.joints.len().min(most));
            visits = visits.saturating_add(joints.sum());
        }
    }
    let taken = budget.take(weights, POSES * size_of::<f32>());
    taken.and_then(|()| budget.holds(visits, VISIT)).map_err(|e| named("the meshes of its nodes", &e))
}

/// Charges what drawing a model takes: its twin on the GPU, and the draws of a frame. Nodes count
/// whatever scene they are in.
pub(super) fn charge_drawing(
    model: &Model,
    materials: &[Material],
    budget: &Budget,
) -> Result<(), ImportError> {
    let primitives = model.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let twin = primitives.map(twin_bytes).fold(0, usize::saturating_add);
    let drawing = budget
        .take(materials.len(), GPU_MATERIAL)
        .and_then(|()| budget.take(twin, 1))
        .and_then(|()| charge_draws(model, materials, budget));
    drawing.map_err(|e| named("drawing it", &e))
}

fn charge_draws(
    model: &Model,
    materials: &[Material],
    budget: &Budget,
) -> Result<(), OverBudget> {
    let mut shared = HashSet::new();
    let (mut draws, mut places, mut morphs) = (0usize, 0usize, 0usize);
    for node in &model.nodes {
        let Some(mesh) = node.mesh else { continue };
        for (i, primitive) in model.meshes[mesh].primitives.iter().enumerate() {
            let parts = primitive.parts.len();
            let skinned = node.skin.is_some() && primitive.influences.is_some();
            // Opaque rigid ones are drawn together, wherever they are.
            let together = !skinned && primitive.targets.is_empty() && is_opaque(primitive, materials);
            if !together || shared.insert((mesh, i)) {
                draws = draws.saturating_add(parts);
            }
            places = places.saturating_add(node.instances.len().max(1));
            morphs = morphs.saturating_add(primitive.targets.len());
        }
    }
    budget.take(draws, DRAW)?;
    budget.take(places, PLACE)?;
    budget.take(morphs, 4 * size_of::<f32>())
}

/// Whether every material that a primitive may have is drawn in any order.
fn is_opaque(primitive: &Primitive, materials: &[Material]) -> bool {
    let opaque = |m: &Material| !m.is_transmissive() && m.alpha_mode != AlphaMode::Blend;
    primitive.materials().all(|material| materials.get(material).is_none_or(opaque))
}

/// Bytes of a primitive on the GPU. Morph targets pass through a list that is uploaded whole.
fn twin_bytes(primitive: &Primitive) -> usize {
    let influences = primitive.influences.as_ref().map_or(0, |i| size_of_val(&i.list[..]));
    let kinds = |target: &MorphTarget| {
        usize::from(!target.positions.is_empty())
            + usize::from(!target.normals.is_empty())
            + usize::from(!target.tangents.is_empty())
            + usize::from(!target.uvs.is_empty())
            + usize::from(!target.colors.is_empty())
    };
    let kinds = primitive.targets.iter().map(kinds).max().unwrap_or(0);
    let deltas = kinds * primitive.targets.len() * 3 * size_of::<[f32; 4]>();
    let own = size_of_val(&primitive.vertices[..]) + size_of_val(&primitive.indices[..]);
    own.saturating_add(influences)
        .saturating_add(primitive.vertices.len().saturating_mul(deltas))
}

fn named(what: &str, over: &OverBudget) -> ImportError {
    ImportError::new("/nodes", format!("{what}: {over}"))
}
