//! The matrices that move the drawn primitives of a scene: joints, and nodes with rigid meshes.

use std::collections::HashMap;

use glam::{Affine3A, DVec3, Mat4};

use crate::model::{Model, Stage};

/// What moves the primitives of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Rig {
    /// The matrices, skin by skin and rigid node by rigid node.
    pub bones: Vec<Bone>,
    /// The primitives in drawing order.
    pub draws: Vec<Draw>,
    /// The nodes with a mesh; their morph weights follow each other.
    pub nodes: Vec<usize>,
    /// Number of their morph weights.
    pub weights: usize,
    /// The point of the scene that all matrices are relative to.
    pub origin: DVec3,
}

/// A matrix that moves vertices: a joint of a skin, or a node or instance with a rigid mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Bone {
    /// The node's name, made unique.
    pub name: String,
    /// Index of the node.
    pub node: usize,
    /// Whether it is a joint of a skin.
    pub is_joint: bool,
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
}

impl Rig {
    /// Returns the rig of a stage's scene.
    pub fn new(model: &Model, stage: &Stage) -> Self {
        let mut rig = Self {
            bones: Vec::new(),
            draws: Vec::new(),
            nodes: Vec::new(),
            weights: 0,
            origin: stage.origin,
        };
        let mut skins = HashMap::new();
        let mut nearest_rigid = vec![None; model.nodes.len()];
        // Parents come before their children.
        for &node in &stage.nodes {
            nearest_rigid[node] =
                model.hierarchy.parent(node).and_then(|parent| nearest_rigid[parent]);
            if let Some(mesh) = model.nodes[node].mesh {
                rig.add_node(model, node, mesh, &mut skins, &mut nearest_rigid);
                rig.nodes.push(node);
                rig.weights += stage.local.weights(node).len();
            }
        }
        rig.make_names_unique();
        rig
    }

    /// Adds the primitives of a node. `seen` is the first bone of each skin, and the nearest rigid bone of each node.
    fn add_node(
        &mut self,
        model: &Model,
        node: usize,
        mesh: usize,
        skins: &mut HashMap<usize, usize>,
        rigid: &mut [Option<usize>],
    ) {
        let mut own = None;
        for (primitive, of_mesh) in model.meshes[mesh].primitives.iter().enumerate() {
            // A primitive may have more or fewer targets than the mesh has weights.
            let targets = of_mesh.targets.len().min(model.rest.weights(node).len());
            let weights = self.weights;
            let mut draw =
                Draw { node, mesh, primitive, bone: 0, is_skinned: false, weights, targets };
            if let Some(skin) = model.nodes[node].skin.filter(|_| of_mesh.influences.is_some()) {
                draw.is_skinned = true;
                draw.bone = *skins.entry(skin).or_insert_with(|| self.add_skin(model, skin));
                self.draws.push(draw);
                continue;
            }
            let bones = own.get_or_insert_with(|| self.add_rigid(model, node, rigid[node])).clone();
            rigid[node] = Some(bones.start);
            self.draws.extend(bones.map(|bone| Draw { bone, ..draw }));
        }
    }

    /// Adds the joints of a skin and returns the first one's index.
    fn add_skin(&mut self, model: &Model, skin: usize) -> usize {
        let first = self.bones.len();
        let skin = &model.skins[skin];
        let mut bone_of_node = vec![None; model.nodes.len()];
        for (i, joint) in skin.joints.iter().enumerate() {
            bone_of_node[*joint as usize].get_or_insert(first + i);
        }
        let parents = model.hierarchy.nearest_above(|node| bone_of_node[node].is_some());
        for (joint, joint_from_mesh) in skin.joints.iter().zip(&skin.joint_from_mesh) {
            let node = *joint as usize;
            let parent = parents[node].and_then(|parent| bone_of_node[parent]);
            self.add_bone(model, node, *joint_from_mesh, parent, true);
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
        for instance in &model.nodes[node].instances {
            self.add_bone(model, node, *instance, parent, false);
        }
        if first == self.bones.len() {
            self.add_bone(model, node, Affine3A::IDENTITY, parent, false);
        }
        first..self.bones.len()
    }

    fn add_bone(
        &mut self,
        model: &Model,
        node: usize,
        node_from_mesh: Affine3A,
        parent: Option<usize>,
        is_joint: bool,
    ) {
        let name = match model.nodes[node].name.as_deref() {
            None | Some("") => format!("node {node}"),
            Some(name) => name.to_owned(),
        };
        self.bones.push(Bone { name, node, is_joint, node_from_mesh, parent });
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

    /// Number of values per frame: twelve per bone, the morph weights, and one per node with a mesh that says whether
    /// it is shown.
    pub fn stride(&self) -> usize {
        12 * self.bones.len() + self.weights + self.nodes.len()
    }

    /// Appends the values of a pose: the matrices are those of the nodes, without what binds the mesh to them, because
    /// that depends on how the mesh is stored.
    pub fn write(&self, stage: &Stage, out: &mut Vec<f32>) {
        for bone in &self.bones {
            out.extend(rows(stage.world.world_from_node(bone.node)));
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
        let (matrices, rest) = frame.split_at(12 * self.bones.len());
        let (weights, shown) = rest.split_at(self.weights);
        for (bone, values) in self.bones.iter().zip(matrices.chunks_exact(12)) {
            out.extend(rows(&(matrix(values) * bone.node_from_mesh)));
        }
        out.extend(weights);
        let place = |draw: &Draw| self.nodes.iter().position(|node| *node == draw.node);
        out.extend(self.draws.iter().map(|draw| place(draw).map_or(1.0, |place| shown[place])));
    }
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
