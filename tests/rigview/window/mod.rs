//! The window. What it shows and does is tested in this process and without a window ([`shell`]), which is quick and has
//! exact times. What the system does with it is tested on a virtual display ([`session`]): surfaces, keys, drops, the
//! clipboard, settings of the window's place, and the program's ends.

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
mod mending;
mod parts;
mod picking;
mod play;
mod posing;
mod recording;
mod reuse;
mod saving;
mod script;
mod session;
mod shell;
mod size;
mod surface;
mod survive;
mod theme;
mod timeline;
mod turns;
mod wayland;
