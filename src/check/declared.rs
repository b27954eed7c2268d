//! The rule of what a contract declares: CONTRACT.

use std::collections::BTreeSet;

use super::rig::Rig;
use super::take::Take;
use super::{Code, Contract, Finding};

/// Rounding of durations, in seconds and relative.
const ROUNDING: f64 = 1e-6;

pub(super) fn findings(rig: &Rig, takes: &[Take], contract: &Contract) -> Vec<Finding> {
    let names: Vec<&str> = takes.iter().map(|take| take.clip.name().unwrap_or_default()).collect();
    let missing = contract.missing_clips(&names).into_iter().map(|clip| {
        let text = format!("the contract declares clip \"{clip}\"; the file has none of that name");
        Finding::new(Code::Contract, text).in_clip(Some(clip))
    });
    let mut found: Vec<Finding> = missing.collect();
    found.extend(takes.iter().filter_map(duration));
    let feet = takes.iter().flat_map(|take| &take.rules.feet);
    let declared: BTreeSet<&String> = contract.skeleton.required.iter().chain(feet).collect();
    found.extend(declared.into_iter().filter_map(|name| missing_joint(rig, name)));
    if let Some(profile) = contract.skeleton.profile {
        found.extend(profile.findings(rig));
    }
    found
}

fn duration(take: &Take) -> Option<Finding> {
    let [shortest, longest] = take.rules.duration?;
    let (lasts, rounding) = (take.end(), ROUNDING * take.end().max(1.0));
    if lasts >= shortest - rounding && lasts <= longest + rounding {
        return None;
    }
    let text = format!(
        "{} lasts {lasts:.3} s; the contract declares {shortest} to {longest} s",
        take.called()
    );
    let finding = Finding::new(Code::Contract, text).in_clip(take.name()).measured(lasts, "s");
    let limit = if lasts < shortest { shortest } else { longest };
    Some(finding.limited(limit).at(take.pointer()))
}

fn missing_joint(rig: &Rig, name: &str) -> Option<Finding> {
    if rig.joints.iter().any(|joint| rig.name(*joint) == Some(name)) {
        return None;
    }
    let text = match rig.named(name) {
        Some(node) => format!("the declared joint \"{name}\" is node {node}, which no skin uses"),
        None => format!("the declared joint \"{name}\" is missing"),
    };
    Some(Finding::new(Code::Contract, text).of(Some(name)))
}
