//! rigview: opens glTF files and shows their rigs in motion, in a window or as pictures and numbers without
//! one.
//!
//! Each folder is a room, with rules about the other rooms and crates that it may use: `docs/architecture.md` has their
//! table. [`anim`] samples and resolves, [`model`] is what a file says, [`import`] reads it, [`render`] draws it, and
//! [`session`] holds what a person or a command does with it. `ui` and `app` need the feature `window`, `cli` needs the
//! feature `cli`, and plots in [`capture`] need the feature `plot`; all are on by default, and everything else builds and
//! runs without them.
//!
//! One frame, in a window or not: actions change the [`session::Session`]; its clip is sampled over
//! the rest pose ([`anim::Clip::pose`]), the hierarchy resolves it ([`anim::Hierarchy::resolve`]),
//! skins gather their palettes, one buffer takes them all, and [`render`] draws into a target
//! that may be a swap chain's or a texture.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[macro_use]
mod named_enum;

pub mod anim;
#[cfg(feature = "window")]
#[doc(hidden)]
pub mod app;
pub mod capture;
pub mod check;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
pub mod compare;
pub mod export;
pub mod fix;
pub mod import;
pub mod look;
pub mod model;
pub mod render;
pub mod report;
pub mod session;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod suite;
#[cfg(feature = "window")]
mod ui;

#[cfg(all(feature = "cli", feature = "window"))]
#[doc(hidden)]
pub use cli::window_start;
pub use glam;
pub use wgpu;
