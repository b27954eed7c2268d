//! How a person poses by hand: the tool in use, its axes, the actions, and the values that were set.

pub(super) mod history;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};

use crate::same_part::NodesByName;
use rigview_anim::LocalPose;
use rigview_model::{Model, Stage, bind_pose};
use rigview_report::{GivenPose, HandMade, HandMadeNode};

rigview_anim::named_enum! {
    /// What a drag in the picture does to the selected node.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Tool {
        /// Nothing: clicks select, drags move the camera.
        #[default]
        Select = "select",
        /// Moves it.
        Move = "move",
        /// Turns it.
        Rotate = "rotate",
        /// Scales it.
        Scale = "scale",
    }
}

rigview_anim::named_enum! {
    /// The axes that a node is moved along and turned about. It is always scaled along its own.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Axes {
        /// Its own, as it is turned.
        #[default]
        Local = "local",
        /// Those of its parent.
        Parent = "parent",
        /// Those of the scene.
        World = "world",
    }
}

/// A change of the pose by hand or of how it is made.
#[derive(Clone, Debug)]
pub enum PoseAction {
    /// Sets a value of a node. Values that the node can't have are ignored.
    Set(usize, HandValue),
    /// Lets values of a node follow the clip again.
    Reset(usize, HandField),
    /// Lets everything follow the clip again.
    ResetAll,
    /// A drag begins: the changes up to its end are undone together.
    Begin,
    /// The drag has ended.
    End,
    /// Takes back what the drag has changed.
    Cancel,
    /// Takes back the last change of the pose or of what is hidden.
    Undo,
    /// Makes the last change again that was taken back.
    Redo,
    /// Chooses the tool.
    SetTool(Tool),
    /// Chooses the axes.
    SetAxes(Axes),
    /// Chooses the next axes.
    NextAxes,
    /// Chooses the pose under the values that were set by hand.
    SetBase(BasePose),
    /// Asks for a file to save the pose to.
    Save,
    /// Asks for a file to load a pose from.
    Load,
    /// Replaces what was set by hand by the pose of a file.
    Take(Box<GivenPose>),
}

/// How a person poses: the tool and its axes.
#[derive(Clone, Debug, Default)]
pub struct Posing {
    pub(super) tool: Tool,
    pub(super) axes: Axes,
}

impl Posing {
    /// The tool in use.
    pub fn tool(&self) -> Tool {
        self.tool
    }

    /// The axes of the tool.
    pub fn axes(&self) -> Axes {
        self.axes
    }
}

rigview_anim::named_enum! {
    /// The pose under the values that are set by hand.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum BasePose {
        /// The clip at its time, with the clips beside it; the nodes' own transforms if no clip is shown.
        #[default]
        Clip = "clip",
        /// The clip at time 0.
        ClipStart = "clip-start",
        /// The nodes' own transforms.
        Rest = "rest",
        /// The pose that the inverse bind matrices belong to.
        Bind = "bind",
    }
}

/// The chosen pose, and the bind pose once it was needed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Base {
    pub chosen: BasePose,
    bind: Option<LocalPose>,
}

impl Base {
    /// Forgets what belongs to the file; `again` means that the same file is read again.
    pub fn forget(&mut self, again: bool) {
        self.bind = None;
        if !again {
            self.chosen = BasePose::Clip;
        }
    }

    /// Computes the bind pose of a scene, if it is chosen and was not computed before.
    pub fn update(&mut self, model: &Model, scene: usize) {
        if self.chosen == BasePose::Bind && self.bind.is_none() {
            self.bind = Some(bind_pose(model, &Stage::new(model, scene)));
        }
    }

    /// The bind pose, once it was needed.
    pub fn bind(&self) -> Option<&LocalPose> {
        self.bind.as_ref()
    }
}

/// A value to set by hand, relative to the node's parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HandValue {
    /// The translation.
    Translation(Vec3),
    /// The rotation. A quaternion that is not of unit length is normalised.
    Rotation(Quat),
    /// The scale.
    Scale(Vec3),
    /// The weight of a morph target.
    Weight(usize, f32),
}

