//! Finds parts of a file by the name or index that an argument gives.

use super::failure::{Failure, Result};
use rigview_import::escaped;
use rigview_report::plural;
use rigview_session::named_or_numbered;

pub const LISTED: usize = 40;

/// Similar names that an error message lists at most. A file with so few parts is listed only once.
const NEAR: usize = 5;

/// Returns the index of the part with this name, or else with this number. `kind` is the noun for
/// messages.
pub fn index_of<'a>(
    kind: &str,
    wanted: &str,
    names: impl Iterator<Item = Option<&'a str>> + Clone,
) -> Result<usize> {
    named_or_numbered(names.clone(), wanted).ok_or_else(|| no_such(kind, wanted, names.enumerate()))
}

/// Returns the error for a part that does not exist, with those that have a similar name and a list of all.
pub fn no_such<'a>(
    kind: &str,
    wanted: &str,
    existing: impl Iterator<Item = (usize, Option<&'a str>)>,
) -> Failure {
    let existing: Vec<(usize, &str)> =
        existing.map(|(i, name)| (i, name.unwrap_or_default())).collect();
    let shown = escaped(wanted);
    if existing.is_empty() {
        let kinds = plural(0, kind);
        return Failure::Usage(format!("no {kind} \"{shown}\"; the file has no {kinds}"));
    }
    let quoted = |(i, name): &(usize, &str)| format!("{i} \"{}\"", escaped(name));
    let list = first_of(&existing, LISTED, quoted);
    let near = similar(wanted, &existing);
    let near = if near.is_empty() || existing.len() <= NEAR {
        String::new()
    } else {
        format!("did you mean {}? ", first_of(&near, NEAR, quoted))
    };
    Failure::Usage(format!("no {kind} \"{shown}\"; {near}the file has: {list}"))
}

/// Lists the first few of several things: `a, b and 3 more`.
pub fn first_of<T>(all: &[T], most: usize, name: impl Fn(&T) -> String) -> String {
    let mut list = all.iter().take(most).map(name).collect::<Vec<_>>().join(", ");
    if let more @ 1.. = all.len().saturating_sub(most) {
        list += &format!(" and {more} more");
    }
    list
}

/// Returns the parts whose names contain the wanted one or resemble it, the most similar first.
fn similar<'a>(wanted: &str, existing: &[(usize, &'a str)]) -> Vec<(usize, &'a str)> {
    const ALIKE: f64 = 0.85;
    let wanted = wanted.to_lowercase();
    let likeness = |(_, name): &&(usize, &str)| {
        let name = name.to_lowercase();
        let contains = !wanted.is_empty() && name.contains(&wanted);
        strsim::jaro_winkler(&wanted, &name) + if contains { 1.0 } else { 0.0 }
    };
    let mut near: Vec<_> =
        existing.iter().map(|part| (likeness(&part), *part)).filter(|(x, _)| *x >= ALIKE).collect();
    near.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    near.truncate(NEAR);
    near.into_iter().map(|(_, part)| part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_names_stand_before_the_list_of_all() {
        let names =
            ["root", "b_Hip_01", "b_Neck_04", "b_Head_05", "b_Tail01_012", "b_Tail02_013", "eye"];
        let said = |wanted: &str| {
            let all = names.iter().map(|name| Some(*name)).enumerate();
            no_such("node", wanted, all).to_string()
        };
        let tail = "no node \"tail\"; did you mean 4 \"b_Tail01_012\", 5 \"b_Tail02_013\"? the file has: 0 \"root\"";
        assert!(said("tail").starts_with(tail), "{}", said("tail"));
        assert!(
            said("b_Neck_40").contains("did you mean 2 \"b_Neck_04\""),
            "{}",
            said("b_Neck_40")
        );
        assert!(said("wing").starts_with("no node \"wing\"; the file has: 0 \"root\", 1 "));
    }
}
