//! Counts in words, for panels and printed reports.

/// Returns the count with its noun: `1 joint`, `2 joints`.
pub fn counted(n: usize, noun: &str) -> String {
    format!("{n} {}", plural(n, noun))
}

/// Returns the noun for `n` things: `joint`, `joints`, `vertices`.
pub fn plural(n: usize, noun: &str) -> String {
    match (n, noun) {
        (1, _) => noun.to_owned(),
        (_, "mesh") => "meshes".to_owned(),
        (_, "vertex") => "vertices".to_owned(),
        _ => format!("{noun}s"),
    }
}
