//! The tree of a scene's nodes as a list of rows: those whose ancestors are all unfolded, or those that a search
//! finds with their ancestors. The list is made again only when something of it changes.

use super::icon::Icon;
use rigview_model::{Model, Node};
use rigview_session::{FileSource, LoadId, NodesByName};

/// A tree is unfolded at first as far as it has this number of rows.
const ROWS_AT_FIRST: usize = 40;

/// A row of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TreeRow {
    pub node: usize,
    /// The number of ancestors.
    pub depth: usize,
    /// Whether its children are shown; `None` without children.
    pub open: Option<bool>,
    /// Whether the search finds the node itself, and not only one below it.
    pub found: bool,
}

/// The tree's state between frames.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// The load and the scene that it is of.
    of: Option<(LoadId, usize)>,
    /// The file of that load, with the names of its nodes.
    file: Option<(FileSource, Vec<String>)>,
    /// The nodes that were in a tree of the file: what is folded of them is kept.
    known: Vec<bool>,
    roots: Vec<usize>,
    /// The children of node `i` are `children[ends[i - 1]..ends[i]]`.
    children: Vec<usize>,
    ends: Vec<usize>,
    pub icons: Vec<Icon>,
    open: Vec<bool>,
    search: String,
    /// A node that is shown although the search does not find it.
    also: Option<usize>,
    /// The name of each node in lower case; empty before the first search.
    names: Vec<String>,
    rows: Vec<TreeRow>,
    /// The number of rows that the search finds.
    found: usize,
    /// The row of each node, if it is shown.
    row_of: Vec<Option<usize>>,
}

impl Tree {
    /// Makes the tree that of a scene of a file, if it is not. What was folded and unfolded stays so in another version of
    /// the file, and in another scene of it. Returns whether it was another tree.
    pub fn show_scene(
        &mut self,
        model: &Model,
        source: &FileSource,
        load: LoadId,
        scene: usize,
    ) -> bool {
        if self.of == Some((load, scene)) {
            return false;
        }
        let before = std::mem::take(self);
        self.of = Some((load, scene));
        let name = |node: &Node| node.name.clone().unwrap_or_default();
        self.file = Some((source.clone(), model.nodes.iter().map(name).collect()));
        self.search = before.search;
        self.roots = model.scenes[scene].roots.clone();
        self.open = vec![false; model.nodes.len()];
        self.icons = icons(model);
        self.link(model);
        self.open_first();
        self.known = vec![false; model.nodes.len()];
        if let Some((_, names)) = before.file.filter(|(earlier, _)| earlier == source) {
            self.carry_over(model, &names, &before.open, &before.known);
        }
        let mut next = self.roots.clone();
        while let Some(node) = next.pop() {
            self.known[node] = true;
            next.extend_from_slice(self.children(node));
        }
        self.list(model);
        true
    }

    /// Folds and unfolds the nodes that an earlier version of the file had as they were.
    fn carry_over(&mut self, model: &Model, names: &[String], open: &[bool], known: &[bool]) {
        let by_name = NodesByName::new(model);
        for (index, name) in names.iter().enumerate().filter(|(index, _)| known[*index]) {
            if let Some(again) = by_name.find(index, name) {
                (self.open[again], self.known[again]) = (open[index], true);
            }
        }
    }

    /// The rows, from top to bottom.
    pub fn rows(&self) -> &[TreeRow] {
        &self.rows
    }

    /// The row of a node, if it is shown.
    pub fn row_of(&self, node: usize) -> Option<usize> {
        self.row_of.get(node).copied().flatten()
    }

    /// The number of nodes that the search finds.
    pub fn match_count(&self) -> usize {
        self.found
    }

    /// The first node that the search finds.
    pub fn first_found(&self) -> Option<usize> {
        self.rows.iter().find(|row| row.found).map(|row| row.node)
    }

    /// Folds or unfolds a node.
    pub fn set_open(&mut self, model: &Model, node: usize, open: bool) {
        if self.open.get(node).is_some_and(|before| *before != open) {
            self.open[node] = open;
            self.list(model);
        }
    }

    /// Unfolds all ancestors of a node. Shows it until the search changes if the search does not find it.
    pub fn reveal(&mut self, model: &Model, node: usize) {
        let mut changed = false;
        for ancestor in model.hierarchy.ancestors(node) {
            changed |= !std::mem::replace(&mut self.open[ancestor], true);
        }
        if changed {
            self.list(model);
        }
        if self.row_of(node).is_none() {
            self.also = Some(node);
            self.list(model);
        }
    }

    /// Searches for nodes whose names have all words of a text. An empty text finds all nodes. Returns whether it is
    /// another text.
    pub fn set_search(&mut self, model: &Model, text: &str) -> bool {
        let changed = self.search != text;
        if changed {
            text.clone_into(&mut self.search);
            self.also = None;
            self.list(model);
        }
        changed
    }

