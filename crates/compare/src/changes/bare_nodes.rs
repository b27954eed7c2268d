//! Nodes that no vertex shows: cameras, lights, nodes to attach things to, the joints that carry the motion of a rig's root,
//! and what is outside of the default scene.

use std::collections::HashSet;

use glam::{Affine3A, Quat, Vec3, Vec3A};
use rayon::prelude::*;

use crate::cause::{Rigs, turn};
use crate::change::{Change, Kind};
use crate::motion::spans::ClipPair;
use crate::pairing::clip_pairs::given_name;
use crate::side::{Side, origin_offset};
use rigview_model::LightKind;

/// Turns up to this angle in degrees are rounding: quantization of keys in a chain of joints.
const TURNED: f32 = 0.5;

/// Differences of a scale up to this share are rounding.
const SCALED: f32 = 1e-3;

/// Lengths of axes up to this one show nothing.
const NOTHING: f32 = 1e-6;

/// Lists the nodes of A that no vertex shows and that are elsewhere in B, at rest or in a clip. Each is compared in the
/// scene and relative to the nearest node above it that moves vertices, because where that one moves is measured at the
/// vertices; the smaller of both differences counts. Clips that move both models
/// alike are `None`.
pub(crate) fn bare_node_changes(rigs: &Rigs, clips: &[Option<ClipPair>]) -> Vec<Change> {
    let watched = watched(rigs);
    if watched.is_empty() {
        return Vec::new();
    }
    let rest = ClipPair { a: None, b: None };
    let mut all = vec![Some(rest)];
    all.extend(clips);
    let off = all.par_iter().map(|clips| match clips {
        Some(clips) => Off::of_all(rigs, &watched, *clips),
        None => vec![Off::default(); watched.len()],
    });
    let off: Vec<Vec<Off>> = off.collect();
    let change = |(i, of): (usize, &Watched)| {
        let worst = |x: &(usize, Off), y: &(usize, Off)| {
            x.1.weight(rigs.size).total_cmp(&y.1.weight(rigs.size)).then(y.0.cmp(&x.0))
        };
        let at_rest = off[0][i];
        let (clip, worst) = off.iter().map(|list| list[i]).enumerate().max_by(worst)?;
        let in_clip = worst.weight(rigs.size) > 1.001 * at_rest.weight(rigs.size);
        let (clip, off) = if in_clip { (clip, worst) } else { (0, at_rest) };
        let what = off.what(rigs.size)?;
        let place = match (clip, all[clip].and_then(|clips| clips.a).and_then(given_name)) {
            (0, _) => "at rest".to_owned(),
            (_, Some(name)) => format!("in clip \"{name}\" at {:.3} s", off.time_secs),
            (clip, None) => format!("in clip {} at {:.3} s", clip - 1, off.time_secs),
        };
        // No distance can be allowed for a turn or a scale.
        let is_moved_only = off.turned <= TURNED && off.scaled.abs() <= SCALED;
        let distance = is_moved_only.then_some(f64::from(off.moved));
        let name = rigs.a.node_name(of.nodes[0]);
        Some(Change { distance, ..Change::changed(Kind::Node, name, format!("{what} {place}")) })
    };
    watched.iter().enumerate().filter_map(change).collect()
}

/// The purpose of a node that draws nothing in the scene: it decides which parts of the transform are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// A light by its kind: its place, its direction or both count.
    Point,
    Sun,
    Spot,
    /// A camera, whose scale shows nothing.
    Camera,
    /// A node to which something may be attached.
    Socket,
    /// The highest joint of a skin that moves no vertex: only its motion since the rest counts.
    Lead,
    /// A joint with others below, where nothing is drawn: their origins are measured, and show all but its proportions.
    Joint,
    /// A node outside of the scene, relative to its parent.
    Outside,
}

/// A node of both models that no vertex shows.
struct Watched {
    nodes: [usize; 2],
    role: Role,
    /// The nearest nodes above that move vertices, or the parents of nodes outside of the scene.
    above: Option<[usize; 2]>,
    /// Whether its place is measured, because nothing is drawn.
    is_measured: bool,
    /// What B is moved by before it is compared: for a lead, from its rest in B to that in A.
    a_from_b: Affine3A,
}

