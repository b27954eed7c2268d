//! The poses of a frame in one buffer, written once per frame: palettes, morph weights and instance matrices.

use std::ops::Range;
use std::sync::Arc;

use glam::{Mat4, Vec4};

use super::bind_layouts::INSTANCE_BYTES;
use super::buffer_layout::BufferLayout;
use super::plan::{Batch, Plan, Scene};
use super::uniforms::{
    MAX_ACTIVE_TARGETS, MORPH_BYTES, MorphTarget, MorphUniform, morph_bytes, palette_bytes,
};
use crate::Gpu;
use rigview_look::BindDistances;
use rigview_model::{Model, Stage};

/// A number per joint, which the vertices show as the weighted mean of their joints' numbers.
#[derive(Clone, Debug, Default)]
pub enum JointHeat {
    #[default]
    None,
    /// 1 for this joint, a node, and 0 for all others: the means are its weights.
    Of(usize),
    /// The share of the largest distance; [`NO_NUMBER`] for joints without a distance.
    FromBind(Arc<BindDistances>),
}

/// The number of a joint without one: any weight of it makes the mean negative.
const NO_NUMBER: f32 = -1e6;

impl JointHeat {
    /// Returns the number of a skin's joint.
    fn number(&self, model: &Model, skin: usize, joint: usize) -> f32 {
        match self {
            JointHeat::None => 0.0,
            JointHeat::Of(node) => {
                f32::from(u8::from(model.skins[skin].joints[joint] as usize == *node))
            }
            JointHeat::FromBind(distances) => distances.share(skin, joint).unwrap_or(NO_NUMBER),
        }
    }
}

/// The frame's buffer, and the copy in main memory that is uploaded to it.
pub struct FrameData {
    /// The buffer on the GPU.
    pub buffer: wgpu::Buffer,
    /// Offsets in the buffer.
    pub layout: BufferLayout,
    /// Visible instances by draw of the plan, then stage.
    shown: Vec<u32>,
    /// Contents of the buffer, with the alignment of matrices so that palettes are computed in place.
    contents: Vec<Vec4>,
}

/// A posed stage and its index among the stages of the scene.
#[derive(Clone, Copy)]
struct IndexedStage<'a> {
    index: usize,
    stage: &'a Stage,
}

/// Dynamic offsets and instances of one draw call.
pub struct Call {
    /// Offsets of the palette window and the morph weights.
    pub offsets: [u32; 2],
    pub instances: Range<u32>,
}

impl FrameData {
    /// Allocates the buffer of a plan for `stages` stages. It is padded at the end by the size of the
    /// largest binding, because a binding has the same size at every offset.
    pub fn new(gpu: &Gpu, plan: &Plan, stages: usize, bound_joints: usize) -> Self {
        let layout = BufferLayout::new(plan, stages, bound_joints);
        let size = layout.end() + MORPH_BYTES.max(palette_bytes(bound_joints));
        let read = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::VERTEX;
        let buffer = gpu.buffer("frame data", size, read | wgpu::BufferUsages::COPY_DST);
        let shown = vec![0; plan.draws.len() * stages];
        let vectors = (layout.end() as usize).div_ceil(size_of::<Vec4>());
        Self { buffer, layout, shown, contents: vec![Vec4::ZERO; vectors] }
    }

    /// Fills in and uploads the poses of a scene. Allocates nothing.
    pub fn write(&mut self, gpu: &Gpu, plan: &Plan, heat: &JointHeat, scene: &Scene<'_>) {
        self.shown.fill(0);
        for (index, stage) in scene.all_stages().enumerate() {
            let indexed = IndexedStage { index, stage };
            self.write_palettes(plan, scene.model, indexed, heat);
            self.write_morphs(plan, scene, indexed);
            self.write_instances(plan, scene, indexed);
        }
        let bytes: &[u8] = bytemuck::cast_slice(&self.contents);
        gpu.queue.write_buffer(&self.buffer, 0, &bytes[..self.layout.end() as usize]);
    }

    /// Computes a stage's palettes in place, and writes the numbers of their joints. Of the bottom row of a joint's matrix,
    /// the shaders need only the last element, which is 1. The first element is the joint's number, so that blending the
    /// matrices gives the vertex' mean.
    fn write_palettes(
        &mut self,
        plan: &Plan,
        model: &Model,
        IndexedStage { index, stage }: IndexedStage<'_>,
        heat: &JointHeat,
    ) {
        for (slot, source) in plan.palettes.iter().enumerate() {
            let part = &model.meshes[source.mesh].primitives[source.primitive].parts[source.part];
            let skin = &model.skins[source.skin];
            let joints = source.joints as u32;
            self.write_bytes(self.layout.window(slot, index), bytemuck::bytes_of(&joints));
            let at = self.layout.palette(slot, index) as usize / size_of::<Vec4>();
            let vectors = &mut self.contents[at..][..4 * part.joints.len()];
            let palette: &mut [Mat4] = bytemuck::cast_slice_mut(vectors);
            skin.write_palette(&part.joints, &stage.world, palette);
            if !matches!(heat, JointHeat::None) {
                for (matrix, joint) in palette.iter_mut().zip(&part.joints) {
                    matrix.x_axis.w = heat.number(model, source.skin, usize::from(*joint));
                }
            }
        }
    }

