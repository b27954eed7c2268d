//! Decides which of environment, shadow, ground and overlays a frame shows, and computes their uniforms.
//! `shadow`, `ground` and `skeleton` draw them.

use glam::{Mat4, Vec3};

use super::frame::Frame;
use super::frame_data::{FrameInputs, OverlayLine, camera_uniform};
use super::lights;
use super::plan::Plan;
use super::shadow_map::ShadowView;
use super::uniforms::FrameUniform;
use crate::look::{Backdrop, EnvironmentSource, Lighting, Look, Pass};
use crate::model::{Aabb, Projection};

/// Opacity of the shadow on the ground.
const SHADOW_ON_GROUND: f32 = 0.42;

/// Returns the inputs of the frame's data, for a picture of `size` pixels.
pub fn inputs(
    frame: &Frame<'_>,
    plan: &Plan,
    shadow: Option<&ShadowView>,
    size: [u32; 2],
) -> FrameInputs {
    let Frame { model, stage, view, look, .. } = *frame;
    let mut camera = camera_uniform(view, stage.origin, size, look.overlay_scale);
    let mut light = camera;
    put_environment(&mut camera, &look.lighting);
    if let Some(view) = shadow {
        put_shadow(&mut camera, view);
        light.projection_from_world = view.projection_from_world.to_cols_array_2d();
    }
    put_ground(&mut camera, frame, shadow);
    let shows_weights = look.pass == Pass::Weights;
    let first = || stage.joints(model).first().copied();
    let joint = if shows_weights { look.joint.or_else(first) } else { None };
    let eye = view.world_from_camera.translation;
    let lights = lights::lights_uniform(&look.lighting, model, stage, eye);
    FrameInputs { camera, light, lights, joint, skeleton: shows_skeleton(plan, look) }
}

/// Returns the key light's view of the scene; `None` in unlit passes and where there is no key light.
pub fn shadow_view(frame: &Frame<'_>, bounds: &Aabb) -> Option<ShadowView> {
    let shines = frame.look.pass.is_shaded()
        && lights::has_key_light(&frame.look.lighting, frame.model, frame.stage);
    if shines { ShadowView::new(bounds, framed_box(frame).min.y) } else { None }
}

/// Whether the environment is drawn behind the scene.
pub fn shows_sky(look: &Look) -> bool {
    look.pass.is_shaded() && look.lighting.backdrop != Backdrop::None
}

/// Whether the ground is drawn: for a shadow if seen from above, for a grid always.
pub fn shows_ground(frame: &Frame<'_>, shadow: Option<&ShadowView>) -> bool {
    let grid = frame.look.grid && !matches!(frame.look.pass, Pass::Mask | Pass::Depth);
    let axes = &frame.view.world_from_camera;
    let above = match frame.view.projection {
        Projection::Perspective { .. } => axes.translation.y > frame.bounds.0.y,
        Projection::Orthographic { .. } => axes.matrix3.z_axis.y > 0.0,
    };
    grid || (above && shadow.is_some())
}

/// Whether the overlay has anything on it.
pub fn shows_overlay(plan: &Plan, look: &Look) -> bool {
    let lines = look.axes || look.bounds || look.joint_names;
    (lines && look.takes_overlays()) || shows_skeleton(plan, look)
}

/// Whether the skeleton is drawn: on request, and where there is nothing else to show.
fn shows_skeleton(plan: &Plan, look: &Look) -> bool {
    let alone = plan.draws.is_empty() && !plan.bones.is_empty();
    (look.skeleton || alone) && look.takes_overlays()
}

/// Fills in the fields of the environment.
fn put_environment(uniform: &mut FrameUniform, lighting: &Lighting) {
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
    uniform.environment = (lighting.intensity * factor).extend(last).to_array();
    uniform.environment_turn = [cos, sin, f32::from(u8::from(same)), behind];
}

/// Fills in the fields of the shadow map.
fn put_shadow(uniform: &mut FrameUniform, view: &ShadowView) {
    let eye = Vec3::from_slice(&uniform.eye);
    let map_from_eye = view.map_from_world * Mat4::from_translation(eye);
    uniform.shadow_from_eye = map_from_eye.to_cols_array_2d();
    uniform.shadow = view.numbers;
}

/// Fills in the ground, which extends as far as the shadow or the grid.
fn put_ground(uniform: &mut FrameUniform, frame: &Frame<'_>, shadow: Option<&ShadowView>) {
    let eye = Vec3::from_slice(&uniform.eye);
    let framed = framed_box(frame);
    let size = framed.size().max_element();
    let lift = 2e-4 * size;
    let mut middle = (0.5 * (framed.min + framed.max)).with_y(framed.min.y - lift);
    let mut reach = 0.0;
    if let Some(view) = shadow {
        (middle, reach) = (view.ground.center - lift * Vec3::Y, view.ground.reach);
        uniform.grid[0] = SHADOW_ON_GROUND;
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

/// Calls `draw` per overlay line: the scene's axes, then the posed model's box.
pub fn lines(frame: &Frame<'_>, bounds: &Aabb, mut draw: impl FnMut(OverlayLine)) {
    const COLORS: [[u8; 4]; 3] =
        [[0xe8, 0x4a, 0x4a, 255], [0x5f, 0xc2, 0x4e, 255], [0x4c, 0x8d, 0xf5, 255]];
    const BOX: [u8; 4] = [0xd8, 0xdc, 0xe4, 200];
    if frame.look.axes {
        let origin = (-frame.stage.origin).as_vec3();
        let reach = 0.5 * framed_box(frame).size().max_element();
        for (axis, color) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().zip(COLORS) {
            draw(OverlayLine { head: origin, tail: origin + reach * axis, color });
        }
    }
    if frame.look.bounds && !bounds.is_empty() {
        let corners = bounds.corners();
        for (i, corner) in corners.iter().enumerate() {
            for bit in [1, 2, 4] {
                if i & bit == 0 {
                    draw(OverlayLine { head: *corner, tail: corners[i | bit], color: BOX });
                }
            }
        }
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
