//! The numbers of one frame, in one buffer that is written once: what all passes share, the lights,
//! all palettes, all morph weights, all rigid matrices and the ends of what is laid over it.

use std::ops::Range;

use glam::{DVec3, Mat4, Vec3};

use super::Gpu;
use super::bindings::Eye;
use super::layout::{
    FrameUniform, INSTANCE_BYTES, JOINT_BYTES, LightsUniform, MAX_ACTIVE_TARGETS, MORPH_BYTES,
    MorphTarget, MorphUniform, morph_bytes,
};
use super::offsets::{BONE_BYTES, Offsets};
use super::plan::{Draw, Plan, Scene};
use crate::look::View;
use crate::model::{Model, Projection, Stage};

/// A line over the picture, in the world; sRGB and alpha.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverlayLine {
    pub head: Vec3,
    pub tail: Vec3,
    pub color: [u8; 4],
}

/// What a frame begins with.
pub struct FrameNumbers {
    /// As the camera sees it.
    pub camera: FrameUniform,
    /// As the key light sees it.
    pub light: FrameUniform,
    /// The lights.
    pub lights: LightsUniform,
    /// The joint, as a node, whose weights are shown.
    pub joint: Option<usize>,
}

/// The buffer, and the numbers it is filled from.
pub struct FrameBuffer {
    /// On the GPU.
    pub buffer: wgpu::Buffer,
    /// Where things are in it.
    pub offsets: Offsets,
    /// How many lines, discs and bones there are to draw.
    pub bones: u32,
    /// By draw of the plan, then stage: how many times it is drawn. What is hidden is not.
    shown: Vec<u32>,
    /// As matrices, so that palettes are computed where they lie.
    numbers: Vec<Mat4>,
}

impl FrameBuffer {
    /// A buffer as large as a plan needs for so many stages. At its end there is room for all joints
    /// and morph targets that a draw binds, since a binding is always as long.
    pub fn new(gpu: &Gpu, plan: &Plan, stages: usize, bound_joints: usize) -> Self {
        let offsets = Offsets::new(plan, stages, bound_joints);
        let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("frame"),
            size: offsets.end() + MORPH_BYTES.max(bound_joints as u64 * JOINT_BYTES),
            usage: wgpu::BufferUsages::UNIFORM
                | wgpu::BufferUsages::VERTEX
                | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let shown = vec![0; plan.draws.len() * stages];
        let matrices = (offsets.end() as usize).div_ceil(size_of::<Mat4>());
        Self { buffer, offsets, bones: 0, shown, numbers: vec![Mat4::ZERO; matrices] }
    }

    /// Fills in a frame and writes it, behind the lines that [`FrameBuffer::put_line`] has put in
    /// since the last. Allocates nothing.
    pub fn write(
        &mut self,
        gpu: &Gpu,
        plan: &Plan,
        numbers: &FrameNumbers,
        scene: &Scene<'_>,
        skeleton: bool,
    ) {
        self.put(self.offsets.frame(Eye::Camera), bytemuck::bytes_of(&numbers.camera));
        self.put(self.offsets.frame(Eye::Light), bytemuck::bytes_of(&numbers.light));
        self.put(self.offsets.lights(), bytemuck::bytes_of(&numbers.lights));
        self.shown.fill(0);
        for (i, stage) in scene.stages().enumerate() {
            self.put_palettes(plan, scene.model, (i, stage), numbers.joint);
            self.put_morphs(plan, scene, (i, stage));
            self.put_shown(plan, scene.model, (i, stage));
            if skeleton {
                self.put_bones(plan, stage);
            }
        }
        // What is not used is at the end.
        let end = self.offsets.bones() + u64::from(self.bones) * BONE_BYTES;
        let bytes: &[u8] = bytemuck::cast_slice(&self.numbers);
        gpu.queue.write_buffer(&self.buffer, 0, &bytes[..end as usize]);
    }

    /// Computes a stage's palettes where they lie. The shaders read no bottom row of a joint's matrix
    /// but its last number, which is 1. The first says whose weights are shown, so that blending the
    /// matrices sums them up; the second of the first joint how far it is to the next stage's.
    fn put_palettes(
        &mut self,
        plan: &Plan,
        model: &Model,
        (i, stage): (usize, &Stage),
        shown: Option<usize>,
    ) {
        for (slot, source) in plan.palettes.iter().enumerate() {
            let part = &model.meshes[source.mesh].primitives[source.primitive].parts[source.part];
            let skin = &model.skins[source.skin];
            let at = self.offsets.palette(slot, i) as usize / size_of::<Mat4>();
            let palette = &mut self.numbers[at..at + part.joints.len()];
            skin.write_palette(&part.joints, &stage.world, palette);
            if let Some(first) = palette.first_mut() {
                first.y_axis.w = source.joints as f32;
            }
            if let Some(shown) = shown {
                for (matrix, joint) in palette.iter_mut().zip(&part.joints) {
                    let is_it = skin.joints[usize::from(*joint)] as usize == shown;
                    matrix.x_axis.w = f32::from(u8::from(is_it));
                }
            }
        }
    }

