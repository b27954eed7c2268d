//! Runs a script's steps: they become the input that a window would pass on.

use std::path::Path;
use std::time::Duration;

use egui::accesskit::{Action as AccessAction, ActionRequest, NodeId, TreeId, TreeUpdate};
use egui::{Event, PointerButton};
use glam::{Quat, Vec3};

use super::controls::{Reach, control_named, controls_of, reach};
use super::script::{PoseStep, Step};
use super::script_state::{ShownFrames, state_of};
use super::state::{Request, Shell};
use rigview_capture::write_whole;
use rigview_model::Model;
use rigview_session::{
    DesktopAction, HandValue, Item, PlaybackAction, PoseAction, SelectionAction,
};

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

impl Shell {
    /// Appends a line to the script.
    pub fn add_line(&mut self, line: &str) -> Result<(), String> {
        self.driver.script.add(Ok(Some(line.to_owned())))
    }

    /// Whether all steps so far are done, and the pictures that they asked for are there.
    pub fn is_driven(&self) -> bool {
        self.driver.script.current().is_none() && self.reads.is_empty()
    }

    /// Whether the script's current step waits for jobs: until nothing is read, compared, checked or recorded any more,
    /// or until the colours of the shown instant are there.
    pub fn waits_for_jobs(&self) -> bool {
        let loads = self.driver.script.current() == Some(&Step::Loaded) && self.session.is_busy();
        loads || (!self.frames.dirty && self.awaits_heat())
    }

    /// Runs the steps that are due. Returns when to call it again, if a step waits.
    pub(super) fn drive(&mut self, now: Duration) -> Result<Option<Duration>, String> {
        while let Some(step) = self.driver.script.current().cloned() {
            let waited = self.driver.script.waited(now)?;
            let due = self.is_settled() && self.driver.script.after <= self.frames.shown;
            let hidden = self.painter.is_some() && !self.is_visible();
            if !(due || self.driver.script.begun.is_some() || hidden) {
                return Ok(Some(now + LOOK_AGAIN));
            }
            let done = self.run_step(&step, waited);
            match done.map_err(|what| self.driver.script.blame(&what))? {
                Done::Yes => {
                    self.driver.script.begun = None;
                    self.driver.script.advance();
                }
                Done::NotYet => return Ok(Some(now + LOOK_AGAIN)),
            }
        }
        Ok(None)
    }

    fn run_step(&mut self, step: &Step, waited: Duration) -> Result<Done, String> {
        match step {
            Step::Key(key, modifiers) => self.press(*key, *modifiers),
            Step::Selected => {
                return Ok(if self.picks.selects() { Done::NotYet } else { Done::Yes });
            }
            Step::Pose(pose) => self.pose_step(pose)?,
            Step::LoadPose(path) => self.load_pose(path),
            Step::SavePose(path) => return self.save_pose(path).map(|()| Done::Yes),
            Step::Select(node) => self.select(node.as_deref())?,
            Step::Move(at) => {
                // Clicks of two steps are two clicks, however fast the machine is.
                self.allow_double_clicks(false);
                self.point(*at);
            }
            Step::Button(button, pressed) => {
                self.allow_double_clicks(false);
                self.button(*button, *pressed);
            }
            Step::Alt(held) => {
                self.driver.modifiers.alt = *held;
                self.input(Event::ModifiersChanged(self.driver.modifiers));
            }
            Step::Wheel(lines) => self.input(Event::MouseWheel {
                unit: egui::MouseWheelUnit::Line,
                delta: egui::vec2(0.0, *lines as f32),
                phase: egui::TouchPhase::Move,
                modifiers: self.driver.modifiers,
                source: egui::MouseWheelSource::Unknown,
            }),
            Step::Drop(path, destination) => self.open(vec![path.clone()], *destination),
            Step::DoubleClick(at, ctrl) => {
                self.allow_double_clicks(true);
                self.point(*at);
                let modifiers =
                    egui::Modifiers { ctrl: *ctrl, command: *ctrl, ..self.driver.modifiers };
                let held = std::mem::replace(&mut self.driver.modifiers, modifiers);
                for pressed in [true, false, true, false] {
                    self.button(PointerButton::Primary, pressed);
                }
                self.driver.modifiers = held;
            }
            Step::Click(name, scrolled) => return self.click(name, *scrolled),
            Step::Resize(size) => {
                if self.resize_step(*size)? == Done::NotYet {
                    return Ok(Done::NotYet);
                }
            }
            Step::Minimize(on) => {
                self.requests.push(Request::Minimise(*on));
                // Not every system tells it; on X11 it takes a window manager.
                self.hide(*on);
            }
            Step::Seek(time_secs) => self.act(PlaybackAction::Seek(*time_secs)),
            Step::Frames(frames) => {
                let until = *self.driver.script.begun.get_or_insert(self.frames.shown + frames);
                if self.frames.shown < until {
                    self.frames.dirty = true;
                    return Ok(Done::NotYet);
                }
                return Ok(Done::Yes);
            }
            Step::Loaded => {
                if self.session.is_busy() {
                    return Ok(Done::NotYet);
                }
                self.frames.dirty = true;
            }
            Step::Picture(path) => return self.picture_step(path),
            Step::State(path) => {
                let state = self.state();
                return self.write_answer(path, &state).map(|()| Done::Yes);
            }
            Step::Controls(path) => return self.list_controls(path),
            Step::Save(path) => self.act(DesktopAction::SaveSession(path.clone())),
            Step::Record(path) => self.act(DesktopAction::Record(self.named_recording(path))),
            Step::Wait(time) => {
                self.driver.script.begun = Some(0);
                return Ok(if waited < *time { Done::NotYet } else { Done::Yes });
            }
            Step::LoseDevice => {
                self.requests.push(Request::Reopen("the script requests it".into()));
            }
            Step::Close => self.requests.push(Request::Close),
        }
        self.driver.script.after = self.frames.shown + 1;
        Ok(Done::Yes)
    }

