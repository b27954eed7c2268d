//! Keys to actions, and which keys a focused widget keeps.
//!
//! Space and the arrows go to a widget only when it got the focus by Tab, letters only to a text
//! field: so a click on a button never steals the transport's keys.

use egui::{Context, Event, Id, Key, Modifiers};

use crate::session::{
    Action, ExhibitAction, LoadAction, LookAction, Mark, Session, Side, SightAction,
};

/// Remembers who had the focus, to see how it was got.
#[derive(Debug, Default)]
pub(super) struct Focus {
    before: Option<Id>,
    /// Frames for which a key that moves the focus still counts: egui may take one more to find
    /// where it goes.
    by_key: u8,
    /// Whether a text field had the focus at the end of the last frame: Escape has already taken it away
    /// when the keys are read.
    typed: bool,
}

impl Focus {
    /// Takes the focus back from a widget that got it by a click and is no text field.
    pub(super) fn keep_only_what_tab_gave(&mut self, ctx: &Context) {
        let now = ctx.memory(|m| m.focused());
        // Inside a popup the arrows move the focus.
        let moves = egui::Popup::is_any_open(ctx)
            || ctx.input(|i| i.key_pressed(Key::Tab) || i.key_pressed(Key::Enter));
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

/// What the frame's keys ask for.
pub(super) fn key_actions(ctx: &Context, session: &Session, focus: &Focus) -> Vec<Action> {
    let typing = ctx.text_edit_focused();
    let popup = egui::Popup::is_any_open(ctx);
    let focused = popup || ctx.memory(|m| m.focused()).is_some();
    let events = ctx.input(|i| i.events.clone());
    let mut actions = Vec::new();
    for event in &events {
        // What the window makes of Ctrl+C; a text field has its own use for it.
        if matches!(event, Event::Copy) && !typing {
            actions.push(Action::CopyPicture);
        }
        let Event::Key { key, pressed: true, repeat, modifiers, .. } = event else { continue };
        let kept = match key {
            Key::Space | Key::Enter | Key::Home | Key::End => focused,
            Key::PageUp | Key::PageDown => popup,
            Key::ArrowLeft | Key::ArrowRight | Key::ArrowUp | Key::ArrowDown => focused,
            Key::Escape => popup || focus.typed,
            _ => typing && !modifiers.command && !is_function(*key),
        };
        if !kept {
            actions.extend(action(*key, *modifiers, *repeat, session));
        }
    }
    actions
}

fn is_function(key: Key) -> bool {
    matches!(key, Key::F5 | Key::F11 | Key::F12)
}

/// What one key asks for.
fn action(key: Key, modifiers: Modifiers, repeat: bool, session: &Session) -> Option<Action> {
    let sign = if matches!(key, Key::ArrowLeft | Key::ArrowDown) { -1 } else { 1 };
    // These go on while the key is held, the others happen once.
    match key {
        Key::ArrowLeft | Key::ArrowRight if modifiers.shift => {
            return Some(Action::Exhibit(ExhibitAction::StepKeys(sign)));
        }
        Key::ArrowLeft | Key::ArrowRight => {
            return Some(Action::Exhibit(ExhibitAction::StepFrames(sign)));
        }
        Key::ArrowUp | Key::ArrowDown => {
            return Some(Action::Exhibit(ExhibitAction::StepFrames(10 * sign)));
        }
        _ if repeat => return None,
        // Brackets and the question mark need Shift, Alt or AltGr on many keyboards.
        Key::OpenBracket => return Some(Action::Exhibit(ExhibitAction::PreviousClip)),
        Key::CloseBracket => return Some(Action::Exhibit(ExhibitAction::NextClip)),
        Key::Questionmark => return Some(Action::ToggleHelp),
        Key::O if modifiers.command => return Some(Action::AskForFile),
        Key::C if modifiers.command => return Some(Action::CopyPicture),
        Key::F12 => return Some(Action::SavePicture { bare: modifiers.command }),
        _ if modifiers.command || modifiers.alt => return None,
        _ => {}
    }
    let here = (!modifiers.shift).then(|| session.exhibit().time_secs());
    Some(match key {
        Key::Space => Action::Exhibit(ExhibitAction::TogglePlay),
        Key::Home => Action::Exhibit(ExhibitAction::Seek(0.0)),
        Key::End => Action::Exhibit(ExhibitAction::Seek(session.exhibit().duration_secs())),
        Key::W => Action::Exhibit(ExhibitAction::NextClip),
        Key::F => Action::Sight(SightAction::FrameAll),
        Key::R => Action::Sight(SightAction::ResetCamera),
        Key::Num1 => Action::Sight(SightAction::LookFrom(Side::Front)),
        Key::Num3 => Action::Sight(SightAction::LookFrom(Side::Right)),
        Key::Num7 => Action::Sight(SightAction::LookFrom(Side::Top)),
        Key::Num5 => Action::Sight(SightAction::ToggleOrthographic),
        Key::I => Action::Exhibit(ExhibitAction::SetMark(Mark::In, here)),
        Key::O => Action::Exhibit(ExhibitAction::SetMark(Mark::Out, here)),
        Key::K => Action::Look(LookAction::ToggleSkeleton),
        Key::N => Action::Look(LookAction::ToggleJointNames),
        Key::G => Action::Look(LookAction::ToggleGrid),
        Key::X => Action::Look(LookAction::ToggleAxes),
        Key::B => Action::Look(LookAction::ToggleBounds),
        Key::V => Action::Look(LookAction::NextPass),
        Key::U => Action::TogglePanels,
        Key::H => Action::ToggleHelp,
        Key::F5 => Action::Load(LoadAction::Reload),
        Key::PageUp => Action::Load(LoadAction::StepFiles(-1)),
        Key::PageDown => Action::Load(LoadAction::StepFiles(1)),
        Key::F11 => Action::ToggleFullScreen,
        Key::Escape => Action::Escape,
        _ => return None,
    })
}
