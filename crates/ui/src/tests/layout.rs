//! The layout: no widget covers another, everything can be reached in small windows, long lists show the chosen entry,
//! and parts open, close and are dragged elsewhere.

use egui::accesskit::Role;
use egui::{Event, Key, Modifiers, Order, Rect, Vec2, pos2, vec2};
use egui_kittest::Node;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::{
    SIZE, Window, actions, apply, changed, click, click_at, control, did, painted, press, says,
    toggle, wheel, window, window_of_size,
};
use rigview_anim::{Clip, ClipParts, Hierarchy, LocalPose, Transform};
use rigview_look::Pass;
use rigview_model::Node as ModelNode;
use rigview_report::{SkinError, WorstVertex};
use rigview_session::sample::{finish, loaded, session};
use rigview_session::{
    Action, DesktopAction, EngineAction, LoadAction, LookAction, PlaybackAction, SelectionAction,
    Session, WindowPart,
};

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
        model.hierarchy = Hierarchy::new(parents, vec![]).unwrap();
        let none = vec![vec![]; count];
        model.rest = LocalPose::new(vec![Transform::IDENTITY; count], &none);
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
    window.event(wheel(egui::MouseWheelUnit::Point, points, Modifiers::NONE));
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
        toggle(&mut session, &[WindowPart::Scene, WindowPart::Inspector, WindowPart::TimeLine]);
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
    toggle(&mut session, &[WindowPart::Scene, WindowPart::TimeLine]);
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

/// Returns a session with all parts open.
fn all_open() -> Session {
    let mut session = session();
    toggle(&mut session, &[WindowPart::Scene, WindowPart::Inspector]);
    session
}

/// Returns the rectangle of the tab of a part.
fn tab(window: &Window, title: &str) -> Rect {
    control(window, title).rect()
}

fn drag(window: &mut Window, from: Rect, to: egui::Pos2) {
    window.hover_at(from.center());
    window.drag_at(from.center());
    window.run();
    for at in [from.center() + vec2(20.0, 20.0), to, to] {
        window.hover_at(at);
        window.run();
    }
    window.drop_at(to);
    window.run();
}

#[test]
fn the_model_has_half_of_the_window_with_everything_open() {
    for size in [vec2(1280.0, 720.0), vec2(1920.0, 1080.0), vec2(1200.0, 700.0)] {
        let window = window_of_size(all_open(), size);
        let picture = window.state().picture;
        assert!(picture.width() >= 0.5 * size.x, "{size}: {picture}");
        if size.x == 1280.0 {
            assert!(picture.area() >= 0.5 * size.x * size.y, "{size}: {picture}");
        }
        for title in ["Scene", "Clips", "View", "Inspector"] {
            assert!(!tab(&window, title).intersects(picture), "{size}: {title}");
        }
        let left_of = |a: &str| tab(&window, a).right() < picture.left();
        assert!(left_of("Scene") && left_of("Clips") && !left_of("View"));
    }
}

/// Tree and inspector are at the sides of the picture, and rows of the sheet are in sight.
#[test]
fn with_the_time_line_the_other_parts_stay_beside_the_picture() {
    let mut session = all_open();
    toggle(&mut session, &[WindowPart::TimeLine]);
    let size = vec2(1280.0, 720.0);
    let window = window_of_size(session, size);
    let picture = window.state().picture;
    let [tree, inspector, line] = ["Scene", "Inspector", "Time line"].map(|t| tab(&window, t));
    assert!(tree.right() < picture.left() && picture.right() < inspector.left(), "{picture}");
    assert!(picture.bottom() < line.top(), "{picture} {line}");
    let keys = control(&window, "Playhead").rect();
    let end = control(&window, "Visible time").rect().top();
    // The ruler, the row of all keys, and four rows of 20 points.
    assert!(end - keys.bottom() >= 20.0 + 4.0 * 20.0, "{keys} to {end}");
}

#[test]
fn the_sheet_has_rows_in_a_low_window() {
    for curves in [false, true] {
        let mut session = session();
        let parts = [WindowPart::Curves, WindowPart::TimeLine];
        toggle(&mut session, &parts[usize::from(!curves)..]);
        let mut window = window_of_size(session, vec2(640.0, 400.0));
        if curves {
            click(&mut window, "Time line");
        }
        let keys = control(&window, "Playhead").rect();
        let end = control(&window, "Visible time").rect().top();
        // The ruler, the row of all keys, and two rows of 20 points.
        assert!(end - keys.bottom() >= 20.0 + 2.0 * 20.0, "{keys} to {end}, curves: {curves}");
    }
}

#[test]
fn a_low_column_does_not_reach_into_the_time_line() {
    let mut session = session();
    toggle(&mut session, &[WindowPart::Scene, WindowPart::TimeLine]);
    let window = window_of_size(session, vec2(640.0, 400.0));
    let picture = window.state().picture;
    for clipped in &window.output().shapes {
        let egui::Shape::LineSegment { points, .. } = &clipped.shape else { continue };
        let is_edge = points.iter().all(|at| (at.x - picture.left()).abs() < 2.0);
        let end = points[0].y.max(points[1].y);
        assert!(!is_edge || end <= picture.bottom() + 2.0, "{points:?} below {picture}");
    }
}

