//! Draws a model into a texture of another wgpu program.
//!
//! `cargo run --example embed -- OUT.png` plays the part of that program. It owns the device, the texture
//! and the command encoder, and rigview records a model into the right half of the texture. In a program
//! with a window the texture would be that of the swap chain.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;
use std::fs::File;
use std::path::Path;

use rigview::capture::{Picture, write_png};
use rigview::glam::DVec3;
use rigview::import::{ImportOptions, load};
use rigview::look::{Look, View};
use rigview::model::{Projection, SceneBox, Stage};
use rigview::render::{Frame, Gpu, GpuModel, Renderer, Target, read_texture};

const SIZE: [u32; 2] = [800, 400];
const RIGHT_HALF: [u32; 4] = [400, 0, 400, 400];

fn main() -> Result<(), Box<dyn Error>> {
    let output = std::env::args_os().nth(1).ok_or("usage: embed OUT.png")?;

    let gpu = pollster::block_on(open_device())?;
    let format = wgpu::TextureFormat::Rgba8Unorm;
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("the program's picture"),
        size: wgpu::Extent3d { width: SIZE[0], height: SIZE[1], depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    });
    let canvas = texture.create_view(&wgpu::TextureViewDescriptor::default());

    // Once per file: read it, upload it, and set up its scene.
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/creature.glb");
    let model = load(Path::new(file), &ImportOptions::default())?.model;
    let gpu_model = GpuModel::new(&gpu, &model);
    let mut stage = Stage::new(&model, model.default_scene);
    let mut renderer = Renderer::new(&gpu);

    // Once per frame: pose the scene, choose a view and record the draws.
    stage.pose(&model, model.clips.first(), 0.5);
    let posed = stage.bounds(&model);
    let [min, max] = [posed.min, posed.max].map(|corner| corner.as_dvec3() + stage.origin);
    let bounds = SceneBox { min, max };
    let middle = bounds.center();
    let eye = middle + bounds.size().length() * DVec3::new(0.7, 0.4, 1.2);
    let lens = Projection::Perspective { fov_y: 0.7, aspect: None, near: 0.01, far: None };
    let frame = Frame {
        model: &model,
        gpu_model: &gpu_model,
        stage: &stage,
        others: &[],
        ghosts: &[],
        view: &View::look_at(eye, middle, DVec3::Y, lens),
        look: &Look::default(),
        bounds,
        metered: None,
    };
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let target = Target { view: &canvas, format, rect: RIGHT_HALF, part: None };
    // The rest of the texture is cleared to black, so the program records its own draws after this.
    renderer.draw(&gpu, &mut encoder, &frame, &target)?;
    gpu.queue.submit([encoder.finish()]);

    let bytes = read_texture(&gpu, &texture)?;
    write_png(&Picture::Rgba8 { size: SIZE, bytes }, File::create(output)?)?;
    Ok(())
}

/// Opens the program's own device and hands it to rigview, which needs no features, and no limits beyond
/// wgpu's defaults for old hardware.
async fn open_device() -> Result<Gpu, Box<dyn Error>> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = instance.request_adapter(&wgpu::RequestAdapterOptions::default()).await?;
    let required_limits = wgpu::Limits::downlevel_defaults().using_resolution(adapter.limits());
    let descriptor = wgpu::DeviceDescriptor { required_limits, ..Default::default() };
    let (device, queue) = adapter.request_device(&descriptor).await?;
    Ok(Gpu::of_device(adapter, device, queue))
}
