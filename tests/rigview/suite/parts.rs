//! Suites that run in parts.

use serde_json::Value;

use super::{Suite, last_line};
use crate::support::run;

#[test]
fn parts_are_joined_to_the_whole() {
    let cases: String = (0..6)
        .map(|i| format!("[[case]]\nname = \"c{i}\"\nfile = \"creature.glb\"\nsize = \"16x16\"\n"))
        .collect();
    let suite = Suite::blessed(&cases);
    std::fs::remove_file(suite.path("goldens/c3@0.0.png")).unwrap();
    assert_eq!(suite.test(&["--json", "whole.json"]).code, Some(1));
    for part in ["1/2", "2/2"] {
        let report = format!("part-{}", &part[..1]);
        suite.test(&["--shard", part, "--report", &report]);
    }
    let merge = ["--merge", "part-1", "part-2", "--json", "merged.json", "--report", "all"];
    let merged = suite.test(&merge);
    assert_eq!((merged.code, last_line(&merged).as_str()), (Some(1), "5 passed, 1 failed"));
    let cases = |name: &str| -> Vec<(Value, Value)> {
        let results = suite.json(name);
        let cases = results["cases"].as_array().unwrap();
        cases.iter().map(|case| (case["name"].clone(), case["status"].clone())).collect()
    };
    assert_eq!(cases("merged.json"), cases("whole.json"));
    for name in ["all/results.json", "all/pictures/c0@0.0.png", "all/pictures/c3@0.0.png"] {
        assert!(suite.path(name).exists(), "{name}");
    }
    // A part that was lost fails its cases.
    let lost = suite.test(&["--merge", "part-1", "part-9", "--json", "lost.json"]);
    assert_eq!(lost.code, Some(1), "{}", lost.ended());
    assert!(lost.text().contains("no results part-9: no results.json"), "{}", lost.text());
    assert!(lost.text().contains("did not finish"), "{}", lost.text());
    // The index of a job array counts without the option.
    let mut array = suite.command(&["--json", "array.json"]);
    array.env("SLURM_ARRAY_TASK_ID", "1").env("SLURM_ARRAY_TASK_COUNT", "2");
    let said = run(&mut array).stderr;
    assert!(said.contains("running part 2 of 2 (Slurm job array)"), "{said}");
    let part: Vec<(Value, Value)> = cases("array.json");
    assert!(!part.is_empty() && part.len() < 6, "{part:?}");
    let mut array = suite.command(&[]);
    run(array.env("JOB_COMPLETION_INDEX", "0")).failed(2);
}

/// Copying a report onto itself would empty its pictures.
#[test]
fn a_report_that_is_merged_is_not_overwritten() {
    let suite =
        Suite::blessed("[[case]]\nname = \"a\"\nfile = \"creature.glb\"\nsize = \"16x16\"\n");
    std::fs::remove_file(suite.path("goldens/a@0.0.png")).unwrap();
    suite.test(&["--report", "one"]);
    let picture = suite.read("one/pictures/a@0.0.png");
    let refused = suite.test(&["--merge", "one", "--report", "./one"]).failed(2);
    assert!(
        refused.stderr.contains("./one: this is one of the folders to merge"),
        "{}",
        refused.stderr
    );
    assert!(suite.read("one/pictures/a@0.0.png") == picture && !picture.is_empty());
}
