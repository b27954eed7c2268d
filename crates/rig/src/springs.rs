//! Joints that swing: the spring bones of VRM, simulated in fixed steps from a rest at the start of a clip.
//!
//! The result is a clip with keys for the joints that swing, so every instant has one pose, in whatever order
//! instants are asked for.

use glam::{DAffine3, DQuat, DVec3};

use rigview_anim::rotation::normalized_f64;
use rigview_anim::{Channel, Clip, Cursor, Keys, LocalPose, Track};
use rigview_model::{Collider, ColliderSide, Model, Spring, SpringJoint};

/// Steps per second.
const RATE: f64 = 60.0;
/// Upper limit of computed matrices over all steps: those of the nodes above the joints and above their colliders.
const MOST_WORK: f64 = 1e9;

/// A clip that is too long for its springs to be simulated.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("the springs are left out: {secs} s are too long for {joints} joints")]
pub struct TooLongToSwing {
    /// The clip's duration.
    pub secs: f32,
    /// Number of joints that swing.
    pub joints: usize,
}

/// Adds the motion of a model's springs to its clips. Returns the faults of clips that stay unchanged.
pub fn add_springs(model: &mut Model) -> Vec<TooLongToSwing> {
    let mut faults = Vec::new();
    let mut clips = std::mem::take(&mut model.clips);
    for clip in &mut clips {
        match with_springs(model, clip) {
            Ok(swinging) => *clip = swinging,
            Err(fault) => faults.push(fault),
        }
    }
    model.clips = clips;
    faults
}

/// Returns a clip with the motion of a model's springs. Without springs, and for a clip without a duration, returns
/// a copy.
///
/// # Errors
/// If the keys would take more memory than the model's budget has, or too many steps.
pub fn with_springs(model: &Model, clip: &Clip) -> Result<Clip, TooLongToSwing> {
    let Some(vrm) = &model.vrm else { return Ok(clip.clone()) };
    let secs = f64::from(clip.duration_secs());
    let mut swings: Vec<SpringChain> =
        vrm.springs.iter().map(|spring| SpringChain::new(model, spring)).collect();
    let depths = model.hierarchy.depths();
    // A spring below a joint of another one swings from where that one is in the same step: VRMC_springBone, calculation
    // order. Springs whose first joints are equally deep keep the order of the file.
    swings.sort_by_key(|swing| swing.bones.first().map(|bone| depths[bone.joint.node]));
    let joints: usize = swings.iter().map(|swing| swing.bones.len()).sum();
    if joints == 0 || secs <= 0.0 {
        return Ok(clip.clone());
    }
    let steps = (secs * RATE).ceil();
    let each = |swing: &SpringChain| {
        let hit = swing.spring.colliders.iter().filter_map(|hit| vrm.colliders.get(*hit));
        let hit: usize = hit.map(|hit| depths[hit.node] + 1 + swing.bones.len()).sum();
        hit + swing.bones.iter().map(|bone| 2 * (depths[bone.joint.node] + 1)).sum::<usize>()
    };
    let work = steps * swings.iter().map(each).sum::<usize>() as f64;
    let bytes = steps * joints as f64 * (size_of::<f32>() + size_of::<glam::Quat>()) as f64;
    if work > MOST_WORK || bytes > model.budget.left() as f64 {
        return Err(TooLongToSwing { secs: clip.duration_secs(), joints });
    }
    let (mut cursor, mut pose) = (Cursor::default(), model.rest.clone());
    let mut times: Vec<f32> = Vec::with_capacity(steps as usize + 1);
    for step in 0..=steps as usize {
        let time = (step as f64 / RATE).min(secs);
        clip.pose(time, &model.rest, &mut cursor, &mut pose);
        model.constrain(&mut pose);
        let mut at = PosedModel { model, pose: &mut pose };
        for swing in &mut swings {
            swing.step(&mut at, &vrm.colliders, step == 0);
        }
        times.push(time as f32);
    }
    times.dedup();
    let mut parts = clip.clone().into_parts();
    for bone in swings.into_iter().flat_map(|swing| swing.bones) {
        let mut keys = bone.keys;
        keys.truncate(times.len());
        // Never an error: the times increase, and there is one key for each.
        if let Ok(track) = Track::new(times.clone(), Keys::Linear(keys), 1) {
            parts.channels.push(Channel::Rotation { node: bone.joint.node, track });
        }
    }
    Ok(Clip::new(parts))
}

