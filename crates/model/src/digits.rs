//! Numbers as text that people read.

/// Formats a number with three significant digits and at most `most` decimals, without zeros at the end.
pub fn three_digits(number: f64, most: u8) -> String {
    significant(number, 3, most)
}

/// Formats a number with four significant digits, without zeros at the end. One that is tiny beside `scale` is 0.
pub fn four_digits(number: f64, scale: f64) -> String {
    const TINY: f64 = 1e-6;
    let number = if number.abs() < TINY * scale { 0.0 } else { number };
    significant(number, 4, 12)
}

fn significant(number: f64, digits: u8, most: u8) -> String {
    if number == 0.0 {
        return "0".into();
    }
    if !number.is_finite() {
        return number.to_string();
    }
    let decimals =
        (f64::from(digits) - 1.0 - number.abs().log10().floor()).clamp(0.0, most.into()) as usize;
    let text = format!("{number:.decimals$}");
    match decimals {
        0 => text,
        _ => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_tiny_beside_others_are_0() {
        let of = |number| four_digits(number, 1.0);
        assert_eq!(
            [3.416_666_7, -4.842e-8, 0.002, 12345.6, -0.5].map(of),
            ["3.417", "0", "0.002", "12346", "-0.5"]
        );
    }

    #[test]
    fn numbers_have_three_digits_and_no_zeros_at_the_end() {
        let numbers = [0.0, 1.0, 0.2, 0.073_632_8, 4.882e-5, 12.346, 1234.5];
        let texts = ["0", "1", "0.2", "0.0736", "0.0000488", "12.3", "1234"];
        assert_eq!(numbers.map(|number| three_digits(number, 12)), texts);
        assert_eq!(three_digits(4.882e-5, 4), "0");
    }
}
