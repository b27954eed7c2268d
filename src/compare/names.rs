//! Changes of a list of named entries: what was added, removed or renamed.

use super::change::{Change, ChangeKind, Kind};
use super::pairs::{Pairs, entry_name, given};

/// The names of a list's entries in both models.
pub(super) struct Names<'a> {
    pub kind: Kind,
    pub a: Vec<&'a Option<String>>,
    pub b: Vec<&'a Option<String>>,
}

/// Lists the changes of two lists. `what` returns the differences of a pair in words.
pub(super) fn changes(
    names: &Names,
    pairs: &Pairs,
    what: impl Fn(usize, usize) -> Vec<String>,
) -> Vec<Change> {
    let change = |name: String, change, what| Change {
        kind: names.kind,
        name,
        change,
        what,
        renamed: None,
        distance: None,
    };
    let mut list = Vec::new();
    for (i, name) in names.a.iter().enumerate() {
        let own = entry_name(name, i);
        let Some(j) = pairs.b_of(i) else {
            list.push(change(own, ChangeKind::Removed, String::new()));
            continue;
        };
        let mut said = what(i, j);
        let renamed = match (given(name), given(names.b[j])) {
            (before, after) if before == after => None,
            (None, Some(after)) => Some(format!("named \"{after}\"")),
            (Some(_), Some(after)) => Some(format!("renamed to \"{after}\"")),
            (_, None) => Some("without its name".to_owned()),
        };
        said.splice(0..0, renamed.clone());
        if !said.is_empty() {
            list.push(Change { renamed, ..change(own, ChangeKind::Changed, said.join("; ")) });
        }
    }
    for j in pairs.left_in_b() {
        list.push(change(entry_name(names.b[j], j), ChangeKind::Added, String::new()));
    }
    list
}
