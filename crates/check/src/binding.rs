//! The rule of weights and inverse bind matrices against a reference: SKELETON_DIFFERS.
//!
//! Joints are compared by name, vertices by place: the order of both may differ, and a vertex may be stored several
//! times. The file may have vertices of its own, or be a coarser form that lacks some, but not both: one of the two must
//! have nearly all of its vertices in the other, or too little is compared. Meshes whose space is another one, as after
//! quantization, are judged in the reference's.

use std::collections::{BTreeMap, HashMap, HashSet};

use glam::{Affine3A, IVec3, Vec3};

use super::bones::for_each_vertex;
use super::rig::Rig;
use super::{Code, Finding};
use rigview_anim::most_agreed;
use rigview_model::{Aabb, Primitive};
use rigview_report::counted;

/// The distance up to which two vertices, or two origins of joints, are at the same place, as a share of the model's
/// diagonal.
const SAME: f32 = 1e-4;
const BOUND: f32 = 3e-4;

/// The turn of a joint that counts, in degrees, and the change of its scale.
const TURNED: f32 = 0.5;
const SCALED: f32 = 0.01;

/// The share of a vertex's weight that may be on other joints. Weights in bytes are rounded.
const SHIFTED: f32 = 0.02;

/// The least share of the vertices, of the file or of the reference, that must be at the same place in the other.
const COMPARED: f64 = 0.9;

/// The weights and bind poses of a model's skins.
#[derive(Clone, Debug, Default)]
pub(super) struct Binding {
    /// The names of joints.
    names: Vec<String>,
    /// For each name, the bind poses that skins give it.
    binds: Vec<Vec<Affine3A>>,
    /// For each skin, its joints: names by index, and bind poses.
    skins: Vec<Vec<(usize, Affine3A)>>,
    /// Vertices by the cell of their place, with their weights by name.
    points: HashMap<IVec3, Vec<Weights>>,
    /// The diagonal of all skinned meshes.
    size: f32,
}

/// The weights of a vertex: names by index, and shares.
type Weights = Vec<(usize, f32)>;

impl Binding {
    /// Returns the weights and bind poses of a model's skins, in the space of the reference's meshes if there is one.
    pub fn of(rig: &Rig, reference: Option<&Self>) -> Self {
        let mut out = Self::default();
        let mut index: HashMap<String, usize> = HashMap::new();
        let mut to_reference: Vec<Affine3A> = Vec::with_capacity(rig.model.skins.len());
        let drawn = skinned(rig);
        for (index_of_skin, skin) in rig.model.skins.iter().enumerate() {
            let joints = skin.joints.iter().zip(&skin.joint_from_mesh);
            let joints = joints.map(|(joint, joint_from_mesh)| {
                let called = rig.called(*joint as usize);
                let name = *index.entry(called).or_insert_with_key(|called| {
                    out.names.push(called.clone());
                    out.binds.push(Vec::new());
                    out.names.len() - 1
                });
                (name, joint_from_mesh.inverse())
            });
            let mut joints: Vec<(usize, Affine3A)> = joints.collect();
            let of_skin = drawn.iter().filter(|(_, skin)| *skin == index_of_skin);
            let of_skin: Vec<&Primitive> = of_skin.map(|(primitive, _)| *primitive).collect();
            let moved = reference
                .filter(|reference| !reference.has_places_of(&of_skin))
                .map(|reference| reference.space_of(&out.names, &joints));
            let moved = moved.unwrap_or(Affine3A::IDENTITY);
            for (name, bind) in &mut joints {
                *bind = moved * *bind;
                // A matrix without an inverse has no bind pose to compare.
                if bind.is_finite() && !out.binds[*name].contains(bind) {
                    out.binds[*name].push(*bind);
                }
            }
            out.skins.push(joints);
            to_reference.push(moved);
        }
        let mut all = Aabb::EMPTY;
        for (primitive, _) in &drawn {
            primitive.bounds.rest.iter().for_each(|rest| all.union(rest));
        }
        let own = if all.is_empty() { 0.0 } else { all.size().length() };
        out.size = reference.map_or(own, |reference| reference.size);
        for (primitive, skin) in drawn {
            for_each_vertex(primitive, |at, weights| {
                let named = |(joint, weight): (usize, f32)| (out.skins[skin][joint].0, weight);
                let weights = weights.map(named).collect();
                let at = to_reference[skin].transform_point3(at);
                let list = out.points.entry(cell_of(at, out.size)).or_default();
                if !list.contains(&weights) {
                    list.push(weights);
                }
            });
        }
        out
    }

