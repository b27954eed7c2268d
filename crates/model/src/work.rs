//! Estimates the time to draw and to pose a model from its counts, before it is done.
//!
//! A file of a few kilobytes can name work for hours: instances times triangles, clips times vertices, nodes times
//! seconds. [`Budget`](super::Budget) limits memory, which such work need not take.

use std::collections::HashMap;
use std::ops::{Add, Mul};

use glam::{Affine3A, Vec3};

use super::{Aabb, AlphaMode, Material, Mesh, Model, Primitive, Stage, Topology};

/// An amount of work, in posed vertices: about five nanoseconds each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Work(pub u64);

impl Work {
    /// Units per second.
    pub const PER_SEC: f64 = 2e8;

    /// The work of posing and placing one node.
    pub const NODE: Self = Self(8);

    /// Returns the estimated time in seconds.
    pub fn secs(self) -> f64 {
        self.0 as f64 / Self::PER_SEC
    }
}

impl Add for Work {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Mul<usize> for Work {
    type Output = Self;

    fn mul(self, times: usize) -> Self {
        Self(self.0.saturating_mul(times as u64))
    }
}

/// The longest work that is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkLimit(Work);

impl WorkLimit {
    /// Seconds of the default limit.
    pub const DEFAULT_SECS: f64 = 100.0;

    /// Returns a limit in seconds.
    pub const fn of_secs(secs: f64) -> Self {
        Self(Work((secs * Work::PER_SEC) as u64))
    }

    /// Checks that work takes no longer.
    ///
    /// # Errors
    /// If it does.
    pub fn holds(self, work: Work) -> Result<(), TooMuchWork> {
        if work <= self.0 { Ok(()) } else { Err(TooMuchWork { work, limit: self.0 }) }
    }
}

impl Default for WorkLimit {
    fn default() -> Self {
        Self::of_secs(Self::DEFAULT_SECS)
    }
}

/// Work beyond a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("takes about {:.0} s, more than the limit of {} s", work.secs(), limit.secs())]
pub struct TooMuchWork {
    /// The work.
    pub work: Work,
    /// The limit.
    pub limit: Work,
}

/// What draws a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawnBy {
    /// A GPU.
    Gpu,
    /// The processor.
    Software,
}

/// How a picture is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureKind {
    /// What draws it.
    pub by: DrawnBy,
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Samples per pixel.
    pub samples: u32,
}

/// What a picture of one pose consists of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PictureCounts {
    /// Nodes of the file, all of which are posed.
    pub nodes: usize,
    /// Draw calls.
    pub draws: usize,
    /// Instances of primitives over all draw calls.
    pub places: usize,
    /// Points, lines and triangles over all instances.
    pub elements: usize,
    /// How often all triangles together cover the picture at most, if it shows the whole scene.
    pub layers: f64,
}

impl PictureCounts {
    /// Counts what a picture of a posed stage consists of.
    pub fn count(model: &Model, stage: &Stage) -> Self {
        MeshCounts::count(model).picture(model, stage)
    }

    /// Returns the work of drawing one picture.
    pub fn work(&self, kind: PictureKind) -> Work {
        // As measured, with shadows and ambient occlusion; the last one per pixel of four samples.
        let ([draw, place, element], pixel) = match kind.by {
            DrawnBy::Gpu => ([Work(400), Work(8), Work(2)], 0.2),
            DrawnBy::Software => ([Work(8000), Work(60), Work(40)], 20.0),
        };
        let [width, height] = kind.size.map(f64::from);
        let pixels = self.layers * width * height * f64::from(kind.samples.max(4)) / 4.0;
        Work::NODE * self.nodes
            + draw * self.draws
            + place * self.places
            + element * self.elements
            + Work((pixel * pixels) as u64)
    }

    /// Returns how many points, lines and triangles are drawn within about this time, in seconds: at least one, and
    /// `u64::MAX` if a whole picture takes no longer.
    pub fn elements_within(&self, secs: f64, kind: PictureKind) -> u64 {
        let whole = self.work(kind).secs();
        if whole <= secs {
            return u64::MAX;
        }
        ((self.elements as f64 * secs / whole) as u64).max(1)
    }
}

impl Mul<usize> for PictureCounts {
    type Output = Self;

    /// Counts a picture of that many copies, each of which covers as much of it as one alone.
    fn mul(self, copies: usize) -> Self {
        Self {
            nodes: self.nodes.saturating_mul(copies),
            draws: self.draws.saturating_mul(copies),
            places: self.places.saturating_mul(copies),
            elements: self.elements.saturating_mul(copies),
            layers: self.layers * copies as f64,
        }
    }
}

/// What the meshes of a model contribute to its pictures, whatever its pose.
#[derive(Clone, Debug)]
pub struct MeshCounts(Vec<(MeshDraws, MeshArea)>);

