//! The numbers of one frame, in one buffer that is written once: what all passes share, all
//! palettes, all morph weights, all rigid matrices and the skeleton's ends.

use std::f32::consts::PI;

use glam::{DVec3, Mat4, Vec3};

use super::layout::{
    FrameUniform, INSTANCE_BYTES, MAX_ACTIVE_TARGETS, MorphUniform, PALETTE_BYTES,
    UNIFORM_ALIGNMENT,
};
use super::plan::Plan;
use super::{Gpu, GpuModel};
use crate::anim::MAX_PALETTE_JOINTS;
use crate::look::{Lighting, Look, View};
use crate::model::{Model, Projection, Stage};

/// Where things are in the buffer. Palettes come after the frame's own block, morph weights
/// after them (the first is the one of draws without), then matrices, then the skeleton.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offsets {
    morphs: u64,
    instances: u64,
    bones: u64,
    end: u64,
}

const FRAME_SLOT: u64 = 512;
const MORPH_SLOT: u64 = 2304;
/// Two points.
pub const BONE_BYTES: u64 = 24;

const _: () = assert!(size_of::<FrameUniform>() as u64 <= FRAME_SLOT);
const _: () = assert!(size_of::<MorphUniform>() as u64 <= MORPH_SLOT);
const _: () = assert!(PALETTE_BYTES.is_multiple_of(UNIFORM_ALIGNMENT));

impl Offsets {
    fn new(plan: &Plan) -> Self {
        let morphs = FRAME_SLOT + plan.palettes.len() as u64 * PALETTE_BYTES;
        let instances = morphs + (1 + plan.morphs.len() as u64) * MORPH_SLOT;
        let bones = instances + plan.instances.len() as u64 * INSTANCE_BYTES;
        // Every joint has a disc, and most a bone.
        let end = bones + 2 * plan.bones.len() as u64 * BONE_BYTES;
        Self { morphs, instances, bones, end }
    }

    /// The dynamic offset of a palette; any place does for a draw that has none.
    pub fn palette(&self, slot: Option<usize>) -> u32 {
        slot.map_or(0, |slot| (FRAME_SLOT + slot as u64 * PALETTE_BYTES) as u32)
    }

    /// The dynamic offset of morph weights.
    pub fn morph(&self, slot: Option<usize>) -> u32 {
        (self.morphs + slot.map_or(0, |slot| slot as u64 + 1) * MORPH_SLOT) as u32
    }

    /// Where a rigid draw's matrices begin.
    pub fn instance(&self, first: usize) -> u64 {
        self.instances + first as u64 * INSTANCE_BYTES
    }

    /// Where the skeleton's ends begin.
    pub fn bones(&self) -> u64 {
        self.bones
    }
}

/// The buffer, and the bytes it is filled from.
pub struct FrameBuffer {
    /// On the GPU.
    pub buffer: wgpu::Buffer,
    /// Where things are in it.
    pub offsets: Offsets,
    /// How many discs and bones there are to draw.
    pub bones: u32,
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
        Self { buffer, offsets, bones: 0, bytes: vec![0; offsets.end as usize] }
    }

    /// Fills in a frame and writes it. Allocates nothing.
    pub fn write(
        &mut self,
        gpu: &Gpu,
        plan: &Plan,
        uniform: &FrameUniform,
        (model, gpu_model, stage): (&Model, &GpuModel, &Stage),
    ) {
        self.put(0, bytemuck::bytes_of(uniform));
        let mut palette = [Mat4::IDENTITY; MAX_PALETTE_JOINTS];
        for (slot, source) in plan.palettes.iter().enumerate() {
            let joints =
                &model.meshes[source.mesh].primitives[source.primitive].parts[source.part].joints;
            model.skins[source.skin].write_palette(joints, &stage.world, &mut palette);
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
                    blocks: deltas.blocks,
                    ..active_targets(weights)
                };
                let at = u64::from(self.offsets.morph(Some(slot)));
                self.put(at, bytemuck::bytes_of(&uniform));
            }
        }
        for (i, placed) in plan.instances.iter().enumerate() {
            let mut matrix = stage.world.world_from_node[placed.node];
            if let Some(instance) = placed.instance {
                matrix *= model.nodes[placed.node].instances[instance];
            }
            let rows = Mat4::from(matrix).transpose().to_cols_array();
            self.put(self.offsets.instance(i), bytemuck::cast_slice(&rows[..12]));
        }
        self.bones = 0;
        let put_bone = |this: &mut Self, head: Vec3, tail: Vec3| {
            let at = this.offsets.bones + u64::from(this.bones) * BONE_BYTES;
            this.put(at, bytemuck::cast_slice(&[head.to_array(), tail.to_array()]));
            this.bones += 1;
        };
        for (joint, above) in &plan.bones {
            if let Some(above) = above {
                put_bone(self, stage.position(*above), stage.position(*joint));
            }
        }
        for (joint, _) in &plan.bones {
            put_bone(self, stage.position(*joint), stage.position(*joint));
        }
        gpu.queue.write_buffer(&self.buffer, 0, &self.bytes);
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
        blocks: 1,
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

/// What all passes of a frame share. `size` is the picture's in pixels.
pub fn frame_uniform(view: &View, look: &Look, origin: DVec3, size: [u32; 2]) -> FrameUniform {
    let aspect = f64::from(size[0]) / f64::from(size[1]);
    let projection = view.projection_matrix(aspect) * view.camera_from_world(origin);
    let eye = (view.world_from_camera.translation - origin).as_vec3();
    let perspective = matches!(view.projection, Projection::Perspective { .. });
    let backward = view.world_from_camera.matrix3.z_axis.as_vec3();
    let (near, far) = view.depth_range();
    let (sky, ground, gloss, lights) = light(&look.lighting);
    let mut uniform = FrameUniform {
        projection_from_world: projection.as_mat4().to_cols_array_2d(),
        eye: eye.extend(f32::from(perspective)).to_array(),
        backward: backward.extend(look.overlay_scale).to_array(),
        range_and_size: [near, far, size[0] as f32, size[1] as f32],
        sky: sky.extend(lights.len() as f32).to_array(),
        ground: ground.extend(gloss).to_array(),
        lights: [[[0.0; 4]; 2]; 4],
    };
    for (slot, (towards, radiance)) in uniform.lights.iter_mut().zip(lights) {
        let towards = towards.normalize_or_zero();
        *slot = [towards.extend(0.0).to_array(), radiance.extend(0.0).to_array()];
    }
    uniform
}

/// Light from above, from below, how much gloss, and lights as the way to them and their illuminance.
type Light = (Vec3, Vec3, f32, Vec<(Vec3, Vec3)>);

fn light(lighting: &Lighting) -> Light {
    match lighting {
        Lighting::Default => (
            Vec3::new(0.52, 0.56, 0.63),
            Vec3::new(0.25, 0.23, 0.21),
            0.35,
            vec![
                // The key from the front and above, a little from the right, so that the sides of a box
                // differ; a rim from behind on the left.
                (Vec3::new(0.32, 0.78, 0.75), PI * Vec3::new(0.80, 0.77, 0.71)),
                (Vec3::new(-0.7, 0.25, -0.6), PI * Vec3::new(0.16, 0.19, 0.24)),
            ],
        ),
        Lighting::Explicit { environment, lights } => {
            let lights = lights.iter().map(|l| (-l.direction, Vec3::splat(l.lux))).collect();
            (*environment, *environment, 0.0, lights)
        }
    }
}
