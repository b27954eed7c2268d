//! Nodes that no vertex shows: cameras, lights, nodes to attach things to, the joints that carry the motion of a rig's root,
//! and what is outside of the default scene.

use std::collections::HashMap;

use glam::{Affine3A, Vec3, Vec3A};
use rayon::prelude::*;

use crate::cause::Rigs;
use crate::change::{Change, Kind};
use crate::motion::spans::ClipPair;
use crate::pairing::clip_pairs::given_name;
use crate::side::{Posed, Side, origin_offset};
use rigview_anim::{Channel, Clip};
use rigview_model::{LightKind, Node};

/// Turns up to this angle in degrees are rounding: quantization of keys in a chain of joints.
const TURNED: f32 = 0.5;

/// Differences of a scale up to this share are rounding.
const SCALED: f32 = 1e-3;

/// Lists the nodes of A that no vertex shows and that are elsewhere in B, at rest or in a clip. Each is compared in the
/// scene and relative to the nearest node above it that moves vertices, because where that one moves is measured at the
/// vertices; the smaller of both differences counts.
///
/// Where neither model draws anything, places are measured at the origins of all nodes. Those do not show which way a chain's
/// last joint is turned, so it is listed here.
pub(crate) fn bare_node_changes(rigs: &Rigs, clips: &[ClipPair]) -> Vec<Change> {
    let watched = watched(rigs);
    if watched.is_empty() {
        return Vec::new();
    }
    let at_rest = Off::of_all(rigs, &watched, ClipPair { a: None, b: None });
    let shown = [rigs.a, rigs.b].map(shown_nodes);
    // By clip, the watched nodes that either clip moves.
    let in_clip = |clip: &ClipPair| {
        let [of_a, of_b] = moved_nodes(rigs, *clip, &shown);
        let differ = |i: &usize| {
            let Watched { a, b, .. } = watched[*i];
            at_rest[*i].what(rigs.size).is_some() || of_a[a] || of_b[b]
        };
        let places: Vec<usize> = (0..watched.len()).filter(differ).collect();
        let some: Vec<Watched> = places.iter().map(|i| watched[*i]).collect();
        let off = if some.is_empty() { Vec::new() } else { Off::of_all(rigs, &some, *clip) };
        places.into_iter().zip(off).collect::<Vec<(usize, Off)>>()
    };
    let in_clips: Vec<Vec<(usize, Off)>> = clips.par_iter().map(in_clip).collect();
    let mut worst: Vec<(Option<usize>, Off)> = at_rest.into_iter().map(|off| (None, off)).collect();
    for (clip, list) in in_clips.iter().enumerate() {
        for (i, off) in list {
            // Of equal differences, the first one.
            if off.weight(rigs.size) > 1.001 * worst[*i].1.weight(rigs.size) {
                worst[*i] = (Some(clip), *off);
            }
        }
    }
    let change = |(of, (clip, off)): (&Watched, (Option<usize>, Off))| {
        let what = off.what(rigs.size)?;
        let place = match clip.map(|clip| (clip, clips[clip].a.and_then(given_name))) {
            None => "at rest".to_owned(),
            Some((_, Some(name))) => format!("in clip \"{name}\" at {:.3} s", off.time_secs),
            Some((clip, None)) => format!("in clip {clip} at {:.3} s", off.time_secs),
        };
        let name = rigs.a.node_name(of.a);
        // No distance can be allowed for a turn or a scale.
        let is_moved_only = off.turned <= TURNED && off.scaled.abs() <= SCALED;
        let distance = is_moved_only.then_some(f64::from(off.moved));
        Some(Change { distance, ..Change::changed(Kind::Node, name, format!("{what} {place}")) })
    };
    watched.iter().zip(worst).filter_map(change).collect()
}

