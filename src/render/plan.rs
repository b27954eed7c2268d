//! What is drawn for a scene, in which order, and which palettes, morph weights and matrices it
//! needs. Made once for a scene; each frame only fills in the numbers.

use std::collections::HashMap;
use std::ops::Range;

use super::GpuModel;
use crate::model::{AlphaMode, Material, Model, Stage, Topology};

/// A model, uploaded, and its scene in one pose, or in several: a crowd.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    pub model: &'a Model,
    pub gpu_model: &'a GpuModel,
    pub stage: &'a Stage,
    /// The same scene again, each posed by itself.
    pub others: &'a [Stage],
}

impl<'a> Scene<'a> {
    /// All poses; at least one.
    pub fn stages(&self) -> impl Iterator<Item = &'a Stage> + use<'a> {
        std::iter::once(self.stage).chain(self.others)
    }

    /// How many.
    pub fn count(&self) -> usize {
        1 + self.others.len()
    }
}

/// Everything that a scene draws.
#[derive(Debug, Default)]
pub struct Plan {
    /// The opaque draws, sorted so that neighbours share their pipeline, material and mesh, then
    /// those that show what is behind them, then the blended ones, both in file order.
    pub draws: Vec<Draw>,
    /// Where those begin that show what is behind them.
    pub first_transmissive: usize,
    /// Where the blended ones begin.
    pub first_blended: usize,
    /// The parts of all draws.
    pub parts: Vec<PlannedPart>,
    /// The palettes to fill.
    pub palettes: Vec<PaletteSource>,
    /// The morph weights to fill.
    pub morphs: Vec<MorphSource>,
    /// What gives rigid draws their matrices, draw by draw.
    pub instances: Vec<Placed>,
    /// Joints, and the joint that each hangs below if there is one.
    pub bones: Vec<(usize, Option<usize>)>,
}

/// Where a rigid primitive is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    pub node: usize,
    /// Which of the node's instances; none for the node itself.
    pub instance: Option<usize>,
}

/// Where the meshes of nodes with instances are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instancing {
    /// At all of them.
    Instances,
    /// At the node itself, as if it had none.
    NodeItself,
}

/// When something is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// First, in any order.
    Opaque,
    /// Then what shows a picture of the opaque behind it, from back to front.
    Transmissive,
    /// Then what is laid over it, from back to front.
    Blended,
}

impl Phase {
    fn of(material: Option<&Material>) -> Self {
        match material {
            Some(m) if m.is_transmissive() => Phase::Transmissive,
            Some(m) if m.alpha_mode == AlphaMode::Blend => Phase::Blended,
            _ => Phase::Opaque,
        }
    }
}

/// What of a scene is drawn, beside the pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    pub instancing: Instancing,
    /// Which material variant.
    pub variant: Option<usize>,
}

/// A primitive drawn at one node, or a rigid one at several.
#[derive(Clone, Debug)]
pub struct Draw {
    pub mesh: usize,
    pub primitive: usize,
    pub material: Option<usize>,
    pub topology: Topology,
    /// Sets of four joint IDs a vertex; 0 for a rigid one.
    pub sets: usize,
    /// When it is drawn.
    pub phase: Phase,
    /// Whether it is laid over what is behind it by its alpha.
    pub blended: bool,
    pub double_sided: bool,
    /// Whether its material leaves holes.
    pub masked: bool,
    /// Which of the plan's parts.
    pub parts: Range<usize>,
    /// Which of the plan's morphs.
    pub morph: Option<usize>,
    /// Which of the plan's instances, for a rigid one.
    pub instances: Range<usize>,
    /// The node, the first of several.
    pub node: usize,
}

impl Draw {
    /// Whether a rigid one is drawn of all stages in one call: neither has each its place in the order
    /// of what is seen through, nor its own morph weights.
    pub fn is_one_call(&self) -> bool {
        self.phase == Phase::Opaque && self.morph.is_none()
    }
}

/// A run of indices and the palette it is drawn with.
#[derive(Clone, Debug)]
pub struct PlannedPart {
    pub indices: Range<u32>,
    pub vertices: Range<u32>,
    /// Which of the plan's palettes; none for a rigid one.
    pub palette: Option<usize>,
}

/// Joints to gather: a skin's, as a part lists them.
#[derive(Clone, Copy, Debug)]
pub struct PaletteSource {
    pub skin: usize,
    pub mesh: usize,
    pub primitive: usize,
    pub part: usize,
    /// How many they are.
    pub joints: usize,
}

/// A node's morph weights, for a primitive.
#[derive(Clone, Copy, Debug)]
pub struct MorphSource {
    pub node: usize,
    pub mesh: usize,
    pub primitive: usize,
    /// How many targets there are.
    pub targets: usize,
}

