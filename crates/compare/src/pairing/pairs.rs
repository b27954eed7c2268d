//! Pairs of entries of two lists.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::Hash;

/// Pairs of the entries of two lists. Each entry is in at most one pair; a copy of a paired entry may have the same partner
/// without being that one's.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Pairs {
    /// By list and entry, the partner in the other list.
    partners: [Vec<Option<usize>>; 2],
    /// By list and entry, the first entry of that list which is the same.
    firsts: [Vec<usize>; 2],
}

/// A pair with all copies of both: the first entry of each list which is the same. An entry without a partner has `None` for the
/// other list.
pub(crate) type Class = [Option<usize>; 2];

impl Pairs {
    /// Returns no pairs, for lists of these lengths.
    pub fn new(a: usize, b: usize) -> Self {
        let firsts = [(0..a).collect(), (0..b).collect()];
        Self { partners: [vec![None; a], vec![None; b]], firsts }
    }

    /// Returns the partner in the second list of an entry of the first one; `None` if there is no such entry.
    pub fn b_of(&self, a: usize) -> Option<usize> {
        self.partner(0, a)
    }

    /// Returns the partner in the first list of an entry of the second one; `None` if there is no such entry.
    pub fn a_of(&self, b: usize) -> Option<usize> {
        self.partner(1, b)
    }

    /// Returns the partner in the other list of an entry of list `side`; `None` if there is no such entry.
    pub fn partner(&self, side: usize, entry: usize) -> Option<usize> {
        self.partners[side].get(entry).copied().flatten()
    }

    /// Whether two optional entries are a pair, or copies of one, or both are absent.
    pub fn agree(&self, a: Option<usize>, b: Option<usize>) -> bool {
        a.map(|a| self.class(0, a)) == b.map(|b| self.class(1, b))
    }

    /// Returns what an entry of list `side` has in common with its partner, and with the copies of both. Copies that have
    /// other partners differ, because only one of them may have changed.
    pub fn class(&self, side: usize, entry: usize) -> Class {
        let other = 1 - side;
        let first = self.firsts[side][entry];
        let partner = self.partner(side, entry).or_else(|| self.partner(side, first));
        // A copy counts as the entry that its partner belongs to.
        let own = partner.and_then(|partner| self.partner(other, partner)).unwrap_or(entry);
        let mut class = [Some(self.firsts[side][own]), partner.map(|of| self.firsts[other][of])];
        if side == 1 {
            class.reverse();
        }
        class
    }

    /// Pairs two entries, unless one of them has a partner.
    pub fn pair(&mut self, a: usize, b: usize) {
        if self.are_free([a, b]) {
            self.partners[0][a] = Some(b);
            self.partners[1][b] = Some(a);
        }
    }

    fn are_free(&self, [a, b]: [usize; 2]) -> bool {
        self.partners[0][a].is_none() && self.partners[1][b].is_none()
    }

    /// Has entries of one list that are the same count as one, given the first such entry of each. One without a partner gets that
    /// of an entry which is the same.
    pub fn join(&mut self, firsts: [Vec<usize>; 2]) {
        for (partners, firsts) in self.partners.iter_mut().zip(&firsts) {
            let known =
                firsts.iter().zip(&*partners).filter_map(|(first, of)| Some((*first, (*of)?)));
            // Of several, the first one.
            let known: HashMap<usize, usize> =
                known.collect::<Vec<_>>().into_iter().rev().collect();
            for (partner, first) in partners.iter_mut().zip(firsts) {
                *partner = partner.or_else(|| known.get(first).copied());
            }
        }
        self.firsts = firsts;
    }

