//! Badges over the picture: one per state in which the picture is not the file's. A click on one ends the state.

use egui::{Align2, Area, Button, Id, Order, Rect, RichText, Stroke, Ui, vec2};

use super::list::fitting;
use super::text::{counted, one_line};
use super::theme;
use rigview_model::SkinForm;
use rigview_report::ClipForm;
use rigview_session::{
    Action, BasePose, EngineAction, HiddenAction, PlaybackAction, PoseAction, Session,
};

/// The distance from the picture's edges and between badges, in points.
const EDGE: f32 = 10.0;
const GAP: f32 = 5.0;

/// The width of a badge's text in points, at most.
const WIDEST: f32 = 220.0;

/// A state in which the picture is not the file's.
struct Badge {
    text: String,
    /// The hover text: what a click does.
    hint: &'static str,
    /// Ends the state.
    end: Action,
}

/// Shows the badges in rows at the top left of the picture. Returns their place; `None` if there are none.
pub(super) fn badges_ui(
    ui: &Ui,
    picture: Rect,
    session: &Session,
    actions: &mut Vec<Action>,
) -> Option<Rect> {
    let badges = badges(session);
    if badges.is_empty() || picture.width() < 4.0 * EDGE {
        return None;
    }
    let inner = picture.shrink(EDGE);
    let area = Area::new(Id::unique("badges")).order(Order::Middle).fade_in(false);
    let area = area.pivot(Align2::LEFT_TOP).fixed_pos(inner.left_top());
    let shown = area.show(ui.ctx(), |ui| {
        ui.set_max_width(inner.width());
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(GAP, GAP);
            ui.spacing_mut().button_padding = vec2(7.0, 2.0);
            for Badge { text, hint, end } in badges {
                let shown = fitting(ui, &text, WIDEST.min(inner.width() - 40.0)) + "  ×";
                let color = theme::colors(ui).warning;
                let button = Button::new(RichText::new(shown).size(12.0).color(color))
                    .fill(theme::colors(ui).card)
                    .stroke(Stroke::new(1.0, color));
                let button = ui.add(button).accessible_name(&text);
                if button.on_hover_text(hint).clicked() {
                    actions.push(end);
                }
            }
        });
    });
    Some(shown.response.rect.intersect(picture))
}

