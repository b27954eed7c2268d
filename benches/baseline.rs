//! The textbook way from a time in a clip to a palette: a binary search and glam's slerp for each
//! channel, and `Mat4` products for the tree and the palette.
//!
//! The benchmark compares with it, and a property test uses it as its oracle.

use glam::{Mat4, Quat, Vec3};
use rigview::anim::{Channel, Keys, Track, Transform, Value};

use super::rig::Rig;

/// A rig with its poses and matrices.
pub struct Plain<'a> {
    rig: &'a Rig,
    rest: Vec<Transform>,
    local: Vec<Transform>,
    world: Vec<Mat4>,
    joint_from_mesh: Vec<Mat4>,
}

impl<'a> Plain<'a> {
    pub fn new(rig: &'a Rig) -> Self {
        let nodes = rig.rest.len();
        let rest: Vec<_> = (0..nodes).map(|node| rig.rest.transform(node)).collect();
        Self {
            rig,
            local: rest.clone(),
            world: vec![Mat4::IDENTITY; nodes],
            joint_from_mesh: rig.skin.joint_from_mesh.iter().map(|m| Mat4::from(*m)).collect(),
            rest,
        }
    }

    /// Samples the clip, which must have LINEAR and STEP keys only, resolves the tree and writes the
    /// palette.
    pub fn pose(&mut self, time: f32, palette: &mut [Mat4]) {
        let Rig { tree, skin, clip, .. } = self.rig;
        self.local.copy_from_slice(&self.rest);
        for channel in clip.channels() {
            match channel {
                Channel::Translation { node, track } => {
                    self.local[*node].translation = sample(track, time, Vec3::lerp);
                }
                Channel::Rotation { node, track } => {
                    self.local[*node].rotation = sample(track, time, Quat::slerp);
                }
                Channel::Scale { node, track } => {
                    self.local[*node].scale = sample(track, time, Vec3::lerp);
                }
                Channel::Weights { .. } => {}
            }
        }
        for node in tree.parents_first() {
            let t = &self.local[node];
            let local = Mat4::from_scale_rotation_translation(t.scale, t.rotation, t.translation);
            self.world[node] = match tree.parent(node) {
                Some(parent) => self.world[parent] * local,
                None => local,
            };
        }
        for ((out, joint), bind) in palette.iter_mut().zip(&skin.joints).zip(&self.joint_from_mesh)
        {
            *out = self.world[*joint as usize] * *bind;
        }
    }
}

fn sample<T: Value>(track: &Track<T>, time: f32, between: fn(T, T, f32) -> T) -> T {
    let times = track.times();
    let next = times.partition_point(|t| *t <= time);
    match track.keys() {
        Keys::Linear(values) if next > 0 && next < times.len() => {
            let (start, end) = (times[next - 1], times[next]);
            between(values[next - 1], values[next], (time - start) / (end - start))
        }
        Keys::Step(values) | Keys::Linear(values) | Keys::Cubic { values, .. } => {
            values[next.saturating_sub(1)]
        }
    }
}
