//! The mouse in the view: drags orbit and pan, the wheel zooms, a click selects, a double click frames or sets the
//! centre of orbits, and what is under the pointer is named.
//!
//! Events are read one by one rather than as a sum per frame, so that a quick drag within one slow frame is not lost.

use egui::{
    Event, InputState, Modifiers, MouseWheelUnit, Order, PointerButton, Pos2, Rect, Ui, Vec2,
};
use glam::DVec2;

use super::fly::{Flight, faster};
use crate::session::{
    Action, CameraAction, PickAction, PickRequest, Purpose, Selection, SelectionAction,
};

/// Factor of the camera's distance per line of the wheel.
const ZOOM_PER_LINE: f64 = 0.88;

/// Points of a smooth wheel per line.
const POINTS_PER_LINE: f64 = 40.0;

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
}

/// Turns the frame's mouse events over the picture into actions of the camera and of the selection.
pub(super) fn mouse_ui(
    ui: &Ui,
    picture: Rect,
    selection: &Selection,
    drag: &mut Drag,
    actions: &mut Vec<Action>,
) {
    let ctx = ui.ctx();
    let mut clicked = None;
    let mut moved = false;
    let height = f64::from(picture.height().max(1.0));
    let parts = |v: Vec2| DVec2::new(f64::from(v.x), f64::from(v.y)) / height;
    let (events, mut pointer) = ctx.input(|i| (i.events.clone(), i.pointer.latest_pos()));
    let claimed = drag.claimed;
    let free = |at: Pos2| {
        let above = ctx.layer_id_at(at).is_some_and(|l| l.order != Order::Background);
        !claimed && picture.contains(at) && !above && !ctx.egui_is_using_pointer()
    };
    for event in &events {
        match event {
            Event::PointerMoved(to) => {
                pointer = Some(*to);
                moved = true;
                drag.moved |= (*to - drag.last).length() > CLICK;
                if let Some((_, grip)) = drag.grip.filter(|_| drag.moved) {
                    let by = parts(*to - drag.last);
                    drag.last = *to;
                    let action = match grip {
                        Grip::Orbit => CameraAction::Orbit(by),
                        Grip::Pan => CameraAction::Pan(by),
                        Grip::Look => CameraAction::LookAround(by),
                    };
                    actions.push(action.into());
                }
            }
            Event::PointerButton { pos, button, pressed: true, modifiers }
                if drag.grip.is_none() && free(*pos) =>
            {
                drag.grip = grip(*button, *modifiers).map(|grip| (*button, grip));
                (drag.last, drag.moved) = (*pos, false);
            }
            Event::PointerButton { pos, button, pressed: false, modifiers } => {
                let released = drag.grip.take_if(|(held, _)| held == button);
                match button {
                    PointerButton::Primary if released.is_some() && !drag.moved => {
                        clicked = Some((*pos, *modifiers));
                    }
                    PointerButton::Secondary if released.is_some() && !drag.moved => {
                        drag.menu_at = Some(*pos);
                    }
                    _ => {}
                }
            }
            Event::PointerGone | Event::WindowFocused(false) => {
                moved = true;
                drag.grip = None;
            }
            Event::MouseWheel { unit, delta, .. } => {
                let lines = match unit {
                    MouseWheelUnit::Line | MouseWheelUnit::Page => f64::from(delta.y),
                    MouseWheelUnit::Point => f64::from(delta.y) / POINTS_PER_LINE,
                };
                if drag.is_right_held() {
                    actions.push(faster(lines));
                } else if let Some(at) = pointer.filter(|at| free(*at) && lines != 0.0) {
                    let pointer = parts(at - picture.center());
                    push_zoom(actions, ZOOM_PER_LINE.powf(lines), pointer);
                }
            }
            Event::Zoom(factor) if *factor > 0.0 => {
                if let Some(at) = pointer.filter(|at| free(*at)) {
                    let pointer = parts(at - picture.center());
                    push_zoom(actions, 1.0 / f64::from(*factor), pointer);
                }
            }
            _ => {}
        }
    }
    if drag.flight.steer(
        ctx,
        drag.grip.is_some_and(|(b, _)| b == PointerButton::Secondary),
        actions,
    ) {
        // Once it flies, the pointer looks around until the button is released.
        drag.grip = Some((PointerButton::Secondary, Grip::Look));
    }
    let primary = PointerButton::Primary;
    // A third click does what the second one did.
    let twice = |i: &InputState| {
        i.pointer.button_double_clicked(primary) || i.pointer.button_triple_clicked(primary)
    };
    let ask = |at: Pos2, purpose| {
        let (at, point) = (parts(at - picture.center()), 1.0 / height);
        Action::Pick(PickAction::Ask(PickRequest { at, point, purpose }))
    };
    if let Some((at, modifiers)) = clicked {
        actions.push(match (ctx.input(twice), modifiers) {
            (true, held) if held.command => {
                CameraAction::CenterOn(parts(at - picture.center())).into()
            }
            (true, _) => ask(at, Purpose::Frame),
            (false, held) if held.alt => ask(at, Purpose::SelectJoint),
            (false, _) => ask(at, Purpose::Select),
        });
    } else if moved {
        match pointer.filter(|at| drag.grip.is_none() && free(*at)) {
            Some(at) => actions.push(ask(at, Purpose::Name)),
            None if selection.hovered().is_some() => {
                actions.push(SelectionAction::Hover(None).into());
            }
            None => {}
        }
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
