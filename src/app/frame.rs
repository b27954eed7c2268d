//! One frame of the window: the panels, and the model in the room that they leave.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::pair::{Desk, Pair, size_of_one};
use super::panel_fills::take_fills;
use super::picture::write_picture;
use super::screen::{Acquired, Screen};
use super::shot::Shot;
use crate::capture::{Picture, still};
use crate::look::{Backdrop, Highlight, Look, MarkedVertex, Vectors};
use crate::model::DrawnPrimitive;
use crate::render::{Fills, Frame, Gpu, GpuError, PassTime, Pick, PickPlace, Renderer, Target};
use crate::session::{Action, PickedVertex, Question, Session};
use crate::ui::Panels;

/// Distance in points within which points and lines are found.
const PICK_REACH: f32 = 3.0;

/// Everything that draws and that is lost with the device.
pub(super) struct Painter {
    pub gpu: Gpu,
    pub screen: Screen,
    renderer: Renderer,
    pair: Pair,
    panels: egui_wgpu::Renderer,
    fills: Fills,
    /// Time for which the last frame waited for the screen.
    pub waited: Duration,
    /// The size of the model's picture in the window in pixels, and the pixels per point.
    shown: ([u32; 2], f32),
}

impl Drop for Painter {
    fn drop(&mut self) {
        self.gpu.keep_pipelines();
    }
}

/// The result of the panels for a frame.
pub(super) struct Layout {
    /// The person's actions, in order.
    pub actions: Vec<Action>,
    /// The room for the model: left, top, width, height in pixels.
    pub picture: [u32; 4],
    /// The rest of egui's output, with its shapes.
    pub output: egui::FullOutput,
}

/// The panels of a frame, and the room that they leave for the model.
struct Panes {
    /// Left, top, width, height in pixels.
    picture: [u32; 4],
    shapes: Vec<egui::epaint::ClippedShape>,
    pixels_per_point: f32,
}

/// Whether a frame was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drawn {
    Shown,
    Retry,
    Hidden,
}

/// Returns the session's look for the window: overlays are sized in points and drawn over every pass.
fn look_in_window(session: &Session, pixels_per_point: f32) -> Look {
    let overlay_scale = pixels_per_point * session.look().overlay_scale;
    let highlight = highlight(session);
    Look { overlay_scale, overlays_on_data: true, highlight, ..session.look().clone() }
}

fn highlight(session: &Session) -> Highlight {
    let selection = session.selection();
    let marked = |picked: PickedVertex| MarkedVertex {
        drawn: DrawnPrimitive { node: picked.node, primitive: picked.primitive },
        instance: selection.instance(),
        index: picked.vertex,
    };
    Highlight {
        node: selection.node(),
        vertex: selection.vertex().map(marked),
        trail: session.trail().cloned(),
        strokes: Arc::clone(session.strokes()),
        key: Arc::clone(session.key()),
    }
}

/// Runs the panels on a frame's input.
pub(super) fn lay_out(
    ctx: &egui::Context,
    input: egui::RawInput,
    panels: &mut Panels,
    session: &Session,
    size: [u32; 2],
) -> Layout {
    let mut actions = Vec::new();
    let mut rect = egui::Rect::NOTHING;
    // egui may run it twice to settle sizes. Only the first run has input, so no action is repeated.
    let output = ctx.run_ui(input, |ui| {
        let shown = panels.show(ui, session);
        actions.extend(shown.actions);
        rect = shown.picture;
    });
    let picture = in_pixels(rect, output.pixels_per_point, size);
    Layout { actions, picture, output }
}

/// Converts a rectangle in points to whole pixels inside the window.
fn in_pixels(rect: egui::Rect, pixels_per_point: f32, [width, height]: [u32; 2]) -> [u32; 4] {
    let pixel = |points: f32, most: u32| {
        let at = (points * pixels_per_point).round();
        if at > 0.0 { (at as u32).min(most) } else { 0 }
    };
    let (left, right) = (pixel(rect.left(), width), pixel(rect.right(), width));
    let (top, bottom) = (pixel(rect.top(), height), pixel(rect.bottom(), height));
    [left, top, right.saturating_sub(left), bottom.saturating_sub(top)]
}

