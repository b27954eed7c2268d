//! Work that a small FBX file must not multiply: scales that are handed down along a chain, and repeated curves.

use std::fmt::Write;

use rigview::import::{ImportOptions, load_bytes};

use crate::fbx::{assert_near, read, world};
use crate::support::{Curve, Fbx};

/// Returns a chain of joints whose scales are multiplied into those of their children, each with keys at times of its own.
fn chain(joints: usize, keys: usize) -> Fbx {
    let mut file = Fbx::new();
    let mut parent = 0;
    let nodes: Vec<u64> = (0..joints)
        .map(|i| {
            let inherits = "\"InheritType\", \"enum\", \"\", \"\",0";
            parent = file.node(&format!("joint{i}"), "LimbNode", parent, &[inherits]);
            parent
        })
        .collect();
    let take = file.take("Pulse", 0.0, 1.0);
    for (i, joint) in nodes.into_iter().enumerate() {
        let aside = 0.5 * i as f64 / joints as f64;
        let key = |k: usize| {
            [(k as f64 + aside) / keys as f64, if k.is_multiple_of(2) { 1.0 } else { 1.1 }]
        };
        let keys: Vec<_> = (0..keys).map(key).collect();
        file.animate(take, joint, ["Lcl Scaling", "d|X"], Curve::Linear, &keys);
    }
    file
}

#[test]
fn scales_along_a_chain_are_multiplied() {
    let model = read(&chain(40, 2)).model;
    let wanted = |time: f64| -> f64 {
        let of = |i: usize| {
            let aside = 0.25 * i as f64 / 40.0;
            1.0 + 0.1 * ((time - aside) / 0.5).clamp(0.0, 1.0)
        };
        (0..40).map(of).product()
    };
    for time in [0.0, 0.3, 0.61, 1.0] {
        let found = f64::from(world(&model, "joint39", Some(time)).x_axis.x);
        assert!((found / wanted(time) - 1.0).abs() < 1e-3, "{found} at {time}: {}", wanted(time));
    }
}

/// The limit counts the evaluations of scales, not only the keys.
#[test]
fn a_chain_that_takes_too_many_evaluations_is_refused() {
    let options = ImportOptions { decoded_limit: 4 << 20, ..ImportOptions::default() };
    assert!(load_bytes(chain(10, 10).bytes(), &options).is_ok());
    let error = load_bytes(chain(40, 10).bytes(), &options).unwrap_err().to_string();
    assert!(error.contains("take \"Pulse\""), "{error}");
}

/// A short cycle is repeated a thousand times to either side of its keys; a take shows a few of these.
#[test]
fn repetitions_outside_of_a_take_cost_nothing() {
    let mut file = Fbx::new();
    let node = file.node("a", "Null", 0, &[]);
    let take = file.take("Cycle", 0.0, 1.0);
    let keys: Vec<_> = (0..20).map(|k| [f64::from(k) * 0.01, f64::from(k)]).collect();
    file.animate(take, node, ["Lcl Translation", "d|X"], Curve::Linear, &keys);
    let side = |name| format!("{name}-Extrapolation:  {{\nType: R\nRepetition: -1\n}}\n");
    let sides = side("Pre") + &side("Post");
    let mut text = String::new();
    for line in file.text().lines() {
        writeln!(text, "{line}").unwrap();
        if line.starts_with("KeyVer") {
            text += &sides;
        }
    }
    let options = ImportOptions { decoded_limit: 1 << 20, ..ImportOptions::default() };
    let model = load_bytes(text.into_bytes(), &options).unwrap().model;
    for (time, wanted) in [(0.05, 0.05), (0.295, 0.105), (0.665, 0.095)] {
        assert_near(world(&model, "a", Some(time)).translation.into(), [wanted, 0.0, 0.0]);
    }
}