/// A pose while springs are added to it.
struct PosedModel<'a> {
    model: &'a Model,
    pose: &'a mut LocalPose,
}

impl PosedModel<'_> {
    /// Returns a node's matrix in the scene.
    fn world(&self, node: usize) -> DAffine3 {
        self.model.hierarchy.scene_from_node(self.pose, node)
    }

    /// Returns a node's rotation in the scene.
    fn turn(&self, node: usize) -> DQuat {
        self.model.hierarchy.scene_rotation(self.pose, node)
    }
}

/// A chain that swings.
struct SpringChain<'a> {
    spring: &'a Spring,
    bones: Vec<ChainBone>,
}

/// A joint and where its bone ends.
struct ChainBone {
    joint: SpringJoint,
    /// The end in the joint's axes.
    end: DVec3,
    /// Where the end is, and where it was a step before, in the axes of the chain's centre.
    now: DVec3,
    before: DVec3,
    keys: Vec<glam::Quat>,
}

impl<'a> SpringChain<'a> {
    fn new(model: &Model, spring: &'a Spring) -> Self {
        let next = spring.joints.iter().skip(1).map(Some).chain([None]);
        let bones = spring.joints.iter().zip(next).filter_map(|(joint, next)| {
            let end = match (joint.tail, next) {
                (Some(tail), _) => tail,
                (None, Some(next)) => offset(model, joint.node, next.node)?,
                (None, None) => return None,
            };
            let (end, here) = (end.as_dvec3(), DVec3::ZERO);
            let joint = *joint;
            (end.length_squared() > 0.0).then(|| ChainBone {
                joint,
                end,
                now: here,
                before: here,
                keys: Vec::new(),
            })
        });
        Self { spring, bones: bones.collect() }
    }

    /// Goes on by a step, or begins. Turns the joints of the pose.
    fn step(&mut self, at: &mut PosedModel, colliders: &[Collider], first: bool) {
        let center = self.spring.center.map_or(DAffine3::IDENTITY, |center| at.world(center));
        let to_center = match center.matrix3.determinant() {
            0.0 => DAffine3::IDENTITY,
            _ => center.inverse(),
        };
        let hit = self.spring.colliders.iter().filter_map(|i| colliders.get(*i));
        let hits: Vec<Ball> = hit.map(|collider| Ball::new(at, collider)).collect();
        for bone in &mut self.bones {
            bone.step(at, &center, &to_center, &hits, first);
        }
    }
}

/// Returns where a node is in the axes of a node above it.
fn offset(model: &Model, above: usize, node: usize) -> Option<glam::Vec3> {
    let mut place = glam::Vec3::ZERO;
    for node in model.hierarchy.path_to_root(node) {
        if node == above {
            return Some(place);
        }
        place = model.rest.transform(node).parent_from_node().transform_point3(place);
    }
    None
}

