//! From what was typed to what a session starts with, checked against the file: a clip, camera or
//! scene that is not there is an error that lists those there are.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use super::args::{CameraArgs, ClipArgs, ClipsArgs, FileLights, GpuArgs, LookArgs};
use super::failure::Failure;
use super::values::EnvironmentName;
use crate::anim::Clip;
use crate::import::{
    ImageDecoding, ImportError, ImportOptions, Loaded, escaped, load, load_bytes, load_environment,
};
use crate::look::{DirectionalLight, EnvironmentSource, Lighting, Look};
use crate::model::{Model, borrowed_clips};
use crate::render::{AdapterChoice, MAX_LIGHTS};
use crate::report::{ClipForm, FormOptions, NodePose, clip_in_form, local_pose_of};
use crate::viewer::{
    ClipChoice, ExplicitCamera, FileSource, SessionOptions, StartView, joint_node,
    named_or_numbered,
};

/// The file that is named, or the built-in rig.
pub fn source(file: Option<&Path>) -> FileSource {
    match file {
        Some(path) => FileSource::Path(path.to_owned()),
        None => FileSource::BuiltIn { name: "creature", bytes: super::CREATURE },
    }
}

/// Reads a source; its warnings go to the log.
pub fn read(source: &FileSource, options: &ImportOptions) -> Result<Loaded, Failure> {
    let loaded = match source {
        FileSource::Path(path) => load(path, options).map_err(|e| Failure::load(path, e))?,
        FileSource::BuiltIn { name, bytes } => {
            load_bytes(bytes.to_vec(), options).map_err(|e| Failure::load(Path::new(name), e))?
        }
    };
    for warning in &loaded.warnings {
        let level = if warning.is_hint() { log::Level::Info } else { log::Level::Warn };
        log::log!(level, "{warning}");
    }
    Ok(loaded)
}

/// What a session is to start with. `model` is there when the file is: then names are checked.
pub fn session_options(
    clip: &ClipArgs,
    camera: &CameraArgs,
    look: &LookArgs,
    model: Option<&Model>,
) -> Result<SessionOptions, Failure> {
    let times = clip.times_secs();
    if times.len() > 1 {
        return Err(Failure::Usage("--time: a picture is of one instant".into()));
    }
    if let Some(model) = model {
        chosen_clip(clip, model)?;
        scene_index(look.scene.as_deref(), model)?;
        if let Some(wanted) = &look.variant {
            find("variant", wanted, model.variants.iter().map(|v| Some(v.as_str())))?;
        }
        if let Some(wanted) = &camera.camera {
            let names = model.cameras.iter().map(|c| c.name.as_deref());
            find("camera", wanted, names)?;
        }
    }
    if let (Some(wanted), Some(model)) = (&look.joint, model) {
        let name = |joint: usize| model.nodes[joint].name.as_deref();
        joint_node(model, wanted)
            .map_err(|all| unknown("joint", wanted, all.into_iter().map(|j| (j, name(j)))))?;
    }
    let pose = given_pose(clip, model)?;
    Ok(SessionOptions {
        clip: match &clip.clips.clip {
            _ if clip.rest || clip.pose.is_some() => ClipChoice::Rest,
            _ if clip.clips.all_clips => ClipChoice::All,
            Some(wanted) => ClipChoice::Named(wanted.clone()),
            None => ClipChoice::First,
        },
        // A model that is there has taken them already.
        clips_from: clip.clips.clips_from.clone().filter(|_| model.is_none()).map(FileSource::Path),
        time_secs: times.first().copied(),
        pose,
        scene: look.scene.clone(),
        variant: look.variant.clone(),
        joint: look.joint.clone(),
        view: start_view(camera),
        look: picture_look(look)?,
        fps: clip.fps,
        form: clip.form.into(),
    })
}

/// What moves a rig: a clip and its number, which all clips at once have not; no clip at all in the rest pose.
#[derive(Clone, Debug, Default)]
pub struct Chosen<'a> {
    pub index: Option<usize>,
    pub clip: Option<Cow<'a, Clip>>,
}

