//! Skins as an engine stores them: fewer joints, fewer influences per vertex, and weights of fewer bits.

use super::joint_limit::limit_joints;
use super::{Influence, Influences, Model};

/// How an engine stores the influences of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkinForm {
    /// Maximum number of joints per skin: the first ones stay. Vertices of the others follow the nearest joint above
    /// that stays, or else the skin's first one.
    pub joints: usize,
    /// Maximum number of joints per vertex. The largest weights stay and are divided by their sum.
    pub influences: usize,
    /// Bits per weight. Below 32, weights are multiples of 1 / (2^bits - 1) that sum to 1.
    pub weight_bits: u32,
}

impl Default for SkinForm {
    /// Returns the form of the file: all joints, up to 16 influences, in single precision.
    fn default() -> Self {
        Self { joints: usize::MAX, influences: 16, weight_bits: 32 }
    }
}

impl SkinForm {
    /// Whether nothing is lost.
    pub fn is_exact(self) -> bool {
        self == Self::default()
    }

    /// Stores the skins of a model in this form.
    pub fn apply(self, model: &mut Model) {
        if self.joints < usize::MAX {
            limit_joints(model, self.joints);
        }
        if (Self { joints: usize::MAX, ..self }).is_exact() {
            return;
        }
        for primitive in model.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
            if let Some(influences) = &mut primitive.influences {
                self.reduce(influences);
            }
        }
    }

    /// Stores influences in this form. Vertices keep their number of sets.
    pub fn reduce(self, influences: &mut Influences) {
        if influences.sets > 0 {
            influences
                .list
                .chunks_exact_mut(influences.sets)
                .for_each(|sets| self.reduce_one(sets));
        }
    }

    fn reduce_one(self, sets: &mut [Influence]) {
        let weight = |sets: &[Influence], i: usize| sets[i / 4].weights[i % 4];
        let mut order: Vec<usize> =
            (0..4 * sets.len()).filter(|i| weight(sets, *i) > 0.0).collect();
        // Of equal weights, the one that the file lists first stays.
        order.sort_by(|a, b| weight(sets, *b).total_cmp(&weight(sets, *a)).then(a.cmp(b)));
        for dropped in order.drain(self.influences.min(order.len())..) {
            sets[dropped / 4].weights[dropped % 4] = 0.0;
        }
        let sum: f32 = order.iter().map(|i| weight(sets, *i)).sum();
        if sum <= 0.0 {
            return;
        }
        let steps = if self.weight_bits < 32 { (1u64 << self.weight_bits) - 1 } else { 0 };
        if steps == 0 {
            return order.iter().for_each(|i| sets[i / 4].weights[i % 4] /= sum);
        }
        let exact: Vec<f64> =
            order.iter().map(|i| f64::from(weight(sets, *i) / sum) * steps as f64).collect();
        for (i, steps_of) in order.iter().zip(rounded(&exact, steps)) {
            sets[i / 4].weights[i % 4] = (steps_of as f64 / steps as f64) as f32;
        }
    }
}

/// Rounds numbers so that their sum is a whole number that they almost sum to: those with the largest remainders are
/// rounded up, as many as are needed.
fn rounded(exact: &[f64], sum: u64) -> Vec<u64> {
    let mut whole: Vec<u64> = exact.iter().map(|x| x.floor() as u64).collect();
    let missing = sum.saturating_sub(whole.iter().sum());
    let mut order: Vec<usize> = (0..exact.len()).collect();
    order.sort_by(|a, b| exact[*b].fract().total_cmp(&exact[*a].fract()).then(a.cmp(b)));
    for i in order.into_iter().cycle().take(missing as usize) {
        whole[i] += 1;
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn influences(weights: [[f32; 4]; 2]) -> Influences {
        let set = |weights| Influence { joints: [0, 1, 2, 3], weights };
        Influences { sets: 2, list: weights.map(set).into() }
    }

    fn reduced(form: SkinForm, weights: [[f32; 4]; 2]) -> Vec<f32> {
        let mut influences = influences(weights);
        form.reduce(&mut influences);
        influences.list.iter().flat_map(|set| set.weights).collect()
    }

    #[test]
    fn the_largest_weights_stay_and_sum_to_one() {
        let form = SkinForm { influences: 4, ..SkinForm::default() };
        let weights = reduced(form, [[0.05, 0.3, 0.1, 0.2], [0.05, 0.1, 0.2, 0.0]]);
        let wanted = [0.0, 0.375, 0.125, 0.25, 0.0, 0.0, 0.25, 0.0];
        for (weight, wanted) in weights.iter().zip(wanted) {
            assert!((weight - wanted).abs() < 1e-6, "{weights:?}");
        }
        let exact = [[0.25, 0.25, 0.25, 0.25], [0.0; 4]];
        assert_eq!(reduced(form, exact), exact.concat());
    }

    #[test]
    fn weights_of_few_bits_are_steps_that_sum_to_one() {
        let form = SkinForm { influences: 8, weight_bits: 8, ..SkinForm::default() };
        let weights = reduced(form, [[0.334, 0.333, 0.333, 0.0], [0.0; 4]]);
        let steps: Vec<f32> = weights.iter().map(|weight| weight * 255.0).collect();
        assert_eq!(steps[..3], [85.0, 85.0, 85.0]);
        let weights = reduced(form, [[0.4, 0.4, 0.1, 0.05], [0.03, 0.02, 0.0, 0.0]]);
        let steps: Vec<u32> =
            weights.iter().map(|weight| (weight * 255.0).round() as u32).collect();
        assert_eq!(steps.iter().sum::<u32>(), 255);
        assert_eq!(reduced(form, [[0.0; 4]; 2]), [0.0; 8], "a vertex without weights stays so");
    }
}
