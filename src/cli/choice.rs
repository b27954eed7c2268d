//! From what was typed to what a session starts with, checked against the file: a clip, camera or
//! scene that is not there is an error that lists those there are.

use std::path::Path;
use std::sync::Arc;

use super::args::{CameraArgs, ClipArgs, FileLights, GpuArgs, LookArgs};
use super::clips::{chosen_clip, clip_choice};
use super::failure::Failure;
use super::output::Inputs;
use super::side_files::given_pose;
use super::values::EnvironmentName;
use super::warnings::warn_of;
use crate::import::{ImportOptions, Loaded, escaped, load_bytes, load_environment, load_telling};
use crate::look::{DirectionalLight, EnvironmentSource, Lighting, Look};
use crate::model::Model;
use crate::render::{AdapterChoice, MAX_LIGHTS};
use crate::session::{
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

/// Reads a source; its warnings go to the log, its files to the inputs.
pub fn read(
    source: &FileSource,
    options: &ImportOptions,
    inputs: &Inputs,
) -> Result<Loaded, Failure> {
    let loaded = match source {
        FileSource::Path(path) => {
            load_telling(path, options, &inputs.progress).map_err(|e| Failure::load(path, e))?
        }
        FileSource::BuiltIn { name, bytes } => {
            load_bytes(bytes.to_vec(), options).map_err(|e| Failure::load(Path::new(name), e))?
        }
    };
    warn_of("", &loaded.warnings);
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
        clip: match clip.rest || clip.pose.is_some() {
            true => ClipChoice::Rest,
            false => clip_choice(&clip.clips),
        },
        // A model that is there has taken them already.
        clips_from: clip.clips.clips_from.clone().filter(|_| model.is_none()).map(FileSource::Path),
        time_secs: times.first().copied(),
        posed_clip: pose.posed_clip(),
        pose: pose.nodes,
        scene: look.scene.clone(),
        variant: look.variant.clone(),
        joint: look.joint.clone(),
        view: start_view(camera),
        look: picture_look(look)?,
        fps: clip.fps,
        form: clip.form.into(),
    })
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
pub fn unknown<'a>(
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
    Failure::Usage(format!("no {what} \"{wanted}\"; the file has: {}", list.join(", ")))
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
        overlays_on_data: false,
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
