//! The panels' layout: no widget covers another, everything can be reached in small windows, and long lists show the
//! chosen entry.

use egui::accesskit::Role;
use egui::{Event, Key, Modifiers, Order, Rect, Vec2, pos2, vec2};
use egui_kittest::Node;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::tests::{
    SIZE, Window, apply, click, click_at, control, did, press, says, window, window_of_size,
};
use rigview_anim::{Clip, ClipParts};
use rigview_look::Pass;
use rigview_model::{Model, Node as ModelNode};
use rigview_session::sample::{finish, loaded, session};
use rigview_session::{Action, LoadAction, LookAction, PlaybackAction, Session, WindowPart};

/// Returns a session that shows a changed sample.
fn changed(change: impl FnOnce(&mut Model)) -> Session {
    let mut session = session();
    let mut loaded = loaded();
    change(&mut loaded.model);
    let effects = session.apply(LoadAction::open("/rigs/changed.glb"));
    finish(&mut session, &effects, Ok(loaded));
    session
}

/// Returns a session with this many clips whose names share a long prefix.
fn with_clips(count: usize) -> Session {
    changed(|model| {
        let clip = model.clips[0].clone();
        let name = |i| format!("Armature|Hero_Locomotion_Set_Forward_{i:03}");
        model.clips = (0..count)
            .map(|i| Clip::new(ClipParts { name: Some(name(i)), ..clip.clone().into_parts() }))
            .collect();
    })
}

/// Returns a session whose model has a chain of this many named joints.
fn with_joints(count: usize) -> Session {
    changed(|model| {
        let name = |i| Some(format!("mixamorig:Bone{i:03}"));
        model.nodes =
            (0..count).map(|i| ModelNode { name: name(i), ..ModelNode::default() }).collect();
        let parents = (0..count as u32).map(|i| i.checked_sub(1)).collect();
        model.hierarchy = rigview_anim::Hierarchy::new(parents, vec![]).unwrap();
        let none = vec![vec![]; count];
        model.rest =
            rigview_anim::LocalPose::new(vec![rigview_anim::Transform::IDENTITY; count], &none);
        model.skins[0].joints = (0..count as u32).collect();
        model.skins[0].joint_from_mesh = vec![glam::Affine3A::IDENTITY; count];
    })
}

fn label(node: &Node<'_>) -> String {
    node.accesskit_node().label().unwrap_or_default()
}

fn role(node: &Node<'_>) -> Role {
    node.accesskit_node().role()
}

/// Returns the rectangle of the row whose name ends like this, if it is laid out. Rows out of sight have no size.
fn row(window: &Window, end: &str) -> Option<Rect> {
    let mut nodes = window.root().children_recursive();
    let is_it = |n: &Node<'_>| role(n) == Role::Button && label(n).ends_with(end);
    nodes.find(|n| is_it(n) && n.rect().is_positive()).map(|n| n.rect())
}

/// Returns the widgets that must not be covered.
fn widgets(window: &Window) -> Vec<Node<'_>> {
    let roles = [
        Role::Button,
        Role::CheckBox,
        Role::ComboBox,
        Role::Label,
        Role::Slider,
        Role::SpinButton,
        Role::TextInput,
    ];
    window.root().children_recursive().filter(|n| roles.contains(&role(n))).collect()
}

/// Unfolds all sections, one after the other, and returns to the top.
fn unfold(window: &mut Window) {
    for name in ["Timing", "Light", "Blending"] {
        control(window, name).scroll_to_me();
        window.run();
        click(window, name);
    }
    scroll(window, 1e4);
}

/// Scrolls the column by points, with the pointer where no list is.
fn scroll(window: &mut Window, points: f32) {
    window.hover_at(pos2(4.0, 40.0));
    window.event(Event::MouseWheel {
        unit: egui::MouseWheelUnit::Point,
        delta: vec2(0.0, points),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Unknown,
        modifiers: Modifiers::NONE,
    });
    window.run();
}

