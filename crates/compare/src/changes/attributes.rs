//! Differences of what vertices have besides their places: normals, tangents, texture coordinates, colours and
//! weights.

use std::collections::{HashMap, HashSet};

use glam::{Mat3, Vec3};

use super::corners::{self, Corners};
use super::paired_mesh::PairedMesh;
use super::tex_coords::{SAME_TEX_COORD, TexCoords, TexCoordsAgree, primitives};
use super::undrawn::{self, Undrawn};
use super::winding::TriangleChanges;
use crate::change::{Change, Kind};
use crate::measured::{Paired, PointPair};
use crate::pairing::nearest::{SAME_PLACE, corners as box_corners, spread};
use crate::pairing::pairs::{Pairs, entry_name};
use crate::pairing::vertex_pairs::Drawn;
use crate::side::{Element, Side, origin_offset};
use crate::weights::moved;
use rigview_model::{Primitive, Vertex, VertexPlace, short_name};

/// An attribute that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attribute {
    Normal,
    Tangent,
    TexCoord(usize),
    Color,
    Weights,
    /// The normal with a morph target at weight 1: that of the target where it differs most.
    MorphedNormal,
}

/// The attributes that are drawn.
const ATTRIBUTES: [Attribute; 7] = [
    Attribute::Normal,
    Attribute::Tangent,
    Attribute::TexCoord(0),
    Attribute::TexCoord(1),
    Attribute::Color,
    Attribute::Weights,
    Attribute::MorphedNormal,
];

impl Attribute {
    fn name(self) -> &'static str {
        match self {
            Attribute::Normal => "NORMAL",
            Attribute::Tangent => "TANGENT",
            Attribute::TexCoord(0) => "TEXCOORD_0",
            Attribute::TexCoord(_) => "TEXCOORD_1",
            Attribute::Color => "COLOR_0",
            Attribute::Weights => "WEIGHTS_0",
            Attribute::MorphedNormal => "NORMAL of morph targets",
        }
    }

    fn kind(self) -> Kind {
        match self {
            Attribute::Normal | Attribute::MorphedNormal => Kind::Normals,
            Attribute::Tangent => Kind::Tangents,
            Attribute::TexCoord(_) => Kind::Uv,
            Attribute::Color => Kind::Colours,
            Attribute::Weights => Kind::Weights,
        }
    }

    /// Returns the largest difference that is no change: what quantization in 8 bits, of texture coordinates in 10
    /// bits, costs. Degrees, units of the texture, parts of full colour, summed weights.
    fn tolerance(self) -> f32 {
        match self {
            Attribute::Normal | Attribute::Tangent | Attribute::MorphedNormal => 3.0,
            Attribute::TexCoord(_) => SAME_TEX_COORD,
            Attribute::Color => 0.012,
            Attribute::Weights => 0.04,
        }
    }

    /// Returns what differs, and what this does to the picture; `most` is the largest difference.
    fn effect(self, most: f32) -> String {
        match self {
            Attribute::Normal | Attribute::MorphedNormal => {
                format!("by up to {most:.1} degrees; the light on them changes")
            }
            Attribute::Tangent => {
                format!("by up to {most:.1} degrees; normal maps are lit from another side")
            }
            Attribute::TexCoord(_) => {
                format!("by up to {most:.4}; textures are at another place on them")
            }
            Attribute::Color => format!("by up to {most:.3}; the surface has another tint"),
            Attribute::Weights => {
                let share = 50.0 * most;
                format!("by up to {share:.1} % of a vertex; they move with other joints")
            }
        }
    }
}

/// The vertices of a mesh that differ in an attribute.
#[derive(Default)]
struct Tally {
    compared: usize,
    differ: usize,
    most: f32,
    /// How many of them each node moves most.
    movers: HashMap<usize, usize>,
    /// The index of the first one in the file, with its primitive.
    first: Option<[u32; 2]>,
}

