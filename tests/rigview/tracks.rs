//! Keys as files write them: how each kind of track is played, and the warnings for unusual ones.

use glam::{Quat, Vec3, Vec4};
use proptest::prelude::*;
use rigview::anim::rotation::angle_between;
use rigview::anim::{Channel, Clip, ClipParts, Cursor, Keys, LocalPose, Track, Transform, looped};
use rigview::import::{ImageDecoding, ImportOptions, Loaded, load_bytes};
use rigview::model::Stage;
use serde_json::{Value, json};

use crate::support::data_uri;

/// A node driven by one sampler: its times, its values and other properties.
fn sampler(path: &str, times: &[f32], values: &[f32], kind: &str, more: Value) -> Loaded {
    let mut bytes: Vec<u8> = bytemuck::cast_slice(times).to_vec();
    bytes.extend_from_slice(bytemuck::cast_slice(values));
    let (shape, width) = match path {
        "rotation" => ("VEC4", 4),
        "weights" => ("SCALAR", 1),
        _ => ("VEC3", 3),
    };
    let split = 4 * times.len();
    let bound = |of: fn(f32, f32) -> f32| times.iter().copied().reduce(of);
    let mut file = json!({
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "Hips", "translation": [1, 2, 3]}],
        "buffers": [{"byteLength": bytes.len(), "uri": data_uri(&bytes)}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": split},
            {"buffer": 0, "byteOffset": split, "byteLength": bytes.len() - split},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": times.len(), "type": "SCALAR",
             "min": [bound(f32::min)], "max": [bound(f32::max)]},
            {"bufferView": 1, "componentType": 5126, "count": values.len() / width, "type": shape},
        ],
        "animations": [{
            "samplers": [{"input": 0, "output": 1, "interpolation": kind}],
            "channels": [{"sampler": 0, "target": {"node": 0, "path": path}}],
        }],
    });
    if kind.is_empty() {
        file["animations"][0]["samplers"][0].as_object_mut().unwrap().remove("interpolation");
    }
    for (pointer, value) in more.as_object().into_iter().flatten() {
        let at = file.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}"));
        match (at, value) {
            (Value::Array(list), Value::Array(more)) => list.extend(more.iter().cloned()),
            (Value::Object(at), Value::Object(more)) => at.extend(more.clone()),
            (at, value) => *at = value.clone(),
        }
    }
    let options = ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::default() };
    load_bytes(file.to_string().into_bytes(), &options).unwrap()
}

/// The same with any JSON value as interpolation.
fn with_interpolation(path: &str, times: &[f32], values: &[f32], kind: Value) -> Loaded {
    let more = json!({"/animations/0/samplers/0": {"interpolation": kind}});
    sampler(path, times, values, "", more)
}

fn codes(loaded: &Loaded) -> Vec<&'static str> {
    loaded.warnings.iter().map(|w| w.code.as_str()).collect()
}

/// Returns the node's transform at a time.
fn node_at(loaded: &Loaded, time: f64) -> Transform {
    let mut stage = Stage::new(&loaded.model, 0);
    stage.pose(&loaded.model, loaded.model.clips.first(), time);
    stage.local.transform(0)
}

const TWO: [f32; 2] = [0.8, 1.6];
const LINE: [f32; 6] = [14., 3., -2., 18., 1., 1.];

#[test]
fn a_sampler_without_interpolation_is_linear() {
    for kind in ["", "LINEAR"] {
        let loaded = sampler("translation", &TWO, &LINE, kind, json!({}));
        let at = node_at(&loaded, 1.2).translation;
        assert!((at - Vec3::new(16., 2., -0.5)).length() < 1e-6, "{at}");
        assert_eq!(codes(&loaded), [""; 0]);
    }
}

#[test]
fn what_no_channel_drives_keeps_the_files_value_and_twice_gives_the_same() {
    let loaded = sampler("scale", &TWO, &LINE, "", json!({}));
    let node = node_at(&loaded, 1.0);
    assert_eq!((node.translation, node.rotation), (Vec3::new(1., 2., 3.), Quat::IDENTITY));
    assert_eq!(node_at(&loaded, 1.0), node);
}

