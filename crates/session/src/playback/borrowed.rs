//! Clips of another file that replace those of a document.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use crate::{FileSource, LoadRequest};
use rigview_model::Model;
use rigview_rig::{
    BorrowedClips, MapChoice, MapLine, MapTable, RetargetError, RetargetOptions, borrowed_clips,
    with_springs,
};

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
mod tests {
    use super::*;
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