impl MeshCounts {
    /// Counts draws and measures areas. This visits every triangle.
    pub fn count(model: &Model) -> Self {
        let of_mesh = |mesh| (MeshDraws::count(mesh, &model.materials), MeshArea::measure(mesh));
        Self(model.meshes.iter().map(of_mesh).collect())
    }

    /// Counts what a picture of a posed stage of that model consists of. This visits every instance.
    pub fn picture(&self, model: &Model, stage: &Stage) -> PictureCounts {
        let mut covers = Covers::new(model, stage);
        self.count_with(model, stage, |node, area| covers.layers(node, area))
    }

    /// Counts what a picture consists of at most, if every instance filled it.
    pub fn filling(&self, model: &Model, stage: &Stage) -> PictureCounts {
        let times = |node: usize| model.nodes[node].instances.len().max(1);
        self.count_with(model, stage, |node, area| area.layers * times(node) as f64)
    }

    /// Counts, with a function that says how often the mesh of a node covers the picture.
    fn count_with(
        &self,
        model: &Model,
        stage: &Stage,
        mut layers: impl FnMut(usize, MeshArea) -> f64,
    ) -> PictureCounts {
        let Self(meshes) = self;
        let mut counts = PictureCounts { nodes: model.nodes.len(), ..PictureCounts::default() };
        let mut shared = vec![[false; 2]; meshes.len()];
        for &index in &stage.nodes {
            let node = &model.nodes[index];
            let Some(mesh) = node.mesh else { continue };
            let ((own, area), is_skinned) = (meshes[mesh], node.skin.is_some());
            let alone = if is_skinned { own.skinned } else { own.rigid };
            counts.draws = counts.draws.saturating_add(alone);
            if !std::mem::replace(&mut shared[mesh][usize::from(is_skinned)], true) {
                counts.draws = counts.draws.saturating_add(own.all - alone);
            }
            let times = node.instances.len().max(1);
            counts.places = counts.places.saturating_add(own.primitives.saturating_mul(times));
            counts.elements = counts.elements.saturating_add(own.elements.saturating_mul(times));
            counts.layers += layers(index, area);
        }
        counts
    }
}

/// Finds how much of a picture the nodes of a stage cover.
struct Covers<'a> {
    model: &'a Model,
    stage: &'a Stage,
    /// Squared size of the posed scene.
    whole: f64,
    /// The squared size of posed meshes with a skin, which all their nodes share.
    skinned: HashMap<(usize, usize), f64>,
}

impl<'a> Covers<'a> {
    fn new(model: &'a Model, stage: &'a Stage) -> Self {
        let whole = squared(stage.bounds(model).size());
        Self { model, stage, whole, skinned: HashMap::new() }
    }

    /// Returns how often the triangles of a node's mesh cover the picture, over all its instances.
    fn layers(&mut self, index: usize, area: MeshArea) -> f64 {
        let Self { model, stage, whole, .. } = *self;
        let node = &model.nodes[index];
        let Some(mesh) = node.mesh else { return 0.0 };
        let MeshArea { layers, size } = area;
        if layers == 0.0 || whole == 0.0 {
            return 0.0;
        }
        // A part that is larger than the scene, by an overflow or as an outlier, covers the picture.
        let share = |size: f64| if size < whole { size / whole } else { 1.0 };
        if let Some(skin) = node.skin {
            let posed = || squared(stage.node_bounds(model, index).size());
            return layers * share(*self.skinned.entry((mesh, skin)).or_insert_with(posed));
        }
        let world = *stage.world.world_from_node(index);
        let scaled = |placed: Affine3A| {
            let m = placed.matrix3;
            let longest = [m.x_axis, m.y_axis, m.z_axis].map(|axis| squared(axis.into()));
            share(longest.into_iter().fold(0.0, f64::max) * size)
        };
        let shares: f64 = match &node.instances[..] {
            [] => scaled(world),
            instances => instances.iter().map(|instance| scaled(world * *instance)).sum(),
        };
        layers * shares
    }
}

/// Returns the squared length of a vector, in double precision: single precision has no squares of very small and very
/// large numbers.
fn squared(size: Vec3) -> f64 {
    size.as_dvec3().length_squared()
}

/// Returns the area of a triangle.
fn area(corners: [Vec3; 3]) -> f64 {
    let [a, b, c] = corners.map(Vec3::as_dvec3);
    0.5 * (b - a).cross(c - a).length()
}

/// The area of a mesh.
#[derive(Clone, Copy, Debug)]
struct MeshArea {
    /// The area of all triangles, divided by the squared size of their box: how often they cover it at most.
    layers: f64,
    /// The squared size of the box.
    size: f64,
}

