//! Runs a script's steps: they become the events that the system would send.

use std::path::Path;
use std::time::{Duration, Instant};

use egui::PointerButton;
use winit::dpi::{PhysicalPosition, PhysicalSize};
use winit::event::{
    DeviceId, ElementState, MouseButton, MouseScrollDelta, TouchPhase, WindowEvent,
};
use winit::event_loop::ActiveEventLoop;
use winit::keyboard::ModifiersState;

use super::controls::{Reach, control_named, controls_of, reach};
use super::live::Live;
use super::script::Step;
use super::state::state_of;
use super::taken::Taken;
use super::window::App;
use crate::model::Model;
use crate::session::{Action, DesktopAction, ExhibitAction, Item, SelectionAction};

/// Polling interval of a step that waits.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Number of times that a click scrolls to its control: lists and the columns that they are in scroll one after
/// the other.
const SCROLLS: u32 = 3;

/// The result of a step.
#[derive(Debug, PartialEq)]
enum Done {
    /// The step is done. The next one runs when its frame has been shown.
    Yes,
    /// The step has to be tried again later.
    NotYet,
}

impl App {
    /// Runs the steps that are due. Returns when to call it again, if a step waits.
    pub(super) fn drive(
        &mut self,
        event_loop: &ActiveEventLoop,
        now: Instant,
    ) -> Result<Option<Instant>, String> {
        while let Some(step) = self.driver.script.current().cloned() {
            let waited = self.driver.script.waited(now)?;
            let due = self.is_settled()
                && self.driver.after <= self.live.as_ref().map_or(0, |l| l.frames);
            if !(due || self.driver.begun.is_some() || self.is_hidden()) {
                return Ok(Some(now + LOOK_AGAIN));
            }
            let done = self.step(event_loop, &step, waited);
            match done.map_err(|what| self.driver.script.blame(&what))? {
                Done::Yes => {
                    self.driver.begun = None;
                    self.driver.script.advance();
                }
                Done::NotYet => return Ok(Some(now + LOOK_AGAIN)),
            }
        }
        Ok(None)
    }

    fn is_hidden(&self) -> bool {
        self.live.as_ref().is_some_and(|l| !l.is_visible())
    }

    /// Whether another frame would show the same, apart from the clip's time.
    fn is_settled(&self) -> bool {
        self.live.as_ref().is_some_and(|l| !l.dirty) && !self.awaits_heat()
    }

    fn step(
        &mut self,
        event_loop: &ActiveEventLoop,
        step: &Step,
        waited: Duration,
    ) -> Result<Done, String> {
        let Some(live) = &mut self.live else { return Ok(Done::NotYet) };
        match step {
            Step::Key(key, modifiers) => press(live, *key, *modifiers),
            Step::Selected => {
                return Ok(if live.picks.selects() { Done::NotYet } else { Done::Yes });
            }
            Step::Pose(pose) => self.pose_step(pose)?,
            Step::LoadPose(path) => self.load_pose(path),
            Step::SavePose(path) => return self.save_pose(path).map(|()| Done::Yes),
            Step::Select(node) => self.select(node.as_deref())?,
            Step::Move(_) | Step::Button(..) | Step::Alt(_) | Step::Wheel(_) | Step::Drop(..) => {
                self.mouse(event_loop, step);
            }
            Step::DoubleClick(at) => {
                double_clicks(live, true);
                let click = [true, false].map(|down| Step::Button(PointerButton::Primary, down));
                for step in [&[Step::Move(*at)], &click[..], &click[..]].concat() {
                    if let Some(event) = event_of(&step) {
                        self.handle(event_loop, &event);
                    }
                }
            }
            Step::Click(name, scrolled) => return self.click(name, *scrolled),
            Step::Resize(size) => {
                if self.resize(event_loop, *size)? == Done::NotYet {
                    return Ok(Done::NotYet);
                }
            }
            Step::Minimize(on) => {
                live.window.set_minimized(*on);
                // Not every system sends this event; on X11 it takes a window manager.
                self.handle(event_loop, &WindowEvent::Occluded(*on));
            }
            Step::Seek(time_secs) => self.act(Action::Exhibit(ExhibitAction::Seek(*time_secs))),
            Step::Frames(frames) => {
                let until = *self.driver.begun.get_or_insert(live.frames + frames);
                if live.frames < until {
                    live.dirty = true;
                    return Ok(Done::NotYet);
                }
                return Ok(Done::Yes);
            }
            Step::Loaded => {
                if self.session.is_busy() {
                    return Ok(Done::NotYet);
                }
                live.dirty = true;
            }
            Step::Picture(path) => return self.picture(path),
            Step::State(path) => {
                let state = state_of(&self.session, &live.shown());
                return self.driver.answer(path, &state).map(|()| Done::Yes);
            }
            Step::Controls(path) => return self.list_controls(path),
            Step::Save(path) => self.act(DesktopAction::SaveSession(path.clone())),
            Step::Record(path) => self.act(DesktopAction::Record(path.clone())),
            Step::Wait(time) => {
                self.driver.begun = Some(0);
                return Ok(if waited < *time { Done::NotYet } else { Done::Yes });
            }
            Step::LoseDevice => self.reopen(event_loop, "the script requests it"),
            Step::Close => self.handle(event_loop, &WindowEvent::CloseRequested),
        }
        self.driver.after = self.live.as_ref().map_or(0, |l| l.frames) + 1;
        Ok(Done::Yes)
    }