#[test]
fn parts_are_tabs_of_one_column_in_a_small_window() {
    let mut window = window_of_size(all_open(), vec2(800.0, 600.0));
    let picture = window.state().picture;
    assert!(picture.width() >= 540.0, "{picture}");
    // The part that was opened last is shown.
    assert!(!says(&window, "Rest pose"));
    click(&mut window, "Clips, View");
    assert!(says(&window, "Rest pose") && says(&window, "Ping-pong"));
    control(&window, "Skeleton");
    assert_eq!(window.state().picture, picture);
    click(&mut window, "Scene");
    assert!(!says(&window, "Rest pose"));
    // Without the others there are no tabs.
    let first = window_of_size(session(), vec2(800.0, 600.0));
    assert!(!says(&first, "Clips, View") && says(&first, "Rest pose"));
}

#[test]
fn a_part_is_opened_and_closed_by_key_and_button() {
    let mut window = window_of_size(session(), vec2(1280.0, 720.0));
    for (key, part) in [
        (Key::T, WindowPart::Scene),
        (Key::C, WindowPart::Clips),
        (Key::S, WindowPart::View),
        (Key::P, WindowPart::Inspector),
    ] {
        let wanted = format!("TogglePart({part:?})");
        assert_eq!(press(&mut window, key, Modifiers::NONE), [wanted]);
    }
    assert_eq!(click(&mut window, "Inspector panel"), ["TogglePart(Inspector)"]);
    assert_eq!(click(&mut window, "Close view"), ["TogglePart(View)"]);
    // The last part leaves the whole window to the picture.
    let session = &mut window.state_mut().session;
    session.apply(Action::TogglePart(WindowPart::View));
    session.apply(Action::TogglePart(WindowPart::Clips));
    window.run();
    assert_eq!(window.state().picture.width(), 1280.0);
    // A part that is opened while panels are hidden shows them.
    let session = &mut window.state_mut().session;
    session.apply(Action::TogglePanels);
    session.apply(Action::TogglePart(WindowPart::Clips));
    assert!(session.panels() && session.window_parts().has(WindowPart::Clips));
}

#[test]
fn a_part_can_be_dragged_anywhere_and_never_covers_the_picture() {
    let size = vec2(1600.0, 900.0);
    let mut window = window_of_size(all_open(), size);
    let places = |picture: Rect| {
        let [left, middle, right] = [0.1, 0.5, 0.9].map(|x| picture.left() + x * picture.width());
        let [top, center, bottom] = [0.1, 0.5, 0.9].map(|y| picture.top() + y * picture.height());
        [(left, center), (middle, top), (right, center), (middle, bottom), (middle, center)]
    };
    for title in ["View", "Inspector", "Scene", "Clips"] {
        for i in 0..5 {
            let (x, y) = places(window.state().picture)[i];
            let from = tab(&window, title);
            drag(&mut window, from, egui::pos2(x, y));
            let picture = window.state().picture;
            assert!(picture.width() >= 0.2 * size.x, "{title} {i}: {picture}");
            assert!(picture.height() >= 0.2 * size.y, "{title} {i}: {picture}");
            for other in ["Scene", "Clips", "View", "Inspector"] {
                assert!(!tab(&window, other).intersects(picture), "{title} {i}: {other}");
            }
            let arrangement = window.state_mut().panels.arrangement().unwrap();
            assert_eq!(window.state_mut().panels.arrange(arrangement), Ok(()), "{title} {i}");
            window.run();
        }
    }
    // Onto the tab of another part: both share a place.
    let to = tab(&window, "Scene").center();
    let from = tab(&window, "Inspector");
    drag(&mut window, from, to);
    assert_eq!(tab(&window, "Scene").top(), tab(&window, "Inspector").top());
    assert!(actions(&mut window).is_empty(), "dragging changes nothing in the session");
}

#[test]
fn parts_keep_their_width_when_the_window_grows() {
    let mut window = window_of_size(all_open(), vec2(1280.0, 720.0));
    let widths = |window: &Window| {
        let (picture, whole) = (window.state().picture, window.ctx.content_rect());
        Vec2::new(picture.left() - whole.left(), whole.right() - picture.right())
    };
    let before = widths(&window);
    window.set_size(vec2(1920.0, 1080.0));
    assert!(did(&mut window).is_empty());
    assert!((widths(&window) - before).length() < 1.0, "{before} {}", widths(&window));
    window.set_size(vec2(1280.0, 720.0));
    window.run();
    assert!((widths(&window) - before).length() < 1.0);
}

