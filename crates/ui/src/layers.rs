//! Several clips at once: the crossfade, and layers, which are clips that play beside the shown one.

use egui::{DragValue, RichText, Ui};

use super::choice::{Choice, Entry};
use super::icon::{Icon, icon_button_ui};
use super::number::{Number, typed};
use super::section::section_ui;
use super::text::one_line;
use super::theme;
use rigview_session::{
    Action, Blending, Document, LONGEST_FADE, LayerSettings, Playback, PlaybackAction,
};

/// Maximum number of names in a list of joints.
const MOST_JOINTS: usize = 1000;

/// Stands for all joints in a list of joints.
const WHOLE_RIG: &str = "Whole rig";

/// How a layer is combined with the other clips, with label and hover text.
const BLENDINGS: [(Blending, &str, &str); 3] = [
    (Blending::Mean, "Blend", "Average with the other clips, by weight"),
    (Blending::AddToRest, "Add to rest", "Add the difference from the rest pose"),
    (Blending::AddToStart, "Add to start", "Add the difference from the clip's first frame"),
];

/// Shows the crossfade and the layers. The section's title has the number of layers.
pub(super) fn layers_ui(ui: &mut Ui, playback: &Playback, actions: &mut Vec<Action>) {
    let Some(document) = playback.document().filter(|d| !d.clips().is_empty()) else { return };
    let before = playback.layers();
    let title = match before.len() {
        0 => "Blending".to_owned(),
        n => format!("Blending ({n})"),
    };
    let header = egui::CollapsingHeader::new(title).id_salt("layers");
    section_ui(ui, header, |ui| {
        fade_ui(ui, playback, actions);
        let mut layers = before.to_vec();
        if let Some(removed) = table_ui(ui, playback, document, &mut layers) {
            layers.remove(removed);
        }
        ui.add_space(4.0);
        if ui.button("Add a clip").on_hover_text("Play another clip at the same time").clicked() {
            layers.push(LayerSettings {
                clip: next_clip(playback, document),
                weight: 1.0,
                blending: Blending::Mean,
                joint: None,
            });
        }
        if layers != before {
            actions.push(PlaybackAction::SetLayers(layers).into());
        }
    });
}

/// Shows the shown clip and the layers as rows of a table. Returns the index of a layer that is to be removed.
fn table_ui(
    ui: &mut Ui,
    playback: &Playback,
    document: &Document,
    layers: &mut [LayerSettings],
) -> Option<usize> {
    let columns = Columns::fit(ui.available_width());
    let mut removed = None;
    ui.add_space(4.0);
    if columns.is_stacked {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = GAP;
            base_ui(ui, playback, document, &columns);
        });
        for (i, layer) in layers.iter_mut().enumerate() {
            if (LayerRow { playback, document, number: i + 1 }).show_stacked(ui, layer, &columns) {
                removed = Some(i);
            }
        }
        return removed;
    }
    let table = egui::Grid::new("layers").num_columns(5).spacing([GAP, GAP]).min_col_width(0.0);
    table.show(ui, |ui| {
        for title in ["Clip", "Weight", "Blending", "Joint"] {
            ui.label(RichText::new(title).size(11.0).color(theme::colors(ui).weak));
        }
        ui.end_row();
        base_ui(ui, playback, document, &columns);
        ui.end_row();
        for (i, layer) in layers.iter_mut().enumerate() {
            if (LayerRow { playback, document, number: i + 1 }).show(ui, layer, &columns) {
                removed = Some(i);
            }
            ui.end_row();
        }
    });
    removed
}

/// The space between cells, and the widths of the columns of weights and of buttons, in points.
const GAP: f32 = 4.0;
const WEIGHT: f32 = 46.0;
const BUTTON: f32 = 22.0;

/// The width from which on a layer is one row, in points. Its lists would show only dots in a narrower one.
const ONE_ROW: f32 = 380.0;

/// The widths of the other columns in points.
struct Columns {
    clip: f32,
    blending: f32,
    joint: f32,
    /// Whether blending and joint are in a row of their own below the clip.
    is_stacked: bool,
}

