//! What surrounds a model in a frame: which of environment, shadow, ground and lines over the picture it
//! has, and the numbers that they need. Drawing them is for `shadow`, `ground` and `skeleton`.

use glam::{Mat4, Vec3};

use super::frame::{FrameNumbers, OverlayLine, camera_uniform};
use super::layout::FrameUniform;
use super::lights;
use super::plan::Plan;
use super::renderer::Frame;
use super::shadow::ShadowView;
use crate::look::{Backdrop, EnvironmentSource, Lighting, Look, Pass};
use crate::model::{Aabb, Projection};

/// How dark the shadow on the ground is.
const SHADOW_ON_GROUND: f32 = 0.42;

/// The frame's numbers, for the camera and for the key light.
pub fn numbers(frame: &Frame<'_>, shadow: Option<&ShadowView>, size: [u32; 2]) -> FrameNumbers {
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
    FrameNumbers { camera, light, lights, joint }
}

/// How the key light sees the scene, where it shines on one.
pub fn shadow_view(frame: &Frame<'_>, bounds: &Aabb) -> Option<ShadowView> {
    let shines = frame.look.pass.is_shaded()
        && lights::has_key_light(&frame.look.lighting, frame.model, frame.stage);
    if shines { ShadowView::new(bounds, around(frame).0.y) } else { None }
}

/// The environment is behind lit pictures.
pub fn shows_sky(look: &Look) -> bool {
    look.pass.is_shaded() && look.lighting.backdrop != Backdrop::None
}

/// The ground is seen from above where shadow falls on it, and from both sides where it has a grid.
pub fn shows_ground(frame: &Frame<'_>, shadow: Option<&ShadowView>) -> bool {
    let grid = frame.look.grid && !matches!(frame.look.pass, Pass::Mask | Pass::Depth);
    let axes = &frame.view.world_from_camera;
    let above = match frame.view.projection {
        Projection::Perspective { .. } => axes.translation.y > frame.bounds.0.y,
        Projection::Orthographic { .. } => axes.matrix3.z_axis.y > 0.0,
    };
    grid || (above && shadow.is_some())
}

/// Whether anything is laid over the picture.
pub fn shows_overlay(plan: &Plan, look: &Look) -> bool {
    let lines = look.axes || look.bounds || look.joint_names;
    (lines && look.takes_overlays()) || shows_skeleton(plan, look)
}

/// The skeleton is shown where it is asked for, and where there is nothing else to show.
pub fn shows_skeleton(plan: &Plan, look: &Look) -> bool {
    let alone = plan.draws.is_empty() && !plan.bones.is_empty();
    (look.skeleton || alone) && look.takes_overlays()
}

/// Fills in the environment.
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

/// Fills in where the key light's shadow is looked up.
fn put_shadow(uniform: &mut FrameUniform, view: &ShadowView) {
    let eye = Vec3::from_slice(&uniform.eye);
    let map_from_eye = view.map_from_world * Mat4::from_translation(eye);
    uniform.shadow_from_eye = map_from_eye.to_cols_array_2d();
    uniform.shadow = view.numbers;
}

/// Fills in the ground: as far as shadow can fall, or as a grid reaches.
fn put_ground(uniform: &mut FrameUniform, frame: &Frame<'_>, shadow: Option<&ShadowView>) {
    let eye = Vec3::from_slice(&uniform.eye);
    let (low, high) = around(frame);
    let size = (high - low).max_element();
    let lift = 2e-4 * size;
    let mut middle = (0.5 * (low + high)).with_y(low.y - lift);
    let mut reach = 0.0;
    if let Some(view) = shadow {
        (middle, reach) = (view.ground.0 - lift * Vec3::Y, view.ground.1);
        uniform.grid[0] = SHADOW_ON_GROUND;
    }
    if frame.look.grid && size > 0.0 {
        let (cell, edge) = grid(size);
        // The lines stand where the scene's coordinates are round.
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

/// A cell of the grid for a model of this size, and how far the grid reaches: every tenth line is a
/// strong one, and the model spans one to ten of those cells.
fn grid(size: f32) -> (f32, f32) {
    let cell = 10f32.powf(size.log10().floor() - 1.0);
    (cell, (4.0 * size).max(30.0 * cell))
}

/// The box of what the session frames, relative to the stage's origin.
pub fn around(frame: &Frame<'_>) -> (Vec3, Vec3) {
    let (min, max) = frame.bounds;
    ((min - frame.stage.origin).as_vec3(), (max - frame.stage.origin).as_vec3())
}

/// The lines over the picture: the scene's axes, then the posed model's box.
pub fn lines(frame: &Frame<'_>, bounds: &Aabb, mut draw: impl FnMut(OverlayLine)) {
    const COLORS: [[u8; 4]; 3] =
        [[0xe8, 0x4a, 0x4a, 255], [0x5f, 0xc2, 0x4e, 255], [0x4c, 0x8d, 0xf5, 255]];
    const BOX: [u8; 4] = [0xd8, 0xdc, 0xe4, 200];
    if frame.look.axes {
        let (low, high) = around(frame);
        let origin = (-frame.stage.origin).as_vec3();
        let reach = 0.5 * (high - low).max_element();
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
    fn a_grids_cell_is_a_power_of_ten_that_fits_the_model() {
        for (size, cell) in [(1.8, 0.1), (0.02, 0.001), (150.0, 10.0), (1.0, 0.1)] {
            assert!((grid(size).0 / cell - 1.0).abs() < 1e-5, "{size}: {}", grid(size).0);
        }
    }
}
