//! The distance of a motion from its reference: for each frame the worst vertex, its joint, and the joint that
//! turned or moved by itself.

use glam::{Affine3A, Mat3A, Quat, Vec3, Vec3A};
use rayon::prelude::*;

use super::mesh::{Mesh, PosedMesh};
use super::poses::DrawnPoses;
use super::rig::{Rig, matrix};

/// The largest distance at one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Worst {
    /// The distance in metres in the scene.
    pub distance: f32,
    /// The draw of the worst vertex.
    pub draw: usize,
    /// The vertex within its primitive.
    pub vertex: usize,
    /// The bone with the largest weight on the vertex.
    pub bone: usize,
    /// The bone whose transform relative to its parent differs most; `None` if none differs.
    pub cause: Option<usize>,
    /// The difference of that bone's rotation in degrees.
    pub angle: f32,
}

/// Differences of a bone's own transform below this, relative to the size of the scene, are rounding.
const ROUNDING: f32 = 1e-5;

/// Returns the worst vertex of every frame. Both poses must have the same frames and matrices.
pub fn worst_frames(
    rig: &Rig,
    mesh: &Mesh,
    result: &DrawnPoses,
    reference: &DrawnPoses,
) -> Vec<Worst> {
    let posed = |values| PosedMesh { rig, mesh, values };
    let size = extent(posed(result.frame(0)));
    let frame = |frame: usize| {
        let values = [result, reference].map(|poses| poses.frame(frame));
        if values[0] == values[1] {
            return Worst::default();
        }
        let pair = values.map(posed);
        let mut worst = worst_vertex(pair);
        if worst.distance > 0.0 {
            let place = pair[0].position(worst.draw, worst.vertex).into();
            let shares = vertex_shares(pair[0], &worst);
            (worst.cause, worst.angle) = cause(rig, values, place, &shares, size);
        }
        worst
    };
    (0..result.grid.frames()).into_par_iter().map(frame).collect()
}

/// Returns the joint of every frame whose origin is farthest from where it was; its draw and vertex say nothing. Both
/// poses must have the same frames and matrices.
pub fn worst_joints(rig: &Rig, result: &DrawnPoses, reference: &DrawnPoses) -> Vec<Worst> {
    let is_joint = |bone: &usize| rig.movers[rig.bones[*bone].mover].is_joint;
    let joints = || (0..rig.bones.len()).filter(is_joint);
    let places = |values: &[f32], bone| world(rig, values, bone).translation;
    let first: Vec<Vec3A> = joints().map(|bone| places(result.frame(0), bone)).collect();
    let mean = first.iter().sum::<Vec3A>() / first.len().max(1) as f32;
    let size = first.iter().map(|at| at.distance(mean)).fold(0.0, f32::max);
    let frame = |frame: usize| {
        let values = [result, reference].map(|poses| poses.frame(frame));
        let mut worst = Worst::default();
        for bone in joints() {
            let [a, b] = values.map(|values| places(values, bone));
            let distance = apart(a, b);
            if distance > worst.distance {
                worst = Worst { distance, bone, ..worst };
            }
        }
        if worst.distance > 0.0 {
            let place = places(values[0], worst.bone);
            let shares = shares_above(rig, [(worst.bone, 1.0)]);
            (worst.cause, worst.angle) = cause(rig, values, place, &shares, size);
        }
        worst
    };
    (0..result.grid.frames()).into_par_iter().map(frame).collect()
}

/// Returns the first frame at which one of the poses shows a draw and the other does not, and that draw.
pub fn first_hidden_in_one(
    rig: &Rig,
    result: &DrawnPoses,
    reference: &DrawnPoses,
) -> Option<(usize, usize)> {
    (0..result.grid.frames()).find_map(|frame| {
        let values = [result, reference].map(|poses| poses.frame(frame));
        let is_one = |draw: &usize| rig.shows(values[0], *draw) != rig.shows(values[1], *draw);
        (0..rig.draws.len()).find(is_one).map(|draw| (frame, draw))
    })
}

/// Returns the distance of two points: infinite if one alone is not finite, 0 if both are not.
fn apart(a: Vec3A, b: Vec3A) -> f32 {
    match (a.is_finite(), b.is_finite()) {
        (true, true) => a.distance(b),
        (false, false) => 0.0,
        _ => f32::INFINITY,
    }
}