/// Values of a node that are reset together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandField {
    /// The translation.
    Translation,
    /// The rotation.
    Rotation,
    /// The scale.
    Scale,
    /// The weight of a morph target.
    Weight(usize),
    /// All weights.
    Weights,
    /// All values.
    All,
}

/// The values that were set by hand, by node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HandPose {
    nodes: BTreeMap<usize, HandMade>,
}

impl HandPose {
    /// Whether no value was set by hand.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The nodes with values that were set by hand, and these values.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (usize, &HandMade)> {
        self.nodes.iter().map(|(node, values)| (*node, values))
    }

    /// The values of a node that were set by hand; `None` if there are none.
    pub fn get(&self, node: usize) -> Option<&HandMade> {
        self.nodes.get(&node)
    }

    /// The number of values that were set by hand.
    pub fn count(&self) -> usize {
        self.nodes.values().map(HandMade::count).sum()
    }

    /// Returns the values with the names of their nodes, to be saved.
    pub fn named(&self, model: &Model) -> Vec<HandMadeNode> {
        let name = |node: usize| model.nodes.get(node).and_then(|n| n.name.clone());
        let entry = |(index, values): (usize, &HandMade)| HandMadeNode {
            index,
            name: name(index).unwrap_or_default(),
            values: values.clone(),
        };
        self.nodes().map(entry).collect()
    }

    /// Replaces the values of a node; `None` lets all of them follow the clip again. Returns the former ones.
    pub(crate) fn replace(&mut self, node: usize, values: Option<HandMade>) -> Option<HandMade> {
        match values.filter(|values| !values.is_empty()) {
            Some(values) => self.nodes.insert(node, values),
            None => self.nodes.remove(&node),
        }
    }

    /// Overwrites what was set by hand in a pose of the model.
    pub(crate) fn apply(&self, pose: &mut LocalPose) {
        for (node, values) in &self.nodes {
            if let Some(translation) = values.translation {
                pose.set_translation(*node, translation.into());
            }
            if let Some(rotation) = values.rotation {
                pose.set_rotation(*node, Quat::from_array(rotation));
            }
            if let Some(scale) = values.scale {
                pose.set_scale(*node, scale.into());
            }
            let weights = pose.weights_mut(*node);
            for (target, weight) in &values.weights {
                weights[*target] = *weight;
            }
        }
    }

    /// Returns the values that a file that was read again keeps: those of nodes that have the same index and the same
    /// name in it, or else of the only node of that name. Also returns the number of the others.
    pub(crate) fn carried_over(&self, before: &Model, after: &Model) -> (Self, usize) {
        Self::of_entries(after, self.named(before))
    }
}

impl HandPose {
    /// Returns the values of entries that a model has the nodes for, and the number of the other entries.
    pub(crate) fn of_entries(model: &Model, entries: Vec<HandMadeNode>) -> (Self, usize) {
        let by_name = NodesByName::new(model);
        let count = entries.len();
        let placed = |entry| placed(model, &by_name, entry);
        let nodes: BTreeMap<usize, HandMade> = entries.into_iter().filter_map(placed).collect();
        let missing = count - nodes.len();
        (Self { nodes }, missing)
    }
}

/// Returns the values of a pose file for a model: those that were set by hand if the file tells some apart, or else all
/// that differ from the rest pose or that a clip of the model drives. Also returns the number of nodes that the model
/// does not have.
pub(crate) fn values_of_file(model: &Model, file: GivenPose) -> (BTreeMap<usize, HandMade>, usize) {
    let by_name = NodesByName::new(model);
    let placed = |entry: HandMadeNode| placed(model, &by_name, entry);
    // A file in which nothing was set by hand is the pose of its clip.
    let expresses = file.expressions.is_some_and(|weights| !weights.is_empty());
    let by_hand = file.by_hand.filter(|made| !made.is_empty() || expresses);
    let entries = match by_hand {
        Some(entries) => entries,
        None => {
            let driven = driven_nodes(model);
            let entry = |given: rigview_report::NodePose| {
                let weights = given.weights.unwrap_or_default().into_iter().enumerate().collect();
                let values = HandMade {
                    translation: given.translation,
                    rotation: given.rotation,
                    scale: given.scale,
                    weights,
                };
                HandMadeNode { index: given.index, name: given.name, values }
            };
            let entries = file.nodes.into_iter().map(entry);
            let changes = |entry: &HandMadeNode| match placed(entry.clone()) {
                Some((node, values)) => driven[node] || differs(model, node, &values),
                None => true,
            };
            entries.filter(changes).collect()
        }
    };
    let count = entries.len();
    let placed: BTreeMap<usize, HandMade> = entries.into_iter().filter_map(placed).collect();
    let missing = count - placed.len();
    (placed, missing)
}