impl MeshArea {
    fn measure(mesh: &Mesh) -> Self {
        let (mut covered, mut reach) = (0.0, Aabb::EMPTY);
        let triangles = |p: &&Primitive| p.mode.topology() == Topology::Triangles;
        for primitive in mesh.primitives.iter().filter(triangles) {
            let at = |index: &u32| {
                primitive.vertices.get(*index as usize).map(|v| Vec3::from_array(v.position))
            };
            for corners in primitive.indices.chunks_exact(3) {
                let [Some(a), Some(b), Some(c)] = [0, 1, 2].map(|i| at(&corners[i])) else {
                    continue;
                };
                [a, b, c].into_iter().for_each(|corner| reach.add(corner));
                covered += area([a, b, c]);
            }
        }
        let size = if reach.is_empty() { 0.0 } else { squared(reach.size()) };
        let layers = covered / size;
        // Neither points nor numbers that overflow cover anything.
        if layers.is_finite() && size.is_finite() {
            Self { layers, size }
        } else {
            Self { layers: 0.0, size: 0.0 }
        }
    }
}

/// The draws of a mesh at one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeshDraws {
    /// Draws of all its parts.
    pub all: usize,
    /// Draws that nodes with a skin do not share. Opaque rigid primitives of all nodes are drawn together.
    pub skinned: usize,
    /// Draws that nodes without a skin do not share.
    pub rigid: usize,
    /// Primitives.
    pub primitives: usize,
    /// Points, lines and triangles.
    pub elements: usize,
    /// Morph targets.
    pub targets: usize,
}

impl MeshDraws {
    /// Counts the draws of a mesh.
    pub fn count(mesh: &Mesh, materials: &[Material]) -> Self {
        let primitives = || mesh.primitives.iter();
        let parts = |p: &Primitive| p.parts.len();
        let alone = |p: &&Primitive| !p.targets.is_empty() || !is_opaque(p, materials);
        let skinned = |p: &&Primitive| p.influences.is_some() || alone(p);
        let elements = |p: &Primitive| p.indices.len() / p.mode.topology().corners();
        Self {
            all: primitives().map(parts).sum(),
            skinned: primitives().filter(skinned).map(parts).sum(),
            rigid: primitives().filter(alone).map(parts).sum(),
            primitives: mesh.primitives.len(),
            elements: primitives().map(elements).sum(),
            targets: primitives().map(|p| p.targets.len()).sum(),
        }
    }
}

/// Whether every material that a primitive may have can be drawn in any order.
fn is_opaque(primitive: &Primitive, materials: &[Material]) -> bool {
    let opaque = |m: &Material| !m.is_transmissive() && m.alpha_mode != AlphaMode::Blend;
    primitive.materials().all(|material| materials.get(material).is_none_or(opaque))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small file can make any of these counts large.
    #[test]
    fn whatever_a_picture_has_many_of_takes_time() {
        let kind = PictureKind { by: DrawnBy::Software, size: [100, 100], samples: 4 };
        let (none, many) = (PictureCounts::default(), 1_000_000_000);
        assert_eq!(none.work(kind), Work::default());
        for counts in [
            PictureCounts { nodes: 10 * many, ..none },
            PictureCounts { draws: many, ..none },
            PictureCounts { places: many, ..none },
            PictureCounts { elements: many, ..none },
            PictureCounts { layers: 1e9, ..none },
        ] {
            assert!(WorkLimit::default().holds(counts.work(kind)).is_err(), "{counts:?}");
        }
    }

    /// Squares of such sizes are out of the range of single precision.
    #[test]
    fn areas_have_any_size() {
        let corners = [Vec3::ZERO, Vec3::new(2.0, 0.0, 0.0), Vec3::new(0.0, 3.0, 0.0)];
        for unit in [1e-18f32, 1.0, 1e18] {
            let share = area(corners.map(|corner| corner * unit)) / f64::from(unit).powi(2);
            assert!((share - 3.0).abs() < 1e-5, "{unit}: {share}");
            assert!((squared(Vec3::X * unit).sqrt() / f64::from(unit) - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn work_beyond_the_limit_is_named_in_seconds() {
        let limit = WorkLimit::of_secs(2.0);
        assert_eq!(limit.holds(Work(400_000_000)), Ok(()));
        let over = limit.holds(Work(400_000_000) + Work::NODE * 100_000_000).unwrap_err();
        assert_eq!(over.to_string(), "takes about 6 s, more than the limit of 2 s");
        assert!(limit.holds(Work(u64::MAX) * usize::MAX + Work(1)).is_err());
    }

    #[test]
    fn elements_share_the_time_of_their_picture() {
        let kind = PictureKind { by: DrawnBy::Gpu, size: [1000, 1000], samples: 4 };
        let counts = PictureCounts { elements: 1000, layers: 500.0, ..PictureCounts::default() };
        let secs = counts.work(kind).secs();
        assert_eq!(counts.elements_within(secs, kind), u64::MAX);
        assert_eq!(counts.elements_within(secs / 4.0, kind), 250);
        assert_eq!((counts * 3).elements_within(secs / 4.0, kind), 250);
        assert_eq!(counts.elements_within(1e-9, kind), 1);
    }
}
