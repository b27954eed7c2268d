//! A prepared frame: its resources are allocated, its data is uploaded, and it is decided what it shows.

use super::canvas::Canvas;
use super::features::Features;
use super::plan::{Batch, Draw, Phase};
use super::scene_resources::SceneResources;
use super::uniforms::FrameUniform;
use crate::look::{Look, Pass};
use crate::model::Topology;
use crate::render::frame::Frame;
use crate::render::passes::bloom::Glow;
use crate::render::passes::bones::solid_layer::SolidLayer;
use crate::render::passes::contact::Contact;
use crate::render::passes::ghosts::layer::GhostLayer;
use crate::render::passes::ground::{GroundKey, Surrounding};
use crate::render::passes::mesh::PipelineKey;
use crate::render::passes::occlusion::Occlusion;
use crate::render::passes::outline::mask::{OutlineMask, OutlinedDraw};
use crate::render::passes::transmission::Behind;

/// One frame, ready for building the pipelines that it needs and for encoding.
pub struct PreparedFrame<'a> {
    pub frame: Frame<'a>,
    pub scene: &'a SceneResources,
    pub canvas: &'a Canvas,
    pub shadow_map: &'a wgpu::TextureView,
    /// The textures of ambient occlusion; `None` for a picture without.
    pub occlusion: Option<&'a Occlusion>,
    /// The part of these textures that the model covers: left, top, width and height.
    pub occluded_part: [u32; 4],
    /// The maps of the contact shadow, of pictures with or without one.
    pub contact: &'a Contact,
    pub has_contact: bool,
    /// The copy of the opaque picture; `None` if nothing transmissive is drawn.
    pub behind: Option<&'a Behind>,
    /// The spread light above white; `None` if the picture has none.
    pub glow: Option<&'a Glow>,
    /// Bound as group 3 before that copy is made, if the shaders declare it.
    pub nothing_behind: Option<&'a wgpu::BindGroup>,
    /// The camera's uniform.
    pub camera: FrameUniform,
    /// Factor of the scene's light.
    pub exposure: f32,
    pub features: Features,
    /// Whether a pose may have mirrored a mesh.
    pub mirrors: bool,
    pub casts_shadow: bool,
    /// Whether the shadow on opaque surfaces is drawn with the ambient occlusion.
    pub draws_shadow: bool,
    pub shows_sky: bool,
    pub shows_ground: bool,
    pub shows_overlay: bool,
    /// The textures of ghosts; `None` if none is drawn.
    pub ghosts: Option<&'a GhostLayer>,
    /// The textures of bones with depth; `None` if none are drawn.
    pub solids: Option<&'a SolidLayer>,
    /// The mask of the selected node's outline; `None` without one.
    pub outline: Option<&'a OutlineMask>,
    /// The draws of that node.
    pub outlined: &'a [OutlinedDraw],
    /// The part of the picture that the outline is in: left, top, width and height.
    pub outlined_part: [u32; 4],
    /// Draws that are not opaque, in drawing order.
    pub far_first: &'a [SortedDraw],
}

/// A draw of one stage, with its sort key.
#[derive(Clone, Copy, Debug)]
pub struct SortedDraw {
    pub phase: Phase,
    /// Distance of the drawn box's centre in front of the camera.
    pub distance: f32,
    /// Index of the draw in the plan.
    pub draw: usize,
    pub stage: usize,
}

impl SortedDraw {
    pub fn batch(&self) -> Batch {
        Batch::whole(self.draw, self.stage..self.stage + 1)
    }
}

impl PreparedFrame<'_> {
    /// Returns the pipeline key of a draw.
    pub fn key(&self, draw: usize) -> PipelineKey {
        let (planned, look) = (&self.scene.plan.draws[draw], self.frame.look);
        let samples = self.canvas.samples;
        let mut key = PipelineKey::new(planned, look, self.features, self.mirrors, samples);
        key.occluded = look.pass.is_shaded() && self.occlusion.is_some();
        key.shadowed = look.pass.is_shaded() && self.casts_shadow;
        let covers =
            draw < self.scene.plan.first_transmissive && key.topology == Topology::Triangles;
        key.shadow_is_drawn = look.pass.is_shaded() && self.draws_shadow && covers;
        key.steadies = look.pass == Pass::Shaded && look.lighting.key_light;
        if self.scene.has_rectangles(draw) { key.rectangles() } else { key }
    }

    /// Returns the pipeline key of a draw's edges.
    pub fn edges_key(&self, draw: usize) -> PipelineKey {
        let key = self.key(draw).edges();
        if self.scene.has_edge_rectangles(draw) { key.rectangles() } else { key }
    }

    /// Whether there is ground that shadows can't fall on.
    pub fn shows_open_ground(&self) -> bool {
        let reach = self.camera.ground[3];
        self.shows_ground && self.camera.shadowed != [-reach, -reach, reach, reach]
    }

    /// Whether there is ground that shadows can fall on.
    pub fn shows_shadowed_ground(&self) -> bool {
        let [least_x, _, most_x, _] = self.camera.shadowed;
        self.shows_ground && least_x < most_x
    }

    /// Returns the pipeline key of the ground or the sky.
    pub fn ground_key(&self, surrounding: Surrounding) -> GroundKey {
        GroundKey::new(surrounding, self.frame.look.pass, self.canvas.samples)
    }
}

/// Whether the look shows a draw. A mask has no points or lines, since they cover no area, and the faces
/// pass only shows triangles.
pub fn is_drawn(draw: &Draw, look: &Look) -> bool {
    draw.topology == Topology::Triangles || !matches!(look.pass, Pass::Mask | Pass::Faces)
}

/// Whether a draw's edges are drawn over its faces.
pub fn has_edges(draw: &Draw, look: &Look) -> bool {
    draw.topology == Topology::Triangles && look.pass == Pass::Wireframe
}
