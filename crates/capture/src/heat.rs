//! Draws a model with its distance from another one as heat, and a legend in millimetres.

use glam::DVec3;

use super::paper::Paper;
use super::{Picture, still};
use rigview_compare::{Heat, heat_color};
use rigview_look::Look;
use rigview_model::{SceneBox, Stage, three_digits};
use rigview_render::{Frame, Gpu, GpuError, GpuModel, Lettering, Renderer};
use rigview_session::OrbitCamera;

/// Renders a model in the colours of its distances. One camera frames this model and the one that it was
/// compared with. `caption` is written above the model, the legend below it; a picture of less than 150 rows
/// has neither.
///
/// # Errors
/// If the GPU fails, or the picture is larger than it can draw.
pub fn heat_picture(
    gpu: &Gpu,
    heat: &Heat,
    caption: &str,
    size: [u32; 2],
) -> Result<Picture, GpuError> {
    let model = &heat.model;
    let mut stage = Stage::new(model, model.default_scene);
    let clip = heat.clip.map(|clip| &model.clips[clip]);
    stage.pose(model, clip, heat.time_secs);
    let bands = if size[1] >= LEAST_HEIGHT { [TOP, BOTTOM] } else { [0, 0] };
    let inner = [size[0], size[1] - bands[0] - bands[1]];
    let aspect = f64::from(inner[0]) / f64::from(inner[1]);
    let mut camera = OrbitCamera {
        azimuth: 30f64.to_radians(),
        elevation: 15f64.to_radians(),
        ..OrbitCamera::default()
    };
    camera.frame(&heat.outermost, aspect);
    let bounds = SceneBox::around(&heat.outermost);
    let bounds = bounds.unwrap_or(SceneBox { min: DVec3::ZERO, max: DVec3::ONE });
    let frame = Frame {
        model,
        gpu_model: &GpuModel::new(gpu, model),
        stage: &stage,
        others: &[],
        ghosts: &[],
        view: &camera.view(bounds),
        look: &Look::default(),
        bounds,
        metered: None,
    };
    let picture = still(gpu, &mut Renderer::new(gpu), &frame, inner)?;
    let (Picture::Rgba8 { bytes, .. }, true) = (&picture, bands != [0, 0]) else {
        return Ok(picture);
    };
    let row = size[0] as usize;
    let empty = |rows: u32| frame.look.background.repeat(row * rows as usize);
    let mut bytes = [&empty(bands[0])[..], bytes, &empty(bands[1])].concat();
    let mut paper = Paper { size, bytes: &mut bytes };
    draw_legend(&mut paper, heat.largest * 1000.0, caption);
    Ok(Picture::Rgba8 { size, bytes })
}

/// Height of a line of text, and of the bar of colours, in pixels.
const LINE: f32 = 16.0;
const BAR: i32 = 12;

/// Distance of the text from the picture's edges, in pixels.
const MARGIN: i32 = 12;

/// Heights of the bands above and below the model in pixels, and of the lowest picture that has them.
const TOP: u32 = 32;
const BOTTOM: u32 = 52;
const LEAST_HEIGHT: u32 = 150;

const INK: [u8; 3] = [0xe8, 0xea, 0xed];

/// Draws the caption at the top, and a bar of all colours with their millimetres at the bottom.
fn draw_legend(paper: &mut Paper<'_>, largest_mm: f64, caption: &str) {
    let Some(mut letters) = Lettering::new(LINE) else { return };
    let [width, height] = paper.size.map(|n| n as i32);
    let room = (width - 2 * MARGIN) as f32;
    let caption = letters.shortened(caption, room);
    paper.write(&mut letters, &caption, [MARGIN, (TOP as i32 - LINE as i32) / 2], INK);
    let bar = (width - 2 * MARGIN).clamp(1, 320);
    let top = height - MARGIN - BAR - LINE as i32 - 2;
    for x in 0..bar {
        let color = heat_color(x as f32 / (bar - 1).max(1) as f32);
        paper.fill([MARGIN + x, top, 1, BAR], color, 1.0);
    }
    let below = top + BAR + 2;
    // Ticks at 0, half and all of the largest distance.
    for (share, place) in [(0.0, 0.0), (0.5, 0.5), (1.0, 1.0)] {
        let text = match share {
            0.0 => "0".to_owned(),
            1.0 => format!("{} mm", three_digits(largest_mm, 6)),
            _ => three_digits(share * largest_mm, 6),
        };
        let left = place * (bar as f32 - letters.width(&text));
        paper.write(&mut letters, &text, [MARGIN + left as i32, below], INK);
    }
}