impl Tally {
    /// Counts the difference of a vertex.
    fn add(&mut self, off: f32, tolerance: f32, side: &Side, vertex: VertexPlace, number: u32) {
        self.compared += 1;
        if off <= tolerance {
            return;
        }
        self.differ += 1;
        self.most = self.most.max(off);
        self.first.get_or_insert([vertex.primitive as u32, number]);
        let heaviest = |x: &(usize, f32), y: &(usize, f32)| x.1.total_cmp(&y.1);
        if let Some((node, _)) = side.movers(vertex).into_iter().max_by(heaviest) {
            *self.movers.entry(node).or_default() += 1;
        }
    }
}

/// The differences of two meshes in their attributes.
#[derive(Default)]
pub(crate) struct AttributeChanges {
    /// The attributes in which paired vertices differ, one change each.
    pub changes: Vec<Change>,
    pub tex_coords: Vec<TexCoordsAgree>,
}

/// Compares the attributes of paired vertices. A vertex with several ones at its place belongs to those at the corners of the same
/// triangles, or without any to the one with the same material that differs least; each vertex of either mesh must have one.
///
/// Vertices of triangles that only another node of the other side draws are none of this mesh. Where triangles have another material,
/// a vertex that is the same comes before one with the same material.
pub(crate) fn attribute_changes(
    mesh: &PairedMesh,
    triangles: &TriangleChanges,
) -> AttributeChanges {
    let Drawn { a, b } = mesh.drawn;
    let [side_a, side_b] = mesh.sides;
    let (Some(primitives_a), Some(primitives_b)) =
        (primitives(side_a.model, a), primitives(side_b.model, b))
    else {
        return AttributeChanges::default();
    };
    let both = [primitives_a, primitives_b];
    let mut compared = Compared::new(mesh, triangles);
    let undrawn = Undrawn::new(both);
    let [of_a, of_b] = [0, 1].map(|side| {
        // By index, each vertex has one partner.
        let is_done = side == 1 && mesh.by == Paired::Index;
        match mesh.is_compared(side) && !is_done {
            true => tallies(side, both, &mut compared, &undrawn),
            false => Tallies::new(&undrawn),
        }
    });
    let worse = |lists: [Vec<Tally>; 2]| -> Vec<(usize, Tally)> {
        let [of_a, of_b] = lists;
        let each = of_a.into_iter().zip(of_b);
        each.map(|(a, b)| if b.differ > a.differ { (1, b) } else { (0, a) }).collect()
    };
    let drawn = worse([of_a.drawn, of_b.drawn]);
    let of_undrawn = worse([of_a.undrawn, of_b.undrawn]);
    let drawn = ATTRIBUTES.into_iter().zip(&drawn).map(|(attribute, (side, tally))| {
        let effect = attribute.effect(tally.most);
        let (kind, name) = (attribute.kind(), attribute.name());
        Tallied { kind, name, side: *side, tally, effect }
    });
    let others = undrawn.names().zip(&of_undrawn).map(|(name, (side, tally))| {
        let effect = format!("by up to {}; nothing that is drawn changes", tally.most);
        Tallied { kind: undrawn::kind(name), name, side: *side, tally, effect }
    });
    let found = drawn.chain(others).filter(|found| found.tally.differ > 0);
    AttributeChanges {
        changes: found.map(|found| change(mesh, found)).collect(),
        tex_coords: compared.tex_coords.agreements().collect(),
    }
}

/// What was counted of the vertices of one mesh.
struct Tallies {
    /// In the order of [`ATTRIBUTES`].
    drawn: Vec<Tally>,
    /// In the order of [`Undrawn::names`].
    undrawn: Vec<Tally>,
}

impl Tallies {
    fn new(undrawn: &Undrawn) -> Self {
        Self {
            drawn: ATTRIBUTES.map(|_| Tally::default()).into(),
            undrawn: undrawn.names().map(|_| Tally::default()).collect(),
        }
    }
}

