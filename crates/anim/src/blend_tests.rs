//! Tests of blending: exact results are compared by bits, the others with a plain mean in double
//! precision.

use glam::{DQuat, DVec4, Quat, Vec3};
use proptest::prelude::*;

use super::{
    BlendLayer, Channel, Clip, ClipParts, Cursor, Hierarchy, Keys, LocalPose, Mixer,
    PropertyChannel, Track, Transform, pose_layers,
};

const NODES: usize = 11;

fn held<T: super::Value>(value: T) -> Track<T> {
    Track::new(vec![0.0], Keys::Linear(vec![value]), 1).unwrap()
}

fn turn(axis: Vec3, degrees: f32) -> Quat {
    Quat::from_axis_angle(axis.normalize(), degrees.to_radians())
}

/// A rest pose with two morph weights per node and two property slots.
fn rest() -> LocalPose {
    let node = |i: usize| Transform {
        translation: Vec3::new(i as f32, 1.0, -0.0),
        rotation: turn(Vec3::new(1.0, i as f32, 0.5), 20.0 * i as f32),
        scale: Vec3::splat(1.5),
    };
    LocalPose::new((0..NODES).map(node).collect(), &vec![vec![0.25, 0.5]; NODES])
        .with_properties(&[vec![1.0, 2.0, 3.0], vec![4.0]])
}

/// A clip that drives every property of these nodes with a constant.
fn clip(values: &[(usize, Transform, [f32; 2])]) -> Clip {
    let mut channels = Vec::new();
    for (node, at, weights) in values {
        let node = *node;
        channels.push(Channel::Translation { node, track: held(at.translation) });
        channels.push(Channel::Rotation { node, track: held(at.rotation) });
        channels.push(Channel::Scale { node, track: held(at.scale) });
        let track = Track::new(vec![0.0], Keys::Linear(weights.to_vec()), 2).unwrap();
        channels.push(Channel::Weights { node, first: 0, track });
    }
    Clip::new(ClipParts { channels, ..ClipParts::default() })
}

fn layers(clips: &[Clip], weights: &[f32]) -> Vec<BlendLayer> {
    let clips: Vec<&Clip> = clips.iter().collect();
    let layer = |(clip, weight): (usize, &f32)| BlendLayer {
        weight: *weight,
        ..BlendLayer::new(&clips, clip, &rest())
    };
    weights.iter().enumerate().map(layer).collect()
}

fn posed(clips: &[Clip], layers: &[BlendLayer]) -> LocalPose {
    let mut out = rest();
    let clips: Vec<&Clip> = clips.iter().collect();
    pose_layers(&clips, layers, &rest(), &mut Mixer::default(), &mut out);
    out
}

fn alone(clip: &Clip, time_secs: f64) -> LocalPose {
    let mut out = rest();
    clip.pose(time_secs, &rest(), &mut Cursor::default(), &mut out);
    out
}

fn bits(pose: &LocalPose) -> Vec<u32> {
    let mut all = Vec::new();
    for node in 0..pose.len() {
        let t = pose.transform(node);
        all.extend(t.translation.to_array().map(f32::to_bits));
        all.extend(t.rotation.to_array().map(f32::to_bits));
        all.extend(t.scale.to_array().map(f32::to_bits));
        all.extend(pose.weights(node).iter().map(|w| w.to_bits()));
    }
    for slot in 0..2 {
        all.extend(pose.property(slot).iter().map(|p| p.to_bits()));
    }
    all
}

prop_compose! {
    fn transform()(t in prop::array::uniform3(-3f32..3.0), axis in prop::array::uniform3(-1f32..1.0),
                   degrees in -180f32..180.0, s in prop::array::uniform3(-2f32..2.0)) -> Transform {
        let axis = Vec3::from(axis).try_normalize().unwrap_or(Vec3::X);
        Transform { translation: t.into(), rotation: turn(axis, degrees), scale: s.into() }
    }
}

