//! Plots panels of lines and dots over time, as pixels or SVG, with one built-in open font.
//!
//! Callers provide the data; the style is defined here and nowhere else.

use std::sync::Once;

use glam::DVec2;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::register_font;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::Picture;
use super::stroke::{Line, strokes};

/// The name under which the font is registered.
const FONT: &str = "sans-serif";

const INK: RGBColor = RGBColor(0x1f, 0x25, 0x2e);
const WEAK: RGBColor = RGBColor(0x5c, 0x66, 0x73);
const GRID: RGBColor = RGBColor(0xe3, 0xe6, 0xea);
const FRAME: RGBColor = RGBColor(0xc4, 0xca, 0xd2);

/// Line colours on white, for x, y, z, w and further components.
const COLORS: [RGBColor; 8] = [
    RGBColor(0xd0, 0x2f, 0x3c),
    RGBColor(0x2a, 0x8f, 0x3e),
    RGBColor(0x1f, 0x63, 0xc8),
    RGBColor(0x8a, 0x46, 0xb3),
    RGBColor(0xc7, 0x7a, 0x0a),
    RGBColor(0x0f, 0x8c, 0x8c),
    RGBColor(0x9a, 0x4b, 0x2e),
    RGBColor(0x55, 0x60, 0x6e),
];

/// Pictures are drawn larger by this factor and scaled down, for smooth edges and places between pixels. Very high
/// ones by the smaller factor, to save memory.
const OVERSAMPLING: u32 = 4;
const LEAST_OVERSAMPLING: u32 = 2;
const HIGH: u32 = 4000;

/// Units per point in SVG. The plotting crate rounds coordinates to whole units.
const SVG_UNITS: u32 = 16;

/// Height of the title in points.
const TITLE: u32 = 46;
/// Entries of a legend that are named, at most.
const MOST_NAMES: usize = 8;

/// Height of a panel's caption and legend in points.
const CAPTION: u32 = 30;

/// Why a plot can't be drawn.
#[derive(Debug, thiserror::Error)]
#[error("the plot can't be drawn: {0}")]
pub struct PlotError(String);

/// Returns the colour of the n-th line; colours repeat.
pub(super) fn color(index: usize) -> RGBColor {
    COLORS[index % COLORS.len()]
}

/// Dots of one colour.
#[derive(Clone, Debug)]
pub(super) struct Dots {
    pub points: Vec<(f64, f64)>,
    pub color: RGBColor,
}

/// A line from a key to the control point of its tangent.
#[derive(Clone, Debug)]
pub(super) struct Handle {
    pub from: (f64, f64),
    pub to: (f64, f64),
    pub color: RGBColor,
}

/// One diagram.
#[derive(Clone, Debug, Default)]
pub(super) struct Panel {
    pub caption: String,
    /// First and last time in seconds.
    pub x: [f64; 2],
    /// Lowest and highest value; set by [`Panel::fit`].
    pub y: [f64; 2],
    pub lines: Vec<Line>,
    pub dots: Vec<Dots>,
    pub handles: Vec<Handle>,
    /// Written after each value of the vertical axis.
    pub unit: &'static str,
    /// Times of the first and the last key, outside of which lines are dashed.
    pub keyed: Option<[f64; 2]>,
    /// Times that are marked by vertical lines.
    pub marks: Vec<f64>,
    /// Names and colour indices of the legend.
    pub legend: Vec<(String, usize)>,
}

impl Panel {
    /// Fits the range of values to all lines and these values, with a margin.
    pub fn fit(&mut self, more: impl IntoIterator<Item = f64>) {
        let lines = self.lines.iter().flat_map(|l| &l.points).map(|(_, y)| *y);
        let all = lines.chain(more).filter(|y| y.is_finite());
        let (low, high) =
            all.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), y| (l.min(y), h.max(y)));
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        // A constant line needs a height too.
        let least = 1e-4 * low.abs().max(high.abs()).max(1e-6);
        let margin = if high - low > least { 0.07 * (high - low) } else { 0.5_f64.max(least) };
        self.y = [low - margin, high + margin];
    }
}

/// Panels side by side.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// Height in points.
    pub height: u32,
    pub panels: Vec<Panel>,
}

