//! The kernel for processors with AVX2: a row is one register.
//!
//! This is the only unsafe code of `anim`. Every function is inlined into the one in [`run`] that is
//! compiled for AVX2 and called only if [`is_available`].

use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Sub};

use glam::{Affine3A, Mat4, Vec3A};

use super::lanes::{F32x8, Half, LANES, Lanes, Matrix, Work};

/// Eight numbers in a register.
#[derive(Clone, Copy)]
struct Avx2(__m256);

/// Whether the processor has AVX2. The standard library caches the answer.
pub fn is_available() -> bool {
    is_x86_feature_detected!("avx2")
}

/// Runs `work` with this kernel.
///
/// # Panics
/// If the processor lacks AVX2.
pub fn run(work: impl Work) {
    #[target_feature(enable = "avx2")]
    fn compiled_for_avx2(work: impl Work) {
        work.run::<Avx2>();
    }
    assert!(is_available(), "the processor lacks AVX2");
    // SAFETY: the processor has AVX2.
    unsafe { compiled_for_avx2(work) }
}

/// Implements an operator by one instruction.
macro_rules! by_instruction {
    ($name:ident, $method:ident, $instruction:ident) => {
        impl $name for Avx2 {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: `Avx2` values exist only in code compiled for AVX2.
                Self(unsafe { $instruction(self.0, other.0) })
            }
        }
    };
}
by_instruction!(Add, add, _mm256_add_ps);
by_instruction!(Sub, sub, _mm256_sub_ps);
by_instruction!(Mul, mul, _mm256_mul_ps);
by_instruction!(Div, div, _mm256_div_ps);

impl Lanes for Avx2 {
    type Mask = __m256;

    #[inline(always)]
    fn splat(x: f32) -> Self {
        // SAFETY: `run` is the only way here, and it checks for AVX2.
        Self(unsafe { _mm256_set1_ps(x) })
    }
    #[inline(always)]
    fn load(row: &F32x8) -> Self {
        // SAFETY: a row is eight numbers, aligned to 32 bytes.
        Self(unsafe { _mm256_load_ps(row.0.as_ptr()) })
    }
    #[inline(always)]
    fn store(self, row: &mut F32x8) {
        // SAFETY: as for `load`.
        unsafe { _mm256_store_ps(row.0.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: see `splat`.
        Self(unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0) })
    }
    #[inline(always)]
    fn below(self, other: Self) -> Self::Mask {
        // SAFETY: see `splat`.
        unsafe { _mm256_cmp_ps::<_CMP_LT_OQ>(self.0, other.0) }
    }
    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        // SAFETY: see `splat`.
        Self(unsafe { _mm256_blendv_ps(no.0, yes.0, mask) })
    }
    #[inline(always)]
    fn put_columns(half: Half, columns: [[Self; 3]; 2], out: &mut [Matrix; LANES]) {
        // SAFETY: see `splat`; half a matrix is eight numbers, aligned to 32 bytes, see `halves`.
        unsafe {
            let (first, second) = (transposed(&columns[0]), transposed(&columns[1]));
            for i in 0..4 {
                let low = _mm256_permute2f128_ps::<0x20>(first[i], second[i]);
                let high = _mm256_permute2f128_ps::<0x31>(first[i], second[i]);
                for (matrix, columns) in [(i, low), (i + 4, high)] {
                    let to = std::ptr::from_mut(&mut out[matrix]).cast::<f32>();
                    _mm256_store_ps(to.add(if half == Half::First { 0 } else { 8 }), columns);
                }
            }
        }
    }
    #[inline(always)]
    fn compose(a: &Affine3A, b: &Affine3A) -> Affine3A {
        // SAFETY: see `splat`.
        unsafe { affine(product(a, b)) }
    }
    #[inline(always)]
    fn compose_full(a: &Affine3A, b: &Affine3A) -> Mat4 {
        // SAFETY: see `splat`; a `Mat4` is sixteen numbers.
        unsafe {
            let [xy, zw] = product(a, b);
            let last = _mm256_set_ps(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
            let mut out = Mat4::ZERO;
            let to = out.as_mut().as_mut_ptr();
            _mm256_storeu_ps(to, _mm256_blend_ps::<0x88>(xy, _mm256_setzero_ps()));
            _mm256_storeu_ps(to.add(8), _mm256_blend_ps::<0x88>(zw, last));
            out
        }
    }
}

/// Transposes rows of `x`, `y` and `z` into eight columns: the first four in the low halves of the
/// result, the last four in the high halves. The unused fourth number of each is a copy of `z`.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn transposed(column: &[Avx2; 3]) -> [__m256; 4] {
    // SAFETY: the caller guarantees AVX2.
    unsafe {
        let [x, y, z] = [column[0].0, column[1].0, column[2].0];
        let (low, high) = (_mm256_unpacklo_ps(x, y), _mm256_unpackhi_ps(x, y));
        [
            _mm256_shuffle_ps::<0b00_00_01_00>(low, z),
            _mm256_shuffle_ps::<0b01_01_11_10>(low, z),
            _mm256_shuffle_ps::<0b10_10_01_00>(high, z),
            _mm256_shuffle_ps::<0b11_11_11_10>(high, z),
        ]
    }
}

/// Returns the columns of the product, two per register.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn product(a: &Affine3A, b: &Affine3A) -> [__m256; 2] {
    // SAFETY: the caller guarantees AVX2.
    unsafe {
        let [first, last] = halves(b);
        // Adding -0 preserves every bit, even the sign of a zero.
        let moved = _mm256_blend_ps::<0xf0>(_mm256_set1_ps(-0.0), halves(a)[1]);
        [turned(a, first), _mm256_add_ps(turned(a, last), moved)]
    }
}

/// Multiplies two columns by the 3x3 part of a matrix.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn turned(by: &Affine3A, columns: __m256) -> __m256 {
    // SAFETY: the caller guarantees AVX2.
    unsafe {
        let by = &by.matrix3;
        let x = _mm256_mul_ps(twice(&by.x_axis), _mm256_permute_ps::<0x00>(columns));
        let y = _mm256_mul_ps(twice(&by.y_axis), _mm256_permute_ps::<0x55>(columns));
        let z = _mm256_mul_ps(twice(&by.z_axis), _mm256_permute_ps::<0xaa>(columns));
        _mm256_add_ps(_mm256_add_ps(x, y), z)
    }
}

/// Returns a column in both halves of a register.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn twice(axis: &Vec3A) -> __m256 {
    // SAFETY: the caller guarantees AVX2; a `Vec3A` is four numbers.
    unsafe { _mm256_broadcast_ps(&*std::ptr::from_ref(axis).cast()) }
}

/// Returns the columns of a matrix, two per register.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn halves(matrix: &Affine3A) -> [__m256; 2] {
    let from = std::ptr::from_ref(matrix).cast::<f32>();
    // SAFETY: the caller guarantees AVX2; an `Affine3A` is four columns of four numbers each.
    unsafe { [_mm256_loadu_ps(from), _mm256_loadu_ps(from.add(8))] }
}

/// Returns the matrix with these columns.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn affine(halves: [__m256; 2]) -> Affine3A {
    // SAFETY: see `halves`: the same 64 bytes.
    unsafe { std::mem::transmute(halves) }
}
