//! Where the numbers of a frame lie in its buffer: what all passes share, the palettes, morph weights,
//! matrices, and the lines over the picture.
//!
//! A draw binds room for a hundred matrices, or for more where the adapter has it, and most rigs have
//! fewer: of a crowd, the palettes of as many characters as fit lie side by side in one window, and one
//! call draws them all.

use super::bindings::Eye;
use super::layout::{
    FrameUniform, INSTANCE_BYTES, JOINT_BYTES, LightsUniform, MAX_ACTIVE_TARGETS, MorphUniform,
    UNIFORM_ALIGNMENT, morph_bytes,
};
use super::plan::Plan;

const FRAME_SLOT: u64 = 768;
const LIGHTS_SLOT: u64 = 4352;
const PALETTES: u64 = 2 * FRAME_SLOT + LIGHTS_SLOT;
/// The morph weights of draws without.
const NO_MORPH: u64 = UNIFORM_ALIGNMENT;
/// Two points and a colour.
pub const BONE_BYTES: u64 = 28;
/// Three axes and the edges of a box.
const MAX_LINES: u64 = 15;

const _: () = assert!(size_of::<FrameUniform>() as u64 <= FRAME_SLOT);
const _: () = assert!(size_of::<LightsUniform>() as u64 <= LIGHTS_SLOT);
const _: () = assert!(FRAME_SLOT.is_multiple_of(UNIFORM_ALIGNMENT));
const _: () = assert!(PALETTES.is_multiple_of(UNIFORM_ALIGNMENT));
const _: () = assert!(size_of::<MorphUniform>() as u64 <= NO_MORPH);

/// Where things are in the buffer: the frame as the camera sees it, as the key light does, the lights,
/// then palettes, morph weights (the first is the one of draws without), matrices, and the lines and
/// bones over the picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offsets {
    palettes: Vec<Windows>,
    stages: u64,
    /// Where the morph weights begin: those of draws without.
    no_morph: u64,
    /// By slot of the plan, where its weights begin and the bytes from one stage to the next.
    morphs: Vec<(u64, u64)>,
    instances: u64,
    bones: u64,
    end: u64,
}

/// The palettes of one slot of a plan, for all stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Windows {
    start: u64,
    /// Bytes of a palette.
    size: u64,
    /// Palettes a window.
    each: usize,
    /// Bytes from one window to the next.
    stride: u64,
}

impl Offsets {
    /// Of a plan for so many stages, where a draw binds so many joints.
    pub fn new(plan: &Plan, stages: usize, bound_joints: usize) -> Self {
        let mut end = PALETTES;
        let palettes = plan
            .palettes
            .iter()
            .map(|source| {
                let joints = source.joints.max(1);
                let each = (bound_joints / joints).clamp(1, stages);
                let size = joints as u64 * JOINT_BYTES;
                let stride = (each as u64 * size).next_multiple_of(UNIFORM_ALIGNMENT);
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
            (start, stride)
        });
        let morphs = morphs.collect();
        let instances = end;
        let bones = instances + plan.instances.len() as u64 * stages * INSTANCE_BYTES;
        // Every joint has a disc, and most a bone.
        let end = bones + (MAX_LINES + 2 * plan.bones.len() as u64 * stages) * BONE_BYTES;
        Self { palettes, stages, no_morph, morphs, instances, bones, end }
    }

    /// Stages that there is room for.
    pub fn stages(&self) -> usize {
        self.stages as usize
    }

    /// Bytes of all.
    pub fn end(&self) -> u64 {
        self.end
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

    /// Where a stage's palette begins.
    pub fn palette(&self, slot: usize, stage: usize) -> u64 {
        let windows = self.palettes[slot];
        self.window(slot, stage) + (stage % windows.each) as u64 * windows.size
    }

    /// The dynamic offset of the window that holds a stage's palette, which palette of it that is, and
    /// how many stages from this one on it holds. Any place does for a draw that has none.
    pub fn bound(&self, slot: Option<usize>, stage: usize) -> (u32, usize, usize) {
        let Some(slot) = slot else { return (0, 0, 1) };
        let each = self.palettes[slot].each;
        (self.window(slot, stage) as u32, stage % each, each - stage % each)
    }

    fn window(&self, slot: usize, stage: usize) -> u64 {
        let windows = self.palettes[slot];
        windows.start + (stage / windows.each) as u64 * windows.stride
    }

    /// The dynamic offset of a stage's morph weights.
    pub fn morph(&self, slot: Option<usize>, stage: usize) -> u32 {
        let Some(slot) = slot else { return self.no_morph as u32 };
        let (start, stride) = self.morphs[slot];
        (start + stage as u64 * stride) as u32
    }

    /// Where a rigid draw's matrices begin, those of the first stage before those of the next.
    pub fn instance(&self, first: usize) -> u64 {
        self.instances + first as u64 * self.stages * INSTANCE_BYTES
    }

    /// Where the ends of lines and bones begin.
    pub fn bones(&self) -> u64 {
        self.bones
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::plan::{MorphSource, PaletteSource};

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
        let offsets = Offsets::new(&plan, stages, 100);
        let mut taken: Vec<(u64, u64)> = Vec::new();
        for (slot, joints) in joints.into_iter().enumerate() {
            for stage in 0..stages {
                let start = offsets.palette(slot, stage);
                taken.push((start, start + 64 * joints as u64));
                let (window, within, more) = offsets.bound(Some(slot), stage);
                assert!(u64::from(window).is_multiple_of(UNIFORM_ALIGNMENT));
                assert_eq!(u64::from(window) + (within * joints * 64) as u64, start);
                assert!(within + more <= (100 / joints).max(1));
            }
        }
        taken.sort_unstable();
        assert!(taken.windows(2).all(|pair| pair[0].1 <= pair[1].0));
        assert!(taken[0].0 >= PALETTES && taken[taken.len() - 1].1 <= offsets.no_morph);
        assert_eq!(offsets.bound(Some(0), 7).1..7 % 5, 2..2, "five of nineteen joints a window");
    }

    #[test]
    fn morph_weights_take_as_much_room_as_there_are_targets() {
        let source = |targets| MorphSource { node: 0, mesh: 0, primitive: 0, targets };
        let morphs = [2, 300, 5000].map(source).to_vec();
        let offsets = Offsets::new(&Plan { morphs, ..Plan::default() }, 3, 100);
        let none = offsets.morph(None, 2);
        let at =
            |slot, stage| u64::from(offsets.morph(Some(slot), stage) - none) / UNIFORM_ALIGNMENT;
        assert_eq!([at(0, 0), at(0, 1), at(0, 2), at(1, 0)], [1, 2, 3, 4]);
        assert_eq!([at(1, 1), at(1, 2), at(2, 0)], [14, 24, 34], "300 targets are 2416 bytes");
        assert_eq!(at(2, 1) - at(2, 0), 64, "no more than are bound");
        assert_eq!(offsets.instance(0) - u64::from(none), (34 + 3 * 64) * UNIFORM_ALIGNMENT);
    }

    #[test]
    fn one_stage_has_every_palette_at_an_offset_of_its_own() {
        let offsets = Offsets::new(&plan(&[3, 4]), 1, 1024);
        assert_eq!(offsets.palette(0, 0), PALETTES);
        assert_eq!(offsets.palette(1, 0), PALETTES + UNIFORM_ALIGNMENT);
    }
}
