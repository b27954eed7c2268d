//! The window itself, on a display of the test's own: driven by scripts, by real drops and by
//! real keys.

mod clipboard;
mod display;
mod drop;
mod files;
mod looks;
mod memory;
mod play;
mod script;
mod session;
mod surface;
mod survive;
mod turns;
