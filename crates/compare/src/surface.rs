//! The surface of a scene, on which the places of another model's vertices are found.

use std::cell::OnceCell;

use glam::{Affine3A, DVec3, Vec3};

use super::cloud::Cloud;
use super::pairing::nearest::corners;
use super::pairing::triangles::Triangles;
use rigview_model::{Hull, Model, OverBudget, PointPositions, SkinMotion, Stage};

/// Number of points up to which all those of instances are laid out. Of more, only the outermost ones of each instance are.
const MOST_OF_INSTANCES: usize = 1 << 21;

/// The surface of a scene: its points at rest and in the present pose of its stage, in scene space.
///
/// A point stands for all vertices of a primitive that always move together. A mesh with instances has its points at each of them.
pub struct Surface<'a> {
    model: &'a Model,
    motion: SkinMotion,
    posed: PointPositions,
    origin: DVec3,
    cloud: Cloud,
    /// Made when a place without a point is looked for first.
    triangles: OnceCell<Triangles>,
    nodes: Vec<usize>,
    copies: Vec<Copies>,
}

/// Points of a node that were laid out again for its other instances.
struct Copies {
    node: usize,
    /// The points of the instance as which the node is posed, in ascending order.
    points: Vec<usize>,
    /// The first point of each other instance; the others follow it in the order of `points`.
    firsts: Vec<usize>,
}

/// The places that a point may have.
#[derive(Clone, Debug, PartialEq)]
pub enum Places {
    /// These points lie there, and no other vertex is nearer.
    Points(Vec<u32>),
    /// No point lies there. The nearest place is on this triangle, with these shares of its corners.
    Foot([u32; 3], [f32; 3]),
    /// There is no surface.
    Nowhere,
}

impl<'a> Surface<'a> {
    /// Lays out the surface of a stage's scene. The stage is left in its rest pose.
    ///
    /// # Errors
    /// If the points do not fit in the model's budget.
    pub fn new(model: &'a Model, stage: &mut Stage) -> Result<Self, OverBudget> {
        let mut motion = SkinMotion::new(model, &stage.nodes)?;
        let copies = lay_out_instances(model, &stage.nodes, &mut motion)?;
        let mut posed = PointPositions::default();
        stage.pose(model, None, 0.0);
        motion.pose(model, stage, &mut posed);
        Ok(Self {
            cloud: Cloud::new(posed.positions().to_vec()),
            triangles: OnceCell::new(),
            nodes: stage.nodes.clone(),
            copies,
            origin: stage.origin,
            model,
            motion,
            posed,
        })
    }

    /// Poses the surface as the stage is posed.
    pub fn pose(&mut self, stage: &Stage) {
        self.motion.pose(self.model, stage, &mut self.posed);
        self.cloud.pose(self.posed.positions());
    }

    /// Returns the number of points.
    pub fn len(&self) -> usize {
        self.cloud.rest().len()
    }

    /// Whether nothing is drawn.
    pub fn is_empty(&self) -> bool {
        self.cloud.rest().is_empty()
    }

    /// Returns the size of the surface in metres, without what strays far from it.
    pub fn size(&self) -> f32 {
        self.cloud.size()
    }

    /// Returns the place of a point at rest. It may be no number.
    pub fn at_rest(&self, point: usize) -> DVec3 {
        self.cloud.rest()[point].as_dvec3() + self.origin
    }

    /// Returns the place of a point in the present pose. It may be no number.
    pub fn posed(&self, point: usize) -> DVec3 {
        self.posed.positions()[point].as_dvec3() + self.origin
    }

    /// Finds what is at a place at rest; of many points there, those that are nearest to the other place in the present pose.
    pub fn find(&self, at_rest: DVec3, posed: DVec3) -> Places {
        let [at, posed] = [at_rest, posed].map(|at| (at - self.origin).as_vec3());
        let points = self.cloud.find(at, posed);
        if !points.is_empty() {
            return Places::Points(points);
        }
        let triangles = self.triangles.get_or_init(|| {
            let all = self.nodes.iter().flat_map(|node| elements(self.model, &self.motion, *node));
            let all = all.chain(self.copies.iter().flat_map(|copies| self.elements_of(copies)));
            let corners = all.map(|corners| corners.map(|point| point as u32));
            Triangles::new(self.cloud.rest(), corners.collect())
        });
        match triangles.nearest(self.cloud.rest(), at, |_| true) {
            Some(hit) => Places::Foot(triangles.corners(hit.triangle), hit.shares),
            None => Places::Nowhere,
        }
    }

