//! The open file: where it was read from, its model, clips of another file on it, and the numbers that a panel shows.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::{LoadId, LoadRequest, several_at_once};
use rigview_anim::{ALL_CLIPS, Clip};
use rigview_import::{
    ImportError, ImportOptions, Loaded, Progress, Warning, escaped, load_bytes_with_progress,
    load_with_progress,
};
use rigview_model::{Model, Topology};
use rigview_rig::{
    BorrowedClips, MapChoice, MapLine, MapTable, RetargetError, RetargetOptions, borrowed_clips,
    name_prefix, with_springs,
};

/// The source of a file's bytes.
#[derive(Clone, PartialEq, Eq)]
pub enum FileSource {
    /// A path on disk.
    Path(PathBuf),
    /// A `.glb` that is part of the program, with a display name.
    BuiltIn {
        /// Shown in place of a file name.
        name: &'static str,
        /// The file.
        bytes: &'static [u8],
    },
    /// A mended copy in memory.
    Mended {
        /// The name of the file that was mended, without its folder.
        of: String,
        /// The copy.
        glb: Arc<[u8]>,
    },
}

impl fmt::Debug for FileSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileSource::Path(path) => f.debug_tuple("Path").field(path).finish(),
            FileSource::BuiltIn { name, .. } => f.debug_tuple("BuiltIn").field(name).finish(),
            FileSource::Mended { of, .. } => f.debug_tuple("Mended").field(of).finish(),
        }
    }
}

impl FileSource {
    /// Returns the built-in rig.
    pub fn creature() -> Self {
        let bytes = include_bytes!("../../../../assets/creature.glb");
        FileSource::BuiltIn { name: "creature", bytes }
    }

    /// Whether both are versions of one file: two copies are that if they were made of files with the same name.
    pub(crate) fn is_version_of(&self, other: &Self) -> bool {
        match (self, other) {
            (FileSource::Mended { of, .. }, FileSource::Mended { of: other, .. }) => of == other,
            _ => self == other,
        }
    }

    /// Reads the file, and reports to `progress`.
    ///
    /// # Errors
    /// If it can't be read.
    pub fn load(
        &self,
        options: &ImportOptions,
        progress: &Progress,
    ) -> Result<Loaded, ImportError> {
        match self {
            FileSource::Path(path) => load_with_progress(path, options, progress),
            FileSource::BuiltIn { bytes, .. } => {
                load_bytes_with_progress(bytes.to_vec(), options, progress)
            }
            FileSource::Mended { glb, .. } => {
                load_bytes_with_progress(glb.to_vec(), options, progress)
            }
        }
    }

    /// The file's path as it was given; the display name of a file in memory.
    pub fn path_text(&self) -> String {
        match self {
            FileSource::Path(path) => path.to_string_lossy().into_owned(),
            FileSource::BuiltIn { .. } | FileSource::Mended { .. } => self.name(),
        }
    }

    /// Returns the message about an error of this file, to follow its name. If the file can't be opened, the message names
    /// its folder, and what can be done about a file that does not exist.
    pub fn message(&self, error: &ImportError) -> String {
        match (error, self) {
            (ImportError::Io { .. }, FileSource::Path(path)) => {
                let whole = std::path::absolute(path).unwrap_or_else(|_| path.clone());
                let folder = whole.parent().unwrap_or(&whole).to_string_lossy();
                let remedy = if path.exists() {
                    ""
                } else {
                    "; if it was moved or renamed, open it from where it is now"
                };
                format!("{error} (in {}){remedy}", escaped(&folder))
            }
            _ => error.to_string(),
        }
    }

    /// The file's name without its folder.
    pub fn name(&self) -> String {
        match self {
            FileSource::Path(path) => match path.file_name() {
                Some(name) => name.to_string_lossy().into_owned(),
                None => path.display().to_string(),
            },
            FileSource::BuiltIn { name, .. } => (*name).to_owned(),
            FileSource::Mended { of, .. } => format!("{of}, fixed"),
        }
    }

