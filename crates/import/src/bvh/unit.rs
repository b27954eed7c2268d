//! The unit, which files do not state: guessed from the size of the skeleton.

use std::ops::Range;

use super::parse::{Channel, Joint, Parsed};

/// A unit of length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Unit {
    pub metres: f64,
    pub name: &'static str,
}

/// Units that occur, from the largest. A skeleton is taken to be in the first one that does not make it a giant.
const UNITS: [Unit; 5] = [
    Unit { metres: 1.0, name: "metres" },
    // The motions of Carnegie Mellon University: a unit is 1 / 0.45 inches.
    Unit { metres: 0.056_444, name: "units of 5.64 cm (CMU)" },
    Unit { metres: 0.0254, name: "inches" },
    Unit { metres: 0.01, name: "centimetres" },
    Unit { metres: 0.001, name: "millimetres" },
];

/// The largest height of a performer in the rest pose, in metres.
const TALLEST: f64 = 2.6;

/// Guesses the unit of a skeleton: its extent is that of a performer. The offsets tell it, or the positions of the first frame
/// in files that have the lengths of bones in position channels only.
pub(super) fn guess(parsed: &Parsed) -> Unit {
    let joints = &parsed.joints;
    let moving = moving_joints(joints);
    let offsets: Vec<[f64; 3]> = joints
        .iter()
        .enumerate()
        .map(|(at, joint)| if moving.contains(&at) { [0.0; 3] } else { joint.offset })
        .collect();
    let is_bone = |joint: &Joint| joint.parent.is_some() && !joint.is_end;
    let mut all = joints.iter().zip(&offsets);
    let has_lengths = all.any(|(joint, offset)| is_bone(joint) && *offset != [0.0; 3]);
    let rest = extent(joints, offsets.iter().copied());
    let extent = if has_lengths { rest } else { rest.max(first_extent(parsed, moving)) };
    let fits = |unit: &&Unit| extent * unit.metres <= TALLEST;
    *UNITS.iter().find(fits).unwrap_or(&UNITS[UNITS.len() - 1])
}

/// Returns the joints from the root to the one where the skeleton branches, as from `reference` to the hips: the way between them
/// is no length of the body.
fn moving_joints(joints: &[Joint]) -> Range<usize> {
    let mut children = vec![0; joints.len()];
    joints.iter().filter_map(|joint| joint.parent).for_each(|parent| children[parent] += 1);
    // Children stand in the file after their parent, so a chain is in one piece.
    let branch = children.iter().position(|count| *count != 1);
    branch.filter(|at| children[*at] > 1).map_or(0..0, |at| 0..at + 1)
}

/// Returns the largest extent of the joints in the first frame, unturned, with `moving` joints at the origin of their parents.
fn first_extent(parsed: &Parsed, moving: Range<usize>) -> f64 {
    let mut numbers = parsed.numbers.iter();
    let places = parsed.joints.iter().enumerate().map(|(at, joint)| {
        let mut place = joint.offset;
        for (channel, number) in joint.channels.iter().zip(numbers.by_ref()) {
            if let Channel::Position(axis) = channel {
                place[*axis] = *number;
            }
        }
        if moving.contains(&at) { [0.0; 3] } else { place }
    });
    extent(&parsed.joints, places)
}

