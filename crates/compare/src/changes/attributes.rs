//! Differences of what vertices have besides their places: normals, tangents, texture coordinates, colours, weights, and what only
//! applications read.

use std::collections::{BTreeMap, HashMap};

use glam::{Mat3, Vec3, Vec4};
use rayon::prelude::*;

use super::structure::{mesh_name, mesh_number};
use super::tex_coords::{Reading, SAME_TEX_COORD};
use crate::change::{Change, Kind};
use crate::pairing::lists::Models;
use crate::pairing::pairs::Pairs;
use crate::pairing::spaces::{Spaces, VertexPair};
use crate::pairing::target_pairs::target_pairs_of;
use crate::side::Side;
use rigview_model::{Primitive, UndrawnAttribute, Vertex, short_name};

/// The largest difference of fractions of an attribute that nothing draws which is no change, as a share of the attribute's range: what
/// quantization in 10 bits costs. Whole numbers may be indices and must be equal.
const QUANTIZED: f32 = 1e-3;

/// Vertices that one task compares at least.
const TASK: usize = 4096;

/// Two vertices of primitives, in the space in which they are at one place.
pub(super) struct Both<'a> {
    pub models: Models<'a>,
    spaces: &'a Spaces<'a>,
    pair: &'a VertexPair,
    pub primitives: [&'a Primitive; 2],
    meshes: [usize; 2],
}

impl<'a> Both<'a> {
    fn new(models: Models<'a>, spaces: &'a Spaces<'a>, pair: &'a VertexPair) -> Self {
        let both = [0, 1].map(|side: usize| {
            let own = spaces.sides[side];
            own.primitive(&own.motion.drawn(pair.of[side].drawn as usize))
        });
        let [(mesh_a, p), (mesh_b, q)] = both;
        Self { models, spaces, pair, primitives: [p, q], meshes: [mesh_a, mesh_b] }
    }

    fn vertex(&self, side: usize) -> &'a Vertex {
        &self.primitives[side].vertices[self.pair.of[side].vertex as usize]
    }

    pub fn vertices(&self) -> [&'a Vertex; 2] {
        [self.vertex(0), self.vertex(1)]
    }

    fn linear(&self, side: usize) -> Mat3 {
        self.spaces.linear(self.pair.space, side, self.pair.points[side] as usize)
    }

    /// Returns a direction of a mesh's surface in the space.
    fn normal(&self, side: usize, normal: Vec3) -> Vec3 {
        self.linear(side).inverse().transpose() * normal
    }

    pub fn have(&self, name: &str) -> bool {
        self.primitives.iter().all(|primitive| has(primitive, name))
    }
}

pub(super) fn has(primitive: &Primitive, name: &str) -> bool {
    primitive.attributes.iter().any(|of| of == name)
}

/// An attribute that is compared.
trait Attribute: Sync {
    fn name(&self) -> &str;

    fn kind(&self) -> Kind;

    /// Returns the largest difference that is no change: what quantization in 8 bits costs, of texture coordinates in 10 bits.
    fn tolerance(&self) -> f32;

    /// Returns what differs, and what this does to the picture; `most` is the largest difference.
    fn effect(&self, most: f32) -> String;

    /// Returns the difference of two vertices; `None` if it can't be compared.
    fn difference(&self, both: &Both, reading: &mut Reading) -> Option<f32>;
}

/// The angle of normals in degrees.
struct Normals;

impl Attribute for Normals {
    fn name(&self) -> &str {
        "NORMAL"
    }

    fn kind(&self) -> Kind {
        Kind::Normals
    }

    fn tolerance(&self) -> f32 {
        3.0
    }

    fn effect(&self, most: f32) -> String {
        format!("by up to {most:.1} degrees; the light on them changes")
    }

    fn difference(&self, both: &Both, _: &mut Reading) -> Option<f32> {
        let normal = |side: usize| both.normal(side, both.vertex(side).normal.into());
        degrees(normal(0), normal(1)).filter(|_| both.have("NORMAL"))
    }
}

/// The angle of normals with a morph target at weight 1, beyond that at rest: that of the target where it differs most.
struct MorphedNormals;

impl Attribute for MorphedNormals {
    fn name(&self) -> &str {
        "NORMAL of morph targets"
    }

