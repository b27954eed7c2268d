//! Poses every vertex of a scene at many instants: for measurements over whole clips.
//!
//! The result is that of [`Stage::deformed`], several times faster: joint matrices are computed once per skin
//! and instant, vertices that always move together are posed once, and no instant allocates.
//!
//! ```
//! use rigview_anim::instants;
//! use rigview_import::{ImportOptions, load};
//! use rigview_model::{SkinMotion, PointPositions, Stage};
//!
//! let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/creature.glb");
//! let model = load(file.as_ref(), &ImportOptions::default())?.model;
//! let mut stage = Stage::new(&model, model.default_scene);
//! let motion = SkinMotion::new(&model, &stage.nodes)?;
//! let mut pose = PointPositions::default();
//! let mut highest = f32::MIN;
//! for time in instants(&[&model.clips[0]]) {
//!     stage.pose(&model, model.clips.first(), time);
//!     motion.pose(&model, &stage, &mut pose);
//!     highest = pose.positions().iter().map(|at| at.y).fold(highest, f32::max);
//! }
//! assert!(highest > 0.4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::HashMap;
use std::ops::Range;

use glam::{Affine3A, Mat3, Mat4, Vec3};

use super::deform::{blended, joint_weights};
use super::extents::point_blocks::{Mover, PointBlocks};
use super::{Aabb, Model, OverBudget, Primitive, Stage};
use rigview_anim::Skin;

/// All vertices of a scene, laid out to be posed fast. Immutable: several threads can use it, each with its
/// own [`Stage`] and [`PointPositions`].
///
/// Its unit is the *point*: all vertices of a primitive with equal position, joints, weights and morph
/// deltas, such as those that differ only in normal or texture coordinates. Vertices that no index uses are
/// left out; those of hidden nodes are not. A mesh with instances is posed once, at the node itself, unless
/// [`SkinMotion::show_instance`] or [`SkinMotion::add_instances`] ask for others.
#[derive(Clone, Debug, Default)]
pub struct SkinMotion {
    /// The primitives as nodes draw them, in the order of the scene's nodes.
    drawn: Vec<DrawnPoints>,
    /// The points of primitives, each once however many nodes draw them.
    shapes: Vec<PrimitivePoints>,
    /// The skins that are used, with the indices of all their joints.
    skins: Vec<(usize, Vec<u16>)>,
    points: usize,
}

/// The points of a primitive as one node draws it.
#[derive(Clone, Debug)]
struct DrawnPoints {
    node: usize,
    primitive: usize,
    shape: usize,
    /// Index into `SkinMotion::skins`; `None` for a rigid mesh.
    skin: Option<usize>,
    /// The matrix of the instance as which it is drawn, relative to the node; `None` at the node itself.
    instance: Option<Affine3A>,
    /// Whether it was added by [`SkinMotion::add_instances`].
    is_added: bool,
    points: Range<usize>,
}

/// The points of a primitive in its mesh's space.
#[derive(Clone, Debug, Default)]
struct PrimitivePoints {
    positions: Vec<Vec3>,
    /// The first vertex of each point.
    vertices: Vec<u32>,
    /// The point of each vertex; [`UNDRAWN`] for those that no index uses.
    point_of_vertex: Vec<u32>,
    /// End of each point's influences in `influences`.
    ends: Vec<u32>,
    /// Joints of the skin with weights other than 0. A point without any moves with its node.
    influences: Vec<(u16, f32)>,
    /// For each morph target, the points that it moves and their deltas.
    targets: Vec<Vec<(u32, Vec3)>>,
    blocks: PointBlocks,
}

/// The points of a primitive as a node or one of its instances draws it.
#[derive(Clone, Debug)]
pub struct DrawnShape<'a> {
    /// Index of the node.
    pub node: usize,
    /// Index into the primitives of the node's mesh.
    pub primitive: usize,
    /// Its points.
    pub points: Range<usize>,
    point_of_vertex: &'a [u32],
}

