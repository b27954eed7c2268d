//! Rules of names: NAME_MISSING, NAME_TWICE.

use std::collections::{BTreeMap, BTreeSet};

use super::mesh::mesh_called;
use super::rig::Rig;
use super::{Code, Finding};
use rigview_model::short_name;

pub(super) fn findings(rig: &Rig) -> Vec<Finding> {
    let mut found = unnamed_joints(rig);
    let clips = &rig.model.clips;
    let name = |clip: usize| clips[clip].name().filter(|name| !name.is_empty());
    for clip in (0..clips.len()).filter(|clip| name(*clip).is_none()) {
        let text = format!("clip {clip} has no name");
        found.push(Finding::new(Code::NameMissing, text).at(format!("/animations/{clip}")));
    }
    let mut reported = BTreeSet::new();
    for skin in &rig.model.skins {
        let joints: BTreeSet<usize> = skin.joints.iter().map(|joint| *joint as usize).collect();
        for (name, nodes) in shared_names(joints.iter().map(|j| (*j, rig.name(*j)))) {
            // Several skins may have the same joints.
            if reported.insert(nodes.clone()) {
                let text = format!("{} joints are named \"{}\"", nodes.len(), short_name(name));
                let finding = twice(text, name, nodes.len());
                found.push(finding.at(format!("/nodes/{}", nodes[1])));
            }
        }
    }
    for (index, mesh) in rig.model.meshes.iter().enumerate() {
        let (called, names) = (mesh_called(rig, index), &mesh.target_names);
        let some = names.iter().map(|name| Some(name.as_str()).filter(|name| !name.is_empty()));
        for (name, same) in shared_names(some.enumerate()) {
            let short = short_name(name);
            let text = format!("{} morph targets of {called} are named \"{short}\"", same.len());
            found.push(twice(text, name, same.len()).at(format!("/meshes/{index}")));
        }
        let (named, all) =
            (names.iter().filter(|name| !name.is_empty()).count(), mesh.target_count());
        if named > 0 && named < all {
            let text =
                format!("{} of the {all} morph targets of {called} have no name", all - named);
            let finding = Finding::new(Code::NameMissing, text).of(mesh.name.as_deref());
            let finding = finding.measured((all - named) as f64, "morph targets");
            found.push(finding.at(format!("/meshes/{index}")));
        }
    }
    for (name, same) in shared_names((0..clips.len()).map(|clip| (clip, name(clip)))) {
        let text = format!("{} clips are named \"{}\"", same.len(), short_name(name));
        let finding = twice(text, name, same.len()).in_clip(Some(name));
        found.push(finding.at(format!("/animations/{}", same[1])));
    }
    found
}

/// Returns a finding per joint without a name, but a single one for a skin that has no names at all.
fn unnamed_joints(rig: &Rig) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut open: BTreeSet<usize> =
        rig.joints.iter().copied().filter(|joint| rig.name(*joint).is_none()).collect();
    for (index, skin) in rig.model.skins.iter().enumerate() {
        let joints = skin.joints.iter().map(|joint| *joint as usize);
        if skin.joints.len() < 2 || joints.clone().any(|joint| rig.name(joint).is_some()) {
            continue;
        }
        // Several skins may have the same joints.
        let new = joints.filter(|joint| open.remove(joint)).count();
        if new > 0 {
            let text =
                format!("none of the {} joints of skin {index} has a name", skin.joints.len());
            let finding = Finding::new(Code::NameMissing, text).measured(new as f64, "joints");
            found.push(finding.at(format!("/skins/{index}")));
        }
    }
    found.extend(open.into_iter().map(|joint| {
        let text = format!("joint {joint} has no name");
        Finding::new(Code::NameMissing, text).at(format!("/nodes/{joint}"))
    }));
    found
}

fn twice(text: String, name: &str, count: usize) -> Finding {
    let finding = Finding::new(Code::NameTwice, text).of(Some(name));
    finding.measured(count as f64, "names").limited(1.0)
}

/// Returns each name that several things have, with their indices.
fn shared_names<'a>(
    things: impl Iterator<Item = (usize, Option<&'a str>)>,
) -> BTreeMap<&'a str, Vec<usize>> {
    let mut of_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, name) in things {
        if let Some(name) = name {
            of_name.entry(name).or_default().push(index);
        }
    }
    of_name.retain(|_, same| same.len() > 1);
    of_name
}
