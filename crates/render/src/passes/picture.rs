//! The drawn scene and its overlay, as the last passes read them.

use bytemuck::{Pod, Zeroable};

use crate::scene::bind_layouts::{samples, texture, uniform};
use crate::scene::canvas::{Attachment, attachment};
use crate::scene::shared_frame::SharedFrame;
use crate::{Gpu, Target};
use rigview_look::{Look, Pass};

use super::overlay::OVERLAY_FORMAT;

/// Factors of a pixel's coordinates that give its noise, as in the shader.
const NOISE: [u32; 2] = [3_242_174_889, 2_447_445_414];

/// Darkening in the picture's corners.
const VIGNETTE: f32 = 0.10;

/// `Finish` in `shaders/finish.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct FinishUniform {
    /// sRGB, straight alpha.
    pub background: [f32; 4],
    /// Left and top of the picture on the target.
    pub corner: [u32; 2],
    /// Factor of the scene's light.
    pub exposure: f32,
    /// The noise of the first pixel.
    pub noise: u32,
    /// Middle of the whole picture on this part.
    pub middle: [f32; 2],
    /// One over its squared distance from the corners.
    pub per_reach: f32,
    /// Darkening in the corners.
    pub vignette: f32,
}

/// The bound textures.
#[derive(Default)]
pub struct Picture {
    numbers: Option<wgpu::Buffer>,
    bound: Option<Bound>,
}

/// The bind group and what it binds.
struct Bound {
    scene: wgpu::TextureView,
    overlay: Option<wgpu::TextureView>,
    input: PictureInput,
}

/// What a pass that reads the picture binds as group 0.
#[derive(Clone)]
pub struct PictureInput {
    pub layout: wgpu::BindGroupLayout,
    pub group: wgpu::BindGroup,
    /// Samples per pixel of the scene.
    pub samples: u32,
}

impl Picture {
    /// Frees the bind group, which keeps the scene's texture.
    pub fn free(&mut self) {
        self.bound = None;
    }

    /// Uploads the numbers of a frame, and returns its scene and overlay, bound.
    pub fn prepare(
        &mut self,
        shared: &SharedFrame<'_>,
        overlay: Option<&wgpu::TextureView>,
    ) -> &PictureInput {
        let (gpu, canvas) = (shared.gpu, shared.canvas);
        let Self { numbers, bound } = self;
        let numbers = numbers.get_or_insert_with(|| {
            gpu.uniform_buffer("last pass uniform", size_of::<FinishUniform>() as u64)
        });
        let uniform = finish_uniform(shared.frame.look, &shared.target);
        gpu.queue.write_buffer(numbers, 0, bytemuck::bytes_of(&uniform));
        bound
            .take_if(|bound| bound.scene != *canvas.picture() || bound.overlay.as_ref() != overlay);
        let make = || Bound {
            scene: canvas.picture().clone(),
            overlay: overlay.cloned(),
            input: bind(gpu, numbers, canvas.picture(), canvas.read_samples, overlay),
        };
        &bound.get_or_insert_with(make).input
    }
}

fn bind(
    gpu: &Gpu,
    numbers: &wgpu::Buffer,
    scene: &wgpu::TextureView,
    samples: u32,
    overlay: Option<&wgpu::TextureView>,
) -> PictureInput {
    let layout = input_layout(gpu, samples);
    // Textures are zero-initialised, so this one is transparent.
    let usage = wgpu::TextureUsages::TEXTURE_BINDING;
    let placeholder = Attachment {
        label: "placeholder overlay",
        size: [1, 1],
        format: OVERLAY_FORMAT,
        samples: 1,
        usage,
    };
    let overlay = overlay.cloned().unwrap_or_else(|| attachment(gpu, &placeholder));
    let [scene, overlay] = [scene, &overlay].map(wgpu::BindingResource::TextureView);
    let resources = [numbers.as_entire_binding(), scene, overlay];
    let group = gpu.bind("last pass input", &layout, &resources);
    PictureInput { layout, group, samples }
}

fn input_layout(gpu: &Gpu, of_samples: u32) -> wgpu::BindGroupLayout {
    let fragment = wgpu::ShaderStages::FRAGMENT;
    let scene = if of_samples > 1 { samples(1, fragment) } else { texture(1, fragment, false) };
    let numbers = uniform::<FinishUniform>(0, fragment, false);
    gpu.bind_layout("last pass", &[numbers, scene, texture(2, fragment, false)])
}

fn finish_uniform(look: &Look, target: &Target<'_>) -> FinishUniform {
    let [left, top, _, _] = target.rect;
    let mut background = look.background.map(|b| f32::from(b) / 255.0);
    // These are read as data: a mask is black or white, whatever the background.
    let is_data = look.pass == Pass::AmbientOcclusion && background[3] > 0.0;
    if is_data || look.pass == Pass::Mask {
        background = [0.0, 0.0, 0.0, 1.0];
    }
    let whole = target.whole().map(|edge| edge as f32);
    let part = target.part.map_or([0; 2], |part| part.corner);
    // As in the shader, so that the parts of a picture have the noise of the whole.
    let noise = [0, 1].map(|i| part[i].wrapping_mul(NOISE[i]));
    let noise = noise[0].wrapping_add(noise[1]);
    let corner = part.map(|edge| edge as f32);
    let middle = [0, 1].map(|i| 0.5 * whole[i] - corner[i]);
    let reach = 0.25 * (whole[0] * whole[0] + whole[1] * whole[1]);
    let (per_reach, vignette) = (reach.recip(), VIGNETTE);
    let corner = [left, top];
    let exposure = look.exposure.exp2();
    FinishUniform { background, corner, exposure, noise, middle, per_reach, vignette }
}