impl DrawnShape<'_> {
    /// Returns the point of a vertex; `None` for a vertex that no index uses.
    pub fn point(&self, vertex: u32) -> Option<usize> {
        let point = *self.point_of_vertex.get(vertex as usize)?;
        (point != UNDRAWN).then(|| self.points.start + point as usize)
    }

    /// Returns the vertices that an index uses, with their points.
    pub fn vertices(&self) -> impl Iterator<Item = (u32, usize)> {
        let start = self.points.start;
        let used = (0..).zip(self.point_of_vertex).filter(|(_, point)| **point != UNDRAWN);
        used.map(move |(vertex, point)| (vertex, start + *point as usize))
    }
}

/// A vertex as a node draws it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexPlace {
    /// Index of the node.
    pub node: usize,
    /// Index into the primitives of the node's mesh.
    pub primitive: usize,
    /// Index into the primitive's vertices.
    pub vertex: u32,
}

/// The positions of all points at one instant. Reused from instant to instant.
#[derive(Clone, Debug, Default)]
pub struct PointPositions {
    positions: Vec<Vec3>,
    palettes: Vec<Vec<Mat4>>,
    /// The points of a primitive with its morph targets, before they are skinned.
    morphed: Vec<Vec3>,
}

impl PointPositions {
    /// Returns the position of each point, relative to the stage's origin, in metres. Those of a model that
    /// overflows may be NaN or infinite.
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }
}

impl SkinMotion {
    /// Lays out the vertices of the meshes of these nodes: all those of a scene ([`Stage::nodes`]), or some.
    ///
    /// # Errors
    /// If the points do not fit in the model's budget: a small file can draw a large mesh many times.
    pub fn new(model: &Model, nodes: &[usize]) -> Result<Self, OverBudget> {
        Self::with_instances(model, nodes, |_| vec![None])
    }

    /// Lays out the vertices of the meshes of these nodes, those of rigid primitives once for each of a node's `instances`: their
    /// matrices relative to the node, `None` for the node itself.
    ///
    /// # Errors
    /// As [`SkinMotion::new`].
    pub fn with_instances(
        model: &Model,
        nodes: &[usize],
        instances: impl Fn(usize) -> Vec<Option<Affine3A>>,
    ) -> Result<Self, OverBudget> {
        let mut out = Self::default();
        let mut shape_of: HashMap<(usize, usize), usize> = HashMap::new();
        for &node in nodes {
            let Some(mesh) = model.nodes[node].mesh else { continue };
            for (primitive, vertices) in model.meshes[mesh].primitives.iter().enumerate() {
                let count = vertices.vertices.len();
                model.budget.holds(out.points + count, size_of::<Vec3>() + BYTES_PER_POINT)?;
                let shape = *shape_of.entry((mesh, primitive)).or_insert_with(|| {
                    out.shapes.push(PrimitivePoints::new(vertices));
                    out.shapes.len() - 1
                });
                let skin = model.nodes[node].skin.filter(|_| vertices.influences.is_some());
                let skin = skin.map(|skin| out.skin_index(model, skin));
                let instances = if skin.is_some() { vec![None] } else { instances(node) };
                for instance in instances {
                    let points = out.points..out.points + out.shapes[shape].positions.len();
                    model.budget.holds(points.end, size_of::<Vec3>() + BYTES_PER_POINT)?;
                    out.points = points.end;
                    let is_added = false;
                    out.drawn.push(DrawnPoints {
                        node,
                        primitive,
                        shape,
                        skin,
                        instance,
                        is_added,
                        points,
                    });
                }
            }
        }
        Ok(out)
    }

    fn skin_index(&mut self, model: &Model, skin: usize) -> usize {
        self.skins.iter().position(|(other, _)| *other == skin).unwrap_or_else(|| {
            // Part::joints has indices of 16 bits, so later joints move no vertex.
            let joints = model.skins[skin].joints.len().min(usize::from(u16::MAX) + 1);
            self.skins.push((skin, (0..joints).map(|joint| joint as u16).collect()));
            self.skins.len() - 1
        })
    }

