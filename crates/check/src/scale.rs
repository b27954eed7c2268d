//! Rules of the scale of joints: SCALE_UNEVEN, SCALE_NEGATIVE.

use glam::Vec3;

use super::rig::Rig;
use super::{Code, Finding};
use rigview_anim::Channel;
use rigview_model::short_name;

/// Joints scaled below this are hidden on purpose; the ratio of their axes is noise.
pub(super) const HIDDEN: f32 = 1e-4;

/// The largest ratio that is said.
pub(super) const FLAT: f64 = 1e6;

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
            found.push(place.add_to(finding.limited(even)).of(rig.name(joint)).at(pointer(joint)));
        }
        if let Some((least, place)) = negative {
            let text = format!("scale {least} of {kind} {called} mirrors{}", place.text());
            let finding = Finding::new(Code::ScaleNegative, text);
            let finding = finding.measured(f64::from(*least), "factor").limited(0.0);
            found.push(place.add_to(finding).of(rig.name(joint)).at(pointer(joint)));
        }
    }
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

    fn add_to(&self, finding: Finding) -> Finding {
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
