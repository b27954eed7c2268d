//! Figures: skeletons that hang together, with the skins that they carry and the rigid parts that move
//! with it. A file may have several, such as a crowd.

use rigview_anim::{Channel, Clip};
use rigview_model::Model;
use rigview_model::disjoint_sets::DisjointSets;

/// The nodes of a model by figure.
pub(super) struct Figures {
    /// The figure of each node; of a node that carries several figures or belongs to none, that of the rest of the scene.
    pub of_node: Vec<usize>,
    /// The number of figures. The last one is the rest of the scene, such as a machine of rigid parts.
    pub count: usize,
    /// Driven nodes with a rigid mesh on or below them that are no joints and carry none, such as the legs of a robot whose
    /// body is a skin.
    pub is_part: Vec<bool>,
    /// Joints, and parts that hang on something that moves: their place is that of a limb, and not that of a whole thing.
    pub is_limb: Vec<bool>,
    /// Nodes that are, or have below them, at least half of the joints and parts of a figure of three or more that is no prop.
    pub carries_figure: Vec<bool>,
    /// For each figure, whether it is no prop: has at least half as many joints as the largest skeleton.
    pub is_whole: Vec<bool>,
}

impl Figures {
    /// Finds the figures of a model. `carries` has its joints and all nodes above them.
    pub fn of(model: &Model, is_joint: &[bool], carries: &[bool]) -> Self {
        let hierarchy = &model.hierarchy;
        let (skeletons, count) = skeletons(model, is_joint);
        let rest = count;
        // The figure below each node: the rest, if there are several.
        let mut below = skeletons.clone();
        for node in hierarchy.parents_first().rev() {
            let (Some(parent), Some(figure)) = (hierarchy.parent(node), below[node]) else {
                continue;
            };
            let known = below[parent].filter(|known| *known != figure);
            below[parent] = Some(if known.is_some() { rest } else { figure });
        }
        let of_skin = |node: usize| {
            let joint = model.skins[model.nodes[node].skin?].joints.first()?;
            skeletons[*joint as usize]
        };
        let mut of_node = vec![rest; below.len()];
        for node in hierarchy.parents_first() {
            let above = hierarchy.parent(node).map_or(rest, |parent| of_node[parent]);
            of_node[node] =
                skeletons[node].or(below[node]).or_else(|| of_skin(node)).unwrap_or(above);
        }
        let driven = driven(model);
        let rigid = model.nodes.iter().map(|node| node.mesh.is_some() && node.skin.is_none());
        let has_rigid = hierarchy.with_ancestors(rigid.collect());
        let nodes = 0..of_node.len();
        let is_part: Vec<bool> =
            nodes.clone().map(|node| driven[node] && has_rigid[node] && !carries[node]).collect();
        let moves_others =
            |node: usize| is_joint[node] || is_part[node] || (driven[node] && carries[node]);
        let above = hierarchy.nearest_above(moves_others);
        let is_limb = nodes.map(|node| is_joint[node] || (is_part[node] && above[node].is_some()));
        let is_limb = is_limb.collect();
        let mut figures = Self {
            of_node,
            count: count + 1,
            is_part,
            is_limb,
            carries_figure: Vec::new(),
            is_whole: Vec::new(),
        };
        figures.weigh(model, is_joint);
        figures
    }

    /// Finds which figures are props, and which nodes carry the others.
    fn weigh(&mut self, model: &Model, is_joint: &[bool]) {
        /// The fewest joints and parts of which one may carry the figure.
        const LEAST: usize = 3;
        let hierarchy = &model.hierarchy;
        let is_counted = |node: usize| is_joint[node] || self.is_part[node];
        let mut held: Vec<usize> =
            (0..self.of_node.len()).map(|node| usize::from(is_counted(node))).collect();
        let mut all = vec![0; self.count];
        self.of_node.iter().zip(&held).for_each(|(figure, held)| all[*figure] += held);
        let largest = all[..self.count - 1].iter().copied().max().unwrap_or(0);
        self.is_whole = all.iter().map(|all| 2 * all >= largest).collect();
        for node in hierarchy.parents_first().rev() {
            if let Some(parent) = hierarchy.parent(node)
                && self.of_node[parent] == self.of_node[node]
            {
                held[parent] += held[node];
            }
        }
        let carries = self.of_node.iter().zip(&held);
        let carries = carries.map(|(figure, held)| {
            let all = all[*figure];
            self.is_whole[*figure] && all >= LEAST && 2 * held >= all
        });
        self.carries_figure = hierarchy.with_ancestors(carries.collect());
    }

    /// Returns how often each figure is in a list.
    pub fn counts(&self, figures: impl Iterator<Item = usize>) -> Vec<usize> {
        let mut counts = vec![0; self.count];
        figures.for_each(|figure| counts[figure] += 1);
        counts
    }

    /// Returns the figure of what belongs to no skeleton.
    pub fn rest(&self) -> usize {
        self.count - 1
    }
}

/// Returns the nodes whose translation, rotation or scale any clip drives.
fn driven(model: &Model) -> Vec<bool> {
    let mut driven = vec![false; model.nodes.len()];
    for channel in model.clips.iter().flat_map(Clip::channels) {
        driven[channel.node()] |= !matches!(channel, Channel::Weights { .. });
    }
    driven
}

/// Returns the skeleton of each joint, and their number. Joints of one skin and joints below each other are of one skeleton.
fn skeletons(model: &Model, is_joint: &[bool]) -> (Vec<Option<usize>>, usize) {
    let mut sets = DisjointSets::new(is_joint.len());
    let above = model.hierarchy.nearest_above(|node| is_joint[node]);
    let hanging = (0..is_joint.len()).filter(|node| is_joint[*node]);
    let hanging = hanging.filter_map(|node| Some((node, above[node]?)));
    let skinned = model.skins.iter().flat_map(|skin| {
        let joints = skin.joints.iter().map(|joint| *joint as usize);
        joints.clone().zip(joints.skip(1))
    });
    for (a, b) in hanging.chain(skinned) {
        sets.join(a, b);
    }
    let (mut numbers, mut count) = (vec![None; is_joint.len()], 0);
    for node in (0..is_joint.len()).filter(|node| is_joint[*node]) {
        let root = sets.root(node);
        // In file order.
        if numbers[root].is_none() {
            numbers[root] = Some(count);
            count += 1;
        }
        numbers[node] = numbers[root];
    }
    (numbers, count)
}
