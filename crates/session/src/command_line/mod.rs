//! The command that draws the shown picture without a window: `rigview screenshot` with the options that differ from
//! their defaults.

mod look;

use std::path::Path;

use crate::command_line::look::look_words;
use crate::desktop::absolute;
use crate::{
    BasePose, ClipChoice, ExplicitCamera, FileCamera, FileSource, Retargeting, Session,
    named_or_numbered,
};
use rigview_model::Model;
use rigview_report::ClipForm;
use rigview_rig::MapChoice;

/// The picture that a command is to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PictureSize {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Pixels per point of the overlays.
    pub scale: f32,
}

/// A command for a POSIX shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// The words, quoted where necessary.
    pub text: String,
    /// The parts of the picture that no option describes; the command's picture does not have them.
    pub left_out: Vec<&'static str>,
}

impl CommandLine {
    /// Adds the adapter that was asked for by name and by backend.
    pub fn add_adapter(&mut self, adapter: Option<&str>, backend: Option<&str>) {
        let mut words = ShellWords::default();
        for (option, value) in [("--adapter", adapter), ("--backend", backend)] {
            if let Some(value) = value {
                words.option(option, value);
            }
        }
        if words.count() > 0 {
            self.text += &format!(" {}", words.text());
        }
    }
}

/// Returns the command that draws what the session shows, written to `output`, without the marks of the selection;
/// `None` if no file is open. The camera's numbers are written so that they are read back exactly. `pose` is a file
/// with [`Playback::pose_file`](crate::Playback::pose_file), which the command needs if [`command_needs_pose`].
pub fn command_line(
    session: &Session,
    picture: PictureSize,
    output: &str,
    pose: Option<&Path>,
) -> Option<CommandLine> {
    let document = session.playback().document()?;
    let pose = pose.filter(|_| command_needs_pose(session));
    let mut words = ShellWords::default();
    words.flag("rigview");
    words.flag("screenshot");
    // A fixed copy is in no file: the command draws the file that it was made of.
    let is_mended = matches!(document.source, FileSource::Mended { .. });
    let source = session.mending.of.as_ref().filter(|_| is_mended).unwrap_or(&document.source);
    if let FileSource::Path(path) = source {
        words.flag(&absolute(path).to_string_lossy());
    }
    words.leave_out_if(is_mended, "what was fixed");
    words.option("-o", output);
    match pose {
        Some(pose) => words.option("--pose", absolute(pose).to_string_lossy()),
        None => add_clip(session, &mut words),
    }
    add_scene(session, &mut words, pose.is_some());
    add_camera(session, &mut words);
    if picture.size != [1024, 768] {
        let [width, height] = picture.size;
        words.option("--size", format!("{width}x{height}"));
    }
    words.extend(look_words(session.look(), session.playback()));
    let scale = picture.scale * session.look().overlay_scale;
    if scale != 1.0 {
        words.option("--scale", scale);
    }
    words.leave_out_if(session.hidden().nodes().next().is_some(), "hidden nodes");
    words.leave_out_if(session.hidden().solo().is_some(), "the node that is shown alone");
    words.leave_out_if(!session.engine().form().is_exact(), "engine limits");
    words.leave_out_if(session.compared().document().is_some(), "the second file");
    if let Some(node) = session.selection().node().filter(|_| session.trail().is_some()) {
        match pose {
            None if session.playback().base() == BasePose::Clip => {
                words.option("--trail", node_name(&document.model, node));
            }
            _ => words.leave_out_if(true, "the path of the selection"),
        }
    }
    words.leave_out_if(session.measuring().is_on(), "what is measured");
    Some(CommandLine { text: words.text(), left_out: words.left_out })
}

/// Whether no clip at one instant gives the shown pose: the command of the picture needs it in a file.
pub fn command_needs_pose(session: &Session) -> bool {
    let playback = session.playback();
    !playback.hand().is_empty()
        || playback.base() == BasePose::Bind
        || playback.is_mixed()
        || starts_posed(session)
}

/// Whether the file was opened with nodes posed by `--pose`.
fn starts_posed(session: &Session) -> bool {
    let first = |source| session.loads().is_first(source) && !session.options().pose.is_empty();
    session.playback().document().is_some_and(|document| first(&document.source))
}

