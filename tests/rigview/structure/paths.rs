//! What a file of Rust source names: paths from the crate's root or from an external crate, macros
//! and modules. `use` trees are flattened, `self` and `super` resolved, renamed imports followed.

use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// A resolved path: its first word is `crate` or an external crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub path: Vec<String>,
    /// Counted from 1.
    pub line: usize,
    pub place: Place,
}

/// Where a path stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Code,
    /// A `pub use`: the file hands the name on and does not need it itself.
    ReExport,
    /// Inside `#[cfg(test)]`.
    Test,
}

/// The names in one file.
#[derive(Clone, Debug, Default)]
pub struct Names {
    pub paths: Vec<Named>,
    /// The macros that are called, with their lines.
    pub macros: Vec<(usize, String)>,
    /// The modules that the file declares, by their full path; true for those of tests.
    pub modules: BTreeMap<Vec<String>, bool>,
    /// The names that `use` brings into the file, with the resolved paths they stand for.
    pub imports: BTreeMap<String, Vec<String>>,
    pub methods: Methods,
}

/// A type and a method of it.
pub type Method = (String, String);

/// The inherent methods in one file, outside of tests.
#[derive(Clone, Debug, Default)]
pub struct Methods {
    pub defined: BTreeSet<Method>,
    /// Those that another method of the same type calls by `self.name()` or `Self::name()`.
    pub called: BTreeSet<Method>,
}

/// Reads a file. `module` is the file's own module, from the crate's root; `crates` are the external crates
/// that a first word may mean, with underscores.
///
/// # Panics
/// If the source does not parse.
pub fn names(source: &str, module: &[&str], crates: &BTreeSet<String>) -> Names {
    let file = syn::parse_file(source).unwrap_or_else(|error| {
        panic!("{module:?}, line {}: {error}", error.span().start().line);
    });
    let module = module.iter().map(|&name| name.to_owned()).collect();
    let mut reader = Reader { module, ..Reader::default() };
    reader.visit_file(&file);
    let Reader { written, imports, modules, macros, methods, .. } = reader;
    let scope = Scope { imports, modules, crates };
    let paths = written.iter().filter_map(|path| {
        Some(Named { path: scope.resolve(path, 0)?, line: path.line, place: path.place })
    });
    let imports = scope
        .imports
        .iter()
        .filter_map(|(name, path)| Some((name.clone(), scope.resolve(path, 0)?)));
    let (paths, imports) = (paths.collect(), imports.collect());
    Names { paths, macros, imports, modules: scope.modules, methods }
}

/// A path as it is written, and the module it is written in.
#[derive(Clone, Debug)]
struct Written {
    words: Vec<String>,
    /// Begins with `::`.
    global: bool,
    module: Vec<String>,
    line: usize,
    place: Place,
}

/// Meanings of a path's first word in a file.
struct Scope<'a> {
    /// Name -> the path it was imported from, wherever in the file.
    imports: HashMap<String, Written>,
    modules: BTreeMap<Vec<String>, bool>,
    crates: &'a BTreeSet<String>,
}

impl Scope<'_> {
    /// Returns `None` for a name of the file's own or of the prelude.
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
        let own = [path.module.as_slice(), std::slice::from_ref(first)].concat();
        if self.modules.contains_key(&own) {
            return from_root(&own, rest);
        }
        self.crates.contains(first).then(|| path.words.clone())
    }
}

#[derive(Default)]
struct Reader {
    /// The module that is being read.
    module: Vec<String>,
    in_tests: bool,
    written: Vec<Written>,
    imports: HashMap<String, Written>,
    modules: BTreeMap<Vec<String>, bool>,
    macros: Vec<(usize, String)>,
    /// The type whose inherent methods are being read.
    of_type: Option<String>,
    methods: Methods,
}

impl Reader {
    /// Notes a method that is called on the type whose methods are being read.
    fn call(&mut self, method: &syn::Ident) {
        if let Some(of_type) = &self.of_type {
            self.methods.called.insert((of_type.clone(), method.to_string()));
        }
    }

    fn write(&mut self, words: Vec<String>, global: bool, line: usize) {
        let place = if self.in_tests { Place::Test } else { Place::Code };
        self.written.push(Written { words, global, module: self.module.clone(), line, place });
    }

