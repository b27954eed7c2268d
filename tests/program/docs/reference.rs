//! The reference in `docs/commands`: the help of every command, as the program prints it.
//!
//! `RIGVIEW_RENEW=1 cargo test -p rigview-program-tests docs::reference` writes the pages again.

use crate::support::{checkout, command, run};
use std::collections::BTreeSet;

/// Returns the program's output for `args`, wrapped at 100 columns.
fn help(args: &[&str]) -> String {
    // The help shows the variables' values.
    let mut program = command();
    program.env_remove("RIGVIEW_ADAPTER").env_remove("RIGVIEW_BACKEND").env("COLUMNS", "100");
    let run = run(program.args(args)).done();
    let lines = run.text().lines().map(str::trim_end);
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// Returns the names of all commands, in the order of the help.
fn names(whole: &str) -> Vec<String> {
    let list = whole.split("\nCommands:\n").nth(1).expect("the help has a list of commands");
    let list = list.split("\n\n").next().unwrap();
    let names = list.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names.filter(|name| !name.is_empty() && *name != "help").map(str::to_owned).collect()
}

/// Returns the name and the text of every page.
fn pages() -> Vec<(String, String)> {
    let whole = help(&["help"]);
    let page = |name: &str, help: &str| {
        let note = "<!-- Made from the program's help; see tests/program/docs/reference.rs. -->";
        (format!("{name}.md"), format!("# {name}\n\n{note}\n\n```text\n{}\n```\n", help.trim_end()))
    };
    let mut pages = vec![page("rigview", &whole)];
    for name in names(&whole) {
        let (file, text) = page(&format!("rigview-{name}"), &help(&["help", &name]));
        pages.push((file, text.replacen("# rigview-", "# rigview ", 1)));
    }
    pages
}

#[test]
fn the_reference_is_the_help_of_every_command() {
    let folder = checkout().join("docs/commands");
    let pages = pages();
    if std::env::var_os("RIGVIEW_RENEW").is_some() {
        std::fs::create_dir_all(&folder).unwrap();
        for (name, text) in &pages {
            std::fs::write(folder.join(name), text).unwrap();
        }
    }
    let again =
        "`RIGVIEW_RENEW=1 cargo test -p rigview-program-tests docs::reference` writes it again";
    for (name, text) in &pages {
        let written = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        assert!(written == *text, "docs/commands/{name} is not the program's help; {again}");
    }
    let expected: BTreeSet<String> = pages.into_iter().map(|(name, _)| name).collect();
    let files = std::fs::read_dir(&folder).unwrap();
    let files: BTreeSet<String> =
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(files, expected, "docs/commands has a page of a command that does not exist");
}
