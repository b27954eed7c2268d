//! The evaluator compared with the plain one over every clip of the shared models, and with the textbook
//! evaluator of `benches/baseline.rs` on a generated rig.

#[path = "../../benches/baseline.rs"]
mod baseline;
#[path = "../../benches/rig.rs"]
mod rig;

use std::path::Path;

use baseline::Plain;
use glam::{DVec3, Mat4};
use proptest::prelude::*;
use rigview::anim::{Channel, Clip, Cursor, Keys, LocalPose, WorldPose};
use rigview::import::{ImageDecoding, ImportOptions, load};

use crate::support::{for_each, models_below, say_at_the_end, shared};

/// Maximum difference, relative to the largest number of the pose if that is above 1.
const NEAR: f32 = 1e-6;

#[test]
fn every_shared_clip_is_sampled_as_the_plain_evaluator_does() {
    let Some(shared) = shared("every_shared_clip_is_sampled_as_the_plain_evaluator_does") else {
        return;
    };
    let models = models_below(&shared.join("models"));
    let outcomes = for_each(&models, |path| compare(path));
    let wrong: Vec<_> = outcomes.iter().filter_map(|o| o.as_ref().err()).cloned().collect();
    assert!(wrong.is_empty(), "{} models:\n{}", wrong.len(), wrong.join("\n"));
    let found = outcomes.iter().flatten().copied();
    let (clips, worst, bytes) = found.fold((0, 0.0f32, 0.0f64), |(clips, worst, bytes), one| {
        (clips + one.clips, worst.max(one.worst), bytes.max(one.bytes))
    });
    assert!(clips > 0, "nothing was compared");
    say_at_the_end(format!(
        "{clips} clips are sampled as by the plain evaluator, worst {worst:.1e}; \
         prepared they take at most {bytes:.2} times their bytes"
    ));
}

#[derive(Clone, Copy, Default)]
struct Outcome {
    clips: usize,
    worst: f32,
    /// Bytes of the prepared form relative to those of the clip.
    bytes: f64,
}

fn compare(path: &Path) -> Result<Outcome, String> {
    let options = ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::default() };
    // The module `import` tests which models load.
    let Ok(loaded) = load(path, &options) else { return Ok(Outcome::default()) };
    let model = loaded.model;
    let mut outcome = Outcome::default();
    for (index, clip) in model.clips.iter().enumerate() {
        let (mut fast, mut plain) = (model.rest.clone(), model.rest.clone());
        let mut cursor = Cursor::default();
        for step in -1..=130 {
            // Forward, then in any order.
            let share = f64::from(if step < 65 { step } else { step * 29 % 65 }) / 63.0;
            let time = share * f64::from(clip.duration_secs());
            clip.pose(time, &model.rest, &mut cursor, &mut fast);
            plain.copy_from(&model.rest);
            clip.sample(time, &mut plain);
            let off = difference(&fast, &plain);
            if off.is_nan() || off > NEAR {
                return Err(format!("{}: clip {index} at {time} s: {off:e}", path.display()));
            }
            outcome.worst = outcome.worst.max(off);
        }
        outcome.clips += 1;
        let prepared = clip.prepare(model.rest.len()).bytes();
        let share = prepared as f64 / bytes(clip).max(1) as f64;
        if share > 4.0 {
            return Err(format!("{}: clip {index} takes {share} times its bytes", path.display()));
        }
        outcome.bytes = outcome.bytes.max(share);
    }
    Ok(outcome)
}

fn difference(a: &LocalPose, b: &LocalPose) -> f32 {
    let numbers = |pose: &LocalPose| -> Vec<f32> {
        let node = |i: usize| {
            let t = pose.transform(i);
            let parts =
                [&t.translation.to_array()[..], &t.rotation.to_array(), &t.scale.to_array()];
            [&parts.concat()[..], pose.weights(i)].concat()
        };
        (0..pose.len()).flat_map(node).collect()
    };
    let pairs = numbers(a).into_iter().zip(numbers(b));
    pairs.map(|(a, b)| (a - b).abs() / a.abs().max(b.abs()).max(1.0)).fold(0.0, f32::max)
}

/// Returns the number of bytes of a clip's keys.
fn bytes(clip: &Clip) -> usize {
    fn keys<T>(keys: &Keys<T>) -> usize {
        match keys {
            Keys::Step(values) | Keys::Linear(values) => size_of_val(&values[..]),
            Keys::Cubic { values, .. } => 3 * size_of_val(&values[..]),
        }
    }
    let channel = |channel: &Channel| {
        size_of_val(channel.times())
            + match channel {
                Channel::Translation { track, .. } | Channel::Scale { track, .. } => {
                    keys(track.keys())
                }
                Channel::Rotation { track, .. } => keys(track.keys()),
                Channel::Weights { track, .. } => keys(track.keys()),
            }
    };
    clip.channels().iter().map(channel).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn palettes_are_the_textbooks(times in prop::collection::vec(-0.5f32..5.0, 1..8)) {
        let rig = rig::hundred_joints();
        let mut plain = Plain::new(&rig);
        let rig::Rig { rest, tree, skin, clip } = &rig;
        let (mut local, mut world) = (rest.clone(), WorldPose::default());
        let mut cursor = Cursor::default();
        let mut palette = vec![Mat4::ZERO; skin.joints.len()];
        let mut wanted = palette.clone();
        let joints: Vec<u16> = (0..skin.joints.len() as u16).collect();
        for time in times {
            plain.pose(time, &mut wanted);
            clip.pose(f64::from(time), rest, &mut cursor, &mut local);
            tree.resolve(&local, DVec3::ZERO, &mut world);
            skin.write_palette(&joints, &world, &mut palette);
            for (joint, (got, want)) in palette.iter().zip(&wanted).enumerate() {
                let off = (*got - *want).to_cols_array().iter().fold(0.0f32, |m, x| m.max(x.abs()));
                prop_assert!(off < 2e-5, "joint {} at {}: {:e}", joint, time, off);
            }
        }
    }
}
