//! Blends layers into one pose.
//!
//! Each property is the weighted mean of the layers that affect it. If their weights sum to less
//! than 1, the rest pose takes the remainder; if they sum to more, they are divided by their sum.
//! So a layer fades in and out without a jump, and weights of 0 give the rest pose. Before a
//! rotation is summed, its sign (`q` or `-q`) is chosen nearer to the mean so far, which is the
//! shorter way; the sum is normalised. Additive layers follow after all others, in order:
//!
//! - translation: `t + w (clip - reference)`
//! - rotation: `q nlerp(1, reference^-1 clip, w)`, a rotation about the joint's own axes
//! - scale: `s (1 + w (clip / reference - 1))`; a reference of 0 adds nothing
//! - morph weights and properties: `m + w (clip - reference)`

use super::blend_layer::MASK_ROWS;
use super::kernel::run;
use super::lanes::{F32x8, LANES, Lanes, Work, load};
use super::pose::{ROTATION, ROWS, SCALE};
use super::{BlendLayer, Clip, Cursor, LocalPose};

/// Buffers of [`pose_layers`]. Keep them between frames to avoid allocations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mixer {
    /// The current layer's pose.
    sampled: LocalPose,
    /// One per layer.
    cursors: Vec<Cursor>,
    sums: Sums,
}

/// The weights that each property has received so far.
#[derive(Clone, Debug, Default, PartialEq)]
struct Sums {
    /// Sums of weights: [`MASK_ROWS`] rows per eight nodes.
    totals: Vec<F32x8>,
    /// 1 for rotations that are sums and must be normalised, else 0; one row per eight nodes.
    summed: Vec<F32x8>,
    /// Sum of weights of each list of numbers.
    list_totals: Vec<f32>,
}

/// Poses a rig by blending layers over its rest pose. One layer of weight 1 with all others at 0
/// gives its clip's pose bit for bit; no layers give the rest pose. Allocates only for a new rig
/// or a larger number of layers than before.
///
/// # Panics
/// If the index of a clip is out of range, if a mask or reference belongs to another rig, or as
/// [`Clip::pose`] does.
pub fn pose_layers(
    clips: &[&Clip],
    layers: &[BlendLayer],
    rest: &LocalPose,
    mixer: &mut Mixer,
    out: &mut LocalPose,
) {
    mixer.begin(rest, layers.len());
    out.copy_from(rest);
    let Mixer { sampled, cursors, sums } = mixer;
    for additive in [false, true] {
        for (layer, cursor) in layers.iter().zip(cursors.iter_mut()) {
            if layer.reference.is_some() != additive || !has_effect(layer.weight) {
                continue;
            }
            clips[layer.clip].pose(layer.time_secs, rest, cursor, sampled);
            match &layer.reference {
                None => {
                    run(Blend { layer, sampled, sums, out });
                    sums.blend_lists(layer, sampled, out);
                }
                Some(reference) => {
                    run(Add { layer, reference, sampled, out });
                    add_lists(layer, reference, sampled, out);
                }
            }
        }
        if !additive {
            run(Settle { rest, sums, out });
            sums.settle_lists(rest, out);
        }
    }
}

fn has_effect(weight: f32) -> bool {
    weight > 0.0 && weight.is_finite()
}

impl Mixer {
    fn begin(&mut self, rest: &LocalPose, layers: usize) {
        if !self.sampled.is_like(rest) {
            self.sampled = rest.clone();
        }
        // Never shrink: layers may come back.
        self.cursors.resize(layers.max(self.cursors.len()), Cursor::default());
        self.sums.begin(rest);
    }
}

impl Sums {
    fn begin(&mut self, rest: &LocalPose) {
        let eights = rest.len().div_ceil(LANES);
        for (rows, count) in [(&mut self.totals, eights * MASK_ROWS), (&mut self.summed, eights)] {
            rows.clear();
            rows.resize(count, F32x8::default());
        }
        self.list_totals.clear();
        self.list_totals.resize(rest.list_count(), 0.0);
    }