/// Returns the states that the session is in.
fn badges(session: &Session) -> Vec<Badge> {
    let playback = session.playback();
    let Some((document, stage)) = playback.document().zip(playback.stage()) else {
        return Vec::new();
    };
    let mut badges = Vec::new();
    let mut add = |is_so: bool, text: String, hint: &'static str, end: Action| {
        if is_so {
            badges.push(Badge { text, hint, end });
        }
    };
    let hand = session.playback().hand();
    let text = "Posed by hand".into();
    add(!hand.is_empty(), text, "Click to follow the clip everywhere", PoseAction::ResetAll.into());
    let end = PlaybackAction::ResetExpressions.into();
    add(playback.shows_expressions(), "Expressions".into(), "Click to reset them", end);
    let base = match playback.base() {
        BasePose::Clip => "",
        BasePose::ClipStart => "Clip at 0 s",
        BasePose::Rest => "Rest pose",
        BasePose::Bind => "Bind pose",
    };
    let end = PoseAction::SetBase(BasePose::Clip).into();
    add(!base.is_empty(), base.into(), "Click to show the clip", end);
    let end = EngineAction::SetSkinForm(SkinForm::default()).into();
    let limited = !session.engine().form().is_exact();
    add(limited, "Engine limits".into(), "Click to show skins as in the file", end);
    let beside = session.compared().document().map(|beside| one_line(&beside.name));
    let limited = beside.is_some() && !session.engine_beside().form().is_exact();
    let text = format!("Engine limits of {}", beside.as_deref().unwrap_or_default());
    let hint = "Click to show skins of the second model as in the file";
    add(limited, text, hint, EngineAction::FreeBeside.into());
    let end = PlaybackAction::ToggleInPlace.into();
    add(playback.plays_in_place(), "In place".into(), "Click to let the root move", end);
    let other = document.borrowed.as_ref().map(|borrowed| one_line(&borrowed.source.name()));
    let text = format!("Clips of {}", other.as_deref().unwrap_or_default());
    let hint = "Click to play the file's own clips";
    add(other.is_some(), text, hint, PlaybackAction::OwnClips.into());
    let layers = playback.layers().len();
    let end = PlaybackAction::SetLayers(Vec::new()).into();
    add(layers > 0, counted(layers, "layer"), "Click to play the clip alone", end);
    let form = playback.form();
    let end = PlaybackAction::SetForm(ClipForm::Source).into();
    let text = format!("Clip form: {}", form.name());
    add(form != ClipForm::Source, text, "Click to play clips as in the file", end);
    let (hidden, solo) = (session.hidden().nodes().len(), session.hidden().solo());
    let text = match solo {
        Some(_) => "Solo".to_owned(),
        None => format!("{} hidden", counted(hidden, "node")),
    };
    let hint = "Click to show all nodes";
    add(!session.hidden().is_empty(), text, hint, HiddenAction::ShowAll.into());
    let end = PlaybackAction::ToggleStoodUp.into();
    add(stage.stood_up(), "Stood up".into(), "Click to let it lie as in the file", end);
    badges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{Window, apply, click, says, window};
    use rigview_session::sample::{finish, loaded, session};
    use rigview_session::{ComparedAction, Destination, Effect, FileSource, HandValue, LoadAction};

    #[test]
    fn every_state_that_is_not_the_files_has_a_badge_that_ends_it() {
        let states = [
            ("Posed by hand", PoseAction::Set(1, HandValue::Scale(glam::Vec3::splat(2.0))).into()),
            ("Bind pose", PoseAction::SetBase(BasePose::Bind).into()),
            ("In place", Action::from(PlaybackAction::ToggleInPlace)),
            ("Clip form: reduced", PlaybackAction::SetForm(ClipForm::Reduced).into()),
            ("1 node hidden", HiddenAction::Toggle(1).into()),
            ("Solo", HiddenAction::ToggleSolo(1).into()),
            ("Stood up", PlaybackAction::ToggleStoodUp.into()),
            (
                "Engine limits",
                EngineAction::SetSkinForm(SkinForm { influences: 1, ..SkinForm::default() }).into(),
            ),
        ];
        let mut window = window(session());
        assert!(badges(&window.state().session).is_empty());
        for (name, state) in states {
            apply(&mut window, state);
            let mut shown = badges(&window.state().session);
            assert_eq!(shown.len(), 1, "{name}");
            assert_eq!(shown[0].text, name);
            assert!(says(&window, name), "{window:#?}");
            let end = shown.remove(0).end;
            assert_eq!(click(&mut window, name).len(), 1);
            apply(&mut window, end);
            assert!(badges(&window.state().session).is_empty(), "{name}");
        }
        apply(&mut window, PlaybackAction::ToggleInPlace);
        apply(&mut window, Action::TogglePanels);
        assert!(!says(&window, "In place"), "a picture without panels has none");
    }

    #[test]
    fn engine_limits_of_the_second_model_have_a_badge_that_ends_them() {
        let mut session = session();
        let form = SkinForm { influences: 1, ..SkinForm::default() };
        let effects = session.apply(EngineAction::SetSkinForm(form));
        finish(&mut session, &effects, Ok(loaded()));
        let other = FileSource::Path("/rigs/other.glb".into());
        let effects = session.apply(LoadAction::Open(other, Destination::Beside));
        finish(&mut session, &effects, Ok(loaded()));
        session.apply(ComparedAction::Swap);
        let mut window = window(session);
        let shown = |window: &Window| -> Vec<String> {
            badges(&window.state().session).into_iter().map(|badge| badge.text).collect()
        };
        assert_eq!(shown(&window), ["Engine limits of walker.glb"]);
        assert_eq!(click(&mut window, "Engine limits of walker.glb"), ["Engine(FreeBeside)"]);
        let session = &mut window.state_mut().session;
        let effects = session.apply(EngineAction::FreeBeside);
        assert!(matches!(&effects[..], [Effect::Load(again)]
            if again.destination == Destination::Beside
                && again.preparation.skin_form == SkinForm::default()));
        finish(session, &effects, Ok(loaded()));
        assert_eq!(shown(&window), [""; 0]);
    }

    #[test]
    fn clips_of_another_file_have_a_badge_that_gives_the_own_ones_back() {
        let mut session = session();
        let source = FileSource::Path("/rigs/dance.glb".into());
        let effects = session.apply(LoadAction::Open(source, Destination::Clips));
        finish(&mut session, &effects, Ok(loaded()));
        let mut window = window(session);
        assert_eq!(click(&mut window, "Clips of dance.glb"), ["OwnClips"]);
        apply(&mut window, PlaybackAction::OwnClips);
        assert!(badges(&window.state().session).is_empty());
    }
}
