//! Names of joints and clips.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::Value;

use super::change::{Change, Changes, Context};
use super::document::Document;
use rigview_model::Model;
use rigview_rig::Humanoid;
use rigview_rig::SkeletonCopies;

/// What has a name.
#[derive(Clone, Copy, PartialEq)]
enum Named {
    Joint,
    Clip,
}

impl Named {
    const BOTH: [Self; 2] = [Self::Joint, Self::Clip];

    /// The list of the document.
    fn list(self) -> &'static str {
        match self {
            Self::Joint => "nodes",
            Self::Clip => "animations",
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Joint => "Joint",
            Self::Clip => "Clip",
        }
    }
}

/// Renames the joints of a humanoid by a convention.
pub fn rename(document: &mut Document, context: &Context) -> Changes {
    let mut changes = Changes::default();
    let Some(names) = context.options.names else { return changes };
    let humanoid = Humanoid::find(context.model);
    let mut wanted = names.names_for(&humanoid);
    let copies = SkeletonCopies::find(context.model);
    let of_copies = wanted.iter().flat_map(|(node, name)| {
        copies.copies_of(*node).iter().map(move |copy| (*copy, name.clone()))
    });
    let of_copies: Vec<_> = of_copies.collect();
    wanted.extend(of_copies);
    wanted.sort_by_key(|(node, _)| *node);
    if wanted.is_empty() {
        let reason = "no joint has a name of a known convention, so their roles are not known";
        changes.leave(Change::default(), reason);
        return changes;
    }
    if !humanoid.is_body() {
        let reason = "its known names are not those of a humanoid: hips, a head or spine, and an arm and a leg on both \
                      sides are needed";
        changes.leave(Change::default(), reason);
        return changes;
    }
    let of_skins = of_skins(context.model);
    let old = |node: usize| name_of(document, Named::Joint, node).map(str::to_owned);
    let mut renamed: BTreeMap<usize, String> = BTreeMap::new();
    for (node, name) in wanted {
        match name {
            _ if !of_skins[node] => {
                let reason = "it is no joint of a skin, and none is below it";
                changes.leave(joint(node, old(node)), reason);
            }
            Some(name) => drop(renamed.insert(node, name)),
            None => {
                let reason = format!("the convention {} has no name for it", names.name);
                changes.leave(joint(node, old(node)), reason);
            }
        }
    }
    for (node, bone) in humanoid.joints_without_role(context.model) {
        let reason = format!(
            "it is where {bone} is missing, but no convention names that so; rename it by hand"
        );
        changes.leave(joint(node, old(node)), reason);
    }
    // A joint that keeps its name may take that of another one.
    loop {
        let nodes = 0..document.list("nodes").len();
        let kept: HashSet<String> =
            nodes.filter(|node| !renamed.contains_key(node)).filter_map(old).collect();
        let Some(node) = renamed.iter().find(|(_, name)| kept.contains(*name)).map(|(n, _)| *n)
        else {
            break;
        };
        let name = renamed.remove(&node).unwrap_or_default();
        changes.leave(joint(node, old(node)), format!("another node is named \"{name}\""));
    }
    for (node, name) in renamed {
        if name_of(document, Named::Joint, node) != Some(name.as_str()) {
            set_name(document, Named::Joint, node, name, &mut changes);
        }
    }
    changes
}

/// Returns which nodes are joints of a skin or above one. Without a skin, as in files of motion, all nodes count.
fn of_skins(model: &Model) -> Vec<bool> {
    if model.skins.is_empty() {
        return vec![true; model.nodes.len()];
    }
    model.hierarchy.with_ancestors(model.skin_joints())
}

/// Returns the place of a joint.
fn joint(node: usize, name: Option<String>) -> Change {
    Change { pointer: format!("/nodes/{node}"), object: name, ..Change::default() }
}

