//! Clips with left and right exchanged.
//!
//! The rig and its clips are mirrored at a plane through the scene, and the names of left and right joints exchanged. The plane
//! lies between the sides of the body, whichever way it faces.
//! The rig then follows the mirrored one joint by joint, as it follows a clip of another file: with the same turns from
//! rest, whatever the joints' own axes. That needs a pose in which both sides are alike. If the rest pose is none, as in a
//! file that was saved in the middle of a step, the bind pose may be.

use glam::{DVec3, Mat3A, Quat, Vec3};

use super::borrowed::{RetargetError, RetargetOptions, borrowed_clips};
use super::rig_map::MapChoice;
use crate::Humanoid;
use crate::body_side::{BodySide, begins_with_side_or_letter, mirrored_name, namesakes};
use rigview_anim::{
    Channel, Clip, ClipParts, FixedNode, Hierarchy, Keys, LocalPose, Track, Transform, WorldPose,
};
use rigview_model::{BonePart, HumanBone, Mesh, Model, Node, Stage, bind_pose};

/// Why clips can't be mirrored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoSides {
    /// No joint has a partner.
    #[error("no node has a name with a side, such as LeftArm, and a partner on the other side")]
    NoPartners,
    /// The mirrored clips can't be converted.
    #[error(transparent)]
    Retarget(#[from] RetargetError),
}

/// Returns the clips of a model with left and right exchanged. A node of one side without a partner keeps its own motion.
///
/// # Errors
/// If no node has a partner on the other side, or the result takes too much memory.
pub fn mirrored_clips(model: &Model, clips: &[Clip]) -> Result<Vec<Clip>, NoSides> {
    let symmetry = Symmetry::find(model).ok_or(NoSides::NoPartners)?;
    let unpaired = symmetry.sides.unpaired(model);
    let Sides { partners, mirror } = symmetry.sides;
    let options = RetargetOptions { map: MapChoice::Exact, ..RetargetOptions::default() };
    let with_own = |mirrored: Vec<Clip>| {
        mirrored
            .into_iter()
            .zip(clips)
            .map(|(clip, own)| with_motion(clip, own, &unpaired))
            .collect()
    };
    let Some(pose) = symmetry.pose else {
        let mirrored = mirror.model(model, &partners, clips);
        return Ok(with_own(borrowed_clips(model, &mirrored, &options)?.clips));
    };
    let away: Vec<Clip> = clips.iter().map(|clip| away_from(&pose, model, clip)).collect();
    let posed = Model {
        scenes: model.scenes.clone(),
        default_scene: model.default_scene,
        nodes: model.nodes.clone(),
        hierarchy: model.hierarchy.clone(),
        rest: pose,
        meshes: model.meshes.iter().map(names_of_targets).collect(),
        skins: model.skins.clone(),
        budget: model.budget.clone(),
        ..Model::default()
    };
    let mirrored = mirror.model(&posed, &partners, &away);
    Ok(with_own(borrowed_clips(&posed, &mirrored, &options)?.clips))
}

/// Returns a clip with the channels that another one has for these nodes.
fn with_motion(clip: Clip, own: &Clip, nodes: &[usize]) -> Clip {
    let mut parts = clip.into_parts();
    // Its morph targets may have followed those of the same name elsewhere.
    parts.channels.retain(|channel| !nodes.contains(&channel.node()));
    let of_nodes = own.channels().iter().filter(|channel| nodes.contains(&channel.node()));
    parts.channels.extend(of_nodes.cloned());
    Clip::new(parts)
}

/// Whether both sides differ in every pose that clips could be mirrored by, so that the result is off.
pub fn is_lopsided(model: &Model) -> bool {
    Symmetry::find(model).is_some_and(|symmetry| symmetry.difference > LOPSIDED)
}

/// Returns a mesh with the names of its morph targets alone.
fn names_of_targets(mesh: &Mesh) -> Mesh {
    Mesh {
        name: mesh.name.clone(),
        weights: mesh.weights.clone(),
        target_names: mesh.target_names.clone(),
        ..Mesh::default()
    }
}

