//! The session file (`.rigview.json`): what a session shows, to be shown again later. Paths in it are relative to its
//! folder.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::camera::{CameraPosition, FramedDirection};
use crate::desktop::absolute;
use crate::playback::clips::KeptLayer;
use crate::playback::transport::MAX_SPEED;
use crate::{
    BasePose, CompareMode, Compared, Destination, Document, ExplicitCamera, FileSource,
    NodesByName, OrbitCamera, Playback, Session, ViewCamera, WindowPart,
};
use rigview_anim::{Player, Repeat};
use rigview_import::{map_text, parse_map};
use rigview_look::{
    Aids, BoneStyle, DirectionalLight, EnvironmentSource, KeyLight, Lighting, Look, OnionSkin,
    Spacing, known, known_items,
};
use rigview_model::{Model, SkinForm};
use rigview_report::{ClipForm, HandMadeNode};
use rigview_rig::{MapChoice, RetargetOptions};

/// The end of the name of a session file.
pub const SESSION_FILE: &str = ".rigview.json";

/// The version of the format that is written, and the latest that is read.
pub(super) const VERSION: u32 = 1;

/// What a session shows. Parts that a file leaves out are as after loading.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct SavedSession {
    /// The version of the format; 0 for a file that is none.
    pub(super) rigview_session: u32,
    /// The model; `None` for the built-in rig.
    pub(super) file: Option<String>,
    /// The file whose clips replace the model's own.
    pub clips_from: Option<String>,
    /// How these clips are converted; `None` is the default.
    pub retarget: Option<SavedRetarget>,
    pub scene: Option<usize>,
    pub stood_up: bool,
    pub play: SavedPlay,
    /// How an engine would store the model.
    pub engine: SavedEngine,
    /// The file beside.
    pub compared: Option<SavedCompared>,
    pub camera: SavedCamera,
    pub look: SavedLook,
    pub selected: Option<SavedNode>,
    /// Primitive and index of the picked vertex of the selected node.
    pub vertex: Option<(usize, u32)>,
    pub hidden: Vec<SavedNode>,
    /// The values that were set by hand.
    pub by_hand: Vec<HandMadeNode>,
    pub solo: Option<SavedNode>,
    #[serde(deserialize_with = "known_items")]
    pub parts: Option<Vec<WindowPart>>,
    /// The folder of the file, which its paths are relative to.
    #[serde(skip)]
    pub folder: PathBuf,
}

/// What a session file still asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Resuming {
    /// Until its model is shown.
    pub saved: Option<Box<SavedSession>>,
    /// Until the clips of this other file have been read.
    pub clips: Option<(FileSource, Box<SavedSession>)>,
    /// Until this environment has been read.
    pub light: Option<(FileSource, Box<SavedSession>)>,
    /// Until this second file has been read.
    pub beside: Option<(FileSource, Box<SavedSession>)>,
}

impl Resuming {
    /// The form of skins, if the session file is waiting for the model of this source.
    pub fn form_of(&self, source: &FileSource) -> Option<SkinForm> {
        let saved = self.saved.as_ref().filter(|saved| saved.source() == *source);
        saved.map(|saved| saved.engine.form())
    }

    /// Asks no more for what would be loaded there.
    pub fn forget(&mut self, destination: Destination) {
        match destination {
            Destination::Shown => self.saved = None,
            Destination::Clips => self.clips = None,
            Destination::Light => self.light = None,
            Destination::Beside => self.beside = None,
        }
    }
}

/// Whether a path is that of a session file.
pub(super) fn is_session_file(path: &Path) -> bool {
    path.to_string_lossy().to_lowercase().ends_with(SESSION_FILE)
}

impl SavedSession {
    /// Reads the text of a file in a folder.
    ///
    /// # Errors
    /// If it is no session file, or one of a later version; the message says which.
    pub fn read(text: &str, folder: &Path) -> Result<Self, String> {
        let saved: Self =
            serde_json::from_str(text).map_err(|e| format!("no session file: {e}"))?;
        match saved.rigview_session {
            0 => Err("no session file: \"rigview_session\" is missing".into()),
            1..=VERSION => Ok(Self { folder: folder.to_owned(), ..saved }),
            later => Err(format!(
                "a session file of version {later}; this rigview reads up to {VERSION}"
            )),
        }
    }

    /// The model's file.
    pub fn source(&self) -> FileSource {
        match &self.file {
            Some(file) => FileSource::Path(self.folder.join(file)),
            None => FileSource::creature(),
        }
    }
}

