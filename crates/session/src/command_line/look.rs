//! The options of the command line that describe a look.

use crate::Playback;
use crate::command_line::ShellWords;
use crate::command_line::degrees_of_single;
use rigview_look::{
    Backdrop, BoneStyle, EnvironmentSource, Look, OnionSkin, Pass, Preset, Spacing,
};

/// Returns the options that give a look, without what depends on the selection.
pub(super) fn look_words(look: &Look, playback: &Playback) -> ShellWords {
    let lit = Preset::ALL.into_iter().filter_map(|preset| preset_words(look, preset));
    let mut words = lit.min_by_key(ShellWords::count).unwrap_or_else(|| {
        let mut words = measured_words(look);
        let tinted = look.lighting.tint != glam::Vec3::ONE;
        words.leave_out_if(look.lighting.key_light || tinted, "some of the light");
        words
    });
    environment_words(look, &mut words);
    for (name, on) in [
        ("--skeleton", look.skeleton),
        ("--joint-names", look.joint_names),
        ("--grid", look.grid),
        ("--axes", look.axes),
        ("--bounds", look.bounds),
        ("--no-legend", !look.legend),
        ("--root-path", look.aids.root_path),
        ("--weight-marks", look.aids.weight_marks),
        ("--normals", look.aids.vectors.normals),
        ("--tangents", look.aids.vectors.tangents),
        ("--skeleton-behind", look.skeleton && !look.bones.in_front),
    ] {
        if on {
            words.flag(name);
        }
    }
    if let (Pass::Weights, Some(joint)) = (look.pass, look.joint) {
        words.option("--joint", joint_name(playback, joint));
    }
    if look.samples != 4 {
        words.option("--samples", look.samples);
    }
    if let Some(OnionSkin { count, spacing }) = look.aids.onion {
        words.option(
            "--onion-skin",
            match spacing {
                Spacing::Secs(secs) => format!("{count},{secs}"),
                Spacing::Frames(frames) => format!("{count},{frames}f"),
            },
        );
    }
    let style = look.bones;
    if look.skeleton && style.name() != BoneStyle::default().name() {
        words.option("--joint-style", style.name());
    }
    let bones = look.skeleton && (style.size != 1.0 || style.sides);
    words.leave_out_if(bones, "size and sides of joints");
    words
}

/// Returns the options that change a preset to the look; `None` if its light is another one, which only presets have.
fn preset_words(look: &Look, preset: Preset) -> Option<ShellWords> {
    let mut base = Look::default();
    preset.apply(&mut base);
    let (light, usual) = (&look.lighting, &base.lighting);
    let same = light.key_light
        && light.lights.is_empty()
        && light.file_lights
        && (light.tint, light.key) == (usual.tint, usual.key)
        && matches!(light.environment.name(), "studio" | "none")
        && (!look.floor || (look.paint, look.background) == (base.paint, base.background));
    if !same {
        return None;
    }
    let mut words = ShellWords::default();
    if preset != Preset::default() {
        words.option("--look", preset.name());
    }
    overrides(look, &base, &mut words);
    if light.environment.name() == "none" {
        words.option("--environment-intensity", 0);
    }
    if !light.ambient_occlusion {
        words.option("--ambient-occlusion", "off");
    }
    Some(words)
}

/// Returns the options of a look whose light is defined exactly: no key light, and by default no ambient occlusion.
fn measured_words(look: &Look) -> ShellWords {
    let light = &look.lighting;
    let mut words = ShellWords::default();
    let base = Look { auto_exposure: false, ..Look::default() };
    overrides(look, &base, &mut words);
    for given in &light.lights {
        let [x, y, z] = given.direction.to_array();
        words.option("--light", format!("{x},{y},{z},{}", given.lux));
    }
    match &light.environment {
        EnvironmentSource::Uniform(radiance) if radiance.max_element() == 0.0 => {
            if light.lights.is_empty() {
                words.option("--environment", "none");
            }
        }
        EnvironmentSource::Uniform(radiance) => {
            let [r, g, b] = radiance.to_array();
            words.option("--environment", format!("uniform:{r},{g},{b}"));
        }
        EnvironmentSource::Picture(picture) => match &picture.path {
            Some(path) => {
                words.option("--environment", crate::desktop::absolute(path).to_string_lossy());
            }
            None => words.option("--environment", &picture.name),
        },
    }
    if !light.file_lights {
        words.option("--lights", "none");
    }
    if light.ambient_occlusion {
        words.option("--ambient-occlusion", "on");
    }
    words
}