    fn blend_lists(&mut self, layer: &BlendLayer, sampled: &LocalPose, out: &mut LocalPose) {
        for list in masked(layer) {
            let before = self.list_totals[list];
            let total = before + layer.weight;
            self.list_totals[list] = total;
            let fraction = layer.weight / total;
            for (out, value) in out.list_mut(list).iter_mut().zip(sampled.list(list)) {
                let mean = *out * (1.0 - fraction) + value * fraction;
                *out = if before > 0.0 { mean } else { *value };
            }
        }
    }

    fn settle_lists(&self, rest: &LocalPose, out: &mut LocalPose) {
        for (list, total) in self.list_totals.iter().enumerate() {
            if *total > 0.0 && *total < 1.0 {
                for (out, rest) in out.list_mut(list).iter_mut().zip(rest.list(list)) {
                    *out = rest * (1.0 - total) + *out * total;
                }
            }
        }
    }
}

fn add_lists(layer: &BlendLayer, reference: &LocalPose, sampled: &LocalPose, out: &mut LocalPose) {
    for list in masked(layer) {
        let difference = sampled.list(list).iter().zip(reference.list(list));
        for (out, (value, from)) in out.list_mut(list).iter_mut().zip(difference) {
            *out += layer.weight * (value - from);
        }
    }
}

/// Returns the indices of the lists of numbers that a layer affects.
fn masked(layer: &BlendLayer) -> impl Iterator<Item = usize> {
    layer.mask.lists.iter().enumerate().filter_map(|(list, on)| on.then_some(list))
}

/// Adds a layer's pose to the mean of those before it.
struct Blend<'a> {
    layer: &'a BlendLayer,
    sampled: &'a LocalPose,
    sums: &'a mut Sums,
    out: &'a mut LocalPose,
}

impl Work for Blend<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { layer, sampled, sums, out } = self;
        assert_eq!(layer.mask.rows.len(), sums.totals.len(), "the mask must be of this rig");
        let weight = L::splat(layer.weight);
        let eights = out.rows_mut().chunks_exact_mut(ROWS).zip(sampled.rows().chunks_exact(ROWS));
        let state = sums.totals.chunks_exact_mut(MASK_ROWS).zip(&mut sums.summed);
        let masks = layer.mask.rows.chunks_exact(MASK_ROWS);
        for (((out, value), (totals, summed)), mask) in eights.zip(state).zip(masks) {
            let translation = RunningMean::<L>::new(weight, &mask[0], &mut totals[0]);
            translation.add::<3>(&mut out[..ROTATION], load(value));
            let rotation = RunningMean::<L>::new(weight, &mask[1], &mut totals[1]);
            rotation.add_rotation(&mut out[ROTATION..SCALE], load(&value[ROTATION..]), summed);
            let scale = RunningMean::<L>::new(weight, &mask[2], &mut totals[2]);
            scale.add::<3>(&mut out[SCALE..], load(&value[SCALE..]));
        }
    }
}

/// One step of the running mean of a property of eight nodes: how the next layer joins it.
struct RunningMean<L: Lanes> {
    /// Lanes that the layer affects.
    affected: L::Mask,
    /// Lanes that earlier layers affected.
    started: L::Mask,
    /// The layer's fraction of the sum of weights.
    fraction: L,
}

impl<L: Lanes> RunningMean<L> {
    /// Adds a layer of this weight to the total.
    #[inline(always)]
    fn new(weight: L, mask: &F32x8, total: &mut F32x8) -> Self {
        let (own, before) = (weight * L::load(mask), L::load(total));
        let sum = before + own;
        sum.store(total);
        let zero = L::splat(0.0);
        Self { affected: zero.below(own), started: zero.below(before), fraction: own / sum }
    }

