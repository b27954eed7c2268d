//! Tables of joints and the joints that they follow.

/// How joints without a line are matched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MapBase {
    /// By the naming conventions of both files.
    Auto,
    /// By equal names.
    Exact,
    /// Not at all.
    #[default]
    None,
}

/// A line of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapLine {
    /// The name of the model's joint.
    pub joint: String,
    /// The name of the joint in the clip file; `None` stays at rest.
    pub follows: Option<String>,
    /// The line in the text, from 1.
    pub line: usize,
}

/// A table of joints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MapTable {
    /// How joints without a line are matched.
    pub base: MapBase,
    /// The lines, one per joint of the model.
    pub joints: Vec<MapLine>,
}

impl MapBase {
    /// The values with their names in TOML.
    pub const ALL: [(Self, &str); 3] =
        [(Self::Auto, "auto"), (Self::Exact, "exact"), (Self::None, "none")];
}
