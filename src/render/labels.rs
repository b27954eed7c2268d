//! The names of joints beside them, on the layer that is laid over the picture. A name that would cover
//! another is left out: nearer the camera there is room for it.

use std::sync::Arc;

use glam::{Mat4, Vec2};

use super::glyphs::Atlas;
use super::layout::{FrameUniform, texture};
use super::overlay::{self, OverlayShader};
use super::recording::Recording;
use super::renderer::Frame;
use super::{Gpu, shader};

/// How high letters are, in points.
const HEIGHT: f32 = 15.0;

/// From a joint to its name, in points.
const GAP: f32 = 7.0;

/// A rectangle and a place on the atlas, as `f32`.
const GLYPH_BYTES: u64 = 24;

/// What names are drawn with.
pub struct Labels {
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::RenderPipeline,
    written: Option<Written>,
}

/// The names of a model's joints at a size.
struct Written {
    model: Arc<()>,
    scale: f32,
    /// Nodes, and what is written beside them.
    names: Vec<(usize, String)>,
    atlas: Atlas,
    texture: wgpu::BindGroup,
    glyphs: wgpu::Buffer,
    /// What the buffer is filled from: a rectangle and a cell each.
    bytes: Vec<[f32; 6]>,
    /// Where names stand already.
    taken: Vec<(Vec2, Vec2)>,
}

impl Labels {
    /// Builds the pipeline.
    pub fn new(gpu: &Gpu, frame_layout: &wgpu::BindGroupLayout) -> Self {
        let layout = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("labels"),
            entries: &[texture(0, wgpu::ShaderStages::FRAGMENT, false)],
        });
        let pipeline = build(gpu, frame_layout, &layout);
        Self { layout, pipeline, written: None }
    }

    /// Draws the names of these joints over the layer. Allocates only for another model or scale.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        record: &mut Recording<'_>,
        (frame, joints, camera): (&Frame<'_>, &[(usize, Option<usize>)], &FrameUniform),
        (group, layer): (&wgpu::BindGroup, &wgpu::TextureView),
    ) {
        let scale = frame.look.overlay_scale;
        let fits =
            |w: &Written| Arc::ptr_eq(&w.model, &frame.gpu_model.identity) && w.scale == scale;
        if !self.written.as_ref().is_some_and(fits) {
            self.written = Written::new(gpu, &self.layout, frame, joints);
        }
        let Some(written) = &mut self.written else { return };
        written.place(frame, camera);
        gpu.queue.write_buffer(&written.glyphs, 0, bytemuck::cast_slice(&written.bytes));
        let mut pass = record.picture_pass(
            "labels",
            wgpu::RenderPassDescriptor {
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: layer,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations { load: wgpu::LoadOp::Load, store: wgpu::StoreOp::Store },
                })],
                ..Default::default()
            },
        );
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, group, &[]);
        pass.set_bind_group(1, &written.texture, &[]);
        pass.set_vertex_buffer(0, written.glyphs.slice(..));
        pass.draw(0..4, 0..written.bytes.len() as u32);
    }
}