impl Plan {
    /// The plan of a scene, however many poses it is drawn in.
    pub fn new(scene: &Scene<'_>, choice: Choice) -> Self {
        let Scene { model, gpu_model, stage, .. } = *scene;
        let placed = |node: usize| match (choice.instancing, model.nodes[node].instances.len()) {
            (Instancing::NodeItself, _) | (_, 0) => vec![Placed { node, instance: None }],
            (Instancing::Instances, n) => {
                (0..n).map(|i| Placed { node, instance: Some(i) }).collect()
            }
        };
        let mut plan = Self { bones: bones(model, stage), ..Self::default() };
        let mut rigid: HashMap<(usize, usize), Vec<usize>> = HashMap::new();
        let mut slots = HashMap::new();
        for &node in &stage.nodes {
            let Some(mesh) = model.nodes[node].mesh else { continue };
            for (primitive, gpu_primitive) in gpu_model.meshes[mesh].iter().enumerate() {
                let Some(gpu_primitive) = gpu_primitive else { continue };
                let source = &model.meshes[mesh].primitives[primitive];
                let skinned = model.nodes[node].skin.filter(|_| source.influences.is_some());
                let material = source.material_in(choice.variant).map(|m| &model.materials[m]);
                let together = Phase::of(material) == Phase::Opaque;
                if skinned.is_none() && gpu_primitive.deltas.is_none() && together {
                    rigid.entry((mesh, primitive)).or_default().push(node);
                    continue;
                }
                let mut draw =
                    plan.draw(model, node, (mesh, primitive), skinned, choice.variant, &mut slots);
                if gpu_primitive.deltas.is_some() {
                    draw.morph = Some(plan.morphs.len());
                    let targets = source.targets.len();
                    plan.morphs.push(MorphSource { node, mesh, primitive, targets });
                }
                if skinned.is_none() {
                    plan.place(&mut draw, placed(node));
                }
                plan.draws.push(draw);
            }
        }
        for ((mesh, primitive), nodes) in rigid {
            let mut draw =
                plan.draw(model, nodes[0], (mesh, primitive), None, choice.variant, &mut slots);
            plan.place(&mut draw, nodes.iter().flat_map(|node| placed(*node)));
            plan.draws.push(draw);
        }
        // Stable in file order, whatever order the map gave the rigid ones in.
        plan.draws.sort_by_key(|d| match d.phase {
            Phase::Opaque => (d.phase, d.sets, d.topology, d.material, d.mesh, d.primitive, d.node),
            _ => (d.phase, 0, Topology::Points, None, d.node, d.primitive, 0),
        });
        plan.first_transmissive = plan.draws.partition_point(|d| d.phase == Phase::Opaque);
        plan.first_blended = plan.draws.partition_point(|d| d.phase != Phase::Blended);
        plan
    }

    fn draw(
        &mut self,
        model: &Model,
        node: usize,
        (mesh, primitive): (usize, usize),
        skin: Option<usize>,
        variant: Option<usize>,
        slots: &mut HashMap<(usize, Vec<u16>), usize>,
    ) -> Draw {
        let source = &model.meshes[mesh].primitives[primitive];
        let material = source.material_in(variant);
        let made_of = material.map(|m| &model.materials[m]);
        let start = self.parts.len();
        for (part, p) in source.parts.iter().enumerate() {
            let palette = skin.map(|skin| {
                *slots.entry((skin, p.joints.clone())).or_insert_with(|| {
                    let joints = p.joints.len();
                    self.palettes.push(PaletteSource { skin, mesh, primitive, part, joints });
                    self.palettes.len() - 1
                })
            });
            let (indices, vertices) = (p.indices.clone(), p.vertices.clone());
            self.parts.push(PlannedPart { indices, vertices, palette });
        }
        Draw {
            mesh,
            primitive,
            material,
            topology: source.mode.topology(),
            sets: skin.and(source.influences.as_ref()).map_or(0, |i| i.sets),
            phase: Phase::of(made_of),
            blended: made_of.is_some_and(|m| m.alpha_mode == AlphaMode::Blend),
            double_sided: made_of.is_some_and(|m| m.double_sided),
            masked: made_of.is_some_and(|m| matches!(m.alpha_mode, AlphaMode::Mask { .. })),
            parts: start..self.parts.len(),
            morph: None,
            instances: 0..0,
            node,
        }
    }

    fn place(&mut self, draw: &mut Draw, placed: impl IntoIterator<Item = Placed>) {
        let start = self.instances.len();
        self.instances.extend(placed);
        draw.instances = start..self.instances.len();
    }
}

/// The joints of a stage with the nearest joint above each: a node between that is none is passed.
fn bones(model: &Model, stage: &Stage) -> Vec<(usize, Option<usize>)> {
    let joints = stage.joints(model);
    let mut is_joint = vec![false; model.nodes.len()];
    joints.iter().for_each(|joint| is_joint[*joint] = true);
    // Parents come first, so each node is looked at once, however deep the tree is.
    let mut above: Vec<Option<usize>> = vec![None; model.nodes.len()];
    for &node in model.hierarchy.parents_first() {
        let node = node as usize;
        let parent = model.hierarchy.parent(node);
        above[node] = parent.and_then(|p| if is_joint[p] { Some(p) } else { above[p] });
    }
    joints.into_iter().map(|joint| (joint, above[joint])).collect()
}
