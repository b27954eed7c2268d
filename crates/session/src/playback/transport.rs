//! The playback's time: playing, seeking, steps and the choice of the clip.

use super::mix::{LONGEST_FADE, LayerSettings};
use super::{Mark, Playback};
use crate::notice::Notice;
use crate::posing::BasePose;
use rigview_anim::{Player, PlayerEvent, Repeat, TimeBase};
use rigview_report::ClipForm;

/// Maximum speed, forwards and backwards.
pub const MAX_SPEED: f64 = 16.0;

/// Tolerance in seconds within which a time is on a key: much less than the distance of keys, much more than the
/// rounding error of a double.
const ON_KEY: f64 = 1e-6;

/// Tolerance in frames within which the end of a clip is on a frame: durations are single precision.
const ON_FRAME: f64 = 0.01;

/// The read-outs of a transport.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TimeReadout {
    /// The clip's time.
    pub time_secs: f64,
    /// The clip's end; 0 without a clip.
    pub duration_secs: f64,
    /// The frame of the clip nearest to the time.
    pub frame: u64,
    /// The clip's end in frames, which is between two frames if the clip's length is no multiple of theirs.
    pub end_frame: f64,
    /// The in and out points; the whole clip if none are set.
    pub range_secs: [f64; 2],
}

impl TimeReadout {
    /// The in or the out point.
    pub fn mark_secs(&self, mark: Mark) -> f64 {
        self.range_secs[usize::from(mark == Mark::Out)]
    }
}

/// Returns the time that is a number of keys after another one, or before it if the number is negative: at most the last
/// key, at least the first. `None` if there is no key in that direction. `times` increase.
pub fn key_from(times: &[f32], secs: f64, keys: i64) -> Option<f64> {
    let before = times.partition_point(|time| f64::from(*time) < secs - ON_KEY);
    let upto = times.partition_point(|time| f64::from(*time) <= secs + ON_KEY);
    let wanted = if keys < 0 { before as i64 + keys } else { upto as i64 + keys - 1 };
    let last = times.len().checked_sub(1)? as i64;
    let key = f64::from(times[wanted.clamp(0, last) as usize]);
    ((key - secs) * keys as f64 > 0.0).then_some(key)
}

impl Playback {
    /// The index of the shown clip; `None` for the rest pose.
    pub fn clip_index(&self) -> Option<usize> {
        self.shown.index
    }

    /// The player, which maps steps of real time to the clip's time.
    pub fn player(&self) -> &Player {
        &self.player
    }

    /// Frames per second of read-outs and steps.
    pub fn fps(&self) -> f64 {
        self.rate.fps
    }

    /// The present time and frame, and the end.
    pub fn instant(&self) -> TimeReadout {
        let (time_secs, duration_secs) = (self.time_secs(), self.duration_secs());
        let base = TimeBase::per_sec(self.rate.fps);
        let mut end_frame = base.ticks(duration_secs);
        if (end_frame - end_frame.round()).abs() < ON_FRAME {
            end_frame = end_frame.round();
        }
        let frame = base.ticks(time_secs).round().min(end_frame.floor()) as u64;
        let range_secs = self.player.range_secs(duration_secs);
        TimeReadout { time_secs, duration_secs, frame, end_frame, range_secs }
    }

    /// Whether the picture changes as time passes.
    pub fn is_moving(&self) -> bool {
        let still = self.base() != BasePose::Clip;
        let runs = self.player.speed != 0.0 && self.can_run();
        !still && self.player.playing && (runs || self.mix.is_fading())
    }

    /// Whether the shown clip or a layer beside it has a duration above 0.
    pub fn can_run(&self) -> bool {
        self.can_play() || self.layers_last()
    }

    /// The clips that play beside the shown one, in their order.
    pub fn layers(&self) -> &[LayerSettings] {
        &self.mix.layers
    }

    /// The duration of the crossfade between clips in seconds.
    pub fn fade_secs(&self) -> f64 {
        self.mix.fade_secs
    }

    fn layers_last(&self) -> bool {
        let lasts = |clip: usize| {
            let clip = self.document.as_ref().and_then(|document| document.clip(clip));
            clip.is_some_and(|clip| clip.duration_secs() > 0.0)
        };
        self.mix.layers.iter().any(|layer| lasts(layer.clip))
    }

    /// The times of all keys of the shown clip, each once, increasing.
    pub fn key_times(&self) -> &[f32] {
        &self.shown.key_times
    }

