//! The model as an engine would see it: the form of skins, and the error of what is shown.

use egui::{CollapsingHeader, RichText, Ui};

use super::choice::{Entry, labelled_choice_ui};
use super::section::section_ui;
use super::text::one_line;
use super::theme;
use rigview_model::SkinForm;
use rigview_report::{SkinError, WorstVertex, counted};
use rigview_session::{Action, Document, Engine, EngineAction, Session};

/// Shows a section that is folded at first.
pub(super) fn engine_ui(
    ui: &mut Ui,
    session: &Session,
    document: &Document,
    actions: &mut Vec<Action>,
) {
    if document.model.skins.is_empty() {
        return;
    }
    let header = CollapsingHeader::new(RichText::new("As an engine shows it").size(12.5));
    section_ui(ui, header.id_salt("engine"), |ui| {
        let engine = session.engine();
        let form = engine.form();
        let file = SkinForm::default();
        let mut wanted = form;
        let all = Entry::new(file.influences, format!("As in the file, up to {}", file.influences));
        let fewer = (1..file.influences).rev().map(|n| Entry::new(n, n.to_string()));
        let counts = std::iter::once(all).chain(fewer).collect();
        let hint = "Joints per vertex; the largest weights stay";
        if let Some(influences) =
            labelled_choice_ui(ui, "Influences", hint, &form.influences, counts)
        {
            wanted.influences = influences;
        }
        let most = document.model.skins.iter().map(|skin| skin.joints.len()).max().unwrap_or(0);
        let hint = "Joints per skin; those after the first ones follow a joint above";
        if let Some(joints) =
            labelled_choice_ui(ui, "Most joints", hint, &form.joints, limits(most, form.joints))
        {
            wanted.joints = joints;
        }
        let bits = |n: u32, text: &str| Entry::new(n, text);
        let sizes =
            vec![bits(file.weight_bits, "As in the file"), bits(16, "16 bits"), bits(8, "8 bits")];
        let hint = "Bits per weight";
        if let Some(bits) = labelled_choice_ui(ui, "Weights", hint, &form.weight_bits, sizes) {
            wanted.weight_bits = bits;
        }
        if wanted != form {
            actions.push(EngineAction::SetSkinForm(wanted).into());
        }
        ui.label(small(format!("Most joints of a skin: {most}")));
        beyond_ui(ui, engine, actions);
        let idle = !engine.is_measuring();
        let name = if idle { "Measure the error" } else { "Measuring…" };
        let button = ui.add_enabled(idle, egui::Button::new(name));
        let hint = "Largest distance of a vertex from where the file puts it, with the encoding of the clip";
        if button.on_hover_text(hint).clicked() {
            actions.push(EngineAction::Measure.into());
        }
        match engine.error() {
            None => {}
            Some(Ok(error)) => error_ui(ui, session, error, actions),
            Some(Err(why)) => drop(ui.label(small(why.clone()).color(theme::colors(ui).warning))),
        }
    });
}

/// The limits that engines have.
const LIMITS: [usize; 6] = [256, 128, 75, 64, 32, 16];

/// Returns the limits to choose from: those below the file's number of joints, and the chosen one.
fn limits(most: usize, chosen: usize) -> Vec<Entry<usize>> {
    let all = Entry::new(SkinForm::default().joints, "As in the file");
    let below = LIMITS.into_iter().filter(|limit| *limit < most || *limit == chosen);
    std::iter::once(all).chain(below.map(|limit| Entry::new(limit, limit.to_string()))).collect()
}

/// Shows what is beyond the limit of joints, and whether it is marked.
fn beyond_ui(ui: &mut Ui, engine: &Engine, actions: &mut Vec<Action>) {
    let beyond = engine.beyond();
    if beyond.joints.is_empty() {
        return;
    }
    let [joints, vertices] =
        [counted(beyond.joints.len(), "joint"), counted(beyond.count, "vertex")];
    ui.label(small(format!("Beyond the limit: {joints}, {vertices}")));
    let mut on = engine.marks();
    let marks = theme::checkbox_ui(ui, &mut on, "Mark them");
    if marks.on_hover_text("Points over the vertices that these joints move").changed() {
        actions.push(EngineAction::ToggleMarks.into());
    }
}

/// Shows the largest errors. A click on one leads to its vertex.
fn error_ui(ui: &mut Ui, session: &Session, error: &SkinError, actions: &mut Vec<Action>) {
    let SkinError { now_mm, now_secs, clip_mm, clip_secs, now_vertex, clip_vertex } = error;
    ui.label(small(format!("At {now_secs:.3} s: {now_mm:.4} mm")));
    worst_ui(ui, session, *now_vertex, false, actions);
    let clip = session.engine().measured_clip();
    let clip = clip.and_then(|clip| session.playback().document()?.clip_name(clip));
    if let Some(clip) = clip {
        let clip = one_line(clip);
        ui.label(small(if *clip_mm == 0.0 {
            format!("Over {clip}: no difference")
        } else {
            format!("Over {clip}: {clip_mm:.4} mm at {clip_secs:.3} s")
        }));
        worst_ui(ui, session, *clip_vertex, true, actions);
    }
    if now_vertex.is_none() && clip_vertex.is_none() {
        return;
    }
    let heat = ui.button("Show as heat");
    let hint = "Colour each vertex by its distance from where the file puts it; without the encoding of the clip";
    if heat.on_hover_text(hint).clicked() {
        actions.push(EngineAction::ShowHeat.into());
    }
}

/// Shows a vertex and the joint that moves it most. A click goes there.
fn worst_ui(
    ui: &mut Ui,
    session: &Session,
    worst: Option<WorstVertex>,
    over_clip: bool,
    actions: &mut Vec<Action>,
) {
    let Some((worst, document)) = worst.zip(session.playback().document()) else { return };
    let name = |node: usize| one_line(&document.short_name(node));
    let joint = worst.joint.map(|joint| format!(", joint {}", name(joint))).unwrap_or_default();
    let text = format!("Vertex {} of {}{joint}", worst.vertex, name(worst.node));
    let link = small(text.clone()).color(theme::colors(ui).accent);
    let button = ui.add(egui::Button::new(link).frame(false).truncate());
    let when = if over_clip { "over the clip" } else { "now" };
    let button = button.accessible_name(format!("Worst vertex {when}: {text}"));
    if button.on_hover_text(format!("Go to {text}")).clicked() {
        actions.push(EngineAction::GoToWorst { over_clip }.into());
    }
}

fn small(text: String) -> RichText {
    RichText::new(text).size(12.0)
}
