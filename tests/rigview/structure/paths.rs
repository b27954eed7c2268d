//! The paths that a file names, from the crate's root or from an external crate: `use` trees
//! taken apart, inline paths, `self` and `super` resolved, renamed imports followed.

use super::lexer::{Placed, Token, tokens};
use std::collections::{BTreeSet, HashMap};

/// A path as the code means it: its first word is `crate` or an external crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub path: Vec<String>,
    pub line: usize,
}

/// Everything that a file names. `module` is the file's own, from the crate's root; `crates` are
/// the external crates that a first word may mean, with underscores.
pub fn named(source: &str, module: &[&str], crates: &BTreeSet<String>) -> Vec<Named> {
    let tokens = tokens(source);
    let mut reader = Reader {
        tokens: &tokens,
        at: 0,
        module: module.iter().map(|&name| name.to_owned()).collect(),
        open: Vec::new(),
        depth: 0,
        written: Vec::new(),
        imports: HashMap::new(),
        modules: BTreeSet::new(),
    };
    reader.read();
    let Reader { written, imports, modules, .. } = reader;
    let scope = Scope { imports, modules, crates };
    written
        .iter()
        .filter_map(|path| Some(Named { path: scope.resolve(path, 0)?, line: path.line }))
        .collect()
}

/// A path as it is written, and the module it is written in.
#[derive(Clone, Debug)]
struct Written {
    words: Vec<String>,
    /// Begins with `::`.
    global: bool,
    module: Vec<String>,
    line: usize,
}

/// What a path's first word may mean in a file.
struct Scope<'a> {
    /// Name -> the path it was imported from, wherever in the file.
    imports: HashMap<String, Written>,
    /// The modules that the file declares, with their full path.
    modules: BTreeSet<Vec<String>>,
    crates: &'a BTreeSet<String>,
}

impl Scope<'_> {
    /// `None`: something of the file's own, or of the prelude.
    fn resolve(&self, path: &Written, followed: usize) -> Option<Vec<String>> {
        let (first, rest) = path.words.split_first()?;
        let from_root = |module: &[String], rest: &[String]| {
            Some([&["crate".to_owned()], module, rest].concat())
        };
        if path.global {
            return self.crates.contains(first).then(|| path.words.clone());
        }
        match first.as_str() {
            "crate" | "rigview" => return from_root(&[], rest),
            "self" => return from_root(&path.module, rest),
            "super" => {
                let ups = path.words.iter().take_while(|word| *word == "super").count();
                let kept = path.module.len().saturating_sub(ups);
                return from_root(&path.module[..kept], &path.words[ups..]);
            }
            _ => {}
        }
        if let Some(import) = self.imports.get(first)
            && import.words.first() != Some(first)
            && followed < 8
        {
            let words = [&import.words, rest].concat();
            return self.resolve(&Written { words, ..import.clone() }, followed + 1);
        }
        let mut own = path.module.clone();
        own.push(first.clone());
        if self.modules.contains(&own) {
            return from_root(&own, rest);
        }
        self.crates.contains(first).then(|| path.words.clone())
    }
}

struct Reader<'a> {
    tokens: &'a [Placed],
    at: usize,
    /// The module that the reader is in.
    module: Vec<String>,
    /// The brace depths at which the inline modules around it began.
    open: Vec<usize>,
    depth: usize,
    written: Vec<Written>,
    imports: HashMap<String, Written>,
    modules: BTreeSet<Vec<String>>,
}