/// Adds the clip, its form and its time.
fn add_clip(session: &Session, words: &mut ShellWords) {
    let playback = session.playback();
    let Some(document) = playback.document() else { return };
    words.leave_out_if(!playback.hand().is_empty(), "what was posed by hand");
    words.leave_out_if(playback.base() == BasePose::Bind, "the bind pose");
    words.leave_out_if(playback.is_mixed(), "layers");
    words.leave_out_if(starts_posed(session), "the pose of --pose");
    if let Some(borrowed) = &document.borrowed
        && let FileSource::Path(path) = &borrowed.source
    {
        words.option("--clips-from", absolute(path).to_string_lossy());
        let Retargeting { options, file } = &borrowed.retargeting;
        match (&options.map, file) {
            (MapChoice::Exact, _) => words.option("--map", "exact"),
            (_, Some(file)) => words.option("--map", absolute(file).to_string_lossy()),
            (MapChoice::Table(_), None) => words.leave_out_if(true, "the changed map of joints"),
            (MapChoice::Auto, None) => {}
        }
        if options.align_rest {
            words.flag("--align-rest");
        }
        if options.pin_feet {
            words.flag("--pin-feet");
        }
    }
    if let Some(vrm) = &document.model.vrm {
        for (index, expression) in vrm.expressions.iter().enumerate() {
            let weight = playback.expression(index);
            if weight != 0.0 {
                words.option("--expression", format!("{}={weight}", expression.name));
            }
        }
        if session.options().springs && !vrm.springs.is_empty() {
            words.option("--springs", "on");
        }
    }
    let several = match &session.options().clip {
        ClipChoice::Several(indices) if session.loads().is_first(&document.source) => Some(indices),
        _ => None,
    };
    match playback.clip_index().filter(|_| playback.base() != BasePose::Rest) {
        None if document.clips().is_empty() => {}
        None => words.flag("--rest"),
        Some(clip) if clip == document.all_clips_index() => match document.together() {
            Some(some) => words.option("--animation-indices", joined(some)),
            None => words.flag("--all-clips"),
        },
        Some(clip) if several.is_some() && clip + 1 == document.all_clips_index() => {
            words.option("--animation-indices", joined(several.map_or(&[], |list| &list[..])));
        }
        Some(0) => {}
        Some(clip) => words.option("--clip", clip_name(document.clips(), clip)),
    }
    if playback.time_secs() != 0.0 && playback.base() == BasePose::Clip {
        words.option("--time", playback.time_secs());
    }
    if playback.plays_in_place() {
        words.flag("--in-place");
    }
    if playback.form() != ClipForm::Source {
        words.option("--form", playback.form().name());
    }
    if playback.form().is_sampled() && playback.fps() != 30.0 {
        words.option("--fps", playback.fps());
    }
}

/// Adds the scene and the variant, and notes what a pose does not have: `posed` without a clip.
fn add_scene(session: &Session, words: &mut ShellWords, posed: bool) {
    let playback = session.playback();
    let Some((document, stage)) = playback.document().zip(playback.stage()) else { return };
    if stage.scene != document.model.default_scene {
        words.option("--scene", stage.scene);
    }
    if let Some(variant) = session.look().variant {
        words.option("--variant", variant);
    }
    words.leave_out_if(stage.stood_up(), "that the model was stood up");
    let plays = matches!(playback.base(), BasePose::Clip | BasePose::ClipStart);
    let drives = playback.clip().is_some_and(|clip| !clip.properties().is_empty());
    words.leave_out_if(posed && plays && drives, "materials that the clip changes");
    // Ghosts and the root's path belong to a clip, which the command does not show.
    let aids = &session.look().aids;
    let still = playback.clip().is_some() && (posed || playback.base() != BasePose::Clip);
    words.leave_out_if(still && aids.onion.is_some(), "ghosts");
    words.leave_out_if(still && aids.root_path, "the root's path");
}