/// A plot, ready to be drawn as pixels or SVG.
#[derive(Clone, Debug)]
pub struct Plot {
    size: [u32; 2],
    title: String,
    rows: Vec<Row>,
}

impl Plot {
    /// Creates a plot with a width in points; the height is that of its rows.
    pub(super) fn new(width: u32, title: String, rows: Vec<Row>) -> Result<Self, PlotError> {
        static FONTS: Once = Once::new();
        FONTS.call_once(|| {
            let font = epaint_default_fonts::UBUNTU_LIGHT;
            if register_font(FONT, FontStyle::Normal, font).is_err() {
                log::error!("the built-in font can't be read");
            }
        });
        let height = TITLE + rows.iter().map(|row| row.height).sum::<u32>();
        // Far below the memory limit, and far more than anybody looks at.
        if height > 30_000 {
            return Err(PlotError(format!("{} rows are too many", rows.len())));
        }
        Ok(Self { size: [width, height], title, rows })
    }

    /// Draws the plot as pixels.
    ///
    /// # Errors
    /// If the plotting crate fails.
    pub fn picture(&self) -> Result<Picture, PlotError> {
        let factor = if self.size[1] > HIGH { LEAST_OVERSAMPLING } else { OVERSAMPLING };
        let [width, height] = self.size.map(|x| x * factor);
        let mut bytes = vec![255; 3 * width as usize * height as usize];
        {
            let backend = BitMapBackend::with_buffer(&mut bytes, (width, height));
            self.draw(&backend.into_drawing_area(), f64::from(factor))?;
        }
        Ok(Picture::Rgb8 { size: self.size, bytes: smaller(&bytes, self.size, factor) })
    }

    /// Draws the plot as SVG.
    ///
    /// # Errors
    /// If the plotting crate fails.
    pub fn svg(&self) -> Result<String, PlotError> {
        let mut text = String::new();
        {
            let size = self.size.map(|points| points * SVG_UNITS);
            let backend = SVGBackend::with_string(&mut text, (size[0], size[1]));
            self.draw(&backend.into_drawing_area(), f64::from(SVG_UNITS))?;
        }
        // The view box keeps the size in units.
        let attributes =
            |[width, height]: [u32; 2]| format!("width=\"{width}\" height=\"{height}\"");
        let drawn = attributes(self.size.map(|points| points * SVG_UNITS));
        Ok(text.replacen(&drawn, &attributes(self.size), 1))
    }

    fn draw<B: DrawingBackend>(
        &self,
        root: &DrawingArea<B, Shift>,
        scale: f64,
    ) -> Result<(), PlotError> {
        let said = |e: DrawingAreaErrorKind<B::ErrorType>| PlotError(e.to_string());
        root.fill(&WHITE).map_err(said)?;
        let pixels = |points: u32| (f64::from(points) * scale).round() as i32;
        let title = text_style(21.0 * scale, &INK, Pos::new(HPos::Left, VPos::Center));
        root.draw_text(&self.title, &title, (pixels(18), pixels(TITLE / 2 + 3))).map_err(said)?;
        let mut rest = root.split_vertically(pixels(TITLE)).1;
        for Row { height, panels } in &self.rows {
            let (row, below) = rest.split_vertically(pixels(*height));
            for (area, panel) in row.split_evenly((1, panels.len())).iter().zip(panels) {
                draw_panel(area, panel, scale).map_err(said)?;
            }
            rest = below;
        }
        root.present().map_err(said)
    }
}

fn text_style(size: f64, color: &RGBColor, at: Pos) -> TextStyle<'static> {
    (FONT, size).into_font().color(color).pos(at)
}

