//! Expressions of a VRM file, and what the file says of itself.

use egui::{Button, DragValue, RichText, Slider, Ui};

use super::list::fitting;
use super::number::typed;
use super::section::section_ui;
use super::text::one_line;
use super::theme;
use rigview_model::VrmMeta;
use rigview_session::{Action, Playback, PlaybackAction, PoseAction};

/// If the file is a VRM file: shows title, author and licence, and a slider per expression.
pub(super) fn expressions_ui(ui: &mut Ui, playback: &Playback, actions: &mut Vec<Action>) {
    let Some(vrm) = playback.document().and_then(|document| document.model.vrm.as_ref()) else {
        return;
    };
    let about = RichText::new(one_line(&about(&vrm.meta))).size(12.0).color(theme::colors(ui).weak);
    ui.add(egui::Label::new(about).wrap()).on_hover_text(terms(&vrm.meta));
    if vrm.expressions.is_empty() {
        return;
    }
    let title = format!("Expressions ({})", vrm.expressions.len());
    section_ui(ui, egui::CollapsingHeader::new(title).id_salt("expressions"), |ui| {
        let reset = Button::new("Reset expressions").small();
        if ui.add_enabled(playback.shows_expressions(), reset).clicked() {
            actions.push(PlaybackAction::ResetExpressions.into());
        }
        for (index, expression) in vrm.expressions.iter().enumerate() {
            let hint = if expression.is_binary {
                "On above 0.5; moves morph targets only: colours and textures stay"
            } else {
                "Moves morph targets only: colours and textures stay"
            };
            let name = one_line(&expression.name);
            let before = playback.expression(index);
            if let Some(weight) = weight_ui(ui, &name, hint, before, actions) {
                // The end of a drag comes after its last change.
                let ended = matches!(actions.last(), Some(Action::Pose(PoseAction::End)));
                let at = actions.len() - usize::from(ended);
                actions.insert(at, PlaybackAction::Express(index, weight).into());
            }
        }
    });
}

/// Shows the slider of a weight, a field to type it in, and its name. Returns the weight if it was changed.
fn weight_ui(
    ui: &mut Ui,
    name: &str,
    hint: &str,
    before: f32,
    actions: &mut Vec<Action>,
) -> Option<f32> {
    let mut weight = before;
    ui.horizontal(|ui| {
        let slider = Slider::new(&mut weight, 0.0..=1.0).show_value(false);
        let slider = ui.add(slider).accessible_name(name).on_hover_text(hint);
        // Typed as a whole: each digit would be a step to undo.
        let field = typed(DragValue::new(&mut weight)).range(0.0..=1.0).speed(0.01).max_decimals(2);
        let field = ui.add(field).accessible_name(format!("{name} value")).on_hover_text(hint);
        let shown = fitting(ui, name, ui.available_width());
        ui.label(shown).on_hover_text(name);
        for widget in [slider, field] {
            if widget.drag_started() {
                actions.push(PoseAction::Begin.into());
            }
            if widget.drag_stopped() {
                actions.push(PoseAction::End.into());
            }
        }
    });
    (weight != before).then_some(weight)
}

/// Returns title, authors and licence in one line.
fn about(meta: &VrmMeta) -> String {
    let title = meta.name.as_deref().unwrap_or("An avatar without a title");
    let authors = match &meta.authors[..] {
        [] => String::new(),
        authors => format!(" by {}", authors.join(", ")),
    };
    let licence = meta.licence.as_deref().unwrap_or("no licence is stated");
    format!("{title}{authors}; {licence}")
}

fn terms(meta: &VrmMeta) -> String {
    let lines = meta.terms.iter().map(|(name, value)| one_line(&format!("{name}: {value}")));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use egui::accesskit::Role;
    use egui::{Key, Modifiers};
    use egui_kittest::kittest::Queryable as _;

    use super::*;
    use crate::tests::{Window, apply, click, control, press, says, window_of_size};
    use rigview_model::{Expression, Vrm};
    use rigview_session::LoadAction;
    use rigview_session::sample::{finish, loaded, session};

    /// A window with the expression "happy" and the section of expressions open.
    fn window_of_happy() -> Window {
        let mut avatar = loaded();
        let expression = Expression { name: "happy".into(), ..Expression::default() };
        avatar.model.vrm = Some(Vrm { expressions: vec![expression], ..Vrm::default() });
        let mut session = session();
        let effects = session.apply(LoadAction::open("/rigs/avatar.vrm"));
        finish(&mut session, &effects, Ok(avatar));
        session.apply(PlaybackAction::TogglePlay);
        let mut window = window_of_size(session, egui::vec2(1280.0, 1400.0));
        click(&mut window, "Expressions (1)");
        window
    }

    #[test]
    fn an_expression_has_a_slider_a_field_and_a_badge_that_resets_it() {
        let mut window = window_of_happy();
        // Each name belongs to one control.
        let _ = (control(&window, "happy"), control(&window, "happy value"));
        assert!(click(&mut window, "Reset expressions").is_empty(), "none is set");
        apply(&mut window, PlaybackAction::Express(0, 0.5));
        assert!(says(&window, "Expressions"));
        assert_eq!(click(&mut window, "Expressions"), ["ResetExpressions"]);
        assert_eq!(click(&mut window, "Reset expressions"), ["ResetExpressions"]);
    }

    #[test]
    fn a_weight_that_is_typed_is_one_change() {
        let mut window = window_of_happy();
        window.get_by_role_and_label(Role::SpinButton, "happy value").click();
        window.run();
        press(&mut window, Key::A, Modifiers::CTRL | Modifiers::COMMAND);
        for letter in ["0", ".", "2", "5"] {
            window.event(egui::Event::Text(letter.into()));
            window.run();
        }
        assert_eq!(press(&mut window, Key::Enter, Modifiers::NONE), ["Express(0, 0.25)"]);
    }

    #[test]
    fn a_line_has_title_authors_and_licence() {
        let meta = VrmMeta {
            name: Some("Ann".into()),
            authors: vec!["B".into(), "C".into()],
            licence: Some("CC0".into()),
            terms: vec![("modification".into(), "prohibited".into())],
        };
        assert_eq!(about(&meta), "Ann by B, C; CC0");
        assert_eq!(terms(&meta), "modification: prohibited");
        assert!(about(&VrmMeta::default()).ends_with("no licence is stated"));
    }
}
