//! The codes of findings: one table with the printed form, the level, the threshold, the reason and the remedy of
//! each. Levels, and the thresholds that a contract changes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use rigview_model::{Severity, Source, WarningCode};

/// Declares [`Code`] from rows of name, printed form, level, threshold with its unit, reason and remedy.
macro_rules! codes {
    ($($name:ident $code:literal $level:ident [$($limit:literal $unit:literal)?] $reason:literal $remedy:literal;)+) => {
        /// A rule of the check.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code {
            $(#[doc = $reason] $name,)+
        }

        impl Code {
            /// Every code, in the order of the manual.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// Returns the code as it is printed: capitals, stable, for scripts.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $code,)+
                }
            }

            /// Returns the level of its findings, unless a contract says otherwise.
            pub const fn level(self) -> Level {
                match self {
                    $(Self::$name => Level::$level,)+
                }
            }

            /// Returns the number up to which nothing is found and its unit, unless a contract says otherwise; `None`
            /// for rules that measure nothing.
            pub const fn threshold(self) -> Option<(f64, &'static str)> {
                match self {
                    $(Self::$name => codes!(@threshold $($limit $unit)?),)+
                }
            }

            /// Returns what is found, and why it matters.
            pub const fn reason(self) -> &'static str {
                match self {
                    $(Self::$name => $reason,)+
                }
            }

            /// Returns how to mend it.
            pub const fn remedy(self) -> &'static str {
                match self {
                    $(Self::$name => $remedy,)+
                }
            }
        }
    };
    (@threshold $limit:literal $unit:literal) => { Some(($limit, $unit)) };
    (@threshold) => { None };
}