/// Returns a clip that shows the same over another pose as it does over the rest pose: what it does not drive stays where the
/// rest pose has it.
fn away_from(pose: &LocalPose, model: &Model, clip: &Clip) -> Clip {
    let mut parts = clip.clone().into_parts();
    let driven = |node: usize, turns: bool| {
        clip.channels().iter().any(|channel| match channel {
            Channel::Rotation { node: of, .. } => turns && *of == node,
            Channel::Translation { node: of, .. } => !turns && *of == node,
            _ => false,
        })
    };
    for node in 0..model.nodes.len() {
        let (rest, posed) = (model.rest.transform(node), pose.transform(node));
        let times = vec![clip.start_secs()];
        if rest.rotation != posed.rotation
            && !driven(node, true)
            && let Ok(track) = Track::new(times.clone(), Keys::Linear(vec![rest.rotation]), 1)
        {
            parts.channels.push(Channel::Rotation { node, track });
        }
        if rest.translation != posed.translation
            && !driven(node, false)
            && let Ok(track) = Track::new(times, Keys::Linear(vec![rest.translation]), 1)
        {
            parts.channels.push(Channel::Translation { node, track });
        }
    }
    Clip::new(parts)
}

/// Both sides of a rig differ in a pose if a joint is away from the mirrored place of its partner by this share of the rig's
/// size.
const LOPSIDED: f32 = 0.05;

/// The sides of a rig, and the pose in which they are most alike.
struct Symmetry {
    sides: Sides,
    /// `None` for the rest pose.
    pose: Option<LocalPose>,
    /// The largest distance of a joint from the mirrored place of its partner, as a share of the rig's size.
    difference: f32,
}

impl Symmetry {
    /// `None` if no node has a partner. The bind pose is used only if the sides differ in the rest pose.
    fn find(model: &Model) -> Option<Self> {
        let sides = Sides::find(model, &model.rest)?;
        let difference = sides.difference(model, &model.rest);
        let at_rest = Self { sides, pose: None, difference };
        if difference <= LOPSIDED {
            return Some(at_rest);
        }
        let bind = bind_pose(model, &Stage::new(model, model.default_scene));
        let Some(sides) = Sides::find(model, &bind) else { return Some(at_rest) };
        let difference = sides.difference(model, &bind);
        if difference >= 0.5 * at_rest.difference {
            return Some(at_rest);
        }
        let pose = sides.over_the_same_place(model, bind);
        Some(Self { sides, pose: Some(pose), difference })
    }
}

/// Returns the nodes whose names have a side, but that have no partner on the other side: they keep their own motion.
pub fn unmirrored_nodes(model: &Model) -> Vec<usize> {
    Symmetry::find(model).map_or_else(Vec::new, |symmetry| symmetry.sides.unpaired(model))
}

/// The nodes of a rig on the two sides of its body.
struct Sides {
    /// The node on the other side, per node.
    partners: Vec<Option<usize>>,
    /// The mirror between them.
    mirror: Mirror,
}

impl Sides {
    /// Returns the nodes whose names have a side, but that have no partner.
    fn unpaired(&self, model: &Model) -> Vec<usize> {
        let nodes = names(model).into_iter().enumerate().filter(|(_, name)| lacks_partner(*name));
        nodes.map(|(node, _)| node).filter(|node| self.partners[*node].is_none()).collect()
    }

