//! The remedies: one table with the code that each one mends, when it is taken, and whether it is bounded.

/// When a remedy is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// Unless only others are asked for: no reading of the specification objects to it.
    ByDefault,
    /// If it is asked for.
    OnRequest,
    /// If a convention of names is given.
    WithNames,
}

macro_rules! remedies {
    ($($name:ident $code:literal $taken:ident $bounded:literal $does:literal;)+) => {
        /// A repair of a defect.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Remedy {
            $(#[doc = $does] $name,)+
        }

        impl Remedy {
            /// Every remedy, in the order in which they are applied.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// Returns the code of what it mends.
            pub const fn code(self) -> &'static str {
                match self {
                    $(Self::$name => $code,)+
                }
            }

            /// Returns when it is taken.
            pub const fn taken(self) -> Taken {
                match self {
                    $(Self::$name => Taken::$taken,)+
                }
            }

            /// Whether it must not move the skin by more than the bound. The others mend data that hides the motion,
            /// so that moving the skin is their purpose.
            pub const fn is_bounded(self) -> bool {
                match self {
                    $(Self::$name => $bounded,)+
                }
            }

            /// Returns what it does, as a sentence.
            pub const fn does(self) -> &'static str {
                match self {
                    $(Self::$name => $does,)+
                }
            }
        }
    };
}

// Triangles come first, because the skin without flat ones is what the others are measured against. Then comes data
// that nothing can be read from, then what removes entries of lists.
remedies! {
    TrianglesFlat "TRIANGLES_FLAT" OnRequest true
        "Removes triangles without an area; their vertices stay.";
    KeyTimes "CHANNEL_LEFT_OUT" ByDefault false
        "Sorts keys by time, keeps one key per time, and lets the curve begin at 0.";
    KeysNotUnit "ROTATION_KEYS_NOT_UNIT" ByDefault true
        "Normalises the keys of LINEAR and STEP rotations.";
    KeysFlip "KEYS_FLIP" ByDefault true
        "Negates the keys of LINEAR and STEP rotations that lie on the other side of the key before.";
    RotationNotUnit "ROTATION_NOT_UNIT" ByDefault true
        "Normalises the rotation of a node.";
    RotationZero "ROTATION_ZERO" ByDefault true
        "Replaces a rotation of length 0 by the identity.";
    WeightsOdd "WEIGHTS_ODD" ByDefault true
        "Replaces weights that are negative, NaN or infinite by 0, and normalises the others.";
    WeightsZero "WEIGHTS_ZERO" ByDefault true
        "Binds vertices without a weight to their first joint.";
    WeightsSum "WEIGHTS_SUM" ByDefault true
        "Divides the weights of a vertex by their sum.";
    MatrixProjective "MATRIX_PROJECTIVE" ByDefault true
        "Writes 0 0 0 1 as the last row of a matrix.";
    CubicFlip "ROTATION_KEYS_FLIP" OnRequest false
        "Negates CUBICSPLINE rotation keys with their tangents, so that the curve takes the short way.";
    ClipLate "CLIP_LATE" OnRequest false
        "Moves the keys of a clip so that the first one is at 0.";
    KeysOffGrid "KEYS_OFF_GRID" OnRequest false
        "Moves keys to the nearest frame of the grid that fits best.";
    Pop "POP" OnRequest false
        "Removes a single key that lies off the course of its neighbours.";
    LoopGap "LOOP_GAP" OnRequest true
        "Ends the channels of a loop with their first values.";
    RootMoves "ROOT_MOVES" OnRequest false
        "Takes the horizontal drift off the root, evenly over the clip.";
    ChannelsUneven "CHANNELS_UNEVEN" OnRequest true
        "Repeats the last key of a channel at the clip's end.";
    KeysSpare "KEYS_SPARE" OnRequest true
        "Removes keys that the others imply.";
    ChannelTwice "CHANNEL_TWICE" ByDefault true
        "Removes all but the last of the channels that drive one property.";
    KeysStill "KEYS_STILL" OnRequest true
        "Removes channels that never leave the rest value.";
    ScaleNoise "SCALE_NOISE" OnRequest true
        "Removes scale channels that stay within a thousandth of the rest scale.";
    JointUnused "JOINT_UNUSED" OnRequest true
        "Takes joints that move no vertex out of the skin; their nodes stay.";
    TangentMissing "TANGENT_MISSING" OnRequest true
        "Adds tangents by MikkTSpace; a vertex whose triangles need different ones is copied.";
    Names "NAMES" WithNames false
        "Renames the joints of a humanoid by a convention.";
    NameMissing "NAME_MISSING" OnRequest true
        "Names joints and clips that have no name by their index.";
    NameTwice "NAME_TWICE" OnRequest true
        "Numbers names that several joints or clips share.";
    ClipTwin "CLIP_TWIN" OnRequest false
        "Removes the later one of two clips with the same motion.";
    Bounds "BOUNDS_WRONG" ByDefault true
        "Writes the bounds of the data.";
    BoundsMissing "BOUNDS_MISSING" ByDefault true
        "Adds the bounds of the data.";
    BoundsOdd "BOUNDS_ODD" ByDefault true
        "Replaces bounds of the wrong length by those of the data.";
}

impl Remedy {
    /// Returns the remedy of a code.
    pub fn of(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|remedy| remedy.code() == code)
    }

    /// Whether the rules of the check don't find what it mends.
    pub fn finds_by_itself(self) -> bool {
        matches!(self, Self::KeysFlip | Self::ScaleNoise | Self::TangentMissing | Self::Names)
    }
}
