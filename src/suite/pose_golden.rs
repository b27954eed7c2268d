//! Compares a pose with an approved one, which is a line of `pose --json --vertices`.

use std::collections::HashMap;

use glam::{DQuat, DVec3};
use serde::Deserialize;

use super::results::PoseResult;
use crate::report::{NodePose, PoseReport, VertexSample};

/// Vertices of each primitive that a golden holds.
pub const SAMPLED_VERTICES: usize = 256;

/// The parts of a golden that are compared.
#[derive(Debug, Deserialize)]
struct Golden {
    nodes: Vec<GoldenNode>,
    #[serde(default)]
    vertices: Vec<VertexSample>,
}

#[derive(Debug, Deserialize)]
struct GoldenNode {
    index: usize,
    #[serde(default)]
    name: String,
    translation: [f32; 3],
    rotation: [f32; 4],
    scale: [f32; 3],
    world: Vec<Option<f32>>,
}

/// Compares a pose with the text of a golden. The distance is the largest of a sampled vertex or of a node's
/// origin. The node is the first of the hierarchy whose own transform differs most.
///
/// # Errors
/// In words, if the golden can't be read, or if nodes or vertices were added, removed or renamed, so that
/// the poses can't be compared.
pub fn compare_with_golden(golden: &[u8], pose: &PoseReport) -> Result<PoseResult, String> {
    let golden: Golden = serde_json::from_slice(golden)
        .map_err(|error| format!("the golden is not the output of `pose --json`: {error}"))?;
    let pairs = paired(&golden.nodes, &pose.nodes)?;
    let mut distance = vertex_distance(&golden, pose, &pairs)?;
    let mut worst = Difference::default();
    let mut node = None;
    for (before, after) in golden.nodes.iter().zip(&pairs) {
        let after = &pose.nodes[*after];
        distance = larger(distance, origin_distance(before, after));
        let difference = Difference::of(before, after);
        if difference.total() > worst.total() {
            (worst, node) = (difference, Some(after.name.clone()));
        }
    }
    Ok(PoseResult { distance, node, angle: worst.angle.to_degrees() })
}

/// Returns for each node of the golden the position of its partner: the node of the same name if both sides
/// have one such node, else that of the same index.
fn paired(golden: &[GoldenNode], pose: &[NodePose]) -> Result<Vec<usize>, String> {
    let before = unique(golden.iter().map(|node| node.name.as_str()));
    let after = unique(pose.iter().map(|node| node.name.as_str()));
    let mut pairs = Vec::with_capacity(golden.len());
    for node in golden {
        let by_name = after.get(node.name.as_str()).filter(|_| before.contains_key(&*node.name));
        let by_index = || {
            let partner = pose.get(node.index)?;
            (partner.name == node.name).then_some(node.index)
        };
        let Some(partner) = by_name.copied().or_else(by_index) else {
            return Err(format!("node \"{}\" of the golden is missing", node.name));
        };
        pairs.push(partner);
    }
    if pose.len() > golden.len() {
        let known: std::collections::HashSet<usize> = pairs.iter().copied().collect();
        let added = pose.iter().enumerate().find(|(index, _)| !known.contains(index));
        let name = added.map(|(_, node)| node.name.as_str()).unwrap_or_default();
        return Err(format!("node \"{name}\" is not in the golden"));
    }
    Ok(pairs)
}

/// Returns the position of each name that occurs once. Nodes without a name are left out.
fn unique<'a>(names: impl Iterator<Item = &'a str>) -> HashMap<&'a str, usize> {
    let mut places: HashMap<&str, Option<usize>> = HashMap::new();
    for (index, name) in names.enumerate().filter(|(_, name)| !name.is_empty()) {
        places.entry(name).and_modify(|place| *place = None).or_insert(Some(index));
    }
    places.into_iter().filter_map(|(name, place)| Some((name, place?))).collect()
}

/// Returns the largest distance of a sampled vertex.
fn vertex_distance(golden: &Golden, pose: &PoseReport, pairs: &[usize]) -> Result<f64, String> {
    let mut after: HashMap<(usize, usize), &VertexSample> =
        pose.vertices.iter().map(|sample| ((sample.node, sample.primitive), sample)).collect();
    let position = |node: usize| golden.nodes.iter().position(|n| n.index == node);
    let mut largest = 0.0;
    for before in &golden.vertices {
        let Some(place) = position(before.node) else {
            return Err(format!(
                "the golden has vertices of node {}, but no such node",
                before.node
            ));
        };
        let name = &golden.nodes[place].name;
        let key = (pose.nodes[pairs[place]].index, before.primitive);
        let Some(sample) = after.remove(&key) else {
            return Err(format!("primitive {} of node \"{name}\" is missing", before.primitive));
        };
        if sample.index != before.index || before.position.len() != before.index.len() {
            let count = |sample: &VertexSample| sample.index.last().map_or(0, |last| last + 1);
            return Err(format!(
                "primitive {} of node \"{name}\" has {} vertices, in the golden {}",
                before.primitive,
                count(sample),
                count(before)
            ));
        }
        for pair in before.position.iter().zip(&sample.position) {
            largest = larger(
                largest,
                match pair {
                    (Some(a), Some(b)) => wide(a).distance(wide(b)),
                    (None, None) => 0.0,
                    _ => f64::NAN,
                },
            );
        }
    }
    match after.keys().min() {
        None => Ok(largest),
        Some((node, primitive)) => {
            let name = pose.nodes.get(*node).map(|n| n.name.as_str()).unwrap_or_default();
            Err(format!("primitive {primitive} of node \"{name}\" is not in the golden"))
        }
    }
}

