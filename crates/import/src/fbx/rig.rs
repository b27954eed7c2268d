//! Nodes: how FBX's inheritance of scale becomes products of matrices.
//!
//! An FBX node may ignore its parent's scale (Maya's segment scale compensation) or multiply it into
//! its own. With `W` the parent's world matrix and `I` the scale that the parent hands down, ufbx defines
//! the node's world matrix as
//!
//! ```text
//! W * T(translation) * diag(1 / I) * R(rotation) * S(scale * scale handed down to the node)
//! ```
//!
//! If `I` is uniform, `1 / I` is multiplied into the node's scale. Otherwise a helper node above it has the
//! translation and `1 / I`. The product is exact, wherever scales are animated.

use std::cell::Cell;

use glam::{DQuat, DVec3};
use serde_json::{Value, json};
use ufbx::{Anim, InheritMode, Node, Scene, Transform};

use super::properties;
use super::visibility::is_shown;
use crate::draft::Draft;
use crate::fault::ImportError;

/// The smallest scale that can be divided out again below a node. A node of scale 0 hides what it carries,
/// except nodes that ignore its scale.
const SMALLEST: f64 = 1e-5;

/// Scales that are evaluated at most to find out whether helpers are needed. Nodes beyond it get one.
const SCALES: usize = 1 << 23;

/// Differences of scales from uniformity or from 1 up to this are rounding.
const ROUNDING: f64 = 1e-9;

/// A node's transform relative to its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Local {
    pub translation: DVec3,
    pub rotation: DQuat,
    pub scale: DVec3,
}

impl Local {
    pub fn new(at: &Transform) -> Self {
        let rotation = DQuat::from_xyzw(at.rotation.x, at.rotation.y, at.rotation.z, at.rotation.w);
        let length = rotation.length();
        Self {
            translation: vector(at.translation),
            // Angles that are not numbers turn nothing.
            rotation: if length.is_finite() && length > 0.0 {
                rotation / length
            } else {
                DQuat::IDENTITY
            },
            scale: vector(at.scale),
        }
    }
}

/// How one FBX node is expressed.
#[derive(Clone, Debug, Default)]
struct Expressed {
    /// Whether the node's scale is not simply that of its parent's matrix.
    is_special: bool,
    /// Whether a child divides by the scale that this node hands down.
    is_divided_by: bool,
    /// The helper above the node: its index in the document.
    helper: Option<usize>,
}

/// The nodes of a scene. The FBX node of typed ID `n` is node `n - 1` of the document, since the scene's
/// root, of ID 0, is none; helpers follow.
#[derive(Debug)]
pub(super) struct Rig {
    nodes: Vec<Expressed>,
}

/// A node of the document that takes its transform from an FBX node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Output {
    /// Index in the document.
    pub index: usize,
    /// Typed ID of the FBX node.
    pub node: usize,
    /// Whether this is the helper above the node.
    pub is_helper: bool,
}

/// Evaluates the local transforms of FBX nodes: their properties, or a take at a time.
#[derive(Clone, Copy)]
pub(super) struct Instant<'a> {
    pub take: Option<(&'a Anim, f64)>,
    /// For each FBX node, what the take animates; empty for all of all. ufbx takes the curves of another node for a property
    /// that only other takes animate, if they are next in its list.
    pub animated: &'a [Animated],
}

/// What of a node's transform a take animates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Animated {
    pub translation: bool,
    pub rotation: bool,
    pub scale: bool,
}

impl Animated {
    const ALL: Self = Self { translation: true, rotation: true, scale: true };

    /// Returns the flags of ufbx to evaluate these parts alone, which takes a fraction of the time.
    fn flags(self) -> u32 {
        const EXPLICIT: u32 = 0x4;
        let Self { translation, rotation, scale } = self;
        let parts = [(translation, 0x10), (rotation, 0x20), (scale, 0x40)];
        parts.iter().filter(|(is_wanted, _)| *is_wanted).fold(EXPLICIT, |all, (_, flag)| all | flag)
    }
}

