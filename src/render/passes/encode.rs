//! Encodes a prepared frame: shadow map, scene, overlay and the last pass, by pipelines that have been
//! built.

use super::frame_pipelines::FramePipelines;
use super::ground::Surrounding;
use super::{ghosts, light_passes, outline, overlay};
use crate::render::Target;
use crate::render::scene::canvas::Stretch;
use crate::render::scene::plan::Batch;
use crate::render::scene::prepared_frame::{PreparedFrame, has_edges, is_drawn};
use crate::render::scene::recording::Recording;
use crate::render::scene::split_pass::{Pieces, Start};

/// Records the passes of a frame.
pub fn encode(
    record: &mut Recording<'_>,
    pipelines: &FramePipelines,
    prepared: &PreparedFrame<'_>,
    target: &Target<'_>,
) {
    let canvas = prepared.canvas;
    light_passes::draw(record, pipelines, prepared);
    if let Some(ghosts) = &pipelines.ghosts {
        ghosts::draw_layer(record, &pipelines.meshes, ghosts, prepared);
    }
    draw_scene(record, pipelines, prepared);
    if prepared.shows_overlay {
        draw_overlay(record, pipelines, prepared);
    }
    let (finish, look) = (&pipelines.finish, prepared.frame.look);
    finish.write(record.gpu, look, prepared.exposure, target);
    if let Some(glow) = prepared.glow {
        finish.spread(record, &canvas.finish, glow);
    }
    finish.draw(record, (&canvas.finish, prepared.glow), look, target);
}

/// Draws sky, opaque meshes, ground, ghosts and vectors; then, over a copy of these if anything is transmissive, all other
/// meshes.
fn draw_scene(
    record: &mut Recording<'_>,
    pipelines: &FramePipelines,
    prepared: &PreparedFrame<'_>,
) {
    let PreparedFrame { scene, canvas, .. } = *prepared;
    let look = prepared.frame.look;
    let begin = |stretch| {
        move |record: &mut Recording<'_>, start: Start| {
            canvas.begin(record, stretch, start, look).forget_lifetime()
        }
    };
    let through = prepared.behind.zip(pipelines.blur.as_ref());
    let stretch = if through.is_some() { Stretch::First } else { Stretch::Whole };
    let begin_first = begin(stretch);
    let begin_last = begin(Stretch::Last);
    let mut pass = Pieces::new(record, &begin_first);
    pass.set_bind_group(0, &scene.frame, &[]);
    let contact = prepared.contact;
    let ground = if prepared.has_contact { &contact.ground } else { &contact.nothing };
    if prepared.shows_sky {
        pass.set_bind_group(1, ground, &[]);
        pipelines.ground.draw(&mut pass, prepared.ground_key(Surrounding::Sky));
    }
    if let Some(nothing) = prepared.nothing_behind {
        pass.set_bind_group(3, nothing, &[]);
    }
    for draw in 0..scene.plan.first_transmissive {
        let batch = Batch::whole(draw, 0..scene.stages());
        draw_batch(&mut pass, pipelines, prepared, &batch);
    }
    let grounds = [
        (Surrounding::Ground, prepared.shows_open_ground()),
        (Surrounding::Shadowed, prepared.shows_shadowed_ground()),
    ];
    for (part, _) in grounds.into_iter().filter(|(_, shown)| *shown) {
        pass.set_bind_group(1, ground, &[]);
        pipelines.ground.draw(&mut pass, prepared.ground_key(part));
    }
    if let Some(ghosts) = &pipelines.ghosts {
        ghosts.draw(&mut pass, prepared);
    }
    pipelines.vectors.draw(&mut pass, prepared);
    if let Some((behind, blur)) = through {
        drop(pass);
        blur.copy(record, behind, (look, prepared.exposure));
        pass = Pieces::new(record, &begin_last);
        pass.set_bind_group(0, &scene.frame, &[]);
        pass.set_bind_group(3, &behind.bind_group, &[]);
    }
    for sorted in prepared.far_first {
        draw_batch(&mut pass, pipelines, prepared, &sorted.batch());
    }
}

/// Draws a batch, and its edges in a wireframe.
fn draw_batch<'a>(
    pass: &mut Pieces<'a, '_, '_>,
    pipelines: &'a FramePipelines,
    prepared: &PreparedFrame<'a>,
    batch: &Batch,
) {
    let (scene, look) = (prepared.scene, prepared.frame.look);
    let draw = &scene.plan.draws[batch.draw];
    if !is_drawn(draw, look) {
        return;
    }
    if let Some(pipeline) = pipelines.meshes.get(prepared.key(batch.draw)) {
        pass.set_pipeline(pipeline);
        scene.draw(pass, prepared.frame.gpu_model, batch, Some(look.pass));
    }
    if has_edges(draw, look)
        && let Some(pipeline) = pipelines.meshes.get(prepared.edges_key(batch.draw))
    {
        pass.set_pipeline(pipeline);
        scene.draw_edges(pass, batch);
    }
}

/// Clears the overlay and draws the outline of the selection, bones, lines and joint names on it.
fn draw_overlay(
    record: &mut Recording<'_>,
    pipelines: &FramePipelines,
    prepared: &PreparedFrame<'_>,
) {
    let (group, Some(layer)) = (&prepared.scene.frame, &prepared.canvas.overlay) else { return };
    outline::draw_mask(record, &pipelines.meshes, prepared);
    let lines = &prepared.scene.data;
    let solid = pipelines.solids.as_ref().zip(prepared.solids);
    let (load, lines) = match solid {
        Some((solids, bones)) => {
            solids.draw(record, (bones, &pipelines.shapes), prepared, lines.bone_lines());
            (wgpu::LoadOp::Load, lines.plain_lines())
        }
        None => (wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT), lines.lines()),
    };
    let mut pass = overlay::begin(record, layer, load);
    if let Some((outline, mask)) = pipelines.outline.as_ref().zip(prepared.outline) {
        outline.draw(&mut pass, group, mask, prepared.outlined_part);
    }
    if let Some(skeleton) = &pipelines.skeleton {
        skeleton.draw(&mut pass, group, lines);
    }
    drop(pass);
    if let Some(names) = &pipelines.joint_names
        && prepared.frame.look.joint_names
    {
        names.draw(record, group, layer);
    }
}
