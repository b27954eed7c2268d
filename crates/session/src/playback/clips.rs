//! Which clips play, and what continues to play after a file was read again.

use serde::{Deserialize, Serialize};

use crate::notice::Notice;
use crate::playback::Playback;
use crate::playback::document::{Borrowed, ClipsId, Document, unnamed};
use crate::same_part::same_node;
use crate::{ClipChoice, LayerSettings, PosedClip, named_or_numbered, several_at_once};
use rigview_anim::{ALL_CLIPS, Clip, Player};
use rigview_report::counted;

/// What plays at the moment of a reload.
#[derive(Clone, Debug)]
pub(crate) struct KeptPlayback {
    /// The clips and which of them was shown; `None` if that was in another session.
    pub shown: Option<(ClipsId, usize)>,
    clip: Option<usize>,
    pub name: Option<String>,
    /// Indices and names of the clips that the entry for all clips plays; `None` for all.
    together: Option<Vec<(usize, String)>>,
    pub player: Player,
    /// The clips that play beside the shown one.
    pub layers: Vec<KeptLayer>,
}

impl KeptPlayback {
    /// Returns what played when a session file was written: index and name of the clip, those of the clips that play
    /// together, the player, and the layers.
    pub fn saved(
        clip: Option<(usize, String)>,
        together: Option<Vec<(usize, String)>>,
        player: Player,
        layers: Vec<KeptLayer>,
    ) -> Self {
        let (clip, name) = clip.unzip();
        Self { shown: None, clip, name, together, player, layers }
    }
}

impl Playback {
    /// Captures what plays, to continue after a reload.
    pub(crate) fn standing(&self) -> KeptPlayback {
        KeptPlayback {
            shown: self.document.as_ref().map(Document::clips_id).zip(self.shown.index),
            clip: self.shown.index,
            name: self.clip_name(),
            together: self.together(),
            player: self.player,
            layers: self.kept_layers(),
        }
    }

    /// Returns the layers with the names of their clips and joints.
    pub(crate) fn kept_layers(&self) -> Vec<KeptLayer> {
        let Some(document) = &self.document else { return Vec::new() };
        self.layers().iter().map(|layer| KeptLayer::new(*layer, document)).collect()
    }

    /// Plays the layers of another version of the file again. Returns a notice if it lacks some of their clips or joints.
    pub(crate) fn resume_layers(&mut self, layers: &[KeptLayer]) -> Option<Notice> {
        let document = self.document.as_ref()?;
        let found: Vec<_> = layers.iter().map(|layer| layer.find(document)).collect();
        let missing: Vec<&str> =
            found.iter().filter_map(|layer| layer.as_ref().err().map(String::as_str)).collect();
        let notice = (!missing.is_empty()).then(|| Notice::warning(missing.join("; ")));
        self.set_layers(found.into_iter().flatten().collect());
        notice
    }

    /// Indices and names of the clips that the entry for all clips plays; `None` for all.
    pub(crate) fn together(&self) -> Option<Vec<(usize, String)>> {
        let document = self.document.as_ref()?;
        let name = |clip: &usize| (*clip, document.clip_name(*clip).unwrap_or_default().to_owned());
        Some(document.together()?.iter().map(name).collect())
    }

    /// Replaces the clips by those of another file.
    pub(crate) fn borrow_clips(&mut self, borrowed: Borrowed) {
        if let Some(document) = &mut self.document {
            document.borrow_clips(borrowed);
            self.mix.clear();
        }
    }

    /// Replaces the clips of another file by the file's own, and shows the first one. Returns a notice, if any.
    pub(crate) fn return_clips(&mut self) -> Option<Notice> {
        let document = self.document.as_mut().filter(|document| document.borrowed.is_some())?;
        document.return_clips();
        let first = (!document.clips().is_empty()).then_some(0);
        self.mix.clear();
        self.player.clear_range();
        self.player.rewind(0.0);
        self.show_clip(first)
    }

