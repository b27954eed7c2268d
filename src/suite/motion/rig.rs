//! The matrices that move the drawn primitives of a scene: joints, and nodes with rigid meshes.

use std::collections::HashMap;

use glam::{Affine3A, DVec3, Mat4, Vec3};

use super::parts::Part;
use rigview_model::{Aabb, Model, Stage};

/// What moves the primitives of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Rig {
    /// The matrices, skin by skin and rigid node by rigid node.
    pub bones: Vec<Bone>,
    /// The primitives in drawing order.
    pub draws: Vec<Draw>,
    /// What moves the bones. Skins share the movers of their joints.
    pub movers: Vec<Mover>,
    /// The nodes with a mesh; their morph weights follow each other.
    pub nodes: Vec<usize>,
    /// Number of their morph weights.
    pub weights: usize,
    /// The point of the scene that all matrices are relative to.
    pub origin: DVec3,
}

/// A joint, or a node with a rigid mesh or one of its instances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mover {
    /// Index of the node.
    pub node: usize,
    /// Whether it is a joint of a skin.
    pub is_joint: bool,
    /// The place of the instance relative to the node; the identity without instances.
    pub instance: Affine3A,
}

/// A matrix that moves vertices: a joint of a skin, or a node or instance with a rigid mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Bone {
    /// The node's name, made unique.
    pub name: String,
    /// The place of what moves it among the movers.
    pub mover: usize,
    /// The inverse bind matrix of a joint, the inverse of an instance's place, or the identity.
    pub node_from_mesh: Affine3A,
    /// The bone of the nearest ancestor in the same skin, or of the nearest one with a rigid mesh.
    pub parent: Option<usize>,
}

/// A primitive as a node, or one instance of it, draws it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw {
    /// Index of the node.
    pub node: usize,
    /// Index of the mesh.
    pub mesh: usize,
    /// Index into the mesh's primitives.
    pub primitive: usize,
    /// The first bone of the skin, or the only bone of a rigid primitive.
    pub bone: usize,
    /// Whether the vertices have joints.
    pub is_skinned: bool,
    /// The first of the node's morph weights among those of the rig.
    pub weights: usize,
    /// Number of morph targets that have a weight.
    pub targets: usize,
    /// The place of the node among those with a mesh.
    pub drawer: usize,
}

impl Rig {
    /// Returns the rig of a stage's scene.
    pub fn new(model: &Model, stage: &Stage) -> Self {
        let mut rig = Self {
            bones: Vec::new(),
            draws: Vec::new(),
            movers: Vec::new(),
            nodes: Vec::new(),
            weights: 0,
            origin: stage.origin,
        };
        let mut seen = Seen::default();
        let mut nearest_rigid = vec![None; model.nodes.len()];
        // Parents come before their children.
        for &node in &stage.nodes {
            nearest_rigid[node] =
                model.hierarchy.parent(node).and_then(|parent| nearest_rigid[parent]);
            if let Some(mesh) = model.nodes[node].mesh {
                rig.add_node(model, node, mesh, &mut seen, &mut nearest_rigid);
                rig.nodes.push(node);
                rig.weights += stage.local.weights(node).len();
            }
        }
        rig.make_names_unique();
        rig
    }

    /// Adds the primitives of a node. `rigid` is the nearest rigid bone of each node.
    fn add_node(
        &mut self,
        model: &Model,
        node: usize,
        mesh: usize,
        seen: &mut Seen,
        rigid: &mut [Option<usize>],
    ) {
        let mut own = None;
        for (primitive, of_mesh) in model.meshes[mesh].primitives.iter().enumerate() {
            // A primitive may have more or fewer targets than the mesh has weights.
            let targets = of_mesh.targets.len().min(model.rest.weights(node).len());
            let (weights, drawer) = (self.weights, self.nodes.len());
            let mut draw = Draw {
                node,
                mesh,
                primitive,
                bone: 0,
                is_skinned: false,
                weights,
                targets,
                drawer,
            };
            if let Some(skin) = model.nodes[node].skin.filter(|_| of_mesh.influences.is_some()) {
                draw.is_skinned = true;
                draw.bone = match seen.skins.get(&skin) {
                    Some(first) => *first,
                    None => self.add_skin(model, skin, seen),
                };
                self.draws.push(draw);
                continue;
            }
            let bones = own.get_or_insert_with(|| self.add_rigid(model, node, rigid[node])).clone();
            rigid[node] = Some(bones.start);
            self.draws.extend(bones.map(|bone| Draw { bone, ..draw }));
        }
    }

