//! Tests of the fast evaluator: against the reference implementation over generated clips of all
//! kinds, and its kernels against each other.

use glam::{Affine3A, DVec3, Mat4, Quat, Vec3, Vec4};
use proptest::prelude::*;

use super::lanes::Portable;
use super::{
    Channel, Clip, ClipParts, Cursor, Hierarchy, Keys, LocalPose, Skin, Track, Transform, Value,
    WorldPose,
};

const NODES: usize = 19;
const TARGETS: usize = 3;

/// Maximum difference, relative for values above 1.
const NEAR: f32 = 1e-6;

fn rest() -> LocalPose {
    let node = |i: usize| Transform {
        translation: Vec3::new(i as f32, 0.5, -2.0),
        rotation: Quat::from_rotation_x(i as f32),
        scale: Vec3::splat(1.0 + i as f32 / 8.0),
    };
    LocalPose::new((0..NODES).map(node).collect(), &vec![vec![0.25; TARGETS]; NODES])
}

/// A pose of the same shape with values that no clip and no rest pose has.
fn scribbled() -> LocalPose {
    let odd = Transform {
        translation: Vec3::splat(-9.0),
        rotation: Quat::from_xyzw(9.0, 9.0, 9.0, 9.0),
        scale: Vec3::splat(9.0),
    };
    LocalPose::new(vec![odd; NODES], &vec![vec![9.0; TARGETS]; NODES])
}

/// Key times on a grid, so that channels share some of them.
fn times() -> impl Strategy<Value = Vec<f32>> {
    prop_oneof![
        Just((0..12).map(|i| i as f32 / 8.0).collect::<Vec<f32>>()),
        prop::collection::btree_set(0u8..40, 1..9)
            .prop_map(|set| set.into_iter().map(|i| f32::from(i) / 16.0).collect()),
    ]
}

fn keys<T: Value + std::fmt::Debug>(
    value: impl Strategy<Value = T> + Clone,
    width: usize,
) -> impl Strategy<Value = Track<T>> {
    (times(), 0..4).prop_flat_map(move |(times, kind)| {
        let list = prop::collection::vec(value.clone(), times.len() * width);
        (Just(times), Just(kind), list.clone(), list.clone(), list).prop_map(
            move |(times, kind, values, arriving, leaving)| {
                let keys = match kind {
                    0 => Keys::Step(values),
                    1 => Keys::Cubic { in_tangents: arriving, values, out_tangents: leaving },
                    _ => Keys::Linear(values),
                };
                Track::new(times, keys, width).unwrap()
            },
        )
    })
}

fn vector() -> impl Strategy<Value = Vec3> + Clone {
    prop::array::uniform3(-2.0f32..2.0).prop_map(Vec3::from_array)
}

/// Any rotation, half of the time one of a few, so that consecutive keys are often equal or opposite.
fn rotation() -> impl Strategy<Value = Quat> + Clone {
    let few = (0..6, any::<bool>()).prop_map(|(i, opposite)| {
        let q = Quat::from_rotation_y(0.7 * i as f32);
        if opposite { -q } else { q }
    });
    let any = prop::array::uniform4(-1.0f32..1.0).prop_map(Quat::from_array);
    prop_oneof![few, any.prop_filter("a direction", |q| q.length() > 0.1)]
}

fn channel() -> impl Strategy<Value = Channel> {
    let weights = (0..TARGETS, 1..=TARGETS).prop_flat_map(|(first, width)| {
        let width = width.min(TARGETS - first);
        (Just(first), keys(-1.0f32..1.0, width))
    });
    (0..NODES, 0..8, keys(vector(), 1), keys(rotation(), 1), weights).prop_map(
        |(node, path, moves, turns, (first, weights))| match path {
            0 | 1 => Channel::Translation { node, track: moves },
            2 => Channel::Scale { node, track: moves },
            3 => Channel::Weights { node, first, track: weights },
            _ => Channel::Rotation { node, track: turns },
        },
    )
}

/// Whether two channels drive a common value.
fn overlap(a: &Channel, b: &Channel) -> bool {
    let (of_a, of_b) = (a.values(), b.values());
    let shared = of_a.start < of_b.end && of_b.start < of_a.end;
    a.node() == b.node() && a.path() == b.path() && shared
}

