//! Pairs the primitives of two meshes, whose order means nothing.

use glam::Vec3;

use super::nearest::corners;
use super::pairs::Pairs;
use rigview_model::{Mesh, Primitive};

/// Boxes of primitives are at one place if their corners differ by at most this share of the mesh's box.
const SAME_BOX: f32 = 0.01;

/// Of more primitives, all are paired by index.
const MOST: usize = 256;

/// Pairs the primitives of two meshes: those at one place with equal materials and counts, then those at one place with
/// equal counts, whose material was changed, then those with equal materials, the rest in order.
pub(crate) fn primitive_pairs([a, b]: [&Mesh; 2], materials: &Pairs) -> Pairs {
    let mut pairs = Pairs::new(a.primitives.len(), b.primitives.len());
    let counts = |p: &Primitive| {
        let attributes = counted_attributes(p).count();
        (p.mode.topology(), p.source_vertices, p.real_elements(), attributes, p.targets.len())
    };
    let [of_a, of_b] = [a, b].map(|mesh| mesh.primitives.iter().map(counts).collect::<Vec<_>>());
    let same_counts = |i: usize, j: usize| of_a[i] == of_b[j];
    let same_material =
        |i: usize, j: usize| materials.agree(a.primitives[i].material, b.primitives[j].material);
    let len = a.primitives.len().min(b.primitives.len());
    let is_whole = a.primitives.len() == b.primitives.len();
    if len > MOST || is_whole && (0..len).all(|i| same_counts(i, i) && same_material(i, i)) {
        (0..len).for_each(|i| pairs.pair(i, i));
        return pairs;
    }
    let boxes = [a, b].map(boxes);
    let same_box = |i: usize, j: usize| {
        let mut both = boxes[0][i].iter().zip(&boxes[1][j]);
        both.all(|(x, y)| (*x - *y).abs().max_element() <= SAME_BOX)
    };
    let same_place = |i: usize, j: usize| same_counts(i, j) && same_box(i, j);
    pair_where(&mut pairs, |i, j| same_material(i, j) && same_place(i, j));
    pair_where(&mut pairs, same_place);
    pair_where(&mut pairs, |i, j| same_material(i, j) && same_counts(i, j));
    pair_where(&mut pairs, same_material);
    pair_where(&mut pairs, |_, _| true);
    pairs
}

/// Returns the attributes that count. Further sets of joints and weights don't: what moves a vertex is compared, in however many
/// sets it is stored.
pub(crate) fn counted_attributes(primitive: &Primitive) -> impl Iterator<Item = &String> {
    let is_further = |name: &str| {
        let set = name.strip_prefix("JOINTS_").or_else(|| name.strip_prefix("WEIGHTS_"));
        set.is_some_and(|set| set != "0")
    };
    primitive.attributes.iter().filter(move |name| !is_further(name))
}

/// Pairs each primitive without a partner with the first one of the other mesh that matches.
fn pair_where(pairs: &mut Pairs, matches: impl Fn(usize, usize) -> bool) {
    let mut left = pairs.left_in_b();
    for i in pairs.left_in_a() {
        if let Some(at) = left.iter().position(|j| matches(i, *j)) {
            pairs.pair(i, left.remove(at));
        }
    }
}

/// Returns the corners of the box around each primitive's elements, as shares of the mesh's box. Vertices that they do not use are
/// often those of another primitive.
fn boxes(mesh: &Mesh) -> Vec<[Vec3; 2]> {
    let of = |primitive: &Primitive| {
        let place = |index: &u32| Vec3::from(primitive.vertices[*index as usize].position);
        corners(&primitive.indices.iter().map(place).collect::<Vec<_>>())
    };
    let boxes: Vec<[Vec3; 2]> = mesh.primitives.iter().map(of).collect();
    let [min, max] = corners(boxes.as_flattened());
    let size = (max - min).max(Vec3::splat(f32::MIN_POSITIVE));
    boxes.into_iter().map(|corners| corners.map(|corner| (corner - min) / size)).collect()
}
