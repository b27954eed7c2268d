//! Renders a frame to a texture and reads it back, in one piece or, to save memory, in tiles.

use super::Picture;
use super::legend::draw_legend;
use super::picture::{check_size, picture_texture};
use glam::DVec2;

use rigview_look::{Corner, Look, View};
use rigview_model::{Material, linear_from_srgb, srgb_from_linear};
use rigview_render::{Frame, Gpu, GpuError, ReadBack, Renderer, Target, Tile};

/// Texture memory of a picture in one piece, in bytes. Larger pictures are drawn in tiles.
const BUDGET: u64 = 512 << 20;

/// Texture memory limit of a picture that can't be drawn in tiles, in bytes.
const MOST: u64 = 2 << 30;

/// Edge length of a tile in pixels.
const TILE: u32 = 2048;

/// Shifts of the drawings of a picture with 16 samples per pixel, in pixels.
const SHIFTS: [[f64; 2]; 4] = [[-0.125, -0.375], [0.375, -0.125], [-0.375, 0.125], [0.125, 0.375]];

/// Whether a picture with this look is the average of several drawings.
pub fn is_averaged(look: &Look) -> bool {
    look.pass.is_smooth() && look.samples > 4
}

/// Returns the views of the drawings of which a picture of this size in pixels is the average.
pub fn shifted_views(view: &View, size: [u32; 2]) -> [View; SHIFTS.len()] {
    let size = DVec2::from(size.map(f64::from));
    SHIFTS.map(|shift| View { shift: view.shift + 2.0 * DVec2::from(shift) / size, ..*view })
}

/// Returns the texels of a frame whose view has this size in pixels, as `draw` renders them: the average of several
/// drawings, each shifted by less than a pixel, if its look wants that.
///
/// # Errors
/// Those of `draw`.
pub fn averaged(
    frame: &Frame,
    size: [u32; 2],
    mut draw: impl FnMut(&Frame) -> Result<Vec<u8>, GpuError>,
) -> Result<Vec<u8>, GpuError> {
    if !is_averaged(frame.look) {
        return draw(frame);
    }
    let views = shifted_views(frame.view, size);
    let drawn = views.iter().map(|view| draw(&Frame { view, ..*frame }));
    Ok(average(&drawn.collect::<Result<Vec<_>, _>>()?))
}

/// Renders a frame at `size` pixels.
///
/// # Errors
/// As [`picture`](super::picture()).
pub fn still(
    gpu: &Gpu,
    renderer: &mut Renderer,
    frame: &Frame,
    size: [u32; 2],
) -> Result<Picture, GpuError> {
    Canvas::new(gpu, frame, size)?.draw(gpu, renderer, frame, &mut None)
}

/// A texture to draw pictures of one size on, and the buffer to read it back.
pub(super) struct Canvas {
    /// Size of the picture in pixels.
    size: [u32; 2],
    /// Size of the texture: the picture's, or less if the picture is drawn in tiles.
    tile: [u32; 2],
    texture: wgpu::Texture,
    read_back: ReadBack,
}

impl Canvas {
    /// Creates the canvas for pictures like this frame.
    ///
    /// # Errors
    /// If the adapter can't draw the pass or so large a picture.
    pub fn new(gpu: &Gpu, frame: &Frame, size: [u32; 2]) -> Result<Self, GpuError> {
        check_size(gpu, size)?;
        Self::in_tiles(gpu, frame, size, tile_size(frame, size)?)
    }

    fn in_tiles(
        gpu: &Gpu,
        frame: &Frame,
        size: [u32; 2],
        tile: [u32; 2],
    ) -> Result<Self, GpuError> {
        let texture = picture_texture(gpu, tile, frame.look.pass)?;
        let read_back = ReadBack::new(gpu, &texture);
        Ok(Self { size, tile, texture, read_back })
    }

    /// Whether the frame can be drawn on it as on a new canvas.
    pub fn fits(&self, frame: &Frame) -> bool {
        self.texture.format() == Picture::target_format(frame.look.pass)
            && tile_size(frame, self.size).is_ok_and(|tile| tile == self.tile)
    }

