//! Places in the code that the pages name: each file exists, and it defines what the page says.

use super::page::Page;
use crate::support::checkout;
use std::path::PathBuf;

/// Pages that name places in the code.
const PAGES: [&str; 2] = ["docs/architecture.md", "CONTRIBUTING.md"];

/// Returns the code in backquotes of a page, with line numbers from 1.
fn spans(page: &Page) -> Vec<(usize, String)> {
    let mut inside = false;
    let mut spans = Vec::new();
    for (i, line) in page.text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if !inside {
            let codes = line.split('`').skip(1).step_by(2);
            spans.extend(codes.map(|code| (i + 1, code.to_owned())));
        }
    }
    spans
}

/// Returns the path of a file or folder of the code: `anim/clip.rs` is below `crates/anim/src`, `cli/failure.rs` below
/// `src`, and all others, such as `shaders/skin.wgsl`, are paths of the checkout.
fn resolve(place: &str) -> Option<PathBuf> {
    let in_crate = place.split_once('/').map(|(name, rest)| format!("crates/{name}/src/{rest}"));
    let candidates = in_crate.into_iter().chain([format!("src/{place}"), place.to_owned()]);
    candidates.map(|path| checkout().join(path)).find(|path| path.exists())
}

/// Whether `text` of Rust or WGSL defines a function, type, constant or variable called `name`.
fn defines(text: &str, name: &str) -> bool {
    const WORDS: [&str; 8] =
        ["fn", "struct", "enum", "trait", "type", "const", "static", "macro_rules!"];
    let words = |line: &str| -> Vec<String> {
        let words = line.split(|c: char| !(c.is_alphanumeric() || "_!".contains(c)));
        words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.map(words)
        .any(|words| words.windows(2).any(|pair| WORDS.contains(&&*pair[0]) && pair[1] == name))
}

/// Returns what is wrong with a span, if it names a place in the code.
fn fault(span: &str) -> Option<String> {
    let (place, name) = match span.split_once("::") {
        Some((place, name)) if place.contains('.') => (place, Some(name)),
        Some(_) => return None,
        None => (span, None),
    };
    let is_path = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    if !place.contains('/') || !place.chars().all(is_path) || place.starts_with('/') {
        return None;
    }
    let Some(path) = resolve(place) else { return Some("there is no such file or folder".into()) };
    let name = name?;
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    (!defines(&text, name)).then(|| format!("{} does not define {name}", path.display()))
}

#[test]
fn every_place_that_a_page_names_is_in_the_code() {
    let mut faults = Vec::new();
    for page in PAGES.map(Page::read) {
        for (line, span) in spans(&page) {
            faults.extend(fault(&span).map(|why| format!("{}:{line}: `{span}`: {why}", page.name)));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let places = spans(&Page::read(PAGES[0]));
    let named = places.iter().filter(|(_, span)| span.contains(".rs::")).count();
    assert!(named >= 25, "the table \"Where is ...\" has only {named} places");
}

#[test]
fn a_place_that_is_gone_is_found() {
    let found = |span: &str| fault(span).is_none();
    assert!(found("anim/slerp.rs::slerp") && found("shaders/tone_map.wgsl::tone_mapped"));
    assert!(
        found("cli/failure.rs::Failure") && found("render/passes") && found("cargo doc --open")
    );
    assert!(
        !found("anim/slerp.rs::slerp_") && !found("anim/nothing.rs") && !found("anim/slerp.rs::a")
    );
    assert!(defines("    pub(super) const MOST: usize = 1;", "MOST"));
    assert!(!defines("// fn gone() {}\nlet x = fn_gone();", "gone"));
}