fn clip() -> impl Strategy<Value = Clip> {
    prop::collection::vec(channel(), 0..40).prop_map(|channels| {
        Clip::new(ClipParts { duration_secs: 3.0, channels, ..ClipParts::default() })
    })
}

/// Times at keys, between them, before and after, infinite and NaN.
fn instant() -> impl Strategy<Value = f64> {
    prop_oneof![
        (-2i32..45).prop_map(|i| f64::from(i) / 16.0),
        -0.5f64..3.5,
        Just(f64::NAN),
        Just(f64::INFINITY)
    ]
}

/// Whether two consecutive rotations are so nearly half a turn apart that rounding decides the
/// direction.
fn is_ambiguous(clip: &Clip) -> bool {
    clip.channels().iter().any(|channel| match channel {
        Channel::Rotation { track, .. } => match track.keys() {
            Keys::Linear(q) => q.windows(2).any(|q| q[0].dot(q[1]).abs() < 1e-5),
            // Where the polynomial nearly vanishes, its direction is rounding error.
            Keys::Cubic { .. } => (0..300).any(|i| raw_length(track, f64::from(i) / 100.0) < 0.2),
            Keys::Step(_) => false,
        },
        _ => false,
    })
}

fn raw_length(track: &Track<Quat>, time: f64) -> f32 {
    let Keys::Cubic { in_tangents, values, out_tangents } = track.keys() else { return 1.0 };
    let part = |list: &[Quat]| list.iter().map(|q| Vec4::from(*q)).collect::<Vec<_>>();
    let (a, v, b) = (part(in_tangents), part(values), part(out_tangents));
    let raw = |get: fn(&Vec4) -> f32| {
        let list = |l: &[Vec4]| l.iter().map(get).collect();
        let keys = Keys::Cubic { in_tangents: list(&a), values: list(&v), out_tangents: list(&b) };
        Track::new(track.times().to_vec(), keys, 1).unwrap().sample(time)
    };
    Vec4::new(raw(|v| v.x), raw(|v| v.y), raw(|v| v.z), raw(|v| v.w)).length()
}

fn assert_near(got: &LocalPose, want: &LocalPose, time: f64) {
    for node in 0..NODES {
        let (a, b) = (got.transform(node), want.transform(node));
        let scale = b.translation.abs().max_element().max(b.scale.abs().max_element()).max(1.0);
        let off = (a.translation - b.translation).abs().max_element() / scale;
        let stretched = (a.scale - b.scale).abs().max_element() / scale;
        let turned = (Vec4::from(a.rotation) - Vec4::from(b.rotation)).abs().max_element();
        assert!(
            off <= NEAR && stretched <= NEAR && turned <= NEAR,
            "node {node} at {time}: {a:?} is not {b:?}"
        );
        assert_eq!(got.weights(node), want.weights(node), "weights of node {node} at {time}");
    }
}