#[test]
fn nothing_covers_anything_else_whatever_is_unfolded() {
    for size in [SIZE, vec2(640.0, 400.0), vec2(480.0, 320.0), vec2(1920.0, 1080.0)] {
        let mut window = window_of_size(with_clips(150), size);
        unfold(&mut window);
        // Rows that are scrolled out of sight stay among the nodes, behind others.
        let mut widgets = widgets(&window);
        widgets.retain(|n| n.value().as_deref() != Some("2.00 s"));
        assert!(widgets.len() > 30, "{size}: {}", widgets.len());
        for (i, a) in widgets.iter().enumerate() {
            for b in &widgets[i + 1..] {
                let shared = a.rect().intersect(b.rect());
                let apart = shared.width() <= 1.0 || shared.height() <= 1.0;
                // A combo box, a slider and a text field contain their own text.
                let held = a.rect().expand(1.0).contains_rect(b.rect()) && role(a) != role(b);
                let behind = hidden(a.rect(), size) || hidden(b.rect(), size);
                let (a, b) = ((label(a), a.rect()), (label(b), b.rect()));
                assert!(apart || held || behind, "{size}: {a:?} {b:?}");
            }
        }
    }
}

/// Whether a widget is scrolled out of sight below the upper edge of the transport.
fn hidden(place: Rect, size: Vec2) -> bool {
    let bar = if size.x < 588.0 { 126.0 } else { 85.0 };
    place.left() < 460.0 && place.bottom() > size.y - bar && place.top() < size.y
        || place.bottom() > size.y
}

#[test]
fn six_clips_are_in_sight_and_the_panel_keeps_its_width() {
    for size in [SIZE, vec2(1100.0, 600.0), vec2(1920.0, 1080.0)] {
        let mut window = window_of_size(with_clips(150), size);
        let before = window.state().picture;
        unfold(&mut window);
        for i in 0..6 {
            let at = row(&window, &format!("{i:03}")).unwrap_or_else(|| panic!("{size}: row {i}"));
            assert!(at.bottom() < size.y - 85.0, "{size}: {at}");
        }
        for _ in 0..20 {
            window.run();
            assert_eq!(window.state().picture, before, "{size}");
        }
    }
}

#[test]
fn everything_can_be_scrolled_to_in_a_small_window() {
    for size in [vec2(640.0, 400.0), vec2(480.0, 320.0), vec2(333.0, 257.0)] {
        let mut window = window_of_size(with_clips(150), size);
        unfold(&mut window);
        scroll(&mut window, -1e4);
        let last = control(&window, "Timing").rect();
        let play = control(&window, "Pause").rect();
        assert!(last.top() > 0.0 && last.bottom() < play.top(), "{size}: {last} {play}");
        // The transport is completely visible.
        let whole = Rect::from_min_size(pos2(0.0, 0.0), size);
        for node in widgets(&window).iter().filter(|n| n.rect().top() >= play.top()) {
            assert!(whole.contains_rect(node.rect()), "{size}: {node:?}");
        }
    }
}

/// A column scrolls to what Tab reaches.
#[test]
fn what_tab_reaches_is_in_sight() {
    let size = vec2(640.0, 400.0);
    let mut window = window_of_size(session(), size);
    let picture = window.state().picture;
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..60 {
        press(&mut window, Key::Tab, Modifiers::NONE);
        let focused = widgets(&window).into_iter().find(|n| n.accesskit_node().is_focused());
        let Some((name, rect)) = focused.map(|node| (label(&node), node.rect())) else { continue };
        // What is left of the picture is in the column, which ends above the transport.
        if rect.right() < picture.left() && seen.insert(name.clone()) && name == "Help" {
            assert!(rect.top() >= 0.0 && rect.bottom() <= picture.bottom(), "{name}: {rect}");
            return;
        }
    }
    panic!("Tab does not reach the last button: {seen:?}");
}

