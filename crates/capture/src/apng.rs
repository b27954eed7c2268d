//! Writes a film as an animated PNG that plays forever. Each frame stores the rectangle that changes.

use std::io::{self, Write};

use super::changed::Rect;
use super::picture::png_failed;
use super::ratio::ratio;
use super::{Film, Picture};

/// Limit of the numerator and denominator of a delay.
const MOST: u32 = u16::MAX as u32;

/// Writes an animated PNG. All frames are shown for the same time, so that together they last as long as
/// the film.
///
/// # Errors
/// If a frame is an error, or `out` can't be written.
pub fn write_apng(
    film: &Film,
    frames: impl Iterator<Item = io::Result<Picture>>,
    out: impl Write,
) -> io::Result<()> {
    let [width, height] = film.size;
    let mut frames = frames.peekable();
    let (color, depth) = match frames.peek() {
        Some(Ok(first)) => first.samples(film.is_opaque()).format(),
        _ => return frames.next().map_or(Ok(()), |failed| failed.map(drop)),
    };
    let mut encoder = png::Encoder::new(out, width, height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    encoder.set_compression(png::Compression::Fast);
    encoder.set_animated(film.schedule.frames(), 0).map_err(png_failed)?;
    let [over, under] = ratio(film.schedule.start_secs(1), MOST);
    encoder.set_frame_delay(over as u16, under as u16).map_err(png_failed)?;
    let mut writer = encoder.write_header().map_err(png_failed)?;
    let size = film.size.map(|n| n as usize);
    let mut before: Option<Vec<u8>> = None;
    for frame in frames {
        let frame = frame?;
        let samples = frame.samples(film.is_opaque());
        match &before {
            None => writer.write_image_data(&samples.bytes),
            Some(before) => {
                let rect = Rect::changed(before, &samples.bytes, size, samples.pixel());
                let bytes = rect.cut(&samples.bytes, size[0], samples.pixel());
                write_part(&mut writer, rect, &bytes)
            }
        }
        .map_err(png_failed)?;
        before = Some(samples.bytes.into_owned());
    }
    writer.finish().map_err(png_failed)
}

/// Writes a frame that replaces a rectangle of the frame before it.
fn write_part(
    writer: &mut png::Writer<impl Write>,
    rect: Rect,
    bytes: &[u8],
) -> Result<(), png::EncodingError> {
    // The new rectangle must fit in the picture after each of these calls.
    writer.reset_frame_position()?;
    writer.set_frame_dimension(rect.width as u32, rect.height as u32)?;
    writer.set_frame_position(rect.left as u32, rect.top as u32)?;
    writer.write_image_data(bytes)
}