    /// Adds the joints of a skin and returns the first one's index.
    fn add_skin(&mut self, model: &Model, skin: usize, seen: &mut Seen) -> usize {
        let first = self.bones.len();
        seen.skins.insert(skin, first);
        let skin = &model.skins[skin];
        let mut bone_of_node = vec![None; model.nodes.len()];
        for (i, joint) in skin.joints.iter().enumerate() {
            bone_of_node[*joint as usize].get_or_insert(first + i);
        }
        let parents = model.hierarchy.nearest_above(|node| bone_of_node[node].is_some());
        for (joint, joint_from_mesh) in skin.joints.iter().zip(&skin.joint_from_mesh) {
            let node = *joint as usize;
            let parent = parents[node].and_then(|parent| bone_of_node[parent]);
            let mover = *seen.joints.entry(node).or_insert_with(|| {
                self.movers.push(Mover { node, is_joint: true, instance: Affine3A::IDENTITY });
                self.movers.len() - 1
            });
            let node_from_mesh = *joint_from_mesh;
            let name = named(model, node);
            self.bones.push(Bone { name, mover, node_from_mesh, parent });
        }
        first
    }

    /// Adds the bones of a node with a rigid mesh: one, or one per instance.
    fn add_rigid(
        &mut self,
        model: &Model,
        node: usize,
        parent: Option<usize>,
    ) -> std::ops::Range<usize> {
        let first = self.bones.len();
        let instances = &model.nodes[node].instances;
        let one = [Affine3A::IDENTITY];
        for node_from_mesh in if instances.is_empty() { &one[..] } else { instances } {
            let (name, node_from_mesh) = (named(model, node), *node_from_mesh);
            let mover = self.movers.len();
            self.movers.push(Mover { node, is_joint: false, instance: node_from_mesh });
            self.bones.push(Bone { name, mover, node_from_mesh, parent });
        }
        first..self.bones.len()
    }

    /// Returns what the movers and the nodes with a mesh are known by. The stage
    /// is posed at rest.
    pub fn parts(&self, model: &Model, stage: &Stage) -> [Vec<Part>; 2] {
        let part = |node: usize, is_joint: bool, (at, size): (Vec3, f32)| {
            let name = model.nodes[node].name.as_deref().unwrap_or_default().to_owned();
            // JSON has no other numbers.
            let at = if at.is_finite() { at } else { Vec3::ZERO };
            let size = if size.is_finite() { size } else { 0.0 };
            Part { name, at: at.to_array(), size, is_joint }
        };
        let of_mover = |mover: &Mover| {
            let Mover { node, is_joint, instance } = *mover;
            let place = match is_joint {
                true => (stage.world.world_from_node(node).translation.into(), 0.0),
                false => mesh_place(model, stage, node, &[instance]),
            };
            part(node, is_joint, place)
        };
        let of_drawer = |node: &usize| {
            part(*node, false, mesh_place(model, stage, *node, &model.nodes[*node].instances))
        };
        [self.movers.iter().map(of_mover).collect(), self.nodes.iter().map(of_drawer).collect()]
    }

    /// Appends a number to names that were used before.
    fn make_names_unique(&mut self) {
        let mut seen: HashMap<String, usize> = HashMap::new();
        for bone in &mut self.bones {
            let count = seen.entry(bone.name.clone()).or_default();
            *count += 1;
            if *count > 1 {
                bone.name = format!("{} ({count})", bone.name);
            }
        }
    }

    /// Number of values per frame: twelve per mover, the morph weights, and one per node with a mesh that says whether
    /// it is shown.
    pub fn stride(&self) -> usize {
        12 * self.movers.len() + self.weights + self.nodes.len()
    }

    /// Number of drawn values per frame: twelve per bone, the morph weights, and one per draw that says whether it is shown.
    pub fn drawn_stride(&self) -> usize {
        12 * self.bones.len() + self.weights + self.draws.len()
    }