    fn kind(&self) -> Kind {
        Kind::Normals
    }

    fn tolerance(&self) -> f32 {
        3.0
    }

    fn effect(&self, most: f32) -> String {
        Normals.effect(most)
    }

    fn difference(&self, both: &Both, reading: &mut Reading) -> Option<f32> {
        /// Shorter sums have no direction to speak of.
        const SHORT: f32 = 0.25;
        let changes = |p: &Primitive| p.targets.iter().any(|target| !target.normals.is_empty());
        if !both.primitives.iter().any(|p| changes(p)) || !both.have("NORMAL") {
            return None;
        }
        let rest = [0, 1].map(|side: usize| Vec3::from(both.vertex(side).normal));
        let turned = |[x, y]: [Vec3; 2]| degrees(both.normal(0, x), both.normal(1, y));
        let own = turned(rest).unwrap_or(0.0);
        let morphed = |side: usize, target: usize| {
            let target = both.primitives[side].targets.get(target)?;
            let delta = target.normals.get(both.pair.of[side].vertex as usize);
            Some(delta.map_or(rest[side], |delta| rest[side] + Vec3::from(*delta)))
        };
        let angle = |(i, j): (usize, usize)| {
            let (x, y) = (morphed(0, i)?, morphed(1, j)?);
            if x.length().min(y.length()) < SHORT { None } else { turned([x, y]) }
        };
        let most = reading.targets(both).iter().filter_map(angle).fold(0.0, f32::max);
        Some((most - own).max(0.0))
    }
}

/// The angle of tangents in degrees; 180 if the other side of the normal map is up.
struct Tangents;

impl Attribute for Tangents {
    fn name(&self) -> &str {
        "TANGENT"
    }

    fn kind(&self) -> Kind {
        Kind::Tangents
    }

    fn tolerance(&self) -> f32 {
        3.0
    }

    fn effect(&self, most: f32) -> String {
        format!("by up to {most:.1} degrees; normal maps are lit from another side")
    }

    fn difference(&self, both: &Both, _: &mut Reading) -> Option<f32> {
        if !both.have("TANGENT") {
            return None;
        }
        let [x, y] = [0, 1].map(|side: usize| Vec4::from(both.vertex(side).tangent));
        let [of_a, of_b] = [both.linear(0), both.linear(1)];
        let angle = degrees(of_a * x.truncate(), of_b * y.truncate())?;
        // Programs that apply a mirroring matrix to a mesh do not agree on the sign.
        let is_mirrored = of_a.determinant() * of_b.determinant() < 0.0;
        Some(if x.w * y.w < 0.0 && !is_mirrored { 180.0 } else { angle })
    }
}

/// The distance along an axis of the texture coordinates of a set of A, as textures read them.
struct TexCoords(usize);

impl Attribute for TexCoords {
    fn name(&self) -> &str {
        ["TEXCOORD_0", "TEXCOORD_1"][self.0]
    }

    fn kind(&self) -> Kind {
        Kind::Uv
    }

    fn tolerance(&self) -> f32 {
        SAME_TEX_COORD
    }

    fn effect(&self, most: f32) -> String {
        format!("by up to {most:.4}; textures are at another place on them")
    }

    fn difference(&self, both: &Both, reading: &mut Reading) -> Option<f32> {
        has(both.primitives[0], self.name()).then(|| reading.difference(both, self.0))?
    }
}

/// The largest difference of a component of the colour.
struct Colours;

impl Attribute for Colours {
    fn name(&self) -> &str {
        "COLOR_0"
    }

    fn kind(&self) -> Kind {
        Kind::Colours
    }

    fn tolerance(&self) -> f32 {
        0.012
    }

    fn effect(&self, most: f32) -> String {
        format!("by up to {most:.3}; the surface has another tint")
    }

    fn difference(&self, both: &Both, _: &mut Reading) -> Option<f32> {
        let [x, y] = both.vertices();
        let most = x.color.iter().zip(y.color).map(|(x, y)| x.abs_diff(y)).max();
        most.filter(|_| both.have("COLOR_0")).map(|off| f32::from(off) / 65535.0)
    }
}

/// The summed difference of weights.
struct Weights;

impl Attribute for Weights {
    fn name(&self) -> &str {
        "WEIGHTS_0"
    }