    /// Adds the layer's values to the mean. The first value is taken bit for bit.
    #[inline(always)]
    fn add<const N: usize>(&self, rows: &mut [F32x8], values: [L; N]) {
        let rest = L::splat(1.0) - self.fraction;
        for (row, value) in rows.iter_mut().zip(values) {
            let before = L::load(row);
            let mean = before * rest + value * self.fraction;
            let mean = L::select(self.started, mean, value);
            L::select(self.affected, mean, before).store(row);
        }
    }

    /// Adds rotations. Their sums stay unnormalised until [`Settle`].
    #[inline(always)]
    fn add_rotation(&self, rows: &mut [F32x8], value: [L; 4], summed: &mut F32x8) {
        let before = load::<L, 4>(rows);
        let side = L::select(self.started, dot(before, value), L::splat(1.0));
        self.add::<4>(rows, signed(side, value));
        let (now, one) = (L::load(summed), L::splat(1.0));
        let joined = L::select(self.started, one, now);
        L::select(self.affected, joined, now).store(summed);
    }
}

/// Adds the rest pose where the weights sum to less than 1, and normalises the rotations.
struct Settle<'a> {
    rest: &'a LocalPose,
    sums: &'a mut Sums,
    out: &'a mut LocalPose,
}

impl Work for Settle<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { rest, sums, out } = self;
        let eights = out.rows_mut().chunks_exact_mut(ROWS).zip(rest.rows().chunks_exact(ROWS));
        let state = sums.totals.chunks_exact(MASK_ROWS).zip(&sums.summed);
        for ((out, rest), (totals, summed)) in eights.zip(state) {
            fill_up::<L, 3>(&mut out[..ROTATION], load(rest), L::load(&totals[0]));
            fill_up::<L, 3>(&mut out[SCALE..], load(&rest[SCALE..]), L::load(&totals[2]));

            let (rest, total) = (load::<L, 4>(&rest[ROTATION..]), L::load(&totals[1]));
            let out = &mut out[ROTATION..SCALE];
            let before = load::<L, 4>(out);
            let incomplete = total.below(L::splat(1.0));
            // The rest rotation takes the sign nearer to the layers' mean, not the other way round.
            fill_up::<L, 4>(out, signed(dot(rest, before), rest), total);
            let is_sum = L::splat(0.0).below(L::load(summed));
            let unit = normalized(load(out), rest);
            for ((row, unit), before) in out.iter_mut().zip(unit).zip(before) {
                let sum = L::select(is_sum, unit, before);
                L::select(incomplete, unit, sum).store(row);
            }
            // Rotations that no layer affects are those of the rest pose, bit for bit.
            for (row, rest) in out.iter_mut().zip(rest) {
                L::select(L::splat(0.0).below(total), L::load(row), rest).store(row);
            }
        }
    }
}

/// Adds the rest pose's values to the layers' mean where their weights sum to less than 1.
#[inline(always)]
fn fill_up<L: Lanes, const N: usize>(rows: &mut [F32x8], rest: [L; N], total: L) {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let missing = one - total;
    for (row, rest) in rows.iter_mut().zip(rest) {
        let mean = L::load(row);
        let filled = L::select(total.below(one), rest * missing + mean * total, mean);
        L::select(zero.below(total), filled, rest).store(row);
    }
}

/// Adds an additive layer.
struct Add<'a> {
    layer: &'a BlendLayer,
    reference: &'a LocalPose,
    sampled: &'a LocalPose,
    out: &'a mut LocalPose,
}