/// The time of a frame meets the key that was written for it, although keys have single precision.
#[test]
fn a_frame_shows_the_step_of_its_own_key() {
    for fps in [24.0, 25.0, 30.0, 60.0] {
        let times = (0..500).map(|frame| (f64::from(frame) / fps) as f32).collect();
        let values = (0..500).map(|frame| Vec3::splat(frame as f32)).collect();
        let track = Track::new(times, Keys::Step(values), 1).unwrap();
        for frame in 0..500 {
            let time = f64::from(frame) / fps;
            assert_eq!(track.sample(time).x, frame as f32, "frame {frame} at {fps} fps");
        }
    }
}

#[test]
fn the_ends_hold_and_the_last_step_is_seen() {
    let loaded = sampler("translation", &TWO, &LINE, "STEP", json!({}));
    let (first, last) = (Vec3::new(14., 3., -2.), Vec3::new(18., 1., 1.));
    for (time, want) in [(0.0, first), (0.8, first), (1.5999, first), (9.0, last)] {
        assert_eq!(node_at(&loaded, time).translation, want, "at {time}");
    }
    assert_eq!(node_at(&loaded, f64::from(1.6f32)).translation, last);
    let clip = &loaded.model.clips[0];
    assert_eq!((clip.start_secs(), clip.duration_secs()), (0.8, 1.6));
}

#[test]
fn one_key_is_the_pose_at_every_time() {
    for kind in ["STEP", "LINEAR"] {
        let loaded = sampler("translation", &[10.0], &[4., 5., 6.], kind, json!({}));
        assert_eq!(codes(&loaded), [""; 0], "{kind}");
        for time in [0.0, 10.0, 20.0] {
            assert_eq!(node_at(&loaded, time).translation, Vec3::new(4., 5., 6.));
        }
    }
}

#[test]
fn a_target_twice_is_told_and_the_later_wins() {
    let more = json!({
        "/animations/0/samplers": [{"input": 0, "output": 1, "interpolation": "STEP"}],
        "/animations/0/channels": [{"sampler": 1, "target": {"node": 0, "path": "translation"}}],
    });
    let loaded = sampler("translation", &TWO, &LINE, "LINEAR", more);
    assert_eq!(codes(&loaded), ["CHANNEL_TWICE"]);
    assert_eq!(node_at(&loaded, 1.2).translation, Vec3::new(14., 3., -2.));
}

#[test]
fn a_target_without_a_node_is_told_and_stops_nothing() {
    let more = json!({"/animations/0/channels": [{"sampler": 0, "target": {"path": "scale"}}]});
    let loaded = sampler("translation", &TWO, &LINE, "", more);
    assert_eq!(codes(&loaded), ["CHANNEL_WITHOUT_NODE"]);
    assert!(loaded.warnings[0].is_hint());
    assert_eq!(loaded.model.clips[0].channels().len(), 1);
}

#[test]
fn a_wrong_number_of_values_is_told() {
    for (kind, values) in [("LINEAR", 9), ("LINEAR", 3), ("CUBICSPLINE", 6), ("CUBICSPLINE", 21)] {
        let loaded = sampler("translation", &TWO, &vec![1.0; values], kind, json!({}));
        assert_eq!(codes(&loaded), ["CHANNEL_LEFT_OUT"], "{kind} {values}");
        assert!(loaded.warnings[0].message.contains("values for 2 keys"), "{:?}", loaded.warnings);
        assert_eq!(node_at(&loaded, 1.0).translation, Vec3::new(1., 2., 3.));
    }
}