/// The clip that is asked for, in the form that is asked for, of a model that has taken the clips it is
/// to have ([`take_clips`]).
pub fn chosen_clip<'a>(args: &ClipArgs, model: &'a Model) -> Result<Chosen<'a>, Failure> {
    if args.rest || args.pose.is_some() {
        return Ok(Chosen::default());
    }
    let Chosen { index, clip } = clip_of(&args.clips, model)?;
    let clip = clip.map(|clip| formed(args, model, clip)).transpose()?;
    Ok(Chosen { index, clip })
}

/// The same where only clips count.
pub fn clip_of<'a>(args: &ClipsArgs, model: &'a Model) -> Result<Chosen<'a>, Failure> {
    let index = match &args.clip {
        _ if model.clips.is_empty() && args.clip.is_none() => return Ok(Chosen::default()),
        _ if args.all_clips => None,
        None => Some(0),
        Some(wanted) => {
            let names = model.clips.iter().map(|c| c.name());
            Some(find("clip", wanted, names)?)
        }
    };
    let clip = match index {
        Some(index) => Cow::Borrowed(&model.clips[index]),
        None => Cow::Owned(Clip::all_at_once(&model.clips)),
    };
    if !clip.is_empty() {
        return Ok(Chosen { index, clip: Some(clip) });
    }
    let name = escaped(clip.name().unwrap_or_default());
    if let Some(file) = &args.clips_from {
        let what = format!("the rig shares no joint with clip \"{name}\"");
        return Err(Failure::No(format!("{}: {what}", escaped(&file.to_string_lossy()))));
    }
    log::warn!("clip \"{name}\" moves nothing: the pose is the rest pose");
    Ok(Chosen { index, clip: Some(clip) })
}

/// Gives a model the clips of the file that is named in place of its own. What doesn't match is a warning.
pub fn take_clips(args: &ClipsArgs, model: &mut Model) -> Result<(), Failure> {
    let Some(path) = &args.clips_from else { return Ok(()) };
    let file = escaped(&path.to_string_lossy());
    let options = ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::default() };
    let source = load(path, &options).map_err(|e| Failure::load(path, e))?;
    if source.model.clips.is_empty() {
        return Err(Failure::Usage(format!("{file}: there is no clip in it")));
    }
    let borrowed = borrowed_clips(model, &source.model)
        .map_err(|e| Failure::No(format!("{file}: {}", escaped(&e.to_string()))))?;
    for warning in &source.warnings {
        log::warn!("{file}: {warning}");
    }
    if borrowed.is_complete() {
        log::info!("{file}: {}", escaped(&borrowed.summary()));
    } else {
        log::warn!("{file}: {}", escaped(&borrowed.summary()));
    }
    model.clips = borrowed.clips;
    Ok(())
}

fn formed<'a>(
    args: &ClipArgs,
    model: &Model,
    clip: Cow<'a, Clip>,
) -> Result<Cow<'a, Clip>, Failure> {
    let options = FormOptions { fps: args.fps, ..FormOptions::default() };
    match args.form.into() {
        ClipForm::Source => Ok(clip),
        form => clip_in_form(model, &clip, form, options)
            .map(Cow::Owned)
            .map_err(|e| Failure::Usage(format!("--form {}: {e}", form.name()))),
    }
}

/// The nodes of the pose file that is named; none without one. What matches no node of the model is
/// a warning.
pub fn given_pose(args: &ClipArgs, model: Option<&Model>) -> Result<Vec<NodePose>, Failure> {
    let Some(path) = &args.pose else { return Ok(Vec::new()) };
    let failed = |what: String| {
        let error = ImportError { what: escaped(&what), pointer: String::new() };
        Failure::load(path, error)
    };
    let text = std::fs::read_to_string(path).map_err(|e| failed(e.to_string()))?;
    // Of several lines, one an instant, the first counts.
    let mut lines = serde_json::Deserializer::from_str(&text).into_iter::<GivenPose>();
    let pose = match lines.next() {
        Some(pose) => {
            pose.map_err(|e| failed(format!("no pose as `pose --json` prints it: {e}")))?
        }
        None => return Err(failed("it is empty".into())),
    };
    if let Some(model) = model {
        for unmatched in local_pose_of(model, &pose.nodes).1 {
            log::warn!("{}: {} is not in the model", path.display(), escaped(&unmatched));
        }
    }
    Ok(pose.nodes)
}

#[derive(serde::Deserialize)]
struct GivenPose {
    nodes: Vec<NodePose>,
}

