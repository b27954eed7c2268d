//! What is tested from outside, in one program.
//!
//! | module | holds |
//! |---|---|
//! | [`structure`] | the rules of the code that the compiler can't hold |
//! | [`cli`] | the command line's contract: exit codes, messages, files, bytes |
//! | [`import`] | the importer as a library: all shared models, and small files' numbers |
//! | [`poses`] | `pose` and `pose --gpu` against the numeric oracles |
//! | [`masks`] | `screenshot --pass mask` against the reference silhouettes |
//! | [`normals`] | `--pass normal` against normals worked out by hand |
//! | [`sampling`] | the evaluator against plain ones: all shared clips, and a made-up rig |
//! | `window` | the window on a display of its own: scripts, real drops and keys; Linux only |
//! | [`support`] | what they share: running the program, the shared files, small models |

mod cli;
mod import;
mod masks;
mod normals;
mod poses;
mod sampling;
mod structure;
mod support;
#[cfg(all(target_os = "linux", feature = "window"))]
mod window;
