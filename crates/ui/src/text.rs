//! Texts for panels: numbers with nouns, one-line names, and right-to-left scripts.
//!
//! egui shapes each run of one font with letters joined and in the right order, but places all runs from left to right.
//! So runs of right-to-left scripts are reordered here.

use unicode_bidi::BidiInfo;

use rigview_model::three_digits;
use rigview_report::plural;

/// Returns a file's text as one line: a line feed in a name must not make a row two rows high.
pub(super) fn one_line(text: &str) -> String {
    in_visual_order(text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect())
}

/// Returns a count with its noun: `1 joint`, `12,345 vertices`.
pub(super) fn counted(n: usize, noun: &str) -> String {
    let digits = n.to_string();
    let mut number = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            number.push(',');
        }
        number.push(digit);
    }
    format!("{number} {}", plural(n, noun))
}

/// Returns a formatted number without the sign of a zero.
pub(super) fn unsigned_zero(number: String) -> String {
    match number.strip_prefix('-') {
        Some(digits) if !digits.contains(|c: char| ('1'..='9').contains(&c)) => digits.to_owned(),
        _ => number,
    }
}

/// Returns the number of decimals that give a number four significant digits: at least `least`, at most nine.
pub(super) fn decimals(x: f64, least: usize) -> usize {
    if x == 0.0 || !x.is_finite() {
        return least;
    }
    let wanted = 3.0 - x.abs().log10().floor();
    (wanted.clamp(0.0, 9.0) as usize).max(least)
}

/// Formats a number for a field: four significant digits or more, at least as exact as `least` decimals, without zeros
/// at the end. Numbers that are nothing but a rounding error are 0.
pub(super) fn field_text(x: f64, least: usize) -> String {
    if x.abs() < 1e-9 {
        return "0".to_owned();
    }
    if !(1e-5..1e7).contains(&x.abs()) {
        return format!("{x:.3e}");
    }
    let text = format!("{x:.0$}", decimals(x, least));
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// Formats seconds with `decimals` decimals; from a million seconds on in scientific notation, because a
/// file may claim any length and a panel has little room.
pub(super) fn seconds(secs: f64, decimals: usize) -> String {
    if secs < 1e6 { format!("{secs:.decimals$}") } else { format!("{secs:.decimals$e}") }
}

/// Formats metres as millimetres with three significant digits and at most six decimals: `12.3 mm`.
pub(super) fn millimetres(metres: f64) -> String {
    format!("{} mm", three_digits(1000.0 * metres, 6))
}

/// Reorders the runs of a line so that, placed from left to right, they read correctly. Most lines stay
/// unchanged.
pub(super) fn in_visual_order(line: String) -> String {
    // Nothing below U+0590 is written from right to left.
    if line.chars().all(|c| c < '\u{590}') {
        return line;
    }
    let bidi = BidiInfo::new(&line, None);
    if !bidi.has_rtl() {
        return line;
    }
    let mut ordered = String::with_capacity(line.len());
    for paragraph in &bidi.paragraphs {
        let (levels, runs) = bidi.visual_runs(paragraph, paragraph.range.clone());
        for run in runs {
            if levels[run.start].is_rtl() {
                push_from_right(&mut ordered, &line[run])
            } else {
                ordered.push_str(&line[run])
            }
        }
    }
    ordered
}

/// Appends the words of a run, and the characters between them, in reverse order. The letters within a word keep their
/// order, because they are of one font.
fn push_from_right(ordered: &mut String, run: &str) {
    let is_between = |c: char| c.is_whitespace() || c.is_ascii();
    let mut rest = run;
    while let Some(last) = rest.chars().next_back() {
        if is_between(last) {
            ordered.push(mirrored(last));
            rest = &rest[..rest.len() - last.len_utf8()];
        } else {
            let before = rest.rfind(is_between);
            let start =
                before.map_or(0, |at| at + rest[at..].chars().next().map_or(0, char::len_utf8));
            ordered.push_str(&rest[start..]);
            rest = &rest[..start];
        }
    }
}

/// Returns the mirror image of a bracket; other characters stay.
fn mirrored(letter: char) -> char {
    const PAIRS: [[char; 2]; 4] = [['(', ')'], ['[', ']'], ['{', '}'], ['<', '>']];
    for [open, close] in PAIRS {
        if letter == open {
            return close;
        }
        if letter == close {
            return open;
        }
    }
    letter
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(line: &str) -> String {
        in_visual_order(line.to_owned())
    }

    #[test]
    fn a_zero_has_no_sign() {
        let shown = ["-0.000", "-0.010", "0.0", "-12", "-0", "-1e-7"];
        let wanted = ["0.000", "-0.010", "0.0", "-12", "0", "-1e-7"];
        assert_eq!(shown.map(|number| unsigned_zero(number.to_owned())), wanted);
    }

    #[test]
    fn numbers_in_fields_have_significant_digits() {
        let shown = [45.0, -0.000_397_14, 1.213e-20, 0.5, 1_234.567_89, 2e9, 3e-7];
        let wanted = ["45", "-0.0003971", "0", "0.5", "1234.5679", "2.000e9", "3.000e-7"];
        assert_eq!(shown.map(|x| field_text(x, 4)), wanted);
        assert_eq!([45.000_001, 0.004, 100.0].map(|x| field_text(x, 2)), ["45", "0.004", "100"]);
    }

    #[test]
    fn lines_from_left_to_right_stay() {
        for line in ["", "Walk (fast) 2", "歩く 走る", "Größe", "👍 ok"] {
            assert_eq!(ordered(line), line);
        }
    }

    #[test]
    fn words_from_right_to_left_follow_each_other_to_the_left() {
        // The shaper reverses the letters of a word.
        assert_eq!(ordered("יד ימין"), "ימין יד");
        assert_eq!(ordered("يد (يمنى) 12"), "12 (يمنى) يد");
        assert_eq!(ordered("hand יד ימין up"), "hand ימין יד up");
        assert_eq!(ordered("יד_L"), "L_יד");
    }

    #[test]
    fn counts_read_well() {
        assert_eq!(counted(1, "joint"), "1 joint");
        assert_eq!(seconds(1.2345, 3), "1.234");
        assert_eq!(seconds(f64::from(f32::MAX), 2), "3.40e38");
        assert_eq!(counted(0, "mesh"), "0 meshes");
        assert_eq!(counted(999, "vertex"), "999 vertices");
        assert_eq!(counted(1_234_567, "triangle"), "1,234,567 triangles");
    }
}