    /// Moves, presses or turns the mouse, or drops a file.
    fn mouse(&mut self, event_loop: &ActiveEventLoop, step: &Step) {
        if let Some(live) = &mut self.live {
            if let Step::Drop(_, taken) = step {
                live.dropped_as = *taken;
            }
            // A frame is between press and release, and may take longer than the limit for clicks.
            let ctx = live.input.egui_ctx();
            ctx.options_mut(|o| o.input_options.max_click_duration = f64::INFINITY);
            // Clicks of two steps are two clicks, however fast the machine is.
            double_clicks(live, false);
        }
        if let Some(event) = event_of(step) {
            self.handle(event_loop, &event);
            self.take_drops();
        }
        if let Some(live) = &mut self.live {
            live.dropped_as = Taken::Opened;
        }
    }

    /// Selects a node by name or index; nothing with `None`.
    fn select(&mut self, node: Option<&str>) -> Result<(), String> {
        let found = match (node, self.session.exhibit().document()) {
            (None, _) => None,
            (Some(name), None) => return Err(format!("no node \"{name}\": no file is open")),
            (Some(name), Some(document)) => Some(node_named(&document.model, name)?),
        };
        self.act(Action::Selection(SelectionAction::Select(found.map(Item::Node))));
        Ok(())
    }

    /// Requests a size of the window, then waits until the window has it.
    fn resize(&mut self, event_loop: &ActiveEventLoop, size: [u32; 2]) -> Result<Done, String> {
        let Some(live) = &mut self.live else { return Ok(Done::NotYet) };
        let limits = live.painter().map(|painter| painter.gpu.device.limits());
        let limit = limits.map_or(u32::MAX, |limits| limits.max_texture_dimension_2d);
        if size[0].max(size[1]) > limit {
            return Err(format!("resize: the adapter draws at most {limit}x{limit} pixels"));
        }
        if self.driver.begun.is_none() {
            self.driver.begun = Some(0);
            let wanted = PhysicalSize::new(size[0], size[1]);
            // A system that resizes at once sends no event.
            if let Some(now) = live.window.request_inner_size(wanted) {
                self.handle(event_loop, &WindowEvent::Resized(now));
            }
            return Ok(Done::NotYet);
        }
        if live.size() != size {
            return Ok(Done::NotYet);
        }
        live.dirty = true;
        Ok(Done::Yes)
    }

    /// Requests a picture of the next frame, then waits until it is written.
    fn picture(&mut self, path: &Path) -> Result<Done, String> {
        let Some(live) = &mut self.live else { return Ok(Done::NotYet) };
        if !live.is_visible() {
            return Err("the window is hidden, so there is no picture of it".into());
        }
        match (self.driver.begun, live.written.take()) {
            (None, _) => {
                self.driver.begun = Some(0);
                live.picture = Some(path.to_owned());
                live.dirty = true;
                Ok(Done::NotYet)
            }
            (Some(_), None) => Ok(Done::NotYet),
            (Some(_), Some(written)) => written.map(|()| Done::Yes),
        }
    }

    /// Writes the controls of the last frame.
    fn list_controls(&mut self, path: &Path) -> Result<Done, String> {
        let Some(live) = &mut self.live else { return Ok(Done::NotYet) };
        if !live.is_visible() {
            return Err("the window is hidden, so it has no controls".into());
        }
        let Some(tree) = live.tree() else { return Ok(Done::NotYet) };
        let controls = controls_of(tree);
        let scale = live.input.egui_ctx().pixels_per_point();
        let list = controls.iter().map(|control| control.to_json(scale)).collect();
        self.driver.answer(path, &list).map(|()| Done::Yes)
    }

