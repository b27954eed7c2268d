//! The mouse in the view: drags orbit and pan, the wheel zooms, a click selects, a double click frames or sets the
//! centre of orbits, and what is under the pointer is named.
//!
//! Events are read one by one rather than as a sum per frame, so that a quick drag within one slow frame is not lost.

use egui::{Context, Event, Modifiers, MouseWheelUnit, Order, PointerButton, Pos2, Rect, Ui, Vec2};
use glam::DVec2;

use super::fly::{Flight, faster};
use rigview_session::{
    Action, CameraAction, PickAction, PickRequest, Purpose, Selection, SelectionAction,
};

/// Factor of the camera's distance per line of the wheel.
const ZOOM_PER_LINE: f64 = 0.88;

/// Points of a smooth wheel per line.
const POINTS_PER_LINE: f64 = 40.0;

/// Returns the lines that a wheel turned by.
pub(super) fn wheel_lines(unit: MouseWheelUnit, delta: f32) -> f64 {
    match unit {
        MouseWheelUnit::Line | MouseWheelUnit::Page => f64::from(delta),
        MouseWheelUnit::Point => f64::from(delta) / POINTS_PER_LINE,
    }
}

/// The effect of a drag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grip {
    Orbit,
    Pan,
    /// Looks around while the camera flies.
    Look,
}

/// Distance in points that the pointer may move between press and release of a click.
const CLICK: f32 = 3.0;

/// The drag in progress, if any, and the pointer's last position.
#[derive(Debug, Default)]
pub(super) struct Drag {
    grip: Option<(PointerButton, Grip)>,
    /// Whether it has left the place where it began; before that, it may be a click.
    moved: bool,
    last: Pos2,
    flight: Flight,
    /// Whether the gizmo uses the pointer.
    claimed: bool,
    /// The place of a click of the right button, for its menu.
    menu_at: Option<Pos2>,
}

impl Drag {
    /// Whether a button is held over the picture.
    pub(super) fn is_held(&self) -> bool {
        self.grip.is_some()
    }

    /// Whether the right button is held over the picture.
    pub(super) fn is_right_held(&self) -> bool {
        self.grip.is_some_and(|(button, _)| button == PointerButton::Secondary)
    }

    /// Returns the place at which the right button was clicked in this frame.
    pub(super) fn take_menu(&mut self) -> Option<Pos2> {
        self.menu_at.take()
    }

    /// Notes for a frame whether the gizmo uses the pointer. What is done with it then is no drag in the view.
    pub(super) fn leave_to_gizmo(&mut self, claimed: bool) {
        self.claimed = claimed;
    }

    /// Follows the pointer, and returns what that does to the camera.
    fn move_to(&mut self, area: &Area, to: Pos2) -> Option<CameraAction> {
        let way = to - self.last;
        self.moved |= way.length() > CLICK;
        let (_, grip) = self.grip.filter(|_| self.moved)?;
        self.last = to;
        let by = area.parts(way);
        Some(match grip {
            Grip::Orbit => CameraAction::Orbit(by),
            Grip::Pan => CameraAction::Pan(by),
            Grip::Look => CameraAction::LookAround(by),
        })
    }
}

/// The part of the window that shows the picture.
struct Area<'a> {
    ctx: &'a Context,
    picture: Rect,
    /// Whether the gizmo uses the pointer.
    claimed: bool,
}

impl Area<'_> {
    fn height(&self) -> f64 {
        f64::from(self.picture.height().max(1.0))
    }

    /// Returns a vector in parts of the picture's height.
    fn parts(&self, v: Vec2) -> DVec2 {
        DVec2::new(f64::from(v.x), f64::from(v.y)) / self.height()
    }

    /// Returns a place from the picture's centre, in parts of its height.
    fn off_center(&self, at: Pos2) -> DVec2 {
        self.parts(at - self.picture.center())
    }

    /// Whether the pointer acts on the picture there: nothing lies above it, and nothing else uses the pointer.
    fn is_free(&self, at: Pos2) -> bool {
        let above = self.ctx.layer_id_at(at).is_some_and(|l| l.order != Order::Background);
        !self.claimed && self.picture.contains(at) && !above && !self.ctx.egui_is_using_pointer()
    }

    /// Asks for what is drawn at a place.
    fn ask(&self, at: Pos2, purpose: Purpose) -> Action {
        let (at, point) = (self.off_center(at), 1.0 / self.height());
        Action::Pick(PickAction::Ask(PickRequest { at, point, purpose }))
    }
}

/// What a frame's events leave to be done once.
struct Outcome {
    clicked: Option<(Pos2, Modifiers)>,
    /// Whether the pointer moved or left.
    moved: bool,
    pointer: Option<Pos2>,
}

