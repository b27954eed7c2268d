//! Turns pressed keys into actions, except for those that a focused widget uses itself.
//!
//! A widget gets Space and the arrows only if Tab or a screen reader focused it, and letters only if it is a text field.
//! So a click on a button does not take the transport's keys away.

use egui::accesskit::Action as Request;
use egui::{Context, Event, FocusDirection, Id, InputState, Key, Modifiers};

use super::keymap::Keymap;
use rigview_session::{Action, DesktopAction, Playback};

/// Maximum number of frames until a text field that was opened has the focus.
const UNTIL_FOCUS: u8 = 4;

/// The focus in the last frame, to see how a widget got it.
#[derive(Debug, Default)]
pub(super) struct Focus {
    before: Option<Id>,
    /// Number of frames in which a change of the focus still counts as made by a key or a screen reader: egui may need
    /// one more frame to find the next widget.
    by_key: u8,
    /// Whether a text field had the focus at the end of the last frame. Escape has already removed it when the
    /// keys are read.
    typed: bool,
    /// Whether the right button is held over the picture, so that some keys fly.
    pub flies: bool,
    /// What was typed for a text field that does not have the focus yet.
    opening: Option<Opening>,
    /// Where the last key moves the focus.
    direction: Option<FocusDirection>,
    /// Whether the focus moves on in the next frame, and where it has moved on in this one.
    moves_on: bool,
    moved_on: Option<FocusDirection>,
}

/// A text field that a key has opened and that does not have the focus yet.
#[derive(Debug)]
struct Opening {
    /// What had the focus before.
    before: Option<Id>,
    /// What was typed since, for the field.
    typed: Vec<Event>,
    frames: u8,
}

impl Opening {
    /// Takes what is typed in a frame, from an event on.
    fn take_events(&mut self, ctx: &Context, from: usize) {
        let mut index = 0;
        ctx.input_mut(|input| {
            input.events.retain(|event| {
                let is_taken = index >= from && is_typed(event);
                index += 1;
                self.typed.extend(Some(event).filter(|_| is_taken).cloned());
                !is_taken
            });
        });
    }
}

impl Focus {
    /// Keeps what is typed back until the text field has the focus that a key has opened. On a slow machine keys come in
    /// the same frame.
    pub(super) fn hold_for_field(&mut self, ctx: &Context) {
        let Some(opening) = &mut self.opening else { return };
        opening.take_events(ctx, 0);
        opening.frames += 1;
        let focused = ctx.text_edit_focused();
        let is_open = focused && ctx.memory(|m| m.focused()) != opening.before;
        if !is_open && opening.frames < UNTIL_FOCUS {
            return ctx.request_repaint();
        }
        // Without a field, there is nothing to type into.
        let typed = self.opening.take().filter(|_| focused).map(|opening| opening.typed);
        ctx.input_mut(|input| drop(input.events.splice(0..0, typed.unwrap_or_default())));
    }

    /// Moves the focus on from a widget that has no name, before any is shown.
    pub(super) fn move_on(&mut self, ctx: &Context) {
        self.direction = ctx.input(direction).or(self.direction);
        let moves_on = std::mem::take(&mut self.moves_on);
        self.moved_on = self.direction.filter(|_| moves_on);
        if let Some(direction) = self.moved_on {
            ctx.memory_mut(|m| m.move_focus(direction));
        }
    }

    /// Removes the focus from a widget that got it by a click, unless it is a text field. From a widget that `is_nameless`,
    /// to which a key moved it, it moves on in the next frame.
    pub(super) fn drop_what_a_click_gave(
        &mut self,
        ctx: &Context,
        is_nameless: impl Fn(Id) -> bool,
    ) {
        let now = ctx.memory(|m| m.focused());
        let arrows = [Key::ArrowLeft, Key::ArrowRight, Key::ArrowUp, Key::ArrowDown];
        let moves = egui::Popup::is_any_open(ctx)
            || ctx.input(|i| i.key_pressed(Key::Tab) || i.key_pressed(Key::Enter))
            // From a widget that Tab has reached, arrows go to the next one in their direction.
            || self.before.is_some() && ctx.input(|i| arrows.iter().any(|key| i.key_pressed(*key)))
            || ctx.input(|i| i.raw.events.iter().any(asks_for_focus));
        self.by_key = if moves { 2 } else { self.by_key.saturating_sub(1) };
        // Other widgets than those that follow get the focus in the next frame.
        let is_pending = self.moved_on.is_some_and(|to| to != FocusDirection::Next);
        self.moves_on = self.by_key > 0 && !is_pending && now.is_some_and(is_nameless);
        if self.moves_on || self.moved_on.is_some() {
            self.by_key = 2;
            ctx.request_repaint();
        }
        if let Some(id) = now.filter(|id| Some(*id) != self.before)
            && self.by_key == 0
            && !ctx.text_edit_focused()
        {
            ctx.memory_mut(|m| m.surrender_focus(id));
        }
        self.before = ctx.memory(|m| m.focused());
        self.typed = ctx.text_edit_focused();
    }
}

