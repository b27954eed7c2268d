//! rigview: opens glTF files and shows their rigs in motion, in a window or as pictures and numbers without
//! one.
//!
//! Each folder is a room, with rules about the other rooms and crates that it may use:
//!
//! | room | may use | contains |
//! |---|---|---|
//! | [`anim`] | glam | tracks, curves, clips, player, poses, hierarchy, skin palettes, compression |
//! | [`model`] | anim | the contents of a file, as validated plain data |
//! | [`import`] | model, anim, gltf, codecs, files | bytes -> [`import::Loaded`]; every check of a file is here |
//! | [`compare`] | model, anim | differences of two pictures, and of two models |
//! | [`export`] | model, anim | writes a model's file with other clips |
//! | [`look`] | anim, model | what a picture shows: view, pass, light |
//! | [`report`] | model, anim | facts about a model as data |
//! | [`check`] | model, anim, report | the lint of rigs and clips, by a contract |
//! | [`fix`] | model, anim, import, export, report, check, compare | mends what the check finds |
//! | [`session`] | model, anim, import, look, report, check, compare | the session: [`session::Session`], its actions and effects |
//! | [`render`] | wgpu, model, anim | pixels |
//! | `ui` | egui, session and what it uses | panels: read the session, return actions |
//! | [`capture`] | session, render, compare | pictures without a window |
//! | `suite` | check, compare, capture, report | cases with approved results, and reports about them |
//! | `app` | winit, all above | the window |
//! | `cli` | clap, all above | arguments -> a library call -> print, exit code |
//!
//! `tests/rigview/structure` holds the table against the code. `ui` and `app` need the feature
//! `window`, `cli` needs the feature `cli`, and plots in [`capture`] need the feature `plot`; all are on
//! by default, and everything else builds and runs without them.
//!
//! One frame, in a window or not: actions change the [`session::Session`]; its clip is sampled over
//! the rest pose ([`anim::Clip::pose`]), the hierarchy resolves it ([`anim::Hierarchy::resolve`]),
//! skins gather their palettes, one buffer takes them all, and [`render`] draws into a target
//! that may be a swap chain's or a texture.

#![cfg_attr(docsrs, feature(doc_cfg))]

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
