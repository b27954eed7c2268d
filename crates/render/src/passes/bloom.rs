//! Bloom: light above white is spread around it, in the picture's last pass. Only pictures with lamps need it.

use std::collections::HashMap;

use super::pass::{Drawing, FramePass, Setup};
use super::picture::PictureInput;
use crate::device::pipeline::{Pipeline, Shader};
use crate::scene::bind_layouts::{BindLayouts, bind_sampled, sampler, texture};
use crate::scene::canvas::{Attachment, attachment};
use crate::scene::frame_recorder::{FrameRecorder, color};
use crate::scene::plan::Plan;
use crate::{Frame, Gpu, shader};
use rigview_model::Material;

/// Format of the spread light.
const GLOW_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;

/// Pixels of the picture's shorter side per texel of the widest blur, at least.
const WIDEST: u32 = 16;

/// Share of the wider blur in each level.
const WIDER: f64 = 0.6;

/// The spread light.
#[derive(Default)]
pub struct Bloom {
    /// `None` for pictures without lamps.
    drawn: Option<Drawn>,
    pipelines: Option<Pipelines>,
}

struct Drawn {
    size: [u32; 2],
    /// Where the light comes from.
    picture: PictureInput,
    /// Half the picture's size, then halves of it.
    levels: Vec<Level>,
}

struct Level {
    view: wgpu::TextureView,
    group: wgpu::BindGroup,
}

struct Pipelines {
    /// Draw the light above white, by samples per pixel.
    excess: HashMap<u32, wgpu::RenderPipeline>,
    /// To a smaller level.
    smaller: wgpu::RenderPipeline,
    /// Back to a larger one.
    larger: wgpu::RenderPipeline,
}

impl Bloom {
    /// The spread light, for the last pass; `None` if none is spread.
    pub fn glow(&self) -> Option<&wgpu::BindGroup> {
        self.drawn.as_ref().map(|drawn| &drawn.levels[0].group)
    }
}

impl FramePass for Bloom {
    type Needs<'a> = &'a PictureInput;

    fn prepare(&mut self, setup: &mut Setup<'_, '_>, picture: &PictureInput) {
        let shared = &setup.shared;
        let size = shared.target.size();
        let wanted = shared.target.part.is_none() && has_lamps(&shared.frame, &shared.scene.plan);
        self.drawn.take_if(|drawn| !wanted || drawn.size != size);
        if wanted {
            let make =
                || Drawn { size, picture: picture.clone(), levels: levels(shared.gpu, size) };
            self.drawn.get_or_insert_with(make).picture = picture.clone();
        }
    }

    fn free(&mut self) {
        self.drawn = None;
    }

    fn build(&mut self, gpu: &Gpu, _: &BindLayouts) {
        let Some(Drawn { picture, .. }) = &self.drawn else { return };
        let pipelines = self.pipelines.get_or_insert_with(|| Pipelines::new(gpu));
        let excess = pipelines.excess.entry(picture.samples);
        excess.or_insert_with(|| build_excess(gpu, picture));
    }

    fn record(&self, record: &mut FrameRecorder<'_>, _: &Drawing<'_>) {
        let Some((drawn, pipelines)) = self.drawn.as_ref().zip(self.pipelines.as_ref()) else {
            return;
        };
        let Drawn { picture, levels, .. } = drawn;
        let [first, wider @ ..] = &levels[..] else { return };
        let Some(excess) = pipelines.excess.get(&picture.samples) else { return };
        let black = wgpu::LoadOp::Clear(wgpu::Color::BLACK);
        let mut pass = begin(record, first, black);
        pass.set_pipeline(excess);
        pass.set_bind_group(0, &picture.group, &[]);
        pass.draw(0..3, 0..1);
        drop(pass);
        for (level, source) in wider.iter().zip(levels) {
            let mut pass = begin(record, level, black);
            pass.set_pipeline(&pipelines.smaller);
            pass.set_bind_group(0, &source.group, &[]);
            pass.draw(0..3, 0..1);
        }
        for (level, source) in levels.iter().zip(wider).rev() {
            let mut pass = begin(record, level, wgpu::LoadOp::Load);
            pass.set_pipeline(&pipelines.larger);
            pass.set_blend_constant(wgpu::Color { r: WIDER, g: WIDER, b: WIDER, a: WIDER });
            pass.set_bind_group(0, &source.group, &[]);
            pass.draw(0..3, 0..1);
        }
    }
}

