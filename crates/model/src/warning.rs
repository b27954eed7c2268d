//! Warnings of an import: what was repaired or left out in a file, and the table of their codes with the printed form, the
//! severity and a one-line explanation of each.

use super::Model;

/// A defect of a file that was repaired, ignored or worked around.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Warning {
    /// The kind of warning.
    pub code: WarningCode,
    /// JSON pointer of the place; empty for the file as a whole.
    pub pointer: String,
    /// One line with the names and numbers, without the pointer.
    pub message: String,
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.message)?;
        if self.pointer.is_empty() { Ok(()) } else { write!(f, " at {}", self.pointer) }
    }
}

impl Warning {
    /// Whether the file is valid and plays as it should; the warning is only worth knowing.
    pub fn is_hint(&self) -> bool {
        self.code.is_hint()
    }
}

/// An imported file.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The model.
    pub model: Model,
    /// Defects that were repaired, in the order in which they were found. All texts are one line
    /// without control characters.
    pub warnings: Vec<Warning>,
}

/// Declares [`WarningCode`] from rows of name, printed form, severity and explanation.
macro_rules! warning_codes {
    ($($name:ident $code:literal $severity:ident $explanation:literal;)+) => {
        /// The kind of a [`Warning`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum WarningCode {
            $(#[doc = $explanation] $name,)+
        }

        impl WarningCode {
            /// Every code, in alphabetical order of the printed form.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// Returns the code as it is printed: capitals, stable, for scripts.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $code,)+
                }
            }

            /// Returns one sentence that explains the code.
            pub const fn explanation(self) -> &'static str {
                match self {
                    $(Self::$name => $explanation,)+
                }
            }

            /// Returns how much it matters.
            pub const fn severity(self) -> Severity {
                match self {
                    $(Self::$name => warning_codes!(@severity $severity),)+
                }
            }

            /// Whether the code is a hint: the file is valid and plays as it should.
            pub const fn is_hint(self) -> bool {
                matches!(self.severity(), Severity::Hint)
            }
        }
    };
    (@severity hint) => { Severity::Hint };
    (@severity limit) => { Severity::Limit };
    (@severity warning) => { Severity::Warning };
    (@severity error) => { Severity::Error };
}

/// How much a warning matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The file is valid and plays as it should.
    Hint,
    /// The file is valid; this program does not show all of it.
    Limit,
    /// The file is valid, and probably does not say what was meant.
    Warning,
    /// The file breaks a rule of glTF, although it is shown.
    Error,
}