/// Returns a path as seen from a folder; an absolute one if they share no folder.
pub(super) fn relative(path: &Path, folder: &Path) -> String {
    let folder = absolute(folder);
    let folder = folder.canonicalize().unwrap_or(folder);
    let path = resolved(path);
    let shared = path.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    let is_named = |c: &Component<'_>| matches!(c, Component::Normal(_));
    if !path.components().take(shared).any(|c| is_named(&c)) {
        return path.to_string_lossy().into_owned();
    }
    let up = folder.components().skip(shared).map(|_| "..".into());
    let down = path.components().skip(shared).map(|c| c.as_os_str().to_string_lossy());
    let parts: Vec<std::borrow::Cow<'_, str>> = up.chain(down).collect();
    parts.join("/")
}

/// Returns the absolute path of a file without symbolic links and `..` in its folder: the system resolves a `..` behind
/// a link's target, so that components may only be counted without them. A file that is a link keeps its name.
fn resolved(path: &Path) -> PathBuf {
    let path = absolute(path);
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    match folder.zip(path.file_name()) {
        Some((folder, name)) => folder.join(name),
        None => path,
    }
}

/// The second file and how both are shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SavedCompared {
    pub file: String,
    #[serde(rename = "together", deserialize_with = "known")]
    pub mode: CompareMode,
    wipe: f64,
}

impl SavedCompared {
    /// Returns what is saved of a comparison with a file.
    pub fn new(file: String, compared: &Compared) -> Self {
        Self { file, mode: compared.mode(), wipe: compared.wipe() }
    }

    /// The line's place as a share of the picture's width.
    pub fn wipe(&self) -> f64 {
        if self.wipe.is_finite() { self.wipe.clamp(0.0, 1.0) } else { 0.5 }
    }
}

/// The limits of skins; `None` where they are as in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SavedEngine {
    influences: Option<usize>,
    joints: Option<usize>,
    weight_bits: Option<u32>,
}

impl SavedEngine {
    pub fn new(form: SkinForm) -> Self {
        let file = SkinForm::default();
        Self {
            influences: (form.influences != file.influences).then_some(form.influences),
            joints: (form.joints != file.joints).then_some(form.joints),
            weight_bits: (form.weight_bits != file.weight_bits).then_some(form.weight_bits),
        }
    }

    /// Returns the form, with each limit in the range that the window offers.
    pub fn form(self) -> SkinForm {
        let file = SkinForm::default();
        SkinForm {
            influences: self.influences.map_or(file.influences, |most| most.clamp(1, 16)),
            joints: self.joints.map_or(file.joints, |most| most.max(1)),
            weight_bits: match self.weight_bits {
                Some(bits @ (8 | 16)) => bits,
                _ => file.weight_bits,
            },
        }
    }
}

/// A node by index and name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct SavedNode {
    pub index: usize,
    pub name: Option<String>,
}

impl SavedNode {
    pub fn new(model: &Model, index: usize) -> Self {
        Self { index, name: model.nodes.get(index).and_then(|node| node.name.clone()) }
    }

    /// Returns the node of a model: the one of the same index and name, or else the only one of the name.
    pub fn find(&self, by_name: &NodesByName<'_>) -> Option<usize> {
        by_name.find(self.index, self.name.as_deref().unwrap_or_default())
    }
}

/// Where the camera stands, and how it moves by itself. Angles are in radians, lengths in metres, points in scene space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SavedCamera {
    at: CameraPosition,
    pub follow: bool,
    /// The speed of the turntable; `None` while it does not turn.
    pub turn_speed: Option<f64>,
}

impl Default for SavedCamera {
    fn default() -> Self {
        let OrbitCamera { azimuth, elevation, orthographic, .. } = OrbitCamera::default();
        let framed = FramedDirection { azimuth, elevation, zoom: 1.0, orthographic, height: None };
        Self { at: CameraPosition::Framed(framed), follow: false, turn_speed: None }
    }
}

impl SavedCamera {
    pub fn new(camera: &ViewCamera) -> Self {
        Self { at: camera.placed(), follow: camera.follows(), turn_speed: camera.turn_speed() }
    }

