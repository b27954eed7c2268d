//! The open file: its model, its source, and the numbers that a panel shows.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use super::borrowed::Borrowed;
use crate::{FileSource, LoadId, LoadRequest, several_at_once};
use rigview_anim::{ALL_CLIPS, Clip};
use rigview_import::{Loaded, Warning};
use rigview_model::{Model, Topology};
use rigview_rig::name_prefix;

/// Numbers about a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Nodes of the whole file.
    pub nodes: usize,
    /// Nodes that are a joint of some skin.
    pub joints: usize,
    /// Meshes of the whole file.
    pub meshes: usize,
    /// Vertices that the file stores.
    pub vertices: usize,
    /// Triangles that the file stores.
    pub triangles: usize,
    /// Materials of the whole file.
    pub materials: usize,
    /// Textures of the whole file.
    pub textures: usize,
}

impl Summary {
    /// Counts a model.
    pub fn of(model: &Model) -> Self {
        let primitives = || model.meshes.iter().flat_map(|m| &m.primitives);
        let triangles = primitives().filter(|p| p.mode.topology() == Topology::Triangles);
        Self {
            nodes: model.nodes.len(),
            joints: model.skin_joints().into_iter().filter(|is_joint| *is_joint).count(),
            meshes: model.meshes.len(),
            vertices: primitives().map(|p| p.source_vertices as usize).sum(),
            triangles: triangles.map(|p| p.indices.len() / 3).sum(),
            materials: model.materials.len(),
            textures: model.textures.len(),
        }
    }
}

/// Identifies the clips that can be played: it differs after every load, when the clips are replaced, and when others of them
/// are chosen to play at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClipsId {
    load: LoadId,
    replaced: u32,
    /// How often the clips that play at once were chosen.
    chosen: u32,
}

impl ClipsId {
    /// Identifies the clips whichever of them play at once.
    pub(crate) fn of_each(self) -> Self {
        Self { chosen: 0, ..self }
    }
}

/// An open file.
#[derive(Clone, Debug)]
pub struct Document {
    /// The source of the file's bytes.
    pub source: FileSource,
    /// The file's name without its folder.
    pub name: String,
    /// The model. Each load makes a new one, so the address identifies the load.
    pub model: Arc<Model>,
    /// The load that read it.
    pub load: LoadId,
    /// The files that it was read from, and those that were not found.
    pub files: Vec<PathBuf>,
    /// The importer's warnings.
    pub warnings: Vec<Warning>,
    /// Counts of its parts.
    pub summary: Summary,
    /// The name of each clip; `Clip 3` for a clip without a name.
    pub clip_names: Vec<String>,
    /// The prefix that panels show names of nodes without.
    pub name_prefix: String,
    /// The file whose clips replace its own, with these clips.
    pub borrowed: Option<Borrowed>,
    all_clips: OnceLock<Clip>,
    /// The clips that the entry for all clips plays, and its name; `None` for all.
    together: Option<(Vec<usize>, String)>,
    /// How often the clips were replaced, and how often those that play at once were chosen.
    replaced: u32,
    chosen: u32,
    /// Whether its images were lost with the device, so that the file has to be read again.
    pub(crate) lacks_images: bool,
}

impl Document {
    /// Returns the node of a joint, given by name or by the node's index.
    pub fn joint(&self, wanted: &str) -> Option<usize> {
        joint_node(&self.model, wanted).ok()
    }