fn add_camera(session: &Session, words: &mut ShellWords) {
    let view_camera = session.camera();
    if let Some(camera) = view_camera.file_camera() {
        let shown = session.playback().document().zip(session.playback().stage());
        let name = shown.and_then(|(document, stage)| match camera {
            FileCamera::First(index) => Some(index.to_string()),
            FileCamera::Further { node } => {
                let model = &document.model;
                let name = model.nodes.get(node)?.name.clone()?;
                (FileCamera::named(model, &stage.nodes, &name) == Some(camera)).then_some(name)
            }
        });
        words.leave_out_if(name.is_none(), "the camera, whose node has no name of its own");
        name.into_iter().for_each(|name| words.option("--camera", name));
        return;
    }
    let view = session.view();
    // The command would frame another pose.
    let framed = view_camera.framed_direction();
    let is_own = session.playback().base() == BasePose::Clip && !command_needs_pose(session);
    if let Some(framed) = framed.filter(|_| is_own) {
        let [azimuth, elevation] = [framed.azimuth, framed.elevation].map(degrees);
        let usual = [azimuth, elevation, framed.zoom] == [30.0, 15.0, 1.0];
        if !usual {
            let zoom = if framed.zoom == 1.0 { String::new() } else { format!(",{}", framed.zoom) };
            words.option("--orbit", format!("{azimuth},{elevation}{zoom}"));
        }
        match (framed.orthographic, framed.height) {
            (false, _) => {}
            (true, None) => words.flag("--orthographic"),
            (true, Some(height)) => words.option("--orthographic", height),
        }
        return;
    }
    let camera = view_camera.explicit_camera();
    let point = |p: glam::DVec3| format!("{},{},{}", p.x, p.y, p.z);
    words.option("--eye", point(camera.eye));
    words.option("--target", point(camera.target));
    let plain = ExplicitCamera { up: glam::DVec3::Y, near: None, far: None, ..camera };
    let bounds = view_camera.bounds();
    let turned = plain.view(bounds).world_from_camera.matrix3 - view.world_from_camera.matrix3;
    if turned.to_cols_array().iter().any(|x| x.abs() > 1e-9) {
        words.option("--up", point(camera.up));
    }
    match camera.height {
        Some(height) => words.option("--orthographic", height),
        None if degrees(camera.fov_y) == 40.0 => {}
        None => words.option("--fov-y", degrees(camera.fov_y)),
    }
    if plain.view(bounds).depth_range() != view.depth_range() {
        let (near, far) = view.depth_range();
        words.option("--near", near);
        words.option("--far", far);
    }
}

/// Returns a name or an index by which the command line finds a node.
fn node_name(model: &Model, node: usize) -> String {
    let name = model.nodes[node].name.as_deref().filter(|name| !name.trim().is_empty());
    let found = |name: &&str| named_or_numbered(model.node_names(), name) == Some(node);
    name.filter(found).map_or_else(|| node.to_string(), str::to_owned)
}

/// Returns indices as an argument: `0,2`.
fn joined(indices: &[usize]) -> String {
    indices.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}

/// Returns a name or an index by which the command line finds a clip.
fn clip_name(clips: &[rigview_anim::Clip], clip: usize) -> String {
    let found =
        |wanted: &str| named_or_numbered(clips.iter().map(|c| c.name()), wanted) == Some(clip);
    let name = clips[clip].name().filter(|name| !name.trim().is_empty() && found(name));
    name.map_or_else(|| clip.to_string(), str::to_owned)
}

/// Returns an angle in degrees that gives the same radians, or the nearest one if none does.
pub(super) fn degrees(radians: f64) -> f64 {
    shortest(radians.to_degrees(), |degrees| degrees.to_radians() == radians)
}

/// The same for radians in single precision.
pub(super) fn degrees_of_single(radians: f32) -> f64 {
    shortest(f64::from(radians).to_degrees(), |degrees| degrees.to_radians() as f32 == radians)
}

/// Returns a number with as few decimals as are the same, or the number itself if none are.
fn shortest(number: f64, is_same: impl Fn(f64) -> bool) -> f64 {
    let round = |decimals: usize| format!("{number:.decimals$}").parse().unwrap_or(number);
    (0..16).map(round).find(|rounded| is_same(*rounded)).unwrap_or(number)
}

/// The options of a command, and what no option describes.
#[derive(Debug, Default)]
pub struct ShellWords {
    words: Vec<String>,
    /// What the command leaves out, because no option describes it.
    pub left_out: Vec<&'static str>,
}

impl ShellWords {
    /// Adds an option without a value.
    pub fn flag(&mut self, name: &str) {
        self.words.push(name.to_owned());
    }

    /// Adds an option with a value. A value that starts with a minus is joined to the option's name.
    pub fn option(&mut self, name: &str, value: impl ToString) {
        let value = value.to_string();
        if value.starts_with('-') {
            self.words.push(format!("{name}={value}"));
        } else {
            self.words.extend([name.to_owned(), value]);
        }
    }

    /// Adds a file. One whose name starts with a minus is no option.
    pub fn file(&mut self, name: &str) {
        self.words.push(if name.starts_with('-') { format!("./{name}") } else { name.to_owned() });
    }

    /// Notes something that no option describes, if it is so.
    pub fn leave_out_if(&mut self, is_so: bool, what: &'static str) {
        if is_so {
            self.left_out.push(what);
        }
    }

    /// The number of words.
    pub fn count(&self) -> usize {
        self.words.len()
    }