/// An exporter for Maya wrote the number 0, and others write unknown strings.
#[test]
fn an_unknown_interpolation_is_told_and_read_as_linear() {
    for unknown in [
        json!(0),
        json!(1.5),
        json!(null),
        json!(true),
        json!("linear"),
        json!(""),
        json!("BEZIER"),
        json!(["STEP"]),
        json!({"mode": "STEP"}),
    ] {
        let loaded = with_interpolation("translation", &TWO, &LINE, unknown.clone());
        assert_eq!(codes(&loaded), ["INTERPOLATION_UNKNOWN"], "{unknown}");
        assert!(loaded.warnings[0].message.ends_with("unknown: read as LINEAR"), "{unknown}");
        let at = node_at(&loaded, 1.2).translation;
        assert!((at - Vec3::new(16., 2., -0.5)).length() < 1e-6, "{unknown}: {at}");
    }
}

/// Three values per key can only be in-tangent, value and out-tangent.
#[test]
fn an_unknown_interpolation_with_tangents_is_read_as_cubic() {
    let zero = [0f32; 3];
    let keys = [zero, [14., 3., -2.], zero, zero, [18., 1., 1.], zero];
    let loaded = with_interpolation("translation", &TWO, keys.as_flattened(), json!("cubicspline"));
    assert_eq!(codes(&loaded), ["INTERPOLATION_UNKNOWN"]);
    let said = &loaded.warnings[0].message;
    assert!(said.contains("\"cubicspline\"") && said.contains("as CUBICSPLINE"), "{said}");
    let at = node_at(&loaded, 1.2).translation;
    assert!((at - Vec3::new(16., 2., -0.5)).length() < 1e-6, "{at}");
    let Channel::Translation { track, .. } = &loaded.model.clips[0].channels()[0] else { panic!() };
    assert!(matches!(track.keys(), Keys::Cubic { .. }));
    // A number of values that fits neither is refused.
    let loaded = with_interpolation("translation", &TWO, &[1.0; 12], json!(0));
    assert!(codes(&loaded).contains(&"CHANNEL_LEFT_OUT"), "{:?}", loaded.warnings);
}

/// Exporters that write keys out of order do so in all channels, which gives one warning.
#[test]
fn keys_out_of_order_are_one_warning_that_names_the_first() {
    let times = [0.0, 0.5, 2.0, 1.0, 0.25];
    let more = json!({
        "/animations/0/channels": [
            {"sampler": 0, "target": {"node": 0, "path": "scale"}},
            {"sampler": 0, "target": {"node": 1, "path": "translation"}},
        ],
        "/nodes": [{}],
    });
    let loaded = sampler("translation", &times, &[1.0; 15], "", more);
    assert_eq!(codes(&loaded), ["CHANNEL_LEFT_OUT"], "{:?}", loaded.warnings);
    let warning = &loaded.warnings[0];
    assert_eq!(warning.pointer, "/animations/0/channels/0");
    for part in ["key 3 at 1 s follows 2 s", "so are 2 more channels"] {
        assert!(warning.message.contains(part), "{warning}");
    }
    assert!(loaded.model.clips[0].channels().is_empty());
}

#[test]
fn times_that_do_not_increase_are_told_and_never_a_zero_rotation() {
    for times in [[1.0, 1.0], [2.0, 1.0]] {
        let keys = [0., 0., 0., 1., 0., 1., 0., 0.];
        let loaded = sampler("rotation", &times, &keys, "", json!({}));
        assert!(codes(&loaded).contains(&"CHANNEL_LEFT_OUT"), "{:?}", loaded.warnings);
        assert!(loaded.warnings.iter().any(|w| w.message.contains("times do not increase")));
        assert_eq!(node_at(&loaded, 1.0).rotation, Quat::IDENTITY);
    }
}

#[test]
fn rotation_keys_that_are_no_unit_are_told_and_normalised() {
    let loaded = sampler("rotation", &TWO, &[0., 0., 0., 2., 0., 3., 0., 3.], "", json!({}));
    assert_eq!(codes(&loaded), ["ROTATION_KEYS_NOT_UNIT"]);
    assert!((node_at(&loaded, 1.2).rotation.length() - 1.0).abs() < 1e-6);
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let unit = sampler("rotation", &TWO, &[0., 0., 0., 1., 0., half, 0., half], "", json!({}));
    assert_eq!(codes(&unit), [""; 0]);
}

