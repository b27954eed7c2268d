//! The panels' input: their style, their fonts, and the window that their events come from.

use std::sync::Arc;

use egui::epaint::text::{FallbackRequest, FontData, FontInsert};
use winit::window::Window;

use super::frame::Painter;
use crate::render::system_font;
use crate::ui::dress;

/// Opens the panels' input from a window. Characters that the panels' own fonts lack are drawn in fonts of the system.
pub(super) fn open_input(window: &Arc<Window>, painter: &Painter) -> egui_winit::State {
    let ctx = egui::Context::default();
    dress(&ctx);
    ctx.add_font_provider(Arc::new(|request: &FallbackRequest<'_>| {
        let font = system_font(request.cluster.chars().next()?)?;
        let data = FontData::from_blob(Arc::clone(&font.bytes) as _, font.index);
        Some(FontInsert::new(&font.name, data, Vec::new()))
    }));
    let limit = painter.gpu.device.limits().max_texture_dimension_2d as usize;
    let scale = window.scale_factor() as f32;
    egui_winit::State::new(
        ctx,
        egui::ViewportId::ROOT,
        window,
        Some(scale),
        window.theme(),
        Some(limit),
    )
}