    /// Returns where the camera is to stand; `None` if the numbers make no camera.
    pub fn placed(&self) -> Option<CameraPosition> {
        let length = |x: f64| x.is_finite() && x > 0.0;
        let angle = |x: f64| x.is_finite() && x > 0.0 && x < std::f64::consts::PI;
        let is_sound = match self.at {
            CameraPosition::Framed(FramedDirection {
                azimuth, elevation, zoom, height, ..
            }) => {
                azimuth.is_finite()
                    && elevation.is_finite()
                    && length(zoom)
                    && height.is_none_or(length)
            }
            CameraPosition::Orbit(orbit) => {
                let OrbitCamera { target, distance, azimuth, elevation, fov_y, .. } = orbit;
                target.is_finite()
                    && length(distance)
                    && azimuth.is_finite()
                    && elevation.is_finite()
                    && angle(fov_y)
            }
            CameraPosition::Explicit(ExplicitCamera { eye, target, up, fov_y, .. }) => {
                eye.is_finite() && target.is_finite() && up.is_finite() && angle(fov_y)
            }
            CameraPosition::File(_) => true,
        };
        is_sound.then_some(self.at)
    }
}

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
    pub fn new(playback: &Playback) -> Self {
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

/// How clips of another file are converted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SavedRetarget {
    /// `auto`, `exact`, or a table of joints in TOML.
    pub map: String,
    pub align_rest: bool,
    pub pin_feet: bool,
}

impl SavedRetarget {
    pub(super) fn new(options: &RetargetOptions) -> Self {
        let map = match &options.map {
            MapChoice::Auto => "auto".to_owned(),
            MapChoice::Exact => "exact".to_owned(),
            MapChoice::Table(table) => map_text(table),
        };
        Self { map, align_rest: options.align_rest, pin_feet: options.pin_feet }
    }

    /// Returns the options. A table that is none is taken as `auto`.
    pub(crate) fn options(&self) -> RetargetOptions {
        let map = match self.map.as_str() {
            "" | "auto" => MapChoice::Auto,
            "exact" => MapChoice::Exact,
            text => parse_map(text).map_or(MapChoice::Auto, MapChoice::Table),
        };
        RetargetOptions { map, align_rest: self.align_rest, pin_feet: self.pin_feet }
    }
}

/// What the picture shows: the look's own switches and numbers, and those that a file has in another form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SavedLook {
    #[serde(flatten)]
    look: Look,
    light: SavedLight,
    joint: Option<SavedNode>,
    /// The shape by its name.
    bones: String,
    onion: Option<SavedOnion>,
}

/// The onion skin: ghosts on each side, and the time between them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum SavedOnion {
    Secs(usize, f64),
    Frames(usize, f64),
}

/// The light.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct SavedLight {
    #[serde(flatten)]
    lighting: Lighting,
    environment: SavedEnvironment,
    /// Direction and lux of each.
    lights: Vec<(Vec3, f32)>,
    /// Towards the key light, and its lux.
    key: (Vec3, Vec3),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum SavedEnvironment {
    Studio,
    Uniform(Vec3),
    File(String),
}

impl Default for SavedLook {
    fn default() -> Self {
        Self::new(&Look::default(), |_| String::new(), &Model::default())
    }
}

impl Default for SavedLight {
    fn default() -> Self {
        Self::new(&Lighting::default(), |_| String::new())
    }
}

impl SavedLook {
    /// Returns what is kept of a look. `path` writes the path of an environment.
    pub fn new(look: &Look, path: impl Fn(&Path) -> String, model: &Model) -> Self {
        let onion = |onion: OnionSkin| match onion.spacing {
            Spacing::Secs(secs) => SavedOnion::Secs(onion.count, secs),
            Spacing::Frames(frames) => SavedOnion::Frames(onion.count, frames),
        };
        Self {
            light: SavedLight::new(&look.lighting, path),
            joint: look.joint.map(|joint| SavedNode::new(model, joint)),
            bones: look.bones.name().to_owned(),
            onion: look.aids.onion.map(onion),
            look: look.clone(),
        }
    }

