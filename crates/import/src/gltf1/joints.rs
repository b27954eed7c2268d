//! Finds joints by their names: skins of 1.0 name their joints, and a node names the skeletons they
//! are below.

use std::collections::HashMap;

use super::ids::Ids;
use crate::fault::ImportError;
use rigview_document::At;
use rigview_model::quoted;

/// Limit for the lookups of all skins together: a name is looked up below each skeleton.
const MOST_LOOKS: usize = 1 << 21;

/// The nodes that can be joints, by name.
pub(super) struct Joints<'a> {
    /// By node: when a depth-first walk enters it, and when it leaves its descendants.
    spans: Vec<(usize, usize)>,
    /// The nodes of each `jointName`, in the order of the walk.
    named: HashMap<&'a str, Vec<usize>>,
    looks: usize,
}

impl<'a> Joints<'a> {
    /// Collects the joints of a document.
    pub fn new(ids: &Ids<'a>) -> Result<Self, ImportError> {
        let nodes = ids.entries("nodes");
        let mut children = Vec::with_capacity(nodes.len());
        for (_, at) in nodes {
            children.push(ids.indices(at, "children", "nodes")?);
        }
        let spans = spans(&children);
        let mut named: HashMap<&str, Vec<usize>> = HashMap::new();
        for (i, (_, at)) in nodes.iter().enumerate() {
            if let Some(name) = at.text_at("jointName")? {
                named.entry(name).or_default().push(i);
            }
        }
        named.values_mut().for_each(|nodes| nodes.sort_by_key(|node| spans[*node].0));
        Ok(Self { spans, named, looks: 0 })
    }

    /// Finds the node of each name in a skin's `jointNames`: by `jointName` below the skeletons,
    /// then anywhere, then by id.
    pub fn of_skin(
        &mut self,
        skin: &At,
        skeletons: &[usize],
        ids: &Ids,
    ) -> Result<Vec<usize>, ImportError> {
        let mut joints = Vec::new();
        for at in skin.required("jointNames")?.items()? {
            self.looks += skeletons.len() + 1;
            if self.looks > MOST_LOOKS {
                return Err(at
                    .error("too many joints and skeletons: the lookup takes too long")
                    .into());
            }
            let name = at.text()?;
            let named = self.named.get(name).map_or(&[][..], Vec::as_slice);
            let below = |root: &usize| {
                let (start, end) = self.spans[*root];
                let first = named.partition_point(|node| self.spans[*node].0 < start);
                named.get(first).copied().filter(|node| self.spans[*node].0 < end)
            };
            let found = skeletons.iter().find_map(below).or_else(|| named.first().copied());
            let found = found.or_else(|| ids.number("nodes", name)).ok_or_else(|| {
                at.error(format!("no node has the jointName or id {}", quoted(name)))
            })?;
            joints.push(found);
        }
        Ok(joints)
    }
}

/// Returns when a depth-first walk enters each node and when it leaves its descendants. Nodes of a
/// cycle, which are not below a root, are never entered.
fn spans(children: &[Vec<usize>]) -> Vec<(usize, usize)> {
    const NEVER: (usize, usize) = (usize::MAX, usize::MAX);
    let mut is_root = vec![true; children.len()];
    children.iter().flatten().for_each(|child| is_root[*child] = false);
    let mut spans = vec![NEVER; children.len()];
    let mut clock = 0;
    // Nodes to enter, and those to leave.
    let mut path: Vec<(usize, bool)> = Vec::new();
    path.extend((0..children.len()).rev().filter(|node| is_root[*node]).map(|node| (node, false)));
    while let Some((node, leave)) = path.pop() {
        if leave {
            spans[node].1 = clock;
        } else if spans[node] == NEVER {
            spans[node].0 = clock;
            clock += 1;
            path.push((node, true));
            path.extend(children[node].iter().rev().map(|child| (*child, false)));
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_document::Document;
    use serde_json::json;

    #[test]
    fn a_name_that_two_skeletons_have_is_found_below_the_right_one() {
        let document = Document::new(json!({
            "nodes": {
                "b": {"children": ["b1"]}, "b1": {"jointName": "hand"},
                "a": {"children": ["a1"]}, "a1": {"jointName": "hand"},
                "loose": {}
            },
            "skins": {"s": {"jointNames": ["hand", "loose"]}, "t": {"jointNames": ["foot"]}}
        }))
        .unwrap();
        let ids = Ids::new(&document, false).unwrap();
        let mut joints = Joints::new(&ids).unwrap();
        let [(_, skin), (_, lost)] = ids.entries("skins") else { panic!() };
        assert_eq!(joints.of_skin(skin, &[0], &ids), Ok(vec![1, 4]));
        assert_eq!(joints.of_skin(skin, &[2], &ids), Ok(vec![3, 4]));
        assert_eq!(joints.of_skin(skin, &[3], &ids), Ok(vec![3, 4]));
        assert_eq!(joints.of_skin(skin, &[], &ids), Ok(vec![1, 4]));
        let error = joints.of_skin(lost, &[0], &ids).unwrap_err();
        assert_eq!(error.pointer(), "/skins/t/jointNames/0");
    }

    #[test]
    fn the_number_of_lookups_is_limited() {
        let names = vec!["hand"; 5_000];
        let document =
            Document::new(json!({"nodes": {"hand": {}}, "skins": {"s": {"jointNames": names}}}))
                .unwrap();
        let ids = Ids::new(&document, false).unwrap();
        let mut joints = Joints::new(&ids).unwrap();
        let skin = &ids.entries("skins")[0].1;
        assert!(joints.of_skin(skin, &vec![0; 5_000], &ids).is_err());
    }

    #[test]
    fn a_cycle_is_never_entered() {
        let spans = spans(&[vec![1], vec![], vec![3], vec![2]]);
        assert_eq!(spans[..2], [(0, 2), (1, 2)]);
        assert_eq!(spans[2].0, usize::MAX);
    }
}