/// Counts the vertices of one side that differ from their partner on the other side.
fn tallies(
    side: usize,
    both: [&[Primitive]; 2],
    compared: &mut Compared,
    undrawn: &Undrawn,
) -> Tallies {
    let mesh = compared.mesh;
    let node = [mesh.drawn.a, mesh.drawn.b][side];
    let matches = Matches::new(&mesh, side, both, compared.triangles);
    let moved = moved_vertices(mesh.sides[side], node, &compared.triangles.moved[side]);
    let mut out = Tallies::new(undrawn);
    for (i, primitive) in both[side].iter().enumerate() {
        for (vertex, point) in mesh.sides[side].motion.points_of(node, i).enumerate() {
            let Some(point) = point else { continue };
            let vertex = [i as u32, vertex as u32];
            if moved.contains(&vertex) {
                continue;
            }
            let own = corners::place(node, vertex);
            let number = primitive.index_in_file(own.vertex);
            let found = matches.of(compared, undrawn, own, point as u32);
            if side == mesh.part.unwrap_or(0) {
                for VertexPair { pair, off } in &found {
                    let uvs = [2, 3].map(|of| off[of]).into_iter().flatten();
                    let places = pair.map(|place| place.primitive);
                    uvs.for_each(|off| compared.tex_coords.met(places, off));
                    compared.meet_variants(*pair);
                }
            }
            let own_side = mesh.sides[side];
            for ((i, attribute), tally) in ATTRIBUTES.into_iter().enumerate().zip(&mut out.drawn) {
                let worst = found.iter().filter_map(|each| each.off[i]).reduce(f32::max);
                if let Some(off) = worst {
                    tally.add(off, attribute.tolerance(), own_side, own, number);
                }
            }
            for (of, tally) in out.undrawn.iter_mut().enumerate() {
                let each = found.iter().flat_map(|each| undrawn.differences(each.pair));
                let each = each.filter(|(i, ..)| *i == of);
                let worst = each.reduce(|x, y| if y.1 > x.1 { y } else { x });
                if let Some((_, off, tolerance)) = worst {
                    tally.add(off, tolerance, own_side, own, number);
                }
            }
        }
    }
    out
}

/// Two vertices that belong together, that of A first, and their differences.
struct VertexPair {
    pair: [VertexPlace; 2],
    off: Differences,
}

/// Finds the vertices of the other side that those of one side belong to.
struct Matches<'a> {
    side: usize,
    both: [&'a [Primitive]; 2],
    partners: Partners,
    corners: Corners,
}

impl<'a> Matches<'a> {
    fn new(
        mesh: &PairedMesh,
        side: usize,
        both: [&'a [Primitive]; 2],
        triangles: &TriangleChanges,
    ) -> Self {
        let partners = Partners::new(mesh, side, both[1 - side]);
        let corners = |classes| Corners::new(mesh, side, classes);
        let corners = triangles.classes.as_ref().map_or_else(Corners::default, corners);
        Self { side, both, partners, corners }
    }

    /// Returns the vertices of the other side at the corners of the triangles of a vertex, each once; without any, the one of its
    /// point that differs least.
    fn of(
        &self,
        compared: &Compared,
        undrawn: &Undrawn,
        own: VertexPlace,
        point: u32,
    ) -> Vec<VertexPair> {
        let (mesh, other_side) = (&compared.mesh, 1 - self.side);
        let node = [mesh.drawn.a, mesh.drawn.b][other_side];
        // The vertex of A comes first.
        let in_order =
            |other: VertexPlace| if self.side == 0 { [own, other] } else { [other, own] };
        let least = |others: &mut dyn Iterator<Item = VertexPlace>| {
            compared.least(others.map(in_order), self.both, undrawn)
        };
        let mut found: Vec<VertexPair> = Vec::new();
        for vertices in self.corners.of([own.primitive as u32, own.vertex]) {
            let others = &mut vertices.map(|vertex| corners::place(node, vertex));
            let other = least(others);
            let is_new = |other: &VertexPair| found.iter().all(|known| known.pair != other.pair);
            let new = other.filter(is_new);
            found.extend(new);
        }
        if found.is_empty() {
            let number = self.both[self.side][own.primitive].index_in_file(own.vertex);
            let mut others = self.partners.of(point).filter(|other| {
                let index = || self.both[other_side][other.primitive].index_in_file(other.vertex);
                mesh.by != Paired::Index || (other.primitive == own.primitive && index() == number)
            });
            found.extend(least(&mut others));
        }
        found
    }
}

/// Returns how much two vertices differ, in units of what is no change.
fn total(list: &Differences) -> f32 {
    let each = ATTRIBUTES.iter().zip(list);
    each.filter_map(|(of, off)| Some(((*off)? / of.tolerance()).min(1e6))).sum()
}

/// Whether two vertices differ by more than what is no change.
fn differs(list: &Differences) -> bool {
    let mut each = ATTRIBUTES.iter().zip(list);
    each.any(|(of, off)| off.is_some_and(|off| off > of.tolerance()))
}

/// Returns the vertices, after their primitives, whose triangles are all among the `moved` ones of a node.
fn moved_vertices(side: &Side, node: usize, moved: &[bool]) -> HashSet<[u32; 2]> {
    let mut found = HashSet::new();
    if moved.contains(&true) {
        let corners = |element: Element| element.vertices.map(|v| [element.primitive as u32, v]);
        let of = |wanted: bool| {
            let all = side.elements_with_vertices(node).zip(moved);
            all.filter(move |(_, moved)| **moved == wanted)
                .flat_map(|(element, _)| corners(element))
        };
        found.extend(of(true));
        for vertex in of(false) {
            found.remove(&vertex);
        }
    }
    found
}

/// An attribute with what was counted of it.
struct Tallied<'a> {
    kind: Kind,
    name: &'a str,
    /// The side whose vertices were counted.
    side: usize,
    tally: &'a Tally,
    /// What differs, and what this does to the picture.
    effect: String,
}

