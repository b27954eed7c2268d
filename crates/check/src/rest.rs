//! Rules of joints at rest and of their scale: SCALE_UNEVEN, SCALE_NEGATIVE, REST_NOT_BIND, BIND_SINGULAR.

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;

use super::rig::Rig;
use super::{Code, Finding};
use rigview_anim::Channel;
use rigview_model::short_name;
use rigview_report::{FromBind, offsets_from_bind};

/// Joints scaled below this are hidden on purpose; the ratio of their axes is noise.
pub(super) const HIDDEN: f32 = 1e-4;

/// The largest ratio that is said.
pub(super) const FLAT: f64 = 1e6;

/// The largest turn of a joint from its bind pose, in degrees. A contract's threshold changes it in proportion to the
/// distance.
const TURNED: f64 = 1.0;

pub(super) fn findings(rig: &Rig) -> Vec<Finding> {
    let mut found = Vec::new();
    let even = rig.threshold(Code::ScaleUneven);
    let worst = worst_scales(rig, even);
    for (joint, Worst { uneven, negative }) in worst.iter().enumerate() {
        let (kind, called) = (rig.kind(joint), rig.called(joint));
        if let Some((ratio, scale, place)) = uneven {
            let [x, y, z] = scale.to_array();
            let text = format!("scale {x} {y} {z} of {kind} {called} is uneven{}", place.text());
            let finding = Finding::new(Code::ScaleUneven, text).measured(*ratio, "ratio");
            found.push(place.put(finding.limited(even)).of(rig.name(joint)).at(pointer(joint)));
        }
        if let Some((least, place)) = negative {
            let text = format!("scale {least} of {kind} {called} mirrors{}", place.text());
            let finding = Finding::new(Code::ScaleNegative, text);
            let finding = finding.measured(f64::from(*least), "factor").limited(0.0);
            found.push(place.put(finding).of(rig.name(joint)).at(pointer(joint)));
        }
    }
    found.extend((0..rig.model.skins.len()).filter_map(|skin| rest_not_bind(rig, skin)));
    found.extend(
        meshes_by_skin(rig).iter().filter_map(|(skin, meshes)| bind_singular(rig, *skin, meshes)),
    );
    found
}

fn pointer(node: usize) -> String {
    format!("/nodes/{node}")
}

/// Where a joint has a scale: at rest, or at a key of a clip.
#[derive(Clone, Debug, Default)]
struct ScaledAt {
    key: Option<(String, f64)>,
}

impl ScaledAt {
    fn text(&self) -> String {
        match &self.key {
            Some((clip, time)) => format!(" in clip \"{}\" at {time:.3} s", short_name(clip)),
            None => " at rest".into(),
        }
    }

    fn put(&self, finding: Finding) -> Finding {
        match &self.key {
            Some((clip, time)) => finding.in_clip(Some(clip.as_str())).when(*time),
            None => finding,
        }
    }
}

/// The most uneven and the most negative scale of a joint.
#[derive(Clone, Debug, Default)]
struct Worst {
    uneven: Option<(f64, Vec3, ScaledAt)>,
    negative: Option<(f32, ScaledAt)>,
}

impl Worst {
    fn add(&mut self, scale: Vec3, even: f64, place: impl Fn() -> ScaledAt) {
        let (least, largest) = (scale.abs().min_element(), scale.abs().max_element());
        // A flat scale has no finite ratio.
        let ratio = (f64::from(largest) / f64::from(least)).min(FLAT);
        let before = self.uneven.as_ref().map_or(even, |(ratio, ..)| *ratio);
        if largest >= HIDDEN && ratio > before {
            self.uneven = Some((ratio, scale, place()));
        }
        self.add_negative(scale, place);
    }

    fn add_negative(&mut self, scale: Vec3, place: impl Fn() -> ScaledAt) {
        let before = self.negative.as_ref().map_or(0.0, |(least, _)| *least);
        if scale.min_element() < before {
            self.negative = Some((scale.min_element(), place()));
        }
    }
}

/// Returns the worst scales of joints and, in clips, of the nodes above them. Those may mirror the whole figure at rest, and
/// then do in clips.
fn worst_scales(rig: &Rig, even: f64) -> Vec<Worst> {
    let mut worst = vec![Worst::default(); rig.model.nodes.len()];
    let at_rest = |node: usize| rig.model.rest.transform(node).scale;
    for &joint in &rig.joints {
        worst[joint].add(at_rest(joint), even, ScaledAt::default);
    }
    for clip in &rig.model.clips {
        for channel in clip.channels() {
            let Channel::Scale { node, track } = channel else { continue };
            let (node, values) = (*node, track.keys().values());
            for (time, scale) in track.times().iter().zip(values) {
                let name = clip.name().unwrap_or_default();
                let key = || ScaledAt { key: Some((name.to_owned(), f64::from(*time))) };
                if rig.is_joint[node] {
                    worst[node].add(*scale, even, key);
                } else if rig.carries[node] && at_rest(node).min_element() >= 0.0 {
                    worst[node].add_negative(*scale, key);
                }
            }
        }
    }
    worst
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

/// Returns the meshes that each skin moves.
pub(super) fn meshes_by_skin(rig: &Rig) -> BTreeMap<usize, BTreeSet<usize>> {
    let mut meshes: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (skin, mesh) in rig.model.nodes.iter().filter_map(|node| node.skin.zip(node.mesh)) {
        meshes.entry(skin).or_default().insert(mesh);
    }
    meshes
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
