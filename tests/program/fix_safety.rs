//! `fix` where files can't be written: nothing is lost, and nothing half is left.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Fbx, Glb, Run, SmallModel, checkout, command, rigview, run};

/// A folder with a file whose repair makes it larger.
struct Folder {
    folder: tempfile::TempDir,
    before: Vec<u8>,
}

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut glb = Glb::read(&checkout().join("assets/creature.glb"));
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
    let start = glb.place(&clip["samplers"][0]["input"]).start;
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

/// A folder with documents whose buffers are files, and a stranger.
struct Documents {
    folder: tempfile::TempDir,
}

impl Documents {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a document with two keys that have changed places, whose repair appends data, and a picture in a file. Of its
    /// buffers the second one has what lies after the positions.
    fn write(&self, name: &str, buffers: [&str; 2]) {
        let mut glb = Self::model(&self.path("model.glb"));
        let start = glb.place(&glb.json["animations"][0]["samplers"][0]["input"]).start;
        glb.bin[start..start + 8].rotate_left(4);
        let mut json = glb.json.clone();
        let (first, second) = glb.bin.split_at(48);
        for view in json["bufferViews"].as_array_mut().unwrap() {
            let offset = view["byteOffset"].as_u64().unwrap();
            if offset >= 48 {
                view["buffer"] = 1.into();
                view["byteOffset"] = (offset - 48).into();
            }
        }
        json["buffers"] = [(buffers[0], first), (buffers[1], second)]
            .map(|(name, bytes)| json!({"uri": name, "byteLength": bytes.len()}))
            .into_iter()
            .collect();
        json["images"] = json!([{"uri": "skin.png"}]);
        image::RgbImage::new(1, 1).save(self.path("skin.png")).unwrap();
        std::fs::write(self.path(buffers[0]), first).unwrap();
        std::fs::write(self.path(buffers[1]), second).unwrap();
        std::fs::write(self.path(name), json.to_string()).unwrap();
    }

    /// A square with a clip.
    fn model(path: &Path) -> Glb {
        std::fs::write(path, SmallModel::new().clip("Turn").glb()).unwrap();
        let glb = Glb::read(path);
        std::fs::remove_file(path).unwrap();
        glb
    }

    fn fix(&self, input: &str, more: &[&OsStr]) -> Run {
        let input = self.path(input);
        rigview(["fix".as_ref(), input.as_os_str()].into_iter().chain(more.iter().copied()))
    }

    /// Returns the files with their bytes.
    fn files(&self) -> std::collections::BTreeMap<String, Vec<u8>> {
        let entries =
            std::fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
        entries.map(|path| (name(&path), std::fs::read(&path).unwrap())).collect()
    }
}

#[test]
fn in_place_one_buffer_grows_and_every_replaced_file_has_a_backup() {
    let documents = Documents::new();
    documents.write("hero.gltf", ["a.bin", "hero.bin"]);
    let before = documents.files();
    documents.fix("hero.gltf", &["--in-place".as_ref()]).done();
    let after = documents.files();
    let names: Vec<&str> = after.keys().map(String::as_str).collect();
    let expected = ["a.bin", "a.bin.bak", "hero.bin", "hero.gltf", "hero.gltf.bak", "skin.png"];
    assert_eq!(names, expected);
    assert!(after["a.bin"].len() > before["a.bin"].len());
    assert!(after["a.bin"].starts_with(&before["a.bin"]));
    assert!(["hero.bin", "skin.png"].iter().all(|name| after[*name] == before[*name]));
    assert!(
        ["a.bin", "hero.gltf"].iter().all(|name| after[&format!("{name}.bak")] == before[*name])
    );
    // Only what changed is different in the document, and the repair holds.
    let [old, new] = [&before, &after]
        .map(|files| -> Value { serde_json::from_slice(&files["hero.gltf"]).unwrap() });
    assert_eq!((&old["images"], &old["meshes"]), (&new["images"], &new["meshes"]));
    assert_eq!(new["buffers"][0]["byteLength"], after["a.bin"].len());
    assert_eq!(old["buffers"][1], new["buffers"][1]);
    let run = documents.fix("hero.gltf", &["--dry-run".as_ref()]).done();
    assert!(run.text().contains("nothing to fix"), "{}", run.text());
    // One backup that is there already keeps all files as they are.
    documents.write("hero.gltf", ["a.bin", "hero.bin"]);
    std::fs::remove_file(documents.path("hero.gltf.bak")).unwrap();
    let before = documents.files();
    documents.fix("hero.gltf", &["--in-place".as_ref()]).failed(5);
    assert!(documents.files() == before, "something was written");
}

