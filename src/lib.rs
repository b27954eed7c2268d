//! rigview: opens a glTF file, shows its rig moving, and gives the same picture and the numbers
//! behind it without a window.
//!
//! The folder says what the code may know, the file what it is about:
//!
//! | room | knows | holds |
//! |---|---|---|
//! | [`anim`] | glam | tracks, curves, clips, player, poses, hierarchy, skin palettes, compression |
//! | [`model`] | anim | what a file says, as validated plain data |
//! | [`import`] | model, anim, gltf, codecs, files | bytes -> [`import::Loaded`]; every check of a file is here |
//! | [`export`] | model, anim | a model's file written again with other clips |
//! | [`look`] | anim, model | what a picture is asked to be: view, pass, light |
//! | [`report`] | model, anim | facts about a model as data |
//! | [`viewer`] | model, anim, import, report | the session: [`viewer::Viewer`], its actions and effects |
//! | [`render`] | wgpu, model, anim | pixels |
//! | `ui` | egui, viewer | panels: read the viewer, return actions |
//! | [`capture`] | viewer, render | pictures without a window |
//! | `app` | winit, all above | the window |
//! | [`cli`] | clap, all above | arguments -> a library call -> print, exit code |
//!
//! `tests/rigview/structure` holds the table against the code. `ui` and `app` exist with the feature
//! `window` (on by default); everything else builds and runs without it.
//!
//! One frame, in a window or not: actions change the [`viewer::Viewer`]; its clip is sampled over
//! the rest pose ([`anim::Clip::pose`]), the hierarchy resolves it ([`anim::Hierarchy::resolve`]),
//! skins gather their palettes, one buffer takes them all, and [`render`] draws into a target
//! that may be a swap chain's or a texture.

pub mod anim;
#[cfg(feature = "window")]
pub mod app;
pub mod capture;
pub mod cli;
pub mod export;
pub mod import;
pub mod look;
pub mod model;
pub mod render;
pub mod report;
#[cfg(feature = "window")]
pub mod ui;
pub mod viewer;

pub use glam;
pub use wgpu;