fn wide(at: &[f32; 3]) -> DVec3 {
    glam::Vec3::from(*at).as_dvec3()
}

/// Returns the larger number; NaN if either is.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

fn origin_distance(before: &GoldenNode, after: &NodePose) -> f64 {
    let before: Vec<f32> = before.world.iter().skip(12).take(3).map_while(|x| *x).collect();
    let after: Vec<f32> = after.world.iter().skip(12).take(3).copied().collect();
    match (<[f32; 3]>::try_from(before), <[f32; 3]>::try_from(after)) {
        (Ok(a), Ok(b)) => wide(&a).distance(wide(&b)),
        // Both have no finite place.
        (Err(_), Ok(b)) if b.iter().any(|x| !x.is_finite()) => 0.0,
        _ => f64::NAN,
    }
}

/// The difference of two transforms relative to the parent.
#[derive(Clone, Copy, Debug, Default)]
struct Difference {
    /// In radians.
    angle: f64,
    /// In metres.
    shift: f64,
    stretch: f64,
}

impl Difference {
    fn of(before: &GoldenNode, after: &NodePose) -> Self {
        let rotation = DQuat::from_array(after.rotation.unwrap_or_default().map(f64::from));
        let between = DQuat::from_array(before.rotation.map(f64::from)).conjugate() * rotation;
        let vector = |given: Option<[f32; 3]>| wide(&given.unwrap_or_default());
        Self {
            angle: 2.0 * between.xyz().length().atan2(between.w.abs()),
            shift: wide(&before.translation).distance(vector(after.translation)),
            stretch: wide(&before.scale).distance(vector(after.scale)),
        }
    }

    /// Returns one number to order by: a radian weighs as much as a metre. Rounding counts as nothing.
    fn total(self) -> f64 {
        let total = self.angle + self.shift + self.stretch;
        if total > 1e-6 { total } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{ImportOptions, load_bytes};
    use crate::model::Stage;
    use crate::report::{pose_report, sampled};

    const CREATURE: &[u8] = include_bytes!("../../assets/creature.glb");

    fn pose_at(time: f64, change: impl Fn(&mut Stage)) -> PoseReport {
        let model = load_bytes(CREATURE.to_vec(), &ImportOptions::default()).unwrap().model;
        let mut stage = Stage::new(&model, 0);
        stage.pose(&model, model.clips.first(), time);
        change(&mut stage);
        let mut pose = pose_report(&model, &stage);
        pose.vertices = sampled(&model, &stage, SAMPLED_VERTICES, |drawn, which| {
            stage.deformed_at(&model, drawn, which)
        });
        pose
    }

    fn golden(pose: &PoseReport) -> Vec<u8> {
        serde_json::to_vec(pose).unwrap()
    }

    #[test]
    fn a_pose_equals_its_golden_and_differs_from_another() {
        let before = pose_at(0.25, |_| ());
        let same = compare_with_golden(&golden(&before), &before).unwrap();
        assert_eq!((same.distance, same.node), (0.0, None));
        let later = compare_with_golden(&golden(&before), &pose_at(0.4, |_| ())).unwrap();
        assert!(later.distance > 0.01 && later.node.is_some() && later.angle > 1.0, "{later:?}");
    }

    #[test]
    fn nodes_are_paired_by_name_in_any_order() {
        let before = pose_at(0.25, |_| ());
        let mut turned = before.clone();
        let last = turned.nodes.len() - 1;
        turned.nodes.swap(0, last);
        for (index, node) in turned.nodes.iter_mut().enumerate() {
            node.index = index;
        }
        for sample in &mut turned.vertices {
            sample.node = match sample.node {
                0 => last,
                node if node == last => 0,
                node => node,
            };
        }
        let same = compare_with_golden(&golden(&before), &turned).unwrap();
        assert_eq!((same.distance, same.node), (0.0, None));
    }

    #[test]
    fn what_was_added_or_removed_is_named() {
        let pose = pose_at(0.0, |_| ());
        let mut renamed = pose.clone();
        renamed.nodes[2].name = "Else".into();
        let said = compare_with_golden(&golden(&pose), &renamed).unwrap_err();
        assert_eq!(said, format!("node \"{}\" of the golden is missing", pose.nodes[2].name));
        let mut longer = pose.clone();
        longer.nodes.push(NodePose {
            index: longer.nodes.len(),
            name: "New".into(),
            ..renamed.nodes[2].clone()
        });
        let said = compare_with_golden(&golden(&pose), &longer).unwrap_err();
        assert_eq!(said, "node \"New\" is not in the golden");
        let mut fewer = pose.clone();
        let drawn = fewer.vertices.pop().unwrap();
        let said = compare_with_golden(&golden(&pose), &fewer).unwrap_err();
        assert!(said.ends_with("is missing") && said.contains("primitive"), "{said}");
        let mut more = pose.clone();
        more.vertices[0].index.push(9999);
        let said = compare_with_golden(&golden(&pose), &more).unwrap_err();
        assert!(said.contains("has 10000 vertices"), "{said} {drawn:?}");
        assert!(compare_with_golden(b"{}", &pose).unwrap_err().contains("not the output"));
    }

    #[test]
    fn a_pose_that_is_not_finite_is_no_match() {
        let before = pose_at(0.0, |_| ());
        let mut broken = before.clone();
        broken.vertices[0].position[0] = None;
        let found = compare_with_golden(&golden(&before), &broken).unwrap();
        assert!(found.distance.is_nan(), "{found:?}");
    }
}