impl Columns {
    /// Returns the columns of a table of this width.
    fn fit(width: f32) -> Self {
        if width < ONE_ROW {
            let room = (width - GAP).max(150.0);
            let blending = 0.45 * room;
            let clip = (width - WEIGHT - BUTTON - 2.0 * GAP).max(80.0);
            return Self { clip, blending, joint: room - blending, is_stacked: true };
        }
        let room = (width - WEIGHT - BUTTON - 4.0 * GAP).max(150.0);
        let blending = (0.28 * room).min(100.0);
        let joint = 0.45 * (room - blending);
        Self { clip: room - blending - joint, blending, joint, is_stacked: false }
    }
}

/// Shows the clip that the others play beside, as the first row.
fn base_ui(ui: &mut Ui, playback: &Playback, document: &Document, columns: &Columns) {
    let name = match playback.clip_index() {
        Some(clip) => one_line(document.clip_name(clip).unwrap_or_default()),
        None => "Rest pose".to_owned(),
    };
    let hint = "The shown clip, which the clips below play beside";
    const BASE: f32 = 36.0;
    let cells = if columns.is_stacked {
        vec![
            (name, columns.clip + BUTTON - BASE),
            ("1.00".to_owned(), WEIGHT),
            ("Base".to_owned(), BASE),
        ]
    } else {
        vec![
            (name, columns.clip),
            ("1.00".to_owned(), WEIGHT),
            ("Base".to_owned(), columns.blending),
            (WHOLE_RIG.to_owned(), columns.joint),
        ]
    };
    for (text, width) in cells {
        let size = egui::vec2(width, ui.spacing().interact_size.y);
        let row = egui::Layout::left_to_right(egui::Align::Center);
        ui.allocate_ui_with_layout(size, row, |ui| {
            ui.set_min_width(width);
            ui.add(egui::Label::new(text).truncate()).on_hover_text(hint);
        });
    }
}

/// The clip that a new layer starts with: the one after the shown clip.
fn next_clip(playback: &Playback, document: &Document) -> usize {
    playback.clip_index().map_or(0, |clip| clip + 1) % document.clips().len()
}

fn fade_ui(ui: &mut Ui, playback: &Playback, actions: &mut Vec<Action>) {
    let mut secs = playback.fade_secs();
    let number = Number {
        label: "Crossfade",
        of: "",
        range: 0.0..=LONGEST_FADE,
        step: 0.01,
        unit: " s",
        hint: "Duration of the transition from one clip to the next",
    };
    if number.show(ui, &mut secs) {
        actions.push(PlaybackAction::SetFade(secs).into());
    }
}

/// The widgets of one layer.
struct LayerRow<'a> {
    playback: &'a Playback,
    document: &'a Document,
    /// The layer's number in accessible names, from 1.
    number: usize,
}