/// A repair of the document alone writes no other file.
#[test]
fn in_place_a_buffer_without_new_data_is_not_written() {
    let documents = Documents::new();
    let mut glb = Documents::model(&documents.path("model.glb"));
    glb.json["nodes"][0]["rotation"] = json!([0, 0, 0, 2]);
    glb.json["buffers"][0]["uri"] = "data/hero%20one.bin".into();
    std::fs::create_dir(documents.path("data")).unwrap();
    std::fs::write(documents.path("data/hero one.bin"), &glb.bin).unwrap();
    std::fs::write(documents.path("hero.gltf"), glb.json.to_string()).unwrap();
    documents.fix("hero.gltf", &["--in-place".as_ref()]).done();
    let json: Value =
        serde_json::from_slice(&std::fs::read(documents.path("hero.gltf")).unwrap()).unwrap();
    assert_eq!(json["nodes"][0]["rotation"], json!([0, 0, 0, 1]));
    assert_eq!(json["buffers"], glb.json["buffers"]);
    assert_eq!(std::fs::read_dir(documents.path("data")).unwrap().count(), 1);
    assert!(documents.path("hero.gltf.bak").exists());
}

/// A GLB that names files beside it keeps them too.
#[test]
fn in_place_a_glb_keeps_the_files_that_it_names() {
    let documents = Documents::new();
    documents.write("hero.gltf", ["a.bin", "hero.bin"]);
    let mut json: Value =
        serde_json::from_slice(&std::fs::read(documents.path("hero.gltf")).unwrap()).unwrap();
    let bin = std::fs::read(documents.path("a.bin")).unwrap();
    for name in ["a.bin", "hero.gltf"] {
        std::fs::remove_file(documents.path(name)).unwrap();
    }
    json["buffers"][0].as_object_mut().unwrap().remove("uri");
    let glb = Glb { json, bin };
    std::fs::write(documents.path("hero.glb"), glb.to_bytes()).unwrap();
    let before = documents.files();
    documents.fix("hero.glb", &["--in-place".as_ref()]).done();
    let after = documents.files();
    assert_eq!(
        after.keys().collect::<Vec<_>>(),
        ["hero.bin", "hero.glb", "hero.glb.bak", "skin.png"]
    );
    assert!(["hero.bin", "skin.png"].iter().all(|name| after[*name] == before[*name]));
    let fixed = Glb::read(&documents.path("hero.glb"));
    assert_eq!(fixed.json["buffers"][1], glb.json["buffers"][1]);
    assert!(fixed.bin.starts_with(&glb.bin));
    let run = documents.fix("hero.glb", &["--dry-run".as_ref()]).done();
    assert!(run.text().contains("nothing to fix"), "{}", run.text());
}

/// Another document in the folder names the buffer that would be replaced.
#[test]
fn in_place_a_buffer_that_another_document_names_stays() {
    let documents = Documents::new();
    documents.write("hero.gltf", ["a.bin", "hero.bin"]);
    documents.write("twin.gltf", ["a.bin", "hero.bin"]);
    let before = documents.files();
    let run = documents.fix("hero.gltf", &["--in-place".as_ref()]).done();
    assert!(run.stderr.contains("hero_1.bin"), "{}", run.stderr);
    let after = documents.files();
    let names: Vec<&str> = after.keys().map(String::as_str).collect();
    let expected =
        ["a.bin", "hero.bin", "hero.gltf", "hero.gltf.bak", "hero_1.bin", "skin.png", "twin.gltf"];
    assert_eq!(names, expected);
    assert!(["a.bin", "hero.bin", "twin.gltf"].iter().all(|name| after[*name] == before[*name]));
    let json: Value = serde_json::from_slice(&after["hero.gltf"]).unwrap();
    assert_eq!(json["buffers"][0]["uri"], "hero_1.bin");
    rigview(["info".as_ref(), documents.path("hero.gltf").as_os_str()]).done();
    // The next repair replaces the buffer that is the document's alone.
    let faulty: Value = serde_json::from_slice(&before["hero.gltf"]).unwrap();
    let mut again = json;
    again["animations"] = faulty["animations"].clone();
    std::fs::write(documents.path("hero.gltf"), again.to_string()).unwrap();
    std::fs::remove_file(documents.path("hero.gltf.bak")).unwrap();
    documents.fix("hero.gltf", &["--in-place".as_ref()]).done();
    assert!(documents.path("hero_1.bin.bak").exists() && !documents.path("hero_2.bin").exists());
    // Other commands do not replace it either.
    let clean = documents.path("clean.glb");
    std::fs::write(&clean, SmallModel::new().clip("Turn").glb()).unwrap();
    documents.write("old.gltf", ["b.bin", "old.bin"]);
    documents.write("heir.gltf", ["b.bin", "old.bin"]);
    let output = documents.path("old.gltf");
    for command in ["fix", "convert", "bake"] {
        let args = [OsStr::new(command), clean.as_os_str(), "-o".as_ref(), output.as_os_str()];
        let run = rigview(args).failed(2);
        assert!(run.stderr.contains("old.bin"), "{}", run.stderr);
    }
}

