//! The codes of findings: one table with the printed form, the level, the reason and the remedy of each.

use super::Level;

/// Declares [`Code`] from rows of name, printed form, level, reason and remedy.
macro_rules! codes {
    ($($name:ident $code:literal $level:ident $reason:literal $remedy:literal;)+) => {
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
}

codes! {
    JointUnused "JOINT_UNUSED" Note
        "No vertex has a weight on the joint nor on any joint below it. It costs a matrix per frame and moves nothing."
        "Leave the joint out of the export, for example ends of chains and control bones, or paint weights on it. Keep it if something is attached to it at run time.";
    JointsMany "JOINTS_MANY" Note
        "A primitive uses more than 100 joints. Many engines hold fewer per draw, so it is drawn in several pieces."
        "Split the mesh by body part or material, or remove joints that hardly move it.";
    ScaleUneven "SCALE_UNEVEN" Warning
        "A joint's scale, at rest or at a key, differs between its axes by more than 0.1 %. Rotated children shear, which engines that keep translation, rotation and scale apart can't show, and normals are wrong."
        "Apply the scale in the modelling program before skinning, or scale all three axes alike. For squash and stretch, animate a joint without children.";
    ScaleNegative "SCALE_NEGATIVE" Warning
        "A joint's scale, at rest or at a key, has a negative axis. The joint mirrors: faces turn inside out, and many engines refuse it."
        "Mirror the joints by their rotation instead of their scale, apply the scale, and skin again.";
    RestNotBind "REST_NOT_BIND" Note
        "A joint at rest is further than 1 mm from where its inverse bind matrix says. Without a clip the skin looks deformed, and tools that rebuild the skeleton from either one disagree."
        "Export with the skeleton in the bind pose, or bind the skin again in the rest pose.";
    NameMissing "NAME_MISSING" Note
        "A joint or a clip has no name. Clips can't be put on other rigs, and code can refer to it by number only."
        "Name it in the modelling program, and export with names.";
    NameTwice "NAME_TWICE" Warning
        "Two joints of a skin, or two clips, have the same name. Whatever looks them up by name takes one of them, and not every program takes the same."
        "Rename one of them.";
    ClipLate "CLIP_LATE" Warning
        "A clip's first key is later than 1 ms. Players start at 0, so the first pose is held until then: a loop stutters."
        "Move the clip's keys to start at 0, or set the export's frame range to start at the first key.";
    ChannelsUneven "CHANNELS_UNEVEN" Note
        "The last keys of a clip's channels lie further apart than 1 ms. The channels that end early hold their last value while others move on."
        "Set a key on every channel at the clip's last frame, or sample the clip while exporting.";
    ClipTwin "CLIP_TWIN" Warning
        "Two clips have the same targets and the same curves. The file is larger than it need be, and one of them is probably the wrong clip."
        "Remove one of them, or export the clip that was meant.";
    KeysStill "KEYS_STILL" Note
        "All keys of a channel equal the rest value. They cost space and time, and change nothing."
        "Remove the channel, or let the exporter optimise animations. Keep it if the clip is blended over others and must reset this property.";
    KeysSpare "KEYS_SPARE" Note
        "A channel has keys that its other keys imply: on the straight line between neighbours, or equal to the key before."
        "Let the exporter reduce keys, or run a key reduction.";
    KeysOffGrid "KEYS_OFF_GRID" Note
        "Keys lie on no grid of 24, 25, 30, 48, 50, 60, 100 or 120 frames per second. They were moved, stretched or converted between rates, so that frames of the export are blends of frames."
        "Snap the keys to frames, and export at the rate that the clip was made at.";
    LoopGap "LOOP_GAP" Warning
        "The first and the last pose of a clip that loops, or nearly does, differ by more than 1 mm at the skin. The loop jumps there."
        "Copy the first frame's keys to the last frame. If the clip does not loop, declare `loop = false` for it in a contract.";
    LoopKink "LOOP_KINK" Warning
        "At the seam of a clip that loops, a joint's turning speed changes by more than 90 degrees per second. The pose fits, but the movement visibly breaks off or starts."
        "Match the slopes of the curves at both ends, for example with cyclic tangents. If the clip does not loop, declare `loop = false` for it in a contract.";
    Pop "POP" Warning
        "Within 1/30 s a joint turns by more than 45 degrees, and more than four times as fast as before and after. That is one bad key, a flipped constraint, or an angle that wrapped."
        "Look at the joint's curve at that time (`rigview curve FILE --node JOINT -o curve.png`), and correct or remove the key. For angles that wrapped, filter the Euler curves before exporting.";
    RootMoves "ROOT_MOVES" Note
        "The highest animated joint ends more than 1 cm, horizontally, from where it started. The character leaves the place that the game puts it at, or the clip has root motion."
        "If the clip should stay in place, remove the drift from the joint's translation. If it should travel, declare `in_place = false` for it in a contract.";
    FootSlides "FOOT_SLIDES" Warning
        "While a declared foot is within 2 cm of its lowest point, it moves faster than 0.1 m/s over the ground."
        "Lock the foot while it stands, or correct the speed of the root. Declare `feet` only for clips that travel: on a treadmill feet always slide.";
    BoundsGrow "BOUNDS_GROW" Note
        "The posed skin leaves the box of the rest pose by more than 10 % of its diagonal. Engines that cull by the rest pose's box make the character vanish at the edge of the screen."
        "Enlarge the bounds in the engine, or let it update them from the skeleton.";
    TrianglesFlat "TRIANGLES_FLAT" Note
        "Triangles have no area. They are never visible, and break normals, tangents and physics meshes."
        "Dissolve degenerate faces in the modelling program, or merge vertices by distance.";
    Limit "LIMIT" Error
        "The file has more of something than the contract's `[limits]` allow."
        "Reduce it, or raise the limit in the contract.";
    SkeletonDiffers "SKELETON_DIFFERS" Error
        "Joints are missing, added, renamed or have another parent than in the reference skeleton. Clips of one don't play on the other."
        "Export from the shared rig, or rename as the message suggests. Proportions and the order of joints may differ.";
    Contract "CONTRACT" Error
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
        }
    }
}
