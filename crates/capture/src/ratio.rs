//! Numbers as fractions, for delays and frame rates of files.

/// Returns the fraction nearest to a number, with a numerator and denominator of at most `most` each: the
/// last of the number's continued fraction that fits. Numbers outside the range give its nearest end.
pub fn ratio(number: f64, most: u32) -> [u32; 2] {
    let largest = f64::from(most);
    if number.is_nan() || number <= 0.0 {
        return [0, 1];
    }
    if number >= largest {
        return [most, 1];
    }
    let (mut before, mut last) = ([0.0, 1.0], [1.0, 0.0]);
    let mut rest = number;
    loop {
        let whole = rest.floor();
        let next = [whole * last[0] + before[0], whole * last[1] + before[1]];
        if next[0] > largest || next[1] > largest {
            break;
        }
        (before, last) = (last, next);
        let found = last[0] / last[1];
        if (found - number).abs() <= 1e-12 * number || rest == whole {
            break;
        }
        rest = 1.0 / (rest - whole);
    }
    match last {
        // Even 1 / most is too large.
        [_, 0.0] | [0.0, _] => [1, most],
        [over, under] => [over as u32, under as u32],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_become_the_fractions_that_they_are() {
        for (number, expected) in [
            (30.0, [30, 1]),
            (29.97, [2997, 100]),
            (30000.0 / 1001.0, [30000, 1001]),
            (1.0 / 30.0, [1, 30]),
            (1.0 / 29.97, [100, 2997]),
            (12.5, [25, 2]),
            (0.0, [0, 1]),
            (1e-9, [1, 65535]),
            (1e9, [65535, 1]),
        ] {
            assert_eq!(ratio(number, 65535), expected, "{number}");
        }
        let [over, under] = ratio(std::f64::consts::PI / 100.0, 65535);
        assert!((f64::from(over) / f64::from(under) - 0.031_415_926_5).abs() < 1e-8);
    }
}