/// The index of the scene that is asked for.
pub fn scene_index(wanted: Option<&str>, model: &Model) -> Result<usize, Failure> {
    match wanted {
        None => Ok(model.default_scene),
        Some(wanted) => find("scene", wanted, model.scenes.iter().map(|s| s.name.as_deref())),
    }
}

/// The index of what is asked for by name or number.
///
/// # Errors
/// Lists what there is.
pub fn find<'a>(
    what: &str,
    wanted: &str,
    names: impl Iterator<Item = Option<&'a str>> + Clone,
) -> Result<usize, Failure> {
    named_or_numbered(names.clone(), wanted).ok_or_else(|| unknown(what, wanted, names.enumerate()))
}

/// That there is no such thing, with a list of those there are.
fn unknown<'a>(
    what: &str,
    wanted: &str,
    there: impl Iterator<Item = (usize, Option<&'a str>)>,
) -> Failure {
    let mut list: Vec<String> = there
        .take(40)
        .map(|(i, name)| format!("{i} \"{}\"", escaped(name.unwrap_or_default())))
        .collect();
    if list.is_empty() {
        list.push("none".into());
    }
    let wanted = escaped(wanted);
    Failure::Usage(format!("no {what} \"{wanted}\": there is {}", list.join(", ")))
}

fn start_view(args: &CameraArgs) -> StartView {
    if let Some(camera) = &args.camera {
        return StartView::Camera(camera.clone());
    }
    if let (Some(eye), Some(target)) = (args.eye, args.target) {
        return StartView::Explicit(ExplicitCamera {
            eye,
            target,
            up: args.up.unwrap_or(glam::DVec3::Y),
            fov_y: args.fov_y.unwrap_or(40.0).to_radians(),
            near: args.near.map(|x| x as f32),
            far: args.far.map(|x| x as f32),
        });
    }
    let [azimuth, elevation, zoom] = args.orbit.unwrap_or([30.0, 15.0, 1.0]);
    StartView::Framed {
        azimuth: azimuth.to_radians(),
        elevation: elevation.clamp(-90.0, 90.0).to_radians(),
        zoom,
        orthographic: args.orthographic.is_some(),
        height: args.orthographic.flatten(),
    }
}

fn picture_look(args: &LookArgs) -> Result<Look, Failure> {
    let default = Look::default();
    let background = if args.no_background { Some([0; 4]) } else { args.background };
    Ok(Look {
        pass: args.pass,
        background: background.unwrap_or(default.background),
        lighting: lighting(args)?,
        tone_map: args.tone_map,
        exposure: args.exposure as f32,
        joint: None,
        variant: None,
        samples: args.samples,
        skeleton: args.skeleton,
        joint_names: args.joint_names,
        grid: args.grid,
        axes: args.axes,
        bounds: args.bounds,
        overlay_scale: args.scale as f32,
    })
}

/// What lights the picture. Lights of the command line alone are all the light there is, and any
/// word about lights takes the key light away.
fn lighting(args: &LookArgs) -> Result<Lighting, Failure> {
    if args.light.len() > MAX_LIGHTS {
        return Err(Failure::Usage(format!("--light: at most {MAX_LIGHTS} of them")));
    }
    let environment = match &args.environment {
        Some(EnvironmentName::Known(source)) => source.clone(),
        Some(EnvironmentName::File(path)) => {
            let read = load_environment(path).map_err(|e| Failure::load(path, e))?;
            EnvironmentSource::Picture(Arc::new(read))
        }
        None if args.light.is_empty() => EnvironmentSource::studio(),
        None => EnvironmentSource::Uniform(glam::Vec3::ZERO),
    };
    let light =
        |l: &[f32; 4]| DirectionalLight { direction: glam::Vec3::new(l[0], l[1], l[2]), lux: l[3] };
    Ok(Lighting {
        environment,
        rotation: args.environment_rotation.to_radians() as f32,
        intensity: args.environment_intensity as f32,
        backdrop: args.show_environment.unwrap_or_default(),
        lights: args.light.iter().map(light).collect(),
        file_lights: args.lights != Some(FileLights::None),
        key_light: args.environment.is_none() && args.light.is_empty() && args.lights.is_none(),
    })
}

/// The adapter that is asked for.
pub fn adapter(args: &GpuArgs) -> AdapterChoice {
    AdapterChoice { adapter: args.adapter.clone(), backend: args.backend.clone() }
}