    /// Adds the leaves of a tree below `words`.
    fn use_tree(&mut self, tree: &syn::UseTree, mut words: Vec<String>, top: &syn::ItemUse) {
        let line = tree.span().start().line;
        let name = match tree {
            syn::UseTree::Path(path) => {
                words.push(path.ident.to_string());
                return self.use_tree(&path.tree, words, top);
            }
            syn::UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.use_tree(tree, words.clone(), top));
            }
            syn::UseTree::Glob(_) => {
                words.push("*".to_owned());
                None
            }
            // `{self}` in a tree is the tree's own name.
            syn::UseTree::Name(name) if name.ident == "self" && !words.is_empty() => {
                words.last().cloned()
            }
            syn::UseTree::Name(name) => {
                words.push(name.ident.to_string());
                words.last().cloned()
            }
            syn::UseTree::Rename(renamed) => {
                if renamed.ident != "self" || words.is_empty() {
                    words.push(renamed.ident.to_string());
                }
                Some(renamed.rename.to_string())
            }
        };
        self.write(words, top.leading_colon.is_some(), line);
        let written = self.written.last_mut().expect("it was just added");
        if !self.in_tests && matches!(top.vis, syn::Visibility::Public(_)) {
            written.place = Place::ReExport;
        }
        self.imports.extend(name.map(|name| (name, written.clone())));
    }

    /// Adds the paths among the tokens of a macro, which have no syntax of their own.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut tokens = tokens.into_iter().peekable();
        let (mut words, mut line, mut colons) = (Vec::new(), 0, 0);
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Punct(sign) if sign.as_char() == ':' => colons += 1,
                TokenTree::Ident(word) => {
                    if colons != 2 {
                        self.path_in_macro(&mut words, line);
                        line = word.span().start().line;
                    }
                    words.push(word.to_string());
                    colons = 0;
                    let next = tokens.peek();
                    if matches!(next, Some(TokenTree::Punct(sign)) if sign.as_char() == '!') {
                        self.macros.push((line, word.to_string()));
                    }
                }
                other => {
                    self.path_in_macro(&mut words, line);
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.path_in_macro(&mut words, line);
    }

    /// Adds the words read so far; a single word is no path.
    fn path_in_macro(&mut self, words: &mut Vec<String>, line: usize) {
        let words = std::mem::take(words);
        if words.len() > 1 {
            self.write(words, false, line);
        }
    }

    /// Adds `path` up to `count` segments; a single word is no path.
    fn path(&mut self, path: &syn::Path, count: usize, global: bool) {
        let words = path.segments.iter().take(count).map(|segment| segment.ident.to_string());
        let words: Vec<_> = words.collect();
        if words.len() > 1 || global && !words.is_empty() {
            self.write(words, global, path.span().start().line);
        }
    }

    /// Adds `<T as a::B>::C` as `a::B`, and the types in it.
    fn qualified(&mut self, qself: &syn::QSelf, path: &syn::Path) {
        self.visit_type(&qself.ty);
        let global = path.leading_colon.is_some() && qself.position > 0;
        self.path(path, qself.position, global);
        path.segments.iter().for_each(|segment| self.visit_path_segment(segment));
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let tests = self.in_tests || item.attrs.iter().any(is_cfg_test);
        self.module.push(item.ident.to_string());
        self.modules.insert(self.module.clone(), tests);
        let before = std::mem::replace(&mut self.in_tests, tests);
        visit::visit_item_mod(self, item);
        self.in_tests = before;
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let before = self.in_tests;
        self.in_tests |= item.attrs.iter().any(is_cfg_test);
        self.use_tree(&item.tree, Vec::new(), item);
        self.in_tests = before;
    }

    fn visit_item_extern_crate(&mut self, item: &'ast syn::ItemExternCrate) {
        self.write(vec![item.ident.to_string()], true, item.span().start().line);
    }

    /// `pub(in crate::room)` says who may use an item; it imports nothing.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.path(path, path.segments.len(), path.leading_colon.is_some());
        visit::visit_path(self, path);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let of_type = match &*item.self_ty {
            syn::Type::Path(ty) if item.trait_.is_none() && !self.in_tests => {
                ty.path.segments.last().map(|segment| segment.ident.to_string())
            }
            _ => None,
        };
        if let Some(of_type) = &of_type {
            for member in &item.items {
                if let syn::ImplItem::Fn(method) = member {
                    self.methods.defined.insert((of_type.clone(), method.sig.ident.to_string()));
                }
            }
        }
        let before = std::mem::replace(&mut self.of_type, of_type);
        visit::visit_item_impl(self, item);
        self.of_type = before;
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if matches!(&*call.receiver, syn::Expr::Path(path) if path.path.is_ident("self")) {
            self.call(&call.method);
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_path(&mut self, expr: &'ast syn::ExprPath) {
        if let [of, method] = &expr.path.segments.iter().collect::<Vec<_>>()[..]
            && of.ident == "Self"
        {
            self.call(&method.ident);
        }
        match &expr.qself {
            Some(qself) => self.qualified(qself, &expr.path),
            None => visit::visit_expr_path(self, expr),
        }
    }

    fn visit_type_path(&mut self, ty: &'ast syn::TypePath) {
        match &ty.qself {
            Some(qself) => self.qualified(qself, &ty.path),
            None => visit::visit_type_path(self, ty),
        }
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let name = call.path.segments.last().map(|segment| segment.ident.to_string());
        self.macros.extend(name.map(|name| (call.span().start().line, name)));
        self.visit_path(&call.path);
        self.tokens(call.tokens.clone());
    }

    fn visit_meta_list(&mut self, meta: &'ast syn::MetaList) {
        self.visit_path(&meta.path);
        self.tokens(meta.tokens.clone());
    }
}

