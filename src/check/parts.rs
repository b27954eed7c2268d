//! Parts that belong together because they are linked, or lie at each other.

/// Maximum number of parts that may hang on the first ones, since each is compared with those.
const MOST: usize = 4096;

/// Returns the first parts and those of the others that hang on one of them, directly or by others between them.
pub(super) fn hanging_together<T>(
    first: Vec<T>,
    mut others: Vec<T>,
    hangs: impl Fn(&T, &T) -> bool,
) -> Vec<T> {
    let (mut all, mut newest) = (Vec::new(), first);
    others.truncate(MOST);
    while !newest.is_empty() {
        let (found, left) =
            others.into_iter().partition(|other| newest.iter().any(|known| hangs(known, other)));
        all.append(&mut newest);
        (newest, others) = (found, left);
    }
    all
}

/// Returns the root of an item in a disjoint set, and shortens the way to it. `links` maps each item to its parent, and a root to
/// itself.
pub(super) fn first_of_set(links: &mut [usize], mut item: usize) -> usize {
    while links[item] != item {
        links[item] = links[links[item]];
        item = links[item];
    }
    item
}
