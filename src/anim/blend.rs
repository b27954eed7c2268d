//! Several layers to one pose.
//!
//! Property by property, the layers that have a say in it share it by their weights. What the
//! weights lack of 1 is the rest pose's share, and where they sum to more they are divided by
//! their sum: so a layer fades in and out without a jump, and with all weights 0 the pose is the rest pose.
//! Rotations are summed with each on the side (`q` or `-q`) of the mean of those before it, and
//! normalised: the shorter way. Additive layers come after all others, in their order:
//!
//! - translation: `t + w (clip - reference)`
//! - rotation: `q nlerp(1, reference^-1 clip, w)`, a turn about the joint's own axes
//! - scale: `s (1 + w (clip / reference - 1))`; a reference of 0 adds nothing
//! - morph weights and properties: `m + w (clip - reference)`

use super::lanes::{Eight, LANES, Lanes, Work, load, run};
use super::layer::MASK_ROWS;
use super::pose::{ROTATION, ROWS, SCALE};
use super::{Clip, Cursor, Layer, LocalPose};

/// What [`pose_layers`] works with: kept from frame to frame, it spares all allocation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mixer {
    /// The layer that is being put on.
    sampled: LocalPose,
    /// One a layer.
    cursors: Vec<Cursor>,
    sums: Sums,
}

/// How much there is of each property so far.
#[derive(Clone, Debug, Default, PartialEq)]
struct Sums {
    /// The weights so far: a row each for translation, rotation and scale of eight nodes.
    totals: Vec<Eight>,
    /// 1 where a rotation is a sum and has to be normalised; a row to eight nodes.
    summed: Vec<Eight>,
    /// The weights so far of each list of numbers.
    list_totals: Vec<f32>,
}

/// Poses a rig by layers over its rest pose; the module says by which rule. One layer of weight 1,
/// all others 0, gives its clip's pose bit for bit, and no layer the rest pose. Allocates nothing
/// once it has seen as many layers on this rig.
///
/// # Panics
/// When a layer names a clip that is not there or has a mask or reference of another rig, and as
/// [`Clip::pose`] does.
pub fn pose_layers(
    clips: &[&Clip],
    layers: &[Layer],
    rest: &LocalPose,
    mixer: &mut Mixer,
    out: &mut LocalPose,
) {
    mixer.begin(rest, layers.len());
    out.copy_from(rest);
    let Mixer { sampled, cursors, sums } = mixer;
    for additive in [false, true] {
        for (layer, cursor) in layers.iter().zip(cursors.iter_mut()) {
            if layer.reference.is_some() != additive || !counts(layer.weight) {
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

fn counts(weight: f32) -> bool {
    weight > 0.0 && weight.is_finite()
}

impl Mixer {
    fn begin(&mut self, rest: &LocalPose, layers: usize) {
        if !self.sampled.is_like(rest) {
            self.sampled = rest.clone();
        }
        // Those of layers that are gone for a while keep their room.
        self.cursors.resize(layers.max(self.cursors.len()), Cursor::default());
        self.sums.begin(rest);
    }
}

impl Sums {
    fn begin(&mut self, rest: &LocalPose) {
        let eights = rest.len().div_ceil(LANES);
        for (rows, count) in [(&mut self.totals, eights * MASK_ROWS), (&mut self.summed, eights)] {
            rows.clear();
            rows.resize(count, Eight::default());
        }
        self.list_totals.clear();
        self.list_totals.resize(rest.list_count(), 0.0);
    }

    fn blend_lists(&mut self, layer: &Layer, sampled: &LocalPose, out: &mut LocalPose) {
        for list in masked(layer) {
            let before = self.list_totals[list];
            let total = before + layer.weight;
            self.list_totals[list] = total;
            let share = layer.weight / total;
            for (out, value) in out.list_mut(list).iter_mut().zip(sampled.list(list)) {
                let mean = *out * (1.0 - share) + value * share;
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

fn add_lists(layer: &Layer, reference: &LocalPose, sampled: &LocalPose, out: &mut LocalPose) {
    for list in masked(layer) {
        let difference = sampled.list(list).iter().zip(reference.list(list));
        for (out, (value, from)) in out.list_mut(list).iter_mut().zip(difference) {
            *out += layer.weight * (value - from);
        }
    }
}

/// The lists of numbers that a layer moves.
fn masked(layer: &Layer) -> impl Iterator<Item = usize> {
    layer.mask.lists.iter().enumerate().filter_map(|(list, on)| on.then_some(list))
}

/// Puts a layer's pose to the mean of those before it.
struct Blend<'a> {
    layer: &'a Layer,
    sampled: &'a LocalPose,
    sums: &'a mut Sums,
    out: &'a mut LocalPose,
}

impl Work for Blend<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { layer, sampled, sums, out } = self;
        assert_eq!(layer.mask.rows.len(), sums.totals.len(), "a mask of this rig");
        let weight = L::splat(layer.weight);
        let eights = out.rows_mut().chunks_exact_mut(ROWS).zip(sampled.rows().chunks_exact(ROWS));
        let state = sums.totals.chunks_exact_mut(MASK_ROWS).zip(&mut sums.summed);
        let masks = layer.mask.rows.chunks_exact(MASK_ROWS);
        for (((out, value), (totals, summed)), mask) in eights.zip(state).zip(masks) {
            let moved = Share::<L>::of(weight, &mask[0], &mut totals[0]);
            moved.mix::<3>(&mut out[..ROTATION], load(value));
            let turned = Share::<L>::of(weight, &mask[1], &mut totals[1]);
            turned.turn(&mut out[ROTATION..SCALE], load(&value[ROTATION..]), summed);
            let scaled = Share::<L>::of(weight, &mask[2], &mut totals[2]);
            scaled.mix::<3>(&mut out[SCALE..], load(&value[SCALE..]));
        }
    }
}

/// How much of a mean of eight nodes' property is the layer's.
struct Share<L: Lanes> {
    /// Where it has any.
    any: L::Mask,
    /// Where others have some too.
    others: L::Mask,
    share: L,
}

impl<L: Lanes> Share<L> {
    /// The share of a layer of this weight, which joins the total.
    #[inline(always)]
    fn of(weight: L, mask: &Eight, total: &mut Eight) -> Self {
        let (own, before) = (weight * L::load(mask), L::load(total));
        let sum = before + own;
        sum.store(total);
        let zero = L::splat(0.0);
        Self { any: zero.below(own), others: zero.below(before), share: own / sum }
    }

    /// The mean with one more value; the value as it is where there is no other.
    #[inline(always)]
    fn mix<const N: usize>(&self, rows: &mut [Eight], values: [L; N]) {
        let rest = L::splat(1.0) - self.share;
        for (row, value) in rows.iter_mut().zip(values) {
            let before = L::load(row);
            let mean = before * rest + value * self.share;
            let mean = L::select(self.others, mean, value);
            L::select(self.any, mean, before).store(row);
        }
    }

    /// The same of rotations, which stay unnormalised sums until all are in.
    #[inline(always)]
    fn turn(&self, rows: &mut [Eight], value: [L; 4], summed: &mut Eight) {
        let before = load::<L, 4>(rows);
        let side = L::select(self.others, dot(before, value), L::splat(1.0));
        self.mix::<4>(rows, on_side(side, value));
        let (now, one) = (L::load(summed), L::splat(1.0));
        let joined = L::select(self.others, one, now);
        L::select(self.any, joined, now).store(summed);
    }
}

/// Gives the rest pose what the layers' weights lack of 1, and normalises the rotations.
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
            let short = total.below(L::splat(1.0));
            // The rest pose comes to the layers' side, not they to its.
            let side = on_side(dot(rest, before), rest);
            fill_up::<L, 4>(out, side, total);
            let is_sum = L::splat(0.0).below(L::load(summed));
            let unit = normalized(load(out), rest);
            for ((row, unit), before) in out.iter_mut().zip(unit).zip(before) {
                let sum = L::select(is_sum, unit, before);
                L::select(short, unit, sum).store(row);
            }
            // Where no layer has a say the pose is the rest pose, to the bit.
            for (row, rest) in out.iter_mut().zip(rest) {
                L::select(L::splat(0.0).below(total), L::load(row), rest).store(row);
            }
        }
    }
}

/// A mean of layers with the rest pose's share in it, where their weights sum to less than 1.
#[inline(always)]
fn fill_up<L: Lanes, const N: usize>(rows: &mut [Eight], rest: [L; N], total: L) {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let lack = one - total;
    for (row, rest) in rows.iter_mut().zip(rest) {
        let mean = L::load(row);
        let filled = L::select(total.below(one), rest * lack + mean * total, mean);
        L::select(zero.below(total), filled, rest).store(row);
    }
}

/// Puts an additive layer on top.
struct Add<'a> {
    layer: &'a Layer,
    reference: &'a LocalPose,
    sampled: &'a LocalPose,
    out: &'a mut LocalPose,
}

impl Work for Add<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { layer, reference, sampled, out } = self;
        assert_eq!(reference.rows().len(), out.rows().len(), "a reference of this rig");
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
            let [x, y, z, w] = on_side(turn[3], turn);
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
                let ratio = L::select(zero.below(from_s[i] * from_s[i]), ratio, one);
                (L::load(row) * (one + share * (ratio - one))).store(row);
            }
        }
    }
}