    fn write_morphs(&mut self, plan: &Plan, scene: &Scene<'_>, indexed: IndexedStage<'_>) {
        let IndexedStage { index, stage } = indexed;
        for (slot, source) in plan.morphs.iter().enumerate() {
            let primitive = &scene.model.meshes[source.mesh].primitives[source.primitive];
            let uploaded = scene.gpu_model.meshes[source.mesh].get(source.primitive);
            let Some(Some(uploaded)) = uploaded else { continue };
            if let Some(deltas) = &uploaded.deltas {
                let weights = stage.local.weights(source.node);
                let weights = &weights[..weights.len().min(primitive.targets.len())];
                let at = u64::from(self.layout.morph(Some(slot), index));
                let mut count = 0;
                for (target, weight) in active_targets(weights) {
                    let entry: MorphTarget = [target * deltas.kinds.count_ones(), weight.to_bits()];
                    self.write_bytes(at + morph_bytes(count), bytemuck::bytes_of(&entry));
                    count += 1;
                }
                let uniform = MorphUniform {
                    count: count as u32,
                    vertices: primitive.vertices.len() as u32,
                    width: deltas.width,
                    kinds: deltas.kinds,
                };
                self.write_bytes(at, bytemuck::bytes_of(&uniform));
            }
        }
    }

    /// Counts the visible instances of each draw in a stage, and writes the matrices of the rigid ones
    /// without gaps.
    fn write_instances(&mut self, plan: &Plan, scene: &Scene<'_>, indexed: IndexedStage<'_>) {
        let IndexedStage { index, stage } = indexed;
        let in_full = index < scene.count();
        let stages = self.layout.stages();
        for (d, draw) in plan.draws.iter().enumerate() {
            if draw.sets > 0 {
                self.shown[d * stages + index] = u32::from(stage.visible[draw.node]);
                continue;
            }
            // A draw that covers all stages in one call keeps their instances with the first stage; ghosts keep
            // their own.
            let owner = if draw.is_one_call() && in_full { 0 } else { index };
            let first = self.layout.instance(draw.instances.start)
                + (owner * draw.instances.len()) as u64 * INSTANCE_BYTES;
            for placed in &plan.instances[draw.instances.clone()] {
                if !stage.visible[placed.node] {
                    continue;
                }
                let mut matrix = *stage.world.world_from_node(placed.node);
                if let Some(instance) = placed.instance {
                    matrix *= scene.model.nodes[placed.node].instances[instance];
                }
                let rows = Mat4::from(matrix).transpose().to_cols_array();
                let shown = u64::from(self.shown[d * stages + owner]);
                self.write_bytes(first + shown * INSTANCE_BYTES, bytemuck::cast_slice(&rows[..12]));
                self.shown[d * stages + owner] += 1;
            }
        }
    }

    /// Calls `call` per draw call that is needed to draw a part with this palette. Stages whose palettes
    /// share a window are drawn by one call.
    pub fn calls(
        &self,
        plan: &Plan,
        batch: &Batch,
        palette: Option<usize>,
        mut call: impl FnMut(Call),
    ) {
        let (layout, draw) = (&self.layout, &plan.draws[batch.draw]);
        let shown = &self.shown[batch.draw * layout.stages()..][..layout.stages()];
        let mut stage = batch.stages.start;
        while stage < batch.stages.end {
            let bound = layout.bound(palette, stage);
            let (first, count, passed) = if draw.sets == 0 {
                let all = 0..shown[stage];
                let some = batch.instances.clone().unwrap_or(all.clone());
                let first = stage * draw.instances.len() + some.start as usize;
                (first, some.end.min(all.end).saturating_sub(some.start) as usize, 1)
            } else {
                let room = if draw.morph.is_some() { 1 } else { bound.stages };
                let last = batch.stages.end.min(stage + room);
                let count = shown[stage..last].iter().take_while(|shown| **shown > 0).count();
                (bound.index, count, count.max(1))
            };
            if count > 0 {
                call(Call {
                    offsets: [bound.window, layout.morph(draw.morph, stage)],
                    instances: first as u32..(first + count) as u32,
                });
            }
            stage += passed;
        }
    }

    fn write_bytes(&mut self, at: u64, bytes: &[u8]) {
        let all: &mut [u8] = bytemuck::cast_slice_mut(&mut self.contents);
        all[at as usize..at as usize + bytes.len()].copy_from_slice(bytes);
    }
}

/// Returns the targets whose weight is not 0, with their weights; if there are more than
/// [`MAX_ACTIVE_TARGETS`], those of the largest absolute weights.
fn active_targets(weights: &[f32]) -> impl Iterator<Item = (u32, f32)> {
    // The bits of non-negative floats have the same order as the floats.
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
    // Of the targets at the threshold, the first ones fill the room that is left.
    let heavier = weights.iter().filter(|weight| size(**weight) > least).count();
    let mut room = if least > 0 { MAX_ACTIVE_TARGETS - heavier } else { 0 };
    let mut counts = move |weight: f32| {
        let as_heavy = room > 0 && size(weight) == least;
        room -= usize::from(as_heavy);
        as_heavy || size(weight) > least
    };
    let heavy = weights.iter().enumerate().filter(move |(_, weight)| counts(**weight));
    heavy.map(|(target, weight)| (target as u32, *weight))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heaviest_targets_are_active() {
        let some = [0.0, -0.5, 0.0, 1e-30];
        let active: Vec<_> = active_targets(&some).collect();
        assert_eq!(active, [(1, -0.5), (3, 1e-30)]);
        let mut many = vec![0.25; MAX_ACTIVE_TARGETS + 3];
        (many[0], many[3]) = (0.125, -0.0625);
        many.iter_mut().skip(5).step_by(2).for_each(|w| *w = -0.5);
        let heavy: Vec<u32> = active_targets(&many).map(|(target, _)| target).collect();
        let last = many.len() as u32 - 1;
        assert_eq!(many[last as usize], 0.25);
        let want = (0..last).filter(|target| !matches!(target, 0 | 3));
        assert_eq!(heavy, want.collect::<Vec<_>>());
    }
}