impl Written {
    fn new(
        gpu: &Gpu,
        layout: &wgpu::BindGroupLayout,
        frame: &Frame<'_>,
        joints: &[(usize, Option<usize>)],
    ) -> Option<Self> {
        let scale = frame.look.overlay_scale;
        let name = |node: usize| match &frame.model.nodes[node].name {
            Some(name) if !name.trim().is_empty() => {
                name.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).take(64).collect()
            }
            _ => format!("node {node}"),
        };
        let names: Vec<(usize, String)> =
            joints.iter().map(|(node, _)| (*node, name(*node))).collect();
        let words = names.iter().map(|(_, name)| name.as_str());
        let atlas = match Atlas::new(words, (HEIGHT * scale).clamp(6.0, 96.0)) {
            Ok(atlas) => atlas,
            Err(error) => {
                log::warn!("no names: the built-in font: {error}");
                return None;
            }
        };
        if atlas.size[1] > gpu.device.limits().max_texture_dimension_2d {
            log::warn!("no names: their letters are too many for the adapter");
            return None;
        }
        let letters: usize = names.iter().map(|(_, name)| name.chars().count()).sum();
        let glyphs = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("labels"),
            size: letters.max(1) as u64 * GLYPH_BYTES,
            usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let texture = upload(gpu, layout, &atlas);
        let (bytes, taken) = (Vec::with_capacity(letters), Vec::with_capacity(names.len()));
        let model = Arc::clone(&frame.gpu_model.identity);
        Some(Self { model, scale, names, atlas, texture, glyphs, bytes, taken })
    }

    /// Puts each name beside its joint, where there is room on one of its sides.
    fn place(&mut self, frame: &Frame<'_>, camera: &FrameUniform) {
        self.bytes.clear();
        self.taken.clear();
        let projection = Mat4::from_cols_array_2d(&camera.projection_from_world);
        let [_, _, width, height] = camera.range_and_size;
        let half = 0.5 * Vec2::new(width, height);
        let gap = GAP * self.scale;
        for (node, name) in &self.names {
            let clip = projection * frame.stage.position(*node).extend(1.0);
            if clip.w <= 0.0 || clip.z < 0.0 || clip.z > clip.w {
                continue;
            }
            let at = (Vec2::new(clip.x, -clip.y) / clip.w * half + half).round();
            let size = Vec2::new(self.atlas.width(name).ceil(), self.atlas.ascent.ceil());
            let sides = [
                Vec2::new(gap, -0.5 * size.y),
                Vec2::new(-gap - size.x, -0.5 * size.y),
                Vec2::new(-0.5 * size.x, gap),
                Vec2::new(-0.5 * size.x, -gap - size.y),
            ];
            let free = |corner: &Vec2| {
                let apart = |(a, b): &(Vec2, Vec2)| {
                    (corner + size).cmple(*a).any() || corner.cmpge(*b).any()
                };
                self.taken.iter().all(apart)
            };
            let Some(corner) = sides.map(|side| (at + side).round()).into_iter().find(free) else {
                continue;
            };
            self.taken.push((corner, corner + size));
            let mut pen = corner + Vec2::new(0.0, self.atlas.ascent.round());
            for glyph in name.chars().filter_map(|c| self.atlas.glyphs.get(&c)) {
                if glyph.size[0] > 0 {
                    let [x, y] = glyph.offset.map(|o| o as f32);
                    let [w, h] = glyph.size.map(|s| s as f32);
                    let [left, top] = glyph.cell.map(|c| c as f32);
                    self.bytes.push([pen.x.round() + x, pen.y + y, w, h, left, top]);
                }
                pen.x += glyph.advance;
            }
        }
    }
}

fn upload(gpu: &Gpu, layout: &wgpu::BindGroupLayout, atlas: &Atlas) -> wgpu::BindGroup {
    let [width, height] = atlas.size;
    let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("letters"),
        size,
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rg8Unorm,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    let rows = wgpu::TexelCopyBufferLayout {
        offset: 0,
        bytes_per_row: Some(2 * width),
        rows_per_image: None,
    };
    gpu.queue.write_texture(texture.as_image_copy(), &atlas.bytes, rows, size);
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("labels"),
        layout,
        entries: &[wgpu::BindGroupEntry {
            binding: 0,
            resource: wgpu::BindingResource::TextureView(&texture.create_view(&Default::default())),
        }],
    })
}

fn build(
    gpu: &Gpu,
    frame_layout: &wgpu::BindGroupLayout,
    layout: &wgpu::BindGroupLayout,
) -> wgpu::RenderPipeline {
    let attributes = wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x2];
    overlay::pipeline(
        gpu,
        OverlayShader {
            label: "labels",
            text: shader::text(),
            entries: ["vs_glyph", "fs_glyph"],
            groups: &[Some(frame_layout), Some(layout)],
            bytes: GLYPH_BYTES,
            attributes: &attributes,
        },
    )
}
