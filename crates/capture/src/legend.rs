//! Paints the legend over a finished picture, in the corner where it hides least of the model: the scale of a pass that
//! shows numbers by colours, and what colours of lines mean.

use std::sync::Arc;

use glam::Vec2;

use super::Picture;
use super::paper::Paper;
use rigview_look::{CardPlace, Corner, Legend, LegendRow, Silhouette};
use rigview_render::{Frame, Lettering};

/// Colours of the card, of its title and of its labels.
const CARD: [u8; 3] = [0x22, 0x26, 0x2d];
const TITLE: [u8; 3] = [0xff; 3];
const LABEL: [u8; 3] = [0xd3, 0xd7, 0xde];

/// Opacity of the card.
const OPACITY: f32 = 0.92;

/// Width of the bar of colours in points, and the width below which a picture has no legend.
const BAR: f32 = 200.0;
const LEAST_BAR: f32 = 60.0;

/// The largest share of a picture's width that the bar takes unless it has its least width or a row needs more, so that
/// the legend stands beside the model in small pictures too.
const MOST_WIDTH: f32 = 0.3;

/// The largest share of a picture's height that a legend may cover.
const MOST_HEIGHT: f32 = 0.4;

/// The contents of a card.
struct Contents {
    scale: Option<Legend>,
    rows: Arc<[LegendRow]>,
}

/// The legend of a picture, placed before the picture is finished.
pub struct LegendCard {
    contents: Contents,
    layout: Layout,
    /// The upper left corner, then width and height in pixels.
    rect: [i32; 4],
}

/// Lengths of the card in pixels.
struct Layout {
    /// Distance of the card from the picture's edges.
    margin: i32,
    /// Distance of its contents from the card's edges.
    padding: i32,
    /// Distance between two rows.
    gap: i32,
    bar: [i32; 2],
    title: i32,
    label: i32,
}

impl Layout {
    /// Returns the lengths for a picture of this width at a number of pixels per point, without room for rows.
    fn new(width: u32, scale: f32) -> Self {
        let pixels = |points: f32| (points * scale).round().max(1.0) as i32;
        let (margin, padding) = (pixels(12.0), pixels(10.0));
        let room = width as i32 - 2 * (margin + padding);
        let share = (MOST_WIDTH * width as f32) as i32;
        let bar = pixels(BAR).min(share.max(pixels(LEAST_BAR))).min(room);
        let bar = [bar, pixels(10.0)];
        let gap = pixels(4.0);
        Self { margin, padding, gap, bar, title: pixels(15.0), label: pixels(13.0) }
    }

    /// Widens the bar to the title and the longest row, as far as a picture of this width has room.
    fn widen(&mut self, contents: &Contents, [title, label]: [&mut Lettering; 2], width: u32) {
        let texts = contents.rows.iter().map(|row| label.width(&row.text).ceil() as i32);
        let rows = texts.max().map_or(0, |longest| self.indent() + longest);
        let titled = contents.scale.as_ref();
        let titled = titled.map_or(0, |legend| title.width(&legend.title).ceil() as i32);
        let room = width as i32 - 2 * (self.margin + self.padding);
        self.bar[0] = self.bar[0].max(rows).max(titled).min(room);
    }

    /// Returns the letters of the title and of labels; `None` if there is no font.
    fn letters(&self) -> Option<[Lettering; 2]> {
        Some([Lettering::new(self.title as f32)?, Lettering::new(self.label as f32)?])
    }

    /// Returns the side of the square with a row's colour.
    fn square(&self) -> i32 {
        self.label - self.gap / 2
    }

    /// Returns the distance of a row's text from its left end.
    fn indent(&self) -> i32 {
        self.square() + self.gap + self.gap / 2
    }

    /// Returns the card's width and height.
    fn card(&self, contents: &Contents) -> [i32; 2] {
        let scale = contents.scale.as_ref().map(|legend| {
            let outside = if legend.scale.outside.is_some() { self.row() } else { 0 };
            self.title + self.gap + self.bar[1] + self.gap + self.label + outside
        });
        let rows = contents.rows.len() as i32 * self.row();
        let rows = if scale.is_none() { rows - self.gap } else { rows };
        [self.bar[0] + 2 * self.padding, scale.unwrap_or(0) + rows + 2 * self.padding]
    }

    /// Returns the height of a row with the gap above it.
    fn row(&self) -> i32 {
        self.gap + self.label
    }
}

impl LegendCard {
    /// Returns the legend of a frame's look in a picture of this size in pixels, if it has one and the picture has room for
    /// it. It stays in the corner `present`, unless it would hide much there, and `present` becomes its corner.
    pub fn new(frame: &Frame, size: [u32; 2], present: &mut Option<Corner>) -> Option<Self> {
        let look = frame.look;
        let rows = Arc::clone(&look.highlight.legend_rows);
        let contents = Contents { scale: Legend::new(look, frame.model), rows };
        if !look.legend || (contents.scale.is_none() && contents.rows.is_empty()) {
            return None;
        }
        let scale = look.overlay_scale;
        let mut layout = Layout::new(size[0], scale);
        let [mut title, mut label] = layout.letters()?;
        layout.widen(&contents, [&mut title, &mut label], size[0]);
        let [width, height] = layout.card(&contents);
        let fits = layout.bar[0] as f32 >= LEAST_BAR * scale;
        if !fits || height as f32 > MOST_HEIGHT * size[1] as f32 {
            return None;
        }
        let [x, y] = freest_corner(frame, present, size, layout.margin, [width, height]);
        Some(Self { contents, layout, rect: [x, y, width, height] })
    }