/// A node of both models that no vertex shows.
#[derive(Clone, Copy)]
struct Watched {
    a: usize,
    b: usize,
    /// The nearest nodes above that move vertices, or the parents of nodes outside of the scene.
    above: Option<[usize; 2]>,
    /// The nodes whose scale the node's own one is relative to.
    unit: Option<[usize; 2]>,
    /// What B is moved by before it is compared: for the highest joint of a skin, from its rest in B to that in A, because only
    /// its motion counts.
    a_from_b: Affine3A,
    /// Whether its place counts.
    moves: bool,
    /// Whether its direction counts, and whether its turn about it does.
    points: bool,
    rolls: bool,
    /// Which part of its scale counts.
    scales: Scales,
}

/// The part of a node's scale that counts.
#[derive(Clone, Copy, PartialEq)]
enum Scales {
    /// None: its vertices show it, or it is a camera or a light.
    Nothing,
    /// All, of a node to which something may be attached.
    All,
    /// That of a mesh outside of the scene, given the sizes of both boxes: quantized ones have another unit.
    Boxes([Vec3; 2]),
    /// The proportions of the axes. The places of the nodes below show the rest.
    Proportions,
}

/// Returns the nodes to compare.
fn watched(rigs: &Rigs) -> Vec<Watched> {
    let sides = [rigs.a, rigs.b];
    let shown = sides.map(shown_nodes);
    let inside = sides.map(|side| {
        let mut inside = vec![false; side.model.nodes.len()];
        side.stage.nodes.iter().for_each(|node| inside[*node] = true);
        inside
    });
    let is_parent = sides.map(|side| {
        let hierarchy = &side.model.hierarchy;
        let mut is_parent = vec![false; side.model.nodes.len()];
        (0..is_parent.len())
            .filter_map(|node| hierarchy.parent(node))
            .for_each(|parent| is_parent[parent] = true);
        is_parent
    });
    let draws = shown.iter().any(|shown| shown.contains(&true));
    let leads = [0, 1].map(|side| leading_joints(sides[side], &shown[side]));
    let offset = Vec3A::from(origin_offset(rigs.a, rigs.b));
    let hierarchy = &rigs.a.model.hierarchy;
    // By node, the nearest one above that moves vertices.
    let mover_above = hierarchy.nearest_above(|node| shown[0][node]);
    let one = |(a, b): (usize, usize)| {
        let node = &rigs.a.model.nodes[a];
        let in_scene = inside[0][a];
        let is_end = !is_parent[0][a] && !is_parent[1][b];
        let is_item = node.camera.is_some() || node.light.is_some();
        // glTF ignores the transform of a node with a skin.
        let is_skinned = |side: &Side, node: usize| {
            let node = &side.model.nodes[node];
            node.mesh.is_some() && node.skin.is_some()
        };
        let is_placed_by_joints = is_skinned(rigs.a, a) && is_skinned(rigs.b, b);
        let is_shown = shown[0][a] || shown[1][b] || is_placed_by_joints && !is_item;
        let leads = draws && leads[0][a] && leads[1][b];
        // Where nothing is drawn, the places of the nodes below a joint do not show all of its scale.
        let is_joint = !draws && !is_end && !is_item;
        let is_seen = is_shown || !is_end && !is_item && !leads && !is_joint;
        if in_scene != inside[1][b] || in_scene && is_seen {
            return None;
        }
        let pair = |above: usize| Some([above, rigs.nodes.b_of(above)?]);
        let parent = hierarchy.parent(a).and_then(pair);
        let above = if in_scene { mover_above[a].and_then(pair) } else { parent };
        let unit = above.or(parent.filter(|_| !draws));
        let mut a_from_b = Affine3A::IDENTITY;
        if in_scene && leads && !is_end && !is_item {
            let [of_a, mut of_b] = [(rigs.a, a), (rigs.b, b)]
                .map(|(side, node)| *side.stage.world.world_from_node(node));
            of_b.translation += offset;
            let between = of_b.inverse() * of_a;
            a_from_b = if between.is_finite() { between } else { a_from_b };
        }
        let [moves, points, rolls] = match light(rigs.a, node) {
            Some(LightKind::Directional) if in_scene => [false, true, false],
            Some(LightKind::Point) if in_scene => [true, false, false],
            Some(LightKind::Spot { .. }) if in_scene => [true, true, false],
            _ if in_scene && is_joint => [false; 3],
            _ => [draws || is_item || !in_scene, true, true],
        };
        let of_b = &rigs.b.model.nodes[b];
        let scales = match (node.mesh, of_b.mesh) {
            _ if is_item => Scales::Nothing,
            (None, None) if is_end => Scales::All,
            (None, None) if is_joint || !in_scene => Scales::Proportions,
            (Some(_), Some(_)) if !in_scene && !is_placed_by_joints => {
                Scales::Boxes([rigs.a.mesh_box(a).size(), rigs.b.mesh_box(b).size()])
            }
            _ => Scales::Nothing,
        };
        Some(Watched { a, b, above, unit, a_from_b, moves, points, rolls, scales })
    };
    rigs.nodes.iter().filter_map(one).collect()
}

