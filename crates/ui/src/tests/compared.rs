//! The part about the second model, the line over the picture, and the mouse over each side.

use egui::{Event, Key, Modifiers, PointerButton, pos2, vec2};
use glam::Vec3;

use super::{
    Window, actions, apply, button, click, control, did, press, said, says, window_of_size,
};
use crate::compared::percent;
use rigview_anim::{LocalPose, Transform};
use rigview_compare::{ModelDifference, Unmeasured, models};
use rigview_import::Loaded;
use rigview_look::Pass;
use rigview_session::sample::{finish, loaded, session};
use rigview_session::{
    Action, CompareMode, ComparedAction, Destination, Effect, FileSource, HandValue, LoadAction,
    LookAction, PickAction, PlaybackAction, PoseAction, Session, WindowPart,
};

/// Returns a session with two models, which were compared.
fn both() -> Session {
    both_with(|_| {})
}

/// The same, with another result of the comparison.
fn both_with(edit: impl Fn(&mut ModelDifference)) -> Session {
    both_of(loaded(), edit)
}

/// The same, with another second model.
fn both_of(mut other: Loaded, edit: impl Fn(&mut ModelDifference)) -> Session {
    let mut session = session();
    let source = FileSource::Path("/rigs/other.glb".into());
    let effects = session.apply(LoadAction::Open(source, Destination::Beside));
    other.model.nodes[0].name = Some("new".into());
    let effects = finish(&mut session, &effects, Ok(other));
    for effect in effects {
        if let Effect::Compare(request) = effect {
            let mut difference = models(&request.a, &request.b).unwrap();
            edit(&mut difference);
            let result = Box::new(Ok(difference));
            session.apply(ComparedAction::Measured { id: request.id, result });
        }
    }
    session.apply(PlaybackAction::TogglePlay);
    session.pose();
    session
}

/// Without side by side, a model that is tiny beside the other one is hardly seen.
#[test]
fn a_second_model_of_another_size_is_said_with_the_way_to_see_it() {
    for (height, says_so) in [(100.0, "100 times larger than A"), (0.02, "50 times smaller than A")]
    {
        let mut other = loaded();
        let up = Transform { translation: height * Vec3::Y, ..Transform::IDENTITY };
        other.model.rest = LocalPose::new(vec![Transform::IDENTITY, up], &[vec![], vec![]]);
        other.model.clips.clear();
        let mut window = window_of_size(both_of(other, |_| {}), vec2(640.0, 400.0));
        assert!(!says(&window, says_so) && says(&window, "to the size of A"));
        for mode in [CompareMode::Wipe, CompareMode::Ghost] {
            apply(&mut window, ComparedAction::Show(mode));
            let text = format!("{says_so}. Side by side shows both as large.");
            assert!(says(&window, &text), "{mode:?}: {window:#?}");
        }
        apply(&mut window, ComparedAction::Show(CompareMode::Heat));
        assert!(!says(&window, says_so), "only A is drawn");
    }
}

fn window(session: Session) -> Window {
    window_of_size(session, vec2(1280.0, 1400.0))
}

fn done(action: ComparedAction) -> [String; 1] {
    [format!("{:?}", Action::Compared(action))]
}

#[test]
fn the_part_shows_both_files_and_what_its_controls_do() {
    let mut window = window(both());
    for text in ["walker.glb", "other.glb", "At rest: 0 mm (0 %)", "Structure: 1 change"] {
        assert!(says(&window, text), "{text}: {window:#?}");
    }
    for (name, wanted) in [
        ("Wipe", ComparedAction::Show(CompareMode::Wipe)),
        ("Ghost", ComparedAction::Show(CompareMode::Ghost)),
        ("Heat", ComparedAction::Show(CompareMode::Heat)),
        ("Swap A and B", ComparedAction::Swap),
        ("End the comparison", ComparedAction::Close),
        ("Worst instant", ComparedAction::GoToWorst),
        ("Worst of Walk", ComparedAction::GoTo(0)),
    ] {
        assert_eq!(click(&mut window, name), done(wanted), "{name}");
    }
    assert_eq!(click(&mut window, "Open beside"), ["Ask(Open(Beside))"]);
    assert!(click(&mut window, "Side by side").is_empty(), "it is chosen");
    assert_eq!(press(&mut window, Key::D, Modifiers::SHIFT), done(ComparedAction::Next));
    assert_eq!(press(&mut window, Key::D, Modifiers::COMMAND), ["Ask(Open(Beside))"]);
}

#[test]
fn models_without_distances_are_said_with_the_way_out() {
    for (why, line) in [
        (
            Unmeasured::NoMeshInB,
            "Distances are not measured: B has no mesh. Clips play on a mesh of another file: open that file, then \
             Shift+drop the clips.",
        ),
        (
            Unmeasured::OtherShapes,
            "Distances are not measured: no mesh of A has the shape of one of B. Open another version of the same \
             model, or compare by eye: side by side, by the wipe, or as a ghost.",
        ),
    ] {
        let session = both_with(|difference| {
            (difference.unmeasured, difference.rest.distance) = (Some(why), None);
            difference.clips.iter_mut().for_each(|clip| clip.distance = None);
        });
        let mut window = window(session);
        assert!(says(&window, line) && says(&window, "At rest: not measured"), "{window:#?}");
        apply(&mut window, ComparedAction::Show(CompareMode::Heat));
        assert!(says(&window, &format!("Not measured: {why}")), "{window:#?}");
    }
}

