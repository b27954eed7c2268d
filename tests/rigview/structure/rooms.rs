//! The rooms: which other rooms each may name, as the table of docs/architecture.md says, which crates, and the check of
//! one file against both. A rule says a decision in words; a change of it is a change of the design.

use super::paths::Named;
use std::collections::BTreeSet;

/// A folder of `src/`, or one of the two files beside them.
pub struct Room {
    pub name: &'static str,
    pub crates: Crates,
    /// Why, for the one who broke it.
    pub rule: &'static str,
}

/// The dependencies that a room may name; the standard library is free, but see [`APART_STD`].
pub enum Crates {
    Only(&'static [&'static str]),
    AllBut(&'static [&'static [&'static str]]),
}

const GPU: &[&str] = &["wgpu", "naga"];
const WINDOW: &[&str] = &["winit", "egui_winit", "rfd", "notify"];
const PANELS: &[&str] = &["egui", "egui_wgpu", "egui_plot", "egui_tiles"];
const PROGRAM: &[&str] = &["clap", "env_logger"];
const FILES: &[&str] = &["gltf"];

use Crates::{AllBut, Only};

pub const ROOMS: &[Room] = &[
    Room {
        name: "anim",
        crates: Only(&["glam", "half", "thiserror"]),
        rule: "anim knows numbers and nothing else: no file, no clock, no GPU",
    },
    Room {
        name: "model",
        crates: Only(&["bytemuck", "glam", "serde", "thiserror"]),
        rule: "model is plain validated data and knows only anim",
    },
    Room {
        name: "look",
        crates: Only(&["glam", "serde", "thiserror"]),
        rule: "look says what a picture is asked to be, and knows only anim and model",
    },
    Room {
        name: "import",
        crates: AllBut(&[GPU, WINDOW, PANELS, PROGRAM]),
        rule: "import turns bytes into a model: it knows no GPU, no window and no session",
    },
    Room {
        name: "export",
        crates: AllBut(&[GPU, WINDOW, PANELS, PROGRAM]),
        rule: "export turns a model into bytes and knows only anim and model",
    },
    Room {
        name: "report",
        crates: Only(&["glam", "serde", "serde_json", "thiserror"]),
        rule: "report states facts about a model as data: it knows only anim and model",
    },
    Room {
        name: "compare",
        crates: Only(&["glam", "png", "rayon", "serde", "serde_json", "thiserror"]),
        rule: "compare measures how two models or two pictures differ: it draws nothing and prints nothing",
    },
    Room {
        name: "check",
        crates: Only(&["glam", "globset", "log", "rayon", "serde", "strsim", "thiserror", "toml"]),
        rule: "check judges a model by a contract: it opens no file and prints nothing",
    },
    Room {
        name: "session",
        crates: AllBut(&[GPU, WINDOW, PANELS, PROGRAM, FILES]),
        rule: "session is the session: it never draws, and knows no window and no panel",
    },
    Room {
        name: "render",
        crates: AllBut(&[WINDOW, PANELS, PROGRAM, FILES]),
        rule: "render makes pixels: it never knows egui, winit, the session or files",
    },
    Room {
        name: "ui",
        crates: AllBut(&[GPU, WINDOW, &["egui_wgpu"], PROGRAM, FILES]),
        rule: "ui reads the session and returns actions: never winit, never wgpu",
    },
    Room {
        name: "capture",
        crates: AllBut(&[WINDOW, PANELS, PROGRAM, FILES]),
        rule: "capture makes pictures without a window: never winit, never egui",
    },
    Room {
        name: "suite",
        crates: AllBut(&[GPU, WINDOW, PANELS, PROGRAM]),
        rule: "suite runs cases and reports on them: it knows no window and no command line",
    },
    Room {
        name: "app",
        crates: AllBut(&[PROGRAM]),
        rule: "app is the window: it knows every room but the command line",
    },
    Room {
        name: "fix",
        crates: Only(&["glam", "serde", "serde_json", "thiserror"]),
        rule: "fix turns a model and its findings into a mended file: it draws nothing and prints nothing",
    },
    Room {
        name: "cli",
        crates: AllBut(&[GPU, WINDOW, PANELS, FILES]),
        rule: "cli turns arguments into library calls: what wgpu, egui, winit and gltf do is behind them",
    },
    Room {
        name: "main.rs",
        crates: Only(PROGRAM),
        rule: "main calls the command line and nothing else",
    },
];

/// The page with the table of the rooms.
const DESIGN: &str = include_str!("../../../docs/architecture.md");

/// Returns the rooms that a room may name: those of its row in the table.
///
/// # Panics
/// If the table has no row for it.
pub fn known(room: &str) -> Vec<&'static str> {
    if room == "main.rs" {
        return vec!["cli"];
    }
    let start = format!("| `{room}` | ");
    let row = DESIGN.lines().find_map(|line| line.strip_prefix(&start));
    let (cell, _) = row.and_then(|row| row.split_once(" | ")).unwrap_or_else(|| {
        panic!("the table of rooms in docs/architecture.md has no row for {room}")
    });
    match cell.strip_prefix("every one but `") {
        Some(rest) => {
            let but = rest.trim_end_matches('`');
            ROOMS.iter().map(|room| room.name).filter(|name| *name != but).collect()
        }
        None => cell.split('`').skip(1).step_by(2).collect(),
    }
}