    /// Pairs nodes by their names, so that the parents of partners are partners too. Where names do not fit, as with
    /// exporters that number both sides in another order, a node is paired with the one below the partner of its parent
    /// that is nearest to its mirrored place. `None` if no node has a partner by name.
    fn find(model: &Model, pose: &LocalPose) -> Option<Self> {
        let mut world = WorldPose::default();
        model.hierarchy.resolve(pose, DVec3::ZERO, &mut world);
        let place = |node: usize| Vec3::from(world.world_from_node(node).translation);
        let names = names(model);
        let mut by_name = namesakes(&names);
        let mut side: Vec<BodySide> =
            names.iter().map(|name| name.map_or(BodySide::Center, BodySide::of_name)).collect();
        // Bones of a body are known by other conventions, or by what the file declares.
        let humanoid = Humanoid::find(model);
        for (HumanBone { part, is_right }, left) in
            humanoid.bones.iter().filter(|_| humanoid.is_body())
        {
            let right = humanoid.node(*part, true).filter(|_| !is_right && !part.is_central());
            if let Some(right) =
                right.filter(|right| by_name[*left].is_none() && by_name[*right].is_none())
            {
                (by_name[*left], by_name[right]) = (Some(right), Some(*left));
                (side[*left], side[right]) = (BodySide::Left, BodySide::Right);
            }
        }
        let mut apart = Vec3::ZERO;
        let mut ways: Vec<Vec3> = Vec::new();
        for (left, partner) in by_name.iter().enumerate() {
            if let Some(right) = partner.filter(|_| side[left] == BodySide::Left) {
                let way = place(left) - place(right);
                // Joints in one place only show that there are partners.
                let least = Vec3::splat(f32::MIN_POSITIVE);
                apart += if way.is_finite() { way.abs() + least } else { Vec3::ZERO };
                if !model.hierarchy.ancestors(left).any(|node| by_name[node].is_some()) {
                    ways.push(way);
                }
            }
        }
        let axis = Some(apart).filter(|apart| *apart != Vec3::ZERO)?.max_position();
        let named = Named { places: &place, side, by_name };
        let along = named.paired(model, Mirror::along(axis));
        // The legs hang down also below a trunk that lies.
        let legs = [false, true].map(|is_right| {
            let joint = |part| humanoid.node(part, is_right);
            Some(place(joint(BonePart::UpperLeg)?) - place(joint(BonePart::LowerLeg)?))
        });
        let up: Vec3 = legs.into_iter().flatten().filter(|_| humanoid.is_body()).sum();
        let up = if up.is_finite() && up != Vec3::ZERO { up } else { Vec3::Y };
        let turned = Mirror::of_ways(&ways, axis, up.abs().max_position());
        let Some(turned) = turned else { return Some(along) };
        // Limbs in the middle of a step turn the median too, but then the sides do not match any better.
        let turned = named.paired(model, turned);
        let is_turned = turned.difference(model, pose) < 0.5 * along.difference(model, pose);
        Some(if is_turned { turned } else { along })
    }

    /// Returns a pose that is moved across the mirror so that the middle of the body is where it rests: the bind pose may be
    /// anywhere, and would take the plane of the mirror with it.
    fn over_the_same_place(&self, model: &Model, mut pose: LocalPose) -> LocalPose {
        let [rest, posed] = [&model.rest, &pose].map(|pose| {
            let mut world = WorldPose::default();
            model.hierarchy.resolve(pose, DVec3::ZERO, &mut world);
            world
        });
        let is_moved = |node: usize| pose.transform(node) != model.rest.transform(node);
        let is_joint = model.skin_joints();
        let mut nodes = model.hierarchy.parents_first();
        let middle =
            nodes.find(|node| is_joint[*node] && self.partners[*node].is_none() && is_moved(*node));
        let Some(middle) = middle else { return pose };
        let normal = self.mirror.normal;
        let place =
            |world: &WorldPose| Vec3::from(world.world_from_node(middle).translation).dot(normal);
        let shift = (place(&rest) - place(&posed)) * normal;
        let tops = model.hierarchy.parents_first().filter(|node| is_moved(*node));
        let tops: Vec<usize> =
            tops.filter(|node| !model.hierarchy.ancestors(*node).any(is_moved)).collect();
        for node in tops {
            let above = model.hierarchy.parent(node).map(|parent| rest.world_from_node(parent));
            let shift = above.map_or(shift, |above| above.matrix3.inverse() * shift);
            if shift.is_finite() {
                pose.set_translation(node, pose.transform(node).translation + shift);
            }
        }
        pose
    }

