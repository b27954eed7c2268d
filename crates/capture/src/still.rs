//! Renders a frame to a texture and reads it back, in one piece or, to save memory, in tiles.

use super::Picture;
use super::legend::LegendCard;
use super::picture::{check_size, picture_texture};
use glam::DVec2;

#[cfg(not(target_family = "wasm"))]
use rigview_look::Corner;
use rigview_look::{Look, View};
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

/// Returns the views of the drawings of which the picture of a frame consists: several, each shifted by less than a pixel,
/// if its look wants that. `size` is that of the picture in pixels.
pub fn drawing_views(frame: &Frame, size: [u32; 2]) -> Vec<View> {
    if is_averaged(frame.look) {
        shifted_views(frame.view, size).to_vec()
    } else {
        vec![*frame.view]
    }
}

/// Renders a frame at `size` pixels, and waits for it.
///
/// # Errors
/// As [`picture`](super::picture()).
#[cfg(not(target_family = "wasm"))]
pub fn still(
    gpu: &Gpu,
    renderer: &mut Renderer,
    frame: &Frame,
    size: [u32; 2],
) -> Result<Picture, GpuError> {
    Canvas::new(gpu, frame, size)?.draw(gpu, renderer, frame, &mut None)
}

/// Begins to render a frame at `size` pixels.
///
/// # Errors
/// If the adapter can't draw the pass or so large a picture.
pub fn begin_still(
    gpu: &Gpu,
    renderer: &mut Renderer,
    frame: &Frame,
    size: [u32; 2],
) -> Result<ReadBack<Picture>, GpuError> {
    let canvas = Canvas::new(gpu, frame, size)?;
    let (pass, legend) = (frame.look.pass, LegendCard::new(frame, size, &mut None));
    let mut drawings = Vec::new();
    for view in &drawing_views(frame, size) {
        let frame = &Frame { view, ..*frame };
        let tiles = canvas.tiles();
        let parts = tiles.iter().map(|part| canvas.begin(gpu, renderer, frame, *part));
        let mut mosaic = canvas.mosaic();
        let drawing = ReadBack::all(parts.collect::<Result<Vec<_>, _>>()?).map(move |parts| {
            tiles.iter().zip(parts).for_each(|(tile, texels)| mosaic.insert(*tile, texels));
            mosaic.texels
        });
        drawings.push(drawing);
    }
    Ok(ReadBack::all(drawings).map(move |drawings| {
        let mut picture = Picture::new(size, pass, average(drawings));
        legend.iter().for_each(|card| card.paint(&mut picture));
        picture
    }))
}