    /// Poses the rigid primitives of a node as one of its instances, given its matrix relative to the node.
    pub fn show_instance(&mut self, node: usize, instance: Affine3A) {
        let own = self.drawn.iter_mut().filter(|drawn| drawn.node == node && drawn.skin.is_none());
        own.for_each(|drawn| drawn.instance = Some(instance));
    }

    /// Adds some points of a node once more for each of these instances, given their matrices relative to the node. `points` are in
    /// ascending order. Returns, by instance, the number of the first point; the others follow in the order of `points`.
    ///
    /// # Errors
    /// If they do not fit in the model's budget.
    ///
    /// # Panics
    /// If there is no such point, or one is of another node.
    pub fn add_instances(
        &mut self,
        model: &Model,
        node: usize,
        points: &[usize],
        instances: &[Affine3A],
    ) -> Result<Vec<usize>, OverBudget> {
        let count = self.points + points.len() * instances.len();
        model.budget.holds(count, size_of::<Vec3>() + BYTES_PER_POINT)?;
        let Self { drawn, shapes, .. } = self;
        let first =
            points.first().map_or(0, |first| drawn.partition_point(|d| d.points.end <= *first));
        let end =
            points.last().map_or(0, |last| drawn.partition_point(|d| d.points.start <= *last));
        let mut parts = Vec::new();
        for drawn in &drawn[first..end] {
            let [start, end] = [drawn.points.start, drawn.points.end]
                .map(|end| points.partition_point(|point| *point < end));
            if start < end {
                assert_eq!(drawn.node, node, "a point of another node");
                let own = points[start..end].iter().map(|point| point - drawn.points.start);
                let part = shapes[drawn.shape].part(&own.collect::<Vec<usize>>());
                parts.push((DrawnPoints { shape: shapes.len(), ..drawn.clone() }, end - start));
                shapes.push(part);
            }
        }
        let mut add = |instance: &Affine3A| {
            let first = self.points;
            for (part, count) in &parts {
                let points = self.points..self.points + count;
                self.points = points.end;
                let instance = Some(*instance);
                self.drawn.push(DrawnPoints { instance, is_added: true, points, ..part.clone() });
            }
            first
        };
        Ok(instances.iter().map(&mut add).collect())
    }