prop_compose! {
    /// A clip that drives some of the nodes.
    fn some_clip()(driven in prop::collection::vec(
        prop::option::of((transform(), prop::array::uniform2(-1f32..1.0))), NODES)) -> Clip {
        let all = driven.into_iter().enumerate();
        clip(&all.filter_map(|(i, d)| d.map(|(t, w)| (i, t, w))).collect::<Vec<_>>())
    }
}

proptest! {
    #[test]
    fn weights_of_one_and_nothing_are_the_first_pose_bit_for_bit(
        clips in prop::collection::vec(some_clip(), 2..4), time in 0f64..2.0,
    ) {
        let mut weights = vec![0.0; clips.len()];
        for first in 0..clips.len() {
            weights.fill(0.0);
            weights[first] = 1.0;
            let mut layers = layers(&clips, &weights);
            layers.iter_mut().for_each(|layer| layer.time_secs = time);
            prop_assert_eq!(bits(&posed(&clips, &layers)), bits(&alone(&clips[first], time)));
        }
    }

    #[test]
    fn weights_that_sum_to_nothing_are_the_rest_pose_bit_for_bit(
        clips in prop::collection::vec(some_clip(), 1..4), odd in 0usize..4,
    ) {
        let nothing = [0.0, -1.0, f32::NAN, f32::NEG_INFINITY][odd];
        let layers = layers(&clips, &vec![nothing; clips.len()]);
        prop_assert_eq!(bits(&posed(&clips, &layers)), bits(&rest()));
        prop_assert_eq!(bits(&posed(&clips, &[])), bits(&rest()));
    }

    #[test]
    fn any_weights_give_the_plain_mean_and_unit_rotations(
        clips in prop::collection::vec(some_clip(), 1..5),
        weights in prop::collection::vec(0f32..2.0, 5),
    ) {
        let got = posed(&clips, &layers(&clips, &weights[..clips.len()]));
        let rest = rest();
        for node in 0..NODES {
            let mut parts: Vec<(f64, Transform, Vec<f32>)> = Vec::new();
            for (clip, weight) in clips.iter().zip(&weights) {
                if *weight > 0.0 && clip.channels().iter().any(|c| c.node() == node) {
                    let pose = alone(clip, 0.0);
                    let weight = f64::from(*weight);
                    parts.push((weight, pose.transform(node), pose.weights(node).to_vec()));
                }
            }
            let sum: f64 = parts.iter().map(|p| p.0).sum();
            if sum < 1.0 {
                parts.push((1.0 - sum, rest.transform(node), rest.weights(node).to_vec()));
            }
            let total: f64 = parts.iter().map(|p| p.0).sum();
            let mean = |of: &dyn Fn(&Transform) -> Vec3| parts.iter()
                .map(|(w, t, _)| of(t).as_dvec3() * *w / total)
                .sum::<glam::DVec3>();
            let at = got.transform(node);
            prop_assert!((at.translation.as_dvec3() - mean(&|t| t.translation)).length() < 1e-5);
            prop_assert!((at.scale.as_dvec3() - mean(&|t| t.scale)).length() < 1e-5);
            for (i, weight) in got.weights(node).iter().enumerate() {
                let want: f64 =
                    parts.iter().map(|(w, _, list)| w / total * f64::from(list[i])).sum();
                prop_assert!((f64::from(*weight) - want).abs() < 1e-5);
            }
            let mut want = DVec4::ZERO;
            let mut undecided = false;
            for (weight, t, _) in &parts {
                let q = DVec4::from(t.rotation.as_dquat()) * *weight;
                let side = want.dot(q);
                // At half a turn apart both signs are equally near.
                undecided |= want != DVec4::ZERO && side.abs() < 1e-5;
                want += if side < 0.0 { -q } else { q };
            }
            prop_assert!((at.rotation.length() - 1.0).abs() < 1e-5, "{}", at.rotation);
            let apart = DQuat::from_vec4(want.normalize()).dot(at.rotation.as_dquat().normalize()).abs();
            prop_assert!(undecided || apart > 1.0 - 1e-9, "node {}: {}", node, apart);
        }
    }
}

