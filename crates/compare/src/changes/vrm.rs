//! Differences of avatars: what VRM files say of humanoid, expressions, springs and rights.

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;

use crate::change::{Change, ChangeKind, Kind};
use crate::pairing::pairs::Models;
use crate::pairing::pairs::{Pairs, entry_name};
use rigview_model::{Expression, LookAt, Model, Override, RangeMap, Spring, Vrm};

/// Facts that a change lists, at most.
const LISTED: usize = 4;

/// What a file says of the parts of its avatar, in words that are the same for both models.
type Facts = BTreeMap<String, BTreeSet<String>>;

/// Lists the parts of the avatar that were added, removed or changed.
pub(crate) fn vrm_changes(models: Models) -> Vec<Change> {
    let of = |vrm: &Option<Vrm>, words: Words| vrm.as_ref().map(|vrm| words.facts(vrm));
    let of_a = of(&models.a.vrm, Words { model: models.a, to_a: None });
    let pairs = [&models.pairs.nodes, &models.pairs.materials];
    let of_b = of(&models.b.vrm, Words { model: models.b, to_a: Some((models.a, pairs)) });
    let change = |name: &str, change| Change {
        change,
        ..Change::changed(Kind::Vrm, name.to_owned(), String::new())
    };
    let (of_a, of_b) = match (of_a, of_b) {
        (None, None) => return Vec::new(),
        (Some(_), None) => return vec![change("avatar", ChangeKind::Removed)],
        (None, Some(_)) => return vec![change("avatar", ChangeKind::Added)],
        (Some(of_a), Some(of_b)) => (of_a, of_b),
    };
    let mut list = Vec::new();
    for (name, before) in &of_a {
        match of_b.get(name) {
            None => list.push(change(name, ChangeKind::Removed)),
            Some(after) if before != after => {
                let what = what(before, after);
                list.push(Change::changed(Kind::Vrm, name.clone(), what));
            }
            Some(_) => {}
        }
    }
    let added = of_b.keys().filter(|name| !of_a.contains_key(*name));
    list.extend(added.map(|name| change(name, ChangeKind::Added)));
    list
}

/// Describes what was lost and what is new.
fn what(before: &BTreeSet<String>, after: &BTreeSet<String>) -> String {
    let list = |word: &str, facts: Vec<&String>| {
        let first: Vec<&str> = facts.iter().take(LISTED).map(|fact| fact.as_str()).collect();
        let more = match facts.len().saturating_sub(LISTED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (!first.is_empty()).then(|| format!("{word} {}{more}", first.join(", ")))
    };
    let lost = list("without", before.difference(after).collect());
    let got = list("with", after.difference(before).collect());
    lost.into_iter().chain(got).collect::<Vec<_>>().join("; ")
}

/// Puts what a file says into words.
#[derive(Clone, Copy)]
struct Words<'a> {
    model: &'a Model,
    /// For B: the model A, and the pairs of nodes and materials, which have A's names.
    to_a: Option<(&'a Model, [&'a Pairs; 2])>,
}