/// Whether the lengths of the axes of two matrices have other proportions. Those that scale to nothing have none.
fn have_other_proportions(axes: &[[f32; 2]; 3]) -> bool {
    let most = [0, 1].map(|side| axes.iter().map(|axis| axis[side]).fold(0.0, f32::max));
    let shares = axes.iter().map(|[x, y]| (x / most[0], y / most[1]));
    most.iter().all(|most| *most > NOTHING)
        && shares.into_iter().any(|(x, y)| (x - y).abs() > SCALED * x.max(y))
}

/// Returns, for each node, whether it is a joint below no other one, with a node below it that moves vertices. Programs read the
/// motion of the root from it.
fn leading_joints(side: &Side, shown: &[bool]) -> Vec<bool> {
    let hierarchy = &side.model.hierarchy;
    let is_joint = side.model.skin_joints();
    let mut leads = vec![false; shown.len()];
    // For each node, the highest joint of itself and those above it.
    let mut highest: Vec<Option<usize>> = vec![None; shown.len()];
    for node in hierarchy.parents_first() {
        let above = hierarchy.parent(node).and_then(|parent| highest[parent]);
        highest[node] = above.or(is_joint[node].then_some(node));
        if let Some(highest) = highest[node].filter(|_| shown[node]) {
            leads[highest] = true;
        }
    }
    leads
}

fn light(side: &Side, node: &Node) -> Option<LightKind> {
    node.light.filter(|_| node.camera.is_none()).map(|light| side.model.lights[light].kind)
}

/// Returns, for each node, whether it moves vertices of the scene.
fn shown_nodes(side: &Side) -> Vec<bool> {
    let model = side.model;
    let mut shown = vec![false; model.nodes.len()];
    for node in side.drawing_nodes() {
        let Some(mesh) = model.nodes[node].mesh.map(|mesh| &model.meshes[mesh]) else { continue };
        for primitive in &mesh.primitives {
            let skin = model.nodes[node].skin.filter(|_| primitive.influences.is_some());
            let Some(skin) = skin.map(|skin| &model.skins[skin]) else {
                shown[node] = true;
                continue;
            };
            for joint in primitive.parts.iter().flat_map(|part| &part.joints) {
                shown[skin.joints[usize::from(*joint)] as usize] = true;
            }
        }
    }
    shown
}

impl Watched {
    /// Returns the difference of the node in the present poses.
    fn difference(&self, [a, b]: [&Posed; 2], offset: Vec3, size: f32) -> Off {
        let [x, y] = [a.world_from_node(self.a), b.world_from_node(self.b)];
        let in_scene = Affine3A { translation: y.translation + Vec3A::from(offset), ..y };
        let mut scaled = self.scaled(&x, &y);
        // In a rig of another unit, a node has its place in the scene, and its scale relative to the node above.
        let unit = self.unit.filter(|_| !matches!(self.scales, Scales::Boxes(_)));
        if let Some([above_a, above_b]) = unit {
            let [above_a, above_b] = [a.world_from_node(above_a), b.world_from_node(above_b)];
            let relative = self.scaled(&(above_a.inverse() * x), &(above_b.inverse() * y));
            scaled = if relative.abs() < scaled.abs() { relative } else { scaled };
        }
        let scene = Off { scaled, ..self.between(&x, &(in_scene * self.a_from_b), 1.0) };
        let Some([above_a, above_b]) = self.above else { return scene };
        let [above_a, above_b] = [a.world_from_node(above_a), b.world_from_node(above_b)];
        let metres = above_a.matrix3.determinant().abs().cbrt();
        let relative = self.between(&(above_a.inverse() * x), &(above_b.inverse() * y), metres);
        // Where the node above has no inverse, both are not a number.
        let off = if relative.elsewhere(size) < scene.elsewhere(size) { relative } else { scene };
        Off { scaled, ..off }
    }

