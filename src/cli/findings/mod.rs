//! The findings of `check` in each form of output.

pub mod checked;
pub mod junit;
pub mod markdown;
pub mod sarif;
pub mod text;
