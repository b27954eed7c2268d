//! What plays and how, in a session file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::playback::kept_layer::KeptLayer;
use crate::playback::transport::MAX_SPEED;
use crate::{BasePose, Playback};
use rigview_anim::{Player, Repeat};
use rigview_look::known;
use rigview_report::ClipForm;

/// What plays and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SavedPlay {
    /// The clip's index and name; `None` for the rest pose.
    pub(crate) clip: Option<(usize, String)>,
    time: f64,
    playing: bool,
    speed: f64,
    /// Frames per second of read-outs and steps; `None` if they follow the clip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fps: Option<f64>,
    repeat: String,
    /// The in and out points; `None` for the whole clip.
    range: Option<[Option<f64>; 2]>,
    #[serde(deserialize_with = "known")]
    pub(crate) form: ClipForm,
    pub(crate) in_place: bool,
    /// Indices and names of the clips that the entry for all clips plays; `None` for all.
    pub(crate) together: Option<Vec<(usize, String)>>,
    /// The pose under the values that are set by hand.
    #[serde(deserialize_with = "known")]
    pub(crate) base: BasePose,
    pub(crate) fade: f64,
    /// The clips that play beside the shown one.
    pub(crate) layers: Vec<KeptLayer>,
    /// The weights of a VRM file's expressions that are not 0, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) expressions: BTreeMap<String, f32>,
}

impl Default for SavedPlay {
    fn default() -> Self {
        Self {
            clip: None,
            time: 0.0,
            playing: true,
            speed: 1.0,
            fps: None,
            repeat: "loop".into(),
            range: None,
            form: ClipForm::default(),
            in_place: false,
            together: None,
            base: BasePose::default(),
            fade: crate::playback::mix::USUAL_FADE,
            layers: Vec::new(),
            expressions: BTreeMap::new(),
        }
    }
}

impl SavedPlay {
    pub fn of(playback: &Playback) -> Self {
        let (player, at) = (playback.player(), playback.instant());
        Self {
            clip: playback.clip_index().zip(playback.clip_name()),
            time: at.time_secs,
            playing: player.playing,
            speed: player.speed,
            fps: (!playback.rate.follows_clip).then(|| playback.fps()),
            repeat: player.repeat().name().to_owned(),
            range: player.has_range().then(|| [Some(at.range_secs[0]), player.out_secs()]),
            form: playback.form(),
            in_place: playback.plays_in_place(),
            together: playback.together(),
            base: playback.base(),
            fade: playback.fade_secs(),
            layers: playback.kept_layers(),
            expressions: playback.named_expressions(),
        }
    }

    pub(crate) fn player(&self) -> Player {
        let mut player = Player::default();
        player.set_repeat(Repeat::from_name(&self.repeat).unwrap_or_default());
        player.speed = if self.speed.is_finite() { self.speed } else { 1.0 };
        player.speed = player.speed.clamp(-MAX_SPEED, MAX_SPEED);
        if let Some([from, to]) = self.range {
            player.set_in(from.unwrap_or(0.0));
            player.set_out(to.unwrap_or(f64::INFINITY));
        }
        player.seek(self.time, f64::MAX);
        player.playing = self.playing;
        player
    }
}
