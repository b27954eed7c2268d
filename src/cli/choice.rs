//! Opens what a command draws: converts arguments to the options of a session, reads the files of `--pose` and
//! `--script`, and opens an adapter and the session. Options are checked against the file: a clip, camera or scene that
//! does not exist is an error that lists the existing ones.

use std::mem::ManuallyDrop;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use glam::DVec3;

use super::args::clip::ClipArgs;
use super::args::look::{FileLights, LookArgs, Switch};
use super::args::scene::{CameraArgs, GpuArgs, SceneArgs};
use super::args::values::{EnvironmentName, ExposureChoice};
use super::args::work::WorkArgs;
use super::clips::{
    check_clips, clip_choice, replace_clips, retargeting, warn_of_clip_fps, warn_of_given,
};
use super::failure::{Failure, Result, shown, usage_error};
use super::input::{load_input, read_input};
use super::lookup::{index_of, no_such};
use super::output::Inputs;
use super::warnings::{print_capped, warn_of, warn_of_no_effect};
use rigview_capture::{session, take_pictures};
use rigview_import::{ImportError, ImportOptions, Loaded, escaped, guarded, load_environment};
use rigview_look::{
    DirectionalLight, EnvironmentSource, Lighting, Look, MAX_LIGHTS, Pass, Preset, Spacing,
};
use rigview_model::{BlockFormats, DrawnBy, Image, Model, PictureCounts, PictureKind, Work};
use rigview_render::{AdapterChoice, Gpu};
use rigview_report::{GivenPose, local_pose_of};
use rigview_session::{
    ClipChoice, ExplicitCamera, FileCamera, FileSource, PosedClip, Session, SessionOptions,
    StartView, joint_node,
};

pub fn source(file: Option<&Path>) -> FileSource {
    match file {
        Some(path) => FileSource::Path(path.to_owned()),
        None => FileSource::creature(),
    }
}

/// Loads a file, or standard input for `-`, and adds the files that were read to `inputs`.
pub fn load_file(path: &Path, options: &ImportOptions, inputs: &Inputs) -> Result<Loaded> {
    load_input(path, options, &inputs.progress).map_err(|e| Failure::load(path, e))
}