    /// Returns the number of the instance, among all that are posed, as which a rigid point is posed; `None` at the node itself.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn instance_of(&self, point: usize) -> Option<usize> {
        let i = self.drawn.partition_point(|drawn| drawn.points.end <= point);
        (self.drawn[i].skin.is_none() && self.drawn[i].instance.is_some()).then_some(i)
    }

    /// Returns the node of an instance by its number, and its matrix relative to the node.
    ///
    /// # Panics
    /// If there is no such instance.
    pub fn instance(&self, number: usize) -> (usize, Affine3A) {
        let drawn = &self.drawn[number];
        (drawn.node, drawn.instance.unwrap_or(Affine3A::IDENTITY))
    }

    /// Returns the number of primitives as nodes and their instances draw them.
    pub fn drawn_len(&self) -> usize {
        self.drawn.len()
    }

    /// Returns a primitive as a node or one of its instances draws it.
    ///
    /// # Panics
    /// If there is no such primitive.
    pub fn drawn(&self, number: usize) -> DrawnShape<'_> {
        let DrawnPoints { node, primitive, shape, ref points, .. } = self.drawn[number];
        let point_of_vertex = &self.shapes[shape].point_of_vertex;
        DrawnShape { node, primitive, points: points.clone(), point_of_vertex }
    }

    /// Returns the number of the primitive that draws a point.
    pub fn drawn_with(&self, point: usize) -> usize {
        self.drawn.partition_point(|drawn| drawn.points.end <= point)
    }

    /// Returns the number of points.
    pub fn len(&self) -> usize {
        self.points
    }

    /// Whether the nodes draw nothing.
    pub fn is_empty(&self) -> bool {
        self.points == 0
    }

    /// Returns the first of the vertices of a point.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn place(&self, point: usize) -> VertexPlace {
        let drawn = self.drawn_of(point);
        let vertex = self.shapes[drawn.shape].vertices[point - drawn.points.start];
        VertexPlace { node: drawn.node, primitive: drawn.primitive, vertex }
    }

    /// Returns the point of each vertex of a node's primitive, `None` for vertices that no index uses. If the
    /// node is not among those of [`SkinMotion::new`], the list is empty.
    pub fn points_of(
        &self,
        node: usize,
        primitive: usize,
    ) -> impl ExactSizeIterator<Item = Option<usize>> + Clone {
        let drawn = self.drawn.iter().find(|d| (d.node, d.primitive) == (node, primitive));
        let points = drawn.map_or(&[][..], |d| &self.shapes[d.shape].point_of_vertex);
        let start = drawn.map_or(0, |d| d.points.start);
        points.iter().map(move |point| (*point != UNDRAWN).then(|| start + *point as usize))
    }

    /// Returns the points of a node's meshes, without those of further instances.
    pub fn points_of_node(&self, node: usize) -> impl Iterator<Item = usize> {
        let own = move |drawn: &&DrawnPoints| drawn.node == node && !drawn.is_added;
        self.drawn.iter().filter(own).flat_map(|d| d.points.clone())
    }

    /// Returns the points of all primitives, with the nodes that draw them.
    pub fn points_by_node(&self) -> impl Iterator<Item = (usize, Range<usize>)> {
        self.drawn.iter().map(|drawn| (drawn.node, drawn.points.clone()))
    }

    /// Calls `each` with the skin, the index of the joint in it and the weight of each influence of a point. A point
    /// without any moves with the node that draws it.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn for_each_influence(&self, point: usize, mut each: impl FnMut((usize, u16, f32))) {
        let drawn = self.drawn_of(point);
        let Some(skin) = drawn.skin else { return };
        let skin = self.skins[skin].0;
        let influences = self.shapes[drawn.shape].influences_of(point - drawn.points.start);
        influences.iter().for_each(|(joint, weight)| each((skin, *joint, *weight)));
    }

    /// Calls `each` with the nodes that move a point, and their weights: its joints, or the node that draws it.
    ///
    /// # Panics
    /// If there is no such point, or the model is another one than that of [`SkinMotion::new`].
    pub fn for_each_mover(&self, model: &Model, point: usize, mut each: impl FnMut(usize, f32)) {
        let mut is_rigid = true;
        self.for_each_influence(point, |(skin, joint, weight)| {
            is_rigid = false;
            each(model.skins[skin].joints[usize::from(joint)] as usize, weight);
        });
        if is_rigid {
            each(self.place(point).node, 1.0);
        }
    }

    /// Poses all points as the stage is posed.
    ///
    /// # Panics
    /// If the model or stage is another one than that of [`SkinMotion::new`].
    pub fn pose(&self, model: &Model, stage: &Stage, out: &mut PointPositions) {
        self.pose_palettes(model, stage, &mut out.palettes);
        out.positions.resize(self.points, Vec3::ZERO);
        for drawn in &self.drawn {
            let shape = &self.shapes[drawn.shape];
            let points = 0..drawn.points.len();
            let weights = stage.local.weights(drawn.node);
            let from = shape.morphed(points.clone(), weights, &mut out.morphed);
            let to = &mut out.positions[drawn.points.clone()];
            shape.pose(points, drawn.mover(&out.palettes, stage), from, to);
        }
    }

    /// Returns the box of the points of these nodes, as the stage is posed, without points inside `within`. Blocks of
    /// points whose joints can't move any of them out of `within` are not posed, so it is fast where most stay inside.
    ///
    /// # Panics
    /// If the model or stage is another one than that of [`SkinMotion::new`].
    pub fn box_outside(
        &self,
        model: &Model,
        stage: &Stage,
        nodes: &[usize],
        within: &Aabb,
        scratch: &mut PointPositions,
    ) -> Aabb {
        let mut all = Aabb::EMPTY;
        let PointPositions { positions, palettes, morphed } = scratch;
        self.pose_palettes(model, stage, palettes);
        for drawn in self.drawn.iter().filter(|drawn| nodes.contains(&drawn.node)) {
            let Some(mesh) = model.nodes[drawn.node].mesh else { continue };
            let bounds = &model.meshes[mesh].primitives[drawn.primitive].bounds;
            let shape = &self.shapes[drawn.shape];
            let weights = stage.local.weights(drawn.node);
            let mover = drawn.mover(palettes, stage);
            for (points, block) in shape.blocks.posed(mover, bounds.morph_reach(weights)) {
                if within.contains(&block) {
                    continue;
                }
                let from = shape.morphed(points.clone(), weights, morphed);
                positions.resize(points.len(), Vec3::ZERO);
                shape.pose(points, mover, from, positions);
                positions.iter().filter(|at| !within.has(**at)).for_each(|at| all.add(*at));
            }
        }
        all
    }

    /// Returns the point that is farthest from itself in another pose, its distance in metres and its position in the
    /// first pose, which is moved by `offset`. The last one of several; `None` if none has a finite distance. Blocks of
    /// points whose joints can't move any of them so far are not posed.
    ///
    /// # Panics
    /// If the model or a stage is another one than that of [`SkinMotion::new`].
    pub fn farthest_apart(
        &self,
        model: &Model,
        stages: [&Stage; 2],
        offset: Vec3,
    ) -> Option<(usize, f64, Vec3)> {
        let mut palettes = [Vec::new(), Vec::new()];
        for (stage, palettes) in stages.iter().zip(&mut palettes) {
            self.pose_palettes(model, stage, palettes);
        }
        let movers = |drawn: &DrawnPoints| {
            [(&palettes[0], stages[0]), (&palettes[1], stages[1])]
                .map(|(palettes, stage)| drawn.mover(palettes, stage))
        };
        let mut blocks: Vec<(f32, &DrawnPoints, Range<usize>)> = Vec::new();
        for drawn in &self.drawn {
            let Some(mesh) = model.nodes[drawn.node].mesh else { continue };
            let bounds = &model.meshes[mesh].primitives[drawn.primitive].bounds;
            let [weights, others] = stages.map(|stage| stage.local.weights(drawn.node));
            let reach = (weights == others).then(|| bounds.morph_reach(weights));
            let found = self.shapes[drawn.shape].blocks.apart(movers(drawn), reach, offset);
            blocks.extend(found.map(|(points, most)| (most, drawn, points)));
        }
        blocks.sort_by(|x, y| y.0.total_cmp(&x.0));
        let mut places = [Vec::new(), Vec::new()];
        let mut morphed = Vec::new();
        let mut farthest: Option<(usize, f64, Vec3)> = None;
        for (most, drawn, points) in blocks {
            if farthest.is_some_and(|(_, distance, _)| f64::from(most) < distance) {
                break;
            }
            let shape = &self.shapes[drawn.shape];
            for (side, mover) in movers(drawn).into_iter().enumerate() {
                let weights = stages[side].local.weights(drawn.node);
                let from = shape.morphed(points.clone(), weights, &mut morphed);
                places[side].resize(points.len(), Vec3::ZERO);
                shape.pose(points.clone(), mover, from, &mut places[side]);
            }
            let first = drawn.points.start + points.start;
            for (i, (a, b)) in places[0].iter().zip(&places[1]).enumerate() {
                let distance = (*a + offset).as_dvec3().distance(b.as_dvec3());
                let is_farther = |(point, most, _): (usize, f64, Vec3)| {
                    distance > most || (distance == most && first + i > point)
                };
                if distance.is_finite() && farthest.is_none_or(is_farther) {
                    farthest = Some((first + i, distance, *a));
                }
            }
        }
        farthest
    }

    /// Returns the place of a point in its mesh's space, without morph targets.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn mesh_position(&self, point: usize) -> Vec3 {
        let drawn = self.drawn_of(point);
        self.shapes[drawn.shape].positions[point - drawn.points.start]
    }

    /// Returns, for each point, whether a morph target moves it.
    pub fn morphed_points(&self) -> Vec<bool> {
        let mut morphed = vec![false; self.points];
        for drawn in &self.drawn {
            let targets = self.shapes[drawn.shape].targets.iter();
            targets.flatten().for_each(|(point, _)| {
                morphed[drawn.points.start + *point as usize] = true;
            });
        }
        morphed
    }

    /// Computes the joint matrices as the stage is posed, for [`SkinMotion::positions`]. The points stay where they are.
    ///
    /// # Panics
    /// If the model or stage is another one than that of [`SkinMotion::new`].
    pub fn pose_joints(&self, model: &Model, stage: &Stage, out: &mut PointPositions) {
        self.pose_palettes(model, stage, &mut out.palettes);
    }

    /// Returns the positions that [`SkinMotion::pose`] gives a point in several poses, by joint matrices of
    /// [`SkinMotion::pose_joints`].
    ///
    /// # Panics
    /// If there is no such point, or a stage or its matrices are of another model.
    pub fn positions<const N: usize>(
        &self,
        point: usize,
        poses: [(&Stage, &PointPositions); N],
    ) -> [Vec3; N] {
        let drawn = self.drawn_of(point);
        let (shape, own) = (&self.shapes[drawn.shape], point - drawn.points.start);
        let list = shape.influences_of(own);
        poses.map(|(stage, posed)| {
            let mut at = shape.positions[own];
            let weights = stage.local.weights(drawn.node);
            for (target, weight) in shape.targets.iter().zip(weights).filter(|of| *of.1 != 0.0) {
                if let Ok(found) = target.binary_search_by_key(&(own as u32), |(point, _)| *point) {
                    at += *weight * target[found].1;
                }
            }
            let Mover { palette, world_from_node } = drawn.mover(&posed.palettes, stage);
            match (palette, list) {
                (None, _) | (_, []) => world_from_node.transform_point3(at),
                (Some(palette), list) => blend(palette, list).transform_point3(at),
            }
        })
    }

    /// Returns the linear part of the matrix from a point's mesh to the scene, by joint matrices of [`SkinMotion::pose_joints`].
    ///
    /// # Panics
    /// If there is no such point, or the stage or the matrices are of another model.
    pub fn scene_from_mesh(&self, point: usize, stage: &Stage, posed: &PointPositions) -> Mat3 {
        let drawn = self.drawn_of(point);
        let list = self.shapes[drawn.shape].influences_of(point - drawn.points.start);
        let Mover { palette, world_from_node } = drawn.mover(&posed.palettes, stage);
        match (palette, list) {
            (None, _) | (_, []) => world_from_node.matrix3.into(),
            (Some(palette), list) => Mat3::from_mat4(blend(palette, list)),
        }
    }

    /// Returns the point of a vertex; `None` if no index uses it, or the node is not among those of [`SkinMotion::new`].
    pub fn point_of(&self, place: VertexPlace) -> Option<usize> {
        let VertexPlace { node, primitive, vertex } = place;
        let drawn = self.drawn.iter().find(|d| (d.node, d.primitive) == (node, primitive))?;
        let point = *self.shapes[drawn.shape].point_of_vertex.get(vertex as usize)?;
        (point != UNDRAWN).then(|| drawn.points.start + point as usize)
    }

    #[inline]
    fn drawn_of(&self, point: usize) -> &DrawnPoints {
        &self.drawn[self.drawn.partition_point(|drawn| drawn.points.end <= point)]
    }

    fn pose_palettes(&self, model: &Model, stage: &Stage, palettes: &mut Vec<Vec<Mat4>>) {
        palettes.resize_with(self.skins.len(), Vec::new);
        for ((skin, joints), palette) in self.skins.iter().zip(palettes) {
            let skin: &Skin = &model.skins[*skin];
            palette.resize(joints.len(), Mat4::ZERO);
            skin.write_palette(joints, &stage.world, palette);
        }
    }
}

