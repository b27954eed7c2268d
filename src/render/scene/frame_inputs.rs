//! Decides which of environment, shadow, ground and overlays a frame shows, and computes their uniforms.
//! `shadow`, `ground` and `skeleton` draw them.

use std::sync::Arc;

use glam::{DVec3, Mat4, Vec3};

use super::frame_data::{FrameInputs, JointHeat, camera_uniform};
use super::lights;
use super::lights::ShadowLight;
use super::plan::Plan;
use super::uniforms::FrameUniform;
use crate::look::{
    Backdrop, EnvironmentSource, Exposure, Lighting, Look, MarkedVertex, Pass, Stroke,
};
use crate::model::{Aabb, Projection};
use crate::render::frame::Frame;
use crate::render::passes::bones::joints::{self, OverlayLine, ShownBones};
use crate::render::passes::bones::solids::has_solids;
use crate::render::passes::contact::ContactView;
use crate::render::passes::shadow::ShadowView;
use crate::render::passes::{contact, occlusion, vectors};

/// Opacity of the shadow on the ground.
const SHADOW_ON_GROUND: f32 = 0.42;

/// Radius of the pool of light on the floor, as a multiple of the model's size.
const POOL: f32 = 1.4;

/// Opacity of the pool of light in its middle.
const FLOOR: f32 = 0.6;

/// Pixels of a picture up to which the whole ground is drawn by the pipeline that draws shadows on it: to build another
/// pipeline takes longer than what that saves.
const ONE_GROUND: u32 = 512 * 512;

/// What was worked out for a frame before its uniforms.
pub struct Made<'a> {
    /// The box of everything that is drawn, in world space.
    pub bounds: &'a Aabb,
    pub views: GroundViews<'a>,
    /// The light that casts the shadow.
    pub light: Option<ShadowLight>,
    pub exposure: Exposure,
}

/// What the ground sees of the model.
#[derive(Clone, Copy)]
pub struct GroundViews<'a> {
    pub shadow: Option<&'a ShadowView>,
    pub contact: Option<&'a ContactView>,
    /// Whether the contact shadow is drawn.
    pub has_contact: bool,
}

/// Returns the inputs of the frame's data, for a picture of `size` pixels. The box is that of everything
/// that is drawn.
pub fn inputs(frame: &Frame<'_>, plan: &Plan, made: &Made<'_>, size: [u32; 2]) -> FrameInputs {
    let Made { bounds, views, light: shadow, exposure } = *made;
    let Frame { model, stage, view, look, .. } = *frame;
    let mut camera = camera_uniform(view, stage.origin, size, look.overlay_scale);
    put_occlusion(&mut camera, bounds);
    camera.half_view[2] = (-exposure.stops).exp2();
    camera.half_view[3] = vectors::LENGTH * framed_box(frame).size().length();
    camera.paint = look.paint.extend(0.0).to_array();
    let mut light = camera;
    put_environment(&mut camera, &look.lighting, exposure.environment);
    if let Some(view) = views.shadow {
        put_shadow(&mut camera, view);
        light.projection_from_world = view.projection_from_world.to_cols_array_2d();
    }
    put_ground(&mut camera, frame, views);
    put_shadowed(&mut camera, frame, views, size);
    let mut ground = camera;
    if let Some(view) = views.contact {
        ground.projection_from_world = view.projection_from_world.to_cols_array_2d();
    }
    let eye = view.world_from_camera.translation;
    let lights = lights::lights_uniform(&look.lighting, model, stage, (eye, shadow));
    let bones = shown_bones(plan, look);
    FrameInputs { camera, light, ground, lights, heat: joint_heat(frame), bones }
}

/// Returns the numbers of joints that the pass shows.
fn joint_heat(Frame { model, stage, look, .. }: &Frame<'_>) -> JointHeat {
    let first = || stage.joints(model).first().copied();
    match look.pass {
        Pass::Weights => look.joint.or_else(first).map_or(JointHeat::None, JointHeat::Of),
        Pass::RestToBind => {
            JointHeat::FromBind(look.bind.as_ref().map(Arc::clone).unwrap_or_default())
        }
        _ => JointHeat::None,
    }
}

/// Returns the bones that a look shows.
pub fn shown_bones(plan: &Plan, look: &Look) -> ShownBones {
    let selected = look.highlight.node.filter(|_| look.takes_overlays());
    ShownBones { all: shows_skeleton(plan, look), selected, style: look.bones }
}

/// Whether bones are drawn with depth: as solids, or hidden by the mesh.
pub fn bones_have_depth(plan: &Plan, look: &Look) -> bool {
    let ShownBones { all, selected, style } = shown_bones(plan, look);
    let some = all || selected.is_some_and(|node| joints::is_joint(plan, node));
    some && (has_solids(style) || !style.in_front)
}

/// Returns the view from a light of the scene; `None` in unlit passes and without a light that casts a shadow.
pub fn shadow_view(
    frame: &Frame<'_>,
    bounds: &Aabb,
    light: Option<ShadowLight>,
) -> Option<ShadowView> {
    let light = light.filter(|_| frame.look.pass.is_shaded())?;
    ShadowView::new(bounds, framed_box(frame).min.y, light.towards)
}