impl Reader<'_> {
    fn read(&mut self) {
        while let Some(token) = self.token(0) {
            match token {
                Token::Sign('{') => {
                    self.depth += 1;
                    self.at += 1;
                }
                Token::Sign('}') => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.open.last() == Some(&self.depth) {
                        self.open.pop();
                        self.module.pop();
                    }
                    self.at += 1;
                }
                // `impl Trait + use<'a>` imports nothing.
                Token::Word(word) if word == "use" && self.token(1) != Some(&Token::Sign('<')) => {
                    self.at += 1;
                    let global = self.token(0) == Some(&Token::Separator);
                    self.at += usize::from(global);
                    self.use_tree(Vec::new(), global);
                }
                Token::Word(word) if word == "mod" => self.module_begins(),
                Token::Word(word) if word == "extern" => self.extern_crate(),
                Token::Word(word) if !is_keyword(word) => self.inline_path(false),
                Token::Separator => self.path_after_separator(),
                _ => self.at += 1,
            }
        }
    }

    /// `mod name;` or `mod name {`.
    fn module_begins(&mut self) {
        self.at += 1;
        let Some(Token::Word(name)) = self.token(0).cloned() else { return };
        self.at += 1;
        self.modules.insert([self.module.as_slice(), std::slice::from_ref(&name)].concat());
        if self.token(0) == Some(&Token::Sign('{')) {
            self.open.push(self.depth);
            self.module.push(name);
        }
    }

    fn extern_crate(&mut self) {
        if let (Some(Token::Word(what)), Some(Token::Word(name))) = (self.token(1), self.token(2))
            && what == "crate"
        {
            let words = vec![name.clone()];
            self.write(words, true, self.line());
            self.at += 3;
        } else {
            self.at += 1;
        }
    }

    /// A tree behind `prefix`, up to the comma, brace or semicolon that ends it.
    fn use_tree(&mut self, mut words: Vec<String>, global: bool) {
        loop {
            let line = self.line();
            match self.token(0).cloned() {
                Some(Token::Sign('{')) => {
                    self.at += 1;
                    while let Some(token) = self.token(0) {
                        match token {
                            Token::Sign('}') => break,
                            Token::Sign(',') => self.at += 1,
                            _ => self.use_tree(words.clone(), global),
                        }
                    }
                    self.at += 1;
                    return;
                }
                Some(Token::Word(word)) => {
                    self.at += 1;
                    let ends = self.token(0) != Some(&Token::Separator);
                    // `{self}` in a tree is the tree's own name.
                    if !(ends && word == "self" && !words.is_empty()) {
                        words.push(word);
                    }
                    if ends {
                        let name = self.renamed().or_else(|| words.last().cloned());
                        let written = self.write(words, global, line);
                        self.imports.extend(name.map(|name| (name, written)));
                        return;
                    }
                    self.at += 1;
                }
                Some(Token::Sign('*')) => {
                    self.at += 1;
                    words.push("*".to_owned());
                    self.write(words, global, line);
                    return;
                }
                _ => {
                    self.at += 1;
                    return;
                }
            }
        }
    }

    fn renamed(&mut self) -> Option<String> {
        let (Some(Token::Word(word)), Some(Token::Word(name))) = (self.token(0), self.token(1))
        else {
            return None;
        };
        let name = (word == "as").then(|| name.clone())?;
        self.at += 2;
        Some(name)
    }

    /// `a::b::c`; a single word is no path.
    fn inline_path(&mut self, global: bool) {
        let line = self.line();
        let mut words = Vec::new();
        while let Some(Token::Word(word)) = self.token(0) {
            words.push(word.clone());
            self.at += 1;
            match (self.token(0), self.token(1)) {
                (Some(Token::Separator), Some(Token::Word(_))) => self.at += 1,
                // The generics behind a turbofish hold paths of their own.
                (Some(Token::Separator), Some(Token::Sign('<'))) => {
                    self.at += 2;
                    break;
                }
                _ => break,
            }
        }
        if words.len() > 1 || global {
            self.write(words, global, line);
        }
    }

    /// A separator that no word precedes: `::wgpu::X`, or the end of `<T as U>::X`.
    fn path_after_separator(&mut self) {
        let before = |back: usize| {
            self.at.checked_sub(back).and_then(|at| self.tokens.get(at)).map(|placed| &placed.token)
        };
        let arrow = matches!(before(2), Some(Token::Sign('-' | '=')));
        let goes_on = before(1) == Some(&Token::Sign('>')) && !arrow;
        self.at += 1;
        let written = self.written.len();
        self.inline_path(true);
        if goes_on {
            self.written.truncate(written);
        }
    }

    fn write(&mut self, words: Vec<String>, global: bool, line: usize) -> Written {
        let written = Written { words, global, module: self.module.clone(), line };
        self.written.push(written.clone());
        written
    }

    fn token(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.at + ahead).map(|placed| &placed.token)
    }

    fn line(&self) -> usize {
        self.tokens.get(self.at).map_or(0, |placed| placed.line)
    }
}

/// Words that a path can't begin with but that may stand before one that begins with `::`.
fn is_keyword(word: &str) -> bool {
    const KEYWORDS: [&str; 20] = [
        "as", "break", "const", "dyn", "else", "for", "if", "impl", "in", "let", "match", "move",
        "mut", "pub", "ref", "return", "static", "unsafe", "where", "while",
    ];
    KEYWORDS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paths of a snippet of `src/ui/panel.rs`, joined again.
    fn shown(source: &str) -> Vec<String> {
        let crates = ["wgpu", "egui", "std", "image"].map(str::to_owned).into();
        let named = named(source, &["ui", "panel"], &crates);
        named.iter().map(|named| named.path.join("::")).collect()
    }

    #[test]
    fn use_trees_are_taken_apart() {
        assert_eq!(
            shown("use crate::{render::{self, X as Y}, model::*};\nuse wgpu;"),
            ["crate::render", "crate::render::X", "crate::model::*", "wgpu"]
        );
    }

    #[test]
    fn lines_are_those_of_the_leaf() {
        let crates = BTreeSet::new();
        let named = named("use crate::{\n  model::Model,\n  render::X,\n};", &["ui"], &crates);
        assert_eq!(named.iter().map(|named| named.line).collect::<Vec<_>>(), [2, 3]);
    }

    #[test]
    fn inline_paths_are_found_anywhere() {
        assert_eq!(
            shown("fn f(x: &crate::render::Gpu) -> ::wgpu::X { a::<wgpu::Y>::b(image::z!()) }"),
            ["crate::render::Gpu", "wgpu::X", "wgpu::Y", "image::z"]
        );
    }

    #[test]
    fn names_of_the_file_are_not_external() {
        assert_eq!(shown("T::new(); Self::x(); <A as B>::wgpu::c; x.egui(); wgpu: 3"), [""; 0]);
    }

    #[test]
    fn self_and_super_are_resolved() {
        assert_eq!(
            shown("use super::a; mod t { use super::super::b; use super::super::super::c; }"),
            ["crate::ui::a", "crate::ui::b", "crate::c"]
        );
    }

    #[test]
    fn super_is_counted_from_behind_an_inline_module() {
        assert_eq!(shown("mod t { fn f() {} } use super::a;"), ["crate::ui::a"]);
    }

    #[test]
    fn renamed_imports_are_followed() {
        assert_eq!(
            shown("use crate as c; use c::render; render::X;"),
            ["crate", "crate::render", "crate::render::X"]
        );
        assert_eq!(shown("use wgpu as w; w::X;"), ["wgpu", "wgpu::X"]);
    }

    #[test]
    fn a_module_of_the_file_hides_a_crate_of_its_name() {
        assert_eq!(shown("mod image; use image::X;"), ["crate::ui::panel::image::X"]);
    }
}
