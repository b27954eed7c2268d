//! Differences of the copies in which a node draws its mesh (EXT_mesh_gpu_instancing), whose order means nothing.

use glam::{Affine3A, Vec3};

use crate::compare::pairing::grid::Grid;

/// Differences of a matrix's numbers up to this one are rounding.
const ROUNDING: f32 = 1e-4;

/// Describes how the instances of two nodes differ; `None` if they do not.
pub(in crate::compare) fn instance_change([of_a, of_b]: [&[Affine3A]; 2]) -> Option<String> {
    if of_a.len() != of_b.len() {
        return Some(format!("instances {} -> {}", of_a.len(), of_b.len()));
    }
    let moved = count_moved(of_a, of_b);
    (moved > 0).then(|| format!("{moved} of {} instances moved", of_a.len()))
}

/// Returns the number of instances of A without one of B that is the same. Both lists have one length.
fn count_moved(of_a: &[Affine3A], of_b: &[Affine3A]) -> usize {
    let is_same = |x: &Affine3A, y: &Affine3A| x.abs_diff_eq(*y, ROUNDING);
    // Most files keep the order.
    let moved = of_a.iter().zip(of_b).enumerate().filter(|(_, (x, y))| !is_same(x, y));
    let moved: Vec<usize> = moved.map(|(i, _)| i).collect();
    let places: Vec<Vec3> = moved.iter().map(|i| of_b[*i].translation.into()).collect();
    // Numbers that differ by the rounding along each axis are less than twice that apart.
    let grid = Grid::new(&places, 2.0 * ROUNDING);
    let mut taken = vec![false; moved.len()];
    let mut alone = 0;
    for i in &moved {
        let near = grid.near(&places, of_a[*i].translation.into()).into_iter();
        let mut free = near.map(|(at, _)| at as usize).filter(|at| !taken[*at]);
        match free.find(|at| is_same(&of_a[*i], &of_b[moved[*at]])) {
            Some(at) => taken[at] = true,
            None => alone += 1,
        }
    }
    alone
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_instances_is_no_difference() {
        let at = |x: f32| Affine3A::from_translation(Vec3::X * x);
        let turned = Affine3A::from_rotation_z(1.0);
        let a = [at(0.0), turned, at(1.0), at(0.0)];
        assert_eq!(instance_change([&a, &[at(1.00001), at(0.0), at(0.0), turned]]), None);
        let moved = instance_change([&a, &[at(1.0), at(0.0), at(1.0), turned]]);
        assert_eq!(moved.as_deref(), Some("1 of 4 instances moved"));
        assert_eq!(instance_change([&a, &a[1..]]).as_deref(), Some("instances 4 -> 3"));
    }
}
