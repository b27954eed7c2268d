//! The programs of `examples/`: each runs to its end, and what it prints or draws is right.
//!
//! `cargo test --workspace` builds them, a run of these tests alone does not. If an example was not built, a line at the
//! end says so.

use std::process::Command;

use crate::support::{Run, checkout, program, rigview, run, say_at_the_end, set_adapter};

/// Runs an example, if it is built, with the adapter that all tests use.
fn run_example(name: &str, args: &[&str]) -> Option<Run> {
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let example = program().with_file_name("examples").join(file);
    if !example.is_file() {
        say_at_the_end(format!(
            "example {name}: not built, so not tested; `cargo test --workspace` builds it"
        ));
        return None;
    }
    let mut command = Command::new(example);
    set_adapter(&mut command);
    Some(run(command.args(args)).done())
}

#[test]
fn sample_clip_eases_an_arm_from_its_x_axis_to_its_y_axis() {
    let Some(run) = run_example("sample_clip", &[]) else { return };
    let lines: Vec<_> = run.text().lines().collect();
    assert_eq!(lines.len(), 5, "{lines:?}");
    assert_eq!(lines[0], "0.0 s: hand at (0.600, 0.000) m");
    assert_eq!(lines[2], "1.0 s: hand at (0.424, 0.424) m");
    assert!(lines[4].ends_with("0.600) m"), "{}", lines[4]);
}

#[test]
fn pose_file_prints_the_position_that_pose_prints() {
    let Some(run) = run_example("pose_file", &[]) else { return };
    let pose = rigview(["pose", "--time", "0.5", "--json"]).done();
    let pose = pose.json();
    let name = run.text().split(" at 0.5 s: ").next().unwrap();
    let node = pose["nodes"].as_array().unwrap().iter().find(|node| node["name"] == name).unwrap();
    let printed = run.text().trim().rsplit_once('[').unwrap().1.trim_end_matches(']');
    let printed: Vec<f64> = printed.split(", ").map(|number| number.parse().unwrap()).collect();
    assert_eq!(printed.len(), 3);
    for (axis, printed) in printed.iter().enumerate() {
        let expected = node["world"][12 + axis].as_f64().unwrap();
        assert!((printed - expected).abs() < 1e-5, "{name}: {printed}, not {expected}");
    }
}

#[test]
fn picture_draws_what_screenshot_draws() {
    let folder = tempfile::tempdir().unwrap();
    let [example, command] = ["example.png", "command.png"].map(|name| folder.path().join(name));
    let Some(_) = run_example("picture", &[example.to_str().unwrap()]) else { return };
    let output = command.to_str().unwrap();
    rigview(["screenshot", "-o", output, "--time", "0.5", "--size", "512x512"]).done();
    assert!(std::fs::read(example).unwrap() == std::fs::read(command).unwrap());
}

#[test]
fn embed_draws_into_the_right_half_only() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("embed.png");
    let Some(_) = run_example("embed", &[output.to_str().unwrap()]) else { return };
    let picture = image::open(output).unwrap().into_rgb8();
    assert_eq!(picture.dimensions(), (800, 400));
    let (mut left, mut right) =
        (std::collections::HashSet::new(), std::collections::HashSet::new());
    for (x, _, pixel) in picture.enumerate_pixels() {
        if x < 400 {
            left.insert(pixel.0)
        } else {
            right.insert(pixel.0)
        };
    }
    assert_eq!(left.into_iter().collect::<Vec<_>>(), [[0; 3]], "the left half is black");
    assert!(right.len() > 1000, "{} colours on the right", right.len());
}

#[test]
fn check_file_finds_more_joints_than_its_contract_allows() {
    let Some(run) = run_example("check_file", &[]) else { return };
    let errors: Vec<_> = run.text().lines().filter(|line| line.starts_with("error ")).collect();
    assert_eq!(errors.len(), 1, "{}", run.text());
    assert!(errors[0].starts_with("error LIMIT: ") && errors[0].contains("joints"), "{errors:?}");
}

#[test]
fn diff_files_says_that_a_file_equals_itself() {
    let file = checkout().join("assets/creature.glb");
    let file = file.to_str().unwrap();
    let Some(run) = run_example("diff_files", &[file, file]) else { return };
    assert_eq!(run.text().lines().last(), Some("equal"));
}