    /// Plays some clips at once, from the present time on. Returns a notice, if any.
    pub(crate) fn play_together(&mut self, clips: Vec<usize>) -> Option<Notice> {
        let document = self.document.as_mut().filter(|document| !document.clips().is_empty())?;
        document.play_together(clips);
        let notice = self.show_clip(Some(self.document.as_ref()?.all_clips_index()));
        let (at, playing) = (self.player.time_secs(), self.player.playing);
        self.seek(at);
        self.player.playing = playing;
        notice
    }

    /// Continues what played before a file was read again, except for layers. Returns a notice, if any.
    pub(crate) fn resume(&mut self, before: &KeptPlayback) -> Option<Notice> {
        let same = |(clip, name): &(usize, String)| self.same_clip(Some(*clip), Some(name));
        let together =
            before.together.as_ref().map(|clips| clips.iter().filter_map(same).collect());
        if let Some((document, clips)) = self.document.as_mut().zip(together) {
            document.play_together(clips);
        }
        let notice = self.show_clip(self.same_clip(before.clip, before.name.as_deref()));
        self.resume_player(before.player);
        notice
    }

    /// Returns the notice that the file lacks the clip that was shown before, if so.
    pub(crate) fn lost_clip(&self, before: &KeptPlayback) -> Option<Notice> {
        let document = self.document.as_ref()?;
        let (index, name) = (before.clip?, before.name.as_deref()?);
        let is_numbered = self.shown.index == Some(index) && name == unnamed(index);
        if is_numbered || self.clip_name().as_deref() == Some(name) {
            return None;
        }
        let instead = match self.shown.index.and_then(|clip| document.clip_name(clip)) {
            Some(shown) => format!("\"{shown}\" is shown"),
            None => "the rest pose is shown".to_owned(),
        };
        Some(Notice::warning(format!("the file has no clip \"{name}\" any more; {instead}")))
    }

    /// Continues at the time, at the speed and between the points of a player.
    pub(crate) fn resume_player(&mut self, player: Player) {
        self.player = player;
        if self.player.is_collapsed(self.duration_secs()) {
            self.player.clear_range();
        }
        self.seek(player.time_secs());
        self.player.playing = player.playing;
    }

    /// Shows a clip from its start, or paused at a time. Returns a notice, if any.
    pub(crate) fn start(&mut self, clip: Option<usize>, time_secs: Option<f64>) -> Option<Notice> {
        let notice = self.show_clip(clip);
        if let Some(time_secs) = time_secs {
            self.seek(time_secs);
        }
        notice
    }

    /// Frames the motion of the clip that a pose is an instant of.
    pub(crate) fn frame_posed(&mut self, posed: &PosedClip) {
        let all = self.document.as_ref().map(Document::all_clips_index);
        let all = all.filter(|_| posed.name.as_deref() == Some(ALL_CLIPS));
        let name = posed.name.clone().or(posed.index.map(unnamed));
        self.frame_clip(self.same_clip(posed.index.or(all), name.as_deref()));
    }

    /// Finds the clip of a reloaded file that corresponds to one from before: the one of the same name, or
    /// the one of the same index if several share the name or none has it.
    fn same_clip(&self, index: Option<usize>, name: Option<&str>) -> Option<usize> {
        let document = self.document.as_ref()?;
        let names = &document.clip_names;
        let (index, name) = (index?, name?);
        let same = |n: &String| n == name;
        if names.get(index).is_some_and(same) {
            return Some(index);
        }
        let all = document.all_clips_index();
        let found = names.iter().position(same).or((index < names.len()).then_some(index));
        found.or((name == ALL_CLIPS && all > 0).then_some(all))
    }

    /// The name by which the shown clip is found again.
    pub(crate) fn clip_name(&self) -> Option<String> {
        let (document, clip) = self.document.as_ref().zip(self.shown.index)?;
        // The entry for some clips has the name of that for all of them: their number may change.
        let all = clip == document.all_clips_index();
        Some(if all { ALL_CLIPS } else { document.clip_name(clip)? }.to_owned())
    }
}