/// Names joints and clips without a name by their index.
pub fn name_the_unnamed(document: &mut Document, context: &Context) -> Changes {
    let mut changes = Changes::default();
    for named in Named::BOTH {
        let mut taken = Taken::of(document, named);
        for item in items(document, context, named) {
            if name_of(document, named, item).is_none_or(str::is_empty) {
                let stem = format!("{}_{item}", named.word());
                let name = taken.unused(&stem, &format!("{stem}_"));
                set_name(document, named, item, name, &mut changes);
            }
        }
    }
    changes
}

/// Numbers the second and further joints of a skin, or clips, that have a name of which there is a finding.
pub fn number_the_shared(document: &mut Document, context: &Context) -> Changes {
    let mut changes = Changes::default();
    for named in Named::BOTH {
        let mut taken = Taken::of(document, named);
        let prefix = format!("/{}/", named.list());
        let found: BTreeSet<usize> = context
            .findings
            .iter()
            .filter_map(|it| it.pointer.as_deref()?.strip_prefix(&prefix)?.parse().ok())
            .collect();
        for group in groups(document, context, named) {
            let names = found.intersection(&group).filter_map(|it| name_of(document, named, *it));
            let names: BTreeSet<String> = names.map(str::to_owned).collect();
            for name in names {
                let is_shared = |item: &usize| name_of(document, named, *item) == Some(&name);
                let shared: Vec<usize> = group.iter().copied().filter(is_shared).collect();
                for item in shared.into_iter().skip(1) {
                    let new = taken.unused(&format!("{name}_2"), &format!("{name}_"));
                    set_name(document, named, item, new, &mut changes);
                }
            }
        }
    }
    changes
}

/// Returns the things among which a name must be unique: the joints of each skin, or all clips.
fn groups(document: &Document, context: &Context, named: Named) -> Vec<BTreeSet<usize>> {
    let skins = context.model.skins.iter().map(|skin| &skin.joints);
    match named {
        Named::Clip => vec![items(document, context, named)],
        Named::Joint => {
            skins.map(|joints| joints.iter().map(|joint| *joint as usize).collect()).collect()
        }
    }
}

/// Returns the joints of the file's skins, or all clips.
fn items(document: &Document, context: &Context, named: Named) -> BTreeSet<usize> {
    match named {
        Named::Clip => (0..document.list("animations").len()).collect(),
        Named::Joint => {
            let joints = context.model.skins.iter().flat_map(|skin| &skin.joints);
            joints.map(|joint| *joint as usize).collect()
        }
    }
}

fn name_of(document: &Document, named: Named, item: usize) -> Option<&str> {
    document.list(named.list()).get(item)?.get("name").and_then(Value::as_str)
}

/// The names that joints or clips had or have now.
struct Taken {
    names: HashSet<String>,
    /// For each stem, the number from which the search for a free name goes on.
    next: HashMap<String, usize>,
}

impl Taken {
    fn of(document: &Document, named: Named) -> Self {
        let list = document.list(named.list()).iter();
        let names = list.filter_map(|item| item.get("name")?.as_str()).map(str::to_owned);
        Self { names: names.collect(), next: HashMap::new() }
    }

    /// Takes a name if nothing has it, else the first free one of a stem with a number.
    fn unused(&mut self, name: &str, stem: &str) -> String {
        let mut free = name.to_owned();
        while !self.names.insert(free.clone()) {
            let number = self.next.entry(stem.to_owned()).or_insert(3);
            free = format!("{stem}{number}");
            *number += 1;
        }
        free
    }
}

fn set_name(
    document: &mut Document,
    named: Named,
    item: usize,
    name: String,
    changes: &mut Changes,
) {
    let Some(place) = document.item_mut(named.list(), item) else { return };
    place.insert("name".into(), name.clone().into());
    let pointer = format!("/{}/{item}", named.list());
    let (object, clip) = match named {
        Named::Joint => (Some(name), None),
        Named::Clip => (None, Some(name)),
    };
    changes.made.push(Change { pointer, object, clip, count: 1 });
}
