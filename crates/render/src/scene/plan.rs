//! The draw plan of a scene: its draws in order, and the palettes, morph weights and instance matrices
//! that they need. It is made once per scene; a frame only fills in the values.

use std::collections::HashMap;
use std::ops::Range;

use crate::GpuModel;
use crate::upload::gpu_model::GpuPrimitive;
use rigview_look::{Ghost, Look};
use rigview_model::{AlphaMode, Bone, Material, Model, Stage, Topology};
use rigview_rig::BodySide;

/// An uploaded model and its scene in one pose, or in several: a crowd.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    pub model: &'a Model,
    pub gpu_model: &'a GpuModel,
    pub stage: &'a Stage,
    /// Further instances of the same scene, each with its own pose.
    pub others: &'a [Stage],
    /// Poses that are drawn apart from these.
    pub ghosts: &'a [Ghost],
}

impl<'a> Scene<'a> {
    /// Returns all poses that are drawn in full; at least one.
    pub fn stages(&self) -> impl Iterator<Item = &'a Stage> + use<'a> {
        std::iter::once(self.stage).chain(self.others)
    }

    /// Number of poses that are drawn in full.
    pub fn count(&self) -> usize {
        1 + self.others.len()
    }

    /// Returns all poses, ghosts last.
    pub fn all_stages(&self) -> impl Iterator<Item = &'a Stage> + use<'a> {
        self.stages().chain(self.ghosts.iter().map(|ghost| &ghost.stage))
    }
}

/// The draws of a scene and the data that they need.
#[derive(Debug, Default)]
pub struct Plan {
    /// The opaque draws, sorted so that neighbours share pipeline, material and mesh; then the
    /// transmissive ones, then the blended ones, both in file order.
    pub draws: Vec<Draw>,
    /// Index of the first transmissive draw.
    pub first_transmissive: usize,
    /// Index of the first blended draw.
    pub first_blended: usize,
    /// The parts of all draws.
    pub parts: Vec<PlannedPart>,
    /// The palettes to fill.
    pub palettes: Vec<PaletteSource>,
    /// The morph weights to fill.
    pub morphs: Vec<MorphSource>,
    /// The instances of rigid draws, draw by draw.
    pub instances: Vec<Placed>,
    /// The joints, in file order.
    pub bones: Vec<Bone>,
    /// The joints' sides of the body.
    pub sides: Vec<BodySide>,
}

/// An instance of a rigid primitive.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    pub node: usize,
    /// Index of the node's instance (EXT_mesh_gpu_instancing); `None` for the node itself.
    pub instance: Option<usize>,
}

/// Treatment of nodes with instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instancing {
    /// Once per instance.
    Instances,
    /// Once at the node, ignoring its instances.
    NodeItself,
}

/// The order of drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// First, in any order.
    Opaque,
    /// Then surfaces that show a copy of the opaque picture behind them, back to front.
    Transmissive,
    /// Then surfaces that are blended over the picture, back to front.
    Blended,
}

impl Phase {
    fn from_material(material: Option<&Material>) -> Self {
        match material {
            Some(m) if m.is_transmissive() => Phase::Transmissive,
            Some(m) if m.alpha_mode == AlphaMode::Blend => Phase::Blended,
            _ => Phase::Opaque,
        }
    }
}

/// Options of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    pub instancing: Instancing,
    /// Index of the material variant.
    pub variant: Option<usize>,
}

/// A primitive of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct PrimitiveId {
    mesh: usize,
    primitive: usize,
}

/// A draw of the plan for a range of stages.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Index of the draw.
    pub draw: usize,
    pub stages: Range<usize>,
    /// Of a rigid draw, some of its visible instances; `None` for all.
    pub instances: Option<Range<u32>>,
}

impl Batch {
    /// Returns all instances of a draw in these stages.
    pub fn whole(draw: usize, stages: Range<usize>) -> Self {
        Self { draw, stages, instances: None }
    }
}

