//! A sheet: many small pictures on one, in rows, each with its name below.

use super::Picture;
use super::paper::Paper;
use rigview_render::Lettering;

/// Limit of the sheet's size in bytes.
const MOST_BYTES: usize = 1 << 30;

/// Height of a line of text, as a fraction of the cell's shorter side, and its limits in pixels.
const LINE: f32 = 0.075;
const LINE_RANGE: (f32, f32) = (11.0, 28.0);

/// Room for the text of a cell, as a multiple of the height of a line, at least: about ten letters. Wider than a narrow picture,
/// which then stands in its middle.
const LEAST_LINE: f32 = 5.0;

/// Margin around the text of a message, as a fraction of the cell.
const MESSAGE_MARGIN: f32 = 0.06;

/// Opacity of the surface of a cell without a picture.
const SURFACE: f32 = 0.08;

/// What the cells of a sheet look like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SheetLayout {
    /// Cells per row; at least 1.
    pub columns: usize,
    /// Width and height of a cell's picture in pixels.
    pub cell: [u32; 2],
    /// Lines of text below each picture. Without text, the pictures touch each other.
    pub lines: usize,
    /// Factor of the text's height.
    pub scale: f32,
    /// Colour of the sheet: sRGB and alpha.
    pub background: [u8; 4],
}