impl DrawnPoints {
    /// Returns what moves the points, as the stage is posed.
    #[inline]
    fn mover<'a>(&self, palettes: &'a [Vec<Mat4>], stage: &'a Stage) -> Mover<'a> {
        let palette = self.skin.map(|skin| &palettes[skin][..]);
        let mut world_from_node = *stage.world.world_from_node(self.node);
        if let Some(instance) = self.instance {
            world_from_node *= instance;
        }
        Mover { palette, world_from_node }
    }
}

/// The point of a vertex that no index uses.
const UNDRAWN: u32 = u32::MAX;

/// An estimate of the memory of a point besides its position.
const BYTES_PER_POINT: usize = 64;

impl PrimitivePoints {
    /// Finds the points of a primitive.
    fn new(primitive: &Primitive) -> Self {
        let mut out = Self::default();
        let mut known: HashMap<u64, u32> = HashMap::with_capacity(primitive.vertices.len());
        let mut list = Vec::new();
        out.point_of_vertex = vec![UNDRAWN; primitive.vertices.len()];
        primitive.indices.iter().for_each(|vertex| out.point_of_vertex[*vertex as usize] = 0);
        for part in &primitive.parts {
            for vertex in part.vertices.clone() {
                if out.point_of_vertex[vertex as usize] == UNDRAWN {
                    continue;
                }
                list.clear();
                if let Some(influences) = &primitive.influences {
                    let sets = influences.of_vertex(vertex as usize);
                    // A part of a rigid primitive has no joints.
                    let joint =
                        |(index, weight): (usize, f32)| Some((*part.joints.get(index)?, weight));
                    list.extend(joint_weights(sets).filter_map(joint));
                }
                let next = out.positions.len() as u32;
                let mut point = *known.entry(hash(primitive, vertex, &list)).or_insert(next);
                if point == next || !out.is_at(point, primitive, vertex, &list) {
                    point = next;
                    out.add(primitive, vertex, &list);
                }
                out.point_of_vertex[vertex as usize] = point;
            }
        }
        out.targets = primitive.targets.iter().map(|t| out.moved_by(&t.positions)).collect();
        out.blocks = PointBlocks::new(&out.positions, |point| out.influences_of(point));
        out
    }