warning_codes! {
    AlphaMode "ALPHA_MODE" warning
        "A material's `alphaMode` is not one glTF defines; it is read as OPAQUE.";
    AnimationsJoined "ANIMATIONS_JOINED" hint
        "The single-node animations of a glTF 1.0 file are merged into one clip.";
    AnimationEmpty "ANIMATION_EMPTY" error
        "An animation has no channels.";
    ArrayEmpty "ARRAY_EMPTY" error
        "A list, or a primitive's `attributes`, is empty; glTF has it left out instead.";
    AttributeNotTaken "ATTRIBUTE_NOT_TAKEN" hint
        "A glTF 1.0 technique does not declare an attribute, so the primitive is drawn without it.";
    AttributeUnknown "ATTRIBUTE_UNKNOWN" error
        "An attribute's name is not defined by glTF; the attribute is ignored.";
    BinNotSecond "BIN_NOT_SECOND" error
        "A GLB's BIN chunk is not its second chunk.";
    BinOversized "BIN_OVERSIZED" warning
        "A GLB's BIN chunk is longer than the buffer it holds.";
    BinTwice "BIN_TWICE" error
        "A GLB has a second BIN chunk, which is ignored.";
    BoundsMissing "BOUNDS_MISSING" error
        "An accessor lacks the `min` or `max` that glTF requires; it is computed.";
    BoundsOdd "BOUNDS_ODD" error
        "An accessor's `min` or `max` has the wrong number of components; it is computed.";
    BoundsWrong "BOUNDS_WRONG" error
        "An accessor's `min` or `max` does not match its data; the data is used.";
    CameraOdd "CAMERA_ODD" error
        "A camera's parameters are out of range or contradict its type; they are replaced.";
    ChannelLeftOut "CHANNEL_LEFT_OUT" error
        "An animation channel can't be played and is ignored.";
    ChannelOdd "CHANNEL_ODD" warning
        "An animation channel plays, but not exactly as the file states it.";
    ChannelOnMatrix "CHANNEL_ON_MATRIX" error
        "An animation drives a node that has a matrix; the matrix is decomposed.";
    ChannelTwice "CHANNEL_TWICE" error
        "Two channels of an animation drive the same property; the later one is used.";
    ChannelWithoutNode "CHANNEL_WITHOUT_NODE" hint
        "An animation channel names no node and so drives nothing.";
    ChildTwice "CHILD_TWICE" error
        "A node lists the same child twice; it is drawn once.";
    ChunkUnaligned "CHUNK_UNALIGNED" error
        "A GLB chunk's length is not a multiple of 4.";
    ColorRange "COLOR_RANGE" error
        "Vertex colours are outside 0 to 1; they are clamped.";
    ColorUnread "COLOR_UNREAD" limit
        "A primitive has more sets of vertex colours than are supported; set 0 is used.";
    Count0 "COUNT_0" error
        "An accessor has no elements.";
    DataUriOdd "DATA_URI_ODD" error
        "The data URI of a buffer is malformed, or its media type is none that a buffer may have; it is read all the same.";
    DirectionNotUnit "DIRECTION_NOT_UNIT" error
        "Normals or tangents are not of unit length; they are normalised.";
    DirectionZero "DIRECTION_ZERO" error
        "Normals or tangents have length 0; they are replaced.";
    DracoFallback "DRACO_FALLBACK" warning
        "A Draco stream can't be decoded; the uncompressed data beside it is used.";
    ExtensionIgnored "EXTENSION_IGNORED" limit
        "An extension is not supported; the model is shown without it.";
    ExtensionMisplaced "EXTENSION_MISPLACED" error
        "An extension is on an object it is not defined for, where it has no effect.";
    ExtensionOdd "EXTENSION_ODD" error
        "An extension is not an object, lacks what it must have, or is used without being required.";
    ExtensionTwice "EXTENSION_TWICE" error
        "`extensionsUsed` or `extensionsRequired` has a name twice.";
    ExtensionUndeclared "EXTENSION_UNDECLARED" error
        "An extension is missing from `extensionsUsed`; it is read all the same.";
    FactorRange "FACTOR_RANGE" error
        "A material's factor is out of range; it is clamped.";
    FileDefect "FILE_DEFECT" warning
        "A file that is not glTF has a defect, which was repaired.";
    ImageBroken "IMAGE_BROKEN" error
        "An image can't be decoded; a placeholder is shown.";
    ImageMime "IMAGE_MIME" error
        "An image's `mimeType` does not match its content; the content decides.";
    ImageMissing "IMAGE_MISSING" error
        "An image can't be read; a placeholder is shown.";
    ImageTwice "IMAGE_TWICE" error
        "An image has both a `uri` and a `bufferView`; the buffer view is used.";
    IndicesLeftOver "INDICES_LEFT_OVER" warning
        "The number of indices does not fit the primitive's mode; the last ones are ignored.";
    InfluencesCut "INFLUENCES_CUT" limit
        "Vertices have more than 16 joints; the strongest 16 are kept.";
    InfluencesUnpaired "INFLUENCES_UNPAIRED" error
        "JOINTS_n and WEIGHTS_n do not come in pairs counted from 0; the others are ignored.";
    InstancesIdle "INSTANCES_IDLE" warning
        "A node has instances but no mesh.";
    InstancesNone "INSTANCES_NONE" warning
        "EXT_mesh_gpu_instancing lists no instance that can be drawn; the mesh is drawn once.";
    InstancesNotFinite "INSTANCES_NOT_FINITE" warning
        "Instances whose matrices are NaN or infinite are ignored.";
    InstancesSkinned "INSTANCES_SKINNED" warning
        "Instances of a skinned mesh are ignored; the mesh is drawn once.";
    InterpolationUnknown "INTERPOLATION_UNKNOWN" warning
        "A sampler's interpolation is unknown; one that fits its number of values is used.";
    JointsDuplicate "JOINTS_DUPLICATE" error
        "Vertices list the same joint more than once; its weights are added, where other programs take one of them.";
    JointsOutside "JOINTS_OUTSIDE" error
        "Joints of a skin are not in the scene that shows its mesh; they move it all the same.";
    JointsWithoutRoot "JOINTS_WITHOUT_ROOT" error
        "The joints of a skin have no common root.";
    JointTwice "JOINT_TWICE" error
        "A skin lists the same joint twice.";
    JointUnusedOutOfRange "JOINT_UNUSED_OUT_OF_RANGE" error
        "A joint index of weight 0 is out of range.";
    JsonPaddedWithNul "JSON_PADDED_WITH_NUL" warning
        "A GLB's JSON chunk is padded with NUL instead of spaces.";
    JsonTwice "JSON_TWICE" error
        "A GLB has a second JSON chunk, which is ignored.";
    KeysTooFew "KEYS_TOO_FEW" error
        "A CUBICSPLINE sampler has fewer than two keys; it holds its value.";
    LightOdd "LIGHT_ODD" error
        "A light's parameters are out of range; they are clamped or replaced.";
    MatrixAndTrs "MATRIX_AND_TRS" error
        "A node has a matrix beside translation, rotation or scale; the matrix is used.";
    MatrixProjective "MATRIX_PROJECTIVE" error
        "A matrix's last row is not 0 0 0 1; it is read as if it were.";
    MatrixSheared "MATRIX_SHEARED" error
        "A node's matrix is sheared, so it has no exact translation, rotation and scale.";
    MatrixSingular "MATRIX_SINGULAR" error
        "A node's matrix flattens what the node carries.";
    MeshoptFallback "MESHOPT_FALLBACK" warning
        "A meshopt stream can't be decoded; the uncompressed data beside it is used.";
    MeshEmpty "MESH_EMPTY" error
        "A mesh has no primitives.";
    NormalizedFloat "NORMALIZED_FLOAT" error
        "`normalized` is set for floats or 32-bit integers, where it has no meaning.";
    NormalizedIndices "NORMALIZED_INDICES" error
        "`normalized` is set for indices or joints, where it has no meaning.";
    NotFinite "NOT_FINITE" error
        "Entries of an attribute are NaN or infinite; they are replaced.";
    NotNormalized "NOT_NORMALIZED" error
        "Integers that stand for fractions lack `normalized`; they are read as if it were set.";
    NotShown "NOT_SHOWN" limit
        "A file that is not glTF contains something that is not shown, or not exactly.";
    NotUtf8 "NOT_UTF8" error
        "The JSON is not UTF-8; invalid bytes are replaced.";
    NoPosition "NO_POSITION" warning
        "A primitive has no POSITION and is not drawn.";
    NoScenes "NO_SCENES" warning
        "The file has no scenes; its root nodes are shown.";
    PointerUnread "POINTER_UNREAD" limit
        "A channel drives a property by its JSON pointer that is not supported; it stands still.";
    PositionNotFinite "POSITION_NOT_FINITE" error
        "Positions are NaN or infinite; the primitives' elements that use them are ignored.";
    QuantizedUndeclared "QUANTIZED_UNDECLARED" error
        "Quantized attributes are used without KHR_mesh_quantization; they are read all the same.";
    RestartValue "RESTART_VALUE" error
        "An index is the primitive restart value; it is read as a plain index.";
    RootIsChild "ROOT_IS_CHILD" error
        "A scene lists a node that is another node's child; it is drawn once.";
    RootTwice "ROOT_TWICE" error
        "A scene lists the same node twice; it is drawn once.";
    RotationKeysFlip "ROTATION_KEYS_FLIP" hint
        "Neighbouring cubic rotation keys lie on opposite hemispheres; the curve takes the long way.";
    RotationKeysNotUnit "ROTATION_KEYS_NOT_UNIT" error
        "Rotation keys are not of unit length; they are normalised.";
    RotationNotUnit "ROTATION_NOT_UNIT" error
        "A rotation is not of unit length; it is normalised.";
    RotationZero "ROTATION_ZERO" error
        "A rotation has length 0; it is read as the identity.";
    SamplerOdd "SAMPLER_ODD" warning
        "A texture sampler has an unknown filter or wrapping mode; the default is used.";
    SkeletonOdd "SKELETON_ODD" error
        "A joint is not below the node that the skin's `skeleton` names.";
    SkinIdle "SKIN_IDLE" error
        "A node's skin has no mesh, or a mesh without joints, to move.";
    SkinMissing "SKIN_MISSING" warning
        "A mesh has joints and weights, but its node has no skin; it is drawn rigid.";
    SkinNodeTransform "SKIN_NODE_TRANSFORM" warning
        "The transform of a skinned mesh's node has no effect on the mesh.";
    SparseCount0 "SPARSE_COUNT_0" error
        "A sparse accessor replaces no elements.";
    SparseUnsorted "SPARSE_UNSORTED" error
        "The indices of a sparse accessor do not increase strictly.";
    Stride0 "STRIDE_0" error
        "A buffer view's `byteStride` is 0; its elements are read as packed.";
    StrideMisplaced "STRIDE_MISPLACED" error
        "A buffer view with a `byteStride` is used for data other than vertices.";
    StrideTooBig "STRIDE_TOO_BIG" error
        "The `byteStride` of a buffer view is larger than the view.";
    StrideUnaligned "STRIDE_UNALIGNED" error
        "A buffer view's `byteStride` is not a multiple of 4.";
    TangentsLeftOut "TANGENTS_LEFT_OUT" limit
        "A primitive has too many triangles, altogether or at one vertex, for tangents to be computed; the directions of the texture are used.";
    TangentsUnused "TANGENTS_UNUSED" hint
        "A cubic track's first in-tangent or last out-tangent is not 0, which has no effect.";
    TangentMissing "TANGENT_MISSING" error
        "A material without a normal map needs TANGENT, which the primitive lacks; the direction follows the texture coordinates or is arbitrary.";
    TangentSign "TANGENT_SIGN" error
        "Tangents have a `w` that is neither 1 nor -1.";
    TargetsDiffer "TARGETS_DIFFER" error
        "The primitives of a mesh have different numbers of morph targets.";
    TargetNamesMany "TARGET_NAMES_MANY" warning
        "A mesh names more morph targets than it has: some were probably lost, and names may be those of others.";
    TargetWithoutBase "TARGET_WITHOUT_BASE" error
        "A morph target changes an attribute that the primitive does not have; it is ignored.";
    TechniqueUnknown "TECHNIQUE_UNKNOWN" limit
        "A KHR_materials_common technique is unknown; it is read as LAMBERT.";
    TexcoordMissing "TEXCOORD_MISSING" error
        "A texture needs coordinates that the primitive does not have; they are read as 0.";
    TexcoordUnread "TEXCOORD_UNREAD" limit
        "Texture coordinates beyond TEXCOORD_1 are not supported.";
    TextureSourceOdd "TEXTURE_SOURCE_ODD" error
        "A texture's image is not of the type that its extension requires.";
    TextureSourceUnread "TEXTURE_SOURCE_UNREAD" warning
        "A texture names no image that can be read; a placeholder is shown.";
    ToonApproximated "TOON_APPROXIMATED" hint
        "A material is made for toon shading (MToon), which is approximated.";
    TrailingBytes "TRAILING_BYTES" warning
        "The file is longer than its GLB header states; the rest is ignored.";
    Unaligned "UNALIGNED" error
        "An accessor's elements are not aligned to their component size.";
    UriBackslash "URI_BACKSLASH" error
        "A URI contains backslashes; they are read as slashes.";
    ValueOdd "VALUE_ODD" warning
        "A glTF 1.0 material value has the wrong type; it is ignored.";
    VariantTwice "VARIANT_TWICE" error
        "A primitive names the same material variant twice; the first is used.";
    VersionOdd "VERSION_ODD" warning
        "The file states an unknown minor version of glTF; it is read as the known one.";
    VrmSkipped "VRM_SKIPPED" warning
        "A part of a VRM extension is invalid; it is left out.";
    WeightsCount "WEIGHTS_COUNT" error
        "The number of morph weights differs from the number of morph targets.";
    WeightsOdd "WEIGHTS_ODD" error
        "Joint weights are negative, NaN or infinite; they are read as 0.";
    WeightsSum "WEIGHTS_SUM" error
        "A vertex's joint weights do not sum to 1; they are normalised.";
    WeightsZero "WEIGHTS_ZERO" error
        "A vertex's joint weights are all 0; it is bound to its first joint.";
    WorldNotFinite "WORLD_NOT_FINITE" error
        "Nodes have world matrices that are NaN or infinite; they are not drawn.";
}

impl std::fmt::Display for WarningCode {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

impl serde::Serialize for WarningCode {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_listed_once_and_printed_by_its_name() {
        let codes: Vec<_> = WarningCode::ALL.iter().map(|code| code.as_str()).collect();
        assert!(codes.is_sorted_by(|a, b| a < b), "{codes:?}");
        for code in WarningCode::ALL {
            let name = format!("{code:?}").to_uppercase();
            assert_eq!(name, code.as_str().replace('_', ""));
            assert!(code.explanation().ends_with('.'), "{code}");
        }
    }
}
