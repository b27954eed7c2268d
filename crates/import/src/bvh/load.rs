//! Loads a BVH file: joints to nodes, the motion to an animation.

use serde_json::{Value, json};

use super::motion::keys;
use super::parse::{Joint, Parsed, parse};
use super::unit::{Unit, guess};
use crate::converted::{self, Origin};
use crate::draft::{Draft, Use};
use crate::fault::{ImportError, Warnings};
use crate::files::Folder;
use crate::options::ImportOptions;
use crate::text_encoding::text_of;
use rigview_model::Loaded;
use rigview_model::{Budget, Container, OverBudget, Source};

/// Bytes that a number of the motion takes while it is converted.
const NUMBER_BYTES: usize = 40;

/// Loads a BVH file from its bytes.
pub(crate) fn load(
    bytes: &[u8],
    folder: &Folder,
    options: &ImportOptions,
    mut warnings: Warnings,
) -> Result<Loaded, ImportError> {
    let budget = Budget::new(options.decoded_limit);
    budget.grow(bytes.len());
    let over = |over| ImportError::over_budget("motion", over);
    let text = text_of(bytes).said(&mut warnings);
    budget.grow(text.len() - bytes.len().min(text.len()));
    budget.holds(text.split_whitespace().count(), NUMBER_BYTES).map_err(over)?;
    let parsed = parse(&text, &mut warnings)?;
    let guessed = guess(&parsed);
    let metres = options.bvh_scale.map_or(guessed.metres, f64::from);
    let mut draft = Draft::new(&budget);
    put_nodes(&parsed, metres, &mut draft);
    folder.progress.check()?;
    put_animation(&parsed, metres, folder, &mut draft, over)?;
    let origin = Origin {
        format: Source::BVH.into(),
        container: Container::Text,
        generator: None,
        facts: facts(&parsed, options.bvh_scale, guessed),
        curve_error: None,
        frame_rate: 1.0 / parsed.frame_secs,
    };
    converted::load(draft, origin, folder, options, warnings)
}

fn facts(parsed: &Parsed, stated: Option<f32>, guessed: Unit) -> Vec<(String, String)> {
    let unit = match stated {
        Some(metres) => format!("1 is {metres} m, by --bvh-scale"),
        None => {
            let Unit { metres, name } = guessed;
            format!(
                "{name}, guessed from the size of the skeleton; --bvh-scale {metres} says the same"
            )
        }
    };
    let joints = parsed.joints.iter().filter(|joint| !joint.is_end).count();
    let rate = 1.0 / parsed.frame_secs;
    let motion = match parsed.frames {
        0 => "none".to_owned(),
        frames => format!("{frames} frames of {} s ({rate:.2} per second)", parsed.frame_secs),
    };
    let fact = |name: &str, value: String| (name.to_owned(), value);
    vec![fact("unit", unit), fact("joints", joints.to_string()), fact("motion", motion)]
}

fn put_nodes(parsed: &Parsed, metres: f64, draft: &mut Draft) {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); parsed.joints.len()];
    let mut roots = Vec::new();
    for (index, joint) in parsed.joints.iter().enumerate() {
        match joint.parent {
            Some(parent) => children[parent].push(index),
            None => roots.push(index),
        }
    }
    for (joint, children) in parsed.joints.iter().zip(children) {
        let mut node = json!({ "name": name(parsed, joint) });
        if joint.offset != [0.0; 3] {
            node["translation"] = json!(joint.offset.map(|x| narrow(x * metres)));
        }
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        draft.push("nodes", node);
    }
    draft.push("scenes", json!({ "nodes": roots }));
}

fn name(parsed: &Parsed, joint: &Joint) -> String {
    match joint.parent {
        Some(parent) if joint.is_end => format!("{} (end)", parsed.joints[parent].name),
        _ => joint.name.clone(),
    }
}

fn put_animation(
    parsed: &Parsed,
    metres: f64,
    folder: &Folder,
    draft: &mut Draft,
    over: impl Fn(OverBudget) -> ImportError,
) -> Result<(), ImportError> {
    if parsed.frames == 0 || parsed.per_frame == 0 {
        return Ok(());
    }
    let times: Vec<f32> =
        (0..parsed.frames).map(|frame| (frame as f64 * parsed.frame_secs) as f32).collect();
    // Short frames may round to equal times, far from 0.
    if times.windows(2).any(|pair| pair[0] >= pair[1]) {
        let what =
            format!("frame time {} is too short for {} frames", parsed.frame_secs, parsed.frames);
        return Err(ImportError::unsupported("", what));
    }
    let input = draft.times(&times).map_err(&over)?;
    let (mut samplers, mut channels): (Vec<Value>, Vec<Value>) = <_>::default();
    let mut first = 0;
    for (node, joint) in parsed.joints.iter().enumerate() {
        folder.progress.check()?;
        let keys = keys(parsed, joint, first);
        first += joint.channels.len();
        let mut put = |output: usize, path: &str| {
            let target = json!({ "node": node, "path": path });
            channels.push(json!({ "sampler": samplers.len(), "target": target }));
            let interpolation = "LINEAR";
            samplers
                .push(json!({ "input": input, "output": output, "interpolation": interpolation }));
        };
        if !keys.translations.is_empty() {
            let values: Vec<_> = keys
                .translations
                .iter()
                .map(|place| (*place * metres).to_array().map(narrow))
                .collect();
            put(draft.vectors(&values, Use::Data).map_err(&over)?, "translation");
        }
        if !keys.rotations.is_empty() {
            let values: Vec<_> =
                keys.rotations.iter().map(|turn| turn.to_array().map(narrow)).collect();
            put(draft.vectors(&values, Use::Data).map_err(&over)?, "rotation");
        }
    }
    draft.push(
        "animations",
        json!({ "name": "motion", "samplers": samplers, "channels": channels }),
    );
    Ok(())
}

/// Returns a number in 32 bits; 0 for one that is not finite there.
fn narrow(x: f64) -> f32 {
    let narrow = x as f32;
    if narrow.is_finite() { narrow } else { 0.0 }
}
