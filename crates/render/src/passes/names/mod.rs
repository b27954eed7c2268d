//! The names of joints on the overlay. Names overlap neither bones nor each other. A name that does not
//! fit beside its joint has a line to it; one that fits nowhere is omitted. Joints near the roots are placed
//! first.

mod label_placement;

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{Mat4, Vec2, Vec3};
use unicode_segmentation::UnicodeSegmentation;

use self::label_placement::LabelPlacement;
use super::overlay::{self, OverlayShader};
use super::pass::{FramePass, Setup};
use crate::frame::Frame;
use crate::scene::bind_layouts::{BindLayouts, texture};
use crate::scene::uniforms::FrameUniform;
use crate::text::glyph_atlas::Atlas;
use crate::{Gpu, shader};
use rigview_model::Bone;
use rigview_rig::common_prefix;

/// Line height in points.
const HEIGHT: f32 = 15.0;

/// Margin around a name in pixels.
const MARGIN: f32 = 1.0;

/// Half the width of a line to a joint in points.
const LINE_REACH: f32 = 0.5;

/// Maximum number of letters per name.
const LONGEST: usize = 64;

/// Bytes per glyph instance: a rectangle and its position in the atlas, as `f32`.
const GLYPH_BYTES: u64 = 24;

/// The names of joints.
#[derive(Default)]
pub struct JointNames {
    shown: bool,
    /// The names that were drawn last; `None` if they cannot be drawn.
    written: Option<Written>,
    pipeline: Option<wgpu::RenderPipeline>,
}

/// A joint and its place in the order of drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NamedJoint {
    node: usize,
    /// Index of the parent joint in the list that contains this one.
    parent: Option<usize>,
}

/// The names of a model's joints at one scale.
struct Written {
    model: Arc<()>,
    scale: f32,
    /// Joints, those near the roots first. The words of the atlas have the same order.
    joints: Vec<NamedJoint>,
    atlas: Atlas,
    texture: wgpu::BindGroup,
    glyphs: wgpu::Buffer,
    /// Contents of the buffer: rectangle and cell per glyph.
    instances: Vec<[f32; 6]>,
    places: LabelPlacement,
    /// Positions of the joints in the picture, in pixels; `None` outside the camera's depth range.
    seen: Vec<Option<Vec2>>,
}

impl JointNames {
    /// Whether names are drawn.
    pub fn are_shown(&self) -> bool {
        self.shown
    }
}

impl FramePass for JointNames {
    type Needs<'a> = ();

    /// Places the names of a frame's joints and uploads their glyphs. Allocates only for another model or
    /// scale.
    fn prepare(&mut self, setup: &mut Setup<'_, '_>, (): ()) {
        let (gpu, frame) = (setup.shared.gpu, &setup.shared.frame);
        self.shown = frame.look.joint_names && frame.look.takes_overlays();
        let scale = frame.look.overlay_scale;
        let fits =
            |w: &Written| Arc::ptr_eq(&w.model, &frame.gpu_model.identity) && w.scale == scale;
        if !self.shown || !self.written.as_ref().is_some_and(fits) {
            self.written = None;
        }
        if !self.shown {
            return;
        }
        if self.written.is_none() {
            self.written = Written::new(gpu, frame, &setup.shared.scene.plan.bones);
        }
        if let Some(written) = &mut self.written {
            written.lay_out(frame, &setup.camera);
            let bytes = bytemuck::cast_slice(&written.instances);
            gpu.queue.write_buffer(&written.glyphs, 0, bytes);
        }
    }

    fn build(&mut self, gpu: &Gpu, layouts: &BindLayouts) {
        if self.written.is_some() {
            self.pipeline.get_or_insert_with(|| build(gpu, layouts));
        }
    }

    fn draw_on_overlay(&self, pass: &mut wgpu::RenderPass<'_>) {
        let Some((written, pipeline)) = self.written.as_ref().zip(self.pipeline.as_ref()) else {
            return;
        };
        pass.set_pipeline(pipeline);
        pass.set_bind_group(1, &written.texture, &[]);
        pass.set_vertex_buffer(0, written.glyphs.slice(..));
        pass.draw(0..4, 0..written.instances.len() as u32);
    }
}