impl Instant<'_> {
    /// The pose of the nodes' own properties.
    pub const REST: Self = Self { take: None, animated: &[] };

    /// Whether a node has its parent's transform.
    pub fn is_identity(self, node: &Node) -> bool {
        let Local { translation, rotation, scale } = self.of(node);
        translation == DVec3::ZERO
            && rotation == DQuat::IDENTITY
            && (scale - DVec3::ONE).abs().max_element() <= ROUNDING
    }

    fn of(self, node: &Node) -> Local {
        let mut at = node.local_transform;
        if let Some((anim, time)) = self.take {
            let animated = self.animated_parts(node);
            let now = ufbx::evaluate_transform_flags(anim, node, time, animated.flags());
            if animated.translation {
                at.translation = now.translation;
            }
            if animated.rotation {
                at.rotation = now.rotation;
            }
            if animated.scale {
                at.scale = now.scale;
            }
        }
        Local::new(&at)
    }

    fn animated_parts(self, node: &Node) -> Animated {
        self.animated.get(node.element.typed_id as usize).copied().unwrap_or(Animated::ALL)
    }

    /// Returns the scale of [`Instant::of`] alone.
    fn scale_of(self, node: &Node) -> DVec3 {
        let scale = Animated { scale: self.animated_parts(node).scale, ..Animated::default() };
        vector(match self.take.filter(|_| scale.scale) {
            Some((anim, time)) => {
                ufbx::evaluate_transform_flags(anim, node, time, scale.flags()).scale
            }
            None => node.local_transform.scale,
        })
    }
}

fn vector(v: ufbx::Vec3) -> DVec3 {
    DVec3::new(v.x, v.y, v.z)
}

impl Rig {
    /// Decides how nodes are expressed. `scales` calls its argument with all instants at which the scales
    /// of a node have to be looked at, besides the rest pose; if it returns false, there are too many.
    pub fn new(scene: &Scene, scales: impl Fn(&Node, &mut dyn FnMut(Instant)) -> bool) -> Self {
        let count = scene.nodes.len();
        let mut rig = Self { nodes: vec![Expressed::default(); count] };
        for node in &scene.nodes {
            let is_special = node.inherit_mode != InheritMode::Normal && node.parent.is_some();
            rig.nodes[node.element.typed_id as usize].is_special = is_special;
            if let Some(parent) = node.parent.as_ref().filter(|_| is_special) {
                rig.nodes[parent.element.typed_id as usize].is_divided_by = true;
            }
        }
        let mut next = count.saturating_sub(1);
        let mut left = SCALES;
        for node in &scene.nodes {
            let id = node.element.typed_id as usize;
            let Some(parent) = node.parent.as_ref().filter(|_| rig.nodes[id].is_special) else {
                continue;
            };
            let chain: Vec<&Node> = rig.scale_chain(parent).collect();
            let is_uniform = Cell::new(true);
            let mut look = |at: Instant| {
                if !is_uniform.get() {
                    return;
                }
                let Some(rest) = left.checked_sub(chain.len()) else {
                    return is_uniform.set(false);
                };
                left = rest;
                let handed = rig.handed_down(parent, at.scale_of(parent), at);
                let largest = handed.abs().max_element();
                let off = (handed - DVec3::splat(handed.x)).abs().max_element();
                is_uniform.set(off <= ROUNDING * largest.max(1e-300));
            };
            look(Instant::REST);
            let are_known = chain.iter().all(|node| is_uniform.get() && scales(node, &mut look));
            if !is_uniform.get() || !are_known {
                rig.nodes[id].helper = Some(next);
                next += 1;
            }
        }
        rig
    }

    /// Returns the index in the document of an FBX node; `None` for the scene's root.
    pub fn index(&self, node: &Node) -> Option<usize> {
        (node.element.typed_id as usize).checked_sub(1)
    }