#[test]
fn an_arrangement_that_is_no_arrangement_is_refused() {
    let mut window = window_of_size(session(), vec2(1280.0, 720.0));
    let panels = &mut window.state_mut().panels;
    let scene = serde_json::json!({"part": "scene"});
    for bad in [
        serde_json::json!(3),
        serde_json::json!({"tabs": []}),
        serde_json::json!({"row": [[1.0, "picture"], [9.0, scene], [9.0, scene]]}),
    ] {
        assert!(panels.arrange(bad.clone()).is_err(), "{bad}");
    }
    // One of an earlier version, which had fewer parts.
    let earlier =
        serde_json::json!({"row": [[300.0, {"tabs": [{"part": "clips"}]}], [1.0, "picture"]]});
    assert_eq!(panels.arrange(earlier), Ok(()));
    window.run();
    assert!(says(&window, "Rest pose"));
    assert!(!control(&window, "Clips").accesskit_node().is_disabled());
}

#[test]
fn parts_are_opened_by_a_menu_that_is_in_sight_in_every_layout() {
    for size in [vec2(480.0, 320.0), vec2(640.0, 400.0), vec2(1280.0, 720.0)] {
        let mut session = session();
        toggle(&mut session, &[WindowPart::Scene, WindowPart::Inspector, WindowPart::TimeLine]);
        let mut window = window_of_size(session, size);
        let whole = egui::Rect::from_min_size(egui::Pos2::ZERO, size);
        assert!(whole.contains_rect(control(&window, "Parts of the window").rect()), "{size}");
        click(&mut window, "Parts of the window");
        assert!(whole.contains_rect(control(&window, "Part: Compared").rect()), "{size}");
        assert_eq!(click(&mut window, "Part: Curves"), ["TogglePart(Curves)"]);
    }
}

/// Types a text into a field.
fn typed(window: &mut Window, field: &str, text: &str) -> Vec<String> {
    window.get_by_role_and_label(Role::SpinButton, field).click();
    window.run();
    press(window, Key::A, Modifiers::CTRL | Modifiers::COMMAND);
    window.event(Event::Text(text.into()));
    press(window, Key::Enter, Modifiers::NONE)
}

#[test]
fn help_covers_the_name_under_the_pointer() {
    let mut window = window_of_size(session(), vec2(1280.0, 720.0));
    let at = window.state().picture.center();
    window.hover_at(at);
    apply(&mut window, SelectionAction::Hover(Some(1)));
    let is_named = |window: &Window| painted(window).iter().any(|text| text == "node 1");
    assert!(is_named(&window), "{:?}", painted(&window));
    apply(&mut window, Action::ToggleHelp);
    assert!(!is_named(&window));
    apply(&mut window, Action::ToggleHelp);
    apply(&mut window, DesktopAction::TogglePalette);
    window.hover_at(control(&window, "Find a command").rect().center());
    window.run();
    assert!(!is_named(&window));
}

#[test]
fn a_recent_file_that_is_gone_is_marked() {
    let mut session = session();
    let path = |name: &str| std::path::absolute(name).unwrap();
    session.apply(DesktopAction::SetRecent(vec![path("gone.glb"), path("here.glb")]));
    let mut window = window(session);
    let wanted = format!("{:?}", Action::from(DesktopAction::LookForRecent));
    assert_eq!(click(&mut window, "Recent files"), [wanted]);
    assert!(!says(&window, "The file does not exist"));
    apply(&mut window, DesktopAction::SetMissing(vec![path("gone.glb")]));
    let entry = |window: &Window, name: &str| {
        let name = format!("Open {}", path(name).display());
        control(window, &name).accesskit_node().value().unwrap_or_default()
    };
    assert!(entry(&window, "gone.glb").ends_with("The file does not exist"));
    assert!(!entry(&window, "here.glb").contains("not exist"));
}

#[test]
fn any_speed_can_be_typed() {
    let mut window = window(session());
    assert_eq!(typed(&mut window, "Speed", "0.3").last().unwrap(), "SetSpeed(0.3)");
}

#[test]
fn an_engine_may_take_any_number_of_influences() {
    let mut window = window_of_size(session(), vec2(1280.0, 1400.0));
    click(&mut window, "As an engine shows it");
    click(&mut window, "Influences");
    for count in ["1", "15"] {
        window.get_by_role_and_label(Role::Button, count);
    }
    let chosen = click(&mut window, "15");
    assert!(chosen[0].contains("influences: 15"), "{chosen:?}");
}

#[test]
fn the_largest_error_of_an_engine_names_its_vertex_and_leads_there() {
    let mut session = session();
    let worst = WorstVertex { node: 1, primitive: 0, vertex: 7, joint: Some(0) };
    let error = SkinError { now_mm: 1.5, now_vertex: Some(worst), ..SkinError::default() };
    let load = session.playback().document().unwrap().load;
    session.apply(EngineAction::Take(load, Ok(error)));
    let mut window = window_of_size(session, vec2(1280.0, 1400.0));
    click(&mut window, "As an engine shows it");
    let link = "Worst vertex now: Vertex 7 of node 1, joint node 0";
    assert_eq!(click(&mut window, link), ["Engine(GoToWorst { over_clip: false })"]);
    assert_eq!(click(&mut window, "Show as heat"), ["Engine(ShowHeat)"]);
}