    fn put_morphs(&mut self, plan: &Plan, scene: &Scene<'_>, (i, stage): (usize, &Stage)) {
        for (slot, source) in plan.morphs.iter().enumerate() {
            let primitive = &scene.model.meshes[source.mesh].primitives[source.primitive];
            let uploaded = scene.gpu_model.meshes[source.mesh].get(source.primitive);
            let Some(Some(uploaded)) = uploaded else { continue };
            if let Some(deltas) = &uploaded.deltas {
                let weights = stage.local.weights(source.node);
                let weights = &weights[..weights.len().min(primitive.targets.len())];
                let at = u64::from(self.offsets.morph(Some(slot), i));
                let mut count = 0;
                for target in active_targets(weights) {
                    self.put(at + morph_bytes(count), bytemuck::bytes_of(&target));
                    count += 1;
                }
                let uniform = MorphUniform {
                    count: count as u32,
                    vertices: primitive.vertices.len() as u32,
                    width: deltas.width,
                    kinds: deltas.kinds,
                };
                self.put(at, bytemuck::bytes_of(&uniform));
            }
        }
    }

    /// Says how often each draw is drawn of a stage, and puts in where a rigid one is: what is shown of
    /// it, side by side.
    fn put_shown(&mut self, plan: &Plan, model: &Model, (i, stage): (usize, &Stage)) {
        let stages = self.offsets.stages();
        for (d, draw) in plan.draws.iter().enumerate() {
            if draw.sets > 0 {
                self.shown[d * stages + i] = u32::from(stage.visible[draw.node]);
                continue;
            }
            // Those of a draw that is drawn of all stages at once are the first one's.
            let owner = if draw.is_one_call() { 0 } else { i };
            let first = self.offsets.instance(draw.instances.start)
                + (owner * draw.instances.len()) as u64 * INSTANCE_BYTES;
            for placed in &plan.instances[draw.instances.clone()] {
                if !stage.visible[placed.node] {
                    continue;
                }
                let mut matrix = *stage.world.world_from_node(placed.node);
                if let Some(instance) = placed.instance {
                    matrix *= model.nodes[placed.node].instances[instance];
                }
                let rows = Mat4::from(matrix).transpose().to_cols_array();
                let shown = u64::from(self.shown[d * stages + owner]);
                self.put(first + shown * INSTANCE_BYTES, bytemuck::cast_slice(&rows[..12]));
                self.shown[d * stages + owner] += 1;
            }
        }
    }

    /// The calls that draw a part with this palette of these stages: the dynamic offsets of palettes and
    /// morph weights, and which instances. Stages whose palettes lie in one window are one call.
    pub fn calls(
        &self,
        (d, draw): (usize, &Draw),
        palette: Option<usize>,
        stages: Range<usize>,
        mut call: impl FnMut([u32; 2], Range<u32>),
    ) {
        let offsets = &self.offsets;
        let shown = &self.shown[d * offsets.stages()..][..offsets.stages()];
        let mut stage = stages.start;
        while stage < stages.end {
            let (window, within, room) = offsets.bound(palette, stage);
            let at = [window, offsets.morph(draw.morph, stage)];
            let (first, count, passed) = if draw.sets == 0 {
                (stage * draw.instances.len(), shown[stage] as usize, 1)
            } else {
                let room = if draw.morph.is_some() { 1 } else { room };
                let last = stages.end.min(stage + room);
                let count = shown[stage..last].iter().take_while(|shown| **shown > 0).count();
                (within, count, count.max(1))
            };
            if count > 0 {
                call(at, first as u32..(first + count) as u32);
            }
            stage += passed;
        }
    }

    /// Forgets the lines and bones of the frame before.
    pub fn clear_lines(&mut self) {
        self.bones = 0;
    }

    /// Adds a line over the picture.
    pub fn put_line(&mut self, line: OverlayLine) {
        let at = self.offsets.bones() + u64::from(self.bones) * BONE_BYTES;
        self.put(at, bytemuck::cast_slice(&[line.head.to_array(), line.tail.to_array()]));
        self.put(at + 24, &line.color);
        self.bones += 1;
    }