impl LayerRow<'_> {
    /// Shows the layer's row. Returns whether it is to be removed.
    fn show(&self, ui: &mut Ui, layer: &mut LayerSettings, columns: &Columns) -> bool {
        self.clip_ui(ui, layer, columns.clip);
        self.weight_ui(ui, &mut layer.weight);
        self.blending_ui(ui, layer, columns.blending);
        self.joint_ui(ui, layer, columns.joint);
        let name = format!("Remove layer {}", self.number);
        icon_button_ui(ui, Icon::Close, BUTTON, &name, "Remove").clicked()
    }

    /// Shows the layer in two rows. Returns whether it is to be removed.
    fn show_stacked(&self, ui: &mut Ui, layer: &mut LayerSettings, columns: &Columns) -> bool {
        let row = |ui: &mut Ui, widgets: &mut dyn FnMut(&mut Ui)| {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = GAP;
                widgets(ui);
            });
        };
        let mut removed = false;
        row(ui, &mut |ui| {
            self.clip_ui(ui, layer, columns.clip);
            self.weight_ui(ui, &mut layer.weight);
            let name = format!("Remove layer {}", self.number);
            removed = icon_button_ui(ui, Icon::Close, BUTTON, &name, "Remove").clicked();
        });
        row(ui, &mut |ui| {
            self.blending_ui(ui, layer, columns.blending);
            self.joint_ui(ui, layer, columns.joint);
        });
        ui.add_space(4.0);
        removed
    }

    fn weight_ui(&self, ui: &mut Ui, weight: &mut f32) {
        let field = typed(DragValue::new(weight)).range(0.0..=1.0).speed(0.01).fixed_decimals(2);
        let size = egui::vec2(WEIGHT, ui.spacing().interact_size.y);
        let field = ui.add_sized(size, field);
        let field = field.accessible_name(format!("Weight of layer {}", self.number));
        field.on_hover_text("0 has no effect, 1 as much as the shown clip");
    }

    fn clip_ui(&self, ui: &mut Ui, layer: &mut LayerSettings, width: f32) {
        let text = one_line(self.document.clip_name(layer.clip).unwrap_or_default());
        let name = format!("Clip of layer {}", self.number);
        let list = Choice { name: &name, label: None, text: text.clone(), hint: &text, width };
        let entries = || {
            let names = self.document.clip_names.iter().enumerate();
            names.map(|(i, name)| Entry::new(i, one_line(name))).collect()
        };
        layer.clip = list.show(ui, &layer.clip, entries).unwrap_or(layer.clip);
    }

    fn blending_ui(&self, ui: &mut Ui, layer: &mut LayerSettings, width: f32) {
        let text = BLENDINGS.iter().find(|b| b.0 == layer.blending).map_or("", |b| b.1).to_owned();
        let name = format!("Blending of layer {}", self.number);
        let list = Choice { name: &name, label: None, text: text.clone(), hint: &text, width };
        let entry = |(value, text, hint): (Blending, &str, &'static str)| Entry {
            value,
            text: text.to_owned(),
            hint,
        };
        let picked = list.show(ui, &layer.blending, || BLENDINGS.map(entry).into());
        layer.blending = picked.unwrap_or(layer.blending);
    }

    /// Shows the joint that the layer starts at: it moves only this joint and those below it.
    fn joint_ui(&self, ui: &mut Ui, layer: &mut LayerSettings, width: f32) {
        let joint = |node: usize| one_line(&self.document.model.node_name(node));
        let text = layer.joint.map_or_else(|| WHOLE_RIG.to_owned(), joint);
        let name = format!("Joint of layer {}", self.number);
        let hint = format!("{text}: move only this joint and those below it");
        let hint = if layer.joint.is_some() {
            &hint
        } else {
            "Choose a joint to move only this one and those below it"
        };
        let list = Choice { name: &name, label: None, text, hint, width };
        let entries = || {
            let joints = self.playback.stage().map_or(Vec::new(), |stage| {
                let joints = stage.joints(&self.document.model);
                if joints.is_empty() { stage.nodes.clone() } else { joints }
            });
            let entry = |node: usize| Entry::new(Some(node), joint(node));
            let joints = joints.into_iter().take(MOST_JOINTS).map(entry);
            std::iter::once(Entry::new(None, WHOLE_RIG)).chain(joints).collect()
        };
        layer.joint = list.show(ui, &layer.joint, entries).unwrap_or(layer.joint);
    }
}

/// If the clips are those of another file: shows its name, and in the hover text what of them fits the rig.
pub(super) fn borrowed_ui(ui: &mut Ui, document: &Document) {
    let Some(borrowed) = document.borrowed.as_ref() else { return };
    let text = one_line(&format!("Clips of {}", borrowed.source.name()));
    let borrowed = &borrowed.clips;
    let color =
        if borrowed.is_complete() { theme::colors(ui).weak } else { theme::colors(ui).warning };
    let label = egui::Label::new(RichText::new(text).size(12.0).color(color)).truncate();
    ui.add(label).on_hover_text(one_line(&borrowed.summary()));
}
