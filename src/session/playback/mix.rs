//! Several clips at once: layers beside the shown clip, and the crossfade when another clip is shown.
//!
//! The player has the time of the shown clip. Every other clip here has its own time, which advances with the player's.

use serde::{Deserialize, Serialize};

use crate::anim::{BlendLayer, Clip, Repeat};
use crate::look::known;
use crate::model::Model;
use crate::session::Document;

/// The longest crossfade in seconds.
pub const LONGEST_FADE: f64 = 2.0;
/// The default crossfade in seconds.
pub const USUAL_FADE: f64 = 0.2;
/// Maximum number of clips that fade out at the same time. When clips are switched faster, the oldest are dropped.
const MOST_FADING: usize = 8;

named_enum! {
    /// How a layer is combined with the other clips.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Blending {
        /// Averages with the other clips that move the same nodes, by weight.
        #[default]
        Mean = "mean",
        /// Adds the difference from the rest pose.
        AddToRest = "add-to-rest",
        /// Adds the difference from the clip's first frame.
        AddToStart = "add-to-start",
    }
}

/// A clip that plays beside the shown one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LayerSettings {
    /// The clip's index.
    pub clip: usize,
    /// From 0 (no effect) to 1 (as much as the shown clip).
    pub weight: f32,
    /// How it is combined with the other clips.
    #[serde(deserialize_with = "known")]
    pub blending: Blending,
    /// If set, only this node and those below it are moved.
    pub joint: Option<usize>,
}

/// A clip at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::session) struct ClipTime {
    /// The clip's index.
    pub clip: usize,
    /// The clip's time in seconds.
    pub time_secs: f64,
}

/// A clip that fades out.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Fading {
    clip: usize,
    time_secs: f64,
    /// Its weight at the start of the fade.
    share: f32,
}

/// The layers and the crossfade. Without either, the shown clip plays alone.
#[derive(Clone, Debug)]
pub(in crate::session) struct Mix {
    /// The duration of a crossfade.
    pub fade_secs: f64,
    /// The clips beside the shown one.
    pub layers: Vec<LayerSettings>,
    fading: Vec<Fading>,
    /// Seconds since the start of the fade; `None` if there is no fade.
    elapsed: Option<f64>,
    /// The layers that pose the stage: clips that fade out, the shown clip, then the layers. They are rebuilt if
    /// `changed` is set; otherwise only times and weights are updated.
    posed: Vec<BlendLayer>,
    changed: bool,
}

impl Default for Mix {
    fn default() -> Self {
        Self {
            fade_secs: USUAL_FADE,
            layers: Vec::new(),
            fading: Vec::new(),
            elapsed: None,
            posed: Vec::new(),
            changed: true,
        }
    }
}

impl Mix {
    /// Whether another clip plays beside the shown one.
    pub fn is_on(&self) -> bool {
        self.elapsed.is_some() || !self.layers.is_empty()
    }

    /// Whether there is a fade.
    pub fn is_fading(&self) -> bool {
        self.elapsed.is_some()
    }

    /// Removes layers and fades. The crossfade's duration stays, because it applies to all files.
    pub fn clear(&mut self) {
        *self = Self { fade_secs: self.fade_secs, ..Self::default() };
    }

    /// Ends a fade at once.
    pub fn end_fade(&mut self) {
        self.changed |= self.elapsed.is_some();
        self.elapsed = None;
        self.fading.clear();
    }

    /// Starts a fade from a clip at its time to another clip. `None` is the rest pose.
    pub fn leave(&mut self, clip: Option<usize>, time_secs: f64) {
        if self.fade_secs <= 0.0 {
            return self.end_fade();
        }
        let share = self.progress();
        self.fading.iter_mut().for_each(|f| f.share *= 1.0 - share);
        if let Some(clip) = clip {
            self.fading.push(Fading { clip, time_secs, share });
        }
        let over = self.fading.len().saturating_sub(MOST_FADING);
        self.fading.drain(..over);
        self.elapsed = Some(0.0);
        self.changed = true;
    }

    /// Replaces the layers.
    pub fn set_layers(&mut self, layers: Vec<LayerSettings>) {
        self.layers = layers;
        self.changed = true;
    }

    /// Notes that another clip is shown.
    pub fn note_switch(&mut self) {
        self.changed = true;
    }

    /// Advances fades by `step_secs`, and clips by `speed` times as much.
    pub fn advance(&mut self, document: &Document, step_secs: f64, speed: f64, repeat: Repeat) {
        if let Some(elapsed) = &mut self.elapsed {
            *elapsed += step_secs;
            if *elapsed >= self.fade_secs {
                self.end_fade();
            }
        }
        let step = step_secs * speed;
        for fading in &mut self.fading {
            let duration = duration_of(document, fading.clip);
            fading.time_secs = wrapped(fading.time_secs + step, duration, Repeat::Loop);
        }
        for layer in self.posed.iter_mut().rev().take(self.layers.len()) {
            let duration = duration_of(document, layer.clip);
            layer.time_secs = wrapped(layer.time_secs + step, duration, repeat);
        }
    }

