//! Eight numbers at once: the arithmetic that sampling, resolving and palettes are written in.
//!
//! There are two kernels, chosen when the program runs: [`Portable`], on whatever glam's vectors
//! are (SSE2, NEON or plain numbers), and AVX2. Both do the same operations in the same order
//! and none is fused, so that every machine gives the same bits.

use std::ops::{Add, Div, Mul, Sub};

use glam::{Affine3A, BVec4A, Mat4, Vec3A, Vec4};

use super::pose::Matrix;

/// Numbers in a row.
pub const LANES: usize = 8;

/// A row in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(align(32))]
pub struct Eight(pub [f32; LANES]);

/// A row in registers, and what a kernel does in a way of its own.
pub trait Lanes:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// Which of eight.
    type Mask: Copy;

    /// The same number eight times.
    fn splat(x: f32) -> Self;
    /// From memory.
    fn load(row: &Eight) -> Self;
    /// To memory.
    fn store(self, row: &mut Eight);
    /// Without their signs.
    fn abs(self) -> Self;
    /// Which are smaller than the other's.
    fn below(self, other: Self) -> Self::Mask;
    /// One's number where the mask says so, else the other's.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// Two columns of eight matrices from their `x`, `y` and `z`: the first two, or the last. By
    /// halves, since all columns at once are more than there are registers.
    fn put_columns(half: Half, columns: [[Self; 3]; 2], out: &mut [Matrix; LANES]);
    /// The product `a * b`, glam's operations in glam's order.
    fn compose(a: &Affine3A, b: &Affine3A) -> Affine3A;
    /// The same with its last row written out.
    fn compose_full(a: &Affine3A, b: &Affine3A) -> Mat4;
}

/// Which columns of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// Its x and y axes.
    First,
    /// Its z axis and its translation.
    Last,
}

/// What is to be computed by the best kernel there is.
///
/// It holds no closure that touches a [`Lanes`]: those are not compiled for the kernel.
pub trait Work {
    /// Computes it by one kernel. `inline(always)`, so that it is compiled for that kernel.
    fn run<L: Lanes>(self);
}

/// Rows from memory.
#[inline(always)]
pub fn load<L: Lanes, const N: usize>(rows: &[Eight]) -> [L; N] {
    let mut out = [L::splat(0.0); N];
    for (out, row) in out.iter_mut().zip(rows) {
        *out = L::load(row);
    }
    out
}

/// Computes by the best kernel that the machine has.
pub fn run(work: impl Work) {
    #[cfg(target_arch = "x86_64")]
    if super::avx2::is_there() {
        return super::avx2::run(work);
    }
    work.run::<Portable>();
}

/// The kernel of every machine.
#[derive(Clone, Copy)]
pub struct Portable([Vec4; 2]);

/// Two halves by the same operation.
macro_rules! by_halves {
    ($name:ident, $method:ident) => {
        impl $name for Portable {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self([self.0[0].$method(other.0[0]), self.0[1].$method(other.0[1])])
            }
        }
    };
}
by_halves!(Add, add);
by_halves!(Sub, sub);
by_halves!(Mul, mul);
by_halves!(Div, div);

impl Lanes for Portable {
    type Mask = [BVec4A; 2];

    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self([Vec4::splat(x); 2])
    }
    #[inline(always)]
    fn load(row: &Eight) -> Self {
        let [a, b, c, d, e, f, g, h] = row.0;
        Self([Vec4::new(a, b, c, d), Vec4::new(e, f, g, h)])
    }
    #[inline(always)]
    fn store(self, row: &mut Eight) {
        row.0[..4].copy_from_slice(&self.0[0].to_array());
        row.0[4..].copy_from_slice(&self.0[1].to_array());
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.map(Vec4::abs))
    }
    #[inline(always)]
    fn below(self, other: Self) -> Self::Mask {
        [self.0[0].cmplt(other.0[0]), self.0[1].cmplt(other.0[1])]
    }
    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Self([Vec4::select(mask[0], yes.0[0], no.0[0]), Vec4::select(mask[1], yes.0[1], no.0[1])])
    }
    #[inline(always)]
    fn put_columns(half: Half, columns: [[Self; 3]; 2], out: &mut [Matrix; LANES]) {
        for (four, out) in out.chunks_exact_mut(4).enumerate() {
            // Transposed, each column is one matrix's.
            let [first, second] = columns.map(|[x, y, z]| {
                Mat4::from_cols(x.0[four], y.0[four], z.0[four], Vec4::ZERO).transpose()
            });
            for (i, Matrix(out)) in out.iter_mut().enumerate() {
                let pair = [first, second].map(|m| Vec3A::from_vec4(m.col(i)));
                match half {
                    Half::First => [out.matrix3.x_axis, out.matrix3.y_axis] = pair,
                    Half::Last => [out.matrix3.z_axis, out.translation] = pair,
                }
            }
        }
    }
    #[inline(always)]
    fn compose(a: &Affine3A, b: &Affine3A) -> Affine3A {
        *a * *b
    }
    #[inline(always)]
    fn compose_full(a: &Affine3A, b: &Affine3A) -> Mat4 {
        Mat4::from(*a * *b)
    }
}
