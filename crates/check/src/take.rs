//! A clip that is judged: its instants, and what the contract declares of it.

use std::collections::HashMap;

use glam::Vec3;
use rayon::prelude::*;

use super::contract::{ClipRules, Contract};
use super::rig::Rig;
use rigview_anim::{Channel, Clip, Track, instants};
use rigview_model::{Stage, short_name};

/// Poses of single nodes and joint boxes that the clips of a file may cost together. Beyond, clips are
/// sampled at fewer instants, or not at all.
const MOST_WORK: usize = 200_000_000;

/// Instants at which a clip must be sampled to be judged.
const LEAST_INSTANTS: usize = 16;

/// A clip of a rig, with what the contract declares of it.
pub(super) struct Take<'a> {
    pub rig: &'a Rig<'a>,
    pub clip: &'a Clip,
    pub index: usize,
    pub rules: ClipRules,
    /// All keys and every 1/30 s, or fewer instants if the file would cost too much. Empty if it can't be
    /// posed at all: then only its keys are judged.
    pub times: Vec<f64>,
    /// The tracks of scales by node.
    pub scales: HashMap<usize, &'a Track<Vec3>>,
}

impl<'a> Take<'a> {
    pub fn new(rig: &'a Rig<'a>, index: usize, contract: &Contract) -> Self {
        let clip = &rig.model.clips[index];
        let mut times = instants(&[clip]);
        let most = MOST_WORK / rig.work.saturating_mul(rig.model.clips.len()).max(1);
        if most < LEAST_INSTANTS {
            times.clear();
        } else if times.len() > most {
            log::debug!("clip {index}: {most} of {} instants are sampled", times.len());
            let last = times.len() - 1;
            times = (0..most).map(|i| times[i * last / (most - 1)]).collect();
        }
        let rules = contract.rules_of(clip.name().unwrap_or_default());
        let scales = clip.channels().iter().filter_map(|channel| match channel {
            Channel::Scale { node, track } => Some((*node, track)),
            _ => None,
        });
        Self { rig, clip, index, rules, times, scales: scales.collect() }
    }

    /// Returns the clip's name; `None` if it has none or an empty one.
    pub fn name(&self) -> Option<&'a str> {
        self.clip.name().filter(|name| !name.is_empty())
    }

    /// Returns the clip's name in quotes, or its number.
    pub fn called(&self) -> String {
        match self.name() {
            Some(name) => format!("clip \"{}\"", short_name(name)),
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
