//! Draws a frame: the model in the room that the panels leave, and the panels over it.

use std::sync::Arc;
use std::time::Duration;

use egui::epaint::text::{FallbackRequest, FontData, FontInsert};

use super::last_picture::{LastPicture, PictureInputs, PicturePipelines};
use super::pace::Quality;
use super::pair::{Encoding, Pair, Second, size_of_one};
use super::panel_fills::take_fills;
use super::resident::FrameModels;
use rigview_capture::{Picture, begin_still, shifted_views};
use rigview_look::{Highlight, Look, Vectors};
use rigview_model::Touched;
use rigview_render::{
    Fills, Frame, Gpu, GpuError, PassTime, PickPlace, ReadBack, Renderer, Target, system_font,
};
use rigview_session::{Action, CompareMode, PickRequest, Session};
use rigview_ui::{Panels, set_style};

/// Distance in points within which points and lines are found.
const PICK_REACH: f32 = 3.0;

/// Everything that draws and that is lost with the device.
pub(super) struct Painter {
    pub gpu: Gpu,
    renderer: Renderer,
    pair: Pair,
    panels: egui_wgpu::Renderer,
    fills: Fills,
    panes: Panes,
    /// `None` if the last picture was drawn on the target itself.
    last_picture: Option<LastPicture>,
    picture_pipelines: PicturePipelines,
    /// Whether the GPU's time per pass is wanted, so that every frame is drawn.
    is_timed: bool,
}

impl Drop for Painter {
    fn drop(&mut self) {
        self.gpu.keep_pipelines();
    }
}

/// The distance in points that joint names keep from cards.
const CARD_MARGIN: f32 = 3.0;

/// The result of the panels for a frame.
pub(super) struct PanelOutput {
    /// The person's actions, in order.
    pub actions: Vec<Action>,
    /// The room for the model: left, top, width, height in pixels.
    pub picture: [u32; 4],
    /// The parts of that room that cards cover, as [`Highlight::covered`].
    pub covered: Arc<[[f32; 4]]>,
    /// The rest of egui's output, with its shapes.
    pub output: egui::FullOutput,
}

/// The panels of a frame, and the room that they leave for the model.
struct Panes {
    /// Left, top, width, height in pixels.
    picture: [u32; 4],
    covered: Arc<[[f32; 4]]>,
    shapes: Vec<egui::epaint::ClippedShape>,
    pixels_per_point: f32,
    /// How the model is drawn.
    quality: Quality,
    /// Textures of the panels that this frame is the last one to use.
    unused: Vec<egui::TextureId>,
}

/// Whether a frame has the model's picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DrawnModel {
    Not,
    /// The picture of an earlier frame.
    Again,
    Now,
}

/// Returns a context for the panels in their style. Characters that their own fonts lack are drawn in fonts of the
/// system.
pub(super) fn open_context() -> egui::Context {
    let ctx = egui::Context::default();
    set_style(&ctx);
    ctx.add_font_provider(Arc::new(|request: &FallbackRequest<'_>| {
        let font = system_font(request.cluster.chars().next()?)?;
        let data = FontData::from_blob(Arc::clone(&font.bytes) as _, font.index);
        Some(FontInsert::new(&font.name, data, Vec::new()))
    }));
    ctx
}

/// Returns the session's look for the window: overlays are sized in points and drawn over every pass.
fn look_in_window(session: &Session, panes: &Panes) -> Look {
    let overlay_scale = panes.pixels_per_point * session.look().overlay_scale;
    let highlight = Highlight { covered: Arc::clone(&panes.covered), ..highlight(session) };
    Look { overlay_scale, overlays_on_data: true, highlight, ..session.look().clone() }
}

/// Returns the look of a drawing of some quality. With fewer pixels, overlays keep their size in the picture.
fn look_of_quality(mut look: Look, quality: Quality) -> Look {
    let share = quality.share();
    look.in_motion = matches!(quality, Quality::Hurried(_));
    look.overlay_scale *= share;
    let covered = look.highlight.covered.iter().map(|card| card.map(|edge| edge * share));
    look.highlight.covered = covered.collect();
    look
}

fn highlight(session: &Session) -> Highlight {
    let selection = session.selection();
    Highlight { node: selection.node(), vertex: selection.vertex(), ..session.highlight() }
}

