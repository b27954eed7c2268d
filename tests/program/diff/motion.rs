//! Distances between the keys, and clips that take too long.

use serde_json::{Value, json};

use super::{Models, distance, floats, keys};

/// Each weight of a node may have a channel of its own, with its own interpolation.
#[test]
fn weights_with_channels_of_their_own_are_those_of_the_same_weight() {
    let models = Models::new();
    models.write("a.gltf", &["Turn"], |json| {
        let target = floats(json, "VEC3", &[0.0; 12]);
        json["meshes"][0]["primitives"][0]["targets"] =
            json!([{"POSITION": target}, {"POSITION": target}]);
        json["meshes"][0]["weights"] = json!([0, 0]);
        let times = floats(json, "SCALAR", &[0.0, 1.0]);
        let sampler = |interpolation| json!({"input": times, "output": times, "interpolation": interpolation});
        let channel = |weight: usize| {
            let pointer = json!({"pointer": format!("/nodes/0/weights/{weight}")});
            let extensions = json!({"KHR_animation_pointer": pointer});
            json!({"sampler": weight, "target": {"path": "pointer", "extensions": extensions}})
        };
        json["extensionsUsed"] = json!(["KHR_animation_pointer"]);
        json["animations"][0]["samplers"] = json!([sampler("LINEAR"), sampler("STEP")]);
        json["animations"][0]["channels"] = json!([channel(0), channel(1)]);
    });
    let got = models.json("a.gltf", "a.gltf", 0);
    assert_eq!(got["clips"][0]["interpolations"], json!([]), "{got}");
}

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

/// A strip of 1,600 triangles, which moves for ten seconds; the other file has them in reverse order. To pose all of them
/// at all instants would take longer than the limit.
#[test]
fn blocks_that_cannot_be_apart_are_not_posed() {
    let models = Models::new();
    let with = |name: &str, to: f32, is_reversed: bool| {
        models.write(name, &["Move"], |json| {
            let mut corners: Vec<[f32; 9]> = (0..1600)
                .map(|i| [i as f32, 0., 0., i as f32 + 1., 0., 0., i as f32, 1., (i % 7) as f32])
                .collect();
            if is_reversed {
                corners.reverse();
            }
            let position = floats(json, "VEC3", &corners.concat());
            json["meshes"][0]["primitives"] = json!([{"attributes": {"POSITION": position}}]);
            keys(json, "translation", "LINEAR", &[0.0, 10.0], &[0., 0., 0., to, 0., 0.]);
        });
    };
    with("a.gltf", 5.0, false);
    with("b.gltf", 5.0, true);
    with("c.gltf", 5.5, true);
    let quick = ["--timeout", "0.005"];
    models.diff("a.gltf", "b.gltf", &quick).done();
    let run = models.diff("a.gltf", "c.gltf", &[&quick[..], &["--json"]].concat()).failed(1);
    let got: Value = serde_json::from_str(run.text()).unwrap();
    assert!((distance(&got["clips"][0]) - 0.5).abs() < 0.005, "{got}");
}

/// 5,000 channels over an hour.
#[test]
fn clips_that_take_too_long_are_refused() {
    let models = Models::new();
    let write = |name: &str, to: f32| {
        models.write(name, &["Long"], |json| {
            keys(json, "translation", "LINEAR", &[0.0, 3600.0], &[0., 0., 0., to, 0., 0.]);
            let nodes: Vec<Value> = (0..5000).map(|i| json!({"name": format!("n{i}")})).collect();
            json["scenes"][0]["nodes"] = json!((0..5000).collect::<Vec<_>>());
            let channels = (0..5000)
                .map(|i| json!({"sampler": 0, "target": {"node": i, "path": "translation"}}));
            json["animations"][0]["channels"] = channels.collect();
            json["nodes"] = json!(nodes);
        })
    };
    write("a.gltf", 0.0);
    write("b.gltf", 1.0);
    let run = models.diff("a.gltf", "b.gltf", &[]).failed(3);
    assert!(run.stderr.contains("more than the limit of 100 s; raise --timeout"), "{}", run.stderr);
    assert_eq!(run.stderr.trim().lines().count(), 1, "{}", run.stderr);
}
