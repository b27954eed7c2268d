//! Finds parts of a file by the name or index that an argument gives.

use super::failure::Failure;
use crate::import::escaped;
use crate::report::plural;
use crate::session::named_or_numbered;

/// Names that an error message lists at most.
const LISTED: usize = 40;

/// Returns the index of the part with this name, or else with this number. `kind` is the noun for
/// messages.
///
/// # Errors
/// If there is no such part; the message lists those that exist.
pub fn index_of<'a>(
    kind: &str,
    wanted: &str,
    names: impl Iterator<Item = Option<&'a str>> + Clone,
) -> Result<usize, Failure> {
    named_or_numbered(names.clone(), wanted).ok_or_else(|| no_such(kind, wanted, names.enumerate()))
}

/// Returns the error for a part that does not exist, with a list of those that do.
pub fn no_such<'a>(
    kind: &str,
    wanted: &str,
    existing: impl Iterator<Item = (usize, Option<&'a str>)>,
) -> Failure {
    let mut existing = existing.peekable();
    let wanted = escaped(wanted);
    if existing.peek().is_none() {
        let kinds = plural(0, kind);
        return Failure::Usage(format!("no {kind} \"{wanted}\"; the file has no {kinds}"));
    }
    let quoted =
        |(i, name): (usize, Option<&str>)| format!("{i} \"{}\"", escaped(name.unwrap_or_default()));
    let mut list = existing.by_ref().take(LISTED).map(quoted).collect::<Vec<_>>().join(", ");
    if let more @ 1.. = existing.count() {
        list += &format!(" and {more} more");
    }
    Failure::Usage(format!("no {kind} \"{wanted}\"; the file has: {list}"))
}