/// Parts of the standard library that only these rooms and files may name.
pub const APART_STD: &[(&[&str], &[&str], &str)] = &[
    (
        &["std::time::Instant", "std::time::SystemTime", "std::time::UNIX_EPOCH"],
        &["app", "cli", "suite", "report/pose_speed.rs", "capture/crowd_speed.rs"],
        "only app, measurements of speed and the time limits of test cases read a clock; everything else is passed the time",
    ),
    (
        &["std::fs", "std::env", "std::net"],
        &[
            "import", "export", "session", "render", "ui", "capture", "suite", "app", "cli",
            "main.rs",
        ],
        "anim, model, look, report, check, compare and fix know no file",
    ),
    (
        &["std::process::exit", "std::process::abort"],
        &["cli", "main.rs"],
        "a library never ends the program",
    ),
];

/// Crates that others hand on under their own name (`egui_wgpu::wgpu`).
const HANDED_ON: [&str; 3] = ["egui", "wgpu", "winit"];

/// Checks what one file names, `file` being its path below `src/`. Each thing that it may not
/// name is reported once, at its first place.
pub fn violations(file: &str, named: &[Named]) -> Vec<String> {
    let Some(room_name) = room_of(file) else { return Vec::new() };
    let Some(room) = ROOMS.iter().find(|room| room.name == room_name) else {
        return vec![format!("src/{file}: {room_name} is no room of the table")];
    };
    let known = known(room.name);
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for named in named {
        for (thing, rule) in forbidden(room, &known, file, &named.path) {
            if seen.insert(thing.clone()) {
                found.push(format!("src/{file}:{} names {thing}: {rule}", named.line));
            }
        }
    }
    found
}

/// `None` for `lib.rs`, the contents page, and the macro that all rooms may use.
fn room_of(file: &str) -> Option<&str> {
    let room = file.split('/').next()?;
    (!["lib.rs", "named_enum.rs"].contains(&room)).then_some(room)
}

/// What a path names that the room may not name, with the rule.
fn forbidden(
    room: &Room,
    known: &[&str],
    file: &str,
    path: &[String],
) -> Vec<(String, &'static str)> {
    let Some((first, rest)) = path.split_first() else { return Vec::new() };
    if first == "crate" {
        return forbidden_room(room, known, rest).into_iter().collect();
    }
    if matches!(first.as_str(), "std" | "core" | "alloc") {
        return forbidden_std(room, file, rest).into_iter().collect();
    }
    let handed_on = rest.iter().filter(|word| HANDED_ON.contains(&word.as_str()));
    std::iter::once(first)
        .chain(handed_on)
        .filter(|krate| !may_name(room, krate))
        .map(|krate| (krate.clone(), room.rule))
        .collect()
}

fn forbidden_room(room: &Room, known: &[&str], rest: &[String]) -> Option<(String, &'static str)> {
    let named = rest.first().map_or("", String::as_str);
    if named == "*" {
        return Some(("all of the crate".to_owned(), room.rule));
    }
    // The crate's root under another name: what is reached through it is checked where it is.
    let free = named.is_empty() || named == room.name || known.contains(&named);
    (!free).then(|| (named.to_owned(), room.rule))
}

fn forbidden_std(room: &Room, file: &str, rest: &[String]) -> Option<(String, &'static str)> {
    let path = format!("std::{}", rest.join("::"));
    let (_, _, rule) = APART_STD.iter().find(|(parts, places, _)| {
        let part = parts.iter().any(|part| {
            path.strip_prefix(part).is_some_and(|more| more.is_empty() || more.starts_with("::"))
        });
        part && !places.contains(&room.name) && !places.contains(&file)
    })?;
    Some((path, rule))
}

fn may_name(room: &Room, krate: &str) -> bool {
    match room.crates {
        Only(crates) => crates.contains(&krate),
        AllBut(groups) => !groups.iter().any(|group| group.contains(&krate)),
    }
}