fn change(mesh: &PairedMesh, found: Tallied) -> Change {
    let Tallied { kind, name, side: of, tally, effect } = found;
    let nodes = [mesh.drawn.a, mesh.drawn.b];
    let (side, node) = (mesh.sides[of], nodes[of]);
    let Tally { compared, differ, movers, first, .. } = tally;
    let mut what =
        format!("{differ} of {compared} vertices differ in {} {effect}", short_name(name));
    let most_moved = |x: &(&usize, &usize), y: &(&usize, &usize)| x.1.cmp(y.1).then(y.0.cmp(x.0));
    if let Some((mover, _)) = movers.iter().max_by(most_moved).filter(|(mover, _)| **mover != node)
    {
        what += &format!("; most are moved by \"{}\"", side.node_name(*mover));
    }
    if let Some([primitive, vertex]) = first {
        what += &format!("; the first one is vertex {vertex} of primitive {primitive}");
    }
    if let (Some(_), 1) = (first, of) {
        what += " of B";
    }
    // Changes are named by A.
    let model = mesh.sides[0].model;
    let index = model.nodes[nodes[0]].mesh.unwrap_or_default();
    Change::changed(kind, entry_name(&model.meshes[index].name, index), what)
}

/// The vertices of the other side that belong to the points of one side.
struct Partners {
    /// Pairs of points, that of the own side first, by that.
    pairs: Vec<PointPair>,
    /// The points of the other side with their vertices, by point.
    vertices: Vec<(u32, VertexPlace)>,
}

impl Partners {
    fn new(mesh: &PairedMesh, side: usize, primitives: &[Primitive]) -> Self {
        let mut pairs = [mesh.pairs, mesh.rivals].concat();
        if side == 1 {
            pairs.iter_mut().for_each(|pair| pair.reverse());
        }
        pairs.sort_unstable();
        let (other, nodes) = (1 - side, [mesh.drawn.a, mesh.drawn.b]);
        let node = nodes[other];
        let mut vertices = Vec::new();
        for primitive in 0..primitives.len() {
            for (vertex, point) in mesh.sides[other].motion.points_of(node, primitive).enumerate() {
                if let Some(point) = point {
                    let vertex = vertex as u32;
                    vertices.push((point as u32, VertexPlace { node, primitive, vertex }));
                }
            }
        }
        vertices.sort_by_key(|(point, _)| *point);
        Self { pairs, vertices }
    }