/// The contents of a cell.
#[derive(Clone, Copy, Debug)]
pub enum Cell<'a> {
    /// A picture of the cell's size.
    Picture(&'a Picture),
    /// A text, in place of a picture that does not exist.
    Message(&'a str),
}

/// A sheet that grows cell by cell.
pub struct Sheet {
    layout: SheetLayout,
    /// Distance between cells, and to the sheet's edge, in pixels.
    gap: usize,
    /// Width of a cell with its text, in pixels.
    column: usize,
    /// `None` if the layout has no text.
    lettering: Option<Lettering>,
    message_lettering: Option<Lettering>,
    cells: usize,
    /// RGBA, rows from the top.
    bytes: Vec<u8>,
}

/// The sheet would be too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the sheet is larger than {} MiB", MOST_BYTES >> 20)]
pub struct TooLarge;

impl Sheet {
    /// Returns an empty sheet.
    pub fn new(layout: SheetLayout) -> Self {
        let side = layout.cell[0].min(layout.cell[1]) as f32;
        let line = (LINE * side).clamp(LINE_RANGE.0, LINE_RANGE.1) * layout.scale;
        let line = line.round().clamp(6.0, 96.0);
        let lettering = || Lettering::new(line);
        let has_text = layout.lines > 0;
        let (gap, least) = if has_text {
            [0.5, LEAST_LINE].map(|lines| (lines * line).round() as usize).into()
        } else {
            (0, 0)
        };
        Self {
            layout,
            gap,
            column: least.max(layout.cell[0] as usize),
            lettering: has_text.then(lettering).flatten(),
            message_lettering: lettering(),
            cells: 0,
            bytes: Vec::new(),
        }
    }

    /// Width of the sheet in pixels.
    fn width(&self) -> usize {
        self.layout.columns * (self.column + self.gap) + self.gap
    }

    /// Height of a row of cells with the gap below it, in pixels.
    fn row(&self) -> usize {
        let line = self.lettering.as_ref().map_or(0.0, Lettering::height);
        let text = (self.layout.lines as f32 * line).ceil() as usize;
        self.layout.cell[1] as usize + text + self.gap
    }

    /// Adds a cell with lines of text below it. Long lines are shortened in the middle. Returns the rectangle of
    /// the cell's picture: left, top, width and height in pixels.
    ///
    /// # Errors
    /// If the sheet would be too large.
    pub fn add(&mut self, cell: Cell, label: &[String]) -> Result<[u32; 4], TooLarge> {
        let column = self.cells % self.layout.columns;
        if column == 0 {
            self.add_row()?;
        }
        self.cells += 1;
        let [width, height] = self.layout.cell.map(|n| n as usize);
        let column_left = self.gap + column * (self.column + self.gap);
        let left = column_left + (self.column - width) / 2;
        let top = self.bytes.len() / (4 * self.width()) - self.row();
        match cell {
            Cell::Picture(picture) => self.put_picture(picture, [left, top]),
            Cell::Message(text) => self.put_message(text, [left, top]),
        }
        if let Some(mut lettering) = self.lettering.take() {
            let line = lettering.height();
            for (i, text) in label.iter().take(self.layout.lines).enumerate() {
                let room = self.column as f32;
                let text = lettering.shortened(text, room);
                let middle = 0.5 * (room - lettering.width(&text));
                let below = top as f32 + height as f32 + i as f32 * line;
                self.put_text(&mut lettering, &text, [column_left as f32 + middle, below]);
            }
            self.lettering = Some(lettering);
        }
        Ok([left, top, width, height].map(|n| n as u32))
    }

    /// Returns the finished picture. The last row may have empty cells.
    pub fn finish(self) -> Picture {
        let width = self.width();
        let size = [width as u32, (self.bytes.len() / (4 * width)) as u32];
        Picture::Rgba8 { size, bytes: self.bytes }
    }

    /// Adds an empty row of cells; the first one has a gap above it.
    fn add_row(&mut self) -> Result<(), TooLarge> {
        let first = if self.bytes.is_empty() { self.gap } else { 0 };
        let pixels = self.width().checked_mul(self.row() + first).ok_or(TooLarge)?;
        let bytes = pixels.checked_mul(4).and_then(|n| n.checked_add(self.bytes.len()));
        if bytes.is_none_or(|bytes| bytes > MOST_BYTES) {
            return Err(TooLarge);
        }
        self.bytes.extend(std::iter::repeat_n(self.layout.background, pixels).flatten());
        Ok(())
    }

    fn put_picture(&mut self, picture: &Picture, [left, top]: [usize; 2]) {
        let [width, height] = picture.size().map(|n| n as usize);
        let (rgba, line) = (picture.rgba(), 4 * self.width());
        for (y, row) in rgba.chunks_exact(4 * width).take(height).enumerate() {
            let start = (top + y) * line + 4 * left;
            self.bytes[start..start + row.len()].copy_from_slice(row);
        }
    }

    /// Draws a message in the middle of a cell.
    fn put_message(&mut self, text: &str, [left, top]: [usize; 2]) {
        let [width, height] = self.layout.cell.map(|n| n as usize);
        let ink = self.ink();
        let cell = [left, top, width, height].map(|n| n as i32);
        self.paper().fill(cell, ink, SURFACE);
        let Some(mut lettering) = self.message_lettering.take() else { return };
        let line = lettering.height();
        let room = [width as f32, height as f32].map(|n| n * (1.0 - 2.0 * MESSAGE_MARGIN));
        let lines = lettering.wrapped(text, room[0], (room[1] / line) as usize);
        let above = 0.5 * (height as f32 - lines.len() as f32 * line);
        for (i, text) in lines.iter().enumerate() {
            let middle = 0.5 * (width as f32 - lettering.width(text));
            let at = [left as f32 + middle, top as f32 + above + i as f32 * line];
            self.put_text(&mut lettering, text, at);
        }
        self.message_lettering = Some(lettering);
    }

    fn put_text(&mut self, lettering: &mut Lettering, text: &str, at: [f32; 2]) {
        let ink = self.ink();
        self.paper().write(lettering, text, at.map(|n| n.round() as i32), ink);
    }

    /// The sheet so far, to write on.
    fn paper(&mut self) -> Paper<'_> {
        let width = self.width();
        let size = [width as u32, (self.bytes.len() / (4 * width)) as u32];
        Paper { size, bytes: &mut self.bytes }
    }

    /// The colour of text: light on a dark sheet, dark on a light one, and grey on a transparent one, which may
    /// be shown on any colour.
    fn ink(&self) -> [u8; 3] {
        let [r, g, b, a] = self.layout.background.map(f32::from);
        match 0.299 * r + 0.587 * g + 0.114 * b {
            _ if a < 128.0 => [0x80; 3],
            luma if luma < 140.0 => [0xe8; 3],
            _ => [0x20; 3],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: SheetLayout = SheetLayout {
        columns: 2,
        cell: [20, 10],
        lines: 0,
        scale: 1.0,
        background: [1, 2, 3, 255],
    };

    fn red() -> Picture {
        Picture::Rgba8 { size: [20, 10], bytes: [255, 0, 0, 255].repeat(200) }
    }

    fn pixel(sheet: &Picture, [x, y]: [u32; 2]) -> Vec<u8> {
        let at = 4 * (y * sheet.size()[0] + x) as usize;
        sheet.rgba()[at..at + 4].to_vec()
    }

    #[test]
    fn cells_without_text_touch_each_other() {
        let mut sheet = Sheet::new(LAYOUT);
        let rects: Vec<[u32; 4]> =
            (0..3).map(|_| sheet.add(Cell::Picture(&red()), &[]).unwrap()).collect();
        assert_eq!(rects, [[0, 0, 20, 10], [20, 0, 20, 10], [0, 10, 20, 10]]);
        let sheet = sheet.finish();
        assert_eq!(sheet.size(), [40, 20]);
        assert_eq!(pixel(&sheet, [19, 19]), [255, 0, 0, 255]);
        assert_eq!(pixel(&sheet, [20, 19]), [1, 2, 3, 255]);
    }

    #[test]
    fn text_is_below_its_cell_and_never_on_a_picture() {
        let layout = SheetLayout { lines: 2, cell: [60, 30], ..LAYOUT };
        let mut sheet = Sheet::new(layout);
        let picture = Picture::Rgba8 { size: [60, 30], bytes: [255, 0, 0, 255].repeat(1800) };
        let label = ["a long name that does not fit".to_owned(), "0.5 s".to_owned()];
        let rects = [(); 3].map(|()| sheet.add(Cell::Picture(&picture), &label).unwrap());
        let sheet = sheet.finish();
        let inside = |x: u32, y: u32| {
            rects
                .iter()
                .any(|r| (r[0]..r[0] + r[2]).contains(&x) && (r[1]..r[1] + r[3]).contains(&y))
        };
        let mut ink = 0;
        for y in 0..sheet.size()[1] {
            for x in 0..sheet.size()[0] {
                if inside(x, y) {
                    assert_eq!(pixel(&sheet, [x, y]), [255, 0, 0, 255])
                } else {
                    ink += usize::from(pixel(&sheet, [x, y]) != [1, 2, 3, 255])
                }
            }
        }
        assert!(ink > 200, "{ink}");
    }

    /// Of a picture of a few pixels, the text would be cut to nothing or lie on that of its neighbours.
    #[test]
    fn narrow_pictures_have_room_for_their_text() {
        let layout = SheetLayout { lines: 1, cell: [4, 30], columns: 3, ..LAYOUT };
        let mut sheet = Sheet::new(layout);
        let picture = Picture::Rgba8 { size: [4, 30], bytes: [255, 0, 0, 255].repeat(120) };
        let mut rects = Vec::new();
        for label in ["0.25 s", "", "0.25 s"] {
            rects.push(sheet.add(Cell::Picture(&picture), &[label.to_owned()]).unwrap());
        }
        let (column, gap) = (55, 6);
        let lefts: Vec<u32> = rects.iter().map(|rect| rect[0]).collect();
        assert_eq!(lefts, [0, 1, 2].map(|i| gap + i * (column + gap) + (column - 4) / 2));
        let sheet = sheet.finish();
        let inked = |columns: std::ops::Range<u32>| {
            let below = rects[0][1] + rects[0][3]..sheet.size()[1];
            let places = below.flat_map(|y| columns.clone().map(move |x| [x, y]));
            places.filter(|at| pixel(&sheet, *at) != [1, 2, 3, 255]).count()
        };
        let of =
            |cell: u32| inked(gap + cell * (column + gap)..gap + cell * (column + gap) + column);
        assert!(of(0) > 60 && of(0) == of(2), "{} {}", of(0), of(2));
        assert_eq!(inked(gap + column..gap + 2 * (column + gap)), 0, "the text between is empty");
    }

    #[test]
    fn a_sheet_that_is_too_large_is_refused() {
        let mut sheet = Sheet::new(SheetLayout { columns: 65_536, cell: [65_536; 2], ..LAYOUT });
        assert_eq!(sheet.add(Cell::Message("x"), &[]), Err(TooLarge));
    }
}
