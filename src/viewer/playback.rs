//! Clips, time and steps: what of the session a transport shows and moves.

use super::mix::LONGEST_FADE;
use super::notice::Notice;
use super::{LayerSettings, Mark, Viewer};
use crate::anim::{Clip, Repeat, TimeBase};
use crate::report::{ClipForm, FormOptions, clip_in_form};

/// The fastest playback, either way.
const MAX_SPEED: f64 = 16.0;

/// How near to a key a time counts as on it: far below any key distance, far above what a double
/// loses.
const ON_KEY: f64 = 1e-6;

/// Where a transport stands.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Instant {
    /// The clip's time.
    pub time_secs: f64,
    /// The clip's end; 0 where there is none.
    pub duration_secs: f64,
    /// The frame nearest to the time.
    pub frame: u64,
    /// The frame nearest to the end.
    pub last_frame: u64,
    /// The in and out points; the whole clip where none are set.
    pub range_secs: [f64; 2],
}

impl Viewer {
    /// The clip that is shown; none for the rest pose.
    pub fn clip(&self) -> Option<&Clip> {
        self.document.as_ref()?.clip(self.clip?)
    }

    /// Its end; 0 for the rest pose.
    pub fn duration_secs(&self) -> f64 {
        self.clip().map_or(0.0, |c| f64::from(c.duration_secs()))
    }

    /// Time and frame, now and at the end.
    pub fn instant(&self) -> Instant {
        let (time_secs, duration_secs) = (self.time_secs(), self.duration_secs());
        let base = TimeBase::per_sec(self.fps);
        let frame = |secs: f64| base.ticks(secs).round() as u64;
        let (frame, last_frame) = (frame(time_secs), frame(duration_secs));
        let range_secs = self.player.range_secs(duration_secs);
        Instant { time_secs, duration_secs, frame, last_frame, range_secs }
    }

    /// The clip's time; 0 in the rest pose.
    pub fn time_secs(&self) -> f64 {
        if self.clip.is_some() { self.player.time_secs() } else { 0.0 }
    }

    /// Whether the picture changes as time passes.
    pub fn is_moving(&self) -> bool {
        let mixed = self.mix.is_fading() || self.layers_last();
        self.player.playing && (self.player.speed != 0.0 && self.can_play() || mixed)
    }

    /// The clips that play beside the shown one.
    pub fn layers(&self) -> &[LayerSettings] {
        &self.mix.layers
    }

    /// How long it takes from one clip to the next.
    pub fn fade_secs(&self) -> f64 {
        self.mix.fade_secs
    }

    fn layers_last(&self) -> bool {
        let lasts = |clip: usize| {
            let clip = self.document.as_ref().and_then(|document| document.clip(clip));
            clip.is_some_and(|clip| clip.duration_secs() > 0.0)
        };
        self.player.speed != 0.0 && self.mix.layers.iter().any(|layer| lasts(layer.clip))
    }

    /// Whether there is anything to play: a clip that lasts.
    pub fn can_play(&self) -> bool {
        self.duration_secs() > 0.0
    }

    /// The times of all keys of the clip, increasing.
    pub fn key_times(&self) -> &[f32] {
        &self.key_times
    }

    pub(super) fn advance(&mut self, step_secs: f64) {
        if self.is_moving() {
            let (speed, repeat) = (self.player.speed, self.player.repeat());
            if let Some(document) = &self.document {
                self.mix.advance(document, step_secs, speed, repeat);
            }
            self.player.advance(step_secs, self.duration_secs());
        }
    }

    pub(super) fn set_fade(&mut self, secs: f64) {
        if secs.is_finite() {
            self.mix.fade_secs = secs.clamp(0.0, LONGEST_FADE);
        }
    }

    /// Takes the layers that name a clip and a node which are there.
    pub(super) fn set_layers(&mut self, mut layers: Vec<LayerSettings>) {
        let Some(document) = &self.document else { return };
        let nodes = document.model.nodes.len();
        layers.retain(|layer| {
            layer.clip < document.clips().len() && layer.joint.is_none_or(|joint| joint < nodes)
        });
        for layer in &mut layers {
            layer.weight =
                if layer.weight.is_finite() { layer.weight.clamp(0.0, 1.0) } else { 0.0 };
        }
        self.mix.set_layers(layers);
        self.pose();
    }

    pub(super) fn toggle_play(&mut self) {
        if self.can_play() || self.layers_last() {
            self.player.toggle(self.duration_secs());
        }
    }

