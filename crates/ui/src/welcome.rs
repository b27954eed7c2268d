//! The first hints over the built-in model: how to open a file, and the two keys to begin with.

use egui::{Align2, Rect, RichText, Ui};

use super::banner::{Card, is_used};
use super::shortcuts::{HELP, OPEN, SKELETON};
use super::theme;
use rigview_session::{FileSource, Session};

/// The hints, shown until the person does anything in the window.
#[derive(Debug, Default)]
pub(super) struct Welcome {
    /// Whether a key or a button was pressed, or another model was shown.
    used: bool,
}

impl Welcome {
    /// Shows the hints in the lower right corner of the picture, beside the model. Other cards have precedence.
    pub fn hints_ui(&mut self, ui: &Ui, picture: Rect, session: &Session) {
        let source = session.playback().document().map(|document| &document.source);
        self.used |= matches!(source, Some(FileSource::Path(_))) || is_used(ui);
        let loads = session.loads();
        let quiet = loads.running().is_empty() && loads.failure().is_none();
        if self.used || source.is_none() || !quiet || session.notice().is_some() {
            return;
        }
        let card = Card::new("welcome", Align2::RIGHT_BOTTOM, theme::colors(ui).line);
        card.show(ui, picture, |ui| {
            ui.spacing_mut().item_spacing.y = 2.0;
            let (help, skeleton) = (HELP.key_name(ui), SKELETON.key_name(ui));
            let open = if session.desktop().takes_drops() {
                "Drop a file here to open it".to_owned()
            } else {
                format!("Press {} to open a file", OPEN.key_name(ui))
            };
            for hint in [
                open,
                format!("Press {help} to see all keys"),
                format!("Press {skeleton} to see the skeleton"),
            ] {
                let text = RichText::new(hint).color(theme::colors(ui).text);
                ui.add(egui::Label::new(text).extend());
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use egui::{Event, Key, Modifiers, Vec2, vec2};
    use egui_kittest::kittest::Queryable as _;

    use crate::tests::{Window, apply, press, says, window, window_of_size};
    use rigview_session::sample::{bad, finish, loaded, session};
    use rigview_session::{
        Action, DesktopAction, Destination, FileSource, LoadAction, Session, SessionOptions,
    };

    /// Returns a session that shows the built-in model, as without a file.
    fn first_session() -> Session {
        let mut session = Session::new(SessionOptions::default());
        let effects = session.apply(LoadAction::Open(
            FileSource::BuiltIn { name: "creature", bytes: b"glTF" },
            Destination::Shown,
        ));
        finish(&mut session, &effects, Ok(loaded()));
        // The sample has no mesh, which a notice says.
        session.apply(Action::Dismiss);
        session
    }

    fn hints(window: &Window) -> bool {
        says(window, "Drop a file here")
    }

    #[test]
    fn the_hints_are_shown_until_the_window_is_used() {
        let wheel = Event::MouseWheel {
            unit: egui::MouseWheelUnit::Line,
            delta: vec2(0.0, 1.0),
            phase: egui::TouchPhase::Move,
            source: egui::MouseWheelSource::Unknown,
            modifiers: Modifiers::NONE,
        };
        let mut by_key = window(first_session());
        by_key.hover_at(egui::pos2(500.0, 300.0));
        by_key.run();
        assert!(hints(&by_key) && says(&by_key, "Press H") && says(&by_key, "Press K"));
        press(&mut by_key, Key::K, Modifiers::NONE);
        assert!(!hints(&by_key));
        by_key.run();
        assert!(!hints(&by_key));
        let mut by_wheel = window(first_session());
        by_wheel.event(wheel);
        by_wheel.run();
        assert!(!hints(&by_wheel));
    }

    #[test]
    fn where_nothing_can_be_dropped_a_key_is_named() {
        let mut session = first_session();
        session.apply(DesktopAction::SetWithoutDrops);
        let window = window(session);
        assert!(!hints(&window) && says(&window, "Press Ctrl + O to open a file"));
    }

    #[test]
    fn a_file_has_no_hints_and_neither_has_the_built_in_model_after_it() {
        assert!(!hints(&window(session())));
        let mut window = window(first_session());
        let open = |window: &mut Window, source| {
            let session = &mut window.state_mut().session;
            let effects = session.apply(LoadAction::Open(source, Destination::Shown));
            finish(session, &effects, Ok(loaded()));
            window.run();
        };
        open(&mut window, FileSource::Path("/rigs/walker.glb".into()));
        open(&mut window, FileSource::BuiltIn { name: "creature", bytes: b"glTF" });
        assert!(!hints(&window));
    }

    #[test]
    fn messages_and_loads_have_precedence() {
        let mut window = window(first_session());
        let effects = window.state_mut().session.apply(LoadAction::open("/rigs/bad.glb"));
        window.run();
        assert!(!hints(&window) && says(&window, "Loading bad.glb"));
        finish(&mut window.state_mut().session, &effects, bad());
        window.run();
        assert!(!hints(&window) && says(&window, "Can't open bad.glb"));
        apply(&mut window, Action::Dismiss);
        assert!(hints(&window));
    }

    #[test]
    fn the_hints_are_inside_the_picture_and_over_no_control() {
        for size in [vec2(1280.0, 720.0), vec2(640.0, 400.0), vec2(480.0, 320.0)] {
            let window = window_of_size(first_session(), size);
            check_place(&window, size);
        }
    }

    #[track_caller]
    fn check_place(window: &Window, size: Vec2) {
        let texts = window.get_all_by(|node| {
            let text = node.value().unwrap_or_default();
            text.starts_with("Drop a file here") || text.starts_with("Press ")
        });
        let texts: Vec<_> = texts.map(|node| node.rect()).collect();
        assert_eq!(texts.len(), 3, "{size}");
        let picture = window.state().picture;
        for text in &texts {
            assert!(picture.contains_rect(text.expand(8.0)), "{size}: {text} in {picture}");
        }
        let inputs = window.get_all_by(|node| egui::accessibility::is_input(node.role()));
        for input in inputs {
            let shared = input.rect().intersect(texts[0].union(texts[2]));
            assert!(!shared.is_positive(), "{size}: {input:?}");
        }
    }
}
