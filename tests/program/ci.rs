//! The scripts of `docs/ci` and the action: what they run, say and keep.

use std::path::Path;
use std::process::{Command, Output};

use crate::support::{Glb, SmallModel, checkout, command};

/// Returns a command that finds the program of these tests by its name.
fn with_program(program: &str, folder: &Path) -> Command {
    let built = command().get_program().to_owned();
    let mut paths = vec![Path::new(&built).parent().unwrap().to_owned()];
    paths.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let mut made = Command::new(program);
    made.current_dir(folder).env("PATH", std::env::join_paths(paths).unwrap());
    made.env("RIGVIEW", built);
    for variable in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GITHUB_STEP_SUMMARY"] {
        made.env_remove(variable);
    }
    made
}

fn git(folder: &Path, args: &[&str]) {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"];
    let output = with_program("git", folder).args(identity).args(args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn said(output: &Output) -> String {
    [&output.stdout[..], &output.stderr].map(String::from_utf8_lossy).concat()
}

/// Runs the hook in a repository.
fn hook(folder: &Path) -> Output {
    let script = checkout().join("docs/ci/pre-commit");
    with_program("sh", folder).arg(script).output().unwrap()
}

#[test]
fn the_hook_judges_the_index_and_is_silent_about_a_clean_commit() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    git(folder, &["init", "-q"]);
    let hook = || hook(folder);
    assert!(hook().status.success(), "nothing is staged");
    std::fs::write(folder.join("rig.toml"), "deny = [\"CLIP_TWIN\"]\n").unwrap();
    let twice = || SmallModel::new().clip("Turn").clip("Turn");
    SmallModel::new().clip("Turn").write_gltf(&folder.join("a b.gltf"));
    git(folder, &["add", "."]);
    twice().write_gltf(&folder.join("a b.gltf"));
    let clean = hook();
    assert!(clean.status.success(), "the index is clean: {}", said(&clean));
    assert_eq!(said(&clean), "");
    git(folder, &["add", "."]);
    SmallModel::new().clip("Turn").write_gltf(&folder.join("a b.gltf"));
    let broken = hook();
    assert_eq!(broken.status.code(), Some(1));
    assert!(said(&broken).contains("CLIP_TWIN"), "{}", said(&broken));
}

/// A document is judged when what it names is staged, and every model when the contract is.
#[test]
fn the_hook_judges_what_a_staged_file_belongs_to() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    git(folder, &["init", "-q"]);
    let hook = || {
        let output = hook(folder);
        (output.status.code(), said(&output))
    };
    std::fs::create_dir_all(folder.join("models/data")).unwrap();
    let buffer = folder.join("models/data/a b.bin");
    let model = SmallModel::new().clip("Turn").clip("Turn");
    let model = model.edit(|json| json["buffers"][0]["uri"] = "data/a%20b.bin".into());
    let glb = Glb::of(&model.glb());
    std::fs::write(folder.join("models/m.gltf"), glb.json.to_string()).unwrap();
    std::fs::write(&buffer, &glb.bin).unwrap();
    git(folder, &["add", "models/m.gltf"]);
    assert!(hook().1.contains("a b.bin"), "a buffer that is not in the index is missing");
    git(folder, &["add", "models"]);
    assert_eq!(hook(), (Some(0), String::new()));
    git(folder, &["commit", "-qm", "a"]);
    assert_eq!(hook(), (Some(0), String::new()), "nothing is staged");
    // Key times that go back: 2 s, then 0.
    let mut bytes = glb.bin.clone();
    let times = glb.place(&2.into());
    bytes[times].copy_from_slice(bytemuck::cast_slice(&[2.0f32, 0.0]));
    std::fs::write(&buffer, bytes).unwrap();
    git(folder, &["add", "."]);
    let (code, text) = hook();
    assert!(code == Some(1) && text.contains("m.gltf"), "{text}");
    // A broken file that names another buffer of this name is not part of the commit.
    std::fs::create_dir_all(folder.join("old/data")).unwrap();
    std::fs::write(folder.join("old/m.gltf"), glb.json.to_string()).unwrap();
    git(folder, &["add", "old/m.gltf"]);
    std::fs::write(&buffer, &glb.bin).unwrap();
    git(folder, &["commit", "-qnm", "b"]);
    git(folder, &["add", "models"]);
    assert_eq!(hook(), (Some(0), String::new()));
    git(folder, &["rm", "-qf", "old/m.gltf"]);
    // GLB files name others too, and names may need quotes.
    let mut outside = glb.clone();
    outside.bin.clear();
    outside.write(&folder.join("models/o\"p.glb"));
    git(folder, &["add", "models"]);
    assert_eq!(hook(), (Some(0), String::new()));
    std::fs::write(folder.join("models/o\"p.glb"), "glTF").unwrap();
    git(folder, &["add", "models"]);
    assert_eq!(hook().0, Some(1));
    git(folder, &["rm", "-qf", "models/o\"p.glb"]);
    std::fs::write(folder.join("rig.toml"), "deny = [\"CLIP_TWIN\"]\n").unwrap();
    git(folder, &["add", "."]);
    let (code, text) = hook();
    assert!(code == Some(1) && text.contains("CLIP_TWIN"), "{text}");
}

