//! Tests of the prepared form: which channels go into blocks on the common timeline, and its size.

use glam::{Quat, Vec3};

use super::frames::Block;
use super::lanes::F32x8;
use super::{Channel, Clip, ClipParts, Cursor, Keys, LocalPose, Track, Transform, Value};

fn clip(channels: impl IntoIterator<Item = Channel>) -> Clip {
    let channels = channels.into_iter().collect();
    Clip::new(ClipParts { channels, ..ClipParts::default() })
}

/// A track with a key every second.
fn track<T: Value>(keys: Keys<T>) -> Track<T> {
    let (Keys::Step(values) | Keys::Linear(values) | Keys::Cubic { values, .. }) = &keys;
    let times = (0..values.len()).map(|i| i as f32).collect();
    Track::new(times, keys, 1).unwrap()
}

/// A translation with this many keys that differ.
fn moving(node: usize, keys: usize) -> Channel {
    let values = (0..keys).map(|i| Vec3::splat(i as f32)).collect();
    Channel::Translation { node, track: track(Keys::Linear(values)) }
}

fn cubic(values: Vec<Vec3>) -> Keys<Vec3> {
    let tangents = vec![Vec3::ONE; values.len()];
    Keys::Cubic { in_tangents: tangents.clone(), values, out_tangents: tangents }
}

/// Numbers of moving blocks, of still blocks, and of channels that are sampled separately.
fn parts(clip: &Clip, nodes: usize) -> (usize, usize, usize) {
    let frames = clip.prepare(nodes);
    (frames.moving.len(), frames.still.len(), frames.separate_channels())
}

#[test]
fn channels_of_three_nodes_with_common_times_share_a_block() {
    let clip = clip((0..3).map(|node| moving(node, 2)));
    assert_eq!(parts(&clip, 3), (1, 0, 0));
    assert_eq!(clip.prepare(3).times, [0.0, 1.0]);
    assert_eq!(clip.prepare(3).undriven.len(), 2, "the rotations and the scales");
}

#[test]
fn values_that_never_change_are_stored_once() {
    let (same, other) = (Vec3::ONE, Vec3::X);
    for (keys, is_still) in [
        (Keys::Step(vec![same]), true),
        (Keys::Linear(vec![same]), true),
        (cubic(vec![same]), true),
        (Keys::Step(vec![same; 3]), true),
        (Keys::Linear(vec![same; 3]), true),
        (cubic(vec![same; 3]), false),
        (Keys::Step(vec![same, other]), false),
        (Keys::Linear(vec![same, same, other]), false),
        (Keys::Linear(vec![Vec3::ZERO, -Vec3::ZERO]), false),
    ] {
        let channel = |node| Channel::Scale { node, track: track(keys.clone()) };
        let still = parts(&clip((0..8).map(channel)), 8).1;
        assert_eq!(still == 1, is_still, "{keys:?}");
    }
    let turn = Quat::from_rotation_x(1.0);
    for (values, is_still) in [(vec![turn; 3], true), (vec![turn, -turn], false)] {
        let channel = |node| Channel::Rotation { node, track: track(Keys::Linear(values.clone())) };
        assert_eq!(parts(&clip((0..8).map(channel)), 8).1 == 1, is_still, "{values:?}");
    }
}

#[test]
fn its_size_is_that_of_all_its_lists() {
    // All eleven nodes move; ten have a constant scale, so the last block keeps one rest value.
    let mut channels: Vec<_> = (0..11).map(|node| moving(node, 4)).collect();
    let scale = |node| Channel::Scale { node, track: track(Keys::Step(vec![Vec3::ONE])) };
    channels.extend((0..10).map(scale));
    // A rotation with other times that do not fit, and morph weights, which are never in blocks.
    let times = (0..50).map(|i| i as f32 + 0.5).collect();
    let turns = (0..50).map(|i| Quat::from_rotation_z(i as f32)).collect();
    let turns = Track::new(times, Keys::Linear(turns), 1).unwrap();
    channels.push(Channel::Rotation { node: 0, track: turns });
    channels.push(Channel::Weights { node: 0, first: 0, track: track(Keys::Linear(vec![1.0])) });
    let clip = clip(channels);
    let frames = clip.prepare(11);
    assert_eq!(parts(&clip, 11), (2, 2, 2));
    assert_eq!(
        (&frames.separate_rotations[..], &frames.separate_others[..]),
        (&[21][..], &[22][..])
    );
    let (rows, times) = (4 * 6 + 6 + 1, 4 * size_of::<f32>());
    let want = rows * size_of::<F32x8>() + times + 4 * size_of::<Block>() + 2 * size_of::<u32>();
    assert_eq!(frames.bytes(), want);
}

#[test]
fn the_lists_of_separate_channels_count_as_well() {
    let mut channels = vec![moving(0, 48)];
    let weight = |first| Channel::Weights { node: 0, first, track: track(Keys::Linear(vec![1.0])) };
    channels.extend((0..60).map(weight));
    let source: usize = channels.iter().map(Channel::bytes).sum();
    let bytes = clip(channels).prepare(1).bytes();
    assert!(bytes <= 4 * source, "{bytes} of {source} bytes");
}

#[test]
fn the_largest_numbers_stay_finite_between_keys() {
    let values = vec![Vec3::MAX, Vec3::MAX, Vec3::ZERO, Vec3::MIN, Vec3::MIN];
    let channel = |node| Channel::Translation { node, track: track(Keys::Linear(values.clone())) };
    let clip = clip((0..8).map(channel));
    let rest = LocalPose::new(vec![Transform::IDENTITY; 8], &vec![vec![]; 8]);
    let (mut pose, mut cursor) = (rest.clone(), Cursor::default());
    for i in 0..=400 {
        clip.pose(f64::from(i) / 100.0, &rest, &mut cursor, &mut pose);
        assert!(pose.transform(7).translation.is_finite(), "{i}: {:?}", pose.transform(7));
    }
}