    /// Returns the corners of the triangles of the other instances.
    fn elements_of(&self, copies: &Copies) -> impl Iterator<Item = [usize; 3]> {
        let Copies { node, points, firsts } = copies;
        let place = |point: usize| points.binary_search(&point).ok();
        let of_first = elements(self.model, &self.motion, *node).filter_map(move |corners| {
            let [a, b, c] = corners.map(place);
            Some([a?, b?, c?])
        });
        of_first.flat_map(|places| firsts.iter().map(move |first| places.map(|i| first + i)))
    }

    /// For each node, the sum of the weights with which it and the nodes below it move a point.
    pub fn shares(&self, point: usize) -> Vec<f32> {
        let mut shares = vec![0.0; self.model.nodes.len()];
        self.motion.for_each_mover(self.model, point, |mover, weight| {
            let path = self.model.hierarchy.path_to_root(mover);
            path.for_each(|node| shares[node] += weight);
        });
        shares
    }
}

/// Poses each node that has instances as one of them, and lays out points of all others.
fn lay_out_instances(
    model: &Model,
    nodes: &[usize],
    motion: &mut SkinMotion,
) -> Result<Vec<Copies>, OverBudget> {
    let have_some = nodes.iter().filter(|node| !model.nodes[**node].instances.is_empty());
    let mut all = Vec::new();
    for &node in have_some {
        let mut instances = model.nodes[node].instances.clone();
        motion.show_instance(node, instances[0]);
        let is_rigid = |point: &usize| motion.instance_of(*point).is_some();
        let points: Vec<usize> = motion.points_of_node(node).filter(is_rigid).collect();
        let whole = whole_instance(motion, &points, &instances);
        motion.show_instance(node, instances.swap_remove(whole));
        if !points.is_empty() && !instances.is_empty() {
            all.push((node, points, instances));
        }
    }
    let count = all.iter().map(|(_, points, others)| points.len() * others.len()).sum::<usize>();
    let mut copies = Vec::new();
    for (node, mut points, others) in all {
        if count > MOST_OF_INSTANCES {
            points = outermost(motion, points);
        }
        if !points.is_empty() {
            let firsts = motion.add_instances(model, node, &points, &others)?;
            copies.push(Copies { node, points, firsts });
        }
    }
    Ok(copies)
}

/// Returns the index of the instance that has all points where the others have only some: the same one whatever their order, and
/// whatever the unit of the mesh.
fn whole_instance(motion: &SkinMotion, points: &[usize], instances: &[Affine3A]) -> usize {
    /// A direction in which hardly two instances reach equally far.
    const AWAY: Vec3 = Vec3::new(0.536, 0.268, 0.8);
    let places: Vec<Vec3> = points.iter().map(|point| motion.mesh_position(*point)).collect();
    let [min, max] = corners(&places);
    let reach = |i: &usize| AWAY.dot(instances[*i].transform_point3(min.midpoint(max)));
    (0..instances.len()).max_by(|a, b| reach(a).total_cmp(&reach(b))).unwrap_or_default()
}

/// Returns those points of a node's mesh that lie outermost, in ascending order: the same ones whatever the order of its vertices.
fn outermost(motion: &SkinMotion, mut points: Vec<usize>) -> Vec<usize> {
    // Of points that reach equally far, the hull keeps the first.
    points.sort_by_cached_key(|point| motion.mesh_position(*point).to_array().map(f32::to_bits));
    let mut hull: Hull<usize> = Hull::default();
    points.into_iter().for_each(|point| hull.add(motion.mesh_position(point), point));
    let mut outermost: Vec<usize> = hull.furthest().collect();
    outermost.sort_unstable();
    outermost.dedup();
    outermost
}

/// Returns the points at the corners of the triangles that a node draws. Those of a line or a point are repeated.
fn elements(model: &Model, motion: &SkinMotion, node: usize) -> impl Iterator<Item = [usize; 3]> {
    let mesh = model.nodes[node].mesh.map(|mesh| &model.meshes[mesh]);
    let primitives = mesh.map_or(&[][..], |mesh| &mesh.primitives).iter().enumerate();
    primitives.flat_map(move |(primitive, of)| {
        let points: Vec<Option<usize>> = motion.points_of(node, primitive).collect();
        let elements = of.indices.chunks_exact(of.mode.topology().corners());
        let corners = elements.filter_map(move |element| {
            let vertices = [0, 1, 2].map(|i: usize| element[i.min(element.len() - 1)]);
            let [a, b, c] = vertices.map(|vertex| points[vertex as usize]);
            Some([a?, b?, c?])
        });
        corners.collect::<Vec<_>>()
    })
}
