//! The part of a frame that differs from the frame before it. Animations store only that part.

/// A rectangle of a picture, in pixels from the left and the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rect {
    pub left: usize,
    pub top: usize,
    pub width: usize,
    pub height: usize,
}

impl Rect {
    /// Returns the smallest rectangle around the pixels of a picture that `is_in` accepts by their index, or
    /// the first pixel if there are none: no animation has empty frames.
    pub fn around([width, height]: [usize; 2], is_in: impl Fn(usize) -> bool) -> Self {
        let (mut left, mut right, mut top, mut bottom) = (width, 0, height, 0);
        for y in 0..height {
            let mut row = (0..width).filter(|x| is_in(y * width + x));
            let Some(first) = row.next() else { continue };
            let last = (first..width).rev().find(|x| is_in(y * width + x)).unwrap_or(first);
            (left, right) = (left.min(first), right.max(last + 1));
            (top, bottom) = (top.min(y), y + 1);
        }
        if top >= bottom {
            return Self { left: 0, top: 0, width: 1, height: 1 };
        }
        Self { left, top, width: right - left, height: bottom - top }
    }

    /// Returns the smallest rectangle around the pixels that differ between two pictures of the same size.
    pub fn changed(before: &[u8], after: &[u8], size: [usize; 2], pixel: usize) -> Self {
        let bytes = |index: usize| index * pixel..(index + 1) * pixel;
        Self::around(size, |index| before[bytes(index)] != after[bytes(index)])
    }

    /// Copies its pixels out of a picture of this width.
    pub fn cut(self, picture: &[u8], width: usize, pixel: usize) -> Vec<u8> {
        let rows = picture.chunks_exact(width * pixel).skip(self.top).take(self.height);
        let bytes = self.left * pixel..(self.left + self.width) * pixel;
        rows.flat_map(|row| row[bytes.clone()].iter().copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changed_pixels_are_inside() {
        let before = [0; 4 * 3 * 2];
        let mut after = before;
        let rect = |after: &[u8]| Rect::changed(&before, after, [4, 3], 2);
        assert_eq!(rect(&after), Rect { left: 0, top: 0, width: 1, height: 1 });
        after[2 * (4 + 3) + 1] = 1;
        assert_eq!(rect(&after), Rect { left: 3, top: 1, width: 1, height: 1 });
        after[2 * (2 * 4 + 1)] = 7;
        let both = rect(&after);
        assert_eq!(both, Rect { left: 1, top: 1, width: 3, height: 2 });
        assert_eq!(both.cut(&after, 4, 2), [0, 0, 0, 0, 0, 1, 7, 0, 0, 0, 0, 0]);
    }
}
