//! How joints and bones are drawn.

use serde::{Deserialize, Serialize};

/// The shape of a skeleton.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoneShape {
    /// Bars that are widest near the joint that turns them, and a disc per joint; solid, octahedra and balls.
    #[default]
    Bones,
    /// Thin lines, and a disc per joint, also if solid.
    Lines,
    /// Large discs alone; solid, balls.
    Spheres,
    /// The local axes of each joint, and thin lines between joints; solid, spikes and balls.
    Axes,
}

impl BoneShape {
    /// All shapes.
    pub const ALL: [BoneShape; 4] =
        [BoneShape::Bones, BoneShape::Lines, BoneShape::Spheres, BoneShape::Axes];
}

/// How joints and bones are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BoneStyle {
    /// The shape.
    #[serde(skip)]
    pub shape: BoneShape,
    /// Factor of widths and of the length of axes.
    #[serde(rename = "bone_size")]
    pub size: f32,
    /// Whether joints of the left and of the right side have colours of their own, by their names.
    #[serde(rename = "bone_sides")]
    pub sides: bool,
    /// Whether they are lit solids whose sizes are those of the bones, instead of flat shapes of a fixed width.
    #[serde(skip)]
    pub solid: bool,
    /// Whether they are drawn over the mesh; if not, opaque surfaces in front hide them.
    #[serde(rename = "bones_in_front")]
    pub in_front: bool,
}

impl BoneStyle {
    /// The names of shapes on the command line.
    pub const NAMES: [&str; 7] =
        ["bones", "lines", "spheres", "axes", "octahedra", "balls", "spikes"];

    /// Returns the name of its shape.
    pub fn name(&self) -> &'static str {
        let flat = BoneShape::ALL.iter().position(|shape| *shape == self.shape).unwrap_or(0);
        match (self.solid, self.shape) {
            (false, _) | (true, BoneShape::Lines) => Self::NAMES[flat],
            (true, BoneShape::Bones) => Self::NAMES[4],
            (true, BoneShape::Spheres) => Self::NAMES[5],
            (true, BoneShape::Axes) => Self::NAMES[6],
        }
    }

    /// Returns the style with the shape of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        let index = Self::NAMES.iter().position(|own| *own == name)?;
        let (shape, solid) = match index {
            0..4 => (BoneShape::ALL[index], false),
            4 => (BoneShape::Bones, true),
            5 => (BoneShape::Spheres, true),
            _ => (BoneShape::Axes, true),
        };
        Some(Self { shape, solid, ..Self::default() })
    }
}

impl Default for BoneStyle {
    fn default() -> Self {
        Self { shape: BoneShape::Bones, size: 1.0, sides: false, solid: false, in_front: true }
    }
}
