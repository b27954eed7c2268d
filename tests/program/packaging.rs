//! What packages are made of: the desktop entry, icons, templates, and the files of the crate. `make test-packaging`
//! builds and installs the packages themselves.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{SmallModel, checkout, command, run};

/// The two types of files that rigview opens.
const TYPES: &str = "model/gltf-binary;model/gltf+json;";

/// Bytes of all files of the crate together, at most.
const CRATE_BYTES: u64 = 10_000_000;

fn text(path: &str) -> String {
    let path = checkout().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Returns the value of a key of a desktop entry.
fn entry<'a>(text: &'a str, key: &str) -> &'a str {
    let values = text.lines().filter_map(|line| line.strip_prefix(key)?.strip_prefix('='));
    let values: Vec<_> = values.collect();
    assert_eq!(values.len(), 1, "{key} of {text}");
    values[0]
}

#[test]
fn the_desktop_files_name_two_types() {
    let desktop = text("packaging/linux/rigview.desktop");
    let thumbnailer = text("packaging/linux/rigview.thumbnailer");
    for file in [&desktop, &thumbnailer] {
        assert_eq!(entry(file, "MimeType"), TYPES);
        assert_eq!(entry(file, "TryExec"), "rigview");
    }
    assert_eq!(entry(&desktop, "Exec"), "rigview %F");
    // The class of the window, which a test of the window reads.
    assert_eq!(entry(&desktop, "StartupWMClass"), "rigview");
    let metainfo = text("packaging/linux/rigview.metainfo.xml.in");
    let types: Vec<_> = metainfo.split("<mediatype>").skip(1).collect();
    let types: String =
        types.iter().map(|t| format!("{};", t.split('<').next().unwrap())).collect();
    assert_eq!(types, TYPES);
    let plist = text("packaging/macos/Info.plist.in");
    assert!(TYPES.split_terminator(';').all(|t| plist.contains(&format!("<string>{t}</string>"))));
}

/// Other programs own these types, so the entries are beside the default ones, and name nothing that those name.
#[test]
fn the_entries_for_other_formats_are_separate() {
    let desktop = text("packaging/linux/rigview-characters.desktop");
    let thumbnailer = text("packaging/linux/rigview-characters.thumbnailer");
    let types = entry(&desktop, "MimeType");
    assert_eq!(entry(&thumbnailer, "MimeType"), types);
    assert!(types.contains("fbx;") && types.contains("bvh;"), "{types}");
    assert!(TYPES.split_terminator(';').all(|t| !types.contains(t)));
    assert_eq!(entry(&desktop, "Exec"), "rigview %F");
    let tree = text("packaging/tree");
    assert!(tree.contains("$share/rigview/rigview-characters.desktop"));
    assert!(!tree.contains("applications/rigview-characters"));
}

/// The thumbnailer's command line, with its fields filled in as file managers do it.
#[test]
fn the_command_of_the_thumbnailer_draws_a_thumbnail() {
    let folder = tempfile::tempdir().unwrap();
    let (model, out) = (folder.path().join("a.gltf"), folder.path().join("out.png"));
    SmallModel::new().clip("Turn").write_gltf(&model);
    let thumbnailer = text("packaging/linux/rigview.thumbnailer");
    let mut words = entry(&thumbnailer, "Exec").split(' ');
    assert_eq!(words.next(), Some("rigview"));
    let mut command = command();
    for word in words {
        match word {
            "%s" => command.arg("64"),
            "%i" => command.arg(&model),
            "%o" => command.arg(&out),
            word => command.arg(word),
        };
    }
    run(&mut command).done();
    assert_eq!(image::open(&out).unwrap().width(), 64);
}

