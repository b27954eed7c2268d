//! The sky: the environment behind the scene.

use std::collections::HashMap;

use super::pass::{Drawing, FramePass, Setup};
use crate::device::pipeline::{Pipeline, Shader};
use crate::scene::bind_layouts::BindLayouts;
use crate::scene::canvas::{SceneKey, depth_test, scene_format};
use crate::scene::frame_recorder::{DrawCall, SplitPass};
use crate::{Gpu, shader};
use rigview_look::Backdrop;

/// The environment as a backdrop.
#[derive(Default)]
pub struct Sky {
    /// `None` if it is not shown.
    shown: Option<SceneKey>,
    built: HashMap<SceneKey, wgpu::RenderPipeline>,
}

impl FramePass for Sky {
    type Needs<'a> = ();

    fn prepare(&mut self, setup: &mut Setup<'_, '_>, (): ()) {
        let (look, samples) = (setup.shared.frame.look, setup.shared.canvas.samples);
        let shown = look.pass.is_shaded() && look.lighting.backdrop != Backdrop::None;
        self.shown = shown.then(|| SceneKey { format: scene_format(look.pass), samples });
    }

    fn build(&mut self, gpu: &Gpu, layouts: &BindLayouts) {
        if let Some(key) = self.shown {
            self.built.entry(key).or_insert_with(|| build(gpu, layouts, key));
        }
    }

    fn draw_in_scene<'a>(&'a self, pass: &mut SplitPass<'a, '_, '_>, _: &Drawing<'a>) {
        if let Some(pipeline) = self.shown.and_then(|key| self.built.get(&key)) {
            pass.set_pipeline(pipeline);
            pass.draw(DrawCall { vertices: 0..3, corners: 3, instances: 0..1, indexed: false });
        }
    }
}

fn build(gpu: &Gpu, layouts: &BindLayouts, key: SceneKey) -> wgpu::RenderPipeline {
    let shader = Shader::new(gpu, "sky", shader::ground(), &[Some(&layouts.frame)]);
    Pipeline {
        blend: Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
        depth: Some(depth_test(wgpu::CompareFunction::Always, false)),
        samples: key.samples,
        ..Pipeline::new(&shader, "sky", ["vs_sky", "fs_sky"], key.format)
    }
    .build(gpu)
}
