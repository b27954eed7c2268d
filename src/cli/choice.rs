//! Converts arguments to the options of a session, checked against the file: a clip, camera or scene
//! that does not exist is an error that lists the existing ones.

use std::path::Path;
use std::sync::Arc;

use glam::DVec3;

use super::args::clip::ClipArgs;
use super::args::look::{FileLights, LookArgs, Switch};
use super::args::scene::{CameraArgs, GpuArgs, SceneArgs};
use super::args::values::{EnvironmentName, ExposureChoice};
use super::clips::{check_clips, clip_choice, retargeting, warn_of_clip_fps, warn_of_given};
use super::failure::Failure;
use super::input::load_input;
use super::lookup::{index_of, no_such};
use super::output::Inputs;
use super::side_files::{given_pose, posed_clip};
use super::warnings::{warn_of, warn_of_no_effect};
use rigview_import::{ImportOptions, Loaded, load_environment};
use rigview_look::{
    DirectionalLight, EnvironmentSource, Highlight, Lighting, Look, MAX_LIGHTS, Pass, Preset,
    Spacing,
};
use rigview_model::Model;
use rigview_render::AdapterChoice;
use rigview_session::{
    ClipChoice, ExplicitCamera, FileCamera, FileSource, SessionOptions, StartView, joint_node,
};

/// Returns the given file, or the built-in rig.
pub fn source(file: Option<&Path>) -> FileSource {
    match file {
        Some(path) => FileSource::Path(path.to_owned()),
        None => FileSource::creature(),
    }
}

/// Loads a source. Logs its warnings, and adds the files that were read to `inputs`.
pub fn read(
    source: &FileSource,
    options: &ImportOptions,
    inputs: &Inputs,
) -> Result<Loaded, Failure> {
    let loaded = match source {
        FileSource::Path(path) => {
            load_input(path, options, &inputs.progress).map_err(|e| Failure::load(path, e))?
        }
        other => (other.load(options, &inputs.progress))
            .map_err(|e| Failure::load(Path::new(&other.name()), e))?,
    };
    warn_of("", &loaded.warnings);
    Ok(loaded)
}

/// Returns the options of a session. Names are checked against `model`, if it is loaded already.
pub fn session_options(
    clip: &ClipArgs,
    camera: &CameraArgs,
    look: &LookArgs,
    model: Option<&Model>,
) -> Result<SessionOptions, Failure> {
    let times = clip.times_secs();
    if times.len() > 1 {
        return Err(Failure::Usage("--time: a picture shows one instant; give it once".into()));
    }
    if let Some(model) = model {
        check_clips(clip, model)?;
        let scene = scene_index(look.scene.as_deref(), model)?;
        if let Some(wanted) = &look.variant {
            index_of("variant", wanted, model.variant_names())?;
        }
        if let Some(wanted) = &camera.camera {
            let nodes = model.scene_nodes(scene);
            FileCamera::named(model, &nodes, wanted).ok_or_else(|| {
                no_such("camera", wanted, camera_names(model, &nodes).into_iter())
            })?;
        }
    }
    if let (Some(wanted), Some(model)) = (&look.joint, model) {
        let name = |joint: usize| model.nodes[joint].name.as_deref();
        joint_node(model, wanted)
            .map_err(|all| no_such("joint", wanted, all.into_iter().map(|j| (j, name(j)))))?;
    }
    if let (Some(wanted), Some(model)) = (&look.aids.trail, model) {
        index_of("node", wanted, model.node_names())?;
    }
    if model.is_some() {
        // In a window, a clip may be shown later.
        warn_without_clip(clip, look);
    }
    let pose = given_pose(clip, model)?;
    Ok(SessionOptions {
        clip: match clip.shows_no_clip() {
            true => ClipChoice::Rest,
            false => clip_choice(&clip.clips),
        },
        // A loaded model already has these clips.
        clips_from: clip
            .clips
            .borrow
            .clips_from
            .clone()
            .filter(|_| model.is_none())
            .map(FileSource::Path),
        retargeting: retargeting(&clip.clips.borrow)?,
        // A loaded model shows them already.
        expressions: clip.clips.expression.iter().filter(|_| model.is_none()).cloned().collect(),
        springs: model.is_none() && clip.clips.springs != Some(Switch::Off),
        time_secs: times.first().copied(),
        posed_clip: posed_clip(&pose),
        pose: pose.nodes,
        scene: look.scene.clone(),
        variant: look.variant.clone(),
        joint: look.joint.clone(),
        trail: look.aids.trail.clone(),
        view: start_view(camera)?,
        look: picture_look(look)?,
        fps: clip.fps(),
        // Where there is a window, the clip is not read yet.
        guesses_fps: model.is_none() && clip.fps.is_none(),
        form: clip.form.into(),
        in_place: look.aids.in_place,
    })
}