impl ChainBone {
    fn step(
        &mut self,
        at: &mut PosedModel,
        center: &DAffine3,
        to_center: &DAffine3,
        hits: &[Ball],
        first: bool,
    ) {
        let node = self.joint.node;
        let parent = at.model.hierarchy.parent(node);
        // Stiffness pulls to the joint's rotation at rest, whatever the clip turns it to.
        at.pose.set_rotation(node, at.model.rest.transform(node).rotation);
        let world = at.world(node);
        let (place, held) = (world.translation, world.transform_point3(self.end));
        let length = place.distance(held);
        let direction = (held - place).normalize_or_zero();
        if first {
            (self.now, self.before) =
                (to_center.transform_point3(held), to_center.transform_point3(held));
        } else {
            let step = 1.0 / RATE;
            let (now, before) =
                (center.transform_point3(self.now), center.transform_point3(self.before));
            let SpringJoint { stiffness, gravity_power, gravity_dir, drag_force, .. } = self.joint;
            let pulled = direction * f64::from(stiffness) * step;
            let falls = gravity_dir.as_dvec3() * f64::from(gravity_power) * step;
            let goes = (now - before) * (1.0 - f64::from(drag_force));
            let reach = |end: DVec3| match (end - place).try_normalize() {
                Some(direction) => place + direction * length,
                None => held,
            };
            let mut end = reach(now + goes + pulled + falls);
            for ball in hits {
                if let Some(pushed) = ball.push(end, f64::from(self.joint.hit_radius)) {
                    end = reach(pushed);
                }
            }
            if end.is_finite() {
                (self.before, self.now) = (self.now, to_center.transform_point3(end));
            }
        }
        let end = center.transform_point3(self.now);
        let above = parent.map_or(DQuat::IDENTITY, |parent| at.turn(parent));
        let own = normalized_f64(at.pose.transform(node).rotation);
        let arc = match (end - place).try_normalize() {
            Some(wanted) if direction != DVec3::ZERO => DQuat::from_rotation_arc(direction, wanted),
            _ => DQuat::IDENTITY,
        };
        let turned = (above.inverse() * arc * above * own).normalize().as_quat();
        at.pose.set_rotation(node, turned);
        self.keys.push(turned);
    }
}

/// A collider in the scene.
struct Ball {
    start: DVec3,
    end: DVec3,
    radius: f64,
    side: ColliderSide,
    /// The normal of a plane.
    up: DVec3,
}

impl Ball {
    fn new(at: &PosedModel, collider: &Collider) -> Self {
        let world = at.world(collider.node);
        let scale = world.matrix3.x_axis.length();
        let place = |point: glam::Vec3| world.transform_point3(point.as_dvec3());
        let tail = collider.tail.unwrap_or(collider.offset);
        let up = match collider.side {
            ColliderSide::Above(normal) => world.matrix3.inverse().transpose() * normal.as_dvec3(),
            ColliderSide::Outside | ColliderSide::Inside => DVec3::ZERO,
        };
        Self {
            start: place(collider.offset),
            end: place(tail),
            radius: scale * f64::from(collider.radius),
            side: collider.side,
            up: up.normalize_or_zero(),
        }
    }

    /// Returns where a point goes that is on the wrong side together with a radius around it.
    fn push(&self, point: DVec3, radius: f64) -> Option<DVec3> {
        if matches!(self.side, ColliderSide::Above(_)) {
            let above = (point - self.start).dot(self.up) - radius;
            return (above < 0.0 && self.up != DVec3::ZERO).then(|| point - self.up * above);
        }
        let along = self.end - self.start;
        let share = (point - self.start).dot(along) / along.length_squared();
        let nearest =
            if share.is_finite() { self.start + along * share.clamp(0.0, 1.0) } else { self.start };
        let away = point - nearest;
        if self.side == ColliderSide::Inside {
            let reach = (self.radius - radius).max(0.0);
            return (away.length() > reach).then(|| nearest + away.normalize_or_zero() * reach);
        }
        let reach = self.radius + radius;
        (away.length() < reach).then(|| nearest + away.normalize_or(DVec3::Y) * reach)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Quat, Vec3};
    use rigview_anim::{ClipParts, Transform};
    use rigview_model::Vrm;

    /// A root, and a chain of three joints along X with a spring.
    fn model(joint: SpringJoint) -> Model {
        let along = Transform { translation: Vec3::X, ..Transform::IDENTITY };
        let rest = [Transform::IDENTITY, along, along, along];
        let joints = (1..4).map(|node| SpringJoint { node, ..joint }).collect();
        let springs = vec![Spring { joints, ..Spring::default() }];
        let vrm = Some(Vrm { springs, ..Vrm::default() });
        Model { vrm, ..Model::from_nodes(&[None, Some(0), Some(1), Some(2)], rest).unwrap() }
    }

