//! The command that draws the shown picture without a window: `rigview screenshot` with the options that differ from
//! their defaults.

mod look;
mod words;

use crate::report::ClipForm;
use crate::session::desktop::absolute;
use crate::session::{ClipChoice, ExplicitCamera, FileSource, Session, named_or_numbered};
use look::look_words;
use words::{Words, quoted};

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
        for (option, value) in [("--adapter", adapter), ("--backend", backend)] {
            if let Some(value) = value {
                self.text += &format!(" {option} {}", quoted(value));
            }
        }
    }
}

impl Session {
    /// Returns the command that draws what the session shows, written to `output`, without the marks of the selection;
    /// `None` if no file is open. The camera's numbers are written so that they are read back exactly.
    pub fn command_line(&self, picture: PictureSize, output: &str) -> Option<CommandLine> {
        let document = self.exhibit.document()?;
        let mut words = Words::default();
        words.flag("rigview");
        words.flag("screenshot");
        if let FileSource::Path(path) = &document.source {
            words.flag(&absolute(path).to_string_lossy());
        }
        words.option("-o", output);
        self.add_clip(&mut words);
        self.add_camera(&mut words);
        if picture.size != [1024, 768] {
            let [width, height] = picture.size;
            words.option("--size", format!("{width}x{height}"));
        }
        words.extend(look_words(&self.look, &self.exhibit));
        let scale = picture.scale * self.look.overlay_scale;
        if scale != 1.0 {
            words.option("--scale", scale);
        }
        words.leave_out_if(self.hidden.nodes().next().is_some(), "hidden nodes");
        words.leave_out_if(self.hidden.solo().is_some(), "the node that is shown alone");
        Some(CommandLine { text: words.text(), left_out: words.left_out })
    }

    /// Adds the clip, its form and its time, the scene and the variant.
    fn add_clip(&self, words: &mut Words) {
        let exhibit = &self.exhibit;
        let Some((document, stage)) = exhibit.document().zip(exhibit.stage()) else { return };
        if let Some((FileSource::Path(path), _)) = &document.borrowed {
            words.option("--clips-from", absolute(path).to_string_lossy());
        }
        let several = match &self.options.clip {
            ClipChoice::Several(indices) if self.loads.is_first(&document.source) => Some(indices),
            _ => None,
        };
        match exhibit.clip_index() {
            None if document.clips().is_empty() => {}
            None => words.flag("--rest"),
            Some(clip) if clip == document.all_clips_index() => words.flag("--all-clips"),
            Some(clip) if several.is_some() && clip + 1 == document.all_clips_index() => {
                let list: Vec<String> =
                    several.iter().copied().flatten().map(usize::to_string).collect();
                words.option("--animation-indices", list.join(","));
            }
            Some(0) => {}
            Some(clip) => words.option("--clip", clip_name(document.clips(), clip)),
        }
        if exhibit.time_secs() != 0.0 {
            words.option("--time", exhibit.time_secs());
        }
        if exhibit.plays_in_place() {
            words.flag("--in-place");
        }
        if exhibit.form() != ClipForm::Source {
            words.option("--form", exhibit.form().name());
        }
        if exhibit.form().is_sampled() && exhibit.fps() != 30.0 {
            words.option("--fps", exhibit.fps());
        }
        if stage.scene != document.model.default_scene {
            words.option("--scene", stage.scene);
        }
        if let Some(variant) = self.look.variant {
            words.option("--variant", variant);
        }
        words.leave_out_if(!exhibit.layers().is_empty(), "layers");
        words.leave_out_if(stage.stood_up(), "that the model was stood up");
        let posed = self.loads.is_first(&document.source) && !self.options.pose.is_empty();
        words.leave_out_if(posed, "the pose of --pose");
    }

