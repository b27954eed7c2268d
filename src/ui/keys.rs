//! Turns pressed keys into actions, except for those that a focused widget uses itself.
//!
//! A widget gets Space and the arrows only if Tab or a screen reader focused it, and letters only if it is a text field.
//! So a click on a button does not take the transport's keys away.

use egui::accesskit::Action as Request;
use egui::{Context, Event, Id, Key};

use super::keymap::Keymap;
use crate::session::{Action, Playback};

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
}

impl Focus {
    /// Removes the focus from a widget that got it by a click, unless it is a text field.
    pub(super) fn drop_what_a_click_gave(&mut self, ctx: &Context) {
        let now = ctx.memory(|m| m.focused());
        // Inside a popup the arrows move the focus.
        let moves = egui::Popup::is_any_open(ctx)
            || ctx.input(|i| i.key_pressed(Key::Tab) || i.key_pressed(Key::Enter))
            || ctx.input(|i| i.raw.events.iter().any(asks_for_focus));
        self.by_key = if moves { 2 } else { self.by_key.saturating_sub(1) };
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

/// Returns the actions of the frame's keys.
pub(super) fn key_actions(ctx: &Context, playback: &Playback, focus: &Focus) -> Vec<Action> {
    let typing = ctx.text_edit_focused();
    let popup = egui::Popup::is_any_open(ctx);
    let focused = popup || ctx.memory(|m| m.focused()).is_some();
    let events = ctx.input(|i| i.events.clone());
    let keymap = Keymap::get(ctx);
    let mut actions = Vec::new();
    for event in &events {
        // The window reports Ctrl+C as this event. A text field copies its own text.
        if matches!(event, Event::Copy) && !typing {
            actions.push(Action::CopyPicture);
        }
        let Event::Key { key, pressed: true, repeat, modifiers, .. } = event else { continue };
        let kept = match key {
            key if focus.flies && super::fly::steers(*key) => true,
            Key::Space | Key::Enter | Key::Home | Key::End => focused,
            Key::PageUp | Key::PageDown => popup,
            Key::ArrowLeft | Key::ArrowRight | Key::ArrowUp | Key::ArrowDown => focused,
            // A text field takes back what was typed.
            Key::Z | Key::Y => typing,
            Key::Escape => popup || focus.typed,
            _ => typing && !modifiers.command && !is_function(*key),
        };
        if !kept {
            let shortcut = keymap.shortcut_of(*key, *modifiers, *repeat);
            actions.extend(shortcut.map(|shortcut| shortcut.action(playback)));
        }
    }
    actions
}

/// Whether a screen reader asks that a widget gets the focus.
fn asks_for_focus(event: &Event) -> bool {
    matches!(event, Event::AccessKitActionRequest(request) if request.action == Request::Focus)
}

fn is_function(key: Key) -> bool {
    matches!(key, Key::F1 | Key::F5 | Key::F11 | Key::F12)
}