    /// Returns the words as one line.
    pub fn text(&self) -> String {
        let words: Vec<String> = self.words.iter().map(|word| shell_word(word)).collect();
        words.join(" ")
    }

    /// Appends the words of others.
    pub fn extend(&mut self, other: ShellWords) {
        self.words.extend(other.words);
        self.left_out.extend(other.left_out);
    }
}

/// Returns a word as a POSIX shell reads it.
fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use glam::DVec2;

    use super::*;
    use crate::sample::{finish, loaded, session, session_with};
    use crate::{
        CameraAction, ComparedAction, Destination, EngineAction, HandValue, Item, LoadAction,
        LookAction, PlaybackAction, PoseAction, SelectionAction, SessionOptions,
    };
    use rigview_look::{Pass, Preset};
    use rigview_model::SkinForm;

    const PICTURE: PictureSize = PictureSize { size: [1024, 768], scale: 1.0 };

    fn text(session: &Session) -> String {
        command_line(session, PICTURE, "a.png", None).unwrap().text
    }

    #[test]
    fn only_what_differs_from_the_defaults_is_written() {
        let mut session = session();
        session.apply(PlaybackAction::Seek(0.0));
        assert_eq!(text(&session), "rigview screenshot /rigs/walker.glb -o a.png");
        session.apply(PlaybackAction::SelectClip(Some(1)));
        session.apply(PlaybackAction::Seek(0.25));
        session.apply(LookAction::SetPreset(Preset::Daylight));
        session.apply(LookAction::SetPass(Pass::Normal));
        session.apply(LookAction::ToggleGrid);
        let wanted = "rigview screenshot /rigs/walker.glb -o a.png --clip '歩く' --time 0.25 \
                      --look daylight --pass normal --grid";
        assert_eq!(text(&session), wanted);
        session.apply(PlaybackAction::ToggleInPlace);
        assert!(text(&session).contains(" --time 0.25 --in-place --look"), "{}", text(&session));
        session.apply(PlaybackAction::ToggleInPlace);
        session.apply(PlaybackAction::SetTogether(vec![0, 2]));
        assert!(text(&session).contains(" --animation-indices 0,2 "), "{}", text(&session));
        session.apply(PlaybackAction::SetTogether(vec![0, 1, 2]));
        assert!(text(&session).contains(" --all-clips "), "{}", text(&session));
        session.apply(PlaybackAction::SelectClip(None));
        let large = PictureSize { size: [640, 480], scale: 1.5 };
        let line = command_line(&session, large, "it's.png", None).unwrap();
        assert!(line.text.contains(r"-o 'it'\''s.png' --rest --size 640x480"), "{}", line.text);
        assert!(line.text.ends_with("--scale 1.5") && line.left_out.is_empty());
        assert_eq!(
            command_line(&Session::new(SessionOptions::default()), PICTURE, "a.png", None),
            None
        );
    }

    #[test]
    fn of_a_fixed_copy_the_file_that_it_was_made_of_is_drawn() {
        let mut session = session();
        session.mending.of = Some(FileSource::Path("/rigs/walker.glb".into()));
        let copy = FileSource::Mended { of: "walker.glb".into(), glb: [0].into() };
        let effects = session.apply(LoadAction::Open(copy, Destination::Beside));
        finish(&mut session, &effects, Ok(loaded()));
        let left_out = |session: &Session| {
            let line = command_line(session, PICTURE, "a.png", None).unwrap();
            assert!(line.text.starts_with("rigview screenshot /rigs/walker.glb -o"), "{line:?}");
            line.left_out
        };
        assert_eq!(left_out(&session), ["the second file"]);
        session.apply(ComparedAction::Swap);
        assert_eq!(left_out(&session), ["what was fixed", "the second file"]);
    }

    #[test]
    fn the_path_of_the_selection_is_an_option() {
        let mut session = session();
        session.apply(PlaybackAction::Seek(0.5));
        session.apply(SelectionAction::Select(Some(Item::Node(1))));
        session.apply(LookAction::ToggleTrail);
        session.pose();
        assert!(text(&session).ends_with(" --time 0.5 --trail 1"), "{}", text(&session));
        session.apply(PoseAction::SetBase(BasePose::Bind));
        session.pose();
        let line = command_line(&session, PICTURE, "a.png", Some("/rigs/a.pose.json".as_ref()));
        assert_eq!(line.unwrap().left_out, ["the path of the selection"]);
    }

    #[test]
    fn a_pose_that_no_clip_gives_goes_to_a_file_or_is_named_as_missing() {
        let mut session = session();
        session.apply(PlaybackAction::Seek(0.5));
        let given = |session: &Session| {
            let line = command_line(session, PICTURE, "a.png", Some("/rigs/a.pose.json".as_ref()));
            let line = line.unwrap();
            let words = line.text.split_once("a.png ").unwrap().1.to_owned();
            (words, line.left_out)
        };
        assert!(!command_needs_pose(&session));
        assert_eq!(given(&session), ("--time 0.5".to_owned(), vec![]));
        for base in BasePose::ALL {
            session.apply(PoseAction::SetBase(base));
            session.pose();
            let (words, left_out) = given(&session);
            let start = match base {
                BasePose::Clip => "--time 0.5",
                BasePose::ClipStart => "--eye ",
                BasePose::Rest => "--rest --eye ",
                BasePose::Bind => "--pose /rigs/a.pose.json --eye ",
            };
            assert!(words.starts_with(start), "{words}");
            assert_eq!(left_out, [""; 0]);
        }
        session.apply(PoseAction::SetBase(BasePose::Clip));
        let turn = HandValue::Rotation(glam::Quat::from_rotation_x(0.3));
        session.apply(PoseAction::Set(1, turn));
        session.pose();
        assert!(command_needs_pose(&session));
        let (words, left_out) = given(&session);
        assert!(words.starts_with("--pose /rigs/a.pose.json --eye "), "{words}");
        assert!(!words.contains("--time") && left_out.is_empty(), "{words} {left_out:?}");
        // Where no file can be written, the command says what it lacks.
        let line = command_line(&session, PICTURE, "a.png", None).unwrap();
        assert_eq!(line.left_out, ["what was posed by hand"]);
        assert!(line.text.contains(" --time 0.5 "), "{}", line.text);
        session.apply(PoseAction::ResetAll);
        let form = SkinForm { influences: 1, ..SkinForm::default() };
        session.apply(EngineAction::SetSkinForm(form));
        assert_eq!(given(&session).1, ["engine limits"]);
    }

    #[test]
    fn a_camera_that_was_moved_is_written_in_numbers_that_are_read_back_exactly() {
        let mut session = session_with(SessionOptions::default());
        session.apply(CameraAction::Orbit(DVec2::new(0.1, 0.03)));
        for orthographic in [false, true] {
            if orthographic {
                session.apply(CameraAction::ToggleOrthographic);
            }
            let line = text(&session);
            let numbers = |name: &str| -> Vec<f64> {
                let (_, rest) = line.split_once(name).unwrap_or_else(|| panic!("{name}: {line}"));
                let value = rest.trim_start_matches(['=', ' ']).split(' ').next().unwrap();
                value.split(',').map(|number| number.parse().unwrap()).collect()
            };
            let camera = ExplicitCamera {
                eye: glam::DVec3::from_slice(&numbers("--eye")),
                target: glam::DVec3::from_slice(&numbers("--target")),
                up: glam::DVec3::Y,
                fov_y: 40f64.to_radians(),
                height: orthographic.then(|| numbers("--orthographic")[0]),
                near: None,
                far: None,
            };
            let (read, shown) = (camera.view(session.camera().bounds()), session.view());
            assert_eq!(read.projection, shown.projection);
            let off = read.world_from_camera.translation - shown.world_from_camera.translation;
            assert!(off.length() < 1e-12, "{off}");
        }
    }

    #[test]
    fn angles_have_as_few_decimals_as_they_need() {
        assert_eq!(degrees(30f64.to_radians()).to_string(), "30");
        assert_eq!(degrees((-12.5f64).to_radians()).to_string(), "-12.5");
        for radians in [0.1, 1.0, 2.345_678_9, 6.1] {
            assert!((degrees(radians).to_radians() - radians).abs() < 1e-15 * radians.max(1.0));
        }
    }
}

#[cfg(test)]
mod shell_words_tests {
    use crate::command_line::*;

    #[test]
    fn names_that_start_with_a_minus_are_no_options() {
        let mut words = ShellWords::default();
        words.file("-fox.glb");
        words.option("--bless", "-fox");
        words.option("--bless", "fox");
        assert_eq!(words.text(), "./-fox.glb --bless=-fox --bless fox");
    }

    #[test]
    fn words_are_quoted_where_a_shell_would_change_them() {
        assert_eq!(shell_word("a/b-c_1.png"), "a/b-c_1.png");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("~/a b"), "'~/a b'");
        assert_eq!(shell_word("a'b$c"), r"'a'\''b$c'");
        let mut words = ShellWords::default();
        words.option("--clip", "-Run");
        assert_eq!(words.words, ["--clip=-Run"]);
    }
}
