//! Draws a picture of a file without a window.
//!
//! `cargo run --example picture -- OUT.png [FILE]` writes 512 by 512 pixels: the first clip at 0.5 s, in
//! the view and light that the window starts with. Without FILE it draws the built-in rig.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

use rigview::capture::{picture, session, write_png};
use rigview::import::{ImportOptions, load};
use rigview::render::{AdapterChoice, Gpu};
use rigview::session::{FileSource, SessionOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args_os().skip(1);
    let output = args.next().ok_or("usage: picture OUT.png [FILE]")?;
    let built_in = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/creature.glb");
    let file: PathBuf = args.next().map_or(built_in.into(), PathBuf::from);

    let gpu = Gpu::headless(&AdapterChoice::default())?;
    let loaded = load(&file, &ImportOptions::default())?;
    let options = SessionOptions { time_secs: Some(0.5), ..SessionOptions::default() };
    let mut session = session(FileSource::Path(file), loaded, options);
    let picture = picture(&gpu, &mut session, [512, 512])?;
    write_png(&picture, BufWriter::new(File::create(output)?))?;
    Ok(())
}
