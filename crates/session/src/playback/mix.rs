//! Several clips at once: layers beside the shown clip, and the crossfade when another clip is shown.
//!
//! Layers are at the time of the shown clip, so that seeking shows what playing shows. A clip that fades out plays on with a copy
//! of the player.

use serde::{Deserialize, Serialize};

use crate::Document;
use rigview_anim::{BlendLayer, Clip, Player, Repeat, repeated};
use rigview_look::known;
use rigview_model::Model;

/// The longest crossfade in seconds.
pub const LONGEST_FADE: f64 = 2.0;
/// The default crossfade in seconds.
pub const USUAL_FADE: f64 = 0.2;
/// Maximum number of clips that fade out at the same time. When clips are switched faster, the oldest are dropped.
const MOST_FADING: usize = 8;

rigview_anim::named_enum! {
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

/// A clip that fades out.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Fading {
    clip: usize,
    /// Plays it on from where it was left.
    player: Player,
    /// Its weight at the start of the fade.
    share: f32,
}

/// The layers and the crossfade. Without either, the shown clip plays alone.
#[derive(Clone, Debug)]
pub(crate) struct Mix {
    /// The duration of a crossfade.
    pub fade_secs: f64,
    /// The clips beside the shown one.
    pub layers: Vec<LayerSettings>,
    /// The time of the layers in seconds: that of the shown clip, or a clock of their own while no clip with a duration is
    /// shown.
    pub at_secs: f64,
    /// The time that the shown clip has looped since it was sought, so that longer layers play to their end.
    pub rounds_secs: f64,
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
            at_secs: 0.0,
            rounds_secs: 0.0,
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

    /// Starts a fade from a clip, as a player plays it, to another clip. `None` is the rest pose.
    pub fn leave(&mut self, clip: Option<usize>, player: Player) {
        self.rounds_secs = 0.0;
        if self.fade_secs <= 0.0 {
            return self.end_fade();
        }
        let share = self.progress();
        self.fading.iter_mut().for_each(|f| f.share *= 1.0 - share);
        if let Some(clip) = clip {
            self.fading.push(Fading { clip, player, share });
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

    /// Advances fades, and the clips that fade out.
    pub fn advance(&mut self, document: &Document, step_secs: f64) {
        if let Some(elapsed) = &mut self.elapsed {
            *elapsed += step_secs;
            if *elapsed >= self.fade_secs {
                self.end_fade();
            }
        }
        for fading in &mut self.fading {
            fading.player.advance(step_secs, duration_of(document, fading.clip));
        }
    }

    /// Advances the layers by themselves, while no clip with a duration is shown. Once, they stop with the longest one.
    pub fn advance_layers(&mut self, document: &Document, step_secs: f64, repeat: Repeat) {
        self.at_secs += step_secs;
        if repeat == Repeat::Once {
            let durations = self.layers.iter().map(|layer| duration_of(document, layer.clip));
            self.at_secs = self.at_secs.clamp(0.0, durations.fold(0.0, f64::max));
        }
    }

    /// Updates the layers that pose a stage, with the shown clip and the layers at their time.
    pub fn update(&mut self, document: &Document, clips: &[&Clip], shown: Option<usize>) {
        if std::mem::take(&mut self.changed) {
            self.remake(&document.model, clips, shown);
        }
        let progress = self.progress();
        let mut posed = std::mem::take(&mut self.posed);
        let (out, others) = posed.split_at_mut(self.fading.len());
        for (layer, fading) in out.iter_mut().zip(&self.fading) {
            layer.time_secs = fading.player.time_secs();
            layer.weight = fading.share * (1.0 - progress);
        }
        self.go_to(document, self.at_secs, self.rounds_secs, others);
        if let (Some(_), Some(layer)) = (shown, others.first_mut()) {
            layer.weight = progress;
        }
        self.posed = posed;
    }

    /// Sets the times of the shown clip, if there is one, and of the layers after it, which have gone through its rounds too.
    fn go_to(
        &self,
        document: &Document,
        time_secs: f64,
        rounds_secs: f64,
        shown_and_layers: &mut [BlendLayer],
    ) {
        let first = shown_and_layers.len().saturating_sub(self.layers.len());
        for (i, layer) in shown_and_layers.iter_mut().enumerate() {
            layer.time_secs = if i < first {
                time_secs
            } else {
                repeated(rounds_secs + time_secs, duration_of(document, layer.clip))
            };
        }
    }

    /// The layers that pose a stage at the time of the last [`Mix::update`].
    pub fn posed(&self) -> &[BlendLayer] {
        &self.posed
    }

    /// Returns the layers that pose a stage at another time of the shown clip. Clips that fade out are `offset_secs` from their
    /// own time. [`Mix::update`] must have been called for the present time.
    pub fn posed_at(
        &self,
        document: &Document,
        time_secs: f64,
        offset_secs: f64,
    ) -> Vec<BlendLayer> {
        let mut layers = self.posed.clone();
        let (out, others) = layers.split_at_mut(self.fading.len());
        for (layer, fading) in out.iter_mut().zip(&self.fading) {
            let mut player = fading.player;
            (player.speed, player.playing) = (1.0, true);
            player.advance(offset_secs, duration_of(document, fading.clip));
            layer.time_secs = player.time_secs();
        }
        self.go_to(document, time_secs, self.rounds_secs, others);
        layers
    }

    /// Returns the layers that pose a stage after seeking to a time of the shown clip: nothing fades. [`Mix::update`] must
    /// have been called since the layers changed.
    pub fn sought(&self, document: &Document, time_secs: f64) -> Vec<BlendLayer> {
        let mut layers = self.posed.get(self.fading.len()..).unwrap_or_default().to_vec();
        if let Some(shown) = layers.first_mut().filter(|_| self.shows_clip()) {
            shown.weight = 1.0;
        }
        self.go_to(document, time_secs, 0.0, &mut layers);
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

    fn remake(&mut self, model: &Model, clips: &[&Clip], shown: Option<usize>) {
        let mut posed = Vec::new();
        for clip in self.fading.iter().map(|fading| fading.clip).chain(shown) {
            posed.push(BlendLayer::new(clips, clip, &model.rest));
        }
        for settings in &self.layers {
            let mut layer = BlendLayer::new(clips, settings.clip, &model.rest);
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