    /// Returns the number of cells with vertices where another model has vertices too.
    fn points_in(&self, other: &Self) -> usize {
        let is_there = |cell: &&IVec3| around(**cell).any(|cell| other.points.contains_key(&cell));
        self.points.keys().filter(is_there).count()
    }

    /// Whether most vertices of another model's primitives are at the same places as some of these, so that both have one space.
    fn has_places_of(&self, primitives: &[&Primitive]) -> bool {
        let (mut all, mut same) = (0_usize, 0);
        for primitive in primitives {
            for_each_vertex(primitive, |at, _| {
                let cell = cell_of(at, self.size);
                all += 1;
                same += usize::from(around(cell).any(|cell| self.points.contains_key(&cell)));
            });
        }
        all > 0 && same as f64 >= COMPARED * all as f64
    }

    /// Returns the transform from the space of another model's meshes to that of these: the one that most joints of the
    /// same name agree on. `joints` are of one skin, with indices of `names`.
    fn space_of(&self, names: &[String], joints: &[(usize, Affine3A)]) -> Affine3A {
        let bind_of: HashMap<&str, &Affine3A> =
            joints.iter().map(|(name, bind)| (names[*name].as_str(), bind)).collect();
        let between = |skin: &Vec<(usize, Affine3A)>| -> Vec<Affine3A> {
            let pairs = skin
                .iter()
                .filter_map(|(name, bind)| Some((bind, *bind_of.get(self.names[*name].as_str())?)));
            let moves = pairs.map(|(own, other)| *own * other.inverse());
            moves.filter(Affine3A::is_finite).collect()
        };
        let most = self.skins.iter().map(between).max_by_key(Vec::len).unwrap_or_default();
        most_agreed(&most)
    }
}

/// Returns the skinned primitives with their skins, each pair once.
fn skinned<'a>(rig: &Rig<'a>) -> Vec<(&'a Primitive, usize)> {
    let mut seen = HashSet::new();
    let nodes = rig.model.nodes.iter().filter_map(|node| node.mesh.zip(node.skin));
    let pairs = nodes.filter(|pair| seen.insert(*pair));
    let primitives = pairs.flat_map(|(mesh, skin)| {
        rig.model.meshes[mesh].primitives.iter().map(move |primitive| (primitive, skin))
    });
    primitives.filter(|(primitive, _)| primitive.influences.is_some()).collect()
}

fn cell_of(at: Vec3, size: f32) -> IVec3 {
    // Beyond that, neighbouring cells could not be counted.
    const MOST: f32 = (1 << 30) as f32;
    let cell = at / (SAME * size).max(f32::MIN_POSITIVE);
    cell.round().clamp(Vec3::splat(-MOST), Vec3::splat(MOST)).as_ivec3()
}

/// Returns a cell and those around it: two files may round one place to neighbouring cells.
fn around(cell: IVec3) -> impl Iterator<Item = IVec3> {
    let steps = (0..27).map(|i| IVec3::new(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1));
    std::iter::once(cell).chain(steps.map(move |step| cell.saturating_add(step)))
}

pub(super) fn findings(rig: &Rig, reference: &Binding) -> Vec<Finding> {
    let file = Binding::of(rig, Some(reference));
    let mut found = other_binds(&file, reference);
    found.extend(too_few_compared(&file, reference));
    found.extend(other_weights(&file, reference));
    found
}

fn finding(text: String, called: &str) -> Finding {
    Finding::new(Code::SkeletonDiffers, text).of(Some(called.trim_matches('"')))
}

fn other_binds(file: &Binding, reference: &Binding) -> Vec<Finding> {
    let wanted: HashMap<&String, &Vec<Affine3A>> =
        reference.names.iter().zip(&reference.binds).collect();
    let mut found = Vec::new();
    for (name, binds) in file.names.iter().zip(&file.binds) {
        let Some(wanted) = wanted.get(name) else { continue };
        let off = binds.iter().find(|bind| {
            !wanted.iter().any(|wanted| is_same_bind(bind, wanted, BOUND * reference.size))
        });
        if let Some((off, wanted)) = off.zip(wanted.first()) {
            let distance = off.translation.distance(wanted.translation);
            let text = format!(
                "the inverse bind matrix of joint {name} differs from the reference: by {distance:.4} and {:.1} degrees",
                angle(off, wanted)
            );
            found.push(finding(text, name));
        }
    }
    found
}