    fn joint() -> SpringJoint {
        SpringJoint {
            node: 0,
            tail: None,
            hit_radius: 0.0,
            stiffness: 0.0,
            gravity_power: 0.0,
            gravity_dir: Vec3::NEG_Y,
            drag_force: 0.4,
        }
    }

    /// A clip in which nothing moves.
    fn still(secs: f32) -> Clip {
        let keys = Keys::Linear(vec![Quat::IDENTITY; 2]);
        let track = Track::new(vec![0.0, secs], keys, 1).unwrap();
        let channels = vec![Channel::Rotation { node: 0, track }];
        Clip::new(ClipParts { channels, duration_secs: secs, ..ClipParts::default() })
    }

    fn end(model: &Model, clip: &Clip, secs: f64) -> DVec3 {
        let mut pose = model.rest.clone();
        clip.sample(secs, &mut pose);
        PosedModel { model, pose: &mut pose }.world(3).translation
    }

    #[test]
    fn what_falls_hangs_down_in_the_end_and_what_is_stiff_stays() {
        let falls = model(SpringJoint { gravity_power: 2.0, ..joint() });
        let clip = with_springs(&falls, &still(8.0)).unwrap();
        assert_eq!(end(&falls, &clip, 0.0), DVec3::new(3.0, 0.0, 0.0));
        let down = end(&falls, &clip, 8.0);
        assert!(down.distance(DVec3::new(1.0, -2.0, 0.0)) < 0.05, "{down}");
        let middle = end(&falls, &clip, 0.3);
        assert!(middle.y < -0.05 && middle.y > -1.9, "{middle}");
        let stiff = model(SpringJoint { stiffness: 1.0, ..joint() });
        let clip = with_springs(&stiff, &still(2.0)).unwrap();
        assert!(end(&stiff, &clip, 2.0).distance(DVec3::new(3.0, 0.0, 0.0)) < 1e-5);
    }

    /// VRM's stiffness pulls to the rotation at rest, which a clip of the joint itself does not change.
    #[test]
    fn stiff_joints_return_to_their_rest_and_not_to_the_clip() {
        let stiff = model(SpringJoint { stiffness: 1.0, ..joint() });
        let keys = Keys::Linear(vec![Quat::from_rotation_z(1.0); 2]);
        let track = Track::new(vec![0.0, 2.0], keys, 1).unwrap();
        let mut parts = still(2.0).into_parts();
        parts.channels.push(Channel::Rotation { node: 1, track });
        let clip = with_springs(&stiff, &Clip::new(parts)).unwrap();
        for secs in [0.0, 0.5, 2.0] {
            assert!(end(&stiff, &clip, secs).distance(DVec3::new(3.0, 0.0, 0.0)) < 1e-5);
        }
    }

    /// Two springs of one chain give the same motion in either order of the file.
    #[test]
    fn springs_above_swing_before_those_below_them() {
        let mut falls = model(SpringJoint { gravity_power: 2.0, ..joint() });
        let vrm = falls.vrm.as_mut().unwrap();
        let upper = vrm.springs[0].joints[..2].to_vec();
        let lower = vrm.springs[0].joints[1..].to_vec();
        let springs = [upper, lower].map(|joints| Spring { joints, ..Spring::default() });
        let mut swung = |springs: Vec<Spring>| {
            falls.vrm.as_mut().unwrap().springs = springs;
            let clip = with_springs(&falls, &still(8.0)).unwrap();
            end(&falls, &clip, 8.0)
        };
        let [upper, lower] = springs;
        let down = swung(vec![upper.clone(), lower.clone()]);
        assert!(down.distance(DVec3::new(1.0, -2.0, 0.0)) < 0.05, "{down}");
        assert_eq!(swung(vec![lower, upper]), down);
    }

