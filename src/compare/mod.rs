//! Differences of two pictures, and of two models.
//!
//! ```no_run
//! use rigview::compare::{Pixels, pictures};
//!
//! let [a, b] = ["approved.png", "new.png"].map(|file| std::fs::read(file).unwrap());
//! let (a, b) = (Pixels::from_png(&a)?, Pixels::from_png(&b)?);
//! let difference = pictures(&a, &b)?;
//! println!("{} of the pixels differ visibly, FLIP {}", difference.visible, difference.flip);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod flip;
mod flip_colour;
mod flip_filter;
mod picture;
mod pixels;
mod side_by_side;

pub use flip::{PIXELS_PER_DEGREE, flip_map};
pub use picture::{Limits, PictureDifference, SizesDiffer, pictures};
pub use pixels::{Pixels, PixelsError};
pub use side_by_side::{DifferencePicture, heat, side_by_side};
