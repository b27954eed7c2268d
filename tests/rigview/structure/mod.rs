//! The rules that the compiler can't hold: which room may name what ([`rooms::ROOMS`]), what
//! every file looks like ([`files`]), and that imports run one way ([`circles`]). A broken one fails with the rule in words.

mod circles;
mod files;
mod paths;
mod portable;
mod rooms;

use crate::support::checkout;
use paths::Names;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

#[test]
fn every_room_names_only_what_it_may_know() {
    let sources = sources();
    assert!(!sources.is_empty(), "no source under {}", checkout().display());
    let found =
        sources.iter().flat_map(|source| rooms::violations(&source.file, &source.names.paths));
    assert_none(found.collect());
}

#[test]
fn every_file_has_a_header_a_noun_and_a_length() {
    let root = checkout();
    let files = ["src", "tests", "benches"].map(|folder| rust_files(&root.join(folder))).concat();
    assert!(!files.is_empty(), "no source under {}", root.display());
    let found = files.iter().flat_map(|file| {
        files::violations(&slashed(file.strip_prefix(&root).unwrap()), &text(file))
    });
    assert_none(found.collect());
}

#[test]
fn no_files_of_a_room_import_each_other_in_a_circle() {
    let files = sources().iter().map(|source| {
        let module = module(&source.file).into_iter().map(str::to_owned);
        (module.collect(), source.names.clone())
    });
    assert_none(circles::violations(&files.collect()));
}

/// The window's contents need no window: they run in tests without one, and later in a browser.
#[test]
fn only_the_window_itself_names_its_library() {
    let app = checkout().join("src/app");
    let mut files = rust_files(&app);
    files.retain(|file| !file.starts_with(app.join("window")));
    assert!(files.len() > 15, "{files:?}");
    let found = files.iter().filter(|file| text(file).contains("winit"));
    assert_none(found.map(|file| format!("{} names winit", file.display())).collect());
}

/// Code that no `mod` names is not even compiled: its tests would pass by not being there.
#[test]
fn every_file_belongs_to_a_module() {
    for (folder, root) in [
        ("src", "lib.rs"),
        ("tests/rigview", "main.rs"),
        ("tests/program", "main.rs"),
        ("tests/support", "lib.rs"),
        ("tests/mutations", "main.rs"),
    ] {
        let folder = checkout().join(folder);
        let mut files = rust_files(&folder);
        files.retain(|file| ![folder.join("lib.rs"), folder.join("main.rs")].contains(file));
        let (root, mut declared) = (folder.join(root), files::Declared::default());
        let found = files.iter().filter(|file| !declared.has(file, &root));
        assert_none(found.map(|file| format!("{}: no `mod` names it", file.display())).collect());
    }
}

/// Code that only some systems have is marked as such, and no path of one system is assumed on all.
#[test]
fn what_only_one_system_has_is_marked() {
    let src = checkout().join("src");
    let found = rust_files(&src).into_iter().flat_map(|file| {
        portable::violations(&slashed(file.strip_prefix(&src).unwrap()), &text(&file))
    });
    assert_none(found.collect());
}

/// A file of the program and what it names.
struct Source {
    /// Its path below `src/`.
    file: String,
    names: Names,
}

/// Reads all files below `src/`, once for all tests.
fn sources() -> &'static [Source] {
    static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(|| {
        let crates = dependencies(&text(&checkout().join("Cargo.toml")));
        let src = checkout().join("src");
        let read = |path: PathBuf| {
            let file = slashed(path.strip_prefix(&src).unwrap());
            let names = paths::names(&text(&path), &module(&file), &crates);
            Source { file, names }
        };
        rust_files(&src).into_iter().map(read).collect()
    });
    &SOURCES
}

/// `ui/panel.rs` is the module `ui::panel`; `ui/mod.rs` is `ui`; `lib.rs` is the root.
fn module(file: &str) -> Vec<&str> {
    let names = file.trim_end_matches(".rs").split('/');
    names.filter(|name| !matches!(*name, "mod" | "lib" | "main")).collect()
}

/// The external crates that code may name: a manifest's dependencies and the standard library's.
/// What only tests depend on is theirs to use.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::from(["std", "core", "alloc"].map(str::to_owned));
    let mut inside = false;
    for line in manifest.lines() {
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end().trim_end_matches(']');
            inside = section == "dependencies" || section.ends_with(".dependencies");
            // `[dependencies.name]`
            if let Some((_, name)) = section.split_once("dependencies.")
                && !section.starts_with("dev-")
            {
                names.insert(name.replace('-', "_"));
            }
        } else if inside && line.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let name = line.split(['=', '.', ' ']).next().unwrap_or_default();
            names.insert(name.replace('-', "_"));
        }
    }
    names
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut folders = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = folder.read_dir() else { continue };
        for entry in entries.map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|extension| extension == "rs") {
                files.push(entry);
            }
        }
    }
    files.sort();
    files
}

