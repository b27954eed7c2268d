//! Differences of morph targets: where they move vertices, whether a clip shows them or not.

use glam::{Mat3A, Vec3A};

use super::paired_mesh::PairedMesh;
use super::tex_coords::primitives;
use crate::change::{Change, Kind};
use crate::measured::PointPair;
use crate::pairing::nearest::spread;
use crate::pairing::pairs::entry_name;
use crate::side::Side;
use rigview_model::{Primitive, VertexPlace};

/// Differences up to this share of the mesh's size are no change: what quantization in 12 bits costs.
const QUANTIZED: f32 = 2e-4;

/// The vertices that a morph target moves elsewhere.
#[derive(Clone, Copy, Default)]
struct Tally {
    compared: usize,
    differ: usize,
    /// In metres at weight 1.
    most: f32,
}

/// Lists the morph targets that move paired vertices to different places at weight 1, at rest.
pub(crate) fn target_changes(mesh: &PairedMesh) -> Vec<Change> {
    let targets: Vec<(usize, usize)> = mesh.targets.iter().collect();
    if targets.is_empty() {
        return Vec::new();
    }
    let seen = QUANTIZED * size(mesh);
    // A point at a place where others lie belongs to the one whose targets differ least. Each point of either mesh must have one.
    let mut pairs = [mesh.pairs, mesh.rivals].concat();
    let [from_a, from_b] = [0, 1].map(|side| {
        if !mesh.is_compared(side) {
            return vec![Tally::default(); targets.len()];
        }
        pairs.sort_unstable_by_key(|pair| pair[side]);
        tallies(mesh, &targets, seen, pairs.chunk_by(|x, y| x[side] == y[side]))
    });
    let worse = |(a, b): (Tally, Tally)| if b.differ > a.differ { b } else { a };
    let tallies: Vec<Tally> = from_a.into_iter().zip(from_b).map(worse).collect();
    let model = mesh.sides[0].model;
    let index = model.nodes[mesh.drawn.a].mesh.unwrap_or_default();
    let of_a = &model.meshes[index];
    let change = |(&(target, _), tally): (&(usize, usize), &Tally)| {
        let name = entry_name(&of_a.target_names.get(target).cloned(), target);
        let what = format!("morph target \"{name}\" moves {}", tally.what());
        let change = Change::changed(Kind::Mesh, entry_name(&of_a.name, index), what);
        Change { distance: Some(f64::from(tally.most)), ..change }
    };
    targets.iter().zip(&tallies).filter(|(_, tally)| tally.differ > 0).map(change).collect()
}

/// Counts the points that each target moves elsewhere. Of the pairs of a list, that whose targets differ least counts.
fn tallies<'a>(
    mesh: &PairedMesh,
    targets: &[(usize, usize)],
    seen: f32,
    lists: impl Iterator<Item = &'a [PointPair]>,
) -> Vec<Tally> {
    let mut tallies = vec![Tally::default(); targets.len()];
    let (mut least, mut apart) = (Vec::new(), Vec::new());
    for same in lists {
        let most = |list: &[f32]| list.iter().copied().fold(0.0, f32::max);
        least.clear();
        for pair in same {
            distances(mesh, *pair, targets, &mut apart);
            if least.is_empty() || most(&apart) < most(&least) {
                std::mem::swap(&mut least, &mut apart);
            }
        }
        for (tally, apart) in tallies.iter_mut().zip(&least) {
            tally.compared += 1;
            tally.differ += usize::from(*apart > seen);
            tally.most = tally.most.max(*apart);
        }
    }
    tallies
}

impl Tally {
    fn what(&self) -> String {
        let Self { compared, differ, most } = self;
        let most = 1000.0 * most;
        format!("{differ} of {compared} vertices elsewhere, by up to {most:.3} mm at weight 1")
    }
}

/// Returns the size of the mesh in the scene at rest, in metres.
fn size(mesh: &PairedMesh) -> f32 {
    let places = mesh.pairs.iter().map(|pair| mesh.sides[0].rest[pair[0] as usize]);
    spread(&places.collect::<Vec<_>>())
}

/// Writes how far apart each target moves two points, in metres.
fn distances(mesh: &PairedMesh, pair: [u32; 2], targets: &[(usize, usize)], out: &mut Vec<f32>) {
    let [a, b] = [0, 1].map(|side| {
        let place = mesh.sides[side].motion.place(pair[side] as usize);
        let all = primitives(mesh.sides[side].model, place.node).unwrap_or_default();
        (place, &all[place.primitive])
    });
    let delta = |(place, primitive): (VertexPlace, &Primitive), target: usize| {
        let target = primitive.targets.get(target);
        let delta = target.and_then(|target| target.positions.get(place.vertex as usize));
        delta.map_or(Vec3A::ZERO, |delta| Vec3A::from(*delta))
    };
    // Most targets move few vertices.
    let mut linear: Option<[Mat3A; 2]> = None;
    out.clear();
    out.extend(targets.iter().map(|(in_a, in_b)| {
        let deltas = [delta(a, *in_a), delta(b, *in_b)];
        if deltas == [Vec3A::ZERO; 2] {
            return 0.0;
        }
        let [to_a, to_b] = *linear.get_or_insert_with(|| {
            [0, 1].map(|side| scene_from_mesh(mesh.sides[side], pair[side] as usize))
        });
        let apart = to_a * deltas[0] - to_b * deltas[1];
        if apart.is_finite() { apart.length() } else { 0.0 }
    }));
}

/// Returns the linear part of the matrix that takes a point from its mesh's space to the scene at rest.
fn scene_from_mesh(side: &Side, point: usize) -> Mat3A {
    let world = &side.stage.world;
    let (mut sum, mut is_rigid) = (Mat3A::ZERO, true);
    side.motion.for_each_influence(point, |(skin, joint, weight)| {
        let skin = &side.model.skins[skin];
        let joint = usize::from(joint);
        let node = skin.joints[joint] as usize;
        let matrix = world.world_from_node(node).matrix3 * skin.joint_from_mesh[joint].matrix3;
        sum += matrix * weight;
        is_rigid = false;
    });
    if is_rigid { world.world_from_node(side.motion.place(point).node).matrix3 } else { sum }
}
