//! Numbers that are joined to sets, to find out which belong together.

/// Sets of the numbers below a limit, each at first in a set of its own.
pub struct DisjointSets {
    /// By number, another one of its set; that of a root is the number itself.
    parents: Vec<u32>,
    /// The numbers of members, of roots only.
    sizes: Vec<u32>,
}

impl DisjointSets {
    /// Returns `len` sets of one member each.
    pub fn new(len: usize) -> Self {
        Self { parents: (0..len as u32).collect(), sizes: vec![1; len] }
    }

    /// Joins the sets of two numbers. The smaller one goes below the root of the larger one, so that no path is longer than the
    /// logarithm of the size.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            let (root, child) = if self.sizes[a] < self.sizes[b] { (b, a) } else { (a, b) };
            self.parents[child] = root as u32;
            self.sizes[root] += self.sizes[child];
        }
    }

    /// Returns the number that stands for the set of a number.
    pub fn root(&self, mut number: usize) -> usize {
        while self.parents[number] as usize != number {
            number = self.parents[number] as usize;
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_numbers_have_one_root_on_a_short_path() {
        let mut sets = DisjointSets::new(1001);
        // Each join puts what is known below a new number.
        (0..1000).rev().filter(|i| *i != 500).for_each(|i| sets.join(i, i + 1));
        let depth = |mut i: usize| {
            let mut depth = 0;
            while sets.parents[i] as usize != i {
                (i, depth) = (sets.parents[i] as usize, depth + 1);
            }
            depth
        };
        assert!((0..1001).map(depth).max() <= Some(10));
        let roots = [0, 500, 501, 1000].map(|i| sets.root(i));
        assert!(roots[0] == roots[1] && roots[2] == roots[3] && roots[0] != roots[3]);
    }
}
