//! Whether a model lies on its back: glTF is Y up, and files of programs that are Z up come out so
//! where nobody turned them. A guess, so that a person may be asked; nothing is turned for it.

use glam::Vec3;

use crate::model::{Model, Stage};

/// What joints are called that are above the legs of whatever stands, upright or on all fours: those
/// right above them first, the others where there are none of these.
const UPPER: [&[&str]; 2] =
    [&["hip", "pelvis"], &["head", "neck", "spine", "torso", "chest", "body"]];

/// What those are called that it stands on.
const LOWER: [&str; 9] = ["foot", "feet", "toe", "ankle", "heel", "leg", "knee", "hoof", "paw"];

/// Whether what the stage shows in its pose, which has to be the rest pose, seems to have its +Z up.
///
/// A rig with joints named for a body and for legs says by these which way is up. Everything else
/// seems to where it stands on the plane Z = 0 as what is Y up does on Y = 0: its lowest Z is 0, it
/// is even about Y = 0, and it is no flat thing on a wall.
pub fn lies_on_its_back(model: &Model, stage: &Stage) -> bool {
    match up_of_joints(model, stage) {
        Some(up) => up.z > 0.9,
        None => stands_on_wall(stage, model),
    }
}

/// From the legs to the body, at unit length, if joints have names for both.
fn up_of_joints(model: &Model, stage: &Stage) -> Option<Vec3> {
    let joints = stage.joints(model);
    let mean = |words: &[&str]| {
        let is_one = |joint: &&usize| {
            let name = model.nodes[**joint].name.as_deref().unwrap_or_default();
            let name = name.to_ascii_lowercase();
            words.iter().any(|word| name.contains(word))
        };
        let places: Vec<Vec3> = joints.iter().filter(is_one).map(|j| stage.position(*j)).collect();
        (!places.is_empty()).then(|| places.iter().sum::<Vec3>() / places.len() as f32)
    };
    let upper = UPPER.into_iter().find_map(mean)?;
    (upper - mean(&LOWER)?).try_normalize()
}

fn stands_on_wall(stage: &Stage, model: &Model) -> bool {
    let bounds = stage.bounds(model);
    if bounds.is_empty() {
        return false;
    }
    let size = bounds.size();
    let origin = stage.origin.as_vec3();
    let (lowest, middle) = (bounds.min + origin, bounds.center() + origin);
    let stands = lowest.z.abs() < 0.02 * size.z;
    let is_even = middle.y.abs() < 0.1 * size.y;
    let is_flat = size.z < 0.5 * size.x.max(size.y);
    stands && is_even && !is_flat
}
