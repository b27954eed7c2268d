//! Checks a file against a contract and prints the findings.
//!
//! `cargo run --example check_file -- [FILE [CONTRACT]]` prints one line per finding. Without arguments it
//! checks the built-in rig against a limit of 10 joints.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;
use std::path::Path;

use rigview::check::{Asset, Contract, findings};
use rigview::import::{ImageDecoding, ImportOptions, load};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let built_in = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/creature.glb");
    let file = args.next().unwrap_or_else(|| built_in.to_owned());
    let text = args.next().map_or(Ok("[limits]\njoints = 10\n".into()), std::fs::read_to_string)?;
    let contract = Contract::parse(&text)?;

    let options = ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::default() };
    let loaded = load(Path::new(&file), &options)?;
    // `findings(&loaded.model, &contract)` is enough where warnings and bytes don't matter.
    let asset = Asset::of(&file, &loaded, std::fs::metadata(&file)?.len());
    for finding in findings(asset, &contract) {
        println!("{} {}: {}", finding.level.name(), finding.code, finding.message);
    }
    Ok(())
}