/// What is appended to one buffer would lie over the data of the other.
#[test]
fn in_place_a_file_of_two_buffers_stays() {
    let documents = Documents::new();
    documents.write("hero.gltf", ["a.bin", "hero.bin"]);
    let [a, b] = ["a.bin", "hero.bin"].map(|name| std::fs::read(documents.path(name)).unwrap());
    let mut json: Value =
        serde_json::from_slice(&std::fs::read(documents.path("hero.gltf")).unwrap()).unwrap();
    json["buffers"][1]["byteLength"] = (a.len() + b.len()).into();
    for (index, uri) in [(0, "hero.bin"), (1, "%68ero.bin")] {
        json["buffers"][index]["uri"] = uri.into();
    }
    let views = json["bufferViews"].as_array_mut().unwrap();
    for view in views.iter_mut().filter(|view| view["buffer"] == 1) {
        view["byteOffset"] = (view["byteOffset"].as_u64().unwrap() + a.len() as u64).into();
    }
    std::fs::write(documents.path("hero.gltf"), json.to_string()).unwrap();
    std::fs::write(documents.path("hero.bin"), [a, b].concat()).unwrap();
    let before = documents.files();
    let run = documents.fix("hero.gltf", &["--in-place".as_ref()]).done();
    assert!(run.stderr.contains("hero_1.bin"), "{}", run.stderr);
    assert!(documents.files()["hero.bin"] == before["hero.bin"], "a buffer was written over");
    let run = documents.fix("hero.gltf", &["--dry-run".as_ref()]).done();
    assert!(run.text().contains("nothing to fix"), "{}", run.text());
}

#[test]
fn in_place_a_document_of_one_file_stays_one_file() {
    let documents = Documents::new();
    let fault = |json: &mut Value| json["nodes"][0]["rotation"] = json!([0, 0, 0, 2]);
    SmallModel::new().clip("Turn").edit(fault).write_gltf(&documents.path("hero.gltf"));
    std::fs::write(documents.path("hero.bin"), "of another program").unwrap();
    documents.fix("hero.gltf", &["--in-place".as_ref()]).done();
    let after = documents.files();
    let names: Vec<&String> = after.keys().collect();
    assert_eq!(names, ["hero.bin", "hero.gltf", "hero.gltf.bak"]);
    assert_eq!(after["hero.bin"], b"of another program");
    let json: Value = serde_json::from_slice(&after["hero.gltf"]).unwrap();
    assert_eq!(json["nodes"][0]["rotation"], json!([0, 0, 0, 1]));
    assert!(json["buffers"][0]["uri"].as_str().unwrap().starts_with("data:"));
    rigview(["info".as_ref(), documents.path("hero.gltf").as_os_str()]).done();
}

#[test]
fn a_buffer_that_is_read_or_that_belongs_to_another_file_is_not_overwritten() {
    let documents = Documents::new();
    documents.write("hero.gltf", ["a.bin", "hero.bin"]);
    documents.write("variant.gltf", ["a.bin", "hero.bin"]);
    documents.write("other.gltf", ["b.bin", "c.bin"]);
    std::fs::write(documents.path("other.bin"), "of another program").unwrap();
    let clean = documents.path("clean.glb");
    std::fs::write(&clean, SmallModel::new().clip("Turn").glb()).unwrap();
    let before = documents.files();
    let output = |name: &str| documents.path(name).into_os_string();
    let refused = |run: Run, name: &str| {
        let run = run.failed(2);
        assert!(run.stderr.contains(name), "{}", run.stderr);
        assert!(documents.files() == before, "something was written");
    };
    // The second buffer of the input has the name of the output's.
    refused(documents.fix("variant.gltf", &["-o".as_ref(), &output("hero.gltf")]), "hero.bin");
    // The document that is replaced names other buffers.
    refused(documents.fix("variant.gltf", &["-o".as_ref(), &output("other.gltf")]), "other.bin");
    for command in ["convert", "bake"] {
        let run =
            rigview([OsStr::new(command), clean.as_os_str(), "-o".as_ref(), &output("other.gltf")]);
        refused(run, "other.bin");
    }
}

#[test]
fn a_name_that_promises_another_format_is_refused() {
    let folder = Folder::new();
    let output = folder.path("out.fbx");
    let run = folder.fix(&["-o".as_ref(), output.as_os_str()]).failed(2);
    assert!(run.stderr.contains("out.glb"), "{}", run.stderr);
    folder.holds(&["in.glb"]);
}

#[test]
fn a_format_that_can_not_be_written_is_not_replaced() {
    let documents = Documents::new();
    let mut file = Fbx::new();
    file.node("top", "Null", 0, &[]);
    std::fs::write(documents.path("top.fbx"), file.bytes()).unwrap();
    let before = documents.files();
    let run = documents.fix("top.fbx", &["--in-place".as_ref()]).failed(2);
    assert!(run.stderr.contains("-o OUT.glb"), "{}", run.stderr);
    assert!(documents.files() == before, "something was written");
}
