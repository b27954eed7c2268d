//! Poses a file and prints where a joint is in the scene.
//!
//! `cargo run --example pose_file -- [FILE [NODE [SECS]]]` prints one line: the node, the time and the
//! position. Without arguments it uses the built-in rig, its last joint and 0.5 s.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;
use std::path::Path;

use rigview::import::{ImageDecoding, ImportOptions, load};
use rigview::model::Stage;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let built_in = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/creature.glb");
    let file = args.next().unwrap_or_else(|| built_in.to_owned());
    let wanted = args.next();
    let time_secs: f64 = args.next().map_or(Ok(0.5), |secs| secs.parse())?;

    // A pose needs no pixels, so only the images' headers are read.
    let options = ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::default() };
    let loaded = load(Path::new(&file), &options)?;
    for warning in loaded.warnings.iter().filter(|warning| !warning.is_hint()) {
        eprintln!("warning: {warning}");
    }
    let model = loaded.model;

    let name = |node: usize| model.nodes[node].name.as_deref().unwrap_or("(unnamed)");
    let mut stage = Stage::new(&model, model.default_scene);
    let node = match &wanted {
        Some(wanted) => (0..model.nodes.len()).find(|node| name(*node) == wanted),
        None => stage.joints(&model).last().copied(),
    };
    let node = node.ok_or("no such node; `rigview pose FILE` lists them")?;

    stage.pose(&model, model.clips.first(), time_secs);
    let position = stage.scene_from_node(node).translation;
    println!("{} at {time_secs} s: {position}", name(node));
    Ok(())
}
