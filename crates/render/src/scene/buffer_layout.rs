//! Offsets in the frame's buffer: palettes, morph weights and instance matrices.
//!
//! A draw binds a window of at least a hundred joint matrices, more if the adapter can, and most rigs have
//! fewer. In a crowd, the palettes of as many characters as fit share one window, and one call draws all
//! of them. A window begins with the number of joints per palette.

use super::bind_layouts::INSTANCE_BYTES;
use super::plan::Plan;
use super::uniforms::{
    JOINT_BYTES, MAX_ACTIVE_TARGETS, MorphUniform, PALETTE_HEADER_BYTES, UNIFORM_ALIGNMENT,
    morph_bytes, palette_bytes,
};

/// Bytes of the empty morph weights, bound by draws without morph targets.
const NO_MORPH: u64 = UNIFORM_ALIGNMENT;

const _: () = assert!(size_of::<MorphUniform>() as u64 <= NO_MORPH);

/// Offsets in the frame's buffer. In order: palettes, morph weights (first the empty ones), instance matrices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BufferLayout {
    palettes: Vec<Windows>,
    stages: u64,
    /// Start of the empty morph weights.
    no_morph: u64,
    /// By index into the plan's morphs.
    morphs: Vec<MorphWeights>,
    instances: u64,
    end: u64,
}

/// The morph weights of one entry of the plan, for all stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MorphWeights {
    start: u64,
    /// Bytes from one stage to the next.
    stride: u64,
}

/// The palettes of one entry of the plan, for all stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Windows {
    start: u64,
    /// Bytes per palette.
    size: u64,
    /// Palettes per window.
    each: usize,
    /// Bytes from one window to the next.
    stride: u64,
}

/// Location of a stage's palette for binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundPalette {
    /// Dynamic offset of the window.
    pub window: u32,
    /// Index of the palette in the window.
    pub index: usize,
    /// Stages from this one on whose palettes are in the window.
    pub stages: usize,
}

impl BufferLayout {
    /// Lays out the data of a plan for `stages` stages, where a draw binds `bound_joints` joints.
    pub fn new(plan: &Plan, stages: usize, bound_joints: usize) -> Self {
        let mut end = 0;
        let palettes = plan
            .palettes
            .iter()
            .map(|source| {
                let joints = source.joints.max(1);
                let each = (bound_joints / joints).clamp(1, stages);
                let size = joints as u64 * JOINT_BYTES;
                let stride = palette_bytes(each * joints).next_multiple_of(UNIFORM_ALIGNMENT);
                let start = end;
                end += stages.div_ceil(each) as u64 * stride;
                Windows { start, size, each, stride }
            })
            .collect();
        let (no_morph, stages) = (end, stages as u64);
        end += NO_MORPH;
        let morphs = plan.morphs.iter().map(|source| {
            let bytes = morph_bytes(source.targets.min(MAX_ACTIVE_TARGETS));
            let stride = bytes.next_multiple_of(UNIFORM_ALIGNMENT);
            let start = end;
            end += stages * stride;
            MorphWeights { start, stride }
        });
        let morphs = morphs.collect();
        let instances = end;
        let end = instances + plan.instances.len() as u64 * stages * INSTANCE_BYTES;
        Self { palettes, stages, no_morph, morphs, instances, end }
    }

    /// Number of stages that the buffer has room for.
    pub fn stages(&self) -> usize {
        self.stages as usize
    }

    /// Total size in bytes.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Start of a stage's palette.
    pub fn palette(&self, slot: usize, stage: usize) -> u64 {
        let windows = self.palettes[slot];
        let index = (stage % windows.each) as u64;
        self.window(slot, stage) + PALETTE_HEADER_BYTES + index * windows.size
    }

    /// Returns the location of a stage's palette. A rigid draw has none and may bind any offset.
    pub fn bound(&self, slot: Option<usize>, stage: usize) -> BoundPalette {
        let Some(slot) = slot else { return BoundPalette { window: 0, index: 0, stages: 1 } };
        let each = self.palettes[slot].each;
        let window = self.window(slot, stage) as u32;
        BoundPalette { window, index: stage % each, stages: each - stage % each }
    }

