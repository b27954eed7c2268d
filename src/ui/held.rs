//! Drags of one of several handles of a widget.

use egui::{Pos2, Response, Ui};

/// Returns what the pointer drags and where the pointer is, from the press of the button to its release. `at` returns
/// what is at a place: the place where the button was pressed decides.
pub(super) fn held<T: Copy + Send + Sync + 'static>(
    ui: &Ui,
    response: &Response,
    at: impl Fn(Pos2) -> T,
) -> Option<(T, Pos2)> {
    let Some(now) = response.interact_pointer_pos() else {
        ui.data_mut(|data| data.remove::<T>(response.id));
        return None;
    };
    let pressed = ui.input(|input| input.pointer.press_origin()).unwrap_or(now);
    let held = ui.data_mut(|data| *data.get_temp_mut_or_insert_with(response.id, || at(pressed)));
    Some((held, now))
}
