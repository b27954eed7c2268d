//! Progress bars of commands that take a while.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressStyle};

/// Returns a progress bar on standard error for a number of things; a hidden one if standard error is no
/// terminal, or only errors are printed.
pub fn progress_bar(count: u64, things: &str) -> ProgressBar {
    if !io::stderr().is_terminal() || !log::log_enabled!(log::Level::Warn) {
        return ProgressBar::hidden();
    }
    let style = format!("{{bar:40}} {{pos}}/{{len}} {things}, {{eta}} left");
    let style = ProgressStyle::with_template(&style);
    ProgressBar::new(count).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