/// Returns the nodes to compare.
fn watched(rigs: &Rigs) -> Vec<Watched> {
    let sides = [rigs.a, rigs.b];
    let shown = sides.map(shown_nodes);
    let inside = sides.map(|side| side.stage.nodes.iter().copied().collect::<HashSet<usize>>());
    let parents = sides.map(|side| {
        let hierarchy = &side.model.hierarchy;
        (0..hierarchy.len()).filter_map(|node| hierarchy.parent(node)).collect::<HashSet<usize>>()
    });
    let draws = shown.iter().any(|shown| shown.contains(&true));
    let leads = [0, 1].map(|side| leading_joints(sides[side], &shown[side]));
    let offset = Vec3A::from(origin_offset(rigs.a, rigs.b));
    let hierarchy = &rigs.a.model.hierarchy;
    let mover_above = hierarchy.nearest_above(|node| shown[0][node]);
    let one = |(a, b): (usize, usize)| {
        let nodes = [a, b];
        let both = [0, 1].map(|side: usize| &sides[side].model.nodes[nodes[side]]);
        let is_end = !parents[0].contains(&a) && !parents[1].contains(&b);
        // glTF ignores the transform of a node with a skin.
        let is_skinned = both.iter().all(|node| node.mesh.is_some() && node.skin.is_some());
        let light = both[0].light.filter(|_| both[0].camera.is_none());
        let role = if inside[0].contains(&a) != inside[1].contains(&b) {
            return None;
        } else if let Some(light) = light {
            match rigs.a.model.lights[light].kind {
                LightKind::Directional => Role::Sun,
                LightKind::Point => Role::Point,
                LightKind::Spot { .. } => Role::Spot,
            }
        } else if both[0].camera.is_some() {
            Role::Camera
        } else if is_skinned {
            return None;
        } else if !inside[0].contains(&a) {
            Role::Outside
        } else if shown[0][a] || shown[1][b] {
            return None;
        } else if is_end {
            Role::Socket
        } else if draws && leads[0][a] && leads[1][b] {
            Role::Lead
        } else if !draws {
            Role::Joint
        } else {
            return None;
        };
        let pair = |above: usize| Some([above, rigs.nodes.b_of(above)?]);
        let parent = hierarchy.parent(a).and_then(pair);
        let in_scene = inside[0].contains(&a);
        let above = if in_scene && draws { mover_above[a].and_then(pair) } else { parent };
        let mut a_from_b = Affine3A::IDENTITY;
        if role == Role::Lead {
            let [of_a, mut of_b] =
                [0, 1].map(|side: usize| sides[side].rest.world_from_node(nodes[side]));
            of_b.translation += offset;
            let between = of_b.inverse() * of_a;
            a_from_b = if between.is_finite() { between } else { a_from_b };
        }
        let is_item = matches!(role, Role::Point | Role::Sun | Role::Spot | Role::Camera);
        let is_measured = role == Role::Sun || !draws && in_scene && !is_item;
        Some(Watched { nodes, role, above, is_measured, a_from_b })
    };
    rigs.nodes.iter().filter_map(one).collect()
}

/// Returns, for each node, whether it is a joint below no other one, with a node below it that moves vertices. Programs read the
/// motion of the root from it.
fn leading_joints(side: &Side, shown: &[bool]) -> Vec<bool> {
    let hierarchy = &side.model.hierarchy;
    let is_joint = side.model.skin_joints();
    let moves = hierarchy.with_ancestors(shown.to_vec());
    let joint_above = hierarchy.nearest_above(|node| is_joint[node]);
    (0..shown.len())
        .map(|node| is_joint[node] && joint_above[node].is_none() && moves[node])
        .collect()
}

/// Returns, for each node, whether it moves vertices of the scene.
fn shown_nodes(side: &Side) -> Vec<bool> {
    let mut shown = vec![false; side.model.nodes.len()];
    for point in 0..side.motion.len() {
        side.motion.for_each_mover(side.model, point, |node, _| shown[node] = true);
    }
    shown
}

/// The difference of a node's place, turn and scale.
#[derive(Clone, Copy, Default)]
struct Off {
    /// In metres.
    moved: f32,
    /// In degrees.
    turned: f32,
    /// By how much the axis whose length differs most is longer, as a share. Less than -1 is mirrored.
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

    /// Returns the largest difference of each node over all instants.
    fn of_all(rigs: &Rigs, watched: &[Watched], clips: ClipPair) -> Vec<Self> {
        let (mut a, mut b) = (rigs.a.posed(), rigs.b.posed());
        let offset = Vec3A::from(origin_offset(rigs.a, rigs.b));
        let mut worst = vec![Self::default(); watched.len()];
        let spans = clips.spans();
        let mut times: Vec<f64> = spans.iter().flat_map(|span| [span.start, span.end]).collect();
        times.dedup();
        for time_secs in times {
            a.pose_nodes(rigs.a, clips.a, time_secs);
            b.pose_nodes(rigs.b, clips.b, time_secs);
            let worlds =
                |nodes: [usize; 2]| [a.world_from_node(nodes[0]), b.world_from_node(nodes[1])];
            for (of, worst) in watched.iter().zip(&mut worst) {
                let off = of.difference(worlds(of.nodes), of.above.map(worlds), offset, rigs.size);
                if off.weight(rigs.size) > worst.weight(rigs.size) {
                    *worst = Self { time_secs, ..off };
                }
            }
        }
        worst
    }