codes! {
    JointUnused "JOINT_UNUSED" Note []
        "No vertex that is drawn has a weight on the joint nor on any joint below it, and nothing hangs on it. It costs a matrix per frame and moves nothing."
        "Leave the joint out of the export, for example ends of chains and control bones, or paint weights on it. Keep it if something is attached to it at run time.";
    JointsMany "JOINTS_MANY" Note [100.0 "joints"]
        "A primitive uses more than 100 joints. Many engines hold fewer per draw, so it is drawn in several pieces."
        "Split the mesh by body part or material, or remove joints that hardly move it.";
    ScaleUneven "SCALE_UNEVEN" Warning [1.001 "ratio"]
        "A joint's scale, at rest or at a key, differs between its axes by more than 0.1 %. Rotated children shear, which engines that keep translation, rotation and scale apart can't show, and normals are wrong."
        "Apply the scale in the modelling program before skinning, or scale all three axes alike. For squash and stretch, animate a joint without children.";
    ScaleNegative "SCALE_NEGATIVE" Warning []
        "A joint's scale, at rest or at a key, has a negative axis. The joint mirrors: faces turn inside out, and many engines refuse it."
        "Mirror the joints by their rotation instead of their scale, apply the scale, and skin again.";
    RestNotBind "REST_NOT_BIND" Note [0.001 "m"]
        "A joint at rest is further than 1 mm, or turned by more than 1 degree, from where its inverse bind matrix says. Without a clip the skin looks deformed, and tools that rebuild the skeleton from either one disagree. It is a warning if the joint has another scale there, which no pose explains."
        "Export with the skeleton in the bind pose, or bind the skin again in the rest pose.";
    BindSingular "BIND_SINGULAR" Warning []
        "The inverse bind matrix of a joint that moves vertices has no inverse: it is zero, or flat. All vertices of the joint fall together into one point or plane."
        "Bind the skin again, or export it anew. A matrix of zeros is usually one that was never written.";
    SkinUnits "SKIN_UNITS" Warning [7.0 "ratio"]
        "A mesh is more than seven times larger or smaller than the joints that hold it. One of them was exported in other units: the skin is torn as soon as a joint turns."
        "Apply the scale of mesh and armature in the modelling program, and export both with the same unit.";
    SkinTurned "SKIN_TURNED" Warning [0.95 "correlation"]
        "A mesh lies in its skeleton as if it was turned by a quarter or half of a circle: one has Z up and the other one Y, or they face apart. Joints turn parts of the mesh that are not theirs."
        "Apply the rotation of mesh and armature in the modelling program, and bind the skin again.";
    NameMissing "NAME_MISSING" Note []
        "A joint or a clip has no name, or some morph targets of a mesh have one and others have none. Clips can't be put on other rigs, and code can refer to it by number only."
        "Name it in the modelling program, and export with names.";
    NameTwice "NAME_TWICE" Warning []
        "Two joints of a skin, two clips, or two morph targets of a mesh, have the same name. Whatever looks them up by name takes one of them, and not every program takes the same."
        "Rename one of them.";
    ClipLate "CLIP_LATE" Warning [0.001 "s"]
        "A clip's first key is later than 1 ms. Players start at 0, so the first pose is held until then: a loop stutters."
        "Move the clip's keys to start at 0, or set the export's frame range to start at the first key.";
    ChannelsUneven "CHANNELS_UNEVEN" Note [0.001 "s"]
        "The last keys of a clip's channels lie further apart than 1 ms. The channels that end early hold their last value while others move on."
        "Set a key on every channel at the clip's last frame, or sample the clip while exporting.";
    ClipTwin "CLIP_TWIN" Warning []
        "Two clips have the same targets and the same curves. The file is larger than it need be, and one of them is probably the wrong clip."
        "Remove one of them, or export the clip that was meant.";
    KeysStill "KEYS_STILL" Note [0.0 "bytes"]
        "All keys of a channel equal the rest value. They cost space and time, and change nothing."
        "Remove the channel, or let the exporter optimise animations. Keep it if the clip is blended over others and must reset this property.";
    KeysSpare "KEYS_SPARE" Note [0.0 "bytes"]
        "A channel has keys that its other keys imply: on the straight line between neighbours, or equal to the key before."
        "Let the exporter reduce keys, or run a key reduction.";
    KeysOffGrid "KEYS_OFF_GRID" Note [0.0 "share of the keys"]
        "Keys lie more than 1 ms from the frames of every grid of 24, 25, 30, 48, 50, 60, 100 or 120 frames per second. They were moved, stretched or converted between rates, so that frames of the export are blends of frames."
        "Snap the keys to frames, and export at the rate that the clip was made at.";
    LoopGap "LOOP_GAP" Warning [0.001 "m"]
        "The first and the last pose of a clip that loops, or nearly does, differ by more than 1 mm at the skin. The loop jumps there."
        "Copy the first frame's keys to the last frame. If the clip does not loop, declare `loop = false` for it in a contract.";
    LoopKink "LOOP_KINK" Warning [90.0 "degrees per second"]
        "At the seam of a clip that loops, a joint's turning speed changes by more than 90 degrees per second, and by half more than anywhere inside the clip. The pose fits, but the movement visibly breaks off or starts."
        "Match the slopes of the curves at both ends, for example with cyclic tangents. If the clip does not loop, declare `loop = false` for it in a contract.";
    Pop "POP" Warning [45.0 "degrees"]
        "Within 1/30 s a joint turns by more than 45 degrees, moves by more than 10 % of the model's size, or changes its scale by more than half, and much more than before and after. That is one bad key, a flipped constraint, or an angle that wrapped."
        "Look at the joint's curve at that time (`rigview curve FILE --node JOINT -o curve.png`), and correct or remove the key. For angles that wrapped, filter the Euler curves before exporting.";
    RootMoves "ROOT_MOVES" Note [0.01 "m"]
        "The highest animated joint ends more than 1 cm, horizontally, from where it started. The character leaves the place that the game puts it at, or the clip has root motion."
        "If the clip should stay in place, remove the drift from the joint's translation. If it should travel, declare `in_place = false` for it in a contract.";
    FootSlides "FOOT_SLIDES" Warning [0.1 "m/s"]
        "While a declared foot is within 2 cm of the ground, its median speed over the ground is more than 0.1 m/s. The ground is the lowest height that it keeps for a tenth of the clip."
        "Lock the foot while it stands, or correct the speed of the root. Declare `feet` only for clips that travel: on a treadmill feet always slide.";
    BoundsGrow "BOUNDS_GROW" Note [0.1 "share of the diagonal"]
        "The posed skin leaves the box of the rest pose by more than 10 % of its diagonal. Engines that cull by the rest pose's box make the character vanish at the edge of the screen."
        "Enlarge the bounds in the engine, or let it update them from the skeleton.";
    TrianglesFlat "TRIANGLES_FLAT" Note [0.0 "triangles"]
        "Triangles have no area. They are never visible, and break normals, tangents and physics meshes."
        "Dissolve degenerate faces in the modelling program, or merge vertices by distance.";
    ClipStill "CLIP_STILL" Warning [1e-5 "change"]
        "A clip with channels moves nothing: all its keys say the same. It was probably exported from the wrong action or rig, or frozen by a constraint that was off."
        "Export the action that was meant, or remove the clip. For a pose that is held, one key per channel is enough.";
    ClipUnits "CLIP_UNITS" Warning [7.0 "ratio"]
        "A clip moves or scales a joint in other units than the rest pose: all its keys are ten, a hundred or a thousand times smaller or larger. The character sinks to the origin, flies off, or shrinks."
        "Export clips and rig with the same unit and the same scale of the armature.";
    ClipNearTwin "CLIP_NEAR_TWIN" Note [0.25 "share of the channels"]
        "Most channels that move are the same in two clips. One is often a copy whose edit was lost, or that was exported twice."
        "Compare the clips in the window, and remove the one that is not meant.";
    KeysGap "KEYS_GAP" Note [1.5 "frames"]
        "The keys of a clip lie on every frame, but some frames have none in any channel. They were lost in the export or by a tool."
        "Export the clip again, and sample every frame.";
    InterpolationOdd "INTERPOLATION_ODD" Warning []
        "One channel of a joint has STEP interpolation and moves at nearly every key, while those of other joints interpolate. The joint moves in jerks."
        "Set the interpolation of this channel like that of the others.";
    CurveOvershoots "CURVE_OVERSHOOTS" Warning [0.5 "share of the change"]
        "Between dense keys, a cubic curve leaves the line between them by more than half of what the keys around change. The tangents do not belong to the keys: the joint trembles between frames."
        "Let the tangents be computed again (automatic tangents), or export with LINEAR interpolation.";
    VertexFar "VERTEX_FAR" Warning [2.0 "diagonals"]
        "A vertex lies outside of the box of its mesh's other vertices by more than twice that box's diagonal. It stretches triangles across the picture, and spoils bounds and framing."
        "Delete the vertex, or move it back, in the modelling program.";
    WindingOdd "WINDING_ODD" Warning [0.01 "share of the triangles"]
        "Triangles of a primitive have normals on their other side. They are lit from behind, and vanish where back faces are culled."
        "Recalculate the normals, or flip the faces, in the modelling program.";
    WeightFar "WEIGHT_FAR" Warning [0.2 "share of the diagonal"]
        "Vertices have weight on a joint far away from them, apart from those around it, or on the joint of the other side of the body. They are torn out when it moves."
        "Take the joint's weight from these vertices, or paint the weights of this part again. The pass `weights` shows them.";
    Limit "LIMIT" Error []
        "The file has more of something than the contract's `[limits]` allow."
        "Reduce it, or raise the limit in the contract.";
    SkeletonDiffers "SKELETON_DIFFERS" Error []
        "Joints are missing, added, renamed or have another parent than in the reference skeleton. Clips of one don't play on the other."
        "Export from the shared rig, or rename as the message suggests. Proportions and the order of joints may differ.";
    Contract "CONTRACT" Error []
        "A declared clip is missing, its duration is outside the declared range, or a declared joint or face shape is missing."
        "Export what is missing, or correct the contract.";
}

