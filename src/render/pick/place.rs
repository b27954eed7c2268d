//! The place that a pick is asked about.

use glam::DVec2;

/// A place of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PickPlace {
    /// The pixel: right and down from the picture's top left corner.
    pub pixel: [u32; 2],
    /// Width and height of the picture in pixels.
    pub size: [u32; 2],
    /// Distance in pixels within which points and lines are found, at most 7.
    pub reach: u32,
}

impl PickPlace {
    /// Returns the pixel at a position that is given in picture heights from the picture's centre, Y down; `None`
    /// if it is outside of the picture.
    pub fn pixel_at(at: DVec2, [width, height]: [u32; 2]) -> Option<[u32; 2]> {
        let place = at * f64::from(height) + 0.5 * DVec2::new(width.into(), height.into());
        let inside = |n: f64, edge: u32| (0.0..f64::from(edge)).contains(&n).then_some(n as u32);
        Some([inside(place.x, width)?, inside(place.y, height)?])
    }

    /// Returns the centre of a pixel in picture heights from the picture's centre, Y down.
    pub fn center_of([x, y]: [u32; 2], [width, height]: [u32; 2]) -> DVec2 {
        let place = DVec2::new(x.into(), y.into()) + 0.5;
        (place - 0.5 * DVec2::new(width.into(), height.into())) / f64::from(height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_centre_of_a_pixel_is_in_it_and_outside_there_is_none() {
        let size = [31, 20];
        for pixel in [[0, 0], [30, 19], [12, 3]] {
            assert_eq!(PickPlace::pixel_at(PickPlace::center_of(pixel, size), size), Some(pixel));
        }
        assert_eq!(PickPlace::pixel_at(DVec2::new(0.0, 0.5), size), None);
        assert_eq!(PickPlace::pixel_at(DVec2::new(f64::NAN, 0.0), size), None);
    }
}
