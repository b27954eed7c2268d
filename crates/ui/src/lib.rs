//! The panels. A panel is a function that takes the part of the [`Session`](rigview_session::Session) that it shows
//! and adds [`Action`](rigview_session::Action)s to a list; it changes nothing itself.
//!
//! Nothing here depends on a window or a GPU, so tests run the panels on made-up input.

#[cfg(test)]
mod access_tests;
mod aids;
#[cfg(test)]
mod aids_tests;
mod arrangement;
mod badges;
mod banner;
#[cfg(test)]
mod banner_tests;
mod choice;
mod choosers;
#[cfg(test)]
mod choosers_tests;
mod clips;
mod commands;
mod compared;
#[cfg(test)]
mod compared_tests;
mod curves;
#[cfg(test)]
mod curves_tests;
#[cfg(test)]
mod details_tests;
mod engine;
mod expressions;
mod findings;
mod fly;
#[cfg(test)]
mod fly_tests;
mod gizmo;
#[cfg(test)]
mod gizmo_tests;
mod help;
mod hover;
mod icon;
mod inspector;
#[cfg(test)]
mod inspector_tests;
mod joints;
mod key_name;
mod keymap;
mod keys;
mod layers;
#[cfg(test)]
mod layers_tests;
mod layout;
#[cfg(test)]
mod layout_tests;
mod legend;
mod light;
mod list;
mod look;
mod measure;
mod menu_focus;
#[cfg(test)]
mod menu_focus_tests;
mod mouse;
#[cfg(test)]
mod mouse_tests;
#[cfg(test)]
mod names_tests;
mod node_menu;
#[cfg(test)]
mod node_menu_tests;
mod number;
mod palette;
#[cfg(test)]
mod palette_tests;
mod panels;
mod posing;
mod recent;
mod retarget;
#[cfg(test)]
mod room_tests;
mod scene;
#[cfg(test)]
mod scene_tests;
mod section;
mod shortcuts;
#[cfg(test)]
mod shortcuts_tests;
mod sides;
#[cfg(test)]
mod tests;
mod text;
mod theme;
mod time_bar;
mod time_slider;
mod timeline;
#[cfg(test)]
mod timeline_tests;
mod timing;
mod transport;
mod tree;
mod welcome;
mod window_parts;

pub use inspector::thumbnails::{TextureCopy, TextureId};
pub use panels::Panels;
pub use theme::set_style;
