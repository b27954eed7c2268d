//! Rules of inverse bind matrices: REST_NOT_BIND, BIND_SINGULAR.

use std::collections::BTreeSet;

use glam::Mat3A;

use super::rig::{Rig, meshes_by_skin};
use super::scale::HIDDEN;
use super::{Code, Finding, Level};
use rigview_report::{FromBind, offsets_from_bind};

/// The largest turn of a joint from its bind pose, in degrees. A contract's threshold changes it in proportion to the
/// distance.
const TURNED: f64 = 1.0;

/// How many times larger or smaller than in the bind pose the scale of a joint at rest is, in relation to its parent, to be a
/// warning: no pose explains it. A factor of 3 lies between squash and stretch and the change of a unit.
const OTHER_SCALE: f32 = 3.0;

pub(super) fn findings(rig: &Rig) -> Vec<Finding> {
    let above = rig.nearest_joint_above();
    let mut found = Vec::new();
    for skin in 0..rig.model.skins.len() {
        found.extend(rest_not_bind(rig, skin));
        found.extend(other_scales(rig, skin, &above));
    }
    let meshes = meshes_by_skin(rig);
    found.extend(meshes.iter().filter_map(|(skin, meshes)| bind_singular(rig, *skin, meshes)));
    found
}

/// Compares each joint's place and turn at rest with those that its inverse bind matrix gives: the furthest joint of a
/// skin or, if all are in their places, the one that is turned most.
fn rest_not_bind(rig: &Rig, index: usize) -> Option<Finding> {
    let limit = rig.threshold(Code::RestNotBind);
    let usual = Code::RestNotBind.threshold().map_or(limit, |(usual, _)| usual);
    let most_turned = TURNED * limit / usual;
    let offsets = offsets_from_bind(rig.model, &rig.stage, index)?;
    let most = |of: fn(&FromBind) -> f64, limit: f64| {
        let all = rig.model.skins[index].joints.iter().zip(&offsets);
        let off = all.map(|(joint, offset)| (*joint as usize, of(offset)));
        off.filter(|(_, off)| off.is_finite() && *off > limit).max_by(|a, b| a.1.total_cmp(&b.1))
    };
    let finding = if let Some((joint, off)) = most(|offset| offset.metres, limit) {
        let text = format!(
            "at rest, joint {} is {:.1} mm from where its inverse bind matrix says",
            rig.called(joint),
            1000.0 * off
        );
        let finding = Finding::new(Code::RestNotBind, text).measured(off, "m");
        finding.limited(limit).of(rig.name(joint))
    } else {
        let (joint, off) = most(|offset| offset.degrees, most_turned)?;
        let text = format!(
            "at rest, joint {} is turned by {off:.1} degrees from where its inverse bind matrix says",
            rig.called(joint),
        );
        let finding = Finding::new(Code::RestNotBind, text).measured(off, "degrees");
        finding.limited(most_turned).of(rig.name(joint))
    };
    Some(finding.at(format!("/skins/{index}")))
}

/// Finds joints whose scale at rest is another than in the bind pose, in relation to their parents: what hangs on them is larger
/// or smaller. A joint without others below it that shrinks is a prop that is hidden on purpose.
fn other_scales(rig: &Rig, index: usize, above: &[Option<usize>]) -> Vec<Finding> {
    let skin = &rig.model.skins[index];
    // How many times larger each joint makes what it holds.
    let mut sizes = vec![None; rig.model.nodes.len()];
    for (joint, joint_from_mesh) in skin.joints.iter().zip(&skin.joint_from_mesh) {
        let matrix: Mat3A = rig.stage.world.world_from_node(*joint as usize).matrix3;
        let size = (matrix * joint_from_mesh.matrix3).determinant().abs().cbrt();
        sizes[*joint as usize] = Some(size).filter(|size| size.is_finite());
    }
    let carries: BTreeSet<usize> =
        skin.joints.iter().filter_map(|joint| above[*joint as usize]).collect();
    // What moves nothing that is seen, such as a socket, may have any scale.
    let finding = |joint: usize| {
        let above = above[joint].filter(|_| rig.moves_seen[joint])?;
        let factor = sizes[joint]? / sizes[above]?;
        let ratio = f64::from(factor.max(1.0 / factor));
        let is_hidden = factor < HIDDEN || (factor < 1.0 && !carries.contains(&joint));
        if !ratio.is_finite() || is_hidden || ratio <= f64::from(OTHER_SCALE) {
            return None;
        }
        let than = if factor > 1.0 { "larger" } else { "smaller" };
        let text = format!(
            "at rest, the scale of joint {} is {ratio:.0} times {than} than in the bind pose, and what hangs on it has another size",
            rig.called(joint)
        );
        let finding = Finding::new(Code::RestNotBind, text).with_level(Level::Warning);
        let finding = finding.measured(ratio, "ratio").limited(f64::from(OTHER_SCALE));
        Some(finding.of(rig.name(joint)).at(format!("/skins/{index}")))
    };
    skin.joints.iter().filter_map(|joint| finding(*joint as usize)).collect()
}

/// Finds joints that move vertices and whose inverse bind matrix has no inverse. One finding per skin: its first such joint.
fn bind_singular(rig: &Rig, index: usize, meshes: &BTreeSet<usize>) -> Option<Finding> {
    let primitives = meshes.iter().flat_map(|mesh| &rig.model.meshes[*mesh].primitives);
    let joints = primitives.flat_map(|primitive| &primitive.bounds.joints);
    let used: BTreeSet<usize> = joints.map(|(joint, _)| usize::from(*joint)).collect();
    let skin = &rig.model.skins[index];
    let mut singular = used.into_iter().filter(|joint| {
        skin.joint_from_mesh.get(*joint).is_some_and(|matrix| !matrix.inverse().is_finite())
    });
    let joint = skin.joints[singular.next()?] as usize;
    let others = match singular.count() {
        0 => String::new(),
        more => format!("; neither have those of {more} more"),
    };
    let text =
        format!("the inverse bind matrix of joint {} has no inverse{others}", rig.called(joint));
    let finding = Finding::new(Code::BindSingular, text).of(rig.name(joint));
    Some(finding.at(format!("/skins/{index}")))
}
