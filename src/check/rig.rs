//! What every rule starts from: a model, its joints and their names, and clips with what is declared of them.

use rayon::prelude::*;

use super::Contract;
use super::contract::ClipRules;
use crate::anim::{Channel, Clip, instants};
use crate::model::{Model, Stage};

/// Poses of single nodes and joint boxes that the clips of a file may cost together. Beyond, clips are
/// sampled at fewer instants, or not at all.
const MOST_WORK: usize = 400_000_000;

/// Instants at which a clip must be sampled to be judged.
const LEAST_INSTANTS: usize = 16;

/// A model with what the rules look up in it.
pub(super) struct Rig<'a> {
    pub model: &'a Model,
    /// The default scene at rest.
    pub stage: Stage,
    /// The joints of all skins in file order; in a file without skins and meshes, the nodes that serve as
    /// joints ([`Stage::joints`]).
    pub joints: Vec<usize>,
    pub is_joint: Vec<bool>,
    /// The number of ancestors of each node.
    pub depth: Vec<usize>,
    /// The cost of one instant: the things that a pose changes, and boxes of joints.
    work: usize,
}

impl<'a> Rig<'a> {
    pub fn new(model: &'a Model) -> Self {
        let stage = Stage::new(model, model.default_scene);
        let mut is_joint = vec![false; model.nodes.len()];
        let joints = model.skins.iter().flat_map(|skin| &skin.joints);
        joints.for_each(|joint| is_joint[*joint as usize] = true);
        if model.skins.is_empty() {
            stage.joints(model).into_iter().for_each(|joint| is_joint[joint] = true);
        }
        let mut depth = vec![0; model.nodes.len()];
        for &node in model.hierarchy.parents_first() {
            let parent = model.hierarchy.parent(node as usize);
            depth[node as usize] = parent.map_or(0, |parent| depth[parent] + 1);
        }
        let joints = (0..is_joint.len()).filter(|node| is_joint[*node]).collect();
        let boxes = model.meshes.iter().flat_map(|mesh| &mesh.primitives);
        let boxes: usize = boxes.map(|primitive| primitive.bounds.joints.len()).sum();
        let work = boxes + model.nodes.len() + model.materials.len() + model.lights.len();
        Self { model, stage, joints, is_joint, depth, work }
    }

    /// Returns a node's name; `None` if it has none or an empty one.
    pub fn name(&self, node: usize) -> Option<&'a str> {
        self.model.nodes[node].name.as_deref().filter(|name| !name.is_empty())
    }

    /// Returns a node's name in quotes, or its number.
    pub fn called(&self, node: usize) -> String {
        self.name(node).map_or_else(|| format!("node {node}"), |name| format!("\"{name}\""))
    }

    /// Returns the joint of a name, or else any node of that name.
    pub fn named(&self, name: &str) -> Option<usize> {
        let is = |node: &usize| self.name(*node) == Some(name);
        self.joints.iter().copied().find(is).or_else(|| (0..self.model.nodes.len()).find(is))
    }

    /// Returns the nodes whose place any clip changes: those that channels drive, and all below them.
    pub fn moved(&self) -> Vec<bool> {
        let mut moved = vec![false; self.model.nodes.len()];
        for channel in self.model.clips.iter().flat_map(Clip::channels) {
            moved[channel.node()] |= !matches!(channel, Channel::Weights { .. });
        }
        for &node in self.model.hierarchy.parents_first() {
            let parent = self.model.hierarchy.parent(node as usize);
            moved[node as usize] |= parent.is_some_and(|parent| moved[parent]);
        }
        moved
    }

    /// Returns the nodes of the scene that draw a skin, each mesh and skin once.
    pub fn skinned(&self) -> Vec<usize> {
        let mut seen = std::collections::HashSet::new();
        let nodes = self.stage.nodes.iter().copied();
        let of = |node: &usize| self.model.nodes[*node].mesh.zip(self.model.nodes[*node].skin);
        let moves = |mesh: usize| {
            let primitives = &self.model.meshes[mesh].primitives;
            let morphs = primitives.iter().any(|p| !p.targets.is_empty());
            (primitives.iter().any(|p| p.influences.is_some()), morphs)
        };
        nodes
            .filter(|node| {
                of(node).is_some_and(|pair| {
                    let (skinned, morphs) = moves(pair.0);
                    skinned && (seen.insert(pair) || morphs)
                })
            })
            .collect()
    }
}

/// A clip of a rig, with what the contract declares of it.
pub(super) struct Take<'a> {
    pub rig: &'a Rig<'a>,
    pub clip: &'a Clip,
    pub index: usize,
    pub rules: ClipRules,
    /// All keys and every 1/30 s, or fewer instants if the file would cost too much. Empty if it can't be
    /// posed at all: then only its keys are judged.
    pub times: Vec<f64>,
}

impl<'a> Take<'a> {
    pub fn new(rig: &'a Rig<'a>, index: usize, contract: &Contract) -> Self {
        let clip = &rig.model.clips[index];
        let mut times = instants(&[clip]);
        let most = MOST_WORK / rig.work.saturating_mul(rig.model.clips.len()).max(1);
        if most < LEAST_INSTANTS {
            log::warn!("clip {index} is not posed: the file has too many clips and nodes");
            times.clear();
        } else if times.len() > most {
            log::debug!("clip {index}: {most} of {} instants are sampled", times.len());
            let last = times.len() - 1;
            times = (0..most).map(|i| times[i * last / (most - 1)]).collect();
        }
        Self { rig, clip, index, rules: contract.rules_of(clip.name().unwrap_or_default()), times }
    }

    /// Returns the clip's name; `None` if it has none or an empty one.
    pub fn name(&self) -> Option<&'a str> {
        self.clip.name().filter(|name| !name.is_empty())
    }

    /// Returns the clip's name in quotes, or its number.
    pub fn called(&self) -> String {
        match self.name() {
            Some(name) => format!("clip \"{name}\""),
            None => format!("clip {}", self.index),
        }
    }

    /// Returns the clip's JSON pointer.
    pub fn pointer(&self) -> String {
        format!("/animations/{}", self.index)
    }

    /// Returns the time of the last key in seconds.
    pub fn end(&self) -> f64 {
        f64::from(self.clip.duration_secs())
    }

    /// Returns the scene posed at a time.
    pub fn stage_at(&self, time: f64) -> Stage {
        let mut stage = self.rig.stage.clone();
        stage.pose(self.rig.model, Some(self.clip), time);
        stage
    }

    /// Returns what `measure` returns of the scene posed at each of these times, on all cores.
    pub fn at_each<T: Send>(
        &self,
        times: &[f64],
        measure: impl Fn(&Stage) -> T + Sync + Send,
    ) -> Vec<T> {
        /// Instants per task: a stage is cloned for each.
        const CHUNK: usize = 64;
        let chunk = |times: &[f64]| {
            let mut stage = self.rig.stage.clone();
            let mut measured = Vec::with_capacity(times.len());
            for time in times {
                stage.pose(self.rig.model, Some(self.clip), *time);
                measured.push(measure(&stage));
            }
            measured
        };
        times.par_chunks(CHUNK).flat_map_iter(chunk).collect()
    }
}