    /// Describes the difference; `None` if it is rounding.
    fn what(&self, size: f32) -> Option<String> {
        // Where no distance is measured over time, less is rounding.
        let unseen = (5e-5 * size).min(1e-4);
        let said = [
            (self.moved > unseen).then(|| format!("{:.3} mm elsewhere", 1000.0 * self.moved)),
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

impl Watched {
    /// Returns the difference of the node's matrices, given those of the nodes above.
    fn difference(
        &self,
        [x, y]: [Affine3A; 2],
        above: Option<[Affine3A; 2]>,
        offset: Vec3A,
        size: f32,
    ) -> Off {
        let mut in_scene = y;
        in_scene.translation += offset;
        let scene = self.between(x, in_scene * self.a_from_b, 1.0);
        let Some([above_a, above_b]) = above else { return scene };
        let metres = above_a.matrix3.determinant().abs().cbrt();
        let relative = self.between(above_a.inverse() * x, above_b.inverse() * y, metres);
        // Where the node above has no inverse, both are not a number. In a rig of another unit, a node has its place in the scene,
        // and its scale relative to the node above.
        let elsewhere = |off: &Off| off.moved.max(off.turned.to_radians() * size);
        // Where nothing is drawn, no vertex shows a node above that turns about itself.
        let is_shown = !self.is_measured || self.role == Role::Sun;
        let is_less = is_shown && elsewhere(&relative) < elsewhere(&scene);
        let off = if is_less { relative } else { scene };
        let scaled =
            if relative.scaled.abs() < scene.scaled.abs() { relative.scaled } else { scene.scaled };
        Off { scaled, ..off }
    }

    /// Returns the difference of two matrices whose unit is `metres` metres.
    fn between(&self, x: Affine3A, y: Affine3A, metres: f32) -> Off {
        let moved = (x.translation - y.translation).length() * metres;
        let turned = match self.role {
            // Lights shine along -Z.
            Role::Sun | Role::Spot => between(x.matrix3.z_axis, y.matrix3.z_axis),
            Role::Point => 0.0,
            _ => turned(&x, &y),
        };
        let turned = if self.role == Role::Joint { 0.0 } else { turned };
        let number = |x: f32| if x.is_finite() { x } else { 0.0 };
        let moved = if self.is_measured { 0.0 } else { number(moved) };
        Off { moved, turned: number(turned), scaled: self.scaled(&x, &y), time_secs: 0.0 }
    }

    /// Returns by how much the axis whose length differs most is longer.
    fn scaled(&self, x: &Affine3A, y: &Affine3A) -> f32 {
        if !matches!(self.role, Role::Socket | Role::Joint | Role::Outside) {
            return 0.0;
        }
        let is_mirrored = x.matrix3.determinant() * y.matrix3.determinant() < 0.0;
        let axes = [0, 1, 2].map(|axis| [x, y].map(|matrix| matrix.matrix3.col(axis).length()));
        if self.role != Role::Socket && !is_mirrored && !have_other_proportions(&axes) {
            return 0.0;
        }
        let sign = if is_mirrored { -1.0 } else { 1.0 };
        let shares = axes.map(|[x, y]| match (x > NOTHING, y > NOTHING) {
            (true, true) if x == y => sign - 1.0,
            (true, true) => sign * y / x - 1.0,
            (true, false) => -1.0,
            (false, true) => f32::INFINITY,
            (false, false) => 0.0,
        });
        shares
            .into_iter()
            .fold(0.0, |most: f32, off| if off.abs() > most.abs() { off } else { most })
    }
}

/// Whether the lengths of the axes of two matrices have other proportions. Those that scale to nothing have none.
fn have_other_proportions(axes: &[[f32; 2]; 3]) -> bool {
    let most = [0, 1].map(|side| axes.iter().map(|axis| axis[side]).fold(0.0, f32::max));
    let shares = axes.iter().map(|[x, y]| (x / most[0], y / most[1]));
    most.iter().all(|most| *most > NOTHING)
        && shares.into_iter().any(|(x, y)| (x - y).abs() > SCALED * x.max(y))
}

/// Returns the angle between two directions in degrees.
fn between(x: Vec3A, y: Vec3A) -> f32 {
    Vec3::from(x).angle_between(y.into()).to_degrees()
}

/// Returns the angle between the rotations of two matrices in degrees.
fn turned(x: &Affine3A, y: &Affine3A) -> f32 {
    // What is scaled to nothing has no direction.
    let is_flat = |m: &Affine3A| (0..3).any(|axis| m.matrix3.col(axis).length() <= NOTHING);
    if is_flat(x) || is_flat(y) {
        return 0.0;
    }
    let rotation = |matrix: &Affine3A| {
        let (_, rotation, _) = matrix.to_scale_rotation_translation();
        if rotation.is_finite() { rotation } else { Quat::IDENTITY }
    };
    turn(rotation(x), rotation(y)).to_degrees()
}
