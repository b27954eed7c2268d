//! Room for the panels: nothing covers anything else, everything can be reached in small windows, and long
//! lists say what is chosen.

use egui::accesskit::{Node, Role};
use egui::{Event, Key, Modifiers, Rect, Vec2, pos2, vec2};

use super::tests::{Desk, SIZE, said};
use crate::anim::{Clip, ClipParts};
use crate::import::Loaded;
use crate::look::Pass;
use crate::model::{Model, Node as ModelNode};
use crate::session::sample::{finish, loaded, session};
use crate::session::{Action, ExhibitAction, LoadAction, LookAction, Session};

/// A session that shows a changed sample.
fn changed(change: impl FnOnce(&mut Model)) -> Session {
    let mut session = session();
    let mut loaded = loaded();
    change(&mut loaded.model);
    let effects = session.apply(LoadAction::open("/rigs/changed.glb"));
    finish(&mut session, &effects, Ok(Loaded { ..loaded }));
    session
}

/// A session with this many clips whose names begin with the same long words.
fn with_clips(count: usize) -> Session {
    changed(|model| {
        let clip = model.clips[0].clone();
        let name = |i| format!("Armature|Hero_Locomotion_Set_Forward_{i:03}");
        model.clips = (0..count)
            .map(|i| Clip::new(ClipParts { name: Some(name(i)), ..clip.clone().into_parts() }))
            .collect();
    })
}

/// The place of a node.
fn place(node: &Node) -> Rect {
    let b = node.bounds().unwrap_or_default();
    Rect::from_min_max(pos2(b.x0 as f32, b.y0 as f32), pos2(b.x1 as f32, b.y1 as f32))
}

/// The place of the row whose name ends like this, if it is laid out. Rows that are out of sight have no size.
fn row(desk: &Desk, end: &str) -> Option<Rect> {
    let is_it = |n: &&Node| {
        n.role() == Role::Button
            && n.label().is_some_and(|label| label.ends_with(end))
            && place(n).is_positive()
    };
    desk.nodes.iter().find(is_it).map(place)
}

/// The node of a label.
fn words<'a>(desk: &'a Desk, text: &str) -> &'a Node {
    let is_it = |n: &&Node| n.role() == Role::Label && n.value() == Some(text);
    desk.nodes.iter().find(is_it).unwrap_or_else(|| panic!("no label {text:?}"))
}

/// Opens all sections that are folded away, one after the other.
fn unfold(desk: &mut Desk, session: &Session) {
    for name in ["1 warning", "Timing", "Light", "Blending"] {
        let node = desk.nodes.iter().find(|n| n.label() == Some(name));
        let at = place(node.unwrap_or_else(|| panic!("no {name}"))).center();
        scroll_to(desk, session, at.y);
        let at = place(desk.nodes.iter().find(|n| n.label() == Some(name)).unwrap()).center();
        desk.click_at(session, at);
    }
    scroll(desk, session, 1e4);
    desk.frame(session, vec![]);
}

/// Scrolls the column by points, with the pointer where no list is.
fn scroll(desk: &mut Desk, session: &Session, points: f32) {
    let wheel = Event::MouseWheel {
        unit: egui::MouseWheelUnit::Point,
        delta: vec2(0.0, points),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Unknown,
        modifiers: Modifiers::NONE,
    };
    desk.frame(session, vec![Event::PointerMoved(pos2(4.0, 40.0)), wheel]);
    for _ in 0..60 {
        desk.frame(session, vec![]);
    }
}

/// Scrolls until this height is near the column's top, if it is below.
fn scroll_to(desk: &mut Desk, session: &Session, y: f32) {
    if y > 100.0 {
        scroll(desk, session, 60.0 - y);
    }
}

/// Whether a widget is one that something else must not cover.
fn is_widget(node: &&Node) -> bool {
    let roles = [
        Role::Button,
        Role::CheckBox,
        Role::ComboBox,
        Role::Label,
        Role::Slider,
        Role::SpinButton,
        Role::TextInput,
    ];
    roles.contains(&node.role()) && node.bounds().is_some()
}