/// Creates the layout that a level is read by: a texture and its sampler.
pub fn glow_layout(gpu: &Gpu) -> wgpu::BindGroupLayout {
    let fragment = wgpu::ShaderStages::FRAGMENT;
    let sampler = sampler(1, wgpu::SamplerBindingType::Filtering);
    gpu.bind_layout("bloom", &[texture(0, fragment, true), sampler])
}

/// Returns what pictures without bloom bind.
pub fn no_glow(gpu: &Gpu) -> wgpu::BindGroup {
    level(gpu, &glow_layout(gpu), [1, 1]).group
}

/// Allocates the levels for pictures of this size.
fn levels(gpu: &Gpu, size: [u32; 2]) -> Vec<Level> {
    let count = (size[0].min(size[1]) / WIDEST).max(1).ilog2().max(1);
    let layout = glow_layout(gpu);
    (0..count).map(|i| level(gpu, &layout, size.map(|edge| edge.div_ceil(2 << i)))).collect()
}

fn level(gpu: &Gpu, layout: &wgpu::BindGroupLayout, size: [u32; 2]) -> Level {
    let sampler = gpu.smooth_sampler("bloom", wgpu::MipmapFilterMode::Nearest);
    let drawn = wgpu::TextureUsages::RENDER_ATTACHMENT;
    let usage = drawn | wgpu::TextureUsages::TEXTURE_BINDING;
    let (label, format) = ("bloom", GLOW_FORMAT);
    let view = attachment(gpu, &Attachment { label, size, format, samples: 1, usage });
    Level { group: bind_sampled(gpu, layout, &view, &sampler), view }
}

impl Pipelines {
    fn new(gpu: &Gpu) -> Self {
        let shader = Shader::new(gpu, "bloom", shader::tent(), &[Some(&glow_layout(gpu))]);
        let mixed = wgpu::BlendComponent {
            src_factor: wgpu::BlendFactor::Constant,
            dst_factor: wgpu::BlendFactor::OneMinusConstant,
            operation: wgpu::BlendOperation::Add,
        };
        let build = |blend| {
            let pipeline = Pipeline::new(&shader, "bloom", ["vs_tent", "fs_tent"], GLOW_FORMAT);
            Pipeline { blend, ..pipeline }.build(gpu)
        };
        let larger = build(Some(wgpu::BlendState { color: mixed, alpha: mixed }));
        Self { excess: HashMap::new(), smaller: build(None), larger }
    }
}

/// Builds the pipeline that draws the light above white.
fn build_excess(gpu: &Gpu, picture: &PictureInput) -> wgpu::RenderPipeline {
    let label = "light above white";
    let groups = [Some(&picture.layout)];
    let shader = Shader::new(gpu, label, shader::finish(picture.samples), &groups);
    Pipeline::new(&shader, label, ["vs_finish", "fs_excess"], GLOW_FORMAT).build(gpu)
}

fn begin<'a>(
    record: &'a mut FrameRecorder<'_>,
    level: &Level,
    load: wgpu::LoadOp<wgpu::Color>,
) -> wgpu::RenderPass<'a> {
    let color_attachments = &[color(&level.view, load)];
    let descriptor = wgpu::RenderPassDescriptor { color_attachments, ..Default::default() };
    record.pass("bloom", descriptor)
}

/// Whether light above white is spread: in the default look, around surfaces that emit such light.
fn has_lamps(frame: &Frame<'_>, plan: &Plan) -> bool {
    let materials = &frame.stage.properties.materials;
    let shines = |material: usize| {
        let Material { emissive, emissive_strength, .. } = &materials[material];
        emissive.iter().any(|light| light * emissive_strength > 1.0)
    };
    frame.look.blooms() && plan.draws.iter().filter_map(|draw| draw.material).any(shines)
}