/// Adds pass, background, tone map and exposure where they are not those of a base.
fn overrides(look: &Look, base: &Look, words: &mut ShellWords) {
    if look.pass != base.pass {
        words.option("--pass", look.pass.name());
    }
    let has_background = !look.floor || look.background != base.background;
    let is_hidden = look.pass.is_shaded() && look.lighting.backdrop != Backdrop::None;
    words.leave_out_if(has_background && is_hidden, "background behind the environment");
    if has_background && !is_hidden {
        let [r, g, b, a] = look.background;
        match a {
            0 => words.option("--background", "transparent"),
            0xff => words.option("--background", format!("#{r:02x}{g:02x}{b:02x}")),
            _ => words.option("--background", format!("#{r:02x}{g:02x}{b:02x}{a:02x}")),
        }
    }
    if look.tone_map != base.tone_map {
        words.option("--tone-map", look.tone_map.name());
    }
    if (look.exposure, look.auto_exposure) != (base.exposure, base.auto_exposure) {
        let stops = look.exposure;
        let measured = if stops == 0.0 { "auto".to_owned() } else { format!("auto{stops:+}") };
        words.option("--exposure", if look.auto_exposure { measured } else { stops.to_string() });
    }
}

/// Adds rotation and brightness of the environment, and how it is shown.
fn environment_words(look: &Look, words: &mut ShellWords) {
    let light = &look.lighting;
    if light.rotation != 0.0 {
        words.option("--environment-rotation", degrees_of_single(light.rotation));
    }
    if light.intensity != 1.0 && light.environment.name() != "none" {
        words.option("--environment-intensity", light.intensity);
    }
    match light.backdrop {
        Backdrop::None => {}
        Backdrop::Sharp => words.flag("--show-environment"),
        Backdrop::Blurred => words.flag("--show-environment=blurred"),
    }
}

/// Returns a name or an index by which the command line finds a joint.
fn joint_name(playback: &Playback, joint: usize) -> String {
    let name = playback.document().and_then(|document| {
        let name = document.model.nodes.get(joint)?.name.as_deref()?;
        (document.joint(name) == Some(joint)).then(|| name.to_owned())
    });
    name.unwrap_or_else(|| joint.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LookAction;
    use crate::command_line;
    use crate::command_line::PictureSize;
    use crate::sample::session;

    #[test]
    fn light_is_written_as_the_options_that_give_it() {
        let mut session = session();
        let mut options = |change: &dyn Fn(&mut Look)| {
            let mut look = Look::default();
            change(&mut look);
            session.apply(LookAction::SetLighting(Box::new(look.lighting.clone())));
            session.apply(LookAction::SetAutoExposure(look.auto_exposure));
            session.apply(LookAction::SetExposure(look.exposure));
            session.apply(LookAction::SetToneMap(look.tone_map));
            let size = PictureSize { size: [1024, 768], scale: 1.0 };
            let line = command_line(&session, size, "a.png", None).unwrap();
            assert_eq!(line.left_out, [""; 0]);
            line.text.split_once("a.png").unwrap().1.trim().to_owned()
        };
        assert_eq!(options(&|_| {}), "");
        assert_eq!(options(&|look| look.exposure = 0.5), "--exposure auto+0.5");
        let fixed = |look: &mut Look| (look.exposure, look.auto_exposure) = (-1.0, false);
        assert_eq!(options(&fixed), "--exposure=-1");
        assert_eq!(
            options(&|look| (look.lighting.rotation, look.lighting.intensity) =
                (90f32.to_radians(), 0.5)),
            "--environment-rotation 90 --environment-intensity 0.5"
        );
        let uniform = |look: &mut Look| {
            look.lighting.light_by(EnvironmentSource::Uniform(glam::Vec3::ONE));
            look.auto_exposure = false;
        };
        assert_eq!(options(&uniform), "--environment uniform:1,1,1");
        let none = |look: &mut Look| {
            look.lighting.light_by(EnvironmentSource::Uniform(glam::Vec3::ZERO));
        };
        assert_eq!(options(&none), "--environment-intensity 0");
    }
}