    fn of(&self, point: u32) -> impl Iterator<Item = VertexPlace> {
        let start = self.pairs.partition_point(|[own, _]| *own < point);
        let pairs = self.pairs[start..].iter().take_while(move |[own, _]| *own == point);
        pairs.flat_map(move |[_, other]| {
            let start = self.vertices.partition_point(|(point, _)| point < other);
            let same = self.vertices[start..].iter().take_while(move |(point, _)| point == other);
            same.map(|(_, vertex)| *vertex)
        })
    }
}

/// The difference in each of [`ATTRIBUTES`]; `None` if it can't be compared.
type Differences = [Option<f32>; ATTRIBUTES.len()];

/// Compares single vertices of two meshes.
struct Compared<'a> {
    mesh: PairedMesh<'a>,
    triangles: &'a TriangleChanges,
    /// Whether both meshes have one orientation, so that directions can be compared in the space of the mesh.
    aligned: bool,
    /// The distance in metres up to which two vertices are at one place at rest, so that directions can be compared in the scene.
    near: f32,
    tex_coords: TexCoords<'a>,
    /// By side and primitive, which of [`ATTRIBUTES`] it has.
    has: [Vec<[bool; ATTRIBUTES.len()]>; 2],
}

impl<'a> Compared<'a> {
    fn new(mesh: &PairedMesh<'a>, triangles: &'a TriangleChanges) -> Self {
        let of_both = [(0, mesh.drawn.a), (1, mesh.drawn.b)];
        let has = of_both.map(|(side, node)| {
            let all = primitives(mesh.sides[side].model, node).unwrap_or_default().iter();
            let has = |p: &Primitive| {
                ATTRIBUTES.map(|attribute| p.attributes.iter().any(|name| name == attribute.name()))
            };
            all.map(has).collect()
        });
        let tex_coords = TexCoords::new(mesh.sides, mesh.drawn, mesh.part.is_some());
        let near = SAME_PLACE * spread(&mesh.sides[0].rest);
        Self { mesh: *mesh, triangles, aligned: are_aligned(mesh), near, tex_coords, has }
    }

    /// Returns the pair of vertices that differ least; those with the same material come first.
    fn least(
        &self,
        pairs: impl Iterator<Item = [VertexPlace; 2]>,
        both: [&[Primitive]; 2],
        undrawn: &Undrawn,
    ) -> Option<VertexPair> {
        let all = pairs.map(|pair| {
            let [of_a, of_b] = [0, 1].map(|side| both[side][pair[side].primitive].material);
            let is_other = !self.mesh.materials.agree(of_a, of_b);
            let off = self.differences(pair[0], pair[1]);
            let differs = self.triangles.have_other_materials && differs(&off);
            ([differs, is_other], total(&off) + undrawn.total(pair), VertexPair { pair, off })
        });
        let least = all.min_by(|x, y| x.0.cmp(&y.0).then(x.1.total_cmp(&y.1)));
        least.map(|(.., least)| least)
    }

    /// Returns the matrices to the space in which the directions of two vertices are compared: that of the mesh if both meshes have
    /// one orientation, else the scene at rest. `None` if the vertices are elsewhere there.
    fn turns(&self, a: VertexPlace, b: VertexPlace) -> Option<[Mat3; 2]> {
        if self.aligned {
            return Some([Mat3::IDENTITY; 2]);
        }
        let [side_a, side_b] = self.mesh.sides;
        let (a, b) = (side_a.motion.point_of(a)?, side_b.motion.point_of(b)?);
        let apart = side_a.rest[a] - side_b.rest[b] - origin_offset(side_a, side_b);
        let turns = || [side_a.scene_from_mesh(a), side_b.scene_from_mesh(b)];
        (apart.length() <= self.near).then(turns)
    }