    /// Returns a node's name without the prefix that all joints share; `node 7` for a node without a name.
    pub fn short_name(&self, node: usize) -> Cow<'_, str> {
        match self.model.node_name(node) {
            Cow::Borrowed(name) => {
                Cow::Borrowed(name.strip_prefix(&self.name_prefix[..]).unwrap_or(name))
            }
            number => number,
        }
    }

    /// The warnings that panels show: all except hints.
    pub fn faults(&self) -> impl Iterator<Item = &Warning> {
        self.warnings.iter().filter(|warning| !warning.is_hint())
    }

    /// Returns the document of a file that was read.
    pub fn new(request: LoadRequest, loaded: Loaded) -> Self {
        let LoadRequest { id: load, source, progress, .. } = request;
        let Loaded { model, warnings } = loaded;
        let clip_names = names_of(&model.clips);
        let (name, summary) = (source.name(), Summary::of(&model));
        let name_prefix = name_prefix(&model).to_owned();
        Self {
            source,
            name,
            model: Arc::new(model),
            load,
            files: progress.files().into_iter().map(|file| file.path).collect(),
            warnings,
            summary,
            clip_names,
            name_prefix,
            borrowed: None,
            all_clips: OnceLock::new(),
            together: None,
            replaced: 0,
            chosen: 0,
            lacks_images: false,
        }
    }

    /// Gives up lost images if it is this document's file that can't be read. Reading it once more would fail too.
    pub(crate) fn note_failure(&mut self, source: &FileSource) {
        self.lacks_images &= self.source != *source;
    }

    /// Returns the files that it and the clips of another file were read from.
    pub fn all_files(&self) -> impl Iterator<Item = PathBuf> {
        let borrowed = self.borrowed.iter().flat_map(|borrowed| &borrowed.files);
        self.files.iter().chain(borrowed).cloned()
    }

    /// Identifies the clips that can be played.
    pub fn clips_id(&self) -> ClipsId {
        ClipsId { load: self.load, replaced: self.replaced, chosen: self.chosen }
    }

    /// The clips that can be played: those of another file if there are any, else the file's own.
    pub fn clips(&self) -> &[Clip] {
        self.borrowed.as_ref().map_or(&self.model.clips, |borrowed| &borrowed.clips.clips)
    }

    /// The index that stands for all clips at once: one past the last clip.
    pub fn all_clips_index(&self) -> usize {
        self.clips().len()
    }

    /// Returns a clip, or the one that plays all clips at once.
    pub fn clip(&self, index: usize) -> Option<&Clip> {
        if index == self.all_clips_index() && index > 0 {
            return Some(self.all_clips.get_or_init(|| match &self.together {
                Some((some, _)) => several_at_once(self.clips(), some).unwrap_or_default(),
                None => Clip::all_at_once(self.clips()),
            }));
        }
        self.clips().get(index)
    }

    /// Returns the name of a clip, or of all clips at once.
    pub fn clip_name(&self, index: usize) -> Option<&str> {
        match self.clip_names.get(index) {
            Some(name) => Some(name),
            None if index == self.all_clips_index() => {
                Some(self.together.as_ref().map_or(ALL_CLIPS, |(_, name)| name))
            }
            None => None,
        }
    }

    /// The clips that the entry for all clips plays; `None` for all.
    pub(crate) fn together(&self) -> Option<&[usize]> {
        self.together.as_ref().map(|(some, _)| &some[..])
    }

    /// Whether the entry for all clips plays a clip.
    pub fn plays_together(&self, clip: usize) -> bool {
        self.together.as_ref().is_none_or(|(some, _)| some.contains(&clip))
    }

    /// Chooses the clips that the entry for all clips plays. Clips that do not exist are left out; all of them, or none,
    /// stand for all clips. Returns whether these are others than before.
    pub(crate) fn play_together(&mut self, mut some: Vec<usize>) -> bool {
        let count = self.clips().len();
        some.retain(|clip| *clip < count);
        some.sort_unstable();
        some.dedup();
        let part = !some.is_empty() && some.len() < count;
        let name = format!("{} of {count} clips", some.len());
        let together = part.then_some((some, name));
        let changes = together != self.together;
        if changes {
            self.together = together;
            self.all_clips = OnceLock::new();
            self.chosen += 1;
        }
        changes
    }

    /// The clips by index, followed by all clips at once if that was used.
    pub(super) fn numbered_clips(&self) -> Vec<&Clip> {
        self.clips().iter().chain(self.all_clips.get()).collect()
    }

    /// Replaces the clips by those of another file.
    pub(crate) fn borrow_clips(&mut self, borrowed: Borrowed) {
        self.clip_names = names_of(&borrowed.clips.clips);
        self.borrowed = Some(borrowed);
        self.clips_replaced();
    }

    /// Replaces the clips of another file by the file's own.
    pub(super) fn return_clips(&mut self) {
        self.clip_names = names_of(&self.model.clips);
        self.borrowed = None;
        self.clips_replaced();
    }

    fn clips_replaced(&mut self) {
        self.together = None;
        self.all_clips = OnceLock::new();
        self.replaced += 1;
    }
}

/// Returns the node of a joint of any skin: the first joint with this name, or else the node with this index if it is a
/// joint.
///
/// # Errors
/// If there is no such joint; the error has all joints in file order.
pub fn joint_node(model: &Model, wanted: &str) -> Result<usize, Vec<usize>> {
    let mut joints: Vec<usize> =
        model.skins.iter().flat_map(|s| &s.joints).map(|j| *j as usize).collect();
    joints.sort_unstable();
    joints.dedup();
    let named = |j: &&usize| model.nodes[**j].name.as_deref() == Some(wanted);
    let numbered = || wanted.parse().ok().filter(|n| joints.contains(n));
    joints.iter().find(named).copied().or_else(numbered).ok_or(joints)
}

/// The name for a clip without a name.
pub(super) fn unnamed(index: usize) -> String {
    format!("Clip {index}")
}

fn names_of(clips: &[Clip]) -> Vec<String> {
    let name = |(i, clip): (usize, &Clip)| match clip.name() {
        Some(name) if !name.trim().is_empty() => name.to_owned(),
        _ => unnamed(i),
    };
    clips.iter().enumerate().map(name).collect()
}