    /// Changes a look to this one. The environment of a file is still to be read. An onion skin beyond the limits has no
    /// ghosts.
    pub fn apply(&self, look: &mut Look, model: &Model) {
        let onion = |onion: SavedOnion| match onion {
            SavedOnion::Secs(count, secs) => OnionSkin { count, spacing: Spacing::Secs(secs) },
            SavedOnion::Frames(count, frames) => {
                OnionSkin { count, spacing: Spacing::Frames(frames) }
            }
        };
        let BoneStyle { shape, solid, .. } = BoneStyle::from_name(&self.bones).unwrap_or_default();
        let bones = self.look.bones;
        *look = Look {
            lighting: self.light.lighting(),
            joint: self.joint.as_ref().and_then(|joint| joint.find(&NodesByName::new(model))),
            variant: self.look.variant.filter(|variant| *variant < model.variants.len()),
            bones: BoneStyle { shape, solid, size: bones.size.clamp(0.25, 4.0), ..bones },
            aids: Aids { onion: self.onion.map(onion), ..self.look.aids },
            // What depends on the model and on the picture is no choice of a person.
            bind: look.bind.take(),
            samples: look.samples,
            highlight: std::mem::take(&mut look.highlight),
            overlays_on_data: look.overlays_on_data,
            overlay_scale: look.overlay_scale,
            in_motion: look.in_motion,
            ..self.look.clone()
        };
    }

    /// Names a file as the environment that could not be read, unless another one than the usual one was chosen since.
    pub fn keep_environment_file(&mut self, path: String) {
        if self.light.environment == SavedEnvironment::Studio {
            self.light.environment = SavedEnvironment::File(path);
        }
    }

    /// The path of the environment, as it was written, if it is a file.
    pub fn environment_file(&self) -> Option<&str> {
        match &self.light.environment {
            SavedEnvironment::File(path) => Some(path),
            _ => None,
        }
    }
}

impl SavedLight {
    fn new(light: &Lighting, path: impl Fn(&Path) -> String) -> Self {
        let environment = match &light.environment {
            EnvironmentSource::Uniform(radiance) => SavedEnvironment::Uniform(*radiance),
            EnvironmentSource::Picture(picture) => match &picture.path {
                Some(file) => SavedEnvironment::File(path(file)),
                None => SavedEnvironment::Studio,
            },
        };
        Self {
            environment,
            lights: light.lights.iter().map(|light| (light.direction, light.lux)).collect(),
            key: (light.key.towards, light.key.illuminance),
            lighting: light.clone(),
        }
    }

    fn lighting(&self) -> Lighting {
        let environment = match self.environment {
            SavedEnvironment::Uniform(radiance) => {
                EnvironmentSource::Uniform(radiance.max(Vec3::ZERO))
            }
            _ => EnvironmentSource::studio(),
        };
        let lights = self.lights.iter().filter(|(way, _)| way.try_normalize().is_some());
        let light = |(direction, lux): &(Vec3, f32)| DirectionalLight {
            direction: *direction,
            lux: lux.max(0.0),
        };
        let (towards, illuminance) = self.key;
        Lighting {
            environment,
            intensity: self.lighting.intensity.max(0.0),
            lights: lights.map(light).collect(),
            key: KeyLight { towards: unit(towards), illuminance },
            ..self.lighting.clone()
        }
    }
}

/// Returns a direction of length 1. One that has it already keeps its bits.
fn unit(direction: Vec3) -> Vec3 {
    if direction.is_normalized() { direction } else { direction.try_normalize().unwrap_or(Vec3::Y) }
}