    /// Returns the nodes of the document whose transforms FBX nodes define.
    pub fn outputs(&self) -> impl Iterator<Item = Output> + '_ {
        self.nodes.iter().enumerate().skip(1).flat_map(|(node, how)| {
            let own = Output { index: node - 1, node, is_helper: false };
            let helper = how.helper.map(|index| Output { index, node, is_helper: true });
            [Some(own), helper].into_iter().flatten()
        })
    }

    /// Returns the node whose scale is multiplied into that of `node`, if any.
    fn scale_from<'a>(&self, node: &'a Node) -> Option<&'a Node> {
        let is_special = self.nodes[node.element.typed_id as usize].is_special;
        node.inherit_scale_node.as_deref().filter(|_| is_special)
    }

    /// Returns a node and those whose scales are multiplied into its own.
    fn scale_chain<'a>(&self, node: &'a Node) -> impl Iterator<Item = &'a Node> {
        std::iter::successors(Some(node), |node| self.scale_from(node))
    }

    /// Returns the scale of a node's axes that it hands down to nodes that look at it. `scale` is its own.
    fn handed_down(&self, node: &Node, mut scale: DVec3, at: Instant) -> DVec3 {
        self.scale_chain(node).skip(1).for_each(|node| scale *= at.scale_of(node));
        if !self.nodes[node.element.typed_id as usize].is_divided_by {
            return scale;
        }
        let apart = |x: f64| if x.abs() < SMALLEST { SMALLEST.copysign(x) } else { x };
        DVec3::new(apart(scale.x), apart(scale.y), apart(scale.z))
    }

    /// Returns the transform of an output.
    pub fn local(&self, output: Output, node: &Node, at: Instant) -> Local {
        let mut local = at.of(node);
        local.scale = self.handed_down(node, local.scale, at);
        let how = &self.nodes[output.node];
        let Some(parent) = node.parent.as_ref().filter(|_| how.is_special) else { return local };
        let divided = self.handed_down(parent, at.scale_of(parent), at).recip();
        match (how.helper, output.is_helper) {
            (None, _) => local.scale *= divided.x,
            (Some(_), true) => {
                return Local { rotation: DQuat::IDENTITY, scale: divided, ..local };
            }
            (Some(_), false) => local.translation = DVec3::ZERO,
        }
        local
    }

    /// Calls `each` with all FBX nodes whose curves have an effect on an output.
    pub fn sources(&self, output: Output, node: &Node, each: &mut dyn FnMut(&Node)) {
        self.scale_chain(node).for_each(&mut *each);
        if let Some(parent) = node.parent.as_ref().filter(|_| self.nodes[output.node].is_special) {
            self.scale_chain(parent).for_each(each);
        }
    }

    /// Appends the nodes to the document in their rest pose.
    pub fn write(&self, scene: &Scene, draft: &mut Draft) -> Result<(), ImportError> {
        let helpers = self.nodes.iter().filter(|how| how.helper.is_some()).count();
        let count = self.nodes.len().saturating_sub(1) + helpers;
        let over = |over| ImportError::over_budget("nodes", over);
        // A node of the document takes about this much.
        draft.budget().holds(count, 1024).map_err(over)?;
        let mut list = vec![json!({}); count];
        for output in self.outputs() {
            let node = &scene.nodes[output.node];
            let item = &mut list[output.index];
            put_transform(item, self.local(output, node, Instant::REST));
            let name = &*node.element.name;
            item["name"] = match output.is_helper {
                true => format!("{name} (scale of the parent taken out)").into(),
                false => name.into(),
            };
            if output.is_helper {
                item["children"] = json!([output.node - 1]);
                continue;
            }
            let children: Vec<usize> = self.children(node).collect();
            if !children.is_empty() {
                item["children"] = json!(children);
            }
            if !is_shown(node, None) {
                let visibility = draft.uses(super::scene::NODE_VISIBILITY);
                item["extensions"] = json!({ visibility: { "visible": false } });
            }
            properties::put(item, &node.element);
        }
        list.into_iter().for_each(|item| {
            draft.push("nodes", item);
        });
        let roots: Vec<usize> = self.children(&scene.root_node).collect();
        draft.push("scenes", json!({ "nodes": roots }));
        Ok(())
    }

    /// Returns the children of a node in the document: those of FBX, or the helpers above them.
    fn children<'a>(&'a self, node: &'a Node) -> impl Iterator<Item = usize> + 'a {
        node.children.into_iter().filter_map(|child| {
            self.nodes[child.element.typed_id as usize].helper.or_else(|| self.index(child))
        })
    }
}

/// Returns a node and those above it.
pub(super) fn line(node: &Node) -> impl Iterator<Item = &Node> {
    std::iter::successors(Some(node), |node| node.parent.as_deref())
}

/// Writes a transform to a node of the document, without parts that do nothing.
pub(super) fn put_transform(item: &mut Value, local: Local) {
    let mut odd = 0;
    let mut narrow = |x: f64| super::scene::finite(x, &mut odd);
    if local.translation != DVec3::ZERO {
        item["translation"] = json!(local.translation.to_array().map(&mut narrow));
    }
    if local.rotation != DQuat::IDENTITY {
        item["rotation"] = json!(local.rotation.to_array().map(&mut narrow));
    }
    // Scales of 1 that went through the conversion of units.
    if (local.scale - DVec3::ONE).abs().max_element() > ROUNDING {
        item["scale"] = json!(local.scale.to_array().map(&mut narrow));
    }
}
