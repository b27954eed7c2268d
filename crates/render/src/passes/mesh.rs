//! The meshes of the scene: opaque ones in any order, then transmissive and blended ones from far to near.

use super::mesh_pipelines::MeshKey;
use super::pass::{Drawing, FramePass, Setup};
use crate::scene::features::ShaderFeature;
use crate::scene::frame_recorder::SplitPass;
use crate::scene::plan::{Batch, Phase};
use crate::scene::shared_frame::{SharedFrame, has_edges, is_drawn};
use rigview_look::Pass;
use rigview_model::{Aabb, Topology};

/// What lit surfaces read of other passes.
#[derive(Clone, Copy, Debug, Default)]
pub struct SurfaceLight {
    /// Whether a light casts a shadow.
    pub shadowed: bool,
    /// Whether ambient light is occluded.
    pub occluded: bool,
    /// Size of the textures of ambient occlusion and of the light that the shadow leaves; `None` without both.
    pub size: Option<[u32; 2]>,
}

/// The meshes.
#[derive(Default)]
pub struct Mesh {
    light: SurfaceLight,
    /// Draws that are not opaque, in drawing order.
    far_first: Vec<SortedDraw>,
}

/// A draw of one stage, with its sort key.
#[derive(Clone, Copy, Debug)]
struct SortedDraw {
    phase: Phase,
    /// Distance of the drawn box's centre in front of the camera.
    distance: f32,
    /// Index of the draw in the plan.
    draw: usize,
    stage: usize,
    /// The number of one visible instance; `None` for all together.
    instance: Option<u32>,
}

impl FramePass for Mesh {
    type Needs<'a> = SurfaceLight;

    fn prepare(&mut self, setup: &mut Setup<'_, '_>, light: SurfaceLight) {
        self.light = light;
        let Setup { shared, pipelines, .. } = setup;
        let meshes = &mut pipelines.meshes;
        meshes.use_features(shared.frame.gpu_model.materials.features);
        for (i, draw) in shared.scene.plan.draws.iter().enumerate() {
            if is_drawn(draw, shared.frame.look) {
                meshes.request(self.key(shared, i));
            }
            if has_edges(draw, shared.frame.look) {
                meshes.request(self.edges_key(shared, i));
            }
        }
        self.sort_by_distance(shared);
    }

    /// Draws the opaque meshes.
    fn draw_in_scene<'a>(&'a self, pass: &mut SplitPass<'a, '_, '_>, drawing: &Drawing<'a>) {
        let scene = drawing.shared.scene;
        drawing.pipelines.meshes.bind_no_copy(pass, &drawing.shared);
        for draw in 0..scene.plan.first_transmissive {
            self.draw_batch(pass, drawing, &Batch::whole(draw, 0..scene.stages()));
        }
    }
}

impl Mesh {
    /// Draws the meshes that are not opaque.
    pub fn draw_far_first<'a>(&self, pass: &mut SplitPass<'a, '_, '_>, drawing: &Drawing<'a>) {
        for sorted in &self.far_first {
            let batch = Batch {
                draw: sorted.draw,
                stages: sorted.stage..sorted.stage + 1,
                instances: sorted.instance.map(|instance| instance..instance + 1),
            };
            self.draw_batch(pass, drawing, &batch);
        }
    }

    /// Draws a batch, and its edges in a wireframe.
    fn draw_batch<'a>(
        &self,
        pass: &mut SplitPass<'a, '_, '_>,
        Drawing { shared, pipelines, .. }: &Drawing<'a>,
        batch: &Batch,
    ) {
        let (scene, look) = (shared.scene, shared.frame.look);
        let draw = &scene.plan.draws[batch.draw];
        if !is_drawn(draw, look) {
            return;
        }
        if let Some(pipeline) = pipelines.meshes.get(self.key(shared, batch.draw)) {
            pass.set_pipeline(pipeline);
            scene.draw(pass, shared.frame.gpu_model, batch, Some(look.pass));
        }
        if has_edges(draw, look)
            && let Some(pipeline) = pipelines.meshes.get(self.edges_key(shared, batch.draw))
        {
            pass.set_pipeline(pipeline);
            scene.draw_edges(pass, batch);
        }
    }

    fn key(&self, shared: &SharedFrame<'_>, draw: usize) -> MeshKey {
        let look = shared.frame.look;
        let key = MeshKey::new(shared, draw, look, shared.canvas.samples);
        let SurfaceLight { shadowed, occluded, size } = self.light;
        let key = MeshKey { shrunk: size.is_some_and(|size| size != shared.target.whole()), ..key };
        if !look.pass.is_shaded() {
            return key;
        }
        let opaque = draw < shared.scene.plan.first_transmissive;
        // Light that shines through a surface has no one share.
        let shadow_is_drawn =
            shadowed && size.is_some() && !shared.features.has(ShaderFeature::DiffuseTransmission);
        MeshKey {
            shadowed,
            occluded,
            shadow_is_drawn: shadow_is_drawn && opaque && key.topology == Topology::Triangles,
            steadies: look.pass == Pass::Shaded && look.lighting.key_light,
            ..key
        }
    }

    fn edges_key(&self, shared: &SharedFrame<'_>, draw: usize) -> MeshKey {
        let key = self.key(shared, draw).edges();
        if shared.scene.has_edge_rectangles(draw) { key.rectangles() } else { key }
    }

    /// Sorts all draws that are not opaque, or their instances, by phase, then back to front by the centre of the drawn box.
    fn sort_by_distance(&mut self, shared: &SharedFrame<'_>) {
        let (frame, plan) = (&shared.frame, &shared.scene.plan);
        let camera = frame.view.camera_from_world(frame.stage.origin).as_mat4();
        self.far_first.clear();
        for (s, stage) in frame.scene().stages().enumerate() {
            for i in plan.first_transmissive..plan.draws.len() {
                let draw = &plan.draws[i];
                let sorted = |bounds: Aabb, instance| {
                    let distance = -camera.transform_point3(bounds.center()).z;
                    SortedDraw { phase: draw.phase, distance, draw: i, stage: s, instance }
                };
                if !draw.is_sorted_by_instance() {
                    let bounds = stage.primitive_bounds(frame.model, draw.node, draw.primitive);
                    self.far_first.push(sorted(bounds, None));
                    continue;
                }
                let primitive = &frame.model.meshes[draw.mesh].primitives[draw.primitive];
                let placed = plan.instances[draw.instances.clone()].iter();
                let visible = placed.filter(|placed| stage.visible[placed.node]);
                self.far_first.extend((0..).zip(visible).map(|(number, placed)| {
                    let mut world_from_mesh = *stage.world.world_from_node(placed.node);
                    if let Some(instance) = placed.instance {
                        world_from_mesh *= frame.model.nodes[placed.node].instances[instance];
                    }
                    let weights = stage.local.weights(placed.node);
                    sorted(primitive.bounds.rigid(&world_from_mesh, weights), Some(number))
                }));
            }
        }
        self.far_first.sort_unstable_by(|a, b| {
            let far_first = || b.distance.total_cmp(&a.distance);
            let in_order = || (a.draw, a.stage, a.instance).cmp(&(b.draw, b.stage, b.instance));
            a.phase.cmp(&b.phase).then_with(far_first).then_with(in_order)
        });
    }
}
