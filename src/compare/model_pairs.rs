//! The pairs of all lists of two models.

use super::pairs::Pairs;
use crate::model::Model;

/// The pairs of all lists of two models.
pub(super) struct ModelPairs {
    pub nodes: Pairs,
    pub meshes: Pairs,
    pub skins: Pairs,
    pub materials: Pairs,
    pub images: Pairs,
    pub variants: Pairs,
}

/// Two models and the pairs of their entries.
#[derive(Clone, Copy)]
pub(super) struct Models<'a> {
    pub a: &'a Model,
    pub b: &'a Model,
    pub pairs: &'a ModelPairs,
}