    /// Returns the session's state and what was shown.
    fn state(&mut self) -> serde_json::Value {
        let shown = ShownFrames {
            frames: self.frames.shown,
            drawn: self.frames.drawn,
            size: self.size,
            dark: self.ctx.theme() == egui::Theme::Dark,
            cpu_ms: self.panels.timing().cpu_ms(),
        };
        state_of(&self.session, &shown)
    }

    /// Writes an answer to a file, or as one line to the output for answers.
    fn write_answer(&mut self, path: &Path, answer: &serde_json::Value) -> Result<(), String> {
        let written = if path == Path::new("-") {
            writeln!(self.driver.answers, "{answer}").and_then(|()| self.driver.answers.flush())
        } else {
            write_whole(path, |file| writeln!(file, "{answer:#}"))
        };
        written.map_err(|e| format!("{}: {e}", path.display()))
    }

    fn input(&mut self, event: Event) {
        self.driver.events.push(event);
        self.frames.dirty = true;
    }

    /// Presses and releases a key.
    fn press(&mut self, key: egui::Key, modifiers: egui::Modifiers) {
        let event =
            |pressed| Event::Key { key, physical_key: None, pressed, repeat: false, modifiers };
        self.driver.focused = true;
        self.input(Event::ModifiersChanged(modifiers));
        self.input(event(true));
        if let Some(text) = text_of(key, modifiers) {
            self.input(Event::Text(text));
        }
        self.input(event(false));
        self.input(Event::ModifiersChanged(egui::Modifiers::NONE));
    }

    /// Moves the pointer to a place in pixels.
    fn point(&mut self, at: [f64; 2]) {
        let [x, y] = at.map(|pixels| pixels as f32 / self.ctx.pixels_per_point());
        self.driver.pointer = egui::pos2(x, y);
        self.input(Event::PointerMoved(self.driver.pointer));
    }

    fn button(&mut self, button: PointerButton, pressed: bool) {
        let (pos, modifiers) = (self.driver.pointer, self.driver.modifiers);
        self.input(Event::PointerButton { pos, button, pressed, modifiers });
    }

    /// Allows or forbids that two clicks count as a double click.
    fn allow_double_clicks(&self, allowed: bool) {
        self.ctx.options_mut(|options| {
            let input = &mut options.input_options;
            input.max_double_click_delay = if allowed { 0.3 } else { 0.0 };
            // A frame is between press and release, and may take longer than the limit for clicks.
            input.max_click_duration = f64::INFINITY;
        });
    }

    /// Returns the accessibility tree of the last frame. The first call requests a frame that has one and returns
    /// `None`; egui makes no tree until then.
    fn tree(&mut self) -> Option<&TreeUpdate> {
        if self.driver.tree.is_none() {
            self.ctx.enable_accesskit();
            (self.driver.listed, self.frames.dirty) = (true, true);
        }
        self.driver.tree.as_ref()
    }

    /// Scrolls to a control in the next frame.
    fn scroll_to(&mut self, control: NodeId) {
        self.input(Event::AccessKitActionRequest(ActionRequest {
            action: AccessAction::ScrollIntoView,
            target_tree: TreeId::ROOT,
            target_node: control,
            data: None,
        }));
    }

    /// Selects a node by name or index; nothing with `None`.
    fn select(&mut self, node: Option<&str>) -> Result<(), String> {
        let found = match (node, self.session.playback().document()) {
            (None, _) => None,
            (Some(name), None) => return Err(format!("no node \"{name}\": no file is open")),
            (Some(name), Some(document)) => Some(node_named(&document.model, name)?),
        };
        self.act(SelectionAction::Select(found.map(Item::Node)));
        Ok(())
    }