    /// Appends the values of a pose: the matrices are those of the nodes, without what binds the mesh to them, because
    /// that depends on how the mesh is stored.
    pub fn write(&self, stage: &Stage, out: &mut Vec<f32>) {
        for mover in &self.movers {
            out.extend(rows(stage.world.world_from_node(mover.node)));
        }
        self.nodes.iter().for_each(|node| out.extend(stage.local.weights(*node)));
        out.extend(self.nodes.iter().map(|node| f32::from(stage.visible[*node])));
    }

    /// Whether a frame of drawn values ([`Rig::draw`]) shows a draw.
    pub fn shows(&self, frame: &[f32], draw: usize) -> bool {
        frame[12 * self.bones.len() + self.weights + draw] != 0.0
    }

    /// Appends the values with which a frame is drawn: matrices from the mesh, the morph weights, and one value per draw.
    pub fn draw(&self, frame: &[f32], out: &mut Vec<f32>) {
        let (matrices, rest) = frame.split_at(12 * self.movers.len());
        let (weights, shown) = rest.split_at(self.weights);
        for bone in &self.bones {
            let mover = matrix(&matrices[12 * bone.mover..12 * bone.mover + 12]);
            out.extend(rows(&(mover * bone.node_from_mesh)));
        }
        out.extend(weights);
        out.extend(self.draws.iter().map(|draw| shown[draw.drawer]));
    }
}

/// What a rig has already while it is made.
#[derive(Default)]
struct Seen {
    /// The first bone of each skin.
    skins: HashMap<usize, usize>,
    /// The mover of each joint.
    joints: HashMap<usize, usize>,
}

/// Returns a node's name, or words for one without a name.
fn named(model: &Model, node: usize) -> String {
    match model.nodes[node].name.as_deref() {
        None | Some("") => format!("node {node}"),
        Some(name) => name.to_owned(),
    }
}

/// Returns the middle of a node's mesh and the diagonal of its box, of these instances together, or of the node itself without any:
/// the same ones in whatever units the mesh is stored.
fn mesh_place(model: &Model, stage: &Stage, node: usize, instances: &[Affine3A]) -> (Vec3, f32) {
    let own = &model.nodes[node];
    let primitives = own.mesh.map_or(&[][..], |mesh| &model.meshes[mesh].primitives);
    let mut bounds = Aabb::EMPTY;
    primitives.iter().filter_map(|p| p.bounds.rest.as_ref()).for_each(|rest| bounds.union(rest));
    if bounds.is_empty() {
        bounds = Aabb { min: Vec3::ZERO, max: Vec3::ZERO };
    }
    let skin = own.skin.map(|skin| &model.skins[skin]);
    let bind = skin.and_then(|skin| skin.joints.iter().zip(&skin.joint_from_mesh).next());
    let world = match bind {
        Some((joint, bind)) => stage.world.world_from_node(*joint as usize) * *bind,
        None => *stage.world.world_from_node(node),
    };
    let one = [Affine3A::IDENTITY];
    let all = if instances.is_empty() || bind.is_some() { &one[..] } else { instances };
    let (mut at, mut size) = (Vec3::ZERO, 0.0);
    for instance in all {
        let scene_from_mesh = world * *instance;
        at += scene_from_mesh.transform_point3(bounds.center()) / all.len() as f32;
        size += scene_from_mesh.transform_vector3(bounds.size()).length() / all.len() as f32;
    }
    (at, size)
}

/// Returns the matrix of three rows.
pub fn matrix(rows: &[f32]) -> Affine3A {
    let row = |i: usize| glam::Vec4::from_slice(&rows[4 * i..]);
    Affine3A::from_mat4(Mat4::from_cols(row(0), row(1), row(2), glam::Vec4::W).transpose())
}

/// Returns the three rows of a matrix.
pub fn rows(matrix: &Affine3A) -> [f32; 12] {
    let [x, y, z, t] =
        [matrix.matrix3.x_axis, matrix.matrix3.y_axis, matrix.matrix3.z_axis, matrix.translation]
            .map(|column| column.to_array());
    [x[0], y[0], z[0], t[0], x[1], y[1], z[1], t[1], x[2], y[2], z[2], t[2]]
}