impl Work for Add<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { layer, reference, sampled, out } = self;
        assert_eq!(reference.rows().len(), out.rows().len(), "the reference must be of this rig");
        let (zero, one, weight) = (L::splat(0.0), L::splat(1.0), L::splat(layer.weight));
        let poses = sampled.rows().chunks_exact(ROWS).zip(reference.rows().chunks_exact(ROWS));
        let masks = layer.mask.rows.chunks_exact(MASK_ROWS);
        for ((out, (value, from)), mask) in
            out.rows_mut().chunks_exact_mut(ROWS).zip(poses).zip(masks)
        {
            let share = weight * L::load(&mask[0]);
            let (value_t, from_t) = (load::<L, 3>(value), load::<L, 3>(from));
            for (i, row) in out[..ROTATION].iter_mut().enumerate() {
                (L::load(row) + share * (value_t[i] - from_t[i])).store(row);
            }

            let share = weight * L::load(&mask[1]);
            let [x, y, z, w] = load::<L, 4>(&from[ROTATION..]);
            let back = [zero - x, zero - y, zero - z, w];
            let turn = product(back, load(&value[ROTATION..]));
            let [x, y, z, w] = signed(turn[3], turn);
            let part = [share * x, share * y, share * z, (one - share) + share * w];
            let rows = &mut out[ROTATION..SCALE];
            let before = load::<L, 4>(rows);
            let turned = normalized(product(before, part), before);
            for ((row, turned), before) in rows.iter_mut().zip(turned).zip(before) {
                L::select(zero.below(share), turned, before).store(row);
            }

            let share = weight * L::load(&mask[2]);
            let (value_s, from_s) = (load::<L, 3>(&value[SCALE..]), load::<L, 3>(&from[SCALE..]));
            for (i, row) in out[SCALE..].iter_mut().enumerate() {
                let ratio = value_s[i] / from_s[i];
                let ratio = L::select(zero.below(from_s[i].abs()), ratio, one);
                (L::load(row) * (one + share * (ratio - one))).store(row);
            }
        }
    }
}

#[inline(always)]
fn dot<L: Lanes>(a: [L; 4], b: [L; 4]) -> L {
    (a[0] * b[0] + a[2] * b[2]) + (a[1] * b[1] + a[3] * b[3])
}

/// Returns `-q` where `side` is negative, else `q`.
#[inline(always)]
fn signed<L: Lanes>(side: L, q: [L; 4]) -> [L; 4] {
    let zero = L::splat(0.0);
    let negative = side.below(zero);
    let [x, y, z, w] = q;
    [
        L::select(negative, zero - x, x),
        L::select(negative, zero - y, y),
        L::select(negative, zero - z, z),
        L::select(negative, zero - w, w),
    ]
}

/// Returns `q` at length 1, or `fallback` where `q` is too short to have a direction.
#[inline(always)]
fn normalized<L: Lanes>(q: [L; 4], fallback: [L; 4]) -> [L; 4] {
    let squared = dot(q, q);
    let has_direction = L::splat(1e-30).below(squared);
    // IEEE 754 square roots have the same bits on every machine, scalar or not.
    let mut lengths = F32x8::default();
    squared.store(&mut lengths);
    lengths.0 = lengths.0.map(f32::sqrt);
    let scale = L::splat(1.0) / L::load(&lengths);
    [
        L::select(has_direction, q[0] * scale, fallback[0]),
        L::select(has_direction, q[1] * scale, fallback[1]),
        L::select(has_direction, q[2] * scale, fallback[2]),
        L::select(has_direction, q[3] * scale, fallback[3]),
    ]
}

/// Returns the product `a b`, which rotates by `b` first.
#[inline(always)]
fn product<L: Lanes>(a: [L; 4], b: [L; 4]) -> [L; 4] {
    [
        (a[3] * b[0] + a[0] * b[3]) + (a[1] * b[2] - a[2] * b[1]),
        (a[3] * b[1] + a[1] * b[3]) + (a[2] * b[0] - a[0] * b[2]),
        (a[3] * b[2] + a[2] * b[3]) + (a[0] * b[1] - a[1] * b[0]),
        (a[3] * b[3] - a[0] * b[0]) - (a[1] * b[1] + a[2] * b[2]),
    ]
}