proptest! {
    #[test]
    fn an_additive_layer_adds_a_part_of_its_difference(
        base in transform(), from in transform(), to in transform(), weight in 0.1f32..1.5,
    ) {
        let clips = [clip(&[(4, base, [0.0; 2])]), clip(&[(4, to, [0.0; 2])])];
        let mut layers = layers(&clips, &[1.0, weight]);
        let mut reference = rest();
        reference.set_transform(4, from);
        layers[1].reference = Some(reference);
        let got = posed(&clips, &layers).transform(4);
        let w = f64::from(weight);

        let moved = base.translation + weight * (to.translation - from.translation);
        prop_assert!((got.translation - moved).length() < 1e-5, "{}", got.translation);
        let (own, other) = (from.scale.as_dvec3(), to.scale.as_dvec3());
        let ratio = glam::DVec3::select(own.cmpne(glam::DVec3::ZERO), other / own, glam::DVec3::ONE);
        let want = base.scale.as_dvec3() * (1.0 + w * (ratio - 1.0));
        let off = (got.scale.as_dvec3() - want).abs() / ratio.abs().max(glam::DVec3::ONE);
        prop_assert!(off.max_element() < 1e-5, "{} is not {}", got.scale, want);

        let difference = from.rotation.as_dquat().inverse() * to.rotation.as_dquat();
        // At half a turn apart both ways are equally long.
        prop_assume!(difference.w.abs() > 1e-4);
        let nearer = if difference.w < 0.0 { -difference } else { difference };
        let part = DQuat::IDENTITY * (1.0 - w) + nearer * w;
        let want = (base.rotation.as_dquat() * part).normalize();
        let apart = 1.0 - want.dot(got.rotation.as_dquat().normalize()).abs();
        prop_assert!(apart < 1e-9, "{} is not {}", got.rotation, want);
    }
}

#[test]
fn the_rest_pose_takes_its_remainder_before_additive_layers_follow() {
    let here = |x: f32| Transform { translation: Vec3::splat(x), ..Transform::IDENTITY };
    let clips = [clip(&[(0, here(8.0), [1.0; 2])]), clip(&[(0, here(3.0), [0.5; 2])])];
    let mut layers = layers(&clips, &[0.25, 1.0]);
    let mut reference = rest();
    reference.set_transform(0, here(1.0));
    reference.weights_mut(0).fill(0.0);
    layers[1].reference = Some(reference);
    let got = posed(&clips, &layers);
    // A quarter of the clip, three quarters of the rest pose, and the whole difference.
    assert_eq!(got.transform(0).translation, Vec3::new(2.0, 2.75, 2.0) + 2.0);
    assert_eq!(got.weights(0), [0.25 + 0.1875 + 0.5, 0.25 + 0.375 + 0.5]);
}

#[test]
fn a_layer_alone_keeps_the_sign_of_zeros() {
    let zeros = Transform { translation: -Vec3::ZERO, ..Transform::IDENTITY };
    let clips = [clip(&[(3, zeros, [-0.0; 2])])];
    assert_eq!(bits(&posed(&clips, &layers(&clips, &[1.0]))), bits(&alone(&clips[0], 0.0)));
}

#[test]
fn buffers_of_another_rig_leave_nothing() {
    let track = held(Vec3::X);
    let channels = vec![Channel::Translation { node: 1, track }];
    let clip = Clip::new(ClipParts { channels, ..ClipParts::default() });
    let small = LocalPose::new(vec![Transform::IDENTITY; 2], &[vec![], vec![]]);
    let one_weight = LocalPose::new(vec![Transform::IDENTITY; NODES], &vec![vec![0.5]; NODES]);
    let one_slot = one_weight.clone().with_properties(&[vec![1.0]]);
    let mut mixer = Mixer::default();
    for rig in [&small, &one_weight, &one_slot, &rest(), &small, &rest()] {
        let layers = [BlendLayer { weight: 0.5, ..BlendLayer::new(&[&clip], 0, rig) }];
        let mut out = rig.clone();
        out.set_translation(0, Vec3::splat(9.0));
        out.weights_mut(0).fill(9.0);
        pose_layers(&[&clip], &layers, rig, &mut mixer, &mut out);
        let mut want = rig.clone();
        want.set_translation(1, 0.5 * rig.transform(1).translation + 0.5 * Vec3::X);
        assert_eq!(out, want);
    }
}

