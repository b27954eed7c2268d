//! The last pass: converts the scene's linear colour to the target's bytes and adds background and
//! overlay.

use std::collections::HashMap;

use super::bloom::{glow_layout, no_glow};
use super::pass::{Drawing, FramePass, Setup};
use super::picture::PictureInput;
use crate::device::pipeline::{Pipeline, Shader, flag};
use crate::scene::bind_layouts::BindLayouts;
use crate::scene::frame_recorder::FrameRecorder;
use crate::{Gpu, shader};
use rigview_look::{Look, Pass, ToneMap};

/// Identifies a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct FinishKey {
    /// The target's format.
    format: wgpu::TextureFormat,
    content: Content,
    /// Samples per pixel of the scene.
    samples: u32,
    /// Whether light above white is spread.
    blooms: bool,
    vignetted: bool,
    /// Whether noise hides the steps between the target's bytes.
    dithers: bool,
}

/// Meaning of the scene's texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Content {
    /// Light, to be tone-mapped.
    Light(ToneMap),
    /// Encoded colours, shown unchanged.
    Data,
    /// One value, shown as grey.
    Grey,
    /// A number of layers, shown as a colour.
    Layers,
}

impl FinishKey {
    /// Returns the key for a look on a target of this format, with this many samples in the scene.
    fn new(format: wgpu::TextureFormat, look: &Look, samples: u32, blooms: bool) -> Self {
        let content = match look.pass {
            pass if pass.is_shaded() => Content::Light(look.tone_map),
            Pass::Depth => Content::Grey,
            Pass::Overdraw => Content::Layers,
            _ => Content::Data,
        };
        // Exactly defined light gives exact colours.
        let dithers = look.pass.is_shaded() && look.lighting.key_light;
        Self { format, content, samples, blooms, vignetted: look.has_vignette(), dithers }
    }

    /// Returns the values of the shader's `override`s.
    fn constants(self) -> [(&'static str, f64); 7] {
        let (content, tone_map) = match self.content {
            Content::Light(tone_map) => (0, tone_map as u8),
            Content::Data => (1, 0),
            Content::Grey => (2, 0),
            Content::Layers => (3, 0),
        };
        use wgpu::TextureFormat::{Bgra8Unorm, Rgba8Unorm};
        let stores_bytes = matches!(self.format.remove_srgb_suffix(), Bgra8Unorm | Rgba8Unorm);
        [
            ("content", f64::from(content)),
            ("tone_map", f64::from(tone_map)),
            ("target_encodes", flag(self.format.is_srgb())),
            ("stores_bytes", flag(stores_bytes)),
            ("blooms", flag(self.blooms)),
            ("vignetted", flag(self.vignetted)),
            ("dithers", flag(self.dithers)),
        ]
    }
}

/// What the last pass needs of those before it.
pub struct FinishNeeds<'a> {
    pub picture: &'a PictureInput,
    /// The spread light; `None` if none is spread.
    pub glow: Option<&'a wgpu::BindGroup>,
}

/// The last pass.
#[derive(Default)]
pub struct Finish {
    input: Option<Input>,
    /// Bound where no light is spread.
    no_glow: Option<wgpu::BindGroup>,
    built: HashMap<FinishKey, wgpu::RenderPipeline>,
}

/// What the pipeline of a frame binds.
struct Input {
    key: FinishKey,
    picture: PictureInput,
    glow: wgpu::BindGroup,
}

impl FramePass for Finish {
    type Needs<'a> = FinishNeeds<'a>;

    fn prepare(&mut self, setup: &mut Setup<'_, '_>, needs: FinishNeeds<'_>) {
        let FinishNeeds { picture, glow } = needs;
        let (gpu, look) = (setup.shared.gpu, setup.shared.frame.look);
        let format = setup.shared.target.format;
        let none = || self.no_glow.get_or_insert_with(|| no_glow(gpu)).clone();
        self.input = Some(Input {
            key: FinishKey::new(format, look, picture.samples, glow.is_some()),
            picture: picture.clone(),
            glow: glow.cloned().unwrap_or_else(none),
        });
    }

    fn free(&mut self) {
        self.input = None;
    }

    fn build(&mut self, gpu: &Gpu, _: &BindLayouts) {
        if let Some(Input { key, picture, .. }) = &self.input {
            self.built.entry(*key).or_insert_with(|| build(gpu, picture, *key));
        }
    }

    /// Clears the target and draws the picture into its rectangle.
    fn record(&self, record: &mut FrameRecorder<'_>, drawing: &Drawing<'_>) {
        let Some(Input { key, picture, glow }) = &self.input else { return };
        let Some(pipeline) = self.built.get(key) else { return };
        let target = drawing.shared.target;
        let color_attachments = &[Some(target.cleared())];
        let descriptor = wgpu::RenderPassDescriptor { color_attachments, ..Default::default() };
        let mut pass = record.pass("finish", descriptor);
        target.limit(&mut pass);
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &picture.group, &[]);
        pass.set_bind_group(1, glow, &[]);
        pass.draw(0..3, 0..1);
    }
}

fn build(gpu: &Gpu, picture: &PictureInput, key: FinishKey) -> wgpu::RenderPipeline {
    let label = "last pass";
    let groups = [Some(&picture.layout), Some(&glow_layout(gpu))];
    let shader = Shader::new(gpu, label, shader::finish(key.samples), &groups);
    Pipeline {
        constants: [&key.constants(); 2],
        ..Pipeline::new(&shader, label, ["vs_finish", "fs_finish"], key.format)
    }
    .build(gpu)
}
