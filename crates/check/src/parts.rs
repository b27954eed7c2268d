//! Parts that belong together because they lie at each other.

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
