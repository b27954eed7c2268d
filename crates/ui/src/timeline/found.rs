//! Findings of `check` on the time line: marks at their times, and a list of all of them.

use egui::{
    Button, Color32, Rect, RichText, Role, ScrollArea, Sense, Shape, Stroke, Ui, WidgetInfo, pos2,
};

use super::axis::TimeAxis;
use crate::text::one_line;
use crate::theme;
use rigview_check::Level;
use rigview_session::{Action, ClipFinding, Item, Playback, PlaybackAction, SelectionAction};

/// Marks closer than this are one, in points.
const ROOM: f32 = 10.0;

/// The size of the list of findings in points.
const LIST: egui::Vec2 = egui::vec2(460.0, 260.0);

/// Findings that a hover text names, at most.
const NAMED: usize = 6;

/// Goes to a finding's clip and time, and selects its node or what else it is about.
pub(crate) fn jump(finding: &ClipFinding, playback: &Playback, actions: &mut Vec<Action>) {
    if finding.clip.is_some() && finding.clip != playback.clip_index() {
        actions.push(PlaybackAction::SelectClip(finding.clip).into());
    }
    if let Some(secs) = finding.time_secs {
        actions.push(PlaybackAction::Seek(secs).into());
    }
    if let Some(item) = finding.node.map(Item::Node).or(finding.item) {
        actions.push(SelectionAction::Select(Some(item)).into());
    }
}

/// Shows a mark per finding in sight that has a time. Marks at one place are one; a click jumps to its first finding.
pub(super) fn found_ui(
    ui: &Ui,
    rect: Rect,
    axis: TimeAxis,
    found: &[ClipFinding],
    playback: &Playback,
    actions: &mut Vec<Action>,
) {
    let mut marks: Vec<(f32, Vec<&ClipFinding>)> = Vec::new();
    for finding in found {
        let Some(x) = finding.time_secs.map(|secs| axis.x_of(secs)) else { continue };
        if !axis.x.expand(1.0).contains(x) {
            continue;
        }
        match marks.last_mut() {
            Some((last, here)) if x - *last < ROOM => here.push(finding),
            _ => marks.push((x, vec![finding])),
        }
    }
    for (x, here) in marks {
        let first = here[0];
        let at = pos2(x, rect.center().y);
        let place = Rect::from_center_size(at, egui::vec2(ROOM, rect.height()));
        let secs = first.time_secs.unwrap_or_default();
        let id = ui.scope_id().with(("finding", secs.to_bits()));
        let response = ui.interact(place, id, Sense::CLICK);
        let name = format!("{} at {secs:.3} s", first.code);
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
        let level = here.iter().map(|finding| finding.level).max().unwrap_or(first.level);
        let color = if response.hovered() { theme::colors(ui).strong } else { color_of(ui, level) };
        let [w, h] = [4.5, 5.0];
        let corners =
            vec![at + egui::vec2(-w, -h), at + egui::vec2(w, -h), at + egui::vec2(0.0, h)];
        ui.painter().add(Shape::convex_polygon(corners, color, Stroke::NONE));
        if response.clicked() {
            jump(first, playback, actions);
        }
        response.on_hover_ui(|ui| {
            for finding in here.iter().take(NAMED) {
                ui.label(line(finding));
            }
            if here.len() > NAMED {
                ui.weak(format!("and {} more", here.len() - NAMED));
            }
        });
    }
}

/// Shows all findings of a clip as a list. A click jumps to the finding.
pub(super) fn list_ui(
    ui: &mut Ui,
    found: &[ClipFinding],
    playback: &Playback,
    actions: &mut Vec<Action>,
) {
    ui.set_width(LIST.x);
    let row = ui.spacing().interact_size.y;
    ScrollArea::vertical().max_height(LIST.y).show_rows(ui, row, found.len(), |ui, rows| {
        for finding in &found[rows] {
            let text = RichText::new(line(finding)).color(color_of(ui, finding.level));
            let size = egui::vec2(ui.available_width(), row);
            let button = Button::selectable(false, text).truncate().min_size(size);
            let button = ui.add(button).on_hover_text(one_line(&finding.message));
            if button.clicked() {
                jump(finding, playback, actions);
                ui.close();
            }
        }
    });
}

fn line(finding: &ClipFinding) -> String {
    one_line(&format!("{}: {}", finding.code, finding.message))
}

fn color_of(ui: &Ui, level: Level) -> Color32 {
    match level {
        Level::Note => theme::colors(ui).text,
        Level::Warning => theme::colors(ui).warning,
        Level::Error => theme::colors(ui).error,
    }
}
