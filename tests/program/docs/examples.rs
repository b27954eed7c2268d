//! Examples of the pages. `sh` blocks must succeed. `console` blocks have commands after `$ ` and what they print: a line
//! `...` stands for any lines, and one that ends with `...` for any line that begins like it. A command goes on in lines with
//! `> `. A block of TOML that begins with `# NAME.toml` is written to that file first. A block with a comment
//! `<!-- not run: REASON -->` on the line before it is left out.
//!
//! The blocks of a page run one after the other in a folder with the small models of the repository.

use super::page::{Block, Page, pages};
use crate::support::{Run, checkout, command, for_each, run, say_at_the_end};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// Returns a folder with what the examples may use.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let copy = |name: &str| {
        let to = folder.path().join(name);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(checkout().join(name), to).unwrap();
    };
    copy("assets/creature.glb");
    for entry in std::fs::read_dir(checkout().join("docs/rigs")).unwrap() {
        copy(&format!("docs/rigs/{}", entry.unwrap().file_name().to_str().unwrap()));
    }
    std::fs::create_dir_all(folder.path().join("docs/pictures")).unwrap();
    folder
}

/// Runs shell commands in a folder, with the program on the path and in the environment of all tests.
fn shell(folder: &Path, script: &str) -> Run {
    let program = Path::new(command().get_program()).parent().unwrap().to_owned();
    let old = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([program].into_iter().chain(std::env::split_paths(&old)));
    // By its path, which is started without a copy of this process although PATH is another one.
    let mut shell = Command::new("/bin/sh");
    for (name, value) in command().get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell.env("PATH", path.unwrap()).current_dir(folder);
    run(shell.args(["-euc", script]))
}

/// Returns what is wrong with an example.
fn fault(folder: &Path, block: &Block) -> Option<String> {
    if block.info == "sh" {
        let run = shell(folder, &block.text);
        return (run.code != Some(0)).then(|| run.ended());
    }
    for (command, wanted) in steps(&block.text) {
        let run = shell(folder, &format!("{{ {command}\n}} 2>&1"));
        let printed = run.text().trim_end();
        if !is_like(printed, &wanted) {
            return Some(format!("`{command}` prints\n{printed}\nand not\n{}", wanted.join("\n")));
        }
    }
    None
}

/// Cuts a `console` block into commands and the lines that each prints. A command goes on in lines with `> `.
fn steps(text: &str) -> Vec<(String, Vec<&str>)> {
    let mut steps: Vec<(String, Vec<&str>)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("$ "), line.strip_prefix("> "), steps.last_mut()) {
            (Some(command), _, _) => steps.push((command.to_owned(), Vec::new())),
            (None, Some(more), Some((command, _))) => write!(command, "\n{more}").unwrap(),
            (None, None, Some((_, printed))) => printed.push(line.trim_end()),
            (None, _, None) => panic!("a console block begins with `$ `, not {line}"),
        }
    }
    steps
}

/// Whether a printed line is the wanted one, or begins as one that ends with `...`.
fn fits(line: &str, wanted: &str) -> bool {
    line == wanted || wanted.strip_suffix("...").is_some_and(|start| line.starts_with(start))
}

/// Whether the printed lines are the wanted ones; `...` stands for any lines.
fn is_like(printed: &str, wanted: &[&str]) -> bool {
    let printed: Vec<&str> = printed.lines().map(str::trim_end).collect();
    let mut at = 0;
    for (i, part) in wanted.split(|line| *line == "...").enumerate() {
        let is_here = |from: &usize| {
            let rest = &printed[*from..];
            rest.len() >= part.len() && part.iter().zip(rest).all(|(part, line)| fits(line, part))
        };
        let found = (at..=printed.len()).find(is_here);
        match found {
            Some(from) if i > 0 || from == 0 => at = from + part.len(),
            _ => return false,
        }
    }
    let open = wanted.last() == Some(&"...");
    open || at == printed.len()
}

/// Runs the examples of a page. Returns the faults, and the number of blocks that were left out.
fn check(page: &Page) -> (Vec<String>, usize) {
    let blocks = page.blocks();
    let examples = |block: &&Block| ["sh", "console"].contains(&&*block.info);
    if !blocks.iter().any(|block| examples(&block)) {
        return (Vec::new(), 0);
    }
    let folder = folder();
    let (mut faults, mut left_out) = (Vec::new(), 0);
    for block in &blocks {
        let file = block.text.lines().next().and_then(|line| line.strip_prefix("# "));
        if let (Some(file), "toml") = (file.filter(|f| f.ends_with(".toml")), &*block.info) {
            std::fs::write(folder.path().join(file), &block.text).unwrap();
        }
        let is_command = |line: &str| line.starts_with("rigview ") || line.starts_with("$ ");
        if block.info.is_empty() && block.text.lines().any(is_command) {
            let fault = "commands are in blocks of `sh` or `console`".to_owned();
            faults.push(format!("{}:{}: {fault}", page.name, block.line));
        }
        if !examples(&block) {
            continue;
        }
        if block.before.starts_with("<!-- not run: ") {
            left_out += 1;
        } else if let Some(fault) = fault(folder.path(), block) {
            faults.push(format!("{}:{}: {fault}", page.name, block.line));
        }
    }
    (faults, left_out)
}

#[test]
fn every_example_runs_and_prints_what_the_page_says() {
    let results = for_each(&pages(), check);
    let left_out: usize = results.iter().map(|(_, left_out)| left_out).sum();
    say_at_the_end(format!("docs: {left_out} examples are marked as not run"));
    let faults: Vec<String> = results.into_iter().flat_map(|(faults, _)| faults).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

/// Lines of Rust on the library's page are those of a program in `examples/`, which is compiled.
#[test]
fn rust_on_the_librarys_page_is_part_of_an_example() {
    let page = Page::read("docs/library.md");
    let blocks: Vec<Block> = page.blocks().into_iter().filter(|b| b.info == "rust").collect();
    assert!(!blocks.is_empty());
    let programs: Vec<String> = std::fs::read_dir(checkout().join("examples"))
        .unwrap()
        .map(|program| std::fs::read_to_string(program.unwrap().path()).unwrap())
        .collect();
    for block in blocks {
        let is_part = programs.iter().any(|program| program.contains(&block.text));
        assert!(is_part, "docs/library.md:{}: in no program of examples/", block.line);
    }
}

#[test]
fn output_is_compared_line_by_line() {
    assert!(is_like("a\nb\nc", &["a", "b", "c"]) && is_like("a\nb\nc", &["a", "..."]));
    assert!(is_like("a\nb\nc", &["...", "b", "...", "c"]) && is_like("", &[]));
    assert!(is_like("seen 7 times", &["seen ..."]) && !is_like("7 times", &["seen ..."]));
    assert!(!is_like("a\nb\nc", &["a", "b"]) && !is_like("a\nb", &["...", "c"]));
    assert!(!is_like("a\nb", &["b"]) && !is_like("a\nb\nc", &["a", "...", "b"]));
    let text = "$ one |\n> more\nx\n$ two\n";
    let steps = steps(text);
    assert_eq!(steps[0], ("one |\nmore".to_owned(), vec!["x"]));
    assert_eq!(steps[1], ("two".to_owned(), vec![]));
}
