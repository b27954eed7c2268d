//! Keeps the feet of a clip of another rig where that rig's feet stand: legs of other proportions slide otherwise.
//!
//! While a foot of the clip's rig is near its lowest height and slow, the foot that follows it is held at one place, and
//! its height above the ground is that of the other foot, in proportion. Thigh and shin are turned for that, as two
//! bones in the plane of the knee; the foot keeps its angle.

use glam::{DQuat, DVec3};

use super::rig_map::RigMap;
use rigview_anim::rotation::normalized_f64;
use rigview_anim::{Channel, Clip, ClipParts, Cursor, Keys, LocalPose, Track};
use rigview_model::{BonePart as Part, HumanBone, Model};

/// Instants per second.
const RATE: f64 = 60.0;
/// A foot stands below this height over its lowest one, as a share of the leg's length.
const NEAR_GROUND: f64 = 0.04;
/// A foot stands if it is slower than this number of leg lengths per second.
const SLOW: f64 = 0.3;
/// How long a foot takes to its place and away from it, in seconds.
const BLEND_SECS: f64 = 0.15;

/// The nodes of a leg.
#[derive(Clone, Copy)]
struct Leg {
    upper: usize,
    lower: usize,
    foot: usize,
}

/// The rigs of a conversion.
pub(crate) struct Feet<'a> {
    pub rig: &'a Model,
    pub source: &'a Model,
    /// The rest pose of the source that its clips are compared with.
    pub source_rest: &'a LocalPose,
    pub map: &'a RigMap,
    /// Size of the rig relative to the source.
    pub size: f64,
    /// The turn from the way that the source faces to that of the rig.
    pub facing: DQuat,
    /// The direction from the ground up in the rig's scene, a unit vector.
    pub up: DVec3,
}

impl Feet<'_> {
    /// Returns a converted clip with feet that stand where those of the original do, and how many of them stand at some
    /// time. A rig without legs, and a clip whose keys would take more than this number of bytes, stay unchanged.
    pub(crate) fn pinned(&self, clip: &Clip, original: &Clip, most_bytes: usize) -> (Clip, usize) {
        let legs = self.legs();
        let frames = (f64::from(clip.duration_secs()) * RATE).ceil();
        let bytes = frames * (legs.len() * 3 * (size_of::<f32>() + size_of::<glam::Quat>())) as f64;
        if legs.is_empty() || frames < 1.0 || bytes > most_bytes as f64 {
            return (clip.clone(), 0);
        }
        let mut held = 0;
        let mut times: Vec<f32> = (0..=frames as usize)
            .map(|frame| (frame as f64 / RATE).min(f64::from(clip.duration_secs())) as f32)
            .collect();
        // The last frame may be the end, but for rounding.
        times.dedup();
        let mut channels = Vec::new();
        let mut pinned = Vec::new();
        for (own, other) in legs {
            let offsets = self.offsets(own, other, clip, original, &times);
            held += usize::from(offsets.iter().any(|offset| *offset != DVec3::ZERO));
            let (mut cursor, mut pose) = (Cursor::default(), self.rig.rest.clone());
            let mut keys: [Vec<glam::Quat>; 3] = Default::default();
            for (time, offset) in times.iter().zip(&offsets) {
                clip.pose(f64::from(*time), &self.rig.rest, &mut cursor, &mut pose);
                reach(self.rig, &mut pose, own, *offset);
                for (keys, node) in keys.iter_mut().zip([own.upper, own.lower, own.foot]) {
                    keys.push(pose.transform(node).rotation);
                }
            }
            for (keys, node) in keys.into_iter().zip([own.upper, own.lower, own.foot]) {
                if let Ok(track) = Track::new(times.clone(), Keys::Linear(keys), 1) {
                    channels.push(Channel::Rotation { node, track });
                    pinned.push(node);
                }
            }
        }
        let ClipParts { name, channels: before, properties, start_secs, duration_secs } =
            clip.clone().into_parts();
        let replaced = |channel: &Channel| matches!(channel, Channel::Rotation { node, .. } if pinned.contains(node));
        let kept = before.into_iter().filter(|channel| !replaced(channel));
        let channels = kept.chain(channels).collect();
        (Clip::new(ClipParts { name, channels, properties, start_secs, duration_secs }), held)
    }

    /// Returns the legs that both rigs have, the rig's first.
    fn legs(&self) -> Vec<(Leg, Leg)> {
        let bones = self.map.bones();
        let leg = |is_right| {
            let node = |part| bones.get(&HumanBone { part, is_right }).copied();
            let (upper, lower) = (node(Part::UpperLeg)?, node(Part::LowerLeg)?);
            let foot = node(Part::Foot)?;
            let own = Leg { upper: upper.0, lower: lower.0, foot: foot.0 };
            let other = Leg { upper: upper.1, lower: lower.1, foot: foot.1 };
            let tree = &self.rig.hierarchy;
            let below = tree.parent(own.foot) == Some(own.lower)
                && tree.parent(own.lower) == Some(own.upper);
            below.then_some((own, other))
        };
        [false, true].into_iter().filter_map(leg).collect()
    }

    /// Returns how far the foot has to go from where the clip puts it, at each time.
    fn offsets(
        &self,
        own: Leg,
        other: Leg,
        clip: &Clip,
        original: &Clip,
        times: &[f32],
    ) -> Vec<DVec3> {
        let places = foot_places(self.rig, clip, own.foot, times);
        let model = foot_places(self.source, original, other.foot, times);
        // The places of the other foot in axes and lengths of this rig.
        let start = position(self.source, self.source_rest, other.foot);
        let rest = position(self.rig, &self.rig.rest, own.foot);
        let wanted: Vec<DVec3> =
            model.iter().map(|at| rest + self.size * (self.facing * (*at - start))).collect();
        let leg = length(self.rig, own);
        let height = |at: DVec3| at.dot(self.up);
        let lowest = wanted.iter().map(|at| height(*at)).fold(f64::INFINITY, f64::min);
        let low = lowest + NEAR_GROUND * leg;
        let stands: Vec<bool> = (0..times.len())
            .map(|i| {
                let (a, b) = (i.saturating_sub(1), (i + 1).min(times.len() - 1));
                let secs = f64::from(times[b] - times[a]);
                height(wanted[i]) <= low && wanted[a].distance(wanted[b]) <= SLOW * leg * secs
            })
            .collect();
        let mut offsets: Vec<Option<DVec3>> = vec![None; times.len()];
        let mut i = 0;
        while i < times.len() {
            let end = i + stands[i..].iter().take_while(|stands| **stands).count();
            let mean = places[i..end].iter().sum::<DVec3>() / (end - i).max(1) as f64;
            for at in i..end {
                let held = mean + height(wanted[at] - mean) * self.up;
                offsets[at] = Some(held - places[at]);
            }
            i = end.max(i + 1);
        }
        blended(&offsets, times)
    }
}