    /// Moves the layers to a time of the shown clip.
    pub fn seek(&mut self, document: &Document, time_secs: f64) {
        self.end_fade();
        for layer in self.posed.iter_mut().rev().take(self.layers.len()) {
            let duration = duration_of(document, layer.clip);
            layer.time_secs = wrapped(time_secs, duration, Repeat::Loop);
        }
    }

    /// Updates the layers that pose a stage, with the shown clip at this time.
    pub fn update(&mut self, document: &Document, clips: &[&Clip], shown: Option<ClipTime>) {
        if std::mem::take(&mut self.changed) {
            self.remake(&document.model, clips, shown);
        }
        let progress = self.progress();
        let (out, others) = self.posed.split_at_mut(self.fading.len());
        for (layer, fading) in out.iter_mut().zip(&self.fading) {
            (layer.time_secs, layer.weight) = (fading.time_secs, fading.share * (1.0 - progress));
        }
        if let Some((layer, shown)) = others.first_mut().zip(shown) {
            (layer.time_secs, layer.weight) = (shown.time_secs, progress);
        }
    }

    /// The layers that pose a stage at the time of the last [`Mix::update`].
    pub fn posed(&self) -> &[BlendLayer] {
        &self.posed
    }

    /// Returns the layers that pose a stage at another time: the shown clip at `time_secs`, all others
    /// `offset_secs` from their own time. [`Mix::update`] must have been called for the present time.
    pub fn posed_at(
        &self,
        document: &Document,
        time_secs: f64,
        offset_secs: f64,
    ) -> Vec<BlendLayer> {
        let mut layers = self.posed.clone();
        let shown = self.shows_clip().then_some(self.fading.len());
        for (i, layer) in layers.iter_mut().enumerate() {
            let duration = duration_of(document, layer.clip);
            layer.time_secs = match shown == Some(i) {
                true => time_secs,
                false => wrapped(layer.time_secs + offset_secs, duration, Repeat::Loop),
            };
        }
        layers
    }

    /// Returns the layers that pose a stage after [`Mix::seek`] to a time of the shown clip: nothing fades, and all other
    /// clips are at the same time. [`Mix::update`] must have been called since the layers changed.
    pub fn sought(&self, document: &Document, time_secs: f64) -> Vec<BlendLayer> {
        let mut layers = self.posed.get(self.fading.len()..).unwrap_or_default().to_vec();
        if let Some(shown) = layers.first_mut().filter(|_| self.shows_clip()) {
            shown.weight = 1.0;
        }
        for layer in &mut layers {
            let duration = duration_of(document, layer.clip);
            layer.time_secs = wrapped(time_secs, duration, Repeat::Loop);
        }
        layers
    }

    /// Whether the shown clip is among the layers that pose a stage; the rest pose is not.
    fn shows_clip(&self) -> bool {
        self.posed.len() > self.fading.len() + self.layers.len()
    }

    /// The shown clip's share: from 0 at the start of a fade to 1 at its end or without a fade.
    fn progress(&self) -> f32 {
        self.elapsed.map_or(1.0, |elapsed| (elapsed / self.fade_secs).clamp(0.0, 1.0) as f32)
    }

    fn remake(&mut self, model: &Model, clips: &[&Clip], shown: Option<ClipTime>) {
        let time_secs = shown.map_or(0.0, |shown| shown.time_secs);
        let before: Vec<(usize, f64)> =
            self.posed.iter().map(|layer| (layer.clip, layer.time_secs)).collect();
        let mut posed = Vec::new();
        for clip in
            self.fading.iter().map(|fading| fading.clip).chain(shown.map(|shown| shown.clip))
        {
            posed.push(BlendLayer::new(clips, clip, &model.rest));
        }
        for settings in &self.layers {
            let mut layer = BlendLayer::new(clips, settings.clip, &model.rest);
            // A layer that existed before keeps its time.
            let at = before.iter().rev().find(|(clip, _)| *clip == settings.clip);
            let duration = f64::from(clips[settings.clip].duration_secs());
            layer.time_secs =
                at.map_or_else(|| wrapped(time_secs, duration, Repeat::Loop), |(_, at)| *at);
            layer.weight = settings.weight;
            if let Some(joint) = settings.joint {
                layer.mask.keep_subtree(&model.hierarchy, joint);
            }
            layer.reference = match settings.blending {
                Blending::Mean => None,
                Blending::AddToRest => Some(model.rest.clone()),
                Blending::AddToStart => {
                    let mut start = model.rest.clone();
                    clips[settings.clip].pose(
                        0.0,
                        &model.rest,
                        &mut Default::default(),
                        &mut start,
                    );
                    Some(start)
                }
            };
            posed.push(layer);
        }
        self.posed = posed;
    }
}

fn duration_of(document: &Document, clip: usize) -> f64 {
    document.clip(clip).map_or(0.0, |clip| f64::from(clip.duration_secs()))
}

/// Maps a time to one within the clip.
fn wrapped(time_secs: f64, duration_secs: f64, repeat: Repeat) -> f64 {
    if duration_secs <= 0.0 {
        return 0.0;
    }
    match repeat {
        Repeat::Once => time_secs.clamp(0.0, duration_secs),
        _ if (0.0..=duration_secs).contains(&time_secs) => time_secs,
        _ => time_secs.rem_euclid(duration_secs),
    }
}
