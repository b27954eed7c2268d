//! The plain way from a clip's time to a palette, as textbooks have it: a binary search and glam's
//! slerp for each channel, `Mat4` down the tree, `Mat4` into the palette.
//!
//! The bench compares with it, and a property test takes it for its oracle.

use glam::{Mat4, Quat, Vec3};
use rigview::anim::{Channel, Clip, Hierarchy, Keys, LocalPose, Skin, Track, Transform, Value};

/// A rig's poses and matrices.
pub struct Plain {
    rest: Vec<Transform>,
    local: Vec<Transform>,
    world: Vec<Mat4>,
    joint_from_mesh: Vec<Mat4>,
}

impl Plain {
    pub fn new(rest: &LocalPose, skin: &Skin) -> Self {
        let rest: Vec<_> = (0..rest.len()).map(|node| rest.transform(node)).collect();
        Self {
            local: rest.clone(),
            world: vec![Mat4::IDENTITY; rest.len()],
            joint_from_mesh: skin.joint_from_mesh.iter().map(|m| Mat4::from(*m)).collect(),
            rest,
        }
    }

    /// Samples a clip of linear and constant keys, resolves the tree and writes the palette.
    pub fn pose(
        &mut self,
        time: f32,
        clip: &Clip,
        (tree, skin): (&Hierarchy, &Skin),
        palette: &mut [Mat4],
    ) {
        self.local.copy_from_slice(&self.rest);
        for channel in &clip.channels {
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
        for &node in tree.parents_first() {
            let t = &self.local[node as usize];
            let local = Mat4::from_scale_rotation_translation(t.scale, t.rotation, t.translation);
            self.world[node as usize] = match tree.parent(node as usize) {
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