#[test]
fn half_of_each_of_two_turns_is_the_turn_between_whatever_their_signs() {
    let still = Transform::IDENTITY;
    for sign in [1.0, -1.0] {
        let half = |degrees| Transform { rotation: turn(Vec3::Y, degrees) * sign, ..still };
        let other = Transform { rotation: turn(Vec3::Y, 150.0), ..still };
        let clips = [clip(&[(3, half(170.0), [0.0; 2])]), clip(&[(3, other, [0.0; 2])])];
        let got = posed(&clips, &layers(&clips, &[0.5, 0.5])).transform(3).rotation;
        assert!(got.dot(turn(Vec3::Y, 160.0)).abs() > 1.0 - 1e-6, "{got}");
    }
}

#[test]
fn a_layer_has_no_say_in_what_its_clip_does_not_drive_nor_outside_its_mask() {
    let here = |x: f32| Transform { translation: Vec3::splat(x), ..Transform::IDENTITY };
    let walk = clip(&[(0, here(1.0), [0.0; 2]), (1, here(1.0), [0.0; 2])]);
    let wave = clip(&[(1, here(3.0), [1.0; 2]), (2, here(3.0), [1.0; 2])]);
    let clips = [walk, wave];
    let mut layers = layers(&clips, &[1.0, 1.0]);
    let at = |pose: &LocalPose, node| pose.transform(node).translation.x;
    let both = posed(&clips, &layers);
    assert_eq!([at(&both, 0), at(&both, 1), at(&both, 2)], [1.0, 2.0, 3.0]);
    // Node 2 is a child of node 1, the others are roots.
    let parents = (0..NODES).map(|i| (i == 2).then_some(1)).collect();
    let tree = Hierarchy::new(parents, vec![]).unwrap();
    layers[1].mask.keep_subtree(&tree, 2);
    let masked = posed(&clips, &layers);
    assert_eq!([at(&masked, 0), at(&masked, 1), at(&masked, 2)], [1.0, 1.0, 3.0]);
    assert_eq!((masked.weights(1), masked.weights(2)), (&[0.0; 2][..], &[1.0; 2][..]));
    layers[1].mask.keep_subtree(&tree, 0);
    assert_eq!(at(&posed(&clips, &layers), 2), 2.0, "the rest value");
}

#[test]
fn an_additive_layer_puts_its_difference_on_top() {
    let base = Transform {
        translation: Vec3::new(0.0, 2.0, 0.0),
        rotation: turn(Vec3::Y, 90.0),
        scale: Vec3::splat(2.0),
    };
    let from = Transform {
        translation: Vec3::new(1.0, 0.0, 0.0),
        rotation: turn(Vec3::X, 10.0),
        scale: Vec3::new(2.0, 0.0, 1.0),
    };
    let nod = Transform {
        translation: Vec3::new(1.5, 0.0, 0.0),
        rotation: turn(Vec3::X, 50.0),
        scale: Vec3::new(3.0, 5.0, 1.0),
    };
    let clips = [clip(&[(4, base, [0.5, 0.0])]), clip(&[(4, nod, [0.75, 0.0])])];
    let mut layers = layers(&clips, &[1.0, 1.0]);
    let mut reference = rest();
    reference.set_transform(4, from);
    reference.weights_mut(4).copy_from_slice(&[0.5, 0.0]);
    layers[1].reference = Some(reference.clone());
    let got = posed(&clips, &layers);
    let at = got.transform(4);
    assert_eq!(at.translation, Vec3::new(0.5, 2.0, 0.0));
    assert_eq!(at.scale, Vec3::new(3.0, 2.0, 2.0));
    assert_eq!(got.weights(4), [0.75, 0.0]);
    let want = turn(Vec3::Y, 90.0) * turn(Vec3::X, 40.0);
    assert!(at.rotation.dot(want).abs() > 1.0 - 1e-6, "{}", at.rotation);
    assert_eq!(got.transform(5), rest().transform(5));
    // A clip equal to its reference adds nothing, whatever its weight.
    layers[1].reference = Some(alone(&clips[1], 0.0));
    layers[1].weight = 3.0;
    let same = posed(&clips, &layers).transform(4);
    assert!(same.translation == base.translation && same.scale == base.scale);
    assert!(same.rotation.dot(base.rotation).abs() > 1.0 - 1e-6);
}

