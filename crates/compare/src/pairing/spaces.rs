//! The spaces in which the vertices of two models are brought together, and what moves them.

use std::sync::OnceLock;

use glam::{Mat3, Vec3};

use super::pairs::Pairs;
use crate::side::{DrawnVertex, Posed, Side, origin_offset};
use rigview_anim::LocalPose;

/// Scales up to this are nothing: what is hidden so at rest is brought together as if it was shown.
const NOTHING: f32 = 1e-6;

/// A space for the vertices of both models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Space {
    /// That of each mesh.
    Mesh,
    /// The scene at rest.
    Rest,
    /// The scene at A's rest: nodes of B are where their partners in A are, because the rest pose may have changed.
    RestOfA,
}

/// Two vertices that belong together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct VertexPair {
    /// That of A first.
    pub of: [DrawnVertex; 2],
    pub points: [u32; 2],
    /// The model whose vertex found the other one: 0 or 1.
    pub from: u8,
    /// The space in which they are at one place.
    pub space: Space,
}

/// Two models in all spaces.
pub(crate) struct Spaces<'a> {
    pub sides: [&'a Side<'a>; 2],
    pub nodes: &'a Pairs,
    offset: Vec3,
    rests: OnceLock<[Posed; 2]>,
    rest_of_a: OnceLock<Option<Posed>>,
    movers: OnceLock<[Movers; 2]>,
}

/// By point, the nodes that move it with their weights, in ascending order. A node of B has the number of its partner in A.
#[derive(Default)]
struct Movers {
    ends: Vec<u32>,
    list: Vec<(u32, f32)>,
}

impl<'a> Spaces<'a> {
    pub fn new(sides: [&'a Side<'a>; 2], nodes: &'a Pairs) -> Self {
        let offset = origin_offset(sides[0], sides[1]);
        let (rests, rest_of_a, movers) = Default::default();
        Self { sides, nodes, offset, rests, rest_of_a, movers }
    }

    /// Returns all spaces that differ.
    pub fn all(&self) -> impl Iterator<Item = Space> {
        let moved = self.rest_of_a().is_some().then_some(Space::RestOfA);
        [Space::Mesh, Space::Rest].into_iter().chain(moved)
    }

    /// Returns the place of a point.
    pub fn place(&self, space: Space, side: usize, point: usize) -> Vec3 {
        let own = self.sides[side];
        if space == Space::Mesh {
            return own.mesh_position(point);
        }
        let at = self.posed(space, side).points()[point];
        if side == 1 { at + self.offset } else { at }
    }

    /// Returns the linear part of the matrix from a point's mesh to the space.
    pub fn linear(&self, space: Space, side: usize, point: usize) -> Mat3 {
        if space == Space::Mesh {
            return Mat3::IDENTITY;
        }
        self.posed(space, side).scene_from_mesh(self.sides[side], point)
    }

    fn posed(&self, space: Space, side: usize) -> &Posed {
        let rests = self.rests.get_or_init(|| self.sides.map(shown_rest));
        let moved = (space == Space::RestOfA && side == 1).then(|| self.rest_of_a()).flatten();
        moved.unwrap_or(&rests[side])
    }

    fn rest_of_a(&self) -> Option<&Posed> {
        let posed = self.rest_of_a.get_or_init(|| {
            let [a, b] = self.sides;
            let own = |(i, j): (usize, usize)| {
                let [at, there] = [a.model.rest.transform(i), b.model.rest.transform(j)];
                (at != there).then_some((j, at))
            };
            let moved: Vec<_> = self.nodes.iter().filter_map(own).collect();
            (!moved.is_empty()).then(|| {
                posed(b, |local| moved.iter().for_each(|(j, at)| local.set_transform(*j, *at)))
            })
        });
        posed.as_ref()
    }

    /// Returns the summed difference of the weights of two points: 0 if the same nodes move them in the same way, 2 if other ones
    /// do.
    pub fn weights_apart(&self, points: [u32; 2]) -> f32 {
        let movers = self.movers.get_or_init(|| [0, 1].map(|side| self.find_movers(side)));
        let [mut a, mut b] = [0, 1].map(|side: usize| movers[side].of_point(points[side]));
        let mut off = 0.0;
        loop {
            let order = match (a.first(), b.first()) {
                (None, None) => return off,
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (Some(x), Some(y)) => x.0.cmp(&y.0),
            };
            let take = |list: &mut &[(u32, f32)]| {
                let weight = list[0].1;
                *list = &list[1..];
                weight
            };
            off += match order {
                std::cmp::Ordering::Less => take(&mut a).abs(),
                std::cmp::Ordering::Greater => take(&mut b).abs(),
                std::cmp::Ordering::Equal => (take(&mut a) - take(&mut b)).abs(),
            };
        }
    }

    fn find_movers(&self, side: usize) -> Movers {
        let (own, mut out) = (self.sides[side], Movers::default());
        let beyond = self.sides[0].model.nodes.len();
        let number = |node: usize| {
            if side == 0 { node } else { self.nodes.a_of(node).unwrap_or(beyond + node) }
        };
        for point in 0..own.motion.len() {
            let start = out.list.len();
            own.motion.for_each_mover(own.model, point, |node, weight| {
                let node = number(node) as u32;
                match out.list[start..].iter_mut().find(|(other, _)| *other == node) {
                    Some((_, sum)) => *sum += weight,
                    None => out.list.push((node, weight)),
                }
            });
            out.list[start..].sort_unstable_by_key(|(node, _)| *node);
            out.ends.push(out.list.len() as u32);
        }
        out
    }
}

impl Movers {
    fn of_point(&self, point: u32) -> &[(u32, f32)] {
        let start = point.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.list[start as usize..self.ends[point as usize] as usize]
    }
}

/// Returns a model at rest, where nothing is scaled to nothing.
fn shown_rest<'a>(side: &'a Side<'a>) -> Posed {
    posed(side, |_| ())
}

fn posed(side: &Side, edit: impl FnOnce(&mut LocalPose)) -> Posed {
    let mut posed = side.posed();
    edit(&mut posed.stage.local);
    for node in 0..side.model.nodes.len() {
        let mut transform = posed.stage.local.transform(node);
        if transform.scale.abs().max_element() <= NOTHING {
            transform.scale = Vec3::ONE;
            posed.stage.local.set_transform(node, transform);
        }
    }
    let stage = &mut posed.stage;
    side.model.hierarchy.resolve(&stage.local, stage.origin, &mut stage.world);
    posed.pose_points(side);
    posed
}