/// Whether two bind poses are the same.
fn is_same_bind(a: &Affine3A, b: &Affine3A, distance: f32) -> bool {
    let scales = |matrix: &Affine3A| {
        let axes = matrix.matrix3;
        Vec3::new(axes.x_axis.length(), axes.y_axis.length(), axes.z_axis.length())
    };
    let ratio = scales(a) / scales(b);
    a.translation.distance(b.translation) <= distance
        && angle(a, b) <= TURNED
        && (ratio - 1.0).abs().max_element() <= SCALED
}

/// Returns the largest angle between the axes of two transforms, in degrees.
fn angle(a: &Affine3A, b: &Affine3A) -> f32 {
    let axes =
        |matrix: &Affine3A| [matrix.matrix3.x_axis, matrix.matrix3.y_axis, matrix.matrix3.z_axis];
    let angles =
        axes(a).into_iter().zip(axes(b)).map(|(a, b)| Vec3::from(a).angle_between(b.into()));
    angles.fold(0.0, f32::max).to_degrees()
}

fn other_weights(file: &Binding, reference: &Binding) -> Vec<Finding> {
    let index: HashMap<&String, usize> =
        reference.names.iter().enumerate().map(|(i, name)| (name, i)).collect();
    // The names of the file among those of the reference; names that it lacks come behind them.
    let known = file.names.iter().enumerate();
    let known = known.map(|(i, name)| index.get(name).copied().unwrap_or(index.len() + i));
    let known: Vec<usize> = known.collect();
    let mut odd: BTreeMap<usize, usize> = BTreeMap::new();
    for (cell, list) in &file.points {
        for weights in list {
            let own: Weights =
                weights.iter().map(|(name, weight)| (known[*name], *weight)).collect();
            let wanted = around(*cell).find_map(|cell| reference.points.get(&cell));
            let Some(wanted) = wanted else { continue };
            let shifts = wanted.iter().map(|wanted| shift(&own, wanted));
            let Some((shifted, name)) = shifts.min_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
            if shifted > SHIFTED {
                *odd.entry(name).or_default() += 1;
            }
        }
    }
    let found = odd.into_iter().map(|(name, count)| {
        let called = match reference.names.get(name) {
            Some(called) => called,
            None => &file.names[name - reference.names.len()],
        };
        let text = format!(
            "the weights of {} differ from the reference, most of all on joint {called}",
            counted(count, "vertex place")
        );
        finding(text, called).measured(count as f64, "places").limited(0.0)
    });
    found.collect()
}

/// Finds a file most of whose vertices are elsewhere than in the reference. Their weights can't be compared.
fn too_few_compared(file: &Binding, reference: &Binding) -> Option<Finding> {
    let (own, wanted) = (file.points_in(reference), reference.points_in(file));
    let [all, all_wanted] = [file, reference].map(|binding| binding.points.len());
    let share = |paired: usize, all: usize| paired as f64 / all.max(1) as f64;
    let compared = share(own, all).max(share(wanted, all_wanted));
    if all + all_wanted == 0 || compared >= COMPARED {
        return None;
    }
    if all == 0 || all_wanted == 0 {
        let which = if all == 0 { "file" } else { "reference" };
        let text = format!("the {which} has no weights to compare");
        return Some(Finding::new(Code::SkeletonDiffers, text));
    }
    let text = format!(
        "only {own} of {} of the file, and {wanted} of {all_wanted} of the reference, are in the other one too; \
         the weights of the others can't be compared",
        counted(all, "vertex place")
    );
    let finding = Finding::new(Code::SkeletonDiffers, text);
    Some(finding.measured(compared, "share of the places").limited(COMPARED))
}

/// Returns the share of weight that is on other joints, and the joint with the largest difference.
fn shift(own: &Weights, wanted: &Weights) -> (f32, usize) {
    let of = |list: &Weights, name: usize| {
        list.iter().filter(|(other, _)| *other == name).map(|(_, weight)| weight).sum::<f32>()
    };
    let mut names: Vec<usize> = own.iter().chain(wanted).map(|(name, _)| *name).collect();
    names.sort_unstable();
    names.dedup();
    let differences =
        names.into_iter().map(|name| ((of(own, name) - of(wanted, name)).abs(), name));
    let differences: Vec<(f32, usize)> = differences.collect();
    let sum: f32 = differences.iter().map(|(off, _)| off).sum();
    let worst = differences.into_iter().max_by(|a, b| a.0.total_cmp(&b.0));
    (0.5 * sum, worst.map_or(0, |(_, name)| name))
}