#[test]
fn a_share_has_two_significant_digits() {
    for (share, text) in [
        (0.0, "0 %"),
        (1e-6, "< 0.001 %"),
        (0.000_123, "0.012 %"),
        (0.0123, "1.2 %"),
        (1.5, "150 %"),
    ] {
        assert_eq!(percent(share), text);
    }
}

#[test]
fn without_a_second_model_the_part_says_how_to_get_one() {
    let mut session = session();
    session.apply(Action::TogglePart(WindowPart::Compared));
    session.apply(PlaybackAction::TogglePlay);
    let mut window = window(session);
    assert!(says(&window, "Ctrl+drop a file"));
    assert_eq!(click(&mut window, "Open beside"), ["Ask(Open(Beside))"]);
}

#[test]
fn the_line_is_dragged_and_moved_by_keys() {
    let mut window = window(both());
    apply(&mut window, ComparedAction::Show(CompareMode::Wipe));
    let picture = window.state().picture;
    let rect = control(&window, "Wipe line").rect();
    assert!((rect.center().x - picture.center().x).abs() < 0.6, "{rect} {picture}");
    let from = rect.center();
    let to = pos2(picture.left() + 0.25 * picture.width(), from.y);
    window.hover_at(from);
    did(&mut window);
    window.event(button(from, PointerButton::Primary, true, Modifiers::NONE));
    window.run();
    window.event(Event::PointerMoved(to));
    let dragged = actions(&mut window);
    let [Action::Compared(ComparedAction::SetWipe(share)), ..] = dragged[..] else {
        panic!("{:?}", said(&dragged))
    };
    assert!((share - 0.25).abs() < 1e-3, "{share}");
    window.event(button(to, PointerButton::Primary, false, Modifiers::NONE));
    did(&mut window);
    for (key, share) in [(Key::ArrowRight, 0.51), (Key::ArrowLeft, 0.49)] {
        for _ in 0..200 {
            if control(&window, "Wipe line").is_focused() {
                break;
            }
            press(&mut window, Key::Tab, Modifiers::NONE);
        }
        let moved = press(&mut window, key, Modifiers::NONE);
        assert_eq!(moved, done(ComparedAction::SetWipe(share)));
    }
}

#[test]
fn only_the_first_model_is_selected_in() {
    let mut window = window(both());
    let picture = window.state().picture;
    let click = |window: &mut Window, x: f32| {
        let at = pos2(picture.left() + x * picture.width(), picture.center().y);
        let asked = super::click_at(window, at);
        asked.into_iter().find_map(|action| match action {
            Action::Pick(PickAction::Ask(question)) => Some(question.at),
            _ => None,
        })
    };
    let at = click(&mut window, 0.25).expect("a question about the first model");
    assert!(at.length() < 0.01, "the middle of its half: {at}");
    assert_eq!(click(&mut window, 0.75), None);
    apply(&mut window, ComparedAction::Show(CompareMode::Wipe));
    apply(&mut window, ComparedAction::SetWipe(0.6));
    assert!(click(&mut window, 0.55).is_some());
    assert_eq!(click(&mut window, 0.75), None);
}

#[test]
fn the_heat_has_one_legend_which_says_why_there_is_no_scale() {
    let mut moved = window(both_with(|difference| difference.rest.distance = Some(0.5)));
    apply(&mut moved, PlaybackAction::SelectClip(None));
    apply(&mut moved, ComparedAction::Show(CompareMode::Heat));
    assert!(says(&moved, "Distance from the other model") && says(&moved, "grey: no counterpart"));

    let mut window = window(both());
    apply(&mut window, ComparedAction::Show(CompareMode::Heat));
    apply(&mut window, LookAction::SetPass(Pass::Weights));
    assert!(
        says(&window, "No distance from the other model") && !says(&window, "grey: no counterpart")
    );
    assert!(!says(&window, "no weight"), "the scale of a pass that is not shown");
    let scale = HandValue::Scale(glam::Vec3::splat(2.0));
    apply(&mut window, PoseAction::Set(1, scale));
    assert!(says(&window, "Posed by hand: can't be measured"));
    apply(&mut window, ComparedAction::Show(CompareMode::Ghost));
    assert!(says(&window, "no weight") && !says(&window, "can't be measured"));
}

#[test]
fn a_second_model_without_the_clip_says_so() {
    let mut session = session();
    let source = FileSource::Path("/rigs/other.glb".into());
    let effects = session.apply(LoadAction::Open(source, Destination::Beside));
    let mut other = loaded();
    other.model.clips.remove(1);
    finish(&mut session, &effects, Ok(other));
    session.apply(PlaybackAction::TogglePlay);
    session.pose();
    let mut window = window(session);
    assert!(!says(&window, "at rest (no clip"));
    apply(&mut window, PlaybackAction::SelectClip(Some(1)));
    window.state_mut().session.pose();
    window.run();
    assert!(says(&window, "at rest (no clip \"歩く\")"));
}
