//! The distance of a motion from its reference: for each frame the worst vertex, its joint, and the joint that
//! turned or moved by itself.

use glam::{Affine3A, Mat3A, Quat, Vec3, Vec3A};
use rayon::prelude::*;

use super::mesh::{Mesh, PosedMesh};
use super::poses::Poses;
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
pub fn worst_frames(rig: &Rig, mesh: &Mesh, result: &Poses, reference: &Poses) -> Vec<Worst> {
    let posed = |values| PosedMesh { rig, mesh, values };
    let size = extent(posed(result.frame(0)));
    let frame = |frame: usize| {
        let pair = [result, reference].map(|poses| posed(poses.frame(frame)));
        let mut worst = worst_vertex(pair);
        if worst.distance > 0.0 {
            (worst.cause, worst.angle) = cause(pair, &worst, size);
        }
        worst
    };
    (0..result.grid.frames()).into_par_iter().map(frame).collect()
}

fn worst_vertex(pair: [PosedMesh<'_>; 2]) -> Worst {
    let rig = pair[0].rig;
    let shown = 12 * rig.bones.len() + rig.weights;
    let mut worst = Worst::default();
    for (i, draw) in rig.draws.iter().enumerate() {
        if pair.iter().any(|posed| posed.values[shown + i] == 0.0) {
            continue;
        }
        for vertex in 0..pair[0].vertices(i) {
            let [a, b] = pair.map(|posed| posed.position(i, vertex));
            let distance = a.distance(b);
            // NaN compares false.
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

/// Returns the bone whose own transform moves the worst vertex most if it is exchanged for that of the reference, and by
/// how many degrees it is rotated. Of equal ones, it is the first in the order of bones.
fn cause(pair: [PosedMesh<'_>; 2], worst: &Worst, size: f32) -> (Option<usize>, f32) {
    let rig = pair[0].rig;
    let values = pair.map(|posed| posed.values);
    let draw = &rig.draws[worst.draw];
    let mut shares = vec![0.0; rig.bones.len()];
    let mut add = |bone: usize, weight: f32| {
        let mut at = Some(bone);
        while let Some(bone) = at {
            shares[bone] += weight;
            at = rig.bones[bone].parent;
        }
    };
    match draw.is_skinned {
        true => pair[0].influences(worst.draw, worst.vertex).for_each(|(b, w)| add(b, w)),
        false => add(draw.bone, 1.0),
    }
    let at = pair[0].position(worst.draw, worst.vertex);
    let mut found = (None, 0.0);
    let mut largest = ROUNDING * size;
    for (bone, share) in shares.into_iter().enumerate().filter(|(_, share)| *share > 0.0) {
        let [a, b] = values.map(|values| own_transform(rig, values, bone));
        let parent = rig.bones[bone].parent.map(|parent| world(rig, values[0], parent));
        let inside = world(rig, values[0], bone).inverse().transform_point3(at);
        let off = b.transform_point3(inside) - a.transform_point3(inside);
        let moved = parent.map_or(off, |parent| parent.transform_vector3(off)).length() * share;
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
