//! Sections of a column that can be folded.

use egui::collapsing_header::{CollapsingResponse, CollapsingState};
use egui::{CollapsingHeader, Ui, vec2};

use super::banner::is_used;

/// The room in points that is kept between an unfolded section and the edges of its column.
const MARGIN: f32 = 8.0;

/// Shows a section. One that was just unfolded is scrolled into sight, from its title on if it is higher than the column, and
/// again when it has grown, until something else is done: some contents come a frame later.
pub(super) fn section_ui<R>(
    ui: &mut Ui,
    header: CollapsingHeader,
    contents: impl FnOnce(&mut Ui) -> R,
) -> CollapsingResponse<R> {
    let shown = header.show_unindented(ui, contents);
    let title = &shown.header_response;
    // The height in points that it was scrolled to with.
    let followed = title.id.with("followed");
    let is_open = CollapsingState::load(ui.ctx(), title.id).is_some_and(|state| state.is_open());
    if title.clicked() && is_open {
        ui.data_mut(|data| data.insert_temp(followed, 0.0_f32));
    } else if is_used(ui) {
        ui.data_mut(|data| data.remove::<f32>(followed));
    }
    let Some(before) = ui.data(|data| data.get_temp::<f32>(followed)) else { return shown };
    let body = shown.body_response.as_ref().map(|body| body.rect);
    let mut whole = body.map_or(title.rect, |body| title.rect.union(body));
    let column = ui.clip_rect().y_range();
    whole.max.y = whole.max.y.min(whole.min.y + column.span() - 2.0 * MARGIN).max(title.rect.max.y);
    if whole.height() != before {
        ui.data_mut(|data| data.insert_temp(followed, whole.height()));
        if !column.contains(whole.min.y) || !column.contains(whole.max.y) {
            ui.scroll_to_rect(whole.expand2(vec2(0.0, MARGIN)), None);
        }
    }
    shown
}