#[test]
fn icons_have_the_size_of_their_name_and_are_in_the_windows_resource() {
    let folder = checkout().join("assets/icon");
    for size in [16, 22, 24, 32, 48, 64, 128, 256, 512] {
        let icon = image::open(folder.join(format!("rigview-{size}.png"))).unwrap().into_rgba8();
        assert_eq!(icon.dimensions(), (size, size));
        assert_eq!(icon.get_pixel(0, 0)[3], 0, "the corner of {size}");
        assert_eq!(icon.get_pixel(size / 2, size / 8)[3], 255, "the ground of {size}");
    }
    // The largest icon is stored as its PNG file.
    let png = std::fs::read(folder.join("rigview-256.png")).unwrap();
    for compiled in ["rigview.ico", "rigview.res", "rigview.o"] {
        let bytes = std::fs::read(checkout().join("packaging/windows").join(compiled)).unwrap();
        assert!(
            bytes.windows(png.len()).any(|part| part == png),
            "{compiled}; run packaging/icons"
        );
    }
}

/// Returns the files that `cargo package` packs, without those that it makes itself.
fn packed() -> Vec<PathBuf> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(checkout()).args(["package", "--list", "--allow-dirty", "--offline"]);
    let listed = run(&mut cargo).done();
    let made = ["Cargo.toml.orig", ".cargo_vcs_info.json"];
    let paths = listed.text().lines().filter(|line| !made.contains(line)).map(PathBuf::from);
    paths.collect()
}

#[test]
fn the_crate_is_small_and_holds_what_it_is_built_from() {
    let root = checkout();
    let packed = packed();
    let bytes: u64 = packed.iter().map(|file| root.join(file).metadata().unwrap().len()).sum();
    assert!(bytes < CRATE_BYTES, "{bytes} bytes");
    let wanted = ["build.rs", "LICENSE", "README.md", "CHANGELOG.md", "src/main.rs", "Cargo.lock"];
    for file in wanted {
        assert!(packed.contains(&file.into()), "{file}");
    }
    assert!(!packed.iter().any(|file| file.starts_with("tests") || file.starts_with("tools")));
    let sources = packed.iter().filter(|file| file.extension().is_some_and(|e| e == "rs"));
    let mut included = 0;
    for source in sources {
        let text = text(source.to_str().unwrap());
        let calls = text.split("include_str!(\"").chain(text.split("include_bytes!(\""));
        // The text before the first call is no path, and neither is a text without a call.
        for path in calls.filter_map(|after| after.split_once("\")")).map(|(path, _)| path) {
            let path = normal(&source.parent().unwrap().join(path));
            if root.join(&path).is_file() {
                included += 1;
                assert!(packed.contains(&path), "{} includes {}", source.display(), path.display());
            }
        }
    }
    assert!(included > 10, "{included} files are included");
}

/// Resolves the `..` of a relative path.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => _ = normal.pop(),
            part => normal.push(part),
        }
    }
    normal
}

/// The wheel and the npm packages hold a program as it is, executable, and name the version of the crate. `packaging/test`
/// installs them.
#[test]
#[cfg(target_os = "linux")]
fn the_wheel_and_the_npm_packages_hold_the_program() {
    const READ: &str = "\
import sys, tarfile, zipfile, pathlib
folder = pathlib.Path(sys.argv[1])
for path in sorted(folder.iterdir()):
    if path.suffix == '.whl':
        for entry in zipfile.ZipFile(path).infolist():
            print(entry.filename, entry.file_size, oct(entry.external_attr >> 16 & 0o777))
    elif path.suffix == '.tgz':
        for entry in tarfile.open(path).getmembers():
            print(path.name, entry.name, entry.size, oct(entry.mode))
";
    let folder = tempfile::tempdir().unwrap();
    let program = Path::new("/bin/true");
    let size = program.metadata().unwrap().len();
    let licences = checkout().join("LICENSE");
    for script in ["wheel", "npm"] {
        let mut pack = Command::new(checkout().join("packaging").join(script));
        pack.arg(program).arg("x86_64-unknown-linux-gnu").arg(&licences).arg(folder.path());
        run(&mut pack).done();
    }
    let read = run(Command::new("python3").args(["-c", READ]).arg(folder.path())).done();
    let version = env!("CARGO_PKG_VERSION");
    for line in [
        format!("rigview-{version}.data/scripts/rigview {size} 0o755"),
        format!("rigview-npm-linux-x64-{version}.tgz package/bin/rigview {size} 0o755"),
    ] {
        assert!(read.text().lines().any(|found| found == line), "{line} of {}", read.text());
    }
    for file in [
        format!("rigview-{version}.dist-info/METADATA "),
        format!("rigview-{version}.dist-info/RECORD "),
        format!("rigview-npm-{version}.tgz package/start.js "),
        format!("rigview-npm-{version}.tgz package/package.json "),
    ] {
        assert!(read.text().contains(&file), "{file} of {}", read.text());
    }
    // The tag is the glibc that the program needs, and no version of Python.
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().flatten().collect();
    let names: Vec<_> =
        names.iter().map(|entry| entry.file_name().into_string().unwrap()).collect();
    let wheel = names.iter().find(|name| name.ends_with(".whl")).unwrap();
    let tagged = format!("rigview-{version}-py3-none-manylinux_2_");
    assert!(wheel.starts_with(&tagged) && wheel.ends_with("_x86_64.whl"), "{wheel}");
}