/// A primitive drawn at one node, or a rigid one at several.
#[derive(Clone, Debug)]
pub struct Draw {
    pub mesh: usize,
    pub primitive: usize,
    pub material: Option<usize>,
    pub topology: Topology,
    /// Sets of four joint IDs per vertex; 0 for a rigid primitive.
    pub sets: usize,
    pub phase: Phase,
    /// Whether its material uses alpha blending.
    pub blended: bool,
    pub double_sided: bool,
    /// Whether its material uses an alpha mask.
    pub masked: bool,
    /// Range of the plan's parts.
    pub parts: Range<usize>,
    /// Index into the plan's morphs.
    pub morph: Option<usize>,
    /// Range of the plan's instances; empty for a skinned primitive.
    pub instances: Range<usize>,
    /// The node; of a rigid primitive at several nodes, the first.
    pub node: usize,
}

impl Draw {
    /// Whether a rigid draw covers all stages in one call. A draw that is sorted by distance or has morph
    /// weights needs a call per stage.
    pub fn is_one_call(&self) -> bool {
        self.phase == Phase::Opaque && self.morph.is_none()
    }

    /// Whether its instances are drawn one by one, from far to near: a blended instance shows those behind it.
    pub fn is_sorted_by_instance(&self) -> bool {
        /// Of more instances, all are drawn together: their order hardly shows, and each costs a call.
        const MOST: usize = 4096;
        self.phase != Phase::Opaque && (2..=MOST).contains(&self.instances.len())
    }

    /// Returns the uploaded primitive.
    pub fn primitive_in<'a>(&self, gpu_model: &'a GpuModel) -> Option<&'a GpuPrimitive> {
        gpu_model.meshes[self.mesh][self.primitive].as_ref()
    }
}

/// A range of indices and the palette that it is drawn with.
#[derive(Clone, Debug)]
pub struct PlannedPart {
    pub indices: Range<u32>,
    pub vertices: Range<u32>,
    /// Index into the plan's palettes; `None` for a rigid primitive.
    pub palette: Option<usize>,
}

/// The joints of a skin that a part of a primitive uses.
#[derive(Clone, Copy, Debug)]
pub struct PaletteSource {
    pub skin: usize,
    pub mesh: usize,
    pub primitive: usize,
    pub part: usize,
    /// Number of joints.
    pub joints: usize,
}

/// The morph weights of a node for one primitive.
#[derive(Clone, Copy, Debug)]
pub struct MorphSource {
    pub node: usize,
    pub mesh: usize,
    pub primitive: usize,
    /// Number of targets.
    pub targets: usize,
}

impl Plan {
    /// Returns the plan of a scene. It does not depend on the number of poses.
    pub fn new(scene: &Scene<'_>, choice: Choice) -> Self {
        let mut planner =
            Planner { scene, choice, plan: Self::default(), palettes: HashMap::new() };
        planner.plan.bones = scene.stage.bones(scene.model);
        let name = |bone: &Bone| scene.model.nodes[bone.joint].name.as_deref().unwrap_or_default();
        let side = |bone: &Bone| BodySide::of_name(name(bone));
        planner.plan.sides = planner.plan.bones.iter().map(side).collect();
        planner.add_draws();
        let mut plan = planner.plan;
        // The keys are unique, so the order does not depend on the hash map of the rigid draws.
        plan.draws.sort_by_key(|d| match d.phase {
            Phase::Opaque => (d.phase, d.sets, d.topology, d.material, d.mesh, d.primitive, d.node),
            _ => (d.phase, 0, Topology::Points, None, d.node, d.primitive, 0),
        });
        plan.first_transmissive = plan.draws.partition_point(|d| d.phase == Phase::Opaque);
        plan.first_blended = plan.draws.partition_point(|d| d.phase != Phase::Blended);
        plan
    }

    /// Whether a look shows the picture behind a transmissive surface.
    pub fn shows_transmission(&self, look: &Look) -> bool {
        look.pass.blends() && self.first_transmissive < self.first_blended
    }
}

/// A plan under construction.
struct Planner<'a> {
    scene: &'a Scene<'a>,
    choice: Choice,
    plan: Plan,
    /// Index into the plan's palettes by skin and joint list.
    palettes: HashMap<(usize, Vec<u16>), usize>,
}