impl Painter {
    pub fn new(gpu: Gpu, screen: Screen) -> Self {
        let renderer = Renderer::new(&gpu);
        let options = egui_wgpu::RendererOptions { dithering: false, ..Default::default() };
        let panels = egui_wgpu::Renderer::new(&gpu.device, screen.view_format, options);
        let pair = Pair::new(&gpu, screen.view_format);
        let fills = Fills::new(&gpu, screen.view_format);
        Self {
            gpu,
            screen,
            renderer,
            pair,
            panels,
            fills,
            waited: Duration::ZERO,
            shown: ([0; 2], 1.0),
        }
    }

    /// Draws the session and the panels, and presents them. With a path, also writes the frame to a PNG there.
    pub fn draw(
        &mut self,
        shot: Shot<'_>,
        ctx: &egui::Context,
        layout: Layout,
        picture: Option<&Path>,
    ) -> Result<(Drawn, Result<(), String>), GpuError> {
        let Layout { picture: room, mut output, .. } = layout;
        for (id, deltas) in output.textures_delta.set.drain() {
            for delta in &deltas {
                self.panels.update_texture(&self.gpu.device, &self.gpu.queue, id, delta);
            }
        }
        let shapes = std::mem::take(&mut output.shapes);
        let pixels_per_point = output.pixels_per_point;
        let panes = Panes { picture: room, shapes, pixels_per_point };
        let drawn = self.draw_panes(shot, ctx, &panes, picture);
        for id in output.textures_delta.free.drain() {
            self.panels.free_texture(&id);
        }
        drawn
    }

    fn draw_panes(
        &mut self,
        shot: Shot<'_>,
        ctx: &egui::Context,
        panes: &Panes,
        picture: Option<&Path>,
    ) -> Result<(Drawn, Result<(), String>), GpuError> {
        let [_, _, width, height] = panes.picture;
        self.shown = ([width, height], panes.pixels_per_point);
        let before = Instant::now();
        let acquired = self.screen.acquire(&self.gpu)?;
        self.waited = before.elapsed();
        let swapped = match acquired {
            Acquired::Texture(texture) => texture,
            Acquired::Retry => return Ok((Drawn::Retry, Ok(()))),
            Acquired::Hidden => return Ok((Drawn::Hidden, Ok(()))),
        };
        // If the swap chain can't be read, the same frame is also drawn on a texture of the same kind.
        let stand_in =
            (picture.is_some() && !self.screen.readable).then(|| self.screen.stand_in(&self.gpu));
        for texture in stand_in.iter().chain([&swapped.texture]) {
            let view = self.screen.view(texture);
            self.record(shot, ctx, &view, panes);
        }
        let written = picture.map_or(Ok(()), |path| {
            write_picture(&self.gpu, stand_in.as_ref().unwrap_or(&swapped.texture), path)
        });
        let before = Instant::now();
        self.gpu.queue.present(swapped);
        self.waited += before.elapsed();
        Ok((Drawn::Shown, written))
    }