    /// Stores the children of each node.
    fn link(&mut self, model: &Model) {
        let count = model.nodes.len();
        let mut ends = vec![0; count + 1];
        let parents = || (0..count).filter_map(|node| Some((node, model.hierarchy.parent(node)?)));
        parents().for_each(|(_, parent)| ends[parent + 1] += 1);
        for i in 0..count {
            ends[i + 1] += ends[i];
        }
        let mut next = ends.clone();
        self.children = vec![0; ends[count]];
        for (node, parent) in parents() {
            self.children[next[parent]] = node;
            next[parent] += 1;
        }
        self.ends = ends;
    }

    fn children(&self, node: usize) -> &[usize] {
        &self.children[self.ends[node]..self.ends[node + 1]]
    }

    /// Unfolds the first levels, as long as there are few rows.
    fn open_first(&mut self) {
        let mut level = self.roots.clone();
        let mut rows = level.len();
        while !level.is_empty() {
            let below: Vec<usize> =
                level.iter().flat_map(|node| self.children(*node)).copied().collect();
            rows += below.len();
            if rows > ROWS_AT_FIRST {
                return;
            }
            level.iter().for_each(|node| self.open[*node] = true);
            level = below;
        }
    }

    /// Makes the list of rows.
    fn list(&mut self, model: &Model) {
        let words: Vec<String> = self.search.split_whitespace().map(str::to_lowercase).collect();
        let (shown, found) = if words.is_empty() {
            (None, Vec::new())
        } else {
            if self.names.is_empty() {
                self.names = lower_case_names(model);
            }
            let has_all = |name: &String| words.iter().all(|word| name.contains(word.as_str()));
            let found = self.names.iter().map(has_all).collect::<Vec<bool>>();
            let mut shown = found.clone();
            self.also.into_iter().for_each(|node| shown[node] = true);
            (Some(model.hierarchy.with_ancestors(shown)), found)
        };
        let mut rows = std::mem::take(&mut self.rows);
        rows.clear();
        let is_shown = |node: &usize| shown.as_ref().is_none_or(|shown| shown[*node]);
        let mut next: Vec<(usize, usize)> =
            self.roots.iter().rev().map(|root| (*root, 0)).collect();
        while let Some((node, depth)) = next.pop() {
            if !is_shown(&node) {
                continue;
            }
            let children = self.children(node);
            // A search unfolds what leads to a found node.
            let open = match &shown {
                None => self.open[node],
                Some(shown) => children.iter().any(|child| shown[*child]),
            };
            let found = found.get(node).is_some_and(|found| *found);
            rows.push(TreeRow { node, depth, open: (!children.is_empty()).then_some(open), found });
            if open {
                next.extend(children.iter().rev().map(|child| (*child, depth + 1)));
            }
        }
        self.row_of.clear();
        self.row_of.resize(model.nodes.len(), None);
        rows.iter().enumerate().for_each(|(i, row)| self.row_of[row.node] = Some(i));
        self.found = rows.iter().filter(|row| row.found).count();
        self.rows = rows;
    }
}

/// Returns the name of each node as the search compares it.
fn lower_case_names(model: &Model) -> Vec<String> {
    let lower = |(i, node): (usize, &Node)| match node.name.as_deref() {
        Some(name) => name.to_lowercase(),
        None => format!("node {i}"),
    };
    let mut names: Vec<String> = model.nodes.iter().enumerate().map(lower).collect();
    // A joint is found by its bone, too.
    for (bone, node) in model.vrm.iter().flat_map(|vrm| &vrm.bones) {
        names[*node] += &format!(" {bone}").to_lowercase();
    }
    names
}

