//! All pipelines of frames. Each is built when a frame first needs it, because building one costs a cold
//! start more than drawing does.

use super::bones::lines::Skeleton;
use super::bones::solid_pipelines::Solids;
use super::depth_pipelines::{ShapeFor, Shapes};
use super::finish::{Finish, FinishKey};
use super::ghosts::{self, Ghosts};
use super::ground::{Ground, Surrounding};
use super::mesh::Pipelines;
use super::names::JointNames;
use super::outline::{self, Outline};
use super::transmission::Blur;
use super::vectors::Vectors;
use super::{contact, occlusion};
use crate::render::Gpu;
use crate::render::pick::{PickPipelines, Spot};
use crate::render::scene::bind_layouts::Layouts;
use crate::render::scene::prepared_frame::{PreparedFrame, has_edges, is_drawn};

/// The pipelines, by what they draw.
pub struct FramePipelines {
    pub layouts: Layouts,
    pub meshes: Pipelines,
    pub shapes: Shapes,
    /// Draws the openness of the ground.
    pub contact: Option<wgpu::RenderPipeline>,
    /// The two last passes of ambient occlusion.
    pub occlusion: Option<[wgpu::RenderPipeline; 2]>,
    pub ground: Ground,
    pub finish: Finish,
    pub blur: Option<Blur>,
    pub ghosts: Option<Ghosts>,
    pub vectors: Vectors,
    pub skeleton: Option<Skeleton>,
    pub solids: Option<Solids>,
    pub outline: Option<Outline>,
    pub joint_names: Option<JointNames>,
    pub picks: PickPipelines,
    /// The pixels that picks are drawn on.
    pub spot: Option<Spot>,
}

impl FramePipelines {
    /// Builds no pipeline yet.
    pub fn new(gpu: &Gpu) -> Self {
        let layouts = Layouts::new(gpu);
        Self {
            meshes: Pipelines::default(),
            shapes: Shapes::new(&layouts),
            contact: None,
            occlusion: None,
            ground: Ground::new(gpu, &layouts),
            layouts,
            finish: Finish::new(gpu),
            blur: None,
            ghosts: None,
            vectors: Vectors::default(),
            skeleton: None,
            solids: None,
            outline: None,
            joint_names: None,
            picks: PickPipelines::default(),
            spot: None,
        }
    }

    /// Builds the pipelines that a frame needs and that are not there yet.
    pub fn build(&mut self, gpu: &Gpu, prepared: &PreparedFrame<'_>, target: wgpu::TextureFormat) {
        self.build_scene(gpu, prepared, target);
        let look = prepared.frame.look;
        if let Some(blur) = &mut self.blur
            && prepared.behind.is_some()
        {
            blur.build(gpu, look.tone_map);
        }
        if prepared.ghosts.is_some() {
            let layouts = &self.layouts;
            self.ghosts.get_or_insert_with(|| Ghosts::new(gpu, layouts)).build(gpu, prepared);
        }
        self.vectors.build(gpu, &self.layouts, prepared);
        if prepared.shows_overlay {
            let layout = &self.layouts.frame;
            self.skeleton.get_or_insert_with(|| Skeleton::new(gpu, layout));
            if prepared.solids.is_some() {
                self.solids.get_or_insert_with(|| Solids::new(gpu, layout));
            }
            if prepared.outline.is_some() {
                self.outline.get_or_insert_with(|| Outline::new(gpu, layout));
            }
            if look.joint_names {
                let names = self.joint_names.get_or_insert_with(|| JointNames::new(gpu, layout));
                names.prepare(gpu, prepared);
            }
        }
    }

    /// Builds the pipelines of meshes, shapes, ambient occlusion, ground, sky and the last pass. Drivers take long for each,
    /// so the meshes' are built in parallel, and beside the others.
    fn build_scene(
        &mut self,
        gpu: &Gpu,
        prepared: &PreparedFrame<'_>,
        target: wgpu::TextureFormat,
    ) {
        let Self { layouts, meshes, shapes, contact, occlusion, ground, finish, .. } = self;
        let (plan, look) = (&prepared.scene.plan, prepared.frame.look);
        let draws = || plan.draws.iter().enumerate();
        let drawn = draws().filter(|(_, draw)| is_drawn(draw, look)).map(|(i, _)| prepared.key(i));
        let edges = draws().filter(|(_, draw)| has_edges(draw, look));
        let edges = edges.map(|(i, _)| prepared.edges_key(i));
        let outlined = prepared.outlined.iter().map(|own| outline::key(prepared, own.draw));
        let ghostly = draws().filter(|_| prepared.ghosts.is_some());
        let ghostly = ghostly.map(|(i, _)| ghosts::key(prepared, i));
        let mesh_keys = meshes.missing(drawn.chain(edges).chain(outlined).chain(ghostly));
        let purposes = [
            (ShapeFor::Shadow, prepared.casts_shadow || prepared.has_contact),
            (ShapeFor::Occlusion, prepared.occlusion.is_some()),
            (ShapeFor::Depth, prepared.solids.is_some_and(|solids| solids.hidden)),
        ];
        let purposes = purposes.into_iter().filter(|(_, needed)| *needed);
        let shape_keys: Vec<_> =
            purposes.flat_map(|(purpose, _)| shapes.missing(purpose, prepared)).collect();
        let occludes = prepared.occlusion.is_some() && occlusion.is_none();
        let surroundings = [
            (Surrounding::Sky, prepared.shows_sky),
            (Surrounding::Ground, prepared.shows_open_ground()),
            (Surrounding::Shadowed, prepared.shows_shadowed_ground()),
        ];
        let shown = surroundings.into_iter().filter(|(_, shown)| *shown);
        let ground_keys = ground.missing(shown.map(|(what, _)| prepared.ground_key(what)));
        let samples = prepared.canvas.finish.samples;
        let finish_key = FinishKey::new(target, look, samples, prepared.glow.is_some());
        let finish_key = finish.missing(finish_key);
        let others = shape_keys.len() + ground_keys.len();
        let touches = prepared.has_contact && contact.is_none();
        let others = others
            + [finish_key.is_some(), occludes, touches].map(usize::from).iter().sum::<usize>();
        if mesh_keys.len() + others > 0 {
            both(
                || meshes.build(gpu, layouts, mesh_keys),
                || {
                    shapes.build(gpu, shape_keys);
                    if occludes {
                        *occlusion = Some(occlusion::build(gpu, layouts));
                    }
                    if touches {
                        *contact = Some(contact::build(gpu, layouts));
                    }
                    ground.build(gpu, ground_keys);
                    finish.build(gpu, finish_key);
                },
            );
        }
    }
}

/// Runs two closures in parallel.
#[cfg(not(target_family = "wasm"))]
fn both(a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
    rayon::join(a, b);
}

/// Runs two closures in turn: there are no threads, and objects of wgpu cannot be sent between them.
#[cfg(target_family = "wasm")]
fn both(a: impl FnOnce(), b: impl FnOnce()) {
    a();
    b();
}
