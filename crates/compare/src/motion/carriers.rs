//! What moves a pair of points: the joints of both models, with their weights.

use std::collections::HashMap;

use glam::{Affine3A, Vec3};

use crate::measured::PairedPoints;
use crate::pairing::pairs::Pairs;
use crate::side::{Posed, Side};

/// A joint of a skin, or a node that draws points without joints, itself or as an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Carrier {
    Joint {
        skin: u32,
        joint: u16,
    },
    Node(u32),
    /// By its number in the layout of the points.
    Instance(u32),
}

impl Carrier {
    pub fn node(self, side: &Side) -> usize {
        match self {
            Self::Joint { skin, joint } => {
                side.model.skins[skin as usize].joints[usize::from(joint)] as usize
            }
            Self::Node(node) => node as usize,
            Self::Instance(number) => side.motion.instance(number as usize).0,
        }
    }

    fn is_rigid(self) -> bool {
        matches!(self, Self::Node(_) | Self::Instance(_))
    }

    /// Returns the matrix from the mesh to the scene in the present pose.
    pub fn matrix(self, side: &Side, posed: &Posed) -> Affine3A {
        match self {
            Self::Joint { skin, joint } => {
                side.model.skins[skin as usize].joint_matrix(usize::from(joint), &posed.stage.world)
            }
            Self::Node(node) => posed.world_from_node(node as usize),
            Self::Instance(number) => {
                let (node, node_from_instance) = side.motion.instance(number as usize);
                posed.world_from_node(node) * node_from_instance
            }
        }
    }
}

/// The part of a place that one carrier moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    pub carrier: Carrier,
    pub weight: f32,
    /// The place in its mesh's space, of which this is a part.
    pub at: Vec3,
}

/// The carriers of both places of a pair.
#[derive(Default)]
pub(crate) struct Carried {
    pub shares: [Vec<Share>; 2],
}

impl Carried {
    /// Finds what moves a pair of points.
    pub fn find(&mut self, sides: [&Side; 2], points: &PairedPoints, pair: usize) {
        self.shares.iter_mut().for_each(Vec::clear);
        if let Some(pair) = points.pairs.get(pair) {
            (0..2).for_each(|side| self.add(sides, side, pair[side], 1.0));
            return;
        }
        let foot = &points.feet[pair - points.pairs.len()];
        self.add(sides, foot.side, foot.point, 1.0);
        for (corner, share) in foot.corners.into_iter().zip(foot.shares) {
            if share != 0.0 {
                self.add(sides, 1 - foot.side, corner, share);
            }
        }
    }

    fn add(&mut self, sides: [&Side; 2], side: usize, point: u32, share: f32) {
        let (motion, point) = (&sides[side].motion, point as usize);
        let (at, shares) = (motion.mesh_position(point), &mut self.shares[side]);
        let mut put = |carrier: Carrier, weight: f32| match shares
            .iter_mut()
            .find(|share| share.carrier == carrier)
        {
            None => shares.push(Share { carrier, weight, at }),
            Some(known) => {
                known.weight += weight;
                known.at += weight / known.weight * (at - known.at);
            }
        };
        let mut is_rigid = true;
        motion.for_each_influence(point, |(skin, joint, weight)| {
            is_rigid = false;
            put(Carrier::Joint { skin: skin as u32, joint }, share * weight);
        });
        if is_rigid {
            let node = || Carrier::Node(motion.place(point).node as u32);
            let instance = motion.instance_of(point).map(|number| Carrier::Instance(number as u32));
            put(instance.unwrap_or_else(node), share);
        }
    }
}

/// Finds the carrier of B that is the partner of one of A.
pub(crate) struct Partners<'a> {
    sides: [&'a Side<'a>; 2],
    nodes: &'a Pairs,
    /// By skin of B, the joint of each of its nodes.
    joints: Vec<HashMap<usize, u16>>,
}

impl<'a> Partners<'a> {
    pub fn new(sides: [&'a Side<'a>; 2], nodes: &'a Pairs) -> Self {
        let of_skin = |skin: &rigview_anim::Skin| {
            let joints = skin.joints.iter().enumerate();
            // Indices of 16 bits reach all joints that move a vertex.
            joints.filter_map(|(i, node)| Some((*node as usize, u16::try_from(i).ok()?))).collect()
        };
        let joints = sides[1].model.skins.iter().map(of_skin).collect();
        Self { sides, nodes, joints }
    }

    /// Returns the partner of a carrier of A among those that move a place of B, or beside them in the same skin.
    pub fn partner(&self, of_a: Carrier, of_b: &[Share]) -> Option<Carrier> {
        let node = of_a.node(self.sides[0]);
        if let [Share { carrier: only, .. }] = of_b
            && of_a.is_rigid()
            && only.is_rigid()
        {
            return Some(*only);
        }
        let node = self.nodes.b_of(node)?;
        let is_partner = |share: &&Share| share.carrier.node(self.sides[1]) == node;
        of_b.iter().find(is_partner).map(|share| share.carrier).or_else(|| {
            let Carrier::Joint { skin, .. } = of_b.first()?.carrier else { return None };
            let joint = *self.joints[skin as usize].get(&node)?;
            Some(Carrier::Joint { skin, joint })
        })
    }
}