    pub(crate) fn advance(&mut self, step_secs: f64) {
        if self.is_moving() {
            let can_play = self.can_play();
            if let Some(document) = &self.document {
                self.mix.advance(document, step_secs);
                if !can_play {
                    let step_secs = step_secs * self.player.speed;
                    self.mix.advance_layers(document, step_secs, self.player.repeat());
                }
            }
            let duration = self.duration_secs();
            let event = self.player.advance(step_secs, duration);
            let loops = self.player.repeat() == Repeat::Loop && !self.player.has_range();
            if let (true, Some(PlayerEvent::Looped(rounds))) =
                (loops && self.player.speed > 0.0, event)
            {
                self.mix.rounds_secs += rounds as f64 * duration;
            }
        }
    }

    pub(super) fn set_fade(&mut self, secs: f64) {
        if secs.is_finite() {
            self.mix.fade_secs = secs.clamp(0.0, LONGEST_FADE);
        }
    }

    /// Replaces the layers. Layers whose clip or node does not exist are dropped.
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
        if self.can_run() {
            self.player.toggle(self.duration_secs());
        }
    }

    pub(crate) fn seek(&mut self, time_secs: f64) {
        if self.shown.index.is_some() {
            self.player.seek(time_secs, self.duration_secs());
            self.mix.end_fade();
            self.mix.rounds_secs = 0.0;
            self.mix.at_secs = self.player.time_secs();
        }
    }

    /// The form that clips play in.
    pub fn form(&self) -> ClipForm {
        self.form
    }

    /// Sets or removes an in or out point of the clip. Returns a notice if nothing would play then.
    pub(super) fn set_mark(&mut self, mark: Mark, secs: Option<f64>) -> Option<Notice> {
        if !self.can_play() {
            return None;
        }
        let (mut player, end) = (self.player, self.duration_secs());
        match (mark, secs) {
            (Mark::In, secs) => player.set_in(secs.unwrap_or(0.0).min(end)),
            // An out point at the very end changes nothing.
            (Mark::Out, Some(secs)) if secs < end => player.set_out(secs),
            (Mark::Out, _) => player.set_out(f64::INFINITY),
        }
        if player.is_collapsed(end) {
            return Some(Notice::warning(
                "Nothing is left to play between these in and out points",
            ));
        }
        self.player = player;
        None
    }

    pub(super) fn step_frames(&mut self, frames: i64) {
        self.seek(TimeBase::per_sec(self.rate.fps).stepped(self.player.time_secs(), frames));
    }

    pub(super) fn step_keys(&mut self, keys: i64) {
        let at = self.player.time_secs();
        if keys != 0 && !self.shown.key_times.is_empty() {
            self.seek(key_from(&self.shown.key_times, at, keys).unwrap_or(at));
        }
    }

    pub(super) fn set_speed(&mut self, speed: f64) {
        if speed.is_finite() {
            self.player.speed = speed.clamp(-MAX_SPEED, MAX_SPEED);
        }
    }

    /// Shows a clip from its start; while playing, the former clip fades out. Returns a notice, if any.
    pub(super) fn select_clip(&mut self, clip: Option<usize>) -> Option<Notice> {
        let exists = |clip| self.document.as_ref().is_some_and(|d| d.clip(clip).is_some());
        if clip.is_some_and(|c| !exists(c)) || clip == self.shown.index {
            return None;
        }
        if self.player.playing {
            self.mix.leave(self.shown.index, self.player);
        } else {
            self.mix.end_fade();
        }
        // A clip that stopped at its end was playing, not paused by the person.
        self.player.playing |= self.player.has_ended() && self.can_play();
        self.player.clear_range();
        self.player.rewind(0.0);
        let notice = self.show_clip(clip);
        // Its duration is known now.
        self.player.rewind(self.duration_secs());
        self.pose();
        notice
    }

    pub(super) fn step_clips(&mut self, by: i64) -> Option<Notice> {
        let clips = self.document.as_ref().map_or(0, |d| d.clips().len()) as i64;
        if clips == 0 {
            return None;
        }
        let from = match self.shown.index {
            // "All clips" follows the last one.
            Some(clip) if clip as i64 == clips && by > 0 => -1,
            Some(clip) => clip as i64,
            None if by > 0 => -1,
            None => 0,
        };
        self.select_clip(Some((from + by).rem_euclid(clips) as usize))
    }
}