/// Returns the text of a session file in a folder; `None` if no file is open.
pub(crate) fn saved_text(session: &Session, folder: &Path) -> Option<String> {
    let (document, stage) = session.playback().document().zip(session.playback().stage())?;
    let model = &*document.model;
    let node = |index: usize| SavedNode::new(model, index);
    let path = |source: &FileSource| match source {
        FileSource::Path(path) => Some(relative(path, folder)),
        FileSource::BuiltIn { .. } | FileSource::Mended { .. } => None,
    };
    // Of a mended copy, the file that it was made of is opened again, not beside itself.
    let is_mended = matches!(document.source, FileSource::Mended { .. });
    let opened = session.mending.of.as_ref().filter(|_| is_mended).unwrap_or(&document.source);
    let is_itself = |beside: &&Document| is_mended && beside.source == *opened;
    let beside = session.compared().document().filter(|beside| !is_itself(beside));
    // Of files that the opened session file names and that could not be read, the names are kept.
    let Resuming { clips, light, beside: second, .. } = &session.resuming;
    let missing_clips = clips.as_ref().filter(|_| document.borrowed.is_none());
    let borrowed = document.borrowed.as_ref();
    let compared = match (beside, second) {
        (Some(beside), _) => Some(&beside.source),
        (None, second) => second.as_ref().map(|(source, _)| source),
    };
    let mut look = SavedLook::new(session.look(), |path| relative(path, folder), model);
    if let Some(file) = light.as_ref().and_then(|(source, _)| path(source)) {
        look.keep_environment_file(file);
    }
    let saved = SavedSession {
        rigview_session: VERSION,
        file: path(opened),
        clips_from: match missing_clips {
            Some((source, _)) => path(source),
            None => borrowed.and_then(|borrowed| path(&borrowed.source)),
        },
        retarget: match missing_clips {
            Some((_, saved)) => saved.retarget.clone(),
            None => borrowed.map(|borrowed| SavedRetarget::new(&borrowed.retargeting.options)),
        },
        scene: Some(stage.scene),
        stood_up: stage.stood_up(),
        play: match missing_clips {
            Some((_, saved)) => saved.play.clone(),
            None => SavedPlay::new(session.playback()),
        },
        engine: SavedEngine::new(session.engine().form()),
        compared: (compared.and_then(path))
            .map(|file| SavedCompared::new(file, session.compared())),
        camera: SavedCamera::new(session.camera()),
        look,
        selected: session.selection().node().map(node),
        vertex: session.selection().vertex().map(|vertex| (vertex.drawn.primitive, vertex.index)),
        hidden: session.hidden().nodes().map(node).collect(),
        by_hand: session.playback().hand().named(model),
        solo: session.hidden().solo().map(node),
        parts: Some(session.window_parts().iter().collect()),
        folder: PathBuf::new(),
    };
    serde_json::to_string_pretty(&saved).ok().map(|text| text + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_folder_of_the_file() {
        let from = |path: &str| relative(Path::new(path), Path::new("/rigs/sets"));
        assert_eq!(from("/rigs/sets/fox.glb"), "fox.glb");
        assert_eq!(from("/rigs/sets/a/fox.glb"), "a/fox.glb");
        assert_eq!(from("/rigs/fox.glb"), "../fox.glb");
        assert_eq!(from("/other/fox.glb"), "/other/fox.glb");
    }

    #[cfg(unix)]
    #[test]
    fn paths_lead_to_the_file_through_links_and_parent_folders() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        for folder in ["deep/real/sets", "models"] {
            std::fs::create_dir_all(at(folder)).unwrap();
        }
        std::fs::write(at("models/fox.glb"), "fox").unwrap();
        std::os::unix::fs::symlink(at("deep/real"), at("link")).unwrap();
        for sets in ["link/sets", "deep/../models", "link/sets/..", "link", ""] {
            for fox in ["models/fox.glb", "link/../../models/fox.glb", "deep/../models/fox.glb"] {
                let written = relative(&at(fox), &at(sets));
                let read = std::fs::read_to_string(at(sets).join(&written));
                assert_eq!(read.ok().as_deref(), Some("fox"), "{written} in {sets}");
                assert!(!Path::new(&written).is_absolute(), "{written} in {sets}");
            }
        }
    }

    #[test]
    fn what_is_no_session_file_is_refused_with_a_reason() {
        let read = |text: &str| SavedSession::read(text, Path::new("/rigs"));
        assert!(read("{").unwrap_err().starts_with("no session file: "));
        assert!(read("{}").unwrap_err().contains("\"rigview_session\" is missing"));
        assert!(read(r#"{"rigview_session": 2}"#).unwrap_err().contains("version 2"));
        let saved = read(r#"{"rigview_session": 1, "file": "../fox.glb"}"#).unwrap();
        assert_eq!(saved.source(), FileSource::Path("/rigs/../fox.glb".into()));
        let saved = read(r#"{"rigview_session": 1, "parts": ["scene", "hologram", 3]}"#).unwrap();
        assert_eq!(saved.parts, Some(vec![WindowPart::Scene]), "those of a later version");
        assert!(is_session_file(Path::new("a/b.rigview.json")));
        assert!(!is_session_file(Path::new("a/b.json")));
    }
}

#[cfg(test)]
mod retarget_tests {
    use crate::saved::*;

    #[test]
    fn options_are_read_as_they_were_written() {
        let table = parse_map("base = \"exact\"\n[joints]\n\"Hips\" = \"pelvis\"\n").unwrap();
        for map in [MapChoice::Auto, MapChoice::Exact, MapChoice::Table(table)] {
            let options = RetargetOptions { map, align_rest: true, pin_feet: false };
            let text = serde_json::to_string(&SavedRetarget::new(&options)).unwrap();
            let mut read = serde_json::from_str::<SavedRetarget>(&text).unwrap().options();
            if let (MapChoice::Table(read), MapChoice::Table(own)) = (&mut read.map, &options.map) {
                for (line, own) in read.joints.iter_mut().zip(&own.joints) {
                    line.line = own.line;
                }
            }
            assert_eq!(read, options);
        }
        assert_eq!(SavedRetarget::default().options(), RetargetOptions::default());
    }
}

#[cfg(test)]
mod look_tests {
    use crate::saved::*;
    use rigview_look::{Backdrop, BoneShape, Pass, ToneMap};

    #[test]
    fn a_look_that_was_written_by_a_former_version_is_read() {
        let text = r#"{"pass": "uv-checker", "background": [43, 47, 54, 255], "floor": true, "paint": [0.115, 0.12, 0.13],
            "tone_map": "agx", "exposure": 0.5, "auto_exposure": false, "light": {"environment": {"uniform": [1.0, 1.0, 1.0]},
            "rotation": 0.1, "intensity": 2.0, "tint": [1.0, 0.5, 1.0], "backdrop": "blurred", "lights": [[[0.0, -1.0, 0.0], 2.5]],
            "file_lights": false, "key_light": false, "key": [[0.0, 2.0, 0.0], [0.98, 0.9506, 0.9016]],
            "ambient_occlusion": false}, "joint": null, "variant": 3, "skeleton": true, "bones": "octahedra", "bone_size": 9.0,
            "bone_sides": true, "bones_in_front": false, "joint_names": true, "trail": true, "grid": true, "axes": true,
            "bounds": true, "legend": false, "onion": {"frames": [2, 3.0]}, "root_path": true, "weight_marks": true,
            "normals": true, "tangents": true}"#;
        let saved: SavedLook = serde_json::from_str(text).unwrap();
        let mut look = Look { samples: 16, ..Look::default() };
        saved.apply(&mut look, &Model::default());
        assert_eq!((look.pass, look.tone_map, look.samples), (Pass::UvChecker, ToneMap::AgX, 16));
        assert_eq!((look.exposure, look.auto_exposure, look.variant), (0.5, false, None));
        assert!(look.skeleton && look.joint_names && look.trail && !look.legend);
        assert!(look.grid && look.axes && look.bounds);
        let shape = BoneShape::Bones;
        let bones = BoneStyle { shape, size: 4.0, sides: true, solid: true, in_front: false };
        assert_eq!(look.bones, bones);
        let Aids { onion, root_path, weight_marks, vectors } = look.aids;
        assert_eq!(onion, Some(OnionSkin { count: 2, spacing: Spacing::Frames(3.0) }));
        assert!(root_path && weight_marks && vectors.normals && vectors.tangents);
        let light = look.lighting;
        assert_eq!(light.environment, EnvironmentSource::Uniform(Vec3::ONE));
        assert_eq!((light.rotation, light.intensity), (0.1, 2.0));
        assert_eq!((light.tint, light.backdrop), (Vec3::new(1.0, 0.5, 1.0), Backdrop::Blurred));
        assert_eq!(light.lights, [DirectionalLight { direction: -Vec3::Y, lux: 2.5 }]);
        assert!(!light.file_lights && !light.key_light && !light.ambient_occlusion);
        assert_eq!(light.key.towards, Vec3::Y);
    }

    #[test]
    fn values_have_the_names_of_the_command_line_and_unknown_ones_are_the_default() {
        let text = |look: Look| serde_json::to_value(SavedLook { look, ..Default::default() });
        for pass in Pass::ALL {
            assert_eq!(text(Look { pass, ..Look::default() }).unwrap()["pass"], pass.name());
        }
        for tone_map in ToneMap::ALL {
            let value = text(Look { tone_map, ..Look::default() }).unwrap();
            assert_eq!(value["tone_map"], tone_map.name());
        }
        for backdrop in Backdrop::ALL {
            let light =
                SavedLight::new(&Lighting { backdrop, ..Lighting::default() }, |_| "".into());
            assert_eq!(serde_json::to_value(light).unwrap()["backdrop"], backdrop.name());
        }
        let unknown =
            r#"{"pass": "x-ray", "tone_map": 3, "bones": "ribs", "light": {"backdrop": "sea"}}"#;
        let mut look = Look::default();
        serde_json::from_str::<SavedLook>(unknown).unwrap().apply(&mut look, &Model::default());
        assert_eq!(look, Look::default());
    }
}
