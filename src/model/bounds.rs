//! Boxes that hold a posed primitive without a look at its vertices.
//!
//! A skinned vertex is a weighted mean of where its joints carry it, so it lies in the hull of
//! its joints' boxes. Morph targets widen every box by the box of their deltas times the weight.

use glam::{Affine3A, Vec3};

use super::{Hull, Part, Primitive};

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The lowest corner.
    pub min: Vec3,
    /// The highest corner.
    pub max: Vec3,
}

impl Aabb {
    /// Holds nothing; the start of a union.
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        !self.min.cmple(self.max).all()
    }

    /// Grows to hold a point.
    pub fn add(&mut self, point: Vec3) {
        self.min = self.min.min(point);
        self.max = self.max.max(point);
    }

    /// Grows to hold another box.
    pub fn union(&mut self, other: &Self) {
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// The middle.
    pub fn center(&self) -> Vec3 {
        0.5 * self.min + 0.5 * self.max
    }

    /// From the lowest corner to the highest.
    pub fn size(&self) -> Vec3 {
        self.max - self.min
    }

    /// The eight corners.
    pub fn corners(&self) -> [Vec3; 8] {
        std::array::from_fn(|i| {
            let pick = |bit: usize, lo: f32, hi: f32| if i & bit == 0 { lo } else { hi };
            Vec3::new(
                pick(1, self.min.x, self.max.x),
                pick(2, self.min.y, self.max.y),
                pick(4, self.min.z, self.max.z),
            )
        })
    }

    /// The box around this one carried by a matrix (Arvo, "Transforming Axis-Aligned Bounding Boxes",
    /// 1990). An empty one stays empty.
    pub fn transformed(&self, matrix: &Affine3A) -> Self {
        if self.is_empty() {
            return Self::EMPTY;
        }
        let middle = matrix.transform_point3a(self.center().into());
        let half = 0.5 * self.max - 0.5 * self.min;
        let axes = &matrix.matrix3;
        let reach =
            axes.x_axis.abs() * half.x + axes.y_axis.abs() * half.y + axes.z_axis.abs() * half.z;
        Self { min: (middle - reach).into(), max: (middle + reach).into() }
    }
}

/// Boxes of one primitive in its mesh's space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PrimitiveBounds {
    /// All drawn vertices, unposed; empty boxes are left out.
    pub rest: Option<Aabb>,
    /// For each joint of the skin that moves a drawn vertex: the vertices it moves.
    pub joints: Vec<(u16, Aabb)>,
    /// The deltas of each morph target.
    pub targets: Vec<Aabb>,
    /// The vertices that reach furthest: of a skinned primitive, of those that each joint moves most.
    pub outermost: Vec<u32>,
}