    fn add_camera(&self, words: &mut Words) {
        let sight = &self.sight;
        if let Some(camera) = sight.file_camera() {
            return words.option("--camera", camera);
        }
        let view = self.view();
        if let Some(framed) = sight.framed_direction() {
            let [azimuth, elevation] = framed.angles.map(degrees);
            let usual = [azimuth, elevation, framed.zoom] == [30.0, 15.0, 1.0];
            if !usual {
                let zoom =
                    if framed.zoom == 1.0 { String::new() } else { format!(",{}", framed.zoom) };
                words.option("--orbit", format!("{azimuth},{elevation}{zoom}"));
            }
            match (framed.orthographic, framed.height) {
                (false, _) => {}
                (true, None) => words.flag("--orthographic"),
                (true, Some(height)) => words.option("--orthographic", height),
            }
            return;
        }
        let camera = sight.explicit_camera();
        let point = |p: glam::DVec3| format!("{},{},{}", p.x, p.y, p.z);
        words.option("--eye", point(camera.eye));
        words.option("--target", point(camera.target));
        let plain = ExplicitCamera { up: glam::DVec3::Y, near: None, far: None, ..camera };
        let bounds = sight.bounds();
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
}

/// Returns a name or an index by which the command line finds a clip.
fn clip_name(clips: &[crate::anim::Clip], clip: usize) -> String {
    let found =
        |wanted: &str| named_or_numbered(clips.iter().map(|c| c.name()), wanted) == Some(clip);
    let name = clips[clip].name().filter(|name| !name.trim().is_empty() && found(name));
    name.map_or_else(|| clip.to_string(), str::to_owned)
}

/// Returns an angle in degrees with as few decimals as give the same radians, or the nearest one if none does.
fn degrees(radians: f64) -> f64 {
    let plain = radians.to_degrees();
    let round = |decimals: usize| format!("{plain:.decimals$}").parse().unwrap_or(plain);
    let same = |degrees: &f64| degrees.to_radians() == radians;
    (0..16).map(round).find(same).unwrap_or(plain)
}

#[cfg(test)]
mod tests {
    use glam::DVec2;

    use super::*;
    use crate::look::{Pass, Preset};
    use crate::session::sample::{session, session_with};
    use crate::session::{ExhibitAction, LookAction, SessionOptions, SightAction};

    const PICTURE: PictureSize = PictureSize { size: [1024, 768], scale: 1.0 };

    fn text(session: &Session) -> String {
        session.command_line(PICTURE, "a.png").unwrap().text
    }

    #[test]
    fn only_what_differs_from_the_defaults_is_written() {
        let mut session = session();
        session.apply(ExhibitAction::Seek(0.0));
        assert_eq!(text(&session), "rigview screenshot /rigs/walker.glb -o a.png");
        session.apply(ExhibitAction::SelectClip(Some(1)));
        session.apply(ExhibitAction::Seek(0.25));
        session.apply(LookAction::SetPreset(Preset::Daylight));
        session.apply(LookAction::SetPass(Pass::Normal));
        session.apply(LookAction::ToggleGrid);
        let wanted = "rigview screenshot /rigs/walker.glb -o a.png --clip '歩く' --time 0.25 \
                      --look daylight --pass normal --grid";
        assert_eq!(text(&session), wanted);
        session.apply(ExhibitAction::ToggleInPlace);
        assert!(text(&session).contains(" --time 0.25 --in-place --look"), "{}", text(&session));
        session.apply(ExhibitAction::ToggleInPlace);
        session.apply(ExhibitAction::SelectClip(None));
        let large = PictureSize { size: [640, 480], scale: 1.5 };
        let line = session.command_line(large, "it's.png").unwrap();
        assert!(line.text.contains(r"-o 'it'\''s.png' --rest --size 640x480"), "{}", line.text);
        assert!(line.text.ends_with("--scale 1.5") && line.left_out.is_empty());
        assert_eq!(Session::new(SessionOptions::default()).command_line(PICTURE, "a.png"), None);
    }

    #[test]
    fn a_camera_that_was_moved_is_written_in_numbers_that_are_read_back_exactly() {
        let mut session = session_with(SessionOptions::default());
        session.apply(SightAction::Orbit(DVec2::new(0.1, 0.03)));
        for orthographic in [false, true] {
            if orthographic {
                session.apply(SightAction::ToggleOrthographic);
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
            let (read, shown) = (camera.view(session.sight().bounds()), session.view());
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
