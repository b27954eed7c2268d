//! The numbers of one frame, in one buffer that is written once: what all passes share, the lights,
//! all palettes, all morph weights, all rigid matrices and the ends of what is laid over it.

use glam::{DVec3, Mat4, Vec3};

use super::bindings::Eye;
use super::layout::{
    FrameUniform, INSTANCE_BYTES, LightsUniform, MAX_ACTIVE_TARGETS, MorphUniform, PALETTE_BYTES,
    UNIFORM_ALIGNMENT,
};
use super::plan::{Draw, Plan};
use super::{Gpu, GpuModel};
use crate::anim::MAX_PALETTE_JOINTS;
use crate::look::View;
use crate::model::{Model, Projection, Stage};

/// Where things are in the buffer: the frame as the camera sees it, as the key light does, the lights,
/// then palettes, morph weights (the first is the one of draws without), matrices, and the lines and
/// bones over the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offsets {
    morphs: u64,
    instances: u64,
    bones: u64,
    end: u64,
}

const FRAME_SLOT: u64 = 768;
const LIGHTS_SLOT: u64 = 4352;
const PALETTES: u64 = 2 * FRAME_SLOT + LIGHTS_SLOT;
const MORPH_SLOT: u64 = 2304;
/// Two points and a colour.
pub const BONE_BYTES: u64 = 28;
/// Three axes and the edges of a box.
const MAX_LINES: u64 = 15;

const _: () = assert!(size_of::<FrameUniform>() as u64 <= FRAME_SLOT);
const _: () = assert!(size_of::<LightsUniform>() as u64 <= LIGHTS_SLOT);
const _: () = assert!(FRAME_SLOT.is_multiple_of(UNIFORM_ALIGNMENT));
const _: () = assert!(PALETTES.is_multiple_of(UNIFORM_ALIGNMENT));
const _: () = assert!(size_of::<MorphUniform>() as u64 <= MORPH_SLOT);
const _: () = assert!(PALETTE_BYTES.is_multiple_of(UNIFORM_ALIGNMENT));

impl Offsets {
    fn new(plan: &Plan) -> Self {
        let morphs = PALETTES + plan.palettes.len() as u64 * PALETTE_BYTES;
        let instances = morphs + (1 + plan.morphs.len() as u64) * MORPH_SLOT;
        let bones = instances + plan.instances.len() as u64 * INSTANCE_BYTES;
        // Every joint has a disc, and most a bone.
        let end = bones + (MAX_LINES + 2 * plan.bones.len() as u64) * BONE_BYTES;
        Self { morphs, instances, bones, end }
    }

    /// Where the numbers of one who looks begin.
    pub fn frame(&self, eye: Eye) -> u64 {
        match eye {
            Eye::Camera => 0,
            Eye::Light => FRAME_SLOT,
        }
    }

    /// Where the lights begin.
    pub fn lights(&self) -> u64 {
        2 * FRAME_SLOT
    }

    /// The dynamic offset of a palette; any place does for a draw that has none.
    pub fn palette(&self, slot: Option<usize>) -> u32 {
        slot.map_or(0, |slot| (PALETTES + slot as u64 * PALETTE_BYTES) as u32)
    }

    /// The dynamic offset of morph weights.
    pub fn morph(&self, slot: Option<usize>) -> u32 {
        (self.morphs + slot.map_or(0, |slot| slot as u64 + 1) * MORPH_SLOT) as u32
    }

    /// Where a rigid draw's matrices begin.
    pub fn instance(&self, first: usize) -> u64 {
        self.instances + first as u64 * INSTANCE_BYTES
    }

    /// Where the ends of lines and bones begin.
    pub fn bones(&self) -> u64 {
        self.bones
    }
}

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

/// The buffer, and the bytes it is filled from.
pub struct FrameBuffer {
    /// On the GPU.
    pub buffer: wgpu::Buffer,
    /// Where things are in it.
    pub offsets: Offsets,
    /// How many lines, discs and bones there are to draw.
    pub bones: u32,
    /// By draw of the plan: how many times it is drawn. What is hidden is not.
    pub shown: Vec<u32>,
    bytes: Vec<u8>,
}

impl FrameBuffer {
    /// A buffer as large as a plan needs. At its end there is room for one more palette, since a
    /// binding is always a whole one long.
    pub fn new(gpu: &Gpu, plan: &Plan) -> Self {
        let offsets = Offsets::new(plan);
        let size = offsets.end + PALETTE_BYTES;
        let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("frame"),
            size,
            usage: wgpu::BufferUsages::UNIFORM
                | wgpu::BufferUsages::VERTEX
                | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let shown = vec![0; plan.draws.len()];
        Self { buffer, offsets, bones: 0, shown, bytes: vec![0; offsets.end as usize] }
    }

