//! The page of a report: its motions as numbers, and the page itself in headless Chromium.

mod folder;
mod motion;
mod page;

use std::path::Path;

use rigview::import::{ImportOptions, load};
use rigview::model::Model;

use crate::support::{Browser, checkout, say_at_the_end};

pub fn browser(test: &'static str) -> Option<Browser> {
    let browser = Browser::start();
    if browser.is_none() {
        say_at_the_end(format!("{test}: no Chromium, so the page was not opened"));
    }
    browser
}

pub fn model(file: &Path) -> Model {
    load(file, &ImportOptions::default())
        .unwrap_or_else(|e| panic!("{}: {e}", file.display()))
        .model
}

pub fn creature() -> Model {
    model(&checkout().join("assets/creature.glb"))
}
