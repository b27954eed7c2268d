//! Draws the numbers around a place of the picture and begins to read them back.

use std::sync::Arc;

use super::answer::{PickMeaning, PickPlace};
use super::pipelines::{PickKey, PickPipelines};
use super::target::PickTarget;
use crate::scene::bind_layouts::BindLayouts;
use crate::scene::features::Features;
use crate::scene::frame_recorder::{FrameRecorder, SplitPass, Start, color};
use crate::scene::plan::{Batch, Draw};
use crate::scene::scene_resources::SceneResources;
use crate::scene::shared_frame::{features, is_drawn};
use crate::scene::viewpoint::{FrameBindings, LightMaps, Viewpoint, camera_uniform};
use crate::{Frame, Gpu, ReadBack, Tile};
use rigview_model::{Stage, Touched};

/// A scene whose poses have been uploaded for a pick.
pub struct PickScene<'a> {
    frame: Frame<'a>,
    scene: &'a SceneResources,
    features: Features,
    /// Whether a pose may have mirrored a mesh.
    mirrors: bool,
}

impl<'a> PickScene<'a> {
    /// Returns the scene of a frame.
    pub fn new(frame: &Frame<'a>, scene: &'a SceneResources) -> Self {
        let features = features(frame.gpu_model, frame.look.pass);
        let mirrors = frame.scene().stages().any(Stage::may_mirror);
        Self { frame: *frame, scene, features, mirrors }
    }

    /// Returns the draws that the look shows, with their indices and keys.
    fn draws(&self) -> impl Iterator<Item = (usize, &Draw, PickKey)> + Clone {
        let Self { frame, scene, features, mirrors } = self;
        let shown =
            scene.plan.draws.iter().enumerate().filter(|(_, draw)| is_drawn(draw, frame.look));
        shown.map(|(i, draw)| (i, draw, PickKey::new(draw, frame.look, *features, *mirrors)))
    }
}

/// Finds what pictures show.
#[derive(Default)]
pub struct Picker {
    pipelines: PickPipelines,
    /// The pixels that picks are drawn on.
    target: Option<PickTarget>,
    viewpoint: Option<Viewpoint>,
}

impl Picker {
    /// Draws and submits a pick. The place must be inside the picture.
    pub fn ask(
        &mut self,
        gpu: &Gpu,
        layouts: &BindLayouts,
        bindings: &FrameBindings,
        posed: &PickScene<'_>,
        place: PickPlace,
    ) -> ReadBack<Option<Touched>> {
        let Self { pipelines, target, viewpoint } = self;
        let target = target.get_or_insert_with(|| PickTarget::new(gpu));
        let viewpoint = viewpoint.get_or_insert_with(|| Viewpoint::new(gpu, "pick"));
        let Frame { view, stage, look, .. } = posed.frame;
        let camera = camera_uniform(view, stage.origin, place.size, look.overlay_scale);
        viewpoint.write(gpu, &camera);
        let camera = viewpoint.bind(gpu, layouts, bindings, LightMaps::default());
        target.number(gpu, posed.scene.plan.draws.len());
        pipelines.build(gpu, layouts, &target.layout, posed.draws().map(|(_, _, key)| key));
        let part = Some(Tile { corner: place.corner(), whole: place.size });
        let label = Some("pick");
        let mut encoder =
            gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label });
        let mut record = FrameRecorder {
            gpu,
            encoder: &mut encoder,
            timing: None,
            part,
            // Almost all triangles are outside of so few pixels, so even software adapters keep none.
            piece: u64::MAX,
            primitives: 0,
            submitted: None,
        };
        let begin =
            |record: &mut FrameRecorder<'_>, _: Start| begin(record, target).forget_lifetime();
        let mut pass = SplitPass::new(&mut record, &begin);
        pass.set_bind_group(0, camera, &[]);
        for (i, _, key) in posed.draws() {
            if let Some((pipeline, (group, number))) = pipelines.get(key).zip(target.number_of(i)) {
                pass.set_pipeline(pipeline);
                pass.set_bind_group(3, group, &[number]);
                posed.scene.draw_plainly(&mut pass, posed.frame.gpu_model, &Batch::whole(i, 0..1));
            }
        }
        drop(pass);
        let meaning = PickMeaning::new(&posed.frame, Arc::clone(&posed.scene.plan), place);
        let numbers = ReadBack::after(gpu, encoder, &target.texture);
        numbers.map(move |texels| meaning.touched(&texels))
    }
}

fn begin<'r>(record: &'r mut FrameRecorder<'_>, target: &PickTarget) -> wgpu::RenderPass<'r> {
    let descriptor = wgpu::RenderPassDescriptor {
        color_attachments: &[color(&target.color, wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT))],
        depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
            view: &target.depth,
            depth_ops: Some(wgpu::Operations {
                load: wgpu::LoadOp::Clear(0.0),
                store: wgpu::StoreOp::Discard,
            }),
            stencil_ops: None,
        }),
        ..Default::default()
    };
    record.picture_pass("pick", descriptor)
}