/// A section is scrolled to when it is unfolded, from its title on if it is higher than the column.
#[test]
fn an_unfolded_section_is_in_sight() {
    let mut window = window_of_size(session(), vec2(640.0, 400.0));
    let sections = ["Motion and surface", "Light", "Pose", "As an engine shows it", "Timing"];
    let bottom = window.state().picture.bottom();
    let top = |window: &Window, name| control(window, name).rect().top();
    for next in 1..sections.len() {
        let [name, next] = [sections[next - 1], sections[next]];
        // The title is the last one in sight.
        control(&window, name).scroll_to_me();
        window.run();
        let below = bottom - 30.0 - top(&window, name);
        scroll(&mut window, below);
        click(&mut window, name);
        let [start, end] = [name, next].map(|name| top(&window, name));
        assert!(start >= 0.0 && (end < bottom || start < 30.0), "{name}: {start} {end} {bottom}");
        click(&mut window, name);
    }
    scroll(&mut window, -1e4);
    click(&mut window, "Timing");
    let start = top(&window, "Timing");
    // Times are measured from then on.
    window.state_mut().panels.timing().add(2.5, &[("shadow", 1.0), ("scene", 4.0)]);
    window.run();
    let last = window.get_by_role_and_label(Role::Label, "4.00 ms").rect();
    assert!(last.bottom() <= bottom && top(&window, "Timing") < start, "{last}");
    // The section is not followed any more after an assistive technology has scrolled elsewhere.
    control(&window, "Skeleton").scroll_to_me();
    window.run();
    let place = top(&window, "Skeleton");
    let passes = [("shadow", 1.0), ("scene", 4.0), ("finish", 1.0)];
    window.state_mut().panels.timing().add(2.5, &passes);
    window.run();
    window.get_by_role_and_label(Role::Label, "finish");
    assert_eq!(top(&window, "Skeleton"), place);
}

/// The colour's button opens a palette, and a click on that sets the background.
#[test]
fn the_background_has_the_colour_that_is_clicked() {
    let mut window = window_of_size(session(), vec2(1280.0, 900.0));
    click(&mut window, "Light");
    let button = control(&window, "Background").rect();
    let before = window.state().session.look().background;
    assert!(click(&mut window, "Background").is_empty(), "opening the palette changes nothing");
    let palette = window.ctx.memory(|memory| memory.areas().visible_layer_ids());
    let palette = palette.into_iter().find(|layer| layer.order == Order::Foreground).unwrap();
    let palette = window.ctx.memory(|memory| memory.area_rect(palette.id)).unwrap();
    assert!(palette.top() >= button.top(), "{palette} {button}");
    // The field of colours is square and fills the palette's lower part: at the right is the full hue, at the top the light one.
    let field = palette.right_bottom() + vec2(-20.0, 20.0 - palette.width());
    let did = click_at(&mut window, field);
    let Some(Action::Look(LookAction::SetBackground(color))) = did.last() else {
        panic!("{did:?}")
    };
    let is_bright = color.iter().any(|channel| *channel > 200);
    assert!(color[..] != before[..3] && is_bright, "{before:?} {color:?}");
}

/// The name of the shown clip is not cut where "Rest pose" can be shown.
#[test]
fn the_transport_of_a_small_window_says_rest_pose() {
    let mut window = window_of_size(session(), vec2(640.0, 400.0));
    apply(&mut window, PlaybackAction::SelectClip(None));
    let bottom = window.state().picture.bottom();
    let labels = window.get_all_by_role(Role::Label).filter(|node| node.rect().top() > bottom);
    let labels: Vec<_> = labels.filter_map(|node| node.value()).collect();
    assert!(labels.iter().any(|text| text == "Rest pose"), "{labels:?}");
}

/// Lines between parts and the bars behind their tabs are for the mouse.
#[test]
fn tab_goes_to_nothing_without_a_name() {
    for (size, key, held) in [
        (vec2(1280.0, 720.0), Key::Tab, Modifiers::NONE),
        (vec2(1280.0, 720.0), Key::Tab, Modifiers::SHIFT),
        (vec2(640.0, 400.0), Key::Tab, Modifiers::NONE),
    ] {
        let mut session = session();
        for part in [WindowPart::Scene, WindowPart::Inspector, WindowPart::TimeLine] {
            session.apply(Action::TogglePart(part));
        }
        let mut window = window_of_size(session, size);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..90 {
            press(&mut window, key, held);
            let all = window.root().children_recursive();
            let focused = all.into_iter().find(|node| node.accesskit_node().is_focused());
            let Some(focused) = focused else { continue };
            let name = label(&focused);
            assert!(!name.is_empty(), "{size} {held:?}: {focused:?} after {seen:?}");
            seen.insert(name);
        }
        for name in ["Time", "Search nodes", "Inspector", "Parts of the window", "Dismiss"] {
            assert!(seen.contains(name), "{size} {held:?} {name}: {seen:?}");
        }
    }
}

