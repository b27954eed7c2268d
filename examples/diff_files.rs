//! Compares two models as a library: what changed, and how far the posed skin moved.
//!
//! ```sh
//! cargo run --example diff_files -- before.glb after.glb
//! ```

#![allow(clippy::print_stdout, clippy::print_stderr)]

use rigview::compare::models;
use rigview::import::{ImageDecoding, ImportOptions, load};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut files = std::env::args().skip(1);
    let (Some(a), Some(b)) = (files.next(), files.next()) else {
        return Err("usage: diff_files BEFORE.glb AFTER.glb".into());
    };
    let options = ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::default() };
    let (a, b) = (load(a.as_ref(), &options)?.model, load(b.as_ref(), &options)?.model);

    let difference = models(&a, &b)?;
    for change in difference.structure.iter().chain(&difference.materials) {
        println!(
            "{} {} {}: {}",
            change.kind.name(),
            change.name,
            change.change.name(),
            change.what
        );
    }
    for clip in &difference.clips {
        let name = clip.a.as_deref().unwrap_or("unnamed clip");
        let joint = clip.joint.as_deref().unwrap_or("none");
        if let (Some(metres), Some(time)) = (clip.distance, clip.time) {
            println!("{name}: {:.3} mm at {time:.3} s, joint {joint}", metres * 1000.0);
        }
    }
    println!("{}", if difference.is_equal(1e-4) { "equal" } else { "different" });
    Ok(())
}