/// Turns the frame's mouse events over the picture into actions of the camera and of the selection.
pub(super) fn mouse_ui(
    ui: &Ui,
    picture: Rect,
    selection: &Selection,
    drag: &mut Drag,
    actions: &mut Vec<Action>,
) {
    let area = Area { ctx: ui.ctx(), picture, claimed: drag.claimed };
    let Outcome { clicked, moved, pointer } = read_events(&area, drag, actions);
    let is_right_held = drag.is_right_held();
    if drag.flight.steer(area.ctx, is_right_held, actions) {
        // Once it flies, the pointer looks around until the button is released.
        drag.grip = Some((PointerButton::Secondary, Grip::Look));
    }
    if let Some((at, modifiers)) = clicked {
        actions.push(click(&area, at, modifiers));
    } else if moved {
        match pointer.filter(|at| drag.grip.is_none() && area.is_free(*at)) {
            Some(at) => actions.push(area.ask(at, Purpose::Name)),
            None if selection.hovered().is_some() => {
                actions.push(SelectionAction::Hover(None).into());
            }
            None => {}
        }
    }
}

/// Applies the frame's events to the drag, and moves the camera by them.
fn read_events(area: &Area, drag: &mut Drag, actions: &mut Vec<Action>) -> Outcome {
    let (events, pointer) = area.ctx.input(|i| (i.events.clone(), i.pointer.latest_pos()));
    let mut out = Outcome { clicked: None, moved: false, pointer };
    for event in &events {
        match event {
            Event::PointerMoved(to) => {
                (out.pointer, out.moved) = (Some(*to), true);
                actions.extend(drag.move_to(area, *to).map(Action::from));
            }
            Event::PointerButton { pos, button, pressed: true, modifiers }
                if drag.grip.is_none() && area.is_free(*pos) =>
            {
                drag.grip = grip(*button, *modifiers).map(|grip| (*button, grip));
                (drag.last, drag.moved) = (*pos, false);
            }
            Event::PointerButton { pos, button, pressed: false, modifiers } => {
                let released = drag.grip.take_if(|(held, _)| held == button);
                match button {
                    PointerButton::Primary if released.is_some() && !drag.moved => {
                        out.clicked = Some((*pos, *modifiers));
                    }
                    PointerButton::Secondary if released.is_some() && !drag.moved => {
                        drag.menu_at = Some(*pos);
                    }
                    _ => {}
                }
            }
            Event::PointerGone | Event::WindowFocused(false) => {
                out.moved = true;
                drag.grip = None;
            }
            Event::MouseWheel { unit, delta, .. } => {
                let lines = wheel_lines(*unit, delta.y);
                if drag.is_right_held() {
                    actions.push(faster(lines));
                } else if let Some(at) = out.pointer.filter(|at| area.is_free(*at) && lines != 0.0)
                {
                    push_zoom(actions, ZOOM_PER_LINE.powf(lines), area.off_center(at));
                }
            }
            Event::Zoom(factor) if *factor > 0.0 => {
                if let Some(at) = out.pointer.filter(|at| area.is_free(*at)) {
                    push_zoom(actions, 1.0 / f64::from(*factor), area.off_center(at));
                }
            }
            _ => {}
        }
    }
    out
}

/// Returns the effect of a click of the left button; a third click in a row does what the second one did.
fn click(area: &Area, at: Pos2, modifiers: Modifiers) -> Action {
    let primary = PointerButton::Primary;
    let is_repeated = area.ctx.input(|i| {
        i.pointer.button_double_clicked(primary) || i.pointer.button_triple_clicked(primary)
    });
    match (is_repeated, modifiers) {
        (true, held) if held.command => CameraAction::CenterOn(area.off_center(at)).into(),
        (true, _) => area.ask(at, Purpose::Frame),
        (false, held) if held.alt => area.ask(at, Purpose::SelectJoint),
        (false, _) => area.ask(at, Purpose::Select),
    }
}

/// Adds a zoom. It is merged with one at the same place just before it, because each zoom looks up the surface
/// there.
fn push_zoom(actions: &mut Vec<Action>, by: f64, at: DVec2) {
    match actions.last_mut() {
        Some(Action::ViewCamera(CameraAction::Zoom { factor, pointer })) if *pointer == at => {
            *factor *= by
        }
        _ => actions.push(CameraAction::Zoom { factor: by, pointer: at }.into()),
    }
}

fn grip(button: PointerButton, modifiers: Modifiers) -> Option<Grip> {
    match button {
        PointerButton::Primary if modifiers.shift => Some(Grip::Pan),
        PointerButton::Primary => Some(Grip::Orbit),
        PointerButton::Secondary | PointerButton::Middle => Some(Grip::Pan),
        _ => None,
    }
}
