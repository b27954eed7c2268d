//! Differences of two pictures, and of two models.
//!
//! ```no_run
//! use rigview_compare::{Bitmap, pictures};
//!
//! let [a, b] = ["approved.png", "new.png"].map(|file| std::fs::read(file).unwrap());
//! let (a, b) = (Bitmap::from_png(&a)?, Bitmap::from_png(&b)?);
//! let difference = pictures(&a, &b)?;
//! println!("{} of the pixels differ visibly, FLIP {}", difference.visible, difference.flip);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ```
//! use rigview_compare::models;
//! use rigview_import::{ImportOptions, load};
//!
//! let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/creature.glb");
//! let a = load(file.as_ref(), &ImportOptions::default())?.model;
//! let b = a.clone();
//! let difference = models(&a, &b)?;
//! assert!(difference.is_equal(1e-4));
//! assert_eq!(difference.rest.distance, Some(0.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cause;
mod change;
mod changes;
mod error;
mod heat;
mod ignored;
mod measured;
mod measuring;
mod model_difference;
mod models;
mod motion;
mod pairing;
mod pictures;
mod progress;
mod side;

pub use change::{Change, ChangeKind, Kind};
pub use changes::interpolations::InterpolationChange;
pub use error::ComparisonError;
pub use heat::{Heat, heat_color, model_heat};
pub use ignored::Ignored;
pub use measured::Paired;
pub use measuring::{Apart, FarthestPoints, Measuring, Moment};
pub use model_difference::{
    ClipDifference, Distances, ModelDifference, RestDifference, Unmeasured,
};
pub use models::{distances, models, models_within};
pub use pairing::clip_pairs::PairedBy;
pub use pictures::bitmap::{Bitmap, BitmapError};
pub use pictures::difference::{PictureDifference, PictureLimits, SizesDiffer, pictures};
pub use pictures::flip::{PIXELS_PER_DEGREE, flip_map};
pub use pictures::side_by_side::{DifferencePicture, heat, side_by_side};
pub use progress::CompareProgress;