fn worst_vertex(pair: [PosedMesh<'_>; 2]) -> Worst {
    let rig = pair[0].rig;
    let mut worst = Worst::default();
    for (i, draw) in rig.draws.iter().enumerate() {
        if pair.iter().any(|posed| !rig.shows(posed.values, i)) {
            continue;
        }
        for vertex in 0..pair[0].vertices(i) {
            let [a, b] = pair.map(|posed| posed.position(i, vertex));
            let distance = apart(a.into(), b.into());
            if distance > worst.distance {
                worst = Worst { distance, draw: i, vertex, bone: draw.bone, ..worst };
            }
        }
    }
    if let Some(draw) = rig.draws.get(worst.draw) {
        let influences = pair[0].influences(worst.draw, worst.vertex);
        let heaviest = influences.reduce(|a, b| if b.1 > a.1 { b } else { a });
        worst.bone = heaviest.filter(|_| draw.is_skinned).map_or(draw.bone, |(bone, _)| bone);
    }
    worst
}

/// Half the diagonal of the box of all vertices: the distance at which a rotation of a bone is measured.
fn extent(posed: PosedMesh<'_>) -> f32 {
    let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for draw in 0..posed.rig.draws.len() {
        for vertex in 0..posed.vertices(draw) {
            let at = posed.position(draw, vertex);
            (min, max) = (min.min(at), max.max(at));
        }
    }
    let size = 0.5 * (max - min).length();
    if size.is_finite() { size } else { 1.0 }
}

/// Returns the share of a vertex that each bone moves, by itself or by bones below it.
fn vertex_shares(posed: PosedMesh<'_>, worst: &Worst) -> Vec<f32> {
    let draw = &posed.rig.draws[worst.draw];
    match draw.is_skinned {
        true => shares_above(posed.rig, posed.influences(worst.draw, worst.vertex)),
        false => shares_above(posed.rig, [(draw.bone, 1.0)]),
    }
}

/// Returns the sum of the weights of each bone and of all bones below it.
fn shares_above(rig: &Rig, weights: impl IntoIterator<Item = (usize, f32)>) -> Vec<f32> {
    let mut shares = vec![0.0; rig.bones.len()];
    for (bone, weight) in weights {
        let mut at = Some(bone);
        while let Some(bone) = at {
            shares[bone] += weight;
            at = rig.bones[bone].parent;
        }
    }
    shares
}

/// Returns the bone whose own transform moves a place of the first pose most if it is exchanged for that of the second,
/// and by how many degrees it is rotated. Of equal ones, it is the first in the order of bones.
fn cause(
    rig: &Rig,
    values: [&[f32]; 2],
    place: Vec3A,
    shares: &[f32],
    size: f32,
) -> (Option<usize>, f32) {
    let mut found = (None, 0.0);
    let mut largest = ROUNDING * size;
    for (bone, share) in shares.iter().enumerate().filter(|(_, share)| **share > 0.0) {
        let [a, b] = values.map(|values| own_transform(rig, values, bone));
        let parent = rig.bones[bone].parent.map(|parent| world(rig, values[0], parent));
        let inside = world(rig, values[0], bone).inverse().transform_point3a(place);
        let off = b.transform_point3a(inside) - a.transform_point3a(inside);
        let moved = parent.map_or(off, |parent| parent.transform_vector3a(off)).length() * share;
        // A little more than equal, so that rounding does not select a bone further down.
        if moved > largest * 1.001 {
            largest = moved;
            found = (Some(bone), rotation(&a).angle_between(rotation(&b)).to_degrees());
        }
    }
    found
}

/// Returns a bone's transform relative to its parent bone, or to the scene.
fn own_transform(rig: &Rig, values: &[f32], bone: usize) -> Affine3A {
    let own = world(rig, values, bone);
    rig.bones[bone].parent.map_or(own, |parent| world(rig, values, parent).inverse() * own)
}

/// Returns the matrix from a bone's node to the scene.
fn world(rig: &Rig, values: &[f32], bone: usize) -> Affine3A {
    matrix(&values[12 * bone..]) * rig.bones[bone].node_from_mesh.inverse()
}

fn rotation(matrix: &Affine3A) -> Quat {
    let axes = matrix.matrix3;
    let axes = [axes.x_axis, axes.y_axis, axes.z_axis].map(Vec3A::normalize_or_zero);
    Quat::from_mat3a(&Mat3A::from_cols(axes[0], axes[1], axes[2])).normalize()
}
