//! What stands on a scene's floor. Shadow map and ambient occlusion are fitted to it: fitted to a wide floor, they would
//! leave a character a few texels.

use rigview_model::{Aabb, Model, Stage};

/// Height of a floor, as a fraction of its width or depth.
const FLAT: f32 = 1e-3;

/// Height above the bottom of the scene up to which a floor may lie, as a fraction of the scene's height.
const LOW: f32 = 0.02;

/// Diagonal of what stands on a floor, as a fraction of that of the whole scene, from which on the floor counts too.
const NARROW: f32 = 0.5;

/// Returns the box of what is drawn without floors, which are level primitives at the bottom of `bounds`, the box of
/// everything drawn. Their shadow falls on nothing, and they need not be in the shadow map to receive one. Returns
/// `bounds` if nothing stands on a floor or the floor is not much wider than that.
pub fn standing_box(model: &Model, stage: &Stage, bounds: &Aabb) -> Aabb {
    let size = bounds.size();
    let floor_top = bounds.min.y + LOW * size.y;
    let is_floor = |own: &Aabb| {
        let own_size = own.size();
        own.max.y <= floor_top && own_size.y <= FLAT * own_size.x.max(own_size.z)
    };
    let visible = || stage.visible_once(model);
    let boxes = |node: usize| {
        let count = model.nodes[node].mesh.map_or(0, |mesh| model.meshes[mesh].primitives.len());
        (0..count).map(move |primitive| stage.primitive_bounds(model, node, primitive))
    };
    let mut rigid = visible().filter(|node| model.nodes[*node].skin.is_none());
    if !rigid.any(|node| boxes(node).any(|own| is_floor(&own))) {
        return *bounds;
    }
    let mut standing = Aabb::EMPTY;
    for own in visible().flat_map(boxes).filter(|own| !is_floor(own)) {
        // Boxes that overflow are ignored, as in `bounds`.
        if bounds.contains(&own) {
            standing.union(&own);
        }
    }
    let is_narrow = standing.size().length() < NARROW * size.length();
    if is_narrow && !standing.is_empty() { standing } else { *bounds }
}
