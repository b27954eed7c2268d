//! The panels: each reads the [`Session`](crate::session::Session) and returns
//! [`Action`](crate::session::Action)s; none changes it.
//!
//! Nothing here knows a window or a GPU, so all of it runs on made-up input in tests.

mod banner;
mod choosers;
#[cfg(test)]
mod choosers_tests;
mod clips;
mod help;
mod icon;
mod joints;
mod keys;
mod layers;
mod legend;
mod light;
mod list;
mod look;
mod panels;
mod picture;
#[cfg(test)]
mod room_tests;
#[cfg(test)]
mod tests;
mod theme;
mod time_bar;
mod timing;
mod transport;
mod words;

pub use panels::{Panels, Shown};
pub use theme::dress;
pub use timing::Timing;
