//! Changes of a list of named entries: what was added, removed or renamed.

use crate::change::{Change, ChangeKind, Kind};
use crate::pairing::pairs::{Pairs, entry_name, given};

/// The names of a list's entries in both models.
pub(crate) struct Names {
    pub kind: Kind,
    pub names: [Vec<Option<String>>; 2],
}

/// Describes the difference of two names; `None` if there is none.
pub(crate) fn renaming(names: [&Option<String>; 2]) -> Option<String> {
    match names.map(given) {
        [before, after] if before == after => None,
        [None, Some(after)] => Some(format!("named \"{after}\"")),
        [Some(_), Some(after)] => Some(format!("renamed to \"{after}\"")),
        [_, None] => Some("without its name".to_owned()),
    }
}

/// Lists the changes of two lists. `what` returns the differences of a pair in words.
pub(crate) fn changes(
    names: &Names,
    pairs: &Pairs,
    what: impl Fn(usize, usize) -> Vec<String>,
) -> Vec<Change> {
    let used = [0, 1].map(|side: usize| vec![true; names.names[side].len()]);
    changes_of_used(names, used, pairs, what)
}

/// Lists the changes of two lists as [`changes`] does. Entries that are not `used` may be missing.
pub(crate) fn changes_of_used(
    names: &Names,
    used: [Vec<bool>; 2],
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
    let [of_a, of_b] = &names.names;
    let mut list = Vec::new();
    for (i, name) in of_a.iter().enumerate() {
        let own = entry_name(name, i);
        let Some(j) = pairs.b_of(i) else {
            if used[0][i] {
                list.push(change(own, ChangeKind::Removed, String::new()));
            }
            continue;
        };
        let is_copy = pairs.a_of(j) != Some(i);
        if is_copy && !used[0][i] {
            continue;
        }
        let mut said = what(i, j);
        let renamed = match (given(name), given(&of_b[j])) {
            (before, Some(after)) if is_copy && before != Some(after) => {
                Some(format!("merged with \"{after}\""))
            }
            _ => renaming([name, &of_b[j]]),
        };
        said.splice(0..0, renamed.clone());
        if !said.is_empty() {
            list.push(Change { renamed, ..change(own, ChangeKind::Changed, said.join("; ")) });
        }
    }
    for (j, name) in of_b.iter().enumerate() {
        let own = entry_name(name, j);
        match pairs.a_of(j) {
            None if used[1][j] => list.push(change(own, ChangeKind::Added, String::new())),
            Some(i) if used[1][j] && pairs.b_of(i) != Some(j) && given(name) != given(&of_a[i]) => {
                let what = format!("a copy of \"{}\"", entry_name(&of_a[i], i));
                let renamed = Some(what.clone());
                list.push(Change { renamed, ..change(own, ChangeKind::Changed, what) });
            }
            _ => {}
        }
    }
    list
}