    /// Returns all pairs in the order of the first list.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> {
        self.partners[0].iter().enumerate().filter_map(|(a, b)| Some((a, (*b)?)))
    }

    /// Returns the entries of the first list without a partner.
    pub fn left_in_a(&self) -> Vec<usize> {
        left(&self.partners[0])
    }

    /// Returns the entries of the second list without a partner.
    pub fn left_in_b(&self) -> Vec<usize> {
        left(&self.partners[1])
    }

    /// Pairs the entries without a partner whose key occurs once in either list. Entries with the key `None`
    /// stay alone.
    pub fn pair_unique<K: Eq + Hash>(
        &mut self,
        key_a: impl Fn(usize) -> Option<K>,
        key_b: impl Fn(usize) -> Option<K>,
    ) {
        for (in_a, in_b) in self.groups(key_a, key_b) {
            if let ([a], [b]) = (&in_a[..], &in_b[..]) {
                self.pair(*a, *b);
            }
        }
    }

    /// Pairs the entries without a partner that are used in the same places, those with most of these first. `may_pair` says
    /// which may be a pair.
    pub fn pair_by_use(
        &mut self,
        uses: impl IntoIterator<Item = [usize; 2]>,
        may_pair: impl Fn(usize, usize) -> bool,
    ) {
        let mut counts: HashMap<[usize; 2], usize> = HashMap::new();
        for [a, b] in uses {
            if self.are_free([a, b]) && may_pair(a, b) {
                *counts.entry([a, b]).or_default() += 1;
            }
        }
        let mut counts: Vec<([usize; 2], usize)> = counts.into_iter().collect();
        counts.sort_unstable_by_key(|(pair, count)| (Reverse(*count), *pair));
        counts.into_iter().for_each(|([a, b], _)| self.pair(a, b));
    }

    /// Pairs the entries without a partner that have equal keys, in their order.
    pub fn pair_in_order<K: Eq + Hash>(
        &mut self,
        key_a: impl Fn(usize) -> Option<K>,
        key_b: impl Fn(usize) -> Option<K>,
    ) {
        for (in_a, in_b) in self.groups(key_a, key_b) {
            in_a.into_iter().zip(in_b).for_each(|(a, b)| self.pair(a, b));
        }
    }

    /// Returns the entries of both lists that have equal keys and no partner.
    fn groups<K: Eq + Hash>(
        &self,
        key_a: impl Fn(usize) -> Option<K>,
        key_b: impl Fn(usize) -> Option<K>,
    ) -> Vec<(Vec<usize>, Vec<usize>)> {
        let mut groups: HashMap<K, (Vec<usize>, Vec<usize>)> = HashMap::new();
        for a in self.left_in_a() {
            if let Some(key) = key_a(a) {
                groups.entry(key).or_default().0.push(a);
            }
        }
        for b in self.left_in_b() {
            if let Some(group) = key_b(b).and_then(|key| groups.get_mut(&key)) {
                group.1.push(b);
            }
        }
        groups.into_values().collect()
    }
}

fn left(partners: &[Option<usize>]) -> Vec<usize> {
    (0..partners.len()).filter(|i| partners[*i].is_none()).collect()
}

/// Returns a name unless it is empty.
pub(crate) fn given(name: &Option<String>) -> Option<&str> {
    name.as_deref().filter(|name| !name.is_empty())
}

/// Returns a name, or the entry's index after `#` if it has none.
pub(crate) fn entry_name(name: &Option<String>, index: usize) -> String {
    given(name).map_or_else(|| format!("#{index}"), str::to_owned)
}

/// Returns, by entry of a list, the first one with an equal key.
pub(crate) fn firsts<K: Eq + Hash>(keys: impl IntoIterator<Item = K>) -> Vec<usize> {
    let mut known = HashMap::new();
    keys.into_iter().enumerate().map(|(i, key)| *known.entry(key).or_insert(i)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unique_keys_first_then_in_order() {
        let (a, b) = (["x", "y", "y", ""], ["y", "x", "y", ""]);
        let key =
            |list: [&'static str; 4]| move |i: usize| Some(list[i]).filter(|name| !name.is_empty());
        let mut pairs = Pairs::new(4, 4);
        pairs.pair_unique(key(a), key(b));
        assert_eq!(pairs.iter().collect::<Vec<_>>(), [(0, 1)]);
        pairs.pair_in_order(key(a), key(b));
        assert_eq!(pairs.iter().collect::<Vec<_>>(), [(0, 1), (1, 0), (2, 2)]);
        assert_eq!((pairs.left_in_a(), pairs.left_in_b()), (vec![3], vec![3]));
        assert!(pairs.agree(Some(2), Some(2)) && !pairs.agree(Some(2), None));
    }

    #[test]
    fn what_is_the_same_has_one_partner() {
        let mut pairs = Pairs::new(2, 4);
        pairs.pair(0, 1);
        pairs.pair(1, 3);
        pairs.join([vec![0, 1], vec![0, 0, 2, 3]]);
        let partners: Vec<_> = (0..4).map(|b| pairs.a_of(b)).collect();
        assert_eq!(partners, [Some(0), Some(0), None, Some(1)]);
        assert!(pairs.agree(Some(0), Some(0)) && pairs.agree(Some(0), Some(1)));
        assert!(!pairs.agree(Some(0), Some(2)) && !pairs.agree(Some(1), Some(0)));
    }

    /// Two entries of one list are the same, and only the partner of the second one has changed.
    #[test]
    fn a_copy_of_one_that_changed_agrees_with_its_own_partner_only() {
        for is_reversed in [false, true] {
            let mut pairs = Pairs::new(2, 2);
            (0..2).for_each(|i| pairs.pair(i, i));
            let mut firsts = [vec![0, 0], vec![0, 1]];
            if is_reversed {
                firsts.reverse();
            }
            pairs.join(firsts);
            for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                assert_eq!(pairs.agree(Some(i), Some(j)), i == j, "{i} and {j}");
            }
        }
    }
}