    /// Returns the largest distance of a joint from the mirrored place of its partner, as a share of the size of all that
    /// have one. The plane of the mirror may be anywhere.
    fn difference(&self, model: &Model, pose: &LocalPose) -> f32 {
        let mut world = WorldPose::default();
        model.hierarchy.resolve(pose, DVec3::ZERO, &mut world);
        let place = |node: usize| Vec3::from(world.world_from_node(node).translation);
        let pairs = self.partners.iter().enumerate().filter_map(|(a, b)| Some((a, (*b)?)));
        let pairs: Vec<(Vec3, Vec3)> = pairs.map(|(a, b)| (place(a), place(b))).collect();
        let off = |(a, b): &(Vec3, Vec3)| *a - self.mirror.position(*b);
        let normal = self.mirror.normal;
        let shift =
            pairs.iter().map(|pair| off(pair).dot(normal)).sum::<f32>() / pairs.len() as f32;
        let shift = shift * normal;
        let (mut least, mut most) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for (a, _) in &pairs {
            (least, most) = (least.min(*a), most.max(*a));
        }
        let size = (most - least).length();
        let furthest = pairs.iter().map(|pair| off(pair).distance(shift)).fold(0.0, f32::max);
        if size > 0.0 { furthest / size } else { 0.0 }
    }
}

/// The positions of nodes, the sides in their names, and their namesakes on the other side.
struct Named<'a> {
    places: &'a dyn Fn(usize) -> Vec3,
    side: Vec<BodySide>,
    by_name: Vec<Option<usize>>,
}

impl Named<'_> {
    /// Pairs nodes whose places are mirrored.
    fn paired(&self, model: &Model, mirror: Mirror) -> Sides {
        let mut partners: Vec<Option<usize>> = vec![None; self.side.len()];
        let place = self.places;
        let parent = |node: usize| model.hierarchy.parent(node);
        let lefts = || {
            let order = model.hierarchy.parents_first();
            order.filter(|node| self.side[*node] == BodySide::Left)
        };
        for left in lefts() {
            let above = parent(left).map(|above| partners[above].unwrap_or(above));
            let fits = |right: usize| parent(right) == above && partners[right].is_none();
            let mirrored = mirror.position(place(left));
            let off = |right: usize| place(right).distance(mirrored);
            let below = (0..self.side.len())
                .filter(|node| self.side[*node] == BodySide::Right && fits(*node));
            let nearest = below.min_by(|a, b| off(*a).total_cmp(&off(*b)));
            let is_near = |right: &usize| off(*right) < 0.5 * place(*right).distance(place(left));
            let right = self.by_name[left].filter(|right| fits(*right)).or(nearest.filter(is_near));
            if let Some(right) = right {
                (partners[left], partners[right]) = (Some(right), Some(left));
            }
        }
        // The rest goes by name, whatever the parents are.
        for left in lefts() {
            let right = self.by_name[left].filter(|right| partners[*right].is_none());
            if let Some(right) = right.filter(|_| partners[left].is_none()) {
                (partners[left], partners[right]) = (Some(right), Some(left));
            }
        }
        Sides { partners, mirror }
    }
}

/// Whether a node that has no partner should have one by its name. One that may begin with another word than a side (`LEDstrip`,
/// `RBody`) is in the middle.
fn lacks_partner(name: Option<&str>) -> bool {
    name.is_some_and(|name| {
        BodySide::of_name(name) != BodySide::Center && !begins_with_side_or_letter(name)
    })
}

fn names(model: &Model) -> Vec<Option<&str>> {
    model.node_names().collect()
}

/// A body whose sides lie apart along an axis of the scene but for this angle in degrees is not turned.
const UNTURNED_DEGREES: f32 = 0.5;

/// Ways between partners that differ by at most this angle in degrees agree on how a body is turned.
const AGREEING_DEGREES: f32 = 3.0;

