//! Targets of `-o`: devices, FIFOs, links and inputs, and that no temporary files are left.

use std::path::{Path, PathBuf};

use crate::support::{Glb, Run, SmallModel, checkout, rigview};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        let (model, buffer) = (folder.path("model.gltf"), folder.path("model.bin"));
        SmallModel::new().clip("Turn").write_gltf_with(&model, &buffer);
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_string_lossy().into_owned()
    }

    /// Runs each command that writes a file, with this output.
    fn commands(&self, out: &str) -> [Vec<String>; 3] {
        let model = self.text("model.gltf");
        let owned = |args: &[&str]| args.iter().map(|a| (*a).to_owned()).collect();
        [
            owned(&["screenshot", &model, "-o", out, "--size", "64x48"]),
            owned(&["bake", &model, "-o", out]),
            owned(&["curve", &model, "--node", "0", "-o", out]),
        ]
    }

    fn names(&self) -> Vec<String> {
        let entries = self.0.path().read_dir().unwrap();
        let mut names: Vec<_> =
            entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

#[test]
fn an_output_that_is_an_input_is_refused_by_every_name() {
    let folder = Folder::new();
    let (model, buffer) = (folder.path("model.gltf"), folder.path("model.bin"));
    let before = [&model, &buffer].map(|file| std::fs::read(file).unwrap());
    let mut names = vec![folder.text("model.gltf"), folder.text("model.bin")];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("model.bin", folder.path("link.png")).unwrap();
        std::fs::hard_link(&buffer, folder.path("hard.png")).unwrap();
        names.extend(["link.png", "hard.png"].map(|name| folder.text(name)));
        names.push(
            folder.text("./../")
                + &folder.0.path().file_name().unwrap().to_string_lossy()
                + "/model.bin",
        );
    }
    for out in &names {
        for args in &folder.commands(out)[..2] {
            let run = rigview(args).failed(2);
            assert!(run.stderr.contains("input"), "{args:?}: {}", run.stderr);
        }
    }
    // The .bin of a .gltf is an output too.
    let other = folder.text("other.gltf");
    std::fs::hard_link(&buffer, folder.path("other.bin")).unwrap();
    rigview(["bake", &folder.text("model.gltf"), "-o", &other]).failed(2);
    let after = [&model, &buffer].map(|file| std::fs::read(file).unwrap());
    assert!(before == after, "an input was changed");
}

#[test]
fn side_files_are_inputs_too() {
    let folder = Folder::new();
    let model = folder.text("model.gltf");
    let pose = rigview(["pose", &model, "--json"]).done();
    std::fs::write(folder.path("pose.json"), &pose.stdout).unwrap();
    let pose = folder.text("pose.json");
    rigview(["screenshot", &model, "--pose", &pose, "-o", &pose]).failed(2);
    std::fs::copy(folder.path("model.bin"), folder.path("clips.bin")).unwrap();
    let clips = std::fs::read_to_string(&model).unwrap().replace("model.bin", "clips.bin");
    std::fs::write(folder.path("clips.gltf"), clips).unwrap();
    for out in ["clips.gltf", "clips.bin"] {
        let (from, out) = (folder.text("clips.gltf"), folder.text(out));
        rigview(["bake", &model, "--clips-from", &from, "-o", &out]).failed(2);
    }
}

/// A PNG is not written under the name of another format, and nothing is drawn before that is said.
#[test]
fn a_name_of_another_format_is_refused_with_the_fitting_one() {
    let folder = Folder::new();
    let (model, photo) = (folder.text("model.gltf"), folder.text("photo.JPG"));
    let fitting = folder.text("photo.png");
    for args in [
        &["screenshot", &model, "-o", &photo][..],
        &["sheet", &model, "-o", &photo],
        &["diff", &model, &model, "-o", &photo],
        &["compare", &fitting, &fitting, "--diff", &photo],
        &["screenshot", &model, "--reference", &fitting, "--diff", &photo],
        &["thumbnail", "-i", &model, "-o", &photo],
    ] {
        let run = rigview(args).failed(2);
        assert!(run.stderr.contains(&format!("name it {fitting}")), "{}", run.stderr);
    }
    assert_eq!(folder.names(), ["model.bin", "model.gltf"]);
}