    /// Renders a frame that fits. `legend` is the corner of the legend in the picture before, and becomes that of this one.
    ///
    /// # Errors
    /// If the GPU fails.
    pub fn draw(
        &self,
        gpu: &Gpu,
        renderer: &mut Renderer,
        frame: &Frame,
        legend: &mut Option<Corner>,
    ) -> Result<Picture, GpuError> {
        let texels = averaged(frame, self.size, |frame| self.texels(gpu, renderer, frame))?;
        let mut picture = Picture::new(self.size, frame.look.pass, texels);
        draw_legend(&mut picture, frame, legend);
        Ok(picture)
    }

    /// Renders a frame, in tiles if necessary, and returns the picture's texels.
    fn texels(
        &self,
        gpu: &Gpu,
        renderer: &mut Renderer,
        frame: &Frame,
    ) -> Result<Vec<u8>, GpuError> {
        let Self { size, tile, texture, read_back } = self;
        let view = texture.create_view(&Default::default());
        let (format, rect) = (texture.format(), [0, 0, tile[0], tile[1]]);
        let mut draw = |part| {
            let label = Some("picture");
            let mut encoder =
                gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label });
            let target = Target { view: &view, format, rect, part };
            renderer.draw(gpu, &mut encoder, frame, &target)?;
            gpu.queue.submit([encoder.finish()]);
            read_back.read(gpu, texture)
        };
        if tile == size {
            return draw(None);
        }
        let texel = format.block_copy_size(None).unwrap_or(4) as usize;
        let [width, height, across, down] =
            [size[0], size[1], tile[0], tile[1]].map(|n| n as usize);
        let mut texels = vec![0; width * height * texel];
        for top in (0..height).step_by(down) {
            for left in (0..width).step_by(across) {
                let corner = [left, top].map(|n| n as u32);
                let drawn = draw(Some(Tile { corner, whole: *size }))?;
                let run = across.min(width - left) * texel;
                for (y, row) in (top..height).zip(drawn.chunks_exact(across * texel)) {
                    let start = (y * width + left) * texel;
                    texels[start..start + run].copy_from_slice(&row[..run]);
                }
            }
        }
        Ok(texels)
    }
}

/// Returns the size of the tiles that a picture is drawn in.
fn tile_size(frame: &Frame, size: [u32; 2]) -> Result<[u32; 2], GpuError> {
    let [width, height] = size.map(u64::from);
    let bytes = width * height * bytes_per_pixel(frame.look);
    if bytes <= BUDGET {
        return Ok(size);
    }
    // A transmissive surface can refract any part of the picture, also parts of other tiles.
    let blends = frame.look.pass.blends();
    if !(blends && frame.model.materials.iter().any(Material::is_transmissive)) {
        return Ok(size.map(|edge| edge.min(TILE)));
    }
    if bytes <= MOST {
        return Ok(size);
    }
    let most = MOST / bytes_per_pixel(frame.look) / 1_000_000;
    Err(GpuError::TooMuch(format!(
        "--size {width}x{height}: with materials that light goes through (KHR_materials_transmission) at \
         most {most} million pixels, more with --samples 1"
    )))
}

/// Estimates the bytes per pixel: colour and depth per sample, and the resolved, blurred, overlaid and
/// finished pictures.
fn bytes_per_pixel(look: &Look) -> u64 {
    let samples = if look.pass.is_smooth() { look.samples.min(4) } else { 1 };
    let ghosts = if look.aids.onion.is_some() { u64::from(samples) * 12 + 12 } else { 0 };
    u64::from(samples) * 12 + 28 + ghosts
}

