//! Clips with left and right exchanged.
//!
//! The rig and its clips are mirrored at a plane through the scene, and the names of left and right joints exchanged.
//! The rig then follows the mirrored one joint by joint, as it follows a clip of another file: with the same turns from
//! rest, whatever the joints' own axes.

use glam::{DVec3, Mat3A, Quat, Vec3};

use super::borrowed::{RetargetError, RetargetOptions, borrowed_clips};
use super::rig_map::MapChoice;
use crate::anim::{
    Channel, Clip, ClipParts, FixedNode, Hierarchy, LocalPose, Track, Transform, WorldPose,
};
use crate::model::humanoid::body_side::{BodySide, mirrored_name, namesakes};
use crate::model::{Mesh, Model, Node};

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

/// Returns the clips of a model with left and right exchanged.
///
/// # Errors
/// If no node has a partner on the other side, or the result takes too much memory.
pub fn mirrored_clips(model: &Model, clips: &[Clip]) -> Result<Vec<Clip>, NoSides> {
    let sides = Sides::of(model).ok_or(NoSides::NoPartners)?;
    let mirrored = Mirror { axis: sides.axis }.model(model, &sides.partners, clips);
    let options = RetargetOptions { map: MapChoice::Exact, ..RetargetOptions::default() };
    Ok(borrowed_clips(model, &mirrored, &options)?.clips)
}

/// Returns the nodes whose names have a side, but that have no partner on the other side: they keep their own motion.
pub fn unmirrored_nodes(model: &Model) -> Vec<usize> {
    let Some(sides) = Sides::of(model) else { return Vec::new() };
    let has_side =
        |name: &Option<&str>| name.is_some_and(|name| BodySide::of_name(name) != BodySide::Center);
    let nodes = names(model).into_iter().enumerate().filter(|(_, name)| has_side(name));
    nodes.map(|(node, _)| node).filter(|node| sides.partners[*node].is_none()).collect()
}

/// The nodes of a rig on the two sides of its body.
struct Sides {
    /// The node on the other side, per node.
    partners: Vec<Option<usize>>,
    /// The axis of the scene along which they lie apart at rest.
    axis: usize,
}

impl Sides {
    /// Pairs nodes by their names, so that the parents of partners are partners too. Where names do not fit, as with
    /// exporters that number both sides in another order, a node is paired with the one below the partner of its parent
    /// that is nearest to its mirrored place. `None` if no node has a partner by name.
    fn of(model: &Model) -> Option<Self> {
        let mut world = WorldPose::default();
        model.hierarchy.resolve(&model.rest, DVec3::ZERO, &mut world);
        let place = |node: usize| Vec3::from(world.world_from_node(node).translation);
        let names = names(model);
        let by_name = namesakes(&names);
        let side: Vec<BodySide> =
            names.iter().map(|name| name.map_or(BodySide::Center, BodySide::of_name)).collect();
        let mut apart = Vec3::ZERO;
        for (left, partner) in by_name.iter().enumerate() {
            if let Some(right) = partner.filter(|_| side[left] == BodySide::Left) {
                let way = (place(left) - place(right)).abs();
                // Joints in one place only show that there are partners.
                let least = Vec3::splat(f32::MIN_POSITIVE);
                apart += if way.is_finite() { way + least } else { Vec3::ZERO };
            }
        }
        let axis = Some(apart).filter(|apart| *apart != Vec3::ZERO)?.max_position();
        let mirror = Mirror { axis };

        let mut partners: Vec<Option<usize>> = vec![None; names.len()];
        let parent = |node: usize| model.hierarchy.parent(node);
        let lefts = || {
            let order = model.hierarchy.parents_first();
            order.filter(|node| side[*node] == BodySide::Left)
        };
        for left in lefts() {
            let above = parent(left).map(|above| partners[above].unwrap_or(above));
            let fits = |right: usize| parent(right) == above && partners[right].is_none();
            let mirrored = mirror.place(place(left));
            let off = |right: usize| place(right).distance(mirrored);
            let below =
                (0..names.len()).filter(|node| side[*node] == BodySide::Right && fits(*node));
            let nearest = below.min_by(|a, b| off(*a).total_cmp(&off(*b)));
            let is_near = |right: &usize| off(*right) < 0.5 * place(*right).distance(place(left));
            let right = by_name[left].filter(|right| fits(*right)).or(nearest.filter(is_near));
            if let Some(right) = right {
                (partners[left], partners[right]) = (Some(right), Some(left));
            }
        }
        // The rest goes by name, whatever the parents are.
        for left in lefts() {
            let right = by_name[left].filter(|right| partners[*right].is_none());
            if let Some(right) = right.filter(|_| partners[left].is_none()) {
                (partners[left], partners[right]) = (Some(right), Some(left));
            }
        }
        Some(Self { partners, axis })
    }
}

fn names(model: &Model) -> Vec<Option<&str>> {
    model.nodes.iter().map(|node| node.name.as_deref()).collect()
}