/// A texture to draw pictures of one size on.
pub(super) struct Canvas {
    /// Size of the picture in pixels.
    size: [u32; 2],
    /// Size of the texture: the picture's, or less if the picture is drawn in tiles.
    tile: [u32; 2],
    texture: wgpu::Texture,
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
        Ok(Self { size, tile, texture: picture_texture(gpu, tile, frame.look.pass)? })
    }

    /// Whether the frame can be drawn on it as on a new canvas.
    #[cfg(not(target_family = "wasm"))]
    pub fn fits(&self, frame: &Frame) -> bool {
        self.texture.format() == Picture::target_format(frame.look.pass)
            && tile_size(frame, self.size).is_ok_and(|tile| tile == self.tile)
    }

    /// Renders a frame that fits, and waits for each part of it. `legend` is the corner of the legend in the picture before,
    /// and becomes that of this one.
    ///
    /// # Errors
    /// If the GPU fails.
    #[cfg(not(target_family = "wasm"))]
    pub fn draw(
        &self,
        gpu: &Gpu,
        renderer: &mut Renderer,
        frame: &Frame,
        legend: &mut Option<Corner>,
    ) -> Result<Picture, GpuError> {
        let views = drawing_views(frame, self.size);
        let drawings =
            views.iter().map(|view| self.texels(gpu, renderer, &Frame { view, ..*frame }));
        let texels = average(drawings.collect::<Result<Vec<_>, _>>()?);
        let mut picture = Picture::new(self.size, frame.look.pass, texels);
        if let Some(card) = LegendCard::new(frame, self.size, legend) {
            card.paint(&mut picture);
        }
        Ok(picture)
    }

    /// Renders one drawing of a frame, in tiles if necessary, one after the other, and returns its texels.
    #[cfg(not(target_family = "wasm"))]
    fn texels(
        &self,
        gpu: &Gpu,
        renderer: &mut Renderer,
        frame: &Frame,
    ) -> Result<Vec<u8>, GpuError> {
        let mut mosaic = self.mosaic();
        for tile in self.tiles() {
            mosaic.insert(tile, self.begin(gpu, renderer, frame, tile)?.wait(gpu)?);
        }
        Ok(mosaic.texels)
    }

    /// Begins to render a tile of a drawing, or with `None` the whole one.
    fn begin(
        &self,
        gpu: &Gpu,
        renderer: &mut Renderer,
        frame: &Frame,
        part: Option<Tile>,
    ) -> Result<ReadBack, GpuError> {
        let Self { tile, texture, .. } = self;
        let view = &texture.create_view(&Default::default());
        let label = Some("picture");
        let mut encoder =
            gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label });
        let rect = [0, 0, tile[0], tile[1]];
        let target = Target { view, format: texture.format(), rect, part };
        renderer.draw(gpu, &mut encoder, frame, &target)?;
        gpu.queue.submit([encoder.finish()]);
        Ok(ReadBack::new(gpu, texture))
    }

    /// Returns the tiles that a drawing consists of: `None` for one in one piece.
    fn tiles(&self) -> Vec<Option<Tile>> {
        let Self { size: whole, tile: [across, down], .. } = *self;
        if self.tile == whole {
            return vec![None];
        }
        let tops = (0..whole[1]).step_by(down as usize);
        let lefts = (0..whole[0]).step_by(across as usize);
        let corners = tops.flat_map(|top| lefts.clone().map(move |left| [left, top]));
        corners.map(|corner| Some(Tile { corner, whole })).collect()
    }

    fn mosaic(&self) -> Mosaic {
        let texel = self.texture.format().block_copy_size(None).unwrap_or(4) as usize;
        let tiles = self.tile != self.size;
        let count = self.size.map(|edge| edge as usize).iter().product::<usize>();
        let texels = if tiles { vec![0; count * texel] } else { Vec::new() };
        Mosaic { width: self.size[0] as usize, tile: self.tile.map(|n| n as usize), texel, texels }
    }
}

/// The texels of a drawing, joined from those of its tiles.
struct Mosaic {
    /// Width of the drawing in texels.
    width: usize,
    /// Width and height of a tile in texels.
    tile: [usize; 2],
    /// Bytes per texel.
    texel: usize,
    texels: Vec<u8>,
}

impl Mosaic {
    /// Takes the texels of a tile, or with `None` those of the whole drawing.
    fn insert(&mut self, tile: Option<Tile>, texels: Vec<u8>) {
        let Some(Tile { corner, .. }) = tile else {
            self.texels = texels;
            return;
        };
        let [left, top] = corner.map(|n| n as usize);
        let run = self.tile[0].min(self.width - left) * self.texel;
        let rows = self.texels.chunks_exact_mut(self.width * self.texel).skip(top);
        for (row, drawn) in rows.zip(texels.chunks_exact(self.tile[0] * self.texel)) {
            row[left * self.texel..][..run].copy_from_slice(&drawn[..run]);
        }
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

/// Returns the average of drawings with straight alpha, in linear light. One drawing stays as it is, whatever its texels
/// are.
pub fn average(mut pictures: Vec<Vec<u8>>) -> Vec<u8> {
    if pictures.len() == 1 {
        return pictures.swap_remove(0);
    }
    let linear: [f32; 256] = std::array::from_fn(|byte| linear_from_srgb(byte as f32 / 255.0));
    let encoded = |light: f32| (255.0 * srgb_from_linear(light)).round() as u8;
    let [first, others @ ..] = &pictures[..] else { return Vec::new() };
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