/// Fills the gaps between offsets: they fade out after one and in before the next.
fn blended(offsets: &[Option<DVec3>], times: &[f32]) -> Vec<DVec3> {
    let fade = |order: &mut dyn Iterator<Item = usize>| -> Vec<(DVec3, f64)> {
        let mut near: Vec<(DVec3, f64)> = vec![(DVec3::ZERO, 0.0); offsets.len()];
        let mut last: Option<(DVec3, f32)> = None;
        for i in order {
            if let Some(offset) = offsets[i] {
                last = Some((offset, times[i]));
            }
            if let Some((offset, time)) = last {
                let away = f64::from((times[i] - time).abs()) / BLEND_SECS;
                near[i] = (offset, (1.0 - away).max(0.0));
            }
        }
        near
    };
    let before = fade(&mut (0..offsets.len()));
    let after = fade(&mut (0..offsets.len()).rev());
    let smooth = |x: f64| x * x * (3.0 - 2.0 * x);
    let both = before.into_iter().zip(after).zip(offsets);
    both.map(|(((a, wa), (b, wb)), own)| {
        let (wa, wb) = (smooth(wa), smooth(wb));
        own.unwrap_or_else(|| (a * wa + b * wb) / (wa + wb).max(1.0))
    })
    .collect()
}

fn foot_places(model: &Model, clip: &Clip, foot: usize, times: &[f32]) -> Vec<DVec3> {
    let (mut cursor, mut pose) = (Cursor::default(), model.rest.clone());
    let at = |time: &f32| {
        clip.pose(f64::from(*time), &model.rest, &mut cursor, &mut pose);
        position(model, &pose, foot)
    };
    times.iter().map(at).collect()
}

fn position(model: &Model, pose: &LocalPose, node: usize) -> DVec3 {
    model.hierarchy.scene_from_node(pose, node).translation
}

fn length(model: &Model, leg: Leg) -> f64 {
    let [upper, lower, foot] =
        [leg.upper, leg.lower, leg.foot].map(|node| position(model, &model.rest, node));
    upper.distance(lower) + lower.distance(foot)
}

