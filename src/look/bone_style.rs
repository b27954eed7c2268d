//! How joints and bones are drawn.

/// The shape of a skeleton.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoneShape {
    /// Bars that are widest near the joint that turns them, and a disc per joint.
    #[default]
    Bones,
    /// Thin lines, and a disc per joint.
    Lines,
    /// Large discs alone.
    Spheres,
    /// The local axes of each joint, and thin lines between joints.
    Axes,
}

impl BoneShape {
    /// All shapes.
    pub const ALL: [BoneShape; 4] =
        [BoneShape::Bones, BoneShape::Lines, BoneShape::Spheres, BoneShape::Axes];
}

/// How joints and bones are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneStyle {
    /// The shape.
    pub shape: BoneShape,
    /// Factor of widths and of the length of axes.
    pub size: f32,
    /// Whether joints of the left and of the right side have colours of their own, by their names.
    pub sides: bool,
}

impl Default for BoneStyle {
    fn default() -> Self {
        Self { shape: BoneShape::Bones, size: 1.0, sides: false }
    }
}