    fn kind(&self) -> Kind {
        Kind::Weights
    }

    fn tolerance(&self) -> f32 {
        0.04
    }

    fn effect(&self, most: f32) -> String {
        let share = 50.0 * most;
        format!("by up to {share:.1} % of a vertex; they move with other joints")
    }

    fn difference(&self, both: &Both, _: &mut Reading) -> Option<f32> {
        both.have("WEIGHTS_0").then(|| both.spaces.weights_apart(both.pair.points))
    }
}

/// The largest difference of a component of an attribute that nothing draws: one of applications, or a further set of texture
/// coordinates or colours.
struct Undrawn<'a> {
    name: &'a str,
    tolerance: f32,
}

impl<'a> Undrawn<'a> {
    /// Returns those of A.
    fn all(models: [&'a rigview_model::Model; 2]) -> Vec<Self> {
        let mut ranges: BTreeMap<&str, (f32, f32, bool)> = BTreeMap::new();
        for model in models {
            let primitives = model.meshes.iter().flat_map(|mesh| &mesh.primitives);
            for of in primitives.flat_map(|primitive| &primitive.undrawn) {
                let start = (f32::INFINITY, f32::NEG_INFINITY, true);
                let (low, high, is_whole) = ranges.entry(&of.name).or_insert(start);
                for value in of.values.iter().filter(|value| value.is_finite()) {
                    (*low, *high) = (low.min(*value), high.max(*value));
                    *is_whole &= value.fract() == 0.0;
                }
            }
        }
        let attribute = |(name, (low, high, is_whole))| {
            let tolerance = if is_whole || low > high { 0.0 } else { QUANTIZED * (high - low) };
            Self { name, tolerance }
        };
        ranges.into_iter().map(attribute).collect()
    }
}

impl Attribute for Undrawn<'_> {
    fn name(&self) -> &str {
        self.name
    }

    fn kind(&self) -> Kind {
        if self.name.starts_with("TEXCOORD_") {
            Kind::Uv
        } else if self.name.starts_with("COLOR_") {
            Kind::Colours
        } else {
            Kind::Attribute
        }
    }

    fn tolerance(&self) -> f32 {
        self.tolerance
    }

    fn effect(&self, most: f32) -> String {
        format!("by up to {most}; nothing that is drawn changes")
    }

    fn difference(&self, both: &Both, _: &mut Reading) -> Option<f32> {
        let values = |side: usize| {
            let primitive = both.primitives[side];
            let of: &UndrawnAttribute = primitive.undrawn.iter().find(|of| of.name == self.name)?;
            Some(of.of_vertex(primitive.index_in_file(both.pair.of[side].vertex)))
        };
        let (x, y) = (values(0)?, values(1)?);
        let apart = x.iter().zip(y).map(|(x, y)| (x - y).abs()).filter(|off| !off.is_nan());
        Some(if x.len() == y.len() { apart.fold(0.0, f32::max) } else { f32::INFINITY })
    }
}

/// Returns the angle between two directions in degrees; `None` if one has no length.
fn degrees(a: Vec3, b: Vec3) -> Option<f32> {
    let is_direction = a.length_squared() > 0.0 && b.length_squared() > 0.0;
    is_direction.then(|| a.angle_between(b).to_degrees())
}

/// The vertices of a mesh that differ in an attribute.
#[derive(Clone, Default)]
struct Tally {
    compared: usize,
    differ: usize,
    most: f32,
    /// How many of them each node moves most.
    movers: HashMap<usize, usize>,
    /// The primitive of the first one, its index in the file, and the node that draws it.
    first: Option<[usize; 3]>,
}

impl Tally {
    fn add(&mut self, off: f32, is_change: bool, side: &Side, both: &Both, of: usize) {
        self.compared += 1;
        if !is_change {
            return;
        }
        self.differ += 1;
        self.most = self.most.max(off);
        let pair = both.pair;
        let drawn = side.motion.drawn(pair.of[of].drawn as usize);
        let number = both.primitives[of].index_in_file(pair.of[of].vertex) as usize;
        let first = [drawn.primitive, number, drawn.node];
        self.first = Some(self.first.map_or(first, |known| known.min(first)));
        let heaviest = |x: &(usize, f32), y: &(usize, f32)| x.1.total_cmp(&y.1);
        let movers = side.movers(pair.points[of] as usize);
        if let Some((node, _)) = movers.into_iter().max_by(heaviest) {
            *self.movers.entry(node).or_default() += 1;
        }
    }

