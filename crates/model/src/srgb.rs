//! The transfer function of sRGB (IEC 61966-2-1).

/// Decodes an sRGB value from 0 to 1 to linear light.
pub fn linear_from_srgb(value: f32) -> f32 {
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// Decodes an sRGB value in double precision, for measurements.
pub fn precise_linear_from_srgb(value: f64) -> f64 {
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// Encodes linear light from 0 to 1 as an sRGB value.
pub fn srgb_from_linear(light: f32) -> f32 {
    if light <= 0.003_130_8 { 12.92 * light } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_survives_the_round_trip() {
        assert_eq!((linear_from_srgb(0.0), linear_from_srgb(1.0)), (0.0, 1.0));
        assert!((linear_from_srgb(0.5) - 0.214).abs() < 1e-3);
        for byte in 0..=255u8 {
            let back = 255.0 * srgb_from_linear(linear_from_srgb(f32::from(byte) / 255.0));
            assert_eq!(back.round() as u8, byte);
        }
    }
}
