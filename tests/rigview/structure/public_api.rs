//! The library's public items, a line each, as `docs/public-api.txt` keeps them: a change of the interface is then seen
//! in the diff of that file.
//!
//! The list is read from the source: modules that are public from the root, what they define and re-export, the public
//! fields, variants and functions of types, and the traits that types implement or derive. Methods belong to the type of
//! that name in their room.

use std::collections::{BTreeMap, BTreeSet};

use syn::spanned::Spanned;
use syn::{Fields, Generics, ImplItem, Item, TraitItem, Type, UseTree, Visibility};

/// The files of the library by their module: `["render", "gpu"]`.
pub type Files = BTreeMap<Vec<String>, syn::File>;

/// Returns the sorted lines of the list.
pub fn listed(files: &Files) -> Vec<String> {
    let mut list = List { files, lines: BTreeSet::new(), done: BTreeSet::new() };
    list.module(&[], &["rigview".into()]);
    list.lines.into_iter().collect()
}

struct List<'a> {
    files: &'a Files,
    lines: BTreeSet<String>,
    /// Modules and types that are listed already, by their public paths.
    done: BTreeSet<Vec<String>>,
}

impl List<'_> {
    /// Lists what a module shows at a public path.
    fn module(&mut self, module: &[String], path: &[String]) {
        if !self.done.insert(path.to_vec()) {
            return;
        }
        let Some(file) = self.files.get(module) else { return };
        for item in file.items.iter().filter(|item| !is_test(item)) {
            match item {
                Item::Mod(inner) if is_public(&inner.vis) => {
                    let name = inner.ident.to_string();
                    self.line(path, &format!("mod {name}"));
                    self.module(&joined(module, &name), &joined(path, &name));
                }
                Item::Use(reexport) if is_public(&reexport.vis) => {
                    for (from, name) in flattened(&reexport.tree, Vec::new()) {
                        self.reexport(module, &from, &name, path);
                    }
                }
                item => {
                    if let Some(name) = public_name(item) {
                        self.item(item, module, &joined(path, &name));
                    }
                }
            }
        }
    }

    /// Lists an item that a module shows under another path than its own.
    fn reexport(&mut self, module: &[String], from: &[String], name: &str, path: &[String]) {
        let target = match self.found(module, from, 0) {
            Some(found) => found,
            None => return self.line(path, &format!("use {} as {name}", from.join("::"))),
        };
        let path = joined(path, name);
        match target {
            (module, None) => self.module(&module, &path),
            (module, Some(index)) => {
                let item = &self.files[&module].items[index];
                self.item(item, &module, &path);
            }
        }
    }

    /// Returns the module, or the module and the index of the item, that a path written in a module means. `None` for
    /// a path of another crate.
    fn found(
        &self,
        module: &[String],
        path: &[String],
        depth: usize,
    ) -> Option<(Vec<String>, Option<usize>)> {
        let (first, rest) = path.split_first()?;
        let (mut at, rest) = match first.as_str() {
            "crate" => (Vec::new(), rest),
            "self" => (module.to_vec(), rest),
            "super" => (module[..module.len().checked_sub(1)?].to_vec(), rest),
            _ => (module.to_vec(), path),
        };
        for (index, name) in rest.iter().enumerate() {
            let below = joined(&at, name);
            if self.files.contains_key(&below) {
                at = below;
                continue;
            }
            let items = &self.files.get(&at)?.items;
            if let Some(item) =
                items.iter().position(|item| name_of(item).is_some_and(|n| n == *name))
            {
                return Some((at, Some(item)));
            }
            // The module may itself re-export it.
            let uses = items.iter().filter_map(|item| match item {
                Item::Use(item) => Some(flattened(&item.tree, Vec::new())),
                _ => None,
            });
            let (from, _) = uses.flatten().find(|(_, shown)| shown == name)?;
            let from = [&from[..], &rest[index + 1..]].concat();
            return if depth < 8 { self.found(&at, &from, depth + 1) } else { None };
        }
        Some((at, None))
    }

    fn item(&mut self, item: &Item, module: &[String], path: &[String]) {
        if !self.done.insert(path.to_vec()) {
            return;
        }
        let shown = path.join("::");
        let head = |kind: &str, generics: &Generics| {
            format!("{kind} {shown}{}{}", text(generics), text(&generics.where_clause))
        };
        match item {
            Item::Fn(item) => self.add(signature(&item.sig, path)),
            Item::Const(item) => self.add(format!("const {shown}: {}", text(&item.ty))),
            Item::Static(item) => self.add(format!("static {shown}: {}", text(&item.ty))),
            Item::Type(item) => {
                self.add(format!("{} = {}", head("type", &item.generics), text(&item.ty)))
            }
            Item::Macro(_) => self.add(format!("macro {shown}")),
            Item::Struct(item) => {
                self.add(head("struct", &item.generics));
                self.fields(&item.fields, path);
                self.implementations(&item.ident.to_string(), &item.attrs, module, path);
            }
            Item::Enum(item) => {
                self.add(head("enum", &item.generics));
                for variant in &item.variants {
                    let path = joined(path, &variant.ident.to_string());
                    self.add(format!("variant {}{}", path.join("::"), text(&variant.fields)));
                }
                self.implementations(&item.ident.to_string(), &item.attrs, module, path);
            }
            Item::Trait(item) => {
                let above = item.supertraits.iter().map(text).collect::<Vec<_>>().join(" + ");
                self.add(format!("{}: {above}", head("trait", &item.generics)));
                for item in &item.items {
                    match item {
                        TraitItem::Fn(item) => self.add(signature(&item.sig, path)),
                        TraitItem::Type(item) => self.add(format!("type {shown}::{}", item.ident)),
                        TraitItem::Const(item) => {
                            self.add(format!("const {shown}::{}", item.ident))
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn fields(&mut self, fields: &Fields, path: &[String]) {
        for (index, field) in fields.iter().enumerate().filter(|(_, field)| is_public(&field.vis)) {
            let name = field.ident.as_ref().map_or(index.to_string(), ToString::to_string);
            self.add(format!("field {}::{name}: {}", path.join("::"), text(&field.ty)));
        }
        if fields.iter().any(|field| !is_public(&field.vis)) {
            self.add(format!("field {}::..", path.join("::")));
        }
    }

    /// Lists what is implemented for a type in its room.
    fn implementations(
        &mut self,
        name: &str,
        attributes: &[syn::Attribute],
        module: &[String],
        path: &[String],
    ) {
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("derive")) {
            if let syn::Meta::List(list) = &attribute.meta {
                let traits = list.tokens.to_string();
                for derived in traits.split(',').map(str::trim).filter(|name| !name.is_empty()) {
                    let derived = derived.replace(' ', "");
                    self.add(format!("impl {derived} for {}", path.join("::")));
                }
            }
        }
        let files = self.files;
        let in_room = files.iter().filter(|(other, _)| other.first() == module.first());
        for item in in_room.flat_map(|(_, file)| &file.items).filter(|item| !is_test(item)) {
            let Item::Impl(block) = item else { continue };
            let Type::Path(of) = &*block.self_ty else { continue };
            if of.path.segments.last().is_none_or(|segment| segment.ident != name) {
                continue;
            }
            if let Some((_, of_trait, _)) = &block.trait_ {
                self.add(format!("impl {} for {}", text(of_trait), path.join("::")));
                continue;
            }
            for item in &block.items {
                match item {
                    ImplItem::Fn(item) if is_public(&item.vis) => {
                        self.add(signature(&item.sig, path))
                    }
                    ImplItem::Const(item) if is_public(&item.vis) => {
                        let path = joined(path, &item.ident.to_string());
                        self.add(format!("const {}: {}", path.join("::"), text(&item.ty)));
                    }
                    _ => {}
                }
            }
        }
    }

    fn line(&mut self, path: &[String], what: &str) {
        let (kind, name) = what.split_once(' ').unwrap_or(("", what));
        self.add(format!("{kind} {}::{name}", path.join("::")));
    }

    fn add(&mut self, line: String) {
        self.lines.insert(line);
    }
}

/// Returns a function's signature with its path as its name.
fn signature(sig: &syn::Signature, path: &[String]) -> String {
    let inputs = sig.inputs.iter().map(text).collect::<Vec<_>>().join(", ");
    let name = sig.ident.to_string();
    let shown = match path.last() {
        Some(last) if *last == name => path.join("::"),
        _ => joined(path, &name).join("::"),
    };
    let words = [
        (sig.constness.is_some(), "const "),
        (sig.asyncness.is_some(), "async "),
        (sig.unsafety.is_some(), "unsafe "),
    ];
    let words: String = words.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect();
    let (generics, clause) = (text(&sig.generics), text(&sig.generics.where_clause));
    format!("{words}fn {shown}{generics}({inputs}) {} {clause}", text(&sig.output))
        .trim_end()
        .to_owned()
}

/// Returns the source of a syntax node in one line, without comments.
fn text(node: &impl Spanned) -> String {
    let source = node.span().source_text().unwrap_or_default();
    let lines = source.lines().map(|line| line.split("//").next().unwrap_or_default());
    let words: Vec<_> = lines.flat_map(str::split_whitespace).collect();
    words.join(" ").replace("( ", "(").replace(", )", ")").replace(" )", ")").replace(", }", " }")
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn public_name(item: &Item) -> Option<String> {
    let visibility = match item {
        Item::Const(item) => &item.vis,
        Item::Enum(item) => &item.vis,
        Item::Fn(item) => &item.vis,
        Item::Static(item) => &item.vis,
        Item::Struct(item) => &item.vis,
        Item::Trait(item) => &item.vis,
        Item::Type(item) => &item.vis,
        _ => return None,
    };
    is_public(visibility).then(|| name_of(item)).flatten()
}

fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

/// Whether an item is compiled for tests only.
fn is_test(item: &Item) -> bool {
    let attributes = match item {
        Item::Mod(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        _ => return false,
    };
    attributes.iter().any(|attribute| {
        matches!(&attribute.meta, syn::Meta::List(list) if list.path.is_ident("cfg")
            && list.tokens.to_string().split(|c: char| !c.is_alphanumeric()).any(|word| word == "test"))
    })
}

/// Returns the paths of a `use` tree with the names that they get.
fn flattened(tree: &UseTree, mut before: Vec<String>) -> Vec<(Vec<String>, String)> {
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            flattened(&path.tree, before)
        }
        UseTree::Name(name) if name.ident == "self" => {
            let last = before.last().cloned().unwrap_or_default();
            vec![(before, last)]
        }
        UseTree::Name(name) => {
            vec![(joined(&before, &name.ident.to_string()), name.ident.to_string())]
        }
        UseTree::Rename(rename) => {
            vec![(joined(&before, &rename.ident.to_string()), rename.rename.to_string())]
        }
        UseTree::Glob(_) => vec![(joined(&before, "*"), "*".into())],
        UseTree::Group(group) => {
            group.items.iter().flat_map(|tree| flattened(tree, before.clone())).collect()
        }
    }
}

fn joined(path: &[String], name: &str) -> Vec<String> {
    [path, &[name.to_owned()]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(files: &[(&str, &str)]) -> Vec<String> {
        let parse = |(module, source): &(&str, &str)| {
            let module = module.split("::").filter(|m| !m.is_empty()).map(str::to_owned).collect();
            (module, syn::parse_file(source).unwrap())
        };
        listed(&files.iter().map(parse).collect())
    }

    #[test]
    fn items_are_listed_where_they_are_shown() {
        let found = lines(&[
            ("", "pub mod a;\nmod hidden;\npub use hidden::F as G;\npub use glam;"),
            ("a", "mod b;\npub use b::{S, f};\npub(crate) use b::g;\nfn private() {}"),
            (
                "a::b",
                "#[derive(Clone, Debug)]\npub struct S { pub x: u8, y: u8 }\nimpl S { pub fn new(x: u8,\n y: u8) -> Self { todo!() } \
                 fn own() {} }\nimpl Default for S {}\npub fn f<T: Copy>(t: T) {}\npub fn g() {}",
            ),
            ("hidden", "pub enum F { A, B(u8) }\n#[cfg(test)]\nmod tests { }"),
        ]);
        let wanted = [
            "enum rigview::G",
            "field rigview::a::S::..",
            "field rigview::a::S::x: u8",
            "fn rigview::a::S::new(x: u8, y: u8) -> Self",
            "fn rigview::a::f<T: Copy>(t: T)",
            "impl Clone for rigview::a::S",
            "impl Debug for rigview::a::S",
            "impl Default for rigview::a::S",
            "mod rigview::a",
            "struct rigview::a::S",
            "use rigview::glam as glam",
            "variant rigview::G::A",
            "variant rigview::G::B(u8)",
        ];
        assert_eq!(found, wanted);
    }
}