/// Returns the ground's view of the model; `None` where no ground is shown.
pub fn contact_view(frame: &Frame<'_>, bounds: &Aabb) -> Option<ContactView> {
    let seen = has_floor(frame.look) && is_above(frame);
    if seen { ContactView::new(bounds, framed_box(frame).min.y) } else { None }
}

/// Whether the look shows a floor: in lit passes of the default look.
fn has_floor(look: &Look) -> bool {
    look.pass.is_shaded() && look.lighting.key_light
}

/// Whether the environment is drawn behind the scene.
pub fn shows_sky(look: &Look) -> bool {
    look.pass.is_shaded() && look.lighting.backdrop != Backdrop::None
}

/// Whether the ground is drawn: as a floor if seen from above, for a grid always.
pub fn shows_ground(frame: &Frame<'_>) -> bool {
    let grid = frame.look.grid && !matches!(frame.look.pass, Pass::Mask | Pass::Depth);
    grid || (has_floor(frame.look) && is_above(frame))
}

/// Whether the camera is above the ground.
fn is_above(frame: &Frame<'_>) -> bool {
    let axes = &frame.view.world_from_camera;
    match frame.view.projection {
        Projection::Perspective { .. } => axes.translation.y > frame.bounds.0.y,
        Projection::Orthographic { .. } => axes.matrix3.z_axis.y > 0.0,
    }
}

/// Whether the overlay has anything on it.
pub fn shows_overlay(plan: &Plan, look: &Look) -> bool {
    let marks = look.highlight.vertex.is_some()
        || look.highlight.trail.is_some()
        || !look.highlight.strokes.is_empty()
        || look.highlight.node.is_some_and(|node| joints::is_joint(plan, node));
    let lines = look.axes || look.joint_names || marks;
    (lines && look.takes_overlays()) || shows_skeleton(plan, look)
}

/// Whether the skeleton is drawn: on request, and where there is nothing else to show.
fn shows_skeleton(plan: &Plan, look: &Look) -> bool {
    let alone = plan.draws.is_empty() && !plan.bones.is_empty();
    (look.skeleton || alone) && look.takes_overlays()
}

/// Fills in the fields of ambient occlusion, for a model in a box.
fn put_occlusion(uniform: &mut FrameUniform, bounds: &Aabb) {
    let size = bounds.size().length();
    if size.is_finite() && size > 0.0 {
        let from_eye = bounds.center() - Vec3::from_slice(&uniform.eye);
        let ahead = -from_eye.dot(Vec3::from_slice(&uniform.backward));
        uniform.occlusion[..2].copy_from_slice(&[occlusion::REACH * size, ahead]);
    } else {
        uniform.occlusion[..2].copy_from_slice(&[1.0, 0.0]);
    }
}

/// Fills in the fields of the environment.
fn put_environment(uniform: &mut FrameUniform, lighting: &Lighting, gain: f32) {
    let (factor, levels) = match &lighting.environment {
        EnvironmentSource::Uniform(radiance) => (*radiance, 1),
        EnvironmentSource::Picture(environment) => {
            uniform.irradiance = environment.irradiance.map(|[r, g, b]| [r, g, b, 0.0]);
            (Vec3::ONE, environment.levels.len())
        }
    };
    let same = matches!(lighting.environment, EnvironmentSource::Uniform(_));
    let (sin, cos) = lighting.rotation.sin_cos();
    let last = (levels - 1) as f32;
    let behind = if lighting.backdrop == Backdrop::Blurred { 0.5 * last } else { 0.0 };
    uniform.environment =
        (gain * lighting.intensity * factor * lighting.tint).extend(last).to_array();
    uniform.environment_turn = [cos, sin, f32::from(u8::from(same)), behind];
}

/// Fills in the fields of the shadow map.
fn put_shadow(uniform: &mut FrameUniform, view: &ShadowView) {
    let eye = Vec3::from_slice(&uniform.eye);
    let map_from_eye = view.map_from_world * Mat4::from_translation(eye);
    uniform.shadow_from_eye = map_from_eye.to_cols_array_2d();
    uniform.shadow = view.numbers;
}

