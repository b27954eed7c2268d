//! Drives the window by a script: its steps become the events that the system would send.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use egui::PointerButton;
use winit::dpi::{PhysicalPosition, PhysicalSize};
use winit::event::{
    DeviceId, ElementState, MouseButton, MouseScrollDelta, TouchPhase, WindowEvent,
};
use winit::event_loop::ActiveEventLoop;

use super::live::Live;
use super::script::{Script, Step};
use super::state::state_of;
use super::window::App;
use crate::capture::write_whole;
use crate::session::{Action, ExhibitAction};

/// How often a step that waits for something looks again.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// A script and where the window stands in it.
pub(super) struct Driver {
    script: Script,
    /// Where a state goes that was asked for as `-`.
    answers: Box<dyn Write>,
    /// The frame that must have been shown before the next step.
    after: u64,
    /// The step that is up has been begun and waits for its end.
    begun: Option<u64>,
}

/// What came of a step.
#[derive(Debug, PartialEq)]
enum Done {
    /// The next one may run when its frame has been shown.
    Yes,
    /// Look again later.
    NotYet,
}

impl Driver {
    /// A script without lines yet.
    pub fn new(answers: Box<dyn Write>) -> Self {
        Self { script: Script::default(), answers, after: 1, begun: None }
    }

    /// Writes a state to a file, or as one line where the answers go.
    fn answer(&mut self, path: &Path, state: &serde_json::Value) -> Result<(), String> {
        let written = if path == Path::new("-") {
            writeln!(self.answers, "{state}").and_then(|()| self.answers.flush())
        } else {
            write_whole(path, |file| writeln!(file, "{state:#}"))
        };
        written.map_err(|e| format!("{}: {e}", path.display()))
    }

    /// Takes in a line of the script.
    pub fn hear(&mut self, line: Result<Option<String>, String>) -> Result<(), String> {
        match line {
            Ok(Some(line)) => self.script.add(&line),
            Ok(None) => Ok(()),
            Err(what) => Err(format!("script: {what}")),
        }
    }
}

impl App {
    /// Runs the steps that are due. Says when to look again.
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

    /// Whether another frame would show the same but for the clip's time.
    fn is_settled(&self) -> bool {
        self.live.as_ref().is_some_and(|l| !l.dirty)
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
            Step::Move(_) | Step::Button(..) | Step::Wheel(_) | Step::Drop(..) => {
                live.shift = matches!(step, Step::Drop(_, true));
                // A frame a step may take longer than a person's finger.
                live.input
                    .egui_ctx()
                    .options_mut(|o| o.input_options.max_click_duration = f64::INFINITY);
                if let Some(event) = event_of(step) {
                    self.hear(event_loop, &event);
                    self.take_drops();
                }
                if let Some(live) = &mut self.live {
                    live.shift = false;
                }
            }
            Step::DoubleClick(at) => {
                let click = [true, false].map(|down| Step::Button(PointerButton::Primary, down));
                for step in [&[Step::Move(*at)], &click[..], &click[..]].concat() {
                    if let Some(event) = event_of(&step) {
                        self.hear(event_loop, &event);
                    }
                }
            }
            Step::Resize([width, height]) => {
                let limits = live.painter().map(|painter| painter.gpu.device.limits());
                let limit = limits.map_or(u32::MAX, |limits| limits.max_texture_dimension_2d);
                if *width.max(height) > limit {
                    return Err(format!(
                        "resize: the adapter draws at most {limit}x{limit} pixels"
                    ));
                }
                let size = PhysicalSize::new(*width, *height);
                if self.driver.begun.is_none() {
                    // Where the system answers at once it sends no event.
                    if let Some(now) = live.window.request_inner_size(size) {
                        self.hear(event_loop, &WindowEvent::Resized(now));
                    }
                    self.driver.begun = Some(0);
                    return Ok(Done::NotYet);
                }
                if live.size() != [*width, *height] {
                    return Ok(Done::NotYet);
                }
                live.dirty = true;
            }
            Step::Minimize(on) => {
                live.window.set_minimized(*on);
                // Not every system says so; on X11 it needs a window manager.
                self.hear(event_loop, &WindowEvent::Occluded(*on));
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
                if self.session.loads().is_busy() {
                    return Ok(Done::NotYet);
                }
                live.dirty = true;
            }
            Step::Picture(path) => {
                if !live.is_visible() {
                    return Err("the window shows nothing to take a picture of".into());
                }
                match (self.driver.begun, live.written.take()) {
                    (None, _) => {
                        self.driver.begun = Some(0);
                        live.picture = Some(path.clone());
                        live.dirty = true;
                        return Ok(Done::NotYet);
                    }
                    (Some(_), None) => return Ok(Done::NotYet),
                    (Some(_), Some(written)) => return written.map(|()| Done::Yes),
                }
            }
            Step::State(path) => {
                let state = state_of(&self.session, live.frames, live.size());
                return self.driver.answer(path, &state).map(|()| Done::Yes);
            }
            Step::Wait(time) => {
                self.driver.begun = Some(0);
                return Ok(if waited < *time { Done::NotYet } else { Done::Yes });
            }
            Step::LoseDevice => self.reopen(event_loop, "the script said so"),
            Step::Close => self.hear(event_loop, &WindowEvent::CloseRequested),
        }
        self.driver.after = self.live.as_ref().map_or(0, |l| l.frames) + 1;
        Ok(Done::Yes)
    }
}

/// A key goes down and up again. winit's own key events can't be made, so it joins what becomes
/// of them.
fn press(live: &mut Live, key: egui::Key, modifiers: egui::Modifiers) {
    let event =
        |pressed| egui::Event::Key { key, physical_key: None, pressed, repeat: false, modifiers };
    // Keys come to the window that has the focus; without a window manager nobody gives it.
    let input = live.input.egui_input_mut();
    input.focused = true;
    input.events.extend([
        egui::Event::ModifiersChanged(modifiers),
        event(true),
        event(false),
        egui::Event::ModifiersChanged(egui::Modifiers::NONE),
    ]);
    live.dirty = true;
}

/// The window's event that a step of the mouse stands for.
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
        Step::Wheel(lines) => WindowEvent::MouseWheel {
            device_id,
            delta: MouseScrollDelta::LineDelta(0.0, *lines as f32),
            phase: TouchPhase::Moved,
        },
        Step::Drop(path, _) => WindowEvent::DroppedFile(path.clone()),
        _ => return None,
    })
}