/// Returns the key that an event presses, with what is held, and whether it is repeated. The window reports Ctrl+C, Ctrl+X and
/// Ctrl+V as events of the clipboard.
pub(super) fn pressed_chord(event: &Event) -> Option<(Key, Modifiers, bool)> {
    match event {
        Event::Key { key, pressed: true, repeat, modifiers, .. } => {
            Some((*key, *modifiers, *repeat))
        }
        Event::Copy => Some((Key::C, Modifiers::COMMAND, false)),
        Event::Cut => Some((Key::X, Modifiers::COMMAND, false)),
        Event::Paste(_) => Some((Key::V, Modifiers::COMMAND, false)),
        _ => None,
    }
}

/// Returns the actions of the frame's keys.
pub(super) fn key_actions(ctx: &Context, playback: &Playback, focus: &mut Focus) -> Vec<Action> {
    let typing = ctx.text_edit_focused();
    let popup = egui::Popup::is_any_open(ctx);
    let focused = popup || ctx.memory(|m| m.focused()).is_some();
    let events = ctx.input(|i| i.events.clone());
    let keymap = Keymap::get(ctx);
    let mut actions = Vec::new();
    for (index, event) in events.iter().enumerate() {
        let Some((key, modifiers, repeat)) = pressed_chord(event) else { continue };
        let kept = match &key {
            key if focus.flies && super::fly::steers(*key) => true,
            Key::Space | Key::Enter | Key::Home | Key::End => focused,
            Key::PageUp | Key::PageDown => popup || typing,
            Key::ArrowLeft | Key::ArrowRight | Key::ArrowUp | Key::ArrowDown => focused,
            // With Ctrl, a text field takes back, selects or deletes what was typed.
            Key::Z | Key::Y | Key::A | Key::H | Key::K | Key::U | Key::W => typing,
            Key::Escape => popup || focus.typed,
            // A text field copies its own text.
            Key::C | Key::X | Key::V => typing,
            _ => typing && !modifiers.command && !is_function(key),
        };
        if !kept {
            let shortcut = keymap.shortcut_of(key, modifiers, repeat);
            actions.extend(shortcut.map(|shortcut| shortcut.action(playback)));
            if actions.last().is_some_and(opens_field) {
                egui::Popup::close_all(ctx);
                let before = ctx.memory(|m| m.focused());
                let mut opening = Opening { before, typed: Vec::new(), frames: 0 };
                opening.take_events(ctx, index + 1);
                focus.opening = Some(opening);
                ctx.request_repaint();
                break;
            }
        }
    }
    actions
}

/// Returns where the pressed keys move the focus.
fn direction(input: &InputState) -> Option<FocusDirection> {
    let directions = [
        (Key::ArrowLeft, FocusDirection::Left),
        (Key::ArrowRight, FocusDirection::Right),
        (Key::ArrowUp, FocusDirection::Up),
        (Key::ArrowDown, FocusDirection::Down),
    ];
    if input.key_pressed(Key::Tab) {
        return Some(if input.modifiers.shift {
            FocusDirection::Previous
        } else {
            FocusDirection::Next
        });
    }
    directions.into_iter().find(|(key, _)| input.key_pressed(*key)).map(|(_, to)| to)
}

/// Whether an action opens a text field that then gets the focus.
fn opens_field(action: &Action) -> bool {
    matches!(action, Action::Desktop(DesktopAction::FindNode | DesktopAction::TogglePalette))
}

fn is_typed(event: &Event) -> bool {
    matches!(event, Event::Key { .. } | Event::Text(_) | Event::Paste(_) | Event::Ime(_))
}

/// Whether a screen reader asks that a widget gets the focus.
fn asks_for_focus(event: &Event) -> bool {
    matches!(event, Event::AccessKitActionRequest(request) if request.action == Request::Focus)
}

fn is_function(key: Key) -> bool {
    matches!(key, Key::F1 | Key::F5 | Key::F11 | Key::F12)
}