    /// Paints the legend over a picture; not over one whose pixels are data.
    pub fn paint(&self, picture: &mut Picture) {
        let Self { contents, layout, rect } = self;
        let Picture::Rgba8 { size, bytes } = picture else { return };
        let Some([mut title, mut label]) = layout.letters() else { return };
        let mut paper = Paper { size: *size, bytes };
        paper.fill(*rect, CARD, OPACITY);
        let [left, mut top] = [rect[0], rect[1]].map(|n| n + layout.padding);
        if let Some(legend) = &contents.scale {
            top = write_scale(&mut paper, legend, layout, [&mut title, &mut label], [left, top]);
            top += layout.gap;
        }
        for LegendRow { color, text } in &contents.rows[..] {
            write_row(&mut paper, layout, &mut label, *color, text, [left, top]);
            top += layout.row();
        }
    }
}

/// Returns the upper left corner of a card where it hides least of the model: in the picture's lower left corner if that
/// is as good as any other. `present` is its corner in the picture before, and becomes that of this one.
fn freest_corner(
    frame: &Frame,
    present: &mut Option<Corner>,
    size: [u32; 2],
    margin: i32,
    card: [i32; 2],
) -> [i32; 2] {
    let picture = Vec2::from(size.map(|edge| edge as f32));
    let card = Vec2::from(card.map(|edge| edge as f32));
    let place = CardPlace { picture, card, margin: margin as f32 };
    let stages = std::iter::once(frame.stage).chain(frame.others);
    let model = Silhouette::new(frame.model, stages, frame.view, picture);
    let corner = model.freest(&place, &Corner::ALL, *present);
    *present = Some(corner);
    let at = place.at(corner);
    [at.x as i32, at.y as i32]
}

/// Writes title, bar and labels from their upper left corner. Returns the place of their lower end.
fn write_scale(
    paper: &mut Paper<'_>,
    legend: &Legend,
    layout: &Layout,
    [title, label]: [&mut Lettering; 2],
    [left, mut top]: [i32; 2],
) -> i32 {
    let scale = &legend.scale;
    let [width, bar] = layout.bar;
    let plain: String =
        legend.title.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let text = title.shortened(&plain, width as f32);
    paper.write(title, &text, [left, top], TITLE);
    top += layout.title + layout.gap;
    for x in 0..width {
        let color = scale.color(x as f32 / (width - 1).max(1) as f32);
        paper.fill([left + x, top, 1, bar], color, 1.0);
    }
    top += bar + layout.gap;
    let last = (scale.labels.len() - 1).max(1) as f32;
    for (i, text) in scale.labels.iter().enumerate() {
        // The first label begins with the bar, and the last one ends with it.
        let middle = width as f32 * i as f32 / last;
        let most = (width as f32 - label.width(text)).max(0.0);
        let x = (middle - 0.5 * label.width(text)).clamp(0.0, most);
        paper.write(label, text, [left + x.round() as i32, top], LABEL);
    }
    top += layout.label;
    if let Some((color, text)) = scale.outside {
        write_row(paper, layout, label, color, text, [left, top + layout.gap]);
        top += layout.row();
    }
    top
}

/// Writes a colour and its meaning from their upper left corner.
fn write_row(
    paper: &mut Paper<'_>,
    layout: &Layout,
    label: &mut Lettering,
    color: [u8; 3],
    text: &str,
    [left, top]: [i32; 2],
) {
    let (side, indent) = (layout.square(), layout.indent());
    paper.fill([left, top, side, side], color, 1.0);
    let text = label.shortened(text, (layout.bar[0] - indent) as f32);
    paper.write(label, &text, [left + indent, top], LABEL);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_written_whole_in_small_pictures_too() {
        let text = "Clip: 1.107 × 2.000 × 0.400 m".to_owned();
        let rows = Arc::new([LegendRow { color: LABEL, text: text.clone() }]);
        let contents = Contents { scale: None, rows };
        let widened = |width: u32| {
            let mut layout = Layout::new(width, 1.0);
            let [mut title, mut label] = layout.letters().unwrap();
            layout.widen(&contents, [&mut title, &mut label], width);
            let shown = label.shortened(&text, (layout.bar[0] - layout.indent()) as f32);
            (shown, layout.bar[0])
        };
        assert_eq!(widened(260).0, text);
        // No wider than needed, and never wider than the picture.
        assert_eq!(widened(260).1, widened(400).1);
        assert!(widened(100).1 <= 100 - 44);
    }
}