    /// Returns some of the points. Their vertices are not found by [`PrimitivePoints::point_of_vertex`].
    fn part(&self, points: &[usize]) -> Self {
        let mut out = Self::default();
        for point in points {
            out.positions.push(self.positions[*point]);
            out.vertices.push(self.vertices[*point]);
            out.influences.extend_from_slice(self.influences_of(*point));
            out.ends.push(out.influences.len() as u32);
        }
        let own = |(point, delta): &(u32, Vec3)| {
            Some((points.binary_search(&(*point as usize)).ok()? as u32, *delta))
        };
        out.targets = self.targets.iter().map(|t| t.iter().filter_map(own).collect()).collect();
        out.blocks = PointBlocks::new(&out.positions, |point| out.influences_of(point));
        out
    }

    fn add(&mut self, primitive: &Primitive, vertex: u32, list: &[(u16, f32)]) {
        self.positions.push(primitive.vertices[vertex as usize].position.into());
        self.vertices.push(vertex);
        self.influences.extend_from_slice(list);
        self.ends.push(self.influences.len() as u32);
    }

    /// Whether a vertex equals a point, which has the same hash.
    fn is_at(&self, point: u32, primitive: &Primitive, vertex: u32, list: &[(u16, f32)]) -> bool {
        let first = self.vertices[point as usize];
        let same = |values: &[[f32; 3]]| {
            let [a, b] =
                [first, vertex].map(|v| values.get(v as usize).map(|v| v.map(f32::to_bits)));
            a == b
        };
        let [a, b] = [first, vertex].map(|v| primitive.vertices[v as usize].position);
        a.map(f32::to_bits) == b.map(f32::to_bits)
            && self.influences_of(point as usize) == list
            && primitive.targets.iter().all(|target| same(&target.positions))
    }