/// Controls of the transport are below the column's contents that are out of sight.
#[test]
fn the_column_stays_while_tab_goes_through_the_transport() {
    let mut window = window_of_size(session(), vec2(640.0, 400.0));
    let place = |window: &Window| control(window, "Rest pose").rect();
    let before = place(&window);
    for name in ["Time", "First frame", "Step back", "Pause"] {
        press(&mut window, Key::Tab, Modifiers::NONE);
        assert!(control(&window, name).is_focused(), "{name}");
        assert_eq!(place(&window), before, "{name}");
    }
}

/// In a low panel of its own, the list has what is below the file's name.
#[test]
fn the_list_of_clips_fills_its_panel() {
    let mut session = with_clips(144);
    for part in [WindowPart::Scene, WindowPart::TimeLine] {
        session.apply(Action::TogglePart(part));
    }
    let size = vec2(1280.0, 720.0);
    let window = window_of_size(session, size);
    let picture = window.state().picture;
    let in_sight = (0..144).filter_map(|i| row(&window, &format!("Forward_{i:03}")));
    let in_sight = in_sight.filter(|row| row.bottom() <= picture.bottom());
    let count = in_sight.count();
    assert!(count >= 4, "{count} rows above {}", picture.bottom());
}

#[test]
fn of_many_clips_those_in_sight_are_told_apart_and_the_chosen_one_is_among_them() {
    let mut window = window(with_clips(150));
    assert!(says(&window, "Armature|Hero_Locomotion_Set_Forward_…"));
    assert!(row(&window, "000").is_some() && row(&window, "149").is_none());
    for (action, end) in [
        (PlaybackAction::PreviousClip, "149"),
        (PlaybackAction::NextClip, "000"),
        (PlaybackAction::SelectClip(Some(70)), "070"),
    ] {
        apply(&mut window, action);
        // The entry for all clips is between the last and the first clip.
        if window.state().session.playback().clip_index() == Some(150) {
            apply(&mut window, PlaybackAction::SelectClip(Some(149)));
        }
        let at = row(&window, end).unwrap_or_else(|| panic!("{end} is in sight"));
        assert!(at.top() > 100.0 && at.bottom() < 400.0, "{end}: {at}");
    }
    // The transport shows its full name, as far as there is room.
    let shown = window.get_all_by_role(Role::Label).filter_map(|n| n.value());
    assert!(shown.into_iter().any(|name| name.ends_with("Forward_070")), "{window:#?}");
}

#[test]
fn a_filter_leaves_what_has_all_its_words_and_enter_takes_the_first() {
    let mut window = window(with_clips(150));
    let typed = |window: &mut Window, text: &str| {
        click(window, "Filter clips");
        window.event(Event::Text(text.into()));
        window.run();
    };
    typed(&mut window, "FORWARD 14");
    assert!(row(&window, "014").is_some() && row(&window, "140").is_some());
    assert!(row(&window, "013").is_none());
    // Letters are typed into the field, and Escape leaves it.
    assert_eq!(press(&mut window, Key::K, Modifiers::NONE), [""; 0]);
    // Keys that edit a text, or move in it, do nothing else.
    for key in [Key::PageUp, Key::PageDown] {
        assert_eq!(press(&mut window, key, Modifiers::NONE), [""; 0], "{key:?}");
    }
    for key in [Key::A, Key::H, Key::K, Key::U, Key::W, Key::Z, Key::Y] {
        assert_eq!(press(&mut window, key, Modifiers::COMMAND), [""; 0], "{key:?}");
    }
    press(&mut window, Key::A, Modifiers::COMMAND);
    window.event(Event::Text("FORWARD 14".into()));
    window.run();
    assert_eq!(press(&mut window, Key::Enter, Modifiers::NONE), ["SelectClip(Some(14))"]);
    click(&mut window, "Filter clips");
    assert_eq!(press(&mut window, Key::Escape, Modifiers::NONE), [""; 0]);
    click(&mut window, "Clear the filter");
    assert!(row(&window, "003").is_some());
    // The filter is cleared for another file.
    typed(&mut window, "nothing");
    assert!(says(&window, "No clip matches."));
    let session = &mut window.state_mut().session;
    let effects = session.apply(LoadAction::open("/rigs/another.glb"));
    finish(session, &effects, Ok(loaded()));
    window.run();
    assert!(row(&window, "Walk").is_some() && !says(&window, "No clip matches."));
}

