//! Triangles that wind the other way, so that their other side is the front, triangles and lines that are missing or new, and
//! triangles with another material.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::structure::{mesh_name, mesh_number};
use crate::change::{Change, Kind};
use crate::pairing::lists::{Models, Tokens};
use crate::pairing::spaces::VertexPair;
use crate::pairing::surface_pairs::{Found, Pool};
use crate::side::{Element, Side};
use glam::Vec3;
use rigview_model::Topology;

/// A triangle is a gap if the other surface is farther from its middle than this share of the distance to its nearest edge.
/// Less is what a quad that was cut along its other diagonal costs.
const OFF: f32 = 0.5;

/// A line is a gap if the other ones are farther than this share of its length from a place on it. Less is what a line that was
/// divided costs.
const OFF_LINE: f32 = 0.01;

/// Thinner triangles, by the share of their height in their longest edge, have no area.
const THIN: f32 = 1e-4;

/// How many of a mesh's triangles are changed, and the first of them.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    count: usize,
    first: u32,
}

/// What is different at a triangle.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    Turned,
    Missing(Form),
    New(Form),
    /// The materials of A and of B.
    Material([String; 2]),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    Triangle,
    Line,
}

/// The changes of triangles, by the number of their mesh.
#[derive(Default)]
pub(crate) struct TriangleChanges {
    /// By mesh, the number of its triangles and lines.
    all: BTreeMap<(usize, bool), [usize; 2]>,
    faults: BTreeMap<(usize, Fault), Count>,
}

/// Two models and the names of their materials.
#[derive(Clone, Copy)]
pub(crate) struct Drawn<'a> {
    pub models: Models<'a>,
    pub sides: [&'a Side<'a>; 2],
    pub materials: &'a Tokens,
}

impl Drawn<'_> {
    fn mesh(&self, side: usize, element: &Element) -> usize {
        let own = self.sides[side];
        let (mesh, _) = own.primitive(&own.motion.drawn(element.drawn as usize));
        mesh_number(self.models, side, mesh)
    }

    fn material(&self, side: usize, element: &Element) -> Option<usize> {
        let own = self.sides[side];
        own.primitive(&own.motion.drawn(element.drawn as usize)).1.material
    }

    /// Returns the materials of two elements if they differ.
    fn materials(&self, of: [&Element; 2]) -> Option<[String; 2]> {
        let both = [0, 1].map(|side: usize| self.material(side, of[side]));
        let name =
            |side: usize| both[side].map_or("none".into(), |i| self.materials[side][i].clone());
        (!self.models.pairs.materials.agree(both[0], both[1])).then(|| [name(0), name(1)])
    }
}

impl TriangleChanges {
    fn count(&mut self, mesh: usize, side: usize, element: &Element) {
        let is_line = element.topology == Topology::Lines;
        let all = self.all.entry((mesh, is_line)).or_default();
        all[side] += 1;
    }

    fn add(&mut self, mesh: usize, fault: Fault, number: u32) {
        let new = Count { count: 0, first: number };
        let found = self.faults.entry((mesh, fault)).or_insert(new);
        found.count += 1;
        found.first = found.first.min(number);
    }

    /// Compares triangles of nodes that are paired by index: one of both may be mirrored or have another material.
    pub fn add_by_index(&mut self, drawn: &Drawn, numbers: [u32; 2]) {
        let both = [0, 1].map(|side: usize| drawn.sides[side].elements(numbers[side] as usize));
        let mirrors = |side: usize, element: &Element| {
            let own = drawn.sides[side];
            own.stage.may_mirror()
                && own.rest.scene_from_mesh(own, element.points[0] as usize).determinant() < 0.0
        };
        for (x, y) in both[0].iter().zip(&both[1]) {
            let mesh = drawn.mesh(0, x);
            self.count(mesh, 0, x);
            let [a, b, c] = x.points;
            let is_triangle = x.topology == Topology::Triangles && a != b && b != c && c != a;
            if is_triangle && mirrors(0, x) != mirrors(1, y) {
                self.add(mesh, Fault::Turned, x.number);
            }
            if let Some(materials) = drawn.materials([x, y]) {
                self.add(mesh, Fault::Material(materials), x.number);
            }
        }
    }