    /// Takes note of the texture coordinates of two vertices that belong together on the materials of variants.
    fn meet_variants(&mut self, [a, b]: [VertexPlace; 2]) {
        let places = [a.primitive, b.primitive];
        let models = self.mesh.sides.map(|side| side.model);
        let [Some(of_a), Some(of_b)] =
            [(0, a.node), (1, b.node)].map(|(side, node)| primitives(models[side], node))
        else {
            return;
        };
        let (p, q) = (&of_a[a.primitive], &of_b[b.primitive]);
        if p.variant_materials.is_empty() || q.variant_materials.is_empty() {
            return;
        }
        let vertices = [&p.vertices[a.vertex as usize], &q.vertices[b.vertex as usize]];
        let has = [0, 1].map(|side: usize| {
            let of = &self.has[side][places[side]];
            [of[2], of[3]]
        });
        self.tex_coords.met_in_variants(places, vertices, has, self.mesh.materials);
    }

    /// Returns the differences of two vertices in the attributes that both have.
    fn differences(&self, a: VertexPlace, b: VertexPlace) -> Differences {
        let [side_a, side_b] = self.mesh.sides;
        let (Some(of_a), Some(of_b)) =
            (primitives(side_a.model, a.node), primitives(side_b.model, b.node))
        else {
            return Default::default();
        };
        let (p, q) = (&of_a[a.primitive], &of_b[b.primitive]);
        let (x, y) = (&p.vertices[a.vertex as usize], &q.vertices[b.vertex as usize]);
        let [of_a, of_b] = [&self.has[0][a.primitive], &self.has[1][b.primitive]];
        let turns = self.turns(a, b);
        let off = |(i, attribute): (usize, Attribute)| {
            let off = match attribute {
                Attribute::TexCoord(set) if of_a[i] => {
                    let has = [of_b[2], of_b[3]];
                    let places = [a.primitive, b.primitive];
                    self.tex_coords.difference(places, set, [x, y], has)
                }
                Attribute::MorphedNormal if of_a[0] && of_b[0] => turns.and_then(|turns| {
                    morphed_normals([(p, a.vertex), (q, b.vertex)], turns, self.mesh.targets)
                }),
                _ if !(of_a[i] && of_b[i]) => None,
                Attribute::Normal => {
                    turns.and_then(|turns| between_normals([x.normal, y.normal], turns))
                }
                Attribute::Tangent => turns.and_then(|turns| tangent_difference([x, y], turns)),
                Attribute::TexCoord(_) | Attribute::MorphedNormal => None,
                Attribute::Color => {
                    let apart = x.color.iter().zip(y.color).map(|(x, y)| x.abs_diff(y));
                    apart.max().map(|off| f32::from(off) / 65535.0)
                }
                Attribute::Weights => Some(moved(self.mesh.sides, self.mesh.nodes, [a, b])),
            };
            off.filter(|off| off.is_finite())
        };
        std::array::from_fn(|i| off((i, ATTRIBUTES[i])))
    }
}

/// Returns the angle between two directions in degrees; `None` if one has no length.
fn degrees(a: Vec3, b: Vec3) -> Option<f32> {
    let is_direction = a.length_squared() > 0.0 && b.length_squared() > 0.0;
    is_direction.then(|| a.angle_between(b).to_degrees())
}

/// Returns the angle between two normals in degrees, after these matrices; `None` if one has no direction.
fn between_normals(normals: [[f32; 3]; 2], turns: [Mat3; 2]) -> Option<f32> {
    let turned = |side: usize| turns[side].inverse().transpose() * Vec3::from(normals[side]);
    degrees(turned(0), turned(1))
}

/// Returns the largest angle in degrees between the normals of two vertices, each target alone at weight 1, after these matrices.
/// `None` if neither has targets that change normals.
fn morphed_normals(
    vertices: [(&Primitive, u32); 2],
    turns: [Mat3; 2],
    targets: &Pairs,
) -> Option<f32> {
    /// Shorter sums have no direction to speak of.
    const SHORT: f32 = 0.25;
    let has_normals =
        vertices.iter().any(|(p, _)| p.targets.iter().any(|target| !target.normals.is_empty()));
    let morphed = |(primitive, vertex): (&Primitive, u32), target: usize| {
        let delta = primitive.targets.get(target)?.normals.get(vertex as usize);
        let normal = Vec3::from(primitive.vertices[vertex as usize].normal);
        Some(delta.map_or(normal, |delta| normal + Vec3::from(*delta)))
    };
    let [of_a, of_b] = vertices;
    let angle = |(in_a, in_b): (usize, usize)| {
        let (x, y) = (morphed(of_a, in_a)?, morphed(of_b, in_b)?);
        let is_short = x.length().min(y.length()) < SHORT;
        if is_short { None } else { between_normals([x, y].map(Into::into), turns) }
    };
    // The difference of the normals at rest is a change of its own.
    let own = vertices.map(|(p, vertex)| p.vertices[vertex as usize].normal);
    let own = between_normals(own, turns).unwrap_or(0.0);
    let all = has_normals.then(|| targets.iter().filter_map(angle))?;
    Some((all.fold(0.0, f32::max) - own).max(0.0))
}

