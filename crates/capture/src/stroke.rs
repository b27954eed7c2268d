//! The strokes of a plot's lines: solid where a line follows keys and is alone, dashed where it only holds its value,
//! and in turns with the others where several coincide.

use plotters::style::RGBColor;

/// Length of a dash in points.
const DASH: f64 = 7.0;

/// A line through points.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub points: Vec<(f64, f64)>,
    pub color: RGBColor,
    /// Width in points.
    pub width: f64,
}

/// A part of a line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PlotStroke {
    pub points: Vec<(f64, f64)>,
    pub color: RGBColor,
    /// Width in points.
    pub width: f64,
    /// Of this many dashes that follow each other, which one is drawn.
    turns: Turns,
}

/// Of `count` dashes that follow each other, the one that is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Turns {
    own: usize,
    count: usize,
}

/// Returns the strokes of lines. Lines coincide where they have the same times and differ by less than `near`. Outside
/// of `keyed`, they are dashed.
pub(super) fn strokes(lines: &[Line], keyed: Option<[f64; 2]>, near: f64) -> Vec<PlotStroke> {
    let mut strokes: Vec<PlotStroke> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let mut last = None;
        for (i, pair) in line.points.windows(2).enumerate() {
            let coincides = |other: &Line| {
                let same =
                    |(a, b): (&(f64, f64), &(f64, f64))| a.0 == b.0 && (a.1 - b.1).abs() < near;
                other.points.get(i..i + 2).is_some_and(|there| pair.iter().zip(there).all(same))
            };
            let before = lines[..index].iter().filter(|other| coincides(other)).count();
            let after = lines[index + 1..].iter().filter(|other| coincides(other)).count();
            let middle = 0.5 * (pair[0].0 + pair[1].0);
            let held = keyed.is_some_and(|[first, end]| !(first..=end).contains(&middle));
            let turns = Turns { own: before, count: before + 1 + after + usize::from(held) };
            match strokes.last_mut().filter(|_| last == Some(turns)) {
                Some(stroke) => stroke.points.push(pair[1]),
                None => strokes.push(PlotStroke {
                    points: pair.to_vec(),
                    color: line.color,
                    width: line.width,
                    turns,
                }),
            }
            last = Some(turns);
        }
    }
    strokes
}

impl PlotStroke {
    /// Returns the pieces to draw. `zoom` is the number of points per unit, across and up.
    pub fn dashes(&self, zoom: [f64; 2]) -> Vec<Vec<(f64, f64)>> {
        let Turns { own, count } = self.turns;
        if count == 1 {
            return vec![self.points.clone()];
        }
        let period = DASH * count as f64;
        let (start, end) = (DASH * own as f64, DASH * (own + 1) as f64);
        let mut pieces: Vec<Vec<(f64, f64)>> = Vec::new();
        // The length of the line so far.
        let mut at = 0.0;
        let mut is_open = false;
        for pair in self.points.windows(2) {
            let [(x0, y0), (x1, y1)] = [pair[0], pair[1]];
            let length = (zoom[0] * (x1 - x0)).hypot(zoom[1] * (y1 - y0));
            let place = |to: f64| {
                let share = if length > 0.0 { ((to - at) / length).clamp(0.0, 1.0) } else { 1.0 };
                (x0 + share * (x1 - x0), y0 + share * (y1 - y0))
            };
            let stop = at + length;
            let mut from = at;
            while from < stop {
                let (turn, phase) = ((from / period).floor() * period, from.rem_euclid(period));
                let (draws, until) = match phase {
                    p if p < start => (false, turn + start),
                    p if p < end => (true, turn + end),
                    _ => (false, turn + period + start),
                };
                // Rounding must not stop the walk.
                let until = until.max(from + 1e-6 * DASH);
                if draws {
                    if !is_open {
                        pieces.push(vec![place(from)]);
                    }
                    if let Some(piece) = pieces.last_mut() {
                        piece.push(place(until.min(stop)));
                    }
                }
                is_open = draws && until > stop;
                from = until;
            }
            at = stop;
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLORS: [RGBColor; 3] = [RGBColor(1, 0, 0), RGBColor(0, 1, 0), RGBColor(0, 0, 1)];

    fn line(color: usize, points: &[(f64, f64)]) -> Line {
        Line { points: points.to_vec(), color: COLORS[color], width: 1.0 }
    }

    fn length(pieces: &[Vec<(f64, f64)>]) -> f64 {
        let of = |piece: &Vec<(f64, f64)>| {
            piece.windows(2).map(|p| (p[1].0 - p[0].0).hypot(p[1].1 - p[0].1)).sum::<f64>()
        };
        pieces.iter().map(of).sum()
    }

    #[test]
    fn lines_that_coincide_share_their_length_in_turns() {
        let flat = [(0.0, 1.0), (210.0, 1.0)];
        let lines = [line(0, &flat), line(1, &[(0.0, 5.0), (210.0, 1.0)]), line(2, &flat)];
        let strokes = strokes(&lines, None, 0.1);
        assert_eq!(strokes.iter().map(|s| s.color).collect::<Vec<_>>(), COLORS);
        let [first, alone, second] = [0, 1, 2].map(|i| strokes[i].dashes([1.0, 1.0]));
        assert_eq!(alone, [lines[1].points.clone()]);
        assert!((length(&first) - 105.0).abs() < 1e-6 && (length(&second) - 105.0).abs() < 1e-6);
        assert!(first.iter().all(|a| second.iter().all(|b| a[0].0 != b[0].0)));
    }

    #[test]
    fn a_value_that_is_only_held_is_dashed() {
        let points = [(0.0, 0.0), (10.0, 0.0), (60.0, 30.0), (200.0, 30.0)];
        let strokes = strokes(&[line(0, &points)], Some([10.0, 60.0]), 0.1);
        let pieces: Vec<_> = strokes.iter().map(|s| s.dashes([1.0, 1.0])).collect();
        assert_eq!(pieces[1], [points[1..3].to_vec()], "between the keys it is solid");
        let hold = length(&pieces[2]);
        assert!(pieces[2].len() == 10 && (hold - 70.0).abs() < 1e-6, "{hold}");
    }

    #[test]
    fn a_dash_goes_round_corners() {
        let points: Vec<(f64, f64)> = (0..=100).map(|i| (f64::from(i), f64::from(i % 2))).collect();
        let strokes = strokes(&[line(0, &points)], Some([500.0, 501.0]), 0.1);
        let pieces = strokes[0].dashes([1.0, 1.0]);
        let whole = 100.0 * 2f64.sqrt();
        assert!((length(&pieces) - 0.5 * whole).abs() < DASH, "{}", length(&pieces));
        let (_, whole_dashes) = pieces.split_last().unwrap();
        for dash in whole_dashes {
            let length = length(std::slice::from_ref(dash));
            assert!(dash.len() > 5 && (length - DASH).abs() < 1e-6, "{length}: {dash:?}");
        }
    }
}
