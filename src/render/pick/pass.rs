//! Draws the numbers around a place of the picture and begins to read them back.

use std::sync::Arc;

use super::answer::{Pick, Reading};
use super::pipelines::{PickKey, PickPipelines};
use super::place::PickPlace;
use super::spot::{SIDE, Spot};
use crate::render::scene::bind_layouts::Layouts;
use crate::render::scene::features::Features;
use crate::render::scene::plan::{Batch, Draw};
use crate::render::scene::prepared_frame::is_drawn;
use crate::render::scene::recording::Recording;
use crate::render::scene::scene_resources::SceneResources;
use crate::render::scene::split_pass::{Pieces, Start};
use crate::render::{Frame, Gpu, Part};

/// A scene whose data has been uploaded for a pick.
pub struct PickScene<'a> {
    pub frame: Frame<'a>,
    pub scene: &'a SceneResources,
    pub features: Features,
    /// Whether a pose may have mirrored a mesh.
    pub mirrors: bool,
}

impl PickScene<'_> {
    /// Returns the draws that the look shows, with their indices and keys.
    fn draws(&self) -> impl Iterator<Item = (usize, &Draw, PickKey)> + Clone {
        let Self { frame, scene, features, mirrors } = self;
        let shown =
            scene.plan.draws.iter().enumerate().filter(|(_, draw)| is_drawn(draw, frame.look));
        shown.map(|(i, draw)| (i, draw, PickKey::new(draw, frame.look, *features, *mirrors)))
    }
}

/// Draws and submits a pick. The place must be inside the picture.
pub fn ask(
    gpu: &Gpu,
    layouts: &Layouts,
    (spot, pipelines): (&mut Option<Spot>, &mut PickPipelines),
    posed: &PickScene<'_>,
    place: PickPlace,
) -> Pick {
    let spot = spot.get_or_insert_with(|| Spot::new(gpu));
    spot.number(gpu, posed.scene.plan.draws.len());
    pipelines.build(gpu, layouts, &spot.layout, posed.draws().map(|(_, _, key)| key));
    let corner = place.pixel.map(|at| at.saturating_sub(SIDE / 2));
    let part = Some(Part { corner, whole: place.size });
    let label = Some("pick");
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label });
    let mut record = Recording {
        gpu,
        encoder: &mut encoder,
        timing: None,
        part,
        // Almost all triangles are outside of so few pixels, so even software adapters keep none.
        piece: u64::MAX,
        primitives: 0,
        submitted: None,
    };
    let begin = |record: &mut Recording<'_>, _: Start| begin(record, spot).forget_lifetime();
    let mut pass = Pieces::new(&mut record, &begin);
    pass.set_bind_group(0, &posed.scene.frame, &[]);
    for (i, _, key) in posed.draws() {
        if let Some((pipeline, (group, number))) = pipelines.get(key).zip(spot.number_of(i)) {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(3, group, &[number]);
            posed.scene.draw_plainly(&mut pass, posed.frame.gpu_model, &Batch::whole(i, 0..1));
        }
    }
    drop(pass);
    let reading = Reading::copy(gpu, &mut encoder, &spot.texture);
    gpu.queue.submit([encoder.finish()]);
    Pick::new(reading, Arc::clone(&posed.scene.plan), &posed.frame.stage.visible, (place, corner))
}

fn begin<'r>(record: &'r mut Recording<'_>, spot: &Spot) -> wgpu::RenderPass<'r> {
    record.picture_pass(
        "pick",
        wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &spot.color,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                    store: wgpu::StoreOp::Store,
                },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &spot.depth,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(0.0),
                    store: wgpu::StoreOp::Discard,
                }),
                stencil_ops: None,
            }),
            ..Default::default()
        },
    )
}