/// Every placeholder of a template is one that `packaging/fill` can replace or asks for.
#[test]
fn templates_have_known_placeholders() {
    let known =
        ["APP_ID", "DATE", "DOWNLOADS", "HOMEPAGE", "PUBLISHER", "SCREENSHOTS", "URLS", "VERSION"];
    let given = ["SOURCE_SHA256", "WINDOWS_SHA256"];
    let fill = text("packaging/fill");
    for template in [
        "linux/rigview.metainfo.xml.in",
        "macos/Info.plist.in",
        "macos/rigview.rb.in",
        "windows/winget.yaml.in",
    ] {
        let text = text(&format!("packaging/{template}"));
        let names: Vec<_> = text.split('@').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "{template}");
        for name in names {
            assert!(known.contains(&name) || given.contains(&name), "@{name}@ of {template}");
        }
    }
    assert!(known.iter().all(|name| fill.contains(name)));
}

/// The release workflow builds for three systems, and the changelog has the section that it prints.
#[test]
fn a_release_has_notes_and_three_systems() {
    let workflow = text(".github/workflows/release.yml");
    for system in ["ubuntu-", "windows-", "macos-"] {
        assert!(workflow.contains(system), "{system}");
    }
    assert!(text("CHANGELOG.md").contains("## [Unreleased]"));
}

/// `cargo run` sets variables of `.cargo/config.toml`, for which the program chooses other values where it can.
#[cfg(unix)]
#[test]
fn make_run_builds_the_program_and_starts_it_without_cargo() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::copy(checkout().join("Makefile"), at("Makefile")).unwrap();
    let script = |name: &str, text: &str| {
        std::fs::create_dir_all(at(name).parent().unwrap()).unwrap();
        std::fs::write(at(name), format!("#!/bin/sh\n{text}\n")).unwrap();
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(at(name), executable).unwrap();
    };
    script("tools/install-packages", "");
    script("bin/cargo", "echo cargo \"$@\"");
    script("built/release/rigview", "echo program \"$@\" ${GALLIVM_PERF-unset}");
    let path = std::env::join_paths(
        std::iter::once(at("bin")).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    for (display, started) in
        [(":5", "program a b.glb unset"), ("", "program screenshot a b.glb -o rigview.png unset")]
    {
        let mut make = Command::new("make");
        make.args(["-s", "run", "FILE=a b.glb"])
            .current_dir(&folder)
            .env("PATH", path.as_ref().unwrap());
        make.env("CARGO_TARGET_DIR", at("built")).env("DISPLAY", display);
        make.env_remove("WAYLAND_DISPLAY").env_remove("GALLIVM_PERF").env_remove("MAKEFLAGS");
        let out = make.output().unwrap();
        let text = String::from_utf8_lossy(&out.stdout);
        let lines: Vec<&str> = text.lines().collect();
        let built = "cargo build --release --locked";
        assert_eq!(lines[..2], [built, started], "{text} {}", String::from_utf8_lossy(&out.stderr));
    }
}
