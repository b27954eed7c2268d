//! The pixels of a finished picture that is written on.

use rigview_render::Lettering;

/// Pixels as RGBA with straight alpha, rows from the top.
pub(super) struct Paper<'a> {
    /// Width and height.
    pub size: [u32; 2],
    /// Four bytes per pixel.
    pub bytes: &'a mut [u8],
}

impl Paper<'_> {
    /// Blends a colour over a pixel; pixels outside of the picture are ignored.
    pub fn blend(&mut self, [x, y]: [i32; 2], color: [u8; 3], covered: f32) {
        let [width, height] = self.size.map(|n| n as i32);
        if !(0..width).contains(&x) || !(0..height).contains(&y) || covered <= 0.0 {
            return;
        }
        let at = (y as usize * width as usize + x as usize) * 4;
        let pixel = &mut self.bytes[at..at + 4];
        let behind = f32::from(pixel[3]) / 255.0 * (1.0 - covered);
        let alpha = covered + behind;
        for (old, new) in pixel.iter_mut().zip(color) {
            *old = ((f32::from(new) * covered + f32::from(*old) * behind) / alpha).round() as u8;
        }
        pixel[3] = (255.0 * alpha).round() as u8;
    }

    /// Blends a colour over a rectangle: left, top, width and height.
    pub fn fill(&mut self, [left, top, width, height]: [i32; 4], color: [u8; 3], covered: f32) {
        for y in top..top + height {
            (left..left + width).for_each(|x| self.blend([x, y], color, covered));
        }
    }

    /// Writes a line of text from its upper left corner.
    pub fn write(
        &mut self,
        letters: &mut Lettering,
        text: &str,
        [left, top]: [i32; 2],
        color: [u8; 3],
    ) {
        letters.draw(text, |[x, y], covered| self.blend([left + x, top + y], color, covered));
    }
}