/// A mirror at a plane through the origin of the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Mirror {
    /// The direction across the plane, a unit vector.
    normal: Vec3,
    /// The axis nearest to it. Transforms relative to a parent are mirrored along it: their scale has no other axes.
    axis: usize,
}

impl Mirror {
    /// Returns the mirror across an axis of the scene.
    fn along(axis: usize) -> Self {
        Self { normal: Vec3::AXES[axis], axis }
    }

    /// Returns the upright mirror between the sides of a body, from the ways that lead from the first joints of its limbs to their
    /// partners: hands and feet of few rigs are mirrored exactly, and fingers would outvote the limbs. The median counts. `None` if
    /// it is the axis but for a small angle, or less than half of the ways agree with it.
    fn of_ways(ways: &[Vec3], axis: usize, up: usize) -> Option<Self> {
        let across = (0..3).find(|other| *other != axis && *other != up).filter(|_| axis != up)?;
        // A way and its opposite are on one line.
        let mut angles: Vec<f32> =
            ways.iter().map(|way| (way[across] / way[axis]).atan()).collect();
        angles.retain(|angle| !angle.is_nan());
        angles.sort_unstable_by(f32::total_cmp);
        let median = *angles.get(angles.len() / 2)?;
        let is_near = |angle: &&f32| (**angle - median).abs() <= AGREEING_DEGREES.to_radians();
        let agreeing = angles.iter().filter(is_near).count();
        if median.abs() < UNTURNED_DEGREES.to_radians() || 2 * agreeing < angles.len() {
            return None;
        }
        let mut normal = Vec3::ZERO;
        (normal[across], normal[axis]) = median.sin_cos();
        Some(Self { normal, axis })
    }

    /// Returns the mirrored place in the scene.
    fn position(self, place: Vec3) -> Vec3 {
        place - 2.0 * place.dot(self.normal) * self.normal
    }

    /// Returns the mirrored place relative to a parent.
    fn offset(self, mut place: Vec3) -> Vec3 {
        place[self.axis] = -place[self.axis];
        place
    }

    /// Returns the turn that follows the mirror along the axis, so that both together are this mirror: that of roots.
    fn root_turn(self) -> Quat {
        let axis = Vec3::AXES[self.axis];
        Quat::from_vec4(axis.cross(self.normal).extend(axis.dot(self.normal)))
    }

    /// Returns the rotation whose matrix is that of `turn` between two mirrors.
    fn turn(self, turn: Quat) -> Quat {
        let mut numbers = (-turn).to_array();
        numbers[self.axis] = -numbers[self.axis];
        numbers[3] = -numbers[3];
        Quat::from_array(numbers)
    }

    /// Returns the mirrored rig with mirrored clips: each local matrix is between two mirrors along the axis, and those of roots
    /// are turned, so that each matrix in the scene is between this mirror and the one along the axis.
    fn model(self, model: &Model, partners: &[Option<usize>], clips: &[Clip]) -> Model {
        let nodes = |(index, node): (usize, &Node)| {
            // A node without a partner on the other side has no place in the mirrored rig.
            let name = match partners[index] {
                Some(partner) => model.nodes[partner].name.clone(),
                None => node.name.clone().filter(|name| !lacks_partner(Some(name))),
            };
            Node { name, ..node.clone() }
        };
        let transform = |node: usize| {
            let Transform { translation, rotation, scale } = model.rest.transform(node);
            let turn = self.turn_of(model, node);
            let (translation, rotation) = (self.offset(translation), self.turn(rotation));
            Transform { translation: turn * translation, rotation: turn * rotation, scale }
        };
        let count = model.nodes.len();
        let weights: Vec<&[f32]> = (0..count).map(|node| model.rest.weights(node)).collect();
        let mirror = Mat3A::from_diagonal(self.offset(Vec3::ONE));
        let fixed = model.hierarchy.fixed().iter().map(|fixed| {
            let mut matrix = fixed.parent_from_node;
            let turned = Mat3A::from_quat(self.turn_of(model, fixed.node as usize)) * mirror;
            matrix.matrix3 = turned * matrix.matrix3 * mirror;
            matrix.translation = turned * matrix.translation;
            FixedNode { node: fixed.node, parent_from_node: matrix }
        });
        let parents = (0..count).map(|node| model.hierarchy.parent(node).map(|p| p as u32));
        // The tree of a model has no cycles.
        let hierarchy = Hierarchy::new(parents.collect(), fixed.collect());
        let names = |mesh: &Mesh| {
            let mut mirrored = names_of_targets(mesh);
            for name in &mut mirrored.target_names {
                // A target without a partner keeps its own motion, as a node does.
                if let Some(other) =
                    mirrored_name(name).filter(|other| mesh.target_names.contains(other))
                {
                    *name = other;
                }
            }
            mirrored
        };
        Model {
            scenes: model.scenes.clone(),
            default_scene: model.default_scene,
            nodes: model.nodes.iter().enumerate().map(nodes).collect(),
            hierarchy: hierarchy.unwrap_or_default(),
            rest: LocalPose::new((0..count).map(transform).collect(), &weights),
            meshes: model.meshes.iter().map(names).collect(),
            skins: model.skins.clone(),
            clips: clips.iter().map(|clip| self.clip(model, clip)).collect(),
            budget: model.budget.clone(),
            ..Model::default()
        }
    }

