//! The passes of a frame: what each of them shows has a file or a folder of its own. [`Passes`] is the list of them.

mod bloom;
mod bones;
mod contact;
pub mod depth_pipelines;
pub mod finish;
mod ghosts;
mod ground;
mod mesh;
pub mod mesh_pipelines;
mod names;
mod occlusion;
mod outline;
mod overlay;
pub mod pass;
pub mod picture;
mod shadow;
mod sky;
pub mod transmission;
mod vectors;

use self::bloom::Bloom;
use self::bones::Bones;
use self::contact::Contact;
use self::finish::{Finish, FinishNeeds};
use self::ghosts::Ghosts;
use self::ground::{Ground, GroundNeeds};
use self::mesh::{Mesh, SurfaceLight};
use self::names::JointNames;
use self::occlusion::Occlusion;
use self::outline::Outline;
use self::overlay::Overlay;
use self::pass::{Drawing, FramePass, Setup};
use self::picture::Picture;
use self::shadow::Shadow;
use self::sky::Sky;
use self::transmission::Transmission;
use self::vectors::Vectors;
use super::Gpu;
use super::scene::bind_layouts::BindLayouts;
use super::scene::canvas::Stretch;
use super::scene::frame_recorder::{FrameRecorder, SplitPass, Start};
use super::scene::viewpoint::LightMaps;

/// All passes, in the order of drawing.
#[derive(Default)]
pub struct Passes {
    shadow: Shadow,
    contact: Contact,
    occlusion: Occlusion,
    sky: Sky,
    mesh: Mesh,
    ground: Ground,
    ghosts: Ghosts,
    vectors: Vectors,
    transmission: Transmission,
    outline: Outline,
    bones: Bones,
    names: JointNames,
    overlay: Overlay,
    picture: Picture,
    bloom: Bloom,
    finish: Finish,
}

impl Passes {
    /// Prepares all passes. What one needs of another is passed on here.
    pub fn prepare(&mut self, setup: &mut Setup<'_, '_>) {
        self.shadow.prepare(setup, setup.shared.shadow_light);
        self.contact.prepare(setup, ());
        let (shadow, contact) = (self.shadow.view(), self.contact.view());
        let openness = self.contact.openness();
        self.ground.prepare(setup, GroundNeeds { shadow, contact, openness });
        let shadowed = shadow.is_some();
        self.occlusion.prepare(setup, shadowed);
        self.sky.prepare(setup, ());
        let (occluded, size) = (self.occlusion.occludes(), self.occlusion.size());
        self.mesh.prepare(setup, SurfaceLight { shadowed, occluded, size });
        self.ghosts.prepare(setup, ());
        self.outline.prepare(setup, ());
        self.vectors.prepare(setup, self.outline.draws());
        self.transmission.prepare(setup, ());
        self.bones.prepare(setup, ());
        self.names.prepare(setup, ());
        let overlays = [self.outline.is_shown(), self.bones.are_shown(), self.names.are_shown()];
        let shared = &setup.shared;
        self.overlay.prepare(shared.gpu, shared.target.size(), overlays.contains(&true));
        let picture = self.picture.prepare(shared, self.overlay.view());
        self.bloom.prepare(setup, picture);
        self.finish.prepare(setup, FinishNeeds { picture, glow: self.bloom.glow() });
    }

    /// What the camera's group 0 binds of the passes.
    pub fn light_maps(&self) -> LightMaps<'_> {
        LightMaps { shadow: self.shadow.map(), openness: self.occlusion.openness() }
    }

    /// Builds the pipelines that the prepared frame needs and that are not there yet.
    pub fn build(&mut self, gpu: &Gpu, layouts: &BindLayouts) {
        self.all().into_iter().for_each(|pass| pass.build(gpu, layouts));
    }

    /// Frees what belongs to the size of the last picture or to its scene. Pipelines are kept.
    pub fn free(&mut self) {
        self.all().into_iter().for_each(|pass| pass.free());
        self.overlay = Overlay::default();
        self.picture.free();
    }

    fn all(&mut self) -> [&mut dyn FramePass; 14] {
        let Self { shadow, contact, occlusion, sky, mesh, ground, ghosts, vectors, .. } = self;
        let Self { transmission, outline, bones, names, bloom, finish, .. } = self;
        [
            shadow,
            contact,
            occlusion,
            sky,
            mesh,
            ground,
            ghosts,
            vectors,
            transmission,
            outline,
            bones,
            names,
            bloom,
            finish,
        ]
    }

    /// Returns the texture of the overlay; `None` if nothing is drawn on it.
    pub fn overlay(&self) -> Option<&wgpu::TextureView> {
        self.overlay.view()
    }

    /// Records all passes. Their pipelines must have been built.
    pub fn record(&self, record: &mut FrameRecorder<'_>, drawing: &Drawing<'_>) {
        let before: [&dyn FramePass; 4] =
            [&self.shadow, &self.contact, &self.occlusion, &self.ghosts];
        before.into_iter().for_each(|pass| pass.record(record, drawing));
        self.record_scene(record, drawing);
        self.record_overlay(record, drawing);
        self.bloom.record(record, drawing);
        self.finish.record(record, drawing);
    }

    /// Draws the scene; then, over a copy of it if anything is transmissive, the meshes that are not opaque.
    fn record_scene(&self, record: &mut FrameRecorder<'_>, drawing: &Drawing<'_>) {
        let (canvas, look) = (drawing.shared.canvas, drawing.shared.frame.look);
        let begin = |stretch| {
            move |record: &mut FrameRecorder<'_>, start: Start| {
                canvas.begin(record, stretch, start, look).forget_lifetime()
            }
        };
        let copy = self.transmission.copy();
        let begin_first = begin(if copy.is_some() { Stretch::First } else { Stretch::Whole });
        let begin_last = begin(Stretch::Last);
        let mut scene = SplitPass::new(record, &begin_first);
        scene.set_bind_group(0, drawing.camera, &[]);
        let in_scene: [&dyn FramePass; 5] =
            [&self.sky, &self.mesh, &self.ground, &self.ghosts, &self.vectors];
        in_scene.into_iter().for_each(|pass| pass.draw_in_scene(&mut scene, drawing));
        if let Some(copy) = copy {
            drop(scene);
            self.transmission.record(record, drawing);
            scene = SplitPass::new(record, &begin_last);
            scene.set_bind_group(0, drawing.camera, &[]);
            scene.set_bind_group(3, copy, &[]);
        }
        self.mesh.draw_far_first(&mut scene, drawing);
    }

    /// Draws the outline of the selection, bones, lines and joint names on the overlay.
    fn record_overlay(&self, record: &mut FrameRecorder<'_>, drawing: &Drawing<'_>) {
        let Some(overlay) = drawing.overlay else { return };
        let passes: [&dyn FramePass; 3] = [&self.outline, &self.bones, &self.names];
        passes.into_iter().for_each(|pass| pass.record(record, drawing));
        let filled = self.bones.has_depth();
        let empty = wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT);
        let load = if filled { wgpu::LoadOp::Load } else { empty };
        let mut pass = overlay::begin(record, overlay, load);
        pass.set_bind_group(0, drawing.camera, &[]);
        passes.into_iter().for_each(|each| each.draw_on_overlay(&mut pass));
    }
}