/// Loads a source. Logs its warnings, and adds the files that were read to `inputs`.
pub fn read(source: &FileSource, options: &ImportOptions, inputs: &Inputs) -> Result<Loaded> {
    let loaded = match source {
        FileSource::Path(path) => load_file(path, options, inputs)?,
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
) -> Result<SessionOptions> {
    let times = clip.times_secs();
    if times.len() > 1 {
        return usage_error("--time: a picture shows one instant; give it once");
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
        if let Some(wanted) = &look.joint {
            let name = |joint: usize| model.nodes[joint].name.as_deref();
            joint_node(model, wanted)
                .map_err(|all| no_such("joint", wanted, all.into_iter().map(|j| (j, name(j)))))?;
        }
        if let Some(wanted) = &look.aids.trail {
            index_of("node", wanted, model.node_names())?;
        }
        // In a window, a clip may be shown later.
        let aids = &look.aids;
        let of_clips = [
            ("--onion-skin", aids.onion_skin.is_some()),
            ("--root-path", aids.root_path),
            ("--trail", aids.trail.is_some()),
            ("--in-place", aids.in_place),
        ];
        warn_of_given(clip, &of_clips);
    }
    let pose = given_pose(clip, model)?;
    let borrow = &clip.clips.borrow;
    Ok(SessionOptions {
        clip: if clip.shows_no_clip() { ClipChoice::Rest } else { clip_choice(&clip.clips) },
        // A loaded model already has these clips.
        clips_from: borrow.clips_from.clone().filter(|_| model.is_none()).map(FileSource::Path),
        retargeting: retargeting(borrow)?,
        // A loaded model shows them already.
        expressions: clip.clips.expression.iter().filter(|_| model.is_none()).cloned().collect(),
        springs: model.is_none() && clip.clips.springs != Some(Switch::Off),
        time_secs: times.first().copied(),
        posed_clip: PosedClip { index: pose.clip, name: pose.clip_name },
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

pub fn scene_index(wanted: Option<&str>, model: &Model) -> Result<usize> {
    match wanted {
        None => Ok(model.default_scene),
        Some(wanted) => index_of("scene", wanted, model.scene_names()),
    }
}

fn start_view(args: &CameraArgs) -> Result<StartView> {
    if let Some(camera) = &args.camera {
        return Ok(StartView::Camera(camera.clone()));
    }
    if let (Some(eye), Some(target)) = (args.eye, args.target) {
        if args.orthographic == Some(None) {
            return usage_error("--orthographic: with --eye it needs a height in metres");
        }
        check_axes(eye, target, args.up)?;
        if let (Some(near), Some(far)) = (args.near, args.far)
            && far <= near
        {
            return usage_error(format!(
                "--far {far}: the far plane must be behind the near plane, at {near}"
            ));
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
fn check_axes(eye: DVec3, target: DVec3, up: Option<DVec3>) -> Result {
    let Some(forward) = (target - eye).try_normalize() else {
        return usage_error(
            "--target: the camera of --eye stands there; choose another point to look at",
        );
    };
    let up = up.and_then(DVec3::try_normalize);
    if up.is_some_and(|up| up.dot(forward).abs() >= 1.0 - 1e-12) {
        return usage_error(
            "--up: the camera looks along this direction; choose one across it, such as 0,0,-1 from above",
        );
    }
    Ok(())
}

fn picture_look(args: &LookArgs) -> Result<Look> {
    let mut look = Look::default();
    let preset = args.look.unwrap_or_default();
    preset.apply(&mut look);
    let (exposure, auto_exposure) = match args.exposure {
        Some(ExposureChoice::Stops(stops)) => (stops as f32, false),
        Some(ExposureChoice::Auto(stops)) => (stops as f32, true),
        None => (0.0, is_default_light(args)),
    };
    let background = args.background();
    Ok(Look {
        pass: args.pass.unwrap_or(look.pass),
        background: background.unwrap_or(look.background),
        lighting: lighting(args, preset)?,
        tone_map: args.tone_map.unwrap_or(look.tone_map),
        exposure,
        auto_exposure,
        samples: args.samples,
        skeleton: args.skeleton,
        bones: args.aids.bones(),
        trail: args.aids.trail.is_some(),
        joint_names: args.joint_names,
        floor: background.is_none(),
        grid: args.grid,
        axes: args.axes,
        bounds: args.bounds,
        legend: !args.no_legend,
        aids: args.aids.aids(),
        overlay_scale: args.scale as f32,
        ..look
    })
}

/// Returns the lighting of a picture. If only `--light` is given, the environment is black. Any
/// option about lights removes the default key light.
fn lighting(args: &LookArgs, preset: Preset) -> Result<Lighting> {
    if args.light.len() > MAX_LIGHTS {
        return usage_error(format!("--light: at most {MAX_LIGHTS} lights are supported"));
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

fn is_default_light(args: &LookArgs) -> bool {
    args.environment.is_none() && args.light.is_empty() && args.lights.is_none()
}

pub fn adapter(args: &GpuArgs) -> AdapterChoice {
    // A variable that is set to nothing is as good as none.
    let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    AdapterChoice { adapter: given(&args.adapter), backend: given(&args.backend) }
}

pub struct Opened {
    /// Dropping the device takes longer than ending the process, which frees it too.
    pub gpu: ManuallyDrop<Gpu>,
    /// Stands at the requested time, paused.
    pub session: Session,
    /// The images of the session's model, which only has their headers.
    pub images: Vec<Image>,
}

/// Returns the work of drawing one picture of a session, with its ghosts.
pub fn picture_work(gpu: &Gpu, session: &Session, size: [u32; 2]) -> Work {
    let playback = session.playback();
    let Some((document, stage)) = playback.document().zip(playback.stage()) else {
        return Work::default();
    };
    let look = session.look();
    let ghosts = look.aids.onion.map_or(0, |onion| 2 * onion.count);
    let kind = PictureKind { by: drawn_by(gpu), size, samples: look.samples };
    PictureCounts::count(&document.model, stage).work(kind) * (1 + ghosts)
}

pub fn drawn_by(gpu: &Gpu) -> DrawnBy {
    if gpu.is_software() { DrawnBy::Software } else { DrawnBy::Gpu }
}

/// Checks that drawing pictures of a file does not take too long; `work` is that of all of them.
pub fn charge_pictures(file: Option<&Path>, count: usize, work: Work, limit: WorkArgs) -> Result {
    let what = if count == 1 { "drawing it".into() } else { format!("drawing {count} pictures") };
    limit.charge(file.unwrap_or(Path::new("")), &what, work)
}

/// Opens the adapter and a session of a file, or of the built-in rig without one, with a limit in bytes for the data of
/// the file. Opening an adapter takes as long as loading most files, so both run in parallel.
pub fn open(
    file: Option<&Path>,
    scene: &SceneArgs,
    inputs: &Inputs,
    decoded_limit: u64,
) -> Result<Opened> {
    let choice = adapter(&scene.gpu);
    let formats = OnceLock::new();
    // The thread is joined even if loading fails: exiting while a driver loads can crash.
    let (gpu, opened) = std::thread::scope(|scope| {
        let opening = std::thread::Builder::new().spawn_scoped(scope, || {
            let gpu = guarded(|| Gpu::headless(&choice));
            // Set the formats even on failure, because the import may be waiting for them.
            let _ = formats.set(match &gpu {
                Ok(Ok(gpu)) => gpu.block_formats(),
                _ => BlockFormats::default(),
            });
            gpu
        });
        if opening.is_err() {
            let _ = formats.set(BlockFormats::default());
        }
        let opened = open_session(file, scene, &formats, decoded_limit, inputs);
        let failed =
            |what: &str| Failure::Gpu(format!("the graphics driver can't be opened: {what}"));
        let gpu = match opening {
            Ok(opening) => opening.join().flatten().map_err(|_| failed("it crashed")),
            Err(error) => Err(failed(&format!("no thread can be started ({error})"))),
        };
        (gpu, opened)
    });
    let (session, images) = opened?;
    Ok(Opened { gpu: ManuallyDrop::new(gpu??), session, images })
}

/// Opens a session of a file, or of the built-in rig without one. Returns it with the images of its model.
pub fn open_session(
    file: Option<&Path>,
    scene: &SceneArgs,
    formats: &OnceLock<BlockFormats>,
    decoded_limit: u64,
    inputs: &Inputs,
) -> Result<(Session, Vec<Image>)> {
    warn_of_useless(scene);
    let options = ImportOptions {
        block_formats: Some(formats),
        decoded_limit,
        bvh_scale: scene.clip.clips.bvh_scale(),
        ..ImportOptions::default()
    };
    let source = source(file);
    let mut loaded = read(&source, &options, inputs)?;
    replace_clips(&scene.clip.clips, &mut loaded.model, inputs)?;
    let mut options =
        session_options(&scene.clip, &scene.camera, &scene.look, Some(&loaded.model))?;
    options.time_secs.get_or_insert(0.0);
    let images = take_pictures(&mut loaded.model);
    Ok((session(source, loaded, options), images))
}

/// Reads the file of `--pose`; returns an empty pose without one. Entries that match no node of the
/// model are logged as warnings.
pub fn given_pose(args: &ClipArgs, model: Option<&Model>) -> Result<GivenPose> {
    match &args.pose {
        Some(path) => read_pose(path, model),
        None => Ok(GivenPose::default()),
    }
}

/// Reads a pose. Entries that match no node of the model are logged as warnings.
pub fn read_pose(path: &Path, model: Option<&Model>) -> Result<GivenPose> {
    let failed = |what: String| Failure::load(path, ImportError::other(escaped(&what)));
    let text = read_input(path, GivenPose::MOST_BYTES).map_err(|e| Failure::load(path, e))?;
    let pose = GivenPose::read(&text).map_err(failed)?;
    if GivenPose::has_others(&text) {
        log::warn!("{}: it has several poses: the first one is taken", shown(path));
    }
    if let Some(model) = model {
        let file = shown(path);
        let unmatched = local_pose_of(model, &pose.nodes).1;
        let line = |what: &String| format!("{file}: {}", escaped(what));
        print_capped(unmatched.iter().map(|what| (log::Level::Warn, line(what))));
    }
    Ok(pose)
}
