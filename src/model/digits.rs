//! Numbers as text that people read.

/// Formats a number with three significant digits and at most `most` decimals, without zeros at the end.
pub fn three_digits(number: f64, most: u8) -> String {
    if number == 0.0 {
        return "0".into();
    }
    let decimals = (2.0 - number.abs().log10().floor()).clamp(0.0, most.into()) as usize;
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
    fn numbers_have_three_digits_and_no_zeros_at_the_end() {
        let numbers = [0.0, 1.0, 0.2, 0.073_632_8, 4.882e-5, 12.346, 1234.5];
        let texts = ["0", "1", "0.2", "0.0736", "0.0000488", "12.3", "1234"];
        assert_eq!(numbers.map(|number| three_digits(number, 12)), texts);
        assert_eq!(three_digits(4.882e-5, 4), "0");
    }
}
