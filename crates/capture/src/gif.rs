//! Writes a film as a GIF that plays forever: a palette per frame, and ordered dithering. Over an opaque
//! background, a frame stores only the pixels that change, so that all others keep their dots.

use std::borrow::Cow;
use std::io::{self, Write};

use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};

use super::changed::Rect;
use super::dither::Dither;
use super::palette::{Rgb, palette};
use super::{Film, Picture};

/// Colours per frame; the last index means transparent.
const COLORS: usize = 255;
const TRANSPARENT: u8 = 255;

/// Writes a GIF. Its delays are multiples of 10 ms: each frame begins at the multiple nearest to its time, so
/// that rounding does not add up. Pixels with an alpha below one half are transparent; there is no partial
/// transparency.
///
/// # Errors
/// If a frame is an error or larger than 65535 pixels in a direction, or `out` can't be written.
pub fn write_gif(
    film: &Film,
    frames: impl Iterator<Item = io::Result<Picture>>,
    out: impl Write,
) -> io::Result<()> {
    let too_large = |_| io::Error::other("a GIF is at most 65535 pixels wide and high");
    let [width, height] = film.size;
    let size = [u16::try_from(width), u16::try_from(height)];
    let [width, height] = [size[0].map_err(too_large)?, size[1].map_err(too_large)?];
    let mut encoder = Encoder::new(out, width, height, &[]).map_err(failed)?;
    encoder.set_repeat(Repeat::Infinite).map_err(failed)?;
    let mut before: Option<Vec<u8>> = None;
    for (number, frame) in (0..).zip(frames) {
        let frame = frame?;
        let rgba = frame.rgba();
        let mut encoded = encoded(film, before.as_deref(), &rgba);
        encoded.delay = delay(film, number);
        encoder.write_frame(&encoded).map_err(failed)?;
        before = Some(rgba.into_owned());
    }
    encoder.into_inner().map_err(failed)?.flush()
}

fn failed(error: EncodingError) -> io::Error {
    match error {
        EncodingError::Io(error) => error,
        other => io::Error::other(other),
    }
}

/// Returns how long a frame is shown, in hundredths of a second.
fn delay(film: &Film, frame: u32) -> u16 {
    let hundredths = |frame| (100.0 * film.schedule.start_secs(frame)).round();
    (hundredths(frame + 1) - hundredths(frame)) as u16
}

/// Returns a frame without its delay. `before` and `rgba` are the pixels of the frame before it and its own.
fn encoded(film: &Film, before: Option<&[u8]>, rgba: &[u8]) -> Frame<'static> {
    let size = film.size.map(|n| n as usize);
    let pixel = |index: usize| 4 * index..4 * index + 4;
    // A frame can't make pixels transparent again, so those with a transparent background replace all of
    // the frame before, which is cleared.
    let is_drawn = |index: usize| match (film.is_opaque(), before) {
        (true, Some(before)) => before[pixel(index)] != rgba[pixel(index)],
        (true, None) => true,
        (false, _) => rgba[4 * index + 3] >= 128,
    };
    let rect = Rect::around(size, is_drawn);
    let rows = rect.top..rect.top + rect.height;
    let inside = rows.flat_map(|y| (rect.left..rect.left + rect.width).map(move |x| [x, y]));
    let drawn = |[x, y]: [usize; 2]| {
        let index = y * size[0] + x;
        let color: Rgb = [rgba[4 * index], rgba[4 * index + 1], rgba[4 * index + 2]];
        is_drawn(index).then_some(color)
    };
    let [r, g, b, _] = film.background;
    let exact = if film.is_opaque() { &[[r, g, b]][..] } else { &[] };
    let mut colors = palette(inside.clone().filter_map(drawn), exact, COLORS);
    if colors.is_empty() {
        colors.push([0; 3]);
    }
    let mut dither = Dither::new(&colors);
    let indexed = |at| drawn(at).map_or(TRANSPARENT, |color| dither.index(color, at));
    let buffer: Vec<u8> = inside.map(indexed).collect();
    colors.resize(COLORS + 1, [0; 3]);
    Frame {
        left: rect.left as u16,
        top: rect.top as u16,
        width: rect.width as u16,
        height: rect.height as u16,
        transparent: Some(TRANSPARENT),
        dispose: if film.is_opaque() { DisposalMethod::Keep } else { DisposalMethod::Background },
        palette: Some(colors.concat()),
        buffer: Cow::Owned(buffer),
        ..Frame::default()
    }
}
