//! Several clips at once: layers beside the shown clip, and the crossfade when another one is shown.
//!
//! The shown clip's own time is the player's; every other one here has its own, which goes on with it.

use crate::anim::{BlendLayer, Clip, Repeat};
use crate::model::Model;

use super::Document;

/// The longest crossfade.
pub const LONGEST_FADE: f64 = 2.0;
/// The crossfade unless another is chosen.
pub const USUAL_FADE: f64 = 0.2;
/// Clips that may still be fading out: when more are switched that fast, the oldest go at once.
const MOST_FADING: usize = 8;

/// How a layer joins the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blending {
    /// Shares what it moves with the others, by weight.
    #[default]
    Mean,
    /// Adds its difference from the rest pose.
    AddToRest,
    /// Adds its difference from its own first frame.
    AddToStart,
}

/// A clip that plays beside the shown one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerSettings {
    /// Which clip.
    pub clip: usize,
    /// From 0, nothing, to 1, as much as the shown clip.
    pub weight: f32,
    /// How it joins.
    pub blending: Blending,
    /// Moves only this node and those below it.
    pub joint: Option<usize>,
}

/// A clip on its way out.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Fading {
    clip: usize,
    time_secs: f64,
    /// Its weight when the fade began.
    share: f32,
}

/// What is mixed. Without layers and between fades there is nothing to mix.
#[derive(Clone, Debug)]
pub(super) struct Mix {
    /// How long a switch takes.
    pub fade_secs: f64,
    /// The clips beside the shown one.
    pub layers: Vec<LayerSettings>,
    fading: Vec<Fading>,
    /// How long the fade has been going on, while one is.
    elapsed: Option<f64>,
    /// What the stage is posed by: those fading out, the shown clip, the layers. Made anew when
    /// `changed`, with other times and weights only otherwise.
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
    /// Whether more than the shown clip counts.
    pub fn is_on(&self) -> bool {
        self.elapsed.is_some() || !self.layers.is_empty()
    }

    /// Whether a fade is going on.
    pub fn is_fading(&self) -> bool {
        self.elapsed.is_some()
    }

    /// Forgets everything but the settings for all files.
    pub fn clear(&mut self) {
        *self = Self { fade_secs: self.fade_secs, ..Self::default() };
    }

    /// Ends a fade where it would end.
    pub fn end_fade(&mut self) {
        self.changed |= self.elapsed.is_some();
        self.elapsed = None;
        self.fading.clear();
    }

    /// Lets go of the shown clip (none: the rest pose) at its time, in favour of another.
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

    /// Takes layers as they are to be from now on.
    pub fn set_layers(&mut self, layers: Vec<LayerSettings>) {
        self.layers = layers;
        self.changed = true;
    }

    /// The shown clip has become another.
    pub fn note_switch(&mut self) {
        self.changed = true;
    }

    /// Time passes: `step_secs` of it in the world, `speed` times as much in the clips.
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

    /// The shown clip goes to a time; the layers go along.
    pub fn seek(&mut self, document: &Document, time_secs: f64) {
        self.end_fade();
        for layer in self.posed.iter_mut().rev().take(self.layers.len()) {
            let duration = duration_of(document, layer.clip);
            layer.time_secs = wrapped(time_secs, duration, Repeat::Loop);
        }
    }

    /// What to pose a stage by, the shown clip being at this time.
    pub fn posed(
        &mut self,
        document: &Document,
        clips: &[&Clip],
        (shown, time_secs): (Option<usize>, f64),
    ) -> &[BlendLayer] {
        if std::mem::take(&mut self.changed) {
            self.remake(&document.model, clips, shown, time_secs);
        }
        let progress = self.progress();
        let (out, others) = self.posed.split_at_mut(self.fading.len());
        for (layer, fading) in out.iter_mut().zip(&self.fading) {
            (layer.time_secs, layer.weight) = (fading.time_secs, fading.share * (1.0 - progress));
        }
        if let Some(layer) = others.first_mut().filter(|_| shown.is_some()) {
            (layer.time_secs, layer.weight) = (time_secs, progress);
        }
        &self.posed
    }

    /// How much of the shown clip is there: all of it when nothing fades.
    fn progress(&self) -> f32 {
        self.elapsed.map_or(1.0, |elapsed| (elapsed / self.fade_secs).clamp(0.0, 1.0) as f32)
    }

    fn remake(&mut self, model: &Model, clips: &[&Clip], shown: Option<usize>, time_secs: f64) {
        let before: Vec<(usize, f64)> =
            self.posed.iter().map(|layer| (layer.clip, layer.time_secs)).collect();
        let mut posed = Vec::new();
        for clip in self.fading.iter().map(|fading| fading.clip).chain(shown) {
            posed.push(BlendLayer::new(clips, clip, &model.rest));
        }
        for settings in &self.layers {
            let mut layer = BlendLayer::new(clips, settings.clip, &model.rest);
            // One that was there goes on from where it is.
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

/// A clip's time on its own round.
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
