//! rigview: opens glTF files and shows their rigs in motion, in a window or as pictures and numbers without
//! one.
//!
//! The library is a workspace of crates; this one hands them on. [`anim`] samples and resolves, [`model`] is what a file
//! says, [`rig`] what is worked out from that, [`import`] reads it, [`render`] draws it, and [`session`] holds what a person or a command does with it.
//! `docs/architecture.md` says what each crate holds and which others it uses. The command line is in this crate and needs
//! the feature `cli`, the window needs the feature `window`; both are on by default.
//!
//! One frame, in a window or not: actions change the [`session::Session`]; its clip is sampled over
//! the rest pose ([`anim::Clip::pose`]), the hierarchy resolves it ([`anim::Hierarchy::resolve`]),
//! skins gather their palettes, one buffer takes them all, and [`render`] draws into a target
//! that may be a swap chain's or a texture.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod suite;

#[cfg(all(feature = "cli", feature = "window"))]
#[doc(hidden)]
pub use cli::window_start;
pub use glam;
pub use rigview_anim as anim;
pub use rigview_capture as capture;
pub use rigview_check as check;
pub use rigview_compare as compare;
pub use rigview_document as document;
pub use rigview_export as export;
pub use rigview_fix as fix;
pub use rigview_import as import;
pub use rigview_look as look;
pub use rigview_model as model;
pub use rigview_render as render;
pub use rigview_report as report;
pub use rigview_rig as rig;
pub use rigview_session as session;
#[cfg(feature = "window")]
#[doc(hidden)]
pub use rigview_window as app;
pub use wgpu;