#[test]
fn a_missing_folder_is_named() {
    let folder = Folder::new();
    let out = folder.text("nowhere/out.glb");
    let run = rigview(["bake", &folder.text("model.gltf"), "-o", &out]).failed(5);
    let nowhere = folder.text("nowhere");
    assert!(run.stderr.contains(&format!("there is no folder {nowhere}")), "{}", run.stderr);
}

/// A `.gltf` output is a document with a buffer beside it; the two load like the GLB.
#[test]
fn baking_to_gltf_writes_a_document_and_its_buffer() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let creature = checkout().join("assets/creature.glb").to_string_lossy().into_owned();
    rigview(["bake", &creature, "-o", &path("a b.gltf")]).done();
    rigview(["bake", &creature, "-o", &path("c.glb")]).done();
    let text = std::fs::read_to_string(path("a b.gltf")).unwrap();
    let document: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(document["buffers"][0]["uri"], "a%20b.bin");
    let glb = Glb::read(Path::new(&path("c.glb")));
    assert_eq!(std::fs::read(path("a b.bin")).unwrap(), glb.bin);
    let pose = |file: &str| {
        let args = ["pose", file, "--json", "--time", "0.4", "--vertices", "9"];
        let line = rigview(args).done();
        assert_eq!(line.stderr, "");
        line.text().split_once("\"clip\"").unwrap().1.to_owned()
    };
    assert_eq!(pose(&path("a b.gltf")), pose(&path("c.glb")));
    // Overwrites its own files, but not the buffer of another document.
    rigview(["bake", &creature, "-o", &path("a b.gltf")]).done();
    std::fs::write(path("d.bin"), "mine").unwrap();
    rigview(["bake", &creature, "-o", &path("d.gltf")]).failed(2);
    assert_eq!(std::fs::read(path("d.bin")).unwrap(), b"mine");
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::io::Read;
    use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
    use std::process::Command;

    use crate::support::{command, program, run};

    fn limited(limits: &str, args: &[String]) -> Run {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(format!("{limits}; exec \"$0\" \"$@\""));
        shell.arg(program()).args(args);
        for (name, value) in command().get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        run(&mut shell)
    }

    fn fifo(path: &Path) {
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    }

    #[test]
    fn a_device_stays_one() {
        let folder = Folder::new();
        // The link to the device is in a folder in which the program may create files.
        symlink("/dev/null", folder.path("null.png")).unwrap();
        for out in ["/dev/null".to_owned(), folder.text("null.png")] {
            for args in &folder.commands(&out)[..2] {
                rigview(args).done();
            }
        }
        let device = std::fs::metadata("/dev/null").unwrap();
        assert!(device.file_type().is_char_device());
        assert!(folder.path("null.png").is_symlink());
        let full = folder.commands("/dev/full");
        rigview(&full[0]).failed(5);
    }

    /// A folder may have any bytes in its name.
    #[test]
    fn placeholders_are_replaced_in_a_folder_that_is_not_utf_8() {
        use std::os::unix::ffi::OsStrExt;
        let folder = Folder::new();
        let odd = folder.0.path().join(std::ffi::OsStr::from_bytes(b"n\xff"));
        std::fs::create_dir(&odd).unwrap();
        let file = |name: &str| odd.join(name);
        for (program, name, made) in [
            (&["record", "--fps", "1", "--size", "16x16"][..], "f{frame}.png", "f0.png"),
            (&["screenshot", "--size", "16x16"], "{name}_{clip}.png", "model_Turn.png"),
            (&["curve", "--node", "0"], "{name}.svg", "model.svg"),
            (&["convert"], "{name}.glb", "model.glb"),
            // What is written here has no frame.
            (&["bake"], "{name}{frame}.glb", "model{frame}.glb"),
        ] {
            let mut made_by = command();
            made_by.args(program).arg(folder.path("model.gltf")).arg("-o").arg(file(name));
            run(&mut made_by).done();
            assert!(file(made).exists() && !file(name).exists(), "{program:?}");
        }
    }

    #[test]
    fn a_fifo_is_written_in_place() {
        let folder = Folder::new();
        fifo(&folder.path("pipe.png"));
        let pipe = folder.path("pipe.png");
        let reader = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            std::fs::File::open(pipe).unwrap().read_to_end(&mut bytes).unwrap();
            bytes
        });
        rigview(&folder.commands(&folder.text("pipe.png"))[0]).done();
        let bytes = reader.join().unwrap();
        assert!(image::load_from_memory(&bytes).is_ok(), "{} bytes", bytes.len());
        assert!(folder.path("pipe.png").metadata().unwrap().file_type().is_fifo());
    }

    #[test]
    fn links_are_followed_and_stay() {
        let folder = Folder::new();
        std::fs::create_dir(folder.path("real")).unwrap();
        symlink("real", folder.path("folder")).unwrap();
        symlink("folder/there.png", folder.path("a.png")).unwrap();
        symlink("a.png", folder.path("b.png")).unwrap();
        // Writes a new file first, then overwrites it.
        for _ in 0..2 {
            rigview(&folder.commands(&folder.text("b.png"))[0]).done();
            assert!(folder.path("a.png").is_symlink() && folder.path("b.png").is_symlink());
            assert!(image::open(folder.path("real/there.png")).is_ok());
        }
        symlink("loop.png", folder.path("loop.png")).unwrap();
        rigview(&folder.commands(&folder.text("loop.png"))[0]).failed(5);
    }

    #[test]
    fn a_replaced_file_keeps_its_permissions() {
        let folder = Folder::new();
        let out = folder.path("out.png");
        std::fs::write(&out, "").unwrap();
        std::fs::set_permissions(&out, std::fs::Permissions::from_mode(0o640)).unwrap();
        rigview(&folder.commands(&folder.text("out.png"))[0]).done();
        assert_eq!(out.metadata().unwrap().mode() & 0o777, 0o640);
        assert!(image::open(&out).is_ok());
    }

    #[test]
    fn a_file_at_its_limit_is_5_and_leaves_nothing() {
        let folder = Folder::new();
        std::fs::write(folder.path("old.glb"), "old").unwrap();
        let before = folder.names();
        let args = folder.commands(&folder.text("old.glb"));
        let failed = limited("ulimit -f 0", &args[1]);
        let failed = failed.failed(5);
        assert!(failed.stderr.contains("old.glb"), "{}", failed.stderr);
        assert_eq!(folder.names(), before);
        assert_eq!(std::fs::read(folder.path("old.glb")).unwrap(), b"old");
    }

    /// Ends the program while it writes a pair of files. The second one goes to a FIFO that is not read, so the first
    /// one is certainly complete but not yet renamed.
    #[test]
    fn a_signal_leaves_no_files() {
        let folder = Folder::new();
        // The document does not fit in the pipe, so the program can't end before the signal.
        let large = folder.path("large.gltf");
        let lengthen = |json: &mut serde_json::Value| {
            json["nodes"][0]["name"] = "x".repeat(1 << 20).into();
        };
        SmallModel::new().clip("Turn").edit(lengthen).write_gltf(&large);
        fifo(&folder.path("held.gltf"));
        std::fs::write(folder.path("held.bin"), "old").unwrap();
        let before = folder.names();
        for signal in ["TERM", "KILL"] {
            let mut child = command()
                .arg("bake")
                .arg(&large)
                .arg("-o")
                .arg(folder.path("held.gltf"))
                .spawn()
                .unwrap();
            // Opening the FIFO blocks until the program opens its end, which it does after the buffer is complete.
            let held = std::fs::File::open(folder.path("held.gltf")).unwrap();
            let id = child.id().to_string();
            let killed = Command::new("kill").args(["-s", signal, &id]).status().unwrap();
            assert!(killed.success());
            let status = child.wait().unwrap();
            drop(held);
            assert_eq!(status.code(), None, "{signal}: {status}");
            assert_eq!(folder.names(), before, "{signal}");
        }
    }

    #[test]
    fn standard_output_and_error_may_be_closed_or_full() {
        let folder = Folder::new();
        let args = |list: &[&str]| list.iter().map(|a| (*a).to_owned()).collect::<Vec<_>>();
        let model = folder.text("model.gltf");
        for (redirect, args, code) in [
            ("exec 2>/dev/full", args(&["info", "no-such-file.glb"]), 3),
            ("exec 2>&-", args(&["info", "no-such-file.glb"]), 3),
            ("exec 2>/dev/full", args(&["no-such-command"]), 2),
            ("exec 2>/dev/full", args(&["pose", &model, "--no-such-flag"]), 2),
            ("exec 2>/dev/full", args(&["-vv", "pose", &model]), 0),
            ("exec >/dev/full", args(&["info", &model]), 5),
            ("exec >/dev/full", args(&["--help"]), 5),
        ] {
            let run = limited(redirect, &args);
            assert_eq!(run.code, Some(code), "{redirect}; {args:?}: {}", run.ended());
            assert!(run.stderr.lines().count() <= 1, "{redirect}; {args:?}: {}", run.stderr);
        }
    }

    /// With any resource limits, the program exits by itself and prints one line at most.
    #[test]
    fn little_memory_or_stack_is_one_line_and_no_abort() {
        let folder = Folder::new();
        let out = folder.text("out.png");
        let commands = folder.commands(&out);
        let info = vec!["info".to_owned(), folder.text("model.gltf")];
        // With less, the system can't map the program, which is a signal before its first line runs.
        let limits = ["ulimit -v 85000", "ulimit -v 100000", "ulimit -v 400000", "ulimit -s 64"];
        for limits in limits {
            for args in [&info, &commands[0]] {
                let run = limited(limits, args);
                // 126 and 127 mean that the system could not start the program.
                let known = [0, 3, 4, 5, 126, 127].map(Some).contains(&run.code);
                assert!(known, "{limits}; {args:?}: {}", run.ended());
                let drivers = run.stderr.contains("terminate called");
                let lines = run.stderr.lines().count();
                assert!(lines <= 1 || drivers, "{limits}; {args:?}: {}", run.stderr);
            }
        }
    }

    /// Memory runs out at another place with each limit: when threads start, when a file is read, or in a small allocation.
    #[test]
    fn memory_that_ends_anywhere_is_one_line() {
        let folder = Folder::new();
        let info = ["info", "--json", &folder.text("model.gltf")].map(str::to_owned);
        let with = |kib: u32| limited(&format!("export RUST_BACKTRACE=0; ulimit -v {kib}"), &info);
        // With even less, the system can't start the program, or kills it before its first line. Where that ends
        // differs from run to run, since addresses do.
        let starts = |run: &Run| match run.code {
            Some(code) => ![126, 127].contains(&code),
            None => !run.stderr.is_empty() && !run.stderr.contains("initialization or cleanup bug"),
        };
        let first = (32..256).map(|mib| mib << 10).find(|kib| starts(&with(*kib)));
        let first = first.expect("a limit with which the program starts");
        // Fine steps, since between the first line and the last there is less than a MiB to ask for.
        let limits = (first - 1024..first + 1024).step_by(40);
        let mut short = 0;
        for kib in limits.chain((first + 1024..first + (24 << 10)).step_by(1024)) {
            let run = with(kib);
            if kib < first + 512 && !starts(&run) {
                continue;
            }
            assert!([0, 3, 5].map(Some).contains(&run.code), "{kib} KiB: {}", run.ended());
            assert!(run.stderr.lines().count() <= 1, "{kib} KiB: {}", run.stderr);
            assert!(!run.stderr.contains("bug in rigview"), "{kib} KiB: {}", run.stderr);
            short += usize::from(!run.stderr.is_empty());
        }
        assert!(short > 0, "no limit was too low");
    }
}

/// Two spellings of a file that is not there yet are one.
#[test]
fn two_outputs_in_one_file_are_refused() {
    let folder = Folder::new();
    let (model, picture) = (folder.text("model.gltf"), folder.text("a.png"));
    rigview(["screenshot", &model, "-o", &picture, "--size", "16x16"]).done();
    let [one, other] = [folder.text("new.png"), folder.text("./new.png")];
    for args in [
        &["sheet", &model, "-o", &one, "--json", &other][..],
        &["screenshot", &model, "-o", &one, "--reference", &picture, "--diff", &other],
    ] {
        let refused = rigview(args).failed(2);
        assert!(refused.stderr.contains("the same file"), "{args:?}: {}", refused.stderr);
        assert!(!folder.path("new.png").exists(), "{args:?}");
    }
}
