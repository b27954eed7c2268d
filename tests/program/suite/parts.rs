//! Suites that run in parts.

use serde_json::Value;

use super::{Suite, last_line};
use crate::support::{command, run};

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
    assert_eq!(suite.json("array.json")["part"], serde_json::json!([2, 2]));
    let count = format!("(part 2 of 2: {} of 6 cases)", part.len());
    let last = run(&mut array);
    assert!(last_line(&last).ends_with(&count), "{}", last.text());
    let mut array = suite.command(&[]);
    run(array.env("JOB_COMPLETION_INDEX", "0")).failed(2);
}

#[test]
fn results_of_an_earlier_run_are_not_taken_for_those_of_this_one() {
    let cases: String = (0..6)
        .map(|i| format!("[[case]]\nname = \"c{i}\"\nfile = \"creature.glb\"\nsize = \"16x16\"\n"))
        .collect();
    let suite = Suite::blessed(&cases);
    for part in ["1/3", "2/3", "3/3", "1/2"] {
        let report = format!("{}-of-{}", &part[..1], &part[2..]);
        suite.test(&["--shard", part, "--report", &report]).done();
    }
    let mixed = suite.test(&["--merge", "1-of-2", "2-of-3", "3-of-3"]).failed(2);
    assert!(
        mixed.stderr.contains("2-of-3 is one of 3 parts and 1-of-2 is one of 2 parts"),
        "{}",
        mixed.stderr
    );
    suite.test(&["--report", "whole"]).done();
    let mixed = suite.test(&["--merge", "1-of-2", "whole"]).failed(2);
    assert!(mixed.stderr.contains("whole is a whole run"), "{}", mixed.stderr);
    suite.test(&["--merge", "whole", "whole"]).done();
    // Without a manifest nothing else says which cases there are.
    let mut two = command();
    two.current_dir(suite.folder.path()).args(["test", "--merge", "1-of-3", "3-of-3"]);
    let lost = run(&mut two).failed(1);
    assert!(lost.text().contains("part 2 of 3: it is in none of the folders"), "{}", lost.text());
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

/// A picture that is not there costs itself only, not the results.
#[test]
fn results_are_merged_without_a_lost_picture() {
    let cases: String = (0..2)
        .map(|i| format!("[[case]]\nname = \"c{i}\"\nfile = \"creature.glb\"\nsize = \"16x16\"\n"))
        .collect();
    let suite = Suite::new(&cases);
    assert_eq!(suite.test(&["--report", "part"]).code, Some(1));
    std::fs::remove_file(suite.path("part/pictures/c0@0.0.png")).unwrap();
    let merge = ["--merge", "part", "--report", "all", "--junit", "m.xml", "--markdown", "m.md"];
    let merged = suite.test(&merge);
    assert_eq!(merged.code, Some(5), "{}", merged.ended());
    assert!(merged.stderr.contains("c0@0.0.png"), "{}", merged.stderr);
    for name in ["all/index.html", "all/results.json", "all/pictures/c1@0.0.png", "m.xml", "m.md"] {
        assert!(suite.path(name).exists(), "{name}");
    }
}