impl PrimitiveBounds {
    /// The boxes of a primitive, from its vertices that an index names and that are finite.
    pub fn of(primitive: &Primitive) -> Self {
        let mut rest = Aabb::EMPTY;
        let mut joints: Vec<(u16, Aabb)> = Vec::new();
        let mut targets = vec![Aabb::EMPTY; primitive.targets.len()];
        let mut drawn: Vec<Drawn> = Vec::new();
        for part in &primitive.parts {
            let mut boxes = vec![Aabb::EMPTY; part.joints.len()];
            for index in drawn_vertices(primitive, part) {
                let vertex = index as usize;
                let position = Vec3::from(primitive.vertices[vertex].position);
                if !position.is_finite() {
                    continue;
                }
                rest.add(position);
                let source = primitive.source_vertex.as_ref().map_or(index, |list| list[vertex]);
                let heaviest = heaviest_joint(primitive, vertex);
                let joint = part.joints.get(heaviest).copied().unwrap_or_default();
                drawn.push(Drawn { source, vertex: index, joint });
                if let Some(influences) = &primitive.influences {
                    for set in influences.of_vertex(vertex) {
                        for (joint, weight) in set.joints.iter().zip(set.weights) {
                            if weight > 0.0 {
                                boxes[usize::from(*joint)].add(position);
                            }
                        }
                    }
                }
                for (target, deltas) in primitive.targets.iter().zip(&mut targets) {
                    if let Some(delta) = target.positions.get(vertex) {
                        deltas.add(Vec3::from(*delta));
                    }
                }
            }
            let used = part.joints.iter().copied().zip(boxes).filter(|(_, b)| !b.is_empty());
            joints.extend(used);
        }
        let outermost = outermost(primitive, drawn);
        joints.sort_by_key(|(joint, _)| *joint);
        joints.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1.union(&next.1);
            }
            same
        });
        Self { rest: (!rest.is_empty()).then_some(rest), joints, targets, outermost }
    }

    /// What the morph targets of these weights add to any box: to its lowest and highest corner.
    pub fn morph_reach(&self, weights: &[f32]) -> (Vec3, Vec3) {
        let (mut low, mut high) = (Vec3::ZERO, Vec3::ZERO);
        for (deltas, weight) in self.targets.iter().zip(weights) {
            if *weight != 0.0 && !deltas.is_empty() {
                let (a, b) = (*weight * deltas.min, *weight * deltas.max);
                low += a.min(b).min(Vec3::ZERO);
                high += a.max(b).max(Vec3::ZERO);
            }
        }
        (low, high)
    }

    /// The box around the primitive as a rigid one, carried by `matrix`, with morph `weights`.
    pub fn rigid(&self, matrix: &Affine3A, weights: &[f32]) -> Aabb {
        let (low, high) = self.morph_reach(weights);
        self.rest.map_or(Aabb::EMPTY, |b| {
            Aabb { min: b.min + low, max: b.max + high }.transformed(matrix)
        })
    }

    /// The box around the primitive as a skinned one; `joint_matrix` gives a skin's joint's.
    pub fn skinned(&self, joint_matrix: impl Fn(usize) -> Affine3A, weights: &[f32]) -> Aabb {
        let (low, high) = self.morph_reach(weights);
        let mut out = Aabb::EMPTY;
        for (joint, b) in &self.joints {
            let b = Aabb { min: b.min + low, max: b.max + high };
            out.union(&b.transformed(&joint_matrix(usize::from(*joint))));
        }
        out
    }
}

impl Primitive {
    /// The joint of the skin that moves a vertex most; none of a rigid primitive.
    ///
    /// # Panics
    /// When there is no such vertex.
    pub fn leading_joint(&self, vertex: u32) -> Option<u16> {
        let part = self.parts.iter().find(|part| part.vertices.contains(&vertex))?;
        self.influences.as_ref()?;
        part.joints.get(heaviest_joint(self, vertex as usize)).copied()
    }
}

/// A drawn vertex, its number in the file, and the joint of the skin that moves it most.
#[derive(Clone, Copy)]
struct Drawn {
    source: u32,
    vertex: u32,
    joint: u16,
}

/// The vertices that reach furthest of those that each joint moves most. They are looked at in the
/// file's order and each once, so that cutting a primitive into parts does not change which they are.
fn outermost(primitive: &Primitive, mut drawn: Vec<Drawn>) -> Vec<u32> {
    if primitive.source_vertex.is_some() {
        drawn.sort_by_key(|d| d.source);
        drawn.dedup_by_key(|d| d.source);
    }
    let mut hulls: Vec<Hull<u32>> = Vec::new();
    for d in drawn {
        let joint = usize::from(d.joint);
        if hulls.len() <= joint {
            hulls.resize(joint + 1, Hull::default());
        }
        hulls[joint].add(Vec3::from(primitive.vertices[d.vertex as usize].position), d.vertex);
    }
    let mut outermost: Vec<u32> = hulls.iter().flat_map(Hull::furthest).collect();
    outermost.sort_unstable();
    outermost.dedup();
    outermost
}

/// The vertices that a part's indices name, each once: there are several times as many indices.
fn drawn_vertices(primitive: &Primitive, part: &Part) -> impl Iterator<Item = u32> {
    let mut drawn = vec![false; part.vertices.len()];
    for index in &primitive.indices[part.indices.start as usize..part.indices.end as usize] {
        drawn[(index - part.vertices.start) as usize] = true;
    }
    part.vertices.clone().zip(drawn).filter_map(|(vertex, drawn)| drawn.then_some(vertex))
}

/// The joint that moves a vertex most, in its part's numbering; 0 for a rigid one.
fn heaviest_joint(primitive: &Primitive, vertex: usize) -> usize {
    let Some(influences) = &primitive.influences else { return 0 };
    let mut heaviest = (0.0, 0);
    for set in influences.of_vertex(vertex) {
        for (joint, weight) in set.joints.iter().zip(set.weights) {
            if weight > heaviest.0 {
                heaviest = (weight, usize::from(*joint));
            }
        }
    }
    heaviest.1
}