/// Returns for each node whether a clip of the file drives it.
fn driven_nodes(model: &Model) -> Vec<bool> {
    let mut driven = vec![false; model.nodes.len()];
    for channel in model.clips.iter().flat_map(|clip| clip.channels()) {
        driven[channel.node()] = true;
    }
    driven
}

/// Whether values differ from the node's own.
fn differs(model: &Model, node: usize, values: &HandMade) -> bool {
    let (rest, weights) = (model.rest.transform(node), model.rest.weights(node));
    values.translation.is_some_and(|t| t != rest.translation.to_array())
        || values.rotation.is_some_and(|r| r != rest.rotation.to_array())
        || values.scale.is_some_and(|s| s != rest.scale.to_array())
        || values.weights.iter().any(|(target, weight)| weights[*target] != *weight)
}

/// Returns the node of a model that an entry belongs to, with the values that the node can have.
fn placed(
    model: &Model,
    by_name: &NodesByName<'_>,
    entry: HandMadeNode,
) -> Option<(usize, HandMade)> {
    let node = by_name.find(entry.index, &entry.name)?;
    let values = possible(model, node, entry.values);
    (!values.is_empty()).then_some((node, values))
}

/// Returns of some values those that a node can have: numbers that are finite, weights of targets that exist, and no
/// transform for a node whose matrix no pose changes.
pub(crate) fn possible(model: &Model, node: usize, values: HandMade) -> HandMade {
    let moves = !is_fixed(model, node);
    let finite = |list: &[f32]| list.iter().all(|x| x.is_finite());
    let unit = |rotation: [f32; 4]| {
        let rotation = Quat::from_array(rotation);
        // A unit quaternion keeps its bits, so that a saved pose is restored exactly.
        if rotation.is_normalized() {
            return Some(rotation.to_array());
        }
        let length = rotation.length();
        (length.is_normal()).then(|| (rotation / length).to_array())
    };
    let targets = model.rest.weights(node).len();
    let mut weights = values.weights;
    weights.retain(|(target, weight)| *target < targets && weight.is_finite());
    weights.sort_unstable_by_key(|(target, _)| *target);
    weights.dedup_by_key(|(target, _)| *target);
    HandMade {
        translation: values.translation.filter(|t| moves && finite(t)),
        rotation: values.rotation.filter(|_| moves).and_then(unit),
        scale: values.scale.filter(|s| moves && finite(s)),
        weights,
    }
}

/// Whether a node has a matrix that no pose changes, such as a sheared one.
pub(crate) fn is_fixed(model: &Model, node: usize) -> bool {
    model.hierarchy.fixed_matrix(node).is_some()
}

/// Returns the values of a node with one more.
pub(crate) fn with(mut values: HandMade, value: HandValue) -> HandMade {
    match value {
        HandValue::Translation(to) => values.translation = Some(to.to_array()),
        HandValue::Rotation(to) => values.rotation = Some(to.to_array()),
        HandValue::Scale(to) => values.scale = Some(to.to_array()),
        HandValue::Weight(target, to) => {
            match values.weights.binary_search_by_key(&target, |(target, _)| *target) {
                Ok(at) => values.weights[at].1 = to,
                Err(at) => values.weights.insert(at, (target, to)),
            }
        }
    }
    values
}

/// Returns the values of a node without some.
pub(crate) fn without(mut values: HandMade, field: HandField) -> HandMade {
    match field {
        HandField::Translation => values.translation = None,
        HandField::Rotation => values.rotation = None,
        HandField::Scale => values.scale = None,
        HandField::Weight(target) => values.weights.retain(|(other, _)| *other != target),
        HandField::Weights => values.weights.clear(),
        HandField::All => values = HandMade::default(),
    }
    values
}
