//! Pairs the morph targets of two meshes: by name, then by index.

use super::pairs::Pairs;
use rigview_model::{Mesh, Model};

/// Pairs the morph targets of each mesh of A and its partner.
pub(crate) fn target_pairs([a, b]: [&Model; 2], meshes: &Pairs) -> Vec<Pairs> {
    let of_mesh = |(i, x): (usize, &Mesh)| {
        let Some(y) = meshes.b_of(i).map(|j| &b.meshes[j]) else { return Pairs::default() };
        target_pairs_of([x, y])
    };
    a.meshes.iter().enumerate().map(of_mesh).collect()
}

/// Pairs the morph targets of two meshes.
pub(crate) fn target_pairs_of([x, y]: [&Mesh; 2]) -> Pairs {
    pairs_of_mesh([&x.target_names, &y.target_names], [x.target_count(), y.target_count()])
}

/// Pairs the morph targets of two meshes, given their names and numbers. A name pairs two targets if each mesh has it once;
/// those that are left are paired where their indices are equal, since files without names have nothing else.
fn pairs_of_mesh([names_a, names_b]: [&[String]; 2], [of_a, of_b]: [usize; 2]) -> Pairs {
    let mut pairs = Pairs::new(of_a, of_b);
    let name = |names: &[String], target: usize| {
        names.get(target).filter(|name| !name.is_empty()).cloned()
    };
    pairs.pair_unique(|i| name(names_a, i), |j| name(names_b, j));
    (0..of_a.min(of_b)).for_each(|target| pairs.pair(target, target));
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_before_indices() {
        let pairs = |a: &[&str], b: &[&str]| {
            let counts = [a.len(), b.len()];
            let [a, b] = [a, b].map(|names| names.iter().map(|name| (*name).to_owned()).collect());
            let (a, b): (Vec<String>, Vec<String>) = (a, b);
            pairs_of_mesh([&a, &b], counts).iter().collect::<Vec<_>>()
        };
        assert_eq!(pairs(&["smile", "blink"], &["blink", "smile"]), [(0, 1), (1, 0)]);
        assert_eq!(pairs(&["smile", "blink"], &["grin", "blink"]), [(0, 0), (1, 1)]);
        assert_eq!(pairs(&["smile", "blink"], &["new", "smile", "blink"]), [(0, 1), (1, 2)]);
        assert_eq!(pairs(&["", ""], &["", ""]), [(0, 0), (1, 1)]);
        assert_eq!(pairs(&["x", "x"], &["x", "x"]), [(0, 0), (1, 1)]);
    }
}