/// Returns the names that find a camera, with its index: its own, then those of the nodes that have it.
fn camera_names<'a>(model: &'a Model, nodes: &[usize]) -> Vec<(usize, Option<&'a str>)> {
    let mut names: Vec<_> = model.camera_names().enumerate().collect();
    for node in nodes.iter().map(|node| &model.nodes[*node]) {
        if let (Some(camera), Some(_)) = (node.camera, &node.name) {
            let name = (camera, node.name.as_deref());
            if names[camera].1.is_none() {
                names[camera] = name;
            } else if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names.sort_by_key(|(camera, _)| *camera);
    names
}

/// Warns of drawings of a clip's motion if no clip is shown.
fn warn_without_clip(clip: &ClipArgs, look: &LookArgs) {
    let aids = &look.aids;
    let of_clips = [
        ("--onion-skin", aids.onion_skin.is_some()),
        ("--root-path", aids.root_path),
        ("--trail", aids.trail.is_some()),
        ("--in-place", aids.in_place),
    ];
    warn_of_given(clip, &of_clips);
}

/// Warns of options that have no effect beside the others, whatever file is drawn.
pub fn warn_of_useless(scene: &SceneArgs) {
    let (camera, look) = (&scene.camera, &scene.look);
    if look.environment.is_none() && !look.light.is_empty() {
        let of_environment = [
            ("--environment-rotation", look.environment_rotation != 0.0),
            ("--environment-intensity", look.environment_intensity != 1.0),
        ];
        warn_of_no_effect(&of_environment, "--light without --environment is the only light");
    }
    if camera.orthographic.is_some() {
        let of_perspective = [("--fov-y", camera.fov_y.is_some())];
        warn_of_no_effect(&of_perspective, "an orthographic camera has no field of view");
    }
    let mut base = Look::default();
    look.look.unwrap_or_default().apply(&mut base);
    let pass = look.pass.unwrap_or(base.pass);
    if pass != Pass::Weights {
        warn_of_no_effect(&[("--joint", look.joint.is_some())], "it is for --pass weights");
    }
    if pass.is_shaded() && look.show_environment.is_some() {
        let behind =
            [("--background", look.background.is_some()), ("--no-background", look.no_background)];
        warn_of_no_effect(&behind, "--show-environment fills the background");
    }
    if !pass.is_shaded() {
        let of_light = [
            ("--exposure", look.exposure.is_some()),
            ("--tone-map", look.tone_map.is_some()),
            ("--ambient-occlusion", look.ambient_occlusion.is_some()),
        ];
        warn_of_no_effect(&of_light, &format!("pass {} is not lit", pass.name()));
    }
}

/// Warns of a frame rate where no frame is asked for. `has_use` is whether the command uses it for something else.
pub fn warn_of_fps(scene: &SceneArgs, has_use: bool) {
    let SceneArgs { clip, look, .. } = scene;
    let onion = look.aids.onion_skin.map(|onion| onion.spacing);
    let counts_frames = matches!(onion, Some(Spacing::Frames(_)));
    if !has_use && !counts_frames {
        warn_of_clip_fps(clip);
    }
}

/// Returns the index of the requested scene, or of the default scene.
pub fn scene_index(wanted: Option<&str>, model: &Model) -> Result<usize, Failure> {
    match wanted {
        None => Ok(model.default_scene),
        Some(wanted) => index_of("scene", wanted, model.scene_names()),
    }
}

fn start_view(args: &CameraArgs) -> Result<StartView, Failure> {
    if let Some(camera) = &args.camera {
        return Ok(StartView::Camera(camera.clone()));
    }
    if let (Some(eye), Some(target)) = (args.eye, args.target) {
        if args.orthographic == Some(None) {
            let text = "--orthographic: with --eye it needs a height in metres";
            return Err(Failure::Usage(text.into()));
        }
        check_axes(eye, target, args.up)?;
        if let (Some(near), Some(far)) = (args.near, args.far)
            && far <= near
        {
            let text =
                format!("--far {far}: the far plane must be behind the near plane, at {near}");
            return Err(Failure::Usage(text));
        }
        return Ok(StartView::Explicit(ExplicitCamera {
            eye,
            target,
            up: args.up.unwrap_or(DVec3::Y),
            fov_y: args.fov_y.unwrap_or(40.0).to_radians(),
            height: args.orthographic.flatten(),
            near: args.near.map(|x| x as f32),
            far: args.far.map(|x| x as f32),
        }));
    }
    let [_, given, zoom] = args.orbit.unwrap_or([30.0, 15.0, 1.0]);
    let elevation = given.clamp(-90.0, 90.0);
    if elevation != given {
        log::warn!(
            "--orbit: the elevation of {given} degrees is beyond the pole; {elevation} is drawn"
        );
    }
    Ok(StartView::Framed {
        azimuth: args.orbit.map(|[azimuth, ..]| azimuth.to_radians()),
        elevation: elevation.to_radians(),
        zoom,
        orthographic: args.orthographic.is_some(),
        height: args.orthographic.flatten(),
        pose: args.frame_pose,
    })
}

/// Rejects a camera without a direction, and an `--up` that is not across it.
fn check_axes(eye: DVec3, target: DVec3, up: Option<DVec3>) -> Result<(), Failure> {
    let Some(forward) = (target - eye).try_normalize() else {
        let text = "--target: the camera of --eye stands there; choose another point to look at";
        return Err(Failure::Usage(text.into()));
    };
    let up = up.and_then(DVec3::try_normalize);
    if up.is_some_and(|up| up.dot(forward).abs() >= 1.0 - 1e-12) {
        let text = "--up: the camera looks along this direction; choose one across it, such as 0,0,-1 from above";
        return Err(Failure::Usage(text.into()));
    }
    Ok(())
}

fn picture_look(args: &LookArgs) -> Result<Look, Failure> {
    let mut look = Look::default();
    let preset = args.look.unwrap_or_default();
    preset.apply(&mut look);
    let (exposure, auto_exposure) = match args.exposure {
        Some(ExposureChoice::Stops(stops)) => (stops as f32, false),
        Some(ExposureChoice::Auto(stops)) => (stops as f32, true),
        None => (0.0, is_default_light(args)),
    };
    let background = if args.no_background { Some([0; 4]) } else { args.background };
    Ok(Look {
        pass: args.pass.unwrap_or(look.pass),
        background: background.unwrap_or(look.background),
        lighting: lighting(args, preset)?,
        tone_map: args.tone_map.unwrap_or(look.tone_map),
        exposure,
        auto_exposure,
        joint: None,
        bind: None,
        variant: None,
        samples: args.samples,
        skeleton: args.skeleton,
        bones: args.aids.bones(),
        trail: args.aids.trail.is_some(),
        joint_names: args.joint_names,
        floor: background.is_none(),
        paint: look.paint,
        grid: args.grid,
        axes: args.axes,
        bounds: args.bounds,
        legend: !args.no_legend,
        aids: args.aids.aids(),
        highlight: Highlight::default(),
        overlay_scale: args.scale as f32,
        in_motion: false,
        overlays_on_data: false,
    })
}

/// Returns the lighting of a picture. If only `--light` is given, the environment is black. Any
/// option about lights removes the default key light.
fn lighting(args: &LookArgs, preset: Preset) -> Result<Lighting, Failure> {
    if args.light.len() > MAX_LIGHTS {
        return Err(Failure::Usage(format!("--light: at most {MAX_LIGHTS} lights are supported")));
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
    let default_look = is_default_light(args);
    Ok(Lighting {
        environment,
        rotation: args.environment_rotation.to_radians() as f32,
        intensity: args.environment_intensity as f32,
        backdrop: args.show_environment.unwrap_or_default(),
        lights: args.light.iter().map(light).collect(),
        file_lights: args.lights != Some(FileLights::None),
        key_light: default_look,
        ambient_occlusion: args.ambient_occlusion.map_or(default_look, |on| on == Switch::On),
        ..preset.lighting()
    })
}

/// Whether no option says what lights the model.
fn is_default_light(args: &LookArgs) -> bool {
    args.environment.is_none() && args.light.is_empty() && args.lights.is_none()
}

/// Returns the requested adapter.
pub fn adapter(args: &GpuArgs) -> AdapterChoice {
    // A variable that is set to nothing is as good as none.
    let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    AdapterChoice { adapter: given(&args.adapter), backend: given(&args.backend) }
}