/// Returns the average of pictures with straight alpha, in linear light.
fn average(pictures: &[Vec<u8>]) -> Vec<u8> {
    let linear: [f32; 256] = std::array::from_fn(|byte| linear_from_srgb(byte as f32 / 255.0));
    let encoded = |light: f32| (255.0 * srgb_from_linear(light)).round() as u8;
    let [first, others @ ..] = pictures else { return Vec::new() };
    let mut out = first.clone();
    for (at, pixel) in out.chunks_exact_mut(4).enumerate() {
        let range = 4 * at..4 * at + 4;
        if others.iter().all(|other| other[range.clone()] == *pixel) {
            continue;
        }
        let mut sum = [0.0f32; 4];
        for [r, g, b, a] in pictures.iter().filter_map(|p| p[range.clone()].first_chunk()) {
            let a = f32::from(*a);
            let color = [r, g, b].map(|byte| linear[usize::from(*byte)] * a);
            let added = [color[0], color[1], color[2], a];
            sum.iter_mut().zip(added).for_each(|(sum, new)| *sum += new);
        }
        for (byte, light) in pixel.iter_mut().zip(&sum[..3]) {
            *byte = if sum[3] > 0.0 { encoded(light / sum[3]) } else { *byte };
        }
        pixel[3] = (sum[3] / pictures.len() as f32).round() as u8;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session;
    use rigview_import::{ImportOptions, load_bytes};
    use rigview_look::{Backdrop, Pass};
    use rigview_render::{AdapterChoice, GpuModel};
    use rigview_session::{CameraAction, FileSource, PlaybackAction, SessionOptions};

    const CREATURE: &[u8] = include_bytes!("../../../assets/creature.glb");

    #[test]
    fn tiles_make_the_picture_of_one_piece() {
        let choice = AdapterChoice { adapter: Some("software".into()), backend: None };
        let gpu = Gpu::headless(&choice).expect("a software adapter, which `make test` installs");
        let loaded = load_bytes(CREATURE.to_vec(), &ImportOptions::default()).unwrap();
        let source = FileSource::BuiltIn { name: "creature", bytes: CREATURE };
        let mut session = session(source, loaded, SessionOptions::default());
        let size = [330, 250];
        session.apply(CameraAction::SetAspect(330.0 / 250.0));
        session.apply(PlaybackAction::Seek(0.4));
        session.pose();
        let (document, stage) =
            (session.playback().document().unwrap(), session.playback().stage().unwrap());
        let gpu_model = GpuModel::new(&gpu, &document.model);
        let mut renderer = Renderer::new(&gpu);
        for pass in [Pass::Shaded, Pass::Mask, Pass::Depth, Pass::Wireframe, Pass::Normal] {
            let mut look = Look { pass, skeleton: true, joint_names: true, ..Look::default() };
            (look.grid, look.axes, look.bounds) = (true, true, true);
            look.lighting.backdrop = Backdrop::Blurred;
            let view = session.view();
            let frame = Frame {
                model: &document.model,
                gpu_model: &gpu_model,
                stage,
                others: &[],
                ghosts: &[],
                view: &view,
                look: &look,
                bounds: session.camera().bounds(),
                metered: None,
            };
            assert_eq!(tile_size(&frame, size).unwrap(), size);
            assert_eq!(tile_size(&frame, [8192, 8192]).unwrap(), [TILE, TILE]);
            let mut in_tiles = |tile| {
                let canvas = Canvas::in_tiles(&gpu, &frame, size, tile).unwrap();
                canvas.texels(&gpu, &mut renderer, &frame).unwrap()
            };
            let (whole, tiled) = (in_tiles(size), in_tiles([128, 96]));
            // A tile's viewport is shifted, so that coordinates are rounded elsewhere.
            let bytes = |texels| match Picture::new(size, pass, texels) {
                Picture::Grey16 { values, .. } => values.iter().map(|v| (v >> 8) as u8).collect(),
                Picture::Rgba8 { bytes, .. } | Picture::Rgb8 { bytes, .. } => bytes,
            };
            let (whole, tiled): (Vec<u8>, Vec<u8>) = (bytes(whole), bytes(tiled));
            let off = || whole.iter().zip(&tiled).filter(|(a, b)| a != b);
            let far = off().filter(|(a, b)| a.abs_diff(**b) > 2).count();
            let (off, all) = (off().count(), whole.len());
            assert!(off * 2500 < all, "{pass:?}: {off} of {all} bytes differ");
            assert!(far <= 8, "{pass:?}: {far} bytes differ by more than 2");
        }
    }
}