#[test]
fn the_action_installs_a_release_and_its_cache_is_that_release() {
    let action = std::fs::read_to_string(checkout().join("action.yml")).unwrap();
    for word in ["hashFiles", "cargo"] {
        assert!(!action.contains(word), "{word}");
    }
    assert!(action.contains("key: ${{ steps.release.outputs.name }}"));
    // The step that finds the release, as the action has it.
    let (_, step) = action.split_once("id: release").unwrap();
    let (_, script) = step.split_once("run: |\n").unwrap();
    let script: String = script
        .lines()
        .take_while(|line| line.starts_with("        "))
        .map(|line| format!("{line}\n"))
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("output");
    let run = with_program("bash", folder.path())
        .args(["-c", &script])
        .env("GITHUB_ACTION_PATH", checkout())
        .env("GITHUB_OUTPUT", &output)
        .env("SERVER", "https://example.org")
        .env("REPOSITORY", "owner/rigview")
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", said(&run));
    let output = std::fs::read_to_string(output).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    assert!(output.contains(&format!("name=rigview-{version}-")), "{output}");
    let url = format!(
        "https://example.org/owner/rigview/releases/download/v{version}/rigview-{version}-"
    );
    assert!(
        output.contains(&url) && output.trim_end().ends_with("-unknown-linux-gnu.tar.gz"),
        "{output}"
    );
}

#[test]
fn the_action_keeps_a_summary_and_sarif_and_ends_as_the_program_does() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    SmallModel::new().clip("Turn").clip("Turn").write_gltf(&folder.join("a b.gltf"));
    SmallModel::new().write_gltf(&folder.join("c.gltf"));
    let run = |mode: &str, files: &str, args: &str| {
        let script = checkout().join("docs/ci/action.sh");
        let mut command = with_program("sh", folder);
        command.arg(script).env("MODE", mode).env("FILES", files).env("ARGS", args);
        command.env("REPORT", "kept").env("SARIF", "true").env("MANIFEST", "none.toml");
        command.output().unwrap()
    };
    let checked = run("check", "*.gltf\na b.gltf", "--deny CLIP_TWIN");
    assert_eq!(checked.status.code(), Some(1), "{}", said(&checked));
    let kept = |name: &str| std::fs::read_to_string(folder.join("kept").join(name)).unwrap();
    assert!(kept("summary.md").contains("1 error, ") && kept("summary.md").contains("2 files"));
    assert!(kept("rigview.sarif").contains("CLIP_TWIN"));
    assert_eq!(run("check", "c.gltf", "").status.code(), Some(0));
    assert_eq!(run("diff", "a b.gltf\nc.gltf", "").status.code(), Some(1));
    assert_eq!(run("bake", "", "").status.code(), Some(2));
    // A summary of an earlier run is not that of one which ends before it has results.
    std::fs::write(folder.join("kept/summary.md"), "old").unwrap();
    assert_eq!(run("test", "", "").status.code(), Some(3));
    assert!(!folder.join("kept/summary.md").exists());
}