/// Turns thigh and shin so that the foot goes by an offset, as far as the leg reaches. The foot keeps its angle.
fn reach(model: &Model, pose: &mut LocalPose, leg: Leg, offset: DVec3) {
    let [hip, knee, foot] =
        [leg.upper, leg.lower, leg.foot].map(|node| position(model, pose, node));
    let (thigh, shin) = (hip.distance(knee), knee.distance(foot));
    let wanted = foot + offset;
    let (Some(now), Some(goal)) = ((foot - hip).try_normalize(), (wanted - hip).try_normalize())
    else {
        return;
    };
    if offset.length() < 1e-9 || !offset.is_finite() || thigh * shin == 0.0 {
        return;
    }
    let angle = model.hierarchy.scene_rotation(pose, leg.foot);
    let most = (thigh + shin) * 0.9995;
    let far = hip.distance(wanted).clamp((thigh - shin).abs() * 1.0005, most);
    // The angle at the knee that reaches so far; the axis is that of the present bend, or across the leg.
    let bend = |far: f64| {
        let cosine = (thigh * thigh + shin * shin - far * far) / (2.0 * thigh * shin);
        cosine.clamp(-1.0, 1.0).acos()
    };
    let axis = (knee - hip).cross(foot - knee);
    let axis = if axis.length() > 1e-4 * thigh * shin {
        axis.normalize()
    } else {
        let side = model.hierarchy.scene_rotation(pose, leg.upper) * DVec3::X;
        side.reject_from_normalized(now).normalize_or(DVec3::X)
    };
    let more = bend(hip.distance(foot)) - bend(far);
    rotate(model, pose, leg.lower, DQuat::from_axis_angle(axis, more));
    let foot = position(model, pose, leg.foot);
    let Some(now) = (foot - hip).try_normalize() else { return };
    rotate(model, pose, leg.upper, DQuat::from_rotation_arc(now, goal));
    let above = model.hierarchy.parent_rotation(pose, leg.foot);
    pose.set_rotation(leg.foot, (above.inverse() * angle).normalize().as_quat());
}

/// Turns a node about its own place, in axes of the scene.
fn rotate(model: &Model, pose: &mut LocalPose, node: usize, by: DQuat) {
    let above = model.hierarchy.parent_rotation(pose, node);
    let own = normalized_f64(pose.transform(node).rotation);
    let turned = above.inverse() * by * above * own;
    pose.set_rotation(node, turned.normalize().as_quat());
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;
    use rigview_anim::Transform;

    /// A hip, a knee and a foot, each half a metre below the other, under a turned root.
    fn leg() -> Model {
        let at = |y: f32| Transform { translation: Vec3::new(0.0, y, 0.01), ..Transform::IDENTITY };
        let root = Transform { rotation: glam::Quat::from_rotation_y(0.7), ..at(1.0) };
        let rest = [root, at(0.0), at(-0.5), at(-0.5)];
        Model::from_nodes(&[None, Some(0), Some(1), Some(2)], rest).unwrap()
    }

    #[test]
    fn a_foot_reaches_its_place_and_keeps_its_angle() {
        let model = leg();
        let leg = Leg { upper: 1, lower: 2, foot: 3 };
        let start = position(&model, &model.rest, 3);
        let angle = model.hierarchy.scene_rotation(&model.rest, 3);
        for offset in [DVec3::new(0.1, 0.2, -0.15), DVec3::new(-0.3, 0.05, 0.0), DVec3::Y * 0.4] {
            let mut pose = model.rest.clone();
            reach(&model, &mut pose, leg, offset);
            let off = position(&model, &pose, 3).distance(start + offset);
            assert!(off < 2e-3, "{offset}: {off}");
            assert!(model.hierarchy.scene_rotation(&pose, 3).angle_between(angle) < 1e-3);
            let thigh = position(&model, &pose, 1).distance(position(&model, &pose, 2));
            assert!((thigh - 0.5001).abs() < 1e-3, "{thigh}");
        }
        // Too far away: the leg is stretched towards the place.
        let mut pose = model.rest.clone();
        reach(&model, &mut pose, leg, DVec3::new(3.0, 0.0, 0.0));
        let (hip, foot) = (position(&model, &pose, 1), position(&model, &pose, 3));
        assert!((hip.distance(foot) - 1.0).abs() < 0.01 && foot.x > 0.9);
    }

    #[test]
    fn offsets_fade_in_and_out() {
        let times: Vec<f32> = (0..60).map(|frame| frame as f32 / 60.0).collect();
        let mut offsets = vec![None; 60];
        offsets[20..30].fill(Some(DVec3::X));
        let all = blended(&offsets, &times);
        assert_eq!(
            (all[20], all[29], all[5], all[45]),
            (DVec3::X, DVec3::X, DVec3::ZERO, DVec3::ZERO)
        );
        assert!(all[15].x > all[13].x && all[13].x > 0.0 && all[34].x > all[36].x);
    }
}