    /// The file's name beside that of another file: where both have the same name, with the folders from which on their paths
    /// differ, as in `v1/hero.glb` beside `v2/hero.glb`. Folders between the first and the last are left out.
    pub fn name_beside(&self, other: &FileSource) -> String {
        match (self, other) {
            (FileSource::Path(path), FileSource::Path(other))
                if path.file_name() == other.file_name() =>
            {
                differing_end(path, other).unwrap_or_else(|| self.name())
            }
            _ => self.name(),
        }
    }
}

/// Returns the end of a path that begins where it differs from another one; `None` if it has no name, or begins before.
fn differing_end(path: &Path, other: &Path) -> Option<String> {
    let names = |path: &Path| -> Vec<String> {
        let names = path.components().rev().filter(|part| *part != Component::CurDir);
        names.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect()
    };
    let (path, other) = (names(path), names(other));
    let same = path.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let (name, folder) = (path.first()?, path.get(same)?);
    let between = if same > 1 { "/\u{2026}/" } else { "/" };
    Some(format!("{folder}{between}{name}"))
}

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
    pub fn count(model: &Model) -> Self {
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
        let (name, summary) = (source.name(), Summary::count(&model));
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

/// How clips of another file are converted, and where that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Retargeting {
    /// How they are converted.
    pub options: RetargetOptions,
    /// The file of the table of joints; `None` if there is no table, or it was edited.
    pub file: Option<PathBuf>,
}

/// Clips of another file, converted for a document.
#[derive(Clone, Debug)]
pub struct Borrowed {
    /// The other file.
    pub source: FileSource,
    /// The files that it was read from.
    pub files: Vec<PathBuf>,
    /// Its rig and its clips, without surfaces and images.
    pub model: Arc<Model>,
    /// How they were converted.
    pub retargeting: Retargeting,
    /// The converted clips.
    pub clips: BorrowedClips,
}

impl Borrowed {
    /// Converts the clips of a file for a model.
    ///
    /// # Errors
    /// As [`borrowed_clips`].
    pub(crate) fn new(
        rig: &Model,
        request: &LoadRequest,
        mut model: Model,
        retargeting: Retargeting,
        springs: bool,
    ) -> Result<Self, RetargetError> {
        model.images.clear();
        model.textures.clear();
        model.materials.clear();
        // Names of morph targets are still needed.
        model.meshes.iter_mut().for_each(|mesh| mesh.primitives.clear());
        let clips = converted(rig, &model, &retargeting, springs)?;
        let files = request.progress.files().into_iter().map(|file| file.path).collect();
        Ok(Self {
            source: request.source.clone(),
            files,
            model: Arc::new(model),
            retargeting,
            clips,
        })
    }

    /// Converts the clips again, in another way.
    ///
    /// # Errors
    /// As [`borrowed_clips`].
    pub(crate) fn converted(
        &self,
        rig: &Model,
        retargeting: Retargeting,
        springs: bool,
    ) -> Result<Self, RetargetError> {
        let clips = converted(rig, &self.model, &retargeting, springs)?;
        Ok(Self { retargeting, clips, ..self.clone() })
    }

    /// Returns all joints that follow one, and those that a table holds at rest, as a table. Its base is that of the map, by which
    /// morph targets follow those of the same name.
    pub(crate) fn table(&self, rig: &Model) -> MapTable {
        // A name is once in a table; further joints of that name are those of copies of the skeleton.
        let mut written = HashSet::new();
        let name = |model: &Model, node: usize| model.nodes[node].name.clone();
        let pairs = self.clips.map.pairs.iter().enumerate();
        let pairs = pairs.filter_map(|(node, pair)| {
            let joint = name(rig, node).filter(|name| !name.is_empty())?;
            let follows = name(&self.model, pair.as_ref()?.source)?;
            Some(MapLine { joint, follows: Some(follows), line: 0 })
        });
        let map = &self.retargeting.options.map;
        let lines: &[MapLine] = match map {
            MapChoice::Table(table) => &table.joints,
            _ => &[],
        };
        let at_rest = lines.iter().filter(|line| line.follows.is_none()).cloned();
        let joints = pairs.chain(at_rest).filter(|line| written.insert(line.joint.clone()));
        MapTable { base: map.base(), joints: joints.collect() }
    }
}