    #[test]
    fn a_ball_below_holds_the_chain_up() {
        let mut held = model(SpringJoint { gravity_power: 2.0, hit_radius: 0.1, ..joint() });
        let vrm = held.vrm.as_mut().unwrap();
        let offset = Vec3::new(2.0, -1.0, 0.0);
        let side = ColliderSide::Outside;
        vrm.colliders = vec![Collider { node: 0, offset, tail: None, radius: 0.5, side }];
        vrm.springs[0].colliders = vec![0];
        let clip = with_springs(&held, &still(4.0)).unwrap();
        let mut pose = held.rest.clone();
        // The specification pushes an end out of the ball, to 0.6 from its centre, and then moves it along the bone to
        // the bone's length, which brings it in again. These distances were computed from its formulas alone: the
        // smallest ones while the chain comes to rest, and those at rest.
        let (smallest, at_rest) = ([0.578258, 0.560541], [0.587589, 0.568292]);
        let mut least = [f64::INFINITY; 2];
        let mut last = least;
        for step in 0..=240 {
            clip.sample(f64::from(step) / RATE, &mut pose);
            let at = PosedModel { model: &held, pose: &mut pose };
            last = [2, 3].map(|node| at.world(node).translation.distance(offset.as_dvec3()));
            least = std::array::from_fn(|i| least[i].min(last[i]));
        }
        for (found, wanted) in
            least.into_iter().chain(last).zip(smallest.into_iter().chain(at_rest))
        {
            assert!((found - wanted).abs() < 2e-6, "{least:?} {last:?}");
        }
    }

    /// The chain lies along X from 1 and falls. The plane is 0.25 below it, and the ball around its first joint reaches as far.
    #[test]
    fn a_plane_below_and_a_ball_around_hold_the_chain_too() {
        for (side, radius) in
            [(ColliderSide::Above(Vec3::Y * 3.0), 0.0), (ColliderSide::Inside, 1.25)]
        {
            let mut held = model(SpringJoint { gravity_power: 2.0, hit_radius: 0.1, ..joint() });
            let vrm = held.vrm.as_mut().unwrap();
            let offset = match side {
                ColliderSide::Inside => Vec3::new(2.0, 0.9, 0.0),
                _ => Vec3::new(0.0, -0.25, 0.0),
            };
            vrm.colliders = vec![Collider { node: 0, offset, tail: None, radius, side }];
            vrm.springs[0].colliders = vec![0];
            let clip = with_springs(&held, &still(4.0)).unwrap();
            let mut pose = held.rest.clone();
            clip.sample(4.0, &mut pose);
            let at = PosedModel { model: &held, pose: &mut pose };
            let place = at.world(2).translation;
            // The end rests 0.15 below, or 1.15 from the centre of the ball, up to the way back to the bone's length.
            let off = match side {
                ColliderSide::Inside => place.distance(offset.as_dvec3()) - 1.15,
                _ => place.y + 0.15,
            };
            assert!(off.abs() < 0.05 && place.y < -0.05, "{side:?}: {place}, {off}");
        }
    }

    #[test]
    fn clips_without_springs_or_duration_stay_and_endless_ones_are_refused() {
        let falls = model(SpringJoint { gravity_power: 2.0, ..joint() });
        assert_eq!(with_springs(&Model::default(), &still(1.0)).unwrap(), still(1.0));
        assert_eq!(with_springs(&falls, &Clip::default()).unwrap(), Clip::default());
        let error = with_springs(&falls, &still(1e9)).unwrap_err();
        assert_eq!(error.joints, 2);
        let mut falls = Model { clips: vec![still(1e9), still(1.0)], ..falls };
        assert_eq!(add_springs(&mut falls).len(), 1);
        assert!(falls.clips[1].channels().len() == 3 && falls.clips[0] == still(1e9));
    }
}
