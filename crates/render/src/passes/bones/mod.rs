//! Joints, bones and other lines of the overlay. Bones with depth, solids or lines that the mesh hides, are drawn on
//! textures of their own, which are resolved onto the overlay.

mod joints;
mod pipelines;
mod solids;

use bytemuck::{Pod, Zeroable};
use glam::{DVec3, Vec3};

use self::joints::{AXES, Marks, OverlayLine, ShownBones, is_joint};
use self::pipelines::{LINE_BYTES, SolidLayer, SolidPipelines, line_pipeline};
use self::solids::{SolidList, has_solids};
use super::depth_pipelines::DepthUse;
use super::pass::{Drawing, FramePass, Setup};
use crate::scene::bind_layouts::BindLayouts;
use crate::scene::frame_recorder::{FrameRecorder, SplitPass, Start};
use crate::scene::plan::Plan;
use crate::{Frame, Gpu};
use rigview_look::{Look, Stroke};

/// The joints, bones and lines of a frame.
#[derive(Default)]
pub struct Bones {
    /// Lines and discs; those of overlays other than bones come first.
    lines: Vec<Line>,
    /// Number of those that come first.
    plain: usize,
    /// Holds the lines; `None` before the first.
    buffer: Option<wgpu::Buffer>,
    /// The textures of bones with depth; `None` if none are drawn.
    layer: Option<SolidLayer>,
    line_pipeline: Option<wgpu::RenderPipeline>,
    solid_pipelines: Option<SolidPipelines>,
}

/// A line as the GPU reads it; see `shaders/skeleton.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct Line {
    head: [f32; 3],
    tail: [f32; 3],
    color: [u8; 4],
    size: f32,
}

const _: () = assert!(size_of::<Line>() as u64 == LINE_BYTES);

impl From<OverlayLine> for Line {
    fn from(OverlayLine { head, tail, color, size }: OverlayLine) -> Self {
        Self { head: head.to_array(), tail: tail.to_array(), color, size }
    }
}

impl Bones {
    /// Whether anything is drawn on the overlay.
    pub fn are_shown(&self) -> bool {
        !self.lines.is_empty() || self.has_depth()
    }

    /// Whether bones with depth are drawn, which fills the overlay.
    pub fn has_depth(&self) -> bool {
        self.layer.is_some()
    }

    /// Draws some of the lines with a pipeline. Group 0 must be bound.
    fn draw_lines(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        pipeline: &wgpu::RenderPipeline,
        lines: std::ops::Range<usize>,
    ) {
        if let Some(buffer) = self.buffer.as_ref().filter(|_| !lines.is_empty()) {
            pass.set_pipeline(pipeline);
            pass.set_vertex_buffer(0, buffer.slice(lines.start as u64 * LINE_BYTES..));
            pass.draw(0..4, 0..lines.len() as u32);
        }
    }

    /// Uploads the lines, in a larger buffer if they do not fit.
    fn upload_lines(&mut self, gpu: &Gpu) {
        let bytes: &[u8] = bytemuck::cast_slice(&self.lines);
        if bytes.is_empty() {
            return;
        }
        self.buffer.take_if(|buffer| buffer.size() < bytes.len() as u64);
        let buffer = self.buffer.get_or_insert_with(|| {
            let size = self.lines.len().next_power_of_two() as u64 * LINE_BYTES;
            let usage = wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST;
            gpu.buffer("overlay lines", size, usage)
        });
        gpu.queue.write_buffer(buffer, 0, bytes);
    }
}

impl FramePass for Bones {
    type Needs<'a> = ();

    fn prepare(&mut self, setup: &mut Setup<'_, '_>, (): ()) {
        let shared = &setup.shared;
        let (gpu, frame, plan) = (shared.gpu, &shared.frame, &shared.scene.plan);
        let shown = shown_bones(plan, frame.look);
        let Self { lines, layer, .. } = self;
        lines.clear();
        if frame.look.takes_overlays() {
            put_lines(frame, |line| lines.push(line.into()));
        }
        self.plain = lines.len();
        let mut solids = SolidList::default();
        let some = shown.all || shown.selected.is_some();
        for stage in frame.scene().stages().filter(|_| some) {
            if has_solids(shown.style) {
                solids.add(plan, stage, shown);
            } else {
                Marks::new(plan).draw(plan, stage, shown, |line| lines.push(line.into()));
            }
        }
        let size = shared.target.size();
        let has_depth = have_depth(plan, shown);
        layer.take_if(|layer| !has_depth || !layer.fits(size, &solids));
        if has_depth {
            let room = solids.octahedra.len() + solids.balls.len();
            let layer = layer.get_or_insert_with(|| SolidLayer::new(gpu, size, room));
            layer.write(gpu, &solids);
            layer.hidden = !shown.style.in_front;
            if layer.hidden {
                setup.pipelines.depths.request(DepthUse::Depth, shared);
            }
        }
        self.upload_lines(gpu);
    }