    #[inline]
    fn influences_of(&self, point: usize) -> &[(u16, f32)] {
        let start = point.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.influences[start as usize..self.ends[point] as usize]
    }

    /// Returns the points with a delta other than 0.
    fn moved_by(&self, deltas: &[[f32; 3]]) -> Vec<(u32, Vec3)> {
        let of = |(point, vertex): (usize, &u32)| {
            let delta = Vec3::from(*deltas.get(*vertex as usize)?);
            (delta != Vec3::ZERO).then_some((point as u32, delta))
        };
        self.vertices.iter().enumerate().filter_map(of).collect()
    }

    /// Returns the positions of some points with these weights of the morph targets, in `out` if any target is weighted.
    fn morphed<'a>(
        &'a self,
        points: Range<usize>,
        weights: &[f32],
        out: &'a mut Vec<Vec3>,
    ) -> &'a [Vec3] {
        let weighted = self.targets.iter().zip(weights).filter(|(_, weight)| **weight != 0.0);
        let mut moving = weighted.peekable();
        if moving.peek().is_none() {
            return &self.positions[points];
        }
        out.clear();
        out.extend_from_slice(&self.positions[points.clone()]);
        for (target, weight) in moving {
            let [start, end] = [points.start, points.end]
                .map(|end| target.partition_point(|(point, _)| (*point as usize) < end));
            for (point, delta) in &target[start..end] {
                out[*point as usize - points.start] += *weight * *delta;
            }
        }
        out
    }

    /// Transforms the morphed positions of some points by the weighted sums of joint matrices. Without a palette, and
    /// where they have no joints, they move with their node.
    fn pose(
        &self,
        points: Range<usize>,
        Mover { palette, world_from_node }: Mover,
        from: &[Vec3],
        to: &mut [Vec3],
    ) {
        let Some(palette) = palette else {
            for (to, from) in to.iter_mut().zip(from) {
                *to = world_from_node.transform_point3(*from);
            }
            return;
        };
        let mut start = points.start.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        for ((to, from), end) in to.iter_mut().zip(from).zip(&self.ends[points]) {
            let list = &self.influences[start..*end as usize];
            start = *end as usize;
            *to = match list {
                [] => world_from_node.transform_point3(*from),
                list => blend(palette, list).transform_point3(*from),
            };
        }
    }
}

/// Returns the weighted sum of joint matrices.
#[inline]
fn blend(palette: &[Mat4], list: &[(u16, f32)]) -> Mat4 {
    let list = list.iter().map(|(joint, weight)| (usize::from(*joint), *weight));
    blended(list, |joint| palette[joint])
}

/// Returns a hash of everything that moves a vertex (Fowler, Noll and Vo, FNV-1a, by words instead of bytes).
fn hash(primitive: &Primitive, vertex: u32, list: &[(u16, f32)]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut add = |word: u32| {
        hash = (hash ^ u64::from(word)).wrapping_mul(0x0000_0100_0000_01b3);
        hash ^= hash >> 29;
    };
    let mut add_all = |values: &[f32; 3]| values.iter().for_each(|x| add(x.to_bits()));
    add_all(&primitive.vertices[vertex as usize].position);
    for target in &primitive.targets {
        if let Some(delta) = target.positions.get(vertex as usize) {
            add_all(delta);
        }
    }
    for (joint, weight) in list {
        add(u32::from(*joint));
        add(weight.to_bits());
    }
    hash
}