/// Fills in the ground, which extends as far as the shadows, the pool of light or the grid.
fn put_ground(uniform: &mut FrameUniform, frame: &Frame<'_>, views: GroundViews<'_>) {
    let eye = Vec3::from_slice(&uniform.eye);
    let framed = framed_box(frame);
    let size = framed.size().max_element();
    let lift = 2e-4 * size;
    let mut middle = (0.5 * (framed.min + framed.max)).with_y(framed.min.y - lift);
    let mut reach = 0.0;
    if let Some(view) = views.shadow {
        (middle, reach) = (view.ground.center - lift * Vec3::Y, view.ground.reach);
        uniform.grid[0] = if view.is_above { SHADOW_ON_GROUND } else { 0.0 };
    }
    if let Some(view) = views.contact {
        let from_eye = view.center - eye;
        let texels = if views.has_contact { contact::TEXELS as f32 } else { 0.0 };
        uniform.contact = [from_eye.x, from_eye.z, view.reach, texels];
        uniform.contact_height = [view.height, contact::BELOW, 0.0, 0.0];
        let apart = (view.center - middle).with_y(0.0).abs().max_element();
        reach = reach.max(apart + view.reach);
        if frame.look.floor {
            let pool = POOL * size;
            uniform.contact_height = [view.height, contact::BELOW, FLOOR, pool];
            reach = reach.max(apart + pool);
        }
    }
    if frame.look.grid && size > 0.0 {
        let GridSize { cell, edge } = grid_size(size);
        // Align the lines with round coordinates of the scene.
        let origin = frame.stage.origin.as_vec3();
        let round =
            |x: f32, origin: f32| ((x + origin) / (10.0 * cell)).round() * 10.0 * cell - origin;
        middle.x = round(middle.x, origin.x);
        middle.z = round(middle.z, origin.z);
        reach = edge;
        uniform.grid[1] = cell;
        uniform.grid[2] = edge;
    }
    uniform.grid[3] = f32::from(u8::from(frame.look.pass.is_shaded()));
    uniform.ground = (middle - eye).extend(reach).to_array();
}

/// Fills in the part of the ground that shadows can fall on; all zeros if there are none. In a small picture that is
/// the whole ground.
fn put_shadowed(
    uniform: &mut FrameUniform,
    frame: &Frame<'_>,
    views: GroundViews<'_>,
    [width, height]: [u32; 2],
) {
    let [x, y, z, reach] = uniform.ground;
    let middle = Vec3::new(x, y, z) + Vec3::from_slice(&uniform.eye);
    let whole = Aabb { min: Vec3::splat(-reach), max: Vec3::splat(reach) };
    let mut part = Aabb::EMPTY;
    if let Some(view) = views.shadow.filter(|view| view.is_above) {
        if let Some(along) = view.ground.from_world.filter(|_| frame.others.is_empty()) {
            let thrown = frame.stage.drawn_bounds(frame.model, &along);
            if !thrown.is_empty() {
                part.add(thrown.min - view.ground.spread - middle);
                part.add(thrown.max + view.ground.spread - middle);
            }
        } else {
            part = whole;
        }
    }
    if let Some(view) = views.contact.filter(|_| views.has_contact) {
        part.add(view.center - view.reach - middle);
        part.add(view.center + view.reach - middle);
    }
    if part.is_empty() {
        return;
    }
    if width.saturating_mul(height) <= ONE_GROUND {
        part = whole;
    }
    let [least, most] = [part.min, part.max].map(|corner| corner.clamp(whole.min, whole.max));
    uniform.shadowed = [least.x, least.z, most.x, most.z];
}

/// Dimensions of the grid.
struct GridSize {
    /// Side of a cell.
    cell: f32,
    /// Distance from the centre at which the grid ends.
    edge: f32,
}

/// Returns the dimensions of the grid for a model of this size. Every tenth line is stronger, and the
/// model spans one to ten of the large cells.
fn grid_size(size: f32) -> GridSize {
    let cell = 10f32.powf(size.log10().floor() - 1.0);
    GridSize { cell, edge: (4.0 * size).max(30.0 * cell) }
}

/// Returns the box that the session frames, relative to the stage's origin.
pub fn framed_box(frame: &Frame<'_>) -> Aabb {
    let (min, max) = frame.bounds;
    let origin = frame.stage.origin;
    Aabb { min: (min - origin).as_vec3(), max: (max - origin).as_vec3() }
}

/// Calls `draw` per overlay line: the scene's axes, a trail, strokes, then the marked vertex as a disc.
pub fn lines(frame: &Frame<'_>, mut draw: impl FnMut(OverlayLine)) {
    const PATH: [u8; 4] = [0xff, 0x9d, 0x2e, 235];
    const KEY: [u8; 4] = [0xff, 0x9d, 0x2e, 0];
    const VERTEX: [u8; 4] = [0xff, 0x3d, 0xb0, 0];
    if frame.look.axes {
        let origin = (-frame.stage.origin).as_vec3();
        let reach = 0.5 * framed_box(frame).size().max_element();
        for (axis, color) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().zip(joints::AXES) {
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
    if let Some(MarkedVertex { drawn, instance, index }) = frame.look.highlight.vertex
        && let Some(at) = frame.stage.vertex_position(frame.model, drawn, instance, index)
    {
        let at = (at - frame.stage.origin).as_vec3();
        draw(OverlayLine { head: at, tail: at, color: VERTEX, size: 1.0 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_cell_is_a_power_of_ten_that_fits_the_model() {
        for (size, cell) in [(1.8, 0.1), (0.02, 0.001), (150.0, 10.0), (1.0, 0.1)] {
            let actual = grid_size(size).cell;
            assert!((actual / cell - 1.0).abs() < 1e-5, "{size}: {actual}");
        }
    }
}