impl Words<'_> {
    fn node(self, node: usize) -> String {
        let there = self.to_a.and_then(|(a, [nodes, _])| Some((a, nodes.a_of(node)?)));
        let (model, node) = there.unwrap_or((self.model, node));
        format!("\"{}\"", entry_name(&model.nodes[node].name, node))
    }

    fn material(self, material: usize) -> String {
        let there = self.to_a.and_then(|(a, [_, materials])| Some((a, materials.a_of(material)?)));
        let (model, material) = there.unwrap_or((self.model, material));
        format!("\"{}\"", entry_name(&model.materials[material].name, material))
    }

    fn facts(self, vrm: &Vrm) -> Facts {
        let mut facts = Facts::new();
        let mut say = |part: &str, fact: String| {
            facts.entry(part.to_owned()).or_default().insert(fact);
        };
        let meta = &vrm.meta;
        let title = meta.name.iter().map(|name| format!("title \"{name}\""));
        let authors = meta.authors.iter().map(|author| format!("author \"{author}\""));
        let licence = meta.licence.iter().map(|licence| format!("licence \"{licence}\""));
        let terms = meta.terms.iter().map(|(term, value)| format!("{term} {value}"));
        title.chain(authors).chain(licence).chain(terms).for_each(|fact| say("meta", fact));
        say("specVersion", vrm.version.clone());
        for (bone, node) in &vrm.bones {
            say("humanoid", format!("{bone} {}", self.node(*node)));
        }
        for of in &vrm.first_person {
            say("firstPerson", format!("{} {}", self.node(of.node), of.kind));
        }
        if let Some(eyes) = &vrm.look_at {
            say("lookAt", eyes.kind.clone());
            let LookAt { inner, outer, down, up, .. } = eyes;
            for (way, range) in [("inner", inner), ("outer", outer), ("down", down), ("up", up)] {
                let RangeMap { most_degrees, output } = range;
                say("lookAt", format!("{way} {output} at {most_degrees} degrees"));
            }
        }
        let gaze = vrm.gaze.map(|node| format!("node {}", self.node(node)));
        gaze.into_iter().for_each(|fact| say("lookAt", fact));
        vrm.mtoon.iter().for_each(|material| say("mtoon", self.material(*material)));
        for expression in &vrm.expressions {
            let name = format!("expression \"{}\"", expression.name);
            self.expression(expression).into_iter().for_each(|fact| say(&name, fact));
        }
        for spring in &vrm.springs {
            let Some(root) = spring.joints.first() else { continue };
            let name = format!("spring of {}", self.node(root.node));
            self.spring(vrm, spring).into_iter().for_each(|fact| say(&name, fact));
        }
        facts
    }

    fn expression(self, expression: &Expression) -> Vec<String> {
        let mut facts =
            vec![if expression.is_binary { "isBinary true" } else { "isBinary false" }.into()];
        let overrides = [
            ("overrideBlink", expression.override_blink),
            ("overrideLookAt", expression.override_look_at),
            ("overrideMouth", expression.override_mouth),
        ];
        let overrides = overrides.iter().filter(|(_, kind)| *kind != Override::None);
        facts.extend(overrides.map(|(name, kind)| format!("{name} {}", kind.name())));
        let shown_by = expression.node.map(|node| format!("node {}", self.node(node)));
        facts.extend(shown_by);
        facts.extend(expression.morphs.iter().map(|bind| {
            let node = self.node(bind.node);
            format!("morph target {} of {node} at {:.4}", bind.target, bind.weight)
        }));
        facts.extend(expression.colors.iter().map(|bind| {
            let material = self.material(bind.material);
            format!("{} of {material} as {:.4?}", bind.kind, bind.value)
        }));
        facts.extend(expression.texture_transforms.iter().map(|bind| {
            let material = self.material(bind.material);
            let [scale, offset] = [bind.scale, bind.offset].map(|by| {
                let axis = |by: Option<f32>| by.map_or("-".to_owned(), |by| format!("{by:.4}"));
                by.map(axis).join(", ")
            });
            format!("textures of {material} scaled by [{scale}], moved by [{offset}]")
        }));
        facts
    }

    fn spring(self, vrm: &Vrm, spring: &Spring) -> Vec<String> {
        let mut facts: Vec<String> = Vec::new();
        facts.extend(spring.center.map(|center| format!("center {}", self.node(center))));
        facts.extend(spring.joints.iter().map(|joint| {
            let numbers = [joint.hit_radius, joint.stiffness, joint.gravity_power, joint.drag_force];
            let gravity = if joint.gravity_power == 0.0 { Vec3::ZERO } else { joint.gravity_dir };
            let node = self.node(joint.node);
            format!(
                "joint {node} with hitRadius, stiffness, gravityPower, dragForce {numbers:.4?}, gravityDir {gravity:.4}"
            )
        }));
        let colliders = spring.colliders.iter().filter_map(|collider| vrm.colliders.get(*collider));
        facts.extend(colliders.map(|collider| {
            let ends =
                [Some(collider.offset), collider.tail].map(|end| end.unwrap_or(collider.offset));
            let node = self.node(collider.node);
            format!(
                "collider at {node} with radius {:.4} from {:.4} to {:.4}, {:?}",
                collider.radius, ends[0], ends[1], collider.side
            )
        }));
        facts
    }
}
