//! Nodes with skinned meshes: which skins are of use, and transforms that move nothing.

use glam::Affine3A;

use super::fault::{ImportError, Warnings};
use super::influences::SmallestSkin;
use super::node::Nodes;
use rigview_anim::Skin;
use rigview_document::Document;
use rigview_model::{Mesh, Node, WarningCode};

/// Finds, for each mesh, the skin with the fewest joints among the nodes that draw it.
pub(super) fn smallest_skins(
    nodes: &[Node],
    skins: &[Skin],
    meshes: usize,
) -> Vec<Option<SmallestSkin>> {
    let mut smallest: Vec<Option<usize>> = vec![None; meshes];
    for node in nodes {
        if let (Some(mesh), Some(skin)) = (node.mesh, node.skin) {
            let size = |skin: usize| skins[skin].joints.len();
            let now = &mut smallest[mesh];
            *now = Some(now.map_or(skin, |now| if size(skin) < size(now) { skin } else { now }));
        }
    }
    let found = smallest.into_iter().map(|skin| {
        skin.map(|skin| SmallestSkin {
            joints: skins[skin].joints.len(),
            title: match skins[skin].name.as_deref() {
                Some(name) if !name.is_empty() => format!("skin {}", rigview_model::quoted(name)),
                _ => format!("skin {skin}"),
            },
        })
    });
    found.collect()
}

/// Removes skins from nodes whose mesh has no joints, or that have no mesh.
pub(super) fn drop_idle_skins(
    document: &Document,
    nodes: &mut [Node],
    meshes: &[Mesh],
    warnings: &mut Warnings,
) -> Result<(), ImportError> {
    let skinned: Vec<bool> = meshes.iter().map(is_skinned).collect();
    for (i, node) in nodes.iter_mut().enumerate() {
        if node.skin.is_none() {
            if node.mesh.is_some_and(|mesh| skinned[mesh]) {
                let message =
                    "its mesh has JOINTS_0 and WEIGHTS_0, but the node has no skin: drawn rigid";
                warnings.add_at(&document.item("nodes", i)?, WarningCode::SkinMissing, message);
            }
            continue;
        }
        let message = match node.mesh {
            None => "a skin without a mesh moves nothing",
            Some(mesh) if !skinned[mesh] => {
                "its mesh has no JOINTS_0 and WEIGHTS_0 for the skin: drawn rigid"
            }
            Some(_) => continue,
        };
        node.skin = None;
        warnings.add_at(&document.item("nodes", i)?, WarningCode::SkinIdle, message);
    }
    Ok(())
}

/// Warns of nodes whose transform has no effect on their skinned mesh. It still applies to child
/// nodes.
pub(super) fn warn_of_ignored_transforms(
    document: &Document,
    nodes: &Nodes,
    meshes: &[Mesh],
    warnings: &mut Warnings,
) -> Result<(), ImportError> {
    // Exporters leave rounding errors in identity transforms.
    const ROUNDING: f32 = 1e-6;
    for (i, (node, transform)) in nodes.list.iter().zip(&nodes.transforms).enumerate() {
        let skinned =
            node.skin.is_some() && node.mesh.is_some_and(|mesh| is_skinned(&meshes[mesh]));
        if skinned && !transform.parent_from_node().abs_diff_eq(Affine3A::IDENTITY, ROUNDING) {
            let at = document.item("nodes", i)?;
            let given = ["matrix", "translation", "rotation", "scale"];
            let given: Vec<_> = given.into_iter().filter(|key| at.get(key).is_some()).collect();
            let message = format!(
                "glTF ignores its {}: the joints alone place a skinned mesh",
                given.join(", ")
            );
            warnings.add_at(&at, WarningCode::SkinNodeTransform, message);
        }
    }
    Ok(())
}

/// Whether a mesh has a primitive that joints can move.
fn is_skinned(mesh: &Mesh) -> bool {
    mesh.primitives.iter().any(|p| p.influences.is_some())
}
