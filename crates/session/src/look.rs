//! Changes of the look: passes, overlays and light.

use super::{Document, Playback};
use rigview_look::{BoneStyle, Lighting, Look, OnionSkin, Pass, Preset, ToneMap, Vectors};

/// A change of what the picture shows.
#[derive(Clone, Debug, PartialEq)]
pub enum LookAction {
    /// Shows or hides the skeleton.
    ToggleSkeleton,
    /// Shows or hides the joints' names.
    ToggleJointNames,
    /// Sets how joints and bones are drawn. Sizes are clamped to a quarter to four.
    SetBoneStyle(BoneStyle),
    /// Shows or hides the path of the selected node over the clip.
    ToggleTrail,
    /// Shows or hides ghosts of past and next poses.
    ToggleOnionSkin,
    /// Shows ghosts, or none. Counts and times beyond the limits of [`OnionSkin`] change nothing.
    SetOnionSkin(Option<OnionSkin>),
    /// Shows the weights of the joint, or the shaded picture again.
    ToggleWeights,
    /// Shows or hides the path of the root on the ground.
    ToggleRootPath,
    /// Marks vertices with faulty weights, or not.
    ToggleWeightMarks,
    /// Sets the vectors of the surface that are drawn.
    SetVectors(Vectors),
    /// Shows or hides the grid on the ground.
    ToggleGrid,
    /// Shows or hides the scene's axes.
    ToggleAxes,
    /// Shows or hides the posed model's box.
    ToggleBounds,
    /// Sets pass, background, light and tone map to those of a preset.
    SetPreset(Preset),
    /// Sets the background colour, as sRGB bytes, in place of the look's own with its pool of light.
    SetBackground([u8; 3]),
    /// Sets the light.
    SetLighting(Box<Lighting>),
    /// Sets the tone map.
    SetToneMap(ToneMap),
    /// Sets the exposure in stops.
    SetExposure(f32),
    /// Measures the light and adds the exposure that fits it, or not.
    SetAutoExposure(bool),
    /// Sets the pass.
    SetPass(Pass),
    /// Shows the next pass; the first one after the last.
    NextPass,
    /// Shows the weights of a joint, given as a node; of the joint with the largest area if `None`.
    SelectJoint(Option<usize>),
    /// Selects one of the file's material variants, or none.
    SelectVariant(Option<usize>),
}

/// Changes the look. The playback has the joints to choose from.
pub(super) fn apply(look: &mut Look, action: LookAction, playback: &Playback) {
    match action {
        LookAction::ToggleSkeleton => look.skeleton = !look.skeleton,
        LookAction::ToggleJointNames => look.joint_names = !look.joint_names,
        LookAction::SetBoneStyle(style) if style.size.is_finite() => {
            look.bones = BoneStyle { size: style.size.clamp(0.25, 4.0), ..style };
        }
        LookAction::SetBoneStyle(_) => {}
        LookAction::ToggleTrail => look.trail = !look.trail,
        LookAction::ToggleOnionSkin => {
            look.aids.onion = look.aids.onion.is_none().then(OnionSkin::default);
        }
        LookAction::SetOnionSkin(onion) => {
            if onion.is_none_or(|onion| onion.is_valid(playback.fps())) {
                look.aids.onion = onion;
            }
        }
        LookAction::ToggleWeights => {
            look.pass = if look.pass == Pass::Weights { Pass::Shaded } else { Pass::Weights };
        }
        LookAction::ToggleRootPath => look.aids.root_path = !look.aids.root_path,
        LookAction::ToggleWeightMarks => look.aids.weight_marks = !look.aids.weight_marks,
        LookAction::SetVectors(vectors) => look.aids.vectors = vectors,
        LookAction::ToggleGrid => look.grid = !look.grid,
        LookAction::ToggleAxes => look.axes = !look.axes,
        LookAction::ToggleBounds => look.bounds = !look.bounds,
        LookAction::SetPreset(preset) => preset.apply(look),
        LookAction::SetBackground([r, g, b]) => {
            (look.background, look.floor) = ([r, g, b, 0xff], false);
        }
        LookAction::SetLighting(lighting) => {
            // Light that is to be judged by itself is not measured.
            if lighting.key_light != look.lighting.key_light {
                look.auto_exposure = lighting.key_light;
            }
            look.lighting = *lighting;
        }
        LookAction::SetToneMap(tone_map) => look.tone_map = tone_map,
        LookAction::SetExposure(stops) if stops.is_finite() => look.exposure = stops,
        LookAction::SetExposure(_) => {}
        LookAction::SetAutoExposure(on) => look.auto_exposure = on,
        LookAction::SetPass(pass) => look.pass = pass,
        LookAction::NextPass => look.pass = look.pass.next(),
        LookAction::SelectJoint(joint) => {
            if joint.is_none_or(|joint| playback.document().is_some_and(|d| is_joint(d, joint))) {
                look.joint = joint;
            }
        }
        LookAction::SelectVariant(variant) => look.variant = variant,
    }
    choose_joint(look, playback);
}

/// Chooses the joint with the largest area if the pass needs a joint and none is chosen. The search reads all
/// vertices, so other passes skip it.
pub(super) fn choose_joint(look: &mut Look, playback: &Playback) {
    let (Some(document), Some(stage)) = (playback.document(), playback.stage()) else { return };
    if look.pass == Pass::Weights && look.joint.is_none() {
        look.joint = stage.widest_joint(&document.model);
    }
}

/// Finds the joint of a reloaded file that corresponds to the chosen one: the same node if its name is
/// unchanged, else the first joint of that name.
pub(super) fn same_joint(
    joint: Option<usize>,
    before: &Document,
    again: &Document,
) -> Option<usize> {
    let joint = joint?;
    let name_in = |document: &Document| document.model.nodes.get(joint)?.name.clone();
    let name = name_in(before);
    if name == name_in(again) && is_joint(again, joint) {
        return Some(joint);
    }
    again.joint(&name?)
}

fn is_joint(document: &Document, node: usize) -> bool {
    let mut joints = document.model.skins.iter().flat_map(|skin| &skin.joints);
    joints.any(|joint| *joint as usize == node)
}

/// Returns the material variant of another file that has the same name.
pub(super) fn same_variant(
    variant: Option<usize>,
    before: &Document,
    after: &Document,
) -> Option<usize> {
    let name = before.model.variants.get(variant?)?;
    after.model.variants.iter().position(|other| other == name)
}
