//! The surface of a scene, on which the places of another model's vertices are found.

use std::cell::OnceCell;

use glam::{DVec3, Vec3};

use super::pairing::grid::Grid;
use super::pairing::nearest::{SAME_PLACE, spread};
use super::pairing::triangles::Triangles;
use super::side::elements;
use crate::model::{Model, OverBudget, PointPositions, SkinMotion, Stage};

/// Points that lie within this share of the surface's size of each other may be the same one.
const ALIKE: f32 = 1e-4;

/// The surface of a scene: its points at rest and in the present pose of its stage, in scene space.
///
/// A point stands for all vertices of a primitive that always move together.
pub struct Surface<'a> {
    model: &'a Model,
    motion: SkinMotion,
    rest: Vec<Vec3>,
    posed: PointPositions,
    origin: DVec3,
    size: f32,
    grid: Grid,
    /// Made when a place without a point is looked for first.
    triangles: OnceCell<Triangles>,
    nodes: Vec<usize>,
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
        let motion = SkinMotion::new(model, &stage.nodes)?;
        let mut posed = PointPositions::default();
        stage.pose(model, None, 0.0);
        motion.pose(model, stage, &mut posed);
        let rest = posed.positions().to_vec();
        let size = spread(&rest);
        Ok(Self {
            grid: Grid::new(&rest, (SAME_PLACE * size).max(f32::MIN_POSITIVE)),
            triangles: OnceCell::new(),
            nodes: stage.nodes.clone(),
            size,
            origin: stage.origin,
            model,
            motion,
            rest,
            posed,
        })
    }

    /// Poses the surface as the stage is posed.
    pub fn pose(&mut self, stage: &Stage) {
        self.motion.pose(self.model, stage, &mut self.posed);
    }

    /// Returns the number of points.
    pub fn len(&self) -> usize {
        self.rest.len()
    }

    /// Whether nothing is drawn.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Returns the size of the surface in metres, without what strays far from it.
    pub fn size(&self) -> f32 {
        self.size
    }

    /// Returns the place of a point at rest. It may be no number.
    pub fn at_rest(&self, point: usize) -> DVec3 {
        self.rest[point].as_dvec3() + self.origin
    }

    /// Returns the place of a point in the present pose. It may be no number.
    pub fn posed(&self, point: usize) -> DVec3 {
        self.posed.positions()[point].as_dvec3() + self.origin
    }

    /// Finds what is at a place at rest.
    pub fn find(&self, at: DVec3) -> Places {
        let at = (at - self.origin).as_vec3();
        let near = self.grid.near(&self.rest, at);
        let least = near.iter().map(|(_, distance)| *distance).fold(f32::INFINITY, f32::min);
        if least.is_finite() {
            let within = (2.0 * least).max(ALIKE * self.size);
            let points = near.into_iter().filter(|(_, distance)| *distance <= within);
            return Places::Points(points.map(|(point, _)| point).collect());
        }
        let triangles = self.triangles.get_or_init(|| {
            let all = self.nodes.iter().flat_map(|node| elements(self.model, &self.motion, *node));
            let corners = all.map(|corners| corners.map(|point| point as u32));
            Triangles::new(&self.rest, corners.collect())
        });
        match triangles.nearest(&self.rest, at) {
            Some((corners, shares)) => Places::Foot(corners, shares),
            None => Places::Nowhere,
        }
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