fn slashed(path: &Path) -> String {
    path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}

fn text(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn assert_none(found: Vec<String>) {
    assert!(found.is_empty(), "{} broken rules:\n{}", found.len(), found.join("\n"));
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "[package]\nname = \"x\"\n[dependencies]\nglam = \"0\"\n\
        gltf = { version = \"1\", features = [\n    \"utils\",\n] }\negui-winit.workspace = true\n\
        [target.'cfg(unix)'.dependencies]\nwgpu = \"30\"\n[dependencies.winit]\nversion = \"0\"\n\
        [dev-dependencies]\nproptest = \"1\"\n";

    fn broken(file: &str, source: &str) -> Vec<String> {
        let names = paths::names(source, &module(file), &dependencies(MANIFEST));
        rooms::violations(file, &names.paths)
    }

    #[test]
    fn a_manifest_names_the_crates() {
        let names = dependencies(MANIFEST);
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        assert_eq!(names, ["alloc", "core", "egui_winit", "glam", "gltf", "std", "wgpu", "winit"]);
    }

    #[test]
    fn another_room_in_a_use_tree() {
        assert_eq!(
            broken("session/a.rs", "use crate::{\n    model::Model,\n    render::{X, Y},\n};"),
            [
                "src/session/a.rs:3 names render: session is the session: it never draws, and knows no \
              window and no panel"
            ]
        );
    }

    #[test]
    fn a_crate_inline() {
        let found = broken("ui/x.rs", "\nfn f(x: &wgpu::Device) {}");
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].starts_with("src/ui/x.rs:2 names wgpu: ui reads the session"),
            "{found:?}"
        );
    }

    #[test]
    fn prose_is_free() {
        let source = "//! wgpu::X\n/* crate::render::Y */ fn f() { g(\"use winit::Z;\") }";
        assert_eq!(broken("model/a.rs", source), [""; 0]);
    }

    #[test]
    fn what_a_room_may_know_is_free() {
        let source =
            "use crate::anim::Clip;\nuse super::Model;\nuse glam::Vec3;\nuse std::sync::Arc;";
        assert_eq!(broken("model/a.rs", source), [""; 0]);
        assert_eq!(broken("lib.rs", "pub mod render; pub use render::X; use wgpu::Y;"), [""; 0]);
    }

    #[test]
    fn ways_round_are_closed() {
        for source in [
            "use super::super::render;",
            "use crate as c; fn f() { c::render::x() }",
            "mod t { use super::super::super::render::X; }",
            "use crate::*;",
            "use wgpu as w;",
            "fn f(x: egui_winit::winit::X) {}",
            "extern crate wgpu;",
            "pub use crate::render as r;",
            "fn f(x: impl Into<::wgpu::X>) {}",
        ] {
            assert_ne!(broken("session/a.rs", source), [""; 0], "{source}");
        }
    }

    #[test]
    fn clocks_and_exits_have_their_rooms() {
        assert_eq!(broken("session/a.rs", "use std::time::{Duration, Instant};").len(), 1);
        assert_eq!(
            broken("session/a.rs", "use std::time;\nfn f() { time::Instant::now() }").len(),
            1
        );
        assert_eq!(broken("app/a.rs", "use std::time::Instant;"), [""; 0]);
        assert_eq!(broken("app/a.rs", "use std::process;\nfn f() { process::exit(1) }").len(), 1);
        assert_eq!(broken("cli/a.rs", "fn f() { std::process::exit(1) }"), [""; 0]);
        assert_eq!(broken("anim/a.rs", "use std::fs::File;").len(), 1);
    }

    #[test]
    fn each_thing_is_reported_once_a_file() {
        assert_eq!(broken("anim/a.rs", "use wgpu::X;\nuse wgpu::Y;\nuse winit::Z;").len(), 2);
    }

    #[test]
    fn a_folder_without_a_row_is_reported() {
        assert_eq!(broken("extra/a.rs", ""), ["src/extra/a.rs: extra is no room of the table"]);
    }

    #[test]
    fn rows_name_rows() {
        let names: BTreeSet<_> = rooms::ROOMS.iter().map(|room| room.name).collect();
        for room in rooms::ROOMS {
            let known = rooms::known(room.name);
            assert!(known.iter().all(|known| names.contains(known)), "{}", room.name);
        }
    }
}