/// Two cubic keys on opposite hemispheres with tangents. The unused tangents are 0 unless given.
fn flipped(unused: f32) -> Loaded {
    let (a, b) = ([0., 0., 0.6f32, 0.8], [0., -0.8f32, 0., -0.6]);
    let (m, n) = ([0.3f32, 0.1, -0.2, 0.5], [-0.4f32, 0.2, 0.1, 0.3]);
    let keys = [[unused; 4], a, m, n, b, [unused; 4]];
    sampler("rotation", &[0.0, 2.0], keys.as_flattened(), "CUBICSPLINE", json!({}))
}

#[test]
fn cubic_keys_across_hemispheres_are_hinted_and_not_flipped() {
    let loaded = flipped(0.0);
    assert_eq!(codes(&loaded), ["ROTATION_KEYS_FLIP"]);
    assert!(loaded.warnings[0].is_hint());
    // At u = 1/2: half of each key, plus an eighth of the duration (2 s) times the difference of the tangents.
    let want = Vec4::new(0.0, -0.4, 0.3, 0.1) + 0.25 * Vec4::new(0.7, -0.1, -0.3, 0.2);
    let got = Vec4::from(node_at(&loaded, 1.0).rotation);
    assert!((got - want.normalize()).length() < 1e-6, "{got}");
}

#[test]
fn unused_tangents_are_hinted_and_change_no_pose() {
    let (with, without) = (flipped(7.0), flipped(0.0));
    assert!(codes(&with).contains(&"TANGENTS_UNUSED"), "{:?}", with.warnings);
    for i in 0..=40 {
        let time = f64::from(i) / 10.0 - 1.0;
        assert_eq!(node_at(&with, time), node_at(&without, time), "at {time}");
    }
}

#[test]
fn a_moved_node_with_a_matrix_is_told() {
    let matrix = json!([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1]);
    let more = json!({"/nodes/0": {"matrix": matrix}});
    let loaded = sampler("scale", &TWO, &LINE, "", more);
    assert!(codes(&loaded).contains(&"CHANNEL_ON_MATRIX"), "{:?}", loaded.warnings);
}

/// A clip with channels for two nodes that start late and end at different times.
fn ragged() -> (Clip, LocalPose) {
    let turns = (0..5).map(|i| Quat::from_rotation_z(0.4 * i as f32)).collect();
    let turns = Track::new(vec![0.5, 1.0, 1.25, 2.0, 2.5], Keys::Linear(turns), 1).unwrap();
    let moves = Keys::Linear(vec![Vec3::ZERO, Vec3::X, Vec3::Y]);
    let moves = Track::new(vec![1.0, 1.5, 3.0], moves, 1).unwrap();
    let channels = vec![
        Channel::Rotation { node: 0, track: turns },
        Channel::Translation { node: 1, track: moves },
    ];
    let clip = Clip::new(ClipParts { channels, duration_secs: 3.0, ..ClipParts::default() });
    (clip, LocalPose::new(vec![Transform::IDENTITY; 2], &[vec![], vec![]]))
}