#[test]
fn all_clips_at_once_are_one_in_which_the_later_wins() {
    let here = |x: f32| Transform { translation: Vec3::splat(x), ..Transform::IDENTITY };
    let lasting = |clip: Clip, start_secs, duration_secs| {
        Clip::new(ClipParts { start_secs, duration_secs, ..clip.into_parts() })
    };
    let first = clip(&[(0, here(1.0), [0.0; 2]), (1, here(1.0), [0.0; 2])]);
    let second = clip(&[(1, here(2.0), [1.0; 2])]);
    let all = Clip::all_at_once(&[lasting(first, 0.5, 3.0), lasting(second, 0.25, 1.0)]);
    assert_eq!((all.start_secs(), all.duration_secs(), all.channels().len()), (0.25, 3.0, 8));
    let pose = alone(&all, 2.0);
    assert_eq!(pose.transform(0).translation.x, 1.0);
    assert_eq!(pose.transform(1).translation.x, 2.0);
    assert_eq!(Clip::all_at_once(&[]).duration_secs(), 0.0);
}

#[test]
fn single_morph_weights_are_shared_one_by_one() {
    let drives = |first: usize, value: f32| {
        let channels = vec![Channel::Weights { node: 3, first, track: held(value) }];
        Clip::new(ClipParts { channels, ..ClipParts::default() })
    };
    let clips = [drives(0, 1.0), drives(1, 0.75)];
    let weights = |layers: &[BlendLayer]| posed(&clips, layers).weights(3).to_vec();
    assert_eq!(weights(&layers(&clips, &[1.0, 1.0])), [1.0, 0.75], "neither affects both");
    assert_eq!(weights(&layers(&clips, &[0.0, 0.5])), [0.25, 0.625]);
    let tree = Hierarchy::new(vec![None; NODES], vec![]).unwrap();
    let mut masked = layers(&clips, &[1.0, 1.0]);
    masked[0].mask.keep_subtree(&tree, 4);
    assert_eq!(weights(&masked), [0.25, 0.75]);
    let whole = clip(&[(3, Transform::IDENTITY, [0.5, 0.5])]);
    let all = Clip::all_at_once(&[whole.clone(), clips[1].clone()]);
    assert_eq!(alone(&all, 0.0).weights(3), [0.5, 0.75], "the later wins where it drives");
    let all = Clip::all_at_once(&[clips[1].clone(), whole]);
    assert_eq!(alone(&all, 0.0).weights(3), [0.5, 0.5]);
}

#[test]
fn properties_are_shared_by_weight_and_belong_to_no_joint() {
    let drives = |value: f32| {
        let properties = vec![PropertyChannel { slot: 1, track: held(value) }];
        Clip::new(ClipParts { properties, ..ClipParts::default() })
    };
    let clips = [drives(8.0), drives(2.0)];
    let property = |layers: &[BlendLayer]| posed(&clips, layers).property(1)[0];
    assert_eq!(property(&layers(&clips, &[0.5, 0.5])), 5.0);
    assert_eq!(property(&layers(&clips, &[0.25, 0.0])), 5.0, "the rest pose takes the remainder");
    let mut added = layers(&clips, &[1.0, 0.5]);
    added[1].reference = Some(rest());
    assert_eq!(property(&added), 7.0);
    let mut masked = layers(&clips, &[1.0, 1.0]);
    let tree = Hierarchy::new(vec![None; NODES], vec![]).unwrap();
    masked.iter_mut().for_each(|layer| layer.mask.keep_subtree(&tree, 0));
    assert_eq!(property(&masked), 4.0);
    assert_eq!(Clip::all_at_once(&clips).properties(), clips[1].properties());
}
