//! The lint of rigs and clips: a model and a contract to findings.
//!
//! Everything is measured as it plays: rotations between keys, joints in the scene, vertices of the posed
//! skin. Lengths are metres in the default scene, whatever unit or axis the rig has below its root. Instants
//! are all key times of a clip and every 1/30 s. Each family of rules has a file; [`Code`] lists all rules
//! with reason and remedy.
//!
//! ```
//! use rigview_check::{Contract, findings};
//! use rigview_import::{ImportOptions, load};
//!
//! let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/creature.glb");
//! let model = load(file.as_ref(), &ImportOptions::default())?.model;
//! let contract = Contract::parse("[limits]\njoints = 3\n")?;
//! let found = findings(&model, &contract);
//! let limit = found.iter().find(|finding| finding.code == "LIMIT").unwrap();
//! assert_eq!((limit.object.as_deref(), limit.limit), (Some("joints"), Some(3.0)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod axis;
mod bind;
mod binding;
mod bones;
mod clip_names;
mod code;
mod contract;
mod curves;
mod declared;
mod finding;
mod fit;
mod growth;
mod keys;
mod loops;
mod mesh;
mod model_rules;
mod motion;
mod names;
mod pattern;
mod pops;
mod profiles;
mod rig;
mod scale;
mod skeleton;
mod still;
mod surface;
mod take;
mod timing;
mod twins;
mod vertex_far;
mod weights;
mod winding;

pub use axis::Axis;
pub use code::{Code, Level};
pub use contract::{ClipRules, Contract, ContractError, Limits, ModelRules, SkeletonRules};
pub use finding::{Asset, ChannelTarget, Finding};
pub use keys::{kept_keys, kept_property_keys};
pub use loops::Seam;
pub use mesh::flat_triangles;
pub use pattern::Pattern;
pub use profiles::Profile;
pub use skeleton::Skeleton;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use rayon::prelude::*;

use rigview_model::Model;

use fit::Fit;
use rig::Rig;
use surface::Surface;
use take::Take;

/// Checks a model, or an [`Asset`], against all rules and a contract. [`Contract::default`] declares
/// nothing.
///
/// The findings are sorted by their JSON pointers, those of the whole file first; findings of one place by
/// code. Those that the contract allows are left out. The result is the same on any number of cores.
pub fn findings<'a>(asset: impl Into<Asset<'a>>, contract: &Contract) -> Vec<Finding> {
    let Asset { file, model, bytes, warnings } = asset.into();
    let rig = Rig::new(model, &contract.thresholds);
    let takes: Vec<Take> = (0..model.clips.len()).map(|i| Take::new(&rig, i, contract)).collect();
    if takes.iter().any(|take| take.times.is_empty()) {
        log::warn!("{file}: too many clips and nodes; the clips are judged by their keys only");
    }
    let mut found = warnings;
    found.extend(mesh::findings(&rig));
    found.extend(vertex_far::findings(&rig));
    found.extend(winding::findings(&rig));
    let fit = Fit::new(&rig);
    found.extend(weights::findings(&rig, &fit.misfits));
    found.extend(fit.findings);
    found.extend(scale::findings(&rig));
    found.extend(bind::findings(&rig));
    found.extend(names::findings(&rig));
    found.extend(twins::findings(&takes));
    found.extend(model_rules::limits(&rig, bytes, &contract.limits));
    found.extend(model_rules::stance(&rig, &contract.model));
    found.extend(declared::findings(&rig, &takes, contract));
    if let Some(reference) = &contract.reference {
        found.extend(skeleton::findings(&rig, reference));
        if contract.skeleton.weights {
            found.extend(binding::findings(&rig, &reference.binding));
        }
    }
    let surface = Surface::of(&rig, &takes);
    found.par_extend(takes.par_iter().flat_map_iter(|take| of_clip(take, surface.as_ref())));
    found.retain_mut(|finding| match contract.level_of(finding) {
        Some(level) => {
            finding.level = level;
            finding.file = file.to_owned();
            true
        }
        None => false,
    });
    let mut seen = HashSet::new();
    found.retain(|finding| seen.insert(finding.identity()));
    found.sort_by(|a, b| a.place().cmp(&b.place()).then(rank(a).cmp(&rank(b))));
    found
}

/// Returns how the ends of clips fit, in all scenes; without those that move nothing that is measured.
pub fn seams_of(
    model: &Model,
    clips: &BTreeSet<usize>,
    contract: &Contract,
) -> BTreeMap<usize, Seam> {
    let rig = Rig::of_all_scenes(model, &contract.thresholds);
    let takes: Vec<Take> = (0..model.clips.len()).map(|i| Take::new(&rig, i, contract)).collect();
    let Some(surface) = Surface::of(&rig, &takes) else { return BTreeMap::new() };
    let seam = |clip: &usize| Some((*clip, Seam::of(takes.get(*clip)?, &surface)));
    clips.par_iter().filter_map(seam).collect()
}

fn of_clip(take: &Take, surface: Option<&Surface>) -> Vec<Finding> {
    let mut found = timing::findings(take);
    found.extend(still::findings(take, surface));
    if take.rig.model.source.has_own_keys() {
        found.extend(keys::findings(take));
    }
    found.extend(curves::findings(take, surface));
    found.extend(pops::findings(take, surface));
    if take.times.is_empty() {
        return found;
    }
    found.extend(motion::findings(take));
    if let Some(surface) = surface {
        found.extend(loops::findings(take, surface));
        found.extend(growth::findings(take, surface));
    }
    found
}

/// Returns the place of a finding's code in the manual; codes of the import come last, by name.
fn rank(finding: &Finding) -> (usize, &str) {
    let at = Code::ALL.iter().position(|code| code.as_str() == finding.code);
    (at.unwrap_or(usize::MAX), &finding.code)
}
