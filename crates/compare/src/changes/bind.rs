//! Differences of inverse bind matrices, by joint.

use std::collections::HashMap;

use glam::{Affine3A, Quat, Vec3, Vec3A};

use crate::cause::turn;
use crate::change::{Change, Kind};
use crate::measured::PointPair;
use crate::pairing::nearest::{SAME_PLACE, spread};
use crate::pairing::pairs::{Pairs, entry_name};
use crate::side::{Side, origin_offset};
use rigview_anim::{Skin, most_agreed};

/// Differences up to this share of the model's size, this angle in radians and this part of a scale are rounding.
const MOVED: f32 = 5e-5;
const TURNED: f32 = 5e-4;
const SCALED: f32 = 5e-4;

/// Where both meshes have the same space, less is rounding: this distance in metres, or this share of the size.
const SEEN: f32 = 1e-4;
const ROUNDED: f32 = 1e-6;

/// Joints of a skin that have a change of their own, at most; of more, the skin has one.
const LISTED: usize = 8;

/// A joint whose bind matrix differs.
struct Off {
    joint: usize,
    /// In metres at rest.
    moved: f32,
    /// In degrees.
    turned: f32,
    scaled: f32,
    /// Whether the joint's rest transform differs by as much the other way, so that vertices stay at their place.
    is_made_up: bool,
    /// Which models' matrix has no inverse, if one has none. The numbers are infinite then.
    singular: [bool; 2],
}

impl Off {
    fn what(&self) -> String {
        let of = match self.singular {
            [false, false] => None,
            [true, false] => Some("A"),
            [false, true] => Some("B"),
            [true, true] => Some("both models"),
        };
        if let Some(of) = of {
            return format!(
                "its inverse bind matrix is another one; that of {of} has no inverse, which flattens the vertices that it moves"
            );
        }
        let mut what = format!("its inverse bind matrix is off by {:.3} mm", 1000.0 * self.moved);
        if self.turned > 0.01 {
            what += &format!(" and {:.3} degrees", self.turned);
        }
        if self.scaled > SCALED {
            what += &format!(", scaled by {:.4}", 1.0 + self.scaled);
        }
        what + match self.is_made_up {
            true => "; its rest transform makes up for that, clips of the other file do not",
            false => "; the vertices that it moves are off by as much in every pose",
        }
    }
}

/// Returns the pairs of skins with which both models draw paired points, and whether most of these are at one place in their
/// meshes' spaces.
pub(crate) fn skins_in_one_space(
    sides: [&Side; 2],
    points: &[PointPair],
) -> HashMap<[usize; 2], bool> {
    let mut places: HashMap<[usize; 2], Vec<[Vec3; 2]>> = HashMap::new();
    for pair in points {
        let skin = |side: usize| {
            let motion = &sides[side].motion;
            let drawn = motion.drawn(motion.drawn_with(pair[side] as usize));
            sides[side].model.nodes[drawn.node].skin
        };
        if let (Some(i), Some(j)) = (skin(0), skin(1)) {
            let place = |side: usize| sides[side].mesh_position(pair[side] as usize);
            places.entry([i, j]).or_default().push([place(0), place(1)]);
        }
    }
    let is_same = |places: &[[Vec3; 2]]| {
        let of_a: Vec<Vec3> = places.iter().map(|place| place[0]).collect();
        let near = SAME_PLACE * spread(&of_a);
        2 * places.iter().filter(|[x, y]| x.distance(*y) <= near).count() >= places.len()
    };
    places.into_iter().map(|(skins, places)| (skins, is_same(&places))).collect()
}

/// Lists the joints of a pair of skins whose inverse bind matrices differ. `in_one_space` says whether their meshes have one space.
pub(crate) fn bind_changes(
    sides: [&Side; 2],
    nodes: &Pairs,
    skins: [usize; 2],
    in_one_space: bool,
) -> Vec<Change> {
    let [a, b] = [0, 1].map(|side| &sides[side].model.skins[skins[side]]);
    let both = joints_of_both(nodes, [a, b]);
    let size = spread(sides[0].rest.points());
    let of_b = InBothUnits::new(sides, [a, b], &b.joint_from_mesh, &both);
    let between = mesh_from_mesh(in_one_space, a, &both, &of_b);
    let mut moved = MOVED * size;
    if between == Affine3A::IDENTITY {
        moved = moved.min(SEEN.max(ROUNDED * size));
    }
    let difference = |pair: &[usize; 2]| {
        let off = difference(sides, [a, b], *pair, &between, &of_b)?;
        Some(Off { is_made_up: rests_alike(sides, [a, b], *pair, &between, moved), ..off })
    };
    let mut off: Vec<Off> = both.iter().filter_map(difference).collect();
    off.retain(|off| {
        off.moved > moved || off.turned.to_radians() > TURNED || off.scaled.abs() > SCALED
    });
    let name = |joint: usize| entry_name(&sides[0].model.nodes[joint].name, joint);
    if off.len() <= LISTED {
        let change = |off: &Off| Change::changed(Kind::Bind, name(off.joint), off.what());
        return off.iter().map(change).collect();
    }
    let weight = |off: &Off| off.moved + size * off.turned.to_radians();
    let worst = off.iter().max_by(|x, y| weight(x).total_cmp(&weight(y)));
    let what = worst.map(|worst| {
        let joint = name(worst.joint);
        format!("{} of {} joints differ, \"{joint}\" most: {}", off.len(), both.len(), worst.what())
    });
    let skin = entry_name(&a.name, skins[0]);
    what.map(|what| Change::changed(Kind::Bind, skin, what)).into_iter().collect()
}