fn is_cfg_test(attribute: &syn::Attribute) -> bool {
    let syn::Meta::List(list) = &attribute.meta else { return false };
    list.path.is_ident("cfg")
        && list.tokens.to_string().split(|c: char| !c.is_alphanumeric()).any(|word| word == "test")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paths of a snippet of `src/ui/panel.rs`, joined again.
    fn shown(source: &str) -> Vec<String> {
        let crates = ["wgpu", "egui", "std", "image"].map(str::to_owned).into();
        let names = names(source, &["ui", "panel"], &crates);
        names.paths.iter().map(|named| named.path.join("::")).collect()
    }

    #[test]
    fn use_trees_are_flattened() {
        assert_eq!(
            shown("use crate::{render::{self, X as Y}, model::*};\nuse wgpu;"),
            ["crate::render", "crate::render::X", "crate::model::*", "wgpu"]
        );
    }

    #[test]
    fn lines_are_those_of_the_leaf() {
        let crates = BTreeSet::new();
        let source = "use crate::{\n  model::Model,\n  render::X,\n};";
        let lines = names(source, &["ui"], &crates).paths.into_iter().map(|named| named.line);
        assert_eq!(lines.collect::<Vec<_>>(), [2, 3]);
    }

    #[test]
    fn inline_paths_are_found_anywhere() {
        let source =
            "fn f(x: &crate::render::Gpu) -> ::wgpu::X { a::<wgpu::Y>::b(image::z!(wgpu::Z)) }";
        assert_eq!(
            shown(source),
            ["crate::render::Gpu", "wgpu::X", "wgpu::Y", "image::z", "wgpu::Z"]
        );
        assert_eq!(shown("#[arg(value = crate::cli::x)] struct S;"), ["crate::cli::x"]);
    }

    #[test]
    fn names_of_the_file_are_not_external() {
        let source = "fn f() { T::new(); Self::x(); <A as B>::wgpu::c; x.egui(); S { wgpu: 3 }; }";
        assert_eq!(shown(source), [""; 0]);
    }

    #[test]
    fn self_and_super_are_resolved() {
        assert_eq!(
            shown("use super::a; mod t { use super::super::b; use super::super::super::c; }"),
            ["crate::ui::a", "crate::ui::b", "crate::c"]
        );
        assert_eq!(shown("mod t { fn f() {} } use super::a;"), ["crate::ui::a"]);
    }

    #[test]
    fn renamed_imports_are_followed() {
        assert_eq!(
            shown("use crate as c; use c::render; type T = render::X;"),
            ["crate", "crate::render", "crate::render::X"]
        );
        assert_eq!(shown("use wgpu as w; type T = w::X;"), ["wgpu", "wgpu::X"]);
    }

    #[test]
    fn a_module_of_the_file_hides_a_crate_of_its_name() {
        assert_eq!(shown("mod image; use image::X;"), ["crate::ui::panel::image::X"]);
    }

    #[test]
    fn tests_and_re_exports_are_marked() {
        let source =
            "pub use crate::a::A; use crate::b::B; #[cfg(test)] mod t { use crate::c::C; }";
        let names = names(source, &["ui"], &BTreeSet::new());
        let places: Vec<_> = names.paths.iter().map(|named| named.place).collect();
        assert_eq!(places, [Place::ReExport, Place::Code, Place::Test]);
        assert_eq!(names.modules, BTreeMap::from([(vec!["ui".into(), "t".into()], true)]));
    }

    #[test]
    fn methods_are_found_with_those_that_they_call_on_their_own_type() {
        let source = "impl b::A { fn f(&self) { self.g(); Self::h(); self.x.i(); y.j() } } \
            impl T for A { fn k(&self) { self.l() } } \
            #[cfg(test)] mod t { impl A { fn m(&self) { self.n() } } }";
        let Methods { defined, called } = names(source, &["ui"], &BTreeSet::new()).methods;
        let of_a = |name: &str| ("A".to_owned(), name.to_owned());
        assert_eq!(defined, BTreeSet::from([of_a("f")]));
        assert_eq!(called, ["g", "h"].map(of_a).into());
    }

    #[test]
    fn macros_are_found_inside_macros() {
        let names = names("fn f() { a!(b!(1), x::c!()); }", &["ui"], &BTreeSet::new());
        let macros: Vec<_> = names.macros.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(macros, ["a", "b", "c"]);
    }
}