#[test]
fn nothing_covers_anything_else_whatever_is_unfolded() {
    for size in [SIZE, vec2(640.0, 400.0), vec2(480.0, 320.0), vec2(1920.0, 1080.0)] {
        let session = with_clips(150);
        let mut desk = Desk::of_size(&session, size);
        unfold(&mut desk, &session);
        // What a list has scrolled away stays among the nodes, behind others.
        let in_list = |n: &&Node| n.value() != Some("2.00 s");
        let widgets: Vec<&Node> = desk.nodes.iter().filter(is_widget).filter(in_list).collect();
        assert!(widgets.len() > 30, "{size}: {}", widgets.len());
        for (i, a) in widgets.iter().enumerate() {
            for b in &widgets[i + 1..] {
                let shared = place(a).intersect(place(b));
                let apart = shared.width() <= 1.0 || shared.height() <= 1.0;
                // A combo box, a slider and a text field hold their own words.
                let held = place(a).expand(1.0).contains_rect(place(b)) && a.role() != b.role();
                let behind = hidden(a, size) || hidden(b, size);
                assert!(
                    apart || held || behind,
                    "{size}: {:?} {:?} {:?} {:?}",
                    a.label(),
                    place(a),
                    b.label(),
                    place(b)
                );
            }
        }
    }
}

/// Whether a widget is scrolled away below the transport's upper edge.
fn hidden(node: &Node, size: Vec2) -> bool {
    let bar = if size.x < 588.0 { 126.0 } else { 85.0 };
    place(node).left() < 460.0 && place(node).bottom() > size.y - bar && place(node).top() < size.y
        || place(node).bottom() > size.y
}

#[test]
fn six_clips_are_in_sight_and_the_panel_keeps_its_width() {
    for size in [SIZE, vec2(1100.0, 600.0), vec2(1920.0, 1080.0)] {
        let session = with_clips(150);
        let mut desk = Desk::of_size(&session, size);
        let before = desk.frame(&session, vec![]).picture;
        unfold(&mut desk, &session);
        for i in 0..6 {
            let at = row(&desk, &format!("{i:03}")).unwrap_or_else(|| panic!("{size}: row {i}"));
            assert!(at.bottom() < size.y - 85.0, "{size}: {at}");
        }
        for _ in 0..20 {
            assert_eq!(desk.frame(&session, vec![]).picture, before, "{size}");
        }
    }
}

#[test]
fn everything_can_be_scrolled_to_in_a_small_window() {
    for size in [vec2(640.0, 400.0), vec2(480.0, 320.0), vec2(333.0, 257.0)] {
        let session = with_clips(150);
        let mut desk = Desk::of_size(&session, size);
        unfold(&mut desk, &session);
        scroll(&mut desk, &session, -1e4);
        let last = desk.nodes.iter().find(|n| n.label() == Some("1 warning")).map(place).unwrap();
        let play = place(desk.node(Role::Button, "Pause"));
        assert!(last.top() > 0.0 && last.bottom() < play.top(), "{size}: {last} {play}");
        // The transport is whole.
        for node in desk.nodes.iter().filter(is_widget).filter(|n| place(n).top() >= play.top()) {
            assert!(
                Rect::from_min_size(pos2(0.0, 0.0), size).contains_rect(place(node)),
                "{size}: {node:?}"
            );
        }
    }
}