    /// Returns the turn of a node beside its mirrored local matrix.
    fn turn_of(self, model: &Model, node: usize) -> Quat {
        match model.hierarchy.parent(node) {
            Some(_) => Quat::IDENTITY,
            None => self.root_turn(),
        }
    }

    fn clip(self, model: &Model, clip: &Clip) -> Clip {
        let channel = |channel: &Channel| match channel {
            Channel::Translation { node, track } => {
                let turn = self.turn_of(model, *node);
                let track = mapped(track, |place| turn * self.offset(place));
                Channel::Translation { node: *node, track }
            }
            Channel::Rotation { node, track } => {
                let root = self.turn_of(model, *node);
                let track = mapped(track, |turn| root * self.turn(turn));
                Channel::Rotation { node: *node, track }
            }
            other => other.clone(),
        };
        Clip::new(ClipParts {
            name: clip.name().map(str::to_owned),
            channels: clip.channels().iter().map(channel).collect(),
            properties: Vec::new(),
            start_secs: clip.start_secs(),
            duration_secs: clip.duration_secs(),
        })
    }
}

/// Returns a track with other values; tangents change as values do.
fn mapped<T: rigview_anim::Value>(track: &Track<T>, change: impl Fn(T) -> T) -> Track<T> {
    let all = |list: &[T]| list.iter().map(|x| change(*x)).collect();
    let keys = track.keys().map(all, all);
    // Never an error: times and numbers of values are those of a track.
    Track::new(track.times().to_vec(), keys, track.width()).unwrap_or_else(|_| track.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_anim::Skin;
    use std::f32::consts::FRAC_PI_2;

    const NAMES: [&str; 4] = ["Hips", "Arm.L", "Arm.R", "Hand.R"];

    /// A rig whose right arm has other axes than the left one.
    fn rig() -> Model {
        let roll = Quat::from_euler(glam::EulerRot::XYZ, 0.3, -1.1, 0.7);
        let at = |translation: Vec3, rotation: Quat| Transform {
            translation,
            rotation,
            scale: Vec3::ONE,
        };
        let transforms = [
            at(Vec3::Y, Quat::IDENTITY),
            at(Vec3::new(0.5, 0.2, 0.0), Quat::IDENTITY),
            at(Vec3::new(-0.5, 0.2, 0.0), roll),
            at(roll.inverse() * Vec3::new(-0.4, 0.0, 0.0), Quat::IDENTITY),
        ];
        Model::from_nodes(&[None, Some(0), Some(0), Some(2)], transforms).unwrap().with_names(NAMES)
    }

    #[test]
    fn the_right_arm_does_what_the_left_one_did() {
        let model = rig();
        let turned = Quat::from_rotation_z(FRAC_PI_2);
        let track = Track::new(vec![0.0, 1.0], Keys::Linear(vec![Quat::IDENTITY, turned]), 1);
        let way = Keys::Linear(vec![Vec3::Y, Vec3::new(0.3, 1.0, 2.0)]);
        let channels = vec![
            Channel::Rotation { node: 1, track: track.unwrap() },
            Channel::Translation { node: 0, track: Track::new(vec![0.0, 1.0], way, 1).unwrap() },
        ];
        let clip = Clip::new(ClipParts { channels, duration_secs: 1.0, ..ClipParts::default() });
        let mirrored = mirrored_clips(&model, &[clip]).unwrap();
        let mut pose = model.rest.clone();
        mirrored[0].pose(1.0, &model.rest, &mut Default::default(), &mut pose);
        let mut world = WorldPose::default();
        model.hierarchy.resolve(&pose, DVec3::ZERO, &mut world);
        let place = |node: usize| Vec3::from(world.world_from_node(node).translation);
        // The left arm turned from +X to +Y; so the right one, which points to -X, turns to +Y.
        assert!((place(3) - place(2)).distance(Vec3::new(0.0, 0.4, 0.0)) < 1e-5, "{:?}", place(3));
        assert!(place(0).distance(Vec3::new(-0.3, 1.0, 2.0)) < 1e-6, "{:?}", place(0));
        assert_eq!(pose.transform(1).rotation, Quat::IDENTITY);
    }

    /// The file was saved with the left arm raised, and no clip drives the hips. The skin's first joint, which carries the bind
    /// pose, lies elsewhere than when the skin was bound.
    #[test]
    fn a_rig_that_rests_in_a_step_is_mirrored_by_its_bind_pose() {
        let at =
            |x: f32, y: f32| Transform { translation: Vec3::new(x, y, 0.0), ..Transform::IDENTITY };
        let parents = [None, Some(0), Some(1), Some(0), Some(3), None];
        let bound =
            [at(0.0, 1.0), at(0.2, 0.0), at(0.5, 0.0), at(-0.2, 0.0), at(-0.5, 0.0), at(0.0, 0.0)];
        let names = ["Hips", "Arm.L", "Hand.L", "Arm.R", "Hand.R", "Prop"];
        let mut model = Model::from_nodes(&parents, bound).unwrap().with_names(names);
        let mut world = WorldPose::default();
        model.hierarchy.resolve(&model.rest, DVec3::ZERO, &mut world);
        model.skins = vec![Skin {
            name: None,
            joints: vec![5, 0, 1, 2, 3, 4],
            joint_from_mesh: [5, 0, 1, 2, 3, 4]
                .map(|node| world.world_from_node(node).inverse())
                .to_vec(),
        }];
        model.rest.set_translation(5, Vec3::new(0.4, 0.0, 0.0));
        let raised = Quat::from_rotation_z(1.0);
        model.rest.set_rotation(1, raised);
        let track = Track::new(vec![0.0], Keys::Linear(vec![Quat::from_rotation_z(-0.5)]), 1);
        let channels = vec![Channel::Rotation { node: 3, track: track.unwrap() }];
        let clip = Clip::new(ClipParts { channels, duration_secs: 1.0, ..ClipParts::default() });
        let hands = |clip: &Clip| {
            let mut pose = model.rest.clone();
            clip.pose(0.0, &model.rest, &mut Default::default(), &mut pose);
            let mut world = WorldPose::default();
            model.hierarchy.resolve(&pose, DVec3::ZERO, &mut world);
            [2, 4].map(|node| Vec3::from(world.world_from_node(node).translation))
        };
        let [left, right] = hands(&clip);
        let [mirrored_left, mirrored_right] = hands(&mirrored_clips(&model, &[clip]).unwrap()[0]);
        let mirror = Mirror::along(0);
        assert!(mirrored_left.distance(mirror.position(right)) < 1e-5, "{mirrored_left} {right}");
        assert!(mirrored_right.distance(mirror.position(left)) < 1e-5, "{mirrored_right} {left}");
        assert!(!is_lopsided(&model));
        model.skins.clear();
        assert!(is_lopsided(&model));
    }

    /// The arms are numbered from either end, so that names pair an elbow with a wrist.
    #[test]
    fn partners_have_partners_as_parents() {
        let names =
            ["Hips", "L__4", "L__3", "L__2", "R", "R__2", "R__3", "Ear.L", "Ear.R", "Hat.L"];
        let places = [
            Vec3::Y,
            Vec3::X,
            Vec3::X,
            Vec3::X,
            Vec3::NEG_X,
            Vec3::NEG_X,
            Vec3::NEG_X,
            Vec3::new(0.1, 1.0, 0.0),
            Vec3::new(-0.1, 1.0, 0.0),
            Vec3::Z,
        ];
        let below = [0, 1, 2, 0, 4, 5, 0, 0, 0].map(Some);
        let parents = [&[None][..], &below].concat();
        let at = |translation: Vec3| Transform { translation, ..Transform::IDENTITY };
        let model = Model::from_nodes(&parents, places.map(at)).unwrap().with_names(names);
        let sides = Sides::find(&model, &model.rest).unwrap();
        let expected = [(1, 4), (2, 5), (3, 6), (7, 8)];
        for (left, right) in expected {
            assert_eq!(sides.partners[left], Some(right), "{}", names[left]);
            assert_eq!(sides.partners[right], Some(left), "{}", names[right]);
        }
        assert_eq!((sides.partners[0], sides.partners[9], sides.mirror.axis), (None, None, 0));
    }

    /// Hips and chest are mirrored and the hands only nearly, as in files of motion capture.
    #[test]
    fn the_plane_lies_between_most_pairs_and_upright() {
        let turned = |degrees: f32| -> Option<f32> {
            let turn = Quat::from_rotation_y(degrees.to_radians());
            let ways = [
                Vec3::new(0.2, 0.0, 0.0),
                Vec3::new(0.4, 0.1, 0.0),
                Vec3::new(-1.0, 0.0, 0.0),
                Vec3::new(1.5, -0.3, 0.3),
                Vec3::new(1.6, -0.3, 0.4),
                Vec3::ZERO,
            ];
            let normal = Mirror::of_ways(&ways.map(|way| turn * way), 0, 1)?.normal;
            assert_eq!(normal.y, 0.0);
            Some((-normal.z).atan2(normal.x).to_degrees())
        };
        assert_eq!(turned(0.0), None);
        for degrees in [-40.0, 2.0, 30.0] {
            let off = turned(degrees).unwrap() - degrees;
            assert!(off.abs() < 1e-3, "{degrees}: {off} degrees off");
        }
        let apart = [0.0, 0.5, 1.0].map(|angle: f32| Vec3::new(angle.cos(), 0.0, angle.sin()));
        assert_eq!(Mirror::of_ways(&apart, 0, 1), None);
        // What lies on its side has no upright plane between its sides.
        assert_eq!(Mirror::of_ways(&[Vec3::new(0.5, 1.0, 0.0)], 1, 1), None);
    }

    #[test]
    fn an_abbreviation_that_begins_with_a_capital_of_a_side_needs_no_partner() {
        for name in ["LEDstrip", "RBody", "RPGlauncher", "Chest"] {
            assert!(!lacks_partner(Some(name)), "{name}");
        }
        for name in ["Gun_R", "LeftGun", "RIGHT_GUN", "R Gun", "RightGun", "L_Gun"] {
            assert!(lacks_partner(Some(name)), "{name}");
        }
        assert!(!lacks_partner(None));
    }

    #[test]
    fn a_rig_without_sides_can_not_be_mirrored() {
        let mut model = rig();
        model.nodes.iter_mut().for_each(|node| node.name = Some("Bone".into()));
        assert_eq!(mirrored_clips(&model, &[]), Err(NoSides::NoPartners));
    }
}