/// Resolves the clip to begin with. If no clip has the chosen name, the first one is returned with an
/// error message.
pub(crate) fn first_clip(
    document: &Document,
    choice: &ClipChoice,
) -> (Option<usize>, Option<Notice>) {
    let count = document.clips().len();
    let some_clip = (count > 0).then_some(0);
    match choice {
        ClipChoice::First => (some_clip, None),
        ClipChoice::Rest => (None, None),
        ClipChoice::All => (some_clip.map(|_| document.all_clips_index()), None),
        ClipChoice::Named(wanted) => {
            let names = document.clips().iter().map(|c| c.name());
            let found = named_or_numbered(names, wanted);
            let unknown = found.is_none().then(|| {
                let list = document.clip_names.join(", ");
                let list = if list.is_empty() { "none".to_owned() } else { list };
                Notice::warning(format!("no clip \"{wanted}\" in this file; it has: {list}"))
            });
            (found.or(some_clip), unknown)
        }
        ClipChoice::Index(index) => indexed(document, Some(*index).filter(|index| *index < count)),
        ClipChoice::Several(indices) => {
            // `add_several` appended it.
            let last = count.checked_sub(1);
            indexed(document, last.filter(|last| indices.iter().all(|i| i < last)))
        }
    }
}

/// Returns a clip that was chosen by indices; the first one with a notice if there is none.
fn indexed(document: &Document, found: Option<usize>) -> (Option<usize>, Option<Notice>) {
    let count = document.clips().len();
    let unknown = || {
        let text = format!("--animation-indices: the file has only {}", counted(count, "clip"));
        Notice::warning(text)
    };
    (found.or((count > 0).then_some(0)), found.is_none().then(unknown))
}

/// Appends a clip that plays several clips at once, if the choice asks for that and all of them exist.
pub(crate) fn add_several(clips: &mut Vec<Clip>, choice: &ClipChoice) {
    if let ClipChoice::Several(indices) = choice {
        clips.extend(several_at_once(clips, indices));
    }
}

/// A layer with the names of its clip and its joint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct KeptLayer {
    #[serde(flatten)]
    settings: LayerSettings,
    /// `None` in session files of former versions, which have indices alone.
    #[serde(default)]
    clip_name: Option<String>,
    /// `None` for a node without a name.
    #[serde(default)]
    joint_name: Option<String>,
}

impl KeptLayer {
    pub fn new(settings: LayerSettings, document: &Document) -> Self {
        let node = settings.joint.and_then(|joint| document.model.nodes.get(joint));
        Self {
            settings,
            clip_name: document.clip_name(settings.clip).map(str::to_owned),
            joint_name: node.and_then(|node| node.name.clone()),
        }
    }

    /// Finds the layer in a document: clip and joint of the same index and name, or else of their names.
    ///
    /// # Errors
    /// If the document lacks one of them; the message says which.
    pub fn find(&self, document: &Document) -> Result<LayerSettings, String> {
        let LayerSettings { clip: index, joint, .. } = self.settings;
        let names = &document.clip_names;
        let clip = match &self.clip_name {
            Some(name) if names.get(index) != Some(name) => names.iter().position(|n| n == name),
            _ => Some(index).filter(|index| *index < names.len()),
        };
        let label = self.clip_name.clone().unwrap_or_else(|| index.to_string());
        let missing = |what: &str, of: &str| {
            format!("the layer \"{label}\" is left out, because the file has no {what} \"{of}\"")
        };
        let clip = clip.ok_or_else(|| missing("clip", &label))?;
        let node = |index: usize| {
            let name = self.joint_name.as_deref();
            let exists = |index: &usize| *index < document.model.nodes.len();
            let found = match self.clip_name {
                Some(_) => same_node(index, name, &document.model),
                None => Some(index).filter(exists),
            };
            let label = || name.map_or_else(|| index.to_string(), str::to_owned);
            found.ok_or_else(|| missing("node", &label()))
        };
        Ok(LayerSettings { clip, joint: joint.map(node).transpose()?, ..self.settings })
    }
}
