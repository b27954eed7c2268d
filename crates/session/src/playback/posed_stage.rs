//! Poses stages by what plays: at the present time, at others, and as the file's own clip does.

use super::{Playback, ShownClip};
use crate::{BasePose, Document};
use rigview_anim::{BlendLayer, Clip};
use rigview_model::{HeldRoot, PoseSource, Stage, Trail, TrailDetail};
use rigview_rig::add_expressions;

impl Playback {
    /// Poses the stage for the present clip and time, with the values that were set by hand.
    pub fn pose(&mut self) {
        self.update_layers();
        let Some(mut stage) = self.stage.take() else { return };
        if let Some(document) = &self.document {
            self.base.update(&document.model, stage.scene);
        }
        self.pose_base(&mut stage);
        self.stage = Some(stage);
    }

    /// Updates the layers that pose the stage, while other clips play beside the shown one.
    fn update_layers(&mut self) {
        if self.can_play() {
            self.mix.at_secs = self.time_secs();
        }
        if let (true, Some(document)) = (self.mix.is_on(), &self.document) {
            let clips = with_shown(document, &self.shown);
            self.mix.update(document, &clips, self.shown.index);
        }
    }

    /// Poses a stage in the chosen pose, which is by default that of the clip at its time.
    fn pose_base(&self, stage: &mut Stage) {
        let alone = |clip, time_secs| PoseSource::Clip(clip, time_secs);
        match (self.base.chosen, self.base.bind()) {
            (BasePose::Bind, Some(bind)) => {
                self.pose_stage(stage, PoseSource::Transforms(bind), None);
            }
            (BasePose::Rest | BasePose::Bind, _) => self.pose_stage(stage, alone(None, 0.0), None),
            (BasePose::ClipStart, _) => {
                self.pose_stage(stage, alone(self.shown_clip(), 0.0), None);
            }
            (BasePose::Clip, _) if self.mix.is_on() => self.pose_mixed(stage, self.mix.posed()),
            (BasePose::Clip, _) => {
                self.pose_stage(stage, alone(self.shown_clip(), self.time_secs()), self.held());
            }
        }
    }

    /// Poses a stage by layers of the file's clips.
    fn pose_mixed(&self, stage: &mut Stage, layers: &[BlendLayer]) {
        let Some(document) = &self.document else { return };
        let clips = with_shown(document, &self.shown);
        self.pose_stage(stage, PoseSource::Layers(&clips, layers), self.held());
    }

    /// Poses a stage of the scene by a source: then a root may be held, expressions add their weights, and values that
    /// were set by hand replace all others.
    fn pose_stage(&self, stage: &mut Stage, source: PoseSource<'_>, held: Option<HeldRoot>) {
        let Some(document) = &self.document else { return };
        let model = &document.model;
        stage.pose_with(model, source, held, |pose| {
            if let Some(vrm) = model.vrm.as_ref().filter(|_| self.shows_expressions()) {
                add_expressions(vrm, self.expressions.weights(), pose);
            }
            self.hand.put(pose);
        });
    }

    /// Returns the stage as the file's own clip poses it, with the values that were set by hand.
    pub(crate) fn exact_stage(&self) -> Option<Stage> {
        let mut stage = self.stage.clone()?;
        let alone = self.base() == BasePose::Clip && !self.mix.is_on();
        if self.shown.reformed.is_some() && alone {
            let source = PoseSource::Clip(self.clip(), self.time_secs());
            self.pose_stage(&mut stage, source, self.held());
        }
        Some(stage)
    }

    /// Poses another stage of the scene at a time of the shown clip, which is `offset_secs` from the present.
    pub(crate) fn pose_at(&self, stage: &mut Stage, time_secs: f64, offset_secs: f64) {
        let Some(document) = &self.document else { return };
        if self.mix.is_on() {
            self.pose_mixed(stage, &self.mix.posed_at(document, time_secs, offset_secs));
        } else {
            self.pose_stage(stage, PoseSource::Clip(self.shown_clip(), time_secs), self.held());
        }
    }

    /// Returns the path of a node over the shown clip, in the poses that seeking to each time shows: with the clips beside
    /// it, the root in its place while it is held, and the values that were set by hand.
    pub(crate) fn trail(&self, node: usize, detail: TrailDetail) -> Option<Trail> {
        let (document, stage) = self.document.as_ref().zip(self.stage.as_ref())?;
        let clip = self.shown_clip()?;
        Some(stage.trail(&document.model, clip, node, detail, |stage, time_secs| {
            if self.mix.layers.is_empty() {
                self.pose_stage(stage, PoseSource::Clip(Some(clip), time_secs), self.held());
            } else {
                self.pose_mixed(stage, &self.mix.sought(document, time_secs));
            }
        }))
    }
}

/// Returns the clips that layers are numbered by, the shown one in the form in which it plays.
fn with_shown<'a>(document: &'a Document, shown: &'a ShownClip) -> Vec<&'a Clip> {
    let mut clips = document.numbered_clips();
    if let (Some(index), Some(clip)) = (shown.index, &shown.reformed) {
        clips[index] = clip;
    }
    clips
}
