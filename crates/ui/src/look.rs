//! The view's panel: overlays, the pass, material variants, and buttons for the camera.

use egui::Ui;

use super::choice::{Entry, labelled_choice_ui};
use super::number::number_ui;
use super::shortcuts::{self, Shortcut};
use super::text::one_line;
use super::theme;
use rigview_look::{BoneShape, Look, Pass};
use rigview_session::{Action, Document, LookAction, Playback, ViewCamera};

/// Shows a checkbox per overlay, and one for the projection.
pub(super) fn toggles_ui(
    ui: &mut Ui,
    playback: &Playback,
    look: &Look,
    view_camera: &ViewCamera,
    actions: &mut Vec<Action>,
) {
    let orthographic = view_camera.orbit_camera().orthographic;
    let bones = has_bones(playback);
    let toggles: [(&str, Shortcut, bool, bool); 7] = [
        ("Skeleton", shortcuts::SKELETON, look.skeleton, bones),
        ("Joint names", shortcuts::JOINT_NAMES, look.joint_names, bones),
        ("Grid", shortcuts::GRID, look.grid, true),
        ("Bounds", shortcuts::BOUNDS, look.bounds, true),
        ("Axes", shortcuts::AXES, look.axes, true),
        ("Orthographic", shortcuts::ORTHOGRAPHIC, orthographic, true),
        ("Trail", shortcuts::TRAIL, look.trail, true),
    ];
    ui.scope(|ui| {
        ui.spacing_mut().interact_size.y = 20.0;
        egui::Grid::new("toggles").num_columns(2).spacing([18.0, 4.0]).show(ui, |ui| {
            for (i, (name, shortcut, mut on, enabled)) in toggles.into_iter().enumerate() {
                ui.add_enabled_ui(enabled, |ui| {
                    let toggle = theme::checkbox_ui(ui, &mut on, name);
                    let toggle = toggle.on_hover_text(shortcut.hint(ui, name));
                    if toggle.on_disabled_hover_text("This model has no joints").changed() {
                        actions.push(shortcut.action(playback));
                    }
                });
                if i % 2 == 1 {
                    ui.end_row();
                }
            }
        });
    });
}

/// Whether the file has a skeleton to show. One without a mesh shows its nodes as bones, even without a skin.
fn has_bones(playback: &Playback) -> bool {
    playback.document().is_some_and(|d| d.summary.joints > 0 || d.summary.meshes == 0)
}

/// Shows how the skeleton is drawn, while it is.
pub(super) fn bones_ui(ui: &mut Ui, playback: &Playback, look: &Look, actions: &mut Vec<Action>) {
    if !look.skeleton || !has_bones(playback) {
        return;
    }
    let mut style = look.bones;
    let shapes = BoneShape::ALL.map(|shape| Entry::new(shape, shape_label(shape))).into();
    if let Some(shape) = labelled_choice_ui(ui, "Joints", "", &style.shape, shapes) {
        style.shape = shape;
    }
    number_ui(
        ui,
        &mut style.size,
        "Joint size",
        0.25..=4.0,
        0.25,
        " ×",
        "Width of bones and joints, length of axes",
    );
    let sides = theme::checkbox_ui(ui, &mut style.sides, "Left and right");
    sides.on_hover_text("Colour joints by the side that their names say");
    let solid = theme::checkbox_ui(ui, &mut style.solid, "Solid joints");
    solid.on_hover_text("Lit shapes in the scene, as large as the bones");
    let in_front = theme::checkbox_ui(ui, &mut style.in_front, "In front of the mesh");
    in_front.on_hover_text("Draw joints over the mesh; otherwise it hides them");
    if style != look.bones {
        actions.push(LookAction::SetBoneStyle(style).into());
    }
}

fn shape_label(shape: BoneShape) -> &'static str {
    match shape {
        BoneShape::Bones => "Bones",
        BoneShape::Lines => "Lines",
        BoneShape::Spheres => "Spheres",
        BoneShape::Axes => "Local axes",
    }
}

/// Shows the list of passes.
pub(super) fn pass_ui(ui: &mut Ui, look: &Look, actions: &mut Vec<Action>) {
    let passes = Pass::ALL.into_iter().map(|pass| Entry::new(pass, pass_label(pass))).collect();
    let hint = shortcuts::NEXT_PASS.hint(ui, "Next pass");
    if let Some(pass) = labelled_choice_ui(ui, "Shows", &hint, &look.pass, passes) {
        actions.push(LookAction::SetPass(pass).into());
    }
}

/// Shows the list of the file's material variants, if there are any.
pub(super) fn variants_ui(
    ui: &mut Ui,
    document: &Document,
    shown: Option<usize>,
    actions: &mut Vec<Action>,
) {
    let variants = &document.model.variants;
    if variants.is_empty() {
        return;
    }
    let none = Entry::new(None, "None");
    let variant = |(i, name): (usize, &String)| Entry::new(Some(i), one_line(name));
    let entries = std::iter::once(none).chain(variants.iter().enumerate().map(variant)).collect();
    if let Some(variant) = labelled_choice_ui(ui, "Variant", "", &shown, entries) {
        actions.push(LookAction::SelectVariant(variant).into());
    }
}

/// Shows the buttons for the camera, and the one for the help panel.
pub(super) fn buttons_ui(ui: &mut Ui, playback: &Playback, actions: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        for (name, shortcut, hint) in [
            ("Frame", shortcuts::FRAME_ALL, "Show the model over its whole clip"),
            ("Reset", shortcuts::RESET_CAMERA, "Return to the first view"),
            ("Help", shortcuts::HELP, "Keyboard and mouse"),
        ] {
            if ui.button(name).on_hover_text(shortcut.hint(ui, hint)).clicked() {
                actions.push(shortcut.action(playback));
            }
        }
    });
}

/// The name of a pass in the window.
pub(super) fn pass_label(pass: Pass) -> &'static str {
    match pass {
        Pass::Shaded => "Shaded",
        Pass::Albedo => "Base colour",
        Pass::Normal => "Normals",
        Pass::GeometricNormal => "Face normals",
        Pass::Tangent => "Tangents",
        Pass::Metallic => "Metallic",
        Pass::Roughness => "Roughness",
        Pass::Occlusion => "Occlusion",
        Pass::Emissive => "Emission",
        Pass::Alpha => "Alpha",
        Pass::Uv => "Texture coordinates",
        Pass::UvChecker => "Coordinate checker",
        Pass::Influences => "Joint influences",
        Pass::Faces => "Front and back faces",
        Pass::Depth => "Depth",
        Pass::Mask => "Mask",
        Pass::Clay => "Clay",
        Pass::Wireframe => "Wireframe",
        Pass::Overdraw => "Overdraw",
        Pass::Weights => "Weight of a joint",
        Pass::WeightSum => "Sum of weights",
        Pass::RestToBind => "Rest to bind",
        Pass::AmbientOcclusion => "Ambient occlusion",
    }
}
