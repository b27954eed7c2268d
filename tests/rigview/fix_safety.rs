//! `fix` where files can't be written: nothing is lost, and nothing half is left.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::support::{Glb, Run, command, rigview, run};

/// A folder with a file whose repair makes it larger.
struct Folder {
    folder: tempfile::TempDir,
    before: Vec<u8>,
}

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut glb = Glb::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/creature.glb"));
        let node = glb.json["nodes"].as_array_mut().unwrap();
        node[1]["rotation"] = json!([0.0, 0.0, 0.0, 2.0]);
        let before = glb.to_bytes();
        std::fs::write(folder.path().join("in.glb"), &before).unwrap();
        Self { folder, before }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn fix(&self, more: &[&OsStr]) -> Run {
        let input = self.path("in.glb");
        rigview(["fix".as_ref(), input.as_os_str()].into_iter().chain(more.iter().copied()))
    }

    /// Asserts that the input is as it was, and that there are these files and no others.
    fn holds(&self, names: &[&str]) {
        assert!(std::fs::read(self.path("in.glb")).unwrap() == self.before, "the input changed");
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut found: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        found.sort();
        assert_eq!(found, names);
    }
}

#[test]
fn the_input_is_not_overwritten_under_another_name() {
    let folder = Folder::new();
    let (input, other) = (folder.path("in.glb"), folder.path("other.glb"));
    std::fs::hard_link(&input, &other).unwrap();
    folder.fix(&["-o".as_ref(), other.as_os_str()]).failed(2);
    folder.holds(&["in.glb", "other.glb"]);
    std::fs::remove_file(&other).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&input, &other).unwrap();
        folder.fix(&["-o".as_ref(), other.as_os_str()]).failed(2);
        folder.holds(&["in.glb", "other.glb"]);
    }
}

#[test]
fn a_folder_that_can_not_be_written_is_named() {
    let folder = Folder::new();
    for target in ["no/such/out.glb", "in.glb/out.glb"] {
        let target = folder.path(target);
        let run = folder.fix(&["-o".as_ref(), target.as_os_str()]).failed(5);
        assert!(run.stderr.contains("can't be written"), "{}", run.stderr);
        folder.holds(&["in.glb"]);
    }
}

/// Files above a size can't be written, as on a disk that is full.
#[cfg(unix)]
#[test]
fn a_full_disk_loses_nothing() {
    let folder = Folder::new();
    let input = folder.path("in.glb");
    // In units of 512 bytes: too little for the output, and enough for a backup of the input.
    let limited = |blocks: usize, args: &[&OsStr]| {
        let program = command().get_program().to_owned();
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &script, "sh"]).arg(program).arg("fix").arg(&input).args(args);
        run(&mut shell)
    };
    let output = folder.path("out.glb");
    let full = limited(64, &["-o".as_ref(), output.as_os_str()]).failed(5);
    assert!(full.stderr.contains("out.glb"), "{}", full.stderr);
    folder.holds(&["in.glb"]);
    limited(64, &["--in-place".as_ref()]).failed(5);
    folder.holds(&["in.glb"]);
    let as_text = folder.path("out.gltf");
    limited(64, &["-o".as_ref(), as_text.as_os_str()]).failed(5);
    folder.holds(&["in.glb"]);
}

/// The backup is complete before the file is replaced.
#[cfg(unix)]
#[test]
fn a_disk_that_fills_up_between_backup_and_file_loses_nothing() {
    let mut folder = Folder::new();
    let input = folder.path("in.glb");
    // A repair that appends data: two keys change places.
    let mut glb = Glb::read(&input);
    let clip = &glb.json["animations"][1];
    let sampler = clip["samplers"][0]["input"].as_u64().unwrap() as usize;
    let accessor = &glb.json["accessors"][sampler];
    let view = &glb.json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let number = |of: &serde_json::Value| of["byteOffset"].as_u64().unwrap_or(0) as usize;
    let start = number(view) + number(accessor);
    glb.bin[start..start + 8].rotate_left(4);
    // The bytes end where a block does, so that the file with one more key does not fit.
    let length = glb.to_bytes().len();
    glb.json["asset"]["extras"] = "x".repeat(511 - (length + 13) % 512).into();
    folder.before = glb.to_bytes();
    std::fs::write(&input, &folder.before).unwrap();
    let blocks = folder.before.len().div_ceil(512);
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
    let program = command().get_program().to_owned();
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script, "sh"]).arg(program).arg("fix").arg(&input).arg("--in-place");
    run(&mut shell).failed(5);
    folder.holds(&["in.glb", "in.glb.bak"]);
    assert!(std::fs::read(folder.path("in.glb.bak")).unwrap() == folder.before);
}