    fn join(mut self, other: &Self) -> Self {
        self.compared += other.compared;
        self.differ += other.differ;
        self.most = self.most.max(other.most);
        other
            .movers
            .iter()
            .for_each(|(node, count)| *self.movers.entry(*node).or_default() += count);
        self.first = self.first.into_iter().chain(other.first).min();
        self
    }
}

/// By mesh, attribute and the side whose vertices were looked at.
type Tallies = BTreeMap<(usize, usize, usize), Tally>;

/// The differences of two models in the attributes of their vertices.
#[derive(Default)]
pub(crate) struct AttributeChanges {
    /// The attributes in which paired vertices of a mesh differ, one change each.
    pub changes: Vec<Change>,
    /// Pairs of materials whose texture coordinates were compared, and whether all are the same after their transforms.
    pub tex_coords: HashMap<[usize; 2], bool>,
}

/// Compares the attributes of paired vertices.
pub(crate) fn attribute_changes(
    models: Models,
    spaces: &Spaces,
    vertices: &[VertexPair],
) -> AttributeChanges {
    let undrawn = Undrawn::all([models.a, models.b]);
    let mut attributes: Vec<&dyn Attribute> = vec![
        &Normals,
        &Tangents,
        &TexCoords(0),
        &TexCoords(1),
        &Colours,
        &Weights,
        &MorphedNormals,
    ];
    attributes.extend(undrawn.iter().map(|of| of as &dyn Attribute));
    let compare = |some: &[VertexPair]| {
        let (mut tallies, mut reading) = (Tallies::new(), Reading::default());
        for pair in some {
            let both = Both::new(models, spaces, pair);
            let of = usize::from(pair.from);
            let mesh = mesh_number(models, of, both.meshes[of]);
            for (i, attribute) in attributes.iter().enumerate() {
                let off = attribute.difference(&both, &mut reading);
                if let Some(off) = off.filter(|off| !off.is_nan()) {
                    let tally = tallies.entry((mesh, i, of)).or_default();
                    tally.add(off, off > attribute.tolerance(), spaces.sides[of], &both, of);
                }
            }
            reading.meet_variants(&both);
        }
        (tallies, reading.agree)
    };
    let task = vertices.len().div_ceil(4 * rayon::current_num_threads()).max(TASK);
    let compared: Vec<_> = vertices.par_chunks(task).map(compare).collect();
    let (mut tallies, mut tex_coords) = (Tallies::new(), HashMap::new());
    for (some, agree) in compared {
        for (key, tally) in some {
            let known = tallies.remove(&key).unwrap_or_default();
            tallies.insert(key, known.join(&tally));
        }
        agree.into_iter().for_each(|(of, agrees)| *tex_coords.entry(of).or_insert(true) &= agrees);
    }
    // Reports each attribute once, from the side on which more vertices differ.
    let mut worst: BTreeMap<(usize, usize), (usize, Tally)> = BTreeMap::new();
    for ((mesh, attribute, side), tally) in tallies {
        let known = worst.entry((mesh, attribute)).or_insert_with(|| (side, Tally::default()));
        if tally.differ > known.1.differ {
            *known = (side, tally);
        }
    }
    let change = |((mesh, attribute), (side, tally)): ((usize, usize), (usize, Tally))| {
        let attribute = attributes[attribute];
        let what = text(attribute, spaces.sides[side], side, &tally);
        Change::changed(attribute.kind(), mesh_name(models, mesh), what)
    };
    let changes = worst.into_iter().filter(|(_, (_, tally))| tally.differ > 0).map(change);
    AttributeChanges { changes: changes.collect(), tex_coords }
}

fn text(attribute: &dyn Attribute, own: &Side, side: usize, tally: &Tally) -> String {
    let Tally { compared, differ, most, movers, first } = tally;
    let (name, effect) = (short_name(attribute.name()), attribute.effect(*most));
    let mut what = format!("{differ} of {compared} vertices differ in {name} {effect}");
    let Some([primitive, vertex, node]) = first else { return what };
    let most_moved = |x: &(&usize, &usize), y: &(&usize, &usize)| x.1.cmp(y.1).then(y.0.cmp(x.0));
    let mover = movers.iter().max_by(most_moved).map(|(mover, _)| *mover);
    if let Some(mover) = mover.filter(|mover| mover != node) {
        what += &format!("; most are moved by \"{}\"", own.node_name(mover));
    }
    what += &format!("; the first one is vertex {vertex} of primitive {primitive}");
    if side == 1 {
        what += " of B";
    }
    what
}