    /// Returns by how much the axis whose length differs most is longer, as a share. Less than -1 is mirrored.
    fn scaled(&self, x: &Affine3A, y: &Affine3A) -> f32 {
        let is_mirrored = x.matrix3.determinant() * y.matrix3.determinant() < 0.0;
        let axes = [0, 1, 2].map(|axis| [x, y].map(|matrix| matrix.matrix3.col(axis).length()));
        let axes = match self.scales {
            Scales::Nothing => return 0.0,
            Scales::Proportions if !is_mirrored && !have_other_proportions(&axes) => return 0.0,
            Scales::Boxes([a, b]) => [0, 1, 2].map(|i| [axes[i][0] * a[i], axes[i][1] * b[i]]),
            Scales::All | Scales::Proportions => axes,
        };
        let sign = if is_mirrored { -1.0 } else { 1.0 };
        let share = |[x, y]: [f32; 2]| match [x, y].map(|length| length <= NOTHING) {
            [true, true] => 0.0,
            [true, false] => f32::INFINITY,
            [false, true] => -1.0,
            [false, false] if x == y => sign - 1.0,
            [false, false] => sign * y / x - 1.0,
        };
        let shares = axes.map(share);
        shares
            .into_iter()
            .fold(0.0, |most: f32, off| if off.abs() <= most.abs() { most } else { off })
    }

    fn between(&self, x: &Affine3A, y: &Affine3A, metres: f32) -> Off {
        let apart = (x.translation - y.translation).length() * metres;
        let axes = [(1, self.rolls), (2, self.points)].into_iter().filter(|(_, counts)| *counts);
        let angles = axes.map(|(axis, _)| {
            let [x, y] = [x, y].map(|matrix| matrix.matrix3.col(axis));
            if x.length().max(y.length()) <= NOTHING {
                return 0.0;
            }
            let [x, y] = [x, y].map(|column| column.normalize_or_zero());
            // Twice the half angle, which keeps its precision where it is small.
            (2.0 * (x - y).length().atan2((x + y).length())).to_degrees()
        });
        let turned = angles.fold(0.0, f32::max);
        Off { moved: if self.moves { apart } else { 0.0 }, turned, ..Off::default() }
    }
}

/// Returns the channels of a clip by the node that they drive, in the order of their paths.
fn channels_by_node(clip: Option<&Clip>) -> HashMap<usize, Vec<&Channel>> {
    let mut by_node: HashMap<usize, Vec<&Channel>> = HashMap::new();
    for channel in clip.map(Clip::channels).unwrap_or_default() {
        by_node.entry(channel.node()).or_default().push(channel);
    }
    by_node.values_mut().for_each(|list| list.sort_by_key(|channel| channel.path()));
    by_node
}

/// Returns, for each node of both models, whether the clips differ in its keys or in those of a node above it, up to the
/// nearest one that moves vertices.
fn moved_nodes(rigs: &Rigs, clips: ClipPair, shown: &[Vec<bool>; 2]) -> [Vec<bool>; 2] {
    let (of_a, of_b) = (channels_by_node(clips.a), channels_by_node(clips.b));
    let none = Vec::new();
    let differ = |a: usize, b: usize| {
        let [x, y] = [of_a.get(&a).unwrap_or(&none), of_b.get(&b).unwrap_or(&none)];
        x.len() != y.len() || !x.iter().zip(y).all(|(x, y)| have_same_keys(x, y))
    };
    let mut moved = [
        (0..shown[0].len())
            .map(|a| rigs.nodes.b_of(a).map_or(of_a.contains_key(&a), |b| differ(a, b)))
            .collect::<Vec<bool>>(),
        (0..shown[1].len())
            .map(|b| rigs.nodes.a_of(b).map_or(of_b.contains_key(&b), |a| differ(a, b)))
            .collect(),
    ];
    for ((moved, shown), side) in moved.iter_mut().zip(shown).zip([rigs.a, rigs.b]) {
        let hierarchy = &side.model.hierarchy;
        for node in hierarchy.parents_first() {
            let above = hierarchy.parent(node).filter(|parent| !shown[*parent]);
            moved[node] |= above.is_some_and(|parent| moved[parent]);
        }
    }
    moved
}