#[test]
fn the_whole_name_of_a_shortened_row_is_shown_under_the_pointer() {
    let mut window = window(with_clips(150));
    let whole = "Armature|Hero_Locomotion_Set_Forward_003";
    let hovers = |window: &Window| {
        window.get_all_by_role(Role::Label).any(|n| n.value().as_deref() == Some(whole))
    };
    assert!(!hovers(&window));
    window.hover_at(row(&window, "003").unwrap().center());
    window.run_steps(8);
    assert!(hovers(&window), "{window:#?}");
}

#[test]
fn one_joint_of_a_thousand_is_chosen_and_named_over_the_picture() {
    let mut window = window(with_joints(1000));
    assert!(window.query_by_role(Role::TextInput).is_none());
    apply(&mut window, LookAction::SetPass(Pass::Weights));
    apply(&mut window, LookAction::SelectJoint(Some(700)));
    assert!(says(&window, "Weight of Bone700") && says(&window, "mixamorig:…"));
    control(&window, "Filter joints");
    let at = row(&window, "Bone699").expect("its neighbour is in sight");
    let actions = click_at(&mut window, at.center());
    assert!(
        matches!(actions[..], [Action::Look(LookAction::SelectJoint(Some(699)))]),
        "{actions:?}"
    );
    let all = window.root().children_recursive();
    let laid_out = all.filter(|n| role(n) == Role::Button && n.rect().is_positive()).count();
    assert!(laid_out < 60, "only what is in sight is laid out: {laid_out}");
}

#[test]
fn a_row_out_of_sight_is_scrolled_to_by_its_name() {
    let mut window = window(with_clips(150));
    for i in [149, 3, 77] {
        let name = format!("Armature|Hero_Locomotion_Set_Forward_{i:03}");
        control(&window, &name).scroll_to_me();
        window.run();
        assert_eq!(click(&mut window, &name), [format!("SelectClip(Some({i}))")]);
    }
}

#[test]
fn what_a_model_lacks_can_not_be_switched() {
    let bare = changed(|model| {
        model.skins.clear();
        model.meshes.push(rigview_model::Mesh::default());
    });
    for (session, disabled) in [(session(), false), (bare, true)] {
        let mut window = window(session);
        let is_disabled =
            |window: &Window, name: &str| control(window, name).accesskit_node().is_disabled();
        assert_eq!(is_disabled(&window, "Skeleton"), disabled);
        assert_eq!(is_disabled(&window, "Joint names"), disabled);
        assert!(!is_disabled(&window, "Grid"));
        apply(&mut window, LookAction::ToggleSkeleton);
        assert_eq!(says(&window, "Joint size"), !disabled, "how joints are drawn");
        unfold(&mut window);
        assert!(is_disabled(&window, "Lights of the file"));
        assert!(!is_disabled(&window, "Key light and shadow"));
    }
}

#[test]
fn without_panels_the_pass_that_was_just_chosen_is_named_for_a_moment() {
    let mut session = session();
    session.apply(PlaybackAction::TogglePlay);
    session.apply(Action::TogglePanels);
    let mut window = window(session);
    assert!(!says(&window, "Shaded"));
    apply(&mut window, LookAction::NextPass);
    assert!(says(&window, "Base colour"), "{window:#?}");
    // A step takes a quarter of a second.
    window.run_steps(12);
    assert!(!says(&window, "Base colour") && !window.ctx.has_requested_repaint());
    // A pass that shows numbers has its scale for as long as it is shown.
    apply(&mut window, LookAction::SetPass(Pass::Weights));
    window.run_steps(12);
    assert!(says(&window, "Weight of node 0") && says(&window, "no weight"), "{window:#?}");
}

/// Labels are to the left of their sliders. "Keys" means keys of the keyboard and occurs only in the help.
#[test]
fn labels_stand_to_the_left_and_mean_one_thing() {
    let mut window = window(session());
    unfold(&mut window);
    for name in ["Exposure", "Rotation", "Brightness", "Crossfade"] {
        let text = window.get_by(|n| n.role() == Role::Label && n.value().as_deref() == Some(name));
        let slider = window.get_by_role_and_label(Role::Slider, name).rect();
        let level = (slider.center().y - text.rect().center().y).abs();
        assert!(slider.left() >= text.rect().right() && level < 8.0, "{name}");
    }
    assert!(!says(&window, "Keys"), "{window:#?}");
    control(&window, "Help");
    control(&window, "Encoding");
    assert_eq!(did(&mut window), [""; 0]);
}
