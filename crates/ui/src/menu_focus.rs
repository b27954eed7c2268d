//! The focus after a menu or a list that was opened by a key: what opened it has the focus again, so that Tab goes on from
//! there. Inside, egui moves the focus by the arrow keys.

use egui::{Context, Id, Popup};

/// The menu that is open.
#[derive(Debug, Default)]
pub(super) struct MenuFocus {
    was_open: bool,
    /// What had the focus when a key opened the menu.
    opener: Option<Id>,
}

impl MenuFocus {
    /// Gives the focus back after a frame in which a menu was closed, unless it was by the pointer.
    pub fn follow(&mut self, ctx: &Context) {
        let is_open = Popup::is_any_open(ctx);
        let by_pointer = ctx.input(|i| i.pointer.any_pressed() || i.pointer.any_released());
        let focused = ctx.memory(|m| m.focused()).filter(|_| !by_pointer);
        match (self.was_open, is_open) {
            (false, true) => self.opener = focused,
            (true, false) => {
                let opener = self.opener.take().filter(|_| !by_pointer && !ctx.text_edit_focused());
                if let Some(opener) = opener {
                    ctx.memory_mut(|m| m.request_focus(opener));
                }
            }
            _ => {}
        }
        self.was_open = is_open;
    }
}