/// Returns the indices of the joints that both skins have.
fn joints_of_both(nodes: &Pairs, [a, b]: [&Skin; 2]) -> Vec<[usize; 2]> {
    let mut place = HashMap::new();
    for (j, joint) in b.joints.iter().enumerate() {
        place.entry(*joint as usize).or_insert(j);
    }
    let partner = |(i, joint): (usize, &u32)| {
        let there = nodes.b_of(*joint as usize)?;
        Some([i, *place.get(&there)?])
    };
    a.joints.iter().enumerate().filter_map(partner).collect()
}

/// B's matrices, as they are and in the units of A's joints: a joint whose scale in the scene is another one has another unit,
/// or it is scaled at rest.
struct InBothUnits<'a> {
    own: &'a [Affine3A],
    of_a: Vec<Affine3A>,
}

impl<'a> InBothUnits<'a> {
    fn new(
        sides: [&Side; 2],
        [a, b]: [&Skin; 2],
        own: &'a [Affine3A],
        both: &[[usize; 2]],
    ) -> Self {
        let mut of_a = own.to_vec();
        for [i, j] in both {
            let scales = [(0, a.joints[*i]), (1, b.joints[*j])].map(|(side, joint)| {
                let world = sides[side].stage.world.world_from_node(joint as usize);
                world.matrix3.determinant().abs().cbrt()
            });
            let ratio = scales[1] / scales[0];
            if ratio.is_finite() && ratio > 0.0 {
                of_a[*j] = Affine3A::from_scale(Vec3::splat(ratio)) * own[*j];
            }
        }
        Self { own, of_a }
    }

    fn of(&self, joint: usize) -> [Affine3A; 2] {
        [self.own[joint], self.of_a[joint]]
    }
}

/// Returns the matrix from the space of B's meshes to that of A's. It is the identity if the vertices are at one place,
/// else the one that most joints agree on, because quantized meshes have a space of their own.
fn mesh_from_mesh(
    in_one_space: bool,
    a: &Skin,
    both: &[[usize; 2]],
    of_b: &InBothUnits,
) -> Affine3A {
    if in_one_space {
        return Affine3A::IDENTITY;
    }
    let all = both.iter().flat_map(|[i, j]| {
        let from_joint = a.joint_from_mesh[*i].inverse();
        of_b.of(*j).map(|joint_from_mesh| from_joint * joint_from_mesh)
    });
    most_agreed(&all.filter(Affine3A::is_finite).collect::<Vec<_>>())
}

/// Returns the difference of a joint's matrices; of a joint with another scale in the scene, the smaller one in either unit.
/// Matrices without an inverse are compared number by number.
fn difference(
    [side, _]: [&Side; 2],
    [a, _]: [&Skin; 2],
    [i, j]: [usize; 2],
    a_from_b: &Affine3A,
    of_b: &InBothUnits,
) -> Option<Off> {
    let joint = a.joints[i] as usize;
    let world = side.stage.world.world_from_node(joint);
    let off = of_b.of(j).map(|joint_from_mesh| {
        let off = a.joint_from_mesh[i] * *a_from_b * joint_from_mesh.inverse();
        let (scale, rotation, translation) = off.to_scale_rotation_translation();
        Off {
            joint,
            moved: world.transform_vector3(translation).length(),
            turned: turn(rotation, Quat::IDENTITY).to_degrees(),
            scaled: (scale - 1.0)
                .to_array()
                .into_iter()
                .fold(0.0, |most: f32, off| if off.abs() > most.abs() { off } else { most }),
            is_made_up: false,
            singular: [false; 2],
        }
    });
    let finite = off
        .into_iter()
        .filter(|off| [off.moved, off.turned, off.scaled].iter().all(|x| x.is_finite()));
    let least = finite.min_by(|x, y| x.scaled.abs().total_cmp(&y.scaled.abs()));
    least.or_else(|| {
        let of_a = a.joint_from_mesh[i] * *a_from_b;
        let is_same = |of_b: &Affine3A| {
            let largest =
                of_a.to_cols_array().into_iter().fold(0.0, |most: f32, x| most.max(x.abs()));
            of_a.abs_diff_eq(*of_b, SCALED * largest)
        };
        let singular =
            [&a.joint_from_mesh[i], &of_b.own[j]].map(|matrix| !matrix.inverse().is_finite());
        let all = f32::INFINITY;
        let is_made_up = false;
        let off = Off { joint, moved: all, turned: all, scaled: all, is_made_up, singular };
        (singular.contains(&true) && !of_b.of(j).iter().any(is_same)).then_some(off)
    })
}

/// Whether a joint of both takes vertices to the same place at rest, to within a distance in metres.
fn rests_alike(
    sides: [&Side; 2],
    [a, b]: [&Skin; 2],
    [i, j]: [usize; 2],
    a_from_b: &Affine3A,
    moved: f32,
) -> bool {
    let world = |side: usize, joint: u32| *sides[side].stage.world.world_from_node(joint as usize);
    let (world_a, mut world_b) = (world(0, a.joints[i]), world(1, b.joints[j]));
    world_b.translation += Vec3A::from(origin_offset(sides[0], sides[1]));
    let of_a = world_a * a.joint_from_mesh[i] * *a_from_b;
    let between = of_a * (world_b * b.joint_from_mesh[j]).inverse();
    let (scale, rotation, _) = between.to_scale_rotation_translation();
    let at = world_a.translation;
    // Without an inverse, all are not a number.
    between.transform_point3a(at).distance(at) <= moved
        && turn(rotation, Quat::IDENTITY) <= TURNED
        && (scale - 1.0).abs().max_element() <= SCALED
}