    /// Requests a size of the window, then waits until the window has it.
    fn resize_step(&mut self, size: [u32; 2]) -> Result<Done, String> {
        let limits = self.gpu().map(|gpu| gpu.device.limits());
        let limit = limits.map_or(u32::MAX, |limits| limits.max_texture_dimension_2d);
        if size[0].max(size[1]) > limit {
            return Err(format!("resize: the adapter draws at most {limit}x{limit} pixels"));
        }
        if self.driver.script.begun.is_none() {
            self.driver.script.begun = Some(0);
            self.requests.push(Request::Resize(size));
            return Ok(Done::NotYet);
        }
        if self.size != size {
            return Ok(Done::NotYet);
        }
        self.frames.dirty = true;
        Ok(Done::Yes)
    }

    /// Requests a picture of the next frame, then waits until it is written.
    fn picture_step(&mut self, path: &Path) -> Result<Done, String> {
        if !self.is_visible() {
            return Err("the window is hidden, so there is no picture of it".into());
        }
        match (self.driver.script.begun, self.driver.written.take()) {
            (None, _) => {
                self.driver.script.begun = Some(0);
                self.driver.picture = Some(path.to_owned());
                self.frames.dirty = true;
                Ok(Done::NotYet)
            }
            (Some(_), None) => Ok(Done::NotYet),
            (Some(_), Some(written)) => written.map(|()| Done::Yes),
        }
    }

    /// Writes the controls of the last frame.
    fn list_controls(&mut self, path: &Path) -> Result<Done, String> {
        if !self.is_visible() {
            return Err("the window is hidden, so it has no controls".into());
        }
        let Some(tree) = self.tree() else { return Ok(Done::NotYet) };
        let controls = controls_of(tree);
        let scale = self.ctx.pixels_per_point();
        let list = controls.iter().map(|control| control.to_json(scale)).collect();
        self.write_answer(path, &list).map(|()| Done::Yes)
    }

    /// Replaces the step by a click of the mouse on a control, after scrolling to it.
    fn click(&mut self, name: &str, scrolled: u32) -> Result<Done, String> {
        if !self.is_visible() {
            return Err(format!("no control \"{name}\" can be clicked while the window is hidden"));
        }
        let Some(tree) = self.tree() else { return Ok(Done::NotYet) };
        let controls = controls_of(tree);
        let scale = self.ctx.pixels_per_point();
        let control = control_named(&controls, name, scale)?;
        if !control.enabled {
            return Err(format!("the control \"{name}\" is disabled"));
        }
        match reach(&self.ctx, control, scrolled > 0) {
            Reach::At(at) => {
                let at = [at.x, at.y].map(|n| f64::from(n * scale));
                let button = |down| Step::Button(PointerButton::Primary, down);
                self.driver.script.replace([Step::Move(at), button(true), button(false)]);
                Ok(Done::NotYet)
            }
            Reach::OutOfSight if scrolled < SCROLLS => {
                self.scroll_to(control.id);
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

    /// Sets values of a node by hand, as one step of undo.
    fn pose_step(&mut self, step: &PoseStep) -> Result<(), String> {
        let Some(document) = self.session.playback().document() else {
            return Err(format!("no node \"{}\": no file is open", step.node));
        };
        let model = &document.model;
        let node = node_named(model, &step.node)?;
        let mesh = model.nodes[node].mesh.map(|mesh| &model.meshes[mesh]);
        let names = mesh.map_or(&[][..], |mesh| &mesh.target_names);
        let count = model.rest.weights(node).len();
        let target = |wanted: &String| {
            let named = names.iter().position(|name| name == wanted);
            let index = || wanted.parse().ok().filter(|target| *target < count);
            let none = || format!("no morph target \"{wanted}\" among {count}");
            named.or_else(index).ok_or_else(none)
        };
        let mut values = Vec::new();
        for (wanted, weight) in &step.weights {
            values.push(HandValue::Weight(target(wanted)?, *weight));
        }
        values.extend(step.translation.map(|t| HandValue::Translation(Vec3::from(t))));
        values.extend(step.rotation.map(|r| HandValue::Rotation(Quat::from_array(r))));
        values.extend(step.scale.map(|s| HandValue::Scale(Vec3::from(s))));
        self.act(PoseAction::Begin);
        values.into_iter().for_each(|value| self.act(PoseAction::Set(node, value)));
        self.act(PoseAction::End);
        Ok(())
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

/// Returns the character that a key types into a text field.
fn text_of(key: egui::Key, modifiers: egui::Modifiers) -> Option<String> {
    let name = key.symbol_or_name();
    let typed = match key {
        egui::Key::Space => " ".to_owned(),
        // Its symbol is the sign of mathematics.
        egui::Key::Minus => "-".to_owned(),
        _ if name.chars().count() > 1 || !name.is_ascii() => return None,
        _ if modifiers.shift => name.to_owned(),
        _ => name.to_lowercase(),
    };
    (!modifiers.command && !modifiers.ctrl && !modifiers.alt).then_some(typed)
}