    fn free(&mut self) {
        self.layer = None;
    }

    fn build(&mut self, gpu: &Gpu, layouts: &BindLayouts) {
        if !self.lines.is_empty() {
            self.line_pipeline.get_or_insert_with(|| line_pipeline(gpu, layouts, None));
        }
        if self.layer.is_some() {
            self.solid_pipelines.get_or_insert_with(|| SolidPipelines::new(gpu, layouts));
        }
    }

    /// Draws bones with depth on the overlay, which is cleared.
    fn record(&self, record: &mut FrameRecorder<'_>, drawing: &Drawing<'_>) {
        let drawn = self.layer.as_ref().zip(self.solid_pipelines.as_ref());
        let Some(((layer, solids), overlay)) = drawn.zip(drawing.overlay) else { return };
        if layer.hidden {
            let begin =
                |record: &mut FrameRecorder<'_>, start: Start| layer.begin_depth(record, start);
            let mut meshes = SplitPass::new(record, &begin);
            meshes.set_bind_group(0, drawing.camera, &[]);
            drawing.pipelines.depths.draw(&mut meshes, DepthUse::Depth, &drawing.shared);
        }
        let mut pass = layer.begin(record, overlay);
        pass.set_bind_group(0, drawing.camera, &[]);
        solids.draw(&mut pass, layer);
        self.draw_lines(&mut pass, &solids.lines, self.plain..self.lines.len());
    }

    /// Draws lines and bones without depth.
    fn draw_on_overlay(&self, pass: &mut wgpu::RenderPass<'_>) {
        let end = if self.has_depth() { self.plain } else { self.lines.len() };
        if let Some(pipeline) = &self.line_pipeline {
            self.draw_lines(pass, pipeline, 0..end);
        }
    }
}

/// Returns the bones that a look shows: all on request, and where there is nothing else to show.
fn shown_bones(plan: &Plan, look: &Look) -> ShownBones {
    let alone = plan.draws.is_empty() && !plan.bones.is_empty();
    let all = (look.skeleton || alone) && look.takes_overlays();
    let selected = look.highlight.node.filter(|_| look.takes_overlays());
    ShownBones { all, selected, style: look.bones }
}

/// Whether bones are drawn with depth: as solids, or hidden by the mesh.
fn have_depth(plan: &Plan, ShownBones { all, selected, style }: ShownBones) -> bool {
    let some = all || selected.is_some_and(|node| is_joint(plan, node));
    some && (has_solids(style) || !style.in_front)
}

/// Calls `draw` per overlay line: the scene's axes, a trail, strokes, then the marked vertex as a disc.
fn put_lines(frame: &Frame<'_>, mut draw: impl FnMut(OverlayLine)) {
    const PATH: [u8; 4] = [0xff, 0x9d, 0x2e, 235];
    const KEY: [u8; 4] = [0xff, 0x9d, 0x2e, 0];
    const VERTEX: [u8; 4] = [0xff, 0x3d, 0xb0, 0];
    if frame.look.axes {
        let origin = (-frame.stage.origin).as_vec3();
        let reach = 0.5 * frame.framed_box().size().max_element();
        for (axis, color) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().zip(AXES) {
            draw(OverlayLine { head: origin, tail: origin + reach * axis, color, size: 1.0 });
        }
    }
    if let Some(trail) = &frame.look.highlight.trail {
        let place = |at: &DVec3| (*at - frame.stage.origin).as_vec3();
        for ends in trail.path.windows(2) {
            let (head, tail) = (place(&ends[0]), place(&ends[1]));
            draw(OverlayLine { head, tail, color: PATH, size: 1.4 });
        }
        for at in trail.keys.iter().map(place) {
            draw(OverlayLine { head: at, tail: at, color: KEY, size: 0.75 });
        }
    }
    for stroke in frame.look.highlight.strokes.iter().take(Stroke::MOST) {
        let [head, tail] = stroke.ends.map(|at| (at - frame.stage.origin).as_vec3());
        let [r, g, b, alpha] = stroke.color;
        let alpha = if head == tail { 0 } else { alpha };
        draw(OverlayLine { head, tail, color: [r, g, b, alpha], size: stroke.width });
    }
    if let Some(vertex) = frame.look.highlight.vertex
        && let Some(at) = frame.stage.vertex_position(frame.model, vertex)
    {
        let at = (at - frame.stage.origin).as_vec3();
        draw(OverlayLine { head: at, tail: at, color: VERTEX, size: 1.0 });
    }
}
