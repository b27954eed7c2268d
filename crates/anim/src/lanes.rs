//! Arithmetic on eight numbers at a time, in which sampling, blending, resolving and palettes are
//! written.
//!
//! There are two kernels: [`Portable`] uses glam's vectors (SSE2, NEON or scalar), the other uses
//! AVX2. Both perform the same operations in the same order without fused multiply-adds, so every
//! machine gives the same bits. `kernel` selects one at run time.

use std::ops::{Add, Div, Mul, Sub};

use glam::{Affine3A, BVec4A, Mat4, Vec3A, Vec4};

/// Numbers per row.
pub const LANES: usize = 8;

/// A row in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(align(32))]
pub struct F32x8(pub [f32; LANES]);

/// A row in registers, with the operations that each kernel implements.
pub trait Lanes:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// One boolean per lane.
    type Mask: Copy;

    /// Returns the same number in all lanes.
    fn splat(x: f32) -> Self;
    /// Loads a row from memory.
    fn load(row: &F32x8) -> Self;
    /// Stores to a row in memory.
    fn store(self, row: &mut F32x8);
    /// Returns the absolute values.
    fn abs(self) -> Self;
    /// Returns the lanes that are less than those of `other`.
    fn below(self, other: Self) -> Self::Mask;
    /// Returns `yes` in the lanes of the mask, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// Writes two columns of eight matrices, given as rows of their `x`, `y` and `z`. Half a matrix
    /// at a time, because all four columns exceed the registers.
    fn put_columns(half: Half, columns: [[Self; 3]; 2], out: &mut [Matrix; LANES]);
    /// Returns the product `a * b` by glam's operations in glam's order.
    fn compose(a: &Affine3A, b: &Affine3A) -> Affine3A;
    /// Returns the product `a * b` with its last row, `0 0 0 1`.
    fn compose_full(a: &Affine3A, b: &Affine3A) -> Mat4;
}

/// Two columns of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// The x and y axes.
    First,
    /// The z axis and the translation.
    Last,
}

/// A computation that any kernel can run.
///
/// Implementations must not call [`Lanes`] methods in closures: closures are not compiled with the
/// kernel's target features.
pub trait Work {
    /// Runs it with one kernel. Implementations are `inline(always)`, so that they are compiled with
    /// that kernel's target features.
    fn run<L: Lanes>(self);
}

/// Loads `N` rows from memory.
#[inline(always)]
pub fn load<L: Lanes, const N: usize>(rows: &[F32x8]) -> [L; N] {
    let mut out = [L::splat(0.0); N];
    for (out, row) in out.iter_mut().zip(rows) {
        *out = L::load(row);
    }
    out
}

/// A node's matrix in a cache line of its own, so that no store touches two.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(align(64))]
pub struct Matrix(pub Affine3A);

/// The kernel that runs on every machine.
#[derive(Clone, Copy)]
pub struct Portable([Vec4; 2]);

/// Implements an operator on both halves.
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
    fn load(row: &F32x8) -> Self {
        let [a, b, c, d, e, f, g, h] = row.0;
        Self([Vec4::new(a, b, c, d), Vec4::new(e, f, g, h)])
    }
    #[inline(always)]
    fn store(self, row: &mut F32x8) {
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
            // After the transposition each column belongs to one matrix.
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
