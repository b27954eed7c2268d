//! Charges the budget for data whose size is a product of counts in the file: long lists of small
//! objects, many nodes with one mesh, and the GPU data needed to draw the model.

use std::collections::HashSet;

use super::fault::ImportError;
use super::node::Nodes;
use rigview_document::Document;
use rigview_model::{Budget, Material, Mesh, MeshDraws, Model, MorphTarget, OverBudget, Primitive};

/// Fixed bytes per item of each list, including what a pose needs for it.
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

/// Poses of one model that exist at the same time: at rest, shown, and two that are blended.
const POSES: usize = 4;

/// Bytes charged per visit of a primitive at a node, of one of its joints or of a morph target. A
/// visit allocates nothing, but costs time in every pose.
const VISIT: usize = 64;

/// Bytes per draw in a frame: commands of every pass, bindings, and what a software adapter keeps
/// of them until they are executed.
const DRAW: usize = 24 << 10;

/// Bytes per instance of a rigid primitive in a frame.
const PLACE: usize = 512;

/// Bytes per material on the GPU: three uniforms and the bindings.
const GPU_MATERIAL: usize = 4096;

/// Charges the items of all lists of a document.
pub(super) fn charge_lists(document: &Document, budget: &Budget) -> Result<(), ImportError> {
    for (list, size) in ITEMS {
        let taken = budget.take(document.count(list), size);
        taken.map_err(|over| over_at(&format!("/{list}"), "", over))?;
    }
    Ok(())
}

/// Charges the morph weights of all nodes, and the visits of all their primitives.
pub(super) fn charge_nodes(
    nodes: &Nodes,
    meshes: &[Mesh],
    budget: &Budget,
) -> Result<(), ImportError> {
    let visits_of = |mesh: &Mesh| {
        let targets = mesh.primitives.iter().map(|p| p.targets.len()).sum::<usize>();
        mesh.primitives.len().saturating_add(targets / VISIT)
    };
    let joints_of =
        |mesh: &Mesh| mesh.primitives.iter().map(|p| p.bounds.joints.len()).sum::<usize>();
    let of_meshes: Vec<_> = meshes.iter().map(|mesh| (visits_of(mesh), joints_of(mesh))).collect();
    let mut seen = HashSet::new();
    let (mut weights, mut visits) = (0usize, 0usize);
    for node in &nodes.list {
        let Some(mesh) = node.mesh else { continue };
        let (own, joints) = of_meshes[mesh];
        weights = weights.saturating_add(meshes[mesh].weights.len());
        visits = visits.saturating_add(own);
        // Nodes with the same mesh and skin share one pose.
        if node.skin.is_some_and(|skin| seen.insert((mesh, skin))) {
            visits = visits.saturating_add(joints);
        }
    }
    let taken = budget.take(weights, POSES * size_of::<f32>());
    taken
        .and_then(|()| budget.holds(visits, VISIT))
        .map_err(|e| named("the meshes of its nodes", e))
}

/// Charges the memory for drawing a model: its copy on the GPU and the draws of a frame. Nodes of
/// all scenes count.
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
    drawing.map_err(|e| named("drawing it", e))
}

fn charge_draws(model: &Model, materials: &[Material], budget: &Budget) -> Result<(), OverBudget> {
    let of_meshes: Vec<_> =
        model.meshes.iter().map(|mesh| MeshDraws::count(mesh, materials)).collect();
    let mut shared = HashSet::new();
    let (mut draws, mut places, mut targets) = (0usize, 0usize, 0usize);
    for node in &model.nodes {
        let Some(mesh) = node.mesh else { continue };
        let own = &of_meshes[mesh];
        let alone = if node.skin.is_some() { own.skinned } else { own.rigid };
        draws = draws.saturating_add(alone);
        if shared.insert((mesh, node.skin.is_some())) {
            draws = draws.saturating_add(own.all - alone);
        }
        places = places.saturating_add(own.primitives.saturating_mul(node.instances.len().max(1)));
        targets = targets.saturating_add(own.targets);
    }
    budget.take(draws, DRAW)?;
    budget.take(places, PLACE)?;
    budget.take(targets, 4 * size_of::<f32>())
}

/// Returns the bytes of a primitive on the GPU, including the staging list of its morph targets.
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
    own.saturating_add(influences).saturating_add(primitive.vertices.len().saturating_mul(deltas))
}

fn named(what: &str, over: OverBudget) -> ImportError {
    over_at("/nodes", what, over)
}

/// Creates an error at a JSON pointer.
fn over_at(pointer: &str, what: &str, over: OverBudget) -> ImportError {
    let mut error = ImportError::over_budget(what, over);
    error.move_to(pointer);
    error
}