#[test]
fn of_many_clips_those_in_sight_are_told_apart_and_the_chosen_one_is_among_them() {
    let mut session = with_clips(150);
    let mut desk = Desk::new(&session);
    assert!(desk.says("Armature|Hero_Locomotion_Set_Forward_…"));
    assert!(row(&desk, "000").is_some() && row(&desk, "149").is_none());
    for (action, end) in [
        (Action::Exhibit(ExhibitAction::PreviousClip), "149"),
        (Action::Exhibit(ExhibitAction::NextClip), "000"),
        (Action::Exhibit(ExhibitAction::SelectClip(Some(70))), "070"),
    ] {
        session.apply(action);
        // All clips stand between the last and the first.
        if session.exhibit().clip_index() == Some(150) {
            session.apply(ExhibitAction::SelectClip(Some(149)));
        }
        for _ in 0..4 {
            desk.frame(&session, vec![]);
        }
        let at = row(&desk, end).unwrap_or_else(|| panic!("{end} is in sight"));
        assert!(at.top() > 100.0 && at.bottom() < 400.0, "{end}: {at}");
    }
    // The transport names it in full, as far as there is room.
    let name = |n: &&Node| n.value().is_some_and(|v| v.ends_with("Forward_070"));
    assert!(desk.nodes.iter().filter(|n| n.role() == Role::Label).any(|n| name(&n)));
}

#[test]
fn a_filter_leaves_what_has_all_its_words_and_enter_takes_the_first() {
    let session = with_clips(150);
    let mut desk = Desk::new(&session);
    let field = desk.nodes.iter().find(|n| n.role() == Role::TextInput).map(place).unwrap();
    desk.click_at(&session, field.center());
    desk.frame(&session, vec![Event::Text("FORWARD 14".into())]);
    desk.frame(&session, vec![]);
    assert!(
        row(&desk, "014").is_some() && row(&desk, "140").is_some() && row(&desk, "013").is_none()
    );
    // Letters are typed, and Escape leaves the field.
    assert_eq!(said(&desk.key(&session, Key::K, Modifiers::NONE)), [""; 0]);
    assert_eq!(said(&desk.key(&session, Key::Enter, Modifiers::NONE)), ["SelectClip(Some(14))"]);
    desk.click_at(&session, field.center() - vec2(40.0, 0.0));
    assert_eq!(said(&desk.key(&session, Key::Escape, Modifiers::NONE)), [""; 0]);
    desk.click(&session, Role::Button, "Clear the filter");
    desk.frame(&session, vec![]);
    assert!(row(&desk, "003").is_some());
    // Another file is not filtered.
    desk.click_at(&session, field.center());
    desk.frame(&session, vec![Event::Text("nothing".into())]);
    desk.frame(&session, vec![]);
    assert!(desk.says("No clip matches."));
    let mut session = session;
    let effects = session.apply(LoadAction::open("/rigs/another.glb"));
    finish(&mut session, &effects, Ok(loaded()));
    desk.frame(&session, vec![]);
    assert!(row(&desk, "Walk").is_some() && !desk.says("No clip matches."));
}

#[test]
fn the_whole_name_of_a_shortened_row_is_shown_under_the_pointer() {
    let session = with_clips(150);
    let mut desk = Desk::new(&session);
    let whole = "Armature|Hero_Locomotion_Set_Forward_003";
    let at = row(&desk, "003").unwrap().center();
    let hovers = |desk: &Desk| {
        desk.nodes.iter().any(|n| n.role() == Role::Label && n.value() == Some(whole))
    };
    assert!(!hovers(&desk));
    desk.frame(&session, vec![Event::PointerMoved(at)]);
    desk.time += 2.0;
    for _ in 0..3 {
        desk.frame(&session, vec![]);
    }
    assert!(hovers(&desk), "{:#?}", desk.names());
}