/// A mirror at the plane through the origin that is perpendicular to an axis.
#[derive(Clone, Copy)]
struct Mirror {
    axis: usize,
}

impl Mirror {
    fn place(self, mut place: Vec3) -> Vec3 {
        place[self.axis] = -place[self.axis];
        place
    }

    /// Returns the rotation whose matrix is that of `turn` between two mirrors.
    fn turn(self, turn: Quat) -> Quat {
        let mut numbers = (-turn).to_array();
        numbers[self.axis] = -numbers[self.axis];
        numbers[3] = -numbers[3];
        Quat::from_array(numbers)
    }

    /// Returns the mirrored rig with mirrored clips: each local matrix stands between two mirrors, and so does each
    /// matrix in the scene.
    fn model(self, model: &Model, partners: &[Option<usize>], clips: &[Clip]) -> Model {
        let nodes = |(index, node): (usize, &Node)| {
            // A node without a partner on the other side has no place in the mirrored rig.
            let is_central =
                node.name.as_deref().is_none_or(|name| BodySide::of_name(name) == BodySide::Center);
            let name = match partners[index] {
                Some(partner) => model.nodes[partner].name.clone(),
                None => node.name.clone().filter(|_| is_central),
            };
            Node { name, ..node.clone() }
        };
        let transform = |node: usize| {
            let Transform { translation, rotation, scale } = model.rest.transform(node);
            Transform { translation: self.place(translation), rotation: self.turn(rotation), scale }
        };
        let count = model.nodes.len();
        let weights: Vec<&[f32]> = (0..count).map(|node| model.rest.weights(node)).collect();
        let mirror = Mat3A::from_diagonal(self.place(Vec3::ONE));
        let fixed = model.hierarchy.fixed().iter().map(|fixed| {
            let mut matrix = fixed.parent_from_node;
            matrix.matrix3 = mirror * matrix.matrix3 * mirror;
            matrix.translation = mirror * matrix.translation;
            FixedNode { node: fixed.node, parent_from_node: matrix }
        });
        let parents = (0..count).map(|node| model.hierarchy.parent(node).map(|p| p as u32));
        // The tree of a model has no cycles.
        let hierarchy = Hierarchy::new(parents.collect(), fixed.collect());
        let names = |mesh: &Mesh| {
            let names = mesh.target_names.iter();
            Mesh {
                name: mesh.name.clone(),
                weights: mesh.weights.clone(),
                target_names: names
                    .map(|name| mirrored_name(name).unwrap_or_else(|| name.clone()))
                    .collect(),
                ..Mesh::default()
            }
        };
        Model {
            scenes: model.scenes.clone(),
            default_scene: model.default_scene,
            nodes: model.nodes.iter().enumerate().map(nodes).collect(),
            hierarchy: hierarchy.unwrap_or_default(),
            rest: LocalPose::new((0..count).map(transform).collect(), &weights),
            meshes: model.meshes.iter().map(names).collect(),
            skins: model.skins.clone(),
            clips: clips.iter().map(|clip| self.clip(clip)).collect(),
            budget: model.budget.clone(),
            ..Model::default()
        }
    }

    fn clip(self, clip: &Clip) -> Clip {
        let channel = |channel: &Channel| match channel {
            Channel::Translation { node, track } => Channel::Translation {
                node: *node,
                track: mapped(track, |place| self.place(place)),
            },
            Channel::Rotation { node, track } => {
                Channel::Rotation { node: *node, track: mapped(track, |turn| self.turn(turn)) }
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
fn mapped<T: crate::anim::Value>(track: &Track<T>, change: impl Fn(T) -> T) -> Track<T> {
    let all = |list: &[T]| list.iter().map(|x| change(*x)).collect();
    let keys = track.keys().map(all, all);
    // Never an error: times and numbers of values are those of a track.
    Track::new(track.times().to_vec(), keys, track.width()).unwrap_or_else(|_| track.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::Keys;
    use crate::model::sample::{named, tree};
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
        Model { nodes: named(NAMES), ..tree(&[None, Some(0), Some(0), Some(2)], transforms) }
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
        let model = Model { nodes: named(names), ..tree(&parents, places.map(at)) };
        let sides = Sides::of(&model).unwrap();
        let expected = [(1, 4), (2, 5), (3, 6), (7, 8)];
        for (left, right) in expected {
            assert_eq!(sides.partners[left], Some(right), "{}", names[left]);
            assert_eq!(sides.partners[right], Some(left), "{}", names[right]);
        }
        assert_eq!((sides.partners[0], sides.partners[9], sides.axis), (None, None, 0));
    }

    #[test]
    fn a_rig_without_sides_can_not_be_mirrored() {
        let mut model = rig();
        model.nodes.iter_mut().for_each(|node| node.name = Some("Bone".into()));
        assert_eq!(mirrored_clips(&model, &[]), Err(NoSides::NoPartners));
    }
}
