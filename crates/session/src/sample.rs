//! A small model for tests of this crate and of the panels.

use std::path::PathBuf;
use std::sync::Arc;

use glam::Vec3;

use super::{Effect, FileChanges, LoadAction, LoadedFile, Session, SessionOptions};
use rigview_anim::{Channel, Clip, ClipParts, Keys, Skin, Track, Transform};
use rigview_import::{ImportError, Loaded, Warning, WarningCode};
use rigview_model::{Camera, Model, Node, Projection, Source};

/// Returns a model with two nodes, both joints, the second with a camera. Its clips are `Walk` (2 s, keys at 0, 0.5
/// and 2 s), `歩く` (1 s), and one without a name that has a single key.
pub fn model() -> Model {
    let clip = |name: Option<&str>, times: Vec<f32>| {
        let keys = Keys::Linear(times.iter().map(|t| Vec3::new(*t, 0.0, 0.0)).collect());
        let duration_secs = times[times.len() - 1];
        let track = Track::new(times, keys, 1).unwrap();
        Clip::new(ClipParts {
            name: name.map(str::to_owned),
            channels: vec![Channel::Translation { node: 1, track }],
            start_secs: 0.0,
            duration_secs,
            ..ClipParts::default()
        })
    };
    let up = Transform { translation: Vec3::Y, ..Transform::IDENTITY };
    let lens = Projection::Perspective { fov_y: 0.8, aspect: None, near: 0.1, far: None };
    Model {
        nodes: vec![Node::default(), Node { camera: Some(0), ..Node::default() }],
        skins: vec![Skin {
            name: None,
            joints: vec![0, 1],
            joint_from_mesh: vec![glam::Affine3A::IDENTITY; 2],
        }],
        cameras: vec![Camera { name: Some("Shot".into()), projection: lens }],
        clips: vec![
            clip(Some("Walk"), vec![0.0, 0.5, 2.0]),
            clip(Some("歩く"), vec![0.0, 1.0]),
            clip(None, vec![0.0]),
        ],
        source: Source { format: Source::GLTF.into(), ..Source::default() },
        ..Model::from_nodes(&[None, Some(0)], [Transform::IDENTITY, up]).unwrap()
    }
}

/// Returns the model as the importer does, with one warning.
pub fn loaded() -> Loaded {
    let warning = Warning {
        code: WarningCode::WeightsSum,
        pointer: "/meshes/0".into(),
        message: "weights sum to 0.98".into(),
    };
    Loaded { model: model(), warnings: vec![warning] }
}

/// Ends the first load among some effects with a result and shows the model, if there is one. Returns what is
/// to be done next.
pub fn finish(
    session: &mut Session,
    effects: &[Effect],
    result: Result<Loaded, ImportError>,
) -> Vec<Effect> {
    let load = effects.iter().find_map(|e| match e {
        Effect::Load(load) => Some(load),
        _ => None,
    });
    let load = load.expect("a load was requested");
    let result = result.map(|loaded| LoadedFile::Model(Box::new(load.prepare(loaded))));
    session.apply(LoadAction::Loaded { id: load.id, result })
}

/// Returns a session that shows the model.
pub fn session_with(options: SessionOptions) -> Session {
    let mut session = Session::new(options);
    let effects = session.apply(LoadAction::open("/rigs/walker.glb"));
    finish(&mut session, &effects, Ok(loaded()));
    session
}

/// Returns a session that shows the model, with default options.
pub fn session() -> Session {
    session_with(SessionOptions::default())
}

/// The result of a load that failed.
pub fn bad() -> Result<Loaded, ImportError> {
    let (what, pointer) = ("joint 9 of 2".into(), "/skins/0/joints/1".into());
    Err(ImportError::Invalid { what, pointer })
}

/// Returns the change of one file.
pub fn changed(file: impl Into<PathBuf>) -> FileChanges {
    FileChanges { changed: vec![file.into()], gone: Vec::new() }
}

/// Whether the session shows this model, and not another one with equal contents.
pub fn same_model(a: &Session, b: &Arc<Model>) -> bool {
    a.playback().document().is_some_and(|d| Arc::ptr_eq(&d.model, b))
}

/// Applies actions that need nothing done outside of the session.
#[cfg(test)]
macro_rules! act {
    ($session:expr, $($action:expr),+) => {
        $(assert!($session.apply($action).is_empty());)+
    };
}
#[cfg(test)]
pub(crate) use act;