    /// Compares the triangles and lines of a pool at their places: of the sides that are alike, without the nodes that are apart.
    pub fn add_by_place(&mut self, drawn: &Drawn, pool: &Pool, found: &Found) {
        let Found { are_alike, apart, .. } = found;
        for side in [0, 1] {
            if !are_alike[side] {
                continue;
            }
            let is_apart = |element: &Element| {
                apart[side].contains(&drawn.sides[side].motion.drawn(element.drawn as usize).node)
            };
            let found = pool.elements(side).par_iter().enumerate();
            let found =
                found.map(|(i, element)| (!is_apart(element)).then(|| judge(pool, side, i))?);
            let found: Vec<Option<Judged>> = found.collect();
            let others = pool.elements(1 - side);
            for (element, judged) in pool.elements(side).iter().zip(found) {
                let mesh = drawn.mesh(side, element);
                self.count(mesh, side, element);
                let is_line = element.topology == Topology::Lines;
                let form = if is_line { Form::Line } else { Form::Triangle };
                match judged {
                    Some(Judged::Gap) if side == 0 => {
                        self.add(mesh, Fault::Missing(form), element.number)
                    }
                    Some(Judged::Gap) => self.add(mesh, Fault::New(form), element.number),
                    Some(Judged::At { other, is_turned }) if side == 0 => {
                        if is_turned {
                            self.add(mesh, Fault::Turned, element.number);
                        }
                        if let Some(materials) = drawn.materials([element, &others[other]]) {
                            self.add(mesh, Fault::Material(materials), element.number);
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// Returns the changes.
    pub fn changes(mut self, models: Models) -> Vec<Change> {
        let faults = std::mem::take(&mut self.faults);
        let change = |((mesh, fault), Count { count, first }): ((usize, Fault), Count)| {
            let all = |is_line: bool, side: usize| {
                self.all.get(&(mesh, is_line)).map_or(0, |all| all[side])
            };
            let (kind, what) = match &fault {
                Fault::Turned => {
                    let effect =
                        "wind the other way; single-sided materials hide them from the front";
                    let all = all(false, 0);
                    (
                        Kind::Winding,
                        format!(
                            "{count} of {all} triangles {effect}; the first one is triangle {first}"
                        ),
                    )
                }
                Fault::Missing(form) => {
                    let (noun, all) = (form.noun(), all(*form == Form::Line, 0));
                    let what =
                        format!("{count} of {all} {noun}s are missing: nothing is at their place");
                    (Kind::Mesh, format!("{what}; the first one is {noun} {first}"))
                }
                Fault::New(form) => {
                    let (noun, all) = (form.noun(), all(*form == Form::Line, 1));
                    let what =
                        format!("{count} of {all} {noun}s are new: nothing was at their place");
                    (Kind::Mesh, format!("{what}; the first one is {noun} {first} of the new file"))
                }
                Fault::Material([before, after]) => {
                    let all = all(false, 0);
                    let what = format!(
                        "{count} of {all} triangles have material {after} instead of {before}"
                    );
                    (Kind::Mesh, format!("{what}; the first one is triangle {first}"))
                }
            };
            Change::changed(kind, mesh_name(models, mesh), what)
        };
        faults.into_iter().map(change).collect()
    }
}

impl Form {
    fn noun(self) -> &'static str {
        match self {
            Self::Triangle => "triangle",
            Self::Line => "line",
        }
    }
}

enum Judged {
    /// Nothing of the other side is there.
    Gap,
    /// An element of the other side is.
    At { other: usize, is_turned: bool },
}

/// Looks for the element of the other side at the place of one. `None` for those without an area or a length.
fn judge(pool: &Pool, side: usize, element: usize) -> Option<Judged> {
    let corners @ [a, b, c] = pool.corner_places(side, element);
    let topology = pool.elements(side)[element].topology;
    if topology == Topology::Points || corners.iter().any(|at| !at.is_finite()) {
        return None;
    }
    if topology == Topology::Lines {
        let most = (OFF_LINE * a.distance(b)).max(2.0 * pool.reach());
        let is_off = |share: f32| pool.distance(side, element, a.lerp(b, share)) > most;
        return (a != b && [0.2, 0.5, 0.8].into_iter().any(is_off)).then_some(Judged::Gap);
    }
    let longest = [a - b, b - c, c - a].map(Vec3::length).into_iter().fold(0.0, f32::max);
    // A third of the least height.
    let inside = (b - a).cross(c - a).length() / (3.0 * longest);
    if inside.is_nan() || inside <= THIN * longest {
        return None;
    }
    let Some((other, distance)) = pool.counterpart(side, element) else { return Some(Judged::Gap) };
    if distance > (OFF * inside).max(2.0 * pool.reach()) {
        return Some(Judged::Gap);
    }
    let both = if side == 0 { [element, other] } else { [other, element] };
    Some(Judged::At { other, is_turned: pool.are_turned(both) })
}

/// Returns the drawn primitives that vertices are paired by index with, each once.
pub(crate) fn drawn_by_index(vertices: &[VertexPair]) -> Vec<[u32; 2]> {
    let mut all: Vec<[u32; 2]> = vertices.iter().map(|pair| pair.of.map(|of| of.drawn)).collect();
    all.sort_unstable();
    all.dedup();
    all
}