fn converted(
    rig: &Model,
    source: &Model,
    retargeting: &Retargeting,
    springs: bool,
) -> Result<BorrowedClips, RetargetError> {
    let mut borrowed = borrowed_clips(rig, source, &retargeting.options)?;
    if springs {
        for clip in &mut borrowed.clips {
            match with_springs(rig, clip) {
                Ok(swinging) => *clip = swinging,
                Err(error) => log::warn!("{error}"),
            }
        }
    }
    Ok(borrowed)
}

#[cfg(test)]
mod file_source_tests {
    use crate::playback::document::*;

    #[test]
    fn files_of_one_name_are_told_apart_by_their_folders() {
        let beside = |a: &str, b: &str| {
            let (a, b) = (FileSource::Path(a.into()), FileSource::Path(b.into()));
            [a.name_beside(&b), b.name_beside(&a)]
        };
        assert_eq!(beside("rigs/v1/hero.glb", "rigs/v2/hero.glb"), ["v1/hero.glb", "v2/hero.glb"]);
        assert_eq!(
            beside("/a/v1/out/lod/hero.glb", "/a/v2/out/lod/hero.glb"),
            ["v1/\u{2026}/hero.glb", "v2/\u{2026}/hero.glb"]
        );
        // The path of one ends before it differs.
        assert_eq!(beside("hero.glb", "./old/hero.glb"), ["hero.glb", "old/hero.glb"]);
        assert_eq!(beside("a/hero.glb", "b/foe.glb"), ["hero.glb", "foe.glb"]);
        assert_eq!(beside("a/hero.glb", "a/hero.glb"), ["hero.glb", "hero.glb"]);
    }
}

#[cfg(test)]
mod borrowed_tests {
    use crate::playback::document::*;
    use rigview_anim::Transform;
    use rigview_rig::MapBase;

    #[test]
    fn a_table_says_the_same_as_the_map_that_it_is_made_of() {
        let of = |names: [&str; 3]| {
            let model = Model::from_nodes(&[None, Some(0), Some(1)], [Transform::IDENTITY; 3]);
            model.unwrap().with_names(names)
        };
        let (rig, model) = (of(["Root", "Tail", "Ear"]), of(["Root", "Tail", "Wing"]));
        let table = |map: MapChoice| {
            let options = RetargetOptions { map, ..RetargetOptions::default() };
            let clips = borrowed_clips(&rig, &model, &options).unwrap();
            let borrowed = Borrowed {
                source: FileSource::Path("clips.glb".into()),
                files: Vec::new(),
                model: Arc::new(model.clone()),
                retargeting: Retargeting { options, file: None },
                clips,
            };
            borrowed.table(&rig)
        };
        let line = |joint: &str, follows: Option<&str>| MapLine {
            joint: joint.into(),
            follows: follows.map(str::to_owned),
            line: 0,
        };
        let all = [line("Root", Some("Root")), line("Tail", Some("Tail"))];
        let saved = table(MapChoice::Exact);
        assert_eq!((saved.base, &saved.joints[..]), (MapBase::Exact, &all[..]));
        let held = vec![line("Tail", None), line("Ear", Some("Wing"))];
        let saved = table(MapChoice::Table(MapTable { base: MapBase::Auto, joints: held }));
        let all = [line("Root", Some("Root")), line("Ear", Some("Wing")), line("Tail", None)];
        assert_eq!((saved.base, &saved.joints[..]), (MapBase::Auto, &all[..]));
    }
}