/// Runs the panels on a frame's input.
pub(super) fn lay_out(
    ctx: &egui::Context,
    input: egui::RawInput,
    panels: &mut Panels,
    session: &Session,
    size: [u32; 2],
) -> PanelOutput {
    let mut actions = Vec::new();
    let (mut rect, mut cards) = (egui::Rect::NOTHING, Vec::new());
    // egui may run it twice to settle sizes. Only the first run has input, so no action is repeated.
    let output = ctx.run_ui(input, |ui| {
        let shown = panels.show(ui, session);
        actions.extend(shown.actions);
        (rect, cards) = (shown.picture, shown.cards);
    });
    let picture = in_pixels(rect, output.pixels_per_point, size);
    let covered = |card: egui::Rect| {
        let card =
            card.expand(CARD_MARGIN).translate(-rect.min.to_vec2()) * output.pixels_per_point;
        [card.left(), card.top(), card.right(), card.bottom()]
    };
    let covered = cards.into_iter().map(covered).collect();
    PanelOutput { actions, picture, covered, output }
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
    /// Returns a painter on targets of a format.
    pub fn new(gpu: Gpu, format: wgpu::TextureFormat) -> Self {
        let options = egui_wgpu::RendererOptions { dithering: false, ..Default::default() };
        Self {
            renderer: Renderer::new(&gpu),
            pair: Pair::new(&gpu, format),
            panels: egui_wgpu::Renderer::new(&gpu.device, format, options),
            fills: Fills::new(&gpu, format),
            panes: Panes {
                picture: [0; 4],
                covered: [].into(),
                shapes: Vec::new(),
                pixels_per_point: 1.0,
                quality: Quality::default(),
                unused: Vec::new(),
            },
            last_picture: None,
            picture_pipelines: PicturePipelines::new(format),
            is_timed: false,
            gpu,
        }
    }

    /// Takes the panels of a frame in place of those of the last one, and how the model is drawn.
    pub fn take_layout(&mut self, layout: PanelOutput, quality: Quality) {
        let PanelOutput { picture, covered, mut output, .. } = layout;
        for id in self.panes.unused.drain(..) {
            self.panels.free_texture(&id);
        }
        for (id, deltas) in output.textures_delta.set.drain() {
            for delta in &deltas {
                self.panels.update_texture(&self.gpu.device, &self.gpu.queue, id, delta);
            }
        }
        let pixels_per_point = output.pixels_per_point;
        let unused = output.textures_delta.free.drain().collect();
        let shapes = output.shapes;
        self.panes = Panes { picture, covered, shapes, pixels_per_point, quality, unused };
    }

    /// Draws the model and the panels on a target. Returns whether the model was drawn: its last picture serves again if
    /// nothing in it has changed.
    pub fn draw(
        &mut self,
        models: FrameModels<'_>,
        ctx: &egui::Context,
        target: &Target<'_>,
    ) -> bool {
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        let rect = self.panes.picture;
        let picture = if rect[2] > 0 && rect[3] > 0 {
            self.draw_model(models, &mut encoder, &Target { rect, ..*target })
        } else {
            DrawnModel::Not
        };
        let Self { gpu, panels, fills, panes, .. } = self;
        let pixels_per_point = panes.pixels_per_point;
        let mut shapes = panes.shapes.clone();
        let size = egui_wgpu::ScreenDescriptor { size_in_pixels: target.size(), pixels_per_point };
        let behind_panels = take_fills(&mut shapes, &size);
        let jobs = ctx.tessellate(shapes, pixels_per_point);
        panels.update_buffers(&gpu.device, &gpu.queue, &mut encoder, &jobs, &size);
        let [r, g, b, _] = models.session.look().background.map(|byte| f64::from(byte) / 255.0);
        let load = match picture {
            DrawnModel::Not => wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a: 1.0 }),
            DrawnModel::Again | DrawnModel::Now => wgpu::LoadOp::Load,
        };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("panels"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: target.view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
            })],
            ..Default::default()
        });
        fills.draw(&mut pass, &behind_panels);
        panels.render(&mut pass.forget_lifetime(), &jobs, &size);
        gpu.queue.submit([encoder.finish()]);
        picture == DrawnModel::Now
    }

    /// Draws the model's picture on a target: the last one if it shows the same.
    fn draw_model(
        &mut self,
        models: FrameModels<'_>,
        encoder: &mut wgpu::CommandEncoder,
        target: &Target<'_>,
    ) -> DrawnModel {
        let Self { gpu, renderer, pair, panes, last_picture, picture_pipelines, is_timed, .. } =
            self;
        let FrameModels { session, gpu_model, .. } = models;
        let (view, look) = (session.view(), look_in_window(session, panes));
        let Some((frame, model)) = models.frame(&view, &look).zip(gpu_model) else {
            return DrawnModel::Not;
        };
        let (quality, size) = (panes.quality, target.size());
        let compared = session.compared();
        let second = Second::beside(models, &frame);
        let second = second.as_ref().and_then(|second| second.frame(models, &frame));
        // The colours of heat come from a thread, and are not compared.
        let is_heat = compared.is_shown() && compared.mode() == CompareMode::Heat;
        let inputs = (!session.is_moving() && !is_heat).then(|| {
            PictureInputs::new([(frame, model)].into_iter().chain(second), compared, size)
        });
        let last = last_picture.as_ref().zip(inputs.as_ref()).filter(|_| !*is_timed);
        if let Some((last, _)) = last.filter(|(last, inputs)| last.shows(inputs, quality)) {
            last.show(gpu, picture_pipelines, encoder, target);
            return DrawnModel::Again;
        }
        let look = look_of_quality(look.clone(), quality);
        let frame = Frame { look: &look, ..frame };
        let mut draw = |encoder: &mut _, frame: &_, target: &Target<'_>| {
            let encoding = Encoding { gpu, renderer, encoder };
            let result = pair.draw(encoding, frame, models, target);
            result.map_err(|error| log::debug!("{error}")).is_ok()
        };
        let mut is_drawn = true;
        if quality == Quality::Full && session.is_moving() {
            *last_picture = None;
            is_drawn = draw(encoder, &frame, target);
        } else {
            let former = last_picture.take();
            let last_picture =
                last_picture.insert(LastPicture::on(gpu, target.format, size, quality, former));
            let views = match quality {
                Quality::Averaged => shifted_views(&view, size_of_one(compared, size)).to_vec(),
                Quality::Full | Quality::Hurried(_) => vec![view],
            };
            let [width, height] = last_picture.size();
            for (view, on) in views.iter().zip(last_picture.views()) {
                let rect = [0, 0, width, height];
                let target = &Target { view: on, format: target.format, rect, part: None };
                let mut encoder = gpu.device.create_command_encoder(&Default::default());
                is_drawn &= draw(&mut encoder, &Frame { view, ..frame }, target);
                gpu.queue.submit([encoder.finish()]);
            }
            last_picture.set_inputs(inputs.filter(|_| is_drawn));
            last_picture.show(gpu, picture_pipelines, encoder, target);
        }
        if is_drawn { DrawnModel::Now } else { DrawnModel::Not }
    }

    /// Begins to find what the last frame shows at a place. `None` if there is no picture or the place is outside of it.
    pub fn pick(
        &mut self,
        models: FrameModels<'_>,
        question: &PickRequest,
    ) -> Option<ReadBack<Option<Touched>>> {
        let session = models.session;
        let (size, pixels_per_point) = self.shown();
        let size = size_of_one(session.compared(), size);
        let (view, look) = (session.view(), look_in_window(session, &self.panes));
        let frame = models.frame(&view, &look)?;
        let pixel = PickPlace::pixel_at(question.at, size)?;
        let reach = (PICK_REACH * pixels_per_point).round() as u32;
        let place = PickPlace { pixel, size, reach };
        match self.renderer.pick(&self.gpu, &frame, place) {
            Ok(pick) => Some(pick),
            Err(error) => {
                log::debug!("{error}");
                None
            }
        }
    }

    /// The size of the model's picture in the window in pixels, and the pixels per point.
    pub fn shown(&self) -> ([u32; 2], f32) {
        let [_, _, width, height] = self.panes.picture;
        ([width, height], self.panes.pixels_per_point)
    }

    /// Returns the GPU's time per pass of the latest finished frame, while timing is enabled.
    pub fn pass_times(&mut self, asked: bool) -> &[PassTime] {
        self.is_timed = asked;
        self.renderer.time_passes(&self.gpu, asked);
        self.renderer.pass_times(&self.gpu)
    }

    /// Begins to draw the model's picture as the window shows it, without the panels. A bare picture has no background and
    /// no overlays either.
    pub fn begin_still(
        &mut self,
        models: FrameModels<'_>,
        bare: bool,
    ) -> Result<ReadBack<Picture>, GpuError> {
        let session = models.session;
        let (size, _) = self.shown();
        let mut look = look_in_window(session, &self.panes);
        look.overlays_on_data = false;
        // The selection is not part of a picture, but its path is.
        look.highlight = if bare { Highlight::default() } else { session.highlight() };
        if bare {
            look = look.without_surroundings();
            (look.skeleton, look.joint_names, look.legend) = (false, false, false);
            look.aids.vectors = Vectors::default();
        }
        let view = session.view();
        let Some(mut frame) = models.frame(&view, &look).filter(|_| !size.contains(&0)) else {
            return Err(GpuError::NothingToDraw("no model is open"));
        };
        if bare {
            frame.ghosts = &[];
        } else if session.compared().is_shown() {
            return Pair::begin_still(&self.gpu, &mut self.renderer, &frame, models, size);
        }
        begin_still(&self.gpu, &mut self.renderer, &frame, size)
    }

    /// Frees the renderer's resources of the model that was drawn last.
    pub fn free_model(&mut self) {
        self.renderer.free_model();
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