    fn record(
        &mut self,
        shot: Shot<'_>,
        ctx: &egui::Context,
        view: &wgpu::TextureView,
        panes: &Panes,
    ) {
        let Shot { session, gpu_model, .. } = shot;
        let Self { gpu, screen, renderer, pair, panels, fills, .. } = self;
        let (rect, pixels_per_point) = (panes.picture, panes.pixels_per_point);
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let shown = session.exhibit().document().zip(session.exhibit().stage()).zip(gpu_model);
        let mut drawn = false;
        if let Some(((document, stage), gpu_model)) = shown.filter(|_| rect[2] > 0 && rect[3] > 0) {
            let look = look_in_window(session, pixels_per_point);
            let frame = Frame {
                model: &document.model,
                gpu_model,
                stage,
                others: &[],
                ghosts: session.ghosts(),
                view: &session.view(),
                look: &look,
                bounds: session.sight().bounds(),
            };
            let target = Target { view, format: screen.view_format, rect, part: None };
            let desk = Desk { gpu, renderer, encoder: &mut encoder };
            match pair.draw(desk, &frame, shot, &target) {
                Ok(()) => drawn = true,
                Err(error) => log::debug!("{error}"),
            }
        }
        let mut shapes = panes.shapes.clone();
        let size = egui_wgpu::ScreenDescriptor { size_in_pixels: screen.size(), pixels_per_point };
        let behind_panels = take_fills(&mut shapes, &size);
        let jobs = ctx.tessellate(shapes, pixels_per_point);
        panels.update_buffers(&gpu.device, &gpu.queue, &mut encoder, &jobs, &size);
        let [r, g, b, _] = session.look().background.map(|byte| f64::from(byte) / 255.0);
        let load = match drawn {
            true => wgpu::LoadOp::Load,
            false => wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a: 1.0 }),
        };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("panels"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
            })],
            ..Default::default()
        });
        fills.draw(&mut pass, &behind_panels);
        panels.render(&mut pass.forget_lifetime(), &jobs, &size);
        gpu.queue.submit([encoder.finish()]);
    }

    /// Begins to find what the last frame shows at a place. Returns the pick with the size of the picture; `None` if
    /// there is no picture or the place is outside of it.
    pub fn pick(&mut self, shot: Shot<'_>, question: &Question) -> Option<(Pick, [u32; 2])> {
        let Shot { session, gpu_model, .. } = shot;
        let (size, pixels_per_point) = self.shown;
        let size = size_of_one(session.compared(), size);
        let (document, stage) = (session.exhibit().document()?, session.exhibit().stage()?);
        let look = look_in_window(session, pixels_per_point);
        let frame = Frame {
            model: &document.model,
            gpu_model: gpu_model?,
            stage,
            others: &[],
            ghosts: session.ghosts(),
            view: &session.view(),
            look: &look,
            bounds: session.sight().bounds(),
        };
        let pixel = PickPlace::pixel_at(question.at, size)?;
        let reach = (PICK_REACH * pixels_per_point).round() as u32;
        let place = PickPlace { pixel, size, reach };
        match self.renderer.pick(&self.gpu, &frame, place) {
            Ok(pick) => Some((pick, size)),
            Err(error) => {
                log::debug!("{error}");
                None
            }
        }
    }

    /// The size of the model's picture in the window in pixels, and the pixels per point.
    pub fn shown(&self) -> ([u32; 2], f32) {
        self.shown
    }

    /// Returns the GPU's time per pass of the latest finished frame, while timing is enabled.
    pub fn pass_times(&mut self, asked: bool) -> &[PassTime] {
        self.renderer.time_passes(&self.gpu, asked);
        self.renderer.pass_times(&self.gpu)
    }

    /// Draws the model's picture as the window shows it, without the panels. A bare picture has no background and no
    /// overlays either.
    pub fn still(&mut self, shot: Shot<'_>, bare: bool) -> Result<Picture, GpuError> {
        let Shot { session, gpu_model, .. } = shot;
        let (size, pixels_per_point) = self.shown;
        let shown = session.exhibit().document().zip(session.exhibit().stage()).zip(gpu_model);
        let Some(((document, stage), gpu_model)) = shown.filter(|_| !size.contains(&0)) else {
            return Err(GpuError::NothingToDraw("no model is open"));
        };
        let mut look = look_in_window(session, pixels_per_point);
        let Highlight { strokes, key, .. } = std::mem::take(&mut look.highlight);
        look.overlays_on_data = false;
        if !bare {
            (look.highlight.strokes, look.highlight.key) = (strokes, key);
        }
        if bare {
            look.background = [0; 4];
            look.lighting.backdrop = Backdrop::None;
            (look.skeleton, look.joint_names) = (false, false);
            (look.grid, look.axes) = (false, false);
            (look.floor, look.legend) = (false, false);
            look.aids.vectors = Vectors::default();
        }
        let (model, view) = (&*document.model, &session.view());
        let bounds = session.sight().bounds();
        let ghosts = if bare { &[][..] } else { session.ghosts() };
        let frame =
            Frame { model, gpu_model, stage, others: &[], ghosts, view, look: &look, bounds };
        if session.compared().is_shown() && !bare {
            return Pair::still(&self.gpu, &mut self.renderer, &frame, shot, size);
        }
        still(&self.gpu, &mut self.renderer, &frame, size)
    }

    /// Frees the renderer's resources of the model that was drawn last.
    pub fn let_go(&mut self) {
        self.renderer.let_go();
    }
}

/// Returns the time until egui wants another frame.
pub(super) fn repaint_delay(output: &egui::FullOutput) -> Duration {
    let root = output.viewport_output.get(&egui::ViewportId::ROOT);
    root.map_or(Duration::MAX, |v| v.repaint_delay)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rectangle_in_points_stays_inside_the_window() {
        let rect = egui::Rect::from_min_max(egui::pos2(100.3, -5.0), egui::pos2(900.0, 400.2));
        assert_eq!(in_pixels(rect, 1.5, [1200, 600]), [150, 0, 1050, 600]);
        assert_eq!(in_pixels(egui::Rect::NOTHING, 1.0, [64, 64]), [64, 64, 0, 0]);
    }
}
