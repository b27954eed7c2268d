//! Guesses whether a model lies on its back. glTF is Y up; exports from Z-up programs lie on their back
//! if they were not rotated. The guess only leads to a question to the user; nothing is rotated.

use glam::Vec3;

use rigview_model::{Model, Stage};

/// Words in names of joints above the legs, for upright and four-legged rigs. The second list is used
/// if no joint matches the first one.
const UPPER: [&[&str]; 2] =
    [&["hip", "pelvis"], &["head", "neck", "spine", "torso", "chest", "body"]];

/// Words in names of joints of the legs.
const LOWER: [&str; 9] = ["foot", "feet", "toe", "ankle", "heel", "leg", "knee", "hoof", "paw"];

/// Whether the up direction of a stage in its rest pose seems to be +Z.
///
/// If joints have names of a body and of legs, up is the direction from the legs to the body. Any other
/// model seems to be Z up if it stands on the plane Z = 0: its lowest Z is about 0, it is centred about
/// Y = 0, and it is not flat, as an object on a wall would be.
pub fn lies_on_its_back(model: &Model, stage: &Stage) -> bool {
    match up_of_joints(model, stage) {
        Some(up) => up.z > 0.9,
        None => stands_on_wall(stage, model),
    }
}

/// Returns the unit vector from the legs to the body, if joints have names for both.
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