impl Written {
    fn new(gpu: &Gpu, frame: &Frame<'_>, bones: &[Bone]) -> Option<Self> {
        let scale = frame.look.overlay_scale;
        let joints = roots_first(bones);
        let names: Vec<Option<&str>> =
            joints.iter().map(|joint| frame.model.nodes[joint.node].name.as_deref()).collect();
        let prefix = common_prefix(names.iter().copied().flatten());
        let name = |(node, name): (usize, Option<&str>)| match name {
            Some(name) if !name.trim().is_empty() => {
                shown(name.strip_prefix(prefix).unwrap_or(name))
            }
            _ => format!("node {node}"),
        };
        let words: Vec<String> = joints.iter().map(|j| j.node).zip(names).map(name).collect();
        let atlas =
            match Atlas::new(words.iter().map(String::as_str), (HEIGHT * scale).clamp(6.0, 96.0)) {
                Ok(atlas) => atlas,
                Err(error) => {
                    log::warn!("joint names are not drawn: built-in font: {error}");
                    return None;
                }
            };
        if atlas.size[1] > gpu.device.limits().max_texture_dimension_2d {
            log::warn!(
                "joint names are not drawn: too many letters for the adapter's largest texture"
            );
            return None;
        }
        // Each name may have a line, which is drawn as one more instance.
        let letters: usize = atlas.words.iter().map(|word| word.glyphs.len() + 1).sum();
        let usage = wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST;
        let glyphs = gpu.buffer("joint name glyphs", letters.max(1) as u64 * GLYPH_BYTES, usage);
        let texture = upload(gpu, &atlas);
        let (instances, seen) = (Vec::with_capacity(letters), Vec::with_capacity(joints.len()));
        let model = Arc::clone(&frame.gpu_model.identity);
        let places = LabelPlacement::default();
        Some(Self { model, scale, joints, atlas, texture, glyphs, instances, places, seen })
    }

    /// Computes the glyph instances of the names.
    fn lay_out(&mut self, frame: &Frame<'_>, camera: &FrameUniform) {
        self.instances.clear();
        let size = camera.picture_size;
        let projection = Mat4::from_cols_array_2d(&camera.projection_from_world);
        // Names stay on whole pixels in pictures that are averaged.
        let shift = camera.view_shift * Vec2::new(0.5, -0.5) * size;
        let seen = |j: &NamedJoint| {
            let place = (!frame.stage.is_hidden(j.node)).then(|| frame.stage.position(j.node))?;
            let at = in_picture(projection, place, size)?;
            Some((at - shift).round())
        };
        self.seen.clear();
        self.seen.extend(self.joints.iter().map(seen));
        self.cover_bones(size);
        for [left, top, right, bottom] in frame.look.highlight.covered.iter().copied() {
            self.places.cover_card(Vec2::new(left, top), Vec2::new(right, bottom));
        }
        let count = self.seen.iter().flatten().count().max(1);
        let middle = self.seen.iter().flatten().sum::<Vec2>() / count as f32;
        for (at, word) in self.seen.iter().zip(&self.atlas.words) {
            let Some(at) = at else { continue };
            let [up, down] = self.atlas.reach(word);
            let size = Vec2::new(word.width, up + down).ceil() + 2.0 * MARGIN;
            let outward = (at - middle).normalize_or_zero();
            let Some(place) = self.places.take(*at, size, outward) else { continue };
            if let Some([from, to]) = place.line {
                let reach = LINE_REACH * self.scale;
                self.instances.push([from.x, from.y, to.x, to.y, -1.0, reach]);
            }
            let pen = place.corner + MARGIN + Vec2::new(0.0, up.ceil());
            for set in &word.glyphs {
                let glyph = self.atlas.glyphs[&set.key];
                if glyph.size[0] > 0 {
                    let [x, y] = glyph.offset.map(|o| o as f32);
                    let [w, h] = glyph.size.map(|s| s as f32);
                    let [left, top] = glyph.cell.map(|c| c as f32);
                    let at = (pen + Vec2::new(set.at[0], -set.at[1])).round();
                    self.instances.push([at.x + x, at.y + y, w, h, left, top]);
                }
            }
        }
    }

