//! Half-precision numbers (IEEE 754 binary16) as bits, for packed keys.
//!
//! The significand has eleven bits: a step is 0.49 to 0.98 thousandths of the value. The largest
//! finite number is 65,504, the smallest positive one 2^-24.

/// The largest finite half.
pub const MAX: f32 = 65504.0;

/// Converts to the nearest half, ties to even. Numbers that are too large become infinite; NaN
/// stays NaN.
pub fn from_single(x: f32) -> u16 {
    let bits = x.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        // A NaN keeps the upper bits of its payload and becomes quiet.
        return sign | 0x7e00 | (magnitude >> 13) as u16 & 0x03ff;
    }
    if magnitude >= 0x4780_0000 {
        return sign | 0x7c00;
    }
    // Below 2^-14 halves are subnormal, in steps of 2^-24.
    let (kept, dropped, half_way) = if magnitude < 0x3880_0000 {
        let exponent = magnitude >> 23;
        let shift = 126 - exponent;
        if shift > 24 {
            return sign;
        }
        let fraction = magnitude & 0x007f_ffff | 0x0080_0000;
        (fraction >> shift, fraction & ((1 << shift) - 1), 1 << (shift - 1))
    } else {
        // The exponent's bias is 15 instead of 127.
        let shifted = magnitude - (112 << 23);
        (shifted >> 13, shifted & 0x1fff, 0x1000)
    };
    let up = dropped > half_way || dropped == half_way && kept & 1 == 1;
    // A carry out of the significand correctly increments the exponent, up to infinity.
    sign | (kept + u32::from(up)) as u16
}

/// Converts a half to single precision, which is exact.
pub fn to_single(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let magnitude = u32::from(half & 0x7fff);
    let bits = match magnitude {
        0x7c00.. => 0x7f80_0000 | (magnitude & 0x03ff) << 13,
        0x0400.. => (magnitude << 13) + (112 << 23),
        // Subnormal numbers in steps of 2^-24.
        _ => (magnitude as f32 * 2f32.powi(-24)).to_bits(),
    };
    f32::from_bits(sign | bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_comes_back() {
        for half in 0..=u16::MAX {
            let x = to_single(half);
            if x.is_nan() {
                assert!(to_single(from_single(x)).is_nan(), "{half:04x}");
            } else {
                assert_eq!(from_single(x), half, "{x}");
            }
        }
    }

    #[test]
    fn a_nan_keeps_its_sign_and_the_upper_bits_of_its_payload() {
        for (single, half) in [(0xff85_4000, 0xfe2a), (0x7fc0_0000, 0x7e00), (0x7f80_0001, 0x7e00)]
        {
            assert_eq!(from_single(f32::from_bits(single)), half, "{single:08x}");
        }
    }

    #[test]
    fn ties_go_to_even_and_edges_where_they_belong() {
        for (x, half) in [
            (0.0, 0x0000),
            (-0.0, 0x8000),
            (1.0, 0x3c00),
            (1.0 + 0.5 / 1024.0, 0x3c00),
            (1.0 + 1.5 / 1024.0, 0x3c02),
            (1.0 + 0.500_1 / 1024.0, 0x3c01),
            (MAX, 0x7bff),
            (65519.99, 0x7bff),
            (65520.0, 0x7c00),
            (f32::MAX, 0x7c00),
            (f32::NEG_INFINITY, 0xfc00),
            (2f32.powi(-24), 0x0001),
            (2f32.powi(-25), 0x0000),
            (1.5 * 2f32.powi(-24), 0x0002),
            (2f32.powi(-14), 0x0400),
            (1e-45, 0x0000),
        ] {
            assert_eq!(from_single(x), half, "{x}");
        }
    }
}
