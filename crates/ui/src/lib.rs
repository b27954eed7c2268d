//! The panels. A panel is a function that takes the part of the [`Session`](rigview_session::Session) that it shows
//! and adds [`Action`](rigview_session::Action)s to a list; it changes nothing itself.
//!
//! Nothing here depends on a window or a GPU, so tests run the panels on made-up input.

mod aids;
mod arrangement;
mod badges;
mod banner;
mod choice;
mod choosers;
mod clips;
mod commands;
mod compared;
mod curves;
mod engine;
mod expressions;
mod findings;
mod fly;
mod gizmo;
mod help;
mod hover;
mod icon;
mod inspector;
mod joints;
mod keymap;
mod keys;
mod layers;
mod layout;
mod legend;
mod light;
mod list;
mod look;
mod measure;
mod mouse;
mod node_menu;
mod number;
mod palette;
mod panels;
mod posing;
mod recent;
mod retarget;
mod scene;
mod section;
mod shortcuts;
mod sides;
#[cfg(test)]
mod tests;
mod text;
mod theme;
mod time_bar;
mod time_slider;
mod timeline;
mod timing;
mod transport;
mod tree;
mod welcome;
mod window_parts;

pub use inspector::thumbnails::{TextureCopy, TextureId};
pub use panels::Panels;
pub use theme::set_style;