impl Code {
    /// Returns the code of a printed form.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == name)
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// The thresholds that a contract changes; all others are those of [`Code::threshold`].
#[derive(Clone, Debug, Default)]
pub(super) struct Thresholds(BTreeMap<Code, f64>);

impl Thresholds {
    /// Changes a threshold.
    ///
    /// # Errors
    /// If the rule measures nothing, or the number is negative or not finite.
    pub fn set(&mut self, code: Code, threshold: f64) -> Result<(), String> {
        if code.threshold().is_none() {
            return Err(format!("{code} measures nothing, so it has no threshold"));
        }
        if !(threshold >= 0.0 && threshold.is_finite()) {
            return Err(format!("the threshold of {code} must be a number from 0"));
        }
        self.0.insert(code, threshold);
        Ok(())
    }

    /// Returns the number up to which a rule finds nothing; 0 for rules that measure nothing.
    pub fn of(&self, code: Code) -> f64 {
        let usual = || code.threshold().map_or(0.0, |(limit, _)| limit);
        self.0.get(&code).copied().unwrap_or_else(usual)
    }
}

rigview_anim::named_enum! {
    /// How much a finding matters. Only errors make the check fail.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Level {
        /// Worth knowing.
        Note = "note",
        /// Probably a defect.
        Warning = "warning",
        /// Breaks the contract.
        Error = "error",
    }
}

impl Level {
    /// Returns the level of a warning of the import in a file of a format ([`Source::format`]). What rigview
    /// merely does not show is no defect of the file, and what breaks a rule of glTF 2.0 is no error in a
    /// file of another format.
    ///
    /// [`Source::format`]: rigview_model::Source::format
    pub fn of_import(code: WarningCode, format: &str) -> Self {
        match code.severity() {
            Severity::Hint | Severity::Limit => Level::Note,
            Severity::Error if format == Source::GLTF => Level::Error,
            Severity::Warning | Severity::Error => Level::Warning,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_printed_by_its_name_and_has_a_remedy() {
        for code in Code::ALL {
            let name = format!("{code:?}").to_uppercase();
            assert_eq!(name, code.as_str().replace('_', ""));
            assert_eq!(Code::named(code.as_str()), Some(*code));
            assert!(code.reason().ends_with('.') && code.remedy().ends_with('.'), "{code}");
            assert!(code.threshold().is_none_or(|(limit, unit)| limit >= 0.0 && !unit.is_empty()));
        }
    }
}