#[test]
fn one_joint_of_a_thousand_is_chosen_and_named_over_the_picture() {
    let mut session = changed(|model| {
        let count = 1000_usize;
        let name = |i| Some(format!("mixamorig:Bone{i:03}"));
        model.nodes =
            (0..count).map(|i| ModelNode { name: name(i), ..ModelNode::default() }).collect();
        let parents = (0..count as u32).map(|i| i.checked_sub(1)).collect();
        model.hierarchy = crate::anim::Hierarchy::new(parents, vec![]).unwrap();
        let none = vec![vec![]; count];
        model.rest =
            crate::anim::LocalPose::new(vec![crate::anim::Transform::IDENTITY; count], &none);
        model.skins[0].joints = (0..count as u32).collect();
        model.skins[0].joint_from_mesh = vec![glam::Affine3A::IDENTITY; count];
    });
    let mut desk = Desk::new(&session);
    assert!(!desk.nodes.iter().any(|n| n.role() == Role::TextInput));
    session.apply(LookAction::SetPass(Pass::Weights));
    session.apply(LookAction::SelectJoint(Some(700)));
    for _ in 0..3 {
        desk.frame(&session, vec![]);
    }
    assert!(
        desk.says("Weight of mixamorig:Bone700") && desk.says("mixamorig:…"),
        "{:#?}",
        desk.names()
    );
    assert!(desk.nodes.iter().any(|n| n.role() == Role::TextInput));
    let at = row(&desk, "Bone699").or(row(&desk, "Bone701")).expect("its neighbours are in sight");
    let actions = desk.click_at(&session, at.center());
    assert!(
        matches!(actions[..], [Action::Look(LookAction::SelectJoint(Some(699 | 701)))]),
        "{actions:?}"
    );
    let laid_out = desk.nodes.iter().filter(|n| place(n).is_positive()).count();
    assert!(laid_out < 200, "only what is in sight is laid out: {laid_out}");
    desk.node(Role::Button, "mixamorig:Bone000");
}

#[test]
fn what_a_model_lacks_can_not_be_switched() {
    let rigged = session();
    let bare = changed(|model| {
        model.skins.clear();
        model.meshes.push(crate::model::Mesh::default());
    });
    for (session, disabled) in [(rigged, false), (bare, true)] {
        let mut desk = Desk::new(&session);
        for name in ["Skeleton", "Joint names"] {
            assert_eq!(desk.node(Role::CheckBox, name).is_disabled(), disabled, "{name}");
        }
        assert!(!desk.node(Role::CheckBox, "Grid").is_disabled());
        unfold(&mut desk, &session);
        assert!(desk.node(Role::CheckBox, "Lights of the file").is_disabled());
        assert!(!desk.node(Role::CheckBox, "Key light and shadow").is_disabled());
    }
}

#[test]
fn without_panels_the_pass_that_was_just_chosen_is_named_for_a_moment() {
    let mut session = session();
    session.apply(ExhibitAction::TogglePlay);
    session.apply(Action::TogglePanels);
    let mut desk = Desk::new(&session);
    assert!(!desk.says("Shaded"));
    session.apply(LookAction::NextPass);
    for _ in 0..2 {
        desk.frame(&session, vec![]);
    }
    assert!(desk.says("Base colour"), "{:#?}", desk.names());
    desk.time += 3.0;
    for _ in 0..3 {
        desk.frame(&session, vec![]);
    }
    assert!(!desk.says("Base colour") && !desk.ctx.has_requested_repaint());
    // Colours that are numbers have their scale as long as they are shown.
    session.apply(LookAction::SetPass(Pass::Weights));
    desk.time += 10.0;
    for _ in 0..3 {
        desk.frame(&session, vec![]);
    }
    assert!(desk.says("Weight of node 0") && desk.says("no weight"), "{:#?}", desk.names());
}

/// Labels are to the left of their sliders, and "keys" means those of the keyboard, only in the help.
#[test]
fn labels_stand_to_the_left_and_mean_one_thing() {
    let session = session();
    let mut desk = Desk::new(&session);
    unfold(&mut desk, &session);
    for name in ["Exposure", "Rotation", "Brightness", "Crossfade"] {
        let label = place(words(&desk, name));
        let beside = |n: &&Node| {
            n.role() == Role::Slider && (place(n).center().y - label.center().y).abs() < 8.0
        };
        let slider = desk.nodes.iter().find(beside).map(place);
        assert!(slider.is_some_and(|s| s.left() >= label.right()), "{name}: {label} {slider:?}");
    }
    assert!(!desk.names().iter().any(|(_, name)| *name == "Keys"), "{:#?}", desk.names());
    desk.node(Role::Button, "Help");
    words(&desk, "Encoding");
}