impl Planner<'_> {
    /// Adds the draws of all nodes, in any order.
    fn add_draws(&mut self) {
        let Scene { model, gpu_model, stage, .. } = *self.scene;
        // Opaque rigid primitives without morph targets are drawn at all their nodes by one call.
        let mut rigid: HashMap<PrimitiveId, Vec<usize>> = HashMap::new();
        for &node in &stage.nodes {
            let Some(mesh) = model.nodes[node].mesh else { continue };
            for (primitive, gpu_primitive) in gpu_model.meshes[mesh].iter().enumerate() {
                let Some(gpu_primitive) = gpu_primitive else { continue };
                let source = &model.meshes[mesh].primitives[primitive];
                let skin = model.nodes[node].skin.filter(|_| source.influences.is_some());
                let material = source.material_in(self.choice.variant);
                let together =
                    Phase::from_material(material.map(|m| &model.materials[m])) == Phase::Opaque;
                let id = PrimitiveId { mesh, primitive };
                if skin.is_none() && gpu_primitive.deltas.is_none() && together {
                    rigid.entry(id).or_default().push(node);
                    continue;
                }
                let mut draw = self.draw(node, id, skin);
                if gpu_primitive.deltas.is_some() {
                    draw.morph = Some(self.plan.morphs.len());
                    let targets = source.targets.len();
                    self.plan.morphs.push(MorphSource { node, mesh, primitive, targets });
                }
                if skin.is_none() {
                    self.add_instances(&mut draw, &[node]);
                }
                self.plan.draws.push(draw);
            }
        }
        for (id, nodes) in rigid {
            let mut draw = self.draw(nodes[0], id, None);
            self.add_instances(&mut draw, &nodes);
            self.plan.draws.push(draw);
        }
    }

    /// Returns the draw of a primitive without instances, and adds its parts and palettes.
    fn draw(&mut self, node: usize, id: PrimitiveId, skin: Option<usize>) -> Draw {
        let PrimitiveId { mesh, primitive } = id;
        let model = self.scene.model;
        let source = &model.meshes[mesh].primitives[primitive];
        let index = source.material_in(self.choice.variant);
        let material = index.map(|m| &model.materials[m]);
        let Self { plan, palettes, .. } = self;
        let start = plan.parts.len();
        for (part, p) in source.parts.iter().enumerate() {
            let palette = skin.map(|skin| {
                *palettes.entry((skin, p.joints.clone())).or_insert_with(|| {
                    let joints = p.joints.len();
                    plan.palettes.push(PaletteSource { skin, mesh, primitive, part, joints });
                    plan.palettes.len() - 1
                })
            });
            let (indices, vertices) = (p.indices.clone(), p.vertices.clone());
            plan.parts.push(PlannedPart { indices, vertices, palette });
        }
        Draw {
            mesh,
            primitive,
            material: index,
            topology: source.mode.topology(),
            sets: skin.and(source.influences.as_ref()).map_or(0, |i| i.sets),
            phase: Phase::from_material(material),
            blended: material.is_some_and(|m| m.alpha_mode == AlphaMode::Blend),
            double_sided: material.is_some_and(|m| m.double_sided),
            masked: material.is_some_and(|m| matches!(m.alpha_mode, AlphaMode::Mask { .. })),
            parts: start..plan.parts.len(),
            morph: None,
            instances: 0..0,
            node,
        }
    }

    /// Adds the instances of a rigid draw at these nodes.
    fn add_instances(&mut self, draw: &mut Draw, nodes: &[usize]) {
        let instances = &mut self.plan.instances;
        let start = instances.len();
        for &node in nodes {
            match (self.choice.instancing, self.scene.model.nodes[node].instances.len()) {
                (Instancing::NodeItself, _) | (_, 0) => {
                    instances.push(Placed { node, instance: None });
                }
                (Instancing::Instances, n) => {
                    instances.extend((0..n).map(|i| Placed { node, instance: Some(i) }));
                }
            }
        }
        draw.instances = start..instances.len();
    }
}
