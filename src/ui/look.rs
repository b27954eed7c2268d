//! How the model is shown: overlays, passes, the camera, and the file's warnings.

use egui::{RichText, Ui};

use super::joints::joints_ui;
use super::list::NameList;
use super::words::counted;
use super::words::one_line;
use super::{choosers, light, theme};
use crate::look::Pass;
use crate::session::{Action, LookAction, Session, SightAction};

/// Toggles, passes, camera buttons and light.
pub(super) fn look_ui(
    ui: &mut Ui,
    session: &Session,
    joints: &mut NameList,
    actions: &mut Vec<Action>,
) {
    theme::heading_ui(ui, "View");
    ui.scope(|ui| {
        ui.spacing_mut().interact_size.y = 20.0;
        toggles_ui(ui, session, actions);
    });
    theme::labelled_ui(ui, "Shows", |ui| {
        let pass = session.look().pass;
        let combo = egui::ComboBox::from_id_salt("pass")
            .selected_text(pass_label(pass))
            .truncate()
            .width(ui.available_width())
            .height(480.0);
        let inner = combo.show_ui(ui, |ui| {
            for other in Pass::ALL {
                if ui.selectable_label(other == pass, pass_label(other)).clicked() {
                    actions.push(Action::Look(LookAction::SetPass(other)));
                }
            }
        });
        inner.response.on_hover_text("V: the next one");
    });
    joints_ui(ui, session, joints, actions);
    variants_ui(ui, session, actions);
    choosers::choosers_ui(ui, session, actions);
    ui.horizontal_wrapped(|ui| {
        if ui.button("Frame").on_hover_text("F: show the model over its whole clip").clicked() {
            actions.push(Action::Sight(SightAction::FrameAll));
        }
        if ui.button("Reset").on_hover_text("R: the camera as at first").clicked() {
            actions.push(Action::Sight(SightAction::ResetCamera));
        }
        if ui.button("Help").on_hover_text("H: keyboard and mouse").clicked() {
            actions.push(Action::ToggleHelp);
        }
    });
    light::light_ui(ui, session, actions);
}

/// The file's material variants, where it has any.
fn variants_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    let variants = session.exhibit().document().map_or(&[][..], |d| &d.model.variants);
    if variants.is_empty() {
        return;
    }
    let shown = session.look().variant;
    let label = |variant: Option<usize>| match variant.and_then(|v| variants.get(v)) {
        Some(name) => one_line(name),
        None => "None".into(),
    };
    theme::labelled_ui(ui, "Variant", |ui| {
        let combo = egui::ComboBox::from_id_salt("variant")
            .selected_text(label(shown))
            .truncate()
            .width(ui.available_width());
        combo.show_ui(ui, |ui| {
            for other in [None].into_iter().chain((0..variants.len()).map(Some)) {
                if ui.selectable_label(other == shown, label(other)).clicked() {
                    actions.push(Action::Look(LookAction::SelectVariant(other)));
                }
            }
        });
    });
}

fn toggles_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    let look = session.look();
    let orthographic = session.sight().orbit_camera().orthographic;
    // A file of nodes alone has bones without a skin.
    let bones =
        session.exhibit().document().is_some_and(|d| d.summary.joints > 0 || d.summary.meshes == 0);
    let toggles = [
        ("Skeleton", "K", look.skeleton, bones, Action::Look(LookAction::ToggleSkeleton)),
        ("Joint names", "N", look.joint_names, bones, Action::Look(LookAction::ToggleJointNames)),
        ("Grid", "G", look.grid, true, Action::Look(LookAction::ToggleGrid)),
        ("Bounds", "B", look.bounds, true, Action::Look(LookAction::ToggleBounds)),
        ("Axes", "X", look.axes, true, Action::Look(LookAction::ToggleAxes)),
        ("Orthographic", "5", orthographic, true, Action::Sight(SightAction::ToggleOrthographic)),
    ];
    egui::Grid::new("toggles").num_columns(2).spacing([18.0, 4.0]).show(ui, |ui| {
        for (i, (name, key, mut on, enabled, action)) in toggles.into_iter().enumerate() {
            ui.add_enabled_ui(enabled, |ui| {
                let toggle = theme::checkbox_ui(ui, &mut on, name).on_hover_text(key);
                if toggle.on_disabled_hover_text("This model has no joints").changed() {
                    actions.push(action);
                }
            });
            if i % 2 == 1 {
                ui.end_row();
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
        Pass::Influences => "Joint influences",
        Pass::Faces => "Front and back faces",
        Pass::Depth => "Depth",
        Pass::Mask => "Mask",
        Pass::Clay => "Clay",
        Pass::Wireframe => "Wireframe",
        Pass::Overdraw => "Overdraw",
        Pass::Weights => "Weight of a joint",
        Pass::WeightSum => "Sum of weights",
        Pass::AmbientOcclusion => "Ambient occlusion",
    }
}

/// The file's warnings, folded away behind their number.
pub(super) fn warnings_ui(ui: &mut Ui, session: &Session) {
    let warnings: Vec<_> =
        session.exhibit().document().into_iter().flat_map(|d| d.faults()).collect();
    if warnings.is_empty() {
        return;
    }
    let title = RichText::new(counted(warnings.len(), "warning")).color(theme::WARNING);
    egui::CollapsingHeader::new(title).id_salt("warnings").show_unindented(ui, |ui| {
        egui::ScrollArea::vertical()
            .max_height(140.0)
            .min_scrolled_height(140.0)
            .auto_shrink([false, true])
            .show(ui, |ui| {
                for warning in warnings {
                    let place = if warning.pointer.is_empty() { "" } else { " at " };
                    let line = format!("{}{place}{}", warning.message, warning.pointer);
                    ui.add(egui::Label::new(RichText::new(one_line(&line)).size(12.0)).wrap())
                        .on_hover_text(warning.code.as_str());
                }
            });
    });
}
