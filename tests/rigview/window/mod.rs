//! The window on a virtual display, driven by scripts, real drops and real keys.

mod aids;
mod clipboard;
mod compared;
mod controls;
mod desktop;
mod display;
mod drop;
mod files;
mod journey;
mod looks;
mod memory;
mod parts;
mod picking;
mod play;
mod posing;
mod recording;
mod reuse;
mod script;
mod session;
mod size;
mod surface;
mod survive;
mod theme;
mod timeline;
mod turns;
mod wayland;
