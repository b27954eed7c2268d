//! Differences of two pictures, and of two models.
//!
//! ```no_run
//! use rigview::compare::{Bitmap, pictures};
//!
//! let [a, b] = ["approved.png", "new.png"].map(|file| std::fs::read(file).unwrap());
//! let (a, b) = (Bitmap::from_png(&a)?, Bitmap::from_png(&b)?);
//! let difference = pictures(&a, &b)?;
//! println!("{} of the pixels differ visibly, FLIP {}", difference.visible, difference.flip);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ```
//! use rigview::compare::models;
//! use rigview::import::{ImportOptions, load};
//!
//! let file = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/creature.glb");
//! let a = load(file.as_ref(), &ImportOptions::default())?.model;
//! let b = a.clone();
//! let difference = models(&a, &b)?;
//! assert!(difference.is_equal(1e-4));
//! assert_eq!(difference.rest.distance, Some(0.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod attributes;
mod bare_nodes;
mod bind;
mod bitmap;
mod blocks;
mod carriers;
mod cause;
mod change;
mod clip_pairs;
mod drawn;
mod error;
mod extent;
mod extras;
mod flip;
mod flip_colour;
mod flip_filter;
mod gaps;
mod grid;
mod heat;
mod ignored;
mod images;
mod interpolations;
mod leftover;
mod materials;
mod measured;
mod measuring;
mod models;
mod motion;
mod names;
mod nearest;
mod node_pairs;
mod pairs;
mod picture;
mod primitive_pairs;
mod progress;
mod properties;
mod scenes;
mod side;
mod side_by_side;
mod spans;
mod structure;
mod surface;
mod targets;
mod tex_coords;
mod triangles;
mod undrawn;
mod vertex_pairs;
mod vrm;
mod weights;
mod winding;

pub use bitmap::{Bitmap, BitmapError};
pub use change::{Change, ChangeKind, Kind};
pub use clip_pairs::PairedBy;
pub use error::ComparisonError;
pub use flip::{PIXELS_PER_DEGREE, flip_map};
pub use heat::{Heat, heat_color, model_heat};
pub use ignored::Ignored;
pub use interpolations::InterpolationChange;
pub use measured::Paired;
pub use measuring::{Measuring, Moment};
pub use models::{
    ClipDifference, Distances, ModelDifference, RestDifference, Unmeasured, distances, models,
    models_within,
};
pub use picture::{PictureDifference, PictureLimits, SizesDiffer, pictures};
pub use progress::Progress;
pub use side_by_side::{DifferencePicture, heat, side_by_side};
pub use surface::{Places, Surface};