fn draw_panel<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    panel: &Panel,
    scale: f64,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    let pixels = |points: f64| (points * scale).round() as i32;
    let (header, body) = area.split_vertically(pixels(f64::from(CAPTION)));
    draw_header(&header, panel, scale)?;
    let labels = text_style(12.0 * scale, &WEAK, Pos::default());
    let mut chart = ChartBuilder::on(&body)
        .margin_right(pixels(20.0))
        .margin_bottom(pixels(4.0))
        .x_label_area_size(pixels(22.0))
        .y_label_area_size(pixels(66.0))
        .build_cartesian_2d(panel.x[0]..panel.x[1], panel.y[0]..panel.y[1])?;
    let (width, _) = area.dim_in_pixel();
    let columns = (f64::from(width) / scale / 100.0) as usize;
    let step = (panel.y[1] - panel.y[0]) / 6.0;
    chart
        .configure_mesh()
        .x_labels(columns.clamp(3, 12))
        .y_labels(6)
        .x_label_formatter(&|x| format!("{} s", rounded(*x, (panel.x[1] - panel.x[0]) / 10.0)))
        .y_label_formatter(&|y| format!("{}{}", rounded(*y, step), panel.unit))
        .bold_line_style(GRID.stroke_width(pixels(1.0) as u32))
        .light_line_style(TRANSPARENT)
        .axis_style(FRAME.stroke_width(pixels(1.0) as u32))
        .label_style(labels)
        .set_all_tick_mark_size(pixels(4.0))
        .draw()?;
    let thin = pixels(1.0) as u32;
    for mark in &panel.marks {
        let line = vec![(*mark, panel.y[0]), (*mark, panel.y[1])];
        chart.draw_series([PathElement::new(line, WEAK.stroke_width(thin))])?;
    }
    for handle in &panel.handles {
        let (to, inside) = cut(handle.from.into(), handle.to.into(), panel.y);
        let to = to.into();
        let style = handle.color.mix(0.55).stroke_width(thin);
        chart.draw_series([PathElement::new(vec![handle.from, to], style)])?;
        if inside {
            let square = EmptyElement::at(to)
                + Rectangle::new(
                    [(-pixels(2.5), -pixels(2.5)), (pixels(2.5), pixels(2.5))],
                    handle.color.mix(0.75).filled(),
                );
            chart.draw_series([square])?;
        }
    }
    let (across, down) = chart.plotting_area().dim_in_pixel();
    let points_per = |pixels: u32, [from, to]: [f64; 2]| f64::from(pixels) / scale / (to - from);
    let zoom = [points_per(across, panel.x), points_per(down, panel.y)];
    for stroke in strokes(&panel.lines, panel.keyed, 0.5 / zoom[1]) {
        let style = stroke.color.stroke_width(pixels(stroke.width).max(1) as u32);
        let pieces = stroke.dashes(zoom).into_iter();
        chart.draw_series(pieces.map(|piece| PathElement::new(piece, style)))?;
    }
    // Shrink the dots if there are many, so that they do not hide the line.
    let keys = panel.dots.iter().map(|d| d.points.len()).max().unwrap_or(0);
    let room = f64::from(width) / scale / keys.max(1) as f64;
    let radius = (0.4 * room).clamp(1.5, 4.0);
    for dots in &panel.dots {
        let ring = |at: &(f64, f64)| Circle::new(*at, pixels(radius), WHITE.filled());
        let dot = |at: &(f64, f64)| Circle::new(*at, pixels(radius - 1.0), dots.color.filled());
        if radius > 2.5 {
            chart.draw_series(dots.points.iter().map(ring))?;
        }
        chart.draw_series(dots.points.iter().map(dot))?;
    }
    Ok(())
}

/// Draws the caption on the left and as much of the legend as has room on the right.
fn draw_header<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    panel: &Panel,
    scale: f64,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    let pixels = |points: f64| (points * scale).round() as i32;
    let (width, height) = area.dim_in_pixel();
    let middle = height as i32 / 2 + pixels(3.0);
    let caption = text_style(14.5 * scale, &INK, Pos::new(HPos::Left, VPos::Center));
    area.draw_text(&panel.caption, &caption, (pixels(66.0), middle))?;
    let style = text_style(13.0 * scale, &INK, Pos::new(HPos::Right, VPos::Center));
    let text_width = |text: &str, style| -> Result<i32, DrawingAreaErrorKind<B::ErrorType>> {
        Ok(area.estimate_text_size(text, style)?.0 as i32)
    };
    let names = panel.legend.iter().map(|(name, _)| text_width(name, &style));
    let widths = names.map(|width| Ok(width? + pixels(6.0 + 18.0 + 16.0)));
    let widths: Vec<i32> = widths.collect::<Result<_, DrawingAreaErrorKind<B::ErrorType>>>()?;
    let more = |named: usize| format!("and {} more", widths.len() - named);
    let mut right = width as i32 - pixels(20.0);
    let left = pixels(66.0 + 20.0) + text_width(&panel.caption, &caption)?;
    let rest = text_width(&more(0), &style)? + pixels(16.0);
    let named = named(&widths, right - left, rest);
    if named < widths.len() {
        area.draw_text(&more(named), &style, (right, middle))?;
        right -= rest;
    }
    for (name, index) in panel.legend[..named].iter().rev() {
        area.draw_text(name, &style, (right, middle))?;
        right -= text_width(name, &style)? + pixels(6.0);
        let line = [(right - pixels(18.0), middle), (right, middle)];
        area.draw(&PathElement::new(line, color(*index).stroke_width(pixels(3.0) as u32)))?;
        right -= pixels(18.0 + 16.0);
    }
    Ok(())
}

