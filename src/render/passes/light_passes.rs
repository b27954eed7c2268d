//! Draws the passes that the light of a scene needs before it: the shadow map, the contact shadow and ambient
//! occlusion.
//!
//! A light sees the faces that a camera would see: a single-sided surface casts a shadow only where its front
//! faces the light. An alpha mask cuts the shadow, and blended and transmissive surfaces stop a share of the
//! light.

use super::contact::Contact;
use super::depth_pipelines::ShapeFor;
use super::frame_pipelines::FramePipelines;
use super::occlusion::Occlusion;
use crate::render::scene::prepared_frame::PreparedFrame;
use crate::render::scene::recording::Recording;
use crate::render::scene::split_pass::{Pieces, Start};

/// Draws the passes that the frame needs. Their pipelines must have been built.
pub fn draw(record: &mut Recording<'_>, pipelines: &FramePipelines, prepared: &PreparedFrame<'_>) {
    if prepared.casts_shadow {
        draw_shadow(record, pipelines, prepared);
    }
    if prepared.has_contact {
        draw_contact(record, pipelines, prepared);
    }
    if let Some(occlusion) = prepared.occlusion {
        draw_occlusion(record, pipelines, prepared, occlusion);
    }
}

fn draw_shadow(
    record: &mut Recording<'_>,
    pipelines: &FramePipelines,
    prepared: &PreparedFrame<'_>,
) {
    let begin = |record: &mut Recording<'_>, start| {
        begin_depth(record, ("shadow", prepared.shadow_map), start).forget_lifetime()
    };
    let mut pass = Pieces::new(record, &begin);
    pass.set_bind_group(0, &prepared.scene.light, &[]);
    pipelines.shapes.draw(&mut pass, ShapeFor::Shadow, prepared);
}

/// Draws the model as the ground sees it, then the share of the surroundings that it leaves open.
fn draw_contact(
    record: &mut Recording<'_>,
    pipelines: &FramePipelines,
    prepared: &PreparedFrame<'_>,
) {
    let Contact { heights, openness, input, .. } = prepared.contact;
    let begin = |record: &mut Recording<'_>, start| {
        begin_depth(record, ("contact", heights), start).forget_lifetime()
    };
    let mut pass = Pieces::new(record, &begin);
    pass.set_bind_group(0, &prepared.scene.below, &[]);
    pipelines.shapes.draw(&mut pass, ShapeFor::Shadow, prepared);
    drop(pass);
    let Some(pipeline) = &pipelines.contact else { return };
    let clear = wgpu::LoadOp::Clear(wgpu::Color::WHITE);
    let color_attachments = &[color(openness, clear)];
    let descriptor = wgpu::RenderPassDescriptor { color_attachments, ..Default::default() };
    let mut pass = record.pass("contact", descriptor);
    pass.set_pipeline(pipeline);
    pass.set_bind_group(0, &prepared.scene.below, &[]);
    pass.set_bind_group(1, input, &[]);
    pass.draw(0..3, 0..1);
}

/// Draws distances and normals, the horizons around each pixel, and the filter.
fn draw_occlusion(
    record: &mut Recording<'_>,
    pipelines: &FramePipelines,
    prepared: &PreparedFrame<'_>,
    occlusion: &Occlusion,
) {
    let begin =
        |record: &mut Recording<'_>, start| begin_shape(record, occlusion, start).forget_lifetime();
    let mut pass = Pieces::new(record, &begin);
    pass.set_bind_group(0, &prepared.scene.frame, &[]);
    pipelines.shapes.draw(&mut pass, ShapeFor::Occlusion, prepared);
    drop(pass);
    let Some(last) = &pipelines.occlusion else { return };
    let scene = prepared.scene;
    let steps = [
        (&occlusion.rough, &occlusion.rough_input, &scene.frame),
        // The camera's group binds what is drawn here. The light's has the same numbers.
        (&occlusion.openness, &occlusion.filter_input, &scene.light),
    ];
    for ((target, input, frame), pipeline) in steps.into_iter().zip(last) {
        let color_attachments = &[color(target, wgpu::LoadOp::Clear(Occlusion::NOTHING))];
        let descriptor = wgpu::RenderPassDescriptor { color_attachments, ..Default::default() };
        let mut pass = record.pass("occlusion", descriptor);
        let [left, top, width, height] = prepared.occluded_part;
        pass.set_scissor_rect(left, top, width, height);
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, frame, &[]);
        pass.set_bind_group(1, input, &[]);
        pass.draw(0..3, 0..1);
    }
}

/// Begins a pass that draws a depth map only, 1 where nothing is.
fn begin_depth<'a>(
    record: &'a mut Recording<'_>,
    (name, map): (&'static str, &wgpu::TextureView),
    start: Start,
) -> wgpu::RenderPass<'a> {
    let load = match start {
        Start::New => wgpu::LoadOp::Clear(1.0),
        Start::Continued => wgpu::LoadOp::Load,
    };
    let descriptor = wgpu::RenderPassDescriptor {
        depth_stencil_attachment: Some(depth(map, load)),
        ..Default::default()
    };
    record.pass(name, descriptor)
}

/// Begins the pass that draws distances and normals, 0 where nothing is.
fn begin_shape<'a>(
    record: &'a mut Recording<'_>,
    occlusion: &Occlusion,
    start: Start,
) -> wgpu::RenderPass<'a> {
    let (load, depth_load) = start.loads();
    let attachments = [0, 1].map(|i| color(&occlusion.shape[i], load));
    let descriptor = wgpu::RenderPassDescriptor {
        color_attachments: &attachments,
        depth_stencil_attachment: Some(depth(&occlusion.depth, depth_load)),
        ..Default::default()
    };
    record.pass("occlusion", descriptor)
}

fn color(
    view: &wgpu::TextureView,
    load: wgpu::LoadOp<wgpu::Color>,
) -> Option<wgpu::RenderPassColorAttachment<'_>> {
    let ops = wgpu::Operations { load, store: wgpu::StoreOp::Store };
    Some(wgpu::RenderPassColorAttachment { view, depth_slice: None, resolve_target: None, ops })
}

fn depth(
    view: &wgpu::TextureView,
    load: wgpu::LoadOp<f32>,
) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    let ops = wgpu::Operations { load, store: wgpu::StoreOp::Store };
    wgpu::RenderPassDepthStencilAttachment { view, depth_ops: Some(ops), stencil_ops: None }
}
