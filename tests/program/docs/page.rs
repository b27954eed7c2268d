//! The pages of the book, cut into prose and code blocks.

use crate::support::checkout;
use std::path::{Path, PathBuf};

/// A page in Markdown.
#[derive(Debug)]
pub struct Page {
    /// The path in the checkout, with `/`: `docs/window.md`.
    pub name: String,
    pub text: String,
}

/// A fenced code block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The words after the fence: `sh`.
    pub info: String,
    pub text: String,
    /// The number of the first line of its text, from 1.
    pub line: usize,
    /// The line before the fence, without blanks.
    pub before: String,
}

impl Page {
    pub fn read(name: &str) -> Self {
        let path = checkout().join(name);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{name}: {e}"));
        Self { name: name.to_owned(), text }
    }

    /// The folder of the page in the checkout.
    pub fn folder(&self) -> PathBuf {
        Path::new(&self.name).parent().unwrap().to_owned()
    }

    /// Returns the text with code blocks and code in backquotes blanked, line by line.
    pub fn prose(&self) -> Vec<String> {
        let mut fence: Option<String> = None;
        let line = |line: &str| {
            let mark = fence_of(line);
            if let Some(open) = &fence {
                if mark.is_some_and(|m| line.trim() == m && m.len() >= open.len()) {
                    fence = None;
                }
                return String::new();
            }
            if let Some(mark) = mark {
                fence = Some(mark.to_owned());
                return String::new();
            }
            let pieces = line.split('`').enumerate();
            pieces.map(|(i, piece)| if i % 2 == 0 { piece } else { "" }).collect()
        };
        self.text.lines().map(line).collect()
    }

    /// Returns the fenced code blocks.
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        let (mut open, mut before) = (None::<String>, String::new());
        for (i, line) in self.text.lines().enumerate() {
            match (&open, fence_of(line)) {
                (None, Some(mark)) => {
                    let info = line.trim()[mark.len()..].trim().to_owned();
                    let before = std::mem::take(&mut before);
                    blocks.push(Block { info, text: String::new(), line: i + 2, before });
                    open = Some(mark.to_owned());
                }
                (Some(fence), mark) => {
                    let ends = mark.is_some_and(|m| line.trim() == m && m.len() >= fence.len());
                    if ends {
                        open = None;
                    } else {
                        let block = blocks.last_mut().expect("a block is open");
                        block.text += line;
                        block.text.push('\n');
                    }
                }
                (None, None) => before = line.trim().to_owned(),
            }
        }
        blocks
    }

    /// Returns the anchors of the headings, as GitHub and mdBook make them.
    pub fn anchors(&self) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        // Code in backquotes counts in headings, so the whole text is read, less the blocks.
        let (prose, lines) = (self.prose(), self.text.lines());
        for (line, _) in lines.zip(prose).filter(|(_, prose)| prose.starts_with('#')) {
            let anchor = anchor(line.trim_start_matches('#').trim());
            let same = |other: &&String| {
                other.strip_prefix(&anchor).is_some_and(|rest| {
                    rest.is_empty() || rest.starts_with('-') && rest[1..].parse::<u32>().is_ok()
                })
            };
            let number = found.iter().filter(same).count();
            found.push(if number == 0 { anchor } else { format!("{anchor}-{number}") });
        }
        found
    }
}

/// Returns the anchor of a heading: lower case, blanks as hyphens, without other signs.
fn anchor(heading: &str) -> String {
    let sign = |c: char| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        c if c.is_alphanumeric() => Some(c.to_ascii_lowercase()),
        _ => None,
    };
    heading.chars().filter_map(sign).collect()
}

/// Returns the backquotes that begin or end a block, if the line has some.
fn fence_of(line: &str) -> Option<&str> {
    let line = line.trim();
    let count = line.bytes().take_while(|b| *b == b'`').count();
    (count >= 3 && !line[count..].contains('`')).then(|| &line[..count])
}

/// Returns all pages of `docs/`, sorted, without the summary.
pub fn pages() -> Vec<Page> {
    let (mut names, mut folders) = (Vec::new(), vec!["docs".to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(checkout().join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{folder}/{}", entry.file_name().to_str().unwrap());
            if entry.path().is_dir() {
                folders.push(name);
            } else if name.ends_with(".md") && name != "docs/SUMMARY.md" {
                names.push(name);
            }
        }
    }
    names.sort();
    names.iter().map(|name| Page::read(name)).collect()
}

#[test]
fn a_page_is_cut_into_prose_and_blocks() {
    let text =
        "# A `b` c!\nsee `[x](y)` [z](w)\n<!-- note -->\n```sh\n# no heading\n```\n## A b c\n";
    let page = Page { name: "docs/a.md".into(), text: text.into() };
    assert_eq!(page.prose()[1], "see  [z](w)");
    assert_eq!(page.anchors(), ["a-b-c", "a-b-c-1"]);
    let block = Block {
        info: "sh".into(),
        text: "# no heading\n".into(),
        line: 5,
        before: "<!-- note -->".into(),
    };
    assert_eq!(page.blocks(), [block]);
}
