//! A vertex: its positions, its weights, and what each joint contributes to where it is.

use glam::{DVec3, Vec3};
use serde::Serialize;

use rigview_model::{DrawnPrimitive, Model, Stage};

/// A vertex of a mesh as a node shows it. Positions are in metres.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VertexFacts {
    /// The node.
    pub node: usize,
    /// The primitive of the node's mesh.
    pub primitive: usize,
    /// Its index in the file.
    pub index: u32,
    /// Its position in the mesh's space, without morph targets.
    pub mesh_position: [f32; 3],
    /// Its position in the scene with all nodes at rest.
    pub rest: [f32; 3],
    /// Its position in the scene in the present pose, as `pose --json` prints it.
    pub posed: [f32; 3],
    /// The morph targets that move it if their weight is not 0.
    pub morph_deltas: Vec<MorphDelta>,
    /// The joints that move it, the largest weight first. Empty for a vertex that moves with its node.
    pub joints: Vec<Contribution>,
    /// The sum of the weights as the file has them.
    pub weight_sum: f32,
}

/// A morph target's delta of a vertex.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MorphDelta {
    /// Index of the target.
    pub target: usize,
    /// Its name; empty if the file has none.
    pub name: String,
    /// Its weight in the present pose.
    pub weight: f32,
    /// The delta at weight 1, in the mesh's space.
    pub delta: [f32; 3],
}

/// A joint that moves a vertex.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contribution {
    /// The joint's node.
    pub node: usize,
    /// Index into the skin's joints.
    pub joint: usize,
    /// The weight as the file has it. Weights that are negative or not finite are 0.
    pub weight: f32,
    /// The weight divided by the sum, as it is used.
    pub used_weight: f32,
    /// What the joint adds to the posed position: `used_weight * joint_matrix * position`, in the scene. The sum over
    /// all joints is the posed position.
    pub contribution: [f64; 3],
}

/// Returns the facts of a vertex, given by its index in the file, in a stage's pose. `rest` is a stage of the same scene
/// in its rest pose. `None` if there is no such vertex, or none that the model kept.
pub fn vertex_facts(
    model: &Model,
    [stage, rest]: [&Stage; 2],
    drawn: DrawnPrimitive,
    index: u32,
) -> Option<VertexFacts> {
    let mesh = &model.meshes[model.nodes.get(drawn.node)?.mesh?];
    let primitive = mesh.primitives.get(drawn.primitive)?;
    let vertex = primitive.vertex_of_file(index)?;
    let place = |stage: &Stage| {
        let at = *stage.deformed_at(model, drawn, &[vertex])?.first()?;
        Some((at.as_dvec3() + stage.origin).as_vec3().to_array())
    };
    let weights = stage.local.weights(drawn.node);
    let deltas = primitive.targets.iter().zip(weights).enumerate();
    let morph_deltas: Vec<MorphDelta> = deltas
        .filter_map(|(target, (of, weight))| {
            let delta = *of.positions.get(vertex as usize).filter(|delta| **delta != [0.0; 3])?;
            let name = mesh.target_names.get(target).cloned().unwrap_or_default();
            Some(MorphDelta { target, name, weight: *weight, delta })
        })
        .collect();
    let mesh_position = primitive.vertices[vertex as usize].position;
    let moved = |at: Vec3, m: &MorphDelta| at + m.weight * Vec3::from(m.delta);
    let morphed = morph_deltas.iter().fold(Vec3::from(mesh_position), moved);
    let sum = primitive.weight_sums.get(index as usize).copied().unwrap_or(1.0);
    let joints = contributions(model, stage, drawn, vertex, morphed);
    Some(VertexFacts {
        node: drawn.node,
        primitive: drawn.primitive,
        index,
        mesh_position,
        rest: place(rest)?,
        posed: place(stage)?,
        morph_deltas,
        weight_sum: if joints.is_empty() { 0.0 } else { sum },
        joints: joints.into_iter().map(|j| Contribution { weight: j.weight * sum, ..j }).collect(),
    })
}

/// Returns what each joint adds to the position of a vertex of the model, given after morphing.
fn contributions(
    model: &Model,
    stage: &Stage,
    drawn: DrawnPrimitive,
    vertex: u32,
    morphed: Vec3,
) -> Vec<Contribution> {
    let node = &model.nodes[drawn.node];
    let (Some(mesh), Some(skin)) = (node.mesh, node.skin) else { return Vec::new() };
    let (primitive, skin) = (&model.meshes[mesh].primitives[drawn.primitive], &model.skins[skin]);
    let part = primitive.parts.iter().find(|part| part.vertices.contains(&vertex));
    let (Some(influences), Some(part)) = (&primitive.influences, part) else { return Vec::new() };
    let sets = influences.of_vertex(vertex as usize).iter();
    let pairs = sets.flat_map(|set| set.joints.into_iter().zip(set.weights));
    let mut joints: Vec<Contribution> = Vec::new();
    for (place, weight) in pairs.filter(|(_, weight)| *weight != 0.0) {
        let Some(joint) = part.joints.get(usize::from(place)).map(|j| usize::from(*j)) else {
            continue;
        };
        let matrix = skin.joint_matrix(joint, &stage.world).as_daffine3();
        let at: DVec3 = matrix.transform_point3(morphed.as_dvec3()) + stage.origin;
        joints.push(Contribution {
            node: skin.joints[joint] as usize,
            joint,
            weight,
            used_weight: weight,
            contribution: (f64::from(weight) * at).to_array(),
        });
    }
    joints.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    joints
}