    /// Marks joints and bones as covered, so that no name is placed on them.
    fn cover_bones(&mut self, size: Vec2) {
        self.places.clear(size, self.scale);
        for (joint, at) in self.joints.iter().zip(&self.seen) {
            let Some(at) = *at else { continue };
            let parent = joint.parent.and_then(|parent| self.seen[parent]);
            self.places.cover_bone(parent.unwrap_or(at), at);
        }
    }
}

/// Sorts joints by their depth below a root; joints of equal depth keep their order.
fn roots_first(bones: &[Bone]) -> Vec<NamedJoint> {
    let parents: BTreeMap<usize, Option<usize>> =
        bones.iter().map(|bone| (bone.joint, bone.parent)).collect();
    let mut depths: BTreeMap<usize, usize> = BTreeMap::new();
    for Bone { joint: node, .. } in bones {
        let above = |node: &usize| parents.get(node).copied().flatten();
        let climbed: Vec<usize> = std::iter::successors(Some(*node), above)
            .take_while(|node| !depths.contains_key(node))
            .collect();
        let known = climbed.last().and_then(above).and_then(|node| depths.get(&node));
        let first = known.map_or(0, |depth| depth + 1);
        depths.extend(climbed.into_iter().rev().zip(first..));
    }
    let mut order: Vec<usize> = bones.iter().map(|bone| bone.joint).collect();
    order.sort_by_key(|node| depths[node]);
    let places: BTreeMap<usize, usize> = order.iter().copied().zip(0..).collect();
    let parent = |node: usize| places.get(&parents[&node]?).copied();
    order.iter().map(|&node| NamedJoint { node, parent: parent(node) }).collect()
}

/// Projects a point in world space to pixels; `None` behind the camera or outside its depth range.
fn in_picture(projection: Mat4, point: Vec3, size: Vec2) -> Option<Vec2> {
    let clip = projection * point.extend(1.0);
    let is_in_range = clip.w > 0.0 && clip.z >= 0.0 && clip.z <= clip.w;
    is_in_range.then(|| (Vec2::new(clip.x, -clip.y) / clip.w * 0.5 + 0.5) * size)
}

/// Returns a name as one line of at most [`LONGEST`] letters.
fn shown(name: &str) -> String {
    let line: String = name.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    match line.grapheme_indices(true).nth(LONGEST) {
        Some((end, _)) => format!("{}\u{2026}", &line[..end]),
        None => line,
    }
}

fn upload(gpu: &Gpu, atlas: &Atlas) -> wgpu::BindGroup {
    let [width, height] = atlas.size;
    let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("joint name atlas"),
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
    let view = texture.create_view(&Default::default());
    let resources = [wgpu::BindingResource::TextureView(&view)];
    gpu.bind("joint name atlas", &atlas_layout(gpu), &resources)
}

fn atlas_layout(gpu: &Gpu) -> wgpu::BindGroupLayout {
    gpu.bind_layout("joint names", &[texture(0, wgpu::ShaderStages::FRAGMENT, false)])
}

fn build(gpu: &Gpu, layouts: &BindLayouts) -> wgpu::RenderPipeline {
    let attributes = wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x2];
    overlay::pipeline(
        gpu,
        OverlayShader {
            label: "joint names",
            text: shader::text(),
            entries: ["vs_glyph", "fs_glyph"],
            groups: &[Some(&layouts.frame), Some(&atlas_layout(gpu))],
            bytes: GLYPH_BYTES,
            attributes: &attributes,
            hidden: None,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_near_the_root_come_first() {
        let bones = [(2, Some(4)), (3, Some(2)), (4, None), (7, Some(4))];
        let sorted = roots_first(&bones.map(|(joint, parent)| Bone { joint, parent }));
        let want = [(4, None), (2, Some(0)), (7, Some(0)), (3, Some(1))];
        assert_eq!(sorted, want.map(|(node, parent)| NamedJoint { node, parent }));
    }

    #[test]
    fn long_names_end_in_an_ellipsis() {
        assert_eq!(shown(&"a".repeat(70)), "a".repeat(64) + "\u{2026}");
        assert_eq!(shown("a\nb"), "a\u{fffd}b");
    }
}