/// Whether two channels have the same keys of the same property.
fn have_same_keys(x: &Channel, y: &Channel) -> bool {
    use Channel::{Rotation, Scale, Translation, Weights};
    match (x, y) {
        (Translation { track: x, .. }, Translation { track: y, .. })
        | (Scale { track: x, .. }, Scale { track: y, .. }) => x == y,
        (Rotation { track: x, .. }, Rotation { track: y, .. }) => x == y,
        (Weights { .. }, Weights { .. }) => true,
        _ => false,
    }
}

/// Lengths of axes up to this one show nothing.
const NOTHING: f32 = 1e-6;

/// The difference of a node's place, turn and scale.
#[derive(Clone, Copy, Default)]
struct Off {
    /// In metres.
    moved: f32,
    /// In degrees.
    turned: f32,
    /// As a share of the scale.
    scaled: f32,
    time_secs: f64,
}

impl Off {
    /// Returns how far the node, or something of the model's size that is attached to it, is elsewhere, in metres. Turns and
    /// scales that are rounding do not count.
    fn weight(&self, size: f32) -> f32 {
        let scaled = if self.scaled.abs() > SCALED { self.scaled.abs() * size } else { 0.0 };
        let turned = if self.turned > TURNED { self.turned.to_radians() * size } else { 0.0 };
        self.moved.max(turned).max(scaled)
    }

    /// Returns how far place and turn are elsewhere, in metres.
    fn elsewhere(&self, size: f32) -> f32 {
        self.moved.max(self.turned.to_radians() * size)
    }

    /// Returns the largest difference of each node over all instants.
    fn of_all(rigs: &Rigs, watched: &[Watched], clips: ClipPair) -> Vec<Self> {
        let (mut a, mut b) = (rigs.a.posed(), rigs.b.posed());
        let offset = origin_offset(rigs.a, rigs.b);
        let mut worst = vec![Self::default(); watched.len()];
        let spans = clips.spans();
        let mut times: Vec<f64> = spans.iter().flat_map(|span| [span.start, span.end]).collect();
        times.dedup();
        for time_secs in times {
            a.pose_nodes(rigs.a, clips.a, time_secs);
            b.pose_nodes(rigs.b, clips.b, time_secs);
            for (of, worst) in watched.iter().zip(&mut worst) {
                let off = Self { time_secs, ..of.difference([&a, &b], offset, rigs.size) };
                if off.weight(rigs.size) > worst.weight(rigs.size) {
                    *worst = off;
                }
            }
        }
        worst
    }

    /// Describes the difference; `None` if it is rounding.
    fn what(&self, size: f32) -> Option<String> {
        let said = [
            (self.moved > unseen(size)).then(|| format!("{:.3} mm elsewhere", 1000.0 * self.moved)),
            (self.turned > TURNED).then(|| format!("turned by {:.1} degrees", self.turned)),
            (self.scaled.abs() > SCALED).then(|| match self.scaled {
                -1.0 => "scaled to nothing".to_owned(),
                f32::INFINITY => "no longer scaled to nothing".to_owned(),
                scaled => format!("scaled by {:.3}", 1.0 + scaled),
            }),
        ];
        let said: Vec<String> = said.into_iter().flatten().collect();
        (!said.is_empty()).then(|| said.join(" and "))
    }
}

/// Returns the largest distance in metres that is rounding where no distance is measured over time, given the size of the
/// model.
fn unseen(size: f32) -> f32 {
    (5e-5 * size).min(1e-4)
}