    /// Fills in a frame and writes it, behind the lines that [`FrameBuffer::put_line`] has put in
    /// since the last. Allocates nothing.
    pub fn write(
        &mut self,
        gpu: &Gpu,
        plan: &Plan,
        numbers: &FrameNumbers,
        (model, gpu_model, stage): (&Model, &GpuModel, &Stage),
        skeleton: bool,
    ) {
        self.put(self.offsets.frame(Eye::Camera), bytemuck::bytes_of(&numbers.camera));
        self.put(self.offsets.frame(Eye::Light), bytemuck::bytes_of(&numbers.light));
        self.put(self.offsets.lights(), bytemuck::bytes_of(&numbers.lights));
        let mut palette = [Mat4::IDENTITY; MAX_PALETTE_JOINTS];
        for (slot, source) in plan.palettes.iter().enumerate() {
            let joints =
                &model.meshes[source.mesh].primitives[source.primitive].parts[source.part].joints;
            model.skins[source.skin].write_palette(joints, &stage.world, &mut palette);
            // The shaders read no bottom row of a joint's matrix but its last number, which is 1: the
            // first says whose weights are shown, so that blending the matrices sums them up.
            let skin = &model.skins[source.skin].joints;
            for (matrix, joint) in palette.iter_mut().zip(joints) {
                let shown = numbers.joint == Some(skin[usize::from(*joint)] as usize);
                matrix.x_axis.w = f32::from(u8::from(shown));
            }
            let used = bytemuck::cast_slice(&palette[..joints.len()]);
            self.put(u64::from(self.offsets.palette(Some(slot))), used);
        }
        for (slot, source) in plan.morphs.iter().enumerate() {
            let vertices = model.meshes[source.mesh].primitives[source.primitive].vertices.len();
            let Some(Some(primitive)) = gpu_model.meshes[source.mesh].get(source.primitive) else {
                continue;
            };
            if let Some(deltas) = &primitive.deltas {
                let targets = model.meshes[source.mesh].primitives[source.primitive].targets.len();
                let weights = stage.local.weights(source.node);
                let weights = &weights[..weights.len().min(targets)];
                let uniform = MorphUniform {
                    vertices: vertices as u32,
                    width: deltas.width,
                    kinds: deltas.kinds,
                    ..active_targets(weights)
                };
                let at = u64::from(self.offsets.morph(Some(slot)));
                self.put(at, bytemuck::bytes_of(&uniform));
            }
        }
        for (i, draw) in plan.draws.iter().enumerate() {
            self.shown[i] = match draw.sets {
                0 => self.put_instances(plan, draw, model, stage),
                _ => u32::from(stage.visible[draw.node]),
            };
        }
        if skeleton {
            self.put_bones(plan, stage);
        }
        gpu.queue.write_buffer(&self.buffer, 0, &self.bytes);
    }

    /// Puts in where a rigid draw is drawn: what is shown of it, side by side, and says how often.
    fn put_instances(&mut self, plan: &Plan, draw: &Draw, model: &Model, stage: &Stage) -> u32 {
        let mut shown = 0;
        let places = &plan.instances[draw.instances.clone()];
        for placed in places.iter().filter(|placed| stage.visible[placed.node]) {
            let mut matrix = *stage.world.world_from_node(placed.node);
            if let Some(instance) = placed.instance {
                matrix *= model.nodes[placed.node].instances[instance];
            }
            let rows = Mat4::from(matrix).transpose().to_cols_array();
            let at = self.offsets.instance(draw.instances.start + shown);
            self.put(at, bytemuck::cast_slice(&rows[..12]));
            shown += 1;
        }
        shown as u32
    }

    /// Forgets the lines and bones of the frame before.
    pub fn clear_lines(&mut self) {
        self.bones = 0;
    }

    /// Adds a line over the picture.
    pub fn put_line(&mut self, line: OverlayLine) {
        let at = self.offsets.bones + u64::from(self.bones) * BONE_BYTES;
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
        self.bytes[at as usize..at as usize + bytes.len()].copy_from_slice(bytes);
    }
}

/// The targets whose weight isn't 0; of more than fit, the heaviest.
fn active_targets(weights: &[f32]) -> MorphUniform {
    let mut uniform = MorphUniform {
        count: 0,
        vertices: 1,
        width: 1,
        kinds: 0,
        targets: [[0; 2]; MAX_ACTIVE_TARGETS],
    };
    let active = weights.iter().filter(|w| **w != 0.0).count();
    let mut least = 0.0;
    if active > MAX_ACTIVE_TARGETS {
        let mut sizes: Vec<f32> = weights.iter().map(|w| w.abs()).collect();
        sizes.sort_unstable_by(|a, b| b.total_cmp(a));
        least = sizes[MAX_ACTIVE_TARGETS];
    }
    for (target, weight) in weights.iter().enumerate() {
        if weight.abs() > least && (uniform.count as usize) < MAX_ACTIVE_TARGETS {
            uniform.targets[uniform.count as usize] = [target as u32, weight.to_bits()];
            uniform.count += 1;
        }
    }
    uniform
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
