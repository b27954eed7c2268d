//! Distances between the keys, and clips that take too long.

use serde_json::{Value, json};

use super::{Models, distance, keys};

/// Keys lie on the grid of 30 frames per second. A STEP channel holds 0 degrees until just before the second key, where
/// the LINEAR one has reached 90: corners are 2 m apart.
#[test]
fn a_step_is_measured_just_before_its_next_key() {
    let models = Models::new();
    let (times, half) = ([0.0, 1.0 / 30.0, 2.0 / 30.0], 0.5f32.sqrt());
    let turns = [0., 0., 0., 1., 0., 0., half, half, 0., 0., 1., 0.];
    for (name, interpolation) in [("a.gltf", "LINEAR"), ("b.gltf", "STEP")] {
        models.write(name, &["Turn"], |json| keys(json, "rotation", interpolation, &times, &turns));
    }
    let got = models.json("a.gltf", "b.gltf", 1);
    let clip = &got["clips"][0];
    assert!((distance(clip) - 2.0).abs() < 0.02, "{clip}");
    let near = |time: f64| times.iter().any(|key| (time - f64::from(*key)).abs() < 1e-6);
    assert!(near(clip["time"].as_f64().unwrap()), "{clip}");
    assert_eq!(clip["joint"], "square");
    let change = json!({"node": "square", "path": "rotation", "a": "LINEAR", "b": "STEP"});
    assert_eq!(clip["interpolations"], json!([change]));
    assert_eq!((&got["structure"], &got["paired"]), (&json!([]), &json!("index")));
    let said = models.diff("a.gltf", "b.gltf", &[]).failed(1);
    let line = "rotation of \"square\" is STEP instead of LINEAR";
    assert!(said.text().contains(line), "{}", said.text());
}

/// Between two keys at 0, a cubic with the tangent 30 m/s at both runs along 2u^3 - 3u^2 + u: it is at 0 in the middle,
/// and at most 1/(6 sqrt 3) = 0.0962 m away.
#[test]
fn a_cubic_is_measured_where_it_leaves_its_keys() {
    let models = Models::new();
    let times = [0.0, 1.0 / 30.0];
    models.write("a.gltf", &["Turn"], |json| {
        keys(json, "translation", "LINEAR", &times, &[0.0; 6]);
    });
    models.write("b.gltf", &["Turn"], |json| {
        let tangent = [30.0, 0.0, 0.0];
        let values = [tangent, [0.0; 3], tangent, tangent, [0.0; 3], tangent].concat();
        keys(json, "translation", "CUBICSPLINE", &times, &values);
    });
    let got = models.json("a.gltf", "b.gltf", 1);
    assert!((distance(&got["clips"][0]) - 0.09623).abs() < 0.001, "{got}");
}

/// 5,000 channels over an hour.
#[test]
fn clips_that_take_too_long_are_refused() {
    let models = Models::new();
    models.write("a.gltf", &["Long"], |json| {
        keys(json, "translation", "LINEAR", &[0.0, 3600.0], &[0.0; 6]);
        let nodes: Vec<Value> = (0..5000).map(|i| json!({"name": format!("n{i}")})).collect();
        json["scenes"][0]["nodes"] = json!((0..5000).collect::<Vec<_>>());
        let channels =
            (0..5000).map(|i| json!({"sampler": 0, "target": {"node": i, "path": "translation"}}));
        json["animations"][0]["channels"] = channels.collect();
        json["nodes"] = json!(nodes);
    });
    let run = models.diff("a.gltf", "a.gltf", &[]).failed(3);
    assert!(run.stderr.contains("more than the limit of 100 s; raise --timeout"), "{}", run.stderr);
    assert_eq!(run.stderr.trim().lines().count(), 1, "{}", run.stderr);
}
