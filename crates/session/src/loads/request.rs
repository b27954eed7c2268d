//! Requests that run on other threads: loads, and the files to watch.

use std::path::PathBuf;
use std::sync::Arc;

use crate::FileSource;
use rigview_import::{Loaded, Progress, ReadFile};
use rigview_model::{Environment, JointsBeyond, Model, Primitive, PrimitiveSkin, SkinForm};
use rigview_rig::add_springs;

/// Identifies a load; a later load supersedes an earlier one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LoadId(pub u64);

/// Where a file goes that is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Destination {
    /// It is shown in place of the shown file.
    #[default]
    Shown,
    /// It is compared with the shown file; shown if there is none.
    Beside,
    /// Its clips play on the shown model in place of its own; shown if there is none.
    Clips,
    /// It lights the scene.
    Light,
}

impl Destination {
    /// Whether a load with one destination ends a load with the other: both would change the same thing.
    pub(crate) fn supersedes(self, other: Self) -> bool {
        let changes_shown = |of| matches!(of, Destination::Shown | Destination::Clips);
        self == other || changes_shown(self) && changes_shown(other)
    }

    /// Whether the whole model is drawn, with its images.
    pub fn is_drawn(self) -> bool {
        matches!(self, Destination::Shown | Destination::Beside)
    }
}

/// What is done to a model that was read, before it is uploaded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Preparation {
    /// The form in which its skins are stored.
    pub skin_form: SkinForm,
    /// Whether chains of joints that the file calls springs swing in its clips.
    pub springs: bool,
}

/// A model that was read and prepared.
#[derive(Debug)]
pub struct PreparedModel {
    /// The model and the importer's warnings.
    pub loaded: Loaded,
    pub(crate) skins: StoredSkins,
}

/// The contents of a file that was read.
#[derive(Debug)]
pub enum LoadedFile {
    /// A model.
    Model(Box<PreparedModel>),
    /// An environment.
    Light(Environment),
}

/// A request to read a file on another thread.
#[derive(Clone, Debug)]
pub struct LoadRequest {
    /// Returned with the result, in [`LoadAction::Loaded`](crate::LoadAction::Loaded).
    pub id: LoadId,
    /// The file.
    pub source: FileSource,
    /// Where it goes.
    pub destination: Destination,
    /// What is done to a model.
    pub preparation: Preparation,
    /// Counts the bytes read; cancelled when the load is superseded or given up.
    pub progress: Arc<Progress>,
    /// Whether clip, time and camera stay if this is the file that is shown.
    pub again: bool,
    /// Whether the file is read because it changed. The program that writes it may not have finished, so a
    /// failure is reported only after the file has been quiet for a while.
    pub patient: bool,
}

impl LoadRequest {
    /// Returns a request with defaults, and no id yet.
    pub fn new(source: FileSource, destination: Destination) -> Self {
        Self {
            id: LoadId::default(),
            source,
            destination,
            preparation: Preparation::default(),
            progress: Arc::default(),
            again: false,
            patient: false,
        }
    }

    /// Prepares a model that was read.
    pub fn prepare(&self, mut loaded: Loaded) -> PreparedModel {
        if self.preparation.springs {
            let faults = add_springs(&mut loaded.model);
            faults.iter().for_each(|fault| log::warn!("{fault}"));
        }
        let skins = StoredSkins::store(self.preparation.skin_form, &mut loaded.model);
        PreparedModel { loaded, skins }
    }
}

impl PartialEq for LoadRequest {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// The files whose changes are reported by [`LoadAction::FilesChanged`](crate::LoadAction::FilesChanged). Replaces
/// every earlier watch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watch {
    /// Files that were read, with their size and time at that moment: any difference counts as a change.
    pub read: Vec<ReadFile>,
    /// Further files; changes count from now on.
    pub also: Vec<PathBuf>,
}

/// What has happened to watched files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileChanges {
    /// Files that were written or replaced, or are back.
    pub changed: Vec<PathBuf>,
    /// Files that were deleted or moved.
    pub gone: Vec<PathBuf>,
}

/// The form in which a model's skins are stored, and what the file has instead.
#[derive(Clone, Debug, Default)]
pub(crate) struct StoredSkins {
    pub form: SkinForm,
    /// The file's joints and weights; `None` if the model has them.
    pub exact: Option<Vec<PrimitiveSkin>>,
    /// The joints beyond the limit, and the vertices that they move.
    pub beyond: JointsBeyond,
}

impl StoredSkins {
    /// Stores the skins of a model in a form, and keeps the file's influences.
    pub fn store(form: SkinForm, model: &mut Model) -> Self {
        if form.is_exact() {
            return Self { form, ..Self::default() };
        }
        let primitives = model.meshes.iter().flat_map(|mesh| &mesh.primitives);
        let exact = Some(primitives.filter_map(Primitive::skin).collect());
        let nodes = model.scene_nodes(model.default_scene);
        let beyond = JointsBeyond::find(model, &nodes, form.joints);
        form.apply(model);
        Self { form, exact, beyond }
    }
}