/// Returns the angle between two tangents in degrees, after these matrices; 180 if the other side of the normal map is up.
fn tangent_difference(vertices: [&Vertex; 2], [of_a, of_b]: [Mat3; 2]) -> Option<f32> {
    let [x, y] = vertices.map(|vertex| glam::Vec4::from(vertex.tangent));
    let angle = degrees(of_a * x.truncate(), of_b * y.truncate())?;
    // Programs that apply a mirroring matrix to a mesh do not agree on the sign.
    let is_mirrored = of_a.determinant() * of_b.determinant() < 0.0;
    Some(if x.w * y.w < 0.0 && !is_mirrored { 180.0 } else { angle })
}

/// The share of the points that are at one place if the spaces of two meshes are the same one; fewer are if many were moved.
const NEARLY_ALL: f32 = 0.9;

/// Whether the space of both meshes is the same, apart from a shift and a scale, so that directions can be compared in it. The places
/// of half of the points are no proof: they agree in a quad that was turned.
fn are_aligned(mesh: &PairedMesh) -> bool {
    let places_by = |place: &dyn Fn(&Side, usize) -> Vec3| {
        [0, 1].map(|side| -> Vec<Vec3> {
            let points = mesh.pairs.iter().map(|pair| pair[side] as usize);
            points.map(|point| place(mesh.sides[side], point)).collect()
        })
    };
    let share_near = |places: &[Vec<Vec3>; 2], tolerance: f32| {
        let both = places[0].iter().zip(&places[1]);
        let near = both.filter(|(x, y)| x.distance(**y) <= tolerance).count();
        near as f32 / places[0].len().max(1) as f32
    };
    let places = places_by(&|side, point| side.mesh_position(point));
    let near = SAME_PLACE * spread(&places[0]);
    let boxed = places.clone().map(|places| -> Vec<Vec3> {
        let [min, max] = box_corners(&places);
        let size = (max - min).max(Vec3::splat(f32::MIN_POSITIVE));
        places.into_iter().map(|at| (at - min) / size).collect()
    });
    let share = share_near(&places, near).max(share_near(&boxed, 0.02));
    if share >= NEARLY_ALL {
        return true;
    }
    if share < 0.5 {
        return false;
    }
    // What turned in the mesh and not in the scene is the mesh's space.
    let offset = origin_offset(mesh.sides[0], mesh.sides[1]);
    let mut at_rest = places_by(&|side, point| side.rest[point]);
    at_rest[1].iter_mut().for_each(|at| *at += offset);
    let are_turned = mesh.pairs.iter().filter(|pair| is_turned(mesh, **pair)).count();
    let is_other_space = 2 * are_turned > mesh.pairs.len();
    !is_other_space || share_near(&at_rest, SAME_PLACE * spread(&at_rest[0])) < NEARLY_ALL
}

/// Whether the matrices of two points from their meshes to the scene at rest have axes in other directions.
fn is_turned(mesh: &PairedMesh, pair: PointPair) -> bool {
    let [a, b] = [0, 1].map(|side| mesh.sides[side].scene_from_mesh(pair[side] as usize));
    let axes = [(a.x_axis, b.x_axis), (a.y_axis, b.y_axis), (a.z_axis, b.z_axis)];
    axes.into_iter().any(|(x, y)| degrees(x, y).is_some_and(|off| off > 1.0))
}