    /// Start of the window with a stage's palette.
    pub fn window(&self, slot: usize, stage: usize) -> u64 {
        let windows = self.palettes[slot];
        windows.start + (stage / windows.each) as u64 * windows.stride
    }

    /// Dynamic offset of a stage's morph weights.
    pub fn morph(&self, slot: Option<usize>, stage: usize) -> u32 {
        let Some(slot) = slot else { return self.no_morph as u32 };
        let MorphWeights { start, stride } = self.morphs[slot];
        (start + stage as u64 * stride) as u32
    }

    /// Start of a rigid draw's instance matrices, ordered by stage.
    pub fn instance(&self, first: usize) -> u64 {
        self.instances + first as u64 * self.stages * INSTANCE_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::plan::{MorphSource, PaletteSource};

    fn plan(joints: &[usize]) -> Plan {
        let source = |joints: &usize| PaletteSource {
            skin: 0,
            mesh: 0,
            primitive: 0,
            part: 0,
            joints: *joints,
        };
        Plan { palettes: joints.iter().map(source).collect(), ..Plan::default() }
    }

    #[test]
    fn palettes_of_a_crowd_share_windows_and_none_overlap() {
        let joints = [19, 100, 1, 51];
        let (plan, stages) = (plan(&joints), 103);
        let offsets = BufferLayout::new(&plan, stages, 100);
        let mut taken: Vec<(u64, u64)> = Vec::new();
        for (slot, joints) in joints.into_iter().enumerate() {
            for stage in 0..stages {
                let start = offsets.palette(slot, stage);
                taken.push((start, start + 64 * joints as u64));
                let BoundPalette { window, index, stages } = offsets.bound(Some(slot), stage);
                assert!(u64::from(window).is_multiple_of(UNIFORM_ALIGNMENT));
                assert_eq!(u64::from(window) + palette_bytes(index * joints), start);
                taken.extend((index == 0).then_some((start - PALETTE_HEADER_BYTES, start)));
                assert!(index + stages <= (100 / joints).max(1));
            }
        }
        taken.sort_unstable();
        assert!(taken.windows(2).all(|pair| pair[0].1 <= pair[1].0));
        assert!(taken[taken.len() - 1].1 <= offsets.no_morph);
        assert_eq!(offsets.bound(Some(0), 7).index, 2, "five palettes of 19 joints per window");
    }

    #[test]
    fn morph_weights_take_room_per_target() {
        let source = |targets| MorphSource { node: 0, mesh: 0, primitive: 0, targets };
        let morphs = [2, 300, 5000].map(source).to_vec();
        let offsets = BufferLayout::new(&Plan { morphs, ..Plan::default() }, 3, 100);
        let none = offsets.morph(None, 2);
        let at =
            |slot, stage| u64::from(offsets.morph(Some(slot), stage) - none) / UNIFORM_ALIGNMENT;
        assert_eq!([at(0, 0), at(0, 1), at(0, 2), at(1, 0)], [1, 2, 3, 4]);
        assert_eq!([at(1, 1), at(1, 2), at(2, 0)], [14, 24, 34], "300 targets take 2416 bytes");
        assert_eq!(at(2, 1) - at(2, 0), 64, "capped at what a draw binds");
        assert_eq!(offsets.instance(0) - u64::from(none), (34 + 3 * 64) * UNIFORM_ALIGNMENT);
    }

    #[test]
    fn with_one_stage_each_palette_has_its_own_window() {
        let offsets = BufferLayout::new(&plan(&[3, 4]), 1, 1024);
        assert_eq!(offsets.palette(0, 0), PALETTE_HEADER_BYTES);
        assert_eq!(offsets.palette(1, 0), UNIFORM_ALIGNMENT + PALETTE_HEADER_BYTES);
    }
}