/// Returns how many of the first entries of these widths a legend of a width names. If not all, the number of the others
/// is written behind them, which takes `rest`.
fn named(widths: &[i32], room: i32, rest: i32) -> usize {
    let fitting = |room: i32| {
        let ends = widths.iter().scan(0, |end, width| {
            *end += width;
            Some(*end)
        });
        ends.take(MOST_NAMES).take_while(|end| *end <= room).count()
    };
    match fitting(room) {
        all if all == widths.len() => all,
        _ => fitting(room - rest),
    }
}

/// Cuts a line at a range of heights. Returns its end, and whether that was inside the range.
fn cut(from: DVec2, to: DVec2, y: [f64; 2]) -> (DVec2, bool) {
    let inside = to.y.clamp(y[0], y[1]);
    if inside == to.y {
        return (to, true);
    }
    let part = (inside - from.y) / (to.y - from.y);
    (DVec2::new(from.x + part * (to.x - from.x), inside), false)
}

/// Formats a number with the digits that steps of this size need.
fn rounded(x: f64, step: f64) -> String {
    let digits = (-step.abs().log10()).ceil();
    if !digits.is_finite() || digits > 6.0 || x.abs() >= 1e7 {
        return format!("{x:.2e}");
    }
    let text = format!("{x:.*}", digits.max(0.0) as usize);
    // Avoid "-0.0" and trailing zeros.
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    };
    if text == "-0" { "0".to_owned() } else { text }
}

/// Scales a picture down: averages the pixels of each square of `factor` pixels.
fn smaller(bytes: &[u8], [width, height]: [u32; 2], factor: u32) -> Vec<u8> {
    let (width, height, n) = (width as usize, height as usize, factor as usize);
    let mut out = Vec::with_capacity(3 * width * height);
    for y in 0..height {
        for x in 0..width {
            for channel in 0..3 {
                let mut sum = 0usize;
                for dy in 0..n {
                    for dx in 0..n {
                        let pixel = (y * n + dy) * width * n + x * n + dx;
                        sum += usize::from(bytes[3 * pixel + channel]);
                    }
                }
                out.push((sum / (n * n)) as u8);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_legend_names_what_has_room_and_counts_the_others() {
        assert_eq!(named(&[40, 40, 40], 120, 50), 3);
        assert_eq!(named(&[40, 40, 40], 119, 50), 1);
        assert_eq!(named(&[40, 40, 40], 60, 50), 0);
        assert_eq!(named(&[10; 20], 1000, 50), MOST_NAMES);
        assert_eq!(named(&[], 0, 50), 0);
    }

    #[test]
    fn numbers_have_the_digits_that_they_need() {
        assert_eq!(rounded(0.30000000000000004, 0.1), "0.3");
        assert_eq!(rounded(-1e-17, 0.1), "0");
        assert_eq!(rounded(250.0, 50.0), "250");
        assert_eq!(rounded(1.25, 0.05), "1.25");
        assert_eq!(rounded(1e12, 1e11), "1.00e12");
    }

    #[test]
    fn a_wild_handle_is_cut_at_the_border_on_its_own_line() {
        let (to, inside) = cut(DVec2::ONE, DVec2::new(2.0, 11.0), [0.0, 6.0]);
        assert_eq!((to, inside), (DVec2::new(1.5, 6.0), false));
        assert_eq!(cut(DVec2::ONE, DVec2::new(2.0, 5.0), [0.0, 6.0]), (DVec2::new(2.0, 5.0), true));
    }
}
