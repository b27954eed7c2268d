//! Matches the morph targets of two meshes.

use crate::model::Model;

/// Returns, for each morph target of the rig's `node`, the one of the source's node `other` that it follows: by name if both
/// meshes name theirs, otherwise by index if their number is equal. `None` if none follows any.
///
/// Unless names must be equal, `blendShape1.JawOpen` and `jawOpen` are one name: exporters put a deformer in front, and differ
/// in case and separators.
pub(super) fn targets(
    rig: &Model,
    node: usize,
    source: &Model,
    other: usize,
    must_be_equal: bool,
) -> Option<Vec<Option<usize>>> {
    let (own, others) = (target_names(rig, node), target_names(source, other));
    let (count, other_count) = (rig.rest.weights(node).len(), source.rest.weights(other).len());
    if own.is_empty() || others.is_empty() {
        return (count == other_count && count > 0).then(|| (0..count).map(Some).collect());
    }
    let mut columns: Vec<_> = own.iter().map(|name| only(others, |other| other == name)).collect();
    if !must_be_equal {
        let plain: Vec<String> = others.iter().map(|name| plain(name)).collect();
        let taken: Vec<usize> = columns.iter().flatten().copied().collect();
        let left = columns.iter_mut().zip(own).filter(|(column, _)| column.is_none());
        for (column, name) in left {
            let wanted = self::plain(name);
            let same = own.iter().filter(|name| self::plain(name) == wanted).count();
            let found = only(&plain, |other| *other == wanted && !wanted.is_empty());
            *column = found.filter(|found| same == 1 && !taken.contains(found));
        }
    }
    columns.resize(count, None);
    columns.iter().any(Option::is_some).then_some(columns)
}

/// Returns the names of a node's morph targets; empty if none has one.
pub(super) fn target_names(model: &Model, node: usize) -> &[String] {
    let mesh = model.nodes[node].mesh.map(|mesh| &model.meshes[mesh]);
    let names = mesh.map_or(&[][..], |mesh| &mesh.target_names);
    if names.iter().all(String::is_empty) { &[] } else { names }
}

/// Returns the index of the first name that fits, none if it is empty.
fn only(names: &[String], fits: impl Fn(&String) -> bool) -> Option<usize> {
    names.iter().position(|name| !name.is_empty() && fits(name))
}

/// Returns what follows the last dot of a name, in lower case and without separators.
fn plain(name: &str) -> String {
    let own = name.rsplit('.').next().unwrap_or(name);
    own.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::{LocalPose, Transform};
    use crate::model::{Mesh, Node};

    fn face(names: &[&str], count: usize) -> Model {
        let mut model = Model::default();
        let target_names = names.iter().map(|name| (*name).to_owned()).collect();
        model.meshes.push(Mesh { target_names, ..Mesh::default() });
        model.nodes.push(Node { mesh: Some(0), ..Node::default() });
        model.rest = LocalPose::new(vec![Transform::IDENTITY], &[vec![0.0; count]]);
        model
    }

    #[test]
    fn targets_that_both_meshes_name_are_never_matched_by_index() {
        let matched = |own: &[&str], others: &[&str], must_be_equal| {
            let (own, others) = (face(own, own.len()), face(others, others.len()));
            targets(&own, 0, &others, 0, must_be_equal)
        };
        let source = ["jawOpen", "smile", "blink"];
        let other_case = ["Smile", "face.JawOpen", "brow_up"];
        assert_eq!(matched(&other_case, &source, false), Some(vec![Some(1), Some(0), None]));
        assert_eq!(matched(&other_case, &source, true), None);
        assert_eq!(matched(&["a", "b", "c"], &source, false), None);
        // Names that differ in case alone are told apart.
        let pairs = ["Smile", "smile", "SMILE"];
        assert_eq!(matched(&pairs, &source, false), Some(vec![None, Some(1), None]));
        // A name after several dots, and one that is nothing but separators.
        assert_eq!(
            matched(&["a.b.blink", "--", "__"], &source, false),
            Some(vec![Some(2), None, None])
        );
    }

    #[test]
    fn targets_without_names_follow_by_index_if_their_number_is_equal() {
        let source = face(&["jawOpen", "smile"], 2);
        let by_index = Some(vec![Some(0), Some(1)]);
        assert_eq!(targets(&face(&[], 2), 0, &source, 0, true), by_index);
        assert_eq!(targets(&face(&["", ""], 2), 0, &source, 0, false), by_index);
        assert_eq!(targets(&face(&[], 3), 0, &source, 0, false), None);
        assert_eq!(targets(&face(&[], 0), 0, &face(&[], 0), 0, false), None);
    }
}
