//! Keys of every component type, and the warnings about keys that are valid but unusual.

use bytemuck::{NoUninit, cast_slice};
use rigview::anim::{Channel, Keys};
use rigview::import::Loaded;
use serde_json::json;

use crate::import::{codes, loaded};

/// The output of a sampler: how its numbers are stored, and the interpolation between the keys.
struct Output<'a> {
    component: u32,
    normalized: bool,
    interpolation: &'a str,
}

const FLOATS: Output = Output { component: 5126, normalized: false, interpolation: "LINEAR" };
const CUBIC: Output = Output { interpolation: "CUBICSPLINE", ..FLOATS };

/// A mesh with two morph targets on a node that is driven by two keys.
fn driven<T: NoUninit>(path: &str, output: &Output, values: &[T]) -> Loaded {
    let (shape, count) = match path {
        "rotation" => ("VEC4", values.len() / 4),
        _ => ("SCALAR", values.len()),
    };
    let document = json!({
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"mode": 0, "attributes": {"POSITION": 0},
            "targets": [{"POSITION": 0}, {"POSITION": 0}]}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 1, "type": "VEC3",
             "min": [0, 0, 0], "max": [0, 0, 0]},
            {"bufferView": 1, "componentType": 5126, "count": 2, "type": "SCALAR",
             "min": [0], "max": [1]},
            {"bufferView": 2, "componentType": output.component, "count": count, "type": shape,
             "normalized": output.normalized}
        ],
        "animations": [{
            "samplers": [{"input": 1, "output": 2, "interpolation": output.interpolation}],
            "channels": [{"sampler": 0, "target": {"node": 0, "path": path}}]}]
    });
    loaded(&[cast_slice(&[0f32; 3]), cast_slice(&[0f32, 1.]), cast_slice(values)], document)
        .unwrap()
}

/// Returns the driven weights.
fn weights(loaded: &Loaded) -> &Keys<f32> {
    let Channel::Weights { track, .. } = &loaded.model.clips[0].channels()[0] else { panic!() };
    track.keys()
}

#[test]
fn rotations_may_be_off_by_what_their_type_can_not_hold() {
    let [none, told] = [&[][..], &["ROTATION_KEYS_NOT_UNIT"]];
    let half = |w: f32| [0., 0., 0., 1., 0., 0., 0., w];
    assert_eq!(codes(&driven("rotation", &FLOATS, &half(1.0004))), none);
    assert_eq!(codes(&driven("rotation", &FLOATS, &half(1.002))), told);
    let shorts = Output { component: 5122, normalized: true, ..FLOATS };
    let short = |w: f32| [0, 0, 0, i16::MAX, 0, 0, 0, (32767. * w) as i16];
    assert_eq!(codes(&driven("rotation", &shorts, &short(0.9993))), none);
    assert_eq!(codes(&driven("rotation", &shorts, &short(0.99))), told);
    let bytes = Output { component: 5120, normalized: true, ..FLOATS };
    assert_eq!(codes(&driven("rotation", &bytes, &[0i8, 0, 0, 127, 0, 0, 0, 124])), none);
    assert_eq!(codes(&driven("rotation", &bytes, &[0i8, 0, 0, 127, 0, 0, 0, 120])), told);
}

#[test]
fn rotations_of_length_zero_are_told_and_the_identity() {
    let loaded = driven("rotation", &FLOATS, &[0., 0., 0., 0., 0., 0., 1f32, 0.]);
    assert_eq!(codes(&loaded), ["CHANNEL_ODD"]);
    let message = &loaded.warnings[0].message;
    assert!(message.ends_with("1 rotation keys of length 0 are read as the identity"), "{message}");
    let Channel::Rotation { track, .. } = &loaded.model.clips[0].channels()[0] else { panic!() };
    assert_eq!(track.sample(0.0).to_array(), [0., 0., 0., 1.]);
}

#[test]
fn only_cubic_keys_on_opposite_hemispheres_are_told() {
    let (a, across) = ([0f32, 0., 0., 1.], [0f32, 0., 0.6, -0.8]);
    let half_a_turn = [1f32, 0., 0., 0.];
    assert_eq!(codes(&driven("rotation", &FLOATS, &[a, across].concat())), [""; 0]);
    for (b, want) in [(across, &["ROTATION_KEYS_FLIP"][..]), (half_a_turn, &[]), (a, &[])] {
        let zero = [0.; 4];
        let loaded = driven("rotation", &CUBIC, &[zero, a, zero, zero, b, zero].concat());
        assert_eq!(codes(&loaded), want, "{b:?}");
    }
}

#[test]
fn a_tangent_before_the_first_or_after_the_last_key_is_told() {
    // Per key: two in-tangents, two values, two out-tangents.
    let keys = [0f32, 0., 1., 1., 5., 5., 5., 5., 1., 1., 0., 0.];
    assert_eq!(codes(&driven("weights", &CUBIC, &keys)), [""; 0]);
    for unused in [0, 1, 10, 11] {
        let mut keys = keys;
        keys[unused] = 0.5;
        assert_eq!(codes(&driven("weights", &CUBIC, &keys)), ["TANGENTS_UNUSED"], "{unused}");
    }
    let (key, used, zero) = ([0., 0., 0., 1.], [0.5f32; 4], [0.; 4]);
    for (first, last, want) in [
        (zero, zero, &[][..]),
        (used, zero, &["TANGENTS_UNUSED"]),
        (zero, used, &["TANGENTS_UNUSED"]),
    ] {
        let keys = [first, key, used, used, key, last].concat();
        assert_eq!(codes(&driven("rotation", &CUBIC, &keys)), want, "{first:?} {last:?}");
    }
}

#[test]
fn weights_of_integers_are_fractions_whatever_the_file_says() {
    for (normalized, want) in [(true, &[][..]), (false, &["CHANNEL_ODD"])] {
        let bytes = Output { component: 5121, normalized, ..FLOATS };
        let loaded = driven("weights", &bytes, &[0u8, 51, 102, 255]);
        assert_eq!(codes(&loaded), want, "normalized: {normalized}");
        assert_eq!(*weights(&loaded), Keys::Linear(vec![0.0, 0.2, 0.4, 1.0]));
    }
}

#[test]
fn an_unknown_interpolation_of_several_weights_is_cubic_if_there_are_three_values_of_each() {
    let odd = Output { interpolation: "BEZIER", ..FLOATS };
    let loaded = driven("weights", &odd, &[0f32; 12]);
    assert_eq!(codes(&loaded), ["INTERPOLATION_UNKNOWN"]);
    assert!(matches!(weights(&loaded), Keys::Cubic { .. }));
    let loaded = driven("weights", &odd, &[0f32; 4]);
    assert!(matches!(weights(&loaded), Keys::Linear(_)));
}

#[test]
fn values_of_another_shape_are_named_with_their_own() {
    let bytes = Output { component: 5125, ..FLOATS };
    let loaded = driven("weights", &bytes, &[0u32; 4]);
    assert_eq!(codes(&loaded), ["CHANNEL_LEFT_OUT"]);
    let message = &loaded.warnings[0].message;
    let own = "its weights values are SCALAR of UNSIGNED_INT (accessor 2), they must be SCALAR of";
    assert!(message.contains(own), "{message}");
}
