//! What is tested from outside, in one program.
//!
//! | module | holds |
//! |---|---|
//! | [`structure`] | the rules of the code that the compiler can't hold |
mod structure;
