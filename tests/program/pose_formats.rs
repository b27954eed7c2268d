//! `pose --format csv` compared with `--json`, and `pose --gpu --compare`.

use std::collections::HashMap;

use serde_json::Value;

use crate::support::{SmallModel, checkout, rigview, shared};

fn creature() -> String {
    checkout().join("assets/creature.glb").to_string_lossy().into_owned()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Rows of a CSV without quoted fields, by column.
fn rows(text: &str) -> Vec<HashMap<String, String>> {
    assert!(text.ends_with("\r\n") && !text.contains('"'));
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned));
    let header: Vec<String> = lines.next().unwrap().collect();
    let row = |fields: Vec<String>| {
        assert_eq!(fields.len(), header.len());
        header.iter().cloned().zip(fields).collect()
    };
    lines.map(|fields| row(fields.collect())).collect()
}

#[test]
fn csv_has_the_numbers_of_json() {
    let args = [
        "pose",
        &creature(),
        "--clip",
        "Walk",
        "--time",
        "0.3",
        "--time",
        "0.7",
        "--vertices",
        "5",
    ];
    let csv = rigview([&args[..], &["--format", "csv"]].concat()).done();
    let json = rigview([&args[..], &["--format", "json"]].concat()).done();
    assert_eq!(json.text(), rigview([&args[..], &["--json"]].concat()).done().text());
    let mut rows = rows(csv.text()).into_iter();
    let same = |field: &str, number: &Value| {
        assert_eq!(field.parse::<f32>().unwrap(), number.as_f64().unwrap() as f32, "{field}");
    };
    for instant in lines(json.text()) {
        for node in instant["nodes"].as_array().unwrap() {
            let row = rows.next().unwrap();
            assert_eq!(
                (&*row["kind"], &row["name"]),
                ("node", &node["name"].as_str().unwrap().to_owned())
            );
            assert_eq!(row["node"], node["index"].to_string());
            assert_eq!(row["time"], instant["time"].to_string());
            let parts = [("translation", "xyz"), ("rotation", "xyzw"), ("scale", "xyz")];
            for (part, letters) in parts {
                for (i, letter) in letters.chars().enumerate() {
                    same(&row[&format!("{part}_{letter}")], &node[part][i]);
                }
            }
            (0..16).for_each(|i| same(&row[&format!("world_{i}")], &node["world"][i]));
            for (i, name) in ["x", "y", "z"].iter().enumerate() {
                same(&row[*name], &node["world"][12 + i]);
            }
        }
        for sample in instant["vertices"].as_array().unwrap() {
            for (index, position) in sample["index"]
                .as_array()
                .unwrap()
                .iter()
                .zip(sample["position"].as_array().unwrap())
            {
                let row = rows.next().unwrap();
                assert_eq!((&*row["kind"], &row["vertex"]), ("vertex", &index.to_string()));
                assert_eq!(row["primitive"], sample["primitive"].to_string());
                for (i, name) in ["x", "y", "z"].iter().enumerate() {
                    same(&row[*name], &position[i]);
                }
                assert_eq!(row["world_0"], "");
            }
        }
    }
    assert!(rows.next().is_none());
}

#[test]
fn names_with_commas_stay_one_field() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("odd.gltf");
    SmallModel::new().node_name("a, \"b\"\n").write_gltf(&file);
    let run = rigview(["pose", file.to_str().unwrap(), "--format", "csv"]).done();
    assert_eq!(run.text().lines().count(), 2);
    assert!(run.text().contains(",\"a, \"\"b\"\"\\u000a\","), "{}", run.text());
}

#[test]
fn cpu_and_gpu_pose_all_vertices_alike() {
    let mut files = vec![creature()];
    if let Some(shared) = shared("cpu_and_gpu_pose_all_vertices_alike") {
        files.push(shared.join("models/Fox/glTF-Binary/Fox.glb").to_string_lossy().into_owned());
    }
    for file in files.iter().filter(|file| std::path::Path::new(file).exists()) {
        let args = ["pose", file, "--time", "0.2", "--time", "0.6", "--gpu", "--compare"];
        let run = rigview([&args[..], &["--json"]].concat()).done();
        let instants = lines(run.text());
        assert_eq!(instants.len(), 2);
        for instant in instants {
            let difference = &instant["difference"];
            assert!(difference["vertices"].as_u64().unwrap() > 100, "{instant}");
            assert_eq!(difference["not_finite"], 0);
            // A millionth of the model's size, which is at most 200 m.
            assert!(difference["distance"].as_f64().unwrap() < 2e-4, "{instant}");
            assert!(instant["gpu"]["adapter"].is_string() && instant.get("nodes").is_none());
        }
        let run = rigview(args).done();
        let said = run.text().lines().filter(|line| line.contains("largest difference")).count();
        assert_eq!(said, 2, "{}", run.text());
    }
    rigview(["pose", &creature(), "--compare"]).failed(2);
    rigview(["pose", &creature(), "--gpu", "--tolerance", "1"]).failed(2);
    let compared = |tolerance| {
        let clip = ["--clip", "Walk", "--time", "0.3", "--gpu", "--compare"];
        rigview([&["pose", &creature()][..], &clip, &["--tolerance", tolerance]].concat())
    };
    compared("0.001").done();
    // No adapter rounds like the CPU everywhere.
    let run = compared("0").failed(1);
    assert!(run.stderr.contains("0.3 s"), "{}", run.stderr);
}
