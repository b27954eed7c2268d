//! The rule that no files of a room need each other in a circle: by an import, or by a call of a method of the same type
//! that the other file defines. A `mod.rs` that only hands names on is transparent: importing such a name imports the
//! file that defines it.

use super::paths::{Names, Place};
use std::collections::{BTreeMap, BTreeSet};

/// The files of the crate by their module paths, `crate` left out: `anim/pose.rs` is `["anim", "pose"]`.
pub type Files = BTreeMap<Vec<String>, Names>;

/// Returns a line per group of files that reach each other, with what each imports of the group.
pub fn violations(files: &Files) -> Vec<String> {
    let tests: BTreeSet<&Vec<String>> = files
        .values()
        .flat_map(|names| &names.modules)
        .filter_map(|(module, tests)| tests.then_some(module))
        .collect();
    let sources = files.iter().filter(|(module, _)| !tests.contains(module));
    let imports: BTreeMap<_, _> =
        sources.map(|(module, names)| (module, imports(files, module, names))).collect();
    let reached: BTreeMap<_, _> =
        imports.keys().map(|module| (*module, reached(&imports, module))).collect();
    let mut groups = BTreeSet::new();
    for (module, others) in reached.iter().filter(|(module, others)| others.contains(*module)) {
        let back = |other: &&Vec<String>| reached.get(other).is_some_and(|r| r.contains(module));
        groups.insert(others.iter().copied().filter(back).collect::<BTreeSet<_>>());
    }
    groups.into_iter().map(|group| described(&group, &imports)).collect()
}

type Imports<'a> = BTreeMap<&'a Vec<String>, BTreeSet<&'a Vec<String>>>;

fn described(group: &BTreeSet<&Vec<String>>, imports: &Imports) -> String {
    let arrows = group.iter().map(|module| {
        let inside = imports[module].iter().filter(|other| group.contains(*other));
        let inside: Vec<_> = inside.map(|other| other.join("::")).collect();
        format!("{} -> {}", module.join("::"), inside.join(", "))
    });
    format!("a circle: {}", arrows.collect::<Vec<_>>().join("; "))
}

fn reached<'a>(imports: &Imports<'a>, from: &Vec<String>) -> BTreeSet<&'a Vec<String>> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<_> = imports[from].iter().copied().collect();
    while let Some(module) = open.pop() {
        if reached.insert(module) {
            open.extend(imports.get(module).into_iter().flatten());
        }
    }
    reached
}

/// The files of its own room that a file imports outside of tests.
fn imports<'a>(files: &'a Files, module: &Vec<String>, names: &Names) -> BTreeSet<&'a Vec<String>> {
    let is_folder =
        files.keys().any(|other| other.len() > module.len() && other.starts_with(module));
    let counts = |place: Place| match place {
        Place::Code => true,
        Place::ReExport => !is_folder,
        Place::Test => false,
    };
    let paths = names.paths.iter().filter(|named| counts(named.place));
    let defined = paths.filter_map(|named| {
        defining(files, named.path.strip_prefix(&["crate".to_owned()][..])?, 0)
    });
    let called = files.iter().filter(|(_, other)| {
        let elsewhere = names.methods.called.difference(&names.methods.defined);
        elsewhere.into_iter().any(|method| other.methods.defined.contains(method))
    });
    let needed = defined.chain(called.map(|(other, _)| other));
    needed.filter(|other| *other != module && other.first() == module.first()).collect()
}

/// The file that defines what a path names.
fn defining<'a>(files: &'a Files, path: &[String], followed: usize) -> Option<&'a Vec<String>> {
    let known = (1..=path.len()).rev().find_map(|n| files.get_key_value(&path[..n]));
    let (module, names) = known?;
    let handed_on = path.get(module.len()).and_then(|name| names.imports.get(name));
    let further = handed_on.filter(|_| followed < 8).and_then(|target| {
        let rest = &path[module.len() + 1..];
        let target = target.strip_prefix(&["crate".to_owned()][..])?;
        defining(files, &[target, rest].concat(), followed + 1)
    });
    Some(further.unwrap_or(module))
}

#[cfg(test)]
mod tests {
    use super::super::paths;
    use super::*;

    fn found(sources: &[(&[&str], &str)]) -> Vec<String> {
        let names = |(module, source): &(&[&str], &str)| {
            let path = module.iter().map(|word| (*word).to_owned()).collect();
            (path, paths::names(source, module, &BTreeSet::new()))
        };
        violations(&sources.iter().map(names).collect())
    }

    const ROOM: &str = "mod a; mod b; #[cfg(test)] mod t; pub use a::A; pub use b::B;";

    #[test]
    fn two_files_that_import_each_other() {
        let circle = ["a circle: r::a -> r::b; r::b -> r::a"];
        let room: &[&str] = &["r"];
        for b in ["use super::A;", "fn f() { super::a::g() }", "use super::a; use a::A;"] {
            let files = [(room, ROOM), (&["r", "a"], "use super::B;"), (&["r", "b"], b)];
            assert_eq!(found(&files), circle, "{b}");
        }
    }

    #[test]
    fn two_files_whose_methods_of_one_type_call_each_other() {
        let files: [(&[&str], &str); 3] = [
            (&["r"], ROOM),
            (&["r", "a"], "impl T { fn f(&self) { self.g() } }"),
            (&["r", "b"], "impl T { fn g(&self) { Self::f(self) } }"),
        ];
        assert_eq!(found(&files), ["a circle: r::a -> r::b; r::b -> r::a"]);
    }

    #[test]
    fn tests_and_one_way_are_free() {
        let room: &[&str] = &["r"];
        let b = "#[cfg(test)] mod tests { use super::super::A; }";
        let files = [
            (room, ROOM),
            (&["r", "a"], "use super::B; #[cfg(test)] use super::t; pub(in crate::r::b) fn f() {}"),
            (&["r", "b"], b),
            (&["r", "t"], "use super::{A, B};"),
        ];
        assert_eq!(found(&files), [""; 0]);
    }

    #[test]
    fn a_folder_with_code_of_its_own_counts() {
        let room: &[&str] = &["r"];
        let folder = "mod a; use a::A; pub fn f(a: A) {}";
        let files = [(room, folder), (&["r", "a"], "pub struct A; fn g() { super::f(A) }")];
        assert_eq!(found(&files), ["a circle: r -> r::a; r::a -> r"]);
    }
}