/// Returns the sign of each node: of what it carries, or that it is a joint.
fn icons(model: &Model) -> Vec<Icon> {
    let icon = |node: &Node| match (node.mesh, node.skin, node.camera, node.light) {
        (Some(_), Some(_), ..) => Icon::Skin,
        (Some(_), ..) => Icon::Mesh,
        (_, _, Some(_), _) => Icon::Camera,
        (_, _, _, Some(_)) => Icon::Light,
        _ => Icon::Empty,
    };
    let mut icons: Vec<Icon> = model.nodes.iter().map(icon).collect();
    for joint in model.skins.iter().flat_map(|skin| &skin.joints) {
        let icon = &mut icons[*joint as usize];
        if *icon == Icon::Empty {
            *icon = Icon::Joint;
        }
    }
    icons
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_anim::Hierarchy;
    use rigview_model::Scene;

    /// Returns a model: 0 Root { 2 Left { 4 Left hand }, 3 Right }, and 1 Other, by the parents of the nodes.
    fn model() -> Model {
        let named = |name: &str| Node { name: Some(name.into()), ..Node::default() };
        Model {
            nodes: ["Root", "Other", "Left", "Right", "Left hand"].map(named).into(),
            hierarchy: Hierarchy::new(vec![None, None, Some(0), Some(0), Some(2)], vec![]).unwrap(),
            scenes: vec![Scene { name: None, roots: vec![0, 1] }],
            ..Model::default()
        }
    }

    fn file(name: &str) -> FileSource {
        FileSource::Path(name.into())
    }

    fn tree() -> Tree {
        let mut tree = Tree::default();
        let show = |tree: &mut Tree| tree.show_scene(&model(), &file("a.glb"), LoadId(1), 0);
        assert!(show(&mut tree) && !show(&mut tree));
        tree
    }

    #[test]
    fn another_version_of_the_file_stays_folded_and_another_file_does_not() {
        let mut tree = tree();
        tree.set_open(&model(), 2, false);
        // The first two nodes have changed places, and there is a new one.
        let named = |name: &str| Node { name: Some(name.into()), ..Node::default() };
        let parents = vec![None, None, Some(1), Some(1), Some(2), Some(3)];
        let names = ["Other", "Root", "Left", "Right", "Left hand", "Right hand"];
        let scene = |roots: Vec<usize>| Scene { name: None, roots };
        let later = Model {
            nodes: names.map(named).into(),
            hierarchy: Hierarchy::new(parents, vec![]).unwrap(),
            scenes: vec![scene(vec![0, 1]), scene(vec![1])],
            ..Model::default()
        };
        assert!(tree.show_scene(&later, &file("a.glb"), LoadId(2), 0));
        assert_eq!(shown(&tree), [(0, 0), (1, 0), (2, 1), (3, 1), (5, 2)]);
        assert!(tree.show_scene(&later, &file("b.glb"), LoadId(3), 0));
        assert_eq!(shown(&tree), [(0, 0), (1, 0), (2, 1), (4, 2), (3, 1), (5, 2)]);
        // Nodes of a scene that was never shown are unfolded as at first; of the others, it stays as it was.
        let mut one = Tree::default();
        let other = Model { scenes: vec![scene(vec![0]), scene(vec![1])], ..later.clone() };
        one.show_scene(&other, &file("c.glb"), LoadId(4), 0);
        one.show_scene(&other, &file("c.glb"), LoadId(4), 1);
        assert_eq!(shown(&one), [(1, 0), (2, 1), (4, 2), (3, 1), (5, 2)]);
    }

    fn shown(tree: &Tree) -> Vec<(usize, usize)> {
        tree.rows().iter().map(|row| (row.node, row.depth)).collect()
    }

    #[test]
    fn folded_nodes_hide_what_is_below_them() {
        let mut tree = tree();
        assert_eq!(shown(&tree), [(0, 0), (2, 1), (4, 2), (3, 1), (1, 0)]);
        tree.set_open(&model(), 2, false);
        assert_eq!(shown(&tree), [(0, 0), (2, 1), (3, 1), (1, 0)]);
        assert_eq!(tree.rows()[1].open, Some(false));
        assert_eq!((tree.rows()[2].open, tree.row_of(4)), (None, None));
        tree.reveal(&model(), 4);
        assert_eq!(tree.row_of(4), Some(2));
    }

    #[test]
    fn a_search_shows_what_it_finds_under_its_ancestors() {
        let mut tree = tree();
        tree.set_open(&model(), 0, false);
        tree.set_search(&model(), "HAND left");
        assert_eq!(shown(&tree), [(0, 0), (2, 1), (4, 2)]);
        assert_eq!((tree.match_count(), tree.first_found()), (1, Some(4)));
        tree.set_search(&model(), "no such");
        assert!(tree.rows().is_empty());
        tree.set_search(&model(), " ");
        assert_eq!(shown(&tree), [(0, 0), (1, 0)], "what was folded is folded again");
    }

    #[test]
    fn a_large_tree_is_folded_at_first() {
        let parents = (0..50_000).map(|i: u32| i.checked_sub(1).map(|i| i / 10)).collect();
        let model = Model {
            nodes: vec![Node::default(); 50_000],
            hierarchy: Hierarchy::new(parents, vec![]).unwrap(),
            scenes: vec![Scene { name: None, roots: vec![0] }],
            ..Model::default()
        };
        let mut tree = Tree::default();
        tree.show_scene(&model, &file("a.glb"), LoadId(1), 0);
        assert!((11..=ROWS_AT_FIRST).contains(&tree.rows().len()), "{}", tree.rows().len());
        tree.reveal(&model, 49_999);
        assert!(tree.row_of(49_999).is_some());
    }
}
