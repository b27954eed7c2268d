//! The part about the model that is compared: how both are shown, where they differ most, and what was changed.

use egui::{Button, FontId, RichText, TextFormat, Ui, text::LayoutJob};

use super::list::{fitting, fitting_after};
use super::shortcuts::{BESIDE, NEXT_TOGETHER, SAVE_FIXED};
use super::text::{counted, millimetres, one_line, seconds};
use super::theme;
use rigview_compare::{Change, ClipDifference, ModelDifference, Unmeasured};
use rigview_session::{
    Action, CompareMode, Compared, ComparedAction, CopyAction, CopyOf, Destination, Document,
    FileQuestion, FileSource, Measurement, Playback, Session,
};

/// Rows that are shown at most.
const MOST_CLIPS: usize = 200;
const MOST_CHANGES: usize = 40;

/// Shows the part.
pub(super) fn compared_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    let (playback, compared) = (session.playback(), session.compared());
    let Some((a, b)) = playback.document().zip(compared.document()) else {
        return none_ui(ui, playback, actions);
    };
    file_ui(ui, "A", a, b);
    file_ui(ui, "B", b, a);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let hint = "Exchange the two models";
        if ui.button("Swap").accessible_name("Swap A and B").on_hover_text(hint).clicked() {
            actions.push(ComparedAction::Swap.into());
        }
        let another = ui.button("Open…").accessible_name("Open beside");
        if another.on_hover_text(BESIDE.hint(ui, "Compare with another file")).clicked() {
            actions.push(Action::Ask(FileQuestion::Open(Destination::Beside)));
        }
        let close = ui.button("End").accessible_name("End the comparison");
        if close.on_hover_text("Close B; A stays").clicked() {
            actions.push(ComparedAction::Close.into());
        }
        if matches!(b.source, FileSource::Mended { .. }) {
            let save = ui.button("Save as…").accessible_name("Save B");
            if save.on_hover_text(SAVE_FIXED.hint(ui, "Write the fixed copy to a file")).clicked() {
                actions.push(CopyAction::Ask(CopyOf::Mended).into());
            }
        }
    });
    together_ui(ui, compared, actions);
    ui.separator();
    match compared.measurement() {
        Measurement::None => {}
        Measurement::Failed(why) => {
            let text = RichText::new(format!("Not compared: {}", one_line(why)));
            ui.label(text.color(theme::colors(ui).warning));
        }
        Measurement::Running(request) => {
            // Often enough for a bar, and no more than the comparison can spare.
            ui.ctx().request_repaint_after(std::time::Duration::from_millis(200));
            let share = request.progress.share() as f32;
            let bar = egui::ProgressBar::new(share).text("Comparing…").desired_height(18.0);
            ui.add(bar);
        }
        Measurement::Done(difference) => difference_ui(ui, session, difference, actions),
    }
}

/// Shows how to compare, while nothing is compared.
fn none_ui(ui: &mut Ui, playback: &Playback, actions: &mut Vec<Action>) {
    let text = "Ctrl+drop a file, or open one, to compare it with the shown model.";
    ui.add(egui::Label::new(RichText::new(text).color(theme::colors(ui).weak)).wrap());
    let open = ui.add_enabled(playback.document().is_some(), Button::new("Open beside…"));
    let open = open.on_hover_text(BESIDE.hint(ui, "Compare with another file"));
    if open.accessible_name("Open beside").clicked() {
        actions.push(Action::Ask(FileQuestion::Open(Destination::Beside)));
    }
}

fn file_ui(ui: &mut Ui, letter: &str, document: &Document, other: &Document) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(letter).color(theme::colors(ui).weak).strong());
        let name = one_line(&document.source.name_beside(&other.source));
        let name = RichText::new(name).color(theme::colors(ui).strong);
        let path = one_line(&document.source.path_text());
        ui.add(egui::Label::new(name).truncate()).on_hover_text(path);
    });
}

/// Shows the ways to show both models.
fn together_ui(ui: &mut Ui, compared: &Compared, actions: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for together in CompareMode::ALL {
            let (text, hint) = match together {
                CompareMode::Beside => ("Side by side", "Each model in half of the picture"),
                CompareMode::Wipe => ("Wipe", "A left and B right of a line that can be dragged"),
                CompareMode::Ghost => ("Ghost", "B over A, translucent"),
                CompareMode::Heat => ("Heat", "A in the colours of its distance from B"),
            };
            let chosen = compared.mode() == together;
            let button = Button::selectable(chosen, text).frame_when_inactive(true);
            let hint = NEXT_TOGETHER.hint(ui, hint);
            if ui.add(button).on_hover_text(hint).clicked() && !chosen {
                actions.push(ComparedAction::Show(together).into());
            }
        }
    });
}