#[test]
fn a_million_times_of_a_loop_give_no_nan_no_zero_and_no_jump() {
    let (clip, rest) = ragged();
    let (mut pose, mut cursor) = (rest.clone(), Cursor::default());
    // A fixed generator, so that all runs use the same times.
    let mut state = 1u64;
    for i in 0..1_000_000u32 {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let wide = (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
        // Near the ends of the loop, far from 0, and anywhere.
        let time = match i % 3 {
            0 => (wide * 60.0).round() * 3.0 + wide * 1e-9,
            1 => wide * 1e12,
            _ => wide * 60.0,
        };
        let at = looped(time, 0.0, 3.0);
        clip.pose(at, &rest, &mut cursor, &mut pose);
        let (turn, place) = (pose.transform(0).rotation, pose.transform(1).translation);
        assert!((turn.length() - 1.0).abs() < 1e-5 && place.is_finite(), "at {time}");
        // The clip's time is never outside its range, and each channel is clamped to its own keys.
        assert!((0.0..=3.0).contains(&at), "{time} became {at}");
        if i % 16 == 0 {
            let mut near = rest.clone();
            clip.sample((at - 1e-4).max(0.0), &mut near);
            let turned = angle_between(near.transform(0).rotation, turn);
            let moved = near.transform(1).translation.distance(place);
            assert!(turned < 3e-4 && moved < 4e-4, "a jump at {time}: {turned}, {moved}");
        }
    }
}

#[test]
fn one_clip_leaves_nothing_for_the_next() {
    let (first, rest) = ragged();
    let track = Track::new(vec![0.0], Keys::Step(vec![Vec3::splat(2.0)]), 1).unwrap();
    let channels = vec![Channel::Scale { node: 1, track }];
    let second = Clip::new(ClipParts { channels, ..ClipParts::default() });
    let (mut after, mut alone) = (rest.clone(), rest.clone());
    first.pose(1.2, &rest, &mut Cursor::default(), &mut after);
    second.pose(0.0, &rest, &mut Cursor::default(), &mut after);
    second.pose(0.0, &rest, &mut Cursor::default(), &mut alone);
    assert_eq!(after, alone);
}

/// Any finite number, with many large and tiny ones.
fn finite() -> impl Strategy<Value = f32> + Clone {
    prop_oneof![prop::num::f32::NORMAL, prop::num::f32::SUBNORMAL, -2f32..2.0, Just(f32::MAX)]
}

proptest! {
    #[test]
    fn a_pose_of_finite_keys_is_finite_at_any_time(
        values in prop::collection::vec(prop::array::uniform4(finite()), 6),
        kind in 0..3,
        times in prop::collection::vec(prop_oneof![0.0f64..4.0, prop::num::f64::ANY], 1..20),
    ) {
        let vectors: Vec<Vec3> = values.iter().map(|v| Vec3::new(v[0], v[1], v[2])).collect();
        let turns: Vec<Quat> = values.iter().map(|v| Quat::from_array(*v)).collect();
        fn keys<T: Clone>(kind: i32, list: &[T]) -> Keys<T> {
            match kind {
                0 => Keys::Step(list[..2].to_vec()),
                1 => Keys::Linear(list[..2].to_vec()),
                _ => Keys::Cubic {
                    in_tangents: list[2..4].to_vec(),
                    values: list[..2].to_vec(),
                    out_tangents: list[4..].to_vec(),
                },
            }
        }
        let at = vec![0.5, 3.5];
        let channels = vec![
            Channel::Translation {
                node: 0,
                track: Track::new(at.clone(), keys(kind, &vectors), 1).unwrap(),
            },
            Channel::Rotation { node: 0, track: Track::new(at, keys(kind, &turns), 1).unwrap() },
        ];
        let clip = Clip::new(ClipParts { channels, duration_secs: 3.5, ..ClipParts::default() });
        let rest = LocalPose::new(vec![Transform::IDENTITY], &[vec![]]);
        let mut pose = rest.clone();
        for time in times {
            clip.sample(time, &mut pose);
            let node = pose.transform(0);
            prop_assert!(node.translation.is_finite(), "{:?} at {}", node, time);
            prop_assert!((node.rotation.length() - 1.0).abs() < 1e-5, "{:?} at {}", node, time);
            let mut fast = rest.clone();
            clip.pose(time, &rest, &mut Cursor::default(), &mut fast);
            let node = fast.transform(0);
            prop_assert!(node.translation.is_finite(), "{:?} at {}", node, time);
            prop_assert!((node.rotation.length() - 1.0).abs() < 1e-5, "{:?} at {}", node, time);
        }
    }
}
