//! Layers of clips that `bake` blends into one.

use crate::cli::args::bake::BakeArgs;
use crate::cli::args::values::number;
use crate::cli::failure::Failure;
use crate::cli::lookup::index_of;
use crate::cli::warnings::warn_of_no_effect;
use rigview_anim::{BlendLayer, Clip, Cursor, Mask, Mixer, pose_layers, repeated};
use rigview_export::{ExportError, charge_frames, frame_times, sampled_clip};
use rigview_import::{ImportError, escaped};
use rigview_model::Model;

/// Largest weight of a layer relative to the least one. It keeps sums of weights finite; smaller shares than its inverse are lost
/// in single precision anyway.
const MOST_SHARES: f32 = 1e30;

/// A layer as it is written: `+CLIP@JOINT=WEIGHT`.
#[derive(Debug, PartialEq)]
struct Written<'a> {
    clip: &'a str,
    joint: Option<&'a str>,
    weight: f64,
    is_added: bool,
}

/// Reads a layer. Names may contain the characters that separate its parts: `is_clip` tells whether a clip has a name, and
/// what follows `=` is a weight only if it is a number.
fn read(text: &str, is_clip: impl Fn(&str) -> bool) -> Result<Written<'_>, String> {
    let text = text.trim();
    let (is_added, text) = match text.strip_prefix('+') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text),
    };
    let weighted = text.rsplit_once('=').and_then(|(of, weight)| Some((of, number(weight).ok()?)));
    let (of, weight) = weighted.unwrap_or((text, 1.0));
    let at = || of.match_indices('@').map(|(at, _)| at);
    let named = at().find(|at| is_clip(of[..*at].trim()));
    let (clip, joint) = match named.or_else(|| at().next()).filter(|_| !is_clip(of.trim())) {
        Some(at) => (&of[..at], Some(of[at + 1..].trim())),
        None => (of, None),
    };
    match (clip.trim(), weight) {
        ("", _) => Err("a layer has no clip".into()),
        (_, weight) if weight < 0.0 => Err(format!("the weight {weight} is less than 0")),
        (clip, weight) => Ok(Written { clip, joint, weight, is_added }),
    }
}

/// Makes layers a mean of whole poses. At each joint, those that include it have shares in proportion to their weights; one
/// whose clip does not drive a property has its share in the rest pose. Layers that are added stay as they are.
fn share_weights(model: &Model, layers: &mut [BlendLayer], joints: &[Option<usize>]) {
    let mut means: Vec<(&mut BlendLayer, Option<usize>)> = layers
        .iter_mut()
        .zip(joints.iter().copied())
        .filter(|(layer, _)| layer.reference.is_none() && layer.weight > 0.0)
        .collect();
    // What no clip drives is left out of the mean: rounding would make it differ from the rest pose.
    let mut driven = Mask::of_clip(&Clip::default(), &model.rest);
    means.iter().for_each(|(layer, _)| driven.include(&layer.mask));
    // Where weights sum to less than 1, the rest pose has the remainder, so the least weight becomes 1.
    let least = means.iter().map(|(layer, _)| layer.weight).fold(f32::INFINITY, f32::min);
    for (layer, joint) in &mut means {
        layer.weight = (layer.weight / least).min(MOST_SHARES);
        layer.mask = driven.clone();
        if let Some(joint) = joint {
            layer.mask.keep_subtree(&model.hierarchy, *joint);
        }
    }
}

/// Returns one clip that blends others. It lasts as long as the first one; the others repeat.
pub fn blended(args: &BakeArgs, text: &str, model: &Model) -> Result<Clip, Failure> {
    let wrong = |what: String| Failure::Usage(format!("--layers: {}", escaped(&what)));
    let clips: Vec<&Clip> = model.clips.iter().collect();
    let (mut layers, mut joints) = (Vec::new(), Vec::new());
    for part in text.split(';').filter(|part| !part.trim().is_empty()) {
        let names = || model.clips.iter().map(Clip::name);
        let is_clip = |name: &str| names().any(|known| known == Some(name));
        let written = read(part, is_clip).map_err(wrong)?;
        let clip = index_of("clip", written.clip, names()).map_err(|unknown| {
            // A name may contain `=`, so only a clip that exists makes what follows a weight.
            let parts = written.clip.rsplit_once('=');
            let weight = parts.filter(|(of, _)| index_of("clip", of.trim(), names()).is_ok());
            weight.map_or(unknown, |(_, weight)| {
                wrong(format!("the weight of a layer is a number, not \"{weight}\""))
            })
        })?;
        let mut layer = BlendLayer::new(&clips, clip, &model.rest);
        layer.weight = written.weight as f32;
        let joint =
            written.joint.map(|joint| index_of("node", joint, model.node_names())).transpose()?;
        if let Some(joint) = joint {
            layer.mask.keep_subtree(&model.hierarchy, joint);
        }
        if written.is_added {
            let mut reference = model.rest.clone();
            clips[clip].pose(0.0, &model.rest, &mut Cursor::default(), &mut reference);
            layer.reference = Some(reference);
        }
        layers.push(layer);
        joints.push(joint);
    }
    let are_silent = !layers.is_empty() && layers.iter().all(|layer| layer.weight == 0.0);
    let why = "the weight of every layer is 0, so the clip holds the rest pose";
    warn_of_no_effect(&[("--layers", are_silent)], why);
    share_weights(model, &mut layers, &joints);
    let Some(first) = layers.first().map(|layer| clips[layer.clip]) else {
        return Err(wrong("there is no layer".into()));
    };
    let fps = args.keys_per_second().unwrap_or(args.fps);
    let failed = |e: ExportError| match e {
        ExportError::OverBudget(over) => {
            let what = format!("the clip lasts {} s", first.duration_secs());
            Failure::load(&args.file, ImportError::over_budget(&what, over))
        }
        e => Failure::Usage(args.about(&escaped(&e.to_string()))),
    };
    charge_frames(model, first, fps).map_err(failed)?;
    let times = frame_times(first.duration_secs(), fps).map_err(failed)?;
    let names: Vec<&str> =
        layers.iter().map(|layer| clips[layer.clip].name().unwrap_or("clip")).collect();
    let mut mixer = Mixer::default();
    let name = Some(names.join(" + "));
    let blended = sampled_clip(name, &times, &model.rest, |time, out| {
        for layer in &mut layers {
            layer.time_secs = repeated(time, f64::from(clips[layer.clip].duration_secs()));
        }
        pose_layers(&clips, &layers, &model.rest, &mut mixer, out);
    });
    blended.map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_read_with_weight_joint_and_kind() {
        let layer = |clip, joint, weight, is_added| Ok(Written { clip, joint, weight, is_added });
        let parsed = |text| read(text, |name| name == "walk@1");
        assert_eq!(parsed(" Walk = 0.7 "), layer("Walk", None, 0.7, false));
        assert_eq!(parsed("Wave@Arm.L"), layer("Wave", Some("Arm.L"), 1.0, false));
        assert_eq!(
            parsed("+Breath@mixamorig:Spine=.5"),
            layer("Breath", Some("mixamorig:Spine"), 0.5, true)
        );
        assert_eq!(parsed("walk@1=.5"), layer("walk@1", None, 0.5, false));
        assert_eq!(parsed("walk@1@Spine"), layer("walk@1", Some("Spine"), 1.0, false));
        assert_eq!(parsed("a=b"), layer("a=b", None, 1.0, false));
        assert!(parsed("=1").is_err() && parsed("Walk=-1").is_err());
    }
}