/// Returns the largest extent of the joints along an axis; `places` are relative to their parents.
fn extent(joints: &[Joint], places: impl Iterator<Item = [f64; 3]>) -> f64 {
    let mut resolved: Vec<[f64; 3]> = Vec::with_capacity(joints.len());
    let (mut min, mut max) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for (joint, own) in joints.iter().zip(places) {
        // The place of the root says nothing about the size.
        let place = joint.parent.map_or([0.0; 3], |parent| {
            let from = resolved[parent];
            [0, 1, 2].map(|k| from[k] + own[k])
        });
        resolved.push(place);
        for k in 0..3 {
            min[k] = min[k].min(place[k]);
            max[k] = max[k].max(place[k]);
        }
    }
    let extents = (0..3).map(|k| max[k] - min[k]).filter(|x| x.is_finite());
    extents.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_performer_is_neither_a_giant_nor_a_dwarf() {
        let tall = |height: f64| {
            let root = Joint { offset: [500.0, 0.0, 0.0], ..Joint::default() };
            let head = Joint { parent: Some(0), offset: [0.0, height, 0.0], ..Joint::default() };
            guess(&Parsed { joints: vec![root, head], ..Parsed::default() }).name
        };
        assert_eq!(tall(1.8), "metres");
        assert!(tall(30.0).contains("CMU"));
        assert_eq!(tall(70.0), "inches");
        assert_eq!(tall(175.0), "centimetres");
        assert_eq!(tall(1750.0), "millimetres");
        assert_eq!(tall(0.0), "metres");
    }

    #[test]
    fn lengths_may_be_in_position_channels() {
        let channels = vec![Channel::Position(0), Channel::Position(1), Channel::Rotation(2)];
        let root = Joint { channels: channels.clone(), ..Joint::default() };
        let head = Joint { parent: Some(0), channels, ..Joint::default() };
        let joints = vec![root, head];
        let numbers = vec![500.0, 93.0, 10.0, 0.0, 175.0, 90.0];
        let parsed = Parsed { joints, numbers, per_frame: 6, frames: 1, ..Parsed::default() };
        assert_eq!(guess(&parsed).name, "centimetres");
    }

    /// A root on the ground, from which the hips walk away.
    #[test]
    fn the_way_from_a_reference_to_the_hips_is_no_length() {
        let position = [0, 1, 2].map(Channel::Position).to_vec();
        let joint = |parent: Option<usize>, offset: [f64; 3]| Joint {
            parent,
            offset,
            channels: position.clone(),
            ..Joint::default()
        };
        let guessed = |head: [f64; 3], numbers: Vec<f64>| {
            let joints = vec![
                joint(None, [0.0; 3]),
                joint(Some(0), [0.0; 3]),
                joint(Some(1), head),
                joint(Some(1), [0.0; 3]),
            ];
            guess(&Parsed { joints, numbers, per_frame: 12, frames: 1, ..Parsed::default() }).name
        };
        let away = [0.0, 0.0, 0.0, 900.0, 90.0, 0.0];
        let at_rest = [&away[..], &[0.0, 170.0, 0.0, 0.0, 0.0, 0.0]].concat();
        assert_eq!(guessed([0.0, 170.0, 0.0], at_rest.clone()), "centimetres");
        assert_eq!(guessed([0.0; 3], at_rest), "centimetres");
        // Bones that stretch in the motion are as long as their offsets.
        let stretched = [&away[..], &[0.0, 1700.0, 0.0, 0.0, 0.0, 0.0]].concat();
        assert_eq!(guessed([0.0, 170.0, 0.0], stretched), "centimetres");
        // The hips may also be away from the root by their offset.
        let mut joints = vec![
            joint(None, [0.0; 3]),
            joint(Some(0), [310.0, 95.0, -40.0]),
            joint(Some(1), [0.0, 80.0, 0.0]),
            joint(Some(1), [0.0, -90.0, 0.0]),
        ];
        let still = vec![0.0; 12];
        let unit = |joints: &[Joint], numbers: &[f64]| {
            let (joints, numbers) = (joints.to_vec(), numbers.to_vec());
            guess(&Parsed { joints, numbers, per_frame: 12, frames: 1, ..Parsed::default() }).name
        };
        assert_eq!(unit(&joints, &still), "centimetres");
        // Lengths in channels count beside such an offset.
        (joints[2].offset, joints[3].offset) = ([0.0; 3], [0.0; 3]);
        let lengths = [&[0.0; 7][..], &[80.0, 0.0, 0.0, -90.0, 0.0]].concat();
        assert_eq!(unit(&joints, &lengths), "centimetres");
    }
}
