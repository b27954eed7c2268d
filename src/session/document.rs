//! What is open: a model, where it came from, and the facts that a panel shows of it.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use super::{FileSource, LoadId, LoadRequest};
use crate::anim::Clip;
use crate::import::{Loaded, Warning};
use crate::model::{BorrowedClips, Model, Topology};

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
        let mut is_joint = vec![false; model.nodes.len()];
        for joint in model.skins.iter().flat_map(|s| &s.joints) {
            is_joint[*joint as usize] = true;
        }
        let primitives = || model.meshes.iter().flat_map(|m| &m.primitives);
        let triangles = primitives().filter(|p| p.mode.topology() == Topology::Triangles);
        Self {
            nodes: model.nodes.len(),
            joints: is_joint.into_iter().filter(|j| *j).count(),
            meshes: model.meshes.len(),
            vertices: primitives().map(|p| p.source_vertices as usize).sum(),
            triangles: triangles.map(|p| p.indices.len() / 3).sum(),
            materials: model.materials.len(),
            textures: model.textures.len(),
        }
    }
}

/// What all clips at once are called.
pub(super) const ALL_CLIPS: &str = "All clips";

/// An open file.
#[derive(Clone, Debug)]
pub struct Document {
    /// Where it came from.
    pub source: FileSource,
    /// Its name without the folder.
    pub name: String,
    /// What it says. Each load makes a new one, so its address tells loads apart.
    pub model: Arc<Model>,
    /// Which load it came by.
    pub load: LoadId,
    /// The files that it was read from, and those that were looked for in vain.
    pub files: Vec<PathBuf>,
    /// What was repaired or left out.
    pub warnings: Vec<Warning>,
    /// Its numbers.
    pub summary: Summary,
    /// What to call each clip: the file's name for it, or a number where it gives none.
    pub clip_names: Vec<String>,
    /// The file whose clips are taken in place of its own, and those.
    pub borrowed: Option<(FileSource, BorrowedClips)>,
    all_clips: OnceLock<Clip>,
}

impl Document {
    /// The node of a joint that is named, or numbered as a node.
    pub fn joint(&self, wanted: &str) -> Option<usize> {
        joint_node(&self.model, wanted).ok()
    }

    /// The warnings that panels list and count: all but hints, as `info` marks them.
    pub fn faults(&self) -> impl Iterator<Item = &Warning> {
        self.warnings.iter().filter(|warning| !warning.is_hint())
    }

    /// Takes in a file that was read.
    pub fn new(request: LoadRequest, loaded: Loaded) -> Self {
        let LoadRequest { id: load, source, progress, .. } = request;
        let Loaded { model, warnings } = loaded;
        let clip_names = names_of(&model.clips);
        let (name, summary) = (source.name(), Summary::of(&model));
        Self {
            source,
            name,
            model: Arc::new(model),
            load,
            files: progress.files().into_iter().map(|file| file.path).collect(),
            warnings,
            summary,
            clip_names,
            borrowed: None,
            all_clips: OnceLock::new(),
        }
    }

    /// The clips that can be played: those of another file where they were taken, else its own.
    pub fn clips(&self) -> &[Clip] {
        self.borrowed.as_ref().map_or(&self.model.clips, |(_, borrowed)| &borrowed.clips)
    }

    /// The number that all clips at once go by: the one after the last.
    pub fn all_clips_index(&self) -> usize {
        self.clips().len()
    }

    /// A clip, or all at once.
    pub fn clip(&self, index: usize) -> Option<&Clip> {
        if index == self.all_clips_index() && index > 0 {
            return Some(self.all_clips.get_or_init(|| Clip::all_at_once(self.clips())));
        }
        self.clips().get(index)
    }

    /// What a clip is called, or all at once.
    pub fn clip_name(&self, index: usize) -> Option<&str> {
        match self.clip_names.get(index) {
            Some(name) => Some(name),
            None if index == self.all_clips_index() => Some(ALL_CLIPS),
            None => None,
        }
    }

    /// The clips by their numbers; all at once behind them where they are in use.
    pub(super) fn numbered_clips(&self) -> Vec<&Clip> {
        self.clips().iter().chain(self.all_clips.get()).collect()
    }

    /// Plays the clips of another file from now on.
    pub(super) fn borrow_clips(&mut self, source: FileSource, borrowed: BorrowedClips) {
        self.clip_names = names_of(&borrowed.clips);
        self.borrowed = Some((source, borrowed));
        self.all_clips = OnceLock::new();
    }
}

/// The node of a joint of some skin: the first of that name, else the node of that number if it is
/// one. Otherwise all joints there are, in file order.
pub fn joint_node(model: &Model, wanted: &str) -> Result<usize, Vec<usize>> {
    let mut joints: Vec<usize> =
        model.skins.iter().flat_map(|s| &s.joints).map(|j| *j as usize).collect();
    joints.sort_unstable();
    joints.dedup();
    let named = |j: &&usize| model.nodes[**j].name.as_deref() == Some(wanted);
    let numbered = || wanted.parse().ok().filter(|n| joints.contains(n));
    joints.iter().find(named).copied().or_else(numbered).ok_or(joints)
}

/// What a clip without a name is called.
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