proptest! {
    #[test]
    fn the_fast_evaluator_equals_the_plain_one_in_any_order_of_times(
        clip in clip().prop_filter("no rotation is decided by rounding", |clip| !is_ambiguous(clip)),
        instants in prop::collection::vec(instant(), 1..24),
    ) {
        let (rest, mut cursor) = (rest(), Cursor::default());
        let mut fast = scribbled();
        for time in instants {
            clip.pose(time, &rest, &mut cursor, &mut fast);
            let mut plain = rest.clone();
            clip.sample(time, &mut plain);
            assert_near(&fast, &plain, time);
            let mut afresh = rest.clone();
            clip.pose(time, &rest, &mut Cursor::default(), &mut afresh);
            prop_assert_eq!(&fast, &afresh, "the cursor changed the pose at {}", time);
        }
    }

    #[test]
    fn a_key_is_met_bit_for_bit(clip in clip()) {
        let (rest, mut cursor) = (rest(), Cursor::default());
        let (mut fast, mut plain) = (rest.clone(), rest.clone());
        for (i, channel) in clip.channels().iter().enumerate() {
            if clip.channels()[i + 1..].iter().any(|later| overlap(channel, later)) {
                continue;
            }
            for time in channel.times() {
                clip.pose(f64::from(*time), &rest, &mut cursor, &mut fast);
                clip.sample(f64::from(*time), &mut plain);
                let node = channel.node();
                let (a, b) = (fast.transform(node), plain.transform(node));
                match channel {
                    Channel::Translation { .. } => prop_assert_eq!(a.translation, b.translation),
                    Channel::Rotation { .. } => prop_assert_eq!(a.rotation, b.rotation),
                    Channel::Scale { .. } => prop_assert_eq!(a.scale, b.scale),
                    Channel::Weights { .. } => {
                        prop_assert_eq!(fast.weights(node), plain.weights(node));
                    }
                }
            }
        }
    }

    #[test]
    fn a_prepared_clip_takes_at_most_four_times_its_source(clip in clip()) {
        let driven: std::collections::BTreeMap<_, _> =
            clip.channels().iter().map(|c| (c.target(), c.bytes())).collect();
        let source: usize = driven.values().sum();
        prop_assert!(clip.prepare(NODES).bytes() <= 4 * source);
    }

    #[test]
    fn every_kernel_gives_the_same_bits(
        clip in clip(),
        time in instant(),
        parents in prop::collection::vec(any::<prop::sample::Index>(), NODES),
    ) {
        let parents = parents.iter().enumerate();
        let parents = parents.map(|(i, at)| (i % 7 != 0).then(|| at.index(i) as u32)).collect();
        let tree = Hierarchy::new(parents, vec![]).unwrap();
        let skin = Skin {
            joints: (0..NODES as u32).rev().collect(),
            joint_from_mesh: vec![Affine3A::from_rotation_z(0.3); NODES],
            name: None,
        };
        let joints: Vec<u16> = (0..NODES as u16).collect();
        let origin = DVec3::new(0.5, -3.0, 7.0);
        let rest = rest();

        let (mut local, mut world) = (rest.clone(), WorldPose::default());
        let mut palette = [Mat4::ZERO; NODES];
        clip.pose(time, &rest, &mut Cursor::default(), &mut local);
        tree.resolve(&local, origin, &mut world);
        skin.write_palette(&joints, &world, &mut palette);

        let (mut local_too, mut world_too) = (rest.clone(), world.clone());
        let mut palette_too = [Mat4::ZERO; NODES];
        clip.pose_with::<Portable>(time, &rest, &mut Cursor::default(), &mut local_too);
        tree.resolve_with::<Portable>(&local_too, origin, &mut world_too);
        skin.write_palette_with::<Portable>(&joints, &world_too, &mut palette_too);

        let bits = |palette: &[Mat4]| -> Vec<u32> {
            palette.iter().flat_map(|m| m.to_cols_array()).map(f32::to_bits).collect()
        };
        prop_assert_eq!(local, local_too);
        prop_assert_eq!(world, world_too);
        prop_assert_eq!(bits(&palette), bits(&palette_too));
    }
}

#[test]
fn channels_with_unlike_keys_are_sampled_separately() {
    // 64 channels of 50 keys with no common times: one timeline would have 3,200.
    let channel = |i: usize| {
        let times = (0..50).map(|k| k as f32 + i as f32 / 64.0).collect();
        let values = (0..50).map(|k| Quat::from_rotation_z(0.1 * (k + i) as f32)).collect();
        let track = Track::new(times, Keys::Linear(values), 1).unwrap();
        Channel::Rotation { node: i, track }
    };
    let channels = (0..64).map(channel).collect();
    let clip = Clip::new(ClipParts { channels, ..ClipParts::default() });
    let rest = LocalPose::new(vec![Transform::IDENTITY; 64], &vec![vec![]; 64]);
    assert!(clip.prepare(64).separate_rotations.len() > 32);
    assert!(clip.prepare(64).separate_others.is_empty());
    let (mut fast, mut plain) = (rest.clone(), rest.clone());
    let mut cursor = Cursor::default();
    for time in [0.0, 12.34, 7.5, 49.9, 60.0] {
        clip.pose(time, &rest, &mut cursor, &mut fast);
        clip.sample(time, &mut plain);
        for node in 0..64 {
            let (a, b) = (fast.transform(node).rotation, plain.transform(node).rotation);
            assert!((Vec4::from(a) - Vec4::from(b)).length() < NEAR, "node {node} at {time}");
        }
    }
}