    /// Adds all bones, and over them a disc for each joint.
    fn put_bones(&mut self, plan: &Plan, stage: &Stage) {
        let color = [0; 4];
        for (joint, above) in &plan.bones {
            if let Some(above) = above {
                let (head, tail) = (stage.position(*above), stage.position(*joint));
                self.put_line(OverlayLine { head, tail, color });
            }
        }
        for (joint, _) in &plan.bones {
            let at = stage.position(*joint);
            self.put_line(OverlayLine { head: at, tail: at, color });
        }
    }

    fn put(&mut self, at: u64, bytes: &[u8]) {
        let all: &mut [u8] = bytemuck::cast_slice_mut(&mut self.numbers);
        all[at as usize..at as usize + bytes.len()].copy_from_slice(bytes);
    }
}

/// The targets whose weight isn't 0; of more than fit, the heaviest.
fn active_targets(weights: &[f32]) -> impl Iterator<Item = MorphTarget> {
    // As bits, sizes are in the same order.
    let size = |weight: f32| weight.abs().to_bits();
    let fit = |least: u32| {
        weights.iter().filter(|weight| size(**weight) > least).count() <= MAX_ACTIVE_TARGETS
    };
    let (mut least, mut most) = (0, if fit(0) { 0 } else { u32::MAX });
    while least < most {
        let middle = least + (most - least) / 2;
        if fit(middle) {
            most = middle;
        } else {
            least = middle + 1;
        }
    }
    // Of those that are as heavy as the lightest that fit, the first.
    let heavier = weights.iter().filter(|weight| size(**weight) > least).count();
    let mut room = if least > 0 { MAX_ACTIVE_TARGETS - heavier } else { 0 };
    let mut counts = move |weight: f32| {
        let as_heavy = room > 0 && size(weight) == least;
        room -= usize::from(as_heavy);
        as_heavy || size(weight) > least
    };
    let heavy = weights.iter().enumerate().filter(move |(_, weight)| counts(**weight));
    heavy.map(|(target, weight)| [target as u32, weight.to_bits()])
}

/// What a camera gives to a frame's numbers; all else is zero. `size` is the picture's in pixels,
/// `points` its pixels a point of what is laid over it.
pub fn camera_uniform(view: &View, origin: DVec3, size: [u32; 2], points: f32) -> FrameUniform {
    let aspect = f64::from(size[0]) / f64::from(size[1]);
    let projection = view.projection_matrix(aspect) * view.camera_from_world(origin);
    let eye = (view.world_from_camera.translation - origin).as_vec3();
    let axes = view.world_from_camera.matrix3.as_mat3();
    let (near, far) = view.depth_range();
    // A parallel camera sees all of an environment in one direction: it is shown as by a lens.
    let (perspective, half_height) = match view.projection {
        Projection::Perspective { fov_y, .. } => (true, (0.5 * fov_y).tan()),
        Projection::Orthographic { .. } => (false, 20f32.to_radians().tan()),
    };
    FrameUniform {
        projection_from_world: projection.as_mat4().to_cols_array_2d(),
        eye: eye.extend(f32::from(u8::from(perspective))).to_array(),
        backward: axes.z_axis.extend(points).to_array(),
        range_and_size: [near, far, size[0] as f32, size[1] as f32],
        right: (half_height * aspect as f32 * axes.x_axis).extend(0.0).to_array(),
        up: (half_height * axes.y_axis).extend(0.0).to_array(),
        ..bytemuck::Zeroable::zeroed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_more_targets_than_fit_the_heaviest_count() {
        let some = [0.0, -0.5, 0.0, 1e-30];
        let active: Vec<_> = active_targets(&some).collect();
        assert_eq!(active, [[1, (-0.5f32).to_bits()], [3, 1e-30f32.to_bits()]]);
        let mut many = vec![0.25; MAX_ACTIVE_TARGETS + 3];
        (many[0], many[3]) = (0.125, -0.0625);
        many.iter_mut().skip(5).step_by(2).for_each(|w| *w = -0.5);
        let heavy: Vec<u32> = active_targets(&many).map(|[target, _]| target).collect();
        let last = many.len() as u32 - 1;
        assert_eq!(many[last as usize], 0.25);
        let want = (0..last).filter(|target| !matches!(target, 0 | 3));
        assert_eq!(heavy, want.collect::<Vec<_>>());
    }
}