/// Shows the difference: the worst instant, the clips from the worst one on, and the changes of structure.
fn difference_ui(
    ui: &mut Ui,
    session: &Session,
    difference: &ModelDifference,
    actions: &mut Vec<Action>,
) {
    let (playback, compared) = (session.playback(), session.compared());
    if let Some(why) = difference.unmeasured {
        unmeasured_ui(ui, why);
    }
    let rest = match difference.rest.distance {
        Some(distance) => format!("At rest: {}", with_share(compared, distance)),
        None => "At rest: not measured".to_owned(),
    };
    ui.horizontal_wrapped(|ui| {
        ui.label(rest);
        let worst =
            ui.add_enabled(difference.rest.distance.is_some(), Button::new("Worst instant"));
        let hint =
            "Go to the clip and the time at which the models differ most, and select the joint";
        if worst.on_hover_text(hint).clicked() {
            actions.push(ComparedAction::GoToWorst.into());
        }
    });
    let mut order: Vec<usize> = (0..difference.clips.len()).collect();
    let distance = |pair: &usize| difference.clips[*pair].distance.unwrap_or(f64::INFINITY);
    order.sort_by(|x, y| distance(y).total_cmp(&distance(x)));
    for pair in order.iter().copied().take(MOST_CLIPS) {
        let clip = &difference.clips[pair];
        let shown = playback.clip_index() == Some(clip.index[0]);
        if clip_ui(ui, session, clip, shown) {
            actions.push(ComparedAction::GoTo(pair).into());
        }
    }
    more_ui(ui, order.len(), MOST_CLIPS, "clip");
    changes_ui(ui, "Structure", &difference.structure);
    changes_ui(ui, "Materials", &difference.materials);
}

/// Says why no distance is known, and what can be done instead.
fn unmeasured_ui(ui: &mut Ui, why: Unmeasured) {
    let remedy = match why {
        Unmeasured::NoMeshInA | Unmeasured::NoMeshInB => {
            "Clips play on a mesh of another file: open that file, then Shift+drop the clips."
        }
        Unmeasured::OtherShapes => {
            "Open another version of the same model, or compare by eye: side by side, by the wipe, or as a ghost."
        }
    };
    let text = format!("Distances are not measured: {why}. {remedy}");
    ui.add(egui::Label::new(RichText::new(text).color(theme::colors(ui).warning)).wrap());
}

/// Returns a distance in millimetres, and in percent of the largest side that the first model has at rest.
fn with_share(compared: &Compared, metres: f64) -> String {
    let text = millimetres(metres);
    match compared.rest_size().filter(|size| *size > 0.0) {
        Some(size) => format!("{text} ({})", percent(metres / size)),
        None => text,
    }
}

/// Formats a share in percent, with two significant digits.
pub(super) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent {
        0.0 => "0 %".to_owned(),
        _ if percent < 0.001 => "< 0.001 %".to_owned(),
        _ => {
            let decimals = (1.0 - percent.log10().floor()).clamp(0.0, 4.0) as usize;
            format!("{percent:.decimals$} %")
        }
    }
}

/// Shows a pair of clips. Returns whether it was clicked.
fn clip_ui(ui: &mut Ui, session: &Session, clip: &ClipDifference, shown: bool) -> bool {
    let document = session.playback().document();
    let name = document.and_then(|document| document.clip_name(clip.index[0]));
    let name = name.or(clip.a.as_deref()).unwrap_or_default();
    let renamed = clip.b.as_ref().filter(|b| clip.a.as_ref() != Some(b));
    let title = match renamed {
        Some(b) => format!("{name} → {b}"),
        None => name.to_owned(),
    };
    let compared = session.compared();
    let far = clip.distance.map_or("not measured".to_owned(), |far| with_share(compared, far));
    let mut details = vec![far];
    details.extend(clip.time.map(|time| format!("{} s", seconds(time, 3))));
    let format = |size, color| TextFormat {
        font_id: FontId::proportional(size),
        color,
        ..TextFormat::default()
    };
    let width = ui.available_width();
    let room = width - 2.0 * ui.spacing().button_padding.x;
    // A button would cut both lines to one.
    let (title, numbers) = (fitting(ui, &one_line(&title), room), details.join(" · "));
    let details = match &clip.joint {
        Some(joint) => fitting_after(ui, &numbers, &one_line(joint), room),
        None => numbers,
    };
    let mut text = LayoutJob::default();
    text.append(&title, 0.0, format(13.5, theme::colors(ui).strong));
    text.append("\n", 0.0, format(13.5, theme::colors(ui).strong));
    text.append(&details, 0.0, format(12.0, theme::colors(ui).text));
    let button = Button::selectable(shown, text).wrap_mode(egui::TextWrapMode::Extend);
    let button = button.min_size(egui::vec2(width, 0.0));
    let hint = match clip.angle {
        Some(angle) => format!("Go to the instant; the joint is turned by up to {angle:.2}°"),
        None => "Go to the instant".to_owned(),
    };
    let row = ui.add(button).accessible_name(format!("Worst of {name}"));
    row.on_hover_text(hint).clicked()
}

fn changes_ui(ui: &mut Ui, title: &str, list: &[Change]) {
    let count = match list.len() {
        0 => "no change".to_owned(),
        n => counted(n, "change"),
    };
    theme::heading_ui(ui, &format!("{title}: {count}"));
    for change in list.iter().take(MOST_CHANGES) {
        let Change { kind, name, change, what, .. } = change;
        let mut text = format!("{} \"{name}\" {}", kind.name(), change.name());
        if !what.is_empty() {
            text += &format!(": {what}");
        }
        let text = RichText::new(one_line(&text)).size(12.0);
        ui.add(egui::Label::new(text).wrap());
    }
    more_ui(ui, list.len(), MOST_CHANGES, "change");
}

/// Says how many rows are left out.
fn more_ui(ui: &mut Ui, all: usize, most: usize, noun: &str) {
    if let more @ 1.. = all.saturating_sub(most) {
        let text = format!("and {} more; `rigview diff` lists all", counted(more, noun));
        ui.label(RichText::new(text).size(12.0).color(theme::colors(ui).weak));
    }
}