#[inline(always)]
fn dot<L: Lanes>(a: [L; 4], b: [L; 4]) -> L {
    (a[0] * b[0] + a[2] * b[2]) + (a[1] * b[1] + a[3] * b[3])
}

/// The rotation by the quaternion of the side that a dot product says.
#[inline(always)]
fn on_side<L: Lanes>(side: L, q: [L; 4]) -> [L; 4] {
    let zero = L::splat(0.0);
    let away = side.below(zero);
    let [x, y, z, w] = q;
    [
        L::select(away, zero - x, x),
        L::select(away, zero - y, y),
        L::select(away, zero - z, z),
        L::select(away, zero - w, w),
    ]
}

/// Of length 1; `instead` where there is no direction.
#[inline(always)]
fn normalized<L: Lanes>(q: [L; 4], instead: [L; 4]) -> [L; 4] {
    let squared = dot(q, q);
    let there = L::splat(1e-30).below(squared);
    // Roots are the same on every machine, one by one as well.
    let mut lengths = Eight::default();
    squared.store(&mut lengths);
    lengths.0 = lengths.0.map(f32::sqrt);
    let scale = L::splat(1.0) / L::load(&lengths);
    [
        L::select(there, q[0] * scale, instead[0]),
        L::select(there, q[1] * scale, instead[1]),
        L::select(there, q[2] * scale, instead[2]),
        L::select(there, q[3] * scale, instead[3]),
    ]
}

/// The product `a b`: first `b`'s turn, then `a`'s.
#[inline(always)]
fn product<L: Lanes>(a: [L; 4], b: [L; 4]) -> [L; 4] {
    [
        (a[3] * b[0] + a[0] * b[3]) + (a[1] * b[2] - a[2] * b[1]),
        (a[3] * b[1] + a[1] * b[3]) + (a[2] * b[0] - a[0] * b[2]),
        (a[3] * b[2] + a[2] * b[3]) + (a[0] * b[1] - a[1] * b[0]),
        (a[3] * b[3] - a[0] * b[0]) - (a[1] * b[1] + a[2] * b[2]),
    ]
}