    /// Replaces the step by a click of the mouse on a control, after scrolling to it.
    fn click(&mut self, name: &str, scrolled: u32) -> Result<Done, String> {
        let Some(live) = &mut self.live else { return Ok(Done::NotYet) };
        if !live.is_visible() {
            return Err(format!("no control \"{name}\" can be clicked while the window is hidden"));
        }
        let Some(tree) = live.tree() else { return Ok(Done::NotYet) };
        let controls = controls_of(tree);
        let ctx = live.input.egui_ctx().clone();
        let scale = ctx.pixels_per_point();
        let control = control_named(&controls, name, scale)?;
        if !control.enabled {
            return Err(format!("the control \"{name}\" is disabled"));
        }
        match reach(&ctx, control, scrolled > 0) {
            Reach::At(at) => {
                let at = [at.x, at.y].map(|n| f64::from(n * scale));
                let button = |down| Step::Button(PointerButton::Primary, down);
                self.driver.script.replace([Step::Move(at), button(true), button(false)]);
                Ok(Done::NotYet)
            }
            Reach::OutOfSight if scrolled < SCROLLS => {
                live.scroll_to(control.id);
                let again = Step::Click(name.to_owned(), scrolled + 1);
                self.driver.script.replace([Step::Frames(2), again]);
                Ok(Done::NotYet)
            }
            Reach::OutOfSight => {
                Err(format!("the control \"{name}\" is out of sight and can't be scrolled to"))
            }
            Reach::Covered => Err(format!("the control \"{name}\" is covered by something else")),
        }
    }
}

/// Returns the node of this name or index. A name wins over a number.
pub(super) fn node_named(model: &Model, name: &str) -> Result<usize, String> {
    let nodes = model.nodes.iter().enumerate();
    let named = nodes.filter(|(_, node)| node.name.as_deref() == Some(name)).map(|(i, _)| i);
    match named.collect::<Vec<_>>()[..] {
        [one] => Ok(one),
        [] => {
            let count = model.nodes.len();
            let index = name.parse().ok().filter(|index| *index < count);
            index.ok_or_else(|| format!("no node \"{name}\" among {count}"))
        }
        [first, second, ..] => {
            Err(format!("several nodes are named \"{name}\"; select by index: {first}, {second}"))
        }
    }
}

/// Allows or forbids that two clicks count as a double click.
fn double_clicks(live: &Live, allowed: bool) {
    let delay = if allowed { 0.3 } else { 0.0 };
    let ctx = live.input.egui_ctx();
    ctx.options_mut(|o| o.input_options.max_double_click_delay = delay);
}

/// Presses and releases a key. winit's key events can't be constructed, so the key enters as egui's events.
fn press(live: &mut Live, key: egui::Key, modifiers: egui::Modifiers) {
    let event =
        |pressed| egui::Event::Key { key, physical_key: None, pressed, repeat: false, modifiers };
    // Only a focused window gets keys, and without a window manager no window is focused.
    let input = live.input.egui_input_mut();
    input.focused = true;
    input.events.extend([egui::Event::ModifiersChanged(modifiers), event(true)]);
    input.events.extend(text_of(key, modifiers).map(egui::Event::Text));
    input.events.extend([event(false), egui::Event::ModifiersChanged(egui::Modifiers::NONE)]);
    live.dirty = true;
}

/// Returns the character that a key types into a text field.
fn text_of(key: egui::Key, modifiers: egui::Modifiers) -> Option<String> {
    let name = key.symbol_or_name();
    let typed = match key {
        egui::Key::Space => " ".to_owned(),
        _ if name.chars().count() > 1 || !name.is_ascii() => return None,
        _ if modifiers.shift => name.to_owned(),
        _ => name.to_lowercase(),
    };
    (!modifiers.command && !modifiers.ctrl && !modifiers.alt).then_some(typed)
}

/// Returns the window's event for a step of the mouse.
fn event_of(step: &Step) -> Option<WindowEvent> {
    let device_id = DeviceId::dummy();
    Some(match step {
        Step::Move([x, y]) => {
            WindowEvent::CursorMoved { device_id, position: PhysicalPosition::new(*x, *y) }
        }
        Step::Button(button, pressed) => WindowEvent::MouseInput {
            device_id,
            state: if *pressed { ElementState::Pressed } else { ElementState::Released },
            button: match button {
                PointerButton::Secondary => MouseButton::Right,
                PointerButton::Middle => MouseButton::Middle,
                _ => MouseButton::Left,
            },
        },
        Step::Alt(held) => {
            let state = if *held { ModifiersState::ALT } else { ModifiersState::empty() };
            WindowEvent::ModifiersChanged(state.into())
        }
        Step::Wheel(lines) => WindowEvent::MouseWheel {
            device_id,
            delta: MouseScrollDelta::LineDelta(0.0, *lines as f32),
            phase: TouchPhase::Moved,
        },
        Step::Drop(path, _) => WindowEvent::DroppedFile(path.clone()),
        _ => return None,
    })
}