    pub(super) fn seek(&mut self, time_secs: f64) {
        if self.clip.is_some() {
            self.player.seek(time_secs, self.duration_secs());
            let time_secs = self.player.time_secs();
            if let Some(document) = &self.document {
                self.mix.seek(document, time_secs);
            }
        }
    }

    /// The form that clips are played in.
    pub fn form(&self) -> ClipForm {
        self.form
    }

    pub(super) fn set_form(&mut self, form: ClipForm) {
        self.form = form;
        self.reform();
        self.pose();
    }

    /// Makes the clip that is shown into the form that is chosen. One that can't be is played as the
    /// file has it, and said.
    pub(super) fn reform(&mut self) {
        self.reformed = None;
        let Some((document, clip)) = self.document.as_ref().zip(self.clip()) else { return };
        if self.form == ClipForm::Source {
            return;
        }
        let options = FormOptions { fps: self.fps, ..FormOptions::default() };
        match clip_in_form(&document.model, clip, self.form, options) {
            Ok(clip) => self.reformed = Some(clip),
            Err(error) => {
                let text = format!("the clip is not {}: {error}", self.form.name());
                self.notice = Some(Notice::warning(text));
                self.form = ClipForm::Source;
            }
        }
    }

    /// Sets an in or out point of the clip, or takes it away.
    pub(super) fn set_mark(&mut self, mark: Mark, secs: Option<f64>) {
        if !self.can_play() {
            return;
        }
        let end = self.duration_secs();
        match (mark, secs) {
            (Mark::In, secs) => self.player.set_in(secs.unwrap_or(0.0).min(end)),
            // A point at the very end is none.
            (Mark::Out, Some(secs)) if secs < end => self.player.set_out(secs),
            (Mark::Out, _) => self.player.set_out(f64::INFINITY),
        }
    }

    pub(super) fn step_frames(&mut self, frames: i64) {
        if self.clip.is_some() {
            let base = TimeBase::per_sec(self.fps);
            self.player.step_frames(frames, base, self.duration_secs());
        }
    }

    pub(super) fn step_keys(&mut self, keys: i64) {
        let (at, list) = (self.player.time_secs(), &self.key_times);
        let before = list.partition_point(|t| f64::from(*t) < at - ON_KEY);
        let upto = list.partition_point(|t| f64::from(*t) <= at + ON_KEY);
        let wanted = if keys < 0 { before as i64 + keys } else { upto as i64 + keys - 1 };
        if keys != 0 && !list.is_empty() {
            let last = list.len() as i64 - 1;
            let key = list[wanted.clamp(0, last) as usize];
            // Past the last key in either direction nothing is nearer: stay.
            let key = f64::from(key);
            if (key - at) * keys as f64 > 0.0 {
                self.seek(key);
            } else {
                self.seek(at);
            }
        }
    }

    pub(super) fn set_speed(&mut self, speed: f64) {
        if speed.is_finite() {
            self.player.speed = speed.clamp(-MAX_SPEED, MAX_SPEED);
        }
    }

    /// Shows a clip from its start; while time passes, the one before fades out.
    pub(super) fn select_clip(&mut self, clip: Option<usize>) {
        let there = |clip| self.document.as_ref().is_some_and(|d| d.clip(clip).is_some());
        if clip.is_some_and(|c| !there(c)) || clip == self.clip {
            return;
        }
        if self.player.playing {
            self.mix.leave(self.clip, self.player.time_secs());
        } else {
            self.mix.end_fade();
        }
        let ran_out = self.player.repeat() == Repeat::Once
            && self.can_play()
            && self.player.time_secs() >= self.duration_secs();
        self.player.rewind();
        self.player.clear_range();
        // A clip that stopped by itself was not paused by anyone.
        self.player.playing |= ran_out;
        self.show_clip(clip);
    }

    pub(super) fn step_clips(&mut self, by: i64) {
        let clips = self.document.as_ref().map_or(0, |d| d.clips().len()) as i64;
        if clips > 0 {
            let from = match self.clip {
                // All at once stand behind the last.
                Some(clip) if clip as i64 == clips && by > 0 => -1,
                Some(clip) => clip as i64,
                None if by > 0 => -1,
                None => 0,
            };
            self.select_clip(Some((from + by).rem_euclid(clips) as usize));
        }
    }
}

/// The times of all keys of a clip, each once, increasing.
pub(super) fn key_times(clip: &Clip) -> Vec<f32> {
    let mut times: Vec<f32> = clip.key_times().collect();
    times.sort_unstable_by(f32::total_cmp);
    times.dedup();
    times
}