/// The differences of a morph target at weight 1, at rest.
#[derive(Clone, Copy, Default)]
struct Moved {
    compared: usize,
    differ: usize,
    most: f32,
}

/// Lists the morph targets that move paired vertices to different places at weight 1, whether a clip shows them or not. `size` is that
/// of the models, in metres.
pub(crate) fn target_changes(
    models: Models,
    spaces: &Spaces,
    vertices: &[VertexPair],
    size: f32,
) -> Vec<Change> {
    /// Differences up to this share of the size are no change: what quantization in 12 bits costs.
    const ROUNDING: f32 = 2e-4;
    let mut tallies: BTreeMap<(usize, usize, u8), Moved> = BTreeMap::new();
    let mut reading = Reading::default();
    for pair in vertices {
        let both = Both::new(models, spaces, pair);
        if both.primitives.iter().all(|primitive| primitive.targets.is_empty()) {
            continue;
        }
        let of = usize::from(pair.from);
        let mesh = mesh_number(models, of, both.meshes[of]);
        let delta = |side: usize, target: usize| {
            let target = both.primitives[side].targets.get(target);
            let delta = target.and_then(|of| of.positions.get(pair.of[side].vertex as usize));
            delta.map_or(Vec3::ZERO, |delta| Vec3::from(*delta))
        };
        let mut linear: Option<[Mat3; 2]> = None;
        for (i, j) in reading.targets(&both).iter() {
            let deltas = [delta(0, i), delta(1, j)];
            let tally = tallies.entry((mesh, i, pair.from)).or_default();
            tally.compared += 1;
            // Most targets move few vertices.
            if deltas == [Vec3::ZERO; 2] {
                continue;
            }
            let rest = |side: usize| {
                let own = spaces.sides[side];
                own.rest.scene_from_mesh(own, pair.points[side] as usize)
            };
            let [to_a, to_b] = *linear.get_or_insert_with(|| [rest(0), rest(1)]);
            let apart = (to_a * deltas[0] - to_b * deltas[1]).length();
            if apart > ROUNDING * size {
                tally.differ += 1;
            }
            tally.most = tally.most.max(if apart.is_finite() { apart } else { 0.0 });
        }
    }
    let mut worst: BTreeMap<(usize, usize), Moved> = BTreeMap::new();
    for ((mesh, target, _), tally) in tallies {
        let known = worst.entry((mesh, target)).or_default();
        if tally.differ > known.differ {
            *known = tally;
        }
    }
    let change = |((mesh, target), tally): ((usize, usize), Moved)| {
        let Moved { compared, differ, most } = tally;
        let names = models.a.meshes.get(mesh).map(|mesh| &mesh.target_names);
        let name = names.and_then(|names| names.get(target)).cloned();
        let name = name.filter(|name| !name.is_empty()).unwrap_or_else(|| format!("#{target}"));
        let what = format!(
            "morph target \"{name}\" moves {differ} of {compared} vertices elsewhere, by up to {:.3} mm at weight 1",
            1000.0 * most
        );
        let change = Change::changed(Kind::Mesh, mesh_name(models, mesh), what);
        Change { distance: Some(f64::from(most)), ..change }
    };
    worst.into_iter().filter(|(_, tally)| tally.differ > 0).map(change).collect()
}

/// Returns the pairs of the morph targets of two meshes, given the indices of these.
pub(super) fn pairs_of_targets(both: &Both) -> Pairs {
    let Models { a, b, pairs } = both.models;
    let [x, y] = both.meshes;
    if pairs.meshes.b_of(x) == Some(y) {
        return pairs.targets[x].clone();
    }
    target_pairs_of([&a.meshes[x], &b.meshes[y]])
}

/// Returns the meshes of two vertices.
pub(super) fn meshes_of(both: &Both) -> [usize; 2] {
    both.meshes
}
