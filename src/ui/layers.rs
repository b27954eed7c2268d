//! Several clips at once: the crossfade, and clips that play beside the shown one.

use egui::{RichText, Slider, Ui};

use super::icon::{Icon, icon_button_ui};
use super::joints::joint_name;
use super::{one_line, theme};
use crate::session::{
    Action, Blending, Document, ExhibitAction, LONGEST_FADE, LayerSettings, Session,
};

/// Names in a list of joints, at most: nobody scrolls through more.
const MOST_JOINTS: usize = 1000;

/// How a layer joins, with words.
const BLENDINGS: [(Blending, &str, &str); 3] = [
    (Blending::Mean, "Blend", "Shares what it moves with the other clips, by weight"),
    (Blending::AddToRest, "Add to rest", "Adds its difference from the rest pose"),
    (Blending::AddToStart, "Add to start", "Adds its difference from its own first frame"),
];

/// The crossfade and the layers, folded away behind their number.
pub(super) fn layers_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    let Some(document) = session.exhibit().document().filter(|d| !d.clips().is_empty()) else {
        return;
    };
    let before = session.exhibit().layers();
    let title = match before.len() {
        0 => "Blending".to_owned(),
        n => format!("Blending ({n})"),
    };
    egui::CollapsingHeader::new(title).id_salt("layers").show_unindented(ui, |ui| {
        fade_ui(ui, session, actions);
        let mut layers = before.to_vec();
        let mut gone = None;
        for (i, layer) in layers.iter_mut().enumerate() {
            ui.add_space(4.0);
            ui.push_id(i, |ui| {
                if layer_ui(ui, session, document, layer) {
                    gone = Some(i);
                }
            });
        }
        if let Some(i) = gone {
            layers.remove(i);
        }
        ui.add_space(4.0);
        let hint = "Plays another clip at the same time";
        if ui.button("Add a clip").on_hover_text(hint).clicked() {
            layers.push(LayerSettings {
                clip: another(session, document),
                weight: 1.0,
                blending: Blending::Mean,
                joint: None,
            });
        }
        if layers != before {
            actions.push(Action::Exhibit(ExhibitAction::SetLayers(layers)));
        }
    });
}

/// The clip that a new layer begins with: the one after the shown.
fn another(session: &Session, document: &Document) -> usize {
    let shown = session.exhibit().clip_index().map_or(0, |clip| clip + 1);
    shown % document.clips().len()
}

fn fade_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    let mut secs = session.exhibit().fade_secs();
    theme::labelled_ui(ui, "Crossfade", |ui| {
        let slider = Slider::new(&mut secs, 0.0..=LONGEST_FADE).suffix(" s").max_decimals(2);
        if theme::slider_ui(ui, slider).on_hover_text("From one clip to the next").changed() {
            actions.push(Action::Exhibit(ExhibitAction::SetFade(secs)));
        }
    });
}

/// One layer; says whether it is to go.
fn layer_ui(
    ui: &mut Ui,
    session: &Session,
    document: &Document,
    layer: &mut LayerSettings,
) -> bool {
    let mut gone = false;
    ui.horizontal(|ui| {
        let width = ui.available_width() - 32.0;
        let name = document.clip_name(layer.clip).unwrap_or_default();
        let combo = egui::ComboBox::from_id_salt("clip").width(width).truncate();
        combo.selected_text(one_line(name)).show_ui(ui, |ui| {
            for (i, name) in document.clip_names.iter().enumerate() {
                ui.selectable_value(&mut layer.clip, i, one_line(name));
            }
        });
        gone = icon_button_ui(ui, Icon::Close, 22.0, "Remove the clip", "Remove").clicked();
    });
    theme::labelled_ui(ui, "Weight", |ui| {
        theme::slider_ui(ui, Slider::new(&mut layer.weight, 0.0..=1.0).max_decimals(2));
    });
    ui.horizontal(|ui| {
        let half = 0.5 * (ui.available_width() - ui.spacing().item_spacing.x);
        let label = BLENDINGS.iter().find(|b| b.0 == layer.blending).map_or("", |b| b.1);
        let combo = egui::ComboBox::from_id_salt("blending").width(half).truncate();
        combo.selected_text(label).show_ui(ui, |ui| {
            for (blending, label, hint) in BLENDINGS {
                ui.selectable_value(&mut layer.blending, blending, label).on_hover_text(hint);
            }
        });
        joint_ui(ui, session, document, layer, half);
    });
    gone
}

/// From which joint on down the layer moves the rig.
fn joint_ui(
    ui: &mut Ui,
    session: &Session,
    document: &Document,
    layer: &mut LayerSettings,
    width: f32,
) {
    let name = |node: usize| one_line(&joint_name(&document.model, node));
    let label = layer.joint.map_or_else(|| "Whole rig".to_owned(), name);
    let combo = egui::ComboBox::from_id_salt("joint").width(width).truncate();
    let inner = combo.selected_text(label).show_ui(ui, |ui| {
        ui.selectable_value(&mut layer.joint, None, "Whole rig");
        // Only an open list is worth the look.
        let Some(stage) = session.exhibit().stage() else { return };
        let joints = stage.joints(&document.model);
        let shown = if joints.is_empty() { &stage.nodes } else { &joints };
        for node in shown.iter().take(MOST_JOINTS) {
            ui.selectable_value(&mut layer.joint, Some(*node), name(*node));
        }
    });
    inner.response.on_hover_text("Moves only this joint and those below it");
}

/// Whose clips these are, where they are another file's, and what of them was found.
pub(super) fn borrowed_ui(ui: &mut Ui, session: &Session) {
    let borrowed = session.exhibit().document().and_then(|document| document.borrowed.as_ref());
    let Some((source, borrowed)) = borrowed else { return };
    let text = one_line(&format!("Clips of {}", source.name()));
    let color = if borrowed.is_complete() { theme::WEAK } else { theme::WARNING };
    let label = egui::Label::new(RichText::new(text).size(12.0).color(color)).truncate();
    ui.add(label).on_hover_text(one_line(&borrowed.summary()));
}
